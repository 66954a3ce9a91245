/* core/io/load.h: torch.save and torch.load (public). */
#ifndef TAPEGRAD_CORE_IO_LOAD_H
#define TAPEGRAD_CORE_IO_LOAD_H

#include "core/dict.h"

T_BEGIN_DECLS

/* torch.save(dict, path), as safetensors_save_file (safetensors.h): a pickle runs code when it is loaded, so none is written.
 * Difference: torch.load does not read the file; safetensors.torch.load_file(path) does. */
T_API bool t_save(const t_TensorDict *dict, const char *path);
/* torch.load(path): a dict of tensors and texts out of a file of whatever kind, as its first bytes tell: safetensors. Nothing in
 * it is ever executed. Errors: those of the readers; a file of no kind known. */
T_API t_TensorDict *t_load(const char *path);

T_END_DECLS
#endif
