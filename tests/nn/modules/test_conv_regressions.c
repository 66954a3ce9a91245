/* tests/nn/modules/test_conv_regressions.c: cases beyond test_conv_modules.c: large images, channels last, empty
 * batches, states and errors. Part of that suite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/model_support.h"
#include "tests/support/refusals.h"

void add_conv_regression_tests(Suite *suite);

/* ---- windows of long rows ---- */

/* Windows as wide as the image: their maximum, also a NaN, and the gradient of their mean. */
START_TEST(pools_of_long_rows) {
    for (int width = 12; width < 70; width += 19) {
        t_manual_seed(width);
        Tensor *x = t_randn(2, 3, 4, width, .requires_grad = true), *indices = NULL, *at = NULL;
        for (int has_nan = 0; has_nan < 2; has_nan++) {
            if (has_nan) t_set(t_detach(x), "1, 2, 3, {}", width - 1, (double)NAN);
            Tensor *y = F_max_pool2d(x, (4, width), .indices = &indices);
            Tensor *most = t_max(t_flatten(t_detach(x), 2), 2, .indices = &at);
            HOLDS(t_allclose(t_flatten(t_detach(y), 1), most, .rtol = 0, .atol = 0, .equal_nan = true));
            HOLDS(t_equal(t_flatten(indices, 1), at));
        }
        t_backward(t_sum(F_avg_pool2d(x, (4, width))));
        HOLDS(t_allclose(t_grad(x), t_full((2, 3, 4, width), 0.25 / width), .rtol = 1e-6));
    }
}
END_TEST

/* ---- bfloat16, where there is no memory for the widened operands ---- */

static bool convolve_bfloat16(void *expected) {
    const int depth = t_scope_open();
    const t_TensorOptions options = {.size = sizeof options, .dtype = t_bfloat16};
    Tensor *x = depth ? (t_ones)((int64_t[]){1, 2, 4, 4}, 4, &options) : NULL;
    Tensor *w = x ? (t_ones)((int64_t[]){3, 2, 3, 3}, 4, &options) : NULL;
    Tensor *bias = w ? (t_ones)((int64_t[]){3}, 1, &options) : NULL;
    Tensor *y = bias ? (F_conv2d)(x, w, bias, NULL) : NULL;
    Tensor *max = y ? (t_max)(y, T_NONE, false, NULL) : NULL;
    if (max && (t_item)(max) != *(double *)expected) note("the bias is missing");
    const bool done = max != NULL;
    t_scope_close(depth);
    return done;
}

START_TEST(a_narrow_convolution_stops_at_an_error) {
    double expected = 19;
    refuse_all("conv2d of bfloat16", convolve_bfloat16, NULL, &expected);
    report_notes();
}
END_TEST

/* ---- more than one block ---- */

static Tensor *hashed(const char *kind, const int64_t *shape, int ndim, int which) {
    return hashed_tensor(kind, shape, ndim, 11, which, t_float64);
}

/* y = W columns, the im2col matrix from F_unfold. */
static Tensor *by_columns(Tensor *x, Tensor *w) {
    int64_t O = t_size(w, 0), H = t_size(x, 2), W = t_size(x, 3);
    Tensor *columns = F_unfold(x, 3, .padding = 1);
    return t_reshape(t_matmul(t_reshape(w, O, -1), columns), t_size(x, 0), O, H, W);
}

static void compare_gradients(const char *what, Tensor *a, Tensor *b, Tensor *x, Tensor *w, Tensor *dy) {
    Tensor *dx[2], *dw[2], *ys[] = {a, b};
    for (int i = 0; i < 2; i++) {
        t_set_grad(x, NULL);
        t_set_grad(w, NULL);
        t_backward(ys[i], .gradient = dy);
        dx[i] = t_clone(t_grad(x));
        dw[i] = t_clone(t_grad(w));
    }
    compare_tensors(what, dx[0], dx[1], GRADIENT);
    compare_tensors(what, dw[0], dw[1], GRADIENT);
}

