/* examples/pytorch/text/transformer_language_model.c: "Language modeling with nn.Transformer", on a text of tokens that
 * the program makes: each depends on the one before, on its position and on chance.
 *
 * Difficulty: ***     Read first: learning/what_is_nn     Read next: annotated_transformer */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

enum { ntokens = 20, bptt = 35 };

/* ---- The model ---- */

typedef struct PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe;
} PositionalEncoding;

static Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    x = t_add(x, t_at(self->pe, ":{}", t_size(x, 0)));
    return nn_call(self->dropout, x);
}

static PositionalEncoding *positional_encoding(int64_t d_model, double dropout, int64_t max_len) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    nn_set(self, dropout, nn_Dropout(dropout));

    Tensor *position = t_unsqueeze(t_arange(max_len), 1);
    Tensor *div_term = t_exp(t_mul(t_arange(0, d_model, 2), -log(10000.0) / (double)d_model));
    Tensor *pe = t_zeros(max_len, 1, d_model);
    t_set(pe, ":, 0, 0::2", t_sin(t_mul(position, div_term)));
    t_set(pe, ":, 0, 1::2", t_cos(t_mul(position, div_term)));
    nn_register_buffer(self, pe, pe);
    return self;
}

typedef struct TransformerModel {
    nn_Module base;
    PositionalEncoding *pos_encoder;
    nn_TransformerEncoder *transformer_encoder;
    nn_Embedding *embedding;
    int64_t d_model;
    nn_Linear *linear;
} TransformerModel;

static Tensor *transformer_model_call(TransformerModel *self, Tensor *src, Tensor *src_mask) {
    src = t_mul(nn_call(self->embedding, src), sqrt((double)self->d_model));
    src = nn_call(self->pos_encoder, src);
    Tensor *output = nn_TransformerEncoder_call(self->transformer_encoder, src, src_mask);
    output = nn_call(self->linear, output);
    return output;
}

static void transformer_model_init_weights(TransformerModel *self) {
    double initrange = 0.1;
    t_uniform_(t_data(self->embedding->weight), -initrange, initrange);
    t_zero_(t_data(self->linear->bias));
    t_uniform_(t_data(self->linear->weight), -initrange, initrange);
}

static TransformerModel *transformer_model(int64_t ntoken, int64_t d_model, int64_t nhead, int64_t d_hid,
                                           int64_t nlayers, double dropout) {
    TransformerModel *self = nn_module2(TransformerModel, transformer_model_call);
    nn_set(self, pos_encoder, positional_encoding(d_model, dropout, 200));
    nn_TransformerEncoderLayer *encoder_layers = nn_TransformerEncoderLayer(d_model, nhead, d_hid, dropout);
    nn_set(self, transformer_encoder, nn_TransformerEncoder(encoder_layers, nlayers));
    nn_set(self, embedding, nn_Embedding(ntoken, d_model));
    self->d_model = d_model;
    nn_set(self, linear, nn_Linear(d_model, ntoken));
    transformer_model_init_weights(self);
    return self;
}

/* ---- The data ---- */

static Tensor *make_text(int64_t length) {
    Tensor *steps = t_randint(0, 3, length);
    Tensor *text = t_zeros(length, .dtype = t_int64);
    const int64_t *step = t_data_ptr(steps);
    int64_t *tokens = t_data_ptr_mut(text);
    int64_t token = 0;
    for (int64_t i = 0; i < length; i++) {
        token = (3 * token + step[i] + i / 2) % ntokens;
        tokens[i] = token;
    }
    return text;
}

static Tensor *batchify(Tensor *data, int64_t bsz) {
    int64_t seq_len = t_size(data, 0) / bsz;
    data = t_at(data, ":{}", seq_len * bsz);
    data = t_contiguous(t_t(t_view(data, bsz, seq_len)));
    return data;
}

