"""Norms, padding, convolutions and pooling in PyTorch: the rows of op_table_norms.c, _convolution.c and _pooling.c."""

import math

import torch
import torch.nn.functional as F

from ops import get, op, sizes

op("F_rms_norm")(lambda x, n, c: F.rms_norm(x[0], sizes(n, 1), x[1], None if get(n, 0) < 0 else get(n, 0) / 1000))
op("F_group_norm")(lambda x, n, c: F.group_norm(x[0], get(n, 0), x[1], x[2], get(n, 1) / 1000))


def batch_norm(f):
    def run(x, n, c):
        mean, var = (v if v is None or v.requires_grad else v.clone() for v in x[1:3])
        y = f(x[0], mean, var, x[3], x[4], bool(get(n, 0)), get(n, 1) / 100, get(n, 2) / 1000)
        return (y, *(v.float() for v in (mean, var) if v is not None))

    return run


op("F_batch_norm")(batch_norm(F.batch_norm))
op("F_instance_norm")(batch_norm(F.instance_norm))
MODES = ["constant", "reflect", "replicate", "circular", "mirror"]
op("F_pad")(lambda x, n, c: F.pad(x[0], sizes(n, 2), MODES[get(n, 0)], get(n, 1) / 4 if get(n, 1) else None))


def conv(f, dims, transposed):
    def run(x, n, c):
        several = lambda at, more=0: [get(n, at * dims + d) + more for d in range(dims)]
        padding = [several(1), "same", "valid"][get(n, 3 * dims + 1)]
        groups = get(n, 3 * dims) + 1
        if transposed:
            extra = [get(n, 3 * dims + 2 + d) for d in range(dims)]
            return f(x[0], x[1], x[2], several(0, 1), padding, extra, groups, several(2, 1))
        return f(x[0], x[1], x[2], several(0, 1), padding, several(2, 1), groups)

    return run


op("F_conv1d")(conv(F.conv1d, 1, False))
op("F_conv2d")(conv(F.conv2d, 2, False))
op("F_conv_transpose1d")(conv(F.conv_transpose1d, 1, True))
op("F_conv_transpose2d")(conv(F.conv_transpose2d, 2, True))


def pair(n, at, more=0):
    return get(n, at) + more, get(n, at + 1) + more


op("F_unfold")(lambda x, n, c: F.unfold(x[0], pair(n, 0), pair(n, 2, 1), pair(n, 4), pair(n, 6, 1)))
op("F_fold")(lambda x, n, c: F.fold(x[0], pair(n, 8), pair(n, 0), pair(n, 2, 1), pair(n, 4), pair(n, 6, 1)))


def pool(f, dims, of_max):
    def run(x, n, c):
        several = lambda at, more=0: [get(n, at * dims + d) + more for d in range(dims)]
        stride = several(1) if any(several(1)) else None
        if of_max:
            return f(x[0], several(0), stride, several(2), several(3, 1), bool(get(n, 4 * dims)), return_indices=True)
        more = [get(n, 3 * dims + 2) or None] if dims == 2 else []
        return f(x[0], several(0), stride, several(2), bool(get(n, 3 * dims)), not get(n, 3 * dims + 1), *more)

    return run


op("F_max_pool1d")(pool(F.max_pool1d, 1, True))
op("F_max_pool2d")(pool(F.max_pool2d, 2, True))
op("F_avg_pool1d")(pool(F.avg_pool1d, 1, False))
op("F_avg_pool2d")(pool(F.avg_pool2d, 2, False))
op("F_adaptive_avg_pool1d")(lambda x, n, c: F.adaptive_avg_pool1d(x[0], get(n, 0)))
op("F_adaptive_avg_pool2d")(lambda x, n, c: F.adaptive_avg_pool2d(x[0], pair_or_none(n)))
op("F_adaptive_max_pool1d")(lambda x, n, c: F.adaptive_max_pool1d(x[0], get(n, 0), return_indices=True))
op("F_adaptive_max_pool2d")(lambda x, n, c: F.adaptive_max_pool2d(x[0], pair_or_none(n), return_indices=True))


def pair_or_none(n):
    return (get(n, 0), get(n, 1)) if get(n, 0) != get(n, 1) else get(n, 0)


@op("F_interpolate")
def _(x, n, c):
    def several(at):
        given = [get(n, at + 2 * i) for i in range(3) if get(n, at + 2 * i)]
        return None if not given else given[0] if len(given) == 1 else tuple(given)

    factors = several(3)
    if factors is not None:
        factors = tuple(f / 100 for f in factors) if isinstance(factors, tuple) else factors / 100
    modes = ["nearest", "linear", "bilinear", "bicubic", "straight", "trilinear", "area", "nearest-exact", "lanczos"]
    return F.interpolate(
        x[0],
        several(2),
        factors,
        modes[get(n, 0)],
        True if get(n, 1) & 1 else None,
        recompute_scale_factor=bool(get(n, 1) & 4) or None,
        antialias=bool(get(n, 1) & 2),
    )


op("F_local_response_norm")(
    lambda x, n, c: F.local_response_norm(x[0], get(n, 0), get(n, 1) / 100, get(n, 2) / 100, get(n, 3) / 100)
)
for name in ("dropout1d", "dropout2d", "alpha_dropout", "feature_alpha_dropout"):
    op("F_" + name)(lambda x, n, c, f=getattr(F, name): f(x[0], get(n, 0) / 100, bool(get(n, 1))))
op("F_pixel_shuffle")(lambda x, n, c: F.pixel_shuffle(x[0], get(n, 0)))
op("F_pixel_unshuffle")(lambda x, n, c: F.pixel_unshuffle(x[0], get(n, 0)))
op("F_affine_grid")(lambda x, n, c: F.affine_grid(x[0], sizes(n, 1), bool(get(n, 0))))


@op("F_grid_sample")
def _(x, n, c):
    mode = ["bilinear", "nearest", "bicubic", "linear"][get(n, 0)]
    padding = ["zeros", "border", "reflection", "mirror"][get(n, 1)]
    return F.grid_sample(x[0], x[1] * (get(n, 3) or 1), mode, padding, bool(get(n, 2)))
op("F_channel_shuffle")(lambda x, n, c: F.channel_shuffle(x[0], get(n, 0)))


def lp_pool(f, dims):
    def run(x, n, c):
        p = {-1: math.inf, -2: -math.inf}.get(get(n, 0), get(n, 0) / 4)
        kernel, stride = ([get(n, 2 + at * dims + d) for d in range(dims)] for at in (0, 1))
        if dims == 1:
            kernel, stride = kernel[0], [stride[0] or None]
        return f(x[0], p, kernel, (stride if dims == 2 else stride[0]) if any(stride) else None, bool(get(n, 1)))

    return run


op("F_lp_pool1d")(lp_pool(F.lp_pool1d, 1))
op("F_lp_pool2d")(lp_pool(F.lp_pool2d, 2))


def max_unpool(f, dims):
    def run(x, n, c):
        kernel, stride, padding, size = (tuple(get(n, at * dims + d) for d in range(dims)) for at in range(4))
        return f(x[0], x[1], kernel, stride if any(stride) else None, padding, size if any(size) else None)

    return run


op("F_max_unpool1d")(max_unpool(F.max_unpool1d, 1))
op("F_max_unpool2d")(max_unpool(F.max_unpool2d, 2))
op("F_conv_tbc")(lambda x, n, c: torch.conv_tbc(x[0], x[1], x[2], get(n, 0)))
