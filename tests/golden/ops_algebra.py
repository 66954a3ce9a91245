"""The functions of op_table_algebra.c in PyTorch: see ops.py."""

import math

import torch
import torch.nn.functional as F

from ops import get, op, simple

simple("mv dot outer ger inner kron", torch.mv, torch.dot, torch.outer, torch.ger, torch.inner, torch.kron)
for name in "addmm addmv baddbmm addbmm addr addmm_ addmv_ baddbmm_ addbmm_ addr_".split():
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch.Tensor, name): f(*x, beta=number(x, get(n, 0)), alpha=number(x, get(n, 1)))
    )


def number(x, quarters):
    """A factor as the table has it; integers for integers where it is one."""
    factor = 1 + quarters / 4
    return int(factor) if factor.is_integer() and not x[0].is_floating_point() else factor


@op("t_tensordot")
def _(x, n, c):
    one, two = get(n, 0), get(n, 1)
    return torch.tensordot(x[0], x[1], ([get(n, 2 + i) for i in range(one)], [get(n, 2 + one + i) for i in range(two)]))


op("t_tensordot_of_")(lambda x, n, c: torch.tensordot(x[0], x[1], get(n, 0)))
op("t_cross")(lambda x, n, c: torch.cross(x[0], x[1]) if get(n, 0) is None else torch.cross(x[0], x[1], get(n, 0)))
op("t_chain_matmul")(lambda x, n, c: torch.chain_matmul(*x))
op("t_cdist")(lambda x, n, c: torch.cdist(x[0], x[1], math.inf if get(n, 0) is None else get(n, 0) / 2))
op("F_bilinear")(lambda x, n, c: F.bilinear(*x))
op("F_one_hot")(lambda x, n, c: F.one_hot(x[0], get(n, 0)))
op("t_dist")(lambda x, n, c: torch.dist(x[0], x[1], math.inf if get(n, 0) is None else get(n, 0) / 2))
op("t_block_diag")(lambda x, n, c: torch.block_diag(*x))


@op("t_vander")
def _(x, n, c):
    """torch.vander cannot be differentiated (it writes the powers in place), so the gradients are those of a
    composition with the same values."""
    theirs = torch.vander(x[0].detach(), get(n, 0), increasing=get(n, 1) == 1)
    N = theirs.shape[1]
    if N == 0:
        return theirs
    from_ = x[0].long() if x[0].dtype == torch.bool else x[0]
    powers = from_.unsqueeze(-1).expand(-1, N - 1).cumprod(-1)
    y = torch.cat([torch.ones_like(from_).unsqueeze(-1), powers], 1)
    y = y if get(n, 1) == 1 else y.flip(-1)
    assert torch.equal(y.detach(), theirs)
    return y
