/* tests/kernels/test_elementwise.c: ops on whole tensors compared with plain loops over their elements: shifts,
 * maximum and minimum of rows with scalars and rows, cummax and cummin, logsigmoid, nansum, steps on columns in place;
 * odd lengths, layouts, NaN, signs of 0, threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/kernels/parallel.h"
#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "tests/support/support.h"

static uint64_t drawn(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* ---- shifts ---- */

static int64_t shifted(bool left, int64_t a, int64_t b) {
    if (b < 0 || b > 63) return left || a >= 0 ? 0 : -1;
    return left ? (int64_t)((uint64_t)a << b) : a >= 0 ? a >> b : ~(~a >> b);
}

static Tensor *random_integers(int64_t n, uint64_t state, bool counts) {
    static const int64_t edges[] = {
        0, 1, 63, 64, 65, -1, -63, -64, INT64_MAX, INT64_MIN, INT64_C(1) << 32, INT64_MIN + 63};
    Tensor *x = tg_empty(&n, 1, t_int64);
    int64_t *p = tg_data(x);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t high = drawn(&state), low = drawn(&state);
        p[i] = low % 4 == 0 ? edges[high % 12] : counts ? (int64_t)(high % 70) - 3 : (int64_t)(high << 34 ^ low);
    }
    return x;
}

/* y = f(a, b), where the i-th element of a is that of i a_step, and so with b. */
static void check_shift(bool left, Tensor *y, Tensor *a, int64_t a_step, Tensor *b, int64_t b_step) {
    const int64_t *p = tg_data(a), *q = tg_data(b), *out = tg_data(y);
    for (int64_t i = 0; i < tg_numel(y); i++) {
        const int64_t should = shifted(left, p[i * a_step], q[i * b_step]);
        ck_assert_msg(out[i] == should, "%lld %s %lld is %lld, not %lld", (long long)p[i * a_step], left ? "<<" : ">>",
                      (long long)q[i * b_step], (long long)out[i], (long long)should);
    }
}

START_TEST(shifts_of_any_length) {
    for (int64_t n = 0; n < 80; n++)
        for (int left = 0; left < 2; left++)
            with_scope() {
                Tensor *(*const f)(Tensor *, Tensor *) = left ? t_bitwise_left_shift : t_bitwise_right_shift;
                Tensor *(*const f_)(Tensor *, Tensor *) = left ? t_bitwise_left_shift_ : t_bitwise_right_shift_;
                Tensor *a = random_integers(3 * n, (uint64_t)n, false);
                Tensor *b = random_integers(3 * n, (uint64_t)n + 99, true);
                Tensor *one = random_integers(1, (uint64_t)n + 7, false),
                       *count = random_integers(1, (uint64_t)n + 8, true);
                Tensor *first = t_narrow(a, 0, 0, n), *counts = t_narrow(b, 0, 0, n);
                check_shift(left, f(first, counts), a, 1, b, 1);
                check_shift(left, f(first, count), a, 1, count, 0);
                check_shift(left, f(one, counts), one, 0, b, 1);
                Tensor *apart = (t_as_strided)(a, &n, 1, (int64_t[]){3}, 1, 0),
                       *wide = (t_as_strided)(b, &n, 1, (int64_t[]){2}, 1, 0);
                check_shift(left, f(apart, wide), a, 3, b, 2);
                check_shift(left, f(apart, counts), a, 3, b, 1);
                check_shift(left, f(first, wide), a, 1, b, 2);
                check_shift(left, f_(t_clone(first), counts), a, 1, b, 1);
                Tensor *into = t_clone(first);
                check_shift(left, f(into, f_(into, into)), f(first, first), 1, f(first, first), 1);
            }
}
END_TEST

