/* tests/support/models/state_net.h: a module with every kind of entry that a state dict may have.
 * tests/golden/record_state.py has the same. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_STATE_NET_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_STATE_NET_H

#include "tests/support/models/model_support.h"

typedef struct Net {
    nn_Module base;
    Tensor *scale, *mask, *slope;
    nn_Linear *fc, *again; /* `again` is fc a second time, as in the recorded keys */
    nn_BatchNorm1d *bn;
    nn_Embedding *emb;
} Net;

Net *net(void);

/* Bit for bit, NaNs too. */
bool same_bits_of(Tensor *a, Tensor *b);
/* Whether the state dicts of two modules of a class have the same bits. */
bool same_state(void *a, void *b);

#endif
