/* examples/attention_page/model_attention.c: not the page's. What it leaves out, in a small fixed setting each: the
 * attention of a model in place of random numbers, sentences of several lengths, and a run of the decoder that its
 * diagram shows. */
#include "attention_page.h"

/* ---- attention of a model ---- */

static const char *const words[] = {"The", "cat", "sat", "on", "the", "mat"};

static Tensor *sentence(void) {
    return t_tensor("[[1, 2, 3, 4, 1, 5]]"); /* a token id a word; 0 is for padding */
}

static void draw_head(Tensor *weights, const char *title, const char *name) {
    Tensor *at = t_add(t_arange(t_size(weights, 0)), 0.5);
    plt_figure(.figsize = {10, 8});
    sns_heatmap(weights, .cmap = "Blues", .annot = true, .fmt = ".2f");
    plt_xticks(at, words, .rotation = 45);
    plt_yticks(at, words, .rotation = 0);
    plt_xlabel("Key");
    plt_ylabel("Query");
    plt_title(title);
    plt_tight_layout();
    savefig(name, 100, "tight");
    plt_close();
}

Tensor *real_attention(TransformerEncoder *model) {
    t_TensorList *weights = t_list();
    printf("\n---- attention of a model ----\n");
    nn_eval(model);
    with_no_grad() transformer_encoder_call(model, sentence(), NULL);
    for_module (layer, model->layers) t_list_append(weights, ((EncoderLayer *)layer)->self_attn->weights);
    Tensor *all = t_cat(weights, 0);
    t_print("weights of layers, heads, queries and keys:", t_size_repr(all));
    printf("the first head of the first layer, by the initial values:\nthe model has learnt nothing yet\n");
    draw_head(t_at(all, "0, 0"), "Self-Attention Weights - Layer 0, Head 0", "real_attention.svg");
    return all;
}

/* ---- sentences of two lengths ---- */

Tensor *padded_sentences(TransformerEncoder *model) {
    Tensor *changes = NULL;
    Tensor *ids = t_tensor("[[1, 2, 3, 4, 1, 5], [1, 2, 3, 0, 0, 0]]"), *mask = t_ne(ids, 0);
    printf("\n---- sentences of two lengths ----\n");
    t_print(ids);
    nn_eval(model);
    with_no_grad() {
        Tensor *first = transformer_encoder_call(model, t_at(ids, ":1"), NULL);
        Tensor *second = transformer_encoder_call(model, t_at(ids, "1:, :3"), NULL);
        /* the page's encoder wants the mask in the shape of its scores */
        Tensor *both = transformer_encoder_call(model, ids, fixed ? mask : t_at(mask, ":, None, None, :"));
        changes = t_amax(t_abs(t_sub(both, t_cat(t_list(first, second), 0))), 1);
    }
    printf("largest change of each one's logits by the padding,\n%s: ",
           fixed ? "averaged over its tokens" : "averaged over all positions, as the page has it");
    print_rounded(changes, 5);
    return changes;
}

/* ---- the decoder ---- */

Tensor *encode(TransformerEncoder *self, Tensor *x, Tensor *mask) {
    x = nn_call(self->embedding, x);
    x = nn_call(self->pos_encoding, x);
    x = nn_call(self->dropout, x);
    for_module (layer, self->layers) x = encoder_layer_call(layer, x, mask);
    return x;
}

Tensor *run_decoder(TransformerEncoder *encoder) {
    int64_t vocab_size = 10000, batch_size = 2, src_len = 12, tgt_len = 9;
    Tensor *changes = NULL;
    t_manual_seed(42);
    TransformerDecoder *decoder = transformer_decoder(vocab_size, 256, 8, 1024, 4, 0.1);
    Tensor *src = t_randint(1, vocab_size, batch_size, src_len), *tgt = t_randint(1, vocab_size, batch_size, tgt_len);
    t_set(src, "1, 8:", 0);
    printf("\n---- the decoder ----\nparameters: %s\n", commas(nn_count_parameters(decoder, false)));
    nn_eval(encoder);
    nn_eval(decoder);
    with_no_grad() {
        Tensor *src_mask = t_at(t_ne(src, 0), ":, None, None, :");    /* (B, 1, 1, S): no padding */
        Tensor *tgt_mask = t_tril(t_ones(tgt_len, tgt_len));          /* (T, T): nothing that comes later */
        Tensor *memory = encode(encoder, src, src_mask);
        Tensor *logits = transformer_decoder_call(decoder, tgt, memory, src_mask, tgt_mask);
        DecoderLayer *last = nn_get(decoder->layers, -1);
        printf("encoder output: %s\ndecoder output: %s\n", t_size_repr(memory), t_size_repr(logits));
        printf("self-attention weights: %s\ncross-attention weights: %s\n", t_size_repr(last->self_attn->weights),
               t_size_repr(last->cross_attn->weights));
        printf("largest cross-attention weight at the source's padding: %s\n",
               float_repr(t_item(t_max(t_at(last->cross_attn->weights, "1, :, :, 8:")))));
        Tensor *other = t_clone(tgt);
        t_set(other, ":, 5", t_add(t_remainder(t_at(tgt, ":, 5"), vocab_size - 1), 1));
        Tensor *moved = transformer_decoder_call(decoder, other, memory, src_mask, tgt_mask);
        changes = t_amax(t_abs(t_sub(moved, logits)), (0, 2));
    }
    printf("target token 5 changed, largest change at each target position:\n");
    print_rounded(changes, 5);
    return changes;
}
