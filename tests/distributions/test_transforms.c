/* tests/distributions/test_transforms.c: every transform, its inverse, the logarithm of its Jacobian's determinant and
 * their gradients against PyTorch's (golden/transforms.txt, written by record_distributions.py, which has constructors
 * of the same names); biject_to and transform_to among them. */
#include <stdio.h>
#include <stdlib.h>

#include "core/distributions/distributions.h"
#include "core/tensor/tensor.h"
#include "tests/support/support.h"

typedef distributions_Transform Transform;
typedef distributions_Constraint Constraint;

static Constraint *cat_constraint(void) {
    Constraint *parts[] = {distributions_constraints_positive(), distributions_constraints_real()};
    return distributions_constraints_cat(parts, 2, 1, (int64_t[]){1, 2});
}
static Constraint *stack_constraint(void) {
    Constraint *parts[] = {distributions_constraints_positive(), distributions_constraints_unit_interval()};
    return distributions_constraints_stack(parts, 2, 0);
}

#define CASES(X)                                                                                                    \
    X(stick_breaking, distributions_StickBreakingTransform())                                                       \
    X(softmax, distributions_SoftmaxTransform())                                                                    \
    X(lower_cholesky, distributions_LowerCholeskyTransform())                                                       \
    X(positive_definite, distributions_PositiveDefiniteTransform())                                                 \
    X(corr_cholesky, distributions_CorrCholeskyTransform())                                                         \
    X(reshape, distributions_ReshapeTransform((2, 2), (4)))                                                         \
    X(independent, distributions_IndependentTransform(distributions_ExpTransform(), 1))                             \
    X(cat, distributions_CatTransform((distributions_ExpTransform(), distributions_TanhTransform()), .dim = -1,     \
                                      .lengths = {2, 1}))                                                           \
    X(cat_events, distributions_CatTransform((distributions_IndependentTransform(distributions_ExpTransform(), 1),  \
                                              distributions_AffineTransform(1, 2, .event_dim = 1))))                \
    X(stack, distributions_StackTransform((distributions_ExpTransform(), distributions_identity_transform(),        \
                                           distributions_AffineTransform(1, -2)), .dim = 1))                        \
    X(cdf, distributions_CumulativeDistributionTransform(distributions_Normal(0.5, 2)))                             \
    X(to_positive, distributions_biject_to(distributions_constraints_positive()))                                   \
    X(to_greater_than, distributions_biject_to(distributions_constraints_greater_than(t_number(1.5))))              \
    X(to_less_than, distributions_transform_to(distributions_constraints_less_than(t_number(-1.5))))                \
    X(to_unit_interval, distributions_biject_to(distributions_constraints_unit_interval()))                         \
    X(to_interval, distributions_transform_to(distributions_constraints_interval(t_number(-1), t_number(2))))       \
    X(to_simplex, distributions_biject_to(distributions_constraints_simplex()))                                     \
    X(to_simplex_softmax, distributions_transform_to(distributions_constraints_simplex()))                          \
    X(to_independent, distributions_biject_to(                                                                      \
        distributions_constraints_independent(distributions_constraints_positive(), 1)))                            \
    X(to_lower_cholesky, distributions_transform_to(distributions_constraints_lower_cholesky()))                    \
    X(to_positive_definite, distributions_transform_to(distributions_constraints_positive_definite()))              \
    X(to_corr_cholesky, distributions_biject_to(distributions_constraints_corr_cholesky()))                         \
    X(to_cat, distributions_biject_to(cat_constraint()))                                                            \
    X(to_stack, distributions_biject_to(stack_constraint()))
#define MAKE(name, expression)                \
    static Transform *make_##name(void) {     \
        return expression;                    \
    }
#define ROW(name, expression) {#name, make_##name},
CASES(MAKE)
static const struct {
    const char *name;
    Transform *(*make)(void);
} cases[] = {CASES(ROW)};
enum { COUNT = sizeof cases / sizeof *cases };

static Tensor *weighted(Tensor *y) {
    Tensor *weights = t_add(t_div(t_arange(t_numel(y), .dtype = t_float64), 8.0), 1);
    return t_sum(t_mul(t_reshape(y, -1), t_to(weights, t_dtype(y))));
}

