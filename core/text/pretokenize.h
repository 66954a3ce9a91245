/* core/text/pretokenize.h: texts into words, inside which byte-pair encoding merges (internal).
 *
 * The patterns are regular expressions in the original, where the first alternative that matches is taken:
 *
 *     GPT-2          '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *     cl100k_base    '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
 *                    \s+$|\s*[\r\n]|\s+(?!\S)|\s
 *     o200k_base     [^\r\n\p{L}\p{N}]?U*W+C?|[^\r\n\p{L}\p{N}]?U+W*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|
 *                    \s*[\r\n]+|\s+(?!\S)|\s+
 *                    where U is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], W [\p{Ll}\p{Lm}\p{Lo}\p{M}], and C
 *                    (?i:'s|'t|'re|'ve|'m|'ll|'d)
 *
 * \s+(?!\S) is white space without its last character, which goes with the word after it if it is a blank. */
#ifndef TAPEGRAD_CORE_TEXT_PRETOKENIZE_H
#define TAPEGRAD_CORE_TEXT_PRETOKENIZE_H

#include <stddef.h>
#include <stdint.h>

typedef enum tg_Pattern { TG_PATTERN_GPT2, TG_PATTERN_CL100K, TG_PATTERN_O200K } tg_Pattern;

/* The end of the word that begins at `at`, which is before `end`. */
const uint8_t *tg_word_end(tg_Pattern pattern, const uint8_t *at, const uint8_t *end);

#endif
