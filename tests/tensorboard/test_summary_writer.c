/* tests/tensorboard/test_summary_writer.c: event files against torch.utils.tensorboard's
 * (tests/golden/tensorboard_events.py), folders, errors, writes that fail, out of memory. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/plot/plot.h"
#include "core/tensorboard/event_internal.h"
#include "tests/support/files/event_support.h"
#include "tests/support/files/file_support.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"

/* ---- the test's folder, with folders in it ---- */

static char folder[200];

static void remove_folder(const char *path) {
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlink(name) != 0) remove_folder(name);
    }
    if (entries) closedir(entries);
    rmdir(path);
}

static void setup(void) {
    folder_setup();
    in_folder(folder, "runs");
}

static void teardown(void) {
    reset_file_calls();
    remove_folder(folder);
    folder_teardown();
}

/* The path of the only event file in a folder. */
static const char *event_file(const char *path) {
    const char *found = NULL;
    DIR *entries = opendir(path);
    ck_assert_ptr_nonnull(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (!strstr(entry->d_name, "tfevents")) continue;
        ck_assert_msg(!found, "two event files in %s", path);
        found = t_format("%s/%s", path, entry->d_name);
    }
    closedir(entries);
    ck_assert_msg(found, "no event file in %s", path);
    return found;
}

/* expect_file for longer texts. */
static void expect_text(const char *path, const char *text) {
    char content[1000] = "";
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "no file %s", path);
    const size_t length = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[length] = '\0';
    ck_assert_str_eq(content, text);
}

/* ---- the format ---- */