/* The value of this name, and its gradient with respect to x as name.d0. NULL where PyTorch has none. */
static void compare(const char *label, const char *name, Tensor *got, Tensor *x, const char *section) {
    GoldenArray want;
    char what[120], gradient[40];
    snprintf(what, sizeof what, "%s: %s", label, name);
    snprintf(gradient, sizeof gradient, "%s.d0", name);
    ck_assert_msg(golden_array(section, name, &want), "%s was not recorded", what);
    if (want.present != (got != NULL)) note("%s: %s", what, got ? "PyTorch has none" : last_error_text());
    else if (got) compare_to_golden(what, got, &want, VALUE);
    t_clear_error();
    clear_errors();
    free(want.values);
    if (!got || !x || !golden_array(section, gradient, &want)) return;
    t_set_grad(x, NULL);
    t_backward(weighted(got));
    compare_to_golden(what, t_grad(x), &want, GRADIENT);
    free(want.values);
}

static void check_transform(int i, t_DType dtype) {
    char label[80];
    GoldenArray array;
    snprintf(label, sizeof label, "%s %c", cases[i].name, dtype == t_float32 ? 'f' : 'd');
    const char *section = golden_case(golden_file("transforms.txt"), label);
    ck_assert_msg(section && golden_array(section, "x", &array), "%s was not recorded", label);
    Tensor *x = t_to(t_tensor_from_data(array.values, t_float64, array.shape, array.ndim, NULL), dtype);
    free(array.values);
    t_requires_grad_(x, true);
    Transform *transform = cases[i].make();
    ck_assert_msg(transform != NULL, "%s: %s", label, last_error_text());
    Tensor *y = distributions_call(transform, x);
    compare(label, "y", y, x, section);
    compare(label, "inverse", distributions_call(distributions_inv(transform), t_detach(y)), NULL, section);
    Tensor *again = distributions_call(transform, x);
    compare(label, "jacobian", distributions_log_abs_det_jacobian(transform, x, again), x, section);
    compare(label, "valid", distributions_constraints_check(distributions_codomain(transform), y), NULL, section);
}

START_TEST(transforms_are_pytorchs) {
    check_transform(_i, t_float32);
    check_transform(_i, t_float64);
    report_notes();
}
END_TEST

/* The batch and event shapes of a distribution transformed by each; PyTorch's. */
START_TEST(shapes_of_transformed_distributions) {
    typedef distributions_Distribution Distribution;
    Distribution *row = distributions_Normal(t_zeros(2), 1), *rows = distributions_Normal(t_zeros(2, 3), 1);
    Distribution *matrices = distributions_Normal(t_zeros(2, 3, 3), 1);
    Transform *exp = distributions_ExpTransform(), *tanh = distributions_TanhTransform();
    Transform *exps = distributions_IndependentTransform(exp, 1), *corr = distributions_CorrCholeskyTransform();
    Transform *sticks = distributions_StickBreakingTransform();
    struct { Distribution *base; Transform *transform; const char *batch, *event; } cases_of[] = {
        {row, distributions_CatTransform((exp, tanh)), "torch.Size([2])", "torch.Size([])"},
        {row, distributions_StackTransform((exp, tanh)), "torch.Size([2])", "torch.Size([])"},
        {rows, distributions_CatTransform((exps, exps)), "torch.Size([2])", "torch.Size([3])"},
        {rows, distributions_StackTransform((exps, exps), .dim = -2), "torch.Size([])", "torch.Size([2, 3])"},
        {rows, distributions_IndependentTransform(sticks, 1), "torch.Size([])", "torch.Size([2, 4])"},
        {rows, corr, "torch.Size([2])", "torch.Size([3, 3])"},
        {matrices, distributions_inv(corr), "torch.Size([2])", "torch.Size([3])"},
        {row, distributions_IndependentTransform(distributions_AffineTransform(1, -2), 1), "torch.Size([])",
         "torch.Size([2])"},
    };
    for (size_t i = 0; i < sizeof cases_of / sizeof *cases_of; i++) {
        Distribution *m = distributions_TransformedDistribution(cases_of[i].base, (cases_of[i].transform));
        const t_Tuple *batch = m ? distributions_batch_shape(m) : NULL;
        const t_Tuple *event = m ? distributions_event_shape(m) : NULL;
        if (!m || strcmp(t_format("torch.Size(%s)", tg_shape_text(batch->items, batch->len)), cases_of[i].batch) != 0 ||
            strcmp(t_format("torch.Size(%s)", tg_shape_text(event->items, event->len)), cases_of[i].event) != 0)
            note("case %d: %s", (int)i, m ? "another shape" : t_error());
    }
    expect_refusal(!distributions_TransformedDistribution(rows, (distributions_inv(corr))), "Input is not square");
    expect_refusal(!distributions_TransformedDistribution(distributions_Normal(t_zeros(4), 1), (corr)),
                   "Input is not a flattened lower-diagonal number");
    report_notes();
}
END_TEST

