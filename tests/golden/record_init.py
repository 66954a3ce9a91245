"""Writes what PyTorch's nn.init gives into init.txt next to this file, for tests/nn/modules/test_init.c, which has the
same cases.

    python record_init.py          needs torch >= 2.15 (trunc_normal_ draws otherwise before) and numpy; make check
    never runs it

Each case fills a fresh tensor under one seed; written are a hash of its bits, the first elements and the next two
random numbers. orthogonal_ is written whole: its rounding is the LAPACK's."""

import os

import torch
from torch import nn

from record_models import HERE, INIT_SEED, write_bits, write_all

I = nn.init
G = torch.Generator

CASES = {
    "uniform": lambda: I.uniform_(torch.empty(7, 4, 3), -2, 3),
    "normal": lambda: I.normal_(torch.empty(5), 1, 0.5),
    "normal_large": lambda: I.normal_(torch.empty(33, 7), std=0.02),
    "normal_generator": lambda: I.normal_(torch.empty(33, 7), generator=G().manual_seed(7)),
    "eye": lambda: I.eye_(torch.empty(3, 5)),
    "dirac": lambda: I.dirac_(torch.empty(4, 3, 5)),
    "dirac_groups": lambda: I.dirac_(torch.empty(6, 2, 3, 4), 2),
    "dirac_volume": lambda: I.dirac_(torch.empty(2, 3, 3, 1, 2)),
    "constant": lambda: I.constant_(torch.empty(4), 0.3),
    "xavier_normal": lambda: I.xavier_normal_(torch.empty(7, 4, 3)),
    "xavier_normal_gain": lambda: I.xavier_normal_(torch.empty(9, 8), gain=I.calculate_gain("tanh")),
    "kaiming_normal": lambda: I.kaiming_normal_(torch.empty(7, 4, 3)),
    "kaiming_normal_out": lambda: I.kaiming_normal_(torch.empty(16, 3, 5, 5), mode="fan_out", nonlinearity="relu"),
    "kaiming_normal_double": lambda: I.kaiming_normal_(torch.empty(9, 8, dtype=torch.float64), 0.2),
    "kaiming_uniform_out": lambda: I.kaiming_uniform_(torch.empty(16, 3, 5, 5), 0.1, "fan_out", "selu"),
    "kaiming_uniform_tanh": lambda: I.kaiming_uniform_(torch.empty(7, 5), nonlinearity="tanh"),
    "trunc_normal": lambda: I.trunc_normal_(torch.empty(5)),
    "trunc_normal_large": lambda: I.trunc_normal_(torch.empty(100, 100), std=1.3),
    "trunc_normal_std": lambda: I.trunc_normal_(torch.empty(100, 100), std=0.02),
    "trunc_normal_double": lambda: I.trunc_normal_(torch.empty(100, 100, dtype=torch.float64), 0.5, 2, -1, 1.5),
    "trunc_normal_tail": lambda: I.trunc_normal_(torch.empty(100, 100), 0, 1, 1.5, 3),
    "trunc_normal_narrow": lambda: I.trunc_normal_(torch.empty(100, 100), 0.3, 2, -0.1, 0.2),
    "trunc_normal_narrow_double": lambda: I.trunc_normal_(torch.empty(100, 100, dtype=torch.float64), -1, 1, 0.25, 0.5),
}
ORTHOGONAL = {
    "orthogonal": lambda: I.orthogonal_(torch.empty(4, 4)),
    "orthogonal_wide": lambda: I.orthogonal_(torch.empty(3, 7), gain=0.5),
    "orthogonal_tall": lambda: I.orthogonal_(torch.empty(7, 3), I.calculate_gain("relu")),
    "orthogonal_cube": lambda: I.orthogonal_(torch.empty(6, 2, 2)),
    "orthogonal_double": lambda: I.orthogonal_(torch.empty(5, 6, dtype=torch.float64)),
}


def main():
    with open(os.path.join(HERE, "init.txt"), "w") as file:
        for cases in (CASES, ORTHOGONAL):
            for name, make in cases.items():
                file.write(f"= {name}\n")
                torch.manual_seed(INIT_SEED)
                x = make()
                write_all(file, "next", torch.rand(2))
                if cases is CASES:
                    write_bits(file, "x", x)
                else:
                    write_all(file, "whole", x)


if __name__ == "__main__":
    main()