/* RFC 3720, B.4, and the check value of CRC-32C. */
START_TEST(the_checksum_is_castagnoli_s) {
    uint8_t bytes[32] = {0};
    ck_assert_uint_eq(tg_crc32c(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    ck_assert_uint_eq(tg_crc32c(0, bytes, sizeof bytes), 0x62a8ab43);
    for (int i = 0; i < 32; i++) bytes[i] = (uint8_t)i;
    ck_assert_uint_eq(tg_crc32c(0, bytes, sizeof bytes), 0x46dd794e);
    ck_assert_uint_eq(tg_crc32c(tg_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}
END_TEST

static bool is_near(double a, double b) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

static void compare_events(const tensorboard_Event *a, const tensorboard_Event *b) {
    const char *tag = b->tag ? b->tag : "an event";
    if (a->kind != b->kind || a->wall_time != b->wall_time || a->step != b->step || !is_same_text(a->tag, b->tag) ||
        !is_same_text(a->plugin, b->plugin) || !is_same_text(a->text, b->text))
        note("%s: kind %d, step %lld, time %.17g", tag, (int)a->kind, (long long)a->step, a->wall_time);
    const double x[] = {a->value, a->min, a->max, a->num, a->sum, a->sum_squares};
    const double y[] = {b->value, b->min, b->max, b->num, b->sum, b->sum_squares};
    for (int i = 0; i < 6; i++)
        if (!is_near(x[i], y[i])) note("%s: value %d is %.17g, not %.17g", tag, i, x[i], y[i]);
    if (!is_same_bytes(a->bytes, a->bytes_size, b->bytes, b->bytes_size) ||
        !is_same_bytes(a->content, a->content_size, b->content, b->content_size))
        note("%s: other bytes", tag);
    Tensor *const p[] = {a->tensor, a->bucket, a->bucket_limit}, *const q[] = {b->tensor, b->bucket, b->bucket_limit};
    for (int i = 0; i < 3; i++) {
        if (!p[i] != !q[i])
            note("%s: tensor %d is missing", tag, i);
        else if (p[i] && i < 2)
            HOLDS(t_equal(p[i], q[i]));
        else if (p[i])
            compare_tensors(tag, p[i], q[i], VALUE);
    }
}

/* Each record of torch.tfevents but the first is in our file, byte for byte where no sums of floats are. */
START_TEST(events_are_torch_s) {
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder);
    ck_assert(write_events(writer) && tensorboard_close(writer));
    const char *path = event_file(folder), *recorded = "tests/golden/files/torch.tfevents";
    const tensorboard_Events *ours = tensorboard_load_events(folder), *theirs = tensorboard_load_events(recorded);
    ck_assert_int_eq(ours->len, theirs->len);
    ck_assert(!ours->is_cut && ours->items[0].kind == tensorboard_file_version);
    ck_assert_str_eq(ours->items[0].text, theirs->items[0].text);
    for (int64_t i = 1; i < ours->len; i++) compare_events(&ours->items[i], &theirs->items[i]);
    tg_Input a, b;
    ck_assert(tg_input_open(&a, path) && tg_input_open(&b, recorded));
    uint64_t a_at = 0, b_at = 0, a_data, b_data, a_size, b_size;
    bool is_cut;
    for (int64_t i = 0; i < ours->len; i++) {
        ck_assert_int_eq(tg_record_next(&a, &a_at, &a_data, &a_size, &is_cut), 1);
        ck_assert_int_eq(tg_record_next(&b, &b_at, &b_data, &b_size, &is_cut), 1);
        if (i == 0 || ours->items[i].kind == tensorboard_histogram) continue;
        char *x = malloc(a_size), *y = malloc(b_size);
        ck_assert(tg_input_read(&a, a_data, x, a_size) && tg_input_read(&b, b_data, y, b_size));
        if (a_size != b_size || memcmp(x, y, a_size) != 0) note("%s has other bytes", ours->items[i].tag);
        free(x);
        free(y);
    }
    tg_input_close(&a);
    tg_input_close(&b);
    report_notes();
}
END_TEST

START_TEST(curves_are_read_as_tensors) {
    const tensorboard_Events *events = tensorboard_load_events("tests/golden/files/torch.tfevents");
    Tensor *steps, *values;
    ck_assert(tensorboard_scalars(events, "Loss/train", &steps, &values));
    expect_printed(steps, "tensor([0, 1, 2, 3, 4])");
    expect_printed(values, "tensor([1.0000, 0.5000, 0.3333, 0.2500, 0.2000], dtype=torch.float64)");
    ck_assert(tensorboard_scalars(events, "double", &steps, &values));
    ck_assert(t_item(values) == 0.1);
    expect_refusal(!(tensorboard_scalars)(events, "Loss/test", &steps, &values), "KeyError: 'Loss/test'");
}
END_TEST

START_TEST(pictures_have_their_sizes) {
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder);
    ck_assert(write_pictures(writer) && tensorboard_close(writer));
    const tensorboard_Events *events = tensorboard_load_events(folder);
    static const struct {
        const char *tag;
        int height, width, channels;
    } expected[] = {{"image/CHW", 5, 4, 3},   {"image/gray", 5, 4, 3},     {"image/RGBA", 5, 4, 4},
                    {"image/HWC", 5, 4, 3},   {"image/HW", 5, 4, 3},       {"image/WH", 4, 5, 3},
                    {"image/bytes", 5, 4, 3}, {"image/bfloat16", 5, 4, 3}, {"image/large", 200, 300, 3},
                    {"images", 10, 32, 3},    {"images/gray", 5, 24, 3},   {"images/NHWC", 5, 8, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const tensorboard_Event *e = &events->items[i + 1];
        ck_assert_str_eq(e->tag, expected[i].tag);
        ck_assert(e->kind == tensorboard_image && memcmp(e->bytes, "\x89PNG", 4) == 0);
        if (e->height != expected[i].height || e->width != expected[i].width || e->channels != expected[i].channels)
            note("%s: %lld %lld %lld", e->tag, (long long)e->height, (long long)e->width, (long long)e->channels);
    }
    report_notes();
}
END_TEST

/* The number of frames of a GIF: its graphic control extensions, of 250 ms each. */
static int gif_frames(const tensorboard_Event *e) {
    int frames = 0;
    for (size_t i = 0; i + 6 < e->bytes_size; i++) frames += memcmp(e->bytes + i, "\x21\xf9\x04\x04\x19\0", 6) == 0;
    return frames;
}

START_TEST(videos_boxes_figures_and_meshes_are_written) {
    static const char *const names[] = {"a cat", NULL};
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder);
    ck_assert(tensorboard_add_video(writer, "video", t_rand(3, 5, 3, 40, 50), 1));
    ck_assert(tensorboard_add_video(writer, "gray", t_to(t_zeros(1, 2, 1, 4, 5), t_uint8), 1));
    ck_assert(tensorboard_add_image_with_boxes(writer, "boxes", t_zeros(3, 60, 70),
                                               t_tensor("[[10, 10, 50, 50], [-5, -5, 80, 90]]"), 1, .labels = names));
    ck_assert(plt_figure(.figsize = {2, 1}) && plt_plot(t_arange(4)));
    ck_assert(tensorboard_add_figure(writer, "figure", 1, .close = false));
    ck_assert(tensorboard_add_figure(writer, "figure", 2));
    ck_assert(tensorboard_add_mesh(writer, "points", t_rand(2, 7, 3)));
    ck_assert(tensorboard_add_pr_curve_raw(writer, "curve", t_rand(6, 5), 1));
    ck_assert(tensorboard_close(writer));
    const tensorboard_Events *events = tensorboard_load_events(folder);
    ck_assert_int_eq(events->len, 8);
    const tensorboard_Event *e = events->items + 1;
    ck_assert(e[0].height == 40 && e[0].width == 4 * 50 && e[0].channels == 3 && gif_frames(&e[0]) == 5);
    ck_assert(e[1].height == 4 && e[1].width == 5 && gif_frames(&e[1]) == 2);
    ck_assert(e[2].kind == tensorboard_image && e[2].height == 60);
    ck_assert(e[3].height == 100 && e[3].width == 200 &&
              is_same_bytes(e[3].bytes, e[3].bytes_size, e[4].bytes, e[4].bytes_size)); /* not closed: the same */
    ck_assert_str_eq(e[5].tag, "points_VERTEX");
    ck_assert_str_eq(e[5].plugin, "mesh");
    ck_assert_str_eq(e[6].plugin, "pr_curves");
    expect_refusal(!(tensorboard_add_video)(writer, "a", t_ones(3, 4, 5), NULL),
                   "a video has the dims (N, T, C, H, W), but its shape is [3, 4, 5]");
    expect_refusal(!(tensorboard_add_video)(writer, "a", t_ones(1, 1, 2, 4, 5), NULL),
                   "a video has 1 or 3 channels, but \"a\" has 2");
    const tensorboard_VideoOptions slow = {sizeof slow, 0, 1e-9, 0};
    expect_refusal(!(tensorboard_add_video)(writer, "a", t_ones(1, 1, 3, 4, 5), &slow),
                   "1e-09 frames a second are too few for a GIF");
    expect_refusal(!(tensorboard_add_mesh)(writer, "a", t_ones(4, 3), NULL),
                   "Tensor shape should be of shape BxNx3, but got [4, 3].");
    const tensorboard_MeshOptions bad = {.size = sizeof bad, .config_dict = "{camera"};
    expect_refusal(!(tensorboard_add_mesh)(writer, "a", t_ones(1, 4, 3), &bad),
                   "config_dict: 'c' at byte 1, where '\"' is expected");
    expect_refusal(!(tensorboard_add_image_with_boxes)(writer, "a", t_ones(3, 4, 4), t_ones(4), NULL),
                   "boxes have the shape (N, 4), but it is [4]");
    const tensorboard_BoxesOptions tiny = {.size = sizeof tiny, .rescale = 0.1};
    expect_refusal(!(tensorboard_add_image_with_boxes)(writer, "a", t_ones(3, 4, 4), t_ones(0, 4), &tiny),
                   "an image of 0.4 rows of 0.4 pixels cannot be written");
    expect_refusal(!(tensorboard_add_pr_curve_raw)(writer, "a", t_ones(5, 4), NULL),
                   "the rows of a curve have the shape (6, thresholds), but it is [5, 4]");
}
END_TEST

/* ---- folders and files ---- */

START_TEST(each_curve_of_add_scalars_has_a_folder) {
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder);
    ck_assert(write_folders(writer) && tensorboard_close(writer));
    const tensorboard_Events *events = tensorboard_load_events(t_format("%s/run_14h_sin", folder));
    ck_assert_int_eq(events->len, 4);
    for (int i = 1; i < 4; i++) {
        ck_assert_str_eq(events->items[i].tag, "run/14h");
        ck_assert(events->items[i].value == 0.5 * (i - 1) && events->items[i].step == i - 1);
    }
    events = tensorboard_load_events(t_format("%s/first", folder));
    ck_assert_int_eq(events->len, 6);
    ck_assert_str_eq(events->items[1].tag, "_hparams_/experiment");
    ck_assert_str_eq(events->items[1].plugin, "hparams");
    ck_assert_str_eq(events->items[5].tag, "hparam/loss");
    ck_assert(events->items[5].value == 2 && events->items[5].step == 3);
    expect_text(t_format("%s/00002/a%%2fb/metadata.tsv", folder), "p\nq\nr\ns\nt\n");
    expect_text(t_format("%s/00002/a%%2fb/tensors.tsv", folder),
                "-1.0\t-0.26\t0.48\n-0.8\t-0.06000000000000005\t0.6799999999999999\n-0.6\t0.1399999999999999\t"
                "0.8799999999999999\n-0.4\t0.3400000000000001\t-0.94\n-0.19999999999999996\t0.54\t-0.74\n");
    expect_text(t_format("%s/projector_config.pbtxt", folder),
                "embeddings {\n  tensor_name: \"a/b:00002\"\n  metadata_path: \"00002/a%2fb/metadata.tsv\"\n"
                "  tensor_path: \"00002/a%2fb/tensors.tsv\"\n}\nembeddings {\n  tensor_name: \"default:00000\"\n"
                "  metadata_path: \"00000/default/metadata.tsv\"\n  sprite {\n    image_path: "
                "\"00000/default/sprite.png\"\n    single_image_dim: 6\n    single_image_dim: 4\n  }\n"
                "  tensor_path: \"00000/default/tensors.tsv\"\n}\n");
    events = tensorboard_load_events(folder);
    ck_assert_str_eq(events->items[1].tag, "custom_scalars__config__");
}
END_TEST

START_TEST(a_closed_writer_opens_another_file) {
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder, .purge_step = 7, .filename_suffix = ".x");
    ck_assert_str_eq(tensorboard_get_logdir(writer), folder);
    tensorboard_add_scalar(writer, "a", 1, 7);
    ck_assert(tensorboard_close(writer) && tensorboard_close(writer) && tensorboard_flush(writer));
    tensorboard_add_scalar(writer, "a", 2, 8);
    ck_assert(tensorboard_close(writer));
    const tensorboard_Events *events = tensorboard_load_events(folder);
    ck_assert_int_eq(events->len, 6);
    ck_assert(events->items[1].kind == tensorboard_file_version && events->items[1].step == 7);
    ck_assert(events->items[2].kind == tensorboard_session_log && events->items[2].value == 1);
    ck_assert(events->items[3].value == 1 && events->items[5].value == 2);
}
END_TEST

