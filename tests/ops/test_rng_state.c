/* tests/ops/test_rng_state.c: the states of random generators, compared with PyTorch's (golden/checkpoints.txt). */
#include <stdlib.h>

#include "tests/support/models/model_support.h"

static void draw(int which) {
    switch (which) {
    case 1: t_rand(1); break;
    case 2: t_rand(623); break;
    case 3: t_rand(1); break;
    case 4: case 5: t_randn(1); break;
    case 6:
        t_rand(10000);
        t_randn(3);
        break;
    }
}

START_TEST(generators_have_pytorchs_bytes) {
    static const char *const keys[] = {"seeded",         "one word",    "a block", "another",
                                       "a normal waits", "it is taken", "later"};
    t_manual_seed(42);
    for (int i = 0; i < 7; i++) {
        char key[64];
        GoldenArray state, next;
        draw(i);
        snprintf(key, sizeof key, "generator: %s", keys[i]);
        const char *section = golden_case(golden_file("checkpoints.txt"), key);
        HOLDS(golden_array(section, "state", &state) && golden_array(section, "next", &next));
        Tensor *ours = t_get_rng_state(), *theirs = t_empty(5056, .dtype = t_int64);
        compare_to_golden(key, ours, &state, EXACT);
        for (int64_t k = 0; k < 5056; k++) ((int64_t *)t_data_ptr_mut(theirs))[k] = (int64_t)state.values[k];
        t_Generator *generator = t_generator();
        HOLDS(t_generator_set_state(generator, theirs) && t_equal(t_generator_get_state(generator), theirs));
        compare_to_golden(key, t_randn(3, .dtype = t_float64, .generator = generator), &next, VALUE);
        Tensor *here = t_rand(5);
        HOLDS(t_set_rng_state(ours) && t_equal(t_rand(5), here) && t_set_rng_state(ours));
        HOLDS(t_set_rng_state(t_to(ours, t_uint8)) && t_equal(t_rand(5), here) && t_set_rng_state(ours));
        free(state.values), free(next.values);
    }
    report_notes();
}
END_TEST

START_TEST(invalid_states_are_refused) {
    t_manual_seed(1);
    Tensor *before = t_get_rng_state(), *x = t_clone(before);
    REFUSES(t_set_rng_state(t_float(x)),
            "RNG state must be a tensor of uint8, as PyTorch's files have it, or int64, not float32");
    REFUSES(t_set_rng_state(t_at(x, ":5055")),
            "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5055");
    REFUSES(t_set_rng_state(t_zeros(5056, .dtype = t_int64)), "Invalid mt19937 state");
    t_set(x, "30", 256);
    REFUSES(t_set_rng_state(x), "element 30 of the RNG state is 256, which is not a byte");
    t_set(x, "30", 0);
    t_set(x, "16", 7); /* read 7, but left 1 */
    REFUSES(t_set_rng_state(x), "Invalid mt19937 state");
    REFUSES(t_generator_set_state(NULL, before), "argument 1 is NULL where a generator is expected");
    REFUSES(t_generator_get_state(NULL), "argument 1 is NULL where a generator is expected");
    HOLDS(t_equal(before, t_get_rng_state()));
}
END_TEST

Suite *rng_state_suite(void);
Suite *rng_state_suite(void) {
    Suite *suite = suite_create("rng_state");
    TCase *tests = tcase_create("rng_state");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, generators_have_pytorchs_bytes);
    tcase_add_test(tests, invalid_states_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
