/* core/ops/shape.h: views and shapes, slices, concatenation (public; part of core/ops/ops.h, which explains the
 * notation). */
#ifndef TAPEGRAD_CORE_OPS_SHAPE_H
#define TAPEGRAD_CORE_OPS_SHAPE_H

#include "core/tensor/list.h"
#include "core/tensor/tuple.h"

T_BEGIN_DECLS

/* ---- views and shapes (core/ops/shape/view.c, slice.c, cat.c, diagonal.c) ---- */
T_API Tensor *t_view(Tensor *x, const int64_t *shape, int ndim);      /* x.view(shape), one size may be -1 */
T_API Tensor *t_reshape(Tensor *x, const int64_t *shape, int ndim);   /* x.reshape(shape) */
T_API Tensor *t_flatten(Tensor *x, int64_t start_dim, int64_t end_dim); /* x.flatten(start_dim, end_dim) */
T_API Tensor *t_transpose(Tensor *x, int64_t dim0, int64_t dim1);     /* x.transpose(dim0, dim1) */
T_API Tensor *t_t(Tensor *x);                                         /* x.t() */
T_API Tensor *t_permute(Tensor *x, const int64_t *dims, int ndim);    /* x.permute(dims) */
T_API Tensor *t_unsqueeze(Tensor *x, int64_t dim);                    /* x.unsqueeze(dim) */
T_API Tensor *t_squeeze(Tensor *x, int64_t dim);                      /* x.squeeze(dim); T_NONE: every dim of size 1 */
T_API Tensor *t_expand(Tensor *x, const int64_t *size, int ndim);     /* x.expand(size), -1 keeps a size */
T_API Tensor *t_expand_as(Tensor *x, Tensor *other);                  /* x.expand_as(other) */
T_API Tensor *t_repeat(Tensor *x, const int64_t *repeats, int count); /* x.repeat(repeats) */
T_API Tensor *t_diagonal(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2); /* torch.diagonal */
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
T_API Tensor *t_tril_(Tensor *x, int64_t diagonal);                   /* x.tril_(diagonal) */
T_API Tensor *t_triu_(Tensor *x, int64_t diagonal);                   /* x.triu_(diagonal) */
T_API Tensor *t_fill_diagonal_(Tensor *x, double fill_value, bool wrap); /* x.fill_diagonal_(fill_value, wrap) */

/* ---- composed of these (core/ops/shape/view_aliases.c, stack.c) ---- */
T_API Tensor *t_view_as(Tensor *x, Tensor *other);                    /* x.view_as(other) */
T_API Tensor *t_reshape_as(Tensor *x, Tensor *other);                 /* x.reshape_as(other) */
T_API Tensor *t_ravel(Tensor *x);                                     /* x.ravel() */
T_API Tensor *t_unflatten(Tensor *x, int64_t dim, const int64_t *sizes, int count); /* x.unflatten(dim, sizes) */
T_API Tensor *t_squeeze_dims(Tensor *x, const int64_t *dim, int count);  /* x.squeeze((dim0, dim1)) */
T_API Tensor *t_mT(Tensor *x);                                        /* x.mT */
T_API Tensor *t_swapaxes(Tensor *x, int64_t axis0, int64_t axis1);    /* x.swapaxes(axis0, axis1) */
T_API Tensor *t_swapdims(Tensor *x, int64_t dim0, int64_t dim1);      /* x.swapdims(dim0, dim1) */
T_API Tensor *t_movedim(Tensor *x, const int64_t *source, int sources, const int64_t *destination,
                        int destinations);                            /* x.movedim(source, destination) */
T_API Tensor *t_broadcast_to(Tensor *x, const int64_t *size, int ndim);  /* torch.broadcast_to(x, size) */
T_API t_TensorList *t_broadcast_tensors(const t_TensorList *tensors); /* torch.broadcast_tensors(*tensors) */
T_API bool t_broadcast_shapes(const t_Tuple *shapes, int count, t_Tuple *shape); /* torch.broadcast_shapes(*shapes) */
T_API Tensor *t_sum_to_size(Tensor *x, const int64_t *size, int ndim);   /* x.sum_to_size(size) */
T_API Tensor *t_atleast_1d(Tensor *x);                                /* torch.atleast_1d(x) */
T_API Tensor *t_atleast_2d(Tensor *x);                                /* torch.atleast_2d(x) */
T_API Tensor *t_atleast_3d(Tensor *x);                                /* torch.atleast_3d(x) */
T_API Tensor *t_hstack(const t_TensorList *tensors);                  /* torch.hstack(tensors) */
T_API Tensor *t_vstack(const t_TensorList *tensors);                  /* torch.vstack(tensors) */
T_API Tensor *t_dstack(const t_TensorList *tensors);                  /* torch.dstack(tensors) */
T_API Tensor *t_column_stack(const t_TensorList *tensors);            /* torch.column_stack(tensors) */
T_API Tensor *t_tile(Tensor *x, const int64_t *dims, int count);      /* x.tile(dims) */
T_API Tensor *t_repeat_interleave(Tensor *x, Tensor *repeats, int64_t dim); /* x.repeat_interleave(repeats, dim) */

