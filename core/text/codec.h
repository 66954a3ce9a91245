/* core/text/codec.h: texts to tensors of ids and back, for tiktoken and tokenizers (internal). */
#ifndef TAPEGRAD_CORE_TEXT_CODEC_H
#define TAPEGRAD_CORE_TEXT_CODEC_H

#include "core/tensor/tensor.h"
#include "core/text/bpe.h"

tg_Bpe *tg_bpe_new(void);
void tg_bpe_delete(tg_Bpe *bpe); /* may be NULL */

/* The ids as a tensor (n) of int64. ordinary: no special tokens are looked for; else those whose flag is set (NULL:
 * all). */
Tensor *tg_encode_to_tensor(tg_Bpe *bpe, const void *text, size_t size, bool ordinary, const bool *flags);
/* The bytes of the tokens; skip_special: without special tokens. Errors: ids is no tensor of integers, or one is no
 * token: `invalid` is the format of that text, with a %lld; NULL: they are passed over. */
bool tg_decode_ids(const tg_Bpe *bpe, const Tensor *ids, bool skip_special, const char *invalid, tg_Buffer *to);
/* A text of valid UTF-8, owned by the scope: each longest part of a character that is cut short, and each other invalid
 * byte, is replaced by U+FFFD (Unicode 16.0, 3.9.6, as Python and Rust do). */
const char *tg_decoded_text(const tg_Buffer *bytes);

#endif
