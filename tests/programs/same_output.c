/* tests/programs/same_output.c: compares a program's output with a recorded one: same_output KEPT PRINTED [BAND...]
 *
 * Text and integers must be equal. A number with decimals may differ by one unit of its last printed digit, and may be
 * printed as "1."; one blank more or less may precede it, since a sign or a digit widens its column; a shade of a
 * picture may be the neighbouring one. A BAND is 33-36:0.005: in lines 33 to 36 a number with decimals may differ by
 * 0.005 times the kept value; 33-:0.005 is from line 33 on. Prints the first line that differs.
 * (check_same_output.sh has examples.) */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 4096 };

/* A number with a point. */
typedef struct Number {
    size_t length; /* 0: there is none */
    int decimals;
    double value, unit; /* unit: of its last digit */
} Number;

static Number number_at(const char *p) {
    const char *at = p;
    int decimals = 0, exponent = 0;
    if (*at == '-' || *at == '+') at++;
    if (!isdigit((unsigned char)*at)) return (Number){.length = 0};
    while (isdigit((unsigned char)*at)) at++;
    if (*at++ != '.') return (Number){.length = 0};
    while (isdigit((unsigned char)*at)) at++, decimals++;
    if (*at == 'e' && (at[1] == '-' || at[1] == '+') && isdigit((unsigned char)at[2])) {
        exponent = atoi(at + 1);
        for (at += 2; isdigit((unsigned char)*at);) at++;
    }
    return (Number){(size_t)(at - p), decimals, strtod(p, NULL), pow(10, exponent - decimals)};
}

/* Light to dark: a blank, then U+2591, 2592, 2593 and U+2588. -1 for any other character. */
static int shade_at(const char *p, size_t *length) {
    static const char *const shades[] = {" ", "\xE2\x96\x91", "\xE2\x96\x92", "\xE2\x96\x93", "\xE2\x96\x88"};
    for (int i = 0; i < 5; i++)
        if (strncmp(p, shades[i], strlen(shades[i])) == 0) {
            *length = strlen(shades[i]);
            return i;
        }
    return -1;
}

static double band = 0; /* of the current line */

/* The band of a line, 0 if none of the arguments is about it. */
static double band_of(int line, char **bands) {
    for (; *bands; bands++) {
        char *end;
        long first = strtol(*bands, &end, 10), last = INT_MAX;
        if (*end == '-' && isdigit((unsigned char)end[1])) last = strtol(end + 1, &end, 10);
        else if (*end == '-') end++;
        if (*end != ':') fprintf(stderr, "same_output: %s is no band, as 33-36:0.005 is\n", *bands), exit(2);
        if (first <= line && line <= last) return strtod(end + 1, NULL);
    }
    return 0;
}

static bool same_number(const char **a, const char **b) {
    Number x = number_at(*a), y = number_at(*b);
    if (!x.length || !y.length) return false;
    if (x.decimals && y.decimals && x.unit != y.unit) return false;
    double tolerance = x.decimals || y.decimals ? fmax(1.01 * fmin(x.unit, y.unit), band * fabs(x.value)) : 0;
    bool same = fabs(x.value - y.value) <= tolerance;
    if (same) {
        *a += x.length;
        *b += y.length;
    }
    return same;
}

static bool same_shade(const char **a, const char **b) {
    size_t m, n;
    int x = shade_at(*a, &m), y = shade_at(*b, &n);
    bool same = x >= 0 && y >= 0 && abs(x - y) <= 1 && (x > 0 || y > 0);
    if (same) {
        *a += m;
        *b += n;
    }
    return same;
}

/* An additional blank before a number on one side: skips it. */
static bool same_but_for_a_blank(const char **a, const char **b) {
    const char **wider = **a == ' ' ? a : b, **other = wider == a ? b : a;
    bool same = **wider == ' ' && number_at(*wider + 1).length && number_at(*other).length;
    if (same) ++*wider;
    return same;
}

static bool same_line(const char *a, const char *b) {
    bool in_word = false; /* digits after a letter or a digit belong to a word: "q1.5" */
    while (*a && *b) {
        if (!in_word && (same_number(&a, &b) || same_but_for_a_blank(&a, &b))) continue;
        in_word = isalnum((unsigned char)*a);
        if (same_shade(&a, &b)) continue; /* first, since two shades begin with the same bytes */
        if (*a++ != *b++) return false;
    }
    return !*a && !*b;
}

int main(int argc, char **argv) {
    char kept[LINE_BYTES], printed[LINE_BYTES];
    FILE *a = argc >= 3 ? fopen(argv[1], "r") : NULL, *b = argc >= 3 ? fopen(argv[2], "r") : NULL;
    if (!a || !b) {
        fprintf(stderr, "usage: same_output KEPT PRINTED [BAND...], two files that can be read\n");
        return 2;
    }
    int line = 0, status = 0;
    for (bool more = true; more && !status;) {
        char *x = fgets(kept, LINE_BYTES, a), *y = fgets(printed, LINE_BYTES, b);
        band = band_of(++line, argv + 3);
        more = x || y;
        if (more && (!x || !y || !same_line(x, y))) {
            printf("%s:%d: kept:    %s%s:%d: printed: %s", argv[1], line, x ? x : "(the end)\n", argv[2], line,
                   y ? y : "(the end)\n");
            status = 1;
        }
    }
    fclose(a);
    fclose(b);
    return status;
}
