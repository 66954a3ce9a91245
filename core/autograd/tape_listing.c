/* core/autograd/tape_listing.c: t_tape_print, the recorded graph as a list of ops with their source lines. */
#include <string.h>

#include "core/autograd/tape.h"

static int print_shape(const Record *r, char *to, size_t size) {
    int at = snprintf(to, size, "(");
    for (int d = 0; d < r->ndim; d++)
        at += snprintf(to + at, size - (size_t)at, d ? ",%lld" : "%lld", (long long)r->shape[d]);
    return at + snprintf(to + at, size - (size_t)at, ")");
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

static void print_record(const Record *r, int64_t number, FILE *to) {
    char shape[200], saved[64], where[120] = "";
    print_shape(r, shape, sizeof shape);
    print_saved(r, saved, sizeof saved);
    if (r->site) tg_print_site(r->site, where, sizeof where);
    fprintf(to, "%4lld  %-13s %-14s %-16s %-18s ", (long long)number, r->op->name, shape, saved, where);
    if (r->site) tg_print_expression(r->site->text, to);
    fputc('\n', to);
}

void t_tape_print(Tensor *x, FILE *to) {
    int64_t count;
    if (!tg_check(x, 1)) return;
    if (!to) to = stdout;
    if (!x->record) {
        fprintf(to, "a leaf: no op on the tape made it\n");
        return;
    }
    Record **list = tg_reachable(&x->record, 1, &count);
    if (!list) return;
    for (int64_t i = count - 1; i >= 0; i--) print_record(list[i], count - i, to);
    tg_free(list, tg_reachable_bytes(count));
}
