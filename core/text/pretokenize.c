/* core/text/pretokenize.c: the patterns of GPT-2, cl100k_base and o200k_base, written out by hand. */
#include "core/text/pretokenize.h"

#include <stdbool.h>

#include "core/text/unicode.h"

/* By the first byte: classes of the ASCII characters, and NOT_ASCII. */
enum { NOT_ASCII = 4, _ = TG_OTHER, L = TG_LETTER, N = TG_NUMBER, S = TG_SPACE, X = NOT_ASCII };
static const uint8_t ascii_class[256] = {
    _, _, _, _, _, _, _, _, _, S, S, S, S, S, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, S, _, _, _, _,
    _, _, _, _, _, _, _, _, _, _, _, N, N, N, N, N, N, N, N, N, N, _, _, _, _, _, _, _, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, _, _, _, _, _, _, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, L, _, _, _, _, _, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
};

/* The class of the character at *at, and *at after it. */
static inline int next_class(const uint8_t **at, const uint8_t *end) {
    const int ascii = ascii_class[**at];
    if (ascii == NOT_ASCII) return (int)tg_char_class(tg_next_char(at, end));
    ++*at;
    return ascii;
}

/* The end of a run of characters of that class. */
static inline const uint8_t *run_end(int class, const uint8_t *at, const uint8_t *end) {
    for (;;) {
        while (at < end && ascii_class[*at] == class) at++;
        if (at == end || ascii_class[*at] != NOT_ASCII) return at;
        const uint8_t *next = at;
        if (next_class(&next, end) != class) return at;
        at = next;
    }
}

/* The end of 's 't 'd 'm 'll 've 're at an apostrophe; NULL if it is none of them. */
static const uint8_t *contraction_end(const uint8_t *at, const uint8_t *end, int lower) {
    if (end - at < 2) return NULL;
    const int a = at[1] | lower, b = end - at > 2 ? at[2] | lower : 0;
    if (a == 's' || a == 'd' || a == 'm' || a == 't') return at + 2;
    if ((a == 'l' && b == 'l') || (a == 'v' && b == 'e') || (a == 'r' && b == 'e')) return at + 3;
    /* the long s, which folds to s */
    return lower && at[1] == 0xc5 && end - at > 2 && at[2] == 0xbf ? at + 3 : NULL;
}

/* At white space: all of it if it ends the text, else all but the last character, but at least one. */
static const uint8_t *space_end(const uint8_t *at, const uint8_t *end) {
    const uint8_t *next = at, *last = at, *first_end = NULL;
    while (next < end) {
        const uint8_t *begin = next;
        if (next_class(&next, end) != TG_SPACE) return last > at ? last : first_end;
        last = begin;
        if (!first_end) first_end = next;
    }
    return end;
}

static const uint8_t *gpt2_end(const uint8_t *at, const uint8_t *end) {
    const uint8_t *next = at, *found = *at == '\'' ? contraction_end(at, end, 0) : NULL;
    if (found) return found;
    int class = next_class(&next, end);
    if (class == TG_SPACE) {
        const uint8_t *word = at + 1;
        class = *at == ' ' && word < end ? next_class(&word, end) : TG_SPACE;
        if (class == TG_SPACE) return space_end(at, end);
        next = word;
    }
    return run_end(class, next, end);
}

static inline int is_line_end(uint8_t c) {
    return c == '\r' || c == '\n';
}

/* Of a number of at most three characters, after the first one. */
static const uint8_t *number_end(const uint8_t *next, const uint8_t *end) {
    for (int digits = 1; digits < 3 && next < end; digits++) {
        const uint8_t *after = next;
        if (next_class(&after, end) != TG_NUMBER) break;
        next = after;
    }
    return next;
}

