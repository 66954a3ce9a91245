/* core/tensorboard/event_reader.c: reads event files. */
#include "core/tensorboard/event_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/python/os.h"
#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"

/* ---- the list ---- */

static void free_bytes(uint8_t *bytes, size_t size) {
    tg_free(bytes, size);
}

static void free_event(tensorboard_Event *e) {
    free(e->tag);
    free(e->plugin);
    free(e->text);
    free_bytes(e->bytes, e->bytes_size);
    free_bytes(e->content, e->content_size);
    t_release(e->bucket_limit);
    t_release(e->bucket);
    t_release(e->tensor);
}

static void events_destroy(void *object) {
    tensorboard_Events *self = object;
    tg_object_dispose(&self->object);
    for (int64_t i = 0; i < self->len; i++) free_event(&self->items[i]);
    tg_free(self->items, (size_t)self->capacity * sizeof *self->items);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class events_class = {"Events", events_destroy};

static tensorboard_Events *new_events(void) {
    tensorboard_Events *self = tg_alloc(sizeof *self);
    if (self) tg_object_init(&self->object, &events_class);
    return self;
}

/* Takes what the event owns; frees it on an error. */
static bool append(tensorboard_Events *self, tensorboard_Event *event) {
    if (self->len == self->capacity) {
        const int64_t capacity = self->capacity ? 2 * self->capacity : 64;
        tensorboard_Event *items = tg_alloc((size_t)capacity * sizeof *items);
        if (!items) {
            free_event(event);
            return false;
        }
        if (self->len) memcpy(items, self->items, (size_t)self->len * sizeof *items);
        tg_free(self->items, (size_t)self->capacity * sizeof *items);
        self->items = items;
        self->capacity = capacity;
    }
    self->items[self->len++] = *event;
    return true;
}

/* ---- fields ---- */

static bool keep_text(tg_Proto *m, const tg_ProtoField *f, char **to) {
    char *text = tg_proto_get_text(m, f);
    if (!text) return false;
    free(*to); /* of a field that occurs twice the last value counts */
    *to = text;
    return true;
}

/* After an error that no function of protobuf.h has set. */
static bool mark_failed(tg_Proto *m) {
    for (; m; m = m->outer) m->failed = true;
    return false;
}

static bool keep_bytes(tg_Proto *m, const tg_ProtoField *f, uint8_t **to, size_t *size) {
    if (!tg_proto_get_bytes(m, f)) return false;
    uint8_t *bytes = f->size ? tg_alloc(f->size) : NULL;
    if (f->size && !bytes) return mark_failed(m);
    if (f->size) memcpy(bytes, f->bytes, f->size);
    free_bytes(*to, *size);
    *to = bytes;
    *size = f->size;
    return true;
}

/* A reference of its own to x, which leaves its scope. */
static bool keep_tensor(tg_Proto *m, Tensor **to, Tensor *x) {
    if (!x) return mark_failed(m);
    t_release(*to);
    *to = t_retain(x);
    return true;
}

/* A packed or single field of numbers as the next elements of x, up to `count` in all. */
static void read_numbers(tg_Proto *m, const tg_ProtoField *f, tg_WireType type, Tensor *x, int64_t *filled,
                         int64_t count) {
    for (tg_Proto v = tg_proto_repeated(m, f, type); tg_proto_more(&v);) {
        const uint64_t bits = type == tg_wire_varint    ? tg_proto_read_varint(&v)
                              : type == tg_wire_fixed32 ? tg_proto_read_fixed32(&v)
                                                        : tg_proto_read_fixed64(&v);
        if (v.failed || *filled >= count) {
            ++*filled;
            continue;
        }
        const int64_t i = (*filled)++;
        switch (x->dtype) {
        case t_float64: memcpy((double *)tg_data(x) + i, &bits, sizeof bits); break;
        case t_float32: {
            const uint32_t low = (uint32_t)bits;
            memcpy((float *)tg_data(x) + i, &low, sizeof low);
            break;
        }
        default: ((int64_t *)tg_data(x))[i] = (int64_t)bits; break;
        }
    }
}

/* The number of values of a field in the whole message: one for each that is not packed, and `bytes` each if packed (0:
 * varints, which are counted). */
static int64_t count_numbers(tg_Proto message, uint32_t number, size_t bytes) {
    int64_t count = 0;
    for (tg_ProtoField f; tg_proto_next(&message, &f);) {
        if (f.number != number) continue;
        if (f.type != tg_wire_bytes)
            count++;
        else if (bytes)
            count += (int64_t)(f.size / bytes);
        else
            for (size_t i = 0; i < f.size; i++) count += f.bytes[i] < 0x80;
    }
    return count;
}

static void read_histogram(tg_Proto *m, tensorboard_Event *e) {
    double *const stats[] = {&e->min, &e->max, &e->num, &e->sum, &e->sum_squares};
    int64_t sizes[2] = {count_numbers(*m, 6, 8), count_numbers(*m, 7, 8)}, filled[2] = {0, 0};
    if (!keep_tensor(m, &e->bucket_limit, tg_empty(&sizes[0], 1, t_float64)) ||
        !keep_tensor(m, &e->bucket, tg_empty(&sizes[1], 1, t_float64)))
        return;
    memset(tg_data(e->bucket_limit), 0, (size_t)sizes[0] * 8);
    memset(tg_data(e->bucket), 0, (size_t)sizes[1] * 8);
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.number >= 1 && f.number <= 5) *stats[f.number - 1] = tg_proto_get_double(m, &f);
        if (f.number == 6) read_numbers(m, &f, tg_wire_fixed64, e->bucket_limit, &filled[0], sizes[0]);
        if (f.number == 7) read_numbers(m, &f, tg_wire_fixed64, e->bucket, &filled[1], sizes[1]);
    }
    if (!m->failed && sizes[0] != sizes[1])
        tg_proto_fail(m, 0, "a histogram has %" PRId64 " limits, but %" PRId64 " counts", sizes[0], sizes[1]);
}

