/* core/data/data.h: from torch.utils.data import *, from tqdm import tqdm (public). */
#ifndef TAPEGRAD_CORE_DATA_H
#define TAPEGRAD_CORE_DATA_H

#include "core/core.h"
#include "core/data/dataloader.h"
#include "core/data/dataset.h"
#include "core/data/sugar.h"
#include "core/data/tqdm.h"

#endif
