"""Random op graphs: tapegrad compared with PyTorch in float64, values and gradients.

    python tests/torture/graphs/random_graphs.py build/libtapegrad.so [--graphs 10000] [--seconds 600] [--seed 1]
        [--one SEED]
    python tests/torture/graphs/random_graphs.py build/libtapegrad.so --vocabulary

Each graph grows from its own seed (vocabulary.py): leaves, then ops on earlier nodes, views and in-place steps among
them. Every node's value, every leaf's gradient of the sum over all nodes that nothing used, weighted unevenly, and in
one graph of four the gradient of the sum over those gradients, must agree to 1e-9 of the array's largest value. A graph
that fails is made as small as it gets and printed as a C program and in Python (a call with a sample of op_db or
module_db as a comment). The exit code is 1 if one failed. TAPEGRAD_ISA selects the instruction set. --vocabulary prints
which public functions with a counterpart in PyTorch the graphs reach, and why the others are not. Needs what
make sample-inputs needs."""

import argparse
import collections
import os
import sys
import time
import warnings

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine  # noqa: E402
import graph  # noqa: E402
import vocabulary  # noqa: E402
import vocabulary_samples  # noqa: E402
from c_program import program  # noqa: E402

TOLERANCE = 1e-9
# Of the graph's largest number: what stays of a sum that is 0 in exact arithmetic (a softmax over equal rows, x / x).
# The terms of second gradients, which are not among the graph's numbers, are up to some ten times as large.
NOISE = 1e-13


def grown(seed):
    g = graph.Graph(seed)
    for _ in range(g.rng.randrange(1, 4)):
        if g.rng.random() < 0.3:
            vocabulary.separated(g, g.shape())
        else:
            g.leaf(g.shape(), *g.rng.choice([(-2, 2), (0.3, 2), (-1, 1)]))
    wanted, tries = g.rng.randrange(3, 16), 0
    while sum(step.function is not None for step in g.steps) < wanted and tries < 60:
        tries += 1
        try:
            g.rng.choice(vocabulary.OPS)(g)
        except RuntimeError:  # PyTorch's, for any use of a view that an in-place step has invalidated
            continue
    return g.steps, len(g.nodes)


def weights(x, which):
    """Uneven, none of them 0."""
    n = x.numel()
    return (0.5 + (torch.arange(n, dtype=torch.float64) * 0.618 + which * 0.377) % 1.0).reshape(x.shape)


def roots_of(steps, nodes):
    used = {i for step in steps if step.function for i in step.nodes()} - {s.out for s in steps if s.inplace}
    return [i for i, x in enumerate(nodes) if x is not None and x.requires_grad and i not in used]


def leaves_of(steps):
    return [s.out for s in steps if s.requires_grad]


def in_torch(steps, count, twice):
    """Values, leaf gradients and, if `twice`, those of the gradients; None where PyTorch refuses the graph."""
    try:
        nodes = graph.runs(steps, count)
        roots, leaves = roots_of(steps, nodes), [nodes[i] for i in leaves_of(steps)]
        values = [None if x is None else x.detach().double().clone() for x in nodes]
        outputs, given = [nodes[i] for i in roots], [weights(nodes[i], i) for i in roots]
        if roots:
            torch.autograd.backward(outputs, given, retain_graph=twice)
        first = [x.grad for x in leaves]
        if twice and roots:
            for x in leaves:
                x.grad = None
            made = torch.autograd.grad(outputs, leaves, given, create_graph=True, allow_unused=True)
            made = [(g, weights(g, i)) for i, g in enumerate(made) if g is not None and g.requires_grad]
            if made:
                torch.autograd.backward(*zip(*made))
    except (RuntimeError, IndexError, TypeError, NameError, ValueError):
        return None
    return values, first, [x.grad for x in leaves] if twice else [], roots


