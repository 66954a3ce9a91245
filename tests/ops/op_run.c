/* tests/ops/op_run.c: running the cases of the op table. */
#include "tests/ops/op_run.h"

#include "core/tensor/tensor.h"

Inputs arguments(const OpRow *row, const Inputs *leaves) {
    Inputs x = *leaves;
    if (row->flags & INPLACE && x.count) x.x[0] = t_clone(x.x[0]);
    return x;
}

t_TensorList *run_op(const OpRow *row, const Inputs *x, const int64_t *n, t_DType real, uint64_t seed) {
    Call call = {(Tensor **)x->x, x->count, n, real};
    if (row->flags & RANDOM) t_manual_seed((int64_t)(seed & 0xFFFF));
    return row->call(&call);
}

Tensor *weights_of(Tensor *y, int64_t k, uint64_t seed, t_DType real) {
    t_DType dtype = t_dtype(y);
    const char *kind = dtype == real ? "R" : dtype == t_float32 ? "F" : "D";
    return hashed_tensor(kind, t_shape(y), (int)t_dim(y), seed, 100 + (int)k, real);
}

bool backward_weighted(t_TensorList *ys, uint64_t seed, t_DType real, bool create_graph) {
    for (int64_t k = 0; k < ys->len; k++) {
        if (!t_requires_grad(ys->items[k])) continue;
        t_BackwardOptions options = {.size = sizeof options, .gradient = weights_of(ys->items[k], k, seed, real),
                                     .retain_graph = true, .create_graph = create_graph};
        if (!t_backward(ys->items[k], &options)) return false;
    }
    return true;
}

bool same_storage(const Tensor *a, const Tensor *b) {
    return a->storage == b->storage;
}
