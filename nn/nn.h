/* nn/nn.h: import torch.nn as nn; import torch.nn.functional as F (public). */
#ifndef TAPEGRAD_NN_H
#define TAPEGRAD_NN_H

#include "core/core.h"
#include "nn/activations.h"
#include "nn/convolution.h"
#include "nn/functional.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/losses.h"
#include "nn/mask.h"
#include "nn/module.h"
#include "nn/norms.h"
#include "nn/padding.h"
#include "nn/pooling.h"
#include "nn/recurrent.h"
#include "nn/state_dict.h"
#include "nn/sugar.h"
#include "nn/sugar_recurrent.h"
#include "nn/torch_transformer.h"
#include "nn/transformer.h"
#include "nn/utils.h"
#include "nn/vision.h"
#ifndef __cplusplus
#include "nn/functional_sugar.h"
#include "nn/sugar_convolution.h"
#include "nn/sugar_norms.h"
#include "nn/sugar_padding.h"
#include "nn/sugar_pooling.h"
#include "nn/sugar_torch_transformer.h"
#include "nn/sugar_vision.h"
#endif

#endif
