/* nn/module/module_hooks.c: hooks of modules: registration, and a call with hooks.
 *
 * The gradients of a call are captured by records that copy its inputs and its output, as PyTorch's
 * BackwardHookFunction: backward reaches the output's copy first and the inputs' last. A record has one output, so the
 * further inputs' copies give their gradients to the first one's record, which calls the hooks with all of them. */
#include "nn/module/module_hooks.h"

#include <string.h>

#include "core/autograd/hooks.h"
#include "core/autograd/tape.h"
#include "nn/module/module_internal.h"

/* ---- lists of hooks ---- */

static void hooks_destroy(void *object) {
    tg_ModuleHooks *hooks = object;
    tg_object_dispose(&hooks->object);
    for (int kind = 0; kind < TG_HOOK_KINDS; kind++) tg_hooks_release(&hooks->lists[kind]);
    tg_object_free(&hooks->object, sizeof *hooks);
}

static const t_Class hooks_class = {"ModuleHooks", hooks_destroy};

static tg_ModuleHooks *hooks_of(tg_ModuleHooks **slot) {
    if (*slot) return *slot;
    tg_ModuleHooks *hooks = tg_alloc(sizeof *hooks);
    if (!hooks) return NULL;
    tg_object_init(&hooks->object, &hooks_class);
    return *slot = tg_take_from_scope(hooks);
}

static void drop_empty(tg_ModuleHooks **slot) {
    tg_ModuleHooks *hooks = *slot;
    for (int kind = 0; hooks && kind < TG_HOOK_KINDS; kind++)
        if (hooks->lists[kind]) return;
    *slot = NULL;
    t_release(hooks);
}

void tg_drop_empty_hooks(nn_Module *self) {
    drop_empty(&self->hooks);
}

bool tg_copy_hooks(nn_Module *to, const nn_Module *from) {
    if (!tg_any_hook(from->hooks)) return true;
    tg_ModuleHooks *hooks = hooks_of(&to->hooks);
    for (int kind = 0; hooks && kind < TG_HOOK_KINDS; kind++)
        for (const t_Hook *hook = from->hooks->lists[kind]; hook; hook = hook->next) {
            t_Hook *copy = tg_hook_new(&hooks->lists[kind], false, hook->context);
            if (!copy) return false;
            copy->of_module = hook->of_module;
            copy->always_call = hook->always_call;
        }
    return hooks != NULL;
}

static t_Hook *add_hook(tg_ModuleHooks **slot, tg_HookKind kind, void (*hook)(void), void *context,
                        const nn_HookOptions *options) {
    nn_HookOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const bool of_all = slot == (tg_ModuleHooks **)&tg_context()->module_hooks;
    if (!tg_check_given(hook != NULL, of_all ? 1 : 2, "a function")) return NULL;
    if (o.prepend && of_all) return tg_fail("a hook of all modules cannot be prepended");
    if (o.always_call && kind != tg_forward_hooks) return tg_fail("always_call is an option of forward hooks only");
    const bool had_some = *slot != NULL;
    tg_ModuleHooks *hooks = hooks_of(slot);
    t_Hook *added = hooks ? tg_hook_new(&hooks->lists[kind], o.prepend, context) : NULL;
    if (!added && !had_some) drop_empty(slot);
    if (!added) return NULL;
    added->of_module = hook;
    added->always_call = o.always_call;
    return added;
}

#define REGISTER(name, Type, kind)                                                                                     \
    t_Hook *nn_register_##name(void *self, Type *hook, void *context, const nn_HookOptions *options) {                 \
        if (!tg_check_module(self, 1)) return NULL;                                                                    \
        return add_hook(&((nn_Module *)self)->hooks, kind, (void (*)(void))hook, context, options);                    \
    }                                                                                                                  \
    t_Hook *nn_register_module_##name(Type *hook, void *context, const nn_HookOptions *options) {                      \
        return add_hook((tg_ModuleHooks **)&tg_context()->module_hooks, kind, (void (*)(void))hook, context, options); \
    }
