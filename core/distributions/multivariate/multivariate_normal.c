/* core/distributions/multivariate/multivariate_normal.c: MultivariateNormal(loc, covariance_matrix): loc + L x of a
 * standard normal vector x, with L L^T the covariance matrix. m->factor is L in the shape that it was given or computed
 * in. */
#include <string.h>

#include "core/distributions/distribution_internal.h"
#include "core/linalg/linalg.h"

static const int64_t last_dim[] = {-1}, last_two[] = {-2, -1};

enum { LOC, COVARIANCE, PRECISION, SCALE_TRIL };

/* The matrix in the shape batch_shape + (n, n). */
static Tensor *batched(Distribution *m, Tensor *matrix) {
    t_Tuple shape;
    const bool fits = tg_concat(&m->batch_shape, &m->event_shape, &shape) && tg_concat(&shape, &m->event_shape, &shape);
    return fits ? tg_expand_to(matrix, &shape) : NULL;
}

static Tensor *mvn_parameter(Distribution *m, const char *name) {
    if (!strcmp(name, "scale_tril")) return batched(m, m->factor);
    if (!strcmp(name, "covariance_matrix")) return batched(m, t_matmul(m->factor, t_mT(m->factor)));
    return !strcmp(name, "precision_matrix") ? batched(m, t_cholesky_inverse(m->factor, false)) : NULL;
}

static Tensor *mvn_rsample(Distribution *m, const t_Tuple *shape, int samples) {
    Tensor *loc = m->parameters[LOC], *eps = tg_standard_normal(shape, loc->dtype);
    (void)samples;
    return t_add(loc, t_squeeze(t_matmul(m->factor, t_unsqueeze(eps, -1)), -1));
}

/* |L^-1 x|^2 */
Tensor *tg_mahalanobis(Tensor *factor, Tensor *x) {
    Tensor *solved = linalg_solve_triangular(factor, t_unsqueeze(x, -1), false, true, false);
    return t_sum(t_pow(solved, t_integer(2)), last_two, 2, false);
}

Tensor *tg_half_log_det(Tensor *factor) {
    return t_sum(t_log(t_diagonal(factor, 0, -2, -1)), last_dim, 1, false);
}

static double size_of_event(const Distribution *m) {
    return (double)m->event_shape.items[0];
}

static Tensor *mvn_log_prob(Distribution *m, Tensor *value) {
    Tensor *distance = tg_mahalanobis(m->factor, t_sub(value, m->parameters[LOC]));
    Tensor *exponent = t_mul(N(-0.5), t_add(N(size_of_event(m) * log(2 * M_PI)), distance));
    return t_sub(exponent, tg_half_log_det(m->factor));
}

static Tensor *mvn_entropy(Distribution *m) {
    Tensor *entropy = t_add(N(0.5 * size_of_event(m) * (1 + log(2 * M_PI))), tg_half_log_det(m->factor));
    return tg_expand_to(entropy, &m->batch_shape);
}

static Tensor *mvn_loc(Distribution *m) {
    return m->parameters[LOC];
}

static Tensor *mvn_variance(Distribution *m) {
    t_Tuple shape;
    if (!tg_concat(&m->batch_shape, &m->event_shape, &shape)) return NULL;
    return tg_expand_to(t_sum(t_pow(m->factor, t_integer(2)), last_dim, 1, false), &shape);
}

static Distribution *mvn_expand(Distribution *m, const t_Tuple *batch_shape) {
    Distribution *new = tg_expanded(m, batch_shape);
    if (!tg_expand_parameters(m, batch_shape, new)) return NULL;
    new->factor = t_retain(m->factor);
    return new;
}

const Family tg_multivariate_normal = {
    .name = "MultivariateNormal",
    .parameters = {{"loc", REAL_VECTOR}, {"covariance_matrix", POSITIVE_DEFINITE},
                   {"precision_matrix", POSITIVE_DEFINITE}, {"scale_tril", LOWER_CHOLESKY}},
    .support = REAL_VECTOR, .parameter = mvn_parameter, .rsample = mvn_rsample, .log_prob = mvn_log_prob,
    .entropy = mvn_entropy, .mean = mvn_loc, .mode = mvn_loc, .variance = mvn_variance, .expand = mvn_expand};

