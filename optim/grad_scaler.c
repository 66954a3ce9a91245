/* optim/grad_scaler.c: torch.amp.GradScaler: the loss is multiplied by a scale, the gradients are divided by it. */
#include "optim/grad_scaler.h"

#include <math.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/tensor.h"
#include "optim/optimizer_internal.h"

/* What was done with an optimizer since the last update. */
typedef enum Stage { READY, UNSCALED, STEPPED } Stage;
typedef struct OptimizerState {
    const optim_Optimizer *optimizer;
    Stage stage;
    bool found_inf;
} OptimizerState;

struct amp_GradScaler {
    t_Object object;
    amp_GradScalerOptions o;
    float scale; /* PyTorch keeps it as a float32 tensor */
    int64_t growth_tracker;
    bool has_scaled; /* PyTorch's _scale is not None */
    OptimizerState *states;
    int64_t count, capacity;
};

const amp_GradScalerOptions amp_GradScalerDefaults = {sizeof amp_GradScalerDefaults, 65536, 2, 0.5, 2000, true};

static void destroy(void *object) {
    amp_GradScaler *scaler = object;
    tg_free(scaler->states, (size_t)scaler->capacity * sizeof *scaler->states);
    tg_object_dispose(&scaler->object);
    tg_object_free(&scaler->object, sizeof *scaler);
}
static const t_Class scaler_class = {"GradScaler", destroy};

static bool check(const amp_GradScaler *scaler) {
    if (!scaler) return tg_check_given(false, 1, "a GradScaler");
    return scaler->object.is_a == &scaler_class || tg_fail("argument 1 is no live GradScaler");
}

amp_GradScaler *amp_GradScaler_new(const amp_GradScalerOptions *options) {
    amp_GradScalerOptions o = amp_GradScalerDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.enabled && !(o.growth_factor > 1)) return tg_fail("The growth factor must be > 1.0.");
    if (o.enabled && !(o.backoff_factor < 1)) return tg_fail("The backoff factor must be < 1.0.");
    amp_GradScaler *scaler = tg_alloc(sizeof *scaler);
    if (!scaler) return NULL;
    scaler->o = o;
    scaler->scale = (float)o.init_scale;
    tg_object_init(&scaler->object, &scaler_class);
    return scaler;
}

/* scaler.scale(outputs): outputs times the scale; the gradient as for any product. */
Tensor *amp_scale(amp_GradScaler *scaler, Tensor *outputs) {
    if (!check(scaler) || !tg_check_any(outputs, 2)) return NULL;
    if (!scaler->o.enabled) return outputs;
    const int depth = t_scope_open();
    Tensor *scaled = tg_scope_return(depth, depth ? t_mul(outputs, t_number((double)scaler->scale)) : NULL);
    scaler->has_scaled = scaler->has_scaled || scaled;
    return scaled;
}

static OptimizerState *find_state(const amp_GradScaler *scaler, const optim_Optimizer *optimizer) {
    for (int64_t i = 0; i < scaler->count; i++)
        if (scaler->states[i].optimizer == optimizer) return &scaler->states[i];
    return NULL;
}

static Stage stage_of(const amp_GradScaler *scaler, const optim_Optimizer *optimizer) {
    const OptimizerState *state = find_state(scaler, optimizer);
    return state ? state->stage : READY;
}

/* The state of an optimizer, a new one at first; NULL on out of memory. */
static OptimizerState *state_of(amp_GradScaler *scaler, const optim_Optimizer *optimizer) {
    OptimizerState *known = find_state(scaler, optimizer);
    if (known) return known;
    if (scaler->count == scaler->capacity) {
        const int64_t capacity = scaler->capacity ? 2 * scaler->capacity : 2;
        OptimizerState *larger = tg_alloc((size_t)capacity * sizeof *larger);
        if (!larger) return NULL;
        for (int64_t i = 0; i < scaler->count; i++) larger[i] = scaler->states[i];
        tg_free(scaler->states, (size_t)scaler->capacity * sizeof *larger);
        scaler->states = larger;
        scaler->capacity = capacity;
    }
    scaler->states[scaler->count] = (OptimizerState){optimizer, READY, false};
    return &scaler->states[scaler->count++];
}

