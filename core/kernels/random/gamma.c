/* core/kernels/random/gamma.c: gamma, Poisson and binomial values by acceptance and rejection. The order of the draws
 * and the precision of each step are PyTorch's, so that the values are. */
#include "core/kernels/random/gamma.h"

#include <math.h>

#include "core/kernels/special/special.h"

/* x in the dtype of the parameters, in which PyTorch computes what depends on them alone; the rest is in float64. */
static double rounded(bool is_double, double x) {
    return is_double ? x : (double)(float)x;
}

/* ---- gamma ----
 *
 * G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000): d v with v = (1 +
 * c x)^3 for a normal x is a gamma value if it passes a test against a uniform u; d = alpha - 1/3, c = 1 / sqrt(9 d).
 * For alpha < 1 the value of alpha + 1 is multiplied by u^(1 / alpha). */
static double accepted(tg_MT19937 *g, double d, double c) {
    for (;;) {
        double x, y;
        do {
            x = tg_mt_normal(g);
            y = 1 + c * x;
        } while (y <= 0);
        const double v = y * y * y, u = 1 - tg_mt_double(g), square = x * x;
        if (u < 1 - (double)0.0331f * square * square) return v;
        if (log(u) < 0.5 * square + d * (1 - v + log(v))) return v;
    }
}

double tg_mt_gamma(tg_MT19937 *g, bool is_double, double alpha) {
    const double third = 1.0f / 3.0f; /* in float32 for both */
    double scale = 1;
    if (alpha == 0 || isnan(alpha)) return alpha;
    if (alpha < 1) {
        scale = pow(1 - tg_mt_double(g), rounded(is_double, 1 / alpha));
        alpha = rounded(is_double, alpha + 1);
    }
    const double d = rounded(is_double, alpha - third), c = 1 / sqrt(9 * d);
    return rounded(is_double, scale * d * accepted(g, d, c));
}

/* ---- Poisson ----
 *
 * Below a mean of 10: as many uniform values as their product stays above e^-lambda. From 10 on: W. Hoermann, "The
 * transformed rejection method for generating Poisson random variables", Insurance: Mathematics and Economics 12
 * (1993), algorithm PTRS. */
static double poisson_by_products(tg_MT19937 *g, double lambda) {
    const double bound = exp(-lambda);
    double product = 1, count = 0;
    for (;;) {
        product *= tg_mt_double(g);
        if (!(product > bound)) return count;
        count++;
    }
}

static double poisson_by_rejection(tg_MT19937 *g, double lambda) {
    const double log_lambda = log(lambda), b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = tg_mt_double(g) - 0.5, v = tg_mt_double(g), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= v_r) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= -lambda + k * log_lambda - tg_lgamma(k + 1))
            return k;
    }
}

double tg_mt_poisson(tg_MT19937 *g, double lambda) {
    if (lambda >= 10) return poisson_by_rejection(g, lambda);
    return lambda == 0 ? 0 : poisson_by_products(g, lambda);
}

/* ---- binomial ----
 *
 * With a mean below 10: the waiting times between successes, which are geometric, are added up. Otherwise W. Hoermann,
 * "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46 (1993), algorithm
 * BTRS. Both for a probability of at most 1/2; else the failures are drawn. */
static double binomial_by_waiting(tg_MT19937 *g, bool is_double, double count, double prob) {
    const double log_failure = is_double ? log1p(-prob) : (double)log1pf((float)-prob);
    double trials = 0, successes = 0;
    for (;;) {
        trials += ceil(log(tg_mt_double(g)) / log_failure);
        if (trials > count) return successes;
        successes++;
    }
}

/* log k! minus Stirling's formula for it. */
static double stirling_tail(double k) {
    static const double small[] = {0.0810614667953272,  0.0413406959554092,  0.0276779256849983, 0.0207906721037650,
                                   0.0166446911898211,  0.0138761288230707,  0.0118967099458917, 0.0104112652619720,
                                   0.00925546218271273, 0.00833056343336287};
    if (k <= 9) return small[(int)k];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

static double binomial_by_rejection(tg_MT19937 *g, bool is_double, double count, double prob) {
    const double mean = rounded(is_double, count * prob), failure = rounded(is_double, 1 - prob);
    const double deviation = rounded(is_double, sqrt(rounded(is_double, mean * failure)));
    const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * prob, c = mean + 0.5;
    const double v_r = 0.92 - 4.2 / b, r = rounded(is_double, prob / failure), alpha = (2.83 + 5.1 / b) * deviation;
    const double m = floor(rounded(is_double, rounded(is_double, count + 1) * prob));
    for (;;) {
        const double u = tg_mt_double(g) - 0.5, v = tg_mt_double(g), us = 0.5 - fabs(u);
        const double k = rounded(is_double, floor((2 * a / us + b) * u + c));
        if (k < 0 || k > count) continue;
        if (us >= 0.07 && v <= v_r) return k;
        const double failures = rounded(is_double, count - k), n1 = rounded(is_double, count + 1);
        const double f1 = rounded(is_double, failures + 1), k1 = rounded(is_double, k + 1);
        const double bound = (m + 0.5) * log((m + 1) / (r * (count - m + 1))) + n1 * log((count - m + 1) / f1) +
                             (k + 0.5) * log(r * f1 / k1) + stirling_tail(m) + stirling_tail(count - m) -
                             stirling_tail(k) - stirling_tail(failures);
        if (log(v * alpha / (a / (us * us) + b)) <= bound) return k;
    }
}

double tg_mt_binomial(tg_MT19937 *g, bool is_double, double count, double prob) {
    if (count <= 0 || prob <= 0) return 0;
    if (prob >= 1) return count;
    if (isnan(prob) || isnan(count)) return NAN;
    const double p = prob <= 0.5 ? prob : rounded(is_double, 1 - prob);
    const double drawn = rounded(is_double, count * p) >= 10 ? binomial_by_rejection(g, is_double, count, p)
                                                             : binomial_by_waiting(g, is_double, count, p);
    return prob <= 0.5 ? drawn : rounded(is_double, count - drawn);
}
