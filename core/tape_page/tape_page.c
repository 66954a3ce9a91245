/* core/tape_page/tape_page.c: t_tape_html, the recorded graph as a page in which a backward can be stepped.
 *
 * The folder writes one file: the page's style and script (tape_page.inc) around the data of a graph, a JSON object:
 *
 *     records   in order of execution: op, name, shape, call site, path of the module, inputs, value, gradient, and
 *               `step`, its position in the backward (0: not visited); `calls`, the module calls that it ran in
 *               (ModuleCall), innermost first
 *     leaves    name, shape, value, gradient
 *     constants the inputs that need no gradient: name, shape, value; is_number: a C number in the call
 *     sources   the lines of the files that the call sites name
 *
 * It may include core/tensor, core/autograd, core/io and the headers of core/ops. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"
#include "core/autograd/hooks.h"
#include "core/io/file.h"
#include "core/ops/ops.h"
#include "core/tensor/generator.h"
#include "core/tensor/str.h"

static const char *const page_begin[] = {
#define PAGE_BEGIN
#include "core/tape_page/tape_page.inc"
#undef PAGE_BEGIN
};
static const char *const page_end[] = {
#include "core/tape_page/tape_page.inc"
};

/* What is known of a record beside the record itself. */
typedef struct Node {
    Record *record;
    Tensor *dy, **dx; /* references; dx: one for each input; NULL if the backward did not come here */
    int64_t step;
    Tensor *saved; /* the output, if a rule of another record saved it; not a reference */
    int64_t *constants; /* for each input the index of the constant, or -1; in Page.edge_constants */
} Node;

/* An input that needs no gradient, and the first record that got it, as which input. */
typedef struct Constant {
    const KeptValue *kept;
    const Record *record;
    int input;
} Constant;

typedef struct Page {
    Node *nodes; /* oldest first */
    int64_t count, steps;
    Tensor **leaves, **gradients; /* what backward would add to the grad of each leaf, as a reference; or NULL */
    int64_t leaf_count, capacity;
    Constant *constants;
    int64_t constant_count, *edge_constants;
    const char *error; /* of the backward, if it failed */
} Page;

/* ---- the graph ---- */

static int64_t node_index(const Page *page, const Record *r) {
    int64_t low = 0, high = page->count;
    while (r && low < high) {
        int64_t middle = low + (high - low) / 2;
        if (page->nodes[middle].record == r) return middle;
        if (page->nodes[middle].record->number < r->number) low = middle + 1;
        else high = middle;
    }
    return -1;
}

static int64_t leaf_index(const Page *page, const Tensor *leaf) {
    for (int64_t i = 0; i < page->leaf_count; i++)
        if (page->leaves[i] == leaf) return i;
    return -1;
}

/* One tensor that several records got as an input is one constant, if they are not far from each other. */
static int64_t constant_index(const Page *page, const KeptValue *kept) {
    enum { NEAR = 64 };
    int64_t i = page->constant_count - 1, end = i - NEAR;
    for (; i >= 0 && i > end; i--) {
        const KeptValue *other = page->constants[i].kept;
        if (other->version == kept->version && tg_is_alias(other->tensor, kept->tensor)) return i;
    }
    return -1;
}

static int64_t collect_constant(Page *page, const Record *r, int k) {
    const KeptValue *kept = r->details ? &r->details->constants[k] : NULL;
    if (!kept || !kept->tensor) return -1;
    int64_t i = constant_index(page, kept);
    if (i >= 0) return i;
    page->constants[page->constant_count] = (Constant){kept, r, k};
    return page->constant_count++;
}

static void collect_inputs(Page *page, Node *node) {
    const Record *r = node->record;
    for (int k = 0; k < r->inputs; k++) {
        Tensor *leaf = r->edges[k].leaf;
        if (leaf && leaf_index(page, leaf) < 0) page->leaves[page->leaf_count++] = leaf;
        node->constants[k] = collect_constant(page, r, k);
    }
    for (int k = 0; k < r->saves; k++) {
        Tensor *saved = r->saved[k].is_packed ? NULL : r->saved[k].tensor;
        int64_t maker = saved ? node_index(page, saved->record) : -1;
        if (maker >= 0 && !page->nodes[maker].saved) page->nodes[maker].saved = saved;
    }
}

