/* tests/optim/test_optimizers.c: ten steps of the rarer optimizers, with each of their options, against PyTorch
 * (golden/optimizers.txt), and their defaults and errors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/models/optimizer_cases.h"
#include "tests/support/support.h"

/* ---- ten steps ---- */

#define MAKE(name, python, python_options, call, ...)                       \
    static optim_Optimizer *make_##name(t_TensorList *p, t_TensorList *q) { \
        optim_Optimizer *optimizer = call;                                  \
        HOLDS(optim_add_param_group(optimizer, q, __VA_ARGS__));            \
        return optimizer;                                                   \
    }
OPTIMIZER_CASES(MAKE)
#define ROW(name, ...) {#name, make_##name},
static const struct {
    const char *name;
    optim_Optimizer *(*make)(t_TensorList *p, t_TensorList *q);
} cases[] = {OPTIMIZER_CASES(ROW)};
enum { CASES = sizeof cases / sizeof *cases, PARAMS = 3 };

/* Of float16 and bfloat16: float32's, rounded. */
static Tensor *values(const char *kind, const int64_t *shape, int ndim, uint64_t seed, int i, t_DType dtype) {
    if (!tg_is_half(dtype)) return hashed_tensor(kind, shape, ndim, seed, i, dtype);
    return t_requires_grad_(t_to(t_detach(hashed_tensor(kind, shape, ndim, seed, i, t_float32)), dtype), *kind == 'r');
}

/* strided: every other element of a larger tensor. */
static Tensor *parameter(const char *key, int i, t_DType dtype, bool strided) {
    static const int64_t shapes[2][PARAMS][2] = {{{2, 3}, {9}, {2}}, {{4, 16}, {32}, {32}}};
    Tensor *x = values("r", shapes[tg_is_half(dtype)][i], i ? 1 : 2, seed_of(key), i, dtype);
    if (!strided) return x;
    Tensor *y = t_stack(t_list(t_detach(x), t_zeros_like(t_detach(x))), -1);
    return t_requires_grad_(t_detach(t_at(y, "..., 0")), true);
}

/* float16 and bfloat16: each of the operations is rounded as PyTorch's, so that the values are equal. */
static bool compare(const char *name, Tensor *x, GoldenArray *want) {
    if (tg_is_half(x->dtype)) {
        Tensor *wide = t_float(t_detach(x));
        double *got = values_of(wide);
        bool equal = want->count == t_numel(x);
        for (int64_t k = 0; equal && k < want->count; k++)
            if (got[k] != want->values[k] && !(isnan(got[k]) && isnan(want->values[k])))
                note("%s: element %d is %.9g, expected %.9g", name, (int)k, got[k], want->values[k]), equal = false;
        free(got);
        return true;
    }
    return compare_to_golden(name, x, want, VALUE);
}

static void compare_state(const char *section, optim_Optimizer *optimizer, Tensor *const *p) {
    static const char *const names[] = {"step", "square_avg", "acc_delta", "exp_avg", "exp_inf", "exp_avg_sq",
                                        "row_var", "col_var", "variance", "momentum_buffer", "sum",
                                        "max_exp_avg_sq", "grad_avg",
                                        "mu_product", "eta", "mu", "ax", "prev", "step_size"};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char name[32];
            GoldenArray want;
            snprintf(name, sizeof name, "%s.%d", names[k], i);
            Tensor *x = optim_state(optimizer, p[i], names[k]);
            if (golden_array(section, name, &want) != (x != NULL)) note("%s: it is in one of the two only", name);
            else if (x && compare(name, x, &want)) free(want.values);
        }
}

START_TEST(ten_steps_are_pytorchs) {
    for (int strided = 0; strided < 2; strided++)
        for (int d = 0; d < 4; d++) {
            const t_DType dtype = (t_DType[]){t_float32, t_float64, t_float16, t_bfloat16}[d];
            char key[64];
            Tensor *p[PARAMS];
            const char *name = cases[_i].name;
            for (int i = 0; i < PARAMS; i++) p[i] = parameter(name, i, dtype, strided);
            optim_Optimizer *optimizer = cases[_i].make(t_list(p[0]), t_list(p[1], p[2]));
            for (int step = 1; step <= 10; step++) {
                for (int i = 0; i < 2; i++)
                    t_set_grad(p[i], values("R", t_shape(p[i]), (int)t_dim(p[i]), seed_of(name), 10 * step + i,
                                            dtype));
                if (step == 4) t_set_grad(p[1], NULL);
                HOLDS(optim_step(optimizer));
            }
            snprintf(key, sizeof key, "%s %s", name, t_dtype_repr(dtype) + strlen("torch."));
            const char *section = golden_case(golden_file("optimizers.txt"), key);
            ck_assert_msg(section, "%s is not recorded; run tests/golden/record_optimizers.py", key);
            for (int i = 0; i < PARAMS; i++) {
                GoldenArray want;
                snprintf(key, sizeof key, "p%d", i);
                HOLDS(golden_array(section, key, &want));
                compare(key, p[i], &want);
                free(want.values);
            }
            compare_state(section, optimizer, p);
        }
    report_notes();
}
END_TEST

