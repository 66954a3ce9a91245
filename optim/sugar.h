/* optim/sugar.h: keyword-argument macros of the optimizers (public; gcc and clang, C only). core/sugar/sugar.h explains
 * the macros. */
#ifndef TAPEGRAD_OPTIM_SUGAR_H
#define TAPEGRAD_OPTIM_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "optim/optimizer.h"

/* The parameters: a list of tensors. Compiler error: the model itself, optim_SGD(model, .lr = 0.1). */
#define OPTIM_PARAMETERS_(params) __auto_type t__q = (params); \
    _Static_assert(_Generic(t__q, t_TensorList *: 1, const t_TensorList *: 1, void *: 1, default: 0), \
        "an optimizer takes the list of parameters, nn_parameters(model), or t_list(w, b)"); \
    t_TensorList *t__p = (t_TensorList *)(uintptr_t)t__q;
/* optim_SGD(params, .lr = 0.1, .momentum = 0.9), or optim_SGD(params, 0.1, 0.9) as in Python */
#define optim_SGD(...) T_BEGIN_("optim_SGD(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_SGDOptions, t__o, OPTIM_SGD_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_SGD_new(t__p, &t__o))
/* optim_Adam(params, 1e-3, (0.9, 0.98)), optim_Adam(params, .lr = 1e-3, .betas = {0.9, 0.98}) */
#define OPTIM_BETAS_(...) T_PASTE_(OPTIM_BETAS_, T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))))(__VA_ARGS__)
#define OPTIM_BETAS_0(...) __VA_ARGS__
#define OPTIM_BETAS_1(lr, betas, ...) lr, {T_UNTUPLE_ betas}, __VA_ARGS__
#define optim_Adam(...) T_BEGIN_("optim_Adam(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_AdamOptions, t__o, OPTIM_ADAM_DEFAULTS_, OPTIM_BETAS_(T_TAIL_(__VA_ARGS__))) \
    T_END_(optim_Optimizer *, optim_Adam_new(t__p, &t__o))
#define optim_AdamW(...) T_BEGIN_("optim_AdamW(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_AdamOptions, t__o, OPTIM_ADAMW_DEFAULTS_, OPTIM_BETAS_(T_TAIL_(__VA_ARGS__))) \
    T_END_(optim_Optimizer *, optim_AdamW_new(t__p, &t__o))
#define optim_RMSprop(...) T_BEGIN_("optim_RMSprop(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_RMSpropOptions, t__o, OPTIM_RMSPROP_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_RMSprop_new(t__p, &t__o))
#define optim_Adagrad(...) T_BEGIN_("optim_Adagrad(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_AdagradOptions, t__o, OPTIM_ADAGRAD_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_Adagrad_new(t__p, &t__o))
#define optim_Adadelta(...) T_BEGIN_("optim_Adadelta(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_AdadeltaOptions, t__o, OPTIM_ADADELTA_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_Adadelta_new(t__p, &t__o))
#define optim_Adamax(...) T_BEGIN_("optim_Adamax(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_AdamaxOptions, t__o, OPTIM_ADAMAX_DEFAULTS_, OPTIM_BETAS_(T_TAIL_(__VA_ARGS__))) \
    T_END_(optim_Optimizer *, optim_Adamax_new(t__p, &t__o))
#define optim_NAdam(...) T_BEGIN_("optim_NAdam(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_NAdamOptions, t__o, OPTIM_NADAM_DEFAULTS_, OPTIM_BETAS_(T_TAIL_(__VA_ARGS__))) \
    T_END_(optim_Optimizer *, optim_NAdam_new(t__p, &t__o))
#define optim_RAdam(...) T_BEGIN_("optim_RAdam(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_RAdamOptions, t__o, OPTIM_RADAM_DEFAULTS_, OPTIM_BETAS_(T_TAIL_(__VA_ARGS__))) \
    T_END_(optim_Optimizer *, optim_RAdam_new(t__p, &t__o))
