/* core/ops/creation/gamma.c: poisson and binomial; gamma and Dirichlet values, which torch.distributions draws. A value
 * for each element of the parameters, in their logical order. */
#include "core/kernels/random/gamma.h"

#include <float.h>
#include <math.h>

#include "core/ops/creation/creation_internal.h"
#include "core/ops/creation/gamma_internal.h"
#include "core/ops/creation/random_internal.h"

/* Draws y, and records it; the rule of the op needs x[0] and y if has_gradient. An error after the first value gives
 * the generator its state back. */
static Tensor *drawn(const Op *op, Tensor *(*draw)(Tensor *const *x, tg_MT19937 *engine), Tensor **x, int count,
                     bool has_gradient, t_Generator *generator) {
    tg_Draws draws;
    if (!tg_draws_begin(&draws, generator)) return NULL;
    int depth = t_scope_open();
    Tensor *y = tg_scope_return(depth, depth ? draw(x, draws.engine) : NULL), *saved[] = {x[0], y};
    y = tg_record(op, y, x, count, saved, has_gradient ? 2 : 0, NULL, 0);
    tg_draws_end(&draws, y != NULL);
    return y;
}

/* Element i of a contiguous y of float32 or float64. */
static void set(Tensor *y, int64_t i, double value) {
    if (y->dtype == t_float64) ((double *)tg_data(y))[i] = value;
    else ((float *)tg_data(y))[i] = (float)value;
}

/* ---- poisson ---- */

static void poisson_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}
static const Op poisson_op = {"poisson", "PoissonBackward0", poisson_backward};

static Tensor *draw_poisson(Tensor *const *x, tg_MT19937 *engine) {
    Tensor *rate = t_contiguous(t_detach(x[0])), *y = rate ? tg_empty(rate->shape, rate->ndim, rate->dtype) : NULL;
    for (int64_t i = 0, n = y ? tg_numel(y) : 0; i < n; i++) {
        const double lambda = tg_real_at(rate, i);
        if (!(lambda >= 0)) return tg_fail("invalid Poisson rate, expected rate to be non-negative");
        set(y, i, tg_mt_poisson(engine, lambda));
    }
    return y;
}

/* torch.poisson(x): counts of the Poisson distributions with the means x. Floating; the gradient is 0. Errors: a
 * negative or NaN mean, integers. */
Tensor *t_poisson(Tensor *x, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("poisson_cpu", x->dtype);
    if (tg_is_half(x->dtype)) {
        tg_Draws draws;
        if (!tg_draws_begin(&draws, generator)) return NULL;
        Tensor *y = tg_narrowed(t_poisson(tg_widened(x), generator), x->dtype);
        tg_draws_end(&draws, y != NULL);
        return y;
    }
    return drawn(&poisson_op, draw_poisson, &x, 1, false, generator);
}

/* ---- binomial ---- */

static const Op binomial_op = {"binomial", "NotImplemented", tg_no_derivative};

static Tensor *draw_binomial(Tensor *const *x, tg_MT19937 *engine) {
    Tensor *both[] = {t_detach(x[0]), t_detach(x[1])};
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!both[0] || !both[1] || !tg_broadcast_shape(both, 2, shape, &ndim)) return NULL;
    Tensor *y = tg_empty(shape, ndim, x[0]->dtype);
    Tensor *count = t_contiguous(t_expand(both[0], shape, ndim)), *prob = t_contiguous(t_expand(both[1], shape, ndim));
    if (!y || !count || !prob) return NULL;
    for (int64_t i = 0, n = tg_numel(y); i < n; i++)
        set(y, i, tg_mt_binomial(engine, y->dtype == t_float64, tg_real_at(count, i), tg_real_at(prob, i)));
    return y;
}

/* torch.binomial(count, prob): the number of successes in count trials with probability prob each; the two broadcast.
 * Floating, of one dtype. A probability outside of [0, 1] counts as 0 or 1. As in PyTorch it has no derivative:
 * backward is an error. Errors: integers; two dtypes. */
Tensor *t_binomial(Tensor *count, Tensor *prob, t_Generator *generator) {
    if (!tg_check_two(count, prob)) return NULL;
    const Tensor *of[] = {count, prob};
    for (int i = 0; i < 2; i++)
        if (!tg_is_floating(of[i]->dtype))
            return tg_fail("binomial only supports floating-point dtypes for %s, got: %s", i ? "prob" : "count",
                           tg_scalar_name(of[i]->dtype));
    if (count->dtype != prob->dtype)
        return tg_fail("Found dtype %s but expected %s", tg_scalar_name(prob->dtype), tg_scalar_name(count->dtype));
    return drawn(&binomial_op, draw_binomial, (Tensor *[]){count, prob}, 2, false, generator);
}

