"""The Python side of examples/pytorch/basics/save_load.c: Learn the basics, save and load the model."""

import os
import tempfile

import torch
from torch import nn


def vgg():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(32 * 8 * 8, 10),
    )


def save_and_load(path):
    model = vgg()
    x = torch.rand(2, 3, 32, 32)
    print(model.eval()(x))
    torch.save(model.state_dict(), path)

    model = vgg()
    print(model.eval()(x))
    model.load_state_dict(torch.load(path))
    print(model.eval()(x))
    print(model)

    model.train()
    for name, weights in model.state_dict().items():
        print(name, weights.shape)


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        save_and_load(os.path.join(folder, "model_weights.pth"))
