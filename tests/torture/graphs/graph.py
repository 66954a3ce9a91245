"""Random graphs: a list of steps, each of which is a leaf, an op on earlier nodes, or an in-place op on one of them.

A step holds the call in tapegrad (function and arguments, engine.py) and the same in PyTorch as a Python expression
over x0, x1, ... A graph is grown with PyTorch at hand, so that an op is only put where it is well defined: away from
the points where it jumps or bends, on values of moderate size."""

import contextlib
import dataclasses
import random
import typing

import torch

LARGEST = 30.0  # values beyond it would lose digits in what follows


@dataclasses.dataclass
class Step:
    out: int  # the node that it makes; the one it writes to, if inplace
    function: typing.Optional[str]  # None: a leaf
    arguments: list
    torch: str
    item: typing.Optional[int] = None  # which one of a list of outputs
    inplace: bool = False
    values: typing.Optional[torch.Tensor] = None  # of a leaf
    requires_grad: bool = False

    def nodes(self):
        used = []
        for kind, value in self.arguments:
            used += [value] if kind in "nt" and value is not None else value if kind in "lv" else []
        return used

    def in_torch(self, nodes):
        names = {f"x{i}": nodes[i] for i in self.nodes()}
        return eval(self.torch, {"torch": torch, "F": torch.nn.functional}, names)

    def in_tapegrad(self, engine, nodes):
        return engine.run(self, nodes)

    def text(self):
        return self.torch


class Graph:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.noise = torch.Generator().manual_seed(seed)
        self.steps, self.nodes = [], []
        self.usable = []  # nodes that an op may take: floating, finite, of moderate size

    # ---- leaves ----

    def leaf(self, shape, low=-2.0, high=2.0, requires_grad=True):
        values = torch.rand(tuple(shape), generator=self.noise, dtype=torch.float64) * (high - low) + low
        return self.constant(values, requires_grad)

    def leaf_of(self, values):
        return self.constant(values, True)

    def constant(self, values, requires_grad=False, usable=True):
        out = len(self.nodes)
        self.steps.append(Step(out, None, [], "", values=values, requires_grad=requires_grad))
        self.nodes.append(values.clone().requires_grad_(requires_grad))
        if values.is_floating_point() and usable and (values.abs() < LARGEST).all():
            self.usable.append(out)
        return out

    def index(self, shape, below):
        return self.constant(
            torch.tensor(self.rng.choices(range(below), k=torch.Size(shape).numel())).reshape(tuple(shape))
        )

    def mask(self, shape):
        return self.constant(torch.rand(tuple(shape), generator=self.noise) < 0.4)

    # ---- choosing ----

    def __getitem__(self, i):
        return self.nodes[i]

    def pick(self, fits=lambda x: True):
        """A node that fits, rather a late one; None where there is none."""
        found = [i for i in self.usable if fits(self.nodes[i])]
        if not found:
            return None
        return self.rng.choice(found[-4:] if self.rng.random() < 0.6 else found)

    def shape(self):
        return [self.rng.choice([1, 2, 2, 3, 3, 4]) for _ in range(self.rng.choice([0, 1, 2, 2, 2, 3, 3, 4]))]

    def dim(self, x):
        """A dim of x, sometimes counted from the end."""
        d = self.rng.randrange(x.dim())
        return d if self.rng.random() < 0.5 else d - x.dim()

    def dims(self, x):
        """Some dims of x, none of them twice; none at all means all."""
        count = self.rng.randrange(x.dim() + 1)
        return self.rng.sample(range(x.dim()), count)

    def partner(self, x, fits=lambda y: True):
        """A node that broadcasts with x, or a new leaf."""

        def broadcasts(y):
            pairs = zip(reversed(x.shape), reversed(y.shape))
            return all(m == n or 1 in (m, n) for m, n in pairs) and fits(y) and max(x.dim(), y.dim()) <= 5

        found = self.pick(broadcasts)
        if found is not None and self.rng.random() < 0.75:
            return found
        shape = [1 if self.rng.random() < 0.3 else n for n in x.shape[self.rng.randrange(x.dim() + 1) :]]
        return self.leaf(shape, 0.5, 2.0)

    # ---- growing ----

    def call(self, function, arguments, expression, item=None, inplace=False):
        """The new node; None, and nothing changed, where PyTorch refuses or the values leave the range."""
        out = arguments[0][1] if inplace else len(self.nodes)
        try:
            return self.append(Step(out, function, arguments, expression, item, inplace))
        except (RuntimeError, IndexError):
            return None

    def append(self, step):
        result = step.in_torch(self.nodes)
        if not torch.is_tensor(result) or result.numel() > 400 or result.dim() > 5:
            return None
        if result.is_floating_point() and not (result.isfinite().all() and (result.abs() < LARGEST).all()):
            return None
        self.steps.append(step)
        if not step.inplace:
            self.nodes.append(result)
            if result.dtype == torch.float64 and result.numel():
                self.usable.append(step.out)
        return step.out

    @contextlib.contextmanager
    def undone(self):
        """Steps that are taken back if the function that this gives is called with True."""
        lengths = len(self.steps), len(self.nodes), len(self.usable)

        def undo(wanted):
            if wanted:
                del self.steps[lengths[0] :], self.nodes[lengths[1] :], self.usable[lengths[2] :]

        yield undo


def runs(steps, count):
    """The nodes of the steps in PyTorch."""
    nodes = [None] * count
    for step in steps:
        if step.function is None:
            nodes[step.out] = step.values.clone().requires_grad_(step.requires_grad)
            continue
        result = step.in_torch(nodes)
        if not step.inplace:
            nodes[step.out] = result
    return nodes
