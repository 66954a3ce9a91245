/* tests/distributions/test_distributions.c: every function of every distribution against PyTorch's values, draws and
 * gradients (golden/distributions.txt, written by record_distributions.py, which has constructors of the same names).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/distributions/distributions.h"
#include "core/kernels/isa.h"
#include "core/kernels/random/gamma.h"
#include "core/tensor/tensor.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

enum { SEED = 42, MAX_LEAVES = 5 };
typedef distributions_Distribution Distribution;

/* ---- the cases: a constructor of the parameters a, b and c ---- */

static Tensor *zeros_of(Tensor *x) { return t_zeros_like(x); }
static Tensor *ones_of(Tensor *x) { return t_ones_like(x); }

#define CASES(X)                                                                                                    \
    X(normal, distributions_Normal(a, b))                                                                           \
    X(normal_broadcast, distributions_Normal(a, b))                                                                 \
    X(log_normal, distributions_LogNormal(a, b))                                                                    \
    X(half_normal, distributions_HalfNormal(a))                                                                     \
    X(uniform, distributions_Uniform(a, b))                                                                         \
    X(exponential, distributions_Exponential(a))                                                                    \
    X(laplace, distributions_Laplace(a, b))                                                                         \
    X(cauchy, distributions_Cauchy(a, b))                                                                           \
    X(gumbel, distributions_Gumbel(a, b))                                                                           \
    X(bernoulli_probs, distributions_Bernoulli(.probs = a))                                                         \
    X(bernoulli_logits, distributions_Bernoulli(.logits = a))                                                       \
    X(geometric_probs, distributions_Geometric(a))                                                                  \
    X(geometric_logits, distributions_Geometric(.logits = a))                                                       \
    X(categorical_probs, distributions_Categorical(a))                                                              \
    X(categorical_logits, distributions_Categorical(.logits = a))                                                   \
    X(one_hot_categorical, distributions_OneHotCategorical(.logits = a))                                            \
    X(one_hot_straight_through, distributions_OneHotCategoricalStraightThrough(a))                                  \
    X(independent, distributions_Independent(distributions_Normal(a, b), 1))                                        \
    X(independent_bernoulli, distributions_Independent(distributions_Bernoulli(a), 2))                              \
    X(transformed_affine_tanh,                                                                                      \
      distributions_TransformedDistribution(                                                                        \
          distributions_Normal(a, b), (distributions_AffineTransform(0.5, 0.25), distributions_TanhTransform())))   \
    X(transformed_decreasing,                                                                                       \
      distributions_TransformedDistribution(distributions_Laplace(zeros_of(a), ones_of(a)),                         \
                                            distributions_AffineTransform(a, t_neg(b))))                            \
    X(transformed_event, distributions_TransformedDistribution(distributions_Normal(a, b), event_transform(a)))     \
    X(transformed_sigmoid,                                                                                          \
      distributions_TransformedDistribution(distributions_Normal(a, b), distributions_SigmoidTransform()))          \
    X(transformed_logistic,                                                                                         \
      distributions_TransformedDistribution(                                                                        \
          distributions_Uniform(zeros_of(a), ones_of(a)),                                                           \
          (distributions_inv(distributions_SigmoidTransform()), distributions_AffineTransform(a, 0.5))))           \
    X(gamma, distributions_Gamma(a, b))                                                                             \
    X(chi2, distributions_Chi2(a))                                                                                  \
    X(beta, distributions_Beta(a, b))                                                                               \
    X(dirichlet, distributions_Dirichlet(a))                                                                        \
    X(poisson, distributions_Poisson(a))                                                                            \
    X(binomial_probs, distributions_Binomial(20, .probs = a))                                                       \
    X(binomial_logits, distributions_Binomial(t_type_as(t_tensor("[5, 40, 90]"), a), .logits = a))                  \
    X(binomial_large, distributions_Binomial(t_type_as(t_tensor("[1e3, 3e7, 1e6]"), a), a))                         \
    X(multinomial, distributions_Multinomial(6, a))                                                                 \
    X(multinomial_logits, distributions_Multinomial(4, .logits = a))                                                \
    X(student_t, distributions_StudentT(a))                                                                         \
    X(student_t_scale, distributions_StudentT(a, .loc = b, .scale = c))                                             \
    X(relaxed_bernoulli, distributions_RelaxedBernoulli(b, .probs = a))                                             \
    X(relaxed_bernoulli_logits, distributions_RelaxedBernoulli(b, .logits = a))                                     \
    X(relaxed_one_hot, distributions_RelaxedOneHotCategorical(b, .logits = a))                                      \
    X(mvn_covariance, distributions_MultivariateNormal(a, gram(b)))                                                 \
    X(mvn_precision, distributions_MultivariateNormal(a, .precision_matrix = gram(b)))                              \
    X(mvn_scale_tril, distributions_MultivariateNormal(a, .scale_tril = t_tril(b)))                                 \
    X(mixture, distributions_MixtureSameFamily(distributions_Categorical(.logits = zeros_of(a)),                    \
                                               distributions_Normal(a, b)))                                         \
    X(mixture_events,                                                                                               \
      distributions_MixtureSameFamily(distributions_Categorical(t_type_as(t_tensor("[0.25, 0.75]"), a)),            \
                                      distributions_Independent(distributions_Laplace(a, b), 1)))                   \
    X(half_cauchy, distributions_HalfCauchy(a))                                                                     \
    X(inverse_gamma, distributions_InverseGamma(a, b))                                                              \
    X(pareto, distributions_Pareto(a, b))                                                                           \
    X(generalized_pareto, distributions_GeneralizedPareto(a, b, c))                                                 \
    X(weibull, distributions_Weibull(a, b))                                                                         \
    X(kumaraswamy, distributions_Kumaraswamy(a, b))                                                                 \
    X(fisher_snedecor, distributions_FisherSnedecor(a, b))                                                          \
    X(von_mises, distributions_VonMises(a, b))                                                                      \
    X(continuous_bernoulli, distributions_ContinuousBernoulli(a))                                                   \
    X(continuous_bernoulli_logits, distributions_ContinuousBernoulli(.logits = a, .lims = {0.4, 0.6}))              \
    X(negative_binomial, distributions_NegativeBinomial(a, b))                                                      \
    X(negative_binomial_logits, distributions_NegativeBinomial(4, .logits = a))                                     \
    X(low_rank, distributions_LowRankMultivariateNormal(a, b, c))                                                   \
    X(low_rank_batch, distributions_LowRankMultivariateNormal(a, b, c))                                             \
    X(logistic_normal, distributions_LogisticNormal(a, b))                                                          \
    X(lkj_cholesky, distributions_LKJCholesky(3, .concentration = a))                                               \
    X(wishart_covariance, distributions_Wishart(a, gram(b)))                                                        \
    X(wishart_precision, distributions_Wishart(a, .precision_matrix = gram(b)))                                     \
    X(wishart_scale_tril, distributions_Wishart(a, .scale_tril = t_tril(b)))

