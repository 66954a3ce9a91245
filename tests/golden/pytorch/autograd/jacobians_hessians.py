"""The Python side of examples/pytorch/autograd/jacobians_hessians.c: Jacobians, Hessians, hvp, vhp, and more."""

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

D = 16


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


def compute_jac(weight, bias, xp):
    unit_vectors = torch.eye(D)
    jacobian_rows = []
    for i in range(D):
        jacobian_rows.append(torch.autograd.grad(predict(weight, bias, xp), xp, unit_vectors[i])[0])
    return torch.stack(jacobian_rows)


def computing_the_jacobian():
    weight = torch.randn(D, D)
    bias = torch.randn(D)
    x = torch.randn(D)

    xp = x.clone().requires_grad_()
    jacobian = compute_jac(weight, bias, xp)
    print(jacobian.shape)
    print(jacobian[0])

    _, vjp_fn = vjp(partial(predict, weight, bias), x)
    (ft_jacobian,) = vmap(vjp_fn)(torch.eye(D))
    print(torch.allclose(ft_jacobian, jacobian))

    ft_jacobian = jacrev(predict, argnums=2)(weight, bias, x)
    print(torch.allclose(ft_jacobian, jacobian))

    jac_weight, jac_bias = jacrev(predict, argnums=(0, 1))(weight, bias, x)
    print(jac_weight.shape, jac_bias.shape)


def reverse_and_forward(Din, Dout):
    weight = torch.randn(Dout, Din)
    bias = torch.randn(Dout)
    x = torch.randn(Din) / math.sqrt(Din)
    print(weight.shape)

    using_fwd = jacfwd(predict, argnums=2)(weight, bias, x)
    using_bwd = jacrev(predict, argnums=2)(weight, bias, x)
    print(torch.allclose(using_fwd, using_bwd))
    print(using_fwd[0, :6])


def jac_rev_x(weight, bias, x):
    return jacrev(predict, argnums=2)(weight, bias, x)


def jac_fwd_x(weight, bias, x):
    return jacfwd(predict, argnums=2)(weight, bias, x)


def hessians(Din, Dout):
    weight = torch.randn(Dout, Din)
    bias = torch.randn(Dout)
    x = torch.randn(Din) / math.sqrt(Din)

    hess_api = hessian(predict, argnums=2)(weight, bias, x)
    hess_fwdfwd = jacfwd(jac_fwd_x, argnums=2)(weight, bias, x)
    hess_revrev = jacrev(jac_rev_x, argnums=2)(weight, bias, x)
    print(torch.allclose(hess_api, hess_fwdfwd, atol=1e-6))
    print(torch.allclose(hess_api, hess_revrev, atol=1e-6))
    print(hess_api.shape)
    print(hess_api[0, :3, :3])


def predict_with_output_summed(weight, bias, x):
    return predict(weight, bias, x).sum(0)


def hess_x(weight, bias, x):
    return hessian(predict, argnums=2)(weight, bias, x)


def batch_jacobian(batch_size, Din, Dout):
    weight = torch.randn(Dout, Din)
    print(f"weight shape = {weight.shape}")
    bias = torch.randn(Dout)
    x = torch.randn(batch_size, Din)

    batch_jacobian0 = vmap(jac_rev_x, in_dims=(None, None, 0))(weight, bias, x)
    batch_jacobian1 = jacrev(predict_with_output_summed, argnums=2)(weight, bias, x).movedim(1, 0)
    print(torch.allclose(batch_jacobian0, batch_jacobian1))

    batch_hess = vmap(hess_x, in_dims=(None, None, 0))(weight, bias, x)
    print(batch_hess.shape)
    print(batch_hess[0, 0, :3, :3])


def f(x):
    return x.sin().sum()


def grad_f(x):
    return grad(f)(x)


def hvp(x, tangent):
    return jvp(grad_f, (x,), (tangent,))[1]


def hvp_revrev(x, tangent):
    _, vjp_fn = vjp(grad_f, x)
    return vjp_fn(tangent)[0]


def hessian_vector_products():
    x = torch.randn(2048)
    tangent = torch.randn(2048)

    result_hvp = hvp(x, tangent)
    result_hvp_revrev = hvp_revrev(x, tangent)
    print(torch.allclose(result_hvp, result_hvp_revrev))
    print(result_hvp)


def main():
    torch.manual_seed(0)
    computing_the_jacobian()
    reverse_and_forward(32, 2048)
    reverse_and_forward(2048, 32)
    hessians(256, 32)
    batch_jacobian(64, 31, 33)
    hessian_vector_products()