static void expect_as_by_columns(const char *what, Tensor *x, Tensor *w, Tensor *dy) {
    Tensor *y = F_conv2d(x, w, .padding = 1), *same = by_columns(x, w);
    compare_tensors(what, y, same, VALUE);
    compare_gradients(what, y, same, x, w, dy);
    report_notes();
}

/* An image whose im2col matrix needs several blocks. */
START_TEST(blocks_make_no_difference) {
    expect_as_by_columns("several blocks", hashed("r", SHAPE(2, 8, 50, 40), 0), hashed("r", SHAPE(4, 8, 3, 3), 1),
                         hashed("R", SHAPE(2, 4, 50, 40), 2));
}
END_TEST

/* One row of output positions that is larger than a block. */
START_TEST(a_row_may_be_larger_than_a_block) {
    expect_as_by_columns("long rows", hashed("r", SHAPE(1, 8, 3, 1200), 0), hashed("r", SHAPE(2, 8, 3, 3), 1),
                         hashed("R", SHAPE(1, 2, 3, 1200), 2));
}
END_TEST

/* ---- depthwise convolution ---- */

typedef struct Depthwise {
    int64_t each, H, W, kernel[2], stride, padding, dilation; /* each: channels of y per channel of x */
} Depthwise;
static const Depthwise depthwise[] = {
    {1, 9, 37, {3, 3}, 1, 1, 1},  {2, 11, 13, {3, 3}, 2, 1, 1}, {1, 8, 20, {3, 2}, 1, 2, 2},
    {1, 10, 10, {2, 2}, 3, 0, 1}, {3, 5, 70, {5, 4}, 1, 2, 1},  {1, 1, 5, {1, 3}, 1, 1, 1},
};

/* 1 where channel c of x belongs to output e of channel d, that is c == d: (3, 3, 1, 1, 1), of (c, d, e, kernel). */
static Tensor *same_channel(t_DType dtype) {
    return t_to(t_reshape(t_eye(3), 3, 3, 1, 1, 1), dtype);
}

/* A depthwise convolution of three groups compared with one without groups whose other weights are 0, which is computed
 * by matrix products. */
static void compare_depthwise(const Depthwise *k, t_DType dtype, bool transposed) {
    const int64_t all = 3 * k->each;
    Tensor *x = t_requires_grad_(t_to(t_detach(hashed("r", SHAPE(2, 3, k->H, k->W), 0)), dtype), true);
    Tensor *w =
        t_requires_grad_(t_to(t_detach(hashed("r", SHAPE(3, k->each, k->kernel[0], k->kernel[1]), 1)), dtype), true);
    Tensor *all_w = t_mul(t_unsqueeze(w, 0), same_channel(dtype)); /* (c, d, e, kernel), d: w's channel */
    Tensor *y, *same;
    if (transposed) {
        all_w = t_reshape(all_w, 3, all, k->kernel[0], k->kernel[1]);
        y = F_conv_transpose2d(x, w, .stride = k->stride, .padding = k->padding, .dilation = k->dilation, .groups = 3);
        same = F_conv_transpose2d(x, all_w, .stride = k->stride, .padding = k->padding, .dilation = k->dilation);
    } else {
        all_w = t_transpose(t_reshape(all_w, 3, all, k->kernel[0], k->kernel[1]), 0, 1);
        y = F_conv2d(x, t_reshape(w, all, 1, k->kernel[0], k->kernel[1]), .stride = k->stride, .padding = k->padding,
                     .dilation = k->dilation, .groups = 3);
        same = F_conv2d(x, all_w, .stride = k->stride, .padding = k->padding, .dilation = k->dilation);
    }
    Tensor *dy = t_to(hashed("R", SHAPE(t_size(y, 0), t_size(y, 1), t_size(y, 2), t_size(y, 3)), 2), dtype);
    compare_tensors(transposed ? "transposed depthwise" : "depthwise", y, same, VALUE);
    compare_gradients("gradients of depthwise", y, same, x, w, dy);
}

