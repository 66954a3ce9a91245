/* tests/fuzz/parsers.c: checks that must hold for any bytes given to a reader. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include "tests/fuzz/parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/io/load_internal.h"
#include "core/io/zip.h"
#include "core/ops/ops.h"
#include "core/pandas/io/read_csv.h"
#include "core/tensor/tensor.h"
#include "core/tensorboard/event_internal.h"
#include "core/tensorboard/event_reader.h"
#include "core/tensorboard/summary_writer.h"
#include "core/vision/datasets/datasets_internal.h"
#include "core/vision/io/image.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/table_parsers.h"
#include "tests/fuzz/text_parsers.h"
#include "tests/fuzz/writers.h"

/* ---- the readers ---- */

static t_TensorDict *read_safetensors(const uint8_t *data, size_t size) {
    const safetensors_Options options = {sizeof options, size % 2 == 1};
    return safetensors_load(data, size, &options);
}

/* t_load, which chooses the reader by the first bytes. */
static t_TensorDict *read_any(const uint8_t *data, size_t size) {
    tg_Input in;
    return tg_input_memory(&in, data, size, "memory") ? tg_load(&in) : NULL;
}

/* An archive with that pickle and three storages, the last one empty. */
static t_TensorDict *read_pickle(const uint8_t *data, size_t size) {
    static const uint8_t storage[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0x80, 0x3f};
    const struct {
        const char *name;
        const void *bytes;
        size_t size;
    } files[] = {
        {"a/data.pkl", data, size},
        {"a/byteorder", size % 2 ? "big" : "little", size % 2 ? 3 : 6},
        {"a/data/0", storage, sizeof storage},
        {"a/data/1", storage, 8},
        {"a/data/2", storage, 0},
    };
    tg_Output out;
    tg_ZipWriter zip;
    tg_output_memory(&out);
    tg_zip_begin(&zip, &out);
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof files / sizeof *files; i++)
        ok = tg_zip_add(&zip, files[i].name, files[i].size, tg_crc32(0, files[i].bytes, files[i].size)) &&
             tg_output_write(&out, files[i].bytes, files[i].size);
    size_t all = 0;
    uint8_t *archive = tg_output_take(&out, tg_zip_end(&zip, ok), &all);
    must(archive, "no archive");
    t_TensorDict *dict = read_any(archive, all);
    free(archive);
    return dict;
}

/* ---- compressed bytes, as a tensor of bytes ---- */

static t_TensorDict *bytes_of(bool ok, const tg_Bytes *bytes) {
    const int64_t count = (int64_t)bytes->count;
    Tensor *x = ok ? tg_empty(&count, 1, t_uint8) : NULL;
    if (x && count) memcpy(tg_data(x), bytes->at, bytes->count);
    return dict_of(x);
}

enum { UNPACKED = 1 << 20 };

static t_TensorDict *read_inflate(const uint8_t *data, size_t size) {
    tg_Bytes to = {0};
    const bool ok = size % 2
                        ? tg_inflate(&(tg_Compressed){data, size, "memory", 0, 0, false, false}, &to, UNPACKED)
                        : tg_zlib_unpack(&(tg_Compressed){data, size, "memory", 0, 0, false, false}, &to, UNPACKED);
    t_TensorDict *dict = bytes_of(ok, &to);
    tg_bytes_free(&to);
    return dict;
}

static t_TensorDict *read_gunzip(const uint8_t *data, size_t size) {
    tg_Bytes to = {0};
    tg_Compressed packed = {data, size, "memory", 0, 0, false, false};
    t_TensorDict *dict = bytes_of(tg_gzip_unpack(&packed, &to, UNPACKED), &to);
    tg_bytes_free(&to);
    return dict;
}