def in_tapegrad(library, steps, count, roots, weight, twice):
    nodes = [None] * count
    with library.scope():
        for step in steps:
            if step.function is None:
                nodes[step.out] = library.tensor(step.values, step.requires_grad)
                continue
            made = step.in_tapegrad(library, nodes)
            if not step.inplace:
                nodes[step.out] = made
        values, leaves = [library.values(x) for x in nodes], [nodes[i] for i in leaves_of(steps)]
        for i in roots:
            library.backward(nodes[i], library.tensor(weight[i]))
        first, second = [library.grad(x) for x in leaves], []
        if twice and roots and leaves:
            for x in leaves:
                library.plain.t_set_grad(engine.POINTER(x), None)
            made = library.gradients([nodes[i] for i in roots], leaves, [library.tensor(weight[i]) for i in roots])
            for i, g in enumerate(made):
                if library.plain.t_requires_grad(engine.POINTER(g)):
                    library.backward(g, library.tensor(weights(library.values(g), i)))
            second = [library.grad(x) for x in leaves]
            for x in leaves:  # a gradient that was recorded holds its leaf
                library.plain.t_set_grad(engine.POINTER(x), None)
        return values, first, second


def differs(got, want, noise):
    if got is None or want is None:
        return largest(got) + largest(want) > noise  # None means zeros
    if got.shape != want.shape:
        return True
    if not got.numel():
        return False
    return not bool((got - want).abs().max() <= TOLERANCE * want.abs().max() + noise)


def largest(x):
    return 0.0 if x is None or not x.numel() else x.abs().max().item()


# Whose result may be in another order in memory than PyTorch's.
OTHER_ORDER = ("t_einsum", "t_index_add", "t_index_copy", "t_sort")
SAVED_AS_A_COPY = ("matmul", "mm", "bmm", "linear", "special_ndtr", "norm_residual", "scaled_dot_product_attention")


def is_stricter(message, steps):
    """PyTorch copies an operand of some products (2-d @ 3-d, tensordot) before it saves it, of ndtr it saves
    x / sqrt(2), of a layer norm of x + y the sum, of attention the scaled query and key, so that a later write to the
    operand goes unnoticed there; here the operand is saved, and the write refused. And the order in memory in which
    einsum leaves its result is another, so that a view of it may be refused."""
    if "view size is not compatible" in message:
        return any(step.function in OTHER_ORDER for step in steps)
    if "LinalgMatrixSqrth" in message:  # PyTorch's is composed of others and does not save its result
        return True
    if "modified by an inplace operation" not in message:
        return False
    if ", div, " in message:  # Tensor.__rdiv__ is a reciprocal, which saves its result
        return any(getattr(getattr(step, "entry", None), "name", "") == "__rdiv__" for step in steps)
    return any(f", {name}, " in message for name in SAVED_AS_A_COPY)


COPIES_OR_VIEWS = ("t_reshape", "t_flatten", "t_unflatten", "t_contiguous", "t_ravel")


def order_counts(steps):
    """Whether these are views of what einsum leaves, so that a write to one is a write to the other, depends on its
    order in memory."""
    names = [step.function or "" for step in steps]
    return (
        "t_einsum" in names
        and any(name in COPIES_OR_VIEWS for name in names)
        and any(name.endswith("_") for name in names)
    )


def has_second_gradient(steps):
    """PyTorch's of logcumsumexp is wrong where a gradient is 0; the terms of that of a norm with p < 1 are as large as
    x^(p - 2), and what stays of their sum, which may be 0 in exact arithmetic, is noise."""
    p = [step.sample[1].get("p", 2) for step in steps if step.function == "F_normalize" and hasattr(step, "sample")]
    return all(step.function != "t_logcumsumexp" for step in steps) and all(value >= 1 for value in p)


def verdict(library, steps, count, twice):
    """'' if both agree, None if the graph says nothing, else what is wrong."""
    if order_counts(steps):
        return None
    twice = twice and has_second_gradient(steps)
    theirs = in_torch(steps, count, twice)
    if theirs is None:
        return verdict(library, steps, count, False) if twice else None  # an op without a second gradient
    values, first, second, roots = theirs
    sizes = [largest(x) for x in values + first + second if x is not None]
    if not all(size < 1e6 for size in sizes):  # NaN too
        return None
    noise = NOISE * max(sizes, default=1)
    live = library.plain.t_live_count()
    try:
        ours = in_tapegrad(library, steps, count, roots, {i: weights(values[i], i) for i in roots}, twice)
    except engine.Refused as refused:
        return None if is_stricter(str(refused), steps) else f"tapegrad refuses: {refused}"
    if library.plain.t_live_count() != live:
        return "tensors leak"
    for i, want in enumerate(values):
        if want is not None and differs(ours[0][i], want, noise):
            return f"x{i} differs: {ours[0][i]} and PyTorch's {want}"
    for order, got, wanted in (("", ours[1], first), ("second ", ours[2], second)):
        for i, mine, want in zip(leaves_of(steps), got, wanted):
            if differs(mine, want, noise):
                return f"the {order}gradient of x{i} differs: {mine} and PyTorch's {want}"
    return ""


