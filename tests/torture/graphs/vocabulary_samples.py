"""The part of the vocabulary with PyTorch's own sample inputs (torch.testing._internal): every entry of op_db and
module_db that has a counterpart, called as in tests/golden/sample_inputs.

The tensors of a sample that have gradients become leaves with its values, leaves that a node has moved a little (so
that the graph goes through the op), or nodes of the same shape. An op is only put where it is steady: where moving its
inputs by 1e-8 moves its results and gradients little. What draws at random draws under one seed on both sides."""

import collections
import contextlib
import ctypes
import dataclasses
import glob
import io
import os
import typing

import torch
from torch.testing._internal import common_utils
from torch.testing._internal.opinfo import core
from library import Refused, Unmapped  # engine.py has set the path

with contextlib.redirect_stderr(io.StringIO()):
    import modules
    import operations

import engine
import graph
import vocabulary_extra
from vocabulary import op, overlaps

# It looks for a unit test among the callers, which takes 0.1 s for each entry.
common_utils.extract_test_fn = core.extract_test_fn = lambda: None
# torch.manual_seed also notes, with its callers, that there may be other devices to seed: 100 times as long.
seed_torch = torch.default_generator.manual_seed

SAMPLES = 30  # of each entry
NUMEL = 400  # elements of an input
MOVED, STEADY = 1e-8, 1e-4
# Whose results are ours to choose: signs, an order, or what memory held.
UNDETERMINED = operations.SHAPE_ONLY | {"linalg.qr", "qr", "pca_lowrank", "svd_lowrank", "geqrf", "new_empty_strided"}

# Whose function in op_db writes to the sample's tensor.
WRITES = {"exponential", "cauchy", "geometric", "log_normal", "uniform", "normal", "bernoulli", "random"}
# PyTorch's own values or gradients in float64 are right to 1e-7 only.
INEXACT = {"special.bessel_j0", "special.bessel_j1", "special.bessel_y0", "special.bessel_y1", "special.airy_ai"}
INEXACT |= {"nn.functional.celu"}
# PyTorch's gradient of these is not 0 in the triangle that the result does not depend on.
UNLIKE = {"cholesky_solve", "cholesky_inverse"}
UNLIKE |= {"as_strided_scatter"}  # and of this not 0 where the input is overwritten
# Of these only one result: the sign requires a gradient in PyTorch, though it is constant.
ONLY = {"slogdet": 1, "linalg.slogdet": 1}
# Which element PyTorch reads first is not determined if what these read is a view of what they write to.
READS_WHAT_IT_WRITES = ("scatter", "index_", "masked_scatter", "put")
# PyTorch lets a gradient pass through these in place, as if they were not there.
UNDIFFERENTIATED = {"logical_and", "logical_or", "logical_xor", "logical_not"}


class Node(int):
    """A node of the graph in a sample."""


class Name(int):
    def __repr__(self):
        return f"x{int(self)}"


