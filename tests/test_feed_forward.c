/* tests/test_feed_forward.c: dropout(activation(x W^T + b)) as one record beside the same made of three ops, with the same
 * random words: values, gradients, gradients of gradients, and what the generator gives next. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "nn/functional_sugar.h"
#include "nn/linear_internal.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support.h"

enum { Y, NEXT, DX, DW, DB, DDX, DDW, DDB, RESULTS };
static const char *const result_names[RESULTS] = {"y", "the next number", "dx", "dW", "db", "ddx", "ddW", "ddb"};
static const char *const activation_names[] = {"none", "relu", "gelu", "gelu by tanh"};

static Tensor *composed(Tensor *x, Tensor *weight, Tensor *bias, tg_Activation activation, double p, bool training) {
    Tensor *z = F_linear(x, weight, bias);
    Tensor *h = activation == TG_RELU ? F_relu(z) : activation == TG_GELU ? F_gelu(z) : F_gelu(z, .approximate = "tanh");
    return F_dropout(h, p, .training = training);
}

typedef struct Case {
    int64_t shape[3]; /* B, T, in */
    int64_t out;
    double p;
    bool training, with_bias, frozen_weight;
} Case;

static void run(const Case *c, tg_Activation activation, t_DType real, bool fused, Tensor **result) {
    uint64_t seed = seed_of("feed forward");
    Tensor *x = hashed_tensor("r", c->shape, 3, seed, 0, real), *w = hashed_tensor("r", SHAPE(c->out, c->shape[2]), seed, 1, real);
    Tensor *b = c->with_bias ? hashed_tensor("r", SHAPE(c->out), seed, 2, real) : NULL, *R = hashed_tensor("R", SHAPE(c->shape[0], c->shape[1], c->out), seed, 3, real);
    if (c->frozen_weight) w = t_detach(w);
    t_manual_seed(7);
    Tensor *y = result[Y] = (fused ? tg_feed_forward : composed)(x, w, b, activation, c->p, c->training);
    ck_assert_msg(y != NULL, "%s", t_error());
    result[NEXT] = t_rand(3);
    t_TensorList *inputs = t_list(x);
    if (!c->frozen_weight) t_list_append(inputs, w);
    if (b) t_list_append(inputs, b);
    t_TensorList *first = t_grad(t_sum(t_mul(y, R)), inputs, .retain_graph = true), *again = t_grad(t_sum(t_mul(t_mul(y, y), R)), inputs, .create_graph = true);
    Tensor *along = t_zeros(.dtype = real);
    for (int64_t i = 0; i < again->len; i++) along = t_add(along, t_sum(t_mul(again->items[i], again->items[i])));
    t_TensorList *second = t_grad(along, inputs);
    for (int64_t i = 0, at = DX; i < first->len; i++, at++) {
        if (inputs->items[i] == b) at = DB;
        result[at] = first->items[i];
        result[at + DDX - DX] = second->items[i];
    }
}

static void compare(const Case *c, tg_Activation activation, t_DType real) {
    Tensor *one[RESULTS] = {NULL}, *three[RESULTS] = {NULL};
    run(c, activation, real, true, one);
    run(c, activation, real, false, three);
    for (int i = 0; i < RESULTS; i++) {
        if (!one[i] && !three[i]) continue;
        double off = t_item(t_max(t_abs(t_sub(one[i], three[i])))), size = t_item(t_max(t_abs(three[i])));
        if (!(off <= (real == t_float64 ? 1e-13 : 1e-5) * (size + 1)) || (i == NEXT && off != 0))
            note("%s of %s, %s, out %d, p %g: off by %g of %g", result_names[i], activation_names[activation], real == t_float64 ? "double" : "float", (int)c->out, c->p, off, size);
    }
}

