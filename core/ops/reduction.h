/* core/ops/reduction.h: reductions, sorting, and functions along one dim (public; part of core/ops/ops.h, which
 * explains the notation). No dims (NULL, 0) means all dims; dtype 0 means none is given. */
#ifndef TAPEGRAD_CORE_OPS_REDUCTION_H
#define TAPEGRAD_CORE_OPS_REDUCTION_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* ---- sums and products (core/ops/reduction/sum.c, prod.c, var.c, norm.c, softmax.c) ---- */
T_API Tensor *t_sum(Tensor *x, const int64_t *dim, int count, bool keepdim);    /* x.sum(dim, keepdim) */
T_API Tensor *t_mean(Tensor *x, const int64_t *dim, int count, bool keepdim);   /* x.mean(dim, keepdim) */
T_API Tensor *t_sum_as(Tensor *x, const int64_t *dim, int count, bool keepdim,
                       t_DType dtype); /* x.sum(dim, keepdim, dtype=) */
T_API Tensor *t_mean_as(Tensor *x, const int64_t *dim, int count, bool keepdim,
                        t_DType dtype); /* x.mean(dim, keepdim, dtype=) */
T_API Tensor *t_prod(Tensor *x, int64_t dim, bool keepdim,
                     t_DType dtype); /* x.prod(dim, keepdim, dtype=); T_NONE: of all */
T_API Tensor *t_var(Tensor *x, const int64_t *dim, int count, double correction,
                    bool keepdim); /* x.var(dim, correction=) */
T_API Tensor *t_std(Tensor *x, const int64_t *dim, int count, double correction,
                    bool keepdim); /* x.std(dim, correction=) */
T_API Tensor *t_var_mean(Tensor *x, const int64_t *dim, int count, double correction, bool keepdim,
                         Tensor **mean); /* torch.var_mean */
T_API Tensor *t_std_mean(Tensor *x, const int64_t *dim, int count, double correction, bool keepdim,
                         Tensor **mean); /* torch.std_mean */
/* An order that is a name, where PyTorch has "fro" and "nuc": linalg_norm(A, T_NUC), t_norm(A, T_FRO). None is NAN. */
#define T_FRO (-0x1p1000)
#define T_NUC (-0x1p1001)
T_API Tensor *linalg_vector_norm(Tensor *x, double p, const int64_t *dim, int count, bool keepdim,
                                   t_DType dtype); /* the same */
T_API Tensor *t_nansum(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype); /* torch.nansum */
T_API Tensor *t_nanmean(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype); /* torch.nanmean */
T_API Tensor *t_logsumexp(Tensor *x, const int64_t *dim, int count, bool keepdim); /* torch.logsumexp */
T_API Tensor *t_trace(Tensor *x);                                               /* torch.trace(x) */

/* ---- maximum, minimum, all, any, counts (core/ops/reduction/max_min.c, amax.c, count_nonzero.c) ---- */
T_API Tensor *t_max(Tensor *x, int64_t dim, bool keepdim, Tensor **indices);    /* x.max(dim); T_NONE: of all */
T_API Tensor *t_min(Tensor *x, int64_t dim, bool keepdim, Tensor **indices);    /* x.min(dim); T_NONE: of all */
T_API Tensor *t_argmax(Tensor *x, int64_t dim, bool keepdim);                   /* x.argmax(dim); T_NONE: of all */
T_API Tensor *t_argmin(Tensor *x, int64_t dim, bool keepdim);                   /* x.argmin(dim); T_NONE: of all */
T_API Tensor *t_amax(Tensor *x, const int64_t *dim, int count, bool keepdim);   /* x.amax(dim, keepdim) */
T_API Tensor *t_amin(Tensor *x, const int64_t *dim, int count, bool keepdim);   /* x.amin(dim, keepdim) */
T_API Tensor *t_aminmax(Tensor *x, int64_t dim, bool keepdim,
                        Tensor **max); /* torch.aminmax(x, dim=); T_NONE: of all */
T_API Tensor *t_all(Tensor *x, const int64_t *dim, int count, bool keepdim);    /* x.all(dim, keepdim) */
T_API Tensor *t_any(Tensor *x, const int64_t *dim, int count, bool keepdim);    /* x.any(dim, keepdim) */
T_API Tensor *t_count_nonzero(Tensor *x, const int64_t *dim, int count);        /* torch.count_nonzero(x, dim) */
T_API Tensor *t_bincount(Tensor *x, Tensor *weights, int64_t minlength); /* torch.bincount(x, weights, minlength) */
T_API Tensor *t_histc(Tensor *x, int64_t bins, double min, double max);         /* torch.histc(x, bins, min, max) */
T_API Tensor *t_histogram(Tensor *x, Tensor *bins, const double *range, Tensor *weight, bool density,
                          Tensor **bin_edges); /* torch.histogram(x, bins, range, weight, density) (histogramdd.c) */
