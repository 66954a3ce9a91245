/* nn/transformer/feed_forward.c: FFN(x) = dropout(activation(x W1^T + b1)) W2^T + b2 (Vaswani et al. 2017, section 3.3,
 * with dropout), for nn_FeedForward and PyTorch's layers.
 *
 * First composed of modules, then fused to one record, with kernels/gemm/gemm_epilogue.h: z = x W1^T + b1, h =
 * dropout(activation(z)), y = h W2^T + b2. Of z and h, the largest tensors of a Transformer layer, only one is saved:
 * for relu h, which also gives relu's derivative; for gelu z, and the dropout mask as one bit per element. The backward
 * recomputes h in z's memory, and writes dz to dh's. */
#include <string.h>

#include "core/autograd/teach.h"
#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/activation/gelu_internal.h"
#include "nn/functional/dropout/dropout_internal.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/linear/linear_internal.h"
#include "nn/modules/activations.h"
#include "nn/modules/plain_modules_internal.h"
#include "nn/transformer/transformer_internal.h"

/* ---- composed ---- */

static Tensor *activated(const tg_FeedForwardParts *p, Tensor *x) {
    if (p->activation) return nn_call(p->activation, x);
    if (p->activation_function) return x ? p->activation_function(x) : NULL;
    return p->is_gelu ? F_gelu(x, "none") : F_relu(x, false);
}

static Tensor *composed_feed_forward(const tg_FeedForwardParts *p, Tensor *x) {
    Tensor *z = nn_call(p->linear1, x);
    Tensor *h = nn_call(p->dropout, activated(p, z));
    return nn_call(p->linear2, h);
}

typedef struct FeedForwardAttributes {
    tg_Activation activation;
    double scale;
} FeedForwardAttributes;
enum { X, WEIGHT1, BIAS1, WEIGHT2, BIAS2, INNER = BIAS2, DROPOUT_MASK, SAVES }; /* INNER: h of relu, z of gelu */

/* ---- fused: gradient ---- */

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
    Tensor *mask = tg_dropout_mask(z->shape, z->ndim, z->dtype, tg_saved(r, DROPOUT_MASK), attributes->scale);
    *dz = t_mul(dh, t_mul(mask, tg_gelu_derivative(z, is_tanh)));
    return t_mul(F_gelu(z, is_tanh ? "tanh" : "none"), mask);
}

