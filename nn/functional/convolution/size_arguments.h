/* nn/functional/convolution/size_arguments.h: the arguments for kernel sizes, strides and pads that the macros pass
 * (public; part of nn/sugar/functional.h). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SIZE_ARGUMENTS_H
#define TAPEGRAD_NN_FUNCTIONAL_SIZE_ARGUMENTS_H

#include "core/tensor/tuple.h"
#include "nn/functional/convolution/convolution.h"

#define F_NEEDED_ (INT64_MIN + 4) /* in place of a default: the argument is required */

T_BEGIN_DECLS

/* count sizes, 2 or 3, from the argument `name`: an integer, a tuple, or braces after the keyword ({2}, {2, 3}).
 * Errors: it is missing, or a tuple of another length. */
T_API bool F_sizes_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t default_value, int64_t *to,
                       int count);
/* One, two or three sizes; after a tuple of less than three comes T_NONE, after an integer F_BOTH. */
T_API bool F_any_sizes_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t to[3]);
/* The same for a padding, whose default is 0. Another error: {1}, which C cannot distinguish from {1, 0}. */
T_API bool F_paddings_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t *to, int count);
/* The pads of 2, 4 or 6 sides. Errors: they are missing, or their number is not that of the sides. */
T_API bool F_pads_of_(int64_t number, const t_Tuple *tuple, int sides, int64_t *pads);

T_END_DECLS
#endif
