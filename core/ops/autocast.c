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

bool t_is_autocast_cache_enabled(void) {
    return !tg_context()->autocast_without_cache;
}

void t_set_autocast_cache_enabled(bool enabled) {
    tg_context()->autocast_without_cache = !enabled;
}

void t_clear_autocast_cache(void) {
    tg_context();
    tg_clear_casts();
}

/* ---- blocks ---- */

/* What a block restores: bits 0 to 7 the dtype, 8 whether there is no cache, 9 that a block was entered. */
enum { NO_CACHE = 1 << 8, ENTERED = 1 << 9 };

int t_swap_autocast_(bool enabled, t_DType dtype, bool cache_enabled) {
    Context *thread = tg_context();
    const int before = (int)thread->autocast | (thread->autocast_without_cache ? NO_CACHE : 0) | ENTERED;
    if (!t_set_autocast(enabled, dtype)) return 0;
    thread->autocast_without_cache = !cache_enabled;
    thread->autocast_depth++;
    return before;
}

void t_restore_autocast_(int before) {
    if (!before) return;
    tg_thread.autocast = (t_DType)(before & (NO_CACHE - 1));
    tg_thread.autocast_without_cache = (before & NO_CACHE) != 0;
    if (--tg_thread.autocast_depth == 0) tg_clear_casts();
}

/* ---- casts ---- */

static Tensor *cast(Tensor *x, t_DType dtype) {
    const bool is_cast = x && x->object.is_a == &tg_tensor_class && tg_is_floating(x->dtype) && x->dtype != t_float64;
    return is_cast && x->dtype != dtype && !x->wrapped_number ? t_to(x, dtype) : x;
}

/* A leaf of float32 that requires grad, in a block with a cache. */
static bool is_kept(const Tensor *x) {
    return tg_thread.autocast_depth && !tg_thread.autocast_without_cache && !tg_thread.dual_level && x &&
           x->object.is_a == &tg_tensor_class && x->dtype == t_float32 && x->requires_grad && !x->record && !x->base;
}

/* The cast of x that is kept, or NULL. The search begins after the last one that was found, since a forward uses the
 * parameters in the same order again. */
static tg_Cast *find_cast(const Tensor *x) {
    Context *thread = &tg_thread;
    for (int64_t i = 0; i < thread->cast_count; i++) {
        const int64_t at = (thread->last_cast + 1 + i) % thread->cast_count;
        if (thread->casts[at].x == x) return &thread->casts[thread->last_cast = at];
    }
    return NULL;
}

static tg_Cast *new_cast(Tensor *x) {
    Context *thread = &tg_thread;
    if (thread->cast_count == thread->cast_capacity) {
        const int64_t capacity = thread->cast_capacity ? 2 * thread->cast_capacity : 16;
        tg_Cast *casts = tg_alloc((size_t)capacity * sizeof *casts);
        if (!casts) return NULL;
        for (int64_t i = 0; i < thread->cast_count; i++) casts[i] = thread->casts[i];
        if (thread->casts) tg_free(thread->casts, (size_t)thread->cast_capacity * sizeof *casts);
        thread->casts = casts;
        thread->cast_capacity = capacity;
    }
    thread->casts[thread->cast_count] = (tg_Cast){t_retain(x), NULL, 0};
    return &thread->casts[thread->last_cast = thread->cast_count++];
}

Tensor *tg_autocast(Tensor *x) {
    const t_DType dtype = tg_thread.autocast;
    if (!is_kept(x)) return cast(x, dtype);
    tg_Cast *kept = find_cast(x);
    if (kept && kept->cast && kept->version == x->storage->version && kept->cast->dtype == dtype &&
        kept->cast->requires_grad == tg_thread.grad_enabled)
        return kept->cast;
    Tensor *y = t_to(x, dtype);
    if (!y || (!kept && !(kept = new_cast(x)))) return NULL;
    t_release(kept->cast);
    kept->cast = t_retain(y);
    kept->version = x->storage->version;
    return y;
}

Tensor *tg_autocast_float32(Tensor *x) {
    return cast(x, t_float32);
}
