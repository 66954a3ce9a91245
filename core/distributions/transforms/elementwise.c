/* core/distributions/transforms/elementwise.c: transforms of single elements: exp, abs, sigmoid, tanh, softplus,
 * powers, affine functions, and the cumulative distribution function of a distribution. */
#include "core/distributions/transforms/transform_internal.h"

/* ---- ExpTransform, AbsTransform ---- */

static Tensor *exp_call(Transform *t, Tensor *x) {
    (void)t;
    return t_exp(x);
}
static Tensor *exp_inverse(Transform *t, Tensor *y) {
    (void)t;
    return t_log(y);
}
static Tensor *exp_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)t;
    (void)y;
    return x;
}
static const TransformKind exp_kind = {"ExpTransform", REAL, POSITIVE, 1, exp_call, exp_inverse, exp_jacobian};

static Tensor *abs_call(Transform *t, Tensor *x) {
    (void)t;
    return t_abs(x);
}
static Tensor *abs_inverse(Transform *t, Tensor *y) {
    (void)t;
    return y;
}
static const TransformKind abs_kind = {"AbsTransform", REAL, POSITIVE, 0, abs_call, abs_inverse, NULL};

Transform *distributions_ExpTransform_new(void) {
    return tg_transform_new(&exp_kind, NULL, NULL);
}

/* AbsTransform(): not bijective; its inverse is the identity. */
Transform *distributions_AbsTransform_new(void) {
    return tg_transform_new(&abs_kind, NULL, NULL);
}

/* ---- SigmoidTransform, TanhTransform, SoftplusTransform ---- */

/* Clamped to the open interval (0, 1), as in PyTorch. */
Tensor *tg_open_interval(Tensor *y) {
    return y ? t_clamp(y, N(tg_tiny(y->dtype)), N(1 - tg_eps(y->dtype))) : NULL;
}
static Tensor *sigmoid_call(Transform *t, Tensor *x) {
    (void)t;
    return tg_open_interval(t_sigmoid(x));
}
static Tensor *sigmoid_inverse(Transform *t, Tensor *y) {
    (void)t;
    y = tg_open_interval(y);
    return t_sub(t_log(y), t_log1p(t_neg(y)));
}
static Tensor *sigmoid_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)t;
    (void)y;
    return t_sub(t_neg(tg_softplus(t_neg(x))), tg_softplus(x));
}
static const TransformKind sigmoid_kind = {"SigmoidTransform", REAL, UNIT_INTERVAL, 1,
                                           sigmoid_call,       sigmoid_inverse, sigmoid_jacobian};

static Tensor *tanh_call(Transform *t, Tensor *x) {
    (void)t;
    return t_tanh(x);
}
static Tensor *tanh_inverse(Transform *t, Tensor *y) {
    (void)t;
    return t_atanh(y);
}
/* log(1 - tanh(x)^2) = 2 (log 2 - x - log(1 + e^(-2x))), without cancellation */
static Tensor *tanh_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)t;
    (void)y;
    return t_mul(N(2), t_sub(t_sub(N(log(2)), x), tg_softplus(t_mul(N(-2), x))));
}
static Constraint *tanh_side(Transform *t, bool domain) {
    (void)t;
    return domain ? tg_constraint(REAL) : distributions_constraints_interval(N(-1), N(1));
}
static const TransformKind tanh_kind = {"TanhTransform", REAL, REAL, 1, tanh_call, tanh_inverse, tanh_jacobian,
                                        .side = tanh_side};

static Tensor *softplus_call(Transform *t, Tensor *x) {
    (void)t;
    return tg_softplus(x);
}
static Tensor *softplus_inverse(Transform *t, Tensor *y) {
    (void)t;
    return t_add(t_log(t_neg(t_expm1(t_neg(y)))), y);
}
static Tensor *softplus_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)t;
    (void)y;
    return t_neg(tg_softplus(t_neg(x)));
}
static const TransformKind softplus_kind = {"SoftplusTransform", REAL, POSITIVE, 1,
                                            softplus_call,       softplus_inverse, softplus_jacobian};

Transform *distributions_SigmoidTransform_new(void) {
    return tg_transform_new(&sigmoid_kind, NULL, NULL);
}
Transform *distributions_TanhTransform_new(void) {
    return tg_transform_new(&tanh_kind, NULL, NULL);
}
Transform *distributions_SoftplusTransform_new(void) {
    return tg_transform_new(&softplus_kind, NULL, NULL);
}

/* ---- those with parameters: shapes broadcast with them ---- */

static bool broadcast_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    Tensor *parameters[] = {t->loc, t->scale};
    (void)forward;
    *to = *shape;
    for (int i = 0; i < 2; i++) {
        if (!parameters[i]) continue;
        t_Tuple of = tg_shape_tuple(parameters[i], 0, parameters[i]->ndim);
        if (!tg_broadcast_tuples(to, &of, to)) return false;
    }
    return true;
}

