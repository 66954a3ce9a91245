/* examples/pytorch/llms_from_scratch/spam_classifier.c: chapter 6 of Sebastian Raschka's "Build a Large Language
 * Model (From Scratch)": a pretrained model gets another head and learns to tell spam from other messages. In place of
 * GPT-2's weights, which would have to be downloaded, the model first learns to write such messages.
 *
 * Difficulty: ***     Read first: llms_from_scratch/pretraining     Read next: llms_from_scratch/instruction_tuning */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/python/python.h"
#include "examples/pytorch/llms_from_scratch/gpt_dataset.h"
#include "examples/pytorch/llms_from_scratch/gpt_model.h"
#include "examples/pytorch/llms_from_scratch/gpt_training.h"
#include "examples/pytorch/llms_from_scratch/messages.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"
#include "nn/nn.h"
#include "optim/optim.h"

static GPTConfig BASE_CONFIG = {.vocab_size = 0,
                                .context_length = 64,
                                .emb_dim = 48,
                                .n_heads = 4,
                                .n_layers = 2,
                                .drop_rate = 0.0,
                                .qkv_bias = true};

/* ---- The data ---- */

static Messages create_balanced_dataset(const Messages *all) {
    int num_spam = 0;
    for (int i = 0; i < all->len; i++) num_spam += all->rows[i].label;
    int ham_left = num_spam;
    Messages balanced = {0};
    for (int row = 0; row < all->len; row++) {
        if (all->rows[row].label == 1) {
            messages_append(&balanced, all->rows[row]);
        } else if (ham_left > 0) {
            messages_append(&balanced, all->rows[row]);
            ham_left -= 1;
        }
    }
    return balanced;
}

/* rows[first:end] */
static Messages messages_slice(const Messages *all, int first, int end) {
    Messages part = {0};
    for (int i = first; i < end; i++) messages_append(&part, all->rows[i]);
    return part;
}

static Messages random_split(Messages *all, double train_frac, double validation_frac, Messages *validation_rows,
                             Messages *test_rows) {
    random_shuffle(all->rows, all->len);
    int train_end = (int)(all->len * train_frac);
    int validation_end = train_end + (int)(all->len * validation_frac);
    Messages train_rows = messages_slice(all, 0, train_end);
    *validation_rows = messages_slice(all, train_end, validation_end);
    *test_rows = messages_slice(all, validation_end, all->len);
    return train_rows;
}

typedef struct SpamDataset {
    Messages rows;
    t_TensorList *encoded_texts;
    int64_t max_length;
    data_Dataset *dataset;
} SpamDataset;

static bool spam_dataset_getitem(void *context, int64_t index, Tensor **x, Tensor **y) {
    SpamDataset *self = context;
    *x = t_list_get(self->encoded_texts, index);
    *y = t_integer(self->rows.rows[index].label);
    return true;
}

static int64_t spam_dataset_len(void *context) {
    SpamDataset *self = context;
    return self->rows.len;
}

static int64_t spam_dataset_longest_encoded_length(SpamDataset *self) {
    int64_t max_length = 0;
    for_list (encoded_text, self->encoded_texts) {
        int64_t encoded_length = t_size(encoded_text, 0);
        if (encoded_length > max_length) {
            max_length = encoded_length;
        }
    }
    return max_length;
}

/* max_length: T_NONE for that of the longest message. The dataset releases the struct. */
static SpamDataset *spam_dataset(const Messages *rows, const Tokenizer *tokenizer, int64_t max_length) {
    SpamDataset *self = calloc(1, sizeof *self);
    if (self == NULL) return t_fail("no memory for a dataset");
    self->dataset = data_Dataset(spam_dataset_len, spam_dataset_getitem, .context = self, .destroy = free);
    self->rows = *rows;
    self->encoded_texts = t_list();
    for (int row = 0; row < rows->len; row++)
        t_list_append(self->encoded_texts, tokenizer_encode(tokenizer, rows->rows[row].text));
    if (max_length == T_NONE) {
        self->max_length = spam_dataset_longest_encoded_length(self);
    } else {
        self->max_length = max_length;
    }
    for_range (i, self->encoded_texts->len) {
        Tensor *encoded_text = t_at(t_list_get(self->encoded_texts, i), ":{}", self->max_length);
        Tensor *padding = t_full((self->max_length - t_size(encoded_text, 0)), tokenizer->eot_token);
        t_list_set(self->encoded_texts, i, t_cat(t_list(encoded_text, padding)));
    }
    return self;
}

