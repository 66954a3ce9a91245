/* core/memory/large_blocks.c: memory for large blocks, which are cut out of segments of the system's.
 *
 * A segment is a row of blocks without gaps. A request takes the free block that fits best and leaves the rest of it free; a
 * block that is freed grows together with free neighbours. So what one step of a training gives back serves the next one,
 * whatever the sizes, the system is asked only while the peak still grows, and the peak is little more than what lives.
 *
 * A backward frees the activations in the order opposite to that in which the forward asked for them, and leaves gradients
 * behind, which stay to the end of the step. So activations are laid from the lower end up, and gradients from the upper end of
 * what was ever used down, into what has become free: no holes are left between them. Only the first step, which does not know
 * how far up that is, leaves some; so when its gradients are gone, what lies above the peak is given back, once (tighten); and
 * when the first of what lasts is asked for, so are the holes. What lasts has segments of its own.
 *
 * Segments begin at multiples of 2 MB and ask for huge pages, of which the first touch costs a third. Free blocks stand in
 * bins by size, four to a doubling. One lock guards it all: a block of this size is used for far longer than the lock is
 * held. */
#include "core/memory/large_blocks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

_Static_assert(sizeof(size_t) == 8, "tapegrad is for systems of 64 bits: what tensors and files say of sizes goes into size_t");

/* HUGE_PAGE: of x86-64 and of most arm64 systems. SEGMENT: a range of addresses, of which what is not touched costs nothing; few
 * large ones, for no block lies across two. */
#define HUGE_PAGE ((size_t)2 << 20)
#define SEGMENT ((size_t)1 << 30)
enum { GRAIN = 256, LEAST_REST = 4096, BINS = 160, POOLS = 2, LITTLE = 64 };

typedef struct Block {
    _Alignas(64) size_t size;    /* with this head */
    struct Block *below;         /* the neighbour in front of it; NULL for the first */
    struct Block *newer, *older; /* in its bin, while it is free */
    bool is_free, lasting, stays, is_last; /* is_last: behind it the segment ends */
} Block; /* the memory follows */

typedef struct Segment {
    _Alignas(64) struct Segment *next;
    size_t size;
    char *used; /* up to here it was used once */
} Segment;      /* the first block follows */

static struct {
    pthread_mutex_t lock;
    Segment *segments[POOLS];
    Block *bins[POOLS][BINS];
    size_t living, peak, peak_then; /* bytes, but of what lasts; the peak when it was tightened */
    int64_t staying;                /* blocks */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- fork: a child finds the heap between two calls ---- */

static void take_lock(void) {
    pthread_mutex_lock(&heap.lock);
}

static void leave_lock(void) {
    pthread_mutex_unlock(&heap.lock);
}

static void prepare_for_forks(void) {
    pthread_atfork(take_lock, leave_lock, leave_lock);
}

static void enter_heap(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_for_forks);
    take_lock();
}

/* ---- bins ---- */

/* Bin 0 holds all below 4 KB, then come four to a doubling. */
static int bin_of(size_t size) {
    if (size < LEAST_REST) return 0;
    int power = 63 - __builtin_clzll((unsigned long long)size);
    int bin = 1 + (power - 12) * 4 + (int)(size >> (power - 2) & 3);
    return bin < BINS ? bin : BINS - 1;
}

static void put_into_bin(Block *b) {
    Block **bin = &heap.bins[b->lasting][bin_of(b->size)];
    b->is_free = true;
    b->newer = NULL;
    b->older = *bin;
    if (*bin) (*bin)->newer = b;
    *bin = b;
}

static void take_from_bin(Block *b) {
    if (b->newer) b->newer->older = b->older;
    else heap.bins[b->lasting][bin_of(b->size)] = b->older;
    if (b->older) b->older->newer = b->newer;
    b->is_free = false;
}

static Block *best_fit(size_t size, bool lasting) {
    Block *best = NULL;
    for (int bin = bin_of(size); bin < BINS && !best; bin++)
        for (Block *b = heap.bins[lasting][bin]; b; b = b->older)
            if (b->size >= size && (!best || b->size < best->size)) best = b;
    return best;
}

/* ---- segments ---- */

static Block *after(Block *b) {
    return (Block *)((char *)b + b->size);
}

/* A range of the address space that begins at a multiple of HUGE_PAGE. One block larger than a segment is to be used as a
 * whole: there the system may say at once that it has not so much memory. */
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

