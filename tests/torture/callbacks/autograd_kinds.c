/* tests/torture/callbacks/autograd_kinds.c: hooks on gradients and saved tensors, rules of a Function, gradcheck's
 * function. */
#include "tests/torture/callbacks/callbacks.h"

/* ---- hooks on gradients ---- */

static Tensor *hook(Tensor *g, void *context) {
    (void)context;
    return act(g, NULL);
}
static void post_hook(Tensor *x, void *context) {
    (void)context;
    act(t_grad(x), NULL);
}

static bool with_leaf_hook(World *w) {
    w->handle = t_retain(t_register_hook(layer(w, 0)->weight, hook));
    return plain_step(w);
}

static bool with_op_hook(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *loss = w->loss = forward(w);
    if (loss) w->handle = t_retain(t_register_hook(loss, hook));
    return t_backward(loss) && optim_step(w->optimizer);
}
static bool with_op_hook_of_steps(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *loss = w->loss = forward(w);
    if (loss) w->handle = t_retain(t_register_hook(loss, hook));
    t_BackwardSteps *steps = t_backward_begin(loss);
    for (t_BackwardStep step; t_backward_next(steps, &step);) {
    }
    t_backward_end(steps);
    return !t_error() && optim_step(w->optimizer);
}
static bool with_hook_of_grad(World *w) {
    Tensor *loss = w->loss = forward(w);
    if (loss) w->handle = t_retain(t_register_hook(loss, hook));
    t_TensorList *grads = t_autograd_grad(loss, nn_parameters(w->model));
    if (!grads) return false;
    t_TensorList *params = nn_parameters(w->model);
    for (int64_t i = 0; i < params->len; i++) t_set_grad(params->items[i], grads->items[i]);
    return optim_step(w->optimizer);
}
static bool with_post_hook(World *w) {
    w->handle = t_retain(t_register_post_accumulate_grad_hook(layer(w, 0)->weight, post_hook));
    return plain_step(w);
}

/* ---- saved tensors ---- */

static Tensor *same(Tensor *x, void *context) {
    (void)context;
    return x;
}
static Tensor *bad_pack(Tensor *x, void *context) {
    (void)context;
    return act(x, x);
}

static bool with_pack(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *loss = NULL;
    with_saved_tensors_hooks (bad_pack, same) loss = forward(w);
    return step_of(w, loss);
}
static bool with_unpack(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *loss = NULL;
    with_saved_tensors_hooks (same, bad_pack) loss = forward(w);
    return step_of(w, loss);
}

/* ---- a Function ---- */

static void rule(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = act(dy, dy);
}
static void rule_of_outputs(t_Context *ctx, Tensor *const *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = act(dy[0], t_add(dy[0], dy[1]));
}
static Tensor *jvp_rule(t_Context *ctx, Tensor *const *dx) {
    (void)ctx;
    return act(dx[0], dx[0]);
}
static const t_Function identity = {.name = "identity", .grad_fn = "IdentityBackward", .backward = rule},
                        twins = {.name = "twins", .grad_fn = "TwinsBackward", .backward_outputs = rule_of_outputs},
                        forward_only = {.name = "forward_only", .grad_fn = "ForwardBackward", .jvp = jvp_rule};

static bool with_rule(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *loss = forward(w), *y = NULL;
    with_no_grad () y = t_clone(loss);
    return step_of(w, t_apply(&identity, y, t_list(loss)));
}
static bool with_rule_of_outputs(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *loss = forward(w), *y = NULL, *z = NULL;
    with_no_grad () y = t_clone(loss), z = t_clone(loss);
    t_TensorList *both = t_apply_outputs(&twins, t_list(y, z), t_list(loss), NULL);
    return both && step_of(w, t_add(t_mul(both->items[0], 0.5), t_mul(both->items[1], 0.5)));
}
static Tensor *through_jvp(Tensor *x) {
    Tensor *y = NULL;
    with_no_grad () y = t_clone(x);
    return t_apply(&forward_only, y, t_list(x));
}
static bool with_jvp_rule(World *w) {
    return t_func_jvp(through_jvp, w->x[0], t_ones_like(w->x[0])) && plain_step(w);
}

/* ---- gradcheck ---- */

static t_TensorList *checked(t_TensorList *inputs, void *context) {
    (void)context;
    return act(inputs->items[0], t_list(t_mul(inputs->items[0], inputs->items[0])));
}
static bool with_gradcheck(World *w) {
    Tensor *x = t_to(w->x[0], t_float64);
    return t_gradcheck(checked, t_list(t_requires_grad_(x))) && plain_step(w);
}
static bool with_fast_gradcheck(World *w) {
    Tensor *x = t_to(w->x[0], t_float64);
    return t_gradcheck(checked, t_list(t_requires_grad_(x)), .fast_mode = true, .check_forward_ad = true) &&
           plain_step(w);
}
static bool with_gradgradcheck(World *w) {
    Tensor *x = t_to(w->x[0], t_float64);
    return t_gradgradcheck(checked, t_list(t_requires_grad_(x)), .grad_outputs = t_ones_like(x)) && plain_step(w);
}

