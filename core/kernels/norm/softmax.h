/* Softmax, its logarithm, and their gradients on raw memory. */
#ifndef TG_KERNELS_SOFTMAX_H
#define TG_KERNELS_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

enum { TG_SOFTMAX_COLUMNS = 16 }; /* an inner of 2 to 15 is nothing for these kernels: it makes too short a vector */

typedef struct tg_Softmax {
    int64_t outer, n, inner; /* all operands are contiguous (outer, n, inner); the sums go over n */
    bool f64, logarithm, backward;
    const void *x, *y; /* forward: x. Backward: x is dy, and y what forward gave */
    void *out;         /* overlaps neither */
} tg_Softmax;

void tg_softmax(tg_Softmax *job);

#endif
