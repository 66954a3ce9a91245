/* core/ops/bitwise.c: a & b, a | b and ~x, bit by bit on int64 and as logic on bools; the two broadcast. No gradient. */
#include "core/ops/pointwise.h"

/* A row: the name and the operator. Errors: a floating dtype. */
#define BITWISE(f, operator)                                                                     \
    TG_LOOP2(f##_bool, bool, bool, a operator b)                                                 \
    TG_LOOP2(f##_int64, int64_t, int64_t, a operator b)                                          \
    Tensor *t_bitwise_##f(Tensor *a, Tensor *b) {                                                \
        static LoopTable loops = {[t_bool] = f##_bool, [t_int64] = f##_int64};                   \
        if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;                                     \
        return tg_pointwise("bitwise_" #f "_cpu", (Tensor *[]){a, b}, 2, loops, false, 0);       \
    }

BITWISE(and, &)
BITWISE(or, |)

/* torch.bitwise_not(x): ~x of int64, not x of bool. */
TG_LOOP1(not_bool, bool, bool, !x)
TG_LOOP1(not_int64, int64_t, int64_t, ~x)

Tensor *t_bitwise_not(Tensor *x) {
    static LoopTable loops = {[t_bool] = not_bool, [t_int64] = not_int64};
    return tg_check(x, 1) ? tg_pointwise("bitwise_not_cpu", &x, 1, loops, false, 0) : NULL;
}
