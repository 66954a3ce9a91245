/* core/profiler/event_stack.c: the stack of what runs in a thread: calls, ranges and ops begin and end, and what ends
 * becomes an event, a child of what is around it. These are the hooks of core/tensor/profiler_hooks.h.
 *
 * Self time is what no child has. An op without a frame began at the "cursor" of what it runs in: where the child
 * before it ended. */
#include <stdio.h>
#include <string.h>

#include "core/profiler/event_sums.h"
#include "core/profiler/thread_log.h"

static inline bool is_on(int flag) {
    return tg_recorder_is_on(flag);
}

/* ---- what ends becomes an event ---- */

/* Whether something around it has the same line. */
static bool is_outermost_at_site(const ThreadLog *log, const t_Site *site, int parent) {
    for (int i = parent; site && i > 0; i = log->stack[i].parent) {
        const StackEntry *e = &log->stack[i];
        if (e->site && !e->is_transparent && e->site->line == site->line && e->site->file == site->file) return false;
    }
    return site != NULL;
}

/* The lines from the call `site`, in the element `at` of the stack, outwards. */
static const char *stack_text(const ThreadLog *log, const t_Site *site, int at) {
    char text[2048];
    size_t length = 0;
    const t_Site *last = NULL;
    for (int i = at; length < sizeof text; site = log->stack[i].site, i = log->stack[i].parent) {
        if (site && site != last) {
            const char *expansion = strstr(site->text, "__extension__");
            const int shown = expansion && expansion - site->text < 80 ? (int)(expansion - site->text) : 80;
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s(%d): %.*s", last ? "\n" : "",
                                       site->file, site->line, shown, site->text);
            last = site;
        }
        if (i <= 0) break;
    }
    return last ? tg_profiler_text(text) : NULL;
}

/* An event that has ended is part of its parent, in which the next op begins now. */
static void add_to_parent(StackEntry *parent, int64_t duration, int64_t shown, int64_t bytes, int64_t now) {
    parent->children += duration;
    parent->shown_children += shown;
    parent->child_bytes += bytes;
    parent->cursor = now;
    parent->bytes_at_cursor = tg_thread.live_bytes;
    parent->has_events = true;
}

/* Writes an event to the log and adds it to the sums; `stack_at`: the element of the stack that it ran in. */
static inline void write_event(ThreadLog *log, const StackEntry *e, int stack_at, int64_t now) {
    const int64_t total = now - e->start, bytes = tg_thread.live_bytes - e->bytes;
    const bool is_outermost = is_outermost_at_site(log, e->site, stack_at);
    const double flops = e->child_flops > 0 ? 0 : e->flops; /* else those of its ops are counted twice */
    const char *stack = is_on(TG_STACK) ? stack_text(log, e->site, stack_at) : NULL;
    LogEvent *event = tg_new_log_event(log);
    if (event) {
        event->name = e->name;
        event->site = e->site;
        event->module = e->module;
        event->start = e->start;
        event->end = now;
        event->sequence = e->sequence;
        event->bytes = bytes;
        event->depth = e->depth;
        event->kind = e->kind;
        event->backward = e->backward;
        event->outermost_at_site = is_outermost;
        event->details = 0;
        if (e->shapes || stack || flops > 0) tg_set_details(log, event, e->shapes, stack, flops);
    }
    if (is_on(TG_SUMS))
        tg_add_to_sum(log, (tg_EventSum){.name = e->name,
                                         .site = e->site,
                                         .module = e->module,
                                         .kind = e->kind,
                                         .backward = e->backward,
                                         .own = total - e->children,
                                         .shown_own = total - e->shown_children,
                                         .total = total,
                                         .at_site = is_outermost ? total : 0,
                                         .bytes = bytes,
                                         .own_bytes = bytes - e->child_bytes,
                                         .flops = flops});
    tg_free_log(log);
}

