/* nn/modules/embedding_bag.c: nn.EmbeddingBag, sums, means or maxima of bags of embeddings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/functional/functional.h"
#include "nn/init/init.h"
#include "nn/module/module_internal.h"
#include "nn/modules/layers.h"

static Tensor *forward(nn_EmbeddingBag *self, Tensor *input, Tensor *offsets, Tensor *per_sample_weights) {
    const F_EmbeddingBagOptions options = {
        .size = sizeof options, .max_norm = self->max_norm, .norm_type = self->norm_type,
        .scale_grad_by_freq = self->scale_grad_by_freq, .mode = self->mode, .per_sample_weights = per_sample_weights,
        .include_last_offset = self->include_last_offset, .padding_idx = self->padding_idx};
    return F_embedding_bag(input, self->weight, offsets, &options);
}

static Tensor *forward1(void *self, Tensor *input) {
    return forward(self, input, NULL, NULL);
}

static Tensor *forward2(void *self, Tensor *input, Tensor *offsets) {
    return forward(self, input, offsets, NULL);
}

typedef struct Call {
    Tensor *offsets, *per_sample_weights;
} Call;

static Tensor *run_call(void *self, Tensor *const *inputs, const void *call) {
    const Call *with = call;
    return forward(self, inputs[0], with->offsets, with->per_sample_weights);
}

Tensor *nn_EmbeddingBag_call(nn_EmbeddingBag *self, Tensor *input, Tensor *offsets, Tensor *per_sample_weights) {
    if (!TG_CHECK_CLASS(self, 1, nn_EmbeddingBag, "nn_EmbeddingBag_call") || !tg_check(input, 2) ||
        !tg_check_optional(offsets, 3) || !tg_check_optional(per_sample_weights, 4))
        return NULL;
    return tg_call_module(self, &input, 1, run_call, &(Call){offsets, per_sample_weights});
}

static void embedding_bag_repr(const void *module, char *text, size_t size) {
    const nn_EmbeddingBag *self = module;
    int at = snprintf(text, size, "%" PRId64 ", %" PRId64, self->num_embeddings, self->embedding_dim);
    if (!isnan(self->max_norm))
        at += snprintf(text + at, size - (size_t)at, ", max_norm=%s", tg_number_text(self->max_norm));
    if (self->norm_type != 2)
        at += snprintf(text + at, size - (size_t)at, ", norm_type=%s", tg_number_text(self->norm_type));
    if (self->scale_grad_by_freq) at += snprintf(text + at, size - (size_t)at, ", scale_grad_by_freq=True");
    at += snprintf(text + at, size - (size_t)at, ", mode='%s'", self->mode);
    if (self->padding_idx != T_NONE)
        snprintf(text + at, size - (size_t)at, ", padding_idx=%" PRId64, self->padding_idx);
}

static bool check_options(const nn_EmbeddingBagOptions *o, int64_t rows) {
    const char *mode = o->mode ? o->mode : "mean";
    if (o->sparse) return tg_fail("nn.EmbeddingBag with sparse=True: there are no sparse gradients");
    if (o->padding_idx != T_NONE && (o->padding_idx >= rows || o->padding_idx < -rows))
        return tg_fail("padding_idx must be within num_embeddings");
    return strcmp(mode, "sum") == 0 || strcmp(mode, "mean") == 0 || strcmp(mode, "max") == 0 ||
           tg_fail("mode has to be one of sum, mean or max");
}

/* weight ~ N(0, 1); then the padding row is set to 0. An unknown mode is an error here, in PyTorch of a call. */
nn_EmbeddingBag *nn_EmbeddingBag_new(int64_t num_embeddings, int64_t embedding_dim,
                                     const nn_EmbeddingBagOptions *options) {
    if (!tg_check_required("num_embeddings embedding_dim", (int64_t[]){num_embeddings, embedding_dim})) return NULL;
    nn_EmbeddingBagOptions o = {.size = sizeof o, .max_norm = (double)NAN, .norm_type = 2, .padding_idx = T_NONE};
    if (!tg_take_options(&o, options, sizeof o) || !check_options(&o, num_embeddings)) return NULL;
    Construction construction = tg_construct_begin();
    nn_EmbeddingBag *self = (nn_EmbeddingBag *)nn_module_new(sizeof *self, "nn_EmbeddingBag", forward1);
    if (self) {
        self->base.forward2 = forward2;
        self->base.extra_repr = embedding_bag_repr;
        self->num_embeddings = num_embeddings;
        self->embedding_dim = embedding_dim;
        self->padding_idx = o.padding_idx != T_NONE && o.padding_idx < 0 ? o.padding_idx + num_embeddings
                                                                         : o.padding_idx;
        self->max_norm = o.max_norm;
        self->norm_type = o.norm_type;
        self->scale_grad_by_freq = o.scale_grad_by_freq;
        self->include_last_offset = o.include_last_offset;
        strcpy(self->mode, o.mode ? o.mode : "mean");
        self->weight = tg_parameter((int64_t[]){num_embeddings, embedding_dim}, 2, o.dtype);
        nn_register_parameter(&self->base, "weight", self->weight);
        if (self->weight && nn_init_normal_(self->weight, 0, 1, NULL) && self->padding_idx != T_NONE)
            t_zero_(t_select(t_detach(self->weight), 0, self->padding_idx));
    }
    return tg_construct_end(construction, self);
}
