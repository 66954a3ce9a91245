/* tests/nn/module/test_safetensors_model.c: save_model and load_model of safetensors.torch. */
#include <stdio.h>
#include <unistd.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

typedef struct Tied {
    nn_Module base;
    nn_Linear *encoder, *decoder;
} Tied;

static Tensor *tied_call(Tied *self, Tensor *x) {
    return nn_call(self->decoder, nn_call(self->encoder, x));
}

static Tied *tied(void) {
    Tied *self = nn_module(Tied, tied_call);
    nn_set(self, encoder, nn_Linear(3, 3));
    nn_set(self, decoder, nn_Linear(3, 3));
    nn_set(self->decoder, weight, self->encoder->weight);
    return self;
}

static const char *path(void) {
    return t_format("build/safetensors_model.%d", (int)getpid());
}

START_TEST(tied_weights_are_written_once) {
    const char *file = path();
    t_manual_seed(1);
    Tied *model = tied(), *other = tied();
    HOLDS(safetensors_save_model(model, file));
    t_TensorDict *written = safetensors_load_file(file);
    ck_assert_int_eq(written->len, 4);
    ck_assert_str_eq(t_dict_get_text(written, "encoder.weight"), "decoder.weight");
    HOLDS(safetensors_load_model(other, file));
    Tensor *x = t_rand(2, 3);
    HOLDS(t_equal(nn_call(model, x), nn_call(other, x)) && other->encoder->weight == other->decoder->weight);
    unlink(file);
}
END_TEST

START_TEST(what_is_missing_is_told) {
    const char *file = path();
    nn_IncompatibleKeys keys;
    nn_Linear *small = nn_Linear(3, 3, .bias = false), *model = nn_Linear(3, 3);
    HOLDS(safetensors_save_model(small, file));
    HOLDS(!(safetensors_load_model)(model, file, true, NULL));
    HOLDS(strstr(t_error(), "Missing key(s) in state_dict: \"bias\"") != NULL);
    t_clear_error();
    HOLDS(safetensors_load_model(model, file, .strict = false, .keys = &keys));
    HOLDS(keys.missing_keys->len == 1 && keys.unexpected_keys->len == 0 && t_equal(model->weight, small->weight));
    unlink(file);
}
END_TEST

Suite *safetensors_model_suite(void);
Suite *safetensors_model_suite(void) {
    Suite *suite = suite_create("safetensors_model");
    TCase *tests = tcase_create("safetensors_model");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, tied_weights_are_written_once);
    tcase_add_test(tests, what_is_missing_is_told);
    suite_add_tcase(suite, tests);
    return suite;
}
