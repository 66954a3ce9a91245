/* tests/support/files/file_support.h: what the suites of files share: a folder of its own for each test, and system calls that fail. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_FILE_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_FILE_SUPPORT_H

#include "core/io/file.h"
#include "tests/support/support.h"

/* ---- a folder of its own ----
 * For tcase_add_checked_fixture, in the place of support_setup and support_teardown: the folder goes with all that is in it,
 * and calls no longer fail. */
extern char test_folder[64];
void folder_setup(void);
void folder_teardown(void);

/* The path of a file in it. */
void in_folder(char *path, const char *name);
/* How many names there are in it but for this one. */
int files_but(const char *name);

void put_file(const char *path, const char *text);
void expect_file(const char *path, const char *text);
/* As a writer of tapegrad's does it. */
bool write_text(const char *path, const char *text);

/* ---- calls that fail ---- */

typedef struct Faults {
    int calls;   /* made since then */
    int fail_at; /* the call that fails; 0 for none */
    bool stays;  /* and so do all behind it, as on a full disk */
    int reason;  /* errno */
    size_t most; /* bytes that a write takes at a time; 0 for all */
} Faults;
extern Faults faults;

/* tg_file_calls are the system's own again. */
void reset_file_calls(void);
/* From now on tg_file_calls count and fail as this says. */
void set_faults(Faults wanted);
/* They work again. True if one had failed; then the pending error must name the path (a buffer that cannot grow: its size) and the
 * reason, and is cleared. */
bool faults_told(const char *path);

#endif
