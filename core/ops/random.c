/* core/ops/random.c: generators, and tensors filled from them in PyTorch's order: the order of memory. */
#include <math.h>
#include <time.h>

#include "core/kernels/distributions.h"
#include "core/ops/creation.h"
#include "core/ops/random.h"

/* ---- generators ---- */

static void generator_destroy(void *object) {
    tg_object_dispose(object);
    tg_object_free(object, sizeof(t_Generator));
}

static const t_Class generator_class = {"Generator", generator_destroy};

static t_Generator *generator_new(uint64_t seed) {
    t_Generator *g = tg_alloc(sizeof *g);
    if (!g) return NULL;
    tg_object_init(&g->object, &generator_class);
    tg_mt_seed(&g->engine, seed);
    return g;
}

/* torch.Generator(): owned by the scope like every object. */
t_Generator *t_generator(void) {
    return generator_new(TG_MT_DEFAULT_SEED);
}

t_Generator *t_default_generator(void) {
    Context *thread = tg_context();
    if (!thread->generator) {
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        uint64_t seed = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now;
        thread->generator = tg_take(generator_new(seed));
    }
    return thread->generator;
}

tg_MT19937 *tg_engine(t_Generator *generator) {
    if (!generator) generator = t_error() ? NULL : t_default_generator();
    if (!generator) return NULL;
    if (generator->object.is_a == &generator_class) return &generator->engine;
    return tg_fail("the generator argument is not a live generator");
}

/* generator.manual_seed(seed): only the low 32 bits count; the normal that waits in the cache is dropped. */
bool t_generator_manual_seed(t_Generator *generator, int64_t seed) {
    tg_MT19937 *engine = generator ? tg_engine(generator) : NULL;
    if (!engine) return t_error() ? false : tg_fail("argument 1 is NULL where a generator is expected") != NULL;
    tg_mt_seed(engine, (uint64_t)seed);
    return true;
}

void t_manual_seed(int64_t seed) {
    t_Generator *generator = t_default_generator();
    if (generator) tg_mt_seed(&generator->engine, (uint64_t)seed);
}

int64_t t_random_int64(t_Generator *generator) {
    tg_MT19937 *engine = tg_engine(generator);
    return engine ? tg_mt_random_i64(engine) : -1;
}

/* ---- filling ---- */

typedef struct Fill {
    tg_MT19937 *engine;
    double a, b; /* from and to, mean and std, or p */
    void (*f32)(tg_MT19937 *, float *, int64_t, double, double);
    void (*f64)(tg_MT19937 *, double *, int64_t, double, double);
} Fill;

static void fill_run(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Fill *fill = context;
    bool is_float = fill->f32 != NULL;
    int64_t item = is_float ? sizeof(float) : sizeof(double);
    if (s[0] == item || n == 1) {
        if (is_float) fill->f32(fill->engine, (float *)p[0], n, fill->a, fill->b);
        else fill->f64(fill->engine, (double *)p[0], n, fill->a, fill->b);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (is_float) fill->f32(fill->engine, (float *)(p[0] + i * s[0]), 1, fill->a, fill->b);
        else fill->f64(fill->engine, (double *)(p[0] + i * s[0]), 1, fill->a, fill->b);
}

/* Fills x in the order of memory. A dense x is one run whatever its strides say, as in PyTorch. */
static void fill_in_memory_order(Tensor *x, Fill fill) {
    if (x->dtype == t_float64) fill.f32 = NULL;
    tg_run(fill_run, x, NULL, 0, 0, &fill);
}

/* Inputs: x before, whose gradient ends here with zeros, and the zeros that stand for the new values' history. */
static void random_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    if (tg_needs(r, 0)) dx[0] = tg_zeros_like_input(r, 0);
}
static const Op uniform_op = {"uniform_", "UniformBackward0", random_backward};
static const Op normal_op = {"normal_", "NormalBackward0", random_backward};
static const Op bernoulli_inplace_op = {"bernoulli_", "BernoulliBackward2", random_backward};

static bool end_history(Tensor *x, const Op *op) {
    int depth = t_scope_open();
    Tensor *zero = depth ? t_number(0) : NULL, *zeros = zero ? t_expand(zero, x->shape, x->ndim) : NULL;
    bool ok = zeros && tg_rebase(x, zeros, op);
    t_scope_close(depth);
    return ok;
}

