"""The image models of nn/models against an installed torchvision, of full size: the text, the keys of the state dict,
the bits of the initial values under one seed, and the outputs with weights from a file of torch.save.

    make interop     or, from the root,     python tests/interop/models.py build/tests/interop_models [NAME ...]

Needs torch, torchvision and numpy, and for the largest models 6 GB of memory.
"""

import os
import subprocess
import sys
import tempfile

import numpy
import torch
from torchvision import models

NAMES = (
    "resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext101_32x8d resnext101_64x4d wide_resnet50_2 "
    "wide_resnet101_2 vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn alexnet mobilenet_v2 vit_b_16 "
    "vit_b_32 vit_l_16 vit_l_32 vit_h_14"
).split()
TOLERANCE = 1e-4  # of the largest output


def checksum(model):
    """sum over i of (2 i + 1) word_i mod 2^64, of the 32-bit words of all parameters and buffers."""
    total, start = 0, 0
    for x in model.state_dict().values():
        words = x.contiguous().numpy().reshape(-1).view(numpy.uint32).astype(numpy.uint64)
        factors = numpy.arange(start, start + len(words), dtype=numpy.uint64) * numpy.uint64(2) + numpy.uint64(1)
        total = (total + int((words * factors).sum(dtype=numpy.uint64))) % 2**64
        start += len(words)
    return total


def perturb(model):
    """Weights that hide nothing: the head of a ViT begins with zeros."""
    with torch.no_grad():
        for x in model.parameters():
            x.add_(0.02 * (torch.rand_like(x) - 0.5))
        for name, x in model.named_buffers():
            if name.endswith("running_var"):
                x.mul_(0.5).add_(torch.rand_like(x))


def compare(program, name, folder):
    torch.manual_seed(42)
    model = getattr(models, name)().eval()
    expected = f"{model!r}\n" + "\n".join(model.state_dict()) + f"\n{checksum(model)}\n"
    perturb(model)
    torch.save(model.state_dict(), os.path.join(folder, "weights.pth"))
    size = getattr(model, "image_size", 96)
    x = torch.rand(2, 3, size, size)
    numpy.save(os.path.join(folder, "x.npy"), x.numpy())
    with torch.no_grad():
        y = model(x).numpy()
    del model
    printed = subprocess.run([program, name, folder], check=True, capture_output=True, text=True).stdout
    if printed != expected:
        pairs = zip(printed.splitlines(), expected.splitlines())
        return next((f"{a!r} is {b!r}" for a, b in pairs if a != b), "another number of lines")
    if not numpy.isfinite(y).all():
        return "PyTorch's outputs are not finite"
    difference = abs(numpy.load(os.path.join(folder, "y.npy")) - y).max() / abs(y).max()
    return None if difference <= TOLERANCE else f"the outputs differ by {difference:.2g} of the largest"


def main():
    torch.set_num_threads(2)
    program, names, failures = sys.argv[1], sys.argv[2:] or NAMES, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            wrong = compare(program, name, folder)
            if wrong:
                print(f"{name}: {wrong}")
                failures += 1
    print(f"interop: {len(names) - failures} of {len(names)} image models are torchvision's")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
