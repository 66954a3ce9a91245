/* core/distributions/transforms/reshape.c: ReshapeTransform(in_shape, out_shape): the last dims of x in another shape.
 */
#include "core/distributions/transforms/transform_internal.h"

/* The shape whose last dims are `from` here, with `to` in their place. */
static bool replace(const t_Tuple *shape, const t_Tuple *from, const t_Tuple *to, t_Tuple *result) {
    const int batch = shape->len - from->len;
    if (batch < 0) return tg_fail("Too few dimensions on input");
    t_Tuple last = tg_slice_tuple(shape, batch, shape->len), first = tg_slice_tuple(shape, 0, batch);
    if (!tg_same_tuple(&last, from))
        return tg_fail("Shape mismatch: expected %s but got %s", tg_size_text(&last), tg_size_text(from));
    return tg_concat(&first, to, result);
}

static bool reshape_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    return forward ? replace(shape, &t->in_shape, &t->out_shape, to) : replace(shape, &t->out_shape, &t->in_shape, to);
}

static Tensor *reshaped(const Transform *t, Tensor *x, bool forward) {
    t_Tuple shape = tg_shape_tuple(x, 0, x->ndim);
    return reshape_shape(t, &shape, forward, &shape) ? t_reshape(x, shape.items, shape.len) : NULL;
}

static Tensor *reshape_call(Transform *t, Tensor *x) {
    return reshaped(t, x, true);
}
static Tensor *reshape_inverse(Transform *t, Tensor *y) {
    return reshaped(t, y, false);
}
static Tensor *reshape_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)y;
    if (x->ndim < t->in_shape.len) return tg_fail("Too few dimensions on input");
    t_Tuple batch = tg_shape_tuple(x, 0, x->ndim - t->in_shape.len);
    return tg_full_tensor(&batch, 0, x->dtype);
}
static int reshape_event_dim(const Transform *t, bool domain) {
    return domain ? t->in_shape.len : t->out_shape.len;
}
static Constraint *reshape_side(Transform *t, bool domain) {
    Constraint *real = tg_constraint(REAL);
    return real ? distributions_constraints_independent(real, reshape_event_dim(t, domain)) : NULL;
}
static const TransformKind reshape_kind = {
    "ReshapeTransform", REAL, REAL, 0, reshape_call, reshape_inverse, reshape_jacobian, .only_itself = true,
    .side = reshape_side, .event_dim = reshape_event_dim, .shape = reshape_shape};

/* ReshapeTransform(in_shape, out_shape). Error: they have different numbers of elements. */
Transform *distributions_ReshapeTransform_new(const int64_t *in_shape, int in_ndim, const int64_t *out_shape,
                                              int out_ndim) {
    if (!tg_check_array(in_shape, in_ndim, 1, "sizes") || !tg_check_array(out_shape, out_ndim, 3, "sizes")) return NULL;
    if (in_ndim > T_MAX_DIMS || out_ndim > T_MAX_DIMS) return tg_fail("a shape has at most %d dims", T_MAX_DIMS);
    if (tg_shape_numel(in_shape, in_ndim) != tg_shape_numel(out_shape, out_ndim))
        return tg_fail("in_shape, out_shape have different numbers of elements");
    Transform *t = tg_transform_new(&reshape_kind, NULL, NULL);
    if (!t) return NULL;
    t->in_shape.len = in_ndim;
    t->out_shape.len = out_ndim;
    for (int d = 0; d < in_ndim; d++) t->in_shape.items[d] = in_shape[d];
    for (int d = 0; d < out_ndim; d++) t->out_shape.items[d] = out_shape[d];
    return t;
}
