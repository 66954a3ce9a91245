/* core/memory/large_blocks.c: the allocator of large blocks: best fit with coalescing, in segments that are mmapped.
 *
 * A segment is a sequence of blocks without gaps. A request takes the best fitting free block and splits off the rest;
 * a freed block is coalesced with free neighbours. So a training step reuses the memory that the previous one freed,
 * whatever the sizes; memory is requested from the system only while the peak grows, and the footprint is little more
 * than the peak of live memory.
 *
 * A backward frees the activations in the reverse order of their allocation by the forward, and allocates gradients,
 * which live to the end of the step. To avoid fragmentation, activations (tg_short_lived) are allocated from the lower
 * end up, and gradients (tg_step_lived) from the upper end of the memory used so far down: they fill the space of
 * activations that the backward has freed. Only the first step leaves holes, since that upper end is not known yet.
 * When its gradients are freed, the memory above the peak is returned to the system, once per growth of the peak
 * (return_unused). When the first tg_permanent block is requested, the holes are returned too. tg_permanent blocks have
 * their own segments.
 *
 * Segments begin at multiples of 2 MB and request huge pages, which makes the first touch three times as fast. Free
 * blocks are in bins by size, four per power of two. One lock protects everything: blocks of this size are used for
 * much longer than the lock is held. */
#include "core/memory/large_blocks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

_Static_assert(sizeof(size_t) == 8,
               "tapegrad needs a 64-bit system: sizes of tensors and files are converted to size_t");

/* HUGE_PAGE: of x86-64 and of most arm64 systems. SEGMENT: a range of addresses; untouched pages cost nothing. Segments
 * are large because no block crosses two. */
#define HUGE_PAGE ((size_t)2 << 20)
#define SEGMENT ((size_t)1 << 30)
/* HOLES_SHARE: the memory above the peak that is not returned to the system is peak / HOLES_SHARE. */
enum { GRAIN = 256, LEAST_REST = 4096, BINS = 160, POOLS = 2, HOLES_SHARE = 64 };

typedef struct Block {
    _Alignas(64) size_t size;    /* with this header */
    struct Block *below;         /* the block at the next lower address; NULL for the first of a segment */
    struct Block *newer, *older; /* in its bin, while it is free */
    bool is_free, is_last;       /* is_last: the last of its segment */
    bool permanent, step_lived;  /* the requested lifetime */
} Block;                         /* the memory follows */

typedef struct Segment {
    _Alignas(64) struct Segment *next;
    size_t size;
    char *used; /* the end of the memory that was ever used */
} Segment;      /* the first block follows */

static struct {
    pthread_mutex_t lock; /* of everything here */
    Segment *segments[POOLS];
    Block *bins[POOLS][BINS];
    /* bytes in use, without tg_permanent blocks; maximum; maximum at the last return_unused() */
    size_t in_use, peak, returned_peak;
    int64_t step_lived_blocks; /* number of tg_step_lived blocks in use */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- fork: the lock is held during fork, so that the child gets a consistent heap ---- */

static void take_lock(void) {
    pthread_mutex_lock(&heap.lock);
}

static void release_lock(void) {
    pthread_mutex_unlock(&heap.lock);
}

static void register_fork_handlers(void) {
    pthread_atfork(take_lock, release_lock, release_lock);
}

static void lock_heap(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork_handlers);
    take_lock();
}

/* ---- bins ---- */

/* Bin 0 has all blocks below 4 KB; then there are four bins per power of two. */
static int bin_of(size_t size) {
    if (size < LEAST_REST) return 0;
    int power = 63 - __builtin_clzll((unsigned long long)size);
    int bin = 1 + (power - 12) * 4 + (int)(size >> (power - 2) & 3);
    return bin < BINS ? bin : BINS - 1;
}

static void put_into_bin(Block *b) {
    Block **bin = &heap.bins[b->permanent][bin_of(b->size)];
    b->is_free = true;
    b->newer = NULL;
    b->older = *bin;
    if (*bin) (*bin)->newer = b;
    *bin = b;
}

