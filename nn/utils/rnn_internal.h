/* nn/utils/rnn_internal.h: what the recurrent layers read of a PackedSequence (internal). */
#ifndef TAPEGRAD_NN_UTILS_RNN_INTERNAL_H
#define TAPEGRAD_NN_UTILS_RNN_INTERNAL_H

#include "nn/utils/rnn.h"

/* As tg_check, for a PackedSequence. */
bool tg_check_packed(const nn_utils_rnn_PackedSequence *packed, int position);
/* The batch sizes as an array of *T elements, which lives as long as packed. */
const int64_t *tg_batch_sizes(const nn_utils_rnn_PackedSequence *packed, int64_t *T);

#endif
