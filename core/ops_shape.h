/* core/ops_shape.h: views, shapes, parts and joins, as plain C functions (public; part of core/ops.h, which says how to read it). */
#ifndef TAPEGRAD_PUBLIC_SHAPE_H
#define TAPEGRAD_PUBLIC_SHAPE_H

#include "core/list.h"

T_BEGIN_DECLS

/* ---- views and shapes (core/ops/view.c, slice.c, join.c, diagonal.c) ---- */
T_API Tensor *t_view(Tensor *x, const int64_t *shape, int ndim);      /* x.view(shape), one size may be -1 */
T_API Tensor *t_reshape(Tensor *x, const int64_t *shape, int ndim);   /* x.reshape(shape) */
T_API Tensor *t_flatten(Tensor *x, int64_t start_dim, int64_t end_dim); /* x.flatten(start_dim, end_dim) */
T_API Tensor *t_transpose(Tensor *x, int64_t dim0, int64_t dim1);     /* x.transpose(dim0, dim1) */
T_API Tensor *t_t(Tensor *x);                                         /* x.t() */
T_API Tensor *t_permute(Tensor *x, const int64_t *dims, int ndim);    /* x.permute(dims) */
T_API Tensor *t_unsqueeze(Tensor *x, int64_t dim);                    /* x.unsqueeze(dim) */
T_API Tensor *t_squeeze(Tensor *x, int64_t dim);                      /* x.squeeze(dim); T_NONE: every dim of size 1 */
T_API Tensor *t_expand(Tensor *x, const int64_t *shape, int ndim);    /* x.expand(shape), -1 keeps a size */
T_API Tensor *t_expand_as(Tensor *x, Tensor *other);                  /* x.expand_as(other) */
T_API Tensor *t_repeat(Tensor *x, const int64_t *repeats, int count); /* x.repeat(repeats) */
T_API Tensor *t_diagonal(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2); /* torch.diagonal(x, offset, dim1, dim2) */
T_API Tensor *t_narrow(Tensor *x, int64_t dim, int64_t start, int64_t length); /* x.narrow(dim, start, length) */
T_API Tensor *t_select(Tensor *x, int64_t dim, int64_t index);        /* x.select(dim, index), x[index] */
T_API Tensor *t_slice(Tensor *x, int64_t dim, int64_t start, int64_t end, int64_t step); /* x[start:end:step] on dim */
T_API t_TensorList *t_chunk(Tensor *x, int64_t chunks, int64_t dim);  /* x.chunk(chunks, dim) */
T_API t_TensorList *t_split(Tensor *x, int64_t split_size, int64_t dim); /* x.split(split_size, dim) */
T_API t_TensorList *t_unbind(Tensor *x, int64_t dim);                 /* x.unbind(dim) */
T_API Tensor *t_cat(const t_TensorList *tensors, int64_t dim);        /* torch.cat(tensors, dim) */
T_API Tensor *t_stack(const t_TensorList *tensors, int64_t dim);      /* torch.stack(tensors, dim) */
T_API Tensor *t_tril(Tensor *x, int64_t diagonal);                    /* torch.tril(x, diagonal) */
T_API Tensor *t_triu(Tensor *x, int64_t diagonal);                    /* torch.triu(x, diagonal) */

T_END_DECLS
#endif
