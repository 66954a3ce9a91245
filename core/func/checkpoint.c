/* core/func/checkpoint.c: torch.utils.checkpoint: saved tensors that are recomputed in the backward.
 *
 * A pair of saved-tensor hooks: in the forward, pack counts the tensors and keeps none; in the backward, unpack runs
 * the function again under another pair, which keeps them, and returns the one with the same number. */
#include "core/func/checkpoint.h"

#include <string.h>

#include "core/autograd/backward.h"
#include "core/autograd/saved_hooks_internal.h"
#include "core/func/func_internal.h"
#include "core/tensor/generator.h"

const t_CheckpointOptions t_CheckpointDefaults = {.size = sizeof t_CheckpointDefaults, .preserve_rng_state = true,
                                                  .determinism_check = "default"};

/* A saved tensor: its dtype and shape in the forward; and from the recomputation on the tensor, with the version of its
 * storage when it was saved. */
typedef struct Recomputed {
    t_DType dtype;
    int ndim;
    int64_t shape[T_MAX_DIMS];
    Tensor *tensor;
    int64_t version;
} Recomputed;

/* One call of t_checkpoint. The hooks, and so the records whose tensors they packed, hold it. */
typedef struct Checkpoint {
    t_Object object;
    BackwardCallback at_end; /* of the backward that recomputed */
    t_TensorFunction *function;
    void *context;
    t_CheckpointOptions o;
    t_TensorList *args;
    int64_t *versions;   /* of their storages */
    t_DType autocast;    /* of the first call */
    Tensor *rng_state;   /* before the first call; NULL: not kept */
    int64_t count, capacity, recomputed_count;
    Recomputed *saved;
    bool is_recomputed, is_running;
} Checkpoint;

static void drop_recomputed(Checkpoint *c) {
    for (int64_t i = 0; i < c->count; i++) {
        t_release(c->saved[i].tensor);
        c->saved[i].tensor = NULL;
    }
    c->is_recomputed = false;
}

static void checkpoint_destroy(void *object) {
    Checkpoint *c = object;
    tg_object_dispose(&c->object);
    tg_backward_forget_callback(&c->at_end);
    drop_recomputed(c);
    tg_free(c->versions, (size_t)(c->args ? c->args->len + 1 : 0) * sizeof *c->versions);
    tg_free(c->saved, (size_t)c->capacity * sizeof *c->saved);
    if (c->o.context_bytes) tg_free(c->context, c->o.context_bytes);
    t_release(c->args);
    t_release(c->rng_state);
    t_release(c->o.owned);
    tg_object_free(&c->object, sizeof *c);
}

static const t_Class checkpoint_class = {"Checkpoint", checkpoint_destroy};

/* ---- the first call ---- */

static bool reserve(Checkpoint *c) {
    if (c->count < c->capacity) return true;
    const int64_t capacity = c->capacity ? 2 * c->capacity : 16;
    Recomputed *larger = tg_alloc((size_t)capacity * sizeof *larger);
    if (!larger) return false;
    if (c->count) memcpy(larger, c->saved, (size_t)c->count * sizeof *larger);
    tg_free(c->saved, (size_t)c->capacity * sizeof *larger);
    c->saved = larger;
    c->capacity = capacity;
    return true;
}

/* Packed is the number of the tensor. */
static Tensor *pack_number(Tensor *x, void *context) {
    Checkpoint *c = context;
    if (!reserve(c)) return NULL;
    Recomputed *saved = &c->saved[c->count];
    Tensor *number = t_integer(c->count);
    if (!number) return NULL;
    *saved = (Recomputed){.dtype = x->dtype, .ndim = x->ndim};
    memcpy(saved->shape, x->shape, sizeof x->shape);
    c->count++;
    return number;
}

/* ---- the second call ---- */

static Tensor *keep_recomputed(Tensor *x, void *context) {
    Checkpoint *c = context;
    const int64_t i = c->recomputed_count++;
    if (i >= c->count) return x; /* PyTorch stops after the last one that the backward needs */
    if (!(c->saved[i].tensor = tg_take_from_scope(tg_alias(x)))) return NULL;
    c->saved[i].version = x->storage->version;
    return x;
}

static Tensor *not_unpacked(Tensor *packed, void *context) {
    (void)context;
    return packed;
}

