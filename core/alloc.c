/* core/alloc.c: the caching allocator.
 *
 * A training step asks for the same sizes again and again, so a freed block goes to a list of its size class and the
 * next request of that class takes it from there: from the second step on malloc is not called. Classes are four to a
 * doubling (64, 80, 96, 112, 128, 160, ...), so that at most a quarter of a block is unused.
 *
 * Under AddressSanitizer, and with TAPEGRAD_CACHE=off in the environment (for valgrind), nothing is kept: every block
 * goes straight back, and a use after release is seen at once. */
#define _POSIX_C_SOURCE 200112L
#include "core/context.h"

#include <stdlib.h>
#include <string.h>

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

enum { ALIGNMENT = 64, CLASSES = 200 };

typedef struct Free {
    struct Free *next;
} Free;

static _Thread_local struct {
    int64_t requests, fail_at;
    bool fail_forever, lasting;
} cache;

/* The list of free blocks of a size class; NULL where there is no memory for the lists themselves. */
static Free **free_blocks(int which) {
    Free **blocks = tg_bulk(bulk_blocks, CLASSES * sizeof *blocks);
    return blocks ? &blocks[which] : NULL;
}

static bool cache_is_on(void) {
    static int state; /* 0: not asked yet, 1: on, 2: off; racing threads write the same value */
    int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (!known) {
        const char *word = getenv("TAPEGRAD_CACHE");
        known = CACHE_BY_DEFAULT && !(word && strcmp(word, "off") == 0) ? 1 : 2;
        __atomic_store_n(&state, known, __ATOMIC_RELAXED);
    }
    return known == 1;
}

/* The class of a request and the size of that class: (4 + quarter) * 2^(power - 2) bytes. */
static int size_class(size_t bytes, size_t *rounded) {
    if (bytes <= ALIGNMENT) {
        *rounded = ALIGNMENT;
        return 0;
    }
    int power = 63 - __builtin_clzll((unsigned long long)(bytes - 1));
    size_t step = (size_t)1 << (power - 2);
    size_t quarter = (bytes - 1 - ((size_t)1 << power)) / step + 1; /* 1 to 4 */
    *rounded = ((size_t)1 << power) + quarter * step;
    return (power - 6) * 4 + (int)quarter;
}

static bool told_to_fail(void) {
    cache.requests++;
    if (!cache.fail_at || cache.requests < cache.fail_at) return false;
    return cache.requests == cache.fail_at || cache.fail_forever;
}

void *tg_alloc_raw(size_t bytes) {
    size_t rounded;
    if (told_to_fail() || bytes > (size_t)1 << 47) return tg_fail("out of memory: %zu bytes were asked for", bytes);
    Free **list = free_blocks(size_class(bytes, &rounded)), *block = list ? *list : NULL;
    if (block && !cache.lasting) {
        *list = block->next;
        return block;
    }
    size_t wanted = cache_is_on() ? rounded : bytes ? bytes : 1;
    void *fresh = NULL;
    if (posix_memalign(&fresh, ALIGNMENT, wanted) != 0) {
        tg_cache_drain(); /* what the cache holds may be what is missing */
        if (posix_memalign(&fresh, ALIGNMENT, wanted) != 0)
            return tg_fail("out of memory: %zu bytes were asked for", bytes);
    }
    return fresh;
}

void *tg_alloc(size_t bytes) {
    void *block = tg_alloc_raw(bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void tg_free(void *block, size_t bytes) {
    if (!block) return;
    size_t rounded;
    Free **list = cache_is_on() ? free_blocks(size_class(bytes, &rounded)) : NULL;
    if (!list) {
        free(block);
        return;
    }
    ((Free *)block)->next = *list;
    *list = block;
}

void tg_cache_drain(void) {
    Free **blocks = tg_thread.bulk[bulk_blocks];
    for (int i = 0; blocks && i < CLASSES; i++)
        for (Free *block; (block = blocks[i]);) {
            blocks[i] = block->next;
            free(block);
        }
}

bool tg_alloc_lasting(bool on) {
    bool before = cache.lasting;
    cache.lasting = on;
    return before;
}

void tg_alloc_fail(int64_t n, bool forever) {
    cache.fail_at = n ? cache.requests + n : 0;
    cache.fail_forever = forever;
}

int64_t tg_alloc_requests(void) {
    return cache.requests;
}
