/* core/ops/sorting/introsort_internal.h: sorting and selecting the elements of a row (internal).
 *
 * An element becomes an entry: a key whose order as an unsigned integer is the order of the elements (NaN largest,
 * both zeros equal), and its index in the row. The order of equal elements is part of PyTorch's results, so the
 * algorithms that are not stable take the same steps as PyTorch's CPU code. */
#ifndef TAPEGRAD_CORE_OPS_SORTING_INTROSORT_INTERNAL_H
#define TAPEGRAD_CORE_OPS_SORTING_INTROSORT_INTERNAL_H

#include "core/ops/reduction/along_dim_internal.h"

typedef struct Entry {
    uint64_t key;
    int64_t index;
} Entry;

#define TG_NAN_KEY UINT64_MAX /* the key of NaN in floating dtypes */

uint64_t tg_sort_key(t_DType dtype, const char *element);
/* The entries of n elements with the given stride in bytes; descending: with inverted keys. */
void tg_sort_entries(t_DType dtype, const char *x, int64_t stride, int64_t n, bool descending, Entry *e);
/* The entries of the k smallest of them (0 < k <= n, not bool), sorted, in the order of std::partial_sort; no other
 * entries are made. */
void tg_partial_sort(t_DType dtype, const char *x, int64_t stride, int64_t k, int64_t n, bool descending, Entry *e);

enum { TG_INSERTION_SORT = 16 }; /* up to so many entries tg_sort() is an insertion sort, and stable */
/* As std::sort, not stable. nan_unordered: as std::sort by <, which is false for NaN: the result is not sorted if there
 * are NaNs. */
void tg_sort(Entry *e, int64_t n, bool nan_unordered);
void tg_stable_sort(Entry *e, Entry *spare, int64_t n); /* merge sort; spare: n more entries */
/* Both move the nth smallest to index nth: as std::nth_element, and with the steps of kthvalue. */
void tg_nth_element(Entry *e, int64_t nth, int64_t n);
void tg_quickselect(Entry *e, int64_t nth, int64_t n);

/* Which elements of each row to return. */
typedef struct SortSpec {
    /* moves the selected entries to e[0..k-1], and may use e[n..2n-1]; NULL: the k smallest, by tg_partial_sort */
    void (*select)(Entry *e, int64_t n, const struct SortSpec *spec);
    int64_t k, nth; /* nth: an argument of `select`, an index in sorted order (kthvalue, median) */
    bool descending, sorted, stable, ignores_nan;
    bool has_nan_key;   /* floating dtype: TG_NAN_KEY is NaN */
    bool drops_dim;     /* k is 1, and the results are without the dim */
    bool keeps_strides; /* the results have the size of x, and its strides if it is dense */
} SortSpec;

/* The selected values of each row of x along dim, recorded as `op` (its backward is tg_value_selecting_backward);
 * their indices in *indices unless it is NULL. */
Tensor *tg_sorted(Tensor *x, int dim, SortSpec spec, const Op *op, Tensor **indices);

#endif
