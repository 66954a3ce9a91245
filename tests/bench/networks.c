/* tests/bench/networks.c: workloads other than Transformer training: convolutions, recurrence and generation.
 *
 *     resnet.step       ResNet-8 on 32 images of 3 x 32 x 32: SGD with momentum, cross entropy over 10 classes
 *     lstm.step         a language model: Embedding, two LSTM layers with dropout, Linear; 20 sequences of 35 tokens;
 *                       SGD
 *     vae.step          784 - 400 - 20 - 400 - 784 with the reparameterization trick on 128 images; Adam
 *     gpt_sample.eval   4 sequences of 56 tokens, one after the other, from a GPT of 4 layers with a key/value cache
 *
 * A step is zero_grad, forward, loss, backward and the optimizer's step. The operations counted are those of matrix
 * products and convolutions, 2 M N K each, a step three times the forward's. Only public functions are used, so that
 * this file also measures older versions of the library. */
#include "bench.h"

/* ---- what all training steps have in common ---- */

typedef struct Network {
    nn_Module base;
    nn_Module *net;
    Tensor *input, *target;
    optim_Optimizer *optimizer;
    Tensor *(*loss)(struct Network *self);
} Network;

static double run_step(void *state) {
    Network *self = state;
    double begin = seconds_now();
    with_scope() {
        optim_zero_grad(self->optimizer);
        t_backward(self->loss(self));
        optim_step(self->optimizer);
    }
    return seconds_now() - begin;
}

/* ---- resnet: He et al. 2016, section 4.2, with one block a stage and a 1 x 1 convolution where the shape changes ----
 */

typedef struct BasicBlock {
    nn_Module base;
    nn_Sequential *residual, *shortcut; /* no shortcut: x itself */
} BasicBlock;

static Tensor *basic_block_call(BasicBlock *self, Tensor *x) {
    return F_relu(t_add(nn_call(self->residual, x), self->shortcut ? nn_call(self->shortcut, x) : x));
}

static BasicBlock *basic_block(int64_t in, int64_t out, int64_t stride) {
    BasicBlock *self = nn_module(BasicBlock, basic_block_call);
    nn_set(self, residual, nn_Sequential(nn_Conv2d(in, out, 3, .stride = stride, .padding = 1, .bias = false),
                                         nn_BatchNorm2d(out), nn_ReLU(),
                                         nn_Conv2d(out, out, 3, .padding = 1, .bias = false), nn_BatchNorm2d(out)));
    if (stride != 1 || in != out)
        nn_set(self, shortcut,
               nn_Sequential(nn_Conv2d(in, out, 1, .stride = stride, .bias = false), nn_BatchNorm2d(out)));
    return self;
}

static Tensor *classifier_loss(Network *self) {
    return F_cross_entropy(nn_call(self->net, self->input), self->target);
}

static void *build_resnet(const Case *line) {
    (void)line;
    t_manual_seed(42);
    Network *self = nn_module(Network, NULL);
    nn_set(self, net,
           (nn_Module *)nn_Sequential(nn_Conv2d(3, 16, 3, .padding = 1, .bias = false), nn_BatchNorm2d(16), nn_ReLU(),
                                      basic_block(16, 16, 1), basic_block(16, 32, 2), basic_block(32, 64, 2),
                                      nn_AdaptiveAvgPool2d(1), nn_Flatten(), nn_Linear(64, 10)));
    self->input = t_randn(32, 3, 32, 32);
    self->target = t_randint(0, 10, 32);
    self->loss = classifier_loss;
    self->optimizer = optim_SGD(nn_parameters(self->net), .lr = 0.01, .momentum = 0.9);
    return self;
}

static double convolution_flop(int64_t side, int64_t in, int64_t out, int64_t kernel) { /* for one image */
    return 2.0 * (double)(side * side * in * out * kernel * kernel);
}

