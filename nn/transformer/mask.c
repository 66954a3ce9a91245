/* nn/transformer/mask.c: padding masks, causal masks and their combination, in two polarities. */
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

static Tensor *causal(int64_t n) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_bool};
    return t_tril(t_ones((int64_t[]){n, n}, 2, &options), 0);
}

static Tensor *target_mask(Tensor *ids, int64_t pad_idx) {
    Tensor *keep_mask = not_padding(ids, pad_idx);
    return keep_mask ? t_logical_and(keep_mask, causal(ids->shape[1])) : NULL;
}

/* ---- the public functions ---- */

typedef enum MaskKind { PADDING, CAUSAL, TARGET } MaskKind;

/* number: pad_idx, or the size n of a causal mask, which takes no ids. */
static Tensor *mask(MaskKind kind, Tensor *ids, int64_t argument, bool keep) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *keep_mask = kind == PADDING  ? not_padding(ids, argument)
                    : kind == CAUSAL ? causal(argument)
                                     : target_mask(ids, argument);
    Tensor *y = keep ? keep_mask : t_logical_not(keep_mask);
    return tg_scope_return(depth, y);
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
