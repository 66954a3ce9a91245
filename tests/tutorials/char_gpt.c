/* tests/tutorials/char_gpt.c: examples/char_gpt compared with PyTorch's values for the same GPT (golden/record_gpt.py):
 * outputs, gradients, dropout, training with AdamW, filters and sampled tokens; with and without its cache. Its files:
 * char_gpt_files.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/char_gpt/char_gpt.h"
#include "tests/support/models/port_cases.h"
#include "tests/tutorials/port.h"

static const GPTConfig sizes = {11, 8, 8, 2, 2, 0.25}, sizes_without_dropout = {11, 8, 8, 2, 2, 0};

/* ---- values and gradients ---- */

static void *make_attention(void) { return causal_self_attention(8, 2, 0.25); }
static void *make_mlp(void) { return mlp(8, 0.25); }
static void *make_block(void) { return block(8, 2, 0.25); }
static void *make_gpt(void) { return gpt(&sizes); }

static Tensor *call_attention(void *self, Tensor *const *x) { return causal_self_attention_call(self, x[0], NULL, 0); }
static Tensor *call_mlp(void *self, Tensor *const *x) { return nn_call(self, x[0]); }
static Tensor *call_block(void *self, Tensor *const *x) { return block_call(self, x[0], NULL, 0); }
static Tensor *call_gpt(void *self, Tensor *const *x) { return gpt_call(self, x[0], NULL); }

static const PortCase cases[] = {
    {"attention", make_attention, call_attention}, {"mlp", make_mlp, call_mlp}, {"block", make_block, call_block},
    {"gpt", make_gpt, call_gpt},                   {NULL, NULL, NULL},
};

static bool never;
static Tensor *no_weights(const nn_Module *module) {
    (void)module;
    return NULL;
}
static const Port port = {"gpt.txt", cases, &never, no_weights};

START_TEST(small_models_give_pytorchs_values) {
    ck_assert_int_eq(port_replay(&port), 5 * 4);
    report_notes();
}
END_TEST

START_TEST(a_new_model_has_pytorchs_bits) {
    t_manual_seed(INIT_SEED);
    GPT *model = gpt(&sizes_without_dropout);
    matches_recorded("wte", model->wte->weight, port_section(&port, "init"), "wte", EXACT);
    matches_recorded("the numbers after it", t_rand(2), port_section(&port, "init"), "next", EXACT);
    char *text = nn_repr(gpt(&sizes));
    const char *want = port_section(&port, "repr");
    size_t length = strlen(text);
    ck_assert_msg(strncmp(text, want, length) == 0 && want[length] == '\n', "%s\nis not\n%s", text, want);
    free(text);
    report_notes();
}
END_TEST

/* ---- training ---- */

/* The gradient of the keys' bias is 0 but for rounding, of some 1e-17. Adam divides that by its eps, 1e-8, and twelve
 * steps of a rate up to 0.02 make 1e-10 of it: there that difference is accepted. */
static void settle_keys(Tensor *bias, const char *section, const char *name) {
    GoldenArray want;
    ck_assert(golden_array(section, name, &want));
    const int64_t C = t_size(bias, 0) / 3;
    with_no_grad() {
        for (int64_t i = C; i < 2 * C; i++)
            if (fabs(t_item(t_at(bias, "{}", i)) - want.values[i]) < 1e-9) t_set(bias, "{}", i, want.values[i]);
    }
    free(want.values);
}