START_TEST(the_default_folder_has_time_and_host) {
    char before[400], host[256] = "";
    ck_assert(getcwd(before, sizeof before) && gethostname(host, sizeof host - 1) == 0 && chdir(test_folder) == 0);
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(.comment = "_lr");
    const char *name = tensorboard_get_logdir(writer);
    char month[4];
    int day, hour, minute, second, length = 0;
    ck_assert_int_eq(sscanf(name, "runs/%3[A-Za-z]%2d_%2d-%2d-%2d_%n", month, &day, &hour, &minute, &second, &length),
                     5);
    ck_assert_str_eq(name + length, t_format("%s_lr", host));
    ck_assert(tensorboard_close(writer) && chdir(before) == 0);
}
END_TEST

/* Ten wait; the eleventh makes all of them be written. A crash is a process that ends without the writer's end. */
START_TEST(a_crash_loses_at_most_the_queue) {
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder);
    for (int i = 0; i < 25; i++) tensorboard_add_scalar(writer, "a", i, i);
    const tensorboard_Events *events = tensorboard_load_events(folder);
    ck_assert_int_eq(events->len, 1 + 22);
    ck_assert(tensorboard_flush(writer));
    ck_assert_int_eq(tensorboard_load_events(folder)->len, 1 + 25);
    tensorboard_SummaryWriter *at_once = tensorboard_SummaryWriter(t_format("%s/b", folder), .flush_secs = 0);
    tensorboard_add_scalar(at_once, "a", 1);
    ck_assert_int_eq(tensorboard_load_events(t_format("%s/b", folder))->len, 2);
}
END_TEST

