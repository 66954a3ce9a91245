/* tests/io/test_files.c: core/io/file.h: a file is written completely or not at all; reads are bounds-checked. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/files/file_support.h"

/* 200,000 bytes in three pieces: more than the buffer, and a piece larger than it. */
static bool write_large(const char *path) {
    enum { SMALL = 50, LARGE = 199900 };
    static char block[LARGE];
    tg_Output out;
    memset(block, 'x', sizeof block);
    bool ok = tg_output_open(&out, path);
    ok = ok && tg_output_write(&out, block, SMALL) && tg_output_write(&out, block, LARGE) &&
         tg_output_write(&out, block, SMALL);
    return tg_output_commit(&out, ok);
}

static void expect_large(const char *path) {
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_size, 200000);
}

/* ---- writing ---- */

START_TEST(every_call_that_fails_leaves_the_old_file) {
    char path[200];
    in_folder(path, "kept");
    put_file(path, "old");
    const int reasons[] = {ENOSPC, EIO, EDQUOT};
    int n = 1;
    for (;; n++) {
        set_faults((Faults){.fail_at = n, .reason = reasons[n % 3], .most = 60000});
        const bool written = write_large(path);
        ck_assert_int_eq(written, !fault_reported(path));
        if (written) break;
        expect_file(path, "old");
        ck_assert_int_eq(files_but("kept"), 0);
    }
    ck_assert_int_ge(n, 8); /* two buffers, four writes, fsync, rename */
    expect_large(path);
    ck_assert_int_eq(files_but("kept"), 0);
}
END_TEST

static bool write_both(const char *first, const char *second) {
    tg_Output outs[2];
    if (!tg_output_open(&outs[0], first)) return false;
    if (!tg_output_open(&outs[1], second)) return tg_output_commit(&outs[0], false);
    return tg_outputs_commit(outs, 2, tg_output_text(&outs[0], "new") && tg_output_text(&outs[1], "new"));
}

static int link_without_links(const char *from, const char *to) {
    errno = from && to ? EPERM : EINVAL;
    return -1;
}

/* The system call that fails is the nth; with or without old files, and hard links. */
static bool both_are_written_or_kept(const char *first, const char *second, int n, bool are_old, bool has_links) {
    unlink(first);
    unlink(second);
    if (are_old) put_file(first, "old"), put_file(second, "old");
    set_faults((Faults){.fail_at = n, .reason = EIO});
    if (!has_links) tg_file_calls.link = link_without_links;
    const bool written = write_both(first, second);
    ck_assert_int_eq(written, !fault_reported(test_folder));
    ck_assert_int_eq(files_but("first"), written || are_old); /* the second, and none else */
    if (written || are_old)
        expect_file(first, written ? "new" : "old"), expect_file(second, written ? "new" : "old");
    else
        ck_assert_int_ne(access(first, F_OK), 0);
    return written;
}

START_TEST(two_files_are_written_both_or_neither) {
    char first[200], second[200];
    in_folder(first, "first");
    in_folder(second, "second");
    for (int way = 0; way < 4; way++) {
        int n = 1;
        while (!both_are_written_or_kept(first, second, n, way & 1, way & 2)) n++;
        ck_assert_int_ge(n, 11); /* five buffers, two writes, two fsyncs, two renames */
    }
}
END_TEST

/* The old file keeps the name that the error gives. */
START_TEST(a_file_that_cannot_be_put_back_is_kept) {
    char first[200], second[200];
    in_folder(first, "first");
    in_folder(second, "second");
    put_file(first, "old");
    set_faults((Faults){.fail_at = 0});
    ck_assert(write_both(first, second));
    const int last = faults.calls;
    put_file(first, "old");
    set_faults((Faults){.fail_at = last, .lasting = true, .reason = EIO});
    ck_assert(!write_both(first, second));
    const char *kept = strstr(t_error_message(), "; the file that was there before is ");
    ck_assert_msg(kept != NULL, "%s", t_error_message());
    expect_file(kept + strlen("; the file that was there before is "), "old");
    t_clear_error();
}
END_TEST

START_TEST(interrupted_calls_are_made_again) {
    char path[200];
    in_folder(path, "file");
    set_faults((Faults){.most = 60000});
    ck_assert(write_large(path));
    const int calls = faults.calls;
    for (int n = 3; n < calls; n++) { /* after the two buffers; the last one is rename, which is not interrupted */
        set_faults((Faults){.fail_at = n, .reason = EINTR, .most = 60000});
        ck_assert(write_large(path));
        ck_assert_int_eq(faults.calls, calls + 1);
        expect_large(path);
    }
    set_faults((Faults){.most = 1000}); /* short writes */
    ck_assert(write_large(path));
    expect_large(path);
}
END_TEST

