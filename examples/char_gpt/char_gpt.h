/* examples/char_gpt/char_gpt.h: what the parts of the program share. */
#ifndef CHAR_GPT_H
#define CHAR_GPT_H

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- model.c: GPT-2, its modules and parameters under GPT-2's names ---- */

typedef struct GPTConfig {
    int64_t vocab_size, n_positions, n_embd, n_layer, n_head; /* n_positions: the context window, in tokens */
    double dropout;
} GPTConfig;

/* The keys and values of the positions so far, for each layer (B, H, n_positions, d), of which the first `length` are
 * filled. */
typedef struct KVCache {
    int64_t length;
    t_TensorList *keys, *values;
} KVCache;

typedef struct CausalSelfAttention {
    nn_Module base;
    int64_t n_head;
    double attn_pdrop;
    nn_Linear *c_attn, *c_proj; /* queries, keys and values in one; the way out */
    nn_Dropout *resid_dropout;
} CausalSelfAttention;

typedef struct MLP {
    nn_Module base;
    nn_Linear *c_fc, *c_proj;
    nn_GELU *act;
    nn_Dropout *dropout;
} MLP;

typedef struct Block {
    nn_Module base;
    nn_LayerNorm *ln_1, *ln_2;
    CausalSelfAttention *attn;
    MLP *mlp;
} Block;

typedef struct GPT {
    nn_Module base;
    GPTConfig config;
    nn_Embedding *wte, *wpe; /* of tokens, of positions */
    nn_Dropout *drop;
    nn_ModuleList *h;
    nn_LayerNorm *ln_f;
} GPT;

CausalSelfAttention *causal_self_attention(int64_t n_embd, int64_t n_head, double dropout);
MLP *mlp(int64_t n_embd, double dropout);
Block *block(int64_t n_embd, int64_t n_head, double dropout);
GPT *gpt(const GPTConfig *config);

/* x: (B, T, C), the same comes back. cache: NULL, or where the keys and values of layer `layer` are kept; x then
 * follows on the cache->length positions that are there. */
Tensor *causal_self_attention_call(CausalSelfAttention *self, Tensor *x, const KVCache *cache, int64_t layer);
Tensor *mlp_call(MLP *self, Tensor *x);
Tensor *block_call(Block *self, Tensor *x, const KVCache *cache, int64_t layer);
/* ids: (B, T) -> logits (B, T, V) of the token after each. With a cache (no_grad only) T tokens are added to it, and
 * nothing that was computed before is computed again. */
Tensor *gpt_call(GPT *self, Tensor *ids, KVCache *cache);
/* The same for the last position alone: (B, V). */
Tensor *gpt_next_logits(GPT *self, Tensor *ids, KVCache *cache);

/* An empty cache for B sequences; its tensors belong to the current scope. To start again, set its length to 0. */
KVCache kv_cache(const GPT *self, int64_t B);

/* ---- sample.c: from logits to tokens ---- */

typedef struct Sampling {
    double temperature;     /* divides the logits; 0: the likeliest token (no draw) */
    int64_t top_k;          /* only the k likeliest; 0: all */
    double top_p;           /* only the likeliest that together have this probability, one at least; 1: all */
    int64_t slide;          /* how many tokens the window moves on when it is full; 1: as few as possible */
    bool recompute;         /* everything recomputed for each token, without a cache: the same, slower */
    t_Generator *generator; /* NULL: the default one */
} Sampling;

/* (B, V) logits, -inf where the filters leave a token out. In transformers' order: temperature, top-k, top-p. */
Tensor *filter_logits(Tensor *logits, const Sampling *how);
Tensor *next_tokens(Tensor *logits, const Sampling *how); /* (B, V) -> (B, 1) */
/* (B, T) -> (B, T + count): ids and what follows. Where the sequence is longer than the window, its last tokens count.
 */
Tensor *gpt_generate(GPT *self, Tensor *ids, int64_t count, const Sampling *how);

/* ---- vocabulary.c: characters as tokens ---- */

typedef struct Vocabulary {
    int64_t size;
    char characters[256]; /* in order, then 0 */
} Vocabulary;

Vocabulary vocabulary_of(const char *text);
Tensor *encode(const Vocabulary *v,
               const char *text); /* (n), int64. Error: a character that is not in the vocabulary */
char *decode(const Vocabulary *v, Tensor *ids);        /* malloced */

/* ---- gpt2.c: weights under GPT-2's names ---- */

/* What a file of GPT-2 holds; sizes come from the shapes, heads of 64 features unless `heads` says how many. Errors: a
 * name that is missing or has no parameter, a shape, an lm_head of its own. */
GPT *gpt_from_gpt2(t_TensorDict *weights, int64_t heads);
t_TensorDict *gpt_to_gpt2(GPT *self); /* what GPT2LMHeadModel loads with strict=True */

/* ---- train.c ---- */

typedef struct Recipe {
    int64_t steps, warmup;
    double lr, least; /* the highest rate, and the last one as a share of it */
    double weight_decay, grad_clip;
} Recipe;

typedef struct Training {
    GPT *model;
    Recipe recipe;
    optim_Optimizer *optimizer;   /* AdamW with two groups: matrices decay, the rest does not */
    optim_LRScheduler *scheduler; /* looks at the recipe: a Training must stay where it is */
    int64_t step;                 /* how many were taken */
    Tensor *curves;               /* (capacity, 3); the first `points` rows: step, loss, validation loss */
    int64_t points;
} Training;

double learning_rate(int64_t step, void *recipe); /* for LambdaLR */
void begin_training(Training *self, GPT *model, const Recipe *recipe, int64_t capacity);
double train_step(Training *self, Tensor *x, Tensor *y); /* (B, T) ids and those after them; gives the loss */
/* B windows of T ids from anywhere in the text, and the same moved on by one. */
bool draw_batch(Tensor *ids, int64_t B, int64_t T, Tensor **x, Tensor **y);
double evaluate(GPT *model, Tensor *ids); /* the mean loss over a text, window after window */

/* ---- checkpoint.c: a run in a file ---- */

/* Model, optimizer, schedule, random numbers, curves: the run that loads them goes on to the same bits. The file is
 * replaced whole or not at all. */
bool save_checkpoint(const Training *self, const Vocabulary *vocabulary, const char *path);
bool load_checkpoint(Training *self, const Vocabulary *vocabulary, t_TensorDict *checkpoint);
GPTConfig checkpoint_config(t_TensorDict *checkpoint);

/* ---- text.c: what there is to read ---- */

char *write_text(int64_t seed, int64_t length); /* at least so many characters, always the same for a seed; malloced */

#endif
