/* core/distributions/distribution.h: the distributions as plain C functions, one line each (public).
 *
 * torch.distributions.X(...) is distributions_X_new, and m.f(...) of any distribution m is distributions_f(m, ...).
 * Parameters are tensors, which broadcast, or numbers (t_number); of probs and logits one is given, the other NULL.
 * validate_args is 0 or 1, or -1 for Python's None: the default, which is on. A distribution holds its parameters and
 * belongs to the scope that it was made in. Samples have the shape sample_shape + batch_shape + event_shape. */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_DISTRIBUTION_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_DISTRIBUTION_H

#include "core/distributions/constraints.h"
#include "core/distributions/transforms.h"
#include "core/tensor/tuple.h"

T_BEGIN_DECLS

/* ---- what every distribution has (distribution.c) ---- */
T_API Tensor *distributions_sample(distributions_Distribution *m, const int64_t *sample_shape,
                                   int ndim); /* m.sample(sample_shape): without a gradient */
T_API Tensor *distributions_rsample(distributions_Distribution *m, const int64_t *sample_shape,
                                    int ndim); /* m.rsample(sample_shape): with the gradients of the parameters */
T_API Tensor *distributions_log_prob(distributions_Distribution *m, Tensor *value); /* m.log_prob(value) */
T_API Tensor *distributions_cdf(distributions_Distribution *m, Tensor *value);      /* m.cdf(value) */
T_API Tensor *distributions_icdf(distributions_Distribution *m, Tensor *value);     /* m.icdf(value) */
T_API Tensor *distributions_entropy(distributions_Distribution *m);                 /* m.entropy() */
T_API Tensor *distributions_perplexity(distributions_Distribution *m);              /* m.perplexity() */
T_API Tensor *distributions_mean(distributions_Distribution *m);                    /* m.mean */
T_API Tensor *distributions_mode(distributions_Distribution *m);                    /* m.mode */
T_API Tensor *distributions_variance(distributions_Distribution *m);                /* m.variance */
T_API Tensor *distributions_stddev(distributions_Distribution *m);                  /* m.stddev */
T_API Tensor *distributions_enumerate_support(distributions_Distribution *m,
                                              bool expand); /* m.enumerate_support(expand) */
T_API distributions_Distribution *distributions_expand(distributions_Distribution *m, const int64_t *batch_shape,
                                                       int ndim); /* m.expand(batch_shape) */
T_API const t_Tuple *distributions_batch_shape(const distributions_Distribution *m); /* m.batch_shape: items and len */
T_API const t_Tuple *distributions_event_shape(const distributions_Distribution *m); /* m.event_shape */
T_API bool distributions_has_rsample(const distributions_Distribution *m);           /* m.has_rsample */
T_API bool distributions_has_enumerate_support(const distributions_Distribution *m); /* m.has_enumerate_support */
T_API distributions_Constraint *distributions_support(distributions_Distribution *m); /* m.support */
T_API Tensor *distributions_param(distributions_Distribution *m, const char *name);   /* getattr(m, name): "probs" */
T_API distributions_Distribution *distributions_base_dist(distributions_Distribution *m); /* m.base_dist */
T_API const char *distributions_str(distributions_Distribution *m);                       /* repr(m) */
T_API void distributions_set_default_validate_args(bool value); /* Distribution.set_default_validate_args(value) */
T_API Tensor *distributions_kl_divergence(distributions_Distribution *p,
                                          distributions_Distribution *q); /* kl_divergence(p, q) (kl.c) */

/* ---- continuous distributions ---- */
T_API distributions_Distribution *distributions_Normal_new(Tensor *loc, Tensor *scale,
                                                           int validate_args); /* Normal(loc, scale) */
T_API distributions_Distribution *distributions_LogNormal_new(Tensor *loc, Tensor *scale,
                                                              int validate_args); /* LogNormal(loc, scale) */
T_API distributions_Distribution *distributions_HalfNormal_new(Tensor *scale,
                                                               int validate_args); /* HalfNormal(scale) */
T_API distributions_Distribution *distributions_Uniform_new(Tensor *low, Tensor *high,
                                                            int validate_args); /* Uniform(low, high) */
T_API distributions_Distribution *distributions_Exponential_new(Tensor *rate,
                                                                int validate_args); /* Exponential(rate) */
T_API distributions_Distribution *distributions_Laplace_new(Tensor *loc, Tensor *scale,
                                                            int validate_args); /* Laplace(loc, scale) */
T_API distributions_Distribution *distributions_Cauchy_new(Tensor *loc, Tensor *scale,
                                                           int validate_args); /* Cauchy(loc, scale) */
T_API distributions_Distribution *distributions_Gumbel_new(Tensor *loc, Tensor *scale,
                                                           int validate_args); /* Gumbel(loc, scale) */

T_API distributions_Distribution *distributions_Gamma_new(Tensor *concentration, Tensor *rate,
                                                          int validate_args); /* Gamma(concentration, rate) */
T_API distributions_Distribution *distributions_Chi2_new(Tensor *df, int validate_args); /* Chi2(df) */
T_API distributions_Distribution *distributions_Beta_new(Tensor *concentration1, Tensor *concentration0,
                                                         int validate_args); /* Beta(concentration1, concentration0) */
T_API distributions_Distribution *distributions_Dirichlet_new(Tensor *concentration,
                                                              int validate_args); /* Dirichlet(concentration) */
T_API distributions_Distribution *distributions_MultivariateNormal_new(
    Tensor *loc, Tensor *covariance_matrix, Tensor *precision_matrix, Tensor *scale_tril,
    int validate_args); /* MultivariateNormal(loc, covariance_matrix, precision_matrix, scale_tril) */
