/* nn/init/init.c: torch.nn.init: constant, uniform, normal, truncated normal, xavier and kaiming initialisation. */
#include "nn/init/init.h"

#include <math.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* ---- constants and simple distributions ---- */

/* Runs in place with grad mode off, so that a leaf that requires grad may be filled. */
static Tensor *fill(Tensor *x, Tensor *(*fill_fn)(Tensor *, double, double, t_Generator *), double a, double b,
                    t_Generator *generator) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *result = fill_fn(x, a, b, generator);
    t_set_grad_enabled(grad_enabled);
    return result;
}

static Tensor *constant(Tensor *x, double value, double unused, t_Generator *none) {
    (void)unused;
    (void)none;
    return t_fill_(x, value);
}

static Tensor *eye(Tensor *x, double on, double off, t_Generator *none) {
    (void)none;
    Tensor *diagonal = t_diagonal(x, 0, 0, 1);
    if (!diagonal || !tg_check_inplace(x)) return NULL;
    tg_fill_into(x, off); /* after everything that can fail */
    tg_fill_into(diagonal, on);
    tg_bump_version(x);
    return x;
}

Tensor *nn_init_uniform_(Tensor *x, double a, double b, t_Generator *generator) {
    return fill(x, t_uniform_, a, b, generator);
}

Tensor *nn_init_normal_(Tensor *x, double mean, double std, t_Generator *generator) {
    return fill(x, t_normal_, mean, std, generator);
}

Tensor *nn_init_constant_(Tensor *x, double val) {
    return fill(x, constant, val, 0, NULL);
}

Tensor *nn_init_zeros_(Tensor *x) {
    return fill(x, constant, 0, 0, NULL);
}

Tensor *nn_init_ones_(Tensor *x) {
    return fill(x, constant, 1, 0, NULL);
}

/* 1 where the two indices are equal, 0 elsewhere. Error: x has not 2 dims. */
Tensor *nn_init_eye_(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim != 2) return tg_fail("Only tensors with 2 dimensions are supported");
    int depth = t_scope_open();
    Tensor *result = depth ? fill(x, eye, 1, 0, NULL) : NULL;
    t_scope_close(depth);
    return result;
}

/* The weight of a convolution that keeps as many channels as it has: 1 in the middle of the window where the input
 * channel has the output channel's number within its group, 0 elsewhere. Errors: x has not 3 to 5 dims; groups that do
 * not divide the first. */
Tensor *nn_init_dirac_(Tensor *x, int64_t groups) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim < 3 || x->ndim > 5) return tg_fail("Only tensors with 3, 4, or 5 dimensions are supported");
    if (groups < 1 || x->shape[0] % groups) return tg_fail("dim 0 must be divisible by groups");
    const int64_t channels = x->shape[0] / groups, kept = channels < x->shape[1] ? channels : x->shape[1];
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *dirac = depth ? t_zeros_like(x) : NULL;
    bool ok = dirac != NULL;
    for (int64_t channel = 0; ok && channel < groups * kept; channel++) {
        const int64_t within = channel % kept, output = channel / kept * channels + within;
        Tensor *middle = t_select(t_select(dirac, 0, output), 0, within);
        while (middle && middle->ndim) middle = t_select(middle, 0, middle->shape[0] / 2);
        ok = t_fill_(middle, 1) != NULL;
    }
    ok = ok && t_copy_(x, dirac);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok ? x : NULL;
}

/* ---- a truncated normal distribution ---- */

/* Draws all of x, then redraws the elements outside [a, b] until there are none. */
static bool resample_outside(Tensor *x, double mean, double std, double a, double b, t_Generator *generator) {
    if (!t_normal_(x, mean, std, generator)) return false;
    const double lo = x->dtype == t_float32 ? (double)(float)a : a, hi = x->dtype == t_float32 ? (double)(float)b : b;
    for (bool ok = true, more = true; more;) {
        int depth = t_scope_open();
        if (!depth) return false;
        Tensor *outside = t_logical_or(t_lt(x, t_number(lo)), t_gt(x, t_number(hi))),
               *any = t_any(outside, NULL, 0, false);
        more = any && t_is_true(any);
        ok = any && (!more || t_copy_(x, t_where(outside, t_normal_(t_empty_like(x), mean, std, generator), x)));
        t_scope_close(depth);
        if (!ok) return false;
    }
    return true;
}

