/* core/distributions/multivariate/low_rank_multivariate_normal.c: LowRankMultivariateNormal(loc, cov_factor, cov_diag):
 * a normal vector with the covariance W W^T + D, W (n, m) for an m much smaller than n and D diagonal. Everything goes
 * through the m x m matrix C = I + W^T D^-1 W, whose Cholesky factor is m->factor:
 *   det(W W^T + D) = det(C) det(D), the matrix determinant lemma, and
 *   (W W^T + D)^-1 = D^-1 - D^-1 W C^-1 W^T D^-1, the Woodbury matrix identity. */
#include <string.h>

#include "core/distributions/distribution_internal.h"
#include "core/linalg/linalg.h"

static const int64_t last_dim[] = {-1}, last_two[] = {-2, -1};

enum { LOC, COV_FACTOR, COV_DIAG };
#define W(m) (m)->parameters[COV_FACTOR]
#define D(m) (m)->parameters[COV_DIAG]

static Tensor *sum_last(Tensor *x) {
    return t_sum(x, last_dim, 1, false);
}

/* the sum of the squares of each matrix, which is the trace of X X^T */
static Tensor *trace_of_square(Tensor *x) {
    return t_sum(t_pow(x, t_integer(2)), last_two, 2, false);
}

static Tensor *identity(int64_t n, t_DType dtype) {
    t_TensorOptions options = {sizeof options, .dtype = dtype};
    return t_eye(n, T_NONE, &options);
}

static Tensor *matrix_vector(Tensor *matrix, Tensor *x) {
    return t_squeeze(t_matmul(matrix, t_unsqueeze(x, -1)), -1);
}

/* W^T D^-1 */
static Tensor *scaled_factor(Tensor *w, Tensor *d) {
    return t_div(t_mT(w), t_unsqueeze(d, -2));
}

static Tensor *low_rank_log_det(Distribution *m) {
    return t_add(t_mul(t_integer(2), tg_half_log_det(m->factor)), sum_last(t_log(D(m))));
}

static Tensor *low_rank_mahalanobis(Distribution *m, Tensor *x) {
    Tensor *of_diag = sum_last(t_div(t_pow(x, t_integer(2)), D(m)));
    return t_sub(of_diag, tg_mahalanobis(m->factor, matrix_vector(scaled_factor(W(m), D(m)), x)));
}

/* A with A^T A = D^-1 W C^-1 W^T D^-1 */
static Tensor *correction(Distribution *m) {
    return linalg_solve_triangular(m->factor, scaled_factor(W(m), D(m)), false, true, false);
}

static Tensor *low_rank_parameter(Distribution *m, const char *name) {
    if (!strcmp(name, "covariance_matrix"))
        return t_add(t_matmul(W(m), t_mT(W(m))), t_diag_embed(D(m), 0, -2, -1));
    if (!strcmp(name, "precision_matrix")) {
        Tensor *a = correction(m);
        return t_sub(t_diag_embed(t_reciprocal(D(m)), 0, -2, -1), t_matmul(t_mT(a), a));
    }
    /* D^1/2 times the factor of I + D^-1/2 W W^T D^-1/2, which is well conditioned */
    if (!strcmp(name, "scale_tril")) {
        Tensor *root = t_unsqueeze(t_sqrt(D(m)), -1), *scaled = t_div(W(m), root);
        Tensor *inner = t_add(t_matmul(scaled, t_mT(scaled)), identity(m->event_shape.items[0], D(m)->dtype));
        return t_mul(root, linalg_cholesky(inner, false));
    }
    return NULL;
}

static Tensor *low_rank_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    t_Tuple of_factor = *shape;
    (void)samples;
    of_factor.items[of_factor.len - 1] = W(m)->shape[W(m)->ndim - 1];
    Tensor *eps_w = tg_standard_normal(&of_factor, D(m)->dtype);
    Tensor *eps_d = eps_w ? tg_standard_normal(shape, D(m)->dtype) : NULL;
    Tensor *sum = t_add(m->parameters[LOC], matrix_vector(W(m), eps_w));
    return t_add(sum, t_mul(t_sqrt(D(m)), eps_d));
}