static double resnet_flop(void) {
    double stem = convolution_flop(32, 3, 16, 3), first = 2 * convolution_flop(32, 16, 16, 3);
    double second = convolution_flop(16, 16, 32, 3) + convolution_flop(16, 32, 32, 3) + convolution_flop(16, 16, 32, 1);
    double third = convolution_flop(8, 32, 64, 3) + convolution_flop(8, 64, 64, 3) + convolution_flop(8, 32, 64, 1);
    return 3 * 32 * (stem + first + second + third + 2 * 64 * 10);
}

/* ---- lstm: Zaremba et al. 2014, small ---- */

enum { LSTM_VOCAB = 1000, LSTM_EMBEDDING = 128, LSTM_HIDDEN = 256, LSTM_BATCH = 20, LSTM_LENGTH = 35 };

typedef struct LanguageModel {
    nn_Module base;
    nn_Embedding *embedding;
    nn_LSTM *lstm;
    nn_Dropout *dropout;
    nn_Linear *decoder;
} LanguageModel;

static Tensor *language_model_call(LanguageModel *self, Tensor *ids) {
    Tensor *x = nn_call(self->dropout, nn_call(self->embedding, ids));
    return nn_call(self->decoder, nn_call(self->dropout, nn_LSTM_call(self->lstm, x)));
}

static Tensor *language_model_loss(Network *self) {
    return F_cross_entropy(t_view(nn_call(self->net, self->input), -1, LSTM_VOCAB), t_view(self->target, -1));
}

static void *build_lstm(const Case *line) {
    (void)line;
    t_manual_seed(42);
    LanguageModel *model = nn_module(LanguageModel, language_model_call);
    nn_set(model, embedding, nn_Embedding(LSTM_VOCAB, LSTM_EMBEDDING));
    nn_set(model, lstm, nn_LSTM(LSTM_EMBEDDING, LSTM_HIDDEN, .num_layers = 2, .dropout = 0.2));
    nn_set(model, dropout, nn_Dropout(0.2));
    nn_set(model, decoder, nn_Linear(LSTM_HIDDEN, LSTM_VOCAB));
    Network *self = nn_module(Network, NULL);
    nn_set(self, net, (nn_Module *)model);
    self->input = t_randint(0, LSTM_VOCAB, LSTM_LENGTH, LSTM_BATCH);
    self->target = t_randint(0, LSTM_VOCAB, LSTM_LENGTH, LSTM_BATCH);
    self->loss = language_model_loss;
    self->optimizer = optim_SGD(nn_parameters(self->net), .lr = 0.1);
    return self;
}

static double lstm_flop(void) {
    double tokens = LSTM_BATCH * LSTM_LENGTH, gates = 4.0 * LSTM_HIDDEN;
    double layers = gates * (LSTM_EMBEDDING + LSTM_HIDDEN) + gates * (LSTM_HIDDEN + LSTM_HIDDEN);
    return 3 * 2 * tokens * (layers + (double)LSTM_HIDDEN * LSTM_VOCAB);
}

/* ---- vae: Kingma and Welling 2014 ---- */

enum { VAE_PIXELS = 784, VAE_HIDDEN = 400, VAE_LATENT = 20, VAE_BATCH = 128 };

typedef struct VAE {
    nn_Module base;
    nn_Sequential *encoder, *decoder;
} VAE;

/* Binary cross entropy of the reconstruction, and KL(N(mu, sigma) || N(0, 1)) = -1/2 sum(1 + log sigma^2 - mu^2 -
 * sigma^2) */
static Tensor *vae_loss(Network *self) {
    VAE *vae = (VAE *)self->net;
    t_TensorList *halves = t_chunk(nn_call(vae->encoder, self->input), 2, -1);
    Tensor *mu = t_list_get(halves, 0), *logvar = t_list_get(halves, 1);
    Tensor *z = t_add(mu, t_mul(t_exp(t_mul(logvar, 0.5)), t_randn_like(mu)));
    Tensor *bce = F_binary_cross_entropy_with_logits(nn_call(vae->decoder, z), self->input, .reduction = "sum");
    Tensor *kld = t_mul(t_sum(t_sub(t_sub(t_add(logvar, 1), t_square(mu)), t_exp(logvar))), -0.5);
    return t_add(bce, kld);
}

