/* tests/nn/test_training.c: the notebook's training run (tutorial 002) compared with PyTorch's: data, initial weights
 * and the first shuffled batch to the bit, then the losses of its steps with and without dropout. */
#include <math.h>
#include <stdlib.h>

#include "core/data/data.h"
#include "tests/support/models/notebook_model.h"

void add_training_failure_tests(Suite *suite);

/* The number of steps: all that are recorded, or fewer: a sanitizer finds as much in two steps as in sixty, and an
 * emulator takes fifteen seconds for one. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif
enum { ALL_STEPS = 64 };

static int64_t few_steps(void) {
    return SANITIZED ? 2 : emulated("of a training the steps after the third") ? 3 : ALL_STEPS;
}

/* ---- the notebook's sequence of random numbers ---- */

typedef struct Notebook {
    data_Dataset *train, *val;
    data_DataLoader *loader;
    EncoderClassifier *model;
} Notebook;

/* The random values drawn by the demonstrations of cells 2 to 7, all in training mode. */
static void consume_cells_2_to_7(void) {
    for (int i = 0; i < 3; i++) t_randn(2, 4, 8);
    nn_MultiHeadAttention *attention = nn_MultiHeadAttention(128, 4);
    Tensor *x = t_randn(2, 10, 128);
    nn_MultiHeadAttention_call(attention, x, x, x, NULL, NULL);
    nn_FeedForward *feed_forward = nn_FeedForward(128, 512);
    nn_call(feed_forward, t_randn(2, 10, 128));
    nn_EncoderLayer *layer = nn_EncoderLayer(128, 4, 512, .norm_first = true);
    nn_call(layer, t_randn(2, 10, 128));
    nn_Encoder *encoder = nn_Encoder(3, 128, 4, 512, 1000, .norm_first = true);
    nn_call(encoder, t_randint(0, 1000, 2, 15));
}

static Notebook notebook_up_to_training(void) {
    Notebook notebook;
    t_manual_seed(42);
    with_scope() consume_cells_2_to_7();
    notebook.train = data_RepeatedTokenDataset(1000, 20, 50);
    notebook.val = data_RepeatedTokenDataset(200, 20, 50);
    notebook.loader = data_DataLoader(notebook.train, .batch_size = 32, .shuffle = true);
    notebook.model = encoder_classifier(notebook_options);
    return notebook;
}

static const char *recorded_run(const char *key) {
    const char *section = golden_case(golden_file("models_notebook.txt"), key);
    ck_assert_msg(section != NULL, "%s was not recorded", key);
    return section;
}

/* ---- data and weights ---- */

static void compare_dataset(data_Dataset *dataset, int64_t len, const char *section, const char *const names[4]) {
    uint64_t tokens = FNV_START, labels = FNV_START;
    Tensor *ones = t_zeros(.dtype = t_int64), *first = NULL, *y;
    ck_assert_int_eq(data_dataset_len(dataset), len);
    data_dataset_get(dataset, 0, &first, &y);
    for_range (i, 0, len) {
        Tensor *seq, *label;
        data_dataset_get(dataset, i, &seq, &label);
        tokens = fnv_of(seq, tokens);
        labels = fnv_of(t_long(label), labels);
        t_add_(ones, label);
    }
    same_fnv(names[0], tokens, section, names[0]);
    same_fnv(names[1], labels, section, names[1]);
    matches_recorded(names[2], ones, section, names[2], EXACT);
    matches_recorded(names[3], first, section, names[3], EXACT);
}

START_TEST(data_and_weights_are_pytorchs_bits) {
    const char *section = recorded_run("ten steps");
    Notebook notebook = notebook_up_to_training();
    compare_dataset(notebook.train, 1000, section,
                    (const char *const[]){"train.tokens.fnv", "train.labels.fnv", "train.ones", "train.first"});
    compare_dataset(notebook.val, 200, section,
                    (const char *const[]){"val.tokens.fnv", "val.labels.fnv", "val.ones", "val.first"});
    for_named (p, nn_named_parameters(notebook.model)) same_bits(p->name, p->tensor, section, p->name);
    Tensor *rows = t_at(notebook.model->encoder->positional_encoding->pe, "0, :20");
    matches_recorded("pe", rows, section, "pe", VALUE);
    report_notes();
}
END_TEST

/* ---- losses ---- */

typedef struct Losses {
    GoldenArray recorded;
    double tolerance; /* relative */
} Losses;

static Losses losses_of(const char *section, double tolerance) {
    Losses losses = {.tolerance = tolerance};
    HOLDS(golden_array(section, "losses", &losses.recorded));
    return losses;
}

