/* tests/nn/module/test_module_path.c: errors inside modules name the module's path and class: "in model.2, Linear(4,
 * 2): ". */
#include <setjmp.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "tests/support/support.h"

#define MISFIT "addmm: mat1 and mat2 shapes cannot be multiplied "

/* The call must fail once; its text must end with this, and its sentence must be PyTorch's. */
static void expect_text(const char *end, const char *sentence) {
    const char *text = last_error_text();
    const size_t length = strlen(text), wanted = strlen(end);
    ck_assert_int_eq(error_count(), 1);
    ck_assert_msg(length >= wanted && strcmp(text + length - wanted, end) == 0, "said %s\nexpected ... %s", text, end);
    ck_assert_str_eq(t_error_message(), sentence);
    clear_errors();
    t_clear_error();
}
#define FAILS(call, place, sentence)                              \
    do {                                                          \
        ck_assert_ptr_null(call);                                 \
        expect_text(#call ": in " place ": " sentence, sentence); \
    } while (0)

START_TEST(names_the_variable_and_the_child) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 4), nn_ReLU(), nn_Sequential(nn_Linear(2, 5)));
    Tensor *x = t_ones(2, 3);
    FAILS(nn_call(model, x), "model.2.0, Linear(2, 5)", MISFIT "(2x4 and 2x5)");
    FAILS(nn_call(nn_Linear(4, 2), x), "Linear, Linear(4, 2)", MISFIT "(2x3 and 4x2)");
    ck_assert_ptr_null(t_matmul(x, x));
    expect_text("t_matmul(x, x): mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
                 "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
}
END_TEST

typedef struct Net {
    nn_Module base;
    nn_ModuleList *layers;
    nn_Linear *head;
    nn_Module *unregistered;
} Net;
static Tensor *net_call(Net *self, Tensor *x) {
    for_module (layer, self->layers) x = nn_call(layer, x);
    if (self->unregistered) return nn_call(self->unregistered, x);
    return t_add(nn_call(self->head, x), t_ones(7));
}
static Net *net(int64_t width, int64_t out) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, layers, nn_ModuleList(nn_Linear(3, 4), nn_Linear(width, 4)));
    nn_set(self, head, nn_Linear(4, out));
    return self;
}

/* A module of a list has the name that it has in the state dict; the line is the one in the forward. */
START_TEST(names_the_modules_of_a_users_class) {
    Net *model = net(5, 2);
    Tensor *x = t_ones(2, 3);
    ck_assert_ptr_null(nn_call(model, x));
    expect_text("nn_call(layer, x): in model.layers.1, Linear(5, 4): " MISFIT "(2x4 and 5x4)",
                 MISFIT "(2x4 and 5x4)");
    model = net(4, 2);
#define SIZES "The size of tensor a (2) must match the size of tensor b (7) at non-singleton dimension 1"
    ck_assert_ptr_null(nn_call(model, x));
    expect_text("t_add(nn_call(self->head, x), t_ones(7)): in model, Net: " SIZES, SIZES);
    model->unregistered = (nn_Module *)nn_Dropout(0.5);
    ck_assert_ptr_nonnull(nn_call(model, x));
    model->unregistered = (nn_Module *)nn_Linear(6, 6);
    ck_assert_ptr_null(nn_call(model, x));
    expect_text("nn_call(self->unregistered, x): in model.Linear, Linear(6, 6): " MISFIT "(2x4 and 6x6)",
                 MISFIT "(2x4 and 6x6)");
    Net *models[] = {net(4, 2)};
    ck_assert_ptr_null(nn_call(models[0], x));
    expect_text(": in models[0], Net: " SIZES, SIZES);
}
END_TEST

