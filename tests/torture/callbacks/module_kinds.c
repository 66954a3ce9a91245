/* tests/torture/callbacks/module_kinds.c: forwards and hooks of modules. */
#include "tests/torture/callbacks/callbacks.h"

/* ---- forwards ---- */

static Tensor *pair_call(Body *self, Tensor *a, Tensor *b) {
    (void)self, (void)b;
    return act(a, a);
}

/* The model with a module of the user's in front of its last layer. */
static bool run_forward(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *h = w->x[w->step];
    nn_Sequential *lower = nn_Sequential(nn_module(Body, body_call));
    h = nn_call(nn_get_submodule(w->model, "0"), h);
    for (int i = 1; i < 6; i++) {
        const char name[] = {(char)('0' + i), 0};
        if (i == 5) h = nn_call(lower, h);
        h = nn_call(nn_get_submodule(w->model, name), h);
    }
    return step_of(w, F_cross_entropy(h, w->y[w->step]));
}

static bool run_forward_of_two(World *w) {
    optim_zero_grad(w->optimizer);
    Tensor *x = nn_call(nn_module2(Body, pair_call), w->x[w->step], w->y[w->step]);
    return step_of(w, F_cross_entropy(nn_call(w->model, x), w->y[w->step]));
}

/* ---- forward hooks ---- */

static t_TensorList *pre_hook(nn_Module *module, t_TensorList *args, void *context) {
    (void)module, (void)context;
    return act(args->items[0], NULL);
}

static Tensor *hook(nn_Module *module, t_TensorList *args, Tensor *output, void *context) {
    (void)module, (void)context, (void)args;
    return act(output, NULL);
}

static bool with_pre_hook(World *w) {
    w->handle = t_retain(nn_register_forward_pre_hook(layer(w, 1), pre_hook));
    return plain_step(w);
}
static bool with_hook(World *w) {
    w->handle = t_retain(nn_register_forward_hook(layer(w, 1), hook));
    return plain_step(w);
}
static bool with_always_hook(World *w) {
    w->handle = t_retain(nn_register_forward_hook(layer(w, 1), hook, .always_call = true));
    return plain_step(w);
}
static bool with_module_pre_hook(World *w) {
    w->handle = t_retain(nn_register_module_forward_pre_hook(pre_hook));
    return plain_step(w);
}
static bool with_module_hook(World *w) {
    w->handle = t_retain(nn_register_module_forward_hook(hook));
    return plain_step(w);
}

/* ---- backward hooks ---- */

static t_TensorList *backward_pre_hook(nn_Module *module, t_TensorList *grad_output, void *context) {
    (void)module, (void)context;
    return act(grad_output->items[0], NULL);
}
static t_TensorList *backward_hook(nn_Module *module, t_TensorList *grad_input, t_TensorList *grad_output,
                                   void *context) {
    (void)module, (void)context;
    return act(grad_input->items[0] ? grad_input->items[0] : grad_output->items[0], NULL);
}

static bool with_backward_pre_hook(World *w) {
    w->handle = t_retain(nn_register_full_backward_pre_hook(layer(w, 1), backward_pre_hook));
    return plain_step(w);
}
static bool with_backward_hook(World *w) {
    w->handle = t_retain(nn_register_full_backward_hook(layer(w, 1), backward_hook));
    return plain_step(w);
}
static bool with_module_backward_pre_hook(World *w) {
    w->handle = t_retain(nn_register_module_full_backward_pre_hook(backward_pre_hook));
    return plain_step(w);
}
static bool with_module_backward_hook(World *w) {
    w->handle = t_retain(nn_register_module_full_backward_hook(backward_hook));
    return plain_step(w);
}

/* ---- hooks around the state dict ---- */

static void state_pre_hook(nn_Module *module, const char *prefix, void *context) {
    (void)module, (void)prefix, (void)context;
    act(NULL, NULL);
}
static void state_hook(nn_Module *module, t_TensorDict *dict, const char *prefix, void *context) {
    (void)module, (void)prefix, (void)context;
    act(dict->len ? dict->items[0].tensor : NULL, NULL);
}
static void load_post_hook(nn_Module *module, const nn_IncompatibleKeys *keys, void *context) {
    (void)module, (void)keys, (void)context;
    act(NULL, NULL);
}

static bool save_and_load(World *w) {
    t_TensorDict *dict = nn_state_dict(w->model);
    return dict && nn_load_state_dict(w->model, dict) && plain_step(w);
}
static bool with_state_pre_hook(World *w) {
    w->handle = t_retain(nn_register_state_dict_pre_hook(layer(w, 1), state_pre_hook));
    return save_and_load(w);
}
static bool with_state_hook(World *w) {
    w->handle = t_retain(nn_register_state_dict_post_hook(layer(w, 1), state_hook));
    return save_and_load(w);
}
static bool with_load_pre_hook(World *w) {
    w->handle = t_retain(nn_register_load_state_dict_pre_hook(layer(w, 1), state_hook));
    return save_and_load(w);
}
static bool with_load_post_hook(World *w) {
    w->handle = t_retain(nn_register_load_state_dict_post_hook(layer(w, 1), load_post_hook));
    return save_and_load(w);
}

