/* tests/nn/modules/test_large_vocabulary.c: the layers for many words or classes, nn.EmbeddingBag,
 * nn.AdaptiveLogSoftmaxWithLoss and nn.LinearCrossEntropyLoss, with PyTorch's initial bits, texts, values and gradients
 * (golden/large_vocabulary*.txt, written by record_large_vocabulary.py, which has the same modules). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

#define MODULES(X)                                                                    \
    X(bag_mean, nn_EmbeddingBag(5, 3))                                                \
    X(bag_sum, nn_EmbeddingBag(5, 3, .mode = "sum", .padding_idx = -4))               \
    X(bag_max, nn_EmbeddingBag(5, 3, .mode = "max", .include_last_offset = true))     \
    X(bag_scaled, nn_EmbeddingBag(4, 2, .scale_grad_by_freq = true, .padding_idx = 2)) \
    X(bag_norm, nn_EmbeddingBag(4, 3, .max_norm = 1, .mode = "sum"))                  \
    X(bag_norm1, nn_EmbeddingBag(4, 3, 0.5, 1, true, "sum"))                          \
    X(adaptive, nn_AdaptiveLogSoftmaxWithLoss(8, 12, (4, 7), .div_value = 2))         \
    X(adaptive_bias, nn_AdaptiveLogSoftmaxWithLoss(9, 6, 2, .head_bias = true))       \
    X(adaptive_one, nn_AdaptiveLogSoftmaxWithLoss(64, 30, (5, 10, 20)))               \
    X(linear_loss, nn_LinearCrossEntropyLoss(8, 12))                                  \
    X(linear_loss_bias, nn_LinearCrossEntropyLoss(5, 10, .bias = true, .label_smoothing = 0.1, .ignore_index = 3, \
                                                  .weight = t_arange(10, .dtype = t_float32))) \
    X(linear_loss_out, nn_LinearCrossEntropyLoss(5, 4, .out_features = t_tuple(4, 3), .bias = true, \
                                                 .reduction = "sum"))                 \
    X(linear_loss_one, nn_LinearCrossEntropyLoss(5, 4, .reduction = "none"))          \
    X(linear_loss_probs, nn_LinearCrossEntropyLoss(5, 4, .out_features = t_tuple(3)))
#define MAKE(label, expression) static void *make_##label(void) { return expression; }
#define ROW(label, expression) {#label, make_##label},
MODULES(MAKE)
static const ModuleMaker modules[] = {MODULES(ROW) {NULL, NULL}};

static const struct {
    const char *label, *offsets;
} offsets_of_bags[] = {{"bag_sum", "[0, 2, 2]"}, {"bag_max", "[0, 3, 7]"}, {"bag_scaled", "[0, 4]"},
                       {"bag_norm", "[0, 2]"}, {"bag_norm1", "[0, 2]"}};

static Tensor *call_bag(nn_Module *bag, const char *label, Tensor *ids) {
    for (size_t i = 0; i < sizeof offsets_of_bags / sizeof *offsets_of_bags; i++)
        if (strcmp(offsets_of_bags[i].label, label) == 0)
            return nn_call(bag, ids, t_tensor(offsets_of_bags[i].offsets));
    return nn_call(bag, ids);
}

static void compare_gradients(Run *run) {
    char name[80];
    for_named (p, nn_named_parameters(run->module)) {
        snprintf(name, sizeof name, "g:%s", p->name);
        Tensor *grad = t_grad(p->tensor);
        run_compare(run, name, grad ? grad : t_zeros_like(p->tensor), GRADIENT);
    }
}

static void replay_bag(Run *run, Tensor *ids, const char *label) {
    Tensor *y = call_bag(run->module, label, ids);
    t_backward(y, .gradient = hashed_tensor("R", t_shape(y), 2, seed_of(run->key), 100, t_dtype(y)));
    run_compare(run, "y", y, VALUE);
    run_compare(run, "weight", ((nn_EmbeddingBag *)run->module)->weight, VALUE);
    compare_gradients(run);
}

static void replay_adaptive(Run *run, Tensor *x, Tensor *target) {
    nn_AdaptiveLogSoftmaxWithLoss *module = nn_as(run->module, nn_AdaptiveLogSoftmaxWithLoss);
    Tensor *loss, *y = nn_AdaptiveLogSoftmaxWithLoss_call(module, x, target, .loss = &loss);
    Tensor *factors = hashed_tensor("R", t_shape(y), (int)t_dim(y), seed_of(run->key), 100, t_dtype(y));
    t_backward(t_add(loss, t_sum(t_mul(y, factors))));
    run_compare(run, "y", y, VALUE);
    run_compare(run, "loss", loss, VALUE);
    run_compare(run, "x", t_grad(x), GRADIENT);
    compare_gradients(run);
    if (t_dim(x) < 2) return;
    run_compare(run, "log_prob", nn_AdaptiveLogSoftmaxWithLoss_log_prob(module, x), VALUE);
    run_compare(run, "predict", nn_AdaptiveLogSoftmaxWithLoss_predict(module, x), EXACT);
}

static void replay_linear(Run *run, Tensor *x, Tensor *target) {
    Tensor *y = nn_call(run->module, x, target);
    t_backward(t_sum(y));
    run_compare(run, "y", y, VALUE);
    run_compare(run, "x", t_grad(x), GRADIENT);
    compare_gradients(run);
}

static void replay(const char *key, const char *section, void *count) {
    char label[40];
    snprintf(label, sizeof label, "%.*s", (int)(strchr(key, ' ') - key), key);
    for (int i = 0; i < 2; i++) with_scope() {
        Run run = {.key = key, .section = section, .name = i ? "64" : "32"};
        const Inputs in = make_inputs(strchr(key, ' ') + 1, seed_of(key), i ? t_float64 : t_float32);
        run.module = nn_to(find_maker(modules, key)->make(), i ? t_float64 : t_float32);
        load_hashed_parameters(run.module, key);
        if (in.count == 1) replay_bag(&run, in.x[0], label);
        else if (nn_as(run.module, nn_LinearCrossEntropyLoss)) replay_linear(&run, in.x[0], in.x[1]);
        else replay_adaptive(&run, in.x[0], in.x[1]);
    }
    t_manual_seed(INIT_SEED);
    void *module = find_maker(modules, key)->make();
    matches_recorded(key, t_rand(2), section, "init.next", EXACT);
    for_named (p, nn_named_parameters(module)) {
        char name[80];
        snprintf(name, sizeof name, "init:%s", p->name);
        same_bits(key, p->tensor, section, name);
    }
    ++*(int *)count;
}

START_TEST(values_gradients_and_initial_bits_are_pytorchs) {
    int count = 0;
    each_case("large_vocabulary.txt", replay, &count);
    ck_assert_int_eq(count, 14);
    report_notes();
}
END_TEST

START_TEST(names_and_repr_are_pytorchs) {
    for (const ModuleMaker *m = modules; m->label; m++)
        compare_repr(m, golden_case(golden_file("large_vocabulary_repr.txt"), m->label));
    report_notes();
}
END_TEST

START_TEST(bags_take_offsets_and_weights) {
    nn_EmbeddingBag *bag = nn_EmbeddingBag(4, 2, .mode = "sum");
    Tensor *ids = t_tensor("[[0, 1], [3, 3]]"), *w = t_tensor("[[1., 2.], [0.5, 0.5]]");
    Tensor *y = nn_EmbeddingBag_call(bag, ids, .per_sample_weights = w);
    HOLDS(t_allclose(t_select(y, 0, 1), t_select(bag->weight, 0, 3)));
    Tensor *flat = nn_EmbeddingBag_call(bag, t_flatten(ids), t_tensor("[0, 2]"), t_flatten(w));
    HOLDS(t_equal(y, flat));
    HOLDS(nn_EmbeddingBag(4, 2, .sparse = false) && nn_Embedding(4, 2, .sparse = false));
    REFUSES(nn_EmbeddingBag(4, 2, .sparse = true), "nn.EmbeddingBag with sparse=True: there are no sparse gradients");
    REFUSES(nn_Embedding(4, 2, .sparse = true), "nn.Embedding with sparse=True: there are no sparse gradients");
    REFUSES(nn_EmbeddingBag(4, 2, .mode = "min"), "mode has to be one of sum, mean or max");
    REFUSES(nn_EmbeddingBag(4, 2, .padding_idx = 4), "padding_idx must be within num_embeddings");
    REFUSES(nn_call(bag, t_tensor("[0, 1]")), "offsets has to be a 1D Tensor but got None");
    REFUSES(nn_call(bag, t_tensor("[0, 1]"), t_tensor("[1]")),
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            "got 1");
    REFUSES(nn_call(bag, t_tensor("[0, 1]"), t_tensor("[0, 2, 1]")), "offsets must not decrease, but got 1 after 2");
    REFUSES(nn_call(bag, t_tensor("[0, 1]"), t_tensor("[[0]]")), "offsets has to be a 1D Tensor");
}
END_TEST

START_TEST(a_linear_loss_refuses_what_does_not_fit) {
    Tensor *x = t_ones(2, 5), *w = t_ones(4, 3, 5), *y = t_zeros(2, 3, .dtype = t_int64);
    HOLDS(F_linear_cross_entropy(x, w, y) != NULL);
    REFUSES(F_linear_cross_entropy(t_ones(1, 2, 5), w, y), "expected input with dimensionality 1 or 2, got 3");
    REFUSES(F_linear_cross_entropy(x, t_ones(5), y), "expected linear_weight with dimensionality at least 2, got 1");
    REFUSES(F_linear_cross_entropy(t_ones(2, 4), w, y),
            "expected equal input and linear_weight last dimensions (in_features), got 4 and 5, respectively");
    REFUSES(F_linear_cross_entropy(x, w, y, .linear_bias = t_ones(4)), "expected linear_bias shape [4, 3], got [4]");
    REFUSES(F_linear_cross_entropy(t_ones(5), w, y),
            "K-dimensional loss defined by linear_weight shape [4, 3, 5] requires batched input, (N, 5), got unbatched "
            "input with shape [5]");
    REFUSES(nn_LinearCrossEntropyLoss(5, 4, .weight = t_ones(3)), "expected weight shape to be (4,), got (3,)");
    REFUSES(nn_LinearCrossEntropyLoss(5, 4, .label_smoothing = 2),
            "expected label_smoothing to be in range [0, 1], got 2.0");
    REFUSES(nn_call(nn_LinearCrossEntropyLoss(5, 4, .ignore_index = 1), x, t_ones(2, 4)),
            "ignore_index cannot be specified when target contains probabilities");
}
END_TEST

START_TEST(an_adaptive_softmax_refuses_what_does_not_fit) {
    const char *increasing = "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1";
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss(8, 12, (4, 4)), increasing);
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss(8, 12, (0, 4)), increasing);
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss(8, 12, (4, 12)), increasing);
    expect_refusal(!nn_AdaptiveLogSoftmaxWithLoss_new(8, 12, NULL, 0, NULL),
                   "cutoffs should be a sequence of length larger than 0");
    nn_AdaptiveLogSoftmaxWithLoss *m = nn_AdaptiveLogSoftmaxWithLoss(8, 12, (4, 7));
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss_call(m, t_ones(2, 8), t_tensor("[1]")),
            "Input and target should have the same size in the batch dimension.");
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss_call(m, t_ones(1), t_tensor("[1]")),
            "1D target tensor expects 2D input tensors, but found inputs with size torch.Size([1])");
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss_call(m, t_ones(1, 8), t_tensor("1")),
            "0D target tensor expects 1D input tensors, but found inputs with size torch.Size([1, 8])");
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss_call(m, t_ones(1, 8), t_tensor("[[1]]")),
            "0D or 1D target tensor expected, multi-target not supported");
    REFUSES(nn_AdaptiveLogSoftmaxWithLoss_call(m, t_ones(2, 8), t_tensor("[1, 12]")),
            "Target values should be in [0, 11], but values in range [1, 12] were found. ");
}
END_TEST

static bool adaptive_step(void *module) {
    const int depth = t_scope_open();
    const int64_t n = 3;
    Tensor *x = depth ? (t_ones)((int64_t[]){3, 8}, 2, NULL) : NULL, *loss = NULL;
    const t_TensorOptions int64 = {.size = sizeof int64, .dtype = t_int64};
    Tensor *target = x ? (t_full)(&n, 1, 9, &int64) : NULL;
    bool done = target && (nn_AdaptiveLogSoftmaxWithLoss_call)(module, x, target, &loss);
    done = done && (nn_AdaptiveLogSoftmaxWithLoss_predict)(module, x);
    t_scope_close(depth);
    return done;
}

START_TEST(every_failing_allocation_is_harmless) {
    refuse_all("adaptive", adaptive_step, NULL, nn_AdaptiveLogSoftmaxWithLoss(8, 12, (4, 7)));
    report_notes();
}
END_TEST

/* ---- CTC: infinite losses (torch 2.15) ---- */

