/* tests/autograd/test_common_errors.c: the mistakes that people make most often with PyTorch. Each must be answered
 * with PyTorch's sentence, after the user's file, line and expression and, in a module, its path. */
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

/* The call must fail once, and the handler receive "file:line: call: sentence". (Of a call that spans lines one
 * compiler names the first, another the last.) */
static void expect_error_at(const char *file, int last_line, const char *call, const char *sentence) {
    char expected[1024];
    bool found = false;
    for (int line = last_line; !found && line > last_line - 7; line--) {
        snprintf(expected, sizeof expected, "%s:%d: %s: %s", file, line, call, sentence);
        found = strncmp(last_error_text(), expected, strlen(expected)) == 0;
    }
    ck_assert_int_eq(error_count(), 1);
    ck_assert_msg(found, "said     %s\nexpected %s", last_error_text(), expected);
    clear_errors();
    t_clear_error();
}
#define MISTAKE(call, sentence)                                   \
    do {                                                          \
        (void)(call);                                             \
        expect_error_at(__FILE__, __LINE__ + 3, #call, sentence); \
    } while (0)

START_TEST(shapes_that_do_not_fit) {
    Tensor *x = t_ones(2, 3), *w = t_ones(4, 5);
    MISTAKE(t_matmul(x, w), "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
    MISTAKE(F_linear(x, w), "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)");
    nn_Linear *fc = nn_Linear(4, 5);
    MISTAKE(nn_call(fc, x), "in fc, Linear(4, 5): addmm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
    MISTAKE(t_add(x, w), "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1");
    MISTAKE(t_view(x, 4, 2), "shape '[4, 2]' is invalid for input of size 6");
    MISTAKE(t_view(t_transpose(x, 0, 1), 6),
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead.");
    MISTAKE(t_cat(t_list(x, w)),
            "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 5 for "
            "tensor number 1 in the list.");
    MISTAKE(t_softmax(x, 2), "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
}
END_TEST

START_TEST(labels_and_ids_out_of_range) {
    Tensor *logits = t_randn(3, 4);
    MISTAKE(F_cross_entropy(logits, t_tensor("[0, 5, 1]")), "Target 5 is out of bounds.");
    MISTAKE(F_cross_entropy(logits, t_tensor("[0, 1, 2, 3]")),
            "Expected input batch_size (3) to match target batch_size (4).");
    nn_Embedding *embedding = nn_Embedding(10, 2);
    MISTAKE(nn_call(embedding, t_tensor("[3, 10]")), "in embedding, Embedding(10, 2): index out of range in self");
    MISTAKE(nn_call(embedding, t_tensor("[3.0, 1.0]")),
            "in embedding, Embedding(10, 2): Expected tensor for argument #1 'indices' to have one of the following "
            "scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)");
}
END_TEST

START_TEST(gradients_that_cannot_be) {
    Tensor *w = t_ones(3, .requires_grad = true), *x = t_ones(3);
    Tensor *y = t_mul(w, w);
    MISTAKE(t_backward(y), "grad can be implicitly created only for scalar outputs");
    MISTAKE(t_backward(t_sum(x)), "element 0 of tensors does not require grad and does not have a grad_fn");
    MISTAKE(t_add_(w, 1), "a leaf Variable that requires grad is being used in an in-place operation.");
    Tensor *loss = t_sum(y);
    ck_assert(t_backward(loss));
    MISTAKE(t_backward(loss),
            "Trying to backward through the graph a second time (or directly access saved tensors after "
            "they have already been freed).");
    Tensor *h = t_mul(w, 2), *saved = t_sum(t_mul(h, h));
    t_add_(h, 1);
    MISTAKE(t_backward(saved),
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[torch.FloatTensor [3]], which is output 0 of Add, is at version 1; expected version 0 instead.");
}
END_TEST

Suite *common_errors_suite(void) {
    Suite *suite = suite_create("common_errors");
    TCase *tests = tcase_create("mistakes");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, shapes_that_do_not_fit);
    tcase_add_test(tests, labels_and_ids_out_of_range);
    tcase_add_test(tests, gradients_that_cannot_be);
    suite_add_tcase(suite, tests);
    return suite;
}
