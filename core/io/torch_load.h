/* core/io/torch_load.h: reading what torch.save wrote (internal; t_load calls it). */
#ifndef TAPEGRAD_CORE_IO_TORCH_LOAD_H
#define TAPEGRAD_CORE_IO_TORCH_LOAD_H

#include "core/ops/dict.h"
#include "core/io/zip.h"

bool tg_torch_is_old(const tg_Input *in); /* of before 1.6: what follows says that it is not read */
const tg_ZipEntry *tg_torch_pickle(const tg_Zip *zip); /* the first "data.pkl" or "folder/data.pkl"; NULL without an error */
/* What was saved, flat, as t_load (load.h) has it. */
t_TensorDict *tg_torch_read(const tg_Input *in);

#endif
