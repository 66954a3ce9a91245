/* nn/onnx/export.h: torch.onnx.export: models as ONNX files, for onnxruntime and other programs (public).
 *
 *     onnx_export(model, t_randn(1, 3, 224, 224), "model.onnx", .input_names = {"image"}, .output_names = {"logits"},
 *                 .dynamic_axes = {{"image", 0, "batch"}, {"logits", 0, "batch"}});
 *
 * The forward runs twice, with dynamic axes four times, and each operation becomes one or more nodes. What the graph
 * cannot express is an error: an operation without a mapping, with its name, its module and the line that called it; a
 * loop or a condition that depends on the values or on a dynamic size; a value that is computed from the input without
 * grad mode or as a C number.
 *
 * Parameters and buffers are initializers with their names in the state dict.
 *
 * A size that a forward computes in C from dynamic axes may be a multiple, a product or a sum of them, with a constant.
 * Another function of one is an error, as its half rounded down; but not if it is the same for sizes that are larger by
 * 5, as a thirty-second may be: then the file has the constant. Source: https://onnx.ai. */
#ifndef TAPEGRAD_NN_ONNX_EXPORT_H
#define TAPEGRAD_NN_ONNX_EXPORT_H

#include "nn/module/module.h"

T_BEGIN_DECLS

enum { ONNX_MAX_NAMES = 8, ONNX_MAX_DYNAMIC_AXES = 16 };

/* {"image", 0, "batch"}: axis 0 of the input or output of that name has any size, and is called batch. param NULL: a
 * name is made. Axes of the same name have the same size. */
typedef struct onnx_DynamicAxis {
    const char *name;
    int64_t axis;
    const char *param;
} onnx_DynamicAxis;

/* The outputs of a model that nn_call cannot run, for the inputs `args`; items of args may be NULL. */
typedef t_TensorList *onnx_Forward(void *model, t_TensorList *args, void *context);

typedef struct onnx_ExportOptions {
    uint32_t size;
    const char *input_names[ONNX_MAX_NAMES];  /* NULL: "input", then "input.1", ... */
    const char *output_names[ONNX_MAX_NAMES]; /* NULL: "output", then "output.1", ... */
    int64_t opset_version;                    /* 18; also 19 and 20 */
    /* up to the first without a name; other axes have the sizes of args. An axis of an output is named by what it
     * depends on, so that it need not be listed. */
    onnx_DynamicAxis dynamic_axes[ONNX_MAX_DYNAMIC_AXES];
    onnx_Forward *forward; /* NULL: nn_call(model, args[0]) or nn_call(model, args[0], args[1]) */
    void *context;
} onnx_ExportOptions;

/* torch.onnx.export(model, args, f, input_names=None, output_names=None, opset_version=18, dynamic_axes=None): in
 * evaluation mode, which is left as it was afterwards. Returns false with an error, and then writes no file. Tensors of
 * more than 2 GB in all are an error (a message of protobuf is not larger). */
T_API bool onnx_export(void *model, const t_TensorList *args, const char *f, const onnx_ExportOptions *options);
/* The same as the bytes of the file, which the caller frees with free(); NULL with an error. */
T_API void *onnx_export_bytes(void *model, const t_TensorList *args, size_t *size, const onnx_ExportOptions *options);

T_END_DECLS
#endif
