/* core/ops/linalg/block_diag.c: torch.block_diag, composed. */
#include "core/ops/pointwise/pointwise_internal.h"

static Tensor *zeros(int64_t rows, int64_t columns, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_zeros((int64_t[]){rows, columns}, 2, &options);
}

/* The rows of a block, with zeros before and after it. */
static Tensor *block_rows(Tensor *block, int64_t before, int64_t columns, t_DType dtype) {
    const int64_t rows = block->shape[0], after = columns - before - block->shape[1];
    Tensor *const parts[] = {zeros(rows, before, dtype), block, zeros(rows, after, dtype)};
    return parts[0] && parts[2] ? t_cat(t_list_new(parts, 3), 1) : NULL;
}

/* torch.block_diag(*tensors): a matrix with these matrices (vectors: rows; scalars: 1 x 1) along its diagonal and zeros
 * elsewhere, in the dtype that they are promoted to; of no tensors (1, 0). Errors: a tensor of more than two dims. */
Tensor *t_block_diag(const t_TensorList *tensors) {
    TG_COMPOSITE("block_diag");
    if (!tg_check_list(tensors, 1)) return NULL;
    for (int64_t i = 0; i < tensors->len; i++)
        if (tensors->items[i]->ndim > 2)
            return tg_fail("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %lld has %d "
                           "dimensions", (long long)i, tensors->items[i]->ndim);
    if (tensors->len == 0) return zeros(1, 0, tg_default_dtype());
    const t_DType dtype = tg_result_type(tensors->items, (int)tensors->len);
    const int depth = t_scope_open();
    t_TensorList *rows = depth ? t_list_new(NULL, 0) : NULL;
    int64_t columns = 0, before = 0;
    for (int64_t i = 0; i < tensors->len; i++)
        columns += tensors->items[i]->ndim ? tensors->items[i]->shape[tensors->items[i]->ndim - 1] : 1;
    for (int64_t i = 0; rows && i < tensors->len; i++) {
        Tensor *block = t_atleast_2d(tensors->items[i]);
        if (!block || !t_list_append(rows, block_rows(block, before, columns, dtype))) rows = NULL;
        else before += block->shape[1];
    }
    return tg_scope_return(depth, rows ? t_cat(rows, 0) : NULL);
}
