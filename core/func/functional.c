/* core/func/functional.c: torch.autograd.functional. */
#include "core/func/functional.h"

#include <string.h>

#include "core/func/func_internal.h"

/* ---- a call: its arguments, what the function returned, its end ---- */

typedef struct Call {
    const char *name; /* "vjp" */
    t_FunctionalOptions o;
    bool grad_enabled; /* before the call */
    int depth;
    t_TensorList *inputs, *outputs, *v; /* v NULL: 1 */
} Call;

static bool fail_missing_v(bool of_outputs) {
    return of_outputs ? tg_fail("The vector v can only be None if the user-provided function returns a single Tensor "
                                "with a single element.")
                      : tg_fail("The vector v can only be None if the input to the user-provided function is a single "
                                "Tensor with a single element.");
}

/* v must be as the inputs, or as the outputs, are. PyTorch tells a tensor from a tuple of one; here both are a list. */
static bool check_v(const t_TensorList *v, const t_TensorList *other, bool of_outputs) {
    if (!v) return (other->len == 1 && tg_numel(other->items[0]) == 1) || fail_missing_v(of_outputs);
    if (v->len != other->len && other->len == 1) return tg_fail("The given v should contain a single Tensor.");
    if (v->len != other->len)
        return tg_fail("v is a tuple of invalid length: should be %lld but got %lld.", (long long)other->len,
                       (long long)v->len);
    for (int64_t i = 0; i < v->len; i++) {
        char entry[48] = "";
        if (tg_same_shape(v->items[i], other->items[i])) continue;
        if (other->len > 1) snprintf(entry, sizeof entry, "Entry %lld in ", (long long)i);
        return tg_fail("%sv has invalid size: should be torch.Size(%s) but got torch.Size(%s).", entry,
                       tg_shape_of(other->items[i]), tg_shape_of(v->items[i]));
    }
    return true;
}

/* strict: every output depends on the inputs. */
static bool check_outputs(const Call *call) {
    for (int64_t i = 0; call->o.strict && i < call->outputs->len; i++)
        if (!call->outputs->items[i]->requires_grad)
            return tg_fail("Output %lld of the user-provided function does not require gradients. The outputs must be "
                           "computed in a differentiable manner from the input when running in strict mode.",
                           (long long)i);
    return true;
}

/* Calls the function with inputs of its own. v is for the outputs or for the inputs. Grad mode is on afterwards. */
static bool begin(Call *call, t_TensorFunction *func, t_TensorList *inputs, void *context, const t_TensorList *v,
                  bool v_of_outputs, const t_FunctionalOptions *options) {
    call->o = (t_FunctionalOptions){.size = sizeof call->o};
    call->grad_enabled = tg_context()->grad_enabled;
    if (!tg_take_options(&call->o, options, sizeof call->o)) return false;
    if (!tg_check_given(func != NULL, 1, "a function") || !tg_check_list(inputs, 2) || !tg_check_optional_list(v, 4))
        return false;
    if (inputs->len == 0) return tg_fail("the list of inputs must not be empty");
    call->depth = tg_scope_open_around_callback();
    if (!call->depth) return false;
    tg_thread.grad_enabled = true;
    call->inputs = tg_own_inputs(inputs, call->o.create_graph, true);
    if (!call->inputs || (v && !(call->v = tg_own_inputs(v, call->o.create_graph, false)))) return false;
    if (!v_of_outputs && !check_v(call->v, call->inputs, false)) return false;
    call->outputs = tg_call_function(func, call->inputs, context);
    tg_thread.grad_enabled = true;
    return call->outputs && check_outputs(call) && (!v_of_outputs || check_v(call->v, call->outputs, true));
}

/* Restores the state before the call, and returns the result, which is NULL after an error. */
static t_TensorList *end(Call *call, t_TensorList *result) {
    tg_thread.grad_enabled = false;
    if (result && !call->o.create_graph) result = tg_detach_all(result);
    t_TensorList *outputs = result && !call->o.create_graph ? tg_detach_all(call->outputs) : call->outputs;
    tg_thread.grad_enabled = call->grad_enabled;
    if (!result || !outputs) {
        tg_scope_close(call->depth);
        return NULL;
    }
    tg_return_lists(call->depth, (t_TensorList *[]){result, outputs}, 2);
    if (call->o.output && outputs->len > 0) *call->o.output = outputs->items[0];
    if (call->o.outputs) *call->o.outputs = outputs;
    return result;
}

/* ---- strict mode, and zeros for what does not depend on the inputs ---- */

/* Which of the gradients _fill_in_zeros, of PyTorch, looks at. */
typedef enum Stage { stage_back, stage_back_trick, stage_double_back, stage_double_back_trick } Stage;

