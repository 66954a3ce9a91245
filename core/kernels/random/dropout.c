/* core/kernels/random/dropout.c: Dropout: dispatch; dropout.inc has the loop. */
#include "core/kernels/random/dropout.h"

#include <math.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

enum { GRAIN = 1 << 14 }; /* elements; a multiple of 64, so that threads read different words of the mask */

typedef struct tg_Dropout {
    void *y;
    const void *x;
    const uint64_t *mask;
    double scale;
} tg_Dropout;

#define UP_TO_AVX2
#define KERNEL "core/kernels/random/dropout.inc"
#include "core/kernels/dispatch.inc"

void tg_dropout_f32(float *y, const float *x, const uint64_t *mask, int64_t n, double scale) {
    tg_Dropout d = {y, x, mask, scale};
    tg_parallel(n, GRAIN, TG_PICK_UP_TO_AVX2(dropout_part_f32), &d);
}

void tg_dropout_f64(double *y, const double *x, const uint64_t *mask, int64_t n, double scale) {
    tg_Dropout d = {y, x, mask, scale};
    tg_parallel(n, GRAIN, TG_PICK_UP_TO_AVX2(dropout_part_f64), &d);
}
