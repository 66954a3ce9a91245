/* core/ops/creation/random.c: uniform_, normal_, bernoulli_, exponential_, geometric_, cauchy_, log_normal_, random_:
 * tensors filled from a generator, in memory order as in PyTorch. */
#include <float.h>
#include <math.h>

#include "core/kernels/random/distributions.h"
#include "core/ops/creation/creation_internal.h"
#include "core/ops/creation/random_internal.h"
#include "core/tensor/dtype_convert.h"

/* ---- filling ---- */

typedef struct Fill {
    tg_MT19937 *engine;
    double a, b; /* from and to, mean and std, or p */
    void (*f32)(tg_MT19937 *, float *, int64_t, double, double); /* a block at once, or */
    void (*f64)(tg_MT19937 *, double *, int64_t, double, double);
    double (*real)(const struct Fill *fill);                     /* one element at a time, for any dtype, or */
    int64_t (*integer)(const struct Fill *fill);
    uint64_t range;                                              /* of `integer`, whose values start at `from` */
    int64_t from;
    t_DType drawn_for; /* the dtype of x, for integer() */
    t_DType dtype;
} Fill;

static void fill_elements(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Fill *fill = context;
    for (int64_t i = 0; i < n; i++) {
        char *to = p[0] + i * s[0];
        int64_t integer = fill->integer ? fill->integer(fill) : 0;
        double real = fill->real ? fill->real(fill) : (double)integer;
        switch (fill->dtype) {
        case t_bool: *(bool *)to = real != 0; break;
        case t_int64: *(int64_t *)to = fill->real ? (int64_t)real : integer; break;
        case t_float32: *(float *)to = fill->real ? (float)real : (float)integer; break;
        default: *(double *)to = real; break;
        }
    }
}

static void fill_block(int64_t n, char *const *p, const int64_t *s, const void *context) {
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

/* Fills x in memory order. A dense x is one block whatever its strides are, as in PyTorch. */
static void fill_in_memory_order(Tensor *x, Fill fill) {
    fill.dtype = x->dtype;
    if (x->dtype == t_float64) fill.f32 = NULL;
    tg_run(fill.real || fill.integer ? fill_elements : fill_block, x, NULL, 0, 0, &fill);
}

/* Inputs: the old x, whose gradient is 0, and zeros in place of a history of the new values. */
static void random_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    if (tg_needs(r, 0)) dx[0] = tg_zeros_like_input(r, 0);
}
static const Op uniform_op = {"uniform_", "UniformBackward0", random_backward};
static const Op normal_op = {"normal_", "NormalBackward0", random_backward};
static const Op bernoulli_inplace_op = {"bernoulli_", "BernoulliBackward2", random_backward};
static const Op exponential_op = {"exponential_", "ExponentialBackward0", random_backward};
static const Op geometric_op = {"geometric_", "GeometricBackward0", random_backward};
static const Op cauchy_op = {"cauchy_", "CauchyBackward0", random_backward};
static const Op log_normal_op = {"log_normal_", "LogNormalBackward0", random_backward};
static const Op random_op = {"random_", "RandomBackward2", random_backward};
static const Op random_to_op = {"random_", "RandomBackward1", random_backward};
static const Op random_from_op = {"random_", "RandomBackward0", random_backward};

static bool rebase_to_zeros(Tensor *x, const Op *op) {
    int depth = t_scope_open();
    Tensor *zero = depth ? t_number(0) : NULL, *zeros = zero ? t_expand(zero, x->shape, x->ndim) : NULL;
    bool ok = zeros && tg_rebase_history(x, zeros, op);
    t_scope_close(depth);
    return ok;
}

