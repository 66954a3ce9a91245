/* nn/functional/activation/random_activations.c: rrelu and gumbel_softmax, with the random numbers of PyTorch. Composed
 * of ops; if a call fails, the generator is as before. */
#include <math.h>

#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/dtype_convert.h"
#include "nn/functional/activation/activation.h"

/* ---- rrelu ---- */

/* The slope of each element: uniform in [lower, upper) where x <= 0, else 1: one double uniform for each x <= 0, in
 * the order of the elements. */
#define DRAW_SLOPES(T)                                                                                        \
    static void draw_slopes_##T(tg_MT19937 *g, const T *x, T *slope, int64_t n, double lower, double upper) { \
        for (int64_t i = 0; i < n; i++)                                                                       \
            slope[i] = x[i] <= 0 ? (T)(tg_mt_double(g) * (upper - lower) + lower) : 1;                        \
    }
DRAW_SLOPES(float)
DRAW_SLOPES(double)

static double rounded(double value, t_DType dtype) {
    double element;
    tg_set_element(dtype, &element, value);
    return tg_element_as_double(dtype, &element);
}

/* As in PyTorch the bounds and the slopes are rounded to x's dtype. */
static Tensor *slopes(Tensor *x, double lower, double upper) {
    tg_MT19937 *g = tg_engine(NULL);
    Tensor *dense = g ? t_contiguous(tg_widened(t_detach(x))) : NULL, *y = NULL;
    if (dense) y = tg_empty(dense->shape, dense->ndim, dense->dtype);
    if (!y) return NULL;
    lower = rounded(lower, x->dtype);
    upper = rounded(upper, x->dtype);
    if (y->dtype == t_float32) draw_slopes_float(g, tg_data(dense), tg_data(y), tg_numel(x), lower, upper);
    else draw_slopes_double(g, tg_data(dense), tg_data(y), tg_numel(x), lower, upper);
    return t_to(y, x->dtype);
}

static bool check_rrelu(const Tensor *x, double lower, double upper, bool training) {
    if (!isfinite(lower)) return tg_fail("rrelu: lower bound must be finite, got %g", lower);
    if (!isfinite(upper)) return tg_fail("rrelu: upper bound must be finite, got %g", upper);
    if (lower > upper) return tg_fail("Lower bound should be less than or equal to the upper bound");
    return (tg_is_floating(x->dtype) && !(training && x->dtype == t_float16)) ||
           tg_not_implemented(training ? "rrelu_with_noise_out_cpu" : "leaky_relu_cpu", x->dtype) != NULL;
}

/* F.rrelu(x, lower, upper, training): x where x > 0, else a x; in training a is drawn from [lower, upper) for each
 * element, in evaluation it is (lower + upper) / 2. x: any shape, floating (in training not float16, as in PyTorch);
 * returns the same shape and dtype. dx = dy where x > 0, else a dy. Errors: bounds that are not finite, or in the wrong
 * order. */
Tensor *F_rrelu(Tensor *x, double lower, double upper, bool training, bool inplace) {
    TG_COMPOSITE("rrelu");
    if (!tg_check_any(x, 1) || !check_rrelu(x, lower, upper, training)) return NULL;
    if (!training) return F_leaky_relu(x, (lower + upper) / 2, inplace);
    tg_Draws draws;
    Tensor *y = NULL;
    int depth = t_scope_open();
    if (depth && tg_draws_begin(&draws, NULL)) {
        Tensor *slope = slopes(x, lower, upper);
        if (slope) y = (inplace ? t_mul_ : t_mul)(x, slope);
        tg_draws_end(&draws, y != NULL);
    }
    return tg_scope_return(depth, y);
}
Tensor *F_rrelu_(Tensor *x, double lower, double upper, bool training) {
    TG_COMPOSITE("rrelu_");
    return F_rrelu(x, lower, upper, training, true);
}

/* ---- gumbel_softmax ---- */

/* y + (a one-hot vector at y's largest element - y): the one-hot vector, with y's gradient. */
static Tensor *straight_through(Tensor *y, int64_t dim) {
    Tensor *index = NULL, *zeros = t_zeros_like(t_detach(y));
    if (!zeros || !t_max(t_detach(y), dim, true, &index)) return NULL;
    Tensor *hard = t_scatter(zeros, dim, index, t_ones_like(t_to(index, y->dtype)));
    return t_add(t_sub(hard, t_detach(y)), y);
}

static Tensor *gumbel_softmax(Tensor *logits, double tau, bool hard, int64_t dim) {
    Tensor *noise = tg_empty(logits->shape, logits->ndim, logits->dtype);
    Tensor *gumbel = noise && t_exponential_(noise, 1, NULL) ? t_neg(t_log(noise)) : NULL;
    Tensor *y = gumbel ? t_softmax(t_div(t_add(logits, gumbel), t_number(tau)), dim) : NULL;
    return y && hard ? straight_through(y, dim) : y;
}

/* F.gumbel_softmax(logits, tau, hard, dim): softmax((logits + g) / tau) along dim, with g = -log(E), E exponentially
 * distributed (Jang et al. 2017): a differentiable sample of a class. hard: one-hot, with the gradient of the soft one.
 * logits: any shape, floating; returns the same shape. Errors: integers, dim out of range. */
Tensor *F_gumbel_softmax(Tensor *logits, double tau, bool hard, int64_t dim) {
    TG_COMPOSITE("gumbel_softmax");
    tg_Draws draws;
    Tensor *y = NULL;
    if (!tg_check_any(logits, 1)) return NULL;
    int depth = t_scope_open();
    if (depth && tg_draws_begin(&draws, NULL)) {
        if (tg_is_narrow_tensor(logits))
            y = tg_narrowed(F_gumbel_softmax(tg_widened(logits), tau, hard, dim), logits->dtype);
        else
            y = gumbel_softmax(logits, tau, hard, dim);
        tg_draws_end(&draws, y != NULL);
    }
    return tg_scope_return(depth, y);
}
