/* core/autograd/hooks.h: hooks on gradients (internal). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_HOOKS_H
#define TAPEGRAD_CORE_AUTOGRAD_HOOKS_H

#include "core/autograd/autograd.h"

struct Backward;

/* A list of hooks goes with what it belongs to; a handle that outlives it then removes nothing. */
void tg_hooks_release(t_Hook **list);

/* The gradient after all hooks of the list: g itself, or what they returned (in the current scope). NULL on an error. */
Tensor *tg_run_hooks(struct Backward *run, t_Hook *list, Tensor *g);
/* The post-accumulate hooks of a leaf. */
bool tg_run_post_hooks(struct Backward *run, Tensor *leaf);

#endif
