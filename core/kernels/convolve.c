/* Convolutions: block by block, what stands under the window becomes the columns of a matrix, and a product does the rest.
 *
 * The idea: a block is so many places, of one sample or, where planes are small, of several, that its columns stay in half of L2.
 * The other matrix, the weights, is packed once for all blocks into the panels that the products' inner loops read (gemm_block.h),
 * and cut into chunks of rows that fill the other half. A unit of work is one chunk in one block: it makes its columns itself,
 * which costs little beside what some hundred rows do with them, and nobody else writes what it writes.
 *
 *     y = w columns(x) + bias          units: groups x blocks x chunks of output channels
 *     x = fold(w^T y) + bias           units: groups x samples x chunks of input channels; with a stride of 1 it is a
 *                                      convolution itself, of y with the window turned round
 *     w = y columns(x)^T               units: groups x chunks of both x parts of the blocks, whose sums are added in order
 *
 * Cuts depend on the sizes alone, so the bits do not depend on the number of threads. */
#include "convolve.h"

#include <string.h>

#include "gemm_block.h"
#include "move.h"
#include "parallel.h"
#include "turn.h"

enum { CHUNK = 192, DEEP = 384, HALF_L2 = 192 * 1024, LEAST_WORK = 1 << 19 };

/* ---- how the work is cut ---- */

