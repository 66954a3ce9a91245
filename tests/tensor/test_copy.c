/* tests/tensor/test_copy.c: copies from any layout to any other and conversions, compared with one element at a time;
 * pools compared with their composed forms. Sizes that fill vectors, pieces and strips, and that do not. */
#include <math.h>
#include <stdlib.h>

#include "core/kernels/parallel.h"
#include "core/tensor/tensor.h"
#include "nn/modules/recurrent_internal.h"
#include "tests/support/models/model_support.h"

static const t_DType dtypes[] = {t_bool, t_int64, t_float32, t_float64};

/* ---- copies ---- */

/* The element at an index of x, as a double. */
static double at(const Tensor *x, int64_t i) {
    int64_t offset = 0;
    for (int d = x->ndim - 1; d >= 0; i /= x->shape[d--]) offset += i % x->shape[d] * x->strides[d];
    switch (x->dtype) {
    case t_bool: return ((const bool *)tg_data(x))[offset];
    case t_int64: return (double)((const int64_t *)tg_data(x))[offset];
    case t_float32: return ((const float *)tg_data(x))[offset];
    default: return ((const double *)tg_data(x))[offset];
    }
}

static void expect_equal(const char *what, Tensor *y, Tensor *x) {
    ck_assert_msg(y && x && t_numel(y) == t_numel(x), "%s: %s", what, t_error() ? t_error() : "another size");
    for (int64_t i = 0, n = tg_numel(x); i < n; i++)
        if (at(x, i) != at(y, i)) {
            note("%s, %s: element %lld is %g, not %g", what, t_size_repr(x), (long long)i, at(y, i), at(x, i));
            return;
        }
}

/* Contiguous, onto a transposed layout, and as a part of something larger. */
static void expect_copies(const char *what, Tensor *x) {
    expect_equal(what, t_contiguous(x), x);
    Tensor *transposed = t_transpose(t_empty_like(t_contiguous(t_transpose(x, 0, -1))), 0, -1);
    expect_equal(what, t_copy_(transposed, x), x);
    Tensor *twice = t_cat((x, x), -1);
    expect_equal(what, t_narrow(twice, -1, t_size(x, -1), t_size(x, -1)), x);
}

START_TEST(copies_are_exact) {
    const int64_t shapes[][3] = {{3, 5, 1400}, {2, 1300, 3}, {40, 33, 17}, {4, 64, 64}, {1, 9, 700}, {2, 2, 2}};
    for (int k = 0; k < 4; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            int depth = t_scope_open();
            Tensor *x = hashed_tensor("I", shapes[s], 3, 5, 0, t_int64);
            x = (t_to)(x, dtypes[k]);
            expect_copies("as it is", x);
            expect_copies("0 2 1", t_permute(x, 0, 2, 1));
            expect_copies("2 1 0", t_permute(x, 2, 1, 0));
            expect_copies("1 0 2", t_permute(x, 1, 0, 2));
            expect_copies("2 0 1", t_permute(x, 2, 0, 1));
            expect_copies("every other", t_slice(x, 2, 1, T_NONE, 2));
            expect_copies("every third", t_slice(x, 1, 0, T_NONE, 3));
            expect_copies("expanded", t_expand(t_narrow(x, 2, 1, 1), -1, -1, 37));
            expect_copies("expanded rows", t_expand(t_narrow(x, 1, 0, 1), -1, 21, -1));
            expect_equal("flip", t_flip(t_flip(x, (2)), (2)), x);
            Tensor *flipped = t_flip(x, (2));
            for (int64_t i = 0, n = x->shape[2], all = tg_numel(x); i < all; i += 7)
                if (at(flipped, i) != at(x, i / n * n + n - 1 - i % n)) ck_abort_msg("flip of %s", t_size_repr(x));
            if (s > 1) {
                t_scope_close(depth);
                continue;
            }
            for (int to = 0; to < 4; to++) {
                expect_equal("cast", (t_to)((t_to)(x, dtypes[to]), t_float64),
                             dtypes[to] == t_bool ? t_double(t_ne(x, 0)) : t_double(x));
                Tensor *apart = t_permute(x, 2, 0, 1);
                expect_equal("cast of a view", (t_to)(apart, dtypes[to]), (t_to)(t_contiguous(apart), dtypes[to]));
            }
            t_scope_close(depth);
        }
    report_notes();
}
END_TEST

