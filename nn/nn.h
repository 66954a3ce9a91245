/* nn/nn.h: import torch.nn as nn; import torch.nn.functional as F (public). */
#ifndef TAPEGRAD_NN_H
#define TAPEGRAD_NN_H

#include "core/core.h"
#include "nn/activations.h"
#include "nn/functional.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/losses.h"
#include "nn/mask.h"
#include "nn/module.h"
#include "nn/sugar.h"
#include "nn/transformer.h"
#include "nn/utils.h"
#ifndef __cplusplus
#include "nn/functional_sugar.h"
#endif

#endif
