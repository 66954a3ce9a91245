/* examples/lessons/03_rules/solution.c: lesson 03: the gradient rules of mul, matmul, relu and softmax.
 *
 * Each function gets dy, the gradient of the loss with respect to the output y, and returns the gradients of the
 * inputs. They use tensors as values only: no function here calls t_backward. lesson.md derives the formulas. */
#include <stdio.h>

#include "core/core.h"

/* Two gradients: of the first and of the second operand. */
typedef struct Pair {
    Tensor *da, *db;
} Pair;

/* y = a * b, element by element, for a and b of one shape. */
Pair mul_backward(Tensor *a, Tensor *b, Tensor *dy) {
    // HOLE
    //| (void)a, (void)b; /* your code */
    //| return (Pair){t_zeros_like(dy), t_zeros_like(dy)};
    return (Pair){t_mul(dy, b), t_mul(dy, a)};
    // WRONG swapped 13: return (Pair){t_mul(dy, a), t_mul(dy, b)};
    // WRONG no_dy 13: return (Pair){b, a};
    // END
}

/* y = a b, the matrix product, for a of shape (n, k), b of shape (k, m), dy of shape (n, m). */
Pair matmul_backward(Tensor *a, Tensor *b, Tensor *dy) {
    // HOLE
    //| (void)dy; /* your code */
    //| return (Pair){t_zeros_like(a), t_zeros_like(b)};
    Tensor *da = t_matmul(dy, t_transpose(b, 0, 1));
    Tensor *db = t_matmul(t_transpose(a, 0, 1), dy);
    // WRONG not_transposed 11: Tensor *db = t_matmul(a, dy);
    return (Pair){da, db};
    // END
}

/* y = relu(x) = max(x, 0). PyTorch takes the gradient 0 at x = 0. */
Tensor *relu_backward(Tensor *x, Tensor *dy) {
    // HOLE
    //| (void)x; /* your code */
    //| return t_zeros_like(dy);
    return t_where(t_gt(x, 0), dy, t_zeros_like(dy));
    // WRONG at_zero 13: return t_where(t_ge(x, 0), dy, t_zeros_like(dy));
    // WRONG not_dy 13: return t_where(t_gt(x, 0), t_ones_like(dy), t_zeros_like(dy));
    // END
}

/* y = softmax(x, dim): exp(x) / sum of exp(x) along dim. It must not overflow for x = 1000. */
Tensor *softmax(Tensor *x, int dim) {
    // HOLE
    //| (void)dim; /* your code */
    //| return t_zeros_like(x);
    Tensor *e = t_exp(t_sub(x, t_amax(x, dim, .keepdim = true)));
    // WRONG overflow 14: Tensor *e = t_exp(x);
    // WRONG last_dim 12: dim = -1;
    // WRONG last_dim: Tensor *e = t_exp(t_sub(x, t_amax(x, dim, .keepdim = true)));
    return t_div(e, t_sum(e, dim, .keepdim = true));
    // END
}

/* dx from y = softmax(x, dim) and dy; x itself is not needed. */
Tensor *softmax_backward(Tensor *y, Tensor *dy, int dim) {
    // HOLE
    //| (void)dy, (void)dim; /* your code */
    //| return t_zeros_like(y);
    Tensor *inner = t_sum(t_mul(y, dy), dim, .keepdim = true);
    // WRONG total 12: Tensor *inner = t_sum(t_mul(y, dy));
    // WRONG library 12: y = t_softmax(t_log(y), dim);
    // WRONG library: Tensor *inner = t_sum(t_mul(y, dy), dim, .keepdim = true);
    return t_mul(y, t_sub(dy, inner));
    // WRONG diagonal_only 12: return t_mul(t_mul(y, t_sub(1, y)), dy);
    // END
}

int main(void) {
    Tensor *a = t_tensor("[[1., 2.], [3., 4.]]"), *b = t_tensor("[[1., 0.], [-1., 2.]]"), *dy = t_ones(2, 2);
    Pair d = matmul_backward(a, b, dy);
    t_print(d.da);
    t_print(d.db);
    Tensor *x = t_tensor("[1., 2., 3.]"), *y = softmax(x, 0);
    t_print(y);
    t_print(softmax_backward(y, t_tensor("[0., 0., 1.]"), 0));
    return 0;
}
