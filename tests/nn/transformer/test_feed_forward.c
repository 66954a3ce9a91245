/* tests/nn/transformer/test_feed_forward.c: dropout(activation(x W1^T + b1)) W2^T + b2 as one record compared with the
 * same composed of four ops, with the same random outputs: values, gradients, gradients of gradients, and the
 * generator's state after it. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "nn/sugar/functional.h"
#include "nn/transformer/transformer_internal.h"
#include "optim/optim.h"
#include "tests/support/support.h"

enum { Y, NEXT, DX, DW1, DB1, DW2, DB2, DDX, RESULTS = 2 * DDX - DX };
static const char *const result_names[RESULTS] = {"y",   "the next random value", "dx",   "dW1",  "db1",  "dW2",
                                                  "db2", "ddx",             "ddW1", "ddb1", "ddW2", "ddb2"};
static const char *const activation_names[] = {"none", "relu", "gelu", "gelu by tanh"};

static Tensor *composed(Tensor *x, const tg_FeedForward *n) {
    Tensor *z = F_linear(x, n->weight1, n->bias1);
    Tensor *h = n->activation == TG_RELU   ? F_relu(z)
                : n->activation == TG_GELU ? F_gelu(z)
                                           : F_gelu(z, .approximate = "tanh");
    return F_linear(F_dropout(h, n->p), n->weight2, n->bias2);
}

typedef struct Case {
    int64_t shape[3]; /* B, T, in */
    int64_t hidden, out;
    double p;
    bool with_bias, frozen_weight, twice; /* frozen: W1; twice: with a second backward */
} Case;

static void run(const Case *c, tg_Activation activation, t_DType real, bool fused, Tensor **result) {
    uint64_t seed = seed_of("feed forward");
    Tensor *R = hashed_tensor("R", SHAPE(c->shape[0], c->shape[1], c->out), seed, 5, real);
    Tensor *in[] = {hashed_tensor("r", c->shape, 3, seed, 0, real),
                    hashed_tensor("r", SHAPE(c->hidden, c->shape[2]), seed, 1, real),
                    c->with_bias ? hashed_tensor("r", SHAPE(c->hidden), seed, 2, real) : NULL,
                    hashed_tensor("r", SHAPE(c->out, c->hidden), seed, 3, real),
                    c->with_bias ? hashed_tensor("r", SHAPE(c->out), seed, 4, real) : NULL};
    if (c->frozen_weight) in[1] = t_detach(in[1]);
    const tg_FeedForward network = {in[1], in[2], in[3], in[4], activation, c->p};
    t_manual_seed(7);
    Tensor *y = result[Y] = (fused ? tg_feed_forward : composed)(in[0], &network);
    ck_assert_msg(y != NULL, "%s", t_error());
    result[NEXT] = t_rand(3);
    t_TensorList *inputs = t_list(in[0]);
    for (int i = 1; i < 5; i++)
        if (in[i] && in[i]->requires_grad) t_list_append(inputs, in[i]);
    t_TensorList *again = t_grad(t_sum(t_mul(t_mul(y, y), R)), inputs, .create_graph = true);
    Tensor *along = t_zeros(.dtype = real), *loss = t_sum(t_mul(y, R));
    for (int64_t i = 0; i < again->len; i++) along = t_add(along, t_sum(t_mul(again->items[i], again->items[i])));
    t_TensorList *second = t_grad(along, inputs, .retain_graph = true);
    if (c->twice) t_grad(loss, inputs, .retain_graph = true);
    t_TensorList *first = t_grad(loss, inputs);
    for (int64_t i = 0, at = 0; i < 5; i++) {
        if (!in[i] || !in[i]->requires_grad) continue;
        result[DX + i] = first->items[at];
        result[DDX + i] = second->items[at++];
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
            note("%s of %s, %s, out %d, p %g: off by %g of %g", result_names[i], activation_names[activation],
                 real == t_float64 ? "double" : "float", (int)c->out, c->p, off, size);
    }
}

START_TEST(one_record_is_four_ops) {
    static const Case cases[] = {
        {{2, 5, 7}, 13, 6, 0.3, true, false, false},    {{1, 3, 4}, 3, 5, 0, true, false, true},
        {{3, 40, 20}, 70, 33, 0.5, true, false, false}, {{2, 4, 6}, 33, 6, 0, true, false, false},
        {{2, 3, 5}, 17, 4, 0.1, false, false, true},    {{2, 3, 5}, 8, 5, 0.1, true, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int activation = TG_RELU; activation <= TG_GELU_TANH; activation++) {
            compare(&cases[i], activation, t_float32);
            compare(&cases[i], activation, t_float64);
        }
    report_notes();
}
END_TEST

/* Gradients of a layer that is used twice: the second is accumulated into the first in place. */
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
            if (!(off <= (real == t_float64 ? 1e-13 : 1e-5) * size))
                note("gradient %d is off by %g of %g", i, off, size);
        }
    }
    report_notes();
}
END_TEST

