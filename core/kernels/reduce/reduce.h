/* core/kernels/reduce/reduce.h: reductions of the rows or of the columns of a matrix in raw memory.
 *
 * A reduction is {identity, combine, finish}: an accumulator is the identity at first, combine() takes one element
 * after the other into it, finish() makes the result of it. reduce.c has the table of all reductions. */
#ifndef TAPEGRAD_CORE_KERNELS_REDUCE_REDUCE_H
#define TAPEGRAD_CORE_KERNELS_REDUCE_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_ReduceKind {
    TG_SUM,
    TG_SUM_OF_SQUARES, /* of (x - center)^2 */
    TG_PROD,
    TG_MAX, /* NaN if any element is NaN */
    TG_MIN,
    TG_REDUCE_KINDS
} tg_ReduceKind;

typedef enum tg_ReduceType {
    TG_REDUCE_BOOL,
    TG_REDUCE_INT64,
    TG_REDUCE_F32,
    TG_REDUCE_F64,
    TG_REDUCE_TYPES
} tg_ReduceType;

/* Kernels store whole vectors: an array of accumulators has a capacity of TG_REDUCE_SPARE more than it holds. */
enum { TG_REDUCE_SPARE = 8 };

/* A matrix with contiguous rows, and the accumulators of its rows or of its columns. */
typedef struct tg_ReduceTile {
    const void *x;
    int64_t rows, n, stride; /* n elements a row; stride: elements from one row to the next */
    /* sums of floats: each element is converted to double before it is added; else four are added before */
    bool widen_each;
    const double *center; /* for TG_SUM_OF_SQUARES: one for each accumulator; NULL: 0 */
    void *acc;
} tg_ReduceTile;

/* A row of the table: how elements of one type are reduced. */
typedef struct tg_Reducer {
    const char *name;
    tg_ReduceType acc; /* the type of an accumulator */
    union {            /* by that type; a bool counts as an integer */
        int64_t integer;
        double real;
    } identity;
    void (*rows)(const tg_ReduceTile *t);    /* acc[i] is combined with the elements of row i */
    void (*columns)(const tg_ReduceTile *t); /* acc[j] is combined with the elements of column j, from row 0 on */
} tg_Reducer;

/* NULL for a kind that the type does not have: squares are summed of floats only. */
const tg_Reducer *tg_reducer(tg_ReduceKind kind, tg_ReduceType type);

/* Combines accumulators with each other: they are the elements of one more reduction. */
const tg_Reducer *tg_reducer_of_partials(tg_ReduceKind kind, tg_ReduceType type);

int64_t tg_reduce_size(tg_ReduceType type);                           /* bytes of an element or accumulator */
void tg_reduce_init(const tg_Reducer *reducer, int64_t n, void *acc); /* sets n accumulators to the identity */

/* What is done with sums of floats at the end: nothing, sum / divisor, or sqrt(sum / divisor). */
typedef enum tg_ReduceFinish { TG_FINISH_NONE, TG_FINISH_DIVIDE, TG_FINISH_DIVIDE_ROOT } tg_ReduceFinish;

/* y = n finished accumulators, converted from their type to y's. acc is overwritten. */
void tg_reduce_finish(tg_ReduceFinish finish, double divisor, int64_t n, tg_ReduceType acc_type, void *acc,
                      tg_ReduceType type, void *y);

/* argmax and argmin of a whole tile, after its maxima or minima are in acc: at[i] = the first index in row (column) i
 * of an element that equals acc[i], or is NaN. */
void tg_reduce_find_rows(tg_ReduceType type, const tg_ReduceTile *t, int64_t *at);
void tg_reduce_find_columns(tg_ReduceType type, const tg_ReduceTile *t, int64_t *at);

#endif
