/* nn/onnx/export.c: onnx_export: two forwards, whose operations become nodes.
 *
 * The second forward has other values and other sizes of the dynamic axes. What differs between the two, and is no
 * operation on the inputs, cannot be in the graph; sizes that differ are computed from the inputs' (graph.c). If there
 * are dynamic axes, the same is done again with other sizes, and must give the same graph: two sizes alone cannot tell
 * n / 2 from n - 2 where n is 4. */
#include "nn/onnx/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/module/module_internal.h"
#include "nn/onnx/graph_internal.h"

/* ---- arguments ---- */

typedef struct Export {
    t_Object object; /* of the scope of the export, whose end, also by t_unwind, frees it and restores the modes */
    nn_Module *model;
    onnx_ExportOptions o;
    int64_t step, apart; /* by how much the first dynamic axis grows in the second forward, and each one more */
    OnnxGraph graph;
    OnnxTrace traces[2];
    t_TensorList *args[2], *outputs[2];
    const char *input_names[ONNX_MAX_NAMES], *output_names[ONNX_MAX_NAMES];
    bool *training; /* of the modules, before the export */
    nn_NamedList *modules;
} Export;

static bool name_all(Export *e, const char *const *given, const char *base, int64_t count, const char **names) {
    if (count > ONNX_MAX_NAMES)
        return tg_fail("onnx_export takes at most %d inputs and outputs, not %" PRId64, ONNX_MAX_NAMES, count);
    for (int64_t i = 0; i < count; i++) {
        names[i] = given[i] && *given[i] ? given[i] : i == 0 ? base : tg_onnx_text(&e->graph, "%s.%" PRId64, base, i);
        for (int64_t j = 0; j < i; j++)
            if (names[i] && strcmp(names[i], names[j]) == 0)
                return tg_fail("two inputs or outputs are named '%s'", names[i]);
    }
    return true;
}

static bool check_options(Export *e, const t_TensorList *args) {
    const int64_t opset = e->o.opset_version;
    if (opset < 18 || opset > 20)
        return tg_fail("Unsupported ONNX opset version: %" PRId64 ". The export writes the versions 18, 19 and 20.",
                       opset);
    e->graph.opset = opset;
    if (args->len == 0) return tg_fail("onnx_export needs a tensor for each input");
    return name_all(e, e->o.input_names, "input", args->len, e->input_names);
}

/* The index of an input of that name; -1 */
static int input_of(const Export *e, const char *name) {
    for (int i = 0; i < e->args[0]->len; i++)
        if (strcmp(e->input_names[i], name) == 0) return i;
    return -1;
}

/* x with `more` more elements along an axis, copies of the first. */
static Tensor *longer(Tensor *x, int64_t axis, int64_t more) {
    t_TensorList *parts = t_list_new((Tensor *[]){x}, 1);
    Tensor *first = parts ? t_narrow(x, axis, 0, 1) : NULL;
    for (int64_t i = 0; i < more; i++)
        if (!first || !t_list_append(parts, first)) return NULL;
    return t_cat(parts, axis);
}

/* The same values in the reverse order: indices stay valid. */
static Tensor *reversed(Tensor *x) {
    Tensor *flat = t_reshape(x, (int64_t[]){-1}, 1);
    return t_reshape(t_flip(flat, (int64_t[]){0}, 1), x->shape, x->ndim);
}

static bool set_axis(Export *e, int index, const onnx_DynamicAxis *given, int64_t step) {
    OnnxGraph *g = &e->graph;
    Tensor *x[] = {e->args[0]->items[index], e->args[1]->items[index]};
    int d;
    if (!tg_wrap_dim(given->axis, x[0]->ndim, &d)) return false;
    if (x[0]->shape[d] == 0) return tg_fail("a dynamic axis of size 0 of the input '%s'", given->name);
    /* a size of 1 could be taken for a dim that broadcasts */
    const int64_t extra = x[0]->shape[d] == 1;
    for (int k = 0; k < 2; k++) {
        Tensor *y = extra + k * step ? longer(x[k], d, extra + k * step) : x[k];
        if (!y) return false;
        t_retain(y);
        t_release(e->args[k]->items[index]);
        e->args[k]->items[index] = y;
    }
    OnnxAxis *axis = &g->axes[g->axis_count++];
    *axis = (OnnxAxis){.input = e->input_names[index], .index = index, .axis = d};
    for (int k = 0; k < 2; k++) axis->size[k] = e->args[k]->items[index]->shape[d];
    axis->param = given->param ? given->param : tg_onnx_text(g, "%s_dim_%d", given->name, d);
    return axis->param != NULL;
}