static void take_from_bin(Block *b) {
    if (b->newer) b->newer->older = b->older;
    else heap.bins[b->permanent][bin_of(b->size)] = b->older;
    if (b->older) b->older->newer = b->newer;
    b->is_free = false;
}

static Block *best_fit(size_t size, bool permanent) {
    Block *best = NULL;
    for (int bin = bin_of(size); bin < BINS && !best; bin++)
        for (Block *b = heap.bins[permanent][bin]; b; b = b->older)
            if (b->size >= size && (!best || b->size < best->size)) best = b;
    return best;
}

/* ---- segments ---- */

static Block *after(Block *b) {
    return (Block *)((char *)b + b->size);
}

/* A range of addresses that begins at a multiple of HUGE_PAGE. A block larger than a segment will be used completely,
 * so there the system may refuse at once (no MAP_NORESERVE). */
static void *map_aligned(size_t size) {
    const int reserve = size > SEGMENT ? 0 : MAP_NORESERVE;
    char *wide = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
    if (wide == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)wide % HUGE_PAGE) % HUGE_PAGE;
    if (before) munmap(wide, before);
    munmap(wide + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(wide + before, size, MADV_HUGEPAGE);
#endif
    return wide + before;
}

/* Returns the complete huge pages in the range to the system; the addresses stay mapped. */
static void return_pages(char *from, char *to) {
    const uintptr_t first = ((uintptr_t)from + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const uintptr_t end = (uintptr_t)to / HUGE_PAGE * HUGE_PAGE;
    if (first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

static void return_free_pages(void) {
    for (int bin = 0; bin < BINS; bin++)
        for (Block *b = heap.bins[false][bin]; b; b = b->older) return_pages((char *)(b + 1), (char *)after(b));
}

static bool grow(size_t size, bool permanent) {
    if (permanent) return_free_pages();
    size_t headers = sizeof(Segment) + sizeof(Block);
    size_t least = (size + headers + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, bytes = least < SEGMENT ? SEGMENT : least;
    Segment *segment = map_aligned(bytes);
    while (!segment && bytes > least) { /* the address space may be limited (ulimit -v) */
        bytes = bytes / 2 < least ? least : bytes / 2 / HUGE_PAGE * HUGE_PAGE;
        segment = map_aligned(bytes);
    }
    if (!segment) return false;
    Block *all = (Block *)(segment + 1);
    *segment = (Segment){heap.segments[permanent], bytes, (char *)all};
    heap.segments[permanent] = segment;
    *all = (Block){.size = bytes - sizeof *segment, .permanent = permanent, .is_last = true};
    put_into_bin(all);
    return true;
}

static Segment *segment_of(const Block *b) {
    Segment *segment = heap.segments[b->permanent];
    while ((const char *)b < (char *)segment || (const char *)b >= (char *)segment + segment->size)
        segment = segment->next;
    return segment;
}

/* The end of b, or of its part that was ever used. */
static char *end_of_used(Block *b) {
    if (!b->is_last) return (char *)after(b);
    char *used = segment_of(b)->used;
    return used > (char *)b ? used : (char *)b;
}

/* ---- splitting and coalescing ---- */

/* Splits b after its first `size` bytes; returns the upper block. */
static Block *split(Block *b, size_t size) {
    Block *rest = (Block *)((char *)b + size);
    *rest = (Block){.size = b->size - size, .below = b, .permanent = b->permanent, .is_last = b->is_last};
    if (!rest->is_last) after(rest)->below = rest;
    b->size = size;
    b->is_last = false;
    return rest;
}

/* Shrinks b to `size` bytes; the rest becomes a free block if it has at least LEAST_REST bytes. */
static void shrink(Block *b, size_t size) {
    if (b->size - size >= LEAST_REST) put_into_bin(split(b, size));
}

/* Merges two neighbours; `upper` must not be in a bin. */
static Block *merge(Block *lower, Block *upper) {
    lower->size += upper->size;
    lower->is_last = upper->is_last;
    if (!lower->is_last) after(lower)->below = lower;
    return lower;
}

/* A block of `size` bytes at the highest free address in the memory used so far; NULL if there is none. */
static Block *uppermost(size_t size) {
    Block *best = NULL;
    for (int bin = bin_of(size); bin < BINS; bin++)
        for (Block *b = heap.bins[false][bin]; b; b = b->older)
            if (b > best && end_of_used(b) >= (char *)b + size) best = b;
    if (!best) return NULL;
    take_from_bin(best);
    const size_t rest = (size_t)(end_of_used(best) - (char *)best) - size;
    if (rest < LEAST_REST) return best;
    Block *upper = split(best, rest);
    put_into_bin(best);
    return upper;
}

static Block *lowest(size_t size, bool permanent) {
    Block *b = best_fit(size, permanent);
    if (!b && grow(size, permanent)) b = best_fit(size, permanent);
    if (b) take_from_bin(b);
    return b;
}

/* Called when no tg_step_lived block is in use. If the peak has grown by more than a quarter since the last time,
 * returns the memory above the peak and a little more (for holes) to the system. */
static void return_unused(void) {
    Segment *segment = heap.segments[false];
    const size_t needed = heap.peak + heap.peak / HOLES_SHARE, rest = needed % HUGE_PAGE;
    char *limit = (char *)segment + needed + (rest ? HUGE_PAGE - rest : 0);
    const bool has_grown = heap.peak > heap.returned_peak + heap.returned_peak / 4;
    if (!has_grown || segment->next || segment->used <= limit) return;
    Block *last = (Block *)(segment + 1); /* and the only one that may be free above the limit */
    for (int bin = BINS - 1; bin >= 0; bin--)
        for (Block *b = heap.bins[false][bin]; b; b = b->older) last = b->is_last ? b : last;
    if (!last->is_last || (char *)(last + 1) > limit) return;
    return_pages(limit, (char *)segment + segment->size);
    segment->used = limit;
    heap.returned_peak = heap.peak;
}

static void count(Block *b, bool is_allocated) {
    if (b->permanent) return;
    heap.in_use += is_allocated ? b->size : -b->size;
    heap.step_lived_blocks += b->step_lived ? is_allocated ? 1 : -1 : 0;
    if (heap.in_use > heap.peak) heap.peak = heap.in_use;
}

/* ---- for allocator.c ---- */

void *tg_large_block_alloc(size_t bytes, tg_Lifetime lifetime) {
    size_t size = (bytes + sizeof(Block) + GRAIN - 1) / GRAIN * GRAIN;
    lock_heap();
    Block *b = lifetime == tg_step_lived ? uppermost(size) : NULL;
    if (!b) b = lowest(size, lifetime == tg_permanent);
    if (b) {
        shrink(b, size);
        b->step_lived = lifetime == tg_step_lived;
        count(b, true);
        Segment *segment = b->is_last || after(b)->is_last ? segment_of(b) : NULL;
        if (segment && segment->used < (char *)b + size) segment->used = (char *)b + size;
    }
    release_lock();
    return b ? b + 1 : NULL;
}

void tg_large_block_free(void *block) {
    Block *b = (Block *)block - 1;
    take_lock();
    count(b, false);
    const bool is_last_step_lived = b->step_lived && !heap.step_lived_blocks;
    Block *above = b->is_last ? NULL : after(b);
    if (above && above->is_free) {
        take_from_bin(above);
        merge(b, above);
    }
    if (b->below && b->below->is_free) {
        take_from_bin(b->below);
        b = merge(b->below, b);
    }
    put_into_bin(b);
    if (is_last_step_lived) return_unused();
    release_lock();
}

void tg_large_block_trim(void) {
    lock_heap();
    for (int pool = 0; pool < POOLS; pool++)
        for (Segment **at = &heap.segments[pool], *segment; (segment = *at);) {
            Block *first = (Block *)(segment + 1);
            if (first->is_free && first->is_last) {
                take_from_bin(first);
                *at = segment->next;
                munmap(segment, segment->size);
            } else {
                at = &segment->next;
            }
        }
    release_lock();
}
