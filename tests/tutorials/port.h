/* tests/tutorials/port.h: the frame of a port's test: a program of its own that runs one suite.
 *
 *     PORT_SUITE("notebook", layers_agree, encoder_agrees)
 *
 * Each test runs in the frame of support.h (no tensor may outlive it) and ends with report_notes(). */
#ifndef TAPEGRAD_TESTS_TUTORIALS_PORT_H
#define TAPEGRAD_TESTS_TUTORIALS_PORT_H

#include "tests/support/models/replay.h"

#define PORT_SUITE(name, ...)                                                                              \
    int main(void) {                                                                                       \
        const TTest *const tests[] = {__VA_ARGS__};                                                        \
        Suite *suite = suite_create(name);                                                                 \
        TCase *group = tcase_create("replayed from PyTorch");                                              \
        tcase_add_checked_fixture(group, support_setup, support_teardown);                                 \
        tcase_set_timeout(group, 600);                                                                     \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tcase_add_test(group, tests[i]);         \
        suite_add_tcase(suite, group);                                                                     \
        return run_suites(srunner_create(suite));                                                          \
    }

#endif
