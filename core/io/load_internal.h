/* core/io/load_internal.h: t_load of an open file or of bytes in memory (internal). */
#ifndef TAPEGRAD_CORE_IO_LOAD_INTERNAL_H
#define TAPEGRAD_CORE_IO_LOAD_INTERNAL_H

#include "core/io/file.h"
#include "core/ops/dict.h"

t_TensorDict *tg_load(const tg_Input *in);

#endif
