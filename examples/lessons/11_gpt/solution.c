/* Lesson 11: a GPT, small enough to be trained in seconds, that learns to write words backwards: cab>bac.
 *
 * A decoder-only Transformer from nn_Linear, nn_LayerNorm and nn_Embedding; its training on next characters; sampling
 * with top-k; and a cache of keys and values that saves most of the work of sampling. lesson.md explains each step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- attention ---- */

/* Which keys a query may see: (T, S) of bool. The T queries are the last T of S positions, so query i is at position
 * S - T + i, and it sees the keys at positions up to its own. */
Tensor *causal_mask(int64_t T, int64_t S) {
    // HOLE
    //| return t_zeros((T, S), .dtype = t_bool); /* your code */
    return t_bool(t_tril(t_ones(T, S), S - T));
    // WRONG sees_next 16: return t_bool(t_tril(t_ones(T, S), S - T + 1));
    // WRONG forgets_past 19: return t_bool(t_tril(t_ones(T, S)));
    // END
}

/* softmax(q k^T / sqrt(d)) for q (B, H, T, d), k (B, H, S, d): (B, H, T, S), 0 where visible (T, S) is false. */
Tensor *attention_weights(Tensor *q, Tensor *k, Tensor *visible) {
    // HOLE
    //| (void)visible; /* your code */
    //| return t_zeros(t_size(q, 0), t_size(q, 1), t_size(q, 2), t_size(k, 2));
    Tensor *scores = t_div(t_matmul(q, t_transpose(k, -2, -1)), sqrt((double)t_size(q, -1)));
    // WRONG not_scaled 15: Tensor *scores = t_matmul(q, t_transpose(k, -2, -1));
    return t_softmax(t_masked_fill(scores, t_logical_not(visible), -INFINITY), -1);
    // WRONG mask_after 15: return t_mul(t_softmax(scores, -1), visible);
    // END
}

/* The keys and values of the positions so far of one layer, each (B, H, length, d); NULL while there are none. */
typedef struct LayerCache {
    Tensor *k, *v;
} LayerCache;

/* Appends x (B, H, T, d) to *cached along dim 2; *cached may be NULL. Returns all of it, which is the new *cached. */
Tensor *append(Tensor **cached, Tensor *x) {
    // HOLE
    //| (void)cached; /* your code */
    //| return x;
    *cached = *cached ? t_cat(t_list(*cached, x), 2) : x;
    // WRONG replaced 19: *cached = x;
    return *cached;
    // END
}

/* ---- a block ---- */

typedef struct Block {
    nn_Module base;
    int64_t heads;
    nn_LayerNorm *norm1, *norm2;
    nn_Linear *qkv, *out, *up, *down;
    Tensor *weights; /* of the last call, for the picture */
} Block;

Block *block(int64_t C, int64_t heads) {
    Block *self = nn_module(Block, NULL);
    self->heads = heads;
    nn_set(self, norm1, nn_LayerNorm(C));
    nn_set(self, qkv, nn_Linear(C, 3 * C)); /* queries, keys and values of all heads */
    nn_set(self, out, nn_Linear(C, C));
    nn_set(self, norm2, nn_LayerNorm(C));
    nn_set(self, up, nn_Linear(C, 4 * C));
    nn_set(self, down, nn_Linear(4 * C, C));
    return self;
}

/* (B, T, C) -> (B, H, T, C / H) */
Tensor *split_heads(Tensor *x, int64_t heads) {
    return t_transpose(t_view(x, t_size(x, 0), t_size(x, 1), heads, -1), 1, 2);
}

/* Each position of x (B, T, C) collects from those that it sees. With a cache, x follows the positions in it. */
Tensor *self_attention(Block *self, Tensor *x, LayerCache *cache) {
    t_TensorList *qkv = t_chunk(nn_call(self->qkv, x), 3, -1);
    Tensor *q = split_heads(t_list_get(qkv, 0), self->heads);
    Tensor *k = split_heads(t_list_get(qkv, 1), self->heads);
    Tensor *v = split_heads(t_list_get(qkv, 2), self->heads);
    if (cache) {
        k = append(&cache->k, k);
        v = append(&cache->v, v);
    }
    self->weights = attention_weights(q, k, causal_mask(t_size(q, 2), t_size(k, 2)));
    return nn_call(self->out, t_flatten(t_transpose(t_matmul(self->weights, v), 1, 2), 2)); /* heads side by side */
}

