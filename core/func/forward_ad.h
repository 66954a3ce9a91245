/* core/func/forward_ad.h: torch.autograd.forward_ad, forward mode (public).
 *
 *     Tensor *dy = NULL;
 *     with_dual_level() {
 *         Tensor *x = t_autograd_forward_ad_make_dual(primal, tangent), *y = f(x);
 *         t_autograd_forward_ad_unpack_dual(y, .tangent = &dy);
 *     }
 *
 * In PyTorch each op has a rule that computes the tangent of its output along with the output. Here no op needs one: a
 * dual tensor is a leaf whose tangent the level knows, the ops record as always, and unpack_dual uses the
 * double-backward trick: u^T J is linear in u, and its derivative with respect to u, along the tangents, is J v. What
 * this costs, and where it differs: f is recorded, and each unpack_dual is two backwards, more than a pass of forward
 * mode but independent of the number of tangents; the level turns grad mode on, and with_no_grad() in it hides
 * tangents; a dual tensor and what is computed from it require grad; an op that is not twice differentiable is an
 * error. */
#ifndef TAPEGRAD_CORE_FUNC_FORWARD_AD_H
#define TAPEGRAD_CORE_FUNC_FORWARD_AD_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* fwAD.enter_dual_level(), fwAD.exit_dual_level(): with_dual_level() { ... } is both. Errors: a level within one, as in
 * PyTorch; none to exit. */
T_API bool t_autograd_forward_ad_enter_dual_level(void);
T_API bool t_autograd_forward_ad_exit_dual_level(void);
/* fwAD.make_dual(tensor, tangent): a view of the tensor. Errors: no level; a dtype that is not floating; another size
 * of the tangent; the tensor is dual already. */
T_API Tensor *t_autograd_forward_ad_make_dual(Tensor *tensor, Tensor *tangent);
/* fwAD.unpack_dual(tensor): the primal, which does not require grad if only dual tensors made it do so; its tangent is
 * written to .tangent, NULL if it depends on no dual tensor, or outside of a level. */
typedef struct t_UnpackDualOptions {
    uint32_t size;
    Tensor **tangent;
} t_UnpackDualOptions;
T_API Tensor *t_autograd_forward_ad_unpack_dual(Tensor *tensor, const t_UnpackDualOptions *options);

T_END_DECLS
#endif
