/* core/profiler/key_averages.c: lists of events, and their sums by operation, by module and by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profiler/profile_internal.h"

/* ---- lists ---- */

static void destroy(void *object) {
    profiler_EventList *events = object;
    free(events->items);
    tg_object_dispose(&events->object);
    tg_object_free(&events->object, sizeof *events);
}
static const t_Class list_class = {"EventList", destroy};

bool tg_check_event_list(const profiler_EventList *events, int position) {
    if (!tg_check_given(events != NULL, position, "a list of events")) return false;
    return events->object.is_a == &list_class ||
           tg_fail("argument %d is no list of events, or died with its scope", position);
}

profiler_EventList *tg_event_list(int64_t capacity) {
    profiler_EventList *events = tg_alloc(sizeof *events);
    if (!events) return NULL;
    tg_object_init(&events->object, &list_class);
    events->items = calloc((size_t)capacity + 1, sizeof *events->items);
    events->capacity = capacity;
    if (events->items) return events;
    t_release(tg_take_from_scope(events));
    return tg_fail("out of memory: a list of %lld events", (long long)capacity);
}

int64_t profiler_len(const profiler_EventList *events) {
    return tg_check_event_list(events, 1) ? events->count : -1;
}

const profiler_FunctionEvent *profiler_get(const profiler_EventList *events, int64_t i) {
    if (!tg_check_event_list(events, 1)) return NULL;
    const int64_t at = i < 0 ? i + events->count : i;
    return at >= 0 && at < events->count ? &events->items[at] : tg_fail("list index out of range");
}

const profiler_FunctionEvent *profiler_items(const profiler_EventList *events) {
    return tg_check_event_list(events, 1) ? events->items : NULL;
}

/* ---- single events ---- */

static double microseconds(int64_t nanoseconds) {
    return (double)nanoseconds / 1000.0;
}

/* Its self time is without all events in it, or without those that are shown. */
static profiler_FunctionEvent function_event(const tg_Event *e, int64_t start, bool among_all) {
    const int64_t children = among_all ? e->children : e->shown_children;
    const double total = microseconds(e->end - e->start), own = microseconds(e->end - e->start - children);
    return (profiler_FunctionEvent){
        .key = e->name,
        .cpu_time_total = total,
        .self_cpu_time_total = own,
        .forward_time = e->backward ? 0 : own,
        .backward_time = e->backward ? own : 0,
        .cpu_memory_usage = e->bytes,
        .self_cpu_memory_usage = e->own_bytes,
        .count = 1,
        .flops = e->flops,
        .input_shapes = e->shapes,
        .stack = e->stack,
        .module_path = e->module ? e->module->path : NULL,
        .file = e->site ? e->site->file : NULL,
        .line = e->site ? e->site->line : 0,
        .start = microseconds(e->start - start),
        .end = microseconds(e->end - start),
        .thread = e->thread,
        .sequence_nr = e->sequence ? (e->sequence & (((int64_t)1 << 40) - 1)) - 1 : -1,
        .parent = -1,
        .is_user_annotation = e->kind == tg_event_annotation,
        .is_backward = e->backward,
    };
}

/* The index of the event around each one; the events are in the order of their start, parents first. */
static bool find_parents(const tg_Recording *from, int64_t *parents) {
    int64_t *open = malloc((size_t)(from->count + 1) * sizeof *open), n = 0;
    if (!open) return false;
    for (int32_t thread = 0, next = -1; thread >= 0; thread = next, next = -1, n = 0)
        for (int64_t i = 0; i < from->count; i++) {
            const tg_Event *e = &from->events[i];
            if (e->thread > thread && (next < 0 || e->thread < next)) next = e->thread;
            if (e->thread != thread) continue;
            while (n && (from->events[open[n - 1]].depth >= e->depth || from->events[open[n - 1]].end < e->end)) n--;
            parents[i] = n ? open[n - 1] : -1;
            open[n++] = i;
        }
    free(open);
    return true;
}

