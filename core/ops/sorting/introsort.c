/* core/ops/sorting/introsort.c: sorting and selection of entries, with the same steps as PyTorch's CPU code.
 *
 * PyTorch calls std::sort, std::partial_sort and std::nth_element, in its Linux wheels those of libstdc++: introsort
 * (D. R. Musser, "Introspective sorting and selection algorithms", 1997) with the median of the second, the middle and
 * the last entry as pivot, insertion sort below 17 entries, and heap sort where the recursion gets too deep. As the
 * steps are the same, equal elements end up in the same positions. */
#include "core/ops/sorting/introsort_internal.h"

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

/* Inserts `value` into the heap at the free index `hole`: moves the hole down to a leaf along the larger children,
 * then up to where `value` belongs (std::__adjust_heap). */
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

/* ---- insertion sort and merge sort: stable ---- */

static void insertion_sort(Entry *e, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const Entry value = e[i];
        int64_t at = i;
        for (; at > 0 && value.key < e[at - 1].key; at--) e[at] = e[at - 1];
        e[at] = value;
    }
}

static void merge(const Entry *a, int64_t na, const Entry *b, int64_t nb, Entry *out) {
    while (na && nb) {
        const bool right = b->key < a->key;
        *out++ = right ? *b++ : *a++;
        if (right) nb--;
        else na--;
    }
    memcpy(out, na ? a : b, (size_t)(na + nb) * sizeof *out);
}

/* Bottom up: sorted ranges of `sorted` entries are merged two by two, from one buffer to the other. */
void tg_stable_sort(Entry *e, Entry *spare, int64_t n) {
    Entry *from = e, *to = spare;
    for (int64_t i = 0; i < n; i += TG_INSERTION_SORT)
        insertion_sort(e + i, n - i < TG_INSERTION_SORT ? n - i : TG_INSERTION_SORT);
    for (int64_t sorted = TG_INSERTION_SORT; sorted < n; sorted *= 2) {
        for (int64_t i = 0; i < n; i += 2 * sorted) {
            const int64_t na = n - i < sorted ? n - i : sorted, nb = n - i - na < sorted ? n - i - na : sorted;
            merge(from + i, na, from + i + na, nb, to + i);
        }
        Entry *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != e) memcpy(e, from, (size_t)n * sizeof *e);
}

/* ---- introsort ----
 * With `nan_unordered` NaN is neither smaller nor larger than anything: std::sort does not allow such an order, but
 * torch.mode uses it, and the positions of the other elements depend on it. */

static inline bool is_less(const Entry *a, const Entry *b, bool nan_unordered) {
    return a->key < b->key && !(nan_unordered && b->key == TG_NAN_KEY);
}

static Entry *median_of_three(Entry *a, Entry *b, Entry *c, bool nan_unordered) {
    if (is_less(a, b, nan_unordered))
        return is_less(b, c, nan_unordered) ? b : is_less(a, c, nan_unordered) ? c : a;
    return is_less(a, c, nan_unordered) ? a : is_less(b, c, nan_unordered) ? c : b;
}

/* Hoare's partition. Moves a pivot to e[0] and smaller entries before larger ones; returns the start of the larger
 * ones. */
static int64_t partition(Entry *e, int64_t n, bool nan_unordered) {
    swap(&e[0], median_of_three(&e[1], &e[n / 2], &e[n - 1], nan_unordered));
    int64_t left = 1, right = n;
    for (;; left++) {
        while (left < n && is_less(&e[left], &e[0], nan_unordered)) left++;
        do right--;
        while (right > 0 && is_less(&e[0], &e[right], nan_unordered));
        if (left >= right) return left;
        swap(&e[left], &e[right]);
    }
}

static int depth_limit(int64_t n) {
    int log2 = 0;
    while (n >>= 1) log2++;
    return 2 * log2;
}

/* Ranges of up to TG_INSERTION_SORT entries remain unsorted. */
static void introsort(Entry *e, int64_t n, int depth, bool nan_unordered) {
    for (; n > TG_INSERTION_SORT; depth--) {
        if (depth == 0) {
            heap_select(e, n, n);
            sort_heap(e, n);
            return;
        }
        const int64_t middle = partition(e, n, nan_unordered);
        if (middle >= n) return;
        introsort(e + middle, n - middle, depth - 1, nan_unordered);
        n = middle;
    }
}

/* The insertion sort at the end. Among the first entries one that is less than the first is moved to the front at once,
 * which matters with unordered NaNs. */
void tg_sort(Entry *e, int64_t n, bool nan_unordered) {
    introsort(e, n, depth_limit(n), nan_unordered);
    for (int64_t i = 1; i < n; i++) {
        const Entry value = e[i];
        const bool is_first = i < TG_INSERTION_SORT && is_less(&value, &e[0], nan_unordered);
        int64_t at = i;
        for (; at > 0 && (is_first || is_less(&value, &e[at - 1], nan_unordered)); at--) e[at] = e[at - 1];
        e[at] = value;
    }
}

/* ---- selection ---- */

void tg_nth_element(Entry *e, int64_t nth, int64_t n) {
    if (nth >= n) return;
    for (int depth = depth_limit(n); n > 3; depth--) {
        if (depth == 0) {
            heap_select(e, nth + 1, n);
            swap(&e[0], &e[nth]);
            return;
        }
        const int64_t middle = partition(e, n, false);
        if (middle > nth) {
            n = middle;
        } else {
            e += middle;
            n -= middle;
            nth -= middle;
        }
    }
    insertion_sort(e, n);
}

/* Hoare's partition, the median of first, middle and last as pivot. */
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