static Tensor *low_rank_log_prob(Distribution *m, Tensor *value) {
    Tensor *distance = low_rank_mahalanobis(m, t_sub(value, m->parameters[LOC])), *log_det = low_rank_log_det(m);
    Tensor *sum = t_add(t_add(N((double)m->event_shape.items[0] * log(2 * M_PI)), log_det), distance);
    return t_mul(N(-0.5), sum);
}

static Tensor *low_rank_entropy(Distribution *m) {
    Tensor *sum = t_add(N((double)m->event_shape.items[0] * (1 + log(2 * M_PI))), low_rank_log_det(m));
    return tg_expand_to(t_mul(N(0.5), sum), &m->batch_shape);
}

static Tensor *low_rank_loc(Distribution *m) {
    return m->parameters[LOC];
}

static Tensor *low_rank_variance(Distribution *m) {
    return t_add(sum_last(t_pow(W(m), t_integer(2))), D(m));
}

static Distribution *low_rank_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *new = tg_expanded(m, batch_shape);
    if (!tg_expand_parameters(m, batch_shape, new)) return NULL;
    new->factor = t_retain(m->factor);
    return new;
}

const Family tg_low_rank_multivariate_normal = {
    .name = "LowRankMultivariateNormal",
    .parameters = {{"loc", REAL_VECTOR}, {"cov_factor", REAL_MATRIX}, {"cov_diag", POSITIVE_VECTOR}},
    .support = REAL_VECTOR, .parameter = low_rank_parameter, .rsample = low_rank_rsample,
    .log_prob = low_rank_log_prob, .entropy = low_rank_entropy, .mean = low_rank_loc, .mode = low_rank_loc,
    .variance = low_rank_variance, .expand = low_rank_expand};

/* ---- construction ---- */

static bool check_shapes(const Tensor *loc, const Tensor *cov_factor, const Tensor *cov_diag) {
    if (loc->ndim < 1) return tg_fail("loc must be at least one-dimensional.");
    const int64_t n = loc->shape[loc->ndim - 1];
    if (cov_factor->ndim < 2)
        return tg_fail("cov_factor must be at least two-dimensional, with optional leading batch dimensions");
    if (cov_factor->shape[cov_factor->ndim - 2] != n)
        return tg_fail("cov_factor must be a batch of matrices with shape %lld x m", (long long)n);
    return (cov_diag->ndim >= 1 && cov_diag->shape[cov_diag->ndim - 1] == n) ||
           tg_fail("cov_diag must be a batch of vectors with shape torch.Size([%lld])", (long long)n);
}

/* The batch dims that the three broadcast to. */
static bool broadcast_batch(Tensor *loc, Tensor *cov_factor, Tensor *cov_diag, t_Tuple *batch_shape) {
    t_Tuple of_loc = tg_shape_tuple(loc, 0, loc->ndim - 1), of_diag = tg_shape_tuple(cov_diag, 0, cov_diag->ndim - 1);
    t_Tuple of_factor = tg_shape_tuple(cov_factor, 0, cov_factor->ndim - 2);
    t_Tuple all[3] = {tg_shape_tuple(loc, 0, loc->ndim), tg_shape_tuple(cov_factor, 0, cov_factor->ndim),
                      tg_shape_tuple(cov_diag, 0, cov_diag->ndim)};
    if (tg_broadcast_tuples(&of_loc, &of_factor, batch_shape) &&
        tg_broadcast_tuples(batch_shape, &of_diag, batch_shape))
        return true;
    return tg_fail("Incompatible batch shapes: loc %s, cov_factor %s, cov_diag %s", tg_size_text(&all[0]),
                   tg_size_text(&all[1]), tg_size_text(&all[2]));
}

