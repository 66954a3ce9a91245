/* tests/tutorials/char_gpt_files.c: what examples/char_gpt reads and writes: weights under GPT-2's names, compared with
 * PyTorch's values (golden/record_gpt.py), the text and its vocabulary, and checkpoints from which a run resumes. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/char_gpt/char_gpt.h"
#include "tests/tutorials/port.h"

static const GPTConfig sizes = {11, 8, 8, 2, 2, 0}, sizes_with_dropout = {11, 8, 8, 2, 2, 0.25};

/* ---- under GPT-2's names ---- */

/* The same as record_gpt.py's conv1d_tensors(): [in, out] for the matrices of a block. */
static t_TensorDict *conv1d_tensors(void) {
    t_TensorDict *weights = t_dict();
    for_named (p, nn_named_parameters(gpt(&sizes))) {
        bool transposed = t_dim(p->tensor) == 2 && strncmp(p->name, "h.", 2) == 0;
        Tensor *x = transposed ? t_zeros(t_size(p->tensor, 1), t_size(p->tensor, 0)) : t_zeros_like(p->tensor);
        char name[128];
        snprintf(name, sizeof name, "transformer.%s", p->name);
        fill_hashed(x, "conv1d", name);
        t_dict_set(weights, name, x);
    }
    return weights;
}

static void expect_logits(GPT *model) {
    Tensor *ids = hashed_tensor("k11", SHAPE(2, 8), seed_of("conv1d"), 0, t_float32);
    matches_recorded("logits", gpt_call(model, ids, NULL), golden_case(golden_file("gpt.txt"), "conv1d"), "logits",
                     VALUE);
}

START_TEST(gpt2s_weights_are_transposed) {
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
    expect_refusal(!gpt_from_gpt2(conv1d_tensors(), 0),
                   "8 features are not a multiple of 64, the size of a head: say how many heads there are");
    expect_refusal(!gpt_from_gpt2(conv1d_tensors(), 3), "n_embd must be divisible by n_head, but they are 8 and 3");
    expect_refusal(!with_other("transformer.h.1.attn.c_attn.weight", t_zeros(24, 8)), /* as nn.Linear has it */
                   "Error(s) in loading state_dict for GPT:\n\tsize mismatch for h.1.attn.c_attn.weight: copying a "
                   "param with shape "
                   "torch.Size([8, 24]) from checkpoint, the shape in current model is torch.Size([24, 8]).");
    expect_refusal(
        !with_other("transformer.wpe.weight", t_zeros(8, 9)),
        "Error(s) in loading state_dict for GPT:\n\tsize mismatch for wpe.weight: copying a param with shape "
        "torch.Size([8, 9]) from checkpoint, the shape in current model is torch.Size([8, 8]).");
    expect_refusal(!with_other("transformer.wpe.weight", t_zeros(8)),
                   "wte.weight and wpe.weight must be matrices, but are torch.Size([11, 8]) and torch.Size([8])");
    expect_refusal(
        !with_other("transformer.h.0.attn.rotary.weight", t_zeros(1)),
        "Error(s) in loading state_dict for GPT:\n\tUnexpected key(s) in state_dict: \"h.0.attn.rotary.weight\". ");
    expect_refusal(!with_other("transformer.h.1.mlp.c_fc.bias", NULL),
                   "Error(s) in loading state_dict for GPT:\n\tMissing key(s) in state_dict: \"h.1.mlp.c_fc.bias\". ");
    expect_refusal(!with_other("lm_head.weight", t_zeros(11, 8)),
                   "lm_head.weight is not wte.weight, with which GPT-2 makes its logits");
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
    HOLDS(strstr(text, "Monday, 1 January. ") && strstr(longer, "Sunday, 28 January. ") &&
          strstr(longer, "Monday, 1 February. "));
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

/* ---- checkpoints ---- */

static const Recipe short_recipe = {
    .steps = 6, .warmup = 2, .lr = 0.01, .least = 0.1, .weight_decay = 0.1, .grad_clip = 1};

static void begin_short(Training *self, int64_t seed) {
    t_manual_seed(seed);
    begin_training(self, gpt(&sizes_with_dropout), &short_recipe, 8);
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

/* Half of a run, a checkpoint, and the other half in a Training that was made with other options: every bit is the
 * same. */
START_TEST(a_resumed_run_ends_with_the_same_bits) {
    static Training uninterrupted, first, second;
    char path[] = "build/char_gpt.XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    Vocabulary v = vocabulary_of("abcdefghijk\xE9"), other = vocabulary_of("abcdefghijkl");
    begin_short(&uninterrupted, 1);
    train_short(&uninterrupted, 6);
    Tensor *then = t_rand(4);
    begin_short(&first, 1);
    train_short(&first, 3);
    HOLDS(save_checkpoint(&first, &v, path));
    begin_short(&second, 2);
    train_short(&second, 1);
    t_TensorDict *checkpoint = t_load(path);
    GPTConfig config = checkpoint_config(checkpoint);
    HOLDS(config.vocab_size == 11 && config.n_positions == 8 && config.n_embd == 8 && config.n_layer == 2 &&
          config.n_head == 2);
    HOLDS(config.dropout == 0.25);
    expect_refusal(!load_checkpoint(&second, &other, checkpoint),
                   "the checkpoint was trained on other characters than this text has");
    HOLDS(second.step == 1);
    HOLDS(load_checkpoint(&second, &v, checkpoint));
    ck_assert_int_eq(second.step, 3);
    train_short(&second, 3);
    HOLDS(t_equal(t_rand(4), then) && t_equal(second.curves, uninterrupted.curves));
    HOLDS(parameter_bits(second.model) == parameter_bits(uninterrupted.model));
    HOLDS(parameter_bits(first.model) != parameter_bits(uninterrupted.model));
    remove(path);
}
END_TEST

PORT_SUITE("char_gpt_files", gpt2s_weights_are_transposed, wrong_files_are_refused, the_text_is_always_the_same,
           a_resumed_run_ends_with_the_same_bits)
