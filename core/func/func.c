/* core/func/func.c: torch.func but vmap: grad, vjp, jvp, linearize, Jacobians. */
#include "core/func/func.h"

#include "core/func/func_internal.h"

const t_FuncOptions t_FuncDefaults = {.size = sizeof t_FuncDefaults, .chunk_size = INT64_MAX};

/* ---- one evaluation of the user's function ---- */

typedef struct Evaluation {
    t_FuncOptions o;
    bool grad_enabled; /* outside of the call */
    bool keeps_graph;  /* the outputs depend on tensors outside of the call that require grad */
    int depth;
    t_TensorList *own; /* the inputs that are differentiated, as the function gets them */
    t_TensorList *outputs, *aux;
} Evaluation;

/* The list without the histories that its items have within the call only. */
static t_TensorList *results_of(const Evaluation *e, const t_TensorList *list, const t_TensorList *u) {
    t_TensorList *results = list ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; results && i < list->len; i++)
        if (!t_list_append(results, tg_outer_result(list->items[i], e->own, u, e->grad_enabled))) return NULL;
    return results;
}

/* The inputs with those of argnums, all if there are none, replaced by own ones. */
static t_TensorList *own_arguments(Evaluation *e, const t_TensorList *inputs) {
    t_TensorList *arguments = t_list_new(inputs->items, inputs->len);
    const int64_t count = e->o.argnum_count > 0 ? e->o.argnum_count : inputs->len;
    e->own = t_list_new(NULL, 0);
    for (int64_t n = 0; arguments && n < count; n++) {
        int64_t given = e->o.argnum_count > 0 ? e->o.argnums[n] : n, i = given < 0 ? given + inputs->len : given;
        if (i < 0 || i >= inputs->len)
            return tg_fail("Got argnum=%lld, but only %lld positional inputs", (long long)given,
                           (long long)inputs->len);
        if (arguments->items[i] != inputs->items[i]) return tg_fail("argnums elements must be unique");
        Tensor *own = tg_own_input(inputs->items[i], e->grad_enabled, true);
        if (!t_list_append(e->own, own)) return NULL;
        t_release(arguments->items[i]);
        arguments->items[i] = t_retain(own);
    }
    return arguments;
}

/* PyTorch's name of the transform in its errors. */
static const char GRAD[] = "grad_and_value(f)(*args)", VJP[] = "vjp(f, *primals)", JVP[] = "jvp(f, primals, tangents)";

/* The first output is the function's, the others are auxiliary. */
static bool split_aux(Evaluation *e, const char *name) {
    const t_TensorList *all = e->outputs;
    if (all->len < 2)
        return tg_fail("%s: output of function f should be a tuple: (output, aux) if has_aux is True", name);
    e->outputs = t_list_new(all->items, 1);
    e->aux = t_list_new(all->items + 1, all->len - 1);
    return e->outputs && e->aux;
}

/* Calls the function. Afterwards grad mode is on, and stays on until end. */
static bool begin(Evaluation *e, const char *name, t_TensorFunction *func, t_TensorList *inputs, void *context,
                  const t_FuncOptions *options) {
    *e = (Evaluation){.o = t_FuncDefaults, .grad_enabled = tg_context()->grad_enabled};
    if (!tg_take_options(&e->o, options, sizeof e->o)) return false;
    if (!tg_check_given(func != NULL, 1, "a function") || !tg_check_list(inputs, 2)) return false;
    if (!tg_check_array(e->o.argnums, e->o.argnum_count, 4, "argnums")) return false;
    if (inputs->len == 0) return tg_fail("the list of inputs must not be empty");
    e->depth = tg_scope_open_around_callback();
    if (!e->depth) return false;
    tg_thread.grad_enabled = true;
    t_TensorList *arguments = own_arguments(e, inputs);
    e->outputs = arguments ? tg_call_function(func, arguments, context) : NULL;
    tg_thread.grad_enabled = true;
    if (!e->outputs || (e->o.aux && !split_aux(e, name))) return false;
    return !e->grad_enabled || tg_find_other_leaves(e->outputs, e->own, NULL, &e->keeps_graph);
}

