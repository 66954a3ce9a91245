/* nn/sugar/tensorboard.h: the macro of nn/tensorboard/graph.h (public; gcc and clang, C only). core/sugar/sugar.h
 * explains the macros. */
#ifndef TAPEGRAD_NN_SUGAR_TENSORBOARD_H
#define TAPEGRAD_NN_SUGAR_TENSORBOARD_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/tensorboard/graph.h"

/* tensorboard_add_graph(writer, model, images), tensorboard_add_graph(writer, model, source, target) */
#define tensorboard_add_graph(writer, model, ...) \
    T_BEGIN_("tensorboard_add_graph(" #writer ", " #model ", " #__VA_ARGS__ ")") \
    struct tensorboard_SummaryWriter *t__w = (writer); void *t__m = (model); Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(bool, (tensorboard_add_graph)(t__w, t__m, t_list_new(t__l, (int64_t)(sizeof t__l / sizeof *t__l))))

#endif
#endif
