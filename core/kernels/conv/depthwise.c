/* core/kernels/conv/depthwise.c: depthwise convolutions: dispatch and buffers; depthwise.inc has the loops. */
#include "core/kernels/conv/depthwise.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

/* ---- each thread's buffer of padded planes ---- */

enum { SLACK = 128, MOST_LANES = 8 }; /* bytes after the planes that four vectors may read; lanes of AVX2 */

static int64_t buffer_bytes(const tg_Depthwise *z) {
    return ((z->planes * z->size[0] * z->phases * z->phase_size + z->out[0] * z->padded_width) * (z->f64 ? 8 : 4) +
            SLACK + 63) /
           64 * 64;
}

static void *take_buffer(const tg_Depthwise *z) {
    int i = 0;
    while (atomic_flag_test_and_set(&z->taken[i])) i = (i + 1) % z->buffers;
    return memset(z->workspace + i * buffer_bytes(z), 0, (size_t)buffer_bytes(z));
}

static void return_buffer(const tg_Depthwise *z, void *workspace) {
    atomic_flag_clear(&z->taken[((char *)workspace - z->workspace) / buffer_bytes(z)]);
}

enum { TG_WEIGHTS_AT_ONCE = 5 }; /* elements of w whose gradients are summed together */

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/depthwise.inc"
#include "core/kernels/dispatch.inc"

int64_t tg_depthwise_workspace(tg_Depthwise *z, tg_ConvPass pass) {
    for (int d = 0; d < 2; d++) {
        const int64_t reach = (z->kernel[d] - 1) * z->dilation[d];
        z->size[d] = pass == TG_CONV_INPUT ? z->in[d] + reach : (z->out[d] - 1) * z->stride[d] + reach + 1;
    }
    z->planes = pass == TG_CONV_INPUT ? z->O / z->C : 1;
    z->phases = pass == TG_CONV_INPUT ? 1 : z->stride[1];
    z->padded_width = pass == TG_CONV_WEIGHT ? (z->out[1] + MOST_LANES - 1) / MOST_LANES * MOST_LANES : 0;
    z->phase_size = (z->size[1] + z->phases - 1) / z->phases + (z->padded_width ? MOST_LANES : 0);
    z->buffers = tg_num_threads();
    return buffer_bytes(z) * z->buffers;
}

/* The offsets of a window's elements from a position; flipped, of one plane after the other for each output of the
 * channel. */
static void window_offsets(const tg_Depthwise *z, bool flipped, int64_t *offset) {
    const int64_t rows = z->kernel[0], columns = z->kernel[1], plane = z->size[0] * z->phases * z->phase_size;
    for (int64_t i = 0; i < z->planes * rows * columns; i++) {
        const int64_t k = i % (rows * columns), number = flipped ? rows * columns - 1 - k : k,
                      kj = number % columns * z->dilation[1];
        *offset++ = i / (rows * columns) * plane + kj / z->phases +
                    (number / columns * z->dilation[0] * z->phases + kj % z->phases) * z->phase_size;
    }
}

void tg_depthwise(tg_Depthwise *z, tg_ConvPass pass) {
    int64_t offset[TG_WINDOW * TG_OUTPUTS + TG_WEIGHTS_AT_ONCE] = {0};
    window_offsets(z, pass == TG_CONV_INPUT, offset);
    z->offset = offset;
    const tg_ParallelBody f32[] = {TG_PICK_UP_TO_AVX2(to_output_f32), TG_PICK_UP_TO_AVX2(to_input_f32),
                                   TG_PICK_UP_TO_AVX2(to_weight_f32)};
    const tg_ParallelBody f64[] = {TG_PICK_UP_TO_AVX2(to_output_f64), TG_PICK_UP_TO_AVX2(to_input_f64),
                                   TG_PICK_UP_TO_AVX2(to_weight_f64)};
    atomic_flag taken[TG_MAX_THREADS] = {ATOMIC_FLAG_INIT};
    const int64_t items = pass == TG_CONV_WEIGHT ? z->C : z->N * z->C,
                  work = z->size[0] * z->size[1] * z->kernel[0] * z->kernel[1];
    const int64_t each = pass == TG_CONV_WEIGHT ? work * z->N : work, grain = 65536 / (each > 0 ? each : 1);
    z->taken = taken;
    tg_parallel(items, grain > 0 ? grain : 1, (z->f64 ? f64 : f32)[pass], z);
}
