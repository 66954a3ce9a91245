/* optim/swa_utils/sugar.h: the macros of swa_utils (public; gcc and clang, C only). core/sugar/sugar.h explains the
 * macros. */
#ifndef TAPEGRAD_OPTIM_SWA_UTILS_SUGAR_H
#define TAPEGRAD_OPTIM_SWA_UTILS_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "optim/swa_utils/averaged_model.h"

/* optim_AveragedModel(model), optim_AveragedModel(model, .avg_fn = optim_get_ema_avg_fn(0.9)) */
#define optim_AveragedModel(...) T_BEGIN_("optim_AveragedModel(" #__VA_ARGS__ ")") void *t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(optim_AveragedModelOptions, t__o, .size = sizeof(optim_AveragedModelOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(optim_AveragedModel *, optim_AveragedModel_new(t__a, &t__o))
#define optim_update_parameters(averaged, model) \
    T_BEGIN_("optim_update_parameters(" #averaged ", " #model ")") optim_AveragedModel *t__a = (averaged); \
    void *t__m = (model); T_END_(bool, (optim_update_parameters)(t__a, t__m))
#define optim_update_bn(loader, model) T_BEGIN_("optim_update_bn(" #loader ", " #model ")") \
    data_DataLoader *t__a = (loader); void *t__m = (model); T_END_(bool, (optim_update_bn)(t__a, t__m))
#define optim_get_ema_multi_avg_fn(decay) T_BEGIN_("optim_get_ema_multi_avg_fn(" #decay ")") \
    const double t__d = (decay); T_END_(optim_AvgFn *, (optim_get_ema_multi_avg_fn)(t__d))
#define optim_get_ema_avg_fn(decay) T_BEGIN_("optim_get_ema_avg_fn(" #decay ")") \
    const double t__d = (decay); T_END_(optim_AvgFn *, (optim_get_ema_avg_fn)(t__d))

#endif
#endif
