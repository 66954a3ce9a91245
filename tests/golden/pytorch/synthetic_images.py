"""examples/pytorch/synthetic_images.h in Python."""

import torch


def synthetic_images(n, channels, size, noise):
    labels = torch.randint(0, 10, (n,))
    k = labels.view(-1, 1, 1, 1).float()
    at = torch.arange(size) / (size / 3.14159)
    phase = torch.arange(channels).view(-1, 1, 1)
    rows = torch.sin(at.view(-1, 1) * (k + 1) + phase)
    columns = torch.cos(at * (10 - k))
    waves = 0.5 + 0.5 * rows * columns
    return (1 - noise) * waves + noise * torch.rand(n, channels, size, size), labels
