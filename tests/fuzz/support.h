/* tests/fuzz/support.h: what the harnesses share: options of the first bytes of an input, demands, a folder for
 * files. */
#ifndef TAPEGRAD_TESTS_FUZZ_SUPPORT_H
#define TAPEGRAD_TESTS_FUZZ_SUPPORT_H

#include "core/ops/dict.h"

/* ---- options ---- */

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

/* The next text, up to a byte 255, in `to`; what does not fit, and zeros, are passed over. */
const char *next_text(Choices *c, char *to, size_t size);
/* Zero to 15 bytes as a text in UTF-8: of bytes from 128 on Latin letters of two bytes. */
const char *next_utf8(Choices *c, char to[40]);

/* ---- demands ---- */

/* The pending error is that an allocation failed, as one of the two runs of an input makes it. */
bool is_out_of_memory(void);
/* Clears the pending error of a call that may refuse its arguments, unless it is that one. */
void clear_refusal(void);
/* Prints `what` and aborts unless it holds. */
void must(bool holds, const char *what);
/* The same, unless there was no memory for it. */
void demand(bool holds, const char *what);

/* A dict with the tensor "x"; NULL without one, and if there is an error: a comparison had no memory. */
t_TensorDict *dict_of(Tensor *x);

/* ---- files ---- */

/* The path of a new, empty folder; fuzz_remove removes it with all that is in it. */
const char *fuzz_folder(void);
void fuzz_remove(void);
/* A file in it, in folders that it makes; a name that ends in '/' is an empty folder. */
void fuzz_put_file(const char *name, const void *contents, size_t size);
const char *fuzz_path_of(const char *name); /* the path of a file in it, valid until the next call */

#endif
