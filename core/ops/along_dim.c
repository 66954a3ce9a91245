/* core/ops/along_dim.c: the walk over rows along one dim. */
#include "core/ops/along_dim_internal.h"
#include "core/tensor/size_arithmetic.h"

#include <string.h>

typedef struct Rows {
    RowFunction row;
    int operands;
    int64_t steps[TG_OPERANDS];
    const void *context;
} Rows;

static void rows_run(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Rows *rows = context;
    char *data[TG_OPERANDS];
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < rows->operands; k++) data[k] = p[k] + i * s[k];
        rows->row(data, rows->steps, rows->context);
    }
}

void tg_each_row(RowFunction row, int dim, Tensor *const *x, int count, const void *context) {
    Rows rows = {.row = row, .operands = count, .context = context};
    Tensor first[TG_OPERANDS], *in[TG_OPERANDS]; /* on the stack: the first element of each row */
    int64_t longest = 1;
    bool is_empty = true;
    for (int k = 0; k < count && is_empty; k++) is_empty = tg_numel(x[k]) == 0;
    if (is_empty) return; /* rows without elements: of them there may be very many */
    for (int k = 0; k < count; k++) {
        first[k] = *x[k];
        if (x[k]->ndim) first[k].shape[dim] = 1;
        rows.steps[k] = x[k]->ndim ? tg_size_mul(x[k]->strides[dim], (int64_t)tg_itemsize(x[k]->dtype)) : 0;
        in[k] = &first[k];
        if (tg_row_size(x[k], dim) > longest) longest = tg_row_size(x[k], dim);
    }
    tg_run_costly(rows_run, in[0], in + 1, count - 1, 0, &rows, longest);
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
