/* nn/parametrize/parametrize_internal.h: what the ready-made parametrizations need of parametrize.c (internal). */
#ifndef TAPEGRAD_NN_PARAMETRIZE_PARAMETRIZE_INTERNAL_H
#define TAPEGRAD_NN_PARAMETRIZE_PARAMETRIZE_INTERNAL_H

#include "nn/module/module_internal.h"
#include "nn/parametrize/parametrize.h"

/* getattr(module, name): a parameter, a buffer or the last value of a parametrized one; NULL without an error. */
Tensor *tg_parametrized_or_plain(const nn_Module *self, const char *name);
/* The first of the children of module.parametrizations, whose names are those of the parametrized tensors; NULL. */
const nn_Entry *tg_parametrized_names(const nn_Module *self);

#endif
