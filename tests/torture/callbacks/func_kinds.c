/* tests/torture/callbacks/func_kinds.c: functions that checkpoint, torch.func and autograd.functional call. */
#include "tests/torture/callbacks/callbacks.h"

/* ---- checkpoint ---- */

static Tensor *block(Tensor *x, void *context) {
    Tensor *y = nn_call(context, x);
    return act(x, y);
}
static bool with_checkpoint(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *y = t_checkpoint(block, w->x[w->step], .context = w->model);
    return step_of(w, F_cross_entropy(y, w->y[w->step]));
}

/* ---- functions of the inputs ---- */

static t_TensorList *square(t_TensorList *inputs, void *context) {
    (void)context;
    Tensor *x = inputs->items[0];
    return act(x, t_list(t_mul(x, t_mul(x, x))));
}
static t_TensorList *energy(t_TensorList *inputs, void *context) {
    (void)context;
    Tensor *x = inputs->items[0];
    return act(x, t_list(t_sum(t_mul(x, t_mul(x, x)))));
}
static Tensor *input(void) {
    return t_reshape(t_add(t_arange(4.0), 1), 2, 2);
}

#define KIND_(name, call)                         \
    static bool name(World *w) {                  \
        Tensor *x = input(), *v = t_ones_like(x); \
        (void)v;                                  \
        return (call) && plain_step(w);           \
    }
KIND_(with_vjp, t_autograd_functional_vjp(square, t_list(x), t_list(v)))
KIND_(with_jvp, t_autograd_functional_jvp(square, t_list(x), t_list(v)))
KIND_(with_vhp, t_autograd_functional_vhp(energy, t_list(x), t_list(v)))
KIND_(with_hvp, t_autograd_functional_hvp(energy, t_list(x), t_list(v)))
KIND_(with_jacobian, t_autograd_functional_jacobian(square, t_list(x)))
KIND_(with_hessian, t_autograd_functional_hessian(energy, t_list(x)))
KIND_(with_func_grad, t_func_grad(energy, t_list(x)))
KIND_(with_func_jvp, t_func_jvp(square, t_list(x), t_list(v)))
KIND_(with_jacrev, t_func_jacrev(square, t_list(x)))
KIND_(with_jacfwd, t_func_jacfwd(square, t_list(x)))
KIND_(with_func_hessian, t_func_hessian(energy, t_list(x)))
KIND_(with_vmap, t_func_vmap(square, t_list(x)))

static t_TensorList *vmapped(t_TensorList *inputs, void *context) {
    (void)context;
    return t_func_grad(energy, inputs);
}
KIND_(with_nested, t_func_vmap(vmapped, t_list(x)))

KIND_(with_func_vjp, t_func_call(t_func_vjp(square, t_list(x)), t_list(v)))
KIND_(with_linearize, t_func_call(t_func_linearize(square, t_list(x)), t_list(v)))

/* ---- functional_call ---- */

typedef struct BodyOfLinear {
    nn_Module base;
    nn_Linear *fc;
} BodyOfLinear;
static Tensor *linear_call(BodyOfLinear *self, Tensor *x) {
    Tensor *y = nn_call(self->fc, x);
    return act(x, y);
}
static bool with_functional_call(World *w) {
    BodyOfLinear *body = nn_module(BodyOfLinear, linear_call);
    nn_set(body, fc, layer(w, 0));
    t_TensorDict *params = t_dict();
    t_dict_set(params, "fc.weight", t_zeros(5, IN, .requires_grad = true));
    Tensor *old = layer(w, 0)->weight;
    Tensor *y = t_func_functional_call(body, params, w->x[w->step]);
    if (layer(w, 0)->weight != old) return t_fail("the parameter is not restored") != NULL;
    return y && t_sum(y) && plain_step(w);
}