static bool collect(Page *page, Tensor *x) {
    int64_t count = 0, edges = 0;
    Record **list = tg_reachable(&x->record, 1, &count);
    if (!list) return false;
    page->nodes = tg_alloc((size_t)count * sizeof *page->nodes);
    for (int64_t i = 0; page->nodes && i < count; i++) {
        page->nodes[i].record = list[count - 1 - i];
        edges += list[i]->inputs;
    }
    tg_free(list, tg_reachable_bytes(count));
    page->count = page->nodes ? count : 0;
    page->capacity = edges + 1;
    page->leaves = tg_alloc((size_t)page->capacity * sizeof *page->leaves);
    page->gradients = tg_alloc((size_t)page->capacity * sizeof *page->gradients);
    page->constants = tg_alloc((size_t)page->capacity * sizeof *page->constants);
    page->edge_constants = tg_alloc((size_t)page->capacity * sizeof *page->edge_constants);
    if (!page->nodes || !page->leaves || !page->gradients || !page->constants || !page->edge_constants) return false;
    int64_t *edge = page->edge_constants;
    for (int64_t i = 0; i < count; i++) {
        page->nodes[i].constants = edge;
        edge += page->nodes[i].record->inputs;
        collect_inputs(page, &page->nodes[i]);
    }
    return true;
}

static void release(Page *page) {
    for (int64_t i = 0; i < page->count; i++) {
        Node *node = &page->nodes[i];
        t_release(node->dy);
        for (int k = 0; node->dx && k < node->record->inputs; k++) t_release(node->dx[k]);
        tg_free(node->dx, (size_t)(node->record->inputs + 1) * sizeof *node->dx);
    }
    for (int64_t i = 0; i < page->leaf_count; i++) t_release(page->gradients[i]);
    tg_free(page->nodes, (size_t)page->count * sizeof *page->nodes);
    tg_free(page->leaves, (size_t)page->capacity * sizeof *page->leaves);
    tg_free(page->gradients, (size_t)page->capacity * sizeof *page->gradients);
    tg_free(page->constants, (size_t)page->capacity * sizeof *page->constants);
    tg_free(page->edge_constants, (size_t)page->capacity * sizeof *page->edge_constants);
}

/* ---- the gradients: a backward after which every grad is restored ---- */

static bool keep_step(Page *page, StepGradients *step) {
    int64_t i = node_index(page, step->record);
    Node *node = i < 0 ? NULL : &page->nodes[i];
    bool ok = true;
    if (node) {
        node->dx = tg_alloc((size_t)(step->record->inputs + 1) * sizeof *node->dx);
        ok = node->dx != NULL;
        node->dy = t_retain(step->dy);
        node->step = ++page->steps;
        for (int k = 0; ok && k < step->record->inputs; k++) node->dx[k] = t_retain(step->dx[k]);
    }
    for (int k = 0; k < step->record->inputs; k++) t_release(step->dx[k]);
    t_release(step->dy);
    tg_free(step->dx, step->bytes);
    *step = (StepGradients){0};
    return ok;
}

/* The grads of the leaves are set aside first, so that not even a hook that clears them finds them. At the end they are
 * the gradients of this backward: after the hooks of the leaves, and with the parts of backwards that a rule called. */
static bool set_leaf_grads_aside(const Page *page) {
    for (int64_t i = 0; i < page->leaf_count; i++)
        if (!tg_set_grad_aside(page->leaves[i], false)) return false;
    return true;
}

