/* tests/loggers/test_csv_logger.c: metrics.csv, versions, failing writes, out of memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/loggers/loggers.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

static void teardown(void) {
    reset_file_calls();
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s/*", test_folder);
    ck_assert_int_eq(system(command), 0);
    folder_teardown();
}

/* What Lightning's CSVLogger writes for the same calls. */
START_TEST(columns_grow_with_the_metrics) {
    loggers_CSVLogger *logger = loggers_CSVLogger(test_folder, .name = "run", .prefix = "my");
    ck_assert_str_eq(loggers_log_dir(logger), t_format("%s/run/version_0", test_folder));
    t_TensorDict *first = t_dict(), *second = t_dict();
    t_dict_set(first, "loss", 0.25);
    t_dict_set(first, "epoch", 3);
    ck_assert(loggers_log_metrics(logger, first));
    t_dict_set(second, "acc", t_tensor("[0.1]"));
    t_dict_set(second, "loss", 1e-5);
    t_dict_set(second, "note", "a \"b\", c");
    t_dict_set(second, "best", t_eq(t_tensor(1), 1));
    ck_assert(loggers_log_metrics(logger, second, 7) && loggers_save(logger) && loggers_save(logger));
    const char *path = t_format("%s/metrics.csv", loggers_log_dir(logger));
    ck_assert(loggers_log_metrics(logger, first, 99)); /* saves: 99 + 1 is a multiple of 100 */
    FILE *file = fopen(path, "r");
    char text[400] = "";
    ck_assert(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    ck_assert_str_eq(text, "my-loss,my-epoch,step,my-acc,my-note,my-best\r\n0.25,3,0,,,\r\n"
                           "1e-05,,7,0.10000000149011612,\"a \"\"b\"\", c\",True\r\n0.25,3,99,,,\r\n");
}
END_TEST

START_TEST(each_logger_has_a_version) {
    loggers_CSVLogger *logger;
    with_scope () {
        logger = loggers_CSVLogger(test_folder);
        t_TensorDict *metrics = t_dict();
        t_dict_set(metrics, "x", 1);
        ck_assert(loggers_log_metrics(logger, metrics));
    } /* saves */
    expect_file(t_format("%s/lightning_logs/version_0/metrics.csv", test_folder), "x,step\r\n1,0\r\n");
    ck_assert_str_eq(loggers_log_dir(loggers_CSVLogger(test_folder)),
                     t_format("%s/lightning_logs/version_1", test_folder));
    ck_assert_str_eq(loggers_log_dir(loggers_CSVLogger(test_folder, "", "mine")), t_format("%s/mine", test_folder));
}
END_TEST

/* An int64 has more digits than a double. */
START_TEST(integers_have_all_their_digits) {
    loggers_CSVLogger *logger = loggers_CSVLogger(test_folder, "", "digits");
    t_TensorDict *metrics = t_dict();
    t_dict_set(metrics, "least", t_full(1, INT64_MIN, .dtype = t_int64));
    t_dict_set(metrics, "odd", t_add(t_full(1, INT64_C(1) << 53, .dtype = t_int64), 1));
    t_dict_set(metrics, "byte", t_full(1, 255, .dtype = t_uint8));
    ck_assert(loggers_log_metrics(logger, metrics) && loggers_save(logger));
    expect_file(t_format("%s/digits/metrics.csv", test_folder),
                "least,odd,byte,step\r\n-9223372036854775808,9007199254740993,255,0\r\n");
}
END_TEST

/* (step + 1) % flush_logs_every_n_steps == 0, as Python's %. */
START_TEST(negative_steps_save) {
    loggers_CSVLogger *logger = loggers_CSVLogger(test_folder, "", "negative", .flush_logs_every_n_steps = 10);
    const char *path = t_format("%s/negative/metrics.csv", test_folder);
    t_TensorDict *metrics = t_dict();
    ck_assert(loggers_log_metrics(logger, metrics, -2) && access(path, F_OK) != 0);
    ck_assert(loggers_log_metrics(logger, metrics, -1));
    expect_file(path, "step\r\n-2\r\n-1\r\n");
    ck_assert(loggers_log_metrics(logger, metrics, -10) && loggers_log_metrics(logger, metrics, -11));
    expect_file(path, "step\r\n-2\r\n-1\r\n-10\r\n-11\r\n");
    ck_assert(loggers_log_metrics(logger, metrics, INT64_MAX));
}
END_TEST

START_TEST(bad_arguments_are_refused) {
    const loggers_CSVLoggerOptions none = {sizeof none, NULL, "a", NULL, NULL, 1},
                                   every = {sizeof none, "x", "a", NULL, NULL, 0};
    expect_refusal(!loggers_CSVLogger_new(&none), "argument 1 is NULL where a folder is expected");
    expect_refusal(!loggers_CSVLogger_new(&every), "flush_logs_every_n_steps is 0, but must be positive");
    loggers_CSVLogger *logger = loggers_CSVLogger(test_folder);
    t_TensorDict *metrics = t_dict();
    t_dict_set(metrics, "new", 1);
    t_dict_set(metrics, "many", t_ones(3));
    expect_refusal(!(loggers_log_metrics)(logger, metrics, 0),
                   "the metric \"many\" has 3 elements, but must be one number");
    ck_assert(loggers_save(logger) && access(t_format("%s/metrics.csv", loggers_log_dir(logger)), F_OK) != 0);
}
END_TEST

START_TEST(a_save_that_fails_leaves_the_old_file) {
    loggers_CSVLogger *logger = loggers_CSVLogger(test_folder, "", "v");
    t_TensorDict *metrics = t_dict();
    t_dict_set(metrics, "x", 1);
    ck_assert(loggers_log_metrics(logger, metrics) && loggers_save(logger));
    const char *path = t_format("%s/v/metrics.csv", test_folder);
    t_dict_set(metrics, "y", 2);
    ck_assert(loggers_log_metrics(logger, metrics));
    for (int n = 1;; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOSPC});
        const bool saved = (loggers_save)(logger);
        ck_assert_int_eq(saved, !fault_reported(path));
        expect_file(path, saved ? "x,step,y\r\n1,0,\r\n1,1,2\r\n" : "x,step\r\n1,0\r\n");
        if (saved) break;
    }
}
END_TEST