/* ---- gamma ---- */

TG_EACH2(gamma_grad_float32, float, float, tg_standard_gamma_grad(a, b))
TG_EACH2(gamma_grad_float64, double, double, tg_standard_gamma_grad(a, b))

static void gamma_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable loops = {[t_float32] = gamma_grad_float32, [t_float64] = gamma_grad_float64};
    Tensor *alpha = tg_saved(r, 0), *y = tg_saved(r, 1), *both[] = {alpha, y};
    if (alpha && y) dx[0] = t_mul(dy, tg_pointwise_in("_standard_gamma_grad", y->dtype, both, 2, loops, 0, NULL));
}
static const Op gamma_op = {"_standard_gamma", "StandardGammaBackward0", gamma_backward, true};

static Tensor *draw_gamma(Tensor *const *x, tg_MT19937 *engine) {
    Tensor *alpha = t_contiguous(t_detach(x[0])), *y = alpha ? tg_empty(alpha->shape, alpha->ndim, alpha->dtype) : NULL;
    const bool is_double = y && y->dtype == t_float64;
    const double tiny = is_double ? DBL_MIN : FLT_MIN;
    for (int64_t i = 0, n = y ? tg_numel(y) : 0; i < n; i++) {
        const double value = tg_mt_gamma(engine, is_double, tg_real_at(alpha, i));
        set(y, i, value < tiny ? tiny : value);
    }
    return y;
}

/* The gradient is the implicit one (core/kernels/random/gamma_grad.c), once differentiable. */
Tensor *tg_standard_gamma(Tensor *alpha, t_Generator *generator) {
    if (!tg_check(alpha, 1)) return NULL;
    if (!tg_is_floating(alpha->dtype)) return tg_not_implemented("gamma_cpu", alpha->dtype);
    return drawn(&gamma_op, draw_gamma, &alpha, 1, true, generator);
}

/* ---- Dirichlet: gamma values, divided by their sum ---- */

TG_EACH3(dirichlet_grad_float32, float, float, tg_dirichlet_grad(a, b, c))
TG_EACH3(dirichlet_grad_float64, double, double, tg_dirichlet_grad(a, b, c))

/* x_i is a Beta value, and if it changes the others share the rest: dalpha = g (dy - sum(x dy)). */
static void dirichlet_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable loops = {[t_float32] = dirichlet_grad_float32, [t_float64] = dirichlet_grad_float64};
    static const int64_t last_dim[] = {-1};
    Tensor *alpha = tg_saved(r, 0), *y = tg_saved(r, 1);
    Tensor *total = alpha && y ? t_sum(alpha, last_dim, 1, true) : NULL, *all[] = {y, alpha, total};
    if (!total) return;
    Tensor *gradient = tg_pointwise_in("_dirichlet_grad", y->dtype, all, 3, loops, 0, NULL);
    dx[0] = t_mul(gradient, t_sub(dy, t_sum(t_mul(y, dy), last_dim, 1, true)));
}
static const Op dirichlet_op = {"_sample_dirichlet", "_DirichletBackward", dirichlet_backward, true};

TG_EACH2(share_float32, float, double, fmin(1 - FLT_EPSILON / 2, fmax(FLT_MIN, (double)(float)(a / b))))
TG_EACH2(share_float64, double, double, fmin(1 - DBL_EPSILON / 2, fmax(DBL_MIN, a / b)))

static Tensor *draw_dirichlet(Tensor *const *x, tg_MT19937 *engine) {
    static LoopTable to_float32 = {[t_float64] = share_float32}, to_float64 = {[t_float64] = share_float64};
    Tensor *gamma = t_to(t_detach(x[0]), t_float64);
    gamma = gamma ? draw_gamma(&gamma, engine) : NULL;
    Tensor *sum = t_sum(gamma, (int64_t[]){-1}, 1, true), *both[] = {gamma, sum};
    const bool is_float = x[0]->dtype == t_float32;
    return sum ? tg_pointwise_in("dirichlet", t_float64, both, 2, is_float ? to_float32 : to_float64, x[0]->dtype, NULL)
               : NULL;
}

Tensor *tg_sample_dirichlet(Tensor *alpha, t_Generator *generator) {
    if (!tg_check(alpha, 1)) return NULL;
    if (!tg_is_floating(alpha->dtype)) return tg_not_implemented("dirichlet", alpha->dtype);
    return drawn(&dirichlet_op, draw_dirichlet, &alpha, 1, true, generator);
}
