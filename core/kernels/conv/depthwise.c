/* Depthwise convolutions for every instruction set; depthwise.inc explains them. */
#include "core/kernels/conv/depthwise.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

/* ---- room for padded planes for each thread ---- */

enum { SLACK = 128, MOST_LANES = 8 }; /* bytes beyond the planes that four vectors may read */

static int64_t room_bytes(const tg_Depthwise *z) {
    return ((z->planes * z->size[0] * z->phases * z->phase_size + z->out[0] * z->wide) * (z->f64 ? 8 : 4) + SLACK + 63) / 64 * 64;
}

static void *take_room(const tg_Depthwise *z) {
    int i = 0;
    while (atomic_flag_test_and_set(&z->taken[i])) i = (i + 1) % z->rooms;
    return memset(z->room + i * room_bytes(z), 0, (size_t)room_bytes(z));
}

static void give_room(const tg_Depthwise *z, void *room) {
    atomic_flag_clear(&z->taken[((char *)room - z->room) / room_bytes(z)]);
}

enum { TG_WEIGHTS_AT_ONCE = 5 }; /* numbers of w whose sums are made together */

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/depthwise.inc"
#include "core/kernels/dispatch.inc"

int64_t tg_depthwise_workspace(tg_Depthwise *z, int which) {
    for (int d = 0; d < 2; d++) {
        const int64_t reach = (z->kernel[d] - 1) * z->dilation[d];
        z->size[d] = which == TG_INPUT ? z->in[d] + reach : (z->out[d] - 1) * z->stride[d] + reach + 1;
    }
    z->planes = which == TG_INPUT ? z->O / z->C : 1;
    z->phases = which == TG_INPUT ? 1 : z->stride[1];
    z->wide = which == TG_WEIGHT ? (z->out[1] + MOST_LANES - 1) / MOST_LANES * MOST_LANES : 0;
    z->phase_size = (z->size[1] + z->phases - 1) / z->phases + (z->wide ? MOST_LANES : 0);
    z->rooms = tg_num_threads();
    return room_bytes(z) * z->rooms;
}

/* Where the numbers of a window stand, from a place on; turned round, of a plane for each output of the channel, one behind the
 * other. */
static void find_window(const tg_Depthwise *z, bool turned, int64_t *offset) {
    const int64_t rows = z->kernel[0], columns = z->kernel[1], plane = z->size[0] * z->phases * z->phase_size;
    for (int64_t i = 0; i < z->planes * rows * columns; i++) {
        const int64_t k = i % (rows * columns), number = turned ? rows * columns - 1 - k : k, kj = number % columns * z->dilation[1];
        *offset++ = i / (rows * columns) * plane + kj / z->phases +
                    (number / columns * z->dilation[0] * z->phases + kj % z->phases) * z->phase_size;
    }
}

void tg_depthwise(tg_Depthwise *z, int which) {
    int64_t offset[TG_WINDOW * TG_OUTPUTS + TG_WEIGHTS_AT_ONCE] = {0};
    find_window(z, which == TG_INPUT, offset);
    z->offset = offset;
    const tg_ParallelBody f32[] = {TG_PICK_UP_TO_AVX2(to_output_f32), TG_PICK_UP_TO_AVX2(to_input_f32), TG_PICK_UP_TO_AVX2(to_weight_f32)};
    const tg_ParallelBody f64[] = {TG_PICK_UP_TO_AVX2(to_output_f64), TG_PICK_UP_TO_AVX2(to_input_f64), TG_PICK_UP_TO_AVX2(to_weight_f64)};
    atomic_flag taken[TG_MAX_THREADS] = {ATOMIC_FLAG_INIT};
    const int64_t items = which == TG_WEIGHT ? z->C : z->N * z->C, work = z->size[0] * z->size[1] * z->kernel[0] * z->kernel[1];
    const int64_t each = which == TG_WEIGHT ? work * z->N : work, grain = 65536 / (each > 0 ? each : 1);
    z->taken = taken;
    tg_parallel(items, grain > 0 ? grain : 1, (z->f64 ? f64 : f32)[which], z);
}
