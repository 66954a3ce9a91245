/* core/ops/pointwise/pointwise_internal.h: what the op files share: elementwise loops for every dtype, dtype promotion,
 * in-place writes, sums over broadcast dims (internal). */
#ifndef TAPEGRAD_CORE_OPS_POINTWISE_POINTWISE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_POINTWISE_POINTWISE_INTERNAL_H

#include "core/autograd/arithmetic.h"
#include "core/ops/ops.h"
#include "core/tensor/iterator.h"

/* A Python number in a formula. */
#define N(value) t_number(value)

/* One loop for each dtype that an op supports; a missing one is the error '"op" not implemented for 'Bool''. */
typedef const Loop LoopTable[T_DTYPES];
/* The loops of f in core/kernels/elementwise/elementwise_table.inc; with f_int64, a loop of the file itself. */
#define FLOAT_LOOPS(f) [t_float32] = tg_##f##_float32, [t_float64] = tg_##f##_float64
#define NUMBER_LOOPS(f) [t_int64] = f##_int64, FLOAT_LOOPS(f)

t_DType tg_promote(t_DType a, t_DType b); /* torch.promote_types of two dtypes; 0 counts less than all */
/* torch.result_type: the dtype that the inputs are promoted to. Numbers have the lowest priority, then 0-dim
 * tensors, then the others. */
t_DType tg_result_type(Tensor *const *x, int count);
Tensor *tg_not_implemented(const char *op, t_DType dtype);
/* the backward of an op that PyTorch has no derivative for: fails with its error */
void tg_no_derivative(Record *r, Tensor *dy, Tensor **dx);
/* Checks of a matrix product of any ranks from 1 on: matching sizes, one dtype, not bool; else PyTorch's error. */
bool tg_check_product(const Tensor *a, const Tensor *b);
bool tg_check_bmm(const Tensor *a, const Tensor *b, int64_t a_batch, int64_t b_batch); /* batch sizes */
bool tg_check_bmm_dtypes(const Tensor *a, const Tensor *b);

/* y = loop(x...): broadcasts, promotes to the common dtype (to a floating one if `floating`), allocates, and runs
 * the loop. The output has dtype `out`, or the common dtype for out = 0. */
Tensor *tg_pointwise(const char *op, Tensor *const *x, int count, LoopTable loops, bool floating, t_DType out);
/* tg_pointwise of two tensors, which are checked for NULL. */
Tensor *tg_pointwise2(const char *op, Tensor *a, Tensor *b, LoopTable loops, bool floating, t_DType out);
/* The same for +, -, * and /. A number or a 0-dim tensor that meets float16 or bfloat16 is rounded to it if
 * rounds_numbers, else only a 0-dim tensor that is the first operand, as in PyTorch. */
Tensor *tg_arithmetic(const char *op, Tensor *a, Tensor *b, LoopTable loops, bool floating, bool rounds_numbers);
/* tg_pointwise_in where numbers are not rounded, either. */
Tensor *tg_pointwise_unrounded(const char *op, t_DType dtype, Tensor *const *x, int count, LoopTable loops);
/* tg_pointwise with a given dtype for the inputs, and the loops' context. */
Tensor *tg_pointwise_in(const char *op, t_DType dtype, Tensor *const *x, int count, LoopTable loops, t_DType out,
                        const void *context);

/* ---- in place: x = f(x, ...) ---- */

/* Runs the loop into x[0] itself if nothing else is needed: nothing is recorded, the result has x[0]'s dtype and
 * shape, and no input overlaps x[0] with a different layout. Else returns false and leaves x[0] unchanged. */
