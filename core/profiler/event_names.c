/* core/profiler/event_names.c: the names of events by what they are of: a call site, an op, a gradient rule, a module.
 * Each thread has a table of those that it has met. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profiler/thread_log.h"

/* Second keys. */
static const char site_key, op_key, rule_key, evaluate_key, accumulate_key;

static size_t slot_of(const ThreadLog *log, const void *key, const void *second) {
    const size_t hash = ((size_t)key >> 3) * 0x9e3779b97f4a7c15u ^ ((size_t)second >> 3) * 0xc2b2ae3d27d4eb4fu;
    return (hash ^ hash >> 29) & (log->known_capacity - 1);
}

static bool grow_known(ThreadLog *log) {
    const size_t before = log->known_capacity;
    Known *old = log->known, *known = calloc(before ? 2 * before : 256, sizeof *known);
    if (!known) return false;
    log->known = known;
    log->known_capacity = before ? 2 * before : 256;
    for (size_t i = 0; i < before; i++) {
        if (!old[i].key) continue;
        size_t at = slot_of(log, old[i].key, old[i].second);
        while (known[at].key) at = (at + 1) & (log->known_capacity - 1);
        known[at] = old[i];
    }
    free(old);
    return true;
}

/* The slot of the keys, whose name is NULL if it is new; NULL on out of memory. */
static inline Known *find_known(ThreadLog *log, const void *key, const void *second) {
    if (2 * log->known_count >= log->known_capacity && !grow_known(log)) return NULL;
    size_t at = slot_of(log, key, second);
    while (log->known[at].key && (log->known[at].key != key || log->known[at].second != second))
        at = (at + 1) & (log->known_capacity - 1);
    Known *known = &log->known[at];
    if (!known->key) {
        known->key = key;
        known->second = second;
        log->known_count++;
    }
    return known;
}

const Known *tg_known_site(ThreadLog *log, const t_Site *site) {
    Known *known = find_known(log, site, &site_key);
    if (!known || known->name) return known;
    char name[96];
    known->kind = tg_call_name(site->text, name, sizeof name, &known->plain, &known->plain_size);
    known->name = tg_profiler_text(name);
    known->is_transparent = strncmp(name, "nn_call", 7) == 0; /* the event is the module's */
    snprintf(name, sizeof name, "%.*s", (int)known->plain_size, known->plain);
    known->formula = (uint8_t)tg_flops_formula(name);
    return known;
}

void tg_set_habit(ThreadLog *log, const t_Site *site, CallHabit habit) {
    Known *known = find_known(log, site, &site_key);
    if (known) known->habit = (uint8_t)habit;
}

static const Known *known_text(ThreadLog *log, const char *text, const void *key, const char *prefix) {
    Known *known = find_known(log, text, key);
    if (!known || known->name) return known;
    char name[160];
    snprintf(name, sizeof name, "%s%s", prefix, text);
    known->name = tg_profiler_text(name);
    known->kind = tg_event_op;
    known->formula = (uint8_t)(key == &op_key ? tg_flops_formula(text) : tg_flops_none);
    return known;
}

const Known *tg_known_op(ThreadLog *log, const char *name) {
    return known_text(log, strcmp(name, "cross_entropy") == 0 ? "cross_entropy_loss" : name, &op_key, "aten::");
}
const Known *tg_known_rule(ThreadLog *log, const char *grad_fn) {
    return known_text(log, grad_fn, &rule_key, "");
}
const Known *tg_known_evaluate(ThreadLog *log, const char *grad_fn) {
    return known_text(log, grad_fn, &evaluate_key, "autograd::engine::evaluate_function: ");
}
const Known *tg_known_accumulate(ThreadLog *log) {
    return known_text(log, "torch::autograd::AccumulateGrad", &accumulate_key, "");
}

const Known *tg_known_module(ThreadLog *log, const tg_ModulePath *around) {
    const tg_ModuleFrame *frame = tg_thread.module_frame;
    Known *known = find_known(log, frame->module, around);
    if (!known || known->name) return known;
    char path[400], text[400], name[160];
    frame->print(frame, false, path, sizeof path);
    frame->print(frame, true, text, sizeof text); /* "model.0, Linear(4, 2)" */
    const size_t length = strlen(path);
    char *type = strlen(text) > length + 2 ? text + length + 2 : text;
    type[strcspn(type, "(")] = '\0';
    snprintf(name, sizeof name, "nn.Module: %.140s", type);
    known->module = tg_profiler_module(path, type);
    known->name = known->module ? tg_profiler_text(name) : NULL;
    known->kind = tg_event_module;
    return known;
}

const char *tg_shapes_text(Tensor *const *inputs, int count) {
    char text[512] = "[";
    size_t at = 1;
    for (int i = 0; i < count && at < sizeof text - 64; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s[", i ? ", " : "");
        for (int d = 0; inputs[i] && !inputs[i]->wrapped_number && d < inputs[i]->ndim && at < sizeof text - 32; d++)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "%s%lld", d ? ", " : "", (long long)inputs[i]->shape[d]);
        text[at++] = ']';
    }
    text[at++] = ']';
    text[at] = '\0';
    return tg_profiler_text(text);
}
