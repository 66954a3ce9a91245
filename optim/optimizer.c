/* optim/optimizer.c: torch.optim.Optimizer: parameter groups, step, zero_grad, and the checks before a step
 * (fused_step.c computes it). */
#include "core/autograd/hooks.h"
#include "core/tensor/profiler_hooks.h"
#include "optim/optimizer_internal.h"

#include <string.h>

/* ---- shared checks of the algorithms ---- */

bool tg_check_not_negative(double value, const char *name) {
    return value >= 0 || tg_fail("Invalid %s: %s", name, tg_number_text(value));
}

bool tg_check_betas(const optim_ParamGroup *group) {
    for (int i = 0; i < 2; i++)
        if (!(group->betas[i] >= 0 && group->betas[i] < 1))
            return tg_fail("Invalid beta parameter at index %d: %s", i, tg_number_text(group->betas[i]));
    return true;
}

/* ---- the object ---- */

void tg_optimizer_free_state(optim_ParamGroup *group) {
    for (int64_t i = 0; i < group->params->len; i++)
        for (int k = 0; k <= TG_MAX_STATES; k++)
            t_release(k < TG_MAX_STATES ? (void *)group->state[i].x[k] : group->state[i].own);
    tg_free(group->state, (size_t)group->params->len * sizeof *group->state);
}

static void group_free(optim_ParamGroup *group) {
    tg_optimizer_free_state(group);
    t_release(group->params);
}

static void optimizer_destroy(void *object) {
    optim_Optimizer *optimizer = object;
    tg_object_dispose(&optimizer->object);
    tg_hooks_release(&optimizer->step_pre_hooks);
    tg_hooks_release(&optimizer->step_post_hooks);
    tg_hooks_release(&optimizer->state_dict_pre_hooks);
    tg_hooks_release(&optimizer->state_dict_post_hooks);
    tg_hooks_release(&optimizer->load_state_dict_pre_hooks);
    tg_hooks_release(&optimizer->load_state_dict_post_hooks);
    for (int64_t g = 0; g < optimizer->len; g++) group_free(&optimizer->param_groups[g]);
    tg_free(optimizer->param_groups, (size_t)optimizer->capacity * sizeof *optimizer->param_groups);
    tg_object_free(&optimizer->object, sizeof *optimizer);
}

static const t_Class optimizer_class = {"Optimizer", optimizer_destroy};

bool tg_check_optimizer(const optim_Optimizer *optimizer) {
    if (!optimizer && t_error()) return false;
    if (!optimizer) return tg_fail("argument 1 is NULL where an optimizer is expected");
    return optimizer->object.is_a == &optimizer_class || tg_fail("argument 1 is not a live optimizer");
}

/* ---- parameter groups ---- */

static bool contains(const t_TensorList *list, const Tensor *x, int64_t before) {
    for (int64_t i = 0; i < before; i++)
        if (list->items[i] == x) return true;
    return false;
}

static bool check_params(const optim_Optimizer *optimizer, const t_TensorList *params) {
    if (!params && t_error()) return false;
    if (!params) return tg_fail("argument 1 is NULL where a list of parameters is expected");
    if (!tg_check_held_list(params, 1)) return false;
    if (!optimizer->len && !params->len) return tg_fail("optimizer got an empty parameter list");
    for (int64_t i = 0; i < params->len; i++) {
        const Tensor *p = params->items[i];
        if (p->record) return tg_fail("can't optimize a non-leaf Tensor");
        if (contains(params, p, i)) return tg_fail("optimizer contains a parameter group with duplicate parameters");
        for (int64_t g = 0; g < optimizer->len; g++)
            if (contains(optimizer->param_groups[g].params, p, optimizer->param_groups[g].params->len))
                return tg_fail("some parameters appear in more than one parameter group");
    }
    return true;
}