/* Rejection sampling for an interval of low probability: uniform candidates, accepted with the probability density /
 * (largest density in [a, b]). y gets a new candidate where `pending` is true (everywhere for NULL); returns the mask
 * of rejected elements. */
static Tensor *sample_candidates(Tensor *y, Tensor *pending, double mean, double std, double a, double b,
                                 t_Generator *generator) {
    const double mode = fmax(a, fmin(mean, b)), peak = (mode - mean) / std, log_peak = -0.5 * (peak * peak);
    Tensor *candidates = pending ? t_uniform_(t_empty_like(y), a, b, generator) : t_uniform_(y, a, b, generator);
    if (pending && !t_copy_(y, t_where(pending, candidates, y))) return NULL;
    Tensor *distance = t_div(t_sub(candidates, t_number(mean)), t_number(std));
    Tensor *log_density = t_sub(t_mul(t_square(distance), t_number(-0.5)), t_number(log_peak));
    Tensor *refused = t_gt(t_log(t_uniform_(t_empty_like(y), 0, 1, generator)), log_density);
    return pending ? t_logical_and(pending, refused) : refused;
}

static bool rejection_sample(Tensor *x, double mean, double std, double a, double b, t_Generator *generator) {
    Tensor *pending = NULL;
    for (bool more = true; more;) {
        int outer = t_scope_open();
        if (!outer) return false;
        pending = sample_candidates(x, pending, mean, std, a, b, generator);
        Tensor *any = t_any(pending, NULL, 0, false);
        if (!any) {
            t_scope_close(outer);
            return false;
        }
        more = t_is_true(any);
        pending = t_keep_object(pending);
        t_scope_close(outer);
    }
    return true;
}

static double normal_cdf(double x) {
    return (1.0 + erf(x / sqrt(2.0))) / 2.0;
}

/* N(mean, std) truncated to [a, b] by rejection sampling, with the random numbers of PyTorch 2.15 (earlier versions
 * inverted the distribution function). Warns of a mean more than 2 std outside [a, b]. Error: std = 0. */
Tensor *nn_init_trunc_normal_(Tensor *x, double mean, double std, double a, double b, t_Generator *generator) {
    if (!tg_check(x, 1)) return NULL;
    if (std == 0) return tg_fail("float division by zero");
    static _Thread_local bool warned;
    if (mean < a - 2 * std || mean > b + 2 * std)
        tg_warn(&warned, "mean is more than 2 std from [a, b] in nn_init_trunc_normal_. The distribution of values "
                         "may be incorrect.");
    const double p = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std);
    /* From a mean outside of [a, b] the density falls off within std^2 / distance of the nearer bound. */
    const double distance = fmax(fmax(a - mean, mean - b) / fabs(std), 1);
    if (!(p > 0.3) && (b - a) * distance > 1e7 * fabs(std)) /* PyTorch takes seconds for each element */
        return tg_fail("rejection sampling from [%g, %g] accepts almost no candidate for a normal distribution with "
                       "std %g",
                       a, b, std);
    tg_Draws draws;
    int depth = tg_draws_begin(&draws, generator) ? t_scope_open() : 0;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *drawn = depth ? t_empty_like(x) : NULL;
    bool ok = drawn && (p > 0.3 ? resample_outside : rejection_sample)(drawn, mean, std, a, b, generator) &&
              t_copy_(x, drawn);
    if (depth && !ok) tg_draws_end(&draws, false);
    t_scope_close(depth);
    t_set_grad_enabled(grad_enabled);
    return ok ? x : NULL;
}

/* ---- by fan_in and fan_out ---- */

/* nn.init.calculate_gain(nonlinearity, param): the gain that compensates for the nonlinearity's effect on the variance.
 * param: the slope of leaky_relu, 0.01 where NaN. Error: an unknown nonlinearity (returns NaN). */
