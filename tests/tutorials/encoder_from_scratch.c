/* tests/tutorials/encoder_from_scratch.c: the classes of tutorial 000 compared with PyTorch's values for the
 * tutorial's, original and repaired: outputs, attention weights of every layer, losses, all gradients; initial values;
 * errors. */
#include <stdio.h>
#include <string.h>

#include "examples/encoder_from_scratch/encoder_from_scratch.h"
#include "tests/tutorials/port.h"

/* ---- the classes by the labels of golden/tutorial_000.py ---- */

static void *make_heads(void) { return nn_ReLU(); } /* transform_heads is a function */
static void *make_sdpa(void) { return scaled_dot_product_attention(); }
static void *make_mha(void) { return multi_head_attention(4, 2); }
static void *make_ffn(void) { return position_wise_feed_forward(4, 6, 0.3); }
static void *make_norm(void) { return fixed ? (void *)nn_LayerNorm(5) : layer_norm(5, 1e-12); }
static void *make_layer(void) { return encoder_layer(4, 2, 6, 0.1); }
static void *make_embedding(void) { return transform_embedding(11, 4, 9, 0.1); }
static void *make_encoder(void) { return encoder(11, 9, 4, 6, 2, 2, 0.1); }
static void *make_encoder_full(void) { return encoder(10000, 1000, 512, 2048, 8, 6, 0.1); }

typedef struct Class {
    const char *label;
    void *(*make)(void);
    int cases[2]; /* how many must be recorded, original and fixed */
    int runs[2];  /* and how many runs */
} Class;

