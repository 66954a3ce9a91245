/* nn/functional/linear/embedding.c: F.embedding, a row lookup in a table, and F.one_hot. */
#include <math.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/indexing/gather_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/linear/linear_internal.h"

const F_EmbeddingOptions F_EmbeddingDefaults = {
    .size = sizeof F_EmbeddingDefaults, .padding_idx = T_NONE, .max_norm = (double)NAN, .norm_type = 2};

enum { GRAIN = 16384 }; /* elements per parallel task */

/* Any layout: an iteration over the ids and the rows of y, where the inner loop copies one row. `row` and `column` are
 * the strides of the table and `inner` that of y, in bytes. */
typedef struct Lookup {
    char *table;
    int64_t row, column, inner, columns;
    size_t itemsize;
} Lookup;

static Lookup lookup_in(const Tensor *table, const Tensor *y) {
    int64_t itemsize = (int64_t)tg_itemsize(table->dtype);
    return (Lookup){.table = tg_data(table), .row = table->strides[0] * itemsize,
                    .column = table->strides[1] * itemsize, .inner = y->strides[y->ndim - 1] * itemsize,
                    .columns = table->shape[1], .itemsize = (size_t)itemsize};
}

/* y without its last dim: the first element of each row. */
static Tensor row_starts(const Tensor *y) {
    Tensor starts = *y;
    starts.ndim--;
    return starts;
}

static void gather_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Lookup *at = context;
    for (int64_t i = 0; i < n; i++) {
        char *to = p[0] + i * s[0];
        const char *from = at->table + *(const int64_t *)(p[1] + i * s[1]) * at->row;
        for (int64_t j = 0; j < at->columns; j++) memcpy(to + j * at->inner, from + j * at->column, at->itemsize);
    }
}

/* The common case, in parallel: contiguous ids and y (or dy), and contiguous rows in the table. */
typedef struct Rows {
    const int64_t *ids;
    int64_t count, columns, row, padding_idx; /* count: of ids; row: the table's row stride in bytes */
    char *table, *y;                          /* backward: dW and dy */
    size_t bytes;                             /* of a row */
    bool accumulate;                          /* add to the gradient that dW holds already */
} Rows;

static void copy_rows(int64_t from, int64_t to, void *context) {
    const Rows *rows = context;
    for (int64_t i = from; i < to; i++)
        memcpy(rows->y + (size_t)i * rows->bytes, rows->table + rows->ids[i] * rows->row, rows->bytes);
}

/* Rows from .. to - 1 of dW: 0, or the present value, plus dy at each id that names one of them, in the order of the
 * ids. Each row belongs to one thread, so the order of summation does not depend on the number of threads. */
#define ADD_ROWS(name, T)                                                                                    \
    static void name(int64_t from, int64_t to, void *context) {                                              \
        const Rows *rows = context;                                                                          \
        if (!rows->accumulate) memset(rows->table + from * rows->row, 0, (size_t)(to - from) * rows->bytes); \
        for (int64_t i = 0; i < rows->count; i++) {                                                          \
            const int64_t id = rows->ids[i];                                                                 \
            if (id < from || id >= to || id == rows->padding_idx) continue;                                  \
            T *sum = (T *)(rows->table + id * rows->row);                                                    \
            const T *dy = (const T *)(rows->y + (size_t)i * rows->bytes);                                    \
            TG_INDEPENDENT                                                                                   \
            for (int64_t j = 0; j < rows->columns; j++) sum[j] += dy[j];                                     \
        }                                                                                                    \
    }
ADD_ROWS(add_rows_float32, float)
ADD_ROWS(add_rows_float64, double)

/* ---- backward: dW[id] += dy at that id, except for padding_idx. Linear in dy; its own gradient is the same lookup in
 * ddW, with 0 at padding_idx. ---- */

static Tensor *lookup(Tensor *ids, Tensor *weight, int64_t padding_idx);

static void scatter_backward(Record *r, Tensor *ddw, Tensor **dx) {
    int64_t padding_idx = *(int64_t *)r->attributes;
    Tensor *ids = tg_saved(r, 0), *rows = ids ? lookup(ids, ddw, padding_idx) : NULL;
    if (!rows || padding_idx == T_NONE) {
        dx[0] = rows;
    } else {
        Tensor *is_padding = t_unsqueeze(t_eq(ids, t_integer(padding_idx)), -1);
        dx[0] = t_where(is_padding, t_number(0), rows);
    }
}
static const Op scatter_op = {"embedding_backward", "EmbeddingDenseBackwardBackward0", scatter_backward};

