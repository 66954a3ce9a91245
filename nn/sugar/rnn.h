/* nn/sugar/rnn.h: keyword-argument macros of nn/utils/rnn.h (public; gcc and clang, C only). core/sugar/sugar.h
 * explains the macros. */
#ifndef TAPEGRAD_NN_SUGAR_RNN_H
#define TAPEGRAD_NN_SUGAR_RNN_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/utils/rnn.h"

/* packed = nn_utils_rnn_PackedSequence(F_relu(p->data), p->batch_sizes, p->sorted_indices) */
typedef struct nn_PackedArguments_ {
    int first_; Tensor *data, *batch_sizes, *sorted_indices, *unsorted_indices;
} nn_PackedArguments_;
#define nn_utils_rnn_PackedSequence(...) T_BEGIN_("nn_utils_rnn_PackedSequence(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_PackedArguments_, t__o, .first_ = 0, .data = T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_utils_rnn_PackedSequence *, \
    (nn_utils_rnn_PackedSequence_new)(t__o.data, t__o.batch_sizes, t__o.sorted_indices, t__o.unsorted_indices))

/* nn_utils_rnn_pack_padded_sequence(x, t_tensor("[3, 2]"), .batch_first = true, .enforce_sorted = false) */
typedef struct nn_PackPaddedArguments_ {
    int first_; Tensor *lengths; bool batch_first, enforce_sorted;
} nn_PackPaddedArguments_;
#define nn_utils_rnn_pack_padded_sequence(...) T_BEGIN_("nn_utils_rnn_pack_padded_sequence(" #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_PackPaddedArguments_, t__o, .enforce_sorted = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_utils_rnn_PackedSequence *, \
    (nn_utils_rnn_pack_padded_sequence)(t__a, t__o.lengths, t__o.batch_first, t__o.enforce_sorted))
/* padded = nn_utils_rnn_pad_packed_sequence(packed, .batch_first = true, .lengths = &lengths) */
typedef struct nn_PadPackedArguments_ {
    int first_; bool batch_first; double padding_value; int64_t total_length; Tensor **lengths;
} nn_PadPackedArguments_;
#define nn_utils_rnn_pad_packed_sequence(...) T_BEGIN_("nn_utils_rnn_pad_packed_sequence(" #__VA_ARGS__ ")") \
    const nn_utils_rnn_PackedSequence *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_PadPackedArguments_, t__o, .total_length = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (nn_utils_rnn_pad_packed_sequence)(t__p, t__o.batch_first, t__o.padding_value, t__o.total_length, \
    t__o.lengths))
/* nn_utils_rnn_pad_sequence(t_list(a, b), .batch_first = true, .padding_side = "left") */
typedef struct nn_PadArguments_ {
    int first_; bool batch_first; double padding_value; const char *padding_side;
} nn_PadArguments_;
#define nn_utils_rnn_pad_sequence(...) T_BEGIN_("nn_utils_rnn_pad_sequence(" #__VA_ARGS__ ")") \
    t_TensorList *t__l = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_PadArguments_, t__o, .batch_first = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (nn_utils_rnn_pad_sequence)(t__l, t__o.batch_first, t__o.padding_value, t__o.padding_side))
typedef struct nn_UnpadArguments_ { int first_; Tensor *lengths; bool batch_first; } nn_UnpadArguments_;
#define nn_utils_rnn_unpad_sequence(...) T_BEGIN_("nn_utils_rnn_unpad_sequence(" #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_UnpadArguments_, t__o, .batch_first = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorList *, (nn_utils_rnn_unpad_sequence)(t__a, t__o.lengths, t__o.batch_first))
/* nn_utils_rnn_pack_sequence(t_list(a, b), .enforce_sorted = false) */
typedef struct nn_PackArguments_ { int first_; bool enforce_sorted; } nn_PackArguments_;
#define nn_utils_rnn_pack_sequence(...) T_BEGIN_("nn_utils_rnn_pack_sequence(" #__VA_ARGS__ ")") \
    t_TensorList *t__l = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_PackArguments_, t__o, .enforce_sorted = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_utils_rnn_PackedSequence *, (nn_utils_rnn_pack_sequence)(t__l, t__o.enforce_sorted))
#define nn_utils_rnn_unpack_sequence(packed) T_BEGIN_("nn_utils_rnn_unpack_sequence(" #packed ")") \
    const nn_utils_rnn_PackedSequence *t__p = (packed); T_END_(t_TensorList *, (nn_utils_rnn_unpack_sequence)(t__p))
#define nn_utils_rnn_invert_permutation(permutation) T_OP1_(nn_utils_rnn_invert_permutation, \
    "nn_utils_rnn_invert_permutation(" #permutation ")", permutation)

#endif
#endif
