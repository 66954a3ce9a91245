"""The part of the vocabulary with views, cat and stack, and rearrangements."""

import math

import torch

from vocabulary import full, op, ranked


@op
def reshape(g):
    i = g.pick(full)
    if i is None:
        return None
    shape = list(g[i].shape)
    for _ in range(g.rng.randrange(1, 4)):
        if len(shape) > 1 and g.rng.random() < 0.6:
            d = g.rng.randrange(len(shape) - 1)
            shape[d : d + 2] = [shape[d] * shape[d + 1]]
        elif len(shape) < 5:
            d = g.rng.randrange(len(shape))
            factors = [f for f in (2, 3, 1) if shape[d] % f == 0]
            factor = g.rng.choice(factors)
            shape[d : d + 1] = [factor, shape[d] // factor]
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


@op
def flip(g):
    i = g.pick(ranked)
    if i is None:
        return None
    dims = g.dims(g[i])
    if g.rng.random() < 0.5:
        return g.call("t_flip", [("n", i), ("a", dims)], f"x{i}.flip({dims})")
    dims = dims or [0]
    shifts = [g.rng.randrange(-3, 4) for _ in dims]
    return g.call("t_roll", [("n", i), ("a", shifts), ("a", dims)], f"x{i}.roll({shifts}, {dims})")


@op
def moved(g):
    i = g.pick(ranked)
    if i is None:
        return None
    a, b = g.dim(g[i]), g.dim(g[i])
    return g.call("t_movedim", [("n", i), ("a", [a]), ("a", [b])], f"x{i}.movedim({a}, {b})")


@op
def windows(g):
    i = g.pick(lambda x: full(x) and x.dim() < 5)
    if i is None:
        return None
    d = g.dim(g[i])
    size, step = g.rng.randrange(1, g[i].shape[d] + 1), g.rng.choice([1, 2])
    return g.call("t_unfold", [("n", i), ("i", d), ("i", size), ("i", step)], f"x{i}.unfold({d}, {size}, {step})")


@op
def repeat_each(g):
    i = g.pick(full)
    if i is None:
        return None
    d = g.dim(g[i])
    counts = g.constant(torch.tensor([g.rng.choice([0, 1, 2, 2]) for _ in range(g[i].shape[d])]))
    return g.call("t_repeat_interleave", [("n", i), ("n", counts), ("i", d)], f"x{i}.repeat_interleave(x{counts}, {d})")


@op
def on_a_diagonal(g):
    i = g.pick(lambda x: 1 <= x.dim() < 5)
    if i is None:
        return None
    if g[i].dim() <= 2 and g.rng.random() < 0.5:
        k = g.rng.randrange(-1, 2)
        return g.call("t_diag", [("n", i), ("i", k)], f"torch.diag(x{i}, {k})")
    k = g.rng.randrange(-1, 2)
    return g.call("t_diag_embed", [("n", i), ("i", k), ("i", -2), ("i", -1)], f"torch.diag_embed(x{i}, {k})")


@op
def transpose_in_place(g):
    """transpose_ and the like change a tensor's shape and strides in place."""
    found = [i for i in g.usable if not g[i].is_leaf and g[i].dim() >= 2]
    if not found or g.rng.random() < 0.5:
        return None
    i = g.rng.choice(found)
    a, b = g.dim(g[i]), g.dim(g[i])
    return g.call("t_transpose_", [("n", i), ("i", a), ("i", b)], f"x{i}.transpose_({a}, {b})", inplace=True)
