/* nn/repr.c: print(model), in the form of PyTorch 2: children indented by two, equal neighbours of a ModuleList folded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/module_internal.h"

static char *repr(const nn_Module *self); /* of NULL: None */

/* "(key): text", each further line of text two places to the right. */
static void write_child(FILE *to, const char *key, const char *text) {
    fprintf(to, "\n  (%s): ", key);
    for (const char *c = text; *c; c++) {
        fputc(*c, to);
        if (*c == '\n') fputs("  ", to);
    }
}

static void write_children(FILE *to, const nn_Module *self) {
    for (const nn_Entry *entry = self->first; entry; entry = entry->next) {
        if (entry->kind != nn_child_kind) continue;
        char *text = repr((const nn_Module *)entry->value);
        write_child(to, entry->name, text ? text : "");
        free(text);
    }
}

/* (0-3): 4 x EncoderLayer(...): a run of children with the same text is written once. */
static void write_folded(FILE *to, const nn_Module *self) {
    for (const nn_Entry *entry = tg_child(self->first), *next; entry; entry = next) {
        char *text = repr((const nn_Module *)entry->value), *line = NULL, key[128];
        size_t room;
        const nn_Entry *last = entry;
        int count = 1;
        for (next = tg_child(entry->next); next; next = tg_child(next->next), count++) {
            char *other = repr((const nn_Module *)next->value);
            bool same = text && other && strcmp(text, other) == 0;
            free(other);
            if (!same) break;
            last = next;
        }
        FILE *folded = open_memstream(&line, &room);
        if (folded) {
            if (count > 1) fprintf(folded, "%d x ", count);
            fputs(text ? text : "", folded);
            fclose(folded);
        }
        if (count > 1) snprintf(key, sizeof key, "%s-%s", entry->name, last->name);
        else snprintf(key, sizeof key, "%s", entry->name);
        write_child(to, key, line ? line : "");
        free(line);
        free(text);
    }
}

static bool has_children(const nn_Module *self) {
    for (const nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->kind == nn_child_kind) return true;
    return false;
}

static char *repr(const nn_Module *self) {
    if (!self) return strdup("None");
    char *text = NULL, extra[512] = "";
    size_t room;
    FILE *to = open_memstream(&text, &room);
    if (!to) return tg_fail("out of memory in nn_repr");
    if (self->extra_repr) self->extra_repr(self, extra, sizeof extra);
    fprintf(to, "%s(", self->type);
    if (!has_children(self)) {
        fputs(extra, to);
    } else {
        if (*extra) fprintf(to, "\n  %s", extra);
        if (strcmp(self->type, "ModuleList") == 0) write_folded(to, self);
        else write_children(to, self);
        fputc('\n', to);
    }
    fputc(')', to);
    return fclose(to) == 0 ? text : tg_fail("out of memory in nn_repr");
}

/* repr(self), print(self). The caller frees the text with free(). */
char *nn_repr(const void *self) {
    return tg_check_module(self, 1) ? repr(self) : NULL;
}

void nn_print(const void *self) {
    char *text = nn_repr(self);
    if (text) puts(text);
    free(text);
}
