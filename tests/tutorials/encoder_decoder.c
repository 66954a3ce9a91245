/* tests/tutorials/encoder_decoder.c: the port of tutorial 001 compared with PyTorch's values for the tutorial
 * (golden/tutorial_001.py): outputs, all attention weights, all gradients and dropout bits, without masks and with each
 * kind of mask, as the tutorial has it and with --fixed; small in float32 and float64, at full size in float32. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "examples/encoder_decoder/encoder_decoder.h"
#include "tests/tutorials/port.h"

static const char golden_name[] = "tutorial_001.txt";
static const Sizes small = {.d_model = 4, .n_heads = 2, .d_ff = 6, .n_layers = 2, .max_len = 16, .p_drop = 0.25};
static const Sizes full = {.d_model = 512, .n_heads = 8, .d_ff = 2048, .n_layers = 6, .max_len = 5000, .p_drop = 0.1};

static void start(Sizes sizes) {
    configure(sizes);
    fixed = false;
}

/* ---- the cases: a module by its label, and how it is called ---- */

static void *make_attention(void) { return multi_head_attention(); }
static void *make_feed_forward(void) { return feed_forward_network(); }
static void *make_encoding(void) { return positional_encoding(); }
static void *make_encoder_block(void) { return encoder_block(); }
static void *make_decoder_block(void) { return decoder_block(); }
static void *make_encoder(void) { return encoder(11); }
static void *make_decoder(void) { return decoder(13); }
static void *make_transformer(void) { return transformer(11, 13); }

static Tensor *call_attention(void *self, Tensor *const *x) {
    Tensor *weights;
    return multi_head_attention_call(self, x[0], x[1], x[2], x[3], &weights);
}
static Tensor *call_one(void *self, Tensor *const *x) {
    return nn_call(self, x[0]);
}
static Tensor *call_encoder_block(void *self, Tensor *const *x) {
    return x[1] ? nn_call(self, x[0], x[1]) : encoder_block_call(self, x[0], NULL);
}
static Tensor *call_decoder_block(void *self, Tensor *const *x) {
    return decoder_block_call(self, x[0], x[1], x[2], x[3]);
}
static Tensor *call_decoder(void *self, Tensor *const *x) {
    return decoder_call(self, x[0], x[1], x[2], x[3]);
}

/* The second row from there on, and nothing else, becomes padding. */
static void pad(Tensor *ids, int64_t from) {
    t_masked_fill_(ids, t_eq(ids, 0), 1);
    t_set(ids, "1, {}:", from, 0);
}
static Tensor *call_encoder_padding(void *self, Tensor *const *x) {
    pad(x[0], 3);
    return nn_call(self, x[0], make_src_mask(x[0], 0));
}
static Tensor *call_transformer(void *self, Tensor *const *x) {
    return transformer_call(self, x[0], x[1], NULL, NULL);
}
static Tensor *call_transformer_padding(void *self, Tensor *const *x) {
    pad(x[0], 3);
    pad(x[1], 2);
    return transformer_call(self, x[0], x[1], make_src_mask(x[0], 0), make_src_mask(x[1], 0));
}
static Tensor *call_transformer_look_ahead(void *self, Tensor *const *x) {
    return transformer_call(self, x[0], x[1], NULL, make_look_ahead_mask(t_size(x[1], 1)));
}
static Tensor *call_transformer_combined(void *self, Tensor *const *x) {
    pad(x[0], 3);
    pad(x[1], 2);
    return transformer_call(self, x[0], x[1], make_src_mask(x[0], 0), make_tgt_mask(x[1], 0));
}
static Tensor *call_transformer_hidden(void *self, Tensor *const *x) {
    pad(x[0], 0);
    pad(x[1], 2);
    return transformer_call(self, x[0], x[1], make_src_mask(x[0], 0), make_tgt_mask(x[1], 0));
}

typedef struct Case {
    const char *label;
    void *(*make)(void);
    Tensor *(*call)(void *self, Tensor *const *x);
} Case;
static const Case cases[] = {
    {"attention", make_attention, call_attention},
    {"feed_forward", make_feed_forward, call_one},
    {"positional_encoding", make_encoding, call_one},
    {"encoder_block", make_encoder_block, call_encoder_block},
    {"decoder_block", make_decoder_block, call_decoder_block},
    {"encoder_padding", make_encoder, call_encoder_padding},
    {"decoder", make_decoder, call_decoder},
    {"transformer", make_transformer, call_transformer},
    {"transformer_padding", make_transformer, call_transformer_padding},
    {"transformer_look_ahead", make_transformer, call_transformer_look_ahead},
    {"transformer_combined", make_transformer, call_transformer_combined},
    {"transformer_hidden", make_transformer, call_transformer_hidden},
};
enum { CASES = sizeof cases / sizeof *cases };

static int case_of(const char *key) {
    size_t length = strcspn(key, " ");
    for (int i = 0; i < CASES; i++)
        if (strlen(cases[i].label) == length && strncmp(cases[i].label, key, length) == 0) return i;
    return -1;
}

