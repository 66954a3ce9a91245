/* nn/onnx/trace.c: records the operations of a forward, with the tensors that they take and give. */
#include "nn/onnx/trace_internal.h"

#include <stdio.h>
#include <string.h>

const Op tg_onnx_write_op = {"copy_", NULL, NULL};

/* ---- growing arrays ---- */

static bool grow(void **array, int *capacity, int count, size_t item) {
    if (count < *capacity) return true;
    const int larger = *capacity ? 2 * *capacity : 64;
    void *to = tg_alloc((size_t)larger * item);
    if (!to) return false;
    if (count) memcpy(to, *array, (size_t)count * item);
    tg_free(*array, (size_t)*capacity * item);
    *array = to;
    *capacity = larger;
    return true;
}

/* ---- from tensors to values ---- */

static struct TraceSlot *slot_of(const OnnxTrace *t, const Tensor *x) {
    size_t at = ((uintptr_t)x >> 4) * 0x9E3779B97F4A7C15u >> 32 & (size_t)(t->slot_count - 1);
    while (t->slots[at].x && t->slots[at].x != x) at = (at + 1) & (size_t)(t->slot_count - 1);
    return &t->slots[at];
}

static bool grow_slots(OnnxTrace *t) {
    if (t->slot_count > 2 * (t->value_count + t->op_count) + 8) return true;
    const OnnxTrace before = *t;
    const int count = t->slot_count ? 2 * t->slot_count : 256;
    struct TraceSlot *slots = tg_alloc((size_t)count * sizeof *slots);
    if (!slots) return false;
    t->slots = slots;
    t->slot_count = count;
    for (int i = 0; i < before.slot_count; i++)
        if (before.slots[i].x) *slot_of(t, before.slots[i].x) = before.slots[i];
    tg_free(before.slots, (size_t)before.slot_count * sizeof *slots);
    return true;
}

/* The slot holds a reference, so that no other tensor gets the address. */
static bool map(OnnxTrace *t, Tensor *x, int value, int64_t version) {
    if (!grow_slots(t)) return false;
    struct TraceSlot *slot = slot_of(t, x);
    if (!slot->x) t_retain(x);
    *slot = (struct TraceSlot){x, value, version};
    return true;
}

static int add_value(OnnxTrace *t, Tensor *x, int input, int producer, const char *parameter) {
    if (!grow((void **)&t->values, &t->value_capacity, t->value_count, sizeof *t->values)) return -1;
    t->values[t->value_count] = (TraceValue){t_retain(x), input, producer, parameter, false};
    return map(t, x, t->value_count, x->storage->version) ? t->value_count++ : (t_release(x), -1);
}

static bool is_current(const struct TraceSlot *slot) {
    return slot->x && (slot->version < 0 || slot->version == slot->x->storage->version);
}

/* The value of a tensor with the same elements: x is its detach(). -1: none */
static int value_of_alias(const OnnxTrace *t, const Tensor *x) {
    for (int i = 0; i < t->slot_count; i++)
        if (t->slots[i].x && t->slots[i].x->storage == x->storage && is_current(&t->slots[i]) &&
            tg_is_alias(t->slots[i].x, x))
            return t->slots[i].value;
    return -1;
}

int tg_onnx_value_of(OnnxTrace *t, Tensor *x) {
    struct TraceSlot *slot = t->slot_count ? slot_of(t, x) : NULL;
    if (!slot || !slot->x) {
        const int alias = value_of_alias(t, x);
        return alias < 0 ? add_value(t, x, -1, -1, NULL) : map(t, x, alias, x->storage->version) ? alias : -1;
    }
    if (slot->version < 0) slot->version = x->storage->version;
    if (slot->version == x->storage->version) return slot->value;
    return tg_fail("a tensor of shape %s was written to in place through a view of it, or is a view of what was "
                   "written to; ONNX has no views",
                   tg_shape_of(x))
               ? 0
               : -1;
}

/* ---- the callbacks ---- */

