/* tests/func/test_checkpoint.c: hooks on saved tensors, and checkpoints, which are built upon them. Logs and numbers
 * are those of the same programs in PyTorch 2.15. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "nn/nn.h"
#include "tests/autograd/test_autograd.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- hooks that write a log ---- */

static char written[4096];

static void put(const char *name, Tensor *x) {
    size_t length = strlen(written);
    snprintf(written + length, sizeof written - length, "%s", name);
    Tensor *flat = t_reshape(t_detach(x), -1);
    for (int64_t i = 0; i < t_numel(flat); i++) {
        length = strlen(written);
        snprintf(written + length, sizeof written - length, " %.4g", t_item(t_select(flat, 0, i)));
    }
    length = strlen(written);
    snprintf(written + length, sizeof written - length, "%s\n", t_is_grad_enabled() ? " grad" : "");
}

static void expect_log(const char *expected) {
    ck_assert_msg(strcmp(written, expected) == 0, "written:\n%s\nexpected:\n%s", written, expected);
    *written = '\0';
}

static Tensor *same_pack(Tensor *x, void *name) {
    put(name ? (const char *)name : "pack", x);
    return x;
}
static Tensor *same_unpack(Tensor *x, void *context) {
    (void)context;
    put("unpack", x);
    return x;
}
static Tensor *copy_hook(Tensor *x, void *context) {
    (void)context;
    return t_clone(t_detach(x));
}

/* Keeps the tensors in a list; what is packed is the index. */
static Tensor *store(Tensor *x, void *list) {
    t_list_append((t_TensorList *)list, t_clone(x));
    return t_tensor(((t_TensorList *)list)->len - 1);
}
static Tensor *fetch(Tensor *packed, void *list) {
    return t_list_get((t_TensorList *)list, (int64_t)t_item(packed));
}

START_TEST(hooks_are_called_as_in_pytorch) {
    Tensor *x = leaf("[1, 2]"), *w = NULL;
    with_saved_tensors_hooks(same_pack, same_unpack) {
        Tensor *y = t_mul(x, x), *z = t_exp(y);
        w = t_sum(t_mul(z, x));
    }
    expect_log("pack 1 2\npack 1 2\npack 2.718 54.6\npack 1 2\npack 2.718 54.6\n");
    t_backward(w);
    expect_log("unpack 1 2\nunpack 2.718 54.6\nunpack 2.718 54.6\nunpack 1 2\nunpack 1 2\n");
    expect_values(t_grad(x), "[8.154845, 491.38334]");
    with_saved_tensors_hooks(same_pack, same_unpack, (void *)"outer") {
        with_saved_tensors_hooks(same_pack, same_unpack, (void *)"inner") t_exp(x);
        t_exp(x);
    }
    t_exp(x);
    expect_log("inner 2.718 7.389\nouter 2.718 7.389\n");
    with_saved_tensors_hooks (same_pack, same_unpack) t_pow(t_mul(x, 2), 3); /* no pack for a number */
    expect_log("pack 2 4\n");
    with_save_on_cpu(.pin_memory = true) t_exp(x);
}
END_TEST

static jmp_buf landing;
static Tensor *jumps(Tensor *x, void *context) {
    (void)x;
    (void)context;
    longjmp(landing, 1);
    return NULL;
}

/* Its rule runs a backward of its own between unpacking and the end. */
static bool nested_jumps;
static void nested_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    Tensor *x = t_saved_tensor(ctx, 0), *u = t_ones(2, .requires_grad = true);
    if (nested_jumps) t_register_hook(u, jumps, NULL);
    with_enable_grad() t_backward(t_sum(t_square(u)));
    dx[0] = t_mul(t_mul(dy, x), t_grad(u));
}
static const t_Function nested_function = {.name = "nested", .grad_fn = "NestedBackward", .backward = nested_backward};

