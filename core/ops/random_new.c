/* core/ops/random_new.c: torch.rand and its like: new tensors whose elements come from a generator. */
#include <math.h>

#include "core/kernels/distributions.h"
#include "core/ops/creation.h"
#include "core/ops/random.h"

/* ---- from a shape ---- */

static Tensor *fresh(const int64_t *shape, int ndim, const t_TensorOptions *options) {
    t_TensorOptions plain = {.size = sizeof plain, .dtype = tg_option_dtype(options, t_float32)};
    return t_empty(shape, ndim, &plain);
}

/* torch.rand(shape): uniform in [0, 1). Options: dtype float32 or float64, requires_grad, generator. */
Tensor *t_rand(const int64_t *shape, int ndim, const t_TensorOptions *options) {
    Tensor *x = fresh(shape, ndim, options);
    return x ? tg_finish(t_uniform_(x, 0, 1, options ? options->generator : NULL), options) : NULL;
}

/* torch.randn(shape): normal with mean 0 and variance 1. */
Tensor *t_randn(const int64_t *shape, int ndim, const t_TensorOptions *options) {
    Tensor *x = fresh(shape, ndim, options);
    return x ? tg_finish(t_normal_(x, 0, 1, options ? options->generator : NULL), options) : NULL;
}

/* torch.randint(low, high, shape): whole numbers in [low, high); dtype int64. Error: low >= high. */
Tensor *t_randint(int64_t low, int64_t high, const int64_t *shape, int ndim, const t_TensorOptions *options) {
    if (low >= high)
        return tg_fail("random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld", (long long)low,
                       (long long)high);
    t_TensorOptions whole = {.size = sizeof whole, .dtype = t_int64};
    tg_MT19937 *engine = tg_engine(options ? options->generator : NULL);
    Tensor *x = engine ? t_empty(shape, ndim, &whole) : NULL;
    Tensor *y = x ? t_to(x, tg_option_dtype(options, t_int64)) : NULL; /* allocated before a word is drawn */
    if (!y) return NULL;
    tg_fill_randint(engine, tg_data(x), tg_numel(x), low, high);
    if (y != x) tg_copy_into(y, x);
    return tg_finish(y, options);
}

/* torch.randperm(n): 0 to n - 1 shuffled; dtype int64. Error: n < 0. */
Tensor *t_randperm(int64_t n, const t_TensorOptions *options) {
    t_TensorOptions whole = {.size = sizeof whole, .dtype = t_int64};
    tg_MT19937 *engine = tg_engine(options ? options->generator : NULL);
    Tensor *x = engine ? t_empty(&n, 1, &whole) : NULL;
    Tensor *y = x ? t_to(x, tg_option_dtype(options, t_int64)) : NULL;
    if (!y) return NULL;
    tg_randperm(engine, tg_data(x), n);
    if (y != x) tg_copy_into(y, x);
    return tg_finish(y, options);
}

/* ---- like another tensor: its shape and layout ---- */

static Tensor *template(Tensor *x, const t_TensorOptions *options) {
    return tg_check(x, 1) ? tg_empty_like(x, tg_option_dtype(options, x->dtype)) : NULL;
}

static bool is_real(const Tensor *y, const char *name) {
    return tg_is_floating(y->dtype) || tg_not_implemented(name, y->dtype);
}

/* What `fill` made of y; y is gone where it failed. */
static Tensor *filled(Tensor *y, Tensor *done, const t_TensorOptions *options) {
    if (y && !done) t_release(tg_take(y));
    return done ? tg_finish(done, options) : NULL;
}

/* torch.rand_like(x), torch.randn_like(x), torch.randint_like(x, low, high): x's shape, dtype and layout unless the options say
 * another dtype. */
Tensor *t_rand_like_of_(Tensor *x, const t_TensorOptions *options) {
    Tensor *y = template(x, options);
    bool ok = y && is_real(y, "check_uniform_bounds");
    return filled(y, ok ? t_uniform_(y, 0, 1, options ? options->generator : NULL) : NULL, options);
}

Tensor *t_randn_like_of_(Tensor *x, const t_TensorOptions *options) {
    Tensor *y = template(x, options);
    bool ok = y && is_real(y, "normal_kernel_cpu");
    return filled(y, ok ? t_normal_(y, 0, 1, options ? options->generator : NULL) : NULL, options);
}

Tensor *t_rand_like(Tensor *x) {
    return t_rand_like_of_(x, NULL);
}

