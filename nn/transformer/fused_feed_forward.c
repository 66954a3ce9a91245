/* nn/transformer/fused_feed_forward.c: y = h W2^T + b2, h = dropout(activation(z)), z = x W1^T + b1 as one record, with
 * kernels/gemm/gemm_epilogue.h.
 *
 * Of z and h, the largest tensors of a Transformer layer, only one is saved: for relu h, which also gives relu's
 * derivative; for gelu z, and the dropout mask as one bit per element. The backward recomputes h in z's memory, and
 * writes dz to dh's. */
#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/pointwise_internal.h"
#include "core/ops/random_internal.h"
#include "nn/functional/activation/gelu_internal.h"
#include "nn/functional/dropout/dropout_internal.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/linear/linear_internal.h"

typedef struct FeedForwardAttributes {
    tg_Activation activation;
    double scale;
} FeedForwardAttributes;
enum { X, WEIGHT1, BIAS1, WEIGHT2, BIAS2, INNER = BIAS2, KEEP_BITS, SAVES }; /* INNER: h of relu, z of gelu */

/* ---- gradient ---- */

/* h and dz, composed of ops of x, W1 and b1. Relu's derivative is 1, not 0, at NaN. */
static Tensor *composed_inner(Record *r, const FeedForwardAttributes *attributes, Tensor *dh, Tensor **dz) {
    Tensor *x = tg_saved(r, X), *weight = tg_saved(r, WEIGHT1),
           *bias = r->saved[BIAS1].tensor ? tg_saved(r, BIAS1) : NULL;
    Tensor *inner = tg_saved(r, INNER), *z = x && weight && inner ? F_linear(x, weight, bias) : NULL,
           *zero = t_number(0), *scale = t_number(attributes->scale);
    if (!z) return NULL;
    if (attributes->activation == TG_RELU) {
        Tensor *hidden = t_le(t_detach(inner), zero);
        *dz = t_masked_fill(t_mul(dh, scale), hidden, zero);
        return t_masked_fill(t_mul(z, scale), hidden, zero);
    }
    const bool is_tanh = attributes->activation == TG_GELU_TANH;
    Tensor *mask = tg_dropout_mask(z->shape, z->ndim, z->dtype, tg_saved(r, KEEP_BITS), attributes->scale);
    *dz = t_mul(dh, t_mul(mask, tg_gelu_derivative(z, is_tanh)));
    return t_mul(F_gelu(z, is_tanh ? "tanh" : "none"), mask);
}

/* The same fused: dz is written to dh's memory, h to z's. */
static Tensor *inner(Record *r, const FeedForwardAttributes *attributes, Tensor *dh, Tensor **dz, Tensor **db) {
    const bool is_relu = attributes->activation == TG_RELU;
    Tensor *h = tg_saved(r, INNER), *keep = tg_saved(r, KEEP_BITS);
    tg_Feed f = {.activation = attributes->activation, .scale = attributes->scale, .keep = keep ? tg_data(keep) : NULL,
                 .again = !is_relu};
    if (!h || !dh || !(is_relu || tg_can_overwrite_saved(r, INNER) || (h = t_clone(h)))) return NULL;
    f.y = f.z = tg_data(h);
    f.dz = tg_data(dh);
    *dz = dh;
    return (*db = tg_epilogue_gradient(&f, dh)) ? h : NULL;
}

/* dh = dy W2, dW2 = dy^T h, dz = dh mask activation'(z), dx = dz W1, dW1 = dz^T x; db2 and db1 are sums of dy and dz
 * over the rows. */
static void feed_forward_backward(Record *r, Tensor *dy, Tensor **dx) {
    const FeedForwardAttributes *attributes = r->attributes;
    const bool composed = t_is_grad_enabled();
    const bool wants_x = tg_needs(r, WEIGHT1), wants_weight1 = tg_needs(r, X); /* others may be modified in place */
    Tensor *x = wants_x ? tg_saved(r, X) : NULL, *weight1 = wants_weight1 ? tg_saved(r, WEIGHT1) : NULL;
    Tensor *weight2 = tg_saved(r, WEIGHT2), *dz = NULL, *db = NULL;
    Tensor *rows = weight2 && (x || !wants_x) && (weight1 || !wants_weight1) ? t_contiguous(tg_flatten_rows(dy)) : NULL;
    Tensor *dh = rows ? composed ? t_matmul(dy, weight2) : t_mm(rows, weight2) : NULL;
    Tensor *h = !dh ? NULL : composed ? composed_inner(r, attributes, dh, &dz) : inner(r, attributes, dh, &dz, &db);
    if (!h || !dz) return;
    if (tg_needs(r, WEIGHT2)) tg_linear_gradients(r, WEIGHT2 - 1, rows, h, NULL, dx);
    if (tg_needs(r, BIAS2)) dx[BIAS2] = tg_bias_gradient(r, BIAS2, rows);
    if (tg_needs(r, BIAS1)) dx[BIAS1] = composed ? tg_flatten_rows(dz) : db;
    tg_linear_gradients(r, X, dz, x, weight1, dx);
}