#define optim_ASGD(...) T_BEGIN_("optim_ASGD(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_ASGDOptions, t__o, OPTIM_ASGD_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_ASGD_new(t__p, &t__o))
/* optim_Adafactor(params, .lr = 0.01, .eps = {NAN, 1e-3}) */
#define optim_Adafactor(...) T_BEGIN_("optim_Adafactor(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_AdafactorOptions, t__o, OPTIM_ADAFACTOR_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_Adafactor_new(t__p, &t__o))
/* optim_Muon(params, 1e-3, .ns_steps = 5, .adjust_lr_fn = "match_rms_adamw") */
#define optim_Muon(...) T_BEGIN_("optim_Muon(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_MuonOptions, t__o, OPTIM_MUON_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_Muon_new(t__p, &t__o))
/* optim_Rprop(params, 1e-2, (0.5, 1.2), (1e-6, 50)): the two tuples, or keywords */
#define OPTIM_ETAS_(...) T_PASTE_(OPTIM_ETAS_, T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))))(__VA_ARGS__)
#define OPTIM_ETAS_0(...) __VA_ARGS__
#define OPTIM_ETAS_1(lr, etas, ...) lr, {T_UNTUPLE_ etas}, OPTIM_STEP_SIZES_(__VA_ARGS__)
#define OPTIM_STEP_SIZES_(...) T_PASTE_(OPTIM_STEP_SIZES_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(__VA_ARGS__)
#define OPTIM_STEP_SIZES_0(...) __VA_ARGS__
#define OPTIM_STEP_SIZES_1(step_sizes, ...) {T_UNTUPLE_ step_sizes}, __VA_ARGS__
#define optim_Rprop(...) T_BEGIN_("optim_Rprop(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_RpropOptions, t__o, OPTIM_RPROP_DEFAULTS_, OPTIM_ETAS_(T_TAIL_(__VA_ARGS__))) \
    T_END_(optim_Optimizer *, optim_Rprop_new(t__p, &t__o))
/* optim_LBFGS(params, .line_search_fn = "strong_wolfe") */
#define optim_LBFGS(...) T_BEGIN_("optim_LBFGS(" #__VA_ARGS__ ")") OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_LBFGSOptions, t__o, OPTIM_LBFGS_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_LBFGS_new(t__p, &t__o))

/* optim_Optimizer(params, lion_step, .lr = 1e-4, .betas = {0.9, 0.99}, .own = {{"rho", 0.05}}):
 * super().__init__(params, defaults) */
#define optim_Optimizer(params, ...) T_BEGIN_("optim_Optimizer(" #params ", " #__VA_ARGS__ ")") \
    t_TensorList *t__p = (params); \
    void (*t__f)(optim_Optimizer *) = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(optim_GroupOptions, t__o, OPTIM_GROUP_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_Optimizer *, optim_Optimizer_new(t__p, t__f, &t__o))
#define optim_state(optimizer, p, name) T_BEGIN_("optim_state(" #optimizer ", " #p ", " #name ")") \
    optim_Optimizer *t__o = (optimizer); \
    T_TENSOR_(t__a, (p)) const char *t__n = (name); T_END_(Tensor *, (optim_state)(t__o, t__a, t__n))
#define optim_set_state(optimizer, p, name, x) T_BEGIN_("optim_set_state(" #optimizer ", " #p ", " #name ", " #x ")") \
    optim_Optimizer *t__o = (optimizer); \
    T_TENSOR_(t__a, (p)) const char *t__n = (name); T_TENSOR_(t__b, (x)) \
    T_END_(Tensor *, (optim_set_state)(t__o, t__a, t__n, t__b))
#define optim_group_get(group, name) T_BEGIN_("optim_group_get(" #group ", " #name ")") \
    const optim_ParamGroup *t__g = (group); \
    T_END_(double, (optim_group_get)(t__g, name))
#define optim_group_set(group, name, value) T_BEGIN_("optim_group_set(" #group ", " #name ", " #value ")") \
    optim_ParamGroup *t__g = (group); \
    const double t__v = (value); T_END_(bool, (optim_group_set)(t__g, name, t__v))

/* optim_step(optimizer), or with a closure, which returns the loss: loss = optim_step(optimizer, closure, &context) */
#define optim_step(...) OPTIM_STEP_FORM_(__VA_ARGS__, OPTIM_STEP_CLOSURE_, OPTIM_STEP_CLOSURE_, OPTIM_STEP_ALONE_, )( \
    "optim_step(" #__VA_ARGS__ ")", __VA_ARGS__)
#define OPTIM_STEP_FORM_(a, b, c, form, ...) form
#define OPTIM_STEP_ALONE_(text, optimizer) T_BEGIN_(text) optim_Optimizer *t__a = (optimizer); \
    T_END_(bool, (optim_step)(t__a))
