/* nn/modules/layers.c: Linear, Bilinear, Embedding, LayerNorm, Dropout, Identity. Initial values are drawn in PyTorch's
 * order. */
#include "nn/modules/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/functional/functional.h"
#include "nn/functional/linear/linear_internal.h"
#include "nn/init/init.h"
#include "nn/module/module_internal.h"
#include "nn/modules/plain_modules_internal.h"

Tensor *tg_parameter(const int64_t *shape, int ndim, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype, .requires_grad = true};
    Tensor *p = t_empty(shape, ndim, &options);
    if (p) p->is_parameter = true;
    return p;
}

/* ---- Linear ---- */

static Tensor *linear_forward(void *module, Tensor *x) {
    nn_Linear *self = module;
    return F_linear(x, self->weight, self->bias);
}

bool tg_is_linear(const nn_Module *module) {
    return module && module->forward == linear_forward && !tg_has_hooks(module);
}

static void linear_repr(const void *module, char *text, size_t size) {
    const nn_Linear *self = module;
    snprintf(text, size, "in_features=%" PRId64 ", out_features=%" PRId64 ", bias=%s", self->in_features,
             self->out_features, self->bias ? "True" : "False");
}

static void init_linear(nn_Linear *self) {
    nn_init_kaiming_uniform_(self->weight, sqrt(5), "fan_in", "leaky_relu", NULL);
    if (!self->bias) return;
    double bound = self->in_features > 0 ? 1 / sqrt((double)self->in_features) : 0;
    nn_init_uniform_(self->bias, -bound, bound, NULL);
}

