/* core/ops/indexing/segment_reduce.c: segment_reduce: the reduction of each of several parts of a dim. */
#include <math.h>
#include <string.h>

#include "core/ops/indexing/scatter_internal.h"

/* For each position along axis the number of its segment; `segments` where it is in none. lengths: (..., segments);
 * with offsets: (..., segments + 1). */
typedef struct Segments {
    int64_t rows, segments, n; /* rows: product of the dims before axis; n: the size of axis */
    bool by_offsets, unsafe;
} Segments;

static bool number_row(const Segments *s, const int64_t *part, int64_t *number) {
    for (int64_t i = 0; i < s->n; i++) number[i] = s->segments;
    for (int64_t k = 0; !s->by_offsets && k < s->segments; k++)
        if (part[k] < 0) return tg_fail("lengths contains negative value!");
    int64_t at = s->by_offsets ? part[0] : 0;
    bool fits = true;
    for (int64_t k = 0; fits && k < s->segments; k++) {
        const int64_t next = s->by_offsets ? part[k + 1] : 0;
        fits = s->by_offsets ? at >= 0 && next >= at && next <= s->n : part[k] <= s->n - at;
        if (s->by_offsets && !fits)
            return tg_fail("segment_reduce(): offsets %lld and %lld are no part of a dim of size %lld", (long long)at,
                           (long long)next, (long long)s->n);
        if (!fits) break;
        for (const int64_t end = s->by_offsets ? next : at + part[k]; at < end; at++) number[at] = k;
    }
    return s->by_offsets || s->unsafe || (fits && at == s->n) ||
           tg_fail("segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) "
                   "when !unsafe.");
}

/* (dims up to axis..., n) of int64 */
static Tensor *numbers(Tensor *data, int axis, Tensor *parts, bool by_offsets, bool unsafe) {
    Tensor *contiguous = t_contiguous(parts), *y = contiguous ? tg_empty(data->shape, axis + 1, t_int64) : NULL;
    if (!y) return NULL;
    const int64_t width = parts->shape[axis];
    const Segments s = {.rows = tg_shape_numel(data->shape, axis),
                        .segments = width - by_offsets,
                        .n = data->shape[axis],
                        .by_offsets = by_offsets,
                        .unsafe = unsafe};
    const int64_t *part = tg_data(contiguous);
    int64_t *number = tg_data(y);
    for (int64_t row = 0; row < s.rows; row++)
        if (!number_row(&s, part + row * width, number + row * s.n)) return NULL;
    return y;
}

/* The value of a segment without elements, and what the others begin with */
static double first_value(const char *reduce, double initial) {
    if (!isnan(initial)) return initial;
    if (strcmp(reduce, "prod") == 0) return 1;
    return strcmp(reduce, "amax") == 0 ? -INFINITY : strcmp(reduce, "amin") == 0 ? INFINITY : 0;
}

static Tensor *reduce_segments(Tensor *data, const char *reduce, Tensor *number, int axis, int64_t segments,
                               double initial) {
    const bool is_mean = strcmp(reduce, "mean") == 0;
    int64_t shape[T_MAX_DIMS], index_shape[T_MAX_DIMS];
    t_TensorOptions options = {.size = sizeof options, .dtype = data->dtype};
    for (int d = 0; d < data->ndim; d++) {
        shape[d] = d == axis ? segments + 1 : data->shape[d];
        index_shape[d] = d <= axis ? data->shape[d] : 1;
    }
    Tensor *index = t_expand(t_view(number, index_shape, data->ndim), data->shape, data->ndim);
    Tensor *first = t_full(shape, data->ndim, first_value(is_mean ? "sum" : reduce, initial), &options);
    Tensor *y = first && index ? t_scatter_reduce(first, axis, index, data, is_mean ? "sum" : reduce, true) : NULL;
    if (is_mean) {
        Tensor *zeros = t_zeros_like(first), *counts = t_scatter_add(zeros, axis, index, t_ones_like(data));
        Tensor *none = isnan(initial) ? NULL : t_eq(counts, t_number(0));
        if (!isnan(initial) && !none) return NULL;
        y = t_div(y, none ? t_masked_fill(counts, none, t_number(1)) : counts);
    }
    return y ? t_narrow(y, axis, 0, segments) : NULL;
}

