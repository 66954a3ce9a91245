/* core/ops.h: torch.* and Tensor.* as plain C functions, one line each (public).
 *
 * The comment on a line is the PyTorch spelling; formula, shapes, dtypes, gradient and errors stand above the function in
 * core/ops/. A function gives NULL (false, -1) on failure with t_error() set; a NULL tensor argument passes on. Shapes,
 * sizes and dims are arrays with their length; negative dims count from the end. sugar.h puts a macro of the same
 * name over each, which takes numbers for tensors, shapes as arguments and keywords: (t_add)(a, b) is the plain one. */
#ifndef TAPEGRAD_CORE_OPS_H
#define TAPEGRAD_CORE_OPS_H

#include "core/api.h"
#include "core/list.h"

T_BEGIN_DECLS

/* ---- looking at a tensor (core/ops/access.c) ---- */
T_API int64_t t_dim(const Tensor *x);                   /* x.dim() */
T_API int64_t t_size(const Tensor *x, int64_t dim);     /* x.size(dim) */
T_API const int64_t *t_shape(const Tensor *x);          /* x.shape */
T_API int64_t t_stride(const Tensor *x, int64_t dim);   /* x.stride(dim), in elements */
T_API int64_t t_storage_offset(const Tensor *x);        /* x.storage_offset(), in elements */
T_API int64_t t_numel(const Tensor *x);                 /* x.numel() */
T_API t_DType t_dtype(const Tensor *x);                 /* x.dtype */
T_API bool t_is_contiguous(const Tensor *x);            /* x.is_contiguous() */
T_API bool t_is_floating_point(const Tensor *x);        /* x.is_floating_point() */
T_API int64_t t_data_version(const Tensor *x);          /* x._version: in-place writes to its storage */
T_API double t_item(const Tensor *x);                   /* x.item() of one element, any dtype; NaN on error */
T_API int64_t t_item_int64(const Tensor *x);            /* x.item() where it must be a whole number */
T_API bool t_is_true(const Tensor *x);                  /* bool(x) of one element: if (x): */
T_API const void *t_data(const Tensor *x);              /* x.data_ptr(), to read: elements by t_stride */
T_API void *t_data_mut(Tensor *x);                      /* the same, to write: counts as an in-place write */
T_API int64_t t_tolist(const Tensor *x, double *to, int64_t room); /* x.flatten().tolist(): how many were copied */
T_API bool t_equal(Tensor *a, Tensor *b);               /* torch.equal(a, b) */
T_API bool t_allclose(Tensor *a, Tensor *b, double rtol, double atol); /* torch.allclose(a, b, rtol, atol) */

/* ---- making tensors (core/ops/creation.c, text.c) ---- */
T_API Tensor *t_tensor_from_text(const char *text, const t_TensorOptions *options);       /* torch.tensor([[1, 2]]) */
T_API Tensor *t_tensor_from_data(const void *data, t_DType of, const int64_t *shape, int ndim,
                                 const t_TensorOptions *options);                         /* torch.tensor(array) */
T_API Tensor *t_number(double value);                   /* a Python float beside a tensor: does not widen its dtype */
T_API Tensor *t_integer(int64_t value);                 /* a Python int beside a tensor */
T_API Tensor *t_boolean(bool value);                    /* a Python bool beside a tensor */
T_API Tensor *t_empty(const int64_t *shape, int ndim, const t_TensorOptions *options);    /* torch.empty(shape) */
T_API Tensor *t_zeros(const int64_t *shape, int ndim, const t_TensorOptions *options);    /* torch.zeros(shape) */
T_API Tensor *t_ones(const int64_t *shape, int ndim, const t_TensorOptions *options);     /* torch.ones(shape) */
T_API Tensor *t_full(const int64_t *shape, int ndim, double fill_value, const t_TensorOptions *options); /* torch.full */
T_API Tensor *t_eye(int64_t n, const t_TensorOptions *options);                           /* torch.eye(n) */
T_API Tensor *t_arange(double start, double end, double step, const t_TensorOptions *options); /* torch.arange; floats */
T_API Tensor *t_arange_int64(int64_t start, int64_t end, int64_t step, const t_TensorOptions *options); /* integers */
T_API Tensor *t_empty_like(Tensor *x);                  /* torch.empty_like(x) */
T_API Tensor *t_zeros_like(Tensor *x);                  /* torch.zeros_like(x) */
T_API Tensor *t_ones_like(Tensor *x);                   /* torch.ones_like(x) */
T_API Tensor *t_full_like(Tensor *x, double fill_value); /* torch.full_like(x, fill_value) */

