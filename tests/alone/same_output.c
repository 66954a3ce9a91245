/* tests/alone/same_output.c: does a program still print what is kept?   build/tests/same_output KEPT PRINTED
 *
 * Text must be the same character by character, and so must whole numbers. A number with decimals may differ by one unit of
 * its last printed digit (of the finer one, where one is written "1." because it is whole); a shade of a picture may be
 * the neighbouring one. Blanks beside such a number may differ by the width of its sign. The first line that differs is
 * shown. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

/* A number with a point at p: its length, and one unit of its last digit; 0 where there is none. */
static size_t decimal_at(const char *p, double *value, double *unit) {
    const char *at = p;
    int decimals = 0, exponent = 0;
    if (*at == '-' || *at == '+') at++;
    if (!isdigit((unsigned char)*at)) return 0;
    while (isdigit((unsigned char)*at)) at++;
    if (*at++ != '.') return 0;
    while (isdigit((unsigned char)*at)) at++, decimals++;
    if (*at == 'e' && (at[1] == '-' || at[1] == '+') && isdigit((unsigned char)at[2])) {
        exponent = atoi(at + 1);
        for (at += 2; isdigit((unsigned char)*at);) at++;
    }
    *value = strtod(p, NULL);
    *unit = pow(10, exponent - decimals);
    return (size_t)(at - p);
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

static bool same_number(const char **a, const char **b) {
    double x, y, unit_x, unit_y;
    size_t m = decimal_at(*a, &x, &unit_x), n = decimal_at(*b, &y, &unit_y);
    bool same = m && n && fabs(x - y) <= 1.01 * fmin(unit_x, unit_y);
    if (same) {
        *a += m;
        *b += n;
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

static bool same_line(const char *a, const char *b) {
    bool in_word = false; /* digits behind a letter or a digit belong to a word: "q1.5" */
    while (*a && *b) {
        if (!in_word && same_number(&a, &b)) continue;
        in_word = isalnum((unsigned char)*a);
        if (*a == *b) a++, b++;
        else if (!same_shade(&a, &b)) {
            if (*a == ' ' && (*b == '-' || isdigit((unsigned char)*b))) a++;      /* a sign more or less */
            else if (*b == ' ' && (*a == '-' || isdigit((unsigned char)*a))) b++;
            else return false;
        }
    }
    return !*a && !*b;
}

int main(int count, char **words) {
    char kept[ROOM], printed[ROOM];
    FILE *a = count == 3 ? fopen(words[1], "r") : NULL, *b = count == 3 ? fopen(words[2], "r") : NULL;
    if (!a || !b) {
        fprintf(stderr, "usage: same_output KEPT PRINTED, two files that can be read\n");
        return 2;
    }
    int line = 0, status = 0;
    for (bool more = true; more && !status;) {
        char *x = fgets(kept, ROOM, a), *y = fgets(printed, ROOM, b);
        line++;
        more = x || y;
        if (more && (!x || !y || !same_line(x, y))) {
            printf("%s:%d: kept:    %s%s:%d: printed: %s", words[1], line, x ? x : "(the end)\n", words[2], line, y ? y : "(the end)\n");
            status = 1;
        }
    }
    fclose(a);
    fclose(b);
    return status;
}
