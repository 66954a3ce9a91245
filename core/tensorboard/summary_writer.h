/* core/tensorboard/summary_writer.h: SummaryWriter as plain functions (public; part of tensorboard.h). */
#ifndef TAPEGRAD_CORE_TENSORBOARD_SUMMARY_WRITER_H
#define TAPEGRAD_CORE_TENSORBOARD_SUMMARY_WRITER_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct tensorboard_SummaryWriter tensorboard_SummaryWriter;

/* SummaryWriter(log_dir=None, comment='', purge_step=None, max_queue=10, flush_secs=120, filename_suffix='') */
typedef struct tensorboard_SummaryWriterOptions {
    uint32_t size;
    const char *log_dir; /* NULL or "": runs/Nov27_20-10-01_host, with the comment at its end */
    const char *comment;
    int64_t purge_step;  /* TensorBoard hides what earlier files of log_dir have from this step on; T_NONE: nothing */
    int64_t max_queue;
    double flush_secs;
    const char *filename_suffix;
} tensorboard_SummaryWriterOptions;
#define TENSORBOARD_SUMMARY_WRITER_DEFAULTS_ .purge_step = T_NONE, .max_queue = 10, .flush_secs = 120, \
    .size = sizeof(tensorboard_SummaryWriterOptions)
extern T_API const tensorboard_SummaryWriterOptions tensorboard_SummaryWriterDefaults;
/* Creates the folder and the file. Errors: the system's */
T_API tensorboard_SummaryWriter *tensorboard_SummaryWriter_new(const tensorboard_SummaryWriterOptions *options);
T_API const char *tensorboard_get_logdir(const tensorboard_SummaryWriter *self); /* writer.get_logdir() */
T_API bool tensorboard_flush(tensorboard_SummaryWriter *self);                   /* writer.flush() */
/* writer.close(). A writer that is used again opens new files in the same folders. */
T_API bool tensorboard_close(tensorboard_SummaryWriter *self);

/* Keywords of most functions. walltime: seconds since 1970; 0: now. */
typedef struct tensorboard_EventOptions {
    uint32_t size;
    int64_t global_step; /* T_NONE: none */
    double walltime;
} tensorboard_EventOptions;
#define TENSORBOARD_EVENT_DEFAULTS_ .global_step = T_NONE, .size = sizeof(tensorboard_EventOptions)

/* add_scalar(tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False): one number,
 * a C number or a tensor of one element. new_style: as a tensor, of float64 with double_precision. */
typedef struct tensorboard_ScalarOptions {
    uint32_t size;
    int64_t global_step;
    double walltime;
    bool new_style, double_precision;
} tensorboard_ScalarOptions;
#define TENSORBOARD_SCALAR_DEFAULTS_ .global_step = T_NONE, .size = sizeof(tensorboard_ScalarOptions)
T_API bool tensorboard_add_scalar(tensorboard_SummaryWriter *self, const char *tag, Tensor *scalar_value,
                                  const tensorboard_ScalarOptions *options);
/* add_scalars(main_tag, tag_scalar_dict, global_step=None, walltime=None): several curves in one chart. Each has its
 * own writer, in log_dir/main_tag_tag. */
T_API bool tensorboard_add_scalars(tensorboard_SummaryWriter *self, const char *main_tag,
                                   const t_TensorDict *tag_scalar_dict, const tensorboard_EventOptions *options);

/* add_histogram(tag, values, global_step=None, bins='tensorflow', walltime=None, max_bins=None). bins: "tensorflow" has
 * bins at 1e-12 * 1.1^i and their negatives; numpy's "auto", "fd", "doane", "scott", "stone", "rice", "sturges" and
 * "sqrt". In Python bins may be a number or a sequence too: that is num_bins or bin_edges, a sorted tensor. max_bins
 * (0: None) combines neighbours until there are about as many. Errors: no values; values that are all outside of the
 * bins; numpy's for a range that is not finite. */
