/* core/tape_print.c: the recorded graph as a list that the user recognises. */
#include <stdlib.h>
#include <string.h>

#include "core/tape.h"

static bool reaches(Record *const *found, int64_t count, const Record *r) {
    for (int64_t i = 0; i < count; i++)
        if (found[i] == r) return true;
    return false;
}

/* The records that `newest` was made from, newest first. One pass over the tape: whoever uses a record comes before it. */
static Record **collect(Record *newest, int64_t *count) {
    int64_t room = tg_thread.records_alive, found = 0;
    Record **list = malloc((size_t)(room ? room : 1) * sizeof *list), **wanted = NULL;
    int64_t wanted_count = 0, wanted_room = 0;
    *count = 0;
    if (!list) return tg_fail("out of memory in t_tape_print");
    for (Record *r = newest; r; r = r->older) {
        if (r != newest && !reaches(wanted, wanted_count, r)) continue;
        list[found++] = r;
        for (int64_t i = 0; i < wanted_count; i++) /* met: no longer wanted */
            if (wanted[i] == r) wanted[i--] = wanted[--wanted_count];
        for (int i = 0; i < r->inputs; i++) {
            if (!r->edges[i].record || reaches(wanted, wanted_count, r->edges[i].record)) continue;
            if (wanted_count == wanted_room) {
                int64_t room_then = 2 * wanted_room + 8;
                Record **larger = realloc(wanted, (size_t)room_then * sizeof *wanted);
                if (!larger) {
                    free(list);
                    free(wanted);
                    return tg_fail("out of memory in t_tape_print");
                }
                wanted = larger;
                wanted_room = room_then;
            }
            wanted[wanted_count++] = r->edges[i].record;
        }
        if (wanted_count == 0) break;
    }
    free(wanted);
    *count = found;
    return list;
}

static int print_shape(const Record *r, char *to, size_t room) {
    int at = snprintf(to, room, "(");
    for (int d = 0; d < r->ndim; d++)
        at += snprintf(to + at, room - (size_t)at, d ? ",%lld" : "%lld", (long long)r->shape[d]);
    return at + snprintf(to + at, room - (size_t)at, ")");
}

static void print_saved(const Record *r, char *to, size_t room) {
    int count = 0;
    size_t bytes = 0;
    for (int i = 0; i < r->saves; i++)
        if (r->saved[i].tensor) {
            count++;
            bytes += (size_t)tg_numel(r->saved[i].tensor) * tg_itemsize(r->saved[i].tensor->dtype);
        }
    if (r->freed) snprintf(to, room, "freed");
    else if (bytes >= 10000) snprintf(to, room, "saved %d, %zu kB", count, (bytes + 500) / 1000);
    else if (count) snprintf(to, room, "saved %d, %zu B", count, bytes);
    else snprintf(to, room, "saved 0");
}

/* The user's expression on one line: white space folded, macro expansions and what is too long cut. */
static void print_expression(const char *text, FILE *to) {
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
    if (r->site) {
        const char *slash = strrchr(r->site->file, '/');
        snprintf(where, sizeof where, "%s:%d", slash ? slash + 1 : r->site->file, r->site->line);
    }
    fprintf(to, "%4lld  %-13s %-14s %-16s %-18s ", (long long)number, r->op->name, shape, saved, where);
    if (r->site) print_expression(r->site->text, to);
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
    Record **list = collect(x->record, &count);
    for (int64_t i = count - 1; list && i >= 0; i--) print_record(list[i], count - i, to);
    free(list);
}
