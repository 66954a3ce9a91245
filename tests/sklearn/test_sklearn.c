/* tests/sklearn/test_sklearn.c: splits, scaled values and texts of errors of scikit-learn
 * (tests/golden/record_sklearn.py), and failing allocations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/python/python.h"
#include "core/sklearn/sklearn.h"
#include "core/tensor/tensor.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- the recorded calls, in the order of record_sklearn.py ---- */

static Tensor *labels(int64_t n, int64_t classes) {
    int64_t *items = malloc((size_t)n * sizeof *items);
    for (int64_t i = 0; i < n; i++) items[i] = (i * i + i / 2) % (classes + 2) % classes;
    Tensor *x = t_tensor(items, n);
    free(items);
    return x;
}

#define SPLIT(n, ...) sklearn_train_test_split((t_arange(n), ), (&parts[0], &parts[1]), __VA_ARGS__)
enum { SPLITS = 24 };

static bool split_case(int i, Tensor **parts) {
    switch (i) {
    case 0: return SPLIT(10, .random_state = 0);
    case 1: return SPLIT(10, .test_size = 0.2, .random_state = 42);
    case 2: return SPLIT(10, .test_size = 3, .random_state = 1);
    case 3: return SPLIT(10, .train_size = 0.6, .random_state = 2);
    case 4: return SPLIT(10, .train_size = 4, .test_size = 0.3, .random_state = 3);
    case 5: return SPLIT(11, .test_size = 0.33, .random_state = 4294967295);
    case 6: return SPLIT(10, .shuffle = false);
    case 7: return SPLIT(1000, .test_size = 0.001, .random_state = 7);
    case 8: return SPLIT(30, .stratify = labels(30, 2), .random_state = 0);
    case 9: return SPLIT(31, .stratify = labels(31, 3), .test_size = 0.2, .random_state = 42);
    case 10: return SPLIT(50, .stratify = labels(50, 4), .test_size = 10, .train_size = 21, .random_state = 5);
    case 11: return SPLIT(97, .stratify = labels(97, 5), .test_size = 0.4, .random_state = 11);
    case 12: return SPLIT(10, .test_size = 1.5);
    case 13: return SPLIT(10, .test_size = 10);
    case 14: return SPLIT(10, .test_size = 0.7, .train_size = 0.6);
    case 15: return SPLIT(10, .test_size = 6, .train_size = 6);
    case 16: return SPLIT(2, .test_size = 0.9);
    case 17: return SPLIT(1, .shuffle = true);
    case 18: return SPLIT(10, .test_size = -1);
    case 19: return SPLIT(10, .stratify = labels(10, 2), .shuffle = false);
    case 20: return SPLIT(20, .stratify = labels(20, 5), .test_size = 3, .random_state = 6);
    case 21: return SPLIT(50, .stratify = labels(50, 4), .train_size = 2);
    case 22: return SPLIT(50, .stratify = labels(50, 4), .test_size = 2);
    default: return SPLIT(10, .random_state = -1);
    }
}

static Tensor *data(t_DType dtype) {
    return t_tensor("[[1, -2, 5, 0.1], [2, 0.5, 5, 0.2], [4, nan, 5, 0.3], [-8.25, 3, 5, 1e6]]", .dtype = dtype);
}

enum { SCALES = 28 };

static Tensor *scale_case(int i) {
    if (i == 26) return sklearn_fit_transform(sklearn_StandardScaler(), t_view(t_arange(12), 6, 2));
    if (i == 27) {
        const char *const texts[] = {"b", "a", "c", "a"};
        return sklearn_fit_transform(sklearn_LabelEncoder(), pd_Series_of_texts(texts, 4, NULL));
    }
    Tensor *x = data(i < 13 ? t_float64 : t_float32);
    sklearn_StandardScaler *s = sklearn_StandardScaler();
    sklearn_MinMaxScaler *m = sklearn_MinMaxScaler();
    ck_assert(sklearn_fit(s, x) && sklearn_fit(m, x));
    switch (i % 13) {
    case 0: return s->mean_;
    case 1: return s->scale_;
    case 2: return s->var_;
    case 3: return sklearn_transform(s, x);
    case 4: return sklearn_inverse_transform(s, sklearn_transform(s, x));
    case 5: return sklearn_fit_transform(sklearn_StandardScaler(.with_mean = false), x);
    case 6: return sklearn_fit_transform(sklearn_StandardScaler(.with_std = false), x);
    case 7: return m->min_;
    case 8: return m->scale_;
    case 9: return sklearn_transform(m, x);
    case 10: return sklearn_inverse_transform(m, sklearn_transform(m, x));
    case 11: return sklearn_fit_transform(sklearn_MinMaxScaler(.feature_range = {-1, 3}), x);
    default: {
        sklearn_MinMaxScaler *clipped = sklearn_MinMaxScaler(.clip = true);
        ck_assert(sklearn_fit(clipped, t_at(x, ":2")));
        return sklearn_transform(clipped, x);
    }
    }
}

