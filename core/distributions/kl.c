/* core/distributions/kl.c: torch.distributions.kl_divergence(p, q): the mean of log p - log q under p, in closed form,
 * for the pairs that PyTorch has a formula for. */
#include "core/distributions/distribution_internal.h"

/* The parameters of p and q, by PyTorch's names. */
#define LOC(m) (m)->parameters[0]
#define SCALE(m) (m)->parameters[1]
#define LOW(m) (m)->parameters[0]
#define HIGH(m) (m)->parameters[1]
#define RATE(m) (m)->parameters[0]
#define CONCENTRATION(m) (m)->parameters[0]
#define GAMMA_RATE(m) (m)->parameters[1]
#define CONCENTRATION1(m) tg_param(m, "concentration1")
#define CONCENTRATION0(m) tg_param(m, "concentration0")
#define TOTAL_COUNT(m) (m)->parameters[0]
#define PROBS(m) tg_param(m, "probs")
#define LOGITS(m) tg_param(m, "logits")
#define ALPHA(m) (m)->parameters[0]
#define PARETO_SCALE(m) (m)->parameters[1]

static Tensor *square(Tensor *x) {
    return t_pow(x, t_integer(2));
}

static Tensor *infinite_like(Tensor *x) {
    return t_full_like(x, INFINITY);
}

static Tensor *infinite_first(Distribution *p, Distribution *q) {
    (void)q;
    return infinite_like(p->parameters[0] ? p->parameters[0] : p->parameters[1]);
}

static Tensor *infinite_beta(Distribution *p, Distribution *q) {
    (void)q;
    return infinite_like(CONCENTRATION1(p));
}

/* result where condition is false, else infinity */
static Tensor *infinite_where(Tensor *condition, Tensor *result) {
    return t_masked_fill(result, condition, N(INFINITY));
}

/* ---- of one family ---- */

static Tensor *kl_normal_normal(Distribution *p, Distribution *q) {
    Tensor *ratio = square(t_div(SCALE(p), SCALE(q)));
    Tensor *t1 = square(t_div(t_sub(LOC(p), LOC(q)), SCALE(q)));
    return t_mul(N(0.5), t_sub(t_sub(t_add(ratio, t1), t_integer(1)), t_log(ratio)));
}

static Tensor *kl_half_normal_half_normal(Distribution *p, Distribution *q) {
    return kl_normal_normal(p->base, q->base);
}

static Tensor *kl_uniform_uniform(Distribution *p, Distribution *q) {
    Tensor *result = t_log(t_div(t_sub(HIGH(q), LOW(q)), t_sub(HIGH(p), LOW(p))));
    return infinite_where(t_logical_or(t_gt(LOW(q), LOW(p)), t_lt(HIGH(q), HIGH(p))), result);
}

static Tensor *kl_exponential_exponential(Distribution *p, Distribution *q) {
    Tensor *ratio = t_div(RATE(q), RATE(p));
    return t_sub(t_add(t_neg(t_log(ratio)), ratio), t_integer(1));
}

static Tensor *kl_laplace_laplace(Distribution *p, Distribution *q) {
    Tensor *ratio = t_div(SCALE(p), SCALE(q)), *distance = t_abs(t_sub(LOC(p), LOC(q)));
    Tensor *t2 = t_div(distance, SCALE(q)), *t3 = t_mul(ratio, t_exp(t_div(t_neg(distance), SCALE(p))));
    return t_sub(t_add(t_add(t_neg(t_log(ratio)), t2), t3), t_integer(1));
}

static Tensor *kl_cauchy_cauchy(Distribution *p, Distribution *q) {
    Tensor *sum = t_add(square(t_add(SCALE(p), SCALE(q))), square(t_sub(LOC(p), LOC(q))));
    return t_sub(t_log(sum), t_log(t_mul(t_mul(t_integer(4), SCALE(p)), SCALE(q))));
}

/* probs (f(logits of q) - f(logits of p)), 0 where probs is 0 and infinity where that of q is 0 */
static Tensor *bernoulli_term(Tensor *p, Tensor *q, Tensor *difference) {
    Tensor *zero = t_integer(0), *term = infinite_where(t_eq(q, zero), t_mul(p, difference));
    return t_masked_fill(term, t_eq(p, zero), N(0));
}

static Tensor *kl_bernoulli_bernoulli(Distribution *p, Distribution *q) {
    Tensor *p1 = PROBS(p), *q1 = PROBS(q), *a = LOGITS(p), *b = LOGITS(q), *one = t_integer(1);
    Tensor *t1 = t_sub(tg_softplus(t_neg(b)), tg_softplus(t_neg(a))), *t2 = t_sub(tg_softplus(b), tg_softplus(a));
    return t_add(bernoulli_term(p1, q1, t1), bernoulli_term(t_sub(one, p1), t_sub(one, q1), t2));
}