static Tensor *doubled(void *self, Tensor *x) {
    (void)self;
    return t_mul(x, t_number(2));
}

/* A network whose submodules were replaced uses the new ones. */
START_TEST(replaced_submodules_are_used) {
    nn_FeedForward *network = nn_FeedForward(6, 8, .dropout = 0);
    Tensor *x = t_randn(2, 3, 6), *plain = nn_call(network, x);
    Tensor *h = F_relu(F_linear(x, network->fc1->weight, network->fc1->bias));
    ck_assert(t_equal(plain, F_linear(h, network->fc2->weight, network->fc2->bias)));
    network->activation->forward = doubled;
    h = t_mul(F_linear(x, network->fc1->weight, network->fc1->bias), t_number(2));
    ck_assert(t_equal(nn_call(network, x), F_linear(h, network->fc2->weight, network->fc2->bias)));
}
END_TEST

/* Where nothing is recorded a weight is packed at its second use, and again after any write, also through a view of it
 * or by an optimizer. */
static void used_twice(Tensor *x, Tensor *w, Tensor *part, const char *when) {
    for (int i = 0; i < 4; i++)
        with_no_grad() {
            Tensor *want = t_matmul(t_detach(x), t_t(t_clone(w))), *of_part = t_matmul(t_detach(x), t_t(t_clone(part)));
            if (!t_equal(F_linear(x, w), want)) note("%s: use %d of the weight", when, i);
            if (!t_equal(F_linear(x, part), of_part)) note("%s: use %d of a part of it", when, i);
        }
}

START_TEST(a_packed_weight_notices_writes) {
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
    float *values = t_data_ptr_mut(w); /* a pointer that may be written through at any time */
    used_twice(x, w, part, "pointed at");
    values[130] = 7;
    used_twice(x, w, part, "after a write through the pointer");
    report_notes();
}
END_TEST

/* A weight whose data got another dtype after it was saved is refused in backward. */
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
        Tensor *y = tg_feed_forward(x, &(tg_FeedForward){w, NULL, w, NULL, TG_RELU, 0});
        Tensor *g = t_grad(t_sum(y), x, .create_graph = again == 1);
        for (int i = 0; i < 3; i++) ck_assert_double_eq(t_item(t_select(t_view(g, -1), 0, i)), i == 1 ? 0 : 1);
    }
}
END_TEST

/* A backward with retain_graph keeps the saved tensors; the next one frees them, and a third is an error. Gelu's
 * network saves no more than x, z and one bit per element. */
START_TEST(saved_buffers_are_reused_once) {
    nn_FeedForward *network = nn_FeedForward(16, 64, .activation = "gelu", .dropout = 0.5);
    Tensor *x = t_randn((2, 32, 16), .requires_grad = true);
    int64_t before = t_live_bytes();
    Tensor *loss = t_sum(nn_call(network, x));
    ck_assert_int_lt(t_live_bytes() - before, 4 * 64 * 64 + 4 * 64 * 16 + 2048);
    Tensor *one = t_grad(loss, x, .retain_graph = true), *two = t_grad(loss, x);
    ck_assert(t_equal(one, two));
    ck_assert_ptr_null(t_grad(loss, x));
    ck_assert_ptr_nonnull(strstr(t_error(), "a second time"));
    t_clear_error();
}
END_TEST

Suite *feed_forward_suite(void);
Suite *feed_forward_suite(void) {
    Suite *suite = suite_create("feed_forward");
    TCase *tests = tcase_create("feed_forward");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, one_record_is_four_ops);
    tcase_add_test(tests, saved_buffers_are_reused_once);
    tcase_add_test(tests, a_layer_used_twice);
    tcase_add_test(tests, replaced_submodules_are_used);
    tcase_add_test(tests, a_packed_weight_notices_writes);
    tcase_add_test(tests, a_weight_of_another_dtype_is_seen);
    tcase_add_test(tests, relu_passes_on_what_follows_a_nan);
    suite_add_tcase(suite, tests);
    return suite;
}
