/* core/io/load.h: torch.save and torch.load (public). */
#ifndef TAPEGRAD_CORE_IO_LOAD_H
#define TAPEGRAD_CORE_IO_LOAD_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

/* torch.save(dict, path), as safetensors_save_file (safetensors.h): a pickle runs code when it is loaded, so none is written.
 * Difference: torch.load does not read the file; safetensors.torch.load_file(path) does. */
T_API bool t_save(const t_TensorDict *dict, const char *path);
/* torch.load(path, weights_only=True): a dict of tensors and texts out of a file of whatever kind, as its first bytes tell: of
 * safetensors, of torch.save, or of NumPy (.npz; the array of an .npy comes under the name ""). Nothing in it is ever executed.
 * What torch.save wrote comes flat, under dotted names:
 *     dict, OrderedDict, Counter      "name.key", a key being a text, an int or a bool
 *     list, tuple, torch.Size         "name.0", "name.1"; an empty one, as an empty dict, is the text "[]", "()" or "{}"
 *     torch.Tensor, nn.Parameter      a tensor with its strides and requires_grad, storages shared as they were; its dtype as
 *                                     safetensors_load_file has it
 *     int, float, bool                a tensor without dims: t_dict_get_integer, t_dict_get_number
 *     str, torch.dtype, torch.device  a text
 *     None                            nothing
 * One bytes, bytearray, set, complex or numpy number, one int of more than 64 bits or one key that is a float, a tuple or None makes
 * the whole file unreadable, and is named: remove that key in Python and save again.
 * What is neither dict nor list itself comes under the name "". Every other instruction of a pickle, and every function or class
 * that is none of these, is refused by its name with its place in the file; so are files of torch.save before PyTorch 1.6 or with
 * another pickle_protocol, and TorchScript. Errors: those of the readers; two names that are one; a key or text with a 0 in it. */
T_API t_TensorDict *t_load(const char *path);

T_END_DECLS
#endif
