/* core/kernels/elementwise/elementwise_internal.h: what elementwise.inc, elementwise.c and elementwise_scalar.c share:
 * runs of elements, and the loops over libm. */
#ifndef TAPEGRAD_CORE_KERNELS_ELEMENTWISE_ELEMENTWISE_INTERNAL_H
#define TAPEGRAD_CORE_KERNELS_ELEMENTWISE_ELEMENTWISE_INTERNAL_H

#include <stdbool.h>

#include "core/kernels/elementwise/elementwise.h"

enum { TG_RUN = 128 }; /* elements of a buffered run */

/* A loop over n elements, and the run that it processes at present: in whole vectors, from in[] to out. */
typedef struct tg_Runs {
    const char *in[3];
    int64_t step[3]; /* bytes from one vector of in[] to the next: 0 for a splat, else the size of a vector */
    char *out;
    int64_t n, done, length; /* elements: of all runs, of those before this one, of this one */
    bool is_buffered;        /* in[] and out are buffers */
    int inputs;
    int64_t in_size, out_size; /* bytes of an element */
    char *const *data;
    const int64_t *strides;
    _Alignas(64) char splat[3][64]; /* an operand of stride 0 */
    char buffer[4][TG_RUN * 8];     /* of the inputs and the output */
} tg_Runs;

/* Stores the output of the run if it is buffered, and loads the buffers of the next. Returns its length, 0 at the
 * end. */
int64_t tg_next_run(tg_Runs *runs);

#define UNARY_LIBM(name, formula, scalar) TG_DECLARE_LOOP(name##_float32_libm);
#include "core/kernels/elementwise/elementwise_table.inc"

#endif