/* On an error (a freed graph, a rule that fails) the page shows the forward and the message. */
static void run_backward(Page *page, Tensor *x) {
    Tensor *gradient = tg_numel(x) == 1 ? NULL : t_ones_like(x);
    Request request = {&x, 1, &gradient, 1, NULL, .retain_graph = true, .accumulate = true,
                       .preview = true};
    Tensor *generator = t_get_rng_state(); /* a rule that recomputes a dropout draws */
    Backward *run = generator ? tg_backward_begin(&request) : NULL;
    StepGradients step = {0};
    bool ok = run && set_leaf_grads_aside(page);
    if (run) run->step_gradients = &step;
    for (int state = 1; ok && run->pending_count > 0 && state > 0;) {
        state = tg_backward_next(run);
        ok = state >= 0 && (state == 0 || keep_step(page, &step));
    }
    ok = ok && tg_backward_finish(run);
    for (int64_t i = 0; ok && i < page->leaf_count; i++) page->gradients[i] = t_retain(page->leaves[i]->grad);
    if (run) t_set_grad_enabled(run->grad_enabled_before);
    tg_backward_end(run);
    if (!ok) {
        page->error = t_format("%s", t_error_message() ? t_error_message() : "out of memory");
        t_clear_error();
    }
    if (generator) t_set_rng_state(generator);
}

/* ---- JSON ---- */

static void put_string(tg_Output *out, const char *s) {
    char piece[2] = "";
    tg_output_text(out, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\' || c < 0x20 || c == '<' || c == '>' || c == '&') {
            tg_output_print(out, "\\u%04x", c);
        } else {
            piece[0] = *s;
            tg_output_text(out, piece);
        }
    }
    tg_output_text(out, "\"");
}

static void put_field(tg_Output *out, const char *name, const char *value) {
    tg_output_print(out, "\"%s\": ", name);
    put_string(out, value);
    tg_output_text(out, ", ");
}

static void put_shape(tg_Output *out, const int64_t *shape, int ndim) {
    char text[200];
    tg_print_shape(shape, ndim, text, sizeof text);
    put_field(out, "shape", text);
}

/* In a large graph long texts are cut at the end of a line, so that a browser can load the page. */
static void cut_text(const Page *page, char *text) {
    enum { LARGE = 300, LONGEST = 1000 };
    if (page->count <= LARGE || strlen(text) <= LONGEST) return;
    size_t end = LONGEST - 16;
    while (end > LONGEST / 2 && text[end] != '\n') end--;
    strcpy(text + end, "\n... (cut)");
}

/* "value": the printed tensor, and "value_short": a scalar, or the norm of a tensor; null for NULL. */
static void put_tensor(tg_Output *out, const Page *page, const char *name, Tensor *x) {
    char *text = x ? t_repr(x) : NULL;
    if (text) cut_text(page, text);
    Tensor *norm = NULL;
    if (text && tg_numel(x) > 0)
        norm = tg_numel(x) == 1 ? x : linalg_vector_norm(t_double(x), 2, NULL, 0, false, t_float64);
    tg_output_print(out, "\"%s\": ", name);
    if (text) put_string(out, text);
    else tg_output_text(out, "null");
    tg_output_print(out, ", \"%s_short\": ", name);
    if (!norm) tg_output_text(out, "null, ");
    else tg_output_print(out, tg_numel(x) == 1 ? "\"%.4g\", " : "\"|.| %.3g\", ", t_item(norm));
    free(text);
}

static bool is_current(const KeptValue *kept) {
    return kept->tensor && kept->version == kept->tensor->storage->version;
}

/* The output of a record, if the tape has it: kept (t_set_tape_values), retained, or saved by a rule; not if it was
 * written to since. */
static Tensor *output_of(const Node *node) {
    const Record *r = node->record;
    if (r->details && is_current(&r->details->output)) return r->details->output.tensor;
    if (r->retainer) return r->retainer;
    for (int i = 0; i < r->saves; i++)
        if (r->saved[i].is_output && !r->saved[i].is_packed && r->saved[i].tensor) return r->saved[i].tensor;
    return node->saved;
}

