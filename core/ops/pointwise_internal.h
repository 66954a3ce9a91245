/* core/ops/pointwise_internal.h: what the op files share: loops for every dtype, dtype promotion, sums over broadcast dims
 * (internal). */
#ifndef TAPEGRAD_CORE_OPS_POINTWISE_INTERNAL_H
#define TAPEGRAD_CORE_OPS_POINTWISE_INTERNAL_H

#include "core/tensor/iterator.h"
#include "core/autograd/arithmetic.h"
#include "core/ops/ops.h"

/* One loop for each dtype that an op reads; a missing one is the error '"op" not implemented for 'Bool''. */
typedef const Loop LoopTable[T_DTYPES];
/* Those of f in core/kernels/elementwise/elementwise.h. */
#define FLOAT_LOOPS(f) [t_float32] = tg_##f##_float32, [t_float64] = tg_##f##_float64
#define NUMBER_LOOPS(f) [t_int64] = tg_##f##_int64, FLOAT_LOOPS(f)

/* torch.result_type: the dtype that a and b meet in. Numbers count least, then 0-dim tensors, then the others. */
t_DType tg_result_type(Tensor *const *x, int count);
Tensor *tg_not_implemented(const char *op, t_DType dtype);
void tg_no_derivative(Record *r, Tensor *dy, Tensor **dx); /* the rule of an op that PyTorch has no gradient for: its error */
/* Of a matrix product of any ranks from 1 on: sizes that fit, one dtype, not bool; else PyTorch's sentence. */
bool tg_check_product(const Tensor *a, const Tensor *b);
bool tg_check_bmm(const Tensor *a, const Tensor *b, int64_t members, int64_t b_members); /* two batches of so many matrices */
bool tg_check_bmm_dtypes(const Tensor *a, const Tensor *b);

/* y = loop(x...): broadcast, promote to the common dtype (to a floating one if `floating`), allocate, run. The output has
 * dtype `out`, or the common dtype where out is 0. */
Tensor *tg_pointwise(const char *op, Tensor *const *x, int count, LoopTable loops, bool floating, t_DType out);
Tensor *tg_pointwise2(const char *op, Tensor *a, Tensor *b, LoopTable loops, bool floating, t_DType out); /* of two, which it checks */
/* The same with the dtype that the inputs are read in given, and the loops' context. */
Tensor *tg_pointwise_in(const char *op, t_DType dtype, Tensor *const *x, int count, LoopTable loops, t_DType out,
                        const void *context);

/* ---- in place: x = f(x, ...) ---- */

/* Runs the loop into x[0] itself, where nothing else is to be done: nothing is recorded, the result has x[0]'s dtype and
 * shape, and no input overlaps x[0] in another arrangement. False: x[0] is as it was. */
bool tg_run_inplace(Tensor *const *x, int count, LoopTable loops, const void *context);
/* Would writing to x[0] record nothing, and does no other input overlap x[0] in another arrangement? */
bool tg_only_numbers_change(Tensor *const *x, int count);
/* The whole of x.f_(), x.f_(y) for an f without other arguments; loops may be NULL, else they are f's. */
Tensor *tg_inplace1(Tensor *x, LoopTable loops, Tensor *(*f)(Tensor *));
Tensor *tg_inplace2(Tensor *x, Tensor *y, LoopTable loops, Tensor *(*f)(Tensor *, Tensor *));
/* For any other f: int depth = tg_open_write(x); return tg_close_write(depth, x, depth ? f(x, ...) : NULL); */
int tg_open_write(Tensor *x);
Tensor *tg_close_write(int depth, Tensor *x, Tensor *value);


Tensor *tg_recorded_alias(Tensor *x); /* a view of all of x that knows where it came from */


#endif
