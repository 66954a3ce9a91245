/* core/distributions/multivariate/wishart.c: Wishart(df, covariance_matrix): positive definite matrices, the sums of x
 * x^T of df normal vectors x with that covariance. m->factor is the lower L with L L^T the covariance matrix. */
#include <string.h>

#include "core/distributions/distribution_internal.h"
#include "core/linalg/linalg.h"

static const int64_t last_dim[] = {-1}, last_two[] = {-2, -1};

enum { COVARIANCE, PRECISION, SCALE_TRIL, DF };

static int64_t size_of_event(const Distribution *m) {
    return m->event_shape.items[0];
}

static Tensor *with_event(Distribution *m, Tensor *matrix) {
    t_Tuple shape;
    return tg_concat(&m->batch_shape, &m->event_shape, &shape) ? tg_expand_to(matrix, &shape) : NULL;
}

static Tensor *covariance(Distribution *m) {
    return with_event(m, t_matmul(m->factor, t_mT(m->factor)));
}

static Tensor *wishart_parameter(Distribution *m, const char *name) {
    if (!strcmp(name, "scale_tril")) return with_event(m, m->factor);
    if (!strcmp(name, "covariance_matrix")) return covariance(m);
    return !strcmp(name, "precision_matrix") ? with_event(m, t_cholesky_inverse(m->factor, false)) : NULL;
}

static bool wishart_validate(Distribution *m) {
    Constraint *above = distributions_constraints_greater_than(t_integer(size_of_event(m) - 1));
    return tg_validate_parameter(m, "df", m->parameters[DF], above);
}

/* ---- sampling: Bartlett's decomposition L A A^T L^T, with normal values below the diagonal of A and on it the roots
 * of Chi2 ones with df, df - 1, ... degrees of freedom ---- */

static Tensor *bartlett(Distribution *m, const t_Tuple *sample_shape) {
    const int64_t p = size_of_event(m);
    const t_DType dtype = m->factor->dtype;
    t_Tuple shape, below = {{p * (p - 1) / 2}, 1};
    Tensor *degrees = t_sub(t_unsqueeze(m->parameters[DF], -1), t_to(t_arange_int64(0, p, 1, NULL), dtype));
    Distribution *chi2 = degrees ? distributions_Chi2_new(degrees, -1) : NULL;
    if (!chi2 || !tg_concat(sample_shape, &m->batch_shape, &shape) || !tg_concat(&shape, &below, &shape)) return NULL;
    Tensor *diagonal = t_clamp_min(t_sqrt(tg_draw(chi2, sample_shape, true)), N(tg_eps(dtype)));
    Tensor *lower = diagonal ? tg_vector_to_lower(tg_standard_normal(&shape, dtype), p) : NULL;
    Tensor *factor = t_matmul(m->factor, t_add(t_diag_embed(diagonal, 0, -2, -1), lower));
    return t_matmul(factor, t_mT(factor));
}

/* Over the batch: whether any matrix of a sample is (or, with negated, is not) positive definite. */
static Tensor *any_positive_definite(Distribution *m, Tensor *samples, bool negated) {
    static const int64_t batch_dims[] = {-1, -2, -3, -4, -5, -6, -7, -8};
    Tensor *valid = distributions_constraints_check(tg_constraint(POSITIVE_DEFINITE), samples);
    if (negated) valid = t_logical_not(valid);
    return m->batch_shape.len ? t_any(valid, batch_dims, m->batch_shape.len, false) : valid;
}

/* PyTorch 2.15 draws again where the first draw is positive definite (where it is not, it should be), up to ten times
 * until that is positive definite; this draws the same. */
static Tensor *wishart_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple sample_shape = tg_slice_tuple(shape, 0, samples);
    Tensor *x = bartlett(m, &sample_shape), *again = any_positive_definite(m, x, false);
    for (int try = 0; try < 10; try++) {
        Tensor *count = t_sum(again, NULL, 0, false), *mask = again;
        if (!count) return NULL;
        if (tg_read_int64(count) == 0) break;
        Tensor *drawn = bartlett(m, &(t_Tuple){{tg_read_int64(count)}, 1});
        for (int d = samples; d < shape->len; d++) mask = t_unsqueeze(mask, -1);
        x = t_masked_scatter(x, tg_expand_to(mask, shape), drawn);
        again = t_masked_scatter(again, again, any_positive_definite(m, drawn, true));
    }
    return x;
}

/* ---- the rest ---- */

/* p log(2) / 2 and half of the logarithm of the determinant of the covariance */
static Tensor *half_log_det_of_twice(Distribution *m) {
    return t_add(N((double)size_of_event(m) * log(2) / 2), tg_half_log_det(m->factor));
}