/* ---- errors ---- */

START_TEST(bad_arguments_are_refused) {
    tensorboard_SummaryWriter *w = tensorboard_SummaryWriter(folder);
    Tensor *x = t_ones(3);
    const tensorboard_ImageOptions twice = {sizeof twice, T_NONE, 0, "CHC"}, missing = {sizeof twice, T_NONE, 0, "CHX"};
    const tensorboard_HistogramOptions unknown = {sizeof unknown, T_NONE, "half", 0, 0, 0, NULL};
    const tensorboard_HistogramOptions edges = {sizeof unknown, T_NONE, "auto", 0, 0, 0, t_tensor("[1.0, 0.0]")};
    const tensorboard_HistogramOptions outside = {sizeof unknown, T_NONE, "auto", 0, 0, 0, t_tensor("[2.0, 3.0]")};
    const tensorboard_HistogramOptions automatic = {sizeof unknown, T_NONE, "auto", 0, 0, 0, NULL};
    expect_refusal(!(tensorboard_add_scalar)(w, "a", x, NULL),
                   "Tensor should contain one element (0 dimensions). Was given size: 3 and 1 dimensions.");
    expect_refusal(!(tensorboard_add_scalar)(w, NULL, x, NULL), "argument 2 is NULL where a text is expected");
    expect_refusal(!(tensorboard_add_scalar)(NULL, "a", x, NULL),
                   "argument 1 is NULL where a SummaryWriter is expected");
    expect_refusal(!(tensorboard_add_histogram)(w, "a", t_ones(0), NULL), "The input has no element.");
    expect_refusal(!(tensorboard_add_histogram)(w, "a", x, &unknown), "'half' is not a valid estimator for `bins`");
    expect_refusal(!(tensorboard_add_histogram)(w, "a", x, &edges),
                   "`bins` must increase monotonically, when an array");
    expect_refusal(!(tensorboard_add_histogram)(w, "a", x, &outside),
                   "The histogram is empty: no value of \"a\" is within the bins");
    expect_refusal(!(tensorboard_add_histogram)(w, "a", t_div(x, 0), &automatic),
                   "autodetected range of [inf, inf] is not finite");
    expect_refusal(!(tensorboard_add_histogram_raw)(w, "a", 0, 1, 1, 1, 1, t_ones(2), t_ones(3), NULL),
                   "len(bucket_limits) != len(bucket_counts), see the document.");
    expect_refusal(!(tensorboard_add_image)(w, "a", t_ones(3, 4, 5), &twice),
                   "You can not use the same dimension shorthand twice. input_format: CHC");
    expect_refusal(!(tensorboard_add_image)(w, "a", t_ones(3, 4, 5), &missing), "dataformats \"CHX\" has no W");
    expect_refusal(!(tensorboard_add_image)(w, "a", x, NULL),
                   "size of input tensor and input format are different. tensor shape: [3], input_format: CHW");
    expect_refusal(!(tensorboard_add_image)(w, "a", t_ones(2, 4, 5), NULL),
                   "an image has 1, 3 or 4 channels, but \"a\" has 2");
    expect_refusal(!(tensorboard_add_image)(w, "a", t_ones(3, 0, 5), NULL),
                   "an image of 0 rows of 5 pixels cannot be written");
    expect_refusal(!(tensorboard_add_images)(w, "a", t_ones(1, 4, 5, 5), NULL),
                   "Input should be a 4D numpy array with 3 channels, but has 4");
    expect_refusal(!(tensorboard_add_text)(w, "a", "a\xff", NULL), "the text of \"a\" is not UTF-8 from byte 1 on");
    expect_refusal(!(tensorboard_add_audio)(w, "a", t_ones(2, 3), NULL), "input tensor should be 1 dimensional.");
    expect_refusal(!(tensorboard_add_pr_curve)(w, "a", x, t_ones(2), NULL),
                   "labels, predictions and weights must have as many elements, but have 3, 2 and 3");
    expect_refusal(!(tensorboard_add_embedding)(w, x, NULL),
                   "mat should be 2D, where mat.size(0) is the number of data points, but its shape is [3]");
    static char long_tag[70001]; /* the time grows with the length, not with its square */
    memset(long_tag, 'x', sizeof long_tag - 1);
    const tensorboard_EmbeddingOptions long_name = {.size = sizeof long_name, .tag = long_tag};
    ck_assert(!(tensorboard_add_embedding)(w, t_ones(1, 2), &long_name));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "File name too long"));
    t_clear_error();
    t_TensorDict *hparams = t_dict(), *metrics = t_dict();
    t_dict_set(hparams, "lr", x);
    expect_refusal(!(tensorboard_add_hparams)(w, hparams, metrics, NULL),
                   "value should be one of int, float, str, bool, or torch.Tensor of one element, but \"lr\" has 3");
    t_dict_set(hparams, "lr", 1);
    t_dict_set(metrics, "loss", "low");
    expect_refusal(!(tensorboard_add_hparams)(w, hparams, metrics, NULL), "the metric \"loss\" is not one number");
    expect_refusal(!(tensorboard_add_scalars)(w, "a", metrics, NULL),
                   "\"loss\" is a text, but add_scalars needs a number");
    const tensorboard_Chart chart = {"a", "b", "Margin", {"c"}};
    expect_refusal(!(tensorboard_add_custom_scalars)(w, &chart, 1), "a Margin has 3 tags, but \"b\" has 1");
    ck_assert(tensorboard_close(w));
    ck_assert_int_eq(tensorboard_load_events(folder)->len, 1);
    put_file(t_format("%s/file", folder), "");
    const tensorboard_SummaryWriterOptions below = {
        sizeof below, t_format("%s/file/run", folder), NULL, T_NONE, 10, 120, NULL};
    expect_refusal(!tensorboard_SummaryWriter_new(&below),
                   t_format("cannot create the folder %s: %s/file: Not a directory", below.log_dir, folder));
    const tensorboard_SummaryWriterOptions queue = {sizeof queue, folder, NULL, T_NONE, -1, 120, NULL};
    expect_refusal(!tensorboard_SummaryWriter_new(&queue), "max_queue is -1, but must not be negative");
}
END_TEST

