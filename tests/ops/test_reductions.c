/* tests/ops/test_reductions.c: what the op table cannot say of reductions, scans and sorting: second orders at zeros,
 * out-pointers, long rows, sequences that are hard on a quicksort, and the macros' keywords. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static Tensor *leaf(const char *text) {
    return from_text(text, t_float64, true);
}

/* The gradient of f(x) = sum(v * df/dx) for v = 1, 2, 3, ..., as text, where y is a number made from the leaf x. */
static Tensor *second_order(Tensor *x, Tensor *y) {
    t_backward(y, .create_graph = true);
    Tensor *grad = t_grad(x), *v = t_add(t_arange(t_numel(x)), 1);
    t_set_grad(x, NULL);
    t_backward(t_sum(t_mul(grad, v)));
    Tensor *second = t_detach(t_grad(x));
    t_set_grad(x, NULL);
    return second;
}

/* ---- zeros ---- */

START_TEST(products_of_zeros_have_second_orders) {
    Tensor *x = leaf("[2, 0, 3]"); /* the gradient of the product is (0, 6, 0), that of cumprod's sum (1, 8, 0) */
    expect_printed(second_order(x, t_prod(x)), "tensor([6., 9., 4.], dtype=torch.float64)");
    expect_printed(second_order(x, t_prod(t_reshape(x, 1, 3), 1)), "tensor([6., 9., 4.], dtype=torch.float64)");
    expect_printed(second_order(x, t_sum(t_cumprod(x, 0))), "tensor([ 8., 10.,  4.], dtype=torch.float64)");
    x = leaf("[0, 5, 0]");
    expect_printed(second_order(x, t_prod(x)), "tensor([15.,  0.,  5.], dtype=torch.float64)");
}
END_TEST

START_TEST(norms_and_spreads_at_zero_pass_nothing_on) {
    static const double p[] = {1, 2, 3, 1.5, 0.5, -1, INFINITY, -INFINITY};
    Tensor *x = leaf("[0, 0, 0]"), *constant = leaf("[2, 2, 2]");
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        t_backward(t_norm(x, p[i]));
        expect_printed(t_detach(t_grad(x)), "tensor([0., 0., 0.], dtype=torch.float64)");
        t_set_grad(x, NULL);
        if (p[i] > 1 && p[i] < 3)
            expect_printed(second_order(x, t_norm(x, p[i])), "tensor([0., 0., 0.], dtype=torch.float64)");
    }
    t_backward(t_norm(x, 0));
    ck_assert_ptr_null(t_error());
    t_backward(t_std(constant));
    expect_printed(t_detach(t_grad(constant)), "tensor([0., 0., 0.], dtype=torch.float64)");
    t_set_grad(constant, NULL);
    expect_printed(second_order(constant, t_std(constant)), "tensor([0., 0., 0.], dtype=torch.float64)");
}
END_TEST

START_TEST(nans_share_the_gradient) {
    Tensor *(*const of_all[])(Tensor *, int64_t, bool, Tensor **) = {(t_max), (t_min), (t_median)};
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++) {
        Tensor *x = leaf("[1, nan, 2, nan]");
        t_backward(of_all[i](x, T_NONE, false, NULL));
        expect_printed(t_grad(x), "tensor([0.0000, 0.5000, 0.0000, 0.5000], dtype=torch.float64)");
    }
    Tensor *x = leaf("[1, nan, 2, nan]");
    t_backward(t_nanmedian(x));
    expect_printed(t_grad(x), "tensor([1., 0., 0., 0.], dtype=torch.float64)");
}
END_TEST

/* ---- second results ---- */

