/* core/kernels/reduce/reduce.c: reductions of matrices in raw memory: sums, products, maxima and minima, and norms.
 *
 * This folder: the kernels of all reductions. It includes nothing but core/kernels: it sees pointers, sizes and
 * strides, no tensor. core/ops/reduction/reduce.c plans which parts of a tensor are the matrices, and divides them
 * among threads.
 *
 * The idea. Any reduction of a tensor is one of two loops over matrices whose rows are contiguous:
 *
 *     rows       the contiguous dim is reduced              columns    the contiguous dim is kept
 *       for i in rows                                         for groups of 8 rows
 *         4 vector accumulators = the identity                  for j in columns, a vector at a time
 *         for j in columns, 4 vectors at a time                   load acc[j]
 *           combine one vector into each accumulator              combine the 8 rows into it
 *         combine the 4, then the lanes, then acc[i]              store acc[j]
 *
 * Over rows four independent accumulators hide the latency of an addition. Over columns a lane is a column, which needs
 * no horizontal step, and the accumulators are loaded and stored once for 8 rows. The order of the additions depends on
 * the sizes alone.
 *
 * Formulas. Floats are summed in double, as the sum of x or of (x - center)^2, and rounded once at the end. A sum of
 * float32 adds four elements in float32, (a + b) + (c + d), before it widens them: the conversion to double is what
 * limits the loop otherwise. Integers wrap around. Products are in x's own type, as in PyTorch. A maximum or minimum is
 * NaN if an element is.
 *
 * Budget, float32 with AVX2: rows 4 accumulators of 4 doubles, 4 loads, the center: 9 of 16 registers. Columns: 2
 * accumulators and 4 rows; 8 rows of 1024 columns are 32 KB, what L1 holds.
 *
 * Sums, maxima and minima of floats are vector code (reduce.inc); the others are plain loops, as they are rare. */
#include "core/kernels/reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/reduce/reduce.inc"
#include "core/kernels/dispatch.inc"

/* ---- plain loops ----
 *
 * `next` is the accumulator of type A after the element x of type T was combined with the accumulator a. */
#define PLAIN(name, T, A, next)                                                                  \
    static void name##_rows(const tg_ReduceTile *t) {                                            \
        A *acc = t->acc;                                                                         \
        for (int64_t i = 0; i < t->rows; i++) {                                                  \
            const T *row = (const T *)t->x + i * t->stride;                                      \
            A a = acc[i];                                                                        \
            for (int64_t j = 0, n = t->n; j < n; j++) {                                          \
                const T x = row[j];                                                              \
                a = (A)(next);                                                                   \
            }                                                                                    \
            acc[i] = a;                                                                          \
        }                                                                                        \
    }                                                                                            \
    static void name##_columns(const tg_ReduceTile *t) {                                         \
        A *restrict acc = t->acc;                                                                \
        for (int64_t i = 0; i < t->rows; i++) {                                                  \
            const T *restrict row = (const T *)t->x + i * t->stride;                             \
            for (int64_t j = 0, n = t->n; j < n; j++) {                                          \
                const T x = row[j];                                                              \
                const A a = acc[j];                                                              \
                acc[j] = (A)(next);                                                              \
            }                                                                                    \
        }                                                                                        \
    }
PLAIN(sum_bool, uint8_t, uint64_t, a + x)
PLAIN(sum_int64, uint64_t, uint64_t, a + x) /* wraps around */
PLAIN(prod_bool, uint8_t, uint64_t, a * x)
PLAIN(prod_int64, uint64_t, uint64_t, a * x)
PLAIN(prod_f32, float, float, a * x)
PLAIN(prod_f64, double, double, a * x)
PLAIN(max_bool, uint8_t, uint8_t, a | x)
PLAIN(min_bool, uint8_t, uint8_t, a & x)
PLAIN(max_int64, int64_t, int64_t, x > a ? x : a)
PLAIN(min_int64, int64_t, int64_t, x < a ? x : a)