/* With J the exchange matrix, J P J = F F^T gives P^-1 = (J F^-T J)(J F^-T J)^T, whose factor is lower. */
Tensor *tg_factor_of_precision(Tensor *precision) {
    t_TensorOptions options = {sizeof options, .dtype = precision->dtype};
    Tensor *flipped = linalg_cholesky(t_flip(precision, last_two, 2), false);
    Tensor *inverse = t_transpose(t_flip(flipped, last_two, 2), -2, -1);
    Tensor *identity = t_eye(precision->shape[precision->ndim - 1], T_NONE, &options);
    return linalg_solve_triangular(inverse, identity, false, true, false);
}

static Distribution *mvn_new(Tensor *loc, Tensor *matrix, int kind, int validate_args) {
    static const char *const names[] = {"loc", "covariance_matrix", "precision_matrix", "scale_tril matrix"};
    t_Tuple batch_shape, of_loc = tg_shape_tuple(loc, 0, loc->ndim - 1), full;
    if (matrix->ndim < 2)
        return tg_fail("%s must be at least two-dimensional, with optional leading batch dimensions", names[kind]);
    t_Tuple of_matrix = tg_shape_tuple(matrix, 0, matrix->ndim - 2);
    t_Tuple event_shape = tg_shape_tuple(loc, loc->ndim - 1, loc->ndim);
    t_Tuple of_event = tg_shape_tuple(matrix, matrix->ndim - 2, matrix->ndim);
    if (!tg_broadcast_tuples(&of_matrix, &of_loc, &batch_shape) || !tg_concat(&batch_shape, &of_event, &full))
        return NULL;
    Distribution *m = tg_distribution_new(&tg_multivariate_normal, &batch_shape, &event_shape, validate_args);
    Tensor *expanded = m ? tg_expand_to(matrix, &full) : NULL;
    if (!expanded || !tg_concat(&batch_shape, &event_shape, &full) || !(loc = tg_expand_to(loc, &full))) return NULL;
    tg_set_distribution_parameter(m, LOC, loc);
    tg_set_distribution_parameter(m, kind, expanded);
    if (!tg_validated(m)) return NULL;
    Tensor *factor = kind == SCALE_TRIL ? matrix
                     : kind == COVARIANCE ? linalg_cholesky(matrix, false) : tg_factor_of_precision(matrix);
    if (!factor) return NULL;
    m->factor = t_retain(factor);
    return m;
}

/* torch.distributions.MultivariateNormal(loc, covariance_matrix, precision_matrix, scale_tril): one of the three, (...,
 * n, n); loc (..., n). Errors: loc 0-dim, not exactly one matrix, a matrix that is not symmetric and positive definite
 * (scale_tril: lower triangular with a positive diagonal). */
Distribution *distributions_MultivariateNormal_new(Tensor *loc, Tensor *covariance_matrix, Tensor *precision_matrix,
                                                   Tensor *scale_tril, int validate_args) {
    Tensor *given[] = {NULL, covariance_matrix, precision_matrix, scale_tril};
    int kind = 0, count = 0;
    if (!tg_check(loc, 1)) return NULL;
    for (int i = COVARIANCE; i <= SCALE_TRIL; i++) {
        if (!tg_check_optional(given[i], i + 1)) return NULL;
        if (given[i]) kind = i, count++;
    }
    if (loc->ndim < 1) return tg_fail("loc must be at least one-dimensional.");
    if (count != 1)
        return tg_fail("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.");
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? mvn_new(loc, given[kind], kind, validate_args) : NULL);
}

/* KL(p || q): tr(Q^-1 P) as |L_q^-1 L_p|^2, the distance of the means, and the determinants. */
Tensor *tg_kl_multivariate_normal(Distribution *p, Distribution *q) {
    if (!tg_same_tuple(&p->event_shape, &q->event_shape))
        return tg_fail("KL-divergence between two Multivariate Normals with different event shapes cannot be computed");
    Tensor *ratio = linalg_solve_triangular(q->factor, p->factor, false, true, false);
    Tensor *trace = t_sum(t_pow(ratio, t_integer(2)), last_two, 2, false);
    Tensor *distance = tg_mahalanobis(q->factor, t_sub(q->parameters[LOC], p->parameters[LOC]));
    Tensor *sum = t_sub(t_add(trace, distance), N(size_of_event(p)));
    return t_add(t_sub(tg_half_log_det(q->factor), tg_half_log_det(p->factor)), t_mul(N(0.5), sum));
}
