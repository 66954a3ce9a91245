/* core/io/torch_load.h: reading what torch.save wrote (internal; t_load calls it). */
#ifndef TAPEGRAD_CORE_IO_TORCH_LOAD_H
#define TAPEGRAD_CORE_IO_TORCH_LOAD_H

#include "core/dict.h"
#include "core/io/zip.h"

/* torch.load(path, weights_only=True): what was saved, flat, under dotted names.
 *
 *   dict, OrderedDict, Counter     "name.key", a key being a text, an int or a bool
 *   list, tuple, torch.Size        "name.0", "name.1"
 *   an empty one                   a text, "{}", "[]" or "()"
 *   torch.Tensor, nn.Parameter     a tensor with torch.load's strides, storages shared as they were; dtypes as convert.h says
 *   int, float, bool               a tensor without dims
 *   str, torch.dtype, torch.device a text
 *   None                           nothing
 * What is none of a dict or a list itself comes under the name "". */
t_TensorDict *tg_torch_read(const tg_Input *in);

#endif
