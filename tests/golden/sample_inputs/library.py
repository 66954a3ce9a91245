"""libtapegrad.so through ctypes, with the signatures that the public headers have: plain functions, option structs,
exported defaults, aliases. Tensors cross with their strides.

A parameter of C is a Slot: a name and what it takes. An array and its length are one slot; a struct of options is a
slot for each of its fields; Tensor **indices is a further result."""

import ctypes
import glob
import math
import re

import torch

DTYPES = {
    torch.bool: 1,
    torch.uint8: 2,
    torch.int8: 3,
    torch.int16: 4,
    torch.int32: 5,
    torch.int64: 6,
    torch.float16: 7,
    torch.bfloat16: 8,
    torch.float32: 9,
    torch.float64: 10,
}
DTYPE_OF = {number: dtype for dtype, number in DTYPES.items()}
NONE = -(2**63)
BOTH, SAME, VALID = NONE + 1, NONE + 2, NONE + 3  # F_BOTH, F_SAME, F_VALID
FRO, NUC = -(2.0**1000), -(2.0**1001)  # T_FRO, T_NUC


class Unmapped(Exception):
    """The call cannot be written in C: the reason."""


class Refused(Exception):
    """The library reported an error: its sentence."""


SCALARS = {
    "int64_t": ctypes.c_int64,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "uint32_t": ctypes.c_uint32,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
    "t_DType": ctypes.c_int,
    "size_t": ctypes.c_size_t,
}
RESULTS = {"double": ctypes.c_double, "int64_t": ctypes.c_int64, "bool": ctypes.c_bool, "int": ctypes.c_int}


class Pointer(int):
    """A tensor of ours as an argument."""


class Slot:
    def __init__(self, name, kind, length=0, field=None):
        self.name, self.kind, self.length, self.field = name, kind, length, field

    def __repr__(self):
        return f"{self.name}:{self.kind}"


class Function:
    """A prototype: slots in order, and how the arguments of the call are made of them."""

    def __init__(self, name, result, parameters, comment, headers):
        self.name, self.result, self.comment = name, result, comment
        self.slots, self.outs, self.out_lists, self.layout, self.options = [], [], [], [], None
        i = 0
        while i < len(parameters):
            type_, word, length = parameters[i]
            following = parameters[i + 1] if i + 1 < len(parameters) else None
            counted = (
                following
                and following[0] in ("int", "int64_t")
                and not length
                and (following[0] == "int" or following[1] == "count")
            )
            plain = type_.replace("const ", "").replace(" ", "")
            if plain == "Tensor*":
                self.add(word, "tensor")
            elif plain == "Tensor**" and "const" not in type_:
                self.outs.append(word)
                self.layout.append(("out", word))
            elif plain == "t_TensorList**":
                self.outs.append(word)
                self.out_lists.append(word)
                self.layout.append(("out", word))
            elif plain in ("Tensor**", "Tensor*const*") and counted:
                self.add(word, "tensors")
                i += 1
            elif plain == "t_TensorList*":
                self.add(word, "list")
            elif plain == "int64_t*":
                self.add(word, "sizes" if counted else "fixed", length)
                i += bool(counted)
            elif plain == "char*":
                self.add(word, "text")
            elif plain == "t_Generator*":
                self.layout.append(("null", word))
            elif plain.endswith("*") and plain[:-1] in headers.structs:
                self.options = plain[:-1]
                self.layout.append(("options", word))
                for field, kind, count in headers.structs[self.options]:
                    if kind == "out":
                        self.outs.append(field)
                    elif field != "size":
                        self.slots.append(Slot(field, kind, count, field))
            elif type_ in ("int64_t", "int"):
                self.add(word, "int")
            elif type_ in ("double", "bool"):
                self.add(word, type_)
            elif type_ == "t_DType":
                self.add(word, "dtype")
            else:
                self.layout.append(("null", word))
                self.slots.append(Slot(word, "unknown"))
            i += 1

    def add(self, word, kind, length=0):
        self.slots.append(Slot(word, kind, length))
        self.slots[-1].owner = self.name
        self.layout.append(("slot", self.slots[-1]))

    def default(self, word):
        """name=value in the comment after the prototype, which is the PyTorch spelling."""
        found = re.search(rf"\b{word}=([\w.\"-]+)", self.comment)
        if not found:
            return None
        try:
            return eval(found.group(1), {"__builtins__": {}}, {})
        except Exception:
            return None


