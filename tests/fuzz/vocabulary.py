"""What a random graph may be made of: each function adds one op to the graph, or returns None where none fits.

An op that jumps or bends is only put where every value is at least GAP away from the point, so that both sides take the
same branch and a gradient is defined."""
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


def whole_is_far(x):
    return bool(((x - x.round()).abs() > GAP).all() and ((x * 2 - (x * 2).round()).abs() > GAP).all())


def distinct(x):
    """No two values are near each other."""
    flat = x.reshape(-1).sort().values
    return bool((flat.diff() > GAP).all())


def separated(g, shape):
    """A new leaf whose values are all distinct."""
    n = math.prod(shape)
    values = (torch.randperm(n, generator=g.noise).double() + 0.5 * torch.rand(n, generator=g.noise, dtype=torch.float64))
    return g.constant((values * (3 / max(n, 1)) - 1.5).reshape(tuple(shape)), True)


def pick_distinct(g, fits=lambda x: True):
    found = g.pick(lambda x: fits(x) and distinct(x))
    return found if found is not None else g.pick(lambda x: False)


anything = lambda x: True  # noqa: E731
ranked = lambda x: x.dim() > 0  # noqa: E731
full = lambda x: x.numel() > 0 and x.dim() > 0  # noqa: E731

# ---- one input, a value at a time: name, torch's expression, where it is smooth ----

UNARY = [
    ("t_neg", "-{x}", anything), ("t_abs", "{x}.abs()", lambda x: away(x, 0)), ("t_exp", "{x}.exp()", between(-9, 3)),
    ("t_log", "{x}.log()", between(0.05, 99)), ("t_sqrt", "{x}.sqrt()", between(0.05, 99)),
    ("t_rsqrt", "{x}.rsqrt()", between(0.1, 99)), ("t_square", "{x}.square()", anything),
    ("t_reciprocal", "{x}.reciprocal()", lambda x: bool((x.abs() > 0.1).all())), ("t_sin", "{x}.sin()", anything),
    ("t_cos", "{x}.cos()", anything), ("t_tanh", "{x}.tanh()", anything), ("t_sigmoid", "{x}.sigmoid()", anything),
    ("t_erf", "{x}.erf()", anything), ("t_relu", "{x}.relu()", lambda x: away(x, 0)),
    ("t_sign", "{x}.sign()", lambda x: away(x, 0)), ("t_clone", "{x}.clone()", anything),
    ("t_contiguous", "{x}.contiguous()", anything), ("t_detach", "{x}.detach()", anything),
    ("F_gelu", "F.gelu({x})", anything),
]


@op
def unary(g):
    function, expression, smooth = g.rng.choice(UNARY)
    i = g.pick(smooth)
    if i is None:
        return None
    arguments = [("n", i), ("s", "none")] if function == "F_gelu" else [("n", i)]
    return g.call(function, arguments, expression.format(x=f"x{i}"))


# ---- two inputs ----

