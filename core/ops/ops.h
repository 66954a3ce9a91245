/* core/ops/ops.h: torch.* and Tensor.* as plain C functions, one line each (public).
 *
 * The headers of this folder declare all of torch.*; the ops are in folders by family, each file with the forward and
 * the gradient rule of its ops:
 *
 *   pointwise/  element by element, and what all ops share: loops, dtype promotion, in-place writes, broadcasting
 *   shape/      views, and tensors put together and taken apart
 *   creation/   new tensors, literals, random numbers, copies and dtypes
 *   indexing/   x[index], gather and scatter
 *   reduction/  over dims and along one dim: sums, maxima, norms, softmax, scans
 *   sorting/    sort, median, unique, searching, histograms
 *   linalg/     products of matrices, einsum, distances
 *
 * A parameter has the name of PyTorch's argument, which is also the keyword if the macro takes one: .dim,
 * .keepdim, .indices. x is the first tensor, PyTorch's input or self; the length of an array (dim, size, ...) is the
 * parameter after it. The comment on a line is the PyTorch spelling; formula, shapes, dtypes, gradient and errors
 * are documented at the function in core/ops/, where formulas call two operands a and b. On failure a function
 * returns NULL (false, -1) and sets t_error(); if an argument is NULL because an earlier call failed, it keeps that
 * error. Negative dims count from the end. core/sugar has a macro of the same name for each function, which takes
 * numbers for tensors, shapes as arguments and keywords: (t_add)(x, other) calls the plain function. */
#ifndef TAPEGRAD_CORE_OPS_OPS_H
#define TAPEGRAD_CORE_OPS_OPS_H

#include "core/ops/aliases.h"
#include "core/ops/autocast.h"
#include "core/ops/tensor_info.h"
#include "core/ops/creation.h"
#include "core/ops/indexing.h"
#include "core/ops/pointwise.h"
#include "core/ops/linalg.h"
#include "core/ops/reduction.h"
#include "core/ops/shape.h"

#endif
