/* core/core.h: import torch (public). */
#ifndef TAPEGRAD_CORE_H
#define TAPEGRAD_CORE_H

#include "core/tensor/api.h"
#include "core/autograd/autograd.h"
#include "core/ops/dict.h"
#include "core/tensor/error.h"
#include "core/autograd/function.h"
#include "core/autograd/saved_tensors_hooks.h"
#include "core/func/checkpoint.h"
#include "core/func/forward_ad.h"
#include "core/func/func.h"
#include "core/io/io.h"
#include "core/linalg/linalg.h"
#include "core/special/special.h"
#include "core/tensor/list.h"
#include "core/ops/ops.h"
#include "core/tensor/generator.h"
#include "core/tensor/scope.h"
#include "core/tensor/str.h"
#include "core/sugar/sugar.h"
#include "core/tensor/threads.h"

#endif
