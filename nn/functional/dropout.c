/* nn/functional/dropout.c: zeros at random places, with the same bits as PyTorch. */
#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/pointwise_internal.h"
#include "core/ops/random_internal.h"
#include "nn/functional/functional_internal.h"

/* y = x * mask, dx = dy * mask, where the mask holds 0 and 1 / (1 - p). One bit an element is kept of it, in the order of y's
 * memory, which has no gaps; x itself is not needed. */
typedef struct Dropped {
    double scale;
    int64_t strides[T_MAX_DIMS]; /* y's */
} Dropped;

void tg_multiply_by_mask(Tensor *to, const Tensor *from, const Tensor *keep, double scale) {
    if (to->dtype == t_float32) tg_dropout_f32(tg_data(to), tg_data(from), tg_data(keep), tg_numel(to), scale);
    else tg_dropout_f64(tg_data(to), tg_data(from), tg_data(keep), tg_numel(to), scale);
}

Tensor *tg_dropout_mask(const int64_t *shape, int ndim, t_DType dtype, const Tensor *keep, double scale) {
    Tensor *mask = tg_empty(shape, ndim, dtype);
    if (!mask) return NULL;
    tg_fill_into(mask, 1);
    if (keep) tg_multiply_by_mask(mask, mask, keep, scale);
    return mask;
}

/* The same for a `from` that may lie otherwise in memory: the bits are in the order of `to`, where it is copied first. */
static void multiply_in_order(Tensor *to, Tensor *from, const Tensor *keep, double scale) {
    bool same_order = tg_is_dense(from);
    for (int d = 0; d < to->ndim; d++) same_order &= to->shape[d] == 1 || from->strides[d] == to->strides[d];
    if (!same_order) tg_copy_into(to, from);
    tg_multiply_by_mask(to, same_order ? from : to, keep, scale);
}

static void dropout_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Dropped *dropped = r->attributes;
    Tensor *keep = tg_saved(r, 0), *to = keep ? tg_empty_strided(r->shape, dropped->strides, r->ndim, r->dtype) : NULL;
    if (!to) return;
    if (t_is_grad_enabled()) { /* create_graph: an op, with the mask itself */
        tg_fill_into(to, 1);
        tg_multiply_by_mask(to, to, keep, dropped->scale);
        dx[0] = t_mul(dy, to);
    } else {
        multiply_in_order(to, dy, keep, dropped->scale);
        dx[0] = to;
    }
}
static const Op dropout_op = {"dropout", "MulBackward0", dropout_backward};

/* Everything that can fail, the record included, comes before the first random word: a failed call leaves the generator
 * as it was. */
static Tensor *masked(Tensor *x, double p) {
    tg_MT19937 *engine = tg_engine(NULL);
    const int64_t n = tg_numel(x), words = tg_keep_words(n);
    Tensor *keep = engine ? tg_empty(&words, 1, t_int64) : NULL;
    Tensor *y = keep ? tg_empty_elementwise(&x, 1, x->shape, x->ndim, x->dtype) : NULL;
    if (!y) return NULL;
    Dropped dropped = {.scale = x->dtype == t_float32 ? (double)(1.0f / (float)(1.0 - p)) : 1.0 / (1.0 - p)};
    for (int d = 0; d < y->ndim; d++) dropped.strides[d] = y->strides[d];
    if (tg_will_record(INPUTS(x)) && !tg_attach(&dropout_op, y, INPUTS(x), SAVED(keep), ATTRIBUTES(dropped))) return NULL;
    tg_draw_keep(engine, tg_data(keep), n, 1.0 - p);
    multiply_in_order(y, x, keep, dropped.scale);
    return y;
}

/* Whose values are looked at when they are there. */
static Tensor *masked_and_checked(Tensor *x, double p) {
    tg_Draws draws;
    Tensor *y = tg_draws_begin(&draws, NULL) ? masked(x, p) : NULL;
    if (!y || tg_check_forward(&dropout_op, y, INPUTS(x))) return y;
    tg_draws_end(&draws, false);
    return NULL;
}

/* All is dropped: x * 0, and no draw. */
static Tensor *all_dropped(Tensor *x) {
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    Tensor *zero = t_zeros(NULL, 0, &options);
    return zero ? t_mul(x, zero) : NULL;
}

/* F.dropout(x, p, training): each element becomes 0 with probability p, the others are scaled by 1 / (1 - p).
 * x: any shape, floating; returns the same shape. In evaluation, for p = 0 and for an empty x it is x itself, without a
 * draw. dx = dy times the same mask. Errors: p outside [0, 1], integer dtype.
 * The bits are those of PyTorch 2.5 and newer on CPU: one double uniform an element, in the order of x's memory. */
Tensor *F_dropout(Tensor *x, double p, bool training) {
    if (!tg_check(x, 1)) return NULL;
    if (!(p >= 0 && p <= 1)) return tg_fail("dropout probability has to be between 0 and 1, but got %.15g", p);
    if (p == 0 || !training || tg_numel(x) == 0) return x;
    if (p != 1 && !tg_is_floating(x->dtype))
        return tg_fail("result type Float can't be cast to the desired output type %s", tg_scalar_name(x->dtype));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = p == 1 ? all_dropped(x) : (tg_thread.anomaly.on ? masked_and_checked : masked)(x, p);
    return tg_close_keeping(depth, y);
}
