/* tests/func/test_func.c: torch.autograd.functional, torch.func and forward mode against PyTorch's values
 * (golden/record_func.py), their error texts, and what callbacks do that fail. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- the functions of record_func.py ---- */

static t_TensorList *smooth(t_TensorList *inputs, void *context) {
    Tensor *x = inputs->items[0], *w = inputs->items[1];
    (void)context;
    return t_list(t_sum(t_mul(t_sin(x), w), 1), t_tanh(t_mul(t_mul(x, w), w)));
}

static Tensor *scalar(Tensor *x, Tensor *w) {
    return t_add(t_sum(t_mul(t_exp(t_mul(x, w)), t_cos(x))), t_sum(t_pow(w, 3)));
}

/* ---- recorded values ---- */

static const char *section;

static Inputs recorded_inputs(const char *key, const char *text) {
    section = golden_case(golden_file("func.txt"), key);
    ck_assert_msg(section != NULL, "%s was not recorded", key);
    return make_inputs(text, seed_of(key), t_float64);
}

static void matches(const char *name, Tensor *got) {
    GoldenArray want;
    ck_assert_msg(golden_array(section, name, &want), "%s was not recorded", name);
    ck_assert_msg(got != NULL, "%s: NULL, %s", name, last_error_text());
    compare_to_golden(name, got, &want, GRADIENT);
    free(want.values);
}

static void matches_list(const char *name, t_TensorList *got, int count) {
    char item[64];
    ck_assert_msg(got != NULL, "%s: NULL, %s", name, last_error_text());
    ck_assert_int_eq(got->len, count);
    for (int i = 0; i < count; i++) {
        snprintf(item, sizeof item, "%s.%d", name, i);
        HOLDS(!t_requires_grad(got->items[i]));
        matches(item, got->items[i]);
    }
}

/* The gradient of the sum of squares of a list with respect to x. */
static Tensor *gradient_of_squares(t_TensorList *list, Tensor *x) {
    Tensor *sum = t_zeros(.dtype = t_float64);
    for_list (y, list) sum = t_add(sum, t_sum(t_mul(y, y)));
    return t_grad(sum, x);
}

#define TWO "R(3) R(2,3)"