START_TEST(a_rule_that_runs_a_backward_unpacks_again) {
    Tensor *x = leaf("[1, 2]"), *y = NULL, *value = NULL;
    with_no_grad() value = t_square(x);
    with_saved_tensors_hooks(same_pack, same_unpack)
        y = t_sum(t_apply(&nested_function, value, t_list(x), .saved = t_list(x)));
    expect_log("pack 1 2\n");
    for (int i = 1; i <= 2; i++) {
        t_backward(y, .retain_graph = true);
        expect_log("unpack 1 2\n");
    }
    expect_values(t_grad(x), "[4.0, 8.0]");
    const t_Mark mark = t_mark();
    nested_jumps = true;
    if (setjmp(landing) == 0) t_backward(y, .retain_graph = true);
    nested_jumps = false;
    t_unwind(mark);
    expect_log("unpack 1 2\n");
    t_backward(y);
    expect_log("unpack 1 2\n");
}
END_TEST

START_TEST(packed_tensors_have_their_history) {
    Tensor *x = leaf("[1, 2]");
    t_TensorList *list = t_list();
    with_saved_tensors_hooks(store, fetch, list) {
        Tensor *y = t_sum(t_pow(x, 3)), *z = t_sum(t_mul(t_exp(x), x));
        Tensor *g = t_grad(y, x, .create_graph = true), *h = t_grad(z, x, .create_graph = true);
        expect_values(t_detach(g), "[3.0, 12.0]");
        expect_values(t_grad(t_sum(g), x), "[6.0, 12.0]");
        expect_values(t_detach(h), "[5.4365635, 22.167168]");
        expect_values(t_grad(t_sum(h), x), "[8.154845, 29.556225]");
    }
    ck_assert_int_gt(list->len, 4);
}
END_TEST

/* b = x * 2; b.mul_(b); b.exp_(): the old values are packed. (With hooks that return their argument PyTorch's gradient
 * is wrong.) */
START_TEST(inplace_ops_pack_the_old_values) {
    Tensor *x = leaf("[1, 2]"), *b = NULL;
    for (int i = 0; i < 2; i++) {
        with_saved_tensors_hooks(i ? copy_hook : same_pack, i ? copy_hook : same_unpack) {
            b = t_mul(x, 2);
            t_mul_(b, b);
            t_exp_(b);
        }
        t_backward(t_sum(b));
        expect_values(t_grad(x), "[436.7852, 142177776.0]"); /* 8 x exp(4 x^2) */
        t_set_grad(x, NULL);
    }
    *written = '\0';
}
END_TEST

/* Leaves the tensor's shape and dtype, but other strides. */
static Tensor *transposed_copy(Tensor *x, void *context) {
    (void)context;
    return t_dim(x) < 2 ? x : t_transpose(t_contiguous(t_transpose(x, 0, 1)), 0, 1);
}

/* A model of every kind of layer with a fused path, with and without hooks. */
static Tensor *encoder_loss(nn_TransformerEncoderLayer *layer, Tensor *x) {
    t_manual_seed(7);
    return t_sum(t_pow(nn_TransformerEncoderLayer_call(layer, x, NULL, NULL, false), 3));
}

static void expect_same_gradients(nn_Module *model, t_TensorList *expected) {
    t_TensorList *parameters = nn_parameters(model);
    for (int64_t i = 0; i < parameters->len; i++)
        compare_tensors("gradient", t_grad(parameters->items[i]), expected->items[i], GRADIENT);
    nn_zero_grad(model);
}

START_TEST(models_have_the_same_gradients_under_hooks) {
    t_manual_seed(1);
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(8, 2, 16, 0.25, .batch_first = true);
    Tensor *x = t_randn(2, 5, 8), *loss = NULL;
    t_TensorList *expected = t_grad(encoder_loss(layer, x), nn_parameters(layer));
    with_saved_tensors_hooks(copy_hook, transposed_copy) loss = encoder_loss(layer, x);
    t_backward(loss);
    expect_same_gradients(&layer->base, expected);
    nn_GRU *gru = nn_GRU(8, 4);
    expected = t_grad(t_sum(t_square(nn_call(gru, x))), nn_parameters(gru));
    with_saved_tensors_hooks(copy_hook, transposed_copy) loss = t_sum(t_square(nn_call(gru, x)));
    t_backward(loss);
    expect_same_gradients((nn_Module *)gru, expected);
    report_notes();
}
END_TEST

/* ---- hooks that fail ---- */

