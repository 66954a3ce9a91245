/* core/ops/creation/window.c: window functions: bartlett, blackman, hamming, hann, kaiser. */
#include <math.h>

#include "core/kernels/special/special.h"
#include "core/ops/creation/creation_internal.h"

/* The window at t, from 0 at its beginning to 1 at its end. */
typedef double Window(double t, double alpha, double beta);

static double bartlett(double t, double alpha, double beta) {
    (void)alpha, (void)beta;
    return 1 - fabs(2 * t - 1);
}

static double blackman(double t, double alpha, double beta) {
    (void)alpha, (void)beta;
    return 0.42 - 0.5 * cos(2 * M_PI * t) + 0.08 * cos(4 * M_PI * t);
}

static double hamming(double t, double alpha, double beta) {
    return alpha - beta * cos(2 * M_PI * t);
}

static double kaiser(double t, double beta, double unused) {
    (void)unused;
    const double x = 2 * t - 1;
    return tg_bessel_i0(beta * sqrt(fmax(1 - x * x, 0))) / tg_bessel_i0(beta);
}

/* A periodic window is one of a sample more, without the last. */
static Tensor *window(const char *name, Window *f, int64_t length, bool periodic, double alpha, double beta,
                      const t_TensorOptions *options) {
    const t_DType dtype = tg_option_dtype(options, tg_default_dtype());
    if (length < 0)
        return tg_fail("%s requires non-negative window_length, got window_length=%lld", name, (long long)length);
    if (!tg_is_floating(dtype)) return tg_fail("%s expects floating point dtypes, got: %s", name, t_dtype_repr(dtype));
    int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&length, 1, t_float64) : NULL;
    if (x) {
        const double last = (double)length - !periodic;
        double *value = tg_data(x);
        for (int64_t i = 0; i < length; i++) value[i] = length == 1 ? 1 : f((double)i / last, alpha, beta);
    }
    Tensor *y = x ? t_keep_object(t_to(x, dtype)) : NULL;
    t_scope_close(depth);
    return tg_apply_options(y, options);
}

/* torch.bartlett_window(window_length, periodic=True): y_n = 1 - |2 n / (N - 1) - 1|, n < N = window_length, for N + 1
 * samples without the last if periodic. One sample is 1. Errors: a negative length, a dtype that is not floating. */
Tensor *t_bartlett_window(int64_t window_length, bool periodic, const t_TensorOptions *options) {
    return window("bartlett_window", bartlett, window_length, periodic, 0, 0, options);
}

/* torch.blackman_window: 0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1)) */
Tensor *t_blackman_window(int64_t window_length, bool periodic, const t_TensorOptions *options) {
    return window("blackman_window", blackman, window_length, periodic, 0, 0, options);
}

/* torch.hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46): alpha - beta cos(2 pi n / (N - 1)) */
Tensor *t_hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                         const t_TensorOptions *options) {
    return window("hamming_window", hamming, window_length, periodic, alpha, beta, options);
}

/* torch.hann_window: 0.5 - 0.5 cos(2 pi n / (N - 1)) */
Tensor *t_hann_window(int64_t window_length, bool periodic, const t_TensorOptions *options) {
    return window("hann_window", hamming, window_length, periodic, 0.5, 0.5, options);
}

/* torch.kaiser_window(window_length, periodic=True, beta=12.0): I0(beta sqrt(1 - (2 n / (N - 1) - 1)^2)) / I0(beta) */
Tensor *t_kaiser_window(int64_t window_length, bool periodic, double beta, const t_TensorOptions *options) {
    return window("kaiser_window", kaiser, window_length, periodic, beta, 0, options);
}