/* A block with the norms first: x + attention(norm1(x)), and to that + MLP(norm2(.)). The MLP is up, GELU, down.
 * (B, T, C) -> (B, T, C) */
Tensor *block_call(Block *self, Tensor *x, LayerCache *cache) {
    // HOLE
    //| return t_mul(self_attention(self, x, cache), 0); /* your code */
    x = t_add(x, self_attention(self, nn_call(self->norm1, x), cache));
    // WRONG no_residual 15: x = self_attention(self, nn_call(self->norm1, x), cache);
    Tensor *hidden = F_gelu(nn_call(self->up, nn_call(self->norm2, x)));
    return t_add(x, nn_call(self->down, hidden));
    // END
}

/* ---- the model ---- */

enum { LAYERS = 2 };

typedef struct GPT {
    nn_Module base;
    nn_Embedding *token, *position;
    nn_ModuleList *blocks; /* of LAYERS blocks */
    nn_LayerNorm *norm;
    nn_Linear *head; /* vectors -> logits */
} GPT;

GPT *gpt(int64_t vocabulary, int64_t positions, int64_t C, int64_t heads) {
    GPT *self = nn_module(GPT, NULL);
    nn_set(self, token, nn_Embedding(vocabulary, C));
    nn_set(self, position, nn_Embedding(positions, C));
    nn_set(self, blocks, nn_ModuleList());
    for (int i = 0; i < LAYERS; i++) nn_append(self->blocks, block(C, heads));
    nn_set(self, norm, nn_LayerNorm(C));
    nn_set(self, head, nn_Linear(C, vocabulary));
    return self;
}

/* The cache of a model; {0} is empty. */
typedef struct Cache {
    int64_t length; /* how many positions are in it */
    LayerCache layers[LAYERS];
} Cache;

/* ids (B, T) -> logits (B, T, V) of what follows each position: the sum of the embeddings of token and position, the
 * blocks, the last norm, the head. With a cache, ids are the T tokens after the cache->length ones in it, and the
 * length grows by T. cache may be NULL. */
Tensor *gpt_call(GPT *self, Tensor *ids, Cache *cache) {
    int64_t T = t_size(ids, 1), past = cache ? cache->length : 0;
    // HOLE
    //| (void)T, (void)past; /* your code */
    //| return t_mul(nn_call(self->head, nn_call(self->token, ids)), 0);
    Tensor *x = t_add(nn_call(self->token, ids), nn_call(self->position, t_arange(past, past + T)));
    // WRONG same_positions 21: Tensor *x = t_add(nn_call(self->token, ids), nn_call(self->position, t_arange(0, T)));
    LayerCache *layer = cache ? cache->layers : NULL;
    for_module (each, self->blocks) x = block_call(each, x, layer ? layer++ : NULL);
    if (cache) cache->length += T;
    return nn_call(self->head, nn_call(self->norm, x));
    // END
}

/* ---- training ---- */

/* The mean cross entropy of each token but the first of ids (B, T), predicted from those before it. */
Tensor *next_token_loss(GPT *model, Tensor *ids) {
    // HOLE
    //| return t_mul(t_sum(model->head->bias), t_sum(ids)); /* your code */
    Tensor *logits = gpt_call(model, t_at(ids, ":, :-1"), NULL), *targets = t_at(ids, ":, 1:");
    // WRONG predicts_itself 23: Tensor *logits = gpt_call(model, ids, NULL), *targets = ids;
    return F_cross_entropy(t_flatten(logits, 0, 1), t_flatten(targets));
    // END
}

/* One step: the gradients of this batch alone, scaled down to a norm of at most 1 (nn_utils_clip_grad_norm_), and a
 * step of the optimizer. Returns the loss. */
