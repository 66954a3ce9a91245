/* core/text/torchtext.h: torchtext's vocabularies, tokenizer and WikiText (public).
 *
 *     train_iter = WikiText2(root, split="train")
 *     tokenizer = get_tokenizer("basic_english")
 *     vocab = build_vocab_from_iterator(map(tokenizer, train_iter), specials=["<unk>"])
 *     vocab.set_default_index(vocab["<unk>"])
 *     ids = torch.tensor(vocab(tokenizer(line)))
 *
 * is
 *
 *     t_StringList *train_iter = datasets_WikiText2(root, "train");
 *     torchtext_Tokenizer tokenizer = torchtext_get_tokenizer("basic_english");
 *     torchtext_Map map = {tokenizer, train_iter, 0};
 *     torchtext_Vocab *vocab = torchtext_build_vocab_from_iterator(torchtext_map_next, .context = &map,
 *                                                                  .specials = t_strings("<unk>"));
 *     torchtext_set_default_index(vocab, torchtext_vocab_get(vocab, "<unk>"));
 *     Tensor *ids = torchtext_lookup_indices(vocab, tokenizer(line)); */
#ifndef TAPEGRAD_CORE_TEXT_TORCHTEXT_H
#define TAPEGRAD_CORE_TEXT_TORCHTEXT_H

#include "core/tensor/api.h"
#include "core/text/string_list.h"

T_BEGIN_DECLS

/* ---- tokenizers ---- */

/* A text's tokens, a list of the current scope; NULL with an error. */
typedef t_StringList *(*torchtext_Tokenizer)(const char *text);
/* torchtext.data.get_tokenizer("basic_english"): small letters; ' . , ( ) ! ? are tokens; double quotes are dropped, ;
 * : and <br /> end a token as white space does. NULL: str.split(). The other names need packages of Python's: an
 * error. (Small letters are those of Unicode 16.0 that are one character; of a sigma at the end of a word Python makes
 * another one.) */
T_API torchtext_Tokenizer torchtext_get_tokenizer(const char *tokenizer);
/* list(torchtext.data.ngrams_iterator(tokens, ngrams)): the tokens, then each two neighbours with a blank between, ...
 */
T_API t_StringList *torchtext_ngrams_iterator(const t_StringList *tokens, int64_t ngrams);

/* ---- vocabularies ---- */

/* torchtext.vocab.Vocab. The fields are read-only. */
typedef struct torchtext_Vocab {
    t_Object object;
    t_StringList *itos;    /* vocab.get_itos() */
    int64_t default_index; /* vocab.get_default_index(); T_NONE: Python's None */
    uint32_t *table;       /* indices by a hash of the token */
    size_t table_size;
} torchtext_Vocab;

typedef struct torchtext_VocabOptions {
    uint32_t size;                /* sizeof(torchtext_VocabOptions) */
    int64_t min_freq;             /* 1: tokens that occur less often are left out */
    const t_StringList *specials; /* NULL: none; tokens that are in it keep no other place */
    bool special_first;           /* true: they come before the others; else after them */
    int64_t max_tokens; /* T_NONE: all; else the max_tokens - len(specials) most frequent ones. Not of vocab. */
    void *context;      /* passed to the iterator. Not of vocab. */
} torchtext_VocabOptions;

/* torchtext.vocab.vocab(ordered_dict, min_freq, specials, special_first): tokens and how often each occurs (NULL: once
 * each), in this order. Error: a token twice. */
T_API torchtext_Vocab *torchtext_vocab_new(const t_StringList *tokens, const int64_t *counts,
                                           const torchtext_VocabOptions *options);
/* The next list of tokens; NULL at the end, or with an error. */
typedef t_StringList *(*torchtext_Iterator)(void *context);
/* torchtext.vocab.build_vocab_from_iterator(iterator, min_freq, specials, special_first, max_tokens): by descending
 * frequency, then by the order of the characters. */
T_API torchtext_Vocab *torchtext_build_vocab_from_iterator_new(torchtext_Iterator iterator,
                                                               const torchtext_VocabOptions *options);
/* map(tokenizer, texts) as an iterator: torchtext_map_next with .context = &map; `next` is 0 at first. */
typedef struct torchtext_Map {
    torchtext_Tokenizer tokenizer;
    const t_StringList *texts;
    int64_t next;
} torchtext_Map;
T_API t_StringList *torchtext_map_next(void *map);

T_API int64_t torchtext_vocab_len(const torchtext_Vocab *vocab);                      /* len(vocab) */
T_API bool torchtext_vocab_contains(const torchtext_Vocab *vocab, const char *token); /* token in vocab */
/* vocab[token]; -1 with an error if it is not there and no default index is set (a default index of -1 is no error) */
T_API int64_t torchtext_vocab_get(const torchtext_Vocab *vocab, const char *token);
T_API bool torchtext_set_default_index(torchtext_Vocab *vocab, int64_t index); /* T_NONE: None */
/* vocab(tokens): (n), int64 */
T_API Tensor *torchtext_lookup_indices(const torchtext_Vocab *vocab, const t_StringList *tokens);
T_API const char *torchtext_lookup_token(const torchtext_Vocab *vocab, int64_t index);
T_API t_StringList *torchtext_lookup_tokens(const torchtext_Vocab *vocab, const Tensor *indices);
/* Errors: the token is there; an index that is not from 0 to len(vocab). Those behind it move up. */
T_API bool torchtext_insert_token(torchtext_Vocab *vocab, const char *token, int64_t index);
T_API bool torchtext_append_token(torchtext_Vocab *vocab, const char *token);

/* ---- data ---- */

/* torchtext.datasets.WikiText2(root, split): the lines of wiki.train.tokens ("train"), wiki.valid.tokens ("valid") or
 * wiki.test.tokens ("test"), with their newlines, from root, root/wikitext-2 or root/datasets/WikiText2/wikitext-2.
 * Nothing is downloaded: the error says where the files come from. WikiText103: the same. */
T_API t_StringList *datasets_WikiText2(const char *root, const char *split);
T_API t_StringList *datasets_WikiText103(const char *root, const char *split);

T_END_DECLS
#endif
