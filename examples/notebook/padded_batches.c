/* examples/notebook/padded_batches.c: not the notebook's. Its text speaks of padding masks and of watching the
 * gradients, and it makes a validation set; there is no code for any of them. Here they are, in a small fixed setting
 * each, on the notebook's classes, after what --fixed changes in the attention.
 *
 * Shapes: B sequences, S tokens of the longest, C classes. */
#include <math.h>

#include "notebook.h"

static Tensor *logits_of(EncoderClassifier *model, Tensor *ids, Tensor *mask) {
    t_TensorList *attention_weights;
    return encoder_classifier_call(model, ids, mask, &attention_weights);
}

/* ---- what --fixed repairs in the attention ----
 * No cell shows it: they print no weights drawn in training mode, attend to no other sequence and pass no mask. */

/* An error handler, so that an error does not end the program; errors that follow for lack of a tensor do not count. */
static void say_refused(const char *text, void *context) {
    bool *refused = context;
    (void)text;
    if (!*refused) printf("refused, %s\n", t_error_message());
    *refused = true;
}

static void attempt(MultiHeadAttention *mha, const char *what, Tensor *query, Tensor *key, Tensor *mask) {
    bool refused = false;
    Tensor *weights;
    printf("%s:\n", what);
    t_set_error_handler(say_refused, &refused);
    multi_head_attention_call(mha, query, key, key, mask, &weights);
    t_set_error_handler(NULL, NULL);
    t_clear_error();
    if (!refused) printf("attention weights of shape %s\n", t_size_repr(weights));
}

void repairs(void) {
    t_manual_seed(42);
    MultiHeadAttention *mha = multi_head_attention(128, 4, 0.1);
    Tensor *x = t_randn(2, 10, 128), *other = t_randn(2, 7, 128), *weights;
    printf("\n---- attention, %s ----\n", fixed ? "repaired" : "as the notebook has it (--fixed repairs it)");
    multi_head_attention_call(mha, x, x, x, NULL, &weights);
    Tensor *sums = t_sum(weights, -1);
    printf("rows of the weights, in training mode, sum to %.4f at least, ", t_item(t_min(sums)));
    printf("%.4f at most\n", t_item(t_max(sums)));
    attempt(mha, "10 queries and 7 keys", x, other, NULL);
    attempt(mha, "one mask for the whole batch", x, x, t_tril(t_ones(10, 10)));
}

/* ---- padded batches ---- */

/* The data never have token 0 (randint starts at 1), so it can be the padding. */
Tensor *collate(const t_TensorList *sequences, Tensor **mask) {
    int64_t longest = 0;
    for (int64_t i = 0; i < sequences->len; i++) {
        int64_t length = t_size(sequences->items[i], 0);
        if (length > longest) longest = length;
    }
    Tensor *ids = t_zeros(sequences->len, longest, .dtype = t_int64);
    for (int64_t i = 0; i < sequences->len; i++)
        t_set(ids, "{}, :{}", i, t_size(sequences->items[i], 0), sequences->items[i]);
    *mask = t_ne(ids, 0);
    return ids;
}

/* Each sequence alone, without padding or mask, is what its row of the batch ought to give. */
static Tensor *logits_alone(EncoderClassifier *model, const t_TensorList *sequences) {
    t_TensorList *rows = t_list();
    for (int64_t i = 0; i < sequences->len; i++)
        t_list_append(rows, logits_of(model, t_unsqueeze(sequences->items[i], 0), NULL));
    return t_cat(rows, 0);
}

Tensor *padded_batches(EncoderClassifier *model) {
    static const int64_t lengths[] = {5, 12, 7, 9};
    bool was_fixed = fixed;
    t_manual_seed(42);
    t_TensorList *sequences = t_list();
    for (int i = 0; i < 4; i++) t_list_append(sequences, t_randint(1, 50, lengths[i]));
    Tensor *mask, *ids = collate(sequences, &mask);
    printf("\n---- padded batches ----\nfour sequences in one batch, token 0 behind the shorter ones:\n");
    puts(t_size_repr(ids));
    t_print(ids);

    Tensor *changes = NULL;
    nn_eval(model);
    with_no_grad() {
        Tensor *alone = logits_alone(model, sequences), *batched[3]; /* (B, C) each */
        fixed = false;
        batched[0] = logits_of(model, ids, NULL);
        batched[1] = logits_of(model, ids, mask);
        fixed = true;
        batched[2] = logits_of(model, ids, mask);
        fixed = was_fixed;
        t_TensorList *columns = t_list();
        for (int i = 0; i < 3; i++) t_list_append(columns, t_max(t_abs(t_sub(batched[i], alone)), 1));
        changes = t_stack(columns, 1);
    }
    printf("by how much the padding changes the logits of a sequence:\n"
           "length   no mask   mask, plain mean   mask, masked mean (--fixed)\n");
    for (int i = 0; i < 4; i++) {
        printf("%6lld", (long long)lengths[i]);
        printf("%10.4f", t_item(t_at(changes, "{}, 0", i)));
        printf("%19.4f", t_item(t_at(changes, "{}, 1", i)));
        printf("%20.4f\n", t_item(t_at(changes, "{}, 2", i)));
    }
    return changes;
}

/* ---- the validation loop ---- */

typedef struct Score {
    double loss, accuracy;
} Score;

static double count_correct(Tensor *logits, Tensor *labels) {
    return t_item(t_sum(t_eq(t_argmax(logits, 1), labels)));
}

