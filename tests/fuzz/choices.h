/* tests/fuzz/choices.h: the first bytes of an input as options. */
#ifndef TAPEGRAD_TESTS_FUZZ_CHOICES_H
#define TAPEGRAD_TESTS_FUZZ_CHOICES_H

#include <stddef.h>
#include <stdint.h>

typedef struct Choices {
    const uint8_t *at;
    size_t left;
} Choices;

/* The next byte, modulo n; 0 past the end. */
static inline int choose(Choices *c, int n) {
    if (c->left == 0) return 0;
    c->left--;
    return *c->at++ % n;
}

#endif
