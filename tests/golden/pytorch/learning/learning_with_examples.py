"""The Python side of examples/pytorch/learning/learning_with_examples.c: sin(x) fitted by a polynomial, eight times."""

import math
import random

import torch


def polynomial_numpy():
    x = torch.linspace(-math.pi, math.pi, 2000, dtype=torch.float64)
    y = torch.sin(x)

    a = torch.randn(()).item()
    b = torch.randn(()).item()
    c = torch.randn(()).item()
    d = torch.randn(()).item()

    learning_rate = 1e-6
    for t in range(2000):
        y_pred = a + b * x + c * x**2 + d * x**3

        loss = torch.square(y_pred - y).sum().item()
        if t % 400 == 399:
            print(f"{t} {loss:.6f}")

        grad_y_pred = 2.0 * (y_pred - y)
        grad_a = grad_y_pred.sum().item()
        grad_b = (grad_y_pred * x).sum().item()
        grad_c = (grad_y_pred * x**2).sum().item()
        grad_d = (grad_y_pred * x**3).sum().item()

        a -= learning_rate * grad_a
        b -= learning_rate * grad_b
        c -= learning_rate * grad_c
        d -= learning_rate * grad_d
    print(f"Result: y = {a:.6f} + {b:.6f} x + {c:.6f} x^2 + {d:.6f} x^3")


def polynomial_tensor():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    a = torch.randn(())
    b = torch.randn(())
    c = torch.randn(())
    d = torch.randn(())

    learning_rate = 1e-6
    for t in range(2000):
        y_pred = a + b * x + c * x**2 + d * x**3

        loss = (y_pred - y).pow(2).sum().item()
        if t % 400 == 399:
            print(f"{t} {loss:.3f}")

        grad_y_pred = 2.0 * (y_pred - y)
        grad_a = grad_y_pred.sum()
        grad_b = (grad_y_pred * x).sum()
        grad_c = (grad_y_pred * x**2).sum()
        grad_d = (grad_y_pred * x**3).sum()

        a -= learning_rate * grad_a
        b -= learning_rate * grad_b
        c -= learning_rate * grad_c
        d -= learning_rate * grad_d
    print(f"Result: y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")


