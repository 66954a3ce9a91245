/* core/distributions/multivariate/lkj_cholesky.c: LKJCholesky(dim, concentration): the Cholesky factors of correlation
 * matrices R with a density proportional to det(R)^(concentration - 1) (Lewandowski, Kurowicka and Joe, "Generating
 * random correlation matrices based on vines and extended onion method", 2009). m->number is dim. */
#include "core/distributions/distribution_internal.h"

#define CONCENTRATION(m) (m)->parameters[0]

static const int64_t last_dim[] = {-1};


/* The Betas of the squared norms of the rows below the diagonal: (i - 1) / 2 and concentration + (dim - 1 - i) / 2 for
 * the rows i from 1; the first row has none, and takes the values of the second. */
static Distribution *row_norms(Distribution *m) {
    const t_DType dtype = CONCENTRATION(m)->dtype;
    Tensor *offset = t_clamp_min(t_arange_int64(-1, m->number - 1, 1, NULL), t_integer(0));
    offset = t_to(offset, dtype);
    Tensor *marginal = t_unsqueeze(t_add(CONCENTRATION(m), N(0.5 * (double)(m->number - 2))), -1);
    Tensor *a = t_add(offset, N(0.5)), *b = t_sub(marginal, t_mul(N(0.5), offset));
    return a && b ? distributions_Beta_new(a, b, -1) : NULL;
}

/* The onion method: a point on the sphere for each row, times the root of the row's squared norm. */
static Tensor *lkj_cholesky_sample(Distribution *m, const t_Tuple *shape, int samples) {
    const t_DType dtype = CONCENTRATION(m)->dtype;
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Distribution *beta = row_norms(m);
    Tensor *y = beta ? t_unsqueeze(tg_draw(beta, &sample_shape, false), -1) : NULL;
    Tensor *normal = y ? t_tril(tg_standard_normal(shape, dtype), -1) : NULL;
    Tensor *norm = t_sqrt(t_sum(t_pow(normal, t_integer(2)), last_dim, 1, true));
    Tensor *first = t_eq(t_arange_int64(0, m->number, 1, NULL), t_integer(0)); /* its norm is 0 */
    Tensor *sphere = t_masked_fill(t_div(normal, norm), t_unsqueeze(first, -1), N(0));
    Tensor *w = t_mul(t_sqrt(y), sphere), *used = t_sum(t_pow(w, t_integer(2)), last_dim, 1, false);
    Tensor *left = t_sqrt(t_clamp_min(t_sub(t_integer(1), used), N(tg_tiny(dtype))));
    return t_add(w, t_diag_embed(left, 0, -2, -1));
}

/* the sum over the rows i from 2 to dim of (2 (concentration - 1) + dim - i) log L_ii, minus the normalizer (page 1999
 * of the paper) */
static Tensor *lkj_cholesky_log_prob(Distribution *m, Tensor *value) {
    const int64_t dim = m->number;
    Tensor *diagonal = t_narrow(t_diagonal(value, 0, -1, -2), -1, 1, dim - 1);
    Tensor *twice = t_unsqueeze(t_mul(t_integer(2), t_sub(CONCENTRATION(m), t_integer(1))), -1);
    Tensor *order = t_sub(t_add(twice, t_integer(dim)), t_arange_int64(2, dim + 1, 1, NULL));
    Tensor *unnormalized = t_sum(t_mul(order, t_log(diagonal)), last_dim, 1, false);
    Tensor *alpha = t_add(CONCENTRATION(m), N(0.5 * (double)(dim - 1)));
    Tensor *normalizer = t_sub(t_mvlgamma(t_sub(alpha, N(0.5)), dim - 1), t_mul(t_lgamma(alpha), t_integer(dim - 1)));
    return t_sub(unnormalized, t_add(N(0.5 * (double)(dim - 1) * log(M_PI)), normalizer));
}

static const Family lkj_cholesky = {
    .name = "LKJCholesky", .parameters = {{"concentration", POSITIVE}}, .support = CORR_CHOLESKY,
    .sample = lkj_cholesky_sample, .log_prob = lkj_cholesky_log_prob};

static Distribution *lkj_cholesky_new(int64_t dim, Tensor *concentration, int validate_args) {
    if (!tg_broadcast_all(&concentration, 1)) return NULL;
    t_Tuple batch_shape = tg_shape_tuple(concentration, 0, concentration->ndim), event_shape = {{dim, dim}, 2};
    Distribution *m = tg_distribution_new(&lkj_cholesky, &batch_shape, &event_shape, validate_args);
    if (!m) return NULL;
    tg_set_distribution_parameter(m, 0, concentration);
    m->number = dim;
    return row_norms(m) ? tg_validated(m) : NULL;
}

/* torch.distributions.LKJCholesky(dim, concentration): the larger concentration is, the nearer to the identity. Errors:
 * dim below 2; concentration not above 0, which may be the error of a Beta. */
Distribution *distributions_LKJCholesky_new(int64_t dim, Tensor *concentration, int validate_args) {
    if (!tg_check(concentration, 2)) return NULL;
    if (dim < 2)
        return tg_fail("Expected dim to be an integer greater than or equal to 2. Found dim=%lld.", (long long)dim);
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? lkj_cholesky_new(dim, concentration, validate_args) : NULL);
}
