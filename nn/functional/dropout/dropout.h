/* nn/functional/dropout/dropout.h: F.dropout and its kind (public; part of nn/functional/functional.h). The
 * folder may include core/ only. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_DROPOUT_H
#define TAPEGRAD_NN_FUNCTIONAL_DROPOUT_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* ---- single elements (dropout.c), whole channels and selu's dropout (feature_dropout.c). inplace: the result is
 * written to x ---- */
T_API Tensor *F_dropout(Tensor *x, double p, bool training, bool inplace);   /* F.dropout(x, p, training, inplace) */
T_API Tensor *F_dropout1d(Tensor *x, double p, bool training, bool inplace); /* F.dropout1d(x, p): whole channels */
T_API Tensor *F_dropout2d(Tensor *x, double p, bool training, bool inplace); /* F.dropout2d(x, p, training) */
T_API Tensor *F_dropout3d(Tensor *x, double p, bool training, bool inplace); /* F.dropout3d(x, p, training) */
T_API Tensor *F_alpha_dropout(Tensor *x, double p, bool training, bool inplace); /* F.alpha_dropout(x, p, training) */
T_API Tensor *F_feature_alpha_dropout(Tensor *x, double p, bool training,
                                      bool inplace); /* F.feature_alpha_dropout(x, p, training) */

T_END_DECLS
#endif
