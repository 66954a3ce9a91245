/* Lesson 09: attention, from the scores to several heads, its gradients, and three runs that show why it is built so.
 *
 *     weights = softmax(q k^T / sqrt(d))        q (B, T, d), k (B, S, d): (B, T, S)
 *     y = weights v                             v (B, S, d): (B, T, d)
 *
 * B sequences, T queries, S keys, d features. The library's attention is the answer key, so it may not be called. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* q k^T / sqrt(d): the scores, (B, T, S). */
Tensor *attention_scores(Tensor *q, Tensor *k) {
    // HOLE
    //| return t_zeros(t_size(q, 0), t_size(q, 1), t_size(k, 1)); /* your code */
    return t_div(t_matmul(q, t_transpose(k, 1, 2)), sqrt((double)t_size(q, 2)));
    // WRONG not_scaled 16: return t_matmul(q, t_transpose(k, 1, 2));
    // WRONG not_root 16: return t_div(t_matmul(q, t_transpose(k, 1, 2)), t_size(q, 2));
    // END
}

/* The weights: the softmax of the scores over the keys. visible (T, S), of bool, is false where a query may not look,
 * and the weight is 0 there; NULL: everything is visible. */
Tensor *attention_weights(Tensor *scores, Tensor *visible) {
    // HOLE
    //| (void)visible; /* your code */
    //| return t_zeros_like(scores);
    if (visible) scores = t_masked_fill(scores, t_logical_not(visible), -INFINITY);
    // WRONG inverted 17: if (visible) scores = t_masked_fill(scores, visible, -INFINITY);
    // WRONG after_softmax 17: if (visible) return t_mul(t_softmax(scores, 2), t_float(visible));
    return t_softmax(scores, 2);
    // WRONG over_queries 14: return t_softmax(scores, 1);
    // END
}

typedef struct AttentionGradients {
    Tensor *dq, *dk, *dv;
} AttentionGradients;

/* The gradients of y = weights v, weights = softmax(q k^T / sqrt(d)) from dy (B, T, d), by the rules of lesson 03 in
 * each of the B sequences:
 *
 *     dv = weights^T dy                  dweights = dy v^T
 *     dscores = weights * (dweights - sum over the keys of weights * dweights)
 *     dq = dscores k / sqrt(d)           dk = dscores^T q / sqrt(d) */
AttentionGradients attention_backward(Tensor *q, Tensor *k, Tensor *v, Tensor *weights, Tensor *dy) {
    // HOLE
    //| (void)weights, (void)dy; /* your code */
    //| return (AttentionGradients){t_zeros_like(q), t_zeros_like(k), t_zeros_like(v)};
    double scale = 1 / sqrt((double)t_size(q, 2));
    // WRONG no_scale 14: double scale = 1;
    Tensor *dv = t_matmul(t_transpose(weights, 1, 2), dy);
    Tensor *dweights = t_matmul(dy, t_transpose(v, 1, 2));
    Tensor *inner = t_sum(t_mul(weights, dweights), 2, .keepdim = true);
    Tensor *dscores = t_mul(weights, t_sub(dweights, inner));
    // WRONG no_softmax_rule 14: Tensor *dscores = t_mul(weights, dweights);
    // WRONG no_softmax_rule: (void)inner;
    Tensor *dq = t_mul(scale, t_matmul(dscores, k)), *dk = t_mul(scale, t_matmul(t_transpose(dscores, 1, 2), q));
    return (AttentionGradients){dq, dk, dv};
    // END
}

/* (B, T, H d) to (B, H, T, d): head h has the features h d to h d + d - 1 of each position. */
Tensor *split_heads(Tensor *x, int heads) {
    // HOLE
    //| return t_zeros(t_size(x, 0), heads, t_size(x, 1), t_size(x, 2) / heads); /* your code */
    Tensor *parts = t_view(x, t_size(x, 0), t_size(x, 1), heads, t_size(x, 2) / heads);
    return t_transpose(parts, 1, 2);
    // WRONG view_only 17: return t_view(x, t_size(x, 0), heads, t_size(x, 1), t_size(x, 2) / heads);
    // END
}

