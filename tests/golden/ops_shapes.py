"""The functions of op_table_shapes.c in PyTorch: see ops.py."""

import torch

from ops import get, op, simple, sizes

simple(
    "view_as reshape_as ravel mT atleast_1d atleast_2d atleast_3d fliplr flipud t_",
    torch.Tensor.view_as,
    torch.Tensor.reshape_as,
    torch.ravel,
    lambda x: x.mT,
    torch.atleast_1d,
    torch.atleast_2d,
    torch.atleast_3d,
    torch.fliplr,
    torch.flipud,
    torch.Tensor.t_,
)
for name in ("swapaxes", "swapdims", "transpose_"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch.Tensor, name): f(x[0], get(n, 0), get(n, 1)))
for name in ("hstack", "vstack", "dstack", "column_stack"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch, name): f(x))
for name in ("diag", "diagflat"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch, name): f(x[0], get(n, 0)))
op("t_unflatten")(lambda x, n, c: x[0].unflatten(get(n, 0), sizes(n, 1)))
op("t_squeeze_dims")(lambda x, n, c: x[0].squeeze(tuple(sizes(n))))
op("t_broadcast_to")(lambda x, n, c: torch.broadcast_to(x[0], sizes(n)))
op("t_broadcast_tensors")(lambda x, n, c: torch.broadcast_tensors(*x))
op("t_tile")(lambda x, n, c: x[0].tile(sizes(n)))
op("t_flip")(lambda x, n, c: x[0].flip(sizes(n)))
op("t_rot90")(lambda x, n, c: x[0].rot90(get(n, 0), sizes(n, 1)))
op("t_unfold")(lambda x, n, c: x[0].unfold(get(n, 0), get(n, 1), get(n, 2)))
op("t_diag_embed")(lambda x, n, c: torch.diag_embed(x[0], get(n, 0), get(n, 1), get(n, 2)))
op("t_split_with_sizes")(lambda x, n, c: x[0].split(sizes(n, 1), get(n, 0)))
op("t_tensor_split")(lambda x, n, c: x[0].tensor_split(get(n, 0), get(n, 1)))
op("t_tensor_split_indices")(lambda x, n, c: x[0].tensor_split(tuple(sizes(n, 1)), get(n, 0)))
op("t_squeeze_")(lambda x, n, c: x[0].squeeze_() if get(n, 0) is None else x[0].squeeze_(get(n, 0)))
op("t_unsqueeze_")(lambda x, n, c: x[0].unsqueeze_(get(n, 0)))


def two_lists(n):
    """Two lists whose lengths precede both."""
    one, two = get(n, 0), get(n, 1)
    return [get(n, 2 + i) for i in range(one)], [get(n, 2 + one + i) for i in range(two)]


op("t_movedim")(lambda x, n, c: x[0].movedim(*map(tuple, two_lists(n))))
op("t_roll")(lambda x, n, c: x[0].roll(*map(tuple, two_lists(n))))


@op("t_repeat_interleave")
def _(x, n, c):
    return x[0].repeat_interleave(x[1] if len(x) > 1 else get(n, 1), get(n, 0))


@op("t_as_strided")
def _(x, n, c):
    size, rest = [get(n, 2 + i) for i in range(get(n, 0))], 2 + get(n, 0)
    stride = [get(n, rest + i) for i in range(get(n, 0) + get(n, 1))]
    return x[0].as_strided(size, stride, get(n, 2 + 2 * get(n, 0)))
for name in ("hsplit", "vsplit", "dsplit"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch, name): f(x[0], get(n, 0)))
    op(f"t_{name}_indices")(lambda x, n, c, f=getattr(torch, name): f(x[0], sizes(n, 0)))
op("t_cartesian_prod")(lambda x, n, c: torch.cartesian_prod(*x))
op("t_combinations")(lambda x, n, c: torch.combinations(x[0], get(n, 0), get(n, 1) == 1))