/* ---- a run ---- */

/* Of every attention in the model, by the name of the module. */
static void compare_weights(const Run *run) {
    char name[160];
    for_named (m, nn_named_modules(run->module)) {
        if (strcmp(m->module->type, "ScaledDotProductAttention") != 0) continue;
        snprintf(name, sizeof name, "w:%s", m->name);
        run_compare(run, name, ((ScaledDotProductAttention *)m->module)->weights, VALUE);
    }
}

static void replay_run(const Case *which, Run run) {
    Inputs in = run_begin(&run, which->make(), strchr(run.key, ' ') + 1);
    Tensor *y = which->call(run.module, in.x);
    run_compare(&run, "next", t_rand(2), EXACT);
    run_compare(&run, "y", y, VALUE);
    compare_weights(&run);
    if (y && !run_has(&run, "values_only")) run_backward(&run, y, &in);
}

/* --fixed must give PyTorch's values for the repaired module, "32eF", or if nothing needed repair the values for
 * both. */
static void replay_case(const char *key, const char *section, void *context) {
    static const char *const runs[][2] = {{"32e", "32eF"}, {"32t", "32tF"}, {"64e", "64eF"}, {"64t", "64tF"}};
    int *seen = context, which = case_of(key);
    if (which < 0) {
        if (strchr(key, ' ')) note("%s has no module here", key);
        return;
    }
    seen[which]++;
    for (int i = 0; i < 8; i++) {
        Run run = {.key = key, .section = section, .name = runs[i / 2][0]}, repaired = run;
        repaired.name = runs[i / 2][1];
        fixed = i % 2;
        if (!run_has(&run, "y") && run.name[2] == 't') continue;
        if (fixed && run_has(&repaired, "y")) run = repaired;
        int64_t live = t_live_count();
        with_scope() replay_run(&cases[which], run);
        run_end(&run, live);
    }
}

START_TEST(small_models_give_pytorchs_values) {
    int seen[CASES] = {0};
    start(small);
    each_case(golden_name, replay_case, seen);
    for (int i = 0; i < CASES; i++)
        if (!seen[i]) note("%s was not recorded", cases[i].label);
    report_notes();
}
END_TEST

START_TEST(small_model_decodes_pytorchs_tokens) {
    start(small);
    Transformer *model = transformer(11, 13);
    nn_eval(model);
    load_hashed(model, "greedy");
    Tensor *src = hashed_tensor("k11", (int64_t[]){3, 5}, 2, seed_of("greedy"), 0, t_float32);
    pad(src, 3);
    Tensor *out = transformer_greedy_decode(model, src, 1, 12, make_src_mask(src, 0));
    matches_recorded("out", out, golden_case(golden_file(golden_name), "greedy"), "out", EXACT);
    HOLDS(!t_requires_grad(out));
    report_notes();
}
END_TEST

/* ---- at full size: the model of the demonstration, with its initial values under seed 42 ---- */

START_TEST(full_model_gives_pytorchs_values) {
    Run run = {.key = "full", .section = golden_case(golden_file(golden_name), "full"), .name = "32e"};
    start(full);
    t_manual_seed(INIT_SEED);
    Transformer *model = transformer(1000, 1200);
    Tensor *src = t_randint(1, 1000, 2, 12), *tgt = t_randint(1, 1200, 2, 9);
    t_set(src, "1, 8:", 0);
    t_set(tgt, "1, 7:", 0);
    matches_recorded("src", src, run.section, "src", EXACT);
    matches_recorded("tgt", tgt, run.section, "tgt", EXACT);
    matches_recorded("pe", t_at(model->encoder->pe->pe, "0, :100"), run.section, "pe", VALUE);
    Tensor *src_mask = make_src_mask(src, 0), *tgt_mask = make_tgt_mask(tgt, 0);
    run.module = nn_eval(model);
    for (int i = 0; i < 2; i++) { /* no row is fully masked: the same with --fixed */
        fixed = i == 1;
        with_no_grad() run_compare(&run, "y", transformer_call(model, src, tgt, src_mask, tgt_mask), VALUE);
        compare_weights(&run);
    }
    fixed = false;
    run.name = "32e.plain";
    with_no_grad() run_compare(&run, "y", transformer_call(model, src, tgt, NULL, NULL), VALUE);
    compare_weights(&run);
    matches_recorded("greedy", transformer_greedy_decode(model, src, 1, 8, src_mask), run.section, "greedy", EXACT);
    run.name = "32t";
    nn_train(model);
    t_manual_seed(DROPOUT_SEED);
    Tensor *y = transformer_call(model, src, tgt, src_mask, tgt_mask);
    run_compare(&run, "next", t_rand(2), EXACT);
    run_compare(&run, "y", y, VALUE);
    compare_weights(&run);
    t_backward(y, t_div(hashed_tensor("R", t_shape(y), 3, seed_of("full"), 100, t_float32), 64));
    run_compare_gradients(&run, NULL);
    report_notes();
}
END_TEST

/* ---- repr ---- */

