/* core/kernels/conv/conv.c: convolutions by im2col: the elements under the window become the columns of a matrix,
 * block by block, and a matrix product does the rest.
 *
 *     pack the weights once, in panels as the micro-kernel reads them        parallel
 *     for each unit                                                          parallel
 *       for slabs of kc rows (channels x window elements)
 *         columns = im2col of a block of positions                           kc x some hundred positions
 *         C += chunk of packed weights x columns                             gemm_macrokernel.c
 *
 *     y = w columns(x) + bias          units: groups x blocks x chunks of output channels
 *     x = col2im(w^T y) + bias         units: groups x samples x chunks of input channels; with a stride of 1 it is a
 *                                      convolution itself, of y with the flipped window
 *     w = y columns(x)^T               units: groups x chunks of both x parts of the blocks; sums added in order
 *
 * A block has so many positions, of one sample or, if planes are small, of several, that its columns stay in half of L2
 * (192 KB); a chunk of at most 192 rows of weights fills the other half. A unit computes its columns itself, which is
 * cheap compared to the product with some hundred rows, and no other unit writes its results. The micro-kernel has
 * gemm.c's budget of registers and L1.
 *
 * The plan depends on the sizes alone, so the bits do not depend on the number of threads. */
#include "core/kernels/conv/conv.h"

#include <string.h>

#include "core/kernels/conv/conv_plan.h"
#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"

enum { CHUNK = 192, DEEP = 384, HALF_L2 = 192 * 1024, LEAST_WORK = 1 << 19 };

/* ---- the plan ---- */

/* Chooses blocks of about `about` positions. */
static void plan_blocks(tg_Conv *z, int64_t about) {
    const int64_t pieces = tg_ceil_div(z->P, about);
    z->positions = pieces == 1 ? z->P : tg_round_up(tg_ceil_div(z->P, pieces), 16);
    z->samples = z->P * 2 <= about ? tg_min(about / z->P, z->N) : 1;
    z->blocks = z->samples > 1 ? tg_ceil_div(z->N, z->samples) : z->N * tg_ceil_div(z->P, z->positions);
    z->row_stride = tg_round_up(z->samples * z->positions, 16) + 16;
    if (z->row_stride * z->kernel->size % 512 == 0) z->row_stride += 16; /* such rows would be in few sets of L1 */
}

/* A 1 x 1 window over contiguous rows becomes one over a single long row. (With the output padding of a transposed
 * convolution x has more elements than positions: then a row's end has no position.) */
static void flatten_1x1(tg_Conv *z) {
    tg_Window *w = &z->window;
    for (int d = 0; d < 2; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->padding[d] != 0 || w->in[d] != w->out[d]) return;
    if (w->in[0] > 1 && z->x_strides[1] != w->in[1] * z->x_strides[2]) return;
    w->in[1] = w->out[1] = w->in[0] * w->in[1];
    w->in[0] = w->out[0] = 1;
}

/* For y: weights by rows, in chunks of channels. For x: weights by columns, in chunks of complete windows. */
static size_t plan_products(tg_Conv *z, tg_ConvPass pass) {
    const int64_t size = z->kernel->size, window = tg_window_size(z), in = z->C / z->groups, out = z->O / z->groups;
    const bool forward = pass == TG_CONV_OUTPUT;
    z->M = forward ? out : in * window;
    z->K = forward ? in * window : out;
    z->rows = forward ? tg_min(out, CHUNK) : tg_min(in, CHUNK / window ? CHUNK / window : 1) * window;
    z->chunks = tg_ceil_div(z->M, z->rows);
    z->kc = z->K <= DEEP ? z->K : tg_ceil_div(z->K, tg_ceil_div(z->K, DEEP * 3 / 4));
    const int64_t about = HALF_L2 / (z->kc * size);
    const int64_t packed = z->groups * z->chunks * tg_panel_count(z->kernel, z->rows) * tg_panel_bytes(z, z->K);
    plan_blocks(z, about < 64 ? 64 : about > 512 ? 512 : about);
    z->thread_bytes = (z->kc + z->rows) * z->row_stride * size;
    return (size_t)tg_round_up(packed, 64);
}

static size_t plan_weight(tg_Conv *z) {
    const int64_t size = z->kernel->size;
    z->M = z->O / z->groups;
    z->K = z->C / z->groups * tg_window_size(z);
    z->columns = tg_min(z->K, CHUNK);
    z->column_chunks = tg_ceil_div(z->K, z->columns);
    z->rows = tg_min(z->M, CHUNK);
    z->chunks = tg_ceil_div(z->M, z->rows);
    plan_blocks(z, 256);
    const double work = (double)z->N * (double)z->P * (double)z->O * (double)z->K;
    const int64_t cut = z->groups * z->chunks * z->column_chunks;
    z->parts = work < 2 * LEAST_WORK || cut >= 16 ? 1 : tg_min(16 / cut, z->blocks);
    z->thread_bytes = (z->columns + tg_round_up(z->rows, 2 * z->kernel->lanes)) * z->row_stride * size;
    return (size_t)tg_round_up(z->parts * z->groups * z->K * z->M * size, 64);
}