/* Metrics that are saved at once, but cannot be, are not logged: neither their row nor their new column. */
START_TEST(a_row_that_cannot_be_saved_is_not_kept) {
    loggers_CSVLogger *logger = loggers_CSVLogger(test_folder, "", "v", .flush_logs_every_n_steps = 1);
    t_TensorDict *metrics = t_dict(), *more = t_dict();
    t_dict_set(metrics, "x", 1);
    t_dict_set(more, "y", 2);
    ck_assert(loggers_log_metrics(logger, metrics));
    const char *path = t_format("%s/v/metrics.csv", test_folder);
    set_faults((Faults){.fail_at = 1, .reason = ENOSPC});
    ck_assert(!(loggers_log_metrics)(logger, more, 1) && fault_reported(path));
    expect_file(path, "x,step\r\n1,0\r\n");
    ck_assert(loggers_log_metrics(logger, metrics));
    expect_file(path, "x,step\r\n1,0\r\n1,1\r\n");
}
END_TEST

static loggers_CSVLogger *some_logger;
static bool logs(void *metrics) {
    return (loggers_log_metrics)(some_logger, metrics, 1);
}
static bool unchanged(void *metrics) {
    return metrics && (loggers_save)(some_logger);
}
static bool makes(void *folder) {
    const loggers_CSVLoggerOptions options = {sizeof options, folder, "memory", "v", NULL, 1};
    return loggers_CSVLogger_new(&options) != NULL;
}

START_TEST(without_memory_nothing_is_left) {
    some_logger = loggers_CSVLogger(test_folder);
    t_TensorDict *metrics = t_dict();
    t_dict_set(metrics, "x", 1);
    t_dict_set(metrics, "y", 0.5);
    refuse_all("CSVLogger", makes, NULL, test_folder);
    refuse_all("log_metrics", logs, unchanged, metrics);
    for (int n = 1;; n++) { /* nor the folder of a logger that was not made */
        set_faults((Faults){.fail_at = n, .reason = ENOMEM});
        const loggers_CSVLoggerOptions options = {sizeof options, test_folder, "other", "v", NULL, 1};
        const bool made = loggers_CSVLogger_new(&options) != NULL;
        ck_assert_int_eq(made, !fault_reported("out of memory"));
        ck_assert_int_eq(access(t_format("%s/other", test_folder), F_OK) == 0, made);
        if (made) break;
    }
    ck_assert(loggers_save(some_logger));
    report_notes();
}
END_TEST

Suite *csv_logger_suite(void);
Suite *csv_logger_suite(void) {
    Suite *suite = suite_create("csv_logger");
    TCase *tests = tcase_create("csv_logger");
    tcase_add_checked_fixture(tests, folder_setup, teardown);
    tcase_add_test(tests, columns_grow_with_the_metrics);
    tcase_add_test(tests, each_logger_has_a_version);
    tcase_add_test(tests, integers_have_all_their_digits);
    tcase_add_test(tests, negative_steps_save);
    tcase_add_test(tests, bad_arguments_are_refused);
    tcase_add_test(tests, a_save_that_fails_leaves_the_old_file);
    tcase_add_test(tests, a_row_that_cannot_be_saved_is_not_kept);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