/* ---- a model of bfloat16 ---- */

/* PyTorch's losses are 1.46875, 1.40625, 1.34375, 1.3125, 1.265625, and its norms of the gradients 0.57421875 ...
 * 0.42578125; a sum in another order may round to the next bfloat16. */
START_TEST(a_model_of_bfloat16_trains) {
    static const double losses[] = {1.46875, 1.40625, 1.34375, 1.3125, 1.265625},
                        norms[] = {0.57421875, 0.5234375, 0.484375, 0.453125, 0.42578125};
    t_manual_seed(0);
    nn_Sequential *m = nn_Sequential(nn_Linear(8, 16), nn_LayerNorm(16), nn_GELU(), nn_Linear(16, 4));
    nn_to(m, t_bfloat16);
    optim_Optimizer *muon = optim_Muon(t_list(nn_parameters(m)->items[0])),
                    *adamw = optim_AdamW(nn_parameters(m), .lr = 0.01, .fused = true);
    Tensor *x = t_to(t_randn(32, 8), t_bfloat16), *y = t_randint(0, 4, (32,));
    for (int i = 0; i < 5; i++) {
        Tensor *loss = F_cross_entropy(nn_call(m, x), y);
        optim_zero_grad(adamw);
        t_backward(loss);
        Tensor *norm = nn_utils_clip_grad_norm_(nn_parameters(m), 1);
        HOLDS(optim_step(adamw) && optim_step(muon) && t_dtype(loss) == t_bfloat16 && t_dtype(norm) == t_bfloat16);
        ck_assert_double_eq_tol(t_item(loss), losses[i], 0x1.1p-7);
        ck_assert_double_eq_tol(t_item(norm), norms[i], 0x1.1p-8);
    }
    HOLDS(t_dtype(optim_state(adamw, nn_parameters(m)->items[0], "exp_avg")) == t_bfloat16);
    HOLDS(optim_load_state_dict(optim_AdamW(nn_parameters(m)), optim_state_dict(adamw)));
}
END_TEST

static Tensor *distance(void *optimizer) {
    optim_Optimizer *o = *(optim_Optimizer **)optimizer;
    Tensor *p = o->param_groups[0].params->items[0];
    optim_zero_grad(o);
    Tensor *loss = t_sum(t_square(t_sub(p, 0.5)));
    t_backward(loss);
    return loss;
}

START_TEST(lbfgs_takes_half_precision) {
    for (int d = 0; d < 2; d++) {
        Tensor *p = t_requires_grad_(t_to(t_tensor("[1., -2., 3.]"), d ? t_float16 : t_bfloat16), true);
        optim_Optimizer *o = optim_LBFGS(t_list(p), .max_iter = 3);
        HOLDS(t_item(optim_step(o, distance, &o)) == 12.75 && t_item(optim_step(o, distance, &o)) < 1e-3);
    }
}
END_TEST

/* ---- Muon ---- */

#define MUON(name, python, ...) \
    static optim_Optimizer *make_##name(t_TensorList *p) { return optim_Muon(p, __VA_ARGS__); }
MUON_CASES(MUON)
static const struct {
    const char *name;
    optim_Optimizer *(*make)(t_TensorList *p);
} muons[] = {MUON_CASES(ROW)};

/* The update is a matrix of singular values near 1 that PyTorch rounds to bfloat16 after each product; a sum in another
 * order may round to the next one, 2^-8 of an element, and up to ns_steps times. So a parameter is within 5 steps of lr
 * times the scale times 2^-6 of PyTorch's; the momentum is not rounded. */
