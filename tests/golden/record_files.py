"""Writes files as NumPy and PyTorch save them into files/ next to this file, and what is in them into files.txt, for
tests/io/test_npy.c and tests/io/test_torch_load.c.

    python record_files.py          needs torch and numpy; make check never runs it

An array that no tensor of ours can hold as it is comes widened: integers as int64, float16 and bfloat16 as float32."""

import os
import struct
import warnings

import numpy as np
import torch

import rule

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "files")


def widened(x):
    if x.dtype in rule.LETTERS:
        return x
    return x.float() if x.dtype.is_floating_point else x.long()


def arrays():
    """Each kind of number in either byte order, its largest and smallest; and shapes in either order of elements."""
    made = {}
    for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        info = np.iinfo(code)
        values = np.array([info.min, 0, 1, min(info.max, 2**63 - 1)])
        for order in "<>":
            made[f"{code}_{'big' if order == '>' else 'little'}"] = values.astype(order + code)
    for code in ("f2", "f4", "f8"):
        info = np.finfo(code)
        values = np.array([-1.5, 0.0, 1 / 3, info.max, info.tiny, info.smallest_subnormal, -np.inf])
        for order in "<>":
            made[f"{code}_{'big' if order == '>' else 'little'}"] = values.astype(order + code)
    made["b1"] = np.array([True, False, True])
    grid = np.arange(24, dtype="<f4").reshape(2, 3, 4)
    made |= {
        "grid": grid,
        "fortran": np.asfortranarray(grid),
        "fortran_double": grid.astype("<f8").T,
        "neither": grid.transpose(1, 0, 2),
        "scalar": np.array(2.5),
        "row": grid[0, 0],
        "column": grid[0].T[:, :1],
        "none": np.zeros((3, 0), "<i8"),
        "none_fortran": np.zeros((0, 3)).T,
        "a.b/c": np.array([[True]]),
        "gr\u00f6\u00dfe": np.array([1, 2]),
        "long": np.zeros((1,) * 8, "<f8"),
    }
    return made


def trained(steps):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2))
    optimizer = torch.optim.AdamW(
        [{"params": model[0].parameters(), "weight_decay": 0.0}, {"params": model[1].parameters()}],
        lr=0.01,
        amsgrad=True,
    )
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 5])
    for step in range(steps):
        optimizer.zero_grad()
        x = torch.arange(12.0).reshape(4, 3).remainder(5 + step)
        model(x).square().sum().backward()
        optimizer.step()
        scheduler.step()
    return model, optimizer, scheduler


def checkpoint():
    model, optimizer, scheduler = trained(3)
    return {
        "epoch": 3,
        "loss": 0.25,
        "best": -1,
        "large": 2**40,
        "done": False,
        "nothing": None,
        "name": "gr\u00f6\u00dfe",
        "model_state_dict": model.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "scheduler_state_dict": scheduler.state_dict(),
        "sizes": torch.Size([2, 3]),
        "empty": {"dict": {}, "list": [], "tuple": ()},
        "dtype": torch.bfloat16,
        "device": torch.device("cuda", 1),
    }


def tensors():
    made = {}
    for dtype in (
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.uint16,
        torch.uint32,
        torch.uint64,
        torch.bool,
    ):
        made[str(dtype)[6:]] = torch.tensor([0, 1, 100, 127]).to(dtype)
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn, torch.float8_e5m2):
        made[str(dtype)[6:]] = torch.tensor([[-1.5, 0.0], [1 / 3, 224.0]], dtype=torch.float64).to(dtype)
    base = torch.arange(12.0).reshape(3, 4)
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    made |= {
        "base": base,
        "transposed": base.t(),
        "row": base[1],
        "stepped": base[:, 1::2],
        "expanded": base[2, 1:2].expand(3),
        "scalar": torch.tensor(7),
        "none": torch.zeros(2, 0, 3),
        "weight": weight,
        "buffer": torch.nn.Buffer(torch.tensor([3.0])),
        "leaf": torch.ones(1, requires_grad=True),
    }
    return made


