/* examples/python.h: the one of Python's formats that C lacks and the examples print. */
#ifndef EXAMPLES_PYTHON_H
#define EXAMPLES_PYTHON_H

#include <stdint.h>
#include <stdio.h>

/* f"{n:,}": a whole number with commas between the thousands; good until the next call. */
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

#endif