REGISTER(forward_pre_hook, nn_ForwardPreHook, tg_forward_pre_hooks)
REGISTER(forward_hook, nn_ForwardHook, tg_forward_hooks)
REGISTER(full_backward_pre_hook, nn_FullBackwardPreHook, tg_backward_pre_hooks)
REGISTER(full_backward_hook, nn_FullBackwardHook, tg_backward_hooks)

#define REGISTER_STATE(name, Type, kind)                                                                               \
    t_Hook *nn_register_##name(void *self, Type *hook, void *context) {                                                \
        if (!tg_check_module(self, 1)) return NULL;                                                                    \
        return add_hook(&((nn_Module *)self)->hooks, kind, (void (*)(void))hook, context, NULL);                       \
    }
REGISTER_STATE(state_dict_pre_hook, nn_StateDictPreHook, tg_state_dict_pre_hooks)
REGISTER_STATE(state_dict_post_hook, nn_StateDictHook, tg_state_dict_post_hooks)
REGISTER_STATE(load_state_dict_pre_hook, nn_StateDictHook, tg_load_pre_hooks)
REGISTER_STATE(load_state_dict_post_hook, nn_LoadStateDictPostHook, tg_load_post_hooks)

/* The hooks of a kind, those of all modules first. A hook may remove others, so that a list is looked up when its turn
 * comes. */
typedef struct Iterator {
    const nn_Module *self;
    tg_HookKind kind;
    t_Hook *hook;
    int list; /* 0: of all modules, 1: of self */
    int64_t newest;
} Iterator;

static Iterator hooks_begin(const nn_Module *self, tg_HookKind kind) {
    return (Iterator){self, kind, NULL, -1, tg_thread.hooks_made};
}

static t_Hook *first_hook(const Iterator *at) {
    const tg_ModuleHooks *hooks = at->list == 0 ? tg_thread.module_hooks : at->self->hooks;
    return hooks ? hooks->lists[at->kind] : NULL;
}

/* The next hook that was registered before hooks_begin and is not removed; the current scope holds it. */
static t_Hook *next_hook(Iterator *at) {
    do {
        at->hook = at->hook ? at->hook->next : NULL;
        while (!at->hook && ++at->list < 2) at->hook = first_hook(at);
    } while (at->hook && (!at->hook->list || at->hook->number > at->newest));
    return tg_add_to_scope(at->hook);
}

/* ---- hooks around the state dict ---- */

bool tg_tree_has_hook(const nn_Module *self, tg_HookKind kind) {
    if (self->hooks && self->hooks->lists[kind]) return true;
    for (const nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next))
        if (tg_tree_has_hook((const nn_Module *)entry->value, kind)) return true;
    return false;
}

static void call_state_hook(nn_Module *self, tg_HookKind kind, const t_Hook *hook, void *subject, const char *prefix) {
    if (kind == tg_state_dict_pre_hooks) ((nn_StateDictPreHook *)hook->of_module)(self, prefix, hook->context);
    else if (kind == tg_load_post_hooks) ((nn_LoadStateDictPostHook *)hook->of_module)(self, subject, hook->context);
    else ((nn_StateDictHook *)hook->of_module)(self, subject, prefix, hook->context);
}

bool tg_run_state_hooks(const nn_Module *self, tg_HookKind kind, void *subject, const char *prefix) {
    if (!self->hooks || !self->hooks->lists[kind]) return true;
    Iterator at = hooks_begin(self, kind);
    const int64_t failures = tg_thread.failures;
    bool ok = true;
    for (t_Hook *hook; ok && (hook = next_hook(&at));) {
        const int depth = tg_scope_open_around_callback();
        if (depth) call_state_hook((nn_Module *)self, kind, hook, subject, prefix);
        ok = depth && !tg_failed_since(failures);
        tg_scope_close(depth);
    }
    return ok;
}

/* ---- forward hooks ---- */