START_TEST(muons_are_pytorchs) {
    for (t_DType dtype = t_float32; dtype <= t_float64; dtype++) {
        static const int64_t shapes[2][2] = {{4, 7}, {9, 3}};
        const char *name = muons[_i].name;
        char key[64];
        Tensor *p[2];
        for (int i = 0; i < 2; i++) p[i] = hashed_tensor("r", shapes[i], 2, seed_of(name), i, dtype);
        optim_Optimizer *optimizer = muons[_i].make(t_list(p[0], p[1]));
        for (int step = 1; step <= 5; step++) {
            for (int i = 0; i < 2; i++)
                t_set_grad(p[i], hashed_tensor("R", shapes[i], 2, seed_of(name), 10 * step + i, dtype));
            HOLDS(optim_step(optimizer));
        }
        snprintf(key, sizeof key, "%s %s", name, dtype == t_float32 ? "float32" : "float64");
        const char *section = golden_case(golden_file("optimizers.txt"), key);
        for (int i = 0; i < 2; i++) {
            GoldenArray want;
            const double scale = sqrt(9.0 / 3), tolerance = 5 * optimizer->param_groups[0].lr * scale * 0x1p-6;
            snprintf(key, sizeof key, "p%d", i);
            HOLDS(golden_array(section, key, &want));
            double *got = values_of(p[i]);
            for (int64_t k = 0; k < want.count; k++)
                if (!(fabs(got[k] - want.values[k]) <= tolerance))
                    note("%s %s: element %d is %g, expected %g", name, key, (int)k, got[k], want.values[k]);
            free(got);
            free(want.values);
            snprintf(key, sizeof key, "momentum_buffer.%d", i);
            HOLDS(golden_array(section, key, &want));
            compare_to_golden(key, optim_state(optimizer, p[i], "momentum_buffer"), &want, VALUE);
            free(want.values);
        }
    }
    report_notes();
}
END_TEST

START_TEST(muon_and_adafactor_refuse_and_save) {
    t_TensorList *one = t_list(t_ones(3, .requires_grad = true)), *matrix = t_list(t_ones(2, 3, .requires_grad = true));
    expect_refusal(!optim_Muon(one), "Muon only supports 2D parameters whereas we found a parameter with size: "
                                     "torch.Size([3])");
    expect_refusal(!optim_Muon(matrix, -1), "Learning rate should be >= 0 but is: -1.0");
    expect_refusal(!optim_Muon(matrix, .momentum = -1), "momentum should be >= 0 but is: -1.0");
    expect_refusal(!optim_Muon(matrix, .adjust_lr_fn = "none"), "Adjust learning rate function none is not supported");
    expect_refusal(!optim_Muon(matrix, .weight_decay = -1), "weight decay should be >= 0 but is: -1.0");
    expect_refusal(!optim_Muon(matrix, .ns_steps = 100),
                   "Number of steps must be less than 100 for computational efficiency");
    expect_refusal(!optim_Adafactor(one, .weight_decay = -1), "weight_decay should be >= 0 but is: -1.0");
    expect_refusal(!optim_Adafactor(one, .beta2_decay = 0.5), "beta2_decay should be <= 0 but is: 0.5");
    expect_refusal(!optim_Adafactor(one, .eps = {-1, 0}), "epsilon1 should be >= 0 but is: -1.0");
    expect_refusal(!optim_Adafactor(one, .d = 0.5), "Clipping threshold d should be >= 1 but is: 0.5");
    char name[] = "match_rms_adamw"; /* as from another language, where the text ends with the call */
    optim_Optimizer *muon = optim_Muon(matrix, .adjust_lr_fn = name, .ns_steps = 3);
    memset(name, 'x', sizeof name - 1);
    ck_assert_str_eq(muon->param_groups[0].adjust_lr_fn, "match_rms_adamw");
    optim_Optimizer *other = optim_Muon(matrix), *factor = optim_Adafactor(matrix, .d = 2);
    optim_Optimizer *second = optim_Adafactor(matrix);
    t_set_grad(t_list_get(matrix, 0), t_ones(2, 3));
    HOLDS(optim_step(muon) && optim_step(factor));
    HOLDS(optim_load_state_dict(other, optim_state_dict(muon)));
    HOLDS(optim_load_state_dict(second, optim_state_dict(factor)));
    ck_assert_str_eq(other->param_groups[0].adjust_lr_fn, "match_rms_adamw");
    HOLDS(optim_group_get(other->param_groups, "ns_steps") == 3 && optim_group_get(second->param_groups, "d") == 2);
    Tensor *p = t_list_get(matrix, 0);
    HOLDS(t_equal(optim_state(other, p, "momentum_buffer"), optim_state(muon, p, "momentum_buffer")));
    HOLDS(t_equal(optim_state(second, p, "row_var"), optim_state(factor, p, "row_var")));
    HOLDS(t_item(optim_state(second, p, "step")) == 1);
}
END_TEST