def python_2():
    """The file before PyTorch 1.6 with the words of PyTorch 0.1 to 0.3 under Python 2: texts as bytes, _rebuild_tensor,
    Parameter with its attributes, a storage that is a view of another."""

    def text(x):
        return b"U" + bytes([len(x)]) + x

    def storage(key, count, view=b"N"):
        parts = text(b"storage") + b"ctorch\nFloatStorage\n" + text(key) + text(b"cpu")
        return b"(" + parts + b"K" + bytes([count]) + view + b"tQ"

    def tensor(of, offset, size, stride):
        numbers = b"K" + bytes([offset]) + b"K" + bytes([size]) + b"\x85K" + bytes([stride]) + b"\x85"
        return b"ctorch._utils\n_rebuild_tensor\n(" + of + numbers + b"tR"

    view = b"(" + text(b"9") + b"K\2K\3t"
    parameter = b"ctorch.nn.parameter\nParameter\n" + tensor(storage(b"7", 6), 0, 2, 3) + b"\x85R"
    state = b"\x88\x89ccollections\nOrderedDict\n)R\x87b"
    values = b"\x80\2ccollections\nOrderedDict\n)R(" + text(b"weight") + parameter + state
    values += b"T\4\0\0\0bias" + tensor(storage(b"7", 6, view), 1, 2, 1) + b"u."
    info = b"\x80\2}(" + text(b"protocol_version") + b"M\xe9\3" + text(b"little_endian") + b"\x88u."
    magic = b"\x80\2\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
    keys = b"\x80\2]" + text(b"7") + b"a."
    return magic + b"\x80\2M\xe9\3." + info + values + keys + struct.pack("<q6f", 6, *range(1, 7))


def flat(value, name=""):
    """(dotted name, tensor or text) of everything in value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else None
    if inner is not None and len(value):
        for key, item in inner:
            yield from flat(item, f"{name}.{key}" if name else str(key))
    elif torch.is_tensor(value):
        yield name, widened(value.detach())
    elif isinstance(value, (bool, int)):
        yield name, torch.tensor(value)
    elif isinstance(value, float):
        yield name, torch.tensor(value, dtype=torch.float64)
    elif value is not None:
        yield name, str(value)


def write(file, title, items):
    file.write(f"= {title}\n")
    for name, value in items:
        if torch.is_tensor(value):
            rule.write_array(file, name, value)
        else:
            file.write(f"{name} text {value}\n")


def main():
    warnings.filterwarnings("ignore")
    os.makedirs(FOLDER, exist_ok=True)
    made = arrays()
    np.savez(os.path.join(FOLDER, "arrays.npz"), **made)
    np.savez_compressed(os.path.join(FOLDER, "compressed.npz"), x=np.zeros(3))
    np.save(os.path.join(FOLDER, "grid.npy"), made["grid"])
    torch.save(checkpoint(), os.path.join(FOLDER, "checkpoint.pt"))
    torch.save(tensors(), os.path.join(FOLDER, "tensors.pt"))
    old = {"tensors": tensors(), "checkpoint": checkpoint(), "alone": torch.ones(3)[1:]}
    torch.save(old, os.path.join(FOLDER, "before_1.6.pt"), _use_new_zipfile_serialization=False)
    with open(os.path.join(FOLDER, "python_2.pt"), "wb") as file:
        file.write(python_2())
    with open(os.path.join(HERE, "files.txt"), "w") as file:
        as_tensors = (
            (name, torch.from_numpy(x.astype(x.dtype.newbyteorder("="), order="C"))) for name, x in made.items()
        )
        write(file, "arrays.npz", ((name, widened(x)) for name, x in as_tensors))
        write(file, "checkpoint.pt", flat(checkpoint()))
        write(file, "tensors.pt", flat(tensors()))
        write(file, "before_1.6.pt", flat(old))
        write(file, "python_2.pt", flat(torch.load(os.path.join(FOLDER, "python_2.pt"), weights_only=False)))
        write(file, "trained on", flat(trained(6)[0].state_dict()))


if __name__ == "__main__":
    main()
