/* core/tensor/str.h: texts that belong to the current scope, as tensors do, and are freed by nobody (public). */
#ifndef TAPEGRAD_CORE_TENSOR_STR_H
#define TAPEGRAD_CORE_TENSOR_STR_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* f"layer {i}" is t_format("layer %d", i): printf's formats, of any length. NULL on error. The text ends with the scope (t_keep is for
 * objects: a text that is to last longer is copied). t_str(x) and nn_str(model) give the texts of tensors and modules like that. */
T_API const char *t_format(const char *format, ...) T_PRINTF(1, 2);

T_END_DECLS
#endif
