/* Sums and extremes for every instruction set; fold.inc explains them. */
#include "fold.h"

#include "isa.h"

#define UP_TO_AVX2
#define KERNEL "fold.inc"
#include "instances.inc"

#define FOLDS_OF(real, type)                                                                     \
    double tg_sum_row_##type(int64_t n, const real *x) {                                         \
        return TG_PICK_UP_TO_AVX2(sum_row_##type)(n, x);                                         \
    }                                                                                            \
    void tg_sum_run_##type(int64_t n, double *y, const real *x) {                                \
        TG_PICK_UP_TO_AVX2(sum_run_##type)(n, y, x);                                             \
    }                                                                                            \
    real tg_extreme_row_##type(int64_t n, real y, const real *x, bool largest) {                 \
        return TG_PICK_UP_TO_AVX2(largest_row_##type)(n, y, x, largest ? 1 : -1);                \
    }                                                                                            \
    void tg_extreme_run_##type(int64_t n, real *y, const real *x, bool largest) {                \
        TG_PICK_UP_TO_AVX2(largest_run_##type)(n, y, x, largest ? 1 : -1);                       \
    }
FOLDS_OF(float, f32)
FOLDS_OF(double, f64)
