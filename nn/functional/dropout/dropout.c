/* nn/functional/dropout/dropout.c: F.dropout, with the random numbers of PyTorch. */
#include "core/kernels/random/dropout.h"
#include "core/autograd/teach.h"
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/dropout/dropout_internal.h"

/* y = x * mask, dx = dy * mask, where the mask holds 0 and 1 / (1 - p). It is saved as one bit per element, in the
 * order of y's memory, which is dense; x itself is not saved. */
typedef struct DropoutAttributes {
    double scale;
    int64_t strides[T_MAX_DIMS]; /* y's */
} DropoutAttributes;

void tg_multiply_by_mask(Tensor *to, const Tensor *from, const Tensor *bits, double scale) {
    if (to->dtype == t_float32) tg_dropout_f32(tg_data(to), tg_data(from), tg_data(bits), tg_numel(to), scale);
    else tg_dropout_f64(tg_data(to), tg_data(from), tg_data(bits), tg_numel(to), scale);
}

Tensor *tg_dropout_mask(const int64_t *shape, int ndim, t_DType dtype, const Tensor *bits, double scale) {
    Tensor *mask = tg_empty(shape, ndim, dtype);
    if (!mask) return NULL;
    tg_fill_into(mask, 1);
    if (bits) tg_multiply_by_mask(mask, mask, bits, scale);
    return mask;
}

/* The same for a `from` of another memory layout: the bits are in the order of `to`, where it is copied first. */
static void multiply_in_order(Tensor *to, Tensor *from, const Tensor *bits, double scale) {
    bool same_order = tg_is_dense(from);
    for (int d = 0; d < to->ndim; d++) same_order &= to->shape[d] == 1 || from->strides[d] == to->strides[d];
    if (!same_order) tg_copy_into(to, from);
    tg_multiply_by_mask(to, same_order ? from : to, bits, scale);
}

static void dropout_backward(Record *r, Tensor *dy, Tensor **dx) {
    const DropoutAttributes *attributes = r->attributes;
    Tensor *bits = tg_saved(r, 0),
           *to = bits ? tg_empty_strided(r->shape, attributes->strides, r->ndim, r->dtype) : NULL;
    if (!to) return;
    if (t_is_grad_enabled()) { /* create_graph: multiply by the mask with a recorded op */
        tg_fill_into(to, 1);
        tg_multiply_by_mask(to, to, bits, attributes->scale);
        dx[0] = t_mul(dy, to);
    } else {
        multiply_in_order(to, dy, bits, attributes->scale);
        dx[0] = to;
    }
}
static const Op dropout_op = {"dropout", "MulBackward0", dropout_backward};

/* Everything that can fail, the record included, comes before the first random number, so that a failed call leaves the
 * generator unchanged. */
static Tensor *dropout(Tensor *x, double p) {
    tg_MT19937 *engine = tg_engine(NULL);
    const int64_t n = tg_numel(x), count = tg_dropout_mask_words(n);
    Tensor *bits = engine ? tg_empty(&count, 1, t_int64) : NULL;
    Tensor *y = bits ? tg_empty_elementwise(&x, 1, x->shape, x->ndim, x->dtype) : NULL;
    if (!y) return NULL;
    DropoutAttributes attributes = {.scale =
                                        x->dtype == t_float32 ? (double)(1.0f / (float)(1.0 - p)) : 1.0 / (1.0 - p)};
    for (int d = 0; d < y->ndim; d++) attributes.strides[d] = y->strides[d];
    const bool draws_first = tg_pack_hooks_in_force();
    if (draws_first) tg_draw_dropout_mask(engine, tg_data(bits), n, 1.0 - p);
    if (tg_will_record(INPUTS(x)) && !tg_attach_record(&dropout_op, y, INPUTS(x), SAVED(bits), ATTRIBUTES(attributes)))
        return NULL;
    if (!draws_first) tg_draw_dropout_mask(engine, tg_data(bits), n, 1.0 - p);
    multiply_in_order(y, x, bits, attributes.scale);
    tg_profile_op(&dropout_op, y, INPUTS(x));
    return y;
}

