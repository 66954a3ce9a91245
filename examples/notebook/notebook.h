/* examples/notebook/notebook.h: the notebook's classes and cells ("The Transformer encoder: architecture and training",
 * tutorial 002), and what padded_batches.c adds to them. */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include "core/core.h"
#include "core/data/data.h"
#include "core/plot/plot.h"
#include "examples/example.h"
#include "examples/python.h"
#include "nn/nn.h"
#include "optim/optim.h"

extern Example example; /* the program's options */
extern bool fixed;      /* --fixed: false is the notebook unchanged, true with its mistakes repaired */

/* ---- cells 2 and 3: attention.c ---- */

/* query: (B, Sq, d); key, value: (B, Sk, d); mask: (B, Sq, Sk) or (Sq, Sk), 0 hides, or NULL; dropout on the weights,
 * or NULL. Returns (B, Sq, d); *attention_weights: (B, Sq, Sk). */
Tensor *scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, Tensor *mask, nn_Dropout *dropout,
                                     Tensor **attention_weights);

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t d_model, num_heads, d_k;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    nn_Dropout *dropout;
} MultiHeadAttention;

MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t num_heads, double dropout);
/* query, key, value: (B, S, D); mask: (B, S, S) or NULL. Returns (B, S, D); *weights: (B, H, S, S). */
Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                  Tensor **weights);

/* ---- cells 4 to 7: encoder.c ---- */

typedef struct PositionwiseFeedForward {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    nn_Dropout *dropout;
    nn_ReLU *activation;
} PositionwiseFeedForward;

PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout);
Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x);

typedef struct PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe; /* (1, max_len, D) */
} PositionalEncoding;

PositionalEncoding *positional_encoding(int64_t d_model, int64_t max_len, double dropout);
Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x);

typedef struct EncoderLayer {
    nn_Module base;
    MultiHeadAttention *self_attention;
    PositionwiseFeedForward *feed_forward;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout1, *dropout2;
} EncoderLayer;

EncoderLayer *encoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout);
/* x: (B, S, D); mask: (B, S, S) or NULL. Returns (B, S, D); *attn_weights: (B, H, S, S). */
Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **attn_weights);

typedef struct TransformerEncoder {
    nn_Module base;
    nn_Embedding *embedding;
    double embedding_scale;
    PositionalEncoding *positional_encoding;
    nn_ModuleList *layers;
    nn_LayerNorm *final_norm;
    int64_t num_layers;
} TransformerEncoder;

TransformerEncoder *transformer_encoder(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                        int64_t vocab_size, int64_t max_len, double dropout);
/* x: (B, S) token ids; mask: (B, S), 0 at padding, or NULL. *attention_weights_list: each layer's (B, H, S, S). */
Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask,
                                 t_TensorList **attention_weights_list);

/* ---- cells 8 and 9: classifier.c ---- */

typedef struct SimpleSequenceDataset {
    int64_t num_samples, seq_len, vocab_size;
    t_TensorList *data; /* sequence 0, label 0, sequence 1, label 1, ... */
} SimpleSequenceDataset;

/* Label 1 if two neighbours are the same token, else 0. The dataset keeps a pointer to self. */
data_Dataset *simple_sequence_dataset(SimpleSequenceDataset *self, int64_t num_samples, int64_t seq_len,
                                      int64_t vocab_size);

typedef struct EncoderClassifier {
    nn_Module base;
    TransformerEncoder *encoder;
    const char *pooling; /* "mean"; anything else: the first token */
    nn_Sequential *classifier;
} EncoderClassifier;

EncoderClassifier *encoder_classifier(TransformerEncoder *encoder, int64_t num_classes, int64_t d_model);
/* input_ids: (B, S); mask: (B, S), 0 at padding, or NULL. Returns (B, num_classes). */
Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *input_ids, Tensor *mask,
                                t_TensorList **attention_weights);

/* ---- cell 11: training.c ---- */

/* Draws the attention of one head to one sequence (S), and returns it: (S, S). */
Tensor *visualize_attention(EncoderClassifier *model, Tensor *sequence, int64_t layer_idx, int64_t head_idx);

/* ---- the cells that show them; what cell 8 makes is used by those after it ---- */

typedef struct Data {
    SimpleSequenceDataset train, val;
    data_Dataset *train_dataset, *val_dataset;
    data_DataLoader *train_loader, *val_loader;
} Data;

void cell_2(void);
void cell_3(void);
void cell_4(void);
void cell_5(void);
void cell_6(void);
void cell_7(void);
void cell_8(Data *data);
EncoderClassifier *cell_9(void);
void cell_10(EncoderClassifier *model, data_DataLoader *train_loader);
Tensor *cell_11(EncoderClassifier *model, data_Dataset *val_dataset);
void cell_12(EncoderClassifier *model);

/* ---- additions, which are not the notebook's: padded_batches.c ---- */

/* Tries what the notebook's attention gets wrong, and prints what comes of it. */
void repairs(void);

/* Sequences of several lengths in one batch: (B, S) token ids, padded with 0; *mask: (B, S), false at the padding. */
Tensor *collate(const t_TensorList *sequences, Tensor **mask);
/* Prints by how much the padding of a batch changes the logits of each sequence; returns the table, (sequences, 3). */
Tensor *padded_batches(EncoderClassifier *model);

/* A model small enough to be trained in a moment. */
EncoderClassifier *small_classifier(void);
/* Trains for some epochs and looks at the validation set after each. Returns (epochs, 4): loss and accuracy in
 * training, loss and accuracy in validation. */
Tensor *train_and_validate(EncoderClassifier *model, data_DataLoader *train_loader, data_DataLoader *val_loader,
                           int64_t epochs);
void validation_loop(const Data *data);

/* The gradients that the last backward pass left: prints and draws the norm of each parameter's, and returns them. */
Tensor *gradient_norms(EncoderClassifier *model);

#endif
