/* tests/fuzz/event_writers.c: SummaryWriter: events that were written are the same events when they are read. */
#define _POSIX_C_SOURCE 200809L /* fchdir */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ops/ops.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "core/tensorboard/event_reader.h"
#include "core/tensorboard/summary_writer.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/writers.h"

/* ---- arguments of the bytes ---- */

/* A tag: short, and no part of a path that leads out of the folder. */
static const char *next_tag(Choices *c) {
    static const char *const tags[] = {"a", "loss/train", "b c", "\xc3\xa4", "x_1", ""};
    return tags[choose(c, 6)];
}

/* A tensor of that shape whose elements are the next bytes, less `from`, divided by `by`. */
static Tensor *next_tensor(Choices *c, const int64_t *shape, int ndim, t_DType dtype, double from, double by) {
    Tensor *x = tg_empty(shape, ndim, t_float64);
    double *at = x ? tg_data(x) : NULL;
    for (int64_t i = 0; x && i < tg_numel(x); i++) {
        const int byte = choose(c, 256);
        at[i] = byte == 255 && by < 1 ? (i % 2 ? HUGE_VAL : NAN) : (byte - from) / by;
    }
    return x && dtype != t_float64 ? (t_to)(x, dtype) : x;
}

static int64_t next_step(Choices *c) {
    const int byte = choose(c, 256);
    return byte < 64 ? T_NONE : byte < 250 ? byte - 70 : INT64_MAX - byte;
}

/* ---- events ---- */

/* What the file must have, for the calls whose event has one value. */
typedef struct Expected {
    const char *tag;
    int64_t step;
    double value;
} Expected;
enum { MOST_CALLS = 12 };

typedef struct Calls {
    Choices c;
    tensorboard_SummaryWriter *writer;
    Expected expected[MOST_CALLS];
    int count;
} Calls;

static bool add_scalar(Calls *calls) {
    Choices *c = &calls->c;
    tensorboard_ScalarOptions o = {TENSORBOARD_SCALAR_DEFAULTS_};
    Expected *e = &calls->expected[calls->count];
    e->tag = next_tag(c);
    o.global_step = next_step(c);
    e->step = o.global_step == T_NONE ? 0 : o.global_step;
    const int kind = choose(c, 3);
    o.new_style = kind > 0;
    o.double_precision = kind > 1;
    const double value = (choose(c, 256) * 256 + choose(c, 256) - 30000) / 7.0;
    e->value = kind > 1 ? value : (double)(float)value;
    Tensor *x = tg_empty(NULL, 0, t_float64);
    if (!x) return false;
    *(double *)tg_data(x) = value;
    if (!(tensorboard_add_scalar)(calls->writer, e->tag, x, &o)) return false;
    calls->count++;
    return true;
}

static bool add_scalars(Calls *calls) {
    Choices *c = &calls->c;
    tensorboard_EventOptions o = {TENSORBOARD_EVENT_DEFAULTS_};
    t_TensorDict *dict = t_dict_new();
    Tensor *one = dict ? next_tensor(c, NULL, 0, t_float32, 100, 3) : NULL, *two = one ? (t_neg)(one) : NULL;
    o.global_step = next_step(c);
    return two && (t_dict_set)(dict, "one", one) && (t_dict_set)(dict, "two", two) &&
           (tensorboard_add_scalars)(calls->writer, next_tag(c), dict, &o);
}

static bool add_histogram(Calls *calls) {
    static const char *const bins[] = {"tensorflow", "auto", "fd",      "doane", "scott",
                                       "stone",      "rice", "sturges", "sqrt",  "x"};
    Choices *c = &calls->c;
    tensorboard_HistogramOptions o = {TENSORBOARD_HISTOGRAM_DEFAULTS_};
    o.global_step = next_step(c);
    o.bins = bins[choose(c, 10)];
    o.max_bins = choose(c, 2) ? choose(c, 20) : 0;
    o.num_bins = choose(c, 8) == 1 ? choose(c, 20) : 0;
    const int64_t n = choose(c, 40), edges = choose(c, 8) == 1 ? choose(c, 6) : 0;
    const double by = choose(c, 2) ? 0.125 : 9;
    if (edges) o.bin_edges = next_tensor(c, &edges, 1, t_float64, 128, 1);
    Tensor *x = edges && !o.bin_edges ? NULL : next_tensor(c, &n, 1, choose(c, 4) ? t_float32 : t_int64, 100, by);
    return x && (tensorboard_add_histogram)(calls->writer, next_tag(c), x, &o);
}

