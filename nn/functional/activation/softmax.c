/* nn/functional/activation/softmax.c: softmax, log_softmax and softmin.
 *
 * x: any shape, floating; returns the same shape and dtype, or `dtype` where that is given. */
#include "core/ops/pointwise/activation_internal.h"
#include "nn/functional/activation/activation.h"

/* F.softmax(x, dim, dtype): exp(x) / sum(exp(x)) along dim. PyTorch guesses a missing dim, with a warning; here it is
 * an error. */
Tensor *F_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    if (x && dim == T_NONE) return tg_fail("softmax(): missing the argument dim");
    return t_softmax_as(x, dim, dtype);
}

Tensor *F_softmax(Tensor *x, int64_t dim) {
    return F_softmax_as(x, dim, 0);
}

/* F.log_softmax(x, dim, dtype): the logarithm of softmax along dim. */
Tensor *F_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    if (x && dim == T_NONE) return tg_fail("log_softmax(): missing the argument dim");
    return t_log_softmax_as(x, dim, dtype);
}

Tensor *F_log_softmax(Tensor *x, int64_t dim) {
    return F_log_softmax_as(x, dim, 0);
}

/* F.softmin(x, dim): softmax of -x along dim. */
Tensor *F_softmin(Tensor *x, int64_t dim) {
    TG_COMPOSITE("softmin");
    if (!tg_check_any(x, 1)) return NULL;
    if (dim == T_NONE) return tg_fail("softmin(): missing the argument dim");
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, t_softmax(t_neg(x), dim)) : NULL;
}
