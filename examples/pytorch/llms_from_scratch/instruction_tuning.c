/* examples/pytorch/llms_from_scratch/instruction_tuning.c: chapter 7 of Sebastian Raschka's "Build a Large Language
 * Model (From Scratch)": requests and answers in one text, batches of several lengths, padding that does not count in
 * the loss.
 *
 * Difficulty: ***     Read first: llms_from_scratch/spam_classifier     Read next: char_gpt */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/python/python.h"
#include "examples/pytorch/llms_from_scratch/gpt_model.h"
#include "examples/pytorch/llms_from_scratch/gpt_training.h"
#include "examples/pytorch/llms_from_scratch/instructions.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"
#include "nn/nn.h"
#include "optim/optim.h"

static GPTConfig BASE_CONFIG = {.vocab_size = 0,
                                .context_length = 80,
                                .emb_dim = 96,
                                .n_heads = 4,
                                .n_layers = 2,
                                .drop_rate = 0.0,
                                .qkv_bias = true};

/* ---- The data ---- */

static const char *format_input(const Entry *entry) {
    const char *instruction_text = t_format("Answer the request.\n\n### Instruction:\n%s", entry->instruction);
    const char *input_text = *entry->input ? t_format("\n\n### Input:\n%s", entry->input) : "";
    return t_format("%s%s", instruction_text, input_text);
}

static const char *format_response(const Entry *entry) {
    return t_format("\n\n### Response:\n%s", entry->output);
}

typedef struct InstructionDataset {
    Entries data;
    t_TensorList *encoded_texts;
} InstructionDataset;

static bool instruction_dataset_getitem(void *context, int64_t index, Tensor **x, Tensor **y) {
    InstructionDataset *self = context;
    (void)y;
    *x = t_list_get(self->encoded_texts, index);
    return true;
}

static int64_t instruction_dataset_len(void *context) {
    InstructionDataset *self = context;
    return self->data.len;
}

static data_Dataset *instruction_dataset(const Entries *data, const Tokenizer *tokenizer) {
    InstructionDataset *self = calloc(1, sizeof *self);
    if (self == NULL) return t_fail("no memory for a dataset");
    self->data = *data;
    self->encoded_texts = t_list();
    for (int entry = 0; entry < data->len; entry++) {
        const char *instruction_plus_input = format_input(&data->items[entry]);
        const char *response_text = format_response(&data->items[entry]);
        const char *full_text = t_format("%s%s", instruction_plus_input, response_text);
        t_list_append(self->encoded_texts, tokenizer_encode(tokenizer, full_text));
    }
    return data_Dataset(instruction_dataset_len, instruction_dataset_getitem, .context = self, .destroy = free);
}

/* ---- Batches of several lengths ---- */

static int64_t longest(t_TensorList *batch) {
    int64_t length = 0;
    for_list (item, batch) length = t_size(item, 0) > length ? t_size(item, 0) : length;
    return length;
}

static Tensor *custom_collate_draft_1(t_TensorList *batch, int64_t pad_token_id) {
    int64_t batch_max_length = longest(batch) + 1;
    t_TensorList *inputs_lst = t_list();
    for_list (item, batch) {
        Tensor *padding = t_full((batch_max_length - t_size(item, 0)), pad_token_id);
        Tensor *padded = t_cat(t_list(item, padding));
        Tensor *inputs = t_at(padded, ":-1");
        t_list_append(inputs_lst, inputs);
    }
    Tensor *inputs_tensor = t_stack(inputs_lst);
    return inputs_tensor;
}

static Tensor *custom_collate_draft_2(t_TensorList *batch, int64_t pad_token_id, Tensor **targets_tensor) {
    int64_t batch_max_length = longest(batch) + 1;
    t_TensorList *inputs_lst = t_list();
    t_TensorList *targets_lst = t_list();
    for_list (item, batch) {
        Tensor *padding = t_full((batch_max_length - t_size(item, 0)), pad_token_id);
        Tensor *padded = t_cat(t_list(item, padding));
        Tensor *inputs = t_at(padded, ":-1");
        Tensor *targets = t_at(padded, "1:");
        t_list_append(inputs_lst, inputs);
        t_list_append(targets_lst, targets);
    }
    Tensor *inputs_tensor = t_stack(inputs_lst);
    *targets_tensor = t_stack(targets_lst);
    return inputs_tensor;
}

