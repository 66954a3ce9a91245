/* core/kernels/random/gamma_grad.c: the implicit gradients of gamma and Dirichlet values: a value x with the
 * distribution function F(x; alpha) has dx / d alpha = -(dF / d alpha) / (dF / dx) (M. Figurnov, S. Mohamed, A. Mnih,
 * "Implicit reparameterization gradients", NeurIPS 2018). dF / d alpha has no closed form; the approximations here are
 * those of M. Jankowiak and F. Obermeyer, "Pathwise derivatives beyond the reparameterization trick", ICML 2018,
 * with the coefficients that their implementation in PyTorch has, so that the gradients are PyTorch's. They are within
 * 1e-3 of the exact ones, most of them within 1e-4. */
#include <math.h>

#include "core/kernels/random/gamma.h"
#include "core/kernels/special/special.h"

static double or_zero(double x) {
    return isnan(x) ? 0 : x;
}

/* ---- gamma ---- */

/* A Taylor series of F in x, for small x. */
static double gamma_grad_small(double alpha, double x) {
    double factor = 1, denominator = alpha, series = 1 / alpha, squares = 1 / (alpha * alpha);
    for (int i = 1; i <= 5; i++) {
        factor *= -x / i;
        denominator += 1;
        series += factor / denominator;
        squares += factor / (denominator * denominator);
    }
    const double power = pow(x, alpha), density = pow(x, alpha - 1) * exp(-x), cdf = power * series;
    const double derivative = (log(x) - tg_digamma(alpha)) * cdf - power * squares;
    return or_zero(-derivative / density);
}

/* Rice's saddle point expansion, for large alpha; near x = alpha, where it is singular, a Taylor series of it. */
static double gamma_grad_large(double alpha, double x) {
    if ((double)0.9f * alpha <= x && x <= (double)1.1f * alpha) {
        const double first = 1 + 24 * alpha * (1 + 12 * alpha);
        const double second = 1440 * (alpha * alpha) + 6 * x * (53 - 120 * x) - 65 * x * x / alpha +
                              alpha * (107 + 3600 * x);
        return first * second / (1244160 * (alpha * alpha) * (alpha * alpha));
    }
    const double root = sqrt(8 * alpha), ratio = log(x / alpha), distance = alpha - x;
    const double pole = root / distance, power = pow(x - alpha - alpha * ratio, -1.5);
    const double bracket = x < alpha ? pole - power : pole + power;
    const double term = ratio * bracket - sqrt(2 / alpha) * (alpha + x) / (distance * distance);
    const double stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha));
    return -stirling * x * term / root;
}

/* A rational function of log(x / alpha) and log alpha. */
static double gamma_grad_rational(double alpha, double x) {
    static const double table[3][8] = {
        {0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084},
        {0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623},
        {0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367,
         -1.5247877e-07}};
    const double u = log(x / alpha), v = log(alpha);
    double c[8];
    for (int i = 0; i < 8; i++) c[i] = table[0][i] + u * (table[1][i] + u * table[2][i]);
    const double p = c[0] + v * (c[1] + v * (c[2] + v * c[3])), q = c[4] + v * (c[5] + v * (c[6] + v * c[7]));
    return exp(p / q);
}

double tg_standard_gamma_grad(double alpha, double x) {
    if (x < (double)0.8f) return gamma_grad_small(alpha, x);
    return alpha > 8 ? gamma_grad_large(alpha, x) : gamma_grad_rational(alpha, x);
}

/* ---- beta and Dirichlet ---- */

/* With respect to alpha, for x near 0: a Taylor series. */
static double beta_grad_alpha_small(double x, double alpha, double beta) {
    const double factor = tg_digamma(alpha) - tg_digamma(alpha + beta) - log(x);
    double numerator = 1, series = numerator / alpha * (factor + 1 / alpha);
    for (int i = 1; i <= 10; i++) {
        numerator *= (i - beta) * x / i;
        series += numerator / (alpha + i) * (factor + 1 / (alpha + i));
    }
    return or_zero(x * pow(1 - x, -beta) * series);
}

/* With respect to beta, for x near 0: a Taylor series. */
static double beta_grad_beta_small(double x, double alpha, double beta) {
    const double factor = tg_digamma(alpha + beta) - tg_digamma(beta);
    double numerator = 1, product = 1, derivative = 0, series = factor / alpha;
    for (int i = 1; i <= 8; i++) {
        numerator *= -x / i;
        derivative = derivative * (beta - i) + product;
        product *= beta - i;
        series += numerator / (alpha + i) * (derivative + factor * product);
    }
    return or_zero(-pow(1 - x, 1 - beta) * series);
}

