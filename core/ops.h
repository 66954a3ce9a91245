/* core/ops.h: torch.* and Tensor.* as plain C functions, one line each (public).
 *
 * The comment on a line is the PyTorch spelling; formula, shapes, dtypes, gradient and errors stand above the function in
 * core/ops/. A function gives NULL (false, -1) on failure with t_error() set; a NULL tensor argument passes on. Shapes,
 * sizes and dims are arrays with their length; negative dims count from the end. sugar.h puts a macro of the same
 * name over each, which takes numbers for tensors, shapes as arguments and keywords: (t_add)(a, b) is the plain one. */
#ifndef TAPEGRAD_CORE_OPS_H
#define TAPEGRAD_CORE_OPS_H

#include "core/aliases.h"
#include "core/ops_access.h"
#include "core/ops_creation.h"
#include "core/ops_indexing.h"
#include "core/ops_pointwise.h"
#include "core/ops_products.h"
#include "core/ops_reduction.h"
#include "core/ops_shape.h"

#endif
