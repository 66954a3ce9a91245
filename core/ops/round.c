/* core/ops/round.c: whole numbers near a number. Shapes: any, kept; integers stay as they are, bools are refused. The
 * gradient is 0, that of frac dy. */
#include "core/kernels/copy_convert.h"
#include "core/ops/unary_internal.h"

#define NO_SLOPE ((void)dy, tg_zeros_like_input(r, 0))
static void same_int64(int64_t n, char *const *data, const int64_t *steps, const void *context) {
    (void)context;
    if (data[0] != data[1]) tg_copy_loop(8, steps[0], steps[1])(n, data[0], steps[0], data[1], steps[1]);
}
#define ROUNDING(f, grad_fn, kernel) UNARY_OF_ANY(NOTHING, f, grad_fn, NULL, NULL, kernel, same_int64, NO_SLOPE)

ROUNDING(floor, "FloorBackward0", "floor_vml_cpu")
ROUNDING(ceil,  "CeilBackward0",  "ceil_vml_cpu")
ROUNDING(trunc, "TruncBackward0", "trunc_vml_cpu")

/* torch.frac(x): x - trunc(x). Errors: an integer dtype. */
TG_UNARY(NOTHING, frac, "FracBackward0", false, NULL, "frac_cpu", dy,
         [t_float32] = tg_frac_float32, [t_float64] = tg_frac_float64)

/* torch.round(x, decimals): to `decimals` places behind the point (before it, where negative); a half goes to the even
 * neighbour. Errors: an integer dtype with decimals. */
static void round_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = NO_SLOPE;
}
static const Op round_op = {"round", "RoundBackward0", round_backward};
static const Op round_decimals_op = {"round", "RoundBackward1", round_backward};

/* The knob is 10^|decimals|, negative for negative decimals. */
static Tensor *round_decimals(Tensor *x, int64_t decimals) {
    static LoopTable loops = {[t_float32] = tg_round_decimals_float32, [t_float64] = tg_round_decimals_float64};
    double scale = decimals > 0 ? pow(10.0, decimals) : -pow(10.0, -(double)decimals);
    return tg_pointwise_in("round_cpu", x->dtype, &x, 1, loops, 0, &(Knobs){scale, 0, 0});
}

Tensor *t_round(Tensor *x, int64_t decimals) {
    static LoopTable loops = {[t_int64] = same_int64, [t_float32] = tg_round_float32, [t_float64] = tg_round_float64};
    if (!tg_check(x, 1)) return NULL;
    Tensor *y = decimals ? round_decimals(x, decimals) : tg_pointwise("round_vml_cpu", &x, 1, loops, false, 0);
    return tg_record(decimals ? &round_decimals_op : &round_op, y, INPUTS(x), NONE, NONE);
}

Tensor *t_round_(Tensor *x, int64_t decimals) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_round(x, decimals) : NULL);
}
