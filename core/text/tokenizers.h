/* core/text/tokenizers.h: the package tokenizers: byte-level BPE, used and trained; and transformers' GPT2Tokenizer
 * (public).
 *
 *     tokenizer = GPT2Tokenizer_from_pretrained("gpt2");            GPT2Tokenizer.from_pretrained("gpt2")
 *     ids = tokenizers_encode(tokenizer, "hello world");            tokenizer.encode("hello world").ids
 *     puts(tokenizers_decode(tokenizer, ids));                      print(tokenizer.decode(ids))
 *
 *     tokenizer = tokenizers_ByteLevelBPETokenizer();               tokenizer = ByteLevelBPETokenizer()
 *     tokenizers_train(tokenizer, t_strings("book.txt"), .vocab_size = 1000, .special_tokens = t_strings("<|end|>"));
 *     tokenizers_save_model(tokenizer, "folder", NULL);             tokenizer.save_model("folder")
 *
 * Ids, merges and files are those of tokenizers 0.23. An Encoding is the tensor of its ids, (n) of int64. Special
 * tokens are found in every text. Bytes that are not UTF-8 count as characters that are neither letters, numbers nor
 * white space, so that decoding gives them back (a str of Python cannot hold them). */
#ifndef TAPEGRAD_CORE_TEXT_TOKENIZERS_H
#define TAPEGRAD_CORE_TEXT_TOKENIZERS_H

#include "core/text/string_list.h"

T_BEGIN_DECLS

/* tokenizers.Tokenizer, ByteLevelBPETokenizer, transformers.GPT2Tokenizer. The fields are read-only. */
typedef struct tokenizers_Tokenizer {
    t_Object object;
    struct tg_Bpe *bpe;
    int64_t eos_token_id; /* of <|endoftext|>, if it is a special token; else -1 */
} tokenizers_Tokenizer;

/* GPT2Tokenizer.from_pretrained(folder): reads vocab.json and merges.txt there, or tokenizer.json if these are missing;
 * <|endoftext|> is a special token. Nothing is downloaded. Errors: a missing file, with the address that it comes from;
 * a broken one, with its line or byte. */
T_API tokenizers_Tokenizer *GPT2Tokenizer_from_pretrained(const char *folder);
/* Tokenizer.from_file(path): a tokenizer.json whose model is BPE and whose pre_tokenizer is ByteLevel. Errors: it is
 * broken; it has anything else (a normalizer, another post_processor, ...). */
T_API tokenizers_Tokenizer *tokenizers_Tokenizer_from_file(const char *path);

typedef struct tokenizers_ByteLevelBPETokenizerOptions {
    uint32_t size;              /* sizeof(tokenizers_ByteLevelBPETokenizerOptions) */
    const char *vocab, *merges; /* files; NULL: an empty tokenizer, to be trained */
    bool add_prefix_space;      /* false: true puts a blank before a text that does not begin with one */
} tokenizers_ByteLevelBPETokenizerOptions;
/* ByteLevelBPETokenizer(vocab, merges, add_prefix_space) */
T_API tokenizers_Tokenizer *
tokenizers_ByteLevelBPETokenizer_new(const tokenizers_ByteLevelBPETokenizerOptions *options);

/* tokenizer.encode(text).ids; of so many bytes, any, also zeros */
T_API Tensor *tokenizers_encode(const tokenizers_Tokenizer *tokenizer, const char *text);
T_API Tensor *tokenizers_encode_bytes(const tokenizers_Tokenizer *tokenizer, const void *bytes, size_t size);
/* tokenizer.encode(text).tokens, transformers' tokenizer.tokenize(text): a byte is named by a character, " " by
 * "\u0120" */
T_API t_StringList *tokenizers_tokenize(const tokenizers_Tokenizer *tokenizer, const char *text);
/* tokenizer.decode(ids, skip_special_tokens): ids is a tensor of integers; those that are no token are passed over.
 * Bytes that are not UTF-8 become U+FFFD. The macro's default is true, as of tokenizers (transformers' is false). */
T_API const char *tokenizers_decode(const tokenizers_Tokenizer *tokenizer, const Tensor *ids, bool skip_special_tokens);
/* The bytes themselves: *size of them, owned by the scope, and a zero after them. */
T_API const void *tokenizers_decode_bytes(const tokenizers_Tokenizer *tokenizer, const Tensor *ids, size_t *size);

T_API int64_t tokenizers_get_vocab_size(const tokenizers_Tokenizer *tokenizer); /* tokenizer.get_vocab_size() */
T_API int64_t tokenizers_token_to_id(const tokenizers_Tokenizer *tokenizer, const char *token); /* -1: Python's None */
T_API const char *tokenizers_id_to_token(const tokenizers_Tokenizer *tokenizer, int64_t id);    /* NULL: None */
/* tokenizer.add_special_tokens(tokens): those that are no token yet get the next ids. Returns the number of these; -1
 * on an error. */
T_API int64_t tokenizers_add_special_tokens(tokenizers_Tokenizer *tokenizer, const t_StringList *tokens);

/* BpeTrainer's, with initial_alphabet = ByteLevel.alphabet() */
typedef struct tokenizers_TrainOptions {
    uint32_t size;                      /* sizeof(tokenizers_TrainOptions) */
    int64_t vocab_size;                 /* 30000: with bytes and special tokens */
    int64_t min_frequency;              /* 2: a pair that occurs less often is not merged */
    const t_StringList *special_tokens; /* NULL: none; they get the first ids */
} tokenizers_TrainOptions;
/* tokenizer.train(files, vocab_size, min_frequency, special_tokens), line by line; and of texts that are given, each by
 * itself (train_from_iterator). What the tokenizer knew before is gone. */
T_API bool tokenizers_train(tokenizers_Tokenizer *tokenizer, const t_StringList *files,
                            const tokenizers_TrainOptions *options);
T_API bool tokenizers_train_from_iterator(tokenizers_Tokenizer *tokenizer, const t_StringList *texts,
                                          const tokenizers_TrainOptions *options);

/* tokenizer.save(path, pretty=True): tokenizer.json, which Tokenizer.from_file and transformers read; the same bytes as
 * those of a ByteLevelBPETokenizer. */
T_API bool tokenizers_save(const tokenizers_Tokenizer *tokenizer, const char *path, bool pretty);
/* tokenizer.save_model(folder, prefix): vocab.json and merges.txt, after "prefix-" unless prefix is NULL, the same
 * bytes as tokenizers writes. Each is complete or unchanged. */
T_API bool tokenizers_save_model(const tokenizers_Tokenizer *tokenizer, const char *folder, const char *prefix);

T_END_DECLS
#endif