static bool grow_groups(optim_Optimizer *optimizer) {
    if (optimizer->len < optimizer->capacity) return true;
    size_t bytes = (size_t)optimizer->capacity * sizeof *optimizer->param_groups;
    optim_ParamGroup *larger = tg_alloc(bytes ? 2 * bytes : sizeof *larger);
    if (!larger) return false;
    if (bytes) memcpy(larger, optimizer->param_groups, bytes);
    tg_free(optimizer->param_groups, bytes);
    optimizer->param_groups = larger;
    optimizer->capacity = bytes ? 2 * optimizer->capacity : 1;
    return true;
}

/* The group copies the list, so that the caller's may change. */
static bool add_group(optim_Optimizer *optimizer, const t_TensorList *params, optim_ParamGroup group) {
    group.params = (t_TensorList *)(uintptr_t)params; /* for the check */
    if (!check_params(optimizer, params) || !optimizer->algorithm->check(&group)) return false;
    group.state = tg_alloc((size_t)params->len * sizeof *group.state);
    group.params = group.state ? tg_take_from_scope(t_list_new(params->items, params->len)) : NULL;
    if (!group.params || !grow_groups(optimizer)) {
        t_release(group.params);
        tg_free(group.state, (size_t)params->len * sizeof *group.state);
        return false;
    }
    optimizer->param_groups[optimizer->len++] = group;
    for (int64_t i = 0; i < params->len; i++) params->items[i]->has_optimizer = true;
    return true;
}

optim_Optimizer *tg_optimizer_new(const tg_Algorithm *algorithm, const t_TensorList *params,
                                  const optim_ParamGroup *defaults) {
    optim_Optimizer *optimizer = tg_alloc(sizeof *optimizer);
    if (!optimizer) return NULL;
    optimizer->algorithm = algorithm;
    optimizer->defaults = *defaults;
    optim_ParamGroup *group = &optimizer->defaults; /* NaN: not set by a scheduler */
    group->initial_lr = group->max_lr = group->min_lr = group->max_momentum = group->base_momentum = (double)NAN;
    group->swa_lr = (double)NAN;
    for (int i = 0; i < TG_HYPERPARAMETERS && algorithm->kind != TG_CUSTOM; i++)
        if (tg_hyperparameters[i].used_by & algorithm->kind) group->known |= 1u << i;
    if (!add_group(optimizer, params, optimizer->defaults)) {
        tg_free(optimizer->param_groups, (size_t)optimizer->capacity * sizeof *optimizer->param_groups);
        tg_free(optimizer, sizeof *optimizer);
        return NULL;
    }
    tg_object_init(&optimizer->object, &optimizer_class);
    return optimizer;
}

const optim_GroupOptions optim_GroupDefaults = {OPTIM_GROUP_DEFAULTS_};

/* True if the options set the hyperparameter: then *value is it. */
static bool is_given(const optim_GroupOptions *options, const tg_Hyperparameter *h, double *value) {
    const void *field = (const char *)options + h->in_options;
    *value = h->type == tg_flag ? *(const int *)field : *(const double *)field;
    if (!h->in_options) return false;
    return h->type == tg_flag ? *value >= 0 : !isnan(*value);
}

unsigned tg_given_hyperparameters(const optim_GroupOptions *options) {
    unsigned given = 0;
    double value;
    for (int i = 0; i < TG_HYPERPARAMETERS; i++)
        if (is_given(options, &tg_hyperparameters[i], &value)) given |= 1u << i;
    return given;
}

optim_ParamGroup tg_group_of(const optim_ParamGroup *defaults, const optim_GroupOptions *given) {
    optim_ParamGroup group = *defaults;
    double value;
    for (int i = 0; i < TG_HYPERPARAMETERS; i++) {
        const tg_Hyperparameter *h = &tg_hyperparameters[i];
        if (!is_given(given, h, &value)) continue;
        if (h->type == tg_flag) *(bool *)((char *)&group + h->in_group) = value != 0;
        else *(double *)((char *)&group + h->in_group) = value;
    }
    for (int i = 0; i < OPTIM_MAX_HYPERPARAMETERS; i++)
        for (int k = 0; k < OPTIM_MAX_HYPERPARAMETERS && *given->own[i].name; k++)
            if (strcmp(group.own[k].name, given->own[i].name) == 0) group.own[k].value = given->own[i].value;
    return group;
}

