/* Depthwise convolutions for every instruction set; depthwise.inc explains them. */
#include "depthwise.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "isa.h"
#include "parallel.h"

/* ---- room for one padded plane for each thread ---- */

enum { SLACK = 128 }; /* bytes beyond the plane that four vectors may read */

static int64_t plane_bytes(const tg_Depthwise *z) {
    return (z->size[0] * z->phases * z->phase_size * (z->f64 ? 8 : 4) + SLACK + 63) / 64 * 64;
}

static void *take_room(const tg_Depthwise *z) {
    int i = 0;
    while (atomic_flag_test_and_set(&z->taken[i])) i = (i + 1) % z->rooms;
    return memset(z->room + i * plane_bytes(z), 0, (size_t)plane_bytes(z));
}

static void give_room(const tg_Depthwise *z, void *room) {
    atomic_flag_clear(&z->taken[((char *)room - z->room) / plane_bytes(z)]);
}

#define UP_TO_AVX2
#define DOUBLES_ARE_RARE
#define KERNEL "depthwise.inc"
#include "instances.inc"

int64_t tg_depthwise_room(tg_Depthwise *z, int which) {
    for (int d = 0; d < 2; d++) {
        const int64_t reach = (z->kernel[d] - 1) * z->dilation[d];
        z->size[d] = which == TG_INPUT ? z->in[d] + reach : (z->out[d] - 1) * z->stride[d] + reach + 1;
    }
    z->phases = which == TG_INPUT ? 1 : z->stride[1];
    z->phase_size = (z->size[1] + z->phases - 1) / z->phases;
    z->rooms = tg_num_threads();
    return plane_bytes(z) * z->rooms;
}

void tg_depthwise(tg_Depthwise *z, int which) {
    const tg_Stretch f32[] = {TG_PICK_UP_TO_AVX2(to_output_f32), TG_PICK_UP_TO_AVX2(to_input_f32), TG_PICK_UP_TO_AVX2(to_weight_f32)};
    const tg_Stretch f64[] = {TG_PICK_RARE(to_output_f64), TG_PICK_RARE(to_input_f64), TG_PICK_RARE(to_weight_f64)};
    atomic_flag taken[TG_MOST_THREADS] = {ATOMIC_FLAG_INIT};
    const int64_t items = which == TG_WEIGHT ? z->C : z->N * z->C, work = z->size[0] * z->size[1] * z->kernel[0] * z->kernel[1];
    const int64_t each = which == TG_WEIGHT ? work * z->N : work, grain = 65536 / (each > 0 ? each : 1);
    z->taken = taken;
    tg_parallel(items, grain > 0 ? grain : 1, (z->f64 ? f64 : f32)[which], z);
}