static void replay_training(t_DType real) {
    const char *section = port_section(&port, "training"), *prefix = real == t_float32 ? "32" : "64";
    const Recipe recipe = {.steps = 10, .warmup = 3, .lr = 0.02, .least = 0.1, .weight_decay = 0.1, .grad_clip = 0.5};
    Training training;
    Tensor *losses = t_zeros(12, .dtype = real), *rates = t_zeros(12, .dtype = t_float64);
    GPT *model = nn_to(gpt(&sizes_without_dropout), real);
    load_hashed(model, "training");
    begin_training(&training, model, &recipe, 0);
    for_range (step, 0, 12) {
        Tensor *ids = hashed_tensor("k11", SHAPE(3, 9), seed_of("training"), (int)step, real);
        t_set(rates, "{}", step, optim_get_last_lr(training.scheduler)[0]);
        t_set(losses, "{}", step, train_step(&training, t_at(ids, ":, :-1"), t_at(ids, ":, 1:")));
    }
    char name[200];
    snprintf(name, sizeof name, "%s.losses", prefix);
    GoldenArray want;
    ck_assert(golden_array(section, name, &want));
    for (int64_t i = 0; i < 12; i++) { /* of a training run: 1e-4 relative in float32 */
        double got = t_item(t_at(losses, "{}", i)), is = want.values[i];
        if (!(fabs(got - is) <= (real == t_float32 ? 1e-4 : 1e-10) * is))
            note("%s: loss %lld is %.9g, not %.9g", prefix, (long long)i, got, is);
    }
    free(want.values);
    if (real == t_float32) return;
    matches_recorded("learning rates", rates, section, "64.rates", VALUE);
    for_named (p, nn_named_parameters(model)) {
        snprintf(name, sizeof name, "64.p:%s", p->name);
        if (strstr(p->name, "c_attn.bias")) settle_keys(p->tensor, section, name);
        matches_recorded(name, p->tensor, section, name, VALUE);
    }
}

START_TEST(training_goes_as_pytorchs) {
    with_scope() replay_training(t_float64);
    with_scope() replay_training(t_float32);
    report_notes();
}
END_TEST

/* ---- the cache ---- */

static GPT *opinionated(const GPTConfig *config, const char *key) {
    GPT *model = nn_eval(gpt(config));
    load_hashed(model, key);
    with_no_grad() t_mul_(model->wte->weight, 4);
    return model;
}

/* The bits of each logit, for any split of the positions into calls. */
START_TEST(logits_with_the_cache_equal_those_without) {
    static const GPTConfig configs[] = {
        {29, 12, 16, 2, 4, 0}, {7, 40, 24, 3, 2, 0.5}, {61, 70, 96, 2, 3, 0}, {5, 9, 6, 1, 1, 0}};
    static const int64_t pieces[][4] = {{1, 1, 1, 1}, {5, 1, 3, 1}, {2, 7, 1, 2}};
    for_range (i, 0, 4 * 3 * 2) with_no_grad() {
        const GPTConfig *config = &configs[i / 6];
        GPT *model = opinionated(config, "cache");
        if (i % 2) nn_to(model, t_float64);
        int64_t B = 1 + i % 3, T = config->n_positions;
        Tensor *ids = t_randint(0, config->vocab_size, B, T), *want = gpt_call(model, ids, NULL);
        KVCache cache = kv_cache(model, B);
        int64_t live = t_live_count();
        for (int64_t from = 0, k = 0; from < T; k++) with_scope() {
            int64_t n = pieces[i / 2 % 3][k % 4], to = from + n < T ? from + n : T;
            Tensor *got = gpt_call(model, t_at(ids, ":, {}:{}", from, to), &cache);
            HOLDS(t_equal(got, t_at(want, ":, {}:{}", from, to)));
            from = to;
        }
        ck_assert_int_eq(t_live_count(), live);
        ck_assert_int_eq(cache.length, T);
        cache.length = 0; /* and again, over the contents of the first run */
        HOLDS(t_equal(gpt_next_logits(model, ids, &cache), t_at(want, ":, -1")));
    }
    report_notes();
}
END_TEST

