/* core/ops/reduction/count_nonzero.c: torch.count_nonzero. */
#include "core/ops/reduction/reduce_internal.h"

/* torch.count_nonzero(x, dim): the number of nonzero elements over dims (NaN is nonzero), int64. Any dtype. No
 * gradient. Errors: a dim out of range or twice. */
Tensor *t_count_nonzero(Tensor *x, const int64_t *dim, int count) {
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dim, count, false, &r)) return NULL;
    int depth = t_scope_open();
    Tensor *truth = depth ? t_to(x, t_bool) : NULL;
    Tensor *y = tg_reduced((ReduceArgs){.kind = TG_SUM, .x = truth}, &r, t_int64);
    return tg_scope_return(depth, y);
}
