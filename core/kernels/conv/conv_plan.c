/* core/kernels/conv/conv_plan.c: the units of work of a convolution: im2col of a block, the packed weights, and their
 * product. */
#include "core/kernels/conv/conv_plan.h"

#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/kernels/transpose.h"

/* ---- blocks of columns ---- */

typedef struct Block {
    int64_t n, samples, position, positions; /* the positions of samples n .. n + samples - 1 */
} Block;

static Block block_at(const tg_Conv *z, int64_t number) {
    if (z->samples > 1) return (Block){number * z->samples, tg_min(z->samples, z->N - number * z->samples), 0, z->P};
    const int64_t pieces = tg_ceil_div(z->P, z->positions), position = number % pieces * z->positions;
    return (Block){number / pieces, 1, position, tg_min(z->positions, z->P - position)};
}

static char *element(const tg_Conv *z, const void *data, int64_t i) {
    return (char *)data + i * z->kernel->size;
}

static char *input_of(const tg_Conv *z, int64_t n, int64_t group) {
    return element(z, z->x, n * z->x_batch_stride + group * (z->C / z->groups) * z->x_strides[0]);
}

static char *output_of(const tg_Conv *z, int64_t n, int64_t channel, int64_t position) {
    return element(z, z->y, (n * z->O + channel) * z->P + position);
}

/* One sample's part of a block of columns, for im2col and col2im. */
static tg_Im2col im2col_of(const tg_Conv *z, const Block *b, int64_t sample, int64_t group, int64_t row, int64_t rows,
                           char *columns) {
    tg_Im2col c = {.size = z->kernel->size,
                   .row = row,
                   .rows = rows,
                   .position = b->position,
                   .positions = b->positions,
                   .row_stride = z->row_stride,
                   .capacity = z->row_stride - sample * b->positions,
                   .columns = element(z, columns, sample * b->positions),
                   .x = input_of(z, b->n + sample, group),
                   .x_end = z->x_end};
    memcpy(c.x_strides, z->x_strides, sizeof c.x_strides);
    return c;
}

static void im2col_block(const tg_Conv *z, const Block *b, int64_t group, int64_t row, int64_t rows, char *columns) {
    for (int64_t s = 0; s < b->samples; s++) {
        const tg_Im2col c = im2col_of(z, b, s, group, row, rows, columns);
        tg_im2col(&z->window, &c);
    }
}

static char *take_buffer(const tg_Conv *z) {
    int i = 0;
    while (atomic_flag_test_and_set(&z->taken[i])) i = (i + 1) % z->threads;
    return z->thread_buffers + i * z->thread_bytes;
}

static void return_buffer(const tg_Conv *z, const char *workspace) {
    atomic_flag_clear(&z->taken[(workspace - z->thread_buffers) / z->thread_bytes]);
}

static void fill(const tg_Conv *z, char *to, int64_t n, const char *value) {
    const int64_t size = z->kernel->size;
    tg_copy_loop(size, size, 0)(n, to, size, value, 0);
}

/* ---- the packed matrix: for each group and chunk slab by slab, for each slab panel by panel ---- */

static char *packed_at(const tg_Conv *z, int64_t group, int64_t chunk, int64_t pc) {
    const int64_t rows = tg_min(z->rows, z->M - chunk * z->rows),
                  before = (group * z->chunks + chunk) * tg_panel_count(z->kernel, z->rows);
    return z->shared + before * tg_panel_bytes(z, z->K) + tg_panel_count(z->kernel, rows) * tg_panel_bytes(z, pc);
}

/* Element (i, k) of a group's matrix is w[i * row + k * column]. */
static void pack_chunk(const tg_Conv *z, int64_t group, int64_t chunk, int64_t row, int64_t column) {
    const tg_GemmKernel *kernel = z->kernel;
    const char *w = element(z, z->w, group * z->M * z->K);
    const int64_t end = tg_min(z->M, (chunk + 1) * z->rows);
    for (int64_t pc = 0, kc; pc < z->K; pc += kc) {
        char *out = packed_at(z, group, chunk, pc);
        kc = tg_min(z->kc, z->K - pc);
        for (int64_t i = chunk * z->rows, h; i < end; i += h, out += tg_a_panel_size(kernel, kc) * kernel->size) {
            h = tg_tile_height(kernel, end - i);
            kernel->pack(out, kernel->rows, h, z->M - i, kc, element(z, w, i * row + pc * column), row, column);
        }
    }
}

void tg_conv_pack_by_rows(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    for (int64_t i = from; i < to; i++) pack_chunk(z, i / z->chunks, i % z->chunks, z->K, 1);
}