/* To the system, as far as they are whole pages; the addresses stay. */
static void give_back(char *from, char *to) {
    const uintptr_t first = ((uintptr_t)from + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, end = (uintptr_t)to / HUGE_PAGE * HUGE_PAGE;
    if (first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

static void give_back_holes(void) {
    for (int bin = 0; bin < BINS; bin++)
        for (Block *b = heap.bins[false][bin]; b; b = b->older) give_back((char *)(b + 1), (char *)after(b));
}

static bool grow(size_t size, bool lasting) {
    if (lasting) give_back_holes();
    size_t heads = sizeof(Segment) + sizeof(Block);
    size_t whole = (size + heads + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, wished = whole < SEGMENT ? SEGMENT : whole;
    Segment *segment = map_aligned(wished);
    while (!segment && wished > whole) { /* the addresses may be rationed */
        wished = wished / 2 < whole ? whole : wished / 2 / HUGE_PAGE * HUGE_PAGE;
        segment = map_aligned(wished);
    }
    if (!segment) return false;
    Block *all = (Block *)(segment + 1);
    *segment = (Segment){heap.segments[lasting], wished, (char *)all};
    heap.segments[lasting] = segment;
    *all = (Block){.size = wished - sizeof *segment, .lasting = lasting, .is_last = true};
    put_into_bin(all);
    return true;
}

static Segment *segment_of(const Block *b) {
    Segment *segment = heap.segments[b->lasting];
    while ((const char *)b < (char *)segment || (const char *)b >= (char *)segment + segment->size) segment = segment->next;
    return segment;
}

/* Where b ends, or where what was never used of it begins. */
static char *end_of_used(Block *b) {
    if (!b->is_last) return (char *)after(b);
    char *used = segment_of(b)->used;
    return used > (char *)b ? used : (char *)b;
}

/* ---- cutting and joining ---- */

/* The upper part, behind the first `size` bytes of b, becomes a block of its own. */
static Block *split(Block *b, size_t size) {
    Block *rest = (Block *)((char *)b + size);
    *rest = (Block){.size = b->size - size, .below = b, .lasting = b->lasting, .is_last = b->is_last};
    if (!rest->is_last) after(rest)->below = rest;
    b->size = size;
    b->is_last = false;
    return rest;
}

/* b keeps `size` bytes; what is left of it becomes a free block, if it is worth it. */
static void cut(Block *b, size_t size) {
    if (b->size - size >= LEAST_REST) put_into_bin(split(b, size));
}

/* The two neighbours, of which the upper one is in no bin, become one. */
static Block *join(Block *lower, Block *upper) {
    lower->size += upper->size;
    lower->is_last = upper->is_last;
    if (!lower->is_last) after(lower)->below = lower;
    return lower;
}

/* The uppermost place for so many bytes in what was used before: a block that ends there; NULL where there is none. */
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

static Block *lowest(size_t size, bool lasting) {
    Block *b = best_fit(size, lasting);
    if (!b && grow(size, lasting)) b = best_fit(size, lasting);
    if (b) take_from_bin(b);
    return b;
}

/* Nothing stays: from now on no more is used than what lived at the peak, and a little for holes. */
static void tighten(void) {
    Segment *segment = heap.segments[false];
    const size_t whole = heap.peak + heap.peak / LITTLE, part = whole % HUGE_PAGE;
    char *limit = (char *)segment + whole + (part ? HUGE_PAGE - part : 0);
    const bool is_news = heap.peak > heap.peak_then + heap.peak_then / 4;
    if (!is_news || segment->next || segment->used <= limit) return;
    Block *last = (Block *)(segment + 1); /* and the only one that may be free above the limit */
    for (int bin = BINS - 1; bin >= 0; bin--)
        for (Block *b = heap.bins[false][bin]; b; b = b->older) last = b->is_last ? b : last;
    if (!last->is_last || (char *)(last + 1) > limit) return;
    give_back(limit, (char *)segment + segment->size);
    segment->used = limit;
    heap.peak_then = heap.peak;
}

static void count(Block *b, bool is_more) {
    if (b->lasting) return;
    heap.living += is_more ? b->size : -b->size;
    heap.staying += b->stays ? is_more ? 1 : -1 : 0;
    if (heap.living > heap.peak) heap.peak = heap.living;
}

/* ---- for allocator.c ---- */

void *tg_heap_alloc(size_t bytes, tg_Stay stay) {
    size_t size = (bytes + sizeof(Block) + GRAIN - 1) / GRAIN * GRAIN;
    enter_heap();
    Block *b = stay == tg_staying ? uppermost(size) : NULL;
    if (!b) b = lowest(size, stay == tg_lasting);
    if (b) {
        cut(b, size);
        b->stays = stay == tg_staying;
        count(b, true);
        Segment *segment = b->is_last || after(b)->is_last ? segment_of(b) : NULL;
        if (segment && segment->used < (char *)b + size) segment->used = (char *)b + size;
    }
    leave_lock();
    return b ? b + 1 : NULL;
}

void tg_heap_free(void *block) {
    Block *b = (Block *)block - 1;
    take_lock();
    count(b, false);
    const bool is_last_to_stay = b->stays && !heap.staying;
    Block *above = b->is_last ? NULL : after(b);
    if (above && above->is_free) {
        take_from_bin(above);
        join(b, above);
    }
    if (b->below && b->below->is_free) {
        take_from_bin(b->below);
        b = join(b->below, b);
    }
    put_into_bin(b);
    if (is_last_to_stay) tighten();
    leave_lock();
}

void tg_heap_trim(void) {
    enter_heap();
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
    leave_lock();
}
