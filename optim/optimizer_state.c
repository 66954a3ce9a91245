/* optim/optimizer_state.c: optimizer.state_dict() and optimizer.load_state_dict(), in PyTorch's structure, flat:
 *
 *     state.0.step  state.0.exp_avg  state.0.exp_avg_sq  ...
 *     param_groups.0.lr  param_groups.0.betas.0  param_groups.0.params.0
 *
 * Loading builds new groups and states, which replace the optimizer's when everything has been read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "optim/optimizer_internal.h"
#include "optim/state_io.h"

/* ---- the hyperparameters of a group ---- */

#define DOUBLE(name, used_by) {#name, used_by, offsetof(optim_ParamGroup, name), offsetof(optim_GroupOptions, name), \
                               tg_double}
#define FLAG(name, used_by) {#name, used_by, offsetof(optim_ParamGroup, name), offsetof(optim_GroupOptions, name), \
                             tg_flag}
#define DOUBLES(name, index, used_by)                                                        \
    {#name "." #index, used_by, offsetof(optim_ParamGroup, name) + (index) * sizeof(double), \
     offsetof(optim_GroupOptions, name) + (index) * sizeof(double), tg_double}
#define LBFGS_ONLY(name, type) {#name, TG_LBFGS, offsetof(optim_ParamGroup, name), 0, type}
enum {
    WITH_BETAS = TG_ADAM | TG_ADAMAX | TG_NADAM | TG_RADAM,
    WITH_EPS = WITH_BETAS | TG_RMSPROP | TG_ADAGRAD | TG_ADADELTA | TG_MUON,
    WITH_WEIGHT_DECAY = WITH_EPS | TG_SGD | TG_ASGD | TG_ADAFACTOR,
    ALL = WITH_WEIGHT_DECAY | TG_RPROP | TG_LBFGS
};
const tg_Hyperparameter tg_hyperparameters[TG_HYPERPARAMETERS] = {
    DOUBLE(lr, ALL),
    LBFGS_ONLY(max_iter, tg_integer),
    LBFGS_ONLY(max_eval, tg_integer),
    LBFGS_ONLY(tolerance_grad, tg_double),
    LBFGS_ONLY(tolerance_change, tg_double),
    LBFGS_ONLY(history_size, tg_integer),
    DOUBLE(rho, TG_ADADELTA),
    DOUBLE(lr_decay, TG_ADAGRAD),
    DOUBLE(lambd, TG_ASGD),
    DOUBLES(betas, 0, WITH_BETAS),
    DOUBLES(betas, 1, WITH_BETAS),
    DOUBLES(etas, 0, TG_RPROP),
    DOUBLES(etas, 1, TG_RPROP),
    DOUBLES(step_sizes, 0, TG_RPROP),
    DOUBLES(step_sizes, 1, TG_RPROP),
    DOUBLE(momentum, TG_SGD | TG_RMSPROP | TG_MUON),
    DOUBLE(dampening, TG_SGD),
    DOUBLE(alpha, TG_RMSPROP | TG_ASGD),
    DOUBLE(t0, TG_ASGD),
    DOUBLE(eps, WITH_EPS),
    FLAG(centered, TG_RMSPROP),
    DOUBLE(weight_decay, WITH_WEIGHT_DECAY),
    DOUBLE(momentum_decay, TG_NADAM),
    DOUBLE(initial_accumulator_value, TG_ADAGRAD),
    FLAG(nesterov, TG_SGD | TG_MUON),
    FLAG(amsgrad, TG_ADAM),
    FLAG(maximize, ALL & ~TG_MUON),
    FLAG(decoupled_weight_decay, TG_ADAM | TG_NADAM | TG_RADAM)};
/* Fields that schedulers set; NaN: not set. */
static const struct {
    const char *name;
    size_t offset;
} of_schedulers[] = {{"initial_lr", offsetof(optim_ParamGroup, initial_lr)},
                     {"max_lr", offsetof(optim_ParamGroup, max_lr)},
                     {"min_lr", offsetof(optim_ParamGroup, min_lr)},
                     {"max_momentum", offsetof(optim_ParamGroup, max_momentum)},
                     {"base_momentum", offsetof(optim_ParamGroup, base_momentum)},
                     {"swa_lr", offsetof(optim_ParamGroup, swa_lr)}};
