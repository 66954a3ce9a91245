/* tests/bench/models.c: training steps and evaluations of six Transformers.
 *
 *     A         examples/notebook's classifier: pre-norm encoder, mean over the positions, Linear-ReLU-Dropout-Linear
 *     B000      the encoder of examples/encoder_from_scratch, ReLU, with its mask of ones
 *     B003      the encoder of examples/packed_qkv, GELU
 *     C         examples/encoder_decoder: encoder, decoder (causal mask) and generator
 *     D12, D64  decoder-only: pre-norm layers with a causal mask, and a Linear to the vocabulary
 *
 * A step is zero_grad, forward, loss, backward and Adam's step. The loss is cross entropy; B000 and B003, which end in
 * hidden states, take the mean square distance to fixed random ones. Dropout is where each tutorial has it: after each
 * sublayer; after embedding and positions (not B003); after the activation (A, B000); on the attention weights (A, D).
 * An evaluation is the forward alone, under no_grad. An autocast step, which runs where its line is named, is a step
 * whose forward and loss are under autocast to bfloat16.
 *
 * The operations counted are those of the matrix products, 2 M N K each: the forward's, and in a step twice as many
 * again for the gradients of both factors. Attention counts as full S x S, also under a causal mask. */
#include <stdlib.h>

#include "bench.h"

typedef struct Workload {
    const char *step, *eval, *autocast;
    int64_t vocab, D, heads, F, layers, B, S;
    double dropout;
    const char *activation;
    bool norm_first, classifies, decodes, predicts; /* A; C; D: what follows the encoder */
    bool masked;                                    /* B000: a mask of ones */
    bool drops_embedding, drops_weights, drops_activation;
} Workload;

enum { B003 = 2 }; /* its index below */

static const Workload workloads[] = {
    {"A.step", "A.eval", "A.autocast", 50, 128, 4, 256, 2, 32, 20, 0.1, "relu", .norm_first = true, .classifies = true,
     .drops_embedding = true, .drops_weights = true, .drops_activation = true},
    {"B000.step", "B000.eval", "B000.autocast", 10000, 512, 8, 2048, 6, 32, 10, 0.1, "relu", .masked = true,
     .drops_embedding = true, .drops_activation = true},
    {"B003.step", "B003.eval", "B003.autocast", 10000, 512, 8, 2048, 6, 32, 50, 0.1, "gelu", .norm_first = false},
    {"C.step", "C.eval", "C.autocast", 10000, 512, 8, 2048, 6, 16, 32, 0.1, "relu", .decodes = true,
     .drops_embedding = true},
    {"D12.step", "D12.eval", "D12.autocast", 65, 384, 6, 1536, 6, 12, 256, 0.2, "gelu", .norm_first = true,
     .predicts = true, .drops_embedding = true, .drops_weights = true},
    {"D64.step", "D64.eval", "D64.autocast", 65, 384, 6, 1536, 6, 64, 256, 0.2, "gelu", .norm_first = true,
     .predicts = true, .drops_embedding = true, .drops_weights = true},
};

typedef struct Model {
    nn_Module base;
    nn_Encoder *encoder;
    nn_EncoderDecoder *pair; /* C, instead */
    nn_Sequential *head;     /* A, D */
    const Workload *of;
    Tensor *ids, *target_ids, *target, *mask;
    optim_Optimizer *optimizer;
} Model;

/* ---- building ---- */

static void set_dropout(const Workload *w, nn_MultiHeadAttention *attention, nn_FeedForward *feed_forward) {
    if (!w->drops_weights && attention) attention->dropout->p = 0;
    if (!w->drops_activation && feed_forward) feed_forward->dropout->p = 0;
}

static void place_dropout(const Workload *w, nn_Encoder *encoder, nn_Decoder *decoder) {
    if (!w->drops_embedding) encoder->positional_encoding->dropout->p = 0;
    for_module (child, encoder->layers) {
        nn_EncoderLayer *layer = (nn_EncoderLayer *)child;
        set_dropout(w, layer->self_attention, layer->feed_forward);
    }
    if (!decoder) return;
    for_module (child, decoder->layers) {
        nn_DecoderLayer *layer = (nn_DecoderLayer *)child;
        set_dropout(w, layer->self_attention, layer->feed_forward);
        set_dropout(w, layer->cross_attention, NULL);
    }
}

