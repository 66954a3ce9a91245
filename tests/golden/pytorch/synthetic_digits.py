"""examples/pytorch/synthetic_digits.h in Python."""

import torch
import torch.nn.functional as F

GLYPHS = [
    "01110 10001 10011 10101 11001 10001 01110",
    "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00110 01000 10000 11111",
    "01110 10001 00001 00110 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010",
    "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110",
    "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110",
    "01110 10001 10001 01111 00001 00010 01100",
]


def synthetic_digits(n, noise):
    pixels = [[float(c) for c in glyph if c != " "] for glyph in GLYPHS]
    glyphs = torch.tensor(pixels).view(10, 1, 7, 5)
    glyphs = F.pad(F.interpolate(glyphs, scale_factor=3), (6, 7, 3, 4))

    labels = torch.randint(0, 10, (n,))
    angle = torch.rand(n) - 0.5
    scale = 0.9 + 0.4 * torch.rand(n)
    shift = 0.4 * torch.rand(2, n) - 0.2
    cos, sin = scale * torch.cos(angle), scale * torch.sin(angle)
    theta = torch.stack((cos, -sin, shift[0], sin, cos, shift[1]), 1).view(n, 2, 3)
    grid = F.affine_grid(theta, (n, 1, 28, 28), align_corners=False)
    images = F.grid_sample(glyphs[labels], grid, align_corners=False)
    return (1 - noise) * images + noise * torch.rand(n, 1, 28, 28), labels