/* And back: (B, H, T, d) to (B, T, H d). */
Tensor *merge_heads(Tensor *x) {
    // HOLE
    //| return t_zeros(t_size(x, 0), t_size(x, 2), t_size(x, 1) * t_size(x, 3)); /* your code */
    return t_reshape(t_transpose(x, 1, 2), t_size(x, 0), t_size(x, 2), t_size(x, 1) * t_size(x, 3));
    // WRONG not_transposed 17: return t_reshape(x, t_size(x, 0), t_size(x, 2), t_size(x, 1) * t_size(x, 3));
    // END
}

/* The mean over all queries of -sum over the keys of p log p, with 0 log 0 = 0: log(S) for uniform weights, 0 for a
 * query that looks at one key alone. */
double attention_entropy(Tensor *weights) {
    // HOLE
    //| (void)weights; /* your code */
    //| return 0;
    Tensor *log_p = t_log(t_clamp(weights, .min = 1e-30));
    // WRONG nan_at_zero 17: Tensor *log_p = t_log(weights);
    return -t_item(t_mean(t_sum(t_mul(weights, log_p), -1)));
    // WRONG sum 17: return -t_item(t_sum(t_mul(weights, log_p)));
    // END
}

/* ---- run 1: the scores with and without sqrt(d) ---- */

/* 64 queries on 64 keys of random features: the standard deviation of the scores, the entropy of the weights (log(64)
 * is 4.16), the share of queries with a weight above 0.99, and the gradient that reaches the scores of the median
 * query, as a share of the gradient of its weights. */
static void show_scaling(void) {
    printf("      scores divided by sqrt(d)          scores as they are\n");
    printf("   d  spread entropy  >0.99  grad    spread entropy  >0.99  grad\n");
    for (int d = 4; d <= 1024; d *= 4) {
        Tensor *q = t_randn(1, 64, d), *k = t_randn(1, 64, d), *dw = t_randn(1, 64, 64);
        printf("%4d", d);
        for (int scaled = 1; scaled >= 0; scaled--) {
            Tensor *scores = t_mul(attention_scores(q, k), scaled ? 1 : sqrt(d)), *w = attention_weights(scores, NULL);
            Tensor *ds = t_mul(w, t_sub(dw, t_sum(t_mul(w, dw), 2, .keepdim = true)));
            Tensor *share = t_sqrt(t_div(t_sum(t_square(ds), 2), t_sum(t_square(dw), 2)));
            printf("  %6.1f  %6.2f  %5.2f  %.3f%s", t_item(t_std(scores)), attention_entropy(w),
                   t_item(t_mean(t_float(t_gt(t_amax(w, 2), 0.99)))), t_item(t_median(share)), scaled ? "  " : "\n");
        }
    }
}

/* ---- runs 2 and 3: who remembers the first token? ---- */

enum { VOCABULARY = 8, FEATURES = 16 };

/* Reads T tokens and predicts the first one and the last but one; attention in two heads, or a recurrent network. */
typedef struct Reader {
    nn_Module base;
    nn_Embedding *tokens, *positions;
    nn_Linear *q, *k, *v, *first, *recent;
    nn_RNN *rnn;
    Tensor *weights; /* of the last forward, (B, heads, T, T) */
} Reader;

