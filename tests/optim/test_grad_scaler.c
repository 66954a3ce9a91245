/* tests/optim/test_grad_scaler.c: torch.amp.GradScaler, step by step as PyTorch 2.15 does it. */
#include <math.h>
#include <string.h>

#include "optim/optim.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

START_TEST(gradients_are_unscaled_once) {
    amp_GradScaler *scaler = amp_GradScaler();
    Tensor *p = t_tensor("[1., 2.]", .requires_grad = true);
    optim_Optimizer *o = optim_SGD(t_list(p), .lr = 0.1);
    expect_refusal(!(amp_step)(scaler, o),
                   "Attempted step but _scale is None.  This may indicate your script did not use "
                   "scaler.scale(loss or outputs) earlier in the iteration.");
    Tensor *scaled = amp_scale(scaler, t_sum(t_mul(p, 3)));
    ck_assert(t_item(scaled) == 589824);
    t_backward(scaled);
    expect_printed(t_grad(p), "tensor([196608., 196608.])");
    ck_assert(amp_unscale_(scaler, o));
    expect_printed(t_grad(p), "tensor([3., 3.])");
    expect_refusal(!(amp_unscale_)(scaler, o),
                   "unscale_() has already been called on this optimizer since the last update().");
    ck_assert(amp_step(scaler, o));
    ck_assert(t_allclose(p, t_tensor("[0.7, 1.7]")));
    expect_refusal(!(amp_step)(scaler, o), "step() has already been called since the last update().");
    expect_refusal(!(amp_unscale_)(scaler, o), "unscale_() is being called after step().");
    ck_assert(amp_update(scaler));
    expect_refusal(!(amp_update)(scaler, (double)NAN), "No inf checks were recorded prior to update.");
    ck_assert(amp_get_scale(scaler) == 65536);
}
END_TEST

START_TEST(a_step_with_inf_is_skipped) {
    amp_GradScaler *scaler = amp_GradScaler();
    Tensor *p = t_tensor("[1., 2.]", .requires_grad = true);
    optim_Optimizer *o = optim_SGD(t_list(p), .lr = 0.1);
    t_backward(amp_scale(scaler, t_sum(t_mul(p, INFINITY))));
    ck_assert(amp_step(scaler, o) && t_equal(p, t_tensor("[1., 2.]")) && amp_update(scaler));
    ck_assert(amp_get_scale(scaler) == 32768);
    t_TensorDict *state = amp_state_dict(scaler);
    ck_assert(t_dict_get_number(state, "scale") == 32768 && t_dict_get_number(state, "growth_interval") == 2000);
    amp_GradScaler *other = amp_GradScaler(.growth_factor = 3);
    ck_assert(amp_load_state_dict(other, state) && amp_get_scale(other) == 32768);
    expect_refusal(!(amp_load_state_dict)(other, t_dict()),
                   "The source state dict is empty, possibly because it was saved from a disabled instance of "
                   "GradScaler.");
    ck_assert(amp_get_growth_factor(other) == 2 && amp_get_backoff_factor(other) == 0.5);
    ck_assert_int_eq(amp_get_growth_interval(other), 2000);
    ck_assert(amp_set_growth_factor(other, 3) && amp_set_backoff_factor(other, 0.25));
    ck_assert(amp_set_growth_interval(other, 5));
    state = amp_state_dict(other);
    ck_assert(t_dict_get_number(state, "growth_factor") == 3 && t_dict_get_number(state, "backoff_factor") == 0.25);
    ck_assert_int_eq(t_dict_get_integer(state, "growth_interval"), 5);
    optim_zero_grad(o);
    expect_refusal(!(amp_step)(scaler, o), "No inf checks were recorded for this optimizer.");
}
END_TEST

START_TEST(the_scale_grows) {
    static const double scales[] = {8, 16, 16, 32, 32};
    amp_GradScaler *scaler = amp_GradScaler(.growth_interval = 2, .init_scale = 8);
    Tensor *p = t_tensor("[1., 2.]", .requires_grad = true);
    optim_Optimizer *o = optim_SGD(t_list(p), .lr = 0.1);
    for (int i = 0; i < 5; i++) {
        optim_zero_grad(o);
        t_backward(amp_scale(scaler, t_sum(t_mul(p, 2))));
        amp_step(scaler, o);
        amp_update(scaler);
        ck_assert(amp_get_scale(scaler) == scales[i]);
    }
    ck_assert(amp_update(scaler, .new_scale = 4) && amp_get_scale(scaler) == 4);
}
END_TEST

