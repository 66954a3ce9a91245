/* tests/io/test_file_writers.c: core/io/file.h: several writers of one file do not disturb each other or other
 * files. */
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

/* The name of the temporary file that is renamed to path. */
static void temporary_name(char *to, const char *path) {
    tg_Output out;
    ck_assert(tg_output_open(&out, path));
    strcpy(to, out.temporary);
    ck_assert(!tg_output_commit(&out, false));
}

/* The temporary file has the name of no other file. */
START_TEST(no_other_file_is_overwritten) {
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

START_TEST(the_temporary_of_a_killed_writer_is_reused) {
    char path[200], rest[200];
    in_folder(path, "file");
    temporary_name(rest, path);
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

START_TEST(two_writers_have_different_temporaries) {
    char path[200];
    in_folder(path, "file");
    tg_Output first, second;
    ck_assert(tg_output_open(&first, path) && tg_output_open(&second, path));
    ck_assert_int_eq(files_but(""), 2);
    ck_assert(tg_output_write(&first, "first", 5) && tg_output_write(&second, "second", 6));
    ck_assert(tg_output_commit(&first, true));
    expect_file(path, "first");
    tg_Output third;
    ck_assert(tg_output_open(&third, path)); /* reuses the name of the first one's temporary */
    ck_assert(tg_output_commit(&second, true));
    expect_file(path, "second");
    ck_assert(!tg_output_commit(&third, false));
    expect_file(path, "second");
    ck_assert_int_eq(files_but("file"), 0);
}
END_TEST

/* Each child writes the file again and again: at all times it is complete and one child's. */
START_TEST(processes_may_write_one_file) {
    enum { WRITERS = 4, TIMES = 10 };
    char path[200];
    in_folder(path, "file");
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            bool ok = true;
            for (int i = 0; ok && i < TIMES; i++)
                ok = write_text(path, (char[]){(char)('a' + w), (char)('a' + w), '\0'});
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

/* A folder, a pipe, a symbolic or a hard link with the name of the temporary file is not written to. */
START_TEST(what_is_no_temporary_is_not_emptied) {
    char path[200], temporary[200], other[200];
    in_folder(path, "file");
    temporary_name(temporary, path);
    in_folder(other, "precious");
    put_file(other, "precious");
    for (int kind = 0; kind < 4; kind++) {
        const int made = kind == 0   ? mkdir(temporary, 0777)
                         : kind == 1 ? mkfifo(temporary, 0666)
                         : kind == 2 ? symlink("precious", temporary)
                                     : link(other, temporary);
        ck_assert_int_eq(made, 0);
        ck_assert(write_text(path, "new"));
        expect_file(path, "new");
        expect_file(other, "precious");
        ck_assert_int_eq(files_but("file"), 2);
        ck_assert_int_eq(remove(temporary), 0);
    }
}
END_TEST

#ifdef __linux__
/* On FAT and network disks a new file may have another owner than its writer; on Linux root can simulate that. */
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

/* Owner, group and mode stay the same for any writer; if the group cannot be kept, it gets no more rights than
 * others. */
START_TEST(permissions_stay_as_they_were) {
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
    tcase_add_test(tests, no_other_file_is_overwritten);
    tcase_add_test(tests, the_temporary_of_a_killed_writer_is_reused);
    tcase_add_test(tests, two_writers_have_different_temporaries);
    tcase_add_test(tests, processes_may_write_one_file);
    tcase_add_test(tests, what_is_no_temporary_is_not_emptied);
#ifdef __linux__
    tcase_add_test(tests, a_new_file_may_be_anothers);
    tcase_add_test(tests, permissions_stay_as_they_were);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
