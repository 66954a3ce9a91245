/* nn/modules/fused_recurrent.h: the fused recurrence of a whole sequence (fused_recurrent.c), which the op of
 * recurrent_sequence.c calls (internal). */
#ifndef TAPEGRAD_NN_MODULES_FUSED_RECURRENT_H
#define TAPEGRAD_NN_MODULES_FUSED_RECURRENT_H

#include "core/autograd/tape.h"
#include "core/kernels/rnn/rnn_cell.h"

/* The op's inputs, and then the other tensors that its record saves: the output, the gates, and all c of an LSTM, or in
 * the same slot a GRU's inner = W_hn h + b_hn, where n = tanh(W_in x + b_in + r inner). */
enum { SEQ_X, SEQ_W_IH, SEQ_W_HH, SEQ_B_IH, SEQ_B_HH, SEQ_H_0, SEQ_C_0, SEQ_INPUTS,
       SEQ_OUT = SEQ_INPUTS, SEQ_GATES, SEQ_CELLS, SEQ_INNER = SEQ_CELLS, SEQ_SAVES };

/* T steps of B rows; h and c have H columns, the gates, concatenated, G = 4 H (LSTM), 3 H (GRU) or H. */
typedef struct tg_SequenceSizes {
    bool f64, reverse; /* reverse: from the last step to the first */
    tg_RNNMode mode;
    int64_t T, B, H, G;
} tg_SequenceSizes;

/* All tensors of a forward, contiguous but for the weights and b_hh: out is (T, B, H), all h, and for an LSTM the last
 * c appended; gates (T, B, G) holds W_ih x + b_ih on entry, and then the gates; cells (of an LSTM) and inner (of a GRU)
 * (T, B, H), NULL otherwise or, of inner, where it need not be saved. */
typedef struct tg_SequenceForward {
    Tensor *in[SEQ_INPUTS], *out, *gates, *cells, *inner;
} tg_SequenceForward;
bool tg_sequence_forward(const tg_SequenceSizes *size, tg_SequenceForward *f);

/* The gradients of the inputs that r needs. saved: r's saved tensors, h_0 and c_0 contiguous; dout: shaped as out,
 * contiguous. */
void tg_sequence_backward(Record *r, Tensor *const *saved, const tg_SequenceSizes *size, Tensor *dout, Tensor **dx);

/* Step t of a (T, B, columns) tensor; NULL of NULL. */
static inline void *tg_step_of(const tg_SequenceSizes *size, const Tensor *all, int64_t t, int64_t columns) {
    return all ? (char *)tg_data(all) + t * size->B * columns * (size->f64 ? 8 : 4) : NULL;
}

#endif
