/* tests/torture/faults/faults.h: allocations and I/O calls that fail, below everything that makes them. */
#ifndef TAPEGRAD_TESTS_TORTURE_FAULTS_FAULTS_H
#define TAPEGRAD_TESTS_TORTURE_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* Which calls are counted, and fail: malloc and its kin, mmap and pthread_create; or open, read, write and their kin.
 */
typedef enum tt_Kind { tt_none, tt_allocations, tt_io } tt_Kind;
/* The nth call only; it and the next; it and all later ones; reads and writes of one byte only, from the nth. */
typedef enum tt_Mode { tt_once, tt_twice, tt_forever, tt_short } tt_Mode;

/* From now on the nth call fails, with this errno; returns at once what was counted and failed before. */
void tt_faults_begin(tt_Kind kind, tt_Mode mode, int64_t n, int reason);
void tt_faults_end(void);
/* The number of calls that have failed since begin, and of all that were counted. */
int64_t tt_failed(void);
int64_t tt_counted(void);
/* The name of the last one that failed, and the last file that one of them was about. */
const char *tt_failed_call(void);
/* Blocks that are allocated now, by malloc and its kin. */
int64_t tt_live_blocks(void);

#endif