/* Packs the bytes, at the level that the first one says, as zlib's or gzip's format, and unpacks them. */
static t_TensorDict *read_deflate(const uint8_t *data, size_t size) {
    tg_Bytes packed = {0}, to = {0};
    const bool is_gzip = size && data[0] / 10 % 2;
    bool ok = (is_gzip ? tg_gzip_pack : tg_zlib_pack)(data, size, size ? data[0] % 10 : 6, &packed);
    if (ok) {
        tg_Compressed from = {packed.at, packed.count, "memory", 0, 0, false, false};
        ok = (is_gzip ? tg_gzip_unpack : tg_zlib_unpack)(&from, &to, size);
        must(ok || strstr(t_error_message(), "out of memory"), "what was packed cannot be unpacked");
        must(!ok || (to.count == size && (size == 0 || memcmp(to.at, data, size) == 0)), "other bytes come back");
    }
    t_TensorDict *dict = bytes_of(ok, &to);
    tg_bytes_free(&packed);
    tg_bytes_free(&to);
    return dict;
}

/* Datasets' files, as a dict of what is in them. */
static t_TensorDict *read_idx(const uint8_t *data, size_t size) {
    tg_Input in;
    return dict_of(tg_input_memory(&in, data, size, "memory") ? tg_idx_read(&in) : NULL);
}

static t_TensorDict *dict_of_batch(bool ok, tg_CifarBatch *batch) {
    t_TensorDict *dict = ok ? t_dict_new() : NULL;
    const int64_t shape[] = {batch->count, 3, 32, 32};
    Tensor *images = dict ? tg_empty(shape, 4, t_uint8) : NULL, *labels = images ? tg_empty(shape, 1, t_int64) : NULL;
    if (labels && batch->count) {
        memcpy(tg_data(images), batch->images, (size_t)batch->count * TG_CIFAR_IMAGE);
        memcpy(tg_data(labels), batch->labels, (size_t)batch->count * sizeof(int64_t));
    }
    tg_cifar_free(batch);
    return labels && t_dict_set(dict, "images", images) && t_dict_set(dict, "labels", labels) ? dict : NULL;
}

static t_TensorDict *read_cifar(const uint8_t *data, size_t size) {
    tg_Input in;
    tg_CifarBatch batch = {0};
    return dict_of_batch(tg_input_memory(&in, data, size, "memory") && tg_cifar_binary(&in, 1, &batch), &batch);
}

static t_TensorDict *read_cifar_pickle(const uint8_t *data, size_t size) {
    tg_Input in;
    tg_CifarBatch batch = {0};
    return dict_of_batch(tg_input_memory(&in, data, size, "memory") && tg_cifar_pickle(&in, "labels", &batch), &batch);
}

/* A picture in a mode; turned upright, if its size is odd. */
static t_TensorDict *read_as(const uint8_t *data, size_t size, ImageReadMode mode,
                             Tensor *(*decode)(Tensor *input, const io_ImageOptions *options)) {
    const int64_t count = (int64_t)size;
    const io_ImageOptions options = {sizeof options, mode, size % 2 == 1};
    Tensor *bytes = tg_empty(&count, 1, t_uint8);
    if (bytes && size) memcpy(tg_data(bytes), data, size);
    return dict_of(bytes ? decode(bytes, &options) : NULL);
}

/* In the mode that the size says. */
static t_TensorDict *read_image(const uint8_t *data, size_t size) {
    return read_as(data, size, (ImageReadMode)(size % 5), io_decode_image);
}

/* JPEG files have three of the modes. */
static t_TensorDict *read_jpeg(const uint8_t *data, size_t size) {
    static const ImageReadMode modes[] = {ImageReadMode_UNCHANGED, ImageReadMode_RGB, ImageReadMode_GRAY};
    return read_as(data, size, size % 32 == 0 ? ImageReadMode_RGBA : modes[size / 2 % 3], io_decode_jpeg);
}

