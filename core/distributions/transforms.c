/* core/distributions/transforms.c: torch.distributions.transforms: functions y = f(x) with their inverse and the
 * logarithm of the absolute value of the determinant of their Jacobian. */
#include <string.h>

#include "core/distributions/distribution_internal.h"

/* One kind of transform. A field that is NULL is one that PyTorch does not implement either. */
typedef struct TransformKind {
    const char *name;
    ConstraintKind domain, codomain;
    int sign; /* of the derivative; 0: it has none, or it depends on the parameters */
    Tensor *(*call)(Transform *t, Tensor *x);
    Tensor *(*inverse)(Transform *t, Tensor *y);
    Tensor *(*log_abs_det_jacobian)(Transform *t, Tensor *x, Tensor *y);
} TransformKind;

struct distributions_Transform {
    t_Object object;
    const TransformKind *kind; /* NULL for a composition and for an inverse */
    Tensor *loc, *scale;       /* of AffineTransform; loc: the exponent of PowerTransform */
    int64_t event_dim;         /* of AffineTransform */
    Transform **parts;         /* of ComposeTransform */
    int64_t count;
    Transform *inverse_of;
};

static void transform_destroy(void *object) {
    Transform *t = object;
    tg_object_dispose(&t->object);
    t_release(t->loc);
    t_release(t->scale);
    for (int64_t i = 0; i < t->count; i++) t_release(t->parts[i]);
    tg_free(t->parts, (size_t)t->count * sizeof *t->parts);
    t_release(t->inverse_of);
    tg_object_free(&t->object, sizeof *t);
}

static const t_Class transform_class = {"Transform", transform_destroy};

bool tg_check_transform(const Transform *t, int position) {
    if (!tg_check_given(t != NULL, position, "a transform")) return false;
    return t->object.is_a == &transform_class || tg_fail("argument %d is not a live transform", position);
}

static Transform *transform_new(const TransformKind *kind, Tensor *loc, Tensor *scale, Transform *inverse_of) {
    Transform *t = tg_alloc(sizeof *t);
    if (!t) return NULL;
    t->kind = kind;
    t->loc = loc ? t_retain(loc) : NULL;
    t->scale = scale ? t_retain(scale) : NULL;
    t->inverse_of = inverse_of ? t_retain(inverse_of) : NULL;
    tg_object_init(&t->object, &transform_class);
    return t;
}

static bool is_composition(const Transform *t) {
    return !t->kind && !t->inverse_of;
}

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
    return transform_new(&exp_kind, NULL, NULL, NULL);
}

/* AbsTransform(): not bijective; its inverse is the identity. */
Transform *distributions_AbsTransform_new(void) {
    return transform_new(&abs_kind, NULL, NULL, NULL);
}

/* ---- SigmoidTransform, TanhTransform, SoftplusTransform ---- */

/* Clamped to the open interval (0, 1), as in PyTorch. */
static Tensor *open_interval(Tensor *y) {
    return y ? t_clamp(y, N(tg_tiny(y->dtype)), N(1 - tg_eps(y->dtype))) : NULL;
}
static Tensor *sigmoid_call(Transform *t, Tensor *x) {
    (void)t;
    return open_interval(t_sigmoid(x));
}
static Tensor *sigmoid_inverse(Transform *t, Tensor *y) {
    (void)t;
    y = open_interval(y);
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
static const TransformKind tanh_kind = {"TanhTransform", REAL, NO_CONSTRAINT, 1, tanh_call, tanh_inverse,
                                        tanh_jacobian};

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
    return transform_new(&sigmoid_kind, NULL, NULL, NULL);
}
Transform *distributions_TanhTransform_new(void) {
    return transform_new(&tanh_kind, NULL, NULL, NULL);
}
Transform *distributions_SoftplusTransform_new(void) {
    return transform_new(&softplus_kind, NULL, NULL, NULL);
}

/* ---- SoftmaxTransform: of a vector; not bijective ---- */

static Tensor *softmax_call(Transform *t, Tensor *x) {
    (void)t;
    return t_softmax(x, -1);
}
static const TransformKind softmax_kind = {"SoftmaxTransform", REAL_VECTOR, SIMPLEX, 0, softmax_call, exp_inverse,
                                           NULL};

