/* examples/attention_page: a page that builds a Transformer encoder from its attention up, prints it, and draws a
 * positional encoding and attention weights ("The Transformer explained", tutorial 004). Chapter 2 is in attention.c, 3
 * in encoder.c, 4 in pictures.c; model_attention.c and decoder.c are not the page's.
 *
 * Difficulty: *     Read first: encoder_from_scratch     Read next: packed_qkv
 *
 * Chapter 1 has no code. A recurrent network reads tokens one after the other: its steps cannot run side by side, what
 * a distant token said has faded by the time it is needed, and its gradient fades on as long a way back. Attention
 * connects any two positions in one step and computes all positions at once, which is what lets models and data grow.
 * The page's diagram:
 *
 *     source -> embedding + positions -> N x (self-attention, feed-forward)     (encoder)
 *                                          |
 *     target -> embedding + positions -> N x (masked self-attention, cross-attention,
 *               feed-forward) -> linear     (decoder)
 *
 * Its code builds the encoder alone, and puts a classifier after it.
 *
 * Functions, classes, variables and their order are the page's; what it prints under a seed is PyTorch's. */
#include "attention_page.h"

int main(int count, char **arguments) {
    example = example_options(count, arguments, "a Transformer encoder from its attention up, with pictures");
    fixed = example.fixed;
    Tensor *weights;
    t_manual_seed(42); /* the page sets no seed */
    demo_1(&weights);
    demo_2();
    demo_3();
    TransformerEncoder *model = demo_4();
    demo_5();

    printf("\nadded to the page: what it leaves out\n");
    real_attention(model);
    padded_sentences(model);
    run_decoder(model);
    return 0;
}