static Model *model_of(const Workload *w) {
    Model *self = nn_module(Model, NULL);
    self->of = w;
    if (w->decodes) {
        nn_set(self, pair, nn_EncoderDecoder(w->layers, w->D, w->heads, w->F, w->vocab, w->vocab, .dropout = w->dropout,
                                             .activation = w->activation, .scale_embedding = false));
        place_dropout(w, self->pair->encoder, self->pair->decoder);
        return self;
    }
    nn_set(self, encoder, nn_Encoder(w->layers, w->D, w->heads, w->F, w->vocab, .dropout = w->dropout,
                                     .activation = w->activation, .norm_first = w->norm_first,
                                     .scale_embedding = w->classifies));
    place_dropout(w, self->encoder, NULL);
    if (w->classifies)
        nn_set(self, head,
               nn_Sequential(nn_Linear(w->D, w->D / 2), nn_ReLU(), nn_Dropout(w->dropout), nn_Linear(w->D / 2, 2)));
    if (w->predicts) nn_set(self, head, nn_Sequential(nn_Linear(w->D, w->vocab)));
    return self;
}

static Model *build(const Workload *w) {
    t_manual_seed(42);
    Model *self = model_of(w);
    self->ids = t_randint(0, w->vocab, w->B, w->S);
    if (w->decodes) self->target_ids = t_randint(0, w->vocab, w->B, w->S);
    if (w->classifies) self->target = t_randint(0, 2, w->B);
    else if (w->decodes || w->predicts) self->target = t_randint(0, w->vocab, w->B * w->S);
    else self->target = t_randn(w->B, w->S, w->D);
    if (w->masked) self->mask = t_ones(w->B, 1, 1, w->S);
    if (w->decodes) self->mask = nn_keep_causal(w->S);
    if (w->predicts) self->mask = t_unsqueeze(nn_keep_causal(w->S), 0);
    return self;
}

static void *build_step(const Case *line) {
    Model *self = build(line->of);
    self->optimizer = optim_Adam(nn_parameters(self));
    return self;
}

static void *build_eval(const Case *line) {
    return nn_eval(build(line->of));
}

/* ---- running ---- */

static Tensor *forward(Model *self) {
    if (self->pair) return nn_EncoderDecoder_call(self->pair, self->ids, self->target_ids, NULL, self->mask, NULL);
    Tensor *y = nn_Encoder_call(self->encoder, self->ids, self->mask, NULL);
    if (self->of->classifies) y = t_mean(y, 1);
    return self->head ? nn_call(self->head, y) : y;
}

static Tensor *loss_of(const Model *self, Tensor *y) {
    if (t_dtype(self->target) == t_float32) return F_mse_loss(y, self->target);
    return F_cross_entropy(t_view(y, -1, t_size(y, -1)), self->target);
}

static double run_step(void *state) {
    Model *self = state;
    double begin = seconds_now();
    with_scope() {
        optim_zero_grad(self->optimizer);
        t_backward(loss_of(self, forward(self)));
        optim_step(self->optimizer);
    }
    return seconds_now() - begin;
}

static double run_autocast_step(void *state) {
    Model *self = state;
    double begin = seconds_now();
    with_scope() {
        Tensor *loss = NULL;
        optim_zero_grad(self->optimizer);
        with_autocast() loss = loss_of(self, forward(self));
        t_backward(loss);
        optim_step(self->optimizer);
    }
    return seconds_now() - begin;
}

static double run_eval(void *state) {
    double begin = seconds_now();
    with_scope() with_no_grad() forward(state);
    return seconds_now() - begin;
}

/* ---- counting ---- */

static double products(const Workload *w) {
    double N = (double)(w->B * w->S), D = (double)w->D, F = (double)w->F, L = (double)w->layers, V = (double)w->vocab;
    double attention = 2 * N * 4 * D * D + 4 * N * (double)w->S * D, feed_forward = 2 * N * 2 * D * F;
    double flop = L * (attention + feed_forward);
    if (w->decodes) flop += L * (2 * attention + feed_forward) + 2 * N * D * V;
    if (w->predicts) flop += 2 * N * D * V;
    if (w->classifies) flop += 2 * (double)w->B * (D * D / 2 + D / 2 * 2);
    return flop;
}

void add_models(void) {
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        const Workload *w = &workloads[i];
        add_case((Case){w->step, 3 * products(w), 0, build_step, run_step, w, false});
        add_case((Case){w->eval, products(w), 0, build_eval, run_eval, w, false});
        add_case((Case){w->autocast, 3 * products(w), 0, build_step, run_autocast_step, w, true});
    }
}

Case step_of_size(int64_t layers, int64_t batch) {
    Workload *w = malloc(sizeof *w);
    *w = workloads[B003];
    w->layers = layers;
    w->B = batch;
    return (Case){w->step, 3 * products(w), 0, build_step, run_step, w, false};
}
