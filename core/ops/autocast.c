/* core/ops/autocast.c: torch.autocast. */
#include "core/ops/pointwise/pointwise_internal.h"

bool t_is_autocast_enabled(void) {
    return tg_context()->autocast != 0;
}

t_DType t_get_autocast_dtype(void) {
    const t_DType dtype = tg_context()->autocast;
    return dtype ? dtype : t_bfloat16;
}

bool t_set_autocast(bool enabled, t_DType dtype) {
    Context *thread = tg_context();
    if (!dtype) dtype = t_bfloat16;
    if (!tg_is_half(dtype))
        return tg_fail("In CPU autocast, but the target dtype is not supported: it is %s; CPU Autocast only supports "
                       "dtypes of torch.bfloat16, torch.float16", tg_check_dtype(dtype) ? t_dtype_repr(dtype) : "none");
    thread->autocast = enabled ? dtype : (t_DType)0;
    return true;
}

/* before + 1, so that 0 is "nothing to restore". */
int t_swap_autocast_(bool enabled, t_DType dtype) {
    const int before = (int)tg_context()->autocast;
    return t_set_autocast(enabled, dtype) ? before + 1 : 0;
}

void t_restore_autocast_(int before) {
    if (before) tg_context()->autocast = (t_DType)(before - 1);
}

static Tensor *cast(Tensor *x, t_DType dtype) {
    const bool is_cast = x && x->object.is_a == &tg_tensor_class && tg_is_floating(x->dtype) && x->dtype != t_float64;
    return is_cast && x->dtype != dtype && !x->wrapped_number ? t_to(x, dtype) : x;
}

Tensor *tg_autocast(Tensor *x) {
    return cast(x, tg_thread.autocast);
}

Tensor *tg_autocast_float32(Tensor *x) {
    return cast(x, t_float32);
}