def polynomial_autograd():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    a = torch.randn((), requires_grad=True)
    b = torch.randn((), requires_grad=True)
    c = torch.randn((), requires_grad=True)
    d = torch.randn((), requires_grad=True)

    learning_rate = 1e-6
    for t in range(2000):
        y_pred = a + b * x + c * x**2 + d * x**3

        loss = (y_pred - y).pow(2).sum()
        if t % 400 == 399:
            print(f"{t} {loss.item():.3f}")

        loss.backward()

        with torch.no_grad():
            a -= learning_rate * a.grad
            b -= learning_rate * b.grad
            c -= learning_rate * c.grad
            d -= learning_rate * d.grad

            a.grad = None
            b.grad = None
            c.grad = None
            d.grad = None
    print(f"Result: y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


def polynomial_custom_function():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    a = torch.full((), 0.0, requires_grad=True)
    b = torch.full((), -1.0, requires_grad=True)
    c = torch.full((), 0.0, requires_grad=True)
    d = torch.full((), 0.3, requires_grad=True)

    learning_rate = 5e-6
    for t in range(2000):
        P3 = LegendrePolynomial3.apply

        y_pred = a + b * P3(c + d * x)

        loss = (y_pred - y).pow(2).sum()
        if t % 400 == 399:
            print(f"{t} {loss.item():.3f}")

        loss.backward()

        with torch.no_grad():
            a -= learning_rate * a.grad
            b -= learning_rate * b.grad
            c -= learning_rate * c.grad
            d -= learning_rate * d.grad

            a.grad = None
            b.grad = None
            c.grad = None
            d.grad = None
    print(f"Result: y = {a.item():.4f} + {b.item():.4f} * P3({c.item():.4f} + {d.item():.4f} x)")


def polynomial_nn():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    p = torch.tensor([1, 2, 3])
    xx = x.unsqueeze(-1).pow(p)

    model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
    loss_fn = torch.nn.MSELoss(reduction="sum")

    learning_rate = 1e-6
    for t in range(2000):
        y_pred = model(xx)

        loss = loss_fn(y_pred, y)
        if t % 400 == 399:
            print(f"{t} {loss.item():.3f}")

        model.zero_grad()
        loss.backward()

        with torch.no_grad():
            for param in model.parameters():
                param -= learning_rate * param.grad

    linear_layer = model[0]
    print(
        f"Result: y = {linear_layer.bias.item():.4f} + {linear_layer.weight[:, 0].item():.4f} x + "
        f"{linear_layer.weight[:, 1].item():.4f} x^2 + {linear_layer.weight[:, 2].item():.4f} x^3"
    )


def polynomial_optim():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    p = torch.tensor([1, 2, 3])
    xx = x.unsqueeze(-1).pow(p)

    model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
    loss_fn = torch.nn.MSELoss(reduction="sum")

    learning_rate = 1e-3
    optimizer = torch.optim.RMSprop(model.parameters(), lr=learning_rate)
    for t in range(2000):
        y_pred = model(xx)

        loss = loss_fn(y_pred, y)
        if t % 400 == 399:
            print(f"{t} {loss.item():.3f}")

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    linear_layer = model[0]
    print(
        f"Result: y = {linear_layer.bias.item():.4f} + {linear_layer.weight[:, 0].item():.4f} x + "
        f"{linear_layer.weight[:, 1].item():.4f} x^2 + {linear_layer.weight[:, 2].item():.4f} x^3"
    )


class Polynomial3(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.randn(()))
        self.b = torch.nn.Parameter(torch.randn(()))
        self.c = torch.nn.Parameter(torch.randn(()))
        self.d = torch.nn.Parameter(torch.randn(()))

    def forward(self, x):
        return self.a + self.b * x + self.c * x**2 + self.d * x**3

    def string(self):
        return f"y = {self.a.item():.4f} + {self.b.item():.4f} x + {self.c.item():.4f} x^2 + {self.d.item():.4f} x^3"


def polynomial_module():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    model = Polynomial3()

    criterion = torch.nn.MSELoss(reduction="sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for t in range(2000):
        y_pred = model(x)

        loss = criterion(y_pred, y)
        if t % 400 == 399:
            print(f"{t} {loss.item():.3f}")

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Result: {model.string()}")


class DynamicNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.randn(()))
        self.b = torch.nn.Parameter(torch.randn(()))
        self.c = torch.nn.Parameter(torch.randn(()))
        self.d = torch.nn.Parameter(torch.randn(()))
        self.e = torch.nn.Parameter(torch.randn(()))

    def forward(self, x):
        y = self.a + self.b * x + self.c * x**2 + self.d * x**3
        for exp in range(4, random.randint(4, 6)):
            y = y + self.e * x**exp
        return y

    def string(self):
        return (
            f"y = {self.a.item():.4f} + {self.b.item():.4f} x + {self.c.item():.4f} x^2 + "
            f"{self.d.item():.4f} x^3 + {self.e.item():.4f} x^4 ? + {self.e.item():.4f} x^5 ?"
        )


def polynomial_dynamic_net():
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)

    model = DynamicNet()

    criterion = torch.nn.MSELoss(reduction="sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-8, momentum=0.9)
    for t in range(30000):
        y_pred = model(x)

        loss = criterion(y_pred, y)
        if t % 6000 == 5999:
            print(f"{t} {loss.item():.2f}")

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Result: {model.string()}")


def main():
    random.seed(0)
    torch.manual_seed(0)
    polynomial_numpy()
    polynomial_tensor()
    polynomial_autograd()
    polynomial_custom_function()
    polynomial_nn()
    polynomial_optim()
    polynomial_module()
    polynomial_dynamic_net()
