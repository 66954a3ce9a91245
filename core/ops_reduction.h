/* core/ops_reduction.h: fewer elements of many, and what works along one dim, as plain C functions (public; part of core/ops.h, which says how to read it). */
#ifndef TAPEGRAD_PUBLIC_REDUCTION_H
#define TAPEGRAD_PUBLIC_REDUCTION_H

#include "core/list.h"

T_BEGIN_DECLS

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

/* ---- along one dim (core/ops/softmax.c) ---- */
T_API Tensor *t_softmax(Tensor *x, int64_t dim);        /* torch.softmax(x, dim) */
T_API Tensor *t_log_softmax(Tensor *x, int64_t dim);    /* torch.log_softmax(x, dim) */

T_END_DECLS
#endif