static void write_entry(ThreadLog *log, const StackEntry *e, int64_t now) {
    StackEntry *parent = &log->stack[e->parent];
    const int64_t total = now - e->start, bytes = tg_thread.live_bytes - e->bytes;
    if (e->name) write_event(log, e, e->parent, now);
    parent->child_flops += e->child_flops > 0 ? e->child_flops : e->flops;
    add_to_parent(parent, total, tg_is_shown(e->kind) ? total : e->shown_children, bytes, now);
}

/* A call that is no op ends: what it had is expected of the site's next call. */
static void learn_habit(ThreadLog *log, const StackEntry *e) {
    const CallHabit habit = e->has_events || e->habit == TG_CALL_HAS_EVENTS ? TG_CALL_HAS_EVENTS : TG_CALL_IS_QUIET;
    if (habit != (CallHabit)e->habit) tg_set_habit(log, e->site, habit);
}

/* The last element of the stack ends. A call that is no op and in which nothing ran is none. */
static void pop(ThreadLog *log, int64_t now) {
    const StackEntry *e = tg_top_entry(log); /* what is above the stack stays as it is */
    StackEntry *parent = &log->stack[e->parent];
    log->depth--;
    if (e->is_frame && e->kind == tg_event_function && !e->is_transparent) learn_habit(log, e);
    if (!e->is_transparent && (e->kind != tg_event_function || e->has_events)) {
        write_entry(log, e, now);
    } else if (e->has_events) {
        add_to_parent(parent, e->children, e->shown_children, e->child_bytes, e->cursor);
        parent->bytes_at_cursor = e->bytes_at_cursor;
        parent->child_flops += e->child_flops;
    }
    if (e->parent == log->depth - 1) return;
    StackEntry *call = tg_top_entry(log); /* e was one of its arguments: it begins after them */
    call->start = call->cursor = now;
    call->bytes = call->bytes_at_cursor = tg_thread.live_bytes;
}

/* Forgets the frames that an error handler left by longjmp: the innermost one must be that of `site`. */
static void drop_left_frames(ThreadLog *log, const t_Site *site) {
    for (;;) {
        int i = log->depth - 1;
        while (i > 0 && !log->stack[i].is_frame) i--;
        if (i <= 0 || log->stack[i].site == site) return;
        log->depth = i;
    }
}

static int scope_depth(void) {
    return tg_thread.scope ? tg_thread.scope->depth : 1;
}

/* What runs in a frame before it has opened a scope or computed is an argument of its call. */
static bool is_argument_of(const StackEntry *call, int depth) {
    return call->is_frame && !call->has_events && depth <= call->scope_depth;
}

static void push_frame(ThreadLog *log, const Known *known, const t_Site *site, const t_Site *before, int depth) {
    StackEntry *e = tg_push_entry(log);
    if (!e) return;
    const int around = log->depth - 2;
    const StackEntry *call = &log->stack[around];
    e->parent = is_argument_of(call, depth) ? call->parent : around;
    const StackEntry *parent = &log->stack[e->parent];
    e->is_frame = true;
    e->is_transparent = known->is_transparent;
    e->kind = known->kind;
    e->formula = known->formula;
    e->habit = known->habit;
    e->name = known->name;
    e->plain = known->plain;
    e->plain_size = known->plain_size;
    e->site = site;
    e->before = before;
    e->module = parent->module;
    e->backward = parent->backward;
    e->in_step = parent->in_step;
    e->depth = (int16_t)(parent->depth + !e->is_transparent);
    e->scope_depth = depth;
    e->bytes = e->bytes_at_cursor = tg_thread.live_bytes;
    /* a module's call is no event, and the module has a clock of its own */
    e->start = e->cursor = e->is_transparent ? call->cursor : tg_profiler_clock();
}

