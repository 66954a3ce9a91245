/* nn/utils/rnn.h: torch.nn.utils.rnn: batches of sequences of different lengths (public).
 *
 *     nn_utils_rnn_PackedSequence *packed = nn_utils_rnn_pack_padded_sequence(x, lengths, .enforce_sorted = false);
 *     nn_utils_rnn_PackedSequence *out = nn_LSTM_call(lstm, packed, .h_n = &h);
 *     Tensor *padded = nn_utils_rnn_pad_packed_sequence(out, .lengths = &lengths);
 *
 * lengths is an int64 tensor, t_tensor("[5, 3, 2]") where Python has a list. The folder has what works on the tensors
 * of modules; it may include core/ only. */
#ifndef TAPEGRAD_NN_UTILS_RNN_H
#define TAPEGRAD_NN_UTILS_RNN_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

/* nn.utils.rnn.PackedSequence: the steps of all sequences without padding, step 0 of each first: of "abc" and "x" the
 * data are "axbc" and the batch_sizes, how many sequences have that step, [2, 1, 1]. The longest sequence comes first;
 * sorted_indices (NULL: they were sorted already) are their indices in the batch that was packed, and unsorted_indices
 * is the inverse. Owned by the scope, as a tensor is; t_keep works. The fields are read-only. */
typedef struct nn_utils_rnn_PackedSequence {
    t_Object object;
    Tensor *data, *batch_sizes, *sorted_indices, *unsorted_indices;
} nn_utils_rnn_PackedSequence;

/* PackedSequence(data, batch_sizes, sorted_indices=None, unsorted_indices=None): other data for the same sequences,
 * nn_utils_rnn_PackedSequence(F_relu(p->data), p->batch_sizes, p->sorted_indices) */
T_API nn_utils_rnn_PackedSequence *nn_utils_rnn_PackedSequence_new(Tensor *data, Tensor *batch_sizes,
                                                                   Tensor *sorted_indices, Tensor *unsorted_indices);
/* nn.utils.rnn.pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True) */
T_API nn_utils_rnn_PackedSequence *nn_utils_rnn_pack_padded_sequence(Tensor *input, Tensor *lengths, bool batch_first,
                                                                     bool enforce_sorted);
/* nn.utils.rnn.pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None); T_NONE: the
 * longest; lengths: receives the lengths unless NULL */
T_API Tensor *nn_utils_rnn_pad_packed_sequence(const nn_utils_rnn_PackedSequence *sequence, bool batch_first,
                                               double padding_value, int64_t total_length, Tensor **lengths);
/* nn.utils.rnn.pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"): (T, B, *) of B
 * sequences of (t, *); padding_side NULL: "right" */
T_API Tensor *nn_utils_rnn_pad_sequence(const t_TensorList *sequences, bool batch_first, double padding_value,
                                        const char *padding_side);
/* nn.utils.rnn.unpad_sequence(padded_sequences, lengths, batch_first=False) */
T_API t_TensorList *nn_utils_rnn_unpad_sequence(Tensor *padded_sequences, Tensor *lengths, bool batch_first);
/* nn.utils.rnn.pack_sequence(sequences, enforce_sorted=True) */
T_API nn_utils_rnn_PackedSequence *nn_utils_rnn_pack_sequence(const t_TensorList *sequences, bool enforce_sorted);
/* nn.utils.rnn.unpack_sequence(packed_sequences) */
T_API t_TensorList *nn_utils_rnn_unpack_sequence(const nn_utils_rnn_PackedSequence *packed_sequences);
/* nn.utils.rnn.invert_permutation(permutation) */
T_API Tensor *nn_utils_rnn_invert_permutation(Tensor *permutation);

T_END_DECLS
#endif
