/* tests/nn/parametrize/test_parametrize.c: torch.nn.utils.parametrize: values, gradients, names and errors, printed as
 * PyTorch 2.15 prints these modules. tests/nn/utils/test_prune.c has the values of torch.nn.utils.parametrizations. */
#include <string.h>

#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

typedef struct Symmetric {
    nn_Module base;
} Symmetric;
static Tensor *symmetric_call(Symmetric *self, Tensor *x) {
    (void)self;
    return t_add(t_triu(x), t_t(t_triu(x, 1)));
}
static Symmetric *symmetric(void) {
    return nn_module(Symmetric, symmetric_call);
}

/* With a parameter of its own. */
typedef struct Scaled {
    nn_Module base;
    Tensor *scale;
} Scaled;
static Tensor *scaled_call(Scaled *self, Tensor *x) {
    return t_mul(x, self->scale);
}
static Scaled *scaled(double scale) {
    Scaled *self = nn_module(Scaled, scaled_call);
    nn_set(self, scale, nn_Parameter(t_tensor(scale)));
    return self;
}

typedef struct Summed {
    nn_Module base;
} Summed;
static Tensor *summed_call(Summed *self, Tensor *x) {
    (void)self;
    return t_sum(x, 0);
}

#define REGISTER(layer, name, p) nn_utils_parametrize_register_parametrization(layer, name, p)

static void expect_keys(void *module, const char *keys) {
    t_TensorDict *state = nn_state_dict(module);
    char text[300] = "";
    for (int64_t i = 0; i < state->len; i++) strcat(strcat(text, i ? " " : ""), state->items[i].name);
    ck_assert_str_eq(text, keys);
}

START_TEST(a_weight_is_computed_from_its_original) {
    nn_Linear *layer = nn_Linear(3, 3);
    Tensor *parameter = layer->weight, *x = t_randn(2, 3), *grad;
    HOLDS(REGISTER(layer, "weight", symmetric()) == layer);
    expect_keys(layer, "bias parametrizations.weight.original");
    ck_assert_str_eq(nn_str(layer), "ParametrizedLinear(\n  in_features=3, out_features=3, bias=True\n"
                                    "  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n"
                                    "      (0): Symmetric()\n    )\n  )\n)");
    HOLDS(nn_utils_parametrize_is_parametrized(layer) && nn_utils_parametrize_is_parametrized(layer, "weight") &&
          !nn_utils_parametrize_is_parametrized(layer, "bias"));
    HOLDS(t_equal(layer->weight, t_t(layer->weight)) && layer->weight != parameter);
    Tensor *weight = symmetric_call(NULL, parameter), *y = nn_call(layer, x);
    HOLDS(t_allclose(y, F_linear(x, weight, layer->bias)));
    t_backward(t_sum(t_square(y)));
    grad = t_grad(parameter);
    HOLDS(t_allclose(grad, t_grad(t_sum(t_square(F_linear(x, weight, t_detach(layer->bias)))), parameter)));
    with_no_grad() t_mul_(parameter, 2);
    HOLDS(t_allclose(nn_call(layer, x), F_linear(x, t_mul(weight, 2), layer->bias)));
    const int depth = t_scope_open();
    t_scope_close(depth);
    HOLDS(nn_utils_parametrize_remove_parametrizations(layer, "weight") == layer);
    ck_assert_int_eq(t_scope_open(), depth);
    t_scope_close(depth);
    HOLDS(layer->weight == parameter && t_is_leaf(parameter) && t_equal(parameter, t_t(parameter)));
    expect_keys(layer, "bias weight");
    ck_assert_str_eq(nn_str(layer), "Linear(in_features=3, out_features=3, bias=True)");
    HOLDS(!nn_utils_parametrize_is_parametrized(layer));
}
END_TEST