#define OPTIM_STEP_CLOSURE_(text, optimizer, ...) T_BEGIN_(text) optim_Optimizer *t__a = (optimizer); \
    optim_Closure *t__f = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(optim_StepArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (optim_step_closure)(t__a, t__f, t__o.context))
typedef struct optim_StepArguments_ { int first_; void *context; } optim_StepArguments_;
#define optim_step_closure(optimizer, closure, context) T_BEGIN_("optim_step_closure(" #optimizer ", " #closure ", " \
    #context ")") optim_Optimizer *t__a = (optimizer); \
    optim_Closure *t__f = (closure); T_END_(Tensor *, (optim_step_closure)(t__a, t__f, context))
/* optim_register_step_pre_hook(optimizer, hook), optim_register_step_pre_hook(optimizer, hook, &context) */
#define optim_register_step_pre_hook(optimizer, ...) OPTIM_HOOK_(optim_register_step_pre_hook, \
    "optim_register_step_pre_hook(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define optim_register_step_post_hook(optimizer, ...) OPTIM_HOOK_(optim_register_step_post_hook, \
    "optim_register_step_post_hook(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define optim_register_state_dict_pre_hook(optimizer, ...) OPTIM_HOOK_(optim_register_state_dict_pre_hook, \
    "optim_register_state_dict_pre_hook(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define optim_register_load_state_dict_post_hook(optimizer, ...) OPTIM_HOOK_(optim_register_load_state_dict_post_hook, \
    "optim_register_load_state_dict_post_hook(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define optim_register_state_dict_post_hook(optimizer, ...) OPTIM_DICT_HOOK_(optim_register_state_dict_post_hook, \
    "optim_register_state_dict_post_hook(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define optim_register_load_state_dict_pre_hook(optimizer, ...) \
    OPTIM_DICT_HOOK_(optim_register_load_state_dict_pre_hook, \
    "optim_register_load_state_dict_pre_hook(" #optimizer ", " #__VA_ARGS__ ")", optimizer, __VA_ARGS__)
#define OPTIM_DICT_HOOK_(f, text, optimizer, ...) T_BEGIN_(text) optim_Optimizer *t__a = (optimizer); \
    optim_StateDictHook *t__f = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(optim_StepArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_Hook *, (f)(t__a, t__f, t__o.context))
#define OPTIM_HOOK_(f, text, optimizer, ...) T_BEGIN_(text) optim_Optimizer *t__a = (optimizer); \
    optim_StepHook *t__f = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(optim_StepArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_Hook *, (f)(t__a, t__f, t__o.context))
/* optim_zero_grad(optimizer), optim_zero_grad(optimizer, .set_to_none = false) */
typedef struct optim_ZeroGradArguments_ { int first_; bool set_to_none; } optim_ZeroGradArguments_;
#define optim_zero_grad(...) T_BEGIN_("optim_zero_grad(" #__VA_ARGS__ ")") \
    optim_Optimizer *t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(optim_ZeroGradArguments_, t__o, .set_to_none = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (optim_zero_grad)(t__a, t__o.set_to_none))
#define optim_set_lr(optimizer, lr) T_BEGIN_("optim_set_lr(" #optimizer ", " #lr ")") \
    optim_Optimizer *t__a = (optimizer); const double t__lr = (lr); T_END_(bool, (optim_set_lr)(t__a, t__lr))
#define optim_get_lr(optimizer) T_BEGIN_("optim_get_lr(" #optimizer ")") optim_Optimizer *t__a = (optimizer); \
    T_END_(double, (optim_get_lr)(t__a))
#define optim_state_dict(optimizer) T_BEGIN_("optim_state_dict(" #optimizer ")") optim_Optimizer *t__a = (optimizer); \
    T_END_(t_TensorDict *, (optim_state_dict)(t__a))
#define optim_load_state_dict(optimizer, dict) T_BEGIN_("optim_load_state_dict(" #optimizer ", " #dict ")") \
    optim_Optimizer *t__a = (optimizer); t_TensorDict *t__d = (dict); T_END_(bool, (optim_load_state_dict)(t__a, t__d))
/* optim_add_param_group(optimizer, params, .lr = 1e-4) */
#define optim_add_param_group(optimizer, ...) T_BEGIN_("optim_add_param_group(" #optimizer ", " #__VA_ARGS__ ")") \
    optim_Optimizer *t__a = (optimizer); OPTIM_PARAMETERS_(T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(optim_GroupOptions, t__o, OPTIM_GROUP_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (optim_add_param_group)(t__a, t__p, &t__o))

/* ---- torch.amp.GradScaler ---- */
/* amp_GradScaler(), amp_GradScaler(.init_scale = 1024, .enabled = use_amp) */
#define amp_GradScaler(...) T_BEGIN_("amp_GradScaler(" #__VA_ARGS__ ")") \
    T_OPTIONS_(amp_GradScalerOptions, t__o, .init_scale = 65536, .growth_factor = 2, .backoff_factor = 0.5, \
        .growth_interval = 2000, .enabled = true, .size = sizeof(amp_GradScalerOptions), __VA_ARGS__) \
    T_END_(amp_GradScaler *, amp_GradScaler_new(&t__o))
#define amp_scale(scaler, outputs) T_BEGIN_("amp_scale(" #scaler ", " #outputs ")") amp_GradScaler *t__s = (scaler); \
    T_TENSOR_(t__a, (outputs)) T_END_(Tensor *, (amp_scale)(t__s, t__a))
#define amp_unscale_(scaler, optimizer) T_BEGIN_("amp_unscale_(" #scaler ", " #optimizer ")") \
    amp_GradScaler *t__s = (scaler); optim_Optimizer *t__a = (optimizer); T_END_(bool, (amp_unscale_)(t__s, t__a))
#define amp_step(scaler, optimizer) T_BEGIN_("amp_step(" #scaler ", " #optimizer ")") \
    amp_GradScaler *t__s = (scaler); optim_Optimizer *t__a = (optimizer); T_END_(bool, (amp_step)(t__s, t__a))
/* amp_update(scaler), amp_update(scaler, .new_scale = 1024) */
typedef struct amp_UpdateArguments_ { int first_; double new_scale; } amp_UpdateArguments_;
#define amp_update(...) T_BEGIN_("amp_update(" #__VA_ARGS__ ")") amp_GradScaler *t__s = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(amp_UpdateArguments_, t__o, .new_scale = (double)__builtin_nanf(""), .first_ = 0, \
        T_TAIL_(__VA_ARGS__)) T_END_(bool, (amp_update)(t__s, t__o.new_scale))
#define amp_get_growth_factor(scaler) T_BEGIN_("amp_get_growth_factor(" #scaler ")") \
    amp_GradScaler *t__s = (scaler); T_END_(double, (amp_get_growth_factor)(t__s))
#define amp_set_growth_factor(scaler, value) T_BEGIN_("amp_set_growth_factor(" #scaler ", " #value ")") \
    amp_GradScaler *t__s = (scaler); const double t__v = (value); T_END_(bool, (amp_set_growth_factor)(t__s, t__v))
#define amp_get_backoff_factor(scaler) T_BEGIN_("amp_get_backoff_factor(" #scaler ")") \
    amp_GradScaler *t__s = (scaler); T_END_(double, (amp_get_backoff_factor)(t__s))
#define amp_set_backoff_factor(scaler, value) T_BEGIN_("amp_set_backoff_factor(" #scaler ", " #value ")") \
    amp_GradScaler *t__s = (scaler); const double t__v = (value); T_END_(bool, (amp_set_backoff_factor)(t__s, t__v))
#define amp_get_growth_interval(scaler) T_BEGIN_("amp_get_growth_interval(" #scaler ")") \
    amp_GradScaler *t__s = (scaler); T_END_(int64_t, (amp_get_growth_interval)(t__s))
#define amp_set_growth_interval(scaler, value) T_BEGIN_("amp_set_growth_interval(" #scaler ", " #value ")") \
    amp_GradScaler *t__s = (scaler); const int64_t t__v = (value); T_END_(bool, (amp_set_growth_interval)(t__s, t__v))
#define amp_get_scale(scaler) T_BEGIN_("amp_get_scale(" #scaler ")") amp_GradScaler *t__s = (scaler); \
    T_END_(double, (amp_get_scale)(t__s))
#define amp_state_dict(scaler) T_BEGIN_("amp_state_dict(" #scaler ")") amp_GradScaler *t__s = (scaler); \
    T_END_(t_TensorDict *, (amp_state_dict)(t__s))
#define amp_load_state_dict(scaler, state_dict) T_BEGIN_("amp_load_state_dict(" #scaler ", " #state_dict ")") \
    amp_GradScaler *t__s = (scaler); t_TensorDict *t__d = (state_dict); \
    T_END_(bool, (amp_load_state_dict)(t__s, t__d))

#endif
#endif