START_TEST(second_results_live_in_the_callers_scope) {
    Tensor *x = t_tensor("[[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]]"), *at[7] = {NULL}, *mean, *max, *inverse, *counts;
    int64_t before = t_live_count();
    t_sort(x, .indices = &at[0]);
    t_topk(x, 2, .indices = &at[1]);
    t_kthvalue(x, 2, .indices = &at[2]);
    t_median(x, 1, .indices = &at[3]);
    t_mode(x, .indices = &at[4]);
    t_cummax(x, 1, .indices = &at[5]);
    t_cummin(x, 1, .indices = &at[6]);
    t_std_mean(x, 1, .mean = &mean);
    t_aminmax(x, .max = &max);
    t_unique(x, .inverse = &inverse, .counts = &counts);
    ck_assert_int_eq(t_live_count(), before + 21);
    expect_printed(at[1], "tensor([[0, 2],\n        [2, 0]])");
    expect_printed(at[5], "tensor([[0, 0, 0],\n        [0, 0, 2]])");
    expect_printed(mean, "tensor([2., 5.])");
    expect_printed(max, "tensor(6.)");
    expect_printed(inverse, "tensor([[2, 0, 1],\n        [4, 3, 5]])");
    /* nobody asked for the second one */
    t_sort(x);
    t_topk(x, 1);
    t_cummax(x, 0);
    t_unique(x);
    t_var_mean(x);
    t_aminmax(x);
    ck_assert_int_eq(t_live_count(), before + 27);
}
END_TEST

START_TEST(what_has_no_derivative_says_so) {
    Tensor *x = leaf("[3, 1, 3]");
    expect_refusal(!(t_backward)((t_sum)((t_unique)(x, true, NULL, NULL, T_NONE), NULL, 0, false), NULL),
                   "the derivative for '_unique2' is not implemented.");
    Tensor *counts = (t_bincount)(t_tensor("[0, 1, 1]"), x, 0);
    expect_refusal(!(t_backward)((t_sum)(counts, NULL, 0, false), NULL),
                   "derivative for aten::bincount is not implemented");
}
END_TEST

/* ---- long rows ---- */

START_TEST(long_rows_lose_nothing) {
    enum { N = 1000000 };
    Tensor *x = t_full(N, 0.1), *last = t_select(t_cumsum(x, 0), 0, -1);
    const double exact = N * (double)0.1f;
    ck_assert_double_eq(t_item(last), (float)exact);
    ck_assert_double_eq(t_item(t_norm(x)), (float)(sqrt(N) * (double)0.1f));
    ck_assert_double_eq(t_item(t_norm(x, 1)), (float)exact);
    ck_assert_double_eq_tol(t_item(t_norm(x, 3)), cbrt(N) * (double)0.1f, 1e-6);
    ck_assert_double_eq_tol(t_item(t_logsumexp(x, 0)), log(N) + (double)0.1f, 1e-5);
    ck_assert_double_eq_tol(t_item(t_select(t_logcumsumexp(x, 0), 0, -1)), log(N) + (double)0.1f, 1e-5);
    ck_assert_double_eq(t_item(t_var(t_add(x, 1000))), 0);
    Tensor *near = t_add(t_to(t_lt(t_arange(64), 8), t_float32), 16777215.0); /* floats whose sums are none */
    ck_assert_double_eq(t_item(t_sum(near, .dtype = t_float64)), 64 * 16777215.0 + 8);
    ck_assert_double_eq_tol(t_item(t_var(near)), t_item(t_var(t_double(near))), 1e-8);
    ck_assert_double_eq(t_item(t_var(t_full(64, 3e38))), 0);
    ck_assert_double_eq(t_item(t_logsumexp(t_tensor("[1000.0, 1000.0]"), 0)), (float)(1000 + log(2)));
    ck_assert_double_eq(t_item(t_logsumexp(t_tensor("[-1000.0, -1000.0]"), 0)), (float)(-1000 + log(2)));
}
END_TEST

/* Rows of every short length, and some long ones, by the thousand: of integers, which must not lose a bit, and of
 * floats. */
START_TEST(products_of_floats_end_where_pytorchs_do) {
    Tensor *x = t_tensor("[1e30, 1e30, 1e-30]"), *y = t_tensor("[1e-30, 1e-30, 1e30]");
    Tensor *columns = t_stack(t_list(x, y, x, y), 1);
    expect_printed(t_prod(columns, 0), "tensor([inf, 0., inf, 0.])");
    expect_printed(t_prod(x), "tensor(inf)");
    expect_printed(t_prod(t_to(columns, t_float64), 0),
                   "tensor([1.0000e+30, 1.0000e-30, 1.0000e+30, 1.0000e-30], dtype=torch.float64)");
}
END_TEST

