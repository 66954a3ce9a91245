/* tests/ports/char_gpt.c: examples/char_gpt beside what PyTorch gave for the same GPT (golden/record_gpt.py): outputs, gradients,
 * dropout, training with AdamW, filters and drawn tokens, weights under GPT-2's names; and its cache beside no cache. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/char_gpt/char_gpt.h"
#include "tests/port_cases.h"
#include "tests/ports/port.h"

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

/* The gradient of the keys' bias is 0 but for rounding, of some 1e-17. Adam divides that by its eps, 1e-8, and twelve steps of a rate
 * up to 0.02 make 1e-10 of it: there that near is near enough. */
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
        if (!(fabs(got - is) <= (real == t_float32 ? 1e-4 : 1e-10) * is)) note("%s: loss %lld is %.9g, not %.9g", prefix, (long long)i, got, is);
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

/* The bits of each logit, however the positions were handed over. */
START_TEST(logits_with_the_cache_equal_those_without) {
    static const GPTConfig configs[] = {{29, 12, 16, 2, 4, 0}, {7, 40, 24, 3, 2, 0.5}, {61, 70, 96, 2, 3, 0}, {5, 9, 6, 1, 1, 0}};
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
        cache.length = 0; /* and once more, over what the first left behind */
        HOLDS(t_equal(gpt_next_logits(model, ids, &cache), t_at(want, ":, -1")));
    }
    report_notes();
}
END_TEST

/* As many tokens as one likes in the same memory. */
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
    {.temperature = 1, .top_p = 1},              {.temperature = 0.7, .top_p = 1}, {.temperature = 1, .top_k = 5, .top_p = 1},
    {.temperature = 1, .top_k = 500, .top_p = 1}, {.temperature = 1, .top_p = 0.9}, {.temperature = 1, .top_p = 0},
    {.temperature = 1, .top_p = 1e-6},           {.temperature = 0.5, .top_k = 9, .top_p = 0.8},
    {.temperature = 1.5, .top_k = 3, .top_p = 0.5}, {.temperature = 2, .top_k = 1, .top_p = 0.3},
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
    {.temperature = 0, .top_p = 1},   {.temperature = 1, .top_p = 1},   {.temperature = 0.5, .top_p = 1},
    {.temperature = 1, .top_k = 4, .top_p = 1}, {.temperature = 1, .top_p = 0.7}, {.temperature = 0.8, .top_k = 9, .top_p = 0.9},
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
    Tensor *own = gpt_generate(model, ids, 20, &(Sampling){.temperature = 1, .top_p = 1, .slide = 1, .generator = generator});
    HOLDS(t_equal(t_rand(3), want));
    t_manual_seed(7);
    HOLDS(t_equal(gpt_generate(model, ids, 20, &(Sampling){.temperature = 1, .top_p = 1, .slide = 1}), own));
}
END_TEST

/* ---- under GPT-2's names ---- */

/* What record_gpt.py's conv1d_tensors() makes: [in, out] for the matrices of a block. */
static t_TensorDict *conv1d_tensors(void) {
    t_TensorDict *weights = t_dict();
    for_named (p, nn_named_parameters(gpt(&sizes_without_dropout))) {
        bool turned = t_dim(p->tensor) == 2 && strncmp(p->name, "h.", 2) == 0;
        Tensor *x = turned ? t_zeros(t_size(p->tensor, 1), t_size(p->tensor, 0)) : t_zeros_like(p->tensor);
        char name[128];
        snprintf(name, sizeof name, "transformer.%s", p->name);
        fill_hashed(x, "conv1d", name);
        t_dict_set(weights, name, x);
    }
    return weights;
}

static void expect_logits(GPT *model) {
    Tensor *ids = hashed_tensor("k11", SHAPE(2, 8), seed_of("conv1d"), 0, t_float32);
    matches_recorded("logits", gpt_call(model, ids, NULL), port_section(&port, "conv1d"), "logits", VALUE);
}

