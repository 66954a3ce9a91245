/* optim/custom_optimizer.c: optimizers whose step is a user's function, and the state tensors that they store for each
 * parameter. */
#include <string.h>

#include "optim/optimizer_internal.h"

static bool takes_anything(const optim_ParamGroup *group) {
    (void)group;
    return true;
}

static int no_states(const optim_ParamGroup *group) {
    (void)group;
    return 0;
}

/* Schedulers that cycle the momentum use "betas" if a group has it, else "momentum", as in PyTorch. */
static const tg_Algorithm with_betas = {.name = "Optimizer", .momentum = tg_beta1, .check = takes_anything,
                                        .states = no_states, .kind = TG_CUSTOM};
static const tg_Algorithm with_momentum = {.name = "Optimizer", .momentum = tg_momentum, .check = takes_anything,
                                           .states = no_states, .kind = TG_CUSTOM};
static const tg_Algorithm without = {.name = "Optimizer", .momentum = tg_no_momentum, .check = takes_anything,
                                     .states = no_states, .kind = TG_CUSTOM};

/* ---- the hyperparameters of a group ---- */

static const tg_Hyperparameter *find_hyperparameter(const char *name, int *index) {
    for (*index = 0; *index < TG_HYPERPARAMETERS; ++*index)
        if (strcmp(tg_hyperparameters[*index].name, name) == 0) return &tg_hyperparameters[*index];
    return NULL;
}

static bool check_names(const optim_Hyperparameter *own, unsigned given) {
    int index;
    bool ended = false;
    for (int i = 0; i < OPTIM_MAX_HYPERPARAMETERS; i++) {
        const char *name = own[i].name;
        if (!memchr(name, 0, sizeof own[i].name))
            return tg_fail("a name in .own has at most %d characters", (int)sizeof own[i].name - 1);
        if (ended && *name) return tg_fail("a value in .own has no name: the one before '%s'", name);
        ended = !*name;
        if (*name && ((find_hyperparameter(name, &index) && (given >> index & 1)) || strcmp(name, "params") == 0 ||
                      strchr(name, '.')))
            return tg_fail("a value in .own cannot have the name '%s'", name);
        for (int k = 0; k < i && *name; k++)
            if (strcmp(own[k].name, name) == 0) return tg_fail("two values in .own have the name '%s'", name);
    }
    return true;
}

/* Errors: no function, an empty list, a parameter that is not a leaf or is listed twice; names in .own that a group has
 * already. */
optim_Optimizer *optim_Optimizer_new(const t_TensorList *params, void (*step)(optim_Optimizer *self),
                                     const optim_GroupOptions *defaults) {
    optim_GroupOptions o = optim_GroupDefaults;
    if (!tg_check_given(step != NULL, 2, "a function") || !tg_take_options(&o, defaults, sizeof o)) return NULL;
    if (isnan(o.lr)) o.lr = 1e-3;
    optim_ParamGroup none = {.known = tg_given_hyperparameters(&o)};
    if (!check_names(o.own, none.known)) return NULL;
    memcpy(none.own, o.own, sizeof o.own);
    const optim_ParamGroup group = tg_group_of(&none, &o);
    const tg_Algorithm *algorithm = !isnan(o.betas[0]) ? &with_betas : !isnan(o.momentum) ? &with_momentum : &without;
    optim_Optimizer *optimizer = tg_optimizer_new(algorithm, params, &group);
    if (optimizer) optimizer->step = step;
    return optimizer;
}

/* The value of that name in group->own; NULL without an error where there is none. */
static double *find_own_value(const optim_ParamGroup *group, const char *name) {
    for (int i = 0; i < OPTIM_MAX_HYPERPARAMETERS; i++)
        if (*name && strcmp(group->own[i].name, name) == 0) return (double *)&group->own[i].value;
    return NULL;
}

double optim_group_get(const optim_ParamGroup *group, const char *name) {
    int index;
    if (!tg_check_given(group != NULL, 1, "a group") || !tg_check_given(name != NULL, 2, "a name")) return (double)NAN;
    const double *own = find_own_value(group, name);
    const tg_Hyperparameter *h = own ? NULL : find_hyperparameter(name, &index);
    const char *field = h && (group->known >> index & 1) ? (const char *)group + h->in_group : NULL;
    if (own) return *own;
    if (field && h->type == tg_integer) return (double)*(const int64_t *)field;
    if (field) return h->type == tg_flag ? (double)*(const bool *)field : *(const double *)field;
    tg_fail("KeyError: '%s'", name);
    return (double)NAN;
}

bool optim_group_set(optim_ParamGroup *group, const char *name, double value) {
    int index;
    if (!tg_check_given(group != NULL, 1, "a group") || !tg_check_given(name != NULL, 2, "a name")) return false;
    double *own = find_own_value(group, name);
    const tg_Hyperparameter *h = own ? NULL : find_hyperparameter(name, &index);
    char *field = h ? (char *)group + h->in_group : NULL;
    if (own) *own = value;
    else if (field && h->type == tg_flag) *(bool *)field = value != 0;
    else if (field && h->type == tg_integer) *(int64_t *)field = (int64_t)value;
    else if (field) *(double *)field = value;
    if (field) group->known |= 1u << index;
    return own || field || tg_fail("KeyError: '%s'", name);
}

/* ---- optimizer.state[p] ---- */

static tg_ParamState *state_of_parameter(const optim_Optimizer *optimizer, const Tensor *p, const char *name,
                                         const optim_ParamGroup **group) {
    if (!tg_check_optimizer(optimizer) || !tg_check_any(p, 2) ||
        !tg_check_given(name != NULL, 3, "a name")) return NULL;
    for (int64_t g = 0; g < optimizer->len; g++) {
        *group = &optimizer->param_groups[g];
        for (int64_t i = 0; i < (*group)->params->len; i++)
            if ((*group)->params->items[i] == p) return &(*group)->state[i];
    }
    return tg_fail("argument 2 is not a parameter of the optimizer");
}

Tensor *optim_state(const optim_Optimizer *optimizer, const Tensor *p, const char *name) {
    const optim_ParamGroup *group;
    const tg_ParamState *state = state_of_parameter(optimizer, p, name, &group);
    if (!state) return NULL;
    for (int k = 0; k < optimizer->algorithm->states(group); k++)
        if (strcmp(optimizer->algorithm->state_name(group, k), name) == 0) return state->x[k];
    Tensor *scalar = tg_state_scalar(optimizer->algorithm, state, name);
    if (scalar) return scalar;
    const t_DictItem *item = state->own ? tg_dict_find(state->own, name) : NULL;
    return item ? item->tensor : NULL;
}

Tensor *optim_set_state(optim_Optimizer *optimizer, Tensor *p, const char *name, Tensor *x) {
    const optim_ParamGroup *group;
    tg_ParamState *state = state_of_parameter(optimizer, p, name, &group);
    if (!state || !tg_check_any(x, 4)) return NULL;
    if (!optimizer->step)
        return tg_fail("%s keeps a state of its own; optim_Optimizer makes an optimizer of yours",
                       optimizer->algorithm->name);
    if (x->requires_grad) x = t_detach(x);
    t_TensorDict *own = x && !state->own ? t_dict_new() : state->own;
    if (!x || !own || !t_dict_set(own, name, x)) return NULL;
    if (!state->own) state->own = tg_take_from_scope(own);
    return x;
}