/* Loops over a transposed operand run in tiles; of bytes in squares of 8 x 8, and what is left of the last ones. */
START_TEST(transposed_operands_of_a_loop) {
    static const int64_t sizes[][2] = {{128, 64}, {130, 67}, {17, 301}, {300, 19}};
    for (int i = 0; i < 4; i++)
        with_scope() {
            const int64_t m = sizes[i][0], n = sizes[i][1];
            t_manual_seed(i);
            Tensor *flags = t_lt(t_rand(m, n), 0.3), *others = t_lt(t_rand(n, m), 0.6);
            Tensor *bytes = t_randint(0, 200, (m, n), .dtype = t_uint8), *x = t_rand(n, m), *y = t_rand(m, n);
            Tensor *turned = t_contiguous(t_t(flags)), *y_turned = t_contiguous(t_t(y));
            HOLDS(t_equal(t_logical_and(others, t_t(flags)), t_logical_and(others, turned)));
            HOLDS(t_equal(t_where(t_t(flags), x, t_t(y)), t_where(turned, x, y_turned)));
            Tensor *more = t_randint(0, 50, (n, m), .dtype = t_uint8);
            HOLDS(t_equal(t_add(more, t_t(bytes)), t_add(more, t_contiguous(t_t(bytes)))));
            HOLDS(t_equal(t_masked_fill(x, t_t(flags), 2), t_masked_fill(x, turned, 2)));
        }
}
END_TEST

START_TEST(large_int64_are_rounded_once) {
    int64_t numbers[37];
    for (int i = 0; i < 37; i++) numbers[i] = (int64_t)((uint64_t)(i - 18) * 0x123456789abcdef1u) >> (i % 7);
    Tensor *x = (t_tensor_from_data)(numbers, t_int64, SHAPE(37), NULL);
    const double *d = t_data_ptr(t_double(x));
    const float *f = t_data_ptr(t_float(x));
    for (int i = 0; i < 37; i++) ck_assert(d[i] == (double)numbers[i] && f[i] == (float)numbers[i]);
}
END_TEST

/* ---- pools ---- */

typedef struct Sizes {
    int64_t width, kernel, stride, padding;
} Sizes;
static const Sizes sizes[] = {{70, 2, 2, 0}, {37, 3, 1, 1}, {41, 3, 2, 1}, {50, 5, 3, 2}, {9, 4, 4, 0}, {23, 2, 1, 0}};

/* (N, C, positions in the window, positions in x): what the window covers. */
static Tensor *windows(Tensor *x, const Sizes *s) {
    return t_unflatten(F_unfold(x, s->kernel, .padding = s->padding, .stride = s->stride), 1,
                       (t_size(x, 1), s->kernel * s->kernel));
}

static void expect_gradients(const char *what, Tensor *y, Tensor *same, Tensor *x) {
    Tensor *dy = hashed_tensor("R", t_shape(y), (int)t_dim(y), 5, 3, t_dtype(y));
    Tensor *dx[2], *ys[] = {y, t_reshape_as(same, y)};
    for (int i = 0; i < 2; i++) {
        t_set_grad(x, NULL);
        t_backward(ys[i], .gradient = dy, .retain_graph = true, .create_graph = false);
        dx[i] = t_clone(t_grad(x));
    }
    t_set_grad(x, NULL);
    compare_tensors(what, dx[0], dx[1], GRADIENT);
    t_backward(y, .gradient = dy, .create_graph = true); /* the composed rule */
    compare_tensors(what, dx[0], t_detach(t_grad(x)), GRADIENT);
    t_set_grad(x, NULL);
}