double nn_init_calculate_gain(const char *nonlinearity, double param) {
    static const char *const ones[] = {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                                       "conv_transpose3d", "sigmoid"};
    if (!nonlinearity) nonlinearity = "None";
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (strcmp(nonlinearity, ones[i]) == 0) return 1;
    if (strcmp(nonlinearity, "tanh") == 0) return 5.0 / 3;
    if (strcmp(nonlinearity, "relu") == 0) return sqrt(2.0);
    if (strcmp(nonlinearity, "leaky_relu") == 0) return sqrt(2.0 / (1 + (isnan(param) ? 0.01 * 0.01 : param * param)));
    if (strcmp(nonlinearity, "selu") == 0) return 3.0 / 4;
    tg_fail("Unsupported nonlinearity %s", nonlinearity);
    return (double)NAN;
}

/* fan_in = size(1) * receptive field, fan_out = size(0) * receptive field, where the receptive field is the product of
 * the other sizes. */
static bool fans(Tensor *x, double *in, double *out) {
    if (!tg_check(x, 1)) return false;
    if (x->ndim < 2)
        return tg_fail("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    double field = (double)tg_shape_numel(x->shape + 2, x->ndim - 2);
    *in = (double)x->shape[1] * field;
    *out = (double)x->shape[0] * field;
    return true;
}

/* Glorot & Bengio 2010. std = gain sqrt(2 / (fan_in + fan_out)). */
static bool xavier(Tensor *x, double gain, double *std) {
    double in = 0, out = 0;
    if (!fans(x, &in, &out)) return false;
    *std = gain * sqrt(2.0 / (in + out));
    return true;
}

/* U(-a, a), a = gain sqrt(6 / (fan_in + fan_out)). */
Tensor *nn_init_xavier_uniform_(Tensor *x, double gain, t_Generator *generator) {
    double std, bound;
    if (!xavier(x, gain, &std)) return NULL;
    bound = sqrt(3.0) * std;
    return nn_init_uniform_(x, -bound, bound, generator);
}

/* N(0, std). */
Tensor *nn_init_xavier_normal_(Tensor *x, double gain, t_Generator *generator) {
    double std;
    return xavier(x, gain, &std) ? nn_init_normal_(x, 0, std, generator) : NULL;
}

/* He et al. 2015. std = gain / sqrt(fan), the gain by the nonlinearity: sqrt(2 / (1 + a^2)) for leaky ReLU of slope a.
 * Errors: fewer than 2 dims, another mode or nonlinearity. */
static bool kaiming(Tensor *x, double a, const char *mode, const char *nonlinearity, double *std) {
    double in = 0, out = 0;
    const bool fan_in = mode && strcmp(mode, "fan_in") == 0;
    if (!tg_check(x, 1)) return false;
    if (!fan_in && (!mode || strcmp(mode, "fan_out") != 0))
        return tg_fail("Mode %s not supported, please use one of ['fan_in', 'fan_out']", mode ? mode : "None");
    if (!fans(x, &in, &out)) return false;
    const double gain = nn_init_calculate_gain(nonlinearity, a);
    *std = gain / sqrt(fan_in ? in : out);
    return !isnan(gain);
}

/* U(-b, b), b = sqrt(3) std; no-op where x has no elements. */
Tensor *nn_init_kaiming_uniform_(Tensor *x, double a, const char *mode, const char *nonlinearity,
                                 t_Generator *generator) {
    double std, bound;
    if (x && tg_check(x, 1) && tg_numel(x) == 0) return x;
    if (!kaiming(x, a, mode, nonlinearity, &std)) return NULL;
    bound = sqrt(3.0) * std;
    return nn_init_uniform_(x, -bound, bound, generator);
}

/* N(0, std); no-op where x has no elements. */
Tensor *nn_init_kaiming_normal_(Tensor *x, double a, const char *mode, const char *nonlinearity,
                                t_Generator *generator) {
    double std;
    if (x && tg_check(x, 1) && tg_numel(x) == 0) return x;
    return kaiming(x, a, mode, nonlinearity, &std) ? nn_init_normal_(x, 0, std, generator) : NULL;
}
