/* tests/autograd/test_saved_writes.c: writing to what a gradient needs, by views, in-place changes of shape, and
 * data_ptr; writes through overlapping views. */
#include <string.h>

#include "nn/nn.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

#define MODIFIED(shape, \
                 of) "one of the variables needed for gradient computation has been modified by an inplace " \
                     "operation: [torch." \
    "FloatTensor " shape "]" of " is at version 1; expected version 0 instead."

static void expect_modified(Tensor *loss, const char *start) {
    HOLDS(!(t_backward)(loss, NULL) && t_error_message());
    ck_assert_msg(strncmp(t_error_message(), start, strlen(start)) == 0, "said %s", t_error_message());
    t_clear_error();
}

/* y.data_ptr() is written through a view of y, which sin saved. */
START_TEST(data_written_to_through_a_view) {
    Tensor *x = t_ones(2, 3, .requires_grad = true), *y = t_mul(x, 2), *loss = t_sum(t_sin(y));
    float *row = t_data_ptr_mut(t_select(y, 0, 1));
    row[2] = 7;
    HOLDS(t_data_version(y) == 1 && t_data_version(t_t(y)) == 1);
    expect_modified(loss, MODIFIED("[2, 3]", ", which is output 0 of Mul,"));
}
END_TEST

/* z = y * y; y.t_(): the shape that the rule would need is gone. */
START_TEST(own_shape_changed_after_it_was_saved) {
    Tensor *x = t_ones(3, 4, .requires_grad = true), *y = t_clone(x), *loss = t_sum(t_mul(y, y));
    t_t_(y);
    expect_modified(loss, MODIFIED("[4, 3]", ", which is output 0 of T,"));
}
END_TEST

/* A function of torch.special whose rule reads x alone does not mind a write to its result; one whose rule reads its
 * result does not mind a write to x. */
START_TEST(writes_to_what_a_special_function_does_not_save) {
    Tensor *(*const of_x[])(Tensor *) = {
        special_bessel_j0,          special_bessel_y0, special_entr,    special_modified_bessel_i0,
        special_modified_bessel_k0, special_ndtr,      special_log_ndtr};
    for (size_t i = 0; i < sizeof of_x / sizeof *of_x; i++) {
        Tensor *x = t_full((3, ), 0.5, .requires_grad = true), *y = of_x[i](x);
        t_backward(t_sum(y), .retain_graph = true);
        Tensor *expected = t_clone(t_grad(x));
        t_set_grad(x, NULL);
        t_mul_(y, 2);
        t_backward(t_sum(y));
        HOLDS(!t_error_message() && t_allclose(t_grad(x), t_mul(expected, 2)));
    }
    Tensor *x = t_full((3, ), 0.25, .requires_grad = true), *half = t_mul(x, 1), *y = special_ndtri(half);
    t_zero_(half);
    t_backward(t_sum(y));
    HOLDS(!t_error_message() && t_item(t_min(t_grad(x))) > 3.1);
}
END_TEST

START_TEST(own_shape_of_leaves_and_views) {
    Tensor *x = t_ones(3, 4, .requires_grad = true);
    expect_refusal(!(t_t_)(x), "a leaf Variable that requires grad is being used in an in-place operation.");
    expect_refusal(!(t_unsqueeze_)(t_select(x, 0, 0), 0),
                   "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    with_no_grad() t_unsqueeze_(x, 0);
    HOLDS(t_dim(x) == 3 && t_is_leaf(x) && t_requires_grad(x));
    Tensor *expanded = t_expand(t_ones(1, 2), 3, 2);
    HOLDS(t_dim(t_unsqueeze_(expanded, 0)) == 3); /* nothing is written */
}
END_TEST

/* y = x.clone(); v = y[0]; y.t_() or v.unsqueeze_(0); v.mul_(2): PyTorch's gradient of y.sum() is 2 in row 0. */
START_TEST(views_after_a_change_of_shape) {
    for (int of_view = 0; of_view < 2; of_view++) {
        Tensor *x = t_ones(3, 4, .requires_grad = true), *y = t_clone(x), *v = t_select(y, 0, 0);
        HOLDS(of_view ? t_unsqueeze_(v, 0) : t_t_(y));
        t_mul_(v, 2);
        ck_assert_str_eq(t_grad_fn(y), "CopySlices");
        ck_assert_str_eq(t_grad_fn(v), "AsStridedBackward0");
        t_backward(t_sum(y));
        expect_printed(t_grad(x), "tensor([[2., 2., 2., 2.],\n        [1., 1., 1., 1.],\n        [1., 1., 1., 1.]])");
    }
}
END_TEST

/* y = x.clone(); y.as_strided((2, 2), (4, 1), 1).mul_(3), y.unfold(1, 2, 2)[0, 0] = 0, y.unflatten(1, (2, 2))[:, 0] +=
 * 1 */
START_TEST(writes_through_strided_views) {
    Tensor *x = t_ones(3, 4, .requires_grad = true), *y = t_clone(x);
    t_mul_(t_as_strided(y, (2, 2), (4, 1), 1), 3);
    t_zero_(t_select(t_select(t_unfold(y, 1, 2, 2), 0, 0), 0, 0));
    t_add_(t_select(t_unflatten(y, 1, (2, 2)), 1, 0), 1);
    t_backward(t_sum(y));
    expect_printed(t_detach(y), "tensor([[1., 1., 3., 1.],\n        [2., 4., 3., 1.],\n        [2., 2., 1., 1.]])");
    expect_printed(t_grad(x), "tensor([[0., 0., 3., 1.],\n        [1., 3., 3., 1.],\n        [1., 1., 1., 1.]])");
}
END_TEST

/* Of an expanded x several elements are one cell: each gets its share of the gradient, as in PyTorch. */
START_TEST(as_strided_of_an_expanded_tensor) {
    Tensor *x = t_tensor("[1., 2]", .requires_grad = true);
    Tensor *y = t_as_strided(t_expand(x, 3, 2), (2,), (1,));
    t_backward(t_sum(t_mul(y, t_tensor("[3., 5]"))));
    expect_printed(t_grad(x), "tensor([3., 5.])");
}
END_TEST

Suite *saved_writes_suite(void);
Suite *saved_writes_suite(void) {
    Suite *suite = suite_create("saved_writes");
    TCase *tests = tcase_create("writes");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, data_written_to_through_a_view);
    tcase_add_test(tests, writes_to_what_a_special_function_does_not_save);
    tcase_add_test(tests, own_shape_changed_after_it_was_saved);
    tcase_add_test(tests, own_shape_of_leaves_and_views);
    tcase_add_test(tests, views_after_a_change_of_shape);
    tcase_add_test(tests, writes_through_strided_views);
    tcase_add_test(tests, as_strided_of_an_expanded_tensor);
    suite_add_tcase(suite, tests);
    return suite;
}
