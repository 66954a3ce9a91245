"""What torchvision.utils makes of batches by the rule, into vision_utils.txt, for tests/vision/test_utils.c.

    python record_vision_utils.py          needs torch, torchvision and Pillow; make check never runs it

A line: name, the grid's shape and the CRC-32 of its values, and the CRC-32 of the pixels that save_image writes ("-"
where it does not)."""

import io
import math
import os
import warnings
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision.utils import make_grid, save_image

import rule

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {  # a shape and arguments
    "plain": ((5, 3, 4, 6), {}),
    "rows": ((7, 3, 4, 3), {"nrow": 3}),
    "one_row": ((3, 3, 4, 3), {"nrow": 3, "padding": 0}),
    "one_column": ((3, 3, 2, 3), {"nrow": 1, "padding": 5, "pad_value": 0.5}),
    "gray": ((4, 1, 5, 5), {"nrow": 2}),
    "rgba": ((2, 4, 3, 3), {}),
    "two_channels": ((2, 2, 3, 3), {}),
    "image": ((3, 5, 4), {}),
    "gray_image": ((1, 5, 4), {}),
    "matrix": ((5, 4), {}),
    "batch_of_one": ((1, 3, 5, 4), {"padding": 9}),
    "normalize": ((5, 3, 4, 6), {"normalize": True}),
    "normalize_range": ((5, 3, 4, 6), {"normalize": True, "value_range": (-1, 1)}),
    "normalize_empty_range": ((5, 3, 4, 6), {"normalize": True, "value_range": (0.5, 0.5)}),
    "normalize_each": ((5, 3, 4, 6), {"normalize": True, "scale_each": True, "pad_value": 1}),
    "normalize_each_gray": ((5, 1, 4, 6), {"normalize": True, "scale_each": True, "nrow": 2}),
    "normalize_each_range": ((2, 3, 4, 6), {"normalize": True, "scale_each": True, "value_range": (-0.5, 0.75)}),
    "normalize_image": ((4, 6), {"normalize": True}),
}


def batch(name, shape):
    seed, count = rule.seed_of(name), math.prod(shape)
    values = [rule.hashed_value("R", 0, seed, 0, i, count) for i in range(count)]
    return torch.tensor(values, dtype=torch.float32).reshape(shape)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    with open(os.path.join(HERE, "vision_utils.txt"), "w") as file:
        for name, (shape, arguments) in CASES.items():
            x = batch(name, shape)
            grid = make_grid(x, **arguments).contiguous()
            crc = zlib.crc32(grid.numpy().tobytes())
            stream, saved = io.BytesIO(), "-"
            if shape[-3:-2] != (2,):
                save_image(x, stream, "png", **arguments)
                saved = f"{zlib.crc32(np.asarray(Image.open(stream)).tobytes()):08x}"
            file.write(f"{name} {'x'.join(map(str, grid.shape))} {crc:08x} {saved}\n")
