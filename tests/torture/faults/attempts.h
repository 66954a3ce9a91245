/* tests/torture/faults/attempts.h: around each outermost call of a public function: the call is made again and again
 * while one of its allocations, or of its I/O calls, fails; the last time it succeeds, and the test goes on with that.
 *
 * A wrapper is (wrappers.awk makes them)
 *     if (!tt_begin(&f, NUMBER, caller)) return the real call;
 *     do tt_arm(&f), r = the real call; while (tt_again(&f, r ? TT_GIVEN : TT_FAILED));
 *     return r; */
#ifndef TAPEGRAD_TESTS_TORTURE_FAULTS_ATTEMPTS_H
#define TAPEGRAD_TESTS_TORTURE_FAULTS_ATTEMPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/tensor/api.h"
#include "tests/torture/faults/faults.h"

/* What a call returned: nothing or a number; NULL or false; a pointer or true. */
typedef enum tt_Outcome { TT_VOID, TT_FAILED, TT_GIVEN } tt_Outcome;

enum { TT_PATHS = 4 };
typedef struct tt_Frame {
    int function;
    const void *caller;
    bool planned;
    tt_Mode mode;
    int reason; /* errno */
    int64_t n, blocks;
    int leaks; /* attempts in a row with the same n after which more blocks were allocated than before */
    int path_count;
    const char *paths[TT_PATHS];
    const t_Site *site;
    int64_t failures, reported;
    bool reported_out_of_memory, entered;
    bool quiet; /* a call returned nothing and told no error: that is right if an undisturbed one does the same */
} tt_Frame;

bool tt_begin(tt_Frame *f, int function, const void *caller);
void tt_path(tt_Frame *f, const char *path);
void tt_arm(tt_Frame *f);
bool tt_again(tt_Frame *f, tt_Outcome outcome);

/* The wrapped functions, in the order of their numbers (wrappers.awk). */
extern const char *const tt_functions[];
extern const int tt_function_count;

#endif
