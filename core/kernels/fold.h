/* Many numbers brought into one: sums and extremes. */
#ifndef TG_KERNELS_FOLD_H
#define TG_KERNELS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

/* The sum of a row, gathered in double; and y[i] += x[i]. */
double tg_sum_row_f32(int64_t n, const float *x);
double tg_sum_row_f64(int64_t n, const double *x);
void tg_sum_run_f32(int64_t n, double *y, const float *x);
void tg_sum_run_f64(int64_t n, double *y, const double *x);

/* The largest (or smallest) of y and a row; and y[i] = the larger of y[i] and x[i]. A NaN beats everything. */
float tg_extreme_row_f32(int64_t n, float y, const float *x, bool largest);
double tg_extreme_row_f64(int64_t n, double y, const double *x, bool largest);
void tg_extreme_run_f32(int64_t n, float *y, const float *x, bool largest);
void tg_extreme_run_f64(int64_t n, double *y, const double *x, bool largest);

#endif