/* Any number of tokens in the same memory. */
START_TEST(generating_does_not_grow) {
    GPT *model = opinionated(&(GPTConfig){11, 8, 8, 2, 2, 0}, "grow");
    Tensor *prompt = t_ones(2, 3, .dtype = t_int64);
    int64_t live = t_live_count(), bytes = 0;
    for (int64_t count = 10; count <= 640; count *= 8) with_scope() {
        gpt_generate(model, prompt, count, &(Sampling){.temperature = 1, .top_p = 0.9, .slide = 1});
        ck_assert_int_eq(t_live_count(), live + 1);
        if (bytes) ck_assert_int_eq(t_live_bytes() - count * 2 * 8, bytes);
        bytes = t_live_bytes() - count * 2 * 8;
    }
    report_notes();
}
END_TEST

/* ---- sampling ---- */

static const Sampling filters[] = {
    {.temperature = 1, .top_p = 1},
    {.temperature = 0.7, .top_p = 1},
    {.temperature = 1, .top_k = 5, .top_p = 1},
    {.temperature = 1, .top_k = 500, .top_p = 1},
    {.temperature = 1, .top_p = 0.9},
    {.temperature = 1, .top_p = 0},
    {.temperature = 1, .top_p = 1e-6},
    {.temperature = 0.5, .top_k = 9, .top_p = 0.8},
    {.temperature = 1.5, .top_k = 3, .top_p = 0.5},
    {.temperature = 2, .top_k = 1, .top_p = 0.3},
};

START_TEST(filters_leave_what_transformers_leave) {
    for (int kind = 0; kind < 2; kind++) {
        Tensor *logits = t_mul(hashed_tensor(kind ? "T" : "R", SHAPE(3, 23), seed_of("filters"), 0, t_float32), 2);
        for (int i = 0; i < 10; i++) {
            char name[16];
            snprintf(name, sizeof name, "%c%d", kind ? 'T' : 'R', i);
            matches_recorded(name, filter_logits(logits, &filters[i]), port_section(&port, "filters"), name, VALUE);
        }
    }
    report_notes();
}
END_TEST

static const Sampling ways[] = {
    {.temperature = 0, .top_p = 1},   {.temperature = 1, .top_p = 1},
    {.temperature = 0.5, .top_p = 1}, {.temperature = 1, .top_k = 4, .top_p = 1},
    {.temperature = 1, .top_p = 0.7}, {.temperature = 0.8, .top_k = 9, .top_p = 0.9},
};

/* Prompts shorter and longer than the window of 12, and 30 more tokens, so that it slides. */
START_TEST(the_tokens_are_pytorchs) {
    GPT *model = opinionated(&(GPTConfig){29, 12, 16, 2, 4, 0}, "sampled");
    for_range (i, 0, 6 * 2 * 2 * 2) {
        Sampling how = ways[i / 8];
        char name[32];
        int64_t length = i % 2 ? 15 : 3;
        how.slide = i / 2 % 2 ? 7 : 1;
        how.recompute = i / 4 % 2;
        snprintf(name, sizeof name, "%d.%d.%d", (int)(i / 8), (int)how.slide, (int)length);
        Tensor *ids = hashed_tensor("k29", SHAPE(2, length), seed_of("sampled"), (int)(i / 8), t_float32);
        t_manual_seed(INIT_SEED);
        Tensor *out = gpt_generate(model, ids, 30, &how);
        matches_recorded(name, out, port_section(&port, "sampled"), name, EXACT);
    }
    report_notes();
}
END_TEST

START_TEST(a_generator_of_its_own_leaves_the_default_alone) {
    GPT *model = opinionated(&sizes_without_dropout, "grow");
    Tensor *ids = t_ones(1, 1, .dtype = t_int64);
    t_Generator *generator = t_generator_manual_seed(t_generator(), 7);
    t_manual_seed(7);
    Tensor *want = t_rand(3);
    t_manual_seed(7);
    Tensor *own =
        gpt_generate(model, ids, 20, &(Sampling){.temperature = 1, .top_p = 1, .slide = 1, .generator = generator});
    HOLDS(t_equal(t_rand(3), want));
    t_manual_seed(7);
    HOLDS(t_equal(gpt_generate(model, ids, 20, &(Sampling){.temperature = 1, .top_p = 1, .slide = 1}), own));
}
END_TEST

/* ---- windows, errors ---- */

