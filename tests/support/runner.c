/* tests/support/runner.c: runs suites, in a process for each test or, with CK_FORK=no, in this one. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/support.h"

bool marks_are_read = true;
static pid_t running;

static void ended_by_a_test(void) {
    if (running != getpid()) return;
    fprintf(stderr, "a test of the case \"%s\" has ended the program\n", tcase_name());
    _exit(EXIT_FAILURE);
}

int run_suites(SRunner *runner) {
    marks_are_read = srunner_fork_status(runner) == CK_FORK;
    atexit(ended_by_a_test);
    running = getpid();
    srunner_run_all(runner, getenv("CK_VERBOSITY") ? CK_ENV : CK_NORMAL);
    running = 0;
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
