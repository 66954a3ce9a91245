/* examples/pytorch/llms_from_scratch/pretraining.c: chapter 5 of Sebastian Raschka's "Build a Large Language Model
 * (From Scratch)": the loss of generated text, training on a story until the model knows it by heart, temperature and
 * top-k, saving and loading.
 *
 * Difficulty: ***     Read first: llms_from_scratch/gpt_architecture     Read next: llms_from_scratch/spam_classifier
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/python.h"
#include "examples/pytorch/llms_from_scratch/gpt_dataset.h"
#include "examples/pytorch/llms_from_scratch/gpt_model.h"
#include "examples/pytorch/llms_from_scratch/gpt_training.h"
#include "examples/pytorch/llms_from_scratch/story.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const GPTConfig GPT_CONFIG = {.vocab_size = 322,
                                     .context_length = 32,
                                     .emb_dim = 96,
                                     .n_heads = 6,
                                     .n_layers = 3,
                                     .drop_rate = 0.1,
                                     .qkv_bias = false};

/* ---- The loss of generated text ---- */

static void text_generation_loss(GPTModel *model, const Tokenizer *tokenizer) {
    const char *start_context = "The boy came up";
    Tensor *token_ids =
        generate_text_simple(model, text_to_token_ids(start_context, tokenizer), 10, GPT_CONFIG.context_length);
    t_print("Output text:\n", token_ids_to_text(token_ids, tokenizer));

    Tensor *inputs =
        t_stack(t_list(tokenizer_encode(tokenizer, " the clock"), tokenizer_encode(tokenizer, " she looked")));
    Tensor *targets =
        t_stack(t_list(tokenizer_encode(tokenizer, " clock in"), tokenizer_encode(tokenizer, " looked up")));
    Tensor *logits = NULL;
    with_no_grad () {
        logits = nn_call(model, inputs);
    }
    Tensor *probas = t_softmax(logits, -1);
    t_print(t_size_repr(probas));
    token_ids = t_argmax(probas, -1, .keepdim = true);
    t_print("Token IDs:\n", token_ids);
    printf("Targets batch 1: %s\n", token_ids_to_text(t_at(targets, "0"), tokenizer));
    printf("Outputs batch 1: %s\n", token_ids_to_text(t_flatten(t_at(token_ids, "0")), tokenizer));

    int64_t text_idx = 0;
    Tensor *target_probas_1 = t_at(probas, "{}, [0, 1], {}", text_idx, t_at(targets, "{}", text_idx));
    t_print("Text 1:", target_probas_1);
    text_idx = 1;
    Tensor *target_probas_2 = t_at(probas, "{}, [0, 1], {}", text_idx, t_at(targets, "{}", text_idx));
    t_print("Text 2:", target_probas_2);
    Tensor *log_probas = t_log(t_cat(t_list(target_probas_1, target_probas_2)));
    t_print(log_probas);
    Tensor *avg_log_probas = t_mean(log_probas);
    t_print(avg_log_probas);
    Tensor *neg_avg_log_probas = t_mul(avg_log_probas, -1);
    t_print(neg_avg_log_probas);

    t_print("Logits shape:", t_size_repr(logits));
    t_print("Targets shape:", t_size_repr(targets));
    Tensor *logits_flat = t_flatten(logits, 0, 1);
    Tensor *targets_flat = t_flatten(targets);
    t_print("Flattened logits:", t_size_repr(logits_flat));
    t_print("Flattened targets:", t_size_repr(targets_flat));
    Tensor *loss = F_cross_entropy(logits_flat, targets_flat);
    t_print(loss);
    Tensor *perplexity = t_exp(loss);
    t_print(perplexity);
}

/* ---- Training ---- */

static GPTModel *training(GPTModel *model, const Tokenizer *tokenizer, const char *text_data, const char *path,
                          optim_Optimizer **optimizer) {
    int64_t total_characters = (int64_t)strlen(text_data);
    int64_t total_tokens = t_size(tokenizer_encode(tokenizer, text_data), 0);
    t_print("Characters:", total_characters);
    t_print("Tokens:", total_tokens);
    double train_ratio = 0.90;
    int split_idx = (int)(train_ratio * (double)strlen(text_data));
    const char *train_data = t_format("%.*s", split_idx, text_data);
    const char *val_data = text_data + split_idx;

    t_manual_seed(123);
    int64_t context_length = GPT_CONFIG.context_length;
    data_DataLoader *train_loader =
        create_dataloader_v1(train_data, tokenizer, 2, context_length, context_length, true, true);
    data_DataLoader *val_loader =
        create_dataloader_v1(val_data, tokenizer, 2, context_length, context_length, false, false);
    printf("Train loader:\n");
    for_batch (batch, train_loader) t_print(t_size_repr(batch.x), t_size_repr(batch.y));
    printf("Validation loader:\n");
    for_batch (batch, val_loader) t_print(t_size_repr(batch.x), t_size_repr(batch.y));

    t_manual_seed(123);
    double train_loss = 0, val_loss = 0;
    with_no_grad () {
        train_loss = calc_loss_loader(train_loader, model, T_NONE);
        val_loss = calc_loss_loader(val_loader, model, T_NONE);
    }
    printf("Training loss: %.4f\n", train_loss);
    printf("Validation loss: %.4f\n", val_loss);

    t_manual_seed(123);
    model = gpt_model(&GPT_CONFIG);
    *optimizer = optim_AdamW(nn_parameters(model), .lr = 0.001, .weight_decay = 0.1);
    int64_t num_epochs = 12;
    TrainingCurves curves =
        train_model_simple(model, train_loader, val_loader, *optimizer, num_epochs, 5, 5, "The boy came up", tokenizer);
    t_print("Tokens seen:", curves.track_tokens_seen[curves.len - 1]);
    Tensor *epochs_tensor = t_linspace(0, (double)num_epochs, curves.len);
    plot_losses(epochs_tensor, t_tensor(curves.train_losses, curves.len), t_tensor(curves.val_losses, curves.len),
                path);
    return model;
}

