/* tests/tutorials/attention_page.c: the port of tutorial 004 compared with PyTorch's values for the page
 * (golden/tutorial_004.py): outputs, attention weights, all gradients and dropout bits, as the page has it and with
 * --fixed; small in float32 and float64, at full size in float32; its demos under seed 42, its pictures, and what
 * model_attention.c and decoder.c add. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "examples/attention_page/attention_page.h"
#include "tests/support/models/port_cases.h"
#include "tests/tutorials/port.h"

/* ---- the cases: a module by its label, and how it is called ---- */

static Tensor *function_weights; /* a function cannot store them */

static void *make_function(void) { return nn_Identity(); }
static void *make_attention(void) { return multi_head_attention(4, 2); }
static void *make_feed_forward(void) { return positionwise_feed_forward(4, 6, 0.25); }
static void *make_encoding(void) { return positional_encoding(4, 7); }
static void *make_layer(void) { return encoder_layer(4, 2, 6, 0.25); }
static void *make_encoder(void) { return transformer_encoder(11, 4, 2, 6, 2, 3, 0.25); }
static void *make_cross_attention(void) { return cross_attention(4, 2); }
static void *make_decoder_layer(void) { return decoder_layer(4, 2, 6, 0.25); }
static void *make_decoder(void) { return transformer_decoder(11, 4, 2, 6, 2, 0.25); }

static Tensor *call_function(void *self, Tensor *const *x) {
    (void)self;
    return scaled_dot_product_attention(x[0], x[1], x[2], x[3], &function_weights);
}
static Tensor *call_one(void *self, Tensor *const *x) { return nn_call(self, x[0]); }
static Tensor *call_attention(void *self, Tensor *const *x) { return multi_head_attention_call(self, x[0], x[1]); }
static Tensor *call_layer(void *self, Tensor *const *x) { return encoder_layer_call(self, x[0], x[1]); }
static Tensor *call_encoder(void *self, Tensor *const *x) {
    return x[1] ? nn_call(self, x[0], x[1]) : transformer_encoder_call(self, x[0], NULL);
}
static Tensor *call_cross_attention(void *self, Tensor *const *x) {
    return cross_attention_call(self, x[0], x[1], x[2]);
}
static Tensor *call_decoder_layer(void *self, Tensor *const *x) {
    return decoder_layer_call(self, x[0], x[1], x[2], x[3]);
}
static Tensor *call_decoder(void *self, Tensor *const *x) {
    return transformer_decoder_call(self, x[0], x[1], x[2], x[3]);
}

static const PortCase cases[] = {
    {"function", make_function, call_function},        {"attention", make_attention, call_attention},
    {"feed_forward", make_feed_forward, call_one},     {"positional_encoding", make_encoding, call_one},
    {"layer", make_layer, call_layer},                 {"encoder", make_encoder, call_encoder},
    {"decoder_layer", make_decoder_layer, call_decoder_layer}, {"decoder", make_decoder, call_decoder},
    {"cross_attention", make_cross_attention, call_cross_attention}, {NULL, NULL, NULL},
};

static Tensor *weights_of(const nn_Module *module) {
    if (strcmp(module->type, "MultiHeadAttention") == 0) return ((const MultiHeadAttention *)module)->weights;
    if (strcmp(module->type, "CrossAttention") == 0) return ((const CrossAttention *)module)->weights;
    return strcmp(module->type, "Identity") == 0 ? function_weights : NULL;
}

static const Port port = {"tutorial_004.txt", cases, &fixed, weights_of};

START_TEST(small_models_give_pytorchs_values) {
    ck_assert_int_eq(port_replay(&port), 2 * (2 + 4 + 1 + 1) + 4 * (1 + 2 + 9 + 2 + 1));
    report_notes();
}
END_TEST

/* ---- at full size: the model of demo_4, with its initial values under seed 42 ---- */

