/* examples/notebook/classifier.c: cells 8 and 9, a data set and the classifier for it. */
#include "notebook.h"

/* ---- 8. a data set ---- */

static int64_t simple_sequence_dataset_len(void *context);
static bool simple_sequence_dataset_getitem(void *context, int64_t idx, Tensor **seq, Tensor **label);

data_Dataset *simple_sequence_dataset(SimpleSequenceDataset *self, int64_t num_samples, int64_t seq_len,
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

void cell_8(Data *data) {
    data->train_dataset = simple_sequence_dataset(&data->train, 1000, 20, 50);
    data->val_dataset = simple_sequence_dataset(&data->val, 200, 20, 50);
    data->train_loader = data_DataLoader(data->train_dataset, .batch_size = 32, .shuffle = true);
    data->val_loader = data_DataLoader(data->val_dataset, .batch_size = 32, .shuffle = false);
    Tensor *seq, *label;
    data_dataset_get(data->train_dataset, 0, &seq, &label);
    printf("a sequence: %s...\n", t_str(t_at(seq, ":10")));
    t_print("its label:", t_item_int64(label));
    t_print("training samples:", data_dataset_len(data->train_dataset));
    t_print("validation samples:", data_dataset_len(data->val_dataset));
}

/* ---- 9. the classifier ---- */

EncoderClassifier *encoder_classifier(TransformerEncoder *encoder, int64_t num_classes, int64_t d_model) {
    EncoderClassifier *self = nn_module(EncoderClassifier, NULL);
    nn_set(self, encoder, encoder);
    self->pooling = "mean";
    nn_set(self, classifier, nn_Sequential(nn_Linear(d_model, d_model / 2), nn_ReLU(), nn_Dropout(0.1),
                                           nn_Linear(d_model / 2, num_classes)));
    return self;
}

/* The mean over the positions that the mask (B, S) shows; 0 where it shows none. */
static Tensor *masked_mean(Tensor *x, Tensor *mask) {
    Tensor *shown = t_to(t_unsqueeze(t_ne(mask, 0), -1), t_dtype(x)); /* (B, S, 1) */
    return t_div(t_sum(t_mul(x, shown), 1), t_clamp(t_sum(shown, 1), 1, NULL));
}

Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *input_ids, Tensor *mask,
                                t_TensorList **attention_weights) {
    Tensor *encoder_output =
        transformer_encoder_call(self->encoder, input_ids, mask, attention_weights);                     /* (B, S, D) */
    Tensor *pooled;                                                                                      /* (B, D) */
    if (strcmp(self->pooling, "mean") == 0) {
        /* The notebook's mean counts the padding too, so that the logits of a sequence depend on what it is batched
         * with. With --fixed only what the mask shows counts. */
        if (fixed && mask) pooled = masked_mean(encoder_output, mask);
        else pooled = t_mean(encoder_output, 1);
    } else pooled = t_at(encoder_output, ":, 0, :");
    Tensor *logits = nn_call(self->classifier, pooled);
    return logits;
}

EncoderClassifier *cell_9(void) {
    TransformerEncoder *encoder = transformer_encoder(2, 128, 4, 256, 50, 5000, 0.1);
    EncoderClassifier *model = encoder_classifier(encoder, 2, 128); /* model.to(device): there is only the CPU */
    t_print("classifier parameters:", commas(nn_count_parameters(model, false)));
    return model;
}
