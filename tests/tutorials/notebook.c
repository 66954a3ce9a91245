/* tests/tutorials/notebook.c: the notebook's classes and cells (examples/notebook, tutorial 002) compared with
 * PyTorch's values for the tutorial's: outputs, attention weights and all gradients, original and repaired; the values
 * that its cells print; the additions of padded_batches.c. golden/tutorial_002.py records them. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "examples/notebook/notebook.h"
#include "tests/tutorials/port.h"

static const char golden_name[] = "tutorial_002.txt";

static const char *section_of(const char *key) {
    const char *section = golden_case(golden_file(golden_name), key);
    ck_assert_msg(section != NULL, "%s was not recorded", key);
    return section;
}

/* ---- the classes by the labels of the recorder ---- */

static EncoderClassifier *classifier(int64_t layers, int64_t d_model, int64_t heads, int64_t d_ff, int64_t vocab,
                                     int64_t max_len) {
    return encoder_classifier(transformer_encoder(layers, d_model, heads, d_ff, vocab, max_len, 0.1), 2, d_model);
}

static void *make_module(const char *label) {
    if (strcmp(label, "function") == 0) return nn_Dropout(0.1);
    if (strcmp(label, "function_plain") == 0) return nn_Identity();
    if (strcmp(label, "attention") == 0) return multi_head_attention(4, 2, 0.1);
    if (strcmp(label, "attention_full") == 0) return multi_head_attention(128, 4, 0.1);
    if (strcmp(label, "feed_forward") == 0) return positionwise_feed_forward(4, 6, 0.1);
    if (strcmp(label, "positional_encoding") == 0) return positional_encoding(4, 7, 0.1);
    if (strcmp(label, "layer") == 0) return encoder_layer(4, 2, 6, 0.1);
    if (strcmp(label, "encoder") == 0) return transformer_encoder(2, 4, 2, 6, 11, 9, 0.1);
    if (strcmp(label, "encoder_full") == 0) return transformer_encoder(3, 128, 4, 512, 1000, 15, 0.1);
    if (strcmp(label, "classifier") == 0) return classifier(2, 4, 2, 6, 11, 9);
    if (strcmp(label, "classifier_full") == 0) return classifier(2, 128, 4, 256, 50, 20);
    ck_assert_str_eq(label, "classifier_first");
    EncoderClassifier *first = classifier(1, 4, 2, 6, 11, 9);
    first->pooling = "first";
    return first;
}

static Outputs call(nn_Module *module, const Inputs *in) {
    Tensor *a = in->x[0], *b = in->x[1], *c = in->x[2], *mask = in->x[3], *w = NULL;
    const char *type = module->type;
    Outputs out = {.weights = t_list()};
    if (strcmp(type, "Dropout") == 0) out.y = scaled_dot_product_attention(a, b, c, mask, (nn_Dropout *)module, &w);
    else if (strcmp(type, "Identity") == 0) out.y = scaled_dot_product_attention(a, b, c, mask, NULL, &w);
    else if (strcmp(type, "MultiHeadAttention") == 0)
        out.y = multi_head_attention_call((MultiHeadAttention *)module, a, b, c, mask, &w);
    else if (strcmp(type, "EncoderLayer") == 0) out.y = encoder_layer_call((EncoderLayer *)module, a, b, &w);
    else if (strcmp(type, "TransformerEncoder") == 0)
        out.y = transformer_encoder_call((TransformerEncoder *)module, a, b, &out.weights);
    else if (strcmp(type, "EncoderClassifier") == 0)
        out.y = encoder_classifier_call((EncoderClassifier *)module, a, b, &out.weights);
    else out.y = nn_call(module, a);
    if (w) t_list_append(out.weights, w);
    return out;
}

/* ---- one run ---- */

/* The repaired version is recorded where it differs. */
static Run recorded_side(Run run, const char *array, const char *fixed_name) {
    Run other = run;
    other.name = fixed_name;
    return fixed && run_has(&other, array) ? other : run;
}

static void compare_run(Run run, const Inputs *in, const Outputs *out, Tensor *following) {
    char fixed_name[16], array[16];
    snprintf(fixed_name, sizeof fixed_name, "%s.fixed", run.name);
    Run side = recorded_side(run, "next", fixed_name);
    run_compare(&side, "next", following, EXACT);
    for (int64_t k = 0; k < out->weights->len; k++) {
        snprintf(array, sizeof array, "w%d", (int)k);
        side = recorded_side(run, array, fixed_name);
        run_compare(&side, array, t_list_get(out->weights, k), VALUE);
    }
    snprintf(array, sizeof array, "w%d", (int)out->weights->len);
    side = recorded_side(run, array, fixed_name);
    if (run_has(&side, array)) note("%s: %s: there is no %s", run.key, run.name, array);
    side = recorded_side(run, "y", fixed_name);
    run_compare(&side, "y", out->y, VALUE);
    if (out->y) run_backward(&side, out->y, in);
}