/* ---- Accuracy and loss, of the last token's logits ---- */

static double calc_accuracy_loader(data_DataLoader *data_loader, GPTModel *model, int64_t num_batches) {
    nn_eval(model);
    int64_t correct_predictions = 0;
    int64_t num_examples = 0;
    if (num_batches == T_NONE) {
        num_batches = data_len(data_loader);
    } else {
        num_batches = num_batches < data_len(data_loader) ? num_batches : data_len(data_loader);
    }
    for_batch (batch, data_loader) {
        if (batch.index < num_batches) {
            Tensor *logits = NULL;
            with_no_grad () {
                logits = t_at(nn_call(model, batch.x), ":, -1, :");
            }
            Tensor *predicted_labels = t_argmax(logits, -1);
            num_examples += t_size(predicted_labels, 0);
            correct_predictions += t_item_int64(t_sum(t_eq(predicted_labels, batch.y)));
        } else {
            break;
        }
    }
    return (double)correct_predictions / (double)num_examples;
}

static Tensor *calc_loss_last_token(Tensor *input_batch, Tensor *target_batch, GPTModel *model) {
    Tensor *logits = t_at(nn_call(model, input_batch), ":, -1, :");
    Tensor *loss = F_cross_entropy(logits, target_batch);
    return loss;
}

static double calc_loss_loader_last_token(data_DataLoader *data_loader, GPTModel *model, int64_t num_batches) {
    double total_loss = 0.0;
    if (data_len(data_loader) == 0) {
        return NAN;
    } else if (num_batches == T_NONE) {
        num_batches = data_len(data_loader);
    } else {
        num_batches = num_batches < data_len(data_loader) ? num_batches : data_len(data_loader);
    }
    for_batch (batch, data_loader) {
        if (batch.index < num_batches) {
            Tensor *loss = calc_loss_last_token(batch.x, batch.y, model);
            total_loss += t_item(loss);
        } else {
            break;
        }
    }
    return total_loss / (double)num_batches;
}

static double evaluate_classifier(GPTModel *model, data_DataLoader *train_loader, data_DataLoader *val_loader,
                                  int64_t eval_iter, double *val_loss) {
    nn_eval(model);
    double train_loss = 0;
    with_no_grad () {
        train_loss = calc_loss_loader_last_token(train_loader, model, eval_iter);
        *val_loss = calc_loss_loader_last_token(val_loader, model, eval_iter);
    }
    nn_train(model);
    return train_loss;
}

/* ---- Training ---- */

static TrainingCurves train_classifier_simple(GPTModel *model, data_DataLoader *train_loader,
                                              data_DataLoader *val_loader, optim_Optimizer *optimizer,
                                              int64_t num_epochs, int64_t eval_freq, int64_t eval_iter) {
    TrainingCurves train_losses = {0};
    int64_t examples_seen = 0;
    int64_t global_step = -1;

    for_range (epoch, num_epochs) {
        nn_train(model);
        for_batch (batch, train_loader) {
            optim_zero_grad(optimizer);
            Tensor *loss = calc_loss_last_token(batch.x, batch.y, model);
            t_backward(loss);
            optim_step(optimizer);
            examples_seen += t_size(batch.x, 0);
            global_step += 1;

            if (global_step % eval_freq == 0) {
                double val_loss;
                double train_loss = evaluate_classifier(model, train_loader, val_loader, eval_iter, &val_loss);
                curves_append(&train_losses, train_loss, val_loss, examples_seen);
                printf("Ep %d (Step %06d): Train loss %.3f, Val loss %.3f\n", (int)epoch + 1, (int)global_step,
                       train_loss, val_loss);
            }
        }

        double train_accuracy = calc_accuracy_loader(train_loader, model, eval_iter);
        double val_accuracy = calc_accuracy_loader(val_loader, model, eval_iter);
        printf("Training accuracy: %.2f%% | Validation accuracy: %.2f%%\n", train_accuracy * 100, val_accuracy * 100);
    }

    t_print("Examples seen:", examples_seen);
    return train_losses;
}

