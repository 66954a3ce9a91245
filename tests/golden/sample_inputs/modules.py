"""module_db: every module that exists here with PyTorch's sample inputs: initial parameters under one seed, keys of the
state dict, outputs, gradients of inputs and parameters, in training and evaluation mode, and its error inputs."""

import copy
import ctypes
import inspect
import warnings

import torch
import torch.nn.functional as F
from torch.testing._internal.common_modules import ModuleErrorEnum, module_db

import binding
import compare
import operations
from library import Refused, Unmapped
from operations import SEED, Report, copied, flat, gradients, inputs_of, parser_error, summary

REASONS = {
    "FractionalMaxPool2d": "pools at random positions",
    "FractionalMaxPool3d": "pools at random positions",
    "LinearCrossEntropyLoss": "a fused loss of PyTorch 2.15 whose result is that of Linear and CrossEntropyLoss",
}


class Entry:
    def __init__(self, info, library):
        self.info, self.capi, self.name = info, library, info.name
        self.word = info.name.rpartition(".")[2]
        self.constructor = library.headers.functions.get(f"nn_{self.word}_new")
        self.function = library.headers.functions.get(f"nn_{self.word}_call")

    @property
    def mapped(self):
        return self.constructor is not None

    def construct(self, args, kwargs):
        """Our module."""
        function, library = self.constructor, self.capi
        kwargs = dict(kwargs)
        if self.word in ("TransformerEncoder", "TransformerDecoder"):
            return self.stack(*args, **kwargs)
        args = tuple(getattr(a, "__name__", "") if a in (F.relu, F.gelu) else a for a in args)
        if kwargs.get("activation") in (F.relu, F.gelu):
            kwargs["activation"] = kwargs["activation"].__name__
        cls = self.info.module_cls
        if cls.__name__ in ("RNN", "GRU", "LSTM"):
            names = ["input_size", "hidden_size", "num_layers", "nonlinearity"][: 3 + (cls.__name__ == "RNN")]
            names += ["bias", "batch_first", "dropout", "bidirectional"]
            args, kwargs = (), {**dict(zip(names, args)), **kwargs}
            bound = {}
            for slot in function.slots:
                if slot.name in kwargs:
                    bound[slot] = kwargs.pop(slot.name)
                elif slot.field and slot.kind != "dtype":
                    bound[slot] = {
                        "num_layers": 1,
                        "bias": True,
                        "dropout": 0.0,
                        "proj_size": 0,
                        "nonlinearity": "tanh",
                    }.get(slot.name, False)
            if kwargs:
                raise Unmapped(f"no argument {', '.join(kwargs)} in {function.name}")
        else:
            bound = binding.bind(function, cls, args, kwargs, "")
            if function.options and function.options not in library.headers.defaults:
                signature = inspect.signature(cls).parameters
                for slot in function.slots:
                    if slot.field and slot not in bound and slot.name in signature and slot.kind != "dtype":
                        bound[slot] = signature[slot.name].default
        return library.call(function, bound)

    def stack(self, layer, num_layers, norm=None, **kwargs):
        """A stack of copies of a layer like theirs, whose parameters the caller copies."""
        library = self.capi
        if norm is not None:
            raise Unmapped("a norm as an argument")
        name = getattr(layer.activation, "__name__", "")
        if name not in ("relu", "gelu"):
            raise Unmapped("a function as an argument")
        make = library.headers.functions[f"nn_{type(layer).__name__}_new"]
        given = {
            "d_model": layer.linear1.in_features,
            "nhead": layer.self_attn.num_heads,
            "dim_feedforward": layer.linear1.out_features,
            "dropout": layer.dropout.p,
            "activation": name,
            "layer_norm_eps": layer.norm1.eps,
            "batch_first": layer.self_attn.batch_first,
            "norm_first": layer.norm_first,
            "bias": layer.linear1.bias is not None,
        }
        ours = library.call(make, {slot: given[slot.name] for slot in make.slots if slot.name in given})
        function = getattr(library.c, self.constructor.name)
        function.restype = ctypes.c_void_p
        library.c.t_clear_error()
        return library.checked(function(ctypes.c_void_p(ours), ctypes.c_int64(num_layers), None))

    def call(self, module, args, kwargs, tensors):
        """Our outputs."""
        library, c = self.capi, self.capi.c
        if self.word in ("RNN", "GRU", "LSTM", "LSTMCell"):
            return self.recurrent(module, args, kwargs, tensors)
        if self.function:
            slots = self.function.slots
            given = Given(self.function, slots[1:])
            bound = binding.bind(given, self.info.module_cls.forward.__get__(object()), args, kwargs, "")
            bound[slots[0]] = None
            return listed(call_with_self(library, self.function, module, bound, tensors - 1))
        signature = inspect.signature(self.info.module_cls.forward.__get__(object()))
        values = [v for v in signature.bind(*args, **kwargs).arguments.values() if v is not None]
        values = values[0] if len(values) == 1 and isinstance(values[0], tuple) and len(values[0]) < 3 else values
        if not 1 <= len(values) <= 2 or not all(isinstance(v, torch.Tensor) for v in values):
            raise Unmapped("other arguments than one or two tensors")
        name = "nn_call" if len(values) == 1 else "nn_call2"
        function = getattr(c, name)
        function.restype = ctypes.c_void_p
        pointers = [ctypes.c_void_p(library.tensor(v)) for v in values]
        c.t_clear_error()
        return [library.checked(function(ctypes.c_void_p(module), *pointers))]

    def recurrent(self, module, args, kwargs, tensors):
        x, states = (list(args) + [None])[:2]
        if not isinstance(x, torch.Tensor):
            raise Unmapped("a packed sequence")
        states = kwargs.get("hx", states)
        states = list(states) if isinstance(states, (tuple, list)) else [states]
        function, library = self.function, self.capi
        bound = {slot: None for slot in function.slots if not slot.field}
        bound[function.slots[1]] = x
        for slot in function.slots:
            if slot.field and slot.name in ("h_0", "c_0"):
                value = states[slot.name == "c_0"] if len(states) > (slot.name == "c_0") else None
                if value is not None:
                    bound[slot] = value
        words = function.outs if self.word in ("LSTM", "LSTMCell") else function.outs[:1]
        self_outs, function.outs = function.outs, words
        try:
            return listed(call_with_self(library, function, module, bound, tensors - 1))
        finally:
            function.outs = self_outs


