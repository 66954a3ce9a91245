/* Reductions: dispatch to the kernels of reduce.inc by type and shape, and the reductions of bools. */
#include "core/kernels/reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

/* ---- int64, which wraps around ---- */

static int64_t combine_int64(tg_ReduceKind kind, int64_t y, int64_t x) {
    switch (kind) {
    case TG_SUM: return (int64_t)((uint64_t)y + (uint64_t)x);
    case TG_PROD: return (int64_t)((uint64_t)y * (uint64_t)x);
    case TG_MAX: return x > y ? x : y;
    default: return x < y ? x : y;
    }
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/reduce/reduce.inc"
#include "core/kernels/dispatch.inc"

/* ---- bools, eight in a 64-bit word: sums and products give int64, max and min give bools ---- */

static uint64_t word(const bool *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

/* The number of true elements: each byte of `counts` counts up to 255, then the bytes are added. */
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

static bool contains(int64_t n, const bool *x, bool wanted) {
    enum { SHORT = 32 };
    int64_t i = 0;
    if (n > SHORT) return memchr(x, wanted, (size_t)n) != NULL;
    for (; i + 8 <= n; i += 8)
        if (word(x + i) != (wanted ? 0 : 0x0101010101010101)) return true;
    for (; i < n; i++)
        if (x[i] == wanted) return true;
    return false;
}

/* Eight columns at a time are counted in the bytes of a word, up to 255 rows. */
static void count_columns(const tg_ReduceTile *t) {
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

static void reduce_bools(const tg_ReduceTile *t, bool along) {
    const bool any = t->kind == TG_MAX;
    if (t->kind == TG_SUM && !along) {
        count_columns(t);
        return;
    }
    for (int64_t i = 0; i < t->rows; i++) {
        const bool *x = (const bool *)t->x + i * t->step;
        bool *y = (bool *)t->y + (along ? i : 0);
        int64_t *whole = (int64_t *)t->y + (along ? i : 0), j = 0;
        if (t->kind == TG_PROD) {
            for (; j < t->n; j++, whole += !along) *whole *= x[j];
        } else if (t->kind == TG_SUM) {
            *whole += count_row(t->n, x);
        } else if (along) {
            if (contains(t->n, x, any)) *y = any;
        } else {
            for (; j + 8 <= t->n; j += 8) {
                const uint64_t bits = any ? word(y + j) | word(x + j) : word(y + j) & word(x + j);
                memcpy(y + j, &bits, sizeof bits);
            }
            for (; j < t->n; j++) y[j] = any ? y[j] | x[j] : y[j] & x[j];
        }
    }
}

/* The index of y[result] among n elements at x[from], `step` apart. */
static int64_t find_integer(const tg_ReduceTile *t, int64_t from, int64_t n, int64_t step, int64_t result) {
    int64_t i = 0;
    if (t->type == TG_REDUCE_BOOL)
        while (i < n && ((const bool *)t->x)[from + i * step] != ((const bool *)t->y)[result]) i++;
    else
        while (i < n && ((const int64_t *)t->x)[from + i * step] != ((const int64_t *)t->y)[result]) i++;
    return i;
}

/* ---- all types ---- */

void tg_reduce_init(const tg_ReduceTile *t, int64_t count) {
    const tg_ReduceKind kind = t->kind;
    const double none = kind == TG_PROD ? 1 : kind < TG_MAX || kind == TG_MAX_ABS ? 0 : -INFINITY;
    if (t->type == TG_REDUCE_BOOL && kind >= TG_MAX)
        memset(t->y, kind == TG_MIN, (size_t)count);
    else if (t->type < TG_REDUCE_F32)
        for (int64_t i = 0, whole = kind == TG_MAX ? INT64_MIN : kind == TG_MIN ? INT64_MAX : kind == TG_PROD;
             i < count; i++)
            ((int64_t *)t->y)[i] = whole;
    else if (t->type == TG_REDUCE_F32 && kind >= TG_PROD)
        TG_PICK_UP_TO_AVX2(fill_f32)(count, t->y, (float)none);
    else
        TG_PICK_UP_TO_AVX2(fill_f64)(count, t->y, none);
}

void tg_repeat_interleave(bool is_long, int64_t rows, int64_t n, const void *from, int64_t step, void *to) {
    (is_long ? TG_PICK_UP_TO_AVX2(repeat_interleave_f64) : TG_PICK_UP_TO_AVX2(repeat_interleave_f32))(rows, n, from,
                                                                                                      step, to);
}

/* SUM_LANES: the doubles in which the sum of a row is accumulated, four vectors. */
#if defined(__x86_64__)
#define ISA_IS_BASELINE (tg_isa() == TG_ISA_BASELINE) /* instances compiled for size, without some kernels */
#define SUM_LANES (ISA_IS_BASELINE ? 8 : 16)
#define BROADCAST_ROWS(type) broadcast_rows_##type##_avx2
#else
#define ISA_IS_BASELINE false
#define SUM_LANES 8
#define BROADCAST_ROWS(type) broadcast_rows_##type##_baseline
#endif
bool tg_broadcast_rows(const tg_BroadcastRows *b) {
    if (ISA_IS_BASELINE) return false;
    (b->is_double ? BROADCAST_ROWS(f64) : BROADCAST_ROWS(f32))(b);
    return true;
}

bool tg_any_out_of_range(int64_t n, const int64_t *x, int64_t low, int64_t last) {
    return TG_PICK_UP_TO_AVX2(any_out_of_range_f64)(n, x, low, last);
}

void tg_finish_sums_f32(int64_t n, const double *sums, double divisor, bool root, float *y) {
    TG_PICK_UP_TO_AVX2(finish_sums_f32)(n, sums, divisor, root, y);
}

void tg_finish_sums_f64(int64_t n, const double *sums, double divisor, bool root, double *y) {
    TG_PICK_UP_TO_AVX2(finish_sums_f64)(n, sums, divisor, root, y);
}

/* Transposes short rows into `buffer`, as columns; false where the rows are not short. */
static bool transpose_short_rows(const tg_ReduceTile *t, void *buffer, tg_ReduceTile *columns) {
    if (!tg_reduce_transposes(t->type, t->n) || t->rows == 1 || (t->type == TG_REDUCE_INT64 && t->kind == TG_PROD))
        return false;
    if (t->type == TG_REDUCE_F32) TG_PICK_UP_TO_AVX2(transpose_rows_f32)(t, buffer);
    else TG_PICK_UP_TO_AVX2(transpose_rows_f64)(t, buffer);
    *columns = *t;
    columns->x = buffer;
    columns->rows = t->n;
    columns->n = t->rows;
    columns->step = TG_REDUCE_ROWS;
    return true;
}

tg_ReduceTile tg_reduce_partials(const tg_ReduceTile *t, const void *x, int64_t rows, int64_t n, void *y) {
    const bool whole = t->type < TG_REDUCE_F32;
    const tg_ReduceKind kind = t->kind < TG_PROD ? TG_SUM : t->kind > TG_PROD && !whole ? TG_MAX : t->kind;
    return (tg_ReduceTile){.kind = kind, .type = kind >= TG_MAX ? t->type : whole ? TG_REDUCE_INT64 : kind == TG_SUM
                           ? TG_REDUCE_F64 : t->type,
                         .x = x, .rows = rows, .n = n, .step = n, .y = y};
}

#define REDUCE_REALS(which, type)                                                                                      \
    (t->kind < TG_PROD    ? TG_PICK_UP_TO_AVX2(sum_##which##_##type)                                                   \
     : t->kind == TG_PROD ? TG_PICK_UP_TO_AVX2(prod_##which##_##type) : TG_PICK_UP_TO_AVX2(max_min_##which##_##type))
static void reduce_columns(const tg_ReduceTile *t) {
    if (t->type == TG_REDUCE_INT64) TG_PICK_UP_TO_AVX2(reduce_int64_columns_f64)(t);
    else (t->type == TG_REDUCE_F32 ? REDUCE_REALS(columns, f32) : REDUCE_REALS(columns, f64))(t);
}

static void reduce_rows(const tg_ReduceTile *t) {
    if (t->type == TG_REDUCE_INT64) TG_PICK_UP_TO_AVX2(reduce_int64_rows_f64)(t);
    else (t->type == TG_REDUCE_F32 ? REDUCE_REALS(rows, f32) : REDUCE_REALS(rows, f64))(t);
}

/* A narrow contiguous matrix: several rows are viewed as one wide row, and the results of its columns are reduced
 * again. Where SUM_LANES is a multiple of n, the whole matrix is summed as one row, whose lanes are the columns'
 * sums. */
static TG_COLD void reduce_narrow(tg_ReduceTile t) {
    enum { WIDTH = 64, LONG = 16384 };
    _Alignas(64) double buffer[WIDTH + 8];
    const int64_t lanes = t.kind == TG_SUM && t.rows * t.n >= LONG && SUM_LANES % t.n == 0 ? SUM_LANES : 0;
    const int64_t together = (lanes ? lanes : WIDTH) / t.n, rows = t.rows / together;
    tg_ReduceTile wide = t;
    wide.rows = rows;
    wide.n = wide.step = together * t.n;
    wide.y = buffer;
    tg_reduce_init(&wide, wide.n);
    if (lanes) {
        wide.n *= rows;
        wide.rows = 1;
        wide.lanes = true;
        /* else four floats that are added before widening are in the same column */
        wide.widen_each |= t.type == TG_REDUCE_F64 || lanes / 2 % t.n;
    }
    (lanes ? reduce_rows : reduce_columns)(&wide);
    wide = tg_reduce_partials(&t, buffer, together, t.n, t.y);
    reduce_columns(&wide);
    t.x = (const char *)t.x + rows * together * t.n * (t.type == TG_REDUCE_F32 ? 4 : 8);
    t.rows -= rows * together;
    reduce_columns(&t);
}

void tg_reduce_columns(const tg_ReduceTile *t) {
    const int64_t few = (t->n < 8 ? 8 : 16) * TG_REDUCE_SHORT; /* elements from which reduce_narrow is faster */
    if (t->type == TG_REDUCE_BOOL) reduce_bools(t, false);
    else if (t->type > TG_REDUCE_INT64 && t->n < TG_REDUCE_SHORT && t->step == t->n && t->rows * t->n > few
             && !t->center)
        reduce_narrow(*t);
    else reduce_columns(t);
}

/* Takes the next rows of t, as many as are transposed at once. (Not inlined, to keep its two callers small.) */
static __attribute__((noinline)) tg_ReduceTile next_rows(tg_ReduceTile *t) {
    tg_ReduceTile some = *t;
    const int64_t size = t->type == TG_REDUCE_F32 ? 4 : 8;
    if (tg_reduce_transposes(t->type, t->n) && t->rows > TG_REDUCE_ROWS) some.rows = TG_REDUCE_ROWS;
    t->rows -= some.rows;
    t->x = (const char *)t->x + some.rows * t->step * size;
    t->y = (char *)t->y + some.rows * tg_reduce_result_size(t);
    if (t->center) t->center += some.rows;
    return some;
}

/* Sums of int64 rows of n = 2 to 8 elements, for which a transpose does not pay. */
static inline __attribute__((always_inline)) void sum_rows_of_n(const tg_ReduceTile *t, int64_t n) {
    const uint64_t *x = t->x;
    const int64_t rows = t->rows, step = t->step;
    uint64_t *y = t->y;
    for (int64_t i = 0; i < rows; i++, x += step) {
        uint64_t sum = x[0] + x[1];
        for (int64_t j = 2; j < n; j++) sum += x[j];
        y[i] += sum;
    }
}

static bool sum_few_int64(const tg_ReduceTile *t) {
    if (t->type != TG_REDUCE_INT64 || t->kind != TG_SUM || t->n < 2 || t->n > 8) return false;
    switch (t->n) {
    case 2: sum_rows_of_n(t, 2); break;
    case 3: sum_rows_of_n(t, 3); break;
    case 4: sum_rows_of_n(t, 4); break;
    default: sum_rows_of_n(t, t->n);
    }
    return true;
}

void tg_reduce_rows(const tg_ReduceTile *t) {
    _Alignas(64) double buffer[TG_REDUCE_SHORT * TG_REDUCE_ROWS];
    tg_ReduceTile columns, left = *t;
    if (sum_few_int64(t)) return;
    if (t->type == TG_REDUCE_BOOL) reduce_bools(t, true);
    while (t->type != TG_REDUCE_BOOL && left.rows > 0) {
        const tg_ReduceTile some = next_rows(&left);
        if (transpose_short_rows(&some, buffer, &columns)) reduce_columns(&columns);
        else reduce_rows(&some);
    }
}

void tg_reduce_find_columns(const tg_ReduceTile *t, int64_t *at) {
    if (t->type == TG_REDUCE_F32) TG_PICK_UP_TO_AVX2(find_columns_f32)(t, at);
    else if (t->type == TG_REDUCE_F64 || (t->type == TG_REDUCE_INT64 && !ISA_IS_BASELINE))
        TG_PICK_UP_TO_AVX2(find_columns_f64)(t, at);
    else
        for (int64_t j = 0; j < t->n; j++) at[j] = find_integer(t, j, t->rows, t->step, j);
}

static void find_rows(const tg_ReduceTile *t, int64_t *at) {
    if (t->type == TG_REDUCE_F32) TG_PICK_UP_TO_AVX2(find_rows_f32)(t, at);
    else if (t->type == TG_REDUCE_F64) TG_PICK_UP_TO_AVX2(find_rows_f64)(t, at);
    else
        for (int64_t i = 0; i < t->rows; i++) at[i] = find_integer(t, i * t->step, t->n, 1, i);
}

void tg_reduce_find_rows(const tg_ReduceTile *t, int64_t *at) {
    _Alignas(64) double buffer[TG_REDUCE_SHORT * TG_REDUCE_ROWS];
    tg_ReduceTile columns, left = *t;
    if (t->type == TG_REDUCE_BOOL) find_rows(t, at);
    while (t->type != TG_REDUCE_BOOL && left.rows > 0) {
        const tg_ReduceTile some = next_rows(&left);
        if (transpose_short_rows(&some, buffer, &columns)) tg_reduce_find_columns(&columns, at);
        else find_rows(&some, at);
        at += some.rows;
    }
}
