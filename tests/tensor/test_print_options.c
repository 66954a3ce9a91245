/* tests/tensor/test_print_options.c: t_set_printoptions against what PyTorch prints, in tests/golden/print.txt (the
 * cases are in that file, and in the script that recorded it, tests/golden/record_print.py). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/output.h"
#include "tests/support/support.h"

static int64_t integer_or_none(const char *word) {
    return strcmp(word, "None") == 0 ? T_NONE : atoll(word);
}

static void set_options(char (*word)[32]) {
    const int sci_mode = strcmp(word[5], "None") == 0 ? -1 : strcmp(word[5], "True") == 0;
    const double threshold = strcmp(word[1], "None") == 0 ? NAN : atof(word[1]);
    ck_assert(t_set_printoptions(T_NONE, NAN, T_NONE, T_NONE, "default", -1));
    ck_assert(t_set_printoptions(integer_or_none(word[0]), threshold, integer_or_none(word[2]),
                                 integer_or_none(word[3]), strcmp(word[4], "None") == 0 ? NULL : word[4], sci_mode));
}

/* The text of a case, without the bar at the beginning of each line; *end is the next case. */
static char *text_of_case(const char *lines, const char **end) {
    char *text = malloc(strlen(lines) + 1), *to = text;
    while (*lines == '|') {
        const size_t length = strcspn(++lines, "\n");
        memcpy(to, lines, length);
        to += length;
        *to++ = '\n';
        lines += length + 1;
    }
    to[-1] = '\0';
    *end = lines;
    return text;
}

START_TEST(prints_as_pytorch) {
    char *file = read_text("tests/golden/print.txt"), word[7][32], key[256];
    int exponent, count = 0;
    for (const char *at = file, *next; *at; at = next, count++) {
        const size_t length = strcspn(at, "\n");
        snprintf(key, sizeof key, "%.*s", (int)length - 2, at + 2);
        ck_assert_int_eq(sscanf(key, "%31s %31s %31s %31s %31s %31s %31s %d", word[0], word[1], word[2], word[3],
                                word[4], word[5], word[6], &exponent),
                         8);
        set_options(word);
        const int depth = t_scope_open();
        Tensor *x = make_inputs(word[6], seed_of(key), t_float32).x[0];
        if (t_is_floating_point(x)) x = t_mul(x, t_number(ldexp(1, exponent)));
        char *want = text_of_case(at + length + 1, &next), *got = t_repr(x);
        if (strcmp(want, got) != 0) note("%s\n%s\nwant\n%s", key, got, want);
        free(want);
        free(got);
        t_scope_close(depth);
    }
    ck_assert_int_gt(count, 300);
    t_set_printoptions(T_NONE, NAN, T_NONE, T_NONE, "default", -1);
    free(file);
    report_notes();
}
END_TEST

START_TEST(refuses_negative_options) {
    expect_refusal(!t_set_printoptions(-1, NAN, T_NONE, 20, NULL, 1), "precision must be from 0 to 2147483247, not -1");
    expect_refusal(!t_set_printoptions(2, NAN, -3, 20, NULL, 1), "edgeitems must not be negative, not -3");
    expect_printed(from_text("[1.5, 2.25]", 0, false), "tensor([1.5000, 2.2500])");
}
END_TEST

Suite *print_options_suite(void);
Suite *print_options_suite(void) {
    Suite *suite = suite_create("print_options");
    TCase *tests = tcase_create("print_options");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, prints_as_pytorch);
    tcase_add_test(tests, refuses_negative_options);
    suite_add_tcase(suite, tests);
    return suite;
}
