"""op_db: every operation that exists here with PyTorch's sample inputs: values, dtypes, shapes, gradients, in place,
and its error inputs."""

import contextlib
import ctypes
import re
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

import binding
import compare
from library import Pointer, Refused, Unmapped

DTYPES_RUN = [
    torch.float32,
    torch.float64,
    torch.int64,
    torch.bool,
    torch.float16,
    torch.bfloat16,
    torch.int32,
    torch.uint8,
]

CASTS = "bfloat16 bool byte char double float half int long short".split()
RENAMED = {  # an entry's name: the C function, where the rule does not find it
    "special.polygamma": "t_polygamma",
    "true_divide": "t_div",
    "trapz": "t_trapezoid",
    "constant_pad_nd": "F_pad",
    "grid_sampler_2d": "F_grid_sample",
    "grid_sampler_3d": "F_grid_sample",
    "T": None,
    "broadcast_shapes": None,  # takes no tensors
}
# A function with a further argument, which the macro calls: tried after the plain one.
VARIANTS = ["_as", "_alpha", "_mode", "_indices", "_dims", "_tuple", "_int64"]

REASONS = [  # a pattern of names, and why there is no counterpart
    (r"^fft\.|^(i?stft)$|windows", "Fourier transforms and window functions"),
    (
        r"complex|^(real|imag|angle|polar|conj.*|H|mH|vdot|isreal|cdouble|cfloat|chalf|resolve_(conj|neg))$"
        r"|linalg.(eig|eigvals|polar)$",
        "complex numbers",
    ),
    (r"^sparse|to_sparse|segment_reduce|^masked\.", "sparse and masked tensors"),
    (
        r"^torch\.|^_|_backward|^native_|jiterator|decomposed|triton|unsafe_|safe_|hash_tensor|nonzero_static"
        r"|empty_permuted|_strided$|resize|_copy$|sum_to_size|linear_cross_entropy|grid_sampler|scalar_tensor"
        r"|broadcast_shapes|^fill$|^T$|view_as_real",
        "internal to PyTorch, its compiler and its storages",
    ),
    (r"^special\.|^(i0|gcd|lcm|frexp|ldexp|nextafter|heaviside|positive)$", "rarer elementwise functions"),
    (r"geqrf|ormqr|lowrank|triangular_solve|^lu|ldl|cholesky", "decompositions that torch.linalg supersedes"),
    (r"upsample|fractional", "superseded or rarer resizing and pools"),
]


def reason(entry):
    name = entry.name if entry.op.variant_test_name in ("decomposed", "triton_optimized") else entry.op.name
    return next((text for pattern, text in REASONS if re.search(pattern, name)), None)


def function_names(name, headers):
    """C functions for an entry of op_db, by the porting rule."""
    if name in CASTS:
        return ["t_to"]
    if name in RENAMED:
        return [RENAMED[name]] if RENAMED[name] in headers.functions else []
    space, _, last = name.rpartition(".")
    prefixes = {
        "": ["t_", "F_"],
        "nn.functional": ["F_", "t_"],
        "linalg": ["linalg_"],
        "special": ["special_", "t_special_", "t_"],
    }
    found = []
    for prefix in prefixes.get(space, []):
        word = headers.aliases.get(prefix + last, prefix + last)
        for variant in [""] + (["_of_"] if last.endswith("_like") else VARIANTS):
            if word + variant in headers.functions and word + variant not in found:
                found.append(word + variant)
        if word == "t_split":
            found.append("t_split_with_sizes")
        if word == "t_arange":
            found.reverse()  # integers first
        if word in ("t_scatter",):
            found.append("t_scatter_reduce")
        if found:
            break
    if not found and f"t_{name}_" in headers.functions:
        found = [f"t_{name}_"]  # it exists in place only
    return found


# ---- calls that the rule does not cover ----