START_TEST(full_model_gives_pytorchs_values) {
    static const char *const runs[] = {"32t", "32t.masked", "32tF"};
    Run run = {.key = "full", .section = port_section(&port, "full")};
    t_manual_seed(INIT_SEED);
    TransformerEncoder *model = transformer_encoder(10000, 256, 8, 1024, 4, 2, 0.1);
    Tensor *ids = t_randint(0, 10000, 8, 20), *mask = t_ones(8, 20);
    t_set(mask, "1, 12:", 0);
    t_set(mask, "6, 3:", 0);
    matches_recorded("ids", t_at(ids, ":, :8"), run.section, "ids", EXACT);
    matches_recorded("pe", t_at(model->pos_encoding->pe, "0, :100"), run.section, "pe", VALUE);
    Tensor *const masks[] = {NULL, t_at(mask, ":, None, None, :"), mask};
    run.module = &model->base;
    for (int i = 0; i < 3; i++) {
        run.name = runs[i];
        fixed = i == 2;
        t_manual_seed(DROPOUT_SEED);
        Tensor *y = transformer_encoder_call(model, ids, masks[i]);
        port_compare(&port, &run, y);
        run_backward(&run, y, NULL);
        nn_zero_grad(model);
    }
    fixed = false;
    report_notes();
}
END_TEST

/* ---- the demos ---- */

/* Discards the output in between. */
static int quiet(void) {
    fflush(stdout);
    int before = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    ck_assert(before >= 0 && nowhere >= 0);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    return before;
}

static void loud(int before) {
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
}

