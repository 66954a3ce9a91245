/* tests/nn/module/test_module_lifetimes.c: what a module keeps alive and what it releases: calls, side results,
 * parents. */
#include "tests/support/models/notebook_model.h"

void add_module_lifetime_tests(Suite *suite);

/* ---- calls ---- */

typedef struct Wave {
    nn_Module base;
    nn_Linear *fc;
    Tensor *last;
} Wave;

/* Makes four tensors and keeps one of them. */
static Tensor *wave_call(Wave *self, Tensor *x) {
    Tensor *angle = nn_call(self->fc, x), *sine = t_sin(angle);
    nn_keep(self, last, sine);
    return t_mul(t_add(sine, 1), angle);
}

static Wave *wave(void) {
    Wave *self = nn_module(Wave, wave_call);
    nn_set(self, fc, nn_Linear(3, 3));
    return self;
}

typedef struct Hypotenuse {
    nn_Module base;
} Hypotenuse;

static Tensor *hypotenuse_call(Hypotenuse *self, Tensor *a, Tensor *b) {
    (void)self;
    return t_sqrt(t_add(t_square(a), t_square(b)));
}

START_TEST(intermediates_are_gone_after_a_call) {
    Wave *model = wave();
    Tensor *x = t_randn(2, 3);
    with_no_grad() {
        nn_call(model, x); /* the first call keeps `last` */
        int64_t live = t_live_count();
        Tensor *y = nn_call(model, x);
        ck_assert_int_eq(t_live_count(), live + 1);
        HOLDS(t_equal(y, t_mul(t_add(model->last, 1), nn_call(model->fc, x))));
        live = t_live_count();
        nn_call(nn_EncoderLayer(4, 2, 6), t_randn(2, 3, 4)); /* sixteen parameters, the input, the output */
        ck_assert_int_eq(t_live_count(), live + 18);
    }
}
END_TEST

START_TEST(the_tape_keeps_what_backward_needs) {
    Wave *model = wave();
    Tensor *x = t_randn(2, 3);
    int64_t live = t_live_count();
    with_scope() {
        Tensor *y = nn_call(model, x);
        t_backward(t_sum(y));
        ck_assert_ptr_nonnull(t_grad(model->fc->weight));
    }
    nn_zero_grad(model);
    ck_assert_int_eq(t_live_count(), live + 1); /* `last` */
}
END_TEST

START_TEST(a_layer_that_returns_its_input_moves_nothing) {
    Tensor *x = t_randn(2, 3);
    nn_Sequential *model = nn_Sequential(nn_Identity(), nn_Dropout(0), nn_Identity());
    int64_t live = t_live_count();
    with_scope() ck_assert_ptr_eq(nn_call(model, x), x);
    ck_assert_int_eq(t_live_count(), live);
    HOLDS(t_equal(x, x));
}
END_TEST

START_TEST(a_forward_of_two_tensors) {
    Hypotenuse *model = nn_module2(Hypotenuse, hypotenuse_call);
    Tensor *a = t_tensor("[3.0]"), *b = t_tensor("[4.0]");
    with_no_grad() {
        int64_t live = t_live_count();
        ck_assert_double_eq(t_item(nn_call(model, a, b)), 5);
        ck_assert_int_eq(t_live_count(), live + 1);
    }
}
END_TEST

START_TEST(user_classes_work_in_containers) {
    Wave *first = wave();
    nn_Sequential *model = nn_Sequential(first, nn_ReLU(), wave());
    Tensor *x = t_randn(2, 3), *y = nn_call(model, x);
    Tensor *by_hand = nn_call(nn_get(model, 2), t_relu(nn_call(first, x)));
    HOLDS(t_equal(y, by_hand));
    ck_assert_int_eq(nn_count_parameters(model, true), 24);
}
END_TEST

/* ---- side results ---- */