/* A full disk: what was written before is whole, the error comes once, and a later call does nothing. */
/* What PyTorch writes of the same calls; metadata.tsv and tensors.tsv by str(). */
START_TEST(embeddings_are_written) {
    static const char *const rows[] = {"a", "b"};
    tensorboard_SummaryWriter *w = tensorboard_SummaryWriter(folder);
    ck_assert(tensorboard_add_embedding(w, t_tensor("[[1, -2], [3, 4]]"), .metadata = rows,
                                        .tag = "t\tab\r\n\u00e9\"\1'\\"));
    ck_assert(tensorboard_add_embedding(w, t_tensor("[[True, False]]"), .tag = "b"));
    ck_assert(tensorboard_add_embedding(w, t_tensor("[[0.5]]"), .tag = "\xff", .global_step = 3));
    expect_file(t_format("%s/00000/b/tensors.tsv", folder), "True\tFalse\n");
    expect_file(t_format("%s/00000/t\tab\r\n\u00e9\"\1'%%5c/tensors.tsv", folder), "1\t-2\n3\t4\n");
    expect_file(t_format("%s/00000/t\tab\r\n\u00e9\"\1'%%5c/metadata.tsv", folder), "a\nb\n");
    char *config = read_text(t_format("%s/projector_config.pbtxt", folder));
    ck_assert_str_eq(
        config, "embeddings {\n  tensor_name: \"t\\tab\\r\\n\u00e9\\\"\\001\\'\\\\:00000\"\n"
        "  metadata_path: \"00000/t\\tab\\r\\n\u00e9\\\"\\001\\'%5c/metadata.tsv\"\n"
        "  tensor_path: \"00000/t\\tab\\r\\n\u00e9\\\"\\001\\'%5c/tensors.tsv\"\n}\n"
        "embeddings {\n  tensor_name: \"b:00000\"\n  tensor_path: \"00000/b/tensors.tsv\"\n}\n"
        "embeddings {\n  tensor_name: \"\\377:00003\"\n  tensor_path: \"00003/\\377/tensors.tsv\"\n}\n");
    free(config);
    static const char *const split[] = {"a\tb", "c"}, *const lines[] = {"a\nb", "c"};
    tensorboard_EmbeddingOptions o = {TENSORBOARD_EMBEDDING_DEFAULTS_, .metadata = split};
    Tensor *mat = t_ones(2, 3);
    expect_refusal(!(tensorboard_add_embedding)(w, mat, &o), "row 0 of the metadata contains a tab");
    o.metadata_header = "x\ty";
    expect_refusal(!(tensorboard_add_embedding)(w, mat, &o),
                   "len of header must be equal to the number of columns in metadata, but row 1 has 1 columns and the "
                   "header 2");
    o.metadata_header = NULL;
    o.metadata = lines;
    expect_refusal(!(tensorboard_add_embedding)(w, mat, &o), "row 0 of the metadata contains a newline");
    o.metadata = NULL;
    o.label_img = t_ones(2, 2, 4, 4);
    expect_refusal(!(tensorboard_add_embedding)(w, mat, &o),
                   "label_img should be (N, C, H, W) with 1 or 3 channels, but its shape is [2, 2, 4, 4]");
    o.label_img = t_ones(3, 3, 4, 4);
    expect_refusal(!(tensorboard_add_embedding)(w, mat, &o),
                   "#images should equal with #data points, but there are 3 and 2");
}
END_TEST

