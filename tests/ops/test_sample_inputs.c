/* tests/ops/test_sample_inputs.c: what the comparison with PyTorch's own sample inputs found (make sample-inputs), one
 * test for each difference that was mended. Values are PyTorch's. */
#include <math.h>

#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/support.h"

static bool near(Tensor *x, const char *text) {
    return t_allclose(x, from_text(text, t_dtype(x), false), 1e-12, 1e-12, true);
}

/* torch.lerp(x, end, 0.4): the number is a double in the gradient, and not rounded in half precision. */
START_TEST(the_weight_of_lerp_keeps_its_precision) {
    Tensor *x = t_zeros(2, .dtype = t_float64, .requires_grad = true);
    Tensor *end = t_ones(2, .dtype = t_float64, .requires_grad = true);
    t_backward(t_sum(t_lerp(x, end, 0.4)));
    HOLDS(near(t_grad(x), "[0.6, 0.6]") && near(t_grad(end), "[0.4, 0.4]"));
    Tensor *half = t_tensor("[4.5625]", .dtype = t_float16), *to = t_tensor("[-6.8477]", .dtype = t_float16);
    HOLDS(t_item(t_lerp(half, to, 0.4)) == -0.0015621185302734375);
}
END_TEST

/* gather and scatter take an index without elements in any dtype. */
START_TEST(an_empty_index_has_any_dtype) {
    Tensor *x = t_zeros(5), *index = t_empty(0, .dtype = t_uint8), *none = t_zeros(0);
    HOLDS(t_numel(t_gather(x, 0, index)) == 0 && t_dtype(t_gather(x, 0, t_empty(0))) == t_float32);
    HOLDS(t_equal(t_scatter(x, 0, index, none), x) && t_equal(t_scatter_add(x, 0, t_empty(0), none), x));
    expect_refusal(!t_gather(x, 0, t_zeros(1, .dtype = t_uint8)), "gather(): Expected dtype int32/int64 for index");
    expect_refusal(!t_take(x, index), "take(): Expected a long tensor for index, but got Byte");
}
END_TEST

/* torch.addr of bools is a bool; of half precision it is rounded once. */
START_TEST(addr_keeps_the_dtype) {
    Tensor *x = t_tensor("[[True, False], [False, False]]"), *a = t_tensor("[True, False]");
    HOLDS(t_equal(t_addr(x, a, t_tensor("[False, True]"), .beta = 3, .alpha = 2), t_tensor("[[True, True], [False, "
                                                                                           "False]]")));
    HOLDS(t_equal(t_addr(x, a, a, .beta = 0, .alpha = 0), t_zeros(2, 2, .dtype = t_bool)));
    HOLDS(t_addr_(x, a, a, .beta = 2, .alpha = 3) == x && t_dtype(x) == t_bool);
    Tensor *h = t_tensor("[[3.0]]", .dtype = t_bfloat16), *v = t_tensor("[3.0]", .dtype = t_bfloat16);
    Tensor *exact = t_addr(t_float(h), t_float(v), t_float(v), .beta = 0.6, .alpha = -0.2);
    HOLDS(t_equal(t_addr(h, v, v, .beta = 0.6, .alpha = -0.2), t_to(exact, t_bfloat16)));
}
END_TEST

START_TEST(a_size_of_minus_one_next_to_zero) {
    expect_refusal(!t_reshape(t_ones(1), 0, -1), "shape '[0, -1]' is invalid for input of size 1");
    expect_refusal(!t_view(t_empty(0), 0, -1), "cannot reshape tensor of 0 elements into shape [0, -1] because the "
                                               "unspecified dimension size -1 can be any value and is ambiguous");
}
END_TEST

Suite *sample_inputs_suite(void) {
    Suite *suite = suite_create("sample_inputs");
    TCase *tests = tcase_create("mended");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, the_weight_of_lerp_keeps_its_precision);
    tcase_add_test(tests, an_empty_index_has_any_dtype);
    tcase_add_test(tests, addr_keeps_the_dtype);
    tcase_add_test(tests, a_size_of_minus_one_next_to_zero);
    suite_add_tcase(suite, tests);
    return suite;
}
