/* core/sugar/sugar.h: macros that give the plain functions Python's call syntax (public; gcc and clang, C only).
 *
 * Each function of ops.h has a macro of the same name. It accepts numbers as tensor arguments, shapes as separate
 * arguments or tuples, and keywords with defaults (t_sum(x, 1, .keepdim = true)), evaluates its arguments from left to
 * right, and passes the source location of the call, so that the tape and the errors show the user's line.
 * (t_add)(a, b) calls the function without the macro.
 *
 * sugar_macros.h has the building blocks; pointwise.h has the macros of core/ops/pointwise.h, one line each, and so
 * on. This folder includes the public headers only. */
#ifndef TAPEGRAD_CORE_SUGAR_SUGAR_H
#define TAPEGRAD_CORE_SUGAR_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/with_for.h"
#include "core/sugar/tensor_info.h"
#include "core/sugar/autograd.h"
#include "core/sugar/creation.h"
#include "core/sugar/dict.h"
#include "core/sugar/func.h"
#include "core/sugar/io.h"
#include "core/sugar/indexing.h"
#include "core/sugar/pointwise.h"
#include "core/sugar/linalg.h"
#include "core/sugar/reduction.h"
#include "core/sugar/shape.h"
#include "core/sugar/special.h"
#include "core/sugar/torch_linalg.h"
#include "core/tensor/threads.h"

#define t_set_num_threads(n) T_BEGIN_("t_set_num_threads(" #n ")") int64_t t__n = (n); \
    T_END_(bool, (t_set_num_threads)(t__n))

#endif
#endif
