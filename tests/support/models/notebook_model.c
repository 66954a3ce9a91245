/* tests/support/models/notebook_model.c: see notebook_model.h. */
#include "tests/support/models/notebook_model.h"

const ClassifierOptions notebook_options = {2, 128, 4, 256, 50, 5000, 0.1};

Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *ids, Tensor *mask, t_TensorList **weights) {
    Tensor *x = nn_Encoder_call(self->encoder, ids, mask, weights);
    return nn_call(self->classifier, t_mean(x, 1));
}

EncoderClassifier *encoder_classifier(ClassifierOptions o) {
    EncoderClassifier *self = nn_module(EncoderClassifier, NULL);
    nn_set(self, encoder, nn_Encoder(o.num_layers, o.d_model, o.num_heads, o.d_ff, o.vocab_size, .max_len = o.max_len,
                                     .dropout = o.dropout, .norm_first = true));
    nn_set(self, classifier, nn_Sequential(nn_Linear(o.d_model, o.d_model / 2), nn_ReLU(), nn_Dropout(o.dropout),
                                           nn_Linear(o.d_model / 2, 2)));
    return self;
}

Tensor *train_step(EncoderClassifier *model, optim_Optimizer *optimizer, Tensor *ids, Tensor *labels,
                   double *accuracy) {
    optim_zero_grad(optimizer);
    Tensor *logits = encoder_classifier_call(model, ids, NULL, NULL);
    Tensor *loss = F_cross_entropy(logits, labels);
    if (!t_backward(loss) || !optim_step(optimizer)) return NULL;
    if (accuracy) *accuracy = t_item(t_mean(t_float(t_eq(t_argmax(logits, 1), labels))));
    return loss;
}