/* weight ~ U(-1/sqrt(in), 1/sqrt(in)) (kaiming_uniform_ with a = sqrt 5), then bias ~ the same. */
nn_Linear *nn_Linear_new(int64_t in_features, int64_t out_features, const nn_LinearOptions *options) {
    if (!tg_check_required("in_features out_features", (int64_t[]){in_features, out_features})) return NULL;
    nn_LinearOptions o = {.size = sizeof o, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_Linear *self = (nn_Linear *)nn_module_new(sizeof *self, "nn_Linear", linear_forward);
    if (self) {
        self->base.extra_repr = linear_repr;
        self->in_features = in_features;
        self->out_features = out_features;
        self->weight = tg_parameter((int64_t[]){out_features, in_features}, 2, o.dtype);
        nn_register_parameter(&self->base, "weight", self->weight);
        self->bias = o.bias && self->weight ? tg_parameter(&out_features, 1, o.dtype) : NULL;
        nn_register_parameter(&self->base, "bias", self->bias);
        if (self->weight) init_linear(self);
    }
    return tg_construct_end(construction, self);
}

/* ---- Bilinear ---- */

static Tensor *bilinear_forward(void *module, Tensor *a, Tensor *b) {
    nn_Bilinear *self = module;
    return F_bilinear(a, b, self->weight, self->bias);
}

static void bilinear_repr(const void *module, char *text, size_t size) {
    const nn_Bilinear *self = module;
    snprintf(text, size, "in1_features=%" PRId64 ", in2_features=%" PRId64 ", out_features=%" PRId64 ", bias=%s",
             self->in1_features, self->in2_features, self->out_features, self->bias ? "True" : "False");
}

/* weight, then bias ~ U(-1/sqrt(in1), 1/sqrt(in1)). */
nn_Bilinear *nn_Bilinear_new(int64_t in1_features, int64_t in2_features, int64_t out_features,
                             const nn_LinearOptions *options) {
    if (!tg_check_required("in1_features in2_features out_features",
                           (int64_t[]){in1_features, in2_features, out_features}))
        return NULL;
    nn_LinearOptions o = {.size = sizeof o, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (in1_features <= 0)
        return tg_fail("in1_features must be > 0, but got (in1_features=%lld)", (long long)in1_features);
    Construction construction = tg_construct_begin();
    nn_Bilinear *self = (nn_Bilinear *)nn_module_new(sizeof *self, "nn_Bilinear", NULL);
    if (self) {
        self->base.forward2 = bilinear_forward;
        self->base.extra_repr = bilinear_repr;
        self->in1_features = in1_features;
        self->in2_features = in2_features;
        self->out_features = out_features;
        self->weight = tg_parameter((int64_t[]){out_features, in1_features, in2_features}, 3, o.dtype);
        nn_register_parameter(&self->base, "weight", self->weight);
        self->bias = o.bias && self->weight ? tg_parameter(&out_features, 1, o.dtype) : NULL;
        nn_register_parameter(&self->base, "bias", self->bias);
        double bound = 1 / sqrt((double)in1_features);
        if (self->weight && nn_init_uniform_(self->weight, -bound, bound, NULL) && self->bias)
            nn_init_uniform_(self->bias, -bound, bound, NULL);
    }
    return tg_construct_end(construction, self);
}

/* ---- Embedding ---- */

const nn_EmbeddingOptions nn_EmbeddingDefaults = {
    .size = sizeof nn_EmbeddingDefaults, .padding_idx = T_NONE, .max_norm = (double)NAN, .norm_type = 2};

static Tensor *embedding_forward(void *module, Tensor *ids) {
    nn_Embedding *self = module;
    const F_EmbeddingOptions options = {sizeof options, self->padding_idx, self->max_norm, self->norm_type,
                                        self->scale_grad_by_freq};
    return F_embedding(ids, self->weight, &options);
}

static void embedding_repr(const void *module, char *text, size_t size) {
    const nn_Embedding *self = module;
    int at = snprintf(text, size, "%" PRId64 ", %" PRId64, self->num_embeddings, self->embedding_dim);
    if (self->padding_idx != T_NONE)
        at += snprintf(text + at, size - (size_t)at, ", padding_idx=%" PRId64, self->padding_idx);
    if (!isnan(self->max_norm))
        at += snprintf(text + at, size - (size_t)at, ", max_norm=%s", tg_number_text(self->max_norm));
    if (self->norm_type != 2)
        at += snprintf(text + at, size - (size_t)at, ", norm_type=%s", tg_number_text(self->norm_type));
    if (self->scale_grad_by_freq) snprintf(text + at, size - (size_t)at, ", scale_grad_by_freq=True");
}

static bool check_embedding(const nn_EmbeddingOptions *o, int64_t rows, int64_t columns) {
    const Tensor *weight = o->_weight;
    if (o->sparse) return tg_fail("nn.Embedding with sparse=True: there are no sparse gradients");
    if (o->padding_idx != T_NONE && (o->padding_idx >= rows || o->padding_idx < -rows))
        return tg_fail("Padding_idx must be within num_embeddings");
    return !weight || (weight->ndim == 2 && weight->shape[0] == rows && weight->shape[1] == columns) ||
           tg_fail("Shape of weight does not match num_embeddings and embedding_dim");
}

/* weight ~ N(0, 1); then the padding row is set to 0. A given _weight stays as it is, and is shared. */
nn_Embedding *nn_Embedding_new(int64_t num_embeddings, int64_t embedding_dim, const nn_EmbeddingOptions *options) {
    if (!tg_check_required("num_embeddings embedding_dim", (int64_t[]){num_embeddings, embedding_dim})) return NULL;
    nn_EmbeddingOptions o = nn_EmbeddingDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_optional(o._weight, 3) ||
        !check_embedding(&o, num_embeddings, embedding_dim))
        return NULL;
    Construction construction = tg_construct_begin();
    nn_Embedding *self = (nn_Embedding *)nn_module_new(sizeof *self, "nn_Embedding", embedding_forward);
    if (self) {
        self->base.extra_repr = embedding_repr;
        self->num_embeddings = num_embeddings;
        self->embedding_dim = embedding_dim;
        self->padding_idx =
            o.padding_idx != T_NONE && o.padding_idx < 0 ? o.padding_idx + num_embeddings : o.padding_idx;
        self->max_norm = o.max_norm;
        self->norm_type = o.norm_type;
        self->scale_grad_by_freq = o.scale_grad_by_freq;
        self->weight = o._weight ? nn_Parameter_as(o._weight, !o._freeze)
                                 : tg_parameter((int64_t[]){num_embeddings, embedding_dim}, 2, o.dtype);
        nn_register_parameter(&self->base, "weight", self->weight);
        if (!o._weight && self->weight && nn_init_normal_(self->weight, 0, 1, NULL) && o.padding_idx != T_NONE)
            t_zero_(t_select(t_detach(self->weight), 0, self->padding_idx));
    }
    return tg_construct_end(construction, self);
}

/* nn.Embedding.from_pretrained(embeddings, freeze=True, ...): its weight is embeddings, (rows, dim). */
nn_Embedding *nn_Embedding_from_pretrained(Tensor *embeddings, bool freeze, const nn_EmbeddingOptions *options) {
    nn_EmbeddingOptions o = nn_EmbeddingDefaults;
    if (!tg_check(embeddings, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (embeddings->ndim != 2) return tg_fail("Embeddings parameter is expected to be 2-dimensional");
    o._weight = embeddings;
    o._freeze = freeze;
    return nn_Embedding_new(embeddings->shape[0], embeddings->shape[1], &o);
}

/* ---- LayerNorm ---- */

static Tensor *layer_norm_forward(void *module, Tensor *x) {
    nn_LayerNorm *self = module;
    return F_layer_norm(x, self->normalized_shape, self->ndim, self->weight, self->bias, self->eps);
}

bool tg_is_layer_norm(const nn_Module *module) {
    return module && module->forward == layer_norm_forward && !tg_has_hooks(module);
}

/* Python prints a tuple of one element as (8,) and a small float as 1e-05. */
static void layer_norm_repr(const void *module, char *text, size_t size) {
    const nn_LayerNorm *self = module;
    int at = snprintf(text, size, "(");
    for (int d = 0; d < self->ndim; d++)
        at += snprintf(text + at, size - (size_t)at, d ? ", %" PRId64 : "%" PRId64, self->normalized_shape[d]);
    at += snprintf(text + at, size - (size_t)at, self->ndim == 1 ? ",), " : "), ");
    snprintf(text + at, size - (size_t)at, "eps=%s, elementwise_affine=%s, bias=%s", tg_number_text(self->eps),
             self->weight ? "True" : "False", self->bias ? "True" : "False");
}

/* weight = 1, bias = 0; no random numbers. */
nn_LayerNorm *nn_LayerNorm_new(const int64_t *normalized_shape, int ndim, const nn_LayerNormOptions *options) {
    nn_LayerNormOptions o = {.size = sizeof o, .eps = 1e-5, .elementwise_affine = true, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (ndim < 1 || ndim > T_MAX_DIMS) return tg_fail("LayerNorm takes 1 to %d sizes, not %d", T_MAX_DIMS, ndim);
    if (!tg_check_array(normalized_shape, ndim, 1, "sizes")) return NULL;
    Construction construction = tg_construct_begin();
    nn_LayerNorm *self = (nn_LayerNorm *)nn_module_new(sizeof *self, "nn_LayerNorm", layer_norm_forward);
    if (self) {
        self->base.extra_repr = layer_norm_repr;
        self->ndim = ndim;
        self->eps = o.eps;
        memcpy(self->normalized_shape, normalized_shape, (size_t)ndim * sizeof *normalized_shape);
        if (o.elementwise_affine) {
            self->weight = tg_parameter(normalized_shape, ndim, o.dtype);
            if (self->weight) nn_init_ones_(self->weight);
            if (self->weight && o.bias) self->bias = tg_parameter(normalized_shape, ndim, o.dtype);
            if (self->bias) nn_init_zeros_(self->bias);
        }
        nn_register_parameter(&self->base, "weight", self->weight);
        nn_register_parameter(&self->base, "bias", self->bias);
    }
    return tg_construct_end(construction, self);
}

/* ---- Dropout, Identity ---- */

static Tensor *dropout_forward(void *module, Tensor *x) {
    nn_Dropout *self = module;
    return F_dropout(x, self->p, self->base.training, self->inplace);
}

bool tg_is_dropout(const nn_Module *module) {
    const nn_Dropout *self = (const nn_Dropout *)module;
    return module && module->forward == dropout_forward && self->p >= 0 && self->p < 1 && !self->inplace &&
           !tg_has_hooks(module);
}

static void dropout_repr(const void *module, char *text, size_t size) {
    const nn_Dropout *self = module;
    snprintf(text, size, "p=%s, inplace=%s", tg_number_text(self->p), self->inplace ? "True" : "False");
}

void *tg_dropout_new(const char *type, nn_Forward forward, double p, bool inplace) {
    if (!(p >= 0 && p <= 1)) return tg_fail("dropout probability has to be between 0 and 1, but got %g", p);
    nn_Dropout *self = (nn_Dropout *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->base.extra_repr = dropout_repr;
    self->p = p;
    self->inplace = inplace;
    return self;
}

/* nn.Dropout(p, inplace): F_dropout in training mode, x itself in eval mode. Error: p outside [0, 1]. */
nn_Dropout *nn_Dropout_new(double p, bool inplace) {
    return tg_dropout_new("nn_Dropout", dropout_forward, p, inplace);
}

/* nn.Identity(): x itself. */
static Tensor *identity_forward(void *self, Tensor *x) {
    (void)self;
    return x;
}
nn_Identity *nn_Identity_new(void) {
    return (nn_Identity *)nn_module_new(sizeof(nn_Identity), "nn_Identity", identity_forward);
}