/* name: PyTorch's kernel name in the error for integers, NULL if they are allowed. */
static Tensor *fill_inplace(Tensor *x, const char *name, const Op *op, t_Generator *generator, Fill fill) {
    fill.engine = tg_engine(generator);
    if (!fill.engine || !tg_check_inplace(x)) return NULL;
    if (name && !tg_is_floating(x->dtype)) return tg_not_implemented(name, x->dtype);
    Tensor *owner = x->base ? x->base : x;
    fill.drawn_for = x->dtype;
    /* of a narrow dtype: drawn in the wide one, then rounded (floating) or cut to the low bits (integers) */
    Tensor *drawn = tg_is_narrow(x->dtype) ? tg_empty_like(x, tg_wide(x->dtype)) : x;
    const bool ok = drawn && (!tg_will_record(&owner, 1) || rebase_to_zeros(x, op));
    if (ok) {
        fill_in_memory_order(drawn, fill);
        if (drawn != x) tg_copy_into(x, drawn);
        tg_bump_version(x);
    }
    if (drawn && drawn != x) t_release(tg_take_from_scope(drawn));
    return ok ? x : NULL;
}

static bool check_uniform_bounds(double from, double to, t_DType dtype) {
    const double largest = tg_largest(dtype);
    if (!(fabs(from) <= largest)) return tg_fail("from is out of bounds for %s", tg_c_type_name(dtype));
    if (!(fabs(to) <= largest)) return tg_fail("to is out of bounds for %s", tg_c_type_name(dtype));
    if (from > to) return tg_fail("uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to);
    return to - from <= largest || tg_fail("uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found "
                                           "to=%g and from=%g which result in to-from to exceed the limit",
                                           tg_scalar_name(dtype), to, from);
}

/* x.uniform_(from, to): uniform in [from, to). Floating. As for all functions here the gradient of the old x is 0.
 * Errors: integers; from > to; from, to or to - from out of range of x's dtype. */
Tensor *t_uniform_(Tensor *x, double from, double to, t_Generator *generator) {
    if (!tg_check_any(x, 1) || (tg_is_floating(x->dtype) && !check_uniform_bounds(from, to, x->dtype))) return NULL;
    return fill_inplace(x, "check_uniform_bounds", &uniform_op, generator,
                        (Fill){.a = from, .b = to, .f32 = tg_fill_uniform_f32, .f64 = tg_fill_uniform_f64});
}

static void normal_one_f32(tg_MT19937 *g, float *out, int64_t n, double mean, double std) {
    for (int64_t i = 0; i < n; i++) out[i] = (float)fma(tg_mt_normal(g), std, mean);
}

static void normal_one_f64(tg_MT19937 *g, double *out, int64_t n, double mean, double std) {
    for (int64_t i = 0; i < n; i++) out[i] = fma(tg_mt_normal(g), std, mean);
}

/* Of float16 and bfloat16, drawn in float32: PyTorch draws for the complete blocks of 16 alone, then for the last 16
 * elements again, if there is a rest. */
static void normal_half(tg_MT19937 *g, float *out, int64_t n, double mean, double std) {
    const int64_t complete = n < 16 ? n : n - n % 16;
    tg_fill_normal_f32(g, out, complete, mean, std);
    if (n > complete) tg_fill_normal_f32(g, out + n - 16, 16, mean, std);
}

/* x.normal_(mean, std): normal values. Floating. A contiguous x of 16 elements or more uses the block algorithm, any
 * other the sequential one (see kernels/random/distributions.h). Errors: integers, std < 0. */
Tensor *t_normal_(Tensor *x, double mean, double std, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(std >= 0)) return tg_fail("normal expects std >= 0.0, but found std %g", std);
    Fill block = {.a = mean, .b = std, .f32 = tg_is_half(x->dtype) ? normal_half : tg_fill_normal_f32,
                  .f64 = tg_fill_normal_f64};
    Fill elementwise = {.a = mean, .b = std, .f32 = normal_one_f32, .f64 = normal_one_f64};
    return fill_inplace(x, "normal_kernel_cpu", &normal_op, generator, tg_is_contiguous(x) ? block : elementwise);
}

static void bernoulli_f32(tg_MT19937 *g, float *out, int64_t n, double p, double unused) {
    (void)unused;
    tg_fill_bernoulli_f32(g, out, n, p);
}

static void bernoulli_f64(tg_MT19937 *g, double *out, int64_t n, double p, double unused) {
    (void)unused;
    tg_fill_bernoulli_f64(g, out, n, p);
}

static double bernoulli_each(const Fill *fill) {
    return tg_mt_double(fill->engine) < fill->a;
}

