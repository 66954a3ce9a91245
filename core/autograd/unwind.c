/* core/autograd/unwind.c: t_mark and t_unwind: save and restore the thread's state, for a longjmp out of an error
 * handler. */
#include "core/autograd/backward.h"
#include "core/autograd/saved_hooks_internal.h"

void t_mark(t_Mark *mark) {
    Context *thread = tg_context();
    if (mark)
        *mark = (t_Mark){thread->scope->depth, thread->grad_enabled, thread->site, tg_anomaly_mode(), thread->backward,
                         thread->module_frame, thread->dual_level, thread->saved_hooks,
                         (int)thread->autocast | thread->autocast_without_cache << 8 | thread->autocast_depth << 9};
}

void t_unwind(const t_Mark *mark) {
    Context *thread = tg_context();
    if (!mark) return;
    while (thread->backward && thread->backward != mark->backward) tg_backward_end(thread->backward);
    tg_scope_close(mark->depth + 1);
    thread->grad_enabled = mark->grad_enabled;
    thread->site = mark->site;
    thread->module_frame = mark->module_frame;
    if (thread->dual_level != mark->dual_level) t_release(tg_take_from_scope(thread->dual_level));
    while (thread->saved_hooks && (void *)thread->saved_hooks != mark->saved_hooks) tg_exit_saved_hooks();
    thread->saved_hooks_off = false;
    thread->autocast = (t_DType)(mark->autocast & 255);
    thread->autocast_without_cache = mark->autocast >> 8 & 1;
    thread->autocast_depth = mark->autocast >> 9;
    if (!thread->autocast_depth) tg_clear_casts();
    t_swap_anomaly_(mark->anomaly);
    t_clear_error();
}
