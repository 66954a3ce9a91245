/* core/autograd/graphviz.c: t_graph_dot, the recorded graph in Graphviz's DOT language. */
#include "core/autograd/tape.h"

/* ---- texts ---- */

/* Quotes and backslashes are escaped in DOT strings. */
static void put_quoted(const char *text, FILE *to) {
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', to);
        fputc(*c == '\n' ? ' ' : *c, to);
    }
}

static const char *name_of(const Tensor *leaf, const t_GraphOptions *o) {
    for (int64_t i = 0; o->params && i < o->params->len; i++)
        if (o->params->items[i] == leaf) return o->names[i];
    return NULL;
}

/* ---- nodes ---- */

static void put_record(const Record *r, FILE *to) {
    char where[120], shape[TG_SHAPE_TEXT];
    tg_write_shape(shape, sizeof shape, r->shape, r->ndim);
    fprintf(to, "  r%lld [label=\"%s\\n%s", (long long)r->number, r->op->grad_fn, shape);
    if (r->site) {
        tg_print_site(r->site, where, sizeof where);
        fputs("\\n", to);
        put_quoted(where, to);
    }
    fputs("\"];\n", to);
}

static void put_leaf(const Tensor *leaf, const char *id, int64_t number, const char *fill, const t_GraphOptions *o,
                     FILE *to) {
    const char *name = name_of(leaf, o);
    char shape[TG_SHAPE_TEXT];
    tg_write_shape(shape, sizeof shape, leaf->shape, leaf->ndim);
    fprintf(to, "  %s%lld [label=\"", id, (long long)number);
    if (name) {
        put_quoted(name, to);
        fputs("\\n", to);
    }
    fprintf(to, "%s\", style=filled, fillcolor=%s];\n", shape, fill);
}

/* ---- the graph: leaves are numbered in the order of their first edge ---- */

typedef struct Leaves {
    Tensor **seen;
    int64_t count, capacity;
} Leaves;

static int64_t leaf_number(Leaves *leaves, Tensor *leaf, const t_GraphOptions *o, FILE *to) {
    for (int64_t i = 0; i < leaves->count; i++)
        if (leaves->seen[i] == leaf) return i + 1;
    leaves->seen[leaves->count++] = leaf;
    put_leaf(leaf, "l", leaves->count, "lightblue", o, to);
    return leaves->count;
}

static void put_edges(const Record *r, Leaves *leaves, const t_GraphOptions *o, FILE *to) {
    for (int i = 0; i < r->inputs; i++) {
        const Edge *edge = &r->edges[i];
        if (!edge->record && !edge->leaf) continue;
        if (edge->record) fprintf(to, "  r%lld -> r%lld;\n", (long long)edge->record->number, (long long)r->number);
        else {
            int64_t leaf = leaf_number(leaves, edge->leaf, o, to);
            fprintf(to, "  l%lld -> r%lld;\n", (long long)leaf, (long long)r->number);
        }
    }
}

static bool write_graph(Tensor *x, FILE *to, const t_GraphOptions *o) {
    int64_t count = 0;
    Record **list = tg_reachable(&x->record, 1, &count);
    Leaves leaves = {0};
    for (int64_t i = 0; list && i < count; i++) leaves.capacity += list[i]->inputs;
    size_t bytes = (size_t)(leaves.capacity + 1) * sizeof *leaves.seen;
    leaves.seen = list ? tg_alloc(bytes) : NULL;
    bool ok = leaves.seen != NULL;
    if (ok) {
        fputs("digraph {\n  node [shape=box, fontname=monospace, fontsize=10];\n", to);
        for (int64_t i = 0; i < count; i++) put_record(list[i], to);
        for (int64_t i = 0; i < count; i++) put_edges(list[i], &leaves, o, to);
        put_leaf(x, "y", 0, "darkolivegreen1", o, to);
        if (x->record) fprintf(to, "  r%lld -> y0;\n", (long long)x->record->number);
        fputs("}\n", to);
    }
    tg_free(leaves.seen, bytes);
    tg_free(list, tg_reachable_bytes(count));
    return ok && !ferror(to);
}

bool t_graph_dot(Tensor *x, FILE *to, const t_GraphOptions *options) {
    t_GraphOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_any(x, 1) || !tg_check_optional_list(o.params, 3))
        return false;
    if (o.params && !o.names)
        return tg_fail("t_graph_dot: names is required, one for each of %lld params", (long long)o.params->len);
    int64_t failures = tg_thread.failures;
    if (write_graph(x, to ? to : stdout, &o)) return true;
    return tg_failed_since(failures) ? false : tg_fail("t_graph_dot: writing to the file failed") != NULL;
}