START_TEST(functional_agrees_with_pytorch) {
    Inputs in = recorded_inputs("functional", TWO " R(2) R(2,3)");
    Tensor *x = in.x[0], *w = in.x[1];
    t_TensorList *both = t_list(x, w), *v = t_list(in.x[2], in.x[3]), *y = NULL;
    t_TensorList *u = t_list(t_mul(x, 2), t_add(w, 1));
    matches_list("vjp", t_autograd_functional_vjp(smooth, both, v, .outputs = &y), 2);
    matches_list("outputs", y, 2);
    matches_list("jvp", t_autograd_functional_jvp(smooth, both, u), 2);
    matches_list("jacobian", t_autograd_functional_jacobian(smooth, both), 4);
    matches_list("jacobian", t_autograd_functional_jacobian(smooth, both, .vectorize = true,
                                                            .strategy = "forward-mode"), 4);
    matches_list("hessian", t_autograd_functional_hessian(scalar, both), 4);
    matches_list("hessian", t_autograd_functional_hessian(scalar, both, .vectorize = true,
                                                          .outer_jacobian_strategy = "forward-mode"), 4);
    matches_list("hvp", t_autograd_functional_hvp(scalar, both, u), 2);
    matches_list("vhp", t_autograd_functional_vhp(scalar, both, u), 2);
    t_requires_grad_(x, true);
#define GRAPH(name, ...) \
    matches("d" #name, gradient_of_squares(t_autograd_functional_##name(__VA_ARGS__, .create_graph = true), x))
    GRAPH(vjp, smooth, both, v);
    GRAPH(jvp, smooth, both, u);
    GRAPH(vhp, scalar, both, u);
    GRAPH(hvp, scalar, both, u);
    GRAPH(jacobian, smooth, both);
    GRAPH(hessian, scalar, both);
    ck_assert_ptr_null(t_grad(x));
    report_notes();
}
END_TEST

/* The same with x and w in a dict. */
static Tensor *scalar_of_dict(t_TensorDict *params, void *context) {
    (void)context;
    return scalar(t_dict_get(params, "x"), t_dict_get(params, "w"));
}

START_TEST(a_dict_of_inputs_gives_a_dict) {
    Inputs in = recorded_inputs("func", TWO);
    t_TensorList *both = t_list(in.x[0], in.x[1]), *want = t_func_grad(scalar, both);
    t_TensorDict *params = t_dict(), *got = NULL;
    Tensor *value = NULL;
    t_dict_set(params, "w", in.x[1]); /* in another order */
    t_dict_set(params, "x", in.x[0]);
    got = t_func_grad_and_value(scalar_of_dict, params, .value = &value);
    HOLDS(t_equal(value, scalar(in.x[0], in.x[1])));
    ck_assert_str_eq(got->items[0].name, "w");
    HOLDS(t_equal(t_dict_get(got, "w"), want->items[1]) && t_equal(t_dict_get(got, "x"), want->items[0]));
    HOLDS(t_allclose(t_dict_get(t_func_jacrev(scalar_of_dict, params), "x"), want->items[0]));
    HOLDS(t_allclose(t_dict_get(t_func_jacfwd(scalar_of_dict, params), "x"), want->items[0]));
    t_LinearFunction *vjp_fn = t_func_vjp(scalar_of_dict, params);
    HOLDS(t_allclose(t_func_call(vjp_fn, t_ones(.dtype = t_float64))->items[1], want->items[0]));
    Tensor *slope = t_func_jvp(scalar_of_dict, params, got);
    HOLDS(t_allclose(slope, t_add(t_sum(t_square(want->items[0])), t_sum(t_square(want->items[1])))));
    ck_assert_int_eq(t_func_hessian(scalar_of_dict, params)->len, 4);
    t_func_grad(scalar_of_dict, both);
    expect_one_error("a function of a dict was given a tensor or a list");
    t_requires_grad_(in.x[0], true);
    Tensor *y = t_checkpoint(scalar_of_dict, params);
    HOLDS(t_allclose(t_grad(y, in.x[0]), want->items[0]));
    report_notes();
}
END_TEST

/* Functions of one input with other inputs in the context. */
static Tensor *at_x(Tensor *w, void *x) {
    return scalar(x, w);
}

static Tensor *at_w(Tensor *x, void *w) {
    return scalar(x, w);
}

static Tensor *first_square(Tensor *x, void *w) {
    return t_sum(t_square(t_func_grad(at_w, x, .context = w)));
}
static Tensor *second_product(Tensor *x, void *w) {
    return t_prod(t_func_grad(first_square, x, .context = w));
}

static Tensor *gradient_for_sample(t_TensorList *inputs, void *context) {
    (void)context;
    return t_func_grad(at_x, inputs->items[0], .context = inputs->items[1]);
}

static Tensor *sine_of_product(Tensor *b, void *context) {
    Tensor *a = context;
    return t_sum(t_sin(t_mul(a, b)));
}
static Tensor *over_w(Tensor *a, void *context) {
    Tensor *w = context;
    return t_func_vmap(sine_of_product, w, .context = a);
}

static Tensor *weighted_sine(Tensor *w, void *context) {
    Tensor *x = context;
    return t_sum(t_mul(t_sin(w), x));
}
static Tensor *rows_of(Tensor *w, void *x) {
    return t_func_jacrev(weighted_sine, w, .context = x);
}

START_TEST(func_agrees_with_pytorch) {
    Inputs in = recorded_inputs("func", TWO " R(2) R(2,3)");
    Tensor *x = in.x[0], *w = in.x[1], *value = NULL;
    t_TensorList *both = t_list(x, w), *v = t_list(in.x[2], in.x[3]), *u = t_list(t_mul(x, 2), t_add(w, 1)), *y = NULL;
    matches_list("grad", t_func_grad_and_value(scalar, both, .value = &value), 2);
    matches("value", value);
    matches_list("grad", t_func_grad(scalar, both), 2);
    matches_list("grad_of_1", t_func_grad(scalar, both, .argnums = t_tuple(-1)), 1);
    t_LinearFunction *vjp = t_func_vjp(smooth, both, .outputs = &y);
    for (int i = 0; i < 2; i++) matches_list("vjp", t_func_call(vjp, v), 2);
    ck_assert_int_eq(y->len, 2);
    matches_list("jvp", t_func_jvp(smooth, both, u), 2);
    t_LinearFunction *jvp = t_func_linearize(smooth, both);
    for (int i = 0; i < 2; i++)
        matches_list("linearize", t_func_call(jvp, t_list(t_at(w, "0"), t_mul(w, x))), 2);
    matches_list("jacrev", t_func_jacrev(smooth, both), 4);
    matches_list("jacfwd", t_func_jacfwd(smooth, both, .argnums = t_tuple(1, 0)), 4);
    matches_list("hessian", t_func_hessian(scalar, both), 4);
    matches_list("hessians", t_func_hessian(smooth, both, .argnums = t_tuple(0)), 2);
    matches("third", t_func_grad(second_product, x, .context = w));
    Tensor *stacked = t_stack(t_list(x, t_neg(x)), 0);
    matches("per_sample.0", t_func_vmap(gradient_for_sample, t_list(w, stacked), .in_dims = t_tuple(T_NONE, 0)));
    matches_list("dims", t_func_vmap(smooth, t_list(t_t(stacked), w), .in_dims = t_tuple(1, T_NONE),
                                     .out_dims = t_tuple(1, 2)), 2);
    matches("nested", t_func_vmap(over_w, t_mul(w, 2), .context = w));
    matches("ensemble", t_func_vmap(rows_of, w, .context = x));
    report_notes();
}
END_TEST

START_TEST(forward_mode_agrees_with_pytorch) {
    Inputs in = recorded_inputs("func", TWO);
    Tensor *x = in.x[0], *w = in.x[1], *primal = NULL, *dy = NULL, *none = x;
    with_no_grad() {
        with_dual_level() {
            Tensor *a = t_autograd_forward_ad_make_dual(x, t_mul(x, 2));
            Tensor *b = t_autograd_forward_ad_make_dual(w, t_add(w, 1));
            primal = t_autograd_forward_ad_unpack_dual(scalar(a, b), .tangent = &dy);
            t_autograd_forward_ad_unpack_dual(a, .tangent = &none);
            expect_values(t_sub(none, t_mul(x, 2)), "[0, 0, 0]");
            t_autograd_forward_ad_unpack_dual(t_gt(a, 0), .tangent = &none);
            ck_assert_ptr_null(none);
            with_no_grad() t_autograd_forward_ad_unpack_dual(t_mul(a, 2), .tangent = &none);
            ck_assert_ptr_null(none);
        }
        ck_assert(!t_is_grad_enabled());
    }
    matches("dual.0", primal);
    matches("dual.1", dy);
    HOLDS(!t_requires_grad(primal) && !t_requires_grad(dy) && !t_requires_grad(x));
    report_notes();
}
END_TEST

/* Reverse mode over forward mode: d/dx of J v = 2 x v is 2 v. */
START_TEST(a_tangent_can_be_differentiated) {
    Tensor *x = leaf("[1, 2, 3]"), *dy = NULL;
    with_dual_level() {
        Tensor *dual = t_autograd_forward_ad_make_dual(x, t_tensor("[1.0, 10.0, 100.0]"));
        t_autograd_forward_ad_unpack_dual(t_square(dual), .tangent = &dy);
    }
    expect_values(t_detach(dy), "[2.0, 40.0, 600.0]");
    t_backward(t_sum(dy));
    expect_values(t_grad(x), "[2.0, 20.0, 200.0]");
}
END_TEST

START_TEST(forward_mode_reports_pytorchs_errors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]"), *n = t_tensor("[1, 2, 3]");
    t_autograd_forward_ad_make_dual(x, x);
    expect_one_error("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                     "enter_dual_level() first.");
    t_autograd_forward_ad_exit_dual_level();
    expect_one_error("no level exists");
    with_dual_level() {
        t_autograd_forward_ad_make_dual(n, x);
        expect_one_error("Expected primal to be floating point or complex, but got: torch.int64");
        t_autograd_forward_ad_make_dual(x, n);
        expect_one_error("Expected tangent to be floating point or complex, but got: torch.int64");
        t_autograd_forward_ad_make_dual(x, t_ones(2));
        expect_one_error("Tensor is of size [3] while the given forward gradient is of size [2].");
        Tensor *dual = t_autograd_forward_ad_make_dual(x, x);
        t_autograd_forward_ad_make_dual(dual, x);
        expect_one_error("Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
                         "0 is not supported.");
        with_dual_level() ck_assert(error_count() == 1);
        expect_one_error("Nested forward mode AD is not supported at the moment");
    }
    const t_Mark mark = t_mark();
    t_autograd_forward_ad_enter_dual_level();
    t_unwind(mark);
    t_autograd_forward_ad_exit_dual_level();
    expect_one_error("no level exists");
}
END_TEST

/* ---- histories ---- */

static Tensor *total(Tensor *x, void *context) {
    (void)context;
    return t_sum(x);
}

START_TEST(results_have_a_history_if_something_outside_requires_grad) {
    Tensor *x = t_tensor("[1.0, 2.0]"), *w = leaf("[3, 4]");
    Tensor *g = t_func_grad(sine_of_product, x, .context = w);
    HOLDS(t_requires_grad(g));
    t_backward(t_sum(g)); /* d/dw sum(w cos(w x)) = cos(w x) - w x sin(w x) */
    expect_values(t_grad(w), "[-1.4133525, -8.060367]");
    t_requires_grad_(w, false);
    HOLDS(!t_requires_grad(t_func_grad(sine_of_product, x, .context = w)));
    t_requires_grad_(x, true);
    HOLDS(t_requires_grad(t_func_grad(sine_of_product, x, .context = w)));
    HOLDS(!t_requires_grad(t_func_grad(total, x)));
    with_no_grad() HOLDS(!t_requires_grad(t_func_grad(sine_of_product, x, .context = w)));
    Tensor *y = NULL;
    t_autograd_functional_vjp(t_sin, x, t_ones(2), .output = &y);
    HOLDS(!t_requires_grad(y));
    t_autograd_functional_vjp(t_sin, x, t_ones(2), .output = &y, .create_graph = true);
    HOLDS(t_requires_grad(y));
    ck_assert_ptr_null(t_grad(x));
}
END_TEST

/* ---- has_aux ---- */

/* The sum of squares, and 3 x. */
static t_TensorList *squares_and_triple(t_TensorList *inputs, void *context) {
    (void)context;
    Tensor *x = inputs->items[0];
    return t_list(t_sum(t_square(x)), t_mul(x, 3));
}
static t_TensorList *square_and_triple(t_TensorList *inputs, void *context) {
    (void)context;
    Tensor *x = inputs->items[0];
    return t_list(t_square(x), t_mul(x, 3));
}

static Tensor *sum_of_all(Tensor *x) {
    return t_sum(x);
}

/* grad(lambda x: ((x * x).sum(), x * 3), has_aux=True)(x) and so on */
START_TEST(auxiliary_results_are_returned) {
    Tensor *x = t_ones(1, 2), *value = NULL;
    t_TensorList *aux = NULL, *outputs = NULL;
    expect_printed(t_func_grad(squares_and_triple, x, .aux = &aux), "tensor([[2., 2.]])");
    HOLDS(aux->len == 1);
    expect_printed(aux->items[0], "tensor([[3., 3.]])");
    expect_printed(t_func_grad_and_value(squares_and_triple, x, .value = &value, .aux = &aux), "tensor([[2., 2.]])");
    expect_printed(value, "tensor(2.)");
    t_LinearFunction *vjp_fn = t_func_vjp(square_and_triple, x, .outputs = &outputs, .aux = &aux);
    HOLDS(outputs->len == 1 && aux->len == 1);
    expect_printed(t_func_call(vjp_fn, x)->items[0], "tensor([[2., 2.]])");
    expect_printed(t_func_jvp(square_and_triple, x, x, .aux = &aux)->items[0], "tensor([[2., 2.]])");
    expect_printed(aux->items[0], "tensor([[3., 3.]])");
    expect_printed(t_func_jacrev(square_and_triple, x, .aux = &aux)->items[0],
                   "tensor([[[[2., 0.]],\n\n         [[0., 2.]]]])");
    expect_printed(t_func_jacfwd(square_and_triple, x, .aux = &aux)->items[0],
                   "tensor([[[[2., 0.]],\n\n         [[0., 2.]]]])");
    expect_printed(aux->items[0], "tensor([[3., 3.]])");
    HOLDS(!t_requires_grad(aux->items[0]));
    Tensor *w = t_requires_grad_(t_ones(1, 2), true);
    t_func_grad(squares_and_triple, w, .aux = &aux);
    HOLDS(t_requires_grad(aux->items[0]));
    ck_assert_ptr_null(t_func_grad(sum_of_all, x, .aux = &aux));
    expect_one_error("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is "
                     "True");
    ck_assert_ptr_null(t_func_jacrev(t_sin, x, .aux = &aux));
    expect_one_error("vjp(f, *primals): output of function f should be a tuple: (output, aux) if has_aux is True");
    ck_assert_ptr_null(t_func_jacfwd(t_sin, x, .aux = &aux));
    expect_one_error("jvp(f, primals, tangents): output of function f should be a tuple: (output, aux) if has_aux is "
                     "True");
    ck_assert_ptr_null(t_func_vmap(t_sin, x, .chunk_size = 0));
    expect_one_error("vmap: chunk_size should be None or greater than 0. (got 0)");
    HOLDS(t_func_vmap(t_sin, x, .chunk_size = 1) != NULL);
}
END_TEST

/* ---- vmap ---- */

static Tensor *plus_noise(Tensor *x, void *context) {
    (void)context;
    return t_add(t_mul(x, 0), t_rand(2));
}

static t_TensorList *twice_and_outer(Tensor *x, Tensor *y) {
    return t_list(t_mul(x, 2), y);
}
static t_TensorList *twice_and_context(t_TensorList *inputs, void *y) {
    return twice_and_outer(inputs->items[0], y);
}

/* torch.manual_seed(0); vmap(lambda x: x * 0 + torch.rand(2), randomness=...)(x); torch.rand(1) */
START_TEST(vmap_draws_what_randomness_says) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]");
    t_manual_seed(0);
    Tensor *state = t_get_rng_state();
    ck_assert_ptr_null(t_func_vmap(plus_noise, x));
    expect_one_error("vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                     "'different' randomness flags on vmap or perform the randomness operation out of vmap");
    HOLDS(t_equal(state, t_get_rng_state()));
    expect_printed(t_func_vmap(plus_noise, x, .randomness = "same"),
                   "tensor([[0.4963, 0.7682],\n        [0.4963, 0.7682],\n        [0.4963, 0.7682]])");
    expect_printed(t_rand(1), "tensor([0.0885])");
    t_manual_seed(0);
    expect_printed(t_func_vmap(plus_noise, x, .randomness = "different"),
                   "tensor([[0.4963, 0.7682],\n        [0.0885, 0.1320],\n        [0.3074, 0.6341]])");
    expect_printed(t_rand(1), "tensor([0.4901])");
    ck_assert_ptr_null(t_func_vmap(plus_noise, x, .randomness = "x"));
    expect_one_error("Only allowed values for randomness are 'error', 'different', or 'same'. Got x");
}
END_TEST