/* Something runs in the call `site`: if that is the quiet one it begins now, else that was left by longjmp. */
static void push_quiet(ThreadLog *log, const t_Site *site) {
    if (!log->quiet) return;
    const Known *known = log->quiet == site ? tg_known_site(log, site) : NULL;
    log->quiet = NULL;
    if (known) push_frame(log, known, site, log->before_quiet, log->quiet_scope_depth);
}

static void leave_quiet(ThreadLog *log) {
    StackEntry *call = tg_top_entry(log);
    log->quiet = NULL;
    if (!is_argument_of(call, log->quiet_scope_depth)) return;
    call->start = call->cursor = tg_profiler_clock();
    call->bytes = call->bytes_at_cursor = tg_thread.live_bytes;
}

static void enter(const t_Site *before) {
    ThreadLog *log = tg_log_of_thread();
    if (!log) return;
    push_quiet(log, before);
    drop_left_frames(log, before);
    const t_Site *site = tg_thread.site;
    const Known *known = site ? tg_known_site(log, site) : NULL;
    if (!known) return;
    if (known->habit != TG_CALL_IS_QUIET || is_on(TG_MEMORY)) {
        push_frame(log, known, site, before, scope_depth());
        return;
    }
    log->quiet = site;
    log->before_quiet = before;
    log->quiet_scope_depth = scope_depth();
}

static void leave(const t_Site *before) {
    ThreadLog *log = tg_own_log;
    if (!log || log->depth == 0) return;
    if (log->quiet && log->quiet == tg_thread.site && log->before_quiet == before) {
        leave_quiet(log);
        return;
    }
    int i = log->depth - 1;
    while (i > 0 && !log->stack[i].is_frame) i--;
    if (i <= 0 || log->stack[i].site != tg_thread.site || log->stack[i].before != before) return;
    log->depth = i + 1;
    const StackEntry *e = tg_top_entry(log);
    const bool is_event = !e->is_transparent && (e->kind != tg_event_function || e->has_events);
    pop(log, is_event || e->parent != i - 1 ? tg_profiler_clock() : e->cursor);
}

/* ---- ranges ---- */

/* Whether the op is what the frame's macro calls, or the composite: mul of t_mul and of t_mul_. */
static inline bool is_op_of(const StackEntry *e, const char *name) {
    if (e->plain_size == 0) return false;
    size_t same = 0;
    while (same < e->plain_size && name[same] == e->plain[same]) same++;
    const char *rest = name + same, *plain_rest = e->plain + same;
    const size_t plain_left = e->plain_size - same;
    if (plain_left == 0) return rest[0] == '\0' || (rest[0] == '_' && rest[1] == '\0');
    return rest[0] == '\0' && plain_left == 1 && plain_rest[0] == '_';
}

/* A composite that a macro has called, or that calls itself, has an event already. */
static bool is_composite_of_top(ThreadLog *log, const char *name) {
    const StackEntry *e = tg_top_entry(log);
    return !e->has_events && is_op_of(e, name);
}

static double flops_of_rule(ThreadLog *log, const Record *r) {
    enum { MOST = 8 };
    const Known *known = tg_known_op(log, r->op->name);
    if (!known || known->formula == tg_flops_none) return 0;
    tg_ShapeOf shapes[MOST] = {{0, NULL}};
    int needed = 0;
    const int count = r->inputs < MOST ? r->inputs : MOST;
    for (int i = 0; i < count; i++) {
        shapes[i] = (tg_ShapeOf){r->edges[i].ndim, r->edges[i].shape};
        needed += r->edges[i].ndim > 1 && tg_needs(r, i);
    }
    return tg_rule_flops((tg_FlopsFormula)known->formula, shapes, count, (tg_ShapeOf){r->ndim, r->shape}, needed);
}