/* Rows of integers with one operand broadcast: a scalar per row, a slice, one row for all. */
static void check_integer_rows(Tensor *(*f)(Tensor *, Tensor *), Tensor *(*f_)(Tensor *, Tensor *), int64_t rows,
                             int64_t n) {
    Tensor *x = t_reshape(random_integers(rows * n, 1, false), (rows, n));
    Tensor *wide = t_reshape(random_integers(rows * (2 * n + 3), 2, true), (rows, -1));
    Tensor *each = t_narrow(wide, 1, 3, 1), *row = t_narrow(wide, 0, 0, 1), *left = t_narrow(wide, 1, 0, n);
    Tensor *right = t_narrow(wide, 1, n + 3, n);
    Tensor *operands[][2] = {{x, each}, {each, x}, {left, each}, {each, right}, {left, right}, {x, right}, {left, x},
                             {each, t_narrow(row, 1, 1, n)}};
    for (int i = 0; i < 8; i++) {
        Tensor *a = operands[i][0], *b = operands[i][1];
        Tensor *y = f(a, b), *should = f(t_contiguous(t_expand(a, rows, n)), t_contiguous(t_expand(b, rows, n)));
        if (!t_equal(y, should)) note("operands %d: (%lld, %lld)", i, (long long)rows, (long long)n);
    }
    if (!t_equal(f_(t_clone(x), each), f(x, t_contiguous(t_expand(each, rows, n)))))
        note("in place, number: %lld", (long long)n);
    if (!t_equal(f_(t_clone(x), right), f(x, t_contiguous(right)))) note("in place, slice: %lld", (long long)n);
}

START_TEST(rows_of_integers) {
    Tensor *(*const of[][2])(Tensor *, Tensor *) = {{t_bitwise_left_shift, t_bitwise_left_shift_},
                                                    {t_maximum, t_clamp_min_},
                                                    {t_mul, t_mul_},
                                                    {t_bitwise_right_shift, t_bitwise_right_shift_},
                                                    {t_minimum, t_clamp_max_}};
    const int threads = tg_num_threads();
    for (int64_t n = 1; n < 130; n += n < 34 ? 1 : 19)
        for (int i = 0; i < 5; i++)
            with_scope() {
                tg_set_num_threads(1 + i % 3);
                check_integer_rows(of[i][0], of[i][1], n % 16 == 3 ? 2500 : 7, n);
            }
    tg_set_num_threads(threads);
    report_notes();
}
END_TEST

/* ---- maximum and minimum of rows with scalars or rows ---- */

/* Few values, so that many are equal; NaNs of two kinds, and zeros of both signs. */
static Tensor *edged(const int64_t *shape, t_DType dtype, uint64_t state) {
    static const double values[] = {0.0, -0.0, 1, -1, 2, -2, INFINITY, -INFINITY};
    Tensor *x = tg_empty(shape, 2, dtype);
    for (int64_t i = 0; i < tg_numel(x); i++) {
        const uint64_t pick = drawn(&state) % 40, nan = UINT64_C(0x7ff8000000000000) + (state >> 20 & 1023);
        const uint32_t short_nan = 0x7fc00000 + (uint32_t)(state >> 20 & 1023);
        if (dtype == t_float32) {
            ((float *)tg_data(x))[i] = (float)values[pick % 8];
            if (pick == 0) memcpy((float *)tg_data(x) + i, &short_nan, sizeof short_nan);
        } else {
            ((double *)tg_data(x))[i] = values[pick % 8];
            if (pick == 0) memcpy((double *)tg_data(x) + i, &nan, sizeof nan);
        }
    }
    return x;
}

/* As it has been: a NaN wins, the first of two; of equals the second. */
#define CHOOSE(T, name)                                                                                          \
    static void name(bool larger, int64_t n, const void *of_a, const void *of_b, void *y) {                      \
        const T *a = of_a, *b = of_b;                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                          \
            memcpy((T *)y + i, a[i] != a[i] || (larger ? a[i] > b[i] : a[i] < b[i]) ? a + i : b + i, sizeof(T)); \
    }
CHOOSE(float, choose_floats)
CHOOSE(double, choose_doubles)