START_TEST(vmap_over_unmapped_and_empty_tensors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]"), *y = t_tensor("[4.0, 5.0]");
    t_TensorList *out = t_func_vmap(twice_and_context, x, .context = y, .out_dims = t_tuple(0, T_NONE));
    expect_values(out->items[0], "[2.0, 4.0, 6.0]");
    expect_values(out->items[1], "[4.0, 5.0]");
    out = t_func_vmap(twice_and_context, x, .context = y);
    expect_values(out->items[1], "[[4.0, 5.0], [4.0, 5.0], [4.0, 5.0]]");
    Tensor *empty = t_func_vmap(t_sin, t_ones(2, 0, 3), .in_dims = t_tuple(1), .out_dims = t_tuple(-1));
    ck_assert_str_eq(t_size_repr(empty), "torch.Size([2, 3, 0])");
    Tensor *w = leaf("[1, 2, 3]");
    t_backward(t_sum(t_func_vmap(t_square, w)));
    expect_values(t_grad(w), "[2.0, 4.0, 6.0]");
}
END_TEST

START_TEST(vmap_reports_pytorchs_errors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]"), *y = t_tensor("[4.0, 5.0]");
    t_func_vmap(t_sin, x, .in_dims = t_tuple(1));
    expect_one_error("Got in_dim=1 for some input, but that input is a Tensor of dimensionality 1 so expected in_dim "
                     "to satisfy -1 <= in_dim < 1.");
    t_func_vmap(t_mul, t_list(x, y));
    expect_one_error("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes [3, 2] for "
                     "the mapped dimension");
    t_func_vmap(t_mul, t_list(x, x), .in_dims = t_tuple(0, 0, 0));
    expect_one_error("in_dims is not compatible with the structure of `inputs`. in_dims has 3 items but inputs has 2.");
    t_func_vmap(twice_and_context, x, .context = y, .out_dims = t_tuple(0, 0, 0));
    expect_one_error("out_dims is not compatible with the structure of `outputs`. out_dims has 3 items but outputs has "
                     "2.");
    t_func_vmap(t_sin, x, .in_dims = t_tuple(T_NONE));
    expect_one_error("expected `in_dims` to map at least one of the inputs");
    t_func_vmap(t_sin, x, .out_dims = t_tuple(2));
    expect_one_error("Dimension out of range (expected to be in range of [-1, 0], but got 2)");
    t_func_vmap(t_sin, t_list(x, x));
    expect_one_error("a function of 1 tensor was given 2");
}
END_TEST

