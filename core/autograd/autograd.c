/* core/autograd/autograd.c: Tensor.backward, torch.autograd.backward and torch.autograd.grad; a tensor's grad,
 * requires_grad, is_leaf and grad_fn; grad mode. */
#include "core/autograd/autograd.h"

#include "core/autograd/backward.h"
#include "core/autograd/teach.h"
#include "core/ops/ops.h"

/* ---- backward ---- */

bool tg_check_backward_inputs(const t_TensorList *inputs) {
    if (!tg_check_optional_list(inputs, 3)) return false;
    if (inputs && inputs->len == 0) return tg_fail("`inputs` argument to `backward()` cannot be empty.");
    for (int64_t i = 0; inputs && i < inputs->len; i++) {
        if (!tg_check_any(inputs->items[i], 3)) return false;
        if (!inputs->items[i]->requires_grad)
            return tg_fail("can't retain_grad on Tensor that has requires_grad=False");
    }
    for (int64_t i = 0; inputs && i < inputs->len; i++) t_retain_grad(inputs->items[i]);
    return true;
}

static bool run_backward(const Request *request) {
    int depth = t_scope_open();
    Backward *run = depth ? tg_backward_begin(request) : NULL;
    int state = run ? 1 : -1;
    while (state > 0) state = tg_backward_next(run);
    bool ok = state == 0 && tg_backward_finish(run);
    tg_backward_end(run);
    t_scope_close(depth);
    return ok;
}

bool t_backward(Tensor *loss, const t_BackwardOptions *options) {
    t_BackwardOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!tg_check_any(loss, 1) || !tg_check_any_optional(o.gradient, 2) || !tg_check_backward_inputs(o.inputs))
        return false;
    if (tg_is_stepping()) return tg_backward_stepping(loss, &o);
    Request request = {&loss, 1, &o.gradient, 1, o.inputs, o.retain_graph, o.create_graph, .accumulate = true};
    return run_backward(&request);
}

bool t_autograd_backward(const t_TensorList *tensors, const t_TensorList *grad_tensors,
                         const t_BackwardOptions *options) {
    t_BackwardOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!tg_check_list(tensors, 1) || !tg_check_optional_list(grad_tensors, 2) || !tg_check_backward_inputs(o.inputs))
        return false;
    if (o.gradient) return tg_fail("the gradients of t_autograd_backward are grad_tensors, not an option");
    Request request = {tensors->items, tensors->len, grad_tensors ? grad_tensors->items : NULL,
                       grad_tensors ? grad_tensors->len : 0, o.inputs, o.retain_graph, o.create_graph,
                       .accumulate = true};
    return run_backward(&request);
}

/* ---- grad ---- */

static bool may_differentiate(const t_TensorList *inputs) {
    if (inputs->len == 0) return tg_fail("`inputs` argument to `grad()` cannot be empty.");
    for (int64_t i = 0; i < inputs->len; i++)
        if (!inputs->items[i]->requires_grad) return tg_fail("One of the differentiated Tensors does not require grad");
    return true;
}

static t_TensorList *gradients_of(const Backward *run, const t_GradOptions *o) {
    t_TensorList *list = tg_list_of_nulls(run->capture_count);
    for (int64_t i = 0; list && i < run->capture_count; i++) {
        Tensor *g = run->captures[i].gradient;
        if (!g && o->materialize_grads && !(g = t_zeros_like(run->captures[i].x))) return NULL;
        if (!g && !o->allow_unused)
            return tg_fail("The differentiated Tensor at index %lld appears to not have been used in the graph. Set "
                           ".allow_unused = true if this is the desired behavior.", (long long)i);
        list->items[i] = t_retain(g);
    }
    return list;
}