START_TEST(rows_of_any_length_are_brought_together) {
    static const int64_t more[] = {63, 64, 100, 5000};
    t_manual_seed(2);
    for (int64_t at = 1; at < 44; at++) {
        const int64_t n = at < 40 ? at : more[at - 40], rows = n < 100 ? 1500 : 7;
        Tensor *x = t_randint(-1000000000000, 1000000000000, (rows, n)), *best, *whole = t_sum(x, 1);
        Tensor *product = t_prod(x, 1), *max = t_max(x, 1, .indices = &best);
        Tensor *truths = t_gt(x, 0), *count = t_sum(truths, 1), *reals = t_sum(t_to(truths, t_float32), 1),
               *least = t_amin(x, 1);
        const int64_t *p = t_data_ptr(x);
        ck_assert(t_equal(t_sum(truths, 0), t_sum(t_to(truths, t_int64), 0)));
        for (int64_t i = 0; i < rows; i++) {
            int64_t sum = 0, largest = 0, smallest = 0, above = 0;
            uint64_t times = 1;
            for (int64_t j = 0; j < n; j++, p++) {
                sum += *p;
                times *= (uint64_t)*p;
                above += *p > 0;
                if (*p > p[largest - j]) largest = j;
                if (*p < p[smallest - j]) smallest = j;
            }
            ck_assert_int_eq(((const int64_t *)t_data_ptr(whole))[i], sum);
            ck_assert_int_eq(((const int64_t *)t_data_ptr(product))[i], (int64_t)times);
            ck_assert_int_eq(((const int64_t *)t_data_ptr(max))[i], p[largest - n]);
            ck_assert_int_eq(((const int64_t *)t_data_ptr(best))[i], largest);
            ck_assert_int_eq(((const int64_t *)t_data_ptr(least))[i], p[smallest - n]);
            ck_assert_int_eq(((const int64_t *)t_data_ptr(count))[i], above);
            ck_assert_double_eq(((const float *)t_data_ptr(reals))[i], (double)above);
        }
    }
}
END_TEST

/* Six matrices of m x n: without gaps, with them, across, every other one, and rows or columns that are one. */
static Tensor *laid_out(int way, int64_t m, int64_t n, t_DType dtype) {
    const bool across = way == 2 || way == 3;
    Tensor *x = t_floor(t_mul(t_randn(across ? n : m, 2 * (across ? m : n) + 3), 20));
    x = t_to(t_where(t_lt(t_rand_like(x), 0.02), t_number(dtype == t_int64 ? 99 : (double)NAN), x), dtype);
    if (way == 4) return t_expand(t_narrow(x, 0, 0, 1), m, 2 * n + 3);
    if (way == 5) return t_expand(t_narrow(x, 1, 1, 1), m, n);
    x = way == 0 ? x : way < 3 ? t_narrow(x, 1, 2, across ? m : n) : t_slice(x, 1, 1, 2 * (across ? m : n), 2);
    return across ? t_transpose(x, 0, 1) : x;
}

static void check_same(const char *what, int way, Tensor *x, Tensor *y, Tensor *should) {
    if (!t_equal(t_nan_to_num(y, 1e6), t_nan_to_num(should, 1e6)))
        note("%s of layout %d: %lld x %lld, dtype %d", what, way, (long long)t_size(x, 0), (long long)t_size(x, 1),
             t_dtype(x));
}