/* The text of a picture in a folder, malloced; the file is removed. */
static char *take_picture(const char *folder, const char *name) {
    enum { MOST = 1 << 20 };
    char path[200], *text = calloc(MOST, 1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s was not written", path);
    ck_assert(fread(text, 1, MOST, file) < MOST);
    fclose(file);
    remove(path);
    return text;
}

static void compare_printed_model(TransformerEncoder *model) {
    char *text = nn_repr(model);
    const char *want = port_section(&port, "repr");
    size_t length = strlen(text);
    ck_assert_msg(strncmp(text, want, length) == 0 && want[length] == '\n', "%s\nis not\n%s", text, want);
    free(text);
}

START_TEST(demos_and_additions_give_pytorchs_values) {
    const char *section = port_section(&port, "demos");
    for (int i = 0; i < 2; i++) {
        Tensor *weights;
        fixed = i == 1;
        int before = quiet();
        t_manual_seed(42);
        matches_recorded("demo_1, output", demo_1(&weights), section, "demo_1.y", VALUE);
        matches_recorded("demo_1, weights", weights, section, "demo_1.w", VALUE);
        matches_recorded("demo_2", demo_2(), section, "demo_2.y", VALUE);
        matches_recorded("demo_3", demo_3()->pe, section, "demo_3.pe", VALUE);
        TransformerEncoder *model = demo_4();
        matches_recorded("demo_5", demo_5(), section, "demo_5.w", VALUE);
        matches_recorded("attention", real_attention(model), section, "real.w", VALUE);
        matches_recorded("padding", padded_sentences(model), section, fixed ? "paddedF" : "padded", VALUE);
        matches_recorded("the decoder", run_decoder(model), section, "changes", VALUE);
        loud(before);
        ck_assert_int_eq(nn_count_parameters(model, false), 5719554);
        compare_printed_model(model);
    }
    fixed = false;
    report_notes();
}
END_TEST

START_TEST(decoder_gives_pytorchs_logits) {
    const char *section = port_section(&port, "demos");
    t_manual_seed(42);
    t_randn(3, 2, 8, 10, 64); /* demo_1, demo_2 */
    multi_head_attention(512, 8);
    t_randn(2, 10, 512);
    TransformerEncoder *model = nn_eval(transformer_encoder(10000, 256, 8, 1024, 4, 2, 0.1));
    t_manual_seed(42);
    TransformerDecoder *decoder = nn_eval(transformer_decoder(10000, 256, 8, 1024, 4, 0.1));
    Tensor *src = t_randint(1, 10000, 2, 12), *tgt = t_randint(1, 10000, 2, 9);
    t_set(src, "1, 8:", 0);
    Tensor *src_mask = t_at(t_ne(src, 0), ":, None, None, :");
    matches_recorded("parameters", t_integer(nn_count_parameters(decoder, false)), section, "decoder.parameters",
                     EXACT);
    with_no_grad() {
        Tensor *memory = encode(model, src, src_mask);
        matches_recorded("memory", memory, section, "memory", VALUE);
        Tensor *logits = transformer_decoder_call(decoder, tgt, memory, src_mask, t_tril(t_ones(9, 9)));
        matches_recorded("logits", logits, section, "logits", VALUE);
    }
    report_notes();
}
END_TEST

/* With --fixed the labels of the heat map are at other positions; the other picture is the same. */
START_TEST(pictures_are_written) {
    char folder[] = "/tmp/attention_page.XXXXXX", *encoding[2], *attention[2];
    ck_assert(mkdtemp(folder) != NULL);
    example.plots = folder;
    for (int i = 0; i < 2; i++) {
        fixed = i == 1;
        t_manual_seed(42);
        int before = quiet();
        demo_3();
        demo_5();
        loud(before);
        encoding[i] = take_picture(folder, "positional_encoding.svg");
        attention[i] = take_picture(folder, "attention_visualization.svg");
        ck_assert(strstr(encoding[i], "Positional Encoding Visualization") && strstr(encoding[i], "Dimension"));
        ck_assert(strstr(attention[i], "Self-Attention Weights") && strstr(attention[i], ">cat<"));
    }
    fixed = false;
    example.plots = NULL;
    rmdir(folder);
    ck_assert_str_eq(encoding[0], encoding[1]);
    ck_assert_str_ne(attention[0], attention[1]);
    for (int i = 0; i < 2; i++) {
        free(encoding[i]);
        free(attention[i]);
    }
}
END_TEST

/* ---- errors ---- */

START_TEST(mistakes_are_errors) {
    char want[200];
    Tensor *ids = t_ones(3, 5, .dtype = t_int64);
    TransformerEncoder *model = transformer_encoder(11, 4, 2, 6, 1, 2, 0.1);
    const char *message = port_section(&port, "refused mask");
    snprintf(want, sizeof want, "%.*s", (int)strcspn(message, "\n"), message);
    bool failed = !nn_call(model, ids, t_ones(3, 5));
    expect_refusal(failed, want);
    fixed = true;
    HOLDS(t_allclose(nn_call(nn_eval(model), ids, t_ones(3, 5)), nn_call(model, ids, t_ones(3, 5, 5))));
    fixed = false;
    failed = !multi_head_attention(10, 4);
    expect_refusal(failed, "d_model must be divisible by num_heads (got 10 and 4)");
    failed = !cross_attention(10, 0);
    expect_refusal(failed, "d_model must be divisible by num_heads (got 10 and 0)");
    failed = !nn_call(positional_encoding(4, 7), t_randn(2, 8, 4));
    expect_refusal(failed, "The size of tensor a (8) must match the size of tensor b (7) at non-singleton dimension 1");
    failed = !transformer_encoder_call(model, t_mul(ids, 11), NULL);
    expect_refusal(failed, "index out of range in self. Hint: the id is 11, the weight has 11 rows");
    positional_encoding(5, 7);
    expect_error("The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  "
                 "Target sizes: [7, 2].  Tensor sizes: [7, 3]");
}
END_TEST

/* A sentence of padding only is pooled to 0, not to 0 / 0. */
START_TEST(fixed_pools_padding_to_zero) {
    TransformerEncoder *model = nn_eval(transformer_encoder(11, 4, 2, 6, 1, 2, 0.1));
    fixed = true;
    Tensor *y = nn_call(model, t_ones(2, 5, .dtype = t_int64), t_tensor("[[1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]"));
    fixed = false;
    HOLDS(t_equal(t_at(y, "1"), model->fc->bias));
    HOLDS(!t_allclose(t_at(y, "0"), model->fc->bias));
}
END_TEST

PORT_SUITE("attention_page", small_models_give_pytorchs_values, full_model_gives_pytorchs_values,
           demos_and_additions_give_pytorchs_values, decoder_gives_pytorchs_logits, pictures_are_written,
           mistakes_are_errors, fixed_pools_padding_to_zero)