static const Class classes[] = {
    {"sdpa", make_sdpa, {6, 0}, {12, 0}},
    {"heads", make_heads, {1, 0}, {2, 0}},
    {"mha", make_mha, {3, 3}, {6, 6}},
    {"ffn", make_ffn, {1, 0}, {4, 0}},
    {"norm", make_norm, {1, 1}, {2, 2}},
    {"layer", make_layer, {3, 3}, {8, 6}},
    {"embedding", make_embedding, {1, 0}, {4, 0}},
    {"encoder", make_encoder, {3, 2}, {8, 4}},
    {"encoder_full", make_encoder_full, {2, 1}, {2, 1}},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static bool is(const char *label, const char *other) { return strcmp(label, other) == 0; }
static bool is_encoder(const char *label) { return strncmp(label, "encoder", 7) == 0; }

/* ---- outputs ---- */

/* *weights: the attention weights that the class returns, or NULL. */
static Tensor *forward(const char *label, void *module, Tensor *const *x, Tensor **weights) {
    *weights = NULL;
    if (is(label, "heads")) return transform_heads(x[0], 4, 4);
    if (is(label, "sdpa")) return scaled_dot_product_attention_call(module, x[0], x[1], x[2], x[3], 1e-12, weights);
    if (is(label, "mha")) return multi_head_attention_call(module, x[0], x[1], x[2], x[3], weights);
    if (is(label, "layer")) return x[1] ? nn_call(module, x[0], x[1]) : encoder_layer_call(module, x[0], NULL);
    if (is_encoder(label)) return x[1] ? nn_call(module, x[0], x[1]) : encoder_call(module, x[0], NULL);
    return nn_call(module, x[0]);
}

/* ---- weights that the tutorial does not give away ---- */

/* An attention's forward up to the weights. */
static Tensor *weights_of(MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor *mask) {
    int64_t d_k = self->d_model / self->n_head;
    Tensor *weights;
    q = transform_heads(nn_call(self->w_q, q), self->n_head, d_k);
    k = transform_heads(nn_call(self->w_k, k), self->n_head, d_k);
    v = transform_heads(nn_call(self->w_v, v), self->n_head, d_k);
    scaled_dot_product_attention_call(self->attention, q, k, v, mask, 1e-12, &weights);
    return weights;
}

/* The same forward as the run's, layer by layer, with the same dropout. */
static t_TensorList *weights_of_encoder(Encoder *self, Tensor *ids, Tensor *mask) {
    t_TensorList *weights = t_list();
    t_manual_seed(DROPOUT_SEED);
    Tensor *x = nn_call(self->emb, ids);
    for_module (module, self->layers) {
        EncoderLayer *layer = module;
        t_list_append(weights, fixed ? layer->last_attention : weights_of(layer->attention, x, x, x, mask));
        if (!fixed) x = encoder_layer_call(layer, x, mask);
    }
    return weights;
}

static t_TensorList *all_weights(const char *label, void *module, Tensor *const *x, Tensor *given) {
    bool expected = is(label, "sdpa") || (is(label, "mha") && fixed);
    if (expected != (given != NULL)) note("%s: its forward %s the weights", label, given ? "gives away" : "keeps");
    if (given) return t_list(given);
    if (is(label, "mha")) return t_list(weights_of(module, x[0], x[1], x[2], x[3]));
    if (is(label, "layer")) {
        EncoderLayer *layer = module;
        if (!fixed && layer->last_attention) note("a layer keeps the weights that the tutorial's loses");
        return t_list(fixed ? layer->last_attention : weights_of(layer->attention, x[0], x[0], x[0], x[1]));
    }
    return is_encoder(label) ? weights_of_encoder(module, x[0], x[1]) : t_list();
}

/* ---- runs ---- */

/* The demonstrations expand a padding mask (B, 1, 1, S) before they call a layer or an encoder. */
static void expand_mask(const char *label, Inputs *in) {
    Tensor *mask = in->x[in->count - 1];
    if ((!is(label, "layer") && !is_encoder(label)) || !mask || t_size(mask, 2) != 1) return;
    int64_t batch_size = t_size(mask, 0), n_heads = is(label, "encoder_full") ? 8 : 2, seq_len = t_size(mask, 3);
    in->x[in->count - 1] = t_expand(mask, batch_size, n_heads, seq_len, seq_len);
}

/* The table of sines and cosines is float32 in a float64 model too, and so its last bits show: PyTorch's are taken. */
static void load_table(const char *label, void *module) {
    const char *section = golden_case(golden_file("tutorial_000.txt"), "init faithful");
    TransformEmbedding *embedding = is(label, "embedding") ? module
                                    : is(label, "encoder") ? ((Encoder *)module)->emb
                                                           : NULL;
    if (embedding) load_recorded(embedding->pos_emb->encoding, section, "table");
}

static void compare_weights(const Run *run, const t_TensorList *weights) {
    char name[32];
    for (int64_t k = 0; k < weights->len; k++) {
        snprintf(name, sizeof name, "w%d", (int)k);
        run_compare(run, name, t_list_get(weights, k), VALUE);
    }
    snprintf(name, sizeof name, "w%d", (int)weights->len);
    if (run_has(run, name)) note("%s: %s: there is no %s", run->key, run->name, name);
}

static void replay_run(const Class *class, const char *text, Run run) {
    Tensor *given;
    Inputs in = run_begin(&run, class->make(), text);
    if (run.name[0] == '6') load_table(class->label, run.module);
    expand_mask(class->label, &in);
    Tensor *y = forward(class->label, run.module, in.x, &given);
    run_compare(&run, "next", t_rand(2), EXACT);
    run_compare(&run, "y", y, VALUE);
    with_no_grad() compare_weights(&run, all_weights(class->label, run.module, in.x, given));
    if (run_has(&run, "values_only")) return;
    Tensor *dy = hashed_tensor("R", t_shape(y), (int)t_dim(y), seed_of(run.key), 100, t_dtype(y));
    Tensor *loss = t_sum(t_mul(y, dy));
    run_compare(&run, "loss", loss, VALUE);
    t_backward(loss);
    run_compare_gradients(&run, &in);
}

/* ---- cases: "class mode inputs" ---- */

typedef struct Seen {
    int cases[CLASSES][2], runs[CLASSES][2];
} Seen;

static void replay_case(const char *key, const char *section, void *context) {
    static const char *const runs[] = {"32e", "32t", "64e", "64t"};
    Seen *seen = context;
    char label[32], mode[32];
    int at = 0, c = 0;
    if (strncmp(key, "init ", 5) == 0) return;
    ck_assert_int_eq(sscanf(key, "%31s %31s %n", label, mode, &at), 2);
    while (c < CLASSES && !is(classes[c].label, label)) c++;
    ck_assert_msg(c < CLASSES, "no class %s", label);
    fixed = is(mode, "fixed");
    seen->cases[c][fixed]++;
    for (int i = 0; i < 4; i++) {
        Run run = {.key = key, .section = section, .name = runs[i]};
        int64_t live = t_live_count();
        if (!run_has(&run, "y")) continue;
        seen->runs[c][fixed]++;
        with_scope() replay_run(&classes[c], key + at, run);
        run_end(&run, live);
    }
}

START_TEST(classes_agree) {
    Seen seen = {0};
    each_case("tutorial_000.txt", replay_case, &seen);
    for (int c = 0; c < CLASSES; c++)
        for (int mode = 0; mode < 2; mode++)
            if (seen.cases[c][mode] != classes[c].cases[mode] || seen.runs[c][mode] != classes[c].runs[mode])
                note("%s: %d cases and %d runs were recorded", classes[c].label, seen.cases[c][mode],
                     seen.runs[c][mode]);
    fixed = false;
    report_notes();
}
END_TEST

/* ---- first values ---- */

static void init_agrees(const char *key) {
    const char *section = golden_case(golden_file("tutorial_000.txt"), key);
    fixed = is(key, "init fixed");
    t_manual_seed(INIT_SEED);
    Encoder *module = make_encoder();
    matches_recorded("the numbers after it", t_rand(2), section, "next", EXACT);
    matches_recorded("the table", module->emb->pos_emb->encoding, section, "table", VALUE);
    for_named (p, nn_named_parameters(module)) same_bits(p->name, p->tensor, section, p->name);
    fixed = false;
}

START_TEST(first_values_are_pytorchs_bits) {
    init_agrees("init faithful");
    init_agrees("init fixed");
    report_notes();
}
END_TEST

START_TEST(sizes_are_the_tutorials) {
    ck_assert_int_eq(nn_count_parameters(multi_head_attention(512, 8), false), 1050624);
    ck_assert_int_eq(nn_count_parameters(position_wise_feed_forward(512, 2048, 0.1), false), 2099712);
    ck_assert_int_eq(nn_count_parameters(encoder_layer(512, 8, 2048, 0.1), false), 3152384);
    Encoder *module = encoder(10000, 1000, 512, 2048, 8, 6, 0.1);
    ck_assert_int_eq(nn_count_parameters(module, false), 24034304);
    ck_assert_int_eq(nn_buffers(module)->len, 0); /* the table of positions is neither parameter nor buffer */
    HOLDS(t_size(module->emb->pos_emb->encoding, 0) == 1000 && !t_requires_grad(module->emb->pos_emb->encoding));
}
END_TEST

/* ---- masks and errors ---- */

static Tensor *attend(int64_t batch_size, int64_t heads, int64_t queries, Tensor *mask) {
    Tensor *q = t_rand(batch_size, heads, queries, 3), *k = t_rand(batch_size, heads, 5, 3), *weights;
    scaled_dot_product_attention_call(scaled_dot_product_attention(), q, k, k, mask, 1e-12, &weights);
    return weights;
}

#define UNCLEAR(mask, scores)                                                                                     \
    "a mask of torch.Size([" mask "]) does not say which keys it hides from scores of torch.Size([" scores "]): " \
    "give it as (batch, 1 or heads, 1 or queries, keys)"

/* All but the last three broadcast in PyTorch, with another meaning than intended. */
START_TEST(unclear_masks_are_refused) {
    expect_refusal(!attend(5, 4, 5, t_ones(5, 5)), UNCLEAR("5, 5", "5, 4, 5, 5"));         /* (B, S) or (Sq, Sk)? */
    expect_refusal(!attend(4, 4, 5, t_ones(4, 5, 5)), UNCLEAR("4, 5, 5", "4, 4, 5, 5")); /* (B, S, S) or (H, Sq, Sk)? */
    expect_refusal(!attend(2, 4, 1, t_ones(2, 5)),
                   UNCLEAR("2, 5", "2, 4, 1, 5")); /* would broadcast one query to two */
    expect_refusal(!attend(1, 4, 5, t_ones(3, 4, 5, 5)),
                   UNCLEAR("3, 4, 5, 5", "1, 4, 5, 5")); /* and one sample to three */
    expect_refusal(!attend(2, 4, 5, t_ones(2, 5)), UNCLEAR("2, 5", "2, 4, 5, 5"));
    expect_refusal(!attend(2, 4, 5, t_ones(2, 1, 1, 6)), UNCLEAR("2, 1, 1, 6", "2, 4, 5, 5"));
    expect_refusal(!attend(2, 4, 5, t_ones(5)), UNCLEAR("5", "2, 4, 5, 5"));
}
END_TEST

START_TEST(clear_masks_are_taken) {
    Tensor *causal = t_tril(t_ones(5, 5));
    t_manual_seed(1);
    Tensor *want = attend(2, 4, 5, t_expand(causal, 2, 4, 5, 5));
    t_manual_seed(1);
    HOLDS(t_equal(attend(2, 4, 5, causal), want));
    t_manual_seed(1);
    HOLDS(t_equal(attend(2, 4, 5, t_view(causal, 1, 1, 5, 5)), want));
    HOLDS(t_item(t_at(want, "1, 3, 0, 0")) == 1 && t_item(t_at(want, "1, 3, 3, 4")) == 0);
    Tensor *uniform = attend(2, 4, 5, t_zeros(2, 1, 1, 5)); /* every key is hidden */
    HOLDS(t_allclose(uniform, t_full((2, 4, 5, 5), 0.2)));
}
END_TEST

START_TEST(mistakes_are_refused) {
    expect_refusal(!multi_head_attention(6, 4), "d_model must be divisible by n_head (got 6 and 4)");
    expect_refusal(!multi_head_attention(6, 0), "d_model must be divisible by n_head (got 6 and 0)");
    position_embedding(5, 9);
    expect_error("The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  "
                 "Target sizes: [9, 2].  Tensor sizes: [9, 3]");
    Encoder *module = encoder(11, 4, 4, 6, 2, 1, 0.1);
    expect_refusal(!encoder_call(module, t_randint(0, 11, 2, 5), NULL),
                   "The size of tensor a (5) must match the size of tensor b (4) at non-singleton dimension 1");
    Tensor *ids = t_full((1, 3), 11, .dtype = t_int64);
    expect_refusal(!encoder_call(module, ids, NULL),
                   "index out of range in self. Hint: the id is 11, the weight has 11 rows");
}
END_TEST

PORT_SUITE("encoder from scratch", classes_agree, first_values_are_pytorchs_bits, sizes_are_the_tutorials,
           unclear_masks_are_refused, clear_masks_are_taken, mistakes_are_refused)
