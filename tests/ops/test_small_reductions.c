/* tests/ops/test_small_reductions.c: short rows and few columns, which are taken together: products of operands that
 * repeat (kron), sums of columns around a vector's width, of small matrices and of rows with gaps, nansum with and
 * without NaNs, and sorting. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "core/kernels/parallel.h"
#include "nn/functional/functional.h"
#include "tests/support/support.h"

static const t_DType floats[] = {t_float32, t_float64}, dtypes[] = {t_float32, t_float64, t_int64};

static Tensor *random_of(t_DType dtype, const int64_t *shape, int ndim) {
    return dtype == t_int64 ? (t_randint)(-9, 9, shape, ndim, NULL) : t_to((t_randn)(shape, ndim, NULL), dtype);
}

static Tensor *spread(Tensor *x, const int64_t *shape, int ndim) { /* as memory of its own */
    return t_contiguous((t_expand)(x, shape, ndim));
}

/* a[i, 1, j, 1] and b[1, k, 1, l], in all the layouts that share rows. */
START_TEST(rows_that_repeat_are_rows_in_full) {
    static const int64_t sizes[][4] = {{30, 30, 10, 10}, {20, 20, 5, 5}, {7, 3, 300, 9}, {3, 2, 2, 700},
                                       {2, 5, 1000, 3},  {9, 40, 3, 17}, {1, 6, 4, 2}};
    t_manual_seed(3);
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)
        for (size_t d = 0; d < 3; d++) {
            const int64_t *n = sizes[at], full[] = {n[0], n[1], n[2], n[3]};
            Tensor *a = random_of(dtypes[d], (int64_t[]){n[0], 1, n[2], 1}, 4),
                   *b = random_of(dtypes[d], (int64_t[]){1, n[1], 1, n[3]}, 4);
            Tensor *row = random_of(dtypes[d], (int64_t[]){n[1], n[2], 1}, 3), *in_full = spread(a, full, 4),
                   *b_in_full = spread(b, full, 4);
            HOLDS(t_equal(t_mul(a, b), t_mul(in_full, b_in_full)));
            HOLDS(t_equal(t_sub(b, a), t_sub(b_in_full, in_full)));
            HOLDS(t_equal(t_maximum(t_transpose(a, 0, 1), t_transpose(b, 0, 1)),
                          t_transpose(t_maximum(in_full, b_in_full), 0, 1)));
            HOLDS(t_equal(t_where(t_gt(a, 0), b, row), t_where(t_gt(in_full, 0), b_in_full, spread(row, full, 4))));
        }
}
END_TEST

START_TEST(kron_of_matrices_is_a_product_of_repeats) {
    static const int64_t sizes[][4] = {{30, 10, 30, 10}, {20, 5, 20, 5}, {8, 2, 8, 1}, {9, 8, 16, 15}, {9, 8, 16, 16},
                                       {100, 3, 3, 3}, {1, 40, 40, 3}, {40, 1, 40, 3}};
    t_manual_seed(4);
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)
        for (size_t d = 0; d < 3; d++) {
            const int64_t *n = sizes[at];
            Tensor *a = random_of(dtypes[d], n, 2), *b = random_of(dtypes[d], n + 2, 2);
            if (d < 2) {
                t_requires_grad_(a, true);
                t_requires_grad_(b, true);
            }
            Tensor *apart = t_mul(t_reshape(a, (n[0], 1, n[1], 1)), t_reshape(b, (1, n[2], 1, n[3]))),
                   *y = t_kron(a, b);
            HOLDS(t_equal(y, t_reshape(apart, (n[0] * n[2], n[1] * n[3]))));
            if (d == 2) continue;
            Tensor *w = random_of(dtypes[d], (int64_t[]){n[0] * n[2], n[1] * n[3]}, 2);
            t_TensorList *one = t_autograd_grad(t_list(t_sum(t_mul(y, w))), t_list(a, b));
            t_TensorList *other =
                t_autograd_grad(t_list(t_sum(t_mul(apart, t_reshape(w, (n[0], n[2], n[1], n[3]))))), t_list(a, b));
            for (int64_t i = 0; i < 2; i++) HOLDS(t_allclose(one->items[i], other->items[i], 1e-5, d ? 1e-12 : 1e-4));
        }
}
END_TEST