Transform *distributions_SoftmaxTransform_new(void) {
    return transform_new(&softmax_kind, NULL, NULL, NULL);
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
static const TransformKind power_kind = {"PowerTransform", POSITIVE, POSITIVE, 0, power_call, power_inverse,
                                         power_jacobian};

Transform *distributions_PowerTransform_new(Tensor *exponent) {
    int depth = t_scope_open();
    Transform *t = depth && tg_broadcast_all(&exponent, 1) ? transform_new(&power_kind, exponent, NULL, NULL) : NULL;
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
static const TransformKind affine_kind = {"AffineTransform", REAL, REAL, 0, affine_call, affine_inverse,
                                          affine_jacobian};

/* loc and scale: numbers or tensors; event_dim: how many of the last dims are one event. Error: event_dim negative. */
Transform *distributions_AffineTransform_new(Tensor *loc, Tensor *scale, int64_t event_dim) {
    if (!tg_check_two(loc, scale)) return NULL;
    if (event_dim < 0 || event_dim > T_MAX_DIMS)
        return tg_fail("event_dim must be from 0 to %d, got %lld", T_MAX_DIMS, (long long)event_dim);
    Transform *t = transform_new(&affine_kind, loc, scale, NULL);
    if (t) t->event_dim = event_dim;
    return t;
}

/* ---- ComposeTransform(parts): one after another ---- */

Transform *distributions_ComposeTransform_new(Transform *const *parts, int64_t count) {
    if (!tg_check_array(parts, count, 1, "transforms")) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!tg_check_transform(parts[i], 1)) return NULL;
    Transform **copy = count ? tg_alloc((size_t)count * sizeof *copy) : NULL;
    Transform *t = copy || !count ? transform_new(NULL, NULL, NULL, NULL) : NULL;
    if (!t) {
        if (copy) tg_free(copy, (size_t)count * sizeof *copy);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) copy[i] = t_retain(parts[i]);
    t->parts = copy;
    t->count = count;
    return t;
}

/* transform.inv: of a composition the inverses in the other order; the inverse of an inverse is the transform. */
static Transform *inverse(Transform *t) {
    if (t->inverse_of) return tg_add_to_scope(t->inverse_of);
    if (!is_composition(t)) return transform_new(NULL, NULL, NULL, t);
    Transform *composition = distributions_ComposeTransform_new(t->parts, t->count);
    for (int64_t i = 0; composition && i < t->count; i++) {
        Transform *part = inverse(t->parts[t->count - 1 - i]);
        if (!part) return NULL;
        t_release(composition->parts[i]);
        composition->parts[i] = t_retain(part);
    }
    return composition;
}

Transform *distributions_inv(Transform *transform) {
    if (!tg_check_transform(transform, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? inverse(transform) : NULL);
}

/* ---- values ---- */

Tensor *tg_transform_call(Transform *t, Tensor *x) {
    if (t->inverse_of) return tg_transform_inverse(t->inverse_of, x);
    if (t->kind) return t->kind->call(t, x);
    for (int64_t i = 0; i < t->count; i++) x = tg_transform_call(t->parts[i], x);
    return x;
}

Tensor *tg_transform_inverse(Transform *t, Tensor *y) {
    if (t->inverse_of) return tg_transform_call(t->inverse_of, y);
    if (t->kind) return t->kind->inverse(t, y);
    for (int64_t i = t->count - 1; i >= 0; i--) y = tg_transform_inverse(t->parts[i], y);
    return y;
}

/* The sum of the parts' logarithms, each over the dims that are one event of the whole. */
static Tensor *composed_jacobian(Transform *t, Tensor *x, Tensor *y) {
    int64_t event_dim = tg_domain_event_dim(t);
    Tensor *sum = NULL;
    if (t->count == 0) return t_zeros_like(x);
    for (int64_t i = 0; i < t->count; i++) {
        Transform *part = t->parts[i];
        Tensor *next = i == t->count - 1 ? y : tg_transform_call(part, x);
        Tensor *term = tg_transform_jacobian(part, x, next);
        term = tg_sum_rightmost(term, event_dim - tg_domain_event_dim(part));
        sum = i == 0 ? term : t_add(sum, term);
        event_dim += tg_codomain_event_dim(part) - tg_domain_event_dim(part);
        x = next;
    }
    return sum;
}

Tensor *tg_transform_jacobian(Transform *t, Tensor *x, Tensor *y) {
    if (t->inverse_of) return t_neg(tg_transform_jacobian(t->inverse_of, y, x));
    if (!t->kind) return composed_jacobian(t, x, y);
    if (!t->kind->log_abs_det_jacobian) return tg_fail("%s has no log_abs_det_jacobian", t->kind->name);
    return t->kind->log_abs_det_jacobian(t, x, y);
}

/* transform(x) */
Tensor *distributions_call(Transform *transform, Tensor *x) {
    if (!tg_check_transform(transform, 1) || !tg_check(x, 2)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? tg_transform_call(transform, x) : NULL);
}

/* transform.log_abs_det_jacobian(x, y): log |det dy/dx|, y = transform(x); one value for each event. */
Tensor *distributions_log_abs_det_jacobian(Transform *transform, Tensor *x, Tensor *y) {
    if (!tg_check_transform(transform, 1) || !tg_check(x, 2) || !tg_check(y, 3)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? tg_transform_jacobian(transform, x, y) : NULL);
}

/* ---- domain and codomain ---- */

static int kind_event_dim(ConstraintKind kind) {
    return kind == REAL_VECTOR || kind == SIMPLEX;
}

int tg_domain_event_dim(const Transform *t) {
    if (t->inverse_of) return tg_codomain_event_dim(t->inverse_of);
    if (t->kind) return t->kind == &affine_kind ? (int)t->event_dim : kind_event_dim(t->kind->domain);
    int dim = t->count ? tg_codomain_event_dim(t->parts[t->count - 1]) : 0;
    for (int64_t i = t->count - 1; i >= 0; i--) {
        const int domain = tg_domain_event_dim(t->parts[i]);
        dim += domain - tg_codomain_event_dim(t->parts[i]);
        dim = dim > domain ? dim : domain;
    }
    return dim;
}

int tg_codomain_event_dim(const Transform *t) {
    if (t->inverse_of) return tg_domain_event_dim(t->inverse_of);
    if (t->kind) return t->kind == &affine_kind ? (int)t->event_dim : kind_event_dim(t->kind->codomain);
    int dim = t->count ? tg_domain_event_dim(t->parts[0]) : 0;
    for (int64_t i = 0; i < t->count; i++) {
        const int codomain = tg_codomain_event_dim(t->parts[i]);
        dim += codomain - tg_domain_event_dim(t->parts[i]);
        dim = dim > codomain ? dim : codomain;
    }
    return dim;
}

/* constraints.independent(constraint, dims), if there are any */
static Constraint *with_event(Constraint *constraint, int64_t dims) {
    return dims > 0 && constraint ? distributions_constraints_independent(constraint, dims) : constraint;
}

static Constraint *side(Transform *t, bool domain) {
    if (t->inverse_of) return side(t->inverse_of, !domain);
    if (t->kind == &tanh_kind && !domain) return distributions_constraints_interval(N(-1), N(1));
    if (t->kind == &affine_kind) return with_event(tg_constraint(REAL), t->event_dim);
    if (t->kind) return tg_constraint(domain ? t->kind->domain : t->kind->codomain);
    if (t->count == 0) return tg_constraint(REAL);
    Constraint *of_part = side(t->parts[domain ? 0 : t->count - 1], domain);
    const int dims = domain ? tg_domain_event_dim(t) : tg_codomain_event_dim(t);
    return of_part ? with_event(of_part, dims - distributions_constraints_event_dim(of_part)) : NULL;
}

Constraint *distributions_domain(Transform *transform) {
    if (!tg_check_transform(transform, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? side(transform, true) : NULL);
}

Constraint *distributions_codomain(Transform *transform) {
    if (!tg_check_transform(transform, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? side(transform, false) : NULL);
}

/* ---- shapes, sign, equality ---- */

/* Those of an affine or power transform broadcast with its parameters; the others keep the shape. */
static bool broadcast_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to) {
    Tensor *parameters[] = {t->loc, t->scale};
    *to = *shape;
    for (int i = 0; i < 2; i++) {
        t_Tuple of = {.len = 0};
        if (!parameters[i]) continue;
        of = tg_shape_tuple(parameters[i], 0, parameters[i]->ndim);
        if (!tg_broadcast_tuples(to, &of, to)) return false;
    }
    return true;
}

bool tg_forward_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to) {
    if (t->inverse_of) return tg_inverse_shape(t->inverse_of, shape, to);
    if (t->kind) return broadcast_shape(t, shape, to);
    *to = *shape;
    for (int64_t i = 0; i < t->count; i++)
        if (!tg_forward_shape(t->parts[i], to, to)) return false;
    return true;
}

bool tg_inverse_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to) {
    if (t->inverse_of) return tg_forward_shape(t->inverse_of, shape, to);
    if (t->kind) return broadcast_shape(t, shape, to);
    *to = *shape;
    for (int64_t i = t->count - 1; i >= 0; i--)
        if (!tg_inverse_shape(t->parts[i], to, to)) return false;
    return true;
}

Tensor *tg_transform_sign(Transform *t) {
    if (t->inverse_of) return tg_transform_sign(t->inverse_of);
    if (t->kind == &affine_kind) return t_sign(t->scale);
    if (t->kind == &power_kind) return t_sign(t->loc);
    if (t->kind) return t->kind->sign ? t_integer(t->kind->sign) : tg_fail("%s has no sign", t->kind->name);
    Tensor *sign = t_integer(1);
    for (int64_t i = 0; i < t->count; i++) sign = t_mul(sign, tg_transform_sign(t->parts[i]));
    return sign;
}

static bool equal_values(Tensor *a, Tensor *b) {
    if (!a || !b) return a == b;
    Tensor *equal = t_all(t_eq(a, b), NULL, 0, false);
    return equal && tg_read_int64(equal);
}

bool tg_transforms_equal(const Transform *a, const Transform *b) {
    if (a->inverse_of || b->inverse_of)
        return a->inverse_of && b->inverse_of && tg_transforms_equal(a->inverse_of, b->inverse_of);
    if (a->kind != b->kind || a->count != b->count) return false;
    for (int64_t i = 0; i < a->count; i++)
        if (!tg_transforms_equal(a->parts[i], b->parts[i])) return false;
    return equal_values(a->loc, b->loc) && equal_values(a->scale, b->scale);
}
