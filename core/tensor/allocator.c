/* core/tensor/allocator.c: the caching allocator.
 *
 * A training step requests the same sizes in every iteration, so a freed small block goes to the free list of its size
 * class and the next request of that class takes it from there: from the second step on malloc is not called. There are
 * four size classes per power of two (64, 80, 96, 112, 128, 160, ...), so at most a quarter of a block is unused. Large
 * blocks come from a heap that all threads share (large_blocks.c).
 *
 * Under AddressSanitizer, and with TAPEGRAD_CACHE=off in the environment (for valgrind), nothing is cached: every block
 * is freed at once, so that these tools detect a use after free. */
#include "core/tensor/context.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory/large_blocks.h"

#if defined(__SANITIZE_ADDRESS__)
#define CACHE_BY_DEFAULT false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CACHE_BY_DEFAULT false
#endif
#endif
#ifndef CACHE_BY_DEFAULT
#define CACHE_BY_DEFAULT true
#endif

enum { ALIGNMENT = 64, LARGE = 65536, CLASSES = 41 }; /* the class of LARGE bytes is the last */

typedef struct Free {
    struct Free *next;
} Free;

/* The free list of a size class. `out` is the number of the thread's requests minus the number of blocks it put on the
 * list. A block is put there only while out > 0, so that a thread which frees blocks that other threads allocated does
 * not accumulate them. Requests for tg_permanent memory neither take from the list nor count in `out`: if they counted,
 * a permanent object that is created and freed in a loop would add an unused block to the list in every iteration. So a
 * list never holds more blocks than the thread once had in use. */
typedef struct FreeBlocks {
    Free *first;
    int64_t out;
} FreeBlocks;

static _Thread_local struct {
    int64_t requests, fail_at;
    bool fail_forever;
    tg_Lifetime lifetime;
} cache;

/* The free list of a size class; NULL where the lists themselves cannot be allocated. */
static FreeBlocks *free_blocks(int which) {
    FreeBlocks *blocks = tg_thread.buffers[buffer_blocks];
    if (!blocks) blocks = tg_thread_buffer(buffer_blocks, CLASSES * sizeof *blocks);
    return blocks ? &blocks[which] : NULL;
}

/* 1: on, 2: off. */
static int read_cache_setting(void) {
    const char *word = getenv("TAPEGRAD_CACHE");
    return CACHE_BY_DEFAULT && !(word && strcmp(word, "off") == 0) ? 1 : 2;
}

static inline bool cache_is_on(void) {
    static int state; /* 0: unknown; racing threads write the same value */
    int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (!known) __atomic_store_n(&state, known = read_cache_setting(), __ATOMIC_RELAXED);
    return known == 1;
}

/* The class of a request and the block size of that class: quarters * 2^(power - 2) bytes, quarters from 5 to 8. */
static int size_class(size_t bytes, size_t *rounded) {
    if (bytes <= ALIGNMENT) {
        *rounded = ALIGNMENT;
        return 0;
    }
    const int power = 63 - __builtin_clzll((unsigned long long)(bytes - 1)), shift = power - 2;
    const size_t quarters = ((bytes - 1) >> shift) + 1; /* 5 to 8 */
    *rounded = quarters << shift;
    return (power - 7) * 4 + (int)quarters;
}

static bool must_fail(void) {
    cache.requests++;
    if (!cache.fail_at || cache.requests < cache.fail_at) return false;
    return cache.requests == cache.fail_at || cache.fail_forever;
}

/* bytes may be 0. NULL without an error where there is no memory. */
static void *from_system(size_t bytes) {
    void *block = NULL;
    if (bytes > LARGE && cache_is_on()) return tg_large_block_alloc(bytes, cache.lifetime);
    return posix_memalign(&block, ALIGNMENT, bytes ? bytes : 1) == 0 ? block : NULL;
}

void *tg_alloc_raw(size_t bytes) {
    size_t wanted = bytes;
    if (must_fail() || bytes > (size_t)1 << 47) return tg_fail("out of memory: %zu bytes were asked for", bytes);
    if (bytes <= LARGE && cache_is_on()) {
        FreeBlocks *list = free_blocks(size_class(bytes, &wanted));
        Free *block = list && cache.lifetime != tg_permanent ? list->first : NULL;
        if (list) list->out += cache.lifetime != tg_permanent;
        if (block) {
            list->first = block->next;
            return block;
        }
    }
    void *fresh = from_system(wanted);
    if (!fresh) {
        tg_cache_drain(); /* free the cached blocks and try again */
        fresh = from_system(wanted);
    }
    return fresh ? fresh : tg_fail("out of memory: %zu bytes were asked for", bytes);
}

void *tg_alloc(size_t bytes) {
    void *block = tg_alloc_raw(bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void tg_zero_struct(void *x, size_t bytes) {
    memset(x, 0, bytes);
}

void tg_free(void *block, size_t bytes) {
    if (!block) return;
    size_t rounded;
    bool kept = cache_is_on();
    if (bytes > LARGE && kept) {
        tg_large_block_free(block);
        return;
    }
    FreeBlocks *list = kept ? free_blocks(size_class(bytes, &rounded)) : NULL;
    if (!list || list->out <= 0) {
        free(block);
        return;
    }
    ((Free *)block)->next = list->first;
    list->first = block;
    list->out--;
}

void tg_cache_drain(void) {
    FreeBlocks *blocks = tg_thread.buffers[buffer_blocks];
    for (int i = 0; blocks && i < CLASSES; i++)
        for (Free *block; (block = blocks[i].first);) {
            blocks[i].first = block->next;
            free(block);
        }
    tg_large_block_trim();
}

tg_Lifetime tg_set_lifetime(tg_Lifetime lifetime) {
    tg_Lifetime before = cache.lifetime;
    cache.lifetime = lifetime;
    return before;
}

void tg_alloc_fail(int64_t n, bool forever) {
    cache.fail_at = n ? cache.requests + n : 0;
    cache.fail_forever = forever;
}

int64_t tg_alloc_requests(void) {
    return cache.requests;
}
