/* nn/transformer/feed_forward.c: the feed-forward network of a Transformer layer, composed of modules or fused. */
#include <string.h>

#include "nn/modules/activations.h"
#include "nn/transformer/transformer_internal.h"
#include "nn/modules/plain_modules_internal.h"

/* Fused if all of these are the library's own modules. */
Tensor *tg_run_feed_forward(const tg_FeedForwardParts *p, Tensor *x) {
    const nn_Linear *linear1 = p->linear1, *linear2 = p->linear2;
    if (p->kind && tg_is_linear(&linear1->base) && tg_is_linear(&linear2->base) && tg_is_dropout(&p->dropout->base)) {
        const tg_FeedForward network = {linear1->weight, linear1->bias, linear2->weight, linear2->bias, p->kind,
                                        p->dropout->base.training ? p->dropout->p : 0};
        if (tg_can_feed_forward(x, &network)) return tg_feed_forward(x, &network);
    }
    x = nn_call(p->linear1, x);
    x = p->activation ? nn_call(p->activation, x) : x ? p->function(x) : NULL;
    return nn_call(p->linear2, nn_call(p->dropout, x));
}

/* fc2(dropout(activation(fc1(x)))) */
static Tensor *feed_forward_call(void *module, Tensor *x) {
    nn_FeedForward *self = module;
    const tg_FeedForwardParts parts = {self->fc1,        self->fc2, self->dropout,
                                       self->activation, NULL,      tg_activation_of(self->activation)};
    return tg_run_feed_forward(&parts, x);
}

/* NULL, the default, is relu. */
static nn_Module *activation_of(const char *name) {
    if (!name || strcmp(name, "relu") == 0) return (nn_Module *)nn_ReLU_new(false);
    if (strcmp(name, "gelu") == 0) return (nn_Module *)nn_GELU_new(NULL);
    return tg_fail("activation should be relu/gelu, not %s", name);
}

/* Draws random numbers for fc1, then fc2. */
nn_FeedForward *nn_FeedForward_new(int64_t d_model, int64_t d_ff, const nn_FeedForwardOptions *options) {
    if (!tg_check_required("d_model d_ff", (int64_t[]){d_model, d_ff})) return NULL;
    nn_FeedForwardOptions o = {.size = sizeof o, .dropout = 0.1, .activation = "relu"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_FeedForward *self = (nn_FeedForward *)nn_module_new(sizeof *self, "nn_FeedForward", feed_forward_call);
    if (self) {
        TG_SET(self, fc1, nn_Linear_new(d_model, d_ff, NULL));
        TG_SET(self, fc2, nn_Linear_new(d_ff, d_model, NULL));
        TG_SET(self, dropout, nn_Dropout_new(o.dropout));
        TG_SET(self, activation, activation_of(o.activation));
    }
    return tg_construct_end(construction, self);
}
