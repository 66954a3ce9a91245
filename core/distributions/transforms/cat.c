/* core/distributions/transforms/cat.c: CatTransform and StackTransform: several transforms along one dim, each for some
 * of its elements, or for one. */
#include "core/distributions/transforms/transform_internal.h"

static int max_event_dim(const Transform *t) {
    int max = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const int domain = tg_domain_event_dim(t->parts[i]), codomain = tg_codomain_event_dim(t->parts[i]);
        max = domain > max ? domain : max;
        max = codomain > max ? codomain : max;
    }
    return max;
}

/* Whether t->dim is a dim of x with the size that the transforms take together. */
static bool fits(const Transform *t, const Tensor *x, int64_t size) {
    if (!x) return false;
    if (t->dim < -x->ndim || t->dim >= x->ndim)
        return tg_fail("dim %lld out of range for tensor with %d dimensions", (long long)t->dim, x->ndim);
    const int64_t got = x->shape[t->dim < 0 ? t->dim + x->ndim : t->dim];
    return got == size || tg_fail("x.size(%lld) = %lld must equal %lld, the length of the transforms",
                                  (long long)t->dim, (long long)got, (long long)size);
}

/* Domain or codomain of each part, for constraints.cat or stack. */
static Constraint *side_of_parts(Transform *t, bool domain, bool stacked) {
    Constraint **parts = tg_alloc((size_t)(t->count ? t->count : 1) * sizeof *parts), *result = NULL;
    bool ok = parts != NULL;
    for (int64_t i = 0; ok && i < t->count; i++)
        ok = (parts[i] = domain ? distributions_domain(t->parts[i]) : distributions_codomain(t->parts[i])) != NULL;
    if (ok)
        result = stacked ? distributions_constraints_stack(parts, t->count, t->dim)
                         : distributions_constraints_cat(parts, t->count, t->dim, t->lengths);
    if (parts) tg_free(parts, (size_t)(t->count ? t->count : 1) * sizeof *parts);
    return result;
}

/* ---- CatTransform(tseq, dim, lengths) ---- */

static int64_t total_length(const Transform *t) {
    int64_t total = 0;
    for (int64_t i = 0; i < t->count; i++) total += t->lengths[i];
    return total;
}

static Tensor *cat_apply(Transform *t, Tensor *x, Tensor *(*apply)(Transform *part, Tensor *x)) {
    if (!fits(t, x, total_length(t))) return NULL;
    t_TensorList *slices = t_list_new(NULL, 0);
    for (int64_t i = 0, start = 0; i < t->count; start += t->lengths[i++]) {
        Tensor *slice = t_narrow(x, t->dim, start, t->lengths[i]), *y = slice ? apply(t->parts[i], slice) : NULL;
        if (!y || !slices || !t_list_append(slices, y)) return NULL;
    }
    return slices ? t_cat(slices, t->dim) : NULL;
}

static Tensor *cat_call(Transform *t, Tensor *x) {
    return cat_apply(t, x, tg_transform_call);
}
static Tensor *cat_inverse(Transform *t, Tensor *y) {
    return cat_apply(t, y, tg_transform_inverse);
}

/* The logarithms of the parts, summed over the event dims of all: one after another along dim, or, where dim is one of
 * the event dims, their sum. */
static Tensor *cat_jacobian(Transform *t, Tensor *x, Tensor *y) {
    const int event_dim = max_event_dim(t);
    const int64_t dim = (t->dim < 0 ? t->dim : t->dim - x->ndim) + event_dim, length = total_length(t);
    t_TensorList *terms = t_list_new(NULL, 0);
    Tensor *sum = NULL;
    if (!fits(t, x, length) || !fits(t, y, length) || !terms) return NULL;
    for (int64_t i = 0, start = 0; i < t->count; start += t->lengths[i++]) {
        Tensor *x_slice = t_narrow(x, t->dim, start, t->lengths[i]),
               *y_slice = t_narrow(y, t->dim, start, t->lengths[i]);
        Tensor *term = x_slice && y_slice ? tg_transform_jacobian(t->parts[i], x_slice, y_slice) : NULL;
        const int of_part = tg_domain_event_dim(t->parts[i]);
        if (term && of_part < event_dim) term = tg_sum_rightmost(term, event_dim - of_part);
        if (!term || !t_list_append(terms, term)) return NULL;
        sum = i == 0 ? term : t_add(sum, term);
    }
    return dim < 0 ? t_cat(terms, dim) : sum;
}