START_TEST(slices_have_the_extremes_and_sums_of_their_copies) {
    static const int64_t rows[] = {1, 3, 10, 70, 1200}, lengths[] = {1, 2, 5, 10, 19, 40, 1100};
    static const t_DType dtypes[] = {t_int64, t_float32, t_float64};
    t_manual_seed(4);
    for (int i = 0; i < 5 * 7 * 3 * 6; i++)
        with_scope() {
            if (rows[i / 18 % 5] * lengths[i / 90] > 80000) continue;
            const int way = i % 6;
            Tensor *x = laid_out(way, rows[i / 18 % 5], lengths[i / 90], dtypes[i / 6 % 3]), *copy = t_contiguous(x),
                   *at[4];
            Tensor *full = t_nan_to_num(copy, 0);
            for (int64_t d = 0; d < 2; d++) {
                check_same("max", way, x, t_max(x, d, .indices = &at[0]), t_max(copy, d, .indices = &at[1]));
                check_same("min", way, x, t_min(x, d, .indices = &at[2]), t_min(copy, d, .indices = &at[3]));
                check_same("max's indices", way, x, at[0], at[1]);
                check_same("min's indices", way, x, at[2], at[3]);
                check_same("argmin", way, x, t_argmin(x, d), at[3]);
                check_same("nansum", way, x, t_nansum(x, (d)), t_sum(full, (d)));
                check_same("sum", way, x, t_sum(x, (d)), t_sum(copy, (d)));
            }
            check_same("nansum", way, x, t_nansum(x), t_sum(full));
        }
    report_notes();
}
END_TEST

START_TEST(a_nan_is_the_best_from_there_on) {
    Tensor *at, *x = t_tensor("[[1., nan, 3., nan], [nan, 1., 2., -1.], [3., 1., 3., inf]]"),
                *y = t_cummax(x, 1, .indices = &at);
    expect_printed(y, "tensor([[1., nan, nan, nan],\n        [nan, nan, nan, nan],\n        [3., 3., 3., inf]])");
    expect_printed(at, "tensor([[0, 1, 1, 3],\n        [0, 0, 0, 0],\n        [0, 0, 2, 3]])");
    ck_assert(t_cummin(x, 1, .indices = &at));
    expect_printed(at, "tensor([[0, 1, 1, 3],\n        [0, 0, 0, 0],\n        [0, 1, 1, 1]])");
}
END_TEST

/* ---- hard to sort ---- */

/* Made by an adversary (M. D. McIlroy, 1999) to give each partition next to nothing, so that the sort and the selection
 * take to the heap; in pairs of equals, whose indices are the ones that PyTorch gave. */
START_TEST(a_killer_sequence_is_sorted_as_pytorch_sorts_it) {
    static const int64_t killer[60] = {57, 1,  47, 3,  53, 5,  45, 7,  59, 9,  43, 11, 51, 13, 41, 15, 55, 17, 20, 19,
                                       58, 56, 54, 52, 50, 48, 46, 44, 42, 49, 0,  2,  4,  6,  8,  10, 12, 14, 16, 18,
                                       40, 37, 38, 35, 36, 33, 34, 31, 32, 29, 30, 27, 28, 25, 26, 23, 24, 21, 22, 39};
    static const int64_t sorted[60] = {1,  30, 3,  31, 5,  32, 7,  33, 9,  34, 11, 35, 13, 36, 15, 37, 17, 38, 19, 39,
                                       18, 57, 55, 58, 53, 56, 54, 51, 52, 49, 47, 50, 45, 48, 43, 46, 41, 44, 59, 42,
                                       14, 40, 10, 28, 27, 6,  2,  26, 29, 25, 12, 24, 23, 4,  16, 22, 21, 0,  20, 8};
    static const int64_t smallest[30] = {30, 1,  3,  31, 5,  32, 7,  33, 9,  34, 11, 35, 13, 36, 15,
                                         37, 17, 38, 19, 39, 57, 18, 58, 55, 56, 53, 54, 51, 49, 52};
    int64_t pairs[60];
    for (int i = 0; i < 60; i++) pairs[i] = killer[i] / 2;
    Tensor *x = t_tensor(pairs, 60), *at = NULL;
    t_sort(x, .indices = &at);
    for (int i = 0; i < 60; i++) ck_assert_int_eq(((const int64_t *)t_data_ptr(at))[i], sorted[i]);
    t_topk(x, 30, .largest = false, .indices = &at);
    for (int i = 0; i < 30; i++) ck_assert_int_eq(((const int64_t *)t_data_ptr(at))[i], smallest[i]);
}
END_TEST