START_TEST(bad_scalers) {
    amp_GradScalerOptions bad = amp_GradScalerDefaults;
    bad.growth_factor = 1;
    expect_refusal(!amp_GradScaler_new(&bad), "The growth factor must be > 1.0.");
    bad = amp_GradScalerDefaults;
    bad.backoff_factor = 1;
    expect_refusal(!amp_GradScaler_new(&bad), "The backoff factor must be < 1.0.");
    amp_GradScaler *off = amp_GradScaler(.enabled = false);
    Tensor *loss = t_ones(1);
    ck_assert(amp_scale(off, loss) == loss && !amp_is_enabled(off) && amp_get_scale(off) == 1);
    ck_assert(amp_update(off) && amp_state_dict(off)->len == 0);
    expect_refusal(!(amp_scale)(NULL, loss), "argument 1 is NULL where a GradScaler is expected");
    Tensor *half = t_half(t_ones(2));
    t_requires_grad_(half, true);
    amp_GradScaler *scaler = amp_GradScaler();
    optim_Optimizer *o = optim_SGD(t_list(half), .lr = 0.1);
    t_backward(amp_scale(scaler, t_sum(t_mul(half, 0.5))));
    expect_refusal(!(amp_unscale_)(scaler, o), "Attempting to unscale FP16 gradients.");
}
END_TEST

typedef struct Unscaling {
    amp_GradScaler *scaler;
    optim_Optimizer *optimizer;
    Tensor *p, *q;
} Unscaling;

static bool unscales(void *with) {
    const Unscaling *u = with;
    return (amp_unscale_)(u->scaler, u->optimizer);
}

static bool is_still_scaled(void *with) {
    const Unscaling *u = with;
    return t_item(t_grad(u->p)) == 3 * 65536.0 && t_item(t_grad(u->q)) == 2 * 65536.0;
}

/* Also in anomaly mode, in which the products need memory. */
START_TEST(without_memory_no_gradient_is_unscaled) {
    for (int anomaly = 0; anomaly < 2; anomaly++) {
        Unscaling u = {.scaler = amp_GradScaler(), .p = t_ones(1), .q = t_ones(1)};
        t_requires_grad_(u.p, true);
        t_requires_grad_(u.q, true);
        u.optimizer = optim_SGD(t_list(u.p, u.q), .lr = 0.1);
        t_backward(amp_scale(u.scaler, t_add(t_mul(u.p, 3), t_mul(u.q, 2))));
        t_set_detect_anomaly(anomaly, NULL);
        refuse_all("amp_unscale_", unscales, is_still_scaled, &u);
        t_set_detect_anomaly(false, NULL);
        HOLDS(t_item(t_grad(u.p)) == 3 && t_item(t_grad(u.q)) == 2);
        report_notes();
    }
}
END_TEST

static void fails(optim_Optimizer *optimizer, void *context) {
    (void)optimizer, (void)context;
    t_fail("not now");
}

START_TEST(a_step_that_fails_leaves_the_gradients_divided_once) {
    amp_GradScaler *scaler = amp_GradScaler();
    Tensor *p = t_requires_grad_(t_ones(1), true);
    optim_Optimizer *optimizer = optim_SGD(t_list(p), .lr = 0.5);
    t_backward(amp_scale(scaler, t_mul(p, 3)));
    t_Hook *hook = optim_register_step_pre_hook(optimizer, fails, NULL);
    ck_assert(!(amp_step)(scaler, optimizer));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "not now"));
    t_clear_error();
    ck_assert(t_item(p) == 1 && t_item(t_grad(p)) == 3);
    t_hook_remove(hook);
    HOLDS(amp_step(scaler, optimizer));
    ck_assert(t_item(p) == -0.5 && t_item(t_grad(p)) == 3);
}
END_TEST

Suite *grad_scaler_suite(void);
Suite *grad_scaler_suite(void) {
    Suite *suite = suite_create("grad_scaler");
    TCase *tests = tcase_create("grad_scaler");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, gradients_are_unscaled_once);
    tcase_add_test(tests, a_step_with_inf_is_skipped);
    tcase_add_test(tests, the_scale_grows);
    tcase_add_test(tests, bad_scalers);
    tcase_add_test(tests, without_memory_no_gradient_is_unscaled);
    tcase_add_test(tests, a_step_that_fails_leaves_the_gradients_divided_once);
    suite_add_tcase(suite, tests);
    return suite;
}
