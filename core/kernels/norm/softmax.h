/* core/kernels/norm/softmax.h: softmax, log-softmax, and their gradients on raw memory. */
#ifndef TAPEGRAD_CORE_KERNELS_NORM_SOFTMAX_H
#define TAPEGRAD_CORE_KERNELS_NORM_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

enum { TG_SOFTMAX_COLUMNS = 16 }; /* the least inner > 1 of these kernels: two AVX2 vectors of floats */

typedef struct tg_Softmax {
    int64_t outer, n, inner; /* operands are contiguous (outer, n, inner); the sums are over n */
    bool f64, logarithm, backward;
    const void *x, *y; /* forward: x. Backward: x is dy, and y the result of forward */
    void *out;         /* overlaps neither */
} tg_Softmax;

void tg_softmax(tg_Softmax *job);

#endif
