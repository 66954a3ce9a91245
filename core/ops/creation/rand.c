/* core/ops/creation/rand.c: rand, randn, randint, randperm, their *_like forms, bernoulli and normal: new random
 * tensors. */
#include <math.h>

#include "core/kernels/random/distributions.h"
#include "core/ops/creation/creation_internal.h"
#include "core/ops/creation/random_internal.h"

/* Fills a new tensor, to which the options were applied before: so errors in them are found before the first random
 * output is drawn. On an error y is released. */
typedef Tensor *Fill(Tensor *x, double a, double b, t_Generator *generator);
static Tensor *fill_new(Tensor *y, Fill *fill, double a, double b, const t_TensorOptions *options) {
    if (!y) return NULL;
    bool grad_enabled = t_set_grad_enabled(false); /* y may require grad */
    Tensor *result = fill(y, a, b, options ? options->generator : NULL);
    t_set_grad_enabled(grad_enabled);
    if (!result) t_release(tg_take_from_scope(y));
    return result;
}

/* ---- from a shape ---- */

/* torch.rand(shape): uniform in [0, 1). Options: dtype float32 or float64, requires_grad, generator. */
Tensor *t_rand(const int64_t *size, int ndim, const t_TensorOptions *options) {
    return fill_new(t_empty(size, ndim, options), t_uniform_, 0, 1, options);
}

/* torch.randn(shape): normal with mean 0 and variance 1. */
Tensor *t_randn(const int64_t *size, int ndim, const t_TensorOptions *options) {
    return fill_new(t_empty(size, ndim, options), t_normal_, 0, 1, options);
}

/* torch.randint(low, high, shape): integers in [low, high); dtype int64. Error: low >= high. */
Tensor *t_randint(int64_t low, int64_t high, const int64_t *size, int ndim, const t_TensorOptions *options) {
    if (low >= high)
        return tg_fail("random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld", (long long)low,
                       (long long)high);
    if (!tg_check_random_bounds(tg_option_dtype(options, t_int64), low, high - 1)) return NULL;
    t_TensorOptions integer = {.size = sizeof integer, .dtype = t_int64};
    tg_MT19937 *engine = tg_engine(options ? options->generator : NULL);
    Tensor *x = engine ? t_empty(size, ndim, &integer) : NULL;
    /* before the first output is drawn */
    Tensor *y = x ? tg_apply_options(t_to(x, tg_option_dtype(options, t_int64)), options) : NULL;
    if (!y) return NULL;
    tg_fill_randint(engine, tg_data(x), tg_numel(x), low, high);
    if (y != x) tg_copy_into(y, x);
    return y;
}

/* torch.randperm(n): 0 to n - 1 shuffled; dtype int64. Error: n < 0. */
Tensor *t_randperm(int64_t n, const t_TensorOptions *options) {
    t_TensorOptions integer = {.size = sizeof integer, .dtype = t_int64};
    tg_MT19937 *engine = tg_engine(options ? options->generator : NULL);
    Tensor *x = engine ? t_empty(&n, 1, &integer) : NULL;
    Tensor *y = x ? tg_apply_options(t_to(x, tg_option_dtype(options, t_int64)), options) : NULL;
    if (!y) return NULL;
    tg_randperm(engine, tg_data(x), n);
    if (y != x) tg_copy_into(y, x);
    return y;
}

/* ---- *_like: the shape and memory format of another tensor ---- */

static Tensor *template(Tensor *x, const t_TensorOptions *options) {
    return tg_check_any(x, 1) ? tg_apply_options(tg_empty_like(x, tg_option_dtype(options, x->dtype)), options) : NULL;
}

static Tensor *floating_template(Tensor *x, const t_TensorOptions *options, const char *name) {
    const t_DType dtype = tg_check_any(x, 1) ? tg_option_dtype(options, x->dtype) : tg_default_dtype();
    return tg_is_floating(dtype) ? template(x, options) : tg_not_implemented(name, dtype);
}

/* torch.rand_like(x, dtype=...): uniform in [0, 1), in x's shape, memory format and dtype, unless the options give
 * another dtype. Error: a dtype that is not floating. */
Tensor *t_rand_like_of_(Tensor *x, const t_TensorOptions *options) {
    return fill_new(floating_template(x, options, "check_uniform_bounds"), t_uniform_, 0, 1, options);
}

/* torch.randn_like(x, dtype=...): normal with mean 0 and variance 1. */
Tensor *t_randn_like_of_(Tensor *x, const t_TensorOptions *options) {
    return fill_new(floating_template(x, options, "normal_kernel_cpu"), t_normal_, 0, 1, options);
}

/* torch.rand_like(x) */
Tensor *t_rand_like(Tensor *x) {
    return t_rand_like_of_(x, NULL);
}

/* torch.randn_like(x) */
Tensor *t_randn_like(Tensor *x) {
    return t_randn_like_of_(x, NULL);
}

/* torch.randint_like(x, low, high): integers in [low, high). Error: low >= high. */
Tensor *t_randint_like(Tensor *x, int64_t low, int64_t high, const t_TensorOptions *options) {
    Tensor *y = template(x, options);
    if (!y) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *result = t_random_(y, low, high, options ? options->generator : NULL);
    t_set_grad_enabled(grad_enabled);
    if (!result) t_release(tg_take_from_scope(y));
    return result;
}

/* ---- bernoulli ---- */

static void bernoulli_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}
static const Op bernoulli_op = {"bernoulli", "BernoulliBackward0", bernoulli_backward};

static const Op bernoulli_p_op = {"bernoulli", "NotImplemented", tg_no_derivative};

