/* tests/support/files/file_support.h: shared by the suites of files: a temporary folder for each test, and system
 * calls that fail. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_FILE_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_FILE_SUPPORT_H

#include "core/io/file.h"
#include "tests/support/support.h"

/* ---- the test's folder ---- For tcase_add_checked_fixture, instead of support_setup and support_teardown: teardown
 * removes the folder with its files and ends the injected faults. */
extern char test_folder[64];
void folder_setup(void);
void folder_teardown(void);

/* The path of a file in it. */
void in_folder(char *path, const char *name);
/* The number of files in it other than this one. */
int files_but(const char *name);

void put_file(const char *path, const char *text);
void expect_file(const char *path, const char *text);
/* Through tg_Output, as the library's writers do. */
bool write_text(const char *path, const char *text);

/* ---- injected faults ---- */

typedef struct Faults {
    int calls;    /* made since set_faults */
    int fail_at;  /* the call that fails; 0 for none */
    bool lasting; /* later calls fail too, as on a full disk */
    int reason;   /* errno */
    size_t most;  /* bytes that a write takes at a time; 0 for all */
} Faults;
extern Faults faults;

/* Resets tg_file_calls to the system's functions. */
void reset_file_calls(void);
/* From now on tg_file_calls count calls and fail as `wanted` says. */
void set_faults(Faults wanted);
/* Resets the calls. True if one had failed: then the pending error must name the path (a buffer that cannot grow: its
 * size) and the reason, and is cleared. */
bool fault_reported(const char *path);

#endif
