/* core/memory/large_blocks.h: the allocator of large blocks, for allocator.c and for workspaces that are not tensors
 * (internal). */
#ifndef TAPEGRAD_CORE_MEMORY_LARGE_BLOCKS_H
#define TAPEGRAD_CORE_MEMORY_LARGE_BLOCKS_H

#include <stddef.h>

/* The expected lifetime of a block: tg_passing, until the op or the backward is done with it, as activations;
 * tg_staying, to the end of a training step, as the gradients of leaves; tg_lasting, for ever, as an optimizer's state.
 * Each kind is allocated in its own part of the heap. */
typedef enum tg_Stay { tg_passing, tg_staying, tg_lasting } tg_Stay;

/* A block of at least `bytes` bytes, 64-byte aligned; NULL without an error on out of memory. Any thread may free
 * it. */
void *tg_heap_alloc(size_t bytes, tg_Stay stay);
void tg_heap_free(void *block);
void tg_heap_trim(void); /* returns the segments without blocks in use to the system */

#endif
