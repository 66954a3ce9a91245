/* nn/parametrize/parametrizations.c: weight_norm, spectral_norm and orthogonal as parametrizations. */
#include "nn/parametrize/parametrizations.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/linalg/linalg.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/functional.h"
#include "nn/module/module_hooks.h"
#include "nn/parametrize/parametrize_internal.h"
#include "nn/parametrize/spectral_internal.h"

/* The parameter or buffer of that name, for the checks and draws before the registration. */
static Tensor *tensor_named(nn_Module *self, const char *name) {
    if (!name) return t_error() ? NULL : tg_fail("argument 2 is NULL where a name is expected");
    Tensor *x = tg_parametrized_or_plain(self, name);
    if (tg_is_uninitialized(x))
        return tg_fail("Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
                       "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
                       "`forward` to initialize the parameters before accessing their attributes.");
    const char *module = x ? NULL : nn_str(self);
    return module ? tg_fail("Module '%s' has no parameter or buffer with name '%s'", module, name) : x;
}

/* ---- weight_norm ---- */

typedef struct WeightNorm {
    nn_Module base;
    int64_t dim; /* -1: all dims */
} WeightNorm;

/* torch.norm_except_dim(v, 2, dim) */
static Tensor *norm_except(Tensor *v, int64_t dim) {
    int64_t dims[T_MAX_DIMS];
    int count = 0, d;
    if (dim == -1) return t_norm(v, 2, NULL, 0, false, 0);
    if (!tg_wrap_dim(dim, v->ndim, &d)) return NULL;
    for (int i = 0; i < v->ndim; i++)
        if (i != d) dims[count++] = i;
    return count ? t_norm(v, 2, dims, count, true, 0) : t_abs(v);
}

static Tensor *weight_norm_forward(void *self, Tensor *g, Tensor *v) {
    Tensor *norm = norm_except(v, ((WeightNorm *)self)->dim);
    return norm ? t_mul(v, t_div(g, norm)) : NULL;
}

static t_TensorList *weight_norm_inverse(void *self, Tensor *weight) {
    Tensor *g = norm_except(weight, ((WeightNorm *)self)->dim);
    return g ? t_list_new((Tensor *[]){g, weight}, 2) : NULL;
}

/* Renames weight_g and weight_v of older files. */
static void rename_old_keys(nn_Module *module, t_TensorDict *state, const char *prefix, void *context) {
    (void)context;
    static const char old[] = "gv";
    for (const nn_Entry *entry = tg_parametrized_names(module); entry; entry = tg_child(entry->next)) {
        char from[2][300], to[300];
        for (int i = 0; i < 2; i++) snprintf(from[i], sizeof from[i], "%s%s_%c", prefix, entry->name, old[i]);
        if (!t_dict_has(state, from[0]) || !t_dict_has(state, from[1])) continue;
        for (int i = 0; i < 2; i++) {
            snprintf(to, sizeof to, "%sparametrizations.%s.original%d", prefix, entry->name, i);
            if (!t_dict_set(state, to, t_dict_get(state, from[i])) || !t_dict_delete(state, from[i])) return;
        }
    }
}

void *nn_utils_parametrizations_weight_norm(void *module, const char *name, int64_t dim) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1)) return NULL;
    int depth = t_scope_open();
    WeightNorm *p =
        depth && tensor_named(self, name) ? (WeightNorm *)nn_module_new(sizeof *p, "_WeightNorm", NULL) : NULL;
    bool ok = p != NULL;
    if (ok) {
        p->dim = dim == T_NONE ? -1 : dim;
        p->base.forward2 = weight_norm_forward;
        p->base.right_inverse2 = weight_norm_inverse;
        t_Hook *hook = nn_register_load_state_dict_pre_hook(self, rename_old_keys, NULL);
        ok = hook && nn_utils_parametrize_register_parametrization(self, name, p, true);
        if (hook && !ok) {
            t_hook_remove(hook);
            tg_drop_empty_hooks(self);
        }
    }
    t_scope_close(depth);
    return ok ? module : NULL;
}

/* ---- spectral_norm ---- */

typedef struct SpectralNorm {
    nn_Module base;
    int64_t n_power_iterations;
    double eps;
    int dim;
    Tensor *u, *v;
} SpectralNorm;

static bool power_method(SpectralNorm *self, Tensor *matrix, int64_t iterations) {
    for (; iterations > 0; iterations--)
        if (!tg_spectral_step(matrix, self->u, self->v, true, self->eps) ||
            !tg_spectral_step(matrix, self->u, self->v, false, self->eps))
            return false;
    return true;
}

static Tensor *spectral_norm_forward(void *module, Tensor *weight) {
    SpectralNorm *self = module;
    if (weight->ndim == 1) return F_normalize(weight, 2, 0, self->eps);
    Tensor *matrix = tg_spectral_matrix(weight, self->dim);
    if (!matrix || (self->base.training && !power_method(self, matrix, self->n_power_iterations))) return NULL;
    return tg_spectral_divided(weight, matrix, self->u, self->v);
}

