/* optim/rprop.c: torch.optim.Rprop, resilient backpropagation.
 *
 *     s = etas[1] s                                    where the gradient g has the sign of the step before,
 *     s = etas[0] s, g = 0                             where it has the other sign
 *     s = min(max(s, step_sizes[0]), step_sizes[1])
 *     p = p - s sign(g)
 *
 * Each element has its own step size s, which is lr at first; the size of the gradient does not matter, so that the
 * method is for full batches. Riedmiller & Braun, "A direct adaptive method for faster backpropagation learning: the
 * RPROP algorithm", 1993. */
#include <stdio.h>

#include "optim/plain_loop.h"

static bool rprop_check(const optim_ParamGroup *group) {
    if (!tg_check_not_negative(group->lr, "learning rate")) return false;
    if (group->etas[0] > 0 && group->etas[0] < 1 && group->etas[1] > 1) return true;
    char lower[64];
    snprintf(lower, sizeof lower, "%s", tg_number_text(group->etas[0]));
    return tg_fail("Invalid eta values: %s, %s", lower, tg_number_text(group->etas[1]));
}

static int rprop_states(const optim_ParamGroup *group) {
    (void)group;
    return 2;
}

/* prev is 0 at first, step_size is lr. */
static double rprop_start(const optim_ParamGroup *group, int k) {
    return k == 0 ? 0 : group->lr;
}

/* x: p, gradient, the gradient of the step before, s */
#define RPROP(name, real, R)                                                                             \
    static void name(real *x, const tg_Update *update) {                                                 \
        const optim_ParamGroup *group = update->group;                                                   \
        const real g = group->maximize ? -x[1] : x[1], product = R(g * x[2]);                            \
        const real factor = product > 0 ? (real)group->etas[1] : product < 0 ? (real)group->etas[0] : 1; \
        const real least = R((real)group->step_sizes[0]), most = R((real)group->step_sizes[1]);          \
        x[3] = R(x[3] * R(factor));                                                                      \
        x[3] = x[3] < least ? least : x[3];                                                              \
        x[3] = x[3] > most ? most : x[3];                                                                \
        x[2] = product < 0 ? 0 : g;                                                                      \
        x[0] = R(x[0] - (real)((x[2] > 0) - (x[2] < 0)) * x[3]);                                         \
    }
TG_PLAIN_LOOPS(RPROP, rprop, 4)

static Loop rprop_loop(t_DType dtype) {
    return TG_PLAIN_LOOP_OF(rprop, dtype);
}

static const char *rprop_state_name(const optim_ParamGroup *group, int k) {
    (void)group;
    return k == 0 ? "prev" : "step_size";
}

static const tg_Algorithm rprop = {
    .name = "Rprop", .momentum = tg_no_momentum, .check = rprop_check, .states = rprop_states, .start = rprop_start,
    .loop = rprop_loop, .kind = TG_RPROP, .state_name = rprop_state_name};

const optim_RpropOptions optim_RpropDefaults = {OPTIM_RPROP_DEFAULTS_};

/* optim.Rprop(params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), maximize=False). Errors: an empty list, a
 * parameter that is not a leaf or is listed twice (PyTorch: a warning), lr below 0, etas that are not
 * 0 < etas[0] < 1 < etas[1]. */
optim_Optimizer *optim_Rprop_new(const t_TensorList *params, const optim_RpropOptions *options) {
    optim_RpropOptions o = optim_RpropDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&rprop, params,
                            &(optim_ParamGroup){.lr = o.lr, .etas = {o.etas[0], o.etas[1]},
                                                .step_sizes = {o.step_sizes[0], o.step_sizes[1]},
                                                .maximize = o.maximize});
}
