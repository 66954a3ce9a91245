/* core/distributions/distribution_internal.h: what the distributions share (internal). */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_DISTRIBUTION_INTERNAL_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_DISTRIBUTION_INTERNAL_H

#include <math.h>

#include "core/autograd/autograd.h"
#include "core/distributions/distribution.h"
#include "core/ops/ops.h"
#include "core/tensor/str.h"
#include "core/tensor/tensor.h"

/* The constants of families omit fields that are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef distributions_Distribution Distribution;
typedef distributions_Constraint Constraint;
typedef distributions_Transform Transform;

#define N(value) t_number(value)
#define EULER_GAMMA 0.5772156649015329

/* ---- constraints ---- */

/* DEPENDENT: on another parameter, so that the family checks it itself. */
typedef enum ConstraintKind {
    NO_CONSTRAINT, DEPENDENT, REAL, REAL_VECTOR, POSITIVE, POSITIVE_VECTOR, NONNEGATIVE, UNIT_INTERVAL, BOOLEAN,
    NONNEGATIVE_INTEGER, SIMPLEX, ONE_HOT, LOWER_CHOLESKY, POSITIVE_DEFINITE, CORR_CHOLESKY, REAL_MATRIX
} ConstraintKind;
Constraint *tg_constraint(ConstraintKind kind);      /* one without bounds */
Constraint *tg_mixture_constraint(Constraint *base); /* MixtureSameFamilyConstraint(base) */
bool tg_check_constraint(const Constraint *constraint, int position);

/* ---- distributions ---- */

enum { MAX_PARAMETERS = 4 };

/* What one kind of distribution is: its names, and the functions that compute its values. A function that is NULL is
 * one that PyTorch does not implement either. Those that get a value are called after it was validated. */
typedef struct Family {
    const char *name; /* "Normal" */
    struct {
        const char *name; /* in the order of arg_constraints */
        ConstraintKind constraint;
    } parameters[MAX_PARAMETERS];
    ConstraintKind support;
    Constraint *(*dependent_support)(Distribution *m); /* if it depends on the parameters */
    bool (*validate)(Distribution *m);                 /* of parameters, beyond their constraints */
    Tensor *(*parameter)(Distribution *m, const char *name); /* those that are computed; NULL for another name */
    /* Draw a tensor of the given shape, sample_shape + batch_shape + event_shape; the first `samples` sizes are
     * sample_shape. rsample with a gradient; sample where it is another algorithm. */
    Tensor *(*sample)(Distribution *m, const t_Tuple *shape, int samples);
    Tensor *(*rsample)(Distribution *m, const t_Tuple *shape, int samples);
    Tensor *(*log_prob)(Distribution *m, Tensor *value);
    Tensor *(*cdf)(Distribution *m, Tensor *value);
    Tensor *(*icdf)(Distribution *m, Tensor *value);
    Tensor *(*entropy)(Distribution *m);
    Tensor *(*mean)(Distribution *m);
    Tensor *(*mode)(Distribution *m);
    Tensor *(*variance)(Distribution *m);
    Tensor *(*stddev)(Distribution *m); /* NULL: the square root of the variance */
    Tensor *(*enumerate_support)(Distribution *m, bool expand);
    Distribution *(*expand)(Distribution *m, const t_Tuple *batch_shape); /* NULL: expands the parameters */
    const char *(*str)(Distribution *m);                                  /* NULL: the name and the parameters */
    const struct Family *parent; /* kl_divergence and base_dist take it for one of these */
    bool takes_numbers; /* log_prob and cdf convert the value to the dtype of the parameters */
    /* log_prob and cdf leave the validation of the value to base_dist */
    bool base_validates_log_prob, base_validates_cdf;
} Family;

struct distributions_Distribution {
    t_Object object;
    const Family *family;
    bool validate_args;
    t_Tuple batch_shape, event_shape;
    Tensor *parameters[MAX_PARAMETERS]; /* as in family; NULL for probs or logits that were not given */
    Distribution *base, *component;     /* base_dist; of a mixture the Categorical and the components */
    Transform **transforms;
    int64_t transform_count;
    Tensor *factor; /* the Cholesky factor of a MultivariateNormal */
    int64_t number;   /* reinterpreted_batch_ndims, total_count */
    double limits[2]; /* of ContinuousBernoulli */
};