/* The same fused: dz is written to dh's memory, h to z's. */
static Tensor *inner(Record *r, const FeedForwardAttributes *attributes, Tensor *dh, Tensor **dz, Tensor **db) {
    const bool is_relu = attributes->activation == TG_RELU;
    Tensor *h = tg_saved(r, INNER), *mask = tg_saved(r, DROPOUT_MASK);
    tg_Epilogue f = {.activation = attributes->activation, .scale = attributes->scale,
                     .dropout_mask = mask ? tg_data(mask) : NULL, .recompute_y = !is_relu};
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
static const Op feed_forward_mm_op = {"feed_forward", "MmBackward0", feed_forward_backward};
static const Op feed_forward_addmm_op = {"feed_forward", "AddmmBackward0", feed_forward_backward};
static const Op feed_forward_view_op = {"feed_forward", "UnsafeViewBackward0", feed_forward_backward};
static const Op feed_forward_squeeze_op = {"feed_forward", "SqueezeBackward4", feed_forward_backward};

/* ---- fused: forward ---- */

static bool layer_fits(t_DType dtype, int64_t in, Tensor *weight, Tensor *bias) {
    if (!weight || !tg_update_view_record(weight) || (bias && !tg_update_view_record(bias))) return false;
    return weight->dtype == dtype && weight->ndim == 2 && weight->shape[0] > 0 && weight->shape[1] == in &&
           (!bias || (bias->dtype == dtype && bias->ndim == 1 && bias->shape[0] == weight->shape[0]));
}

bool tg_can_fuse_feed_forward(const Tensor *x, const tg_FeedForward *n) {
    return x && !tg_thread.anomaly.on && !tg_pack_hooks_in_force() && !tg_thread.autocast && tg_is_floating(x->dtype) &&
           x->ndim > 0 && tg_numel(x) > 0 &&
           tg_is_contiguous(x) && layer_fits(x->dtype, x->shape[x->ndim - 1], n->weight1, n->bias1) &&
           layer_fits(x->dtype, n->weight1->shape[0], n->weight2, n->bias2);
}

static const Op *feed_forward_op_for(const Tensor *x, const Tensor *bias) {
    if (x->ndim == 2) return bias ? &feed_forward_addmm_op : &feed_forward_mm_op;
    return bias || x->ndim > 2 ? &feed_forward_view_op : &feed_forward_squeeze_op;
}

/* Everything that can fail comes before the first random number. */
static Tensor *fused_feed_forward(Tensor *x, const tg_FeedForward *n) {
    const bool is_relu = n->activation == TG_RELU;
    Tensor *inputs[] = {x, n->weight1, n->bias1, n->weight2, n->bias2}, *z = NULL, *mask = NULL;
    tg_Product first, second;
    tg_MT19937 *engine = n->p > 0 ? tg_engine(NULL) : NULL;
    const bool records = tg_will_record(inputs, 5);
    /* a short-lived h is not allocated between long-lived tensors */
    tg_Lifetime before = tg_set_lifetime(records && is_relu ? tg_short_lived : tg_step_lived);
    Tensor *h = tg_linear_product(x, n->weight1, n->bias1, &first);
    tg_set_lifetime(before);
    Tensor *y = h ? tg_linear_product(h, n->weight2, n->bias2, &second) : NULL;
    if (!y || (n->p > 0 && !engine)) return NULL;
    const int64_t words = tg_dropout_mask_words(tg_numel(h)) + 1;
    if (engine && !(mask = tg_empty(&words, 1, t_int64))) return NULL;
    if (!is_relu && records && !(z = tg_empty(h->shape, h->ndim, h->dtype))) return NULL;
    const double scale = !engine                 ? 1
                         : x->dtype == t_float32 ? (double)(1.0f / (float)(1.0 - n->p))
                                                 : 1.0 / (1.0 - n->p);
    tg_Epilogue f = {.f64 = h->dtype == t_float64, .activation = n->activation, .n = first.n,
                     .z = z ? tg_data(z) : NULL, .dropout_mask = mask ? tg_data(mask) : NULL, .scale = scale};
    const FeedForwardAttributes attributes = {n->activation, scale};
    y = tg_record(feed_forward_op_for(x, n->bias2), y, inputs, 5,
                  SAVED(x, n->weight1, n->bias1, n->weight2, is_relu ? h : z, is_relu ? NULL : mask),
                  ATTRIBUTES(attributes));
    if (!y) return NULL;
    if (mask && tg_thread.teaching) tg_teach_dropout();
    if (mask) tg_draw_dropout_mask(engine, tg_data(mask), tg_numel(h), 1.0 - n->p);
    tg_gemm_epilogue(&first, &f);
    if (is_relu && records && tg_thread.teaching) tg_teach_relu(h);
    tg_gemm(f.f64, &second);
    return y;
}

Tensor *tg_feed_forward(Tensor *x, const tg_FeedForward *network) {
    int depth = t_scope_open();
    return tg_scope_return(depth, depth ? fused_feed_forward(x, network) : NULL);
}

/* ---- composed or fused ---- */

static tg_Activation fused_activation(const tg_FeedForwardParts *p) {
    if (p->activation) return tg_activation_of(p->activation);
    return p->activation_function ? TG_NO_ACTIVATION : p->is_gelu ? TG_GELU : TG_RELU;
}

/* Fused if all parts are the library's own modules. */
Tensor *tg_run_feed_forward(const tg_FeedForwardParts *p, Tensor *x) {
    const nn_Linear *linear1 = p->linear1, *linear2 = p->linear2;
    const tg_Activation activation = fused_activation(p);
    if (activation && tg_is_linear(&linear1->base) && tg_is_linear(&linear2->base) &&
        tg_is_dropout(&p->dropout->base)) {
        const tg_FeedForward network = {linear1->weight, linear1->bias, linear2->weight, linear2->bias, activation,
                                        p->dropout->base.training ? p->dropout->p : 0};
        if (tg_can_fuse_feed_forward(x, &network)) return tg_feed_forward(x, &network);
    }
    return composed_feed_forward(p, x);
}

/* ---- nn_FeedForward ---- */

static Tensor *feed_forward_call(void *module, Tensor *x) {
    nn_FeedForward *self = module;
    const tg_FeedForwardParts parts = {.linear1 = self->fc1, .linear2 = self->fc2, .dropout = self->dropout,
                                       .activation = self->activation};
    return tg_run_feed_forward(&parts, x);
}

/* NULL, the default, is relu. */
static nn_Module *activation_of(const char *name) {
    if (!name || strcmp(name, "relu") == 0) return (nn_Module *)nn_ReLU_new(false);
    if (strcmp(name, "gelu") == 0) return (nn_Module *)nn_GELU_new(NULL);
    return tg_fail("activation should be relu/gelu, not %s", name);
}

/* Draws random numbers for fc1, then fc2. */
nn_FeedForward *nn_FeedForward_new(int64_t d_model, int64_t d_ff, const nn_FeedForwardOptions *options) {
    if (!tg_check_required("d_model d_ff", (int64_t[]){d_model, d_ff})) return NULL;
    nn_FeedForwardOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_FeedForward *self = (nn_FeedForward *)nn_module_new(sizeof *self, "nn_FeedForward", feed_forward_call);
    if (self) {
        TG_SET(self, fc1, nn_Linear_new(d_model, d_ff, NULL));
        TG_SET(self, fc2, nn_Linear_new(d_ff, d_model, NULL));
        TG_SET(self, dropout, nn_Dropout_new(o.dropout, false));
        TG_SET(self, activation, activation_of(o.activation));
    }
    return tg_construct_end(construction, self);
}