static Tensor *writes(Tensor *x, void *context) {
    (void)context;
    return t_add_(x, 1);
}
static Tensor *nothing(Tensor *x, void *context) {
    (void)x;
    (void)context;
    return NULL;
}
static Tensor *fails(Tensor *x, void *context) {
    (void)x;
    (void)context;
    return (t_fail)("no");
}
static Tensor *ones_of_5(Tensor *x, void *context) {
    (void)x;
    (void)context;
    return t_ones(5);
}
static Tensor *records(Tensor *x, void *context) {
    Tensor *leaf_here = leaf("[3]");
    (void)context;
    with_enable_grad() t_backward(t_sum(t_exp(leaf_here)));
    return x;
}

START_TEST(failing_hooks_are_errors) {
    Tensor *x = leaf("[1, 2]"), *y = NULL, *doubled = t_mul(x, 2);
    static t_PackHook *const packs[] = {writes, nothing, fails};
    static const char *const texts[] = {"A saved tensor pack hook is modifying its input in place.",
                                        "Output of saved tensor pack_hook expected to be a Tensor", "no"};
    for (int i = 0; i < 3; i++) {
        with_saved_tensors_hooks(packs[i], same_unpack) y = t_square(doubled);
        ck_assert_ptr_null(y);
        expect_one_error(texts[i]);
    }
    static t_UnpackHook *const unpacks[] = {ones_of_5, nothing, fails};
    static const char *const errors[] = {
        ("a saved tensor unpack_hook returned a tensor of shape [5] and dtype float32, but the one that was packed has "
         "shape [2] and dtype float32"),
        "Output of saved tensor unpack_hook expected to be a Tensor", "no"};
    for (int i = 0; i < 3; i++) {
        with_saved_tensors_hooks(copy_hook, unpacks[i]) y = t_exp(x);
        ck_assert(!t_backward(t_sum(y)));
        expect_one_error(errors[i]);
        ck_assert_ptr_null(t_grad(x));
    }
    with_saved_tensors_hooks(records, records) y = t_exp(x);
    ck_assert(t_backward(t_sum(y)));
    expect_values(t_grad(x), "[2.7182817, 7.389056]");
    Tensor *a = t_mul(x, 2);
    with_saved_tensors_hooks(same_pack, same_unpack) y = t_mul(a, a);
    t_add_(a, 1);
    ck_assert(!t_backward(t_sum(y)));
    expect_one_error("modified by an inplace operation");
    t_autograd_graph_exit_saved_tensors_hooks();
    expect_one_error("no saved tensors hooks are in force");
    *written = '\0';
}
END_TEST

START_TEST(a_hook_may_leave_by_longjmp) {
    Tensor *x = leaf("[1, 2]");
    Tensor *volatile y = NULL;
    const t_Mark mark = t_mark();
    if (setjmp(landing) == 0) {
        t_autograd_graph_enter_saved_tensors_hooks(jumps, jumps);
        t_exp(x);
    }
    t_unwind(mark);
    ck_assert(!tg_thread.saved_hooks && t_is_grad_enabled());
    with_saved_tensors_hooks(copy_hook, jumps) y = t_exp(x);
    const t_Mark before = t_mark();
    if (setjmp(landing) == 0) t_backward(t_sum(y));
    t_unwind(before);
    ck_assert(t_is_grad_enabled() && !t_grad(x));
}
END_TEST

/* ---- checkpoints ---- */

typedef struct Calls {
    int count;
} Calls;

/* torch.dropout(torch.tanh(a * b), 0.5, True) * a, b * 2 */
static t_TensorList *noisy(t_TensorList *args, void *calls) {
    Tensor *a = args->items[0], *b = args->items[1];
    ((Calls *)calls)->count++;
    return t_list(t_mul(F_dropout(t_tanh(t_mul(a, b)), 0.5, true), a), t_mul(b, 2));
}

START_TEST(a_checkpoint_draws_the_same_numbers) {
    Calls calls = {0};
    Tensor *u = t_ones(4, .requires_grad = true), *v = t_ones(4);
    t_manual_seed(0);
    t_TensorList *out = t_checkpoint(noisy, t_list(u, v), .context = &calls);
    ck_assert_int_eq(calls.count, 1);
    expect_values(t_detach(out->items[0]), "[0, 0, 1.5231884, 0]");
    ck_assert_str_eq(t_grad_fn(out->items[0]), "MulBackward0");
    expect_printed(t_rand(1), "tensor([0.4556])");
    t_backward(t_sum(out->items[0]));
    ck_assert_int_eq(calls.count, 2);
    expect_values(t_grad(u), "[0, 0, 2.3631371, 0]");
    expect_printed(t_rand(1), "tensor([0.6323])");
    ck_assert(!t_backward(t_sum(out->items[0])));
    expect_one_error("Trying to backward through the graph a second time");
    calls.count = 0;
    out = t_checkpoint(noisy, t_list(u, v), .context = &calls, .preserve_rng_state = false);
    t_backward(t_sum(out->items[0]), .retain_graph = true);
    t_backward(t_sum(out->items[0]));
    ck_assert_int_eq(calls.count, 3);
}
END_TEST

