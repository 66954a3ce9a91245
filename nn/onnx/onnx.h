/* nn/onnx/onnx.h: import torch.onnx (public). The folder may include what nn/nn.h has, and core/io.
 *
 *     export.h, export.c          onnx_export: two forwards, whose operations become nodes
 *     trace.c                     the operations of a forward
 *     pointwise.c, shapes.c, reductions.c, layers.c, recurrent.c      operations as nodes
 *     graph.c, model.c            the graph; the bytes of the file */
#ifndef TAPEGRAD_NN_ONNX_ONNX_H
#define TAPEGRAD_NN_ONNX_ONNX_H

#include "nn/nn.h"
#include "nn/onnx/export.h"
#ifndef __cplusplus
#include "nn/sugar/onnx.h"
#endif

#endif
