/* tests/ops/test_tutorial_lines.c: lines that the tutorials have, in C, and what PyTorch prints for them. */
#include "core/core.h"
#include "tests/support/support.h"

/* pad = (src == 0)[:, None, None, :]; pad | torch.triu(torch.ones(n, n), diagonal=1).bool() */
START_TEST(masks) {
    Tensor *src = t_tensor("[[1, 2, 0], [3, 0, 0]]");
    Tensor *pad = t_at(t_eq(src, 0), ":, None, None, :");
    Tensor *ahead = t_bool(t_triu(t_ones(3, 3), .diagonal = 1));
    ck_assert_int_eq(t_dtype(ahead), t_bool);
    expect_printed(ahead,
                   "tensor([[False,  True,  True],\n        [False, False,  True],\n        [False, False, False]])");
    expect_printed(
        t_at(t_bitwise_or(pad, ahead), "1"),
        "tensor([[[False,  True,  True],\n         [False,  True,  True],\n         [False,  True,  True]]])");
    expect_printed(t_bitwise_not(t_at(pad, ":, 0, 0")),
                   "tensor([[ True,  True, False],\n        [ True, False, False]])");
    expect_printed(t_bitwise_and(t_long(t_at(pad, ":, 0, 0")), 1), "tensor([[0, 0, 1],\n        [0, 1, 1]])");
}
END_TEST

/* mask.all(-1, keepdim=True), mask.all(), mask.any(0) */
START_TEST(quantifiers) {
    Tensor *mask = t_tensor("[[True, True], [True, False]]");
    expect_printed(t_all(mask, -1, .keepdim = true), "tensor([[ True],\n        [False]])");
    expect_printed(t_all(mask), "tensor(False)");
    expect_printed(t_any(mask, 0), "tensor([True, True])");
    expect_printed(t_isnan(t_div(t_tensor("[1., 0.]"), 0)), "tensor([False,  True])");
    ck_assert(!t_is_true(t_any(t_isinf(t_ones(2, 3)))));
    ck_assert(t_is_true(t_all(t_isfinite(t_ones(2, 3)))));
}
END_TEST

/* out = torch.full((b, 1), bos, dtype=torch.long); nxt = h.argmax(-1, keepdim=True); out = torch.cat([out, nxt], dim=1)
 */
START_TEST(greedy_decoding) {
    Tensor *out = t_full((2, 1), 3, .dtype = t_int64);
    Tensor *nxt = t_argmax(t_tensor("[[1., 5, 2], [7, 0, 1]]"), -1, .keepdim = true);
    expect_printed(t_cat(t_list(out, nxt), .dim = 1), "tensor([[3, 1],\n        [3, 0]])");
}
END_TEST

/* tgt2[0, 5] = (tgt2[0, 5] % (vocab - 1)) + 1; tgt2[1, 3:] = 0; (dec - dec2).abs().amax(-1)[0] */
START_TEST(one_token_changed) {
    Tensor *tgt2 = t_reshape(t_arange(12), 2, 6);
    t_set(tgt2, "0, 5", t_add(t_remainder(t_at(tgt2, "0, 5"), 4 - 1), 1));
    t_set(tgt2, "1, 3:", 0);
    expect_printed(tgt2, "tensor([[0, 1, 2, 3, 4, 3],\n        [6, 7, 8, 0, 0, 0]])");
    expect_printed(t_at(t_amax(t_abs(t_tensor("[[[1., -4], [2, 3]]]")), -1), "0"), "tensor([4., 3.])");
    expect_printed(t_amin(t_tensor("[[4, 2], [3, 9]]"), 0, .keepdim = true), "tensor([[3, 2]])");
}
END_TEST

START_TEST(remainders_of_integers) {
    Tensor *least = t_sub(t_tensor("[-9223372036854775807]"), 1);
    expect_printed(t_remainder(least, -1), "tensor([0])");
    expect_printed(t_remainder(t_tensor("[-7, 7]"), t_tensor("[3, -3]")), "tensor([ 2, -2])");
    expect_printed(t_remainder(7, t_tensor("[-4, 4]")), "tensor([-1,  3])");
    expect_refusal(!(t_remainder)(least, t_boolean(false)), "ZeroDivisionError");
}
END_TEST

/* x.diagonal()[:] = v: a view is written to, and the gradient goes to v. */
START_TEST(writes_to_a_diagonal) {
    Tensor *x = t_zeros(3, 3), *v = t_tensor("[1., 2, 3]", .requires_grad = true);
    t_set(t_diagonal(x), ":", v);
    expect_printed(t_detach(x), "tensor([[1., 0., 0.],\n        [0., 2., 0.],\n        [0., 0., 3.]])");
    t_backward(t_sum(t_mul(x, x)));
    expect_printed(t_grad(v), "tensor([2., 4., 6.])");
    expect_printed(t_diagonal(t_reshape(t_arange(6), 2, 3), .offset = 1), "tensor([1, 5])");
}
END_TEST

Suite *tutorial_lines_suite(void);
/* torch.tensor(3.5), torch.tensor(label), torch.tensor(0.1, dtype=torch.float64) */
START_TEST(one_number) {
    float third = 1.0f / 3;
    int64_t label = 3;
    bool yes = true;
    expect_printed(t_tensor(3.5), "tensor(3.5000)");
    expect_printed(t_tensor(third), "tensor(0.3333)");
    expect_printed(t_tensor(label), "tensor(3)");
    expect_printed(t_tensor(-7), "tensor(-7)");
    expect_printed(t_tensor(yes), "tensor(True)");
    expect_printed(t_tensor(2, .dtype = t_float32), "tensor(2.)");
    ck_assert_double_eq(t_item(t_tensor(0.1, .dtype = t_float64)), 0.1);
    Tensor *half = t_tensor(0.5, .dtype = t_float64),
           *sum = t_add(t_tensor("[1]"), half); /* a tensor, no wrapped number */
    ck_assert_int_eq(t_dtype(sum), t_float64);
    ck_assert(t_requires_grad(t_tensor(1.5, .requires_grad = true)));
    double losses[] = {0.5, 0.25};
    expect_printed(t_tensor(losses, 2, .dtype = t_float32), "tensor([0.5000, 0.2500])");
    expect_printed(t_tensor(losses), "tensor([0.5000, 0.2500], dtype=torch.float64)");
    t_tensor(&losses[0]);
    expect_error("a pointer has no size: give the shape as well, t_tensor(p, 3)");
    t_tensor(3.5, 2);
    expect_error("a tensor from a number takes no shape");
    t_tensor((int *)NULL, 2);
    expect_error("argument 1 is NULL where an array is expected");
}
END_TEST

Suite *tutorial_lines_suite(void) {
    Suite *suite = suite_create("tutorial_lines");
    TCase *tests = tcase_create("lines");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, masks);
    tcase_add_test(tests, quantifiers);
    tcase_add_test(tests, greedy_decoding);
    tcase_add_test(tests, one_token_changed);
    tcase_add_test(tests, remainders_of_integers);
    tcase_add_test(tests, writes_to_a_diagonal);
    tcase_add_test(tests, one_number);
    suite_add_tcase(suite, tests);
    return suite;
}
