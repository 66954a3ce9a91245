/* core/ops/pointwise/round.c: floor, ceil, trunc, frac and round. Shapes: any, kept; integers are returned unchanged,
 * bools are an error. The gradient is 0, for frac it is dy. */
#include "core/kernels/copy_convert.h"
#include "core/ops/pointwise/unary_internal.h"

#define ZERO_GRADIENT ((void)dy, tg_zeros_like_input(r, 0))
static void same_int64(int64_t n, char *const *data, const int64_t *strides, const void *context) {
    (void)context;
    if (data[0] != data[1]) tg_copy_loop(8, strides[0], strides[1])(n, data[0], strides[0], data[1], strides[1]);
}
#define ROUNDING(f, grad_fn, kernel) UNARY_ANY_DTYPE(NOTHING, f, grad_fn, NULL, NULL, kernel, same_int64, ZERO_GRADIENT)

ROUNDING(floor, "FloorBackward0", "floor_vml_cpu")
ROUNDING(ceil,  "CeilBackward0",  "ceil_vml_cpu")
ROUNDING(trunc, "TruncBackward0", "trunc_vml_cpu")

/* torch.frac(x): x - trunc(x). Errors: an integer dtype. */
TG_UNARY(NOTHING, frac, "FracBackward0", false, NULL, "frac_cpu", dy,
         FLOAT_LOOPS(frac))

/* torch.round(x, decimals): to `decimals` digits after the decimal point (before it, if negative); a half is rounded
 * to even. Errors: an integer dtype with decimals. */
static void round_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = ZERO_GRADIENT;
}
static const Op round_op = {"round", "RoundBackward0", round_backward};
static const Op round_decimals_op = {"round", "RoundBackward1", round_backward};

/* The parameter of the loop is 10^|decimals|, negative for negative decimals. */
static Tensor *round_decimals(Tensor *x, int64_t decimals) {
    static LoopTable loops = {FLOAT_LOOPS(round_decimals)};
    double scale = decimals > 0 ? pow(10.0, decimals) : -pow(10.0, -(double)decimals);
    return tg_pointwise_in("round_cpu", x->dtype, &x, 1, loops, 0, &(tg_Parameters){scale, 0, 0});
}

Tensor *t_round(Tensor *x, int64_t decimals) {
    static LoopTable loops = {[t_int64] = same_int64, FLOAT_LOOPS(round)};
    if (!tg_check_any(x, 1)) return NULL;
    Tensor *y = decimals ? round_decimals(x, decimals) : tg_pointwise("round_vml_cpu", &x, 1, loops, false, 0);
    return tg_record(decimals ? &round_decimals_op : &round_op, y, INPUTS(x), NONE, NONE);
}

Tensor *t_round_(Tensor *x, int64_t decimals) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_round(x, decimals) : NULL);
}
