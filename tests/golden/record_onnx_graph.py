"""Records an ONNX model with every kind of attribute, onnx_graph.onnx.bin, and the GraphDef that
torch.utils.tensorboard makes of it, onnx_graph_def.bin, for tests/tensorboard:
python tests/golden/record_onnx_graph.py.
"""

import contextlib
import io
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch.utils.tensorboard._onnx_graph import load_onnx_graph

HERE = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def floats(values, kind=TensorProto.FLOAT):
    return helper.make_tensor("f", kind, [len(values)], values)


inner = helper.make_graph(
    [helper.make_node("Relu", ["x"], ["y"], name="in", alpha=0.1, k=[1, -2], s="q", fs=[0.5])],
    "g",
    [value("x", ["N", 3])],
    [value("y", None)],
    [floats([1.0])],
    doc_string="é\t",
)
sparse = helper.make_sparse_tensor(floats([2.0]), helper.make_tensor("i", TensorProto.INT64, [1], [0]), [3])
numbers = [0.1, 1e20, 1e-7, float("nan"), -0.0, 123456789, 16777216.0, float("-inf")]
attributes = dict(
    alpha=0.1,
    axis=-3,
    zero=0,
    text="é'",
    quotes=b"\x00'\"\\\n\x7f",
    ints=[1, -2],
    floats=[0.1, 1e20, float("inf"), 2.0],
    strings=["a", "b'c"],
    tensor=numpy_helper.from_array(np.array([1.5, -2], np.float32), "n\"é\n\x01'"),
    tensors=[numpy_helper.from_array(np.array(1))] * 2,
    graph=inner,
    graphs=[inner],
    many=floats(numbers),
    doubles=floats([0.1, 1 / 3, 1e300], TensorProto.DOUBLE),
    bools=helper.make_tensor("b", TensorProto.BOOL, [2], [True, False]),
    texts=helper.make_tensor("s", TensorProto.STRING, [2], ["a", "é\x7f?"]),
    large=floats([2**64 - 1, 0], TensorProto.UINT64),
    sparse=sparse,
    sparses=[sparse],
    kind=helper.make_tensor_type_proto(TensorProto.INT64, [2, "N"]),
    kinds=[helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))],
)
nodes = [
    helper.make_node("All", ["x", "", "w"], ["a", "b"], name="first", **attributes),
    helper.make_node("Plain", [], ["y"]),
]
nodes[1].attribute.append(
    onnx.AttributeProto(name="r", ref_attr_name="outer", type=onnx.AttributeProto.INT, doc_string="d")
)
nodes.append(helper.make_node("Bare", ["y"], ["z"]))
graph = helper.make_graph(
    nodes,
    "main",
    [value("x", [None, "N", 3, 0]), value("i", [], TensorProto.INT64)],
    [value("z", None)],
    [floats([1.0])],
)
graph.input.append(
    helper.make_value_info(
        "seq", helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    )
)
onnx.save(helper.make_model(graph), HERE + "/onnx_graph.onnx.bin")
with contextlib.redirect_stdout(io.StringIO()):
    made = load_onnx_graph(HERE + "/onnx_graph.onnx.bin")
with open(HERE + "/onnx_graph_def.bin", "wb") as file:
    file.write(made.SerializeToString(deterministic=True))
