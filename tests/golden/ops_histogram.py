"""What the rows of op_table_histogram.c are in PyTorch."""

import torch

from ops import get, op, sizes

REDUCE = ["prod", "mean", "amax", "amin", "sum", "max", "min", "other"]


@op("t_gradient")
def gradient(x, n, c):
    dims = sizes(n, 2) or None
    spacing = list(x[1:]) if len(x) > 1 else get(n, 0) / 4
    if dims and len(x) == 1:
        return torch.gradient(x[0], spacing=spacing, dim=dims, edge_order=get(n, 1))
    kinds = {"dim": dims} if dims else {}
    return torch.gradient(x[0], spacing=spacing, edge_order=get(n, 1), **kinds)


def edges_of(x):
    return x.detach().sort(0).values


@op("t_histogram")
def histogram(x, n, c):
    bins = edges_of(x[2]) if len(x) > 2 else get(n, 0)
    ranged = {"range": (get(n, 1) / 4, get(n, 2) / 4)} if get(n, 1) or get(n, 2) else {}
    return torch.histogram(x[0], bins, weight=x[1], density=bool(get(n, 3)), **ranged)


@op("t_histogramdd")
def histogramdd(x, n, c):
    bins = [edges_of(edge) for edge in x[2:]] or ([get(n, 0), get(n, 1)] if get(n, 1) else get(n, 0))
    ranged = {"range": [get(n, i) / 4 for i in range(2, 6)]} if get(n, 5) else {}
    hist, edges = torch.histogramdd(x[0], bins, weight=x[1], density=bool(get(n, 6)), **ranged)
    return (hist, *edges)


for form in ("index_reduce", "index_reduce_"):
    op("t_" + form)(
        lambda x, n, c, f=getattr(torch.Tensor, form): f(
            x[0], get(n, 0), x[1], x[2], REDUCE[get(n, 1)], include_self=not get(n, 2)
        )
    )


@op("t_segment_reduce")
def segment_reduce(x, n, c):
    axis = get(n, 1)
    parts = torch.tensor([get(n, 6 + i) for i in range(get(n, 5))]).expand(*x[0].shape[:axis], -1).contiguous()
    return torch.segment_reduce(
        x[0],
        REDUCE[get(n, 0)],
        **{"offsets" if get(n, 4) else "lengths": parts},
        axis=axis,
        unsafe=bool(get(n, 2)),
        initial=get(n, 3) / 4 if get(n, 3) else None,
    )


op("t_nonzero_static")(lambda x, n, c: torch.nonzero_static(x[0], size=get(n, 0), fill_value=get(n, 1)))
op("t_unravel_index")(lambda x, n, c: torch.unravel_index(x[0], tuple(sizes(n))))
