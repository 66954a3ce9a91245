/* core/ops_indexing.h: elements by their index, as plain C functions (public; part of core/ops.h, which says how to read it). */
#ifndef TAPEGRAD_PUBLIC_INDEXING_H
#define TAPEGRAD_PUBLIC_INDEXING_H

#include "core/list.h"

T_BEGIN_DECLS

/* ---- x[index] (core/ops/index.c) ---- */
T_API Tensor *t_at(Tensor *x, const char *index, const int64_t *values, int count); /* x[index], {} takes the next value */
T_API bool t_set(Tensor *x, const char *index, const int64_t *values, int count, Tensor *value); /* x[index] = value */

/* ---- along one dim (core/ops/gather.c) ---- */
T_API Tensor *t_gather(Tensor *x, int64_t dim, Tensor *index);       /* torch.gather(x, dim, index) */
T_API Tensor *t_index_select(Tensor *x, int64_t dim, Tensor *index); /* torch.index_select(x, dim, index) */

T_END_DECLS
#endif