static void *build_vae(const Case *line) {
    (void)line;
    t_manual_seed(42);
    VAE *vae = nn_module(VAE, NULL);
    nn_set(vae, encoder,
           nn_Sequential(nn_Linear(VAE_PIXELS, VAE_HIDDEN), nn_ReLU(), nn_Linear(VAE_HIDDEN, 2 * VAE_LATENT)));
    nn_set(vae, decoder,
           nn_Sequential(nn_Linear(VAE_LATENT, VAE_HIDDEN), nn_ReLU(), nn_Linear(VAE_HIDDEN, VAE_PIXELS)));
    Network *self = nn_module(Network, NULL);
    nn_set(self, net, (nn_Module *)vae);
    self->input = t_rand(VAE_BATCH, VAE_PIXELS);
    self->loss = vae_loss;
    self->optimizer = optim_Adam(nn_parameters(self->net));
    return self;
}

static double vae_flop(void) {
    return 3 * 2.0 * VAE_BATCH * VAE_HIDDEN * (VAE_PIXELS + 2 * VAE_LATENT + VAE_LATENT + VAE_PIXELS);
}

/* ---- gpt_sample: as examples/char_gpt, each token from the logits of the last position ---- */

enum { GPT_VOCAB = 65, GPT_WIDTH = 128, GPT_HEADS = 4, GPT_LAYERS = 4, GPT_BATCH = 4, GPT_PROMPT = 8, GPT_LENGTH = 64 };

typedef struct Block {
    nn_Module base;
    nn_LayerNorm *ln_1, *ln_2;
    nn_Linear *c_attn, *c_proj;
    nn_Sequential *mlp;
} Block;

typedef struct GPT {
    nn_Module base;
    nn_Embedding *wte, *wpe;
    nn_ModuleList *blocks;
    nn_LayerNorm *ln_f;
    Tensor *keys[GPT_LAYERS], *values[GPT_LAYERS]; /* (B, H, GPT_LENGTH, d): the cache */
    Tensor *prompt;
} GPT;

static Block *block(void) {
    Block *self = nn_module(Block, NULL);
    nn_set(self, ln_1, nn_LayerNorm(GPT_WIDTH));
    nn_set(self, ln_2, nn_LayerNorm(GPT_WIDTH));
    nn_set(self, c_attn, nn_Linear(GPT_WIDTH, 3 * GPT_WIDTH));
    nn_set(self, c_proj, nn_Linear(GPT_WIDTH, GPT_WIDTH));
    nn_set(self, mlp, nn_Sequential(nn_Linear(GPT_WIDTH, 4 * GPT_WIDTH), nn_GELU(.approximate = "tanh"),
                                    nn_Linear(4 * GPT_WIDTH, GPT_WIDTH)));
    return self;
}

static Tensor *heads(Tensor *x) { /* (B, T, C) -> (B, H, T, d) */
    return t_transpose(t_view(x, GPT_BATCH, -1, GPT_HEADS, GPT_WIDTH / GPT_HEADS), 1, 2);
}

/* Writes x at positions start to end and returns the cache up to end. */
static Tensor *append_to_cache(Tensor *cache, int64_t start, int64_t end, Tensor *x) {
    t_set(cache, ":, :, {}:{}", start, end, x);
    return t_at(cache, ":, :, :{}", end);
}

