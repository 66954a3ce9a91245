"""The inputs of a test case as a function of its name: the counterpart of hashed_tensor in tests/support/support.c."""

import math

import numpy
import torch

MASK = (1 << 64) - 1
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, -40.0]
DTYPES = {
    "b": torch.bool, "u": torch.uint8, "c": torch.int8, "h": torch.int16, "n": torch.int32, "i": torch.int64,
    "e": torch.float16, "g": torch.bfloat16, "f": torch.float32, "d": torch.float64,
}  # fmt: skip
LETTERS = {dtype: letter for letter, dtype in DTYPES.items()}


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def seed_of(key):
    """FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in key.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def separated(seed, number, which, element, count):
    step = mix(seed) % 97 + 7
    while math.gcd(step, count) != 1:
        step += 1
    place = element * step % count - count // 2
    return place / 8 + (1 + 2 * which) / 64 + number % 4096 / 1048576


def hashed_value(kind, below, seed, which, element, count):
    number = mix((mix((mix(seed) + which) & MASK) + element) & MASK)
    unit = (number >> 44) / 1048576
    if kind in "pP":
        return 0.25 + 2 * unit
    if kind in "qQ":
        return unit
    if kind in "mM":
        return unit - 0.5
    if kind in "sS":
        return separated(seed, number, which, element, count)
    if kind in "tT":
        return float((number >> 44) % 3 - 1)
    if kind == "x":
        return SPECIAL[(element * (1 + 4 * which) + which) % 12]
    if kind in "iI":
        return (number >> 44) % 11 - 5
    if kind == "w":
        return (number >> 44) % 10 - (5 if (number >> 44) % 10 < 5 else 4)
    if kind == "k":
        return (number >> 44) % below
    if kind in "bB":
        return (number >> 44) & 1
    return ((number >> 42) - 2097152) / 1048576


def dtype_of_kind(kind, real):
    return {
        "f": torch.float32,
        "F": torch.float32,
        "d": torch.float64,
        "D": torch.float64,
        "i": torch.int64,
        "k": torch.int64,
        "w": torch.int64,
        "b": torch.bool,
    }.get(kind, real)


def on_diagonal(shape, i):
    """Of kind m: 2, 3, 4, ... on the diagonal of the matrices in the last two dims."""
    row, column = i // shape[-1] % shape[-2], i % shape[-1]
    return 2 + row if row == column else 0


def hashed_tensor(kind, shape, seed, which, real):
    below = int(kind[1:] or 0)
    kind = kind[0]
    count = math.prod(shape)
    values = [hashed_value(kind, below, seed, which, i, count) for i in range(count)]
    if kind in "mM":
        values = [v + on_diagonal(shape, i) for i, v in enumerate(values)]
    x = torch.tensor(values, dtype=torch.float64).to(dtype_of_kind(kind, real)).reshape(shape)
    return x.requires_grad_() if kind in "rpqstmfd" else x


def make_inputs(text, seed, real):
    """ "r(2,3) k4(2) -" as a list of tensors, numbers and None."""
    inputs = []
    for which, word in enumerate(text.split()):
        kind = word.split("(")[0]
        number = hashed_value(kind[0], 1, seed, which, 0, 1) if kind != "-" else None
        if kind == "-":
            inputs.append(None)
        elif kind in "NIB":
            inputs.append({"N": float, "I": int, "B": bool}[kind](number))
        else:
            shape = [int(size) for size in word[len(kind) + 1 : -1].split(",") if size]
            inputs.append(hashed_tensor(kind, shape, seed, which, real))
    return inputs


def has_two_dtypes(text):
    return not text or any(word[0] in "rRpPqQsStTmMx" for word in text.split())


def write_array(file, name, x, grad_fn="-"):
    """One line: name dtype (sizes) grad_fn values."""
    if x is None:
        file.write(f"{name} none\n")
        return
    if torch.is_tensor(x) and x.grad_fn is not None:
        grad_fn = x.grad_fn.name().split("::")[-1]
    x = x.detach() if torch.is_tensor(x) else torch.tensor(x)
    cells = (x.float() if x.dtype == torch.bfloat16 else x).contiguous().flatten().numpy(force=True)
    if x.dtype.is_floating_point:
        words = [str(cell).removesuffix(".0") for cell in cells]
    else:
        words = [str(int(cell)) for cell in cells]
    sizes = ",".join(str(size) for size in x.shape)
    file.write(" ".join([name, LETTERS[x.dtype], f"({sizes})", grad_fn, *words]) + "\n")
