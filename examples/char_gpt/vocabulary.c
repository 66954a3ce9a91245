/* examples/char_gpt/vocabulary.c: a token is a character; its id is its index among the characters of the
 * text, in order. */
#include <stdlib.h>
#include <string.h>

#include "char_gpt.h"

Vocabulary vocabulary_of(const char *text) {
    Vocabulary v = {0};
    bool seen[256] = {false};
    for (; *text; text++) seen[(unsigned char)*text] = true;
    for (int c = 1; c < 256; c++)
        if (seen[c]) v.characters[v.size++] = (char)c;
    return v;
}

Tensor *encode(const Vocabulary *v, const char *text) {
    int64_t n = (int64_t)strlen(text);
    Tensor *ids = t_empty(n, .dtype = t_int64);
    int64_t *to = t_data_ptr_mut(ids);
    for (int64_t i = 0; i < n; i++) {
        const char *found = strchr(v->characters, text[i]);
        if (!found)
            return t_fail("character %lld of the text, byte %d, is not among the %lld that the model knows",
                          (long long)i, (unsigned char)text[i], (long long)v->size);
        to[i] = found - v->characters;
    }
    return ids;
}

char *decode(const Vocabulary *v, Tensor *ids) {
    const int64_t *from = t_data_ptr(t_contiguous(ids)), n = t_numel(ids);
    char *text = malloc((size_t)n + 1);
    if (!text) return t_fail("no memory for a text of %lld characters", (long long)n);
    for (int64_t i = 0; i < n; i++) text[i] = from[i] >= 0 && from[i] < v->size ? v->characters[from[i]] : '?';
    text[n] = 0;
    return text;
}