#define OTHER_GRADIENT                                                                                  \
    [wrong_shape] = "!has changed the size of value", [wrong_dtype] = "!has changed the type of value", \
    [empty] = "!has changed the size of value"

const Kind autograd_kinds[] = {
    {"hook of a leaf", a_tensor, with_leaf_hook, .ends = {OTHER_GRADIENT, [same_graph] = AGAIN}},
    {"hook of an op", a_tensor, with_op_hook, .ends = {OTHER_GRADIENT, [same_graph] = AGAIN}},
    {"hook in backward by steps", a_tensor, with_op_hook_of_steps, .ends = {OTHER_GRADIENT, [same_graph] = AGAIN}},
    {"hook in autograd.grad", a_tensor, with_hook_of_grad, .ends = {OTHER_GRADIENT, [same_graph] = AGAIN}},
    {"post-accumulate hook", nothing, with_post_hook, .ends = {[same_graph] = AGAIN}},
    {"pack", a_tensor, with_pack,
     .ends = {[returns_null] = "!Output of saved tensor pack_hook expected to be a Tensor but",
              [wrong_shape] = "!a saved tensor unpack_hook returned a tensor of shape [7, 11",
              [wrong_dtype] = "!a saved tensor unpack_hook returned a tensor of shape [6, 4]",
              [empty] = "!a saved tensor unpack_hook returned a tensor of shape [0] an",
              [in_place] = "!A saved tensor pack hook is modifying its input in place. Te"}},
    {"unpack", a_tensor, with_unpack,
     .ends = {[returns_null] = "!Output of saved tensor unpack_hook expected to be a Tensor b",
              [wrong_shape] = "!a saved tensor unpack_hook returned a tensor of shape [7, 11",
              [wrong_dtype] = "!a saved tensor unpack_hook returned a tensor of shape [6, 3]",
              [empty] = "!a saved tensor unpack_hook returned a tensor of shape [0] an",
              [same_graph] = AGAIN}},
    {"backward of a Function", a_tensor, with_rule,
     .ends = {[returns_null] = "~", [wrong_shape] = "~", [wrong_dtype] = "~", [empty] = "~", [same_graph] = AGAIN}},
    {"backward of several outputs", a_tensor, with_rule_of_outputs,
     .ends = {[returns_null] = "~", [wrong_shape] = "~", [wrong_dtype] = "~", [empty] = "~", [same_graph] = AGAIN}},
    {"jvp of a Function", a_tensor, with_jvp_rule,
     .ends = {[wrong_shape] = "!Function JvpBackward0 returned an invalid gradient at index",
              [empty] = "!Function JvpBackward0 returned an invalid gradient at index"}},
    {"gradcheck", a_list, with_gradcheck,
     .ends = {[returns_null] = "!the function returned NULL",
              [wrong_shape] = "!the function returned outputs of different shapes in differe",
              [in_place] = WRITTEN}},
    {"gradcheck, first difference", a_list, with_gradcheck,
     .ends = {[returns_null] = "!the function returned NULL",
              [wrong_shape] = "!the function returned outputs of different shapes in differe",
              [wrong_dtype] = "!Jacobian mismatch for output 0 with respect to input 0, firs",
              [empty] = "!the function returned outputs of different shapes in differe",
              [in_place] = WRITTEN},
     .when = 2},
    {"gradcheck, fast", a_list, with_fast_gradcheck,
     .ends = {[returns_null] = "!the function returned NULL",
              [wrong_shape] = "!the function returned outputs of different shapes in differe",
              [in_place] = WRITTEN}},
    {"gradgradcheck", a_list, with_gradgradcheck,
     .ends = {[returns_null] = "!the function returned NULL",
              [wrong_shape] = "!got 0 tensors and 1 gradients",
              [wrong_dtype] = "!got 0 tensors and 1 gradients",
              [empty] = "!got 0 tensors and 1 gradients",
              [in_place] = WRITTEN}},
    {"gradgradcheck, second call", a_list, with_gradgradcheck,
     .ends = {[returns_null] = "!the function returned NULL",
              [wrong_shape] = "!got 0 tensors and 1 gradients",
              [wrong_dtype] = "!got 0 tensors and 1 gradients",
              [empty] = "!got 0 tensors and 1 gradients",
              [in_place] = WRITTEN},
     .when = 2},
    {.name = NULL}};
