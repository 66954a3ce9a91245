/* nn/module/safetensors_model.h: save_model and load_model of safetensors.torch (public; part of nn/nn.h). */
#ifndef TAPEGRAD_NN_MODULE_SAFETENSORS_MODEL_H
#define TAPEGRAD_NN_MODULE_SAFETENSORS_MODEL_H

#include "nn/module/state_dict.h"

T_BEGIN_DECLS

/* safetensors.torch.save_model(model, filename): the state dict, where a tensor that has several names (tied weights)
 * is written once, under the alphabetically first; the others are metadata that name it. Errors: those of save_file. */
T_API bool safetensors_save_model(const void *model, const char *filename);

/* safetensors.torch.load_model(model, filename, strict=True): loads such a file, in which one name of a tensor that has
 * several is enough. *keys (may be NULL): what is missing and what is unexpected. Errors: those of load_file and of
 * nn_load_state_dict; then nothing is loaded. */
T_API bool safetensors_load_model(void *model, const char *filename, bool strict, nn_IncompatibleKeys *keys);

T_END_DECLS
#endif
