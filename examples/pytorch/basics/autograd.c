/* examples/pytorch/basics/autograd.c: "Learn the basics: automatic differentiation".
 *
 * Difficulty: *     Read first: basics/build_model     Read next: basics/optimization */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

static void gradients(void) {
    Tensor *x = t_ones(5);
    Tensor *y = t_zeros(3);
    Tensor *w = t_randn(5, 3, .requires_grad = true);
    Tensor *b = t_randn(3, .requires_grad = true);
    Tensor *z = t_add(t_matmul(x, w), b);
    Tensor *loss = F_binary_cross_entropy_with_logits(z, y);

    t_print("grad_fn of z:", t_grad_fn(z));
    t_print("grad_fn of loss:", t_grad_fn(loss));

    t_backward(loss);
    t_print(t_grad(w));
    t_print(t_grad(b));

    z = t_add(t_matmul(x, w), b);
    t_print(t_requires_grad(z));

    with_no_grad() {
        z = t_add(t_matmul(x, w), b);
    }
    t_print(t_requires_grad(z));

    z = t_add(t_matmul(x, w), b);
    Tensor *z_det = t_detach(z);
    t_print(t_requires_grad(z_det));
}

static void jacobian_products(void) {
    Tensor *inp = t_eye(4, 5, .requires_grad = true);
    Tensor *out = t_t(t_pow(t_add(inp, 1), 2));
    t_backward(out, t_ones_like(out), .retain_graph = true);
    printf("first call\n%s\n", t_str(t_grad(inp)));
    t_backward(out, t_ones_like(out), .retain_graph = true);
    printf("second call\n%s\n", t_str(t_grad(inp)));
    t_zero_(t_grad(inp));
    t_backward(out, t_ones_like(out), .retain_graph = true);
    printf("call after zeroing the gradients\n%s\n", t_str(t_grad(inp)));
}

int main(void) {
    t_manual_seed(0);
    gradients();
    jacobian_products();
    return 0;
}
