"""From a call of PyTorch to the slots of a C function: by the names of the arguments, then by their order."""

import inspect
import re

import torch

from library import Pointer, Unmapped

# Arguments that select a device, a layout or an implementation: they mean nothing here.
WITHOUT_MEANING = {
    "return_indices",
    "out",
    "layout",
    "device",
    "pin_memory",
    "memory_format",
    "non_blocking",
    "_stacklevel",
    "compute_mode",
    "names",
    "size_average",
    "reduce_",
    "recompute_scale_factor",
    "copy",
    "check_contiguous_",
}
# PyTorch's word, the words here. The first argument of all is matched by its order.
SYNONYMS = {
    "input": ["x", "A", "input"],
    "self": ["x", "A", "input"],
    "vec2": ["vec2", "other"],
    "ord": ["p", "ord"],
    "shape": ["size", "shape", "target_shape"],
    "size": ["shape", "size", "output_size"],
    "n": ["n", "p"],
    "unbiased": ["correction"],
    "sizes": ["size", "sizes", "split_sizes", "dims"],
    "indices_or_sections": ["sections", "indices"],
    "split_size_or_sections": ["split_size", "split_sizes"],
    "split_size": ["split_sizes"],
    "tensor_indices_or_sections": ["sections", "indices"],
    "sorted_sequence": ["sorted_sequence"],
    "maxnorm": ["maxnorm"],
    "value": ["value", "src", "fill_value", "exponent"],
    "src": ["src", "source"],
    "lambda": ["lambd"],
    "dims": ["dims", "dim"],
    "dim": ["dim", "dims", "dimension"],
    "tensors": ["tensors", "operands", "matrices"],
    "mat": ["mat"],
    "end": ["end", "high"],
    "hidden": [],
    "upper_bound": ["max"],
}
# Where None, or an argument that is not given, is not the C type's usual value for None.
NONE_IS = {
    ("t_round", "decimals"): 0,
    ("t_round_", "decimals"): 0,
    ("t_logit", "eps"): -1.0,
    ("t_logit_", "eps"): -1.0,
    ("t_var", "correction"): 1,
    ("t_std", "correction"): 1,
    ("t_var_mean", "correction"): 1,
    ("t_std_mean", "correction"): 1,
    ("t_diagonal_scatter", "dim2"): 1,
    ("t_slice", "step"): 1,
    ("t_slice_scatter", "step"): 1,
    ("t_full_like", "fill_value"): 0.0,
    ("t_randint", "low"): 0,
    ("t_randint_like", "low"): 0,
}


class Signature:
    """Names of PyTorch's arguments in order, with defaults."""

    def __init__(self, names, defaults, positional=None, varargs=None, types=None):
        self.names, self.defaults, self.varargs, self.types = names, defaults, varargs, types or {}
        self.positional = len(names) if positional is None else positional

    def bind(self, args, kwargs):
        given = dict(zip(self.names, args[: self.positional]))
        if len(args) > self.positional:
            if self.varargs is None and self.positional and self.integers(args[self.positional - 1 :]):
                given[self.names[self.positional - 1]] = tuple(args[self.positional - 1 :])  # x.view(2, 3)
            elif self.varargs:
                given[self.varargs] = tuple(args[self.positional :])
            else:
                return None
        if any(name != "requires_grad" and name not in self.names or name in given for name in kwargs):
            return None
        given.update(kwargs)
        return given

    @staticmethod
    def integers(values):
        return all(isinstance(v, int) and not isinstance(v, bool) for v in values)


def schemas(name):
    found = []
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        arguments = [a for a in schema.arguments if not a.is_out]
        if (
            len(arguments) < len(schema.arguments)
            or schema.overload_name in ("int", "float", "Scalar", "complex", "bool")
            and not any("Tensor" in str(a.type) for a in arguments)
        ):
            continue
        positional = sum(not a.kwarg_only for a in arguments)
        found.append(
            Signature(
                [a.name for a in arguments],
                {a.name: a.default_value for a in arguments if a.has_default_value()},
                positional,
                types={a.name: str(a.type) for a in arguments},
            )
        )
    return found


def fits(value, type_):
    """Whether a schema's type takes the value, and how well: 0 exactly, 1 by conversion, None not."""
    optional = type_.startswith("Optional[")
    if optional:
        type_ = type_[9:-1]
        if value is None:
            return 0
    if type_ == "Tensor":
        return (
            0
            if isinstance(value, (torch.Tensor, Pointer))
            else 1 if isinstance(value, (int, float, bool, complex)) else None
        )
    if type_.startswith("List["):
        if isinstance(value, (tuple, list)):
            return 0 if all(fits(v, type_[5:-1]) is not None for v in value) else None
        return 1 if fits(value, type_[5:-1]) is not None and not isinstance(value, torch.Tensor) else None
    if type_ == "bool":
        return 0 if isinstance(value, bool) else None
    if type_ == "int":
        return (
            0
            if isinstance(value, int) and not isinstance(value, bool)
            else (
                1
                if isinstance(value, torch.dtype)
                or (isinstance(value, torch.Tensor) and value.dim() == 0 and not value.is_floating_point())
                else None
            )
        )
    if type_ in ("float", "number"):
        return (
            0
            if isinstance(value, (int, float, complex))
            else 1 if (isinstance(value, torch.Tensor) and value.dim() == 0) else None
        )
    if type_ == "str":
        return 0 if isinstance(value, str) else None
    return 1


