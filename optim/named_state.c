/* optim/named_state.c: what algorithms share whose step is written in ops. */
#include "optim/named_state.h"

#include <string.h>

Tensor *tg_state_get(const tg_NamedState *state, const char *name) {
    const t_DictItem *item = *state->dict ? tg_dict_find(*state->dict, name) : NULL;
    return item ? item->tensor : NULL;
}

Tensor *tg_state_set(const tg_NamedState *state, const char *name, Tensor *x) {
    if (!x || (!*state->dict && !(*state->dict = tg_take_from_scope(t_dict_new())))) return NULL;
    return t_dict_set(*state->dict, name, x) ? x : NULL;
}

int tg_no_states(const optim_ParamGroup *group) {
    (void)group;
    return 0;
}

double tg_own_or_nan(const optim_ParamGroup *group, const char *name) {
    for (int i = 0; i < OPTIM_MAX_HYPERPARAMETERS; i++)
        if (strcmp(group->own[i].name, name) == 0) return group->own[i].value;
    return (double)NAN;
}

Tensor *tg_float32_scalar(double value) {
    return t_full(NULL, 0, value, NULL);
}

static bool update_group(optim_ParamGroup *group, tg_UpdateByOps *update) {
    for (int64_t i = 0; i < group->params->len; i++) {
        Tensor *p = group->params->items[i];
        tg_NamedState state = {&group->state[i].own};
        if (!p->grad) continue;
        const int depth = t_scope_open();
        const bool ok = depth && update(group, p, t_detach(p->grad), &state);
        tg_scope_close(depth);
        if (!ok) return false;
    }
    return true;
}

bool tg_step_by_ops(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss, tg_UpdateByOps *update) {
    if (closure && !(*loss = tg_call_closure(closure))) return false;
    if (tg_thread.teaching) tg_teach_before_step(optimizer);
    bool ok = true;
    for (int64_t g = 0; ok && g < optimizer->len; g++) ok = update_group(&optimizer->param_groups[g], update);
    if (tg_thread.teaching && ok) tg_teach_after_step(optimizer);
    return ok;
}