static SpectralNorm *spectral_norm(Tensor *weight, int64_t n_power_iterations, double eps, int64_t dim) {
    const int n = weight->ndim;
    if (dim >= n || dim < -n)
        return tg_fail("Dimension out of range (expected to be in range of [-%d, %d] but got %lld)", n, n - 1,
                       (long long)dim);
    if (n_power_iterations <= 0)
        return tg_fail("Expected n_power_iterations to be positive, but got n_power_iterations=%lld",
                       (long long)n_power_iterations);
    SpectralNorm *self = (SpectralNorm *)nn_module_new(sizeof *self, "_SpectralNorm", spectral_norm_forward);
    if (!self) return NULL;
    self->n_power_iterations = n_power_iterations;
    self->eps = eps;
    self->dim = (int)(dim < 0 ? dim + n : dim);
    if (n == 1) return self;
    Tensor *matrix = tg_spectral_matrix(t_detach(weight), self->dim);
    self->u = matrix ? tg_spectral_vector(matrix->shape[0], eps, weight->dtype) : NULL;
    self->v = self->u ? tg_spectral_vector(matrix->shape[1], eps, weight->dtype) : NULL;
    return self->v && nn_register_buffer(&self->base, "_u", self->u) &&
                   nn_register_buffer(&self->base, "_v", self->v) && power_method(self, matrix, 15)
               ? self
               : NULL;
}

void *nn_utils_parametrizations_spectral_norm(void *module, const char *name, int64_t n_power_iterations, double eps,
                                              int64_t dim) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *weight = depth ? tensor_named(self, name) : NULL;
    if (dim == T_NONE) dim = tg_spectral_dim(self);
    tg_Draws draws;
    const bool begun = weight && tg_draws_begin(&draws, NULL);
    SpectralNorm *p = begun ? spectral_norm(weight, n_power_iterations, eps, dim) : NULL;
    const bool ok = p && nn_utils_parametrize_register_parametrization(self, name, p, false);
    if (begun) tg_draws_end(&draws, ok);
    t_scope_close(depth);
    return ok ? module : NULL;
}

/* ---- orthogonal ---- */

typedef enum OrthogonalMap { MATRIX_EXP, CAYLEY, HOUSEHOLDER } OrthogonalMap;
static const char *const maps[] = {"matrix_exp", "cayley", "householder"};

typedef struct Orthogonal {
    nn_Module base;
    OrthogonalMap map;
    bool use_trivialization;
    int ndim;
    int64_t shape[T_MAX_DIMS];
    Tensor *first; /* the buffer `base` */
} Orthogonal;

static int64_t rows(const Tensor *x) {
    return x->shape[x->ndim - 2];
}
static int64_t columns(const Tensor *x) {
    return x->shape[x->ndim - 1];
}

/* Zeros of x's dtype and batch dims, (..., n, k). */
static Tensor *zeros_like(const Tensor *x, int64_t n, int64_t k) {
    int64_t shape[T_MAX_DIMS];
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    memcpy(shape, x->shape, sizeof shape);
    shape[x->ndim - 2] = n;
    shape[x->ndim - 1] = k;
    return t_zeros(shape, x->ndim, &options);
}
static Tensor *eye_like(const Tensor *x, int64_t n) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    return t_eye(n, n, &options);
}
static Tensor *joined(Tensor *a, Tensor *b) {
    t_TensorList *both = a && b ? t_list_new((Tensor *[]){a, b}, 2) : NULL;
    return both ? t_cat(both, -1) : NULL;
}
static Tensor *diagonal(Tensor *x) {
    return t_diagonal(x, 0, -2, -1);
}

/* exp(A) or the Cayley map of A = L - L^T, of the lower triangle L of X (n, k), filled up with zeros to (n, n). */
static Tensor *of_skew_symmetric(const Orthogonal *self, Tensor *X, int64_t n, int64_t k) {
    Tensor *L = t_tril(X, 0);
    if (n != k) L = joined(L, zeros_like(X, n, n - k));
    Tensor *A = L ? t_sub(L, t_mT(L)) : NULL, *eye = A ? eye_like(A, n) : NULL, *half = t_mul(A, N(0.5));
    if (!half || !eye) return NULL;
    Tensor *Q = self->map == MATRIX_EXP ? linalg_matrix_exp(A) : linalg_solve(t_sub(eye, half), t_add(eye, half), true);
    return n != k ? t_narrow(Q, -1, 0, k) : Q;
}

/* The reflections are the columns below the diagonal of X, whose diagonal, of 1 and -1, gives the signs. */
static Tensor *of_reflections(Tensor *X) {
    Tensor *A = t_tril(X, -1);
    Tensor *tau = A ? t_div(N(2), t_add(N(1), t_sum(t_mul(A, A), (int64_t[]){-2}, 1, false))) : NULL;
    Tensor *Q = tau ? linalg_householder_product(A, tau) : NULL;
    return Q ? t_mul(Q, t_unsqueeze(t_to(t_detach(diagonal(X)), t_int32), -2)) : NULL;
}