/* Axes of one name grow alike, those of different names by different numbers, 1, 7, 13, ... or 5, 17, 29, ..., so that
 * they, and small multiples and sums of them, can be told apart. */
static bool set_axes(Export *e) {
    for (int i = 0; i < ONNX_MAX_DYNAMIC_AXES && e->o.dynamic_axes[i].name; i++) {
        const onnx_DynamicAxis *given = &e->o.dynamic_axes[i];
        const int index = input_of(e, given->name);
        if (index < 0 || !e->args[0]->items[index]) continue; /* an output's */
        int64_t step = e->apart * e->graph.axis_count + e->step;
        for (int j = 0; j < i && given->param; j++)
            if (e->o.dynamic_axes[j].param && strcmp(e->o.dynamic_axes[j].param, given->param) == 0 &&
                input_of(e, e->o.dynamic_axes[j].name) >= 0) {
                for (int a = 0; a < e->graph.axis_count; a++)
                    if (strcmp(e->graph.axes[a].param, given->param) == 0)
                        step = e->graph.axes[a].size[1] - e->graph.axes[a].size[0];
                break;
            }
        if (!set_axis(e, index, given, step)) return false;
    }
    return true;
}

static bool set_args(Export *e, const t_TensorList *args) {
    for (int k = 0; k < 2; k++) {
        if (!(e->args[k] = tg_list_of_nulls(args->len))) return false;
        for (int64_t i = 0; i < args->len; i++) {
            if (!args->items[i]) continue;
            Tensor *x = t_detach(args->items[i]), *y = x && k ? reversed(x) : x;
            if (!y) return false;
            e->args[k]->items[i] = t_retain(y);
        }
    }
    return set_axes(e);
}

/* ---- the forwards ---- */

static t_TensorList *forward(Export *e, t_TensorList *args) {
    if (e->o.forward) {
        t_TensorList *outputs = e->o.forward(e->model, args, e->o.context);
        if (!outputs) return t_error() ? NULL : tg_fail("the forward of onnx_export returned NULL");
        return tg_check_list(outputs, 1) ? outputs : NULL;
    }
    if (args->len > 2)
        return tg_fail("nn_call takes one or two inputs, not %" PRId64 ": onnx_export needs .forward", args->len);
    Tensor *y = args->len == 1 ? nn_call(e->model, args->items[0]) : nn_call2(e->model, args->items[0], args->items[1]);
    return y ? t_list_new(&y, 1) : NULL;
}

static bool trace_forward(Export *e, int k) {
    OnnxTrace *trace = &e->traces[k];
    const int64_t failures = tg_context()->failures;
    const bool grad_enabled = t_set_grad_enabled(true);
    bool ok = tg_onnx_trace_begin(trace, e->model, e->args[k]);
    e->outputs[k] = ok ? forward(e, e->args[k]) : NULL;
    tg_onnx_trace_end(trace);
    t_set_grad_enabled(grad_enabled);
    return e->outputs[k] && !trace->failed && !tg_failed_since(failures);
}

static bool eval_mode(Export *e) {
    e->modules = t_retain(nn_named_modules(e->model));
    e->training = e->modules ? tg_onnx_alloc(&e->graph, (size_t)e->modules->len + 1) : NULL;
    for (int64_t i = 0; e->training && i < e->modules->len; i++) e->training[i] = e->modules->items[i].module->training;
    return e->training && nn_train(e->model, false);
}

static void restore_mode(Export *e) {
    for (int64_t i = 0; e->training && i < e->modules->len; i++) e->modules->items[i].module->training = e->training[i];
    e->training = NULL;
}

