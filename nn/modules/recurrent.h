/* nn/modules/recurrent.h: nn.RNN, nn.LSTM, nn.GRU and their cells (public).
 *
 *     nn_LSTM *lstm = nn_LSTM(10, 20, .num_layers = 2);
 *     Tensor *out = nn_LSTM_call(lstm, x, .h_0 = h, .c_0 = c, .h_n = &h, .c_n = &c);
 *
 * The state that a loop carries from call to call is one variable, out, hidden = lstm(x, hidden):
 *
 *     nn_HiddenState hidden = nn_HiddenState();
 *     for_batch (batch, loader) {
 *         Tensor *out = nn_LSTM_call(lstm, batch.x, .state = &hidden);
 *         ...
 *         nn_HiddenState_detach(&hidden); // hidden = tuple(h.detach() for h in hidden)
 *     }
 *
 * x: (T, B, input_size), (B, T, input_size) with batch_first, or (T, input_size) of one sequence; out has the same
 * shape with hidden_size last, twice that if bidirectional. nn_call(lstm, x) starts from zeros and returns out alone.
 */
#ifndef TAPEGRAD_NN_MODULES_RECURRENT_H
#define TAPEGRAD_NN_MODULES_RECURRENT_H

#include "nn/module/module.h"
#include "nn/utils/rnn.h"

T_BEGIN_DECLS

/* ---- layers over whole sequences (recurrent.c) ---- */

/* The parameters are weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0 (and weight_hr_l0 with a projection), then
 * weight_ih_l0_reverse etc. if bidirectional, then those of layer 1, and so on. */
typedef struct nn_Recurrent {
    nn_Module base;
    int64_t input_size, hidden_size, num_layers, proj_size;
    bool bias, batch_first, bidirectional;
    double dropout;
    const struct tg_Recurrence *recurrence; /* the kind of recurrence */
} nn_Recurrent;
typedef nn_Recurrent nn_RNN, nn_LSTM, nn_GRU;

/* nn.RNN(input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
 *        bidirectional=False) */
typedef struct nn_RNNOptions {
    uint32_t size;
    int64_t num_layers;
    const char *nonlinearity; /* "tanh" or "relu" */
    bool bias, batch_first;
    double dropout; /* between the layers, in training mode */
    bool bidirectional;
    t_DType dtype;
} nn_RNNOptions;
/* nn.LSTM(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
 * proj_size=0), and nn.GRU, which has no proj_size */
typedef struct nn_LSTMOptions {
    uint32_t size;
    int64_t num_layers;
    bool bias, batch_first;
    double dropout;
    bool bidirectional;
    int64_t proj_size;
    t_DType dtype;
} nn_LSTMOptions;
typedef struct nn_GRUOptions {
    uint32_t size;
    int64_t num_layers;
    bool bias, batch_first;
    double dropout;
    bool bidirectional;
    t_DType dtype;
} nn_GRUOptions;
T_API nn_RNN *nn_RNN_new(int64_t input_size, int64_t hidden_size, const nn_RNNOptions *options);
T_API nn_LSTM *nn_LSTM_new(int64_t input_size, int64_t hidden_size, const nn_LSTMOptions *options);
T_API nn_GRU *nn_GRU_new(int64_t input_size, int64_t hidden_size, const nn_GRUOptions *options);

/* The state between two calls: (h, c) of an LSTM, h alone of the others. Both NULL: zeros. A call with .state = &hidden
 * starts from it and, unless it fails, replaces it by its final state. h and c live in the scope in which
 * nn_HiddenState() was called, so that for_batch, for_range, with_scope() and nn_call around the calls need no t_keep;
 * the replaced tensors die with the scope of the call that replaces them. h and c are read-only. To start a second
 * state from this one write nn_HiddenState(hidden.h, hidden.c); do not copy the struct. */
typedef struct nn_HiddenState {
    Tensor *h, *c;
    int depth; /* of the scope that h and c live in */
} nn_HiddenState;
T_API nn_HiddenState nn_HiddenState_new(Tensor *h, Tensor *c); /* hidden = (h, c), of the current scope; NULL: empty */
/* hidden = tuple(h.detach() for h in hidden): truncates backpropagation through time here. false on error. */
T_API bool nn_HiddenState_detach(nn_HiddenState *state);
T_API bool nn_HiddenState_clear(nn_HiddenState *state); /* hidden = None: start from zeros again */