static const char *classify_review(const char *text, GPTModel *model, const Tokenizer *tokenizer, int64_t max_length) {
    nn_eval(model);
    Tensor *input_ids = tokenizer_encode(tokenizer, text);
    int64_t supported_context_length = t_size(model->pos_emb->weight, 0);
    input_ids = t_at(input_ids, ":{}", max_length < supported_context_length ? max_length : supported_context_length);
    Tensor *padding = t_full((max_length - t_size(input_ids, 0)), tokenizer->eot_token);
    Tensor *input_tensor = t_unsqueeze(t_cat(t_list(input_ids, padding)), 0);
    Tensor *logits = NULL;
    with_no_grad () {
        logits = t_at(nn_call(model, input_tensor), ":, -1, :");
    }
    int64_t predicted_label = t_item_int64(t_argmax(logits, -1));
    return predicted_label == 1 ? "spam" : "not spam";
}

/* ---- The pretrained model, and its new head ---- */

static GPTModel *pretrain(const Messages *rows, const Tokenizer *tokenizer) {
    const char *txt = t_format("%s\n", messages_text(rows, "\n"));
    t_manual_seed(123);
    data_DataLoader *train_loader = create_dataloader_v1(txt, tokenizer, 8, BASE_CONFIG.context_length, 64, true, true);
    GPTModel *model = gpt_model(&BASE_CONFIG);
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = 0.003);
    train_model_simple(model, train_loader, train_loader, optimizer, 4, 10, 2, "See you", tokenizer);
    return model;
}

static void replace_head(GPTModel *model, const Tokenizer *tokenizer) {
    const char *text = "Is the following message spam? Answer with yes or no: You have won a phone!";
    Tensor *token_ids = generate_text_simple(model, text_to_token_ids(text, tokenizer), 10, 64);
    t_print(token_ids_to_text(token_ids, tokenizer));

    for_parameters (param, model) t_requires_grad_(param, false);
    t_manual_seed(123);
    int64_t num_classes = 2;
    nn_set(model, out_head, nn_Linear(BASE_CONFIG.emb_dim, num_classes));
    for_parameters (param, nn_get(model->trf_blocks, -1)) t_requires_grad_(param, true);
    for_parameters (param, model->final_norm) t_requires_grad_(param, true);
    nn_print(model);
    t_print("Trainable parameters:", nn_count_parameters(model, true));

    Tensor *inputs = tokenizer_encode(tokenizer, "Do you");
    inputs = t_unsqueeze(inputs, 0);
    t_print("Inputs:", inputs);
    Tensor *outputs = NULL;
    with_no_grad () {
        outputs = nn_call(model, inputs);
    }
    t_print("Outputs:\n", outputs);
    t_print("Last output token:", t_at(outputs, ":, -1, :"));
    Tensor *probas = t_softmax(t_at(outputs, ":, -1, :"), -1);
    Tensor *label = t_argmax(probas);
    t_print("Class label:", t_item_int64(label));
}