/* The options that select an implementation in PyTorch. */
START_TEST(implementations_may_be_named) {
    t_TensorList *p = t_list(t_ones(3, .requires_grad = true));
    HOLDS(optim_SGD(p, .lr = 0.1, .foreach = true) && optim_Adam(p, .fused = true, .capturable = true));
    HOLDS(optim_AdamW(p, .foreach = false, .differentiable = true) && optim_Rprop(p, .foreach = true));
}
END_TEST

/* ---- what every optimizer has ---- */

START_TEST(defaults_are_pytorchs) {
    t_TensorList *p = t_list(t_ones(3, .requires_grad = true));
    const optim_ParamGroup *g = optim_Adadelta(p)->param_groups;
    HOLDS(g->lr == 1 && g->rho == 0.9 && g->eps == 1e-6 && g->weight_decay == 0 && !g->maximize);
    g = optim_Adamax(p)->param_groups;
    HOLDS(g->lr == 2e-3 && g->betas[0] == 0.9 && g->betas[1] == 0.999 && g->eps == 1e-8 && g->weight_decay == 0);
    g = optim_NAdam(p)->param_groups;
    HOLDS(g->lr == 2e-3 && g->betas[0] == 0.9 && g->betas[1] == 0.999 && g->eps == 1e-8 && g->weight_decay == 0 &&
          g->momentum_decay == 4e-3 && !g->decoupled_weight_decay);
    g = optim_RAdam(p)->param_groups;
    HOLDS(g->lr == 1e-3 && g->betas[0] == 0.9 && g->betas[1] == 0.999 && g->eps == 1e-8 && g->weight_decay == 0 &&
          !g->decoupled_weight_decay);
    g = optim_ASGD(p)->param_groups;
    HOLDS(g->lr == 1e-2 && g->lambd == 1e-4 && g->alpha == 0.75 && g->t0 == 1e6 && g->weight_decay == 0);
    g = optim_Rprop(p)->param_groups;
    HOLDS(g->lr == 1e-2 && g->etas[0] == 0.5 && g->etas[1] == 1.2 && g->step_sizes[0] == 1e-6 &&
          g->step_sizes[1] == 50 && !g->maximize);
}
END_TEST

#define REFUSED(call, message)    \
    do {                          \
        ck_assert_ptr_null(call); \
        expect_error(message);    \
    } while (0)

START_TEST(constructors_refuse) {
    t_TensorList *one = t_list(t_ones(3, .requires_grad = true)), *none = (t_list_new)(NULL, 0);
    REFUSED(optim_Adadelta(none), "optimizer got an empty parameter list");
    REFUSED(optim_Adadelta(one, .lr = -1), "Invalid learning rate: -1.0");
    REFUSED(optim_Adadelta(one, .rho = 1.5), "Invalid rho value: 1.5");
    REFUSED(optim_Adadelta(one, .rho = -0.5), "Invalid rho value: -0.5");
    REFUSED(optim_Adadelta(one, .eps = -1), "Invalid epsilon value: -1.0");
    REFUSED(optim_Adadelta(one, .weight_decay = -1), "Invalid weight_decay value: -1.0");
    REFUSED(optim_Adamax(one, .betas = {1, 0.5}), "Invalid beta parameter at index 0: 1.0");
    REFUSED(optim_Adamax(one, .eps = -1e-8), "Invalid epsilon value: -1e-08");
    REFUSED(optim_NAdam(one, .betas = {0.5, -0.5}), "Invalid beta parameter at index 1: -0.5");
    REFUSED(optim_NAdam(one, .momentum_decay = -1), "Invalid momentum_decay value: -1.0");
    REFUSED(optim_RAdam(one, .weight_decay = -1), "Invalid weight_decay value: -1.0");
    REFUSED(optim_RAdam(one, .lr = (double)NAN), "Invalid learning rate: nan");
    REFUSED(optim_ASGD(one, .lr = -1), "Invalid learning rate: -1.0");
    REFUSED(optim_ASGD(one, .lambd = -1), "Invalid lambd value: -1.0");
    REFUSED(optim_ASGD(one, .alpha = -1), "Invalid alpha value: -1.0");
    REFUSED(optim_ASGD(one, .weight_decay = -1), "Invalid weight_decay value: -1.0");
    REFUSED(optim_Rprop(one, .lr = -1), "Invalid learning rate: -1.0");
    REFUSED(optim_Rprop(one, .etas = {0, 1.2}), "Invalid eta values: 0.0, 1.2");
    REFUSED(optim_Rprop(one, .etas = {0.5, 1}), "Invalid eta values: 0.5, 1.0");
    optim_Rprop(one, .etas = {0.5, 0.75});
    ck_assert_ptr_nonnull(strstr(last_error_text(), "test_optimizers.c:"));
    t_clear_error();
}
END_TEST

