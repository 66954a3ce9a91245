/* core/heap.h: memory for large blocks (internal; alloc.c calls it). */
#ifndef TAPEGRAD_CORE_HEAP_H
#define TAPEGRAD_CORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* A block of at least so many bytes, 64-byte aligned; NULL where the system has no memory, without an error. What stays
 * (lasting) lies apart from what comes and goes. Any thread may free a block. */
void *tg_heap_alloc(size_t bytes, bool lasting);
void tg_heap_free(void *block);
void tg_heap_trim(void); /* gives the segments in which nothing lives back to the system */

#endif
