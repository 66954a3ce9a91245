/* core/ops/reduction/along_dim.c: applies a function to every row of some tensors along one dim, on all threads. */
#include "core/ops/reduction/along_dim_internal.h"
#include "core/tensor/size_arithmetic.h"

#include <string.h>

typedef struct Rows {
    RowFunction *row;
    int operands;
    int64_t strides[TG_OPERANDS]; /* along the row, in bytes */
    const void *context;
} Rows;

static void run_rows(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Rows *rows = context;
    char *data[TG_OPERANDS];
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < rows->operands; k++) data[k] = p[k] + i * s[k];
        rows->row(data, rows->strides, rows->context);
    }
}

void tg_each_row(RowFunction *row, int dim, Tensor *const *x, int count, const void *context) {
    Rows rows = {.row = row, .operands = count, .context = context};
    /* copies on the stack, of size 1 along dim: the first element of each row */
    Tensor first[TG_OPERANDS], *in[TG_OPERANDS];
    int64_t row_size = 1;
    bool is_empty = true;
    for (int k = 0; k < count && is_empty; k++) is_empty = tg_numel(x[k]) == 0;
    if (is_empty) return; /* the rows are empty; their number may be very large */
    for (int k = 0; k < count; k++) {
        first[k] = *x[k];
        if (x[k]->ndim) first[k].shape[dim] = 1;
        rows.strides[k] = x[k]->ndim ? tg_size_mul(x[k]->strides[dim], (int64_t)tg_itemsize(x[k]->dtype)) : 0;
        in[k] = &first[k];
        if (tg_row_size(x[k], dim) > row_size) row_size = tg_row_size(x[k], dim);
    }
    tg_run_costly(run_rows, in[0], in + 1, count - 1, 0, &rows, row_size);
}

bool tg_check_row(const Tensor *x, int dim, const char *name) {
    return tg_row_size(x, dim) > 0 || tg_fail("%s(): Expected reduction dim %d to have non-zero size.", name, dim);
}

Tensor *tg_empty_rows(const Tensor *x, int dim, int64_t n, t_DType dtype) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, x->shape, sizeof shape);
    if (x->ndim) shape[dim] = n;
    return tg_empty(shape, x->ndim, dtype);
}

void tg_drop_row_dim(Tensor *y, int dim) {
    if (y->ndim == 0) return;
    for (int d = dim; d + 1 < y->ndim; d++) y->shape[d] = y->shape[d + 1];
    tg_contiguous_strides(y->shape, --y->ndim, y->strides);
}