static Score train_epoch(EncoderClassifier *model, optim_Optimizer *optimizer, data_DataLoader *loader) {
    double loss_sum = 0, correct = 0, seen = 0;
    nn_train(model);
    for_batch (batch, loader) {
        optim_zero_grad(optimizer);
        Tensor *logits = logits_of(model, batch.x, NULL);
        Tensor *loss = F_cross_entropy(logits, batch.y);
        t_backward(loss);
        optim_step(optimizer);
        loss_sum += t_item(loss) * (double)batch.size;
        correct += count_correct(logits, batch.y);
        seen += (double)batch.size;
    }
    return (Score){loss_sum / seen, correct / seen};
}

static Score validate(EncoderClassifier *model, data_DataLoader *loader) {
    double loss_sum = 0, correct = 0, seen = 0;
    nn_eval(model);
    with_no_grad() {
        for_batch (batch, loader) {
            Tensor *logits = logits_of(model, batch.x, NULL);
            loss_sum += t_item(F_cross_entropy(logits, batch.y, .reduction = "sum"));
            correct += count_correct(logits, batch.y);
            seen += (double)batch.size;
        }
    }
    return (Score){loss_sum / seen, correct / seen};
}

/* The accuracy of always giving the majority label: a useful model has to exceed it. */
static double majority_share(data_DataLoader *loader) {
    double ones = 0, seen = 0;
    for_batch (batch, loader) {
        ones += t_item(t_sum(batch.y));
        seen += (double)batch.size;
    }
    return fmax(ones, seen - ones) / seen;
}

/* In float64, so that the printed digits are the same on every processor. */
EncoderClassifier *small_classifier(void) {
    TransformerEncoder *encoder = transformer_encoder(1, 32, 4, 64, 50, 20, 0.1);
    return nn_to(encoder_classifier(encoder, 2,  32), t_float64);
}

Tensor *train_and_validate(EncoderClassifier *model, data_DataLoader *train_loader, data_DataLoader *val_loader,
                           int64_t epochs) {
    Tensor *history = t_zeros(epochs, 4, .dtype = t_float64);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.005);
    double majority = majority_share(val_loader);
    printf("epoch   loss  accuracy   validation loss  accuracy   always the majority label\n");
    for_range (epoch, 0, epochs) {
        Score train = train_epoch(model, optimizer, train_loader);
        Score val = validate(model, val_loader);
        const double row[] = {train.loss, train.accuracy, val.loss, val.accuracy};
        t_set(history, "{}", epoch, t_tensor(row, 4));
        printf("%5lld %6.4f   %6.2f%%            %6.4f   %6.2f%%                      %6.2f%%\n", (long long)epoch + 1,
               train.loss, 100 * train.accuracy, val.loss, 100 * val.accuracy, 100 * majority);
    }
    return history;
}

void validation_loop(const Data *data) {
    enum { EPOCHS = 8 };
    printf("\n---- validation ----\na smaller model, %d epochs on the notebook's data\n", EPOCHS);
    t_manual_seed(42);
    EncoderClassifier *model = small_classifier();
    Tensor *history = train_and_validate(model, data->train_loader, data->val_loader, EPOCHS);
    Tensor *epochs = t_arange(1, EPOCHS + 1);

    plt_figure(.figsize = {10, 4});
    plt_subplot(1, 2, 1);
    plt_plot(epochs, t_at(history, ":, 0"), .label = "training");
    plt_plot(epochs, t_at(history, ":, 2"), .label = "validation");
    plt_title("Loss");
    plt_xlabel("Epoch");
    plt_legend();

    plt_subplot(1, 2, 2);
    plt_plot(epochs, t_at(history, ":, 1"), .label = "training");
    plt_plot(epochs, t_at(history, ":, 3"), .label = "validation");
    plt_plot(epochs, t_full((EPOCHS,), majority_share(data->val_loader)), "k--", .label = "always the majority label");
    plt_title("Accuracy");
    plt_xlabel("Epoch");
    plt_legend();
    plt_tight_layout();
    save_plot(example.plots, "validation.svg");
    plt_show();
    printf("the training loss falls and the validation loss rises:\nit begins to learn its samples by heart, not the "
           "rule\n"
           "(train_classifier has settings that do learn it)\n");
}

/* ---- the gradients ---- */

Tensor *gradient_norms(EncoderClassifier *model) {
    nn_NamedList *parameters = nn_named_parameters(model);
    t_TensorList *norms = t_list();
    const char *names[parameters->len];
    printf("\n---- gradients ----\nthe norm of each parameter's gradient in the notebook's one step;\n"
           "a bias of the keys has none, since it moves all scores of a query alike\n");
    for (int64_t i = 0; i < parameters->len; i++) {
        const nn_Named *p = &parameters->items[i];
        Tensor *norm = t_sqrt(t_sum(t_square(t_grad(p->tensor))));
        t_list_append(norms, norm);
        names[i] = p->name;
        printf("%-44s %.6f\n", p->name, t_item(norm));
    }
    Tensor *all = t_stack(norms);
    printf("%-44s %.6f\n", "all together", t_item(t_sqrt(t_sum(t_square(all)))));

    Tensor *positions = t_arange(parameters->len);
    plt_figure(.figsize = {12, 8});
    plt_bar(positions, all);
    plt_xticks(positions, names, .rotation = 90, .fontsize = 7);
    plt_ylabel("Gradient norm");
    plt_title("Gradient norms of one step");
    plt_tight_layout();
    save_plot(example.plots, "gradient_norms.svg");
    plt_show();
    return all;
}
