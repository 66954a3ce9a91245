/* core/distributions/sugar.h: the macros of the distributions: numbers for tensors, keywords, shapes (public; gcc and
 * clang, C only). core/sugar/sugar.h explains the macros. */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_SUGAR_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/distributions/distribution.h"
#include "core/distributions/transforms.h"
#include "core/sugar/sugar.h"

/* ---- constructors: parameters are tensors or numbers, then .validate_args = false ---- */

typedef distributions_Distribution *t_distribution_;
typedef struct distributions_Validate_ { int first_; int validate_args; } distributions_Validate_;
#define DISTRIBUTIONS_VALIDATE_(...) \
    T_OPTIONS_(distributions_Validate_, t__o, .validate_args = -1, .first_ = 0, __VA_ARGS__)
#define DISTRIBUTIONS_1_(f, text, A, ...) T_BEGIN_(text) Tensor *t__a = T_OPERAND(A); \
    DISTRIBUTIONS_VALIDATE_(__VA_ARGS__) T_END_(t_distribution_, f(t__a, t__o.validate_args))
#define DISTRIBUTIONS_2_(f, text, A, ...) T_BEGIN_(text) Tensor *t__a = T_OPERAND(A); \
    Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); DISTRIBUTIONS_VALIDATE_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, f(t__a, t__b, t__o.validate_args))