/* Functions with a name of their own, their layers, and attention. */
START_TEST(names_the_modules_of_transformers) {
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(nn_TransformerEncoderLayer(4, 2, 8), 2);
    Tensor *x = t_ones(5, 1, 6);
    nn_TransformerEncoderLayer *layer = nn_get(encoder->layers, 0, nn_TransformerEncoderLayer);
    FAILS(nn_TransformerEncoder_call(encoder, x), "encoder.layers.0.self_attn, MultiheadAttention",
          "was expecting embedding dimension of 4, but got 6");
    FAILS(nn_TransformerEncoderLayer_call(layer, x), "layer.self_attn, MultiheadAttention",
          "was expecting embedding dimension of 4, but got 6");
    nn_set_item(encoder->layers, 1, nn_TransformerEncoderLayer(6, 2, 8));
    FAILS(nn_call(encoder, t_ones(5, 1, 4)), "encoder.layers.1.self_attn, MultiheadAttention",
          "was expecting embedding dimension of 6, but got 4");
    nn_LSTM *lstm = nn_LSTM(3, 4);
    FAILS(nn_LSTM_call(lstm, x), "lstm, LSTM(3, 4)",
          "input.size(-1) must be equal to input_size. Expected 3, got 6");
}
END_TEST

/* Numbers and tuples that the repr begins with. */
START_TEST(prints_the_sizes_of_a_class) {
    Tensor *x = t_ones(2, 3);
    nn_LayerNorm *norm = nn_LayerNorm((4));
    ck_assert_ptr_null(nn_call(norm, x));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "in norm, LayerNorm((4,), 1e-05): Given normalized_shape=[4]"));
    clear_errors();
    t_clear_error();
    nn_Conv2d *conv = nn_Conv2d(3, 8, 3);
    ck_assert_ptr_null(nn_call(conv, x));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "in conv, Conv2d(3, 8, (3, 3), (1, 1)): Expected 3D"));
    clear_errors();
    t_clear_error();
    nn_Softmax *softmax = nn_Softmax(5);
    ck_assert_ptr_null(nn_call(softmax, x));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "in softmax, Softmax(5): Dimension out of range"));
    clear_errors();
    t_clear_error();
}
END_TEST

static jmp_buf out;
static void leave(const char *text, void *context) {
    (void)text;
    (void)context;
    longjmp(out, 1);
}

/* After an error handler left a forward by longjmp, no module is being called. */
START_TEST(unwinding_leaves_the_modules) {
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3));
    Tensor *x = t_ones(2, 3);
    t_set_error_handler(leave, NULL);
    const t_Mark mark = t_mark();
    if (!setjmp(out)) {
        nn_call(model, x);
        ck_abort_msg("the call did not fail");
    }
    t_unwind(mark);
    t_set_error_handler(NULL, NULL);
    ck_assert_ptr_null((t_matmul)(x, x));
    ck_assert_str_eq(t_error(), "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    t_clear_error();
}
END_TEST

/* A path of thousands of characters is cut, and the sentence is whole. */
START_TEST(cuts_long_paths) {
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    void *inner = nn_Linear(2, 5);
    for (int i = 0; i < 3; i++) {
        nn_Sequential *model = nn_Sequential();
        nn_register_module(&model->base, name, inner);
        inner = model;
    }
    ck_assert_ptr_null(nn_call(inner, t_ones(2, 3)));
    ck_assert_str_eq(t_error_message(), MISFIT "(2x3 and 2x5)");
    ck_assert_ptr_nonnull(strstr(last_error_text(), "in inner.nnn"));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "nnn: " MISFIT "(2x3 and 2x5)"));
    clear_errors();
    t_clear_error();
}
END_TEST

Suite *module_path_suite(void) {
    Suite *suite = suite_create("module_path");
    TCase *cases = tcase_create("module_path");
    tcase_add_checked_fixture(cases, support_setup, support_teardown);
    tcase_add_test(cases, names_the_variable_and_the_child);
    tcase_add_test(cases, names_the_modules_of_a_users_class);
    tcase_add_test(cases, names_the_modules_of_transformers);
    tcase_add_test(cases, prints_the_sizes_of_a_class);
    tcase_add_test(cases, unwinding_leaves_the_modules);
    tcase_add_test(cases, cuts_long_paths);
    suite_add_tcase(suite, cases);
    return suite;
}