/* ---- against scikit-learn ---- */

static void result_of(const char *name, int i, char *to, size_t size) {
    char key[40];
    snprintf(key, sizeof key, "%s %d", name, i);
    const char *at = golden_case(golden_file("sklearn.txt"), key);
    ck_assert_msg(at != NULL, "%s is not recorded", key);
    const char *end = strstr(at, "\n=");
    snprintf(to, size, "%.*s", (int)(end ? (size_t)(end - at) : strcspn(at, "=")), at);
    for (size_t n = strlen(to); n > 0 && to[n - 1] == '\n'; n--) to[n - 1] = '\0';
}

static void add_numbers(Tensor *x, char *to, size_t size) {
    double *values = values_of(x);
    for (int64_t i = 0; i < tg_numel(x); i++)
        snprintf(to + strlen(to), size - strlen(to), "%s%.17g", i ? " " : "", isnan(values[i]) ? NAN : values[i]);
    free(values);
}

START_TEST(splits_are_those_of_scikit_learn) {
    char want[8000], got[8000];
    for (int i = 0; i < SPLITS; i++)
        with_scope () {
            Tensor *parts[2];
            const bool ok = split_case(i, parts);
            result_of("split", i, want, sizeof want);
            got[0] = '\0';
            if (ok) {
                add_numbers(parts[0], got, sizeof got);
                strcat(got, "\n");
                add_numbers(parts[1], got, sizeof got);
            } else {
                snprintf(got, sizeof got, "error: %s", t_error_message());
            }
            if (strcmp(got, want) != 0) note("split %d:\n%s\ninstead of\n%s", i, got, want);
            t_clear_error();
        }
    report_notes();
}
END_TEST

START_TEST(scaled_values_are_those_of_scikit_learn) {
    char want[8000], got[8000];
    for (int i = 0; i < SCALES; i++)
        with_scope () {
            Tensor *x = scale_case(i);
            result_of("scale", i, want, sizeof want);
            got[0] = '\0';
            if (x) add_numbers(x, got, sizeof got);
            if (strcmp(got, want) != 0) note("scale %d:\n%s\ninstead of\n%s", i, x ? got : t_error(), want);
            t_clear_error();
        }
    report_notes();
}
END_TEST

START_TEST(parts_are_rows_of_the_arrays) {
    Tensor *x = t_view(t_arange(20.0), 10, 2), *y = t_arange(10), *x_train, *x_test, *y_train, *y_test, *train, *test;
    ck_assert(
        sklearn_train_test_split((x, y), (&x_train, &x_test, &y_train, &y_test), .test_size = 0.3, .random_state = 0));
    ck_assert(x_train->shape[0] == 7 && x_test->shape[0] == 3 && y_train->dtype == t_int64);
    ck_assert(t_equal(t_at(x_train, ":, 0"), t_mul(y_train, 2.0)) && t_equal(t_at(x_test, ":, 0"), t_mul(y_test, 2.0)));
    pd_DataFrame *df = pd_DataFrame(x);
    ck_assert(sklearn_train_test_indices(df->len, &train, &test, .test_size = 0.3, .random_state = 0));
    ck_assert(t_equal(pd_to_numpy(pd_take(df, test)), x_test) && t_equal(train, y_train));
    np_random_seed(3);
    ck_assert(sklearn_train_test_indices(100, &train, &test));
    np_random_seed(3);
    ck_assert(sklearn_train_test_indices(100, &x_train, &x_test) && t_equal(train, x_train));
    ck_assert(sklearn_train_test_indices(100, &x_train, &x_test) && !t_equal(train, x_train));
    ck_assert(!np_random_seed(-1) && t_error());
    t_clear_error();
}
END_TEST

