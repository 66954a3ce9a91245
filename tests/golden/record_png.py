"""Writes PNG files by a rule (png_rule.py), and what torchvision decodes them to, into png_images.txt, for
tests/vision/test_png.c.

    python record_png.py            needs torch, torchvision and Pillow; make check never runs it

A line: name, the file in hexadecimal, and for each ImageReadMode channels x height x width and the CRC-32 of the values
(of two bytes for 16 bits); "exif" is the image with apply_exif_orientation. Where torchvision reads past a row or gives
an alpha below opaque (palettes and gray of fewer than 8 bits) the values are Pillow's; and it makes colours gray in
linear light if the file has a gamma, which is left out here."""

import io
import os
import random
import warnings
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision.io import ImageReadMode, decode_image

import png_rule

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = ["UNCHANGED", "GRAY", "GRAY_ALPHA", "RGB", "RGB_ALPHA"]
warnings.filterwarnings("ignore")


def expected(data, mode, exif=False):
    """As an array of uint8 or uint16."""
    depth, color, palette_alpha = data[24], data[25], b"tRNS" in data

    def decode(mode):
        x = decode_image(torch.frombuffer(bytearray(data), dtype=torch.uint8), ImageReadMode[mode],
                         apply_exif_orientation=exif)
        return x.numpy().copy()

    gamma = data.find(b"gAMA")
    if gamma > 0 and "GRAY" in mode:
        data = data[: gamma - 4] + data[gamma + 12 :]
    if color == png_rule.PALETTE and mode == "UNCHANGED":
        return np.asarray(Image.open(io.BytesIO(data)))[None]
    alpha = {"GRAY_ALPHA": "GRAY", "RGB_ALPHA": "RGB"}.get(mode)
    if alpha and ((color == png_rule.PALETTE and not palette_alpha) or (color == png_rule.GRAY and depth < 8)):
        x = decode(alpha)
        return np.concatenate([x, np.full_like(x[:1], 255)])
    return decode(mode)


def result(x):
    kind = "<u2" if x.dtype == np.uint16 else "u1"
    return f"{x.shape[0]}x{x.shape[1]}x{x.shape[2]}:{zlib.crc32(np.ascontiguousarray(x).astype(kind).tobytes()):08x}"


if __name__ == "__main__":
    with open(os.path.join(HERE, "png_images.txt"), "w") as file:
        count = 0
        for name, data in png_rule.suite(random.Random(0)):
            results = [result(expected(data, mode)) for mode in MODES]
            if name.startswith("exif"):
                results.append(result(expected(data, "UNCHANGED", True)))
            file.write(f"{name} {data.hex()} {' '.join(results)}\n")
            count += 1
    print(f"png_images.txt: {count} images")