START_TEST(depthwise_convolutions_agree_with_products) {
    const int64_t threads = t_get_num_threads();
    t_set_num_threads(_i % 2 ? 3 : 1);
    compare_depthwise(&depthwise[_i / 2], t_float64, false);
    compare_depthwise(&depthwise[_i / 2], t_float32, false);
    if (depthwise[_i / 2].kernel[0] > 1) compare_depthwise(&depthwise[_i / 2], t_float64, true);
    t_set_num_threads(threads);
    report_notes();
}
END_TEST

/* ---- channels last ---- */

/* x in the order (N, H, W, C) of memory, shown as (N, C, H, W). */
static Tensor *channels_last(Tensor *x) {
    return t_permute(t_contiguous(t_permute(x, 0, 2, 3, 1)), 0, 3, 1, 2);
}

static Tensor *through(int which, Tensor *x) {
    Tensor *w = t_to(hashed("R", SHAPE(4, 3, 3, 3), 5), t_dtype(x)),
           *one = t_to(hashed("R", SHAPE(4, 3, 1, 1), 6), t_dtype(x));
    switch (which) {
    case 0: return F_conv2d(x, channels_last(w), .padding = 1);
    case 1: return F_conv2d(x, one);
    case 2: return F_conv_transpose2d(x, t_transpose(t_narrow(w, 0, 0, 3), 0, 1), NULL, 2);
    case 3: return F_max_pool2d(x, 2);
    case 4: return F_avg_pool2d(x, 3, 1, 1);
    case 5: return F_adaptive_avg_pool2d(x, .output_size = {2, 3});
    case 6: return F_batch_norm(x, NULL, NULL, .training = true);
    case 7: return F_group_norm(x, 3);
    case 8: return F_unfold(x, 2);
    default: return F_pad(x, (1, 1, 2, 0), "reflect");
    }
}

START_TEST(channels_last_gives_the_same) {
    for (int real = t_float32; real <= t_float64; real++) {
        Tensor *x = hashed_tensor("S", SHAPE(2, 3, 6, 5), 3, 0, (t_DType)real), *xs[] = {x, channels_last(x)}, *ys[2],
               *dxs[2];
        for (int i = 0; i < 2; i++) {
            t_requires_grad_(xs[i] = i ? t_detach(xs[i]) : xs[i], true);
            ys[i] = through(_i, xs[i]);
            HOLDS(ys[i] != NULL);
            Tensor *dy = hashed_tensor("R", t_shape(ys[i]), (int)t_dim(ys[i]), 4, 0, (t_DType)real);
            t_backward(ys[i], .gradient = t_dim(dy) == 4 && i ? channels_last(dy) : dy);
            dxs[i] = t_grad(xs[i]);
        }
        compare_tensors("channels last", ys[1], ys[0], VALUE);
        compare_tensors("the gradient, channels last", dxs[1], dxs[0], GRADIENT);
    }
    report_notes();
}
END_TEST

/* ---- empty batches, states ---- */

static nn_Sequential *small_net(void) {
    return nn_Sequential(nn_Conv2d(1, 4, 3), nn_BatchNorm2d(4), nn_ReLU(), nn_MaxPool2d(2), nn_AvgPool2d(2),
                         nn_AdaptiveAvgPool2d(1), nn_Flatten(), nn_Linear(4, 2));
}

/* More padding than the kernel reaches: windows that see no element. */
START_TEST(padding_around_a_kernel_of_one) {
    Tensor *x = t_requires_grad_(t_randn(2, 40, 5, 6), true), *w = t_requires_grad_(t_randn(32, 40, 1, 1), true);
    Tensor *y = F_conv2d(x, w, NULL, .padding = {2, 1}), *dy = t_randn_like(y);
    t_backward(y, dy);
    Tensor *inner = t_at(dy, ":, :, 2:-2, 1:-1"), *rows = t_reshape(t_permute(inner, 0, 2, 3, 1), 60, 32);
    Tensor *dx = t_permute(t_reshape(t_matmul(rows, t_reshape(t_detach(w), 32, 40)), 2, 5, 6, 40), 0, 3, 1, 2);
    HOLDS(t_allclose(t_grad(x), dx, .rtol = 1e-4, .atol = 1e-5));
    Tensor *inputs = t_reshape(t_permute(t_detach(x), 0, 2, 3, 1), 60, 40);
    HOLDS(t_allclose(t_grad(w), t_reshape(t_matmul(t_t(rows), inputs), 32, 40, 1, 1), .rtol = 1e-4, .atol = 1e-4));
}
END_TEST