START_TEST(mistakes_have_scikit_learns_texts) {
    Tensor *a, *b, *c, *d;
    sklearn_StandardScaler *s = sklearn_StandardScaler();
    sklearn_LabelEncoder *e = sklearn_LabelEncoder();
    expect_refusal(
        !sklearn_transform(s, t_ones(2, 2)),
        "This StandardScaler instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.");
    ck_assert(sklearn_fit(s, t_rand(3, 2)));
    expect_refusal(!sklearn_transform(s, t_ones(2, 3)),
                   "X has 3 features, but StandardScaler is expecting 2 features as input.");
    expect_refusal(!sklearn_fit(s, t_zeros(0, 2)),
                   "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required by StandardScaler.");
    expect_refusal(!sklearn_fit(s, t_tensor("[[1.0, inf]]", .dtype = t_float64)),
                   "Input X contains infinity or a value too large for dtype('float64').");
    expect_refusal(!sklearn_MinMaxScaler(.feature_range = {1, 0}),
                   "Minimum of desired feature range must be smaller than maximum. Got (1.0, 0.0).");
    expect_refusal(!sklearn_train_test_split((t_ones(3), t_ones(4)), (&a, &b, &c, &d)),
                   "Found input variables with inconsistent numbers of samples: [3, 4]");
    ck_assert(!sklearn_train_test_split((t_ones(3), ), (&a, &b, &c, &d)) && t_error());
    t_clear_error();
    const char *const texts[] = {"b", "a"}, *const others[] = {"a", "x"};
    ck_assert(sklearn_fit(e, pd_Series_of_texts(texts, 2, NULL)));
    expect_refusal(!sklearn_transform(e, pd_Series_of_texts(others, 2, NULL)),
                   "y contains previously unseen labels: ['x']");
    ck_assert_str_eq(pd_iat_text(sklearn_inverse_transform(e, t_tensor("[1, 0]")), 0), "b");
    expect_refusal(!sklearn_train_test_split((t_ones(4), ), (&a, &b), .stratify = t_ones(3)),
                   "Found input variables with inconsistent numbers of samples: [4, 3]");
    expect_refusal(!sklearn_train_test_split((t_tensor(3.0), ), (&a, &b)),
                   "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `3.0` instead.");
    expect_refusal(!sklearn_split(sklearn_KFold(2), t_tensor(3.0)),
                   "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `3.0` instead.");
    expect_refusal(
        !sklearn_fit(s, t_ones(3)),
        "Expected 2D array, got 1D array instead: shape [3]. Reshape your data either using array.reshape(-1, 1) if "
        "your data has a single feature or array.reshape(1, -1) if it contains a single sample.");
    expect_refusal(
        !sklearn_fit(sklearn_SimpleImputer(), t_tensor(3.0)),
        "Expected 2D array, got scalar array instead: shape []. Reshape your data either using array.reshape(-1, 1) "
        "if your data has a single feature or array.reshape(1, -1) if it contains a single sample.");
    expect_refusal(isnan(sklearn_mean_squared_error(t_tensor(1.0), t_tensor(2.0))),
                   "Expected array-like (array or non-string sequence), got a scalar");
    expect_refusal(isnan(sklearn_accuracy_score(t_tensor(1.0), t_tensor(1.0))),
                   "labels must have one dim, but the shapes are [] and []");
    Tensor *halves = t_tensor("[0.5, 1, 1, 1, 1.5]");
    expect_refusal(
        !sklearn_train_test_split((t_ones(5), ), (&a, &b), .stratify = halves),
        "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for any "
        "class cannot be less than 2. Classes with too few members are: [0.5, 1.5]");
    Tensor *once = t_tensor("[0, 0, 0, 1]");
    expect_refusal(
        !sklearn_train_test_split((t_ones(4), ), (&a, &b), .stratify = once),
        "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for "
        "any class cannot be less than 2. Classes with too few members are: [1]");
}
END_TEST

START_TEST(the_first_of_the_largest_is_the_category) {
    sklearn_OneHotEncoder *e = sklearn_OneHotEncoder();
    ck_assert(sklearn_fit(e, pd_DataFrame(t_tensor("[[1], [2], [3]]"))));
    pd_DataFrame *df = sklearn_inverse_transform(e, t_tensor("[[0, 0.5, 0.5], [0, 0, 1], [0.2, 0.2, 0.2]]"));
    ck_assert_ptr_nonnull(df);
    expect_printed(pd_to_numpy(df), "tensor([[2],\n        [3],\n        [1]])");
}
END_TEST