typedef struct tensorboard_HistogramOptions {
    uint32_t size;
    int64_t global_step;
    const char *bins;
    double walltime;
    int64_t max_bins, num_bins;
    Tensor *bin_edges;
} tensorboard_HistogramOptions;
#define TENSORBOARD_HISTOGRAM_DEFAULTS_ .global_step = T_NONE, .bins = "tensorflow", \
    .size = sizeof(tensorboard_HistogramOptions)
T_API bool tensorboard_add_histogram(tensorboard_SummaryWriter *self, const char *tag, Tensor *values,
                                     const tensorboard_HistogramOptions *options);
/* add_histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None,
 * walltime=None): a histogram that is already computed; bucket_limits: the upper limit of each bucket. Error: not as
 * many limits as counts. */
T_API bool tensorboard_add_histogram_raw(tensorboard_SummaryWriter *self, const char *tag, double min, double max,
                                         double num, double sum, double sum_squares, Tensor *bucket_limits,
                                         Tensor *bucket_counts, const tensorboard_EventOptions *options);

/* add_image(tag, img_tensor, global_step=None, walltime=None, dataformats='CHW'): of uint8 in [0, 255], or other dtypes
 * in [0, 1]; values outside are clamped. dataformats: the dims in order: "CHW", "HWC", "HW", "WH", "NCHW" (a grid of
 * eight in a row) or another order of these letters. C is 1, 3 or (not for "NCHW") 4 with alpha. Errors: another number
 * of dims, a letter twice, another number of channels, no pixels. add_images(...): with dataformats='NCHW'. */
typedef struct tensorboard_ImageOptions {
    uint32_t size;
    int64_t global_step;
    double walltime;
    const char *dataformats; /* NULL: the function's default */
} tensorboard_ImageOptions;
#define TENSORBOARD_IMAGE_DEFAULTS_ .global_step = T_NONE, .size = sizeof(tensorboard_ImageOptions)
T_API bool tensorboard_add_image(tensorboard_SummaryWriter *self, const char *tag, Tensor *img_tensor,
                                 const tensorboard_ImageOptions *options);
T_API bool tensorboard_add_images(tensorboard_SummaryWriter *self, const char *tag, Tensor *img_tensor,
                                  const tensorboard_ImageOptions *options);

/* add_image_with_boxes(tag, img_tensor, box_tensor, global_step=None, walltime=None, rescale=1, dataformats='CHW',
 * labels=None): an image as of add_image with red boxes, (N, 4) of xmin, ymin, xmax, ymax in pixels, drawn and scaled
 * (Lanczos) as Pillow does. labels: N texts, in letters of our own. Errors: as add_image's; other boxes; no pixels are
 * left. */
typedef struct tensorboard_BoxesOptions {
    uint32_t size;
    int64_t global_step;
    double walltime, rescale;
    const char *dataformats;
    const char *const *labels;
} tensorboard_BoxesOptions;
#define TENSORBOARD_BOXES_DEFAULTS_ .global_step = T_NONE, .rescale = 1, .size = sizeof(tensorboard_BoxesOptions)
T_API bool tensorboard_add_image_with_boxes(tensorboard_SummaryWriter *self, const char *tag, Tensor *img_tensor,
                                            Tensor *box_tensor, const tensorboard_BoxesOptions *options);

/* add_figure(tag, figure, global_step=None, close=True, walltime=None): figure is the current one (plt.gcf()), at its
 * dpi, as plt_savefig writes it; close: it is closed then. */
typedef struct tensorboard_FigureOptions {
    uint32_t size;
    int64_t global_step;
    bool close;
    double walltime;
} tensorboard_FigureOptions;
#define TENSORBOARD_FIGURE_DEFAULTS_ .global_step = T_NONE, .close = true, .size = sizeof(tensorboard_FigureOptions)
T_API bool tensorboard_add_figure(tensorboard_SummaryWriter *self, const char *tag,
                                  const tensorboard_FigureOptions *options);

