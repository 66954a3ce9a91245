/* How runs of whole vectors become loops over n numbers of any step (of elementwise.c). */
#ifndef TG_KERNELS_CURVES_WALK_H
#define TG_KERNELS_CURVES_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/kernels/elementwise/elementwise.h"

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

/* n numbers, at least a line of 64 bytes, that lie side by side; apart: no input lies in the output's place. */
void tg_run_lines(Run *run, const Shape *shape, int64_t n, const Operands *o, bool apart, const Knobs *knobs);

/* Who makes a loop's lines. A loop of elementwise.c that is asked for 0 numbers, with tg_who_runs as their steps, writes it to p[0] (but
 * not where floats are run as doubles). So does one that hands its operands and steps on to such a loop: where that is not all it
 * does, it must not pass on these, unless they are bools, whose answer nobody takes. */
typedef struct Runner {
    Run *run;
    Curve *curve;
    Shape shape;
} Runner;
extern const int64_t tg_who_runs[];

#endif
