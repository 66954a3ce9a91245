/* examples/pytorch/training/parametrizations.c: "Parametrizations tutorial".
 *
 * Difficulty: **     Read first: learning/blitz_neural_networks     Read next: training/checkpointing */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

static Tensor *symmetric_of(Tensor *X) {
    return t_add(t_triu(X), t_transpose(t_triu(X, 1), -1, -2));
}

/* ---- By hand ---- */

typedef struct LinearSymmetric {
    nn_Module base;
    Tensor *weight;
} LinearSymmetric;

static Tensor *linear_symmetric_call(LinearSymmetric *self, Tensor *x) {
    Tensor *A = symmetric_of(self->weight);
    return t_matmul(x, A);
}

static LinearSymmetric *linear_symmetric(int64_t n_features) {
    LinearSymmetric *self = nn_module(LinearSymmetric, linear_symmetric_call);
    nn_set(self, weight, nn_Parameter(t_rand(n_features, n_features)));
    return self;
}

/* ---- Modules that compute a weight from another tensor, and back (right_inverse) ---- */

typedef struct Symmetric {
    nn_Module base;
} Symmetric;

static Tensor *symmetric_call(Symmetric *self, Tensor *X) {
    (void)self;
    return t_add(t_triu(X), t_transpose(t_triu(X, 1), -1, -2));
}

static Tensor *symmetric_right_inverse(void *self, Tensor *A) {
    (void)self;
    return t_triu(A);
}

static Symmetric *symmetric(void) {
    Symmetric *self = nn_module(Symmetric, symmetric_call);
    self->base.right_inverse = symmetric_right_inverse;
    return self;
}

typedef struct Skew {
    nn_Module base;
} Skew;

static Tensor *skew_call(Skew *self, Tensor *X) {
    (void)self;
    Tensor *A = t_triu(X, 1);
    return t_sub(A, t_transpose(A, -1, -2));
}

static Tensor *skew_right_inverse(void *self, Tensor *A) {
    (void)self;
    return t_triu(A, 1);
}

static Skew *skew(void) {
    Skew *self = nn_module(Skew, skew_call);
    self->base.right_inverse = skew_right_inverse;
    return self;
}

typedef struct MatrixExponential {
    nn_Module base;
} MatrixExponential;

static Tensor *matrix_exponential_call(MatrixExponential *self, Tensor *X) {
    (void)self;
    return t_matrix_exp(X);
}

static MatrixExponential *matrix_exponential(void) {
    MatrixExponential *self = nn_module(MatrixExponential, matrix_exponential_call);
    return self;
}

typedef struct CayleyMap {
    nn_Module base;
    Tensor *Id;
} CayleyMap;

/* (I - X)^-1 (I + X), orthogonal where X is skew-symmetric */
static Tensor *cayley_map_call(CayleyMap *self, Tensor *X) {
    return linalg_solve(t_sub(self->Id, X), t_add(self->Id, X));
}

static Tensor *cayley_map_right_inverse(void *map, Tensor *A) {
    CayleyMap *self = map;
    return linalg_solve(t_add(A, self->Id), t_sub(A, self->Id));
}

static CayleyMap *cayley_map(int64_t n) {
    CayleyMap *self = nn_module(CayleyMap, cayley_map_call);
    nn_register_buffer(self, Id, t_eye(n));
    self->base.right_inverse = cayley_map_right_inverse;
    return self;
}

typedef struct PruningParametrization {
    nn_Module base;
    Tensor *mask;
} PruningParametrization;

static Tensor *pruning_parametrization_call(PruningParametrization *self, Tensor *X) {
    return t_mul(X, self->mask);
}

static Tensor *pruning_parametrization_right_inverse(void *self, Tensor *A) {
    (void)self;
    return A;
}

static PruningParametrization *pruning_parametrization(Tensor *X, double p_drop) {
    PruningParametrization *self = nn_module(PruningParametrization, pruning_parametrization_call);
    Tensor *mask = t_full_like(X, 1.0 - p_drop);
    nn_register_buffer(self, mask, t_bernoulli(mask));
    self->base.right_inverse = pruning_parametrization_right_inverse;
    return self;
}

/* ---- The tutorial ---- */

static void by_hand(void) {
    Tensor *X = t_rand(3, 3);
    Tensor *A = symmetric_of(X);
    t_print(t_allclose(A, t_t(A)));
    t_print(A);

    LinearSymmetric *layer = linear_symmetric(3);
    Tensor *out = nn_call(layer, t_rand(8, 3));
    t_print(t_size_repr(out));
}

static void with_a_parametrization(void) {
    nn_Linear *layer = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer, "weight", symmetric());
    Tensor *A = layer->weight;
    t_print(t_allclose(A, t_t(A)));
    t_print(t_detach(A));

    nn_Conv2d *cnn = nn_Conv2d(.in_channels = 5, .out_channels = 8, .kernel_size = 3);
    nn_utils_parametrize_register_parametrization(cnn, "weight", skew());
    t_print(t_detach(t_at(cnn->weight, "0, 1")));
    t_print(t_detach(t_at(cnn->weight, "2, 2")));
}

