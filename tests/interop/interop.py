"""Files that cross between tapegrad and the packages safetensors, numpy and torch, in both directions, for every dtype.

    make interop PYTHON=python3     needs torch, numpy and safetensors

The program build/tests/interop (copy.c) reads a file and writes what it has read. Here the file is made by the package,
and what comes back is read by it and compared; where no dtype had to be converted it must be the package's own file,
byte for byte.
"""

import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np
import safetensors.torch as st
import torch
from safetensors import safe_open

program = sys.argv[1]
folder = tempfile.mkdtemp()
checks = 0


def path(name):
    return os.path.join(folder, name)


def copy(source, target):
    subprocess.run([program, path(source), path(target)], check=True)


def data(name):
    with open(path(name), "rb") as file:
        return file.read()


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"interop: {what} differs")


def ours(x):
    """x in the dtype that tapegrad has for its own."""
    if x.dtype in OWN:
        return x
    return x.float() if x.is_floating_point() else x.to(torch.int64)


def same(a, b):
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and torch.equal(torch.nan_to_num(a.double(), 7.25), torch.nan_to_num(b.double(), 7.25))
    )


def bits(dtype):
    """Each pattern of bits there is, or random ones."""
    size = torch.empty(0, dtype=dtype).element_size()
    if dtype == torch.bool:
        return torch.tensor([True, False, True])
    if size == 1:
        return torch.arange(256, dtype=torch.uint8).view(dtype)
    if size == 2:
        return torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype)
    raw = torch.randint(0, 256, (1000 * size,), dtype=torch.uint8)
    if dtype == torch.uint64:
        raw[size - 1 :: size] &= 127
    return raw.view(dtype)


DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.uint16,
    torch.int32,
    torch.uint32,
    torch.int64,
    torch.uint64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float8_e8m0fnu,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2fnuz,
]
OWN = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]


def shapes(dtype):
    x = bits(dtype)
    return {
        "all": x,
        "no dim": x[1].clone(),
        "none": x[:0].clone().reshape(2, 0, 3),
        "rank 8": x[:2].clone().reshape(1, 2, 1, 1, 1, 1, 1, 1),
    }


def check_safetensors():
    for dtype in DTYPES:
        tensors = shapes(dtype)
        st.save_file(tensors, path("in.safetensors"), {"format": "pt"})
        copy("in.safetensors", "out.safetensors")
        back = st.load_file(path("out.safetensors"))
        check(
            f"safetensors {dtype}",
            back.keys() == tensors.keys() and all(same(back[k], ours(x)) for k, x in tensors.items()),
        )
        with safe_open(path("out.safetensors"), "pt") as file:
            check("metadata", file.metadata() == {"format": "pt"})
        if dtype in OWN:
            check(f"bytes of {dtype}", data("in.safetensors") == data("out.safetensors"))
    names = ["", "a b", "é", "名前", "😀", '"', "\\", "\n\t\b\f\r", "\x01\x1f\x7f", "/", "__metadata__.x"] + [
        f"layers.{i}.weight" for i in range(100)
    ]
    tensors = {name: bits(OWN[i % len(OWN)])[: i % 5].clone() for i, name in enumerate(names)}
    for metadata in (None, {"k\n": "\"ü\\\x02😀"}):
        st.save_file(tensors, path("in.safetensors"), metadata)
        copy("in.safetensors", "out.safetensors")
        check("names", data("in.safetensors") == data("out.safetensors"))


def check_torch():
    for dtype in DTYPES:
        x = bits(dtype)
        saved = {"x": x, "view": x[:2].reshape(2, 1).expand(2, 3), "n": {"a": [x[:1], 3]}}
        torch.save(saved, path("in.pt"))
        copy("in.pt", "out.safetensors")
        back = st.load_file(path("out.safetensors"))
        want = {"x": x, "view": saved["view"], "n.a.0": x[:1], "n.a.1": torch.tensor(3)}
        check(f"torch {dtype}", back.keys() == want.keys() and all(same(back[k], ours(v)) for k, v in want.items()))
    model = torch.nn.Transformer(16, 2, 2, 2, 32)
    torch.save(model.state_dict(), path("in.pt"))
    copy("in.pt", "out.safetensors")
    other = torch.nn.Transformer(16, 2, 2, 2, 32)
    print("interop:", other.load_state_dict(st.load_file(path("out.safetensors")), strict=True))
    check("nn.Transformer", all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters())))


def check_numpy():
    own = {"|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8"}
    arrays = {}
    for kind, order, layout in itertools.product("b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split(), "<>", "CF"):
        x = np.asarray(np.arange(24).reshape(2, 3, 4) % (2 if kind == "b1" else 100), dtype=order + kind, order=layout)
        np.save(path("in.npy"), x)
        copy("in.npy", "out.npy")
        back = np.load(path("out.npy"))
        check(f"numpy {x.dtype} {layout}", np.array_equal(back, x) and back.dtype.str in own)
        if x.dtype.str in own:
            check(f"bytes of {x.dtype} {layout}", data("in.npy") == data("out.npy"))
        arrays[f"{kind}{'le' if order == '<' else 'be'}{layout}"] = x
    np.savez(path("in.npz"), **arrays)
    copy("in.npz", "out.npz")
    back = np.load(path("out.npz"))
    check("npz", set(back.files) == set(arrays) and all(np.array_equal(back[k], x) for k, x in arrays.items()))


torch.manual_seed(1)
check_safetensors()
check_torch()
check_numpy()
print(
    f"interop: {checks} comparisons with safetensors {__import__('safetensors').__version__}, "
    f"torch {torch.__version__}, numpy {np.__version__}"
)
