/* examples/notebook: a notebook's Transformer encoder for classification, cell by cell (tutorial 002): this file has cells 1
 * and 8 to 12, encoder.c those between.
 * Difficulty: **     Reads before: backprop.c     Then: train_classifier
 *
 * Classes, variables and their order are the notebook's, functions in snake_case; under the same seed it prints the same
 * values in the same order, cell after cell. */
#include <stdio.h>
#include <string.h>

#include "notebook.h"

/* ---- 1. seeds ---- */

static void cell_1(void) {
    t_manual_seed(42);
    printf("device: cpu\n");
    printf("version: %s\n", t_version());
}

/* ---- 8. a data set ---- */

typedef struct SimpleSequenceDataset {
    int64_t num_samples, seq_len, vocab_size;
    t_TensorList *data; /* sequence 0, label 0, sequence 1, label 1, ... */
} SimpleSequenceDataset;

static int64_t simple_sequence_dataset_len(void *context) {
    SimpleSequenceDataset *self = context;
    return self->num_samples;
}

static bool simple_sequence_dataset_getitem(void *context, int64_t idx, Tensor **seq, Tensor **label) {
    SimpleSequenceDataset *self = context;
    *seq = t_list_get(self->data, 2 * idx);
    *label = t_list_get(self->data, 2 * idx + 1);
    return *seq && *label;
}

/* Label 1 if two neighbours are the same token, else 0. */
static data_Dataset *simple_sequence_dataset(SimpleSequenceDataset *self, int64_t num_samples, int64_t seq_len,
                                             int64_t vocab_size) {
    self->num_samples = num_samples;
    self->seq_len = seq_len;
    self->vocab_size = vocab_size;
    self->data = t_list();
    for_range (_, 0, num_samples) {
        Tensor *seq = t_randint(1, vocab_size, seq_len);
        int64_t label = 0;
        for_range (i, 0, t_size(seq, 0) - 1) {
            if (t_is_true(t_eq(t_at(seq, "{}", i), t_at(seq, "{}", i + 1)))) {
                label = 1;
                break;
            }
        }
        t_list_append(self->data, seq);
        t_list_append(self->data, t_integer(label));
    }
    return data_Dataset(simple_sequence_dataset_len, simple_sequence_dataset_getitem, .context = self);
}

typedef struct Data {
    SimpleSequenceDataset train, val;
    data_Dataset *train_dataset, *val_dataset;
    data_DataLoader *train_loader, *val_loader;
} Data;

static void cell_8(Data *data) {
    data->train_dataset = simple_sequence_dataset(&data->train, 1000, 20, 50);
    data->val_dataset = simple_sequence_dataset(&data->val, 200, 20, 50);
    data->train_loader = data_DataLoader(data->train_dataset, .batch_size = 32, .shuffle = true);
    data->val_loader = data_DataLoader(data->val_dataset, .batch_size = 32, .shuffle = false);
    Tensor *seq, *label;
    data_dataset_get(data->train_dataset, 0, &seq, &label);
    printf("a sequence: ");
    t_print(t_at(seq, ":10"));
    printf("its label: %d\n", (int)t_item_int64(label));
    printf("training samples: %lld\n", (long long)data_dataset_len(data->train_dataset));
    printf("validation samples: %lld\n", (long long)data_dataset_len(data->val_dataset));
}

/* ---- 9. the classifier ---- */

typedef struct EncoderClassifier {
    nn_Module base;
    TransformerEncoder *encoder;
    const char *pooling;
    nn_Sequential *classifier;
} EncoderClassifier;

static EncoderClassifier *encoder_classifier(TransformerEncoder *encoder, int64_t num_classes, int64_t d_model) {
    EncoderClassifier *self = nn_module(EncoderClassifier, NULL);
    nn_set(self, encoder, encoder);
    self->pooling = "mean";
    nn_set(self, classifier, nn_Sequential(nn_Linear(d_model, d_model / 2), nn_ReLU(), nn_Dropout(0.1),
                                           nn_Linear(d_model / 2, num_classes)));
    return self;
}

static Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *input_ids, Tensor *mask,
                                       t_TensorList **attention_weights) {
    Tensor *encoder_output = transformer_encoder_call(self->encoder, input_ids, mask, attention_weights);
    Tensor *pooled;
    if (strcmp(self->pooling, "mean") == 0) pooled = t_mean(encoder_output, 1);
    else pooled = t_at(encoder_output, ":, 0, :");
    Tensor *logits = nn_call(self->classifier, pooled);
    return logits;
}

static EncoderClassifier *cell_9(void) {
    TransformerEncoder *encoder = transformer_encoder(2, 128, 4, 256, 50, 5000, 0.1);
    EncoderClassifier *model = encoder_classifier(encoder, 2, 128);
    printf("classifier parameters: %s\n", commas(nn_count_parameters(model, false)));
    return model;
}

/* ---- 10. one training step ---- */

static void cell_10(EncoderClassifier *model, data_DataLoader *train_loader) {
    nn_train(model, true);
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.001);
    data_Batch batch = data_first(train_loader);
    Tensor *sequences = batch.x, *labels = batch.y;
    /* forward */
    optim_zero_grad(optimizer);
    t_TensorList *attention_weights;
    Tensor *logits = encoder_classifier_call(model, sequences, NULL, &attention_weights);
    Tensor *loss = nn_call(criterion, logits, labels);
    /* backward */
    t_backward(loss);
    optim_step(optimizer);
    /* how it did */
    Tensor *predicted;
    t_max(logits, 1, .indices = &predicted);
    Tensor *accuracy = t_mean(t_float(t_eq(predicted, labels)));
    printf("batch loss: %.4f\n", t_item(loss));
    printf("batch accuracy: %.2f%%\n", 100 * t_item(accuracy));
}

/* ---- 11. attention weights of one sequence ---- */

static Tensor *visualize_attention(EncoderClassifier *model, Tensor *sequence, int64_t layer_idx, int64_t head_idx) {
    Tensor *attn = NULL;
    nn_eval(model);
    with_no_grad() {
        sequence = t_unsqueeze(sequence, 0);
        t_TensorList *attention_weights;
        encoder_classifier_call(model, sequence, NULL, &attention_weights);
        attn = t_at(t_list_get(attention_weights, layer_idx), "0, {}", head_idx);
    }
    return attn;
}

static void cell_11(EncoderClassifier *model, data_Dataset *val_dataset) {
    Tensor *sample_seq, *label;
    data_dataset_get(val_dataset, 0, &sample_seq, &label);
    printf("attention of layer 0, head 0, first 10 positions:\n");
    Tensor *attn_weights = visualize_attention(model, sample_seq, 0, 0);
    t_print(t_at(attn_weights, ":10, :10"));
}

/* ---- 12. the model's parameters ---- */

static void cell_12(EncoderClassifier *model) {
    static const char rule[] = "==================================================";
    printf("%s\nparameters\n%s\n", rule, rule);
    int64_t total_params = nn_count_parameters(model, false);
    int64_t trainable_params = nn_count_parameters(model, true);
    printf("total: %s\n", commas(total_params));
    printf("trainable: %s\n", commas(trainable_params));
    printf("size: %.2f MB (float32)\n", (double)total_params * 4 / 1024 / 1024);
    printf("\nby layer:\n");
    for_named (child, nn_named_children(model)) {
        int64_t params = nn_count_parameters(child->module, false);
        if (params > 0) printf("%s: %s (%.1f%%)\n", child->name, commas(params), (double)params / (double)total_params * 100);
    }
}

int main(void) {
    Data data;
    cell_1();
    cell_2();
    cell_3();
    cell_4();
    cell_5();
    cell_6();
    cell_7();
    cell_8(&data);
    EncoderClassifier *model = cell_9();
    cell_10(model, data.train_loader);
    cell_11(model, data.val_dataset);
    cell_12(model);
    return 0;
}