# ---- reducing a failure ----


def without(steps, k):
    """The steps without the k-th, if nothing needs its node."""
    if not steps[k].inplace and any(steps[k].out in s.nodes() for s in steps):
        return None
    return steps[:k] + steps[k + 1 :]


def as_leaf(steps, k, count):
    """The k-th step's node as a leaf of the value that the op gave."""
    if steps[k].function is None or steps[k].inplace:
        return None
    try:
        value = graph.runs(steps[: k + 1], count)[steps[k].out].detach().clone().contiguous()
    except RuntimeError:
        return None
    if value.dtype not in engine.KINDS:
        return None
    leaf = graph.Step(steps[k].out, None, [], "", values=value, requires_grad=value.is_floating_point())
    return steps[:k] + [leaf] + steps[k + 1 :]


def shrunk(library, steps, count, twice):
    smaller = True
    while smaller:
        smaller = False
        for change in (without, as_leaf):
            for k in reversed(range(len(steps))):
                tried = change(steps, k) if change is without else change(steps, k, count)
                if tried and verdict(library, tried, count, twice):
                    steps, smaller = tried, True
                    break
            if smaller:
                break
    return steps


def report(library, seed, steps, count, twice):
    steps = shrunk(library, steps, count, twice)
    print(f"\n---- seed {seed}: {verdict(library, steps, count, twice)}\n")
    print(program(steps, roots_of(steps, graph.runs(steps, count)), weights, count))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path", help="of libtapegrad.so")
    parser.add_argument("--graphs", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=1e9, help="then no further graph is begun")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vocabulary", action="store_true", help="print what the graphs reach, and stop")
    parser.add_argument("--one", type=int, help="only the graph of this seed, printed even if it agrees")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    os.environ["TAPEGRAD_WARNINGS"] = "off"
    library = engine.Engine(options.path)
    vocabulary_samples.POOL.load(library.lib)
    if options.vocabulary:
        vocabulary_samples.print_vocabulary(library.lib)
        return 0
    if options.one is not None:
        steps, count = grown(options.one)
        print(verdict(library, steps, count, options.one % 4 == 0))
        print(program(steps, roots_of(steps, graph.runs(steps, count)), weights, count))
        return 0
    counts, used, seed, start = collections.Counter(), collections.Counter(), options.seed * 1000000, time.time()
    while counts["compared"] < options.graphs and counts["failed"] < 20 and time.time() - start < options.seconds:
        seed += 1
        steps, count = grown(seed)
        twice = seed % 4 == 0
        answer = verdict(library, steps, count, twice)
        if answer is None:
            counts["not comparable"] += 1
            continue
        counts["compared"] += 1
        used.update(s.function for s in steps if s.function)
        counts["twice"] += twice
        counts["in-place"] += any(s.inplace for s in steps)
        counts["modules"] += any((s.function or "").startswith("nn_") for s in steps)
        if answer:
            counts["failed"] += 1
            report(library, seed, steps, count, twice)
            sys.stdout.flush()
    print(
        f"{counts['compared']} graphs, {sum(used.values())} ops of {len(used)} kinds, {counts['twice']} graphs with "
        f"second gradients, {counts['in-place']} with in-place steps, {counts['modules']} with modules, "
        f"{counts['failed']} failed; {counts['not comparable']} more that PyTorch refuses or whose values are too "
        f"large; {time.time() - start:.0f} s"
    )
    print("least used: " + ", ".join(f"{name} {n}" for name, n in used.most_common()[:-11:-1]))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