static void embedding_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *ids = tg_saved(r, 0), *accumulated = tg_accumulated_gradient(r, 0);
    const Edge *weight = &r->edges[0];
    const int64_t padding_idx = *(int64_t *)r->attributes, n = weight->shape[0], columns = weight->shape[1];
    const bool accumulate = accumulated && accumulated->dtype == dy->dtype && tg_is_contiguous(accumulated);
    Tensor *dense_ids = ids ? t_contiguous(ids) : NULL, *from = dense_ids ? t_contiguous(t_detach(dy)) : NULL;
    Tensor *dw = !from || accumulate ? accumulated : tg_empty_gradient(r, 0, dy->dtype);
    if (!from || !dw) return;
    const size_t bytes = (size_t)columns * tg_itemsize(dy->dtype);
    Rows rows = {.ids = tg_data(dense_ids), .count = tg_numel(ids), .columns = columns, .row = (int64_t)bytes,
                 .padding_idx = padding_idx, .table = tg_data(dw), .y = tg_data(from), .bytes = bytes,
                 .accumulate = accumulate};
    /* the rows of the table per task: in all, n rows are zeroed and `count` rows added */
    const double work = ((double)n + (double)rows.count) * ((double)columns + 1) + 1;
    const int64_t grain = (int64_t)((double)n * GRAIN / work) + 1;
    tg_parallel(n, grain, dw->dtype == t_float64 ? add_rows_float64 : add_rows_float32, &rows);
    if (!accumulate) dx[0] = tg_record(&scatter_op, dw, INPUTS(dy), SAVED(ids), ATTRIBUTES(padding_idx));
}
static const Op embedding_op = {"embedding", "EmbeddingBackward0", embedding_backward};

/* ---- checks ---- */

const char *tg_tensor_type_name(t_DType dtype) {
    static const char *const names[T_DTYPES] = {
        "none", "CPUBoolType", "torch.ByteTensor", "torch.CharTensor", "torch.ShortTensor", "torch.IntTensor",
        "torch.LongTensor", "torch.HalfTensor", "CPUBFloat16Type", "torch.FloatTensor", "torch.DoubleTensor"};
    return names[dtype];
}

static bool check_ids(Tensor *ids, const Tensor *weight) {
    int64_t rows = weight->shape[0], bad;
    if (ids->dtype != t_int64)
        return tg_fail("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                       "Int; but got %s instead (while checking arguments for embedding)",
                       tg_tensor_type_name(ids->dtype));
    if (!tg_find_bad_index(ids, rows, NULL, &bad)) return true;
    return tg_fail("index out of range in self. Hint: the id is %lld, the weight has %lld rows", (long long)bad,
                   (long long)rows);
}

static bool check_padding(int64_t rows, int64_t *padding_idx) {
    if (*padding_idx == T_NONE) return true;
    if (*padding_idx < -rows || *padding_idx >= rows) return tg_fail("Padding_idx must be within num_embeddings");
    if (*padding_idx < 0) *padding_idx += rows;
    return true;
}

static Tensor *lookup(Tensor *input, Tensor *weight, int64_t padding_idx) {
    int64_t shape[T_MAX_DIMS + 1] = {0};
    memcpy(shape, input->shape, (size_t)input->ndim * sizeof *shape);
    shape[input->ndim] = weight->shape[1];
    Tensor *y = tg_empty(shape, input->ndim + 1, weight->dtype);
    if (!y) return NULL;
    Lookup at = lookup_in(weight, y);
    if (tg_is_contiguous(input) && at.column == (int64_t)at.itemsize) {
        Rows rows = {.ids = tg_data(input), .row = at.row, .table = at.table, .y = tg_data(y),
                     .bytes = (size_t)at.columns * at.itemsize};
        tg_parallel(tg_numel(input), GRAIN / tg_size_add(at.columns, 1) + 1, copy_rows, &rows);
    } else {
        Tensor starts = row_starts(y);
        tg_run(gather_rows, &starts, &input, 1, 0, &at);
    }
    return tg_record(&embedding_op, y, INPUTS(weight), SAVED(input), ATTRIBUTES(padding_idx));
}

/* ---- max_norm ---- */

bool tg_embedding_renorm(Tensor *weight, Tensor *ids, double max_norm, double norm_type) {
    const bool grad_enabled = t_set_grad_enabled(false);
    int all = t_scope_open();
    ids = all ? t_unique(ids, true, NULL, NULL, T_NONE) : NULL;
    bool ok = ids != NULL;
    const int64_t *id = ok ? tg_data(ids) : NULL, count = ok ? tg_numel(ids) : 0;
    for (int64_t i = 0; ok && i < count; i++) {
        int depth = t_scope_open();
        Tensor *row = depth ? t_select(weight, 0, id[i]) : NULL,
               *norm = linalg_vector_norm(row, norm_type, NULL, 0, false, 0);
        ok = norm != NULL;
        const double size = ok ? tg_read_double(norm) : 0;
        if (ok && size > max_norm) ok = t_mul_(row, t_number(max_norm / (size + 1e-7))) != NULL;
        t_scope_close(depth);
    }
    t_scope_close(all);
    t_set_grad_enabled(grad_enabled);
    return ok;
}

