/* core/tensorboard/event_internal.h: serialized Events and Summaries, and the writer's struct (internal). The numbers
 * of fields are those of the .proto files in tensorboard/compat/proto. */
#ifndef TAPEGRAD_CORE_TENSORBOARD_EVENT_INTERNAL_H
#define TAPEGRAD_CORE_TENSORBOARD_EVENT_INTERNAL_H

#include "core/io/protobuf.h"
#include "core/io/zlib/zlib.h"
#include "core/tensor/tensor.h"
#include "core/tensorboard/record.h"
#include "core/tensorboard/summary_writer.h"

enum EventField {
    EVENT_WALL_TIME = 1, EVENT_STEP = 2, EVENT_FILE_VERSION = 3, EVENT_GRAPH_DEF = 4, EVENT_SUMMARY = 5,
    EVENT_SESSION_LOG = 7, EVENT_TAGGED_RUN_METADATA = 8, EVENT_SOURCE_METADATA = 10
};
enum ValueField {
    VALUE_TAG = 1, VALUE_SIMPLE_VALUE = 2, VALUE_IMAGE = 4, VALUE_HISTO = 5, VALUE_AUDIO = 6, VALUE_TENSOR = 8,
    VALUE_METADATA = 9
};
enum TensorField {
    TENSOR_DTYPE = 1, TENSOR_SHAPE = 2, TENSOR_CONTENT = 4, TENSOR_FLOAT = 5, TENSOR_DOUBLE = 6, TENSOR_INT = 7,
    TENSOR_STRING = 8, TENSOR_INT64 = 10, TENSOR_BOOL = 11, TENSOR_HALF = 13
};
/* tensorflow.DataType */
enum TensorDType {
    DT_FLOAT = 1, DT_DOUBLE = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 5, DT_INT8 = 6, DT_STRING = 7, DT_INT64 = 9,
    DT_BOOL = 10, DT_BFLOAT16 = 14, DT_HALF = 19
};

/* An Event in memory with its time (0: now) and step (T_NONE: none). */
void tg_event_begin(tg_Output *event, double walltime, int64_t step);
/* An Event with a Summary of one Value of that tag: the caller writes the value's other fields, and
 * tg_summary_add ends it and gives it to the file. */
typedef struct tg_SummaryEvent {
    tg_Output out;
    size_t summary, value;
    bool ok; /* false: the caller failed; the event is dropped */
} tg_SummaryEvent;
void tg_summary_begin(tg_SummaryEvent *event, const char *tag, double walltime, int64_t step);
bool tg_summary_add(tg_EventFile *file, tg_SummaryEvent *event);

/* SummaryMetadata with the plugin's name and content (NULL: none). */
void tg_put_metadata(tg_Output *out, const char *plugin, const void *content, size_t size);
void tg_put_shape(tg_Output *out, uint32_t field, const int64_t *shape, int ndim); /* TensorShapeProto */
/* A TensorProto of float32, of these sizes; of one string, ndim 0 or 1. */
void tg_put_float_tensor(tg_Output *out, const float *values, const int64_t *shape, int ndim);
void tg_put_string_tensor(tg_Output *out, const void *bytes, size_t size, int ndim);

/* x as a contiguous tensor of that dtype, outside of the graph; NULL on an error. */
Tensor *tg_values_as(Tensor *x, t_DType dtype);

/* The GraphDef of an ONNX model, into memory (onnx_graph.c). */
bool tg_put_onnx_graph(tg_Output *out, tg_Proto *model);

struct tensorboard_SummaryWriter {
    t_Object object;
    char *log_dir, *filename_suffix; /* malloc'ed */
    int64_t purge_step, max_queue;
    double flush_secs;
    tg_EventFile **files; /* the first is log_dir's, the others are those of add_scalars; none while it is closed */
    int64_t file_count, file_capacity;
    tg_Output projector; /* projector_config.pbtxt so far */
};
/* The writer's file, opened if it is closed; NULL on an error (position 1). */
tg_EventFile *tg_writer_file(tensorboard_SummaryWriter *self);
/* The file of that folder among the writer's, opened if it is not. */
tg_EventFile *tg_writer_file_of(tensorboard_SummaryWriter *self, const char *folder);

/* ---- images (image.c) ---- */

/* The PNG file of 8-bit pixels in rows: 1 gray, 3 RGB, 4 RGBA channels. The caller frees `to`, also after an error. */
bool tg_png_bytes(const uint8_t *pixels, int64_t height, int64_t width, int channels, tg_Bytes *to);
/* convert_to_HWC: x of the dims that dataformats names as [H, W, C], where one channel becomes three. */
Tensor *tg_rows_of_pixels(Tensor *x, const char *dataformats);
/* Such an image of float32, or of bytes, as bytes, for tg_free; NULL on an error, which names the tag. */
uint8_t *tg_bytes_of_pixels(const char *tag, Tensor *x, bool is_bytes);
/* A Summary.Image; pixels are written as PNG. */
typedef struct tg_Picture {
    const char *tag;
    int64_t height, width;
    int channels;
    double walltime;
    int64_t step;
} tg_Picture;
bool tg_add_picture(tg_EventFile *file, const tg_Picture *picture, const tg_Bytes *encoded);
bool tg_add_pixels(tg_EventFile *file, const tg_Picture *picture, const uint8_t *pixels);
/* A grid of images [N, C, H, W] of any dtype (C 1 or 3), with ncols in a row: [3, rows * H, columns * W]. */
Tensor *tg_image_grid(Tensor *images, int64_t ncols);

#endif