const Kind func_kinds[] = {
    {"checkpoint", a_tensor, with_checkpoint,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!Expected input batch_size (7) to match target batch_size (6)",
              [wrong_dtype] = "!F_cross_entropy(y, w->y[w->step]): \"log_softmax_lastdim_kern",
              [empty] = "!For 1D input, 1D target must have size 1, but got target siz",
              [dead] = "!argument 1 is not a live list of tensors",
              [other_class] = "!argument 1 is not a live list of tensors",
              [backward] = "!torch.utils.checkpoint: A different number of tensors was sa",
              [trains] = "!torch.utils.checkpoint: A different number of tensors was sa",
              [in_place] = WRITTEN}},
    {"checkpoint, second call", a_tensor, with_checkpoint,
     .ends = {[returns_null] = NO_RESULT,
              [dead] = "!argument 1 is not a live list of tensors",
              [other_class] = "!argument 1 is not a live list of tensors",
              [same_graph] = AGAIN,
              [in_place] = WRITTEN},
     .when = 2},
    {"functional.vjp", a_list, with_vjp,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!v has invalid size: should be torch.Size([7, 11]) but got to",
              [empty] = "!v is a tuple of invalid length: should be 0 but got 1.",
              [in_place] = WRITTEN}},
    {"functional.jvp", a_list, with_jvp, .ends = {[returns_null] = NO_RESULT, [in_place] = WRITTEN}},
    {"functional.vhp", a_list, with_vhp,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!The Tensor returned by the function given to vhp should cont",
              [wrong_dtype] = "!The Tensor returned by the function given to vhp should cont",
              [empty] = "!The function given to vhp should return a single Tensor",
              [in_place] = WRITTEN}},
    {"functional.hvp", a_list, with_hvp,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!The Tensor returned by the function given to hvp should cont",
              [wrong_dtype] = "!The Tensor returned by the function given to hvp should cont",
              [empty] = "!The function given to hvp should return a single Tensor",
              [in_place] = WRITTEN}},
    {"functional.jacobian", a_list, with_jacobian, .ends = {[returns_null] = NO_RESULT, [in_place] = WRITTEN}},
    {"functional.hessian", a_list, with_hessian,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!The Tensor returned by the function given to hessian should",
              [wrong_dtype] = "!The Tensor returned by the function given to hessian should",
              [empty] = "!The function given to hessian should return a single Tensor",
              [in_place] = WRITTEN}},
    {"func.grad", a_list, with_func_grad,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!Expected f(*args) to return a scalar Tensor, got tensor with",
              [wrong_dtype] = "!Expected f(*args) to return a scalar Tensor, got tensor with",
              [empty] = "!Expected f(*args) to return a Tensor, got a list",
              [in_place] = WRITTEN}},
    {"func.jvp", a_list, with_func_jvp,
     .ends = {[returns_null] = NO_RESULT,
              [empty] = "!jvp(f, primals, tangents): Expected f to be a function that",
              [in_place] = WRITTEN}},
    {"func.vjp", a_list, with_func_vjp,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_dtype] = "!All outputs of f must be floating-point or complex Tensors,",
              [empty] = "!Expected f to be a function that has non-empty output (got o",
              [in_place] = WRITTEN}},
    {"func.linearize", a_list, with_linearize,
     .ends = {[returns_null] = NO_RESULT,
              [empty] = "!Expected f to be a function that has non-empty output (got o",
              [in_place] = WRITTEN}},
    {"func.jacrev", a_list, with_jacrev,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_dtype] = "!All outputs of f must be floating-point or complex Tensors,",
              [empty] = "!Expected f to be a function that has non-empty output (got o",
              [in_place] = WRITTEN}},
    {"func.jacfwd", a_list, with_jacfwd,
     .ends = {[returns_null] = NO_RESULT,
              [empty] = "!Expected f to be a function that has non-empty output (got o",
              [in_place] = WRITTEN}},
    {"func.hessian", a_list, with_func_hessian,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_dtype] = "!All outputs of f must be floating-point or complex Tensors,",
              [empty] = "!Expected f to be a function that has non-empty output (got o",
              [in_place] = WRITTEN}},
    {"func.vmap", a_list, with_vmap,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [7, 11]",
              [empty] = "!vmap: the function returned 1 outputs, and 0 before"}},
    {"func.vmap, second call", a_list, with_vmap,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [2] at e",
              [empty] = "!vmap: the function returned 0 outputs, and 1 before"},
     .when = 2},
    {"func.vmap of func.grad", a_list, with_nested,
     .ends = {[returns_null] = NO_RESULT,
              [wrong_shape] = "!grad_and_value(f)(*args): Expected f(*args) to return a scal",
              [wrong_dtype] = "!grad_and_value(f)(*args): Expected f(*args) to return a scal",
              [empty] = "!grad_and_value(f)(*args): Expected f(*args) to return a Tens",
              [in_place] = WRITTEN},
     .when = 2},
    {"forward of functional_call", a_tensor, with_functional_call,
     .ends = {[returns_null] = "!the forward of BodyOfLinear returned NULL",
              [dead] = NO_TENSOR,
              [other_class] = NO_TENSOR,
              [modes] = NO_GRAD}},
    {.name = NULL}};
