/* examples/pytorch/basics/tensors.c: "Learn the basics: tensors".
 *
 * Difficulty: *     Read first: learning/learning_with_examples     Read next: basics/data */
#include <stdio.h>

#include "core/core.h"

static void initializing(void) {
    const int data[2][2] = {{1, 2}, {3, 4}};
    Tensor *x_data = t_tensor(data);
    t_print(x_data);

    Tensor *x_ones = t_ones_like(x_data);
    printf("ones:\n%s\n", t_str(x_ones));

    Tensor *x_rand = t_rand_like(x_data, .dtype = t_float32);
    printf("random:\n%s\n", t_str(x_rand));

    Tensor *rand_tensor = t_rand(2, 3);
    Tensor *ones_tensor = t_ones(2, 3);
    Tensor *zeros_tensor = t_zeros(2, 3);

    printf("random:\n%s\n", t_str(rand_tensor));
    printf("ones:\n%s\n", t_str(ones_tensor));
    printf("zeros:\n%s\n", t_str(zeros_tensor));
}

static void attributes(void) {
    Tensor *tensor = t_rand(3, 4);

    printf("shape: %s\n", t_size_repr(tensor));
    printf("dtype: %s\n", t_dtype_repr(t_dtype(tensor)));
}

static void operations(void) {
    Tensor *tensor = t_ones(4, 4);
    t_print("first row:", t_at(tensor, "0"));
    t_print("first column:", t_at(tensor, ":, 0"));
    t_print("last column:", t_at(tensor, "..., -1"));
    t_set(tensor, ":, 1", 0);
    t_print(tensor);

    Tensor *t1 = t_cat(t_list(tensor, tensor, tensor), .dim = 1);
    t_print(t1);

    Tensor *y1 = t_matmul(tensor, t_t(tensor));
    Tensor *y2 = t_matmul(tensor, t_t(tensor));
    Tensor *y3 = t_rand_like(tensor);
    t_copy_(y3, t_matmul(tensor, t_t(tensor)));
    t_print(y3, t_equal(y1, y2), t_equal(y1, y3));

    Tensor *z1 = t_mul(tensor, tensor);
    Tensor *z2 = t_mul(tensor, tensor);
    Tensor *z3 = t_rand_like(tensor);
    t_copy_(z3, t_mul(tensor, tensor));
    t_print(z3, t_equal(z1, z2), t_equal(z1, z3));

    Tensor *agg = t_sum(tensor);
    double agg_item = t_item(agg);
    t_print(agg_item);

    t_print(tensor);
    t_add_(tensor, 5);
    t_print(tensor);
}

/* The tutorial shares memory with numpy's arrays; here two tensors share it. */
static void shared_memory(void) {
    Tensor *t = t_ones(5);
    t_print("t:", t);
    Tensor *n = t_detach(t);
    t_print("n:", n);

    t_add_(t, 1);
    t_print("t:", t);
    t_print("n:", n);

    n = t_ones(5);
    t = t_view(n, 5);

    t_add_(n, 1);
    t_print("t:", t);
    t_print("n:", n);
}

int main(void) {
    t_manual_seed(0);
    initializing();
    attributes();
    operations();
    shared_memory();
    return 0;
}