static void expect_chosen(const char *what, bool larger, Tensor *y, Tensor *a, Tensor *b) {
    Tensor *p = t_contiguous(t_expand_as(a, y)), *q = t_contiguous(t_expand_as(b, y)), *should = t_zeros_like(y);
    (y->dtype == t_float32 ? choose_floats : choose_doubles)(larger, tg_numel(y), tg_data(p), tg_data(q),
                                                             tg_data(should));
    if (memcmp(tg_data(t_contiguous(y)), tg_data(should), (size_t)tg_numel(y) * tg_itemsize(y->dtype)) != 0)
        note("%s: (%lld, %lld), larger %d, dtype %d", what, (long long)y->shape[0], (long long)y->shape[1], larger,
             y->dtype);
}

static void check_extremes(bool larger, int64_t rows, int64_t n, t_DType dtype) {
    Tensor *(*const f)(Tensor *, Tensor *) = larger ? t_maximum : t_minimum;
    Tensor *x = edged((int64_t[]){rows, n}, dtype, 1), *each = edged((int64_t[]){rows, 1}, dtype, 2);
    Tensor *row = edged((int64_t[]){1, n}, dtype, 3), *wide = edged((int64_t[]){rows, 2 * n + 1}, dtype, 4);
    Tensor *left = t_narrow(wide, 1, 0, n), *right = t_narrow(wide, 1, n + 1, n);
    expect_chosen("number", larger, f(x, each), x, each);
    expect_chosen("number first", larger, f(each, x), each, x);
    expect_chosen("row", larger, f(x, row), x, row);
    expect_chosen("row first", larger, f(row, x), row, x);
    expect_chosen("number and row", larger, f(each, row), each, row);
    expect_chosen("row and number", larger, f(row, each), row, each);
    expect_chosen("slice and number", larger, f(left, each), left, each);
    expect_chosen("number and slice", larger, f(each, right), each, right);
    expect_chosen("slice and row", larger, f(left, row), left, row);
    expect_chosen("row and slice", larger, f(row, right), row, right);
    expect_chosen("slices", larger, f(left, right), left, right);
    expect_chosen("slice and matrix", larger, f(left, x), left, x);
    Tensor *sum = t_add(left, row); /* which broadcasts slices with a row, too */
    ck_assert(t_allclose(sum, t_add(t_contiguous(left), t_contiguous(t_expand_as(row, x))), 0, 0, .equal_nan = true));
    if (!larger) return;
    expect_chosen("in place, number", true, t_clamp_min_(t_clone(x), each), x, each);
    expect_chosen("in place, slice", true, t_clamp_min_(t_clone(x), left), x, left);
}

START_TEST(min_max_of_rows_with_scalars_and_rows) {
    static const int64_t sizes[] = {1,  3,  7,  8,  9,  15, 16, 17,  23,  24,  25,  31,  32,
                                    33, 40, 47, 48, 63, 64, 65, 100, 127, 511, 513, 1100};
    for (int i = 0; i < 25 * 4; i++)
        with_scope ()
            check_extremes(i / 2 % 2, sizes[i / 4] < 100 ? 70 : 9, sizes[i / 4], i % 2 ? t_float32 : t_float64);
    report_notes();
}
END_TEST

START_TEST(threads_do_not_change_extremes) {
    const int threads = tg_num_threads();
    for (int count = 1; count < 4; count++) {
        tg_set_num_threads(count);
        for (int i = 0; i < 4; i++) with_scope() check_extremes(i / 2, 3001, 57, i % 2 ? t_float32 : t_float64);
    }
    tg_set_num_threads(threads);
    report_notes();
}
END_TEST

/* ---- cummax, cummin ---- */