/* optimizer.add_param_group({"params": params, "lr": lr}): a new group; options that are not given are the
 * constructor's. Errors: as for the constructor; a parameter that another group has. */
bool optim_add_param_group(optim_Optimizer *optimizer, const t_TensorList *params, const optim_GroupOptions *options) {
    optim_GroupOptions o = optim_GroupDefaults;
    if (!tg_check_optimizer(optimizer) || !tg_take_options(&o, options, sizeof o)) return false;
    return add_group(optimizer, params, tg_group_of(&optimizer->defaults, &o));
}

/* ---- a step ---- */

static bool matches_parameter(const Tensor *x, const Tensor *p, int64_t index, const char *what) {
    if (tg_same_shape(x, p) && x->dtype == p->dtype) return true;
    return tg_fail("parameter %lld is %s of shape %s now, but its %s is %s of shape %s: make a new optimizer",
                   (long long)index, tg_dtype_name(p->dtype), tg_shape_of(p), what, tg_dtype_name(x->dtype),
                   tg_shape_of(x));
}

Tensor *tg_optimizer_state(Tensor *p, double start) {
    tg_Lifetime before = tg_set_lifetime(tg_permanent);
    Tensor *x = tg_take_from_scope(tg_empty_like(p, p->dtype));
    tg_set_lifetime(before);
    if (x) tg_fill_into(x, start);
    return x;
}

/* Everything that can fail: checks that the parameter may be written to and its gradient matches, allocates its state.
 */
static bool prepare(const tg_Algorithm *algorithm, optim_ParamGroup *group, int64_t i) {
    Tensor *p = group->params->items[i];
    if (tg_is_uninitialized(p)) return true;
    if (!tg_check_any(p, 1)) return false;
    if (!p->grad) return true;
    if (!tg_check_inplace(p) || !matches_parameter(p->grad, p, i, "gradient")) return false;
    for (int k = 0; k < algorithm->states(group); k++) {
        Tensor **x = &group->state[i].x[k];
        /* a momentum buffer that is added later is initialised as at the first step */
        if (!*x && algorithm->kind == TG_SGD) group->state[i].step = 0;
        if (*x && !matches_parameter(*x, p, i, "optimizer state")) return false;
        if (!*x && !(*x = tg_optimizer_state(p, algorithm->start ? algorithm->start(group, k) : 0))) return false;
    }
    for (int k = 0; k < TG_MAX_SCALARS && algorithm->scalar_names[k] && !group->state[i].step; k++)
        group->state[i].scalars[k] = (float)algorithm->scalar_start(group, k);
    return true;
}

/* Calls the user's function in a scope of its own. */
static bool step_by_function(optim_Optimizer *optimizer) {
    const int64_t failures = tg_context()->failures;
    const int depth = tg_scope_open_around_callback();
    if (depth) optimizer->step(optimizer);
    tg_scope_close(depth);
    return depth && !tg_failed_since(failures);
}

Tensor *tg_call_closure(const tg_Closure *closure) {
    const int64_t failures = tg_context()->failures;
    const int depth = tg_scope_open_around_callback();
    const bool grad_enabled = t_set_grad_enabled(true);
    Tensor *loss = depth ? closure->function(closure->context) : NULL;
    t_set_grad_enabled(grad_enabled);
    if (tg_failed_since(failures) || (loss && !tg_check_any(loss, 1))) loss = NULL;
    else if (!loss) tg_fail("the closure returned NULL where the loss is expected");
    return tg_scope_return(depth, loss);
}

