"""What the functions of tests/ops/table/op_table_scatter.c are in PyTorch."""

import torch

from ops import get, op

op("t_take_along_dim")(lambda x, n, c: torch.take_along_dim(x[0], x[1], get(n, 0)))
for name in ("scatter", "scatter_add", "index_copy", "index_fill"):
    for form in (name, name + "_"):
        op("t_" + form)(lambda x, n, c, f=getattr(torch.Tensor, form): f(x[0], get(n, 0), x[1], x[2]))
for form in ("scatter_reduce", "scatter_reduce_"):
    op("t_" + form)(
        lambda x, n, c, f=getattr(torch.Tensor, form): f(
            x[0], get(n, 0), x[1], x[2], c.texts["reduce_texts"][get(n, 1)], include_self=not get(n, 2)
        )
    )
for form in ("index_add", "index_add_"):
    op("t_" + form)(
        lambda x, n, c, f=getattr(torch.Tensor, form): f(
            x[0], get(n, 0), x[1], x[2], alpha=get(n, 1) / 4 if get(n, 1) else 1
        )
    )
op("t_select_scatter")(lambda x, n, c: torch.select_scatter(x[0], x[1], get(n, 0), get(n, 1)))
op("t_slice_scatter")(lambda x, n, c: torch.slice_scatter(x[0], x[1], get(n, 0), get(n, 1), get(n, 2), get(n, 3)))
op("t_diagonal_scatter")(lambda x, n, c: torch.diagonal_scatter(x[0], x[1], get(n, 0), get(n, 1), get(n, 2)))
