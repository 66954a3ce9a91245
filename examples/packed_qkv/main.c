/* examples/packed_qkv: an encoder with one projection for queries, keys and values, einsum and GELU, and a mistake in
 * it that all shapes accept ("The Transformer encoder by hand, line by line", tutorial 003). encoder.c has the classes;
 * this file runs them and finds the mistake.
 *
 * Difficulty: **     Read first: attention_page     Read next: notebook
 *
 *     packed_qkv             as the tutorial has it: each token attends to nothing but itself
 *     packed_qkv --fixed     repaired: what encoder.c does is then PyTorch's own nn.TransformerEncoderLayer */
#include <stdio.h>

#include "examples/example.h"
#include "packed_qkv.h"

/* ---- 5. a run at full size ---- */

static TransformerEncoder *demo(void) {
    int64_t vocab_size = 10000;
    int64_t embed_size = 512;
    int64_t layers = 6;
    int64_t heads = 8;
    TransformerEncoder *encoder = transformer_encoder(vocab_size, embed_size, layers, heads, 0.1);
    /* 32 sentences of 50 random tokens, in training mode, as a new module is: dropout is on */
    Tensor *x = t_randint(0, vocab_size, 32, 50);
    Tensor *output = transformer_encoder_call(encoder, x, NULL);
    t_print("output shape:", t_size_repr(output));
    return encoder;
}

/* ---- which tokens see each other ---- */

/* Two sentences that differ in one token only: in an encoder every output must differ. As the tutorial has it only the
 * output of that token does: attention runs over the heads. */
static void show_token_mixing(void) {
    t_manual_seed(42);
    TransformerEncoder *enc = nn_eval(transformer_encoder(100, 32, 2, 4, 0.1));
    Tensor *x = t_randint(0, 100, 1, 6);
    Tensor *y = t_clone(x);
    t_set(y, "0, 2", t_remainder(t_add(t_at(y, "0, 2"), 1), 100));
    Tensor *d = t_at(
        t_amax(t_abs(t_sub(transformer_encoder_call(enc, x, NULL), transformer_encoder_call(enc, y, NULL))), -1), "0");
    printf("%s, largest change at each position after token 2 changed:\n",
           fixed ? "--fixed" : "as the tutorial has it");
    print_rounded(d, 5);
}

int main(int argc, char **argv) {
    fixed = example_options(argc, argv, "an encoder with one projection for queries, keys and values").fixed;
    t_manual_seed(42); /* the tutorial sets no seed */
    TransformerEncoder *encoder = demo();
    t_print("parameters:", nn_count_parameters(encoder, false));
    show_token_mixing();
    return 0;
}