static void inspecting(void) {
    nn_Linear *layer = nn_Linear(3, 3);
    printf("Unparametrized:\n%s\n", nn_str(layer));
    nn_utils_parametrize_register_parametrization(layer, "weight", symmetric());
    printf("\nParametrized:\n%s\n", nn_str(layer));
    for_named (p, nn_named_parameters(layer)) printf("%s %s\n", p->name, t_size_repr(p->tensor));
    for_items (name, nn_state_dict(layer)) puts(name->name);
    t_print(nn_utils_parametrize_is_parametrized(layer), nn_utils_parametrize_is_parametrized(layer, "bias"));
}

static double orthogonality(Tensor *X) {
    return t_item(t_dist(t_matmul(t_t(X), X), t_eye(3)));
}

static void first_class(void) {
    nn_Linear *layer_orthogonal = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer_orthogonal, "weight", skew());
    nn_utils_parametrize_register_parametrization(layer_orthogonal, "weight", matrix_exponential());
    Tensor *X = layer_orthogonal->weight;
    t_print((bool)(orthogonality(X) < 1e-5));

    nn_Linear *layer_sequential = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer_sequential, "weight",
                                                  nn_Sequential(skew(), matrix_exponential()));
    X = layer_sequential->weight;
    t_print((bool)(orthogonality(X) < 1e-5));

    nn_Linear *layer_spd = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer_spd, "weight", symmetric());
    nn_utils_parametrize_register_parametrization(layer_spd, "weight", matrix_exponential());
    X = layer_spd->weight;
    t_print((bool)(t_item(t_dist(X, t_t(X))) < 1e-5));
    t_print(t_is_true(t_all(t_gt(linalg_eigvalsh(X), 0.0))));
}

static void cayley(void) {
    nn_Linear *layer = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer, "weight", skew());
    nn_utils_parametrize_register_parametrization(layer, "weight", cayley_map(3));
    Tensor *X = layer->weight;
    t_print((bool)(orthogonality(X) < 1e-5));
}

static void right_inverse(void) {
    nn_Linear *layer = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer, "weight", skew());
    Tensor *X = t_rand(3, 3);
    X = t_sub(X, t_t(X));
    nn_utils_parametrize_right_inverse(layer, "weight", X);
    t_print((bool)(t_item(t_dist(layer->weight, X)) < 1e-6));

    nn_Linear *layer_orthogonal = nn_Linear(3, 3);
    nn_utils_parametrize_register_parametrization(layer_orthogonal, "weight", skew());
    nn_utils_parametrize_register_parametrization(layer_orthogonal, "weight", cayley_map(3));
    X = t_empty(3, 3);
    nn_init_orthogonal_(X);
    if (t_item(t_det(X)) < 0.0) t_neg_(t_at(X, "0"));
    nn_utils_parametrize_right_inverse(layer_orthogonal, "weight", X);
    t_print((bool)(t_item(t_dist(layer_orthogonal->weight, X)) < 1e-5));

    layer = nn_Linear(3, 4);
    X = t_rand_like(layer->weight);
    printf("Initialization matrix:\n%s\n", t_str(X));
    nn_utils_parametrize_register_parametrization(layer, "weight", pruning_parametrization(layer->weight, 0.2));
    nn_utils_parametrize_right_inverse(layer, "weight", X);
    printf("\nInitialized weight:\n%s\n", t_str(t_detach(layer->weight)));
}

static void training(void) {
    nn_Linear *layer = nn_Linear(3, 3, .bias = false);
    nn_utils_parametrize_register_parametrization(layer, "weight", skew());
    nn_utils_parametrize_register_parametrization(layer, "weight", cayley_map(3));
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(layer), .lr = 0.05);
    Tensor *x = t_randn(64, 3);
    Tensor *y = t_matmul(x, t_tensor("[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]"));
    for_range (step, 100) {
        Tensor *loss = t_mean(t_square(t_sub(nn_call(layer, x), y)));
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
        if (step % 25 == 24)
            printf("step %d: %.4f, orthogonal: %s\n", (int)step + 1, t_item(loss),
                   orthogonality(layer->weight) < 1e-5 ? "True" : "False");
    }
}

static void removing(void) {
    nn_Linear *layer = nn_Linear(3, 3);
    printf("Before:\n%s\n%s\n", nn_str(layer), t_str(t_detach(layer->weight)));
    nn_utils_parametrize_register_parametrization(layer, "weight", skew());
    printf("\nParametrized:\n%s\n%s\n", nn_str(layer), t_str(t_detach(layer->weight)));
    nn_utils_parametrize_remove_parametrizations(layer, "weight");
    printf("\nAfter. Weight has skew-symmetric values but it is unconstrained:\n%s\n%s\n", nn_str(layer),
           t_str(t_detach(layer->weight)));

    layer = nn_Linear(3, 3);
    printf("\nBefore:\n%s\n", t_str(t_detach(layer->weight)));
    nn_utils_parametrize_register_parametrization(layer, "weight", skew());
    nn_utils_parametrize_remove_parametrizations(layer, "weight", .leave_parametrized = false);
    printf("\nAfter. The original, of which Skew uses the upper triangle:\n%s\n", t_str(t_detach(layer->weight)));
}

int main(void) {
    t_manual_seed(0);
    by_hand();
    with_a_parametrization();
    inspecting();
    first_class();
    cayley();
    right_inverse();
    training();
    removing();
    return 0;
}