static Tensor *kl_geometric_geometric(Distribution *p, Distribution *q) {
    Tensor *cross = t_div(t_log1p(t_neg(PROBS(q))), PROBS(p));
    return t_sub(t_sub(t_neg(tg_entropy(p)), cross), LOGITS(q));
}

static Tensor *kl_categorical_categorical(Distribution *p, Distribution *q) {
    return tg_sum_rightmost(bernoulli_term(PROBS(p), PROBS(q), t_sub(LOGITS(p), LOGITS(q))), 1);
}

static Tensor *kl_one_hot_one_hot(Distribution *p, Distribution *q) {
    return kl_categorical_categorical(p->base, q->base);
}

static Tensor *kl_gumbel_gumbel(Distribution *p, Distribution *q) {
    Tensor *ct1 = t_div(SCALE(p), SCALE(q)), *ct2 = t_div(LOC(q), SCALE(q)), *ct3 = t_div(LOC(p), SCALE(q));
    Tensor *t1 = t_add(t_sub(t_neg(t_log(ct1)), ct2), ct3), *t2 = t_mul(ct1, N(EULER_GAMMA));
    Tensor *t3 = t_exp(t_sub(t_add(ct2, t_lgamma(t_add(t_integer(1), ct1))), ct3));
    return t_sub(t_add(t_add(t1, t2), t3), N(1 + EULER_GAMMA));
}

static Tensor *kl_gamma_gamma(Distribution *p, Distribution *q) {
    Tensor *a = CONCENTRATION(p), *b = CONCENTRATION(q), *p_rate = GAMMA_RATE(p), *q_rate = GAMMA_RATE(q);
    Tensor *t1 = t_mul(b, t_log(t_div(p_rate, q_rate))), *t2 = t_sub(t_lgamma(b), t_lgamma(a));
    Tensor *t3 = t_mul(t_sub(a, b), t_digamma(a)), *t4 = t_mul(t_sub(q_rate, p_rate), t_div(a, p_rate));
    return t_add(t_add(t_add(t1, t2), t3), t4);
}

/* (a - b) digamma(a) */
static Tensor *slope(Tensor *a, Tensor *b) {
    return t_mul(t_sub(a, b), t_digamma(a));
}

static Tensor *kl_beta_beta(Distribution *p, Distribution *q) {
    Tensor *p1 = CONCENTRATION1(p), *p0 = CONCENTRATION0(p), *q1 = CONCENTRATION1(q), *q0 = CONCENTRATION0(q);
    Tensor *p_sum = t_add(p1, p0), *q_sum = t_add(q1, q0);
    Tensor *t1 = t_add(t_add(t_lgamma(q1), t_lgamma(q0)), t_lgamma(p_sum));
    Tensor *t2 = t_add(t_add(t_lgamma(p1), t_lgamma(p0)), t_lgamma(q_sum));
    Tensor *t5 = t_mul(t_sub(q_sum, p_sum), t_digamma(p_sum));
    return t_add(t_add(t_add(t_sub(t1, t2), slope(p1, q1)), slope(p0, q0)), t5);
}

static Tensor *kl_dirichlet_dirichlet(Distribution *p, Distribution *q) {
    Tensor *a = CONCENTRATION(p), *b = CONCENTRATION(q), *p_sum = tg_sum_rightmost(a, 1);
    Tensor *t1 = t_sub(t_lgamma(p_sum), t_lgamma(tg_sum_rightmost(b, 1)));
    Tensor *t2 = tg_sum_rightmost(t_sub(t_lgamma(a), t_lgamma(b)), 1);
    Tensor *t4 = t_sub(t_digamma(a), t_unsqueeze(t_digamma(p_sum), -1));
    return t_add(t_sub(t1, t2), tg_sum_rightmost(t_mul(t_sub(a, b), t4), 1));
}

static Tensor *kl_poisson_poisson(Distribution *p, Distribution *q) {
    Tensor *ratio = t_sub(t_log(RATE(p)), t_log(RATE(q)));
    return t_sub(t_mul(RATE(p), ratio), t_sub(RATE(p), RATE(q)));
}

