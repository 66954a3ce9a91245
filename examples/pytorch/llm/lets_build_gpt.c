/* examples/pytorch/llm/lets_build_gpt.c: the second half of Andrej Karpathy's lecture "Let's build GPT: from scratch,
 * in code, spelled out": heads of self-attention, several of them, a feed-forward layer, residual connections and layer
 * norm, and the GPT made of these. GELU is in place of ReLU, at whose kink rounding decides: after some hundred steps
 * the losses of any two machines would differ by percents, and the samples altogether.
 *
 * Difficulty: ***     Read first: bigram     Read next: nanogpt */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/python.h"
#include "examples/pytorch/llm/characters.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const int64_t batch_size = 16;
static const int64_t block_size = 32;
static const int max_iters = 400;
static const int eval_interval = 50;
static const double learning_rate = 1e-3;
static const int eval_iters = 10;
static const int64_t n_embd = 48;
static const int64_t n_head = 4;
static const int64_t n_layer = 3;
static const double dropout = 0.1;

enum { TRAIN, VAL };
static Tensor *data[2];

static Tensor *get_batch(int split, Tensor **targets) {
    Tensor *ix = t_randint(0, t_size(data[split], 0) - block_size, batch_size);
    t_TensorList *x = t_list();
    for_list (i, t_unbind(ix))
        t_list_append(x, t_at(data[split], "{}:{}", t_item_int64(i), t_item_int64(i) + block_size));
    t_TensorList *y = t_list();
    for_list (i, t_unbind(ix))
        t_list_append(y, t_at(data[split], "{}:{}", t_item_int64(i) + 1, t_item_int64(i) + block_size + 1));
    *targets = t_stack(y);
    return t_stack(x);
}

/* ---- Self-attention ---- */

typedef struct Head {
    nn_Module base;
    nn_Linear *key, *query, *value;
    Tensor *tril;
    nn_Dropout *dropout;
} Head;

static Tensor *head_call(Head *self, Tensor *x) {
    int64_t T = t_size(x, 1);
    Tensor *k = nn_call(self->key, x);
    Tensor *q = nn_call(self->query, x);
    Tensor *wei = t_mul(t_matmul(q, t_transpose(k, -2, -1)), pow((double)t_size(k, -1), -0.5));
    wei = t_masked_fill(wei, t_eq(t_at(self->tril, ":{}, :{}", T, T), 0), -INFINITY);
    wei = F_softmax(wei, -1);
    wei = nn_call(self->dropout, wei);
    Tensor *v = nn_call(self->value, x);
    Tensor *out = t_matmul(wei, v);
    return out;
}

static Head *head(int64_t head_size) {
    Head *self = nn_module(Head, head_call);
    nn_set(self, key, nn_Linear(n_embd, head_size, .bias = false));
    nn_set(self, query, nn_Linear(n_embd, head_size, .bias = false));
    nn_set(self, value, nn_Linear(n_embd, head_size, .bias = false));
    nn_register_buffer(self, tril, t_tril(t_ones(block_size, block_size)));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

typedef struct MultiHeadAttention {
    nn_Module base;
    nn_ModuleList *heads;
    nn_Linear *proj;
    nn_Dropout *dropout;
} MultiHeadAttention;

static Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *x) {
    t_TensorList *out_list = t_list();
    for_module (h, self->heads) t_list_append(out_list, nn_call(h, x));
    Tensor *out = t_cat(out_list, .dim = -1);
    out = nn_call(self->dropout, nn_call(self->proj, out));
    return out;
}

static MultiHeadAttention *multi_head_attention(int64_t num_heads, int64_t head_size) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, multi_head_attention_call);
    nn_set(self, heads, nn_ModuleList());
    for_range (_, num_heads) nn_append(self->heads, head(head_size));
    nn_set(self, proj, nn_Linear(head_size * num_heads, n_embd));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

/* ---- A block: communication, then computation ---- */

typedef struct FeedForward {
    nn_Module base;
    nn_Sequential *net;
} FeedForward;