/* Of short rows too, in which some are equal and some are not. */
START_TEST(equal_elements_of_short_rows_are_in_pytorchs_order) {
    enum { ROWS = 10, N = 8, MOST = 3, LEAST = 5 };
    static const int64_t rows[ROWS][N] = {{0, 2, 1, 1, 3, 2, 2, 4}, {3, 1, 3, 1, 3, 2, 2, 0}, {1, 2, 3, 3, 1, 0, 0, 1},
                                          {3, 3, 3, 2, 0, 3, 1, 0}, {1, 3, 0, 1, 1, 2, 0, 0}, {4, 1, 4, 2, 2, 1, 4, 3},
                                          {2, 2, 4, 4, 2, 3, 0, 2}, {0, 0, 2, 2, 0, 2, 3, 2}, {0, 0, 3, 4, 2, 4, 1, 2},
                                          {1, 0, 2, 2, 0, 1, 3, 3}};
    static const int64_t most[ROWS][MOST] = {{7, 4, 5}, {2, 4, 0}, {3, 2, 1}, {2, 0, 5}, {1, 5, 4},
                                             {2, 0, 6}, {3, 2, 5}, {6, 3, 5}, {5, 3, 2}, {7, 6, 3}};
    static const int64_t least[ROWS][LEAST] = {{0, 2, 3, 6, 5}, {7, 1, 3, 5, 6}, {6, 5, 4, 7, 0}, {4, 7, 6, 3, 2},
                                               {7, 2, 6, 4, 0}, {1, 5, 4, 3, 7}, {6, 4, 7, 0, 1}, {1, 4, 0, 5, 7},
                                               {1, 0, 6, 7, 4}, {1, 4, 5, 0, 3}};
    Tensor *x = t_tensor(&rows[0][0], ROWS, N), *at = NULL;
    t_topk(x, MOST, .indices = &at);
    ck_assert(t_equal(at, t_tensor(&most[0][0], ROWS, MOST)));
    t_topk(x, LEAST, .largest = false, .indices = &at);
    ck_assert(t_equal(at, t_tensor(&least[0][0], ROWS, LEAST)));
}
END_TEST

START_TEST(every_way_of_sorting_sorts) {
    enum { N = 5000 };
    t_manual_seed(1);
    Tensor *x = t_randn(N), *ascending = t_sort(x), *same = t_sort(x, .stable = true),
           *descending = t_sort(x, .descending = true);
    const float *value = t_data_ptr(ascending);
    for (int i = 1; i < N; i++) ck_assert(value[i - 1] <= value[i]);
    ck_assert(t_equal(ascending, same));
    ck_assert(t_equal(descending, t_neg(t_sort(t_neg(x)))));
    ck_assert(t_equal(t_topk(x, 100), t_narrow(descending, 0, 0, 100)));
    ck_assert(t_equal(t_topk(x, 10, .largest = false), t_narrow(ascending, 0, 0, 10)));
    ck_assert(t_equal(t_kthvalue(x, 777), t_select(ascending, 0, 776)));
    ck_assert(t_equal(t_median(x), t_select(ascending, 0, (N - 1) / 2)));
    ck_assert(t_equal(t_quantile(x, 0), t_select(ascending, 0, 0)));
    ck_assert(t_equal(t_unique(x), t_unique_consecutive(ascending)));
}
END_TEST

/* The lower one in the middle, and of equals the one that a stable order has there: of numbers that rise and fall, that
 * are few, all alike, or NaN here and there. */