/* Every number of columns about a vector's width, and some wider; integers, of which no sum is rounded. */
START_TEST(columns_of_any_number_are_summed) {
    static const int64_t rows[] = {1, 3, 8, 100, 1111, 30001};
    t_manual_seed(5);
    for (int64_t n = 1; n < 70; n += n < 36 ? 1 : 11)
        for (size_t at = 0; at < 6; at++)
            for (size_t d = 0; d < 2; d++) {
                Tensor *whole = random_of(t_int64, (int64_t[]){rows[at], n}, 2), *x = t_to(whole, floats[d]);
                HOLDS(t_equal(t_sum(x, 0), t_to(t_sum(whole, 0), floats[d])));
                HOLDS(t_equal(t_sum(x, 0, .dtype = t_float64), t_to(t_sum(whole, 0), t_float64)));
                HOLDS(t_equal(t_square(t_norm(x, 2, 0, .dtype = t_float64)),
                              t_square(t_sqrt(t_to(t_sum(t_square(whole), 0), t_float64)))));
            }
}
END_TEST

/* What is no number stays in its column, also where many rows are walked as one. */
START_TEST(columns_keep_their_nans) {
    for (int64_t n = 1; n <= 20; n++)
        for (size_t d = 0; d < 2; d++)
            for (int64_t column = 0; column < n; column++) {
                Tensor *x = t_ones(20011, n, .dtype = floats[d]), *odd = t_narrow(x, 1, column, 1);
                t_fill_(t_select(odd, 0, 20010 - 1000 * column), NAN);
                Tensor *y = t_sum(x, 0), *expected = t_full(n, 20011.0, .dtype = floats[d]);
                t_fill_(t_select(expected, 0, column), NAN);
                HOLDS(t_equal(t_nan_to_num(y, -1), t_nan_to_num(expected, -1)));
            }
}
END_TEST

/* Batched matrices reduced over their rows: the same as their transposes along their columns. Integers, of which
 * no sum is rounded; those of int64 are also such as would be no number, or a zero, were they doubles. */
START_TEST(matrices_are_reduced_over_their_rows) {
    static const int64_t shapes[][3] = {{1000, 10, 10}, {300, 4, 6}, {50, 33, 3}, {3, 2, 1024},
                                        {3, 2, 1100},   {2, 9, 513}, {700, 2, 1}};
    t_manual_seed(7);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t d = 0; d < 3; d++) {
            Tensor *x = t_to(random_of(t_int64, shapes[i], 3), dtypes[d]), *at[2];
            if (d == 2) x = t_mul(x, t_integer(INT64_MIN / 2 + 1));
            Tensor *transposed = t_contiguous(t_transpose(x, 1, 2));
            HOLDS(t_equal(t_sum(x, 1), t_sum(transposed, 2)));
            HOLDS(d == 2 || t_equal(t_sum(x, 1, .dtype = t_float64), t_sum(transposed, 2, .dtype = t_float64)));
            HOLDS(t_equal(t_max(x, 1, .indices = &at[0]), t_max(transposed, 2, .indices = &at[1])));
            HOLDS(t_equal(at[0], at[1]));
            HOLDS(t_equal(t_min(x, 1, .indices = &at[0]), t_min(transposed, 2, .indices = &at[1])));
            HOLDS(t_equal(at[0], at[1]));
            HOLDS(t_equal(t_count_nonzero(x, 1), t_count_nonzero(transposed, 2)));
        }
}
END_TEST

/* Rows with gaps between them, of which there is one result. */
START_TEST(rows_apart_have_one_sum) {
    t_manual_seed(8);
    for (int64_t n = 1; n < 1100; n += n < 36 ? 1 : 71)
        for (size_t d = 0; d < 3; d++) {
            Tensor *x = t_narrow(t_to(random_of(t_int64, (int64_t[]){101, n + 3}, 2), dtypes[d]), 1, 2, n),
                   *dense = t_contiguous(x);
            HOLDS(t_equal(t_sum(x), t_sum(dense)));
            HOLDS(t_equal(t_max(x), t_max(dense)));
            HOLDS(t_equal(t_amin(x), t_amin(dense)));
            HOLDS(t_equal(t_count_nonzero(x), t_count_nonzero(dense)));
            HOLDS(t_equal(t_any(t_gt(x, 8)), t_any(t_gt(dense, 8))));
            t_fill_(t_select(t_select(x, 0, 100), 0, n - 1), d < 2 ? NAN : 77);
            HOLDS(d < 2 ? isnan(t_item(t_sum(x))) && isnan(t_item(t_amin(x))) : t_item(t_max(x)) == 77);
        }
}
END_TEST

/* Rows of a wider matrix: the last one ends where the memory does. A run of a row goes on into the next, which is made
 * after it. */
static Tensor *rows_apart(t_DType dtype, int64_t rows, int64_t n, int64_t gap) {
    return (t_narrow)(random_of(dtype, (int64_t[]){2, rows, n + gap}, 3), -1, gap, n);
}

