/* core/autograd/saved_tensors_hooks.c: torch.autograd.graph.saved_tensors_hooks: a user's functions between an op and
 * the tensors that its record saves. */
#include "core/autograd/saved_hooks_internal.h"

#include <string.h>

#include "core/autograd/arithmetic.h"

/* ---- the hooks in force ---- */

static void saved_hooks_destroy(void *object) {
    SavedHooks *hooks = object;
    tg_object_dispose(&hooks->object);
    t_release(hooks->owned);
    t_release(hooks->outer);
    tg_object_free(&hooks->object, sizeof *hooks);
}

static const t_Class saved_hooks_class = {"SavedTensorsHooks", saved_hooks_destroy};

SavedHooks *tg_enter_saved_hooks(t_PackHook *pack, t_UnpackHook *unpack, void *context, t_Object *owned) {
    SavedHooks *hooks = tg_alloc(sizeof *hooks);
    if (!hooks) return NULL;
    hooks->pack = pack;
    hooks->unpack = unpack;
    hooks->context = context;
    hooks->owned = t_retain(owned);
    hooks->outer = t_retain(tg_context()->saved_hooks);
    tg_object_init(&hooks->object, &saved_hooks_class);
    return tg_thread.saved_hooks = t_keep_forever(hooks);
}

void tg_exit_saved_hooks(void) {
    SavedHooks *hooks = tg_thread.saved_hooks;
    tg_thread.saved_hooks = hooks->outer;
    t_release(tg_take_from_scope(hooks));
}

bool t_autograd_graph_enter_saved_tensors_hooks(t_PackHook *pack_hook, t_UnpackHook *unpack_hook, void *context) {
    if (!tg_check_given(pack_hook != NULL, 1, "a function") || !tg_check_given(unpack_hook != NULL, 2, "a function"))
        return false;
    SavedHooks *hooks = tg_enter_saved_hooks(pack_hook, unpack_hook, context, NULL);
    if (hooks) hooks->reads_values = true;
    return hooks != NULL;
}

bool t_autograd_graph_exit_saved_tensors_hooks(void) {
    if (!tg_context()->saved_hooks) return tg_fail("no saved tensors hooks are in force");
    tg_exit_saved_hooks();
    return true;
}

bool tg_pack_hooks_in_force(void) {
    return tg_thread.saved_hooks && !tg_thread.saved_hooks_off && tg_thread.saved_hooks->reads_values;
}

/* ---- pack ---- */

/* hook(x) with grad mode off and no hooks in force, in the current scope. NULL with an error set. */
static Tensor *call_hook(Tensor *(*hook)(Tensor *x, void *context), Tensor *x, void *context, const char *name) {
    const int64_t failures = tg_thread.failures;
    const bool grad_enabled = t_set_grad_enabled(false), hooks_off = tg_thread.saved_hooks_off;
    const int depth = tg_scope_open_around_callback();
    tg_thread.saved_hooks_off = true;
    Tensor *result = depth ? hook(x, context) : NULL;
    bool ok = depth && !tg_failed_since(failures);
    if (ok && !result) /* a rule may ask for the next tensor after an error */
        ok = t_error() ? false : tg_fail("Output of saved tensor %s expected to be a Tensor but got result of type "
                                         "NoneType", name);
    result = tg_scope_return(depth, ok && tg_check_any(result, 1) ? result : NULL);
    tg_thread.saved_hooks_off = hooks_off;
    t_set_grad_enabled(grad_enabled);
    return result ? tg_add_to_scope(result) : NULL;
}

/* What the pack hook returns for x; it gets an alias of an output, which has no record yet. */
static Tensor *pack(Tensor *x, bool is_output) {
    const SavedHooks *hooks = tg_thread.saved_hooks;
    const int64_t version = x->storage->version;
    Tensor *given = is_output ? tg_alias(x) : x;
    Tensor *result = given ? call_hook(hooks->pack, given, hooks->context, "pack_hook") : NULL;
    if (result && x->storage->version != version)
        return tg_fail("A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
                       "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
                       "Please open an issue if you need to perform in-place operations on the input to a pack hook.");
    return result;
}

t_TensorList *tg_pack_all(Tensor **saved, int count, const Tensor *y) {
    t_TensorList *packed = tg_list_of_nulls(count);
    for (int i = 0; packed && i < count; i++) {
        if (!saved[i] || saved[i]->wrapped_number) continue; /* a number is no tensor in PyTorch */
        Tensor *result = pack(saved[i], saved[i] == y);
        if (!result) return NULL;
        packed->items[i] = t_retain(result);
    }
    return packed;
}