static distributions_Transform *event_transform(Tensor *a) {
    return distributions_AffineTransform(t_type_as(t_tensor("[1, 2, 3]"), a), t_type_as(t_tensor("[0.5, 1, 2]"), a),
                                         .event_dim = 1);
}

static Tensor *gram(Tensor *b) {
    return t_add(t_matmul(b, t_mT(b)), t_eye(2, .dtype = t_dtype(b)));
}

typedef struct Parameters {
    Tensor *x[MAX_LEAVES];
    int count;
} Parameters;
#define MAKE(name, expression)                                        \
    static Distribution *make_##name(const Parameters *p) {           \
        Tensor *a = p->x[0], *b = p->x[1], *c = p->x[2];              \
        (void)b;                                                      \
        (void)c;                                                      \
        return expression;                                            \
    }
#define ROW(name, expression) {#name, make_##name},
CASES(MAKE)
static const struct {
    const char *name;
    Distribution *(*make)(const Parameters *p);
} cases[] = {CASES(ROW)};
enum { COUNT = sizeof cases / sizeof *cases };

/* ---- comparing ---- */

static Tensor *recorded_tensor(const char *section, const char *name, bool requires_grad) {
    GoldenArray array;
    if (!golden_array(section, name, &array)) return NULL;
    Tensor *x = t_tensor_from_data(array.values, t_float64, array.shape, array.ndim, NULL);
    x = t_to(x, array.dtype);
    free(array.values);
    if (requires_grad && t_is_floating_point(x)) t_requires_grad_(x, true);
    return x;
}

static void compare_recorded(const char *label, const char *name, Tensor *got, const char *section, Role role) {
    GoldenArray want;
    char what[120];
    snprintf(what, sizeof what, "%s: %s", label, name);
    if (!golden_array(section, name, &want)) note("%s was not recorded", what);
    else if (!want.present) note("%s: PyTorch has none", what);
    else compare_to_golden(what, got, &want, role);
    free(want.values);
}

/* The sum of the results, the i-th times 1 + i / 8, as in the recording script. */
static Tensor *weighted(Tensor *y) {
    Tensor *weights = t_add(t_div(t_arange(t_numel(y), .dtype = t_float64), 8.0), 1);
    return t_sum(t_mul(t_reshape(y, -1), t_to(weights, t_dtype(y))));
}

/* The gradients name.d0, name.d1, ... of the leaves; none where a leaf has no influence. */
static void compare_gradients(const char *label, const char *name, Tensor *y, Tensor *const *leaves, int count,
                              const char *section) {
    char line[40];
    GoldenArray want;
    snprintf(line, sizeof line, "%s.refused", name);
    if (golden_array(section, line, &want)) {
        if (t_backward(weighted(y))) note("%s: %s has no derivative in PyTorch", label, name);
        t_clear_error();
        clear_errors();
        return;
    }
    snprintf(line, sizeof line, "%s.fails", name);
    if (golden_array(section, line, &want)) return; /* PyTorch has a derivative, but computes it wrongly */
    snprintf(line, sizeof line, "%s.d0", name);
    if (!golden_array(section, line, &want)) {
        if (t_requires_grad(y)) note("%s: %s has a gradient, in PyTorch it has none", label, name);
        return;
    }
    free(want.values);
    for (int i = 0; i < count; i++) (t_set_grad)(leaves[i], NULL);
    t_backward(weighted(y));
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%s.d%d", name, i);
        if (!golden_array(section, line, &want)) continue;
        free(want.values);
        Tensor *grad = t_grad(leaves[i]);
        if (want.present) compare_recorded(label, line, grad, section, GRADIENT);
        else if (grad && t_item(t_max(t_abs(grad))) != 0) note("%s: %s is not zero", label, line);
    }
}

