/* core/kernels/random/multinomial.c: sampling from weights; multinomial.h has the rules. */
#include "core/kernels/random/multinomial.h"

#include <stddef.h>

#include "core/kernels/elementwise/elementwise.h"

/* With replacement: each sample bisects for the first entry of the cumulative sum that is >= U(). */
static void sample_cumulative(tg_MT19937 *g, const double *cumulative, int64_t n, int64_t *out, int64_t k) {
    for (int64_t i = 0; i < k; i++) {
        double u = tg_mt_double(g);
        int64_t left = 0, right = n - 1; /* the last entry is 1 > u */
        while (left < right) {
            int64_t middle = left + (right - left) / 2;
            if (cumulative[middle] < u) left = middle + 1;
            else right = middle;
        }
        out[i] = left;
    }
}

/* Whether a is sampled before b: the larger score; the lower index if they are equal. */
static inline bool before(const double *score, int64_t a, int64_t b) {
    return score[a] > score[b] || (score[a] == score[b] && a < b);
}

/* Sifts heap[at] down; the root of the heap is the entry that is sampled last. */
static void sift_down(const double *score, int64_t *heap, int64_t size, int64_t at) {
    for (int64_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && before(score, heap[child], heap[child + 1])) child++;
        if (before(score, heap[child], heap[at])) break;
        int64_t old = heap[at];
        heap[at] = heap[child];
        heap[child] = old;
    }
}

/* Without replacement: the indices of the k largest of n scores, largest first. `out` is a heap of the best so far,
 * whose root, the worst of them, is replaced by anything better; heapsort then orders it. */
static void best_scores(const double *score, int64_t n, int64_t *out, int64_t k) {
    for (int64_t i = 0; i < k; i++) out[i] = i;
    for (int64_t i = k / 2 - 1; i >= 0; i--) sift_down(score, out, k, i);
    for (int64_t i = k; i < n; i++) {
        if (!before(score, i, out[0])) continue;
        out[0] = i;
        sift_down(score, out, k, 0);
    }
    for (int64_t size = k - 1; size > 0; size--) {
        int64_t worst = out[0];
        out[0] = out[size];
        out[size] = worst;
        sift_down(score, out, size, 0);
    }
}

static void log1p_in_place(double *x, int64_t n) {
    char *at = (char *)x;
    tg_log1p_float64(n, (char *[]){at, at}, (int64_t[]){sizeof *x, sizeof *x}, NULL);
}

#define MULTINOMIAL(suffix, type)                                                          \
    void tg_multinomial_##suffix(tg_MT19937 *g, const type *p, int64_t n, double *scratch, \
                                 int64_t *out, int64_t k, bool replacement) {              \
        if (k == 0) return;                                                                \
        if (!replacement || k == 1) {                                                      \
            for (int64_t i = 0; i < n; i++) scratch[i] = -tg_mt_double(g);                 \
            log1p_in_place(scratch, n);                                                    \
            for (int64_t i = 0; i < n; i++) scratch[i] = p[i] / (type)-scratch[i];         \
            best_scores(scratch, n, out, k);                                               \
            return;                                                                        \
        }                                                                                  \
        type sum = 0;                                                                      \
        for (int64_t i = 0; i < n; i++) scratch[i] = sum += p[i];                          \
        for (int64_t i = 0; i < n; i++) scratch[i] = (type)scratch[i] / sum;               \
        sample_cumulative(g, scratch, n, out, k);                                          \
    }
MULTINOMIAL(f32, float)
MULTINOMIAL(f64, double)