void tg_conv_pack_by_columns(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    for (int64_t i = from; i < to; i++) pack_chunk(z, i / z->chunks, i % z->chunks, 1, z->M);
}

/* c = or += a chunk of the packed matrix times b, its slab at depth pc. */
static void multiply(const tg_Conv *z, int64_t group, int64_t chunk, int64_t pc, const char *b, int64_t positions,
                     tg_Matrix c, bool add) {
    const tg_Matrix none = {NULL, 0, 0};
    tg_macrokernel(&(tg_Macrokernel){.kernel = z->kernel,
                                     .mc = tg_min(z->rows, z->M - chunk * z->rows),
                                     .kc = tg_min(z->kc, z->K - pc),
                                     .j1 = positions,
                                     .nc = positions,
                                     .span = 2 * z->kernel->lanes,
                                     .a = packed_at(z, group, chunk, pc),
                                     .rsa = 1,
                                     .csa = z->kernel->rows,
                                     .a_packed = true,
                                     .b = b,
                                     .ldb = z->row_stride,
                                     .c = c,
                                     .from = add ? c : none});
}

/* ---- y ---- */

static void output_unit(const tg_Conv *z, int64_t group, const Block *b, int64_t chunk, char *columns) {
    const int64_t first = chunk * z->rows, rows = tg_min(z->rows, z->M - first), channel = group * z->M + first,
        n = b->samples * b->positions;
    const bool direct = b->samples == 1;
    char *sums = element(z, columns, z->kc * z->row_stride);
    const tg_Matrix c = {direct ? output_of(z, b->n, channel, b->position) : sums, direct ? z->P : z->row_stride, 1};
    for (int64_t o = 0; o < rows && z->bias; o++)
        fill(z, element(z, c.data, o * c.row), n, element(z, z->bias, channel + o));
    for (int64_t pc = 0; pc < z->K; pc += z->kc) {
        im2col_block(z, b, group, pc, tg_min(z->kc, z->K - pc), columns);
        multiply(z, group, chunk, pc, columns, n, c, z->bias || pc > 0);
    }
    for (int64_t s = 0; s < b->samples && !direct; s++)
        for (int64_t o = 0; o < rows; o++)
            memcpy(output_of(z, b->n + s, channel + o, 0), element(z, sums, o * z->row_stride + s * z->P),
                   (size_t)(z->P * z->kernel->size));
}

void tg_conv_output_units(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    char *workspace = take_buffer(z);
    for (int64_t i = from; i < to; i++) {
        const Block b = block_at(z, i / z->chunks % z->blocks);
        output_unit(z, i / z->chunks / z->blocks, &b, i % z->chunks, workspace);
    }
    return_buffer(z, workspace);
}

/* ---- x ---- */

/* Initialises channels of one sample of x: bias, or zeros. */
static void init_input(const tg_Conv *z, int64_t n, int64_t first, int64_t channels) {
    const int64_t plane = z->x_strides[0];
    char *x = element(z, z->x, n * z->x_batch_stride + first * plane);
    if (!z->bias) memset(x, 0, (size_t)(channels * plane * z->kernel->size));
    for (int64_t c = 0; c < channels && z->bias; c++)
        fill(z, element(z, x, c * plane), plane, element(z, z->bias, first + c));
}

static void input_block(const tg_Conv *z, int64_t group, const Block *b, int64_t chunk, char *outputs) {
    const int64_t rows = tg_min(z->rows, z->M - chunk * z->rows);
    char *columns = element(z, outputs, z->kc * z->row_stride);
    const tg_Matrix c = {columns, z->row_stride, 1};
    for (int64_t pc = 0; pc < z->K; pc += z->kc) {
        const int64_t kc = tg_min(z->kc, z->K - pc);
        if (z->P == 1)
            (z->f64 ? tg_transpose_8 : tg_transpose_4)(b->samples, kc, output_of(z, b->n, group * z->K + pc, 0), z->O,
                                                       outputs, z->row_stride);
        for (int64_t k = 0; k < kc && z->P > 1; k++)
            for (int64_t s = 0; s < b->samples; s++)
                memcpy(element(z, outputs, k * z->row_stride + s * b->positions),
                       output_of(z, b->n + s, group * z->K + pc + k, b->position),
                       (size_t)(b->positions * z->kernel->size));
        multiply(z, group, chunk, pc, outputs, b->samples * b->positions, c, pc > 0);
    }
    for (int64_t s = 0; s < b->samples; s++) {
        const tg_Im2col from = im2col_of(z, b, s, group, chunk * z->rows, rows, columns);
        tg_col2im(&z->window, &from);
    }
}