t_TensorList *tg_autograd_grad(const t_TensorList *outputs, const t_TensorList *inputs, const t_GradOptions *options,
                               bool forward_mode) {
    t_GradOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_list(outputs, 1) || !tg_check_list(inputs, 2)) return NULL;
    if (!tg_check_optional_list(o.grad_outputs, 3) || !may_differentiate(inputs)) return NULL;
    Request request = {outputs->items, outputs->len, o.grad_outputs ? o.grad_outputs->items : NULL,
                       o.grad_outputs ? o.grad_outputs->len : 0, inputs, o.retain_graph, o.create_graph,
                       .forward_mode = forward_mode};
    int depth = t_scope_open();
    if (!depth) return NULL;
    Backward *run = tg_backward_begin(&request);
    int state = run ? 1 : -1;
    while (state > 0) state = tg_backward_next(run);
    t_TensorList *list = state == 0 && tg_backward_finish(run) ? gradients_of(run, &o) : NULL;
    tg_backward_end(run);
    t_keep_object(list);
    for (int64_t i = 0; list && i < list->len; i++) t_keep_object(list->items[i]);
    t_scope_close(depth);
    for (int64_t i = 0; list && i < list->len; i++) tg_add_to_scope(list->items[i]);
    return list;
}

t_TensorList *t_autograd_grad(const t_TensorList *outputs, const t_TensorList *inputs, const t_GradOptions *options) {
    return tg_autograd_grad(outputs, inputs, options, false);
}

/* ---- a tensor's gradient ---- */

/* PyTorch's warning, once per call site. */
static void warn_non_leaf(void) {
    static WarnedSites sites;
    bool warned = false;
    if (!tg_first_at_site(&sites)) return;
    tg_warn(&warned, "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                     "won't be populated during t_backward(). If you indeed want the .grad field to be populated for a "
                     "non-leaf Tensor, use t_retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
                     "by mistake, make sure you access the leaf Tensor instead.");
}

Tensor *t_grad(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (tg_running_preview()) return tg_preview_grad(x);
    if (!x->grad && x->record && x->record->retainer != x) {
        warn_non_leaf();
        if (tg_thread.teaching) tg_teach_overwritten(x);
    }
    return x->grad ? tg_add_to_scope(x->grad) : NULL;
}

bool t_set_grad(Tensor *x, Tensor *gradient) {
    if (!tg_check_any(x, 1) || !tg_check_any_optional(gradient, 2)) return false;
    if (gradient && !tg_same_shape(x, gradient))
        return tg_fail("attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please ensure that the "
                       "gradient and the tensor are the same size", tg_shape_of(gradient), tg_shape_of(x));
    if (gradient && gradient->dtype != x->dtype)
        return tg_fail("assigned grad has data of a different type: %s instead of %s", tg_dtype_name(gradient->dtype),
                       tg_dtype_name(x->dtype));
    if (gradient == x) return tg_fail("can't assign Variable as its own grad");
    if (!tg_set_grad_aside(x, true)) return false;
    t_retain(gradient);
    t_release(x->grad);
    x->grad = gradient;
    x->used_grad_version = 0;
    return true;
}

bool t_requires_grad(Tensor *x) {
    return tg_check_any(x, 1) && x->requires_grad;
}

Tensor *t_requires_grad_(Tensor *x, bool requires_grad) {
    if (!tg_check_any(x, 1)) return NULL;
    if (requires_grad && !tg_is_floating(x->dtype))
        return tg_fail("only Tensors of floating point dtype can require gradients");
    if (!requires_grad && x->record)
        return tg_fail("you can only change requires_grad flags of leaf variables. If you want to use a computed "
                       "variable in a subgraph that doesn't require differentiation use t_detach(x).");
    x->requires_grad = requires_grad || x->record;
    return x;
}

Tensor *t_detach_(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->base) return tg_fail("Can't detach views in-place. Use detach() instead.");
    tg_set_record(x, NULL);
    x->requires_grad = false;
    return x;
}

bool t_is_leaf(Tensor *x) {
    return tg_check_any(x, 1) && !x->record;
}

const char *t_grad_fn(Tensor *x) {
    return tg_check_any(x, 1) && x->record ? x->record->op->grad_fn : NULL;
}

/* ---- grad mode ---- */

bool t_is_grad_enabled(void) {
    return tg_context()->grad_enabled;
}

bool t_set_grad_enabled(bool mode) {
    Context *thread = tg_context();
    bool before = thread->grad_enabled;
    thread->grad_enabled = mode;
    return before;
}
