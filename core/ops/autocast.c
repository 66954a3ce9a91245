/* core/ops/autocast.c: torch.autocast. */
#include <string.h>

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
    tg_Casts *casts = tg_thread.casts;
    for (int64_t i = 0; casts && i < casts->count; i++) {
        const int64_t at = (casts->last + 1 + i) % casts->count;
        if (casts->items[at].x == x) return &casts->items[casts->last = at];
    }
    return NULL;
}

static size_t casts_bytes(int64_t capacity) {
    return sizeof(tg_Casts) + (size_t)capacity * sizeof(tg_Cast);
}

static tg_Cast *new_cast(Tensor *x) {
    tg_Casts *casts = tg_thread.casts;
    if (!casts || casts->count == casts->capacity) {
        const int64_t capacity = casts ? 2 * casts->capacity : 16;
        tg_Casts *larger = tg_alloc(casts_bytes(capacity));
        if (!larger) return NULL;
        if (casts) memcpy(larger, casts, casts_bytes(casts->count));
        if (casts) tg_free(casts, casts_bytes(casts->capacity));
        larger->capacity = capacity;
        tg_thread.casts = casts = larger;
    }
    casts->items[casts->count] = (tg_Cast){t_retain(x), NULL, 0};
    return &casts->items[casts->last = casts->count++];
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
