/* core/ops/introsort.c: sorting and selection of entries, with the same steps as PyTorch's CPU code.
 *
 * PyTorch calls std::sort, std::partial_sort and std::nth_element, in its Linux wheels those of libstdc++: introsort
 * (D. R. Musser, 1997) with the median of the second, the middle and the last element as pivot, insertion sort below
 * 17 entries, and heap sort where the recursion gets too deep. As the steps are the same, equal elements end up in
 * the same positions. */
#include "core/ops/introsort_internal.h"

#include <string.h>

/* Float bits as an integer with the same order: all bits of a negative value are inverted, the sign bit of a
 * positive one is set; -0.0 becomes 0.0. */
static inline uint64_t float_key(float value) {
    uint32_t bits;
    value += 0.0F;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t key = bits ^ ((uint32_t)-(int32_t)(bits >> 31) | 0x80000000U);
    return value != value ? TG_NAN_KEY : key;
}

static inline uint64_t double_key(double value) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    bits ^= (uint64_t)-(int64_t)(bits >> 63) | (uint64_t)1 << 63;
    return value != value ? TG_NAN_KEY : bits;
}

#define ENTRIES(T, key)                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                            \
        const T value = *(const T *)(const void *)(x + i * stride);                              \
        e[i] = (Entry){(key) ^ invert, i};                                                       \
    }                                                                                            \
    break
void tg_sort_entries(t_DType dtype, const char *x, int64_t stride, int64_t n, bool descending, Entry *e) {
    const uint64_t invert = descending ? UINT64_MAX : 0;
    switch (dtype) {
    case t_bool: ENTRIES(bool, (uint64_t)value);
    case t_int64: ENTRIES(uint64_t, value ^ (uint64_t)1 << 63);
    case t_float32: ENTRIES(float, float_key(value));
    default: ENTRIES(double, double_key(value));
    }
}

uint64_t tg_sort_key(t_DType dtype, const char *element) {
    Entry e;
    tg_sort_entries(dtype, element, 0, 1, false, &e);
    return e.key;
}

static void swap(Entry *a, Entry *b) {
    Entry saved = *a;
    *a = *b;
    *b = saved;
}

/* ---- max-heap ---- */

/* Inserts `value` into the heap at the free position `hole`: moves the hole down to a leaf along the larger
 * children, then up to where `value` belongs (std::__adjust_heap). */