/* Restores the state before the call. result is NULL after an error. */
static t_TensorList *end(Evaluation *e, t_TensorList *result) {
    t_TensorList *lists[] = {result, result ? results_of(e, e->outputs, NULL) : NULL,
                             result && e->aux ? results_of(e, e->aux, NULL) : NULL};
    tg_thread.grad_enabled = e->grad_enabled;
    if (!result || !lists[1] || (e->aux && !lists[2])) {
        tg_scope_close(e->depth);
        return NULL;
    }
    tg_return_lists(e->depth, lists, e->aux ? 3 : 2);
    if (e->o.output && lists[1]->len > 0) *e->o.output = lists[1]->items[0];
    if (e->o.outputs) *e->o.outputs = lists[1];
    if (e->o.aux) *e->o.aux = lists[2];
    return result;
}

static t_TensorList *zeros_where_null(t_TensorList *gradients, const t_TensorList *like) {
    for (int64_t i = 0; gradients && i < gradients->len; i++)
        if (!gradients->items[i] && !(gradients->items[i] = t_retain(t_zeros_like(like->items[i])))) return NULL;
    return gradients;
}

/* ---- grad ---- */

static bool check_scalar(const t_TensorList *outputs) {
    const char *name = GRAD;
    if (outputs->len != 1) return tg_fail("%s: Expected f(*args) to return a Tensor, got a list", name);
    if (outputs->items[0]->ndim > 0)
        return tg_fail("%s: Expected f(*args) to return a scalar Tensor, got tensor with %d dims. Maybe you wanted to "
                       "use the vjp or jacrev APIs instead?", name, outputs->items[0]->ndim);
    return true;
}

t_TensorList *t_func_grad_and_value(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                    const t_FuncOptions *options) {
    Evaluation e;
    t_TensorList *gradients = NULL;
    if (begin(&e, GRAD, func, inputs, context, options) && check_scalar(e.outputs)) {
        gradients = tg_gradients(e.outputs, e.own, NULL, e.keeps_graph, false);
        gradients = results_of(&e, zeros_where_null(gradients, e.own), NULL);
    }
    return end(&e, gradients);
}

t_TensorList *t_func_grad(t_TensorFunction *func, t_TensorList *inputs, void *context, const t_FuncOptions *options) {
    return t_func_grad_and_value(func, inputs, context, options);
}

/* ---- linear functions: vjp, linearize, jvp ---- */

struct t_LinearFunction {
    t_Object object;
    Evaluation e; /* its lists have references */
    /* of jvp: a dummy cotangent for each output, and u^T J, a tensor for each input (NULL: zero); of vjp NULL */
    t_TensorList *u, *uJ;
};

static void linear_destroy(void *object) {
    t_LinearFunction *function = object;
    tg_object_dispose(&function->object);
    t_release(function->e.own);
    t_release(function->e.outputs);
    t_release(function->u);
    t_release(function->uJ);
    tg_object_free(&function->object, sizeof *function);
}

static const t_Class linear_class = {"LinearFunction", linear_destroy};

static t_LinearFunction *linear_new(const Evaluation *e, t_TensorList *u, t_TensorList *uJ) {
    t_LinearFunction *function = tg_alloc(sizeof *function);
    if (!function) return NULL;
    function->e = *e;
    function->e.aux = NULL;
    t_retain(e->own);
    t_retain(e->outputs);
    function->u = t_retain(u);
    function->uJ = t_retain(uJ);
    tg_object_init(&function->object, &linear_class);
    return function;
}

/* end for a linear function, which keeps the lists. */
static t_LinearFunction *end_linear(Evaluation *e, t_LinearFunction *function) {
    t_retain(function);
    t_TensorList *nothing = function ? t_list_new(NULL, 0) : NULL;
    if (!end(e, nothing)) {
        t_release(function);
        return NULL;
    }
    tg_add_to_scope(function);
    t_release(function);
    return function;
}

