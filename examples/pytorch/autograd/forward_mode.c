/* examples/pytorch/autograd/forward_mode.c: "Forward-mode automatic differentiation".
 *
 * Difficulty: **     Read first: jacobians_hessians     Read next: neural_tangent_kernels */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

static Tensor *fn(Tensor *x, Tensor *y) {
    return t_add(t_pow(x, 2), t_pow(y, 2));
}

static void basic_usage(void) {
    Tensor *primal = t_randn(10, 10);
    Tensor *tangent = t_randn(10, 10);

    Tensor *input_tangent, *dual_output, *jvp, *output_tangent;
    with_dual_level () {
        Tensor *dual_input = t_autograd_forward_ad_make_dual(primal, tangent);
        t_autograd_forward_ad_unpack_dual(dual_input, .tangent = &input_tangent);
        t_print(t_equal(input_tangent, tangent));

        Tensor *plain_tensor = t_randn(10, 10);
        dual_output = fn(dual_input, plain_tensor);
        t_autograd_forward_ad_unpack_dual(dual_output, .tangent = &jvp);
        t_print(t_at(jvp, "0"));
    }
    t_autograd_forward_ad_unpack_dual(dual_output, .tangent = &output_tangent);
    t_print((bool)(output_tangent == NULL));
}

static void usage_with_modules(void) {
    nn_Linear *model = nn_Linear(5, 5);
    Tensor *input = t_randn(16, 5);

    t_TensorDict *params = t_dict();
    for_named (p, nn_named_parameters(model)) t_dict_set(params, p->name, t_detach(p->tensor));
    t_TensorDict *tangents = t_dict();
    for_items (p, params) t_dict_set(tangents, p->name, t_rand_like(p->tensor));

    t_TensorDict *dual_params = t_dict();
    with_dual_level () {
        for_items (p, params)
            t_dict_set(dual_params, p->name, t_autograd_forward_ad_make_dual(p->tensor, t_dict_get(tangents, p->name)));
        Tensor *out = t_func_functional_call(model, dual_params, input), *jvp;
        t_autograd_forward_ad_unpack_dual(out, .tangent = &jvp);
        t_print(t_size_repr(jvp));
        t_print(t_at(jvp, "0"));
    }
}

/* ---- A function with a rule of its own for forward mode ---- */

static Tensor *exponential_jvp(t_Context *ctx, Tensor *const *gI) {
    Tensor *result = t_saved_tensor(ctx, 0);
    Tensor *gO = t_mul(gI[0], result);
    return gO;
}

static const t_Function exponential_function = {
    .name = "exponential", .grad_fn = "ExponentialBackward", .jvp = exponential_jvp};

static Tensor *exponential(Tensor *foo) {
    Tensor *result = NULL;
    with_no_grad () result = t_exp(foo);
    return t_apply(&exponential_function, result, t_list(foo), .saved = t_list(result));
}

static void custom_function(void) {
    Tensor *primal = t_randn(10, 10, .dtype = t_float64, .requires_grad = true);
    Tensor *tangent = t_randn(10, 10, .dtype = t_float64);

    Tensor *jvp;
    with_dual_level () {
        Tensor *dual_input = t_autograd_forward_ad_make_dual(primal, tangent);
        Tensor *dual_output = exponential(dual_input);
        t_autograd_forward_ad_unpack_dual(dual_output, .tangent = &jvp);
        t_print(t_detach(t_at(jvp, "0, :5")));
    }
    t_print(t_gradcheck(exponential, primal, .check_forward_ad = true, .check_backward_ad = false));
}

/* ---- The functional API ---- */

typedef struct Predict {
    nn_Linear *model;
    Tensor *input;
} Predict;

static Tensor *predict(t_TensorDict *params, void *context) {
    const Predict *of = context;
    return t_func_functional_call(of->model, params, of->input);
}

static void functional_api(void) {
    Tensor *primal0 = t_randn(10, 10);
    Tensor *tangent0 = t_randn(10, 10);
    Tensor *primal1 = t_randn(10, 10);
    Tensor *tangent1 = t_randn(10, 10);
    Tensor *primal_out;
    Tensor *tangent_out = t_func_jvp(fn, t_list(primal0, primal1), t_list(tangent0, tangent1), .output = &primal_out);
    t_print(t_equal(primal_out, fn(primal0, primal1)));
    t_print(t_at(tangent_out, "0"));

    nn_Linear *model = nn_Linear(5, 5);
    Tensor *input = t_randn(16, 5), *out;
    t_TensorDict *params = t_dict();
    for_named (p, nn_named_parameters(model)) t_dict_set(params, p->name, t_detach(p->tensor));
    t_TensorDict *tangents = t_dict();
    for_items (p, params) t_dict_set(tangents, p->name, t_rand_like(p->tensor));
    tangent_out = t_func_jvp(predict, params, tangents, .context = &(Predict){model, input}, .output = &out);
    t_print(t_allclose(out, nn_call(model, input)));
    t_print(t_at(tangent_out, "0"));
}

int main(void) {
    t_manual_seed(0);
    basic_usage();
    usage_with_modules();
    custom_function();
    functional_api();
    return 0;
}