START_TEST(null_arguments_are_refused) {
    static const char no_tag[] = "argument 2 is NULL where a text is expected";
    tensorboard_SummaryWriter *w = tensorboard_SummaryWriter(folder);
    Tensor *x = t_ones(2);
    t_TensorDict *d = t_dict();
    expect_refusal(!(tensorboard_add_scalars)(w, NULL, d, NULL), no_tag);
    expect_refusal(!(tensorboard_add_text)(w, NULL, "a", NULL), no_tag);
    expect_refusal(!(tensorboard_add_tensor)(w, NULL, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_histogram)(w, NULL, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_histogram_raw)(w, NULL, 0, 1, 1, 1, 1, x, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_image)(w, NULL, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_image_with_boxes)(w, NULL, x, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_video)(w, NULL, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_audio)(w, NULL, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_mesh)(w, NULL, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_pr_curve)(w, NULL, x, x, NULL), no_tag);
    expect_refusal(!(tensorboard_add_pr_curve_raw)(w, NULL, x, NULL), no_tag);
    const tensorboard_Chart chart = {"a", NULL, "Multiline", {"c"}};
    expect_refusal(!(tensorboard_add_custom_scalars)(w, &chart, 1), "chart 0 has no category, title or type");
    const tensorboard_AudioOptions silent = {.size = sizeof silent, .global_step = T_NONE};
    expect_refusal(!(tensorboard_add_audio)(w, "a", x, &silent), "a sample rate of 0 is not between 1 and 2147483647");
    expect_refusal(!(tensorboard_add_tensor)(w, "a", t_expand(t_ones(1), 1 << 29), NULL),
                   "tensor is bigger than protocol buffer's hard limit of 2GB in size");
    expect_refusal(!(tensorboard_add_video)(w, "a", t_ones(1, 0, 3, 4, 5), NULL),
                   "a video of the shape [1, 0, 3, 4, 5] cannot be written");
    t_TensorDict *hparams = t_dict(), *domains = t_dict();
    t_dict_set(hparams, "lr", 1);
    t_dict_set(domains, "lr", "low");
    const tensorboard_HparamsOptions o = {TENSORBOARD_HPARAMS_DEFAULTS_, .hparam_domain_discrete = domains};
    expect_refusal(!(tensorboard_add_hparams)(w, hparams, d, &o),
                   "parameter: hparam_domain_discrete[lr] should be a list of same type as hparam_dict[lr].");
}
END_TEST

