/* core/ops/pointwise/heaviside.c: heaviside: the step function. */
#include "core/ops/pointwise/pointwise_internal.h"

TG_EACH2(heaviside_bool, bool, bool, a || b)
TG_EACH2(heaviside_int64, int64_t, int64_t, a == 0 ? b : a > 0)
TG_EACH2(heaviside_float32, float, float, a == 0 ? b : a > 0)
TG_EACH2(heaviside_float64, double, double, a == 0 ? b : a > 0)
static LoopTable heaviside_loops = {[t_bool] = heaviside_bool,
                                    [t_int64] = heaviside_int64,
                                    [t_float32] = heaviside_float32,
                                    [t_float64] = heaviside_float64};
static const Op heaviside_op = {"heaviside", "NotImplemented", tg_no_derivative};
static const Op heaviside_inplace_op = {"heaviside_", "NotImplemented", tg_no_derivative};

static bool same_dtype(const Tensor *x, const Tensor *values) {
    return x->dtype == values->dtype || tg_fail("heaviside is not yet implemented for tensors with different dtypes.");
}

/* torch.heaviside(x, values): 0 where x < 0 or NaN, values where x = 0, 1 where x > 0; in one dtype. As in PyTorch the
 * result requires grad but has no derivative. Errors: two dtypes. */
Tensor *t_heaviside(Tensor *x, Tensor *values) {
    if (!tg_check_any_two(x, values) || !same_dtype(x, values)) return NULL;
    Tensor *y = tg_pointwise("heaviside_cpu", (Tensor *[]){x, values}, 2, heaviside_loops, false, 0);
    return y ? tg_record(&heaviside_op, y, INPUTS(x, values), NONE, NONE) : NULL;
}

Tensor *t_heaviside_(Tensor *x, Tensor *values) {
    if (!tg_check_any_two(x, values) || !same_dtype(x, values)) return NULL;
    int depth = tg_open_write(x);
    Tensor *y = depth ? tg_pointwise("heaviside_cpu", (Tensor *[]){x, values}, 2, heaviside_loops, false, 0) : NULL;
    if (y) y = tg_record(&heaviside_inplace_op, y, INPUTS(x, values), NONE, NONE);
    return tg_close_write(depth, x, y);
}