double train_step(GPT *model, optim_Optimizer *optimizer, Tensor *ids) {
    Tensor *loss = next_token_loss(model, ids);
    // HOLE
    //| (void)optimizer; /* your code */
    optim_zero_grad(optimizer);
    t_backward(loss);
    nn_utils_clip_grad_norm_(nn_parameters(model), 1);
    // WRONG clips_late 23:
    optim_step(optimizer);
    // WRONG clips_late: optim_step(optimizer);
    // WRONG clips_late: nn_utils_clip_grad_norm_(nn_parameters(model), 1);
    // END
    return t_item(loss);
}

/* ---- sampling ---- */

/* logits (B, V) with -INFINITY for all but the k largest of each row. Those equal to the k-th stay, too. */
Tensor *keep_top_k(Tensor *logits, int64_t k) {
    // HOLE
    //| (void)k; /* your code */
    //| return t_zeros_like(logits);
    Tensor *smallest = t_at(t_topk(logits, k, 1), ":, -1:");
    return t_masked_fill(logits, t_lt(logits, smallest), -INFINITY);
    // WRONG zero_logits 21: return t_masked_fill(logits, t_lt(logits, smallest), 0);
    // END
}

/* Continues ids (1, T) by `count` tokens: (1, T + count). Each is drawn by t_multinomial from the softmax of the last
 * position's logits divided by the temperature, of which keep_top_k leaves k. With use_cache each token goes through
 * the model once: first all of ids, then only the new one. */
Tensor *generate(GPT *model, Tensor *ids, int count, double temperature, int64_t k, bool use_cache) {
    Cache cache = {0};
    with_no_grad() for (int i = 0; i < count; i++) {
        // HOLE
        //| (void)model, (void)temperature, (void)k, (void)use_cache, (void)cache; /* your code */
        Tensor *input = t_at(ids, ":, {}:", use_cache ? cache.length : 0);
        // WRONG cached_again 23: Tensor *input = ids;
        Tensor *logits = t_at(gpt_call(model, input, use_cache ? &cache : NULL), ":, -1");
        Tensor *p = t_softmax(keep_top_k(t_div(logits, temperature), k), 1);
        ids = t_cat(t_list(ids, t_multinomial(p, 1)), 1);
        // END
    }
    return ids;
}

/* ---- the program: words and their mirror images ---- */

enum { LETTERS = 8, LONGEST = 6, LINE = 2 * LONGEST + 2, VOCABULARY = LETTERS + 2 };
static const char characters[] = ".>abcdefgh"; /* token 0 ends a line, token 1 is between the two words */

static Tensor *encode(const char *text) {
    int64_t ids[LINE], n = 0;
    while (text[n]) ids[n] = strchr(characters, text[n]) - characters, n++;
    return t_tensor(ids, 1, (int)n);
}

static const char *decode(Tensor *ids) {
    static char text[4 * LINE];
    int64_t n = t_size(ids, 1);
    for (int64_t i = 0; i < n; i++) text[i] = characters[t_item_int64(t_at(ids, "0, {}", i))];
    text[n] = 0;
    return text;
}

/* n lines such as cab>bac....... of random words of 2 to 6 letters: (n, LINE) */
static Tensor *draw_lines(int64_t n) {
    Tensor *lengths = t_randint(2, LONGEST + 1, n), *letters = t_randint(2, VOCABULARY, (n, LONGEST));
    Tensor *lines = t_zeros(n, LINE, .dtype = t_int64);
    const int64_t *length = t_data_ptr(lengths), *letter = t_data_ptr(letters);
    int64_t *line = t_data_ptr_mut(lines);
    for (int64_t i = 0; i < n; i++, line += LINE, letter += LONGEST) {
        for (int64_t j = 0; j < length[i]; j++) line[j] = line[2 * length[i] - j] = letter[j];
        line[length[i]] = 1;
    }
    return lines;
}

/* The share of the lines whose second half the model predicts without a mistake. */
static double share_right(GPT *model, Tensor *lines) {
    double share = 0;
    with_no_grad() with_scope() {
        Tensor *predicted = t_argmax(gpt_call(model, t_at(lines, ":, :-1"), NULL), -1);
        Tensor *first_half = t_eq(t_cumsum(t_eq(t_at(lines, ":, :-1"), 1), 1), 0); /* before the ">" */
        Tensor *right = t_logical_or(first_half, t_eq(predicted, t_at(lines, ":, 1:")));
        share = t_item(t_mean(t_float(t_all(right, 1))));
    }
    return share;
}