Tensor *t_randn_like(Tensor *x) {
    return t_randn_like_of_(x, NULL);
}

Tensor *t_randint_like(Tensor *x, int64_t low, int64_t high, const t_TensorOptions *options) {
    Tensor *y = template(x, options);
    return filled(y, y ? t_random_(y, low, high, options ? options->generator : NULL) : NULL, options);
}

/* ---- bernoulli ---- */

static void bernoulli_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}
static const Op bernoulli_op = {"bernoulli", "BernoulliBackward0", bernoulli_backward};

static const Op bernoulli_p_op = {"bernoulli", "NotImplemented", tg_no_derivative};

static Tensor *draw(Tensor *p, tg_MT19937 *engine) {
    Tensor *y = tg_empty(p->shape, p->ndim, p->dtype);
    if (!y) return NULL;
    tg_copy_into(y, p);
    for (int64_t i = 0, n = tg_numel(y); i < n; i++) {
        double at = tg_real_at(y, i);
        if (!(at >= 0 && at <= 1)) return tg_fail("Expected p_in >= 0 && p_in <= 1 to be true, but got p=%g", at);
    }
    if (y->dtype == t_float64) tg_fill_bernoulli_tensor_f64(engine, tg_data(y), tg_data(y), tg_numel(y));
    else tg_fill_bernoulli_tensor_f32(engine, tg_data(y), tg_data(y), tg_numel(y));
    return y;
}

static Tensor *bernoulli_of(Tensor *p, t_Generator *generator) {
    tg_MT19937 *engine = tg_engine(generator);
    if (!engine) return NULL;
    if (!tg_is_floating(p->dtype)) return tg_not_implemented("bernoulli_tensor_cpu_self_", p->dtype);
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(draw(p, engine)) : NULL;
    t_scope_close(depth);
    return tg_record(&bernoulli_op, y, INPUTS(p), NONE, NONE);
}

/* torch.bernoulli(x): 1 with the probability that x holds at that element, else 0. The gradient is 0. Error: one outside
 * [0, 1]. torch.bernoulli(x, p): of x's shape and dtype, 1 with probability p everywhere; p NAN: not given. PyTorch refuses
 * the gradient of that form, and so do we. */
Tensor *t_bernoulli(Tensor *x, double p, t_Generator *generator) {
    if (!tg_check(x, 1)) return NULL;
    if (isnan(p)) return bernoulli_of(x, generator);
    if (!(p >= 0 && p <= 1)) return tg_fail("bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    Tensor *y = tg_engine(generator) ? tg_empty(x->shape, x->ndim, x->dtype) : NULL;
    return y ? tg_record(&bernoulli_p_op, t_bernoulli_(y, p, generator), INPUTS(x), NONE, NONE) : NULL;
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
    Tensor *least = tg_numel(std) ? t_amin(std, NULL, 0, false) : std;
    if (!least || least == std) return least != NULL;
    return !(tg_read_double(least) < 0) || tg_fail("normal expects all elements of std >= 0.0");
}

/* z std + mean, rounded twice as in PyTorch, where z comes in the order of memory. */
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

/* torch.normal(mean, std): normal numbers, each with its own mean and std; either may be a number (t_number), not both. The
 * two broadcast; the dtype is mean's. Both gradients are 0. torch.normal(mean, std, size): two numbers and a shape; ndim is -1
 * where there is none. Errors: a negative std; integers. */
Tensor *t_normal(Tensor *mean, Tensor *std, const int64_t *shape, int ndim, const t_TensorOptions *options) {
    if (!tg_check_two(mean, std)) return NULL;
    t_Generator *generator = options ? options->generator : NULL;
    if (ndim >= 0 && (!mean->wrapped_number || !std->wrapped_number)) return tg_fail("normal with a size takes two numbers");
    if (ndim >= 0) {
        Tensor *x = fresh(shape, ndim, options);
        return filled(x, x ? t_normal_(x, tg_read_double(mean), tg_read_double(std), generator) : NULL, options);
    }
    if (mean->wrapped_number && std->wrapped_number) return tg_fail("normal of two numbers wants a size");
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(scaled(mean, std, generator));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    const Op *op = mean->wrapped_number ? &normal_of_std_op : std->wrapped_number ? &normal_of_mean_op : &normal_of_both_op;
    return tg_record(op, y, INPUTS(mean, std), NONE, NONE);
}