static void set_range(ThreadLog *log, StackEntry *e, tg_Range range, const void *what) {
    const Record *r = what;
    char name[160] = "";
    const Known *known = NULL;
    switch (range) {
    case tg_range_module:
        known = tg_known_module(log, e->module);
        if (known) e->module = known->module;
        break;
    case tg_range_evaluate:
    case tg_range_rule:
        known = range == tg_range_rule ? tg_known_rule(log, r->op->grad_fn) : tg_known_evaluate(log, r->op->grad_fn);
        e->site = r->site;
        e->module = r->profiled_module;
        e->sequence = range == tg_range_rule ? r->profiled : 0;
        e->backward = true;
        if (range == tg_range_rule && is_on(TG_FLOPS)) e->flops = flops_of_rule(log, r);
        break;
    case tg_range_accumulate:
        known = tg_known_accumulate(log);
        e->backward = true;
        break;
    case tg_range_op:
        known = tg_known_op(log, what);
        e->formula = known ? known->formula : 0;
        e->plain = what;
        e->plain_size = strlen(what);
        break;
    case tg_range_step:
        snprintf(name, sizeof name, "Optimizer.step#%s.step", (const char *)what);
        e->in_step = true;
        break;
    case tg_range_zero_grad: snprintf(name, sizeof name, "Optimizer.zero_grad#%s.zero_grad", (const char *)what); break;
    case tg_range_annotation: snprintf(name, sizeof name, "%s", (const char *)what); break;
    }
    e->kind = known ? known->kind : (uint8_t)tg_event_annotation;
    e->name = known ? known->name : *name ? tg_profiler_text(name) : NULL;
}

/* The index in the stack, and bits of the session, in which alone it is valid. */
static int token_of(const ThreadLog *log, int at) {
    return at | (int)(log->session & 0x7fff) << 16;
}

/* with_record_function opens its range in a frame that ends at once: the range takes its place. */
static void replace_frame(ThreadLog *log) {
    const StackEntry *frame = tg_top_entry(log);
    if (frame->is_frame && frame->name && strcmp(frame->name, "with_record_function") == 0) log->depth--;
}

static int begin(tg_Range range, const void *what) {
    ThreadLog *log = tg_log_of_thread();
    if (!log) return 0;
    push_quiet(log, tg_thread.site);
    if (range == tg_range_op && is_composite_of_top(log, what)) return 0;
    if (range == tg_range_annotation) replace_frame(log);
    StackEntry *e = tg_push_entry(log);
    if (!e) return 0;
    e->parent = log->depth - 2;
    const StackEntry *parent = &log->stack[e->parent];
    e->site = tg_thread.site;
    e->module = parent->module;
    e->backward = parent->backward;
    e->in_step = parent->in_step;
    e->depth = (int16_t)(parent->depth + 1);
    e->bytes = e->bytes_at_cursor = tg_thread.live_bytes;
    set_range(log, e, range, what);
    e->start = e->cursor = tg_profiler_clock();
    if (range == tg_range_accumulate && is_on(TG_MEMORY)) tg_tell_gradient(log, e, what);
    return token_of(log, log->depth - 1);
}

static void end(int token) {
    ThreadLog *log = tg_own_log;
    const int at = token & 0xffff;
    if (!log || at == 0 || at >= log->depth || token != token_of(log, at) || log->stack[at].is_frame) return;
    log->depth = at + 1;
    pop(log, tg_profiler_clock());
}

/* ---- ops ---- */

static double flops_of(tg_FlopsFormula formula, const Tensor *y, Tensor *const *inputs, int count) {
    enum { MOST = 5 };
    tg_ShapeOf shapes[MOST];
    if (count > MOST) count = MOST;
    for (int i = 0; i < count; i++)
        shapes[i] = inputs[i] ? (tg_ShapeOf){inputs[i]->ndim, inputs[i]->shape} : (tg_ShapeOf){0, NULL};
    return tg_op_flops(formula, shapes, count, (tg_ShapeOf){y->ndim, y->shape});
}

