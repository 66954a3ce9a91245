"""Event files: what build/tests/interop_tensorboard writes is read by TensorBoard, and equals what
torch.utils.tensorboard writes, field by field (pictures: pixel by pixel).

    make interop PYTHON=python3     needs torch, tensorboard, numpy and Pillow
"""

import glob
import io
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader, LegacyEventFileLoader
from tensorboard.compat.proto import graph_pb2
from tensorboard.plugins.hparams import plugin_data_pb2
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard._utils import _prepare_video

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "golden"))
import tensorboard_events  # noqa: E402

program = sys.argv[1]
folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
checks = 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"interop: {what} differs")


def close(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300)


def events(path):
    files = sorted(glob.glob(path + "/*tfevents*"), key=lambda name: int(name.split(".")[-1]))
    return [event for name in files for event in LegacyEventFileLoader(name).Load()]


def compare_events(ours, theirs, timed):
    check("the number of events", len(ours) == len(theirs))
    for a, b in zip(ours, theirs):
        what = b.summary.value[0].tag if b.summary.value else b.WhichOneof("what")
        a.ClearField("source_metadata")
        b.ClearField("source_metadata")
        if not timed or not b.summary.value or b.summary.value[0].tag.startswith(("_hparams_", "hparam/", "custom")):
            a.wall_time = b.wall_time = 0
        for v, w in zip(a.summary.value, b.summary.value):
            if w.WhichOneof("value") == "image":
                pixels = [np.asarray(Image.open(io.BytesIO(x.image.encoded_image_string))) for x in (v, w)]
                check(what + "'s pixels", np.array_equal(*pixels) and pixels[0].dtype == pixels[1].dtype)
                v.image.encoded_image_string = w.image.encoded_image_string = b""
            if w.WhichOneof("value") == "histo":
                for field in "sum", "sum_squares":  # added up in another order
                    check(f"{what}'s {field}", close(getattr(v.histo, field), getattr(w.histo, field)))
                    v.histo.ClearField(field)
                    w.histo.ClearField(field)
                limits = len(v.histo.bucket_limit) == len(w.histo.bucket_limit)
                check(what + "'s limits", limits and all(map(close, v.histo.bucket_limit, w.histo.bucket_limit)))
                check(what + "'s counts", list(v.histo.bucket) == list(w.histo.bucket))
                v.histo.ClearField("bucket_limit")
                w.histo.ClearField("bucket_limit")
            if w.metadata.plugin_data.plugin_name == "hparams":  # a map has no order
                both = [plugin_data_pb2.HParamsPluginData.FromString(x.metadata.plugin_data.content) for x in (v, w)]
                check(what + "'s data", both[0] == both[1])
                v.metadata.plugin_data.content = w.metadata.plugin_data.content = b""
        check(what, a == b)


# ---- the same calls, of torch.utils.tensorboard ----

subprocess.run([program, folder], check=True)
torchs = os.path.join(folder, "torch")
with SummaryWriter(torchs) as writer:
    tensorboard_events.write_events(writer)
    tensorboard_events.write_pictures(writer)
    tensorboard_events.write_folders(writer)
for sub in "", "/run_14h_sin", "/run_14h_cos", "/first":
    compare_events(events(folder + "/events" + sub), events(torchs + sub), sub == "" or sub.startswith("/run"))
for name in (
    "projector_config.pbtxt",
    "00000/default/tensors.tsv",
    "00000/default/metadata.tsv",
    "00002/a%2fb/tensors.tsv",
    "00002/a%2fb/metadata.tsv",
):
    with open(f"{folder}/events/{name}") as ours, open(f"{torchs}/{name}") as theirs:
        check(name, ours.read() == theirs.read())
sprites = [np.asarray(Image.open(f"{path}/00000/default/sprite.png")) for path in (folder + "/events", torchs)]
check("the sprite", np.array_equal(*sprites))

# ---- the graph of an ONNX file ----

with SummaryWriter(folder + "/onnx_torch") as writer:
    writer.add_onnx_graph("tests/golden/onnx_graph.onnx.bin")
both = [
    [graph_pb2.GraphDef.FromString(e.graph_def) for e in events(folder + sub) if e.graph_def]
    for sub in ("/onnx", "/onnx_torch")
]
check("the graph of an ONNX file", len(both[0]) == 1 and both[0] == both[1])

# ---- videos: PyTorch needs moviepy, which chooses other colours ----

videos = {v.tag: v.image for e in events(folder + "/video") for v in e.summary.value if v.HasField("image")}
for tag, exact in ("video", True), ("video/bytes", True), ("video/colours", False):
    image = Image.open(io.BytesIO(videos[tag].encoded_image_string))
    frames = _prepare_video(tensorboard_events.video(tag).numpy())
    frames = (frames.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)
    check(tag + "'s size", (videos[tag].height, videos[tag].width) == frames.shape[1:3])
    info = image.n_frames, image.info["duration"], image.info["loop"]
    check(tag + "'s frames", info == (len(frames), 250, 0))
    for i, frame in enumerate(frames):
        image.seek(i)
        far = np.abs(np.asarray(image.convert("RGB")).astype(int) - frame).max()
        check(f"{tag}'s frame {i}", far == 0 if exact else far < 40)
(figure,) = [v.image for e in events(folder + "/video") for v in e.summary.value if v.tag == "figure"]
check("the figure", Image.open(io.BytesIO(figure.encoded_image_string)).size == (640, 480) and figure.colorspace == 3)

# ---- TensorBoard's own readers ----

accumulators = []
for path in folder + "/events", torchs:
    accumulator = event_accumulator.EventAccumulator(path, size_guidance={event_accumulator.TENSORS: 0})
    accumulator.Reload()
    accumulators.append(accumulator)
check("the tags", accumulators[0].Tags() == accumulators[1].Tags())
for tag in accumulators[0].Tags()["tensors"]:
    for a, b in zip(accumulators[0].Tensors(tag), accumulators[1].Tensors(tag)):
        check(tag, (a.step, a.tensor_proto.dtype) == (b.step, b.tensor_proto.dtype))
(name,) = glob.glob(folder + "/graph/*tfevents*")
check("the loader", len(list(EventFileLoader(name).Load())) == 4)  # it gives the graph in its old and new form
accumulator = event_accumulator.EventAccumulator(folder + "/graph")
accumulator.Reload()
graph = accumulator.Graph()
check("the graph", isinstance(graph, graph_pb2.GraphDef))
names = {node.name for node in graph.node}
check("the names of nodes", len(names) == len(graph.node))
for node in graph.node:
    check(node.name + "'s inputs", all(name in names for name in node.input))
ops = {node.name: node.op for node in graph.node}
check("a convolution", ops.get("Net/Conv2d[conv1]/convolution") == "aten::convolution")
check("a layer of a Sequential", "Net/Sequential[head]/Linear[2]/bias" in ops)
check("the input", ops.get("input/input.1") == "IO Node" and ops.get("output/output.1") == "IO Node")
accumulator = event_accumulator.EventAccumulator(folder + "/again")
accumulator.Reload()
check("a purged run", [(e.step, e.value) for e in accumulator.Scalars("x")] == [(3, 1.5)])
print(f"interop: {checks} checks of event files hold")
