/* examples/train_classifier/model.c: the classifier, and three ways of looking at it. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/plot/plot.h"
#include "examples/python.h"

/* ---- the model ---- */

/* Every matrix but the embedding by xavier_uniform_, as nn.Transformer does: from Linear's own, smaller values the task
 * is learnt several times more slowly. */
static void redraw(EncoderClassifier *self) {
    for_named (p, nn_named_parameters(self))
        if (t_dim(p->tensor) > 1 && p->tensor != self->encoder->embedding->weight)
            nn_init_xavier_uniform_(p->tensor, 1);
}

EncoderClassifier *encoder_classifier(const Options *options) {
    EncoderClassifier *self = nn_module(EncoderClassifier, NULL);
    int64_t d_model = options->d_model;
    nn_set(self, encoder, nn_Encoder(options->layers, d_model, options->heads, options->d_ff, options->vocab,
                                     .dropout = options->dropout, .norm_first = true,
                                     .scale_embedding = options->scale_embedding));
    self->pooling = options->pool;
    nn_set(self, classifier, nn_Sequential(nn_Linear(d_model, d_model / 2), nn_ReLU(), nn_Dropout(options->dropout),
                                           nn_Linear(d_model / 2, 2)));
    if (options->xavier) redraw(self);
    return self;
}

Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *ids, t_TensorList **attention_weights) {
    Tensor *encoder_output = nn_Encoder_call(self->encoder, ids, NULL, attention_weights); /* (B, S, D) */
    Tensor *pooled;                                                                         /* (B, D) */
    if (strcmp(self->pooling, "mean") == 0) pooled = t_mean(encoder_output, 1);
    else if (strcmp(self->pooling, "max") == 0) pooled = t_max(encoder_output, 1);
    else pooled = t_at(encoder_output, ":, 0, :");
    return nn_call(self->classifier, pooled);
}

/* ---- its parameters ---- */

void print_parameters(EncoderClassifier *model) {
    int64_t total = nn_count_parameters(model, false);
    printf("parameters: %s, of which trainable: ", commas(total));
    printf("%s; size: %.2f MB (float32)\n", commas(nn_count_parameters(model, true)),
           (double)total * 4 / 1024 / 1024);
    for_named (child, nn_named_children(model)) {
        int64_t params = nn_count_parameters(child->module, false);
        if (params) printf("  %s: %s (%.1f%%)\n", child->name, commas(params), 100.0 * (double)params / (double)total);
    }
}

/* ---- its gradients ---- */

/* sqrt(sum of squares) over all parameters of a module that have a gradient. */
static double gradient_norm(const void *module) {
    double sum = 0;
    for_named (p, nn_named_parameters(module)) {
        Tensor *grad = t_grad(p->tensor);
        if (grad) sum += t_item(t_sum(t_square(grad)));
    }
    return sqrt(sum);
}

void print_gradient_norms(EncoderClassifier *model) {
    with_no_grad() {
        printf("  gradient norms: embedding %.4f", gradient_norm(model->encoder->embedding));
        int64_t i = 0;
        for_module (layer, model->encoder->layers) printf("  layer %lld %.4f", (long long)i++, gradient_norm(layer));
        printf("  head %.4f  all %.4f\n", gradient_norm(model->classifier), gradient_norm(model));
    }
}

/* ---- its attention ---- */

void draw_attention(EncoderClassifier *model, Tensor *sequence) {
    enum { SHOWN = 20 };
    static char texts[SHOWN][24];
    const char *tokens[SHOWN];
    bool training = model->base.training;
    nn_eval(model);
    with_no_grad() {
        t_TensorList *attention_weights;
        encoder_classifier_call(model, t_unsqueeze(sequence, 0), &attention_weights);
        if (attention_weights->len) {
            int64_t shown = t_size(sequence, 0) < SHOWN ? t_size(sequence, 0) : SHOWN;
            for (int64_t i = 0; i < shown; i++) {
                snprintf(texts[i], sizeof texts[i], "%lld", (long long)t_item_int64(t_at(sequence, "{}", i)));
                tokens[i] = texts[i];
            }
            sns_heatmap(t_at(attention_weights->items[0], "0, 0, :{}, :{}", shown, shown), .cmap = "Blues",
                        .square = true, .xticklabels = tokens, .yticklabels = tokens);
            plt_yticks(t_add(t_arange(shown), 0.5), tokens, .rotation = 0);
            plt_xlabel("Key");
            plt_ylabel("Query");
            plt_title("Attention Weights - Layer 0, Head 0");
        }
    }
    nn_train(model, training);
}
