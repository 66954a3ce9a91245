/* nn/modules/recurrent_internal.h: one step of each kind of recurrence, for layers and cells (internal). */
#ifndef TAPEGRAD_NN_MODULES_RECURRENT_INTERNAL_H
#define TAPEGRAD_NN_MODULES_RECURRENT_INTERNAL_H

#include "core/kernels/rnn/rnn_cell.h"
#include "nn/module/module_internal.h"
#include "nn/modules/recurrent.h"

/* The parameters of one layer in one direction; biases and hr may be NULL. */
typedef struct tg_Weights {
    Tensor *ih, *hh, *b_ih, *b_hh, *hr;
} tg_Weights;

typedef struct tg_Recurrence {
    const char *name; /* "LSTM" */
    tg_RNNMode mode;
    int gates;        /* the rows of weight_ih are gates * hidden_size */
    bool has_cell;
    /* One step: from = W_ih x + b_ih, (B, gates * hidden_size). *h and, of an LSTM, *c become the next ones; NULL on
     * failure. */
    void (*step)(const tg_Weights *w, Tensor *from, Tensor **h, Tensor **c);
} tg_Recurrence;

/* The attributes of the records of tg_run_sequence. */
typedef struct Direction {
    const tg_Recurrence *recurrence;
    bool reverse;
} Direction;

extern const tg_Recurrence tg_lstm, tg_gru;
const tg_Recurrence *tg_rnn_of(const char *nonlinearity); /* NULL for an unknown nonlinearity */

/* The outputs of all steps over x, (T, B, *), in the order of time; *h and, of an LSTM, *c are the initial state on
 * entry and the final one on return. tg_run_steps is composed of ops; tg_run_sequence is one record
 * (recurrent_sequence.c), where tg_can_run_sequence. */
Tensor *tg_run_steps(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h,
                     Tensor **c);
Tensor *tg_run_sequence(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h,
                        Tensor **c);
/* The faster of the two that can run. */
Tensor *tg_run_layer(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, bool reverse, Tensor **h,
                     Tensor **c);
/* The same over packed data, x: (steps of all sequences, *), of which step t has batch_sizes[t] (recurrent_packed.c).
 * *h and *c have batch_sizes[0] rows. */
Tensor *tg_run_packed_layer(const tg_Recurrence *recurrence, const tg_Weights *w, Tensor *x, const int64_t *batch_sizes,
                            int64_t T, bool reverse, Tensor **h, Tensor **c);
bool tg_can_run_sequence(const tg_Recurrence *recurrence, const tg_Weights *w, const Tensor *x, const Tensor *h,
                         const Tensor *c);

/* Reads *h and *c from a state, which may be NULL; false with an error where they are given already. Writes the final
 * state of a call to it. */
bool tg_state_read(const nn_HiddenState *state, Tensor **h, Tensor **c);
void tg_state_write(nn_HiddenState *state, Tensor *h, Tensor *c);

/* Draws every parameter from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size)), in order of registration. */
bool tg_recurrent_reset(nn_Module *self, int64_t hidden_size);
/* false with the message of PyTorch's matrix product */
bool tg_check_same_dtype(const Tensor *x, const Tensor *weight, bool biased);
bool tg_check_recurrent_sizes(int64_t input_size, int64_t hidden_size);

#endif
