/* core/tensorboard/sugar.h: the macros for core/tensorboard (public; gcc and clang, C only). See
 * core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_TENSORBOARD_SUGAR_H
#define TAPEGRAD_CORE_TENSORBOARD_SUGAR_H
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "core/tensorboard/event_reader.h"
#include "core/tensorboard/summary_writer.h"

/* The frame of a call of a writer. */
#define TENSORBOARD_BEGIN_(text, writer) T_BEGIN_(text) tensorboard_SummaryWriter *t__w = (writer);
#define TENSORBOARD_EVENT_OPTIONS_(...) \
    T_OPTIONS_(tensorboard_EventOptions, t__o, TENSORBOARD_EVENT_DEFAULTS_, __VA_ARGS__)

/* tensorboard_SummaryWriter(), tensorboard_SummaryWriter("runs/first", .flush_secs = 10) */
#define tensorboard_SummaryWriter(...) T_BEGIN_("tensorboard_SummaryWriter(" #__VA_ARGS__ ")") \
    T_OPTIONS_(tensorboard_SummaryWriterOptions, t__o, TENSORBOARD_SUMMARY_WRITER_DEFAULTS_, __VA_ARGS__) \
    T_END_(tensorboard_SummaryWriter *, tensorboard_SummaryWriter_new(&t__o))
#define tensorboard_flush(writer) TENSORBOARD_BEGIN_("tensorboard_flush(" #writer ")", writer) \
    T_END_(bool, (tensorboard_flush)(t__w))
/* tensorboard_add_onnx_graph(writer, "model.onnx") */
#define tensorboard_add_onnx_graph(writer, prototxt) \
    TENSORBOARD_BEGIN_("tensorboard_add_onnx_graph(" #writer ", " #prototxt ")", writer) \
    const char *t__p = (prototxt); T_END_(bool, (tensorboard_add_onnx_graph)(t__w, t__p))
#define tensorboard_close(writer) TENSORBOARD_BEGIN_("tensorboard_close(" #writer ")", writer) \
    T_END_(bool, (tensorboard_close)(t__w))
/* tensorboard_add_scalar(writer, "Loss/train", loss, step): a C number or a tensor */
#define tensorboard_add_scalar(writer, tag, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_scalar(" #writer ", " #tag ", " #__VA_ARGS__ ")", writer) \
    const char *t__t = (tag); Tensor *t__a = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(tensorboard_ScalarOptions, t__o, TENSORBOARD_SCALAR_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_scalar)(t__w, t__t, t__a, &t__o))
#define tensorboard_add_scalars(writer, main_tag, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_scalars(" #writer ", " #main_tag ", " #__VA_ARGS__ ")", writer) \
    const char *t__t = (main_tag); const t_TensorDict *t__d = T_HEAD_(__VA_ARGS__); \
    TENSORBOARD_EVENT_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_scalars)(t__w, t__t, t__d, &t__o))
/* The functions of a tag and a tensor. */
#define TENSORBOARD_TENSOR_(function, text, type, defaults, writer, tag, ...) TENSORBOARD_BEGIN_(text, writer) \
    const char *t__t = (tag); T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(type, t__o, defaults, T_TAIL_(__VA_ARGS__)) T_END_(bool, (function)(t__w, t__t, t__a, &t__o))
/* tensorboard_add_histogram(writer, "weights", x, step, .bins = "auto") */
#define tensorboard_add_histogram(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_histogram, \
    "tensorboard_add_histogram(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_HistogramOptions, \
    TENSORBOARD_HISTOGRAM_DEFAULTS_, writer, tag, __VA_ARGS__)
#define tensorboard_add_histogram_raw(writer, tag, min, max, num, sum, sum_squares, bucket_limits, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_histogram_raw(" #writer ", " #tag ", ...)", writer) \
    const char *t__t = (tag); const double t__n[] = {min, max, num, sum, sum_squares}; \
    T_TENSOR_(t__a, (bucket_limits)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    TENSORBOARD_EVENT_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_histogram_raw)(t__w, t__t, t__n[0], t__n[1], t__n[2], t__n[3], t__n[4], t__a, t__b, \
    &t__o))
/* tensorboard_add_image(writer, "image", x, step, .dataformats = "HWC") */
#define tensorboard_add_image(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_image, \
    "tensorboard_add_image(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_ImageOptions, \
    TENSORBOARD_IMAGE_DEFAULTS_, writer, tag, __VA_ARGS__)
#define tensorboard_add_images(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_images, \
    "tensorboard_add_images(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_ImageOptions, \
    TENSORBOARD_IMAGE_DEFAULTS_, writer, tag, __VA_ARGS__)
/* tensorboard_add_image_with_boxes(writer, "image", x, boxes, step, .labels = names) */
#define tensorboard_add_image_with_boxes(writer, tag, img_tensor, ...) TENSORBOARD_BEGIN_( \
    "tensorboard_add_image_with_boxes(" #writer ", " #tag ", " #img_tensor ", " #__VA_ARGS__ ")", writer) \
    const char *t__t = (tag); T_TENSOR_(t__a, (img_tensor)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(tensorboard_BoxesOptions, t__o, TENSORBOARD_BOXES_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_image_with_boxes)(t__w, t__t, t__a, t__b, &t__o))