/* refusal: the error message of the original notebook in this case, or NULL. */
static void replay_run(Run run, const char *refusal) {
    char label[32];
    snprintf(label, sizeof label, "%.*s", (int)strcspn(run.key, " "), run.key);
    Inputs in = run_begin(&run, make_module(label), strchr(run.key, ' ') + 1);
    Outputs out = call(run.module, &in);
    if (!refusal || fixed) {
        compare_run(run, &in, &out, t_rand(2));
        return;
    }
    expect_first_error(run.key, refusal);
}

static int cases_seen;

static void replay_case(const char *key, const char *section, void *context) {
    static const char *const runs[] = {"32e", "32t", "64e", "64t"};
    char message[200], refused[200];
    (void)context;
    if (strncmp(key, "refused ", 8) == 0 || !strchr(key, '(')) return; /* a module's case has inputs */
    snprintf(refused, sizeof refused, "refused %s", key);
    bool refuses = golden_line(golden_case(golden_file(golden_name), refused), message, sizeof message) != NULL;
    bool full = strstr(key, "_full ") != NULL;
    cases_seen++;
    for (int i = 0; i < 8; i++) {
        const char *name = runs[i % 4];
        if (full && name[0] == '6') continue;
        fixed = i >= 4;
        int64_t live = t_live_count();
        Run run = {.key = key, .section = section, .name = name};
        with_scope() replay_run(run, refuses ? message : NULL);
        run_end(&run, live);
    }
    fixed = false;
}

START_TEST(classes_give_pytorchs_values) {
    cases_seen = 0;
    catch_first_error();
    each_case(golden_name, replay_case, NULL);
    ck_assert_int_eq(cases_seen, 24);
    report_notes();
}
END_TEST

/* ---- errors ---- */

static void expect_refusal_of(const char *what) {
    char key[64], message[200];
    snprintf(key, sizeof key, "refused %s", what);
    golden_line(section_of(key), message, sizeof message);
    expect_first_error(what, message);
}

START_TEST(refuses_what_the_notebook_refuses) {
    t_TensorList *weights;
    Tensor *ids = t_zeros(1, 4, .dtype = t_int64);
    catch_first_error();
    positional_encoding(5, 7, 0.1);
    expect_refusal_of("odd d_model");
    transformer_encoder_call(transformer_encoder(1, 4, 2, 6, 11, 3, 0.1), ids, NULL, &weights);
    expect_refusal_of("too long");
    transformer_encoder_call(transformer_encoder(1, 4, 2, 6, 11, 9, 0.1), t_add(ids, 11), NULL, &weights);
    expect_refusal_of("no such token");
    HOLDS(!multi_head_attention(10, 4, 0.1));
    expect_error("d_model must be divisible by num_heads (got 10 and 4)");
    HOLDS(!multi_head_attention(10, 0, 0.1));
    expect_error("d_model must be divisible by num_heads (got 10 and 0)");
    report_notes();
}
END_TEST

/* ---- the cells ---- */

/* On some processors the sums of cell 2's weights round to 1 exactly, and are then printed so. */
static bool same_value(const char *got, const char *want) {
    return strcmp(got, want) == 0 || (strcmp(want, "tensor([1.0000, 1.0000, 1.0000, 1.0000])") == 0 &&
                                      strcmp(got, "tensor([1., 1., 1., 1.])") == 0);
}

/* Every recorded value follows its label, in this order; pictures may be between them. */
static void compare_printed(const char *text) {
    char line[600], want[200];
    const char *at = text;
    for (const char *values = section_of("printed"); (values = golden_line(values, want, sizeof want));) {
        bool found = false;
        while (!found && (at = golden_line(at, line, sizeof line))) {
            const char *value = strstr(line, ": ");
            found = value && same_value(value + 2, want);
        }
        if (!found) {
            note("%s was not printed", want);
            return;
        }
    }
}

static void replay_cells(void) {
    const Run run = {.key = "cells", .section = section_of("cells"), .name = "32t"};
    Data data;
    catch_output(STDOUT_FILENO);
    t_manual_seed(42);
    cell_2();
    cell_3();
    cell_4();
    cell_5();
    cell_6();
    cell_7();
    cell_8(&data);
    EncoderClassifier *model = cell_9();
    cell_10(model, data.train_loader);
    Tensor *attention = cell_11(model, data.val_dataset);
    cell_12(model);
    char *text = caught_output();
    compare_printed(text);
    free(text);
    Run step = run;
    step.module = &model->base;
    run_compare_gradients(&step, NULL);
    matches_recorded("the attention of cell 11", attention, run.section, "attention", VALUE);
}

START_TEST(cells_print_pytorchs_values) {
    replay_cells();
    fixed = true; /* the repairs do not change what the cells print */
    with_scope() replay_cells();
    fixed = false;
    report_notes();
}
END_TEST

