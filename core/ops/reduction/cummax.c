/* core/ops/reduction/cummax.c: cummax and cummin. */
#include "core/ops/reduction/along_dim_internal.h"

typedef struct CumulativeMax {
    t_DType dtype;
    int64_t n;
    bool is_min;
} CumulativeMax;

/* One row. `better` compares the element x with the best so far; NaN is larger and smaller than everything, and of
 * equal elements or several NaNs the last is taken. */
#define CUMMAX(name, T, better)                                                                  \
    static void name(char *const *p, const int64_t *s, int64_t n) {                              \
        T best = n ? *(const T *)p[2] : 0;                                                       \
        for (int64_t i = 0, at = 0; i < n; i++) {                                                \
            const T x = *(const T *)(p[2] + i * s[2]);                                           \
            if (x != x || better) best = x, at = i;                                              \
            *(T *)(p[0] + i * s[0]) = best;                                                      \
            *(int64_t *)(p[1] + i * s[1]) = at;                                                  \
        }                                                                                        \
    }
CUMMAX(cummax_bool, uint8_t, x >= best)
CUMMAX(cummin_bool, uint8_t, x <= best)
CUMMAX(cummax_int64, int64_t, x >= best)
CUMMAX(cummin_int64, int64_t, x <= best)
CUMMAX(cummax_float32, float, x >= best)
CUMMAX(cummin_float32, float, x <= best)
CUMMAX(cummax_float64, double, x >= best)
CUMMAX(cummin_float64, double, x <= best)

static void cummax_row(char *const *p, const int64_t *s, const void *context) {
    static void (*const rows[][2])(char *const *, const int64_t *, int64_t) = {
        [t_bool] = {cummax_bool, cummin_bool},
        [t_int64] = {cummax_int64, cummin_int64},
        [t_float32] = {cummax_float32, cummin_float32},
        [t_float64] = {cummax_float64, cummin_float64},
    };
    const CumulativeMax *job = context;
    rows[job->dtype][job->is_min](p, s, job->n);
}

static const Op cummax_op = {"cummax", "CummaxBackward0", tg_value_selecting_backward};
static const Op cummin_op = {"cummin", "CumminBackward0", tg_value_selecting_backward};

static Tensor *cummax_along(Tensor *x, int64_t dim, bool is_min, const Op *op, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    CumulativeMax job = {x->dtype, tg_row_size(x, d), is_min};
    int64_t along = d;
    int depth = t_scope_open();
    Tensor *y = depth ? tg_empty_rows(x, d, job.n, x->dtype) : NULL,
           *at = y ? tg_empty_rows(x, d, job.n, t_int64) : NULL;
    if (at) tg_each_row(cummax_row, d, (Tensor *[]){y, at, x}, 3, &job);
    y = at ? t_keep_object(tg_record(op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along))) : NULL;
    if (y && indices) *indices = t_keep_object(at);
    t_scope_close(depth);
    return y;
}

/* torch.cummax(x, dim): the maximum of x_0 ... x_i along dim, and its index, the last of equals, in *indices; NaN
 * from the first NaN on. Any shape and dtype. dx = dy added at those indices. Errors: dim out of range. */
Tensor *t_cummax(Tensor *x, int64_t dim, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_cummax(tg_widened(x), dim, indices), x->dtype);
    return cummax_along(x, dim, false, &cummax_op, indices);
}

/* torch.cummin(x, dim): the minimum, with the same rules. */
Tensor *t_cummin(Tensor *x, int64_t dim, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_cummin(tg_widened(x), dim, indices), x->dtype);
    return cummax_along(x, dim, true, &cummin_op, indices);
}