class Headers:
    def __init__(self, root):
        self.functions, self.structs, self.aliases, self.defaults, self.ctypes_of, self.same = {}, {}, {}, {}, {}, {}
        texts = {}
        for folder in ("core", "nn", "optim"):
            for path in sorted(glob.glob(f"{root}/{folder}/**/*.h", recursive=True)):
                if "_internal" not in path and "/plot/" not in path:
                    texts[path] = open(path).read()
        for text in texts.values():
            for alias, name in re.findall(r"^#define (\w+) (\w+) *$", text, re.M):
                self.aliases[alias] = name
            bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            for name, fields in re.findall(r"^typedef struct (?:\w+ )?\{([^{}]*)\} (\w+);", bare, re.M | re.S):
                self.struct(fields, name)
            for struct, names in re.findall(r"\bextern (?:T_API )?const (\w+) ([\w, ]+);", bare):
                for name in names.split(","):
                    self.defaults.setdefault(struct, []).append(name.strip())
            for name, other in re.findall(r"^typedef (\w+) (\w+);", bare, re.M):
                if name in self.structs:
                    self.structs[other], self.ctypes_of[other] = self.structs[name], self.ctypes_of[name]
                    self.same[other] = name
        for other, name in self.same.items():
            self.defaults[other] = self.defaults.get(name, [])
        for text in texts.values():
            for result, name, parameters, comment in re.findall(
                r"^T_API ([\w ]+?[ *]+)(\w+)\(([^;]*)\);[ \t\n]*(/\*.*?\*/)?", text, re.M | re.S
            ):
                if re.search(r"typedef|[(]|[.][.][.]", parameters):
                    continue  # a function for a callback, which no sample needs
                parameters = re.sub(r"/\*.*?\*/", "", parameters, flags=re.S)
                self.functions[name] = Function(
                    name, re.sub(r"\s", "", result.replace("const", "")), self.parameters(parameters), comment, self
                )

    def parameters(self, text):
        parameters = []
        for part in re.sub(r"\s+", " ", text).split(","):
            part = part.strip()
            if part in ("void", ""):
                continue
            found = re.fullmatch(r"(.*?)(\w+)(?:\[(\d+)\])?", part)
            type_, word, length = found.group(1).strip(), found.group(2), int(found.group(3) or 0)
            if length:
                type_ += " *"
            parameters.append((type_.replace(" *", "*").replace("*", " *").strip(), word, length))
        return parameters

    def struct(self, name, fields):
        """A struct of options is one whose first field is size."""
        if not re.match(r"\s*uint32_t size;", fields):
            return
        listed, members = [], []
        for declaration in fields.split(";"):
            declaration = re.sub(r"\s+", " ", declaration).strip()
            if not declaration:
                continue
            callback = re.search(r"\(\*(\w+)\)\(", declaration)
            if callback:
                members.append((callback.group(1), ctypes.c_void_p))
                listed.append((callback.group(1), "unknown", 0))
                continue
            found = re.match(r"((?:const )?(?:struct )?\w+)\b ?(.*)", declaration)
            type_ = found.group(1)
            for word in found.group(2).split(","):
                found = re.fullmatch(r"([^\w]*(?:const)?[^\w]*?)(\w+)(?:\[(\w+)\])?", word.strip())
                if not found:
                    return
                stars, word, length = found.groups()
                stars = stars.replace(" ", "")
                kind, c = "unknown", ctypes.c_void_p
                plain = type_.replace("const ", "")
                if stars:
                    kind = {"Tensor*": "tensor", "Tensor**": "out", "t_TensorList*": "list", "char*": "text"}.get(
                        plain + stars, "unknown"
                    )
                elif plain in SCALARS:
                    c = SCALARS[plain]
                    kind = {"int64_t": "int", "t_DType": "dtype", "uint32_t": "int"}.get(plain, plain)
                if length:
                    if not length.isdigit():
                        return
                    c, kind = c * int(length), {"int": "fixed", "double": "doubles"}.get(kind, "unknown")
                members.append((word, c))
                listed.append((word, kind, int(length or 0)))
        self.structs[name] = listed
        self.ctypes_of[name] = type(name, (ctypes.Structure,), {"_fields_": members})


