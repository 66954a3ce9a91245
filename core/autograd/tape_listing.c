/* core/autograd/tape_listing.c: t_tape_print, the recorded graph as a list of ops with their source lines. */
#include <string.h>

#include "core/autograd/tape.h"

void tg_print_shape(const int64_t *shape, int ndim, char *to, size_t size) {
    int at = snprintf(to, size, "(");
    for (int d = 0; d < ndim; d++)
        at += snprintf(to + at, size - (size_t)at, d ? ",%lld" : "%lld", (long long)shape[d]);
    snprintf(to + at, size - (size_t)at, ")");
}

static void print_saved(const Record *r, char *to, size_t size) {
    int count = 0;
    size_t bytes = 0;
    for (int i = 0; i < r->saves; i++)
        if (r->saved[i].tensor) {
            count++;
            bytes += (size_t)tg_numel(r->saved[i].tensor) * tg_itemsize(r->saved[i].tensor->dtype);
        }
    if (r->freed) snprintf(to, size, "freed");
    else if (bytes >= 10000) snprintf(to, size, "saved %d, %zu kB", count, (bytes + 500) / 1000);
    else if (count) snprintf(to, size, "saved %d, %zu B", count, bytes);
    else snprintf(to, size, "saved 0");
}

void tg_print_site(const t_Site *site, char *to, size_t size) {
    const char *slash = site ? strrchr(site->file, '/') : NULL;
    if (site) snprintf(to, size, "%s:%d", slash ? slash + 1 : site->file, site->line);
    else snprintf(to, size, "-");
}

void tg_print_expression(const char *text, FILE *to) {
    enum { LONGEST = 72 };
    const char *expansion = strstr(text, "(__extension__");
    int printed = 0;
    for (const char *c = text; *c && c != expansion && printed < LONGEST; c++) {
        bool blank = *c == ' ' || *c == '\n' || *c == '\t';
        if (blank && (c == text || c[-1] == ' ' || c[-1] == '\n' || c[-1] == '\t')) continue;
        fputc(blank ? ' ' : *c, to);
        printed++;
    }
    if (printed == LONGEST || expansion) fputs("...", to);
}

/* ---- names of inputs ---- */

/* Whether the expression is a call of op: "t_mul(w, x)" of mul, "F_linear(x, w)" of linear, "t_add_(x, 1)" of add. */
static bool is_call_of(const char *expression, const char *op) {
    const char *name = strchr(expression, '_');
    if (!name++ || name - expression > 3) return false;
    bool is_product =
        strcmp(op, "mm") == 0 || strcmp(op, "bmm") == 0 || strcmp(op, "mv") == 0 || strcmp(op, "dot") == 0;
    if (is_product && strncmp(name, "matmul(", 7) == 0) return true;
    if (strncmp(name, op, strlen(op)) != 0) return false;
    name += strlen(op);
    return *name == '(' || (name[0] == '_' && name[1] == '(');
}

/* The i-th argument of a call, "b" of "t_add(t_mul(w, x), b)"; false if there are fewer. */
static bool find_argument(const char *call, int i, const char **begin, const char **end) {
    const char *s = strchr(call, '(');
    int depth = 0;
    char quote = 0;
    for (*begin = s ? s + 1 : NULL; s && *s; s++) {
        if (quote) {
            if (*s == '\\' && s[1]) s++;
            else if (*s == quote) quote = 0;
        } else if (*s == '"' || *s == '\'') {
            quote = *s;
        } else if (*s == '(' || *s == '[' || *s == '{') {
            depth++;
        } else if ((*s == ')' || *s == ']' || *s == '}') ? --depth == 0 : *s == ',' && depth == 1) {
            *end = s;
            if (i-- == 0) return true;
            if (depth == 0) return false;
            *begin = s + 1;
        }
    }
    return false;
}

