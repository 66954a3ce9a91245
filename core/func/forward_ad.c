/* core/func/forward_ad.c: torch.autograd.forward_ad, by the double-backward trick. */
#include "core/func/forward_ad.h"

#include "core/func/func_internal.h"

/* The dual tensors of the level, and their tangents. The root scope owns it, and the thread's context refers to it. */
typedef struct DualLevel {
    t_Object object;
    bool grad_enabled; /* before it was entered */
    t_TensorList *duals, *tangents;
} DualLevel;

static void level_destroy(void *object) {
    DualLevel *level = object;
    tg_object_dispose(&level->object);
    tg_thread.dual_level = NULL;
    for (int64_t i = 0; level->duals && i < level->duals->len; i++)
        if (!level->duals->items[i]->record) level->duals->items[i]->requires_grad = false;
    t_release(level->duals);
    t_release(level->tangents);
    tg_object_free(&level->object, sizeof *level);
}

static const t_Class level_class = {"DualLevel", level_destroy};

bool t_autograd_forward_ad_enter_dual_level(void) {
    if (tg_context()->dual_level) return tg_fail("Nested forward mode AD is not supported at the moment");
    const int depth = t_scope_open();
    DualLevel *level = depth ? tg_alloc(sizeof *level) : NULL;
    if (level) {
        tg_object_init(&level->object, &level_class);
        level->duals = t_retain(t_list_new(NULL, 0));
        level->tangents = level->duals ? t_retain(t_list_new(NULL, 0)) : NULL;
    }
    if (level && level->tangents) {
        level->grad_enabled = t_set_grad_enabled(true);
        tg_thread.dual_level = t_keep_forever(level);
    }
    t_scope_close(depth);
    return tg_thread.dual_level != NULL;
}

bool t_autograd_forward_ad_exit_dual_level(void) {
    DualLevel *level = (DualLevel *)tg_context()->dual_level;
    if (!level) return tg_fail("Trying to exit a forward AD level but no level exists");
    t_set_grad_enabled(level->grad_enabled);
    t_release(tg_take_from_scope(level));
    return true;
}

bool tg_check_dual(const Tensor *primal, const Tensor *tangent) {
    const Tensor *both[] = {primal, tangent};
    for (int i = 0; i < 2; i++)
        if (!tg_is_floating(both[i]->dtype))
            return tg_fail("Expected %s to be floating point or complex, but got: torch.%s", i ? "tangent" : "primal",
                           tg_dtype_name(both[i]->dtype));
    return tg_same_shape(primal, tangent) ||
        tg_fail("Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                "not supported. Tensor is of size %s while the given forward gradient is of size %s.",
                tg_shape_of(primal), tg_shape_of(tangent));
}

Tensor *t_autograd_forward_ad_make_dual(Tensor *tensor, Tensor *tangent) {
    if (!tg_check_any_two(tensor, tangent)) return NULL;
    DualLevel *level = (DualLevel *)tg_context()->dual_level;
    if (!level)
        return tg_fail("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                       "enter_dual_level() first.");
    if (!tg_check_dual(tensor, tangent)) return NULL;
    for (int64_t i = 0; i < level->duals->len; i++)
        if (level->duals->items[i] == tensor)
            return tg_fail("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.");
    const bool grad_enabled = t_set_grad_enabled(true);
    Tensor *dual = tg_own_input(tensor, level->grad_enabled, true);
    t_set_grad_enabled(grad_enabled);
    if (!dual || !t_list_append(level->duals, dual)) return NULL;
    if (t_list_append(level->tangents, tangent)) return dual;
    t_release(level->duals->items[--level->duals->len]);
    return NULL;
}

/* *tangent = the derivative of y along the tangents of the level's dual tensors, NULL if it depends on none. */
static bool find_tangent(const DualLevel *level, Tensor *y, Tensor **tangent) {
    bool others;
    t_TensorList *outputs = t_list_new(&y, 1), *u = tg_zeros_like_all(outputs, true);
    t_TensorList *uJ = u ? tg_transposed_gradients(outputs, level->duals, u) : NULL;
    if (!uJ || !tg_find_other_leaves(outputs, level->duals, NULL, &others)) return false;
    for (int64_t i = 0; i < level->tangents->len; i++) others |= level->tangents->items[i]->requires_grad;
    t_TensorList *dy = tg_gradients(uJ, u, level->tangents, others && level->grad_enabled, true);
    if (!dy) return false;
    *tangent = tg_outer_result(dy->items[0], level->duals, u, level->grad_enabled);
    return *tangent || !dy->items[0];
}

Tensor *t_autograd_forward_ad_unpack_dual(Tensor *tensor, const t_UnpackDualOptions *options) {
    t_UnpackDualOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_any(tensor, 1)) return NULL;
    const DualLevel *level = (const DualLevel *)tg_context()->dual_level;
    Tensor *primal = tensor, *tangent = NULL;
    if (level && tensor->requires_grad && tg_is_floating(tensor->dtype)) {
        const bool grad_enabled = t_set_grad_enabled(true);
        const int depth = t_scope_open();
        if (!depth || !find_tangent(level, tensor, &tangent)) primal = NULL;
        if (primal) primal = tg_outer_result(tensor, level->duals, NULL, level->grad_enabled);
        t_retain(primal);
        tg_scope_return(depth, primal ? tangent : NULL);
        tg_add_to_scope(primal);
        t_release(primal);
        t_set_grad_enabled(grad_enabled);
    }
    if (primal && o.tangent) *o.tangent = tangent;
    return primal;
}