/* add_video(tag, vid_tensor, global_step=None, fps=4, walltime=None): (N, T, C, H, W) of uint8 in [0, 255], or other
 * dtypes in [0, 1], C 1 or 3: an animated GIF, in which the N videos are next to each other. A frame of more than 256
 * colours is reduced to 256 (PyTorch leaves this to moviepy, whose colours differ). Errors: another shape, fps that is
 * not positive. */
typedef struct tensorboard_VideoOptions {
    uint32_t size;
    int64_t global_step;
    double fps, walltime;
} tensorboard_VideoOptions;
#define TENSORBOARD_VIDEO_DEFAULTS_ .global_step = T_NONE, .fps = 4, .size = sizeof(tensorboard_VideoOptions)
T_API bool tensorboard_add_video(tensorboard_SummaryWriter *self, const char *tag, Tensor *vid_tensor,
                                 const tensorboard_VideoOptions *options);

/* add_mesh(tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None): points, or with
 * faces (of indices into the vertices) triangles in space; all (B, N, 3), colors in [0, 255]. config_dict: three.js's
 * classes and their settings as JSON, {"camera": {"cls": "PerspectiveCamera", "fov": 75}}. Errors: another rank; no
 * JSON. */
typedef struct tensorboard_MeshOptions {
    uint32_t size;
    Tensor *colors, *faces;
    const char *config_dict;
    int64_t global_step;
    double walltime;
} tensorboard_MeshOptions;
#define TENSORBOARD_MESH_DEFAULTS_ .global_step = T_NONE, .size = sizeof(tensorboard_MeshOptions)
T_API bool tensorboard_add_mesh(tensorboard_SummaryWriter *self, const char *tag, Tensor *vertices,
                                const tensorboard_MeshOptions *options);

/* add_text(tag, text_string, global_step=None, walltime=None): Markdown, in UTF-8, under the tag "TAG/text_summary" */
T_API bool tensorboard_add_text(tensorboard_SummaryWriter *self, const char *tag, const char *text_string,
                                const tensorboard_EventOptions *options);
/* add_tensor(tag, tensor, global_step=None, walltime=None): all elements, of any dtype */
T_API bool tensorboard_add_tensor(tensorboard_SummaryWriter *self, const char *tag, Tensor *tensor,
                                  const tensorboard_EventOptions *options);
/* add_audio(tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None): one channel in [-1, 1], 16 bits. A
 * warning for values outside, which are clamped. Error: more than one dim, besides those of size 1. */
typedef struct tensorboard_AudioOptions {
    uint32_t size;
    int64_t global_step, sample_rate;
    double walltime;
} tensorboard_AudioOptions;
#define TENSORBOARD_AUDIO_DEFAULTS_ .global_step = T_NONE, .sample_rate = 44100, \
    .size = sizeof(tensorboard_AudioOptions)
T_API bool tensorboard_add_audio(tensorboard_SummaryWriter *self, const char *tag, Tensor *snd_tensor,
                                 const tensorboard_AudioOptions *options);

/* add_hparams(hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None): a run of the
 * hyperparameters page, in its own folder, log_dir/run_name (NULL: the time). hparam_dict has numbers and texts,
 * metric_dict numbers, which are also written as scalars. hparam_domain_discrete: for each of its names the values that
 * the hyperparameter can have, a tensor, or for a text a dict of texts (t_dict_set_dict). Errors: a value that is
 * neither one number nor a text; a name that is not in hparam_dict. */
typedef struct tensorboard_HparamsOptions {
    uint32_t size;
    const t_TensorDict *hparam_domain_discrete;
    const char *run_name;
    int64_t global_step;
} tensorboard_HparamsOptions;
#define TENSORBOARD_HPARAMS_DEFAULTS_ .global_step = T_NONE, .size = sizeof(tensorboard_HparamsOptions)
T_API bool tensorboard_add_hparams(tensorboard_SummaryWriter *self, const t_TensorDict *hparam_dict,
                                   const t_TensorDict *metric_dict, const tensorboard_HparamsOptions *options);