static ssize_t writes_nothing(int fd, const void *from, size_t bytes) {
    return fd < 0 || !from || !bytes ? -1 : 0;
}

START_TEST(a_write_of_nothing_is_a_full_disk) {
    char path[200], text[300];
    in_folder(path, "file");
    tg_file_calls.write = writes_nothing;
    snprintf(text, sizeof text, "cannot write %s: No space left on device", path);
    expect_refusal(!write_text(path, "new"), text);
    ck_assert_int_eq(files_but(""), 0);
}
END_TEST

START_TEST(a_device_that_is_full_says_so) {
    if (access("/dev/full", W_OK) != 0) return;
    expect_refusal(!write_text("/dev/full", "x"), "cannot write /dev/full: it is not a regular file");
    char text[200];
    snprintf(text, sizeof text, "cannot write %s: it is a folder", test_folder);
    expect_refusal(!write_text(test_folder, "x"), text);
}
END_TEST

START_TEST(what_fails_once_stays_failed) {
    char path[200];
    in_folder(path, "file");
    tg_Output out;
    ck_assert(tg_output_open(&out, path));
    ck_assert(tg_output_write(&out, "a", 1));
    out.failed = true;
    ck_assert(!tg_output_write(&out, "b", 1));
    ck_assert(!tg_output_commit(&out, true));
    ck_assert(!tg_output_commit(&out, true)); /* a second commit does nothing */
    ck_assert_int_eq(files_but(""), 0);
}
END_TEST

START_TEST(a_file_in_the_current_folder_needs_no_slash) {
    char before[1000];
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    ck_assert_int_eq(chdir(test_folder), 0);
    const bool written = write_text("plain", "here");
    expect_file("plain", "here");
    ck_assert_int_eq(chdir(before), 0);
    ck_assert(written);
    ck_assert_int_eq(files_but("plain"), 0);
}
END_TEST

START_TEST(paths_that_cannot_be_are_named) {
    char path[200], text[300];
    in_folder(path, "none/file");
    snprintf(text, sizeof text, "cannot write %s: No such file or directory", path);
    expect_refusal(!write_text(path, "x"), text);
    expect_refusal(!write_text("", "x"), "the path is empty");
    expect_refusal(!write_text(NULL, "x"), "the path is NULL");
    ck_assert_int_eq(files_but(""), 0);
    if (geteuid() == 0) return; /* root may do everything */
    in_folder(path, "locked");
    put_file(path, "old");
    chmod(path, 0444);
    snprintf(text, sizeof text, "cannot write %s: Permission denied", path);
    expect_refusal(!write_text(path, "x"), text);
    expect_file(path, "old");
}
END_TEST

START_TEST(names_may_be_long) {
    char name[256] = {0}, path[400];
    memset(name, 'n', 255);
    in_folder(path, name);
    ck_assert(write_text(path, "new"));
    expect_file(path, "new");
}
END_TEST

