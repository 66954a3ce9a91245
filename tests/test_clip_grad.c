/* tests/test_clip_grad.c: nn.utils.clip_grad_norm_. The recorded numbers are PyTorch 2.15's. */
#include <stdlib.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support.h"

/* p = [1, -2, 0.5], q = [[3, -1]], loss = sum(p^3) + 2 sum(q^3), r without a gradient. */
static const struct {
    double max_norm, p[3], q[2];
} clipped[] = {
    {1, {0.0538333132546, 0.215333253019, 0.0134583283137}, {0.968999638583, 0.107666626509}},
    {100, {3, 12, 0.75}, {54, 6}},
    {0.25, {0.0134583283137, 0.0538333132546, 0.00336458207841}, {0.242249909646, 0.0269166566273}},
};

static void compare(const char *what, Tensor *x, const double *want, t_DType dtype) {
    double *got = values_of(x);
    compare_values(what, got, want, t_numel(x), dtype, VALUE);
    free(got);
}

START_TEST(scales_all_gradients_by_one_factor) {
    const double norm = 55.7275739648;
    for (t_DType dtype = t_float32; dtype <= t_float64; dtype++) {
        Tensor *p = t_tensor("[1., -2., 0.5]", .dtype = dtype, .requires_grad = true);
        Tensor *q = t_tensor("[[3., -1.]]", .dtype = dtype, .requires_grad = true);
        Tensor *r = t_zeros(2, .requires_grad = true);
        t_backward(t_add(t_sum(t_pow(p, 3)), t_sum(t_mul(t_pow(q, 3), 2))));
        Tensor *before = nn_utils_clip_grad_norm_(t_list(p, q, r), clipped[_i].max_norm);
        ck_assert(t_dim(before) == 0 && t_dtype(before) == dtype && !t_requires_grad(before) && !t_grad(r));
        compare("norm", before, &norm, dtype);
        compare("p", t_grad(p), clipped[_i].p, dtype);
        compare("q", t_grad(q), clipped[_i].q, dtype);
    }
    report_notes();
}
END_TEST

static void expect_clipped(const char *gradient, const char *norm, const char *after) {
    Tensor *p = t_ones(3, .requires_grad = true);
    t_set_grad(p, t_tensor(gradient));
    expect_printed(nn_utils_clip_grad_norm_(t_list(p), 1), norm);
    expect_printed(t_grad(p), after);
}

START_TEST(a_norm_that_is_no_number_goes_on_as_in_pytorch) {
    expect_clipped("[1e30, 0, 1]", "tensor(inf)", "tensor([0., 0., 0.])");
    expect_clipped("[inf, 0, 1]", "tensor(inf)", "tensor([nan, 0., 0.])");
    expect_clipped("[nan, 0, 1]", "tensor(nan)", "tensor([nan, nan, nan])");
    expect_clipped("[0., 0, 0]", "tensor(0.)", "tensor([0., 0., 0.])");
}
END_TEST

START_TEST(leaves_nothing_but_the_norm) {
    Tensor *p = t_ones(3, .requires_grad = true);
    t_TensorList *list = t_list(p);
    expect_printed(nn_utils_clip_grad_norm_(list, 1), "tensor(0.)");
    t_set_grad(p, t_ones(3));
    int64_t live = t_live_count();
    nn_utils_clip_grad_norm_(list, 1);
    ck_assert_int_eq(t_live_count(), live + 1);
    ck_assert(t_is_grad_enabled());
}
END_TEST

START_TEST(refuses_what_is_no_list) {
    nn_utils_clip_grad_norm_(NULL, 1);
    expect_error("argument 1 is NULL where a list of tensors is expected");
    nn_utils_clip_grad_norm_((void *)nn_Linear(3, 2), 1);
    expect_error("argument 1 is not a live list of tensors");
    ck_assert(t_is_grad_enabled());
}
END_TEST

Suite *clip_grad_suite(void) {
    Suite *suite = suite_create("clip_grad");
    TCase *tests = tcase_create("clip_grad");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, scales_all_gradients_by_one_factor, 0, 3);
    tcase_add_test(tests, a_norm_that_is_no_number_goes_on_as_in_pytorch);
    tcase_add_test(tests, leaves_nothing_but_the_norm);
    tcase_add_test(tests, refuses_what_is_no_list);
    suite_add_tcase(suite, tests);
    return suite;
}