class Given:
    """A function without its first slots, for binding."""

    def __init__(self, function, slots):
        self.name, self.slots, self.comment, self.default = function.name, slots, function.comment, function.default


def listed(result):
    return result if isinstance(result, list) else [result]


def call_with_self(library, function, module, bound, outs):
    """The first argument is the module."""
    self_slot = function.slots[0]
    convert = library.convert

    def with_self(slot, value):
        return [ctypes.c_void_p(module)] if slot is self_slot else convert(slot, value)

    bound[self_slot] = None
    layout = function.layout
    function.layout = [("slot", self_slot) if item == "self" else (what, item) for what, item in layout]
    library.convert = with_self
    try:
        return library.call(function, bound, max(0, outs))
    finally:
        library.convert, function.layout = convert, layout


class Named(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tensor", ctypes.c_void_p), ("module", ctypes.c_void_p)]


class NamedList(ctypes.Structure):
    _fields_ = [
        ("is_a", ctypes.c_void_p), ("counts", ctypes.c_int32 * 4), ("neighbours", ctypes.c_void_p * 2),
        ("len", ctypes.c_int64), ("capacity", ctypes.c_int64), ("items", ctypes.POINTER(Named)),
    ]  # fmt: skip


class DictItem(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("tensor", ctypes.c_void_p),
        ("text", ctypes.c_char_p),
        ("hash", ctypes.c_uint64),
    ]


class TensorDict(ctypes.Structure):
    _fields_ = NamedList._fields_[:5] + [("items", ctypes.POINTER(DictItem))]


def named(library, module, function):
    f = getattr(library.c, function)
    f.restype = ctypes.c_void_p
    found = NamedList.from_address(library.checked(f(ctypes.c_void_p(module))))
    return {found.items[i].name.decode(): found.items[i].tensor for i in range(found.len)}


def state_dict(library, module):
    library.c.nn_state_dict.restype = ctypes.c_void_p
    found = TensorDict.from_address(library.checked(library.c.nn_state_dict(ctypes.c_void_p(module), b"")))
    return {found.items[i].name.decode(): found.items[i].tensor for i in range(found.len)}


def run_input(entry, given, dtype, training, report):
    library, c = entry.capi, entry.capi.c
    report.samples += 1
    args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
    mode = "training" if training else "eval"
    where = f"{summary(operations.Sample(args, (), kwargs))} {mode}"
    try:
        torch.manual_seed(SEED)
        theirs = entry.info.module_cls(*args, **kwargs)
        lazy = torch.nn.parameter.is_lazy(next(iter(theirs.parameters()), None))
        library.handles.clear()
        c.t_manual_seed(ctypes.c_int64(SEED))
        try:
            ours = entry.construct(args, kwargs)
        except Refused as error:
            report.differ("refused", dtype, f"{where}: {error}")
            return
        if lazy and dtype != torch.float32:
            raise Unmapped("a lazy module's dtype")
        theirs.train(training)
        c.nn_train(ctypes.c_void_p(ours), training)
        number = ctypes.c_int(library_dtype(dtype))
        if not lazy:
            theirs.to(dtype)
            library.checked(c.nn_to(ctypes.c_void_p(ours), number))
            if entry.word in ("TransformerEncoder", "TransformerDecoder"):
                copy_state(library, theirs, ours)
            if differs_in_state(library, theirs, ours, dtype, report, where):
                return
        if given.forward_input is None:
            report.equal += 1
            return
        forward = operations.Sample(given.forward_input.args, (), given.forward_input.kwargs)
        mine, again = copied(forward), copied(forward)
        where += " " + summary(operations.Sample(forward.input, (), forward.kwargs))
        exact = exact_results(theirs, forward) if dtype == torch.float32 else None
        torch.manual_seed(SEED)
        outputs = [y for y in flat(theirs(*mine.input, **mine.kwargs)) if y is not None]
        leaves = [x for x in inputs_of(mine) if x.requires_grad]
        parameters = dict(theirs.named_parameters())
        grads = gradients(outputs, leaves + list(parameters.values()))
        library.handles.clear()
        c.t_manual_seed(ctypes.c_int64(SEED))
        try:
            pointers = entry.call(ours, again.input, again.kwargs, len(outputs))
        except Refused as error:
            report.differ("refused", dtype, f"{where}: {error}")
            return
        if differs_in_state(library, theirs, ours, dtype, report, where + " after the call"):
            return
        pointers = [p for p in pointers if p]
        if len(pointers) != len(outputs):
            report.differ("results", dtype, f"{where}: {len(pointers)} instead of {len(outputs)}")
            return
        for i, (y, p) in enumerate(zip(outputs, pointers)):
            tracked = bool(c.t_requires_grad(ctypes.c_void_p(p)))
            found = compare.difference(y.detach(), library.values(p), exact=exact and exact[0][i])
            if tracked != y.requires_grad and not found:
                found = "requires_grad", str(tracked)
            if found:
                report.differ(found[0], dtype, f"{where}: {found[1]}, result {i}")
                return
        if grads is None:
            report.equal += 1
            return
        pairs = dict(zip(map(id, inputs_of(mine)), inputs_of(again)))
        handles = named(library, ours, "nn_named_parameters")
        found = {id(x): library.handles[id(pairs[id(x)])] for x in leaves}
        for name, p in parameters.items():
            found[id(p)] = handles[name], p
        library.handles.update(found)
        try:
            got = operations.our_gradients(library, pointers, outputs, leaves + list(parameters.values()))
        except Refused as error:
            report.differ("no gradient", dtype, f"{where}: {error}")
            return
        largest = compare.largest_of(grads)
        for i, y in enumerate(grads):
            if y is None:
                continue
            a = got[i] if got[i] is not None else torch.zeros_like(y)
            x = exact and exact[1] and exact[1][i]
            different = compare.difference(y.detach(), a, True, x, largest)
            if different:
                name = "an input" if i < len(leaves) else list(parameters)[i - len(leaves)]
                report.differ(different[0], dtype, f"{where}: {different[1]}, of {name}")
                return
        report.equal += 1
    except Unmapped as error:
        report.samples -= 1
        report.cannot(str(error))
    finally:
        library.error()


def copy_state(library, theirs, ours):
    """Our parameters and buffers get their values."""
    handles = state_dict(library, ours)
    before = library.c.t_set_grad_enabled(False)
    for name, value in theirs.state_dict().items():
        library.c.t_copy_(ctypes.c_void_p(handles[name]), ctypes.c_void_p(library.tensor(value)))
    library.c.t_set_grad_enabled(before)


def exact_results(module, sample):
    """Outputs and gradients of a copy of PyTorch's module in float64."""
    try:
        module, sample = copy.deepcopy(module).double(), copied(sample, torch.float64)
        torch.manual_seed(SEED)
        outputs = [y for y in flat(module(*sample.input, **sample.kwargs)) if y is not None]
        leaves = [x for x in inputs_of(sample) if x.requires_grad] + list(module.parameters())
        return [y.detach() for y in outputs], gradients(outputs, leaves)
    except Exception:
        return None


def library_dtype(dtype):
    from library import DTYPES

    return DTYPES[dtype]


def differs_in_state(library, theirs, ours, dtype, report, where):
    expected, actual = theirs.state_dict(), state_dict(library, ours)
    if list(expected) != list(actual):
        report.differ("state dict", dtype, f"{where}: {list(actual)} instead of {list(expected)}")
        return True
    for name, y in expected.items():
        found = compare.difference(y.detach(), library.values(actual[name]))
        if found:
            report.differ("state dict", dtype, f"{where}: {name}: {found[1]}")
            return True
    return False


def run_error(entry, error_input, report):
    library, given = entry.capi, error_input.module_error_input
    args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
    where = summary(operations.Sample(args, (), kwargs))
    library.handles.clear()
    try:
        forward = error_input.error_on == ModuleErrorEnum.FORWARD_ERROR
        try:
            theirs = entry.info.module_cls(*args, **kwargs)
            if forward:
                theirs.train()
                theirs(*given.forward_input.args, **given.forward_input.kwargs)
            return
        except Exception as error:
            expected = str(error).split("\n")[0]
        if parser_error(expected):
            raise Unmapped("an error of Python's types")
        with report.error_input(where, expected):
            ours = entry.construct(args, kwargs)
            if forward:
                library.c.nn_train(ctypes.c_void_p(ours), True)
                entry.call(ours, given.forward_input.args, given.forward_input.kwargs, 1)
    except Unmapped as error:
        report.cannot("error input: " + str(error))
    finally:
        library.error()


def run(entry, dtypes, limit):
    warnings.filterwarnings("ignore")
    c = entry.capi.c
    report = Report(entry.name)
    for name in ("nn_to", "nn_train", "t_copy_"):
        getattr(c, name).restype = ctypes.c_void_p
    c.t_set_grad_enabled.restype = ctypes.c_bool
    for dtype in dtypes:
        if dtype not in (torch.float32, torch.float64):
            continue
        for training in (True, False) if entry.info.train_and_eval_differ else (True,):
            torch.manual_seed(11)
            given = entry.info.module_inputs_func(
                entry.info, device="cpu", dtype=dtype, requires_grad=True, training=training
            )
            for item in list(given)[:limit]:
                scope = c.t_scope_open()
                run_input(entry, item, dtype, training, report)
                c.t_scope_close(scope)
    if entry.info.module_error_inputs_func:
        for error_input in entry.info.module_error_inputs_func(
            entry.info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
        ):
            scope = c.t_scope_open()
            run_error(entry, error_input, report)
            c.t_scope_close(scope)
    return report


def entries(library):
    return [Entry(info, library) for info in module_db]
