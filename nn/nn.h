/* nn/nn.h: import torch.nn as nn; import torch.nn.functional as F (public).
 *
 * Folders, of which each may include core/ and those before it: init (nn.init), module (nn.Module), functional
 * (nn.functional), utils (nn.utils), modules (the layers and losses), parametrize (nn.utils.parametrize), tensorboard
 * (SummaryWriter.add_graph), transformer (both Transformer families), and in this folder what works on any module
 * (deepcopy, print) and the rest of nn.utils. sugar has the keyword-argument macros over all of them.
 * tests/checks/check_layers.sh checks it. */
#ifndef TAPEGRAD_NN_H
#define TAPEGRAD_NN_H

#include "core/core.h"
#include "nn/modules/activations.h"
#include "nn/modules/adaptive.h"
#include "nn/modules/convolution.h"
#include "nn/functional/functional.h"
#include "nn/fusion.h"
#include "nn/init/init.h"
#include "nn/modules/layers.h"
#include "nn/modules/lazy.h"
#include "nn/modules/losses.h"
#include "nn/transformer/mask.h"
#include "nn/module/checkpoint_sequential.h"
#include "nn/module/functional_call.h"
#include "nn/module/module.h"
#include "nn/module/module_hooks.h"
#include "nn/modules/linear_cross_entropy.h"
#include "nn/modules/norms.h"
#include "nn/modules/padding.h"
#include "nn/modules/pooling.h"
#include "nn/parametrize/parametrizations.h"
#include "nn/parametrize/parametrize.h"
#include "nn/parametrize/spectral_norm.h"
#include "nn/modules/recurrent.h"
#include "nn/module/safetensors_model.h"
#include "nn/module/state_dict.h"
#include "nn/tensorboard/graph.h"
#include "nn/sugar/sugar.h"
#include "nn/sugar/recurrent.h"
#include "nn/transformer/torch_transformer.h"
#include "nn/transformer/tutorial_transformer.h"
#include "nn/utils.h"
#include "nn/utils/prune.h"
#include "nn/utils/rnn.h"
#include "nn/utils/weight_norm.h"
#include "nn/modules/vision.h"
#ifndef __cplusplus
#include "nn/sugar/functional.h"
#include "nn/sugar/adaptive.h"
#include "nn/sugar/convolution.h"
#include "nn/sugar/lazy.h"
#include "nn/sugar/norms.h"
#include "nn/sugar/padding.h"
#include "nn/sugar/pooling.h"
#include "nn/sugar/prune.h"
#include "nn/sugar/rnn.h"
#include "nn/sugar/tensorboard.h"
#include "nn/sugar/torch_transformer.h"
#include "nn/sugar/vision.h"
#endif

#endif
