"""tapegrad through ctypes: the plain functions of libtapegrad.so, called with what a step of a random graph holds.

An argument is a pair (kind, value), from which the call and its text in C are both made:
  n  a node            i  an int64         d  a double      b  a bool        s  a string or None
  x  a number, as t_number makes it         t  a tensor or NULL, by node      l  a list of nodes
  a  sizes or dims: an array and its length         v  tensors: an array and its length"""

import ctypes
import math
import os
import sys

import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../golden/sample_inputs"))
import library as capi  # noqa: E402

KINDS = {torch.bool: ctypes.c_bool, torch.int64: ctypes.c_int64, torch.float64: ctypes.c_double}
POINTER = ctypes.c_void_p


Refused = capi.Refused  # the library's error message


class Options(ctypes.Structure):  # t_TensorOptions
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("dtype", ctypes.c_int),
        ("requires_grad", ctypes.c_bool),
        ("generator", POINTER),
    ]


class BackwardOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("gradient", POINTER),
        ("retain_graph", ctypes.c_bool),
        ("create_graph", ctypes.c_bool),
    ]


class GradOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("grad_outputs", POINTER),
        ("retain_graph", ctypes.c_bool),
        ("create_graph", ctypes.c_bool),
        ("allow_unused", ctypes.c_bool),
        ("materialize_grads", ctypes.c_bool),
    ]


class Engine:
    def __init__(self, path):
        self.lib = capi.Library(path)
        self.plain = self.lib.c
        self.plain.t_error.restype = ctypes.c_char_p
        for name in ("t_numel", "t_dim", "t_size", "t_tolist", "t_live_count"):
            getattr(self.plain, name).restype = ctypes.c_int64
        for name in ("t_set_grad", "t_requires_grad"):
            getattr(self.plain, name).restype = ctypes.c_bool

    def call(self, name, *arguments):
        function = getattr(self.plain, name)
        function.restype = POINTER
        result = function(*arguments)
        if not result:
            raise Refused(self.said())
        return result

    def said(self):
        text = self.plain.t_error()
        self.plain.t_clear_error()
        return text.decode() if text else "NULL without an error"

    # ---- tensors in and out ----

    def tensor(self, values, requires_grad=False):
        code, kind = capi.DTYPES[values.dtype], KINDS[values.dtype]
        flat = values.detach().reshape(-1).tolist()
        data = (kind * max(len(flat), 1))(*flat)
        shape = (ctypes.c_int64 * max(values.dim(), 1))(*values.shape)
        options = Options(ctypes.sizeof(Options), code, requires_grad, None)
        return self.call("t_tensor_from_data", data, code, shape, values.dim(), ctypes.byref(options))

    def values(self, x):
        """As torch.float64; None for NULL."""
        if not x:
            return None
        count, rank = self.plain.t_numel(POINTER(x)), self.plain.t_dim(POINTER(x))
        values = (ctypes.c_double * max(count, 1))()
        if self.plain.t_tolist(POINTER(x), values, ctypes.c_int64(count)) != count:
            raise Refused(self.said())
        shape = [self.plain.t_size(POINTER(x), ctypes.c_int64(d)) for d in range(rank)]
        return torch.tensor(values[:count], dtype=torch.float64).reshape(shape)

    def grad(self, leaf):
        function = self.plain.t_grad
        function.restype = POINTER
        return self.values(function(POINTER(leaf)))

    # ---- a step ----

    def arguments(self, step, nodes):
        out = []
        for kind, value in step.arguments:
            if kind == "n":
                out.append(POINTER(nodes[value]))
            elif kind == "t":
                out.append(POINTER(nodes[value]) if value is not None else POINTER(None))
            elif kind == "i":
                out.append(ctypes.c_int64(value))
            elif kind == "d":
                out.append(ctypes.c_double(value))
            elif kind == "b":
                out.append(ctypes.c_bool(value))
            elif kind == "s":
                out.append(ctypes.c_char_p(value.encode() if value is not None else None))
            elif kind == "x":
                out.append(POINTER(self.call("t_number", ctypes.c_double(value))))
            elif kind == "l":
                items = (POINTER * len(value))(*[nodes[i] for i in value])
                out.append(POINTER(self.call("t_list_new", items, ctypes.c_int64(len(value)))))
            elif kind == "v":
                out += [(POINTER * len(value))(*[nodes[i] for i in value]), ctypes.c_int(len(value))]
            elif kind == "a":
                out += [(ctypes.c_int64 * max(len(value), 1))(*value), ctypes.c_int(len(value))]
        return out

    def run(self, step, nodes):
        result = self.call(step.function, *self.arguments(step, nodes))
        if step.item is not None:
            result = self.call("t_list_get", POINTER(result), ctypes.c_int64(step.item))
        return result

    def backward(self, y, gradient):
        options = BackwardOptions(ctypes.sizeof(BackwardOptions), gradient, True, False)
        function = self.plain.t_backward
        function.restype = ctypes.c_bool
        if not function(POINTER(y), ctypes.byref(options)):
            raise Refused(self.said())

    def list_of(self, items):
        return POINTER(self.call("t_list_new", (POINTER * max(len(items), 1))(*items), ctypes.c_int64(len(items))))

    def gradients(self, outputs, inputs, weights):
        """torch.autograd.grad with create_graph; zeros where an output does not depend on an input."""
        options = GradOptions(ctypes.sizeof(GradOptions), self.list_of(weights), True, True, True, True)
        made = self.call("t_autograd_grad", self.list_of(outputs), self.list_of(inputs), ctypes.byref(options))
        return [self.call("t_list_get", POINTER(made), ctypes.c_int64(i)) for i in range(len(inputs))]

    def scope(self):
        return Scope(self.plain)


class Scope:
    def __init__(self, library):
        self.plain = library

    def __enter__(self):
        self.depth = self.plain.t_scope_open()

    def __exit__(self, *_):
        self.plain.t_scope_close(self.depth)


# ---- the same as C ----


def number(value):
    return "INFINITY" if value == math.inf else "-INFINITY" if value == -math.inf else repr(float(value))


def argument_in_c(kind, value):
    if kind == "n":
        return f"x{value}"
    if kind == "t":
        return "NULL" if value is None else f"x{value}"
    if kind == "i":
        return "T_NONE" if value == -1 << 63 else str(value)
    if kind == "d":
        return number(value)
    if kind == "b":
        return "true" if value else "false"
    if kind == "s":
        return "NULL" if value is None else f'"{value}"'
    if kind == "x":
        return f"t_number({number(value)})"
    if kind == "l":
        items = ", ".join(f"x{i}" for i in value)
        return f"(t_list_new)((Tensor *[]){{{items}}}, {len(value)})"
    if kind == "v":
        return f"(Tensor *[]){{{', '.join(f'x{i}' for i in value)}}}, {len(value)}"
    sizes = ", ".join(str(v) for v in value)
    return f"(int64_t[]){{{sizes}}}, {len(value)}" if value else "NULL, 0"


def step_in_c(step):
    if hasattr(step, "entry"):
        return f"/* x{step.out} {'is written to by' if step.inplace else '='} {step.text()}, seed {step.seed} */"
    call = f"({step.function})({', '.join(argument_in_c(*a) for a in step.arguments)})"
    if step.item is not None:
        call = f"t_list_get({call}, {step.item})"
    return f"{call};" if step.inplace else f"Tensor *x{step.out} = {call};"
