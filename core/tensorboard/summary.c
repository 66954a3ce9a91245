/* core/tensorboard/summary.c: serialized Events with a Summary, and the add_ functions whose values are written as they
 * are: scalars, texts, tensors, audio. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/utf8.h"
#include "core/ops/creation.h"
#include "core/ops/dict.h"
#include "core/ops/tensor_info.h"
#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"

/* ---- events ---- */

/* Fields in the order of their numbers, and none with its default value, as protobuf's writer does. */
void tg_event_begin(tg_Output *event, double walltime, int64_t step) {
    tg_output_memory(event);
    tg_proto_double(event, EVENT_WALL_TIME, walltime != 0 ? walltime : tg_wall_time());
    if (step != T_NONE && step != 0) tg_proto_varint(event, EVENT_STEP, (uint64_t)step);
}

void tg_summary_begin(tg_SummaryEvent *event, const char *tag, double walltime, int64_t step) {
    tg_event_begin(&event->out, walltime, step);
    event->summary = tg_proto_begin(&event->out, EVENT_SUMMARY);
    event->value = tg_proto_begin(&event->out, 1);
    event->ok = true;
    if (*tag) tg_proto_text(&event->out, VALUE_TAG, tag);
}

bool tg_summary_add(tg_EventFile *file, tg_SummaryEvent *event) {
    tg_proto_end(&event->out, event->value);
    tg_proto_end(&event->out, event->summary);
    return tg_event_file_add(file, &event->out, event->ok);
}

void tg_put_metadata(tg_Output *out, const char *plugin, const void *content, size_t size) {
    const size_t metadata = tg_proto_begin(out, VALUE_METADATA), data = tg_proto_begin(out, 1);
    tg_proto_text(out, 1, plugin);
    if (size) tg_proto_bytes(out, 2, content, size);
    tg_proto_end(out, data);
    tg_proto_end(out, metadata);
}

void tg_put_shape(tg_Output *out, uint32_t field, const int64_t *shape, int ndim) {
    const size_t sizes = tg_proto_begin(out, field);
    for (int d = 0; d < ndim; d++) {
        const size_t dim = tg_proto_begin(out, 2);
        if (shape[d]) tg_proto_varint(out, 1, (uint64_t)shape[d]);
        tg_proto_end(out, dim);
    }
    tg_proto_end(out, sizes);
}

void tg_put_float_tensor(tg_Output *out, const float *values, const int64_t *shape, int ndim) {
    const size_t tensor = tg_proto_begin(out, VALUE_TENSOR);
    tg_proto_varint(out, TENSOR_DTYPE, DT_FLOAT);
    tg_put_shape(out, TENSOR_SHAPE, shape, ndim);
    tg_proto_packed_floats(out, TENSOR_FLOAT, values, (size_t)tg_shape_numel(shape, ndim));
    tg_proto_end(out, tensor);
}

void tg_put_string_tensor(tg_Output *out, const void *bytes, size_t size, int ndim) {
    static const int64_t one = 1;
    const size_t tensor = tg_proto_begin(out, VALUE_TENSOR);
    tg_proto_varint(out, TENSOR_DTYPE, DT_STRING);
    tg_put_shape(out, TENSOR_SHAPE, &one, ndim);
    tg_proto_bytes(out, TENSOR_STRING, bytes, size);
    tg_proto_end(out, tensor);
}

Tensor *tg_values_as(Tensor *x, t_DType dtype) {
    Tensor *y = t_detach(x);
    if (y && y->dtype == t_bfloat16) y = t_to(y, t_float16); /* as PyTorch, since numpy has no bfloat16 */
    return t_contiguous(t_to(y, dtype));
}

/* ---- scalars ---- */

static bool check_scalar(Tensor *x, int position) {
    if (!tg_check_any(x, position)) return false;
    int dims = 0;
    for (int d = 0; d < x->ndim; d++) dims += x->shape[d] != 1;
    return dims == 0 || tg_fail("Tensor should contain one element (0 dimensions). Was given size: %lld and %d "
                                "dimensions.",
                                (long long)tg_numel(x), dims);
}

static bool write_scalar(tg_EventFile *file, const char *tag, double value, const tensorboard_ScalarOptions *o) {
    tg_SummaryEvent event;
    tg_summary_begin(&event, tag, o->walltime, o->global_step);
    if (o->new_style) {
        const size_t tensor = tg_proto_begin(&event.out, VALUE_TENSOR);
        const float narrow = (float)value;
        tg_proto_varint(&event.out, TENSOR_DTYPE, o->double_precision ? DT_DOUBLE : DT_FLOAT);
        if (o->double_precision)
            tg_proto_packed_doubles(&event.out, TENSOR_DOUBLE, &value, 1);
        else
            tg_proto_packed_floats(&event.out, TENSOR_FLOAT, &narrow, 1);
        tg_proto_end(&event.out, tensor);
        tg_put_metadata(&event.out, "scalars", NULL, 0);
    } else {
        tg_proto_float(&event.out, VALUE_SIMPLE_VALUE, (float)value);
    }
    return tg_summary_add(file, &event);
}

