/* tests/support/files/event_support.c: what tests/golden/tensorboard_events.py writes with torch.utils.tensorboard. */
#include "tests/support/files/event_support.h"

#include <math.h>

enum { TIME = 1600000000 };

Tensor *event_values(const int64_t *shape, int ndim) {
    int64_t count = 1;
    for (int d = 0; d < ndim; d++) count *= shape[d];
    Tensor *x = t_arange(count);
    return (t_view)(t_sub(t_div(t_to(t_remainder(t_mul(x, 37), 101), t_float64), 50), 1), shape, ndim);
}
#define VALUES(...) \
    event_values((const int64_t[]){__VA_ARGS__}, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

static bool write_scalars(tensorboard_SummaryWriter *writer) {
    bool ok = true;
    for (int step = 0; ok && step < 5; step++)
        ok = tensorboard_add_scalar(writer, "Loss/train", 1.0 / (step + 1), step, TIME + 0.25 * step);
    return ok && tensorboard_add_scalar(writer, "no step", t_tensor("[[2.5]]"), .walltime = TIME) &&
           tensorboard_add_scalar(writer, "new", 0.1, 3, .walltime = TIME, .new_style = true) &&
           tensorboard_add_scalar(writer, "double", 0.1, 3, TIME, true, true) &&
           tensorboard_add_scalar(writer, "zero", 0, 0, TIME) &&
           tensorboard_add_scalar(writer, "integer", t_tensor(7), -1, TIME) &&
           tensorboard_add_scalar(writer, "infinite", -INFINITY, INT64_C(1) << 40, TIME);
}

static bool write_histograms(tensorboard_SummaryWriter *writer) {
    static const char *const bins[] = {"auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"};
    Tensor *x = VALUES(60);
    bool ok = tensorboard_add_histogram(writer, "histogram/default", x, 1, .walltime = TIME) &&
              tensorboard_add_histogram(writer, "histogram/positive", t_exp(VALUES(3, 4)), 1, .walltime = TIME) &&
              tensorboard_add_histogram(writer, "histogram/combined", x, 1, .walltime = TIME, .max_bins = 50) &&
              tensorboard_add_histogram(writer, "histogram/number", x, 1, .walltime = TIME, .num_bins = 7) &&
              tensorboard_add_histogram(writer, "histogram/constant", t_ones(4), 1, "auto", TIME) &&
              tensorboard_add_histogram(writer, "histogram/integers", t_arange(10), 1, "auto", TIME) &&
              tensorboard_add_histogram(writer, "histogram/edges", x, 1, .walltime = TIME,
                                        .bin_edges = t_tensor("[-1.0, -0.5, 0.0, 0.0, 0.25]", .dtype = t_float64));
    for (size_t i = 0; ok && i < sizeof bins / sizeof *bins; i++)
        ok = tensorboard_add_histogram(writer, t_format("histogram/%s", bins[i]), x, 1, bins[i], TIME);
    return ok && tensorboard_add_histogram_raw(writer, "histogram/raw", 0, 2, 4, 5, 9, t_tensor("[1.0, 2.0]"),
                                               t_tensor("[3, 1]"), 2, TIME);
}

static bool write_tensors(tensorboard_SummaryWriter *writer) {
    static const t_DType dtypes[] = {t_bool,  t_uint8,   t_int8,     t_int16,   t_int32,
                                     t_int64, t_float16, t_bfloat16, t_float32, t_float64};
    bool ok = tensorboard_add_text(writer, "text", "a **bold** word, grün\n\n- a list", 4, TIME) &&
              tensorboard_add_text(writer, "empty", "", .walltime = TIME);
    for (size_t i = 0; ok && i < sizeof dtypes / sizeof *dtypes; i++) {
        Tensor *x = t_mul(VALUES(2, 3), 2);
        if (dtypes[i] == t_uint8) x = t_abs(x);
        ok = tensorboard_add_tensor(writer, t_format("tensor/%zu", i), t_to(x, dtypes[i]), 5, TIME);
    }
    return ok && tensorboard_add_tensor(writer, "tensor/number", t_tensor(2.5), 5, TIME) &&
           tensorboard_add_tensor(writer, "tensor/empty", t_zeros(0, 3), 5, TIME) &&
           tensorboard_add_audio(writer, "sound", VALUES(1, 40), 6, 8000, TIME);
}

static bool write_curves(tensorboard_SummaryWriter *writer) {
    Tensor *predictions = t_add(t_div(VALUES(50), 2), 0.5), *labels = t_gt(VALUES(50), -0.3);
    return tensorboard_add_pr_curve(writer, "curve", labels, predictions, 7, .walltime = TIME) &&
           tensorboard_add_pr_curve(writer, "curve/float32", t_to(labels, t_int64), t_to(predictions, t_float32), 7, 11,
                                    .walltime = TIME) &&
           tensorboard_add_pr_curve(writer, "curve/weights", labels, predictions, 7, 1000, t_add(VALUES(50), 1.5),
                                    TIME);
}

bool write_events(tensorboard_SummaryWriter *writer) {
    return write_scalars(writer) && write_histograms(writer) && write_tensors(writer) && write_curves(writer);
}

static bool write_boxes(tensorboard_SummaryWriter *writer) {
    Tensor *boxes = t_tensor("[[2.0, 3.0, 12.0, 15.0], [5.4, 1.6, 18.5, 9.5]]");
    return tensorboard_add_image_with_boxes(writer, "boxes", VALUES(3, 20, 24), boxes, 1, TIME) &&
           tensorboard_add_image_with_boxes(writer, "boxes/scaled", VALUES(20, 24, 3), boxes, 1, TIME, 2.5, "HWC");
}

static bool write_meshes(tensorboard_SummaryWriter *writer) {
    Tensor *vertices = VALUES(1, 4, 3), *colors = t_to(t_mul(t_abs(vertices), 255), t_int32);
    Tensor *faces = t_tensor("[[[0, 2, 3], [0, 3, 1], [0, 1, 2], [1, 3, 2]]]");
    return tensorboard_add_mesh(writer, "mesh", vertices, colors, faces,
                                "{\"camera\": {\"cls\": \"PerspectiveCamera\", \"fov\": 75}}", 1, TIME) &&
           tensorboard_add_mesh(writer, "points", t_to(vertices, t_float32), .global_step = 2, .walltime = TIME) &&
           tensorboard_add_pr_curve_raw(writer, "curve/raw", t_abs(VALUES(6, 4)), 3, 4, .walltime = TIME);
}

bool write_pictures(tensorboard_SummaryWriter *writer) {
    Tensor *bytes = t_to(t_remainder(t_mul(t_arange(2 * 3 * 5 * 4), 7), 256), t_uint8);
    return tensorboard_add_image(writer, "image/CHW", VALUES(3, 5, 4), 1, TIME) &&
           tensorboard_add_image(writer, "image/gray", t_to(VALUES(1, 5, 4), t_float32), 1, TIME) &&
           tensorboard_add_image(writer, "image/RGBA", VALUES(4, 5, 4), 1, TIME) &&
           tensorboard_add_image(writer, "image/HWC", VALUES(5, 4, 3), 1, TIME, "HWC") &&
           tensorboard_add_image(writer, "image/HW", VALUES(5, 4), 1, TIME, "hw") &&
           tensorboard_add_image(writer, "image/WH", VALUES(5, 4), 1, TIME, "WH") &&
           tensorboard_add_image(writer, "image/bytes", t_view(t_slice(bytes, 0, 0, 60), (3, 5, 4)), 1, TIME) &&
           tensorboard_add_image(writer, "image/bfloat16", t_to(VALUES(3, 5, 4), t_bfloat16), 1, TIME) &&
           tensorboard_add_image(writer, "image/large", VALUES(3, 200, 300), 1, TIME) &&
           tensorboard_add_images(writer, "images", VALUES(11, 3, 5, 4), 1, TIME) &&
           tensorboard_add_images(writer, "images/gray", t_view(bytes, (6, 1, 5, 4)), 1, TIME) &&
           tensorboard_add_images(writer, "images/NHWC", VALUES(2, 5, 4, 3), 1, TIME, "NHWC") &&
           write_boxes(writer) && write_meshes(writer);
}

bool write_folders(tensorboard_SummaryWriter *writer) {
    t_TensorDict *values = t_dict(), *hparams = t_dict(), *metrics = t_dict(), *domains = t_dict(), *names = t_dict();
    bool ok = true;
    for (int step = 0; ok && step < 3; step++) {
        t_dict_set(values, "sin", 0.5 * step);
        t_dict_set(values, "cos", 1 - 0.5 * step);
        ok = tensorboard_add_scalars(writer, "run/14h", values, step, TIME + step);
    }
    t_dict_set(hparams, "lr", 0.1);
    t_dict_set(hparams, "bsize", 32);
    t_dict_set(hparams, "optimizer", "adam");
    t_dict_set(hparams, "shuffle", true);
    t_dict_set(metrics, "hparam/accuracy", 0.75);
    t_dict_set(metrics, "hparam/loss", 2);
    t_dict_set(domains, "lr", t_tensor("[0.1, 0.01]", .dtype = t_float64));
    t_dict_set(names, "0", "adam");
    t_dict_set(names, "1", "sgd");
    t_dict_set(domains, "optimizer", names);
    const char *const rows[] = {"a\t0", "b\t1", "c\t2", "d\t3", "e\t4"}, *const labels[] = {"p", "q", "r", "s", "t"};
    return ok && tensorboard_add_hparams(writer, hparams, metrics, domains, "first", 3) &&
           tensorboard_add_embedding(writer, VALUES(5, 3), .metadata = labels, .global_step = 2, .tag = "a/b") &&
           tensorboard_add_embedding(writer, t_to(VALUES(5, 3), t_float32), rows, VALUES(5, 3, 4, 6),
                                     .metadata_header = "letter\tnumber") &&
           tensorboard_add_custom_scalars(writer, {"Taiwan", "twse", "Multiline", {"twse/0050", "twse/2330"}},
                                          {"Taiwan", "empty", "Multiline", {NULL}},
                                          {"USA", "dow", "Margin", {"dow/aaa", "dow/bbb", "dow/ccc"}});
}
