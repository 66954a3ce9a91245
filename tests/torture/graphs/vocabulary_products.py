"""The part of the vocabulary with reductions, products, indexing and in-place ops."""

import math

import torch

from vocabulary import anything, away, between, distinct, full, op, overlaps

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
        return g.call(
            "t_var",
            [("n", i), ("a", dims), ("d", 1.0), ("b", keep)],
            f"x{i}.var({listed}, correction=1, keepdim={keep})",
        )
    return g.call("t_" + function, [("n", i), ("a", dims), ("b", keep)], f"x{i}.{function}({listed}, keepdim={keep})")


@op
def extreme(g):
    i = g.pick(lambda x: full(x) and distinct(x))
    if i is None:
        return None
    d, keep, function = g.dim(g[i]), g.rng.random() < 0.5, g.rng.choice(["max", "min"])
    return g.call(
        "t_" + function, [("n", i), ("i", d), ("b", keep), ("t", None)], f"x{i}.{function}({d}, {keep}).values"
    )


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
    return g.call(
        "F_layer_norm",
        [("n", i), ("a", [n]), ("n", w), ("n", b), ("d", 1e-5)],
        f"F.layer_norm(x{i}, [{n}], x{w}, x{b})",
    )


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


@op
def index(g):
    """x[mask], x[rows, :, columns] and the like."""
    i = g.pick(full)
    if i is None:
        return None
    kind = g.rng.choice(["mask", "rows", "both"])
    if kind == "mask":
        m = g.constant(torch.rand(g[i].shape[: g.rng.randrange(1, g[i].dim() + 1)], generator=g.noise) < 0.6)
        return g.call("t_at", [("n", i), ("s", "{}"), ("v", [m])], f"x{i}[x{m}]")
    rows = g.index([g.rng.choice([1, 2, 3])], g[i].shape[0])
    if kind == "rows" or g[i].dim() < 2:
        return g.call("t_at", [("n", i), ("s", "{}"), ("v", [rows])], f"x{i}[x{rows}]")
    columns = g.index([g[rows].shape[0]], g[i].shape[-1])
    return g.call("t_at", [("n", i), ("s", "{}, ..., {}"), ("v", [rows, columns])], f"x{i}[x{rows}, ..., x{columns}]")


# ---- in place: into what an op has made, itself or through a view ----


@op
def inplace(g):
    written = [i for i in g.usable if not g[i].is_leaf and not overlaps(g[i])]
    if not written:
        return None
    i = g.rng.choice(written)
    if g.rng.random() < 0.2:
        return g.call("t_zero_", [("n", i)], f"x{i}.zero_()", inplace=True)
    if g.rng.random() < 0.3:
        function, fits = g.rng.choice(
            [
                ("exp_", between(-9, 2)),
                ("tanh_", anything),
                ("sigmoid_", anything),
                ("sin_", anything),
                ("square_", anything),
                ("neg_", anything),
                ("relu_", lambda x: away(x, 0)),
                ("sqrt_", between(0.05, 99)),
                ("log_", between(0.05, 99)),
            ]
        )
        return g.call("t_" + function, [("n", i)], f"x{i}.{function}()", inplace=True) if fits(g[i].detach()) else None
    j = g.leaf(g[i].shape[g.rng.randrange(g[i].dim() + 1) :], 0.5, 1.5)
    function = g.rng.choice(["add_", "sub_", "mul_", "div_", "copy_"])
    return g.call("t_" + function, [("n", i), ("n", j)], f"x{i}.{function}(x{j})", inplace=True)
