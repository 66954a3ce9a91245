/* examples/pytorch/llm/nanogpt.c: Andrej Karpathy's nanoGPT, its model.py and train.py, on characters: one matrix for
 * queries, keys and values of all heads, tied embeddings, weight decay for matrices only, a learning rate with warm-up
 * and cosine decay, gradients accumulated over micro-batches, a checkpoint and a training that goes on from it.
 *
 * Difficulty: ***     Read first: lets_build_gpt     Read next: char_gpt */
#define _DEFAULT_SOURCE /* mkstemp, M_PI */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/python.h"
#include "examples/pytorch/llm/characters.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const int eval_interval = 50;
static const int eval_iters = 10;
static const int log_interval = 20;
static const int gradient_accumulation_steps = 2;
static const int64_t batch_size = 8;
static const int64_t block_size = 32;
static const double learning_rate = 4e-3;
static const double weight_decay = 1e-1;
static const double beta1 = 0.9;
static const double beta2 = 0.99;
static const double grad_clip = 1.0;
static const int warmup_iters = 20;
static const int lr_decay_iters = 300;
static const double min_lr = 4e-4;

enum { TRAIN, VAL };
static Tensor *data[2];

/* ---- Layer norm, whose bias is optional ---- */

typedef struct LayerNorm {
    nn_Module base;
    Tensor *weight, *bias;
} LayerNorm;

static Tensor *layer_norm_call(LayerNorm *self, Tensor *input) {
    return F_layer_norm(input, (t_size(self->weight, 0)), self->weight, self->bias, 1e-5);
}

static LayerNorm *layer_norm(int64_t ndim, bool bias) {
    LayerNorm *self = nn_module(LayerNorm, layer_norm_call);
    nn_set(self, weight, nn_Parameter(t_ones(ndim)));
    if (bias) nn_set(self, bias, nn_Parameter(t_zeros(ndim)));
    return self;
}

typedef struct GPTConfig {
    int64_t block_size, vocab_size, n_layer, n_head, n_embd;
    double dropout;
    bool bias;
} GPTConfig;

/* ---- A block: attention and an MLP ---- */

typedef struct CausalSelfAttention {
    nn_Module base;
    nn_Linear *c_attn, *c_proj;
    nn_Dropout *resid_dropout;
    int64_t n_head, n_embd;
    double dropout;
} CausalSelfAttention;

static Tensor *causal_self_attention_call(CausalSelfAttention *self, Tensor *x) {
    int64_t B = t_size(x, 0), T = t_size(x, 1), C = t_size(x, 2);
    Tensor *q, *k, *v;
    t_list_unpack(t_split(nn_call(self->c_attn, x), self->n_embd, .dim = 2), &q, &k, &v);
    k = t_transpose(t_view(k, B, T, self->n_head, C / self->n_head), 1, 2);
    q = t_transpose(t_view(q, B, T, self->n_head, C / self->n_head), 1, 2);
    v = t_transpose(t_view(v, B, T, self->n_head, C / self->n_head), 1, 2);

    double dropout_p = self->base.training ? self->dropout : 0;
    Tensor *y = F_scaled_dot_product_attention(q, k, v, .attn_mask = NULL, .dropout_p = dropout_p, .is_causal = true);
    y = t_view(t_contiguous(t_transpose(y, 1, 2)), B, T, C);
    y = nn_call(self->resid_dropout, nn_call(self->c_proj, y));
    return y;
}

static CausalSelfAttention *causal_self_attention(const GPTConfig *config) {
    CausalSelfAttention *self = nn_module(CausalSelfAttention, causal_self_attention_call);
    if (config->n_embd % config->n_head != 0) return t_fail("n_embd is no multiple of n_head");
    nn_set(self, c_attn, nn_Linear(config->n_embd, 3 * config->n_embd, .bias = config->bias));
    nn_set(self, c_proj, nn_Linear(config->n_embd, config->n_embd, .bias = config->bias));
    nn_set(self, resid_dropout, nn_Dropout(config->dropout));
    self->n_head = config->n_head;
    self->n_embd = config->n_embd;
    self->dropout = config->dropout;
    return self;
}

typedef struct MLP {
    nn_Module base;
    nn_Linear *c_fc, *c_proj;
    nn_GELU *gelu;
    nn_Dropout *dropout;
} MLP;

static Tensor *mlp_call(MLP *self, Tensor *x) {
    x = nn_call(self->c_fc, x);
    x = nn_call(self->gelu, x);
    x = nn_call(self->c_proj, x);
    x = nn_call(self->dropout, x);
    return x;
}

