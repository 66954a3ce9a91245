/* core/kernels/conv/grid_sample.h: bilinear sampling of images at the positions of a grid, and its gradient, on raw
 * memory. */
#ifndef TAPEGRAD_CORE_KERNELS_CONV_GRID_SAMPLE_H
#define TAPEGRAD_CORE_KERNELS_CONV_GRID_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_GridPadding { TG_GRID_ZEROS, TG_GRID_BORDER, TG_GRID_REFLECTION } tg_GridPadding;

/* All arrays are contiguous, float or double: input and dinput (samples, channels, height, width), grid and dgrid
 * (samples, positions, 2), y and dy (samples, channels, positions). height width must be below 2^31, and
 * width at least 2. */
typedef struct tg_GridSample {
    int64_t samples, channels, height, width, positions;
    tg_GridPadding padding;
    bool align_corners;
    const void *input, *grid, *dy;
    void *y, *dinput, *dgrid; /* in the backward dinput, to which is added, or dgrid may be NULL */
} tg_GridSample;

void tg_grid_sample(const tg_GridSample *s, bool is_double);
void tg_grid_sample_backward(const tg_GridSample *s, bool is_double);

#endif