T_API Tensor *t_tensor_of_(const void *data, int kind, const int64_t *shape, int ndim, const t_TensorOptions *options);
T_API Tensor *t_arange_of_(Tensor *start, Tensor *end, Tensor *step); /* both for the macros */
enum { T_NUMBER_ = 64 }; /* added to a kind: data is one number, no array */

/* ---- random tensors (core/ops/random.c) ---- */
T_API Tensor *t_rand(const int64_t *shape, int ndim, const t_TensorOptions *options);     /* torch.rand(shape) */
T_API Tensor *t_randn(const int64_t *shape, int ndim, const t_TensorOptions *options);    /* torch.randn(shape) */
T_API Tensor *t_randint(int64_t low, int64_t high, const int64_t *shape, int ndim,
                        const t_TensorOptions *options);                                  /* torch.randint(low, high, shape) */
T_API Tensor *t_randperm(int64_t n, const t_TensorOptions *options);                      /* torch.randperm(n) */
T_API Tensor *t_rand_like(Tensor *x);                                                     /* torch.rand_like(x) */
T_API Tensor *t_randn_like(Tensor *x);                                                    /* torch.randn_like(x) */
T_API Tensor *t_bernoulli(Tensor *p, t_Generator *generator);                             /* torch.bernoulli(p) */
T_API Tensor *t_uniform_(Tensor *x, double from, double to, t_Generator *generator);      /* x.uniform_(from, to) */
T_API Tensor *t_normal_(Tensor *x, double mean, double std, t_Generator *generator);      /* x.normal_(mean, std) */
T_API Tensor *t_bernoulli_(Tensor *x, double p, t_Generator *generator);                  /* x.bernoulli_(p) */

/* ---- copies and dtypes (core/ops/copy.c, core/inplace.c) ---- */
T_API Tensor *t_to(Tensor *x, t_DType dtype);           /* x.to(dtype): x itself where it has that dtype */
T_API Tensor *t_float(Tensor *x);                       /* x.float() */
T_API Tensor *t_double(Tensor *x);                      /* x.double() */
T_API Tensor *t_long(Tensor *x);                        /* x.long(); x.bool() is t_to(x, t_bool) */
T_API Tensor *t_clone(Tensor *x);                       /* x.clone() */
T_API Tensor *t_contiguous(Tensor *x);                  /* x.contiguous(): x itself where it is */
T_API Tensor *t_detach(Tensor *x);                      /* x.detach(): the same data, outside the graph */
T_API Tensor *t_copy_(Tensor *x, Tensor *src);          /* x.copy_(src) */
T_API Tensor *t_fill_(Tensor *x, double value);         /* x.fill_(value) */
T_API Tensor *t_zero_(Tensor *x);                       /* x.zero_() */

/* ---- views and shapes (core/ops/view.c, index.c) ---- */
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
T_API Tensor *t_at(Tensor *x, const char *index, const int64_t *values, int count); /* x[index], {} takes the next value */
T_API bool t_set(Tensor *x, const char *index, const int64_t *values, int count, Tensor *value); /* x[index] = value */
T_API Tensor *t_tril(Tensor *x, int64_t diagonal);                    /* torch.tril(x, diagonal) */
T_API Tensor *t_triu(Tensor *x, int64_t diagonal);                    /* torch.triu(x, diagonal) */

