/* core/tensor/iterator_copy.c: copies between layouts, with or without a conversion of dtype, and fill. */
#include <math.h>
#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/kernels/transpose.h"
#include "core/tensor/dtype_convert.h"
#include "core/tensor/iterator_internal.h"

/* The plan of a copy (operand 0 is the destination, 1 the source): by rows of dim 0, or by matrices of dims 0 and 1
 * that are transposed in strips of `strip` rows. */
typedef struct Copy {
    Iterator it;
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
    const Iterator *it = &c->it;
    const int64_t to = it->strides[0][0], from = it->strides[1][0];
    c->move(last - first, it->data[0] + first * to, to, it->data[1] + first * from, from);
}

/* ---- rows, and transposed matrices ---- */

/* The addresses of row `item`; rows are numbered over the dims from 1 on. */
static void row_address(const Iterator *it, int64_t item, int64_t index[T_MAX_DIMS], char **to, const char **from) {
    *to = it->data[0];
    *from = it->data[1];
    for (int d = 1; d < it->ndim; d++) {
        index[d] = item % it->shape[d];
        item /= it->shape[d];
        *to += index[d] * it->strides[0][d];
        *from += index[d] * it->strides[1][d];
    }
}

static void copy_rows(int64_t first, int64_t last, void *copy) {
    const Copy *c = copy;
    const Iterator *it = &c->it;
    int64_t index[T_MAX_DIMS] = {0};
    const char *from;
    char *to;
    while (first < last) {
        row_address(it, first, index, &to, &from);
        int64_t rows = it->shape[1] - index[1] < last - first ? it->shape[1] - index[1] : last - first;
        for (int64_t i = 0; i < rows; i++)
            c->move(it->shape[0], to + i * it->strides[0][1], it->strides[0][0], from + i * it->strides[1][1],
                    it->strides[1][0]);
        first += rows;
    }
}

static void transpose_strips(int64_t first, int64_t last, void *copy) {
    const Copy *c = copy;
    const Iterator *it = &c->it;
    void (*transpose)(int64_t, int64_t, const void *, int64_t, void *, int64_t) = c->size == 4 ? tg_transpose_4
        : tg_transpose_8;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = i % c->strips * c->strip, rest = it->shape[1] - begin;
        int64_t index[T_MAX_DIMS];
        const char *from;
        char *to;
        row_address(it, i / c->strips * it->shape[1], index, &to, &from);
        transpose(it->shape[0], rest < c->strip ? rest : c->strip, from + begin * it->strides[1][1],
                  it->strides[1][0] / c->size, to + begin * it->strides[0][1], it->strides[0][1] / c->size);
    }
}

/* Moves dim d down to position `to`; the dims between move up. */
static void move_dim_down(Iterator *it, int d, int to) {
    const int64_t length = it->shape[d];
    for (int i = 0; i < 2; i++) {
        const int64_t stride = it->strides[i][d];
        memmove(&it->strides[i][to + 1], &it->strides[i][to], (size_t)(d - to) * sizeof stride);
        it->strides[i][to] = stride;
    }
    memmove(&it->shape[to + 1], &it->shape[to], (size_t)(d - to) * sizeof length);
    it->shape[to] = length;
}

/* Moves the dim along which the source is contiguous to position 1. False if there is none, or if it is so short that
 * the transpose kernel is not faster. */
static bool move_contiguous_dim(Copy *c) {
    enum { SHORT = 8 };
    Iterator *it = &c->it;
    int contiguous = 1;
    while (contiguous < it->ndim && it->strides[1][contiguous] != c->size) contiguous++;
    if (contiguous == it->ndim || it->shape[0] < SHORT || it->shape[contiguous] < SHORT) return false;
    move_dim_down(it, contiguous, 1);
    return true;
}

/* Makes the longest of dims 1 to 3 the row if the rows are shorter than SHORT. */
static bool lengthen(Iterator *it) {
    enum { SHORT = 16 };
    int longest = 0;
    for (int d = 1; d < it->ndim && d < 4; d++)
        if (it->shape[d] >= 2 * it->shape[longest]) longest = d;
    if (it->shape[0] >= SHORT || longest == 0) return false;
    move_dim_down(it, longest, 0);
    return true;
}

