"""The Python side of examples/pytorch/autograd/neural_tangent_kernels.c: Neural tangent kernels."""

import torch
import torch.nn as nn
from torch.func import functional_call, jacrev, jvp, vjp, vmap


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, (3, 3))
        self.conv2 = nn.Conv2d(32, 32, (3, 3))
        self.conv3 = nn.Conv2d(32, 32, (3, 3))
        self.fc = nn.Linear(3200, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = x.relu()
        x = self.conv2(x)
        x = x.relu()
        x = self.conv3(x)
        x = x.flatten(1)
        x = self.fc(x)
        return x


def fnet_single(params, net, x):
    return functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)


def jacobian_rows(params, net, x):
    jac = jacrev(fnet_single)(params, net, x).values()
    rows = [j.flatten(1) for j in jac]
    return rows


def einsum_expr(compute):
    if compute == "full":
        return "Naf,Mbf->NMab"
    if compute == "trace":
        return "Naf,Maf->NM"
    assert compute == "diagonal"
    return "Naf,Maf->NMa"


def empirical_ntk_jacobian_contraction(params, net, x1, x2, compute):
    jac1 = vmap(jacobian_rows, (None, None, 0))(params, net, x1)
    jac2 = vmap(jacobian_rows, (None, None, 0))(params, net, x2)

    result = []
    for k in range(len(jac1)):
        result.append(torch.einsum(einsum_expr(compute), jac1[k], jac2[k]))
    return torch.stack(result).sum(0)


def get_ntk_slice(vec, x, params, net, vjp_fn):
    def func_x2(params):
        return fnet_single(params, net, x)

    vjps = vjp_fn(vec)
    _, jvps = jvp(func_x2, (params,), vjps)
    return jvps


def get_ntk(x1, x2, params, net):
    def func_x1(params):
        return fnet_single(params, net, x1)

    output, vjp_fn = vjp(func_x1, params)
    basis = torch.eye(output.numel(), dtype=output.dtype).view(output.numel(), -1)
    return vmap(get_ntk_slice, (0, None, None, None, None))(basis, x2, params, net, vjp_fn)


def get_ntk_row(x1, x2, params, net):
    return vmap(get_ntk, (None, 0, None, None))(x1, x2, params, net)


def empirical_ntk_ntk_vps(params, net, x1, x2, compute):
    result = vmap(get_ntk_row, (0, None, None, None))(x1, x2, params, net)
    if compute == "full":
        return result
    if compute == "trace":
        return torch.einsum("NMKK->NM", result)
    assert compute == "diagonal"
    return torch.einsum("NMKK->NMK", result)


def kernels():
    x_train = torch.randn(8, 3, 16, 16)
    x_test = torch.randn(4, 3, 16, 16)

    net = CNN()
    params = {k: v.detach() for k, v in net.named_parameters()}

    result = empirical_ntk_jacobian_contraction(params, net, x_train, x_test, "full")
    print(result.shape)
    print(result[0, 0, 0])

    result_from_jacobian_contraction = empirical_ntk_jacobian_contraction(params, net, x_test, x_train, "full")
    result_from_ntk_vps = empirical_ntk_ntk_vps(params, net, x_test, x_train, "full")
    print(torch.allclose(result_from_jacobian_contraction, result_from_ntk_vps, atol=1e-4))

    for compute in ("trace", "diagonal"):
        result_from_jacobian_contraction = empirical_ntk_jacobian_contraction(params, net, x_test, x_train, compute)
        result_from_ntk_vps = empirical_ntk_ntk_vps(params, net, x_test, x_train, compute)
        print(compute, result_from_ntk_vps.shape)
        print(torch.allclose(result_from_jacobian_contraction, result_from_ntk_vps, atol=1e-4))
        print(result_from_ntk_vps[0, 0])


def main():
    torch.manual_seed(0)
    kernels()
