/* nn/parametrize/spectral_norm.c: spectral normalisation (Miyato et al., 2018): a weight divided by its largest
 * singular value, which the power method estimates. The older function of PyTorch; nn/parametrize/parametrizations.c
 * has the one that is a parametrization. */
#include "nn/parametrize/spectral_norm.h"

#include <string.h>

#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "nn/functional/functional.h"
#include "nn/modules/convolution.h"
#include "nn/parametrize/spectral_internal.h"
#include "nn/utils/attribute_internal.h"

/* ---- shared by both forms ---- */

int64_t tg_spectral_dim(const nn_Module *self) {
    return tg_is_class(self, "nn_ConvTranspose1d", sizeof(nn_Conv)) ||
           tg_is_class(self, "nn_ConvTranspose2d", sizeof(nn_Conv)) ||
           tg_is_class(self, "nn_ConvTranspose3d", sizeof(nn_Conv3d));
}

Tensor *tg_spectral_matrix(Tensor *weight, int dim) {
    if (dim) weight = t_movedim(weight, (int64_t[]){dim}, 1, (int64_t[]){0}, 1);
    return !weight || weight->ndim > 1 ? t_flatten(weight, 1, -1) : t_unsqueeze(weight, 1);
}

static Tensor *normalized(Tensor *x, double eps) {
    return F_normalize(x, 2, 0, eps);
}

Tensor *tg_spectral_vector(int64_t n, double eps, t_DType dtype) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return normalized(t_randn(&n, 1, &options), eps);
}

bool tg_spectral_step(Tensor *matrix, Tensor *u, Tensor *v, bool rows, double eps) {
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *x = normalized(rows ? t_mv(matrix, v) : t_mv(t_t(matrix), u), eps);
    const bool ok = x && t_copy_(rows ? u : v, x);
    t_set_grad_enabled(grad_enabled);
    return ok;
}

Tensor *tg_spectral_divided(Tensor *weight, Tensor *matrix, Tensor *u, Tensor *v) {
    return t_div(weight, t_dot(t_clone(u), t_mv(matrix, t_clone(v))));
}

/* ---- nn.utils.spectral_norm ----
 * The settings n_power_iterations, eps and dim are a plain attribute of the module, so that nn_deepcopy copies them. */

enum { ITERATIONS, EPS, DIM, SETTINGS };
static const char SETTINGS_OF[] = "_spectral_norm";

static double setting(const nn_Module *self, const char *name, int which) {
    return ((const double *)tg_data(tg_attribute(self, name, SETTINGS_OF)))[which];
}

static bool is_normalised(const nn_Module *self, const char *name) {
    return tg_attribute(self, name, SETTINGS_OF) && tg_attribute(self, name, "_orig") &&
           tg_attribute(self, name, "_u") && tg_attribute(self, name, "_v");
}

/* In the caller's scope. */
static Tensor *weight_of(nn_Module *self, const char *name, bool improve) {
    Tensor *weight = tg_attribute(self, name, "_orig"), *u = tg_attribute(self, name, "_u"),
           *v = tg_attribute(self, name, "_v");
    const double eps = setting(self, name, EPS);
    Tensor *matrix = tg_spectral_matrix(weight, (int)setting(self, name, DIM));
    for (int i = 0, n = (int)setting(self, name, ITERATIONS); matrix && improve && i < n; i++)
        if (!tg_spectral_step(matrix, u, v, false, eps) || !tg_spectral_step(matrix, u, v, true, eps)) return NULL;
    return matrix ? tg_spectral_divided(weight, matrix, u, v) : NULL;
}

static bool compute_weight(nn_Module *self, const char *name) {
    if (!is_normalised(self, name)) return true; /* a user's own names */
    Tensor *weight = weight_of(self, name, self->training);
    return weight && tg_set_attribute(self, name, "", nn_kept_kind, weight);
}

static t_TensorList *spectral_norm_hook(nn_Module *self, t_TensorList *args, void *context) {
    (void)args;
    (void)context;
    tg_for_each_suffix(self, SETTINGS_OF, compute_weight);
    return NULL;
}