static Tensor *smooth(Tensor *x) {
    return t_mul(t_exp(t_sin(x)), t_tanh(x));
}

START_TEST(a_checkpoint_can_be_differentiated_twice) {
    Tensor *x = t_tensor("[0.5, -1.0]", .dtype = t_float64, .requires_grad = true);
    Tensor *plain = t_grad(t_sum(smooth(x)), x, .create_graph = true);
    Tensor *g = t_grad(t_sum(t_checkpoint(smooth, x)), x, .create_graph = true);
    compare_tensors("first", t_detach(g), t_detach(plain), GRADIENT);
    compare_tensors("second", t_grad(t_sum(t_square(g)), x), t_grad(t_sum(t_square(plain)), x), GRADIENT);
    report_notes();
}
END_TEST

/* Inside: another checkpoint, and torch.func.grad. */
static Tensor *sum_of_smooth(Tensor *x) {
    return t_sum(smooth(x));
}
static Tensor *nested(Tensor *x) {
    return t_mul(t_checkpoint(smooth, t_square(x)), t_func_grad(sum_of_smooth, x));
}
static Tensor *nested_plainly(Tensor *x) {
    return t_mul(smooth(t_square(x)), t_func_grad(sum_of_smooth, x));
}

START_TEST(checkpoints_may_be_nested) {
    Tensor *x = t_tensor("[0.5, -1.0]", .dtype = t_float64, .requires_grad = true);
    compare_tensors("nested", t_grad(t_sum(t_checkpoint(nested, x)), x), t_grad(t_sum(nested_plainly(x)), x), GRADIENT);
    report_notes();
}
END_TEST

/* Saved tensors are not kept: 40 layers of 1000 elements each. */
static Tensor *layers(Tensor *x) {
    for (int i = 0; i < 40; i++) x = t_sin(x);
    return x;
}

START_TEST(a_checkpoint_keeps_no_saved_tensors) {
    Tensor *x = t_ones(1000, .requires_grad = true);
    int64_t before = t_live_bytes();
    Tensor *y = t_checkpoint(layers, x, .preserve_rng_state = false);
    ck_assert_int_lt(t_live_bytes() - before, 40 * 1000);
    t_backward(t_sum(y));
    ck_assert_int_lt(t_live_bytes() - before, 40 * 1000);
    Tensor *g = t_grad(x);
    t_set_grad((Tensor *)x, NULL);
    t_backward(t_sum(layers(x)));
    HOLDS(t_equal(g, t_grad(x)));
}
END_TEST

/* ---- checkpoints that fail ---- */

typedef enum Change { saves_fewer, other_shape, saves_more, raises, goes_back, CHANGES } Change;
typedef struct Changing {
    Change change;
    int calls;
    Tensor *itself; /* its output */
} Changing;

static Tensor *changing(Tensor *x, void *context) {
    Changing *c = context;
    if (++c->calls == 1) return t_mul(t_exp(x), t_sin(x));
    switch (c->change) {
    case saves_fewer: return t_mul(t_exp(x), x);
    case other_shape: return t_mul(t_exp(t_at(x, ":2")), t_sin(t_at(x, ":2")));
    case raises: return (t_fail)("no");
    case goes_back: t_backward(t_sum(c->itself)); return NULL;
    default: return t_exp(t_mul(t_exp(x), t_sin(x)));
    }
}

