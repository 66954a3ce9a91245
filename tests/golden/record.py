"""Writes what PyTorch gives for every case of the op tables, for the tests to compare with.

    python tests/golden/record.py [TABLE...]   from the root of the tree; needs torch, numpy and a C preprocessor. A
                                               TABLE is the unary of tests/ops/table/op_table_unary.c; all of them where
                                               none is named
    python tests/golden/record.py --errors     compares the tables' error messages with PyTorch's, and writes nothing

The inputs come from a hash of the case's name (rule.py) and are not stored. Each output is followed by the gradients of
sum(output * weights), the weights by the same rule. make check never runs this."""

import glob
import importlib
import os
import sys
import types
import warnings

import torch

import rule
import tables
from ops import OPS

HERE = os.path.dirname(os.path.abspath(__file__))
for path in glob.glob(os.path.join(HERE, "ops_*.py")):  # each adds its rows to OPS
    importlib.import_module(os.path.basename(path)[:-3])
NEVER_COMPARED = {"t_empty", "t_empty_like"}
warnings.filterwarnings("ignore")


def as_tuple(y):
    return tuple(y) if isinstance(y, (tuple, list)) else (y,)


def function_of(name):
    """What an op is in PyTorch: what ops*.py say, or the function of the same name."""
    if name in OPS:
        return OPS[name]
    f = getattr(torch.Tensor if name.endswith("_") else torch, name[2:])
    return lambda x, n, c: f(*x)


def call(name, inputs, numbers, seed, real, texts):
    """The leaves, and the outputs of the op on them (on a copy of the first, if it is written to)."""
    leaves = rule.make_inputs(inputs, seed, real)
    x = list(leaves)
    if (name.endswith("_") or name == "t_set") and torch.is_tensor(x[0]):
        x[0] = x[0].clone()
    torch.manual_seed(seed & 0xFFFF)
    return leaves, as_tuple(function_of(name)(x, numbers, types.SimpleNamespace(dtype=real, texts=texts)))


def record_run(file, name, inputs, numbers, run, real, texts):
    seed = rule.seed_of(tables.key_of(name, inputs, numbers))
    try:
        leaves, outputs = call(name, inputs, numbers, seed, real, texts)
    except Exception as error:
        sys.exit(f"{tables.key_of(name, inputs, numbers)}: {error}")
    roots, weights = [], []
    for k, y in enumerate(outputs):
        rule.write_array(file, f"{run}.y{k}", y)
        if torch.is_tensor(y) and y.requires_grad:
            roots.append(y)
            kind = "r" if y.dtype == real else rule.LETTERS[y.dtype]
            weights.append(rule.hashed_tensor(kind, y.shape, seed, 100 + k, real).detach())
    if roots:
        torch.autograd.backward(roots, weights)
    for i, x in enumerate(leaves):
        if torch.is_tensor(x) and x.requires_grad:
            rule.write_array(file, f"{run}.g{i}", x.grad)


def record_table(path):
    golden, rows, texts = tables.read_table(path)
    count = 0
    with open(os.path.join(HERE, golden), "w") as file:
        for name, cases, _ in rows:
            for inputs, numbers in cases:
                file.write(f"= {tables.key_of(name, inputs, numbers)}\n")
                record_run(file, name, inputs, numbers, "32", torch.float32, texts)
                if rule.has_two_dtypes(inputs):
                    record_run(file, name, inputs, numbers, "64", torch.float64, texts)
                count += 1
    print(f"{golden}: {len(rows)} ops, {count} cases")


def compare_errors(path):
    _, rows, texts = tables.read_table(path)
    for name, _, errors in rows:
        for inputs, numbers, message in errors:
            key = tables.key_of(name, inputs, numbers)
            try:
                call(name, inputs, numbers, rule.seed_of(key), torch.float32, texts)
                theirs = "(no error)"
            except Exception as error:
                theirs = str(error).split("\nException raised")[0]
            if theirs != message:
                print(f"{key}\n  ours    {message}\n  PyTorch {theirs}")


def main():
    os.chdir(os.path.join(HERE, "..", ".."))
    torch.set_num_threads(1)
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    paths = [f"tests/ops/table/op_table_{name}.c" for name in wanted] or sorted(
        glob.glob("tests/ops/table/op_table_*.c")
    )
    if "--errors" in sys.argv:
        for path in paths:
            compare_errors(path)
        return
    with open(os.path.join(HERE, "VERSION"), "w") as file:
        file.write(torch.__version__.split("+")[0] + "\n")
    for path in paths:
        record_table(path)


if __name__ == "__main__":
    main()