/* ---- PowerTransform(exponent): x^exponent ---- */

static Tensor *power_call(Transform *t, Tensor *x) {
    return t_pow(x, t->loc);
}
static Tensor *power_inverse(Transform *t, Tensor *y) {
    return t_pow(y, t_div(N(1), t->loc));
}
static Tensor *power_jacobian(Transform *t, Tensor *x, Tensor *y) {
    return t_log(t_abs(t_div(t_mul(t->loc, y), x)));
}
static Tensor *power_sign(Transform *t) {
    return t_sign(t->loc);
}
static const TransformKind power_kind = {
    "PowerTransform", POSITIVE, POSITIVE, 0, power_call, power_inverse, power_jacobian, .sign_of = power_sign,
    .shape = broadcast_shape};

Transform *distributions_PowerTransform_new(Tensor *exponent) {
    int depth = t_scope_open();
    Transform *t = depth && tg_broadcast_all(&exponent, 1) ? tg_transform_new(&power_kind, exponent, NULL) : NULL;
    return tg_scope_return(depth, t);
}

/* ---- AffineTransform(loc, scale, event_dim): loc + scale x ---- */

static Tensor *affine_call(Transform *t, Tensor *x) {
    return t_add(t->loc, t_mul(t->scale, x));
}
static Tensor *affine_inverse(Transform *t, Tensor *y) {
    return t_div(t_sub(y, t->loc), t->scale);
}
static Tensor *affine_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)y;
    if (!x) return NULL;
    Tensor *result = t->scale->wrapped_number ? t_full_like(x, log(fabs(tg_read_double(t->scale))))
                                              : t_log(t_abs(t->scale));
    if (result && t->event_dim > result->ndim)
        return tg_fail("a scale of %d dims has no event of %lld dims", result->ndim, (long long)t->event_dim);
    result = tg_sum_rightmost(result, t->event_dim);
    t_Tuple shape = tg_shape_tuple(x, 0, x->ndim > t->event_dim ? x->ndim - (int)t->event_dim : 0);
    return tg_expand_to(result, &shape);
}
static Tensor *affine_sign(Transform *t) {
    return t_sign(t->scale);
}
static int affine_event_dim(const Transform *t, bool domain) {
    (void)domain;
    return (int)t->event_dim;
}
static Constraint *affine_side(Transform *t, bool domain) {
    Constraint *real = tg_constraint(REAL);
    (void)domain;
    return real && t->event_dim > 0 ? distributions_constraints_independent(real, t->event_dim) : real;
}
static const TransformKind affine_kind = {
    "AffineTransform", REAL, REAL, 0, affine_call, affine_inverse, affine_jacobian, .sign_of = affine_sign,
    .side = affine_side, .event_dim = affine_event_dim, .shape = broadcast_shape};

/* loc and scale: numbers or tensors; event_dim: how many of the last dims are one event. Error: event_dim negative. */
Transform *distributions_AffineTransform_new(Tensor *loc, Tensor *scale, int64_t event_dim) {
    if (!tg_check_two(loc, scale)) return NULL;
    if (event_dim < 0 || event_dim > T_MAX_DIMS)
        return tg_fail("event_dim must be from 0 to %d, got %lld", T_MAX_DIMS, (long long)event_dim);
    Transform *t = tg_transform_new(&affine_kind, loc, scale);
    if (t) t->event_dim = event_dim;
    return t;
}

/* ---- CumulativeDistributionTransform(distribution): distribution.cdf(x) ---- */

static Tensor *cdf_call(Transform *t, Tensor *x) {
    return tg_cdf(t->distribution, x);
}
static Tensor *cdf_inverse(Transform *t, Tensor *y) {
    return tg_icdf(t->distribution, y);
}
static Tensor *cdf_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)y;
    return tg_log_prob(t->distribution, x);
}
static Constraint *cdf_side(Transform *t, bool domain) {
    return domain ? distributions_support(t->distribution) : tg_constraint(UNIT_INTERVAL);
}
static const TransformKind cdf_kind = {
    "CumulativeDistributionTransform", REAL, UNIT_INTERVAL, 1, cdf_call, cdf_inverse, cdf_jacobian,
    .only_itself = true, .side = cdf_side};

/* CumulativeDistributionTransform(distribution): of one whose cdf and icdf exist */
Transform *distributions_CumulativeDistributionTransform_new(Distribution *distribution) {
    Transform *t = tg_check_distribution(distribution, 1) ? tg_transform_new(&cdf_kind, NULL, NULL) : NULL;
    if (t) t->distribution = t_retain(distribution);
    return t;
}