static bool check_floating_outputs(const t_TensorList *outputs) {
    if (outputs->len == 0)
        return tg_fail("vjp(f, *primals): Expected f to be a function that has non-empty output (got output = [])");
    for (int64_t k = 0; k < outputs->len; k++)
        if (!tg_is_floating(outputs->items[k]->dtype))
            return tg_fail("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with "
                           "dtype torch.%s", tg_dtype_name(outputs->items[k]->dtype));
    return true;
}

t_LinearFunction *t_func_vjp(t_TensorFunction *func, t_TensorList *primals, void *context,
                             const t_FuncOptions *options) {
    Evaluation e;
    const bool ok = begin(&e, VJP, func, primals, context, options) && check_floating_outputs(e.outputs);
    return end_linear(&e, ok ? linear_new(&e, NULL, NULL) : NULL);
}

/* u, and u^T J with a graph. */
static bool linearize(const Evaluation *e, t_TensorList **u, t_TensorList **uJ) {
    if (e->outputs->len == 0)
        return tg_fail("jvp(f, primals, tangents): Expected f to be a function that has non-empty output (got output = "
                       "[])");
    *u = tg_zeros_like_all(e->outputs, true);
    *uJ = *u ? tg_transposed_gradients(e->outputs, e->own, *u) : NULL;
    return *uJ != NULL;
}

t_LinearFunction *t_func_linearize(t_TensorFunction *func, t_TensorList *primals, void *context,
                                   const t_FuncOptions *options) {
    Evaluation e;
    t_TensorList *u, *uJ;
    t_FuncOptions o = t_FuncDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    o.aux = NULL;
    const bool ok = begin(&e, JVP, func, primals, context, &o) && linearize(&e, &u, &uJ);
    return end_linear(&e, ok ? linear_new(&e, u, uJ) : NULL);
}

static bool requires_grad(const t_TensorList *list) {
    for (int64_t i = 0; i < list->len; i++)
        if (list->items[i]->requires_grad) return true;
    return false;
}

/* d u^T J v / d u, zeros for an output that is no function of the inputs. */
static t_TensorList *jvp(const Evaluation *e, const t_TensorList *u, const t_TensorList *uJ, const t_TensorList *v,
                         bool create_graph) {
    t_TensorList *all = tg_gradients(uJ, u, v, create_graph, true);
    for (int64_t k = 0; all && e->o.strict && k < u->len; k++)
        if (!all->items[k])
            return tg_fail("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This "
                           "is not allowed with strict=True.");
    return zeros_where_null(all, e->outputs);
}

static bool check_v(const t_LinearFunction *function, const t_TensorList *v) {
    const t_TensorList *like = function->u ? function->e.own : function->e.outputs;
    if (v->len != like->len)
        return tg_fail("%s has %lld %s, but got %lld %s", function->u ? "jvp_fn" : "vjp_fn", (long long)like->len,
                       function->u ? "primals" : "outputs", (long long)v->len,
                       function->u ? "tangents" : "cotangents");
    for (int64_t i = 0; function->u && i < v->len; i++)
        if (!tg_same_shape(v->items[i], like->items[i]))
            return tg_fail("tangent:%lld with shape torch.Size(%s) in flattened pytree doesn't match the shape "
                           "torch.Size(%s) of the corresponding primal.", (long long)i, tg_shape_of(v->items[i]),
                           tg_shape_of(like->items[i]));
    return true;
}