/* ---- vector kernels: the instance for this processor ---- */

#define VECTOR(name, type)                                                                       \
    static void name##_##type##_rows(const tg_ReduceTile *t) {                                   \
        TG_PICK_UP_TO_AVX2(name##_rows_##type)(t);                                               \
    }                                                                                            \
    static void name##_##type##_columns(const tg_ReduceTile *t) {                                \
        TG_PICK_UP_TO_AVX2(name##_columns_##type)(t);                                            \
    }
VECTOR(sum, f32)
VECTOR(sum, f64)
VECTOR(sum_of_squares, f32)
VECTOR(sum_of_squares, f64)
VECTOR(max, f32)
VECTOR(max, f64)
VECTOR(min, f32)
VECTOR(min, f64)

/* ---- the table: a reduction of elements of a type, the type of its accumulators, and the identity ---- */

#define REDUCER(name, acc, identity) {#name, acc, {identity}, name##_rows, name##_columns}
static const tg_Reducer reducers[TG_REDUCE_KINDS][TG_REDUCE_TYPES] = {
    [TG_SUM] = {[TG_REDUCE_BOOL] = REDUCER(sum_bool, TG_REDUCE_INT64, 0),
                [TG_REDUCE_INT64] = REDUCER(sum_int64, TG_REDUCE_INT64, 0),
                [TG_REDUCE_F32] = REDUCER(sum_f32, TG_REDUCE_F64, .real = 0),
                [TG_REDUCE_F64] = REDUCER(sum_f64, TG_REDUCE_F64, .real = 0)},
    [TG_SUM_OF_SQUARES] = {[TG_REDUCE_F32] = REDUCER(sum_of_squares_f32, TG_REDUCE_F64, .real = 0),
                           [TG_REDUCE_F64] = REDUCER(sum_of_squares_f64, TG_REDUCE_F64, .real = 0)},
    [TG_PROD] = {[TG_REDUCE_BOOL] = REDUCER(prod_bool, TG_REDUCE_INT64, 1),
                 [TG_REDUCE_INT64] = REDUCER(prod_int64, TG_REDUCE_INT64, 1),
                 [TG_REDUCE_F32] = REDUCER(prod_f32, TG_REDUCE_F32, .real = 1),
                 [TG_REDUCE_F64] = REDUCER(prod_f64, TG_REDUCE_F64, .real = 1)},
    [TG_MAX] = {[TG_REDUCE_BOOL] = REDUCER(max_bool, TG_REDUCE_BOOL, false),
                [TG_REDUCE_INT64] = REDUCER(max_int64, TG_REDUCE_INT64, INT64_MIN),
                [TG_REDUCE_F32] = REDUCER(max_f32, TG_REDUCE_F32, .real = -INFINITY),
                [TG_REDUCE_F64] = REDUCER(max_f64, TG_REDUCE_F64, .real = -INFINITY)},
    [TG_MIN] = {[TG_REDUCE_BOOL] = REDUCER(min_bool, TG_REDUCE_BOOL, true),
                [TG_REDUCE_INT64] = REDUCER(min_int64, TG_REDUCE_INT64, INT64_MAX),
                [TG_REDUCE_F32] = REDUCER(min_f32, TG_REDUCE_F32, .real = INFINITY),
                [TG_REDUCE_F64] = REDUCER(min_f64, TG_REDUCE_F64, .real = INFINITY)},
};

const tg_Reducer *tg_reducer(tg_ReduceKind kind, tg_ReduceType type) {
    return reducers[kind][type].name ? &reducers[kind][type] : NULL;
}

const tg_Reducer *tg_reducer_of_partials(tg_ReduceKind kind, tg_ReduceType type) {
    return tg_reducer(kind == TG_SUM_OF_SQUARES ? TG_SUM : kind, reducers[kind][type].acc);
}

/* ---- identity and finish ---- */

int64_t tg_reduce_size(tg_ReduceType type) {
    return type == TG_REDUCE_BOOL ? 1 : type == TG_REDUCE_F32 ? 4 : 8;
}

