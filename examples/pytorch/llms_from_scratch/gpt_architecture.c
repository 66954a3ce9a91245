/* examples/pytorch/llms_from_scratch/gpt_architecture.c: chapter 4 of Sebastian Raschka's "Build a Large Language
 * Model (From Scratch)": the parts of a GPT and the model, which generates text before it has learnt any.
 *
 * Difficulty: **     Read first: llms_from_scratch/attention     Read next: llms_from_scratch/pretraining */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "examples/python.h"
#include "examples/pytorch/llms_from_scratch/gpt_model.h"
#include "examples/pytorch/llms_from_scratch/story.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"
#include "nn/nn.h"

static const GPTConfig GPT_CONFIG = {.vocab_size = 322,
                                     .context_length = 64,
                                     .emb_dim = 96,
                                     .n_heads = 6,
                                     .n_layers = 4,
                                     .drop_rate = 0.1,
                                     .qkv_bias = false};

/* ---- A model with empty blocks ---- */

typedef struct DummyTransformerBlock {
    nn_Module base;
} DummyTransformerBlock;

static Tensor *dummy_transformer_block_call(DummyTransformerBlock *self, Tensor *x) {
    (void)self;
    return x;
}

static DummyTransformerBlock *dummy_transformer_block(const GPTConfig *cfg) {
    (void)cfg;
    DummyTransformerBlock *self = nn_module(DummyTransformerBlock, dummy_transformer_block_call);
    return self;
}

typedef struct DummyLayerNorm {
    nn_Module base;
} DummyLayerNorm;

static Tensor *dummy_layer_norm_call(DummyLayerNorm *self, Tensor *x) {
    (void)self;
    return x;
}

static DummyLayerNorm *dummy_layer_norm(int64_t normalized_shape) {
    (void)normalized_shape;
    DummyLayerNorm *self = nn_module(DummyLayerNorm, dummy_layer_norm_call);
    return self;
}

typedef struct DummyGPTModel {
    nn_Module base;
    nn_Embedding *tok_emb, *pos_emb;
    nn_Dropout *drop_emb;
    nn_Sequential *trf_blocks;
    DummyLayerNorm *final_norm;
    nn_Linear *out_head;
} DummyGPTModel;

static Tensor *dummy_gpt_model_call(DummyGPTModel *self, Tensor *in_idx) {
    int64_t seq_len = t_size(in_idx, 1);
    Tensor *tok_embeds = nn_call(self->tok_emb, in_idx);
    Tensor *pos_embeds = nn_call(self->pos_emb, t_arange(seq_len));
    Tensor *x = t_add(tok_embeds, pos_embeds);
    x = nn_call(self->drop_emb, x);
    x = nn_call(self->trf_blocks, x);
    x = nn_call(self->final_norm, x);
    Tensor *logits = nn_call(self->out_head, x);
    return logits;
}

static DummyGPTModel *dummy_gpt_model(const GPTConfig *cfg) {
    DummyGPTModel *self = nn_module(DummyGPTModel, dummy_gpt_model_call);
    nn_set(self, tok_emb, nn_Embedding(cfg->vocab_size, cfg->emb_dim));
    nn_set(self, pos_emb, nn_Embedding(cfg->context_length, cfg->emb_dim));
    nn_set(self, drop_emb, nn_Dropout(cfg->drop_rate));
    nn_set(self, trf_blocks, nn_Sequential());
    for_range (_, cfg->n_layers) nn_append(self->trf_blocks, dummy_transformer_block(cfg));
    nn_set(self, final_norm, dummy_layer_norm(cfg->emb_dim));
    nn_set(self, out_head, nn_Linear(cfg->emb_dim, cfg->vocab_size, .bias = false));
    return self;
}

