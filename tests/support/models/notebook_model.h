/* tests/support/models/notebook_model.h: the notebook's model built from the library's modules: a pre-norm encoder, the
 * mean over positions, a head of two linear layers. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_NOTEBOOK_MODEL_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_NOTEBOOK_MODEL_H

#include "tests/support/models/model_support.h"

typedef struct EncoderClassifier {
    nn_Module base;
    nn_Encoder *encoder;
    nn_Sequential *classifier;
} EncoderClassifier;

typedef struct ClassifierOptions {
    int64_t num_layers, d_model, num_heads, d_ff, vocab_size, max_len;
    double dropout;
} ClassifierOptions;
extern const ClassifierOptions notebook_options;

EncoderClassifier *encoder_classifier(ClassifierOptions options);
/* ids: (B, S), mask: (B, S) or NULL; returns (B, 2). */
Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *ids, Tensor *mask, t_TensorList **weights);

/* zero_grad, forward, cross entropy, backward, step; returns the loss. *accuracy may be NULL. */
Tensor *train_step(EncoderClassifier *model, optim_Optimizer *optimizer, Tensor *ids, Tensor *labels,
                   double *accuracy);

#endif