size_t tg_conv_workspace(tg_Conv *z, tg_ConvPass pass) {
    flatten_1x1(z);
    z->kernel = tg_gemm_kernel(z->f64, CHUNK);
    z->P = z->window.out[0] * z->window.out[1];
    const size_t shared = pass == TG_CONV_WEIGHT ? plan_weight(z) : plan_products(z, pass);
    z->threads = tg_num_threads();
    z->thread_bytes = tg_round_up(z->thread_bytes, 64);
    z->shared = z->workspace;
    return shared + (size_t)z->thread_bytes * (size_t)z->threads;
}

/* ---- the convolution ---- */

void tg_conv(tg_Conv *z, tg_ConvPass pass) {
    const bool weight = pass == TG_CONV_WEIGHT;
    const int64_t cut = z->groups * z->chunks,
                  blocks = pass == TG_CONV_INPUT ? z->blocks / tg_blocks_per_unit(z) : z->blocks;
    const int64_t units = cut * (weight ? z->parts * z->column_chunks : blocks);
    const double work = (double)z->N * (double)z->P * (double)z->groups * (double)z->M * (double)z->K;
    const int64_t grain = (int64_t)(LEAST_WORK * (double)units / work) + 1;
    atomic_flag taken[TG_MAX_THREADS] = {ATOMIC_FLAG_INIT};
    z->taken = taken;
    z->shared = z->workspace;
    z->thread_buffers =
        z->shared + (weight ? tg_round_up(z->parts * z->groups * z->K * z->M * z->kernel->size, 64)
                            : tg_round_up(cut * tg_panel_count(z->kernel, z->rows) * tg_panel_bytes(z, z->K), 64));
    if (!weight)
        tg_parallel(cut, 1 + LEAST_WORK / 16 / (z->rows * z->K),
                    pass == TG_CONV_OUTPUT ? tg_conv_pack_by_rows : tg_conv_pack_by_columns, z);
    tg_parallel(units, grain,
                pass == TG_CONV_OUTPUT ? tg_conv_output_units
                : weight                ? tg_conv_weight_units
                                        : tg_conv_input_units,
                z);
    if (weight) tg_conv_reduce_weight(z);
}

/* ---- x as the output of a convolution ---- */

size_t tg_conv_flipped_bytes(const tg_Conv *z) {
    const tg_Window *w = &z->window;
    for (int d = 0; d < 2; d++)
        if (w->stride[d] != 1 || w->padding[d] > (w->kernel[d] - 1) * w->dilation[d]) return 0;
    const bool wide = z->C / z->groups >= 32 || 2 * z->C >= z->O; /* else im2col costs more than the product */
    if (!wide || w->in[0] * w->in[1] > w->out[0] * w->out[1] * 4 / 3) return 0;
    return (size_t)(z->O * (z->C / z->groups) * tg_window_size(z) * (z->f64 ? 8 : 4));
}

typedef struct Flip {
    const tg_Conv *conv;
    char *to;
} Flip;

/* The weights of some channels of x, in all groups. */
static void flip_weights(int64_t from, int64_t last, void *context) {
    const Flip *t = context;
    const tg_Conv *z = t->conv;
    const int64_t in = z->C / z->groups, out = z->O / z->groups, window = tg_window_size(z), size = z->f64 ? 8 : 4;
    for (int64_t g = 0; g < z->groups; g++)
        for (int64_t o = 0; o < out; o++)
            for (int64_t c = from; c < last; c++) {
                const char *w = (const char *)z->w + ((g * out + o) * in + c + 1) * window * size;
                tg_copy_loop(size, size, -size)(window, t->to + ((g * in + c) * out + o) * window * size, size,
                                                w - size, -size);
            }
}

void tg_conv_flip(tg_Conv *z, void *weights) {
    const int64_t in = z->C / z->groups, size = z->f64 ? 8 : 4;
    tg_parallel(in, 1 + 16384 / (z->O * tg_window_size(z)), flip_weights, &(Flip){z, weights});
    tg_Window *w = &z->window;
    const tg_Conv given = *z;
    for (int d = 0; d < 2; d++) {
        w->in[d] = given.window.out[d];
        w->out[d] = given.window.in[d];
        w->padding[d] = (w->kernel[d] - 1) * w->dilation[d] - w->padding[d];
    }
    z->C = given.O;
    z->O = given.C;
    z->x = given.y;
    z->y = given.x;
    z->w = weights;
    z->x_strides[2] = 1;
    z->x_strides[1] = w->in[1];
    z->x_strides[0] = w->in[0] * w->in[1];
    z->x_batch_stride = z->C * z->x_strides[0];
    z->x_end = (char *)z->x + z->N * z->x_batch_stride * size;
}