/* ---- operations ---- */

static void op_place(const TraceOp *op, char *to, size_t size) {
    const char *path = op->path && *op->path ? op->path : NULL;
    snprintf(to, size, "%s%s%s%s:%d", path ? "in " : "", path ? path : "", path ? ", " : "",
             op->site ? op->site->file : "?", op->site ? op->site->line : 0);
}

static const OnnxRow *find_row(const char *name) {
    static const OnnxRow *const tables[] = {tg_onnx_pointwise, tg_onnx_shapes, tg_onnx_reductions, tg_onnx_layers,
                                            tg_onnx_recurrent, tg_onnx_indexing};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const OnnxRow *row = tables[i]; row->name; row++)
            if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

const char *tg_onnx_convert(OnnxGraph *g, int index) {
    OnnxOp op;
    for (int k = 0; k < 2; k++) {
        op.op[k] = &g->trace[k]->ops[index];
        op.y[k] = g->trace[k]->values[op.op[k]->y].x;
    }
    char place[1400];
    const char *name = op.op[0]->op->name;
    const OnnxRow *row = find_row(name);
    op_place(op.op[0], place, sizeof place);
    if (!row) return tg_fail("the operation '%s' has no mapping to ONNX (%s)", name, place);
    const TraceOp *outer = g->op;
    const int64_t failures = tg_context()->failures;
    g->op = op.op[0];
    const char *y = row->convert(g, &op);
    g->op = outer;
    if (y) return g->names[op.op[0]->y] = y;
    if (!tg_failed_since(failures) && !t_error()) tg_fail("out of memory");
    if (t_error_message() && strncmp(t_error_message(), "out of memory", 13) == 0) return NULL;
    const char *copy = tg_onnx_text(g, "%s", t_error_message() ? t_error_message() : "");
    return tg_fail("the operation '%s' cannot be exported to ONNX: %s (%s)", name, copy ? copy : "", place);
}

static bool same_ops(Export *e) {
    const OnnxTrace *a = &e->traces[0], *b = &e->traces[1];
    for (int i = 0; i < a->op_count || i < b->op_count; i++) {
        const TraceOp *p = i < a->op_count ? &a->ops[i] : NULL, *q = i < b->op_count ? &b->ops[i] : NULL;
        bool same = p && q && p->op == q->op && p->y == q->y && p->input_count == q->input_count;
        for (int j = 0; same && j < p->input_count; j++) same = p->inputs[j] == q->inputs[j];
        if (same) continue;
        char place[1400];
        op_place(p ? p : q, place, sizeof place);
        return tg_fail(
            "the operations of the forward depend on the values of the input or on the size of a dynamic axis: "
            "the %dth is '%s' (%s) the first time, and '%s' with other values",
            i + 1, p ? p->op->name : "none", place, q ? q->op->name : "none");
    }
    return a->value_count == b->value_count || tg_fail("the constants of the forward depend on its input");
}

static void mark(OnnxGraph *g) {
    const OnnxTrace *t = g->trace[0];
    for (int v = 0; v < t->value_count; v++) g->depends[v] = t->values[v].input >= 0;
    for (int i = 0; i < t->op_count; i++) {
        const TraceOp *op = &t->ops[i];
        bool depends = false;
        for (int j = 0; j < op->input_count; j++)
            depends = depends || (op->inputs[j] >= 0 && g->depends[op->inputs[j]]);
        for (int j = 0; j < op->saved_count; j++) depends = depends || (op->saved[j] >= 0 && g->depends[op->saved[j]]);
        g->depends[op->y] = depends;
    }
    for (int i = t->op_count - 1; i >= 0; i--) {
        const TraceOp *op = &t->ops[i];
        if (!g->needed[op->y]) continue;
        for (int j = 0; j < op->input_count; j++)
            if (op->inputs[j] >= 0) g->needed[op->inputs[j]] = true;
        for (int j = 0; j < op->saved_count; j++)
            if (op->saved[j] >= 0) g->needed[op->saved[j]] = true;
    }
}

/* ---- outputs ---- */

