/* core/kernels/conv/conv_plan.h: the units of work of a convolution (internal to conv). */
#ifndef TAPEGRAD_CORE_KERNELS_CONV_CONV_PLAN_H
#define TAPEGRAD_CORE_KERNELS_CONV_CONV_PLAN_H

#include "core/kernels/conv/conv.h"
#include "core/kernels/gemm/gemm_macrokernel.h"

static inline int64_t tg_round_up(int64_t n, int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

static inline int64_t tg_ceil_div(int64_t n, int64_t d) {
    return (n + d - 1) / d;
}

static inline int64_t tg_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t tg_panel_count(const tg_GemmKernel *kernel, int64_t rows) {
    int64_t panels = 0;
    for (int64_t i = 0; i < rows; i += tg_tile_height(kernel, rows - i)) panels++;
    return panels;
}

/* The bytes of a packed panel, slab by slab, up to depth pc. */
static inline int64_t tg_panel_bytes(const tg_Conv *z, int64_t pc) {
    const int64_t slabs = tg_ceil_div(pc, z->kc), whole = pc / z->kc * z->kc;
    const int64_t last = pc > whole ? pc - whole : z->kc;
    return (slabs ? (slabs - 1) * tg_a_panel_size(z->kernel, z->kc) + tg_a_panel_size(z->kernel, last) : 0) *
           z->kernel->size;
}

static inline int64_t tg_window_size(const tg_Conv *z) {
    return z->window.kernel[0] * z->window.kernel[1];
}

/* The blocks of one unit of x, because they add to the same elements: those of a sample, or of several. */
static inline int64_t tg_blocks_per_unit(const tg_Conv *z) {
    return z->samples > 1 ? 1 : tg_ceil_div(z->P, z->positions);
}

/* Packs the weights by rows or by columns; items are groups x chunks. */
void tg_conv_pack_by_rows(int64_t from, int64_t to, void *conv);
void tg_conv_pack_by_columns(int64_t from, int64_t to, void *conv);

/* The units in the order of conv.c. */
void tg_conv_output_units(int64_t from, int64_t to, void *conv);
void tg_conv_input_units(int64_t from, int64_t to, void *conv);
void tg_conv_weight_units(int64_t from, int64_t to, void *conv);
void tg_conv_reduce_weight(const tg_Conv *z); /* adds the partial sums */

#endif
