/* core/autograd/teach.c: the reports of teaching mode about gradients, shapes and dropout (teach.h lists all). */
#include "core/autograd/teach.h"

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
