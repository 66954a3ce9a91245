/* nn/transformer/stack.c: the loop over the layers of an encoder or a decoder, of either Transformer family. */
#include "nn/transformer/transformer_internal.h"

static Tensor *call_layer(const tg_Stack *stack, nn_Module *layer, Tensor *x, Tensor **on_self, Tensor **on_memory) {
    if (!stack->has_own_forward(layer)) return stack->call_layer(stack->call, layer, x, on_self, on_memory);
    if (stack->has_masks || on_self || on_memory)
        return tg_fail("the forward of %s takes no masks and returns no attention weights", layer->type);
    return stack->memory ? nn_call2(layer, x, stack->memory) : nn_call(layer, x);
}

static Tensor *run_layers(const tg_Stack *stack, Tensor *x, t_TensorList *self_weights, t_TensorList *cross_weights) {
    for (nn_Entry *entry = tg_child(stack->layers->base.first); entry && x; entry = tg_child(entry->next)) {
        nn_Module *layer = (nn_Module *)entry->value;
        Tensor *on_self = NULL, *on_memory = NULL;
        x = call_layer(stack, layer, x, self_weights ? &on_self : NULL, cross_weights ? &on_memory : NULL);
        if (x && self_weights && !t_list_append(self_weights, on_self)) return NULL;
        if (x && cross_weights && !t_list_append(cross_weights, on_memory)) return NULL;
    }
    return x;
}

Tensor *tg_run_stack(const tg_Stack *stack, Tensor *x, t_TensorList *self_weights, t_TensorList *cross_weights) {
    x = run_layers(stack, x, self_weights, cross_weights);
    return x && stack->final_norm ? nn_call(stack->final_norm, x) : x;
}
