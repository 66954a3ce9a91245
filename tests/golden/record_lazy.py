"""Writes what PyTorch gives for lazy modules into lazy.txt next to this file, for tests/nn/modules/test_lazy.c, which
has the same modules under the same labels.

    python record_lazy.py     needs torch >= 2.7 and numpy; make check never runs it

Each module: its text before and after its first call, the bits of the parameters that the call draws, its output."""

import os

import torch
from torch import nn

import rule
from record_models import HERE, INIT_SEED, write_all, write_bits

MODULES = [
    ("linear", lambda: nn.LazyLinear(4), "F(3,5)"),
    ("linear_no_bias", lambda: nn.LazyLinear(2, bias=False), "F(3)"),
    ("conv1d", lambda: nn.LazyConv1d(4, 3, 2, 1, 1, 2), "F(2,2,6)"),
    ("conv2d", lambda: nn.LazyConv2d(3, (2, 3), padding=1, bias=False), "F(2,4,5)"),
    ("conv3d", lambda: nn.LazyConv3d(2, 2), "F(1,2,3,2,3)"),
    ("conv_transpose1d", lambda: nn.LazyConvTranspose1d(4, 3), "F(2,2,4)"),
    ("conv_transpose2d", lambda: nn.LazyConvTranspose2d(4, 3, 2, 1, 1, 2), "F(2,2,3,2)"),
    ("conv_transpose3d", lambda: nn.LazyConvTranspose3d(2, (1, 2, 2)), "F(1,2,2,2,2)"),
    ("batch_norm1d", lambda: nn.LazyBatchNorm1d(), "F(4,3)"),
    ("batch_norm2d", lambda: nn.LazyBatchNorm2d(momentum=0.3), "F(2,3,2,3)"),
    ("batch_norm3d", lambda: nn.LazyBatchNorm3d(affine=False), "F(2,3,2,2,2)"),
    ("instance_norm1d", lambda: nn.LazyInstanceNorm1d(), "F(2,3,4)"),
    ("instance_norm2d", lambda: nn.LazyInstanceNorm2d(track_running_stats=False), "F(2,3,2,3)"),
    ("instance_norm3d", lambda: nn.LazyInstanceNorm3d(eps=0.1), "F(2,3,2,2,2)"),
]


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "lazy.txt"), "w") as file, open(os.path.join(HERE, "lazy_repr.txt"), "w") as texts:
        for label, make, text in MODULES:
            key = f"{label} {text}"
            file.write(f"= {key}\n")
            torch.manual_seed(INIT_SEED)
            module = make()
            write_all(file, "before", torch.rand(2))
            texts.write(f"= {label}\n{module!r}\n")
            (x,) = rule.make_inputs(text, rule.seed_of(key), torch.float32)
            y = module(x)
            write_all(file, "after", torch.rand(2))
            write_all(file, "y", y)
            for name, value in module.state_dict().items():
                write_bits(file, "bits:" + name, value) if name in dict(module.named_parameters()) else write_all(
                    file, "buffer:" + name, value
                )
            texts.write(f"{module!r}\n{' '.join(module.state_dict())}\n")


if __name__ == "__main__":
    main()