enum { OF_SCHEDULERS = sizeof of_schedulers / sizeof *of_schedulers };

/* None is not in a state dict. */
static bool io_line_search(tg_StateIO *io, optim_ParamGroup *group) {
    const char *const name = "line_search_fn";
    if (io->mode == tg_writing) return !group->line_search_fn || tg_io_put_text(io, name, group->line_search_fn);
    group->line_search_fn = NULL;
    const char *saved = tg_io_find_text(io, name);
    if (!saved) return true;
    group->line_search_fn = "strong_wolfe";
    return strcmp(saved, "strong_wolfe") == 0 || tg_fail("only 'strong_wolfe' is supported");
}

static bool io_adjust_lr(tg_StateIO *io, optim_ParamGroup *group) {
    const char *const name = "adjust_lr_fn";
    if (io->mode == tg_writing) return !group->adjust_lr_fn || tg_io_put_text(io, name, group->adjust_lr_fn);
    const char *saved = tg_io_find_text(io, name);
    group->adjust_lr_fn = tg_adjust_lr_fn(saved);
    return !saved || group->adjust_lr_fn || tg_fail("Adjust learning rate function %s is not supported", saved);
}

/* A missing flag is false, as in PyTorch; foreach, fused etc. select implementations, of which there is one here. */
static bool io_hyperparameters(tg_StateIO *io, const tg_Algorithm *algorithm, optim_ParamGroup *group) {
    bool ok = true;
    for (int i = 0; ok && i < TG_HYPERPARAMETERS; i++) {
        const tg_Hyperparameter *h = &tg_hyperparameters[i];
        void *field = (char *)group + h->in_group;
        if (!(group->known >> i & 1)) continue;
        if (h->type == tg_double) ok = tg_io_number(io, h->name, field);
        else if (h->type == tg_integer) ok = tg_io_int64(io, h->name, field, INT64_MIN);
        else if (io->mode == tg_writing || tg_io_find(io, "%s", h->name)) ok = tg_io_flag(io, h->name, field);
        else *(bool *)field = false;
    }
    for (int i = 0; ok && i < OPTIM_MAX_HYPERPARAMETERS && *group->own[i].name; i++)
        ok = tg_io_number(io, group->own[i].name, &group->own[i].value);
    if (ok && algorithm->kind == TG_LBFGS) ok = io_line_search(io, group);
    if (ok && algorithm->kind == TG_MUON) ok = io_adjust_lr(io, group);
    if (algorithm->is_decoupled) group->decoupled_weight_decay = true;
    for (int i = 0; ok && i < OF_SCHEDULERS; i++) {
        double *field = (double *)((char *)group + of_schedulers[i].offset);
        if (io->mode != tg_writing) *field = (double)NAN;
        if (io->mode == tg_writing ? !isnan(*field) : tg_io_find(io, "%s", of_schedulers[i].name) != NULL)
            ok = tg_io_number(io, of_schedulers[i].name, field);
    }
    return ok;
}

/* ---- state_dict ---- */

/* The state is a dict of its own, tg_ParamState.own. */
static bool has_named_state(const tg_Algorithm *algorithm) {
    return (algorithm->kind & (TG_CUSTOM | TG_LBFGS | TG_MUON | TG_ADAFACTOR)) != 0;
}

bool tg_counts_steps(const tg_Algorithm *algorithm) {
    return algorithm->kind != TG_SGD && !has_named_state(algorithm);
}

/* A float32 as in PyTorch, while that is exact. */
static Tensor *scalar_tensor(double x) {
    t_TensorOptions options = {.size = sizeof options, .dtype = (double)(float)x == x ? t_float32 : t_float64};
    return t_full(NULL, 0, x, &options);
}