/* ---- pointwise (core/ops/unary.c, binary.c, remainder.c, compare.c, bitwise.c, select.c); each broadcasts ---- */
T_API Tensor *t_neg(Tensor *x);                         /* -x */
T_API Tensor *t_abs(Tensor *x);                         /* torch.abs(x) */
T_API Tensor *t_sign(Tensor *x);                        /* torch.sign(x) */
T_API Tensor *t_exp(Tensor *x);                         /* torch.exp(x) */
T_API Tensor *t_log(Tensor *x);                         /* torch.log(x) */
T_API Tensor *t_sqrt(Tensor *x);                        /* torch.sqrt(x) */
T_API Tensor *t_rsqrt(Tensor *x);                       /* torch.rsqrt(x) */
T_API Tensor *t_square(Tensor *x);                      /* torch.square(x) */
T_API Tensor *t_reciprocal(Tensor *x);                  /* torch.reciprocal(x) */
T_API Tensor *t_sin(Tensor *x);                         /* torch.sin(x) */
T_API Tensor *t_cos(Tensor *x);                         /* torch.cos(x) */
T_API Tensor *t_tanh(Tensor *x);                        /* torch.tanh(x) */
T_API Tensor *t_sigmoid(Tensor *x);                     /* torch.sigmoid(x) */
T_API Tensor *t_erf(Tensor *x);                         /* torch.erf(x) */
T_API Tensor *t_relu(Tensor *x);                        /* torch.relu(x) */
T_API Tensor *t_add(Tensor *a, Tensor *b);              /* a + b */
T_API Tensor *t_sub(Tensor *a, Tensor *b);              /* a - b */
T_API Tensor *t_mul(Tensor *a, Tensor *b);              /* a * b */
T_API Tensor *t_div(Tensor *a, Tensor *b);              /* a / b, always floating */
T_API Tensor *t_pow(Tensor *a, Tensor *b);              /* a ** b, torch.pow(a, b) */
T_API Tensor *t_remainder(Tensor *a, Tensor *b);        /* a % b, torch.remainder(a, b): the sign of b */
T_API Tensor *t_maximum(Tensor *a, Tensor *b);          /* torch.maximum(a, b) */
T_API Tensor *t_minimum(Tensor *a, Tensor *b);          /* torch.minimum(a, b) */
T_API Tensor *t_clamp(Tensor *x, Tensor *min, Tensor *max); /* torch.clamp(x, min, max); either may be NULL */
T_API Tensor *t_add_(Tensor *x, Tensor *y);             /* x += y, x.add_(y) */
T_API Tensor *t_sub_(Tensor *x, Tensor *y);             /* x -= y, x.sub_(y) */
T_API Tensor *t_mul_(Tensor *x, Tensor *y);             /* x *= y, x.mul_(y) */
T_API Tensor *t_div_(Tensor *x, Tensor *y);             /* x /= y, x.div_(y) */
T_API Tensor *t_eq(Tensor *a, Tensor *b);               /* a == b */
T_API Tensor *t_ne(Tensor *a, Tensor *b);               /* a != b */
T_API Tensor *t_lt(Tensor *a, Tensor *b);               /* a < b */
T_API Tensor *t_le(Tensor *a, Tensor *b);               /* a <= b */
T_API Tensor *t_gt(Tensor *a, Tensor *b);               /* a > b */
T_API Tensor *t_ge(Tensor *a, Tensor *b);               /* a >= b */
T_API Tensor *t_logical_and(Tensor *a, Tensor *b);      /* torch.logical_and(a, b) */
T_API Tensor *t_logical_or(Tensor *a, Tensor *b);       /* torch.logical_or(a, b) */
T_API Tensor *t_logical_not(Tensor *x);                 /* torch.logical_not(x) */
T_API Tensor *t_bitwise_and(Tensor *a, Tensor *b);      /* a & b of bool or int64 */
T_API Tensor *t_bitwise_or(Tensor *a, Tensor *b);       /* a | b of bool or int64 */
T_API Tensor *t_bitwise_not(Tensor *x);                 /* ~x of bool or int64 */
T_API Tensor *t_isnan(Tensor *x);                       /* torch.isnan(x) */
T_API Tensor *t_isinf(Tensor *x);                       /* torch.isinf(x): of either sign */
T_API Tensor *t_isfinite(Tensor *x);                    /* torch.isfinite(x): neither */
T_API Tensor *t_where(Tensor *condition, Tensor *a, Tensor *b);        /* torch.where(condition, a, b) */
T_API Tensor *t_masked_fill(Tensor *x, Tensor *mask, Tensor *value);   /* x.masked_fill(mask, value) */
T_API Tensor *t_masked_fill_(Tensor *x, Tensor *mask, Tensor *value);  /* x.masked_fill_(mask, value) */