/* As Python's open(path, "wb") does. */
START_TEST(a_dangling_link_creates_its_target) {
    char path[200], link[200], text[300];
    struct stat about;
    in_folder(path, "target");
    in_folder(link, "first");
    ck_assert_int_eq(symlink("second", link), 0); /* relative to the link's folder */
    in_folder(link, "second");
    ck_assert_int_eq(symlink("./target", link), 0);
    in_folder(link, "first");
    ck_assert(write_text(link, "new"));
    expect_file(path, "new");
    ck_assert(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert_int_eq(files_but("target"), 2);
    ck_assert(write_text(link, "newer"));
    expect_file(path, "newer");
    in_folder(link, "far");
    ck_assert_int_eq(symlink("none/target", link), 0);
    snprintf(text, sizeof text, "cannot write %s: No such file or directory", link);
    expect_refusal(!write_text(link, "x"), text);
    in_folder(link, "loop");
    ck_assert_int_eq(symlink("loop", link), 0);
    snprintf(text, sizeof text, "cannot write %s: Too many levels of symbolic links", link);
    expect_refusal(!write_text(link, "x"), text);
}
END_TEST

static int stat_without_permission(const char *path, struct stat *about) {
    (void)path;
    (void)about;
    errno = EACCES;
    return -1;
}

/* If it were treated as a new file, it would get a new file's mode. */
START_TEST(a_file_that_cannot_be_looked_at_is_not_replaced) {
    char path[200], text[300];
    struct stat about;
    in_folder(path, "private");
    put_file(path, "old");
    chmod(path, 0600);
    tg_file_calls.stat = stat_without_permission;
    snprintf(text, sizeof text, "cannot write %s: Permission denied", path);
    expect_refusal(!write_text(path, "new"), text);
    expect_file(path, "old");
    ck_assert(stat(path, &about) == 0 && (about.st_mode & 0777) == 0600);
    ck_assert_int_eq(files_but("private"), 0);
}
END_TEST

static int mkdir_without_permission(const char *path, mode_t mode) {
    (void)path;
    (void)mode;
    errno = EACCES;
    return -1;
}

/* The reason is mkdir's, not that of the look whether the folder is there all the same. */
START_TEST(a_folder_that_cannot_be_made_is_told_with_the_reason) {
    char path[200], text[600];
    in_folder(path, "file");
    put_file(path, "x");
    snprintf(text, sizeof text, "cannot create the folder %s: %s: Not a directory", path, path);
    expect_refusal(!tg_make_folders(path), text);
    in_folder(path, "dangling");
    ck_assert_int_eq(symlink("nowhere", path), 0);
    snprintf(text, sizeof text, "cannot create the folder %s: %s: No such file or directory", path, path);
    expect_refusal(!tg_make_folders(path), text);
    tg_file_calls.mkdir = mkdir_without_permission;
    ck_assert(tg_make_folders(test_folder));
    in_folder(path, "new");
    snprintf(text, sizeof text, "cannot create the folder %s: %s: Permission denied", path, path);
    expect_refusal(!tg_make_folders(path), text);
}
END_TEST

static int lockless;
static int flock_without_locks(int fd, int operation) {
    errno = fd < 0 || !operation ? EINVAL : lockless;
    return -1;
}

/* The temporary file of a killed writer does no harm; without locks it cannot be told from a live one's, so it
 * stays. */
START_TEST(a_file_system_without_locks_will_do) {
    const int reasons[] = {ENOLCK, EOPNOTSUPP, ENOSYS, ENOTSUP};
    char path[200];
    tg_Output killed;
    in_folder(path, "file");
    tg_file_calls.flock = flock_without_locks;
    lockless = ENOLCK;
    ck_assert(tg_output_open(&killed, path) && tg_output_write(&killed, "half", 4));
    for (int i = 0; i < 4; i++) {
        lockless = reasons[i];
        ck_assert_msg(write_text(path, "new"), "%s", t_error());
        expect_file(path, "new");
        ck_assert_int_eq(files_but("file"), 1);
    }
    ck_assert(tg_output_commit(&killed, true)); /* it was alive after all */
    expect_file(path, "half");
    ck_assert_int_eq(files_but("file"), 0);
}
END_TEST

START_TEST(a_link_stays_a_link_and_a_mode_stays_a_mode) {
    char path[200], link[200];
    struct stat about;
    in_folder(path, "file");
    in_folder(link, "link");
    put_file(path, "old");
    chmod(path, 0640);
    ck_assert_int_eq(symlink("file", link), 0);
    ck_assert(write_text(link, "new"));
    expect_file(path, "new");
    ck_assert(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert(stat(path, &about) == 0 && (about.st_mode & 0777) == 0640);
    ck_assert_int_eq(files_but("file"), 1);
}
END_TEST

/* ---- in memory ---- */

START_TEST(memory_grows_and_is_handed_over) {
    tg_Output out;
    size_t size = 1;
    tg_output_memory(&out);
    char *bytes = tg_output_take(&out, true, &size);
    ck_assert(bytes && size == 0);
    free(bytes);
    tg_output_memory(&out);
    for (int i = 0; i < 1000; i++) ck_assert(tg_output_write(&out, "0123456789", 10));
    bytes = tg_output_take(&out, true, &size);
    ck_assert(size == 10000 && memcmp(bytes + 9990, "0123456789", 10) == 0);
    free(bytes);
    for (int n = 1; n < 4; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOMEM});
        tg_output_memory(&out);
        const bool ok = tg_output_write(&out, test_folder, 10) && tg_output_write(&out, (char[300]){'x'}, 300) &&
                        tg_output_write(&out, (char[900]){'x'}, 900);
        ck_assert(!ok && !tg_output_write(&out, "", 0));
        ck_assert_ptr_null(tg_output_take(&out, ok, &size));
        ck_assert(strstr(t_error_message(), "out of memory for") != NULL);
        t_clear_error();
    }
}
END_TEST

/* ---- reading ---- */