START_TEST(pools_equal_their_composed_forms) {
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
        int depth = t_scope_open();
        const Sizes *s = &sizes[k / 2];
        const t_DType dtype = dtypes[2 + k % 2];
        Tensor *x = hashed_tensor("p", SHAPE(2, 3, 12, s->width), 5, (int)k, dtype); /* positive: padding never wins */
        Tensor *most = F_max_pool2d(x, s->kernel, s->stride, s->padding),
               *mean = F_avg_pool2d(x, s->kernel, s->stride, s->padding);
        Tensor *same = t_max(windows(x, s), 2), *means = t_mean(windows(x, s), 2);
        compare_tensors("max", most, t_reshape_as(same, most), VALUE);
        compare_tensors("mean", mean, t_reshape_as(means, mean), VALUE);
        expect_gradients("max", most, same, x);
        expect_gradients("mean", mean, means, x);
        t_scope_close(depth);
    }
    report_notes();
}
END_TEST

START_TEST(the_last_nan_wins_a_pool_and_the_first_of_equals) {
    Tensor *x = t_zeros(1, 1, 4, 64), *indices;
    t_set(x, "0, 0, 1, 3", t_number(NAN));
    t_set(x, "0, 0, 0, 2", t_number(NAN));
    t_set(x, "0, 0, 3, 40", t_number(1));
    Tensor *y = F_max_pool2d(x, 2, .indices = &indices);
    ck_assert(isnan(at(y, 1)) && at(indices, 1) == 64 + 3);
    ck_assert(at(y, 32 + 20) == 1 && at(indices, 32 + 20) == 3 * 64 + 40);
    ck_assert(at(indices, 5) == 10 && at(indices, 32 + 31) == 2 * 64 + 62);
}
END_TEST

/* ---- convolutions ---- */

typedef struct Shape {
    int64_t N, C, H, W, O, kernel, stride, padding, dilation, groups;
} Shape;
static const Shape shapes[] = {
    {5, 6, 7, 7, 9, 3, 1, 1, 1, 1},      /* several samples in a block */
    {40, 3, 5, 5, 20, 5, 1, 0, 1, 1},    /* one position a sample */
    {2, 40, 20, 22, 13, 3, 1, 1, 1, 1},  /* two slabs */
    {3, 8, 17, 19, 12, 3, 2, 1, 1, 4},   /* groups, every other element */
    {1, 5, 30, 31, 7, 3, 3, 2, 2, 1},    /* every third, dilated */
    {2, 4, 40, 37, 200, 1, 1, 0, 1, 1},  /* two chunks; a window of one element */
    {2, 4, 13, 11, 6, 1, 2, 0, 1, 1},
    {2, 3, 9, 10, 4, 4, 1, 3, 1, 1},     /* more padding than elements at the edge */
};

/* y[n, o, p] = sum over k of w[o, k] columns[n, k, p], group by group. */
static Tensor *by_columns(Tensor *x, Tensor *w, const Shape *s) {
    Tensor *columns = F_unfold(x, s->kernel, .dilation = s->dilation, .padding = s->padding, .stride = s->stride);
    Tensor *grouped = t_reshape(columns, s->N, s->groups, -1, t_size(columns, 2));
    return t_matmul(t_reshape(w, s->groups, s->O / s->groups, -1), grouped);
}