START_TEST(several_are_applied_in_their_order) {
    nn_Linear *layer = nn_Linear(3, 3);
    Tensor *parameter = layer->weight, *own = t_clone(t_detach(parameter));
    REGISTER(layer, "weight", symmetric());
    REGISTER(layer, "weight", scaled(3));
    REGISTER(layer, "bias", scaled(2));
    expect_keys(layer, "parametrizations.weight.original parametrizations.weight.1.scale "
                       "parametrizations.bias.original parametrizations.bias.0.scale");
    ck_assert_int_eq(nn_parameters(layer)->len, 4);
    Tensor *y = nn_call(layer, t_zeros(1, 3));
    HOLDS(t_allclose(t_select(y, 0, 0), layer->bias));
    HOLDS(t_allclose(layer->weight, t_mul(symmetric_call(NULL, own), 3)));
    nn_utils_parametrize_remove_parametrizations(layer, "weight", false);
    HOLDS(layer->weight == parameter && t_equal(parameter, own) && nn_utils_parametrize_is_parametrized(layer));
    nn_utils_parametrize_remove_parametrizations(layer, "bias");
    expect_keys(layer, "weight bias");
}
END_TEST

START_TEST(refuses_what_does_not_fit) {
    nn_Linear *layer = nn_Linear(3, 3);
    REFUSES(REGISTER(layer, "weight", nn_module(Summed, summed_call)),
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
            "unparametrized shape: torch.Size([3, 3])\nparametrized shape: torch.Size([3])");
    REFUSES(REGISTER(layer, "foo", symmetric()),
            "Module 'Linear(in_features=3, out_features=3, bias=True)' does not have a parameter, a buffer, or a "
            "parametrized element with name 'foo'");
    REFUSES(nn_utils_parametrize_remove_parametrizations(layer, "weight"),
            "Module Linear(in_features=3, out_features=3, bias=True) does not have a parametrization on weight");
    expect_keys(layer, "weight bias");
    REGISTER(layer, "weight", symmetric());
    REFUSES(REGISTER(layer, "weight", nn_module(Summed, summed_call)),
            "Registering a parametrization may not change the shape of the tensor, unless the `unsafe` flag is "
            "enabled.\nmodule.weight.shape: torch.Size([3, 3])\nparametrization(module.weight).shape: torch.Size([3])");
    HOLDS(nn_call(layer, t_ones(1, 3)) != NULL);
}
END_TEST

/* ---- right_inverse ---- */

/* exp(x), so that the tensor stays positive. */
typedef struct Positive {
    nn_Module base;
} Positive;
static Tensor *positive_call(Positive *self, Tensor *x) {
    (void)self;
    return t_exp(x);
}
static Tensor *positive_inverse(void *self, Tensor *x) {
    (void)self;
    return t_log(x);
}
static Positive *positive(void) {
    Positive *self = nn_module(Positive, positive_call);
    self->base.right_inverse = positive_inverse;
    return self;
}

/* x y^T of the tutorial on parametrizations: the best matrix of rank one. */
typedef struct RankOne {
    nn_Module base;
} RankOne;
static Tensor *rank_one_call(RankOne *self, Tensor *x, Tensor *y) {
    (void)self;
    return t_matmul(t_unsqueeze(x, -1), t_unsqueeze(y, -2));
}
static t_TensorList *rank_one_inverse(void *self, Tensor *w) {
    (void)self;
    Tensor *S, *Vh, *U = linalg_svd(w, false, .S = &S, .Vh = &Vh), *s = t_sqrt(t_at(S, "0"));
    return t_list(t_mul(t_at(U, "..., :, 0"), s), t_mul(t_at(Vh, "..., 0, :"), s));
}
static RankOne *rank_one(void) {
    RankOne *self = nn_module2(RankOne, rank_one_call);
    self->base.right_inverse2 = rank_one_inverse;
    return self;
}

START_TEST(the_original_begins_at_the_inverse) {
    nn_Linear *layer = nn_Linear(3, 2);
    Tensor *parameter = layer->weight;
    with_no_grad() t_abs_(parameter);
    Tensor *before = t_clone(t_detach(parameter));
    REGISTER(layer, "weight", positive());
    HOLDS(t_allclose(layer->weight, before) && t_allclose(parameter, t_log(before)));
    HOLDS(nn_utils_parametrize_right_inverse(layer, "weight", t_mul(before, 2)) == layer);
    HOLDS(t_allclose(layer->weight, t_mul(before, 2)) && t_allclose(parameter, t_log(t_mul(before, 2))));
    nn_utils_parametrize_remove_parametrizations(layer, "weight");
    HOLDS(layer->weight == parameter && t_allclose(parameter, t_mul(before, 2)));
}
END_TEST