/* ---- errors ---- */

static t_TensorList *pair(t_TensorList *inputs, void *context) {
    (void)context;
    return t_list(t_square(inputs->items[0]), inputs->items[0]);
}
static Tensor *first_only(Tensor *a, Tensor *b) {
    (void)b;
    return t_square(a);
}
static Tensor *constant(Tensor *x, void *context) {
    Tensor *other = context;
    (void)x;
    return t_square(other);
}
static Tensor *twice(Tensor *x) {
    return t_mul(x, 2);
}
static Tensor *positive(Tensor *x) {
    return t_gt(x, 0);
}
static Tensor *sum_of_squares(Tensor *x) {
    return t_sum(t_square(x));
}

/* Functions of a and b whose gradients are not those of one function: (dy a, dy a), and (dy a b, dy floor(a)). */
static void one_sided_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    Tensor *a = t_saved_tensor(ctx, 0);
    dx[0] = t_mul(dy, a);
    dx[1] = t_mul(dy, a);
}
static void flat_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    Tensor *a = t_saved_tensor(ctx, 0), *b = t_saved_tensor(ctx, 1);
    dx[0] = t_mul(t_mul(dy, a), b);
    dx[1] = t_mul(dy, t_floor(a));
}
static const t_Function one_sided_function = {
    .name = "one_sided", .grad_fn = "OneSidedBackward", .backward = one_sided_backward};
