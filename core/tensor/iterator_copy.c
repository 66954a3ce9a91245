/* core/tensor/iterator_copy.c: copies between layouts, with or without a conversion of dtype, and fill. */
#include <math.h>
#include <string.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/kernels/transpose.h"
#include "core/tensor/iterator_internal.h"

/* The plan of a copy (operand 0 is the destination, 1 the source): by rows of dim 0, or by matrices of dims 0 and 1
 * that are transposed in strips of `strip` rows. */
typedef struct Copy {
    Walk w;
    int64_t size, strips, strip;
    tg_CopyLoop move; /* copies a row */
} Copy;

enum { GRAIN_BYTES = 1 << 17 }; /* per parallel task */

/* ---- one row ---- */

static void clear_bytes(int64_t from, int64_t to, void *data) {
    memset((char *)data + from, 0, (size_t)(to - from));
}

void tg_clear(void *data, size_t bytes) {
    tg_parallel((int64_t)bytes, GRAIN_BYTES, clear_bytes, data);
}

/* A part of the only row. */
static void copy_part(int64_t first, int64_t last, void *copy) {
    const Copy *c = copy;
    const Walk *w = &c->w;
    const int64_t to = w->steps[0][0], from = w->steps[1][0];
    c->move(last - first, w->data[0] + first * to, to, w->data[1] + first * from, from);
}

/* ---- rows, and transposed matrices ---- */

/* The addresses of row `item`; rows are numbered over the dims from 1 on. */
static void row_address(const Walk *w, int64_t item, int64_t index[T_MAX_DIMS], char **to, const char **from) {
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
    int64_t index[T_MAX_DIMS] = {0};
    const char *from;
    char *to;
    while (first < last) {
        row_address(w, first, index, &to, &from);
        int64_t rows = w->shape[1] - index[1] < last - first ? w->shape[1] - index[1] : last - first;
        for (int64_t i = 0; i < rows; i++)
            c->move(w->shape[0], to + i * w->steps[0][1], w->steps[0][0], from + i * w->steps[1][1], w->steps[1][0]);
        first += rows;
    }
}

static void transpose_strips(int64_t first, int64_t last, void *copy) {
    const Copy *c = copy;
    const Walk *w = &c->w;
    void (*transpose)(int64_t, int64_t, const void *, int64_t, void *, int64_t) = c->size == 4 ? tg_transpose_4
        : tg_transpose_8;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = i % c->strips * c->strip, rest = w->shape[1] - begin;
        int64_t index[T_MAX_DIMS];
        const char *from;
        char *to;
        row_address(w, i / c->strips * w->shape[1], index, &to, &from);
        transpose(w->shape[0], rest < c->strip ? rest : c->strip, from + begin * w->steps[1][1],
                  w->steps[1][0] / c->size, to + begin * w->steps[0][1], w->steps[0][1] / c->size);
    }
}

/* Moves dim d down to position `place`; the dims between move up. */
static void move_dim_down(Walk *w, int d, int place) {
    const int64_t length = w->shape[d];
    for (int i = 0; i < 2; i++) {
        const int64_t step = w->steps[i][d];
        memmove(&w->steps[i][place + 1], &w->steps[i][place], (size_t)(d - place) * sizeof step);
        w->steps[i][place] = step;
    }
    memmove(&w->shape[place + 1], &w->shape[place], (size_t)(d - place) * sizeof length);
    w->shape[place] = length;
}

/* Moves the dim along which the source is contiguous to position 1. False if there is none, or if it is so short that
 * the transpose kernel is not faster. */
static bool move_contiguous_dim(Copy *c) {
    enum { SHORT = 8 };
    Walk *w = &c->w;
    int contiguous = 1;
    while (contiguous < w->ndim && w->steps[1][contiguous] != c->size) contiguous++;
    if (contiguous == w->ndim || w->shape[0] < SHORT || w->shape[contiguous] < SHORT) return false;
    move_dim_down(w, contiguous, 1);
    return true;
}

/* Makes the longest of dims 1 to 3 the row if the rows are shorter than SHORT. */
static bool lengthen(Walk *w) {
    enum { SHORT = 16 };
    int longest = 0;
    for (int d = 1; d < w->ndim && d < 4; d++)
        if (w->shape[d] >= 2 * w->shape[longest]) longest = d;
    if (w->shape[0] >= SHORT || longest == 0) return false;
    move_dim_down(w, longest, 0);
    return true;
}

static void run_rows(Copy *c) {
    const Walk *w = &c->w;
    int64_t items = 1;
    for (int d = 1; d < w->ndim; d++) items *= w->shape[d];
    c->move = tg_copy_loop(c->size, w->steps[0][0], w->steps[1][0]);
    tg_parallel(items, tg_walk_is_spread(w) ? TG_WALK_GRAIN / w->shape[0] + 1 : items, copy_rows, c);
}

/* Copies rows in pieces so short that the memory that dim 1 covers, for one piece, stays in the cache. */
static void run_pieces(Copy *c, int64_t piece) {
    Walk *w = &c->w;
    const int64_t pieces = w->shape[0] / piece, done = pieces * piece;
    if (pieces > 0 && w->ndim < T_MAX_DIMS) {
        Copy whole = *c;
        Walk *v = &whole.w;
        v->shape[v->ndim] = pieces;
        for (int i = 0; i < 2; i++) v->steps[i][v->ndim] = piece * v->steps[i][0];
        v->shape[0] = piece;
        v->ndim++;
        move_dim_down(v, v->ndim - 1, 2);
        run_rows(&whole);
        w->shape[0] -= done;
        for (int i = 0; i < 2; i++) w->data[i] += done * w->steps[i][0];
    }
    if (w->shape[0] > 0) run_rows(c);
}

