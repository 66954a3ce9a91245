/* core/ops/order.c: sorting and selecting entries, step by step as PyTorch's CPU code does.
 *
 * It calls std::sort, std::partial_sort and std::nth_element, in its Linux wheels those of libstdc++: introsort (D. R. Musser,
 * 1997) with the median of the second, the middle and the last as pivot, insertion sort below 17 entries, and a heap where
 * the recursion gets too deep. Equals end up in the same places here because the steps are the same. */
#include "core/ops/order.h"

#include <string.h>

/* A negative number's bits are turned round; -0.0 becomes 0.0. */
static inline uint64_t key_of_float(float value) {
    uint32_t bits;
    value += 0.0F;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t key = bits ^ ((uint32_t)-(int32_t)(bits >> 31) | 0x80000000U);
    return value != value ? TG_NAN_KEY : key;
}

static inline uint64_t key_of_double(double value) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    bits ^= (uint64_t)-(int64_t)(bits >> 63) | (uint64_t)1 << 63;
    return value != value ? TG_NAN_KEY : bits;
}

#define ENTRIES(T, key)                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                            \
        const T value = *(const T *)(const void *)(x + i * step);                                \
        e[i] = (Entry){(key) ^ round, i};                                                        \
    }                                                                                            \
    break
void tg_order_entries(t_DType dtype, const char *x, int64_t step, int64_t n, bool descending, Entry *e) {
    const uint64_t round = descending ? UINT64_MAX : 0;
    switch (dtype) {
    case t_bool: ENTRIES(bool, (uint64_t)value);
    case t_int64: ENTRIES(uint64_t, value ^ (uint64_t)1 << 63);
    case t_float32: ENTRIES(float, key_of_float(value));
    default: ENTRIES(double, key_of_double(value));
    }
}

uint64_t tg_order_key(t_DType dtype, const char *element) {
    Entry e;
    tg_order_entries(dtype, element, 0, 1, false, &e);
    return e.key;
}

static void swap(Entry *a, Entry *b) {
    Entry kept = *a;
    *a = *b;
    *b = kept;
}

static void insertion_sort(Entry *e, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        Entry moving = e[i];
        int64_t at = i;
        for (; at > 0 && moving.key < e[at - 1].key; at--) e[at] = e[at - 1];
        e[at] = moving;
    }
}

/* ---- the heap: the largest in front ---- */

/* Puts `value` into the heap whose place `hole` is free: down to a leaf along the larger children, and up again from there. */
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

/* The k smallest of n as a heap in front. */
static void heap_select(Entry *e, int64_t k, int64_t n) {
    for (int64_t parent = k / 2 - 1; parent >= 0; parent--) sift(e, parent, k, e[parent]);
    for (int64_t i = k; i < n; i++) {
        if (e[i].key >= e[0].key) continue;
        Entry value = e[i];
        e[i] = e[0];
        sift(e, 0, k, value);
    }
}

void tg_partial_sort(Entry *e, int64_t k, int64_t n) {
    if (k == 0) return;
    heap_select(e, k, n);
    for (int64_t last = k - 1; last > 0; last--) {
        Entry value = e[last];
        e[last] = e[0];
        sift(e, 0, last, value);
    }
}

/* ---- introsort ---- */

static Entry *median_of(Entry *a, Entry *b, Entry *c) {
    if (a->key < b->key) return b->key < c->key ? b : a->key < c->key ? c : a;
    return a->key < c->key ? a : b->key < c->key ? c : b;
}

/* Moves a pivot to e[0] and what is smaller before what is larger; returns where the larger ones begin. */
static int64_t partition(Entry *e, int64_t n) {
    swap(&e[0], median_of(&e[1], &e[n / 2], &e[n - 1]));
    for (int64_t left = 1, right = n;; left++) {
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

enum { SMALL = 16 }; /* what is left to the insertion sort at the end */

static void introsort(Entry *e, int64_t n, int depth) {
    while (n > SMALL) {
        if (depth-- == 0) {
            tg_partial_sort(e, n, n);
            return;
        }
        int64_t cut = partition(e, n);
        introsort(e + cut, n - cut, depth);
        n = cut;
    }
}

void tg_sort(Entry *e, int64_t n) {
    introsort(e, n, depth_limit(n));
    insertion_sort(e, n);
}

void tg_nth_element(Entry *e, int64_t nth, int64_t n) {
    if (nth >= n) return;
    for (int depth = depth_limit(n); n > 3; depth--) {
        if (depth == 0) {
            heap_select(e, nth + 1, n);
            swap(&e[0], &e[nth]);
            return;
        }
        int64_t cut = partition(e, n);
        if (cut > nth) {
            n = cut;
        } else {
            e += cut;
            n -= cut;
            nth -= cut;
        }
    }
    insertion_sort(e, n);
}

/* ---- kthvalue's selection: Hoare's, with the median of the first, the middle and the last as pivot ---- */

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

/* ---- merge sort ---- */

static void merge(const Entry *a, int64_t na, const Entry *b, int64_t nb, Entry *out) {
    while (na && nb) {
        bool right = b->key < a->key;
        *out++ = right ? *b++ : *a++;
        if (right) nb--;
        else na--;
    }
    memcpy(out, na ? a : b, (size_t)(na + nb) * sizeof *out);
}

/* By one byte of the key after the other, from the lowest; bytes in which all keys are alike are passed over. */
static void radix_sort(Entry *e, Entry *spare, int64_t n) {
    enum { VALUES = 256 };
    Entry *from = e, *to = spare;
    uint64_t differing = 0;
    for (int64_t i = 0; i < n; i++) differing |= e[i].key ^ e[0].key;
    for (int shift = 0; shift < 64; shift += 8) {
        uint32_t start[VALUES] = {0};
        if (!(differing >> shift & 255)) continue;
        for (int64_t i = 0; i < n; i++) start[from[i].key >> shift & 255]++;
        uint32_t at = 0;
        for (int value = 0; value < VALUES; value++) {
            const uint32_t count = start[value];
            start[value] = at;
            at += count;
        }
        for (int64_t i = 0; i < n; i++) to[start[from[i].key >> shift & 255]++] = from[i];
        Entry *kept = from;
        from = to;
        to = kept;
    }
    if (from != e) memcpy(e, from, (size_t)n * sizeof *e);
}

void tg_stable_sort(Entry *e, Entry *spare, int64_t n) {
    enum { MANY = 1024 };
    Entry *from = e, *to = spare;
    if (n >= MANY && n < UINT32_MAX) {
        radix_sort(e, spare, n);
        return;
    }
    for (int64_t i = 0; i < n; i += SMALL) insertion_sort(e + i, n - i < SMALL ? n - i : SMALL);
    for (int64_t run = SMALL; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t na = n - i < run ? n - i : run, nb = n - i - na < run ? n - i - na : run;
            merge(from + i, na, from + i + na, nb, to + i);
        }
        Entry *kept = from;
        from = to;
        to = kept;
    }
    if (from != e) memcpy(e, from, (size_t)n * sizeof *e);
}
