/* core/io/torch_load.h: the reader of torch.save files, for load.c (internal). */
#ifndef TAPEGRAD_CORE_IO_TORCH_LOAD_H
#define TAPEGRAD_CORE_IO_TORCH_LOAD_H

#include "core/io/zip.h"
#include "core/ops/dict.h"

/* Whether it has the format before PyTorch 1.6: 1, 0, or -1 if it cannot be read. */
int tg_torch_is_legacy(const tg_Input *in);
/* the first "data.pkl" or "folder/data.pkl"; NULL without an error */
const tg_ZipEntry *tg_torch_pickle(const tg_Zip *zip);
/* The saved values, flattened as described at t_load (load.h). */
t_TensorDict *tg_torch_read(const tg_Input *in);

#endif