static Tensor *kl_binomial_binomial(Distribution *p, Distribution *q) {
    Tensor *n = TOTAL_COUNT(p), *fewer = t_any(t_lt(n, TOTAL_COUNT(q)), NULL, 0, false);
    if (!fewer) return NULL;
    if (tg_read_int64(fewer))
        return tg_fail("KL between Binomials where q.total_count > p.total_count is not implemented");
    Tensor *of_logits = t_mul(PROBS(p), t_sub(LOGITS(p), LOGITS(q)));
    Tensor *one = t_sub(t_add(of_logits, t_log1p(t_neg(PROBS(p)))), t_log1p(t_neg(PROBS(q))));
    return infinite_where(t_gt(n, TOTAL_COUNT(q)), t_mul(n, one));
}

static Tensor *kl_pareto_pareto(Distribution *p, Distribution *q) {
    Tensor *ratio = t_div(ALPHA(q), ALPHA(p)), *t1 = t_mul(ALPHA(q), t_log(t_div(PARETO_SCALE(p), PARETO_SCALE(q))));
    Tensor *sum = t_sub(t_add(t_sub(t1, t_log(ratio)), ratio), t_integer(1));
    return infinite_where(t_lt(PARETO_SCALE(p), PARETO_SCALE(q)), sum);
}

/* log C(p) + log(1 - p), of a ContinuousBernoulli */
static Tensor *log_density_at_zero(Distribution *m) {
    return t_add(tg_continuous_bernoulli_log_norm(m), t_log1p(t_neg(PROBS(m))));
}

static Tensor *kl_continuous_bernoulli_continuous_bernoulli(Distribution *p, Distribution *q) {
    Tensor *t1 = t_mul(tg_mean(p), t_sub(LOGITS(p), LOGITS(q)));
    return t_sub(t_add(t1, log_density_at_zero(p)), log_density_at_zero(q));
}

/* ---- of two families ---- */

static Tensor *kl_bernoulli_poisson(Distribution *p, Distribution *q) {
    Tensor *cross = t_sub(t_mul(PROBS(p), t_log(RATE(q))), RATE(q));
    return t_sub(t_neg(tg_entropy(p)), cross);
}

static Tensor *beta_mean(Distribution *p) {
    return t_div(CONCENTRATION1(p), t_add(CONCENTRATION1(p), CONCENTRATION0(p)));
}

static Tensor *kl_beta_exponential(Distribution *p, Distribution *q) {
    return t_add(t_sub(t_neg(tg_entropy(p)), t_log(RATE(q))), t_mul(RATE(q), beta_mean(p)));
}

/* lgamma(a) - a log(rate): minus the constant of the logarithm of a gamma density */
static Tensor *gamma_constant(Distribution *q) {
    return t_sub(t_lgamma(CONCENTRATION(q)), t_mul(CONCENTRATION(q), t_log(GAMMA_RATE(q))));
}

static Tensor *kl_beta_gamma(Distribution *p, Distribution *q) {
    Tensor *sum = t_add(CONCENTRATION1(p), CONCENTRATION0(p));
    Tensor *mean_log = t_sub(t_digamma(CONCENTRATION1(p)), t_digamma(sum));
    Tensor *t3 = t_mul(t_sub(CONCENTRATION(q), t_integer(1)), mean_log);
    Tensor *t4 = t_div(t_mul(GAMMA_RATE(q), CONCENTRATION1(p)), sum);
    return t_add(t_sub(t_add(t_neg(tg_entropy(p)), gamma_constant(q)), t3), t4);
}

static Tensor *kl_beta_normal(Distribution *p, Distribution *q) {
    Tensor *mean = beta_mean(p), *variance = square(SCALE(q)), *sum = t_add(CONCENTRATION1(p), CONCENTRATION0(p));
    Tensor *t2 = t_mul(N(0.5), t_log(t_mul(t_mul(variance, t_integer(2)), N(M_PI))));
    Tensor *spread = t_div(t_mul(mean, t_sub(t_integer(1), mean)), t_add(sum, t_integer(1)));
    Tensor *t3 = t_mul(t_add(spread, square(mean)), N(0.5)), *t5 = t_mul(square(LOC(q)), N(0.5));
    Tensor *rest = t_add(t_sub(t3, t_mul(LOC(q), mean)), t5);
    return t_add(t_add(t_neg(tg_entropy(p)), t2), t_div(rest, variance));
}

static Tensor *kl_beta_uniform(Distribution *p, Distribution *q) {
    Tensor *result = t_add(t_neg(tg_entropy(p)), t_log(t_sub(HIGH(q), LOW(q))));
    return infinite_where(t_logical_or(t_gt(LOW(q), t_integer(0)), t_lt(HIGH(q), t_integer(1))), result);
}