bool tg_run_inplace(Tensor *const *x, int count, LoopTable loops, const void *context);
/* Whether writing to x[0] would record nothing, and no other input overlaps x[0] with a different layout. */
bool tg_can_write_directly(Tensor *const *x, int count);
/* All of x.f_() and x.f_(y) for an f without other arguments; `loops` are those of f, or NULL. */
Tensor *tg_inplace1(Tensor *x, LoopTable loops, Tensor *(*f)(Tensor *));
Tensor *tg_inplace2(Tensor *x, Tensor *y, LoopTable loops, Tensor *(*f)(Tensor *, Tensor *));
/* For any other f: int depth = tg_open_write(x); return tg_close_write(depth, x, depth ? f(x, ...) : NULL); */
int tg_open_write(Tensor *x);
Tensor *tg_close_write(int depth, Tensor *x, Tensor *value);
/* x = update(x, a, b) for each tensor of the list (update_all.c). What can fail comes before the first write, so that
 * an error changes none. tg_scale_all: x *= factor, a 0-dim tensor. */
typedef Tensor *tg_ListStep(Tensor *x, Tensor *a, Tensor *b);
bool tg_update_all(const t_TensorList *list, tg_ListStep *update, tg_ListStep *update_in_place, Tensor *a, Tensor *b);
bool tg_scale_all(const t_TensorList *list, Tensor *factor);

/* ---- narrow dtypes (float16, int32, ...) ----
 * An op whose kernels know no narrow dtype begins with
 *     if (tg_is_narrow_tensor(x)) return tg_narrowed(t_f(tg_widened(x), dim), x->dtype);
 * and where several operands decide the dtype of the result with
 *     const t_DType narrow = TG_WIDEN(&x, &y);
 *     if (narrow) return tg_narrowed(t_f(x, y, dim), narrow);
 * The conversions are recorded. An index or a count, int64 by itself, is returned as it is. */

bool tg_is_narrow_tensor(const Tensor *x); /* false for what is no tensor: t_f has the error */
Tensor *tg_widened(Tensor *x);             /* x in the dtype that it is computed in */
Tensor *tg_widened_optional(Tensor *x);    /* the same; NULL, and what is no tensor, is returned as it is */
/* y, which was computed from tg_widened(x), in x's dtype; a y that has not the wide dtype is returned as it is. */
Tensor *tg_narrowed(Tensor *y, t_DType dtype);
/* Widens the operands of a narrow dtype, and returns the dtype that all operands together give; 0 if none was narrow.
 * NULL, and what is no tensor, stays as it is. */
t_DType tg_widen(Tensor **const *operands, int count);
t_DType tg_widen_half(Tensor **const *operands, int count);
#define TG_WIDEN(...) \
    tg_widen((Tensor **[]){__VA_ARGS__}, (int)(sizeof((Tensor **[]){__VA_ARGS__}) / sizeof(Tensor **)))
/* The same for functions that PyTorch composes of ops in the integer dtype itself, where they may overflow: operands of
 * narrow integers stay as they are. */
#define TG_WIDEN_HALF(...) \
    tg_widen_half((Tensor **[]){__VA_ARGS__}, (int)(sizeof((Tensor **[]){__VA_ARGS__}) / sizeof(Tensor **)))

/* ---- torch.autocast (core/ops/autocast.c) ----
 * A function that PyTorch lists begins with TG_AUTOCAST(x) or TG_AUTOCAST_FLOAT32(x) for each floating input; NULL
 * stays NULL, and a failed cast gives NULL with the error set. */

Tensor *tg_autocast(Tensor *x);
Tensor *tg_autocast_float32(Tensor *x);
/* y = expression without autocast: for a function that has cast its inputs and computes with others on the list. */
#define TG_WITHOUT_AUTOCAST(y, expression)                                                      \
    do {                                                                                        \
        const t_DType autocast_before = tg_thread.autocast;                                     \
        tg_thread.autocast = 0;                                                                 \
        (y) = (expression);                                                                     \
        tg_thread.autocast = autocast_before;                                                   \
    } while (0)
#define TG_AUTOCAST(x) ((void)(tg_thread.autocast && ((x) = tg_autocast(x))))
#define TG_AUTOCAST_FLOAT32(x) ((void)(tg_thread.autocast && ((x) = tg_autocast_float32(x))))

/* ---- views ---- */

Tensor *tg_recorded_alias(Tensor *x); /* a recorded view of all of x */

#endif
