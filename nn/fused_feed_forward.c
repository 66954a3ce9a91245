/* nn/fused_feed_forward.c: dropout(activation(x W^T + b)) as one record, by kernels/feed.h.
 *
 * y needs no memory but itself: relu's gradient is seen in it, gelu keeps z and a bit an element of the dropout beside. */
#include "core/kernels/distributions.h"
#include "core/kernels/dropout.h"
#include "core/ops/pointwise.h"
#include "core/ops/random.h"
#include "nn/functional_internal.h"
#include "nn/linear_internal.h"

typedef struct Fed {
    tg_Activation activation;
    double scale;
} Fed;
enum { X, WEIGHT, BIAS, Y, Z, KEEP };

/* The slope of y over z times the mask, as a tensor that is differentiable in x, weight and bias. */
static Tensor *slope(Record *r, const Fed *fed) {
    if (fed->activation == TG_RELU) {
        Tensor *y = tg_saved(r, Y);
        if (!y) return NULL;
        Tensor *factor = t_empty_like(y), *zero = t_number(0);
        if (factor) tg_fill_into(factor, fed->scale);
        return t_masked_fill(factor, t_le(t_detach(y), zero), zero); /* 1, not 0, for a NaN */
    }
    Tensor *x = tg_saved(r, X), *weight = tg_saved(r, WEIGHT), *bias = r->saved[BIAS].tensor ? tg_saved(r, BIAS) : NULL;
    Tensor *z = x && weight ? F_linear(x, weight, bias) : NULL, *curve = z ? tg_gelu_slope(z, fed->activation == TG_GELU_TANH) : NULL;
    Tensor *keep = r->saved[KEEP].tensor ? tg_saved(r, KEEP) : NULL, *mask = curve && keep ? tg_empty(r->shape, r->ndim, r->dtype) : NULL;
    if (!mask) return curve;
    tg_fill_into(mask, 1);
    if (mask->dtype == t_float32) tg_dropout_f32(tg_data(mask), tg_data(mask), tg_data(keep), tg_numel(mask), fed->scale);
    else tg_dropout_f64(tg_data(mask), tg_data(mask), tg_data(keep), tg_numel(mask), fed->scale);
    return t_mul(mask, curve);
}

static Tensor *dz_of(Record *r, Tensor *dy, const Fed *fed, Tensor **db) {
    Tensor *saved = tg_saved(r, fed->activation == TG_RELU ? Y : Z), *dz = NULL;
    tg_Feed f = {.activation = fed->activation, .scale = fed->scale};
    if (!saved || !(dy = t_contiguous(tg_flat(dy))) || !(dz = tg_empty(dy->shape, 2, dy->dtype))) return NULL;
    f.y = f.z = tg_data(saved);
    f.dz = tg_data(dz);
    if (r->saved[KEEP].tensor) f.keep = tg_data(r->saved[KEEP].tensor);
    Tensor *sums = tg_feed_gradient(&f, dy);
    if (tg_needs(r, 2)) *db = sums;
    return sums ? dz : NULL;
}

/* dz = dy mask activation'(z), dx = dz W, dW = dz^T x, db = the sum of dz over the rows. */
static void feed_forward_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Fed *fed = r->attributes;
    Tensor *dz;
    if (t_is_grad_enabled()) {
        Tensor *factor = slope(r, fed);
        dz = factor ? t_mul(dy, factor) : NULL;
        if (tg_needs(r, 2)) dx[2] = tg_flat(dz);
    } else {
        dz = dz_of(r, dy, fed, &dx[2]);
    }
    Tensor *x = tg_needs(r, 1) ? tg_saved(r, X) : NULL, *weight = tg_needs(r, 0) ? tg_saved(r, WEIGHT) : NULL;
    if (dz) tg_linear_gradients(r, dz, x, weight, dx);
}
static const Op relu_op = {"feed_forward", "ReluBackward0", feed_forward_backward};
static const Op gelu_op = {"feed_forward", "GeluBackward0", feed_forward_backward};

bool tg_can_feed_forward(const Tensor *x, Tensor *weight, Tensor *bias) {
    if (!x || !weight || tg_thread.anomaly.on || !tg_refresh(weight) || (bias && !tg_refresh(bias))) return false;
    bool fits = tg_is_floating(x->dtype) && weight->dtype == x->dtype && weight->ndim == 2 && x->ndim > 0 && tg_numel(x) > 0 &&
                weight->shape[0] > 0 && x->shape[x->ndim - 1] == weight->shape[1] && tg_is_contiguous(x);
    return fits && (!bias || (bias->dtype == x->dtype && bias->ndim == 1 && bias->shape[0] == weight->shape[0]));
}

/* All that can fail comes before the first random word. */
static Tensor *feed_forward(Tensor *x, Tensor *weight, Tensor *bias, tg_Activation activation, double p, bool training) {
    const bool drops = training && p > 0, is_relu = activation == TG_RELU, records = tg_will_record(INPUTS(x, weight, bias));
    tg_Product product;
    tg_MT19937 *engine = drops ? tg_engine(NULL) : NULL;
    Tensor *y = tg_linear_product(x, weight, bias, &product), *z = NULL, *keep = NULL;
    if (!y || (drops && !engine)) return NULL;
    const int64_t words = tg_keep_words(tg_numel(y)) + 1;
    if (drops && !(keep = tg_empty(&words, 1, t_int64))) return NULL;
    if (records && !is_relu && !(z = tg_empty(y->shape, y->ndim, y->dtype))) return NULL;
    const double scale = !drops ? 1 : x->dtype == t_float32 ? (double)(1.0f / (float)(1.0 - p)) : 1.0 / (1.0 - p);
    tg_Feed f = {.f64 = y->dtype == t_float64, .activation = activation, .n = product.n, .z = z ? tg_data(z) : NULL,
                 .keep = keep ? tg_data(keep) : NULL, .scale = scale};
    Fed fed = {activation, scale};
    bool wants_x = weight->requires_grad || !is_relu, wants_weight = x->requires_grad || !is_relu;
    y = tg_record(is_relu ? &relu_op : &gelu_op, y, INPUTS(x, weight, bias),
                  SAVED(wants_x ? x : NULL, wants_weight ? weight : NULL, is_relu ? NULL : bias, is_relu ? y : NULL, z, is_relu ? NULL : keep),
                  ATTRIBUTES(fed));
    if (!y) return NULL;
    if (keep) tg_draw_keep(engine, tg_data(keep), tg_numel(y), 1.0 - p);
    tg_feed(&product, &f);
    return y;
}

Tensor *tg_feed_forward(Tensor *x, Tensor *weight, Tensor *bias, tg_Activation activation, double p, bool training) {
    int depth = t_scope_open();
    return tg_alone(depth, depth ? feed_forward(x, weight, bias, activation, p, training) : NULL);
}
