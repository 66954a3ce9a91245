/* core/autograd/watch.c: t_watch, names for tensors, and a table of their values and gradients.
 *
 * A watched tensor has a Watch, which does not keep it alive: tensor_destroy drops it (tg_drop_watch), on whichever
 * thread the tensor ends. So the list is the process's, behind a lock; each thread sees what it watched itself. */
#include <pthread.h>
#include <string.h>

#include "core/autograd/tape.h"
#include "core/tensor/dtype_convert.h"

struct Watch {
    struct Watch *next; /* in the order of watching */
    Tensor *tensor;
    int64_t thread;     /* Context.watcher of the thread that watches it */
    char name[TG_NAME_SIZE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Watch *watches;
static int64_t watchers; /* number of threads that have watched a tensor */

const char *tg_watched_name(const Tensor *x) {
    return x && x->watch ? x->watch->name : NULL;
}

bool tg_is_alias(const Tensor *x, const Tensor *y) {
    bool same = x->storage == y->storage && x->offset == y->offset && x->dtype == y->dtype && x->ndim == y->ndim;
    for (int d = 0; same && d < x->ndim; d++) same = x->shape[d] == y->shape[d] && x->strides[d] == y->strides[d];
    return same;
}

void tg_drop_watch(Tensor *x) {
    pthread_mutex_lock(&lock);
    struct Watch **at = &watches;
    while (*at != x->watch) at = &(*at)->next;
    *at = x->watch->next;
    pthread_mutex_unlock(&lock);
    tg_free(x->watch, sizeof *x->watch);
    x->watch = NULL;
}

/* The next Watch of this thread, from w on; NULL if there is none. With the lock held. */
static struct Watch *own(struct Watch *w) {
    while (w && w->thread != tg_thread.watcher) w = w->next;
    return w;
}

bool tg_print_watched_alias(const Tensor *x, char to[TG_NAME_SIZE]) {
    pthread_mutex_lock(&lock);
    struct Watch *w = own(watches);
    while (w && !tg_is_alias(w->tensor, x)) w = own(w->next);
    if (w) snprintf(to, TG_NAME_SIZE, "%s", w->name);
    pthread_mutex_unlock(&lock);
    return w != NULL;
}

/* Takes a Watch from the spare ones if x has none. */
static void watch(Tensor *x, const char *name, struct Watch **spare) {
    pthread_mutex_lock(&lock);
    if (!tg_thread.watcher) tg_thread.watcher = ++watchers;
    if (!x->watch) {
        struct Watch *new = *spare, **end = &watches;
        *spare = new->next;
        while (*end) end = &(*end)->next;
        new->next = NULL;
        new->tensor = x;
        *end = x->watch = new;
    }
    x->watch->thread = tg_thread.watcher;
    snprintf(x->watch->name, sizeof x->watch->name, "%s", name);
    pthread_mutex_unlock(&lock);
    if (x->record) t_retain_grad(x);
}

static bool free_watches(struct Watch *first) {
    for (struct Watch *next; first; first = next) {
        next = first->next;
        tg_free(first, sizeof *first);
    }
    return false;
}

/* Not in PyTorch. Nothing is watched if one of the tensors is invalid, or there is no memory. */
bool t_watch(Tensor *const *tensors, const char *const *names, int count) {
    if (count < 0 || (count && (!tensors || !names)))
        return tg_refuse_array(count, tensors ? 2 : 1, tensors ? "names" : "tensors");
    for (int i = 0; i < count; i++)
        if (!tg_check_any(tensors[i], i + 1) || !tg_check_given(names[i] != NULL, i + 1, "a name")) return false;
    struct Watch *spare = NULL;
    for (int i = 0; i < count; i++) {
        struct Watch *new = tensors[i]->watch ? NULL : tg_alloc(sizeof *new);
        if (!new && !tensors[i]->watch) return free_watches(spare);
        if (!new) continue;
        new->next = spare;
        spare = new;
    }
    for (int i = 0; i < count; i++) watch(tensors[i], names[i], &spare);
    free_watches(spare); /* of a tensor that is given twice */
    return true;
}

void t_unwatch(void) {
    for (;;) {
        pthread_mutex_lock(&lock);
        struct Watch *w = own(watches);
        pthread_mutex_unlock(&lock);
        if (!w) return;
        tg_drop_watch(w->tensor);
    }
}

/* ---- the table ---- */

/* Element i of x, counted along the last dim first. */
static double value_at(const Tensor *x, int64_t i) {
    int64_t at = x->offset;
    for (int d = x->ndim - 1; d >= 0; d--) {
        at += i % x->shape[d] * x->strides[d];
        i /= x->shape[d];
    }
    return tg_element_as_double(x->dtype, x->storage->data + (size_t)at * tg_itemsize(x->dtype));
}

/* "0.5", or the first elements and the number of all: "[1, 2, 3, ...] of 12". */
static void print_values(const Tensor *x, char *to, size_t size) {
    enum { SHOWN = 4 };
    if (!x) {
        snprintf(to, size, "-");
        return;
    }
    int64_t count = tg_numel(x);
    int at = snprintf(to, size, x->ndim ? "[" : "");
    for (int64_t i = 0; i < count && i < SHOWN; i++)
        at += snprintf(to + at, size - (size_t)at, i ? ", %.4g" : "%.4g", value_at(x, i));
    if (count > SHOWN) snprintf(to + at, size - (size_t)at, ", ...] of %lld", (long long)count);
    else if (x->ndim) snprintf(to + at, size - (size_t)at, "]");
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
    int64_t count = 0, k = 1;
    int width[COLUMNS];
    pthread_mutex_lock(&lock);
    for (struct Watch *w = own(watches); w; w = own(w->next)) count++;
    pthread_mutex_unlock(&lock);
    size_t bytes = (size_t)(count + 1) * sizeof(Row);
    Row *rows = tg_alloc(bytes);
    if (!to) to = stdout;
    if (!rows) return;
    for (int i = 0; i < COLUMNS; i++) snprintf(rows[0][i], sizeof rows[0][i], "%s", heads[i]);
    pthread_mutex_lock(&lock);
    for (struct Watch *w = own(watches); w && k <= count; w = own(w->next), k++) {
        snprintf(rows[k][0], sizeof rows[k][0], "%s", w->name);
        tg_print_shape(w->tensor->shape, w->tensor->ndim, rows[k][1], sizeof rows[k][1]);
        print_origin(w->tensor, rows[k][2], sizeof rows[k][2]);
        print_values(w->tensor, rows[k][3], sizeof rows[k][3]);
        print_values(w->tensor->grad, rows[k][4], sizeof rows[k][4]);
    }
    pthread_mutex_unlock(&lock);
    count = k - 1; /* another thread may have ended one since they were counted */
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