static t_TensorList *gradients_of(const optim_Optimizer *optimizer) {
    t_TensorList *gradients = t_list_new(NULL, 0);
    for (int64_t g = 0; gradients && g < optimizer->len; g++)
        for (int64_t i = 0; i < optimizer->param_groups[g].params->len; i++) {
            Tensor *grad = optimizer->param_groups[g].params->items[i]->grad;
            if (grad && !t_list_append(gradients, grad)) return NULL;
        }
    if (gradients && gradients->len == 0) return tg_fail("No inf checks were recorded for this optimizer.");
    return gradients;
}

static bool check_gradient(Tensor *grad, bool *found_inf) {
    if (grad->dtype == t_float16) return tg_fail("Attempting to unscale FP16 gradients.");
    const int depth = t_scope_open();
    Tensor *finite = depth ? t_all(t_isfinite(grad), NULL, 0, false) : NULL;
    *found_inf = *found_inf || (finite && !t_is_true(finite));
    t_scope_close(depth);
    return finite != NULL;
}

static bool check_gradients(const t_TensorList *gradients, bool *found_inf) {
    for (int64_t i = 0; i < gradients->len; i++)
        if (!check_gradient(gradients->items[i], found_inf)) return false;
    return true;
}

/* What can fail comes before the first gradient is changed. */
static bool unscale(amp_GradScaler *scaler, const optim_Optimizer *optimizer) {
    bool found_inf = false;
    const int depth = t_scope_open();
    const bool grad_enabled = t_set_grad_enabled(false);
    t_TensorList *gradients = depth ? gradients_of(optimizer) : NULL;
    Tensor *factor = gradients ? t_number((double)(float)(1 / (double)scaler->scale)) : NULL;
    const bool checked = factor && check_gradients(gradients, &found_inf);
    OptimizerState *state = checked ? state_of(scaler, optimizer) : NULL;
    const bool ok = state && tg_scale_all(gradients, factor);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    if (!ok) return false;
    state->stage = UNSCALED;
    state->found_inf = found_inf;
    return true;
}

static bool check_scaled(const amp_GradScaler *scaler, const char *what) {
    return scaler->has_scaled || tg_fail("Attempted %s but _scale is None.  This may indicate your script did not use "
                                         "scaler.scale(loss or outputs) earlier in the iteration.",
                                         what);
}

/* scaler.unscale_(optimizer): divides the gradients by the scale, for clipping before the step. Errors: twice since the
 * last update, after the step, gradients of float16, none at all (PyTorch notices that at the step). */
bool amp_unscale_(amp_GradScaler *scaler, optim_Optimizer *optimizer) {
    if (!check(scaler) || !tg_check_optimizer(optimizer)) return false;
    if (!scaler->o.enabled) return true;
    if (!check_scaled(scaler, "unscale_")) return false;
    const Stage stage = stage_of(scaler, optimizer);
    if (stage == UNSCALED)
        return tg_fail("unscale_() has already been called on this optimizer since the last update().");
    if (stage == STEPPED) return tg_fail("unscale_() is being called after step().");
    return unscale(scaler, optimizer);
}

/* scaler.step(optimizer): divides the gradients by the scale unless that was done, and calls optim_step, but not if a
 * gradient is inf or nan. True also for a step that was skipped. A step that fails leaves the gradients divided, which
 * the next amp_step does not do again. */
bool amp_step(amp_GradScaler *scaler, optim_Optimizer *optimizer) {
    if (!check(scaler) || !tg_check_optimizer(optimizer)) return false;
    if (!scaler->o.enabled) return optim_step(optimizer);
    if (!check_scaled(scaler, "step")) return false;
    const Stage stage = stage_of(scaler, optimizer);
    if (stage == STEPPED) return tg_fail("step() has already been called since the last update().");
    if (stage == READY && !unscale(scaler, optimizer)) return false;
    if (!find_state(scaler, optimizer)->found_inf && !optim_step(optimizer)) return false;
    OptimizerState *state = state_of(scaler, optimizer); /* a hook of the step may have used the scaler */
    if (state) state->stage = STEPPED;
    return state != NULL;
}

/* scaler.update(new_scale=None): the scale is multiplied by backoff_factor if a gradient was inf or nan since the last
 * update, and by growth_factor after growth_interval updates without one; or it becomes new_scale. Error: no step and
 * no unscale_ since the last update. */