Tensor *tg_state_scalar(const tg_Algorithm *algorithm, const tg_ParamState *state, const char *name) {
    if (!state->step) return NULL;
    if (tg_counts_steps(algorithm) && strcmp(name, "step") == 0) return scalar_tensor((double)state->step);
    for (int k = 0; k < TG_MAX_SCALARS && algorithm->scalar_names[k]; k++)
        if (strcmp(name, algorithm->scalar_names[k]) == 0) return scalar_tensor(state->scalars[k]);
    return NULL;
}

static bool write_named_state(tg_StateIO *io, const t_TensorDict *own, int64_t id) {
    size_t before;
    bool ok = tg_io_enter(io, &before, "state.%" PRId64 ".", id);
    for (int64_t i = 0; ok && own && i < own->len; i++)
        ok = own->items[i].text ? tg_io_put_text(io, own->items[i].name, own->items[i].text)
                                : tg_io_put(io, own->items[i].name, own->items[i].tensor);
    io->at = before;
    return ok;
}

/* Adagrad has state from the start, the others from the first update on. */
static bool write_state(tg_StateIO *io, const tg_Algorithm *algorithm, const optim_ParamGroup *group, int64_t i,
                        int64_t id) {
    const tg_ParamState *state = &group->state[i];
    if (has_named_state(algorithm)) return write_named_state(io, state->own, id);
    const int states = algorithm->states(group);
    size_t before;
    if ((!state->step && !algorithm->has_state_before_step) || (!states && !tg_counts_steps(algorithm))) return true;
    bool ok = tg_io_enter(io, &before, "state.%" PRId64 ".", id);
    if (ok && tg_counts_steps(algorithm)) ok = tg_io_put(io, "step", scalar_tensor((double)state->step));
    for (int k = 0; ok && k < TG_MAX_SCALARS && algorithm->scalar_names[k]; k++)
        ok = tg_io_put(io, algorithm->scalar_names[k], scalar_tensor(state->scalars[k]));
    for (int k = 0; ok && k < states; k++) {
        Tensor *x = state->x[k];
        if (!x && !algorithm->has_state_before_step) continue;
        if (!x && (x = t_zeros_like(group->params->items[i]))) tg_fill_into(x, algorithm->start(group, k));
        ok = tg_io_put(io, algorithm->state_name(group, k), x);
    }
    io->at = before;
    return ok;
}

static bool write_group(tg_StateIO *io, const tg_Algorithm *algorithm, optim_ParamGroup *group, int64_t g,
                        int64_t first_id) {
    char key[32];
    size_t before;
    bool ok = tg_io_enter(io, &before, "param_groups.%" PRId64 ".", g) && io_hyperparameters(io, algorithm, group);
    for (int64_t i = 0; ok && i < group->params->len; i++) {
        snprintf(key, sizeof key, "params.%" PRId64, i);
        ok = tg_io_put(io, key, t_integer(first_id + i));
    }
    if (ok && !group->params->len) ok = tg_io_put_text(io, "params", "{}");
    io->at = before;
    return ok;
}

static bool write_all(tg_StateIO *io, const optim_Optimizer *optimizer) {
    const tg_Algorithm *algorithm = optimizer->algorithm;
    int64_t id = 0;
    for (int64_t g = 0; g < optimizer->len; g++) {
        const optim_ParamGroup *group = &optimizer->param_groups[g];
        for (int64_t i = 0; i < group->params->len; i++)
            if (!write_state(io, algorithm, group, i, id++)) return false;
    }
    if (!io->dict->len && !tg_io_put_text(io, "state", "{}")) return false;
    id = 0;
    for (int64_t g = 0; g < optimizer->len; id += optimizer->param_groups[g++].params->len)
        if (!write_group(io, algorithm, &optimizer->param_groups[g], g, id)) return false;
    return true;
}

/* optimizer.state_dict(): see optimizer.h. The tensors are the optimizer's own, as in PyTorch: the next step changes
 * them. */
