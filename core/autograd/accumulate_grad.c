/* core/autograd/accumulate_grad.c: the end of a backward: adds the accumulated gradients to grad. */
#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"
#include "core/autograd/teach.h"

bool tg_is_exclusive(const Tensor *g) {
    return g->object.refs == 1 && g->storage->refs == 1 && !tg_overlaps_itself(g);
}

/* True if g has the layout of x's grad: x's strides if x is dense, else contiguous. */
static bool has_grad_layout(const Tensor *g, const Tensor *x) {
    if (!tg_is_dense(x)) return tg_is_contiguous(g);
    for (int d = 0; d < g->ndim; d++)
        if (g->shape[d] > 1 && g->strides[d] != x->strides[d]) return false;
    return true;
}

/* For an x without grad: the pending gradient itself becomes grad if nothing else holds it, else a copy. */
static bool prepare_new_grad(Tensor *x) {
    Tensor *g = x->pending;
    if (tg_is_exclusive(g) && has_grad_layout(g, x)) return true;
    Tensor *copy = tg_empty_like(x, x->dtype);
    if (!copy) return false;
    if (tg_thread.grad_enabled) {
        if (!t_copy_(copy, g)) return false;
    } else {
        tg_copy_into(copy, g);
    }
    x->pending = t_retain(copy);
    t_release(g);
    return true;
}

/* With create_graph: grad + pending as a recorded op, whose result is a new tensor. */
static bool prepare_recorded_sum(Tensor *x) {
    Tensor *sum = t_retain(t_add(x->grad, x->pending));
    if (!sum) return false;
    t_release(x->pending);
    x->pending = sum;
    return true;
}

/* Everything that can fail comes first, so that an error changes no grad. */
static bool prepare_grads(Tensor *list) {
    for (Tensor *x = tg_running_preview() ? list : NULL; x; x = x->next_pending)
        if (!tg_set_grad_aside(x, false)) return false;
    for (Tensor *x = list; x; x = x->next_pending) {
        if (!x->grad && !prepare_new_grad(x)) return false;
        if (x->grad && tg_thread.grad_enabled && !prepare_recorded_sum(x)) return false;
    }
    return true;
}

/* Cannot fail. */
static void set_grads(Tensor *list) {
    for (Tensor *x = list; x; x = x->next_pending) {
        const int profiled = tg_profile_begin(tg_range_accumulate, x);
        if (x->grad && !tg_thread.grad_enabled) {
            tg_add_into(x->grad, x->pending);
            tg_bump_version(x->grad);
        } else {
            t_release(x->grad);
            x->grad = t_retain(x->pending);
        }
        tg_profile_end(profiled);
    }
}

bool tg_accumulate_grads(Backward *run) {
    Tensor *leaves = run->accumulate ? run->leaves : NULL;
    if (!prepare_grads(leaves) || !prepare_grads(run->retained)) return false;
    if (tg_thread.teaching && !tg_running_preview()) tg_teach_accumulate(leaves);
    set_grads(leaves);
    set_grads(run->retained);
    for (int64_t i = 0; !run->accumulate && i < run->capture_count; i++)
        if (!run->captures[i].record) run->captures[i].gradient = t_retain(run->captures[i].x->pending);
    return true;
}

void tg_discard_pending(Tensor **list) {
    for (Tensor *x = *list, *next; x; x = next) {
        next = x->next_pending;
        x->next_pending = NULL;
        t_release(x->pending);
        x->pending = NULL;
        t_release(x);
    }
    *list = NULL;
}