static void check_so_far(bool largest, Tensor *x) {
    Tensor *at, *y = (largest ? t_cummax : t_cummin)(x, 1, &at);
    const int64_t n = x->shape[1];
    double *in = values_of(x), *out = values_of(y);
    const int64_t *indices = tg_data(at);
    for (int64_t i = 0; i < tg_numel(x); i++) {
        int64_t best = i - i % n;
        for (int64_t j = best; j <= i; j++)
            if (isnan(in[j]) || (largest ? in[j] >= in[best] : in[j] <= in[best])) best = j;
        if (!(out[i] == in[best] || (isnan(out[i]) && isnan(in[best]))) || indices[i] != best % n)
            note("element %lld of rows of %lld, largest %d, dtype %d: %g at %lld, not %g at %lld", (long long)i,
                 (long long)n, largest, x->dtype, out[i], (long long)indices[i], in[best], (long long)(best % n));
    }
    free(in);
    free(out);
}

START_TEST(best_so_far_of_any_length) {
    static const t_DType dtypes[] = {t_bool, t_int64, t_float32, t_float64};
    for (int64_t n = 1; n < 40; n++)
        for (int i = 0; i < 16; i++)
            with_scope() {
                Tensor *x = edged((int64_t[]){5, n}, t_float64, (uint64_t)n);
                if (i % 4 < 2) x = t_clamp(t_nan_to_num(x), -3, 3);
                x = t_to(x, dtypes[i % 4]);
                if (i / 8) x = t_transpose(t_contiguous(t_transpose(x, 0, 1)), 0, 1);
                check_so_far(i / 4 % 2, x);
            }
    report_notes();
}
END_TEST

/* ---- logsigmoid, whose gradient is prepared where x is large ---- */

enum { COLUMNS = 173, SMALL_ROWS = 40, LARGE_ROWS = 80 }; /* 8192 numbers lie between */

static Tensor *laid_out(int how, t_DType dtype) {
    Tensor *x = t_to(t_mul(t_randn(LARGE_ROWS, 2 * COLUMNS), 20), dtype);
    static const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, NAN,  1e-30, -1e-30, 88,
                                   -88, 104,  -104,     709,       -709, 745,   -746};
    for (int i = 0; i < 15; i++) t_fill_(t_select(t_select(x, 0, 3 * i), 0, 7 * i % COLUMNS), edges[i]);
    if (how == 0) return t_contiguous(t_narrow(x, 1, 0, COLUMNS));
    if (how == 1) return t_narrow(x, 1, 1, COLUMNS);
    if (how == 2) return t_slice(x, 1, 0, 2 * COLUMNS, 2);
    return t_transpose(t_contiguous(t_transpose(t_narrow(x, 1, 0, COLUMNS), 0, 1)), 0, 1);
}

/* The gradient of F.logsigmoid(x), and y, of x at once or of halves of it, which are small. */
static Tensor *slope_of(Tensor *x, bool at_once, Tensor **y) {
    Tensor *leaf = t_requires_grad_(t_detach(x), true), *first = t_narrow(leaf, 0, 0, SMALL_ROWS);
    Tensor *others = t_narrow(leaf, 0, SMALL_ROWS, LARGE_ROWS - SMALL_ROWS);
    *y = at_once ? F_logsigmoid(leaf) : t_cat(t_list(F_logsigmoid(first), F_logsigmoid(others)), 0);
    ck_assert_msg(!at_once || strcmp(t_grad_fn(*y), "LogSigmoidBackward0") == 0, "%s", t_grad_fn(*y));
    t_backward(t_sum(t_mul(*y, t_arange(1, COLUMNS + 1))));
    return t_grad(leaf);
}

START_TEST(a_large_logsigmoid_is_that_of_its_parts) {
    const int threads = tg_num_threads();
    t_manual_seed(3);
    for (int i = 0; i < 8; i++)
        with_scope() {
            Tensor *x = laid_out(i / 2, i % 2 ? t_float32 : t_float64), *y, *parts;
            tg_set_num_threads(1);
            Tensor *dx = slope_of(x, true, &y), *should = slope_of(x, false, &parts);
            ck_assert(t_allclose(y, parts, 0, 0, .equal_nan = true));
            ck_assert(t_allclose(dx, should, 2e-7, 1e-42, .equal_nan = true));
            tg_set_num_threads(3);
            Tensor *again = slope_of(x, true, &parts);
            ck_assert(t_allclose(again, dx, 0, 0, .equal_nan = true) && t_allclose(y, parts, 0, 0, .equal_nan = true));
        }
    tg_set_num_threads(threads);
}
END_TEST