/* What each position of a line looks at, in the last layer. */
static void show_attention(GPT *model, const char *line, const char *folder) {
    char labels[LINE][2];
    const char *names[LINE];
    int64_t n = (int64_t)strlen(line);
    for (int64_t i = 0; i < n; i++) snprintf(labels[i], 2, "%c", line[i]), names[i] = labels[i];
    plt_figure(.figsize = {5, 4});
    with_no_grad() {
        Tensor *weights = t_zeros(n, n);
        gpt_call(model, encode(line), NULL);
        for_module (each, model->blocks) {
            Block *last = each;
            if (last->weights) weights = t_mean(t_at(last->weights, "0"), 0);
        }
        sns_heatmap(weights, .cmap = "Blues", .vmin = 0, .vmax = 1, .xticklabels = names, .yticklabels = names);
    }
    char path[512];
    snprintf(path, sizeof path, "%s/attention.svg", folder ? folder : ".");
    if (folder) plt_savefig(path);
    plt_show();
}

/* Tokens a second, with the cache and without. */
static void show_times(void) {
    GPT *model = gpt(VOCABULARY, 512, 64, 4);
    for (int use_cache = 0; use_cache < 2; use_cache++) with_scope() {
        clock_t begin = clock();
        generate(model, encode("cab>"), 400, 1, VOCABULARY, use_cache);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        printf("400 tokens %s the cache: %.0f a second\n", use_cache ? "with" : "without", 400 / seconds);
    }
}

int main(int argc, char **argv) {
    const char *folder = argc == 3 && strcmp(argv[1], "--plots") == 0 ? argv[2] : NULL;
    if (argc == 2 && strcmp(argv[1], "--time") == 0) return show_times(), 0;
    t_manual_seed(11);
    printf("lines:");
    Tensor *some = draw_lines(3), *fresh = draw_lines(500);
    for (int i = 0; i < 3; i++) printf(" %s", decode(t_at(some, "{}:{}", i, i + 1)));

    /* log 5 for the length and log 8 for each letter after the first, 3 on average: no model can predict these */
    printf("\nthe least possible loss: %.2f\n", (log(LONGEST - 1) + LONGEST / 2.0 * log(LETTERS)) / (LINE - 1));
    GPT *model = gpt(VOCABULARY, LINE, 32, 2);
    printf("%d parameters\n", (int)nn_count_parameters(model, true));
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = 0.003);
    double sum = 0;
    for_range (step, 1, 401) {
        sum += train_step(model, optimizer, draw_lines(32));
        if (step % 100 == 0) {
            printf("step %4d  loss %.2f  backwards without a mistake: %.2f\n", (int)step, sum / 100,
                   share_right(model, fresh));
            sum = 0;
        }
    }
    show_attention(model, "abcdef>fedcba", folder);
    printf("badge, k = 1: %s\n", decode(generate(model, encode("badge>"), 7, 1, 1, true)));
    for (int i = 0; i < 3; i++) {
        int k = (int[]){1, 3, VOCABULARY}[i];
        printf("from a, k = %2d:", k);
        for (int j = 0; j < 4; j++) printf(" %s", decode(generate(model, encode("a"), LINE - 1, 1, k, true)));
        printf("\n");
    }
    Tensor *ids = encode("head>daeh."), *last;
    Cache cache = {0};
    with_no_grad() {
        Tensor *all = gpt_call(model, ids, NULL);
        for (int i = 0; i < t_size(ids, 1); i++) last = gpt_call(model, t_at(ids, ":, {}:{}", i, i + 1), &cache);
        double difference = t_item(t_max(t_abs(t_sub(t_at(all, ":, -1"), t_at(last, ":, -1")))));
        printf("token by token with the cache: %s logits\n", difference < 1e-4 ? "the same" : "other");
    }
    return 0;
}
