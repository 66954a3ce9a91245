/* core/kernels/random/gamma.c: gamma, Poisson and binomial values by acceptance and rejection. The order of the draws
 * and the precision of each step are PyTorch's, so that the values are. */
#include "core/kernels/random/gamma.h"

#include <math.h>

#include "core/kernels/special/special.h"

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

float tg_standard_gamma_f32(tg_MT19937 *g, float alpha) {
    double scale = 1;
    if (alpha < 1) {
        if (alpha == 0) return 0;
        scale = pow(1 - tg_mt_double(g), 1.0f / alpha);
        alpha += 1;
    }
    const float third = 1.0f / 3.0f;
    const double d = alpha - third, c = 1 / sqrt(9 * d);
    return (float)(scale * d * accepted(g, d, c));
}

double tg_standard_gamma_f64(tg_MT19937 *g, double alpha) {
    double scale = 1;
    if (alpha < 1) {
        if (alpha == 0) return 0;
        scale = pow(1 - tg_mt_double(g), 1 / alpha);
        alpha += 1;
    }
    const float third = 1.0f / 3.0f;
    const double d = alpha - third, c = 1 / sqrt(9 * d);
    return scale * d * accepted(g, d, c);
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

double tg_poisson(tg_MT19937 *g, double lambda) {
    if (lambda >= 10) return poisson_by_rejection(g, lambda);
    return lambda == 0 ? 0 : poisson_by_products(g, lambda);
}

/* ---- binomial ----
 *
 * With a mean below 10: the waiting times between successes, which are geometric, are added up. Otherwise W. Hoermann,
 * "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46 (1993), algorithm
 * BTRS. Both for a probability of at most 1/2; else the failures are drawn. */
static double binomial_by_waiting(tg_MT19937 *g, double count, double prob) {
    const double log_failure = log1p(-prob);
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

static double binomial_by_rejection(tg_MT19937 *g, double count, double prob) {
    const double deviation = sqrt(count * prob * (1 - prob)), b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * prob, c = count * prob + 0.5, v_r = 0.92 - 4.2 / b;
    const double r = prob / (1 - prob), alpha = (2.83 + 5.1 / b) * deviation, m = floor((count + 1) * prob);
    for (;;) {
        const double u = tg_mt_double(g) - 0.5, v = tg_mt_double(g), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + c);
        if (k < 0 || k > count) continue;
        if (us >= 0.07 && v <= v_r) return k;
        const double bound = (m + 0.5) * log((m + 1) / (r * (count - m + 1))) +
                             (count + 1) * log((count - m + 1) / (count - k + 1)) +
                             (k + 0.5) * log(r * (count - k + 1) / (k + 1)) + stirling_tail(m) +
                             stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k);
        if (log(v * alpha / (a / (us * us) + b)) <= bound) return k;
    }
}

double tg_binomial(tg_MT19937 *g, double count, double prob) {
    if (count <= 0 || prob <= 0) return 0;
    if (prob >= 1) return count;
    if (!(prob <= 0.5) && !(prob > 0.5)) return NAN;
    const double p = prob <= 0.5 ? prob : 1 - prob;
    const double drawn = count * p >= 10 ? binomial_by_rejection(g, count, p) : binomial_by_waiting(g, count, p);
    return prob <= 0.5 ? drawn : count - drawn;
}