START_TEST(a_large_logsigmoid_has_a_second_gradient) {
    t_manual_seed(5);
    Tensor *x = t_requires_grad_(t_mul(t_randn(9001, .dtype = t_float64), 4), true), *y = F_logsigmoid(x);
    Tensor *dx = t_autograd_grad(t_list(t_sum(y)), t_list(x), .create_graph = true)->items[0], *s = t_sigmoid(x);
    ck_assert(t_allclose(dx, t_sigmoid(t_neg(x)), 1e-14, 0));
    t_backward(t_sum(dx));
    ck_assert(t_allclose(t_grad(x), t_neg(t_mul(s, t_sub(1, s))), 1e-12, 1e-15));
}
END_TEST

START_TEST(a_large_logsigmoid_detects_a_modified_input) {
    Tensor *x = t_requires_grad_(t_ones(9000), true), *z = t_mul(x, 1), *y = t_sum(F_logsigmoid(z));
    t_add_(z, 1);
    ck_assert(!(t_backward)(y, NULL) && strstr(t_error(), "modified by an inplace operation"));
    t_clear_error();
    with_no_grad() ck_assert(!t_requires_grad(F_logsigmoid(x)));
}
END_TEST

/* A tensor that died and an object that is no tensor are errors; a write to a view's base shows in the view. */
START_TEST(a_large_logsigmoid_checks_its_argument) {
    Tensor *dead, *base = t_mul(t_requires_grad_(t_ones(9000), true), 1), *view = t_view(base, 90, 100);
    with_scope() dead = t_requires_grad_(t_ones(9000), true);
    ck_assert(!(F_logsigmoid)(dead) && strstr(t_error(), "argument 1 died with its scope"));
    t_clear_error();
    ck_assert(!(F_logsigmoid)((Tensor *)nn_Linear(2, 3)) && strstr(t_error(), "argument 1 is a Module, not a tensor"));
    t_clear_error();
    t_mul_(base, 2);
    Tensor *leaf = t_requires_grad_(t_full((9000), 2.0), true);
    t_backward(t_sum(F_logsigmoid(leaf)));
    Tensor *dx = t_autograd_grad(t_list(t_sum(F_logsigmoid(view))), t_list(base))->items[0];
    ck_assert(t_allclose(dx, t_grad(leaf), 0, 0));
}
END_TEST

/* Also when all elements are NaN, and with an integer dtype, which has no NaN. */
START_TEST(nansum_skips_nans) {
    Tensor *x = t_full((3, 100), (double)NAN), *y;
    ck_assert_double_eq(t_item(t_nansum(x)), 0);
    t_fill_(t_narrow(x, 1, 7, 5), 2.5);
    ck_assert_double_eq(t_item(t_nansum(x)), 37.5);
    y = t_nansum(x, (0), .dtype = t_int64);
    ck_assert(y->dtype == t_int64 && t_item(t_sum(y)) == 30);
    ck_assert(t_equal(t_nansum(x, (1)), t_full((3), 12.5)));
}
END_TEST

/* ---- steps in place on columns of a wider matrix ---- */

static Tensor *middle(Tensor *x) { return t_narrow(x, 1, 3, t_size(x, 1) - 7); }
static Tensor *lowered(Tensor *x, Tensor *y) { return (t_minimum)(x, y); }

