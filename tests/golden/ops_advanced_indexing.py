"""What the functions of tests/ops/table/op_table_advanced_indexing.c are in PyTorch."""

import torch

from ops import get, op


def index_of(text, values):
    """The index, with the items for {} put into its string."""
    names = [f"v[{i}]" for i in range(len(values))]
    for name in names:
        text = text.replace("{}", name, 1)
    return eval(f"I[{text}]", {"I": type("I", (), {"__class_getitem__": classmethod(lambda cls, i: i)}), "v": values})


@op("t_set_indices")
def _(x, n, c):
    y = x[0].clone()
    y[index_of(c.texts["at_texts"][get(n, 0)], x[2:])] = x[1]
    return y


op("t_at_indices")(lambda x, n, c: x[0][index_of(c.texts["at_texts"][get(n, 0)], x[1:])])
for name in ("index_put", "index_put_"):
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch.Tensor, name): f(
            x[0], tuple(x[2:]), x[1] if torch.is_tensor(x[1]) else torch.tensor(x[1], dtype=x[0].dtype), bool(get(n, 0))
        )
    )
op("t_nonzero")(lambda x, n, c: torch.nonzero(x[0]))
op("t_nonzero_tuple")(lambda x, n, c: torch.nonzero(x[0], as_tuple=True))
op("t_argwhere")(lambda x, n, c: torch.argwhere(x[0]))
for name in ("take", "masked_select", "masked_scatter", "masked_scatter_"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch.Tensor, name): f(*x))
for name in ("put", "put_"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch.Tensor, name): f(*x, bool(get(n, 0))))
op("t_searchsorted")(
    lambda x, n, c: torch.searchsorted(
        x[0], x[1], right=bool(get(n, 0)), side=c.texts["side_texts"][get(n, 1)], sorter=x[2] if len(x) > 2 else None
    )
)
op("t_bucketize")(lambda x, n, c: torch.bucketize(x[0], x[1], right=bool(get(n, 0))))
op("t_isin")(lambda x, n, c: torch.isin(x[0], x[1], invert=bool(get(n, 0)), assume_unique=bool(get(n, 1))))
