/* core/sugar/sugar.h: Python's face over the plain functions (public; gcc and clang, C only).
 *
 * A macro stands over each function of ops.h under the same name. It takes numbers where tensors go, shapes as arguments
 * and keywords with defaults (t_sum(x, 1, .keepdim = true)), evaluates its arguments from left to right, and frames the
 * call with its place in the source, so that the tape and the errors show the user's own line. To call past the macro:
 * (t_add)(a, b).
 *
 * sugar_macros.h says how a macro is made; each sugar_x.h has the macros over ops_x.h, one line each. */
#ifndef TAPEGRAD_CORE_SUGAR_SUGAR_H
#define TAPEGRAD_CORE_SUGAR_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/with_for.h"
#include "core/sugar/tensor_info.h"
#include "core/sugar/autograd.h"
#include "core/sugar/creation.h"
#include "core/sugar/dict.h"
#include "core/sugar/io.h"
#include "core/sugar/indexing.h"
#include "core/sugar/pointwise.h"
#include "core/sugar/products.h"
#include "core/sugar/reduction.h"
#include "core/sugar/shape.h"
#include "core/tensor/threads.h"

#define t_set_num_threads(n) T_BEGIN_("t_set_num_threads(" #n ")") int64_t t__n = (n); T_END_(bool, (t_set_num_threads)(t__n))

#endif
#endif
