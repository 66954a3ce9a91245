"""Shows tensors in gdb and lldb: `p x` prints shape, dtype and values as t_print does.

    gdb:  source core/package/debugger/tapegrad_debugger.py
    lldb: command script import core/package/debugger/tapegrad_debugger.py

A line in ~/.gdbinit or ~/.lldbinit does it for every session. The program needs -g for its own variables; the library
needs none. Nothing of the program is called, only its memory is read, so that core dumps work too.

The library has the positions of the fields in tg_debugger_layout (core/autograd/tape.c). Python runs inside of the
debugger; neither the library nor the programs need it.
"""
import math
import struct

PRECISION, THRESHOLD, EDGE_ITEMS, LINE_WIDTH = 4, 1000, 3, 80  # as in core/ops/print.c

LAYOUT = ("class", "storage", "offset", "ndim", "dtype", "is_parameter", "requires_grad", "shape", "strides", "record",
          "data", "op", "grad_fn", "max_dims")
# t_DType: name and format of struct.unpack; a bfloat16, read as an integer, is the upper half of a float32
DTYPES = dict(enumerate([("bool", "?"), ("uint8", "B"), ("int8", "b"), ("int16", "h"), ("int32", "i"), ("int64", "q"),
                         ("float16", "e"), ("bfloat16", "H"), ("float32", "f"), ("float64", "d")], 1))


class Unreadable(Exception):
    """What is shown in place of a tensor."""


class Tensor:
    """The fields of the tensor at an address. read(address, size) returns bytes of the program."""

    def __init__(self, address, read, symbol):
        self.read = read
        if address == 0:
            raise Unreadable("NULL")
        layout, tensor_class = symbol("tg_debugger_layout"), symbol("tg_tensor_class")
        if not layout or not tensor_class:
            raise Unreadable("tensor (the library is not loaded yet, or is stripped)")
        at = dict(zip(LAYOUT, self.unpack(layout, "i" * len(LAYOUT))))
        if self.pointer(address + at["class"]) != tensor_class:
            raise Unreadable("not a live tensor")
        self.ndim, = self.unpack(address + at["ndim"], "i")
        dtype, = self.unpack(address + at["dtype"], "i")
        if not 0 <= self.ndim <= at["max_dims"] or dtype not in DTYPES:
            raise Unreadable("damaged tensor: ndim %d, dtype %d" % (self.ndim, dtype))
        self.dtype, self.code = DTYPES[dtype]
        self.shape = self.unpack(address + at["shape"], "q" * self.ndim)
        self.strides = self.unpack(address + at["strides"], "q" * self.ndim)
        self.offset, = self.unpack(address + at["offset"], "q")
        self.is_parameter, = self.unpack(address + at["is_parameter"], "?")
        self.requires_grad, = self.unpack(address + at["requires_grad"], "?")
        self.data = self.pointer(address + at["storage"]) + at["data"]
        record = self.pointer(address + at["record"])
        name = self.pointer(self.pointer(record + at["op"]) + at["grad_fn"]) if record else 0
        self.grad_fn = self.string(name) if name else None
        self.numel = math.prod(self.shape)

    def unpack(self, address, codes):
        return struct.unpack("=" + codes, self.read(address, struct.calcsize("=" + codes))) if codes else ()

    def pointer(self, address):
        return self.unpack(address, "Q")[0]

    def string(self, address, longest=200):
        letters = b""
        while len(letters) < longest:
            letter = self.read(address + len(letters), 1)
            if letter == b"\0":
                break
            letters += letter
        return letters.decode("utf-8", "replace")

    def element(self, at):
        """The element at a position in the storage, counted in elements."""
        value = self.unpack(self.data + at * struct.calcsize("=" + self.code), self.code)[0]
        return struct.unpack("=f", struct.pack("=I", value << 16))[0] if self.dtype == "bfloat16" else value


# ---- the text of t_print: core/ops/print.c explains the steps ----

def shown(size, summarize):
    """The indices of a dim that are shown; None stands for "..."."""
    if summarize and size > 2 * EDGE_ITEMS:
        return [*range(EDGE_ITEMS), None, *range(size - EDGE_ITEMS, size)]
    return list(range(size))


def elements(x, dim, at, summarize):
    if dim == x.ndim:
        yield x.element(at)
        return
    for i in shown(x.shape[dim], summarize):
        if i is not None:
            yield from elements(x, dim + 1, at + i * x.strides[dim], summarize)


