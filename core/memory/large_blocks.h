/* core/memory/large_blocks.h: the allocator of large blocks, for allocator.c and for workspaces that are not tensors
 * (internal). */
#ifndef TAPEGRAD_CORE_MEMORY_LARGE_BLOCKS_H
#define TAPEGRAD_CORE_MEMORY_LARGE_BLOCKS_H

#include <stddef.h>

/* The expected lifetime of a block: tg_short_lived, until the op or the backward is done with it, as activations;
 * tg_step_lived, to the end of a training step, as the gradients of leaves; tg_permanent, for ever, as an optimizer's
 * state. Each kind is allocated in its own part of the heap. */
typedef enum tg_Lifetime { tg_short_lived, tg_step_lived, tg_permanent } tg_Lifetime;

/* A block of at least `bytes` bytes, 64-byte aligned; NULL without an error on out of memory. Any thread may free
 * it. */
void *tg_large_block_alloc(size_t bytes, tg_Lifetime lifetime);
void tg_large_block_free(void *block);
void tg_large_block_trim(void); /* returns the segments without blocks in use to the system */

#endif