static t_TensorList *run_forward_pre_hooks(nn_Module *self, t_TensorList *args) {
    Iterator at = hooks_begin(self, tg_forward_pre_hooks);
    const int64_t failures = tg_thread.failures;
    for (t_Hook *hook; args && (hook = next_hook(&at));) {
        const int depth = tg_scope_open_around_callback();
        if (!depth) return NULL;
        t_TensorList *other = ((nn_ForwardPreHook *)hook->of_module)(self, args, hook->context);
        bool ok = !tg_failed_since(failures) && (!other || tg_check_list(other, 1));
        if (ok && other && other->len != args->len)
            ok = tg_fail("a forward pre-hook returned %lld args, but the forward takes %lld", (long long)other->len,
                         (long long)args->len);
        tg_scope_return(depth, ok ? other : NULL);
        args = !ok ? NULL : other ? other : args;
    }
    return args;
}

/* Calls the forward hooks on *output; after a failure those with always_call only, with the error pending. False if
 * the call or a hook failed. */
static bool run_forward_hooks(nn_Module *self, t_TensorList *args, Tensor **output, bool ok) {
    Iterator at = hooks_begin(self, tg_forward_hooks);
    for (t_Hook *hook; (hook = next_hook(&at));) {
        if (!ok && !hook->always_call) continue;
        tg_SavedError error = {NULL};
        if (!ok) tg_error_save(&error);
        const int64_t failures = tg_thread.failures;
        const int depth = tg_scope_open_around_callback();
        Tensor *other = depth ? ((nn_ForwardHook *)hook->of_module)(self, args, *output, hook->context) : NULL;
        const bool fails = !depth || tg_failed_since(failures) || (other && !tg_check_any(other, 1));
        tg_scope_return(depth, fails ? NULL : other);
        if (!fails && other) *output = other;
        if (!ok) tg_error_restore(&error);
        ok = ok && !fails;
    }
    return ok;
}

/* ---- backward hooks ---- */

enum { MAX_INPUTS = 4 };

/* The backward hooks of one call: torch.utils.hooks.BackwardHook. The records of the call's copies hold it. */
typedef struct BackwardHooks {
    t_Object object;
    nn_Module *module;
    int inputs, first;             /* number of args; the first of them that requires grad, or -1 */
    Tensor *gradients[MAX_INPUTS]; /* of the args after the first: received in the running backward */
    t_TensorList *grad_output;     /* received in the running backward */
    int pre_count, count;          /* of hooks: the pre-hooks, then the others */
    size_t bytes;
    t_Hook *hooks[];
} BackwardHooks;

static void forget_gradients(BackwardHooks *call) {
    t_release(call->grad_output);
    call->grad_output = NULL;
    for (int i = 0; i < MAX_INPUTS; i++) {
        t_release(call->gradients[i]);
        call->gradients[i] = NULL;
    }
}

static void backward_hooks_destroy(void *object) {
    BackwardHooks *call = object;
    tg_object_dispose(&call->object);
    forget_gradients(call);
    for (int i = 0; i < call->pre_count + call->count; i++) t_release(call->hooks[i]);
    t_release(call->module);
    tg_object_free(&call->object, call->bytes);
}

static const t_Class backward_hooks_class = {"BackwardHooks", backward_hooks_destroy};

static int count_hooks(const nn_Module *self, tg_HookKind kind) {
    Iterator at = hooks_begin(self, kind);
    int count = 0;
    while (next_hook(&at)) count++;
    return count;
}

static BackwardHooks *backward_hooks_new(nn_Module *self, int inputs) {
    const int pre_count = count_hooks(self, tg_backward_pre_hooks), count = count_hooks(self, tg_backward_hooks);
    const size_t bytes = sizeof(BackwardHooks) + (size_t)(pre_count + count) * sizeof(t_Hook *);
    BackwardHooks *call = tg_alloc(bytes);
    if (!call) return NULL;
    call->bytes = bytes;
    call->module = t_retain(self);
    call->inputs = inputs;
    call->first = -1;
    call->pre_count = pre_count;
    call->count = count;
    tg_object_init(&call->object, &backward_hooks_class);
    int i = 0;
    Iterator at = hooks_begin(self, tg_backward_pre_hooks);
    for (t_Hook *hook; (hook = next_hook(&at));) call->hooks[i++] = t_retain(hook);
    at = hooks_begin(self, tg_backward_hooks);
    for (t_Hook *hook; (hook = next_hook(&at));) call->hooks[i++] = t_retain(hook);
    return call;
}

