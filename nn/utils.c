/* nn/utils.c: torch.nn.utils. */
#include "nn/utils.h"

#include "core/autograd.h"
#include "core/tensor.h"

static Tensor *norm_of(Tensor *x) {
    return t_sqrt(t_sum(t_square(x), NULL, 0, false));
}

/* The norm of all gradients together, as PyTorch computes it: of the norms of each. 0 where there is none. */
static Tensor *total_norm(const t_TensorList *parameters) {
    t_TensorList *norms = t_list_new(NULL, 0);
    for (int64_t i = 0; norms && i < parameters->len; i++) {
        Tensor *gradient = t_grad(parameters->items[i]);
        if (gradient && !t_list_append(norms, norm_of(gradient))) return NULL;
    }
    return norms && norms->len ? norm_of(t_stack(norms, 0)) : t_full(NULL, 0, 0, NULL);
}

static bool scale_all(const t_TensorList *parameters, Tensor *factor) {
    for (int64_t i = 0; factor && i < parameters->len; i++) {
        Tensor *gradient = t_grad(parameters->items[i]);
        if (gradient && !t_mul_(gradient, factor)) return false;
    }
    return factor != NULL;
}

/* nn.utils.clip_grad_norm_(parameters, max_norm): multiplies every gradient in place by min(1, max_norm / (norm + 1e-6)),
 * where norm is sqrt(sum of g^2) over all gradients together. Returns the norm as it was before, 0-dim; parameters without
 * a gradient are left out. As in PyTorch a norm of NaN makes every gradient NaN, one of infinity makes the finite ones 0.
 * Not there: another norm_type, error_if_nonfinite. Errors: a list that died, or one of its tensors. */
Tensor *nn_utils_clip_grad_norm_(const t_TensorList *parameters, double max_norm) {
    if (!tg_check_list(parameters, 1)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *total = total_norm(parameters);
    Tensor *factor = t_clamp(t_div(t_number(max_norm), t_add(total, t_number(1e-6))), NULL, t_number(1));
    bool ok = scale_all(parameters, factor);
    t_set_grad_enabled(grad_enabled);
    total = ok ? t_keep_object(total) : NULL;
    t_scope_close(depth);
    return total;
}