/* -x */
typedef struct Negated {
    nn_Module base;
} Negated;
static Tensor *negated_call(Negated *self, Tensor *x) {
    (void)self;
    return t_neg(x);
}
static Tensor *negated_inverse(void *self, Tensor *x) {
    return negated_call(self, x);
}
static t_TensorList *negated_inverse2(void *self, Tensor *x) {
    return t_list(negated_call(self, x), x);
}
static Negated *negated(void) {
    Negated *self = nn_module(Negated, negated_call);
    self->base.right_inverse = negated_inverse;
    return self;
}

START_TEST(the_inverses_of_all_are_taken) {
    nn_Linear *layer = nn_Linear(3, 2);
    Tensor *parameter = layer->weight, *value = t_randn(2, 3);
    for_range (i, 0, 101) REGISTER(layer, "weight", negated());
    HOLDS(nn_utils_parametrize_right_inverse(layer, "weight", value) == layer);
    HOLDS(t_equal(layer->weight, value) && t_equal(parameter, t_neg(value)));
}
END_TEST

START_TEST(only_the_first_may_have_two_originals) {
    nn_Linear *layer = nn_Linear(3, 2);
    Negated *first = negated(), *last = negated();
    Tensor *parameter = layer->weight, *before = t_clone(t_detach(parameter));
    REGISTER(layer, "weight", first);
    first->base.right_inverse2 = negated_inverse2;
    REFUSES(nn_utils_parametrize_right_inverse(layer, "weight", t_ones(2, 3)),
            "`right_inverse` should return a tensor. Got list");
    first->base.right_inverse2 = NULL;
    REGISTER(layer, "weight", last);
    last->base.right_inverse2 = negated_inverse2;
    REFUSES(nn_utils_parametrize_right_inverse(layer, "weight", t_ones(2, 3)),
            "right_inverse2 of Negated: only the first parametrization may have it");
    HOLDS(t_equal(parameter, t_neg(before)));
    nn_Linear *split = nn_Linear(3, 2);
    RankOne *two = rank_one();
    REGISTER(split, "weight", two);
    two->base.right_inverse2 = NULL;
    two->base.right_inverse = negated_inverse;
    REFUSES(nn_utils_parametrize_right_inverse(split, "weight", t_ones(2, 3)),
            "'right_inverse' must return a sequence of tensors. Got Tensor.");
}
END_TEST