/* Positions below 100, to 1e-5: sin and cos of a product of float32 differ that much between C libraries. */
START_TEST(sinusoid_table_is_pytorchs) {
    matches_recorded("pe", positional_encoding(128, 100, 0.1)->pe, section_of("table"), "pe", VALUE);
    report_notes();
}
END_TEST

/* ---- the additions ---- */

static EncoderClassifier *hashed_small_classifier(void) {
    EncoderClassifier *model = small_classifier();
    load_hashed(model, "small");
    return model;
}

/* The values after the labels of repairs(): the sums of the rows, and the results for 7 keys and for one mask. */
static void expect_repairs(double lowest, double highest, const char *seven_keys, const char *one_mask) {
    double low = 0, high = 0;
    catch_output(STDOUT_FILENO);
    repairs();
    char *text = caught_output(), *sums = strstr(text, "sum to ");
    if (!sums || sscanf(sums, "sum to %lf at least, %lf at most", &low, &high) != 2 || fabs(low - lowest) > 1e-4 ||
        fabs(high - highest) > 1e-4 || !strstr(sums, seven_keys) || !strstr(sums, one_mask))
        note("expected %g, %g, %s, %s, not:\n%s", lowest, highest, seven_keys, one_mask, text);
    free(text);
}

START_TEST(repairs_show) {
    GoldenArray sums;
    char seven_keys[200], one_mask[200];
    HOLDS(golden_array(section_of("repairs"), "sums", &sums));
    golden_line(section_of("refused 7 keys"), seven_keys, sizeof seven_keys);
    golden_line(section_of("refused one mask"), one_mask, sizeof one_mask);
    expect_repairs(sums.values[0], sums.values[1], seven_keys, one_mask);
    fixed = true;
    expect_repairs(1, 1, "keys:\nattention weights of shape torch.Size([2, 4, 10, 7])",
                   "batch:\nattention weights of shape torch.Size([2, 4, 10, 10])");
    fixed = false;
    free(sums.values);
    report_notes();
}
END_TEST

START_TEST(collate_pads_with_zeros) {
    Tensor *mask, *ids = collate(t_list(t_tensor("[3, 1]"), t_tensor("[5, 4, 9]"), t_tensor("[7]")), &mask);
    expect_printed(ids, "tensor([[3, 1, 0],\n        [5, 4, 9],\n        [7, 0, 0]])");
    expect_printed(mask,
                   "tensor([[ True,  True, False],\n        [ True,  True,  True],\n        [ True, False, False]])");
}
END_TEST

/* Columns: no mask, mask and plain mean, mask and masked mean. The second sequence is the longest. */
START_TEST(padding_changes_nothing_under_the_masked_mean) {
    for (int i = 0; i < 2; i++) {
        fixed = i == 1;
        catch_output(STDOUT_FILENO);
        Tensor *changes = padded_batches(hashed_small_classifier());
        free(caught_output());
        ck_assert(fixed == (i == 1));
        matches_recorded("changes", changes, section_of("padding"), "changes", VALUE);
        HOLDS(t_item(t_max(t_at(changes, ":, 2"))) < 1e-12);
        HOLDS(t_item(t_min(t_at(changes, "0::2, :2"))) > 1e-3);
        HOLDS(t_item(t_max(t_at(changes, "1"))) < 1e-12);
    }
    fixed = false;
    report_notes();
}
END_TEST

START_TEST(validation_loop_goes_as_pytorchs) {
    Data data;
    catch_output(STDOUT_FILENO);
    t_manual_seed(42);
    cell_8(&data);
    EncoderClassifier *model = hashed_small_classifier();
    t_manual_seed(DROPOUT_SEED);
    Tensor *history = train_and_validate(model, data.train_loader, data.val_loader, 2);
    free(caught_output());
    matches_recorded("history", history, section_of("validation"), "history", VALUE);
    report_notes();
}
END_TEST

START_TEST(gradient_norms_are_pytorchs) {
    EncoderClassifier *model = hashed_small_classifier();
    t_TensorList *weights;
    nn_eval(model);
    Tensor *ids = hashed_tensor("k50", SHAPE(3, 20), seed_of("norms"), 0, t_float64);
    Tensor *logits = encoder_classifier_call(model, ids, NULL, &weights);
    t_backward(logits, hashed_tensor("R", SHAPE(3, 2), seed_of("norms"), 100, t_float64));
    catch_output(STDOUT_FILENO);
    Tensor *norms = gradient_norms(model);
    free(caught_output());
    matches_recorded("norms", norms, section_of("norms"), "norms", VALUE);
    report_notes();
}
END_TEST

PORT_SUITE("notebook", classes_give_pytorchs_values, refuses_what_the_notebook_refuses, cells_print_pytorchs_values,
           sinusoid_table_is_pytorchs, repairs_show, collate_pads_with_zeros,
           padding_changes_nothing_under_the_masked_mean, validation_loop_goes_as_pytorchs, gradient_norms_are_pytorchs)
