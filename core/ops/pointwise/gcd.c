/* core/ops/pointwise/gcd.c: gcd and lcm: the greatest common divisor and the least common multiple of integers, which
 * broadcast and promote. */
#include "core/ops/pointwise/pointwise_internal.h"

static uint64_t magnitude(int64_t x) {
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* Euclid's algorithm */
static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t lcm(uint64_t a, uint64_t b) {
    const uint64_t divisor = gcd(a, b);
    return divisor ? a / divisor * b : 0;
}

TG_EACH2(gcd_int64, int64_t, int64_t, gcd(magnitude(a), magnitude(b)))
TG_EACH2(lcm_int64, int64_t, int64_t, magnitude((int64_t)lcm(magnitude(a), magnitude(b))))
static LoopTable gcd_loops = {[t_int64] = gcd_int64};
static LoopTable lcm_loops = {[t_int64] = lcm_int64};

/* torch.gcd(a, b): the greatest common divisor, never negative; gcd(0, b) = |b|. Integers only. */
Tensor *t_gcd(Tensor *x, Tensor *other) {
    return tg_pointwise2("gcd_cpu", x, other, gcd_loops, false, 0);
}

Tensor *t_gcd_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, gcd_loops, t_gcd);
}

/* torch.lcm(a, b): the least common multiple, never negative; lcm(0, b) = 0. Integers only. */
Tensor *t_lcm(Tensor *x, Tensor *other) {
    return tg_pointwise2("lcm_cpu", x, other, lcm_loops, false, 0);
}

Tensor *t_lcm_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, lcm_loops, t_lcm);
}
