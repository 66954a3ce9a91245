"""What the rows of op_table_resize.c are in PyTorch."""

import torch

from ops import DTYPE, get, op, sizes

op("t_tril_")(lambda x, n, c: x[0].tril_(get(n, 0)))
op("t_triu_")(lambda x, n, c: x[0].triu_(get(n, 0)))
op("t_fill_diagonal_")(lambda x, n, c: x[0].fill_diagonal_(get(n, 0) / 4, bool(get(n, 1))))
for form in ("cumsum_", "cumprod_"):
    op("t_" + form)(lambda x, n, c, f=getattr(torch.Tensor, form): f(x[0], get(n, 0), dtype=DTYPE[get(n, 1)]))
op("t_sum_to_size")(lambda x, n, c: x[0].sum_to_size(sizes(n)))
op("t_resize_")(lambda x, n, c: x[0].resize_(sizes(n)))


def layout(n):
    """size, stride, storage_offset of (the number of dims, how many strides more, ...)"""
    ndim = get(n, 0)
    size = [get(n, 2 + i) for i in range(ndim)]
    return size, [get(n, 2 + ndim + i) for i in range(ndim + get(n, 1))], get(n, 2 + 2 * ndim)


op("t_empty_permuted")(lambda x, n, c: torch.empty_permuted(*layout(n)[:2], dtype=c.dtype).zero_())
op("t_as_strided_")(lambda x, n, c: x[0].as_strided_(*layout(n)))
op("t_as_strided_scatter")(lambda x, n, c: torch.as_strided_scatter(x[0], x[1], *layout(n)))
for form in ("bartlett", "blackman", "hann"):
    op(f"t_{form}_window")(
        lambda x, n, c, f=getattr(torch, form + "_window"): f(get(n, 0), not get(n, 1), dtype=c.dtype)
    )
op("t_hamming_window")(
    lambda x, n, c: torch.hamming_window(get(n, 0), not get(n, 1), get(n, 2) / 4, get(n, 3) / 4, dtype=c.dtype)
)
op("t_kaiser_window")(lambda x, n, c: torch.kaiser_window(get(n, 0), not get(n, 1), get(n, 2) / 4, dtype=c.dtype))