/* An event file; its tensors and texts as items of a dict. */
static t_TensorDict *read_events(const uint8_t *data, size_t size) {
    const tensorboard_Events *events = tensorboard_load_events_bytes(data, size, "memory");
    t_TensorDict *dict = events ? t_dict_new() : NULL;
    bool ok = dict != NULL;
    for (int64_t i = 0; ok && i < events->len; i++) {
        const tensorboard_Event *e = &events->items[i];
        char name[32];
        snprintf(name, sizeof name, "%lld", (long long)i);
        if (e->tensor)
            ok = t_dict_set(dict, name, e->tensor);
        else if (e->bucket)
            ok = t_dict_set(dict, name, e->bucket);
        else if (e->text)
            ok = t_dict_set_text(dict, name, e->text);
    }
    Tensor *steps, *values; /* the curve of the first tag; there need be none */
    const int depth = ok ? t_scope_open() : 0;
    for (int64_t i = 0; depth && i < events->len; i++)
        if (events->items[i].tag) {
            (tensorboard_scalars)(events, events->items[i].tag, &steps, &values);
            t_clear_error();
            break;
        }
    t_scope_close(depth);
    return depth ? dict : NULL;
}

/* The same from a file into an event file, which has the same bytes. False without memory. */
static bool write_graph(const uint8_t *data, size_t size, const uint8_t *graph, size_t bytes) {
    const char *folder = fuzz_folder();
    const tensorboard_SummaryWriterOptions o = {TENSORBOARD_SUMMARY_WRITER_DEFAULTS_, .log_dir = folder};
    fuzz_put_file("model.onnx", data, size);
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter_new(&o);
    const bool is_taken = writer && tensorboard_add_onnx_graph(writer, fuzz_path_of("model.onnx"));
    bool ok = writer && !is_out_of_memory();
    must(!ok || is_taken == (graph != NULL), "a file is taken that its bytes are not, or is not");
    if (ok && !is_taken) must(strstr(t_error_message(), "model.onnx") != NULL, "the message does not name the file");
    if (ok) t_clear_error();
    ok = ok && tensorboard_close(writer);
    const tensorboard_Events *events = ok ? tensorboard_load_events(folder) : NULL;
    const tensorboard_Event *last = events && events->len ? &events->items[events->len - 1] : NULL;
    demand(last != NULL, "the events that were written cannot be read");
    if (last && graph)
        must(last->kind == tensorboard_graph && last->bytes_size == bytes && memcmp(last->bytes, graph, bytes) == 0,
             "another graph in the event file");
    fuzz_remove();
    return last != NULL;
}

/* The GraphDef of an ONNX model: nodes, each with its attributes, and the versions. */
static t_TensorDict *read_onnx_graph(const uint8_t *data, size_t size) {
    tg_Proto model = tg_proto_of("memory", data, size, 0);
    tg_Output out;
    size_t bytes = 0;
    tg_output_memory(&out);
    const bool ok = tg_put_onnx_graph(&out, &model);
    must(ok != model.failed, "a model that is broken has a graph, or a good one has none");
    uint8_t *graph = tg_output_take(&out, ok, &bytes);
    must(!ok || graph, "a graph without bytes");
    tg_Proto read = tg_proto_of("graph", graph, bytes, 0);
    for (tg_ProtoField f; tg_proto_next(&read, &f);) {
        tg_Proto node = tg_proto_message(&read, &f);
        int attributes = 0;
        for (tg_ProtoField g; tg_proto_next(&node, &g);) attributes += f.number == 1 && g.number == 5;
        must(f.number == 4 || attributes > 0, "neither the versions nor a node with attributes");
    }
    must(!read.failed, "a graph that is broken");
    if (is_out_of_memory()) return NULL;
    tg_SavedError error;
    if (!ok) tg_error_save(&error);
    const bool is_same = write_graph(data, size, graph, bytes);
    free(graph);
    if (!ok) tg_error_restore(&error);
    return ok && is_same ? t_dict_new() : NULL;
}

typedef struct Parser {
    const char *name;
    t_TensorDict *(*read)(const uint8_t *data, size_t size);
    const char *file; /* the file's name in messages */
    int64_t most;     /* bytes of tensors per byte of the file, plus one value for each name that a pickle may define */
} Parser;

