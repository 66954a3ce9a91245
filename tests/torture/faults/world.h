/* tests/torture/faults/world.h: what a failed call must leave as it was: every live object of the thread with its
 * fields, tensors with their values, versions and gradients, the generators, the thread's modes, and the files of a
 * folder. */
#ifndef TAPEGRAD_TESTS_TORTURE_FAULTS_WORLD_H
#define TAPEGRAD_TESTS_TORTURE_FAULTS_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/* Takes down how things are. */
void tt_world_look(const char *const *paths, int count);
/* Releases what the failed call has left to the current scope, as the scope's end would: results that were made before
 * a later step failed. True if there was any. */
bool tt_world_release(void);
/* What has changed since then, in one of a few words; NULL for nothing. */
const char *tt_world_change(void);

#endif