/* allowed_max_length: T_NONE for any */
static Tensor *custom_collate_fn(t_TensorList *batch, int64_t pad_token_id, int64_t ignore_index,
                                 int64_t allowed_max_length, Tensor **targets_tensor) {
    int64_t batch_max_length = longest(batch) + 1;
    t_TensorList *inputs_lst = t_list();
    t_TensorList *targets_lst = t_list();
    for_list (item, batch) {
        Tensor *padding = t_full((batch_max_length - t_size(item, 0)), pad_token_id);
        Tensor *padded = t_cat(t_list(item, padding));
        Tensor *inputs = t_at(padded, ":-1");
        Tensor *targets = t_clone(t_at(padded, "1:"));

        Tensor *mask = t_eq(targets, pad_token_id);
        Tensor *indices = t_squeeze(t_nonzero(mask), 1);
        if (t_numel(indices) > 1) {
            t_set(targets, "{}", t_at(indices, "1:"), ignore_index);
        }
        if (allowed_max_length != T_NONE) {
            inputs = t_at(inputs, ":{}", allowed_max_length);
            targets = t_at(targets, ":{}", allowed_max_length);
        }
        t_list_append(inputs_lst, inputs);
        t_list_append(targets_lst, targets);
    }
    Tensor *inputs_tensor = t_stack(inputs_lst);
    *targets_tensor = t_stack(targets_lst);
    return inputs_tensor;
}

/* partial(custom_collate_fn, ...) */
typedef struct Collate {
    int64_t pad_token_id, allowed_max_length;
} Collate;

static bool customized_collate_fn(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
    Collate *bound = context;
    (void)ys;
    *x = custom_collate_fn(xs, bound->pad_token_id, -100, bound->allowed_max_length, y);
    return true;
}

static void collating(void) {
    Tensor *inputs_1 = t_tensor("[0, 1, 2, 3, 4]");
    Tensor *inputs_2 = t_tensor("[5, 6]");
    Tensor *inputs_3 = t_tensor("[7, 8, 9]");
    t_TensorList *batch = t_list(inputs_1, inputs_2, inputs_3);
    t_print(custom_collate_draft_1(batch, 99));
    Tensor *targets, *inputs = custom_collate_draft_2(batch, 99, &targets);
    t_print(inputs);
    t_print(targets);
    inputs = custom_collate_fn(batch, 99, -100, T_NONE, &targets);
    t_print(inputs);
    t_print(targets);

    Tensor *logits_1 = t_tensor("[[-1.0, 1.0], [-0.5, 1.5]]");
    Tensor *targets_1 = t_tensor("[0, 1]");
    Tensor *loss_1 = F_cross_entropy(logits_1, targets_1);
    t_print(loss_1);
    Tensor *logits_2 = t_tensor("[[-1.0, 1.0], [-0.5, 1.5], [-0.5, 1.5]]");
    Tensor *targets_2 = t_tensor("[0, 1, 1]");
    Tensor *loss_2 = F_cross_entropy(logits_2, targets_2);
    t_print(loss_2);
    Tensor *targets_3 = t_tensor("[0, 1, -100]");
    Tensor *loss_3 = F_cross_entropy(logits_2, targets_3);
    t_print(loss_3);
    t_print("loss_1 == loss_3:", t_eq(loss_1, loss_3));
}

/* ---- Responses ---- */

/* text.replace("### Response:", "").strip(), where that occurs once at most */
static const char *without_heading(const char *text) {
    const char *heading = "### Response:", *found = strstr(text, heading);
    if (found) text = t_format("%.*s%s", (int)(found - text), text, found + strlen(heading));
    while (isspace((unsigned char)*text)) text++;
    int length = (int)strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) length--;
    return t_format("%.*s", length, text);
}

static const char *generate_response(const Entry *entry, GPTModel *model, const Tokenizer *tokenizer) {
    const char *input_text = format_input(entry);
    Tensor *token_ids = generate(model, text_to_token_ids(t_format("%s\n\n### Response:\n", input_text), tokenizer), 30,
                                 BASE_CONFIG.context_length, 0.0, T_NONE, /* eos_id */ tokenizer->eot_token);
    const char *generated_text = token_ids_to_text(token_ids, tokenizer);
    const char *response_text = without_heading(generated_text + strlen(input_text));
    return response_text;
}

static int count_right(const Entries *data, GPTModel *model, const Tokenizer *tokenizer) {
    int right = 0;
    for_range (entry, data->len) {
        if (strcmp(generate_response(&data->items[entry], model, tokenizer), data->items[entry].output) == 0) {
            right += 1;
        }
    }
    return right;
}

