/* tests/distributions/test_kl.c: kl_divergence of every pair of distributions, with its gradients, against PyTorch's
 * (golden/kl.txt, written by record_distributions.py); also which pairs it has no formula for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/distributions/distributions.h"
#include "tests/support/support.h"

typedef distributions_Distribution Distribution;

#define CASES(X)                                                                    \
    X(normal, distributions_Normal(a, b))                                           \
    X(log_normal, distributions_LogNormal(a, b))                                    \
    X(half_normal, distributions_HalfNormal(b))                                     \
    X(uniform, distributions_Uniform(a, t_add(a, b)))                               \
    X(exponential, distributions_Exponential(b))                                    \
    X(laplace, distributions_Laplace(a, b))                                         \
    X(cauchy, distributions_Cauchy(a, b))                                           \
    X(gumbel, distributions_Gumbel(a, b))                                           \
    X(bernoulli, distributions_Bernoulli(u))                                        \
    X(geometric, distributions_Geometric(u))                                        \
    X(categorical, distributions_Categorical(.logits = a))                          \
    X(one_hot_categorical, distributions_OneHotCategorical(b))                      \
    X(independent, distributions_Independent(distributions_Laplace(a, b), 1))       \
    X(gamma, distributions_Gamma(b, u))                                             \
    X(chi2, distributions_Chi2(b))                                                  \
    X(beta, distributions_Beta(b, u))                                               \
    X(dirichlet, distributions_Dirichlet(b))                                        \
    X(poisson, distributions_Poisson(b))                                            \
    X(binomial, distributions_Binomial(t_type_as(t_tensor("[3, 5, 9]"), u), u))     \
    X(multivariate_normal,                                                          \
      distributions_MultivariateNormal(a, t_add(t_diag_embed(b, 0, -2, -1), 0.125))) \
    X(unit_uniform, distributions_Uniform(t_div(u, 4), t_div(u, 2)))                \
    X(half_cauchy, distributions_HalfCauchy(b))                                     \
    X(inverse_gamma, distributions_InverseGamma(b, u))                              \
    X(pareto, distributions_Pareto(u, t_mul(b, 2)))                                 \
    X(continuous_bernoulli, distributions_ContinuousBernoulli(u))                   \
    X(continuous_bernoulli_logits, distributions_ContinuousBernoulli(.logits = b))  \
    X(von_mises, distributions_VonMises(a, b))                                      \
    X(low_rank, distributions_LowRankMultivariateNormal(a, t_unsqueeze(b, -1), u))  \
    X(wishart, distributions_Wishart(t_add(t_select(t_reshape(u, -1), 0, 0), 3.5),  \
                                     t_add(t_diag_embed(t_select(b, 0, 0), 0, -2, -1), 0.125)))
#define MAKE(name, expression)                                                      \
    static Distribution *make_##name(Tensor *const *x) {                            \
        Tensor *a = x[0], *b = x[1], *u = x[2];                                     \
        (void)a, (void)b, (void)u;                                                  \
        return expression;                                                          \
    }
#define ROW(name, expression) {#name, make_##name},
CASES(MAKE)
static const struct {
    const char *name;
    Distribution *(*make)(Tensor *const *x);
} cases[] = {CASES(ROW)};
enum { COUNT = sizeof cases / sizeof *cases };

static Tensor *leaf(const char *name, t_DType dtype) {
    GoldenArray array;
    ck_assert(golden_array(golden_case(golden_file("kl.txt"), "inputs"), name, &array));
    Tensor *x = t_to(t_tensor_from_data(array.values, t_float64, array.shape, array.ndim, NULL), dtype);
    free(array.values);
    t_requires_grad_(x, true);
    return x;
}

static Tensor *weighted(Tensor *y) {
    Tensor *weights = t_add(t_div(t_arange(t_numel(y), .dtype = t_float64), 8.0), 1);
    return t_sum(t_mul(t_reshape(y, -1), t_to(weights, t_dtype(y))));
}

static void check_gradients(const char *label, Tensor *y, Tensor *const *leaves, const char *section) {
    char line[16];
    GoldenArray want;
    if (!golden_array(section, "kl.d0", &want)) return;
    free(want.values);
    t_backward(weighted(y));
    for (int i = 0; i < 6; i++) {
        snprintf(line, sizeof line, "kl.d%d", i);
        ck_assert(golden_array(section, line, &want));
        Tensor *grad = t_grad(leaves[i]);
        if (want.present) compare_to_golden(label, grad, &want, GRADIENT);
        else if (grad && t_item(t_max(t_abs(grad))) != 0 && strncmp(label, "wishart wishart", 15) != 0)
            note("%s: %s is not zero", label, line);
        free(want.values);
    }
}

static void check_pair(int i, int j, t_DType dtype) {
    char label[80];
    Tensor *leaves[] = {leaf("p0", dtype), leaf("p1", dtype), leaf("p2", dtype),
                        leaf("q0", dtype), leaf("q1", dtype), leaf("q2", dtype)};
    snprintf(label, sizeof label, "%s %s %c", cases[i].name, cases[j].name, dtype == t_float32 ? 'f' : 'd');
    const char *section = golden_case(golden_file("kl.txt"), label);
    GoldenArray want;
    ck_assert_msg(golden_array(section, "kl", &want), "%s was not recorded", label);
    Tensor *y = distributions_kl_divergence(cases[i].make(leaves), cases[j].make(leaves + 3));
    if (want.present != (y != NULL)) note("%s: %s", label, y ? "PyTorch has none" : last_error_text());
    else if (y) {
        compare_to_golden(label, y, &want, VALUE);
        check_gradients(label, y, leaves, section);
    }
    t_clear_error();
    clear_errors();
    free(want.values);
}

START_TEST(divergences_are_pytorchs) {
    for (int j = 0; j < COUNT; j++) {
        check_pair(_i, j, t_float32);
        check_pair(_i, j, t_float64);
    }
    report_notes();
}
END_TEST

static Tensor *kl_of_wisharts(t_TensorList *x, void *context) {
    (void)context;
    Distribution *p = distributions_Wishart(t_list_get(x, 0), .scale_tril = t_tril(t_list_get(x, 1)));
    Distribution *q = distributions_Wishart(t_list_get(x, 2), .scale_tril = t_tril(t_list_get(x, 3)));
    return distributions_kl_divergence(p, q);
}

/* PyTorch has no gradient of the first Wishart's parameters, and adds up the batch. */
START_TEST(wisharts_have_all_gradients_and_a_batch) {
    t_manual_seed(1);
    Tensor *x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = i % 2 ? t_add(t_eye(2, .dtype = t_float64), t_mul(t_rand(2, 2, 2, .dtype = t_float64), 0.5))
                     : t_add(t_rand(2, .dtype = t_float64), 2);
        t_requires_grad_(x[i], true);
    }
    HOLDS(t_gradcheck(kl_of_wisharts, t_list_new(x, 4)));
    Tensor *both = kl_of_wisharts(t_list_new(x, 4), NULL);
    for (int i = 0; i < 2; i++) {
        Tensor *one[4];
        for (int j = 0; j < 4; j++) one[j] = t_select(x[j], 0, i);
        HOLDS(t_allclose(t_select(both, 0, i), kl_of_wisharts(t_list_new(one, 4), NULL)));
    }
}
END_TEST

