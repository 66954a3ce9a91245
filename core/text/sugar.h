/* core/text/sugar.h: the macros for core/text (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_TEXT_SUGAR_H
#define TAPEGRAD_CORE_TEXT_SUGAR_H
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "core/text/string_list.h"
#include "core/text/tiktoken.h"
#include "core/text/tokenizers.h"
#include "core/text/torchtext.h"

/* ---- lists of strings ---- */

/* t_strings("a", "b"): ["a", "b"] */
#define t_strings(...) T_BEGIN_("t_strings(" #__VA_ARGS__ ")") const char *const t__i[] = {"", __VA_ARGS__}; \
    T_END_(t_StringList *, t_strings_new(t__i + 1, (int64_t)(sizeof t__i / sizeof *t__i) - 1))
#define t_strings_append(list, text) T_BEGIN_("t_strings_append(" #list ", " #text ")") \
    t_StringList *t__l = (list); const char *t__p = (text); T_END_(bool, (t_strings_append)(t__l, t__p))
#define t_strings_get(list, index) T_BEGIN_("t_strings_get(" #list ", " #index ")") \
    const t_StringList *t__l = (list); const int64_t t__i = (index); T_END_(const char *, (t_strings_get)(t__l, t__i))
#define t_strings_join(separator, list) T_BEGIN_("t_strings_join(" #separator ", " #list ")") \
    const char *t__p = (separator); const t_StringList *t__l = (list); \
    T_END_(const char *, (t_strings_join)(t__p, t__l))

/* ---- tiktoken ---- */

#define TIKTOKEN_NAMED_(f, name) T_BEGIN_(#f "(" #name ")") const char *t__p = (name); \
    T_END_(tiktoken_Encoding *, (f)(t__p))
#define tiktoken_get_encoding(encoding_name) TIKTOKEN_NAMED_(tiktoken_get_encoding, encoding_name)
#define tiktoken_encoding_for_model(model_name) TIKTOKEN_NAMED_(tiktoken_encoding_for_model, model_name)
/* tiktoken_encode(enc, text, .allowed_special = "<|endoftext|>") */
#define tiktoken_encode(enc, ...) T_BEGIN_("tiktoken_encode(" #enc ", " #__VA_ARGS__ ")") \
    const tiktoken_Encoding *t__e = (enc); const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(tiktoken_EncodeOptions, t__o, .size = sizeof t__o, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (tiktoken_encode)(t__e, t__p, &t__o))
#define tiktoken_encode_ordinary(enc, text) T_BEGIN_("tiktoken_encode_ordinary(" #enc ", " #text ")") \
    const tiktoken_Encoding *t__e = (enc); const char *t__p = (text); \
    T_END_(Tensor *, (tiktoken_encode_ordinary)(t__e, t__p))