def index_text(index):
    """A Python index as the text that t_at takes, and its tensors."""
    parts, tensors = [], []
    for item in index if isinstance(index, tuple) else (index,):
        if isinstance(item, slice):
            bounds = ["" if v is None else str(int(v)) for v in (item.start, item.stop)]
            parts.append(":".join(bounds) + (f":{item.step}" if item.step is not None else ""))
        elif item is Ellipsis:
            parts.append("...")
        elif item is None:
            parts.append("None")
        elif isinstance(item, bool):
            raise Unmapped("a bool as an index")
        elif isinstance(item, int):
            parts.append(str(item))
        else:
            parts.append("{}")
            tensors.append(item if isinstance(item, torch.Tensor) else torch.tensor(item))
    return ", ".join(parts), tensors


def getitem(library, x, index):
    text, tensors = index_text(index)
    function = library.headers.functions["t_at"]
    return library.call(function, dict(zip(function.slots, [x, text, tensors])))


def swapped(name):
    return lambda library, x, other: plain(library, name, other, x)


def plain(library, name, *values):
    function = library.headers.functions[name]
    return library.call(function, dict(zip(function.slots, values)))


def cast(dtype):
    def call(library, x, memory_format=None):
        return plain(library, "t_to", x, dtype)

    return call


def rsub(library, x, other, alpha=None):
    if alpha is None:
        return plain(library, "t_sub", other, x)
    return plain(library, "t_sub_alpha", other, x, alpha)


def tensordot(library, a, b, dims=2):
    if isinstance(dims, int):
        return plain(library, "t_tensordot_of_", a, b, dims)
    return plain(library, "t_tensordot", a, b, dims[0], dims[1])


def to(library, x, *args, **kwargs):
    for value in list(args) + list(kwargs.values()):
        if isinstance(value, torch.dtype):
            return plain(library, "t_to", x, value)
        if isinstance(value, torch.Tensor):
            return plain(library, "t_type_as", x, value)
    return plain(library, "t_to", x, x.dtype)


def einsum(library, operands, equation):
    return plain(library, "t_einsum", equation, operands)


