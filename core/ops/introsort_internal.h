/* core/ops/introsort_internal.h: the elements of a row in order (internal).
 *
 * An element becomes an entry: a key whose order as a whole number is the element's own order (NaN above all, both zeros
 * equal), and its place in the row. Where equals end up is part of PyTorch's results, so the algorithms that are not stable
 * take the very steps that it takes on the CPU. */
#ifndef TAPEGRAD_CORE_OPS_INTROSORT_INTERNAL_H
#define TAPEGRAD_CORE_OPS_INTROSORT_INTERNAL_H

#include "core/ops/along_dim_internal.h"

typedef struct Entry {
    uint64_t key;
    int64_t index;
} Entry;

#define TG_NAN_KEY UINT64_MAX /* among floating dtypes */

uint64_t tg_order_key(t_DType dtype, const char *element);
/* The entries of n elements that stand `step` bytes apart; descending: with the keys the other way round. */
void tg_order_entries(t_DType dtype, const char *x, int64_t step, int64_t n, bool descending, Entry *e);
/* The entries of the k smallest of them (0 < k <= n, no bools), sorted, as std::partial_sort has them; no others are made. */
void tg_order_first(t_DType dtype, const char *x, int64_t step, int64_t k, int64_t n, bool descending, Entry *e);

void tg_sort(Entry *e, int64_t n);                             /* as std::sort: not stable from 17 entries on */
/* as std::sort by <, which finds no order between NaN and anything: e is then not sorted */
void tg_sort_with_nans(Entry *e, int64_t n);
enum { TG_SORT_FEW = 16 };
void tg_sort_few(Entry *e, int n);                             /* stable, of at most so many */
void tg_stable_sort(Entry *e, Entry *spare, int64_t n);        /* spare: room for n more; by digits of the keys if there are many */
void tg_nth_element(Entry *e, int64_t nth, int64_t n);         /* the nth smallest to its place, as std::nth_element */
void tg_quickselect(Entry *e, int64_t nth, int64_t n);         /* the same with kthvalue's own steps */

/* What is wanted of each row. */
typedef struct Ordering {
    /* brings what is wanted to e[0..k-1], and may use e[n..2n-1]; NULL: the k smallest, as tg_order_first has them */
    void (*arrange)(Entry *e, int64_t n, const struct Ordering *wanted);
    int64_t k, nth;
    bool descending, sorted, stable, ignores_nan;
    bool sees_nan;  /* of a floating dtype: TG_NAN_KEY stands for NaN */
    bool drops_dim; /* k is 1, and the results are without that dim */
} Ordering;

/* The values that are wanted of each row of x along dim, recorded as `op` (tg_picked_backward is the rule); where they stood
 * in *indices if that is not NULL. On failure NULL, with *indices untouched. */
Tensor *tg_ordered(Tensor *x, int dim, Ordering wanted, const Op *op, Tensor **indices);

#endif
