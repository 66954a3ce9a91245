"""What torch.utils.tensorboard writes: python tests/golden/tensorboard_events.py records the events of write_events, as
tests/golden/files/torch.tfevents; tests/support/files/event_support.c writes the same. tests/interop/event_files.py
compares all of them live.
"""

import glob
import os
import shutil
import tempfile

import torch
from torch.utils.tensorboard import SummaryWriter

TIME = 1600000000


def values(*shape):
    n = 1
    for size in shape:
        n *= size
    return ((torch.arange(n) * 37 % 101).double() / 50 - 1).reshape(shape)


def video(tag):
    if tag == "video":
        return (values(3, 5, 3, 6, 8) * 4).round() / 4
    if tag == "video/bytes":
        return (torch.arange(2 * 3 * 1 * 6 * 8) * 7 % 256).to(torch.uint8).view(2, 3, 1, 6, 8)
    n = torch.arange(2 * 3 * 48 * 64) * 7919 % 5003
    return (n.double() / 5003).float().view(1, 2, 3, 48, 64)


def write_events(writer):
    for step in range(5):
        writer.add_scalar("Loss/train", 1.0 / (step + 1), step, TIME + 0.25 * step)
    writer.add_scalar("no step", torch.tensor([[2.5]]), walltime=TIME)
    writer.add_scalar("new", 0.1, 3, walltime=TIME, new_style=True)
    writer.add_scalar("double", 0.1, 3, TIME, True, True)
    writer.add_scalar("zero", 0, 0, TIME)
    writer.add_scalar("integer", torch.tensor(7), -1, TIME)
    writer.add_scalar("infinite", -float("inf"), 1 << 40, TIME)

    x = values(60)
    writer.add_histogram("histogram/default", x, 1, walltime=TIME)
    writer.add_histogram("histogram/positive", values(3, 4).exp(), 1, walltime=TIME)
    writer.add_histogram("histogram/combined", x, 1, walltime=TIME, max_bins=50)
    writer.add_histogram("histogram/number", x, 1, walltime=TIME, bins=7)
    writer.add_histogram("histogram/constant", torch.ones(4), 1, "auto", TIME)
    writer.add_histogram("histogram/integers", torch.arange(10), 1, "auto", TIME)
    writer.add_histogram("histogram/edges", x, 1, walltime=TIME, bins=[-1.0, -0.5, 0.0, 0.0, 0.25])
    for bins in "auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt":
        writer.add_histogram("histogram/" + bins, x, 1, bins, TIME)
    writer.add_histogram_raw("histogram/raw", 0, 2, 4, 5, 9, [1.0, 2.0], [3, 1], 2, TIME)

    writer.add_text("text", "a **bold** word, grün\n\n- a list", 4, TIME)
    writer.add_text("empty", "", walltime=TIME)
    dtypes = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
    for i, dtype in enumerate(dtypes):
        y = values(2, 3) * 2
        if dtype == "uint8":
            y = y.abs()
        writer.add_tensor(f"tensor/{i}", y.to(getattr(torch, dtype)), 5, TIME)
    writer.add_tensor("tensor/number", torch.tensor(2.5), 5, TIME)
    writer.add_tensor("tensor/empty", torch.zeros(0, 3), 5, TIME)
    writer.add_audio("sound", values(1, 40), 6, 8000, TIME)

    predictions, labels = values(50) / 2 + 0.5, values(50) > -0.3
    writer.add_pr_curve("curve", labels, predictions, 7, walltime=TIME)
    writer.add_pr_curve("curve/float32", labels.long(), predictions.float(), 7, 11, walltime=TIME)
    writer.add_pr_curve("curve/weights", labels, predictions, 7, 1000, (values(50) + 1.5).numpy(), TIME)


def write_pictures(writer):
    data = (torch.arange(120) * 7 % 256).to(torch.uint8)
    writer.add_image("image/CHW", values(3, 5, 4), 1, TIME)
    writer.add_image("image/gray", values(1, 5, 4).float(), 1, TIME)
    writer.add_image("image/RGBA", values(4, 5, 4), 1, TIME)
    writer.add_image("image/HWC", values(5, 4, 3), 1, TIME, "HWC")
    writer.add_image("image/HW", values(5, 4), 1, TIME, "hw")
    writer.add_image("image/WH", values(5, 4), 1, TIME, "WH")
    writer.add_image("image/bytes", data[:60].view(3, 5, 4), 1, TIME)
    writer.add_image("image/bfloat16", values(3, 5, 4).bfloat16(), 1, TIME)
    writer.add_image("image/large", values(3, 200, 300), 1, TIME)
    writer.add_images("images", values(11, 3, 5, 4), 1, TIME)
    writer.add_images("images/gray", data.view(6, 1, 5, 4), 1, TIME)
    writer.add_images("images/NHWC", values(2, 5, 4, 3), 1, TIME, "NHWC")
    boxes = torch.tensor([[2.0, 3.0, 12.0, 15.0], [5.4, 1.6, 18.5, 9.5]])
    writer.add_image_with_boxes("boxes", values(3, 20, 24), boxes, 1, TIME)
    writer.add_image_with_boxes("boxes/scaled", values(20, 24, 3), boxes, 1, TIME, 2.5, "HWC")
    vertices = values(1, 4, 3)
    faces = torch.tensor([[[0, 2, 3], [0, 3, 1], [0, 1, 2], [1, 3, 2]]])
    config = {"camera": {"cls": "PerspectiveCamera", "fov": 75}}
    writer.add_mesh("mesh", vertices, (vertices.abs() * 255).int(), faces, config, 1, TIME)
    writer.add_mesh("points", vertices.float(), global_step=2, walltime=TIME)
    writer.add_pr_curve_raw("curve/raw", *values(6, 4).abs(), 3, 4, walltime=TIME)


def write_folders(writer):
    for step in range(3):
        writer.add_scalars("run/14h", {"sin": 0.5 * step, "cos": 1 - 0.5 * step}, step, TIME + step)
    writer.add_hparams(
        {"lr": 0.1, "bsize": 32, "optimizer": "adam", "shuffle": True},
        {"hparam/accuracy": 0.75, "hparam/loss": 2},
        {"lr": [0.1, 0.01], "optimizer": ["adam", "sgd"]},
        "first",
        3,
    )
    writer.add_embedding(values(5, 3), metadata=list("pqrst"), global_step=2, tag="a/b")
    rows = [["a", 0], ["b", 1], ["c", 2], ["d", 3], ["e", 4]]
    writer.add_embedding(values(5, 3).float(), rows, values(5, 3, 4, 6), metadata_header=["letter", "number"])
    writer.add_custom_scalars(
        {
            "Taiwan": {"twse": ["Multiline", ["twse/0050", "twse/2330"]], "empty": ["Multiline", []]},
            "USA": {"dow": ["Margin", ["dow/aaa", "dow/bbb", "dow/ccc"]]},
        }
    )


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    with SummaryWriter(folder) as writer:
        write_events(writer)
    (path,) = glob.glob(folder + "/*tfevents*")
    shutil.copy(path, os.path.join(os.path.dirname(__file__), "files", "torch.tfevents"))