/* x's middle columns after step_ are those after step, the others what they were. */
static void check_step(const char *what, Tensor *(*step_)(Tensor *, Tensor *), Tensor *(*step)(Tensor *, Tensor *),
                       Tensor *x, Tensor *y) {
    const int64_t n = t_size(x, 1) - 7;
    Tensor *inside = step(t_contiguous(middle(x)), y), *z = t_clone(x);
    Tensor *should = t_cat(t_list(t_narrow(x, 1, 0, 3), inside, t_narrow(x, 1, n + 3, 4)), 1);
    ck_assert_ptr_nonnull(step_(middle(z), y));
    if (!t_equal(z, should))
        note("%s: %lld rows of %lld, dtype %d", what, (long long)t_size(x, 0), (long long)n, x->dtype);
}

static Tensor *within_one_(Tensor *x, Tensor *y) { return t_clamp_(x, -1, y); }
static Tensor *within_one(Tensor *x, Tensor *y) { return t_clamp(x, -1, y); }

static Tensor *negative_(Tensor *x, Tensor *y) { return y ? t_neg_(x) : NULL; }
static Tensor *negative(Tensor *x, Tensor *y) { return y ? t_neg(x) : NULL; }

static void check_steps(int64_t rows, int64_t n, t_DType dtype) {
    Tensor *x = t_randn(rows, n + 7, .dtype = dtype), *counts = t_randint(-9, 9, (rows, n + 7));
    Tensor *others[] = {t_number(0.75), t_randn(rows, 1, .dtype = dtype), t_randn(1, n, .dtype = dtype),
                        t_randn(rows, n, .dtype = dtype), t_narrow(t_randn(rows, n + 5, .dtype = dtype), 1, 5, n)};
    check_step("clamp_", within_one_, within_one, x, others[0]);
    check_step("clamp_", within_one_, within_one, counts, t_integer(4));
    check_step("clamp_", within_one_, within_one, counts, t_randint(0, 5, (rows, 1)));
    check_step("neg_", negative_, negative, x, x);
    check_step("neg_", negative_, negative, counts, x);
    for (int i = 0; i < 5; i++) {
        check_step("add_", t_add_, t_add, x, others[i]);
        check_step("sub_", t_sub_, t_sub, x, others[i]);
        check_step("mul_", t_mul_, t_mul, x, others[i]);
        check_step("div_", t_div_, t_div, x, others[i]);
        check_step("clamp_max_", t_clamp_max_, lowered, x, others[i]);
    }
}

START_TEST(steps_on_columns_leave_the_others) {
    static const int64_t sizes[] = {1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 100, 250, 511};
    const int threads = tg_num_threads();
    for (int i = 0; i < 17 * 2; i++)
        with_scope () check_steps(i % 3 ? 5 : 1, sizes[i / 2], i % 2 ? t_float32 : t_float64);
    for (int count = 1; count < 4; count++) {
        tg_set_num_threads(count);
        for (int i = 0; i < 2; i++) with_scope() check_steps(701, 133, i ? t_float32 : t_float64);
    }
    tg_set_num_threads(threads);
    report_notes();
}
END_TEST

Suite *elementwise_suite(void);
Suite *elementwise_suite(void) {
    Suite *s = suite_create("elementwise");
    TCase *c = tcase_create("elementwise");
    tcase_add_checked_fixture(c, support_setup, support_teardown);
    tcase_add_test(c, shifts_of_any_length);
    tcase_add_test(c, rows_of_integers);
    tcase_add_test(c, min_max_of_rows_with_scalars_and_rows);
    tcase_add_test(c, threads_do_not_change_extremes);
    tcase_add_test(c, best_so_far_of_any_length);
    tcase_add_test(c, a_large_logsigmoid_is_that_of_its_parts);
    tcase_add_test(c, a_large_logsigmoid_has_a_second_gradient);
    tcase_add_test(c, a_large_logsigmoid_detects_a_modified_input);
    tcase_add_test(c, a_large_logsigmoid_checks_its_argument);
    tcase_add_test(c, nansum_skips_nans);
    tcase_add_test(c, steps_on_columns_leave_the_others);
    suite_add_tcase(s, c);
    return s;
}
