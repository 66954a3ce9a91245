"""The part of the vocabulary with scans, sorts, scatters, rarer products, layers and losses."""

import torch

from vocabulary import distinct, full, op, overlaps, ranked

WIDE = lambda x: full(x) and x.abs().max() < 3  # noqa: E731


@op
def reduce_scan(g):
    i = g.pick(full)
    if i is None:
        return None
    d, keep = g.dim(g[i]), g.rng.random() < 0.5
    function = g.rng.choice(["prod", "std", "norm", "logsumexp", "cumsum", "cumprod", "logcumsumexp"])
    if function in ("prod", "cumprod") and not ((g[i].abs() > 0.05).all() and g[i].abs().max() < 3):
        return None
    if function == "std" and (g[i].shape[d] < 2 or not (g[i].var(d) > 0.05).all()):
        return None
    if function == "norm" and (g[i].shape[d] < 2 or not (g[i].norm(dim=d) > 0.1).all()):
        return None
    if function == "prod":
        return g.call("t_prod", [("n", i), ("i", d), ("b", keep), ("i", 0)], f"x{i}.prod({d}, {keep})")
    if function == "std":
        return g.call("t_std", [("n", i), ("a", [d]), ("d", 1.0), ("b", keep)], f"x{i}.std({d}, keepdim={keep})")
    if function == "norm":
        return g.call("t_norm", [("n", i), ("d", 2.0), ("a", [d]), ("b", keep), ("i", 0)], f"x{i}.norm(2, {d}, {keep})")
    if function == "logsumexp":
        return g.call("t_logsumexp", [("n", i), ("a", [d]), ("b", keep)], f"x{i}.logsumexp({d}, {keep})")
    further = [] if function == "logcumsumexp" else [("i", 0)]
    return g.call("t_" + function, [("n", i), ("i", d)] + further, f"x{i}.{function}({d})")


@op
def order(g):
    i = g.pick(lambda x: full(x) and distinct(x))
    if i is None:
        return None
    d = g.dim(g[i])
    n = g[i].shape[d]
    function = g.rng.choice(["sort", "topk", "kthvalue", "median", "cummax"])
    if function == "sort":
        down = g.rng.random() < 0.5
        return g.call(
            "t_sort", [("n", i), ("i", d), ("b", down), ("b", False), ("t", None)], f"x{i}.sort({d}, {down}).values"
        )
    k = g.rng.randrange(1, n + 1)
    if function == "topk":
        return g.call(
            "t_topk",
            [("n", i), ("i", k), ("i", d), ("b", True), ("b", True), ("t", None)],
            f"x{i}.topk({k}, {d}).values",
        )
    if function == "kthvalue":
        return g.call(
            "t_kthvalue", [("n", i), ("i", k), ("i", d), ("b", False), ("t", None)], f"x{i}.kthvalue({k}, {d}).values"
        )
    if function == "median":
        return g.call("t_median", [("n", i), ("i", d), ("b", True), ("t", None)], f"x{i}.median({d}, True).values")
    return g.call("t_cummax", [("n", i), ("i", d), ("t", None)], f"x{i}.cummax({d}).values")


@op
def scatter(g):
    i = g.pick(full)
    if i is None:
        return None
    d = g.dim(g[i])
    n, shape = g[i].shape[d], list(g[i].shape)
    function = g.rng.choice(["scatter_add", "scatter", "index_add", "index_copy", "index_fill"])
    if function.startswith("scatter"):
        index = torch.rand(shape, generator=g.noise).argsort(d)  # every index once
        if function == "scatter_add":
            index = index // 2
        k, src = g.constant(index), g.leaf(shape)
        return g.call(
            "t_" + function, [("n", i), ("i", d), ("n", k), ("n", src)], f"x{i}.{function}({d}, x{k}, x{src})"
        )
    count = g.rng.randrange(1, n + 1)
    k = g.constant(torch.randperm(n, generator=g.noise)[:count])
    shape[d] = count
    if function == "index_fill":
        return g.call("t_index_fill", [("n", i), ("i", d), ("n", k), ("x", 0.75)], f"x{i}.index_fill({d}, x{k}, 0.75)")
    src = g.leaf(shape)
    if function == "index_add":
        return g.call(
            "t_index_add",
            [("n", i), ("i", d), ("n", k), ("n", src), ("d", 1.5)],
            f"x{i}.index_add({d}, x{k}, x{src}, alpha=1.5)",
        )
    return g.call("t_index_copy", [("n", i), ("i", d), ("n", k), ("n", src)], f"x{i}.index_copy({d}, x{k}, x{src})")


@op
def put(g):
    """x[index] = y in place, by a mask and by rows."""
    found = [i for i in g.usable if not g[i].is_leaf and full(g[i]) and not overlaps(g[i])]
    if not found:
        return None
    i = g.rng.choice(found)
    rows = g.constant(torch.randperm(g[i].shape[0], generator=g.noise)[:2])
    y = g.leaf([g[rows].numel()] + list(g[i].shape[1:]))
    return g.call(
        "t_index_put_",
        [("n", i), ("l", [rows]), ("n", y), ("b", False)],
        f"x{i}.index_put_([x{rows}], x{y})",
        inplace=True,
    )