START_TEST(windows_are_in_the_text) {
    Tensor *ids = t_arange(20), *x, *y;
    for_range (i, 0, 50) {
        HOLDS(draw_batch(ids, 4, 18, &x, &y));
        HOLDS(t_is_true(t_all(t_eq(y, t_add(x, 1)))) && t_item(t_max(y)) <= 19);
    }
    expect_refusal(!draw_batch(ids, 4, 20, &x, &y), "a text of 20 characters is too short for a context of 20");
    GPT *model = opinionated(&(GPTConfig){20, 6, 8, 1, 2, 0.5}, "grow");
    Tensor *logits = gpt_call(model, t_view(t_arange(18), 3, 6), NULL);
    nn_train(model);
    double want = t_item(F_cross_entropy(t_flatten(logits, 0, 1), t_arange(1, 19)));
    ck_assert_double_eq_tol(evaluate(model, ids), want, 1e-6);
    HOLDS(model->base.training);
}
END_TEST

START_TEST(mistakes_are_errors) {
    Vocabulary v = vocabulary_of("abc");
    GPT *model = gpt(&sizes_without_dropout);
    KVCache cache = kv_cache(model, 1);
    Sampling how = {.temperature = 1, .top_p = 1, .slide = 1};
    Tensor *ids = t_zeros(1, 9, .dtype = t_int64), *some = t_at(ids, ":, :3");
    expect_refusal(!encode(&v, "abd"), "character 2 of the text, byte 100, is not among the 3 that the model knows");
    expect_refusal(!gpt(&(GPTConfig){11, 0, 8, 2, 2, 0}),
                   "a GPT wants a vocabulary and a context of at least 1, not 11 and 0");
    expect_refusal(!gpt(&(GPTConfig){11, 8, 8, 2, 3, 0}), "n_embd must be divisible by n_head, but they are 8 and 3");
    expect_refusal(!gpt_call(model, ids, NULL), "9 tokens after 0 do not fit into the context of 8");
    expect_refusal(!gpt_call(model, some, &cache),
                   "a cache is written in place, which no gradient follows: with_no_grad()");
    with_no_grad() {
        gpt_call(model, t_at(ids, ":, :7"), &cache);
        expect_refusal(!gpt_call(model, t_at(ids, ":, :2"), &cache),
                       "2 tokens after 7 do not fit into the context of 8");
    }
    ck_assert_int_eq(cache.length, 7);
    expect_refusal(!gpt_generate(model, t_at(ids, ":, :0"), 3, &how), "there must be a token to go on from");
    expect_refusal(!gpt_generate(model, t_add(some, 11), 3, &how),
                   "index out of range in self. Hint: the id is 11, the weight has 11 rows");
    how.temperature = -1;
    expect_refusal(!gpt_generate(model, some, 3, &how), "temperature must be 0 or more, not -1");
    how = (Sampling){.temperature = 1, .top_p = 1.5, .slide = 1};
    expect_refusal(!gpt_generate(model, some, 3, &how), "top_p must lie between 0 and 1, but is 1.5");
    how = (Sampling){.temperature = 1, .top_p = 1, .top_k = -2, .slide = 1};
    expect_refusal(!gpt_generate(model, some, 3, &how), "top_k must be 0 (all) or more, not -2");
    how = (Sampling){.temperature = 1, .top_p = 1, .slide = 9};
    expect_refusal(!gpt_generate(model, some, 3, &how), "slide must be from 1 to the context, 8, not 9");
    HOLDS(model->base.training); /* as it was before */
}
END_TEST

PORT_SUITE("char_gpt", small_models_give_pytorchs_values, a_new_model_has_pytorchs_bits, training_goes_as_pytorchs,
           logits_with_the_cache_equal_those_without, generating_does_not_grow, filters_leave_what_transformers_leave,
           the_tokens_are_pytorchs, a_generator_of_its_own_leaves_the_default_alone, windows_are_in_the_text,
           mistakes_are_errors)