t_TensorList *t_func_call(t_LinearFunction *function, const t_TensorList *v) {
    if (!tg_check_given(function != NULL, 1, "a linear function") || !tg_check_list(v, 2)) return NULL;
    if (function->object.is_a != &linear_class) return tg_fail("argument 1 is not a live linear function");
    if (!check_v(function, v)) return NULL;
    Evaluation e = function->e;
    e.grad_enabled = tg_context()->grad_enabled;
    e.depth = tg_scope_open_around_callback();
    if (!e.depth) return NULL;
    const bool create_graph = e.grad_enabled && (e.keeps_graph || requires_grad(v));
    t_TensorList *result = function->u ? jvp(&e, function->u, function->uJ, v, create_graph)
                                       : tg_gradients(e.outputs, e.own, v, create_graph, true);
    if (!function->u) result = zeros_where_null(result, e.own);
    result = results_of(&e, result, function->u);
    if (result) tg_return_lists(e.depth, &result, 1);
    else tg_scope_close(e.depth);
    return result;
}

static bool check_tangents(const t_TensorList *primals, const t_TensorList *tangents) {
    if (!tg_check_list(primals, 2) || !tg_check_list(tangents, 4)) return false;
    if (primals->len != tangents->len)
        return tg_fail("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. "
                       "For example, if primals is a tuple of 3 tensors, tangents also must be. Got %lld primals and "
                       "%lld tangents", (long long)primals->len, (long long)tangents->len);
    for (int64_t i = 0; i < primals->len; i++)
        if (!tg_check_dual(primals->items[i], tangents->items[i])) return false;
    return true;
}

t_TensorList *t_func_jvp(t_TensorFunction *func, t_TensorList *primals, void *context, const t_TensorList *tangents,
                         const t_FuncOptions *options) {
    Evaluation e;
    t_TensorList *u, *uJ, *result = NULL;
    if (!check_tangents(primals, tangents)) return NULL;
    if (begin(&e, JVP, func, primals, context, options) && linearize(&e, &u, &uJ)) {
        const bool create_graph = e.grad_enabled && (e.keeps_graph || requires_grad(tangents));
        result = results_of(&e, jvp(&e, u, uJ, tangents, create_graph), u);
    }
    return end(&e, result);
}

/* ---- Jacobians ---- */

t_TensorList *t_func_jacrev(t_TensorFunction *func, t_TensorList *inputs, void *context,
                            const t_FuncOptions *options) {
    Evaluation e;
    t_TensorList *J = NULL;
    t_FuncOptions o = t_FuncDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.chunk_size <= 0) return tg_fail("jacrev: `chunk_size` should be greater than 0.");
    if (begin(&e, VJP, func, inputs, context, options) && check_floating_outputs(e.outputs)) {
        J = tg_jacobian_rows(e.outputs, e.own, e.keeps_graph, false);
        J = results_of(&e, J, NULL);
    }
    return end(&e, J);
}

t_TensorList *t_func_jacfwd(t_TensorFunction *func, t_TensorList *inputs, void *context,
                            const t_FuncOptions *options) {
    Evaluation e;
    t_TensorList *u, *uJ, *J = NULL;
    if (begin(&e, JVP, func, inputs, context, options) && linearize(&e, &u, &uJ)) {
        J = tg_jacobian_columns(e.outputs, e.own, u, uJ, e.keeps_graph);
        J = results_of(&e, J, u);
    }
    return end(&e, J);
}

/* jacrev(f) as a function of the same inputs. */
typedef struct Reverse {
    t_TensorFunction *func;
    void *context;
    const t_FuncOptions *options;
} Reverse;

static t_TensorList *jacrev_of(t_TensorList *inputs, void *context) {
    const Reverse *of = context;
    return t_func_jacrev(of->func, inputs, of->context, of->options);
}

t_TensorList *t_func_hessian(t_TensorFunction *func, t_TensorList *inputs, void *context,
                             const t_FuncOptions *options) {
    t_FuncOptions o = t_FuncDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_given(func != NULL, 1, "a function")) return NULL;
    o.output = NULL;
    o.outputs = NULL;
    o.aux = NULL;
    Reverse reverse = {func, context, &o};
    return t_func_jacfwd(jacrev_of, inputs, &reverse, &o);
}