T_API distributions_Distribution *distributions_StudentT_new(Tensor *df, Tensor *loc, Tensor *scale,
                                                             int validate_args); /* StudentT(df, loc, scale) */
T_API distributions_Distribution *distributions_RelaxedBernoulli_new(
    Tensor *temperature, Tensor *probs, Tensor *logits,
    int validate_args); /* RelaxedBernoulli(temperature, probs, logits) */
T_API distributions_Distribution *distributions_RelaxedOneHotCategorical_new(
    Tensor *temperature, Tensor *probs, Tensor *logits,
    int validate_args); /* RelaxedOneHotCategorical(temperature, probs, logits) */
T_API distributions_Distribution *distributions_LowRankMultivariateNormal_new(
    Tensor *loc, Tensor *cov_factor, Tensor *cov_diag,
    int validate_args); /* LowRankMultivariateNormal(loc, cov_factor, cov_diag) */
T_API distributions_Distribution *distributions_LogisticNormal_new(Tensor *loc, Tensor *scale,
                                                                   int validate_args); /* LogisticNormal(loc, scale) */
T_API distributions_Distribution *distributions_LKJCholesky_new(
    int64_t dim, Tensor *concentration, int validate_args); /* LKJCholesky(dim, concentration) */
T_API distributions_Distribution *distributions_Wishart_new(
    Tensor *df, Tensor *covariance_matrix, Tensor *precision_matrix, Tensor *scale_tril,
    int validate_args); /* Wishart(df, covariance_matrix, precision_matrix, scale_tril) */
T_API distributions_Distribution *distributions_HalfCauchy_new(Tensor *scale,
                                                               int validate_args); /* HalfCauchy(scale) */
T_API distributions_Distribution *distributions_InverseGamma_new(
    Tensor *concentration, Tensor *rate, int validate_args); /* InverseGamma(concentration, rate) */
T_API distributions_Distribution *distributions_Pareto_new(Tensor *scale, Tensor *alpha,
                                                           int validate_args); /* Pareto(scale, alpha) */
T_API distributions_Distribution *distributions_GeneralizedPareto_new(
    Tensor *loc, Tensor *scale, Tensor *concentration,
    int validate_args); /* GeneralizedPareto(loc, scale, concentration) */
T_API distributions_Distribution *distributions_Weibull_new(Tensor *scale, Tensor *concentration,
                                                            int validate_args); /* Weibull(scale, concentration) */
T_API distributions_Distribution *distributions_Kumaraswamy_new(
    Tensor *concentration1, Tensor *concentration0,
    int validate_args); /* Kumaraswamy(concentration1, concentration0) */
T_API distributions_Distribution *distributions_FisherSnedecor_new(Tensor *df1, Tensor *df2,
                                                                   int validate_args); /* FisherSnedecor(df1, df2) */
T_API distributions_Distribution *distributions_VonMises_new(Tensor *loc, Tensor *concentration,
                                                             int validate_args); /* VonMises(loc, concentration) */
T_API distributions_Distribution *distributions_ContinuousBernoulli_new(
    Tensor *probs, Tensor *logits, double lower, double upper,
    int validate_args); /* ContinuousBernoulli(probs, logits, lims=(lower, upper)) */

/* ---- discrete distributions ---- */
T_API distributions_Distribution *distributions_Bernoulli_new(Tensor *probs, Tensor *logits,
                                                              int validate_args); /* Bernoulli(probs, logits) */
T_API distributions_Distribution *distributions_Geometric_new(Tensor *probs, Tensor *logits,
                                                              int validate_args); /* Geometric(probs, logits) */
T_API distributions_Distribution *distributions_Categorical_new(Tensor *probs, Tensor *logits,
                                                                int validate_args); /* Categorical(probs, logits) */
T_API distributions_Distribution *distributions_OneHotCategorical_new(
    Tensor *probs, Tensor *logits, int validate_args); /* OneHotCategorical(probs, logits) */
T_API distributions_Distribution *distributions_OneHotCategoricalStraightThrough_new(
    Tensor *probs, Tensor *logits, int validate_args); /* OneHotCategoricalStraightThrough(probs, logits) */

T_API distributions_Distribution *distributions_Poisson_new(Tensor *rate, int validate_args); /* Poisson(rate) */
T_API distributions_Distribution *distributions_Binomial_new(
    Tensor *total_count, Tensor *probs, Tensor *logits, int validate_args); /* Binomial(total_count, probs, logits) */
T_API distributions_Distribution *distributions_NegativeBinomial_new(
    Tensor *total_count, Tensor *probs, Tensor *logits,
    int validate_args); /* NegativeBinomial(total_count, probs, logits) */
T_API distributions_Distribution *distributions_Multinomial_new(
    int64_t total_count, Tensor *probs, Tensor *logits,
    int validate_args); /* Multinomial(total_count, probs, logits) */

/* ---- made of other distributions ---- */
T_API distributions_Distribution *distributions_MixtureSameFamily_new(
    distributions_Distribution *mixture_distribution, distributions_Distribution *component_distribution,
    int validate_args); /* MixtureSameFamily(mixture_distribution, component_distribution) */
T_API distributions_Distribution *distributions_Independent_new(
    distributions_Distribution *base_distribution, int64_t reinterpreted_batch_ndims,
    int validate_args); /* Independent(base_distribution, reinterpreted_batch_ndims) */
T_API distributions_Distribution *distributions_TransformedDistribution_new(
    distributions_Distribution *base_distribution, distributions_Transform *const *transforms, int64_t count,
    int validate_args); /* TransformedDistribution(base_distribution, transforms) */

T_END_DECLS
#endif
