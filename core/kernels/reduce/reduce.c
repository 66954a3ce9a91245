/* Sums, products and extremes for every instruction set, and of whole numbers in plain loops; reduce.inc explains them. */
#include "core/kernels/reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

/* ---- whole numbers, which wrap around ---- */

static int64_t gathered_whole(tg_FoldKind kind, int64_t y, int64_t x) {
    switch (kind) {
    case TG_SUM: return (int64_t)((uint64_t)y + (uint64_t)x);
    case TG_PRODUCT: return (int64_t)((uint64_t)y * (uint64_t)x);
    case TG_MAX: return x > y ? x : y;
    default: return x < y ? x : y;
    }
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/reduce/reduce.inc"
#include "core/kernels/dispatch.inc"

/* ---- bools, eight in a word: sums and products in int64, extremes in bools ---- */

static uint64_t word(const bool *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

/* Bytes of a word count up to 255 words; then they are added up across. */
static int64_t count_row(int64_t n, const bool *x) {
    int64_t count = 0, i = 0;
    while (i + 8 <= n) {
        const uint64_t even = 0x00ff00ff00ff00ff;
        const int64_t end = n - i < 255 * 8 ? n - 7 : i + 255 * 8 - 7;
        uint64_t counts = 0;
        for (; i < end; i += 8) counts += word(x + i);
        count += (int64_t)((((counts & even) + (counts >> 8 & even)) * 0x0001000100010001) >> 48);
    }
    for (; i < n; i++) count += x[i];
    return count;
}

static bool find_truth(int64_t n, const bool *x, bool wanted) {
    enum { SHORT = 32 };
    int64_t i = 0;
    if (n > SHORT) return memchr(x, wanted, (size_t)n) != NULL;
    for (; i + 8 <= n; i += 8)
        if (word(x + i) != (wanted ? 0 : 0x0101010101010101)) return true;
    for (; i < n; i++)
        if (x[i] == wanted) return true;
    return false;
}

/* Columns are counted eight at a time, in bytes, which count up to 255 rows. */
static void count_columns(const tg_FoldTile *t) {
    int64_t *y = t->y;
    for (int64_t row = 0, end; row < t->rows; row = end) {
        const bool *x = (const bool *)t->x + row * t->step;
        int64_t j = 0;
        end = t->rows - row < 255 ? t->rows : row + 255;
        for (; j + 8 <= t->n; j += 8) {
            uint64_t counts = 0;
            uint8_t count[8];
            for (int64_t i = 0; i < end - row; i++) counts += word(x + i * t->step + j);
            memcpy(count, &counts, sizeof counts);
            for (int k = 0; k < 8; k++) y[j + k] += count[k];
        }
        for (; j < t->n; j++)
            for (int64_t i = 0; i < end - row; i++) y[j] += x[i * t->step + j];
    }
}

static void fold_truths(const tg_FoldTile *t, bool along) {
    const bool any = t->kind == TG_MAX;
    if (t->kind == TG_SUM && !along) {
        count_columns(t);
        return;
    }
    for (int64_t i = 0; i < t->rows; i++) {
        const bool *x = (const bool *)t->x + i * t->step;
        bool *y = (bool *)t->y + (along ? i : 0);
        int64_t *whole = (int64_t *)t->y + (along ? i : 0), j = 0;
        if (t->kind == TG_PRODUCT) {
            for (; j < t->n; j++, whole += !along) *whole *= x[j];
        } else if (t->kind == TG_SUM) {
            *whole += count_row(t->n, x);
        } else if (along) {
            if (find_truth(t->n, x, any)) *y = any;
        } else {
            for (; j + 8 <= t->n; j += 8) {
                const uint64_t bits = any ? word(y + j) | word(x + j) : word(y + j) & word(x + j);
                memcpy(y + j, &bits, sizeof bits);
            }
            for (; j < t->n; j++) y[j] = any ? y[j] | x[j] : y[j] & x[j];
        }
    }
}

/* The place of y among n elements that are `step` apart. */
static int64_t find_whole(const tg_FoldTile *t, int64_t from, int64_t n, int64_t step, int64_t result) {
    int64_t i = 0;
    if (t->type == TG_FOLD_BOOL)
        while (i < n && ((const bool *)t->x)[from + i * step] != ((const bool *)t->y)[result]) i++;
    else
        while (i < n && ((const int64_t *)t->x)[from + i * step] != ((const int64_t *)t->y)[result]) i++;
    return i;
}

/* ---- all types ---- */

void tg_fold_start(const tg_FoldTile *t, int64_t count) {
    const tg_FoldKind kind = t->kind;
    const double none = kind == TG_PRODUCT ? 1 : kind < TG_MAX || kind == TG_MAX_SIZE ? 0 : -INFINITY;
    if (t->type == TG_FOLD_BOOL && kind >= TG_MAX)
        memset(t->y, kind == TG_MIN, (size_t)count);
    else if (t->type < TG_FOLD_F32)
        for (int64_t i = 0, whole = kind == TG_MAX ? INT64_MIN : kind == TG_MIN ? INT64_MAX : kind == TG_PRODUCT; i < count; i++)
            ((int64_t *)t->y)[i] = whole;
    else if (t->type == TG_FOLD_F32 && kind >= TG_PRODUCT)
        TG_PICK_UP_TO_AVX2(fill_f32)(count, t->y, (float)none);
    else
        TG_PICK_UP_TO_AVX2(fill_f64)(count, t->y, none);
}

void tg_repeat_each(bool is_long, int64_t rows, int64_t n, const void *from, int64_t step, void *to) {
    (is_long ? TG_PICK_UP_TO_AVX2(repeat_each_f64) : TG_PICK_UP_TO_AVX2(repeat_each_f32))(rows, n, from, step, to);
}

/* SUMS_OF_A_ROW: those that a row is gathered in before they are brought together, four vectors. */
#if defined(__x86_64__)
#define MADE_SMALL (tg_isa() == TG_ISA_BASELINE) /* then some kernels are left out */
#define SUMS_OF_A_ROW (MADE_SMALL ? 8 : 16)
#define ROWS_BESIDE(type) rows_beside_##type##_avx2
#else
#define MADE_SMALL false
#define SUMS_OF_A_ROW 8
#define ROWS_BESIDE(type) rows_beside_##type##_baseline
#endif
bool tg_rows_beside(const tg_RowsBeside *b) {
    if (MADE_SMALL) return false;
    (b->is_double ? ROWS_BESIDE(f64) : ROWS_BESIDE(f32))(b);
    return true;
}

bool tg_any_outside(int64_t n, const int64_t *x, int64_t low, int64_t last) {
    return TG_PICK_UP_TO_AVX2(any_outside_f64)(n, x, low, last);
}

void tg_finish_sums_f32(int64_t n, const double *sums, double divisor, bool root, float *y) {
    TG_PICK_UP_TO_AVX2(finish_sums_f32)(n, sums, divisor, root, y);
}

void tg_finish_sums_f64(int64_t n, const double *sums, double divisor, bool root, double *y) {
    TG_PICK_UP_TO_AVX2(finish_sums_f64)(n, sums, divisor, root, y);
}

/* Rows so short that they are better turned into columns, in `room`. */
static bool turned(const tg_FoldTile *t, void *room, tg_FoldTile *columns) {
    if (!tg_fold_turns(t->type, t->n) || t->rows == 1 || (t->type == TG_FOLD_INT64 && t->kind == TG_PRODUCT)) return false;
    if (t->type == TG_FOLD_F32) TG_PICK_UP_TO_AVX2(turn_rows_f32)(t, room);
    else TG_PICK_UP_TO_AVX2(turn_rows_f64)(t, room);
    *columns = *t;
    columns->x = room;
    columns->rows = t->n;
    columns->n = t->rows;
    columns->step = TG_FOLD_ROWS;
    return true;
}

tg_FoldTile tg_fold_again(const tg_FoldTile *t, const void *x, int64_t rows, int64_t n, void *y) {
    const bool whole = t->type < TG_FOLD_F32;
    const tg_FoldKind kind = t->kind < TG_PRODUCT ? TG_SUM : t->kind > TG_PRODUCT && !whole ? TG_MAX : t->kind;
    return (tg_FoldTile){.kind = kind, .type = kind >= TG_MAX ? t->type : whole ? TG_FOLD_INT64 : kind == TG_SUM ? TG_FOLD_F64 : t->type,
                         .x = x, .rows = rows, .n = n, .step = n, .y = y};
}

#define FOLD_REALS(which, type)                                                                                            \
    (t->kind < TG_PRODUCT    ? TG_PICK_UP_TO_AVX2(sum_##which##_##type)                                                    \
     : t->kind == TG_PRODUCT ? TG_PICK_UP_TO_AVX2(product_##which##_##type) : TG_PICK_UP_TO_AVX2(extreme_##which##_##type))
static void fold_columns(const tg_FoldTile *t) {
    if (t->type == TG_FOLD_INT64) TG_PICK_UP_TO_AVX2(whole_columns_f64)(t);
    else (t->type == TG_FOLD_F32 ? FOLD_REALS(columns, f32) : FOLD_REALS(columns, f64))(t);
}

static void fold_rows(const tg_FoldTile *t) {
    if (t->type == TG_FOLD_INT64) TG_PICK_UP_TO_AVX2(whole_rows_f64)(t);
    else (t->type == TG_FOLD_F32 ? FOLD_REALS(rows, f32) : FOLD_REALS(rows, f64))(t);
}

/* Few columns, without gaps: several rows are taken as one long row, and its results as rows. Where they are as many as a sum has
 * lanes, all of the matrix is one row of a sum, for which memory is walked straight on. */
static TG_COLD void fold_few_columns(tg_FoldTile t) {
    enum { WIDTH = 64, LONG = 16384 };
    _Alignas(64) double room[WIDTH + 8];
    const int64_t lanes = t.kind == TG_SUM && t.rows * t.n >= LONG && SUMS_OF_A_ROW % t.n == 0 ? SUMS_OF_A_ROW : 0;
    const int64_t together = (lanes ? lanes : WIDTH) / t.n, rows = t.rows / together;
    tg_FoldTile wide = t;
    wide.rows = rows;
    wide.n = wide.step = together * t.n;
    wide.y = room;
    tg_fold_start(&wide, wide.n);
    if (lanes) {
        wide.n *= rows;
        wide.rows = 1;
        wide.lanes = true;
        wide.each_widened |= t.type == TG_FOLD_F64 || lanes / 2 % t.n; /* else floats stay in their column while four are added up */
    }
    (lanes ? fold_rows : fold_columns)(&wide);
    wide = tg_fold_again(&t, room, together, t.n, t.y);
    fold_columns(&wide);
    t.x = (const char *)t.x + rows * together * t.n * (t.type == TG_FOLD_F32 ? 4 : 8);
    t.rows -= rows * together;
    fold_columns(&t);
}

void tg_fold_down(const tg_FoldTile *t) {
    const int64_t few = (t->n < 8 ? 8 : 16) * TG_FOLD_SHORT; /* elements for which it pays to set this up */
    if (t->type == TG_FOLD_BOOL) fold_truths(t, false);
    else if (t->type > TG_FOLD_INT64 && t->n < TG_FOLD_SHORT && t->step == t->n && t->rows * t->n > few && !t->around)
        fold_few_columns(*t);
    else fold_columns(t);
}

/* As many of t's rows, from the first that is left on, as are turned at once. (Not inlined: both callers would be longer by it.) */
static __attribute__((noinline)) tg_FoldTile take_rows(tg_FoldTile *t) {
    tg_FoldTile some = *t;
    const int64_t size = t->type == TG_FOLD_F32 ? 4 : 8;
    if (tg_fold_turns(t->type, t->n) && t->rows > TG_FOLD_ROWS) some.rows = TG_FOLD_ROWS;
    t->rows -= some.rows;
    t->x = (const char *)t->x + some.rows * t->step * size;
    t->y = (char *)t->y + some.rows * tg_fold_size(t);
    if (t->around) t->around += some.rows;
    return some;
}

/* Sums of so few whole numbers that a row is done before it is turned. */
static inline __attribute__((always_inline)) void add_few(const tg_FoldTile *t, int64_t n) {
    const uint64_t *x = t->x;
    const int64_t rows = t->rows, step = t->step;
    uint64_t *y = t->y;
    for (int64_t i = 0; i < rows; i++, x += step) {
        uint64_t sum = x[0] + x[1];
        for (int64_t j = 2; j < n; j++) sum += x[j];
        y[i] += sum;
    }
}

static bool added_few(const tg_FoldTile *t) {
    if (t->type != TG_FOLD_INT64 || t->kind != TG_SUM || t->n < 2 || t->n > 8) return false;
    switch (t->n) {
    case 2: add_few(t, 2); break;
    case 3: add_few(t, 3); break;
    case 4: add_few(t, 4); break;
    default: add_few(t, t->n);
    }
    return true;
}

void tg_fold_along(const tg_FoldTile *t) {
    _Alignas(64) double room[TG_FOLD_SHORT * TG_FOLD_ROWS];
    tg_FoldTile columns, left = *t;
    if (added_few(t)) return;
    if (t->type == TG_FOLD_BOOL) fold_truths(t, true);
    while (t->type != TG_FOLD_BOOL && left.rows > 0) {
        const tg_FoldTile some = take_rows(&left);
        if (turned(&some, room, &columns)) fold_columns(&columns);
        else fold_rows(&some);
    }
}

void tg_fold_find_columns(const tg_FoldTile *t, int64_t *at) {
    if (t->type == TG_FOLD_F32) TG_PICK_UP_TO_AVX2(find_columns_f32)(t, at);
    else if (t->type == TG_FOLD_F64 || (t->type == TG_FOLD_INT64 && !MADE_SMALL)) TG_PICK_UP_TO_AVX2(find_columns_f64)(t, at);
    else
        for (int64_t j = 0; j < t->n; j++) at[j] = find_whole(t, j, t->rows, t->step, j);
}

static void find_rows(const tg_FoldTile *t, int64_t *at) {
    if (t->type == TG_FOLD_F32) TG_PICK_UP_TO_AVX2(find_rows_f32)(t, at);
    else if (t->type == TG_FOLD_F64) TG_PICK_UP_TO_AVX2(find_rows_f64)(t, at);
    else
        for (int64_t i = 0; i < t->rows; i++) at[i] = find_whole(t, i * t->step, t->n, 1, i);
}

void tg_fold_find_rows(const tg_FoldTile *t, int64_t *at) {
    _Alignas(64) double room[TG_FOLD_SHORT * TG_FOLD_ROWS];
    tg_FoldTile columns, left = *t;
    if (t->type == TG_FOLD_BOOL) find_rows(t, at);
    while (t->type != TG_FOLD_BOOL && left.rows > 0) {
        const tg_FoldTile some = take_rows(&left);
        if (turned(&some, room, &columns)) tg_fold_find_columns(&columns, at);
        else find_rows(&some, at);
        at += some.rows;
    }
}