START_TEST(convolutions_are_products_with_columns) {
    for (size_t k = 0; k < 2 * sizeof shapes / sizeof *shapes; k++) {
        int depth = t_scope_open();
        const Shape *s = &shapes[k / 2];
        const t_DType dtype = dtypes[2 + k % 2];
        Tensor *x = hashed_tensor("r", SHAPE(s->N, s->H, s->W, s->C), 5, (int)k, dtype),
               *over = t_permute(x, 0, 3, 1, 2);
        Tensor *w = hashed_tensor("r", SHAPE(s->O, s->C / s->groups, s->kernel, s->kernel), 6, (int)k, dtype);
        Tensor *b = hashed_tensor("r", SHAPE(s->O), 7, (int)k, dtype);
        Tensor *y =
            F_conv2d(k % 4 < 2 ? over : t_contiguous(over), w, b, s->stride, s->padding, s->dilation, s->groups);
        Tensor *same = t_add(t_reshape_as(by_columns(over, w, s), y), t_reshape(b, 1, -1, 1, 1));
        Tensor *dy = hashed_tensor("R", t_shape(y), 4, 8, (int)k, dtype), *leaves[] = {x, w, b}, *first[3],
               *ys[] = {y, same};
        compare_tensors("convolution", y, same, GRADIENT);
        for (int i = 0; i < 2; i++) {
            t_backward(ys[i], .gradient = dy);
            for (int j = 0; j < 3; j++) {
                if (i) compare_tensors("gradient of a convolution", first[j], t_grad(leaves[j]), GRADIENT);
                first[j] = t_clone(t_grad(leaves[j]));
                t_set_grad(leaves[j], NULL);
            }
        }
        t_scope_close(depth);
    }
    report_notes();
}
END_TEST

/* ---- recurrences ---- */

enum { GATED = 7 }; /* x, the weights, the biases, the states */

/* The results of one way through a sequence, and the gradients of all inputs from all of them; create: also those of
 * the sum of their squares. */
static t_TensorList *sequence(const tg_Recurrence *recurrence, bool fused, bool reverse, bool create,
                              Tensor *const in[GATED]) {
    const tg_Weights w = {in[1], in[2], in[3], in[4], NULL};
    Tensor *h = in[5], *c = recurrence->has_cell ? in[6] : NULL;
    ck_assert(tg_can_run_sequence(recurrence, &w, in[0], h, c));
    Tensor *y = (fused ? tg_run_sequence : tg_run_steps)(recurrence, &w, in[0], reverse, &h, &c), *of[GATED];
    t_TensorList *all = t_list_new((Tensor *[]){y, h, c}, recurrence->has_cell ? 3 : 2),
                 *from = t_list_new(all->items, (int)all->len);
    t_TensorList *weights = t_list_new(NULL, 0);
    int count = 0;
    for (int64_t i = 0; i < from->len; i++)
        t_list_append(weights, hashed_tensor("R", from->items[i]->shape, from->items[i]->ndim, 21, (int)i, y->dtype));
    for (int i = 0; i < GATED; i++)
        if (in[i] && (i < 6 || c)) of[count++] = in[i];
    const t_GradOptions options = {
        .size = sizeof options, .grad_outputs = weights, .create_graph = create, .retain_graph = true};
    t_TensorList *dx = (t_autograd_grad)(from, t_list_new(of, count), &options);
    ck_assert_msg(dx, "%s", t_error());
    Tensor *squares = t_tensor(0.0, .dtype = y->dtype);
    for (int64_t i = 0; i < dx->len; i++) t_list_append(all, dx->items[i]);
    for (int64_t i = 0; i < dx->len && create; i++) squares = t_add(squares, t_sum(t_square(dx->items[i])));
    const t_GradOptions second = {.size = sizeof second, .allow_unused = true, .materialize_grads = true};
    t_TensorList *ddx =
        create ? (t_autograd_grad)(list_of(squares), t_list_new(of, count), &second) : t_list_new(NULL, 0);
    ck_assert_msg(ddx, "%s", t_error());
    for (int64_t i = 0; i < ddx->len; i++) t_list_append(all, ddx->items[i]);
    return all;
}

