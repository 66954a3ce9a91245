/* core/profiler/memory_events.c: what is said of storages while a profile keeps memory: that one is made or freed, what
 * an op returned, and what it used. memory_timeline.c makes categories of it. */
#include "core/profiler/thread_log.h"

bool tg_is_view_of_input(const Tensor *y, Tensor *const *inputs, int count) {
    return y->base && count > 0 && inputs[0] && y != inputs[0] && y->storage == inputs[0]->storage;
}

void tg_tell_op_memory(ThreadLog *log, const StackEntry *e, const char *name, int64_t now, const Tensor *y,
                       Tensor *const *inputs, int count) {
    tg_MemoryEvent event = {.time = now, .name = name, .site = e->site, .module = e->module, .backward = e->backward};
    for (int i = 0; i < count; i++) {
        const Tensor *x = inputs[i];
        if (!x || x->record || x->wrapped_number || e->backward) continue;
        event.action = tg_memory_used;
        event.bytes = (int64_t)x->storage->bytes;
        event.storage = x->storage;
        event.shape = tg_profiler_text(tg_shape_of(x));
        event.category = x->is_parameter || x->requires_grad ? tg_memory_parameter : tg_memory_input;
        tg_keep_memory_event(log, &event);
    }
    if (tg_is_view_of_input(y, inputs, count)) return;
    event.action = tg_memory_result;
    event.bytes = (int64_t)y->storage->bytes;
    event.storage = y->storage;
    event.shape = tg_profiler_text(tg_shape_of(y));
    event.category = e->backward                     ? tg_memory_autograd_detail
                     : y->requires_grad && y->record ? tg_memory_activation
                                                     : tg_memory_temporary;
    tg_keep_memory_event(log, &event);
}

void tg_tell_gradient(ThreadLog *log, const StackEntry *e, const Tensor *x) {
    const Tensor *grad = x->grad ? x->grad : x->pending;
    const tg_MemoryEvent event = {
        .time = e->start,
        .bytes = grad ? (int64_t)grad->storage->bytes : 0,
        .storage = grad ? grad->storage : NULL,
        .name = e->name,
        .shape = grad ? tg_profiler_text(tg_shape_of(x)) : NULL,
        .action = tg_memory_used,
        .category = tg_memory_gradient,
        .backward = true,
    };
    if (grad) tg_keep_memory_event(log, &event);
}

void tg_storage_changes(const void *storage, int64_t bytes, bool is_new) {
    if (!tg_recorder_is_on(TG_MEMORY)) return;
    ThreadLog *log = tg_log_of_thread();
    if (!log) return;
    const StackEntry *e = tg_top_entry(log);
    const tg_MemoryEvent event = {
        .time = tg_profiler_clock(),
        .bytes = bytes,
        .storage = storage,
        .name = e->name,
        .site = e->site,
        .module = e->module,
        .action = is_new ? tg_memory_new : tg_memory_freed,
        .backward = e->backward,
        .category = e->in_step    ? tg_memory_optimizer_state
                    : e->backward ? tg_memory_autograd_detail
                                  : tg_memory_temporary,
    };
    tg_keep_memory_event(log, &event);
}