/* The event that was written last, an op that has recorded before it computed, ends now. */
static void extend_last_event(ThreadLog *log, int64_t sequence, int64_t now, int64_t more) {
    tg_occupy_log(log);
    LogEvent *last = log->last && log->last->count ? &log->last->items[log->last->count - 1] : NULL;
    if (last && last->sequence == sequence) last->end = now;
    tg_EventSum *sum = is_on(TG_SUMS) && log->last_sum ? &log->sums[log->last_sum - 1] : NULL;
    if (sum) {
        sum->own += more;
        sum->shown_own += more;
        sum->total += more;
        if (sum->at_site) sum->at_site += more;
    }
    tg_free_log(log);
}

/* An op is what its frame or composite is of: that has its shapes. One with several results tells each of them. */
static void set_own_op(StackEntry *e, int64_t sequence, const char *shapes, double flops) {
    if (!e->has_own_op || !e->sequence) e->sequence = sequence;
    if (!e->has_own_op) e->shapes = shapes;
    e->flops += flops;
    e->has_own_op = true;
}

static void op_ends(const struct t_Function *op, Tensor *y, Tensor *const *inputs, int count) {
    ThreadLog *log = tg_log_of_thread();
    if (!log) return;
    push_quiet(log, tg_thread.site);
    StackEntry *e = tg_top_entry(log);
    Record *r = y->record && y->record->op == op ? y->record : NULL;
    const bool extends = r && r->profiled == log->sequence && r->profiled, is_new = r && !r->profiled;
    if (extends && e->sequence == r->profiled) return; /* its frame is open */
    const bool is_own = is_op_of(e, op->name);
    const int64_t now = is_own && !is_on(TG_MEMORY) ? 0 : tg_profiler_clock();
    if (extends) {
        extend_last_event(log, r->profiled, now, now - e->cursor);
        add_to_parent(e, now - e->cursor, now - e->cursor, tg_thread.live_bytes - e->bytes_at_cursor, now);
        return;
    }
    if (is_new) {
        r->profiled = log->sequence = log->sequence ? log->sequence + 1 : ((int64_t)log->number << 40) + 1;
        r->profiled_module = e->module;
    }
    const int64_t sequence = is_new ? r->profiled : 0;
    const char *shapes = is_on(TG_SHAPES) ? tg_shapes_text(inputs, count) : NULL;
    if (is_own && !is_on(TG_MEMORY)) {
        const bool counts = e->formula != tg_flops_none && is_on(TG_FLOPS);
        set_own_op(e, sequence, shapes, counts ? flops_of((tg_FlopsFormula)e->formula, y, inputs, count) : 0);
        return;
    }
    const Known *known = tg_known_op(log, op->name);
    const bool has_flops = is_on(TG_FLOPS) && known && known->formula != tg_flops_none;
    const double flops = has_flops ? flops_of((tg_FlopsFormula)known->formula, y, inputs, count) : 0;
    if (is_on(TG_MEMORY)) tg_tell_op_memory(log, e, known ? known->name : NULL, now, y, inputs, count);
    if (is_own) {
        set_own_op(e, sequence, shapes, flops);
        return;
    }
    /* A view takes no time: what was computed since the last event is the parent's, a kernel of its own. */
    if (tg_is_view_of_input(y, inputs, count)) e->cursor = now, e->bytes_at_cursor = tg_thread.live_bytes;
    const StackEntry event = {.name = known ? known->name : NULL,
                              .site = e->site,
                              .module = e->module,
                              .shapes = shapes,
                              .flops = flops,
                              .start = e->cursor,
                              .bytes = e->bytes_at_cursor,
                              .sequence = sequence,
                              .depth = (int16_t)(e->depth + 1),
                              .kind = tg_event_op,
                              .backward = e->backward};
    if (event.name) write_event(log, &event, log->depth - 1, now);
    e->child_flops += flops;
    add_to_parent(e, now - event.start, now - event.start, tg_thread.live_bytes - event.bytes, now);
}

const tg_ProfilerHooks tg_recorder_hooks = {enter, leave, begin, end, op_ends, tg_storage_changes, tg_leave_log};
