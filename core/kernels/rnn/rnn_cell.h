/* core/kernels/rnn/rnn_cell.h: one step of LSTM, GRU or RNN, without its matrix products, on raw memory. This folder
 * includes core/kernels only. */
#ifndef TAPEGRAD_CORE_KERNELS_RNN_RNN_CELL_H
#define TAPEGRAD_CORE_KERNELS_RNN_RNN_CELL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tg_RNNMode { TG_LSTM, TG_GRU, TG_RNN_TANH, TG_RNN_RELU } tg_RNNMode;

/* Matrices of B rows; those of gates have 4, 3 or 1 times H columns (LSTM: i f g o, GRU: r z n), the others H. */
typedef struct tg_RNNCell {
    bool f64;
    tg_RNNMode mode;
    int64_t B, H;
    void *gates;       /* forward: W_ih x + b_ih, overwritten by the gates. backward: the gates */
    void *hidden;      /* forward: W_hh h + b_hh. backward, GRU: its part for n, overwritten by its gradient */
    void *inner;       /* GRU, forward: gets the part of `hidden` for n, or NULL */
    const void *h, *c; /* before the step */
    void *h_next, *c_next;

    /* backward */
    const void *dy, *dh; /* the gradients of h_next: from outside, and from the next step */
    void *dc;            /* LSTM: the gradient of c_next, overwritten by that of c */
    void *dgates;        /* may be gates */
    void *carry;         /* GRU: the gradient of h that does not pass through the gates */
} tg_RNNCell;

/* Computes h_next and c_next; and from their gradients those of the gates, h and c. */
void tg_rnn_cell(const tg_RNNCell *cell);
void tg_rnn_cell_backward(const tg_RNNCell *cell);

#endif