/* x.bernoulli_(p): 1 with probability p, else 0. Any dtype. Error: p outside [0, 1]. */
Tensor *t_bernoulli_(Tensor *x, double p, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(p >= 0 && p <= 1)) return tg_fail("bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    Fill integer = {.a = p, .real = bernoulli_each}, real = {.a = p, .f32 = bernoulli_f32, .f64 = bernoulli_f64};
    return fill_inplace(x, NULL, &bernoulli_inplace_op, generator, tg_is_floating(x->dtype) ? real : integer);
}

/* ---- exponential, geometric, Cauchy, log-normal ---- */

static double geometric(const Fill *fill) {
    return ceil(log(tg_mt_double(fill->engine)) / log(1 - fill->a));
}

static double cauchy(const Fill *fill) {
    return fma(tan(M_PI * (tg_mt_double(fill->engine) - 0.5)), fill->b, fill->a);
}

static double log_normal(const Fill *fill) {
    return exp(fma(tg_mt_normal(fill->engine), fill->b, fill->a));
}

static void exponential_f64(tg_MT19937 *g, double *out, int64_t n, double lambd, double unused) {
    const double scale = -1.0 / lambd;
    (void)unused;
    tg_fill_uniform_f64(g, out, n, 0, 1);
    for (int64_t i = 0; i < n; i++) out[i] = scale * log1p(-out[i]);
}

static void exponential_f32(tg_MT19937 *g, float *out, int64_t n, double lambd, double unused) {
    enum { CHUNK = 256 };
    double wide[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        const int64_t count = n - i < CHUNK ? n - i : CHUNK;
        exponential_f64(g, wide, count, lambd, unused);
        for (int64_t j = 0; j < count; j++) out[i + j] = (float)wide[j];
    }
}

/* x.exponential_(lambd): density lambd exp(-lambd x): -log(1 - U) / lambd. Error: lambd not above 0. */
Tensor *t_exponential_(Tensor *x, double lambd, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(lambd > 0)) return tg_fail("exponential_ expects lambda > 0.0, but found lambda=%g", lambd);
    if (!tg_is_floating(x->dtype))
        return tg_fail("Exponential distribution is a continuous probability distribution. dtype must be a floating "
                       "point but you specified %s",
                       tg_scalar_name(x->dtype));
    return fill_inplace(x, NULL, &exponential_op, generator,
                        (Fill){.a = lambd, .f32 = exponential_f32, .f64 = exponential_f64});
}

/* x.geometric_(p): the number of trials up to the first success: 1, 2, ... Any dtype. Error: p not between 0 and 1. */
Tensor *t_geometric_(Tensor *x, double p, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(p > 0 && p < 1)) return tg_fail("geometric_ expects p to be in (0, 1), but got p=%g", p);
    return fill_inplace(x, NULL, &geometric_op, generator, (Fill){.a = p, .real = geometric});
}

/* x.cauchy_(median, sigma): median + sigma tan(pi (U - 1/2)). Error: sigma not above 0. */
Tensor *t_cauchy_(Tensor *x, double median, double sigma, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(sigma > 0)) return tg_fail("cauchy_ expects sigma > 0.0, but found sigma=%g", sigma);
    if (!tg_is_floating(x->dtype))
        return tg_fail("Cauchy distribution is a continuous probability distribution. dtype must be a floating point "
                       "but you specified %s",
                       tg_c_type_name(x->dtype));
    return fill_inplace(x, NULL, &cauchy_op, generator, (Fill){.a = median, .b = sigma, .real = cauchy});
}

/* x.log_normal_(mean, std): exp of a normal value, drawn sequentially. Error: std not above 0. */
Tensor *t_log_normal_(Tensor *x, double mean, double std, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(std > 0)) return tg_fail("log_normal_ expects std > 0.0, but found std=%g", std);
    return fill_inplace(x, "log_normal_cpu", &log_normal_op, generator,
                        (Fill){.a = mean, .b = std, .real = log_normal});
}

/* ---- integers ---- */