static Tensor *kl_exponential_gamma(Distribution *p, Distribution *q) {
    Tensor *ratio = t_div(GAMMA_RATE(q), RATE(p)), *a = CONCENTRATION(q);
    Tensor *sum = t_add(t_add(t_mul(t_neg(a), t_log(ratio)), ratio), t_lgamma(a));
    return t_sub(t_add(sum, t_mul(a, N(EULER_GAMMA))), N(1 + EULER_GAMMA));
}

static Tensor *kl_gamma_exponential(Distribution *p, Distribution *q) {
    Tensor *mean = t_div(t_mul(RATE(q), CONCENTRATION(p)), GAMMA_RATE(p));
    return t_add(t_sub(t_neg(tg_entropy(p)), t_log(RATE(q))), mean);
}

static Tensor *kl_gamma_gumbel(Distribution *p, Distribution *q) {
    Tensor *product = t_mul(GAMMA_RATE(p), SCALE(q)), *ratio = t_div(LOC(q), SCALE(q)), *a = CONCENTRATION(p);
    Tensor *t1 = t_sub(t_sub(slope(a, t_integer(1)), t_lgamma(a)), a);
    Tensor *t2 = t_add(t_log(product), t_div(a, product));
    Tensor *power = t_pow(t_add(t_integer(1), t_reciprocal(product)), t_neg(a));
    return t_add(t_add(t1, t2), t_sub(t_mul(t_exp(ratio), power), ratio));
}

static Tensor *kl_gamma_normal(Distribution *p, Distribution *q) {
    Tensor *variance = square(SCALE(q)), *rate = square(GAMMA_RATE(p)), *a = CONCENTRATION(p);
    Tensor *log_ratio = t_mul(N(0.5), t_log(t_mul(t_mul(t_mul(rate, variance), t_integer(2)), N(M_PI))));
    Tensor *t1 = t_sub(t_sub(log_ratio, a), t_lgamma(a));
    Tensor *t2 = t_div(t_mul(N(0.5), t_add(square(a), a)), rate);
    Tensor *t3 = t_div(t_mul(LOC(q), a), GAMMA_RATE(p)), *t4 = t_mul(N(0.5), square(LOC(q)));
    return t_add(t_add(t1, slope(a, t_integer(1))), t_div(t_add(t_sub(t2, t3), t4), variance));
}

static Tensor *x_log_x(Tensor *x) {
    return t_xlogy(x, x);
}

static Tensor *kl_uniform_beta(Distribution *p, Distribution *q) {
    Tensor *one = t_integer(1), *width = t_sub(HIGH(p), LOW(p)), *a = CONCENTRATION1(q), *b = CONCENTRATION0(q);
    Tensor *up = t_sub(t_sub(x_log_x(HIGH(p)), x_log_x(LOW(p))), width);
    Tensor *down = t_add(t_sub(x_log_x(t_sub(one, HIGH(p))), x_log_x(t_sub(one, LOW(p)))), width);
    Tensor *t2 = t_div(t_mul(t_sub(a, one), up), width), *t3 = t_div(t_mul(t_sub(b, one), down), width);
    Tensor *t4 = t_sub(t_add(t_lgamma(a), t_lgamma(b)), t_lgamma(t_add(a, b)));
    Tensor *result = t_sub(t_sub(t_add(t3, t4), t_log(width)), t2);
    return infinite_where(t_logical_or(t_gt(HIGH(p), one), t_lt(LOW(p), t_integer(0))), result);
}

static Tensor *kl_uniform_gamma(Distribution *p, Distribution *q) {
    Tensor *width = t_sub(HIGH(p), LOW(p)), *up = t_sub(t_sub(x_log_x(HIGH(p)), x_log_x(LOW(p))), width);
    Tensor *t3 = t_div(t_mul(t_sub(t_integer(1), CONCENTRATION(q)), up), width);
    Tensor *t4 = t_div(t_mul(GAMMA_RATE(q), t_add(HIGH(p), LOW(p))), t_integer(2));
    Tensor *result = t_add(t_add(t_add(t_neg(t_log(width)), gamma_constant(q)), t3), t4);
    return infinite_where(t_lt(LOW(p), t_integer(0)), result);
}

static Tensor *kl_exponential_gumbel(Distribution *p, Distribution *q) {
    Tensor *product = t_mul(RATE(p), SCALE(q)), *ratio = t_div(LOC(q), SCALE(q));
    Tensor *t2 = t_div(t_mul(t_exp(ratio), product), t_add(product, t_integer(1)));
    return t_add(t_add(t_sub(t_sub(t_log(product), t_integer(1)), ratio), t2), t_reciprocal(product));
}

