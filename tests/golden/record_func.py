"""Writes what torch.autograd.functional, torch.func and forward mode compute into func.txt next to this file.

    python record_func.py        needs torch >= 2.7 and numpy; make check never runs it

The functions are those of tests/func/test_func.c; the inputs are hashed from the name of the case (rule.py)."""

import os

import torch
import torch.autograd.forward_ad as fwAD
from torch.autograd import functional
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

import rule
from record_models import HERE, write_all


def flatten(results):
    """Nested tuples as one list, in the order of the C lists."""
    if torch.is_tensor(results):
        return [results]
    return [x for part in results for x in flatten(part)]


def write_list(file, name, results):
    for i, x in enumerate(flatten(results)):
        write_all(file, f"{name}.{i}", x)


def inputs(key, text):
    return rule.make_inputs(text, rule.seed_of(key), torch.float64)


def smooth(x, w):
    """Of (3) and (2,3): outputs of (2) and of (2,3)."""
    return (x.sin() * w).sum(1), (x * w * w).tanh()


def scalar(x, w):
    return ((x * w).exp() * x.cos()).sum() + (w**3).sum()


TWO = "R(3) R(2,3)"


def record_functional(file):
    key = "functional"
    file.write(f"= {key}\n")
    x, w, v0, v1 = inputs(key, TWO + " R(2) R(2,3)")
    y, g = functional.vjp(smooth, (x, w), (v0, v1))
    write_list(file, "outputs", y)
    write_list(file, "vjp", g)
    write_list(file, "jvp", functional.jvp(smooth, (x, w), (x * 2, w + 1))[1])
    write_list(file, "jacobian", functional.jacobian(smooth, (x, w)))
    write_list(file, "hessian", functional.hessian(scalar, (x, w)))
    write_list(file, "hvp", functional.hvp(scalar, (x, w), (x * 2, w + 1))[1])
    write_list(file, "vhp", functional.vhp(scalar, (x, w), (x * 2, w + 1))[1])
    x.requires_grad_()
    for name, v in (("vjp", (v0, v1)), ("jvp", (x.detach() * 2, w + 1))):
        product = getattr(functional, name)(smooth, (x, w), v, create_graph=True)[1]
        write_all(file, f"d{name}", torch.autograd.grad(sum((p * p).sum() for p in product), x)[0])
    for name in ("hvp", "vhp"):
        product = getattr(functional, name)(scalar, (x, w), (x.detach() * 2, w + 1), create_graph=True)[1]
        write_all(file, f"d{name}", torch.autograd.grad(sum((p * p).sum() for p in product), x)[0])
    J = functional.jacobian(smooth, (x, w), create_graph=True)
    write_all(file, "djacobian", torch.autograd.grad(sum((p * p).sum() for p in flatten(J)), x)[0])
    H = functional.hessian(scalar, (x, w), create_graph=True)
    write_all(file, "dhessian", torch.autograd.grad(sum((p * p).sum() for p in flatten(H)), x)[0])


def record_func(file):
    key = "func"
    file.write(f"= {key}\n")
    x, w, v0, v1 = inputs(key, TWO + " R(2) R(2,3)")
    g, value = grad_and_value(scalar, argnums=(0, 1))(x, w)
    write_list(file, "grad", g)
    write_all(file, "value", value)
    write_list(file, "grad_of_1", grad(scalar, argnums=1)(x, w))
    write_list(file, "vjp", vjp(smooth, x, w)[1]((v0, v1)))
    write_list(file, "jvp", jvp(smooth, (x, w), (x * 2, w + 1))[1])
    write_list(file, "linearize", linearize(smooth, x, w)[1](w[0], w * x))
    write_list(file, "jacrev", jacrev(smooth, argnums=(0, 1))(x, w))
    write_list(file, "jacfwd", jacfwd(smooth, argnums=(1, 0))(x, w))
    write_list(file, "hessian", hessian(scalar, argnums=(0, 1))(x, w))
    write_list(file, "hessians", hessian(smooth)(x, w))
    third = grad(lambda x: grad(lambda x: grad(lambda x: scalar(x, w))(x).square().sum())(x).prod())(x)
    write_all(file, "third", third)
    write_list(file, "per_sample", vmap(grad(lambda w, x: scalar(x, w)), in_dims=(None, 0))(w, torch.stack([x, -x])))
    write_list(file, "dims", vmap(smooth, in_dims=(1, None), out_dims=(1, 2))(torch.stack([x, -x], 1), w))
    nested = vmap(lambda a: vmap(lambda b: (a * b).sin().sum())(w))(w * 2)
    write_all(file, "nested", nested)
    write_all(file, "ensemble", vmap(jacrev(lambda w: (w.sin() * x).sum()))(w))
    with fwAD.dual_level():
        y = scalar(fwAD.make_dual(x, x * 2), fwAD.make_dual(w, w + 1))
        write_list(file, "dual", fwAD.unpack_dual(y))


def record_module(file):
    key = "module"
    file.write(f"= {key}\n")
    x, w0, b0, w1 = inputs(key, "R(4,3) R(5,3) R(5) R(1,5)")
    net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1, bias=False)).double()
    params = {"0.weight": w0, "0.bias": b0, "2.weight": w1}
    write_all(file, "output", functional_call(net, params, x))
    loss = lambda params, x: functional_call(net, params, x).square().sum()
    write_list(file, "grad", list(grad(loss)(params, x).values()))
    write_list(file, "per_sample", list(vmap(grad(loss), in_dims=(None, 0))(params, x).values()))


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "func.txt"), "w") as file:
        record_functional(file)
        record_func(file)
        record_module(file)


if __name__ == "__main__":
    main()