static const char *reduce_name(const char *reduce) {
    static const char *const names[][2] = {{"sum", "sum"},  {"mean", "mean"}, {"max", "amax"}, {"amax", "amax"},
                                           {"min", "amin"}, {"amin", "amin"}, {"prod", "prod"}};
    for (size_t i = 0; reduce && i < sizeof names / sizeof *names; i++)
        if (strcmp(reduce, names[i][0]) == 0) return names[i][1];
    return tg_fail("reduce argument must be either sum, prod, mean, amax or amin, got %s", reduce ? reduce : "NULL");
}

/* torch.segment_reduce(data, reduce, lengths=, offsets=, axis=0, unsafe=False, initial=None): data cut along axis into
 * segments of these lengths, or from each offset to the next, and each reduced: "sum", "mean", "max", "min" or "prod".
 * lengths, offsets: int64 or int32, of the dims up to axis, which is their last. A segment without elements gives
 * `initial` (NAN: none), else 0, NaN, -infinity, infinity or 1. unsafe: lengths need not add up to the dim; the rest
 * is ignored, and a length beyond its end ends the segments: it and those after it have no elements. Gradients:
 * those of scatter_reduce. Errors: indices, which PyTorch has no reduction for either; neither lengths nor offsets;
 * an integer dtype; lengths that are negative or do not add up; offsets outside the dim. */
Tensor *t_segment_reduce(Tensor *data, const char *reduce, Tensor *lengths, Tensor *indices, Tensor *offsets,
                         int64_t axis, bool unsafe, double initial) {
    TG_COMPOSITE("segment_reduce");
    int d;
    if (!tg_check_any(data, 1) || !tg_check_any_optional(lengths, 3) || !tg_check_any_optional(indices, 4) ||
        !tg_check_any_optional(offsets, 5))
        return NULL;
    if (tg_is_narrow_tensor(data) && tg_is_half(data->dtype))
        return tg_narrowed(t_segment_reduce(tg_widened(data), reduce, lengths, indices, offsets, axis, unsafe, initial),
                           data->dtype);
    const char *name = reduce_name(reduce);
    if (!name || !tg_wrap_dim(axis, data->ndim, &d)) return NULL;
    if (indices) return tg_fail("segment_reduce(): indices based reduction is not supported yet.");
    Tensor *parts = offsets ? offsets : lengths;
    if (!parts) return tg_fail("segment_reduce(): Either lengths or offsets must be defined.");
    if (data->ndim == 0 || data->ndim < parts->ndim)
        return tg_fail("Expected data.dim() >= lengths_value.dim() to be true, but got false.");
    if (parts->ndim != d + 1)
        return tg_fail("segment_reduce(): Expected axis to be the last dimension of %s but got %d.",
                       offsets ? "offsets" : "lengths", d);
    for (int i = 0; i < d; i++)
        if (parts->shape[i] != data->shape[i])
            return tg_fail("segment_reduce(): %s of shape %s do not fit data of shape %s",
                           offsets ? "offsets" : "lengths", tg_shape_of(parts), tg_shape_of(data));
    if (offsets && parts->shape[d] == 0) return tg_fail("segment_reduce(): there is no offset");
    if (!tg_is_floating(data->dtype)) return tg_not_implemented("_segment_reduce_cpu", data->dtype);
    if (parts->dtype != t_int64 && parts->dtype != t_int32)
        return tg_not_implemented("_segment_reduce_lengths_cpu_kernel1", parts->dtype);
    int depth = t_scope_open();
    Tensor *wide = depth ? t_to(parts, t_int64) : NULL;
    Tensor *number = wide ? numbers(data, d, wide, offsets != NULL, unsafe) : NULL;
    const int64_t segments = parts->shape[d] - (offsets != NULL);
    Tensor *y = number ? reduce_segments(data, name, number, d, segments, initial) : NULL;
    return tg_scope_return(depth, y);
}