/* A list of gradients whose items, or some, are NULL. */
static t_TensorList *gradient_list(Tensor *const *gradients, int count) {
    t_TensorList *list = tg_list_of_nulls(count);
    for (int i = 0; list && i < count; i++) list->items[i] = t_retain(gradients[i]);
    return list;
}

/* Calls a hook; grad_input NULL: a pre-hook. Sets *gradients to what it returned, or NULL; false on an error. */
static bool call_backward_hook(BackwardHooks *call, t_Hook *hook, t_TensorList *grad_input, t_TensorList **gradients) {
    const int64_t failures = tg_thread.failures;
    const int depth = tg_scope_open_around_callback();
    t_TensorList *got = NULL;
    *gradients = NULL;
    if (depth && hook->list && grad_input)
        got = ((nn_FullBackwardHook *)hook->of_module)(call->module, grad_input, call->grad_output, hook->context);
    else if (depth && hook->list)
        got = ((nn_FullBackwardPreHook *)hook->of_module)(call->module, call->grad_output, hook->context);
    bool ok = depth && !tg_failed_since(failures) && (!got || tg_check_optional_list(got, 1));
    const long long wanted = grad_input ? call->inputs : 1;
    if (ok && got && got->len != wanted)
        ok = tg_fail("Backward %shook returned an invalid number of %s, got %lld, but expected %lld",
                     grad_input ? "" : "pre ", grad_input ? "grad_input" : "grad_output", (long long)got->len, wanted);
    tg_scope_return(depth, ok ? got : NULL);
    *gradients = ok ? got : NULL;
    return ok;
}

typedef struct Part {
    BackwardHooks *call;
    int input;
} Part;

/* No input requires grad: the hooks are called when the output's gradient is known. */
static bool call_without_inputs(BackwardHooks *call) {
    static _Thread_local bool warned;
    Tensor *const none[MAX_INPUTS] = {NULL};
    if (call->count == 0) return true;
    tg_warn(&warned, "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                     "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                     "#torch.nn.Module.register_full_backward_hook for more details.");
    t_TensorList *grad_input = gradient_list(none, call->inputs), *got;
    for (int i = 0; i < call->count; i++) {
        if (!grad_input || !call_backward_hook(call, call->hooks[call->pre_count + i], grad_input, &got)) return false;
        for (int64_t k = 0; got && k < got->len; k++)
            if (got->items[k])
                return tg_fail("Backward hook for Modules where no input requires gradient should always return None "
                               "or None for all gradients.");
    }
    return true;
}

static void output_backward(Record *r, Tensor *dy, Tensor **dx) {
    BackwardHooks *call = ((const Part *)r->attributes)->call;
    t_TensorList *other;
    forget_gradients(call);
    call->grad_output = t_retain(gradient_list(&dy, 1));
    for (int i = 0; call->grad_output && i < call->pre_count; i++) {
        if (!call_backward_hook(call, call->hooks[i], NULL, &other)) return;
        if (!other) continue;
        t_release(call->grad_output);
        call->grad_output = t_retain(other);
    }
    if (!call->grad_output) return;
    dx[0] = tg_add_to_scope(call->grad_output->items[0]);
    if (call->first >= 0) return;
    call_without_inputs(call);
    forget_gradients(call);
}

/* The first input that requires grad, whose record has all inputs, and so their gradients as dx: zeros, as in PyTorch,
 * for one that got none or requires none. */
