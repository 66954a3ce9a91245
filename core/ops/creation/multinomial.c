/* core/ops/creation/multinomial.c: torch.multinomial. */
#include <math.h>

#include "core/kernels/random/multinomial.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* Checks the weights; x is contiguous, n weights per row. The errors depend on PyTorch's algorithm: with
 * `exponential_race` it draws by an exponential race (no replacement, or one sample). */
static bool check_weights(const Tensor *x, int64_t n, bool exponential_race) {
    for (int64_t at = 0; exponential_race && at < tg_numel(x); at++) {
        const double p = tg_real_at(x, at);
        if (!(p >= 0 && p < INFINITY)) return tg_fail("probability tensor contains either `inf`, `nan` or element < 0");
    }
    for (int64_t row = 0; row < tg_numel(x); row += n) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double p = tg_real_at(x, row + i);
            if (!(p >= 0)) return tg_fail("invalid multinomial distribution (encountering probability entry < 0)");
            if (p == INFINITY)
                return tg_fail("invalid multinomial distribution (encountering probability entry = infinity or NaN)");
            sum += p;
        }
        if (!(sum > 0)) return tg_fail("invalid multinomial distribution (sum of probabilities <= 0)");
    }
    return true;
}

static Tensor *sample(Tensor *x, int64_t k, bool replacement, tg_MT19937 *engine) {
    int64_t n = x->shape[x->ndim - 1], rows = n ? tg_numel(x) / n : 0;
    if (n == 0 && (x->ndim == 1 || x->shape[0]))
        return tg_fail("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    if (!(x = t_contiguous(t_detach(x))) || !check_weights(x, n, !replacement || k == 1)) return NULL;
    int64_t shape[] = {rows, k};
    Tensor *y = tg_empty(x->ndim == 2 ? shape : shape + 1, x->ndim, t_int64);
    double *scratch = y ? tg_alloc_raw((size_t)n * sizeof *scratch) : NULL;
    if (!scratch) return NULL;
    for (int64_t row = 0; row < rows; row++) {
        int64_t *out = (int64_t *)tg_data(y) + row * k;
        if (x->dtype == t_float64)
            tg_multinomial_f64(engine, (double *)tg_data(x) + row * n, n, scratch, out, k, replacement);
        else tg_multinomial_f32(engine, (float *)tg_data(x) + row * n, n, scratch, out, k, replacement);
    }
    tg_free(scratch, (size_t)n * sizeof *scratch);
    return y;
}

/* torch.multinomial(x, num_samples, replacement): indices drawn with the weights of x: (n) -> (num_samples), (rows,
 * n) -> (rows, num_samples), int64. Weights need not sum to 1. Errors: more samples than weights without
 * replacement, negative or infinite weights, all weights 0, another rank, integers. No gradient. Without
 * replacement, categories with the same score (those of weight 0; some of many thousand float32 ones) come in index
 * order; in PyTorch their order depends on its sort. */
Tensor *t_multinomial(Tensor *x, int64_t num_samples, bool replacement, t_Generator *generator) {
    if (tg_is_narrow_tensor(x)) return t_multinomial(tg_widened(x), num_samples, replacement, generator);
    tg_MT19937 *engine = tg_check(x, 1) ? tg_engine(generator) : NULL;
    if (!engine) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("multinomial only supports floating-point dtypes for input, got: %s", tg_scalar_name(x->dtype));
    if (x->ndim < 1 || x->ndim > 2) return tg_fail("prob_dist must be 1 or 2 dim");
    if (num_samples <= 0) return tg_fail("cannot sample n_sample <= 0 samples");
    if (!replacement && num_samples > x->shape[x->ndim - 1])
        return tg_fail("cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    if (x->shape[x->ndim - 1] > 1 << 24) return tg_fail("number of categories cannot exceed 2^24");
    int depth = t_scope_open();
    Tensor *y = depth ? sample(x, num_samples, replacement, engine) : NULL;
    return tg_scope_return(depth, y);
}
