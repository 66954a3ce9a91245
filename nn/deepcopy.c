/* nn/deepcopy.c: copy.deepcopy of a module: the whole tree anew, with parameters and buffers of its own. */
#include <string.h>

#include "nn/module/module_internal.h"
#include "nn/transformer/torch_internal.h"
#include "core/ops/ops.h"

/* What was copied so far, so that what stands in the tree twice does so in the copy. */
typedef struct Copied {
    struct Copied *next;
    const void *from;
    void *to;
} Copied;

static void *copy_of(const Copied *copied, const void *from) {
    for (; copied; copied = copied->next)
        if (copied->from == from) return copied->to;
    return NULL;
}

static void *remember(Copied **copied, const void *from, void *to) {
    Copied *one = to ? tg_alloc(sizeof *one) : NULL;
    if (!one) return NULL;
    *one = (Copied){*copied, from, to};
    *copied = one;
    return to;
}

static Tensor *copy_tensor(Tensor *x) {
    if (x->record)
        return tg_fail("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
                       "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
                       "https://github.com/pytorch/pytorch/pull/103001");
    Tensor *y = t_clone(t_detach(x));
    if (!y || (x->requires_grad && !t_requires_grad_(y, true))) return NULL;
    y->is_parameter = x->is_parameter;
    return y;
}

static nn_Module *copy_module(const nn_Module *self, Copied **copied);

static void *copy(nn_Kind kind, void *value, Copied **copied) {
    void *known = value ? copy_of(*copied, value) : NULL;
    if (known || !value) return known;
    return kind == nn_child_kind ? copy_module(value, copied) : remember(copied, value, copy_tensor(value));
}

static bool enter(nn_Module *self, const nn_Entry *entry, void *value) {
    switch (entry->kind) {
    case nn_parameter_kind: return nn_register_parameter(self, entry->name, value);
    case nn_buffer_kind: return nn_register_buffer_as(self, entry->name, value, !entry->transient);
    case nn_child_kind: return nn_register_module(self, entry->name, value);
    default: return nn_keep(self, entry->name, value);
    }
}

/* The fields of a module that pointed at something in the tree point at its copy. */
static void redirect(nn_Module *to, const Copied *copied) {
    if (to->object.is_a == &tg_tensor_class) return;
    char *fields = (char *)to;
    for (size_t at = sizeof *to; at + sizeof(void *) <= to->bytes; at += sizeof(void *)) {
        void *field, *other;
        memcpy(&field, fields + at, sizeof field);
        if (field && (other = copy_of(copied, field))) memcpy(fields + at, &other, sizeof other);
    }
    if (tg_is_decoder_layer(to)) ((nn_TransformerDecoderLayer *)to)->activation = NULL; /* as PyTorch's: see torch_transformer.h */
}

static nn_Module *copy_module(const nn_Module *self, Copied **copied) {
    nn_Module *to = remember(copied, self, nn_module_new(self->bytes, self->type, self->forward));
    if (!to || !tg_copy_ancestors(to, self)) return NULL;
    memcpy(to + 1, self + 1, self->bytes - sizeof *self);
    to->forward2 = self->forward2;
    to->extra_repr = self->extra_repr;
    to->training = self->training;
    for (const nn_Entry *entry = self->first; entry; entry = entry->next) {
        void *value = copy(entry->kind, entry->value, copied);
        if ((entry->value && !value) || !enter(to, entry, value)) return NULL;
    }
    return to;
}

/* copy.deepcopy(self): modules, parameters and buffers are copied, without gradients; nothing is drawn. A field of the struct
 * that points at one of them is the copy's own; any other is taken over as it is, so that what it points at is shared. As in
 * PyTorch the copy of a TransformerDecoderLayer computes relu in the place of a module that is its activation. Error: a tensor
 * among them that is no leaf. */
void *nn_deepcopy(const void *self) {
    if (!tg_check_module(self, 1)) return NULL;
    Copied *copied = NULL;
    Making making = tg_begin();
    void *to = making.depth ? copy_module(self, &copied) : NULL;
    for (const Copied *one = to ? copied : NULL; one; one = one->next) redirect(one->to, copied);
    for (Copied *next; copied; copied = next) {
        next = copied->next;
        tg_free(copied, sizeof *copied);
    }
    return tg_end(making, to);
}
