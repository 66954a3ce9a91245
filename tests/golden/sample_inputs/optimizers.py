"""optim_db: every optimizer that exists here with PyTorch's sample arguments: the parameters after three steps, in one
group and in two, and its error inputs."""

import ctypes
import warnings

import torch
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

import binding
import compare
from library import Refused, Unmapped
from operations import Report, parser_error

REASONS = {"SparseAdam": "sparse gradients"}
STEPS = 3
CLOSURE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Entry:
    def __init__(self, info, library):
        self.info, self.capi, self.name = info, library, info.optim_cls.__name__
        self.word = self.name
        self.constructor = library.headers.functions.get(f"optim_{self.name}_new")

    @property
    def mapped(self):
        return self.constructor is not None

    def construct(self, parameters, kwargs):
        bound = binding.bind(self.constructor, self.info.optim_cls, (parameters,), kwargs, "")
        return self.capi.call(self.constructor, bound)


def parameters_of(entry, dtype):
    """Two parameters (Muon takes matrices only), with values of few bits."""
    shapes = [(5, 3), (4, 5)] if entry.name == "Muon" else [(5, 3), (7,)]
    made = []
    for i, shape in enumerate(shapes):
        n = torch.Size(shape).numel()
        values = ((torch.arange(n) * 7 + 3 * i) % 16 - 8) / 8
        made.append(torch.nn.Parameter(values.reshape(shape).to(dtype)))
    return made


def curvature(x):
    return (torch.arange(x.numel()) % 5 + 1).reshape(x.shape).to(x.dtype)


def gradient_of(x, step):
    """Of value_of, and another one at each step; both sides compute it from their x."""
    return x**3 + (curvature(x) + step) * x + 0.5


def value_of(x):
    return (x**4).sum() / 4 + (curvature(x) * x**2).sum() / 2 + x.sum() / 2


def run_torch(entry, given, dtype):
    parameters = parameters_of(entry, dtype)
    optimizer = entry.info.optim_cls(parameters, **given.kwargs)
    for step in range(1 if entry.info.step_requires_closure else STEPS):
        if entry.info.step_requires_closure:

            def closure():
                for p in parameters:
                    p.grad = gradient_of(p.detach(), 0)
                return sum(value_of(p.detach()) for p in parameters)

            optimizer.step(closure)
        else:
            for p in parameters:
                p.grad = gradient_of(p.detach(), step)
            optimizer.step()
    return [p.detach() for p in parameters]


def run_ours(entry, given, dtype):
    library, c = entry.capi, entry.capi.c
    c.optim_step_closure.restype = c.t_tensor_from_data.restype
    library.handles.clear()
    parameters = parameters_of(entry, dtype)
    optimizer = entry.construct(parameters, given.kwargs)
    handles = [library.handles[id(p)][0] for p in parameters]

    def set_gradients(step):
        for h in handles:
            gradient = library.tensor(gradient_of(library.values(h), step))
            c.t_set_grad(ctypes.c_void_p(h), ctypes.c_void_p(gradient))

    def closure(context):
        set_gradients(0)
        return library.tensor(sum(value_of(library.values(h)) for h in handles))

    for step in range(1 if entry.info.step_requires_closure else STEPS):
        c.t_clear_error()
        if entry.info.step_requires_closure:
            c.optim_step_closure(ctypes.c_void_p(optimizer), CLOSURE(closure), None)
        else:
            set_gradients(step)
            c.optim_step(ctypes.c_void_p(optimizer))
        text = library.error()
        if text:
            raise Refused(text)
    return [library.values(h) for h in handles]


def run_input(entry, given, dtype, report):
    report.samples += 1
    where = given.desc or "default"
    try:
        expected = run_torch(entry, given, dtype)
        try:
            actual = run_ours(entry, given, dtype)
        except Refused as error:
            report.differ("refused", dtype, f"{where}: {error}")
            return
        exact = run_torch(entry, given, torch.float64) if dtype != torch.float64 else [None] * 2
        for y, a, x in zip(expected, actual, exact):
            found = compare.difference(y, a, False, x)
            if found:
                report.differ(found[0], dtype, f"{where}: {found[1]}")
                return
        report.equal += 1
    except Unmapped as error:
        report.samples -= 1
        report.cannot(str(error))
    finally:
        entry.capi.error()


def run_error(entry, error_input, dtype, report):
    given = error_input.optimizer_error_input
    where = given.desc
    library, c = entry.capi, entry.capi.c
    library.handles.clear()
    try:
        expected = None
        parameters = given.params if given.params is not None else parameters_of(entry, dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = entry.info.optim_cls(parameters, **given.kwargs)
                if error_input.error_on == OptimizerErrorEnum.STEP_ERROR:
                    theirs.step()
            except Exception as error:
                expected = str(error).split("\n")[0]
        if expected is None:
            raise Unmapped("a warning")
        if (
            "ensor lr" in where
            or "as Tensor" in where
            or parser_error(expected)
            or not isinstance(parameters, list)
            or not all(isinstance(p, torch.Tensor) for p in parameters)
        ):
            raise Unmapped("an error of Python's types")
        with report.error_input(where, expected):
            ours = entry.construct(parameters, given.kwargs)
            if error_input.error_on == OptimizerErrorEnum.STEP_ERROR:
                c.t_clear_error()
                c.optim_step(ctypes.c_void_p(ours))
                text = library.error()
                if text:
                    raise Refused(text)
    except Unmapped as error:
        report.cannot(f"error input: {error} ({where})")
    finally:
        library.error()


def run(entry, dtypes, limit):
    warnings.filterwarnings("ignore")
    c, report = entry.capi.c, Report(entry.name)
    for name in ("t_set_grad", "optim_step"):
        getattr(c, name).restype = ctypes.c_bool
    for dtype in dtypes:
        if dtype not in (torch.float32, torch.float64):
            continue
        torch.manual_seed(11)
        for given in entry.info.optim_inputs_func("cpu", dtype)[:limit]:
            scope = c.t_scope_open()
            run_input(entry, given, dtype, report)
            c.t_scope_close(scope)
    if entry.info.optim_error_inputs_func:
        for error_input in entry.info.optim_error_inputs_func("cpu", torch.float32):
            scope = c.t_scope_open()
            run_error(entry, error_input, torch.float32, report)
            c.t_scope_close(scope)
    return report


def entries(library):
    return [Entry(info, library) for info in optim_db]
