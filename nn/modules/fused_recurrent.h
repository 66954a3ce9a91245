/* nn/modules/fused_recurrent.h: what the op of a whole sequence (recurrent_sequence.c) and its arithmetic (fused_recurrent.c) share
 * (internal). */
#ifndef TAPEGRAD_NN_MODULES_FUSED_RECURRENT_H
#define TAPEGRAD_NN_MODULES_FUSED_RECURRENT_H

#include "core/kernels/rnn/rnn_cell.h"
#include "core/autograd/tape.h"

/* The op's inputs, and then what else its record saves: the output, the gates, and all c of an LSTM; in that place a GRU, whose
 * n is tanh(W_in x + b_in + r inner), has inner = W_hn h + b_hn. */
enum { SEQ_X, SEQ_W_IH, SEQ_W_HH, SEQ_B_IH, SEQ_B_HH, SEQ_H_0, SEQ_C_0, SEQ_INPUTS,
       SEQ_OUT = SEQ_INPUTS, SEQ_GATES, SEQ_CELLS, SEQ_INNER = SEQ_CELLS, SEQ_SAVES };

/* T steps of B rows; h and c have H columns, the gates side by side G = 4 H (LSTM), 3 H (GRU) or H. */
typedef struct tg_SequenceSizes {
    bool f64, reverse; /* reverse: from the last step to the first */
    int kind;          /* TG_LSTM, TG_GRU, ... */
    int64_t T, B, H, G;
} tg_SequenceSizes;

/* All tensors of a forward, without gaps but for the weights and b_hh: out is (T, B, H), all h, and of an LSTM those and the last
 * c behind them; gates (T, B, G) holds W_ih x + b_ih, and then the gates; cells and inner (T, B, H), or NULL where they are not of
 * this kind or, of inner, not to be kept. */
typedef struct tg_SequenceForward {
    Tensor *in[SEQ_INPUTS], *out, *gates, *cells, *inner;
} tg_SequenceForward;
bool tg_sequence_forward(const tg_SequenceSizes *size, tg_SequenceForward *f);

/* The gradients of the inputs that r needs. saved: of all places of r, h_0 and c_0 without gaps; dout: shaped as out, without gaps. */
void tg_sequence_backward(Record *r, Tensor *const *saved, const tg_SequenceSizes *size, Tensor *dout, Tensor **dx);

/* Step t of a (T, B, columns) tensor; NULL of NULL. */
static inline void *tg_step_of(const tg_SequenceSizes *size, const Tensor *all, int64_t t, int64_t columns) {
    return all ? (char *)tg_data(all) + t * size->B * columns * (size->f64 ? 8 : 4) : NULL;
}

#endif
