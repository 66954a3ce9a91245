/* One step of a recurrence, between its products, on raw memory. */
#ifndef TG_KERNELS_RNN_CELL_H
#define TG_KERNELS_RNN_CELL_H

#include <stdbool.h>
#include <stdint.h>

enum { TG_LSTM, TG_GRU, TG_RNN_TANH, TG_RNN_RELU };

/* Matrices of B rows; those of gates have 4, 3 or 1 times H columns (LSTM: i f g o, GRU: r z n), the others H. */
typedef struct tg_RNNCell {
    bool f64;
    int kind;
    int64_t B, H;
    void *gates;        /* forward: what the inputs add, W_ih x + b_ih, becomes the gates. backward: the gates */
    void *hidden;       /* forward: W_hh h + b_hh. backward, GRU: its part of n, which becomes its gradient */
    void *inner;        /* GRU, forward: where hidden's part of n is kept; or NULL */
    const void *h, *c;  /* before the step */
    void *h_next, *c_next;

    /* backward */
    const void *dy, *dh; /* the gradients of h_next: from outside, and from the next step */
    void *dc;            /* LSTM: of c_next, becomes that of c */
    void *dgates;        /* may be gates */
    void *carry;         /* GRU: what of dh goes past the gates */
} tg_RNNCell;

/* h_next and c_next; and their gradients to the gates and to what was before. */
void tg_rnn_cell(const tg_RNNCell *step);
void tg_rnn_cell_backward(const tg_RNNCell *step);

#endif