static Tensor *fill_inplace(Tensor *x, const char *name, const Op *op, t_Generator *generator, Fill fill) {
    fill.engine = tg_engine(generator);
    if (!fill.engine || !tg_check_inplace(x)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented(name, x->dtype);
    Tensor *owner = x->base ? x->base : x;
    if (tg_will_record(&owner, 1) && !end_history(x, op)) return NULL;
    fill_in_memory_order(x, fill);
    tg_bump(x);
    return x;
}

/* x.uniform_(from, to): [from, to). Error: from > to. */
Tensor *t_uniform_(Tensor *x, double from, double to, t_Generator *generator) {
    if (!tg_check(x, 1)) return NULL;
    if (!(from <= to))
        return tg_fail("uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to);
    return fill_inplace(x, "check_uniform_bounds", &uniform_op, generator,
                        (Fill){.a = from, .b = to, .f32 = tg_fill_uniform_f32, .f64 = tg_fill_uniform_f64});
}

/* x.normal_(mean, std). A contiguous x of 16 elements or more takes the block algorithm, any other the one-by-one one (see
 * kernels/distributions.h). Error: std < 0. */
static void normal_one_f32(tg_MT19937 *g, float *out, int64_t n, double mean, double std) {
    for (int64_t i = 0; i < n; i++) out[i] = (float)fma(tg_mt_normal(g), std, mean);
}

static void normal_one_f64(tg_MT19937 *g, double *out, int64_t n, double mean, double std) {
    for (int64_t i = 0; i < n; i++) out[i] = fma(tg_mt_normal(g), std, mean);
}

Tensor *t_normal_(Tensor *x, double mean, double std, t_Generator *generator) {
    if (!tg_check(x, 1)) return NULL;
    if (!(std >= 0)) return tg_fail("normal expects std >= 0.0, but found std %g", std);
    Fill block = {.a = mean, .b = std, .f32 = tg_fill_normal_f32, .f64 = tg_fill_normal_f64};
    Fill one_by_one = {.a = mean, .b = std, .f32 = normal_one_f32, .f64 = normal_one_f64};
    return fill_inplace(x, "normal_kernel_cpu", &normal_op, generator, tg_is_contiguous(x) ? block : one_by_one);
}

/* x.bernoulli_(p): 1 with probability p, else 0. Error: p outside [0, 1]. */
static void bernoulli_f32(tg_MT19937 *g, float *out, int64_t n, double p, double unused) {
    (void)unused;
    tg_fill_bernoulli_f32(g, out, n, p);
}

static void bernoulli_f64(tg_MT19937 *g, double *out, int64_t n, double p, double unused) {
    (void)unused;
    tg_fill_bernoulli_f64(g, out, n, p);
}

Tensor *t_bernoulli_(Tensor *x, double p, t_Generator *generator) {
    if (!tg_check(x, 1)) return NULL;
    if (!(p >= 0 && p <= 1)) return tg_fail("bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    return fill_inplace(x, "bernoulli_scalar_cpu_", &bernoulli_inplace_op, generator,
                        (Fill){.a = p, .f32 = bernoulli_f32, .f64 = bernoulli_f64});
}

/* torch.bernoulli(p): 1 with the probability at that element. The gradient is 0. Error: one outside [0, 1]. */
static void bernoulli_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}
static const Op bernoulli_op = {"bernoulli", "BernoulliBackward0", bernoulli_backward};

static Tensor *draw(Tensor *p, tg_MT19937 *engine) {
    Tensor *y = tg_empty(p->shape, p->ndim, p->dtype);
    if (!y) return NULL;
    tg_copy_into(y, p);
    for (int64_t i = 0, n = tg_numel(y); i < n; i++) {
        double at = y->dtype == t_float64 ? ((double *)tg_data(y))[i] : (double)((float *)tg_data(y))[i];
        if (!(at >= 0 && at <= 1)) return tg_fail("Expected p_in >= 0 && p_in <= 1 to be true, but got p=%g", at);
    }
    if (y->dtype == t_float64) tg_fill_bernoulli_tensor_f64(engine, tg_data(y), tg_data(y), tg_numel(y));
    else tg_fill_bernoulli_tensor_f32(engine, tg_data(y), tg_data(y), tg_numel(y));
    return y;
}

Tensor *t_bernoulli(Tensor *p, t_Generator *generator) {
    tg_MT19937 *engine = tg_check(p, 1) ? tg_engine(generator) : NULL;
    if (!engine) return NULL;
    if (!tg_is_floating(p->dtype)) return tg_not_implemented("bernoulli_tensor_cpu_self_", p->dtype);
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(draw(p, engine)) : NULL;
    t_scope_close(depth);
    return tg_record(&bernoulli_op, y, INPUTS(p), NONE, NONE);
}

/* ---- new tensors ---- */

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

static bool new_like(Tensor *x, const char *name) {
    return tg_check(x, 1) && (tg_is_floating(x->dtype) || tg_not_implemented(name, x->dtype));
}

/* torch.rand_like(x), torch.randn_like(x): x's shape, dtype and layout. */
Tensor *t_rand_like(Tensor *x) {
    return new_like(x, "check_uniform_bounds") ? t_uniform_(t_empty_like(x), 0, 1, NULL) : NULL;
}

Tensor *t_randn_like(Tensor *x) {
    return new_like(x, "normal_kernel_cpu") ? t_normal_(t_empty_like(x), 0, 1, NULL) : NULL;
}
