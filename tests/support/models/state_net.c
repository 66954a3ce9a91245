/* tests/support/models/state_net.c: a module with every kind of entry that a state dict may have. */
#include "tests/support/models/state_net.h"

#include <string.h>

#include "core/tensor/tensor.h"

Net *net(void) {
    Net *self = nn_module(Net, NULL);
    nn_register_buffer(self, scale, t_ones(1));
    nn_set(self, fc, nn_Linear(3, 2));
    nn_set(self, bn, nn_BatchNorm1d(2));
    nn_set(self, emb, nn_Embedding(4, 3));
    nn_register_buffer(self, mask, t_ones(2), .persistent = false);
    nn_set(self, slope, nn_Parameter(t_tensor("0.5")));
    nn_set(self, again, self->fc);
    return self;
}

bool same_bits_of(Tensor *a, Tensor *b) {
    Tensor *x = t_contiguous(a), *y = t_contiguous(b);
    return t_dtype(x) == t_dtype(y) && tg_same_shape(x, y) &&
           memcmp(t_data_ptr(x), t_data_ptr(y), (size_t)t_numel(x) * tg_itemsize(t_dtype(x))) == 0;
}

bool same_state(void *a, void *b) {
    t_TensorDict *x = nn_state_dict(a), *y = nn_state_dict(b);
    bool same = x->len == y->len;
    for (int64_t i = 0; same && i < x->len; i++) same = same_bits_of(x->items[i].tensor, y->items[i].tensor);
    return same;
}