static Tensor *feed_forward_call(FeedForward *self, Tensor *x) {
    return nn_call(self->net, x);
}

static FeedForward *feed_forward(int64_t width) {
    FeedForward *self = nn_module(FeedForward, feed_forward_call);
    nn_set(self, net,
           nn_Sequential(nn_Linear(width, 4 * width), nn_GELU(), nn_Linear(4 * width, width), nn_Dropout(dropout)));
    return self;
}

typedef struct Block {
    nn_Module base;
    MultiHeadAttention *sa;
    FeedForward *ffwd;
    nn_LayerNorm *ln1, *ln2;
} Block;

static Tensor *block_call(Block *self, Tensor *x) {
    x = t_add(x, nn_call(self->sa, nn_call(self->ln1, x)));
    x = t_add(x, nn_call(self->ffwd, nn_call(self->ln2, x)));
    return x;
}

static Block *block(int64_t width, int64_t heads) {
    Block *self = nn_module(Block, block_call);
    int64_t head_size = width / heads;
    nn_set(self, sa, multi_head_attention(heads, head_size));
    nn_set(self, ffwd, feed_forward(width));
    nn_set(self, ln1, nn_LayerNorm(width));
    nn_set(self, ln2, nn_LayerNorm(width));
    return self;
}

/* ---- Layer norm, by hand: no module ---- */

typedef struct LayerNorm1d {
    double eps;
    Tensor *gamma, *beta, *out;
} LayerNorm1d;

static LayerNorm1d layer_norm1d(int64_t dim, double eps) {
    LayerNorm1d self = {0};
    self.eps = eps;
    self.gamma = t_ones(dim);
    self.beta = t_zeros(dim);
    return self;
}

static Tensor *layer_norm1d_call(LayerNorm1d *self, Tensor *x) {
    Tensor *xmean = t_mean(x, 1, .keepdim = true);
    Tensor *xvar = t_var(x, 1, .keepdim = true);
    Tensor *xhat = t_div(t_sub(x, xmean), t_sqrt(t_add(xvar, self->eps)));
    self->out = t_add(t_mul(self->gamma, xhat), self->beta);
    return self->out;
}

/* ---- The model ---- */

typedef struct GPTLanguageModel {
    nn_Module base;
    nn_Embedding *token_embedding_table, *position_embedding_table;
    nn_Sequential *blocks;
    nn_LayerNorm *ln_f;
    nn_Linear *lm_head;
} GPTLanguageModel;

static void init_weights(nn_Module *module, void *context) {
    (void)context;
    nn_Linear *linear = nn_as(module, nn_Linear);
    nn_Embedding *embedding = nn_as(module, nn_Embedding);
    if (linear != NULL) {
        nn_init_normal_(linear->weight, .mean = 0.0, .std = 0.02);
        if (linear->bias != NULL) {
            nn_init_zeros_(linear->bias);
        }
    } else if (embedding != NULL) {
        nn_init_normal_(embedding->weight, .mean = 0.0, .std = 0.02);
    }
}

static GPTLanguageModel *gpt_language_model(int64_t vocab_size) {
    GPTLanguageModel *self = nn_module(GPTLanguageModel, NULL);
    nn_set(self, token_embedding_table, nn_Embedding(vocab_size, n_embd));
    nn_set(self, position_embedding_table, nn_Embedding(block_size, n_embd));
    nn_set(self, blocks, nn_Sequential());
    for_range (_, n_layer) nn_append(self->blocks, block(n_embd, n_head));
    nn_set(self, ln_f, nn_LayerNorm(n_embd));
    nn_set(self, lm_head, nn_Linear(n_embd, vocab_size));
    nn_apply(self, init_weights);
    return self;
}

