/* nn/deepcopy.c: copy.deepcopy of a module: a copy of the whole tree, with its own parameters and buffers. */
#include <string.h>

#include "core/ops/ops.h"
#include "nn/module/module_internal.h"
#include "nn/parametrize/parametrize.h"
#include "nn/transformer/transformer_internal.h"

/* The objects copied so far, so that an object that is in the tree twice is copied once. */
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

static void *add_copy(Copied **copied, const void *from, void *to) {
    Copied *one = to ? tg_alloc(sizeof *one) : NULL;
    if (!one) return NULL;
    *one = (Copied){*copied, from, to};
    *copied = one;
    return to;
}

static Tensor *copy_tensor(Tensor *x) {
    if (x->record)
        return tg_fail(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001");
    Tensor *y = tg_is_uninitialized(x) ? tg_empty(x->shape, x->ndim, x->dtype) : t_clone(t_detach(x));
    if (!y || (x->requires_grad && !t_requires_grad_(y, true))) return NULL;
    y->is_parameter = x->is_parameter;
    return !tg_is_uninitialized(x) || tg_make_uninitialized(y) ? y : NULL;
}

static nn_Module *copy_module(const nn_Module *self, Copied **copied);

static void *copy(nn_Kind kind, void *value, Copied **copied) {
    void *existing = value ? copy_of(*copied, value) : NULL;
    if (existing || !value) return existing;
    return kind == nn_child_kind ? copy_module(value, copied) : add_copy(copied, value, copy_tensor(value));
}

static bool register_entry(nn_Module *self, const nn_Entry *entry, void *value) {
    switch (entry->kind) {
    case nn_parameter_kind: return nn_register_parameter(self, entry->name, value);
    case nn_buffer_kind: return nn_register_buffer_as(self, entry->name, value, !entry->transient);
    case nn_child_kind: return nn_register_module(self, entry->name, value);
    default: return nn_keep(self, entry->name, value);
    }
}

/* Fields of the copied struct that point at an object of the tree are set to its copy. */
static void update_fields(nn_Module *to, const Copied *copied) {
    if (to->object.is_a == &tg_tensor_class) return;
    char *fields = (char *)to;
    for (size_t at = sizeof *to; at + sizeof(void *) <= to->bytes; at += sizeof(void *)) {
        void *field, *other;
        memcpy(&field, fields + at, sizeof field);
        if (field && (other = copy_of(copied, field))) memcpy(fields + at, &other, sizeof other);
    }
    /* as in PyTorch: see torch_transformer.h */
    if (tg_is_decoder_layer(to)) ((nn_TransformerDecoderLayer *)to)->activation = NULL;
}

static nn_Module *copy_module(const nn_Module *self, Copied **copied) {
    nn_Module *to = add_copy(copied, self, nn_module_new(self->bytes, self->type, self->forward));
    if (!to || !tg_copy_ancestors(to, self) || !tg_copy_hooks(to, self)) return NULL;
    memcpy(to + 1, self + 1, self->bytes - sizeof *self);
    to->forward2 = self->forward2;
    to->extra_repr = self->extra_repr;
    to->right_inverse = self->right_inverse;
    to->right_inverse2 = self->right_inverse2;
    to->training = self->training;
    for (const nn_Entry *entry = self->first; entry; entry = entry->next) {
        /* the value of the last call, which the next call computes again; PyTorch has none */
        const bool computed = entry->kind == nn_kept_kind && nn_utils_parametrize_is_parametrized(self, entry->name);
        void *value = computed && entry->value
                          ? add_copy(copied, entry->value, t_clone(t_detach((Tensor *)entry->value)))
                          : copy(entry->kind, entry->value, copied);
        if ((entry->value && !value) || !register_entry(to, entry, value)) return NULL;
    }
    return to;
}

/* copy.deepcopy(self): modules, parameters and buffers are copied, without their gradients; no random numbers are
 * drawn. Fields of the struct that point at one of them point at its copy; all other fields are copied as they are, so
 * that what they point at is shared. As in PyTorch the copy of a TransformerDecoderLayer computes relu instead of an
 * activation that is a module. Error: a tensor that is not a leaf. */
void *nn_deepcopy(const void *self) {
    if (!tg_check_module(self, 1)) return NULL;
    Copied *copied = NULL;
    Construction construction = tg_construct_begin();
    void *to = construction.depth ? copy_module(self, &copied) : NULL;
    for (const Copied *one = to ? copied : NULL; one; one = one->next) update_fields(one->to, copied);
    for (Copied *next; copied; copied = next) {
        next = copied->next;
        tg_free(copied, sizeof *copied);
    }
    return tg_construct_end(construction, to);
}
