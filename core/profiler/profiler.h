/* core/profiler/profiler.h: from torch.profiler import * (public). */
#ifndef TAPEGRAD_CORE_PROFILER_H
#define TAPEGRAD_CORE_PROFILER_H

#include "core/core.h"
#include "core/profiler/profile.h"
#include "core/profiler/sugar.h"

#endif
