"""Writes what torchvision gives for its image models into image_models.txt and image_models_repr.txt next to this file,
for tests/nn/models/test_models.c, which has the same models under the same labels.

    python record_image_models.py     needs torch, torchvision and numpy; make check never runs it

Each model: its text, a checksum of the bits of all initial values, the numbers that the generator gives next; in
float64 the outputs in training and evaluation mode, and the sums of the absolute values of the gradients."""

import os

import numpy
import torch
from torch import nn
from torchvision import models
from torchvision.models import mobilenetv2, resnet

import rule
from record_models import DROPOUT_SEED, HERE, INIT_SEED, write_all, write_some

MODELS = [
    ("resnet18", lambda: models.resnet18(num_classes=10), "R(2,3,40,40)"),
    ("zero_init", lambda: models.resnet18(num_classes=3, zero_init_residual=True), "R(3,3,33,40)"),
    (
        "bottleneck",
        lambda: models.ResNet(
            resnet.Bottleneck,
            [1, 2, 1, 1],
            num_classes=4,
            groups=2,
            width_per_group=16,
            replace_stride_with_dilation=[False, True, True],
            norm_layer=lambda channels: nn.GroupNorm(4, channels),
            zero_init_residual=True,
        ),
        "R(2,3,40,40)",
    ),
    ("mobilenet", lambda: models.mobilenet_v2(num_classes=5, width_mult=0.35, dropout=0.3), "R(3,3,65,64)"),
    (
        "vit",
        lambda: models.VisionTransformer(32, 8, 2, 2, 16, 24, dropout=0.1, attention_dropout=0.2, num_classes=5),
        "R(2,3,32,32)",
    ),
    ("vit_representation", lambda: models.VisionTransformer(24, 8, 1, 4, 8, 12, representation_size=6), "R(2,3,24,24)"),
]


def checksum(module):
    """sum over i of (2 i + 1) word_i mod 2^64, of the 32-bit words of all parameters and buffers."""
    total, start = 0, 0
    for x in module.state_dict().values():
        words = x.contiguous().numpy().reshape(-1).view(numpy.uint32).astype(numpy.uint64)
        with numpy.errstate(over="ignore"):
            factors = numpy.arange(start, start + len(words), dtype=numpy.uint64) * numpy.uint64(2) + numpy.uint64(1)
            total = (total + int((words * factors).sum(dtype=numpy.uint64))) & rule.MASK
        start += len(words)
    return torch.tensor([total >> 32, total & 0xFFFFFFFF])


def main():
    torch.set_num_threads(1)
    with (
        open(os.path.join(HERE, "image_models.txt"), "w") as file,
        open(os.path.join(HERE, "image_models_repr.txt"), "w") as texts,
    ):
        for label, make, text in MODELS:
            key = f"{label} {text}"
            file.write(f"= {key}\n")
            torch.manual_seed(INIT_SEED)
            module = make()
            write_all(file, "next", torch.rand(2))
            write_all(file, "checksum", checksum(module))
            if label == "zero_init":  # its values are checked
                continue
            texts.write(f"= {label}\n{module!r}\n")
            texts.write(f"= {label}.keys\n" + "\n".join(module.state_dict()) + "\n")
            module = module.double()
            if label.startswith("vit"):  # a head of zeros would hide the rest
                nn.init.normal_(module.heads.head.weight)
            (x,) = rule.make_inputs(text, rule.seed_of(key), torch.float64)
            for mode in ("train", "eval"):
                module.train(mode == "train")
                module.zero_grad()
                torch.manual_seed(DROPOUT_SEED)
                y = module(x)
                write_all(file, mode + ".y", y[:, :5])
                y.square().mean().backward()
                sums = torch.stack([p.grad.abs().sum() for p in module.parameters()])
                write_all(file, mode + ".gradients", sums[:: max(1, len(sums) // 20)])
        file.write("= preset\n")
        (image,) = rule.make_inputs("Q(3,40,30)", rule.seed_of("preset"), torch.float32)
        for name, weights, step in (
            ("y", models.ResNet18_Weights.DEFAULT, 50),
            ("bicubic", models.ViT_L_16_Weights.IMAGENET1K_SWAG_E2E_V1, 120),
        ):
            write_all(file, name, weights.transforms()(image)[:, ::step, ::step])


if __name__ == "__main__":
    main()
