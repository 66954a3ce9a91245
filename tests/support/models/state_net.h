/* tests/support/models/state_net.h: a module with all that a state dict may have. golden/record_state.py has the same. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_STATE_NET_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_STATE_NET_H

#include "tests/support/models/model_support.h"

typedef struct Net {
    nn_Module base;
    Tensor *scale, *mask, *slope;
    nn_Linear *fc, *again;
    nn_BatchNorm1d *bn;
    nn_Embedding *emb;
} Net;

Net *net(void);

/* Bit for bit, NaNs too. */
bool same_bits_of(Tensor *a, Tensor *b);
/* All of what the state dicts of two modules of a class hold. */
bool same_state(void *a, void *b);

#endif