START_TEST(kept_tensors_live_with_their_module) {
    Wave *model = wave();
    Tensor *x = t_randn(2, 3);
    with_no_grad() {
        with_scope() nn_call(model, x);
        HOLDS(t_equal(model->last, t_sin(nn_call(model->fc, x))));
        int64_t live = t_live_count();
        for_range (i, 0, 5) nn_call(model, x);
        ck_assert_int_eq(t_live_count(), live);
    }
    ck_assert_int_eq(nn_parameters(model)->len, 2);
    ck_assert_int_eq(nn_buffers(model)->len, 0);
    ck_assert_int_eq(nn_named_modules(model)->len, 2);
    nn_to(model, t_float64);
    ck_assert_int_eq(t_dtype(model->last), t_float32);
}
END_TEST

START_TEST(attention_weights_outlive_the_call) {
    nn_Encoder *encoder = nn_Encoder(2, 4, 2, 6, 11, .max_len = 9);
    Tensor *ids = t_tensor("[[1, 2, 3], [4, 5, 6]]"), *first = NULL;
    with_scope() {
        t_TensorList *weights;
        nn_Encoder_call(encoder, ids, NULL, &weights);
        ck_assert_int_eq(weights->len, 2);
        ck_assert_str_eq(t_size_repr(t_list_get(weights, 1)), "torch.Size([2, 2, 3, 3])");
        HOLDS(t_allclose(t_sum(t_list_get(weights, 0), -1), t_ones(2, 2, 3)));
        first = t_list_get(weights, 0);
        ck_assert_double_eq_tol(t_item(t_sum(first)), 12, 1e-5);
    }
}
END_TEST

/* ---- ownership ---- */

START_TEST(a_parent_keeps_its_children) {
    nn_ModuleList *list = nn_ModuleList();
    Wave *kept;
    int64_t live = t_live_count();
    with_scope() {
        for (int i = 0; i < 3; i++) nn_append(list, nn_Sequential(wave(), nn_LayerNorm(3)));
        wave();
        kept = t_keep(wave());
    }
    ck_assert_int_eq(t_live_count(), live + 3 * 4 + 2);
    Tensor *x = t_randn(2, 3);
    for_module (child, list) x = nn_call(child, x);
    ck_assert_str_eq(t_size_repr(nn_call(kept, x)), "torch.Size([2, 3])");
}
END_TEST

START_TEST(a_module_goes_with_its_scope) {
    int64_t live = t_live_count(), bytes = t_live_bytes();
    with_scope() {
        EncoderClassifier *model = encoder_classifier((ClassifierOptions){2, 4, 2, 6, 11, 9, 0.1});
        t_backward(t_sum(encoder_classifier_call(model, t_tensor("[[1, 2, 3]]"), NULL, NULL)));
    }
    ck_assert_int_eq(t_live_count(), live);
    ck_assert_int_eq(t_live_bytes(), bytes);
}
END_TEST

START_TEST(a_replaced_child_goes_with_its_scope) {
    Wave *model = wave();
    with_scope() nn_set(model, fc, nn_Linear(3, 3));
    int64_t live = t_live_count();
    with_scope() nn_set(model, fc, nn_Linear(3, 3));
    ck_assert_int_eq(t_live_count(), live);
    ck_assert_str_eq(t_size_repr(nn_call(model, t_randn(1, 3))), "torch.Size([1, 3])");
}
END_TEST

void add_module_lifetime_tests(Suite *suite) {
    TCase *tests = tcase_create("lifetimes");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, intermediates_are_gone_after_a_call);
    tcase_add_test(tests, the_tape_keeps_what_backward_needs);
    tcase_add_test(tests, a_layer_that_returns_its_input_moves_nothing);
    tcase_add_test(tests, a_forward_of_two_tensors);
    tcase_add_test(tests, user_classes_work_in_containers);
    tcase_add_test(tests, kept_tensors_live_with_their_module);
    tcase_add_test(tests, attention_weights_outlive_the_call);
    tcase_add_test(tests, a_parent_keeps_its_children);
    tcase_add_test(tests, a_module_goes_with_its_scope);
    tcase_add_test(tests, a_replaced_child_goes_with_its_scope);
    suite_add_tcase(suite, tests);
}
