/* examples/pytorch/llm/characters.h: the text of bigram, lets_build_gpt and nanogpt, in place of Shakespeare's plays,
 * and its characters as tokens. */
#ifndef EXAMPLES_PYTORCH_LLM_CHARACTERS_H
#define EXAMPLES_PYTORCH_LLM_CHARACTERS_H

#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/python/python.h"

static const char *const SPEAKERS[] = {"KEEPER", "BAKER", "SAILOR", "MILLER", "DOCTOR", "CHILD"};
static const char *const OPENINGS[] = {"I say,",   "Good friend,", "Tonight",   "No doubt",
                                       "My lord,", "Once more",    "Be still:", "They tell me"};
static const char *const SUBJECTS[] = {"the wind",     "the old boat", "a silver bell", "the harbour",
                                       "your brother", "the moon",     "an honest man"};
static const char *const VERBS[] = {"sleeps",         "is singing", "waits", "comes home",
                                    "must be mended", "is lost",    "dances"};
static const char *const PLACES[] = {"upon the hill",   "behind the mill", "in the rain",
                                     "before the dawn", "without a word",  "near the sea"};
static const char *const MARKS[] = {".", "!", "?", ";", " -- alas!"};

/* One line of a play at `to`, which has `capacity` bytes; the length. */
static inline int verse(char *to, size_t capacity) {
    const char *opening = random_choice(OPENINGS, 8);
    const char *subject = random_choice(SUBJECTS, 7);
    const char *verb = random_choice(VERBS, 7);
    const char *place = random_choice(PLACES, 6);
    const char *mark = random_choice(MARKS, 5);
    return snprintf(to, capacity, "%s %s %s %s%s\n", opening, subject, verb, place, mark);
}

/* At least `length` characters of a play, to 60000. */
static inline const char *play(int length) {
    static char text[65536];
    int used = 0;
    if (length > 60000) return t_fail("a play of %d characters is too long", length);
    while (used < length) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s:\n", random_choice(SPEAKERS, 6));
        for_range (_, random_randint(1, 3)) used += verse(text + used, sizeof text - (size_t)used);
        text[used++] = '\n';
    }
    text[used] = 0;
    return text;
}

/* Whether one of n phrases has the word, which is `length` long and ends before a blank, a mark or the end. */
static inline bool any_has_word(const char *const *phrases, int n, const char *word, size_t length) {
    for (int i = 0; i < n; i++)
        for (const char *p = phrases[i]; *p; p += strcspn(p, " "), p += *p == ' ')
            if (strcspn(p, " ") == length && strncmp(p, word, length) == 0) return true;
    return false;
}

/* The part of the words of a text that are in the lists above. */
static inline double known_words(const char *text) {
    int words = 0, known = 0;
    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t whole = strcspn(text, " \n"), length = whole;
        while (length && strchr(".!?;", text[length - 1])) length--;
        bool speaks = length && text[length - 1] == ':' && any_has_word(SPEAKERS, 6, text, length - 1);
        known += speaks || any_has_word(OPENINGS, 8, text, length) || any_has_word(SUBJECTS, 7, text, length) ||
                 any_has_word(VERBS, 7, text, length) || any_has_word(PLACES, 6, text, length);
        words++;
        text += whole;
    }
    return (double)known / words;
}

/* One token for each character that a text has, in their order. */
typedef struct Characters {
    int64_t len;
    char chars[129]; /* ends with 0 */
    int64_t stoi[128];
} Characters;

static inline Characters characters(const char *text) {
    Characters self = {0};
    for (char c = 1; c < 127; c++) {
        if (strchr(text, c) == NULL) continue;
        self.stoi[(int)c] = self.len;
        self.chars[self.len++] = c;
    }
    return self;
}

/* [stoi[c] for c in s], as an int64 tensor */
static inline Tensor *characters_encode(const Characters *self, const char *s) {
    int64_t n = (int64_t)strlen(s);
    Tensor *ids = t_empty(n, .dtype = t_int64);
    int64_t *to = t_data_ptr_mut(ids);
    for (int64_t i = 0; i < n; i++) to[i] = self->stoi[(int)s[i]];
    return ids;
}

/* "".join(chars[i] for i in ids), of an int64 tensor of one dim */
static inline const char *characters_decode(const Characters *self, Tensor *ids) {
    static char text[4096];
    int64_t at[4095], n = t_tolist(ids, at, 4095);
    if (n < 0 || n > 4095) return t_fail("%d characters do not fit into the text", (int)n);
    for (int64_t i = 0; i < n; i++) text[i] = self->chars[at[i]];
    text[n] = 0;
    return text;
}

#endif
