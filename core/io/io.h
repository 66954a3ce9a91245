/* core/io/io.h: reading and writing files of tensors (public; part of core/core.h). */
#ifndef TAPEGRAD_CORE_IO_H
#define TAPEGRAD_CORE_IO_H

#include "core/io/load.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/io/text/text.h"

#endif
