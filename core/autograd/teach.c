/* core/autograd/teach.c: the reports of teaching mode about gradients, shapes, dropout, ReLUs and softmax; teach.h
 * lists all. */
#include "core/autograd/teach.h"
#include "core/tensor/dtype_convert.h"

#include <string.h>

bool t_set_teach(bool on) {
    const bool before = tg_context()->teaching;
    tg_thread.teaching = on;
    return before;
}

/* ---- gradients that a backward adds to ---- */

/* used_grad_version is set by optim_step. Whatever clears a gradient removes it or writes to it, which changes its
 * version; a gradient that no step has used is accumulated on purpose. */
static void teach_old_gradient(const Tensor *leaf) {
    static WarnedSites sites;
    bool warned = false;
    if (!leaf->grad || !leaf->used_grad_version) return;
    if (leaf->used_grad_version != (int32_t)(leaf->grad->storage->version + 1) || !tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: this backward adds to the gradient of an earlier one, which optim_step has "
                     "already used (a leaf of shape %s). Each step then follows the sum of all gradients so far. Call "
                     "optim_zero_grad(optimizer) before each t_backward.", tg_shape_of(leaf));
}

/* Two backwards with an optimizer's step between them, and nothing steps this parameter. */
static void teach_no_optimizer(Tensor *leaf) {
    static WarnedSites sites;
    bool warned = false;
    const int32_t now = tg_thread.optimizer_steps + 1, before = leaf->taught_at_step;
    leaf->taught_at_step = now;
    if (!leaf->is_parameter || leaf->has_optimizer || !before || before == now) return;
    if (!tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: a parameter of shape %s gets gradients, but no optimizer has it, so it keeps its "
                     "initial values. Give the optimizer all parameters, nn_parameters(model), after the model is "
                     "complete; t_requires_grad_(p, false) freezes one on purpose.", tg_shape_of(leaf));
}

void tg_teach_accumulate(Tensor *leaves) {
    for (Tensor *x = leaves; x; x = x->next_pending) {
        teach_old_gradient(x);
        teach_no_optimizer(x);
        x->used_grad_version = 0;
    }
}

/* ---- w = w - lr * grad ---- */

static bool needs_no_gradient(const Edge *edge) {
    return !edge->record && !edge->leaf;
}

static bool is_op(const Record *r, const char *name) {
    return strcmp(r->op->name, name) == 0;
}

static bool has_shape(const Tensor *x, const Tensor *leaf) {
    return leaf->ndim == x->ndim && memcmp(leaf->shape, x->shape, (size_t)x->ndim * sizeof *x->shape) == 0;
}

/* The leaf w of r = w - c, w + c, or (a w) - c with weight decay: c and a need no gradient. An update computed twice
 * ((w - c) - c) has a chain of them. NULL if r is something else. */
static const Tensor *updated_leaf(const Record *r, const Tensor *x) {
    for (int i = 0; r && r->inputs == 2 && i < 64; i++) {
        const Edge *w = r->edges, *c = r->edges + 1;
        if (!is_op(r, "sub") && !is_op(r, "add") && !(is_op(r, "mul") && i > 0)) return NULL;
        if (needs_no_gradient(w) && !is_op(r, "sub")) w = r->edges + 1, c = r->edges;
        if (!needs_no_gradient(c)) return NULL;
        if (w->leaf) return w->leaf->grad && has_shape(x, w->leaf) ? w->leaf : NULL;
        r = w->record;
    }
    return NULL;
}

void tg_teach_overwritten(const Tensor *x) {
    static WarnedSites sites;
    bool warned = false;
    if (!updated_leaf(x->record, x) || !tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: this tensor of shape %s is the result of an update of a leaf, %s (%s:%d). w = w - "
                     "... replaces the leaf w by a new tensor, which is no leaf and gets no gradient. Change the leaf "
                     "in place: with_no_grad() t_sub_(w, t_mul(lr, t_grad(w)));", tg_shape_of(x),
            x->record->site ? x->record->site->text : x->record->op->name,
            x->record->site ? x->record->site->file : "-", x->record->site ? x->record->site->line : 0);
}

/* ---- shapes ---- */

/* A column that is a view (t_unsqueeze, t_at) was made to be broadcast. */
static bool is_column_of(const Tensor *column, const Tensor *x) {
    return column->ndim == 2 && x->ndim == 1 && column->shape[1] == 1 && column->shape[0] == x->shape[0] &&
           x->shape[0] > 1 && !column->base;
}

void tg_teach_broadcast(const char *op, const Tensor *a, const Tensor *b) {
    static WarnedSites sites;
    bool warned = false;
    if (!is_column_of(a, b) && !is_column_of(b, a)) return;
    if (strcmp(op, "sub") != 0 && strcmp(op, "mul") != 0 && strcmp(op, "eq") != 0) return;
    if (tg_thread.backward || !tg_first_at_site(&sites)) return;
    const long long n = a->shape[0];
    tg_warn(&warned, "teaching mode: %s of shapes (%lld, 1) and (%lld) is broadcast to (%lld, %lld): each element is "
                     "paired with every other. To pair them one by one, give both the same shape: t_squeeze(x, 1), or "
                     "t_unsqueeze(y, 1).", op, a->ndim == 2 ? n : (long long)b->shape[0], n, n, n);
}

/* ---- dropout ---- */

void tg_teach_dropout(void) {
    static WarnedSites sites;
    bool warned = false;
    if (tg_thread.grad_enabled || tg_thread.backward || !tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: a dropout in training mode runs while grad mode is off. In an evaluation it makes "
                     "the results random. Call nn_eval(model) before it, and nn_train(model) before training goes "
                     "on.");
}