/* Named after the ops of which PyTorch composes the second linear layer. */
static const Op fed_mm_op = {"feed_forward", "MmBackward0", feed_forward_backward};
static const Op fed_addmm_op = {"feed_forward", "AddmmBackward0", feed_forward_backward};
static const Op fed_view_op = {"feed_forward", "UnsafeViewBackward0", feed_forward_backward};
static const Op fed_squeeze_op = {"feed_forward", "SqueezeBackward4", feed_forward_backward};

/* ---- forward ---- */

static bool layer_fits(t_DType dtype, int64_t in, Tensor *weight, Tensor *bias) {
    if (!weight || !tg_update_view_record(weight) || (bias && !tg_update_view_record(bias))) return false;
    return weight->dtype == dtype && weight->ndim == 2 && weight->shape[0] > 0 && weight->shape[1] == in &&
           (!bias || (bias->dtype == dtype && bias->ndim == 1 && bias->shape[0] == weight->shape[0]));
}

bool tg_can_feed_forward(const Tensor *x, const tg_FeedForward *n) {
    return x && !tg_thread.anomaly.on && tg_is_floating(x->dtype) && x->ndim > 0 && tg_numel(x) > 0 &&
           tg_is_contiguous(x) && layer_fits(x->dtype, x->shape[x->ndim - 1], n->weight1, n->bias1) &&
           layer_fits(x->dtype, n->weight1->shape[0], n->weight2, n->bias2);
}

static const Op *fed_op_for(const Tensor *x, const Tensor *bias) {
    if (x->ndim == 2) return bias ? &fed_addmm_op : &fed_mm_op;
    return bias || x->ndim > 2 ? &fed_view_op : &fed_squeeze_op;
}

/* Everything that can fail comes before the first random number. */
static Tensor *fused_feed_forward(Tensor *x, const tg_FeedForward *n) {
    const bool is_relu = n->activation == TG_RELU;
    Tensor *inputs[] = {x, n->weight1, n->bias1, n->weight2, n->bias2}, *z = NULL, *keep = NULL;
    tg_Product first, second;
    tg_MT19937 *engine = n->p > 0 ? tg_engine(NULL) : NULL;
    const bool records = tg_will_record(inputs, 5);
    /* a short-lived h is not allocated between long-lived tensors */
    tg_Lifetime before = tg_set_lifetime(records && is_relu ? tg_short_lived : tg_step_lived);
    Tensor *h = tg_linear_product(x, n->weight1, n->bias1, &first);
    tg_set_lifetime(before);
    Tensor *y = h ? tg_linear_product(h, n->weight2, n->bias2, &second) : NULL;
    if (!y || (n->p > 0 && !engine)) return NULL;
    const int64_t words = tg_keep_words(tg_numel(h)) + 1;
    if (engine && !(keep = tg_empty(&words, 1, t_int64))) return NULL;
    if (!is_relu && records && !(z = tg_empty(h->shape, h->ndim, h->dtype))) return NULL;
    const double scale = !engine                 ? 1
                         : x->dtype == t_float32 ? (double)(1.0f / (float)(1.0 - n->p))
                                                 : 1.0 / (1.0 - n->p);
    tg_Feed f = {.f64 = h->dtype == t_float64, .activation = n->activation, .n = first.n, .z = z ? tg_data(z) : NULL,
                 .keep = keep ? tg_data(keep) : NULL, .scale = scale};
    const FeedForwardAttributes attributes = {n->activation, scale};
    y = tg_record(fed_op_for(x, n->bias2), y, inputs, 5,
                  SAVED(x, n->weight1, n->bias1, n->weight2, is_relu ? h : z, is_relu ? NULL : keep),
                  ATTRIBUTES(attributes));
    if (!y) return NULL;
    if (keep) tg_draw_keep(engine, tg_data(keep), tg_numel(h), 1.0 - n->p);
    tg_feed(&first, &f);
    tg_gemm(f.f64, &second);
    return y;
}

Tensor *tg_feed_forward(Tensor *x, const tg_FeedForward *network) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? fused_feed_forward(x, network) : NULL);
}
