"""The ops of random graphs: each function adds one op to the graph, or returns None where none fits.

An op with a jump or a kink is only put where every value is at least GAP away from that point, so that both libraries
take the same branch and a gradient is defined."""

import math

import torch

GAP = 1e-3
NONE = -1 << 63
OPS = []


def op(function):
    OPS.append(function)
    return function


def away(x, *points):
    return all(((x - point).abs() > GAP).all() for point in points)


def between(low, high):
    return lambda x: bool(((x > low + GAP) & (x < high - GAP)).all())


def is_far_from_integers(x):
    return bool(((x - x.round()).abs() > GAP).all() and ((x * 2 - (x * 2).round()).abs() > GAP).all())


def quotient_is_far(a, b):
    """a / b is far from an integer."""
    q = a / b
    return bool((b.abs() > 0.2).all() and q.isfinite().all() and ((q - q.round()).abs() > GAP).all())


def distinct(x):
    """No two values are near each other."""
    flat = x.reshape(-1).sort().values
    return bool((flat.diff() > GAP).all())


def overlaps(x):
    """Several elements share one memory location, as after expand or unfold."""
    offsets = torch.arange(x.untyped_storage().nbytes() // 8).as_strided(x.shape, x.stride(), x.storage_offset())
    return offsets.unique().numel() < offsets.numel()


def separated(g, shape):
    """A new leaf whose values are all distinct."""
    n = math.prod(shape)
    values = torch.randperm(n, generator=g.noise).double() + 0.5 * torch.rand(n, generator=g.noise, dtype=torch.float64)
    return g.constant((values * (3 / max(n, 1)) - 1.5).reshape(tuple(shape)), True)


def pick_distinct(g, fits=lambda x: True):
    found = g.pick(lambda x: fits(x) and distinct(x))
    return found if found is not None else g.pick(lambda x: False)


anything = lambda x: True  # noqa: E731
ranked = lambda x: x.dim() > 0  # noqa: E731
full = lambda x: x.numel() > 0 and x.dim() > 0  # noqa: E731

# ---- one input, a value at a time: name, torch's expression, where it is smooth ----

UNARY = [
    ("t_neg", "-{x}", anything),
    ("t_abs", "{x}.abs()", lambda x: away(x, 0)),
    ("t_exp", "{x}.exp()", between(-9, 3)),
    ("t_log", "{x}.log()", between(0.05, 99)),
    ("t_sqrt", "{x}.sqrt()", between(0.05, 99)),
    ("t_rsqrt", "{x}.rsqrt()", between(0.1, 99)),
    ("t_square", "{x}.square()", anything),
    ("t_reciprocal", "{x}.reciprocal()", lambda x: bool((x.abs() > 0.1).all())),
    ("t_sin", "{x}.sin()", anything),
    ("t_cos", "{x}.cos()", anything),
    ("t_tanh", "{x}.tanh()", anything),
    ("t_sigmoid", "{x}.sigmoid()", anything),
    ("t_erf", "{x}.erf()", anything),
    ("t_relu", "{x}.relu()", lambda x: away(x, 0)),
    ("t_exp2", "{x}.exp2()", between(-9, 4)),
    ("t_expm1", "{x}.expm1()", between(-9, 3)),
    ("t_log2", "{x}.log2()", between(0.05, 99)),
    ("t_log10", "{x}.log10()", between(0.05, 99)),
    ("t_log1p", "{x}.log1p()", between(-0.9, 99)),
    ("t_erfc", "{x}.erfc()", between(-3, 3)),
    ("t_erfinv", "{x}.erfinv()", between(-0.9, 0.9)),
    ("t_tan", "{x}.tan()", between(-1.4, 1.4)),
    ("t_asin", "{x}.asin()", between(-0.9, 0.9)),
    ("t_acos", "{x}.acos()", between(-0.9, 0.9)),
    ("t_atan", "{x}.atan()", anything),
    ("t_sinh", "{x}.sinh()", between(-4, 4)),
    ("t_cosh", "{x}.cosh()", between(-4, 4)),
    ("t_asinh", "{x}.asinh()", anything),
    ("t_acosh", "{x}.acosh()", between(1.1, 99)),
    ("t_atanh", "{x}.atanh()", between(-0.9, 0.9)),
    ("t_floor", "{x}.floor()", lambda x: is_far_from_integers(x)),
    ("t_ceil", "{x}.ceil()", lambda x: is_far_from_integers(x)),
    ("t_trunc", "{x}.trunc()", lambda x: is_far_from_integers(x)),
    ("t_frac", "{x}.frac()", lambda x: is_far_from_integers(x)),
    ("F_silu", "F.silu({x})", anything),
    ("F_mish", "F.mish({x})", anything),
    ("F_softsign", "F.softsign({x})", anything),
    ("F_logsigmoid", "F.logsigmoid({x})", anything),
    ("F_tanhshrink", "F.tanhshrink({x})", lambda x: bool((x.abs() > 0.1).all())),
    ("t_selu", "F.selu({x})", lambda x: away(x, 0)),
    ("t_sign", "{x}.sign()", lambda x: away(x, 0)),
    ("t_clone", "{x}.clone()", anything),
    ("t_contiguous", "{x}.contiguous()", anything),
    ("t_detach", "{x}.detach()", anything),
    ("F_gelu", "F.gelu({x})", anything),
]
FURTHER = {"F_gelu": [("s", "none")], "F_silu": [("b", False)], "F_mish": [("b", False)]}


@op
def unary(g):
    function, expression, smooth = g.rng.choice(UNARY)
    i = g.pick(smooth)
    if i is None:
        return None
    return g.call(function, [("n", i)] + FURTHER.get(function, []), expression.format(x=f"x{i}"))


# ---- two inputs ----

apart = lambda a: lambda b: bool((a - b).abs().gt(GAP).all())  # noqa: E731
BINARY = [
    ("t_add", "{a} + {b}", anything, lambda a: anything),
    ("t_sub", "{a} - {b}", anything, lambda a: anything),
    ("t_mul", "{a} * {b}", anything, lambda a: anything),
    ("t_div", "{a} / {b}", anything, lambda a: lambda b: bool((b.abs() > 0.2).all())),
    ("t_pow", "{a} ** {b}", between(0.1, 4), lambda a: between(-3, 3)),
    ("t_atan2", "torch.atan2({a}, {b})", lambda x: bool((x.abs() > 0.1).all()), lambda a: anything),
    ("t_hypot", "torch.hypot({a}, {b})", lambda x: bool((x.abs() > 0.1).all()), lambda a: anything),
    ("t_logaddexp", "torch.logaddexp({a}, {b})", anything, lambda a: anything),
    ("t_xlogy", "torch.xlogy({a}, {b})", lambda x: away(x, 0), lambda a: between(0.05, 99)),
    ("t_remainder", "torch.remainder({a}, {b})", anything, lambda a: lambda b: quotient_is_far(a, b)),
    ("t_fmod", "torch.fmod({a}, {b})", anything, lambda a: lambda b: quotient_is_far(a, b)),
    ("t_fmax", "torch.fmax({a}, {b})", anything, apart),
    ("t_fmin", "torch.fmin({a}, {b})", anything, apart),
    ("t_maximum", "torch.maximum({a}, {b})", anything, apart),
    ("t_minimum", "torch.minimum({a}, {b})", anything, apart),
]


@op
def binary(g):
    function, expression, fits_a, fits_b = g.rng.choice(BINARY)
    i = g.pick(fits_a)
    if i is None:
        return None
    j = g.partner(g[i], fits_b(g[i]) if fits_b is not apart else anything)
    if fits_b is apart and not apart(g[i])(g[j]):
        return None
    if fits_b is not apart and not fits_b(g[i])(g[j]):
        return None
    return g.call(function, [("n", i), ("n", j)], expression.format(a=f"x{i}", b=f"x{j}"))


@op
def with_a_number(g):
    function, sign = g.rng.choice([("t_add", "+"), ("t_sub", "-"), ("t_mul", "*"), ("t_div", "/")])
    i, value = g.pick(), g.rng.choice([-2.5, -0.75, 0.5, 1.25, 3.0])
    if i is None:
        return None
    if g.rng.random() < 0.5 or not (g[i].abs() > 0.2).all():
        return g.call(function, [("n", i), ("x", value)], f"x{i} {sign} {value}")
    return g.call(function, [("x", value), ("n", i)], f"{value} {sign} x{i}")


@op
def choose(g):
    i = g.pick()
    if i is None:
        return None
    j = g.partner(g[i])
    m = g.mask(torch.broadcast_shapes(g[i].shape, g[j].shape))
    return g.call("t_where", [("n", m), ("n", i), ("n", j)], f"torch.where(x{m}, x{i}, x{j})")


@op
def three(g):
    """lerp, addcmul, addcdiv: x with two others that broadcast with it."""
    i = g.pick()
    if i is None:
        return None
    a, b = g.partner(g[i]), g.partner(g[i], lambda y: bool((y.abs() > 0.2).all()))
    value = g.rng.choice([0.5, -1.5, 1.0])
    function = g.rng.choice(["lerp", "addcmul", "addcdiv"])
    if function == "lerp":
        return g.call("t_lerp", [("n", i), ("n", a), ("n", b)], f"torch.lerp(x{i}, x{a}, x{b})")
    if not (g[b].abs() > 0.2).all():
        return None
    return g.call(
        "t_" + function,
        [("n", i), ("n", a), ("n", b), ("d", value)],
        f"torch.{function}(x{i}, x{a}, x{b}, value={value})",
    )


@op
def clamp(g):
    i = g.pick(lambda x: away(x, -0.75, 1.25))
    if i is None:
        return None
    return g.call("t_clamp", [("n", i), ("x", -0.75), ("x", 1.25)], f"x{i}.clamp(-0.75, 1.25)")


@op
def fill(g):
    i = g.pick()
    if i is None:
        return None
    m = g.mask(g[i].shape[g.rng.randrange(g[i].dim() + 1) :])
    return g.call("t_masked_fill", [("n", i), ("n", m), ("x", 0.5)], f"x{i}.masked_fill(x{m}, 0.5)")


import vocabulary_layers  # noqa: E402, F401
import vocabulary_products  # noqa: E402, F401
import vocabulary_shapes  # noqa: E402, F401
