/* core/ops/pointwise/update_all.c: in-place steps of all tensors of a list, or of none. */
#include "core/ops/pointwise/pointwise_internal.h"

static Tensor *scaled(Tensor *x, Tensor *factor, Tensor *unused) {
    (void)unused;
    return t_mul(x, factor);
}

/* A factor of 1 only increments the version. */
static Tensor *scale(Tensor *x, Tensor *factor, Tensor *unused) {
    (void)unused;
    if (tg_read_double(factor) != 1) return t_mul_(x, factor);
    tg_bump_version(x);
    return x;
}

/* A step in place allocates memory only in anomaly mode, which checks a value before it is written, and where the other
 * operand has another dtype. */
static bool needs_memory(const t_TensorList *list, const Tensor *a) {
    bool needs = tg_thread.anomaly.on;
    for (int64_t i = 0; i < list->len && !a->wrapped_number; i++) needs = needs || list->items[i]->dtype != a->dtype;
    return needs;
}

bool tg_update_all(const t_TensorList *list, tg_ListStep *update, tg_ListStep *update_in_place, Tensor *a, Tensor *b) {
    for (int64_t i = 0; i < list->len; i++)
        if (!tg_check_inplace(list->items[i])) return false;
    if (!needs_memory(list, a)) {
        for (int64_t i = 0; i < list->len; i++)
            if (!update_in_place(list->items[i], a, b)) return false;
        return true;
    }
    t_TensorList *values = t_list_new(NULL, 0);
    for (int64_t i = 0; i < list->len; i++)
        if (!values || !t_list_append(values, update(list->items[i], a, b))) return false;
    for (int64_t i = 0; i < list->len; i++) {
        tg_overwrite(list->items[i], values->items[i]);
    }
    return true;
}

bool tg_scale_all(const t_TensorList *list, Tensor *factor) {
    return tg_update_all(list, scaled, scale, factor, NULL);
}
