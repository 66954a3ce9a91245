/* optim/optim.h: import torch.optim as optim (public).
 *
 * The folder has the optimizers, a file each (sgd.c, adam.c, ...; the loop over elements in their .inc, or for the
 * rarer ones in plain C, plain_loop.h), what they share (optimizer.c), the fused step over all parameters
 * (fused_step.c), state dicts (optimizer_state.c), and the schedulers (lr_scheduler/). It may include core/ but nothing
 * of nn/. */
#ifndef TAPEGRAD_OPTIM_H
#define TAPEGRAD_OPTIM_H

#include "core/core.h"
#include "optim/lr_scheduler/lr_scheduler.h"
#include "optim/optimizer.h"
#include "optim/grad_scaler.h"
#include "optim/sugar.h"
#include "optim/lr_scheduler/sugar.h"

#endif