/* tensorboard_add_figure(writer, "figure", step): the current figure */
#define tensorboard_add_figure(writer, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_figure(" #writer ", " #__VA_ARGS__ ")", writer) \
    const char *t__t = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(tensorboard_FigureOptions, t__o, TENSORBOARD_FIGURE_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_figure)(t__w, t__t, &t__o))
#define tensorboard_add_video(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_video, \
    "tensorboard_add_video(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_VideoOptions, \
    TENSORBOARD_VIDEO_DEFAULTS_, writer, tag, __VA_ARGS__)
/* tensorboard_add_mesh(writer, "mesh", vertices, colors, faces) */
#define tensorboard_add_mesh(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_mesh, \
    "tensorboard_add_mesh(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_MeshOptions, \
    TENSORBOARD_MESH_DEFAULTS_, writer, tag, __VA_ARGS__)
#define tensorboard_add_pr_curve_raw(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_pr_curve_raw, \
    "tensorboard_add_pr_curve_raw(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_PrCurveOptions, \
    TENSORBOARD_PR_CURVE_DEFAULTS_, writer, tag, __VA_ARGS__)
#define tensorboard_add_text(writer, tag, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_text(" #writer ", " #tag ", " #__VA_ARGS__ ")", writer) \
    const char *t__t = (tag); const char *t__x = T_HEAD_(__VA_ARGS__); \
    TENSORBOARD_EVENT_OPTIONS_(T_TAIL_(__VA_ARGS__)) T_END_(bool, (tensorboard_add_text)(t__w, t__t, t__x, &t__o))
#define tensorboard_add_tensor(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_tensor, \
    "tensorboard_add_tensor(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_EventOptions, \
    TENSORBOARD_EVENT_DEFAULTS_, writer, tag, __VA_ARGS__)
#define tensorboard_add_audio(writer, tag, ...) TENSORBOARD_TENSOR_(tensorboard_add_audio, \
    "tensorboard_add_audio(" #writer ", " #tag ", " #__VA_ARGS__ ")", tensorboard_AudioOptions, \
    TENSORBOARD_AUDIO_DEFAULTS_, writer, tag, __VA_ARGS__)
/* tensorboard_add_hparams(writer, hparams, metrics, .run_name = "lr0.1") */
#define tensorboard_add_hparams(writer, hparam_dict, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_hparams(" #writer ", " #hparam_dict ", " #__VA_ARGS__ ")", writer) \
    const t_TensorDict *t__d = (hparam_dict); const t_TensorDict *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(tensorboard_HparamsOptions, t__o, TENSORBOARD_HPARAMS_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_hparams)(t__w, t__d, t__m, &t__o))
#define tensorboard_add_pr_curve(writer, tag, labels, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_pr_curve(" #writer ", " #tag ", " #labels ", " #__VA_ARGS__ ")", writer) \
    const char *t__t = (tag); T_TENSOR_(t__a, (labels)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(tensorboard_PrCurveOptions, t__o, TENSORBOARD_PR_CURVE_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_pr_curve)(t__w, t__t, t__a, t__b, &t__o))
/* tensorboard_add_embedding(writer, features, .metadata = labels, .label_img = images) */
#define tensorboard_add_embedding(writer, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_embedding(" #writer ", " #__VA_ARGS__ ")", writer) \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(tensorboard_EmbeddingOptions, t__o, TENSORBOARD_EMBEDDING_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (tensorboard_add_embedding)(t__w, t__a, &t__o))
/* tensorboard_add_custom_scalars(writer, {"Taiwan", "twse", "Multiline", {"twse/0050", "twse/2330"}}, {...}) */
#define tensorboard_add_custom_scalars(writer, ...) \
    TENSORBOARD_BEGIN_("tensorboard_add_custom_scalars(" #writer ", ...)", writer) \
    const tensorboard_Chart t__c[] = {__VA_ARGS__}; \
    T_END_(bool, (tensorboard_add_custom_scalars)(t__w, t__c, (int64_t)(sizeof t__c / sizeof *t__c)))
#define tensorboard_load_events(path) T_BEGIN_("tensorboard_load_events(" #path ")") const char *t__p = (path); \
    T_END_(tensorboard_Events *, (tensorboard_load_events)(t__p))
/* tensorboard_scalars(events, "Loss/train", &steps, &values) */
#define tensorboard_scalars(events, tag, steps, values) \
    T_BEGIN_("tensorboard_scalars(" #events ", " #tag ", " #steps ", " #values ")") \
    const tensorboard_Events *t__e = (events); const char *t__t = (tag); Tensor **t__s = (steps); \
    Tensor **t__v = (values); T_END_(bool, (tensorboard_scalars)(t__e, t__t, t__s, t__v))

#endif
