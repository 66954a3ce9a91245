/* tests/support/output.h: whole files as texts, and what the program prints. */
#ifndef TAPEGRAD_TESTS_SUPPORT_OUTPUT_H
#define TAPEGRAD_TESTS_SUPPORT_OUTPUT_H

#include <stddef.h>

/* A file's bytes, malloced, with a 0 behind them; size may be NULL. NULL where there is no such file. */
char *file_bytes(const char *path, size_t *size);
/* The same, but the test fails where there is none. */
char *read_text(const char *path);

/* What is written to STDOUT_FILENO or STDERR_FILENO goes into a file from here on; caught_output ends that and gives the text,
 * malloced. */
void catch_output(int which);
char *caught_output(void);

#endif