T_API Tensor *t_histogramdd(Tensor *x, const t_TensorList *bins, const double *range, int ranges, Tensor *weight,
                            bool density, t_TensorList **bin_edges); /* torch.histogramdd(x, bins, range, ...) */

/* ---- sorting (core/ops/sorting); indices, inverse and counts may be NULL ---- */
T_API Tensor *t_sort(Tensor *x, int64_t dim, bool descending, bool stable, Tensor **indices); /* torch.sort */
T_API Tensor *t_argsort(Tensor *x, int64_t dim, bool descending, bool stable); /* torch.argsort(x, dim, descending) */
T_API Tensor *t_msort(Tensor *x);                                                                /* torch.msort(x) */
T_API Tensor *t_topk(Tensor *x, int64_t k, int64_t dim, bool largest, bool sorted, Tensor **indices); /* torch.topk */
T_API Tensor *t_kthvalue(Tensor *x, int64_t k, int64_t dim, bool keepdim, Tensor **indices); /* torch.kthvalue */
T_API Tensor *t_median(Tensor *x, int64_t dim, bool keepdim, Tensor **indices); /* x.median(dim); T_NONE: of all */
T_API Tensor *t_nanmedian(Tensor *x, int64_t dim, bool keepdim, Tensor **indices); /* x.nanmedian; T_NONE: of all */
T_API Tensor *t_mode(Tensor *x, int64_t dim, bool keepdim, Tensor **indices); /* x.mode(dim, keepdim) */
T_API Tensor *t_quantile(Tensor *x, Tensor *q, int64_t dim, bool keepdim,
                         const char *interpolation); /* torch.quantile(x, q, dim) */
T_API Tensor *t_nanquantile(Tensor *x, Tensor *q, int64_t dim, bool keepdim,
                            const char *interpolation); /* torch.nanquantile */
T_API Tensor *t_unique(Tensor *x, bool sorted, Tensor **inverse, Tensor **counts,
                       int64_t dim); /* torch.unique(x, dim=) */
T_API Tensor *t_unique_consecutive(Tensor *x, Tensor **inverse, Tensor **counts,
                                   int64_t dim); /* torch.unique_consecutive(x) */

/* ---- along one dim (core/ops/reduction/softmax.c, cumulative.c, cummax.c, diff.c) ---- */
T_API Tensor *t_softmax(Tensor *x, int64_t dim);        /* torch.softmax(x, dim) */
T_API Tensor *t_log_softmax(Tensor *x, int64_t dim);    /* torch.log_softmax(x, dim) */
T_API Tensor *t_softmax_as(Tensor *x, int64_t dim, t_DType dtype);     /* torch.softmax(x, dim, dtype=) */
T_API Tensor *t_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype); /* torch.log_softmax(x, dim, dtype=) */
T_API Tensor *t_cumsum(Tensor *x, int64_t dim, t_DType dtype);         /* torch.cumsum(x, dim, dtype=) */
T_API Tensor *t_cumprod(Tensor *x, int64_t dim, t_DType dtype);        /* torch.cumprod(x, dim, dtype=) */
T_API Tensor *t_cumsum_(Tensor *x, int64_t dim, t_DType dtype);        /* x.cumsum_(dim, dtype=) */
T_API Tensor *t_cumprod_(Tensor *x, int64_t dim, t_DType dtype);       /* x.cumprod_(dim, dtype=) */
T_API Tensor *t_logcumsumexp(Tensor *x, int64_t dim);                  /* torch.logcumsumexp(x, dim) */
T_API Tensor *t_cummax(Tensor *x, int64_t dim, Tensor **indices);      /* torch.cummax(x, dim) */
T_API Tensor *t_cummin(Tensor *x, int64_t dim, Tensor **indices);      /* torch.cummin(x, dim) */
T_API t_TensorList *t_gradient(Tensor *x, double spacing, const t_TensorList *spacings, const int64_t *dim, int dims,
                               int64_t edge_order); /* torch.gradient(x, spacing=1, dim=None, edge_order=1) */
T_API Tensor *t_trapezoid(Tensor *y, Tensor *x, double dx, int64_t dim); /* torch.trapezoid(y, x, dim=dim) */
T_API Tensor *t_cumulative_trapezoid(Tensor *y, Tensor *x, double dx, int64_t dim); /* torch.cumulative_trapezoid */
T_API Tensor *t_cov(Tensor *x, double correction, Tensor *fweights, Tensor *aweights); /* torch.cov(x) */
T_API Tensor *t_corrcoef(Tensor *x);                                     /* torch.corrcoef(x) */
T_API Tensor *t_renorm(Tensor *x, double p, int64_t dim, double maxnorm); /* torch.renorm(x, p, dim, maxnorm) */
T_API Tensor *t_renorm_(Tensor *x, double p, int64_t dim, double maxnorm); /* x.renorm_(p, dim, maxnorm) */
T_API Tensor *t_diff(Tensor *x, int64_t n, int64_t dim, Tensor *prepend, Tensor *append); /* torch.diff(x, n, dim) */

T_END_DECLS
#endif
