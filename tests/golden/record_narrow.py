"""Writes what PyTorch gives for the op tables' cases in bfloat16, float16 and int16: tests/golden/ops_narrow.txt.

    python tests/golden/record_narrow.py       from the root of the tree; needs torch, numpy and a C preprocessor

Of each op the first case with more than one element is taken in each dtype: floating inputs become bfloat16 or float16,
integers int16. Cases that PyTorch refuses are not written. make check never runs this."""

import glob
import os
import types

import torch

import record
import rule
import tables


def make_leaves(inputs, seed, dtype):
    floating = dtype.is_floating_point
    leaves = rule.make_inputs(inputs, seed, dtype if floating else torch.float32)
    kinds = [word[0] for word in inputs.split()]
    if not floating:
        leaves = [x.to(dtype) if kind in "iw" else x for kind, x in zip(kinds, leaves)]
    return leaves


def is_wanted(inputs, dtype):
    kinds = {word[0] for word in inputs.split()}
    letters = set("rRpPqQsStT") if dtype.is_floating_point else set("iw")
    if not kinds & letters or kinds & set("fFdDx"):
        return False
    sizes = [word.split("(")[1] for word in inputs.split() if "(" in word]
    return all("0" not in size.split(")")[0].split(",") for size in sizes) and any("," in size for size in sizes)


def record_case(file, name, inputs, numbers, dtype, texts):
    key = tables.key_of(name, inputs, numbers)
    seed = rule.seed_of(key)
    try:
        leaves = make_leaves(inputs, seed, dtype)
        x = list(leaves)
        if (name.endswith("_") or name == "t_set") and torch.is_tensor(x[0]):
            x[0] = x[0].clone()
        torch.manual_seed(seed & 0xFFFF)
        context = types.SimpleNamespace(dtype=dtype, texts=texts)
        outputs = record.as_tuple(record.function_of(name)(x, numbers, context))
        roots = [(k, y) for k, y in enumerate(outputs) if torch.is_tensor(y) and y.requires_grad]
        weights = [rule.hashed_tensor("R", y.shape, seed, 100 + k, torch.float32).to(y.dtype) for k, y in roots]
        if roots:
            torch.autograd.backward([y for _, y in roots], weights)
    except Exception:
        return False
    file.write(f"= {str(dtype).removeprefix('torch.')} {key}\n")
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
                for dtype in (torch.bfloat16, torch.float16, torch.int16):
                    wanted = [case for case in cases if is_wanted(case[0], dtype)]
                    if name not in record.NEVER_COMPARED and any(
                        record_case(file, name, *case, dtype, texts) for case in wanted[:2]
                    ):
                        counts[dtype] = counts.get(dtype, 0) + 1
    print(counts)


if __name__ == "__main__":
    main()
