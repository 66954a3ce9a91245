/* core/autograd/hooks.c: hooks on gradients, retain_grad. */
#include "core/autograd/hooks.h"
#include "core/autograd/tape.h"

#include <stdio.h>
#include <string.h>

#include "core/autograd/backward.h"

/* ---- lists ---- */

static void hook_destroy(void *object) {
    t_Hook *hook = object;
    tg_object_dispose(&hook->object);
    t_release(hook->owned);
    tg_object_free(&hook->object, sizeof *hook);
}

static const t_Class hook_class = {"Hook", hook_destroy};

static void unhook(t_Hook *hook) {
    tg_thread.leaf_hooks -= hook->on_leaf;
    hook->list = NULL;
    t_release(hook);
}

void tg_hooks_release(t_Hook **list) {
    for (t_Hook *hook = *list, *next; hook; hook = next) {
        next = hook->next;
        hook->next = NULL;
        unhook(hook);
    }
    *list = NULL;
}

void tg_release_history(Tensor *x) {
    tg_set_record(x, NULL);
    if (x->hooks) tg_hooks_release(&x->hooks);
}

t_Hook *tg_hook_new(t_Hook **list, bool prepend, void *context) {
    t_Hook *hook = tg_alloc(sizeof *hook), **at = list;
    if (!hook) return NULL;
    tg_object_init(&hook->object, &hook_class);
    hook->context = context;
    hook->site = tg_thread.site;
    hook->list = list;
    hook->number = ++tg_thread.hooks_made;
    while (*at && !prepend) at = &(*at)->next;
    hook->next = *at;
    *at = t_retain(hook);
    return hook;
}

static t_Hook *append(Tensor *x, t_HookFunction *function, t_PostHookFunction *post, void *context) {
    t_Hook *hook = tg_hook_new(x->record ? &x->record->hooks : &x->hooks, false, context);
    if (!hook) return NULL;
    hook->function = function;
    hook->post = post;
    hook->on_leaf = !x->record;
    tg_thread.leaf_hooks += hook->on_leaf;
    return hook;
}

/* ---- public ---- */

/* x.register_hook(hook) */
t_Hook *t_register_hook(Tensor *x, t_HookFunction *hook, void *context) {
    if (!tg_check_any(x, 1) || !tg_check_given(hook != NULL, 2, "a function")) return NULL;
    if (!x->requires_grad) return tg_fail("cannot register a hook on a tensor that doesn't require gradient");
    return append(x, hook, NULL, context);
}

/* x.register_post_accumulate_grad_hook(hook) */
t_Hook *t_register_post_accumulate_grad_hook(Tensor *x, t_PostHookFunction *hook, void *context) {
    if (!tg_check_any(x, 1) || !tg_check_given(hook != NULL, 2, "a function")) return NULL;
    if (!x->requires_grad) return tg_fail("cannot register a hook on a tensor that doesn't require gradient");
    if (x->record) return tg_fail("post accumulate grad hooks cannot be registered on non-leaf tensors");
    return append(x, NULL, hook, context);
}

/* handle.remove() */
bool t_hook_remove(t_Hook *hook) {
    if (!hook) return t_error() ? false : tg_fail("argument 1 is NULL where a hook is expected") != NULL;
    if (hook->object.is_a != &hook_class) return tg_fail("argument 1 is not a live hook");
    if (!hook->list) return true;
    for (t_Hook **at = hook->list; *at; at = &(*at)->next)
        if (*at == hook) {
            *at = hook->next; /* hook->next stays, for a loop that is at hook */
            break;
        }
    unhook(hook);
    return true;
}

/* x.retain_grad() */
bool t_retain_grad(Tensor *x) {
    if (!tg_check_any(x, 1)) return false;
    if (!x->requires_grad) return tg_fail("can't retain_grad on Tensor that has requires_grad=False");
    if (x->record) x->record->retainer = x;
    return true;
}

/* x.retains_grad */
bool t_retains_grad(Tensor *x) {
    return tg_check_any(x, 1) && x->record && x->record->retainer == x;
}

/* ---- calls ---- */

/* The returned tensor must have the gradient's shape and dtype. Errors name a hook by where it was registered:
 * "train.c:31". */
static bool fits(const t_Hook *hook, const Tensor *was, const Tensor *is) {
    char name[80] = "?";
    const char *slash = hook->site ? strrchr(hook->site->file, '/') : NULL;
    if (hook->site) snprintf(name, sizeof name, "%.60s:%d", slash ? slash + 1 : hook->site->file, hook->site->line);
    if (is->dtype != was->dtype)
        return tg_fail("hook '%s' has changed the type of value (was torch.%sTensor got torch.%sTensor)", name,
                       tg_scalar_name(was->dtype), tg_scalar_name(is->dtype));
    return tg_same_shape(was, is) || tg_fail("hook '%s' has changed the size of value", name);
}

/* The next hook of a list, or NULL. The running backward holds the reference to the hook, so that tg_backward_end
 * releases it if the hook leaves by longjmp. As in PyTorch, a hook that is registered while the list runs is not called
 * this time. */
static t_Hook *hold(Backward *run, t_Hook *hook, int64_t newest) {
    if (hook && hook->number > newest) hook = NULL;
    t_retain(hook);
    t_release(run->hook);
    return run->hook = hook;
}

Tensor *tg_run_hooks(Backward *run, t_Hook *list, Tensor *g) {
    const int64_t failures = tg_thread.failures, newest = tg_thread.hooks_made;
    const bool grad_enabled = tg_thread.grad_enabled;
    for (t_Hook *hook = hold(run, list, newest); hook; hook = hold(run, g ? hook->next : NULL, newest)) {
        Tensor *other = hook->list && hook->function ? hook->function(g, hook->context) : NULL;
        tg_thread.grad_enabled = grad_enabled;
        if (tg_failed_since(failures) || (other && (!tg_check_any(other, 1) || !fits(hook, g, other)))) g = NULL;
        else if (other) g = other;
    }
    return g;
}

bool tg_run_post_hooks(Backward *run, Tensor *leaf) {
    const int64_t failures = tg_thread.failures, newest = tg_thread.hooks_made;
    const bool grad_enabled = tg_thread.grad_enabled;
    bool ok = true;
    const int depth = tg_scope_open_around_callback();
    for (t_Hook *hook = hold(run, depth ? leaf->hooks : NULL, newest); hook;
         hook = hold(run, ok ? hook->next : NULL, newest)) {
        if (hook->list && hook->post) hook->post(leaf, hook->context);
        tg_thread.grad_enabled = grad_enabled;
        ok = !tg_failed_since(failures);
    }
    tg_scope_close(depth);
    return depth && ok;
}