/* The shown event around each one, as its index among the shown events; -1: none. NULL with an error; free() it. */
static int64_t *shown_parents(const tg_Recording *from) {
    int64_t *parents = malloc((size_t)(from->count + 1) * 2 * sizeof *parents), shown = 0;
    if (!parents || !find_parents(from, parents)) {
        free(parents);
        return tg_fail("out of memory: a list of events");
    }
    int64_t *index = parents + from->count; /* of the event, or of the one around it, among the shown ones */
    for (int64_t i = 0; i < from->count; i++) {
        const int64_t around = parents[i] >= 0 ? index[parents[i]] : -1;
        index[i] = tg_is_shown(from->events[i].kind) ? shown++ : around;
        parents[i] = around;
    }
    return parents;
}

profiler_EventList *profiler_events(const profiler_profile *prof) {
    const tg_Recording *from = tg_recording_of(prof);
    profiler_EventList *events = from ? tg_event_list(from->count) : NULL;
    if (!events) return NULL;
    int64_t *parents = shown_parents(from);
    const bool ok = parents != NULL;
    for (int64_t i = 0; ok && i < from->count; i++) {
        if (!tg_is_shown(from->events[i].kind)) continue;
        profiler_FunctionEvent event = function_event(&from->events[i], from->start, false);
        event.parent = parents[i];
        events->items[events->count++] = event;
    }
    events->has_memory = ok && prof->o.profile_memory;
    events->has_flops = ok && prof->o.with_flops;
    free(parents);
    if (ok) return events;
    t_release(tg_take_from_scope(events));
    return NULL;
}

/* ---- sums ---- */

static void add(profiler_FunctionEvent *to, const profiler_FunctionEvent *from) {
    to->cpu_time_total += from->cpu_time_total;
    to->self_cpu_time_total += from->self_cpu_time_total;
    to->forward_time += from->forward_time;
    to->backward_time += from->backward_time;
    to->cpu_memory_usage += from->cpu_memory_usage;
    to->self_cpu_memory_usage += from->self_cpu_memory_usage;
    to->count += from->count;
    to->flops += from->flops;
}

/* The length of the first n lines of a text. */
static size_t length_of_lines(const char *text, int64_t n) {
    const char *at = text;
    for (; n > 0 && *at; n--) {
        at += strcspn(at, "\n");
        if (n > 1 && *at) at++;
    }
    return (size_t)(at - text) - (at > text && at[-1] == '\n');
}

/* The row of the key, which is added where there is none. Texts are shared, so that pointers are compared. */
static profiler_FunctionEvent *row_of(profiler_EventList *rows, const profiler_FunctionEvent *key) {
    for (int64_t i = 0; i < rows->count; i++) {
        profiler_FunctionEvent *row = &rows->items[i];
        if (row->key == key->key && row->input_shapes == key->input_shapes && row->stack == key->stack) return row;
    }
    if (rows->count == rows->capacity) { /* a path above the modules that were called */
        const int64_t capacity = 2 * rows->capacity + 16;
        profiler_FunctionEvent *items = realloc(rows->items, (size_t)capacity * sizeof *items);
        if (!items) return NULL;
        rows->items = items;
        rows->capacity = capacity;
    }
    profiler_FunctionEvent *row = &rows->items[rows->count++];
    *row = (profiler_FunctionEvent){.key = key->key,
                                    .input_shapes = key->input_shapes,
                                    .stack = key->stack,
                                    .module_path = key->module_path,
                                    .file = key->file,
                                    .line = key->line,
                                    .sequence_nr = -1,
                                    .parent = key->parent,
                                    .is_user_annotation = key->is_user_annotation,
                                    .is_backward = key->is_backward};
    return row;
}