static const Parser parsers[] = {
    {"safetensors", read_safetensors, "data", 8},
    {"npy", read_any, "memory", 8},
    {"npz", read_any, "memory", 8 * 1032},
    {"torch", read_any, "memory", 8 * 1032},
    {"pickle", read_pickle, "memory", 512},
    {"idx", read_idx, "memory", 8},
    {"cifar", read_cifar, "memory", 8},
    {"cifar_pickle", read_cifar_pickle, "memory", 512},
    {"inflate", read_inflate, "memory", 1040},
    {"gunzip", read_gunzip, "memory", 1040},
    {"png", read_image, "", 16 * 1040},
    {"pnm", read_image, "", 64},
    {"jpeg", read_jpeg, "", 64 * 1040},
    {"deflate", read_deflate, "memory", 1040},
    {"loadtxt", fuzz_loadtxt, "", 8 * 1032},
    {"genfromtxt", fuzz_genfromtxt, "", 8 * 1032},
    {"csv", fuzz_csv, "", 8 * 1032},
    {"datetime", fuzz_datetime, "", 1040},
    {"events", read_events, "memory", 64},
    {"summary", fuzz_summary, "", 1040},
    {"onnx_graph", read_onnx_graph, "memory", 8},
    {"png_write", fuzz_png_write, "", 1040},
    {"gif", fuzz_gif, "", 1040},
    {"pnm_write", fuzz_pnm_write, "", 1040},
    {"savetxt", fuzz_savetxt, "", 64},
    {"csv_logger", fuzz_csv_logger, "", 1040},
    {"folders", fuzz_folders, "", 1040},
    {"tokenizers", fuzz_tokenizers, "", 1040},
    {"torchtext", fuzz_torchtext, "", 1040},
};
enum { PARSERS = sizeof parsers / sizeof *parsers };

const char *fuzz_parser(int i) {
    return i < PARSERS ? parsers[i].name : fuzz_text_parser(i - PARSERS);
}

/* ---- what must hold ---- */

static bool is_same(const t_DictItem *a, const t_DictItem *b) {
    if (!b || !a->text != !b->text || !a->tensor != !b->tensor) return false;
    if (a->text) return strcmp(a->text, b->text) == 0;
    Tensor *x = t_contiguous(a->tensor), *y = t_contiguous(b->tensor);
    return x && y && x->dtype == y->dtype && tg_same_shape(x, y) &&
           memcmp(tg_data(x), tg_data(y), (size_t)tg_numel(x) * tg_itemsize(x->dtype)) == 0;
}

/* A few bytes of a pickle are a tensor of any size, whose strides are 0. */
static bool is_large(const t_TensorDict *dict) {
    enum { LARGE = 1 << 20 };
    int64_t count = 0;
    for (int64_t i = 0; i < dict->len && count < LARGE; i++)
        count += dict->items[i].tensor ? tg_numel(dict->items[i].tensor) : 0;
    return count >= LARGE;
}

static void compare(const t_TensorDict *dict, const t_TensorDict *again) {
    must(again && again->len == dict->len, "what was written cannot be read");
    for (int64_t i = 0; i < dict->len; i++)
        must(is_same(&dict->items[i], tg_dict_find(again, dict->items[i].name)),
             "what was written comes back as something else");
}

/* An .npz has no strings and no bfloat16. */
static bool is_foreign_to_numpy(const t_TensorDict *dict) {
    for (int64_t i = 0; i < dict->len; i++)
        if (dict->items[i].text || dict->items[i].tensor->dtype == t_bfloat16) return true;
    return false;
}

/* A dict that was read can be written, and reads back the same; but no tensor of a safetensors file is called
 * __metadata__. */