START_TEST(an_empty_batch_goes_through) {
    nn_Sequential *net = small_net();
    nn_BatchNorm2d *norm = nn_get(net, 1);
    Tensor *x = t_zeros(0, 1, 10, 10, .requires_grad = true), *y = nn_call(net, x);
    ck_assert_str_eq(t_size_repr(y), "torch.Size([0, 2])");
    t_backward(t_sum(y));
    ck_assert_str_eq(t_size_repr(t_grad(x)), "torch.Size([0, 1, 10, 10])");
    expect_printed(t_detach(norm->running_mean), "tensor([0., 0., 0., 0.])");
}
END_TEST

/* In evaluation mode the gradient does not depend on x. */
START_TEST(batch_norm_in_evaluation_has_a_gradient_without_x) {
    for (int wide = 0; wide < 2; wide++) {
        Tensor *x = wide ? t_zeros(2, 3, 20) : t_zeros(2, 3);
        t_set(x, "0, 0", INFINITY);
        t_set(x, "1, 1", NAN);
        Tensor *y = F_batch_norm(t_requires_grad_(x, true), t_zeros(3), t_ones(3), t_full(3, 2.0), .eps = 0);
        t_backward(y, t_ones_like(y));
        ck_assert(t_equal(t_grad(x), t_full_like(x, 2)));
    }
}
END_TEST

/* In evaluation mode no statistic changes, in training mode all do; a change of dtype leaves the counter int64. */
START_TEST(batch_norm_counts_its_batches) {
    nn_BatchNorm1d *norm = nn_BatchNorm1d(2, .momentum = NAN);
    Tensor *x = t_tensor("[[1, 2], [3, 6]]", .dtype = t_float32);
    for_range (i, 0, 3) nn_call(norm, t_mul(x, i));
    expect_printed(norm->num_batches_tracked, "tensor(3)");
    expect_printed(norm->running_mean, "tensor([2., 4.])"); /* the mean of 0, 2, 4 and of 0, 4, 8 */
    int64_t version = t_data_version(norm->running_mean);
    nn_eval(norm);
    nn_call(norm, x);
    ck_assert_int_eq(t_data_version(norm->running_mean), version);
    expect_printed(norm->num_batches_tracked, "tensor(3)");
    nn_to(norm, t_float64);
    HOLDS(t_dtype(norm->running_var) == t_float64 && t_dtype(norm->num_batches_tracked) == t_int64);
    ck_assert_str_eq(nn_named_buffers(norm)->items[2].name, "num_batches_tracked");
    ck_assert_int_eq(nn_named_buffers(norm)->len, 3);
}
END_TEST

