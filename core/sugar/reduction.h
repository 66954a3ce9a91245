/* core/sugar/reduction.h: the macros for reductions, cumulative functions, sort and quantiles (public; part of
 * core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_REDUCTION_H
#define TAPEGRAD_CORE_SUGAR_REDUCTION_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- over dims: t_sum(x), t_sum(x, 1), t_sum(x, 1, true), t_sum(x, (0, 2), .keepdim = true), t_sum(x, .dim = 1,
 * .dtype = t_float64) ---- */
#define T_REDUCE_(call, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_DIMS_(__VA_ARGS__) T_END_(Tensor *, call)
#define t_sum(...) T_REDUCE_((t_sum_as)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim, (t_DType)t__d.dtype), \
    "t_sum(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_mean(...) T_REDUCE_((t_mean_as)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim, (t_DType)t__d.dtype), \
    "t_mean(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_nansum(...) T_REDUCE_((t_nansum)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim, (t_DType)t__d.dtype), \
    "t_nansum(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_nanmean(...) T_REDUCE_((t_nanmean)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim, (t_DType)t__d.dtype), \
    "t_nanmean(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_amax(...) T_REDUCE_((t_amax)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim), "t_amax(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_amin(...) T_REDUCE_((t_amin)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim), "t_amin(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_all(...) T_NO_CONDITION_(T_REDUCE_((t_all)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim), \
    "t_all(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__)))
#define t_any(...) T_NO_CONDITION_(T_REDUCE_((t_any)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim), \
    "t_any(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__)))
#define t_logsumexp(...) T_REDUCE_((t_logsumexp)(t__a, T_GIVEN_(t__d.dim), t__d.keepdim), \
    "t_logsumexp(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_count_nonzero(...) T_REDUCE_((t_count_nonzero)(t__a, T_GIVEN_(t__d.dim)), \
    "t_count_nonzero(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_std(x, -1, false), t_std(x, -1, .unbiased = false), t_var(x, .correction = 0), t_var_mean(x, 1, .mean = &m) */
#define T_VARIANCE_(call, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_FLAGGED_(t_VarianceArguments_, t__d, .unbiased = true, .correction = 1, \
    .dim = T_NO_TUPLE_, .first_ = 0, T_DIM_THEN_(__VA_ARGS__)) T_END_(Tensor *, call)
#define t_var(...) T_VARIANCE_((t_var)(t__a, T_GIVEN_(t__d.dim), t__d.unbiased ? t__d.correction : 0, t__d.keepdim), \
    "t_var(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_std(...) T_VARIANCE_((t_std)(t__a, T_GIVEN_(t__d.dim), t__d.unbiased ? t__d.correction : 0, t__d.keepdim), \
    "t_std(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_var_mean(...) T_VARIANCE_((t_var_mean)(t__a, T_GIVEN_(t__d.dim), t__d.unbiased ? t__d.correction : 0, \
    t__d.keepdim, t__d.mean), "t_var_mean(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_std_mean(...) T_VARIANCE_((t_std_mean)(t__a, T_GIVEN_(t__d.dim), t__d.unbiased ? t__d.correction : 0, \
    t__d.keepdim, t__d.mean), "t_std_mean(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
typedef struct t_VectorNormArguments_ { /* in torch.linalg.vector_norm p is named ord */
    int dtype;
    int first_;
    double ord;
    t_Tuple dim;
    struct t_too_many_dims_ *after_dim_;
    unsigned keepdim : 1;
    struct t_too_many_arguments_ *rest_;
} t_VectorNormArguments_;
/* p, then the rest through T_DIM_THEN_ */
#define T_NORM_KEYS_(p, ...) T_PASTE_(T_NORM_P_, T_IS_EMPTY_(p))(p) T_DIM_THEN_(__VA_ARGS__)
#define T_NORM_P_0(p) p,
#define T_NORM_P_1(nothing)
#define linalg_vector_norm(...) \
    T_OP_KEYS_((linalg_vector_norm)(t__a, t__o.ord, T_GIVEN_(t__o.dim), t__o.keepdim, (t_DType)t__o.dtype), \
    "linalg_vector_norm(" #__VA_ARGS__ ")", t_VectorNormArguments_, (.ord = 2, .dim = T_NO_TUPLE_), \
    T_HEAD_(__VA_ARGS__), T_NORM_KEYS_(T_HEAD_(T_TAIL_(__VA_ARGS__)), T_REST_(T_TAIL_(__VA_ARGS__))))

/* ---- along one dim: t_max(x), t_max(x, 1, .indices = &predicted), t_argmax(x, -1), t_prod(x, 0), t_aminmax(x, .max =
 * &max) ---- */
#define T_ALONG_(call, otherwise, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_DIM_(otherwise, __VA_ARGS__) \
    T_END_(Tensor *, call)
#define t_max(...) T_ALONG_((t_max)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_max(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_min(...) T_ALONG_((t_min)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_min(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmax(...) T_ALONG_((t_argmax)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmax(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmin(...) T_ALONG_((t_argmin)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmin(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_aminmax(...) T_ALONG_((t_aminmax)(t__a, t__d.dim, t__d.keepdim, t__d.max), T_NONE, \
    "t_aminmax(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_prod(...) T_ALONG_((t_prod)(t__a, t__d.dim, t__d.keepdim, (t_DType)t__d.dtype), T_NONE, \
    "t_prod(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_median(...) T_ALONG_((t_median)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, \
    "t_median(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_nanmedian(...) T_ALONG_((t_nanmedian)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, \
    "t_nanmedian(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_mode(...) T_ALONG_((t_mode)(t__a, t__d.dim, t__d.keepdim, t__d.indices), -1, "t_mode(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_softmax(x, -1), t_cumsum(x, 0, .dtype = t_float64), t_cummax(x, 1, .indices = &at): the dim is required. */
#define T_ALONG_REQUIRED_(call, text, ...) T_BEGIN_(text) T_AT_LEAST_((input, dim), text, __VA_ARGS__) \
    T_TENSOR_(t__a, (T_HEAD_(__VA_ARGS__))) T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, call)
#define t_softmax(...) T_ALONG_REQUIRED_((t_softmax_as)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "t_softmax(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_log_softmax(...) T_ALONG_REQUIRED_((t_log_softmax_as)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "t_log_softmax(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_cumsum(...) T_ALONG_REQUIRED_((t_cumsum)(t__a, t__d.dim, (t_DType)t__d.dtype), "t_cumsum(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define t_cumprod(...) T_ALONG_REQUIRED_((t_cumprod)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "t_cumprod(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_cumsum_(...) T_ALONG_REQUIRED_((t_cumsum_)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "t_cumsum_(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_cumprod_(...) T_ALONG_REQUIRED_((t_cumprod_)(t__a, t__d.dim, (t_DType)t__d.dtype), \
    "t_cumprod_(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_logcumsumexp(...) T_ALONG_REQUIRED_((t_logcumsumexp)(t__a, t__d.dim), "t_logcumsumexp(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define t_cummax(...) T_ALONG_REQUIRED_((t_cummax)(t__a, t__d.dim, t__d.indices), "t_cummax(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define t_cummin(...) T_ALONG_REQUIRED_((t_cummin)(t__a, t__d.dim, t__d.indices), "t_cummin(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
/* t_trapezoid(y), t_trapezoid(y, x), t_trapezoid(y, .dx = 0.1, .dim = 0) */
typedef struct t_TrapezoidArguments_ { int first_; Tensor *x; double dx; int64_t dim; } t_TrapezoidArguments_;
#define t_trapezoid(...) T_OP_KEYS_((t_trapezoid)(t__a, t__o.x, t__o.dx, t__o.dim), "t_trapezoid(" #__VA_ARGS__ ")", \
    t_TrapezoidArguments_, (.dx = 1, .dim = -1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_cumulative_trapezoid(...) T_OP_KEYS_((t_cumulative_trapezoid)(t__a, t__o.x, t__o.dx, t__o.dim), \
    "t_cumulative_trapezoid(" #__VA_ARGS__ ")", t_TrapezoidArguments_, (.dx = 1, .dim = -1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
/* t_cov(x), t_cov(x, .correction = 0, .fweights = counts) */
typedef struct t_CovArguments_ {
    int first_;
    struct t_keyword_only_ *rest_;
    double correction;
    Tensor *fweights, *aweights;
} t_CovArguments_;
#define t_cov(...) T_OP_KEYS_((t_cov)(t__a, t__o.correction, t__o.fweights, t__o.aweights), "t_cov(" #__VA_ARGS__ ")", \
    t_CovArguments_, (.correction = 1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_corrcoef(x) T_OP1_(t_corrcoef, "t_corrcoef(" #x ")", x)
typedef struct t_RenormArguments_ { int first_; double p; int64_t dim; double maxnorm; } t_RenormArguments_;
#define t_renorm(...) T_OP_ARGUMENTS_((input, p, dim, maxnorm), (t_renorm)(t__a, t__o.p, t__o.dim, t__o.maxnorm), \
    "t_renorm(" #__VA_ARGS__ ")", t_RenormArguments_, (.p = 2), __VA_ARGS__)
#define t_renorm_(...) T_OP_ARGUMENTS_((input, p, dim, maxnorm), (t_renorm_)(t__a, t__o.p, t__o.dim, t__o.maxnorm), \
    "t_renorm_(" #__VA_ARGS__ ")", t_RenormArguments_, (.p = 2), __VA_ARGS__)
/* t_diff(x), t_diff(x, 2, 0), t_diff(x, .prepend = zero) */
typedef struct t_DiffArguments_ {
    int first_;
    int64_t n, dim;
    Tensor *prepend, *append;
} t_DiffArguments_;
#define t_diff(...) T_OP_KEYS_((t_diff)(t__a, t__o.n, t__o.dim, t__o.prepend, t__o.append), \
    "t_diff(" #__VA_ARGS__ ")", t_DiffArguments_, (.n = 1, .dim = -1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* t_gradient(x), t_gradient(x, .spacing = 2.0, .dim = t_tuple(0)), t_gradient(x, .spacings = t_list(rows, columns)) */
typedef struct t_GradientArguments_ {
    double spacing;
    t_TensorList *spacings;
    t_Tuple dim;
    int64_t edge_order;
    int first_;
    struct t_keyword_only_ *rest_;
} t_GradientArguments_;
#define t_gradient(...) T_BEGIN_("t_gradient(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_GradientArguments_, t__o, .spacing = 1, .dim = T_NO_TUPLE_, .edge_order = 1, .first_ = 0, \
        T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorList *, (t_gradient)(t__a, t__o.spacing, t__o.spacings, T_GIVEN_(t__o.dim), t__o.edge_order))

/* ---- sort: t_sort(x), t_sort(x, 0, true), t_sort(x, .descending = true, .indices = &at), t_argsort(x, -1) ---- */
typedef struct t_SortArguments_ {
    int first_;
    int64_t dim;
    bool descending, stable;
    Tensor **indices;
} t_SortArguments_;
#define t_sort(...) T_OP_KEYS_((t_sort)(t__a, t__o.dim, t__o.descending, t__o.stable, t__o.indices), \
    "t_sort(" #__VA_ARGS__ ")", t_SortArguments_, (.dim = -1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argsort(...) T_OP_KEYS_((t_argsort)(t__a, t__o.dim, t__o.descending, t__o.stable), \
    "t_argsort(" #__VA_ARGS__ ")", t_SortArguments_, (.dim = -1), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_msort(x) T_OP1_(t_msort, "t_msort(" #x ")", x)
/* t_topk(x, 5, .indices = &at), t_topk(x, 5, 0, false), t_kthvalue(x, 3, .keepdim = true) */
typedef struct t_TopkArguments_ {
    int first_;
    int64_t k, dim;
    bool largest, sorted;
    Tensor **indices;
} t_TopkArguments_;
typedef struct t_KthvalueArguments_ {
    int first_;
    int64_t k, dim;
    bool keepdim;
    Tensor **indices;
} t_KthvalueArguments_;
#define t_topk(...) T_OP_KEYS_(T_REQUIRED_(k) ? (t_topk)(t__a, t__o.k, t__o.dim, t__o.largest, t__o.sorted, \
    t__o.indices) : NULL, "t_topk(" #__VA_ARGS__ ")", t_TopkArguments_, \
    (.k = T_NONE, .dim = -1, .largest = true, .sorted = true), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_kthvalue(...) T_OP_KEYS_(T_REQUIRED_(k) ? (t_kthvalue)(t__a, t__o.k, t__o.dim, t__o.keepdim, t__o.indices) \
    : NULL, "t_kthvalue(" #__VA_ARGS__ ")", t_KthvalueArguments_, (.k = T_NONE, .dim = -1), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
/* t_quantile(x, 0.25), t_quantile(x, q, 1, .keepdim = true, .interpolation = "nearest") */
typedef struct t_QuantileArguments_ {
    const char *interpolation;
    int first_;
    int64_t dim;
    bool keepdim;
} t_QuantileArguments_;
#define T_QUANTILE_(f, text, A, Q, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) Tensor *t__b = T_OPERAND(Q); \
    T_OPTIONS_(t_QuantileArguments_, t__d, .dim = T_NONE, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, (f)(t__a, t__b, t__d.dim, t__d.keepdim, t__d.interpolation))
#define t_quantile(x, ...) T_QUANTILE_(t_quantile, "t_quantile(" #x ", " #__VA_ARGS__ ")", x, T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define t_nanquantile(x, ...) T_QUANTILE_(t_nanquantile, "t_nanquantile(" #x ", " #__VA_ARGS__ ")", x, \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_unique(x), t_unique(x, .inverse = &where, .counts = &counts), t_unique(x, .dim = 0) */
typedef struct t_UniqueArguments_ {
    int first_;
    bool sorted;
    Tensor **inverse, **counts;
    int64_t dim;
} t_UniqueArguments_;
typedef struct t_ConsecutiveArguments_ {
    int first_;
    Tensor **inverse, **counts;
    int64_t dim;
} t_ConsecutiveArguments_;
#define t_unique(...) T_OP_KEYS_((t_unique)(t__a, t__o.sorted, t__o.inverse, t__o.counts, t__o.dim), \
    "t_unique(" #__VA_ARGS__ ")", t_UniqueArguments_, (.sorted = true, .dim = T_NONE), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define t_unique_consecutive(...) T_OP_KEYS_((t_unique_consecutive)(t__a, t__o.inverse, t__o.counts, t__o.dim), \
    "t_unique_consecutive(" #__VA_ARGS__ ")", t_ConsecutiveArguments_, (.dim = T_NONE), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))

/* ---- counting: t_bincount(x), t_bincount(x, weights, 10), t_histc(x, 4, 0, 1), t_trace(x) ---- */
typedef struct t_BincountArguments_ {
    int first_;
    Tensor *weights;
    int64_t minlength;
} t_BincountArguments_;
typedef struct t_HistcArguments_ {
    int first_;
    int64_t bins;
    double min, max;
} t_HistcArguments_;
#define t_bincount(...) T_OP_KEYS_((t_bincount)(t__a, t__o.weights, t__o.minlength), "t_bincount(" #__VA_ARGS__ ")", \
    t_BincountArguments_, (.minlength = 0), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_histc(...) T_OP_KEYS_((t_histc)(t__a, t__o.bins, t__o.min, t__o.max), "t_histc(" #__VA_ARGS__ ")", \
    t_HistcArguments_, (.bins = 100), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_histogram(x, 10, .range = {0, 1}, .density = true, .bin_edges = &edges), t_histogram(x, edges),
 * t_histogramdd(x, t_list(t_integer(3), t_integer(4))) */
typedef struct t_HistogramArguments_ {
    struct { double bounds[2]; } range;
    Tensor *weight;
    bool density;
    Tensor **bin_edges;
    int first_;
    struct t_keyword_only_ *rest_;
} t_HistogramArguments_;
#define T_HISTOGRAM_(text, A, B, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) Tensor *t__b = T_OPERAND(B); \
    T_OPTIONS_(t_HistogramArguments_, t__o, .range = {{__builtin_nan("")}}, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, (t_histogram)(t__a, t__b, t__o.range.bounds[0] == t__o.range.bounds[0] ? t__o.range.bounds : 0, \
        t__o.weight, t__o.density, t__o.bin_edges))
#define t_histogram(x, ...) T_HISTOGRAM_("t_histogram(" #x ", " #__VA_ARGS__ ")", x, T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
typedef struct t_HistogramddArguments_ {
    const double *range; /* an array of two bounds for each dim */
    Tensor *weight;
    bool density;
    t_TensorList **bin_edges;
    int first_;
    t_TensorList *bins;
    struct t_keyword_only_ *rest_;
} t_HistogramddArguments_;
#define t_histogramdd(...) T_OP_ARGUMENTS_((input, bins), (t_histogramdd)(t__a, t__o.bins, t__o.range, \
    t__o.range && t__a ? 2 * (int)(t_size)(t__a, -1) : 0, t__o.weight, t__o.density, t__o.bin_edges), \
    "t_histogramdd(" #__VA_ARGS__ ")", t_HistogramddArguments_, (.range = 0), __VA_ARGS__)
#define t_trace(x) T_OP1_(t_trace, "t_trace(" #x ")", x)

#endif