/* A decreasing transform turns the distribution around: 1 - cdf. PyTorch's numbers, but for IndependentTransform, whose
 * sign PyTorch does not implement. */
START_TEST(compositions_have_a_sign) {
    typedef distributions_Distribution Distribution;
    Transform *falling = distributions_AffineTransform(1, -2);
    Transform *composed = distributions_ComposeTransform((falling, distributions_ExpTransform()));
    Distribution *m = distributions_TransformedDistribution(distributions_Uniform(t_zeros(2), 1), (composed));
    HOLDS(t_allclose(distributions_cdf(m, t_tensor("[1., 0.5]")), t_tensor("[0.5, 0.15342641]"), .rtol = 1e-5));
    HOLDS(t_allclose(distributions_icdf(m, t_tensor("[0.2, 0.5]")), t_tensor("[0.54881164, 1.]"), .rtol = 1e-5));
    m = distributions_TransformedDistribution(distributions_Uniform(t_zeros(2), 1),
                                              (distributions_IndependentTransform(falling, 0)));
    HOLDS(t_allclose(distributions_cdf(m, t_tensor("[0., 0.5]")), t_tensor("[0.5, 0.75]"), .rtol = 1e-5));
    HOLDS(t_equal(distributions_call(distributions_inv(distributions_AbsTransform()), t_tensor("[1., 2]")),
                  t_tensor("[1., 2]")));
}
END_TEST

START_TEST(bad_input_is_refused) {
    Tensor *x = t_randn(2, 4);
    expect_refusal(!distributions_call(distributions_CorrCholeskyTransform(), x),
                   "Input is not a flattened lower-diagonal number");
    expect_refusal(!distributions_call(distributions_inv(distributions_CorrCholeskyTransform()), x),
                   "Input is not square");
    expect_refusal(!distributions_call(distributions_LowerCholeskyTransform(), t_randn(3)),
                   "Too few dimensions on input");
    expect_refusal(!distributions_ReshapeTransform((2, 2), (3)),
                   "in_shape, out_shape have different numbers of elements");
    expect_refusal(!distributions_call(distributions_ReshapeTransform((2, 2), (4)), x),
                   "Shape mismatch: expected torch.Size([2, 4]) but got torch.Size([2, 2])");
    expect_refusal(!distributions_call(distributions_StackTransform((distributions_ExpTransform())), x),
                   "x.size(0) = 2 must equal 1, the length of the transforms");
    expect_refusal(!distributions_call(distributions_CatTransform((distributions_ExpTransform()), .dim = 5), x),
                   "dim 5 out of range for tensor with 2 dimensions");
    expect_refusal(!distributions_call(distributions_IndependentTransform(distributions_ExpTransform(), 3), x),
                   "Too few dimensions on input");
    expect_refusal(!distributions_biject_to(distributions_constraints_lower_cholesky()),
                   "Cannot transform _LowerCholesky constraints");
    expect_refusal(!distributions_transform_to(distributions_constraints_boolean()),
                   "Cannot transform _Boolean constraints");
    expect_refusal(!distributions_biject_to(distributions_constraints_positive_definite()),
                   "Cannot transform _PositiveDefinite constraints");
    expect_refusal(!distributions_CatTransform((distributions_ExpTransform()), .lengths = {-1}),
                   "lengths[0] is -1, which is negative");
    expect_refusal(!distributions_IndependentTransform(distributions_ExpTransform(), -1),
                   "reinterpreted_batch_ndims must be from 0 to 8, got -1");
    expect_refusal(!distributions_call(distributions_ExpTransform(), t_to(x, t_bfloat16)),
                   "not implemented for 'BFloat16'");
    expect_refusal(!distributions_AffineTransform(0, 1, .event_dim = 9), "event_dim must be from 0 to 8, got 9");
    Transform *affine = distributions_AffineTransform(0, t_tensor(2.0), .event_dim = 1);
    expect_refusal(!distributions_log_abs_det_jacobian(affine, t_ones(3), t_ones(3)),
                   "a scale of 0 dims has no event of 1 dims");
    expect_refusal(!distributions_LKJCholesky(1),
                   "Expected dim to be an integer greater than or equal to 2. Found dim=1.");
    expect_refusal(!distributions_Wishart(1, t_eye(2)),
                   "Value of df=1.0 expected to be greater than ndim - 1 = 1.");
    expect_refusal(!distributions_LowRankMultivariateNormal(t_zeros(3), t_ones(2, 1), t_ones(3)),
                   "cov_factor must be a batch of matrices with shape 3 x m");
}
END_TEST