/* y may be NULL if PyTorch has no such function either. */
static void compare(const char *label, const char *name, Tensor *y, Tensor *const *leaves, int count,
                    const char *section, Role role) {
    GoldenArray want;
    const bool recorded = golden_array(section, name, &want);
    free(want.values);
    if (recorded && !want.present) {
        if (y) note("%s: %s is not defined in PyTorch", label, name);
        if (!y && !t_error() && error_count() == 0) note("%s: %s has set no error", label, name);
        t_clear_error();
        clear_errors();
        return;
    }
    if (!y) {
        note("%s: %s failed: %s", label, name, last_error_text());
        t_clear_error();
        clear_errors();
        return;
    }
    compare_recorded(label, name, y, section, role);
    compare_gradients(label, name, y, leaves, count, section);
}

static void compare_shape(const char *label, const char *name, const t_Tuple *shape, const char *section) {
    GoldenArray want;
    ck_assert(golden_array(section, name, &want));
    if (want.count != shape->len) note("%s: %s has %d dims, not %d", label, name, shape->len, (int)want.count);
    for (int64_t d = 0; d < want.count && d < shape->len; d++)
        if ((int64_t)want.values[d] != shape->items[d]) note("%s: %s is wrong in dim %d", label, name, (int)d);
    free(want.values);
}

/* Draws that are sums and products of the generator's values are PyTorch's to the bit. Where a logarithm, an
 * exponential or a hyperbolic tangent follows, that function may differ in the last bit; so may the sum by which a
 * Dirichlet value is divided where SSE2's two lanes add three numbers in another order. */
static bool has_exact_draws(const char *name) {
    if (strcmp(name, "dirichlet") == 0) return tg_isa() != TG_ISA_BASELINE;
    static const char *const rounded[] = {"log_normal", "laplace", "gumbel", "transformed_", "relaxed_", "mvn_",
                                         "mixture_events", "inverse_gamma", "pareto", "generalized_pareto", "weibull",
                                         "kumaraswamy", "von_mises", "continuous_", "negative_binomial", "low_rank",
                                         "logistic_", "lkj_", "wishart_"};
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
        if (strncmp(name, rounded[i], strlen(rounded[i])) == 0) return false;
    return true;
}

static void check_values(const char *label, Distribution *(*make)(const Parameters *), const Parameters *p,
                         Tensor *value, const char *section) {
    Tensor *leaves[MAX_LEAVES + 1];
    Tensor *q = t_to(t_tensor("[0.1, 0.5, 0.85]", .dtype = t_float64), t_dtype(p->x[0]));
    int count = p->count;
    memcpy(leaves, p->x, sizeof p->x);
    if (t_requires_grad(value)) leaves[count++] = value;
#define COMPARE(name, call, leaf_count) with_scope() { \
        Distribution *m = make(p); \
        compare(label, #name, call, leaves, leaf_count, section, VALUE); \
    }
    COMPARE(log_prob, distributions_log_prob(m, value), count)
    COMPARE(cdf, distributions_cdf(m, value), count)
    COMPARE(icdf, distributions_icdf(m, q), p->count)
    COMPARE(entropy, distributions_entropy(m), p->count)
    COMPARE(perplexity, distributions_perplexity(m), p->count)
    COMPARE(mean, distributions_mean(m), p->count)
    COMPARE(mode, distributions_mode(m), p->count)
    COMPARE(variance, distributions_variance(m), p->count)
    COMPARE(stddev, distributions_stddev(m), p->count)
    COMPARE(enumerate, distributions_enumerate_support(m), p->count)
    COMPARE(enumerate_small, distributions_enumerate_support(m, .expand = false), p->count)
}

static void check_draws(const char *label, const char *name, Distribution *(*make)(const Parameters *),
                        const Parameters *p, const char *section) {
    const Role role = has_exact_draws(name) ? EXACT : VALUE;
    t_manual_seed(SEED);
    Tensor *drawn = distributions_sample(make(p), (2,));
    compare(label, "sample", drawn, p->x, 0, section, role);
    if (drawn && t_requires_grad(drawn)) note("%s: sample has a gradient", label);
    compare_recorded(label, "sample.next", t_rand(2), section, EXACT);
    t_manual_seed(SEED);
    compare(label, "rsample", distributions_rsample(make(p), .sample_shape = t_tuple(2)), p->x, p->count, section,
            role);
}

static void check_expanded(const char *label, const char *name, Distribution *m, Tensor *value, const char *section) {
    const t_Tuple *batch = distributions_batch_shape(m);
    int64_t shape[T_MAX_DIMS] = {2};
    for (int d = 0; d < batch->len; d++) shape[d + 1] = batch->items[d];
    Distribution *expanded = (distributions_expand)(m, shape, batch->len + 1);
    ck_assert_msg(expanded != NULL, "%s: expand: %s", label, t_error());
    t_manual_seed(SEED);
    compare_recorded(label, "expanded", distributions_sample(expanded), section,
                     has_exact_draws(name) ? EXACT : VALUE);
    compare_recorded(label, "expanded.log_prob", distributions_log_prob(expanded, t_detach(value)), section, VALUE);
}