static void rename_all(OnnxGraph *g, const char *from, const char *to) {
    for (int i = 0; i < g->node_count; i++) {
        OnnxNode *node = &g->nodes[i];
        for (int j = 0; j < node->input_count; j++)
            if (strcmp(node->inputs[j], from) == 0) node->inputs[j] = to;
        for (int j = 0; j < node->output_count; j++)
            if (strcmp(node->outputs[j], from) == 0) node->outputs[j] = to;
    }
    for (int v = 0; v < g->trace[0]->value_count; v++)
        if (g->names[v] && strcmp(g->names[v], from) == 0) g->names[v] = to;
}

static bool is_node_output(const OnnxGraph *g, const char *name) {
    for (int i = 0; i < g->node_count; i++)
        for (int j = 0; j < g->nodes[i].output_count; j++)
            if (strcmp(g->nodes[i].outputs[j], name) == 0) return true;
    return false;
}

/* The name of an output is that of the node's; an input, a constant or another output gets there by an Identity. */
static bool name_output(Export *e, int64_t k, int value) {
    OnnxGraph *g = &e->graph;
    const char *name = tg_onnx_value(g, value);
    if (!name) return false;
    bool taken = !is_node_output(g, name);
    for (int64_t j = 0; j < k; j++) taken = taken || strcmp(name, e->output_names[j]) == 0;
    if (taken) name = tg_onnx_unary(g, "Identity", name);
    if (!name) return false;
    rename_all(g, name, e->output_names[k]);
    return true;
}

static bool build(Export *e) {
    int values[ONNX_MAX_NAMES];
    OnnxGraph *g = &e->graph;
    const OnnxTrace *t = &e->traces[0];
    g->trace[0] = &e->traces[0];
    g->trace[1] = &e->traces[1];
    if (!same_ops(e)) return false;
    if (e->outputs[0]->len != e->outputs[1]->len) return tg_fail("the number of outputs depends on the input");
    if (!name_all(e, e->o.output_names, "output", e->outputs[0]->len, e->output_names)) return false;
    g->names = tg_onnx_alloc(g, (size_t)(t->value_count + ONNX_MAX_NAMES) * sizeof *g->names);
    g->depends = tg_onnx_alloc(g, (size_t)t->value_count + ONNX_MAX_NAMES);
    g->needed = tg_onnx_alloc(g, (size_t)t->value_count + ONNX_MAX_NAMES);
    if (!g->names || !g->depends || !g->needed) return false;
    const int count = t->value_count;
    for (int64_t k = 0; k < e->outputs[0]->len; k++) {
        values[k] = tg_onnx_value_of(&e->traces[0], e->outputs[0]->items[k]);
        const int other = tg_onnx_value_of(&e->traces[1], e->outputs[1]->items[k]);
        if (values[k] < 0 || other < 0) return false;
        if (values[k] != other || values[k] >= count)
            return tg_fail("output %" PRId64 " is not computed by operations that the export sees", k);
        g->needed[values[k]] = true;
    }
    for (int v = 0; v < t->value_count; v++)
        if (t->values[v].input >= 0) g->names[v] = e->input_names[t->values[v].input];
    mark(g);
    for (int i = 0; i < t->op_count; i++) {
        const int y = t->ops[i].y;
        if (g->needed[y] && g->depends[y] && !tg_onnx_convert(g, i)) return false;
    }
    for (int64_t k = 0; k < e->outputs[0]->len; k++)
        if (!name_output(e, k, values[k])) return false;
    return true;
}

static bool write_model(Export *e, tg_Output *out) {
    OnnxPort inputs[ONNX_MAX_NAMES], outputs[ONNX_MAX_NAMES];
    int input_count = 0, output_count = 0;
    for (int64_t i = 0; i < e->args[0]->len; i++)
        if (e->args[0]->items[i])
            inputs[input_count++] = (OnnxPort){e->input_names[i], {e->args[0]->items[i], e->args[1]->items[i]}};
    for (int64_t k = 0; k < e->outputs[0]->len; k++)
        outputs[output_count++] = (OnnxPort){e->output_names[k], {e->outputs[0]->items[k], e->outputs[1]->items[k]}};
    return tg_onnx_write(&e->graph, out, inputs, input_count, outputs, output_count);
}

