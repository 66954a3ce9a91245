/* core/text/bpe_files.h: the files of byte-pair encodings (internal). Every error names the file and the line or byte,
 * and why. */
#ifndef TAPEGRAD_CORE_TEXT_BPE_FILES_H
#define TAPEGRAD_CORE_TEXT_BPE_FILES_H

#include "core/io/file.h"
#include "core/text/bpe.h"

/* All bytes of a file, and a zero after them that size does not count. */
bool tg_read_all(const tg_Input *in, tg_Buffer *to);

/* vocab.json, {"token": id, ...}, and merges.txt, lines of two tokens below a line "#version: 0.2". */
bool tg_read_vocab_merges(tg_Bpe *bpe, const tg_Input *vocab, const tg_Input *merges);
/* merges.txt alone (vocab.bpe of the first GPT-2): the ids are those of the 256 bytes, then one for each line. */
bool tg_read_merges(tg_Bpe *bpe, const tg_Input *merges);
/* tiktoken's files: lines of a token in base64 and its id. */
bool tg_read_tiktoken(tg_Bpe *bpe, const tg_Input *in);
/* tokenizer.json of Hugging Face, if it is a byte-level BPE. */
bool tg_read_tokenizer_json(tg_Bpe *bpe, const tg_Input *in);

/* The bytes that a token's name in such a file stands for; false, with nothing written, if it has a character that
 * stands for no byte. Out of memory is an error too: see t_error(). */
bool tg_bytes_of_name(const char *name, size_t length, tg_Buffer *to);
/* The name of a token: its bytes as characters; those of a special token as they are. */
bool tg_name_of_token(const tg_Bpe *bpe, uint32_t id, tg_Buffer *to);

bool tg_write_vocab(const tg_Bpe *bpe, tg_Output *out);
bool tg_write_merges(const tg_Bpe *bpe, tg_Output *out);
/* tokenizer.json, as tokenizers' ByteLevelBPETokenizer writes it; pretty: a value a line. */
bool tg_write_tokenizer_json(const tg_Bpe *bpe, tg_Output *out, bool pretty);

#endif