static Tensor *half_df(Distribution *m) {
    return t_div(m->parameters[DF], t_integer(2));
}

/* (df - p - 1) / 2 */
static Tensor *exponent(Distribution *m) {
    return t_div(t_sub(t_sub(m->parameters[DF], t_integer(size_of_event(m))), t_integer(1)), t_integer(2));
}

static Tensor *trace(Tensor *x) {
    return t_sum(t_diagonal(x, 0, -2, -1), last_dim, 1, false);
}

static Tensor *wishart_log_prob(Distribution *m, Tensor *value) {
    Tensor *of_covariance = t_mul(t_neg(m->parameters[DF]), half_log_det_of_twice(m)), *log_det = NULL;
    if (!linalg_slogdet(value, &log_det)) return NULL;
    Tensor *of_value = t_mul(exponent(m), log_det);
    Tensor *half_trace = t_div(trace(t_cholesky_solve(value, m->factor, false)), t_integer(2));
    Tensor *normalized = t_sub(of_covariance, t_mvlgamma(half_df(m), size_of_event(m)));
    return t_sub(t_add(normalized, of_value), half_trace);
}

/* the sum of digamma(df / 2 - i / 2) for i from 0 to p - 1 */
static Tensor *multivariate_digamma(Distribution *m) {
    Tensor *halves = t_div(t_to(t_arange_int64(0, size_of_event(m), 1, NULL), m->factor->dtype), t_integer(2));
    return t_sum(t_digamma(t_sub(t_unsqueeze(half_df(m), -1), halves)), last_dim, 1, false);
}

static Tensor *wishart_entropy(Distribution *m) {
    const int64_t p = size_of_event(m);
    Tensor *of_covariance = t_mul(t_integer(p + 1), half_log_det_of_twice(m));
    Tensor *sum = t_sub(t_add(of_covariance, t_mvlgamma(half_df(m), p)), t_mul(exponent(m), multivariate_digamma(m)));
    return t_add(sum, t_div(t_mul(m->parameters[DF], t_integer(p)), t_integer(2)));
}

/* a value for each distribution of the batch times a matrix */
static Tensor *times_matrix(Tensor *x, Tensor *matrix) {
    return t_mul(t_unsqueeze(t_unsqueeze(x, -1), -1), matrix);
}

static Tensor *wishart_mean(Distribution *m) {
    return times_matrix(m->parameters[DF], covariance(m));
}

/* NaN for df up to p + 1 */
static Tensor *wishart_mode(Distribution *m) {
    Tensor *factor = t_sub(t_sub(m->parameters[DF], t_integer(size_of_event(m))), t_integer(1));
    return times_matrix(t_masked_fill(factor, t_le(factor, t_integer(0)), N(NAN)), covariance(m));
}

static Tensor *wishart_variance(Distribution *m) {
    Tensor *v = covariance(m), *diagonal = t_diagonal(v, 0, -2, -1);
    Tensor *products = t_mul(t_unsqueeze(diagonal, -1), t_unsqueeze(diagonal, -2));
    return times_matrix(m->parameters[DF], t_add(t_pow(v, t_integer(2)), products));
}

static Distribution *wishart_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *new = tg_expanded(m, batch_shape);
    if (!tg_expand_parameters(m, batch_shape, new)) return NULL;
    new->factor = t_retain(m->factor);
    return new;
}

const Family tg_wishart = {
    .name = "Wishart",
    .parameters = {{"covariance_matrix", POSITIVE_DEFINITE}, {"precision_matrix", POSITIVE_DEFINITE},
                   {"scale_tril", LOWER_CHOLESKY}, {"df", DEPENDENT}},
    .support = POSITIVE_DEFINITE, .parameter = wishart_parameter, .validate = wishart_validate,
    .rsample = wishart_rsample, .log_prob = wishart_log_prob, .entropy = wishart_entropy, .mean = wishart_mean,
    .mode = wishart_mode, .variance = wishart_variance, .expand = wishart_expand};

/* ---- construction ---- */

/* Whether any df is below limit, or at it. */
/* 1, 0, or -1 on an error. */
static int any_low(Tensor *df, int64_t limit, bool or_equal) {
    Tensor *low = or_equal ? t_le(df, t_integer(limit)) : t_lt(df, t_integer(limit));
    Tensor *any = t_any(low, NULL, 0, false);
    return any ? tg_read_int64(any) != 0 : -1;
}

