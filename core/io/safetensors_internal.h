/* core/io/safetensors_internal.h: constants of the safetensors format, and the reader for load.c (internal). */
#ifndef TAPEGRAD_CORE_IO_SAFETENSORS_INTERNAL_H
#define TAPEGRAD_CORE_IO_SAFETENSORS_INTERNAL_H

#include "core/io/file.h"
#include "core/io/safetensors.h"

enum { TG_HEADER_MAX = 100000000, TG_SIZE_BYTES = 8 };
#define TG_METADATA "__metadata__"
#define TG_METADATA_PREFIX TG_METADATA "." /* of a text with the name of a tensor */

t_TensorDict *tg_safetensors_read(const tg_Input *in, bool allow_trailing_bytes);

#endif
