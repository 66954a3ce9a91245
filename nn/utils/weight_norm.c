/* nn/utils/weight_norm.c: weight normalisation (Salimans and Kingma, 2016): the norm of a weight and its direction as
 * separate parameters. (PyTorch's older function of that name; the one of torch.nn.utils.parametrizations gives the
 * same values under other names.) */
#include "nn/utils/weight_norm.h"

#include "core/ops/ops.h"
#include "nn/utils/attribute_internal.h"

/* The norm over the dims along which g has one element; g is 0-dim: over all. */
static Tensor *norm_for(Tensor *v, const Tensor *g) {
    int64_t dims[T_MAX_DIMS];
    int count = 0;
    if (g->ndim == 0) return linalg_vector_norm(v, 2, NULL, 0, false, 0);
    for (int d = 0; d < v->ndim; d++)
        if (g->shape[d] == 1) dims[count++] = d;
    return count ? linalg_vector_norm(v, 2, dims, count, true, 0) : t_abs(v);
}

static Tensor *weight_of(Tensor *g, Tensor *v) {
    Tensor *norm = norm_for(v, g);
    return norm ? t_mul(v, t_div(g, norm)) : NULL;
}

static bool compute_weight(nn_Module *self, const char *name) {
    Tensor *g = tg_attribute(self, name, "_g"), *v = tg_attribute(self, name, "_v");
    if (!g || !v) return true; /* a user's own names */
    Tensor *weight = weight_of(g, v);
    return weight && tg_set_attribute(self, name, "", nn_kept_kind, weight);
}

static t_TensorList *weight_norm_hook(nn_Module *self, t_TensorList *args, void *context) {
    (void)args;
    (void)context;
    tg_for_each_suffix(self, "_g", compute_weight);
    return NULL;
}

static bool is_normalised(nn_Module *self, const char *name) {
    return tg_has_pre_hook(self, weight_norm_hook) && tg_attribute(self, name, "_g") && tg_attribute(self, name, "_v");
}

static bool weight_norm(nn_Module *self, const char *name, int64_t dim) {
    int64_t shape[T_MAX_DIMS];
    int d = 0;
    Tensor *x = tg_replaceable(self, name);
    if (!x) return false;
    if (is_normalised(self, name))
        return tg_fail("Cannot register two weight_norm hooks on the same parameter %s", name);
    if (tg_is_uninitialized(x))
        return tg_fail("The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the "
                       "dummy forward before applying weight normalization");
    if (!x->is_parameter) return tg_fail("'%s' of %s is not a parameter", name, self->type);
    if (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &d)) return false;
    for (int i = 0; i < x->ndim; i++) shape[i] = i == d ? x->shape[i] : 1;
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *like = t_empty(shape, dim == T_NONE ? 0 : x->ndim, &options), *v = nn_Parameter(t_detach(x));
    Tensor *g = like && v ? nn_Parameter(norm_for(t_detach(v), like)) : NULL, *weight = g ? weight_of(g, v) : NULL;
    const bool first = !tg_has_pre_hook(self, weight_norm_hook);
    if (!weight) return false;
    if (tg_add_pre_hook(self, weight_norm_hook) && tg_set_attribute(self, name, "_g", nn_parameter_kind, g) &&
        tg_set_attribute(self, name, "_v", nn_parameter_kind, v) &&
        tg_set_attribute(self, name, "", nn_kept_kind, weight))
        return true;
    tg_delete_attribute(self, name, "_g");
    tg_delete_attribute(self, name, "_v");
    if (first) tg_remove_pre_hook(self, weight_norm_hook);
    return false;
}

/* The parameters are new ones, with v sharing the weight's data: an optimizer is made after the call. Errors: no
 * attribute of that name, a second call, dim out of range. */
void *nn_utils_weight_norm(void *module, const char *name, int64_t dim) {
    if (!tg_check_module(module, 1)) return NULL;
    int depth = t_scope_open();
    const bool ok = depth && weight_norm(module, name, dim);
    t_scope_close(depth);
    return ok ? module : NULL;
}

static bool has_no_g(nn_Module *self, const char *name) {
    return !is_normalised(self, name);
}

/* The weight becomes a new parameter with its present value. Error: it is not normalised. */
void *nn_utils_remove_weight_norm(void *module, const char *name) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1) || !tg_replaceable(self, name)) return NULL;
    if (!is_normalised(self, name)) return tg_fail("weight_norm of '%s' not found in %s", name, self->type);
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *weight = weight_of(tg_attribute(self, name, "_g"), tg_attribute(self, name, "_v"));
    t_set_grad_enabled(grad_enabled);
    Tensor *p = weight ? nn_Parameter(weight) : NULL;
    const bool ok = p && tg_restore_parameter(self, name, p);
    if (ok) {
        tg_delete_attribute(self, name, "_g");
        tg_delete_attribute(self, name, "_v");
        if (tg_for_each_suffix(self, "_g", has_no_g)) tg_remove_pre_hook(self, weight_norm_hook);
    }
    t_scope_close(depth);
    return ok ? module : NULL;
}