static Distribution *wishart_new(Tensor *df, Tensor *matrix, int kind, int validate_args) {
    static bool warned;
    t_Tuple batch_shape = tg_shape_tuple(matrix, 0, matrix->ndim - 2), full;
    t_Tuple event_shape = tg_shape_tuple(matrix, matrix->ndim - 2, matrix->ndim);
    const int64_t p = event_shape.items[1];
    if (df->wrapped_number) df = tg_full_tensor(&(t_Tuple){.len = 0}, tg_read_double(df), matrix->dtype);
    if (!df) return NULL;
    t_Tuple of_df = tg_shape_tuple(df, 0, df->ndim);
    if (!tg_broadcast_tuples(&batch_shape, &of_df, &batch_shape) || !tg_concat(&batch_shape, &event_shape, &full))
        return NULL;
    const int too_low = any_low(df, p - 1, true), low = too_low ? 0 : any_low(df, p, false);
    if (too_low < 0 || low < 0) return NULL;
    if (too_low) {
        const char *text = tg_value_text(df);
        return text ? tg_fail("Value of df=%s expected to be greater than ndim - 1 = %lld.", text, (long long)(p - 1))
                    : NULL;
    }
    if (low)
        tg_warn(&warned, "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < "
                         "ndim.");
    Distribution *m = tg_distribution_new(&tg_wishart, &batch_shape, &event_shape, validate_args);
    Tensor *expanded = m ? tg_expand_to(matrix, &full) : NULL;
    df = expanded ? tg_expand_to(df, &batch_shape) : NULL;
    if (!df) return NULL;
    tg_set_distribution_parameter(m, kind, expanded);
    tg_set_distribution_parameter(m, DF, df);
    if (!tg_validated(m)) return NULL;
    Tensor *factor = kind == SCALE_TRIL   ? matrix
                     : kind == COVARIANCE ? linalg_cholesky(matrix, false)
                                          : tg_factor_of_precision(matrix);
    if (!factor) return NULL;
    m->factor = t_retain(factor);
    return m;
}

/* torch.distributions.Wishart(df, covariance_matrix, precision_matrix, scale_tril): one of the three, (..., p, p). A df
 * that is a number is one for the whole batch, too (PyTorch's mean and others fail then). Errors: not exactly one
 * matrix; df not above p - 1; a matrix that is not symmetric and positive definite (scale_tril: lower triangular with a
 * positive diagonal). */
Distribution *distributions_Wishart_new(Tensor *df, Tensor *covariance_matrix, Tensor *precision_matrix,
                                        Tensor *scale_tril, int validate_args) {
    Tensor *given[] = {covariance_matrix, precision_matrix, scale_tril};
    int kind = 0, count = 0;
    if (!tg_check(df, 1)) return NULL;
    for (int i = COVARIANCE; i <= SCALE_TRIL; i++) {
        if (!tg_check_optional(given[i], i + 2)) return NULL;
        if (given[i]) kind = i, count++;
    }
    if (count != 1)
        return tg_fail("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.");
    if (given[kind]->ndim < 2)
        return tg_fail("scale_tril must be at least two-dimensional, with optional leading batch dimensions");
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? wishart_new(df, given[kind], kind, validate_args) : NULL);
}

/* KL(p || q), the Bregman divergence of the exponential family's log normalizer
 *   A = df (log det(covariance) + p log(2)) / 2 + mvlgamma(df / 2)
 * in the natural parameters -precision / 2 and (df - p - 1) / 2. PyTorch 2.15 has no gradient with respect to the
 * parameters of p here, and adds up the batch where it should not; this has both right. */
static Tensor *log_normalizer(Distribution *m) {
    return t_add(t_mul(m->parameters[DF], half_log_det_of_twice(m)), t_mvlgamma(half_df(m), size_of_event(m)));
}

Tensor *tg_kl_wishart(Distribution *p, Distribution *q) {
    if (!tg_same_tuple(&p->event_shape, &q->event_shape))
        return tg_fail("KL-divergence between two Wisharts with different event shapes cannot be computed");
    Tensor *p_precision = wishart_parameter(p, "precision_matrix");
    Tensor *half = t_div(t_sub(p_precision, wishart_parameter(q, "precision_matrix")), t_integer(2));
    Tensor *of_matrix = t_sum(t_mul(half, wishart_mean(p)), last_two, 2, false);
    Tensor *slope = t_add(t_mul(t_integer(2), half_log_det_of_twice(p)), multivariate_digamma(p));
    Tensor *of_df = t_mul(t_sub(half_df(q), half_df(p)), slope);
    return t_sub(t_sub(t_sub(log_normalizer(q), log_normalizer(p)), of_matrix), of_df);
}
