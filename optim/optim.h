/* optim/optim.h: import torch.optim as optim (public). */
#ifndef TAPEGRAD_OPTIM_H
#define TAPEGRAD_OPTIM_H

#include "core/core.h"
#include "optim/lr_scheduler/lr_scheduler.h"
#include "optim/optimizer.h"
#include "optim/sugar.h"
#include "optim/lr_scheduler/sugar.h"

#endif