/* ---- slices, windows, reordering (core/ops/shape/slice.c, as_strided.c, flip.c, diagonal.c) ---- */
T_API t_TensorList *t_split_with_sizes(Tensor *x, const int64_t *split_sizes, int count,
                                       int64_t dim); /* x.split([split_sizes], dim) */
T_API t_TensorList *t_tensor_split(Tensor *x, int64_t sections, int64_t dim); /* x.tensor_split(sections, dim) */
T_API t_TensorList *t_tensor_split_indices(Tensor *x, const int64_t *indices, int count,
                                           int64_t dim);              /* x.tensor_split([indices], dim) */
T_API t_TensorList *t_hsplit(Tensor *x, int64_t sections);            /* torch.hsplit(x, sections) */
T_API t_TensorList *t_vsplit(Tensor *x, int64_t sections);            /* torch.vsplit(x, sections) */
T_API t_TensorList *t_dsplit(Tensor *x, int64_t sections);            /* torch.dsplit(x, sections) */
T_API t_TensorList *t_hsplit_indices(Tensor *x, const int64_t *indices, int count); /* torch.hsplit(x, [indices]) */
T_API t_TensorList *t_vsplit_indices(Tensor *x, const int64_t *indices, int count); /* torch.vsplit(x, [indices]) */
T_API t_TensorList *t_dsplit_indices(Tensor *x, const int64_t *indices, int count); /* torch.dsplit(x, [indices]) */
T_API Tensor *t_cartesian_prod(const t_TensorList *tensors);          /* torch.cartesian_prod(*tensors) */
T_API Tensor *t_combinations(Tensor *x, int64_t r, bool with_replacement); /* torch.combinations(x, r) */
T_API Tensor *t_unfold(Tensor *x, int64_t dimension, int64_t size, int64_t step); /* x.unfold(dimension, size, step) */
T_API Tensor *t_as_strided(Tensor *x, const int64_t *size, int ndim, const int64_t *stride, int strides,
                           int64_t storage_offset);                   /* x.as_strided(size, stride, storage_offset) */
T_API Tensor *t_flip(Tensor *x, const int64_t *dims, int count);      /* x.flip(dims) */
T_API Tensor *t_fliplr(Tensor *x);                                    /* x.fliplr() */
T_API Tensor *t_flipud(Tensor *x);                                    /* x.flipud() */
T_API Tensor *t_rot90(Tensor *x, int64_t k, const int64_t *dims, int count); /* x.rot90(k, dims) */
T_API Tensor *t_roll(Tensor *x, const int64_t *shifts, int shift_count, const int64_t *dims,
                     int dim_count);                                  /* x.roll(shifts, dims) */
T_API Tensor *t_diag(Tensor *x, int64_t diagonal);                    /* torch.diag(x, diagonal) */
T_API Tensor *t_diag_embed(Tensor *x, int64_t offset, int64_t dim1, int64_t dim2); /* torch.diag_embed */
T_API Tensor *t_diagflat(Tensor *x, int64_t offset);                  /* torch.diagflat(x, offset) */

T_API Tensor *t_as_strided_scatter(Tensor *x, Tensor *src, const int64_t *size, int ndim, const int64_t *stride,
                                   int strides, int64_t storage_offset); /* torch.as_strided_scatter */

/* ---- the shape of x itself, in place (core/ops/shape/view_inplace.c, as_strided.c, resize.c) ---- */
T_API Tensor *t_squeeze_(Tensor *x, int64_t dim);                     /* x.squeeze_(dim); T_NONE: every dim of size 1 */
T_API Tensor *t_unsqueeze_(Tensor *x, int64_t dim);                   /* x.unsqueeze_(dim) */
T_API Tensor *t_transpose_(Tensor *x, int64_t dim0, int64_t dim1);    /* x.transpose_(dim0, dim1) */
T_API Tensor *t_t_(Tensor *x);                                        /* x.t_() */
T_API Tensor *t_as_strided_(Tensor *x, const int64_t *size, int ndim, const int64_t *stride, int strides,
                            int64_t storage_offset);                  /* x.as_strided_(size, stride) */
T_API Tensor *t_resize_(Tensor *x, const int64_t *size, int ndim);    /* x.resize_(size) */
T_API Tensor *t_resize_as_(Tensor *x, Tensor *other);                 /* x.resize_as_(other) */

T_END_DECLS
#endif
