/* core/ops/gather_loops.c: the loops that read or write elements at an index, one for each dtype. */
#include <string.h>

#include "core/ops/gather.h"

#define STEP (*(const int64_t *)context)
#define INDEX(i) (*(const int64_t *)(p[1] + (i) * s[1]))

#define GATHER(name, T)                                                                          \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        const int64_t step = STEP, T_ = sizeof(T);                                               \
        if (s[1] == 0 && s[0] == T_ && s[2] == T_) {                                             \
            memcpy(p[0], p[2] + INDEX(0) * step, (size_t)n * sizeof(T));                         \
            return;                                                                              \
        }                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                          \
            *(T *)(p[0] + i * s[0]) = *(const T *)(p[2] + i * s[2] + INDEX(i) * step);           \
    }
GATHER(gather_bool, bool)
GATHER(gather_int64, int64_t)
GATHER(gather_float32, float)
GATHER(gather_float64, double)

Loop tg_gather_loop(t_DType dtype) {
    static LoopTable loops = {
        [t_bool] = gather_bool, [t_int64] = gather_int64, [t_float32] = gather_float32, [t_float64] = gather_float64};
    return loops[dtype];
}

/* `expression` puts a, which stands there, and b, which comes, together. */
#define SCATTER(name, T, expression)                                                             \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        const int64_t step = STEP;                                                               \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T *to = (T *)(p[0] + i * s[0] + INDEX(i) * step), a = *to, b = *(const T *)(p[2] + i * s[2]); \
            (void)a;                                                                             \
            *to = (T)(expression);                                                               \
        }                                                                                        \
    }
/* With whole rows for the two that matter. */
#define SCATTER_ROWS(name, T, expression)                                                        \
    SCATTER(name##_each, T, expression)                                                          \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        const int64_t T_ = sizeof(T);                                                            \
        if (s[1] != 0 || s[0] != T_ || s[2] != T_) {                                             \
            name##_each(n, p, s, context);                                                       \
            return;                                                                              \
        }                                                                                        \
        T *to = (T *)(p[0] + INDEX(0) * STEP);                                                   \
        const T *from = (const T *)p[2];                                                         \
        TG_INDEPENDENT                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                        \
            T a = to[i], b = from[i];                                                            \
            (void)a;                                                                             \
            to[i] = (T)(expression);                                                             \
        }                                                                                        \
    }
SCATTER_ROWS(set_bool, bool, b)
SCATTER_ROWS(set_int64, int64_t, b)
SCATTER_ROWS(set_float32, float, b)
SCATTER_ROWS(set_float64, double, b)
SCATTER(sum_bool, bool, a || b)
SCATTER(sum_int64, int64_t, (uint64_t)a + (uint64_t)b)
SCATTER_ROWS(sum_float32, float, a + b)
SCATTER_ROWS(sum_float64, double, a + b)
SCATTER(prod_bool, bool, a && b)
SCATTER(prod_int64, int64_t, (uint64_t)a * (uint64_t)b)
SCATTER(prod_float32, float, a * b)
SCATTER(prod_float64, double, a * b)
/* NaN wins. */
SCATTER(max_int64, int64_t, a > b ? a : b)
SCATTER(max_float32, float, a != a || a > b ? a : b)
SCATTER(max_float64, double, a != a || a > b ? a : b)
SCATTER(min_int64, int64_t, a < b ? a : b)
SCATTER(min_float32, float, a != a || a < b ? a : b)
SCATTER(min_float64, double, a != a || a < b ? a : b)

Loop tg_scatter_loop(Scatter how, t_DType dtype) {
    static const Loop loops[SCATTERS][T_DTYPES] = {
        [SCATTER_SET] = {NULL, set_bool, set_int64, set_float32, set_float64},
        [SCATTER_SUM] = {NULL, sum_bool, sum_int64, sum_float32, sum_float64},
        [SCATTER_PROD] = {NULL, prod_bool, prod_int64, prod_float32, prod_float64},
        [SCATTER_MAX] = {NULL, sum_bool, max_int64, max_float32, max_float64},
        [SCATTER_MIN] = {NULL, prod_bool, min_int64, min_float32, min_float64},
    };
    return loops[how][dtype];
}

Tensor tg_under_index(const Tensor *x, int dim, const Tensor *index) {
    Tensor over = *x; /* a 0-dim x, or a 0-dim index, stands for one of one element */
    over.ndim = index->ndim;
    memcpy(over.shape, index->shape, sizeof over.shape);
    over.strides[dim] = 0;
    return over;
}

void tg_scatter_into(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter how) {
    Tensor over = tg_under_index(y, dim, index), *in[] = {index, src};
    int64_t step = y->ndim ? y->strides[dim] * (int64_t)tg_itemsize(y->dtype) : 0;
    tg_run(tg_scatter_loop(how, y->dtype), &over, in, 2, 0, &step);
}
