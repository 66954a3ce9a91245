/* optim/swa_utils/swa_utils.h: from torch.optim.swa_utils import *: averaged weights (public). SWALR is in
 * optim/lr_scheduler.
 *
 *     optim_AveragedModel *ema = optim_AveragedModel(model, .multi_avg_fn = optim_get_ema_multi_avg_fn(0.999));
 *     for_batch (b, loader) {
 *         train_on(model, optimizer, b.x, b.y);
 *         optim_update_parameters(ema, model);
 *     }
 *     optim_update_bn(loader, ema);
 *     Tensor *y = nn_call(ema, x);
 *
 * It may include optim, nn and core/data, which optim itself does not. */
#ifndef TAPEGRAD_OPTIM_SWA_UTILS_SWA_UTILS_H
#define TAPEGRAD_OPTIM_SWA_UTILS_SWA_UTILS_H

#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "optim/swa_utils/averaged_model.h"
#include "optim/swa_utils/sugar.h"

#endif