START_TEST(sequences_are_their_steps) {
    const tg_Recurrence *const kinds[] = {&tg_lstm, &tg_gru, tg_rnn_of("tanh"), tg_rnn_of("relu")};
    const int64_t sizes_of[][4] = {{7, 3, 5, 11}, {1, 2, 3, 8}, {4, 40, 6, 70}}; /* T, B, inputs, H */
    for (int k = 0; k < 4 * 3 * 8; k++) {
        int depth = t_scope_open();
        const tg_Recurrence *recurrence = kinds[k % 4];
        const int64_t *z = sizes_of[k / 4 % 3], rows = recurrence->gates * z[3];
        const bool reverse = k / 12 % 2, create = k / 24 % 2;
        const t_DType dtype = dtypes[2 + k / 48];
        Tensor *in[GATED] = {hashed_tensor("r", SHAPE(z[0], z[1], z[2]), 9, 0, dtype),
                             hashed_tensor("r", SHAPE(rows, z[2]), 9, 1, dtype),
                             hashed_tensor("r", SHAPE(rows, z[3]), 9, 2, dtype),
                             NULL,
                             NULL,
                             hashed_tensor("r", SHAPE(z[1], z[3]), 9, 5, dtype),
                             hashed_tensor("r", SHAPE(z[1], z[3]), 9, 6, dtype)};
        for (int i = 3; i < 5 && k % 3; i++) in[i] = hashed_tensor("r", SHAPE(rows), 9, i, dtype);
        with_no_grad() for (int i = 1; i < 3; i++) t_mul_(in[i], 0.1); /* else the gates are at their ends */
        t_TensorList *a = sequence(recurrence, true, reverse, create, in),
                     *b = sequence(recurrence, false, reverse, create, in);
        ck_assert(a->len == b->len);
        for (int64_t i = 0; i < a->len; i++) compare_tensors(recurrence->name, a->items[i], b->items[i], GRADIENT);
        t_scope_close(depth);
    }
    report_notes();
}
END_TEST

/* ---- threads ---- */

START_TEST(any_number_of_threads_copies_the_same_bits) {
    const int before = tg_num_threads();
    Tensor *x = hashed_tensor("r", SHAPE(8, 16, 40, 44), 5, 0, t_float32), *first[5] = {NULL};
    Tensor *w = hashed_tensor("r", SHAPE(24, 16, 3, 3), 5, 1, t_float32);
    for (int threads = 1; threads <= 3; threads++) {
        tg_set_num_threads(threads);
        t_set_grad(x, NULL);
        t_set_grad(w, NULL);
        Tensor *y = F_avg_pool2d(F_max_pool2d(F_conv2d(x, w, .padding = 1), 2), 3, 1, 1),
               *moved = t_contiguous(t_permute(x, 1, 3, 0, 2));
        t_backward(y, .gradient = t_ones_like(y));
        Tensor *now[] = {y, moved, t_clone(t_grad(x)), t_flip(x, (1, 3)), t_clone(t_grad(w))};
        for (int i = 0; i < 5; i++)
            if (!first[i]) first[i] = now[i];
            else
                ck_assert_msg(fnv_of(first[i], FNV_START) == fnv_of(now[i], FNV_START), "result %d with %d threads", i,
                              threads);
    }
    tg_set_num_threads(before);
}
END_TEST

Suite *copy_suite(void) {
    Suite *suite = suite_create("copy");
    TCase *tcase = tcase_create("movement");
    tcase_add_checked_fixture(tcase, support_setup, support_teardown);
    tcase_add_test(tcase, copies_are_exact);
    tcase_add_test(tcase, large_int64_are_rounded_once);
    tcase_add_test(tcase, transposed_operands_of_a_loop);
    tcase_add_test(tcase, pools_equal_their_composed_forms);
    tcase_add_test(tcase, the_last_nan_wins_a_pool_and_the_first_of_equals);
    tcase_add_test(tcase, convolutions_are_products_with_columns);
    tcase_add_test(tcase, sequences_are_their_steps);
    tcase_add_test(tcase, any_number_of_threads_copies_the_same_bits);
    suite_add_tcase(suite, tcase);
    return suite;
}