/* ---- scale_grad_by_freq: x, with a gradient of dy factor ---- */

static void scale_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = t_mul(dy, tg_saved(r, 0));
}
static const Op scale_op = {"scale_gradient", "EmbeddingBackward0", scale_backward};

Tensor *tg_scale_grad_by_freq(Tensor *rows, Tensor *ids, int64_t table_rows) {
    int64_t shape[T_MAX_DIMS + 1] = {0};
    memcpy(shape, ids->shape, (size_t)ids->ndim * sizeof *shape);
    shape[ids->ndim] = 1;
    Tensor *flat = t_reshape(ids, (int64_t[]){-1}, 1), *frequencies = t_bincount(flat, NULL, table_rows);
    Tensor *factor = t_reciprocal(t_index_select(t_to(frequencies, t_float64), 0, flat));
    factor = t_reshape(t_to(factor, rows->dtype), shape, ids->ndim + 1);
    return factor ? tg_record(&scale_op, t_detach(rows), INPUTS(rows), SAVED(factor), NONE) : NULL;
}

/* F.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq): y[..., :] = weight[input[...], :].
 * input: int64 or int32, of any shape; weight: (rows, dim), any dtype; returns (..., dim). dW sums dy at those rows,
 * with scale_grad_by_freq divided by how often the row is read; the row padding_idx (T_NONE: none; negative: from the
 * end) gets a gradient of 0, while its values are read like any other's. max_norm (NAN: none): rows that are read and
 * have a greater norm, of norm_type, are scaled to it first, in place. Errors: an id or padding_idx out of range, input
 * of another dtype. */
Tensor *F_embedding(Tensor *input, Tensor *weight, const F_EmbeddingOptions *options) {
    F_EmbeddingOptions o = F_EmbeddingDefaults;
    if (!tg_check_any_two(input, weight) || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (!(input = tg_index_as_int64(input))) return NULL;
    if (weight->ndim != 2) return tg_fail("'weight' must be 2-D");
    if (!check_padding(weight->shape[0], &o.padding_idx) || !check_ids(input, weight)) return NULL;
    if (!isnan(o.max_norm) && !tg_embedding_renorm(weight, input, o.max_norm, o.norm_type)) return NULL;
    if (!o.scale_grad_by_freq) return lookup(input, weight, o.padding_idx);
    int depth = t_scope_open();
    Tensor *rows = depth ? lookup(input, weight, o.padding_idx) : NULL;
    return tg_scope_return(depth, rows ? tg_scale_grad_by_freq(rows, input, weight->shape[0]) : NULL);
}

/* F.one_hot(x, num_classes): (...) -> (..., num_classes), 1 at the class, 0 elsewhere; int64. num_classes -1: one more
 * than the largest class. Errors: not int64, negative or too large classes, an empty x without num_classes. */
Tensor *F_one_hot(Tensor *x, int64_t num_classes) {
    int64_t shape[T_MAX_DIMS + 1] = {0}, largest = -1, smallest = 0;
    if (!tg_check(x, 1)) return NULL;
    if (x->dtype != t_int64) return tg_fail("one_hot is only applicable to index tensor of type LongTensor.");
    if (tg_numel(x) == 0 && num_classes <= 0)
        return tg_fail("Can not infer total number of classes from empty tensor.");
    int depth = t_scope_open();
    Tensor *classes = depth ? t_contiguous(x) : NULL;
    const int64_t *at = classes ? tg_data(classes) : NULL;
    for (int64_t i = 0; at && i < tg_numel(x); i++) {
        largest = at[i] > largest ? at[i] : largest;
        smallest = at[i] < smallest ? at[i] : smallest;
    }
    if (num_classes == -1) num_classes = tg_size_add(largest, 1);
    if (classes && smallest < 0) classes = tg_fail("Class values must be non-negative.");
    else if (classes && largest >= num_classes) classes = tg_fail("Class values must be smaller than num_classes.");
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[x->ndim] = num_classes;
    t_TensorOptions int64_options = {.size = sizeof int64_options, .dtype = t_int64};
    Tensor *y = classes ? t_keep_object(t_zeros(shape, x->ndim + 1, &int64_options)) : NULL;
    for (int64_t i = 0; y && i < tg_numel(x); i++) ((int64_t *)tg_data(y))[i * num_classes + at[i]] = 1;
    t_scope_close(depth);
    return y;
}