/* ---- reductions (core/ops/reduce.c, extrema.c, fold.c); no dims (NULL, 0) means all ---- */
T_API Tensor *t_sum(Tensor *x, const int64_t *dims, int count, bool keepdim);   /* x.sum(dims, keepdim) */
T_API Tensor *t_mean(Tensor *x, const int64_t *dims, int count, bool keepdim);  /* x.mean(dims, keepdim) */
T_API Tensor *t_var(Tensor *x, const int64_t *dims, int count, double correction, bool keepdim); /* x.var(dims, correction=) */
T_API Tensor *t_max(Tensor *x, int64_t dim, bool keepdim, Tensor **indices);    /* x.max(dim); T_NONE: of all */
T_API Tensor *t_min(Tensor *x, int64_t dim, bool keepdim, Tensor **indices);    /* x.min(dim); T_NONE: of all */
T_API Tensor *t_argmax(Tensor *x, int64_t dim, bool keepdim);                   /* x.argmax(dim); T_NONE: of all */
T_API Tensor *t_argmin(Tensor *x, int64_t dim, bool keepdim);                   /* x.argmin(dim); T_NONE: of all */
T_API Tensor *t_amax(Tensor *x, const int64_t *dims, int count, bool keepdim);  /* x.amax(dims, keepdim) */
T_API Tensor *t_amin(Tensor *x, const int64_t *dims, int count, bool keepdim);  /* x.amin(dims, keepdim) */
T_API Tensor *t_all(Tensor *x, const int64_t *dims, int count, bool keepdim);   /* x.all(dims, keepdim) */
T_API Tensor *t_any(Tensor *x, const int64_t *dims, int count, bool keepdim);   /* x.any(dims, keepdim) */

/* ---- products (core/ops/matmul.c, einsum.c) ---- */
T_API Tensor *t_matmul(Tensor *a, Tensor *b);           /* a @ b, torch.matmul(a, b), in all rank cases */
T_API Tensor *t_mm(Tensor *a, Tensor *b);               /* torch.mm(a, b): matrices only */
T_API Tensor *t_bmm(Tensor *a, Tensor *b);              /* torch.bmm(a, b): rank 3 only */
T_API Tensor *t_einsum(const char *equation, const t_TensorList *operands); /* torch.einsum(equation, *operands) */

/* ---- along one dim (core/ops/softmax.c, gather.c) ---- */
T_API Tensor *t_softmax(Tensor *x, int64_t dim);        /* torch.softmax(x, dim) */
T_API Tensor *t_log_softmax(Tensor *x, int64_t dim);    /* torch.log_softmax(x, dim) */
T_API Tensor *t_gather(Tensor *x, int64_t dim, Tensor *index);       /* torch.gather(x, dim, index) */
T_API Tensor *t_index_select(Tensor *x, int64_t dim, Tensor *index); /* torch.index_select(x, dim, index) */

/* ---- printing (core/print.c) ---- */
T_API void t_print(Tensor *x);                          /* print(x) */
T_API char *t_repr(Tensor *x);                          /* repr(x): the caller frees it with free() */
T_API const char *t_size_repr(Tensor *x);               /* str(x.shape): "torch.Size([2, 3])"; good until the next few calls */

T_END_DECLS
#endif