def choose_format(x, summarize):
    """A function from a value to its text, and the width of a column."""
    values = list(elements(x, 0, x.offset, summarize))
    if "float" not in x.dtype:
        return str, max(len(str(value)) for value in values)
    finite = [value for value in values if value != 0 and math.isfinite(value)]
    sizes = [abs(value) for value in finite] or [1.0]
    if any(value != math.ceil(value) for value in finite):
        pattern = "%.*f"
    else:
        pattern = "%.*f."
    if max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4:
        pattern = "%.*e"
    digits = 0 if pattern == "%.*f." else PRECISION

    def text(value):
        if not math.isfinite(value):
            return str(value)
        return pattern % (digits, value)
    return text, max([1] + [len(text(value)) for value in finite])


def block(x, dim, at, indent, summarize, text, width):
    """The dims from dim on; indent is the column of the opening bracket."""
    if dim == x.ndim:
        return text(x.element(at)).rjust(width)
    entries = shown(x.shape[dim], summarize)
    inner = [" ..." if i is None and dim == x.ndim - 1 else "..." if i is None else
             block(x, dim + 1, at + i * x.strides[dim], indent + 1, summarize, text, width) for i in entries]
    start = " " * (indent + 1)
    if dim < x.ndim - 1:
        return "[" + ("," + "\n" * (x.ndim - 1 - dim) + start).join(inner) + "]"
    per_line = max(1, (LINE_WIDTH - indent) // (width + 2))
    lines = [", ".join(inner[i:i + per_line]) for i in range(0, len(inner), per_line)]
    return "[" + (",\n" + start).join(lines) + "]"


def tensor_text(x):
    before = "tensor("
    indent = len(before)
    text = ("Parameter containing:\n" if x.is_parameter else "") + before
    suffixes = []
    if x.numel:
        summarize = x.numel > THRESHOLD
        text += block(x, 0, x.offset, indent, summarize, *choose_format(x, summarize))
    else:
        text += "[]"
        if x.ndim != 1:
            suffixes.append("size=(" + ", ".join(map(str, x.shape)) + ")")
    if x.dtype not in ("float32", "int64", "bool") or (x.numel == 0 and x.dtype != "float32"):
        suffixes.append("dtype=torch." + x.dtype)
    if x.grad_fn:
        suffixes.append("grad_fn=<" + x.grad_fn + ">")
    elif x.requires_grad:
        suffixes.append("requires_grad=True")
    line = len(text) - text.rfind("\n") if "\n" in text else len(text) + 2
    for suffix in suffixes:
        if line + len(suffix) + 2 > LINE_WIDTH:
            text += ",\n" + " " * indent + suffix
            line = indent + len(suffix)
        else:
            text += ", " + suffix
            line += len(suffix) + 2
    return text + ")"


def describe(address, read, symbol):
    """tensor(shape (2, 3), float32): tensor([[...]])"""
    try:
        x = Tensor(address, read, symbol)
        shape = "(" + ", ".join(map(str, x.shape)) + ("," if x.ndim == 1 else "") + ")"
        return "shape %s, %s: %s" % (shape, x.dtype, tensor_text(x))
    except Unreadable as why:
        return "<%s>" % why


# ---- gdb ----

class GdbPrinter:
    def __init__(self, address):
        self.address = address

    def to_string(self):
        def read(address, size):
            try:
                return bytes(gdb.selected_inferior().read_memory(address, size))
            except gdb.MemoryError:
                raise Unreadable("no tensor: memory at 0x%x is not readable" % address)

        def symbol(name):
            try:
                return int(gdb.parse_and_eval("(unsigned long) &" + name))
            except gdb.error:
                return 0
        return describe(self.address, read, symbol)


def gdb_printer(value):
    """Of a Tensor *, or of the struct where its fields are known; None for other types."""
    pointer = value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
    target = (value.type.strip_typedefs().target() if pointer else value.type).unqualified().strip_typedefs()
    if target.code != gdb.TYPE_CODE_STRUCT or target.tag != "Tensor":
        return None
    if not pointer and value.address is None:
        return None
    return GdbPrinter(int(value if pointer else value.address))


# ---- lldb ----

def lldb_summary(value, _):
    process, target = value.GetProcess(), value.GetTarget()

    def read(address, size):
        error = lldb.SBError()
        data = process.ReadMemory(address, size, error)
        if not error.Success():
            raise Unreadable("no tensor: memory at 0x%x is not readable" % address)
        return data

    def symbol(name):
        for context in target.FindSymbols(name):
            address = context.GetSymbol().GetStartAddress().GetLoadAddress(target)
            if address != lldb.LLDB_INVALID_ADDRESS:
                return address
        return 0
    pointer = value.GetType().IsPointerType()
    return describe(value.GetValueAsUnsigned() if pointer else value.GetLoadAddress(), read, symbol)


def __lldb_init_module(debugger, _):
    debugger.HandleCommand("type summary add --python-function %s.lldb_summary 'Tensor *' 'struct Tensor *' Tensor"
                           % __name__)


try:
    import gdb
    gdb.pretty_printers.append(gdb_printer)
except ImportError:
    import lldb