static Tensor *third_of(Tensor *x) { /* has a knob */
    return (F_leaky_relu)(x, 1.0 / 3, false);
}
static Tensor *truth(Tensor *x) { return t_to(x, t_bool); }
static Tensor *limited(Tensor *x) { return t_clamp(x, -1, 2); }
static Tensor *between(Tensor *a, Tensor *b) { return (t_clamp)(a, b, t_abs(b)); }

typedef Tensor *OfOne(Tensor *x);
typedef Tensor *OfTwo(Tensor *a, Tensor *b);
static void compare_rows_apart(t_DType dtype, int64_t rows, int64_t n) {
    OfOne *const one[] = {t_neg, t_abs, t_sign, t_square, t_relu, t_logical_not, truth, limited,
                          t_floor, t_trunc, t_reciprocal, t_exp, third_of, F_logsigmoid, t_tanh, t_isnan};
    OfTwo *const whole[] = {t_maximum, t_mul, t_bitwise_and, t_bitwise_xor, t_eq, t_gt, t_logical_or, between};
    OfTwo *const real[] = {t_maximum, t_mul, t_div, t_sub, t_ne, t_ge, t_logical_and, between};
    Tensor *x = rows_apart(dtype, rows, n, 8), *b = rows_apart(dtype, rows, n, 1), *dense = t_contiguous(x);
    Tensor *second[] = {b, t_narrow(b, 0, 0, 1), t_narrow(b, 2, 0, 1), x, t_contiguous(b), random_of(dtype, NULL, 0)};
    for (int i = 0; i < (dtype == t_int64 ? 8 : 16); i++) HOLDS(t_equal(one[i](x), one[i](dense)));
    for (int i = 0; i < 6 * 8; i++) {
        OfTwo *op = (dtype == t_int64 ? whole : real)[i % 8];
        Tensor *full = t_contiguous(t_expand_as(second[i / 8], x));
        HOLDS(t_equal(op(x, second[i / 8]), op(dense, full)));
        HOLDS(t_equal(op(second[i / 8], x), op(full, dense)));
    }
    OfTwo *const of_bools[] = {t_lt, t_le, t_eq, t_logical_xor};
    Tensor *p = t_narrow(t_gt(t_cat(t_list(x, x), 2), 0), 2, 1, n),
           *q = t_narrow(t_lt(t_cat(t_list(b, b), 2), 0), 2, 0, n);
    for (int i = 0; i < 4; i++) HOLDS(t_equal(of_bools[i](p, q), of_bools[i](t_contiguous(p), t_contiguous(q))));
}

START_TEST(rows_apart_are_made_one_by_one) {
    static const int64_t widths[] = {7, 8, 15, 16, 19, 20, 21, 31, 32, 33, 63, 64, 65, 127, 250, 513, 5000};
    t_manual_seed(9);
    for (size_t i = 0; i < 3 * sizeof widths / sizeof *widths; i++)
        for (int64_t rows = 1; rows < 700; rows = rows * 9 + 1)
            with_scope() compare_rows_apart(dtypes[i % 3], widths[i / 3] < 5000 ? rows : 2, widths[i / 3]);
}
END_TEST

START_TEST(rows_of_one_are_in_order) {
    for (size_t d = 0; d < 3; d++) {
        Tensor *x = t_to(t_tensor("[[3, 1, 2]]"), dtypes[d]), *column = t_t(x), *at[5],
               *zeros = t_zeros_like(column, .dtype = t_int64);
        HOLDS(t_equal(t_sort(x, 0, .indices = &at[0]), x));
        HOLDS(t_equal(t_sort(column, .descending = true, .indices = &at[1]), column));
        HOLDS(t_equal(t_topk(column, 1, .indices = &at[2]), column));
        HOLDS(t_equal(t_kthvalue(column, 1, .indices = &at[3]), t_select(x, 0, 0)));
        HOLDS(t_equal(t_sort(t_select(column, 0, 1), .indices = &at[4]), t_select(column, 0, 1)));
        HOLDS(t_equal(t_t(at[0]), zeros) && t_equal(at[1], zeros) && t_equal(at[2], zeros) &&
              t_equal(at[3], t_select(t_t(zeros), 0, 0)));
        HOLDS(t_equal(at[4], t_select(zeros, 0, 0)));
        if (d == 2) break;
        x = t_requires_grad_(t_detach(column), true);
        Tensor *y = t_sum(t_mul(t_topk(x, 1), column));
        HOLDS(t_equal(t_autograd_grad(t_list(y), t_list(x))->items[0], column));
    }
}
END_TEST

