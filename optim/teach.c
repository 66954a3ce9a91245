/* optim/teach.c: teaching mode (core/autograd/teach.h) in optim_step. */
#include "optim/optimizer_internal.h"

/* A parameter that had a gradient in an earlier step (and so has state) is not reported: a step may leave a part of the
 * model out. */
static bool never_had_gradient(const optim_ParamGroup *group, int64_t i) {
    const Tensor *p = group->params->items[i];
    return p->requires_grad && !p->grad && !p->taught_at_step && group->state[i].step == 0;
}

void tg_teach_before_step(const optim_Optimizer *optimizer) {
    static WarnedSites sites;
    bool warned = false;
    int64_t count = 0, missing = 0, position = 0;
    const Tensor *first = NULL;
    for (int64_t g = 0; g < optimizer->len; g++)
        for (int64_t i = 0; i < optimizer->param_groups[g].params->len; i++, count++) {
            if (!never_had_gradient(&optimizer->param_groups[g], i)) continue;
            if (missing++ == 0) first = optimizer->param_groups[g].params->items[i], position = count;
        }
    if (!missing || !tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: %lld of the optimizer's %lld parameters have no gradient (the first is number "
                     "%lld, of shape %s), so this step leaves them unchanged. Call t_backward(loss) before optim_step, "
                     "and check that the loss is computed from them; t_requires_grad_(p, false) freezes one on "
                     "purpose.",
            (long long)missing, (long long)count, (long long)position, tg_shape_of(first));
}

void tg_teach_after_step(const optim_Optimizer *optimizer) {
    tg_thread.optimizer_steps++;
    for (int64_t g = 0; g < optimizer->len; g++)
        for (int64_t i = 0; i < optimizer->param_groups[g].params->len; i++) {
            Tensor *p = optimizer->param_groups[g].params->items[i];
            p->used_grad_version = p->grad ? (int32_t)(p->grad->storage->version + 1) : 0;
        }
}