static void no_step(optim_Optimizer *self) {
    (void)self;
}

/* A group has the hyperparameters of its algorithm, as a dict has its keys. */
START_TEST(hyperparameters_by_name) {
    Tensor *p = t_ones(3, .requires_grad = true);
    optim_ParamGroup *g = optim_Rprop(t_list(p))->param_groups;
    HOLDS(optim_group_get(g, "etas.1") == 1.2 && optim_group_set(g, "step_sizes.1", 2) && g->step_sizes[1] == 2);
    HOLDS(isnan(optim_group_get(g, "weight_decay")));
    expect_error("KeyError: 'weight_decay'");
    optim_Optimizer *own = optim_Optimizer(t_list(p), no_step, .rho = 0.05, .own = {{"t0", 3}});
    HOLDS(own->param_groups[0].rho == 0.05 && optim_group_get(own->param_groups, "rho") == 0.05);
    HOLDS(optim_group_get(own->param_groups, "t0") == 3 && t_dict_has(optim_state_dict(own), "param_groups.0.rho"));
    optim_Optimizer *asgd = optim_ASGD(t_list(p));
    ck_assert_ptr_null(optim_state(asgd, p, "eta"));
    t_set_grad(p, t_ones(3));
    HOLDS(optim_step(asgd) && t_item(optim_state(asgd, p, "mu")) == 1 && t_item(optim_state(asgd, p, "step")) == 1);
}
END_TEST

/* OneCycleLR cycles beta1 where there are betas, and refuses the others, as in PyTorch. */
START_TEST(schedulers_cycle_beta1) {
    t_TensorList *p = t_list(t_ones(3, .requires_grad = true));
    optim_Optimizer *with[] = {optim_Adamax(p), optim_NAdam(p), optim_RAdam(p)};
    optim_Optimizer *without[] = {optim_Adadelta(p), optim_ASGD(p), optim_Rprop(p)};
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_nonnull(optim_OneCycleLR(with[i], .max_lr = 0.1, .total_steps = 10));
        ck_assert_double_eq_tol(with[i]->param_groups[0].betas[0], 0.95, 1e-15);
        ck_assert_ptr_null(optim_OneCycleLR(without[i], .max_lr = 0.1, .total_steps = 10));
        expect_error("optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
        optim_LRScheduler *scheduler = optim_StepLR(without[i], 1, .gamma = 0.5);
        const double lr = optim_get_lr(without[i]);
        optim_step(without[i]);
        HOLDS(optim_scheduler_step(scheduler) && optim_get_lr(without[i]) == lr / 2);
    }
}
END_TEST

/* ---- hooks around a step ---- */

typedef struct Calls {
    char order[64];
    t_Hook *removed; /* by first */
    bool fails, grad_enabled;
} Calls;

static void note_call(optim_Optimizer *optimizer, Calls *calls, char letter) {
    char text[8];
    calls->grad_enabled = t_is_grad_enabled();
    snprintf(text, sizeof text, "%c%d", letter, (int)optimizer->steps_taken);
    strcat(calls->order, text);
}

static void first(optim_Optimizer *optimizer, void *calls) {
    note_call(optimizer, calls, 'a');
    if (((Calls *)calls)->removed) t_hook_remove(((Calls *)calls)->removed);
}

static void second(optim_Optimizer *optimizer, void *calls) {
    note_call(optimizer, calls, 'b');
    if (((Calls *)calls)->fails) t_fail("not now");
}