def unique(library, x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    return unique_of(library, "t_unique", x, [sorted, dim], return_inverse, return_counts)


def unique_consecutive(library, x, return_inverse=False, return_counts=False, dim=None):
    return unique_of(library, "t_unique_consecutive", x, [dim], return_inverse, return_counts)


def unique_of(library, name, x, values, inverse, counts):
    function = library.headers.functions[name]
    results = library.call(function, dict(zip(function.slots, [x] + values)), outs=2)
    return [results[0]] + [results[1]] * bool(inverse) + [results[2]] * bool(counts)


def where(library, x, condition, other):
    return plain(library, "t_where", condition, x, other)


def embedding(library, weight, index, **kwargs):
    return by_keywords(library, "F_embedding", {"input": index, "weight": weight, **kwargs}, {"padding_idx": None})


def embedding_bag(library, weight, index, offsets=None, **kwargs):
    return by_keywords(library, "F_embedding_bag", {"input": index, "weight": weight, "offsets": offsets, **kwargs}, {})


def by_keywords(library, name, given, defaults):
    """A call in which each argument has the name of its slot; of the others those of options keep their defaults."""
    function = library.headers.functions[name]
    bound = {
        slot: given.pop(slot.name, defaults.get(slot.name))
        for slot in function.slots
        if slot.name in given or not slot.field
    }
    if any(given.values()):
        raise Unmapped(f"no argument {next(k for k, v in given.items() if v)} in {name}")
    return library.call(function, bound)


def nonzero(library, x, as_tuple=False):
    return plain(library, "t_nonzero_tuple" if as_tuple else "t_nonzero", x)


def meshgrid(library, tensors, *more, indexing=None):
    tensors = list(tensors) if isinstance(tensors, (tuple, list)) else [tensors, *more]
    return plain(library, "t_meshgrid", tensors, indexing)


def variadic(name):
    return lambda library, first, *more: plain(library, name, [first, *more])


def atleast(name):
    def call(library, x, *more):
        if isinstance(x, (tuple, list)) or more:
            items = list(x) + list(more) if isinstance(x, (tuple, list)) else [x, *more]
            return [plain(library, name, item) for item in items]
        return plain(library, name, x)

    return call


def extreme(name):
    """torch.max(x), torch.max(x, dim), torch.max(x, other)"""

    def call(library, x, *args, **kwargs):
        if args and isinstance(args[0], torch.Tensor):
            return plain(library, {"t_max": "t_maximum", "t_min": "t_minimum"}[name], x, args[0])
        if not args and not kwargs:
            return plain(library, name, x, None, False)
        dim = args[0] if args else kwargs.get("dim")
        keepdim = args[1] if len(args) > 1 else kwargs.get("keepdim", False)
        function = library.headers.functions[name]
        return library.call(function, dict(zip(function.slots, [x, dim, keepdim])), outs=1)

    return call


def scatter(library, x, dim, index, src=None, reduce=None, value=None):
    src = value if src is None else src
    if reduce is None:
        return plain(library, "t_scatter", x, dim, index, src)
    raise Unmapped("scatter's reduce, which scatter_reduce supersedes")


def quantile(name):
    def call(library, x, q, dim=None, keepdim=False, interpolation="linear"):
        return plain(library, name, x, q, dim, keepdim, interpolation)

    return call


def normal(library, mean, std=None, size=None, dtype=None, **kwargs):
    function = library.headers.functions["t_normal"]
    slots = {slot.name: slot for slot in function.slots}
    if isinstance(mean, Pointer) or isinstance(mean, torch.Tensor) or isinstance(std, torch.Tensor):
        size = "absent"
    return library.call(
        function,
        {
            slots["mean"]: mean,
            slots["std"]: 1.0 if std is None else std,
            slots["size"]: size,
            **({slots["dtype"]: dtype} if dtype else {}),
        },
    )


def arange(library, *args, dtype=None, device=None, requires_grad=False, **kwargs):
    start, end, step = 0, kwargs.get("end"), kwargs.get("step", 1)
    if len(args) == 1 and end is None:
        end = args[0]
    else:
        start, end, step = (list(args) + [end, step][len(args) - 1 :])[:3] if args else (kwargs["start"], end, step)
    values = [start, end, step, dtype, requires_grad]
    if all(isinstance(v, int) for v in (start, end, step)):
        return plain(library, "t_arange_int64", *values)
    return plain(library, "t_arange", *values)


def grid_sampler(library, x, grid, mode, padding_mode, align_corners):
    mode, padding_mode = ("bilinear", "nearest", "bicubic")[mode], ("zeros", "border", "reflection")[padding_mode]
    given = {"input": x, "grid": grid, "mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    return by_keywords(library, "F_grid_sample", given, {})


def polygamma(library, x, n):
    return plain(library, "t_polygamma", n, x)


SPECIAL = {
    "__getitem__": getitem,
    "__radd__": swapped("t_add"), "__rmul__": swapped("t_mul"), "__rdiv__": swapped("t_div"),
    "__rsub__": swapped("t_sub"), "__rpow__": swapped("t_pow"), "__rmod__": swapped("t_remainder"),
    "__rmatmul__": swapped("t_matmul"), "__rand__": swapped("t_bitwise_and"), "__ror__": swapped("t_bitwise_or"),
    "__rxor__": swapped("t_bitwise_xor"),
    "rsub": rsub, "tensordot": tensordot, "to": to, "einsum": einsum, "unique": unique,
    "unique_consecutive": unique_consecutive, "where": where, "nonzero": nonzero, "meshgrid": meshgrid,
    "block_diag": variadic("t_block_diag"), "cartesian_prod": variadic("t_cartesian_prod"),
    "broadcast_tensors": variadic("t_broadcast_tensors"),
    "atleast_1d": atleast("t_atleast_1d"), "atleast_2d": atleast("t_atleast_2d"), "atleast_3d": atleast("t_atleast_3d"),
    "nn.functional.embedding": embedding, "nn.functional.embedding_bag": embedding_bag,
    "max": extreme("t_max"), "min": extreme("t_min"), "scatter": scatter,
    "quantile": quantile("t_quantile"), "nanquantile": quantile("t_nanquantile"),
    "grid_sampler_2d": grid_sampler, "grid_sampler_3d": grid_sampler,
    "arange": arange, "normal": normal, "polygamma": polygamma, "special.polygamma": polygamma,
    **{name: cast(getattr(torch.empty(0), name)().dtype) for name in CASTS},
}  # fmt: skip
SPECIAL_VARIANT = {
    "normal.in_place": lambda library, x, mean=0, std=1: plain(library, "t_normal_", x, mean, std),
}
# Results of any sign or order, and random ones: only dtype and shape are compared, and gradients not at all.
SHAPE_ONLY = {"empty", "new_empty", "empty_like", "empty_permuted", "linalg.svd", "linalg.eigh", "svd", "linalg.lstsq"}


class Entry:
    """An entry of op_db and its counterpart."""

    def __init__(self, op, library):
        self.op, self.capi = op, library
        self.name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        self.op_name = op.name
        self.aten = getattr(op, "aten_name", op.name).replace(".", "_").replace("nn_functional_", "")
        names = function_names(op.name, library.headers)
        self.functions = [library.headers.functions[n] for n in names]
        self.functions_inplace = []
        if op.get_inplace():
            word = op.get_inplace().__name__.rstrip("_") if op.name.startswith("__r") else op.name.rpartition(".")[2]
            if not op.name.startswith("__r"):
                word = library.headers.aliases.get(f"t_{word}_", f"t_{word}_").rstrip("_")
                self.functions_inplace = [
                    library.headers.functions[word + variant + "_"]
                    for variant in [""] + VARIANTS
                    if word + variant + "_" in library.headers.functions
                ]

    @property
    def mapped(self):
        return op_is_mapped(self)

    def call(self, sample, outs, inplace=False):
        """Our result as a list of pointers or Python values."""
        library = self.capi
        functions, op, first = self.functions, self.op.op, sample.input
        if inplace:
            functions, op = self.functions_inplace, self.op.get_inplace()
            first = Pointer(library.checked(library.c.t_clone(ctypes.c_void_p(library.tensor(first)))))
        elif self.name in SPECIAL_VARIANT:
            return [SPECIAL_VARIANT[self.name](library, sample.input, *sample.args, **sample.kwargs)]
        elif self.name == "normal.number_mean":  # its arguments are std, mean
            result = normal(library, sample.args[0], sample.input, *sample.args[1:], **sample.kwargs)
            return [result]
        elif self.op.name in SPECIAL:
            result = SPECIAL[self.op.name](library, sample.input, *sample.args, **sample.kwargs)
            return result if isinstance(result, list) else [result]
        errors = []
        for function in functions:
            try:
                if (
                    function.name.endswith("_") and not inplace and isinstance(first, torch.Tensor)
                ):  # exists in place only
                    first = Pointer(library.checked(library.c.t_clone(ctypes.c_void_p(library.tensor(first)))))
                bound = binding.bind(
                    function, op, (first,) + tuple(sample.args), sample.kwargs, self.aten + "_" * inplace
                )
            except Unmapped as error:
                errors.append(error)
                continue
            result = library.call(function, bound, outs)
            return result if isinstance(result, list) else [result]
        raise errors[0]


def op_is_mapped(entry):
    return bool(entry.functions) or entry.op.name in SPECIAL


def flat(results):
    """PyTorch's result as a list."""
    if isinstance(results, (tuple, list)):
        return [y for r in results for y in flat(r)]
    return [results]


def inputs_of(sample):
    """The tensors of a sample, in order."""
    found = []

    def visit(value):
        if isinstance(value, torch.Tensor):
            if not any(value is f for f in found):
                found.append(value)
        elif isinstance(value, (tuple, list)):
            for v in value:
                visit(v)
        elif isinstance(value, dict):
            for v in value.values():
                visit(v)

    visit([sample.input, sample.args, sample.kwargs])
    return found


def copied(sample, dtype=None):
    """The sample with its own leaves, floating ones in another dtype if that is given."""
    seen = {}

    def f(x):
        if isinstance(x, torch.Tensor):
            if id(x) not in seen:
                y = x.detach()
                if dtype and y.is_floating_point():
                    y = y.to(dtype)
                else:
                    y = torch.empty_strided(y.shape, y.stride(), dtype=y.dtype).copy_(y) if dense(y) else y.clone()
                seen[id(x)] = y.requires_grad_(x.requires_grad)
            return seen[id(x)]
        if isinstance(x, (tuple, list)):
            items = [f(v) for v in x]
            return type(x)(items) if not hasattr(x, "_fields") else type(x)(*items)
        if isinstance(x, dict):
            return {k: f(v) for k, v in x.items()}
        if dtype and isinstance(x, torch.dtype) and x.is_floating_point:
            return dtype
        return x

    return Sample(f(sample.input), tuple(f(list(sample.args))), f(sample.kwargs))


SEED = 42  # op_db's wrapper_set_seed sets it for operations that draw


def dense(x):
    return not any(stride == 0 and size > 1 for size, stride in zip(x.shape, x.stride()))


class Sample:
    def __init__(self, input, args, kwargs):
        self.input, self.args, self.kwargs = input, args, kwargs


def weights_of(outputs):
    """Uneven gradients of the outputs."""
    return [
        (torch.arange(y.numel(), dtype=torch.float64).mul_(0.7).sin_().add_(1.5).reshape(y.shape)).to(y.dtype)
        for y in outputs
    ]


def gradients(outputs, leaves):
    chosen = [y for y in outputs if isinstance(y, torch.Tensor) and y.requires_grad and not y.is_complex()]
    return torch.autograd.grad(chosen, leaves, weights_of(chosen), allow_unused=True) if chosen and leaves else None


def run_torch(op, sample, inplace=False):
    torch.manual_seed(SEED)
    first = sample.input.clone() if inplace else sample.input
    outputs = flat(op(first, *sample.args, **sample.kwargs))
    leaves = [x for x in inputs_of(sample) if x.requires_grad]
    grads = gradients(outputs, leaves)
    return outputs, leaves, grads


def our_gradients(library, pointers, outputs, leaves):
    """The gradients of our outputs with respect to the leaves, weighted as PyTorch's."""
    c = library.c
    chosen = [
        (p, y)
        for p, y in zip(pointers, outputs)
        if isinstance(y, torch.Tensor) and y.requires_grad and c.t_requires_grad(ctypes.c_void_p(p))
    ]
    weights = weights_of([y for _, y in chosen])
    ys = c.t_list_new((ctypes.c_void_p * len(chosen))(*[p for p, _ in chosen]), ctypes.c_int64(len(chosen)))
    handles = [library.handles[id(x)][0] for x in leaves]
    xs = c.t_list_new((ctypes.c_void_p * len(handles))(*handles), ctypes.c_int64(len(handles)))
    options = library.headers.ctypes_of["t_GradOptions"]()
    options.size, options.grad_outputs, options.allow_unused = ctypes.sizeof(options), library.list(weights), True
    result = library.checked(c.t_autograd_grad(ctypes.c_void_p(ys), ctypes.c_void_p(xs), ctypes.byref(options)))
    return [library.values(p) if p else None for p in library.items(result)]


def same_text(text, expected):
    """Whether ours is PyTorch's sentence, perhaps with a hint after it."""
    return text.startswith(expected.rstrip(" .")) or expected.startswith(text.rstrip(" ."))


class Report:
    """Counts and differences of one entry."""

    def __init__(self, name):
        self.name, self.samples, self.equal, self.unmapped, self.errors, self.errors_equal = name, 0, 0, {}, 0, 0
        self.differences = {}  # kind and dtype: count, first text
        self.texts = []
        self.layouts = []  # results whose elements are in another order in memory
        self.more = 0  # samples that PyTorch has no kernel or derivative for, and this library has

    def differ(self, kind, dtype, text):
        key = f"{kind} {str(dtype).replace('torch.', '')}"
        count, first = self.differences.get(key, (0, []))
        self.differences[key] = count + 1, first + [text] * (len(first) < 20)

    def cannot(self, why):
        self.unmapped[why] = self.unmapped.get(why, 0) + 1

    @contextlib.contextmanager
    def error_input(self, where, expected):
        """For a body that this library must refuse, as PyTorch did, whose text is `expected`."""
        try:
            yield
        except Refused as error:
            text = str(error).split("\n")[0]
            if same_text(text, expected):
                self.errors_equal += 1
            else:
                self.texts.append(f"{where}: {text!r} instead of {expected!r}")
        else:
            self.differ("accepted", "error input", f"{where}: PyTorch: {expected}")
        self.errors += 1


def summary(sample):
    def f(x):
        if isinstance(x, torch.Tensor):
            text = f"{str(x.dtype)[6:]}{list(x.shape)}"
            if x.dim() == 0:
                text = f"{str(x.dtype)[6:]}({x.item()})"
            return text if x.is_contiguous() else text + f"/{list(x.stride())}"
        if isinstance(x, (tuple, list)):
            return "(" + ", ".join(map(f, x)) + ")"
        if isinstance(x, dict):
            return ", ".join(f"{k}={f(v)}" for k, v in x.items())
        return repr(x)

    return f"({', '.join(t for t in [f(sample.input)] + [f(a) for a in sample.args] + [f(sample.kwargs)] if t)})"[:300]


def same_layout(y, strides):
    return y.numel() == 0 or all(a == b for a, b, n in zip(y.stride(), strides, y.shape) if n > 1)


def parser_error(text):
    """An error of Python's argument parser: in C the compiler reports it, or the value is a tensor like any other."""
    return re.search(
        r"must be (Tensor|int|tuple|float|bool|Number|str|torch)|invalid combination of arguments"
        r"|missing \d* ?required|unexpected keyword|takes \d+ positional|expected Tensor as element"
        r"|unsupported operand type|'\w+' object|should be of type|must be an int|must be a float",
        text,
    )


def run_sample(entry, sample, dtype, report, shape_only, inplace=False):
    library = entry.capi
    op = entry.op.get_inplace() if inplace else entry.op.op
    report.samples += 1
    mine = copied(sample)
    where = ("in place " if inplace else "") + summary(sample)
    try:
        try:
            outputs, leaves, grads = run_torch(op, mine, inplace)
            refused = None
        except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError) as error:
            refused = str(error).split("\n")[0]
        if refused is not None:
            if parser_error(refused):
                raise Unmapped("an error of Python's argument parser")
            library.handles.clear()
            try:
                entry.call(mine, 0, inplace)
            except Refused:
                report.equal += 1
            else:
                if "not implemented" in refused:
                    report.more += 1
                    return
                report.differ("accepted", dtype, f"{where}: PyTorch: {refused}")
            return
        library.handles.clear()
        library.c.t_manual_seed(ctypes.c_int64(SEED))
        again = copied(sample)  # in-place operations and draws leave theirs changed
        pairs = dict(zip(map(id, inputs_of(mine)), inputs_of(again)))
        tensors = sum(isinstance(y, torch.Tensor) for y in outputs)
        try:
            pointers = entry.call(again, tensors - 1 if tensors else 0, inplace)
        except Refused as error:
            report.differ("refused", dtype, f"{where}: {error}")
            return
        if len(pointers) != len(outputs):
            report.differ("results", dtype, f"{where}: {len(pointers)} instead of {len(outputs)}")
            return
        exact, same, ours = None, True, None
        for gradient in (False, True):
            for i, y in enumerate(outputs if not gradient else grads or []):
                if gradient:
                    if y is None:
                        continue
                    if ours is None:
                        try:
                            ours = our_gradients(library, pointers, outputs, [pairs[id(x)] for x in leaves])
                        except Refused as error:
                            report.differ("no gradient", dtype, f"{where}: {error}")
                            return
                    a = ours[i] if ours[i] is not None else torch.zeros_like(y)
                    if y.is_complex():
                        continue
                    y = y.detach()
                elif isinstance(y, torch.Tensor):
                    a = library.values(pointers[i])
                    if (
                        y.layout == torch.strided
                        and y.shape == a.shape
                        and not same_layout(y, library.strides(pointers[i]))
                    ):
                        text = f"{where}: {library.strides(pointers[i])} instead of {list(y.stride())}, result {i}"
                        report.layouts.append(text)
                    tracked = bool(library.c.t_requires_grad(ctypes.c_void_p(pointers[i])))
                    if tracked != y.requires_grad:
                        report.differ("requires_grad", dtype, f"{where}: {tracked} of result {i}")
                        same = False
                    y = y.detach()
                else:
                    if y != pointers[i] and not (y != y and pointers[i] != pointers[i]):
                        report.differ("value", dtype, f"{where}: {pointers[i]} instead of {y}")
                        return
                    continue
                if shape_only and (y.dtype, y.shape) == (a.dtype, a.shape):
                    continue
                largest = compare.largest_of(grads) if gradient else 0.0
                found = compare.difference(y, a, gradient, None, largest)
                if found and y.is_floating_point() and y.dtype != torch.float64 and a.shape == y.shape:
                    if exact is None:
                        exact = exact_results(op, sample, inplace)
                    if exact[gradient] is not None and exact[gradient][i] is not None:
                        found = compare.difference(y, a, gradient, exact[gradient][i].detach(), largest)
                if found:
                    report.differ(found[0], dtype, f"{where}: {found[1]}" + (f", result {i}" if i else ""))
                    return
        report.equal += same
    except Unmapped as error:
        report.samples -= 1
        report.cannot(str(error))
    finally:
        library.error()


def exact_results(op, sample, inplace):
    try:
        outputs, _, grads = run_torch(op, copied(sample, torch.float64), inplace)
        return outputs, grads
    except Exception:
        return [None] * 9, None


def run_errors(entry, report):
    library = entry.capi
    for error_input in entry.op.error_inputs("cpu"):
        sample = error_input.sample_input
        library.handles.clear()
        try:
            try:
                entry.op.op(sample.input, *sample.args, **sample.kwargs)
                continue
            except Exception as error:
                expected = str(error).split("\n")[0]
            if parser_error(expected):
                raise Unmapped("an error of Python's argument parser")
            if "out" in sample.kwargs:
                raise Unmapped("an argument out")
            with report.error_input(summary(sample), expected):
                entry.call(sample, int(bool(sample.kwargs.get("return_indices"))))
        except Unmapped as error:
            report.cannot("error input: " + str(error))
        finally:
            library.error()


def run(entry, dtypes, limit):
    """All samples and error inputs of one entry."""
    warnings.filterwarnings("ignore")
    report, op, c = Report(entry.name), entry.op, entry.capi.c
    supported = op.supported_dtypes("cpu")
    for dtype in dtypes:
        grad = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu") and dtype.is_floating_point
        torch.manual_seed(11)
        draws = torch.random.get_rng_state()
        samples = iter(op.sample_inputs("cpu", dtype, requires_grad=grad))
        # of a dtype that PyTorch has no kernel for, two samples show that it is refused here, too
        for _ in range(limit if dtype in supported else 2):
            try:
                torch.random.set_rng_state(draws)
                sample = next(samples)
                draws = torch.random.get_rng_state()
            except StopIteration:
                break
            except Exception:
                if dtype in supported:
                    raise
                break
            scope = c.t_scope_open()
            entry.capi.handles.clear()
            run_sample(entry, sample, dtype, report, op.name in SHAPE_ONLY)
            if entry.functions_inplace and not sample.broadcasts_input and isinstance(sample.input, torch.Tensor):
                entry.capi.handles.clear()
                run_sample(entry, sample, dtype, report, op.name in SHAPE_ONLY, True)
            c.t_scope_close(scope)
    scope = c.t_scope_open()
    if op.error_inputs_func is not None:
        run_errors(entry, report)
    c.t_scope_close(scope)
    return report


def entries(library):
    return [Entry(op, library) for op in op_db]