static Reader *reader(bool recurrent, int length) {
    Reader *self = nn_module(Reader, NULL);
    nn_set(self, tokens, nn_Embedding(VOCABULARY, FEATURES));
    nn_set(self, positions, nn_Embedding(length, FEATURES));
    if (recurrent) {
        nn_set(self, rnn, nn_RNN(FEATURES, FEATURES, .batch_first = true));
    } else {
        nn_set(self, q, nn_Linear(FEATURES, FEATURES));
        nn_set(self, k, nn_Linear(FEATURES, FEATURES));
        nn_set(self, v, nn_Linear(FEATURES, FEATURES));
    }
    nn_set(self, first, nn_Linear(FEATURES, VOCABULARY));
    nn_set(self, recent, nn_Linear(FEATURES, VOCABULARY));
    return self;
}

/* (B, T) to the features (B, FEATURES) of the last position. */
static Tensor *read_sequence(Reader *self, Tensor *ids) {
    int64_t B = t_size(ids, 0), T = t_size(ids, 1);
    Tensor *x = t_add(nn_call(self->tokens, ids), nn_call(self->positions, t_arange(T)));
    if (self->rnn) return t_select(nn_RNN_call(self->rnn, x), 1, -1);
    Tensor *parts[3] = {nn_call(self->q, x), nn_call(self->k, x), nn_call(self->v, x)};
    for (int i = 0; i < 3; i++) parts[i] = t_reshape(split_heads(parts[i], 2), B * 2, T, FEATURES / 2);
    Tensor *w = attention_weights(attention_scores(parts[0], parts[1]), NULL), *y = t_matmul(w, parts[2]);
    nn_keep(self, weights, t_view(w, B, 2, T, T));
    return t_select(merge_heads(t_view(y, B, 2, T, FEATURES / 2)), 1, -1);
}

/* Trains it and returns the share of fresh sequences of which it knows the first token. */
static double train(Reader *self, int length, int steps) {
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(self), .lr = 0.01);
    for_range (step, 0, steps) {
        Tensor *ids = t_randint(0, VOCABULARY, 64, length), *y = read_sequence(self, ids);
        Tensor *loss = t_add(F_cross_entropy(nn_call(self->first, y), t_select(ids, 1, 0)),
                             F_cross_entropy(nn_call(self->recent, y), t_select(ids, 1, -2)));
        optim_zero_grad(optimizer);
        t_backward(loss);
        nn_utils_clip_grad_norm_(nn_parameters(self), 1.0);
        optim_step(optimizer);
    }
    Tensor *ids = t_randint(0, VOCABULARY, 500, length);
    double right = 0;
    with_no_grad() {
        Tensor *guess = t_argmax(nn_call(self->first, read_sequence(self, ids)), 1);
        right = t_item(t_mean(t_float(t_eq(guess, t_select(ids, 1, 0)))));
    }
    return right;
}

/* attention [--plots DIR] */
int main(int argc, char **argv) {
    t_manual_seed(0);
    show_scaling();
    printf("\nknows the first of T tokens (guessing: %.2f)\n  T  attention  recurrent\n", 1.0 / VOCABULARY);
    Reader *attentive = NULL;
    for (int length = 5; length <= 40; length *= 2) {
        attentive = reader(false, length);
        double by_attention = train(attentive, length, 500);
        printf("%3d  %9.1f  %9.1f\n", length, by_attention, train(reader(true, length), length, 500));
    }
    printf("\nwhat the last of 40 positions looks at, by head (mean over 500 sequences)\n");
    for (int head = 0; head < 2; head++) {
        Tensor *w = t_mean(t_select(t_select(attentive->weights, 2, -1), 1, head), 0);
        printf("head %d: position 0: %.1f, position 38: %.1f, all others: %.1f\n", head, t_item(t_at(w, "0")),
               t_item(t_at(w, "38")), 1 - t_item(t_at(w, "0")) - t_item(t_at(w, "38")));
    }
    if (argc == 3 && strcmp(argv[1], "--plots") == 0) {
        plt_imshow(t_mean(t_select(attentive->weights, 1, 0), 0));
        plt_title("head 0, mean over 500 sequences");
        plt_savefig(t_format("%s/head.svg", argv[2]));
    }
    return 0;
}
