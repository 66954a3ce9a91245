/* nn/tensorboard/graph.h: SummaryWriter.add_graph, the graph of a module for TensorBoard's Graphs page (public). The
 * writer's other functions are in core/tensorboard/tensorboard.h. */
#ifndef TAPEGRAD_NN_TENSORBOARD_GRAPH_H
#define TAPEGRAD_NN_TENSORBOARD_GRAPH_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

struct tensorboard_SummaryWriter;

/* writer.add_graph(model, input_to_model): calls the model in eval mode, with one tensor or a list of two, and writes
 * the ops that the tape recorded: each is a node in the scope of its module, "Net/Conv2d[conv1]/convolution", with its
 * inputs and the shape of its output; parameters are nodes of their module, and the input and the output have scopes
 * of their own. All parameters and a floating input require grad meanwhile; at the end requires_grad and the training
 * modes are as before. The tape has no op whose inputs need no gradient, such as a mask or positions: such an op has no
 * node (PyTorch's jit records them; verbose and use_strict_trace are the jit's too). Errors: those of the call. */
T_API bool tensorboard_add_graph(struct tensorboard_SummaryWriter *self, void *model,
                                 const t_TensorList *input_to_model);

T_END_DECLS
#endif