/* x.item(), of a bfloat16 as float16's nearest */
static double number_of(Tensor *x) {
    const int depth = t_scope_open();
    const double value = depth ? t_item(tg_values_as(x, t_float64)) : NAN;
    t_scope_close(depth);
    return value;
}

bool tensorboard_add_scalar(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                            const tensorboard_ScalarOptions *options) {
    tensorboard_ScalarOptions o = {TENSORBOARD_SCALAR_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !check_scalar(x, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    const int64_t failures = tg_thread.failures;
    const double value = number_of(x);
    return !tg_failed_since(failures) && write_scalar(file, tag, value, &o);
}

bool tensorboard_add_scalars(tensorboard_SummaryWriter *self, const char *main_tag, const t_TensorDict *values,
                             const tensorboard_EventOptions *options) {
    tensorboard_EventOptions o = {TENSORBOARD_EVENT_DEFAULTS_};
    if (!tg_writer_file(self) || !tg_check_given(main_tag != NULL, 2, "a text") || !tg_check_dict(values, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    for (int64_t i = 0; i < values->len; i++) {
        if (!values->items[i].tensor)
            return tg_fail("\"%s\" is a text, but add_scalars needs a number", values->items[i].name);
        if (!check_scalar(values->items[i].tensor, 3)) return false;
    }
    const int depth = t_scope_open();
    if (!depth) return false;
    const tensorboard_ScalarOptions scalar = {.global_step = o.global_step,
                                              .walltime = o.walltime != 0 ? o.walltime : tg_wall_time()};
    char *tag = (char *)t_format("%s", main_tag);
    for (char *at = tag; at && *at; at++)
        if (*at == '/') *at = '_';
    bool ok = tag != NULL;
    for (int64_t i = 0; ok && i < values->len; i++) {
        const char *folder = t_format("%s/%s_%s", self->log_dir, tag, values->items[i].name);
        tg_EventFile *file = folder ? tg_writer_file_of(self, folder) : NULL;
        const int64_t failures = tg_thread.failures;
        const double value = file ? number_of(values->items[i].tensor) : 0;
        ok = file && !tg_failed_since(failures) && write_scalar(file, main_tag, value, &scalar);
    }
    t_scope_close(depth);
    return ok;
}

/* ---- texts ---- */

bool tensorboard_add_text(tensorboard_SummaryWriter *self, const char *tag, const char *text,
                          const tensorboard_EventOptions *options) {
    tensorboard_EventOptions o = {TENSORBOARD_EVENT_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_given(text != NULL, 3, "a text") ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    if (tg_utf8_valid(text, strlen(text)) != strlen(text))
        return tg_fail("the text of \"%s\" is not UTF-8 from byte %zu on", tag, tg_utf8_valid(text, strlen(text)));
    const int depth = t_scope_open();
    if (!depth) return false;
    const char *name = t_format("%s/text_summary", tag);
    tg_SummaryEvent event;
    bool ok = name != NULL;
    if (ok) {
        tg_summary_begin(&event, name, o.walltime, o.global_step);
        tg_put_string_tensor(&event.out, text, strlen(text), 1);
        tg_put_metadata(&event.out, "text", NULL, 0); /* TextPluginData(version=0): no bytes */
        ok = tg_summary_add(file, &event);
    }
    t_scope_close(depth);
    return ok;
}

/* ---- tensors ---- */

/* Each dtype's DataType and field, as torch.utils.tensorboard chooses them: halves as the bits of their float32. */
static const struct {
    int type;
    uint32_t field;
} tensor_fields[T_DTYPES] = {[t_bool] = {DT_BOOL, TENSOR_BOOL},      [t_uint8] = {DT_UINT8, 16 /* uint32_val */},
                             [t_int8] = {DT_INT8, TENSOR_INT},       [t_int16] = {DT_INT16, TENSOR_INT},
                             [t_int32] = {DT_INT32, TENSOR_INT},     [t_int64] = {DT_INT64, TENSOR_INT64},
                             [t_float16] = {DT_HALF, TENSOR_HALF},   [t_bfloat16] = {DT_BFLOAT16, TENSOR_HALF},
                             [t_float32] = {DT_FLOAT, TENSOR_FLOAT}, [t_float64] = {DT_DOUBLE, TENSOR_DOUBLE}};

bool tensorboard_add_tensor(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                            const tensorboard_EventOptions *options) {
    tensorboard_EventOptions o = {TENSORBOARD_EVENT_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(x, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    if (tg_numel(x) >= ((int64_t)1 << 31) / (int64_t)tg_itemsize(x->dtype))
        return tg_fail("tensor is bigger than protocol buffer's hard limit of 2GB in size");
    const uint32_t field = tensor_fields[x->dtype].field;
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *y = t_contiguous(t_to(t_detach(x), x->dtype == t_float64      ? t_float64
                                               : tg_is_floating(x->dtype) ? t_float32
                                                                          : t_int64));
    const size_t count = (size_t)tg_numel(x);
    tg_SummaryEvent event;
    bool ok = y != NULL;
    if (ok) {
        tg_summary_begin(&event, tag, o.walltime, o.global_step);
        const size_t tensor = tg_proto_begin(&event.out, VALUE_TENSOR);
        tg_proto_varint(&event.out, TENSOR_DTYPE, (uint64_t)tensor_fields[x->dtype].type);
        tg_put_shape(&event.out, TENSOR_SHAPE, x->shape, x->ndim);
        if (x->dtype == t_float64)
            tg_proto_packed_doubles(&event.out, field, tg_data(y), count);
        else if (x->dtype == t_float32)
            tg_proto_packed_floats(&event.out, field, tg_data(y), count);
        else if (!tg_is_half(x->dtype))
            tg_proto_packed_varints(&event.out, field, tg_data(y), count);
        else if (count) {
            const size_t values = tg_proto_begin(&event.out, field);
            for (size_t i = 0; i < count; i++) {
                int32_t bits;
                memcpy(&bits, (const float *)tg_data(y) + i, sizeof bits);
                tg_proto_raw_varint(&event.out, (uint64_t)(int64_t)bits);
            }
            tg_proto_end(&event.out, values);
        }
        tg_proto_end(&event.out, tensor);
        tg_put_metadata(&event.out, "tensor", NULL, 0);
        ok = tg_summary_add(file, &event);
    }
    t_scope_close(depth);
    return ok;
}

/* ---- audio ---- */

static void put_little_endian(uint8_t *to, uint32_t value, int size) {
    for (int i = 0; i < size; i++) to[i] = (uint8_t)(value >> 8 * i);
}

/* A WAV file: RIFF with one channel of 16-bit PCM. */
static void put_wave(tg_Output *out, const double *values, int64_t count, uint32_t rate, bool *is_clipped) {
    enum { HEADER = 44 };
    uint8_t header[HEADER] = "RIFF....WAVEfmt ";
    const uint32_t bytes = (uint32_t)(2 * count);
    put_little_endian(header + 4, HEADER - 8 + bytes, 4);
    put_little_endian(header + 16, 16, 4); /* size of the format */
    put_little_endian(header + 20, 1, 2);  /* PCM */
    put_little_endian(header + 22, 1, 2);  /* channels */
    put_little_endian(header + 24, rate, 4);
    put_little_endian(header + 28, 2 * rate, 4); /* bytes per second */
    put_little_endian(header + 32, 2, 2);        /* bytes per sample */
    put_little_endian(header + 34, 16, 2);       /* bits per sample */
    memcpy(header + 36, "data", 4);
    put_little_endian(header + 40, bytes, 4);
    tg_output_write(out, header, HEADER);
    for (int64_t i = 0; i < count; i++) {
        const double x = values[i] > 1 ? 1 : values[i] >= -1 ? values[i] : values[i] < -1 ? -1 : 0;
        if (x != values[i]) *is_clipped = true;
        uint8_t sample[2];
        put_little_endian(sample, (uint32_t)(int32_t)(x * INT16_MAX), 2);
        tg_output_write(out, sample, 2);
    }
}

bool tensorboard_add_audio(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                           const tensorboard_AudioOptions *options) {
    enum { LONGEST = 1 << 30 };
    static _Thread_local bool warned;
    tensorboard_AudioOptions o = {TENSORBOARD_AUDIO_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(x, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    int dims = 0;
    for (int d = 0; d < x->ndim; d++) dims += x->shape[d] != 1;
    if (dims != 1) return tg_fail("input tensor should be 1 dimensional.");
    if (o.sample_rate < 1 || o.sample_rate > INT32_MAX)
        return tg_fail("a sample rate of %lld is not between 1 and %d", (long long)o.sample_rate, INT32_MAX);
    if (tg_numel(x) >= LONGEST) return tg_fail("%lld samples are too many for a WAV file", (long long)tg_numel(x));
    const int64_t count = tg_numel(x);
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *values = tg_values_as(x, t_float64);
    bool ok = values != NULL, is_clipped = false;
    tg_SummaryEvent event;
    if (ok) {
        tg_summary_begin(&event, tag, o.walltime, o.global_step);
        const size_t audio = tg_proto_begin(&event.out, VALUE_AUDIO);
        tg_proto_float(&event.out, 1, (float)o.sample_rate);
        tg_proto_varint(&event.out, 2, 1);
        if (count) tg_proto_varint(&event.out, 3, (uint64_t)count);
        const size_t wave = tg_proto_begin(&event.out, 4);
        put_wave(&event.out, tg_data(values), count, (uint32_t)o.sample_rate, &is_clipped);
        tg_proto_end(&event.out, wave);
        tg_proto_text(&event.out, 5, "audio/wav");
        tg_proto_end(&event.out, audio);
        ok = tg_summary_add(file, &event);
        if (is_clipped) tg_warn(&warned, "audio amplitude out of range, auto clipped.");
    }
    t_scope_close(depth);
    return ok;
}