/* Whether the arguments of a call are the inputs of its record: as many, and no list. */
static bool are_inputs(const char *call, int inputs) {
    const char *begin, *end;
    for (int i = 0; i < inputs; i++)
        if (!find_argument(call, i, &begin, &end) || strncmp(begin, "t_list(", 7) == 0) return false;
    return !find_argument(call, inputs, &begin, &end) || strncmp(begin, " .", 2) == 0; /* keywords may follow */
}

/* A variable, a member or an element (w, self->fc->weight, p[0]) or a number; no call and no other expression. */
static bool is_simple(const char *begin, const char *end) {
    static const char others[] = "_.->[]";
    for (const char *s = begin; s < end; s++) {
        bool is_letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
        if (!is_letter && !strchr(others, *s)) return false;
    }
    return end > begin;
}

bool tg_print_input_name(const Record *r, int i, char to[TG_NAME_SIZE]) {
    const char *name = tg_watched_name(r->edges[i].leaf), *begin, *end;
    if (name) {
        snprintf(to, TG_NAME_SIZE, "%s", name);
        return true;
    }
    if (!r->site || !is_call_of(r->site->text, r->op->name) || !are_inputs(r->site->text, r->inputs)) return false;
    find_argument(r->site->text, i, &begin, &end);
    while (begin < end && (*begin == ' ' || *begin == '\n' || *begin == '\t')) begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t')) end--;
    if (!is_simple(begin, end) || end - begin >= TG_NAME_SIZE) return false;
    snprintf(to, TG_NAME_SIZE, "%.*s", (int)(end - begin), begin);
    return true;
}

/* The number of a record in the listing: list has the records newest first, sorted by Record.number. */
static int64_t number_in(Record *const *list, int64_t count, const Record *r) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (list[middle] == r) return count - middle;
        if (list[middle]->number > r->number) low = middle + 1;
        else high = middle;
    }
    return 0;
}

/* "#1, b" */
static void print_inputs(const Record *r, Record *const *list, int64_t count, char *to, size_t size) {
    size_t at = 0;
    *to = 0;
    for (int i = 0; i < r->inputs; i++) {
        char name[TG_NAME_SIZE];
        const Edge *edge = &r->edges[i];
        if (edge->record) snprintf(name, sizeof name, "#%lld", (long long)number_in(list, count, edge->record));
        else if (!tg_print_input_name(r, i, name)) snprintf(name, sizeof name, edge->leaf ? "leaf" : "-");
        int written = snprintf(to + at, size - at, i ? ", %s" : "%s", name);
        if (written < 0 || (size_t)written >= size - at) { /* a cat of many tensors */
            if (size > 4) snprintf(to + size - 4, 4, "...");
            return;
        }
        at += (size_t)written;
    }
}

static void print_record(Record *const *list, int64_t count, int64_t i, FILE *to) {
    const Record *r = list[i];
    char shape[200], inputs[100], saved[64], where[120] = "", op[2 * TG_NAME_SIZE];
    const char *name = tg_watched_name(r->retainer);
    tg_print_shape(r->shape, r->ndim, shape, sizeof shape);
    print_inputs(r, list, count, inputs, sizeof inputs);
    print_saved(r, saved, sizeof saved);
    if (r->site) tg_print_site(r->site, where, sizeof where);
    snprintf(op, sizeof op, name ? "%s = %s" : "%s%s", name ? name : "", r->op->name);
    fprintf(to, "%4lld  %-13s %-11s %-11s %-16s %-18s ", (long long)(count - i), op, shape, inputs, saved, where);
    if (r->site) tg_print_expression(r->site->text, to);
    fputc('\n', to);
}

void t_tape_print(Tensor *x, FILE *to) {
    int64_t count;
    if (!tg_check_any(x, 1)) return;
    if (!to) to = stdout;
    if (!x->record) {
        fprintf(to, "a leaf: no op on the tape made it\n");
        return;
    }
    Record **list = tg_reachable(&x->record, 1, &count);
    if (!list) return;
    for (int64_t i = count - 1; i >= 0; i--) print_record(list, count, i, to);
    tg_free(list, tg_reachable_bytes(count));
}