static void read_image(tg_Proto *m, tensorboard_Event *e) {
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.number == 1) e->height = (int32_t)tg_proto_get_varint(m, &f);
        if (f.number == 2) e->width = (int32_t)tg_proto_get_varint(m, &f);
        if (f.number == 3) e->channels = (int32_t)tg_proto_get_varint(m, &f);
        if (f.number == 4) keep_bytes(m, &f, &e->bytes, &e->bytes_size);
    }
}

static void read_audio(tg_Proto *m, tensorboard_Event *e) {
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.number == 1) e->value = (double)tg_proto_get_float(m, &f);
        if (f.number == 4) keep_bytes(m, &f, &e->bytes, &e->bytes_size);
    }
}

/* ---- tensors ---- */

/* How the values of a DataType are stored: as elements of tensor_content, and in which field otherwise. Halves and
 * short integers are read into a wider tensor. */
typedef struct TensorType {
    t_DType dtype;
    uint32_t field;
    tg_WireType wire;
    size_t bytes; /* of a packed value; 0: a varint */
    int content;  /* bytes of an element of tensor_content; 0: not supported there */
} TensorType;

static bool type_of(int type, TensorType *to) {
    switch (type) {
    case DT_FLOAT: *to = (TensorType){t_float32, TENSOR_FLOAT, tg_wire_fixed32, 4, 4}; return true;
    case DT_DOUBLE: *to = (TensorType){t_float64, TENSOR_DOUBLE, tg_wire_fixed64, 8, 8}; return true;
    case DT_INT64: *to = (TensorType){t_int64, TENSOR_INT64, tg_wire_varint, 0, 8}; return true;
    case DT_BOOL: *to = (TensorType){t_int64, TENSOR_BOOL, tg_wire_varint, 0, 1}; return true;
    case DT_INT32: *to = (TensorType){t_int64, TENSOR_INT, tg_wire_varint, 0, 4}; return true;
    case DT_INT16: *to = (TensorType){t_int64, TENSOR_INT, tg_wire_varint, 0, 2}; return true;
    case DT_INT8: *to = (TensorType){t_int64, TENSOR_INT, tg_wire_varint, 0, 1}; return true;
    case DT_UINT8: *to = (TensorType){t_int64, 16, tg_wire_varint, 0, 1}; return true;
    default: return false;
    }
}

/* TensorShapeProto. False on an error; *is_supported: it has at most T_MAX_DIMS dims. */
static bool read_shape(tg_Proto *m, int64_t *shape, int *ndim, bool *is_supported) {
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.number != 2) continue;
        tg_Proto dim = tg_proto_message(m, &f);
        int64_t size = 0;
        for (tg_ProtoField g; tg_proto_next(&dim, &g);)
            if (g.number == 1) size = (int64_t)tg_proto_get_varint(&dim, &g);
        if (*ndim == T_MAX_DIMS || size < 0)
            *is_supported = false;
        else
            shape[(*ndim)++] = size;
    }
    return !m->failed;
}

