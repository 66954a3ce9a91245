"""What the rows of tests/ops/table/op_table_graphs.c are in PyTorch."""

import torch

from ops import op


@op("graph_diamond")
def _(x, n, c):
    y = x[0] + x[0]
    return y * x[0] + y


@op("graph_fan")
def _(x, n, c):
    x, y = x
    a = torch.sin(x)
    return torch.exp(a * y) + a * x + x * y.sum()


@op("graph_row_add")
def _(x, n, c):
    b = x[0] * 1
    b[0] += x[1]
    return b * b


@op("graph_stripes")
def _(x, n, c):
    w = x[0]
    pe = torch.zeros(w.size(0), 2 * w.size(1), dtype=w.dtype)
    pe[:, 0::2] = torch.sin(w)
    pe[:, 1::2] = torch.cos(w * 2)
    return pe * pe


@op("graph_base_after_view")
def _(x, n, c):
    b = x[0] * 1
    v = b[1]
    before = torch.sin(v.clone())
    b.mul_(2)
    return v * v, before + 1


@op("graph_view_and_view")
def _(x, n, c):
    b = x[0] * 2
    v, u = b[1], b.transpose(0, 1)
    v.mul_(x[1])
    return u * u, torch.sin(b)


@op("graph_chain")
def _(x, n, c):
    b = x[0] * 1
    v = b[0:2]
    w = v[:, 1:3]
    w.mul_(3)
    w.add_(x[1])
    v.sub_(1)
    b.div_(4)
    return b * b * b, (v * v).sum() + w


@op("graph_overwrite")
def _(x, n, c):
    b = x[0] * 1
    b[1].zero_()
    b[:, 0] = x[1]
    b[2, 1:].fill_(0.5)
    return b * b


@op("graph_transposed")
def _(x, n, c):
    b = x[0] * 1
    b.transpose(0, 1)[::2].mul_(x[1])
    return b * b * b


@op("graph_row_to_row")
def _(x, n, c):
    b = x[0] * 1
    b[0].add_(b[1])
    b[2].mul_(b[0].clone())
    return b * b


@op("graph_from_nothing")
def _(x, n, c):
    b = torch.zeros_like(x[0])
    v = b[0]
    b.add_(x[0])
    v.mul_(v.clone())
    return b * b, torch.sin(v)


@op("graph_masked")
def _(x, n, c):
    b = x[0] * 1
    b.transpose(0, 1).masked_fill_(x[1], 0.5)
    return b * b


@op("graph_cut")
def _(x, n, c):
    x = x[0]
    y = x * x
    z = y.detach() * x + x.clone()
    with torch.no_grad():
        unseen = x * 7
    return z, unseen * x
