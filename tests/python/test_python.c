/* tests/python/test_python.c: Python's random, time and os functions; the values are those of CPython 3.11 under the
 * same seeds. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/python/python.h"
#include "tests/support/support.h"

static void expect_integers(const int64_t *got, const int64_t *expected, int count) {
    for (int i = 0; i < count; i++) ck_assert_int_eq(got[i], expected[i]);
}

/* The calls of one Python session, in order. */
START_TEST(random_values_are_pythons) {
    int64_t got[10], items[100000];
    random_seed(42);
    ck_assert_double_eq(random_random(), 0.6394267984578837);
    ck_assert_double_eq(random_random(), 0.025010755222666936);
    ck_assert_double_eq(random_random(), 0.27502931836911926);
    for (int i = 0; i < 10; i++) got[i] = random_randint(1, 6);
    expect_integers(got, (int64_t[]){2, 2, 6, 1, 6, 6, 5, 1, 5, 4}, 10);
    for (int i = 0; i < 5; i++) got[i] = random_randrange(10);
    expect_integers(got, (int64_t[]){0, 0, 1, 3, 3}, 5);
    for (int i = 0; i < 5; i++) got[i] = random_randrange(5, 50, 3);
    expect_integers(got, (int64_t[]){29, 32, 5, 29, 14}, 5);
    ck_assert_int_eq(random_randrange(10, -10, -4), -6);
    char letters[7] = "";
    for (int i = 0; i < 6; i++) letters[i] = random_choice("abcdef", 6);
    ck_assert_str_eq(letters, "dbdeca");
    for (int i = 0; i < 100000; i++) items[i] = i;
    random_shuffle(items, 10);
    expect_integers(items, (int64_t[]){4, 3, 0, 8, 7, 1, 9, 5, 6, 2}, 10);
    for (int i = 0; i < 10; i++) items[i] = i;
    ck_assert(random_sample(items, 10, 4, got));
    expect_integers(got, (int64_t[]){6, 1, 5, 9}, 4);
    ck_assert(random_sample(items, 100000, 7, got));
    expect_integers(got, (int64_t[]){45082, 79131, 34671, 5695, 95647, 60217, 70284}, 7);
    ck_assert(random_sample(items, 30, 6, got));
    expect_integers(got, (int64_t[]){3, 12, 2, 17, 9, 20}, 6);
    ck_assert_double_eq(random_uniform(-1, 1), 0.2370395047284921);
    ck_assert_double_eq_tol(random_gauss(0, 1), 0.8473614233480004, 1e-15); /* log and cos are the C library's */
    ck_assert_double_eq_tol(random_gauss(2, 3), -1.0066084727270495, 1e-15);
    ck_assert_double_eq_tol(random_gauss(0, 1), -0.08624384633628418, 1e-15);
    ck_assert_int_eq(random_randint(INT64_MIN, INT64_MAX), INT64_C(5037221801316813454));
    ck_assert_int_eq(random_randint(0, INT64_C(1) << 40), INT64_C(176030186060));
    random_seed(-7);
    ck_assert_double_eq(random_random(), 0.32383276483316237);
    random_seed((INT64_C(1) << 40) + 3);
    ck_assert_double_eq(random_random(), 0.21978710637116716);
    random_seed(0);
    ck_assert_double_eq(random_random(), 0.8444218515250481);
}
END_TEST

START_TEST(refusals_are_pythons) {
    int64_t two[] = {1, 2}, to[3];
    random_randrange(0);
    expect_error("empty range for randrange()");
    random_randrange(3, 3);
    expect_error("empty range for randrange() (3, 3, 0)");
    random_randint(5, 2);
    expect_error("empty range for randrange() (5, 3, -2)");
    random_randrange(1, 2, 0);
    expect_error("zero step for randrange()");
    ck_assert_int_eq(random_choice(two, 0), 0);
    expect_error("Cannot choose from an empty sequence");
    ck_assert(!random_sample(two, 2, 3, to));
    expect_error("Sample larger than population or is negative");
    ck_assert(!(random_shuffle)(NULL, 2, 8));
    expect_error("argument 1 is NULL where 2 items are expected");
    ck_assert(random_shuffle(two, 0) && random_sample(two, 2, 0, to));
    ck_assert_int_eq(error_count(), 6);
}
END_TEST

/* Seeding one generator does not seed the other. */
START_TEST(torch_and_python_have_separate_generators) {
    t_manual_seed(0);
    Tensor *expected = t_rand(2);
    t_manual_seed(0);
    random_seed(1);
    random_random();
    ck_assert(t_equal(t_rand(2), expected));
    ck_assert(time_time() > 1.6e9 && time_perf_counter() <= time_perf_counter());
}
END_TEST

START_TEST(folders_are_listed) {
    char folder[] = "/tmp/tapegrad_list_XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(os_listdir(folder)->len, 0);
    const char *const names[] = {"b.png", "a.png", ".hidden"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        ck_assert_int_eq(mkdir(path, 0700), 0);
    }
    os_Listing *listing = os_listdir(folder);
    ck_assert_int_eq(listing->len, 3);
    ck_assert_str_eq(listing->items[0], ".hidden");
    ck_assert_str_eq(listing->items[2], "b.png");
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        rmdir(path);
    }
    rmdir(folder);
    ck_assert_ptr_null(os_listdir("/no/such/folder"));
    expect_error("[Errno 2] No such file or directory: '/no/such/folder'");
}
END_TEST

Suite *python_suite(void);
Suite *python_suite(void) {
    Suite *suite = suite_create("python");
    TCase *tests = tcase_create("python");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, random_values_are_pythons);
    tcase_add_test(tests, refusals_are_pythons);
    tcase_add_test(tests, torch_and_python_have_separate_generators);
    tcase_add_test(tests, folders_are_listed);
    suite_add_tcase(suite, tests);
    return suite;
}
