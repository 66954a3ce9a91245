/* examples/pytorch/text/annotated_transformer.c: "The Annotated Transformer" of Harvard NLP: the paper's encoder and
 * decoder in classes, its learning rate, label smoothing, and the first example, trained until it copies.
 *
 * Difficulty: ***     Read first: transformer_language_model     Read next: encoder_decoder */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- The small parts ---- */

typedef struct Generator {
    nn_Module base;
    nn_Linear *proj;
} Generator;

static Tensor *generator_call(Generator *self, Tensor *x) {
    return F_log_softmax(nn_call(self->proj, x), .dim = -1);
}

static Generator *generator(int64_t d_model, int64_t vocab) {
    Generator *self = nn_module(Generator, generator_call);
    nn_set(self, proj, nn_Linear(d_model, vocab));
    return self;
}

static nn_ModuleList *clones(void *module, int64_t N) {
    nn_ModuleList *copies = nn_ModuleList();
    for_range (_, N) nn_append(copies, nn_deepcopy(module));
    return copies;
}

typedef struct LayerNorm {
    nn_Module base;
    Tensor *a_2, *b_2;
    double eps;
} LayerNorm;

static Tensor *layer_norm_call(LayerNorm *self, Tensor *x) {
    Tensor *mean = t_mean(x, -1, .keepdim = true);
    Tensor *std = t_std(x, -1, .keepdim = true);
    return t_add(t_div(t_mul(self->a_2, t_sub(x, mean)), t_add(std, self->eps)), self->b_2);
}

static LayerNorm *layer_norm(int64_t features) {
    LayerNorm *self = nn_module(LayerNorm, layer_norm_call);
    nn_set(self, a_2, nn_Parameter(t_ones(features)));
    nn_set(self, b_2, nn_Parameter(t_zeros(features)));
    self->eps = 1e-6;
    return self;
}

/* The lambda of a sublayer: a function, and what it captures. */
typedef Tensor *Sublayer(Tensor *x, void *context);

typedef struct SublayerConnection {
    nn_Module base;
    LayerNorm *norm;
    nn_Dropout *dropout;
} SublayerConnection;

static SublayerConnection *sublayer_connection(int64_t size, double dropout) {
    SublayerConnection *self = nn_module(SublayerConnection, NULL);
    nn_set(self, norm, layer_norm(size));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

static Tensor *sublayer_connection_call(SublayerConnection *self, Tensor *x, Sublayer *sublayer, void *context) {
    return t_add(x, nn_call(self->dropout, sublayer(nn_call(self->norm, x), context)));
}

/* ---- Attention ---- */

static Tensor *subsequent_mask(int64_t size) {
    Tensor *mask = t_triu(t_ones(1, size, size), .diagonal = 1);
    return t_eq(mask, 0);
}

static Tensor *attention(Tensor *query, Tensor *key, Tensor *value, Tensor *mask, nn_Dropout *dropout,
                         Tensor **p_attn_out) {
    int64_t d_k = t_size(query, -1);
    Tensor *scores = t_div(t_matmul(query, t_transpose(key, -2, -1)), sqrt((double)d_k));
    if (mask != NULL) scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    Tensor *p_attn = t_softmax(scores, .dim = -1);
    if (dropout != NULL) p_attn = nn_call(dropout, p_attn);
    *p_attn_out = p_attn;
    return t_matmul(p_attn, value);
}

typedef struct MultiHeadedAttention {
    nn_Module base;
    int64_t d_k, h;
    nn_ModuleList *linears;
    Tensor *attn;
    nn_Dropout *dropout;
} MultiHeadedAttention;

static MultiHeadedAttention *multi_headed_attention(int64_t h, int64_t d_model, double dropout) {
    MultiHeadedAttention *self = nn_module(MultiHeadedAttention, NULL);
    if (d_model % h != 0) return t_fail("d_model %d is not a multiple of %d heads", (int)d_model, (int)h);
    self->d_k = d_model / h;
    self->h = h;
    nn_set(self, linears, clones(nn_Linear(d_model, d_model), 4));
    self->attn = NULL;
    nn_set(self, dropout, nn_Dropout(.p = dropout));
    return self;
}

static Tensor *multi_headed_attention_split(MultiHeadedAttention *self, nn_Linear *linear, Tensor *x) {
    int64_t nbatches = t_size(x, 0);
    return t_transpose(t_view(nn_call(linear, x), nbatches, -1, self->h, self->d_k), 1, 2);
}

static Tensor *multi_headed_attention_call(MultiHeadedAttention *self, Tensor *query, Tensor *key, Tensor *value,
                                           Tensor *mask) {
    if (mask != NULL) mask = t_unsqueeze(mask, 1);
    int64_t nbatches = t_size(query, 0);

    query = multi_headed_attention_split(self, nn_get(self->linears, 0), query);
    key = multi_headed_attention_split(self, nn_get(self->linears, 1), key);
    value = multi_headed_attention_split(self, nn_get(self->linears, 2), value);

    Tensor *attn, *x = attention(query, key, value, mask, self->dropout, &attn);
    nn_keep(self, attn, attn);

    x = t_view(t_contiguous(t_transpose(x, 1, 2)), nbatches, -1, self->h * self->d_k);
    return nn_call(nn_get(self->linears, -1), x);
}

/* lambda x: attn(x, x, x, mask), or attn(x, m, m, mask) with an m */
typedef struct Attend {
    MultiHeadedAttention *attn;
    Tensor *m, *mask;
} Attend;

static Tensor *attend(Tensor *x, void *context) {
    Attend *c = context;
    return multi_headed_attention_call(c->attn, x, c->m ? c->m : x, c->m ? c->m : x, c->mask);
}

/* ---- The feed-forward network, embeddings, positions ---- */

typedef struct PositionwiseFeedForward {
    nn_Module base;
    nn_Linear *w_1, *w_2;
    nn_Dropout *dropout;
} PositionwiseFeedForward;

static Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x) {
    return nn_call(self->w_2, nn_call(self->dropout, t_relu(nn_call(self->w_1, x))));
}

static PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout) {
    PositionwiseFeedForward *self = nn_module(PositionwiseFeedForward, positionwise_feed_forward_call);
    nn_set(self, w_1, nn_Linear(d_model, d_ff));
    nn_set(self, w_2, nn_Linear(d_ff, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

/* The network as a sublayer */
static Tensor *feed(Tensor *x, void *feed_forward) {
    return nn_call(feed_forward, x);
}

typedef struct Embeddings {
    nn_Module base;
    nn_Embedding *lut;
    int64_t d_model;
} Embeddings;

static Tensor *embeddings_call(Embeddings *self, Tensor *x) {
    return t_mul(nn_call(self->lut, x), sqrt((double)self->d_model));
}

static Embeddings *embeddings(int64_t d_model, int64_t vocab) {
    Embeddings *self = nn_module(Embeddings, embeddings_call);
    nn_set(self, lut, nn_Embedding(vocab, d_model));
    self->d_model = d_model;
    return self;
}

typedef struct PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe;
} PositionalEncoding;

static Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    x = t_add(x, t_requires_grad_(t_at(self->pe, ":, :{}", t_size(x, 1)), false));
    return nn_call(self->dropout, x);
}

static PositionalEncoding *positional_encoding(int64_t d_model, double dropout, int64_t max_len) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    nn_set(self, dropout, nn_Dropout(.p = dropout));

    Tensor *pe = t_zeros(max_len, d_model);
    Tensor *position = t_unsqueeze(t_arange(0, max_len), 1);
    Tensor *div_term = t_exp(t_mul(t_arange(0, d_model, 2), -(log(10000.0) / (double)d_model)));
    t_set(pe, ":, 0::2", t_sin(t_mul(position, div_term)));
    t_set(pe, ":, 1::2", t_cos(t_mul(position, div_term)));
    pe = t_unsqueeze(pe, 0);
    nn_register_buffer(self, pe, pe);
    return self;
}

/* ---- The encoder ---- */

typedef struct EncoderLayer {
    nn_Module base;
    MultiHeadedAttention *self_attn;
    PositionwiseFeedForward *feed_forward;
    nn_ModuleList *sublayer;
    int64_t size;
} EncoderLayer;

static EncoderLayer *encoder_layer(int64_t size, MultiHeadedAttention *self_attn, PositionwiseFeedForward *feed_forward,
                                   double dropout) {
    EncoderLayer *self = nn_module(EncoderLayer, NULL);
    nn_set(self, self_attn, self_attn);
    nn_set(self, feed_forward, feed_forward);
    nn_set(self, sublayer, clones(sublayer_connection(size, dropout), 2));
    self->size = size;
    return self;
}

static Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask) {
    x = sublayer_connection_call(nn_get(self->sublayer, 0), x, attend, &(Attend){self->self_attn, NULL, mask});
    return sublayer_connection_call(nn_get(self->sublayer, 1), x, feed, self->feed_forward);
}

typedef struct Encoder {
    nn_Module base;
    nn_ModuleList *layers;
    LayerNorm *norm;
} Encoder;

static Encoder *encoder(EncoderLayer *layer, int64_t N) {
    Encoder *self = nn_module(Encoder, NULL);
    nn_set(self, layers, clones(layer, N));
    nn_set(self, norm, layer_norm(layer->size));
    return self;
}

static Tensor *encoder_call(Encoder *self, Tensor *x, Tensor *mask) {
    for_module (layer, self->layers) x = encoder_layer_call(layer, x, mask);
    return nn_call(self->norm, x);
}

/* ---- The decoder ---- */

typedef struct DecoderLayer {
    nn_Module base;
    int64_t size;
    MultiHeadedAttention *self_attn, *src_attn;
    PositionwiseFeedForward *feed_forward;
    nn_ModuleList *sublayer;
} DecoderLayer;

static DecoderLayer *decoder_layer(int64_t size, MultiHeadedAttention *self_attn, MultiHeadedAttention *src_attn,
                                   PositionwiseFeedForward *feed_forward, double dropout) {
    DecoderLayer *self = nn_module(DecoderLayer, NULL);
    self->size = size;
    nn_set(self, self_attn, self_attn);
    nn_set(self, src_attn, src_attn);
    nn_set(self, feed_forward, feed_forward);
    nn_set(self, sublayer, clones(sublayer_connection(size, dropout), 3));
    return self;
}

static Tensor *decoder_layer_call(DecoderLayer *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask) {
    Tensor *m = memory;
    x = sublayer_connection_call(nn_get(self->sublayer, 0), x, attend, &(Attend){self->self_attn, NULL, tgt_mask});
    x = sublayer_connection_call(nn_get(self->sublayer, 1), x, attend, &(Attend){self->src_attn, m, src_mask});
    return sublayer_connection_call(nn_get(self->sublayer, 2), x, feed, self->feed_forward);
}

typedef struct Decoder {
    nn_Module base;
    nn_ModuleList *layers;
    LayerNorm *norm;
} Decoder;

static Decoder *decoder(DecoderLayer *layer, int64_t N) {
    Decoder *self = nn_module(Decoder, NULL);
    nn_set(self, layers, clones(layer, N));
    nn_set(self, norm, layer_norm(layer->size));
    return self;
}

static Tensor *decoder_call(Decoder *self, Tensor *x, Tensor *memory, Tensor *src_mask, Tensor *tgt_mask) {
    for_module (layer, self->layers) x = decoder_layer_call(layer, x, memory, src_mask, tgt_mask);
    return nn_call(self->norm, x);
}

/* ---- The model ---- */

typedef struct EncoderDecoder {
    nn_Module base;
    Encoder *encoder;
    Decoder *decoder;
    nn_Sequential *src_embed, *tgt_embed;
    Generator *generator;
} EncoderDecoder;

static EncoderDecoder *encoder_decoder(Encoder *encoder, Decoder *decoder, nn_Sequential *src_embed,
                                       nn_Sequential *tgt_embed, Generator *generator) {
    EncoderDecoder *self = nn_module(EncoderDecoder, NULL);
    nn_set(self, encoder, encoder);
    nn_set(self, decoder, decoder);
    nn_set(self, src_embed, src_embed);
    nn_set(self, tgt_embed, tgt_embed);
    nn_set(self, generator, generator);
    return self;
}

static Tensor *encoder_decoder_encode(EncoderDecoder *self, Tensor *src, Tensor *src_mask) {
    return encoder_call(self->encoder, nn_call(self->src_embed, src), src_mask);
}

static Tensor *encoder_decoder_decode(EncoderDecoder *self, Tensor *memory, Tensor *src_mask, Tensor *tgt,
                                      Tensor *tgt_mask) {
    return decoder_call(self->decoder, nn_call(self->tgt_embed, tgt), memory, src_mask, tgt_mask);
}

