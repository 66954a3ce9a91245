/* core/vision/io/png_filter.c: PNG's filters (RFC 2083, 6): each byte less a prediction from the same byte of the pixel
 * to the left (a), above (b) and above left (c). */
#include "core/vision/io/png_filter.h"

#include <string.h>

/* Of a, b and c the one that is nearest to a + b - c. */
static inline int paeth(int a, int b, int c) {
    const int pa = b - c, pb = a - c, pc = pa + pb;
    const int da = pa < 0 ? -pa : pa, db = pb < 0 ? -pb : pb, dc = pc < 0 ? -pc : pc;
    return da <= db && da <= dc ? a : db <= dc ? b : c;
}

/* ---- pixels of 3 or 4 bytes, in the lanes of one vector ---- */

typedef int16_t Lanes __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(8)));

static inline Lanes load(const uint8_t *from, size_t step) {
    Bytes bytes = {0};
    memcpy(&bytes, from, step);
    return __builtin_convertvector(bytes, Lanes);
}

static inline void store(uint8_t *to, Lanes x, size_t step) {
    const Bytes bytes = __builtin_convertvector(x, Bytes); /* modulo 256 */
    memcpy(to, &bytes, step);
}

static inline Lanes absolute(Lanes x) {
    const Lanes sign = x >> 15;
    return (x ^ sign) - sign;
}

static inline Lanes choose(Lanes condition, Lanes x, Lanes y) {
    return (condition & x) | (~condition & y);
}

static inline __attribute__((always_inline)) void unfilter_paeth_lanes(uint8_t *to, const uint8_t *from,
                                                                       const uint8_t *above, size_t n, size_t step) {
    Lanes a = {0}, c = {0};
    for (size_t i = 0; i < n; i += step) {
        const Lanes b = load(above + i, step), pa = b - c, pb = a - c;
        const Lanes da = absolute(pa), db = absolute(pb), dc = absolute(pa + pb);
        const Lanes nearest = choose((da <= db) & (da <= dc), a, choose(db <= dc, b, c));
        a = (nearest + load(from + i, step)) & 255;
        store(to + i, a, step);
        c = b;
    }
}

static inline __attribute__((always_inline)) void unfilter_average_lanes(uint8_t *to, const uint8_t *from,
                                                                         const uint8_t *above, size_t n, size_t step) {
    Lanes a = {0};
    for (size_t i = 0; i < n; i += step) {
        a = (((a + load(above + i, step)) >> 1) + load(from + i, step)) & 255;
        store(to + i, a, step);
    }
}

static inline __attribute__((always_inline)) void unfilter_left_lanes(uint8_t *to, const uint8_t *from, size_t n,
                                                                      size_t step) {
    uint32_t even = 0, odd = 0; /* the bytes of the pixel, with space between them for carries */
    for (size_t i = 0; i < n; i += step) {
        uint32_t x = 0;
        memcpy(&x, from + i, step);
        even = (even + (x & 0xff00ff)) & 0xff00ff;
        odd = (odd + (x >> 8 & 0xff00ff)) & 0xff00ff;
        x = even | odd << 8;
        memcpy(to + i, &x, step);
    }
}

/* ---- pixels of any size ---- */

static inline __attribute__((always_inline)) void unfilter(int filter, uint8_t *to, const uint8_t *from,
                                                           const uint8_t *above, size_t n, size_t step) {
    size_t i = 0;
    switch (filter) {
    case 1:
        for (; i < step && i < n; i++) to[i] = from[i];
        for (; i < n; i++) to[i] = (uint8_t)(from[i] + to[i - step]);
        break;
    case 2:
        for (; i < n; i++) to[i] = (uint8_t)(from[i] + above[i]);
        break;
    case 3:
        for (; i < step && i < n; i++) to[i] = (uint8_t)(from[i] + above[i] / 2);
        for (; i < n; i++) to[i] = (uint8_t)(from[i] + (to[i - step] + above[i]) / 2);
        break;
    case 4:
        for (; i < step && i < n; i++) to[i] = (uint8_t)(from[i] + above[i]);
        for (; i < n; i++) to[i] = (uint8_t)(from[i] + paeth(to[i - step], above[i], above[i - step]));
        break;
    default:
        if (to != from) memcpy(to, from, n);
    }
}

void tg_png_unfilter(int filter, uint8_t *to, const uint8_t *from, const uint8_t *above, size_t n, size_t step) {
    if (step == 3 && n % 3 == 0) {
        if (filter == 1)
            unfilter_left_lanes(to, from, n, 3);
        else if (filter == 3)
            unfilter_average_lanes(to, from, above, n, 3);
        else if (filter == 4)
            unfilter_paeth_lanes(to, from, above, n, 3);
        else
            unfilter(filter, to, from, above, n, 3);
    } else if (step == 4 && n % 4 == 0) {
        if (filter == 1)
            unfilter_left_lanes(to, from, n, 4);
        else if (filter == 3)
            unfilter_average_lanes(to, from, above, n, 4);
        else if (filter == 4)
            unfilter_paeth_lanes(to, from, above, n, 4);
        else
            unfilter(filter, to, from, above, n, 4);
    } else if (step == 1) {
        unfilter(filter, to, from, above, n, 1);
    } else {
        unfilter(filter, to, from, above, n, step);
    }
}

void tg_png_filter(int filter, uint8_t *to, const uint8_t *row, const uint8_t *above, size_t n, size_t step) {
    size_t i = 0;
    switch (filter) {
    case 1:
        for (; i < step && i < n; i++) to[i] = row[i];
        for (; i < n; i++) to[i] = (uint8_t)(row[i] - row[i - step]);
        break;
    case 2:
        for (; i < n; i++) to[i] = (uint8_t)(row[i] - above[i]);
        break;
    case 3:
        for (; i < step && i < n; i++) to[i] = (uint8_t)(row[i] - above[i] / 2);
        for (; i < n; i++) to[i] = (uint8_t)(row[i] - (row[i - step] + above[i]) / 2);
        break;
    case 4:
        for (; i < step && i < n; i++) to[i] = (uint8_t)(row[i] - above[i]);
        for (; i < n; i++) to[i] = (uint8_t)(row[i] - paeth(row[i - step], above[i], above[i - step]));
        break;
    default: memcpy(to, row, n);
    }
}
