"""What the rows of tests/ops/table/op_table_reductions.c, op_table_sorting.c and op_table_cumulative.c are in
PyTorch."""

import math

import torch
import torch.nn.functional as F

from ops import DTYPE, get, op, sizes


def dims(n, at):
    """The dims whose count is at n[at]; None for none."""
    return sizes(n, at) or None


def half(n):
    return math.inf if n == 99 else -math.inf if n == -99 else n / 2


def flag(n, at):
    return bool(get(n, at))


# ---- over dims ----
for name in ("sum", "mean", "nansum", "nanmean"):
    op("t_" + (name if name[0] == "n" else name + "_as"))(
        lambda x, n, c, f=getattr(torch, name): (
            f(x[0], dims(n, 2), flag(n, 1), dtype=DTYPE[get(n, 0)])
            if dims(n, 2) or flag(n, 1) or f is torch.nanmean
            else f(x[0], dtype=DTYPE[get(n, 0)])
        )
    )
op("t_logsumexp")(lambda x, n, c: torch.logsumexp(x[0], sizes(n, 1), flag(n, 0)))
for name in ("std", "var_mean", "std_mean"):
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch, name): f(x[0], dims(n, 2), correction=get(n, 0) / 2, keepdim=flag(n, 1))
    )
op("t_norm")(lambda x, n, c: torch.norm(x[0], half(get(n, 0)), dims(n, 3), flag(n, 2), dtype=DTYPE[get(n, 1)]))
op("linalg_vector_norm")(
    lambda x, n, c: torch.linalg.vector_norm(x[0], half(get(n, 0)), dims(n, 3), flag(n, 2), dtype=DTYPE[get(n, 1)])
)
op("t_count_nonzero")(lambda x, n, c: torch.count_nonzero(x[0], dims(n, 0)))
op("t_prod")(
    lambda x, n, c: (
        torch.prod(x[0], dtype=DTYPE[get(n, 2)])
        if get(n, 0) is None
        else torch.prod(x[0], get(n, 0), flag(n, 1), dtype=DTYPE[get(n, 2)])
    )
)
op("t_aminmax")(lambda x, n, c: torch.aminmax(x[0], dim=get(n, 0), keepdim=flag(n, 1)))
op("t_trace")(lambda x, n, c: torch.trace(x[0]))
op("t_bincount")(lambda x, n, c: torch.bincount(x[0], x[1] if len(x) > 1 else None, get(n, 0)))
op("t_histc")(lambda x, n, c: torch.histc(x[0], get(n, 0), half(get(n, 1)), half(get(n, 2))))

# ---- in order ----
op("t_sort")(
    lambda x, n, c: (
        torch.sort(x[0], dim=get(n, 0), descending=flag(n, 1), stable=True)
        if flag(n, 2)
        else torch.sort(x[0], get(n, 0), flag(n, 1))
    )
)
op("t_argsort")(lambda x, n, c: torch.argsort(x[0], dim=get(n, 0), descending=flag(n, 1), stable=flag(n, 2)))
op("t_msort")(lambda x, n, c: torch.msort(x[0]))
op("t_topk")(
    lambda x, n, c: torch.topk(x[0], n[0], get(n, 1), not flag(n, 2), not flag(n, 3)) if n else torch.topk(x[0], 0, 0)
)
op("t_kthvalue")(lambda x, n, c: torch.kthvalue(x[0], get(n, 0), get(n, 1), flag(n, 2)))
for name in ("median", "nanmedian", "mode"):
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch, name): f(x[0]) if get(n, 0) is None else f(x[0], get(n, 0), flag(n, 1))
    )
for name in ("quantile", "nanquantile"):
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch, name): f(
            x[0],
            x[1],
            get(n, 0),
            flag(n, 1),
            interpolation="linear" if get(n, 2) < 0 else c.texts["interpolations"][get(n, 2)],
        )
    )
op("t_unique")(lambda x, n, c: torch.unique(x[0], return_inverse=True, return_counts=True, dim=get(n, 0)))
op("t_unique_consecutive")(
    lambda x, n, c: torch.unique_consecutive(x[0], return_inverse=True, return_counts=True, dim=get(n, 0))
)

# ---- from each to the next ----
for name in ("cumsum", "cumprod", "softmax", "log_softmax"):
    op("t_" + name + ("_as" if "soft" in name else ""))(
        lambda x, n, c, f=getattr(torch, name): f(x[0], get(n, 0), dtype=DTYPE[get(n, 1)])
    )
for name in ("softmax", "log_softmax"):
    op(f"F_{name}_as")(lambda x, n, c, f=getattr(F, name): f(x[0], get(n, 0), dtype=DTYPE[get(n, 1)]))
for name in ("logcumsumexp", "cummax", "cummin"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch, name): f(x[0], get(n, 0)))
op("t_diff")(lambda x, n, c: torch.diff(x[0], get(n, 0), get(n, 1), *(x[1:] if len(x) > 1 else ())))

for name in ("trapezoid", "cumulative_trapezoid"):

    @op("t_" + name)
    def _(x, n, c, f=getattr(torch, name)):
        if len(x) > 1:
            return f(x[0], x[1], dim=get(n, 0))
        return f(x[0], dx=1 + get(n, 1) / 4, dim=get(n, 0))


op("t_cov")(
    lambda x, n, c: torch.cov(
        x[0], correction=get(n, 0), fweights=(x + [None, None])[1], aweights=(x + [None, None])[2]
    )
)
for name in ("renorm", "renorm_"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch.Tensor, name): f(x[0], get(n, 0) / 2, get(n, 1), get(n, 2) / 4))