START_TEST(the_middle_is_that_of_a_stable_order) {
    t_manual_seed(4);
    for (int n = 1; n <= 20000; n += n < 40 ? 1 : n)
        for (int i = 0; i < 5; i++)
            with_scope() {
                Tensor *steps = t_arange(n), *rest = t_sub(n, steps),
                       *x = i == 0   ? t_minimum(steps, rest)
                            : i == 1 ? t_maximum(steps, rest)
                            : i == 2 ? t_randint(0, 5, (n))
                            : i == 3 ? t_zeros(n)
                                     : t_randn(n);
                Tensor *at = NULL, *order = t_argsort(x, .stable = true), *y = t_median(x, 0, .indices = &at);
                ck_assert(t_equal(at, t_select(order, 0, (n - 1) / 2)) && t_equal(y, t_select(x, 0, t_item_int64(at))));
                ck_assert(t_equal(y, t_median(x)));
                if (!t_is_floating_point(x)) continue;
                Tensor *some = t_where(t_lt(t_rand(n), 0.3), x, NAN);
                const int64_t left = t_item_int64(t_sum(t_logical_not(t_isnan(some))));
                order = t_argsort(some, .stable = true);
                (void)t_nanmedian(some, 0, .indices = &at);
                ck_assert(t_equal(at, t_select(order, 0, left ? (left - 1) / 2 : 0)));
                (void)t_median(some, 0, .indices = &at);
                ck_assert(t_equal(at, t_select(order, 0, left < n ? left : (n - 1) / 2)));
            }
}
END_TEST

/* Runs that are short, long, and of one element, one behind the other; and what is equal, but not the same. */
START_TEST(the_first_of_each_run_is_kept) {
    enum { N = 3000 };
    static const t_DType dtypes[] = {t_bool, t_int64, t_float32, t_float64};
    t_manual_seed(3);
    for (int n = 1; n <= N; n += n < 70 ? 1 : 977)
        for (int i = 0; i < 4; i++)
            with_scope() {
                Tensor *places = t_arange(n), *much = t_floor(t_div(t_to(places, t_float32), 40)),
                       *few = t_floor(t_mul(t_rand(n), 3));
                Tensor *then = t_where(t_lt(t_remainder(places, 300), 200), few, places);
                Tensor *x = t_to(t_where(t_lt(t_remainder(places, 300), 100), much, then), dtypes[i]);
                Tensor *groups, *y = t_unique_consecutive(x), *same = t_unique_consecutive(x, .inverse = &groups);
                ck_assert(t_equal(y, same) && t_dtype(y) == dtypes[i]);
                ck_assert(t_equal(t_index_select(y, 0, groups), x));
                ck_assert_int_eq(t_numel(y), t_item_int64(t_select(groups, 0, -1)) + 1);
            }
    Tensor *odd = t_tensor("[-0.0, 0.0, nan, nan, 1.0, 1.0]");
    expect_printed(t_unique_consecutive(odd), "tensor([-0., nan, nan, 1.])");
    expect_printed(t_unique_consecutive(t_tensor("[0.0, -0.0]")), "tensor([0.])");
    ck_assert_int_eq(t_numel(t_unique_consecutive(t_zeros(0))), 0);
}
END_TEST

/* ---- keywords ---- */

/* Without the old values, the extremes of narrow integers; PyTorch's numbers. */
START_TEST(extremes_of_narrow_integers) {
    const t_DType dtypes[] = {t_uint8, t_int8, t_int16, t_int32};
    Tensor *index = t_tensor("[0, 0, 2]");
    for (int i = 0; i < 4; i++) {
        Tensor *x = t_tensor("[5, 6, 7]", .dtype = dtypes[i]), *from = t_tensor("[3, 9, 1]", .dtype = dtypes[i]);
        Tensor *most = t_tensor("[9, 6, 1]", .dtype = dtypes[i]), *least = t_tensor("[3, 6, 1]", .dtype = dtypes[i]);
        HOLDS(t_equal(t_scatter_reduce(x, 0, index, from, "amax", .include_self = false), most));
        HOLDS(t_equal(t_scatter_reduce(x, 0, index, from, "amin", .include_self = false), least));
        HOLDS(t_equal(t_index_reduce(x, 0, index, from, "amax", .include_self = false), most));
        HOLDS(t_equal(t_index_reduce(x, 0, index, from, "amin", .include_self = false), least));
    }
    expect_refusal(!t_index_reduce(t_zeros(3), 0, t_tensor("[0, 3]"), t_ones(2), "prod"),
                   "index out of range in self");
    expect_refusal(!t_index_reduce(t_zeros(3), 0, t_tensor("[-1, 0]"), t_ones(2), "amax"),
                   "index out of range in self");
}
END_TEST