static void run_rows(Copy *c) {
    const Iterator *it = &c->it;
    int64_t items = 1;
    for (int d = 1; d < it->ndim; d++) items *= it->shape[d];
    c->move = tg_copy_loop(c->size, it->strides[0][0], it->strides[1][0]);
    tg_parallel(items, tg_iterator_no_overlap(it) ? TG_GRAIN_SIZE / it->shape[0] + 1 : items, copy_rows, c);
}

/* Copies rows in pieces so short that the memory that dim 1 covers, for one piece, stays in the cache. */
static void run_pieces(Copy *c, int64_t piece) {
    Iterator *it = &c->it;
    const int64_t pieces = it->shape[0] / piece, done = pieces * piece;
    if (pieces > 0 && it->ndim < T_MAX_DIMS) {
        Copy pieced = *c;
        Iterator *v = &pieced.it;
        v->shape[v->ndim] = pieces;
        for (int i = 0; i < 2; i++) v->strides[i][v->ndim] = piece * v->strides[i][0];
        v->shape[0] = piece;
        v->ndim++;
        move_dim_down(v, v->ndim - 1, 2);
        run_rows(&pieced);
        it->shape[0] -= done;
        for (int i = 0; i < 2; i++) it->data[i] += done * it->strides[i][0];
    }
    if (it->shape[0] > 0) run_rows(c);
}

static void run_copy(Copy *c) {
    enum { LINE = 64, PIECE = 512 };
    Iterator *it = &c->it;
    int64_t n = 1;
    for (int d = 0; d < it->ndim; d++) n *= it->shape[d];
    if (it->ndim == 1) {
        const int64_t grain = it->strides[0][0] > 0 ? GRAIN_BYTES / c->size : n;
        c->move = tg_copy_loop(c->size, it->strides[0][0], it->strides[1][0]);
        if (n <= grain) copy_part(0, n, c);
        else tg_parallel(n, grain, copy_part, c);
    } else if (it->strides[1][0] != c->size && it->strides[1][0] != 0 && it->strides[0][0] == c->size &&
               tg_iterator_no_overlap(it) &&
               move_contiguous_dim(c)) {
        if (c->size <= 2) {
            run_pieces(c, LINE);
            return;
        }
        c->strip = LINE / c->size;
        c->strips = (it->shape[1] + c->strip - 1) / c->strip;
        tg_parallel(n / it->shape[0] / it->shape[1] * c->strips, TG_GRAIN_SIZE / (it->shape[0] * c->strip) + 1,
                    transpose_strips, c);
    } else if (lengthen(it)) {
        run_pieces(c, PIECE);
    } else {
        run_rows(c);
    }
}

/* ---- all of a tensor ---- */

/* Fills `to` with the value of its dtype that is at `from`. */
static void fill(Tensor *to, char *from) {
    Copy c = {.size = (int64_t)tg_itemsize(to->dtype)};
    tg_iterator_plan(&c.it, to, NULL, 0);
    c.it.operands = 2;
    c.it.data[1] = from;
    memset(c.it.strides[1], 0, sizeof c.it.strides[1]);
    run_copy(&c);
}

void tg_copy_into(Tensor *to, Tensor *from) {
    const int64_t n = tg_numel(to);
    Copy c = {.size = (int64_t)tg_itemsize(to->dtype)};
    if (n == 0) return;
    if (to->dtype != from->dtype) {
        const Conversion conversion = tg_conversion(to->dtype, from->dtype);
        int64_t cell;
        if (tg_numel(from) > 1) {
            tg_run_shared(tg_convert_loop, to, &from, 1, 0, &conversion);
            return;
        }
        tg_convert_loop(1, (char *[]){(char *)&cell, tg_data(from)}, (int64_t[]){0, 0}, &conversion);
        fill(to, (char *)&cell);
    } else if (n * c.size <= GRAIN_BYTES && tg_is_contiguous(to) && tg_is_contiguous(from) && tg_numel(from) == n) {
        memcpy(tg_data(to), tg_data(from), (size_t)(n * c.size));
    } else {
        tg_iterator_plan(&c.it, to, &from, 1);
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
    tg_set_element(to->dtype, &cell, value);
    fill(to, (char *)&cell);
}
