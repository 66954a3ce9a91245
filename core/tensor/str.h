/* core/tensor/str.h: strings that are owned by the current scope, as tensors are (public). */
#ifndef TAPEGRAD_CORE_TENSOR_STR_H
#define TAPEGRAD_CORE_TENSOR_STR_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* f"layer {i}" is t_format("layer %d", i): printf's formats, a result of any length. NULL on error. The string is freed
 * with the scope; to keep it longer, copy it (t_keep works on objects only). t_str(x) and nn_str(model) return such
 * strings, too. */
T_API const char *t_format(const char *format, ...) T_PRINTF(1, 2);

T_END_DECLS
#endif
