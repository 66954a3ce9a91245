/* core/vision/vision.h: import torchvision: io, transforms, datasets, utils (public). */
#ifndef TAPEGRAD_CORE_VISION_VISION_H
#define TAPEGRAD_CORE_VISION_VISION_H

#include "core/core.h"
#include "core/vision/datasets/datasets.h"
#include "core/vision/datasets/sugar.h"
#include "core/vision/io/image.h"
#include "core/vision/io/sugar.h"
#include "core/vision/transforms/sugar.h"
#include "core/vision/transforms/transforms.h"
#include "core/vision/utils.h"
#include "core/vision/utils_sugar.h"

#endif
