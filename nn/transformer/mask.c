/* nn/transformer/mask.c: padding masks, causal masks and both in one, in two polarities. */
#include "nn/transformer/mask.h"

#include "core/ops/ops.h"
#include "core/tensor/scope.h"
#include "core/tensor/tensor.h"

/* ---- keep masks: true takes part ---- */

static Tensor *not_padding(Tensor *ids, int64_t pad_idx) {
    if (!tg_check(ids, 1)) return NULL;
    if (ids->ndim != 2 || ids->dtype != t_int64)
        return tg_fail("a mask is made of token ids, (batch, length) of int64, but they have shape %s and dtype %s",
                       tg_shape_of(ids), tg_dtype_name(ids->dtype));
    return t_unsqueeze(t_unsqueeze(t_ne(ids, t_integer(pad_idx)), 1), 2);
}

static Tensor *not_ahead(int64_t n) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_bool};
    return t_tril(t_ones((int64_t[]){n, n}, 2, &options), 0);
}

static Tensor *neither(Tensor *ids, int64_t pad_idx) {
    Tensor *shown = not_padding(ids, pad_idx);
    return shown ? t_logical_and(shown, not_ahead(ids->shape[1])) : NULL;
}

/* ---- the masks, each made in a scope of its own ---- */

typedef enum What { PADDING, CAUSAL, TARGET } What;

/* number: pad_idx, or n of a causal mask, which has no ids. */
static Tensor *mask(What what, Tensor *ids, int64_t number, bool keep) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *shown = what == PADDING ? not_padding(ids, number) : what == CAUSAL ? not_ahead(number) : neither(ids, number);
    Tensor *y = keep ? shown : t_logical_not(shown);
    return tg_close_keeping(depth, y);
}

Tensor *nn_keep_padding(Tensor *ids, int64_t pad_idx) {
    return mask(PADDING, ids, pad_idx, true);
}

Tensor *nn_keep_causal(int64_t n) {
    return mask(CAUSAL, NULL, n, true);
}

Tensor *nn_keep_target(Tensor *ids, int64_t pad_idx) {
    return mask(TARGET, ids, pad_idx, true);
}

Tensor *nn_hide_padding(Tensor *ids, int64_t pad_idx) {
    return mask(PADDING, ids, pad_idx, false);
}

Tensor *nn_hide_causal(int64_t n) {
    return mask(CAUSAL, NULL, n, false);
}

Tensor *nn_hide_target(Tensor *ids, int64_t pad_idx) {
    return mask(TARGET, ids, pad_idx, false);
}
