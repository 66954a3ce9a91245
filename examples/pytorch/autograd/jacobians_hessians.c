/* examples/pytorch/autograd/jacobians_hessians.c: "Jacobians, Hessians, hvp, vhp, and more: composing function
 * transforms".
 *
 * Difficulty: **     Read first: basics/autograd     Read next: per_sample_gradients */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

enum { D = 16 };

static Tensor *predict(Tensor *weight, Tensor *bias, Tensor *x) {
    return t_tanh(F_linear(x, weight, bias));
}

/* partial(predict, weight, bias) */
typedef struct Weights {
    Tensor *weight, *bias;
} Weights;

static Tensor *predict_x(Tensor *x, void *context) {
    Weights *self = context;
    return predict(self->weight, self->bias, x);
}

/* ---- Jacobians ---- */

static Tensor *compute_jac(Tensor *weight, Tensor *bias, Tensor *xp) {
    Tensor *unit_vectors = t_eye(D);
    t_TensorList *jacobian_rows = t_list();
    for (int i = 0; i < D; i++)
        t_list_append(jacobian_rows, t_grad(predict(weight, bias, xp), xp, t_at(unit_vectors, "{}", i)));
    return t_stack(jacobian_rows);
}

/* vjp_fn as a function of one vector, for vmap */
static Tensor *row(Tensor *v, void *vjp_fn) {
    return t_list_get(t_func_call(vjp_fn, v), 0);
}

static void computing_the_jacobian(void) {
    Tensor *weight = t_randn(D, D);
    Tensor *bias = t_randn(D);
    Tensor *x = t_randn(D);

    Tensor *xp = t_requires_grad_(t_clone(x), true);
    Tensor *jacobian = compute_jac(weight, bias, xp);
    t_print(t_size_repr(jacobian));
    t_print(t_at(jacobian, "0"));

    t_LinearFunction *vjp_fn = t_func_vjp(predict_x, x, .context = &(Weights){weight, bias});
    Tensor *ft_jacobian = t_func_vmap(row, t_eye(D), .context = vjp_fn);
    t_print(t_allclose(ft_jacobian, jacobian));

    ft_jacobian = t_list_get(t_func_jacrev(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
    t_print(t_allclose(ft_jacobian, jacobian));

    Tensor *jac_weight, *jac_bias;
    t_list_unpack(t_func_jacrev(predict, t_list(weight, bias, x), .argnums = t_tuple(0, 1)), &jac_weight, &jac_bias);
    t_print(t_size_repr(jac_weight), t_size_repr(jac_bias));
}

static void reverse_and_forward(int64_t Din, int64_t Dout) {
    Tensor *weight = t_randn(Dout, Din);
    Tensor *bias = t_randn(Dout);
    Tensor *x = t_div(t_randn(Din), sqrt((double)Din));
    t_print(t_size_repr(weight));

    Tensor *using_fwd = t_list_get(t_func_jacfwd(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
    Tensor *using_bwd = t_list_get(t_func_jacrev(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
    t_print(t_allclose(using_fwd, using_bwd));
    t_print(t_at(using_fwd, "0, :6"));
}

/* ---- Hessians ---- */

static Tensor *jac_rev_x(Tensor *weight, Tensor *bias, Tensor *x) {
    return t_list_get(t_func_jacrev(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
}

static Tensor *jac_fwd_x(Tensor *weight, Tensor *bias, Tensor *x) {
    return t_list_get(t_func_jacfwd(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
}

static void hessians(int64_t Din, int64_t Dout) {
    Tensor *weight = t_randn(Dout, Din);
    Tensor *bias = t_randn(Dout);
    Tensor *x = t_div(t_randn(Din), sqrt((double)Din));

    Tensor *hess_api = t_list_get(t_func_hessian(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
    Tensor *hess_fwdfwd = t_list_get(t_func_jacfwd(jac_fwd_x, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
    Tensor *hess_revrev = t_list_get(t_func_jacrev(jac_rev_x, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
    t_print(t_allclose(hess_api, hess_fwdfwd, .atol = 1e-6));
    t_print(t_allclose(hess_api, hess_revrev, .atol = 1e-6));
    t_print(t_size_repr(hess_api));
    t_print(t_at(hess_api, "0, :3, :3"));
}

/* ---- Batches ---- */

static Tensor *predict_with_output_summed(Tensor *weight, Tensor *bias, Tensor *x) {
    return t_sum(predict(weight, bias, x), 0);
}

static Tensor *hess_x(Tensor *weight, Tensor *bias, Tensor *x) {
    return t_list_get(t_func_hessian(predict, t_list(weight, bias, x), .argnums = t_tuple(2)), 0);
}

static void batch_jacobian(int64_t batch_size, int64_t Din, int64_t Dout) {
    Tensor *weight = t_randn(Dout, Din);
    printf("weight shape = %s\n", t_size_repr(weight));
    Tensor *bias = t_randn(Dout);
    Tensor *x = t_randn(batch_size, Din);

    Tensor *batch_jacobian0 = t_func_vmap(jac_rev_x, t_list(weight, bias, x), .in_dims = t_tuple(T_NONE, T_NONE, 0));
    t_TensorList *summed = t_func_jacrev(predict_with_output_summed, t_list(weight, bias, x), .argnums = t_tuple(2));
    Tensor *batch_jacobian1 = t_movedim(t_list_get(summed, 0), 1, 0);
    t_print(t_allclose(batch_jacobian0, batch_jacobian1));

    Tensor *batch_hess = t_func_vmap(hess_x, t_list(weight, bias, x), .in_dims = t_tuple(T_NONE, T_NONE, 0));
    t_print(t_size_repr(batch_hess));
    t_print(t_at(batch_hess, "0, 0, :3, :3"));
}

/* ---- Hessian-vector products ---- */

static Tensor *f(Tensor *x) {
    return t_sum(t_sin(x));
}

static Tensor *grad_f(Tensor *x) {
    return t_func_grad(f, x);
}

static Tensor *hvp(Tensor *x, Tensor *tangent) {
    return t_func_jvp(grad_f, x, tangent);
}

static Tensor *hvp_revrev(Tensor *x, Tensor *tangent) {
    t_LinearFunction *vjp_fn = t_func_vjp(grad_f, x);
    return t_list_get(t_func_call(vjp_fn, tangent), 0);
}

static void hessian_vector_products(void) {
    Tensor *x = t_randn(2048);
    Tensor *tangent = t_randn(2048);

    Tensor *result_hvp = hvp(x, tangent);
    Tensor *result_hvp_revrev = hvp_revrev(x, tangent);
    t_print(t_allclose(result_hvp, result_hvp_revrev));
    t_print(result_hvp);
}

int main(void) {
    t_manual_seed(0);
    computing_the_jacobian();
    reverse_and_forward(32, 2048);
    reverse_and_forward(2048, 32);
    hessians(256, 32);
    batch_jacobian(64, 31, 33);
    hessian_vector_products();
    return 0;
}
