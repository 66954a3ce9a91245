/* core/distributions/transforms/compose.c: transforms made of others: ComposeTransform, the inverse of a transform, and
 * IndependentTransform. */
#include "core/distributions/transforms/transform_internal.h"

/* constraints.independent(constraint, dims), if there are any */
static Constraint *with_event(Constraint *constraint, int64_t dims) {
    return dims > 0 && constraint ? distributions_constraints_independent(constraint, dims) : constraint;
}

/* ---- ComposeTransform(parts): one after another ---- */

static Tensor *compose_call(Transform *t, Tensor *x) {
    for (int64_t i = 0; i < t->count; i++) x = tg_transform_call(t->parts[i], x);
    return x;
}

static Tensor *compose_inverse(Transform *t, Tensor *y) {
    for (int64_t i = t->count - 1; i >= 0; i--) y = tg_transform_inverse(t->parts[i], y);
    return y;
}

/* The sum of the parts' logarithms, each over the dims that are one event of the whole. */
static Tensor *compose_jacobian(Transform *t, Tensor *x, Tensor *y) {
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

static int compose_domain_event_dim(const Transform *t) {
    int dim = t->count ? tg_codomain_event_dim(t->parts[t->count - 1]) : 0;
    for (int64_t i = t->count - 1; i >= 0; i--) {
        const int domain = tg_domain_event_dim(t->parts[i]);
        dim += domain - tg_codomain_event_dim(t->parts[i]);
        dim = dim > domain ? dim : domain;
    }
    return dim;
}

static int compose_codomain_event_dim(const Transform *t) {
    int dim = t->count ? tg_domain_event_dim(t->parts[0]) : 0;
    for (int64_t i = 0; i < t->count; i++) {
        const int codomain = tg_codomain_event_dim(t->parts[i]);
        dim += codomain - tg_domain_event_dim(t->parts[i]);
        dim = dim > codomain ? dim : codomain;
    }
    return dim;
}

static int compose_event_dim(const Transform *t, bool domain) {
    return domain ? compose_domain_event_dim(t) : compose_codomain_event_dim(t);
}

static Constraint *compose_side(Transform *t, bool domain) {
    if (t->count == 0) return tg_constraint(REAL);
    Transform *part = t->parts[domain ? 0 : t->count - 1];
    Constraint *of_part = domain ? distributions_domain(part) : distributions_codomain(part);
    return of_part ? with_event(of_part, compose_event_dim(t, domain) - distributions_constraints_event_dim(of_part))
                   : NULL;
}

static bool compose_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    *to = *shape;
    for (int64_t i = 0; i < t->count; i++)
        if (forward ? !tg_forward_shape(t->parts[i], to, to) : !tg_inverse_shape(t->parts[t->count - 1 - i], to, to))
            return false;
    return true;
}

static Tensor *compose_sign(Transform *t) {
    Tensor *sign = t_integer(1);
    for (int64_t i = 0; i < t->count; i++) sign = t_mul(sign, tg_transform_sign(t->parts[i]));
    return sign;
}

static const TransformKind compose_kind = {
    "ComposeTransform", REAL, REAL, 0, compose_call, compose_inverse, compose_jacobian, .sign_of = compose_sign,
    .side = compose_side, .event_dim = compose_event_dim, .shape = compose_shape};

Transform *distributions_ComposeTransform_new(Transform *const *parts, int64_t count) {
    return tg_transform_of_parts(&compose_kind, parts, count);
}

/* identity_transform: the composition of none */
Transform *distributions_identity_transform(void) {
    return distributions_ComposeTransform_new(NULL, 0);
}

/* ---- the inverse of a transform ---- */

