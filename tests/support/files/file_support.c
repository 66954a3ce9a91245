/* tests/support/files/file_support.c: a temporary folder for each test, and system calls that fail. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "tests/support/files/file_support.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the test's folder ---- */

char test_folder[64];

void in_folder(char *path, const char *name) {
    sprintf(path, "%s/%s", test_folder, name);
}

static bool is_named(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int files_but(const char *name) {
    DIR *entries = opendir(test_folder);
    int count = 0;
    ck_assert_ptr_nonnull(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += is_named(entry) && strcmp(entry->d_name, name) != 0;
    closedir(entries);
    return count;
}

void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

void expect_file(const char *path, const char *text) {
    char content[100] = "";
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is not there", path);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(content, text);
}

bool write_text(const char *path, const char *text) {
    tg_Output out;
    const bool ok = tg_output_open(&out, path) && tg_output_write(&out, text, strlen(text));
    return tg_output_commit(&out, ok);
}

/* ---- injected faults ---- */

Faults faults;

static bool fails(void) {
    errno = faults.reason;
    const bool reached = ++faults.calls >= faults.fail_at;
    return faults.fail_at && reached && (faults.lasting || faults.calls == faults.fail_at);
}

static ssize_t faulty_write(int fd, const void *from, size_t bytes) {
    return fails() ? -1 : write(fd, from, faults.most && bytes > faults.most ? faults.most : bytes);
}

static int faulty_fsync(int fd) {
    return fails() ? -1 : fsync(fd);
}

static int faulty_rename(const char *from, const char *to) {
    return fails() ? -1 : rename(from, to);
}

static void *faulty_realloc(void *block, size_t bytes) {
    return fails() ? NULL : realloc(block, bytes);
}

void reset_file_calls(void) {
    tg_file_calls = (tg_FileCalls){write, fsync, rename, link, realloc, stat, flock, mkdir};
}

void set_faults(Faults wanted) {
    reset_file_calls();
    tg_file_calls.write = faulty_write;
    tg_file_calls.fsync = faulty_fsync;
    tg_file_calls.rename = faulty_rename;
    tg_file_calls.realloc = faulty_realloc;
    faults = wanted;
}

bool fault_reported(const char *path) {
    reset_file_calls();
    if (faults.calls < faults.fail_at) return false;
    const char *said = t_error_message();
    ck_assert_msg(said != NULL, "call %d failed without an error message", faults.fail_at);
    ck_assert_msg(strstr(said, path) || strstr(said, "that were to be written"), "%s", said);
    ck_assert_msg(strstr(said, strerror(faults.reason)) || strstr(said, "out of memory"), "%s", said);
    t_clear_error();
    return true;
}

/* ---- the frame ---- */

void folder_setup(void) {
    support_setup();
    strcpy(test_folder, "build/files.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(test_folder));
}

void folder_teardown(void) {
    reset_file_calls();
    DIR *entries = opendir(test_folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", test_folder, entry->d_name);
        if (is_named(entry)) (void)!remove(path);
    }
    if (entries) closedir(entries);
    rmdir(test_folder);
    support_teardown();
}
