/* tests/programs/guide_text.c: the C lines of the table "Texts and tokens" in examples/PORTING.md, with a small
 * vocabulary in place of GPT-2's. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "core/text/text.h"
#include "tests/programs/guide.h"

static void expect(const char *what, bool holds) {
    if (holds) return;
    fprintf(stderr, "guide_text: %s differs\n", what);
    exit(EXIT_FAILURE);
}

static void with_tiktoken(const char *text) {
    tiktoken_Encoding *enc = tiktoken_get_encoding("gpt2");
    Tensor *ids = tiktoken_encode(enc, text, .allowed_special = "all");
    expect("a text", strcmp(tiktoken_decode(enc, ids), text) == 0);
    expect("the end", t_item_int64(t_at(ids, "-1")) == enc->eot_token && enc->n_vocab > enc->eot_token);
    tiktoken_encode_ordinary(enc, text);
}

static void with_tokenizers(const char *text) {
    tokenizers_Tokenizer *tok = GPT2Tokenizer_from_pretrained("gpt2");
    Tensor *ids = tokenizers_encode(tok, text);
    expect("a text", strcmp(tokenizers_decode(tok, ids, .skip_special_tokens = false), text) == 0);
    expect("tokenizer.json", t_equal(ids, tokenizers_encode(tokenizers_Tokenizer_from_file("tokenizer.json"), text)));
    t_StringList *tokens = tokenizers_tokenize(tok, text);
    puts(t_strings_join(" ", tokens));
    tok = tokenizers_ByteLevelBPETokenizer();
    tokenizers_train(tok, t_strings("book.txt"), .vocab_size = 5000, .special_tokens = t_strings("<pad>"));
    tokenizers_save_model(tok, "folder", NULL);
    tokenizers_save(tok, "folder/tokenizer.json");
}

static void with_torchtext(const char *root) {
    t_StringList *train_iter = datasets_WikiText2(root, "train");
    torchtext_Tokenizer tokenizer = torchtext_get_tokenizer("basic_english");
    torchtext_Map map = {tokenizer, train_iter, 0};
    torchtext_Vocab *vocab;
    vocab = torchtext_build_vocab_from_iterator(torchtext_map_next, .context = &map, .specials = t_strings("<unk>"));
    torchtext_set_default_index(vocab, torchtext_vocab_get(vocab, "<unk>"));
    const char *line = t_strings_get(train_iter, 0);
    expect("an unknown word", t_item_int64(torchtext_lookup_indices(vocab, tokenizer("xyzzy"))) == 0);
    expect("a known one", t_item_int64(t_at(torchtext_lookup_indices(vocab, tokenizer(line)), "0")) > 0);
    puts(torchtext_lookup_token(vocab, 3));
}

int main(void) {
    const char *text = "the people of the world<|endoftext|>";
    expect("setup", system("mkdir -p build/guide_text/folder && cd build/guide_text && "
                           "cp -r ../../tests/golden/files/bpe/. . && mkdir -p gpt2 && cp *.json merges.txt gpt2/ && "
                           "cp corpus.txt book.txt") == 0);
    expect("the folder", chdir("build/guide_text") == 0 && setenv("TIKTOKEN_CACHE_DIR", "gpt2", 1) == 0);
    with_tiktoken(text);
    with_tokenizers(text);
    expect("wikitext", system("cp book.txt wiki.train.tokens") == 0);
    with_torchtext(".");
    return 0;
}