/* ---- other functions that modules call ---- */

static void apply_function(nn_Module *module, void *context) {
    (void)module, (void)context;
    act(NULL, NULL);
}
static bool with_apply(World *w) {
    return nn_apply(w->model, apply_function) && plain_step(w);
}

const Kind module_kinds[] = {
    {"forward", a_tensor, run_forward,
     .ends = {[returns_null] = "!the forward of Body returned NULL",
              NO_PRODUCT("5"),
              [wrong_dtype] = OTHER_DTYPE,
              [dead] = NO_TENSOR,
              [other_class] = NO_TENSOR,
              [same_graph] = AGAIN,
              [in_place] = WRITTEN,
              [modes] = NO_GRAD}},
    {"forward of two", a_tensor, run_forward_of_two,
     .ends = {[returns_null] = "!the forward of Body returned NULL",
              NO_PRODUCT("4"),
              [wrong_dtype] = OTHER_DTYPE,
              [dead] = NO_TENSOR,
              [other_class] = NO_TENSOR,
              [modes] = NO_GRAD}},
    {"forward pre-hook", a_list, with_pre_hook,
     .ends = {[wrong_shape] = "!addmm: mat1 and mat2 shapes cannot be multiplied (7x11 and 5",
              [wrong_dtype] = OTHER_DTYPE,
              [empty] = "!a forward pre-hook returned 0 args, but the forward takes 1",
              [same_graph] = AGAIN,
              [modes] = NO_GRAD}},
    {"forward hook", a_tensor, with_hook,
     .ends = {NO_PRODUCT("5"), [wrong_dtype] = "~", [same_graph] = AGAIN, [modes] = NO_GRAD}},
    {"forward hook, always_call", a_tensor, with_always_hook,
     .ends = {NO_PRODUCT("5"), [wrong_dtype] = "~", [same_graph] = AGAIN, [modes] = NO_GRAD}},
    {"forward pre-hook of all", a_list, with_module_pre_hook,
     .ends = {[wrong_shape] = "!addmm: mat1 and mat2 shapes cannot be multiplied (7x11 and 4",
              [wrong_dtype] = OTHER_DTYPE,
              [empty] = "!a forward pre-hook returned 0 args, but the forward takes 1",
              [modes] = NO_GRAD}},
    {"forward hook of all", a_tensor, with_module_hook,
     .ends = {NO_PRODUCT("5"), [wrong_dtype] = "!result type Float can't be cast to the desired output type L",
              [same_graph] = AGAIN, [modes] = NO_GRAD}},
    {"full backward pre-hook", a_list, with_backward_pre_hook,
     .ends = {[wrong_shape] = "!Function BackwardHookFunctionBackward returned an invalid gr",
              [wrong_dtype] = "~",
              [empty] = "!Backward pre hook returned an invalid number of grad_output,",
              [same_graph] = AGAIN}},
    {"full backward hook", a_list, with_backward_hook,
     .ends = {[wrong_shape] = "!Function BackwardHookFunctionBackward returned an invalid gr",
              [wrong_dtype] = "~",
              [empty] = "!Backward hook returned an invalid number of grad_input, got",
              [same_graph] = AGAIN}},
    {"full backward pre-hook of all", a_list, with_module_backward_pre_hook,
     .ends = {[wrong_shape] = "!Function BackwardHookFunctionBackward returned an invalid gr",
              [wrong_dtype] = "~",
              [empty] = "!Backward pre hook returned an invalid number of grad_output,",
              [same_graph] = AGAIN}},
    {"full backward hook of all", a_list, with_module_backward_hook,
     .ends = {[wrong_shape] = "!Backward hook for Modules where no input requires gradient s",
              [wrong_dtype] = "!Backward hook for Modules where no input requires gradient s",
              [empty] = "!Backward hook returned an invalid number of grad_input, got",
              [same_graph] = AGAIN}},
    {"state_dict pre-hook", nothing, with_state_pre_hook, .ends = {[modes] = NO_GRAD}, .no_given = true},
    {"state_dict post-hook", nothing, with_state_hook, .ends = {[modes] = NO_GRAD}},
    {"load_state_dict pre-hook", nothing, with_load_pre_hook, .ends = {[modes] = NO_GRAD}},
    {"load_state_dict post-hook", nothing, with_load_post_hook, .ends = {[modes] = NO_GRAD}, .no_given = true},
    {"apply", nothing, with_apply, .ends = {[modes] = NO_GRAD}, .no_given = true},
    {.name = NULL}};