/* What fits no part of data; and with unsafe, a length beyond the end, which PyTorch reads. */
START_TEST(segments_that_do_not_fit) {
    Tensor *row = t_arange(6.0), *matrix = t_ones(2, 3), *one = t_tensor("[1]"), *two = t_tensor("[[1, 2], [1, 2]]");
    expect_refusal(!(t_segment_reduce)(t_tensor(1.0), "sum", one, NULL, NULL, 0, false, NAN),
                   "Expected data.dim() >= lengths_value.dim() to be true, but got false.");
    expect_refusal(!(t_segment_reduce)(row, "sum", two, NULL, NULL, 0, false, NAN),
                   "Expected data.dim() >= lengths_value.dim() to be true, but got false.");
    expect_refusal(!(t_segment_reduce)(matrix, "sum", one, NULL, NULL, 1, false, NAN),
                   "segment_reduce(): Expected axis to be the last dimension of lengths but got 1.");
    expect_refusal(!(t_segment_reduce)(matrix, "sum", NULL, NULL, one, 1, false, NAN),
                   "segment_reduce(): Expected axis to be the last dimension of offsets but got 1.");
    expect_refusal(!(t_segment_reduce)(t_ones(3, 3), "sum", two, NULL, NULL, 1, false, NAN),
                   "segment_reduce(): lengths of shape [2, 2] do not fit data of shape [3, 3]");
    expect_refusal(!(t_segment_reduce)(row, "sum", t_tensor("[6.]"), NULL, NULL, 0, false, NAN),
                   "\"_segment_reduce_lengths_cpu_kernel1\" not implemented for 'Float'");
    Tensor *cut = (t_segment_reduce)(row, "sum", t_tensor("[2, 9, 1]"), NULL, NULL, 0, true, NAN);
    HOLDS(t_equal(cut, t_tensor("[1., 0, 0]")));
    HOLDS(t_equal((t_segment_reduce)(row, "sum", t_tensor("[2, 1]"), NULL, NULL, 0, true, NAN), t_tensor("[1., 2]")));
}
END_TEST

/* Of equal bools the first, in rows and in columns. */
START_TEST(extremes_of_bools) {
    Tensor *x = t_tensor("[[0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0]]", .dtype = t_bool), *at = NULL;
    Tensor *most = t_tensor("[1, 1, 0]", .dtype = t_bool), *least = t_tensor("[0, 0, 0]", .dtype = t_bool);
    HOLDS(t_equal(t_max(x, 0, .indices = &at), most) && t_equal(at, t_tensor("[1, 0, 0]")));
    HOLDS(t_equal(t_min(x, 0, .indices = &at), least) && t_equal(at, t_tensor("[0, 2, 0]")));
    Tensor *rows = t_contiguous(t_t(x));
    HOLDS(t_equal(t_max(rows, 1, .indices = &at), most) && t_equal(at, t_tensor("[1, 0, 0]")));
    HOLDS(t_equal(t_min(rows, 1, .indices = &at), least) && t_equal(at, t_tensor("[0, 2, 0]")));
}
END_TEST

/* A covariance without degrees of freedom: PyTorch's warning, and its NaN and infinity. */
START_TEST(covariances_of_one_observation_are_warned_about) {
    catch_warnings();
    Tensor *one = t_cov(t_tensor("[[1.], [2.]]")), *two = t_cov(t_tensor("[1., 2.]"), .correction = 2);
    char *text = caught_warnings();
    HOLDS(t_item(t_sum(t_isnan(one))) == 4 && isinf(t_item(two)));
    ck_assert_ptr_nonnull(strstr(text, "UserWarning: cov(): degrees of freedom is <= 0. Correction should be strictly "
                                       "less than the number of observations.\n"));
    free(text);
}
END_TEST

