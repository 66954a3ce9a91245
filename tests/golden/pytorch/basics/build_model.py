"""The Python side of examples/pytorch/basics/build_model.c: Learn the basics, build the neural network."""

import torch
from torch import nn


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(28 * 28, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
        )

    def forward(self, x):
        x = self.flatten(x)
        logits = self.linear_relu_stack(x)
        return logits


def use_model(model):
    X = torch.rand(1, 28, 28)
    logits = model(X)
    pred_probab = nn.Softmax(dim=1)(logits)
    y_pred = pred_probab.argmax(1)
    print(pred_probab)
    print("predicted class:", y_pred)


def layer_by_layer():
    input_image = torch.rand(3, 28, 28)
    print(input_image.size())

    flatten = nn.Flatten()
    flat_image = flatten(input_image)
    print(flat_image.size())

    layer1 = nn.Linear(in_features=28 * 28, out_features=20)
    hidden1 = layer1(flat_image)
    print(hidden1.size())

    print("before ReLU:", hidden1)
    hidden1 = nn.ReLU()(hidden1)
    print("after ReLU:", hidden1)

    seq_modules = nn.Sequential(flatten, layer1, nn.ReLU(), nn.Linear(20, 10))
    input_image = torch.rand(3, 28, 28)
    logits = seq_modules(input_image)

    softmax = nn.Softmax(dim=1)
    pred_probab = softmax(logits)
    print(pred_probab)


def show_parameters(model):
    print("structure:", model)

    for name, param in model.named_parameters():
        print(f"{name} | {param.size()} | {param[:2]}")


def main():
    torch.manual_seed(0)
    model = NeuralNetwork()
    print(model)
    use_model(model)
    layer_by_layer()
    show_parameters(model)
