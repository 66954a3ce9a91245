/* core/tensorboard/embedding.c: add_embedding: the files of TensorBoard's projector page. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io/utf8.h"
#include "core/ops/tensor_info.h"
#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"

/* "%25" for "%", "%2f" for "/", "%5c" for "\": the tag as the name of a folder */
static const char *encode_tag(const char *tag) {
    tg_Output to;
    tg_output_memory(&to);
    for (const char *at = tag; *at; at++) tg_output_print(&to, strchr("%/\\", *at) ? "%%%02x" : "%c", *at);
    char *encoded = tg_output_take_text(&to, true);
    const char *text = encoded ? t_format("%s", encoded) : NULL;
    free(encoded);
    return text;
}

static int count_columns(const char *row) {
    int columns = 1;
    for (; *row; row++) columns += *row == '\t';
    return columns;
}

static bool write_metadata(const char *path, const char *const *rows, const char *header, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (!rows[i]) return tg_fail("row %" PRId64 " of the metadata is NULL", i);
        if (header && count_columns(rows[i]) != count_columns(header))
            return tg_fail("len of header must be equal to the number of columns in metadata, but row %" PRId64
                           " has %d columns and the header %d",
                           i, count_columns(rows[i]), count_columns(header));
        if (strchr(rows[i], '\n') || (!header && strchr(rows[i], '\t')))
            return tg_fail("row %" PRId64 " of the metadata contains a %s", i,
                           strchr(rows[i], '\n') ? "newline" : "tab");
    }
    tg_Output out;
    if (!tg_output_open(&out, path)) return false;
    if (header) tg_output_print(&out, "%s\n", header);
    for (int64_t i = 0; i < n; i++) tg_output_print(&out, "%s\n", rows[i]);
    return tg_output_commit(&out, true);
}

/* str(x.item()) of each element: "0.5", of integers "3", of bool "True" */
static bool write_matrix(const char *path, const Tensor *mat, t_DType dtype) {
    tg_Output out;
    if (!tg_output_open(&out, path)) return false;
    const double *x = tg_data(mat);
    for (int64_t i = 0; i < tg_numel(mat); i++) {
        if (tg_is_floating(dtype))
            tg_output_text(&out, tg_number_text(x[i]));
        else if (dtype == t_bool)
            tg_output_text(&out, x[i] != 0 ? "True" : "False");
        else
            tg_output_print(&out, "%.0f", x[i]);
        tg_output_text(&out, (i + 1) % mat->shape[1] ? "\t" : "\n");
    }
    return tg_output_commit(&out, true);
}

/* The images in a square grid, whose sides TensorBoard derives from the number of points. */
static bool write_sprite(const char *path, Tensor *images) {
    const int64_t n = images->shape[0], columns = (int64_t)ceil(sqrt((double)n));
    Tensor *grid = tg_image_grid(images, columns);
    if (!grid) return false;
    const int64_t height = grid->shape[1], width = grid->shape[2];
    /* As torch.utils.tensorboard, the picture is as high as wide. */
    const size_t bytes = (size_t)(3 * width * width);
    uint8_t *pixels = tg_alloc(bytes);
    if (!pixels) return false;
    const double *values = tg_data(grid);
    for (int64_t y = 0; y < height && y < width; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < 3; c++) {
                const double value = values[(c * height + y) * width + x] * 255;
                pixels[(y * width + x) * 3 + c] = (uint8_t)(value > 255 ? 255 : value > 0 ? value : 0);
            }
    tg_Bytes png = {0};
    tg_Output out;
    bool ok = tg_png_bytes(pixels, width, width, 3, &png);
    tg_free(pixels, bytes);
    if (ok && (ok = tg_output_open(&out, path))) {
        tg_output_write(&out, png.at, png.count);
        ok = tg_output_commit(&out, true);
    }
    tg_bytes_free(&png);
    return ok;
}

/* The text format of Protocol Buffers, as Python's writes it: quotes, backslashes and control characters are escaped,
 * and the bytes of what is no UTF-8. */
static void put_text_field(tg_Output *out, const char *indent, const char *name, const char *value) {
    static const char escaped[] = "\"\\'\n\r\t", letters[] = "\"\\'nrt";
    const bool is_utf8 = tg_utf8_valid(value, strlen(value)) == strlen(value);
    tg_output_print(out, "%s%s: \"", indent, name);
    for (const char *at = value; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        const char *found = strchr(escaped, c);
        if (found)
            tg_output_print(out, "\\%c", letters[found - escaped]);
        else if (c < 32 || c == 127 || (c > 127 && !is_utf8))
            tg_output_print(out, "\\%03o", c);
        else
            tg_output_write(out, at, 1);
    }
    tg_output_text(out, "\"\n");
}