static Tensor *kl_exponential_normal(Distribution *p, Distribution *q) {
    Tensor *variance = square(SCALE(q)), *rate = square(RATE(p));
    Tensor *t1 = t_mul(N(0.5), t_log(t_mul(t_mul(t_mul(rate, variance), t_integer(2)), N(M_PI))));
    Tensor *t4 = t_mul(square(LOC(q)), N(0.5));
    Tensor *sum = t_add(t_sub(t_reciprocal(rate), t_div(LOC(q), RATE(p))), t4);
    return t_add(t_sub(t1, t_integer(1)), t_div(sum, variance));
}

static Tensor *kl_gumbel_normal(Distribution *p, Distribution *q) {
    Tensor *ratio = t_div(SCALE(p), SCALE(q)), *mean = t_add(LOC(p), t_mul(SCALE(p), N(EULER_GAMMA)));
    Tensor *t1 = t_log(t_div(ratio, N(sqrt(2 * M_PI))));
    Tensor *t2 = t_div(square(t_mul(t_mul(N(M_PI), ratio), N(0.5))), t_integer(3));
    Tensor *t3 = t_mul(square(t_div(t_sub(mean, LOC(q)), SCALE(q))), N(0.5));
    return t_sub(t_add(t_add(t_neg(t1), t2), t3), N(EULER_GAMMA + 1));
}

static Tensor *kl_laplace_normal(Distribution *p, Distribution *q) {
    Tensor *variance = square(SCALE(q)), *ratio = t_div(square(SCALE(p)), variance);
    Tensor *t1 = t_mul(N(0.5), t_log(t_div(t_mul(t_integer(2), ratio), N(M_PI))));
    Tensor *t2 = t_mul(N(0.5), square(LOC(p))), *t4 = t_mul(N(0.5), square(LOC(q)));
    Tensor *sum = t_add(t_sub(t2, t_mul(LOC(p), LOC(q))), t4);
    return t_sub(t_add(t_add(t_neg(t1), ratio), t_div(sum, variance)), t_integer(1));
}

static Tensor *kl_normal_gumbel(Distribution *p, Distribution *q) {
    Tensor *mean = t_div(LOC(p), SCALE(q)), *ratio = square(t_div(SCALE(p), SCALE(q)));
    Tensor *loc = t_div(LOC(q), SCALE(q)), *t1 = t_mul(t_log(ratio), N(0.5));
    Tensor *t3 = t_exp(t_add(t_add(t_neg(mean), t_mul(N(0.5), ratio)), loc));
    return t_sub(t_add(t_add(t_neg(t1), t_sub(mean, loc)), t3), N(0.5 * (1 + log(2 * M_PI))));
}

static Tensor *kl_normal_laplace(Distribution *p, Distribution *q) {
    Tensor *distance = t_sub(LOC(p), LOC(q)), *scaled = t_div(distance, SCALE(p));
    Tensor *t1 = t_log(t_div(SCALE(p), SCALE(q)));
    Tensor *t2 = t_mul(t_mul(N(sqrt(2 / M_PI)), SCALE(p)), t_exp(t_mul(N(-0.5), square(scaled))));
    Tensor *t3 = t_mul(distance, t_erf(t_mul(N(sqrt(0.5)), scaled)));
    return t_sub(t_add(t_neg(t1), t_div(t_add(t2, t3), SCALE(q))), N(0.5 * (1 + log(0.5 * M_PI))));
}

static Tensor *kl_uniform_exponential(Distribution *p, Distribution *q) {
    Tensor *mean = t_div(t_mul(RATE(q), t_add(HIGH(p), LOW(p))), t_integer(2));
    Tensor *result = t_sub(mean, t_log(t_mul(t_sub(HIGH(p), LOW(p)), RATE(q))));
    return infinite_where(t_lt(LOW(p), t_integer(0)), result);
}

static Tensor *kl_uniform_gumbel(Distribution *p, Distribution *q) {
    Tensor *common = t_div(SCALE(q), t_sub(HIGH(p), LOW(p)));
    Tensor *high = t_div(t_sub(HIGH(p), LOC(q)), SCALE(q)), *low = t_div(t_sub(LOW(p), LOC(q)), SCALE(q));
    Tensor *t1 = t_add(t_log(common), t_mul(N(0.5), t_add(high, low)));
    return t_sub(t1, t_mul(common, t_sub(t_exp(t_neg(high)), t_exp(t_neg(low)))));
}