/* An event, or the sum of those of one key. */
typedef struct Part {
    profiler_FunctionEvent event; /* without a list's index */
    uint8_t kind;
    const char *type; /* of the module */
    double at_line;   /* of cpu_time_total, what is outermost at its line */
} Part;

static bool add_by_name(profiler_EventList *rows, const Part *part, const profiler_KeyAveragesOptions *o) {
    if (!tg_is_shown(part->kind)) return true;
    profiler_FunctionEvent key = part->event;
    if (strncmp(key.key, "ProfilerStep#", 13) == 0) key.key = tg_profiler_text("ProfilerStep*");
    if (!key.key) return tg_fail("out of memory: the name of an event");
    if (!o->group_by_input_shape) key.input_shapes = NULL;
    if (o->group_by_stack_n > 0 && key.stack) {
        const size_t length = length_of_lines(key.stack, o->group_by_stack_n);
        char *text = malloc(length + 1);
        if (!text) return tg_fail("out of memory: the stack of an event");
        memcpy(text, key.stack, length);
        text[length] = '\0';
        key.stack = tg_profiler_text(text);
        free(text);
        if (!key.stack) return tg_fail("out of memory: the stack of an event");
    } else {
        key.stack = NULL;
    }
    profiler_FunctionEvent *row = row_of(rows, &key);
    if (row) add(row, &part->event);
    return row || tg_fail("out of memory: the rows of a table");
}

/* Self time goes to the module's path, and as total time to all paths around it. Calls are those of the module. */
static bool add_by_module(profiler_EventList *rows, const Part *part) {
    char path[512];
    profiler_FunctionEvent own = part->event;
    const bool is_module = part->kind == tg_event_module;
    snprintf(path, sizeof path, "%s", own.module_path ? own.module_path : "(no module)");
    own.input_shapes = own.stack = NULL;
    own.count = is_module ? own.count : 0;
    own.cpu_time_total = own.self_cpu_time_total;
    own.cpu_memory_usage = own.self_cpu_memory_usage;
    own.file = NULL;
    for (bool innermost = true; *path; innermost = false) {
        own.key = tg_profiler_text(path);
        profiler_FunctionEvent *row = own.key ? row_of(rows, &own) : NULL;
        if (!row) return tg_fail("out of memory: the rows of a table");
        if (!innermost) {
            own.count = 0;
            own.self_cpu_time_total = 0;
            own.self_cpu_memory_usage = 0;
        }
        add(row, &own);
        char *dot = strrchr(path, '.');
        if (!dot || !own.module_path) break;
        *dot = '\0';
    }
    return true;
}

static bool add_by_line(profiler_EventList *rows, const Part *part) {
    char line[512];
    profiler_FunctionEvent own = part->event;
    if (own.file)
        snprintf(line, sizeof line, "%s:%d", own.file, own.line);
    else
        snprintf(line, sizeof line, "(no line)");
    own.key = tg_profiler_text(line);
    own.input_shapes = own.stack = NULL;
    own.cpu_time_total = own.file ? part->at_line : own.self_cpu_time_total;
    own.cpu_memory_usage = own.self_cpu_memory_usage;
    profiler_FunctionEvent *row = own.key ? row_of(rows, &own) : NULL;
    if (row) add(row, &own);
    return row || tg_fail("out of memory: the rows of a table");
}

static bool add_part(profiler_EventList *rows, const Part *part, const profiler_KeyAveragesOptions *o) {
    return o->group_by_module ? add_by_module(rows, part)
           : o->group_by_line ? add_by_line(rows, part)
                              : add_by_name(rows, part, o);
}

static profiler_EventList *finished(profiler_EventList *rows, bool ok) {
    if (ok) return rows;
    if (rows) t_release(tg_take_from_scope(rows));
    return NULL;
}