def signature_of(op, args, kwargs, aten):
    """The Signature of PyTorch's function that takes these arguments, and what they are bound to; all signatures."""
    choices = []
    if "inplace" not in aten and hasattr(torch.nn.functional, aten + "_with_indices"):
        op = getattr(torch.nn.functional, aten + "_with_indices")  # F.max_pool2d: return_indices chooses
    try:
        signature = inspect.signature(op)
        parameters = list(signature.parameters.values())
        if (
            getattr(op, "__name__", "") != "<lambda>"
            and parameters
            and not all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
        ):
            names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            positional = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
            varargs = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), None)
            defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
            choices.append(Signature(names + ([varargs] if varargs else []), defaults, positional, varargs))
    except (ValueError, TypeError, AttributeError):
        pass
    wrapped = getattr(torch.nn.functional, aten, None)
    if getattr(op, "__name__", "") == "<lambda>" and inspect.isfunction(wrapped):
        return signature_of(wrapped, args, kwargs, aten)
    best = None
    overloads = schemas(aten)
    for choice in choices + overloads:
        given = choice.bind(args, kwargs)
        if given is None:
            continue
        if any(n not in given and n not in choice.defaults for n in choice.names if n != choice.varargs):
            continue
        scores = [fits(v, choice.types[n]) if n in choice.types else 0 for n, v in given.items()]
        if any(s is None for s in scores):
            continue
        if best is None or sum(scores) < best[0]:
            best = sum(scores), choice, given
    return (best[1], best[2], choices + overloads) if best else (None, None, choices + overloads)


def slot_for(name, slots, value):
    for word in [name] + SYNONYMS.get(name, []):
        for slot in slots:
            if slot.name == word and takes(slot, value):
                return slot
    return None


def takes(slot, value):
    """Whether a value of Python can be what the slot takes: to choose between functions."""
    if value is None or slot.kind == "unknown":
        return True
    if slot.kind == "tensor":
        return isinstance(value, (torch.Tensor, int, float, complex)) or slot.name.endswith("lengths")
    if slot.kind in ("list", "tensors"):
        return isinstance(value, (tuple, list)) or isinstance(value, torch.Tensor)
    if slot.kind == "int":
        return (
            isinstance(value, int)
            or isinstance(value, (tuple, list))
            and len(value) == 1
            or (isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_floating_point())
        )
    if slot.kind == "double":
        return (
            isinstance(value, (int, float))
            or isinstance(value, str)
            and value in ("fro", "nuc", "inf", "-inf")
            or (isinstance(value, torch.Tensor) and value.numel() == 1)
        )
    if slot.kind == "bool":
        return isinstance(value, (bool, int))
    if slot.kind == "text":
        return isinstance(value, str)
    if slot.kind == "dtype":
        return isinstance(value, torch.dtype)
    if slot.kind in ("sizes", "fixed", "doubles"):
        return (
            isinstance(value, (int, tuple, list, torch.Size, torch.Tensor))
            or slot.kind == "fixed"
            and isinstance(value, str)
        )
    return True


def bind(function, op, args, kwargs, aten):
    """{slot: value} for all slots of the function; raises Unmapped with the reason."""
    signature, given, all_signatures = signature_of(op, args, kwargs, aten)
    if signature is None and not args and not kwargs:
        signature, given = Signature([], {}), {}
    if signature is None:
        raise Unmapped("no signature of PyTorch takes these arguments")
    bound, left = {}, []
    slots = [s for s in function.slots]
    for i, (name, value) in enumerate(given.items()):
        if name in WITHOUT_MEANING:
            continue
        if name == "unbiased":
            name, value = "correction", int(value)
        slot = next((s for s in slots if s.name == name and s not in bound and takes(s, value)), None)
        if (
            slot is None
            and i == 0
            and (args or name in ("self", "input"))
            and slots
            and not (isinstance(value, torch.Tensor) is False and slots[0].kind == "text")
        ):
            slot = slots[0] if takes(slots[0], value) and slots[0] not in bound else None
        slot = slot or slot_for(name, [s for s in slots if s not in bound], value)
        if slot is None:
            left.append((i, name, value))
        else:
            bound[slot] = value
    for i, name, value in left:
        slot = slots[i] if i < len(slots) else None
        if (
            slot is not None
            and slot not in bound
            and name in signature.names[: signature.positional]
            and takes(slot, value)
        ):
            bound[slot] = value
        elif value is not None and not (name in signature.defaults and same(value, signature.defaults[name])):
            raise Unmapped(f"no argument {name} in {function.name}")
    for slot in slots:
        if bound.get(slot) is None:
            default = None
            if (function.name, slot.name) in NONE_IS:
                default = NONE_IS[function.name, slot.name]
            elif slot.field:
                if slot in bound and slot.kind not in ("double", "int", "text", "fixed"):
                    bound.pop(slot)  # the struct has the default
                continue
            elif slot not in bound:
                for choice in [signature] + all_signatures:
                    words = [slot.name] + [w for w, others in SYNONYMS.items() if slot.name in others]
                    default = next((choice.defaults[w] for w in words if choice.defaults.get(w) is not None), None)
                    if default is not None:
                        break
                if default is None:
                    default = function.default(slot.name)
            bound[slot] = default
    return bound


def same(a, b):
    try:
        return bool(a == b)
    except Exception:
        return False


def words(text):
    return re.sub(r"\s+", " ", text).strip()