START_TEST(values_are_pytorchs) {
    for (int dtype = 0; dtype < 2; dtype++) {
        char label[80], name[8];
        snprintf(label, sizeof label, "%s %c", cases[_i].name, "fd"[dtype]);
        const char *section = golden_case(golden_file("distributions.txt"), label);
        ck_assert_msg(section != NULL, "%s was not recorded", label);
        Parameters p = {.count = 0};
        GoldenArray array;
        for (; snprintf(name, sizeof name, "p%d", p.count), golden_array(section, name, &array); free(array.values))
            p.x[p.count++] = recorded_tensor(section, name, true);
        Tensor *value = recorded_tensor(section, "value", true);
        Distribution *m = cases[_i].make(&p);
        ck_assert_msg(m != NULL, "%s: %s", label, last_error_text());
        compare_shape(label, "batch_shape", distributions_batch_shape(m), section);
        compare_shape(label, "event_shape", distributions_event_shape(m), section);
        check_values(label, cases[_i].make, &p, value, section);
        check_draws(label, cases[_i].name, cases[_i].make, &p, section);
        check_expanded(label, cases[_i].name, m, value, section);
    }
    report_notes();
}
END_TEST

/* ---- texts ---- */

START_TEST(texts_are_pytorchs) {
    const struct { const char *got, *want; } texts[] = {
        {distributions_str(distributions_Normal(0, 1)), "Normal(loc: 0.0, scale: 1.0)"},
        {distributions_str(distributions_Normal(t_zeros(1), 1)), "Normal(loc: tensor([0.]), scale: tensor([1.]))"},
        {distributions_str(distributions_Normal(t_zeros(2), 1)),
         "Normal(loc: torch.Size([2]), scale: torch.Size([2]))"},
        {distributions_str(distributions_Bernoulli(t_tensor(0.3f))), "Bernoulli(probs: 0.30000001192092896)"},
        {distributions_str(distributions_Categorical(.logits = t_zeros(3))), "Categorical(logits: torch.Size([3]))"},
        {distributions_str(distributions_LogNormal(0, 1)), "LogNormal()"},
        {distributions_str(distributions_Gumbel(0, 1)), "Gumbel(loc: 0.0, scale: 1.0)"},
        {distributions_str(distributions_Pareto(1, 2)), "Pareto(alpha: 2.0, scale: 1.0)"},
        {distributions_str(distributions_InverseGamma(1, 2)), "InverseGamma()"},
        {distributions_constraints_str(distributions_support(distributions_GeneralizedPareto(0, 1, -0.5))),
         "Interval(lower_bound=0.0, upper_bound=2.0)"},
        {distributions_str(distributions_Independent(distributions_Normal(t_zeros(2), 1), 1)),
         "Independent(Normal(loc: torch.Size([2]), scale: torch.Size([2])), 1)"},
        {distributions_str(distributions_MixtureSameFamily(distributions_Categorical(t_ones(2)),
                                                           distributions_Normal(t_zeros(2), 1))),
         "MixtureSameFamily(\n  Categorical(probs: torch.Size([2])),\n"
         "  Normal(loc: torch.Size([2]), scale: torch.Size([2])))"},
        {distributions_constraints_str(distributions_support(distributions_MixtureSameFamily(
             distributions_Categorical(t_ones(2)), distributions_Normal(t_zeros(2), 1)))),
         "MixtureSameFamilyConstraint(Real())"},
        {distributions_constraints_str(distributions_support(distributions_Uniform(0, 2))),
         "Interval(lower_bound=0.0, upper_bound=2.0)"},
        {distributions_constraints_str(distributions_support(distributions_Categorical(t_ones(3)))),
         "IntegerInterval(lower_bound=0, upper_bound=2)"},
        {distributions_constraints_str(distributions_constraints_real_vector()), "IndependentConstraint(Real(), 1)"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ck_assert_str_eq(texts[i].got, texts[i].want);
}
END_TEST

START_TEST(parameters_by_name) {
    Distribution *m = distributions_Bernoulli(.logits = t_zeros(2)), *l = distributions_LogNormal(1, 2);
    HOLDS(t_equal(distributions_param(m, "probs"), t_full((2,), 0.5)));
    HOLDS(t_item(distributions_param(l, "loc")) == 1 && t_item(distributions_param(l, "scale")) == 2);
    HOLDS(t_item(distributions_stddev(distributions_base_dist(l))) == 2);
    ck_assert_ptr_null(distributions_param(m, "scale"));
    expect_error("'Bernoulli' object has no attribute 'scale'");
}
END_TEST

/* probs from logits, and logits from probs; PyTorch's numbers. */
START_TEST(probabilities_by_name) {
    Tensor *given[] = {t_tensor("[0.5, -1.]"), t_tensor("[0.25, 0.9]")};
    Tensor *probs[] = {t_tensor("[0.62245935, 0.26894143]"), given[1]};
    Tensor *logits[] = {given[0], t_tensor("[-1.0986123, 2.1972246]")};
    Distribution *of[][2] = {{distributions_NegativeBinomial(3, .logits = given[0]),
                              distributions_RelaxedBernoulli(0.5, .logits = given[0])},
                             {distributions_NegativeBinomial(3, .probs = given[1]),
                              distributions_RelaxedBernoulli(0.5, .probs = given[1])}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            HOLDS(t_allclose(distributions_param(of[i][j], "probs"), probs[i], .rtol = 1e-6));
            HOLDS(t_allclose(distributions_param(of[i][j], "logits"), logits[i], .rtol = 1e-6));
            ck_assert_ptr_null(distributions_param(of[i][j], "scale"));
        }
    expect_error("'RelaxedBernoulli' object has no attribute 'scale'");
}
END_TEST

/* Gamma's log_prob takes what torch.as_tensor takes, in the dtype of its parameters. */
START_TEST(a_gamma_takes_numbers) {
    Distribution *m = distributions_Gamma(t_tensor(3.0, .dtype = t_float64), t_tensor(2.0, .dtype = t_float64));
    const double want = 3 * log(2) - log(2) + 2 * log(1.5) - 3; /* a log b - log(Gamma(a)) + (a - 1) log x - b x */
    Tensor *number = distributions_log_prob(m, 1.5), *narrow = distributions_log_prob(m, t_tensor("[1.5, 1.5]"));
    HOLDS(t_dtype(number) == t_float64 && t_dim(number) == 0 && fabs(t_item(number) - want) < 1e-14);
    HOLDS(t_dtype(narrow) == t_float64 && fabs(t_item(t_max(narrow)) - want) < 1e-14);
}
END_TEST

/* The three matrices of a normal distribution, each from the one that was given; PyTorch's numbers. */
START_TEST(matrices_by_name) {
    Tensor *W = t_tensor("[[1.], [2.]]"), *covariance = t_tensor("[[1.5, 2.], [2., 5.5]]");
    Tensor *precision = t_tensor("[[1.2941177, -0.4705882], [-0.4705882, 0.3529412]]");
    Tensor *factor = t_tensor("[[1.2247449, 0.], [1.6329932, 1.6832509]]");
    Distribution *of[] = {
        distributions_LowRankMultivariateNormal(t_zeros(2), W, t_tensor("[0.5, 1.5]")),
        distributions_MultivariateNormal(t_zeros(3, 2), covariance),
        distributions_MultivariateNormal(t_zeros(2), .precision_matrix = precision),
    };
    for (int i = 0; i < 3; i++) {
        HOLDS(t_allclose(distributions_param(of[i], "covariance_matrix"), covariance, .rtol = 1e-4));
        HOLDS(t_allclose(distributions_param(of[i], "precision_matrix"), precision, .rtol = 1e-4));
        HOLDS(t_allclose(distributions_param(of[i], "scale_tril"), factor, .rtol = 1e-4));
    }
    ck_assert_int_eq(t_dim(distributions_param(of[1], "scale_tril")), 3);
    ck_assert_int_eq(distributions_event_shape(of[0])->items[0], 2);
    ck_assert_ptr_null(distributions_param(of[0], "scale"));
    t_clear_error();
}
END_TEST

START_TEST(what_a_distribution_has) {
    Distribution *normal = distributions_Normal(t_zeros(2), 1), *bernoulli = distributions_Bernoulli(t_full((2,), 0.5));
    HOLDS(distributions_has_rsample(normal) && !distributions_has_rsample(bernoulli));
    HOLDS(!distributions_has_enumerate_support(normal) && distributions_has_enumerate_support(bernoulli));
    HOLDS(distributions_has_rsample(distributions_Independent(normal, 1)));
    HOLDS(!distributions_has_rsample(distributions_Independent(bernoulli, 1)));
    HOLDS(distributions_has_enumerate_support(distributions_Independent(bernoulli, 0)));
    HOLDS(!distributions_has_enumerate_support(distributions_Independent(bernoulli, 1)));
    HOLDS(distributions_has_rsample(distributions_LogNormal(1, 2)));
    Tensor *support = distributions_enumerate_support(distributions_Independent(bernoulli, 0));
    HOLDS(t_equal(support, t_tensor("[[0., 0], [1, 1]]")));
    HOLDS(!(distributions_has_rsample)(NULL) && t_error());
    t_clear_error();
}
END_TEST

/* ---- errors ---- */

START_TEST(bad_parameters_have_pytorchs_errors) {
    expect_refusal(!distributions_Normal(t_tensor("[0., 1.]"), t_tensor("[1., -1.]")),
                   "Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc: torch.Size([2]), "
                   "scale: torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid "
                   "values:\ntensor([ 1., -1.])");
    expect_refusal(!distributions_Dirichlet(t_tensor("[1., -1.]")),
                   "Expected parameter concentration (Tensor of shape (2,)) of distribution Dirichlet(concentration: "
                   "torch.Size([2])) to satisfy the constraint IndependentConstraint(GreaterThan(lower_bound=0.0), 1), "
                   "but found invalid values:\ntensor([ 1., -1.])");
    expect_refusal(!distributions_Uniform(1, 0),
                   "Expected parameter low (Tensor of shape ()) of distribution Uniform(low: 1.0, high: 0.0) to "
                   "satisfy the constraint LessThan(upper_bound=0.0), but found invalid values:\n1.0");
    expect_refusal(!distributions_Bernoulli(t_tensor(2.0)),
                   "Expected parameter probs (Tensor of shape ()) of distribution Bernoulli(probs: 2.0) to satisfy the "
                   "constraint Interval(lower_bound=0.0, upper_bound=1.0), but found invalid values:\n2.0");
    expect_refusal(!distributions_NegativeBinomial(2, t_tensor(1.0)),
                   "Expected parameter probs (Tensor of shape ()) of distribution NegativeBinomial(total_count: 2.0, "
                   "probs: 1.0) to satisfy the constraint HalfOpenInterval(lower_bound=0.0, upper_bound=1.0), but "
                   "found invalid values:\n1.0");
    expect_refusal(!distributions_FisherSnedecor(-1, 2),
                   "Expected parameter concentration (Tensor of shape ()) of distribution Gamma(concentration: -0.5, "
                   "rate: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\n"
                   "-0.5");
    expect_refusal(!distributions_ContinuousBernoulli(t_tensor(2.0), .validate_args = true),
                   "The parameter probs has invalid values");
    expect_refusal(!distributions_Categorical(t_tensor("[-1., 2.]")),
                   "Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs: "
                   "torch.Size([2])) to satisfy the constraint Simplex(), but found invalid values:\n"
                   "tensor([-1.,  2.])");
    expect_refusal(!distributions_Geometric(t_tensor("[0., 0.25]")),
                   "Expected parameter probs (Tensor of shape (2,)) of distribution Geometric(probs: torch.Size([2])) "
                   "to be positive but found invalid values:\ntensor([0.])");
    expect_refusal(!distributions_HalfNormal(-1),
                   "Expected parameter scale (Tensor of shape ()) of distribution HalfNormal() to satisfy the "
                   "constraint GreaterThan(lower_bound=0.0), but found invalid values:\n-1.0");
    expect_refusal(!distributions_Bernoulli(.validate_args = true),
                   "Either `probs` or `logits` must be specified, but not both.");
    expect_refusal(!distributions_Categorical(t_tensor(0.5)),
                   "`probs` parameter must be at least one-dimensional.");
    expect_refusal(!distributions_Independent(distributions_Normal(0, 1), 1),
                   "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual 1 vs 0");
    expect_refusal(!distributions_Normal(t_zeros(3), t_ones(2)),
                   "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
    Tensor *two = t_zeros(2), *ones = t_ones(2), *factor = t_ones(2, 1), *eye = t_eye(2);
    Distribution *pair = distributions_Categorical(t_ones(3, 2)), *normals = distributions_Normal(t_zeros(4, 2), 1);
    static const char matrices[] = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                                   "specified.";
    expect_refusal(!distributions_Independent(normals, -1), "reinterpreted_batch_ndims must be >= 0, got -1");
    expect_refusal(!distributions_MixtureSameFamily(pair, normals),
                   "`mixture_distribution.batch_shape` (torch.Size([3])) is not compatible with "
                   "`component_distribution.batch_shape`(torch.Size([4]))");
    expect_refusal(!distributions_MixtureSameFamily(distributions_Normal(t_zeros(3), 1), normals),
                   " The Mixture distribution needs to be an  instance of torch.distributions.Categorical");
    expect_refusal(!distributions_LowRankMultivariateNormal(two, factor, t_ones(3)),
                   "cov_diag must be a batch of vectors with shape torch.Size([2])");
    expect_refusal(!distributions_LowRankMultivariateNormal(two, factor, t_tensor(1.0)),
                   "cov_diag must be a batch of vectors with shape torch.Size([2])");
    expect_refusal(!distributions_MultivariateNormal(two, ones),
                   "covariance_matrix must be at least two-dimensional, with optional leading batch dimensions");
    expect_refusal(!distributions_MultivariateNormal(two, .precision_matrix = ones),
                   "precision_matrix must be at least two-dimensional, with optional leading batch dimensions");
    expect_refusal(!distributions_MultivariateNormal(two, .scale_tril = ones),
                   "scale_tril matrix must be at least two-dimensional, with optional leading batch dimensions");
    expect_refusal(!distributions_MultivariateNormal(two, .validate_args = true), matrices);
    expect_refusal(!distributions_MultivariateNormal(two, eye, eye), matrices);
    expect_refusal(!distributions_Wishart(3, .validate_args = true), matrices);
    expect_refusal(!distributions_Wishart(3, ones),
                   "scale_tril must be at least two-dimensional, with optional leading batch dimensions");
    HOLDS(distributions_Normal(0, -1, .validate_args = false));
    distributions_set_default_validate_args(false);
    HOLDS(distributions_Normal(0, -1));
    distributions_set_default_validate_args(true);
}
END_TEST

START_TEST(low_degrees_of_freedom_are_warned_about) {
    catch_warnings();
    Distribution *m = distributions_Wishart(1.5, t_eye(2));
    char *text = caught_warnings();
    ck_assert_ptr_nonnull(m);
    ck_assert_ptr_nonnull(strstr(text, "UserWarning: Low df values detected. Singular samples are highly likely to "
                                       "occur for ndim - 1 < df < ndim.\n"));
    free(text);
}
END_TEST

/* A matrix, a sample or the support with more than 8 dims. */
START_TEST(too_many_dims_are_refused) {
    Distribution *one_hot = distributions_OneHotCategorical(t_ones(1, 1, 1, 1, 1, 1, 1, 2));
    static const char refusal[] = "a shape has at most 8 dims";
    expect_refusal(!distributions_enumerate_support(one_hot), refusal);
    expect_refusal(!distributions_MultivariateNormal(t_zeros(1, 1, 1, 1, 1, 1, 1, 2), t_eye(2)), refusal);
    expect_refusal(!distributions_sample(one_hot, (3)), refusal);
    expect_refusal(!(distributions_sample)(NULL, NULL, 0), "argument 1 is NULL where a distribution is expected");
}
END_TEST

START_TEST(bad_values_have_pytorchs_errors) {
    expect_refusal(!distributions_log_prob(distributions_Uniform(0, 1), t_tensor("[2.]")),
                   "Expected value argument (Tensor of shape (1,)) to be within the support (Interval("
                   "lower_bound=0.0, upper_bound=1.0)) of the distribution Uniform(low: 0.0, high: 1.0), but found "
                   "invalid values:\ntensor([2.])");
    expect_refusal(!distributions_log_prob(distributions_Normal(t_zeros(2), 1), t_zeros(3)),
                   "Value is not broadcastable with batch_shape+event_shape: torch.Size([3]) vs torch.Size([2]).");
    expect_refusal(!distributions_log_prob(distributions_OneHotCategorical(t_ones(2)), t_zeros(3)),
                   "The right-most size of value must match event_shape: torch.Size([3]) vs torch.Size([2]).");
    expect_refusal(!distributions_log_prob(distributions_Categorical(t_ones(2)), t_tensor(5)),
                   "Expected value argument (Tensor of shape ()) to be within the support (IntegerInterval("
                   "lower_bound=0, upper_bound=1)) of the distribution Categorical(probs: torch.Size([2])), but found "
                   "invalid values:\n5");
    expect_refusal(!distributions_log_prob(distributions_Normal(0, 1), 0.5),
                   "The value argument to log_prob must be a Tensor");
    expect_refusal(!distributions_expand(distributions_Normal(t_zeros(3), 1), (2,)),
                   "The expanded size of the tensor (2) must match the existing size (3) at non-singleton "
                   "dimension 0.  Target sizes: [2].  Tensor sizes: [3]");
    expect_refusal(!distributions_rsample(distributions_Bernoulli(t_tensor(0.5))), "Bernoulli has no rsample");
    HOLDS(distributions_log_prob(distributions_Normal(0, 1, .validate_args = false), 0.5));
}
END_TEST

/* torch._dirichlet_grad near the mean, where the expansion for large concentrations is singular. */
START_TEST(gradients_of_a_beta_near_its_mean) {
    static const double rows[][4] = {{8, 12, 0, 0.05189192037981533},
                                     {8, 12, 1e-3, 0.05195752853604991},
                                     {30, 7, -2e-3, 0.027388225717172577},
                                     {500, 900, 0, 0.0007146939331113654},
                                     {7, 7, 0.004, 0.07517587151419983}};
    for (int i = 0; i < 5; i++) {
        const double alpha = rows[i][0], total = alpha + rows[i][1];
        ck_assert_double_eq_tol(tg_dirichlet_grad(alpha / total + rows[i][2], alpha, total), rows[i][3], 1e-14);
    }
}
END_TEST

/* PyTorch's loops have no end for them. */
START_TEST(draws_of_nan_are_nan) {
    Tensor *nan = t_tensor(NAN);
    HOLDS(isnan(t_item(t_binomial(nan, t_tensor(0.5)))) && isnan(t_item(t_binomial(t_tensor(9.), nan))));
    HOLDS(isnan(t_item(distributions_sample(distributions_Gamma(nan, 1, .validate_args = false)))));
}
END_TEST

/* ---- failing allocations ---- */

static Tensor *call_sample(Distribution *m, Tensor *value) { (void)value; return (distributions_sample)(m, NULL, 0); }
static Tensor *call_rsample(Distribution *m, Tensor *value) { (void)value; return (distributions_rsample)(m, NULL, 0); }
static Tensor *call_entropy(Distribution *m, Tensor *value) { (void)value; return (distributions_entropy)(m); }
static Tensor *call_mode(Distribution *m, Tensor *value) { (void)value; return (distributions_mode)(m); }
static Tensor *call_variance(Distribution *m, Tensor *value) { (void)value; return (distributions_variance)(m); }
static Tensor *call_stddev(Distribution *m, Tensor *value) { (void)value; return (distributions_stddev)(m); }
static Tensor *call_enumerate(Distribution *m, Tensor *value) {
    (void)value;
    return (distributions_enumerate_support)(m, true);
}
static Tensor *call_expand(Distribution *m, Tensor *value) {
    const t_Tuple *batch = distributions_batch_shape(m);
    int64_t shape[T_MAX_DIMS] = {2};
    for (int d = 0; d < batch->len; d++) shape[d + 1] = batch->items[d];
    Distribution *expanded = (distributions_expand)(m, shape, batch->len + 1);
    return expanded ? value : NULL;
}
static Tensor *call_support(Distribution *m, Tensor *value) {
    return (distributions_constraints_check)((distributions_support)(m), value);
}

/* Whether nothing failed: with the nth allocation failing, a new distribution and one call of it. A failed call has set
 * an error, left nothing behind, and the generator as it was. */
static bool survives(const char *label, int i, Tensor *(*call)(Distribution *, Tensor *), const Parameters *p,
                     Tensor *value, int64_t n) {
    const int64_t live = t_live_count();
    bool ok = false;
    t_manual_seed(SEED);
    with_scope() {
        tg_alloc_fail(n, false);
        Distribution *m = cases[i].make(p);
        ok = m && call(m, value);
        tg_alloc_fail(0, false);
    }
    if (!ok && !t_error() && error_count() == 0) note("%s: allocation %d: no error", label, (int)n);
    t_clear_error();
    clear_errors();
    if (t_live_count() != live) note("%s: allocation %d: something is left", label, (int)n);
    if (!ok && (float)t_item(t_rand(1)) != 0.88226926f) note("%s: allocation %d: has drawn", label, (int)n);
    return ok;
}

START_TEST(failed_allocations_are_errors) {
    static Tensor *(*const calls[])(Distribution *, Tensor *) = {
        call_sample, call_rsample, distributions_log_prob, distributions_cdf, call_entropy, call_mode, call_variance,
        call_stddev, call_enumerate, call_expand, call_support};
    char label[80];
    snprintf(label, sizeof label, "%s f", cases[_i].name);
    const char *section = golden_case(golden_file("distributions.txt"), label);
    Parameters p = {.count = 0};
    GoldenArray array;
    for (char name[8]; snprintf(name, sizeof name, "p%d", p.count), golden_array(section, name, &array);
         free(array.values))
        p.x[p.count++] = recorded_tensor(section, name, false);
    Tensor *value = recorded_tensor(section, "value", false);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        snprintf(label, sizeof label, "%s: call %d", cases[_i].name, (int)i);
        Distribution *m = cases[_i].make(&p);
        const bool defined = m && calls[i](m, value);
        t_clear_error();
        clear_errors();
        int64_t n = 1;
        while (defined && n < 2000 && !survives(label, _i, calls[i], &p, value, n)) n++;
        if (n == 2000) note("%s never succeeds", label);
    }
    report_notes();
}
END_TEST

/* ---- arguments of any shape ---- */

/* For the sanitizers: without validation the parameters and the value need not fit. */
START_TEST(any_shape_is_computed_or_refused) {
    static Tensor *(*const calls[])(Distribution *, Tensor *) = {
        call_sample, call_rsample, distributions_log_prob, distributions_cdf, distributions_icdf, call_entropy,
        call_mode, call_variance, call_enumerate, call_expand, call_support};
    enum { CALLS = sizeof calls / sizeof *calls };
    static const t_Tuple shapes[] = {{{0}, 0},    {{0}, 1},    {{1}, 1},     {{3}, 1},
                                     {{2, 0}, 2}, {{0, 2}, 2}, {{2, 2}, 2}, {{2, 0, 0}, 3}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    distributions_set_default_validate_args(false);
    for (int i = 0; i < SHAPES * SHAPES; i++)
        with_scope() {
            const t_Tuple *of_a = &shapes[i % SHAPES], *of_b = &shapes[i / SHAPES];
            Tensor *a = (t_full)(of_a->items, of_a->len, 0.75, NULL), *b = (t_full)(of_b->items, of_b->len, 0.75, NULL);
            Parameters p = {.x = {a, b, a}, .count = 3};
            Distribution *m = cases[_i].make(&p);
            if (!m && !t_error() && error_count() == 0) note("%s: parameters %d: no error", cases[_i].name, i);
            t_clear_error();
            clear_errors();
            for (int j = 0; m && j < SHAPES * CALLS; j++)
                with_scope() {
                    const t_Tuple *shape = &shapes[j / CALLS];
                    Tensor *value = (t_full)(shape->items, shape->len, 0.5, NULL);
                    if (!calls[j % CALLS](m, value) && !t_error() && error_count() == 0)
                        note("%s: parameters %d, value %d, call %d: no error", cases[_i].name, i, j / CALLS, j % CALLS);
                    t_clear_error();
                    clear_errors();
                }
        }
    distributions_set_default_validate_args(true);
    report_notes();
}
END_TEST

Suite *distributions_suite(void) {
    Suite *suite = suite_create("distributions");
    TCase *values = tcase_create("values"), *rest = tcase_create("rest");
    tcase_add_checked_fixture(values, support_setup, support_teardown);
    tcase_add_checked_fixture(rest, support_setup, support_teardown);
    tcase_add_loop_test(values, values_are_pytorchs, 0, COUNT);
    tcase_add_test(rest, texts_are_pytorchs);
    tcase_add_test(rest, parameters_by_name);
    tcase_add_test(rest, probabilities_by_name);
    tcase_add_test(rest, a_gamma_takes_numbers);
    tcase_add_test(rest, matrices_by_name);
    tcase_add_test(rest, what_a_distribution_has);
    tcase_add_test(rest, bad_parameters_have_pytorchs_errors);
    tcase_add_test(rest, low_degrees_of_freedom_are_warned_about);
    tcase_add_test(rest, too_many_dims_are_refused);
    tcase_add_test(rest, bad_values_have_pytorchs_errors);
    tcase_add_test(rest, draws_of_nan_are_nan);
    tcase_add_test(rest, gradients_of_a_beta_near_its_mean);
    tcase_add_loop_test(rest, failed_allocations_are_errors, 0, COUNT);
    tcase_add_loop_test(rest, any_shape_is_computed_or_refused, 0, COUNT);
    suite_add_tcase(suite, values);
    suite_add_tcase(suite, rest);
    return suite;
}