START_TEST(functions_that_change_are_errors) {
    static const char *const texts[] = {
        "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
        "recomputation.\nNumber of tensors saved during forward: 4\nNumber of tensors saved during recomputation: 3.",
        "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
        "forward pass.\n", NULL, "no", "runs a backward through itself"};
    for (Change change = 0; change < CHANGES; change++) {
        Tensor *u = t_ones(4, .requires_grad = true);
        Changing c = {change, 0, NULL};
        t_manual_seed(0);
        Tensor *y = c.itself = t_checkpoint(changing, u, .context = &c), *state = t_get_rng_state();
        const bool ok = t_backward(t_sum(y));
        ck_assert_int_eq(ok, texts[change] == NULL);
        if (!ok) {
            ck_assert_ptr_null(t_grad(u));
            ck_assert_msg(strstr(last_error_text(), texts[change]), "%d: %s", (int)change, last_error_text());
            clear_errors();
            t_clear_error();
        }
        HOLDS(t_equal(state, t_get_rng_state()));
    }
    Tensor *x = t_mul(leaf("[1, 2]"), 1), *y = t_checkpoint(smooth, x);
    t_add_(x, 1);
    ck_assert(!t_backward(t_sum(y)));
    expect_one_error("arg 0 of t_checkpoint, [torch.FloatTensor [2]], is at version 1; expected version 0 instead.");
    Changing c = {raises, 1, NULL};
    ck_assert_ptr_null(t_checkpoint(changing, x, .context = &c));
    expect_one_error("no");
    t_checkpoint(smooth, x, .determinism_check = "maybe");
    expect_one_error("determinism_check should be one of ['default', 'none'] but got maybe");
    ck_assert_ptr_null(tg_thread.saved_hooks);
}
END_TEST

/* A function that writes to its arg in place. */
static Tensor *doubles_in_place(Tensor *x) {
    return t_exp(t_mul_(x, 2));
}

START_TEST(an_inplace_function_is_an_error_in_backward) {
    Tensor *x = leaf("[1, 2]"), *y = t_checkpoint(doubles_in_place, t_mul(x, 1));
    expect_values(t_detach(y), "[7.389056, 54.59815]");
    ck_assert(!t_backward(t_sum(y)));
    expect_one_error("arg 0 of t_checkpoint");
}
END_TEST

/* What a function saves and then writes to is not what its backward needs. */
static Tensor *writes_to_what_it_saved(Tensor *x) {
    Tensor *t = t_mul(x, 2), *y = t_mul(t, t);
    t_add_(t, 1);
    return y;
}

START_TEST(a_write_to_a_recomputed_tensor_is_an_error) {
    Tensor *x = leaf("[1, 2]"), *y = t_checkpoint(writes_to_what_it_saved, x);
    expect_values(t_detach(y), "[4, 16]");
    ck_assert(!t_backward(t_sum(y)));
    expect_one_error("one of the variables needed for gradient computation has been modified by an inplace operation: "
                     "[torch.FloatTensor [2]], which t_checkpoint recomputed, is at version 1; expected version 0 "
                     "instead.");
    ck_assert_ptr_null(t_grad(x));
}
END_TEST

START_TEST(hooks_that_are_no_functions_are_refused) {
    ck_assert(!(t_autograd_graph_enter_saved_tensors_hooks)(NULL, NULL, NULL));
    expect_error("argument 1 is NULL where a function is expected");
    ck_assert_ptr_null(tg_thread.saved_hooks);
}
END_TEST

static bool attempt_checkpoint(void *x) {
    t_set_grad((Tensor *)x, NULL);
    Tensor *y = t_checkpoint(smooth, (Tensor *)x);
    return y && t_backward(t_sum(y));
}
static bool has_no_gradient(void *x) {
    const bool none = t_grad((Tensor *)x) == NULL || !t_error();
    return none;
}
static bool attempt_hooks(void *x) {
    Tensor *y = NULL;
    t_set_grad((Tensor *)x, NULL);
    if (!t_autograd_graph_enter_saved_tensors_hooks(copy_hook, copy_hook)) return false;
    y = smooth((Tensor *)x);
    t_autograd_graph_exit_saved_tensors_hooks();
    return y && t_backward(t_sum(y));
}

START_TEST(failing_allocations) {
    Tensor *x = t_ones(2, .requires_grad = true);
    t_manual_seed(0);
    refuse_all("checkpoint", attempt_checkpoint, has_no_gradient, x);
    t_set_grad(x, NULL);
    refuse_all("hooks", attempt_hooks, has_no_gradient, x);
    clear_errors();
    report_notes();
}
END_TEST