/* A writer that ends with its scope has nobody to tell that its last events are lost. */
START_TEST(a_write_that_fails_at_the_end_is_a_warning) {
    const int depth = t_scope_open();
    tensorboard_SummaryWriter *w = tensorboard_SummaryWriter(folder, .max_queue = 100);
    ck_assert(tensorboard_add_scalar(w, "a", 1));
    expect_refusal(!(tensorboard_add_scalar)(w, NULL, t_ones(1), NULL), "argument 2 is NULL where a text is expected");
    (t_fail)("an error that nobody has read yet");
    catch_warnings();
    set_faults((Faults){.fail_at = 1, .lasting = true, .reason = ENOSPC});
    tg_file_calls.realloc = realloc;
    t_scope_close(depth);
    reset_file_calls();
    char *warned = caught_warnings();
    ck_assert_msg(strstr(warned, "UserWarning: cannot write ") && strstr(warned, "No space left on device"), "%s",
                  warned);
    ck_assert_str_eq(t_error_message(), "an error that nobody has read yet");
    t_clear_error();
    free(warned);
}
END_TEST

START_TEST(a_write_that_fails_leaves_whole_records) {
    for (int n = 1; n < 40; n++) {
        const char *path = t_format("%s/%d", folder, n);
        tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(path, .max_queue = 2);
        set_faults((Faults){.fail_at = n, .lasting = true, .reason = n % 2 ? ENOSPC : EIO, .most = 50});
        tg_file_calls.realloc = realloc;
        int good = 0, errors = 0;
        for (int i = 0; i < 12; i++) {
            if ((tensorboard_add_scalar)(writer, "some tag", t_number(i), NULL))
                good++;
            else if (t_error()) {
                errors++;
                ck_assert_ptr_nonnull(
                    strstr(t_error_message(), n % 2 ? "No space left on device" : "Input/output error"));
                ck_assert_ptr_nonnull(strstr(t_error_message(), "events are lost, and no more are written"));
                t_clear_error();
            }
        }
        const bool failed = faults.calls >= n;
        reset_file_calls();
        ck_assert_int_eq(errors, failed);
        ck_assert((tensorboard_close)(writer));
        const tensorboard_Events *events = tensorboard_load_events(path);
        ck_assert(!events->is_cut && events->len <= good + 1);
        for (int64_t i = 1; i < events->len; i++) ck_assert(events->items[i].value == (double)(i - 1));
        if (!failed) break;
    }
}
END_TEST

/* ---- without memory ---- */

static int event_files(const char *path) {
    int count = 0;
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        count += strstr(entry->d_name, "tfevents") != NULL;
    if (entries) closedir(entries);
    return count;
}

/* One event of two is in the file when the second is refused memory. */
START_TEST(a_run_that_was_not_written_has_no_file) {
    const tensorboard_SummaryWriterOptions options = {sizeof options, folder, NULL, 7, 10, 120, NULL};
    tensorboard_SummaryWriter *writer = NULL;
    for (int n = 1; !writer; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOSPC});
        writer = tensorboard_SummaryWriter_new(&options);
        ck_assert_int_eq(writer != NULL, !fault_reported(folder));
        ck_assert_int_eq(event_files(folder), writer != NULL);
    }
    t_TensorDict *values = t_dict();
    t_dict_set(values, "lr", 0.5);
    const tensorboard_HparamsOptions named = {.size = sizeof named, .run_name = "first", .global_step = T_NONE};
    const char *run = t_format("%s/first", folder);
    for (int n = 1, is_written = 0; !is_written; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOSPC});
        is_written = (tensorboard_add_hparams)(writer, values, values, &named);
        ck_assert_int_eq(is_written, !fault_reported(run));
        ck_assert_int_eq(event_files(run), is_written);
    }
}
END_TEST