static int64_t content_at(const uint8_t *bytes, int size, int type) {
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) bits |= (uint64_t)bytes[i] << 8 * i;
    if (size < 8 && type != DT_BOOL && type != DT_UINT8 && bits >> (8 * size - 1)) bits |= UINT64_MAX << 8 * size;
    return (int64_t)bits;
}

static bool fill_from_content(Tensor *x, const tg_ProtoField *content, const TensorType *t, int type) {
    const int64_t n = tg_numel(x);
    if (content->size != (uint64_t)n * (uint64_t)t->content) return false;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *from = content->bytes + i * t->content;
        const int64_t bits = content_at(from, t->content, type);
        const uint32_t low = (uint32_t)bits;
        if (x->dtype == t_float64)
            memcpy((double *)tg_data(x) + i, &bits, 8);
        else if (x->dtype == t_float32)
            memcpy((float *)tg_data(x) + i, &low, 4);
        else
            ((int64_t *)tg_data(x))[i] = bits;
    }
    return true;
}

/* Values that are left out repeat the last one. */
static void repeat_last(Tensor *x, int64_t filled) {
    const size_t item = tg_itemsize(x->dtype);
    char *data = tg_data(x);
    if (filled == 0) memset(data, 0, (size_t)tg_numel(x) * item);
    for (int64_t i = filled; filled && i < tg_numel(x); i++)
        memcpy(data + (size_t)i * item, data + (size_t)(filled - 1) * item, item);
}

/* TensorProto: of one of the types above e->tensor, the first string of a string tensor as e->bytes; others are left
 * out. */
static void read_tensor(tg_Proto *m, tensorboard_Event *e) {
    const tg_Proto begin = *m;
    tg_ProtoField content = {0};
    TensorType t = {0};
    int type = 0, ndim = 0;
    int64_t shape[T_MAX_DIMS];
    bool is_supported = true, has_text = false;
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.number == TENSOR_DTYPE) type = (int)tg_proto_get_varint(m, &f);
        if (f.number == TENSOR_CONTENT && tg_proto_get_bytes(m, &f)) content = f;
        if (f.number == TENSOR_SHAPE) {
            tg_Proto sizes = tg_proto_message(m, &f);
            read_shape(&sizes, shape, &ndim, &is_supported);
        }
        if (f.number == TENSOR_STRING && !has_text && type == DT_STRING && f.type == tg_wire_bytes) {
            has_text = true;
            keep_bytes(m, &f, &e->bytes, &e->bytes_size);
        }
    }
    if (m->failed || !is_supported || !type_of(type, &t)) return;
    const int64_t count = tg_shape_numel(shape, ndim), given = count_numbers(begin, t.field, t.bytes);
    if (count != 0 && !content.size && given == 0) return; /* other fields have its values */
    if (count > (int64_t)m->size * 8) { /* one value stands for all: such a tensor is not expanded beyond this */
        tg_proto_fail(m, 0, "a tensor of shape %s is larger than its %zu bytes explain", tg_shape_text(shape, ndim),
                      m->size);
        return;
    }
    if (!keep_tensor(m, &e->tensor, tg_empty(shape, ndim, t.dtype))) return;
    if (content.size) {
        if (!fill_from_content(e->tensor, &content, &t, type))
            tg_proto_fail(m, content.at, "a tensor of shape %s has %zu bytes", tg_shape_text(shape, ndim),
                          content.size);
        return;
    }
    int64_t filled = 0;
    tg_Proto again = begin;
    again.outer = m;
    for (tg_ProtoField f; tg_proto_next(&again, &f);)
        if (f.number == t.field) read_numbers(&again, &f, t.wire, e->tensor, &filled, count);
    if (filled > count)
        tg_proto_fail(m, 0, "a tensor of shape %s has %" PRId64 " values", tg_shape_text(shape, ndim), filled);
    else
        repeat_last(e->tensor, filled);
}

/* ---- values, events ---- */

static void read_metadata(tg_Proto *m, tensorboard_Event *e) {
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        if (f.number != 1) continue;
        tg_Proto data = tg_proto_message(m, &f);
        for (tg_ProtoField g; tg_proto_next(&data, &g);) {
            if (g.number == 1) keep_text(&data, &g, &e->plugin);
            if (g.number == 2) keep_bytes(&data, &g, &e->content, &e->content_size);
        }
    }
}

