/* optim/swa_utils/averaged_model.h: AveragedModel, averaging functions and update_bn as plain functions (public). */
#ifndef TAPEGRAD_OPTIM_SWA_UTILS_AVERAGED_MODEL_H
#define TAPEGRAD_OPTIM_SWA_UTILS_AVERAGED_MODEL_H

#include "core/data/dataloader.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* The new average of averaged and current, after n_averaged (an int64 tensor) models. */
typedef Tensor *optim_Average(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *context);
typedef struct optim_AvgFn optim_AvgFn; /* an averaging function; owned by its scope */

T_API optim_AvgFn *optim_get_ema_avg_fn(double decay);       /* get_ema_avg_fn(decay=0.999) */
T_API optim_AvgFn *optim_get_ema_multi_avg_fn(double decay); /* get_ema_multi_avg_fn(decay=0.999) */
T_API optim_AvgFn *optim_get_swa_avg_fn(void);               /* get_swa_avg_fn() */
T_API optim_AvgFn *optim_get_swa_multi_avg_fn(void);         /* get_swa_multi_avg_fn() */
T_API optim_AvgFn *optim_avg_fn(optim_Average *function, void *context); /* a function of the user's */

/* AveragedModel(model, avg_fn=None, multi_avg_fn=None, use_buffers=False): a module with a copy of model, of which
 * nn_call is that of the copy. Its state dict has the keys "n_averaged" and "module....". */
typedef struct optim_AveragedModel {
    nn_Module base;
    nn_Module *module;
    Tensor *n_averaged; /* a buffer: how many models were averaged */
    optim_Average *average; /* of avg_fn, with its context, or its decay */
    void *context;
    double decay; /* NaN: none */
    bool use_buffers;
} optim_AveragedModel;
typedef struct optim_AveragedModelOptions {
    uint32_t size;
    optim_AvgFn *avg_fn, *multi_avg_fn; /* one of the two; NULL: the mean of all models */
    bool use_buffers;                   /* averages the buffers too, instead of copying them */
} optim_AveragedModelOptions;
T_API optim_AveragedModel *optim_AveragedModel_new(void *model, const optim_AveragedModelOptions *options);
T_API bool optim_update_parameters(optim_AveragedModel *averaged, void *model); /* averaged.update_parameters(model) */
T_API bool optim_update_bn(data_DataLoader *loader, void *model);               /* update_bn(loader, model) */

T_END_DECLS

#endif