static void export_destroy(void *object) {
    Export *e = object;
    OnnxGraph *g = &e->graph;
    tg_object_dispose(&e->object);
    restore_mode(e);
    t_release(e->modules);
    for (int k = 0; k < 2; k++) tg_onnx_trace_free(&e->traces[k]);
    for (int i = 0; i < g->initializer_count; i++) t_release(g->initializers[i].x);
    tg_free(g->initializers, (size_t)g->initializer_capacity * sizeof *g->initializers);
    tg_free(g->nodes, (size_t)g->node_capacity * sizeof *g->nodes);
    for (struct OnnxChunk *chunk = g->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        tg_free(chunk, chunk->bytes);
    }
    tg_object_free(&e->object, sizeof *e);
}

static const t_Class export_class = {"Export", export_destroy};

/* The graph for sizes that grow so; an object of the scope. NULL with an error. */
static Export *traced(nn_Module *model, const t_TensorList *args, const onnx_ExportOptions *o, int64_t step,
                      int64_t apart) {
    Export *e = tg_alloc(sizeof *e);
    if (!e) return NULL;
    tg_object_init(&e->object, &export_class);
    e->model = model, e->o = *o, e->step = step, e->apart = apart;
    const bool ok = check_options(e, args) && set_args(e, args) && eval_mode(e) && trace_forward(e, 0) &&
                    trace_forward(e, 1) && build(e);
    restore_mode(e);
    return ok ? e : NULL;
}

/* Whether other sizes of the dynamic axes give the same graph. */
static bool holds_for_other_sizes(Export *e, const t_TensorList *args) {
    if (e->graph.axis_count == 0) return true;
    const int64_t failures = tg_context()->failures;
    const Export *other = traced(e->model, args, &e->o, 5, 12);
    const TraceOp *op = NULL;
    if (!other || tg_onnx_same_graph(&e->graph, &other->graph, &op)) return other != NULL;
    if (tg_failed_since(failures)) return false; /* out of memory */
    char place[1400];
    if (op) op_place(op, place, sizeof place);
    const char *what = op ? tg_onnx_text(&e->graph, "the operation '%s' (%s)", op->op->name, place) : "an output";
    return what && tg_fail("%s cannot be exported to ONNX: it depends on the size of a dynamic axis otherwise than by "
                           "a multiple, a product or a sum of such sizes",
                           what);
}

/* path NULL: to memory */
static bool export(nn_Module *model, const t_TensorList *args, const onnx_ExportOptions *options, const char *path,
                   void **bytes, size_t *size) {
    onnx_ExportOptions o = {.size = sizeof o, .opset_version = 18};
    if (!tg_check_module(model, 1) || !tg_check_optional_list(args, 2) ||
        !tg_check_given(args != NULL, 2, "a list of tensors") || !tg_take_options(&o, options, sizeof o))
        return false;
    if (!o.opset_version) o.opset_version = 18;
    const int depth = tg_scope_open_around_callback();
    Export *e = depth ? traced(model, args, &o, 1, 6) : NULL;
    bool ok = e && holds_for_other_sizes(e, args);
    tg_Output out;
    if (ok && path) {
        ok = tg_output_open(&out, path);
        if (ok) {
            const bool written = write_model(e, &out);
            ok = tg_output_commit(&out, written);
        }
    } else if (ok) {
        tg_output_memory(&out);
        const bool written = write_model(e, &out);
        ok = (*bytes = tg_output_take(&out, written, size)) != NULL;
    }
    tg_scope_close(depth);
    return ok;
}

bool onnx_export(void *model, const t_TensorList *args, const char *f, const onnx_ExportOptions *options) {
    return tg_check_given(f != NULL, 3, "a path") && export(model, args, options, f, NULL, NULL);
}

void *onnx_export_bytes(void *model, const t_TensorList *args, size_t *size, const onnx_ExportOptions *options) {
    void *bytes = NULL;
    return tg_check_given(size != NULL, 3, "the size of the result") && export(model, args, options, NULL, &bytes, size)
               ? bytes
               : NULL;
}