static void adds_one(optim_Optimizer *optimizer, void *calls) {
    note_call(optimizer, calls, 'c');
    if (optimizer->steps_taken == 0) optim_register_step_pre_hook(optimizer, second, calls);
}

static Tensor *square(void *p) {
    optim_zero_grad(*(optim_Optimizer **)p);
    Tensor *loss = t_sum(t_square((*(optim_Optimizer **)p)->param_groups[0].params->items[0]));
    t_backward(loss);
    return loss;
}

START_TEST(hooks_are_called_around_each_step) {
    Tensor *p = t_ones(3, .requires_grad = true);
    optim_Optimizer *optimizers[] = {optim_Adamax(t_list(p)), optim_LBFGS(t_list(p), .max_iter = 2),
                                     optim_Optimizer(t_list(p), no_step)};
    for (int i = 0; i < 3; i++) {
        optim_Optimizer *o = optimizers[i];
        Calls calls = {.order = ""};
        optim_register_step_pre_hook(o, first, &calls);
        t_Hook *middle = optim_register_step_pre_hook(o, second, &calls);
        optim_register_step_pre_hook(o, adds_one, &calls);
        optim_register_step_post_hook(o, second, &calls);
        HOLDS(optim_step(o, square, &o) != NULL && calls.grad_enabled);
        ck_assert_str_eq(calls.order, "a0b0c0b1");
        calls.order[0] = 0;
        calls.removed = middle;
        HOLDS(optim_step(o, square, &o) != NULL);
        ck_assert_str_eq(calls.order, "a1c1b1b2"); /* the last of the three is the one that adds_one registered */
        calls.fails = true;
        Tensor *before = t_clone(t_detach(p));
        ck_assert_ptr_null(optim_step(o, square, &o));
        expect_error("not now");
        HOLDS(t_equal(before, t_detach(p)) && o->steps_taken == 2);
    }
    Calls calls = {.fails = true};
    optim_Optimizer *o = optim_Rprop(t_list(p));
    optim_register_step_post_hook(o, second, &calls);
    HOLDS(!optim_step(o) && o->steps_taken == 1);
    expect_error("not now");
    ck_assert_ptr_null(optim_register_step_pre_hook(o, NULL));
    expect_error("argument 2 is NULL where a function is expected");
    ck_assert_ptr_null(optim_register_step_post_hook(NULL, first));
    expect_error("argument 1 is NULL where an optimizer is expected");
}
END_TEST

static void clips(optim_Optimizer *optimizer, void *most) {
    const double limit = *(double *)most;
    for_list (p, optimizer->param_groups[0].params)
        if (t_grad(p)) t_set_grad(p, t_clamp(t_grad(p), -limit, limit));
}

START_TEST(a_hook_may_change_the_gradients) {
    double most = 0.5;
    Tensor *p = t_ones(2, .requires_grad = true);
    optim_Optimizer *o = optim_SGD(t_list(p), .lr = 1);
    t_Hook *hook = optim_register_step_pre_hook(o, clips, &most);
    t_set_grad(p, t_tensor("[3., 0.25]"));
    HOLDS(optim_step(o) && t_equal(t_detach(p), t_tensor("[0.5, 0.75]")));
    HOLDS(t_hook_remove(hook) && optim_step(o) && t_equal(t_detach(p), t_tensor("[0., 0.5]")));
}
END_TEST

Suite *optimizers_suite(void);
Suite *optimizers_suite(void) {
    Suite *suite = suite_create("optimizers");
    TCase *tests = tcase_create("optimizers");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, ten_steps_are_pytorchs, 0, CASES);
    tcase_add_loop_test(tests, muons_are_pytorchs, 0, sizeof muons / sizeof *muons);
    tcase_add_test(tests, a_model_of_bfloat16_trains);
    tcase_add_test(tests, lbfgs_takes_half_precision);
    tcase_add_test(tests, muon_and_adafactor_refuse_and_save);
    tcase_add_test(tests, implementations_may_be_named);
    tcase_add_test(tests, defaults_are_pytorchs);
    tcase_add_test(tests, constructors_refuse);
    tcase_add_test(tests, hyperparameters_by_name);
    tcase_add_test(tests, schedulers_cycle_beta1);
    tcase_add_test(tests, hooks_are_called_around_each_step);
    tcase_add_test(tests, a_hook_may_change_the_gradients);
    suite_add_tcase(suite, tests);
    return suite;
}