static double square(double x) {
    return x * x;
}

/* The Taylor series of the expansion below at the mean, where it is singular. */
static double beta_grad_alpha_mean(double x, double alpha, double beta) {
    const double total = alpha + beta, beta2 = square(beta);
    const double poly =
        47 * x * square(beta2) +
        alpha * ((43 + 20 * (16 + 27 * beta) * x) * beta2 * beta +
                 alpha * (3 * (59 + 180 * beta - 90 * x) * beta2 +
                          alpha * ((453 + 1620 * beta * (1 - x) - 455 * x) * beta +
                                   alpha * (8 * (1 - x) * (135 * beta - 11)))));
    const double numerator = (1 + 12 * alpha) * (1 + 12 * beta) / square(total);
    const double denominator = 12960 * alpha * alpha * alpha * beta2 * (1 + 12 * total);
    return numerator / (1 - x) * poly / denominator;
}

/* Rice's saddle point expansion, for large alpha and beta. */
static double beta_grad_alpha_mid(double x, double alpha, double beta) {
    const double total = alpha + beta, mean = alpha / total, deviation = sqrt(alpha * beta / (total + 1)) / total;
    if (mean - 0.1 * deviation <= x && x <= mean + 0.1 * deviation) return beta_grad_alpha_mean(x, alpha, beta);
    const double prefactor = -x / sqrt(2 * alpha * beta / total);
    const double stirling = (1 + 1 / (12 * alpha) + 1 / (288 * square(alpha))) *
                            (1 + 1 / (12 * beta) + 1 / (288 * square(beta))) /
                            (1 + 1 / (12 * total) + 1 / (288 * square(total)));
    const double axbx = alpha * (x - 1) + beta * x;
    const double numerator = 2 * square(alpha) * (x - 1) + alpha * beta * (x - 1) - x * square(beta);
    const double first = numerator / (sqrt(2 * alpha / beta) * pow(total, 1.5) * square(axbx));
    const double second = 0.5 * log(alpha / (total * x)), third = sqrt(8 * alpha * beta / total) / axbx;
    const double fourth = pow(beta * log(beta / (total * (1 - x))) + alpha * log(alpha / (total * x)), -1.5);
    return stirling * prefactor * (first + second * (third + (x < mean ? fourth : -fourth)));
}

/* A rational correction, in log x, log(alpha / x) and log(total x / alpha), of an analytic approximation. */
static double beta_grad_rational(double x, double alpha, double beta) {
    static const double c[2][3][3][4] = {
        {{{1.003668233, -0.01061107488, -0.0657888334, 0.01201642863},
          {0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033},
          {-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013}},
         {{0.221950385, -0.3187676331, 0.01799915743, 0.01074823814},
          {-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057},
          {0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05}},
         {{-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565},
          {0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181},
          {0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05}}},
        {{{1, -0.02924021934, -0.04438342661, 0.007285809825},
          {0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521},
          {-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149}},
         {{0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273},
          {0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956},
          {-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05}},
         {{0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05},
          {0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05},
          {-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06}}}};
    const double total = alpha + beta, u = log(x), a = log(alpha) - u, b = log(total) - a;
    const double u_powers[] = {1, u, u * u}, a_powers[] = {1, a, a * a};
    double sums[2] = {0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++) {
                const double *row = c[k][i][j];
                sums[k] += u_powers[i] * a_powers[j] * (row[0] + b * (row[1] + b * (row[2] + b * row[3])));
            }
    return sums[0] / sums[1] * x * (tg_digamma(total) - tg_digamma(alpha)) / beta;
}

double tg_dirichlet_grad(double x, double alpha, double total) {
    const double beta = total - alpha, boundary = total * x * (1 - x);
    if (x <= 0.5 && boundary < 2.5) return beta_grad_alpha_small(x, alpha, beta);
    if (x >= 0.5 && boundary < 0.75) return -beta_grad_beta_small(1 - x, beta, alpha);
    return alpha > 6 && beta > 6 ? beta_grad_alpha_mid(x, alpha, beta) : beta_grad_rational(x, alpha, beta);
}