static int64_t integer_in_range(const Fill *fill) {
    uint64_t output = fill->range == 0 || fill->range >> 28 ? tg_mt_uint64(fill->engine) : tg_mt_uint32(fill->engine);
    return (int64_t)((fill->range ? output % fill->range : output) + (uint64_t)fill->from);
}

/* Without bounds int64 gets 63 bits, the other dtypes all integers from 0 that they represent exactly: float64 from a
 * 64-bit output, the others from a 32-bit one. */
static int64_t any_integer(const Fill *fill) {
    const t_DType dtype = fill->drawn_for;
    switch (dtype) {
    case t_int64: return tg_mt_random_i64(fill->engine);
    case t_float16: return tg_mt_uint32(fill->engine) % ((1 << 11) + 1);
    case t_bfloat16: return tg_mt_uint32(fill->engine) % ((1 << 8) + 1);
    case t_float32: return tg_mt_uint32(fill->engine) % ((1 << 24) + 1);
    case t_float64: return (int64_t)(tg_mt_uint64(fill->engine) % ((UINT64_C(1) << 53) + 1));
    default: return tg_mt_uint32(fill->engine) & (dtype == t_bool ? 1 : (uint32_t)tg_largest(dtype));
    }
}

/* The spacing of the floating dtype at a bound that it cannot represent, so that no value is rounded up to the
 * bound. */
static int64_t spacing_at(uint64_t bound, int digits) {
    int exponent = 63 - __builtin_clzll(bound | 1);
    return INT64_C(1) << (exponent - digits + 1);
}

static int64_t rounded_bound(int64_t bound, t_DType dtype) {
    double value = (double)bound;
    if (dtype != t_float64) {
        char element[sizeof(double)];
        tg_set_element(dtype, element, value);
        value = tg_element_as_double(dtype, element);
    }
    return value >= 0x1p63 ? INT64_MAX : (int64_t)value;
}

static void fit_bounds(t_DType dtype, int64_t *from, int64_t *to) {
    int digits = dtype == t_float64 ? 53 : dtype == t_float32 ? 24 : dtype == t_float16 ? 11 : 8;
    if (!tg_is_floating(dtype)) return;
    if (*from < INT64_MAX && rounded_bound(*from + 1, dtype) < *from)
        *from = rounded_bound(*from + 1, dtype) + spacing_at(0 - (uint64_t)(*from + 1), digits);
    if (rounded_bound(*to - 1, dtype) >= *to)
        *to = rounded_bound(*to - 1, dtype) - spacing_at((uint64_t)(*to - 1), digits);
}

bool tg_check_random_bounds(t_DType dtype, int64_t first, int64_t last) {
    if (tg_is_floating(dtype) || dtype == t_int64) return true;
    const double largest = dtype == t_bool ? 1 : tg_largest(dtype);
    const double lowest = dtype == t_bool || dtype == t_uint8 ? 0 : -largest - 1;
    if ((double)first < lowest || (double)first > largest)
        return tg_fail("from is out of bounds for %s", tg_c_type_name(dtype));
    return ((double)last >= lowest && (double)last <= largest) ||
           tg_fail("to - 1 is out of bounds for %s", tg_c_type_name(dtype));
}

/* x.random_(from, to): integers in [from, to), in x's dtype; T_NONE for both: all integers from 0 that the dtype
 * represents. Bounds that a floating dtype cannot represent are moved inwards. Errors: from >= to; outside 0 and 1
 * for bool. */
Tensor *t_random_(Tensor *x, int64_t from, int64_t to, t_Generator *generator) {
    if (!tg_check_any(x, 1)) return NULL;
    if (to == T_NONE) return fill_inplace(x, NULL, &random_op, generator, (Fill){.integer = any_integer});
    const Op *op = from == T_NONE ? &random_to_op : &random_from_op;
    if (from == T_NONE) from = 0;
    if (from >= to)
        return tg_fail("random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld", (long long)from,
                       (long long)to);
    if (!tg_check_random_bounds(x->dtype, from, to - 1)) return NULL;
    fit_bounds(x->dtype, &from, &to);
    Fill fill = {.integer = integer_in_range, .from = from, .range = (uint64_t)to - (uint64_t)from};
    return fill_inplace(x, NULL, op, generator, fill);
}
