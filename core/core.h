/* core/core.h: import torch (public). */
#ifndef TAPEGRAD_CORE_H
#define TAPEGRAD_CORE_H

#include "core/api.h"
#include "core/autograd.h"
#include "core/dict.h"
#include "core/error.h"
#include "core/function.h"
#include "core/io/io.h"
#include "core/list.h"
#include "core/ops.h"
#include "core/random.h"
#include "core/scope.h"
#include "core/str.h"
#include "core/sugar.h"
#include "core/threads.h"

#endif
