/* nn/feed_forward.c: the feed-forward network of a Transformer layer. */
#include <string.h>

#include "nn/activations.h"
#include "nn/linear_internal.h"
#include "nn/module_internal.h"
#include "nn/transformer.h"

/* fc2(dropout(activation(fc1(x)))): in one go where these are the plain modules. */
static Tensor *feed_forward_call(void *module, Tensor *x) {
    nn_FeedForward *self = module;
    const nn_Linear *fc1 = self->fc1, *fc2 = self->fc2;
    const nn_Dropout *dropout = self->dropout;
    tg_FeedForward network = {.activation = tg_activation_of(self->activation)};
    if (network.activation && tg_is_linear(&fc1->base) && tg_is_linear(&fc2->base) && tg_is_dropout(&dropout->base)) {
        network = (tg_FeedForward){fc1->weight, fc1->bias, fc2->weight, fc2->bias, network.activation, dropout->base.training ? dropout->p : 0};
        if (tg_can_feed_forward(x, &network)) return tg_feed_forward(x, &network);
    }
    x = nn_call(self->fc1, x);
    x = nn_call(self->activation, x);
    return nn_call(self->fc2, nn_call(self->dropout, x));
}

/* NULL, an option that was not set, is relu. */
static nn_Module *activation_of(const char *name) {
    if (!name || strcmp(name, "relu") == 0) return (nn_Module *)nn_ReLU_new(false);
    if (strcmp(name, "gelu") == 0) return (nn_Module *)nn_GELU_new(NULL);
    return tg_fail("activation should be relu/gelu, not %s", name);
}

/* Draws fc1, fc2. */
nn_FeedForward *nn_FeedForward_new(int64_t d_model, int64_t d_ff, const nn_FeedForwardOptions *options) {
    nn_FeedForwardOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Making making = tg_begin();
    nn_FeedForward *self = (nn_FeedForward *)nn_module_new(sizeof *self, "nn_FeedForward", feed_forward_call);
    if (self) {
        TG_SET(self, fc1, nn_Linear_new(d_model, d_ff, NULL));
        TG_SET(self, fc2, nn_Linear_new(d_ff, d_model, NULL));
        TG_SET(self, dropout, nn_Dropout_new(o.dropout));
        TG_SET(self, activation, activation_of(o.activation));
    }
    return tg_end(making, self);
}