static Tensor *get_batch(Tensor *source, int64_t i, Tensor **target) {
    int64_t left = t_size(source, 0) - 1 - i, seq_len = left < bptt ? left : bptt;
    Tensor *data = t_at(source, "{}:{}", i, i + seq_len);
    *target = t_reshape(t_at(source, "{}:{}", i + 1, i + 1 + seq_len), -1);
    return data;
}

/* ---- Training ---- */

static void train(TransformerModel *model, Tensor *train_data, optim_Optimizer *optimizer, optim_LRScheduler *scheduler,
                  int epoch) {
    nn_train(model);
    double total_loss = 0.0;
    int log_interval = 20;

    int64_t num_batches = t_size(train_data, 0) / bptt;
    for_range (i, 0, t_size(train_data, 0) - 1, bptt) {
        int64_t batch = i / bptt;
        Tensor *targets, *data = get_batch(train_data, i, &targets);
        Tensor *src_mask = nn_Transformer_generate_square_subsequent_mask(t_size(data, 0));
        Tensor *output = nn_call(model, data, src_mask);
        Tensor *output_flat = t_view(output, -1, ntokens);
        Tensor *loss = F_cross_entropy(output_flat, targets);

        optim_zero_grad(optimizer);
        t_backward(loss);
        nn_utils_clip_grad_norm_(nn_parameters(model), 0.5);
        optim_step(optimizer);

        total_loss += t_item(loss);
        if (batch % log_interval == 0 && batch > 0) {
            double lr = optim_get_last_lr(scheduler)[0];
            double cur_loss = total_loss / log_interval;
            double ppl = exp(cur_loss);
            printf("| epoch %d | %d/%d batches | lr %.2f | loss %.4f | ppl %.3f\n", epoch, (int)batch, (int)num_batches,
                   lr, cur_loss, ppl);
            total_loss = 0;
        }
    }
}

static double evaluate(TransformerModel *model, Tensor *eval_data) {
    nn_eval(model);
    double total_loss = 0.0;
    with_no_grad() {
        for_range (i, 0, t_size(eval_data, 0) - 1, bptt) {
            Tensor *targets, *data = get_batch(eval_data, i, &targets);
            int64_t seq_len = t_size(data, 0);
            Tensor *src_mask = nn_Transformer_generate_square_subsequent_mask(seq_len);
            Tensor *output = nn_call(model, data, src_mask);
            Tensor *output_flat = t_view(output, -1, ntokens);
            total_loss += (double)seq_len * t_item(F_cross_entropy(output_flat, targets));
        }
    }
    return total_loss / (double)(t_size(eval_data, 0) - 1);
}

static void run(void) {
    int64_t batch_size = 20;
    int64_t eval_batch_size = 10;
    Tensor *train_data = batchify(make_text(44000), batch_size);
    Tensor *val_data = batchify(make_text(4000), eval_batch_size);
    Tensor *test_data = batchify(make_text(4000), eval_batch_size);

    TransformerModel *model = transformer_model(ntokens, 32, 2, 64, 2, 0.1);
    double lr = 2.0;
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = lr);
    optim_LRScheduler *scheduler = optim_StepLR(optimizer, 1, .gamma = 0.95);

    double best_val_loss = INFINITY;
    int64_t best_epoch = 0;
    for_range (epoch, 1, 5) {
        train(model, train_data, optimizer, scheduler, (int)epoch);
        double val_loss = evaluate(model, val_data);
        double val_ppl = exp(val_loss);
        printf("| end of epoch %d | valid loss %.4f | valid ppl %.3f\n", (int)epoch, val_loss, val_ppl);

        if (val_loss < best_val_loss) {
            best_val_loss = val_loss;
            best_epoch = epoch;
        }

        optim_scheduler_step(scheduler);
    }

    double test_loss = evaluate(model, test_data);
    double test_ppl = exp(test_loss);
    t_print("best epoch:", best_epoch);
    printf("| end of training | test loss %.4f | test ppl %.3f\n", test_loss, test_ppl);
}

int main(void) {
    t_manual_seed(0);
    run();
    return 0;
}