/* The initial states (NULL: zeros) and where to store the final ones (NULL: not wanted): (layers * directions, B,
 * hidden size), without the B for one sequence. c_0 and c_n are for LSTM only, which takes both h_0 and c_0 or neither.
 * state is read instead of h_0 and c_0, and written. Errors: state together with h_0 or c_0. */
typedef struct nn_RecurrentStates {
    uint32_t size;
    Tensor *h_0, *c_0, **h_n, **c_n;
    nn_HiddenState *state;
} nn_RecurrentStates;
T_API Tensor *nn_RNN_call(nn_RNN *self, Tensor *x, const nn_RecurrentStates *states);   /* out, h_n = rnn(x, h_0) */
T_API Tensor *nn_LSTM_call(nn_LSTM *self, Tensor *x,
                           const nn_RecurrentStates *states); /* out, (h_n, c_n) = lstm(x, (h_0, c_0)) */
T_API Tensor *nn_GRU_call(nn_GRU *self, Tensor *x, const nn_RecurrentStates *states);   /* out, h_n = gru(x, h_0) */

/* The same over sequences of different lengths, packed by nn.utils.rnn; the macros nn_LSTM_call etc. take both. */
T_API nn_utils_rnn_PackedSequence *nn_RNN_call_packed(nn_RNN *self, const nn_utils_rnn_PackedSequence *x,
                                                      const nn_RecurrentStates *states);
T_API nn_utils_rnn_PackedSequence *nn_LSTM_call_packed(nn_LSTM *self, const nn_utils_rnn_PackedSequence *x,
                                                       const nn_RecurrentStates *states);
T_API nn_utils_rnn_PackedSequence *nn_GRU_call_packed(nn_GRU *self, const nn_utils_rnn_PackedSequence *x,
                                                      const nn_RecurrentStates *states);

/* ---- one step (recurrent_cells.c) ---- */

typedef struct nn_RecurrentCell {
    nn_Module base;
    Tensor *weight_ih, *weight_hh, *bias_ih, *bias_hh; /* the biases are NULL with bias=False */
    int64_t input_size, hidden_size;
    const struct tg_Recurrence *recurrence;
} nn_RecurrentCell;
typedef nn_RecurrentCell nn_RNNCell, nn_LSTMCell, nn_GRUCell;

/* nn.RNNCell(input_size, hidden_size, bias=True, nonlinearity="tanh"); nn.LSTMCell and nn.GRUCell without the
 * nonlinearity */
typedef struct nn_RNNCellOptions {
    uint32_t size;
    bool bias;
    const char *nonlinearity;
    t_DType dtype;
} nn_RNNCellOptions;
typedef struct nn_CellOptions {
    uint32_t size;
    bool bias;
    t_DType dtype;
} nn_CellOptions;
T_API nn_RNNCell *nn_RNNCell_new(int64_t input_size, int64_t hidden_size, const nn_RNNCellOptions *options);
T_API nn_LSTMCell *nn_LSTMCell_new(int64_t input_size, int64_t hidden_size, const nn_CellOptions *options);
T_API nn_GRUCell *nn_GRUCell_new(int64_t input_size, int64_t hidden_size, const nn_CellOptions *options);

/* x: (B, input_size) or (input_size). h_0 = NULL: zeros. */
T_API Tensor *nn_RNNCell_call(nn_RNNCell *self, Tensor *x, Tensor *h_0); /* h_1 = cell(x, h_0) */
T_API Tensor *nn_GRUCell_call(nn_GRUCell *self, Tensor *x, Tensor *h_0); /* h_1 = cell(x, h_0) */
typedef struct nn_LSTMCellStates {
    uint32_t size;
    Tensor *h_0, *c_0, **c_1;
    nn_HiddenState *state; /* receives h_1, c_1, too */
} nn_LSTMCellStates;
T_API Tensor *nn_LSTMCell_call(nn_LSTMCell *self, Tensor *x,
                               const nn_LSTMCellStates *states); /* h_1, c_1 = cell(x, (h_0, c_0)) */

T_END_DECLS
#endif