bool tg_save_packed(Saved *saved, Tensor *x, const Tensor *y, Tensor *packed) {
    if (!x) return true;
    struct Packed *p = tg_alloc(sizeof *p);
    if (!p) return false;
    *saved = (Saved){.tensor = t_retain(packed), .packed = p, .is_output = x == y, .is_packed = true};
    p->hooks = t_retain(tg_thread.saved_hooks);
    p->version = packed->storage == x->storage ? x->storage->version : -1;
    p->dtype = x->dtype;
    p->ndim = x->ndim;
    memcpy(p->shape, x->shape, sizeof x->shape);
    memcpy(p->strides, x->strides, sizeof x->strides);
    if (x == y) return true;
    p->record = x->record;
    tg_record_retain(p->record);
    if (x->requires_grad && !x->record) p->leaf = t_retain(x);
    return true;
}

/* Releases what the saved tensor has besides the tensor itself. */
void tg_free_packed(Saved *saved) {
    struct Packed *packed = saved->packed;
    saved->is_packed = false;
    tg_record_release(packed->record);
    t_release(packed->leaf);
    t_release(packed->unpacked);
    t_release(packed->hooks);
    tg_free(packed, sizeof *packed);
}

bool tg_copy_packed(Saved *saved, const Tensor *x) {
    if (saved->tensor->storage != x->storage) return true;
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *copy = t_clone(saved->tensor);
    t_set_grad_enabled(grad_enabled);
    if (!copy) return false;
    t_release(saved->tensor);
    saved->tensor = t_retain(copy);
    saved->packed->version = -1;
    return true;
}

/* ---- unpack ---- */

static bool check_unpacked(const struct Packed *packed, const Tensor *x) {
    const bool same = x->dtype == packed->dtype && x->ndim == packed->ndim &&
                      memcmp(x->shape, packed->shape, (size_t)x->ndim * sizeof *x->shape) == 0;
    return same || tg_fail("a saved tensor unpack_hook returned a tensor of shape %s and dtype %s, but the one that "
                           "was packed has shape %s and dtype %s", tg_shape_of(x), tg_dtype_name(x->dtype),
                           tg_shape_text(packed->shape, packed->ndim), tg_dtype_name(packed->dtype));
}

/* x with the strides of the tensor that was packed, which kernels of the backward may rely on; those of a tensor that
 * is not dense are left to be contiguous. */
static Tensor *with_layout(const struct Packed *packed, Tensor *x) {
    if (memcmp(x->strides, packed->strides, (size_t)x->ndim * sizeof *x->strides) == 0) return tg_alias(x);
    const Tensor like = {.ndim = packed->ndim, .dtype = packed->dtype};
    Tensor original = like;
    memcpy(original.shape, packed->shape, sizeof original.shape);
    memcpy(original.strides, packed->strides, sizeof original.strides);
    if (!tg_is_dense(&original)) return tg_alias(x);
    Tensor *y = tg_empty_strided(packed->shape, packed->strides, packed->ndim, packed->dtype);
    if (y) tg_copy_into(y, x);
    return y;
}

static void unpacked_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
}

/* In a backward that creates a graph, x gets the history of the tensor that was packed. */
static bool give_history(Record *r, const Saved *saved, Tensor *x) {
    static const Op unpacked_op = {"unpacked", "UnpackedBackward0", unpacked_backward};
    const struct Packed *packed = saved->packed;
    Record *record = saved->is_output ? r : packed->record;
    if (!tg_thread.grad_enabled || !tg_is_floating(x->dtype)) return true;
    if (record) {
        tg_record_retain(record);
        x->record = record;
        x->requires_grad = true;
    }
    return !packed->leaf || record || tg_attach_record(&unpacked_op, x, INPUTS(packed->leaf), NONE, NONE);
}

/* The tensor is kept until the rule has run, which may ask for it several times. */
Tensor *tg_unpack(Record *r, Saved *saved) {
    struct Packed *packed = saved->packed;
    if (packed->unpacked) return packed->unpacked;
    if (packed->version >= 0 && saved->tensor->storage->version != packed->version)
        return tg_fail_version(r, saved->tensor, packed->version, saved->is_output);
    Tensor *result = call_hook(packed->hooks->unpack, saved->tensor, packed->hooks->context, "unpack_hook"), *x = NULL;
    if (packed->unpacked) return result ? packed->unpacked : NULL; /* by a backward that the hook ran */
    if (result && check_unpacked(packed, result)) x = with_layout(packed, result);
    if (!x || !give_history(r, saved, x)) return NULL;
    return packed->unpacked = t_retain(x);
}

void tg_forget_unpacked(Record *r) {
    for (int i = 0; i < r->saves; i++) {
        if (!r->saved[i].is_packed || !r->saved[i].packed->unpacked) continue;
        tg_add_to_scope(r->saved[i].packed->unpacked);
        t_release(r->saved[i].packed->unpacked);
        r->saved[i].packed->unpacked = NULL;
    }
}
