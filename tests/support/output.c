/* tests/support/output.c: reads files as strings and captures the program's output. */
#define _GNU_SOURCE /* dup2, setenv, posix_openpt, struct winsize */
#include "tests/support/output.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char *text_of(FILE *file, size_t *size) {
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(length + 1);
    length = fread(text, 1, length, file);
    text[length] = '\0';
    if (size) *size = length;
    fclose(file);
    return text;
}

char *file_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    return file ? text_of(file, size) : NULL;
}

char *read_text(const char *path) {
    char *text = file_bytes(path, NULL);
    ck_assert_msg(text != NULL, "%s cannot be read", path);
    return text;
}

static struct {
    int which, before;
    FILE *file;
} caught;

void catch_output(int which) {
    fflush(NULL);
    caught.which = which;
    caught.before = dup(which);
    caught.file = tmpfile();
    ck_assert(caught.before >= 0 && caught.file && dup2(fileno(caught.file), which) >= 0);
}

char *caught_output(void) {
    fflush(NULL);
    dup2(caught.before, caught.which);
    close(caught.before);
    return text_of(caught.file, NULL);
}

void catch_warnings(void) {
    unsetenv("TAPEGRAD_WARNINGS");
    catch_output(STDERR_FILENO);
}

char *caught_warnings(void) {
    char *text = caught_output();
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    return text;
}

int open_terminal(int columns, int *reader) {
    *reader = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(*reader >= 0 && grantpt(*reader) == 0 && unlockpt(*reader) == 0);
    const int file = open(ptsname(*reader), O_RDWR | O_NOCTTY);
    const struct winsize window = {.ws_row = 24, .ws_col = (unsigned short)columns};
    ck_assert(file >= 0 && (!columns || ioctl(file, TIOCSWINSZ, &window) == 0));
    return file;
}