/* ---- ReLUs and softmax ---- */

enum { RELU_BATCHES = 20, RELU_SAMPLES = 200, RELU_UNITS = 4096, RELUS = 64 };

/* What a ReLU did in a number of batches. Two ReLUs of one call (of an nn_Sequential) differ by their module. */
typedef struct ReluHistory {
    const t_Site *site;
    const void *module;
    int64_t units, batches, samples;
    uint64_t active[RELU_UNITS / 64]; /* a bit for each unit: it was positive for a sample */
} ReluHistory;

typedef struct ReluHistories {
    int count;
    ReluHistory relus[RELUS];
} ReluHistories;

/* NULL: too many units, too many ReLUs, or no memory. */
static ReluHistory *history_of(int64_t units) {
    ReluHistories *all = tg_thread_buffer(buffer_teach, sizeof *all);
    const void *module = tg_thread.module_frame ? tg_thread.module_frame->module : NULL;
    if (!all || units > RELU_UNITS) return NULL;
    ReluHistory *relu = all->relus;
    for (; relu < all->relus + all->count; relu++)
        if (relu->site == tg_thread.site && relu->module == module && relu->units == units) return relu;
    if (all->count == RELUS) return NULL;
    all->count++;
    relu->site = tg_thread.site;
    relu->module = module;
    relu->units = units;
    return relu;
}

static double value_at(const Tensor *x, int64_t i) {
    return tg_element_as_double(x->dtype, (const char *)tg_data(x) + (size_t)i * tg_itemsize(x->dtype));
}

static int64_t active_units(const ReluHistory *relu) {
    int64_t count = 0;
    for (int i = 0; i < RELU_UNITS / 64; i++) count += __builtin_popcountll(relu->active[i]);
    return count;
}

void tg_teach_relu(const Tensor *y) {
    static WarnedSites sites;
    bool warned = false;
    if (y->ndim < 2 || !tg_is_contiguous(y) || tg_numel(y) == 0 || tg_thread.backward) return;
    const bool is_image = y->ndim == 4; /* (N, C, H, W): the units are the channels */
    const int64_t n = tg_numel(y), units = y->shape[is_image ? 1 : y->ndim - 1];
    const int64_t inner = is_image ? y->shape[2] * y->shape[3] : 1;
    ReluHistory *relu = history_of(units);
    if (!relu) return;
    for (int64_t i = 0; i < n; i++)
        if (value_at(y, i) > 0) relu->active[i / inner % units / 64] |= UINT64_C(1) << i / inner % units % 64;
    relu->batches++;
    relu->samples += n / units;
    if (relu->batches < RELU_BATCHES || relu->samples < RELU_SAMPLES) return;
    const int64_t dead = units - active_units(relu);
    const long long batches = relu->batches, samples = relu->samples;
    relu->batches = relu->samples = 0;
    memset(relu->active, 0, sizeof relu->active);
    if (2 * dead < units || !tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: %lld of the %lld units of this ReLU are 0 for each of the last %lld samples (%lld "
                     "batches). No gradient passes them, so they stay dead. Usual causes: a learning rate that is too "
                     "high, a large negative bias, inputs that are not scaled; F_leaky_relu and F_gelu have a gradient "
                     "there.", (long long)dead, (long long)units, samples, batches);
}

enum { SOFTMAX_ROWS = 8, EARLY_STEPS = 100 };

/* A row is saturated if its largest value is above 0.999 although at least two inputs were not masked (by -inf, -1e9 or
 * another value below -1e4). The row begins at element `first`, and its elements are `inner` apart. */
static bool is_saturated(const Tensor *x, const Tensor *y, int64_t first, int64_t n, int64_t inner) {
    int64_t visible = 0;
    double largest = 0;
    for (int64_t i = first; i < first + n * inner; i += inner) {
        visible += value_at(x, i) > -1e4;
        if (value_at(y, i) > largest) largest = value_at(y, i);
    }
    return visible > 1 && largest > 0.999;
}

static void teach_softmax(const Tensor *x, const Tensor *y, int64_t dim) {
    static WarnedSites sites;
    bool warned = false;
    const int64_t n = y->ndim ? y->shape[dim] : 1, count = n ? tg_numel(y) / n : 0;
    if (tg_thread.optimizer_steps >= EARLY_STEPS || n < 2 || count < SOFTMAX_ROWS) return;
    if (!tg_is_contiguous(x) || !tg_is_contiguous(y) || x->dtype != y->dtype) return;
    const int64_t inner = tg_shape_numel(y->shape + dim + 1, y->ndim - (int)dim - 1);
    int64_t saturated = 0;
    for (int64_t row = 0; row < count; row++)
        saturated += is_saturated(x, y, row / inner * n * inner + row % inner, n, inner);
    if (2 * saturated < count || !tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: %lld of the %lld rows of this softmax have a value above 0.999. It is saturated: "
                     "its gradient there is almost zero, so what comes before it hardly learns. At the beginning of a "
                     "training its inputs are too large: attention divides its scores by sqrt(d); logits want small "
                     "initial weights and scaled inputs.", (long long)saturated, (long long)count);
}

void tg_teach_forward(const Op *op, const Tensor *x, const Tensor *y, const void *attributes) {
    if (strcmp(op->name, "relu") == 0) tg_teach_relu(y);
    if (strcmp(op->name, "softmax") == 0 && !tg_thread.backward) teach_softmax(x, y, *(const int64_t *)attributes);
}