/* ---- failing allocations, and arguments of any shape ---- */

static Tensor *call_forward(Transform *t, Tensor *x, Tensor *y) { (void)y; return distributions_call(t, x); }
static Tensor *call_inverse(Transform *t, Tensor *x, Tensor *y) {
    (void)x;
    Transform *inverse = distributions_inv(t);
    return inverse ? distributions_call(inverse, y) : NULL;
}
static Tensor *call_jacobian(Transform *t, Tensor *x, Tensor *y) {
    return distributions_log_abs_det_jacobian(t, x, y);
}
static Tensor *call_domain(Transform *t, Tensor *x, Tensor *y) {
    (void)y;
    Constraint *domain = distributions_domain(t);
    return domain ? distributions_constraints_check(domain, x) : NULL;
}
static Tensor *call_codomain(Transform *t, Tensor *x, Tensor *y) {
    (void)x;
    Constraint *codomain = distributions_codomain(t);
    return codomain ? distributions_constraints_check(codomain, y) : NULL;
}
static Tensor *(*const calls[])(Transform *, Tensor *, Tensor *) = {call_forward, call_inverse, call_jacobian,
                                                                    call_domain, call_codomain};
enum { CALLS = sizeof calls / sizeof *calls };

/* Whether a new transform and one call of it succeed, with the nth allocation failing (0: none); a call that fails has
 * set an error, and none leaves anything behind. */
static bool survives(int i, int call, Tensor *x, Tensor *y, int64_t n) {
    const int64_t live = t_live_count();
    bool ok = false;
    with_scope() {
        tg_alloc_fail(n, false);
        Transform *transform = cases[i].make();
        ok = transform && calls[call](transform, x, y);
        tg_alloc_fail(0, false);
    }
    if (!ok && !t_error() && error_count() == 0)
        note("%s: call %d of %s, allocation %d: no error", cases[i].name, call, tg_shape_of(x), (int)n);
    t_clear_error();
    clear_errors();
    if (t_live_count() != live) note("%s: call %d, allocation %d: something is left", cases[i].name, call, (int)n);
    return ok;
}

START_TEST(failed_allocations_are_errors) {
    char label[80];
    GoldenArray array;
    snprintf(label, sizeof label, "%s f", cases[_i].name);
    ck_assert(golden_array(golden_case(golden_file("transforms.txt"), label), "x", &array));
    Tensor *x = t_to(t_tensor_from_data(array.values, t_float64, array.shape, array.ndim, NULL), t_float32);
    free(array.values);
    Tensor *y = distributions_call(cases[_i].make(), x);
    for (int call = 0; call < CALLS; call++) {
        int64_t n = 1;
        if (!survives(_i, call, x, y, 0)) continue;
        while (n < 2000 && !survives(_i, call, x, y, n)) n++;
        if (n == 2000) note("%s: call %d never succeeds", cases[_i].name, call);
    }
    report_notes();
}
END_TEST

