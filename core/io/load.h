/* core/io/load.h: torch.save and torch.load (public). */
#ifndef TAPEGRAD_CORE_IO_LOAD_H
#define TAPEGRAD_CORE_IO_LOAD_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

/* torch.save(dict, path), in the safetensors format (safetensors_save_file): a pickle can execute code when it is
 * loaded, so none is written. Difference: torch.load does not read the file; safetensors.torch.load_file(path) does. */
T_API bool t_save(const t_TensorDict *dict, const char *path);
/* torch.load(path, weights_only=True): a dict of tensors and texts from a file of safetensors, torch.save or NumPy
 * (.npz; the array of an .npy has the name ""); the format is detected from the first bytes. No code in the file is
 * executed. The values of a torch.save file are flattened, with dotted names:
 *     dict, OrderedDict, Counter      "name.key"; keys are texts, ints or bools
 *     list, tuple, torch.Size         "name.0", "name.1"; an empty one, as an empty dict, is the text "[]", "()" or
 *                                     "{}"
 *     torch.Tensor, nn.Parameter      a tensor with its strides and requires_grad; shared storages stay shared; dtypes
 *                                     are converted as by safetensors_load_file
 *     int, float, bool                a 0-dim tensor: t_dict_get_integer, t_dict_get_number
 *     str, torch.dtype, torch.device  a text
 *     None                            nothing
 * A value of bytes, bytearray, set, complex or a numpy number, an int of more than 64 bits, or a key that is a float, a
 * tuple or None is an error that names it: remove that key in Python and save again. A single value (neither dict nor
 * list) has the name "". Any other pickle instruction, function or class is an error with its name and its offset in
 * the file; so are files of torch.save with another pickle_protocol or before PyTorch 0.1.10 (a tar archive), and
 * TorchScript. Those before PyTorch 1.6, which _use_new_zipfile_serialization=False still writes, are read. Other
 * errors: those of the readers; two values with the same flat name; a key or text that contains a 0 byte. */
T_API t_TensorDict *t_load(const char *path);

T_END_DECLS
#endif
