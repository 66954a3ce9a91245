/* core/autograd/saved_hooks_internal.h: packed saved tensors (internal; saved_tensors_hooks.c). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_SAVED_HOOKS_INTERNAL_H
#define TAPEGRAD_CORE_AUTOGRAD_SAVED_HOOKS_INTERNAL_H

#include "core/autograd/saved_tensors_hooks.h"
#include "core/autograd/tape.h"

/* A pair of hooks, in force or not. The root scope owns it while it is in force, each tensor packed by it always. */
typedef struct SavedHooks {
    t_Object object;
    struct SavedHooks *outer; /* with a reference */
    t_PackHook *pack;
    t_UnpackHook *unpack;
    void *context;
    bool reads_values; /* pack looks at the values of the tensors */
    t_Object *owned; /* released with it; NULL for the user's */
} SavedHooks;

/* The part of a Saved that only a packed one needs. */
struct Packed {
    SavedHooks *hooks;
    Record *record; /* of the tensor that was packed, or */
    Tensor *leaf;   /* that tensor, a leaf that requires grad */
    int64_t version; /* of the storage that the packed tensor shares with it; -1: it shares none */
    Tensor *unpacked; /* while the rule of the record runs */
    t_DType dtype;
    int ndim;
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
};

/* Puts hooks in force; owned gets a reference. NULL on out of memory. */
SavedHooks *tg_enter_saved_hooks(t_PackHook *pack, t_UnpackHook *unpack, void *context, t_Object *owned);
void tg_exit_saved_hooks(void);

/* What the pack hooks in force return for the tensors that the record of y will save, NULL for NULL. Hooks may fail or
 * leave by longjmp, and so are called before there is a record. NULL with an error set. */
t_TensorList *tg_pack_all(Tensor **saved, int count, const Tensor *y);
/* Saves x, as the packed tensor. */
bool tg_save_packed(Saved *saved, Tensor *x, const Tensor *y, Tensor *packed);
Tensor *tg_unpack(Record *r, Saved *saved);
void tg_free_packed(Saved *saved);
/* After the rule of r: drops what tg_unpack returned, but for its owner in the current scope. */
void tg_forget_unpacked(Record *r);
/* x is about to be overwritten: if the packed tensor shares its memory, it is replaced by a copy. */
bool tg_copy_packed(Saved *saved, const Tensor *x);

#endif