START_TEST(mistakes_of_encoders) {
    static const char unfitted[] = "This LabelEncoder instance is not fitted yet. Call 'fit' with appropriate "
                                   "arguments before using this estimator.";
    const pd_Series *numbers = pd_Series(t_tensor("[1, 2]"), NULL), *others = pd_Series(t_tensor("[1, 5]"), NULL);
    const pd_Series *texts = pd_Series_of_texts((const char *const[]){"a", "b"}, 2, NULL);
    sklearn_LabelEncoder *e = sklearn_LabelEncoder();
    expect_refusal(!sklearn_transform(e, numbers), unfitted);
    expect_refusal(!sklearn_inverse_transform(e, t_tensor("[1]")), unfitted);
    ck_assert(sklearn_fit(e, numbers));
    expect_refusal(!sklearn_transform(e, others), "y contains previously unseen labels: [5]");
    expect_refusal(!sklearn_transform(e, texts), "the labels are of dtype str, but the classes of dtype int64");
    sklearn_OneHotEncoder *hot = sklearn_OneHotEncoder();
    pd_DataFrame *df = pd_DataFrame(t_ones(2, 2), .columns = {"s", "n"});
    ck_assert(sklearn_fit(hot, df));
    ck_assert_str_eq(sklearn_OneHotEncoder_feature_name(hot, -1), "n_1.0");
    expect_refusal(!sklearn_OneHotEncoder_feature_name(hot, 2), "index 2 is out of bounds for axis 0 with size 2");
    expect_refusal(!sklearn_OneHotEncoder_feature_name(hot, -3), "index -3 is out of bounds for axis 0 with size 2");
    expect_refusal(!sklearn_fit(hot, pd_head(df, 0)),
                   "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required by OneHotEncoder.");
    ck_assert(sklearn_fit(hot, df));
    pd_setitem(df, "n", texts);
    expect_refusal(!sklearn_transform(hot, df),
                   "the values of 'n' are of dtype str, but the categories of dtype float32");
}
END_TEST

typedef struct Work {
    int which;
    Tensor *x, *y;
} Work;

static bool work(void *with) {
    const int which = ((const Work *)with)->which;
    Tensor *x = ((const Work *)with)->x, *y = ((const Work *)with)->y, *parts[2];
    const sklearn_SplitOptions o = {SKLEARN_SPLIT_DEFAULTS_}, strata = {.test_size = 0.5,
                                                                        .train_size = NAN,
                                                                        .random_state = 1,
                                                                        .shuffle = true,
                                                                        .stratify = y,
                                                                        .size = sizeof strata};
    if (which == 0) return (sklearn_train_test_split)(&x, 1, (Tensor * *[]){&parts[0], &parts[1]}, &o);
    if (which == 1) return (sklearn_train_test_indices)(12, &parts[0], &parts[1], &strata);
    if (which == 2) {
        sklearn_StandardScaler *s = sklearn_StandardScaler_new(NULL);
        return s && sklearn_StandardScaler_fit(s, x) && sklearn_StandardScaler_transform(s, x);
    }
    sklearn_MinMaxScaler *s = sklearn_MinMaxScaler_new(NULL);
    return s && sklearn_MinMaxScaler_fit(s, x) && sklearn_MinMaxScaler_transform(s, x);
}

START_TEST(each_allocation_may_fail) {
    Work w = {.x = t_rand(12, 2), .y = labels(12, 2)};
    for (; w.which < 4; w.which++) refuse_all(t_format("sklearn %d", w.which), work, NULL, &w);
    report_notes();
}
END_TEST

Suite *sklearn_suite(void) {
    Suite *suite = suite_create("sklearn");
    TCase *test = tcase_create("sklearn");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, splits_are_those_of_scikit_learn);
    tcase_add_test(test, scaled_values_are_those_of_scikit_learn);
    tcase_add_test(test, parts_are_rows_of_the_arrays);
    tcase_add_test(test, mistakes_have_scikit_learns_texts);
    tcase_add_test(test, the_first_of_the_largest_is_the_category);
    tcase_add_test(test, mistakes_of_encoders);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
