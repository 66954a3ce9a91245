/* core/kernels/conv/grid_sample.c: dispatch; grid_sample.inc has the loops. */
#include "core/kernels/conv/grid_sample.h"

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

enum { BLOCK = 1024 }; /* positions of a task in the forward */

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/grid_sample.inc"
#include "core/kernels/dispatch.inc"

void tg_grid_sample(const tg_GridSample *s, bool is_double) {
    const int64_t blocks = (s->positions + BLOCK - 1) / BLOCK, work = s->positions < BLOCK ? s->positions : BLOCK;
    if (s->channels && work)
        tg_parallel(s->samples * blocks, 1 + 4096 / (work * s->channels),
                    is_double ? TG_PICK_UP_TO_AVX2(grid_sample_f64) : TG_PICK_UP_TO_AVX2(grid_sample_f32), (void *)s);
}

/* One thread for a sample: two positions may add to the same pixel. */
void tg_grid_sample_backward(const tg_GridSample *s, bool is_double) {
    if (s->positions)
        tg_parallel(s->samples, 1 + 2048 / (s->positions * (s->channels + 1)),
                    is_double ? TG_PICK_UP_TO_AVX2(grid_sample_backward_f64)
                              : TG_PICK_UP_TO_AVX2(grid_sample_backward_f32),
                    (void *)s);
}
