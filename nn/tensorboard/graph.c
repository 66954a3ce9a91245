/* nn/tensorboard/graph.c: SummaryWriter.add_graph: the tape of one call of a module as a GraphDef. */
#include "nn/tensorboard/graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/autograd/tape.h"
#include "core/ops/creation.h"
#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"
#include "nn/module/module_hooks.h"
#include "nn/module/module_internal.h"

/* ---- the call ---- */

/* A call of a module: the records with numbers above `first`, up to `last`, were made in it. */
typedef struct Span {
    const nn_Module *module;
    int64_t first, last, caller; /* caller: index of the call that it was made in, or -1 */
} Span;

/* The trace of one call. It belongs to the scope of add_graph, whose end, also by t_unwind, removes the hooks and
 * restores modes and requires_grad. */
typedef struct Trace {
    t_Object object;
    t_Hook *before, *after;
    nn_NamedList *modules, *parameters, *buffers;
    bool *training, *requires_grad; /* of the modules and the parameters */
    bool kept_values, grad_enabled, is_set;
    Span *spans;
    int64_t len, capacity, running; /* running: the innermost running call, or -1 */
} Trace;

static void trace_destroy(void *object) {
    Trace *self = object;
    tg_object_dispose(&self->object);
    if (self->before) t_hook_remove(self->before);
    if (self->after) t_hook_remove(self->after);
    t_release(self->before);
    t_release(self->after);
    if (self->is_set) {
        t_set_tape_values(self->kept_values);
        t_set_grad_enabled(self->grad_enabled);
        for (int64_t i = 0; i < self->modules->len; i++) self->modules->items[i].module->training = self->training[i];
        for (int64_t i = 0; i < self->parameters->len; i++)
            self->parameters->items[i].tensor->requires_grad = self->requires_grad[i];
    }
    tg_free(self->training, self->modules ? (size_t)self->modules->len + 1 : 0);
    tg_free(self->requires_grad, self->parameters ? (size_t)self->parameters->len + 1 : 0);
    t_release(self->modules);
    t_release(self->parameters);
    t_release(self->buffers);
    tg_free(self->spans, (size_t)self->capacity * sizeof *self->spans);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class trace_class = {"GraphTrace", trace_destroy};

static t_TensorList *begin_call(nn_Module *module, t_TensorList *args, void *context) {
    Trace *self = context;
    (void)args;
    if (self->len == self->capacity) {
        const int64_t capacity = self->capacity ? 2 * self->capacity : 64;
        Span *spans = tg_alloc((size_t)capacity * sizeof *spans);
        if (!spans) return NULL;
        if (self->len) memcpy(spans, self->spans, (size_t)self->len * sizeof *spans);
        tg_free(self->spans, (size_t)self->capacity * sizeof *spans);
        self->spans = spans;
        self->capacity = capacity;
    }
    self->spans[self->len] = (Span){module, tg_thread.records_made, INT64_MAX, self->running};
    self->running = self->len++;
    return NULL;
}

static Tensor *end_call(nn_Module *module, t_TensorList *args, Tensor *output, void *context) {
    Trace *self = context;
    (void)module;
    (void)args;
    (void)output;
    if (self->running < 0) return NULL;
    self->spans[self->running].last = tg_thread.records_made;
    self->running = self->spans[self->running].caller;
    return NULL;
}

static Trace *trace_new(void *model) {
    Trace *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->running = -1;
    tg_object_init(&self->object, &trace_class);
    self->modules = t_retain(nn_named_modules(model));
    self->parameters = self->modules ? t_retain(nn_named_parameters(model)) : NULL;
    self->buffers = self->parameters ? t_retain(nn_named_buffers(model)) : NULL;
    self->training = self->buffers ? tg_alloc((size_t)self->modules->len + 1) : NULL;
    self->requires_grad = self->training ? tg_alloc((size_t)self->parameters->len + 1) : NULL;
    if (!self->requires_grad) return NULL;
    self->before = t_retain(nn_register_module_forward_pre_hook(begin_call, self, NULL));
    self->after = self->before ? t_retain(nn_register_module_forward_hook(end_call, self, NULL)) : NULL;
    if (!self->after) return NULL;
    for (int64_t i = 0; i < self->modules->len; i++) self->training[i] = self->modules->items[i].module->training;
    for (int64_t i = 0; i < self->parameters->len; i++) {
        Tensor *x = self->parameters->items[i].tensor;
        self->requires_grad[i] = x->requires_grad;
        if (tg_is_floating(x->dtype)) x->requires_grad = true;
    }
    self->is_set = true;
    self->kept_values = t_set_tape_values(true);
    self->grad_enabled = t_set_grad_enabled(true);
    nn_eval(model);
    return self;
}

/* ---- names ---- */

/* A GraphDef that is being written. The texts belong to the scope. */
typedef struct Graph {
    const Trace *trace;
    const nn_Module *model;
    Tensor *const *inputs; /* as the model got them */
    int input_count;
    Record **records;   /* newest first */
    const char **names; /* of their nodes */
    int64_t count;
    tg_Output out;
} Graph;

/* "Net/Sequential[layers]/Linear[0]" for the module "layers.0" */
static const char *scope_of(const Graph *graph, const char *name) {
    const char *scope = t_format("%s", graph->model->type);
    for (const char *at = name; scope && *at;) {
        const size_t length = strcspn(at, "."), prefix = (size_t)(at - name) + length;
        const nn_NamedList *modules = graph->trace->modules;
        const char *type = "Module";
        for (int64_t i = 0; i < modules->len; i++)
            if (strlen(modules->items[i].name) == prefix && strncmp(modules->items[i].name, name, prefix) == 0)
                type = modules->items[i].module->type;
        scope = t_format("%s/%s[%.*s]", scope, type, (int)length, at);
        at += length + (at[length] == '.');
    }
    return scope;
}

/* The scope of the innermost module that the record was made in. */
static const char *scope_of_record(const Graph *graph, const Record *record) {
    const Trace *trace = graph->trace;
    for (int64_t i = trace->len; i-- > 0;) {
        if (record->number <= trace->spans[i].first || record->number > trace->spans[i].last) continue;
        for (int64_t k = 0; k < trace->modules->len; k++)
            if (trace->modules->items[k].module == trace->spans[i].module)
                return scope_of(graph, trace->modules->items[k].name);
    }
    return scope_of(graph, "");
}

/* "Net/Linear[fc]/weight": a parameter or buffer */
static const char *name_of_entry(const Graph *graph, const char *name) {
    const char *dot = strrchr(name, '.');
    const char *module = dot ? t_format("%.*s", (int)(dot - name), name) : "";
    const char *scope = module ? scope_of(graph, module) : NULL;
    return scope ? t_format("%s/%s", scope, dot ? dot + 1 : name) : NULL;
}

/* The name of the node of that record; NULL without an error if it is not among them. */
static const char *name_of_record(const Graph *graph, const Record *record) {
    int64_t low = 0, high = graph->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (graph->records[middle]->number > record->number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->count && graph->records[low] == record ? graph->names[low] : NULL;
}

/* A tensor that no record computed: an input, a parameter or a buffer; *name is NULL for others. False on an error. */
static bool name_of_leaf(const Graph *graph, const Tensor *x, const char **name) {
    const nn_NamedList *const lists[] = {graph->trace->parameters, graph->trace->buffers};
    *name = NULL;
    for (int i = 0; i < graph->input_count; i++)
        if (x->storage == graph->inputs[i]->storage) return (*name = t_format("input/input.%d", i + 1)) != NULL;
    for (int l = 0; l < 2; l++)
        for (int64_t i = 0; i < lists[l]->len; i++)
            if (lists[l]->items[i].tensor == x || lists[l]->items[i].tensor->storage == x->storage)
                return (*name = name_of_entry(graph, lists[l]->items[i].name)) != NULL;
    return true;
}

/* Scope, op, and for the second op of the same name in the same scope "_1". */
static bool name_records(Graph *graph) {
    for (int64_t i = graph->count; i-- > 0;) {
        const char *scope = scope_of_record(graph, graph->records[i]);
        const char *base = scope ? t_format("%s/%s", scope, graph->records[i]->op->name) : NULL;
        if (!base) return false;
        const size_t length = strlen(base);
        int same = 0;
        for (int64_t k = graph->count - 1; k > i; k--) {
            const char *other = graph->names[k];
            if (graph->records[k]->op == graph->records[i]->op && strncmp(other, base, length) == 0 &&
                (other[length] == '\0' || other[length] == '_') && !strchr(other + length, '/'))
                same++;
        }
        graph->names[i] = same ? t_format("%s_%d", base, same) : base;
        if (!graph->names[i]) return false;
    }
    return true;
}

/* ---- nodes ---- */

/* NodeDef.attr["_output_shapes"] and, as torch.utils.tensorboard, attr["attr"]; ends the node. */
static void end_node(tg_Output *out, size_t node, const int64_t *shape, int ndim, const char *attributes) {
    const size_t shapes = tg_proto_begin(out, 5);
    tg_proto_text(out, 1, "_output_shapes");
    const size_t value = tg_proto_begin(out, 2), list = tg_proto_begin(out, 1);
    tg_put_shape(out, 7, shape, ndim);
    tg_proto_end(out, list);
    tg_proto_end(out, value);
    tg_proto_end(out, shapes);
    const size_t entry = tg_proto_begin(out, 5);
    tg_proto_text(out, 1, "attr");
    const size_t text = tg_proto_begin(out, 2);
    tg_proto_text(out, 2, attributes);
    tg_proto_end(out, text);
    tg_proto_end(out, entry);
    tg_proto_end(out, node);
}

static size_t begin_node(tg_Output *out, const char *name, const char *op) {
    const size_t node = tg_proto_begin(out, 1);
    tg_proto_text(out, 1, name);
    tg_proto_text(out, 2, op);
    return node;
}

static void put_leaf(Graph *graph, const char *name, const char *op, const Tensor *x) {
    const size_t node = begin_node(&graph->out, name, op);
    end_node(&graph->out, node, x->shape, x->ndim, "");
}

/* The i-th input of a record, as the name of its node; NULL without an error if it has none. */
static bool name_of_input(const Graph *graph, const Record *record, int i, const char **name) {
    const Edge *edge = &record->edges[i];
    *name = NULL;
    if (edge->record) {
        *name = name_of_record(graph, edge->record);
        return true;
    }
    if (edge->leaf) return name_of_leaf(graph, edge->leaf, name);
    const Tensor *constant = record->details ? record->details->constants[i].tensor : NULL;
    return !constant || name_of_leaf(graph, constant, name);
}

/* The tensors that the op used beyond its inputs, for example the indices of an embedding. */
static bool put_saved_inputs(Graph *graph, const Record *record) {
    for (int i = 0; i < record->saves; i++) {
        const Tensor *x = record->saved[i].is_packed ? NULL : record->saved[i].tensor;
        const char *name = NULL;
        if (!x || tg_is_floating(x->dtype)) continue;
        if (!name_of_leaf(graph, x, &name)) return false;
        if (name) tg_proto_text(&graph->out, 3, name);
    }
    return true;
}

static bool put_records(Graph *graph) {
    for (int64_t i = graph->count; i-- > 0;) {
        const Record *record = graph->records[i];
        const char *op = t_format("aten::%s", record->op->name);
        if (!op) return false;
        const size_t node = begin_node(&graph->out, graph->names[i], op);
        for (int k = 0; k < record->inputs; k++) {
            const char *input;
            if (!name_of_input(graph, record, k, &input)) return false;
            if (input) tg_proto_text(&graph->out, 3, input);
        }
        if (!put_saved_inputs(graph, record)) return false;
        end_node(&graph->out, node, record->shape, record->ndim, "{}");
    }
    return true;
}

static bool put_leaves(Graph *graph) {
    const nn_NamedList *const lists[] = {graph->trace->parameters, graph->trace->buffers};
    for (int i = 0; i < graph->input_count; i++) {
        const char *name = t_format("input/input.%d", i + 1);
        if (!name) return false;
        put_leaf(graph, name, "IO Node", graph->inputs[i]);
    }
    for (int l = 0; l < 2; l++)
        for (int64_t i = 0; i < lists[l]->len; i++) {
            const char *name = name_of_entry(graph, lists[l]->items[i].name);
            if (!name) return false;
            put_leaf(graph, name, l ? "Buffer" : "Parameter", lists[l]->items[i].tensor);
        }
    return true;
}

static bool put_output(Graph *graph, const Tensor *y) {
    const char *name = NULL;
    if (y->record)
        name = name_of_record(graph, y->record);
    else if (!name_of_leaf(graph, y, &name))
        return false;
    const size_t node = begin_node(&graph->out, "output/output.1", "IO Node");
    if (name) tg_proto_text(&graph->out, 3, name);
    end_node(&graph->out, node, y->shape, y->ndim, "");
    return true;
}

/* ---- events ---- */

static bool add_graph_event(tg_EventFile *file, tg_Output *graph, bool ok) {
    size_t size = 0;
    void *bytes = tg_output_take(graph, ok, &size);
    if (!bytes) return false;
    tg_Output event;
    tg_event_begin(&event, 0, T_NONE);
    tg_proto_bytes(&event, EVENT_GRAPH_DEF, bytes, size);
    free(bytes);
    return tg_event_file_add(file, &event, true);
}

/* RunMetadata of the step, without times: TensorBoard shows devices only with it. */
static bool add_run_metadata(tg_EventFile *file) {
    tg_Output event;
    tg_event_begin(&event, 0, T_NONE);
    const size_t tagged = tg_proto_begin(&event, EVENT_TAGGED_RUN_METADATA);
    tg_proto_text(&event, 1, "step1");
    const size_t metadata = tg_proto_begin(&event, 2), stats = tg_proto_begin(&event, 1);
    const size_t device = tg_proto_begin(&event, 1);
    tg_proto_text(&event, 1, "/device:CPU:0");
    tg_proto_end(&event, device);
    tg_proto_end(&event, stats);
    tg_proto_end(&event, metadata);
    tg_proto_end(&event, tagged);
    return tg_event_file_add(file, &event, true);
}

static bool write_graph(tg_EventFile *file, const Trace *trace, const nn_Module *model, Tensor *const *inputs,
                        int input_count, Tensor *y) {
    Graph graph = {.trace = trace, .model = model, .inputs = inputs, .input_count = input_count};
    if (y->record) graph.records = tg_reachable(&y->record, 1, &graph.count);
    const size_t bytes = ((size_t)graph.count + 1) * sizeof *graph.names;
    graph.names = y->record && !graph.records ? NULL : tg_alloc(bytes);
    tg_output_memory(&graph.out);
    bool ok = graph.names && name_records(&graph) && put_leaves(&graph) && put_records(&graph) && put_output(&graph, y);
    if (ok) {
        const size_t versions = tg_proto_begin(&graph.out, 4);
        tg_proto_varint(&graph.out, 1, 22); /* torch.utils.tensorboard's producer */
        tg_proto_end(&graph.out, versions);
    }
    if (graph.names) tg_free(graph.names, bytes);
    if (graph.records) tg_free(graph.records, tg_reachable_bytes(graph.count));
    return add_graph_event(file, &graph.out, ok) && add_run_metadata(file);
}

bool tensorboard_add_graph(tensorboard_SummaryWriter *self, void *model, const t_TensorList *inputs) {
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_module(model, 2) || !tg_check_list(inputs, 3)) return false;
    if (inputs->len < 1 || inputs->len > 2)
        return tg_fail("add_graph calls the model with one or two inputs, not %lld", (long long)inputs->len);
    const int depth = t_scope_open();
    Trace *trace = depth ? trace_new(model) : NULL;
    bool ok = trace != NULL;
    Tensor *x[2] = {NULL, NULL};
    for (int i = 0; ok && i < inputs->len; i++) {
        x[i] = t_detach(inputs->items[i]);
        ok = x[i] && (!tg_is_floating(x[i]->dtype) || t_requires_grad_(x[i], true));
    }
    Tensor *y = !ok ? NULL : x[1] ? nn_call2(model, x[0], x[1]) : nn_call(model, x[0]);
    ok = y && write_graph(file, trace, model, x, (int)inputs->len, y);
    tg_scope_close(depth);
    return ok;
}
