/* core/kernels/rnn/rnn_cell.c: the cells of LSTM, GRU and RNN: dispatch; rnn_cell.inc has the formulas. */
#include "core/kernels/rnn/rnn_cell.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/rnn/rnn_cell.inc"
#include "core/kernels/dispatch.inc"

enum { GRAIN = 2048 }; /* elements: some 10 us with the gates' functions */

static void parallel_rows(const tg_RNNCell *s, tg_ParallelBody body) {
    tg_parallel(s->B, 1 + GRAIN / s->H, body, (void *)s);
}

void tg_rnn_cell(const tg_RNNCell *s) {
    parallel_rows(s, s->f64 ? TG_PICK_UP_TO_AVX2(cell_f64) : TG_PICK_UP_TO_AVX2(cell_f32));
}

void tg_rnn_cell_backward(const tg_RNNCell *s) {
    parallel_rows(s, s->f64 ? TG_PICK_UP_TO_AVX2(cell_backward_f64) : TG_PICK_UP_TO_AVX2(cell_backward_f32));
}