bool tg_check_distribution(const Distribution *m, int position);
/* A new distribution without parameters. validate_args as in distribution.h. */
Distribution *tg_distribution_new(const Family *family, const t_Tuple *batch_shape, const t_Tuple *event_shape,
                                  int validate_args);
void tg_set_distribution_parameter(Distribution *m, int i, Tensor *value); /* takes a reference; NULL does nothing */
void tg_set_base(Distribution *m, Distribution *base);
/* The last step of a constructor: validates the parameters; on failure releases m and returns NULL. */
Distribution *tg_validated(Distribution *m);
bool tg_validate_parameter(Distribution *m, const char *name, Tensor *value, Constraint *constraint);
bool tg_validate_sample(Distribution *m, Tensor *value);
/* The error of "Tensor of shape ..." and what follows it: "invalid values". */
const char *tg_value_text(Tensor *x); /* f"{x}" */
const char *tg_size_text(const t_Tuple *shape); /* "torch.Size([2, 3])" */

/* All of a constructor whose parameters broadcast to batch_shape. */
Distribution *tg_new_broadcast(const Family *family, Tensor *const *parameters, int count, int validate_args);
/* The same for one that has probs or logits as its last two parameters, after the `count` given ones. */
Distribution *tg_new_probs_or_logits(const Family *family, Tensor *const *parameters, int count, Tensor *probs,
                                     Tensor *logits, int validate_args);
bool tg_check_probs_or_logits(Tensor *probs, Tensor *logits); /* exactly one of them */
/* broadcast_all: numbers become tensors of the dtype of the first tensor, and all get the same shape. */
bool tg_broadcast_all(Tensor **x, int count);
/* A distribution with the family of m, whose batch_shape is shape: parameters not set. */
Distribution *tg_expanded(Distribution *m, const t_Tuple *batch_shape);
bool tg_expand_parameters(Distribution *m, const t_Tuple *batch_shape, Distribution *new); /* new gets those of m */

/* Calls within the library: as the public functions, but without a scope of their own. */
Tensor *tg_param(Distribution *m, const char *name);
Tensor *tg_log_prob(Distribution *m, Tensor *value);
Tensor *tg_cdf(Distribution *m, Tensor *value);
Tensor *tg_icdf(Distribution *m, Tensor *value);
Tensor *tg_entropy(Distribution *m);
Tensor *tg_mean(Distribution *m);
Tensor *tg_mode(Distribution *m);
Tensor *tg_variance(Distribution *m);
Tensor *tg_draw(Distribution *m, const t_Tuple *sample_shape, bool differentiable);
void *tg_not_defined(const Distribution *m, const char *what); /* fails: "Normal has no enumerate_support" */
bool tg_is_family(const Distribution *m, const Family *family); /* isinstance */
/* The families that kl_divergence has formulas for, each defined in its file. */
extern const Family tg_normal, tg_half_normal, tg_uniform, tg_exponential, tg_laplace, tg_cauchy, tg_gumbel,
    tg_bernoulli, tg_geometric, tg_categorical, tg_one_hot_categorical, tg_independent, tg_gamma, tg_beta,
    tg_dirichlet, tg_poisson, tg_binomial, tg_multivariate_normal, tg_pareto, tg_continuous_bernoulli,
    tg_low_rank_multivariate_normal, tg_wishart;
Tensor *tg_continuous_bernoulli_log_norm(Distribution *m); /* log C(p) */
Tensor *tg_kl_multivariate_normal(Distribution *p, Distribution *q);
Tensor *tg_kl_low_rank(Distribution *p, Distribution *q); /* p and q: MultivariateNormals, at least one of low rank */
Tensor *tg_kl_wishart(Distribution *p, Distribution *q);

/* ---- shapes ---- */

t_Tuple tg_shape_tuple(const Tensor *x, int from, int to); /* x.shape[from:to] */
bool tg_concat(const t_Tuple *a, const t_Tuple *b, t_Tuple *to); /* a + b; false with an error set: too many dims */
t_Tuple tg_slice_tuple(const t_Tuple *a, int from, int to);
bool tg_same_tuple(const t_Tuple *a, const t_Tuple *b);
bool tg_broadcast_tuples(const t_Tuple *a, const t_Tuple *b, t_Tuple *to); /* torch.broadcast_shapes */
Tensor *tg_sum_rightmost(Tensor *x, int64_t dims);
Tensor *tg_expand_to(Tensor *x, const t_Tuple *shape);