static Constraint *cat_side(Transform *t, bool domain) {
    return side_of_parts(t, domain, false);
}
static int cat_event_dim(const Transform *t, bool domain) {
    (void)domain;
    return max_event_dim(t);
}
static const TransformKind cat_kind = {
    "CatTransform", REAL, REAL, 0, cat_call, cat_inverse, cat_jacobian, .only_itself = true, .side = cat_side,
    .event_dim = cat_event_dim};

/* CatTransform(tseq, dim, lengths): the i-th transform takes lengths[i] elements along dim; NULL: one each. Error: a
 * length is negative. */
Transform *distributions_CatTransform_new(Transform *const *tseq, int64_t count, int64_t dim, const int64_t *lengths) {
    for (int64_t i = 0; lengths && i < count; i++)
        if (lengths[i] < 0)
            return tg_fail("lengths[%lld] is %lld, which is negative", (long long)i, (long long)lengths[i]);
    Transform *t = tg_transform_of_parts(&cat_kind, tseq, count);
    int64_t *copy = t && count ? tg_alloc((size_t)count * sizeof *copy) : NULL;
    if (!t || (count && !copy)) return NULL;
    for (int64_t i = 0; i < count; i++) copy[i] = lengths ? lengths[i] : 1;
    t->lengths = copy;
    t->dim = dim;
    return t;
}

/* ---- StackTransform(tseq, dim) ---- */

static Tensor *stack_call(Transform *t, Tensor *x) {
    t_TensorList *slices = fits(t, x, t->count) ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; slices && i < t->count; i++) {
        Tensor *slice = t_select(x, t->dim, i), *y = slice ? tg_transform_call(t->parts[i], slice) : NULL;
        if (!y || !t_list_append(slices, y)) return NULL;
    }
    return slices ? t_stack(slices, t->dim) : NULL;
}
static Tensor *stack_inverse(Transform *t, Tensor *y) {
    t_TensorList *slices = fits(t, y, t->count) ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; slices && i < t->count; i++) {
        Tensor *slice = t_select(y, t->dim, i), *x = slice ? tg_transform_inverse(t->parts[i], slice) : NULL;
        if (!x || !t_list_append(slices, x)) return NULL;
    }
    return slices ? t_stack(slices, t->dim) : NULL;
}
static Tensor *stack_jacobian(Transform *t, Tensor *x, Tensor *y) {
    t_TensorList *terms = fits(t, x, t->count) && fits(t, y, t->count) ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; terms && i < t->count; i++) {
        Tensor *x_slice = t_select(x, t->dim, i), *y_slice = t_select(y, t->dim, i);
        Tensor *term = x_slice && y_slice ? tg_transform_jacobian(t->parts[i], x_slice, y_slice) : NULL;
        if (!term || !t_list_append(terms, term)) return NULL;
    }
    return terms ? t_stack(terms, t->dim) : NULL;
}
static Constraint *stack_side(Transform *t, bool domain) {
    return side_of_parts(t, domain, true);
}
static int stack_event_dim(const Transform *t, bool domain) {
    (void)domain;
    const int max = max_event_dim(t);
    return t->dim + max < 0 ? max + 1 : max;
}
static const TransformKind stack_kind = {
    "StackTransform", REAL, REAL, 0, stack_call, stack_inverse, stack_jacobian, .only_itself = true, .side = stack_side,
    .event_dim = stack_event_dim};

/* StackTransform(tseq, dim): the i-th transform takes x[i] along dim. */
Transform *distributions_StackTransform_new(Transform *const *tseq, int64_t count, int64_t dim) {
    Transform *t = tg_transform_of_parts(&stack_kind, tseq, count);
    if (t) t->dim = dim;
    return t;
}