START_TEST(gpt2s_weights_are_turned) {
    t_TensorDict *weights = conv1d_tensors();
    GPT *model = gpt_from_gpt2(weights, 2);
    ck_assert_int_eq(model->config.n_layer, 2);
    ck_assert_int_eq(model->config.n_positions, 8);
    ck_assert_int_eq(model->config.vocab_size, 11);
    expect_logits(model);
    expect_logits(gpt_from_gpt2(t_dict_get_dict(weights, "transformer"), 2)); /* as GPT2Model saves them */
    char path[] = "build/char_gpt.XXXXXX"; /* to a file and back */
    close(mkstemp(path));
    HOLDS(safetensors_save_file(gpt_to_gpt2(model), path));
    expect_logits(gpt_from_gpt2(safetensors_load_file(path), 2));
    remove(path);
    t_dict_set(weights, "lm_head.weight", t_clone(model->wte->weight));
    t_dict_set(weights, "transformer.h.0.attn.bias", t_tril(t_ones(1, 1, 8, 8)));
    t_dict_set(weights, "transformer.h.0.attn.masked_bias", t_tensor(-1e4));
    expect_logits(gpt_from_gpt2(weights, 2));
    report_notes();
}
END_TEST

/* Loads it with one tensor replaced, or taken out where x is NULL. */
static GPT *with_other(const char *name, Tensor *x) {
    t_TensorDict *weights = conv1d_tensors();
    if (x) t_dict_set(weights, name, x);
    else t_dict_delete(weights, name);
    return gpt_from_gpt2(weights, 2);
}

START_TEST(wrong_files_are_refused) {
    expect_refusal(!gpt_from_gpt2(conv1d_tensors(), 0), "8 features are no whole number of heads of 64: say how many heads there are");
    expect_refusal(!gpt_from_gpt2(conv1d_tensors(), 3), "n_embd must be divisible by n_head, but they are 8 and 3");
    expect_refusal(!with_other("transformer.h.1.attn.c_attn.weight", t_zeros(24, 8)), /* as nn.Linear has it */
                   "Error(s) in loading state_dict for GPT:\n\tsize mismatch for h.1.attn.c_attn.weight: copying a param with shape "
                   "torch.Size([8, 24]) from checkpoint, the shape in current model is torch.Size([24, 8]).");
    expect_refusal(!with_other("transformer.wpe.weight", t_zeros(8, 9)),
                   "Error(s) in loading state_dict for GPT:\n\tsize mismatch for wpe.weight: copying a param with shape "
                   "torch.Size([8, 9]) from checkpoint, the shape in current model is torch.Size([8, 8]).");
    expect_refusal(!with_other("transformer.wpe.weight", t_zeros(8)),
                   "wte.weight and wpe.weight must be matrices, but are torch.Size([11, 8]) and torch.Size([8])");
    expect_refusal(!with_other("transformer.h.0.attn.rotary.weight", t_zeros(1)),
                   "Error(s) in loading state_dict for GPT:\n\tUnexpected key(s) in state_dict: \"h.0.attn.rotary.weight\". ");
    expect_refusal(!with_other("transformer.h.1.mlp.c_fc.bias", NULL),
                   "Error(s) in loading state_dict for GPT:\n\tMissing key(s) in state_dict: \"h.1.mlp.c_fc.bias\". ");
    expect_refusal(!with_other("lm_head.weight", t_zeros(11, 8)), "lm_head.weight is not wte.weight, with which GPT-2 makes its logits");
    HOLDS(!with_other("transformer.wte.weight", NULL));
    HOLDS(strstr(t_error_message(), "wte.weight") != NULL);
    t_clear_error();
}
END_TEST

/* ---- the text and its characters ---- */

START_TEST(the_text_is_always_the_same) {
    char *text = write_text(42, 3000), *longer = write_text(42, 60000), *other = write_text(43, 3000);
    ck_assert_int_ge((int)strlen(text), 3000);
    ck_assert_int_lt((int)strlen(text), 4000);
    HOLDS(strncmp(text, longer, strlen(text)) == 0 && strcmp(text, other) != 0);
    HOLDS(strpbrk(longer, "<>|^_") == NULL && !t_error()); /* every rule that is named is there */
    HOLDS(strstr(text, "Monday, 1 January. ") && strstr(longer, "Sunday, 28 January. ") && strstr(longer, "Monday, 1 February. "));
    Vocabulary v = vocabulary_of(longer);
    HOLDS(v.size > 40 && v.size < 80 && v.characters[0] == '\n' && v.characters[v.size] == 0);
    char *back = decode(&v, encode(&v, longer));
    ck_assert_str_eq(back, longer);
    free(back);
    free(other);
    free(longer);
    free(text);
}
END_TEST

