/* nn/sugar/recurrent.h: keyword-argument macros of nn/modules/recurrent.h (public; gcc and clang, C only).
 * core/sugar/sugar.h explains the macros. */
#ifndef TAPEGRAD_NN_SUGAR_RECURRENT_H
#define TAPEGRAD_NN_SUGAR_RECURRENT_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/recurrent.h"

/* nn_LSTM(10, 20, .num_layers = 2, .batch_first = true) */
typedef struct nn_RNNArguments_ {
    int first_;
    int64_t input_size, hidden_size, num_layers;
    const char *nonlinearity;
    bool bias, batch_first;
    double dropout;
    bool bidirectional;
    int dtype;
} nn_RNNArguments_;
typedef struct nn_LSTMArguments_ {
    int first_;
    int64_t input_size, hidden_size, num_layers;
    bool bias, batch_first;
    double dropout;
    bool bidirectional;
    int64_t proj_size;
    int dtype;
} nn_LSTMArguments_;
typedef struct nn_GRUArguments_ {
    int first_;
    int64_t input_size, hidden_size, num_layers;
    bool bias, batch_first;
    double dropout;
    bool bidirectional;
    int dtype;
} nn_GRUArguments_;
typedef struct nn_RNNCellArguments_ {
    int first_; int64_t input_size, hidden_size; bool bias; const char *nonlinearity; int dtype;
} nn_RNNCellArguments_;
typedef struct nn_CellArguments_ {
    int first_; int64_t input_size, hidden_size; bool bias; int dtype;
} nn_CellArguments_;
#define NN_SIZES_MISSING_ .input_size = T_NONE, .hidden_size = T_NONE
#define nn_RNN(...) T_NEW_ARGUMENTS_(nn_RNN *, (input_size, hidden_size), \
    nn_RNN_new(t__o.input_size, t__o.hidden_size, \
    &(const nn_RNNOptions){sizeof(nn_RNNOptions), t__o.num_layers, t__o.nonlinearity, t__o.bias, t__o.batch_first, \
    t__o.dropout, t__o.bidirectional, (t_DType)t__o.dtype}), "nn_RNN(" #__VA_ARGS__ ")", nn_RNNArguments_, \
    (NN_SIZES_MISSING_, .num_layers = 1, .nonlinearity = "tanh", .bias = true), __VA_ARGS__)
#define nn_LSTM(...) T_NEW_ARGUMENTS_(nn_LSTM *, (input_size, hidden_size), \
    nn_LSTM_new(t__o.input_size, t__o.hidden_size, \
    &(const nn_LSTMOptions){sizeof(nn_LSTMOptions), t__o.num_layers, t__o.bias, t__o.batch_first, t__o.dropout, \
    t__o.bidirectional, t__o.proj_size, (t_DType)t__o.dtype}), "nn_LSTM(" #__VA_ARGS__ ")", nn_LSTMArguments_, \
    (NN_SIZES_MISSING_, .num_layers = 1, .bias = true), __VA_ARGS__)
#define nn_GRU(...) T_NEW_ARGUMENTS_(nn_GRU *, (input_size, hidden_size), \
    nn_GRU_new(t__o.input_size, t__o.hidden_size, \
    &(const nn_GRUOptions){sizeof(nn_GRUOptions), t__o.num_layers, t__o.bias, t__o.batch_first, t__o.dropout, \
    t__o.bidirectional, (t_DType)t__o.dtype}), "nn_GRU(" #__VA_ARGS__ ")", nn_GRUArguments_, \
    (NN_SIZES_MISSING_, .num_layers = 1, .bias = true), __VA_ARGS__)
#define nn_RNNCell(...) T_NEW_ARGUMENTS_(nn_RNNCell *, (input_size, hidden_size), \
    nn_RNNCell_new(t__o.input_size, t__o.hidden_size, \
    &(const nn_RNNCellOptions){sizeof(nn_RNNCellOptions), t__o.bias, t__o.nonlinearity, (t_DType)t__o.dtype}), \
    "nn_RNNCell(" #__VA_ARGS__ ")", nn_RNNCellArguments_, (NN_SIZES_MISSING_, .bias = true, .nonlinearity = "tanh"), \
    __VA_ARGS__)
#define nn_LSTMCell(...) T_NEW_ARGUMENTS_(nn_LSTMCell *, (input_size, hidden_size), \
    nn_LSTMCell_new(t__o.input_size, t__o.hidden_size, \
    &(const nn_CellOptions){sizeof(nn_CellOptions), t__o.bias, (t_DType)t__o.dtype}), "nn_LSTMCell(" #__VA_ARGS__ ")", \
    nn_CellArguments_, (NN_SIZES_MISSING_, .bias = true), __VA_ARGS__)
