"""Writes tests/golden/print.txt: what PyTorch prints under options of set_printoptions.

    python tests/golden/record_print.py     from the root of the tree; needs torch

A case is a line "= precision threshold edgeitems linewidth profile sci_mode input exponent", with None as in Python,
and the lines of the text, each behind a "|". The input is one tensor by the rule of rule.py, seeded by that line, times
2 to the exponent. tests/tensor/test_print_options.c reads the cases from the file."""

import os

import torch

import rule

NONE = [None] * 6
OPTIONS = [
    [2] + NONE[1:],
    [0] + NONE[1:],
    [8] + NONE[1:],
    [25] + NONE[1:],
    NONE[:5] + [True],
    NONE[:5] + [False],
    [1] + NONE[1:5] + [True],
    [0] + NONE[1:5] + [True],
    NONE[:1] + [5] + NONE[2:],
    NONE[:1] + [0] + NONE[2:],
    NONE[:1] + [-1, 1] + NONE[3:],
    NONE[:1] + [5, 2] + NONE[3:],
    NONE[:1] + [5, 0] + NONE[3:],
    NONE[:1] + [float("inf")] + NONE[2:],
    NONE[:3] + [40] + NONE[4:],
    NONE[:3] + [12] + NONE[4:],
    NONE[:3] + [1] + NONE[4:],
    NONE[:3] + [200] + NONE[4:],
    NONE[:4] + ["default", None],
    NONE[:4] + ["short", None],
    NONE[:4] + ["full", None],
    NONE[:4] + ["other", None],
    [3, None, 1, 60, "short", True],
    [6, 10, None, 50, "full", False],
]
INPUTS = [
    "R() 0", "R() 60", "R(7) 0", "R(7) 40", "R(7) -30", "x(12) 0", "T(5) 0", "i(30) 0", "b(11) 0", "D(3,4) 0",
    "T(4,30) 0", "R(2,3,4) 7", "R(1,8,9) 0", "R(0) 0", "R(2,0) 0", "R(2,2,2,2) 3", "r(9) 0", "R(1001) 0", "i(1200) 0",
    "D(7,200) -12",
]  # fmt: skip


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "print.txt"), "w") as file:
        count = 0
        for i, options in enumerate(OPTIONS):
            for j, text in enumerate(INPUTS):
                if j < 17 or i % 4 == j % 4 and options[:2] != [None, float("inf")] and options[4] != "full":
                    line = " ".join(map(str, options)) + " " + text
                    kind, exponent = text.split()
                    (x,) = rule.make_inputs(kind, rule.seed_of(line), torch.float32)
                    if x.dtype.is_floating_point:
                        x = x * 2.0 ** int(exponent)
                    torch.set_printoptions(profile="default")
                    torch.set_printoptions(*options)
                    file.write(f"= {line}\n" + "".join(f"|{part}\n" for part in repr(x).split("\n")))
                    count += 1
    print(f"print.txt: {count} cases")


if __name__ == "__main__":
    main()