/* Summary.Value: of the fields that say what it is, the last one counts. */
static void read_value(tg_Proto *m, tensorboard_Event *e) {
    e->kind = tensorboard_metadata;
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        tg_Proto inner;
        switch (f.number) {
        case VALUE_TAG: keep_text(m, &f, &e->tag); break;
        case VALUE_SIMPLE_VALUE:
            e->kind = tensorboard_scalar;
            e->value = (double)tg_proto_get_float(m, &f);
            break;
        case VALUE_IMAGE:
            e->kind = tensorboard_image;
            inner = tg_proto_message(m, &f);
            read_image(&inner, e);
            break;
        case VALUE_HISTO:
            e->kind = tensorboard_histogram;
            inner = tg_proto_message(m, &f);
            read_histogram(&inner, e);
            break;
        case VALUE_AUDIO:
            e->kind = tensorboard_audio;
            inner = tg_proto_message(m, &f);
            read_audio(&inner, e);
            break;
        case VALUE_TENSOR:
            e->kind = tensorboard_tensor;
            inner = tg_proto_message(m, &f);
            read_tensor(&inner, e);
            break;
        case VALUE_METADATA:
            inner = tg_proto_message(m, &f);
            read_metadata(&inner, e);
            break;
        default: break;
        }
    }
}

/* The string that add_text wrote, which is in e->bytes, as e->text. */
static bool take_text(tensorboard_Event *e, tg_Proto *m) {
    if (e->kind != tensorboard_tensor || !e->bytes || e->tensor) return true;
    tg_ProtoField f = {.type = tg_wire_bytes, .bytes = e->bytes, .size = e->bytes_size};
    if (!e->plugin || strcmp(e->plugin, "text") != 0) return true;
    return keep_text(m, &f, &e->text);
}

/* An Event: its values are appended; an event without a Summary is one item. */
static bool read_event(tensorboard_Events *self, tg_Proto *m) {
    tensorboard_Event event = {.kind = tensorboard_other};
    const tg_Proto begin = *m;
    for (tg_ProtoField f; tg_proto_next(m, &f);) {
        tg_Proto inner;
        switch (f.number) {
        case EVENT_WALL_TIME: event.wall_time = tg_proto_get_double(m, &f); break;
        case EVENT_STEP: event.step = (int64_t)tg_proto_get_varint(m, &f); break;
        case EVENT_FILE_VERSION:
            event.kind = tensorboard_file_version;
            keep_text(m, &f, &event.text);
            break;
        case EVENT_GRAPH_DEF:
            event.kind = tensorboard_graph;
            keep_bytes(m, &f, &event.bytes, &event.bytes_size);
            break;
        case EVENT_SESSION_LOG:
            event.kind = tensorboard_session_log;
            inner = tg_proto_message(m, &f);
            for (tg_ProtoField g; tg_proto_next(&inner, &g);)
                if (g.number == 1) event.value = (double)tg_proto_get_varint(&inner, &g);
            break;
        case EVENT_TAGGED_RUN_METADATA:
            event.kind = tensorboard_run_metadata;
            inner = tg_proto_message(m, &f);
            for (tg_ProtoField g; tg_proto_next(&inner, &g);) {
                if (g.number == 1) keep_text(&inner, &g, &event.tag);
                if (g.number == 2) keep_bytes(&inner, &g, &event.bytes, &event.bytes_size);
            }
            break;
        default: break;
        }
    }
    if (m->failed) {
        free_event(&event);
        return false;
    }
    const double wall_time = event.wall_time;
    const int64_t step = event.step;
    bool has_summary = false;
    tg_Proto again = begin;
    for (tg_ProtoField f; tg_proto_next(&again, &f);) {
        if (f.number != EVENT_SUMMARY) continue;
        has_summary = true;
        tg_Proto summary = tg_proto_message(&again, &f);
        for (tg_ProtoField g; tg_proto_next(&summary, &g);) {
            if (g.number != 1) continue;
            tensorboard_Event value = {.wall_time = wall_time, .step = step};
            tg_Proto inner = tg_proto_message(&summary, &g);
            read_value(&inner, &value);
            if (!inner.failed) take_text(&value, &inner);
            if (inner.failed) free_event(&value);
            if (inner.failed || !append(self, &value)) {
                free_event(&event);
                return false;
            }
        }
    }
    if (again.failed || (has_summary && event.kind == tensorboard_other)) {
        free_event(&event);
        return !again.failed;
    }
    return append(self, &event);
}

