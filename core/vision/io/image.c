/* core/vision/io/image.c: torchvision.io: chooses the decoder by a file's first bytes; bytes from and to files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/creation.h"
#include "core/vision/io/image_internal.h"

/* A new format is a row here. */
static const tg_ImageFormat formats[] = {
    {"JPEG", tg_jpeg_is, tg_jpeg_decode},
    {"PNG", tg_png_is, tg_png_decode},
    {"Netpbm (PPM, PGM, PBM)", tg_pnm_is, tg_pnm_decode},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- files as bytes ---- */

Tensor *io_read_file(const char *path) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return NULL;
    const int64_t size = (int64_t)in.size;
    Tensor *x = tg_empty(&size, 1, t_uint8);
    const bool ok = x && tg_input_read(&in, 0, tg_data(x), in.size);
    if (x && !ok) t_release(tg_take_from_scope(x));
    tg_input_close(&in);
    return ok ? x : NULL;
}

bool io_write_file(const char *filename, Tensor *data) {
    tg_Output out;
    if (!tg_check_any(data, 2)) return false;
    if (data->dtype != t_uint8) return tg_fail("Input tensor dtype should be uint8");
    if (data->ndim != 1) return tg_fail("Input data should be a 1-dimensional tensor");
    if (!tg_output_open(&out, filename)) return false;
    const uint8_t *from = (const uint8_t *)data->storage->data + data->offset;
    bool ok = true;
    for (int64_t i = 0; ok && i < data->shape[0]; i++) ok = tg_output_write(&out, from + i * data->strides[0], 1);
    return tg_output_commit(&out, ok);
}

/* ---- decoding ---- */

static bool take_options(io_ImageOptions *o, const io_ImageOptions *options) {
    *o = (io_ImageOptions){sizeof *o, ImageReadMode_UNCHANGED, false};
    if (!tg_take_options(o, options, sizeof *o)) return false;
    return o->mode <= ImageReadMode_RGBA || tg_fail("%d is no ImageReadMode", (int)o->mode);
}

static Tensor *decode(const tg_ImageFile *file, const io_ImageOptions *options) {
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < FORMATS; i++) {
        if (formats[i].is(file->bytes, file->size)) return formats[i].decode(file, options);
        const char *between = i == 0 ? "" : i < FORMATS - 1 ? ", " : " and ";
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", between, formats[i].name);
    }
    return tg_fail("%s: Unsupported image file. Only %s are currently supported.", file->name, names);
}

Tensor *io_read_image(const char *path, const io_ImageOptions *options) {
    io_ImageOptions o;
    tg_Input in;
    if (!take_options(&o, options) || !tg_input_open(&in, path)) return NULL;
    const size_t size = (size_t)in.size;
    uint8_t *bytes = tg_alloc_raw(size);
    const bool ok = bytes && tg_input_read(&in, 0, bytes, size);
    tg_input_close(&in);
    Tensor *image = ok ? decode(&(tg_ImageFile){bytes, size, path}, &o) : NULL;
    tg_free(bytes, size);
    return image;
}

/* The bytes of a 1-D uint8 tensor through one decoder, or the one that recognises them. */
static Tensor *decode_tensor(Tensor *x, const io_ImageOptions *options,
                             Tensor *(*with)(const tg_ImageFile *file, const io_ImageOptions *options)) {
    io_ImageOptions o;
    if (!tg_check_any(x, 1) || !take_options(&o, options)) return NULL;
    if (x->dtype != t_uint8) return tg_fail("Expected a torch.uint8 tensor");
    if (x->ndim != 1 || x->shape[0] == 0) return tg_fail("Expected a non empty 1-dimensional tensor");
    Tensor *bytes = (t_contiguous)(x);
    if (!bytes) return NULL;
    Tensor *image = with(&(tg_ImageFile){tg_data(bytes), (size_t)bytes->shape[0], "the image in memory"}, &o);
    if (bytes != x) t_release(tg_take_from_scope(bytes));
    return image;
}

Tensor *io_decode_image(Tensor *input, const io_ImageOptions *options) {
    return decode_tensor(input, options, decode);
}

Tensor *io_decode_png(Tensor *input, const io_ImageOptions *options) {
    return decode_tensor(input, options, tg_png_decode);
}

Tensor *io_decode_jpeg(Tensor *input, const io_ImageOptions *options) {
    return decode_tensor(input, options, tg_jpeg_decode);
}

/* ---- encoding ---- */

Tensor *tg_image_rows(Tensor *image) {
    if (image->ndim != 3) return tg_fail("Input data should be a 3-dimensional tensor");
    if (image->shape[0] != 1 && image->shape[0] != 3)
        return tg_fail("The number of channels should be 1 or 3, got: %" PRId64, image->shape[0]);
    const int64_t shape[3] = {image->shape[1], image->shape[2], image->shape[0]};
    const int64_t strides[3] = {image->strides[1], image->strides[2], image->strides[0]};
    Tensor *rows = tg_view(image, shape, strides, 3, image->offset), *copy = rows ? (t_contiguous)(rows) : NULL;
    if (rows && copy != rows) t_release(tg_take_from_scope(rows));
    return copy;
}

static bool encode(Tensor *input, const io_PngOptions *options, tg_Bytes *to) {
    io_PngOptions o = {sizeof o, TG_DEFLATE_DEFAULT};
    if (!tg_check_any(input, 1) || !tg_take_options(&o, options, sizeof o)) return false;
    if (o.compression_level < 0 || o.compression_level > 9)
        return tg_fail("Compression level should be between 0 and 9");
    if (input->dtype != t_uint8) return tg_fail("Input tensor dtype should be uint8");
    Tensor *rows = tg_image_rows(input);
    if (!rows) return false;
    const int64_t height = rows->shape[0], width = rows->shape[1], channels = rows->shape[2];
    const tg_Pixels pixels = {tg_data(rows), width, height, width * channels, (int)channels, 0, NULL};
    const bool ok = tg_png_pack(&pixels, o.compression_level, to);
    t_release(tg_take_from_scope(rows));
    return ok;
}

Tensor *io_encode_png(Tensor *input, const io_PngOptions *options) {
    tg_Bytes bytes = {0};
    const bool ok = encode(input, options, &bytes);
    const int64_t size = (int64_t)bytes.count;
    Tensor *file = ok ? tg_empty(&size, 1, t_uint8) : NULL;
    if (file) memcpy(tg_data(file), bytes.at, bytes.count);
    tg_bytes_free(&bytes);
    return file;
}

bool io_write_png(Tensor *input, const char *filename, const io_PngOptions *options) {
    tg_Output out;
    tg_Bytes bytes = {0};
    const bool ok = encode(input, options, &bytes) && tg_output_open(&out, filename) &&
                    tg_output_commit(&out, tg_output_write(&out, bytes.at, bytes.count));
    tg_bytes_free(&bytes);
    return ok;
}

bool io_write_ppm(Tensor *input, const char *filename) {
    tg_Output out;
    if (!tg_check_any(input, 1)) return false;
    if (input->dtype != t_uint8 && input->dtype != t_int32)
        return tg_fail("Input tensor dtype should be uint8, or int32 for 16 bits");
    if (input->ndim != 3) return tg_fail("Input data should be a 3-dimensional tensor");
    if (input->shape[0] != 1 && input->shape[0] != 3)
        return tg_fail("The number of channels should be 1 or 3, got: %" PRId64, input->shape[0]);
    if (input->shape[1] == 0 || input->shape[2] == 0) return tg_fail("an image without pixels cannot be written");
    return tg_output_open(&out, filename) && tg_output_commit(&out, tg_pnm_write(&out, input));
}
