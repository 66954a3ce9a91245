/* examples/pytorch/learning/blitz_tensors.c: "A 60-minute blitz: tensors".
 *
 * Difficulty: *     Read first: learning_with_examples     Read next: blitz_autograd */
#include <stdio.h>

#include "core/core.h"

static void initialization(void) {
    const int data[2][2] = {{1, 2}, {3, 4}};
    Tensor *x_data = t_tensor(data);
    Tensor *x_ones = t_ones_like(x_data);
    t_print("ones like it:", x_ones);
    Tensor *x_rand = t_rand_like(x_data, .dtype = t_float32);
    t_print("random like it:", x_rand);

    Tensor *rand_tensor = t_rand(2, 3);
    Tensor *ones_tensor = t_ones(2, 3);
    Tensor *zeros_tensor = t_zeros(2, 3);
    t_print(rand_tensor, ones_tensor, zeros_tensor);

    Tensor *x = t_empty(5, 3);
    t_print(t_size_repr(x));
    x = t_new_ones(x, 5, 3, .dtype = t_float64);
    t_print(x);
    x = t_randn_like(x, .dtype = t_float32);
    t_print(x);
}

static void operations(void) {
    Tensor *tensor = t_ones(4, 4);
    t_set(tensor, ":, 1", 0);
    t_print(tensor);

    Tensor *t1 = t_cat(t_list(tensor, tensor, tensor), .dim = 1);
    t_print(t_size_repr(t1));

    t_print("product of elements:", t_mul(tensor, tensor));
    t_print("product of matrices:", t_matmul(tensor, t_t(tensor)));

    Tensor *x = t_rand(5, 3);
    Tensor *y = t_rand(5, 3);
    t_print(t_add(x, y));
    t_print(t_add(x, y));
    Tensor *result = t_empty(5, 3);
    t_copy_(result, t_add(x, y));
    t_add_(y, x);
    t_print(t_equal(y, result));
    t_print(t_at(x, ":, 1"));

    x = t_randn(4, 4);
    y = t_view(x, 16);
    Tensor *z = t_view(x, -1, 8);
    t_print(t_size_repr(x), t_size_repr(y), t_size_repr(z));

    x = t_randn(1);
    t_print(x);
    printf("%.4f\n", t_item(x));
}

int main(void) {
    t_manual_seed(1);
    initialization();
    operations();
    return 0;
}
