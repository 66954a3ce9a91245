"""A graph as a C program that prints its values and gradients, followed by the same in Python."""

from engine import number, step_in_c

HEAD = """#include <stdio.h>
#include "core/autograd/autograd.h"
#include "core/tensor/error.h"
#include "core/ops/ops.h"
#include "nn/functional/functional.h"

static Tensor *leaf(const void *values, t_DType dtype, const int64_t *shape, int ndim, bool requires_grad) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype, .requires_grad = requires_grad};
    return t_tensor_from_data(values, dtype, shape, ndim, &options);
}

int main(void) {"""
TYPES = {
    "torch.float64": ("double", "t_float64"),
    "torch.int64": ("int64_t", "t_int64"),
    "torch.bool": ("bool", "t_bool"),
}


def array(values):
    kind, dtype = TYPES[str(values.dtype)]
    flat = values.reshape(-1).tolist()
    items = ", ".join(number(v) if kind == "double" else str(v).lower() for v in flat) or "0"
    shape = ", ".join(map(str, values.shape)) or "0"
    return f"({kind}[]){{{items}}}, {dtype}, (int64_t[]){{{shape}}}, {values.dim()}"


def leaf_in_c(step):
    return f"Tensor *x{step.out} = leaf({array(step.values)}, {'true' if step.requires_grad else 'false'});"


def program(steps, roots, weights, count):
    import graph

    nodes = graph.runs(steps, count)
    lines = [leaf_in_c(s) if s.function is None else step_in_c(s) for s in steps]
    for i in roots:
        lines.append(
            f"t_BackwardOptions o{i} = {{.size = sizeof o{i}, .retain_graph = true,\n"
            f"                             .gradient = leaf({array(weights(nodes[i], i))}, false)}};"
        )
        lines.append(f"t_backward(x{i}, &o{i});")
    lines += [f't_print(x{s.out});' for s in steps if s.function and not s.inplace]
    lines += [f't_print(t_grad(x{s.out}));' for s in steps if s.requires_grad]
    lines += ['if (t_error()) puts(t_error());', "return 0;"]
    python = ["import torch, torch.nn.functional as F"]
    for s in steps:
        if s.function is None:
            grad = ", requires_grad=True" if s.requires_grad else ""
            python.append(f"x{s.out} = torch.tensor({s.values.tolist()}, dtype={s.values.dtype}{grad})")
        else:
            python.append(s.text() if s.inplace else f"x{s.out} = {s.text()}")
    return HEAD + "\n    " + "\n    ".join(lines) + "\n}\n\n" + "\n".join("# " + line for line in python) + "\n"