class Library:
    def __init__(self, path, root="."):
        self.c, self.headers = ctypes.CDLL(path), Headers(root)
        self.c.t_error_message.restype = ctypes.c_char_p
        self.c.t_data_ptr.restype = ctypes.c_void_p
        self.c.t_shape.restype = ctypes.POINTER(ctypes.c_int64)
        self.c.t_size.restype = self.c.t_numel.restype = self.c.t_dim.restype = ctypes.c_int64
        for name in (
            "t_tensor_from_data t_as_strided t_detach t_requires_grad_ t_contiguous t_number t_integer t_boolean "
            "t_list_new t_list_get t_autograd_grad t_to t_grad t_clone"
        ).split():
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.t_requires_grad.restype = ctypes.c_bool
        self.c.t_number.argtypes = [ctypes.c_double]
        self.c.t_integer.argtypes = [ctypes.c_int64]
        self.handles = {}

    # ---- tensors ----

    def error(self):
        text = self.c.t_error_message()
        self.c.t_clear_error()
        return text.decode(errors="replace") if text else None

    def checked(self, pointer):
        text = self.error()
        if text is not None or not pointer:
            raise Refused(text or "no error set")
        return pointer

    def tensor(self, x):
        """A leaf with x's values, strides, offset and requires_grad. The same x gives the same tensor in one call."""
        if id(x) in self.handles:
            return self.handles[id(x)][0]
        if x.layout != torch.strided or x.device.type != "cpu":
            raise Unmapped("a sparse tensor or another device")
        if x.dtype not in DTYPES:
            raise Unmapped("complex numbers" if x.is_complex() else f"dtype {x.dtype}")
        if x.dim() > 8:
            raise Unmapped("more than 8 dims")
        given, x = x, x.detach().resolve_neg()
        dtype, storage = DTYPES[x.dtype], x.untyped_storage()
        if x.is_contiguous():
            pointer = self.checked(
                self.c.t_tensor_from_data(
                    ctypes.c_void_p(x.data_ptr()) if x.numel() else self.int64s([]),
                    dtype,
                    self.int64s(x.shape),
                    x.dim(),
                    None,
                )
            )
        else:
            n = storage.nbytes() // x.element_size()
            base = self.checked(
                self.c.t_tensor_from_data(ctypes.c_void_p(storage.data_ptr()), dtype, self.int64s([n]), 1, None)
            )
            pointer = self.checked(
                self.c.t_as_strided(
                    ctypes.c_void_p(base),
                    self.int64s(x.shape),
                    x.dim(),
                    self.int64s(x.stride()),
                    x.dim(),
                    ctypes.c_int64(x.storage_offset()),
                )
            )
            pointer = self.checked(self.c.t_detach(ctypes.c_void_p(pointer)))
        if given.requires_grad:
            self.checked(self.c.t_requires_grad_(ctypes.c_void_p(pointer), True))
        self.handles[id(given)] = pointer, given
        return pointer

    def number(self, value):
        if isinstance(value, bool):
            return self.c.t_boolean(value)
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise Unmapped("an integer of more than 64 bits")
            return self.c.t_integer(value)
        if isinstance(value, complex):
            raise Unmapped("complex numbers")
        return self.c.t_number(float(value))

    def list(self, items):
        pointers = [self.tensor(x) if isinstance(x, torch.Tensor) else self.operand(x) for x in items]
        array = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
        return self.checked(self.c.t_list_new(array, ctypes.c_int64(len(pointers))))

    def operand(self, value):
        if value is None:
            return None
        if isinstance(value, Pointer):
            return int(value)
        if isinstance(value, (bool, int, float, complex)):
            return self.number(value)
        if not isinstance(value, torch.Tensor):
            raise Unmapped(f"{type(value).__name__} for a tensor")
        return self.tensor(value)

    @staticmethod
    def int64s(values):
        return (ctypes.c_int64 * max(1, len(values)))(*values)

    def values(self, pointer):
        """A tensor of torch with the values and the dtype of one of ours."""
        x = ctypes.c_void_p(pointer)
        dim, dtype = self.c.t_dim(x), DTYPE_OF[self.c.t_dtype(x)]
        shape = self.c.t_shape(x)
        shape = [shape[i] for i in range(dim)]
        dense = ctypes.c_void_p(self.checked(self.c.t_contiguous(x)))
        numel = self.c.t_numel(dense)
        if not numel:
            return torch.empty(shape, dtype=dtype)
        data = ctypes.string_at(self.c.t_data_ptr(dense), numel * dtype.itemsize)
        return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)

    def strides(self, pointer):
        x = ctypes.c_void_p(pointer)
        self.c.t_stride.restype = ctypes.c_int64
        return [self.c.t_stride(x, ctypes.c_int64(i)) for i in range(self.c.t_dim(x))]

    def items(self, pointer):
        """The tensors of a list."""
        length = TensorList.from_address(pointer).len
        return [TensorList.from_address(pointer).items[i] for i in range(length)]

    # ---- calls ----

    def convert(self, slot, value):
        """The C arguments of one slot."""
        kind = slot.kind
        if kind == "tensor":
            if slot.name.endswith("lengths") and isinstance(value, (tuple, list)):
                value = torch.tensor(value)
            return [ctypes.c_void_p(self.operand(value))]
        if kind in ("list", "tensors"):
            if value is None:
                return [None] if kind == "list" else [None, 0]
            if isinstance(value, torch.Tensor):
                value = [value]
            if not isinstance(value, (list, tuple)):
                raise Unmapped(f"{type(value).__name__} for a list of tensors")
            if kind == "list":
                return [ctypes.c_void_p(self.list(value))]
            pointers = [self.operand(x) for x in value]
            return [(ctypes.c_void_p * max(1, len(pointers)))(*pointers), ctypes.c_int64(len(pointers))]
        if kind == "int":
            if value is None:
                return [ctypes.c_int64(NONE)]
            if isinstance(value, (tuple, list)) and len(value) == 1:
                value = value[0]
            if isinstance(value, torch.Tensor) and value.dim() == 0 and value.dtype in (torch.int64, torch.int32):
                value = int(value)
            if isinstance(value, torch.SymInt if hasattr(torch, "SymInt") else int):
                value = int(value)
            if not isinstance(value, int) or not -(2**63) <= value < 2**63:
                raise Unmapped(f"{type(value).__name__} for an integer ({slot.name})")
            return [ctypes.c_int64(value)]
        if kind == "double":
            if isinstance(value, str) and value in ("fro", "nuc", "inf", "-inf"):
                value = {"fro": FRO, "nuc": NUC}.get(value) or float(value)
            if isinstance(value, torch.Tensor) and value.numel() == 1:
                value = value.item()
            if value is not None and not isinstance(value, (int, float)):
                raise Unmapped(f"{type(value).__name__} for a number ({slot.name})")
            if value is None and slot.name == "spacing":
                value = 1  # torch.gradient's default
            return [ctypes.c_double(math.nan if value is None else float(value))]
        if kind == "bool":
            if not isinstance(value, (bool, int, type(None))):
                raise Unmapped(f"{type(value).__name__} for a bool ({slot.name})")
            return [ctypes.c_bool(bool(value))]
        if kind == "text":
            if value is not None and not isinstance(value, str):
                raise Unmapped(f"{type(value).__name__} for a text ({slot.name})")
            return [ctypes.c_char_p(value.encode() if value is not None else None)]
        if kind == "dtype":
            if isinstance(value, int):
                return [ctypes.c_int(value)]
            if value is not None and value not in DTYPES:
                raise Unmapped("complex numbers" if getattr(value, "is_complex", False) else f"dtype {value}")
            return [ctypes.c_int(DTYPES[value] if value is not None else 0)]
        if kind == "sizes" and value == "absent":
            return [None, ctypes.c_int(-1)]
        if kind == "sizes":
            values = self.ints(value, slot)
            return [self.int64s(values) if value is not None else None, ctypes.c_int(len(values))]
        if kind == "fixed":
            if value is None and not slot.field:
                return [None if not slot.length else self.int64s([NONE] * slot.length)]
            if slot.name == "output_size" and not slot.length:
                value = tuple(value)[2:] if len(value) > 3 or len(value) == 3 and slot.owner.endswith("1d") else value
            return [self.fixed(slot, value, slot.length or 6)]
        if kind == "doubles":
            values = list(value) if isinstance(value, (tuple, list)) else [value]
            values = [math.nan if v is None else float(v) for v in values]
            if slot.name == "scale_factor" and len(values) == 1:
                values += [math.nan] * (slot.length - 1)  # the same for all dims
            if len(values) != slot.length:
                raise Unmapped(f"{len(values)} numbers for {slot.length} ({slot.name})")
            return [(ctypes.c_double * slot.length)(*values)]
        if value is None:
            return [None]
        raise Unmapped(f"{type(value).__name__} for the C argument {slot.name}")

    def ints(self, value, slot):
        if value is None:
            return []
        if isinstance(value, (int, torch.SymInt)) or value is None:
            value = [value]
        if isinstance(value, torch.Tensor) and value.dim() <= 1 and not value.is_floating_point():
            value = value.reshape(-1).tolist()
        if not isinstance(value, (tuple, list, torch.Size)) or not all(
            isinstance(v, (int, type(None), torch.SymInt))
            or isinstance(v, torch.Tensor)
            and v.numel() == 1
            and not v.is_floating_point()
            for v in value
        ):
            raise Unmapped(f"{type(value).__name__} for integers ({slot.name})")
        return [NONE if v is None else int(v) for v in value]

    def fixed(self, slot, value, length):
        """Sizes in a C array of fixed length: one for all is followed by F_BOTH."""
        if isinstance(value, str):
            if value not in ("same", "valid"):
                raise Unmapped(f"a text for sizes ({slot.name})")
            values = [SAME if value == "same" else VALID]
        else:
            if isinstance(value, (tuple, list)) and not value:
                if slot.name != "stride":
                    raise Unmapped(f"no sizes ({slot.name})")
                value = None
            values = [NONE] if value is None else self.ints(value, slot)
            if slot.name == "output_size" and len(values) == length + 2:
                values = values[2:]  # of max_unpool: after the batch and the channels
            if len(values) > length:
                raise Unmapped(f"{len(values)} sizes for {length} ({slot.name})")
            if (isinstance(value, int) or value is None or len(values) == 1) and length > 1:
                values += [NONE if value is None else BOTH]
        return (ctypes.c_int64 * length)(*values)

    def call(self, function, bound, outs=0):
        """Calls with slot: value; the first `outs` further results are wanted. Returns pointers, lists of pointers or
        Python's numbers."""
        results = {word: ctypes.c_void_p() for word in function.outs[:outs]}
        arguments, kept = [], []
        for what, item in function.layout:
            if what == "slot":
                arguments += self.convert(item, bound[item])
            elif what == "out":
                arguments.append(ctypes.byref(results[item]) if item in results else None)
            elif what == "options":
                options = self.options(function, bound, results, kept)
                kept.append(options)
                arguments.append(ctypes.byref(options) if options is not None else None)
            else:
                arguments.append(None)
        c = getattr(self.c, function.name)
        c.restype = ctypes.c_void_p if function.result.endswith("*") else RESULTS.get(function.result)
        self.c.t_clear_error()
        result = c(*arguments)
        text = self.error()
        if text is not None or function.result.endswith("*") and not result:
            raise Refused(text or "no error set")
        if function.result == "t_TensorList*":
            return self.items(result)
        if results:
            return [result] + [
                tensor
                for word, pointer in results.items()
                for tensor in (self.items(pointer.value) if word in function.out_lists else [pointer.value])
            ]
        return result

    def options(self, function, bound, results, kept):
        struct = self.headers.ctypes_of[function.options]
        names = self.headers.defaults.get(function.options, [])
        base = re.sub(r"_new$", "", function.name) + "Defaults"
        name = base if base in names else names[0] if names else None
        options = struct()
        if name:
            ctypes.pointer(options)[0] = struct.in_dll(self.c, name)
        elif not results and not any(slot.field and slot in bound for slot in function.slots):
            return None
        options.size = ctypes.sizeof(struct)
        for slot in function.slots:
            if slot.field and slot in bound:
                converted = self.convert(slot, bound[slot])
                value = converted[0]
                kept.append(value)
                if slot.kind == "text":
                    value = ctypes.cast(value, ctypes.c_void_p)
                if isinstance(value, ctypes.c_void_p) or isinstance(value, ctypes._SimpleCData):
                    value = value.value
                setattr(options, slot.field, value)
        for word, pointer in results.items():
            if hasattr(options, word):
                setattr(options, word, ctypes.addressof(pointer))
        return options


class TensorList(ctypes.Structure):
    """t_TensorList: a t_Object, then len, capacity and items."""

    _fields_ = [
        ("is_a", ctypes.c_void_p),
        ("counts", ctypes.c_int32 * 4),
        ("neighbours", ctypes.c_void_p * 2),
        ("len", ctypes.c_int64),
        ("capacity", ctypes.c_int64),
        ("items", ctypes.POINTER(ctypes.c_void_p)),
    ]