static void input_backward(Record *r, Tensor *dy, Tensor **dx) {
    BackwardHooks *call = ((const Part *)r->attributes)->call;
    for (int i = 0; i < call->inputs; i++) {
        dx[i] = call->gradients[i] ? tg_add_to_scope(call->gradients[i]) : tg_zeros_like_input(r, i);
        if (i == call->first) dx[i] = dy;
        if (!dx[i]) return;
    }
    /* NULL: the gradient did not come through the output, as in a double backward */
    if (!call->grad_output) return;
    t_TensorList *grad_input = gradient_list(dx, call->inputs), *other;
    for (int i = 0; grad_input && i < call->count; i++) {
        if (!call_backward_hook(call, call->hooks[call->pre_count + i], grad_input, &other)) return;
        if (other) grad_input = other;
    }
    for (int i = 0; grad_input && i < call->inputs; i++) dx[i] = tg_add_to_scope(grad_input->items[i]);
    forget_gradients(call);
}

/* A further input: its gradient is kept for input_backward, which a zero gradient starts. */
static void further_input_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Part *part = r->attributes;
    t_release(part->call->gradients[part->input]);
    part->call->gradients[part->input] = t_retain(dy);
    dx[0] = tg_zeros_like_input(r, 0);
}

static const t_Function output_function = {"full_backward_hook", "BackwardHookFunctionBackward", output_backward},
                        input_function = {"full_backward_hook", "BackwardHookFunctionBackward", input_backward},
                        further_input_function = {"full_backward_hook", "BackwardHookFunctionBackward",
                                                  further_input_backward};

/* A copy of x with a record, which holds the call's hooks. */
static Tensor *capture(BackwardHooks *call, int input, const t_Function *function, Tensor *x, t_TensorList *inputs) {
    const Part part = {call, input};
    const t_ApplyOptions options = {.size = sizeof options, .attributes = &part, .attribute_bytes = sizeof part};
    Tensor *y = inputs ? t_apply(function, x, inputs, &options) : NULL;
    if (!y || !y->record) return y;
    t_Hook *owner = tg_hook_new(&y->record->hooks, false, NULL);
    if (!owner) return NULL;
    owner->owned = t_retain(call);
    return y;
}

static t_TensorList *capture_inputs(BackwardHooks *call, t_TensorList *args) {
    t_TensorList *captured = t_list_new(args->items, args->len);
    Tensor *first = NULL;
    for (int i = 0; captured && i < call->inputs; i++) {
        Tensor *x = args->items[i];
        if (!x->requires_grad) continue;
        Tensor *y = first ? capture(call, i, &further_input_function, x, t_list_new(&first, 1))
                          : capture(call, i, &input_function, x, args);
        if (!y) return NULL;
        if (!first) call->first = i;
        if (!first) first = y;
        captured->items[i] = t_retain(y);
        t_release(x);
    }
    return captured;
}

static Tensor *capture_output(BackwardHooks *call, Tensor *y) {
    return y->requires_grad ? capture(call, 0, &output_function, y, t_list_new(&y, 1)) : y;
}

/* ---- a call with hooks ---- */

static bool has_backward_hooks(const nn_Module *self) {
    const tg_ModuleHooks *lists[] = {self->hooks, tg_thread.module_hooks};
    for (int i = 0; i < 2; i++)
        if (lists[i] && (lists[i]->lists[tg_backward_hooks] || lists[i]->lists[tg_backward_pre_hooks])) return true;
    return false;
}

Tensor *tg_call_with_hooks(nn_Module *self, Tensor *const *inputs, int count, tg_ForwardFunction *forward,
                           const void *call) {
    t_TensorList *args = t_list_new(inputs, count), *used = args ? run_forward_pre_hooks(self, args) : NULL;
    if (!args) return NULL;
    if (used) args = used;
    BackwardHooks *backward = NULL;
    if (used && tg_thread.grad_enabled && has_backward_hooks(self)) {
        backward = backward_hooks_new(self, count);
        used = backward ? capture_inputs(backward, args) : NULL;
        if (used) args = used;
    }
    Tensor *y = used ? forward(self, args->items, call) : NULL;
    if (used && !y && !t_error()) tg_fail("the forward of %s returned NULL", self->type);
    if (!run_forward_hooks(self, args, &y, y != NULL)) return NULL;
    if (backward) y = capture_output(backward, y);
    return tg_add_to_scope(y);
}