def replaced(value, f, of=(torch.Tensor,)):
    if isinstance(value, of):
        return f(value)
    if isinstance(value, (tuple, list)):
        items = [replaced(v, f, of) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {k: replaced(v, f, of) for k, v in value.items()}
    return value


@dataclasses.dataclass
class SampleStep(graph.Step):
    """A call of an entry: `sample` has Node for each tensor; `like` are tensors of their shapes and dtypes."""

    entry: typing.Any = None
    sample: typing.Any = None
    like: typing.Any = None
    seed: int = 0
    module: typing.Any = None  # of PyTorch; its parameters are nodes, too
    parameters: typing.Any = None

    def nodes(self):
        found = list((self.parameters or {}).values())
        replaced(self.sample, lambda i: found.append(int(i)), (Node,))
        return found

    def in_torch(self, nodes):
        seed_torch(self.seed)
        args, kwargs = replaced(self.sample, lambda i: nodes[i], (Node,))
        if self.module is not None:
            buffers = {name: x.clone() for name, x in self.module.named_buffers()}
            given = {name: nodes[i] for name, i in self.parameters.items()}
            results = torch.func.functional_call(self.module, {**given, **buffers}, args, kwargs)
        else:
            results = (self.entry.op.get_inplace() if self.inplace else self.entry.op.op)(*args, **kwargs)
        return result_of(results, self.item)

    def in_tapegrad(self, engine, nodes):
        library = engine.lib
        module = None if self.module is None else self.our_module(engine, nodes)
        library.handles.clear()
        kept = {}

        def stand_in(i):
            if i not in kept:
                kept[i] = self.like[i]
                library.handles[id(kept[i])] = nodes[i], kept[i]
            return kept[i]

        args, kwargs = replaced(self.sample, stand_in, (Node,))
        engine.plain.t_manual_seed(ctypes.c_int64(self.seed))
        try:
            if self.module is not None:
                made = self.entry.call(module, args, kwargs, self.outs + 1)
            elif self.inplace:
                made = in_place(self.entry, args, kwargs)
            else:
                made = self.entry.call(operations.Sample(args[0], args[1:], kwargs), self.outs)
        finally:
            library.handles.clear()
        made = [p for p in made if p]
        return made[self.item or 0] if not self.inplace else nodes[self.out]

    outs: int = 0

    def our_module(self, engine, nodes):
        """A module of our own, whose parameters take the place of the leaves with their values."""
        library = engine.lib
        module = build(self.entry, self.module, library)
        handles = modules.named(library, module, "nn_named_parameters")
        before = engine.plain.t_set_grad_enabled(False)
        for name, i in self.parameters.items():
            engine.call("t_copy_", ctypes.c_void_p(handles[name]), ctypes.c_void_p(nodes[i]))
        engine.plain.t_set_grad_enabled(before)
        for name, i in self.parameters.items():
            nodes[i] = handles[name]
        return module

    def text(self):
        """Not a line of Python, but what it does."""
        args, kwargs = replaced(self.sample, Name, (Node,))
        listed = [repr(a) for a in args] + [f"{k}={v!r}" for k, v in kwargs.items()]
        given = self.module.given if self.module is not None else None
        made = f"({', '.join(map(repr, given.args))}, {given.kwargs}, {self.parameters})" if given else ""
        item = f"[{self.item}]" if self.outs else ""
        return f"{self.entry.name}{'_' * self.inplace}{made}({', '.join(listed)}){item}"


def build(entry, theirs, library):
    given = theirs.given
    library.handles.clear()
    ours = entry.construct(given.args, given.kwargs)
    library.c.nn_train(ctypes.c_void_p(ours), theirs.training)
    library.checked(library.c.nn_to(ctypes.c_void_p(ours), ctypes.c_int(10)))
    modules.copy_state(library, theirs, ours)
    library.handles.clear()
    return ours


def in_place(entry, args, kwargs):
    """The function that writes to its first argument."""
    import binding

    errors = []
    for function in entry.functions_inplace:
        try:
            bound = binding.bind(function, entry.op.get_inplace(), args, kwargs, entry.aten + "_")
        except Unmapped as error:
            errors.append(error)
            continue
        return [entry.capi.call(function, bound, 0)]
    raise errors[0] if errors else Unmapped("not in place")


def result_of(results, item):
    found = [y for y in operations.flat(results) if y is not None]
    return found[item or 0]


# ---- the entries ----


class Pool:
    """The samples of the entries, made when they are first wanted, in an order that does not change."""

    def __init__(self):
        self.lib, self.samples, self.unusable = None, {}, collections.Counter()

    def load(self, library):
        self.lib = library
        for name in ("nn_to", "nn_train", "t_copy_"):
            getattr(library.c, name).restype = ctypes.c_void_p
        library.c.t_set_grad_enabled.restype = ctypes.c_bool
        entries = operations.entries(library) + [operations.Entry(op, library) for op in vocabulary_extra.EXTRA]
        for i, entry in enumerate(entries):
            entry.key = i
            if isinstance(entry.op, vocabulary_extra.Extra) and entry.op.inplace:
                entry.functions_inplace = [library.headers.functions[f"F_{entry.op.inplace.__name__}"]]
        self.operations = [e for e in entries if self.why_not(e) is None]
        self.inplace = [e for e in self.operations if e.functions_inplace and e.op.name not in UNDIFFERENTIATED]
        self.modules = [e for e in modules.entries(library) if e.mapped]

    @staticmethod
    def why_not(entry):
        if not entry.mapped:
            return operations.reason(entry) or "no counterpart"
        if entry.op.name in UNDETERMINED:
            return "its result is not determined"
        if entry.op.name in WRITES:
            return "it draws in place"
        if entry.op.name in UNLIKE:
            return "another gradient than PyTorch's"
        if entry.op.name in INEXACT and not isinstance(entry.op, vocabulary_extra.Extra):
            return "PyTorch's values are right to 1e-7 only"
        if torch.float64 not in entry.op.supported_dtypes("cpu"):
            return "not for float64"
        if entry.name.startswith("to.") or entry.op.name in operations.CASTS + ["to"]:
            return "casts: the hand-written part has float64 only"
        return None

    def of(self, entry):
        if entry.key not in self.samples:
            seed_torch(11)
            grad = entry.op.supports_autograd
            found = []
            try:
                for sample in entry.op.sample_inputs("cpu", torch.float64, requires_grad=grad):
                    tensors = operations.inputs_of(sample)
                    if len(found) == SAMPLES:
                        break
                    # |x - y|^2 as x^2 + y^2 - 2 x y: of equal rows only the rounding is left, and its root is large
                    if any(isinstance(a, str) and a == "use_mm_for_euclid_dist" for a in sample.args):
                        continue
                    if tensors and all(
                        x.layout == torch.strided and 0 < x.numel() <= NUMEL and x.dim() <= 5
                        and x.dtype in engine.KINDS
                        and (not x.is_floating_point() or x.isfinite().all()) for x in tensors
                    ):  # fmt: skip
                        ways = [way for way in (False, True) if self.can_call(entry, sample, way)]
                        if ways:
                            found.append(((sample.input, *sample.args), sample.kwargs, ways))
            except Exception:
                self.unusable[entry.name] += 1
            self.samples[entry.key] = found
        return self.samples[entry.key]

    def can_call(self, entry, sample, inplace):
        """Whether the call can be written in C."""
        if inplace and not (entry.functions_inplace and isinstance(sample.input, torch.Tensor)):
            return False
        library = self.lib
        scope = library.c.t_scope_open()
        library.handles.clear()
        try:
            sample = operations.copied(sample)
            if inplace:
                in_place(entry, (sample.input.detach(), *sample.args), sample.kwargs)
            else:
                entry.call(sample, 0)
        except Refused:
            pass
        except Unmapped:
            return False
        finally:
            library.error()
            library.handles.clear()
            library.c.t_scope_close(scope)
        return True

    def of_module(self, entry):
        if entry.name not in self.samples:
            found = []
            for training in (True, False) if entry.info.train_and_eval_differ else (True,):
                seed_torch(11)
                given = entry.info.module_inputs_func(
                    entry.info, device="cpu", dtype=torch.float64, requires_grad=True, training=training
                )
                for item in list(given)[:SAMPLES]:
                    if item.forward_input is None:
                        continue
                    theirs = entry.info.module_cls(*item.constructor_input.args, **item.constructor_input.kwargs)
                    given = operations.inputs_of(
                        operations.Sample(item.forward_input.args, (), item.forward_input.kwargs)
                    )
                    if not all(x.dtype in engine.KINDS for x in given):
                        continue
                    if any(torch.nn.parameter.is_lazy(x) for x in [*theirs.parameters(), *theirs.buffers()]):
                        continue
                    theirs.train(training).to(torch.float64)
                    theirs.given = item.constructor_input
                    sample = (item.forward_input.args, item.forward_input.kwargs)
                    if self.can_construct(entry, theirs, sample):
                        found.append((theirs, sample))
            self.samples[entry.name] = found
        return self.samples[entry.name]

    def can_construct(self, entry, theirs, sample):
        scope = self.lib.c.t_scope_open()
        try:
            module = build(entry, theirs, self.lib)
            entry.call(module, *replaced(sample, lambda x: x.detach()), 0)
        except Refused:
            pass
        except Unmapped:
            return False
        finally:
            self.lib.error()
            self.lib.handles.clear()
            self.lib.c.t_scope_close(scope)
        return True


POOL = Pool()


# ---- from a sample to steps ----


def fed(g, x):
    """A node for a tensor of a sample that has a gradient."""
    values = x.detach().clone()
    kind = g.rng.random()
    if kind < 0.35:
        found = g.pick(lambda y: y.shape == values.shape)
        if found is not None:
            return found
    leaf = g.leaf_of(values)
    if kind < 0.75:
        other = g.pick(lambda y: y.numel() > 0)
        if other is not None and other != leaf:
            mean = g.call("t_mean", [("n", other), ("a", []), ("b", False)], f"x{other}.mean()")
            small = None if mean is None else g.call("t_mul", [("n", mean), ("x", 0.001)], f"x{mean} * 0.001")
            moved = None if small is None else g.call("t_add", [("n", leaf), ("n", small)], f"x{leaf} + x{small}")
            leaf = leaf if moved is None else moved
    return leaf


def node_of(g, seen, first=None):
    def f(x):
        if id(x) not in seen:
            if first is not None and not seen:
                seen[id(x)] = first
            elif x.requires_grad:
                seen[id(x)] = fed(g, x)
            else:
                seen[id(x)] = g.constant(x.detach().clone(), usable=False)
        return Node(seen[id(x)])

    return f


def steady(step, nodes):
    """Whether small changes of the inputs change results and gradients little."""
    used = [i for i in dict.fromkeys(step.nodes()) if nodes[i].is_floating_point()]
    noise = torch.Generator().manual_seed(5)
    seen = []
    for moved in (0.0, MOVED):
        inputs = list(nodes)
        for i in used:
            x = nodes[i].detach()
            shift = torch.rand(x.shape, generator=noise, dtype=x.dtype) - 0.5 if moved else 0.0
            inputs[i] = (x * (1 + moved * shift) + moved * shift * 0.1).requires_grad_(nodes[i].requires_grad)
        leaves = [inputs[i] for i in used if inputs[i].requires_grad]
        if step.inplace:
            inputs[step.out] = inputs[step.out].clone()
        y = step.in_torch(inputs)
        seen.append([y.detach()])
        if y.requires_grad and leaves:
            weight = torch.arange(y.numel(), dtype=y.dtype).mul_(0.7).sin_().add_(1.5).reshape(y.shape)
            grads = torch.autograd.grad(y, leaves, weight, allow_unused=True)
            seen[-1] += [x for x in grads if x is not None]
    if len(seen[0]) != len(seen[1]):
        return False
    for a, b in zip(*seen):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if not a.is_floating_point():
            if not torch.equal(a, b):
                return False
        elif a.numel() and not (a - b).abs().max() <= STEADY * max(a.abs().max(), 1e-3):
            return False
    return True


def outputs_of(step, nodes):
    """The results of a call, without a graph."""
    args, kwargs = replaced(step.sample, lambda i: nodes[i].detach().clone(), (Node,))
    seed_torch(step.seed)
    if step.module is not None:
        given = {name: nodes[i].detach() for name, i in step.parameters.items()}
        buffers = {name: x.clone() for name, x in step.module.named_buffers()}
        results = torch.func.functional_call(step.module, {**given, **buffers}, args, kwargs)
    else:
        results = step.entry.op.op(*args, **kwargs)
    return [y for y in operations.flat(results) if y is not None]


def appended(g, step, tensors):
    """The step in the graph, if it gives something that can be compared and is steady."""
    try:
        step.like = {i: g[i].detach() for i in step.nodes()}
        if not step.inplace:
            outputs = outputs_of(step, g.nodes)
            if not outputs or not all(isinstance(y, torch.Tensor) for y in outputs):
                return None
            only = ONLY.get(step.entry.name)
            floating = [only] if only is not None else [i for i, y in enumerate(outputs) if y.is_floating_point()]
            step.item, step.outs = g.rng.choice(floating or range(len(outputs))), len(outputs) - 1
        if not steady(step, g.nodes):
            return None
        return g.append(step)
    except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError):
        return None


