/* core/autograd/hooks.h: hooks on gradients, and lists of hooks for modules (internal). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_HOOKS_H
#define TAPEGRAD_CORE_AUTOGRAD_HOOKS_H

#include "core/autograd/autograd.h"

struct Backward;

struct t_Hook {
    t_Object object;
    t_HookFunction *function; /* a gradient hook, or */
    t_PostHookFunction *post; /* a post-accumulate hook, or */
    void (*of_module)(void);  /* a hook of a module or an optimizer, which its list casts to its type */
    void *context;
    t_Object *owned;    /* is released with the hook; or NULL */
    const t_Site *site; /* of its registration */
    t_Hook *next;       /* holds a reference */
    t_Hook **list;      /* the list that it is in; NULL after its removal */
    int64_t number;     /* 1, 2, ... in the order of registration */
    bool on_leaf;
    bool always_call; /* of a module's forward hook */
};

/* A hook without a function at the end of a list, or at its beginning; NULL on out of memory. */
t_Hook *tg_hook_new(t_Hook **list, bool prepend, void *context);

/* Releases a list of hooks with its tensor or record; t_hook_remove does nothing for their handles then. */
void tg_hooks_release(t_Hook **list);

/* Calls all hooks of the list; returns the resulting gradient (g or a tensor of the current scope). NULL on an
 * error. */
Tensor *tg_run_hooks(struct Backward *run, t_Hook *list, Tensor *g);
/* Calls the post-accumulate hooks of a leaf. */
bool tg_run_post_hooks(struct Backward *run, Tensor *leaf);

#endif
