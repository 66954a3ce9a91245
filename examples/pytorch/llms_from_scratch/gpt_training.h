/* examples/pytorch/llms_from_scratch/gpt_training.h: the functions of chapter 5, which chapters 6 and 7 use again. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_GPT_TRAINING_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_GPT_TRAINING_H

#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/plot/plot.h"
#include "examples/pytorch/llms_from_scratch/gpt_model.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"
#include "nn/nn.h"
#include "optim/optim.h"

static inline Tensor *text_to_token_ids(const char *text, const Tokenizer *tokenizer) {
    Tensor *encoded = tokenizer_encode(tokenizer, text);
    Tensor *encoded_tensor = t_unsqueeze(encoded, 0);
    return encoded_tensor;
}

static inline const char *token_ids_to_text(Tensor *token_ids, const Tokenizer *tokenizer) {
    Tensor *flat = t_squeeze(token_ids, 0);
    return tokenizer_decode(tokenizer, flat);
}

/* ---- Losses ---- */

static inline Tensor *calc_loss_batch(Tensor *input_batch, Tensor *target_batch, GPTModel *model) {
    Tensor *logits = nn_call(model, input_batch);
    Tensor *loss = F_cross_entropy(t_flatten(logits, 0, 1), t_flatten(target_batch));
    return loss;
}

/* The mean loss of the first batches; num_batches: T_NONE for all */
static inline double calc_loss_loader(data_DataLoader *data_loader, GPTModel *model, int64_t num_batches) {
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
            Tensor *loss = calc_loss_batch(batch.x, batch.y, model);
            total_loss += t_item(loss);
        } else {
            break;
        }
    }
    return total_loss / (double)num_batches;
}

static inline double evaluate_model(GPTModel *model, data_DataLoader *train_loader, data_DataLoader *val_loader,
                                    int64_t eval_iter, double *val_loss) {
    nn_eval(model);
    double train_loss = 0;
    with_no_grad () {
        train_loss = calc_loss_loader(train_loader, model, eval_iter);
        *val_loss = calc_loss_loader(val_loader, model, eval_iter);
    }
    nn_train(model);
    return train_loss;
}

/* ---- Training ---- */

/* print(text.replace("\n", " ")) */
static inline void print_line(const char *decoded_text) {
    for (const char *p = decoded_text; *p; p++) putchar(*p == '\n' ? ' ' : *p);
    putchar('\n');
}

static inline void generate_and_print_sample(GPTModel *model, const Tokenizer *tokenizer, const char *start_context) {
    nn_eval(model);
    int64_t context_size = t_size(model->pos_emb->weight, 0);
    Tensor *encoded = text_to_token_ids(start_context, tokenizer);
    Tensor *token_ids = NULL;
    with_no_grad () {
        token_ids = generate_text_simple(model, encoded, 50, context_size);
    }
    const char *decoded_text = token_ids_to_text(token_ids, tokenizer);
    print_line(decoded_text);
    nn_train(model);
}

enum { MAX_EVALUATIONS = 256 };

typedef struct TrainingCurves {
    int64_t len;
    double train_losses[MAX_EVALUATIONS], val_losses[MAX_EVALUATIONS];
    int64_t track_tokens_seen[MAX_EVALUATIONS];
} TrainingCurves;

static inline void curves_append(TrainingCurves *self, double train_loss, double val_loss, int64_t tokens_seen) {
    if (self->len == MAX_EVALUATIONS) {
        t_fail("more than %d evaluations", MAX_EVALUATIONS);
        return;
    }
    self->train_losses[self->len] = train_loss;
    self->val_losses[self->len] = val_loss;
    self->track_tokens_seen[self->len] = tokens_seen;
    self->len++;
}

static inline TrainingCurves train_model_simple(GPTModel *model, data_DataLoader *train_loader,
                                                data_DataLoader *val_loader, optim_Optimizer *optimizer,
                                                int64_t num_epochs, int64_t eval_freq, int64_t eval_iter,
                                                const char *start_context, const Tokenizer *tokenizer) {
    TrainingCurves train_losses = {0};
    int64_t tokens_seen = 0;
    int64_t global_step = -1;

    for_range (epoch, num_epochs) {
        nn_train(model);
        for_batch (batch, train_loader) {
            optim_zero_grad(optimizer);
            Tensor *loss = calc_loss_batch(batch.x, batch.y, model);
            t_backward(loss);
            optim_step(optimizer);
            tokens_seen += t_numel(batch.x);
            global_step += 1;

            if (global_step % eval_freq == 0) {
                double val_loss, train_loss = evaluate_model(model, train_loader, val_loader, eval_iter, &val_loss);
                curves_append(&train_losses, train_loss, val_loss, tokens_seen);
                printf("Ep %d (Step %06d): Train loss %.3f, Val loss %.3f\n", (int)epoch + 1, (int)global_step,
                       train_loss, val_loss);
            }
        }

        generate_and_print_sample(model, tokenizer, start_context);
    }

    return train_losses;
}

static inline void plot_losses(Tensor *epochs_seen, Tensor *train_losses, Tensor *val_losses, const char *path) {
    plt_figure(.figsize = {5, 3});
    plt_plot(epochs_seen, train_losses, .label = "Training loss");
    plt_plot(epochs_seen, val_losses, .linestyle = "-.", .label = "Validation loss");
    plt_xlabel("Epochs");
    plt_ylabel("Loss");
    plt_legend(.loc = "upper right");
    plt_tight_layout();
    plt_savefig(path);
}

/* ---- Sampling ---- */

/* top_k, eos_id: T_NONE for none; temperature 0: the likeliest token */
static inline Tensor *generate(GPTModel *model, Tensor *idx, int max_new_tokens, int64_t context_size,
                               double temperature, int64_t top_k, int64_t eos_id) {
    for_range (_, max_new_tokens) {
        Tensor *idx_cond = t_at(idx, ":, -{}:", context_size);
        Tensor *idx_next, *logits = NULL;
        with_no_grad () {
            logits = nn_call(model, idx_cond);
        }
        logits = t_at(logits, ":, -1, :");
        if (top_k != T_NONE) {
            Tensor *top_logits = t_topk(logits, top_k);
            Tensor *min_val = t_at(top_logits, ":, -1");
            logits = t_where(t_lt(logits, min_val), -INFINITY, logits);
        }
        if (temperature > 0.0) {
            logits = t_div(logits, temperature);
            Tensor *probs = t_softmax(logits, -1);
            idx_next = t_multinomial(probs, .num_samples = 1);
        } else {
            idx_next = t_argmax(logits, -1, .keepdim = true);
        }
        if (t_item_int64(idx_next) == eos_id) {
            break;
        }
        t_keep_as(&idx, t_cat(t_list(idx, idx_next), .dim = 1));
    }
    return idx;
}

#endif