START_TEST(one_record_is_three_ops) {
    static const Case cases[] = {
        {{2, 5, 7}, 13, 0.3, true, true, false}, {{1, 3, 4}, 3, 0, true, true, false},    {{3, 40, 20}, 70, 0.5, true, true, false},
        {{2, 4, 6}, 33, 0.3, false, true, false}, {{2, 3, 5}, 17, 0.1, true, false, false}, {{2, 3, 5}, 8, 0.1, true, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int activation = TG_RELU; activation <= TG_GELU_TANH; activation++) {
            compare(&cases[i], activation, t_float32);
            compare(&cases[i], activation, t_float64);
        }
    report_notes();
}
END_TEST

/* Gradients in two parts, as they come when a layer is used twice: the second is added to the first where it lies. */
START_TEST(a_layer_used_twice) {
    for (int real = t_float32; real <= t_float64; real++) {
        Inputs in = make_inputs("r(3,5,6) r(6,6) r(6)", 3, real);
        Tensor *x = in.x[0], *w = in.x[1], *b = in.x[2];
        t_backward(t_sum(t_square(F_linear(F_linear(x, w, b), w, b))));
        Tensor *got[] = {t_grad(x), t_grad(w), t_grad(b)};
        Inputs other = make_inputs("r(3,5,6) r(6,6) r(6)", 3, real);
        Tensor *h = t_add(t_matmul(other.x[0], t_transpose(other.x[1], 0, 1)), other.x[2]);
        t_backward(t_sum(t_square(t_add(t_matmul(h, t_transpose(other.x[1], 0, 1)), other.x[2]))));
        for (int i = 0; i < 3; i++) {
            Tensor *want = t_grad(other.x[i]);
            double off = t_item(t_max(t_abs(t_sub(got[i], want)))), size = t_item(t_max(t_abs(want)));
            if (!(off <= (real == t_float64 ? 1e-13 : 1e-5) * size)) note("gradient %d is off by %g of %g", i, off, size);
        }
    }
    report_notes();
}
END_TEST

static Tensor *doubled(void *self, Tensor *x) {
    (void)self;
    return t_mul(x, t_number(2));
}

/* A network whose parts were exchanged is made of the parts it has. */
START_TEST(exchanged_parts_count) {
    nn_FeedForward *network = nn_FeedForward(6, 8, .dropout = 0);
    Tensor *x = t_randn(2, 3, 6), *plain = nn_call(network, x);
    Tensor *h = F_relu(F_linear(x, network->fc1->weight, network->fc1->bias));
    ck_assert(t_equal(plain, F_linear(h, network->fc2->weight, network->fc2->bias)));
    network->activation->forward = doubled;
    h = t_mul(F_linear(x, network->fc1->weight, network->fc1->bias), t_number(2));
    ck_assert(t_equal(nn_call(network, x), F_linear(h, network->fc2->weight, network->fc2->bias)));
}
END_TEST

/* Where nothing is recorded a weight is packed at its second use, and again after any write, also through a view of it or by
 * an optimizer. */
static void used_twice(Tensor *x, Tensor *w, Tensor *part, const char *when) {
    for (int i = 0; i < 4; i++)
        with_no_grad() {
            Tensor *want = t_matmul(t_detach(x), t_t(t_clone(w))), *of_part = t_matmul(t_detach(x), t_t(t_clone(part)));
            if (!t_equal(F_linear(x, w), want)) note("%s: use %d of the weight", when, i);
            if (!t_equal(F_linear(x, part), of_part)) note("%s: use %d of a part of it", when, i);
        }
}

START_TEST(a_packed_weight_knows_of_writes) {
    Tensor *x = t_randn(5, 200), *w = nn_Parameter(t_randn(130, 200)), *part = NULL, *row = NULL;
    with_no_grad() {
        part = t_narrow(w, 0, 20, 100);
        row = t_select(w, 0, 50);
    }
    used_twice(x, w, part, "new");
    with_no_grad() { t_fill_(row, 3); }
    used_twice(x, w, part, "after a write through a view");
    with_no_grad() { t_mul_(w, t_number(2)); }
    used_twice(x, w, part, "after a write");
    t_backward(t_sum(F_linear(x, w)));
    optim_Optimizer *optimizer = (optim_Optimizer *)optim_SGD(t_list(w), .lr = 0.5);
    optim_step(optimizer);
    used_twice(x, w, part, "after a step");
    float *numbers = t_data_mut(w); /* which may be written through at any time */
    used_twice(x, w, part, "pointed at");
    numbers[130] = 7;
    used_twice(x, w, part, "after a write through the pointer");
    report_notes();
}
END_TEST

/* A weight that got data of another dtype since it was saved is not what the rule wants. */
START_TEST(a_weight_of_another_dtype_is_seen) {
    nn_Linear *layer = nn_Linear(4, 3);
    Tensor *x = t_randn((2, 4), .dtype = t_float64, .requires_grad = true);
    nn_to(layer, t_float64);
    Tensor *y = t_sum(nn_call(layer, x));
    nn_to(layer, t_float32);
    ck_assert(!t_backward(y));
    ck_assert_ptr_nonnull(strstr(t_error(), "modified by an inplace operation"));
    t_clear_error();
}
END_TEST

/* The first derivative is the same whether it can be differentiated again or not, also where y is NaN. */
START_TEST(relu_passes_on_what_follows_a_nan) {
    Tensor *x = t_tensor(((float[]){NAN, -1, 2}), (3, 1)), *w = t_ones((1, 1), .requires_grad = true);
    t_requires_grad_(x, true);
    for (int again = 0; again < 2; again++) {
        Tensor *y = tg_feed_forward(x, w, NULL, TG_RELU, 0, true);
        t_TensorList *g = t_grad(t_sum(y), x, .create_graph = again == 1);
        for (int i = 0; i < 3; i++) ck_assert_double_eq(t_item(t_select(t_view(g->items[0], -1), 0, i)), i == 1 ? 0 : 1);
    }
}
END_TEST

Suite *feed_forward_suite(void);
Suite *feed_forward_suite(void) {
    Suite *suite = suite_create("feed_forward");
    TCase *tests = tcase_create("feed_forward");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, one_record_is_three_ops);
    tcase_add_test(tests, a_layer_used_twice);
    tcase_add_test(tests, exchanged_parts_count);
    tcase_add_test(tests, a_packed_weight_knows_of_writes);
    tcase_add_test(tests, a_weight_of_another_dtype_is_seen);
    tcase_add_test(tests, relu_passes_on_what_follows_a_nan);
    suite_add_tcase(suite, tests);
    return suite;
}
