/* examples/python.h: the formats of Python that C lacks and the examples print. */
#ifndef EXAMPLES_PYTHON_H
#define EXAMPLES_PYTHON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

/* f"{n:,}": an integer with commas between the thousands; good until the next call. */
static inline const char *commas(int64_t n) {
    static char text[32];
    char plain[32];
    int length = snprintf(plain, sizeof plain, "%lld", (long long)n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = plain[i];
    }
    text[at] = 0;
    return text;
}

/* repr(v), which print(v) prints: the shortest digits that read back as v. */
static inline const char *float_repr(double v) {
    char shortest[40];
    int digits = 0;
    if (isnan(v)) return "nan";
    if (isinf(v)) return v > 0 ? "inf" : "-inf";
    do snprintf(shortest, sizeof shortest, "%.*e", digits++, v);
    while (strtod(shortest, NULL) != v);
    int exponent = atoi(strchr(shortest, 'e') + 1), decimals = digits - 1 - exponent;
    if (exponent < -4 || exponent >= 16) return t_format("%s", shortest);
    return t_format("%.*f", decimals > 1 ? decimals : 1, v);
}

/* round(v, decimals) */
static inline double rounded(double v, int decimals) {
    char text[512];
    snprintf(text, sizeof text, "%.*f", decimals, v);
    return strtod(text, NULL);
}

/* print([round(v, decimals) for v in x.tolist()]), x of rank 1 */
static inline void print_rounded(Tensor *x, int decimals) {
    for (int64_t i = 0; i < t_size(x, 0); i++)
        printf("%s%s", i ? ", " : "[", float_repr(rounded(t_item(t_at(x, "{}", i)), decimals)));
    printf("]\n");
}

#endif