static const uint8_t *cl100k_end(const uint8_t *at, const uint8_t *end) {
    const uint8_t *next = at, *found = *at == '\'' ? contraction_end(at, end, 0x20) : NULL;
    if (found) return found;
    int class = next_class(&next, end);
    if (class == TG_LETTER) return run_end(TG_LETTER, next, end);
    if (class == TG_NUMBER) return number_end(next, end);
    if (!is_line_end(*at)) { /* any one character before letters */
        const uint8_t *letters = run_end(TG_LETTER, next, end);
        if (letters > next) return letters;
    }
    if (class == TG_SPACE) {
        const uint8_t *word = at + 1;
        class = *at == ' ' && word < end ? next_class(&word, end) : TG_SPACE;
        if (class == TG_OTHER) next = word;
    }
    if (class == TG_OTHER) {
        next = run_end(TG_OTHER, next, end);
        while (next < end && is_line_end(*next)) next++;
        return next;
    }
    const uint8_t *spaces = run_end(TG_SPACE, at, end), *line = spaces;
    if (spaces == end) return end;
    while (line > at && !is_line_end(line[-1])) line--;
    return line > at ? line : space_end(at, end);
}

/* ---- o200k_base ---- */

/* The case of the character at *at, and *at after it: bits of tg_char_case. */
enum { UPPER = 1, LOWER = 2, BOTH = UPPER | LOWER };
static inline int next_case(const uint8_t **at, const uint8_t *end) {
    const uint8_t c = **at;
    if (c >= 0x80) return tg_char_case(tg_next_char(at, end));
    ++*at;
    return c >= 'a' && c <= 'z' ? LOWER : c >= 'A' && c <= 'Z' ? UPPER : 0;
}

/* The end of U*W+ at `at`, or of U+ (W* takes nothing then); NULL where there is none. U* takes all it can, and gives
 * back until W+ has a character: the last one that is in both sets. */
static const uint8_t *cased_end(const uint8_t *at, const uint8_t *end, bool wants_lower) {
    const uint8_t *capitals = at, *last_both = NULL, *next = at;
    while (next < end) {
        const int kind = next_case(&next, end);
        if (!(kind & UPPER)) break;
        capitals = next;
        if (kind == BOTH) last_both = next;
    }
    if (!wants_lower) return capitals > at ? capitals : NULL;
    const uint8_t *small = capitals;
    for (next = small; next < end && next_case(&next, end) & LOWER;) small = next;
    return small > capitals ? small : last_both;
}

static const uint8_t *o200k_end(const uint8_t *at, const uint8_t *end) {
    const uint8_t *next = at;
    int class = next_class(&next, end);
    const bool may_precede = (class == TG_OTHER || class == TG_SPACE) && !is_line_end(*at);
    for (int wants_lower = 1; wants_lower >= 0 && class != TG_NUMBER; wants_lower--) {
        const uint8_t *word = may_precede ? cased_end(next, end, wants_lower) : NULL;
        if (!word) word = cased_end(at, end, wants_lower);
        if (!word) continue;
        const uint8_t *found = word < end && *word == '\'' ? contraction_end(word, end, 0x20) : NULL;
        return found ? found : word;
    }
    if (class == TG_NUMBER) return number_end(next, end);
    if (class == TG_SPACE) {
        const uint8_t *other = at + 1;
        class = *at == ' ' && other < end ? next_class(&other, end) : TG_SPACE;
        if (class == TG_OTHER) next = other;
    }
    if (class == TG_OTHER) {
        next = run_end(TG_OTHER, next, end);
        while (next < end && (is_line_end(*next) || *next == '/')) next++;
        return next;
    }
    const uint8_t *line = run_end(TG_SPACE, at, end);
    while (line > at && !is_line_end(line[-1])) line--;
    return line > at ? line : space_end(at, end);
}

const uint8_t *tg_word_end(tg_Pattern pattern, const uint8_t *at, const uint8_t *end) {
    return pattern == TG_PATTERN_GPT2     ? gpt2_end(at, end)
           : pattern == TG_PATTERN_CL100K ? cl100k_end(at, end)
                                          : o200k_end(at, end);
}