START_TEST(windows_lie_in_the_text) {
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

/* ---- checkpoints ---- */

static const Recipe short_recipe = {.steps = 6, .warmup = 2, .lr = 0.01, .least = 0.1, .weight_decay = 0.1, .grad_clip = 1};

static void begin_short(Training *self, int64_t seed) {
    t_manual_seed(seed);
    begin_training(self, gpt(&sizes), &short_recipe, 8); /* with dropout */
}

static void train_short(Training *self, int64_t steps) {
    Tensor *ids = hashed_tensor("k11", SHAPE(90), seed_of("short"), 0, t_float32);
    for_range (_, 0, steps) {
        Tensor *x, *y;
        draw_batch(ids, 3, 8, &x, &y);
        double loss = train_step(self, x, y);
        t_set(self->curves, "{}", self->points++, loss);
    }
}

/* Half of a run, a checkpoint, and the other half in a Training that was made for something else: every bit is the same. */
START_TEST(a_resumed_run_ends_with_the_same_bits) {
    static Training whole, first, second;
    char path[] = "build/char_gpt.XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    Vocabulary v = vocabulary_of("abcdefghijk\xE9"), other = vocabulary_of("abcdefghijkl");
    begin_short(&whole, 1);
    train_short(&whole, 6);
    Tensor *then = t_rand(4);
    begin_short(&first, 1);
    train_short(&first, 3);
    HOLDS(save_checkpoint(&first, &v, path));
    begin_short(&second, 2);
    train_short(&second, 1);
    t_TensorDict *checkpoint = t_load(path);
    GPTConfig config = checkpoint_config(checkpoint);
    HOLDS(config.vocab_size == 11 && config.n_positions == 8 && config.n_embd == 8 && config.n_layer == 2 && config.n_head == 2);
    HOLDS(config.dropout == 0.25);
    expect_refusal(!load_checkpoint(&second, &other, checkpoint), "the checkpoint was trained on other characters than this text has");
    HOLDS(second.step == 1);
    HOLDS(load_checkpoint(&second, &v, checkpoint));
    ck_assert_int_eq(second.step, 3);
    train_short(&second, 3);
    HOLDS(t_equal(t_rand(4), then) && t_equal(second.curves, whole.curves));
    HOLDS(parameter_bits(second.model) == parameter_bits(whole.model) && parameter_bits(first.model) != parameter_bits(whole.model));
    remove(path);
}
END_TEST

START_TEST(mistakes_are_errors) {
    Vocabulary v = vocabulary_of("abc");
    GPT *model = gpt(&sizes_without_dropout);
    KVCache cache = kv_cache(model, 1);
    Sampling how = {.temperature = 1, .top_p = 1, .slide = 1};
    Tensor *ids = t_zeros(1, 9, .dtype = t_int64), *some = t_at(ids, ":, :3");
    expect_refusal(!encode(&v, "abd"), "character 2 of the text, byte 100, is not among the 3 that the model knows");
    expect_refusal(!gpt(&(GPTConfig){11, 0, 8, 2, 2, 0}), "a GPT wants a vocabulary and a context of at least 1, not 11 and 0");
    expect_refusal(!gpt(&(GPTConfig){11, 8, 8, 2, 3, 0}), "n_embd must be divisible by n_head, but they are 8 and 3");
    expect_refusal(!gpt_call(model, ids, NULL), "9 tokens behind 0 do not fit into the context of 8");
    expect_refusal(!gpt_call(model, some, &cache), "a cache is written in place, which no gradient follows: with_no_grad()");
    with_no_grad() {
        gpt_call(model, t_at(ids, ":, :7"), &cache);
        expect_refusal(!gpt_call(model, t_at(ids, ":, :2"), &cache), "2 tokens behind 7 do not fit into the context of 8");
    }
    ck_assert_int_eq(cache.length, 7);
    expect_refusal(!gpt_generate(model, t_at(ids, ":, :0"), 3, &how), "there must be a token to go on from");
    expect_refusal(!gpt_generate(model, t_add(some, 11), 3, &how), "index out of range in self. Hint: the id is 11, the weight has 11 rows");
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
           the_tokens_are_pytorchs, a_generator_of_its_own_leaves_the_default_alone, gpt2s_weights_are_turned, wrong_files_are_refused,
           the_text_is_always_the_same, windows_lie_in_the_text, a_resumed_run_ends_with_the_same_bits, mistakes_are_errors)
