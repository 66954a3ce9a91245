/* core/ops/indexing.h: indexing, gather and scatter (public; part of core/ops/ops.h, which explains the notation). */
#ifndef TAPEGRAD_CORE_OPS_INDEXING_H
#define TAPEGRAD_CORE_OPS_INDEXING_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- x[index] (core/ops/indexing/indexing.c, index_put.c) ---- */
T_API Tensor *t_at(Tensor *x, const char *index, Tensor *const *values,
                   int count); /* x[index], {} takes the next value */
T_API bool t_set(Tensor *x, const char *index, Tensor *const *values, int count, Tensor *value); /* x[index] = value */
T_API Tensor *t_index_put(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate); /* x.index_put */
T_API Tensor *t_index_put_(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate); /* x.index_put_ */

typedef struct t_IndexValue_ { /* a value of {}, as the macros t_at and t_set pass it */
    Tensor *tensor;
    int64_t number;
    bool is_number;
} t_IndexValue_;
T_API Tensor *t_at_of_(Tensor *x, const char *index, const t_IndexValue_ *values, int count);
T_API bool t_set_of_(Tensor *x, const char *index, const t_IndexValue_ *values, int count, Tensor *value);

/* ---- nonzero elements (core/ops/indexing/nonzero.c) ---- */
T_API Tensor *t_nonzero(Tensor *x);                                  /* torch.nonzero(x) */
T_API t_TensorList *t_nonzero_tuple(Tensor *x); /* torch.nonzero(x, as_tuple=True), torch.where(x) */
T_API Tensor *t_nonzero_static(Tensor *x, int64_t size, int64_t fill_value); /* torch.nonzero_static(x, size=size) */
T_API t_TensorList *t_unravel_index(Tensor *indices, const int64_t *shape, int ndim); /* torch.unravel_index */
T_API Tensor *t_argwhere(Tensor *x);                                 /* torch.argwhere(x) */

/* ---- along one dim (core/ops/indexing/gather.c, scatter.c, scatter_reduce.c, index_add.c) ---- */
T_API Tensor *t_gather(Tensor *x, int64_t dim, Tensor *index);       /* torch.gather(x, dim, index) */
T_API Tensor *t_index_select(Tensor *x, int64_t dim, Tensor *index); /* torch.index_select(x, dim, index) */
T_API Tensor *t_take_along_dim(Tensor *x, Tensor *indices, int64_t dim); /* torch.take_along_dim; T_NONE: no dim */
T_API Tensor *t_scatter(Tensor *x, int64_t dim, Tensor *index, Tensor *src);      /* x.scatter(dim, index, src) */
T_API Tensor *t_scatter_(Tensor *x, int64_t dim, Tensor *index, Tensor *src);     /* x.scatter_(dim, index, src) */
T_API Tensor *t_scatter_add(Tensor *x, int64_t dim, Tensor *index, Tensor *src);  /* x.scatter_add(dim, index, src) */
T_API Tensor *t_scatter_add_(Tensor *x, int64_t dim, Tensor *index, Tensor *src); /* x.scatter_add_(dim, index, src) */
T_API Tensor *t_scatter_reduce(Tensor *x, int64_t dim, Tensor *index, Tensor *src, const char *reduce,
                               bool include_self);                   /* x.scatter_reduce(dim, index, src, reduce) */
T_API Tensor *t_scatter_reduce_(Tensor *x, int64_t dim, Tensor *index, Tensor *src, const char *reduce,
                                bool include_self);                  /* x.scatter_reduce_(dim, index, src, reduce) */
T_API Tensor *t_index_add(Tensor *x, int64_t dim, Tensor *index, Tensor *source, double alpha);  /* x.index_add(...) */
T_API Tensor *t_index_add_(Tensor *x, int64_t dim, Tensor *index, Tensor *source, double alpha); /* x.index_add_(...) */
T_API Tensor *t_index_reduce(Tensor *x, int64_t dim, Tensor *index, Tensor *source, const char *reduce,
                             bool include_self);  /* x.index_reduce(dim, index, source, reduce) */
T_API Tensor *t_index_reduce_(Tensor *x, int64_t dim, Tensor *index, Tensor *source, const char *reduce,
                              bool include_self); /* x.index_reduce_(dim, index, source, reduce) */
T_API Tensor *t_segment_reduce(Tensor *data, const char *reduce, Tensor *lengths, Tensor *indices, Tensor *offsets,
                               int64_t axis, bool unsafe, double initial); /* torch.segment_reduce(data, reduce) */
T_API Tensor *t_index_copy(Tensor *x, int64_t dim, Tensor *index, Tensor *source); /* x.index_copy */
T_API Tensor *t_index_copy_(Tensor *x, int64_t dim, Tensor *index, Tensor *source); /* x.index_copy_ */
T_API Tensor *t_index_fill(Tensor *x, int64_t dim, Tensor *index, Tensor *value); /* x.index_fill */
T_API Tensor *t_index_fill_(Tensor *x, int64_t dim, Tensor *index, Tensor *value); /* x.index_fill_ */

/* ---- by flat index and by mask (core/ops/indexing/take.c) ---- */
T_API Tensor *t_take(Tensor *x, Tensor *index);                      /* torch.take(x, index) */
T_API Tensor *t_put(Tensor *x, Tensor *index, Tensor *source, bool accumulate);  /* x.put(index, source, accumulate) */
T_API Tensor *t_put_(Tensor *x, Tensor *index, Tensor *source, bool accumulate); /* x.put_(index, source, accumulate) */
T_API Tensor *t_masked_select(Tensor *x, Tensor *mask);              /* torch.masked_select(x, mask) */
T_API Tensor *t_masked_scatter(Tensor *x, Tensor *mask, Tensor *source);  /* x.masked_scatter(mask, source) */
T_API Tensor *t_masked_scatter_(Tensor *x, Tensor *mask, Tensor *source); /* x.masked_scatter_(mask, source) */

/* ---- a copy with one view replaced (core/ops/shape/slice_scatter.c) ---- */
T_API Tensor *t_select_scatter(Tensor *x, Tensor *src, int64_t dim, int64_t index); /* torch.select_scatter(...) */
T_API Tensor *t_slice_scatter(Tensor *x, Tensor *src, int64_t dim, int64_t start, int64_t end, int64_t step);
T_API Tensor *t_diagonal_scatter(Tensor *x, Tensor *src, int64_t offset, int64_t dim1, int64_t dim2);

/* ---- search (core/ops/sorting/searchsorted.c) ---- */
T_API Tensor *t_searchsorted(Tensor *sorted_sequence, Tensor *input, bool right, const char *side, Tensor *sorter);
T_API Tensor *t_bucketize(Tensor *input, Tensor *boundaries, bool right); /* torch.bucketize(input, boundaries) */
T_API Tensor *t_isin(Tensor *elements, Tensor *test_elements, bool assume_unique, bool invert); /* torch.isin(...) */

T_END_DECLS
#endif
