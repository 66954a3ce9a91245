/* core/ops/autocast.h: torch.autocast("cpu", dtype=...) (public; part of core/ops/ops.h).
 *
 *     with_autocast(.dtype = t_bfloat16) { loss = F_cross_entropy(nn_call(model, x), y); }
 *     t_backward(loss);
 *
 * In the block functions of three lists treat floating tensors as PyTorch's do on the CPU (float64 is left alone):
 *   cast to the dtype: F_linear, t_matmul, t_mm, t_bmm, t_addmm, t_addbmm, t_baddbmm, t_prelu, linalg_vecdot, the
 *       convolutions, F_scaled_dot_product_attention, and what is composed of these;
 *   cast to float32: the losses that PyTorch lists, t_prod, t_quantile, t_nanquantile, t_cdist, t_trace,
 *       F_grid_sample, F_pad with "reflect" and "replicate", pools over three dims, F_max_unpool, and torch.linalg's
 *       solvers and decompositions;
 *   cast to the widest of their inputs: t_cat, t_stack and t_index_copy, as always.
 * All others compute in the dtype that they get, with promotion. Parameters stay float32 and get float32 gradients.
 * The cast of a parameter (a float32 leaf that requires grad) to the dtype is kept for its next use, until the end of
 * the outermost block, or with .cache_enabled = false not. Recurrent layers compute step by step, their products in the
 * dtype (nn_RNN's comment). Products of bfloat16 have float32 sums and are rounded once, as PyTorch's; its sums are in
 * oneDNN's order, so that an element may be the next bfloat16. Convolutions, attention and whatever else has no kernel
 * of the dtype widen their operands to float32 inside: a step gains by its linear layers and matrix products.
 *
 * Differences from PyTorch: a backward inside the block runs without autocast; a kept cast is made again after the
 * parameter was written to, and for a use with grad enabled after one without it; outside of a block, with
 * t_set_autocast alone, no casts are kept; attention is computed in float32 between its casts, without rounding scores
 * and weights. */
#ifndef TAPEGRAD_CORE_OPS_AUTOCAST_H
#define TAPEGRAD_CORE_OPS_AUTOCAST_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API bool t_is_autocast_enabled(void);     /* torch.is_autocast_enabled("cpu") */
T_API t_DType t_get_autocast_dtype(void);   /* torch.get_autocast_dtype("cpu"): bfloat16 outside of a block */
/* torch.set_autocast_enabled("cpu", enabled) with torch.set_autocast_dtype("cpu", dtype): bfloat16 or float16. False
 * with an error set for another dtype. with_autocast() is safer. */
T_API bool t_set_autocast(bool enabled, t_DType dtype);
/* torch.is_autocast_cache_enabled(), torch.set_autocast_cache_enabled(enabled), torch.clear_autocast_cache() */
T_API bool t_is_autocast_cache_enabled(void);
T_API void t_set_autocast_cache_enabled(bool enabled);
T_API void t_clear_autocast_cache(void);
T_API int t_swap_autocast_(bool enabled, t_DType dtype, bool cache_enabled); /* what to give t_restore_autocast_ */
T_API void t_restore_autocast_(int before);

T_END_DECLS
#endif