START_TEST(a_target_that_is_too_long_has_an_infinite_loss) {
    Tensor *x = t_randn(4, 2, 3, .requires_grad = true), *targets = t_tensor("[[1, 2], [1, 1]]");
    Tensor *lengths = t_tensor("[4, 2]"), *labels = t_tensor("[2, 2]");
    nn_CTCLoss *ctc = nn_CTCLoss(.reduction = "none"), *zero = nn_CTCLoss(.zero_infinity = true);
    Tensor *losses = nn_CTCLoss_call(ctc, t_log_softmax(x, 2), targets, lengths, labels);
    HOLDS(isinf(t_item(t_at(losses, "1"))) && isfinite(t_item(t_at(losses, "0"))));
    t_backward(t_sum(losses));
    HOLDS(t_item(t_sum(t_to(t_isnan(t_at(t_grad(x), ":2, 1")), t_int64))) == 6);
    HOLDS(t_item(t_sum(t_abs(t_at(t_grad(x), "2:, 1")))) == 0);
    t_set_grad(x, NULL);
    Tensor *loss = nn_CTCLoss_call(zero, t_log_softmax(x, 2), targets, lengths, labels);
    HOLDS(fabs(t_item(loss) - t_item(t_at(losses, "0")) / 4) < 1e-6);
    t_backward(loss);
    HOLDS(t_item(t_sum(t_abs(t_at(t_grad(x), ":, 1")))) == 0 && t_item(t_sum(t_abs(t_at(t_grad(x), ":, 0")))) > 0);
    Tensor *none = t_tensor("[0, 0]"), *empty;
    empty = F_ctc_loss(t_log_softmax(x, 2), targets, none, t_tensor("[1, 0]"), .reduction = "none");
    expect_printed(t_detach(empty), "tensor([inf, -0.])");
    REFUSES(F_ctc_loss(x, targets, t_tensor("[4., 4.]"), labels), "input_lengths must be integral");
    REFUSES(F_ctc_loss(x, targets, lengths, t_tensor("[1, -1]")),
            "Expected target_lengths to have value at least 0, but got value -1 (while checking arguments for "
            "ctc_loss_allocate_outputs)");
}
END_TEST

Suite *large_vocabulary_suite(void) {
    Suite *suite = suite_create("large_vocabulary");
    TCase *tests = tcase_create("large_vocabulary");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_linear_loss_refuses_what_does_not_fit);
    tcase_add_test(tests, values_gradients_and_initial_bits_are_pytorchs);
    tcase_add_test(tests, names_and_repr_are_pytorchs);
    tcase_add_test(tests, bags_take_offsets_and_weights);
    tcase_add_test(tests, an_adaptive_softmax_refuses_what_does_not_fit);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    tcase_add_test(tests, a_target_that_is_too_long_has_an_infinite_loss);
    suite_add_tcase(suite, tests);
    return suite;
}
