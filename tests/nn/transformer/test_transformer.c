/* tests/nn/transformer/test_transformer.c: every module of torch.nn that this library has, compared with PyTorch:
 * outputs, attention weights, all gradients, dropout bits, and the bits of the initial values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/replay.h"

/* Every label has a case. */
static bool *seen_of(const ModuleMaker *makers) {
    size_t count = 0;
    while (makers[count].label) count++;
    return calloc(count + 1, sizeof(bool));
}

static void all_were_seen(const ModuleMaker *makers, bool *seen) {
    for (size_t i = 0; makers[i].label; i++)
        if (!seen[i]) note("%s was not recorded", makers[i].label);
    free(seen);
}

/* ---- values and gradients ---- */

typedef struct Replay {
    const ModuleMaker *makers;
    bool *seen;
} Replay;

static void replay_run(const ModuleMaker *maker, Run run) {
    if (!run_has(&run, "y")) {
        if (run.name[2] == 'e') note("%s: %s was not recorded", run.key, run.name);
        return;
    }
    Inputs in = run_begin(&run, maker->make(), strchr(run.key, ' ') + 1);
    Outputs out = call_module(run.module, &in);
    run_compare(&run, "next", t_rand(2), EXACT);
    run_compare(&run, "y", out.y, VALUE);
    for (int64_t k = 0; out.weights && k < out.weights->len; k++) {
        char name[32];
        snprintf(name, sizeof name, "w%d", (int)k);
        run_compare(&run, name, t_list_get(out.weights, k), VALUE);
    }
    if (out.y && !run_has(&run, "values_only")) run_backward(&run, out.y, &in);
}

static void replay_case(const char *key, const char *section, void *context) {
    static const char *const runs[] = {"32e", "32t", "64e", "64t"};
    Replay *replay = context;
    const ModuleMaker *maker = find_maker(replay->makers, key);
    replay->seen[maker - replay->makers] = true;
    for (int i = 0; i < 4; i++) {
        int64_t live = t_live_count();
        Run run = {.key = key, .section = section, .name = runs[i]};
        with_scope() replay_run(maker, run);
        run_end(&run, live);
    }
}

static void replay_file(const char *file, const ModuleMaker *makers) {
    Replay replay = {makers, seen_of(makers)};
    each_case(file, replay_case, &replay);
    all_were_seen(makers, replay.seen);
    report_notes();
}

START_TEST(layers_give_pytorchs_values) {
    replay_file("models_layers.txt", layer_makers);
}
END_TEST

START_TEST(transformer_gives_pytorchs_values) {
    replay_file("models_transformer.txt", transformer_makers);
}
END_TEST

/* ---- initial values ---- */

static void replay_init(const char *key, const char *section, void *context) {
    Replay *replay = context;
    if (strncmp(key, "table", 5) == 0) return;
    const ModuleMaker *maker = find_maker(replay->makers, key);
    replay->seen[maker - replay->makers] = true;
    compare_initial_bits(maker, section);
}

START_TEST(initial_values_are_pytorchs_bits) {
    Replay replay = {init_makers, seen_of(init_makers)};
    each_case("models_init.txt", replay_init, &replay);
    all_were_seen(init_makers, replay.seen);
    report_notes();
}
END_TEST

/* Positions below 100, to 1e-5: sin and cos of a product of float32 differ that much between C libraries. */
START_TEST(sinusoid_tables_are_pytorchs) {
    static const char *const keys[] = {"table", "table_pow", "table_div"};
    Tensor *tables[3];
    for (int sinusoid = nn_sinusoid_exp; sinusoid <= nn_sinusoid_div; sinusoid++) {
        const char *section = golden_case(golden_file("models_init.txt"), keys[sinusoid]);
        tables[sinusoid] = nn_PositionalEncoding(16, 100, .sinusoid = (nn_Sinusoid)sinusoid)->pe;
        ck_assert_str_eq(t_size_repr(tables[sinusoid]), "torch.Size([1, 100, 16])");
        matches_recorded(keys[sinusoid], tables[sinusoid], section, "pe", VALUE);
    }
    for (int i = 0; i < 3; i++) { /* each rounds in its own way */
        int other = (i + 1) % 3;
        HOLDS(!t_equal(tables[i], tables[other]));
    }
    report_notes();
}
END_TEST

Suite *transformer_suite(void) {
    Suite *suite = suite_create("transformer");
    TCase *tests = tcase_create("replayed from PyTorch");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, layers_give_pytorchs_values);
    tcase_add_test(tests, transformer_gives_pytorchs_values);
    tcase_add_test(tests, initial_values_are_pytorchs_bits);
    tcase_add_test(tests, sinusoid_tables_are_pytorchs);
    suite_add_tcase(suite, tests);
    return suite;
}
