"""What the functions of tests/ops/table/op_table_volumes.c are in PyTorch."""

import math

import torch.nn.functional as F

from ops import get, op

BOTH, NONE = -(2**63) + 1, -(2**63)


def digits(number, otherwise):
    return [int(digit) for digit in f"{number:03}"] if number else [otherwise] * 3


def convolution(x, n):
    padding = "same" if get(n, 1) else digits(get(n, 3), 0)
    return dict(
        stride=digits(get(n, 2), 1), padding=padding, dilation=digits(get(n, 4), 1), groups=get(n, 0) or 1
    )


op("F_conv3d")(lambda x, n, c: F.conv3d(*x, **convolution(x, n)))
op("F_conv_transpose3d")(
    lambda x, n, c: F.conv_transpose3d(*x, **convolution(x, n), output_padding=digits(get(n, 5), 0))
)


def window(n):
    return dict(kernel_size=digits(get(n, 0), 0), stride=digits(get(n, 1), 0) if get(n, 1) else None)


op("F_max_pool3d")(
    lambda x, n, c: F.max_pool3d(
        x[0],
        **window(n),
        padding=digits(get(n, 2), 0),
        dilation=digits(get(n, 3), 1),
        ceil_mode=bool(get(n, 4)),
        return_indices=True,
    )
)
op("F_avg_pool3d")(
    lambda x, n, c: F.avg_pool3d(
        x[0],
        **window(n),
        padding=digits(get(n, 2), 0),
        ceil_mode=bool(get(n, 4)),
        count_include_pad=not get(n, 5),
        divisor_override=get(n, 6) or None,
    )
)
op("F_lp_pool3d")(
    lambda x, n, c: F.lp_pool3d(
        x[0], math.inf if get(n, 7) < 0 else get(n, 7) / 4, **window(n), ceil_mode=bool(get(n, 4))
    )
)
op("F_max_unpool3d")(
    lambda x, n, c: F.max_unpool3d(
        x[0], x[1], **window(n), padding=digits(get(n, 2), 0), output_size=digits(get(n, 7), 0) if get(n, 7) else None
    )
)


def sizes(n):
    return n[0] if n[1] == BOTH else [None if size in (None, NONE) else size for size in (get(n, d) for d in range(3))]


op("F_adaptive_avg_pool3d")(lambda x, n, c: F.adaptive_avg_pool3d(x[0], sizes(n)))
op("F_adaptive_max_pool3d")(lambda x, n, c: F.adaptive_max_pool3d(x[0], sizes(n), return_indices=True))
op("F_dropout3d")(lambda x, n, c: F.dropout3d(x[0], get(n, 0) / 100, bool(get(n, 1))))


def fractional_max_pool(f, dims):
    def run(x, n, c):
        size = digits(get(n, 1), 0)[:dims] if get(n, 1) else None
        ratio = (get(n, 2) / 100,) * dims if get(n, 2) else None
        return f(x[0], digits(get(n, 0), 0)[:dims], size, ratio, return_indices=True, _random_samples=x[1])

    return run


op("F_fractional_max_pool2d")(fractional_max_pool(F.fractional_max_pool2d, 2))
op("F_fractional_max_pool3d")(fractional_max_pool(F.fractional_max_pool3d, 3))
