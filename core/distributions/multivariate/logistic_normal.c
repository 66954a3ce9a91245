/* core/distributions/multivariate/logistic_normal.c: LogisticNormal(loc, scale): n values with the sum 1, by stick
 * breaking of n - 1 normal ones. */
#include "core/distributions/distribution_internal.h"

static const Family logistic_normal = {
    .name = "LogisticNormal", TRANSFORMED_FUNCTIONS, TRANSFORMED_VALUES, .support = SIMPLEX};

static Distribution *logistic_normal_new(Tensor *loc, Tensor *scale, int validate_args) {
    Distribution *base = distributions_Normal_new(loc, scale, validate_args);
    if (base && base->batch_shape.len == 0) base = distributions_expand(base, (int64_t[]){1}, 1);
    Transform *stick_breaking = base ? distributions_StickBreakingTransform_new() : NULL;
    return stick_breaking ? tg_transformed_new(&logistic_normal, base, &stick_breaking, 1, validate_args) : NULL;
}

/* torch.distributions.LogisticNormal(loc, scale), (..., n - 1). Errors as Normal. */
Distribution *distributions_LogisticNormal_new(Tensor *loc, Tensor *scale, int validate_args) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? logistic_normal_new(loc, scale, validate_args) : NULL);
}
