/* examples/notebook/notebook.h: what the notebook's two parts share. */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include "core/core.h"
#include "core/data/data.h"
#include "examples/python.h"
#include "nn/nn.h"
#include "optim/optim.h"

typedef struct PositionalEncoding PositionalEncoding;

/* Cell 7's encoder; its parts, cells 2 to 6, stand before it in encoder.c. */
typedef struct TransformerEncoder {
    nn_Module base;
    nn_Embedding *embedding;
    double embedding_scale;
    PositionalEncoding *positional_encoding;
    nn_ModuleList *layers;
    nn_LayerNorm *final_norm;
    int64_t num_layers;
} TransformerEncoder;

TransformerEncoder *transformer_encoder(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff, int64_t vocab_size,
                                        int64_t max_len, double dropout);
Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask, t_TensorList **attention_weights_list);

void cell_2(void);
void cell_3(void);
void cell_4(void);
void cell_5(void);
void cell_6(void);
void cell_7(void);

#endif