static const t_Function flat_function = {.name = "flat", .grad_fn = "FlatBackward", .backward = flat_backward};
static Tensor *dot_by(const t_Function *function, Tensor *a, Tensor *b) {
    Tensor *y = NULL;
    with_no_grad () {
        y = t_dot(a, b);
    }
    return t_apply(function, y, t_list(a, b), .saved = t_list(a, b));
}
static Tensor *one_sided(Tensor *a, Tensor *b) {
    return dot_by(&one_sided_function, a, b);
}
static Tensor *flat(Tensor *a, Tensor *b) {
    return dot_by(&flat_function, a, b);
}
static t_TensorList *square_and_floor(t_TensorList *x, void *context) {
    (void)context;
    return t_list(t_square(x->items[0]), t_floor(x->items[0]));
}

/* The double backward trick has nothing to differentiate; PyTorch's errors, and its values without strict. */
START_TEST(strict_products_report_pytorchs_errors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]"), *y = t_tensor("[4.0, 5.0, 6.0]"), *v = t_ones(3);
    t_TensorList *xy = t_list(x, y), *vv = t_list(v, v);
    t_autograd_functional_jvp(t_floor, x, v, .strict = true);
    expect_one_error("The gradient with respect to input 0 is independent of the inputs of the user-provided function. "
                     "This is not allowed in strict mode.");
    t_autograd_functional_jvp(square_and_floor, x, v, .strict = true);
    expect_one_error("The gradient with respect to the input is independent of entry 1 in the grad_outputs when using "
                     "the double backward trick to compute forward mode gradients. This is not allowed in strict "
                     "mode.");
    t_TensorList *products = t_autograd_functional_jvp(square_and_floor, t_list(x), v);
    expect_values(products->items[0], "[2, 4, 6]");
    expect_values(products->items[1], "[0, 0, 0]");
    t_autograd_functional_vhp(one_sided, xy, vv, .strict = true);
    expect_one_error("The jacobian of the user-provided function is independent of input 1. This is not allowed in "
                     "strict mode.");
    products = t_autograd_functional_vhp(one_sided, xy, vv);
    expect_values(products->items[0], "[2, 2, 2]");
    expect_values(products->items[1], "[0, 0, 0]");
    t_autograd_functional_hvp(flat, xy, vv, .strict = true);
    expect_one_error("The hessian of the user-provided function is independent of entry 1 in the grad_jacobian. This "
                     "is not allowed in strict mode as it prevents from using the double backward trick to replace "
                     "forward mode AD.");
    products = t_autograd_functional_hvp(flat, xy, vv);
    expect_values(products->items[0], "[5, 7, 9]");
    expect_values(products->items[1], "[0, 0, 0]");
}
END_TEST