static void run(const char *picture, const char *path) {
    Messages rows = messages(600);
    Tokenizer tokenizer = tokenizer_new(messages_text(&rows, " "));
    BASE_CONFIG.vocab_size = tokenizer.n_vocab;
    for_range (row, 8) t_print(rows.rows[row].label == 1 ? "spam" : "ham ", rows.rows[row].text);
    Messages balanced = create_balanced_dataset(&rows);
    t_print(rows.len, "messages, balanced", balanced.len);
    Messages validation_rows, test_rows;
    Messages train_rows = random_split(&balanced, 0.7, 0.1, &validation_rows, &test_rows);

    SpamDataset *train_dataset = spam_dataset(&train_rows, &tokenizer, T_NONE);
    t_print("Longest:", train_dataset->max_length);
    SpamDataset *val_dataset = spam_dataset(&validation_rows, &tokenizer, train_dataset->max_length);
    SpamDataset *test_dataset = spam_dataset(&test_rows, &tokenizer, train_dataset->max_length);
    t_manual_seed(123);
    data_DataLoader *train_loader =
        data_DataLoader(train_dataset->dataset, .batch_size = 8, .shuffle = true, .drop_last = true);
    data_DataLoader *val_loader = data_DataLoader(val_dataset->dataset, .batch_size = 8);
    data_DataLoader *test_loader = data_DataLoader(test_dataset->dataset, .batch_size = 8);
    data_Batch batch = data_first(train_loader);
    Tensor *input_batch = batch.x, *target_batch = batch.y;
    t_print("Input batch dimensions:", t_size_repr(input_batch));
    t_print("Label batch dimensions", t_size_repr(target_batch));
    printf("%d training batches\n", (int)data_len(train_loader));
    printf("%d validation batches\n", (int)data_len(val_loader));
    printf("%d test batches\n", (int)data_len(test_loader));

    GPTModel *model = pretrain(&train_rows, &tokenizer);
    nn_eval(model);
    replace_head(model, &tokenizer);

    t_manual_seed(123);
    double train_accuracy = calc_accuracy_loader(train_loader, model, 10);
    double val_accuracy = calc_accuracy_loader(val_loader, model, 10);
    double test_accuracy = calc_accuracy_loader(test_loader, model, 10);
    printf("Training accuracy: %.2f%%\n", train_accuracy * 100);
    printf("Validation accuracy: %.2f%%\n", val_accuracy * 100);
    printf("Test accuracy: %.2f%%\n", test_accuracy * 100);
    double train_loss = 0, val_loss = 0, test_loss = 0;
    with_no_grad () {
        train_loss = calc_loss_loader_last_token(train_loader, model, 5);
        val_loss = calc_loss_loader_last_token(val_loader, model, 5);
        test_loss = calc_loss_loader_last_token(test_loader, model, 5);
    }
    printf("Training loss: %.3f\n", train_loss);
    printf("Validation loss: %.3f\n", val_loss);
    printf("Test loss: %.3f\n", test_loss);

    t_manual_seed(123);
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(model), .lr = 5e-4, .weight_decay = 0.1);
    int64_t num_epochs = 5;
    TrainingCurves curves = train_classifier_simple(model, train_loader, val_loader, optimizer, num_epochs, 10, 5);
    Tensor *epochs_tensor = t_linspace(0, (double)num_epochs, curves.len);
    plot_losses(epochs_tensor, t_tensor(curves.train_losses, curves.len), t_tensor(curves.val_losses, curves.len),
                picture);

    train_accuracy = calc_accuracy_loader(train_loader, model, T_NONE);
    val_accuracy = calc_accuracy_loader(val_loader, model, T_NONE);
    test_accuracy = calc_accuracy_loader(test_loader, model, T_NONE);
    printf("Training accuracy: %.2f%%\n", train_accuracy * 100);
    printf("Validation accuracy: %.2f%%\n", val_accuracy * 100);
    printf("Test accuracy: %.2f%%\n", test_accuracy * 100);

    const char *text_1 = "You are a winner! Your free cruise waits, text LUCKY to 4711.";
    t_print(classify_review(text_1, model, &tokenizer, train_dataset->max_length));
    const char *text_2 = "Are you at the bakery tonight? I have your umbrella.";
    t_print(classify_review(text_2, model, &tokenizer, train_dataset->max_length));

    t_save(nn_state_dict(model), path);
    t_TensorDict *model_state_dict = t_load(path);
    nn_load_state_dict(model, model_state_dict);
    t_print(classify_review(text_1, model, &tokenizer, train_dataset->max_length));
}

int main(void) {
    random_seed(123);
    char folder[] = "/tmp/spam_classifier-XXXXXX", picture[64], path[64];
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    snprintf(picture, sizeof picture, "%s/loss.svg", folder);
    snprintf(path, sizeof path, "%s/review_classifier.safetensors", folder);
    run(picture, path);
    remove(picture);
    remove(path);
    rmdir(folder);
    return 0;
}
