/* nn/functional/convolution/volume.c: im2col and col2im over three dims, each the gradient of the other. */
#include "core/kernels/parallel.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/convolution/volume_internal.h"

/* ---- sizes ---- */

void tg_triple(const int64_t *given, int64_t triple[3]) {
    for (int d = 0; d < 3; d++) triple[d] = given[given[1] == F_BOTH ? 0 : d];
}

bool tg_all_at_least(const int64_t triple[3], int64_t least) {
    return triple[0] >= least && triple[1] >= least && triple[2] >= least;
}

int64_t tg_volume_of(const int64_t triple[3]) {
    return tg_size_mul(tg_size_mul(triple[0], triple[1]), triple[2]);
}

int64_t tg_window_length(const Volume *v, int d) {
    return tg_window_extent_of(v->kernel[d], v->dilation[d]);
}

int64_t tg_window_positions(const Volume *v, int d) {
    const int64_t padded = tg_size_add(v->in[d], tg_size_mul(2, v->padding[d])), length = tg_window_length(v, d);
    return padded < length ? 0 : (padded - length) / v->stride[d] + 1;
}

bool tg_normalize_volume(Volume *v) {
    return tg_normalize_sizes(3, 0, v->kernel, v->stride, v->padding, v->dilation, v->out);
}

/* ---- the loops: rows k of the columns, one for each element of the kernel and channel ---- */

typedef struct Columns {
    const Volume *v;
    char *x, *columns;
} Columns;

/* The index along dim d of element k of the window at position p; -1 outside of x. */
static int64_t index_along(const Volume *v, int d, int64_t k, int64_t p) {
    const int64_t i = p * v->stride[d] - v->padding[d] + k * v->dilation[d];
    return i >= 0 && i < v->in[d] ? i : -1;
}

/* Channels from .. to - 1 of all samples. */
#define EACH_ELEMENT(name, T, outside, inside)                                                               \
    static void name(int64_t from, int64_t to, void *context) {                                              \
        const Columns *c = context;                                                                          \
        const Volume *v = c->v;                                                                              \
        const int64_t elements = v->in[0] * v->in[1] * v->in[2];                                             \
        T *column = (T *)c->columns + from * tg_volume_of(v->kernel) * tg_volume_of(v->out);                 \
        for (T *x = (T *)c->x + from * elements; from < to; from++, x += elements)                           \
            for (int64_t k = 0; k < tg_volume_of(v->kernel); k++)                                            \
                for (int64_t p = 0; p < v->out[0] * v->out[1]; p++) {                                        \
                    const int64_t d = index_along(v, 0, k / (v->kernel[1] * v->kernel[2]), p / v->out[1]);   \
                    const int64_t h = index_along(v, 1, k / v->kernel[2] % v->kernel[1], p % v->out[1]);     \
                    for (int64_t q = 0; q < v->out[2]; q++, column++) {                                      \
                        const int64_t w = index_along(v, 2, k % v->kernel[2], q);                            \
                        if (d < 0 || h < 0 || w < 0) outside;                                                \
                        else inside;                                                                         \
                    }                                                                                        \
                }                                                                                            \
    }
#define ELEMENT x[(d * v->in[1] + h) * v->in[2] + w]
EACH_ELEMENT(vol2col_float32, float, *column = 0, *column = ELEMENT)
EACH_ELEMENT(vol2col_float64, double, *column = 0, *column = ELEMENT)
EACH_ELEMENT(vol2col_int64, int64_t, *column = 0, *column = ELEMENT)
EACH_ELEMENT(col2vol_float32, float, (void)0, ELEMENT += *column)
EACH_ELEMENT(col2vol_float64, double, (void)0, ELEMENT += *column)
EACH_ELEMENT(col2vol_int64, uint64_t, (void)0, ELEMENT += *column)

static void run(const Volume *v, t_DType dtype, bool to_columns, int64_t channels, void *x, void *columns) {
    static void (*const loops[3][2])(int64_t from, int64_t to, void *context) = {
        {col2vol_float32, vol2col_float32}, {col2vol_float64, vol2col_float64}, {col2vol_int64, vol2col_int64}};
    const int type = dtype == t_float32 ? 0 : dtype == t_float64 ? 1 : 2;
    if (tg_volume_of(v->out) == 0) return;
    tg_parallel(channels, 1, loops[type][to_columns], &(Columns){v, x, columns});
}

/* ---- the ops ---- */

static void vol2col_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = tg_col2vol(dy, r->attributes);
}
static void col2vol_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = tg_vol2col(dy, r->attributes);
}
static const Op vol2col_op = {"vol2col", "Im2ColBackward0", vol2col_backward};
static const Op col2vol_op = {"col2vol", "Col2ImBackward0", col2vol_backward};

Tensor *tg_vol2col(Tensor *x, const Volume *v) {
    int depth = x ? t_scope_open() : 0;
    if (!depth) return NULL;
    const int64_t N = x->shape[0], C = x->shape[1];
    Tensor *dense = t_contiguous(t_detach(x));
    Tensor *y = dense ? tg_empty((int64_t[]){N, tg_size_mul(C, tg_volume_of(v->kernel)), tg_volume_of(v->out)}, 3,
                                 x->dtype)
                      : NULL;
    if (y) run(v, x->dtype, true, N * C, tg_data(dense), tg_data(y));
    y = tg_record(&vol2col_op, y, INPUTS(x), NONE, ATTRIBUTES(*v));
    return tg_scope_return(depth, y);
}

Tensor *tg_col2vol(Tensor *columns, const Volume *v) {
    int depth = columns ? t_scope_open() : 0;
    if (!depth) return NULL;
    const int64_t N = columns->shape[0], C = columns->shape[1] / tg_volume_of(v->kernel);
    const t_TensorOptions options = {.size = sizeof options, .dtype = columns->dtype};
    Tensor *dense = t_contiguous(t_detach(columns));
    Tensor *y = dense ? t_zeros((int64_t[]){N, C, v->in[0], v->in[1], v->in[2]}, 5, &options) : NULL;
    if (y) run(v, columns->dtype, false, N * C, tg_data(y), tg_data(dense));
    y = tg_record(&col2vol_op, y, INPUTS(columns), NONE, ATTRIBUTES(*v));
    return tg_scope_return(depth, y);
}