static Tensor *dummy_model(const Tokenizer *tokenizer) {
    t_TensorList *batch_list = t_list();
    const char *txt1 = "The clock in the tower";
    const char *txt2 = "She took her box of";
    t_list_append(batch_list, tokenizer_encode(tokenizer, txt1));
    t_list_append(batch_list, tokenizer_encode(tokenizer, txt2));
    Tensor *batch = t_stack(batch_list, .dim = 0);
    t_print(batch);

    t_manual_seed(123);
    DummyGPTModel *model = dummy_gpt_model(&GPT_CONFIG);
    Tensor *logits = nn_call(model, batch);
    t_print("Output shape:", t_size_repr(logits));
    t_print(logits);
    return batch;
}

/* ---- The parts ---- */

static void layer_norm_steps(void) {
    t_manual_seed(123);
    Tensor *batch_example = t_randn(2, 5);
    nn_Sequential *layer = nn_Sequential(nn_Linear(5, 6), nn_ReLU());
    Tensor *out = nn_call(layer, batch_example);
    t_print(out);
    Tensor *mean = t_mean(out, -1, .keepdim = true);
    Tensor *var = t_var(out, -1, .keepdim = true);
    t_print("Mean:\n", mean);
    t_print("Variance:\n", var);

    Tensor *out_norm = t_div(t_sub(out, mean), t_sqrt(var));
    t_print("Normalized layer outputs:\n", out_norm);
    mean = t_mean(out_norm, -1, .keepdim = true);
    var = t_var(out_norm, -1, .keepdim = true);
    t_set_printoptions(.sci_mode = false);
    t_print("Mean:\n", mean);
    t_print("Variance:\n", var);

    LayerNorm *ln = layer_norm(5);
    Tensor *out_ln = nn_call(ln, batch_example);
    mean = t_mean(out_ln, -1, .keepdim = true);
    var = t_var(out_ln, -1, .correction = 0, .keepdim = true);
    t_print("Mean:\n", mean);
    t_print("Variance:\n", var);
}

static void activations(const char *path) {
    GELU *gelu_layer = gelu();
    nn_ReLU *relu = nn_ReLU();
    Tensor *x = t_linspace(-3, 3, 100);
    Tensor *y_gelu = nn_call(gelu_layer, x);
    Tensor *y_relu = nn_call(relu, x);
    t_print(t_at(y_gelu, "::10"));
    Tensor *y[] = {y_gelu, y_relu};
    const char *const label[] = {"GELU", "ReLU"};
    plt_figure(.figsize = {8, 3});
    for_range (i, 2) {
        plt_subplot(1, 2, (int)i + 1);
        plt_plot(x, y[i]);
        plt_title(t_format("%s activation function", label[i]));
        plt_xlabel("x");
        plt_ylabel(t_format("%s(x)", label[i]));
        plt_grid();
    }
    plt_tight_layout();
    plt_savefig(path);

    FeedForward *ffn = feed_forward(&GPT_CONFIG);
    x = t_rand(2, 3, 96);
    Tensor *out = nn_call(ffn, x);
    t_print(t_size_repr(out));
}

/* ---- Shortcuts keep gradients from vanishing ---- */

typedef struct ExampleDeepNeuralNetwork {
    nn_Module base;
    bool use_shortcut;
    nn_ModuleList *layers;
} ExampleDeepNeuralNetwork;

static Tensor *example_deep_neural_network_call(ExampleDeepNeuralNetwork *self, Tensor *x) {
    for_module (layer, self->layers) {
        Tensor *layer_output = nn_call(layer, x);
        if (self->use_shortcut && t_size(x, 1) == t_size(layer_output, 1)) {
            x = t_add(x, layer_output);
        } else {
            x = layer_output;
        }
    }
    return x;
}

static ExampleDeepNeuralNetwork *example_deep_neural_network(const int64_t *layer_sizes, bool use_shortcut) {
    ExampleDeepNeuralNetwork *self = nn_module(ExampleDeepNeuralNetwork, example_deep_neural_network_call);
    self->use_shortcut = use_shortcut;
    nn_set(self, layers, nn_ModuleList());
    for_range (i, 5) nn_append(self->layers, nn_Sequential(nn_Linear(layer_sizes[i], layer_sizes[i + 1]), gelu()));
    return self;
}