apart = lambda a: lambda b: bool((a - b).abs().gt(GAP).all())  # noqa: E731
BINARY = [
    ("t_add", "{a} + {b}", anything, lambda a: anything), ("t_sub", "{a} - {b}", anything, lambda a: anything),
    ("t_mul", "{a} * {b}", anything, lambda a: anything),
    ("t_div", "{a} / {b}", anything, lambda a: lambda b: bool((b.abs() > 0.2).all())),
    ("t_pow", "{a} ** {b}", between(0.1, 4), lambda a: between(-3, 3)),
    ("t_maximum", "torch.maximum({a}, {b})", anything, apart), ("t_minimum", "torch.minimum({a}, {b})", anything, apart),
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
def fill(g):
    i = g.pick()
    if i is None:
        return None
    m = g.mask(g[i].shape[g.rng.randrange(g[i].dim() + 1):])
    return g.call("t_masked_fill", [("n", i), ("n", m), ("x", 0.5)], f"x{i}.masked_fill(x{m}, 0.5)")


# ---- shapes ----

@op
def reshape(g):
    i = g.pick(full)
    if i is None:
        return None
    shape = list(g[i].shape)
    for _ in range(g.rng.randrange(1, 4)):
        if len(shape) > 1 and g.rng.random() < 0.6:
            d = g.rng.randrange(len(shape) - 1)
            shape[d:d + 2] = [shape[d] * shape[d + 1]]
        elif len(shape) < 5:
            d = g.rng.randrange(len(shape))
            factors = [f for f in (2, 3, 1) if shape[d] % f == 0]
            factor = g.rng.choice(factors)
            shape[d:d + 1] = [factor, shape[d] // factor]
    given = list(shape)
    if given and g.rng.random() < 0.3:
        given[g.rng.randrange(len(given))] = -1
    function = g.rng.choice(["reshape", "reshape", "view"])
    return g.call("t_" + function, [("n", i), ("a", given)], f"x{i}.{function}({given})")


@op
def transpose(g):
    i = g.pick(ranked)
    if i is None:
        return None
    a, b = g.dim(g[i]), g.dim(g[i])
    return g.call("t_transpose", [("n", i), ("i", a), ("i", b)], f"x{i}.transpose({a}, {b})")


@op
def permute(g):
    i = g.pick(ranked)
    if i is None:
        return None
    dims = g.rng.sample(range(g[i].dim()), g[i].dim())
    return g.call("t_permute", [("n", i), ("a", dims)], f"x{i}.permute({dims})")


@op
def expand(g):
    i = g.pick(lambda x: x.dim() < 5)
    if i is None:
        return None
    sizes = [g.rng.choice([2, 3]) if n == 1 and g.rng.random() < 0.7 else g.rng.choice([n, -1]) for n in g[i].shape]
    sizes = [g.rng.choice([1, 2, 3])] * g.rng.randrange(2) + sizes
    return g.call("t_expand", [("n", i), ("a", sizes)], f"x{i}.expand({sizes})")


@op
def repeat(g):
    i = g.pick(lambda x: x.dim() < 5)
    if i is None:
        return None
    counts = [g.rng.choice([1, 1, 2]) for _ in range(g[i].dim() + g.rng.randrange(2))]
    return g.call("t_repeat", [("n", i), ("a", counts)], f"x{i}.repeat({counts})")


@op
def squeeze(g):
    i = g.pick(lambda x: x.dim() < 5)
    if i is None:
        return None
    d = g.rng.randrange(-g[i].dim() - 1, g[i].dim() + 1)
    if g.rng.random() < 0.5 or g[i].dim() == 0:
        return g.call("t_unsqueeze", [("n", i), ("i", d)], f"x{i}.unsqueeze({d})")
    d = g.dim(g[i])
    return g.call("t_squeeze", [("n", i), ("i", d)], f"x{i}.squeeze({d})")


@op
def narrow(g):
    i = g.pick(full)
    if i is None:
        return None
    d = g.dim(g[i])
    n = g[i].shape[d]
    start = g.rng.randrange(n)
    if g.rng.random() < 0.3:
        return g.call("t_select", [("n", i), ("i", d), ("i", start)], f"x{i}.select({d}, {start})")
    stop, step = g.rng.randrange(start + 1, n + 1), g.rng.choice([1, 1, 2])
    expression = f"torch.ops.aten.slice(x{i}, {d}, {start}, {stop}, {step})"
    return g.call("t_slice", [("n", i), ("i", d), ("i", start), ("i", stop), ("i", step)], expression)


@op
def part(g):
    i = g.pick(full)
    if i is None:
        return None
    d = g.dim(g[i])
    function = g.rng.choice(["chunk", "split", "unbind"])
    if function == "unbind":
        k = g.rng.randrange(g[i].shape[d])
        return g.call("t_unbind", [("n", i), ("i", d)], f"x{i}.unbind({d})[{k}]", item=k)
    size = g.rng.randrange(1, g[i].shape[d] + 1)
    k = g.rng.randrange(len(getattr(torch, function)(g[i].detach(), size, d)))
    return g.call("t_" + function, [("n", i), ("i", size), ("i", d)], f"x{i}.{function}({size}, {d})[{k}]", item=k)


@op
def join(g):
    i = g.pick(full)
    if i is None:
        return None
    d = g.dim(g[i])
    others = [j for j in g.usable if g[j].shape == g[i].shape]
    parts = [i] + g.rng.choices(others, k=g.rng.randrange(1, 3))
    g.rng.shuffle(parts)
    function = g.rng.choice(["cat", "stack"])
    names = ", ".join(f"x{j}" for j in parts)
    return g.call("t_" + function, [("l", parts), ("i", d)], f"torch.{function}([{names}], {d})")


@op
def triangle(g):
    i = g.pick(lambda x: x.dim() >= 2)
    if i is None:
        return None
    k, function = g.rng.randrange(-2, 3), g.rng.choice(["tril", "triu"])
    return g.call("t_" + function, [("n", i), ("i", k)], f"torch.{function}(x{i}, {k})")


@op
def diagonal(g):
    i = g.pick(lambda x: x.dim() >= 2)
    if i is None:
        return None
    a, b = g.rng.sample(range(g[i].dim()), 2)
    k = g.rng.randrange(-1, 2)
    return g.call("t_diagonal", [("n", i), ("i", k), ("i", a), ("i", b)], f"torch.diagonal(x{i}, {k}, {a}, {b})")


# ---- reductions, and ops along one dim ----

@op
def reduce(g):
    i = g.pick()
    if i is None:
        return None
    dims, keep = g.dims(g[i]), g.rng.random() < 0.5
    function = g.rng.choice(["sum", "mean", "var", "amax", "amin"])
    if function in ("amax", "amin") and not distinct(g[i]):
        return None
    listed = dims or list(range(g[i].dim()))
    if function == "var":
        if math.prod(g[i].shape[d] for d in listed) < 2:
            return None
        return g.call("t_var", [("n", i), ("a", dims), ("d", 1.0), ("b", keep)],
                      f"x{i}.var({listed}, correction=1, keepdim={keep})")
    return g.call("t_" + function, [("n", i), ("a", dims), ("b", keep)], f"x{i}.{function}({listed}, keepdim={keep})")


@op
def extreme(g):
    i = g.pick(lambda x: full(x) and distinct(x))
    if i is None:
        return None
    d, keep, function = g.dim(g[i]), g.rng.random() < 0.5, g.rng.choice(["max", "min"])
    return g.call("t_" + function, [("n", i), ("i", d), ("b", keep), ("t", None)], f"x{i}.{function}({d}, {keep}).values")


@op
def softmax(g):
    i = g.pick(full)
    if i is None:
        return None
    d, function = g.dim(g[i]), g.rng.choice(["softmax", "log_softmax"])
    return g.call("t_" + function, [("n", i), ("i", d)], f"x{i}.{function}({d})")


@op
def layer_norm(g):
    i = g.pick(lambda x: full(x) and x.shape[-1] > 1 and bool((x.var(-1) > 0.05).all()))
    if i is None:
        return None
    n = g[i].shape[-1]
    w, b = g.leaf([n], 0.5, 1.5), g.leaf([n])
    return g.call("F_layer_norm", [("n", i), ("a", [n]), ("n", w), ("n", b), ("d", 1e-5)],
                  f"F.layer_norm(x{i}, [{n}], x{w}, x{b})")


# ---- products ----

@op
def matmul(g):
    i = g.pick(full)
    if i is None:
        return None
    k = g[i].shape[-1]
    j = g.pick(lambda y: y.dim() > 0 and y.shape[-2 if y.dim() > 1 else -1] == k)
    if j is None or g.rng.random() < 0.3:
        j = g.leaf([k, g.rng.choice([1, 2, 3])])
    return g.call("t_matmul", [("n", i), ("n", j)], f"x{i} @ x{j}")


@op
def linear(g):
    i = g.pick(full)
    if i is None:
        return None
    n = g.rng.choice([1, 2, 3])
    w, b = g.leaf([n, g[i].shape[-1]]), g.leaf([n])
    return g.call("F_linear", [("n", i), ("n", w), ("n", b)], f"F.linear(x{i}, x{w}, x{b})")


@op
def einsum(g):
    i = g.pick(lambda x: 1 <= x.dim() <= 3)
    if i is None:
        return None
    letters = g.rng.sample("abc", g[i].dim())
    other = [c for c in letters if g.rng.random() < 0.6] + ["d"] * g.rng.randrange(2)
    sizes = {**dict(zip(letters, g[i].shape)), "d": 2}
    j = g.leaf([sizes[c] for c in other])
    out = [c for c in dict.fromkeys(letters + other) if g.rng.random() < 0.6]
    g.rng.shuffle(out)
    equation = f"{''.join(letters)},{''.join(other)}->{''.join(out)}"
    return g.call("t_einsum", [("s", equation), ("l", [i, j])], f"torch.einsum('{equation}', x{i}, x{j})")


# ---- by index ----

@op
def gather(g):
    i = g.pick(full)
    if i is None:
        return None
    d = g.dim(g[i])
    n = g[i].shape[d]
    if g.rng.random() < 0.5:
        k = g.index([g.rng.choice([1, 2, 3])], n)
        return g.call("t_index_select", [("n", i), ("i", d), ("n", k)], f"x{i}.index_select({d}, x{k})")
    shape = list(g[i].shape)
    shape[d] = g.rng.choice([1, 2, 3])
    k = g.index(shape, n)
    return g.call("t_gather", [("n", i), ("i", d), ("n", k)], f"x{i}.gather({d}, x{k})")


# ---- in place: into what an op has made, itself or through a view ----

@op
def inplace(g):
    written = [i for i in g.usable if not g[i].is_leaf and not overlaps(g[i])]
    if not written:
        return None
    i = g.rng.choice(written)
    if g.rng.random() < 0.2:
        return g.call("t_zero_", [("n", i)], f"x{i}.zero_()", inplace=True)
    j = g.leaf(g[i].shape[g.rng.randrange(g[i].dim() + 1):], 0.5, 1.5)
    function = g.rng.choice(["add_", "sub_", "mul_", "div_", "copy_"])
    return g.call("t_" + function, [("n", i), ("n", j)], f"x{i}.{function}(x{j})", inplace=True)


def overlaps(x):
    return any(n > 1 and s == 0 for n, s in zip(x.shape, x.stride()))
