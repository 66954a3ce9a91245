/* Reductions (sum, prod, max, min, norms) of the rows or of the columns of a matrix in raw memory, and elementwise
 * operations of a matrix with a broadcast operand. */
#ifndef TG_KERNELS_REDUCE_H
#define TG_KERNELS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_ReduceKind {
    TG_SUM,            /* of x - center */
    TG_SUM_OF_ABS,     /* of |x - center| */
    TG_SUM_OF_SQUARES, /* of (x - center)^2 */
    TG_PROD,           /* accumulated in x's type, as in PyTorch; in the order of memory only over columns */
    TG_MAX,            /* NaN if any element is NaN */
    TG_MIN,
    TG_MAX_ABS, /* of |x| */
    TG_MIN_ABS
} tg_ReduceKind;

typedef enum tg_ReduceType { TG_REDUCE_BOOL, TG_REDUCE_INT64, TG_REDUCE_F32, TG_REDUCE_F64 } tg_ReduceType;

/* A tile has at most TG_REDUCE_COLUMNS columns (or rows, where rows are reduced). Short rows are transposed to columns,
 * TG_REDUCE_ROWS at a time; tg_reduce_transposes says which are short. */
enum { TG_REDUCE_SHORT = 32, TG_REDUCE_ROWS = 64, TG_REDUCE_COLUMNS = 1024 };

static inline bool tg_reduce_transposes(tg_ReduceType type, int64_t n) {
    return type == TG_REDUCE_INT64 ? n < TG_REDUCE_SHORT / 2 : type > TG_REDUCE_INT64 && n <= TG_REDUCE_SHORT;
}

/* A matrix with contiguous rows, and the results of its reduction. */
typedef struct tg_ReduceTile {
    tg_ReduceKind kind;
    tg_ReduceType type;
    const void *x;
    int64_t rows, n, step; /* n elements a row; step: elements from one row to the next */
    bool widen_each;       /* sums of floats: each element is converted to double; else four are added before */
    bool skip_nan;         /* nansum: NaN counts as 0, for TG_SUM without center (not in the baseline kernels) */
    bool lanes;            /* internal: y receives the lanes of a row's sum, not their sum */
    const double *center;  /* sums of floats: one value for each result; NULL: 0 */
    /* The partial results: doubles for sums of floats, int64 for sums and products of int64 and bools; else x's type,
     * negated for the minimum of floats. Capacity: 8 elements more. */
    void *y;
} tg_ReduceTile;

/* The bytes of one partial result. */
static inline int64_t tg_reduce_result_size(const tg_ReduceTile *tile) {
    return tile->type == TG_REDUCE_F32 && tile->kind >= TG_PROD ? 4
        : tile->type == TG_REDUCE_BOOL && tile->kind >= TG_MAX ? 1 : 8;
}

void tg_reduce_init(const tg_ReduceTile *tile, int64_t count); /* sets y to the identity of the reduction */
/* The tile that reduces partial results x, rows x n without gaps, to y. */
tg_ReduceTile tg_reduce_partials(const tg_ReduceTile *tile, const void *x, int64_t rows, int64_t n, void *y);
void tg_reduce_rows(const tg_ReduceTile *tile); /* y[i]: combined with row i */
void tg_reduce_columns(const tg_ReduceTile *tile); /* y[j]: combined with column j */

/* argmax and argmin, after TG_MAX or TG_MIN of this tile alone: at[i] = the first index of y[i] in row (column) i. */
void tg_reduce_find_rows(const tg_ReduceTile *tile, int64_t *at);
void tg_reduce_find_columns(const tg_ReduceTile *tile, int64_t *at);

/* y[i] = sums[i] / divisor, or its square root. Both have a capacity of 8 elements more. */
void tg_finish_sums_f32(int64_t n, const double *sums, double divisor, bool root, float *y);
void tg_finish_sums_f64(int64_t n, const double *sums, double divisor, bool root, double *y);

/* to[i, :] = the element at from + i * step bytes, n times; elements of 4 or 8 bytes. Rows are without gaps; `to` has a
 * capacity of 8 elements more. */
void tg_repeat_interleave(bool is_long, int64_t rows, int64_t n, const void *from, int64_t step, void *to);

/* Is any x < low or x > last? low <= 0 <= last. */
bool tg_any_out_of_range(int64_t n, const int64_t *x, int64_t low, int64_t last);

/* Elementwise operations with a broadcast operand: y = x sign other, where `other` is one scalar for each row of x, or
 * (by_rows) a row of its own, not for '/'. sign: + - * /, 'r' for other - x, '>' for maximum(x, other), '<' for
 * minimum(x, other); `reversed`: maximum(other, x). Rows have n contiguous elements, at least 64 bytes; the steps are
 * bytes between rows. y may be x or `other`.
 * False, also for 0 rows: this processor has no such kernel (x86-64 without AVX2), and nothing was done. */
typedef struct tg_BroadcastRows {
    bool is_double, by_rows, reversed;
    char sign;
    int64_t rows, n, x_step, other_step, y_step;
    const char *x, *other;
    char *y;
} tg_BroadcastRows;
bool tg_broadcast_rows(const tg_BroadcastRows *b);

#endif
