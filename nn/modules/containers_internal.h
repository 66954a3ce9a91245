/* nn/modules/containers_internal.h: the items of the containers (internal). */
#ifndef TAPEGRAD_NN_MODULES_CONTAINERS_INTERNAL_H
#define TAPEGRAD_NN_MODULES_CONTAINERS_INTERNAL_H

#include "nn/module/module.h"

/* nn_parameter_kind for a ParameterList or ParameterDict, else nn_child_kind. */
nn_Kind tg_kind_of_items(const void *container);
/* entry if it is of that kind, else the next one after it; NULL where there is none. */
nn_Entry *tg_item(const nn_Entry *entry, nn_Kind kind);
/* Registers x, or a parameter with x's data where x is none. */
bool tg_set_parameter(nn_Module *self, const char *name, Tensor *x);

#endif