static Tensor *kl_uniform_normal(Distribution *p, Distribution *q) {
    Tensor *common = t_sub(HIGH(p), LOW(p)), *twice = t_sub(t_add(HIGH(p), LOW(p)), t_mul(t_integer(2), LOC(q)));
    Tensor *t1 = t_log(t_div(t_mul(N(sqrt(M_PI * 2)), SCALE(q)), common));
    Tensor *sum = t_add(t_div(square(common), t_integer(12)), square(t_div(twice, t_integer(2))));
    return t_add(t1, t_div(t_mul(N(0.5), sum), square(SCALE(q))));
}

/* minus the mean of log q under p, for a ContinuousBernoulli q and a p within [0, 1] */
static Tensor *kl_continuous_bernoulli(Distribution *p, Distribution *q) {
    Tensor *of_mean = t_sub(t_neg(tg_entropy(p)), t_mul(tg_mean(p), LOGITS(q)));
    return t_sub(of_mean, log_density_at_zero(q));
}

static Tensor *kl_uniform_continuous_bernoulli(Distribution *p, Distribution *q) {
    Tensor *outside = t_logical_or(t_ge(HIGH(p), t_integer(1)), t_le(LOW(p), t_integer(0)));
    return infinite_where(outside, kl_continuous_bernoulli(p, q));
}

static Tensor *kl_continuous_bernoulli_exponential(Distribution *p, Distribution *q) {
    return t_add(t_sub(t_neg(tg_entropy(p)), t_log(RATE(q))), t_mul(RATE(q), tg_mean(p)));
}

static Tensor *kl_continuous_bernoulli_normal(Distribution *p, Distribution *q) {
    Tensor *mean = tg_mean(p), *ratio = t_square(t_div(LOC(q), SCALE(q)));
    Tensor *t2 = t_add(t_mul(N(0.5), t_add(N(log(2 * M_PI)), ratio)), t_log(SCALE(q)));
    Tensor *moment = t_sub(t_add(tg_variance(p), t_square(mean)), t_mul(t_mul(N(2), LOC(q)), mean));
    return t_add(t_add(t_neg(tg_entropy(p)), t2), t_div(moment, t_mul(N(2), t_square(SCALE(q)))));
}

static Tensor *kl_continuous_bernoulli_uniform(Distribution *p, Distribution *q) {
    Tensor *result = t_add(t_neg(tg_entropy(p)), t_log(t_sub(HIGH(q), LOW(q))));
    return infinite_where(t_logical_or(t_ge(LOW(q), t_integer(0)), t_le(HIGH(q), t_integer(1))), result);
}

static Tensor *kl_pareto_exponential(Distribution *p, Distribution *q) {
    Tensor *product = t_mul(PARETO_SCALE(p), RATE(q)), *one = t_integer(1), *a = ALPHA(p);
    Tensor *t1 = t_log(t_div(a, product)), *t3 = t_div(t_mul(a, product), t_sub(a, one));
    Tensor *sum = t_sub(t_add(t_sub(t1, t_reciprocal(a)), t3), one);
    return infinite_where(t_le(a, one), sum);
}

static Tensor *kl_pareto_gamma(Distribution *p, Distribution *q) {
    Tensor *one = t_integer(1), *a = ALPHA(p), *common = t_add(t_log(PARETO_SCALE(p)), t_reciprocal(a));
    Tensor *t3 = t_mul(t_sub(one, CONCENTRATION(q)), common);
    Tensor *t4 = t_div(t_mul(t_mul(GAMMA_RATE(q), a), PARETO_SCALE(p)), t_sub(a, one));
    Tensor *sum = t_add(t_add(t_add(t_sub(t_log(a), common), gamma_constant(q)), t3), t4);
    return infinite_where(t_le(a, one), t_sub(sum, one));
}

static Tensor *kl_pareto_normal(Distribution *p, Distribution *q) {
    Tensor *one = t_integer(1), *two = t_integer(2), *a = ALPHA(p), *common = t_div(PARETO_SCALE(p), t_sub(a, one));
    Tensor *t1 = t_log(t_div(t_mul(t_mul(N(sqrt(2 * M_PI)), SCALE(q)), a), PARETO_SCALE(p)));
    Tensor *t3 = t_div(t_mul(a, square(common)), t_sub(a, two)), *t4 = square(t_sub(t_mul(a, common), LOC(q)));
    Tensor *of_normal = t_div(t_add(t3, t4), t_mul(two, square(SCALE(q))));
    Tensor *sum = t_sub(t_add(t_sub(t1, t_reciprocal(a)), of_normal), one);
    return infinite_where(t_le(a, two), sum);
}