/* ---- modules ---- */

static Tensor *call_module(Tensor *x, void *module) {
    return nn_call(module, x);
}

START_TEST(checkpointed_models_train_the_same) {
    t_manual_seed(3);
    nn_Sequential *model = nn_Sequential(nn_Linear(4, 8), nn_Dropout(0.5), nn_Tanh(), nn_Linear(8, 8), nn_Dropout(0.5),
                                         nn_ReLU(), nn_Linear(8, 2));
    Tensor *x = t_randn(3, 4);
    t_manual_seed(5);
    t_backward(t_sum(t_square(nn_call(model, x))));
    t_TensorList *expected = t_list();
    for_parameters (p, model) t_list_append(expected, t_grad(p));
    Tensor *after = t_rand(1);
    for (int64_t segments = 1; segments <= 8; segments++) {
        nn_zero_grad(model);
        t_manual_seed(5);
        Tensor *y = segments == 8 ? t_checkpoint(call_module, x, .context = model)
                                  : t_checkpoint_sequential(model, segments, x);
        t_backward(t_sum(t_square(y)));
        t_TensorList *parameters = nn_parameters(model);
        for (int64_t i = 0; i < parameters->len; i++) HOLDS(t_equal(t_grad(parameters->items[i]), expected->items[i]));
        HOLDS(t_equal(after, t_rand(1)));
    }
    t_checkpoint_sequential(model, 8, x);
    expect_one_error("segments must be from 1 to the number of modules, 7, not 8");
    t_checkpoint_sequential(model, 0, x);
    expect_one_error("segments must be from 1 to the number of modules, 7, not 0");
}
END_TEST

/* The fused layer, whose bits are the same with a checkpoint. */
typedef struct EncoderCall {
    nn_TransformerEncoderLayer *layer;
} EncoderCall;
static Tensor *call_encoder(Tensor *x, void *call) {
    return nn_TransformerEncoderLayer_call(((EncoderCall *)call)->layer, x, NULL, NULL, false);
}

START_TEST(a_checkpointed_encoder_has_the_same_bits) {
    t_manual_seed(1);
    EncoderCall call = {nn_TransformerEncoderLayer(8, 2, 16, 0.25, .batch_first = true)};
    Tensor *x = t_randn(2, 5, 8, .requires_grad = true);
    t_TensorList *expected = t_grad(encoder_loss(call.layer, x), nn_parameters(call.layer));
    t_manual_seed(7);
    Tensor *y = t_checkpoint(call_encoder, x, .context = &call);
    t_TensorList *got = t_grad(t_sum(t_pow(y, 3)), nn_parameters(call.layer));
    for (int64_t i = 0; i < expected->len; i++) HOLDS(t_equal(got->items[i], expected->items[i]));
}
END_TEST

Suite *checkpoint_suite(void);
Suite *checkpoint_suite(void) {
    Suite *suite = suite_create("checkpoint");
    TCase *tests = tcase_create("checkpoint");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, hooks_are_called_as_in_pytorch);
    tcase_add_test(tests, a_rule_that_runs_a_backward_unpacks_again);
    tcase_add_test(tests, packed_tensors_have_their_history);
    tcase_add_test(tests, inplace_ops_pack_the_old_values);
    tcase_add_test(tests, models_have_the_same_gradients_under_hooks);
    tcase_add_test(tests, failing_hooks_are_errors);
    tcase_add_test(tests, a_hook_may_leave_by_longjmp);
    tcase_add_test(tests, a_checkpoint_draws_the_same_numbers);
    tcase_add_test(tests, a_checkpoint_can_be_differentiated_twice);
    tcase_add_test(tests, checkpoints_may_be_nested);
    tcase_add_test(tests, a_checkpoint_keeps_no_saved_tensors);
    tcase_add_test(tests, functions_that_change_are_errors);
    tcase_add_test(tests, an_inplace_function_is_an_error_in_backward);
    tcase_add_test(tests, a_write_to_a_recomputed_tensor_is_an_error);
    tcase_add_test(tests, hooks_that_are_no_functions_are_refused);
    tcase_add_test(tests, failing_allocations);
    tcase_add_test(tests, checkpointed_models_train_the_same);
    tcase_add_test(tests, a_checkpointed_encoder_has_the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
