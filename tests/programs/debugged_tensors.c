/* tests/programs/debugged_tensors.c: prints tensors, one by one, to a debugger that stops in `shown` and to stdout.
 * check_debugger.sh compares the two. */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

__attribute__((noinline)) static void shown(Tensor *x) {
    __asm__ volatile("" : : "r"(x) : "memory"); /* not optimised away */
}

__attribute__((noinline)) static void refused(const Tensor *x) {
    __asm__ volatile("" : : "r"(x) : "memory");
}

static void show(Tensor *x) {
    shown(x);
    printf("<<<\n");
    t_print(x);
    printf(">>>\n");
}

int main(void) {
    t_manual_seed(0);
    Tensor *a = t_tensor("[[1., 2., 3.], [4., 5., 6.]]"), *w = t_randn(3, 4, .requires_grad = true);
    show(a);
    show(t_transpose(a, 0, 1));
    show(t_select(t_transpose(a, 0, 1), 0, 1));
    show(t_expand(t_tensor("[[0.5], [1.25]]"), 2, 3));
    show(w);
    show(t_matmul(t_ones(2, 3), w));
    show(t_tensor(1.5));
    show(t_tensor("[1e-5, 1, 20000, nan, inf, -inf]"));
    show(t_tensor("[nan, inf, 0, -1]"));
    show(t_tensor("[0., nan, inf]"));
    show(t_tensor("[[-1, 20], [300, 4]]"));
    show(t_tensor("[True, False]"));
    show(t_randn(3, 2, .dtype = t_float64, .requires_grad = true));
    show(t_zeros(0, 3, .dtype = t_int64));
    show(t_bfloat16(t_randn(2, 3)));
    show(t_half(t_randn(5)));
    show(t_tensor("[[1, 200], [3, 4]]", .dtype = t_uint8));
    show(t_tensor("[-7, 123456]", .dtype = t_int32));
    show(t_zeros(0));
    show(t_randn(40, 50));
    show(t_transpose(t_reshape(t_arange(12000), 60, 200), 0, 1));
    show(t_reshape(t_arange(2400), 2, 3, 400));
    show(t_randn(2, 2, 2, 3));
    show(t_randn(30));
    show(nn_Linear(4, 2)->weight);
    Tensor *lost = NULL;
    with_scope() {
        lost = t_ones(3);
    }
    static char bytes[1000];
    refused(NULL);
    refused(lost);
    refused((const Tensor *)(const void *)bytes);
    refused((const Tensor *)16);
    return 0;
}
