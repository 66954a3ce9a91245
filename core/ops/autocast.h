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
 * Differences from PyTorch: the cast of a parameter is not kept for its next use; nn_RNN, nn_LSTM and nn_GRU compute in
 * float32; a backward inside the block runs without autocast. */
#ifndef TAPEGRAD_CORE_OPS_AUTOCAST_H
#define TAPEGRAD_CORE_OPS_AUTOCAST_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API bool t_is_autocast_enabled(void);     /* torch.is_autocast_enabled("cpu") */
T_API t_DType t_get_autocast_dtype(void);   /* torch.get_autocast_dtype("cpu"): bfloat16 outside of a block */
/* torch.set_autocast_enabled("cpu", enabled) with torch.set_autocast_dtype("cpu", dtype): bfloat16 or float16. False
 * with an error set for another dtype. with_autocast() is safer. */
T_API bool t_set_autocast(bool enabled, t_DType dtype);
T_API int t_swap_autocast_(bool enabled, t_DType dtype); /* for with_autocast: what to give t_restore_autocast_ */
T_API void t_restore_autocast_(int before);

T_END_DECLS
#endif