START_TEST(functional_reports_pytorchs_errors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]"), *y = t_tensor("[4.0, 5.0, 6.0]"), *v = t_ones(3);
    const char *alone = "user-provided function returns a single Tensor with a single element.";
    t_autograd_functional_vjp(t_square, x);
    expect_one_error(alone);
    t_autograd_functional_vjp(t_square, x, t_ones(2));
    expect_one_error("v has invalid size: should be torch.Size([3]) but got torch.Size([2]).");
    t_autograd_functional_vjp(pair, x, t_ones(2));
    expect_one_error("v is a tuple of invalid length: should be 2 but got 1.");
    t_autograd_functional_vjp(pair, x, t_list(t_ones(2), v));
    expect_one_error("Entry 0 in v has invalid size: should be torch.Size([3]) but got torch.Size([2]).");
    t_autograd_functional_vjp(t_square, x, t_list(v, v));
    expect_one_error("The given v should contain a single Tensor.");
    t_autograd_functional_vjp(first_only, t_list(x, y), v, .strict = true);
    expect_one_error("The output of the user-provided function is independent of input 1. This is not allowed in "
                     "strict mode.");
    t_autograd_functional_vjp(constant, x, v, .context = y, .strict = true);
    expect_one_error("Output 0 of the user-provided function does not require gradients. The outputs must be computed "
                     "in a differentiable manner from the input when running in strict mode.");
    expect_values(t_autograd_functional_vjp(constant, x, v, .context = y), "[0, 0, 0]");
    t_autograd_functional_vjp(twice, x, v, .strict = true, .create_graph = true);
    expect_one_error("The jacobian of the user-provided function is independent of input 0. This is not allowed in "
                     "strict mode when create_graph=True.");
    t_autograd_functional_jvp(t_square, x);
    expect_one_error("The vector v can only be None if the input to the user-provided function is a single Tensor with "
                     "a single element.");
    t_autograd_functional_jacobian(twice, t_tensor("[1, 2]"));
    expect_one_error("only Tensors of floating point dtype can require gradients");
    t_autograd_functional_jacobian(first_only, t_list(x, y), .strict = true);
    expect_one_error("Output 0 of the user-provided function is independent of input 1. This is not allowed in strict "
                     "mode.");
    t_autograd_functional_hessian(twice, x);
    expect_one_error("The Tensor returned by the function given to hessian should contain a single element");
    expect_values(t_autograd_functional_hessian(total, x), "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]");
    t_autograd_functional_hessian(total, x, .strict = true);
    expect_one_error("found that the jacobian of the user-provided function with respect to input 0 is independent of "
                     "the input.");
    t_autograd_functional_hessian(sum_of_squares, x, .strict = true, .create_graph = true);
    expect_one_error("The jacobian of the user-provided function is independent of input 0. This is not allowed in "
                     "strict mode when create_graph=True.");
    t_autograd_functional_hvp(pair, x, v);
    expect_one_error("The function given to hvp should return a single Tensor");
    t_autograd_functional_vhp(twice, x, v);
    expect_one_error("The Tensor returned by the function given to vhp should contain a single element");
    t_autograd_functional_vhp(sum_of_squares, x, v, .strict = true, .create_graph = true);
    expect_one_error("The hessian of the user-provided function is independent of input 0. This is not allowed in "
                     "strict mode when create_graph=True.");
}
END_TEST

