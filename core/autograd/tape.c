/* core/autograd/tape.c: creation, reference counts and release of records, without recursion; functions for gradient
 * rules. */
#include "core/autograd/tape.h"

#include <stddef.h>
#include <string.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"
#include "core/autograd/hooks.h"
#include "core/autograd/saved_hooks_internal.h"
#include "core/autograd/teach.h"
#include "core/autograd/trace.h"

/* ---- records ---- */

static size_t round_up(size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

static Record *new_record(int inputs, int saves, size_t attribute_bytes) {
    size_t edges = round_up(sizeof(Record)), saved = edges + round_up((size_t)inputs * sizeof(Edge));
    size_t attributes = saved + round_up((size_t)saves * sizeof(Saved)), bytes = attributes + attribute_bytes;
    char *block = tg_alloc(bytes);
    if (!block) return NULL;
    Record *r = (Record *)block;
    r->refs = 1;
    r->bytes = bytes;
    r->inputs = inputs;
    r->saves = saves;
    r->edges = (Edge *)(block + edges);
    r->saved = (Saved *)(block + saved);
    r->attributes = block + attributes;
    return r;
}

static void link_into_tape(Record *r) {
    Context *thread = &tg_thread;
    r->number = ++thread->records_made;
    thread->records_alive++;
    r->site = thread->site;
    r->older = thread->tape;
    if (thread->tape) thread->tape->newer = r;
    thread->tape = r;
}

static void unlink_from_tape(Record *r) {
    Context *thread = &tg_thread;
    if (r->number == 0) return; /* never pushed: its creation failed */
    if (r->newer) r->newer->older = r->older;
    else thread->tape = r->older;
    if (r->older) r->older->newer = r->newer;
    if (--thread->records_alive == 0) thread->records_made = 0;
}

static void free_saved(Record *r) {
    for (int i = 0; i < r->saves; i++) {
        Saved *saved = &r->saved[i];
        if (saved->is_copy_on_write &&
            saved->tensor->storage->copy_on_write_refs) saved->tensor->storage->copy_on_write_refs--;
        saved->is_copy_on_write = false;
        if (saved->is_packed) tg_free_packed(saved);
        t_release(saved->tensor);
        saved->tensor = NULL;
    }
}

static void mark_freed(Record *r) {
    const Backward *run = tg_thread.backward;
    r->freed = true;
    r->freed_by = run ? run->site : NULL;
}

void tg_record_free_saved(Record *r) {
    if (r->saves == 0) return;
    free_saved(r);
    mark_freed(r);
}

static size_t details_bytes(const Record *r) {
    return sizeof *r->details + (size_t)r->inputs * sizeof *r->details->constants;
}

static void free_details(Record *r) {
    if (!r->details) return;
    t_release(r->details->output.tensor);
    for (int i = 0; i < r->inputs; i++) t_release(r->details->constants[i].tensor);
    tg_free(r->details, details_bytes(r));
}

void tg_record_retain(Record *r) {
    if (r) r->refs++;
}

/* Freeing a record releases its inputs' records, which may free theirs, and so on for 100,000 ops: so there is a list
 * and one loop instead of recursion. The list is linked by `older`, because its records are not on the tape any
 * more. */
void tg_record_release(Record *r) {
    Context *thread = &tg_thread;
    if (!r || --r->refs > 0) return;
    unlink_from_tape(r);
    r->older = thread->dead_records;
    thread->dead_records = r;
    if (thread->freeing) return;
    thread->freeing = true;
    while ((r = thread->dead_records)) {
        thread->dead_records = r->older;
        free_saved(r);
        tg_hooks_release(&r->hooks);
        t_release(r->pending);
        free_details(r);
        for (int i = 0; i < r->inputs; i++) {
            tg_record_release(r->edges[i].record);
            t_release(r->edges[i].leaf);
        }
        tg_free(r, r->bytes);
    }
    thread->freeing = false;
}

/* ---- recording ---- */

bool tg_will_record(Tensor **inputs, int count) {
    if (!tg_context()->grad_enabled) return false;
    for (int i = 0; i < count; i++)
        if (inputs[i] && inputs[i]->requires_grad) return true;
    return false;
}

static bool set_edge(Edge *edge, Tensor *x) {
    if (!x) return true;
    edge->dtype = x->dtype;
    edge->ndim = x->ndim;
    memcpy(edge->shape, x->shape, sizeof x->shape);
    if (!tg_update_view_record(x)) return false;
    if (!x->requires_grad) return true;
    edge->record = x->record;
    tg_record_retain(edge->record);
    if (!x->record) edge->leaf = t_retain(x);
    return true;
}

/* Saves x in the record of y. y holds a reference to its record, so y itself is saved as an alias without a record:
 * otherwise the two would keep each other alive. */
static bool save(Saved *saved, Tensor *x, const Tensor *y) {
    if (!x) return true;
    saved->is_output = x == y;
    saved->tensor = saved->is_output ? tg_take_from_scope(tg_alias(x)) : t_retain(x);
    saved->version = x->storage->version;
    return saved->tensor != NULL;
}

bool t_set_tape_values(bool on) {
    bool before = tg_context()->keeps_values;
    tg_thread.keeps_values = on;
    return before;
}

static bool keep_value(KeptValue *kept, Tensor *x) {
    kept->tensor = tg_take_from_scope(tg_alias(x));
    kept->version = x->storage->version;
    if (!kept->tensor) return false;
    kept->tensor->wrapped_number = x->wrapped_number;
    kept->tensor->is_parameter = x->is_parameter;
    return true;
}

/* The running calls whose module is named in the path: "model" and "model.0" in "model.0". */
static void keep_calls(RecordDetails *details) {
    char path[sizeof details->path];
    tg_print_module(false, details->path, sizeof details->path);
    for (const tg_ModuleFrame *frame = tg_thread.module_frame; frame; frame = frame->outer) {
        frame->print(frame, false, path, sizeof path);
        size_t length = strlen(path);
        bool is_named = strncmp(path, details->path, length) == 0 && strchr(".", details->path[length]);
        if (is_named && details->call_count < TG_MAX_CALLS)
            details->calls[details->call_count++] = (ModuleCall){frame->call, (int)length};
    }
}

static bool keep_details(Record *r, Tensor *y, Tensor *const *inputs) {
    r->details = tg_alloc(details_bytes(r));
    bool ok = r->details && keep_value(&r->details->output, y);
    for (int i = 0; ok && i < r->inputs; i++)
        if (inputs[i] && !r->edges[i].record && !r->edges[i].leaf)
            ok = keep_value(&r->details->constants[i], inputs[i]);
    if (ok) keep_calls(r->details);
    return ok;
}

/* Makes r the record of y and puts it on the tape. */
static void push_record(Record *r, const Op *op, Tensor *y) {
    r->op = op;
    r->dtype = y->dtype;
    r->ndim = y->ndim;
    memcpy(r->shape, y->shape, sizeof y->shape);
    link_into_tape(r);
    tg_set_record(y, r);
    y->requires_grad = true;
}

/* packed: what pack hooks returned for the saved tensors; NULL where there are none. */
static inline bool attach_record(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved,
                                 int saved_count, const t_TensorList *packed, const void *attributes,
                                 size_t attribute_bytes) {
    Record *r = new_record(input_count, saved_count, attribute_bytes);
    bool ok = r != NULL;
    for (int i = 0; ok && i < input_count; i++) ok = set_edge(&r->edges[i], inputs[i]);
    for (int i = 0; ok && i < saved_count; i++)
        ok = packed && packed->items[i] ? tg_save_packed(&r->saved[i], saved[i], y, packed->items[i])
                                        : save(&r->saved[i], saved[i], y);
    if (tg_thread.keeps_values) ok = ok && keep_details(r, y, inputs);
    if (!ok) {
        tg_record_release(r);
        return false;
    }
    if (attribute_bytes) memcpy(r->attributes, attributes, attribute_bytes);
    push_record(r, op, y);
    return true;
}

bool tg_attach_record(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved, int saved_count,
                      const void *attributes, size_t attribute_bytes) {
    bool ok;
    if (!tg_thread.saved_hooks || saved_count == 0 || tg_thread.saved_hooks_off) {
        ok = attach_record(op, y, inputs, input_count, saved, saved_count, NULL, attributes, attribute_bytes);
    } else {
        const int depth = t_scope_open();
        const t_TensorList *packed = depth ? tg_pack_all(saved, saved_count, y) : NULL;
        ok = packed && attach_record(op, y, inputs, input_count, saved, saved_count, packed, attributes,
                                     attribute_bytes);
        t_scope_close(depth);
    }
    if (ok) tg_profile_op(op, y, inputs, input_count);
    return ok;
}

void tg_set_record(Tensor *x, Record *r) {
    bool retains = x->record && x->record->retainer == x;
    if (retains) x->record->retainer = NULL;
    tg_record_release(x->record);
    x->record = r;
    if (retains && r) r->retainer = x;
}

void tg_save_copy_on_write(Tensor *y, int i) {
    if (!y || !y->record || !y->record->saved[i].tensor || y->record->saved[i].is_packed) return;
    y->record->saved[i].is_copy_on_write = true;
    y->record->saved[i].tensor->storage->copy_on_write_refs++;
}

/* ---- ops whose rule is once_differentiable ---- */

static void not_twice_differentiable(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    (void)dx;
    const Op *op = *(const Op *const *)r->attributes;
    tg_fail("%s is not twice differentiable: a gradient that %s returned cannot be differentiated", op->name,
            op->grad_fn);
}

bool tg_attach_error_record(Record *r, Tensor *dy, Tensor *dx) {
    static const Op error_op = {"no_second_gradient", "NotTwiceDifferentiableBackward", not_twice_differentiable};
    Record *record = new_record(r->inputs + 1, 0, sizeof r->op);
    if (!record || !set_edge(&record->edges[r->inputs], dy)) {
        tg_record_release(record);
        return false;
    }
    for (int i = 0; i < r->inputs; i++) { /* dx depends on what y depends on, and on dy */
        record->edges[i] = r->edges[i];
        tg_record_retain(r->edges[i].record);
        t_retain(r->edges[i].leaf);
    }
    memcpy(record->attributes, &r->op, sizeof r->op);
    push_record(record, &error_op, dx);
    return true;
}

/* ---- traces ---- */

void tg_trace_begin(tg_Trace *trace) {
    trace->before = tg_context()->anomaly;
    tg_thread.anomaly = (struct Anomaly){.on = true};
    tg_thread.trace = trace;
}

void tg_trace_end(tg_Trace *trace) {
    tg_thread.trace = NULL;
    tg_thread.anomaly = trace->before;
}

/* ---- recording ops ---- */

Tensor *tg_record(const Op *op, Tensor *y, Tensor **inputs, int input_count, Tensor **saved, int saved_count,
                  const void *attributes, size_t attribute_bytes) {
    if (y && tg_thread.trace && tg_thread.grad_enabled)
        tg_thread.trace->record(tg_thread.trace, op, y, inputs, input_count, saved, saved_count, attributes,
                                attribute_bytes);
    else if (y && tg_thread.anomaly.on && !tg_check_forward(op, y, inputs, input_count)) {
        t_release(tg_take_from_scope(y));
        return NULL;
    }
    const bool records = y && tg_will_record(inputs, input_count);
    if (y && !(records && tg_is_floating(y->dtype))) tg_profile_op(op, y, inputs, input_count);
    if (!records) return y;
    if (tg_is_floating(y->dtype) &&
        !tg_attach_record(op, y, inputs, input_count, saved, saved_count, attributes, attribute_bytes)) {
        t_release(tg_take_from_scope(y));
        return NULL;
    }
    if (tg_thread.teaching) tg_teach_forward(op, inputs[0], y, attributes);
    return y;
}

/* ---- for rules ---- */

bool tg_needs(const Record *r, int i) {
    return tg_edge_needs_gradient(tg_thread.backward, &r->edges[i]);
}

Tensor *tg_fail_version(const Record *r, const Tensor *x, int64_t expected, bool is_output) {
    const char *maker = is_output ? r->op->grad_fn : x->record ? x->record->op->grad_fn : NULL;
    char of[128] = "";
    const char *end = maker ? strstr(maker, "Backward") : NULL; /* PyTorch says "Add" of AddBackward0 here */
    if (maker) snprintf(of, sizeof of, ", which is output 0 of %.*s,", end ? (int)(end - maker) : 64, maker);
    return tg_fail("one of the variables needed for gradient computation has been modified by an inplace operation: "
                   "[torch.%sTensor %s]%s is at version %lld; expected version %lld instead. Hint: t_tape_print shows "
                   "which call saved it (record %lld, %s, %s:%d)",
                   tg_scalar_name(x->dtype), tg_shape_of(x), of, (long long)x->storage->version,
                   (long long)expected, (long long)r->number, r->op->name, r->site ? r->site->file : "?",
                   r->site ? r->site->line : 0);
}

Tensor *tg_saved(Record *r, int i) {
    Saved *saved = &r->saved[i];
    if (!saved->tensor) return NULL;
    Tensor *y = saved->is_packed ? tg_unpack(r, saved) : saved->tensor;
    if (!y) return NULL;
    if (!saved->is_packed && y->storage->version != saved->version)
        return tg_fail_version(r, y, saved->version, saved->is_output);
    if (!saved->is_packed && saved->is_output && tg_thread.grad_enabled) {
        y = tg_alias(y); /* create_graph: y must depend on the inputs, so it gets its record */
        if (!y) return NULL;
        tg_record_retain(r);
        y->record = r;
        y->requires_grad = true;
    }
    const bool widens = tg_is_half(y->dtype) && tg_is_half(r->dtype) && !r->op->takes_half; /* as dy (backward.c) */
    return widens ? t_to(y, t_float32) : y;
}

bool tg_can_overwrite_saved(Record *r, int i) {
    const Backward *run = tg_thread.backward;
    if (!run || run->retain_graph || r->saved[i].is_packed || !tg_is_exclusive(r->saved[i].tensor)) return false;
    mark_freed(r);
    return true;
}

Tensor *tg_zeros_like_input(const Record *r, int i) {
    const Edge *edge = &r->edges[i];
    t_TensorOptions options = {.size = sizeof options, .dtype = edge->dtype};
    return t_zeros(edge->shape, edge->ndim, &options);
}

Tensor *tg_empty_gradient(const Record *r, int i, t_DType dtype) {
    const Edge *edge = &r->edges[i];
    tg_Lifetime before = tg_set_lifetime(edge->leaf ? tg_step_lived : tg_short_lived);
    Tensor *dx = tg_empty(edge->shape, edge->ndim, dtype);
    tg_set_lifetime(before);
    return dx;
}

/* ---- for debuggers ---- */

/* Positions of fields, in the order in which core/package/debugger/tapegrad_debugger.py reads them. That finds this
 * symbol in a library without debug information. */
extern const int32_t tg_debugger_layout[];
__attribute__((used)) const int32_t tg_debugger_layout[] = {
    offsetof(Tensor, object.is_a), offsetof(Tensor, storage), offsetof(Tensor, offset), offsetof(Tensor, ndim),
    offsetof(Tensor, dtype), offsetof(Tensor, is_parameter), offsetof(Tensor, requires_grad), offsetof(Tensor, shape),
    offsetof(Tensor, strides), offsetof(Tensor, record), offsetof(Storage, data), offsetof(Record, op),
    offsetof(Op, grad_fn), T_MAX_DIMS,
};