START_TEST(pairs_without_a_formula_are_refused) {
    ck_assert_ptr_null(distributions_kl_divergence(distributions_Cauchy(0, 1), distributions_Laplace(0, 1)));
    expect_error("No KL(p || q) is implemented for p type Cauchy and q type Laplace");
}
END_TEST

static Distribution *moved_normal(double loc, double scale) {
    return distributions_TransformedDistribution(
        distributions_Normal(loc, 1), (distributions_ComposeTransform((distributions_AffineTransform(1, scale),
                                                                       distributions_ExpTransform()))));
}

/* Pairs of one family that have no divergence, with PyTorch's texts where it has one. */
START_TEST(pairs_that_do_not_fit_are_refused) {
    Tensor *half = t_tensor(0.5);
    Distribution *normal = distributions_Normal(t_zeros(2, 2), 1);
    expect_refusal(!distributions_kl_divergence(distributions_Binomial(2, half), distributions_Binomial(3, half)),
                   "KL between Binomials where q.total_count > p.total_count is not implemented");
    HOLDS(isinf(t_item(distributions_kl_divergence(distributions_Binomial(3, half), distributions_Binomial(2, half)))));
    expect_refusal(!distributions_kl_divergence(distributions_Independent(normal, 1),
                                                distributions_Independent(normal, 2)),
                   "kl_divergence of Independent requires the same reinterpreted_batch_ndims, got 1 and 2");
    expect_refusal(!distributions_kl_divergence(
                       distributions_LowRankMultivariateNormal(t_zeros(2), t_ones(2, 1), t_ones(2)),
                       distributions_LowRankMultivariateNormal(t_zeros(3), t_ones(3, 1), t_ones(3))),
                   "KL-divergence between two Low Rank Multivariate Normals with different event shapes cannot be "
                   "computed");
    expect_refusal(!distributions_kl_divergence(distributions_MultivariateNormal(t_zeros(2), t_eye(2)),
                                                distributions_MultivariateNormal(t_zeros(3), t_eye(3))),
                   "KL-divergence between two Multivariate Normals with different event shapes cannot be computed");
    expect_refusal(!distributions_kl_divergence(distributions_Wishart(3, t_eye(2)),
                                                distributions_Wishart(3, t_eye(3))),
                   "KL-divergence between two Wisharts with different event shapes cannot be computed");
    HOLDS(t_item(distributions_kl_divergence(moved_normal(0, 2), moved_normal(1, 2))) == 0.5);
    expect_refusal(!distributions_kl_divergence(moved_normal(0, 2), moved_normal(1, 3)),
                   "kl_divergence of two TransformedDistributions requires the same transforms and events");
}
END_TEST

Suite *kl_suite(void) {
    Suite *suite = suite_create("kl");
    TCase *values = tcase_create("values");
    tcase_add_checked_fixture(values, support_setup, support_teardown);
    tcase_add_loop_test(values, divergences_are_pytorchs, 0, COUNT);
    tcase_add_test(values, wisharts_have_all_gradients_and_a_batch);
    tcase_add_test(values, pairs_without_a_formula_are_refused);
    tcase_add_test(values, pairs_that_do_not_fit_are_refused);
    suite_add_tcase(suite, values);
    return suite;
}