START_TEST(a_failed_batch_moves_nothing) {
    nn_BatchNorm2d *norm = nn_BatchNorm2d(3);
    REFUSES(nn_call(norm, t_ones(2, 4, 2, 2)), "running_mean should contain 4 elements not 3");
    REFUSES(nn_call(norm, t_ones(1, 3, 1, 1)),
            "Expected more than 1 value per channel when training, got input size torch.Size([1, 3, 1, 1])");
    expect_printed(norm->num_batches_tracked, "tensor(0)");
    expect_printed(norm->running_mean, "tensor([0., 0., 0.])");
    Tensor *mean = t_zeros(3), *one = t_expand(t_ones(1), 3);
    REFUSES(F_instance_norm(t_ones(2, 3, 4), mean, one),
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation.");
    REFUSES(F_instance_norm(t_ones(0, 3, 4), mean, t_ones(5)), "running_var should contain 3 elements not 5");
    expect_printed(mean, "tensor([0., 0., 0.])");
}
END_TEST

/* The statistics are taken outside the graph: two losses through them are no error, and they stay leaves. */
START_TEST(running_statistics_stay_out_of_the_graph) {
    nn_BatchNorm1d *norm = nn_BatchNorm1d(2);
    Tensor *x = t_tensor("[[1, 2], [3, 6]]", .dtype = t_float32, .requires_grad = true);
    Tensor *y = t_add(nn_call(norm, x), nn_call(norm, t_mul(x, 2)));
    HOLDS(t_backward(t_sum(t_square(y))));
    HOLDS(!t_requires_grad(norm->running_mean) && t_is_leaf(norm->running_var));
}
END_TEST

/* ---- indices, errors ---- */

START_TEST(pools_return_indices) {
    Tensor *x = t_tensor("[[[1, 5, 2, 0], [3, 4, 8, 7]]]", .dtype = t_float32), *where = NULL;
    expect_printed(F_max_pool2d(x, 2, .indices = &where), "tensor([[[5., 8.]]])");
    expect_printed(where, "tensor([[[1, 6]]])");
    expect_printed(F_max_pool1d(t_at(x, "0"), 2, .indices = &where), "tensor([[5., 2.],\n        [4., 8.]])");
    expect_printed(where, "tensor([[1, 2],\n        [1, 2]])");
    expect_printed(F_adaptive_max_pool2d(x, 1, .indices = &where), "tensor([[[8.]]])");
    expect_printed(where, "tensor([[[6]]])");
}
END_TEST

#define SIZES(module, size)                                   \
    do {                                                      \
        const char *sizes = t_size_repr(nn_call(module, x));  \
        ck_assert_str_eq(sizes, "torch.Size(" size ")");      \
    } while (0)

START_TEST(the_first_size_may_be_a_tuple) {
    Tensor *x = t_ones(2, 3, 8, 8), *where = NULL;
    SIZES(nn_MaxPool2d((2, 4)), "[2, 3, 4, 2]");
    SIZES(nn_MaxPool2d((2, 4), 2, .ceil_mode = true), "[2, 3, 4, 3]");
    SIZES(nn_MaxPool2d((2)), "[2, 3, 4, 4]");
    SIZES(nn_AvgPool2d((2, 4), .stride = {1, 2}), "[2, 3, 7, 3]");
    SIZES(nn_AdaptiveAvgPool2d((1, T_NONE)), "[2, 3, 1, 8]");
    SIZES(nn_Conv2d(3, 4, (3, 5), 1, 0, 1, 1, false), "[2, 4, 6, 4]");
    SIZES(nn_ConvTranspose2d(3, 4, (2, 3), 2), "[2, 4, 16, 17]");
    Tensor *halves = F_max_pool2d(x, (2, 2), .indices = &where), *rows = F_adaptive_max_pool2d(x, (2, 1));
    ck_assert_str_eq(t_size_repr(halves), "torch.Size([2, 3, 4, 4])");
    ck_assert_str_eq(t_size_repr(where), "torch.Size([2, 3, 4, 4])");
    ck_assert_str_eq(t_size_repr(rows), "torch.Size([2, 3, 2, 1])");
}
END_TEST

START_TEST(pools_are_the_same_without_indices) {
    for (int64_t i = 0, widths[] = {9, 40, 77, 200}; i < 3 * 2 * 3 * 4; i++) with_scope() {
        int64_t k = i % 3 + 1, far = i / 3 % 2 + 1, stride = i / 6 % 3 + 1;
        Tensor *x = t_randn(2, 3, 6, widths[i / 18]), *where, *z = t_masked_fill(x, t_gt(x, 1.5), NAN);
        Tensor *y = F_max_pool2d(z, k, .stride = {stride, stride}, .padding = {k / 2, k / 2}, .dilation = {far, far},
                                 .indices = &where);
        z = F_max_pool2d(z, k, .stride = {stride, stride}, .padding = {k / 2, k / 2}, .dilation = {far, far});
        ck_assert(t_allclose(z, y, 0, 0, .equal_nan = true));
    }
}
END_TEST

/* Adaptive pools compared with plain loops: the last NaN, else the first maximum; and the mean and its gradient. */
static void check_parts(Tensor *x, int64_t parts) {
    const int64_t H = t_size(x, 2), W = t_size(x, 3);
    Tensor *where, *most = F_adaptive_max_pool2d(x, parts, .indices = &where), *mean = F_adaptive_avg_pool2d(x, parts);
    Tensor *leaf = t_requires_grad_(t_clone(x), true), *dy = t_rand_like(mean);
    Tensor *dx = t_list_get(t_autograd_grad(F_adaptive_avg_pool2d(leaf, parts), leaf, .grad_outputs = dy), 0),
           *spread = t_zeros_like(dx);
    double *values = values_of(x), *index = values_of(where), *large = values_of(most), *means = values_of(mean);
    for (int64_t i = 0; i < t_numel(most); i++) {
        const int64_t p = i / parts % parts, q = i % parts, top = p * H / parts, left = q * W / parts;
        const int64_t bottom = ((p + 1) * H + parts - 1) / parts, right = ((q + 1) * W + parts - 1) / parts;
        const double *plane = values + i / parts / parts * H * W;
        Tensor *part =
            t_narrow(t_narrow(t_narrow(spread, 1, i / parts / parts, 1), 2, top, bottom - top), 3, left, right - left);
        t_add_(part, t_div(t_reshape(t_narrow(t_flatten(dy), 0, i, 1), 1, 1, 1, 1),
                           (double)((bottom - top) * (right - left))));
        int64_t best = top * W + left;
        double sum = 0;
        for (int64_t r = top; r < bottom; r++)
            for (int64_t at = r * W + left; at < r * W + right; sum += plane[at++])
                if (plane[at] > plane[best] || plane[at] != plane[at]) best = at;
        const bool is_best = large[i] == plane[best] || (large[i] != large[i] && plane[best] != plane[best]);
        const double off = fabs(means[i] - sum / (double)((bottom - top) * (right - left)));
        if (!is_best || index[i] != (double)best)
            note("largest of part %d of %d, width %d", (int)i, (int)parts, (int)W);
        if (off > 1e-6 || (means[i] != means[i]) != (sum != sum))
            note("mean of part %d of %d, width %d", (int)i, (int)parts, (int)W);
    }
    if (!t_allclose(dx, spread, 1e-5, 1e-7)) note("gradient of %d parts, width %d", (int)parts, (int)W);
    free(values), free(index), free(large), free(means);
}

START_TEST(parts_of_any_width_are_pooled) {
    for (int64_t k = 0; k < 60 * 2; k++)
        with_scope() {
            const int64_t W = k / 2 + 7;
            Tensor *x = t_div(t_randint(-9, 9, (1, 2, 20, W), .dtype = k % 2 ? t_float32 : t_float64), 8); /* ties */
            if (k % 3 == 0) t_set(x, "0, 1, 4:6, -2:", NAN);
            for (int64_t parts = 1; parts < 8; parts++) check_parts(x, parts);
        }
    report_notes();
}
END_TEST

/* A stride larger than the input leaves one window, however large it is. */
START_TEST(a_stride_may_be_any) {
    Tensor *x = hashed_tensor("R", SHAPE(2, 2, 6, 6), 3, 0, t_float64);
    for (int64_t down = 0; down < 2; down++) {
        Tensor *mean[2], *most[2];
        for (int i = 0; i < 2; i++) {
            const int64_t far = i ? 100 : INT64_MAX, rows = down ? far : 1, columns = down ? 1 : far;
            mean[i] = F_avg_pool2d(x, 5, .stride = {rows, columns}, .padding = 2);
            most[i] = F_max_pool2d(x, 5, .stride = {rows, columns}, .padding = 2);
        }
        compare_tensors("a mean", mean[0], mean[1], 0);
        compare_tensors("the most", most[0], most[1], 0);
    }
    report_notes();
}
END_TEST

START_TEST(errors_name_the_argument) {
    Tensor *x = t_ones(2, 3, 4);
    REFUSES(nn_call(nn_BatchNorm2d(3), x), "expected 4D input (got 3D input)");
    REFUSES(nn_call(nn_BatchNorm1d(3), t_ones(2, 3, 4, 5)), "expected 2D or 3D input (got 4D input)");
    REFUSES(nn_call(nn_InstanceNorm2d(3), t_ones(3, 4)), "expected 3D or 4D input (got 2D input)");
    REFUSES(nn_call(nn_InstanceNorm1d(2, .affine = true), x),
            "expected input's size at dim=1 to match num_features (2), but got: 3.");
    REFUSES(nn_call(nn_InstanceNorm2d(3), t_ones(2, 3, 1, 1)),
            "Expected more than 1 spatial element when training, got input size torch.Size([2, 3, 1, 1])");
    REFUSES(nn_GroupNorm(3, 4), "num_channels (4) must be divisible by num_groups (3)");
    REFUSES(nn_Conv2d(3, 4, 3, .groups = 2), "in_channels must be divisible by groups");
    REFUSES(nn_Conv2d(4, 3, 3, .groups = 2), "out_channels must be divisible by groups");
    REFUSES(nn_Conv2d(4, 3, 3, .groups = 0), "groups must be a positive integer");
    REFUSES(nn_Conv2d(4, 3, 3, 2, F_SAME), "padding='same' is not supported for strided convolutions");
    REFUSES(nn_Conv2d(4, 3, 3, .padding_mode = "mirror"),
            "padding_mode must be one of {'zeros', 'circular', 'replicate', 'reflect'}, but got padding_mode='mirror'");
    REFUSES(nn_call(nn_Conv2d(3, 4, 3), t_ones(2, 4)),
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [2, 4]");
    REFUSES(F_conv_transpose2d(x, t_ones(2, 2, 2, 2), NULL, 1, F_SAME),
            "conv_transpose2d takes integers for padding, not F_SAME or F_VALID");
    REFUSES(F_max_pool2d(x, .padding = 1), "missing the argument kernel_size");
    REFUSES(F_adaptive_avg_pool2d(x, -1),
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}");
    REFUSES(nn_call(nn_CircularPad2d(1), t_ones(3, 4)), "expected 3D or 4D input (got 2D input)");
    REFUSES(nn_Dropout2d(1.5), "dropout probability has to be between 0 and 1, but got 1.5");
    expect_refusal(!(F_max_pool2d)(x, NULL), "a pooling layer needs options: kernel_size has no default");
}
END_TEST

void add_conv_regression_tests(Suite *suite) {
    TCase *tests = tcase_create("conv_regressions");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_narrow_convolution_stops_at_an_error);
    tcase_add_test(tests, pools_of_long_rows);
    tcase_add_test(tests, blocks_make_no_difference);
    tcase_add_test(tests, a_row_may_be_larger_than_a_block);
    const int depthwise_cases = (int)(sizeof depthwise / sizeof *depthwise);
    tcase_add_loop_test(tests, depthwise_convolutions_agree_with_products, 0, 2 * depthwise_cases);
    tcase_add_loop_test(tests, channels_last_gives_the_same, 0, 10);
    tcase_add_test(tests, padding_around_a_kernel_of_one);
    tcase_add_test(tests, an_empty_batch_goes_through);
    tcase_add_test(tests, batch_norm_in_evaluation_has_a_gradient_without_x);
    tcase_add_test(tests, batch_norm_counts_its_batches);
    tcase_add_test(tests, a_failed_batch_moves_nothing);
    tcase_add_test(tests, running_statistics_stay_out_of_the_graph);
    tcase_add_test(tests, pools_return_indices);
    tcase_add_test(tests, the_first_size_may_be_a_tuple);
    tcase_add_test(tests, pools_are_the_same_without_indices);
    tcase_add_test(tests, parts_of_any_width_are_pooled);
    tcase_add_test(tests, a_stride_may_be_any);
    tcase_add_test(tests, errors_name_the_argument);
    suite_add_tcase(suite, tests);
}
