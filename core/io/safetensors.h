/* core/io/safetensors.h: safetensors.torch: tensors and texts in a file that every tool for models reads (public).
 *
 *     safetensors_save_file(nn_state_dict(model), "model.safetensors");           save_file(model.state_dict(), ...)
 *     nn_load_state_dict(model, safetensors_load_file("model.safetensors"));      model.load_state_dict(load_file(...))
 *
 * The file is 8 bytes with the size N of a header, N bytes of JSON, and the elements, row by row and little-endian; what we
 * write equals byte for byte what safetensors.torch writes for the same dict. The dict's texts are the metadata
 * (metadata={"format": "pt"}), written in the order of their names, where safetensors takes one at random. */
#ifndef TAPEGRAD_CORE_IO_SAFETENSORS_H
#define TAPEGRAD_CORE_IO_SAFETENSORS_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct safetensors_Options {
    uint32_t size; /* sizeof(safetensors_Options) */
    bool allow_trailing_bytes; /* False, as for safetensors: bytes behind the last tensor are an error. There are files with some */
} safetensors_Options;
#define safetensors_Defaults ((safetensors_Options){sizeof(safetensors_Options), false})

/* save_file(tensors, filename, metadata): the file is written beside filename, flushed to the disk and renamed, so that whatever
 * happens either the old file or the new one is there and whole. (So the folder must be one that may be written to, and a second
 * name of the old file keeps the old content. A program that is killed meanwhile leaves a file ".tapegrad-....tmp" there, which the
 * next one that writes the same file takes over.)
 * Differences: a tensor that is not contiguous is written as x.contiguous(), and tensors that share memory are written each in
 * full (PyTorch refuses both). Errors: what the system says (no space, no such folder); a name that is not UTF-8, or is
 * "__metadata__"; more than 100,000,000 bytes of names. Then the old file is as it was. */
T_API bool safetensors_save_file(const t_TensorDict *tensors, const char *filename);

/* load_file(filename), and the metadata as texts: in the order of the elements in the file, the texts behind. dtypes:
 *     BOOL -> bool;   U8 I8 I16 U16 I32 U32 I64 U64 -> int64;   F16 BF16 F32 and the F8 kinds -> float32;   F64 -> float64
 * without a rounding. A text that has a tensor's name comes as "__metadata__.name", from which it is written back.
 * Refused, with what is wrong and where: a U64 above 2^63 - 1; C64, F4 and F6; more than 8 dims; a name twice; whatever
 * safetensors refuses (a header that is no JSON or not UTF-8, tensors that overlap or leave a hole, sizes that do not fit the
 * offsets, an end too early or, without allow_trailing_bytes, too late). */
T_API t_TensorDict *safetensors_load_file(const char *filename, const safetensors_Options *options);

/* save(tensors, metadata): the same bytes in memory; the caller frees them with free(). */
T_API void *safetensors_save(const t_TensorDict *tensors, size_t *size);
/* load(data) */
T_API t_TensorDict *safetensors_load(const void *data, size_t size, const safetensors_Options *options);

T_END_DECLS
#endif