static bool add_histogram_raw(Calls *calls) {
    Choices *c = &calls->c;
    const int64_t n = choose(c, 6), m = choose(c, 16) ? n : 3;
    Tensor *limits = next_tensor(c, &n, 1, t_float64, 0, 3),
           *counts = limits ? next_tensor(c, &m, 1, t_float32, 0, 1) : NULL;
    return counts && (tensorboard_add_histogram_raw)(calls->writer, next_tag(c), 0, 1, 2, 3, 4, limits, counts, NULL);
}

static bool add_image(Calls *calls) {
    static const char *const formats[] = {"CHW", "HWC", "HW", "WH", "NCHW", "NHWC", "CWH", "HH", "CHWX"};
    Choices *c = &calls->c;
    tensorboard_ImageOptions o = {TENSORBOARD_IMAGE_DEFAULTS_};
    o.global_step = next_step(c);
    o.dataformats = formats[choose(c, 9)];
    const int ndim = choose(c, 16) ? (int)strlen(o.dataformats) : 2;
    int64_t shape[4];
    for (int i = 0; i < ndim; i++) {
        const char letter = o.dataformats[i];
        shape[i] = letter == 'C' ? choose(c, 5) : choose(c, 7);
    }
    const bool is_byte = choose(c, 2);
    Tensor *x = next_tensor(c, shape, ndim, is_byte ? t_uint8 : t_float32, is_byte ? 0 : 10, is_byte ? 1 : 200);
    return x && (choose(c, 2) ? tensorboard_add_images : tensorboard_add_image)(calls->writer, next_tag(c), x, &o);
}

static bool add_boxes(Calls *calls) {
    static const char *const labels[] = {"cat", "Dog 7", ""};
    Choices *c = &calls->c;
    tensorboard_BoxesOptions o = {TENSORBOARD_BOXES_DEFAULTS_};
    o.dataformats = choose(c, 2) ? "HWC" : "CHW";
    o.rescale = choose(c, 40) / 10.0;
    const int64_t boxes = choose(c, 4), image[] = {3, 8 + choose(c, 24), 3}, shape[] = {boxes, choose(c, 16) ? 4 : 3};
    if (choose(c, 2)) o.labels = labels;
    Tensor *box = next_tensor(c, shape, 2, t_float32, 20, 4), *x = box ? next_tensor(c, image, 3, t_uint8, 0, 1) : NULL;
    return x && (tensorboard_add_image_with_boxes)(calls->writer, next_tag(c), x, box, &o);
}

static bool add_video(Calls *calls) {
    Choices *c = &calls->c;
    tensorboard_VideoOptions o = {TENSORBOARD_VIDEO_DEFAULTS_};
    o.fps = choose(c, 30);
    const int64_t shape[] = {choose(c, 4), choose(c, 4), choose(c, 2) * 2 + 1, choose(c, 6), choose(c, 6)};
    Tensor *x = next_tensor(c, shape, choose(c, 16) ? 5 : 4, t_uint8, 0, 1);
    return x && (tensorboard_add_video)(calls->writer, next_tag(c), x, &o);
}

static bool add_mesh(Calls *calls) {
    static const char *const configs[] = {NULL, "{\"camera\": {\"cls\": \"PerspectiveCamera\", \"fov\": 75}}", "{",
                                          "[1]"};
    Choices *c = &calls->c;
    tensorboard_MeshOptions o = {TENSORBOARD_MESH_DEFAULTS_};
    o.config_dict = configs[choose(c, 4)];
    const int64_t shape[] = {1, choose(c, 5), 3};
    const int parts = choose(c, 4);
    if (parts & 1 && !(o.colors = next_tensor(c, shape, 3, t_uint8, 0, 1))) return false;
    if (parts & 2 && !(o.faces = next_tensor(c, shape, 3, t_int32, 0, 1))) return false;
    Tensor *x = next_tensor(c, shape, 3, t_float32, 100, 7);
    return x && (tensorboard_add_mesh)(calls->writer, next_tag(c), x, &o);
}

static bool add_text(Calls *calls) {
    char text[40];
    tensorboard_EventOptions o = {TENSORBOARD_EVENT_DEFAULTS_};
    o.global_step = next_step(&calls->c);
    return (tensorboard_add_text)(calls->writer, next_tag(&calls->c), next_utf8(&calls->c, text), &o);
}