/* ---- formulas that several distributions share (utils.c) ---- */

double tg_eps(t_DType dtype);  /* torch.finfo(dtype).eps */
double tg_tiny(t_DType dtype); /* torch.finfo(dtype).tiny */
Tensor *tg_clamp_probs(Tensor *probs);
Tensor *tg_probs_to_logits(Tensor *probs, bool is_binary);
Tensor *tg_logits_to_probs(Tensor *logits, bool is_binary);
Tensor *tg_softplus(Tensor *x); /* log(1 + e^x) without overflow */
Tensor *tg_binary_cross_entropy(Tensor *logits, Tensor *target);
Tensor *tg_standard_normal(const t_Tuple *shape, t_DType dtype);
Tensor *tg_full_tensor(const t_Tuple *shape, double value, t_DType dtype);
Tensor *tg_empty_tensor(const t_Tuple *shape, t_DType dtype);

/* ---- matrices (multivariate_normal.c, cholesky.c) ---- */

Tensor *tg_mahalanobis(Tensor *factor, Tensor *x); /* x^T (L L^T)^-1 x, for a lower factor L */
Tensor *tg_half_log_det(Tensor *factor);           /* half of the logarithm of the determinant of L L^T */
Tensor *tg_factor_of_precision(Tensor *precision); /* the lower L with L L^T = precision^-1 */
Tensor *tg_vector_to_lower(Tensor *x, int64_t size); /* row by row below the diagonal of (..., size, size) */

/* ---- transforms ---- */

bool tg_check_transform(const Transform *t, int position);
Tensor *tg_open_interval(Tensor *y); /* clamped to between 0 and 1, as in PyTorch */
Tensor *tg_transform_call(Transform *t, Tensor *x);
Tensor *tg_transform_inverse(Transform *t, Tensor *y);
Tensor *tg_transform_jacobian(Transform *t, Tensor *x, Tensor *y);
int tg_domain_event_dim(const Transform *t);
int tg_codomain_event_dim(const Transform *t);
bool tg_forward_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to);
bool tg_inverse_shape(const Transform *t, const t_Tuple *shape, t_Tuple *to);
bool tg_transforms_equal(const Transform *a, const Transform *b);
Tensor *tg_transform_sign(Transform *t); /* 1 or -1, or a tensor of both; NULL with an error set if there is none */
/* TransformedDistribution(base, transforms) with another name. */
Distribution *tg_transformed_new(const Family *family, Distribution *base, Transform *const *transforms,
                                 int64_t count, int validate_args);
/* The same for one that has parameters of its own, in the order of the family. */
Distribution *tg_transformed_with_parameters(const Family *family, Distribution *base, Transform *const *transforms,
                                             int64_t count, Tensor *const *parameters, int validate_args);
extern const Family tg_transformed;
/* The functions of TransformedDistribution, for the families that are one. */
Tensor *tg_transformed_sample(Distribution *m, const t_Tuple *shape, int samples);
Tensor *tg_transformed_rsample(Distribution *m, const t_Tuple *shape, int samples);
Tensor *tg_transformed_log_prob(Distribution *m, Tensor *value);
Tensor *tg_transformed_cdf(Distribution *m, Tensor *value);
Tensor *tg_transformed_icdf(Distribution *m, Tensor *value);
Constraint *tg_transformed_support(Distribution *m);
Distribution *tg_transformed_expand(Distribution *m, const t_Tuple *batch_shape);
#define TRANSFORMED_FUNCTIONS                                                                                       \
    .parent = &tg_transformed, .sample = tg_transformed_sample, .rsample = tg_transformed_rsample,                  \
    .expand = tg_transformed_expand
#define TRANSFORMED_VALUES                                                                                          \
    .log_prob = tg_transformed_log_prob, .cdf = tg_transformed_cdf, .base_validates_cdf = true,                     \
    .icdf = tg_transformed_icdf

#endif