static Tensor *kl_uniform_pareto(Distribution *p, Distribution *q) {
    Tensor *width = t_sub(HIGH(p), LOW(p)), *a = ALPHA(q);
    Tensor *t1 = t_log(t_mul(t_mul(a, t_pow(PARETO_SCALE(q), a)), width));
    Tensor *t2 = t_div(t_sub(t_sub(x_log_x(HIGH(p)), x_log_x(LOW(p))), width), width);
    Tensor *result = t_sub(t_mul(t2, t_add(a, t_integer(1))), t1);
    return infinite_where(t_lt(LOW(p), PARETO_SCALE(q)), result);
}

/* ---- the table ---- */

typedef struct Pair {
    const Family *p, *q;
    Tensor *(*kl)(Distribution *p, Distribution *q);
} Pair;

/* The first row counts that p and q are of, or subclasses of. */
static const Pair pairs[] = {
    {&tg_normal, &tg_normal, kl_normal_normal},
    {&tg_multivariate_normal, &tg_multivariate_normal, tg_kl_multivariate_normal},
    {&tg_low_rank_multivariate_normal, &tg_low_rank_multivariate_normal, tg_kl_low_rank},
    {&tg_multivariate_normal, &tg_low_rank_multivariate_normal, tg_kl_low_rank},
    {&tg_low_rank_multivariate_normal, &tg_multivariate_normal, tg_kl_low_rank},
    {&tg_wishart, &tg_wishart, tg_kl_wishart},
    {&tg_half_normal, &tg_half_normal, kl_half_normal_half_normal},
    {&tg_uniform, &tg_uniform, kl_uniform_uniform},
    {&tg_exponential, &tg_exponential, kl_exponential_exponential},
    {&tg_laplace, &tg_laplace, kl_laplace_laplace},
    {&tg_cauchy, &tg_cauchy, kl_cauchy_cauchy},
    {&tg_bernoulli, &tg_bernoulli, kl_bernoulli_bernoulli},
    {&tg_geometric, &tg_geometric, kl_geometric_geometric},
    {&tg_categorical, &tg_categorical, kl_categorical_categorical},
    {&tg_one_hot_categorical, &tg_one_hot_categorical, kl_one_hot_one_hot},
    {&tg_exponential, &tg_uniform, infinite_first},
    {&tg_exponential, &tg_gumbel, kl_exponential_gumbel},
    {&tg_exponential, &tg_normal, kl_exponential_normal},
    {&tg_gumbel, &tg_exponential, infinite_first},
    {&tg_gumbel, &tg_uniform, infinite_first},
    {&tg_gumbel, &tg_normal, kl_gumbel_normal},
    {&tg_laplace, &tg_exponential, infinite_first},
    {&tg_laplace, &tg_uniform, infinite_first},
    {&tg_laplace, &tg_normal, kl_laplace_normal},
    {&tg_normal, &tg_exponential, infinite_first},
    {&tg_normal, &tg_uniform, infinite_first},
    {&tg_normal, &tg_gumbel, kl_normal_gumbel},
    {&tg_normal, &tg_laplace, kl_normal_laplace},
    {&tg_uniform, &tg_exponential, kl_uniform_exponential},
    {&tg_uniform, &tg_gumbel, kl_uniform_gumbel},
    {&tg_uniform, &tg_normal, kl_uniform_normal},
    {&tg_gumbel, &tg_gumbel, kl_gumbel_gumbel},
    {&tg_gamma, &tg_gamma, kl_gamma_gamma},
    {&tg_beta, &tg_beta, kl_beta_beta},
    {&tg_dirichlet, &tg_dirichlet, kl_dirichlet_dirichlet},
    {&tg_poisson, &tg_poisson, kl_poisson_poisson},
    {&tg_binomial, &tg_binomial, kl_binomial_binomial},
    {&tg_bernoulli, &tg_poisson, kl_bernoulli_poisson},
    {&tg_beta, &tg_exponential, kl_beta_exponential},
    {&tg_beta, &tg_gamma, kl_beta_gamma},
    {&tg_beta, &tg_normal, kl_beta_normal},
    {&tg_beta, &tg_uniform, kl_beta_uniform},
    {&tg_exponential, &tg_beta, infinite_first},
    {&tg_exponential, &tg_gamma, kl_exponential_gamma},
    {&tg_gamma, &tg_beta, infinite_first},
    {&tg_gamma, &tg_uniform, infinite_first},
    {&tg_gamma, &tg_exponential, kl_gamma_exponential},
    {&tg_gamma, &tg_gumbel, kl_gamma_gumbel},
    {&tg_gamma, &tg_normal, kl_gamma_normal},
    {&tg_gumbel, &tg_beta, infinite_first},
    {&tg_gumbel, &tg_gamma, infinite_first},
    {&tg_laplace, &tg_beta, infinite_first},
    {&tg_laplace, &tg_gamma, infinite_first},
    {&tg_normal, &tg_beta, infinite_first},
    {&tg_normal, &tg_gamma, infinite_first},
    {&tg_poisson, &tg_bernoulli, infinite_first},
    {&tg_poisson, &tg_binomial, infinite_first},
    {&tg_uniform, &tg_beta, kl_uniform_beta},
    {&tg_uniform, &tg_gamma, kl_uniform_gamma},
    {&tg_continuous_bernoulli, &tg_continuous_bernoulli, kl_continuous_bernoulli_continuous_bernoulli},
    {&tg_continuous_bernoulli, &tg_exponential, kl_continuous_bernoulli_exponential},
    {&tg_continuous_bernoulli, &tg_normal, kl_continuous_bernoulli_normal},
    {&tg_continuous_bernoulli, &tg_pareto, infinite_first},
    {&tg_continuous_bernoulli, &tg_uniform, kl_continuous_bernoulli_uniform},
    {&tg_beta, &tg_continuous_bernoulli, kl_continuous_bernoulli},
    {&tg_exponential, &tg_continuous_bernoulli, infinite_first},
    {&tg_gamma, &tg_continuous_bernoulli, infinite_first},
    {&tg_gumbel, &tg_continuous_bernoulli, infinite_first},
    {&tg_laplace, &tg_continuous_bernoulli, infinite_first},
    {&tg_normal, &tg_continuous_bernoulli, infinite_first},
    {&tg_uniform, &tg_continuous_bernoulli, kl_uniform_continuous_bernoulli},
    {&tg_pareto, &tg_continuous_bernoulli, infinite_first},
    {&tg_pareto, &tg_pareto, kl_pareto_pareto},
    {&tg_pareto, &tg_beta, infinite_first},
    {&tg_pareto, &tg_exponential, kl_pareto_exponential},
    {&tg_pareto, &tg_gamma, kl_pareto_gamma},
    {&tg_pareto, &tg_normal, kl_pareto_normal},
    {&tg_pareto, &tg_uniform, infinite_first},
    {&tg_beta, &tg_pareto, infinite_beta},
    {&tg_exponential, &tg_pareto, infinite_first},
    {&tg_gamma, &tg_pareto, infinite_first},
    {&tg_gumbel, &tg_pareto, infinite_first},
    {&tg_laplace, &tg_pareto, infinite_first},
    {&tg_normal, &tg_pareto, infinite_first},
    {&tg_uniform, &tg_pareto, kl_uniform_pareto},
};