static void delete_all(nn_Module *self, const char *name) {
    static const char *const suffixes[] = {"_orig", "_u", "_v", SETTINGS_OF};
    for (int i = 0; i < 4; i++) tg_delete_attribute(self, name, suffixes[i]);
}

static bool has_none(nn_Module *self, const char *name) {
    return !is_normalised(self, name);
}

static bool register_all(nn_Module *self, const char *name, Tensor *weight, Tensor *u, Tensor *v, Tensor *settings) {
    Tensor *data = t_detach(weight);
    return data && tg_add_pre_hook(self, spectral_norm_hook) &&
           tg_set_attribute(self, name, SETTINGS_OF, nn_kept_kind, settings) &&
           tg_set_attribute(self, name, "_u", nn_buffer_kind, u) &&
           tg_set_attribute(self, name, "_v", nn_buffer_kind, v) &&
           tg_set_attribute(self, name, "_orig", nn_parameter_kind, weight) &&
           tg_set_attribute(self, name, "", nn_kept_kind, data);
}

static bool spectral_norm(nn_Module *self, const char *name, int64_t n_power_iterations, double eps, int64_t dim) {
    int d = 0;
    Tensor *weight = tg_replaceable(self, name);
    if (!weight) return false;
    if (is_normalised(self, name))
        return tg_fail("Cannot register two spectral_norm hooks on the same parameter %s", name);
    if (n_power_iterations <= 0)
        return tg_fail("Expected n_power_iterations to be positive, but got n_power_iterations=%lld",
                       (long long)n_power_iterations);
    if (!weight->is_parameter) return tg_fail("'%s' of %s is not a parameter", name, self->type);
    if (tg_is_uninitialized(weight))
        return tg_fail("The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the "
                       "dummy forward before applying spectral normalization");
    if (!tg_wrap_dim(dim == T_NONE ? tg_spectral_dim(self) : dim, weight->ndim, &d)) return false;
    const int64_t count = SETTINGS;
    Tensor *matrix = tg_spectral_matrix(t_detach(weight), d), *settings = tg_empty(&count, 1, t_float64);
    Tensor *u = matrix && settings ? tg_spectral_vector(matrix->shape[0], eps, weight->dtype) : NULL;
    Tensor *v = u ? tg_spectral_vector(matrix->shape[1], eps, weight->dtype) : NULL;
    if (!v) return false;
    memcpy(tg_data(settings), (double[]){(double)n_power_iterations, eps, d}, SETTINGS * sizeof(double));
    if (register_all(self, name, weight, u, v, settings)) return true;
    if (tg_attribute(self, name, "") != weight) tg_restore_parameter(self, name, weight);
    delete_all(self, name);
    if (tg_for_each_suffix(self, SETTINGS_OF, has_none)) tg_remove_pre_hook(self, spectral_norm_hook);
    return false;
}

void *nn_utils_spectral_norm(void *module, const char *name, int64_t n_power_iterations, double eps, int64_t dim) {
    if (!tg_check_module(module, 1)) return NULL;
    int depth = t_scope_open();
    tg_Draws draws;
    const bool begun = depth && tg_draws_begin(&draws, NULL);
    const bool ok = begun && spectral_norm(module, name, n_power_iterations, eps, dim);
    if (begun) tg_draws_end(&draws, ok);
    t_scope_close(depth);
    return ok ? module : NULL;
}

void *nn_utils_remove_spectral_norm(void *module, const char *name) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1) || !tg_replaceable(self, name)) return NULL;
    if (!is_normalised(self, name)) return tg_fail("spectral_norm of '%s' not found in %s", name, nn_str(self));
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *weight = weight_of(self, name, false);
    t_set_grad_enabled(grad_enabled);
    Tensor *p = weight ? nn_Parameter(weight) : NULL;
    const bool ok = p && tg_restore_parameter(self, name, p);
    if (ok) {
        delete_all(self, name);
        if (tg_for_each_suffix(self, SETTINGS_OF, has_none)) tg_remove_pre_hook(self, spectral_norm_hook);
    }
    t_scope_close(depth);
    return ok ? module : NULL;
}
