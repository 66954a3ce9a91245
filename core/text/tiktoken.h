/* core/text/tiktoken.h: tiktoken, OpenAI's tokenizers (public).
 *
 *     tiktoken_Encoding *enc = tiktoken_get_encoding("gpt2");                 enc = tiktoken.get_encoding("gpt2")
 *     Tensor *ids = tiktoken_encode(enc, "hello world");                      ids = enc.encode("hello world")
 *     puts(tiktoken_decode(enc, ids));                                        print(enc.decode(ids))
 *
 * Ids are those of tiktoken for every text. A list of ids is a tensor (n) of int64. Texts are UTF-8; bytes that are not
 * count as characters that are neither letters, numbers nor white space, so that decoding gives them back (a str of
 * Python cannot hold them). */
#ifndef TAPEGRAD_CORE_TEXT_TIKTOKEN_H
#define TAPEGRAD_CORE_TEXT_TIKTOKEN_H

#include "core/text/string_list.h"

T_BEGIN_DECLS

/* The fields are read-only. */
typedef struct tiktoken_Encoding {
    t_Object object;
    const char *name;
    int64_t n_vocab; /* the largest id plus 1 */
    int64_t max_token_value;
    int64_t eot_token; /* of <|endoftext|>; -1 if there is none */
    struct tg_Bpe *bpe;
} tiktoken_Encoding;

/* tiktoken.get_encoding(name): "gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base" or "o200k_base". Nothing
 * is downloaded: the vocabulary is read from the folder where Python's tiktoken keeps its downloads, which is
 * $TIKTOKEN_CACHE_DIR, else $DATA_GYM_CACHE_DIR, else data-gym-cache in the folder for temporary files; under
 * tiktoken's name there (a hash of the address) or under that of the file: vocab.bpe or merges.txt for "gpt2",
 * cl100k_base.tiktoken for "cl100k_base", ... Errors: another name; the file is missing (the text says where it comes
 * from); a broken file, with its line. */
T_API tiktoken_Encoding *tiktoken_get_encoding(const char *encoding_name);
/* tiktoken.encoding_for_model("gpt-4"): the encoding of that model */
T_API tiktoken_Encoding *tiktoken_encoding_for_model(const char *model_name);

typedef struct tiktoken_EncodeOptions {
    uint32_t size; /* sizeof(tiktoken_EncodeOptions) */
    /* Sets of special tokens: "all", or the tokens, separated by white space if there are several: "<|endoftext|>";
     * "" is none. NULL: none allowed, and all others disallowed. */
    const char *allowed_special, *disallowed_special;
} tiktoken_EncodeOptions;

/* enc.encode(text, allowed_special=set(), disallowed_special="all"). Error: tiktoken's, if the text has a disallowed
 * special token; one that is neither is encoded as other text. */
T_API Tensor *tiktoken_encode(const tiktoken_Encoding *enc, const char *text, const tiktoken_EncodeOptions *options);
/* enc.encode_ordinary(text): without special tokens */
T_API Tensor *tiktoken_encode_ordinary(const tiktoken_Encoding *enc, const char *text);
/* encode_ordinary of so many bytes, any, also zeros (enc._encode_bytes) */
T_API Tensor *tiktoken_encode_bytes(const tiktoken_Encoding *enc, const void *bytes, size_t size);
/* enc.encode_single_token(text): the id of one token; -1 with an error if it is none */
T_API int64_t tiktoken_encode_single_token(const tiktoken_Encoding *enc, const char *text);

/* enc.decode(ids): ids is a tensor of integers of any shape. Bytes that are not UTF-8 become U+FFFD, as with Python's
 * errors="replace"; a text with a zero ends there. Error: an id that is no token. */
T_API const char *tiktoken_decode(const tiktoken_Encoding *enc, const Tensor *ids);
/* enc.decode_bytes(ids): *size bytes, owned by the scope, and a zero after them */
T_API const void *tiktoken_decode_bytes(const tiktoken_Encoding *enc, const Tensor *ids, size_t *size);
/* enc.decode_single_token_bytes(id); size may be NULL */
T_API const void *tiktoken_decode_single_token_bytes(const tiktoken_Encoding *enc, int64_t id, size_t *size);

T_END_DECLS
#endif
