/* tests/io/test_file_writers.c: core/io/file.h: who else writes the same file, or something beside it, is not disturbed and does not
 * disturb. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/fsuid.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/files/file_support.h"

/* Where the file is written before it gets its name. */
static void beside_name(char *to, const char *path) {
    tg_Output out;
    ck_assert(tg_output_open(&out, path));
    strcpy(to, out.temporary);
    ck_assert(!tg_output_commit(&out, false));
}

/* Whatever the user's own files are called. */
START_TEST(no_name_of_the_users_is_written_to) {
    char path[200], own[200];
    in_folder(path, "file");
    in_folder(own, "file.tmp");
    put_file(own, "precious");
    ck_assert(write_text(path, "new"));
    expect_file(own, "precious");
    ck_assert(write_text(own, "newer") && write_text(path, "newest"));
    expect_file(own, "newer");
    expect_file(path, "newest");
    ck_assert_int_eq(files_but("file"), 1);
}
END_TEST

START_TEST(a_rest_of_a_killed_writer_is_taken_over) {
    char path[200], rest[200];
    in_folder(path, "file");
    beside_name(rest, path);
    put_file(path, "old");
    pid_t child = fork();
    if (child == 0) {
        tg_Output out;
        if (tg_output_open(&out, path) && tg_output_write(&out, test_folder, 5)) raise(SIGKILL);
        _exit(1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    expect_file(path, "old");
    expect_file(rest, "");
    put_file(rest, "a long rest of what was to be written");
    ck_assert(write_text(path, "new"));
    expect_file(path, "new");
    ck_assert_int_eq(files_but("file"), 0);
}
END_TEST

START_TEST(two_writers_do_not_meet) {
    char path[200];
    in_folder(path, "file");
    tg_Output first, second;
    ck_assert(tg_output_open(&first, path) && tg_output_open(&second, path));
    ck_assert_int_eq(files_but(""), 2);
    ck_assert(tg_output_write(&first, "first", 5) && tg_output_write(&second, "second", 6));
    ck_assert(tg_output_commit(&first, true));
    expect_file(path, "first");
    tg_Output third;
    ck_assert(tg_output_open(&third, path)); /* in the place that the first one left */
    ck_assert(tg_output_commit(&second, true));
    expect_file(path, "second");
    ck_assert(!tg_output_commit(&third, false));
    expect_file(path, "second");
    ck_assert_int_eq(files_but("file"), 0);
}
END_TEST

/* Each child writes the file again and again: at all times it is one of theirs, whole. */
START_TEST(processes_may_write_one_file) {
    enum { WRITERS = 4, TIMES = 10 };
    char path[200];
    in_folder(path, "file");
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            bool ok = true;
            for (int i = 0; ok && i < TIMES; i++) ok = write_text(path, (char[]){(char)('a' + w), (char)('a' + w), '\0'});
            _exit(!ok);
        }
    for (int status, w = 0; w < WRITERS; w++) {
        wait(&status);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    char content[3] = "";
    FILE *file = fopen(path, "rb");
    ck_assert_int_eq(fread(content, 1, 3, file), 2);
    fclose(file);
    ck_assert(content[0] == content[1] && content[0] >= 'a' && content[0] < 'a' + WRITERS);
    ck_assert_int_eq(files_but("file"), 0);
}
END_TEST

/* A folder, a pipe, a link or a second name of a file where the file that is written would stand is left alone. */
START_TEST(what_is_no_rest_is_not_emptied) {
    char path[200], beside[200], other[200];
    in_folder(path, "file");
    beside_name(beside, path);
    in_folder(other, "precious");
    put_file(other, "precious");
    for (int kind = 0; kind < 4; kind++) {
        const int made = kind == 0 ? mkdir(beside, 0777) : kind == 1 ? mkfifo(beside, 0666) : kind == 2 ? symlink("precious", beside) : link(other, beside);
        ck_assert_int_eq(made, 0);
        ck_assert(write_text(path, "new"));
        expect_file(path, "new");
        expect_file(other, "precious");
        ck_assert_int_eq(files_but("file"), 2);
        ck_assert_int_eq(remove(beside), 0);
    }
}
END_TEST

#ifdef __linux__
/* As where a new file is not its maker's, on FAT and on network disks: Linux lets root have that. */
static bool as_another(uid_t user, const char *path, const char *text) {
    setfsuid(user);
    const bool ok = write_text(path, text);
    setfsuid(0);
    return ok;
}

START_TEST(a_new_file_may_be_anothers) {
    char path[200];
    if (geteuid() != 0) return;
    in_folder(path, "file");
    ck_assert(chmod(test_folder, 0777) == 0);
    ck_assert_msg(as_another(1234, path, "new") && as_another(1234, path, "newer"), "%s", t_error());
    expect_file(path, "newer");
    ck_assert_int_eq(files_but("file"), 0);
}
END_TEST

/* Owner, group and mode stay, whoever writes; where the group cannot, it has no more rights than everybody. */
START_TEST(who_may_read_stays_as_it_was) {
    char path[200];
    struct stat about;
    if (geteuid() != 0) return;
    in_folder(path, "file");
    put_file(path, "old");
    ck_assert(chmod(test_folder, 0777) == 0 && chown(path, 1234, 5678) == 0 && chmod(path, 0640) == 0);
    ck_assert(write_text(path, "new") && stat(path, &about) == 0);
    ck_assert(about.st_uid == 1234 && about.st_gid == 5678 && (about.st_mode & 07777) == 0640);
    ck_assert(as_another(1234, path, "newer") && stat(path, &about) == 0);
    ck_assert(about.st_uid == 1234 && about.st_gid == getegid() && (about.st_mode & 07777) == 0600);
    expect_file(path, "newer");
}
END_TEST
#endif

Suite *file_writers_suite(void);
Suite *file_writers_suite(void) {
    Suite *suite = suite_create("file_writers");
    TCase *tests = tcase_create("file_writers");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, no_name_of_the_users_is_written_to);
    tcase_add_test(tests, a_rest_of_a_killed_writer_is_taken_over);
    tcase_add_test(tests, two_writers_do_not_meet);
    tcase_add_test(tests, processes_may_write_one_file);
    tcase_add_test(tests, what_is_no_rest_is_not_emptied);
#ifdef __linux__
    tcase_add_test(tests, a_new_file_may_be_anothers);
    tcase_add_test(tests, who_may_read_stays_as_it_was);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
