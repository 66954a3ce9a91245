/* core/profiler/flops.c: floating-point operations of ops, by PyTorch's formulas (torch/csrc/profiler/util.cpp), and
 * those a second that this machine can do.
 *
 *     mm, addmm, linear    2 m n k                          (a bias is not counted)
 *     bmm, baddbmm         2 b m n k
 *     conv                 2 * outputs * (channels in / groups) * size of the kernel
 *     add, mul             one for each element of the result
 *     attention            2 B L S (E + Ev) for B heads, L queries, S keys; backward 2 B L S (3 E + 2 Ev)
 *
 * Those of attention are torch.utils.flop_counter's (sdpa_flop_count, sdpa_backward_flop_count: two products in the
 * forward, and five in the backward, of which one recomputes the scores; nothing less for a mask), since torch.profiler
 * counts its parts only where it is composed of them. A row with a fused op has those of its parts. PyTorch counts no
 * other ops. */
#include <string.h>
#include <time.h>

#include "core/ops/ops.h"
#include "core/profiler/recorder.h"
#include "core/tensor/generator.h"
#include "core/tensor/threads.h"

static bool is_one_of(const char *op, const char *const *names) {
    for (; *names; names++)
        if (strcmp(op, *names) == 0) return true;
    return false;
}

static double numel(tg_ShapeOf x) {
    double n = 1;
    for (int d = 0; d < x.ndim; d++) n *= (double)x.shape[d];
    return n;
}

/* Of a product with a result of that shape: the inner size is the last one of the left matrix. */
static double product(tg_ShapeOf left, tg_ShapeOf y) {
    return left.ndim > 0 && left.shape ? 2 * numel(y) * (double)left.shape[left.ndim - 1] : 0;
}

tg_FlopsFormula tg_flops_formula(const char *op) {
    static const char *const products[] = {"mm", "bmm", "matmul", "mv", "dot", "linear", NULL};
    static const char *const added[] = {"addmm", "baddbmm", "addbmm", "addmv", NULL};
    static const char *const convs[] = {"convolution", NULL};
    static const char *const elementwise[] = {"add", "mul", "add_", "mul_", NULL};
    static const char *const feed_forwards[] = {"feed_forward", NULL};
    static const char *const attentions[] = {"scaled_dot_product_attention", NULL};
    return is_one_of(op, elementwise)     ? tg_flops_elementwise
           : is_one_of(op, products)      ? tg_flops_product
           : is_one_of(op, added)         ? tg_flops_added_product
           : is_one_of(op, convs)         ? tg_flops_convolution
           : is_one_of(op, feed_forwards) ? tg_flops_feed_forward
           : is_one_of(op, attentions)    ? tg_flops_attention
                                          : tg_flops_none;
}

/* q (..., L, E), k (..., S, E), v (..., S, Ev): `scores` products with E as a size and `values` ones with Ev. */
static double attention(const tg_ShapeOf *inputs, int count, double scores, double values) {
    if (count < 3) return 0;
    const tg_ShapeOf q = inputs[0], k = inputs[1], v = inputs[2];
    if (q.ndim < 2 || k.ndim < 2 || v.ndim < 2 || q.shape[q.ndim - 1] == 0) return 0;
    const double E = (double)q.shape[q.ndim - 1], S = (double)k.shape[k.ndim - 2], Ev = (double)v.shape[v.ndim - 1];
    return 2 * numel(q) / E * S * (scores * E + values * Ev);
}

double tg_op_flops(tg_FlopsFormula formula, const tg_ShapeOf *inputs, int count, tg_ShapeOf y) {
    switch (formula) {
    case tg_flops_none: break;
    case tg_flops_elementwise: return numel(y);
    case tg_flops_product: return count > 1 ? product(inputs[0], y) : 0;
    case tg_flops_added_product: return count > 2 ? product(inputs[1], y) : 0;
    case tg_flops_convolution:
        if (count > 1 && inputs[1].ndim > 2 && inputs[1].shape[0] > 0)
            return 2 * numel(y) * numel(inputs[1]) / (double)inputs[1].shape[0];
        break;
    case tg_flops_feed_forward: /* two linear layers: (x, weight1, bias1, weight2, bias2) */
        if (count > 3 && inputs[1].ndim == 2 && inputs[0].ndim > 0 && inputs[1].shape[1] > 0)
            return 2 * numel(inputs[0]) / (double)inputs[1].shape[1] * (numel(inputs[1]) + numel(inputs[3]));
        break;
    case tg_flops_attention: return attention(inputs, count, 1, 1);
    }
    return 0;
}

double tg_rule_flops(tg_FlopsFormula formula, const tg_ShapeOf *inputs, int count, tg_ShapeOf y, int needed) {
    if (formula == tg_flops_elementwise) return 0;
    if (formula == tg_flops_attention) return attention(inputs, count, 3, 2);
    return tg_op_flops(formula, inputs, count, y) * (needed > 2 ? 2 : needed);
}

/* ---- the machine ---- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double measured_peak(void) {
    enum { N = 512, TIMES = 12 };
    double best = 0;
    const int64_t shape[] = {N, N};
    const int depth = t_scope_open();
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *a = depth ? tg_empty(shape, 2, t_float32) : NULL, *b = a ? tg_empty(shape, 2, t_float32) : NULL;
    for (int64_t i = 0; b && i < (int64_t)N * N; i++) {
        ((float *)tg_data(a))[i] = (float)(i % 7);
        ((float *)tg_data(b))[i] = (float)(i % 5);
    }
    for (int i = 0; b && i < TIMES; i++) {
        const double start = seconds();
        if (!t_mm(a, b)) break;
        const double rate = 2.0 * N * N * N / (seconds() - start);
        if (rate > best) best = rate;
    }
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return best;
}

double profiler_peak_flops(void) {
    enum { MOST = 256 };
    static double known[MOST]; /* by the number of threads; racing threads write about the same */
    const int64_t threads = t_get_num_threads();
    const int at = threads > 0 && threads < MOST ? (int)threads : 0;
    double peak;
    __atomic_load(&known[at], &peak, __ATOMIC_RELAXED);
    if (peak == 0) {
        peak = measured_peak();
        __atomic_store(&known[at], &peak, __ATOMIC_RELAXED);
    }
    return peak;
}
