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

/* The same of the library's warnings, which are off in the suites but for these. */
void catch_warnings(void);
char *caught_warnings(void);

/* A pseudo-terminal of so many columns (0: none are set). Returns its file; what is written to that is read from
 * *reader. */
int open_terminal(int columns, int *reader);

#endif
