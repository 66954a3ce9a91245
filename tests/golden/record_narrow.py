"""Writes what PyTorch gives for the op tables' cases with inputs of narrow dtypes: tests/golden/ops_narrow.txt.

    python tests/golden/record_narrow.py       from the root of the tree; needs torch, numpy and a C preprocessor

Of each op the first case with more than one element is taken in each mode. Cases that PyTorch refuses are not written.
make check never runs this."""

import glob
import os
import types

import torch

import record
import rule
import tables

REAL = "rRpPqQsStTmM"
# name: the dtype, and the kinds of the inputs that have it; the others have their own (floating ones float32). In
# "mixed" it is only the last of several inputs of these kinds.
MODES = {
    "bfloat16": (torch.bfloat16, REAL),
    "float16": (torch.float16, REAL),
    "int16": (torch.int16, "iw"),
    "int32": (torch.int32, "k"),
    "mixed": (torch.bfloat16, REAL),
}


def narrow_inputs(inputs, mode):
    """The positions of the inputs that get the mode's dtype."""
    found = [i for i, word in enumerate(inputs.split()) if word[0] in MODES[mode][1]]
    return found if mode != "mixed" else found[-1:] if len(found) > 1 else []


def make_leaves(inputs, seed, mode):
    leaves = rule.make_inputs(inputs, seed, torch.float32)
    for i in narrow_inputs(inputs, mode):
        leaf = leaves[i].detach().to(MODES[mode][0])
        leaves[i] = leaf.requires_grad_(leaves[i].requires_grad)
    return leaves


def is_wanted(inputs, mode):
    kinds = {word[0] for word in inputs.split()}
    if not narrow_inputs(inputs, mode) or kinds & set("fFdDx"):
        return False
    sizes = [word.split("(")[1] for word in inputs.split() if "(" in word]
    return all("0" not in size.split(")")[0].split(",") for size in sizes) and any("," in size for size in sizes)


def record_case(file, name, inputs, numbers, mode, texts):
    key = tables.key_of(name, inputs, numbers)
    seed = rule.seed_of(key)
    try:
        leaves = make_leaves(inputs, seed, mode)
        x = list(leaves)
        if (name.endswith("_") or name == "t_set") and torch.is_tensor(x[0]):
            x[0] = x[0].clone()
        torch.manual_seed(seed & 0xFFFF)
        real = torch.float32 if mode in ("int32", "mixed") else MODES[mode][0]
        context = types.SimpleNamespace(dtype=real, texts=texts)
        outputs = record.as_tuple(record.function_of(name)(x, numbers, context))
        roots = [(k, y) for k, y in enumerate(outputs) if torch.is_tensor(y) and y.requires_grad]
        weights = [rule.hashed_tensor("R", y.shape, seed, 100 + k, torch.float32).to(y.dtype) for k, y in roots]
        if roots:
            torch.autograd.backward([y for _, y in roots], weights)
    except Exception:
        return False
    file.write(f"= {mode} {key}\n")
    for k, y in enumerate(outputs):
        rule.write_array(file, f"y{k}", y)
    for i, leaf in enumerate(leaves):
        if torch.is_tensor(leaf) and leaf.requires_grad:
            rule.write_array(file, f"g{i}", leaf.grad)
    return True


def main():
    os.chdir(os.path.join(record.HERE, "..", ".."))
    torch.set_num_threads(1)
    counts = {}
    with open("tests/golden/ops_narrow.txt", "w") as file:
        for path in sorted(glob.glob("tests/ops/table/op_table_*.c")):
            _, rows, texts = tables.read_table(path)
            for name, cases, _ in rows:
                for mode in MODES:
                    wanted = [case for case in cases if is_wanted(case[0], mode)]
                    if name not in record.NEVER_COMPARED and any(
                        record_case(file, name, *case, mode, texts) for case in wanted[:2]
                    ):
                        counts[mode] = counts.get(mode, 0) + 1
    print(counts)


if __name__ == "__main__":
    main()