#define tiktoken_encode_bytes(enc, bytes, size) \
    T_BEGIN_("tiktoken_encode_bytes(" #enc ", " #bytes ", " #size ")") const tiktoken_Encoding *t__e = (enc); \
    const void *t__p = (bytes); const size_t t__n = (size); \
    T_END_(Tensor *, (tiktoken_encode_bytes)(t__e, t__p, t__n))
#define tiktoken_encode_single_token(enc, text) T_BEGIN_("tiktoken_encode_single_token(" #enc ", " #text ")") \
    const tiktoken_Encoding *t__e = (enc); const char *t__p = (text); \
    T_END_(int64_t, (tiktoken_encode_single_token)(t__e, t__p))
#define tiktoken_decode(enc, ids) T_BEGIN_("tiktoken_decode(" #enc ", " #ids ")") \
    const tiktoken_Encoding *t__e = (enc); T_READ_TENSOR_(t__a, (ids)) \
    T_END_(const char *, (tiktoken_decode)(t__e, t__a))
#define tiktoken_decode_bytes(enc, ids, size) T_BEGIN_("tiktoken_decode_bytes(" #enc ", " #ids ", " #size ")") \
    const tiktoken_Encoding *t__e = (enc); T_READ_TENSOR_(t__a, (ids)) size_t *t__n = (size); \
    T_END_(const void *, (tiktoken_decode_bytes)(t__e, t__a, t__n))
#define tiktoken_decode_single_token_bytes(enc, id, size) \
    T_BEGIN_("tiktoken_decode_single_token_bytes(" #enc ", " #id ", " #size ")") \
    const tiktoken_Encoding *t__e = (enc); const int64_t t__i = (id); size_t *t__n = (size); \
    T_END_(const void *, (tiktoken_decode_single_token_bytes)(t__e, t__i, t__n))

/* ---- tokenizers ---- */

#define TOKENIZERS_PATH_(f, path) T_BEGIN_(#f "(" #path ")") const char *t__p = (path); \
    T_END_(tokenizers_Tokenizer *, (f)(t__p))
#define GPT2Tokenizer_from_pretrained(folder) TOKENIZERS_PATH_(GPT2Tokenizer_from_pretrained, folder)
#define tokenizers_Tokenizer_from_file(path) TOKENIZERS_PATH_(tokenizers_Tokenizer_from_file, path)
/* tokenizers_ByteLevelBPETokenizer("vocab.json", "merges.txt"), tokenizers_ByteLevelBPETokenizer() */
#define tokenizers_ByteLevelBPETokenizer(...) T_BEGIN_("tokenizers_ByteLevelBPETokenizer(" #__VA_ARGS__ ")") \
    T_OPTIONS_(tokenizers_ByteLevelBPETokenizerOptions, t__o, .size = sizeof t__o, __VA_ARGS__) \
    T_END_(tokenizers_Tokenizer *, tokenizers_ByteLevelBPETokenizer_new(&t__o))
#define tokenizers_encode(tokenizer, text) T_BEGIN_("tokenizers_encode(" #tokenizer ", " #text ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const char *t__p = (text); \
    T_END_(Tensor *, (tokenizers_encode)(t__t, t__p))
#define tokenizers_encode_bytes(tokenizer, bytes, size) \
    T_BEGIN_("tokenizers_encode_bytes(" #tokenizer ", " #bytes ", " #size ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const void *t__p = (bytes); const size_t t__n = (size); \
    T_END_(Tensor *, (tokenizers_encode_bytes)(t__t, t__p, t__n))
#define tokenizers_tokenize(tokenizer, text) T_BEGIN_("tokenizers_tokenize(" #tokenizer ", " #text ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const char *t__p = (text); \
    T_END_(t_StringList *, (tokenizers_tokenize)(t__t, t__p))
/* tokenizers_decode(tokenizer, ids, .skip_special_tokens = false) */
#define tokenizers_decode(tokenizer, ...) T_BEGIN_("tokenizers_decode(" #tokenizer ", " #__VA_ARGS__ ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); T_READ_TENSOR_(t__a, (T_HEAD_(__VA_ARGS__))) \
    T_OPTIONS_(tokenizers_DecodeArguments_, t__o, .skip_special_tokens = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(const char *, (tokenizers_decode)(t__t, t__a, t__o.skip_special_tokens))
typedef struct tokenizers_DecodeArguments_ {
    int first_;
    bool skip_special_tokens;
} tokenizers_DecodeArguments_;
#define tokenizers_decode_bytes(tokenizer, ids, size) \
    T_BEGIN_("tokenizers_decode_bytes(" #tokenizer ", " #ids ", " #size ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); T_READ_TENSOR_(t__a, (ids)) size_t *t__n = (size); \
    T_END_(const void *, (tokenizers_decode_bytes)(t__t, t__a, t__n))
#define tokenizers_get_vocab_size(tokenizer) T_BEGIN_("tokenizers_get_vocab_size(" #tokenizer ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); T_END_(int64_t, (tokenizers_get_vocab_size)(t__t))
#define tokenizers_token_to_id(tokenizer, token) T_BEGIN_("tokenizers_token_to_id(" #tokenizer ", " #token ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const char *t__p = (token); \
    T_END_(int64_t, (tokenizers_token_to_id)(t__t, t__p))
#define tokenizers_id_to_token(tokenizer, id) T_BEGIN_("tokenizers_id_to_token(" #tokenizer ", " #id ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const int64_t t__i = (id); \
    T_END_(const char *, (tokenizers_id_to_token)(t__t, t__i))
#define tokenizers_add_special_tokens(tokenizer, tokens) \
    T_BEGIN_("tokenizers_add_special_tokens(" #tokenizer ", " #tokens ")") \
    tokenizers_Tokenizer *t__t = (tokenizer); const t_StringList *t__l = (tokens); \
    T_END_(int64_t, (tokenizers_add_special_tokens)(t__t, t__l))
#define TOKENIZERS_TRAIN_(f, text, tokenizer, ...) T_BEGIN_(text) \
    tokenizers_Tokenizer *t__t = (tokenizer); const t_StringList *t__l = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(tokenizers_TrainOptions, t__o, .size = sizeof t__o, .vocab_size = 30000, .min_frequency = 2, .size = \
        sizeof t__o, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (f)(t__t, t__l, &t__o))
/* tokenizers_train(tokenizer, t_strings("book.txt"), .vocab_size = 1000, .min_frequency = 2) */
#define tokenizers_train(tokenizer, ...) TOKENIZERS_TRAIN_(tokenizers_train, \
    "tokenizers_train(" #tokenizer ", " #__VA_ARGS__ ")", tokenizer, __VA_ARGS__)
#define tokenizers_train_from_iterator(tokenizer, ...) TOKENIZERS_TRAIN_(tokenizers_train_from_iterator, \
    "tokenizers_train_from_iterator(" #tokenizer ", " #__VA_ARGS__ ")", tokenizer, __VA_ARGS__)
#define tokenizers_save_model(tokenizer, folder, prefix) \
    T_BEGIN_("tokenizers_save_model(" #tokenizer ", " #folder ", " #prefix ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const char *t__p = (folder); const char *t__q = (prefix); \
    T_END_(bool, (tokenizers_save_model)(t__t, t__p, t__q))
/* tokenizers_save(tokenizer, "tokenizer.json"), tokenizers_save(tokenizer, "tokenizer.json", .pretty = false) */
typedef struct tokenizers_SaveArguments_ { int first_; bool pretty; } tokenizers_SaveArguments_;
#define tokenizers_save(tokenizer, ...) T_BEGIN_("tokenizers_save(" #tokenizer ", " #__VA_ARGS__ ")") \
    const tokenizers_Tokenizer *t__t = (tokenizer); const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(tokenizers_SaveArguments_, t__o, .pretty = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tokenizers_save)(t__t, t__p, t__o.pretty))

/* ---- torchtext ---- */

#define torchtext_get_tokenizer(tokenizer) T_BEGIN_("torchtext_get_tokenizer(" #tokenizer ")") \
    const char *t__p = (tokenizer); T_END_(torchtext_Tokenizer, (torchtext_get_tokenizer)(t__p))
#define torchtext_ngrams_iterator(tokens, ngrams) T_BEGIN_("torchtext_ngrams_iterator(" #tokens ", " #ngrams ")") \
    const t_StringList *t__l = (tokens); const int64_t t__i = (ngrams); \
    T_END_(t_StringList *, (torchtext_ngrams_iterator)(t__l, t__i))
#define TORCHTEXT_DEFAULTS_ .size = sizeof(torchtext_VocabOptions), .special_first = true, .max_tokens = T_NONE, \
    .min_freq = 1, .size = sizeof(torchtext_VocabOptions)
/* torchtext_vocab(tokens, counts, .specials = t_strings("<unk>")); counts: int64_t *, or NULL */
#define torchtext_vocab(tokens, ...) T_BEGIN_("torchtext_vocab(" #tokens ", " #__VA_ARGS__ ")") \
    const t_StringList *t__l = (tokens); const int64_t *t__c = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(torchtext_VocabOptions, t__o, TORCHTEXT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(torchtext_Vocab *, torchtext_vocab_new(t__l, t__c, &t__o))
/* torchtext_build_vocab_from_iterator(torchtext_map_next, .context = &map, .specials = t_strings("<unk>")) */
#define torchtext_build_vocab_from_iterator(...) \
    T_BEGIN_("torchtext_build_vocab_from_iterator(" #__VA_ARGS__ ")") \
    const torchtext_Iterator t__f = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(torchtext_VocabOptions, t__o, TORCHTEXT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(torchtext_Vocab *, torchtext_build_vocab_from_iterator_new(t__f, &t__o))
#define TORCHTEXT_OF_(type, f, text, vocab, kind, argument) T_BEGIN_(text) torchtext_Vocab *t__v = (vocab); \
    kind t__x = (argument); T_END_(type, (f)(t__v, t__x))
#define torchtext_vocab_len(vocab) T_BEGIN_("torchtext_vocab_len(" #vocab ")") \
    const torchtext_Vocab *t__v = (vocab); T_END_(int64_t, (torchtext_vocab_len)(t__v))
#define torchtext_vocab_contains(vocab, token) TORCHTEXT_OF_(bool, torchtext_vocab_contains, \
    "torchtext_vocab_contains(" #vocab ", " #token ")", vocab, const char *, token)
#define torchtext_vocab_get(vocab, token) TORCHTEXT_OF_(int64_t, torchtext_vocab_get, \
    "torchtext_vocab_get(" #vocab ", " #token ")", vocab, const char *, token)
#define torchtext_set_default_index(vocab, index) TORCHTEXT_OF_(bool, torchtext_set_default_index, \
    "torchtext_set_default_index(" #vocab ", " #index ")", vocab, const int64_t, index)
#define torchtext_lookup_indices(vocab, tokens) TORCHTEXT_OF_(Tensor *, torchtext_lookup_indices, \
    "torchtext_lookup_indices(" #vocab ", " #tokens ")", vocab, const t_StringList *, tokens)
#define torchtext_lookup_token(vocab, index) TORCHTEXT_OF_(const char *, torchtext_lookup_token, \
    "torchtext_lookup_token(" #vocab ", " #index ")", vocab, const int64_t, index)
#define torchtext_lookup_tokens(vocab, indices) TORCHTEXT_OF_(t_StringList *, torchtext_lookup_tokens, \
    "torchtext_lookup_tokens(" #vocab ", " #indices ")", vocab, const Tensor *, indices)
#define torchtext_append_token(vocab, token) TORCHTEXT_OF_(bool, torchtext_append_token, \
    "torchtext_append_token(" #vocab ", " #token ")", vocab, const char *, token)
#define torchtext_insert_token(vocab, token, index) \
    T_BEGIN_("torchtext_insert_token(" #vocab ", " #token ", " #index ")") torchtext_Vocab *t__v = (vocab); \
    const char *t__p = (token); const int64_t t__i = (index); T_END_(bool, (torchtext_insert_token)(t__v, t__p, t__i))
#define DATASETS_TEXT_(f, text, root, split) T_BEGIN_(text) const char *t__p = (root), *t__q = (split); \
    T_END_(t_StringList *, (f)(t__p, t__q))
#define datasets_WikiText2(root, split) DATASETS_TEXT_(datasets_WikiText2, \
    "datasets_WikiText2(" #root ", " #split ")", root, split)
#define datasets_WikiText103(root, split) DATASETS_TEXT_(datasets_WikiText103, \
    "datasets_WikiText103(" #root ", " #split ")", root, split)

#endif
