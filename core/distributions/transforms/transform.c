/* core/distributions/transforms/transform.c: torch.distributions.transforms: functions y = f(x) with their inverse and
 * the logarithm of the absolute value of the determinant of their Jacobian. Here is what all kinds share; the folder
 * has the kinds: of single elements (elementwise.c), vectors and matrices (simplex.c, cholesky.c), shapes (reshape.c),
 * and those made of other transforms (compose.c, cat.c). */
#include <string.h>

#include "core/distributions/transforms/transform_internal.h"

/* ---- the object ---- */

static void transform_destroy(void *object) {
    Transform *t = object;
    tg_object_dispose(&t->object);
    t_release(t->loc);
    t_release(t->scale);
    t_release(t->base);
    t_release(t->distribution);
    for (int64_t i = 0; t->parts && i < t->count; i++) t_release(t->parts[i]);
    tg_free(t->parts, (size_t)t->count * sizeof *t->parts);
    tg_free(t->lengths, (size_t)t->count * sizeof *t->lengths);
    tg_object_free(&t->object, sizeof *t);
}

static const t_Class transform_class = {"Transform", transform_destroy};

bool tg_check_transform(const Transform *t, int position) {
    if (!tg_check_given(t != NULL, position, "a transform")) return false;
    return t->object.is_a == &transform_class || tg_fail("argument %d is not a live transform", position);
}

Transform *tg_transform_new(const TransformKind *kind, Tensor *loc, Tensor *scale) {
    Transform *t = tg_alloc(sizeof *t);
    if (!t) return NULL;
    t->kind = kind;
    t->loc = loc ? t_retain(loc) : NULL;
    t->scale = scale ? t_retain(scale) : NULL;
    tg_object_init(&t->object, &transform_class);
    return t;
}

Transform *tg_transform_of_parts(const TransformKind *kind, Transform *const *parts, int64_t count) {
    if (!tg_check_array(parts, count, 1, "transforms")) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!tg_check_transform(parts[i], 1)) return NULL;
    Transform **copy = count ? tg_alloc((size_t)count * sizeof *copy) : NULL;
    Transform *t = copy || !count ? tg_transform_new(kind, NULL, NULL) : NULL;
    if (!t) {
        if (copy) tg_free(copy, (size_t)count * sizeof *copy);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) copy[i] = t_retain(parts[i]);
    t->parts = copy;
    t->count = count;
    return t;
}

/* ---- events ---- */

static int kind_event_dim(ConstraintKind kind) {
    switch (kind) {
    case REAL_VECTOR:
    case SIMPLEX: return 1;
    case REAL_MATRIX:
    case CORR_CHOLESKY:
    case LOWER_CHOLESKY:
    case POSITIVE_DEFINITE: return 2;
    default: return 0;
    }
}

static int event_dim(const Transform *t, bool domain) {
    if (t->kind->event_dim) return t->kind->event_dim(t, domain);
    return kind_event_dim(domain ? t->kind->domain : t->kind->codomain);
}

int tg_domain_event_dim(const Transform *t) {
    return event_dim(t, true);
}

int tg_codomain_event_dim(const Transform *t) {
    return event_dim(t, false);
}

/* Whether x is a tensor with the dims that every transform of this kind needs. */
static bool has_event(const Transform *t, const Tensor *x, bool domain) {
    const int needed = kind_event_dim(domain ? t->kind->domain : t->kind->codomain);
    return x && (x->ndim >= needed || tg_fail("Too few dimensions on input"));
}

/* ---- values ---- */

Tensor *tg_transform_call(Transform *t, Tensor *x) {
    return has_event(t, x, true) ? t->kind->call(t, x) : NULL;
}

Tensor *tg_transform_inverse(Transform *t, Tensor *y) {
    return has_event(t, y, false) ? t->kind->inverse(t, y) : NULL;
}

Tensor *tg_transform_jacobian(Transform *t, Tensor *x, Tensor *y) {
    if (!t->kind->log_abs_det_jacobian) return tg_fail("%s has no log_abs_det_jacobian", t->kind->name);
    return has_event(t, x, true) && has_event(t, y, false) ? t->kind->log_abs_det_jacobian(t, x, y) : NULL;
}

/* transform(x). Errors: x has too few dims, or not the sizes that the transform takes. */
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

/* transform.inv: of a composition the inverses in the other order; the inverse of an inverse is the transform. */
Transform *distributions_inv(Transform *transform) {
    if (!tg_check_transform(transform, 1)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? tg_transform_inv(transform) : NULL);
}

/* ---- domain and codomain ---- */

static Constraint *side(Transform *transform, bool domain) {
    if (!tg_check_transform(transform, 1)) return NULL;
    const TransformKind *kind = transform->kind;
    int depth = t_scope_open();
    Constraint *constraint = depth == 0   ? NULL
                             : kind->side ? kind->side(transform, domain)
                                          : tg_constraint(domain ? kind->domain : kind->codomain);
    return tg_scope_return(depth, constraint);
}

/* transform.domain: the values that it takes */
Constraint *distributions_domain(Transform *transform) {
    return side(transform, true);
}

/* transform.codomain: the values that it gives */
Constraint *distributions_codomain(Transform *transform) {
    return side(transform, false);
}

/* ---- shapes, sign, equality ---- */

static bool shape_of(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    if (shape->len < kind_event_dim(forward ? t->kind->domain : t->kind->codomain))
        return tg_fail("Too few dimensions on input");
    if (t->kind->shape) return t->kind->shape(t, shape, forward, to);
    *to = *shape;
    return true;
}

bool tg_forward_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to) {
    return shape_of(t, shape, true, to);
}

bool tg_inverse_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to) {
    return shape_of(t, shape, false, to);
}

Tensor *tg_transform_sign(Transform *t) {
    if (t->kind->sign_of) return t->kind->sign_of(t);
    return t->kind->sign ? t_integer(t->kind->sign) : tg_fail("%s has no sign", t->kind->name);
}

static bool equal_values(Tensor *a, Tensor *b) {
    if (!a || !b) return a == b;
    Tensor *equal = t_all(t_eq(a, b), NULL, 0, false);
    return equal && tg_read_int64(equal);
}

bool tg_transforms_equal(const Transform *a, const Transform *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->kind->only_itself || a->count != b->count) return false;
    if (a->base && !tg_transforms_equal(a->base, b->base)) return false;
    for (int64_t i = 0; i < a->count; i++)
        if (!tg_transforms_equal(a->parts[i], b->parts[i])) return false;
    return equal_values(a->loc, b->loc) && equal_values(a->scale, b->scale);
}