static bool fail_independent(Stage stage, int64_t i) {
    static const char *const what[] = {
        "The output of the user-provided function is independent of input %lld. This is not allowed in strict mode.",
        "The gradient with respect to the input is independent of entry %lld in the grad_outputs when using the double "
        "backward trick to compute forward mode gradients. This is not allowed in strict mode.",
        "The jacobian of the user-provided function is independent of input %lld. This is not allowed in strict mode.",
        "The hessian of the user-provided function is independent of entry %lld in the grad_jacobian. This is not "
        "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD."};
    switch (stage) {
    case stage_back: return tg_fail(what[0], (long long)i);
    case stage_back_trick: return tg_fail(what[1], (long long)i);
    case stage_double_back: return tg_fail(what[2], (long long)i);
    default: return tg_fail(what[3], (long long)i);
    }
}

/* The gradients, with zeros like `like` for those that are NULL. */
static t_TensorList *fill_in_zeros(const Call *call, const t_TensorList *gradients, const t_TensorList *like,
                                   Stage stage) {
    t_TensorList *filled = gradients ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; filled && i < gradients->len; i++) {
        Tensor *g = gradients->items[i];
        if (!g && call->o.strict && !fail_independent(stage, i)) return NULL;
        if (g && call->o.strict && call->o.create_graph && !g->requires_grad)
            return tg_fail("The %s of the user-provided function is independent of input %lld. This is not allowed in "
                           "strict mode when create_graph=True.",
                           stage <= stage_back_trick ? "jacobian" : "hessian", (long long)i);
        if (!t_list_append(filled, g ? g : t_zeros_like(like->items[i]))) return NULL;
    }
    return filled;
}

static bool fail_no_jacobian(int64_t i) {
    return tg_fail("While computing the hessian, found that the jacobian of the user-provided function with respect to "
                   "input %lld is independent of the input. This is not allowed in strict mode. You should ensure that "
                   "your function is twice differentiable and that the jacobian depends on the inputs (this would be "
                   "violated by a linear function for example).", (long long)i);
}

/* strict: the gradients depend on the inputs, so that they can be differentiated. */
static bool check_gradients(const t_TensorList *gradients, bool strict, bool of_hessian) {
    for (int64_t i = 0; strict && i < gradients->len; i++) {
        if (!gradients->items[i]) return fail_independent(stage_back, i);
        if (gradients->items[i]->requires_grad) continue;
        if (of_hessian) return fail_no_jacobian(i);
        return tg_fail("The gradient with respect to input %lld is independent of the inputs of the user-provided "
                       "function. This is not allowed in strict mode.", (long long)i);
    }
    return true;
}

/* ---- products ---- */

t_TensorList *t_autograd_functional_vjp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                        const t_TensorList *v, const t_FunctionalOptions *options) {
    Call call = {.name = "vjp"};
    t_TensorList *dx = NULL;
    if (begin(&call, func, inputs, context, v, true, options)) {
        dx = tg_gradients(call.outputs, call.inputs, call.v, call.o.create_graph, false);
        dx = fill_in_zeros(&call, dx, call.inputs, stage_back);
    }
    return end(&call, dx);
}

t_TensorList *t_autograd_functional_jvp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                        const t_TensorList *v, const t_FunctionalOptions *options) {
    Call call = {.name = "jvp"};
    t_TensorList *dy = NULL;
    if (begin(&call, func, inputs, context, v, false, options)) {
        t_TensorList *u = tg_zeros_like_all(call.outputs, true);
        t_TensorList *dx = u ? tg_gradients(call.outputs, call.inputs, u, true, false) : NULL;
        if (dx && check_gradients(dx, call.o.strict, false)) {
            dy = tg_gradients(dx, u, call.v, call.o.create_graph, false);
            dy = fill_in_zeros(&call, dy, call.outputs, stage_back_trick);
        }
    }
    return end(&call, dy);
}

/* The gradient of the function's only output, with a graph. */
static t_TensorList *gradient_with_graph(const Call *call) {
    if (call->outputs->len != 1) return tg_fail("The function given to %s should return a single Tensor", call->name);
    if (tg_numel(call->outputs->items[0]) != 1)
        return tg_fail("The Tensor returned by the function given to %s should contain a single element", call->name);
    t_TensorList *gradient = tg_gradients(call->outputs, call->inputs, NULL, true, false);
    return gradient && check_gradients(gradient, call->o.strict, true) ? gradient : NULL;
}

t_TensorList *t_autograd_functional_vhp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                        const t_TensorList *v, const t_FunctionalOptions *options) {
    Call call = {.name = "vhp"};
    t_TensorList *product = NULL, *gradient;
    if (begin(&call, func, inputs, context, v, false, options) && (gradient = gradient_with_graph(&call))) {
        product = tg_gradients(gradient, call.inputs, call.v, call.o.create_graph, false);
        product = fill_in_zeros(&call, product, call.inputs, stage_double_back);
    }
    return end(&call, product);
}