bool amp_update(amp_GradScaler *scaler, double new_scale) {
    if (!check(scaler)) return false;
    if (!scaler->o.enabled) return true;
    bool found_inf = false, any = false;
    for (int64_t i = 0; i < scaler->count; i++) {
        any = any || scaler->states[i].stage != READY;
        found_inf = found_inf || scaler->states[i].found_inf;
    }
    if (!scaler->has_scaled)
        return tg_fail("Attempted update but _scale is None.  This may indicate your script did not use "
                       "scaler.scale(loss or outputs) earlier in the iteration.");
    if (isnan(new_scale) && !any) return tg_fail("No inf checks were recorded prior to update.");
    if (!isnan(new_scale)) {
        scaler->scale = (float)new_scale;
    } else if (found_inf) {
        scaler->scale = (float)((double)scaler->scale * scaler->o.backoff_factor);
        scaler->growth_tracker = 0;
    } else if (++scaler->growth_tracker == scaler->o.growth_interval) {
        const float grown = (float)((double)scaler->scale * scaler->o.growth_factor);
        if (isfinite(grown)) scaler->scale = grown;
        scaler->growth_tracker = 0;
    }
    scaler->count = 0;
    return true;
}

/* scaler.get_scale(): 1 for a scaler that is not enabled. NaN on an error. */
double amp_get_scale(const amp_GradScaler *scaler) {
    return !check(scaler) ? NAN : scaler->o.enabled ? (double)scaler->scale : 1;
}

/* scaler.get_growth_factor(), get_backoff_factor(), get_growth_interval(), and set_...: from the next update on. NaN,
 * -1 or false on an error. */
double amp_get_growth_factor(const amp_GradScaler *scaler) {
    return check(scaler) ? scaler->o.growth_factor : NAN;
}

double amp_get_backoff_factor(const amp_GradScaler *scaler) {
    return check(scaler) ? scaler->o.backoff_factor : NAN;
}

int64_t amp_get_growth_interval(const amp_GradScaler *scaler) {
    return check(scaler) ? scaler->o.growth_interval : -1;
}

bool amp_set_growth_factor(amp_GradScaler *scaler, double new_factor) {
    if (!check(scaler)) return false;
    scaler->o.growth_factor = new_factor;
    return true;
}

bool amp_set_backoff_factor(amp_GradScaler *scaler, double new_factor) {
    if (!check(scaler)) return false;
    scaler->o.backoff_factor = new_factor;
    return true;
}

bool amp_set_growth_interval(amp_GradScaler *scaler, int64_t new_interval) {
    if (!check(scaler)) return false;
    scaler->o.growth_interval = new_interval;
    return true;
}

bool amp_is_enabled(const amp_GradScaler *scaler) {
    return check(scaler) && scaler->o.enabled;
}

/* scaler.state_dict(): the keys scale, growth_factor, backoff_factor, growth_interval and _growth_tracker; empty for a
 * scaler that is not enabled. */
t_TensorDict *amp_state_dict(const amp_GradScaler *scaler) {
    if (!check(scaler)) return NULL;
    const int depth = t_scope_open();
    t_TensorDict *dict = depth ? t_dict_new() : NULL;
    if (dict && scaler->o.enabled)
        if (!t_dict_set_number(dict, "scale", (double)scaler->scale) ||
            !t_dict_set_number(dict, "growth_factor", scaler->o.growth_factor) ||
            !t_dict_set_number(dict, "backoff_factor", scaler->o.backoff_factor) ||
            !t_dict_set_integer(dict, "growth_interval", scaler->o.growth_interval) ||
            !t_dict_set_integer(dict, "_growth_tracker", scaler->growth_tracker))
            dict = NULL;
    return tg_scope_return(depth, dict);
}

/* scaler.load_state_dict(state_dict). Errors: an empty dict, a key that is missing; then nothing changes. */
bool amp_load_state_dict(amp_GradScaler *scaler, const t_TensorDict *state_dict) {
    static const char *const keys[] = {"scale", "growth_factor", "backoff_factor", "growth_interval",
                                       "_growth_tracker"};
    double values[5];
    if (!check(scaler) || !tg_check_dict(state_dict, 2)) return false;
    if (!scaler->o.enabled) return true;
    if (state_dict->len == 0)
        return tg_fail("The source state dict is empty, possibly because it was saved from a disabled instance of "
                       "GradScaler.");
    for (int i = 0; i < 5; i++) {
        values[i] = t_dict_get_number(state_dict, keys[i]);
        if (t_error()) return false;
    }
    scaler->scale = (float)values[0];
    scaler->o.growth_factor = values[1];
    scaler->o.backoff_factor = values[2];
    scaler->o.growth_interval = (int64_t)values[3];
    scaler->growth_tracker = (int64_t)values[4];
    return true;
}