profiler_EventList *profiler_key_averages(const profiler_profile *prof, const profiler_KeyAveragesOptions *options) {
    profiler_KeyAveragesOptions o = {.size = sizeof o};
    const tg_Recording *from = tg_recording_of(prof);
    if (!from || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.group_by_module && o.group_by_line) return tg_fail("group_by_module and group_by_line exclude each other");
    const bool by_name = !o.group_by_module && !o.group_by_line;
    profiler_EventList *rows = tg_event_list(64);
    int64_t *parents = rows && by_name ? shown_parents(from) : NULL;
    bool ok = rows && (parents || !by_name);
    for (int64_t i = 0; ok && i < from->count; i++) {
        const tg_Event *e = &from->events[i];
        Part part = {function_event(e, from->start, !by_name), e->kind, e->module ? e->module->type : NULL,
                     e->outermost_at_site ? microseconds(e->end - e->start) : 0};
        if (by_name) part.event.parent = parents[i];
        ok = add_part(rows, &part, &o);
    }
    free(parents);
    if (!ok) return finished(rows, false);
    rows->has_memory = prof->o.profile_memory;
    rows->has_flops = prof->o.with_flops;
    rows->has_directions = !by_name;
    return rows;
}

static profiler_EventList *rows_of_sums(const tg_EventSum *sums, int64_t count, const profiler_KeyAveragesOptions *o) {
    profiler_EventList *rows = tg_event_list(64);
    bool ok = rows != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        const tg_EventSum *s = &sums[i];
        const double own = microseconds(o->group_by_module || o->group_by_line ? s->own : s->shown_own);
        const Part part = {{.key = s->name,
                            .cpu_time_total = microseconds(s->total),
                            .self_cpu_time_total = own,
                            .forward_time = s->backward ? 0 : own,
                            .backward_time = s->backward ? own : 0,
                            .cpu_memory_usage = s->bytes,
                            .self_cpu_memory_usage = s->own_bytes,
                            .count = s->calls,
                            .flops = s->flops,
                            .module_path = s->module ? s->module->path : NULL,
                            .file = s->site ? s->site->file : NULL,
                            .line = s->site ? s->site->line : 0,
                            .sequence_nr = -1,
                            .parent = -1,
                            .is_user_annotation = s->kind == tg_event_annotation,
                            .is_backward = s->backward},
                           s->kind,
                           s->module ? s->module->type : NULL,
                           microseconds(s->at_site)};
        ok = add_part(rows, &part, o);
    }
    if (ok) rows->has_memory = rows->has_flops = true;
    if (ok) rows->has_directions = o->group_by_module || o->group_by_line;
    return finished(rows, ok);
}

profiler_EventList *tg_sums_by_name(const tg_EventSum *sums, int64_t count) {
    return rows_of_sums(sums, count, &(profiler_KeyAveragesOptions){.size = sizeof(profiler_KeyAveragesOptions)});
}

profiler_EventList *tg_sums_by_module(const tg_EventSum *sums, int64_t count) {
    return rows_of_sums(
        sums, count,
        &(profiler_KeyAveragesOptions){.size = sizeof(profiler_KeyAveragesOptions), .group_by_module = true});
}

profiler_EventList *tg_sums_by_line(const tg_EventSum *sums, int64_t count) {
    return rows_of_sums(
        sums, count,
        &(profiler_KeyAveragesOptions){.size = sizeof(profiler_KeyAveragesOptions), .group_by_line = true});
}

profiler_EventList *profiler_total_average(const profiler_EventList *events) {
    if (!tg_check_event_list(events, 1)) return NULL;
    profiler_EventList *total = tg_event_list(1);
    if (!total) return NULL;
    total->items[0] = (profiler_FunctionEvent){.key = "Total", .sequence_nr = -1, .parent = -1};
    for (int64_t i = 0; i < events->count; i++) add(&total->items[0], &events->items[i]);
    total->count = 1;
    total->has_memory = events->has_memory;
    total->has_flops = events->has_flops;
    total->has_directions = events->has_directions;
    return total;
}