static void put_inputs(tg_Output *out, const Page *page, const Node *node) {
    const Record *r = node->record;
    tg_output_text(out, "\"inputs\": [");
    for (int k = 0; k < r->inputs; k++) {
        char name[TG_NAME_SIZE] = "-";
        const Edge *edge = &r->edges[k];
        tg_output_text(out, k ? ", {" : "{");
        if (edge->record) tg_output_print(out, "\"record\": %lld, ", (long long)node_index(page, edge->record));
        else if (edge->leaf) tg_output_print(out, "\"leaf\": %lld, ", (long long)leaf_index(page, edge->leaf));
        else if (node->constants[k] >= 0)
            tg_output_print(out, "\"constant\": %lld, ", (long long)node->constants[k]);
        tg_print_input_name(r, k, name);
        put_field(out, "name", name);
        put_tensor(out, page, "grad", node->dx ? node->dx[k] : NULL);
        tg_output_text(out, "\"end\": 0}");
    }
    tg_output_text(out, "], ");
}

static void put_calls(tg_Output *out, const Record *r) {
    tg_output_text(out, "\"calls\": [");
    for (int k = 0; r->details && k < r->details->call_count; k++)
        tg_output_print(out, k ? ", [%d, %lld]" : "[%d, %lld]", r->details->calls[k].length,
                        (long long)r->details->calls[k].call);
    tg_output_text(out, "], ");
}

/* Whether a hook may replace the gradient, which is not so for a post-accumulate hook. */
static bool has_hook(const t_Hook *hook) {
    while (hook && !hook->function) hook = hook->next;
    return hook != NULL;
}

static void put_record(tg_Output *out, const Page *page, int64_t i) {
    const Node *node = &page->nodes[i];
    const Record *r = node->record;
    const char *name = tg_watched_name(r->retainer);
    tg_output_text(out, i ? ",\n{" : "\n{");
    put_field(out, "op", r->op->name);
    put_field(out, "grad_fn", r->op->grad_fn);
    put_field(out, "name", name ? name : "");
    put_field(out, "path", r->details ? r->details->path : "");
    put_shape(out, r->shape, r->ndim);
    put_field(out, "file", r->site ? r->site->file : "");
    put_field(out, "text", r->site ? r->site->text : "");
    tg_output_print(out, "\"line\": %d, \"step\": %lld, ", r->site ? r->site->line : 0, (long long)node->step);
    tg_output_print(out, "\"hooks\": %d, ", has_hook(r->hooks));
    put_calls(out, r);
    put_inputs(out, page, node);
    put_tensor(out, page, "value", output_of(node));
    put_tensor(out, page, "grad", node->dy);
    tg_output_text(out, "\"end\": 0}");
}

/* The name that a record has for a leaf. */
static void find_leaf_name(const Page *page, const Tensor *leaf, char name[TG_NAME_SIZE]) {
    for (int64_t i = 0; i < page->count; i++) {
        const Record *r = page->nodes[i].record;
        for (int k = 0; k < r->inputs; k++)
            if (r->edges[k].leaf == leaf && tg_print_input_name(r, k, name)) return;
    }
    snprintf(name, TG_NAME_SIZE, "leaf %lld", (long long)leaf_index(page, leaf) + 1);
}

static void put_leaf(tg_Output *out, const Page *page, int64_t i) {
    char name[TG_NAME_SIZE];
    Tensor *leaf = page->leaves[i];
    find_leaf_name(page, leaf, name);
    tg_output_text(out, i ? ",\n{" : "\n{");
    put_field(out, "name", name);
    put_shape(out, leaf->shape, leaf->ndim);
    put_tensor(out, page, "value", leaf);
    put_tensor(out, page, "grad", page->gradients[i]);
    tg_output_print(out, "\"hooks\": %d}", has_hook(leaf->hooks));
}

/* The name is that of t_watch, else the variable in the call that got it; empty if there is none. */
static void put_constant(tg_Output *out, const Page *page, int64_t i) {
    char name[TG_NAME_SIZE] = "";
    const Constant *constant = &page->constants[i];
    Tensor *x = constant->kept->tensor;
    if (!tg_print_watched_alias(x, name)) tg_print_input_name(constant->record, constant->input, name);
    tg_output_text(out, i ? ",\n{" : "\n{");
    put_field(out, "name", name);
    put_shape(out, x->shape, x->ndim);
    put_tensor(out, page, "value", is_current(constant->kept) ? x : NULL);
    tg_output_print(out, "\"is_number\": %d, \"is_parameter\": %d}", x->wrapped_number, x->is_parameter);
}