t_TensorList *t_autograd_functional_hvp(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                        const t_TensorList *v, const t_FunctionalOptions *options) {
    Call call = {.name = "hvp"};
    t_TensorList *product = NULL, *gradient;
    if (begin(&call, func, inputs, context, v, false, options) && (gradient = gradient_with_graph(&call))) {
        t_TensorList *u = tg_zeros_like_all(call.inputs, true);
        t_TensorList *uH = u ? tg_gradients(gradient, call.inputs, u, true, false) : NULL;
        product = uH ? tg_gradients(uH, u, call.v, call.o.create_graph, false) : NULL;
        product = fill_in_zeros(&call, product, call.inputs, stage_double_back_trick);
    }
    return end(&call, product);
}

/* ---- Jacobian and Hessian ---- */

static const t_JacobianOptions jacobian_defaults = {.size = sizeof jacobian_defaults, .strategy = "reverse-mode"};

static bool check_strategy(const t_JacobianOptions *o, bool *forward) {
    const char *name = "torch.autograd.functional.jacobian";
    *forward = o->strategy && strcmp(o->strategy, "forward-mode") == 0;
    if (!*forward && (!o->strategy || strcmp(o->strategy, "reverse-mode") != 0))
        return tg_fail("Expected strategy to be either \"forward-mode\" or \"reverse-mode\". Hint: If your function "
                       "has more outputs than inputs, \"forward-mode\" tends to be more performant. Otherwise, prefer "
                       "to use \"reverse-mode\".");
    if (*forward && o->create_graph)
        return tg_fail("%s: `create_graph=True` and `strategy=\"forward-mode\"` are not supported together (yet). "
                       "Please either set `create_graph=False` or `strategy=\"reverse-mode\"`.", name);
    if (*forward && o->strict)
        return tg_fail("%s: `strict=True` and `strategy=\"forward-mode\"` are not supported together (yet). Please "
                       "either set `strict=False` or `strategy=\"reverse-mode\"`.", name);
    if (*forward && !o->vectorize)
        return tg_fail("Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
                       "`vectorize=True`.");
    if (o->vectorize && o->strict)
        return tg_fail("%s: `strict=True` and `vectorized=True` are not supported together. Please either set "
                       "`strict=False` or `vectorize=False`.", name);
    return true;
}

static t_TensorList *columns_of(const Call *call) {
    t_TensorList *u = tg_zeros_like_all(call->outputs, true);
    t_TensorList *dx = u ? tg_gradients(call->outputs, call->inputs, u, true, false) : NULL;
    return dx ? tg_jacobian_columns(call->outputs, call->inputs, u, dx, false) : NULL;
}

/* A v that fits, for begin. */
static bool begin_jacobian(Call *call, t_TensorFunction *func, t_TensorList *inputs, void *context,
                           const t_JacobianOptions *o) {
    const t_FunctionalOptions options = {sizeof options, .create_graph = o->create_graph, .strict = o->strict};
    return tg_check_list(inputs, 2) && begin(call, func, inputs, context, inputs, false, &options);
}

t_TensorList *t_autograd_functional_jacobian(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                             const t_JacobianOptions *options) {
    t_JacobianOptions o = jacobian_defaults;
    bool forward = false;
    if (!tg_take_options(&o, options, sizeof o) || !check_strategy(&o, &forward)) return NULL;
    Call call = {.name = "jacobian", .grad_enabled = tg_context()->grad_enabled};
    t_TensorList *J = NULL;
    if (begin_jacobian(&call, func, inputs, context, &o))
        J = forward ? columns_of(&call) : tg_jacobian_rows(call.outputs, call.inputs, o.create_graph, o.strict);
    return end(&call, J);
}

/* The gradient of the user's function, as a function of the same inputs. */
typedef struct Gradient {
    t_TensorFunction *func;
    void *context;
    bool strict;
} Gradient;

static t_TensorList *scalar_output(t_TensorList *inputs, void *context) {
    const Gradient *of = context;
    t_TensorList *outputs = tg_call_function(of->func, inputs, of->context);
    if (!outputs) return NULL;
    const Call call = {.outputs = outputs, .o.strict = of->strict};
    if (!check_outputs(&call)) return NULL;
    if (outputs->len != 1) return tg_fail("The function given to hessian should return a single Tensor");
    if (tg_numel(outputs->items[0]) != 1)
        return tg_fail("The Tensor returned by the function given to hessian should contain a single element");
    Tensor *y = t_reshape(outputs->items[0], NULL, 0);
    return y ? t_list_new(&y, 1) : NULL;
}

static t_TensorList *gradient_of(t_TensorList *inputs, void *context) {
    const Gradient *of = context;
    const t_JacobianOptions options = {sizeof options, .create_graph = true, .strategy = "reverse-mode"};
    t_TensorList *gradient = t_autograd_functional_jacobian(scalar_output, inputs, context, &options);
    return gradient && check_gradients(gradient, of->strict, true) ? gradient : NULL;
}

t_TensorList *t_autograd_functional_hessian(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                            const t_JacobianOptions *options) {
    t_JacobianOptions o = jacobian_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_given(func != NULL, 1, "a function")) return NULL;
    Gradient gradient = {func, context, o.strict};
    return t_autograd_functional_jacobian(gradient_of, inputs, &gradient, &o);
}