static bool check_args(const Checkpoint *c) {
    for (int64_t i = 0; i < c->args->len; i++)
        if (c->args->items[i]->storage->version != c->versions[i])
            return tg_fail("one of the variables needed for gradient computation has been modified by an inplace "
                           "operation: arg %lld of t_checkpoint, [torch.%sTensor %s], is at version %lld; expected "
                           "version %lld instead.", (long long)i, tg_scalar_name(c->args->items[i]->dtype),
                           tg_shape_of(c->args->items[i]), (long long)c->args->items[i]->storage->version,
                           (long long)c->versions[i]);
    return true;
}

static bool check_recomputed(const Checkpoint *c) {
    if (c->recomputed_count < c->count)
        return tg_fail("torch.utils.checkpoint: A different number of tensors was saved during the original forward "
                       "and recomputation.\nNumber of tensors saved during forward: %lld\nNumber of tensors saved "
                       "during recomputation: %lld.", (long long)c->count, (long long)c->recomputed_count);
    for (int64_t i = 0; strcmp(c->o.determinism_check, "none") != 0 && i < c->count; i++) {
        const Recomputed *saved = &c->saved[i];
        const Tensor *x = saved->tensor;
        if (x->dtype == saved->dtype && x->ndim == saved->ndim &&
            memcmp(x->shape, saved->shape, (size_t)x->ndim * sizeof *x->shape) == 0)
            continue;
        return tg_fail("torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
                       "than during the forward pass.\ntensor at position %lld:\nsaved metadata: {'shape': "
                       "torch.Size(%s), 'dtype': torch.%s}\nrecomputed metadata: {'shape': torch.Size(%s), 'dtype': "
                       "torch.%s}", (long long)i, tg_shape_text(saved->shape, saved->ndim),
                       tg_dtype_name(saved->dtype), tg_shape_of(x), tg_dtype_name(x->dtype));
    }
    return true;
}

static bool call_again(Checkpoint *c) {
    if (!tg_enter_saved_hooks(keep_recomputed, not_unpacked, c, NULL)) return false;
    const bool hooks_off = tg_thread.saved_hooks_off, grad_enabled = t_set_grad_enabled(true);
    tg_thread.saved_hooks_off = false;
    t_TensorList *outputs = tg_call_function(c->function, c->args, c->context);
    t_set_grad_enabled(grad_enabled);
    tg_thread.saved_hooks_off = hooks_off;
    tg_exit_saved_hooks();
    return outputs && check_recomputed(c);
}

static void at_end_of_backward(BackwardCallback *callback) {
    drop_recomputed((Checkpoint *)callback->context);
}

/* The second call while it runs. It belongs to the scope of the call of the hook, whose end, also by an error or
 * t_unwind, puts the generator's state back. */
typedef struct Recomputation {
    t_Object object;
    Checkpoint *running; /* NULL: has ended */
    Tensor *rng_state;   /* or NULL */
} Recomputation;

static bool end_recomputation(Recomputation *r) {
    Checkpoint *c = r->running;
    if (!c) return true;
    r->running = NULL;
    c->is_running = false;
    const bool ok = !r->rng_state || t_set_rng_state(r->rng_state);
    if (!c->is_recomputed || !ok) drop_recomputed(c);
    t_release(c);
    return ok;
}

static void recomputation_destroy(void *object) {
    Recomputation *r = object;
    tg_object_dispose(&r->object);
    end_recomputation(r);
    t_release(r->rng_state);
    tg_object_free(&r->object, sizeof *r);
}

static const t_Class recomputation_class = {"Recomputation", recomputation_destroy};

static bool recompute(Checkpoint *c) {
    if (c->is_running) return tg_fail("a checkpointed function runs a backward through itself");
    if (!check_args(c)) return false;
    Recomputation *r = tg_alloc(sizeof *r);
    if (!r) return false;
    tg_object_init(&r->object, &recomputation_class);
    r->rng_state = c->rng_state ? t_retain(t_get_rng_state()) : NULL;
    if (c->rng_state && (!r->rng_state || !t_set_rng_state(c->rng_state))) return false;
    c->recomputed_count = 0;
    c->is_running = true;
    r->running = t_retain(c);
    const t_DType autocast = tg_thread.autocast;
    tg_thread.autocast = c->autocast;
    bool ok = c->is_recomputed = call_again(c);
    tg_thread.autocast = autocast;
    ok = end_recomputation(r) && ok;
    if (ok && tg_thread.backward) tg_backward_at_end(&c->at_end, at_end_of_backward, c);
    return ok;
}