/* The loops of the library's algorithms. */
static bool update_all(optim_Optimizer *optimizer) {
    const tg_Algorithm *algorithm = optimizer->algorithm;
    for (int64_t g = 0; g < optimizer->len; g++)
        for (int64_t i = 0; i < optimizer->param_groups[g].params->len; i++)
            if (!prepare(algorithm, &optimizer->param_groups[g], i)) return false;
    for (int64_t g = 0; g < optimizer->len; g++) tg_update_group(algorithm, &optimizer->param_groups[g]);
    return true;
}

/* Without recording. closure may be NULL; *loss is what it returned. */
static bool step_by(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss) {
    const tg_Algorithm *algorithm = optimizer->algorithm;
    if (algorithm->step) return algorithm->step(optimizer, closure, loss);
    if (closure && !(*loss = tg_call_closure(closure))) return false;
    if (tg_thread.teaching) tg_teach_before_step(optimizer);
    const bool ok = optimizer->step ? step_by_function(optimizer) : update_all(optimizer);
    if (tg_thread.teaching && ok) tg_teach_after_step(optimizer);
    return ok;
}

/* *dict: for hooks that get a dict, else NULL. */
static bool call_each(optim_Optimizer *optimizer, t_Hook *first, t_TensorDict **dict) {
    const int64_t failures = tg_context()->failures, newest = tg_thread.hooks_made;
    if (!first) return true;
    const int outer = t_scope_open(); /* holds the hooks, which may be removed while they run */
    bool ok = outer;
    for (t_Hook *hook = first; ok && hook; hook = hook->next) {
        tg_add_to_scope(hook);
        if (!hook->list || hook->number > newest) continue; /* removed, or registered by one of them */
        const int depth = tg_scope_open_around_callback();
        t_TensorDict *replaced = NULL;
        if (depth && dict) replaced = ((optim_StateDictHook *)hook->of_module)(optimizer, *dict, hook->context);
        else if (depth) ((optim_StepHook *)hook->of_module)(optimizer, hook->context);
        ok = depth && !tg_failed_since(failures);
        if (ok && replaced) *dict = replaced;
        tg_scope_return(depth, ok ? replaced : NULL);
    }
    if (dict && ok) tg_scope_return(outer, *dict);
    else t_scope_close(outer);
    return ok;
}

bool tg_call_hooks(optim_Optimizer *optimizer, t_Hook *first) {
    return call_each(optimizer, first, NULL);
}

t_TensorDict *tg_call_dict_hooks(optim_Optimizer *optimizer, t_Hook *first, t_TensorDict *dict) {
    return dict && call_each(optimizer, first, &dict) ? dict : NULL;
}

static const char *class_name(const optim_Optimizer *optimizer) {
    return optimizer->step ? "Optimizer" : optimizer->algorithm->name;
}

static bool step_with(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss) {
    if (!tg_check_optimizer(optimizer) || !tg_call_hooks(optimizer, optimizer->step_pre_hooks)) return false;
    const int profiled = tg_profile_begin(tg_range_step, class_name(optimizer));
    const bool grad_enabled = t_set_grad_enabled(false);
    const bool ok = step_by(optimizer, closure, loss);
    t_set_grad_enabled(grad_enabled);
    tg_profile_end(profiled);
    optimizer->steps_taken += ok;
    return ok && tg_call_hooks(optimizer, optimizer->step_post_hooks);
}

static t_Hook *register_hook(optim_Optimizer *optimizer, size_t list, void (*function)(void), void *context) {
    if (!tg_check_optimizer(optimizer) || !tg_check_given(function != NULL, 2, "a function")) return NULL;
    t_Hook *hook = tg_hook_new((t_Hook **)(void *)((char *)optimizer + list), false, context);
    if (hook) hook->of_module = function;
    return hook;
}