/* idx, targets: (B, T); targets may be NULL, and then *loss is */
static Tensor *gpt_language_model_call(GPTLanguageModel *self, Tensor *idx, Tensor *targets, Tensor **loss) {
    int64_t B = t_size(idx, 0), T = t_size(idx, 1);
    Tensor *tok_emb = nn_call(self->token_embedding_table, idx);
    Tensor *pos_emb = nn_call(self->position_embedding_table, t_arange(T));
    Tensor *x = t_add(tok_emb, pos_emb);
    x = nn_call(self->blocks, x);
    x = nn_call(self->ln_f, x);
    Tensor *logits = nn_call(self->lm_head, x);
    if (targets == NULL) {
        *loss = NULL;
    } else {
        int64_t C = t_size(logits, 2);
        logits = t_view(logits, B * T, C);
        targets = t_view(targets, B * T);
        *loss = F_cross_entropy(logits, targets);
    }
    return logits;
}

static Tensor *gpt_language_model_generate(GPTLanguageModel *self, Tensor *idx, int max_new_tokens) {
    for_range (_, max_new_tokens) {
        Tensor *idx_cond = t_at(idx, ":, -{}:", block_size);
        Tensor *loss, *logits = gpt_language_model_call(self, idx_cond, NULL, &loss);
        logits = t_at(logits, ":, -1, :");
        Tensor *probs = F_softmax(logits, -1);
        Tensor *idx_next = t_multinomial(probs, .num_samples = 1);
        t_keep_as(&idx, t_cat(t_list(idx, idx_next), .dim = 1));
    }
    return idx;
}

/* ---- Training ---- */

typedef struct Losses {
    double of[2]; /* of[TRAIN], of[VAL] */
} Losses;

/* The mean losses of eval_iters batches of each split */
static Losses estimate_loss(GPTLanguageModel *model) {
    Losses out = {0};
    nn_eval(model);
    with_no_grad () {
        for_range (split, 2) {
            Tensor *losses = t_zeros(eval_iters);
            for_range (k, eval_iters) {
                Tensor *Y, *X = get_batch((int)split, &Y);
                Tensor *loss;
                gpt_language_model_call(model, X, Y, &loss);
                t_set(losses, "{}", k, loss);
            }
            out.of[split] = t_item(t_mean(losses));
        }
    }
    nn_train(model);
    return out;
}

static void layer_norm_by_hand(void) {
    t_manual_seed(1337);
    LayerNorm1d module = layer_norm1d(100, 1e-5);
    Tensor *x = t_randn(32, 100);
    x = layer_norm1d_call(&module, x);
    t_print(t_size_repr(x));
    t_print(t_mean(t_at(x, ":, 0")), t_std(t_at(x, ":, 0")));
    printf("%.4f %.4f\n", t_item(t_abs(t_mean(t_at(x, "0, :")))), t_item(t_std(t_at(x, "0, :"))));
}

static void train(const Characters *chars) {
    t_manual_seed(1337);
    GPTLanguageModel *model = gpt_language_model(chars->len);
    t_print((double)nn_count_parameters(model, false) / 1e6, "M parameters");
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = learning_rate);

    for_range (iter, max_iters) {
        if (iter % eval_interval == 0 || iter == max_iters - 1) {
            Losses losses = estimate_loss(model);
            printf("step %d: train loss %.4f, val loss %.4f\n", (int)iter, losses.of[TRAIN], losses.of[VAL]);
        }

        Tensor *yb, *xb = get_batch(TRAIN, &yb);
        Tensor *loss;
        gpt_language_model_call(model, xb, yb, &loss);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        if (iter < 5) {
            printf("iter %d: loss %.4f\n", (int)iter, t_item(loss));
        }
    }

    Tensor *context = t_zeros(1, 1, .dtype = t_int64);
    const char *sample = characters_decode(chars, t_at(gpt_language_model_generate(model, context, 300), "0"));
    printf("%.2f of the words are in the play:\n", known_words(sample));
    t_print(sample);
}

static void run(void) {
    const char *text = play(40000);
    Characters chars = characters(text);
    Tensor *ids = characters_encode(&chars, text);
    int64_t n = (int64_t)(0.9 * (double)t_size(ids, 0));
    data[TRAIN] = t_at(ids, ":{}", n);
    data[VAL] = t_at(ids, "{}:", n);
    layer_norm_by_hand();
    train(&chars);
}

int main(void) {
    random_seed(1337);
    run();
    return 0;
}
