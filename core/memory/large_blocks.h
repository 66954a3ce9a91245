/* core/memory/large_blocks.h: memory for large blocks (internal; allocator.c calls it, and who needs a room that no tensor is). */
#ifndef TAPEGRAD_CORE_MEMORY_LARGE_BLOCKS_H
#define TAPEGRAD_CORE_MEMORY_LARGE_BLOCKS_H

#include <stddef.h>

/* How long a block will be held: until what follows is done with it, as activations are; longer than that, as the gradients of
 * leaves are; or for ever, as an optimizer's state is. Each kind has its end of the memory. */
typedef enum tg_Stay { tg_passing, tg_staying, tg_lasting } tg_Stay;

/* A block of at least so many bytes, 64-byte aligned; NULL where the system has no memory, without an error. Any thread may
 * free it. */
void *tg_heap_alloc(size_t bytes, tg_Stay stay);
void tg_heap_free(void *block);
void tg_heap_trim(void); /* gives the segments in which nothing lives back to the system */

#endif
