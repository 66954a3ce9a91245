/* tests/support/output.h: reads files as strings and captures the program's output. */
#ifndef TAPEGRAD_TESTS_SUPPORT_OUTPUT_H
#define TAPEGRAD_TESTS_SUPPORT_OUTPUT_H

#include <stddef.h>

/* A file's bytes, malloced, followed by a 0; size may be NULL. NULL if there is no such file. */
char *file_bytes(const char *path, size_t *size);
/* The same, but the test fails if there is no such file. */
char *read_text(const char *path);

/* Redirects STDOUT_FILENO or STDERR_FILENO into a file; caught_output ends that and returns the text, malloced. */
void catch_output(int which);
char *caught_output(void);

#endif