START_TEST(strategies_report_pytorchs_errors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]");
    t_autograd_functional_jacobian(t_square, x, .strategy = "forward-mode");
    expect_one_error("implemented for `vectorize=True`.");
    t_autograd_functional_jacobian(t_square, x, .strategy = "fwd");
    expect_one_error("Expected strategy to be either \"forward-mode\" or \"reverse-mode\".");
    t_autograd_functional_jacobian(t_square, x, .strategy = "forward-mode", .create_graph = true);
    expect_one_error("`create_graph=True` and `strategy=\"forward-mode\"` are not supported together (yet).");
    t_autograd_functional_jacobian(t_square, x, .strategy = "forward-mode", .vectorize = true, .strict = true);
    expect_one_error("`strict=True` and `strategy=\"forward-mode\"` are not supported together (yet).");
    t_autograd_functional_jacobian(t_square, x, .vectorize = true, .strict = true);
    expect_one_error("`strict=True` and `vectorized=True` are not supported together.");
    Tensor *J = t_autograd_functional_jacobian(t_square, t_ones(0));
    ck_assert_str_eq(t_size_repr(J), "torch.Size([0, 0])");
    t_autograd_functional_jacobian(t_square, t_ones(1, 1, 1, 1, 1));
    expect_one_error("has more than 8 dims");
}
END_TEST

static t_TensorList *nothing(t_TensorList *inputs, void *context) {
    (void)inputs, (void)context;
    return t_list_new(NULL, 0);
}

/* One output more at each call. */
static t_TensorList *more_and_more(t_TensorList *inputs, void *context) {
    t_TensorList *outputs = t_list_new(NULL, 0);
    ++*(int *)context;
    for (int i = 0; i < *(int *)context; i++) t_list_append(outputs, inputs->items[0]);
    return outputs;
}

START_TEST(func_reports_pytorchs_errors) {
    Tensor *x = t_tensor("[1.0, 2.0, 3.0]"), *n = t_tensor("[1, 2, 3]");
    t_TensorList *two = t_list(x, x);
    t_func_grad(twice, x);
    expect_one_error("Expected f(*args) to return a scalar Tensor, got tensor with 1 dims. Maybe you wanted to use the "
                     "vjp or jacrev APIs instead?");
    t_func_grad(pair, x);
    expect_one_error("Expected f(*args) to return a Tensor, got a list");
    t_func_grad(sum_of_squares, n);
    expect_one_error("only Tensors of floating point dtype can require gradients");
    expect_values(t_func_grad(constant, x, .context = t_ones()), "[0, 0, 0]");
    t_func_grad(scalar, two, .argnums = t_tuple(0, -2));
    expect_one_error("argnums elements must be unique");
    t_func_grad(scalar, two, .argnums = t_tuple(2));
    expect_one_error("Got argnum=2, but only 2 positional inputs");
    t_func_vjp(positive, x);
    expect_one_error("All outputs of f must be floating-point or complex Tensors, got Tensor with dtype torch.bool");
    t_func_call(t_func_vjp(t_square, x), t_list(x, x));
    expect_one_error("vjp_fn has 1 outputs, but got 2 cotangents");
    t_func_call(t_func_vjp(t_square, x), t_ones(2));
    expect_one_error("Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of "
                     "torch.Size([3]).");
    t_func_vjp(nothing, x);
    expect_one_error("vjp(f, *primals): Expected f to be a function that has non-empty output (got output = [])");
    t_func_jvp(nothing, x, x);
    expect_one_error("jvp(f, primals, tangents): Expected f to be a function that has non-empty output (got output = "
                     "[])");
    int calls = 0;
    t_func_vmap(more_and_more, x, .context = &calls);
    expect_one_error("vmap: the function returned 2 outputs, and 1 before");
    t_func_jvp(t_square, x, t_ones(2));
    expect_one_error("Tensor is of size [3] while the given forward gradient is of size [2].");
    t_func_jvp(t_square, x, two);
    expect_one_error("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure.");
    t_func_jvp(constant, x, x, .context = x, .strict = true);
    expect_one_error("The output of f is independent of the inputs. This is not allowed with strict=True.");
    expect_values(t_func_jvp(constant, x, x, .context = x), "[0, 0, 0]");
    t_func_jvp(t_square, n, n);
    expect_one_error("Expected primal to be floating point or complex, but got: torch.int64");
    expect_printed(t_func_jvp(positive, x, x), "tensor([False, False, False])");
    expect_printed(t_func_jacfwd(positive, t_ones(1)), "tensor([[False]])");
    t_func_jacrev(t_square, x, .chunk_size = 0);
    expect_one_error("jacrev: `chunk_size` should be greater than 0.");
    t_func_jacrev(positive, x);
    expect_one_error("All outputs of f must be floating-point or complex Tensors");
    t_func_call(t_func_linearize(t_square, x), t_ones(2));
    expect_one_error("tangent:0 with shape torch.Size([2]) in flattened pytree doesn't match the shape torch.Size([3]) "
                     "of the corresponding primal.");
}
END_TEST

/* ---- callbacks that fail ---- */

typedef enum Hostile { returns_null, fails, appends, runs_backward, turns_grad_off, closes_scope, HOSTILE } Hostile;

