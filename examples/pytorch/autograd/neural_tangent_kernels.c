/* examples/pytorch/autograd/neural_tangent_kernels.c: "Neural tangent kernels": J(x1) J(x2)^T of a network's outputs
 * with respect to its parameters, by contraction of both Jacobians, and by products with vectors.
 *
 * Difficulty: ***     Read first: per_sample_gradients     Read next: forward_mode */
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"

typedef struct CNN {
    nn_Module base;
    nn_Conv2d *conv1, *conv2, *conv3;
    nn_Linear *fc;
} CNN;

static Tensor *cnn_call(CNN *self, Tensor *x) {
    x = nn_call(self->conv1, x);
    x = t_relu(x);
    x = nn_call(self->conv2, x);
    x = t_relu(x);
    x = nn_call(self->conv3, x);
    x = t_flatten(x, 1);
    x = nn_call(self->fc, x);
    return x;
}

static CNN *cnn(void) {
    CNN *self = nn_module(CNN, cnn_call);
    nn_set(self, conv1, nn_Conv2d(3, 32, (3, 3)));
    nn_set(self, conv2, nn_Conv2d(32, 32, (3, 3)));
    nn_set(self, conv3, nn_Conv2d(32, 32, (3, 3)));
    nn_set(self, fc, nn_Linear(3200, 10));
    return self;
}

/* What the functions below capture: the network at one input. */
typedef struct Net {
    CNN *net;
    t_TensorDict *params;
    Tensor *x;
} Net;

static Tensor *fnet_single(t_TensorDict *params, void *context) {
    const Net *of = context;
    return t_squeeze(t_func_functional_call(of->net, params, t_unsqueeze(of->x, 0)), 0);
}

/* ---- Jacobian contraction ---- */

static t_TensorList *jacobian_rows(t_TensorList *inputs, void *context) {
    Net of = *(const Net *)context;
    of.x = t_list_get(inputs, 0);
    t_TensorDict *jac = t_func_jacrev(fnet_single, of.params, .context = &of);
    t_TensorList *rows = t_list();
    for_items (j, jac) t_list_append(rows, t_flatten(j->tensor, 1));
    return rows;
}

static const char *einsum_expr(const char *compute) {
    if (strcmp(compute, "full") == 0) return "Naf,Mbf->NMab";
    if (strcmp(compute, "trace") == 0) return "Naf,Maf->NM";
    if (strcmp(compute, "diagonal") != 0) return t_fail("compute is '%s'", compute);
    return "Naf,Maf->NMa";
}

static Tensor *empirical_ntk_jacobian_contraction(Net *net, Tensor *x1, Tensor *x2, const char *compute) {
    t_TensorList *jac1 = t_func_vmap(jacobian_rows, t_list(x1), .context = net);
    t_TensorList *jac2 = t_func_vmap(jacobian_rows, t_list(x2), .context = net);

    t_TensorList *result = t_list();
    for_range (k, jac1->len)
        t_list_append(result, t_einsum(einsum_expr(compute), t_list_get(jac1, k), t_list_get(jac2, k)));
    return t_sum(t_stack(result), 0);
}

/* ---- NTK-vector products: a column of J(x1) J(x2)^T is J(x2) (vec^T J(x1)) ---- */

typedef struct Pair {
    Net *net;
    Tensor *x1, *x2;
    t_LinearFunction *vjp_fn;
} Pair;

static Tensor *get_ntk_slice(Tensor *vec, void *context) {
    const Pair *of = context;
    Net func_x2 = {of->net->net, of->net->params, of->x2};

    t_TensorList *vjps = t_func_call(of->vjp_fn, vec);
    Tensor *jvps = t_func_jvp(fnet_single, func_x2.params, vjps, .context = &func_x2);
    return jvps;
}

static Tensor *get_ntk(Tensor *x2, void *context) {
    Pair of = *(const Pair *)context;
    Net func_x1 = {of.net->net, of.net->params, of.x1};

    Tensor *output;
    of.vjp_fn = t_func_vjp(fnet_single, func_x1.params, .context = &func_x1, .output = &output);
    Tensor *basis = t_view(t_eye(t_numel(output), .dtype = t_dtype(output)), t_numel(output), -1);
    of.x2 = x2;
    return t_func_vmap(get_ntk_slice, basis, .context = &of);
}

static Tensor *get_ntk_row(Tensor *x1, void *context) {
    Pair of = *(const Pair *)context;
    of.x1 = x1;
    return t_func_vmap(get_ntk, of.x2, .context = &of);
}

static Tensor *empirical_ntk_ntk_vps(Net *net, Tensor *x1, Tensor *x2, const char *compute) {
    Tensor *result = t_func_vmap(get_ntk_row, x1, .context = &(Pair){.net = net, .x2 = x2});
    if (strcmp(compute, "full") == 0) return result;
    if (strcmp(compute, "trace") == 0) return t_einsum("NMKK->NM", result);
    if (strcmp(compute, "diagonal") != 0) return t_fail("compute is '%s'", compute);
    return t_einsum("NMKK->NMK", result);
}

static void kernels(void) {
    Tensor *x_train = t_randn(8, 3, 16, 16);
    Tensor *x_test = t_randn(4, 3, 16, 16);

    Net net = {.net = cnn()};
    net.params = t_dict();
    for_named (v, nn_named_parameters(net.net)) t_dict_set(net.params, v->name, t_detach(v->tensor));

    Tensor *result = empirical_ntk_jacobian_contraction(&net, x_train, x_test, "full");
    t_print(t_size_repr(result));
    t_print(t_at(result, "0, 0, 0"));

    Tensor *result_from_jacobian_contraction = empirical_ntk_jacobian_contraction(&net, x_test, x_train, "full");
    Tensor *result_from_ntk_vps = empirical_ntk_ntk_vps(&net, x_test, x_train, "full");
    t_print(t_allclose(result_from_jacobian_contraction, result_from_ntk_vps, .atol = 1e-4));

    static const char *const ways[] = {"trace", "diagonal"};
    for_range (way, 2) {
        const char *compute = ways[way];
        result_from_jacobian_contraction = empirical_ntk_jacobian_contraction(&net, x_test, x_train, compute);
        result_from_ntk_vps = empirical_ntk_ntk_vps(&net, x_test, x_train, compute);
        t_print(compute, t_size_repr(result_from_ntk_vps));
        t_print(t_allclose(result_from_jacobian_contraction, result_from_ntk_vps, .atol = 1e-4));
        t_print(t_at(result_from_ntk_vps, "0, 0"));
    }
}

int main(void) {
    t_manual_seed(0);
    kernels();
    return 0;
}