static Tensor *encoder_decoder_call(EncoderDecoder *self, Tensor *src, Tensor *tgt, Tensor *src_mask,
                                    Tensor *tgt_mask) {
    return encoder_decoder_decode(self, encoder_decoder_encode(self, src, src_mask), src_mask, tgt, tgt_mask);
}

static EncoderDecoder *make_model(int64_t src_vocab, int64_t tgt_vocab, int64_t N, int64_t d_model, int64_t d_ff,
                                  int64_t h, double dropout) {
    MultiHeadedAttention *attn = multi_headed_attention(h, d_model, 0.1);
    PositionwiseFeedForward *ff = positionwise_feed_forward(d_model, d_ff, dropout);
    PositionalEncoding *position = positional_encoding(d_model, dropout, 5000);
    /* the copies draw no random numbers; the embeddings and the generator do, in this order */
    Encoder *enc = encoder(encoder_layer(d_model, nn_deepcopy(attn), nn_deepcopy(ff), dropout), N);
    Decoder *dec = decoder(decoder_layer(d_model, nn_deepcopy(attn), nn_deepcopy(attn), nn_deepcopy(ff), dropout), N);
    nn_Sequential *src_embed = nn_Sequential(embeddings(d_model, src_vocab), nn_deepcopy(position));
    nn_Sequential *tgt_embed = nn_Sequential(embeddings(d_model, tgt_vocab), nn_deepcopy(position));
    EncoderDecoder *model = encoder_decoder(enc, dec, src_embed, tgt_embed, generator(d_model, tgt_vocab));

    for_parameters (p, model)
        if (t_dim(p) > 1) nn_init_xavier_uniform_(p);
    return model;
}

/* ---- Batches ---- */

typedef struct Batch {
    Tensor *src, *src_mask, *tgt, *tgt_y, *tgt_mask, *ntokens;
} Batch;

static Tensor *batch_make_std_mask(Tensor *tgt, int64_t pad) {
    Tensor *tgt_mask = t_unsqueeze(t_ne(tgt, pad), -2);
    tgt_mask = t_logical_and(tgt_mask, subsequent_mask(t_size(tgt, -1)));
    return tgt_mask;
}

static Batch batch_new(Tensor *src, Tensor *tgt, int64_t pad) {
    Batch self;
    self.src = src;
    self.src_mask = t_unsqueeze(t_ne(src, pad), -2);
    self.tgt = t_at(tgt, ":, :-1");
    self.tgt_y = t_at(tgt, ":, 1:");
    self.tgt_mask = batch_make_std_mask(self.tgt, pad);
    self.ntokens = t_sum(t_ne(self.tgt_y, pad));
    return self;
}

static Batch data_gen(int64_t V, int64_t batch_size) {
    Tensor *data = t_randint(1, V, batch_size, 10);
    t_set(data, ":, 0", 1);
    Tensor *src = t_detach(t_clone(t_requires_grad_(data, false)));
    Tensor *tgt = t_detach(t_clone(t_requires_grad_(data, false)));
    return batch_new(src, tgt, 0);
}

/* ---- The learning rate ---- */

static double rate(double step, double model_size, double factor, double warmup) {
    if (step == 0) step = 1;
    return factor * (pow(model_size, -0.5) * fmin(pow(step, -0.5), step * pow(warmup, -1.5)));
}

/* lambda step: rate(step, *example) */
typedef struct Schedule {
    int model_size, factor, warmup;
} Schedule;

static double rate_of(int64_t step, void *context) {
    Schedule *c = context;
    return rate((double)step, c->model_size, c->factor, c->warmup);
}

static void example_learning_schedule(void) {
    Schedule opts[] = {{512, 1, 400}, {512, 1, 800}, {256, 1, 400}};
    nn_Linear *dummy_model = nn_Linear(1, 1);
    for_range (i, 3) {
        Schedule *example = &opts[i];
        optim_Optimizer *optimizer = optim_Adam(nn_parameters(dummy_model), .lr = 1, .betas = {0.9, 0.98}, .eps = 1e-9);
        optim_LRScheduler *lr_scheduler = optim_LambdaLR(optimizer, .lr_lambda = rate_of, .context = example);
        t_print("model size, factor, warmup:", example->model_size, example->factor, example->warmup);
        for_range (step, 2000) {
            if (step % 200 == 0) printf("%5d %.4e\n", (int)step, optimizer->param_groups[0].lr);
            optim_step(optimizer);
            optim_scheduler_step(lr_scheduler);
        }
    }
}