void tg_conv_input_units(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    const int64_t each = tg_blocks_per_unit(z), units = z->blocks / each, window = tg_window_size(z);
    char *workspace = take_buffer(z);
    for (int64_t i = from; i < to; i++) {
        const int64_t chunk = i % z->chunks, first = i / z->chunks % units * each, group = i / z->chunks / units;
        const Block all = block_at(z, first);
        for (int64_t s = 0; s < all.samples; s++)
            init_input(z, all.n + s, (group * z->M + chunk * z->rows) / window,
                       tg_min(z->rows, z->M - chunk * z->rows) / window);
        for (int64_t k = 0; k < each; k++) {
            const Block b = block_at(z, first + k);
            input_block(z, group, &b, chunk, workspace);
        }
    }
    return_buffer(z, workspace);
}

/* ---- w ---- */

/* Packs the rows first .. first + rows - 1 of y's matrix, transposed, in panels. */
static void pack_outputs(const tg_Conv *z, int64_t group, const Block *b, int64_t first, int64_t rows, char *to) {
    const tg_GemmKernel *kernel = z->kernel;
    const int64_t depth = b->samples * b->positions;
    tg_Panel p;
    for (int64_t jr = 0; jr < rows; jr = p.start + p.width) {
        p = tg_panel_at(kernel, rows, jr);
        const int64_t wide = p.vectors * kernel->lanes;
        for (int64_t s = 0; s < b->samples; s++)
            kernel->pack(element(z, to, jr * depth + s * b->positions * wide), wide, p.width, p.width, b->positions,
                         output_of(z, b->n + s, group * z->M + first + p.start, b->position), z->P, 1);
    }
}

static char *partial_weight(const tg_Conv *z, int64_t part, int64_t group) {
    return element(z, z->shared, (part * z->groups + group) * z->K * z->M);
}

static void weight_unit(const tg_Conv *z, int64_t part, int64_t group, int64_t column, int64_t first, char *columns) {
    const int64_t wide = tg_min(z->columns, z->K - column), rows = tg_min(z->rows, z->M - first);
    const int64_t begin = part * z->blocks / z->parts, end = (part + 1) * z->blocks / z->parts;
    const tg_Matrix c = {element(z, partial_weight(z, part, group), column * z->M + first), z->M, 1},
                    none = {NULL, 0, 0};
    char *outputs = element(z, columns, z->columns * z->row_stride);
    for (int64_t i = begin; i < end; i++) {
        const Block b = block_at(z, i);
        im2col_block(z, &b, group, column, wide, columns);
        pack_outputs(z, group, &b, first, rows, outputs);
        tg_macrokernel(&(tg_Macrokernel){.kernel = z->kernel,
                                         .mc = wide,
                                         .kc = b.samples * b.positions,
                                         .j1 = rows,
                                         .nc = rows,
                                         .span = tg_round_up(rows, 2 * z->kernel->lanes),
                                         .a = columns,
                                         .rsa = z->row_stride,
                                         .csa = 1,
                                         .b = outputs,
                                         .b_packed = true,
                                         .c = c,
                                         .from = i > begin ? c : none});
    }
}

void tg_conv_weight_units(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    char *workspace = take_buffer(z);
    for (int64_t i = from; i < to; i++) {
        const int64_t column = i % z->column_chunks, chunk = i / z->column_chunks % z->chunks,
                      rest = i / z->column_chunks / z->chunks;
        weight_unit(z, rest / z->groups, rest % z->groups, column * z->columns, chunk * z->rows, workspace);
    }
    return_buffer(z, workspace);
}

void tg_conv_reduce_weight(const tg_Conv *z) {
    const int64_t n = z->groups * z->K * z->M;
    for (int64_t part = 1; part < z->parts; part++) {
        char *from = partial_weight(z, part, 0);
        for (int64_t i = 0; i < n && z->f64; i++) ((double *)(void *)z->shared)[i] += ((double *)(void *)from)[i];
        for (int64_t i = 0; i < n && !z->f64; i++) ((float *)(void *)z->shared)[i] += ((float *)(void *)from)[i];
    }
    for (int64_t g = 0; g < z->groups; g++)
        (z->f64 ? tg_transpose_8 : tg_transpose_4)(z->K, z->M, partial_weight(z, 0, g), z->M,
                                                   element(z, z->w, g * z->K * z->M), z->K);
}