@op
def sampled(g):
    entry = g.rng.choice(POOL.operations)
    samples = [s[:2] for s in POOL.of(entry) if False in s[2]]
    if not samples:
        return None
    sample = g.rng.choice(samples)
    with g.undone() as undo:
        given = replaced(sample, node_of(g, {}))
        name = entry.functions[0].name if entry.functions else entry.name
        step = SampleStep(
            len(g.nodes), name, [], entry.name, entry=entry, sample=(given[0], given[1]), seed=operations.SEED
        )
        out = appended(g, step, given)
        undo(out is None)
    return out


@op
def sampled_inplace(g):
    entry = g.rng.choice(POOL.inplace)
    samples = [s[:2] for s in POOL.of(entry) if True in s[2]]
    if not samples:
        return None
    sample = g.rng.choice(samples)
    if entry.name == "as_strided":  # what is written to elements that share memory has no gradient
        args, kwargs = replaced(sample, lambda x: x.detach().clone())
        if overlaps(args[0].as_strided(*args[1:], **kwargs)):
            return None
    first = g.pick(lambda y: not y.is_leaf and y.shape == sample[0][0].shape and not overlaps(y))
    with g.undone() as undo:
        if first is None:
            leaf = g.leaf_of(sample[0][0].detach().clone())
            first = g.call("t_clone", [("n", leaf)], f"x{leaf}.clone()")
        if first is None:
            return undo(True)
        given = replaced(sample, node_of(g, {}, first))
        step = SampleStep(
            first, entry.functions_inplace[0].name, [], entry.name + "_", inplace=True, entry=entry,
            sample=(given[0], given[1]), seed=operations.SEED,
        )  # fmt: skip
        memory = g[first].untyped_storage().data_ptr()
        reads = entry.name.startswith(READS_WHAT_IT_WRITES)
        same = [i for i in step.nodes() if i == first or reads and g[i].untyped_storage().data_ptr() == memory]
        out = appended(g, step, given) if len(same) == 1 else None
        undo(out is None)
    return out