static const char *all_text(const Entries *data) {
    const char *text = "";
    for (int entry = 0; entry < data->len; entry++)
        text = t_format("%s%s %s ", text, format_input(&data->items[entry]), data->items[entry].output);
    return text;
}

static void run(const char *picture, const char *path) {
    Entries data = instructions();
    Tokenizer tokenizer = tokenizer_new(all_text(&data));
    BASE_CONFIG.vocab_size = tokenizer.n_vocab;
    random_shuffle(data.items, data.len);
    t_print("Number of entries:", data.len);
    printf("%s%s\n", format_input(&data.items[0]), format_response(&data.items[0]));
    int train_portion = (int)(data.len * 0.85);
    int test_portion = (int)(data.len * 0.1);
    Entries train_data = entries_slice(&data, 0, train_portion);
    Entries test_data = entries_slice(&data, train_portion, train_portion + test_portion);
    Entries val_data = entries_slice(&data, train_portion + test_portion, data.len);
    t_print("Training set length:", train_data.len);
    t_print("Validation set length:", val_data.len);
    t_print("Test set length:", test_data.len);
    collating();

    Collate bound = {.pad_token_id = tokenizer.eot_token, .allowed_max_length = 80};
    t_manual_seed(123);
    data_Dataset *train_dataset = instruction_dataset(&train_data, &tokenizer);
    data_DataLoader *train_loader = data_DataLoader(train_dataset, .batch_size = 8, .collate_fn = customized_collate_fn,
                                                    .context = &bound, .shuffle = true, .drop_last = true);
    data_Dataset *val_dataset = instruction_dataset(&val_data, &tokenizer);
    data_DataLoader *val_loader =
        data_DataLoader(val_dataset, .batch_size = 8, .collate_fn = customized_collate_fn, .context = &bound);
    printf("Train loader:\n");
    Tensor *inputs = NULL, *targets = NULL;
    for_batch (batch, train_loader) {
        t_keep_as(&inputs, batch.x);
        t_keep_as(&targets, batch.y);
        t_print(t_size_repr(inputs), t_size_repr(targets));
    }
    t_print(t_at(inputs, "0"));
    t_print(t_at(targets, "0"));

    t_manual_seed(123);
    GPTModel *model = gpt_model(&BASE_CONFIG);
    nn_eval(model);
    printf("Before the training: %.60s\n", generate_response(&val_data.items[0], model, &tokenizer));
    double train_loss = 0, val_loss = 0;
    with_no_grad () {
        train_loss = calc_loss_loader(train_loader, model, 5);
        val_loss = calc_loss_loader(val_loader, model, 5);
    }
    printf("Training loss: %.4f\n", train_loss);
    printf("Validation loss: %.4f\n", val_loss);

    t_manual_seed(123);
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = 0.0015, .weight_decay = 0.1);
    int64_t num_epochs = 40;
    TrainingCurves curves = train_model_simple(model, train_loader, val_loader, optimizer, num_epochs, 40, 5,
                                               format_input(&val_data.items[0]), &tokenizer);
    Tensor *epochs_tensor = t_linspace(0, (double)num_epochs, curves.len);
    plot_losses(epochs_tensor, t_tensor(curves.train_losses, curves.len), t_tensor(curves.val_losses, curves.len),
                picture);

    nn_eval(model);
    for_range (entry, 3) {
        t_print(format_input(&test_data.items[entry]));
        t_print("Correct response:", test_data.items[entry].output);
        t_print("Model response:", generate_response(&test_data.items[entry], model, &tokenizer));
        printf("-------------------------------------\n");
    }
    t_print("Right in the training set:", count_right(&train_data, model, &tokenizer), "of", train_data.len);
    t_print("Right in the test set:", count_right(&test_data, model, &tokenizer), "of", test_data.len);
    t_save(nn_state_dict(model), path);
    nn_load_state_dict(model, t_load(path));
    t_print("After loading:", generate_response(&train_data.items[0], model, &tokenizer));
}

int main(void) {
    random_seed(123);
    char folder[] = "/tmp/instruction_tuning-XXXXXX", picture[64], path[64];
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    snprintf(picture, sizeof picture, "%s/loss.svg", folder);
    snprintf(path, sizeof path, "%s/gpt-sft.safetensors", folder);
    run(picture, path);
    remove(picture);
    remove(path);
    rmdir(folder);
    return 0;
}