static bool add_tensor(Calls *calls) {
    static const t_DType dtypes[] = {t_float32, t_float64, t_float16, t_bfloat16, t_int64,
                                     t_int32,   t_int16,   t_int8,    t_uint8,    t_bool};
    Choices *c = &calls->c;
    const int ndim = choose(c, 4);
    int64_t shape[3];
    for (int i = 0; i < ndim; i++) shape[i] = choose(c, 5);
    const t_DType dtype = dtypes[choose(c, 10)];
    Tensor *x = next_tensor(c, shape, ndim, dtype, 0, 2);
    return x && (tensorboard_add_tensor)(calls->writer, next_tag(c), x, NULL);
}

static bool add_audio(Calls *calls) {
    Choices *c = &calls->c;
    tensorboard_AudioOptions o = {TENSORBOARD_AUDIO_DEFAULTS_};
    o.sample_rate = 1 + choose(c, 256) * 200;
    const int64_t shape[] = {choose(c, 16) ? 1 : 2, choose(c, 60)};
    Tensor *x = next_tensor(c, shape, 2, t_float32, 128, 120);
    return x && (tensorboard_add_audio)(calls->writer, next_tag(c), x, &o);
}

static bool add_hparams(Calls *calls) {
    Choices *c = &calls->c;
    char text[40], name[40];
    tensorboard_HparamsOptions o = {TENSORBOARD_HPARAMS_DEFAULTS_};
    o.run_name = "run";
    t_TensorDict *hparams = t_dict_new(), *metrics = hparams ? t_dict_new() : NULL;
    t_TensorDict *domain = metrics && choose(c, 2) ? t_dict_new() : NULL;
    const int64_t values = choose(c, 4);
    snprintf(name, sizeof name, "n%d", choose(c, 3));
    if (!metrics || !t_dict_set_text(hparams, "text", next_utf8(c, text))) return false;
    Tensor *x = next_tensor(c, NULL, 0, choose(c, 2) ? t_float32 : t_bool, 0, 2);
    Tensor *y = x ? next_tensor(c, NULL, 0, t_float32, 100, 7) : NULL;
    if (!y || !(t_dict_set)(hparams, name, x) || !(t_dict_set)(metrics, "accuracy", y)) return false;
    if (domain) {
        Tensor *all = next_tensor(c, &values, 1, t_float32, 0, 2);
        if (!all || !(t_dict_set)(domain, choose(c, 2) ? name : "other", all)) return false;
        o.hparam_domain_discrete = domain;
    }
    return (tensorboard_add_hparams)(calls->writer, hparams, metrics, &o);
}

static bool add_pr_curve(Calls *calls) {
    Choices *c = &calls->c;
    tensorboard_PrCurveOptions o = {TENSORBOARD_PR_CURVE_DEFAULTS_};
    o.num_thresholds = choose(c, 140);
    const int64_t n = choose(c, 20), m = choose(c, 16) ? n : 3, raw[] = {choose(c, 16) ? 6 : 5, o.num_thresholds};
    if (choose(c, 4) == 1 && o.num_thresholds < 9) {
        Tensor *rows = next_tensor(c, raw, 2, t_float64, 0, 255);
        return rows && (tensorboard_add_pr_curve_raw)(calls->writer, next_tag(c), rows, &o);
    }
    Tensor *labels = next_tensor(c, &n, 1, choose(c, 2) ? t_bool : t_float32, 128, 127);
    if (labels && choose(c, 4) == 1 && !(o.weights = next_tensor(c, &m, 1, t_float32, 0, 100))) return false;
    Tensor *x = labels ? next_tensor(c, &m, 1, t_float32, 0, 250) : NULL;
    return x && (tensorboard_add_pr_curve)(calls->writer, next_tag(c), labels, x, &o);
}

static bool add_embedding(Calls *calls) {
    static const char *const names[] = {"a", "b\nc", "d"}, *const rows[] = {"a\t1", "b\t2", "c\t3"};
    Choices *c = &calls->c;
    tensorboard_EmbeddingOptions o = {TENSORBOARD_EMBEDDING_DEFAULTS_};
    static const t_DType dtypes[] = {t_float32, t_int64, t_bool, t_bfloat16};
    const int64_t n = choose(c, 4), shape[] = {n, choose(c, 3)};
    const int64_t images[] = {choose(c, 16) ? n : 2, choose(c, 16) ? 3 : 2, 2 + choose(c, 3), 2 + choose(c, 3)};
    const int parts = choose(c, 8);
    if (parts & 1) o.metadata = parts & 2 ? rows : names;
    if (parts & 2) o.metadata_header = "name\tnumber";
    if (parts & 4 && !(o.label_img = next_tensor(c, images, 4, t_float32, 10, 200))) return false;
    o.global_step = choose(c, 3);
    o.tag = choose(c, 2) ? "default" : "a:1\n\xc3\xa4";
    const t_DType dtype = dtypes[choose(c, 4)];
    Tensor *x = next_tensor(c, shape, choose(c, 16) ? 2 : 1, dtype, 100, 7);
    return x && (tensorboard_add_embedding)(calls->writer, x, &o);
}