/* For the sanitizers: x and y need not fit the transform, nor each other. */
START_TEST(any_shape_is_computed_or_refused) {
    static const t_Tuple shapes[] = {{{0}, 0},    {{0}, 1},    {{1}, 1},    {{3}, 1},      {{2, 0}, 2},
                                     {{0, 2}, 2}, {{2, 3}, 2}, {{3, 3}, 2}, {{2, 0, 0}, 3}, {{2, 1, 4}, 3}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    for (int i = 0; i < SHAPES * SHAPES * CALLS; i++)
        with_scope() {
            const t_Tuple *of_x = &shapes[i / CALLS % SHAPES], *of_y = &shapes[i / CALLS / SHAPES];
            Tensor *x = (t_full)(of_x->items, of_x->len, 0.5, NULL), *y = (t_full)(of_y->items, of_y->len, 0.5, NULL);
            survives(_i, i % CALLS, x, y, 0);
        }
    report_notes();
}
END_TEST

START_TEST(inverses_and_jacobians) {
    Tensor *x = t_tensor("[-1.5, -0.25, 0.5, 2]", .dtype = t_float64, .requires_grad = true), *y;
    Transform *of[] = {
        distributions_ExpTransform(), distributions_SigmoidTransform(), distributions_TanhTransform(),
        distributions_SoftplusTransform(), distributions_AffineTransform(0.5, -2),
        distributions_AffineTransform(t_tensor("[1., 2, 3, 4]", .dtype = t_float64), 0.5),
        distributions_ComposeTransform((distributions_AffineTransform(1, 2), distributions_SigmoidTransform(),
                                        distributions_PowerTransform(t_tensor(3.0, .dtype = t_float64)))),
        distributions_inv(distributions_inv(distributions_TanhTransform())),
        distributions_inv(distributions_ComposeTransform((distributions_inv(distributions_TanhTransform()),
                                                          distributions_AffineTransform(1, 2)))),
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        y = distributions_call(of[i], x);
        HOLDS(t_allclose(distributions_call(distributions_inv(of[i]), y), x, .rtol = 1e-9, .atol = 1e-9));
        Tensor *jacobian = distributions_log_abs_det_jacobian(of[i], x, y);
        Tensor *dy = t_list_get(t_autograd_grad(t_sum(y), x), 0);
        HOLDS(t_allclose(jacobian, t_log(t_abs(dy)), .rtol = 1e-9, .atol = 1e-9));
        Tensor *backwards = distributions_log_abs_det_jacobian(distributions_inv(of[i]), y, x);
        HOLDS(t_allclose(backwards, t_neg(jacobian), .rtol = 1e-9, .atol = 1e-9));
    }
    ck_assert_str_eq(distributions_constraints_str(distributions_codomain(distributions_TanhTransform())),
                     "Interval(lower_bound=-1.0, upper_bound=1.0)");
    ck_assert_str_eq(distributions_constraints_str(distributions_domain(distributions_inv(of[0]))),
                     "GreaterThan(lower_bound=0.0)");
}
END_TEST

Suite *transforms_suite(void) {
    Suite *suite = suite_create("transforms");
    TCase *values = tcase_create("values");
    tcase_add_checked_fixture(values, support_setup, support_teardown);
    tcase_add_loop_test(values, transforms_are_pytorchs, 0, COUNT);
    tcase_add_test(values, inverses_and_jacobians);
    tcase_add_test(values, shapes_of_transformed_distributions);
    tcase_add_test(values, compositions_have_a_sign);
    tcase_add_test(values, bad_input_is_refused);
    tcase_add_loop_test(values, failed_allocations_are_errors, 0, COUNT);
    tcase_add_loop_test(values, any_shape_is_computed_or_refused, 0, COUNT);
    suite_add_tcase(suite, values);
    return suite;
}
