"""What the rows of op_table_unary_math.c, op_table_binary_math.c and op_table_inplace_*.c are in PyTorch."""

import torch

from ops import get, op, simple

UNARY = (
    "exp2 expm1 log2 log10 log1p erfc erfinv tan asin acos atan sinh cosh asinh atanh sinc deg2rad rad2deg floor ceil "
    "trunc frac signbit"
)
simple(UNARY, *(getattr(torch, name) for name in UNARY.split()))
BINARY = (
    "fmod atan2 hypot logaddexp xlogy copysign fmax fmin clamp_min clamp_max logical_xor bitwise_xor "
    "bitwise_left_shift bitwise_right_shift lerp"
)
simple(BINARY, *(getattr(torch, name) for name in BINARY.split()))

MODES = ["trunc", "floor", "up", None]


def none_or(n, at):
    return None if get(n, at) == 99 else get(n, at) / 4


op("t_acosh")(lambda x, n, c: torch.acosh(x[0] + 1))
op("t_round")(lambda x, n, c: torch.round(x[0], decimals=get(n, 0)) if get(n, 0) else torch.round(x[0]))
op("t_logit")(lambda x, n, c: torch.logit(x[0], get(n, 0) / 100 if get(n, 0) >= 0 else None))
op("t_nan_to_num")(lambda x, n, c: torch.nan_to_num(x[0], get(n, 0) / 4, none_or(n, 1), none_or(n, 2)))
op("t_div_mode")(
    lambda x, n, c: torch.div(x[0], x[1]) if get(n, 0) == 3 else torch.div(x[0], x[1], rounding_mode=MODES[get(n, 0)])
)
detached = lambda x: x.detach() if torch.is_tensor(x) else x
op("t_floor_divide")(lambda x, n, c: torch.floor_divide(detached(x[0]), detached(x[1])))  # refuses backward
op("t_isclose")(lambda x, n, c: torch.isclose(x[0], x[1], get(n, 0) / 100, get(n, 1) / 100, bool(get(n, 2))))


def number(n, at):
    """An integer is Python's int, as a fraction is its float."""
    return get(n, at) // 4 if get(n, at) % 4 == 0 else get(n, at) / 4


for name in ("add", "sub"):
    op(f"t_{name}_alpha")(lambda x, n, c, f=getattr(torch, name): f(x[0], x[1], alpha=number(n, 0)))
    op(f"t_{name}_alpha_")(lambda x, n, c, f=getattr(torch.Tensor, name + "_"): f(x[0], x[1], alpha=number(n, 0)))
for name in ("addcmul", "addcdiv"):
    op(f"t_{name}")(lambda x, n, c, f=getattr(torch, name): f(x[0], x[1], x[2], value=number(n, 0)))
    op(f"t_{name}_")(lambda x, n, c, f=getattr(torch.Tensor, name + "_"): f(x[0], x[1], x[2], value=number(n, 0)))

# ---- in place ----
INPLACE = (
    UNARY.replace(" signbit", "") + " neg abs sign exp log sqrt rsqrt square reciprocal sin cos tanh sigmoid erf "
    "logical_not bitwise_not pow remainder fmod atan2 hypot xlogy copysign eq ne lt le gt ge logical_and logical_or "
    "logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift clamp clamp_min clamp_max "
    "lerp"
).split()
simple(" ".join(name + "_" for name in INPLACE), *(getattr(torch.Tensor, name + "_") for name in INPLACE))
op("t_relu_")(lambda x, n, c: torch.relu_(x[0]))
op("t_round_")(lambda x, n, c: x[0].round_(decimals=get(n, 0)) if get(n, 0) else x[0].round_())
op("t_logit_")(lambda x, n, c: x[0].logit_(get(n, 0) / 100 if get(n, 0) >= 0 else None))
op("t_nan_to_num_")(lambda x, n, c: x[0].nan_to_num_(get(n, 0) / 4, none_or(n, 1), none_or(n, 2)))
op("t_div_mode_")(
    lambda x, n, c: x[0].div_(x[1]) if get(n, 0) == 3 else x[0].div_(x[1], rounding_mode=MODES[get(n, 0)])
)
op("t_floor_divide_")(lambda x, n, c: x[0].floor_divide_(x[1]))
# PyTorch has no derivative for these, though it has one for each out of place
op("t_asinh_")(lambda x, n, c: torch.asinh(x[0]) if x[0].requires_grad else x[0].asinh_())
op("t_acosh_")(lambda x, n, c: torch.acosh(x[0] + 1) if x[0].requires_grad else x[0].add_(1).acosh_())
op("t_atanh_")(lambda x, n, c: torch.atanh(x[0]) if x[0].requires_grad else x[0].atanh_())
