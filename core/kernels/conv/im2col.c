/* core/kernels/conv/im2col.c: im2col and col2im: dispatch, and where a window column is inside of x; im2col.inc has
 * the loops. */
#include "core/kernels/conv/im2col.h"

#include <stdbool.h>

#include "core/kernels/isa.h"

/* One column of the window: the offset of its element to the right of a position, and the positions from .. to - 1
 * along a row of outputs at which it is inside of x. */
typedef struct ColumnRange {
    int64_t shift, from, to;
} ColumnRange;

static ColumnRange column_range(const tg_Window *w, int64_t j) {
    const int64_t stride = w->stride[1], shift = j * w->dilation[1] - w->padding[1], capacity = w->in[1] - shift;
    return (ColumnRange){shift, shift < 0 ? (-shift + stride - 1) / stride : 0,
                         capacity > 0 ? (capacity + stride - 1) / stride : 0};
}

/* The first ones, computed once for all rows: they take divisions. */
enum { KNOWN_RANGES = 16 };
typedef struct ColumnRanges {
    ColumnRange known[KNOWN_RANGES];
} ColumnRanges;

static void find_ranges(const tg_Window *w, ColumnRanges *ranges) {
    for (int64_t j = 0; j < w->kernel[1] && j < KNOWN_RANGES; j++) ranges->known[j] = column_range(w, j);
}

static inline ColumnRange column_range_at(const tg_Window *w, const ColumnRanges *ranges, int64_t j) {
    return j < KNOWN_RANGES ? ranges->known[j] : column_range(w, j);
}

/* `count` rows of the matrix, those of one row of the window in one channel: their offset down from a position, and
 * their first column. */
typedef struct WindowRow {
    int64_t channel, down, first, count;
} WindowRow;

static WindowRow window_row_at(const tg_Window *w, int64_t k, int64_t end) {
    const int64_t first = k % w->kernel[1], row = k / w->kernel[1], rest = w->kernel[1] - first;
    return (WindowRow){row / w->kernel[0], row % w->kernel[0] * w->dilation[0] - w->padding[0], first,
                       rest < end - k ? rest : end - k};
}

static inline int64_t clamp(int64_t i, int64_t least, int64_t most) {
    return i < least ? least : i > most ? most : i;
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/im2col.inc"
#include "core/kernels/dispatch.inc"

/* For elements of one byte (bool), which only unfold has. */
static void im2col_bytes(const tg_Window *w, const tg_Im2col *c) {
    for (int64_t k = 0; k < c->rows; k++) {
        const WindowRow wrow = window_row_at(w, c->row + k, c->row + k + 1);
        const ColumnRange range = column_range(w, wrow.first);
        for (int64_t i = 0; i < c->positions; i++) {
            const int64_t p = (c->position + i) / w->out[1], q = (c->position + i) % w->out[1],
                          row = p * w->stride[0] + wrow.down;
            const int64_t from = wrow.channel * c->x_strides[0] + row * c->x_strides[1] +
                                 (q * w->stride[1] + range.shift) * c->x_strides[2];
            const bool inside = row >= 0 && row < w->in[0] && q >= range.from && q < range.to;
            ((char *)c->columns)[k * c->row_stride + i] = inside ? ((const char *)c->x)[from] : 0;
        }
    }
}

void tg_im2col(const tg_Window *w, const tg_Im2col *c) {
    if (c->size == 1) im2col_bytes(w, c);
    else if (c->size == 4) TG_PICK_UP_TO_AVX2(im2col_f32)(w, c);
    else TG_PICK_UP_TO_AVX2(im2col_f64)(w, c);
}

void tg_col2im(const tg_Window *w, const tg_Im2col *c) {
    if (c->size == 4) TG_PICK_UP_TO_AVX2(col2im_f32)(w, c);
    else TG_PICK_UP_TO_AVX2(col2im_f64)(w, c);
}
