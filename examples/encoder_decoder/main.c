/* examples/encoder_decoder: encoder and decoder blocks, and the Transformer they make ("The Transformer in PyTorch
 * (2)", tutorial 001).
 *
 * Difficulty: **     Read first: notebook     Read next: train_classifier
 *
 * attention.c has what the tutorial brings from the article before it, blocks.c its own classes, transformer.c what its
 * text describes without showing. It has no demonstration; this file shows, at the sizes of "Attention Is All You
 * Need", what its text claims: the sizes, that no target position sees a later one, that padding of the source changes
 * nothing, what becomes of a query with nothing to look at, and what the last linear layer and softmax make of it all:
 * the next token. */
#include <stdio.h>

#include "encoder_decoder.h"
#include "examples/example.h"

/* print(tuple(x.shape)) */
static const char *shape_tuple(Tensor *x) {
    const char *sizes = strchr(t_size_repr(x), '[') + 1;
    return t_format("(%.*s)", (int)strcspn(sizes, "]"), sizes);
}

static double largest_difference(Tensor *a, Tensor *b) {
    return t_item(t_max(t_abs(t_sub(a, b))));
}

typedef struct Batch {
    Tensor *src, *tgt, *src_mask, *tgt_mask; /* token ids (B, S) and (B, T), and their masks */
    Tensor *enc, *dec, *logits;  /* what the model makes of them: (B, S, D), (B, T, D), (B, T, tgt_vocab) */
} Batch;

static void show_sizes(Transformer *model, const Batch *batch) {
    t_print("parameters of an encoder block:", nn_count_parameters(nn_get(model->encoder->encoder_blocks, 0), false));
    t_print("parameters of a decoder block:", nn_count_parameters(nn_get(model->decoder->decoder_blocks, 0), false));
    printf("parameters of the encoder: %d of the decoder: %d of all: %d\n",
           (int)nn_count_parameters(model->encoder, false), (int)nn_count_parameters(model->decoder, false),
           (int)nn_count_parameters(model, false));
    printf("source mask %s target mask %s\n", shape_tuple(batch->src_mask), shape_tuple(batch->tgt_mask));
    printf("encoder output %s\ndecoder output %s\nlogits %s\n", t_size_repr(batch->enc), t_size_repr(batch->dec),
           t_size_repr(batch->logits));
}

/* Another token at target position 5 must leave the positions before it alone. */
static void show_causality(Transformer *model, const Batch *batch, int64_t tgt_vocab) {
    Tensor *tgt2 = t_clone(batch->tgt);
    t_set(tgt2, "0, 5", t_add(t_remainder(t_at(tgt2, "0, 5"), tgt_vocab - 1), 1));
    Tensor *dec2 = decoder_call(model->decoder, tgt2, batch->enc, batch->src_mask, make_tgt_mask(tgt2, 0));
    Tensor *d = t_at(t_amax(t_abs(t_sub(batch->dec, dec2)), -1), "0");
    printf("target token 5 changed, largest difference at each target position:\n");
    print_rounded(d, 6);
}

/* Another token where the source is padded must change nothing that counts. */
static void show_padding(Transformer *model, const Batch *batch) {
    Tensor *src2 = t_clone(batch->src);
    t_set(src2, "1, 10", 7);
    Tensor *enc2 = encoder_call(model->encoder, src2, batch->src_mask);
    double rows = largest_difference(t_at(batch->enc, "1, :8"), t_at(enc2, "1, :8"));
    Tensor *dec2 = decoder_call(model->decoder, batch->tgt, enc2, batch->src_mask, batch->tgt_mask);
    double decoded = largest_difference(dec2, batch->dec);
    printf("padding changed, largest difference in the encoder's other rows: %s\nin the decoder: %s\n",
           float_repr(rows), float_repr(decoded));
}

/* Queries with nothing to look at: NaN as the tutorial hides, weights 0 with --fixed. */
static void show_hidden_rows(Transformer *model, const Batch *batch) {
    Tensor *allm = t_ones(t_size(batch->src, 0), 1, 1, t_size(batch->src, 1), .dtype = t_bool);
    bool nan = t_is_true(t_any(t_isnan(encoder_call(model->encoder, batch->src, allm))));
    EncoderBlock *block = nn_get(model->encoder->encoder_blocks, 0);
    printf("all keys hidden -> NaN: %s (%s)\n", nan ? "True" : "False", fixed ? "--fixed" : "as the tutorial has it");
    printf("the attention weights then: %s\n", float_repr(t_item(t_max(block->mha->attention->weights))));
}

/* The last linear layer and softmax. */
static void show_next_token(Transformer *model, const Batch *batch) {
    Tensor *next;
    Tensor *probabilities = t_softmax(t_at(batch->logits, "0, -1"), -1);
    Tensor *probability = t_max(probabilities, -1, .indices = &next);
    printf("probabilities of what follows the first target: %s,\nin all %.4f\n", t_size_repr(probabilities),
           t_item(t_sum(probabilities)));
    printf("the most likely next token: %d with probability %.6f\n", (int)t_item_int64(next), t_item(probability));
    printf("greedy decoding from token 1:\n");
    t_print(transformer_greedy_decode(model, batch->src, 1, 8, batch->src_mask));
}

int main(int argc, char **argv) {
    Example example = example_options(argc, argv, "encoder and decoder blocks, and the Transformer they make");
    fixed = example.fixed;
    int64_t src_vocab = 1000, tgt_vocab = 1200, b = 2, s = 12, t = 9;
    Batch batch;
    t_manual_seed(42);
    Transformer *model = transformer(src_vocab, tgt_vocab);
    batch.src = t_randint(1, src_vocab, b, s);
    batch.tgt = t_randint(1, tgt_vocab, b, t);
    t_set(batch.src, "1, 8:", 0);
    t_set(batch.tgt, "1, 7:", 0);
    nn_eval(model);
    batch.src_mask = make_src_mask(batch.src, 0);
    batch.tgt_mask = make_tgt_mask(batch.tgt, 0);
    batch.enc = encoder_call(model->encoder, batch.src, batch.src_mask);
    batch.dec = decoder_call(model->decoder, batch.tgt, batch.enc, batch.src_mask, batch.tgt_mask);
    batch.logits = nn_call(model->generator, batch.dec);
    show_sizes(model, &batch);
    show_causality(model, &batch, tgt_vocab);
    show_padding(model, &batch);
    show_hidden_rows(model, &batch);
    show_next_token(model, &batch);
    return 0;
}
