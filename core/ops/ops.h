/* core/ops/ops.h: torch.* and Tensor.* as plain C functions, one line each (public).
 *
 * A parameter has the name of PyTorch's argument, which is the keyword wherever the macro takes one: .dim, .keepdim, .indices.
 * x is the first tensor, PyTorch's input or self; the length of an array (dim, size, ...) is the parameter behind it. The comment
 * on a line is the PyTorch spelling; formula, shapes, dtypes, gradient and errors stand above the function in core/ops/, where a
 * formula calls two operands a and b. A function gives NULL (false, -1) on failure with t_error() set; a NULL tensor argument
 * passes on. Negative dims count from the end. sugar.h puts a macro of the same name over each, which takes numbers for
 * tensors, shapes as arguments and keywords: (t_add)(x, other) is the plain one. */
#ifndef TAPEGRAD_CORE_OPS_OPS_H
#define TAPEGRAD_CORE_OPS_OPS_H

#include "core/ops/aliases.h"
#include "core/ops/tensor_info.h"
#include "core/ops/creation.h"
#include "core/ops/indexing.h"
#include "core/ops/pointwise.h"
#include "core/ops/products.h"
#include "core/ops/reduction.h"
#include "core/ops/shape.h"

#endif