static MLP *mlp(const GPTConfig *config) {
    MLP *self = nn_module(MLP, mlp_call);
    nn_set(self, c_fc, nn_Linear(config->n_embd, 4 * config->n_embd, .bias = config->bias));
    nn_set(self, gelu, nn_GELU());
    nn_set(self, c_proj, nn_Linear(4 * config->n_embd, config->n_embd, .bias = config->bias));
    nn_set(self, dropout, nn_Dropout(config->dropout));
    return self;
}

typedef struct Block {
    nn_Module base;
    LayerNorm *ln_1, *ln_2;
    CausalSelfAttention *attn;
    MLP *mlp;
} Block;

static Tensor *block_call(Block *self, Tensor *x) {
    x = t_add(x, nn_call(self->attn, nn_call(self->ln_1, x)));
    x = t_add(x, nn_call(self->mlp, nn_call(self->ln_2, x)));
    return x;
}

static Block *block(const GPTConfig *config) {
    Block *self = nn_module(Block, block_call);
    nn_set(self, ln_1, layer_norm(config->n_embd, config->bias));
    nn_set(self, attn, causal_self_attention(config));
    nn_set(self, ln_2, layer_norm(config->n_embd, config->bias));
    nn_set(self, mlp, mlp(config));
    return self;
}

/* ---- The model ---- */

typedef struct GPT {
    nn_Module base;
    GPTConfig config;
    nn_ModuleDict *transformer;
    nn_Linear *lm_head;
} GPT;

static int64_t gpt_get_num_params(GPT *self, bool non_embedding) {
    int64_t n_params = nn_count_parameters(self, false);
    if (non_embedding) {
        n_params -= t_numel(nn_get(self->transformer, "wpe", nn_Embedding)->weight);
    }
    return n_params;
}