t_TensorDict *optim_state_dict(const optim_Optimizer *optimizer) {
    if (!tg_check_optimizer(optimizer)) return NULL;
    optim_Optimizer *self = (optim_Optimizer *)(uintptr_t)optimizer; /* its hooks may change it */
    int depth = tg_call_hooks(self, self->state_dict_pre_hooks) ? t_scope_open() : 0;
    tg_StateIO io = {.mode = tg_writing, .dict = depth ? t_dict_new() : NULL};
    t_TensorDict *dict = io.dict && write_all(&io, optimizer) ? io.dict : NULL;
    return tg_scope_return(depth, tg_call_dict_hooks(self, self->state_dict_post_hooks, dict));
}

/* ---- load_state_dict ---- */

static bool check_sizes(const optim_Optimizer *optimizer, const t_TensorDict *dict) {
    int64_t groups = 0, *sizes = tg_alloc((size_t)optimizer->len * sizeof *sizes), g, i;
    if (!sizes) return false;
    for (int64_t at = 0; at < dict->len; at++) {
        const char *rest = tg_io_parse_index(&dict->items[at], "param_groups.", &g);
        if (!rest || g < 0) continue;
        if (g >= groups) groups = g < INT64_MAX ? g + 1 : g;
        if (g < optimizer->len && strncmp(rest, ".params.", 8) == 0) sizes[g]++;
    }
    bool ok = groups == optimizer->len || tg_fail("loaded state dict has a different number of parameter groups");
    for (i = 0; ok && i < optimizer->len; i++)
        if (sizes[i] != optimizer->param_groups[i].params->len)
            ok = tg_fail(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
    tg_free(sizes, (size_t)optimizer->len * sizeof *sizes);
    return ok;
}

static Tensor *state_of(tg_StateIO *io, const char *name, Tensor *p) {
    Tensor *saved = tg_io_get(io, name);
    if (!saved) return NULL;
    if (saved->ndim != p->ndim || !tg_same_shape(saved, p))
        return tg_fail(
            "size mismatch for %s: copying a state with shape torch.Size(%s) from checkpoint, the parameter's shape is "
            "torch.Size(%s).",
            io->name, tg_shape_of(saved), tg_shape_of(p));
    Tensor *x = tg_optimizer_state(p, 0);
    if (x) tg_copy_into(x, saved);
    return x;
}

/* A copy for the optimizer: floating values in the parameter's dtype except "step", as in PyTorch, and the numbers of
 * LBFGS. */
static Tensor *copy_named_state(const tg_Algorithm *algorithm, const t_DictItem *item, const char *name,
                                const Tensor *p) {
    const bool is_number = algorithm->kind == TG_LBFGS && !item->tensor->ndim,
               keeps_dtype = is_number || strcmp(name, "step") == 0 || !tg_is_floating(p->dtype) ||
                             !tg_is_floating(item->tensor->dtype);
    return t_clone(t_detach(keeps_dtype ? item->tensor : t_to(item->tensor, p->dtype)));
}

static bool read_named_state(tg_StateIO *io, const tg_Algorithm *algorithm, tg_ParamState *state, const Tensor *p,
                             int64_t id) {
    for (int64_t at = 0; at < io->dict->len; at++) {
        const t_DictItem *item = &io->dict->items[at];
        int64_t number;
        const char *rest = tg_io_parse_index(item, "state.", &number);
        if (!rest || number != id || *rest != '.') continue;
        if (!state->own && !(state->own = tg_take_from_scope(t_dict_new()))) return false;
        if (algorithm->kind == TG_LBFGS && strncmp(rest, ".al.", 4) == 0) continue; /* PyTorch's temporary values */
        if (item->text ? !t_dict_set_text(state->own, rest + 1, item->text)
                       : !t_dict_set(state->own, rest + 1, copy_named_state(algorithm, item, rest + 1, p)))
            return false;
    }
    return true;
}

/* The state of the group's parameter i, which has the index `id` in the dict. */
static bool read_state(tg_StateIO *io, const tg_Algorithm *algorithm, optim_ParamGroup *group, int64_t i, int64_t id) {
    tg_ParamState *state = &group->state[i];
    if (has_named_state(algorithm)) return read_named_state(io, algorithm, state, group->params->items[i], id);
    const int states = algorithm->states(group);
    size_t before;
    bool ok = tg_io_enter(io, &before, "state.%" PRId64 ".", id),
         any = ok && tg_counts_steps(algorithm) && tg_io_find(io, "step");
    for (int k = 0; ok && k < states; k++) any = any || tg_io_find(io, "%s", algorithm->state_name(group, k));
    state->step = any;
    if (ok && any && tg_counts_steps(algorithm)) ok = tg_io_count(io, "step", &state->step, 0);
    for (int k = 0; ok && any && k < TG_MAX_SCALARS && algorithm->scalar_names[k]; k++)
        ok = tg_io_float(io, algorithm->scalar_names[k], &state->scalars[k]);
    for (int k = 0; ok && any && k < states; k++)
        ok = (state->x[k] = state_of(io, algorithm->state_name(group, k), group->params->items[i])) != NULL;
    io->at = before;
    return ok;
}

/* `fresh` is a copy of the optimizer's group, with its own state. */
static bool read_group(tg_StateIO *io, const tg_Algorithm *algorithm, optim_ParamGroup *fresh, int64_t g) {
    char key[64];
    size_t before;
    int64_t id = 0;
    bool ok = tg_io_enter(io, &before, "param_groups.%" PRId64 ".", g) && io_hyperparameters(io, algorithm, fresh) &&
              algorithm->check(fresh);
    io->at = before;
    for (int64_t i = 0; ok && i < fresh->params->len; i++) {
        snprintf(key, sizeof key, "param_groups.%" PRId64 ".params.%" PRId64, g, i);
        ok = tg_io_int64(io, key, &id, 0) && read_state(io, algorithm, fresh, i, id);
    }
    return ok;
}

static bool read_all(tg_StateIO *io, const optim_Optimizer *optimizer, optim_ParamGroup *fresh) {
    bool ok = true;
    for (int64_t g = 0; ok && g < optimizer->len; g++) {
        fresh[g] = optimizer->param_groups[g];
        fresh[g].state = tg_alloc((size_t)fresh[g].params->len * sizeof *fresh[g].state);
        ok = fresh[g].state && read_group(io, optimizer->algorithm, &fresh[g], g);
    }
    return ok;
}

static bool load(optim_Optimizer *optimizer, const t_TensorDict *state_dict) {
    if (!tg_check_dict(state_dict, 2) || !check_sizes(optimizer, state_dict)) return false;
    const size_t bytes = (size_t)optimizer->len * sizeof(optim_ParamGroup);
    optim_ParamGroup *fresh = tg_alloc(bytes);
    int depth = fresh ? t_scope_open() : 0;
    tg_StateIO io = {.mode = tg_reading, .dict = (t_TensorDict *)state_dict};
    const bool ok = depth && read_all(&io, optimizer, fresh);
    for (int64_t g = 0; fresh && g < optimizer->len; g++) { /* frees the old states, or on an error the new ones */
        optim_ParamGroup *group = &optimizer->param_groups[g], old = ok ? *group : fresh[g];
        if (ok) *group = fresh[g];
        if (old.state) tg_optimizer_free_state(&old);
    }
    t_scope_close(depth);
    tg_free(fresh, bytes);
    return ok;
}

/* optimizer.load_state_dict(state_dict): see optimizer.h. */
bool optim_load_state_dict(optim_Optimizer *optimizer, const t_TensorDict *state_dict) {
    if (!tg_check_optimizer(optimizer) || !tg_check_dict(state_dict, 2)) return false;
    const int depth = t_scope_open();
    t_TensorDict *dict = (t_TensorDict *)(uintptr_t)state_dict;
    dict = depth ? tg_call_dict_hooks(optimizer, optimizer->load_state_dict_pre_hooks, dict) : NULL;
    const bool ok = dict && load(optimizer, dict);
    t_scope_close(depth);
    return ok && tg_call_hooks(optimizer, optimizer->load_state_dict_post_hooks);
}