START_TEST(a_query_with_nothing_to_look_at) {
    start(small);
    MultiHeadAttention *mha = multi_head_attention();
    Tensor *q = t_randn(1, 3, 4, .requires_grad = true), *kv = t_randn(1, 5, 4), *weights;
    Tensor *mask = t_zeros(1, 1, 3, 5, .dtype = t_bool);
    t_set(mask, "0, 0, 1", true);
    Tensor *y = multi_head_attention_call(mha, q, kv, kv, mask, &weights);
    HOLDS(t_is_true(t_all(t_isnan(t_at(weights, ":, :, 1")))) && t_is_true(t_all(t_isnan(t_at(y, ":, 1")))));
    HOLDS(!t_is_true(t_any(t_isnan(t_at(y, ":, ::2")))));
    fixed = true;
    y = multi_head_attention_call(mha, q, kv, kv, mask, &weights);
    HOLDS(t_is_true(t_all(t_eq(t_at(weights, ":, :, 1"), 0))));
    HOLDS(t_allclose(t_sum(t_at(weights, ":, :, ::2"), -1), t_ones(1, 2, 2)));
    HOLDS(t_equal(t_at(y, "0, 1"), mha->w_o->bias));
    t_backward(y, t_randn(1, 3, 4));
    HOLDS(t_is_true(t_all(t_eq(t_at(t_grad(q), "0, 1"), 0))));
    HOLDS(t_is_true(t_all(t_ne(t_at(t_grad(q), "0, ::2"), 0))));
}
END_TEST

/* The failed call gives NULL, and NULL passes on. */
START_TEST(mistakes_are_pytorchs_errors) {
    start(small);
    Encoder *model = encoder(11);
    Tensor *ids = t_ones(2, 3, .dtype = t_int64);
    bool failed = !encoder_call(model, t_ones(2, 17, .dtype = t_int64), NULL);
    expect_refusal(failed,
                   "The size of tensor a (17) must match the size of tensor b (16) at non-singleton dimension 1");
    failed = !encoder_call(model, t_mul(ids, 11), NULL);
    expect_refusal(failed, "index out of range in self. Hint: the id is 11, the weight has 11 rows");
    failed = !encoder_call(model, ids, t_zeros(2, 3, .dtype = t_bool));
    expect_refusal(failed, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 2");
    Sizes odd = small;
    odd.d_model = 7;
    configure(odd);
    positional_encoding();
    expect_error("The expanded size of the tensor (3) must match the existing size (4) at non-singleton dimension 1.  "
                 "Target sizes: [16, 3].  Tensor sizes: [16, 4]");
    failed = !multi_head_attention();
    expect_refusal(failed, "d_model must be divisible by n_heads (got 7 and 2)");
    odd.n_heads = 0;
    configure(odd);
    failed = !multi_head_attention();
    expect_refusal(failed, "d_model must be divisible by n_heads (got 7 and 0)");
}
END_TEST

START_TEST(prints_as_pytorch_does) {
    start(small);
    char *text = nn_repr(transformer(11, 13));
    const char *want = golden_case(golden_file(golden_name), "repr");
    size_t length = strlen(text);
    ck_assert_msg(strncmp(text, want, length) == 0 && want[length] == '\n', "%s\nis not\n%s", text, want);
    free(text);
}
END_TEST

/* From scratch: the port uses these layers of nn, and no attention, encoder or positional encoding. */
static bool is_allowed(const char *word, size_t length) {
    static const char *const allowed[] = {
        "nn_Module", "nn_ModuleList", "nn_Linear", "nn_LayerNorm", "nn_Embedding", "nn_Dropout", "nn_ReLU",
        "nn_module", "nn_module2", "nn_set", "nn_keep", "nn_register_buffer", "nn_append", "nn_call",
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strlen(allowed[i]) == length && strncmp(allowed[i], word, length) == 0) return true;
    return false;
}

START_TEST(is_written_from_scratch) {
    static const char *const files[] = {"attention.c", "blocks.c", "transformer.c", "encoder_decoder.h"};
    int words = 0;
    for (int i = 0; i < 4; i++) {
        char path[100], line[300];
        snprintf(path, sizeof path, "examples/encoder_decoder/%s", files[i]);
        FILE *file = fopen(path, "r");
        ck_assert_msg(file != NULL, "%s is not there; the tests run from the root of the tree", path);
        while (fgets(line, sizeof line, file))
            for (const char *at = line; (at = strstr(at, "nn_")); at += 3) {
                size_t length = 0;
                while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
                if (at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) continue;
                words++;
                if (!is_allowed(at, length)) note("%s: %.*s", path, (int)length, at);
            }
        fclose(file);
    }
    ck_assert_int_gt(words, 50);
    report_notes();
}
END_TEST

PORT_SUITE("encoder_decoder", small_models_give_pytorchs_values, small_model_decodes_pytorchs_tokens,
           full_model_gives_pytorchs_values, a_query_with_nothing_to_look_at, mistakes_are_pytorchs_errors,
           prints_as_pytorch_does, is_written_from_scratch)