static Tensor *hostile(t_TensorList *inputs, void *context) {
    Tensor *x = inputs->items[0];
    switch (*(const Hostile *)context) {
    case returns_null: return NULL;
    case fails: return (t_fail)("no");
    case appends: (t_list_append)(inputs, t_ones(1)); break;
    case runs_backward: t_backward(t_sum(t_mul(leaf("1"), 2))); break;
    case turns_grad_off: x = t_sum(t_square(x)); t_set_grad_enabled(false); return x;
    default: (t_scope_close)(1); break;
    }
    return t_error() ? NULL : t_sum(t_square(x));
}

START_TEST(hostile_functions_change_nothing) {
    Tensor *x = t_tensor("[1.0, 2.0]"), *untouched = x;
    const int depth = t_scope_depth();
    for (Hostile how = 0; how < HOSTILE; how++) {
        const bool works = how == appends || how == runs_backward || how == turns_grad_off;
        Tensor *results[] = {
            t_func_grad(hostile, x, .context = &how), t_func_jacrev(hostile, x, .context = &how),
            t_func_jacfwd(hostile, x, .context = &how), t_func_jvp(hostile, x, x, .context = &how),
            t_func_vmap(hostile, x, .context = &how),
            t_autograd_functional_vjp(hostile, x, .context = &how, .output = &untouched),
            t_autograd_functional_hessian(hostile, x, .context = &how)};
        for (size_t i = 0; i < sizeof results / sizeof *results; i++)
            ck_assert_msg(!results[i] == !works, "hostile %d, call %zu: %s", (int)how, i, last_error_text());
        if (!works) ck_assert_ptr_eq(untouched, x);
        untouched = x;
        ck_assert_int_eq(t_scope_depth(), depth);
        ck_assert(t_is_grad_enabled());
        clear_errors();
        t_clear_error();
    }
}
END_TEST

static jmp_buf landing;
static void jump(const char *text, void *context) {
    (void)text;
    (void)context;
    longjmp(landing, 1);
}
static Tensor *stops(Tensor *x) {
    return t_mul(x, t_ones(5));
}

START_TEST(an_error_handler_may_leave_a_function) {
    Tensor *x = t_ones(2);
    const t_Mark mark = t_mark();
    t_set_error_handler(jump, NULL);
    with_no_grad() {
        if (setjmp(landing) == 0) {
            t_func_hessian(stops, x);
            ck_abort_msg("it did not fail");
        }
        t_unwind(mark);
    }
    ck_assert(!t_error() && t_scope_depth() == mark.depth);
}
END_TEST

static bool attempt_hessian(void *context) {
    (void)context;
    return t_func_hessian(sum_of_squares, t_ones(2)) != NULL;
}
static bool attempt_functional(void *context) {
    (void)context;
    return t_autograd_functional_hvp(sum_of_squares, t_ones(2), t_ones(2)) != NULL;
}
static bool attempt_vmap(void *context) {
    (void)context;
    return t_func_vmap(t_sin, t_ones(2)) != NULL;
}
static bool attempt_dual(void *context) {
    Tensor *dy = NULL;
    (void)context;
    if (!t_autograd_forward_ad_enter_dual_level()) return false;
    Tensor *x = t_autograd_forward_ad_make_dual(t_ones(2), t_ones(2));
    bool ok = x && t_autograd_forward_ad_unpack_dual(t_square(x), .tangent = &dy) && dy;
    return t_autograd_forward_ad_exit_dual_level() && ok;
}

START_TEST(failing_allocations) {
    refuse_all("hessian", attempt_hessian, NULL, NULL);
    refuse_all("hvp", attempt_functional, NULL, NULL);
    t_manual_seed(0);
    refuse_all("vmap", attempt_vmap, NULL, NULL);
    refuse_all("forward mode", attempt_dual, NULL, NULL);
    clear_errors();
    report_notes();
}
END_TEST

Suite *func_suite(void);
Suite *func_suite(void) {
    Suite *suite = suite_create("func");
    TCase *tests = tcase_create("func");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_dict_of_inputs_gives_a_dict);
    tcase_add_test(tests, functional_agrees_with_pytorch);
    tcase_add_test(tests, func_agrees_with_pytorch);
    tcase_add_test(tests, forward_mode_agrees_with_pytorch);
    tcase_add_test(tests, a_tangent_can_be_differentiated);
    tcase_add_test(tests, forward_mode_reports_pytorchs_errors);
    tcase_add_test(tests, results_have_a_history_if_something_outside_requires_grad);
    tcase_add_test(tests, auxiliary_results_are_returned);
    tcase_add_test(tests, vmap_draws_what_randomness_says);
    tcase_add_test(tests, vmap_over_unmapped_and_empty_tensors);
    tcase_add_test(tests, vmap_reports_pytorchs_errors);
    tcase_add_test(tests, functional_reports_pytorchs_errors);
    tcase_add_test(tests, strict_products_report_pytorchs_errors);
    tcase_add_test(tests, strategies_report_pytorchs_errors);
    tcase_add_test(tests, func_reports_pytorchs_errors);
    tcase_add_test(tests, hostile_functions_change_nothing);
    tcase_add_test(tests, an_error_handler_may_leave_a_function);
    tcase_add_test(tests, failing_allocations);
    suite_add_tcase(suite, tests);
    return suite;
}