/* In anomaly mode, where the result is checked for NaN, and where saved tensors are packed by hooks: the generator is
 * restored on failure. */
static Tensor *dropout_checked(Tensor *x, double p) {
    tg_Draws draws;
    if (!tg_draws_begin(&draws, NULL)) return NULL;
    Tensor *y = dropout(x, p);
    if (y && (!tg_thread.anomaly.on || tg_check_forward(&dropout_op, y, INPUTS(x)))) return y;
    tg_draws_end(&draws, false);
    return NULL;
}

/* ---- with a mask of numbers, in PyTorch's words noise: in place, and the other kinds of feature_dropout.c ---- */

Tensor *tg_bernoulli_mask(Tensor *noise, double p) {
    return noise ? t_bernoulli_(noise, 1 - p, NULL) : NULL;
}

Tensor *tg_multiply_by_noise(Tensor *x, Tensor *noise, double p, bool inplace) {
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    if (p != 1 && !noise) return NULL;
    Tensor *factor = p == 1 ? t_zeros(NULL, 0, &options) : t_div_(noise, t_number(1 - p));
    return factor ? (inplace ? t_mul_ : t_mul)(x, factor) : NULL;
}

Tensor *tg_run_dropout(Tensor *x, double p, bool inplace, tg_DropoutOf dropout_of) {
    tg_Draws draws;
    Tensor *y = NULL;
    int depth = t_scope_open();
    if (depth && tg_draws_begin(&draws, NULL)) tg_draws_end(&draws, (y = dropout_of(x, p, inplace)) != NULL);
    return tg_scope_return(depth, y);
}

Tensor *tg_dropout_widened(Tensor *x, double p, bool training, tg_Dropout *function) {
    tg_Draws draws;
    if (!tg_draws_begin(&draws, NULL)) return NULL;
    Tensor *y = tg_narrowed(function(tg_widened(x), p, training, false), x->dtype);
    tg_draws_end(&draws, y != NULL);
    return y;
}

Tensor *tg_empty_as(Tensor *x) {
    return tg_empty_elementwise(&x, 1, x->shape, x->ndim, x->dtype);
}

static Tensor *dropout_by_noise(Tensor *x, double p, bool inplace) {
    return tg_multiply_by_noise(x, p == 1 ? NULL : tg_bernoulli_mask(tg_empty_as(x), p), p, inplace);
}

/* F.dropout(x, p, training, inplace): each element becomes 0 with probability p, the others are scaled by 1 / (1 - p).
 * x: any shape, floating; returns the same shape. In evaluation, for p = 0 and for an empty x it returns x itself and
 * draws nothing. inplace: the result is written to x, with the same random numbers. dx = dy times the same mask.
 * Errors: p outside [0, 1], integer dtype.
 * Random numbers as in PyTorch 2.5 and newer on CPU: one double uniform per element, in the order of x's memory. */
Tensor *F_dropout(Tensor *x, double p, bool training, bool inplace) {
    if (!tg_check_any(x, 1)) return NULL;
    if (!(p >= 0 && p <= 1)) return tg_fail("dropout probability has to be between 0 and 1, but got %.15g", p);
    if (p == 0 || !training || tg_numel(x) == 0) return x;
    if (p != 1 && !tg_is_floating(x->dtype))
        return tg_fail("result type Float can't be cast to the desired output type %s", tg_scalar_name(x->dtype));
    if (tg_is_half(x->dtype) && !inplace) return tg_dropout_widened(x, p, training, F_dropout);
    if (tg_thread.teaching) tg_teach_dropout();
    if (inplace || p == 1) return tg_run_dropout(x, p, inplace, dropout_by_noise);
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool checked = tg_thread.anomaly.on || tg_pack_hooks_in_force();
    return tg_scope_return(depth, (checked ? dropout_checked : dropout)(x, p));
}