#define nn_GRUCell(...) T_NEW_ARGUMENTS_(nn_GRUCell *, (input_size, hidden_size), \
    nn_GRUCell_new(t__o.input_size, t__o.hidden_size, \
    &(const nn_CellOptions){sizeof(nn_CellOptions), t__o.bias, (t_DType)t__o.dtype}), "nn_GRUCell(" #__VA_ARGS__ ")", \
    nn_CellArguments_, (NN_SIZES_MISSING_, .bias = true), __VA_ARGS__)

/* nn_HiddenState hidden = nn_HiddenState(); or nn_HiddenState(h), nn_HiddenState(h, c) */
typedef struct nn_HiddenStateArguments_ { int first_; Tensor *h, *c; } nn_HiddenStateArguments_;
#define nn_HiddenState(...) T_BEGIN_("nn_HiddenState(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_HiddenStateArguments_, t__o, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_HiddenState, (nn_HiddenState_new)(t__o.h, t__o.c))
#define nn_HiddenState_detach(state) T_BEGIN_("nn_HiddenState_detach(" #state ")") nn_HiddenState *t__s = (state); \
    T_END_(bool, (nn_HiddenState_detach)(t__s))
#define nn_HiddenState_clear(state) T_BEGIN_("nn_HiddenState_clear(" #state ")") nn_HiddenState *t__s = (state); \
    T_END_(bool, (nn_HiddenState_clear)(t__s))
/* nn_LSTM_call(lstm, x), nn_LSTM_call(lstm, x, .state = &hidden), nn_LSTM_call(lstm, x, .h_0 = h, .c_0 = c, .h_n = &h,
 * .c_n = &c); with a PackedSequence the result is one, too */
#define NN_SEQUENCE_CALL_(Type, text, self, ...) T_BEGIN_(text) Type *t__m = (self); \
    __auto_type t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_RecurrentStates, t__o, .size = sizeof(nn_RecurrentStates), T_TAIL_(__VA_ARGS__)) \
    T_END_(__typeof__(t__a), _Generic(t__a, Tensor *: (Type##_call), \
    nn_utils_rnn_PackedSequence *: (Type##_call_packed))(t__m, t__a, &t__o))
#define NN_RECURRENT_CALL_(f, Type, States, text, self, ...) T_BEGIN_(text) Type *t__m = (self); \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(States, t__o, .size = sizeof(States), T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__m, t__a, &t__o))
#define nn_RNN_call(self, ...) NN_SEQUENCE_CALL_(nn_RNN, "nn_RNN_call(" #self ", " #__VA_ARGS__ ")", \
    self, __VA_ARGS__)
#define nn_LSTM_call(self, ...) NN_SEQUENCE_CALL_(nn_LSTM, "nn_LSTM_call(" #self ", " #__VA_ARGS__ ")", \
    self, __VA_ARGS__)
#define nn_GRU_call(self, ...) NN_SEQUENCE_CALL_(nn_GRU, "nn_GRU_call(" #self ", " #__VA_ARGS__ ")", \
    self, __VA_ARGS__)
/* nn_LSTMCell_call(cell, x, .state = &hidden), nn_LSTMCell_call(cell, x, .h_0 = h, .c_0 = c, .c_1 = &c); the others:
 * nn_GRUCell_call(cell, x, h), as nn_call(cell, x, h) */
#define nn_LSTMCell_call(self, ...) NN_RECURRENT_CALL_(nn_LSTMCell_call, nn_LSTMCell, nn_LSTMCellStates, \
    "nn_LSTMCell_call(" #self ", " #__VA_ARGS__ ")", self, __VA_ARGS__)
#define nn_RNNCell_call(self, x, h_0) T_BEGIN_("nn_RNNCell_call(" #self ", " #x ", " #h_0 ")") \
    nn_RNNCell *t__m = (self); Tensor *t__a = (x), *t__b = (h_0); \
    T_END_(Tensor *, (nn_RNNCell_call)(t__m, t__a, t__b))
#define nn_GRUCell_call(self, x, h_0) T_BEGIN_("nn_GRUCell_call(" #self ", " #x ", " #h_0 ")") \
    nn_GRUCell *t__m = (self); Tensor *t__a = (x), *t__b = (h_0); \
    T_END_(Tensor *, (nn_GRUCell_call)(t__m, t__a, t__b))

#endif
#endif
