"""The Python side of examples/pytorch/learning/blitz_autograd.c: 60-minute blitz, autograd."""

import torch
from torch import nn, optim


def history():
    x = torch.ones(2, 2, requires_grad=True)
    print(x)
    y = x + 2
    print(y)
    print(y.grad_fn.name())

    z = y * y * 3
    out = z.mean()
    print(z, out)

    a = torch.randn(2, 2)
    a = (a * 3) / (a - 1)
    print(a.requires_grad)
    a.requires_grad_(True)
    print(a.requires_grad)
    b = (a * a).sum()
    print(b.grad_fn.name())

    out.backward()
    print(x.grad)


def vector_products():
    x = torch.randn(3, requires_grad=True)
    y = x * 2
    while y.detach().norm() < 1000:
        y = y * 2
    print(y)

    gradients = torch.tensor([0.1, 1.0, 0.0001])
    y.backward(gradients)
    print(x.grad)

    print(x.requires_grad)
    print((x**2).requires_grad)
    with torch.no_grad():
        print((x**2).requires_grad)

    y = x.detach()
    print(y.requires_grad)
    print(x.eq(y).all())


def two_leaves():
    a = torch.tensor([2.0, 3.0], requires_grad=True)
    b = torch.tensor([6.0, 4.0], requires_grad=True)
    Q = 3 * a**3 - b**2
    external_grad = torch.tensor([1.0, 1.0])
    Q.backward(gradient=external_grad)
    print(9 * a**2 == a.grad)
    print(-2 * b == b.grad)


def frozen_parameters():
    x = torch.rand(5, 5)
    y = torch.rand(5, 5)
    z = torch.rand((5, 5), requires_grad=True)
    a = x + y
    print(f"does `a` require gradients? {a.requires_grad}")
    b = x + z
    print(f"does `b` require gradients? {b.requires_grad}")

    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    for param in model.parameters():
        param.requires_grad = False
    model[2] = nn.Linear(16, 10)
    optimizer = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)

    data = torch.rand(1, 8)
    labels = torch.rand(1, 10)
    prediction = model(data)
    loss = (prediction - labels).sum()
    loss.backward()
    optimizer.step()
    for name, param in model.named_parameters():
        print(name, param.requires_grad, f"{param.sum():.4f}")


def main():
    torch.manual_seed(1)
    history()
    vector_products()
    two_leaves()
    frozen_parameters()