static bool add_charts(Calls *calls) {
    static const tensorboard_Chart layout[] = {{"A", "one", "Multiline", {"a", "b"}},
                                               {"A", "two", "Margin", {"a", "b", "c"}},
                                               {"B", "three", "Margin", {"a"}}};
    return tensorboard_add_custom_scalars(calls->writer, layout, 1 + choose(&calls->c, 3));
}

static bool flush(Calls *calls) {
    return choose(&calls->c, 4) ? tensorboard_flush(calls->writer) : tensorboard_close(calls->writer);
}

static bool (*const adds[])(Calls *calls) = {
    add_scalar, add_scalars, add_histogram, add_histogram_raw, add_image,    add_boxes,     add_video,  add_mesh,
    add_text,   add_tensor,  add_audio,     add_hparams,       add_pr_curve, add_embedding, add_charts, flush};
enum { ADDS = sizeof adds / sizeof *adds };

/* Calls of the writer, which may refuse their arguments; false without memory. */
static bool write_events(Calls *calls, const char *folder) {
    tensorboard_SummaryWriterOptions o = {TENSORBOARD_SUMMARY_WRITER_DEFAULTS_};
    o.log_dir = folder; /* NULL: below the working directory */
    if (!folder) o.comment = choose(&calls->c, 2) ? "_fuzz" : NULL;
    o.max_queue = choose(&calls->c, 4);
    if (choose(&calls->c, 8) == 1) o.purge_step = 3;
    if (choose(&calls->c, 8) == 1) o.filename_suffix = ".fuzz";
    calls->writer = tensorboard_SummaryWriter_new(&o);
    bool ok = calls->writer != NULL;
    for (int i = 0; ok && calls->c.left && i < MOST_CALLS; i++) {
        ok = adds[choose(&calls->c, ADDS)](calls) || !is_out_of_memory();
        if (ok) t_clear_error();
    }
    const char *made = calls->writer ? tensorboard_get_logdir(calls->writer) : NULL;
    demand(made && (folder ? strcmp(made, folder) == 0 : strncmp(made, "runs/", 5) == 0), "another folder");
    return calls->writer && tensorboard_close(calls->writer) && ok;
}

/* The tag "" is not written. */
static bool has(const tensorboard_Events *events, const Expected *want) {
    for (int64_t i = 0; i < events->len; i++) {
        const tensorboard_Event *e = &events->items[i];
        if (strcmp(e->tag ? e->tag : "", want->tag) != 0 || e->step != want->step) continue;
        if (e->tensor && tg_numel(e->tensor) != 1) continue;
        double value = e->value;
        if (e->tensor && e->tensor->dtype == t_float64) value = *(double *)tg_data(e->tensor);
        if (e->tensor && e->tensor->dtype == t_float32) value = *(float *)tg_data(e->tensor);
        if (value == want->value) return true;
    }
    return false;
}

t_TensorDict *fuzz_summary(const uint8_t *data, size_t size) {
    const char *folder = fuzz_folder();
    Calls calls = {.c = {data, size}};
    const bool is_default = size % 8 == 1;
    const int here = is_default ? open(".", O_RDONLY) : -1;
    must(!is_default || (here >= 0 && chdir(folder) == 0), "the working directory cannot be changed");
    const bool ok = write_events(&calls, is_default ? NULL : folder);
    tensorboard_Events *events = ok ? tensorboard_load_events(tensorboard_get_logdir(calls.writer)) : NULL;
    must(!is_default || (fchdir(here) == 0 && close(here) == 0), "the working directory is lost");
    fuzz_remove();
    demand(!ok || events, "the events that were written cannot be read");
    if (!events) return NULL;
    demand(!events->is_cut, "a file that was closed is cut");
    for (int k = 0; k < calls.count; k++)
        demand(has(events, &calls.expected[k]), "a scalar was not read as it was written");
    return t_dict_new();
}