@op
def module(g):
    if g.rng.random() < 0.5:
        return None
    entry = g.rng.choice(POOL.modules)
    samples = POOL.of_module(entry)
    if not samples:
        return None
    theirs, sample = g.rng.choice(samples)
    if sum(x.numel() for x in theirs.parameters()) > 20 * NUMEL:
        return None
    with g.undone() as undo:
        given = replaced(sample, node_of(g, {}))
        parameters = {}
        for name, x in theirs.named_parameters():
            parameters[name] = g.constant(x.detach().clone(), x.requires_grad, usable=False)
        step = SampleStep(
            len(g.nodes), f"nn_{entry.word}_new", [], entry.name, entry=entry, sample=given,
            seed=operations.SEED, module=theirs, parameters=parameters,
        )  # fmt: skip
        out = appended(g, step, given)
        undo(out is None)
    return out


# ---- what the vocabulary has ----

# Functions with a counterpart in PyTorch that the graphs leave out: a pattern of names, and the reason.
LEFT_OUT = [
    (r"^t_(rand|randn|randint|randperm|empty|zeros|ones|full|arange|linspace|logspace|eye|tensor|from|as_tensor|scalar"
     r"|tril_indices|triu_indices|boolean|number|integer|normal|poisson|binomial|multinomial|.*_window)",
     "makes a tensor"),
    (r"^t_.*_(like|new)$|^t_new_", "makes a tensor"),
    (r"^(t_(bernoulli|uniform|normal|exponential|cauchy|geometric|log_normal|random)_?|nn_init_)", "draws in place"),
    (r"^(t_(svd|qr|eigh|lstsq|geqrf|ormqr|orgqr|pca_lowrank|svd_lowrank)|linalg_(svd|qr|eigh|lstsq))",
     "its result is determined up to signs or an order"),
    (r"^t_logical_.*_$", "PyTorch lets a gradient pass through them in place"),
    (r"^t_cholesky_(solve|inverse)$", "PyTorch's gradient is not 0 in the triangle that the result does not depend on"),
    (r"^t_as_strided_scatter$", "PyTorch's gradient is not 0 where the input is overwritten"),
    (r"bessel_[jy][01]$", "PyTorch's values are right to 1e-7 only"),
    (r"^t_(bitwise_|gcd|lcm|bincount|unravel_index)|^F_one_hot", "for integers"),
    (r"^(t_lu_unpack|linalg_lu_solve|linalg_ldl_solve)", "takes pivots of int32, which the graphs do not have"),
    (r"^t_fill_diagonal_$", "has a suite of its own; not in op_db"),
    (r"^F_threshold_$", "torch.threshold_ under another name"),
    (r"^t_(map2?_|apply_)$", "calls a function of the caller"),
    (r"^t_(to|bool|byte|char|short|int|long|half|float|double|bfloat16|type_as|view_dtype)", "casts"),
    (r"^t_(fft|stft|istft)", "complex numbers"),
    (r"^t_(backward|grad|retain_grad|requires_grad|detach|set_|share|register|hook|is_|can_|get_|set|data|item|save"
     r"|load|shape)",
     "not arithmetic: autograd, storage and queries, which have suites of their own"),
]  # fmt: skip


