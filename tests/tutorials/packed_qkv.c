/* tests/tutorials/packed_qkv.c: the port of tutorial 003 compared with PyTorch's values for the tutorial
 * (golden/tutorial_003.py): outputs, attention weights, all gradients and dropout bits, as the tutorial has it and with
 * --fixed; small in float32 and float64, at full size in float32; with --fixed also compared with PyTorch's encoder
 * layer. */
#include <stdio.h>
#include <string.h>

#include "examples/packed_qkv/packed_qkv.h"
#include "tests/support/models/port_cases.h"
#include "tests/tutorials/port.h"

/* ---- the cases: a module by its label, and how it is called ---- */

static void *make_attention(void) { return multi_head_attention(4, 2); }
static void *make_feed_forward(void) { return feed_forward(4, 3); }
static void *make_encoding(void) { return positional_encoding(4, 7); }
static void *make_layer(void) { return transformer_encoder_layer(4, 2, 0.25); }
static void *make_encoder(void) { return transformer_encoder(11, 4, 2, 2, 0.25); }
static void *make_torch_layer(void) { return transformer_encoder_layer(8, 2, 0.25); }

static Tensor *call_one(void *self, Tensor *const *x) {
    return nn_call(self, x[0]);
}
static Tensor *call_attention(void *self, Tensor *const *x) {
    return x[1] ? nn_call(self, x[0], x[1]) : multi_head_attention_call(self, x[0], NULL);
}
static Tensor *call_layer(void *self, Tensor *const *x) {
    return x[1] ? nn_call(self, x[0], x[1]) : transformer_encoder_layer_call(self, x[0], NULL);
}
static Tensor *call_encoder(void *self, Tensor *const *x) {
    return x[1] ? nn_call(self, x[0], x[1]) : transformer_encoder_call(self, x[0], NULL);
}

static const PortCase cases[] = {
    {"attention", make_attention, call_attention},   {"feed_forward", make_feed_forward, call_one},
    {"positional_encoding", make_encoding, call_one}, {"layer", make_layer, call_layer},
    {"encoder", make_encoder, call_encoder},          {"torch_layer", make_torch_layer, call_layer},
    {NULL, NULL, NULL},
};

static Tensor *weights_of(const nn_Module *module) {
    return strcmp(module->type, "MultiHeadAttention") == 0 ? ((const MultiHeadAttention *)module)->weights : NULL;
}

static const Port port = {"tutorial_003.txt", cases, &fixed, weights_of};

START_TEST(small_models_give_pytorchs_values) {
    ck_assert_int_eq(port_replay(&port), 2 * (2 + 5 + 2) + 4 * (2 + 1 + 2 + 1) + 2);
    report_notes();
}
END_TEST

/* ---- at full size: the model of the demonstration, with its initial values under seed 42 ---- */

START_TEST(full_model_gives_pytorchs_values) {
    Run run = {.key = "full", .section = port_section(&port, "full")};
    t_manual_seed(INIT_SEED);
    TransformerEncoder *model = transformer_encoder(10000, 512, 6, 8, 0.1);
    Tensor *ids = t_randint(0, 10000, 2, 32), *mask = t_ones(2, 1, 1, 32);
    t_set(mask, "1, :, :, 20:", 0);
    matches_recorded("ids", t_at(ids, ":, :8"), run.section, "ids", EXACT);
    matches_recorded("pe", t_at(model->pos_encoding->pe, "0, :100"), run.section, "pe", VALUE);
    Tensor *dy = t_div(hashed_tensor("R", SHAPE(2, 32, 512), seed_of("full"), 100, t_float32), 64);
    run.module = &model->base;
    for (int i = 0; i < 2; i++) {
        fixed = i == 1;
        run.name = fixed ? "32tF" : "32t";
        t_manual_seed(DROPOUT_SEED);
        Tensor *y = transformer_encoder_call(model, ids, fixed ? mask : NULL);
        port_compare(&port, &run, y);
        t_backward(y, dy);
        run_compare_gradients(&run, NULL);
        nn_zero_grad(model);
    }
    fixed = false;
    report_notes();
}
END_TEST