static void sift(Entry *heap, int64_t hole, int64_t n, Entry value) {
    int64_t top = hole, child = 2 * hole + 2;
    for (; child < n; child = 2 * hole + 2) {
        if (heap[child].key < heap[child - 1].key) child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (child == n) {
        heap[hole] = heap[n - 1];
        hole = n - 1;
    }
    for (int64_t parent = (hole - 1) / 2; hole > top && heap[parent].key < value.key; parent = (hole - 1) / 2) {
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = value;
}

/* The k smallest of n entries, as a max-heap at the front. */
static void heap_select(Entry *e, int64_t k, int64_t n) {
    for (int64_t parent = k / 2 - 1; parent >= 0; parent--) sift(e, parent, k, e[parent]);
    for (int64_t i = k; i < n; i++) {
        if (e[i].key >= e[0].key) continue;
        Entry value = e[i];
        e[i] = e[0];
        sift(e, 0, k, value);
    }
}

static void sort_heap(Entry *e, int64_t k) {
    for (int64_t last = k - 1; last > 0; last--) {
        Entry value = e[last];
        e[last] = e[0];
        sift(e, 0, last, value);
    }
}

/* Advances `at` to the first element that may be smaller than the k-th smallest so far, whose value is `limit` (NaN
 * stops too, and is compared by key). */
#define SKIP_LARGER(T)                                                                           \
    {                                                                                            \
        const T limit = *(const T *)(const void *)(x + e[0].index * stride);                     \
        if (descending)                                                                          \
            while (at < n && *(const T *)(const void *)(x + at * stride) <= limit) at++;         \
        else                                                                                     \
            while (at < n && *(const T *)(const void *)(x + at * stride) >= limit) at++;         \
    }                                                                                            \
    break

void tg_partial_sort(t_DType dtype, const char *x, int64_t stride, int64_t k, int64_t n, bool descending, Entry *e) {
    Entry next;
    tg_sort_entries(dtype, x, stride, k, descending, e);
    heap_select(e, k, k);
    for (int64_t at = k;; at++) {
        switch (dtype) {
        case t_int64: SKIP_LARGER(int64_t);
        case t_float32: SKIP_LARGER(float);
        default: SKIP_LARGER(double);
        }
        if (at >= n) break;
        tg_sort_entries(dtype, x + at * stride, 0, 1, descending, &next);
        next.index = at;
        if (next.key < e[0].key) sift(e, 0, k, next);
    }
    sort_heap(e, k);
}

/* ---- introsort ---- */

static Entry *median_of(Entry *a, Entry *b, Entry *c) {
    if (a->key < b->key) return b->key < c->key ? b : a->key < c->key ? c : a;
    return a->key < c->key ? a : b->key < c->key ? c : b;
}

/* ---- partition ----
 * Hoare's: the first entry from the left that is not smaller than the pivot and the first from the right that is not
 * larger are swapped, until the two meet. They are found for a block of entries on each side before any is moved,
 * without unpredictable branches (BlockQuicksort, S. Edelkamp and A. Weiss, 2016). */

enum { BLOCK = 64, MIN_PARTITION = 8 };

typedef struct BlockOffsets {
    int64_t n;    /* entries in the block */
    int from, to; /* the remaining ones: at[from .. to - 1], offsets from the outer end of the block */
    uint8_t at[BLOCK];
} BlockOffsets;

static inline void find_left(BlockOffsets *s, const Entry *e, int64_t n, uint64_t pivot) {
    s->n = n;
    s->from = s->to = 0;
    for (int64_t i = 0; i < n; i++) {
        s->at[s->to] = (uint8_t)i;
        s->to += e[i].key >= pivot;
    }
}

static inline void find_right(BlockOffsets *s, const Entry *e, int64_t n, uint64_t pivot) {
    s->n = n;
    s->from = s->to = 0;
    for (int64_t i = 0; i < n; i++) {
        s->at[s->to] = (uint8_t)i;
        s->to += e[-i].key <= pivot;
    }
}

/* Partitions blockwise; left .. right - 1 is the range that may remain to be partitioned. */
static void partition_blocks(Entry *e, int64_t *left, int64_t *right) {
    BlockOffsets l = {.n = 0}, r = {.n = 0};
    const uint64_t pivot = e[0].key;
    for (int64_t rest = *right - *left; rest > MIN_PARTITION; rest = *right - *left - l.n - r.n) {
        const int64_t n = l.n + r.n ? rest : rest / 2;
        if (l.n == 0) find_left(&l, e + *left, n < BLOCK ? n : BLOCK, pivot);
        if (r.n == 0) find_right(&r, e + *right - 1, n < BLOCK ? n : BLOCK, pivot);
        while (l.from < l.to && r.from < r.to) swap(&e[*left + l.at[l.from++]], &e[*right - 1 - r.at[r.from++]]);
        if (l.from == l.to) *left += l.n, l.n = 0;
        if (r.from == r.to) *right -= r.n, r.n = 0;
    }
    if (l.n) *left += l.at[l.from];
    if (r.n) *right -= r.at[r.from];
}

/* Moves a pivot to e[0] and smaller entries before larger ones; returns the start of the larger ones. */
static int64_t partition(Entry *e, int64_t n) {
    const bool all_equal = e[1].key == e[n / 2].key && e[1].key == e[n - 1].key; /* then most keys may be equal */
    int64_t left = 1, right = n;
    swap(&e[0], median_of(&e[1], &e[n / 2], &e[n - 1]));
    if (n > 2 * MIN_PARTITION && !all_equal) partition_blocks(e, &left, &right);
    for (;; left++) {
        while (e[left].key < e[0].key) left++;
        do right--;
        while (e[0].key < e[right].key);
        if (left >= right) return left;
        swap(&e[left], &e[right]);
    }
}

static int depth_limit(int64_t n) {
    int log2 = 0;
    while (n >>= 1) log2++;
    return 2 * log2;
}

/* Short ranges, without unpredictable branches. Up to INSERTION_MAX entries: insertion sort by conditional swaps.
 * Else the rank of each entry is counted. Both give the result of insertion sort. */
static void insert_branchless(Entry *e, int n) {
    for (int i = 1; i < n; i++) {
        Entry value = e[i];
        for (Entry *at = e + i; at > e; at--) {
            const Entry other = at[-1];
            const uint64_t moves = -(uint64_t)(value.key < other.key), key = (value.key ^ other.key) & moves;
            const int64_t index = (value.index ^ other.index) & (int64_t)moves;
            *at = (Entry){value.key ^ key, value.index ^ index};
            value = (Entry){other.key ^ key, other.index ^ index};
        }
        e[0] = value;
    }
}

void tg_small_sort(Entry *e, int n) {
    enum { INSERTION_MAX = 6, CHECK_SORTED_MIN = 3 };
    Entry from[TG_SMALL_SORT];
    uint8_t rank[TG_SMALL_SORT];
    bool sorted = n > CHECK_SORTED_MIN;
    for (int i = 1; i < n && n > CHECK_SORTED_MIN; i++) sorted &= e[i - 1].key <= e[i].key;
    if (!sorted && n <= INSERTION_MAX) insert_branchless(e, n);
    if (sorted || n <= INSERTION_MAX) return;
    for (int i = 0; i < n; i++) {
        int smaller = i;
        from[i] = e[i];
        for (int j = 0; j < i; j++) {
            const bool moves = from[i].key < from[j].key;
            rank[j] = (uint8_t)(rank[j] + moves);
            smaller -= moves;
        }
        rank[i] = (uint8_t)smaller;
    }
    for (int i = 0; i < n; i++) e[rank[i]] = from[i];
}

static void introsort(Entry *e, int64_t n, int depth) {
    while (n > TG_SMALL_SORT) {
        if (depth-- == 0) {
            heap_select(e, n, n);
            sort_heap(e, n);
            return;
        }
        int64_t middle = partition(e, n);
        introsort(e + middle, n - middle, depth);
        n = middle;
    }
    tg_small_sort(e, (int)n);
}

void tg_sort(Entry *e, int64_t n) {
    introsort(e, n, depth_limit(n));
}

/* ---- the same steps with NaN neither smaller nor larger than anything ----
 * std::sort does not allow such an order, but torch.mode uses it, and the positions of the other elements depend on
 * it. */

static bool is_less(const Entry *a, const Entry *b) {
    return a->key < b->key && b->key != TG_NAN_KEY;
}

static int64_t partition_with_nans(Entry *e, int64_t n) {
    Entry *a = &e[1], *b = &e[n / 2], *c = &e[n - 1], *median;
    if (is_less(a, b)) median = is_less(b, c) ? b : is_less(a, c) ? c : a;
    else median = is_less(a, c) ? a : is_less(b, c) ? c : b;
    swap(&e[0], median);
    int64_t left = 1, right = n;
    for (;; left++) {
        while (left < n && is_less(&e[left], &e[0])) left++;
        do right--;
        while (right > 0 && is_less(&e[0], &e[right]));
        if (left >= right) return left;
        swap(&e[left], &e[right]);
    }
}

static void introsort_with_nans(Entry *e, int64_t n, int depth) {
    for (; n > TG_SMALL_SORT; depth--) {
        if (depth == 0) {
            heap_select(e, n, n);
            sort_heap(e, n);
            return;
        }
        int64_t middle = partition_with_nans(e, n);
        if (middle >= n) return;
        introsort_with_nans(e + middle, n - middle, depth - 1);
        n = middle;
    }
}

void tg_sort_with_nans(Entry *e, int64_t n) {
    introsort_with_nans(e, n, depth_limit(n));
    for (int64_t i = 1; i < n; i++) {
        const Entry value = e[i];
        const bool is_first = i < TG_SMALL_SORT && is_less(&value, &e[0]);
        int64_t at = i;
        for (; at > 0 && (is_first || is_less(&value, &e[at - 1])); at--) e[at] = e[at - 1];
        e[at] = value;
    }
}

void tg_nth_element(Entry *e, int64_t nth, int64_t n) {
    if (nth >= n) return;
    for (int depth = depth_limit(n); n > 3; depth--) {
        if (depth == 0) {
            heap_select(e, nth + 1, n);
            swap(&e[0], &e[nth]);
            return;
        }
        int64_t middle = partition(e, n);
        if (middle > nth) {
            n = middle;
        } else {
            e += middle;
            n -= middle;
            nth -= middle;
        }
    }
    tg_small_sort(e, (int)n);
}


/* ---- quickselect of kthvalue: Hoare's partition, the median of first, middle and last as pivot ---- */

void tg_quickselect(Entry *e, int64_t nth, int64_t n) {
    for (int64_t first = 0, last = n - 1; first < last;) {
        if (last == first + 1) {
            if (e[first].key > e[last].key) swap(&e[first], &e[last]);
            return;
        }
        swap(&e[first + (last - first) / 2], &e[first + 1]);
        if (e[first + 1].key > e[last].key) swap(&e[first + 1], &e[last]);
        if (e[first].key > e[last].key) swap(&e[first], &e[last]);
        if (e[first + 1].key > e[first].key) swap(&e[first + 1], &e[first]);
        int64_t left = first + 1, right = last;
        for (;;) {
            do left++;
            while (e[left].key < e[first].key);
            do right--;
            while (e[right].key > e[first].key);
            if (right < left) break;
            swap(&e[left], &e[right]);
        }
        swap(&e[first], &e[right]);
        if (right >= nth) last = right - 1;
        if (right <= nth) first = left;
    }
}
