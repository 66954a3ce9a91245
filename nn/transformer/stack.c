/* nn/transformer/stack.c: the loop over the layers of an encoder or a decoder, of either Transformer family. */
#include "nn/transformer/transformer_internal.h"

Tensor *tg_run_stack(const tg_Stack *stack, Tensor *x, t_TensorList *self_weights, t_TensorList *cross_weights) {
    const bool has_options = stack->has_masks || self_weights || cross_weights;
    for (nn_Entry *entry = tg_child(stack->layers->base.first); entry && x; entry = tg_child(entry->next)) {
        nn_Module *layer = (nn_Module *)entry->value;
        Tensor *on_self = NULL, *on_memory = NULL;
        if (!stack->has_own_forward(layer))
            x = stack->call_layer(stack->call, layer, x, self_weights ? &on_self : NULL,
                                  cross_weights ? &on_memory : NULL);
        else if (has_options)
            return tg_fail("the forward of %s takes no masks and returns no attention weights", layer->type);
        else x = stack->memory ? nn_call2(layer, x, stack->memory) : nn_call(layer, x);
        if (x && self_weights && !t_list_append(self_weights, on_self)) return NULL;
        if (x && cross_weights && !t_list_append(cross_weights, on_memory)) return NULL;
    }
    return x && stack->final_norm ? nn_call(stack->final_norm, x) : x;
}
