/* optim/grad_scaler.h: torch.amp.GradScaler (public; part of optim/optim.h).
 *
 *     amp_GradScaler *scaler = amp_GradScaler();
 *     Tensor *loss = NULL;
 *     with_autocast(.dtype = t_float16) { loss = F_mse_loss(nn_call(model, x), y); }
 *     t_backward(amp_scale(scaler, loss));
 *     amp_step(scaler, optimizer);          // divides the gradients by the scale; skips the step if one is inf or nan
 *     amp_update(scaler);                   // then halves the scale, else doubles it after growth_interval steps
 *
 * Gradients of float16 underflow below 6e-8; a loss that is multiplied by the scale keeps them. bfloat16 has the range
 * of float32 and needs no scaler. A scaler belongs to the scope that made it. */
#ifndef TAPEGRAD_OPTIM_GRAD_SCALER_H
#define TAPEGRAD_OPTIM_GRAD_SCALER_H

#include "core/ops/dict.h"
#include "optim/optimizer.h"

T_BEGIN_DECLS

typedef struct amp_GradScaler amp_GradScaler;
typedef struct amp_GradScalerOptions {
    uint32_t size; /* sizeof(amp_GradScalerOptions) */
    double init_scale, growth_factor, backoff_factor;
    int64_t growth_interval;
    bool enabled; /* false: amp_scale returns its argument, amp_step is optim_step, the others do nothing */
} amp_GradScalerOptions;
T_API extern const amp_GradScalerOptions amp_GradScalerDefaults; /* 65536, 2, 0.5, 2000, true */

/* GradScaler("cpu", init_scale, growth_factor, ...). Errors: growth_factor not above 1, backoff_factor not below 1. */
T_API amp_GradScaler *amp_GradScaler_new(const amp_GradScalerOptions *options);
T_API Tensor *amp_scale(amp_GradScaler *scaler, Tensor *outputs);                /* scaler.scale(outputs) */
T_API bool amp_unscale_(amp_GradScaler *scaler, optim_Optimizer *optimizer);     /* scaler.unscale_(optimizer) */
T_API bool amp_step(amp_GradScaler *scaler, optim_Optimizer *optimizer);         /* scaler.step(optimizer) */
T_API bool amp_update(amp_GradScaler *scaler, double new_scale); /* scaler.update(new_scale); NaN: None */
T_API double amp_get_scale(const amp_GradScaler *scaler);        /* scaler.get_scale() */
T_API double amp_get_growth_factor(const amp_GradScaler *scaler); /* scaler.get_growth_factor() */
T_API double amp_get_backoff_factor(const amp_GradScaler *scaler); /* scaler.get_backoff_factor() */
T_API int64_t amp_get_growth_interval(const amp_GradScaler *scaler); /* scaler.get_growth_interval() */
T_API bool amp_set_growth_factor(amp_GradScaler *scaler, double new_factor); /* scaler.set_growth_factor(new_factor) */
T_API bool amp_set_backoff_factor(amp_GradScaler *scaler, double new_factor); /* scaler.set_backoff_factor */
T_API bool amp_set_growth_interval(amp_GradScaler *scaler, int64_t new_interval); /* scaler.set_growth_interval */
T_API bool amp_is_enabled(const amp_GradScaler *scaler);                         /* scaler.is_enabled() */
T_API t_TensorDict *amp_state_dict(const amp_GradScaler *scaler);                /* scaler.state_dict() */
T_API bool amp_load_state_dict(amp_GradScaler *scaler, const t_TensorDict *state_dict); /* .load_state_dict(dict) */

T_END_DECLS
#endif
