/* core/ops/nonzero.c: from masks and index tensors to places: nonzero, and the indices of x[i, mask] as one tensor. */
#include "core/ops/advanced_indexing_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- the true elements ---- */

Tensor *tg_true_places(Tensor *x) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *truth = depth ? t_contiguous(t_to(x, t_bool)) : NULL, *y = NULL;
    Tensor *number = truth ? t_sum(truth, NULL, 0, false) : NULL;
    t_set_grad_enabled(grad_enabled);
    if (number) {
        const bool *at = tg_data(truth);
        int64_t count = tg_read_int64(number), found = 0;
        y = tg_empty(&count, 1, t_int64);
        for (int64_t i = 0, *out = y ? tg_data(y) : NULL; y && found < count; i++) {
            out[found] = i;
            found += at[i];
        }
    }
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* Places as rows of indices. Most lie in the same row of x as the one before, and differ from it in the last index alone. */
static void to_indices(const Tensor *x, const int64_t *place, int64_t n, int64_t *row) {
    const int last = x->ndim - 1;
    for (int64_t i = 0, begin = 0, end = 0; i < n && last >= 0; i++, row += x->ndim) {
        if (place[i] < end) {
            for (int d = 0; d < last; d++) row[d] = row[d - x->ndim];
        } else {
            for (int64_t d = last, rest = place[i]; d >= 0; rest /= x->shape[d--]) row[d] = rest % x->shape[d];
            begin = place[i] - row[last];
            end = begin + x->shape[last];
        }
        row[last] = place[i] - begin;
    }
}

/* torch.nonzero(x): (n, x.ndim) of int64, a row of indices for each of the n elements that are not 0, in logical order. No
 * gradient. */
Tensor *t_nonzero(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *places = depth ? tg_true_places(x) : NULL;
    Tensor *y = places ? tg_empty((int64_t[]){places->shape[0], x->ndim}, 2, t_int64) : NULL;
    if (y) to_indices(x, tg_data(places), places->shape[0], tg_data(y));
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* torch.nonzero(x, as_tuple=True), torch.where(x): the same as a list of vectors, one for each dim (one for a 0-dim x), which
 * index x. */
t_TensorList *t_nonzero_tuple(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *rows = depth ? t_nonzero(x->ndim ? x : t_unsqueeze(x, 0)) : NULL;
    t_TensorList *list = rows ? t_unbind(rows, 1) : NULL;
    return tg_close_keeping(depth, list);
}

/* torch.argwhere(x): torch.nonzero(x). */
Tensor *t_argwhere(Tensor *x) {
    return t_nonzero(x);
}

/* ---- x[i, mask] ---- */

/* A mask as the places of its true elements; it must have the shape of the dims that it stands for. */
static Tensor *places_of_mask(const Tensor *x, Tensor *mask, int dim) {
    for (int d = 0; d < mask->ndim; d++)
        if (mask->shape[d] != x->shape[dim + d])
            return tg_fail("The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index %d",
                           tg_shape_of(mask), d, tg_shape_of(x), dim + d);
    return tg_true_places(mask);
}

/* As how many index tensors the i-th counts in PyTorch's sentences: a mask as one for each of its dims. */
static int count_as(const Indices *at, int i) {
    return at->index[i]->dtype == t_bool && at->index[i]->ndim ? at->index[i]->ndim : 1;
}

/* "[2], [3]": the shapes of the index tensors. */
static Tensor *fail_to_broadcast(const Indices *at, Tensor *const *index) {
    char text[256] = "";
    size_t length = 0;
    for (int i = 0; i < at->count; i++)
        for (int times = count_as(at, i); times > 0 && length < sizeof text; times--)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "", tg_shape_of(index[i]));
    return tg_fail("shape mismatch: indexing tensors could not be broadcast together with shapes %s", text);
}

/* The dims that the indices name; where others lie between them the places' dims come first in the result. */
static void find_dims(const Tensor *x, const Indices *at, Pick *how) {
    *how = (Pick){.before = at->dim[0], .ndim = x->ndim};
    memcpy(how->shape, x->shape, sizeof how->shape);
    for (int i = 0, next = at->dim[0]; i < at->count; i++) {
        if (at->dim[i] != next) how->before = 0;
        next = at->dim[i] + (at->index[i]->dtype == t_bool ? at->index[i]->ndim : 1);
        for (int d = at->dim[i]; d < next; d++) how->dims[how->count++] = d;
    }
}

static bool check_bounds(const Tensor *x, const Indices *at, Tensor *const *index) {
    for (int i = 0, number = 0; i < at->count; i++) {
        bool is_mask = at->index[i]->dtype == t_bool;
        int64_t size = x->shape[at->dim[i]], bad;
        if (!is_mask && tg_find_bad_python_index(index[i], size, &bad)) return tg_fail_out_of_bounds(bad, number, size);
        number += count_as(at, i);
    }
    return true;
}

typedef struct Digit {
    int64_t size, weight;
} Digit;

static void add_digit(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Digit *digit = context;
    for (int64_t i = 0; i < n; i++) {
        int64_t index = *(const int64_t *)(p[1] + i * s[1]);
        *(uint64_t *)(p[0] + i * s[0]) += (uint64_t)(index < 0 ? index + digit->size : index) * (uint64_t)digit->weight;
    }
}

Tensor *tg_python_places(Tensor *index, int64_t size) {
    t_TensorOptions whole = {.size = sizeof whole, .dtype = t_int64};
    Tensor *places = t_zeros(index->shape, index->ndim, &whole);
    if (places) tg_run(add_digit, places, &index, 1, 0, &(Digit){size, 1});
    return places;
}

/* Each index is a digit of the place; a mask is one over all its dims. */
static void add_up(Tensor *places, const Tensor *x, const Indices *at, Tensor *const *index) {
    int64_t weight = 1;
    for (int i = at->count - 1; i >= 0; i--) {
        int dims = at->index[i]->dtype == t_bool ? at->index[i]->ndim : 1;
        int64_t size = tg_count(x->shape + at->dim[i], dims);
        tg_run(add_digit, places, &index[i], 1, 0, &(Digit){size, weight});
        weight *= size;
    }
}

Tensor *tg_places(const Tensor *x, const Indices *at, Pick *how) {
    Tensor *index[T_MAX_DIMS];
    int64_t shape[T_MAX_DIMS], result[T_MAX_DIMS];
    int ndim;
    for (int i = 0; i < at->count; i++) {
        index[i] = at->index[i]->dtype == t_bool ? places_of_mask(x, at->index[i], at->dim[i]) : at->index[i];
        if (!index[i]) return NULL;
    }
    if (!tg_broadcast_shape(index, at->count, shape, &ndim)) return fail_to_broadcast(at, index);
    find_dims(x, at, how);
    if (x->ndim - how->count + ndim > T_MAX_DIMS)
        return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, x->ndim - how->count + ndim);
    t_TensorOptions whole = {.size = sizeof whole, .dtype = t_int64};
    Tensor *places = t_zeros(shape, ndim, &whole);
    for (int i = 0; places && tg_numel(places) && i < how->count; i++)
        if (x->shape[how->dims[i]] == 0) return tg_fail("index is out of bounds for dimension with size 0");
    if (!places || tg_count(result, tg_pick_shape(how, places, result)) == 0) return places; /* nothing will be read */
    if (!check_bounds(x, at, index)) return NULL;
    add_up(places, x, at, index);
    return places;
}