/* The same transforms leave the divergence as it was. */
static Tensor *kl_transformed(Distribution *p, Distribution *q) {
    bool equal = p->transform_count == q->transform_count && tg_same_tuple(&p->event_shape, &q->event_shape);
    for (int64_t i = 0; equal && i < p->transform_count; i++)
        equal = tg_transforms_equal(p->transforms[i], q->transforms[i]);
    if (!equal) return tg_fail("kl_divergence of two TransformedDistributions requires the same transforms and events");
    return distributions_kl_divergence(p->base, q->base);
}

static Tensor *kl_independent(Distribution *p, Distribution *q) {
    if (p->number != q->number)
        return tg_fail("kl_divergence of Independent requires the same reinterpreted_batch_ndims, got %lld and %lld",
                       (long long)p->number, (long long)q->number);
    return tg_sum_rightmost(distributions_kl_divergence(p->base, q->base), p->number);
}

static Tensor *kl_divergence(Distribution *p, Distribution *q) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (tg_is_family(p, pairs[i].p) && tg_is_family(q, pairs[i].q)) return pairs[i].kl(p, q);
    if (tg_is_family(p, &tg_independent) && tg_is_family(q, &tg_independent)) return kl_independent(p, q);
    if (tg_is_family(p, &tg_transformed) && tg_is_family(q, &tg_transformed)) return kl_transformed(p, q);
    return tg_fail("No KL(p || q) is implemented for p type %s and q type %s", p->family->name, q->family->name);
}

/* torch.distributions.kl_divergence(p, q): in the shape that their batches broadcast to; differentiable in all
 * parameters. Infinity where p has values that q excludes. Error: PyTorch has no formula for the pair either. */
Tensor *distributions_kl_divergence(Distribution *p, Distribution *q) {
    if (!tg_check_distribution(p, 1) || !tg_check_distribution(q, 2)) return NULL;
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? kl_divergence(p, q) : NULL);
}