static void print_gradients(ExampleDeepNeuralNetwork *model, Tensor *x) {
    Tensor *output = nn_call(model, x);
    Tensor *target = t_tensor("[[0.0]]");
    nn_MSELoss *mse_loss = nn_MSELoss();
    Tensor *loss = nn_call(mse_loss, output, target);
    t_backward(loss);
    for_named (p, nn_named_parameters(model)) {
        if (strstr(p->name, "weight")) {
            printf("%s has gradient mean of %.4e\n", p->name, t_item(t_mean(t_abs(t_grad(p->tensor)))));
        }
    }
}

static void shortcuts(void) {
    int64_t layer_sizes[] = {3, 3, 3, 3, 3, 1};
    Tensor *sample_input = t_tensor("[[1.0, 0.0, -1.0]]");
    t_manual_seed(123);
    ExampleDeepNeuralNetwork *model_without_shortcut = example_deep_neural_network(layer_sizes, false);
    print_gradients(model_without_shortcut, sample_input);
    t_manual_seed(123);
    ExampleDeepNeuralNetwork *model_with_shortcut = example_deep_neural_network(layer_sizes, true);
    print_gradients(model_with_shortcut, sample_input);
}

/* ---- The whole model ---- */

static GPTModel *whole_model(Tensor *batch) {
    t_manual_seed(123);
    Tensor *x = t_rand(2, 4, 96);
    TransformerBlock *block = transformer_block(&GPT_CONFIG);
    Tensor *output = nn_call(block, x);
    t_print("Input shape:", t_size_repr(x));
    t_print("Output shape:", t_size_repr(output));

    t_manual_seed(123);
    GPTModel *model = gpt_model(&GPT_CONFIG);
    Tensor *out = nn_call(model, batch);
    t_print("Input batch:\n", batch);
    t_print("\nOutput shape:", t_size_repr(out));
    t_print(out);

    int64_t total_params = nn_count_parameters(model, false);
    printf("Total number of parameters: %s\n", commas(total_params));
    t_print("Token embedding layer shape:", t_size_repr(model->tok_emb->weight));
    t_print("Output layer shape:", t_size_repr(model->out_head->weight));
    int64_t out_head_params = nn_count_parameters(model->out_head, false);
    int64_t total_params_tied = total_params - out_head_params;
    printf("Number of trainable parameters considering weight tying: %s\n", commas(total_params_tied));
    int64_t total_size_bytes = total_params * 4;
    double total_size_mb = (double)total_size_bytes / (1024 * 1024);
    printf("Total size of the model: %.2f MB\n", total_size_mb);
    return model;
}

static void generating(GPTModel *model, const Tokenizer *tokenizer) {
    const char *start_context = "She took her box";
    Tensor *encoded = tokenizer_encode(tokenizer, start_context);
    t_print("encoded:", ids_str(encoded));
    Tensor *encoded_tensor = t_unsqueeze(encoded, 0);
    t_print("encoded_tensor.shape:", t_size_repr(encoded_tensor));
    nn_eval(model);
    Tensor *out = generate_text_simple(model, encoded_tensor, 10, GPT_CONFIG.context_length);
    t_print("Output:", out);
    t_print("Output length:", t_size(out, 1));
    const char *decoded_text = tokenizer_decode(tokenizer, t_squeeze(out, 0));
    t_print(decoded_text);
}

static void run(const char *path) {
    Tokenizer tokenizer = tokenizer_new(STORY);
    Tensor *batch = dummy_model(&tokenizer);
    layer_norm_steps();
    activations(path);
    shortcuts();
    GPTModel *model = whole_model(batch);
    generating(model, &tokenizer);
}

int main(void) {
    char folder[] = "/tmp/gpt_architecture-XXXXXX", path[64];
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    snprintf(path, sizeof path, "%s/gelu.svg", folder);
    run(path);
    remove(path);
    rmdir(folder);
    return 0;
}
