/* nn/sugar/onnx.h: keyword-argument macros of nn/onnx/export.h (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_NN_SUGAR_ONNX_H
#define TAPEGRAD_NN_SUGAR_ONNX_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/onnx/export.h"

static inline t_TensorList *onnx_list_of_(Tensor *x) { return t_list_new(&x, 1); }
static inline const t_TensorList *onnx_list_(const t_TensorList *args) { return args; }
/* onnx_export(model, x, "model.onnx"), onnx_export(model, t_list(ids, mask), "model.onnx", .input_names = {"ids",
 * "mask"}, .dynamic_axes = {{"ids", 0, "batch"}, {"mask", 0, "batch"}}) */
#define onnx_export(...) \
    ONNX_EXPORT_("onnx_export(" #__VA_ARGS__ ")", __VA_ARGS__, .size = sizeof(onnx_ExportOptions))
#define ONNX_EXPORT_(text, model, args, f, ...) T_BEGIN_(text) \
    void *t__m = (model); __auto_type t__a = (args); const char *t__f = (f); \
    T_OPTIONS_(onnx_ExportOptions, t__o, .opset_version = 18, .size = sizeof(onnx_ExportOptions), __VA_ARGS__) \
    T_END_(bool, (onnx_export)(t__m, _Generic(t__a, Tensor *: onnx_list_of_, t_TensorList *: onnx_list_, \
    const t_TensorList *: onnx_list_)(t__a), t__f, &t__o))
#define onnx_export_bytes(...) \
    ONNX_BYTES_("onnx_export_bytes(" #__VA_ARGS__ ")", __VA_ARGS__, .size = sizeof(onnx_ExportOptions))
#define ONNX_BYTES_(text, model, args, count, ...) T_BEGIN_(text) \
    void *t__m = (model); __auto_type t__a = (args); size_t *t__n = (count); \
    T_OPTIONS_(onnx_ExportOptions, t__o, .opset_version = 18, .size = sizeof(onnx_ExportOptions), __VA_ARGS__) \
    T_END_(void *, (onnx_export_bytes)(t__m, _Generic(t__a, Tensor *: onnx_list_of_, t_TensorList *: onnx_list_, \
    const t_TensorList *: onnx_list_)(t__a), t__n, &t__o))

#endif
#endif