static Tensor *recomputed(Tensor *number, void *context) {
    Checkpoint *c = context;
    if (!c->is_recomputed && !recompute(c)) return NULL;
    const Recomputed *saved = &c->saved[tg_read_int64(number)];
    if (saved->tensor->storage->version == saved->version) return saved->tensor;
    return tg_fail("one of the variables needed for gradient computation has been modified by an inplace operation: "
                   "[torch.%sTensor %s], which t_checkpoint recomputed, is at version %lld; expected version %lld "
                   "instead.", tg_scalar_name(saved->dtype), tg_shape_text(saved->shape, saved->ndim),
                   (long long)saved->tensor->storage->version, (long long)saved->version);
}

/* ---- public ---- */

/* The args as they are now: aliases of those that are not leaves, since a function that writes to one in place gives it
 * a record, which would hold this checkpoint. */
static bool keep_args(Checkpoint *c, const t_TensorList *args) {
    t_TensorList *kept = t_list_new(NULL, 0);
    for (int64_t i = 0; kept && i < args->len; i++) {
        Tensor *x = args->items[i], *alias = x->record ? tg_alias(x) : x;
        if (alias && alias != x) {
            alias->record = x->record;
            tg_record_retain(alias->record);
            alias->requires_grad = true;
        }
        if (!t_list_append(kept, alias)) return false;
    }
    c->args = t_retain(kept);
    c->versions = kept ? tg_alloc((size_t)(args->len + 1) * sizeof *c->versions) : NULL;
    for (int64_t i = 0; c->versions && i < args->len; i++) c->versions[i] = args->items[i]->storage->version;
    return c->versions != NULL;
}

static bool keep_context(Checkpoint *c, void *context) {
    c->context = context;
    if (!c->o.context_bytes) return true;
    if (!context) {
        const size_t bytes = c->o.context_bytes;
        c->o.context_bytes = 0;
        return tg_fail("context_bytes is %zu, but the context is NULL", bytes);
    }
    c->context = tg_alloc(c->o.context_bytes);
    if (c->context) memcpy(c->context, context, c->o.context_bytes);
    else c->o.context_bytes = 0;
    return c->context != NULL;
}

static Checkpoint *checkpoint_new(t_TensorFunction *function, const t_TensorList *args, void *context,
                                  const t_CheckpointOptions *o) {
    Checkpoint *c = tg_alloc(sizeof *c);
    if (!c) return NULL;
    c->function = function;
    c->o = *o;
    c->autocast = tg_thread.autocast;
    t_retain(c->o.owned);
    tg_object_init(&c->object, &checkpoint_class);
    if (!keep_context(c, context) || !keep_args(c, args)) return NULL;
    if (o->preserve_rng_state && !(c->rng_state = t_retain(t_get_rng_state()))) return NULL;
    return c;
}

t_TensorList *t_checkpoint(t_TensorFunction *function, t_TensorList *args, void *context,
                           const t_CheckpointOptions *options) {
    t_CheckpointOptions o = t_CheckpointDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!tg_check_given(function != NULL, 1, "a function") || !tg_check_list(args, 2)) return NULL;
    if (!tg_check_alive(o.owned, "owned")) return NULL;
    if (!o.determinism_check ||
        (strcmp(o.determinism_check, "default") != 0 && strcmp(o.determinism_check, "none") != 0))
        return tg_fail("determinism_check should be one of ['default', 'none'] but got %s", o.determinism_check);
    const int depth = tg_scope_open_around_callback();
    const bool grad_enabled = tg_context()->grad_enabled;
    t_TensorList *outputs = NULL;
    Checkpoint *c = depth ? checkpoint_new(function, args, context, &o) : NULL;
    if (c && tg_enter_saved_hooks(pack_number, recomputed, c, &c->object)) {
        const bool hooks_off = tg_thread.saved_hooks_off;
        tg_thread.saved_hooks_off = false;
        outputs = tg_call_function(function, args, c->context);
        tg_thread.saved_hooks_off = hooks_off;
        tg_thread.grad_enabled = grad_enabled;
        tg_exit_saved_hooks();
    }
    if (outputs) tg_return_lists(depth, &outputs, 1);
    else tg_scope_close(depth);
    return outputs;
}