def print_vocabulary(library):
    import re

    here = os.path.dirname(os.path.abspath(__file__))
    texts = "".join(open(path).read() for path in glob.glob(os.path.join(here, "vocabulary*.py")))
    reached = set(re.findall(r"\b[tF]_[a-z0-9_]+\b", texts))
    reached |= {"t_" + word for word in re.findall(r"\"([a-z0-9_]+)\"", texts)}
    reached |= {"F_" + word for word in re.findall(r"\"([a-z0-9_]+)\"", texts)}
    for entry in POOL.operations:
        samples = POOL.of(entry)
        for way, functions in ((False, entry.functions), (True, entry.functions_inplace)):
            if any(way in sample[2] for sample in samples):
                reached |= {f.name for f in functions}
    spaces = {"t_": [torch, torch.Tensor], "F_": [torch.nn.functional], "linalg_": [torch.linalg],
              "special_": [torch.special]}  # fmt: skip
    twins, missing = [], collections.defaultdict(list)
    for name, function in sorted(library.headers.functions.items()):
        prefix = next((p for p in spaces if name.startswith(p)), None)
        if prefix is None or not function.result.endswith("*") or not any(
            s.kind in ("tensor", "list", "tensors") for s in function.slots
        ):  # fmt: skip
            continue
        if not any(hasattr(space, name[len(prefix) :]) for space in spaces[prefix]):
            continue
        twins.append(name)
        if name not in reached:
            why = next((why for pattern, why in LEFT_OUT if re.search(pattern, name)), "no sample in op_db")
            missing[why].append(name)
    left = sum(map(len, missing.values()))
    print(f"{len(twins)} functions with a counterpart in PyTorch: {len(twins) - left} in the vocabulary, {left} not:")
    for why, names in sorted(missing.items(), key=lambda item: -len(item[1])):
        print(f"    {why} ({len(names)}): {' '.join(names)}")
    used = [e.name for e in POOL.modules if POOL.of_module(e)]
    rest = [e.name for e in POOL.modules if e.name not in used]
    print(f"{len(used)} modules of {len(POOL.modules)}; without a sample that can be called: {' '.join(rest)}")
