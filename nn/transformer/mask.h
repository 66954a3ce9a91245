/* nn/transformer/mask.h: attention masks as bool tensors, for the modules of tutorial_transformer.h (public).
 *
 * Tutorials use two conventions, so each mask comes in both: true in a keep mask lets a key take part (nn_zero_hides,
 * the modules' default), true in a hide mask masks it out (nn_one_hides). Each is the other's t_logical_not. Combine
 * two keep masks with t_logical_and, two hide masks with t_logical_or.
 *
 * ids: (B, S) int64 token ids, in which pad_idx is padding. A row may be fully masked (padding at the start of a
 * target): its attention is 0. Errors: ids of another rank or dtype, a negative n. No gradient. */
#ifndef TAPEGRAD_NN_TRANSFORMER_MASK_H
#define TAPEGRAD_NN_TRANSFORMER_MASK_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API Tensor *nn_keep_padding(Tensor *ids, int64_t pad_idx); /* (ids != pad_idx)[:, None, None, :]: (B, 1, 1, S) */
T_API Tensor *nn_keep_causal(int64_t n); /* torch.ones(n, n).tril().bool(): (n, n), past and present */
T_API Tensor *nn_keep_target(Tensor *ids, int64_t pad_idx);  /* padding mask & causal mask: (B, 1, T, T) */

T_API Tensor *nn_hide_padding(Tensor *ids, int64_t pad_idx); /* (ids == pad_idx)[:, None, None, :]: (B, 1, 1, S) */
T_API Tensor *nn_hide_causal(int64_t n); /* torch.ones(n, n).triu(1).bool(): (n, n), the look-ahead mask */
T_API Tensor *nn_hide_target(Tensor *ids, int64_t pad_idx);  /* padding mask | causal mask: (B, 1, T, T) */

T_END_DECLS
#endif
