/* nn/module/summary.c: nn_summary, a table of the calls of a model's modules, made by forward hooks of all modules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/autograd/tape.h"
#include "core/io/file.h"
#include "nn/module/module_hooks.h"
#include "nn/module/module_internal.h"

enum { COLUMNS = 6, MODULE = 0, CLASS, INPUT, OUTPUT, PARAMETERS, TIME, TEXT_SIZE = 256 };

/* One call of a module. */
typedef struct Row {
    char text[COLUMNS][TEXT_SIZE];
    int64_t caller; /* the row of the module that calls it, or -1 */
    int depth;
    double began; /* seconds */
} Row;

/* The trace of one call. It belongs to the scope of nn_summary, whose end, also by t_unwind, removes the hooks and
 * restores the training modes. */
typedef struct Trace {
    t_Object object;
    t_Hook *before, *after;
    nn_NamedList *modules; /* of the model, */
    bool *training;        /* with their modes */
    Row *rows;
    int64_t len, capacity, running; /* running: the row of the innermost running call, or -1 */
} Trace;

static void trace_destroy(void *object) {
    Trace *trace = object;
    tg_object_dispose(&trace->object);
    if (trace->before) t_hook_remove(trace->before);
    if (trace->after) t_hook_remove(trace->after);
    t_release(trace->before);
    t_release(trace->after);
    for (int64_t i = 0; trace->training && i < trace->modules->len; i++)
        trace->modules->items[i].module->training = trace->training[i];
    tg_free(trace->training, trace->modules ? (size_t)trace->modules->len : 0);
    t_release(trace->modules);
    tg_free(trace->rows, (size_t)trace->capacity * sizeof *trace->rows);
    tg_object_free(&trace->object, sizeof *trace);
}

static const t_Class trace_class = {"Trace", trace_destroy};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the hooks ---- */

static Row *new_row(Trace *trace) {
    if (trace->len == trace->capacity) {
        const int64_t capacity = trace->capacity ? 2 * trace->capacity : 16;
        Row *larger = tg_alloc_raw((size_t)capacity * sizeof *larger);
        if (!larger) return NULL;
        if (trace->len) memcpy(larger, trace->rows, (size_t)trace->len * sizeof *larger);
        tg_free(trace->rows, (size_t)trace->capacity * sizeof *larger);
        trace->rows = larger;
        trace->capacity = capacity;
    }
    Row *row = &trace->rows[trace->len];
    memset(row, 0, sizeof *row);
    row->caller = trace->running;
    row->depth = row->caller < 0 ? 0 : trace->rows[row->caller].depth + 1;
    trace->running = trace->len++;
    return row;
}

static t_TensorList *begin_row(nn_Module *module, t_TensorList *args, void *context) {
    Row *row = new_row(context);
    const int64_t parameters = row ? nn_count_parameters(module, false) : -1;
    if (parameters < 0) return NULL;
    const int indent = 2 * row->depth < TEXT_SIZE / 2 ? 2 * row->depth : TEXT_SIZE / 2;
    memset(row->text[MODULE], ' ', (size_t)indent);
    tg_print_module_name(row->text[MODULE] + indent, (size_t)(TEXT_SIZE - indent));
    snprintf(row->text[CLASS], TEXT_SIZE, "%s", module->type);
    for (int64_t i = 0, at = 0; i < args->len && at < TEXT_SIZE; i++) {
        char shape[TG_SHAPE_TEXT];
        tg_write_shape(shape, sizeof shape, args->items[i]->shape, args->items[i]->ndim);
        at += snprintf(row->text[INPUT] + at, (size_t)(TEXT_SIZE - at), "%s%s", i ? ", " : "", shape);
    }
    snprintf(row->text[PARAMETERS], TEXT_SIZE, "%lld", (long long)parameters);
    row->began = now();
    return NULL;
}

static Tensor *end_row(nn_Module *module, t_TensorList *args, Tensor *output, void *context) {
    Trace *trace = context;
    Row *row = trace->running < 0 ? NULL : &trace->rows[trace->running];
    (void)module;
    (void)args;
    if (!row) return NULL;
    snprintf(row->text[TIME], TEXT_SIZE, "%lld", (long long)(1e6 * (now() - row->began)));
    tg_write_shape(row->text[OUTPUT], TEXT_SIZE, output->shape, output->ndim);
    trace->running = row->caller;
    return NULL;
}

/* ---- the table ---- */

static char *table(const Trace *trace, const void *self) {
    static const char *const titles[COLUMNS] = {"Module", "Class", "Input", "Output", "Param #", "Time (us)"};
    int widths[COLUMNS];
    tg_Output out;
    tg_output_memory(&out);
    for (int c = 0; c < COLUMNS; c++) {
        widths[c] = (int)strlen(titles[c]);
        for (int64_t i = 0; i < trace->len; i++)
            if ((int)strlen(trace->rows[i].text[c]) > widths[c]) widths[c] = (int)strlen(trace->rows[i].text[c]);
    }
    for (int64_t i = -1; i < trace->len; i++)
        for (int c = 0; c < COLUMNS; c++)
            tg_output_print(&out, "%*s%s", c < PARAMETERS ? -widths[c] : widths[c],
                            i < 0 ? titles[c] : trace->rows[i].text[c], c == COLUMNS - 1 ? "\n" : "  ");
    const int64_t all = nn_count_parameters(self, false), trainable = nn_count_parameters(self, true);
    const bool ok = tg_output_print(&out, "Total params: %lld\nTrainable params: %lld\nNon-trainable params: %lld\n",
                                    (long long)all, (long long)trainable, (long long)(all - trainable));
    return tg_output_take_text(&out, ok && all >= 0 && trainable >= 0);
}

static Trace *trace_new(void *self) {
    Trace *trace = tg_alloc(sizeof *trace);
    if (!trace) return NULL;
    trace->running = -1;
    tg_object_init(&trace->object, &trace_class);
    trace->modules = t_retain(nn_named_modules(self));
    trace->training = trace->modules ? tg_alloc((size_t)trace->modules->len) : NULL;
    if (!trace->training) return NULL;
    for (int64_t i = 0; i < trace->modules->len; i++) trace->training[i] = trace->modules->items[i].module->training;
    trace->before = t_retain(nn_register_module_forward_pre_hook(begin_row, trace, NULL));
    trace->after = t_retain(nn_register_module_forward_hook(end_row, trace, NULL));
    return trace->before && trace->after ? trace : NULL;
}

bool nn_summary(void *self, const t_TensorList *inputs, FILE *to) {
    if (!tg_check_module(self, 1) || !tg_check_list(inputs, 2)) return false;
    if (inputs->len < 1 || inputs->len > 2)
        return tg_fail("nn_summary calls the model with one or two inputs, not %lld", (long long)inputs->len);
    const int depth = t_scope_open();
    Trace *trace = depth ? trace_new(self) : NULL;
    char *text = NULL;
    if (trace) {
        nn_eval(self);
        const bool grad_enabled = t_set_grad_enabled(false);
        Tensor *const *x = inputs->items;
        Tensor *y = inputs->len == 1 ? nn_call(self, x[0]) : nn_call2(self, x[0], x[1]);
        t_set_grad_enabled(grad_enabled);
        text = y ? table(trace, self) : NULL;
    }
    tg_scope_close(depth);
    if (text) fputs(text, to ? to : stdout);
    free(text);
    return text != NULL;
}
