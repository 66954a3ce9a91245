/* nn/modules/plain_modules_internal.h: which modules a fused path may see through (internal). */
#ifndef TAPEGRAD_NN_MODULES_PLAIN_MODULES_INTERNAL_H
#define TAPEGRAD_NN_MODULES_PLAIN_MODULES_INTERNAL_H

#include "core/kernels/gemm/gemm_epilogue.h"
#include "nn/module/module.h"

/* Are these the plain modules, whose forwards do no more than the functions? For another one, no activation. A NULL is none.
 * A dropout of all, or of a p that F_dropout refuses, is not. */
bool tg_is_linear(const nn_Module *module);
bool tg_is_dropout(const nn_Module *module);
bool tg_is_layer_norm(const nn_Module *module);
tg_Activation tg_activation_of(const nn_Module *module);

#endif