static void write_and_read(const t_TensorDict *dict) {
    if (is_large(dict)) return;
    const t_DictItem *reserved = tg_dict_find(dict, "__metadata__");
    size_t size;
    void *bytes = safetensors_save(dict, &size);
    if (reserved && reserved->tensor) {
        must(!bytes && t_error(), "a tensor __metadata__ was written");
        t_clear_error();
    } else {
        must(bytes, "what was read cannot be written");
        compare(dict, safetensors_load(bytes, size, NULL));
        free(bytes);
    }
    if (is_foreign_to_numpy(dict)) return;
    bytes = np_savez_bytes(dict, &size);
    must(bytes, "what was read cannot be written as .npz");
    compare(dict, np_load_npz_bytes(bytes, size));
    free(bytes);
    if (dict->len == 0) return;
    bytes = np_save_bytes(dict->items[0].tensor, &size);
    must(bytes, "what was read cannot be written as .npy");
    must(is_same(&dict->items[0], &(t_DictItem){.tensor = np_load_bytes(bytes, size)}),
         "what was written comes back as something else");
    free(bytes);
}

/* The same through files, one of which is compressed. */
static void write_and_read_files(const t_TensorDict *dict) {
    if (is_large(dict) || tg_dict_find(dict, "__metadata__") || is_foreign_to_numpy(dict)) return;
    fuzz_folder();
    must(t_save(dict, fuzz_path_of("a")), "what was read cannot be written to a file");
    compare(dict, t_load(fuzz_path_of("a")));
    must(np_savez_compressed(fuzz_path_of("a.npz"), dict), "what was read cannot be written to a compressed file");
    compare(dict, np_load_npz(fuzz_path_of("a.npz")));
    fuzz_remove();
}

/* Returns the reader's number of allocations. */
static int64_t read_once(const Parser *parser, const uint8_t *data, size_t size, int64_t fail_at) {
    enum { NAMES = 1 << 20 };
    const int64_t live = t_live_count(), bytes = t_live_bytes();
    const int depth = t_scope_open();
    const int64_t before = tg_alloc_requests();
    tg_alloc_fail(fail_at, false);
    t_TensorDict *dict = parser->read(data, size);
    tg_alloc_fail(0, false);
    const int64_t requests = tg_alloc_requests() - before;
    if (dict) {
        must(!t_error(), "a dict and an error");
        must(t_live_bytes() - bytes <= (int64_t)size * parser->most + (parser->most > 8 ? NAMES : 0),
             "more memory than the file explains");
        if (!fail_at) write_and_read(dict);
        if (!fail_at && strcmp(parser->name, "npz") == 0) write_and_read_files(dict);
    } else {
        must(t_error_message() != NULL, "it failed without a message");
        must(fail_at || strstr(t_error_message(), parser->file), "the message does not name the file");
        t_clear_error();
    }
    t_scope_close(depth);
    must(t_live_count() == live && t_live_bytes() == bytes, "something leaked");
    return requests;
}

/* Without faults, and with one failing allocation, which one depends on the bytes. */
static void read_both_ways(const Parser *parser, const uint8_t *data, size_t size) {
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 1099511628211u;
    const int64_t requests = read_once(parser, data, size, 0);
    if (requests > 0) read_once(parser, data, size, 1 + (int64_t)(hash >> 33) % requests);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size) {
    int i = 0;
    while (i < PARSERS && strcmp(parsers[i].name, name) != 0) i++;
    setenv("TAPEGRAD_WARNINGS", "off", 1);
    uint8_t *copy = size ? malloc(size) : NULL; /* so that the sanitizer sees a read past its end */
    if (size) memcpy(copy, data, size);
    if (i < PARSERS)
        read_both_ways(&parsers[i], copy, size);
    else
        must(fuzz_text(name, copy, size), "there is no such parser");
    free(copy);
}

void fuzz_path(const char *path) {
    const int depth = t_scope_open();
    t_load(path);
    t_clear_error();
    safetensors_load_file(path, NULL);
    t_clear_error();
    np_load(path);
    t_clear_error();
    np_load_npz(path);
    t_clear_error();
    np_loadtxt(path, NULL);
    t_clear_error();
    np_genfromtxt(path, NULL);
    t_clear_error();
    pd_read_csv(path, NULL);
    t_clear_error();
    t_scope_close(depth);
}
