/* tests/main.c: runs every suite, or the one that is named on the command line.
 *
 * The tests run from the root of the tree (they read tests/golden and the headers). CK_FORK=no, CK_VERBOSITY and the
 * other variables of Check work as usual. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new suite is one line here. */
#define SUITES(X) \
    X(ops) \
    X(einsum) \
    X(lines) \
    X(forms) \
    X(access) \
    X(autograd) \
    X(scope) \
    X(error) \
    X(mistakes) \
    X(corners) \
    X(index) \
    X(text) \
    X(print) \
    X(module) \
    X(functional) \
    X(functional_each) \
    X(losses) \
    X(transformer) \
    X(masks) \
    X(decoder) \
    X(training) \
    X(optim) \
    X(clip_grad) \
    X(data) \
    X(plot_facts) \
    X(plot) \
    X(plot_files) \
    X(plot_errors) \
    X(plot_memory) \
    X(plot_image) \
    X(plot_layout) \
    X(plot_terminal)

#define DECLARE(name) Suite *name##_suite(void);
SUITES(DECLARE)

typedef struct Entry {
    const char *name;
    Suite *(*make)(void);
} Entry;
#define ENTRY(name) {#name, name##_suite},
static const Entry entries[] = {SUITES(ENTRY)};
enum { ENTRIES = sizeof entries / sizeof *entries };

int main(int count, char **words) {
    SRunner *runner = srunner_create(NULL);
    int chosen = 0;
    for (int i = 0; i < ENTRIES; i++)
        if (count < 2 || strcmp(words[1], entries[i].name) == 0) {
            srunner_add_suite(runner, entries[i].make());
            chosen++;
        }
    if (chosen == 0) {
        fprintf(stderr, "there is no suite %s; these are the suites:", words[1]);
        for (int i = 0; i < ENTRIES; i++) fprintf(stderr, " %s", entries[i].name);
        fputc('\n', stderr);
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, getenv("CK_VERBOSITY") ? CK_ENV : CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
