"""The Python side of examples/pytorch/basics/autograd.c: Learn the basics, automatic differentiation."""

import torch


def gradients():
    x = torch.ones(5)
    y = torch.zeros(3)
    w = torch.randn(5, 3, requires_grad=True)
    b = torch.randn(3, requires_grad=True)
    z = torch.matmul(x, w) + b
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)

    print("grad_fn of z:", z.grad_fn.name())
    print("grad_fn of loss:", loss.grad_fn.name())

    loss.backward()
    print(w.grad)
    print(b.grad)

    z = torch.matmul(x, w) + b
    print(z.requires_grad)

    with torch.no_grad():
        z = torch.matmul(x, w) + b
    print(z.requires_grad)

    z = torch.matmul(x, w) + b
    z_det = z.detach()
    print(z_det.requires_grad)


def jacobian_products():
    inp = torch.eye(4, 5, requires_grad=True)
    out = (inp + 1).pow(2).t()
    out.backward(torch.ones_like(out), retain_graph=True)
    print(f"first call\n{inp.grad}")
    out.backward(torch.ones_like(out), retain_graph=True)
    print(f"second call\n{inp.grad}")
    inp.grad.zero_()
    out.backward(torch.ones_like(out), retain_graph=True)
    print(f"call after zeroing the gradients\n{inp.grad}")


def main():
    torch.manual_seed(0)
    gradients()
    jacobian_products()