/* distributions_Normal(0, 1), distributions_Normal(loc, scale, .validate_args = false) */
#define distributions_Normal(loc, ...) \
    DISTRIBUTIONS_2_(distributions_Normal_new, "distributions_Normal(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
#define distributions_LogNormal(loc, ...) DISTRIBUTIONS_2_(distributions_LogNormal_new, \
    "distributions_LogNormal(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
#define distributions_Uniform(low, ...) \
    DISTRIBUTIONS_2_(distributions_Uniform_new, "distributions_Uniform(" #low ", " #__VA_ARGS__ ")", low, __VA_ARGS__)
#define distributions_Laplace(loc, ...) \
    DISTRIBUTIONS_2_(distributions_Laplace_new, "distributions_Laplace(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
#define distributions_Cauchy(loc, ...) \
    DISTRIBUTIONS_2_(distributions_Cauchy_new, "distributions_Cauchy(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
#define distributions_Gumbel(loc, ...) \
    DISTRIBUTIONS_2_(distributions_Gumbel_new, "distributions_Gumbel(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
#define distributions_HalfNormal(...) DISTRIBUTIONS_1_(distributions_HalfNormal_new, \
    "distributions_HalfNormal(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define distributions_Exponential(...) DISTRIBUTIONS_1_(distributions_Exponential_new, \
    "distributions_Exponential(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

#define distributions_Gamma(concentration, ...) DISTRIBUTIONS_2_(distributions_Gamma_new, \
    "distributions_Gamma(" #concentration ", " #__VA_ARGS__ ")", concentration, __VA_ARGS__)
#define distributions_Beta(concentration1, ...) DISTRIBUTIONS_2_(distributions_Beta_new, \
    "distributions_Beta(" #concentration1 ", " #__VA_ARGS__ ")", concentration1, __VA_ARGS__)
#define distributions_InverseGamma(concentration, ...) DISTRIBUTIONS_2_(distributions_InverseGamma_new, \
    "distributions_InverseGamma(" #concentration ", " #__VA_ARGS__ ")", concentration, __VA_ARGS__)
#define distributions_Pareto(scale, ...) DISTRIBUTIONS_2_(distributions_Pareto_new, \
    "distributions_Pareto(" #scale ", " #__VA_ARGS__ ")", scale, __VA_ARGS__)
#define distributions_Weibull(scale, ...) DISTRIBUTIONS_2_(distributions_Weibull_new, \
    "distributions_Weibull(" #scale ", " #__VA_ARGS__ ")", scale, __VA_ARGS__)
#define distributions_Kumaraswamy(concentration1, ...) DISTRIBUTIONS_2_(distributions_Kumaraswamy_new, \
    "distributions_Kumaraswamy(" #concentration1 ", " #__VA_ARGS__ ")", concentration1, __VA_ARGS__)
#define distributions_FisherSnedecor(df1, ...) DISTRIBUTIONS_2_(distributions_FisherSnedecor_new, \
    "distributions_FisherSnedecor(" #df1 ", " #__VA_ARGS__ ")", df1, __VA_ARGS__)
#define distributions_VonMises(loc, ...) DISTRIBUTIONS_2_(distributions_VonMises_new, \
    "distributions_VonMises(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
#define distributions_GeneralizedPareto(loc, scale, ...) \
    T_BEGIN_("distributions_GeneralizedPareto(" #loc ", " #scale ", " #__VA_ARGS__ ")") \
    Tensor *t__a = T_OPERAND(loc), *t__b = T_OPERAND(scale), *t__c = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    DISTRIBUTIONS_VALIDATE_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_GeneralizedPareto_new(t__a, t__b, t__c, t__o.validate_args))
#define distributions_HalfCauchy(...) DISTRIBUTIONS_1_(distributions_HalfCauchy_new, \
    "distributions_HalfCauchy(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define distributions_Chi2(...) DISTRIBUTIONS_1_(distributions_Chi2_new, \
    "distributions_Chi2(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define distributions_Poisson(...) DISTRIBUTIONS_1_(distributions_Poisson_new, \
    "distributions_Poisson(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define distributions_Dirichlet(...) DISTRIBUTIONS_1_(distributions_Dirichlet_new, \
    "distributions_Dirichlet(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* distributions_MultivariateNormal(loc, cov), distributions_MultivariateNormal(loc, .scale_tril = L) */
typedef struct distributions_Matrices_ {
    int first_;
    Tensor *covariance_matrix, *precision_matrix, *scale_tril;
    int validate_args;
} distributions_Matrices_;
#define distributions_MultivariateNormal(...) T_BEGIN_("distributions_MultivariateNormal(" #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(distributions_Matrices_, t__o, .validate_args = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_MultivariateNormal_new(t__a, t__o.covariance_matrix, \
        t__o.precision_matrix, t__o.scale_tril, t__o.validate_args))
/* distributions_Wishart(df, cov), distributions_Wishart(df, .scale_tril = L) */
#define distributions_Wishart(df, ...) T_BEGIN_("distributions_Wishart(" #df ", " #__VA_ARGS__ ")") \
    Tensor *t__a = T_OPERAND(df); \
    T_OPTIONS_(distributions_Matrices_, t__o, .validate_args = -1, .first_ = 0, __VA_ARGS__) \
    T_END_(t_distribution_, distributions_Wishart_new(t__a, t__o.covariance_matrix, t__o.precision_matrix, \
        t__o.scale_tril, t__o.validate_args))
#define distributions_LowRankMultivariateNormal(loc, cov_factor, ...) \
    T_BEGIN_("distributions_LowRankMultivariateNormal(" #loc ", " #cov_factor ", " #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, (loc)) T_TENSOR_(t__b, (cov_factor)) T_TENSOR_(t__c, T_HEAD_(__VA_ARGS__)) \
    DISTRIBUTIONS_VALIDATE_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_LowRankMultivariateNormal_new(t__a, t__b, t__c, t__o.validate_args))
#define distributions_LogisticNormal(loc, ...) DISTRIBUTIONS_2_(distributions_LogisticNormal_new, \
    "distributions_LogisticNormal(" #loc ", " #__VA_ARGS__ ")", loc, __VA_ARGS__)
/* distributions_LKJCholesky(3), distributions_LKJCholesky(3, .concentration = eta): a tensor */
typedef struct distributions_Concentration_ { int first_; Tensor *concentration; int validate_args; } \
    distributions_Concentration_;
#define distributions_LKJCholesky(...) T_BEGIN_("distributions_LKJCholesky(" #__VA_ARGS__ ")") \
    const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(distributions_Concentration_, t__o, .concentration = T_NO_MORE_, .validate_args = -1, .first_ = 0, \
        T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_LKJCholesky_new(t__n, \
        t__o.concentration == T_NO_MORE_ ? (t_number)(1) : t__o.concentration, t__o.validate_args))
/* distributions_StudentT(df), distributions_StudentT(df, .loc = loc, .scale = scale): these two are tensors */
typedef struct distributions_LocScale_ { int first_; Tensor *loc, *scale; int validate_args; } distributions_LocScale_;
#define distributions_StudentT(...) T_BEGIN_("distributions_StudentT(" #__VA_ARGS__ ")") \
    Tensor *t__a = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(distributions_LocScale_, t__o, .loc = T_NO_MORE_, .scale = T_NO_MORE_, .validate_args = -1, \
        .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_StudentT_new(t__a, t__o.loc == T_NO_MORE_ ? (t_number)(0) : t__o.loc, \
        t__o.scale == T_NO_MORE_ ? (t_number)(1) : t__o.scale, t__o.validate_args))

/* distributions_Bernoulli(.probs = p), distributions_Categorical(.logits = x), distributions_Categorical(p): tensors,
 * t_tensor(0.3) for a number. */
typedef struct distributions_Probs_ { int first_; Tensor *probs, *logits; int validate_args; } distributions_Probs_;
#define DISTRIBUTIONS_PROBS_(f, text, ...) \
    T_BEGIN_(text) T_OPTIONS_(distributions_Probs_, t__o, .validate_args = -1, .first_ = 0, __VA_ARGS__) \
    T_END_(t_distribution_, f(t__o.probs, t__o.logits, t__o.validate_args))
#define distributions_Bernoulli(...) \
    DISTRIBUTIONS_PROBS_(distributions_Bernoulli_new, "distributions_Bernoulli(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_Geometric(...) \
    DISTRIBUTIONS_PROBS_(distributions_Geometric_new, "distributions_Geometric(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_Categorical(...) \
    DISTRIBUTIONS_PROBS_(distributions_Categorical_new, "distributions_Categorical(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_OneHotCategorical(...) DISTRIBUTIONS_PROBS_(distributions_OneHotCategorical_new, \
    "distributions_OneHotCategorical(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_OneHotCategoricalStraightThrough(...) DISTRIBUTIONS_PROBS_( \
    distributions_OneHotCategoricalStraightThrough_new, \
    "distributions_OneHotCategoricalStraightThrough(" #__VA_ARGS__ ")", __VA_ARGS__)

/* distributions_ContinuousBernoulli(p), distributions_ContinuousBernoulli(.logits = x, .lims = {0.499, 0.501}) */
typedef struct distributions_Limits_ {
    int first_;
    Tensor *probs, *logits;
    double lims[2];
    int validate_args;
} distributions_Limits_;
#define distributions_ContinuousBernoulli(...) T_BEGIN_("distributions_ContinuousBernoulli(" #__VA_ARGS__ ")") \
    T_OPTIONS_(distributions_Limits_, t__o, .lims = {0.499, 0.501}, .validate_args = -1, .first_ = 0, __VA_ARGS__) \
    T_END_(t_distribution_, distributions_ContinuousBernoulli_new(t__o.probs, t__o.logits, t__o.lims[0], \
        t__o.lims[1], t__o.validate_args))

/* distributions_Binomial(10, .probs = p), distributions_RelaxedBernoulli(0.5, .logits = x) */
#define DISTRIBUTIONS_WITH_PROBS_(f, text, ...) T_BEGIN_(text) Tensor *t__a = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(distributions_Probs_, t__o, .validate_args = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, f(t__a, t__o.probs, t__o.logits, t__o.validate_args))
#define distributions_Binomial(...) DISTRIBUTIONS_WITH_PROBS_(distributions_Binomial_new, \
    "distributions_Binomial(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_NegativeBinomial(...) DISTRIBUTIONS_WITH_PROBS_(distributions_NegativeBinomial_new, \
    "distributions_NegativeBinomial(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_RelaxedBernoulli(...) DISTRIBUTIONS_WITH_PROBS_(distributions_RelaxedBernoulli_new, \
    "distributions_RelaxedBernoulli(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_RelaxedOneHotCategorical(...) DISTRIBUTIONS_WITH_PROBS_( \
    distributions_RelaxedOneHotCategorical_new, "distributions_RelaxedOneHotCategorical(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define distributions_Multinomial(...) T_BEGIN_("distributions_Multinomial(" #__VA_ARGS__ ")") \
    const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(distributions_Probs_, t__o, .validate_args = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_Multinomial_new(t__n, t__o.probs, t__o.logits, t__o.validate_args))
/* distributions_MixtureSameFamily(distributions_Categorical(p), distributions_Normal(loc, scale)) */
#define distributions_MixtureSameFamily(mixture_distribution, ...) \
    T_BEGIN_("distributions_MixtureSameFamily(" #mixture_distribution ", " #__VA_ARGS__ ")") \
    t_distribution_ t__a = (mixture_distribution); t_distribution_ t__b = (T_HEAD_(__VA_ARGS__)); \
    DISTRIBUTIONS_VALIDATE_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_MixtureSameFamily_new(t__a, t__b, t__o.validate_args))
/* distributions_Independent(m, 1) */
#define distributions_Independent(base_distribution, ...) \
    T_BEGIN_("distributions_Independent(" #base_distribution ", " #__VA_ARGS__ ")") \
    t_distribution_ t__a = (base_distribution); const int64_t t__n = (T_HEAD_(__VA_ARGS__)); \
    DISTRIBUTIONS_VALIDATE_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_Independent_new(t__a, t__n, t__o.validate_args))
/* distributions_TransformedDistribution(base, t), or of several: (base, (t1, t2)), which are applied in that order */
#define distributions_TransformedDistribution(base_distribution, ...) \
    T_BEGIN_("distributions_TransformedDistribution(" #base_distribution ", " #__VA_ARGS__ ")") \
    t_distribution_ t__a = (base_distribution); \
    distributions_Transform *const t__t[] = {T_SPREAD_(T_HEAD_(__VA_ARGS__))}; \
    DISTRIBUTIONS_VALIDATE_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_distribution_, distributions_TransformedDistribution_new(t__a, t__t, \
        (int64_t)(sizeof t__t / sizeof *t__t), t__o.validate_args))

/* ---- methods ---- */

typedef struct distributions_SampleShape_ {
    int first_;
    t_Tuple sample_shape;
    struct t_too_many_dims_ *rest_;
} distributions_SampleShape_;
#define DISTRIBUTIONS_SAMPLE_(f, text, ...) T_BEGIN_(text) t_distribution_ t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(distributions_SampleShape_, t__o, .sample_shape = T_NO_TUPLE_, .first_ = 0, \
        T_SPREAD_(T_TAIL_(__VA_ARGS__))) \
    T_END_(Tensor *, (f)(t__a, T_GIVEN_(t__o.sample_shape)))
/* distributions_sample(m), distributions_sample(m, (3,)), distributions_sample(m, .sample_shape = t_tuple(2, 3)) */
#define distributions_sample(...) \
    DISTRIBUTIONS_SAMPLE_(distributions_sample, "distributions_sample(" #__VA_ARGS__ ")", __VA_ARGS__)
#define distributions_rsample(...) \
    DISTRIBUTIONS_SAMPLE_(distributions_rsample, "distributions_rsample(" #__VA_ARGS__ ")", __VA_ARGS__)
#define DISTRIBUTIONS_OF_VALUE_(f, text, m, value) T_BEGIN_(text) t_distribution_ t__a = (m); \
    Tensor *t__b = T_OPERAND(value); T_END_(Tensor *, (f)(t__a, t__b))
#define distributions_log_prob(m, value) \
    DISTRIBUTIONS_OF_VALUE_(distributions_log_prob, "distributions_log_prob(" #m ", " #value ")", m, value)
#define distributions_cdf(m, value) \
    DISTRIBUTIONS_OF_VALUE_(distributions_cdf, "distributions_cdf(" #m ", " #value ")", m, value)
#define distributions_icdf(m, value) \
    DISTRIBUTIONS_OF_VALUE_(distributions_icdf, "distributions_icdf(" #m ", " #value ")", m, value)
#define DISTRIBUTIONS_OF_(type, f, text, m) T_BEGIN_(text) t_distribution_ t__a = (m); T_END_(type, (f)(t__a))
#define distributions_entropy(m) \
    DISTRIBUTIONS_OF_(Tensor *, distributions_entropy, "distributions_entropy(" #m ")", m)
#define distributions_perplexity(m) \
    DISTRIBUTIONS_OF_(Tensor *, distributions_perplexity, "distributions_perplexity(" #m ")", m)
#define distributions_mean(m) DISTRIBUTIONS_OF_(Tensor *, distributions_mean, "distributions_mean(" #m ")", m)
#define distributions_mode(m) DISTRIBUTIONS_OF_(Tensor *, distributions_mode, "distributions_mode(" #m ")", m)
#define distributions_variance(m) \
    DISTRIBUTIONS_OF_(Tensor *, distributions_variance, "distributions_variance(" #m ")", m)
#define distributions_stddev(m) DISTRIBUTIONS_OF_(Tensor *, distributions_stddev, "distributions_stddev(" #m ")", m)
#define distributions_support(m) \
    DISTRIBUTIONS_OF_(distributions_Constraint *, distributions_support, "distributions_support(" #m ")", m)
#define distributions_base_dist(m) \
    DISTRIBUTIONS_OF_(t_distribution_, distributions_base_dist, "distributions_base_dist(" #m ")", m)
#define distributions_str(m) DISTRIBUTIONS_OF_(const char *, distributions_str, "distributions_str(" #m ")", m)
#define distributions_param(m, name) T_BEGIN_("distributions_param(" #m ", " #name ")") t_distribution_ t__a = (m); \
    const char *t__n = (name); T_END_(Tensor *, (distributions_param)(t__a, t__n))
/* distributions_enumerate_support(m), distributions_enumerate_support(m, .expand = false) */
typedef struct distributions_Enumerate_ { int first_; bool expand; } distributions_Enumerate_;
#define distributions_enumerate_support(...) T_BEGIN_("distributions_enumerate_support(" #__VA_ARGS__ ")") \
    t_distribution_ t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(distributions_Enumerate_, t__o, .expand = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (distributions_enumerate_support)(t__a, t__o.expand))
/* distributions_expand(m, (2, 3)) */
typedef struct distributions_BatchShape_ {
    int first_;
    t_Tuple batch_shape;
    struct t_too_many_dims_ *rest_;
} distributions_BatchShape_;
#define distributions_expand(...) T_BEGIN_("distributions_expand(" #__VA_ARGS__ ")") \
    t_distribution_ t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(distributions_BatchShape_, t__o, .batch_shape = T_NO_TUPLE_, .first_ = 0, \
        T_SPREAD_(T_TAIL_(__VA_ARGS__))) \
    T_END_(t_distribution_, (distributions_expand)(t__a, T_GIVEN_(t__o.batch_shape)))
#define distributions_kl_divergence(p, q) T_BEGIN_("distributions_kl_divergence(" #p ", " #q ")") \
    t_distribution_ t__a = (p), t__b = (q); T_END_(Tensor *, (distributions_kl_divergence)(t__a, t__b))

/* ---- transforms ---- */

typedef distributions_Transform *t_transform_;
#define DISTRIBUTIONS_TRANSFORM_(call, text) T_BEGIN_(text) T_END_(t_transform_, call)
#define distributions_ExpTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_ExpTransform_new(), "distributions_ExpTransform()")
#define distributions_SigmoidTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_SigmoidTransform_new(), "distributions_SigmoidTransform()")
#define distributions_TanhTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_TanhTransform_new(), "distributions_TanhTransform()")
#define distributions_SoftplusTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_SoftplusTransform_new(), "distributions_SoftplusTransform()")
#define distributions_AbsTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_AbsTransform_new(), "distributions_AbsTransform()")
#define distributions_SoftmaxTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_SoftmaxTransform_new(), "distributions_SoftmaxTransform()")
#define distributions_PowerTransform(exponent) T_BEGIN_("distributions_PowerTransform(" #exponent ")") \
    Tensor *t__a = T_OPERAND(exponent); T_END_(t_transform_, distributions_PowerTransform_new(t__a))
/* distributions_AffineTransform(loc, scale), distributions_AffineTransform(loc, scale, .event_dim = 1) */
typedef struct distributions_EventDim_ { int first_; int64_t event_dim; } distributions_EventDim_;
#define distributions_AffineTransform(loc, ...) \
    T_BEGIN_("distributions_AffineTransform(" #loc ", " #__VA_ARGS__ ")") Tensor *t__a = T_OPERAND(loc); \
    Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(distributions_EventDim_, t__o, .event_dim = 0, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_transform_, distributions_AffineTransform_new(t__a, t__b, t__o.event_dim))
#define distributions_StickBreakingTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_StickBreakingTransform_new(), "distributions_StickBreakingTransform()")
#define distributions_LowerCholeskyTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_LowerCholeskyTransform_new(), "distributions_LowerCholeskyTransform()")
#define distributions_PositiveDefiniteTransform() DISTRIBUTIONS_TRANSFORM_( \
    distributions_PositiveDefiniteTransform_new(), "distributions_PositiveDefiniteTransform()")
#define distributions_CorrCholeskyTransform() \
    DISTRIBUTIONS_TRANSFORM_(distributions_CorrCholeskyTransform_new(), "distributions_CorrCholeskyTransform()")
#define distributions_CumulativeDistributionTransform(distribution) \
    T_BEGIN_("distributions_CumulativeDistributionTransform(" #distribution ")") \
    t_distribution_ t__a = (distribution); \
    T_END_(t_transform_, distributions_CumulativeDistributionTransform_new(t__a))
#define distributions_IndependentTransform(base_transform, reinterpreted_batch_ndims) \
    T_BEGIN_("distributions_IndependentTransform(" #base_transform ", " #reinterpreted_batch_ndims ")") \
    t_transform_ t__a = (base_transform); const int64_t t__n = (reinterpreted_batch_ndims); \
    T_END_(t_transform_, distributions_IndependentTransform_new(t__a, t__n))
/* distributions_ReshapeTransform((2, 3), (6,)) */
#define distributions_ReshapeTransform(in_shape, out_shape) \
    T_BEGIN_("distributions_ReshapeTransform(" #in_shape ", " #out_shape ")") \
    const int64_t t__i[] = {T_SPREAD_(in_shape)}, t__s[] = {T_SPREAD_(out_shape)}; \
    T_END_(t_transform_, distributions_ReshapeTransform_new(t__i, (int)(sizeof t__i / sizeof *t__i), t__s, \
        (int)(sizeof t__s / sizeof *t__s)))
/* distributions_CatTransform((t1, t2), .dim = 0, .lengths = {2, 3}): up to 16 lengths; without them one each */
typedef struct distributions_Lengths_ { int first_; int64_t dim, lengths[16]; } distributions_Lengths_;
#define DISTRIBUTIONS_LENGTHS_ (t__o.lengths[0] == INT64_MIN ? NULL : t__o.lengths)
#define distributions_CatTransform(...) T_BEGIN_("distributions_CatTransform(" #__VA_ARGS__ ")") \
    distributions_Transform *const t__t[] = {T_SPREAD_(T_HEAD_(__VA_ARGS__))}; \
    T_OPTIONS_(distributions_Lengths_, t__o, .dim = 0, .lengths = {INT64_MIN}, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_transform_, distributions_CatTransform_new(t__t, (int64_t)(sizeof t__t / sizeof *t__t), t__o.dim, \
        DISTRIBUTIONS_LENGTHS_))
#define distributions_StackTransform(...) T_BEGIN_("distributions_StackTransform(" #__VA_ARGS__ ")") \
    distributions_Transform *const t__t[] = {T_SPREAD_(T_HEAD_(__VA_ARGS__))}; \
    T_OPTIONS_(distributions_Lengths_, t__o, .dim = 0, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_transform_, distributions_StackTransform_new(t__t, (int64_t)(sizeof t__t / sizeof *t__t), t__o.dim))
#define distributions_biject_to(constraint) T_BEGIN_("distributions_biject_to(" #constraint ")") \
    distributions_Constraint *t__a = (constraint); T_END_(t_transform_, (distributions_biject_to)(t__a))
#define distributions_transform_to(constraint) T_BEGIN_("distributions_transform_to(" #constraint ")") \
    distributions_Constraint *t__a = (constraint); T_END_(t_transform_, (distributions_transform_to)(t__a))
/* distributions_ComposeTransform((t1, t2)) */
#define distributions_ComposeTransform(parts) T_BEGIN_("distributions_ComposeTransform(" #parts ")") \
    distributions_Transform *const t__t[] = {T_SPREAD_(parts)}; \
    T_END_(t_transform_, distributions_ComposeTransform_new(t__t, (int64_t)(sizeof t__t / sizeof *t__t)))
#define distributions_inv(transform) T_BEGIN_("distributions_inv(" #transform ")") t_transform_ t__a = (transform); \
    T_END_(t_transform_, (distributions_inv)(t__a))
#define distributions_call(transform, x) T_BEGIN_("distributions_call(" #transform ", " #x ")") \
    t_transform_ t__a = (transform); T_TENSOR_(t__b, (x)) T_END_(Tensor *, (distributions_call)(t__a, t__b))
#define distributions_log_abs_det_jacobian(transform, x, y) \
    T_BEGIN_("distributions_log_abs_det_jacobian(" #transform ", " #x ", " #y ")") \
    t_transform_ t__a = (transform); T_TENSOR_(t__b, (x)) T_TENSOR_(t__c, (y)) \
    T_END_(Tensor *, (distributions_log_abs_det_jacobian)(t__a, t__b, t__c))
#define distributions_domain(transform) T_BEGIN_("distributions_domain(" #transform ")") \
    t_transform_ t__a = (transform); T_END_(distributions_Constraint *, (distributions_domain)(t__a))
#define distributions_codomain(transform) T_BEGIN_("distributions_codomain(" #transform ")") \
    t_transform_ t__a = (transform); T_END_(distributions_Constraint *, (distributions_codomain)(t__a))
#define distributions_constraints_check(constraint, value) \
    T_BEGIN_("distributions_constraints_check(" #constraint ", " #value ")") \
    distributions_Constraint *t__a = (constraint); Tensor *t__b = T_OPERAND(value); \
    T_END_(Tensor *, (distributions_constraints_check)(t__a, t__b))

#endif
#endif