static Tensor *inverse_call(Transform *t, Tensor *x) {
    return tg_transform_inverse(t->base, x);
}
static Tensor *inverse_inverse(Transform *t, Tensor *y) {
    return tg_transform_call(t->base, y);
}
static Tensor *inverse_jacobian(Transform *t, Tensor *x, Tensor *y) {
    return t_neg(tg_transform_jacobian(t->base, y, x));
}
static Tensor *inverse_sign(Transform *t) {
    return tg_transform_sign(t->base);
}
static Constraint *inverse_side(Transform *t, bool domain) {
    return domain ? distributions_codomain(t->base) : distributions_domain(t->base);
}
static int inverse_event_dim(const Transform *t, bool domain) {
    return domain ? tg_codomain_event_dim(t->base) : tg_domain_event_dim(t->base);
}
static bool inverse_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    return forward ? tg_inverse_shape(t->base, shape, to) : tg_forward_shape(t->base, shape, to);
}
static const TransformKind inverse_kind = {
    "_InverseTransform", REAL, REAL, 0, inverse_call, inverse_inverse, inverse_jacobian, .sign_of = inverse_sign,
    .side = inverse_side, .event_dim = inverse_event_dim, .shape = inverse_shape};

Transform *tg_transform_inv(Transform *t) {
    if (t->kind == &inverse_kind) return tg_add_to_scope(t->base);
    if (t->kind != &compose_kind) {
        Transform *inverse = tg_transform_new(&inverse_kind, NULL, NULL);
        if (inverse) inverse->base = t_retain(t);
        return inverse;
    }
    Transform *composition = distributions_ComposeTransform_new(t->parts, t->count);
    for (int64_t i = 0; composition && i < t->count; i++) {
        Transform *part = tg_transform_inv(t->parts[t->count - 1 - i]);
        if (!part) return NULL;
        t_release(composition->parts[i]);
        composition->parts[i] = t_retain(part);
    }
    return composition;
}

/* ---- IndependentTransform(base_transform, reinterpreted_batch_ndims): more of the last dims are one event ---- */

static bool has_dims(const Transform *t, const Tensor *x, bool domain) {
    const int needed = (domain ? tg_domain_event_dim(t->base) : tg_codomain_event_dim(t->base)) + (int)t->event_dim;
    return x->ndim >= needed || tg_fail("Too few dimensions on input");
}

static Tensor *independent_call(Transform *t, Tensor *x) {
    return has_dims(t, x, true) ? tg_transform_call(t->base, x) : NULL;
}
static Tensor *independent_inverse(Transform *t, Tensor *y) {
    return has_dims(t, y, false) ? tg_transform_inverse(t->base, y) : NULL;
}
static Tensor *independent_jacobian(Transform *t, Tensor *x, Tensor *y) {
    Tensor *of_base = has_dims(t, x, true) ? tg_transform_jacobian(t->base, x, y) : NULL;
    return of_base ? tg_sum_rightmost(of_base, t->event_dim) : NULL;
}
static Tensor *independent_sign(Transform *t) {
    return tg_transform_sign(t->base);
}
static Constraint *independent_side(Transform *t, bool domain) {
    Constraint *of_base = domain ? distributions_domain(t->base) : distributions_codomain(t->base);
    return of_base ? distributions_constraints_independent(of_base, t->event_dim) : NULL;
}
static int independent_event_dim(const Transform *t, bool domain) {
    return (domain ? tg_domain_event_dim(t->base) : tg_codomain_event_dim(t->base)) + (int)t->event_dim;
}
static bool independent_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    return forward ? tg_forward_shape(t->base, shape, to) : tg_inverse_shape(t->base, shape, to);
}
static const TransformKind independent_kind = {
    "IndependentTransform", REAL, REAL, 0, independent_call, independent_inverse, independent_jacobian,
    .only_itself = true, .sign_of = independent_sign, .side = independent_side, .event_dim = independent_event_dim,
    .shape = independent_shape};

/* IndependentTransform(base_transform, reinterpreted_batch_ndims). Error: reinterpreted_batch_ndims negative. */
Transform *distributions_IndependentTransform_new(Transform *base_transform, int64_t reinterpreted_batch_ndims) {
    if (!tg_check_transform(base_transform, 1)) return NULL;
    if (reinterpreted_batch_ndims < 0 || reinterpreted_batch_ndims > T_MAX_DIMS)
        return tg_fail("reinterpreted_batch_ndims must be from 0 to %d, got %lld", T_MAX_DIMS,
                       (long long)reinterpreted_batch_ndims);
    Transform *t = tg_transform_new(&independent_kind, NULL, NULL);
    if (!t) return NULL;
    t->event_dim = reinterpreted_batch_ndims;
    t->base = t_retain(base_transform);
    return t;
}
