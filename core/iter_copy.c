/* core/iter_copy.c: copies from one layout to another, without a change of dtype. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/kernels/turn.h"
#include "core/walk.h"

/* A walk whose items are rows of dim 0 (side by side in both), or matrices of dim 0 and dim `across`, along which the source is
 * contiguous, in strips. */
typedef struct Copy {
    Walk w;
    int64_t size, strips, strip;
} Copy;

/* ---- as it lies ---- */

static void copy_bytes(int64_t from, int64_t to, void *copy) {
    const Copy *c = copy;
    memcpy(c->w.data[0] + from, c->w.data[1] + from, (size_t)(to - from));
}

static void clear_bytes(int64_t from, int64_t to, void *data) {
    memset((char *)data + from, 0, (size_t)(to - from));
}

enum { BYTES = 1 << 17 }; /* that are worth a thread's while */

void tg_clear(void *data, size_t bytes) {
    tg_parallel((int64_t)bytes, BYTES, clear_bytes, data);
}

/* ---- rows, and matrices across ---- */

/* Where item number `item` of the dims from 1 on begins. */
static void find(const Walk *w, int64_t item, int64_t index[T_MAX_DIMS], char **to, const char **from) {
    *to = w->data[0];
    *from = w->data[1];
    for (int d = 1; d < w->ndim; d++) {
        index[d] = item % w->shape[d];
        item /= w->shape[d];
        *to += index[d] * w->steps[0][d];
        *from += index[d] * w->steps[1][d];
    }
}

static void copy_rows(int64_t first, int64_t last, void *copy) {
    const Copy *c = copy;
    const Walk *w = &c->w;
    const size_t bytes = (size_t)(w->shape[0] * c->size);
    int64_t index[T_MAX_DIMS] = {0};
    const char *from;
    char *to;
    while (first < last) {
        find(w, first, index, &to, &from);
        int64_t rows = w->ndim > 1 ? w->shape[1] - index[1] : 1;
        if (rows > last - first) rows = last - first;
        for (int64_t i = 0; i < rows; i++) memcpy(to + i * w->steps[0][1], from + i * w->steps[1][1], bytes);
        first += rows;
    }
}

static void turn_strips(int64_t first, int64_t last, void *copy) {
    const Copy *c = copy;
    const Walk *w = &c->w;
    void (*turn)(int64_t, int64_t, const void *, int64_t, void *, int64_t) = c->size == 4 ? tg_turn_4 : tg_turn_8;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = i % c->strips * c->strip, rest = w->shape[1] - begin;
        int64_t index[T_MAX_DIMS];
        const char *from;
        char *to;
        find(w, i / c->strips * w->shape[1], index, &to, &from);
        turn(w->shape[0], rest < c->strip ? rest : c->strip, from + begin * w->steps[1][1], w->steps[1][0] / c->size,
             to + begin * w->steps[0][1], w->steps[0][1] / c->size);
    }
}

/* The dim along which the source is contiguous comes second; false where there is none, or one so short that turning does not
 * pay. */
static bool bring_second(Copy *c) {
    enum { SHORT = 8 };
    Walk *w = &c->w;
    int across = 1;
    while (across < w->ndim && w->steps[1][across] != c->size) across++;
    if (across == w->ndim || w->shape[0] < SHORT || w->shape[across] < SHORT) return false;
    for (int i = 0; i < 2; i++) {
        int64_t step = w->steps[i][across];
        memmove(&w->steps[i][2], &w->steps[i][1], (size_t)(across - 1) * sizeof step);
        w->steps[i][1] = step;
    }
    int64_t length = w->shape[across];
    memmove(&w->shape[2], &w->shape[1], (size_t)(across - 1) * sizeof length);
    w->shape[1] = length;
    return true;
}

bool tg_copy_layout(Tensor *to, Tensor *from) {
    enum { LINE = 64 };
    const int64_t n = tg_numel(to);
    Copy c = {.size = (int64_t)tg_itemsize(to->dtype)};
    if (to->dtype != from->dtype || n < 2 * LINE || !tg_same_shape(to, from)) return false;
    tg_walk_plan(&c.w, to, &from, 1);
    if (c.w.ndim == 1 && c.w.steps[0][0] == c.size && c.w.steps[1][0] == c.size) {
        tg_parallel(n * c.size, BYTES, copy_bytes, &c);
        return true;
    }
    if (c.size < 4 || c.w.ndim == 1 || !tg_walk_is_spread(&c.w) || c.w.steps[0][0] != c.size) return false;
    if (c.w.steps[1][0] == c.size) {
        tg_parallel(n / c.w.shape[0], TG_WALK_GRAIN / c.w.shape[0] + 1, copy_rows, &c);
        return true;
    }
    if (!bring_second(&c)) return false;
    c.strip = LINE / c.size;
    c.strips = (c.w.shape[1] + c.strip - 1) / c.strip;
    tg_parallel(n / c.w.shape[0] / c.w.shape[1] * c.strips, TG_WALK_GRAIN / (c.w.shape[0] * c.strip) + 1, turn_strips, &c);
    return true;
}
