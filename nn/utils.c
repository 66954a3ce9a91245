/* nn/utils.c: torch.nn.utils: gradient norms and clipping, parameters as one vector. */
#include "nn/utils.h"

#include <float.h>
#include <math.h>

#include "core/autograd/autograd.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* ---- norms ---- */

/* Infinite where PyTorch's sum of squares overflows, which it accumulates in x's dtype. */
static Tensor *vector_norm(Tensor *x, double p) {
    Tensor *y = linalg_vector_norm(x, p, NULL, 0, false, 0);
    const double size = y ? tg_read_double(y) : 0;
    if (y && p == 2 && y->dtype == t_float32 && size * size > FLT_MAX) tg_fill_into(y, INFINITY);
    return y;
}

/* As in PyTorch: the norm of the norms of the tensors. */
static Tensor *total_norm(const t_TensorList *tensors, double norm_type, bool error_if_nonfinite) {
    t_TensorList *norms = t_list_new(NULL, 0);
    for (int64_t i = 0; norms && i < tensors->len; i++)
        if (!t_list_append(norms, vector_norm(tensors->items[i], norm_type))) return NULL;
    if (!norms) return NULL;
    Tensor *total = norms->len ? vector_norm(t_stack(norms, 0), norm_type) : t_full(NULL, 0, 0, NULL);
    if (total && error_if_nonfinite && !isfinite(tg_read_double(total)))
        return tg_fail(
            "The total norm of order %s for gradients from `parameters` is non-finite, so it cannot be clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`",
            tg_number_text(norm_type));
    return total;
}

/* nn.utils.get_total_norm(tensors, norm_type, error_if_nonfinite): the norm of all elements of all tensors, 0-dim; 0 of
 * an empty list. Outside autograd. Errors: a list or tensor whose scope is closed; a non-finite norm with
 * error_if_nonfinite. */
Tensor *nn_utils_get_total_norm(const t_TensorList *tensors, double norm_type, bool error_if_nonfinite) {
    if (!tg_check_list(tensors, 1)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *total = t_keep_object(total_norm(tensors, norm_type, error_if_nonfinite));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return total;
}

/* ---- gradients ---- */

static t_TensorList *gradients_of(const t_TensorList *parameters) {
    t_TensorList *gradients = t_list_new(NULL, 0);
    for (int64_t i = 0; gradients && i < parameters->len; i++)
        if (parameters->items[i]->grad && !t_list_append(gradients, parameters->items[i]->grad)) return NULL;
    return gradients;
}

/* nn.utils.clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite): multiplies every gradient in place by
 * min(1, max_norm / (norm + 1e-6)), where norm is that of all gradients together. Returns the norm as it was before,
 * 0-dim; parameters without a gradient are left out. As in PyTorch a norm of NaN makes every gradient NaN, one of
 * infinity makes the finite ones 0. Errors: as nn_utils_get_total_norm's. */
Tensor *nn_utils_clip_grad_norm_(const t_TensorList *parameters, double max_norm, double norm_type,
                                 bool error_if_nonfinite) {
    if (!tg_check_held_list(parameters, 1)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    t_TensorList *gradients = gradients_of(parameters);
    Tensor *total = gradients ? total_norm(gradients, norm_type, error_if_nonfinite) : NULL;
    Tensor *factor = t_clamp(t_div(t_number(max_norm), t_add(total, t_number(1e-6))), NULL, t_number(1));
    total = factor && tg_scale_all(gradients, factor) ? t_keep_object(total) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return total;
}

/* nn.utils.clip_grads_with_norm_(parameters, max_norm, total_norm): the second half of clip_grad_norm_, with a norm
 * that was computed before, of one element. */
bool nn_utils_clip_grads_with_norm_(const t_TensorList *parameters, double max_norm, Tensor *total_norm) {
    if (!tg_check_list(parameters, 1) || !tg_check(total_norm, 3)) return false;
    if (tg_numel(total_norm) != 1)
        return tg_fail("total_norm must have one element, but has the shape %s", tg_shape_of(total_norm));
    int depth = t_scope_open();
    if (!depth) return false;
    bool grad_enabled = t_set_grad_enabled(false);
    t_TensorList *gradients = gradients_of(parameters);
    Tensor *factor = gradients ? t_div(t_number(max_norm), t_add(total_norm, t_number(1e-6))) : NULL;
    factor = factor ? t_clamp(factor, NULL, t_number(1)) : NULL;
    const bool ok = factor && (gradients->len == 0 || tg_scale_all(gradients, factor));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok;
}

/* nn.utils.clip_grad_value_(parameters, clip_value): clamps every element of every gradient to [-clip_value,
 * clip_value], in place. */
bool nn_utils_clip_grad_value_(const t_TensorList *parameters, double clip_value) {
    if (!tg_check_held_list(parameters, 1)) return false;
    int depth = t_scope_open();
    if (!depth) return false;
    bool grad_enabled = t_set_grad_enabled(false);
    t_TensorList *gradients = gradients_of(parameters);
    Tensor *min = gradients ? t_number(-clip_value) : NULL, *max = min ? t_number(clip_value) : NULL;
    const bool ok = max && tg_update_all(gradients, t_clamp, t_clamp_, min, max);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok;
}

/* ---- one vector ---- */

/* nn.utils.parameters_to_vector(parameters): torch.cat of the flattened parameters, with a gradient to each. */
Tensor *nn_utils_parameters_to_vector(const t_TensorList *parameters) {
    if (!tg_check_held_list(parameters, 1)) return NULL;
    int depth = t_scope_open();
    t_TensorList *parts = depth ? t_list_new(NULL, 0) : NULL;
    bool ok = parts != NULL;
    for (int64_t i = 0; ok && i < parameters->len; i++)
        ok = t_list_append(parts, t_view(parameters->items[i], (const int64_t[]){-1}, 1));
    Tensor *vec = ok ? t_cat(parts, 0) : NULL;
    return tg_scope_return(depth, vec);
}

/* nn.utils.vector_to_parameters(vec, parameters): each parameter becomes a view of vec, as in PyTorch: later writes to
 * vec change it. Extra elements of vec are ignored. Errors: vec is not 1-d, too short, or of another dtype than a
 * parameter. */
bool nn_utils_vector_to_parameters(Tensor *vec, const t_TensorList *parameters) {
    if (!tg_check(vec, 1) || !tg_check_list(parameters, 2)) return false;
    int depth = t_scope_open();
    t_TensorList *parts = depth ? t_list_new(NULL, 0) : NULL;
    bool ok = parts != NULL;
    Tensor *data = t_detach(vec);
    for (int64_t i = 0, at = 0; ok && i < parameters->len; i++) {
        const Tensor *p = parameters->items[i];
        const int64_t end = at + tg_numel(p);
        if (p->dtype != vec->dtype)
            ok = tg_fail("parameter %lld is %s, but the vector is %s", (long long)i, tg_dtype_name(p->dtype),
                         tg_dtype_name(vec->dtype));
        else ok = t_list_append(parts, t_view(t_slice(data, 0, at, end, 1), p->shape, p->ndim));
        at = end;
    }
    for (int64_t i = 0; ok && i < parts->len; i++) tg_set_data(parameters->items[i], parts->items[i]);
    t_scope_close(depth);
    return ok;
}