static void run_copy(Copy *c) {
    enum { LINE = 64, PIECE = 512 };
    Walk *w = &c->w;
    int64_t n = 1;
    for (int d = 0; d < w->ndim; d++) n *= w->shape[d];
    if (w->ndim == 1) {
        const int64_t grain = w->steps[0][0] > 0 ? GRAIN_BYTES / c->size : n;
        c->move = tg_copy_loop(c->size, w->steps[0][0], w->steps[1][0]);
        if (n <= grain) copy_part(0, n, c);
        else tg_parallel(n, grain, copy_part, c);
    } else if (w->steps[1][0] != c->size && w->steps[1][0] != 0 && w->steps[0][0] == c->size && tg_walk_is_spread(w) &&
               move_contiguous_dim(c)) {
        if (c->size == 1) {
            run_pieces(c, LINE);
            return;
        }
        c->strip = LINE / c->size;
        c->strips = (w->shape[1] + c->strip - 1) / c->strip;
        tg_parallel(n / w->shape[0] / w->shape[1] * c->strips, TG_WALK_GRAIN / (w->shape[0] * c->strip) + 1,
                    transpose_strips, c);
    } else if (lengthen(w)) {
        run_pieces(c, PIECE);
    } else {
        run_rows(c);
    }
}

/* ---- from one dtype to another ---- */

#define COPY(R, T) TG_EACH1(copy_##R##_from_##T, R, T, x)
COPY(int64_t, bool) COPY(int64_t, float) COPY(int64_t, double)
COPY(float, bool) COPY(float, int64_t) COPY(float, double)
COPY(double, bool) COPY(double, int64_t) COPY(double, float)

typedef struct Conversion {
    tg_Convert side_by_side;
    Loop apart;
    int64_t to_size, from_size;
} Conversion;

static void convert(int64_t n, char *const *data, const int64_t *steps, const void *conversion) {
    const Conversion *c = conversion;
    if (c->side_by_side && steps[0] == c->to_size && steps[1] == c->from_size) c->side_by_side(n, data[0], data[1]);
    else c->apart(n, data, steps, NULL);
}

static const Loop loops[T_DTYPES][T_DTYPES] = {
    [t_bool] = {[t_int64] = tg_holds_int64, [t_float32] = tg_holds_float32, [t_float64] = tg_holds_float64},
    [t_int64] = {[t_bool] = copy_int64_t_from_bool, [t_float32] = copy_int64_t_from_float,
                 [t_float64] = copy_int64_t_from_double},
    [t_float32] = {[t_bool] = copy_float_from_bool, [t_int64] = copy_float_from_int64_t,
                   [t_float64] = copy_float_from_double},
    [t_float64] = {[t_bool] = copy_double_from_bool, [t_int64] = copy_double_from_int64_t,
                   [t_float32] = copy_double_from_float}};

/* Fills `to` with the value of its dtype that is at `from`. */
static void fill(Tensor *to, char *from) {
    Copy c = {.size = (int64_t)tg_itemsize(to->dtype)};
    tg_walk_plan(&c.w, to, NULL, 0);
    c.w.operands = 2;
    c.w.data[1] = from;
    memset(c.w.steps[1], 0, sizeof c.w.steps[1]);
    run_copy(&c);
}

void tg_copy_into(Tensor *to, Tensor *from) {
    const int64_t n = tg_numel(to);
    Copy c = {.size = (int64_t)tg_itemsize(to->dtype)};
    if (n == 0) return;
    if (to->dtype != from->dtype) {
        const Loop apart = loops[to->dtype][from->dtype];
        const Conversion how = {tg_convert((int)to->dtype - 1, (int)from->dtype - 1), apart, c.size,
                                (int64_t)tg_itemsize(from->dtype)};
        int64_t cell;
        if (tg_numel(from) > 1) {
            tg_run_shared(convert, to, &from, 1, 0, &how);
            return;
        }
        apart(1, (char *[]){(char *)&cell, tg_data(from)}, (int64_t[]){0, 0}, NULL);
        fill(to, (char *)&cell);
    } else if (n * c.size <= GRAIN_BYTES && tg_is_contiguous(to) && tg_is_contiguous(from) && tg_numel(from) == n) {
        memcpy(tg_data(to), tg_data(from), (size_t)(n * c.size));
    } else {
        tg_walk_plan(&c.w, to, &from, 1);
        run_copy(&c);
    }
}

void tg_fill_into(Tensor *to, double value) {
    int64_t cell;
    if (tg_numel(to) == 0) return;
    if (value == 0 && !signbit(value) && tg_is_contiguous(to)) {
        tg_clear(tg_data(to), (size_t)tg_numel(to) * tg_itemsize(to->dtype));
        return;
    }
    switch (to->dtype) {
    case t_float32: memcpy(&cell, &(float){(float)value}, sizeof(float)); break;
    case t_float64: memcpy(&cell, &value, sizeof value); break;
    case t_int64: cell = (int64_t)value; break;
    default: memcpy(&cell, &(bool){(bool)value}, sizeof(bool)); break;
    }
    fill(to, (char *)&cell);
}