START_TEST(the_demonstration_gives_pytorchs_values) {
    if (emulated("the demonstration of the packed projections, of 1600 tokens (64 go through the same model)")) return;
    const char *section = port_section(&port, "demo");
    for (int i = 0; i < 2; i++) {
        fixed = i == 1;
        with_scope() {
            t_manual_seed(INIT_SEED);
            TransformerEncoder *model = transformer_encoder(10000, 512, 6, 8, 0.1);
            Tensor *x = t_randint(0, 10000, 32, 50);
            with_no_grad ()
                matches_recorded("demo", transformer_encoder_call(model, x, NULL), section, fixed ? "yF" : "y", VALUE);
        }
    }
    matches_recorded("the numbers after it", t_rand(2), section, "next", EXACT);
    fixed = false;
    report_notes();
}
END_TEST

/* ---- the defect: which outputs move when token 2 changes ---- */

START_TEST(tokens_see_each_other_when_fixed_only) {
    const char *section = port_section(&port, "mixing");
    for (int i = 0; i < 2; i++) {
        fixed = i == 1;
        t_manual_seed(INIT_SEED);
        TransformerEncoder *model = nn_eval(transformer_encoder(100, 32, 2, 4, 0.1));
        Tensor *x = t_randint(0, 100, 1, 6), *y = t_clone(x);
        t_set(y, "0, 2", t_remainder(t_add(t_at(y, "0, 2"), 1), 100));
        Tensor *before = transformer_encoder_call(model, x, NULL), *after = transformer_encoder_call(model, y, NULL);
        Tensor *d = t_at(t_amax(t_abs(t_sub(before, after)), -1), "0");
        matches_recorded("changes", d, section, fixed ? "changesF" : "changes", VALUE);
        HOLDS(t_item(t_at(d, "2")) > 1);
        if (fixed) HOLDS(t_item(t_min(d)) > 0.1);
        else HOLDS(t_item(t_max(t_at(d, ":2"))) == 0 && t_item(t_max(t_at(d, "3:"))) == 0);
    }
    fixed = false;
    report_notes();
}
END_TEST

/* ---- errors, repr ---- */

START_TEST(mistakes_are_errors) {
    Tensor *x = t_randn(2, 3, 4), *mask = t_ones(2, 1, 1, 3);
    bool failed = !multi_head_attention_call(multi_head_attention(4, 2), x, mask);
    expect_refusal(failed, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 3");
    failed = !transformer_encoder_layer_call(transformer_encoder_layer(4, 2, 0.1), x, mask);
    expect_refusal(failed, "the tutorial's layer takes no mask; with --fixed it does");
    failed = !transformer_encoder_call(transformer_encoder(11, 4, 1, 2, 0.1), t_ones(2, 3, .dtype = t_int64), mask);
    expect_refusal(failed, "the tutorial's layer takes no mask; with --fixed it does");
    failed = !nn_call(positional_encoding(4, 7), t_randn(2, 8, 4));
    expect_refusal(failed, "The size of tensor a (8) must match the size of tensor b (7) at non-singleton dimension 1");
    expect_refusal(!multi_head_attention(6, 4), "embed_size must be divisible by heads (got 6 and 4)");
    expect_refusal(!multi_head_attention(6, 0), "embed_size must be divisible by heads (got 6 and 0)");
    positional_encoding(5, 7);
    expect_error("The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  "
                 "Target sizes: [7, 2].  Tensor sizes: [7, 3]");
}
END_TEST

START_TEST(prints_as_pytorch_does) {
    char *text = nn_repr(transformer_encoder(11, 4, 2, 2, 0.25));
    const char *want = port_section(&port, "repr");
    size_t length = strlen(text);
    ck_assert_msg(strncmp(text, want, length) == 0 && want[length] == '\n', "%s\nis not\n%s", text, want);
    free(text);
}
END_TEST

PORT_SUITE("packed_qkv", small_models_give_pytorchs_values, full_model_gives_pytorchs_values,
           the_demonstration_gives_pytorchs_values, tokens_see_each_other_when_fixed_only, mistakes_are_errors,
           prints_as_pytorch_does)