static int64_t up_to(int64_t n, int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

static int64_t ceiling(int64_t n, int64_t d) {
    return (n + d - 1) / d;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t panels_of(const tg_GemmKernel *kernel, int64_t rows) {
    int64_t panels = 0;
    for (int64_t i = 0; i < rows; i += tg_tile_height(kernel, rows - i)) panels++;
    return panels;
}

static int64_t panel_bytes(const tg_Conv *z) {
    return z->kernel->padded * z->K * z->kernel->size;
}

/* Blocks of about so many places. */
static void cut_blocks(tg_Conv *z, int64_t about) {
    const int64_t pieces = ceiling(z->P, about);
    z->places = pieces == 1 ? z->P : up_to(ceiling(z->P, pieces), 16);
    z->samples = z->P * 2 <= about ? least(about / z->P, z->N) : 1;
    z->blocks = z->samples > 1 ? ceiling(z->N, z->samples) : z->N * ceiling(z->P, z->places);
    z->step = up_to(z->samples * z->places, 16) + 16;
    if (z->step * z->kernel->size % 512 == 0) z->step += 16; /* rows that lie so would meet in few sets of the cache */
}

static int64_t window_size(const tg_Conv *z) {
    return z->window.kernel[0] * z->window.kernel[1];
}

/* A window of one element over rows that lie one behind the other slides over one long row. */
static void straighten(tg_Conv *z) {
    tg_Window *w = &z->window;
    for (int d = 0; d < 2; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->padding[d] != 0) return;
    if (w->in[0] > 1 && z->x_steps[1] != w->in[1] * z->x_steps[2]) return;
    w->in[1] = w->out[1] = w->in[0] * w->in[1];
    w->in[0] = w->out[0] = 1;
}

/* Of y: weights by rows, in chunks of channels. Of x: weights by columns, in chunks of whole windows. */
static size_t cut_products(tg_Conv *z, int which) {
    const int64_t size = z->kernel->size, window = window_size(z), in = z->C / z->groups, out = z->O / z->groups;
    const bool forward = which == TG_CONV_OUTPUT;
    z->M = forward ? out : in * window;
    z->K = forward ? in * window : out;
    z->rows = forward ? least(out, CHUNK) : least(in, CHUNK / window ? CHUNK / window : 1) * window;
    z->chunks = ceiling(z->M, z->rows);
    z->kc = z->K <= DEEP ? z->K : ceiling(z->K, ceiling(z->K, DEEP * 3 / 4));
    const int64_t about = HALF_L2 / (z->kc * size), packed = z->groups * z->chunks * panels_of(z->kernel, z->rows) * panel_bytes(z);
    cut_blocks(z, about < 64 ? 64 : about > 512 ? 512 : about);
    z->own = (z->kc + z->rows) * z->step * size;
    return (size_t)up_to(packed, 64);
}

static size_t cut_weight(tg_Conv *z) {
    const int64_t size = z->kernel->size;
    z->M = z->O / z->groups;
    z->K = z->C / z->groups * window_size(z);
    z->columns = least(z->K, CHUNK);
    z->column_chunks = ceiling(z->K, z->columns);
    z->rows = least(z->M, CHUNK);
    z->chunks = ceiling(z->M, z->rows);
    cut_blocks(z, 256);
    const double work = (double)z->N * (double)z->P * (double)z->O * (double)z->K;
    const int64_t cut = z->groups * z->chunks * z->column_chunks;
    z->parts = work < 2 * LEAST_WORK || cut >= 16 ? 1 : least(16 / cut, z->blocks);
    z->own = (z->columns + up_to(z->rows, 2 * z->kernel->lanes)) * z->step * size;
    return (size_t)up_to(z->parts * z->groups * z->K * z->M * size, 64);
}

size_t tg_conv_room(tg_Conv *z, int which) {
    straighten(z);
    z->kernel = tg_gemm_kernel(z->f64, CHUNK);
    z->P = z->window.out[0] * z->window.out[1];
    const size_t shared = which == TG_CONV_WEIGHT ? cut_weight(z) : cut_products(z, which);
    z->threads = tg_num_threads();
    z->own = up_to(z->own, 64);
    z->shared = z->room;
    return shared + (size_t)z->own * (size_t)z->threads;
}

/* ---- blocks of columns ---- */

typedef struct Block {
    int64_t n, samples, place, places; /* places of each of the samples from n on */
} Block;

static Block block_at(const tg_Conv *z, int64_t number) {
    if (z->samples > 1) return (Block){number * z->samples, least(z->samples, z->N - number * z->samples), 0, z->P};
    const int64_t pieces = ceiling(z->P, z->places), place = number % pieces * z->places;
    return (Block){number / pieces, 1, place, least(z->places, z->P - place)};
}

static char *element(const tg_Conv *z, const void *data, int64_t i) {
    return (char *)data + i * z->kernel->size;
}

static char *input_of(const tg_Conv *z, int64_t n, int64_t group) {
    return element(z, z->x, n * z->x_sample + group * (z->C / z->groups) * z->x_steps[0]);
}

static char *output_of(const tg_Conv *z, int64_t n, int64_t channel, int64_t place) {
    return element(z, z->y, (n * z->O + channel) * z->P + place);
}

/* One sample's columns, or what they are added to. */
static tg_Columns columns_of(const tg_Conv *z, const Block *b, int64_t sample, int64_t group, int64_t row, int64_t rows, char *columns) {
    tg_Columns c = {.size = z->kernel->size, .row = row, .rows = rows, .place = b->place, .places = b->places, .step = z->step,
                    .room = z->step - sample * b->places, .columns = element(z, columns, sample * b->places),
                    .x = input_of(z, b->n + sample, group), .x_end = z->x_end};
    memcpy(c.x_steps, z->x_steps, sizeof c.x_steps);
    return c;
}

static void unfold(const tg_Conv *z, const Block *b, int64_t group, int64_t row, int64_t rows, char *columns) {
    for (int64_t s = 0; s < b->samples; s++) {
        const tg_Columns c = columns_of(z, b, s, group, row, rows, columns);
        tg_unfold_columns(&z->window, &c);
    }
}

static char *take_room(const tg_Conv *z) {
    int i = 0;
    while (atomic_flag_test_and_set(&z->taken[i])) i = (i + 1) % z->threads;
    return z->own_rooms + i * z->own;
}

static void give_room(const tg_Conv *z, const char *room) {
    atomic_flag_clear(&z->taken[(room - z->own_rooms) / z->own]);
}

static void spread(const tg_Conv *z, char *to, int64_t n, const char *value) {
    const int64_t size = z->kernel->size;
    tg_move(size, size, 0)(n, to, size, value, 0);
}

/* ---- the packed matrix: for each group and chunk slab by slab, for each slab panel by panel ---- */

static char *packed_at(const tg_Conv *z, int64_t group, int64_t chunk, int64_t pc) {
    const int64_t rows = least(z->rows, z->M - chunk * z->rows), before = (group * z->chunks + chunk) * panels_of(z->kernel, z->rows);
    return z->shared + before * panel_bytes(z) + panels_of(z->kernel, rows) * z->kernel->padded * pc * z->kernel->size;
}

/* Element (i, k) of a group's matrix stands at w[i * row + k * column]. */
static void pack_chunk(const tg_Conv *z, int64_t group, int64_t chunk, int64_t row, int64_t column) {
    const tg_GemmKernel *kernel = z->kernel;
    const char *w = element(z, z->w, group * z->M * z->K);
    const int64_t end = least(z->M, (chunk + 1) * z->rows);
    for (int64_t pc = 0, kc; pc < z->K; pc += kc) {
        char *out = packed_at(z, group, chunk, pc);
        kc = least(z->kc, z->K - pc);
        for (int64_t i = chunk * z->rows, h; i < end; i += h, out += kernel->padded * kc * kernel->size) {
            h = tg_tile_height(kernel, end - i);
            kernel->pack(out, kernel->padded, h, z->M - i, kc, element(z, w, i * row + pc * column), row, column);
        }
    }
}

static void pack_by_rows(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    for (int64_t i = from; i < to; i++) pack_chunk(z, i / z->chunks, i % z->chunks, z->K, 1);
}

static void pack_by_columns(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    for (int64_t i = from; i < to; i++) pack_chunk(z, i / z->chunks, i % z->chunks, 1, z->M);
}

/* c (+)= a chunk of the packed matrix times b, its slab that begins at pc. */
static void multiply(const tg_Conv *z, int64_t group, int64_t chunk, int64_t pc, const char *b, int64_t places, tg_Matrix c, bool add) {
    const tg_Matrix none = {NULL, 0, 0};
    tg_block_product(&(tg_Block){.kernel = z->kernel, .mc = least(z->rows, z->M - chunk * z->rows), .nc = places,
                                 .kc = least(z->kc, z->K - pc), .a = packed_at(z, group, chunk, pc), .a_packed = true, .b = b,
                                 .ldb = z->step, .c = c, .from = add ? c : none});
}

/* ---- y ---- */

static void output_unit(const tg_Conv *z, int64_t group, const Block *b, int64_t chunk, char *columns) {
    const int64_t first = chunk * z->rows, rows = least(z->rows, z->M - first), channel = group * z->M + first, n = b->samples * b->places;
    const bool direct = b->samples == 1;
    char *sums = element(z, columns, z->kc * z->step);
    const tg_Matrix c = {direct ? output_of(z, b->n, channel, b->place) : sums, direct ? z->P : z->step, 1};
    for (int64_t o = 0; o < rows && z->bias; o++) spread(z, element(z, c.data, o * c.row), n, element(z, z->bias, channel + o));
    for (int64_t pc = 0; pc < z->K; pc += z->kc) {
        unfold(z, b, group, pc, least(z->kc, z->K - pc), columns);
        multiply(z, group, chunk, pc, columns, n, c, z->bias || pc > 0);
    }
    for (int64_t s = 0; s < b->samples && !direct; s++)
        for (int64_t o = 0; o < rows; o++)
            memcpy(output_of(z, b->n + s, channel + o, 0), element(z, sums, o * z->step + s * z->P), (size_t)(z->P * z->kernel->size));
}

static void output_units(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    char *room = take_room(z);
    for (int64_t i = from; i < to; i++) {
        const Block b = block_at(z, i / z->chunks % z->blocks);
        output_unit(z, i / z->chunks / z->blocks, &b, i % z->chunks, room);
    }
    give_room(z, room);
}

/* ---- x ---- */

/* The channels from `first` on of one sample: bias, or zeros. */
static void begin_input(const tg_Conv *z, int64_t n, int64_t first, int64_t channels) {
    const int64_t plane = z->x_steps[0];
    char *x = element(z, z->x, n * z->x_sample + first * plane);
    if (!z->bias) memset(x, 0, (size_t)(channels * plane * z->kernel->size));
    for (int64_t c = 0; c < channels && z->bias; c++) spread(z, element(z, x, c * plane), plane, element(z, z->bias, first + c));
}

static void input_block(const tg_Conv *z, int64_t group, const Block *b, int64_t chunk, char *outputs) {
    const int64_t rows = least(z->rows, z->M - chunk * z->rows);
    char *columns = element(z, outputs, z->kc * z->step);
    const tg_Matrix c = {columns, z->step, 1};
    for (int64_t pc = 0; pc < z->K; pc += z->kc) {
        const int64_t kc = least(z->kc, z->K - pc);
        if (z->P == 1) (z->f64 ? tg_turn_8 : tg_turn_4)(b->samples, kc, output_of(z, b->n, group * z->K + pc, 0), z->O, outputs, z->step);
        for (int64_t k = 0; k < kc && z->P > 1; k++)
            for (int64_t s = 0; s < b->samples; s++)
                memcpy(element(z, outputs, k * z->step + s * b->places), output_of(z, b->n + s, group * z->K + pc + k, b->place),
                       (size_t)(b->places * z->kernel->size));
        multiply(z, group, chunk, pc, outputs, b->samples * b->places, c, pc > 0);
    }
    for (int64_t s = 0; s < b->samples; s++) {
        const tg_Columns from = columns_of(z, b, s, group, chunk * z->rows, rows, columns);
        tg_fold_columns(&z->window, &from);
    }
}

/* What adds to the same elements of x is one unit: the blocks of a sample, or of several. */
static int64_t blocks_together(const tg_Conv *z) {
    return z->samples > 1 ? 1 : ceiling(z->P, z->places);
}

static void input_units(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    const int64_t each = blocks_together(z), units = z->blocks / each, window = window_size(z);
    char *room = take_room(z);
    for (int64_t i = from; i < to; i++) {
        const int64_t chunk = i % z->chunks, first = i / z->chunks % units * each, group = i / z->chunks / units;
        const Block all = block_at(z, first);
        for (int64_t s = 0; s < all.samples; s++)
            begin_input(z, all.n + s, (group * z->M + chunk * z->rows) / window, least(z->rows, z->M - chunk * z->rows) / window);
        for (int64_t k = 0; k < each; k++) {
            const Block b = block_at(z, first + k);
            input_block(z, group, &b, chunk, room);
        }
    }
    give_room(z, room);
}

/* ---- w ---- */

/* Rows first .. first + rows of y's matrix, turned over, in panels. */
static void pack_outputs(const tg_Conv *z, int64_t group, const Block *b, int64_t first, int64_t rows, char *to) {
    const tg_GemmKernel *kernel = z->kernel;
    const int64_t depth = b->samples * b->places;
    tg_Panel p;
    for (int64_t jr = 0; jr < rows; jr = p.start + p.width) {
        p = tg_panel_at(kernel->lanes, rows, jr);
        const int64_t wide = p.vectors * kernel->lanes;
        for (int64_t s = 0; s < b->samples; s++)
            kernel->pack(element(z, to, jr * depth + s * b->places * wide), wide, p.width, p.width, b->places,
                         output_of(z, b->n + s, group * z->M + first + p.start, b->place), z->P, 1);
    }
}

static char *sums_of(const tg_Conv *z, int64_t part, int64_t group) {
    return element(z, z->shared, (part * z->groups + group) * z->K * z->M);
}

static void weight_unit(const tg_Conv *z, int64_t part, int64_t group, int64_t column, int64_t first, char *columns) {
    const int64_t wide = least(z->columns, z->K - column), rows = least(z->rows, z->M - first);
    const int64_t begin = part * z->blocks / z->parts, end = (part + 1) * z->blocks / z->parts;
    const tg_Matrix c = {element(z, sums_of(z, part, group), column * z->M + first), z->M, 1}, none = {NULL, 0, 0};
    char *outputs = element(z, columns, z->columns * z->step);
    for (int64_t i = begin; i < end; i++) {
        const Block b = block_at(z, i);
        unfold(z, &b, group, column, wide, columns);
        pack_outputs(z, group, &b, first, rows, outputs);
        tg_block_product(&(tg_Block){.kernel = z->kernel, .mc = wide, .nc = rows, .kc = b.samples * b.places, .a = columns,
                                     .lda = z->step, .b = outputs, .b_packed = true, .c = c, .from = i > begin ? c : none});
    }
}

static void weight_units(int64_t from, int64_t to, void *context) {
    const tg_Conv *z = context;
    char *room = take_room(z);
    for (int64_t i = from; i < to; i++) {
        const int64_t column = i % z->column_chunks, chunk = i / z->column_chunks % z->chunks, rest = i / z->column_chunks / z->chunks;
        weight_unit(z, rest / z->groups, rest % z->groups, column * z->columns, chunk * z->rows, room);
    }
    give_room(z, room);
}

static void finish_weight(const tg_Conv *z) {
    const int64_t n = z->groups * z->K * z->M;
    for (int64_t part = 1; part < z->parts; part++) {
        char *from = sums_of(z, part, 0);
        for (int64_t i = 0; i < n && z->f64; i++) ((double *)(void *)z->shared)[i] += ((double *)(void *)from)[i];
        for (int64_t i = 0; i < n && !z->f64; i++) ((float *)(void *)z->shared)[i] += ((float *)(void *)from)[i];
    }
    for (int64_t g = 0; g < z->groups; g++)
        (z->f64 ? tg_turn_8 : tg_turn_4)(z->K, z->M, sums_of(z, 0, g), z->M, element(z, z->w, g * z->K * z->M), z->K);
}

/* ---- all of it ---- */

void tg_conv(tg_Conv *z, int which) {
    const bool weight = which == TG_CONV_WEIGHT;
    const int64_t cut = z->groups * z->chunks, blocks = which == TG_CONV_INPUT ? z->blocks / blocks_together(z) : z->blocks;
    const int64_t units = cut * (weight ? z->parts * z->column_chunks : blocks);
    const double work = (double)z->N * (double)z->P * (double)z->groups * (double)z->M * (double)z->K;
    const int64_t grain = (int64_t)(LEAST_WORK * (double)units / work) + 1;
    atomic_flag taken[TG_MOST_THREADS] = {ATOMIC_FLAG_INIT};
    z->taken = taken;
    z->shared = z->room;
    z->own_rooms = z->shared + (weight ? up_to(z->parts * z->groups * z->K * z->M * z->kernel->size, 64)
                                       : up_to(cut * panels_of(z->kernel, z->rows) * panel_bytes(z), 64));
    if (!weight) tg_parallel(cut, 1 + LEAST_WORK / 16 / (z->rows * z->K), which == TG_CONV_OUTPUT ? pack_by_rows : pack_by_columns, z);
    tg_parallel(units, grain, which == TG_CONV_OUTPUT ? output_units : weight ? weight_units : input_units, z);
    if (weight) finish_weight(z);
}

/* ---- x as an output ---- */

size_t tg_conv_turned(const tg_Conv *z) {
    const tg_Window *w = &z->window;
    for (int d = 0; d < 2; d++)
        if (w->stride[d] != 1 || w->padding[d] > (w->kernel[d] - 1) * w->dilation[d]) return 0;
    const bool wide = z->C / z->groups >= 32 || 2 * z->C >= z->O; /* else the columns cost more than what is done with them */
    if (!wide || w->in[0] * w->in[1] > w->out[0] * w->out[1] * 4 / 3) return 0;
    return (size_t)(z->O * (z->C / z->groups) * window_size(z) * (z->f64 ? 8 : 4));
}

typedef struct Turn {
    const tg_Conv *conv;
    char *to;
} Turn;

/* The weights of some channels of x, in all groups. */
static void turn_weights(int64_t from, int64_t last, void *context) {
    const Turn *t = context;
    const tg_Conv *z = t->conv;
    const int64_t in = z->C / z->groups, out = z->O / z->groups, window = window_size(z), size = z->f64 ? 8 : 4;
    for (int64_t g = 0; g < z->groups; g++)
        for (int64_t o = 0; o < out; o++)
            for (int64_t c = from; c < last; c++) {
                const char *w = (const char *)z->w + ((g * out + o) * in + c + 1) * window * size;
                tg_move(size, size, -size)(window, t->to + ((g * in + c) * out + o) * window * size, size, w - size, -size);
            }
}

void tg_conv_turn(tg_Conv *z, void *weights) {
    const int64_t in = z->C / z->groups, size = z->f64 ? 8 : 4;
    tg_parallel(in, 1 + 16384 / (z->O * window_size(z)), turn_weights, &(Turn){z, weights});
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
    z->x_steps[2] = 1;
    z->x_steps[1] = w->in[1];
    z->x_steps[0] = w->in[0] * w->in[1];
    z->x_sample = z->C * z->x_steps[0];
    z->x_end = (char *)z->x + z->N * z->x_sample * size;
}