static Tensor *draw_bernoulli(Tensor *p, tg_MT19937 *engine) {
    Tensor *y = tg_empty(p->shape, p->ndim, tg_wide(p->dtype));
    if (!y) return NULL;
    tg_copy_into(y, p);
    for (int64_t i = 0, n = tg_numel(y); i < n; i++) {
        double at = tg_real_at(y, i);
        if (!(at >= 0 && at <= 1)) return tg_fail("Expected p_in >= 0 && p_in <= 1 to be true, but got p=%g", at);
    }
    if (y->dtype == t_float64) tg_fill_bernoulli_tensor_f64(engine, tg_data(y), tg_data(y), tg_numel(y));
    else tg_fill_bernoulli_tensor_f32(engine, tg_data(y), tg_data(y), tg_numel(y));
    return t_to(y, p->dtype);
}

static Tensor *bernoulli_of(Tensor *p, tg_MT19937 *engine) {
    if (!tg_is_floating(p->dtype)) return tg_not_implemented("bernoulli_tensor_cpu_self_", p->dtype);
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(draw_bernoulli(p, engine)) : NULL;
    t_scope_close(depth);
    return tg_record(&bernoulli_op, y, INPUTS(p), NONE, NONE);
}

static Tensor *bernoulli_with(Tensor *x, double p, t_Generator *generator) {
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    return y ? tg_record(&bernoulli_p_op, t_bernoulli_(y, p, generator), INPUTS(x), NONE, NONE) : NULL;
}

/* torch.bernoulli(x): 1 with the probability given by that element of x, else 0. The gradient is 0. Error: a value
 * outside [0, 1]. torch.bernoulli(x, p): x's shape and dtype, 1 with probability p everywhere; p NAN: not given. As
 * in PyTorch this form has no derivative: backward is an error. */
Tensor *t_bernoulli(Tensor *x, double p, t_Generator *generator) {
    tg_Draws draws;
    if (!tg_check_any(x, 1)) return NULL;
    if (!isnan(p) && !(p >= 0 && p <= 1)) return tg_fail("bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    if (!tg_draws_begin(&draws, generator)) return NULL;
    Tensor *y = isnan(p) ? bernoulli_of(x, draws.engine) : bernoulli_with(x, p, generator);
    tg_draws_end(&draws, y != NULL);
    return y;
}

/* ---- normal ---- */

static void normal_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    for (int i = 0; i < r->inputs; i++)
        if (tg_needs(r, i)) dx[i] = tg_zeros_like_input(r, i);
}
static const Op normal_of_both_op = {"normal", "NormalBackward3", normal_backward};
static const Op normal_of_std_op = {"normal", "NormalBackward2", normal_backward};
static const Op normal_of_mean_op = {"normal", "NormalBackward1", normal_backward};

static bool check_std(Tensor *std) {
    if (std->wrapped_number)
        return tg_read_double(std) >= 0 || tg_fail("normal expects std >= 0.0, but found std %g", tg_read_double(std));
    Tensor *min = tg_numel(std) ? t_amin(std, NULL, 0, false) : std;
    if (!min || min == std) return min != NULL;
    return !(tg_read_double(min) < 0) || tg_fail("normal expects all elements of std >= 0.0");
}

/* z std + mean, rounded twice as in PyTorch, with z drawn in memory order. */
static Tensor *scaled(Tensor *mean, Tensor *std, t_Generator *generator) {
    Tensor *both[] = {mean, std}, *of = mean->wrapped_number ? std : mean;
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_is_floating(of->dtype)) return tg_not_implemented("normal_kernel_cpu", of->dtype);
    if (!check_std(std) || !tg_broadcast_shape(both, 2, shape, &ndim)) return NULL;
    Tensor *y = tg_empty(shape, ndim, of->dtype);
    if (!y || !t_normal_(y, 0, std->wrapped_number ? tg_read_double(std) : 1, generator)) return NULL;
    if (!std->wrapped_number) y = t_to(t_mul(y, std), of->dtype);
    return t_to(t_add(y, mean), of->dtype);
}

/* torch.normal(mean, std): normal values, each with its own mean and std; one of the two may be a number (t_number).
 * The two broadcast; the dtype is that of mean. Both gradients are 0. torch.normal(mean, std, size): two numbers and
 * a shape; ndim is -1 without one. Errors: a negative std; integers. */
Tensor *t_normal(Tensor *mean, Tensor *std, const int64_t *size, int ndim, const t_TensorOptions *options) {
    TG_COMPOSITE("normal");
    if (!tg_check_any_two(mean, std)) return NULL;
    t_Generator *generator = options ? options->generator : NULL;
    if (ndim >= 0 && (!mean->wrapped_number || !std->wrapped_number))
        return tg_fail("normal: with a size, mean and std must be numbers");
    if (ndim >= 0)
        return fill_new(t_empty(size, ndim, options), t_normal_, tg_read_double(mean), tg_read_double(std), options);
    if (mean->wrapped_number && std->wrapped_number)
        return tg_fail("normal: if mean and std are numbers, a size is required");
    tg_Draws draws;
    int depth = tg_draws_begin(&draws, generator) ? t_scope_open() : 0;
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(scaled(mean, std, generator));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    const Op *op = mean->wrapped_number  ? &normal_of_std_op
                   : std->wrapped_number ? &normal_of_mean_op
                                         : &normal_of_both_op;
    y = tg_record(op, y, INPUTS(mean, std), NONE, NONE);
    tg_draws_end(&draws, y != NULL);
    return y;
}
