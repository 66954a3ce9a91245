/* Steps of recurrences for every instruction set; rnn_cell.inc explains them. */
#include "core/kernels/rnn/rnn_cell.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/rnn/rnn_cell.inc"
#include "core/kernels/dispatch.inc"

enum { GRAIN = 2048 }; /* elements: with the functions of their gates some 10 us */

static void run(const tg_RNNCell *s, tg_ParallelBody stretch) {
    tg_parallel(s->B, 1 + GRAIN / s->H, stretch, (void *)s);
}

void tg_rnn_cell(const tg_RNNCell *s) {
    run(s, s->f64 ? TG_PICK_UP_TO_AVX2(step_f64) : TG_PICK_UP_TO_AVX2(step_f32));
}

void tg_rnn_cell_backward(const tg_RNNCell *s) {
    run(s, s->f64 ? TG_PICK_UP_TO_AVX2(step_back_f64) : TG_PICK_UP_TO_AVX2(step_back_f32));
}
