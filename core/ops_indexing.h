/* core/ops_indexing.h: elements by their index, as plain C functions (public; part of core/ops.h, which says how to read it). */
#ifndef TAPEGRAD_PUBLIC_INDEXING_H
#define TAPEGRAD_PUBLIC_INDEXING_H

#include "core/list.h"

T_BEGIN_DECLS

/* ---- x[index] (core/ops/index.c, index_put.c) ---- */
T_API Tensor *t_at(Tensor *x, const char *index, Tensor *const *values, int count); /* x[index], {} takes the next value */
T_API bool t_set(Tensor *x, const char *index, Tensor *const *values, int count, Tensor *value); /* x[index] = value */
T_API Tensor *t_index_put(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate);  /* x.index_put(...) */
T_API Tensor *t_index_put_(Tensor *x, const t_TensorList *indices, Tensor *values, bool accumulate); /* x.index_put_(...) */

typedef struct t_IndexValue_ { /* what {} stands for, as the macros t_at and t_set give it */
    Tensor *tensor;
    int64_t number;
    bool is_number;
} t_IndexValue_;
T_API Tensor *t_at_of_(Tensor *x, const char *index, const t_IndexValue_ *values, int count);
T_API bool t_set_of_(Tensor *x, const char *index, const t_IndexValue_ *values, int count, Tensor *value);

/* ---- where a tensor is not 0 (core/ops/places.c) ---- */
T_API Tensor *t_nonzero(Tensor *x);                                  /* torch.nonzero(x) */
T_API t_TensorList *t_nonzero_tuple(Tensor *x);                      /* torch.nonzero(x, as_tuple=True), torch.where(x) */
T_API Tensor *t_argwhere(Tensor *x);                                 /* torch.argwhere(x) */

/* ---- along one dim (core/ops/gather.c) ---- */
T_API Tensor *t_gather(Tensor *x, int64_t dim, Tensor *index);       /* torch.gather(x, dim, index) */
T_API Tensor *t_index_select(Tensor *x, int64_t dim, Tensor *index); /* torch.index_select(x, dim, index) */

T_END_DECLS
#endif