/* x expanded to batch_shape and its last dims */
static Tensor *with_batch(Tensor *x, int event, const t_Tuple *batch_shape) {
    t_Tuple last = tg_shape_tuple(x, x->ndim - event, x->ndim), full;
    return tg_concat(batch_shape, &last, &full) ? tg_expand_to(x, &full) : NULL;
}

static Distribution *low_rank_new(Tensor *loc, Tensor *w, Tensor *d, int validate_args) {
    t_Tuple batch_shape, event_shape = tg_shape_tuple(loc, loc->ndim - 1, loc->ndim);
    if (!broadcast_batch(loc, w, d, &batch_shape)) return NULL;
    Tensor *capacitance = t_add(t_matmul(scaled_factor(w, d), w), identity(w->shape[w->ndim - 1], w->dtype));
    Tensor *factor = linalg_cholesky(capacitance, false);
    Distribution *m = tg_distribution_new(&tg_low_rank_multivariate_normal, &batch_shape, &event_shape, validate_args);
    Tensor *x[] = {with_batch(loc, 1, &batch_shape), with_batch(w, 2, &batch_shape), with_batch(d, 1, &batch_shape)};
    if (!m || !factor || !x[0] || !x[1] || !x[2]) return NULL;
    for (int i = 0; i < 3; i++) tg_set_distribution_parameter(m, i, x[i]);
    m->factor = t_retain(factor);
    return tg_validated(m);
}

/* torch.distributions.LowRankMultivariateNormal(loc, cov_factor, cov_diag): (..., n), (..., n, m) and (..., n). Errors:
 * shapes that do not fit; cov_diag not above 0, where the factorization may be the one to fail. */
Distribution *distributions_LowRankMultivariateNormal_new(Tensor *loc, Tensor *cov_factor, Tensor *cov_diag,
                                                          int validate_args) {
    if (!tg_check(loc, 1) || !tg_check(cov_factor, 2) || !tg_check(cov_diag, 3)) return NULL;
    if (!check_shapes(loc, cov_factor, cov_diag)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? low_rank_new(loc, cov_factor, cov_diag, validate_args) : NULL);
}

/* ---- kl_divergence ---- */

static bool has_low_rank(const Distribution *m) {
    return m->family == &tg_low_rank_multivariate_normal;
}

static Tensor *log_det(Distribution *m) {
    return has_low_rank(m) ? low_rank_log_det(m) : t_mul(t_integer(2), tg_half_log_det(m->factor));
}

/* the trace of Q^-1 X X^T, for the covariance Q of q */
static Tensor *trace_under(Distribution *q, Tensor *x) {
    if (!has_low_rank(q)) return trace_of_square(linalg_solve_triangular(q->factor, x, false, true, false));
    Tensor *of_diag = trace_of_square(t_mul(x, t_unsqueeze(t_rsqrt(D(q)), -1)));
    return t_sub(of_diag, trace_of_square(t_matmul(correction(q), x)));
}

/* The covariance of p is the sum of X X^T for X = W and X = D^1/2, or L L^T. */
static Tensor *trace(Distribution *p, Distribution *q) {
    if (!has_low_rank(p)) return trace_under(q, p->factor);
    Tensor *root = t_diag_embed(t_sqrt(D(p)), 0, -2, -1);
    return t_add(trace_under(q, W(p)), trace_under(q, root));
}

Tensor *tg_kl_low_rank(Distribution *p, Distribution *q) {
    if (!tg_same_tuple(&p->event_shape, &q->event_shape))
        return tg_fail("KL-divergence between two Low Rank Multivariate Normals with different event shapes cannot be "
                       "computed");
    Tensor *distance = t_sub(q->parameters[LOC], p->parameters[LOC]);
    distance = has_low_rank(q) ? low_rank_mahalanobis(q, distance) : tg_mahalanobis(q->factor, distance);
    Tensor *sum = t_add(t_add(t_sub(log_det(q), log_det(p)), trace(p, q)), distance);
    return t_mul(N(0.5), t_sub(sum, N((double)p->event_shape.items[0])));
}