/* add_pr_curve(tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None): precision
 * and recall for each threshold. labels: 0 or 1 (bool, or numbers); predictions: probabilities, as many. num_thresholds
 * above 127 is 127. Errors: not as many labels as predictions or weights; fewer than 1 threshold. */
typedef struct tensorboard_PrCurveOptions {
    uint32_t size;
    int64_t global_step, num_thresholds;
    Tensor *weights;
    double walltime;
} tensorboard_PrCurveOptions;
#define TENSORBOARD_PR_CURVE_DEFAULTS_ .global_step = T_NONE, .num_thresholds = 127, \
    .size = sizeof(tensorboard_PrCurveOptions)
T_API bool tensorboard_add_pr_curve(tensorboard_SummaryWriter *self, const char *tag, Tensor *labels,
                                    Tensor *predictions, const tensorboard_PrCurveOptions *options);

/* add_pr_curve_raw(tag, true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts,
 * precision, recall, global_step=None, num_thresholds=127, weights=None, walltime=None): a curve that is already
 * computed: rows is (6, thresholds), these six in order. */
T_API bool tensorboard_add_pr_curve_raw(tensorboard_SummaryWriter *self, const char *tag, Tensor *rows,
                                        const tensorboard_PrCurveOptions *options);

/* add_embedding(mat, metadata=None, label_img=None, global_step=None, tag='default', metadata_header=None): the rows of
 * mat [N, D] as points of the projector page. metadata: N texts, or with a header, whose columns are separated by tabs,
 * N rows with as many columns. label_img: [N, C, H, W] in [0, 1], a small picture for each point. Writes tensors.tsv,
 * metadata.tsv, sprite.png to log_dir/STEP/TAG, and projector_config.pbtxt. Errors: mat is no matrix; other numbers of
 * rows or columns. */
typedef struct tensorboard_EmbeddingOptions {
    uint32_t size;
    const char *const *metadata;
    Tensor *label_img;
    int64_t global_step;
    const char *tag, *metadata_header;
} tensorboard_EmbeddingOptions;
#define TENSORBOARD_EMBEDDING_DEFAULTS_ .global_step = T_NONE, .tag = "default", \
    .size = sizeof(tensorboard_EmbeddingOptions)
T_API bool tensorboard_add_embedding(tensorboard_SummaryWriter *self, Tensor *mat,
                                     const tensorboard_EmbeddingOptions *options);

/* add_custom_scalars(layout): charts of the custom scalars page, of tags that add_scalar has or will have. Python's
 * {"Taiwan": {"twse": ["Multiline", ["twse/0050", "twse/2330"]]}} is {{"Taiwan", "twse", "Multiline", {"twse/0050",
 * "twse/2330"}}}. type "Margin": a curve, its lower and its upper limit. Charts of a category are next to each other.
 * Error: a Margin without three tags. */
enum { TENSORBOARD_MAX_TAGS = 16 };
typedef struct tensorboard_Chart {
    const char *category, *title, *type;
    const char *tags[TENSORBOARD_MAX_TAGS];
} tensorboard_Chart;
T_API bool tensorboard_add_custom_scalars(tensorboard_SummaryWriter *self, const tensorboard_Chart *layout,
                                          int64_t count);

/* add_onnx_graph(prototxt): the graph of an .onnx file: its inputs and outputs with dtype and shape, and its nodes,
 * named by their first output, with their attributes as Python's str writes them. Here no name is printed, and the
 * external data of attributes is not read. Errors: the system's, no ONNX model (the file's name and the byte), also a
 * field of another wire type, which protobuf passes over; a node without an output. */
T_API bool tensorboard_add_onnx_graph(tensorboard_SummaryWriter *self, const char *prototxt);

T_END_DECLS
#endif