START_TEST(ranges_beyond_the_end_are_refused) {
    tg_Input in;
    char to[8];
    ck_assert(tg_input_memory(&in, "01234567", 8, "bytes"));
    ck_assert(tg_input_read(&in, 5, to, 3) && memcmp(to, "567", 3) == 0);
    ck_assert(tg_input_read(&in, 8, to, 0));
    expect_refusal(!tg_input_read(&in, 5, to, 4), "bytes ends at byte 8, but bytes 5 to 9 are needed");
    expect_refusal(!tg_input_read(&in, 9, to, 0), "bytes ends at byte 8, but bytes 9 to 9 are needed");
    expect_refusal(!tg_input_read(&in, UINT64_MAX, to, 2),
                   "bytes ends at byte 8, but bytes 18446744073709551615 to 18446744073709551615 are needed");
    expect_refusal(!tg_input_read(&in, 1, to, SIZE_MAX),
                   "bytes ends at byte 8, but bytes 1 to 18446744073709551615 are needed");
    ck_assert(tg_input_memory(&in, NULL, 0, "nothing") && tg_input_read(&in, 0, to, 0));
    expect_refusal(!tg_input_memory(&in, NULL, 3, "nothing"), "the address of 3 bytes to read is NULL");
}
END_TEST

START_TEST(what_is_no_file_is_not_read) {
    char path[200], text[300];
    tg_Input in;
    in_folder(path, "none");
    snprintf(text, sizeof text, "cannot open %s: No such file or directory", path);
    expect_refusal(!tg_input_open(&in, path), text);
    snprintf(text, sizeof text, "cannot read %s: it is a folder", test_folder);
    expect_refusal(!tg_input_open(&in, test_folder), text);
    in_folder(path, "pipe");
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    snprintf(text, sizeof text, "cannot read %s: it is not a regular file", path);
    expect_refusal(!tg_input_open(&in, path), text);
    expect_refusal(!tg_input_open(&in, "/dev/zero"), "cannot read /dev/zero: it is not a regular file");
    expect_refusal(!tg_input_open(&in, NULL), "the path is NULL");
}
END_TEST

START_TEST(a_file_may_vanish_but_not_shrink) {
    char path[200], text[300], to[8];
    tg_Input in;
    in_folder(path, "file");
    put_file(path, "01234567");
    ck_assert(tg_input_open(&in, path));
    ck_assert_int_eq(in.size, 8);
    ck_assert_int_eq(truncate(path, 4), 0);
    ck_assert(tg_input_read(&in, 0, to, 4));
    snprintf(text, sizeof text, "%s became shorter while it was read", path);
    expect_refusal(!tg_input_read(&in, 2, to, 4), text);
    unlink(path);
    ck_assert(tg_input_read(&in, 1, to, 3) && memcmp(to, "123", 3) == 0);
    tg_input_close(&in);
    tg_input_close(&in);
}
END_TEST

Suite *files_suite(void);
Suite *files_suite(void) {
    Suite *suite = suite_create("files");
    TCase *tests = tcase_create("files");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, every_call_that_fails_leaves_the_old_file);
    tcase_add_test(tests, two_files_are_written_both_or_neither);
    tcase_add_test(tests, a_file_that_cannot_be_put_back_is_kept);
    tcase_add_test(tests, interrupted_calls_are_made_again);
    tcase_add_test(tests, a_write_of_nothing_is_a_full_disk);
    tcase_add_test(tests, a_device_that_is_full_says_so);
    tcase_add_test(tests, what_fails_once_stays_failed);
    tcase_add_test(tests, a_file_in_the_current_folder_needs_no_slash);
    tcase_add_test(tests, paths_that_cannot_be_are_named);
    tcase_add_test(tests, names_may_be_long);
    tcase_add_test(tests, a_dangling_link_creates_its_target);
    tcase_add_test(tests, a_file_that_cannot_be_looked_at_is_not_replaced);
    tcase_add_test(tests, a_folder_that_cannot_be_made_is_told_with_the_reason);
    tcase_add_test(tests, a_file_system_without_locks_will_do);
    tcase_add_test(tests, a_link_stays_a_link_and_a_mode_stays_a_mode);
    tcase_add_test(tests, memory_grows_and_is_handed_over);
    tcase_add_test(tests, ranges_beyond_the_end_are_refused);
    tcase_add_test(tests, what_is_no_file_is_not_read);
    tcase_add_test(tests, a_file_may_vanish_but_not_shrink);
    suite_add_tcase(suite, tests);
    return suite;
}
