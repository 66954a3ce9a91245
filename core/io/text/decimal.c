/* core/io/text/decimal.c: the float64 nearest to a decimal number.
 *
 * The digits are collected in a 64-bit integer w, so that the number is w * 10^q. Then, the first that applies:
 *   1. w < 2^53 and |q| <= 22: w and 10^|q| are exact, so one operation rounds once (W. D. Clinger, "How to read
 * floating point numbers accurately", PLDI 1990);
 *   2. the product of w and the first 128 bits of 5^q, whose error cannot change the result except in rare cases that
 * it detects (D. Lemire, "Number parsing at a gigabyte per second", 2021, after M. Eisel);
 *   3. strtod of the first 800 digits, in the C locale. */
#include "core/io/text/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/c_locale.h"

enum { SMALLEST_POWER = -342, LARGEST_POWER = 308, MANTISSA_BITS = 52, MOST_DIGITS = 19 };

__extension__ typedef unsigned __int128 UInt128;

static const uint64_t powers_of_five[][2] = {
#include "core/io/text/powers_of_five.inc"
};

/* The product of w != 0 and 10^q as the bits of a float64. 128 bits of 5^q always decide how it is rounded: Mushtak and
 * Lemire, "Fast number parsing without fallback", 2023. */
static uint64_t multiply(uint64_t w, int64_t q) {
    const uint64_t infinity = UINT64_C(0x7ff) << MANTISSA_BITS;
    if (q < SMALLEST_POWER) return 0;
    if (q > LARGEST_POWER) return infinity;
    const int zeros = __builtin_clzll(w);
    w <<= zeros;
    const uint64_t *power = powers_of_five[q - SMALLEST_POWER];
    UInt128 product = (UInt128)w * power[0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) { /* the low half of 5^q may carry into the bits that round */
        const uint64_t carry = (uint64_t)((UInt128)w * power[1] >> 64);
        low += carry;
        high += low < carry;
    }
    const int top = (int)(high >> 63), shift = top + 64 - MANTISSA_BITS - 3;
    uint64_t mantissa = high >> shift;                                 /* 53 bits and one to round by */
    int64_t exponent = ((217706 * q) >> 16) + 63 + top - zeros + 1023; /* floor(q * log2(10)) + ... */
    if (exponent <= 0) {                                               /* subnormal */
        if (1 - exponent >= 64) return 0;
        mantissa >>= 1 - exponent;
        mantissa += mantissa & 1;
        return mantissa >> 1; /* a carry into bit 52 is the exponent 1 */
    }
    /* A tie, which only these q have: round to even. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high) mantissa &= ~UINT64_C(1);
    mantissa += mantissa & 1;
    mantissa >>= 1;
    if (mantissa >> (MANTISSA_BITS + 1)) {
        mantissa >>= 1;
        exponent++;
    }
    return exponent >= 0x7ff ? infinity
                             : (uint64_t)exponent << MANTISSA_BITS | (mantissa & ((UINT64_C(1) << MANTISSA_BITS) - 1));
}

/* The number at .. end - 1, which has more digits than fit into 64 bits, by strtod. Digits after the first 800 cannot
 * change the result, except that one that is not 0 tells a tie from more than a tie. exponent: as written. */
static double convert_by_strtod(const char *at, const char *end, char point, int64_t exponent) {
    enum { KEPT = 800 };
    char text[KEPT + 40];
    size_t n = 0;
    bool after_point = false, more = false;
    int64_t q = exponent;
    for (; at < end; at++) {
        if (*at == point) {
            after_point = true;
            continue;
        }
        if (n == 0 && *at == '0') {
            q -= after_point;
            continue;
        }
        if (n < KEPT) {
            text[n++] = *at;
            q -= after_point;
        } else {
            more = more || *at != '0';
            q += !after_point;
        }
    }
    if (n == 0) return 0;
    if (more) {
        text[n++] = '1';
        q--;
    }
    if (q > 100000) q = 100000;
    if (q < -100000) q = -100000;
    sprintf(text + n, "e%d", (int)q);
    const tg_CLocale locale = tg_c_locale_begin();
    const double value = strtod(text, NULL);
    tg_c_locale_end(locale);
    return value;
}

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* Whether the text begins with the word, which is in lower case. */
static bool begins(const char *at, const char *end, const char *word) {
    for (; *word; word++, at++)
        if (at == end || (*at | 0x20) != *word) return false;
    return true;
}

static const char *parse_word(const char *at, const char *end, double *value) {
    *value = INFINITY;
    if (begins(at, end, "infinity")) return at + 8;
    if (begins(at, end, "inf")) return at + 3;
    *value = NAN;
    return begins(at, end, "nan") ? at + 3 : NULL;
}

/* Eight digits at once: pairs, then fours, then all, in the bytes of one word. */
static bool eight_digits(const char *at, uint64_t *value) {
    uint64_t x;
    memcpy(&x, at, sizeof x);
    if (((x & UINT64_C(0xf0f0f0f0f0f0f0f0)) |
         (((x + UINT64_C(0x0606060606060606)) & UINT64_C(0xf0f0f0f0f0f0f0f0)) >> 4)) != UINT64_C(0x3333333333333333))
        return false;
    x -= UINT64_C(0x3030303030303030);
    x = x * 10 + (x >> 8);
    *value = (((x & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
              (((x >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
             32;
    return true;
}

const char *tg_parse_double(const char *at, const char *end, char point, double *value) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (at == end) return NULL;
    const bool negative = *at == '-';
    if (negative || *at == '+') at++;
    const char *const begin = at;
    uint64_t w = 0, eight;
    while (at < end && is_digit(*at)) w = w * 10 + (uint64_t)(*at++ - '0');
    int64_t digits = at - begin, fraction = 0;
    if (at < end && *at == point) {
        const char *const first = ++at;
        if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            while (end - at >= 8 && eight_digits(at, &eight)) {
                w = w * 100000000 + eight;
                at += 8;
            }
        while (at < end && is_digit(*at)) w = w * 10 + (uint64_t)(*at++ - '0');
        fraction = at - first;
        digits += fraction;
    }
    if (digits == 0) {
        at = begin == end ? NULL : parse_word(begin, end, value);
        if (at && negative) *value = -*value;
        return at;
    }
    const char *const mantissa_end = at;
    int64_t exponent = 0;
    if (at < end && (*at | 0x20) == 'e') {
        const char *e = at + 1;
        const bool is_negative = e < end && *e == '-';
        if (e < end && (is_negative || *e == '+')) e++;
        if (e < end && is_digit(*e)) {
            for (; e < end && is_digit(*e); e++)
                if (exponent < 1000000000) exponent = exponent * 10 + (*e - '0');
            if (is_negative) exponent = -exponent;
            at = e;
        }
    }
    if (digits > MOST_DIGITS) { /* leading zeros do not count */
        const char *first = begin;
        for (; first < mantissa_end && (*first == '0' || *first == point); first++) digits -= *first == '0';
    }
    const int64_t q = exponent - fraction;
    double x;
    if (digits > MOST_DIGITS) {
        x = convert_by_strtod(begin, mantissa_end, point, exponent);
    } else if (w >> 53 == 0 && q >= -22 && q <= 22) {
        x = q < 0 ? (double)w / exact[-q] : (double)w * exact[q];
    } else if (w == 0) {
        x = 0;
    } else {
        const uint64_t bits = multiply(w, q);
        memcpy(&x, &bits, sizeof x);
    }
    *value = negative ? -x : x;
    return at;
}

tg_Parsed tg_parse_int64(const char *at, const char *end, int64_t *value) {
    const bool negative = at < end && *at == '-';
    if (at < end && (negative || *at == '+')) at++;
    if (at == end) return tg_not_a_number;
    uint64_t w = 0;
    bool is_large = false;
    for (; at < end; at++) {
        if (!is_digit(*at)) return tg_not_a_number;
        is_large = is_large || w > UINT64_MAX / 10 - 1;
        w = w * 10 + (uint64_t)(*at - '0');
    }
    if (is_large || w > (uint64_t)INT64_MAX + negative) return tg_too_large;
    *value = (int64_t)(negative ? 0 - w : w);
    return tg_parsed;
}