static tensorboard_SummaryWriter *some_writer;
static bool makes_writer(void *path) {
    const tensorboard_SummaryWriterOptions options = {sizeof options, path, NULL, T_NONE, 10, 120, NULL};
    return tensorboard_SummaryWriter_new(&options) != NULL;
}
static bool adds_scalar(void *x) {
    return (tensorboard_add_scalar)(some_writer, "a", (t_select)(x, 0, 0), NULL);
}
static bool adds_histogram(void *x) {
    return (tensorboard_add_histogram)(some_writer, "a", x, NULL);
}
static bool adds_stone_histogram(void *x) {
    tensorboard_HistogramOptions o = {TENSORBOARD_HISTOGRAM_DEFAULTS_};
    o.bins = "stone"; /* tries numbers of bins, in memory of its own */
    return (tensorboard_add_histogram)(some_writer, "a", x, &o);
}
static bool adds_image(void *x) {
    Tensor *image = (t_reshape)(x, (const int64_t[]){3, 2, 2}, 3);
    return image && (tensorboard_add_image)(some_writer, "a", image, NULL);
}
static bool adds_text(void *unused) {
    return unused && (tensorboard_add_text)(some_writer, "a", "b", NULL);
}
static bool adds_curve(void *x) {
    return (tensorboard_add_pr_curve)(some_writer, "a", x, x, NULL);
}
static bool adds_video(void *x) {
    Tensor *video = (t_reshape)(x, (const int64_t[]){1, 2, 1, 2, 3}, 5);
    return video && (tensorboard_add_video)(some_writer, "a", video, NULL);
}
static bool adds_boxes(void *x) {
    static const char *const names[] = {"a", "b", "c"};
    const tensorboard_BoxesOptions options = {sizeof options, 1, 1, 2, NULL, names};
    Tensor *image = (t_reshape)(x, (const int64_t[]){3, 2, 2}, 3), *boxes = (t_reshape)(x, (const int64_t[]){3, 4}, 2);
    return image && boxes && (tensorboard_add_image_with_boxes)(some_writer, "a", image, boxes, &options);
}
static bool adds_mesh(void *x) {
    Tensor *points = (t_reshape)(x, (const int64_t[]){1, 4, 3}, 3);
    return points && (tensorboard_add_mesh)(some_writer, "a", points, NULL);
}
static bool adds_figure(void *unused) {
    const tensorboard_FigureOptions options = {sizeof options, 1, false, 1};
    return unused && (tensorboard_add_figure)(some_writer, "a", &options);
}
static bool adds_onnx_graph(void *path) {
    return (tensorboard_add_onnx_graph)(some_writer, path);
}
static bool loads(void *path) {
    return (tensorboard_load_events)(path) != NULL;
}

START_TEST(without_memory_nothing_is_left) {
    Tensor *x = t_rand(12);
    some_writer = tensorboard_SummaryWriter(folder, .max_queue = 1000);
    for (int i = 0; i < 5; i++) tensorboard_add_scalar(some_writer, "a", i);
    refuse_all("SummaryWriter", makes_writer, NULL, folder);
    refuse_all("add_scalar", adds_scalar, NULL, x);
    refuse_all("add_histogram", adds_histogram, NULL, x);
    refuse_all("add_histogram, stone", adds_stone_histogram, NULL, x);
    refuse_all("add_image", adds_image, NULL, x);
    refuse_all("add_text", adds_text, NULL, x);
    refuse_all("add_video", adds_video, NULL, x);
    refuse_all("add_image_with_boxes", adds_boxes, NULL, x);
    refuse_all("add_mesh", adds_mesh, NULL, x);
    plt_figure(.figsize = {0.5, 0.5});
    refuse_all("add_figure", adds_figure, NULL, x);
    plt_close("all");
    refuse_all("add_pr_curve", adds_curve, NULL, x);
    refuse_all("add_onnx_graph", adds_onnx_graph, NULL, "tests/golden/onnx_graph.onnx.bin");
    refuse_all("load_events", loads, NULL, "tests/golden/files/torch.tfevents");
    report_notes();
}
END_TEST

Suite *summary_writer_suite(void);
Suite *summary_writer_suite(void) {
    Suite *suite = suite_create("summary_writer");
    TCase *tests = tcase_create("summary_writer");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_checksum_is_castagnoli_s);
    tcase_add_test(tests, events_are_torch_s);
    tcase_add_test(tests, curves_are_read_as_tensors);
    tcase_add_test(tests, pictures_have_their_sizes);
    tcase_add_test(tests, videos_boxes_figures_and_meshes_are_written);
    tcase_add_test(tests, each_curve_of_add_scalars_has_a_folder);
    tcase_add_test(tests, a_closed_writer_opens_another_file);
    tcase_add_test(tests, the_default_folder_has_time_and_host);
    tcase_add_test(tests, a_crash_loses_at_most_the_queue);
    tcase_add_test(tests, bad_arguments_are_refused);
    tcase_add_test(tests, embeddings_are_written);
    tcase_add_test(tests, null_arguments_are_refused);
    tcase_add_test(tests, a_write_that_fails_at_the_end_is_a_warning);
    tcase_add_test(tests, a_write_that_fails_leaves_whole_records);
    tcase_add_test(tests, a_run_that_was_not_written_has_no_file);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
