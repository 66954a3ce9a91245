/* core/autograd/watch.c: t_watch, names for tensors, and a table of their values and gradients.
 *
 * A watched tensor has a Watch, which does not keep it alive: tensor_destroy drops it (tg_drop_watch). */
#include <string.h>

#include "core/autograd/tape.h"
#include "core/ops/ops.h"

struct Watch {
    struct Watch *next; /* in the order of watching */
    Tensor *tensor;
    char name[TG_NAME_SIZE];
};

const char *tg_watched_name(const Tensor *x) {
    return x && x->watch ? x->watch->name : NULL;
}

void tg_drop_watch(Tensor *x) {
    struct Watch **at = &tg_thread.watches;
    while (*at && *at != x->watch) at = &(*at)->next;
    if (*at) *at = x->watch->next;
    tg_free(x->watch, sizeof *x->watch);
    x->watch = NULL;
}

static bool watch(Tensor *x, const char *name) {
    if (!x->watch) {
        struct Watch *new = tg_alloc(sizeof *new), **end = &tg_thread.watches;
        if (!new) return false;
        while (*end) end = &(*end)->next;
        new->next = NULL;
        new->tensor = x;
        *end = x->watch = new;
    }
    snprintf(x->watch->name, sizeof x->watch->name, "%s", name);
    return x->record == NULL || t_retain_grad(x);
}

/* Not in PyTorch. Nothing is watched if one of the tensors is invalid. */
bool t_watch(Tensor *const *tensors, const char *const *names, int count) {
    if (count < 0 || (count && (!tensors || !names))) return tg_refuse_array(count, tensors ? 2 : 1, tensors ? "names" : "tensors");
    for (int i = 0; i < count; i++)
        if (!tg_check(tensors[i], i + 1) || !tg_check_given(names[i] != NULL, i + 1, "a name")) return false;
    for (int i = 0; i < count; i++)
        if (!watch(tensors[i], names[i])) return false;
    return true;
}

void t_unwatch(void) {
    while (tg_thread.watches) tg_drop_watch(tg_thread.watches->tensor);
}

/* ---- the table ---- */

/* "0.5", or the first elements and the number of all: "[1, 2, 3, ...] of 12". */
static void print_values(Tensor *x, char *to, size_t size) {
    enum { SHOWN = 4 };
    if (!x) {
        snprintf(to, size, "-");
        return;
    }
    int64_t count = tg_numel(x);
    Tensor *flat = x->ndim ? t_reshape(x, (int64_t[]){-1}, 1) : x;
    int at = x->ndim ? snprintf(to, size, "[") : 0;
    for (int64_t i = 0; flat && i < count && i < SHOWN; i++) {
        Tensor *element = x->ndim ? t_select(flat, 0, i) : x;
        double value = element ? t_item(element) : 0;
        at += snprintf(to + at, size - (size_t)at, i ? ", %.4g" : "%.4g", value);
    }
    if (x->ndim == 0) return;
    if (count > SHOWN) snprintf(to + at, size - (size_t)at, ", ...] of %lld", (long long)count);
    else snprintf(to + at, size - (size_t)at, "]");
}

/* "mul, train.c:12", "leaf, requires grad" or "leaf". */
static void print_origin(const Tensor *x, char *to, size_t size) {
    char where[TG_NAME_SIZE] = "-";
    if (!x->record) {
        snprintf(to, size, x->requires_grad ? "leaf, requires grad" : "leaf");
        return;
    }
    tg_print_site(x->record->site, where, sizeof where);
    snprintf(to, size, "%s, %s", x->record->op->name, where);
}

void t_watch_print(FILE *to) {
    enum { COLUMNS = 5 };
    static const char *const heads[COLUMNS] = {"name", "shape", "made by", "value", "gradient"};
    typedef char Row[COLUMNS][200];
    int64_t count = 0;
    for (const struct Watch *w = tg_thread.watches; w; w = w->next) count++;
    size_t bytes = (size_t)(count + 1) * sizeof(Row);
    int depth = t_scope_open(), width[COLUMNS];
    Row *rows = depth ? tg_alloc(bytes) : NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    if (!to) to = stdout;
    if (rows) {
        for (int i = 0; i < COLUMNS; i++) snprintf(rows[0][i], sizeof rows[0][i], "%s", heads[i]);
        int64_t k = 1;
        for (const struct Watch *w = tg_thread.watches; w && k <= count; w = w->next, k++) {
            snprintf(rows[k][0], sizeof rows[k][0], "%s", w->name);
            tg_print_shape(w->tensor->shape, w->tensor->ndim, rows[k][1], sizeof rows[k][1]);
            print_origin(w->tensor, rows[k][2], sizeof rows[k][2]);
            print_values(w->tensor, rows[k][3], sizeof rows[k][3]);
            print_values(w->tensor->grad, rows[k][4], sizeof rows[k][4]);
        }
        for (int i = 0; i < COLUMNS; i++) {
            width[i] = 0;
            for (k = 0; k <= count; k++)
                if ((int)strlen(rows[k][i]) > width[i]) width[i] = (int)strlen(rows[k][i]);
        }
        for (k = 0; k <= count; k++) {
            for (int i = 0; i < COLUMNS - 1; i++) fprintf(to, "%-*s  ", width[i], rows[k][i]);
            fprintf(to, "%s\n", rows[k][COLUMNS - 1]);
        }
        tg_free(rows, bytes);
    }
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
}
