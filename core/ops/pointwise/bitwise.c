/* core/ops/pointwise/bitwise.c: bitwise_and, or, xor, not and shifts, of int64 (and, or, xor and not also of bool);
 * operands broadcast. No gradient. */
#include "core/ops/pointwise/pointwise_internal.h"

static Tensor *bitwise(const char *name, Tensor *a, Tensor *b, LoopTable loops) {
    if (!tg_check_any_two(a, b)) return NULL;
    return tg_pointwise(name, (Tensor *[]){a, b}, 2, loops, false, 0);
}

/* Defines f and f_. Errors: a floating dtype. */
#define BITWISE(f, operator)                                                                     \
    TG_EACH2(f##_bool, bool, bool, a operator b)                                                 \
    TG_EACH2(f##_int64, int64_t, int64_t, a operator b)                                          \
    static LoopTable f##_loops = {[t_bool] = f##_bool, [t_int64] = f##_int64};                   \
    Tensor *t_bitwise_##f(Tensor *x, Tensor *other) {                                            \
        return bitwise("bitwise_" #f "_cpu", x, other, f##_loops);                               \
    }                                                                                            \
    Tensor *t_bitwise_##f##_(Tensor *x, Tensor *other) {                                         \
        return tg_inplace2(x, other, f##_loops, t_bitwise_##f);                                  \
    }

BITWISE(and, &)
BITWISE(or, |)
BITWISE(xor, ^)

/* torch.bitwise_left_shift(a, b), torch.bitwise_right_shift(a, b): a << b, a >> b of int64; with b below 0 or above
 * 63 all bits are shifted out. */
#define SHIFT(f, kernel, shifted)                                                                \
    TG_EACH2(f##_int64, int64_t, int64_t, shifted)                                               \
    static LoopTable f##_loops = {[t_int64] = f##_int64};                                        \
    Tensor *t_bitwise_##f(Tensor *x, Tensor *other) {                                            \
        return bitwise(kernel, x, other, f##_loops);                                             \
    }                                                                                            \
    Tensor *t_bitwise_##f##_(Tensor *x, Tensor *other) {                                         \
        return tg_inplace2(x, other, f##_loops, t_bitwise_##f);                                  \
    }

SHIFT(left_shift, "lshift_cpu", (uint64_t)b < 64 ? (uint64_t)a << b : 0)
SHIFT(right_shift, "rshift_cpu", a >> ((uint64_t)b < 64 ? b : 63))

/* torch.bitwise_not(x): ~x of int64, not x of bool. */
TG_EACH1(not_bool, bool, bool, !x)
TG_EACH1(not_int64, int64_t, int64_t, ~x)
static LoopTable not_loops = {[t_bool] = not_bool, [t_int64] = not_int64};

Tensor *t_bitwise_not(Tensor *x) {
    return tg_check_any(x, 1) ? tg_pointwise("bitwise_not_cpu", &x, 1, not_loops, false, 0) : NULL;
}

Tensor *t_bitwise_not_(Tensor *x) {
    return tg_inplace1(x, not_loops, t_bitwise_not);
}
