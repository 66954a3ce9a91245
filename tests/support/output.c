/* tests/support/output.c: reads files as strings and captures the program's output. */
#define _POSIX_C_SOURCE 200809L /* dup2 */
#include "tests/support/output.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
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