/* ---- Temperature and top-k ---- */

static const char *const WORDS[] = {"again", "bird", "box", "clock", "dust", "nest", "soup", "up", "wheel"};

static void print_sampled_tokens(Tensor *probas) {
    t_manual_seed(123);
    int64_t sample[1000];
    for_range (i, 1000) sample[i] = t_item_int64(t_multinomial(probas, .num_samples = 1));
    Tensor *sampled_ids = t_bincount(t_tensor(sample), .minlength = t_size(probas, 0));
    for_range (i, t_size(sampled_ids, 0)) printf("%d x %s\n", (int)t_item_int64(t_at(sampled_ids, "{}", i)), WORDS[i]);
}

static Tensor *softmax_with_temperature(Tensor *logits, double temperature) {
    Tensor *scaled_logits = t_div(logits, temperature);
    return t_softmax(scaled_logits, 0);
}

static void decoding_strategies(GPTModel *model, const Tokenizer *tokenizer) {
    nn_eval(model);
    Tensor *token_ids =
        generate_text_simple(model, text_to_token_ids("The boy came up", tokenizer), 25, GPT_CONFIG.context_length);
    t_print("Output text:\n", token_ids_to_text(token_ids, tokenizer));

    Tensor *next_token_logits = t_tensor("[4.2, 0.7, -1.6, 6.4, -0.3, -2.1, 1.2, 5.9, 1.8]");
    Tensor *probas = t_softmax(next_token_logits, 0);
    int64_t next_token_id = t_item_int64(t_argmax(probas));
    t_print(WORDS[next_token_id]);
    t_manual_seed(123);
    next_token_id = t_item_int64(t_multinomial(probas, .num_samples = 1));
    t_print(WORDS[next_token_id]);
    print_sampled_tokens(probas);
    const double temperatures[] = {1, 0.1, 5};
    for_range (T, 3) {
        Tensor *scaled_probas = softmax_with_temperature(next_token_logits, temperatures[T]);
        t_print(scaled_probas);
    }

    int64_t top_k = 3;
    Tensor *top_pos, *top_logits = t_topk(next_token_logits, top_k, .indices = &top_pos);
    t_print("Top logits:", top_logits);
    t_print("Top positions:", top_pos);
    Tensor *new_logits = t_where(t_lt(next_token_logits, t_at(top_logits, "-1")), -INFINITY, next_token_logits);
    t_print(new_logits);
    Tensor *topk_probas = t_softmax(new_logits, 0);
    t_print(topk_probas);

    t_manual_seed(123);
    token_ids = generate(model, text_to_token_ids("The boy came up", tokenizer), 25, GPT_CONFIG.context_length,
                         /* temperature */ 1.4, /* top_k */ 15, T_NONE);
    t_print("Output text:\n", token_ids_to_text(token_ids, tokenizer));
}

/* ---- Saving and loading ---- */

static void saving(GPTModel *model, optim_Optimizer *optimizer, const Tokenizer *tokenizer, const char *path) {
    t_save(nn_state_dict(model), path);
    model = gpt_model(&GPT_CONFIG);
    nn_load_state_dict(model, t_load(path));
    nn_eval(model);

    t_TensorDict *checkpoint = t_dict();
    t_dict_set(checkpoint, "model_state_dict", nn_state_dict(model));
    t_dict_set(checkpoint, "optimizer_state_dict", optim_state_dict(optimizer));
    t_save(checkpoint, path);
    checkpoint = t_load(path);
    model = gpt_model(&GPT_CONFIG);
    nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model_state_dict"));
    optimizer = optim_AdamW(nn_parameters(model), .lr = 5e-4, .weight_decay = 0.1);
    optim_load_state_dict(optimizer, t_dict_get_dict(checkpoint, "optimizer_state_dict"));
    nn_eval(model);
    Tensor *token_ids =
        generate(model, text_to_token_ids(" the clock", tokenizer), 15, GPT_CONFIG.context_length, 0.0, T_NONE, T_NONE);
    t_print("After loading:\n", token_ids_to_text(token_ids, tokenizer));
    t_print("Learning rate:", float_repr(optimizer->param_groups[0].lr));
}

static void run(const char *picture, const char *path) {
    Tokenizer tokenizer = tokenizer_new(STORY);
    t_manual_seed(123);
    GPTModel *model = gpt_model(&GPT_CONFIG);
    nn_eval(model);
    text_generation_loss(model, &tokenizer);
    optim_Optimizer *optimizer;
    model = training(model, &tokenizer, STORY, picture, &optimizer);
    decoding_strategies(model, &tokenizer);
    saving(model, optimizer, &tokenizer, path);
}

int main(void) {
    char folder[] = "/tmp/pretraining-XXXXXX", picture[64], path[64];
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    snprintf(picture, sizeof picture, "%s/loss.svg", folder);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    run(picture, path);
    remove(picture);
    remove(path);
    rmdir(folder);
    return 0;
}