/* Adds the embedding to projector_config.pbtxt, which is written anew with all of the writer's. */
static bool write_config(tensorboard_SummaryWriter *self, const char *folder, const tensorboard_EmbeddingOptions *o,
                         int64_t step, const Tensor *images) {
    tg_Output *config = &self->projector;
    const size_t before = config->used;
    const char *name = t_format("%s:%05" PRId64, o->tag, step), *metadata = t_format("%s/metadata.tsv", folder);
    const char *tensors = t_format("%s/tensors.tsv", folder), *sprite = t_format("%s/sprite.png", folder);
    const char *path = t_format("%s/projector_config.pbtxt", self->log_dir);
    if (!name || !metadata || !tensors || !sprite || !path) return false;
    tg_output_text(config, "embeddings {\n");
    put_text_field(config, "  ", "tensor_name", name);
    if (o->metadata) put_text_field(config, "  ", "metadata_path", metadata);
    if (images) {
        tg_output_text(config, "  sprite {\n");
        put_text_field(config, "    ", "image_path", sprite);
        tg_output_print(config, "    single_image_dim: %" PRId64 "\n    single_image_dim: %" PRId64 "\n  }\n",
                        images->shape[3], images->shape[2]);
    }
    put_text_field(config, "  ", "tensor_path", tensors);
    tg_output_text(config, "}\n");
    tg_Output out;
    bool ok = !config->failed && tg_output_open(&out, path);
    if (ok) {
        tg_output_write(&out, config->buffer, config->used);
        ok = tg_output_commit(&out, true);
    }
    if (!ok) {
        config->used = before;
        config->failed = false;
    }
    return ok;
}

static bool check_embedding(const Tensor *mat, const tensorboard_EmbeddingOptions *o) {
    if (mat->ndim != 2)
        return tg_fail("mat should be 2D, where mat.size(0) is the number of data points, but its shape is %s",
                       tg_shape_of(mat));
    if (!o->label_img) return true;
    if (o->label_img->ndim != 4 || (o->label_img->shape[1] != 1 && o->label_img->shape[1] != 3))
        return tg_fail("label_img should be (N, C, H, W) with 1 or 3 channels, but its shape is %s",
                       tg_shape_of(o->label_img));
    if (o->label_img->shape[0] != mat->shape[0])
        return tg_fail("#images should equal with #data points, but there are %" PRId64 " and %" PRId64,
                       o->label_img->shape[0], mat->shape[0]);
    return tg_numel(o->label_img) > 0 || tg_fail("label_img has no pixels");
}

bool tensorboard_add_embedding(tensorboard_SummaryWriter *self, Tensor *mat,
                               const tensorboard_EmbeddingOptions *options) {
    tensorboard_EmbeddingOptions o = {TENSORBOARD_EMBEDDING_DEFAULTS_};
    if (!tg_writer_file(self) || !tg_check_any(mat, 2) || !tg_take_options(&o, options, sizeof o) ||
        !tg_check_any_optional(o.label_img, 4) || !tg_check_given(o.tag != NULL, 6, "a text") ||
        !check_embedding(mat, &o))
        return false;
    const int depth = t_scope_open();
    if (!depth) return false;
    const int64_t step = o.global_step == T_NONE ? 0 : o.global_step;
    Tensor *x = tg_values_as(mat, t_float64), *images = o.label_img ? tg_values_as(o.label_img, t_float64) : NULL;
    const char *tag = encode_tag(o.tag), *sub = tag ? t_format("%05" PRId64 "/%s", step, tag) : NULL;
    const char *folder = sub ? t_format("%s/%s", self->log_dir, sub) : NULL;
    const char *tensors = folder ? t_format("%s/tensors.tsv", folder) : NULL;
    const char *metadata = folder ? t_format("%s/metadata.tsv", folder) : NULL;
    const char *sprite = folder ? t_format("%s/sprite.png", folder) : NULL;
    const bool ok = x && (images || !o.label_img) && tensors && metadata && sprite && tg_make_folders(folder) &&
                    (!o.metadata || write_metadata(metadata, o.metadata, o.metadata_header, mat->shape[0])) &&
                    (!images || write_sprite(sprite, images)) && write_matrix(tensors, x, mat->dtype) &&
                    write_config(self, sub, &o, step, images);
    t_scope_close(depth);
    return ok;
}