@op
def products(g):
    """Without kron: PyTorch does not notice a write to its operand, and its gradient is then wrong."""
    i = g.pick(lambda x: WIDE(x) and x.dim() in (1, 2, 3))
    if i is None:
        return None
    x = g[i]
    if x.dim() == 1:
        j = g.leaf([g.rng.choice([2, 3])])
        return g.call("t_outer", [("n", i), ("n", j)], f"torch.outer(x{i}, x{j})")
    if x.dim() == 3:
        a, b = g.leaf([x.shape[0], x.shape[1], 2]), g.leaf([x.shape[0], 2, x.shape[2]])
        return g.call(
            "t_baddbmm",
            [("n", i), ("n", a), ("n", b), ("d", 0.5), ("d", 1.5)],
            f"torch.baddbmm(x{i}, x{a}, x{b}, beta=0.5, alpha=1.5)",
        )
    function = g.rng.choice(["addmm", "mv", "tensordot"])
    if function == "addmm":
        a, b = g.leaf([x.shape[0], 2]), g.leaf([2, x.shape[1]])
        return g.call(
            "t_addmm",
            [("n", i), ("n", a), ("n", b), ("d", 2.0), ("d", -0.5)],
            f"torch.addmm(x{i}, x{a}, x{b}, beta=2.0, alpha=-0.5)",
        )
    if function == "mv":
        j = g.leaf([x.shape[1]])
        return g.call("t_mv", [("n", i), ("n", j)], f"torch.mv(x{i}, x{j})")
    j = g.leaf([2, x.shape[0]])
    return g.call(
        "t_tensordot", [("n", i), ("n", j), ("a", [0]), ("a", [1])], f"torch.tensordot(x{i}, x{j}, ([0], [1]))"
    )


@op
def layers(g):
    function = g.rng.choice(["softplus", "elu", "leaky_relu", "glu", "rms_norm", "group_norm", "pad"])
    if function in ("softplus", "elu", "leaky_relu"):
        i = g.pick(lambda x: bool((x.abs() > 1e-3).all() and x.abs().max() < 15))
        if i is None:
            return None
        if function == "softplus":
            return g.call("F_softplus", [("n", i), ("d", 1.5), ("d", 20.0)], f"F.softplus(x{i}, 1.5, 20.0)")
        value = 0.75 if function == "elu" else 0.1
        return g.call("F_" + function, [("n", i), ("d", value), ("b", False)], f"F.{function}(x{i}, {value})")
    if function == "glu":
        i = g.pick(lambda x: full(x) and x.shape[-1] % 2 == 0)
        return None if i is None else g.call("F_glu", [("n", i), ("i", -1)], f"F.glu(x{i}, -1)")
    if function == "rms_norm":
        i = g.pick(lambda x: full(x) and bool((x.square().mean(-1) > 0.05).all()))
        if i is None:
            return None
        n = g[i].shape[-1]
        w = g.leaf([n], 0.5, 1.5)
        return g.call(
            "F_rms_norm", [("n", i), ("a", [n]), ("n", w), ("d", 1e-5)], f"F.rms_norm(x{i}, [{n}], x{w}, 1e-5)"
        )
    if function == "group_norm":
        i = g.pick(
            lambda x: x.dim() >= 3 and x.numel() and x[0, 0].numel() > 1 and bool((x.flatten(2).var(-1) > 0.05).all())
        )
        if i is None:
            return None
        c = g[i].shape[1]
        w, b = g.leaf([c], 0.5, 1.5), g.leaf([c])
        return g.call(
            "F_group_norm",
            [("n", i), ("i", c), ("n", w), ("n", b), ("d", 1e-5)],
            f"F.group_norm(x{i}, {c}, x{w}, x{b}, 1e-5)",
        )
    i = g.pick(ranked)
    if i is None:
        return None
    pad = [g.rng.randrange(0, 3), g.rng.randrange(-1 if g[i].shape[-1] > 1 else 0, 3)]
    return g.call(
        "F_pad", [("n", i), ("a", pad), ("s", "constant"), ("d", 0.5)], f"F.pad(x{i}, {pad}, 'constant', 0.5)"
    )


@op
def losses(g):
    i = g.pick(WIDE)
    if i is None:
        return None
    j = g.leaf(g[i].shape, 4, 6)
    function = g.rng.choice(["smooth_l1_loss", "cosine_similarity", "normalize"])
    if function == "smooth_l1_loss":
        how = g.rng.choice(["mean", "sum", "none"])
        return g.call(
            "F_smooth_l1_loss",
            [("n", i), ("n", j), ("s", how), ("d", 0.5)],
            f"F.smooth_l1_loss(x{i}, x{j}, reduction='{how}', beta=0.5)",
        )
    if (
        g[i].dim() == 0 or g[i].shape[-1] < 2 or not (g[i].norm(dim=-1) > 0.1).all()
    ):  # of one number all derivatives are 0
        return None
    if function == "normalize":
        return g.call("F_normalize", [("n", i), ("d", 2.0), ("i", -1), ("d", 1e-12)], f"F.normalize(x{i}, dim=-1)")
    return g.call(
        "F_cosine_similarity", [("n", i), ("n", j), ("i", -1), ("d", 1e-8)], f"F.cosine_similarity(x{i}, x{j}, -1)"
    )
