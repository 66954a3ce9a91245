/* core/io/safetensors.h: safetensors.torch: files of named tensors and texts (public).
 *
 *     safetensors_save_file(nn_state_dict(model), "model.safetensors");           save_file(model.state_dict(), ...)
 *     nn_load_state_dict(model, safetensors_load_file("model.safetensors"));      model.load_state_dict(load_file(...))
 *
 * A file is 8 bytes with the size N of the header, N bytes of JSON, and the elements, row-major and little-endian; it
 * equals byte for byte what safetensors.torch writes for the same dict. The dict's texts are the metadata
 * (metadata={"format": "pt"}), sorted by name (safetensors writes them in random order). */
#ifndef TAPEGRAD_CORE_IO_SAFETENSORS_H
#define TAPEGRAD_CORE_IO_SAFETENSORS_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct safetensors_Options {
    uint32_t size; /* sizeof(safetensors_Options) */
    bool allow_trailing_bytes; /* false, as in safetensors: bytes after the last tensor are an error */
} safetensors_Options;
#define safetensors_Defaults ((safetensors_Options){sizeof(safetensors_Options), false})

/* save_file(tensors, filename, metadata): writes a temporary file in the same folder, fsyncs and renames it, so that
 * there is always either the complete old file or the complete new one. (So the folder must be writable, and a hard
 * link to the old file keeps the old contents. A program that is killed leaves a file ".tapegrad-....tmp", which the
 * next writer of the same file removes.) Differences: a tensor that is not contiguous is written as x.contiguous(), and
 * each of several tensors that share memory is written in full (PyTorch refuses both). Errors: the system's (no space,
 * no such folder); a name that is not UTF-8, or is "__metadata__"; more than 100,000,000 bytes of names. The old file
 * is unchanged then. */
T_API bool safetensors_save_file(const t_TensorDict *tensors, const char *filename);

/* load_file(filename): the tensors in the order of their data, then the metadata as texts. dtypes:
 *     BOOL U8 I8 I16 I32 I64 F16 BF16 F32 F64 -> the same;   U16 U32 U64 -> int64;   the F8 kinds -> float32
 * all exact. A text with the name of a tensor gets the name "__metadata__.name", and is written with its own
 * name again. Errors, with the reason and the offset: a U64 above 2^63 - 1; C64, F4 and F6; more than 8 dims; a name
 * twice; everything that safetensors refuses (a header that is not JSON or not UTF-8, tensors that overlap or leave a
 * gap, sizes that do not match the offsets, a truncated file or, without allow_trailing_bytes, trailing bytes). */
T_API t_TensorDict *safetensors_load_file(const char *filename, const safetensors_Options *options);

/* save(tensors, metadata): the same bytes in memory; the caller frees them with free(). */
T_API void *safetensors_save(const t_TensorDict *tensors, size_t *size);
/* load(data) */
T_API t_TensorDict *safetensors_load(const void *data, size_t size, const safetensors_Options *options);

T_END_DECLS
#endif