void tg_reduce_init(const tg_Reducer *reducer, int64_t n, void *acc) {
    switch (reducer->acc) {
    case TG_REDUCE_BOOL: memset(acc, reducer->identity.integer != 0, (size_t)n); break;
    case TG_REDUCE_INT64:
        for (int64_t i = 0; i < n; i++) ((int64_t *)acc)[i] = reducer->identity.integer;
        break;
    case TG_REDUCE_F32:
        for (int64_t i = 0; i < n; i++) ((float *)acc)[i] = (float)reducer->identity.real;
        break;
    default:
        for (int64_t i = 0; i < n; i++) ((double *)acc)[i] = reducer->identity.real;
    }
}

void tg_reduce_finish(tg_ReduceFinish finish, double divisor, int64_t n, tg_ReduceType acc_type, void *acc,
                      tg_ReduceType type, void *y) {
    double *sums = acc;
    if (finish != TG_FINISH_NONE)
        for (int64_t i = 0; i < n; i++) sums[i] /= divisor;
    if (finish == TG_FINISH_DIVIDE_ROOT)
        for (int64_t i = 0; i < n; i++) sums[i] = sqrt(sums[i]);
    if (acc_type == type) memmove(y, acc, (size_t)(n * tg_reduce_size(type)));
    else if (type == TG_REDUCE_F32)
        for (int64_t i = 0; i < n; i++) ((float *)y)[i] = (float)sums[i];
    else
        for (int64_t i = 0; i < n; i++) ((bool *)y)[i] = ((const int64_t *)acc)[i] != 0;
}

/* ---- the indices of maxima and minima ---- */

enum { BLOCK = 64 }; /* elements that are searched without a branch */
#define FIND(name, T)                                                                            \
    static void find_rows_##name(const tg_ReduceTile *t, int64_t *at) {                          \
        for (int64_t i = 0; i < t->rows; i++) {                                                  \
            const T *x = (const T *)t->x + i * t->stride, y = ((const T *)t->acc)[i];            \
            int64_t j = 0;                                                                       \
            for (int found = 0; j + BLOCK <= t->n; j += BLOCK) {                                 \
                for (int64_t k = j; k < j + BLOCK; k++) found |= (x[k] == y) | (x[k] != x[k]);   \
                if (found) break;                                                                \
            }                                                                                    \
            while (x[j] != y && x[j] == x[j]) j++;                                               \
            at[i] = j;                                                                           \
        }                                                                                        \
    }                                                                                            \
    static void find_columns_##name(const tg_ReduceTile *t, int64_t *restrict at) {              \
        const T *restrict y = t->acc;                                                            \
        for (int64_t i = t->rows - 1; i >= 0; i--) { /* so that the first index remains */       \
            const T *restrict x = (const T *)t->x + i * t->stride;                               \
            for (int64_t j = 0, n = t->n; j < n; j++)                                            \
                if (x[j] == y[j] || x[j] != x[j]) at[j] = i;                                     \
        }                                                                                        \
    }
FIND(bool, uint8_t)
FIND(int64, int64_t)
FIND(f32, float)
FIND(f64, double)

void tg_reduce_find_rows(tg_ReduceType type, const tg_ReduceTile *t, int64_t *at) {
    switch (type) {
    case TG_REDUCE_BOOL: find_rows_bool(t, at); break;
    case TG_REDUCE_INT64: find_rows_int64(t, at); break;
    case TG_REDUCE_F32: find_rows_f32(t, at); break;
    default: find_rows_f64(t, at);
    }
}

void tg_reduce_find_columns(tg_ReduceType type, const tg_ReduceTile *t, int64_t *at) {
    switch (type) {
    case TG_REDUCE_BOOL: find_columns_bool(t, at); break;
    case TG_REDUCE_INT64: find_columns_int64(t, at); break;
    case TG_REDUCE_F32: find_columns_f32(t, at); break;
    default: find_columns_f64(t, at);
    }
}
