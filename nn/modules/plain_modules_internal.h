/* nn/modules/plain_modules_internal.h: which modules a fused path may see through (internal). */
#ifndef TAPEGRAD_NN_MODULES_PLAIN_MODULES_INTERNAL_H
#define TAPEGRAD_NN_MODULES_PLAIN_MODULES_INTERNAL_H

#include "core/kernels/gemm/gemm_epilogue.h"
#include "nn/module/module.h"

/* True for the library's own module, whose forward only calls the function of its name; false for NULL, subclasses with
 * another forward, and a module whose call runs hooks. tg_is_dropout: with 0 <= p < 1. tg_activation_of:
 * TG_NO_ACTIVATION for any other module. */
bool tg_is_linear(const nn_Module *module);
bool tg_is_dropout(const nn_Module *module);
bool tg_is_layer_norm(const nn_Module *module);
tg_Activation tg_activation_of(const nn_Module *module);

#endif