/* The tensors that these records save are operands: indices, masks. */
static bool uses_saved(const char *name) {
    static const char *const names[] = {"embedding", "gather", "masked_fill", "index"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static int *values_of_all(OnnxTrace *t, Tensor *const *x, int count, bool *ok) {
    int *values = *ok && count ? tg_alloc((size_t)count * sizeof *values) : NULL;
    *ok = *ok && (values || !count);
    for (int i = 0; i < count && *ok; i++) {
        values[i] = x[i] ? tg_onnx_value_of(t, x[i]) : -1;
        *ok = !x[i] || values[i] >= 0;
    }
    return values;
}

static char *copy_text(const char *text) {
    char *copy = tg_alloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static void record(tg_Trace *trace, const Op *op, Tensor *y, Tensor *const *inputs, int input_count,
                   Tensor *const *saved, int saved_count, const void *attributes, size_t bytes) {
    OnnxTrace *t = (OnnxTrace *)trace;
    if (t->failed) return;
    char path[1024];
    tg_print_module(false, path, sizeof path);
    bool ok = grow((void **)&t->ops, &t->op_capacity, t->op_count, sizeof *t->ops);
    if (!uses_saved(op->name)) saved_count = 0;
    TraceOp made = {.op = op,
                    .y = -1,
                    .input_count = input_count,
                    .saved_count = saved_count,
                    .bytes = bytes,
                    .site = tg_thread.site};
    made.inputs = values_of_all(t, inputs, input_count, &ok);
    made.saved = values_of_all(t, saved, saved_count, &ok);
    made.path = ok ? copy_text(path) : NULL;
    made.attributes = ok && bytes ? tg_alloc(bytes) : NULL;
    if (made.attributes) memcpy(made.attributes, attributes, bytes);
    ok = ok && made.path && (made.attributes || !bytes);
    if (ok) {
        made.y = add_value(t, y, -1, t->op_count, NULL);
        ok = made.y >= 0;
    }
    if (t->op_count < t->op_capacity) t->ops[t->op_count++] = made; /* freed with the trace */
    t->failed = !ok;
}

/* x is the value from now on, which is cast and expanded where it has another dtype or shape. Other tensors with x's
 * storage keep their version, which is then an old one, but those with the same elements. */
static void written(tg_Trace *trace, Tensor *x, Tensor *value) {
    OnnxTrace *t = (OnnxTrace *)trace;
    if (t->failed) return;
    struct TraceSlot *slot = t->slot_count ? slot_of(t, x) : NULL;
    if (slot && slot->x) t->values[slot->value].overwritten = true;
    int made = tg_onnx_value_of(t, value);
    if (made >= 0 && (value->dtype != x->dtype || value->ndim != x->ndim || !tg_same_shape(value, x))) {
        record(trace, &tg_onnx_write_op, x, &value, 1, NULL, 0, NULL, 0);
        if (t->failed) return;
        made = t->value_count - 1;
        t->values[made].overwritten = true; /* x does not hold it yet */
    }
    for (int i = 0; i < t->slot_count && made >= 0; i++)
        if (t->slots[i].x && t->slots[i].x->storage == x->storage && tg_is_alias(t->slots[i].x, x) &&
            (is_current(&t->slots[i]) || t->slots[i].version + 1 == x->storage->version))
            t->slots[i] = (struct TraceSlot){t->slots[i].x, made, -1};
    t->failed = made < 0 || !map(t, x, made, -1);
}

/* ---- beginning and end ---- */

static bool add_named(OnnxTrace *t, const nn_NamedList *list) {
    for (int64_t i = 0; i < list->len; i++) {
        Tensor *x = list->items[i].tensor;
        struct TraceSlot *slot = t->slot_count ? slot_of(t, x) : NULL;
        if ((!slot || !slot->x) && add_value(t, x, -1, -1, list->items[i].name) < 0) return false;
    }
    return true;
}

bool tg_onnx_trace_begin(OnnxTrace *t, const nn_Module *model, const t_TensorList *args) {
    *t = (OnnxTrace){.trace = {.record = record, .write = written}};
    t->parameters = nn_named_parameters(model);
    t->buffers = nn_named_buffers(model);
    if (!t->parameters || !t->buffers) return false;
    for (int64_t i = 0; i < args->len; i++)
        if (args->items[i] && add_value(t, args->items[i], (int)i, -1, NULL) < 0) return false;
    if (!add_named(t, t->parameters) || !add_named(t, t->buffers)) return false;
    tg_trace_begin(&t->trace);
    return true;
}

void tg_onnx_trace_end(OnnxTrace *t) {
    if (tg_thread.trace == &t->trace) tg_trace_end(&t->trace);
}

void tg_onnx_trace_free(OnnxTrace *t) {
    tg_onnx_trace_end(t);
    for (int i = 0; i < t->slot_count; i++) t_release(t->slots[i].x);
    for (int i = 0; i < t->value_count; i++) t_release(t->values[i].x);
    for (int i = 0; i < t->op_count; i++) {
        tg_free(t->ops[i].inputs, (size_t)t->ops[i].input_count * sizeof(int));
        tg_free(t->ops[i].saved, (size_t)t->ops[i].saved_count * sizeof(int));
        tg_free(t->ops[i].attributes, t->ops[i].bytes);
        if (t->ops[i].path) tg_free(t->ops[i].path, strlen(t->ops[i].path) + 1);
    }
    tg_free(t->slots, (size_t)t->slot_count * sizeof *t->slots);
    tg_free(t->values, (size_t)t->value_capacity * sizeof *t->values);
    tg_free(t->ops, (size_t)t->op_capacity * sizeof *t->ops);
}
