/* Many numbers brought into one: sums, products and extremes of the rows, or of the columns, of a matrix in raw memory. */
#ifndef TG_KERNELS_FOLD_H
#define TG_KERNELS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_FoldKind {
    TG_SUM,            /* of x - around */
    TG_SUM_OF_SIZES,   /* of |x - around| */
    TG_SUM_OF_SQUARES, /* of (x - around)^2 */
    TG_PRODUCT,        /* of floats in floats, as in PyTorch: in the order in which they stand only down columns */
    TG_MAX,            /* a NaN beats everything */
    TG_MIN,
    TG_MAX_SIZE,       /* of |x| */
    TG_MIN_SIZE
} tg_FoldKind;

typedef enum tg_FoldType { TG_FOLD_BOOL, TG_FOLD_INT64, TG_FOLD_F32, TG_FOLD_F64 } tg_FoldType;

/* At most TG_FOLD_COLUMNS columns or rows are in a tile; rows that are short are turned into columns, TG_FOLD_ROWS at a time. */
enum { TG_FOLD_SHORT = 32, TG_FOLD_ROWS = 64, TG_FOLD_COLUMNS = 1024 };

static inline bool tg_fold_turns(tg_FoldType type, int64_t n) {
    return type == TG_FOLD_INT64 ? n < TG_FOLD_SHORT / 2 : type > TG_FOLD_INT64 && n <= TG_FOLD_SHORT;
}

/* A matrix in which the elements of a row lie side by side. */
typedef struct tg_FoldTile {
    tg_FoldKind kind;
    tg_FoldType type;
    const void *x;
    int64_t rows, n, step;  /* n elements a row; step: elements from one row to the next */
    bool each_widened;      /* sums of floats: each is widened; else four are added up before */
    bool numbers;           /* TG_SUM around 0, doubles each widened: a NaN counts as 0 (not so in the kernels of TG_ISA_BASELINE) */
    bool lanes;             /* the kernels' own */
    const double *around;   /* for floats' sums: one number a result; NULL: 0 */
    void *y;                /* the results so far: doubles for sums of floats, int64 for sums and products of whole numbers and bools;
                             * others are of x's type, with the sign turned where floats' smallest is looked for.
                             * Room for 8 more. */
} tg_FoldTile;

/* Of a result while it is gathered. */
static inline int64_t tg_fold_size(const tg_FoldTile *tile) {
    return tile->type == TG_FOLD_F32 && tile->kind >= TG_PRODUCT ? 4 : tile->type == TG_FOLD_BOOL && tile->kind >= TG_MAX ? 1 : 8;
}

void tg_fold_start(const tg_FoldTile *tile, int64_t count); /* y for nothing folded in yet */
/* The tile that folds such results, rows x n of them without gaps, into y. */
tg_FoldTile tg_fold_again(const tg_FoldTile *tile, const void *x, int64_t rows, int64_t n, void *y);
void tg_fold_along(const tg_FoldTile *tile);                 /* y[i]: row i is folded in */
void tg_fold_down(const tg_FoldTile *tile);              /* y[j]: column j is */

/* After TG_MAX or TG_MIN of all of the tile into a y just started: at[i] = the first place of y[i] in row (column) i. */
void tg_fold_find_rows(const tg_FoldTile *tile, int64_t *at);
void tg_fold_find_columns(const tg_FoldTile *tile, int64_t *at);

/* y[i] = sums[i] / divisor, or its square root. There is room for 8 more of both. */
void tg_finish_sums_f32(int64_t n, const double *sums, double divisor, bool root, float *y);
void tg_finish_sums_f64(int64_t n, const double *sums, double divisor, bool root, double *y);

/* Row i of n elements, of 4 or 8 bytes: the element i * step bytes behind `from`, n times. Rows stand without gaps; there is room for 8
 * elements more. */
void tg_repeat_each(bool is_long, int64_t rows, int64_t n, const void *from, int64_t step, void *to);

bool tg_any_outside(int64_t n, const int64_t *x, int64_t low, int64_t last); /* any x < low, or > last; low <= 0 <= last */

/* Rows, each beside a number of its own or another row, which does not divide: y = x sign other, or with 'r' number - x; with '>' and
 * '<' maximum(x, other) and minimum(x, other), or the other way round if `reversed`. The elements of a row lie side by side, n of them,
 * at least a line of 64 bytes; rows of x, of the others and of y are so many bytes apart. y may be x, or the other.
 * False, also for no rows: this processor has no such kernel (it is x86-64 without AVX2), and nothing was done. */
typedef struct tg_RowsBeside {
    bool is_double, by_rows, reversed;
    char sign;
    int64_t rows, n, x_step, other_step, y_step;
    const char *x, *other;
    char *y;
} tg_RowsBeside;
bool tg_rows_beside(const tg_RowsBeside *b);

#endif
