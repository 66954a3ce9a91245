/* core/io/safetensors_internal.h: what the reader and the writer of safetensors share (internal). */
#ifndef TAPEGRAD_CORE_IO_SAFETENSORS_INTERNAL_H
#define TAPEGRAD_CORE_IO_SAFETENSORS_INTERNAL_H

#include "core/io/file.h"
#include "core/io/safetensors.h"

enum { TG_HEADER_MAX = 100000000, TG_SIZE_BYTES = 8 };
#define TG_METADATA "__metadata__"
#define TG_METADATA_PREFIX TG_METADATA "." /* of a text whose name a tensor has too */

t_TensorDict *tg_safetensors_read(const tg_Input *in, bool allow_trailing_bytes);

#endif