/* ---- Label smoothing ---- */

typedef struct LabelSmoothing {
    nn_Module base;
    nn_KLDivLoss *criterion;
    int64_t padding_idx;
    double confidence, smoothing;
    int64_t size;
    Tensor *true_dist;
} LabelSmoothing;

static Tensor *label_smoothing_call(LabelSmoothing *self, Tensor *x, Tensor *target) {
    if (t_size(x, 1) != self->size) return t_fail("%d classes where %d are", (int)t_size(x, 1), (int)self->size);
    Tensor *true_dist = t_zeros_like(x);
    t_fill_(true_dist, self->smoothing / (double)(self->size - 2));
    t_scatter_(true_dist, 1, t_unsqueeze(target, 1), self->confidence);
    t_set(true_dist, ":, {}", self->padding_idx, 0);
    Tensor *mask = t_nonzero(t_eq(target, self->padding_idx));
    if (t_dim(mask) > 0) t_index_fill_(true_dist, 0, t_squeeze(mask), 0.0);
    nn_keep(self, true_dist, true_dist);
    return nn_call(self->criterion, x, t_detach(t_clone(true_dist)));
}

static LabelSmoothing *label_smoothing(int64_t size, int64_t padding_idx, double smoothing) {
    LabelSmoothing *self = nn_module2(LabelSmoothing, label_smoothing_call);
    nn_set(self, criterion, nn_KLDivLoss(.reduction = "sum"));
    self->padding_idx = padding_idx;
    self->confidence = 1.0 - smoothing;
    self->smoothing = smoothing;
    self->size = size;
    self->true_dist = NULL;
    return self;
}

static void example_label_smoothing(void) {
    LabelSmoothing *crit = label_smoothing(5, 0, 0.4);
    Tensor *predict = t_repeat(t_tensor("[[0, 0.2, 0.7, 0.1, 0]]"), 5, 1);
    nn_call(crit, t_log(predict), t_tensor("[2, 1, 0, 3, 3]"));
    t_print(crit->true_dist);
}

static double penalization_loss(double x, LabelSmoothing *crit) {
    double d = x + 3 * 1;
    double values[1][5] = {{1e-9, x / d - 1e-9, 1 / d, 1 / d, 1 / d}};
    Tensor *predict = t_tensor(values, .dtype = t_float32);
    return t_item(nn_call(crit, t_log(predict), t_tensor("[1]")));
}

static void penalization_visualization(void) {
    LabelSmoothing *crit = label_smoothing(5, 0, 0.1);
    for_range (x, 1, 100, 11) printf("%3d %.5f\n", (int)x, penalization_loss((double)x, crit));
}

/* ---- An epoch ---- */

typedef struct SimpleLossCompute {
    Generator *generator;
    LabelSmoothing *criterion;
} SimpleLossCompute;

static Tensor *simple_loss_compute_call(SimpleLossCompute *self, Tensor *x, Tensor *y, Tensor *norm, Tensor **node) {
    x = nn_call(self->generator, x);
    Tensor *sloss =
        t_div(nn_call(self->criterion, t_view(t_contiguous(x), -1, t_size(x, -1)), t_view(t_contiguous(y), -1)), norm);
    *node = sloss;
    return t_mul(t_data(sloss), norm);
}

typedef struct TrainState {
    int64_t step, accum_step, samples, tokens;
} TrainState;

typedef enum Mode { TRAIN, EVAL } Mode;

