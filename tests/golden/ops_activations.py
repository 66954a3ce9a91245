"""What the functions of tests/ops/table/op_table_activations.c are in PyTorch. Numbers are quarters, but for dims."""

import torch
import torch.nn.functional as F

from ops import get, op

NUMBERS = {
    "relu": 0,
    "relu6": 0,
    "selu": 0,
    "silu": 0,
    "mish": 0,
    "hardswish": 0,
    "hardsigmoid": 0,
    "sigmoid": 0,
    "tanh": 0,
    "logsigmoid": 0,
    "softsign": 0,
    "tanhshrink": 0,
    "leaky_relu": 1,
    "elu": 1,
    "celu": 1,
    "hardshrink": 1,
    "softshrink": 1,
    "hardtanh": 2,
    "threshold": 2,
    "softplus": 2,
}
INPLACE = "relu relu6 selu silu mish hardswish hardsigmoid leaky_relu elu celu hardtanh threshold".split()


def of_numbers(name, f, count, **keywords):
    op(name)(lambda x, n, c: f(x[0], *(get(n, i) / 4 for i in range(count)), **keywords))


for name, count in NUMBERS.items():
    of_numbers("F_" + name, getattr(F, name), count)
    if name in INPLACE:
        of_numbers(f"F_{name}_inplace_", getattr(F, name), count, inplace=True)
    if hasattr(F, name + "_"):
        of_numbers(f"F_{name}_", getattr(F, name + "_"), count)
for name in "relu_ selu selu_ celu celu_ hardshrink threshold threshold_".split():
    of_numbers("t_" + name, getattr(torch, name), NUMBERS[name.rstrip("_")])
op("t_prelu")(lambda x, n, c: torch.prelu(*x))
op("F_prelu")(lambda x, n, c: F.prelu(*x))
op("F_glu")(lambda x, n, c: F.glu(x[0], get(n, 0)))
op("F_gelu")(lambda x, n, c: F.gelu(x[0], approximate=["none", "none", "tanh", "quick"][get(n, 0)]))
for name in ("softmax", "softmin", "log_softmax"):
    op("F_" + name)(lambda x, n, c, f=getattr(F, name): f(x[0], get(n, 0)))
for name in ("F_rrelu", "F_rrelu_"):
    f = F.rrelu if name == "F_rrelu" else F.rrelu_
    op(name)(lambda x, n, c, f=f: f(x[0], get(n, 0) / 100, get(n, 1) / 100, bool(get(n, 2))))
op("F_gumbel_softmax")(lambda x, n, c: F.gumbel_softmax(x[0], get(n, 0) / 4, bool(get(n, 1)), dim=get(n, 2)))