static bool read_file(tensorboard_Events *self, const tg_Input *in) {
    uint64_t at = 0, data_at, size;
    bool is_cut;
    int found;
    while ((found = tg_record_next(in, &at, &data_at, &size, &is_cut)) == 1) {
        uint8_t *data = tg_alloc((size_t)size + 1);
        const int depth = data ? t_scope_open() : 0;
        bool ok = depth && tg_input_read(in, data_at, data, (size_t)size) && tg_record_check(in, data_at, data, size);
        tg_Proto event = tg_proto_of(in->name, data, (size_t)size, data_at);
        ok = ok && read_event(self, &event);
        t_scope_close(depth);
        tg_free(data, (size_t)size + 1);
        if (!ok) return false;
    }
    if (found == 0 && is_cut) self->is_cut = true;
    return found == 0;
}

static bool read_path(tensorboard_Events *self, const char *path) {
    tg_Input in;
    const bool ok = tg_input_open(&in, path) && read_file(self, &in);
    tg_input_close(&in);
    return ok;
}

static bool read_folder(tensorboard_Events *self, const char *path) {
    const os_Listing *names = os_listdir(path);
    int files = 0;
    for (int64_t i = 0; names && i < names->len; i++) {
        if (!strstr(names->items[i], "tfevents")) continue;
        const char *file = t_format("%s/%s", path, names->items[i]);
        if (!file || !read_path(self, file)) return false;
        files++;
    }
    if (names && files == 0) return tg_fail("there is no event file in %s: no name in it contains tfevents", path);
    return names != NULL;
}

tensorboard_Events *tensorboard_load_events(const char *path) {
    struct stat about;
    if (!tg_check_given(path != NULL, 1, "a path")) return NULL;
    const bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    const int depth = t_scope_open();
    tensorboard_Events *self = depth ? new_events() : NULL;
    const bool ok = self && (is_folder ? read_folder(self, path) : read_path(self, path));
    return tg_scope_return(depth, ok ? self : NULL);
}

tensorboard_Events *tensorboard_load_events_bytes(const void *bytes, size_t size, const char *name) {
    tg_Input in;
    const int depth = t_scope_open();
    tensorboard_Events *self = depth ? new_events() : NULL;
    const bool ok = self && tg_input_memory(&in, bytes, size, name ? name : "memory") && read_file(self, &in);
    return tg_scope_return(depth, ok ? self : NULL);
}

/* ---- curves ---- */

static bool is_scalar(const tensorboard_Event *e, const char *tag) {
    if (!e->tag || strcmp(e->tag, tag) != 0) return false;
    return e->kind == tensorboard_scalar || (e->kind == tensorboard_tensor && e->tensor && tg_numel(e->tensor) == 1);
}

static double scalar_of(const tensorboard_Event *e) {
    if (e->kind == tensorboard_scalar) return e->value;
    return tg_is_floating(e->tensor->dtype) ? tg_real_at(e->tensor, 0) : (double)*(int64_t *)tg_data(e->tensor);
}

bool tensorboard_scalars(const tensorboard_Events *events, const char *tag, Tensor **steps, Tensor **values) {
    tg_clear_output(steps);
    tg_clear_output(values);
    if (!tg_check_given(events != NULL, 1, "events")) return false;
    if (events->object.is_a != &events_class) return tg_fail("argument 1 are no events, or they were released");
    if (!tg_check_given(tag != NULL, 2, "a tag") || !tg_check_given(steps && values, 3, "two addresses of tensors"))
        return false;
    int64_t n = 0;
    for (int64_t i = 0; i < events->len; i++) n += is_scalar(&events->items[i], tag);
    if (n == 0) return tg_fail("KeyError: '%s'", tag);
    Tensor *x = tg_empty(&n, 1, t_int64), *y = x ? tg_empty(&n, 1, t_float64) : NULL;
    if (!y) return false;
    n = 0;
    for (int64_t i = 0; i < events->len; i++) {
        if (!is_scalar(&events->items[i], tag)) continue;
        ((int64_t *)tg_data(x))[n] = events->items[i].step;
        ((double *)tg_data(y))[n++] = scalar_of(&events->items[i]);
    }
    *steps = x;
    *values = y;
    return true;
}