static Tensor *orthogonal_forward(void *module, Tensor *X) {
    const Orthogonal *self = module;
    if (X->ndim < 2) return tg_fail("Dimension out of range (expected to be in range of [-1, 0], but got -2)");
    const bool transposed = rows(X) < columns(X);
    if (transposed) X = t_mT(X);
    if (!X) return NULL;
    Tensor *Q = self->map == HOUSEHOLDER ? of_reflections(X) : of_skew_symmetric(self, X, rows(X), columns(X));
    if (self->use_trivialization) Q = t_matmul(self->first, Q);
    return transposed ? t_mT(Q) : Q;
}

static bool is_orthogonal(Tensor *Q) {
    const double eps = Q->dtype == t_float64 ? DBL_EPSILON : (double)FLT_EPSILON;
    return t_allclose(t_matmul(t_mT(Q), Q), eye_like(Q, columns(Q)), 1e-5, 10.0 * (double)rows(Q) * eps, false);
}

/* The Q of the QR decomposition whose R has a positive diagonal. */
static Tensor *made_orthogonal(Tensor *A) {
    Tensor *R = NULL, *Q = linalg_qr(A, "reduced", &R);
    return Q ? t_mul(Q, t_unsqueeze(t_sgn(diagonal(R)), -2)) : NULL;
}

/* Of the reflections alone: geqrf's vectors below a diagonal of signs. */
static Tensor *reflections_of(Tensor *Q) {
    Tensor *tau = NULL, *A = t_geqrf(Q, &tau), *signs = A ? t_sign(diagonal(A)) : NULL;
    if (!signs) return NULL;
    signs = t_where(t_eq(tau, N(0)), t_neg(signs), signs); /* a reflection that was not needed */
    return signs && t_copy_(diagonal(A), signs) ? A : NULL;
}

static Tensor *base_of(Tensor *Q, int64_t n, int64_t k) {
    if (n == k) return is_orthogonal(Q) ? t_clone(Q) : t_error() ? NULL : made_orthogonal(Q);
    int64_t shape[T_MAX_DIMS];
    const t_TensorOptions options = {.size = sizeof options, .dtype = Q->dtype};
    memcpy(shape, Q->shape, sizeof shape);
    shape[Q->ndim - 1] = n - k;
    return made_orthogonal(joined(Q, t_randn(shape, Q->ndim, &options)));
}

static Tensor *orthogonal_inverse(void *module, Tensor *Q) {
    Orthogonal *self = module;
    if (Q->ndim != self->ndim || memcmp(Q->shape, self->shape, (size_t)Q->ndim * sizeof *Q->shape) != 0)
        return tg_fail("Expected a matrix or batch of matrices of shape torch.Size(%s). Got a tensor of shape %s.",
                       tg_shape_text(self->shape, self->ndim), t_size_repr(Q));
    const bool transpose = rows(Q) < columns(Q);
    Tensor *tall = transpose ? t_mT(Q) : Q;
    if (!self->use_trivialization) { /* then only of reflections */
        Tensor *A = reflections_of(tall);
        return transpose ? t_mT(A) : A;
    }
    Tensor *first = tall ? base_of(tall, rows(tall), columns(tall)) : NULL;
    Tensor *minus_eye = first ? zeros_like(Q, rows(Q), columns(Q)) : NULL;
    if (!minus_eye || !t_fill_(diagonal(minus_eye), -1)) return NULL;
    self->first = first;
    return nn_register_buffer(&self->base, "base", first) ? minus_eye : NULL;
}

static Orthogonal *orthogonal(const Tensor *weight, const char *map, bool use_trivialization) {
    int which = 0;
    if (weight->ndim < 2)
        return tg_fail("Expected a matrix or batch of matrices. Got a tensor of %d dimensions.", weight->ndim);
    if (!map) map = maps[rows(weight) == columns(weight) ? MATRIX_EXP : HOUSEHOLDER];
    while (which < 3 && strcmp(map, maps[which]) != 0) which++;
    if (which == 3)
        return tg_fail("orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: %s", map);
    Orthogonal *self = (Orthogonal *)nn_module_new(sizeof *self, "_Orthogonal", orthogonal_forward);
    if (!self || (use_trivialization && !nn_register_buffer(&self->base, "base", NULL))) return NULL;
    self->map = (OrthogonalMap)which;
    self->use_trivialization = use_trivialization;
    self->ndim = weight->ndim;
    memcpy(self->shape, weight->shape, sizeof self->shape);
    if (use_trivialization || which == HOUSEHOLDER) self->base.right_inverse = orthogonal_inverse;
    return self;
}

void *nn_utils_parametrizations_orthogonal(void *module, const char *name, const char *orthogonal_map,
                                           bool use_trivialization) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *weight = depth ? tensor_named(self, name) : NULL;
    tg_Draws draws;
    const bool begun = weight && tg_draws_begin(&draws, NULL);
    Orthogonal *p = begun ? orthogonal(weight, orthogonal_map, use_trivialization) : NULL;
    const bool ok = p && nn_utils_parametrize_register_parametrization(self, name, p, true);
    if (begun) tg_draws_end(&draws, ok);
    t_scope_close(depth);
    return ok ? module : NULL;
}