static void compare_loss(const Losses *losses, int64_t step, Tensor *loss) {
    ck_assert_int_lt(step, losses->recorded.count);
    double got = t_item(loss), want = losses->recorded.values[step];
    if (!(fabs(got - want) <= losses->tolerance * fabs(want)))
        note("step %lld: loss %.17g, expected %.17g", (long long)step + 1, got, want);
}

/* Cell 10 is the first of ten steps with dropout: its batch to the bit, its loss and its accuracy. */
START_TEST(ten_steps_with_dropout_go_as_pytorchs) {
    const char *section = recorded_run("ten steps");
    Notebook notebook = notebook_up_to_training();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(notebook.model), .lr = 1e-3);
    Losses losses = losses_of(section, 1e-4);
    const int64_t steps = few_steps();
    for_batch (batch, notebook.loader) {
        double accuracy;
        if (batch.index == (steps < 10 ? steps : 10)) break;
        Tensor *loss = train_step(notebook.model, optimizer, batch.x, batch.y, &accuracy);
        compare_loss(&losses, batch.index, loss);
        if (batch.index > 0) continue;
        matches_recorded("ids", batch.x, section, "ids", EXACT);
        matches_recorded("labels", batch.y, section, "labels", EXACT);
        matches_recorded("accuracy", t_tensor(accuracy), section, "accuracy", EXACT);
    }
    free(losses.recorded.values);
    report_notes();
}
END_TEST

/* Two epochs of 32 batches. The table of sines is loaded: its last bits depend on the C library. */
static EncoderClassifier *train(const char *section, t_DType dtype, double tolerance, int64_t steps) {
    Notebook notebook = notebook_up_to_training();
    load_recorded(t_at(notebook.model->encoder->positional_encoding->pe, "0, :20"), recorded_run("ten steps"), "pe");
    nn_to(notebook.model, dtype);
    set_dropout(notebook.model, 0);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(notebook.model), .lr = 1e-3);
    Losses losses = losses_of(section, tolerance);
    int64_t step = 0;
    for (int epoch = 0; epoch < 2; epoch++)
        for_batch (batch, notebook.loader) {
            if (step == steps) break;
            compare_loss(&losses, step++, train_step(notebook.model, optimizer, batch.x, batch.y, NULL));
        }
    ck_assert_int_eq(losses.recorded.count, ALL_STEPS);
    ck_assert_int_eq(step, steps);
    free(losses.recorded.values);
    return notebook.model;
}

START_TEST(float32_losses_stay_with_pytorchs_for_64_steps) {
    train(recorded_run("64 steps, float32"), t_float32, 1e-4, few_steps());
    report_notes();
}
END_TEST

START_TEST(float64_losses_and_weights_stay_with_pytorchs_for_64_steps) {
    const char *section = recorded_run("64 steps, float64");
    const int64_t steps = few_steps();
    EncoderClassifier *model = train(section, t_float64, 1e-10, steps);
    if (steps == ALL_STEPS)
        for_named (p, nn_named_parameters(model)) matches_recorded(p->name, p->tensor, section, p->name, GRADIENT);
    report_notes();
}
END_TEST

/* The same seed gives the same bits again. */
START_TEST(a_run_repeats_itself) {
    uint64_t bits[2];
    for (int run = 0; run < 2; run++) {
        with_scope() {
            t_manual_seed(7);
            EncoderClassifier *model = encoder_classifier((ClassifierOptions){2, 16, 4, 24, 11, 9, 0.1});
            optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-2);
            data_DataLoader *loader = data_DataLoader(data_RepeatedTokenDataset(64, 6, 11), 16, true);
            for_range (epoch, 0, 3)
                for_batch (batch, loader) train_step(model, optimizer, batch.x, batch.y, NULL);
            bits[run] = parameter_bits(model);
        }
    }
    HOLDS(bits[0] == bits[1]);
}
END_TEST

Suite *training_suite(void) {
    Suite *suite = suite_create("training");
    TCase *tests = tcase_create("the notebook");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, data_and_weights_are_pytorchs_bits);
    tcase_add_test(tests, ten_steps_with_dropout_go_as_pytorchs);
    tcase_add_test(tests, float32_losses_stay_with_pytorchs_for_64_steps);
    tcase_add_test(tests, float64_losses_and_weights_stay_with_pytorchs_for_64_steps);
    tcase_add_test(tests, a_run_repeats_itself);
    suite_add_tcase(suite, tests);
    add_training_failure_tests(suite);
    return suite;
}
