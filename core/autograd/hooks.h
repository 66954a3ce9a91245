/* core/autograd/hooks.h: hooks on gradients (internal). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_HOOKS_H
#define TAPEGRAD_CORE_AUTOGRAD_HOOKS_H

#include "core/autograd/autograd.h"

struct Backward;

/* Releases a list of hooks with its tensor or record; t_hook_remove does nothing for their handles then. */
void tg_hooks_release(t_Hook **list);

/* Calls all hooks of the list; returns the resulting gradient (g or a tensor of the current scope). NULL on an
 * error. */
Tensor *tg_run_hooks(struct Backward *run, t_Hook *list, Tensor *g);
/* Calls the post-accumulate hooks of a leaf. */
bool tg_run_post_hooks(struct Backward *run, Tensor *leaf);

#endif