/* The lines of a source file; none if it cannot be read. */
static void put_source(tg_Output *out, const char *file, bool first) {
    enum { LARGEST = 1 << 22 };
    errno = 0;
    FILE *source = fopen(file, "rb");
    char *text = source ? malloc(LARGEST + 1) : NULL;
    if (!text && (source || errno == ENOMEM)) {
        out->failed = true;
        tg_fail("out of memory for the source %s", file);
    }
    tg_output_print(out, "%s\n", first ? "" : ",");
    put_string(out, file);
    tg_output_text(out, ": [");
    if (text) {
        text[fread(text, 1, LARGEST, source)] = 0;
        int count = 0;
        for (char *line = text, *end; *line; line = end) {
            end = line + strcspn(line, "\n");
            if (*end) *end++ = 0;
            if (count++) tg_output_text(out, ", ");
            put_string(out, line);
        }
    }
    tg_output_text(out, "]");
    free(text);
    if (source) fclose(source);
}

static void put_sources(tg_Output *out, const Page *page) {
    bool first = true;
    for (int64_t i = 0; i < page->count; i++) {
        const t_Site *site = page->nodes[i].record->site;
        bool is_new = site != NULL;
        for (int64_t k = 0; is_new && k < i; k++) {
            const t_Site *other = page->nodes[k].record->site;
            is_new = !other || strcmp(other->file, site->file) != 0;
        }
        if (is_new) put_source(out, site->file, first);
        if (is_new) first = false;
    }
}

static void put_lines(tg_Output *out, const char *const *lines, size_t count) {
    for (size_t i = 0; i < count; i++) {
        tg_output_text(out, lines[i]);
        tg_output_text(out, "\n");
    }
}

static bool write_page(const Page *page, const char *path) {
    tg_Output out;
    if (!tg_output_open(&out, path)) return false;
    int64_t failures = tg_thread.failures;
    put_lines(&out, page_begin, sizeof page_begin / sizeof *page_begin);
    tg_output_text(&out, "{\"records\": [");
    for (int64_t i = 0; i < page->count; i++) put_record(&out, page, i);
    tg_output_text(&out, "],\n\"leaves\": [");
    for (int64_t i = 0; i < page->leaf_count; i++) put_leaf(&out, page, i);
    tg_output_text(&out, "],\n\"constants\": [");
    for (int64_t i = 0; i < page->constant_count; i++) put_constant(&out, page, i);
    tg_output_text(&out, "],\n\"sources\": {");
    put_sources(&out, page);
    tg_output_text(&out, "},\n");
    put_field(&out, "error", page->error ? page->error : "");
    tg_output_text(&out, "\"end\": 0}\n");
    put_lines(&out, page_end, sizeof page_end / sizeof *page_end);
    return tg_output_commit(&out, !tg_failed_since(failures));
}

/* The page belongs to the scope of the call, whose end, also by t_unwind out of a hook, frees it. */
typedef struct PageOwner {
    t_Object object;
    Page page;
} PageOwner;

static void page_destroy(void *object) {
    PageOwner *owner = object;
    tg_object_dispose(&owner->object);
    release(&owner->page);
    tg_object_free(&owner->object, sizeof *owner);
}

static const t_Class page_class = {"TapePage", page_destroy};

bool t_tape_html(Tensor *x, const char *path) {
    if (!tg_check(x, 1) || !tg_check_given(path != NULL, 2, "a path")) return false;
    if (!x->record) return tg_fail("t_tape_html: a leaf has no tape: no op made it");
    const int depth = tg_scope_open_around_callback();
    PageOwner *owner = depth ? tg_alloc(sizeof *owner) : NULL;
    if (owner) tg_object_init(&owner->object, &page_class);
    bool ok = owner && collect(&owner->page, x);
    if (ok) {
        const bool grad_enabled = t_set_grad_enabled(false);
        run_backward(&owner->page, x);
        ok = write_page(&owner->page, path);
        t_set_grad_enabled(grad_enabled);
    }
    tg_scope_close(depth);
    return ok;
}