START_TEST(two_originals) {
    nn_Linear *layer = nn_Linear(3, 2);
    Tensor *before = t_clone(t_detach(layer->weight)), *S, *Vh, *U = linalg_svd(before, false, .S = &S, .Vh = &Vh);
    Tensor *best = t_mul(t_matmul(t_at(U, ":, :1"), t_at(Vh, ":1, :")), t_at(S, "0"));
    REGISTER(layer, "weight", rank_one());
    expect_keys(layer, "bias parametrizations.weight.original0 parametrizations.weight.original1");
    HOLDS(t_allclose(layer->weight, best));
    t_backward(t_sum(nn_call(layer, t_ones(1, 3))));
    for_parameters (p, layer) HOLDS(t_grad(p) != NULL);
    REFUSES(nn_utils_parametrize_remove_parametrizations(layer, "weight", false),
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors.");
    HOLDS(nn_utils_parametrize_right_inverse(layer, "weight", t_mul(best, 3)) && t_allclose(layer->weight,
                                                                                            t_mul(best, 3)));
    nn_utils_parametrize_remove_parametrizations(layer, "weight");
    HOLDS(t_allclose(layer->weight, t_mul(best, 3)) && t_requires_grad(layer->weight) && t_is_leaf(layer->weight));
    expect_keys(layer, "bias weight");
}
END_TEST

/* x in another dtype, or its first column; as a right_inverse too. */
static Tensor *double_call(Negated *self, Tensor *x) {
    (void)self;
    return t_double(x);
}
static Tensor *column_call(Negated *self, Tensor *x) {
    (void)self;
    return t_at(x, "..., :1");
}
static Tensor *same_call(Negated *self, Tensor *x) {
    (void)self;
    return t_mul(x, 1);
}
static Tensor *double_inverse(void *self, Tensor *x) {
    return double_call(self, x);
}
static Tensor *column_inverse(void *self, Tensor *x) {
    return column_call(self, x);
}
static t_TensorList *three_inverse2(void *self, Tensor *x) {
    (void)self;
    return t_list(x, x, x);
}
static t_TensorList *no_inverse2(void *self, Tensor *x) {
    (void)self, (void)x;
    return NULL;
}
static Negated *with_inverse(nn_Forward inverse, t_TensorList *(*inverse2)(void *, Tensor *)) {
    Negated *self = nn_module(Negated, same_call);
    self->base.right_inverse = inverse;
    self->base.right_inverse2 = inverse2;
    return self;
}

START_TEST(dtypes_and_shapes_are_checked) {
    nn_Linear *layer = nn_Linear(3, 2);
    Tensor *parameter = layer->weight, *before = t_clone(t_detach(parameter));
#define REGISTERED(parametrization) nn_utils_parametrize_register_parametrization(layer, "weight", parametrization)
    REFUSES(REGISTERED(nn_module(Negated, double_call)),
            "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
            "unparametrized dtype: torch.float32\nparametrized dtype: torch.float64");
    REFUSES(REGISTERED(nn_module(Negated, column_call)),
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
            "unparametrized shape: torch.Size([2, 3])\nparametrized shape: torch.Size([2, 1])");
    REFUSES(REGISTERED(with_inverse(double_inverse, NULL)),
            "When `right_inverse` outputs one tensor, it may not change the dtype.\noriginal.dtype: torch.float32\n"
            "right_inverse(original).dtype: torch.float64");
    REFUSES(REGISTERED(with_inverse(NULL, three_inverse2)),
            "right_inverse2 of Negated must return a list of two");
    REFUSES(REGISTERED(with_inverse(NULL, no_inverse2)), "right_inverse2 of Negated must return a list of two");
    HOLDS(layer->weight == parameter && t_equal(parameter, before));
    REGISTER(layer, "weight", negated());
    REFUSES(REGISTERED(nn_module(Negated, double_call)),
            "Registering a parametrization may not change the dtype of the tensor, unless the `unsafe` flag is "
            "enabled.\nmodule.weight.dtype: torch.float32\nparametrization(module.weight).dtype: torch.float64");
    REFUSES(REGISTERED(nn_module(Negated, column_call)),
            "Registering a parametrization may not change the shape of the tensor, unless the `unsafe` flag is "
            "enabled.\nmodule.weight.shape: torch.Size([2, 3])\n"
            "parametrization(module.weight).shape: torch.Size([2, 1])");
    REFUSES(REGISTERED(with_inverse(double_inverse, NULL)),
            "The tensor returned by parametrization.right_inverse must have the same dtype as module.weight, unless "
            "the `unsafe` flag is enabled.\nmodule.weight.dtype: torch.float32\nreturned dtype: torch.float64");
    REFUSES(REGISTERED(with_inverse(column_inverse, NULL)),
            "The tensor returned by parametrization.right_inverse must have the same shape as module.weight, unless "
            "the `unsafe` flag is enabled.\nmodule.weight.shape: torch.Size([2, 3])\n"
            "returned shape: torch.Size([2, 1])");
#undef REGISTERED
    HOLDS(t_allclose(layer->weight, before));
    Negated *changing = negated();
    nn_Linear *other = nn_Linear(3, 2);
    REGISTER(other, "weight", changing);
    changing->base.right_inverse = double_inverse;
    REFUSES(nn_utils_parametrize_right_inverse(other, "weight", t_ones(2, 3)),
            "The tensor returned by `right_inverse` has dtype torch.float64 while `original` has dtype torch.float32");
    nn_Linear *square = nn_Linear(3, 3), *cayley = nn_Linear(3, 3);
    nn_utils_parametrizations_orthogonal(square, "weight");
    REFUSES(nn_utils_parametrize_right_inverse(square, "weight", t_ones(2, 2)),
            "Expected a matrix or batch of matrices of shape torch.Size([3, 3]). Got a tensor of shape torch.Size([2, "
            "2]).");
    nn_utils_parametrizations_orthogonal(cayley, "weight", .orthogonal_map = "cayley", .use_trivialization = false);
    REFUSES(nn_utils_parametrize_right_inverse(cayley, "weight", t_eye(3)),
            "parametrization _Orthogonal does not implement right_inverse.");
}
END_TEST

START_TEST(inverses_are_checked) {
    nn_Linear *layer = nn_Linear(3, 3);
    REGISTER(layer, "weight", symmetric());
    REFUSES(nn_utils_parametrize_right_inverse(layer, "weight", t_ones(3, 3)),
            "parametrization Symmetric does not implement right_inverse.");
    REFUSES(nn_utils_parametrize_right_inverse(layer, "bias", t_ones(3)),
            "Module ParametrizedLinear(\n  in_features=3, out_features=3, bias=True\n"
            "  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n      (0): Symmetric()\n    )\n"
            "  )\n) does not have a parametrization on bias");
}
END_TEST

/* ---- torch.nn.utils.parametrizations ---- */

START_TEST(parametrizations_print_as_pytorchs) {
    nn_Linear *layer = nn_Linear(3, 4);
    nn_utils_parametrizations_orthogonal(layer);
    nn_utils_parametrizations_spectral_norm(layer, "bias");
    nn_utils_parametrizations_spectral_norm(layer);
    ck_assert_str_eq(nn_str(layer),
                     "ParametrizedLinear(\n  in_features=3, out_features=4, bias=True\n"
                     "  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n"
                     "      (0): _Orthogonal()\n      (1): _SpectralNorm()\n    )\n"
                     "    (bias): ParametrizationList(\n      (0): _SpectralNorm()\n    )\n  )\n)");
    nn_Linear *copy = nn_deepcopy(layer);
    ck_assert_str_eq(nn_str(copy), nn_str(layer));
    Tensor *x = t_randn(2, 3);
    nn_eval(copy);
    nn_eval(layer);
    HOLDS(t_equal(nn_call(copy, x), nn_call(layer, x)) && copy->weight != layer->weight);
    nn_Linear *other = nn_utils_parametrizations_weight_norm(nn_Linear(3, 4));
    ck_assert_str_eq(nn_str(other), "ParametrizedLinear(\n  in_features=3, out_features=4, bias=True\n"
                                    "  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n"
                                    "      (0): _WeightNorm()\n    )\n  )\n)");
    HOLDS(nn_load_state_dict(other, nn_state_dict(nn_utils_weight_norm(nn_Linear(3, 4)))));
    expect_keys(other, "bias parametrizations.weight.original0 parametrizations.weight.original1");
}
END_TEST

START_TEST(parametrizations_refuse) {
    nn_Linear *layer = nn_Linear(3, 4);
    REFUSES(nn_utils_parametrizations_orthogonal(layer, "bias"),
            "Expected a matrix or batch of matrices. Got a tensor of 1 dimensions.");
    REFUSES(nn_utils_parametrizations_orthogonal(layer, "weight", "qr"),
            "orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: qr");
    REFUSES(nn_utils_parametrizations_orthogonal(layer, "foo"),
            "Module 'Linear(in_features=3, out_features=4, bias=True)' has no parameter or buffer with name 'foo'");
    REFUSES(nn_utils_parametrizations_spectral_norm(layer, .n_power_iterations = 0),
            "Expected n_power_iterations to be positive, but got n_power_iterations=0");
    REFUSES(nn_utils_parametrizations_spectral_norm(layer, .dim = 2),
            "Dimension out of range (expected to be in range of [-2, 1] but got 2)");
    REFUSES(nn_utils_spectral_norm(layer, .n_power_iterations = 0),
            "Expected n_power_iterations to be positive, but got n_power_iterations=0");
    REFUSES(nn_utils_remove_spectral_norm(layer),
            "spectral_norm of 'weight' not found in Linear(in_features=3, out_features=4, bias=True)");
    expect_keys(layer, "weight bias");
    nn_utils_spectral_norm(layer);
    REFUSES(nn_utils_spectral_norm(layer), "Cannot register two spectral_norm hooks on the same parameter weight");
    nn_Linear *plain = nn_Linear(3, 3);
    nn_utils_parametrizations_orthogonal(plain, .orthogonal_map = "cayley", .use_trivialization = false);
    HOLDS(nn_utils_parametrize_right_inverse(plain, "weight", t_ones(3, 3)) == NULL);
    t_clear_error();
}
END_TEST

static Tensor *negative(nn_Module *self, Tensor *x) {
    (void)self;
    return (t_neg)(x);
}

static bool register_and_remove(void *unused) {
    (void)unused;
    const int depth = t_scope_open();
    nn_Linear *layer = depth ? nn_Linear_new(3, 3, NULL) : NULL;
    nn_Module *p = layer ? nn_module_new(sizeof(nn_Module), "Negative", (nn_Forward)negative) : NULL;
    Tensor *x = p ? (t_ones)((int64_t[]){1, 3}, 2, NULL) : NULL;
    const bool done = x && (nn_utils_parametrize_register_parametrization)(layer, "weight", p, false) &&
                      (nn_call)(layer, x) &&
                      (nn_utils_parametrize_remove_parametrizations)(layer, "weight", true);
    t_scope_close(depth);
    return done;
}

static bool normalise_and_orthogonalise(void *unused) {
    (void)unused;
    const int depth = t_scope_open();
    nn_Linear *layer = depth ? nn_Linear_new(3, 2, NULL) : NULL, *other = layer ? nn_Linear_new(2, 2, NULL) : NULL;
    Tensor *x = other ? (t_ones)((int64_t[]){1, 3}, 2, NULL) : NULL;
    const bool done = x && (nn_utils_parametrizations_orthogonal)(layer, "weight", NULL, true) &&
                      (nn_utils_parametrizations_spectral_norm)(layer, "weight", 1, 1e-12, T_NONE) &&
                      (nn_utils_parametrizations_weight_norm)(other, "weight", 0) &&
                      (nn_utils_spectral_norm)(other, "bias", 1, 1e-12, T_NONE) &&
                      (nn_call)(other, (nn_call)(layer, x)) && (nn_utils_remove_spectral_norm)(other, "bias") &&
                      (nn_utils_parametrize_remove_parametrizations)(layer, "weight", true);
    t_scope_close(depth);
    return done;
}

typedef struct Kept {
    nn_Linear *layer;
    nn_Module *parametrization;
    Tensor *values;
    const char *what;
} Kept;

static bool changes(void *with) {
    const Kept *k = with;
    if (strcmp(k->what, "register") == 0)
        return (nn_utils_parametrize_register_parametrization)(k->layer, "weight", k->parametrization, false);
    if (strcmp(k->what, "remove") == 0) return (nn_utils_parametrize_remove_parametrizations)(k->layer, "weight", true);
    if (strcmp(k->what, "weight_norm") == 0) return (nn_utils_weight_norm)(k->layer, "weight", 0);
    if (strcmp(k->what, "spectral_norm") == 0) return (nn_utils_spectral_norm)(k->layer, "weight", 1, 1e-12, T_NONE);
    if (strcmp(k->what, "new weight_norm") == 0) return (nn_utils_parametrizations_weight_norm)(k->layer, "weight", 0);
    return (nn_utils_prune_l1_unstructured)(k->layer, "weight", T_NONE, 0.5, NULL);
}

/* No list of hooks is left, and the weight has its values. */
static bool is_plain(void *with) {
    const Kept *k = with;
    return !k->layer->base.hooks && t_equal(k->layer->weight, k->values);
}

static bool is_parametrized(void *with) {
    const Kept *k = with;
    return nn_utils_parametrize_is_parametrized(k->layer, "weight") &&
           t_equal(nn_get_parameter(k->layer, "parametrizations.weight.original"), k->values);
}

START_TEST(without_memory_a_module_has_its_values_and_no_hook) {
    static const char *const all[] = {"register", "weight_norm", "spectral_norm", "new weight_norm", "prune"};
    for (int i = 0; i < 5; i++) {
        nn_Linear *layer = nn_Linear(3, 3);
        Kept k = {layer, nn_module_new(sizeof(nn_Module), "Negative", (nn_Forward)negative), t_clone(layer->weight),
                  all[i]};
        refuse_all(all[i], changes, is_plain, &k);
        if (i > 0) continue;
        k.what = "remove";
        refuse_all("remove", changes, is_parametrized, &k);
        HOLDS(t_equal(layer->weight, t_neg(k.values)));
    }
    report_notes();
}
END_TEST

START_TEST(a_parametrization_may_be_lazy) {
    nn_Linear *layer = nn_Linear(3, 4);
    REGISTER(layer, "weight", nn_LazyBatchNorm1d());
    ck_assert_int_eq(t_numel(nn_get_buffer(layer, "parametrizations.weight.0.running_mean")), 3);
}
END_TEST

typedef struct Assigned {
    nn_Linear *layer;
    Tensor *originals, *value;
} Assigned;

static bool assigns(void *with) {
    const Assigned *a = with;
    return (nn_utils_parametrize_right_inverse)(a->layer, "weight", a->value);
}

static bool has_its_originals(void *with) {
    const Assigned *a = with;
    return t_equal(nn_utils_parameters_to_vector(nn_parameters(a->layer)), a->originals);
}

static bool is_removed(void *with) {
    const Assigned *a = with;
    return (nn_utils_parametrize_remove_parametrizations)(a->layer, "weight", true);
}

static bool has_its_vector(void *with) {
    const Assigned *a = with;
    return t_equal(nn_get_buffer(a->layer, "parametrizations.weight.0._u"), a->value);
}

/* The vectors of a spectral norm in training take a step at each forward. */
START_TEST(without_memory_no_step_is_taken) {
    Assigned a = {.layer = nn_Linear(4, 3)};
    nn_utils_parametrizations_spectral_norm(a.layer, "weight");
    a.value = t_clone(nn_get_buffer(a.layer, "parametrizations.weight.0._u"));
    refuse_all("remove_parametrizations", is_removed, has_its_vector, &a);
    report_notes();
}
END_TEST

START_TEST(without_memory_no_original_is_assigned) {
    for (int two = 0; two < 2; two++) {
        Assigned a = {.layer = nn_Linear(3, 3), .value = t_ones(3, 3)};
        if (two)
            REGISTER(a.layer, "weight", rank_one());
        else
            REGISTER(a.layer, "weight", negated());
        a.originals = t_clone(t_detach(nn_utils_parameters_to_vector(nn_parameters(a.layer))));
        refuse_all("right_inverse", assigns, has_its_originals, &a);
        HOLDS(t_allclose(a.layer->weight, a.value, .atol = 1e-6));
    }
    report_notes();
}
END_TEST

START_TEST(every_failing_allocation_is_harmless) {
    refuse_all("parametrize", register_and_remove, NULL, NULL);
    refuse_all("parametrizations", normalise_and_orthogonalise, NULL, NULL);
    report_notes();
}
END_TEST

Suite *parametrize_suite(void) {
    Suite *suite = suite_create("parametrize");
    TCase *tests = tcase_create("parametrize");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_weight_is_computed_from_its_original);
    tcase_add_test(tests, several_are_applied_in_their_order);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, the_original_begins_at_the_inverse);
    tcase_add_test(tests, the_inverses_of_all_are_taken);
    tcase_add_test(tests, only_the_first_may_have_two_originals);
    tcase_add_test(tests, two_originals);
    tcase_add_test(tests, inverses_are_checked);
    tcase_add_test(tests, dtypes_and_shapes_are_checked);
    tcase_add_test(tests, parametrizations_print_as_pytorchs);
    tcase_add_test(tests, parametrizations_refuse);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    tcase_add_test(tests, without_memory_a_module_has_its_values_and_no_hook);
    tcase_add_test(tests, a_parametrization_may_be_lazy);
    tcase_add_test(tests, without_memory_no_original_is_assigned);
    tcase_add_test(tests, without_memory_no_step_is_taken);
    suite_add_tcase(suite, tests);
    return suite;
}