/* optimizer.register_step_pre_hook(hook), and so on: see optimizer.h. */
#define REGISTER(name, Function)                                                                          \
    t_Hook *optim_register_##name##_hook(optim_Optimizer *optimizer, Function *hook, void *context) {     \
        return register_hook(optimizer, offsetof(optim_Optimizer, name##_hooks), (void (*)(void))hook, context); \
    }
REGISTER(step_pre, optim_StepHook)
REGISTER(step_post, optim_StepHook)
REGISTER(state_dict_pre, optim_StepHook)
REGISTER(state_dict_post, optim_StateDictHook)
REGISTER(load_state_dict_pre, optim_StateDictHook)
REGISTER(load_state_dict_post, optim_StepHook)

/* optimizer.step(): updates every parameter that has a gradient, in place and outside autograd. State is allocated at
 * the first step that needs it; after that nothing is. Errors: no memory for the state; a parameter whose dtype or
 * shape changed since its state was allocated; LBFGS needs a closure. On an error no parameter has changed, except
 * those that a user's step function changed before it failed. */
bool optim_step(optim_Optimizer *optimizer) {
    return step_with(optimizer, NULL, NULL);
}

/* optimizer.step(closure): see optimizer.h. Errors: those of the closure, and of optim_step. LBFGS may have changed the
 * parameters before an error. */
Tensor *optim_step_closure(optim_Optimizer *optimizer, optim_Closure *closure, void *context) {
    Tensor *loss = NULL;
    if (!tg_check_optimizer(optimizer) || !tg_check_given(closure != NULL, 2, "a function")) return NULL;
    return step_with(optimizer, &(tg_Closure){closure, context}, &loss) ? loss : NULL;
}

/* ---- gradients and learning rates ---- */

static void zero_elements(int64_t n, char *const *p, const int64_t *s, const void *context) {
    size_t item = *(const size_t *)context;
    if (s[0] == (int64_t)item) memset(p[0], 0, (size_t)n * item);
    else for (int64_t i = 0; i < n; i++) memset(p[0] + i * s[0], 0, item);
}

/* Fills the gradient with zeros and drops its history (after create_graph). */
static void zero(Tensor *grad) {
    size_t item = tg_itemsize(grad->dtype);
    tg_set_record(grad, NULL);
    grad->requires_grad = false;
    tg_run(zero_elements, grad, NULL, 0, 0, &item);
    tg_bump_version(grad);
}

/* optimizer.zero_grad(set_to_none=True): releases the gradients, or with set_to_none = false fills them with zeros (a
 * parameter with a zero gradient is still updated by momentum or weight decay, one without a gradient is not). */
bool optim_zero_grad(optim_Optimizer *optimizer, bool set_to_none) {
    if (!tg_check_optimizer(optimizer)) return false;
    /* A graph made with create_graph may share the old values: copy on write. */
    for (int64_t g = 0; g < optimizer->len && !set_to_none; g++)
        for (int64_t i = 0; i < optimizer->param_groups[g].params->len; i++) {
            Tensor *grad = optimizer->param_groups[g].params->items[i]->grad;
            if (grad && !tg_materialize_copies(grad)) return false;
        }
    const int profiled = tg_profile_begin(tg_range_zero_grad, class_name(optimizer));
    for (int64_t g = 0; g < optimizer->len; g++)
        for (int64_t i = 0; i < optimizer->param_groups[g].params->len; i++) {
            Tensor *p = optimizer->param_groups[g].params->items[i];
            if (set_to_none) {
                t_release(p->grad);
                p->grad = NULL;
            } else if (p->grad) {
                zero(p->grad);
            }
        }
    tg_profile_end(profiled);
    return true;
}

/* for group in optimizer.param_groups: group["lr"] = lr. Error: lr < 0. For one group alone, assign
 * optimizer->param_groups[1].lr. */
bool optim_set_lr(optim_Optimizer *optimizer, double lr) {
    if (!tg_check_optimizer(optimizer) || !tg_check_not_negative(lr, "learning rate")) return false;
    for (int64_t g = 0; g < optimizer->len; g++) optimizer->param_groups[g].lr = lr;
    return true;
}

/* optimizer.param_groups[0]["lr"] */
double optim_get_lr(const optim_Optimizer *optimizer) {
    return tg_check_optimizer(optimizer) ? optimizer->param_groups[0].lr : (double)NAN;
}
