/* The columns of a window for every instruction set; im2col.inc explains them. */
#include "core/kernels/conv/im2col.h"

#include <stdbool.h>

#include "core/kernels/isa.h"

/* One column of the window: how far to the right of a place its element stands, and the places along a row of outputs, from ..
 * to - 1, at which it stands inside of x. */
typedef struct Side {
    int64_t shift, from, to;
} Side;

static Side side_of(const tg_Window *w, int64_t j) {
    const int64_t stride = w->stride[1], shift = j * w->dilation[1] - w->padding[1], room = w->in[1] - shift;
    return (Side){shift, shift < 0 ? (-shift + stride - 1) / stride : 0, room > 0 ? (room + stride - 1) / stride : 0};
}

/* The first of them, for all rows: to find them takes divisions. */
enum { SIDES = 16 };
typedef struct Sides {
    Side known[SIDES];
} Sides;

static void find_sides(const tg_Window *w, Sides *sides) {
    for (int64_t j = 0; j < w->kernel[1] && j < SIDES; j++) sides->known[j] = side_of(w, j);
}

static inline Side side_at(const tg_Window *w, const Sides *sides, int64_t j) {
    return j < SIDES ? sides->known[j] : side_of(w, j);
}

/* So many rows of the matrix from number k on are those of one row of the window in one channel: how far down of a place
 * it stands, and its columns. */
typedef struct Strip {
    int64_t channel, down, first, count;
} Strip;

static Strip strip_at(const tg_Window *w, int64_t k, int64_t end) {
    const int64_t first = k % w->kernel[1], row = k / w->kernel[1], rest = w->kernel[1] - first;
    return (Strip){row / w->kernel[0], row % w->kernel[0] * w->dilation[0] - w->padding[0], first, rest < end - k ? rest : end - k};
}

static inline int64_t clamp(int64_t i, int64_t least, int64_t most) {
    return i < least ? least : i > most ? most : i;
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/im2col.inc"
#include "core/kernels/dispatch.inc"

/* Of single bytes: bools, which no convolution reads. */
static void unfold_bytes(const tg_Window *w, const tg_Im2col *c) {
    for (int64_t k = 0; k < c->rows; k++) {
        const Strip strip = strip_at(w, c->row + k, c->row + k + 1);
        const Side side = side_of(w, strip.first);
        for (int64_t i = 0; i < c->places; i++) {
            const int64_t p = (c->place + i) / w->out[1], q = (c->place + i) % w->out[1], row = p * w->stride[0] + strip.down;
            const int64_t from = strip.channel * c->x_steps[0] + row * c->x_steps[1] + (q * w->stride[1] + side.shift) * c->x_steps[2];
            const bool inside = row >= 0 && row < w->in[0] && q >= side.from && q < side.to;
            ((char *)c->columns)[k * c->step + i] = inside ? ((const char *)c->x)[from] : 0;
        }
    }
}

void tg_im2col(const tg_Window *w, const tg_Im2col *c) {
    if (c->size == 1) unfold_bytes(w, c);
    else if (c->size == 4) TG_PICK_UP_TO_AVX2(unfold_f32)(w, c);
    else TG_PICK_UP_TO_AVX2(unfold_f64)(w, c);
}

void tg_col2im(const tg_Window *w, const tg_Im2col *c) {
    if (c->size == 4) TG_PICK_UP_TO_AVX2(fold_f32)(w, c);
    else TG_PICK_UP_TO_AVX2(fold_f64)(w, c);
}