static double run_epoch(int64_t V, int64_t batch_size, int64_t nbatches, EncoderDecoder *model,
                        SimpleLossCompute *loss_compute, optim_Optimizer *optimizer, optim_LRScheduler *scheduler,
                        Mode mode, TrainState *train_state, int64_t accum_iter) {
    int64_t total_tokens = 0;
    double total_loss = 0;
    int64_t tokens = 0;
    int64_t n_accum = 0;
    for_range (i, nbatches) {
        Batch batch = data_gen(V, batch_size);
        Tensor *out = encoder_decoder_call(model, batch.src, batch.tgt, batch.src_mask, batch.tgt_mask);
        Tensor *loss_node, *loss = simple_loss_compute_call(loss_compute, out, batch.tgt_y, batch.ntokens, &loss_node);
        if (mode == TRAIN) {
            t_backward(loss_node);
            train_state->step += 1;
            train_state->samples += t_size(batch.src, 0);
            train_state->tokens += t_item_int64(batch.ntokens);
            if (i % accum_iter == 0) {
                optim_step(optimizer);
                optim_zero_grad(optimizer, .set_to_none = true);
                n_accum += 1;
                train_state->accum_step += 1;
            }
            optim_scheduler_step(scheduler);
        }

        total_loss += t_item(loss);
        total_tokens += t_item_int64(batch.ntokens);
        tokens += t_item_int64(batch.ntokens);
        if (i % 10 == 1 && mode == TRAIN) {
            double lr = optimizer->param_groups[0].lr;
            printf("Epoch Step: %6d | Accumulation Step: %3d | Loss: %7.4f | Tokens: %7d | Learning Rate: %6.1e\n",
                   (int)i, (int)n_accum, t_item(loss) / t_item(batch.ntokens), (int)tokens, lr);
            tokens = 0;
        }
    }
    return total_loss / (double)total_tokens;
}

/* ---- The first example: to copy ---- */

static Tensor *greedy_decode(EncoderDecoder *model, Tensor *src, Tensor *src_mask, int64_t max_len,
                             int64_t start_symbol) {
    Tensor *memory = encoder_decoder_encode(model, src, src_mask);
    Tensor *ys = t_type_as(t_fill_(t_zeros(1, 1), start_symbol), t_data(src));
    for (int64_t i = 0; i < max_len - 1; i++) {
        Tensor *out =
            encoder_decoder_decode(model, memory, src_mask, ys, t_type_as(subsequent_mask(t_size(ys, 1)), t_data(src)));
        Tensor *prob = nn_call(model->generator, t_at(out, ":, -1"));
        Tensor *next_word = t_argmax(prob, .dim = 1);
        ys = t_cat(t_list(ys, t_unsqueeze(next_word, 0)), .dim = 1);
    }
    return ys;
}

static void inference_test(void) {
    EncoderDecoder *test_model = make_model(11, 11, 2, 64, 128, 8, 0.1);
    nn_eval(test_model);
    Tensor *src = t_tensor("[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]");
    Tensor *src_mask = t_ones(1, 1, 10);
    Tensor *ys = greedy_decode(test_model, src, src_mask, 10, 0);
    t_print("Example Untrained Model Prediction:", ys);
}

static void run_tests(void) {
    for_range (_, 4) inference_test();
}

static void example_simple_model(void) {
    int64_t V = 11;
    int64_t d_model = 64;
    LabelSmoothing *criterion = label_smoothing(V, 0, 0.0);
    EncoderDecoder *model = make_model(V, V, 2, d_model, 128, 4, 0.1);

    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.5, .betas = {0.9, 0.98}, .eps = 1e-9);
    Schedule schedule = {(int)d_model, 1, 400};
    optim_LRScheduler *lr_scheduler = optim_LambdaLR(optimizer, .lr_lambda = rate_of, .context = &schedule);
    SimpleLossCompute loss_compute = {model->generator, criterion};
    TrainState train_state = {0}, unused = {0};

    int64_t batch_size = 40;
    for_range (epoch, 15) {
        nn_train(model);
        run_epoch(V, batch_size, 20, model, &loss_compute, optimizer, lr_scheduler, TRAIN, &train_state, 1);
        nn_eval(model);
        double loss = run_epoch(V, batch_size, 5, model, &loss_compute, NULL, NULL, EVAL, &unused, 1);
        printf("epoch %d loss %.4f\n", (int)epoch, loss);
    }
    t_print("steps:", train_state.step, "samples:", train_state.samples, "tokens:", train_state.tokens);

    nn_eval(model);
    Tensor *src = t_tensor("[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]");
    int64_t max_len = t_size(src, 1);
    Tensor *src_mask = t_ones(1, 1, max_len);
    t_print(greedy_decode(model, src, src_mask, max_len, 1));
}

static void look(void) {
    t_print(subsequent_mask(4));
    PositionalEncoding *pe = positional_encoding(20, 0, 5000);
    Tensor *y = nn_call(pe, t_zeros(1, 100, 20));
    t_print(t_at(y, "0, :5, 4:8"));
}

int main(void) {
    t_manual_seed(0);
    look();
    run_tests();
    example_learning_schedule();
    example_label_smoothing();
    penalization_visualization();
    example_simple_model();
    return 0;
}
