/* core/tensor/default_dtype.c: torch.get_default_dtype and set_default_dtype. */
#include <stdatomic.h>

#include "core/tensor/tensor.h"

static _Atomic t_DType default_dtype = t_float32;

t_DType tg_default_dtype(void) {
    return atomic_load_explicit(&default_dtype, memory_order_relaxed);
}

t_DType t_get_default_dtype(void) {
    return tg_default_dtype();
}

bool t_set_default_dtype(t_DType d) {
    if (!t_dtype_repr(d)) return false;
    if (!tg_is_floating(d)) return tg_fail("only floating-point types are supported as the default type");
    atomic_store_explicit(&default_dtype, d, memory_order_relaxed);
    return true;
}
