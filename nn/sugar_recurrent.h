/* nn/sugar_recurrent.h: Python's face of nn/recurrent.h (public; gcc and clang, C only). See core/sugar.h for how the macros are
 * made. */
#ifndef TAPEGRAD_NN_SUGAR_RECURRENT_H
#define TAPEGRAD_NN_SUGAR_RECURRENT_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/recurrent.h"

/* nn_LSTM(10, 20, .num_layers = 2, .batch_first = true) */
#define NN_RECURRENT_(name, Options, text, defaults, in, ...) T_BEGIN_(text) T_WHOLE_(t__in = (in), t__hidden = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(Options, t__o, NN_RECURRENT_WITH_ defaults, .size = sizeof(Options), T_TAIL_(__VA_ARGS__)) T_END_(name *, name##_new(t__in, t__hidden, &t__o))
#define NN_RECURRENT_WITH_(...) __VA_ARGS__
#define nn_RNN(input_size, ...) NN_RECURRENT_(nn_RNN, nn_RNNOptions, "nn_RNN(" #input_size ", " #__VA_ARGS__ ")", (.num_layers = 1, .nonlinearity = "tanh", .bias = true), input_size, __VA_ARGS__)
#define nn_LSTM(input_size, ...) NN_RECURRENT_(nn_LSTM, nn_LSTMOptions, "nn_LSTM(" #input_size ", " #__VA_ARGS__ ")", (.num_layers = 1, .bias = true), input_size, __VA_ARGS__)
#define nn_GRU(input_size, ...) NN_RECURRENT_(nn_GRU, nn_GRUOptions, "nn_GRU(" #input_size ", " #__VA_ARGS__ ")", (.num_layers = 1, .bias = true), input_size, __VA_ARGS__)
#define nn_RNNCell(input_size, ...) NN_RECURRENT_(nn_RNNCell, nn_RNNCellOptions, "nn_RNNCell(" #input_size ", " #__VA_ARGS__ ")", (.bias = true, .nonlinearity = "tanh"), input_size, __VA_ARGS__)
#define nn_LSTMCell(input_size, ...) NN_RECURRENT_(nn_LSTMCell, nn_CellOptions, "nn_LSTMCell(" #input_size ", " #__VA_ARGS__ ")", (.bias = true), input_size, __VA_ARGS__)
#define nn_GRUCell(input_size, ...) NN_RECURRENT_(nn_GRUCell, nn_CellOptions, "nn_GRUCell(" #input_size ", " #__VA_ARGS__ ")", (.bias = true), input_size, __VA_ARGS__)

/* nn_LSTM_call(lstm, x), nn_LSTM_call(lstm, x, .h_0 = h, .c_0 = c, .h_n = &h, .c_n = &c) */
#define NN_RECURRENT_CALL_(f, Type, States, text, self, ...) T_BEGIN_(text) Type *t__m = (self); T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(States, t__o, .size = sizeof(States), T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__m, t__a, &t__o))
#define nn_RNN_call(self, ...) NN_RECURRENT_CALL_(nn_RNN_call, nn_RNN, nn_RecurrentStates, "nn_RNN_call(" #self ", " #__VA_ARGS__ ")", self, __VA_ARGS__)
#define nn_LSTM_call(self, ...) NN_RECURRENT_CALL_(nn_LSTM_call, nn_LSTM, nn_RecurrentStates, "nn_LSTM_call(" #self ", " #__VA_ARGS__ ")", self, __VA_ARGS__)
#define nn_GRU_call(self, ...) NN_RECURRENT_CALL_(nn_GRU_call, nn_GRU, nn_RecurrentStates, "nn_GRU_call(" #self ", " #__VA_ARGS__ ")", self, __VA_ARGS__)
/* nn_LSTMCell_call(cell, x, .h_0 = h, .c_0 = c, .c_1 = &c); the others: nn_GRUCell_call(cell, x, h), as nn_call(cell, x, h) */
#define nn_LSTMCell_call(self, ...) NN_RECURRENT_CALL_(nn_LSTMCell_call, nn_LSTMCell, nn_LSTMCellStates, "nn_LSTMCell_call(" #self ", " #__VA_ARGS__ ")", self, __VA_ARGS__)
#define nn_RNNCell_call(self, x, h_0) T_BEGIN_("nn_RNNCell_call(" #self ", " #x ", " #h_0 ")") nn_RNNCell *t__m = (self); Tensor *t__a = (x), *t__b = (h_0); T_END_(Tensor *, (nn_RNNCell_call)(t__m, t__a, t__b))
#define nn_GRUCell_call(self, x, h_0) T_BEGIN_("nn_GRUCell_call(" #self ", " #x ", " #h_0 ")") nn_GRUCell *t__m = (self); Tensor *t__a = (x), *t__b = (h_0); T_END_(Tensor *, (nn_GRUCell_call)(t__m, t__a, t__b))

#endif
#endif
