/* How runs of whole vectors become loops over n numbers of any step (of curves.c). */
#ifndef TG_KERNELS_CURVES_WALK_H
#define TG_KERNELS_CURVES_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "curves.h"

typedef void Curve(void); /* what a run calls: its type is known where the run is */

/* What a run of whole vectors sees: an operand's mask is -1, or 0 where it is one number for all, which fills a vector. Operands
 * that the curve does not have are the first one. */
typedef struct Operands {
    const void *in[3];
    void *out;
    int64_t mask[3];
    Curve *curve;
} Operands;

typedef void Run(int64_t n, const Operands *o, const Knobs *knobs);

/* How a run takes its operands: how many, the bytes of one element in and out (1 in: eight bools are one of the run's n), and
 * whether floats are run as doubles. */
typedef struct Shape {
    int8_t inputs, in, out;
    bool widen;
} Shape;

void tg_walk_curve(Run *run, Curve *curve, const Shape *shape, int64_t n, char *const *p, const int64_t *s, const Knobs *knobs);

/* What makes whole lines of 64 bytes for a loop, if it is one of those that wait for memory, or nearly; else, and for x86-64 without
 * AVX2, NULL. */
Run *tg_run_of_rows(tg_CurveLoop *loop);

#endif