START_TEST(nansum_is_the_sum_of_the_numbers) {
    static const int64_t sizes[][2] = {{1, 5}, {40, 3}, {300, 1000}, {100000, 4}, {2, 65}, {70, 1}};
    t_manual_seed(6);
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)
        for (size_t d = 0; d < 2; d++)
            for (int nans = 0; nans < 3; nans++) {
                Tensor *x = random_of(floats[d], sizes[at], 2), *zeros = t_clone(x);
                if (nans) t_masked_fill_(x, t_gt(t_rand(sizes[at][0], sizes[at][1]), nans == 1 ? 0.9 : -1), NAN);
                if (nans) t_masked_fill_(zeros, t_isnan(x), 0);
                HOLDS(t_equal(t_nansum(x), t_sum(zeros)));
                HOLDS(t_equal(t_nansum(x, 0), t_sum(zeros, 0)));
                HOLDS(t_equal(t_nansum(x, 1, .keepdim = true), t_sum(zeros, 1, .keepdim = true)));
                HOLDS(t_equal(t_nansum(x, 1, .dtype = t_float64), t_sum(zeros, 1, .dtype = t_float64)));
                HOLDS(t_equal(t_nansum(x, 0, .dtype = t_int64), t_sum(zeros, 0, .dtype = t_int64)));
            }
    Tensor *x = t_tensor("[[inf, -inf, nan], [inf, nan, 1.0]]");
    expect_printed(t_nansum(x, 1), "tensor([nan, inf])");
    expect_printed(t_nansum(x, 0), "tensor([inf, -inf, 1.])");
    expect_printed(t_nansum(t_tensor("[nan, 2.0, nan]"), .dtype = t_int64), "tensor(2)");
    x = t_requires_grad_(t_tensor("[1.0, nan]"), true);
    HOLDS(t_autograd_grad(t_list(t_nansum(x)), t_list(x)));
    expect_printed(t_autograd_grad(t_list(t_nansum(x)), t_list(x))->items[0], "tensor([1., 0.])");
}
END_TEST

static bool is_behind(double a, double b) { /* NaN above all */
    return isnan(a) ? !isnan(b) : a > b;
}

/* Rows of up to 16 stay in order where elements are equal, as they do by insertion. */
START_TEST(short_rows_are_sorted_as_by_insertion) {
    enum { ROWS = 300 };
    t_manual_seed(7);
    for (int64_t n = 1; n <= 16; n++)
        for (int way = 0; way < 6; way++) {
            const bool descending = way % 2;
            Tensor *x = t_to(t_randint(way < 2 ? -3 : -1000, way < 2 ? 3 : 1000, (ROWS, n)),
                             way < 4 ? t_float64 : t_int64),
                   *at;
            if (way < 4) t_masked_fill_(x, t_gt(t_rand(ROWS, n), 0.9), way < 2 ? NAN : -0.0);
            for (int form = 0; form < 2; form++) {
                Tensor *y = t_sort(form ? t_t(t_contiguous(t_t(x))) : x, 1, descending, .indices = &at);
                HOLDS(t_equal(t_nan_to_num(y, 5000), t_nan_to_num(t_gather(x, 1, at), 5000)));
                const double *in = t_data_ptr(t_contiguous(t_double(x)));
                const int64_t *indices = t_data_ptr(t_contiguous(at));
                for (int64_t i = 0; i < ROWS; i++, in += n) {
                    int64_t order[16];
                    for (int64_t j = 0; j < n; j++) {
                        int64_t k = j;
                        for (; k &&
                               (descending ? is_behind(in[j], in[order[k - 1]]) : is_behind(in[order[k - 1]], in[j]));
                             k--)
                            order[k] = order[k - 1];
                        order[k] = j;
                    }
                    ck_assert(memcmp(order, indices + i * n, (size_t)n * sizeof *order) == 0);
                }
            }
        }
}
END_TEST

Suite *small_reductions_suite(void);
Suite *small_reductions_suite(void) {
    Suite *suite = suite_create("small_reductions");
    TCase *tests = tcase_create("short");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, rows_that_repeat_are_rows_in_full);
    tcase_add_test(tests, kron_of_matrices_is_a_product_of_repeats);
    tcase_add_test(tests, columns_of_any_number_are_summed);
    tcase_add_test(tests, columns_keep_their_nans);
    tcase_add_test(tests, matrices_are_reduced_over_their_rows);
    tcase_add_test(tests, rows_apart_have_one_sum);
    tcase_add_test(tests, rows_apart_are_made_one_by_one);
    tcase_add_test(tests, rows_of_one_are_in_order);
    tcase_add_test(tests, nansum_is_the_sum_of_the_numbers);
    tcase_add_test(tests, short_rows_are_sorted_as_by_insertion);
    suite_add_tcase(suite, tests);
    return suite;
}
