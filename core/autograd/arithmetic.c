/* core/autograd/arithmetic.c: arithmetic for gradients: adding one to another, summing one to the shape of its
 * input. */
#include "core/autograd/arithmetic.h"

#include <string.h>

/* ---- to += from ----
 * If `to` overlaps itself (the adjoint of expand) one element is added to several times, so the strided loop is
 * sequential. */

#define ADD_INTO(name, T)                                                                             \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {              \
        (void)context;                                                                                \
        if (s[0] == sizeof(T) && s[1] == sizeof(T)) {                                                 \
            T *to = (T *)p[0];                                                                        \
            const T *from = (const T *)p[1];                                                          \
            TG_INDEPENDENT                                                                            \
            for (int64_t i = 0; i < n; i++) to[i] += from[i];                                         \
        } else {                                                                                      \
            for (int64_t i = 0; i < n; i++) *(T *)(p[0] + i * s[0]) += *(const T *)(p[1] + i * s[1]); \
        }                                                                                             \
    }
ADD_INTO(add_into_float, float)
ADD_INTO(add_into_double, double)

/* For a `to` of float16 or bfloat16, which does not overlap itself: sums are made in float32. */
TG_EACH2(add_float, float, float, a + b)

void tg_add_into(Tensor *to, Tensor *from) {
    if (tg_is_half(to->dtype)) {
        tg_run_shared(add_float, to, (Tensor *[]){to, from}, 2, to->dtype, NULL);
        return;
    }
    Loop loop = to->dtype == t_float64 ? add_into_double : add_into_float;
    const bool contiguous =
        to->dtype == from->dtype && tg_same_shape(to, from) && tg_is_contiguous(to) && tg_is_contiguous(from);
    if (contiguous) tg_run_alike(loop, tg_numel(to), to, &from, 1, NULL);
    else tg_run_shared(loop, to, &from, 1, to->dtype, NULL);
}

/* ---- the sum over broadcast dims ---- */

Tensor *tg_sum_to(Tensor *x, const int64_t *shape, int ndim) {
    int64_t dims[T_MAX_DIMS] = {0};
    int count = 0, extra;
    if (!x || (x->ndim == ndim && memcmp(x->shape, shape, (size_t)ndim * sizeof *shape) == 0)) return x;
    extra = x->ndim - ndim;
    for (int d = 0; d < x->ndim; d++) {
        int64_t size = d < extra ? 1 : shape[d - extra];
        if (d < extra || x->shape[d] != size) dims[count++] = d;
    }
    Tensor *sum = t_sum(x, dims, count, true);
    return sum && extra ? t_view(sum, shape, ndim) : sum;
}