static Tensor *block_call(Block *self, Tensor *x, Tensor *keys, Tensor *values, int64_t start) {
    int64_t end = start + t_size(x, 1);
    t_TensorList *qkv = t_chunk(nn_call(self->c_attn, nn_call(self->ln_1, x)), 3, -1);
    Tensor *q = heads(t_list_get(qkv, 0));
    Tensor *k = append_to_cache(keys, start, end, heads(t_list_get(qkv, 1)));
    Tensor *v = append_to_cache(values, start, end, heads(t_list_get(qkv, 2)));
    Tensor *y = F_scaled_dot_product_attention(q, k, v,
                                               .is_causal = start == 0); /* later queries are single and see all keys */
    x = t_add(x, nn_call(self->c_proj, t_reshape(t_transpose(y, 1, 2), GPT_BATCH, -1, GPT_WIDTH)));
    return t_add(x, nn_call(self->mlp, nn_call(self->ln_2, x)));
}

/* ids: (B, T), the tokens at start and after -> logits (B, V) of the next token */
static Tensor *next_logits(GPT *self, Tensor *ids, int64_t start) {
    int64_t layer = 0;
    Tensor *x = t_add(nn_call(self->wte, ids), nn_call(self->wpe, t_arange(start, start + t_size(ids, 1))));
    for_module (each, self->blocks) {
        x = block_call((Block *)each, x, self->keys[layer], self->values[layer], start);
        layer++;
    }
    return F_linear(t_at(nn_call(self->ln_f, x), ":, -1"), self->wte->weight);
}

static void *build_gpt(const Case *line) {
    (void)line;
    t_manual_seed(42);
    GPT *self = nn_module(GPT, NULL);
    nn_set(self, wte, nn_Embedding(GPT_VOCAB, GPT_WIDTH));
    nn_set(self, wpe, nn_Embedding(GPT_LENGTH, GPT_WIDTH));
    nn_set(self, blocks, nn_ModuleList());
    for_range (_, 0, GPT_LAYERS) nn_append(self->blocks, block());
    nn_set(self, ln_f, nn_LayerNorm(GPT_WIDTH));
    for (int64_t layer = 0; layer < GPT_LAYERS; layer++) {
        self->keys[layer] = t_zeros(GPT_BATCH, GPT_HEADS, GPT_LENGTH, GPT_WIDTH / GPT_HEADS);
        self->values[layer] = t_zeros(GPT_BATCH, GPT_HEADS, GPT_LENGTH, GPT_WIDTH / GPT_HEADS);
    }
    self->prompt = t_randint(0, GPT_VOCAB, GPT_BATCH, GPT_PROMPT);
    return nn_eval(self);
}

static double run_gpt(void *state) {
    GPT *self = state;
    double begin = seconds_now();
    with_scope() with_no_grad() {
        Tensor *ids = self->prompt;
        int64_t start = 0;
        while (start + t_size(ids, 1) < GPT_LENGTH) {
            Tensor *logits = next_logits(self, ids, start);
            start += t_size(ids, 1);
            ids = t_multinomial(t_softmax(logits, -1), 1);
        }
    }
    return seconds_now() - begin;
}

static double gpt_flop(void) {
    double tokens = GPT_BATCH * (GPT_LENGTH - 1), layer = 2.0 * 12 * GPT_WIDTH * GPT_WIDTH;
    double attention = 4.0 * GPT_WIDTH * GPT_LENGTH / 2; /* half of the keys, on average */
    return tokens * GPT_LAYERS * (layer + attention) +
           2.0 * GPT_BATCH * (GPT_LENGTH - GPT_PROMPT) * GPT_WIDTH * GPT_VOCAB;
}

void add_networks(void) {
    add_case((Case){"resnet.step", resnet_flop(), 0, build_resnet, run_step, NULL, false});
    add_case((Case){"lstm.step", lstm_flop(), 0, build_lstm, run_step, NULL, false});
    add_case((Case){"vae.step", vae_flop(), 0, build_vae, run_step, NULL, false});
    add_case((Case){"gpt_sample.eval", gpt_flop(), 0, build_gpt, run_gpt, NULL, false});
}