static void gpt_init_weights(nn_Module *module, void *context) {
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

/* name.endswith(suffix) */
static bool ends_with(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n >= m && strcmp(name + n - m, suffix) == 0;
}

static GPT *gpt(const GPTConfig *config) {
    GPT *self = nn_module(GPT, NULL);
    self->config = *config;
    nn_set(self, transformer,
           nn_ModuleDict({"wte", nn_Embedding(config->vocab_size, config->n_embd)},
                         {"wpe", nn_Embedding(config->block_size, config->n_embd)},
                         {"drop", nn_Dropout(config->dropout)}, {"h", nn_ModuleList()},
                         {"ln_f", layer_norm(config->n_embd, config->bias)}));
    for_range (_, config->n_layer) nn_append(nn_get(self->transformer, "h"), block(config));
    nn_set(self, lm_head, nn_Linear(config->n_embd, config->vocab_size, .bias = false));
    nn_set(nn_get(self->transformer, "wte", nn_Embedding), weight, self->lm_head->weight);

    nn_apply(self, gpt_init_weights);
    for_named (p, nn_named_parameters(self)) {
        if (ends_with(p->name, "c_proj.weight")) {
            nn_init_normal_(p->tensor, .mean = 0.0, .std = 0.02 / sqrt(2 * (double)config->n_layer));
        }
    }

    printf("number of parameters: %.4fM\n", (double)gpt_get_num_params(self, true) / 1e6);
    return self;
}

/* idx, targets: (b, t); without targets *loss is NULL, and the logits are those of the last position */
static Tensor *gpt_call(GPT *self, Tensor *idx, Tensor *targets, Tensor **loss) {
    int64_t t = t_size(idx, 1);
    if (t > self->config.block_size)
        return t_fail("%d tokens do not fit into a block of %d", (int)t, (int)self->config.block_size);
    Tensor *pos = t_arange(0, t, .dtype = t_int64);

    Tensor *tok_emb = nn_call(nn_get(self->transformer, "wte"), idx);
    Tensor *pos_emb = nn_call(nn_get(self->transformer, "wpe"), pos);
    Tensor *x = nn_call(nn_get(self->transformer, "drop"), t_add(tok_emb, pos_emb));
    for_module (each, nn_get(self->transformer, "h", nn_ModuleList)) x = nn_call(each, x);
    x = nn_call(nn_get(self->transformer, "ln_f"), x);

    Tensor *logits;
    if (targets != NULL) {
        logits = nn_call(self->lm_head, x);
        *loss = F_cross_entropy(t_view(logits, -1, t_size(logits, -1)), t_view(targets, -1), .ignore_index = -1);
    } else {
        logits = nn_call(self->lm_head, t_at(x, ":, [-1], :"));
        *loss = NULL;
    }
    return logits;
}

static void *gpt_crop_block_size(GPT *self, int64_t size) {
    if (size > self->config.block_size)
        return t_fail("a block of %d has no %d", (int)self->config.block_size, (int)size);
    self->config.block_size = size;
    nn_Embedding *wpe = nn_get(self->transformer, "wpe", nn_Embedding);
    nn_set(wpe, weight, nn_Parameter(t_at(wpe->weight, ":{}", size)));
    return self;
}

static optim_Optimizer *gpt_configure_optimizers(GPT *self, double decay, double lr, double b1, double b2) {
    t_TensorList *decay_params = t_list();
    t_TensorList *nodecay_params = t_list();
    for_parameters (p, self) {
        if (t_requires_grad(p) && t_dim(p) >= 2) {
            t_list_append(decay_params, p);
        } else if (t_requires_grad(p)) {
            t_list_append(nodecay_params, p);
        }
    }

    int64_t num_decay_params = 0, num_nodecay_params = 0;
    for_list (p, decay_params) num_decay_params += t_numel(p);
    for_list (p, nodecay_params) num_nodecay_params += t_numel(p);
    printf("num decayed parameter tensors: %d, with %s parameters\n", (int)decay_params->len, commas(num_decay_params));
    printf("num non-decayed parameter tensors: %d, with %s parameters\n", (int)nodecay_params->len,
           commas(num_nodecay_params));
    optim_Optimizer *optimizer = optim_AdamW(decay_params, .lr = lr, .betas = {b1, b2}, .weight_decay = decay);
    optim_add_param_group(optimizer, nodecay_params, .weight_decay = 0.0);
    return optimizer;
}

/* The part that is used of what the processor could compute: 100 GFLOP a second, say */
static double gpt_estimate_mfu(GPT *self, int64_t fwdbwd_per_iter, double dt) {
    int64_t N = gpt_get_num_params(self, true);
    GPTConfig cfg = self->config;
    int64_t L = cfg.n_layer;
    int64_t H = cfg.n_head;
    int64_t Q = cfg.n_embd / cfg.n_head;
    int64_t T = cfg.block_size;
    int64_t flops_per_token = 6 * N + 12 * L * H * Q * T;
    int64_t flops_per_fwdbwd = flops_per_token * T;
    int64_t flops_per_iter = flops_per_fwdbwd * fwdbwd_per_iter;
    double flops_achieved = (double)flops_per_iter * (1.0 / dt);
    double flops_promised = 100e9;
    double mfu = flops_achieved / flops_promised;
    return mfu;
}

/* top_k: only the likeliest so many; T_NONE: all */
static Tensor *gpt_generate(GPT *self, Tensor *idx, int max_new_tokens, double temperature, int64_t top_k) {
    with_no_grad () {
        for_range (_, max_new_tokens) {
            int64_t block_len = self->config.block_size;
            Tensor *idx_cond = t_size(idx, 1) <= block_len ? idx : t_at(idx, ":, -{}:", block_len);
            Tensor *loss, *logits = gpt_call(self, idx_cond, NULL, &loss);
            logits = t_div(t_at(logits, ":, -1, :"), temperature);
            if (top_k != T_NONE) {
                Tensor *v = t_topk(logits, top_k < t_size(logits, -1) ? top_k : t_size(logits, -1));
                t_set(logits, "{}", t_lt(logits, t_at(v, ":, [-1]")), -INFINITY);
            }
            Tensor *probs = F_softmax(logits, -1);
            Tensor *idx_next = t_multinomial(probs, .num_samples = 1);
            t_keep_as(&idx, t_cat(t_list(idx, idx_next), .dim = 1));
        }
    }
    return idx;
}

/* ---- Training ---- */

static Tensor *get_batch(int split, Tensor **targets) {
    Tensor *ix = t_randint(0, t_size(data[split], 0) - block_size, batch_size);
    t_TensorList *x = t_list();
    for_list (i, t_unbind(ix))
        t_list_append(x, t_at(data[split], "{}:{}", t_item_int64(i), t_item_int64(i) + block_size));
    t_TensorList *y = t_list();
    for_list (i, t_unbind(ix))
        t_list_append(y, t_at(data[split], "{}:{}", t_item_int64(i) + 1, t_item_int64(i) + 1 + block_size));
    *targets = t_stack(y);
    return t_stack(x);
}

typedef struct Losses {
    double of[2]; /* of[TRAIN], of[VAL] */
} Losses;

/* The mean losses of eval_iters batches of each split */
static Losses estimate_loss(GPT *model) {
    Losses out = {0};
    nn_eval(model);
    with_no_grad () {
        for_range (split, 2) {
            Tensor *losses = t_zeros(eval_iters);
            for_range (k, eval_iters) {
                Tensor *Y, *X = get_batch((int)split, &Y);
                Tensor *loss;
                gpt_call(model, X, Y, &loss);
                t_set(losses, "{}", k, loss);
            }
            out.of[split] = t_item(t_mean(losses));
        }
    }
    nn_train(model);
    return out;
}

static double get_lr(int64_t it) {
    if (it < warmup_iters) {
        return learning_rate * (double)(it + 1) / (warmup_iters + 1);
    }
    if (it > lr_decay_iters) {
        return min_lr;
    }
    double decay_ratio = (double)(it - warmup_iters) / (lr_decay_iters - warmup_iters);
    double coeff = 0.5 * (1.0 + cos(M_PI * decay_ratio));
    return min_lr + coeff * (learning_rate - min_lr);
}

static void train(GPT *model, optim_Optimizer *optimizer, int64_t iter_num, int64_t max_iters, double best_val_loss,
                  const char *path) {
    Tensor *Y, *X = get_batch(TRAIN, &Y);
    const int outside = t_scope_depth();
    while (true) {
        with_scope () {
            double lr = get_lr(iter_num);
            for (int param_group = 0; param_group < optimizer->len; param_group++)
                optimizer->param_groups[param_group].lr = lr;

            if (iter_num % eval_interval == 0) {
                Losses losses = estimate_loss(model);
                printf("step %d: train loss %.4f, val loss %.4f\n", (int)iter_num, losses.of[TRAIN], losses.of[VAL]);
                if (losses.of[VAL] < best_val_loss) {
                    best_val_loss = losses.of[VAL];
                    if (iter_num > 0) {
                        t_TensorDict *checkpoint = t_dict();
                        t_dict_set(checkpoint, "model", nn_state_dict(model));
                        t_dict_set(checkpoint, "optimizer", optim_state_dict(optimizer));
                        t_dict_set(checkpoint, "iter_num", iter_num);
                        t_dict_set(checkpoint, "best_val_loss", best_val_loss);
                        printf("saving checkpoint\n");
                        t_save(checkpoint, path);
                    }
                }
            }

            Tensor *loss = NULL, *norm = NULL;
            for_range (micro_step, gradient_accumulation_steps) {
                Tensor *next_Y, *micro_loss;
                gpt_call(model, X, Y, &micro_loss);
                t_keep_as(&loss, t_div(micro_loss, gradient_accumulation_steps));
                t_keep_as(&X, get_batch(TRAIN, &next_Y), outside);
                t_keep_as(&Y, next_Y, outside);
                t_backward(loss);
            }
            if (grad_clip != 0.0) {
                norm = nn_utils_clip_grad_norm_(nn_parameters(model), grad_clip);
            }
            optim_step(optimizer);
            optim_zero_grad(optimizer);

            if (iter_num < 5 || iter_num % log_interval == 0) {
                double lossf = t_item(loss) * gradient_accumulation_steps;
                printf("iter %d: loss %.4f, norm %.4f, lr %.4e\n", (int)iter_num, lossf, t_item(norm), lr);
            }
        }
        iter_num += 1;
        if (iter_num > max_iters) {
            break;
        }
    }
}

static void run(const char *path) {
    const char *text = play(40000);
    Characters chars = characters(text);
    Tensor *ids = characters_encode(&chars, text);
    int64_t n = (int64_t)(0.9 * (double)t_size(ids, 0));
    data[TRAIN] = t_at(ids, ":{}", n);
    data[VAL] = t_at(ids, "{}:", n);
    int64_t tokens_per_iter = gradient_accumulation_steps * batch_size * block_size;
    printf("tokens per iteration will be: %s\n", commas(tokens_per_iter));

    GPTConfig gptconf = {block_size, chars.len, .n_layer = 3, .n_head = 4, .n_embd = 64, .dropout = 0.1, .bias = false};
    GPT *model = gpt(&gptconf);
    nn_print(model);
    optim_Optimizer *optimizer = gpt_configure_optimizers(model, weight_decay, learning_rate, beta1, beta2);
    printf("mfu %.2f%%\n", gpt_estimate_mfu(model, batch_size * gradient_accumulation_steps, 0.1) * 100);
    train(model, optimizer, 0, 200, 1e9, path);

    t_TensorDict *checkpoint = t_load(path);
    model = gpt(&gptconf);
    nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model"));
    optimizer = gpt_configure_optimizers(model, weight_decay, learning_rate, beta1, beta2);
    optim_load_state_dict(optimizer, t_dict_get_dict(checkpoint, "optimizer"));
    int64_t iter_num = t_dict_get_integer(checkpoint, "iter_num");
    double best_val_loss = t_dict_get_number(checkpoint, "best_val_loss");
    t_print("resuming from iteration", iter_num);
    train(model, optimizer, iter_num, 300, best_val_loss, path);

    nn_eval(model);
    gpt_crop_block_size(model, 24);
    Tensor *x = t_at(characters_encode(&chars, "\n"), "None, :");
    Tensor *y = gpt_generate(model, x, 300, 0.8, 20);
    const char *sample = characters_decode(&chars, t_at(y, "0"));
    printf("%.2f of the words are in the play:\n", known_words(sample));
    t_print(sample);
}

int main(void) {
    random_seed(1337);
    t_manual_seed(1337);
    char path[] = "/tmp/ckpt-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    run(path);
    remove(path);
    return 0;
}
