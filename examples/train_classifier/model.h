/* examples/train_classifier/model.h: the classifier: an encoder, a pooling of its hidden states, and two linear
 * layers. */
#ifndef TRAIN_CLASSIFIER_MODEL_H
#define TRAIN_CLASSIFIER_MODEL_H

#include "nn/nn.h"
#include "options.h"

typedef struct EncoderClassifier {
    nn_Module base;
    nn_Encoder *encoder;
    const char *pooling;
    nn_Sequential *classifier;
} EncoderClassifier;

EncoderClassifier *encoder_classifier(const Options *options);

/* ids: (B, S) -> logits (B, 2). *attention_weights, unless NULL, gets each layer's (B, H, S, S). */
Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *ids, t_TensorList **attention_weights);

void print_parameters(EncoderClassifier *model);                /* the notebook's statistics */
void print_gradient_norms(EncoderClassifier *model);            /* one for each child of the encoder, and the head */
void draw_attention(EncoderClassifier *model, Tensor *sequence); /* a picture of layer 0, head 0 of one sequence */

#endif