START_TEST(keywords_are_pytorchs) {
    Tensor *x = t_tensor("[[1.0, 2.0, 3.0], [4.0, 6.0, 8.0]]");
    expect_printed(t_sum(x, .dim = 1, .keepdim = true), "tensor([[ 6.],\n        [18.]])");
    expect_printed(t_sum(x, (0, 1), .dtype = t_float64), "tensor(24., dtype=torch.float64)");
    expect_printed(t_mean(t_arange(4), .dtype = t_float32), "tensor(1.5000)");
    expect_printed(t_var(x, -1, .unbiased = false), "tensor([0.6667, 2.6667])");
    expect_printed(t_var(x, -1), "tensor([1., 4.])");
    expect_printed(t_std(x, .dim = 1, .correction = 0), "tensor([0.8165, 1.6330])");
    expect_printed(t_norm(x, .dim = 1), "tensor([ 3.7417, 10.7703])");
    expect_printed(t_norm(x, 1, -1, .keepdim = true), "tensor([[ 6.],\n        [18.]])");
    expect_printed(t_norm(x, INFINITY), "tensor(8.)");
    expect_printed(t_sort(x, 1, true), "tensor([[3., 2., 1.],\n        [8., 6., 4.]])");
    expect_printed(t_argsort(x, .descending = true), "tensor([[2, 1, 0],\n        [2, 1, 0]])");
    expect_printed(t_topk(x, 1, 0, false), "tensor([[1., 2., 3.]])");
    expect_printed(t_cumsum(x, 0, .dtype = t_int64), "tensor([[ 1,  2,  3],\n        [ 5,  8, 11]])");
    expect_printed(t_prod(x, .dim = 0), "tensor([ 4., 12., 24.])");
    expect_printed(t_quantile(x, 0.25, 1, .interpolation = "lower"), "tensor([1., 4.])");
    expect_printed(t_diff(x, .n = 2), "tensor([[0.],\n        [0.]])");
    expect_printed(t_bincount(t_tensor("[1, 1, 2]"), .minlength = 4), "tensor([0, 2, 1, 0])");
    expect_printed(t_histc(x, 2), "tensor([4., 2.])");
    expect_printed(t_softmax(t_zeros(2), 0, .dtype = t_float64), "tensor([0.5000, 0.5000], dtype=torch.float64)");
}
END_TEST

Suite *reductions_suite(void);
Suite *reductions_suite(void) {
    Suite *suite = suite_create("reductions");
    TCase *tests = tcase_create("reductions");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, products_of_zeros_have_second_orders);
    tcase_add_test(tests, norms_and_spreads_at_zero_pass_nothing_on);
    tcase_add_test(tests, nans_share_the_gradient);
    tcase_add_test(tests, second_results_live_in_the_callers_scope);
    tcase_add_test(tests, what_has_no_derivative_says_so);
    tcase_add_test(tests, long_rows_lose_nothing);
    tcase_add_test(tests, products_of_floats_end_where_pytorchs_do);
    tcase_add_test(tests, rows_of_any_length_are_brought_together);
    tcase_add_test(tests, slices_have_the_extremes_and_sums_of_their_copies);
    tcase_add_test(tests, a_nan_is_the_best_from_there_on);
    tcase_add_test(tests, a_killer_sequence_is_sorted_as_pytorch_sorts_it);
    tcase_add_test(tests, equal_elements_of_short_rows_are_in_pytorchs_order);
    tcase_add_test(tests, every_way_of_sorting_sorts);
    tcase_add_test(tests, the_middle_is_that_of_a_stable_order);
    tcase_add_test(tests, the_first_of_each_run_is_kept);
    tcase_add_test(tests, extremes_of_narrow_integers);
    tcase_add_test(tests, segments_that_do_not_fit);
    tcase_add_test(tests, extremes_of_bools);
    tcase_add_test(tests, covariances_of_one_observation_are_warned_about);
    tcase_add_test(tests, keywords_are_pytorchs);
    suite_add_tcase(suite, tests);
    return suite;
}
