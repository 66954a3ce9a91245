/* nn/functional/vision/interpolate_internal.h: what nn.Upsample needs of F.interpolate (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_INTERPOLATE_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_INTERPOLATE_INTERNAL_H

#include "nn/functional/vision/vision.h"

typedef enum Filter { NEAREST, NEAREST_EXACT, LINEAR, CUBIC, LANCZOS, AREA } Filter;

/* Dims are {depth, height, width}; those that x does not have are of size 1. `step` is the distance in the source
 * between two neighbouring outputs. */
typedef struct Resize {
    int dims;
    Filter filter;
    bool align_corners, antialias;
    int64_t in[3], out[3];
    double step[3];
} Resize;

/* The mode of that name as a string literal; NULL if there is none. */
const char *tg_interpolate_mode(const char *name);
/* The numbers of sizes and of factors: 0 for none, -1 for one that is for all dims. */
int tg_sizes_given(const F_InterpolateOptions *o, int dims);
int tg_factors_given(const F_InterpolateOptions *o);
/* "2.0", or "(2.0, 3.0)" for several. */
void tg_factors_repr(const double *factors, int count, char *text, size_t size);

#endif
