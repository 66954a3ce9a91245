/* tests/fuzz/image_writers.c: the writers of PNG, GIF and Netpbm files: a picture that was written is the same picture
 * when it is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/tensor/context.h"
#include "core/vision/io/image_internal.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/writers.h"
#include "tests/support/files/gif_support.h"

/* n of the bytes that are left, then zeros; malloced. */
static uint8_t *bytes_of(const Choices *c, size_t n) {
    uint8_t *bytes = calloc(n + 1, 1);
    if (!bytes) abort();
    if (c->left) memcpy(bytes, c->at, c->left < n ? c->left : n);
    return bytes;
}

/* As many rows as the bytes are enough for, at least one. */
static int64_t rows_of(const Choices *c, int64_t row, int64_t most) {
    const int64_t rows = (int64_t)c->left / row;
    return rows < 1 ? 1 : rows > most ? most : rows;
}

/* ---- PNG ---- */

/* Of bytes in rows of pixels, with a stride, a palette, a resolution, at any level. */
static t_TensorDict *pack_png(const tg_Pixels *p, int level) {
    tg_Bytes file = {0};
    Tensor *image = NULL;
    if (tg_png_pack(p, level, &file)) {
        const io_ImageOptions options = {sizeof options, p->palette ? ImageReadMode_RGBA : ImageReadMode_UNCHANGED,
                                         false};
        image = tg_png_decode(&(tg_ImageFile){file.at, file.count, "memory"}, &options);
        demand(image, "the PNG that was written cannot be read");
    }
    const int channels = p->palette ? 4 : p->channels;
    if (image)
        demand(image->shape[0] == channels && image->shape[1] == p->height && image->shape[2] == p->width, "shape");
    for (int64_t y = 0; image && y < p->height; y++)
        for (int64_t x = 0; x < p->width; x++) {
            const uint8_t *want = p->at + y * p->row_stride + x * p->channels;
            const uint8_t *at =
                (const uint8_t *)image->storage->data + image->offset + y * image->strides[1] + x * image->strides[2];
            if (p->palette) want = p->palette[*want];
            for (int k = 0; k < channels; k++) demand(at[k * image->strides[0]] == want[k], "another pixel");
        }
    tg_bytes_free(&file);
    return dict_of(image);
}

/* Through files, as PNG and as Netpbm. */
static t_TensorDict *write_image(Tensor *x, const io_PngOptions *o) {
    fuzz_folder();
    const char *path = fuzz_path_of("a.png");
    Tensor *png = NULL, *ppm = NULL;
    if ((io_write_png)(x, path, o)) {
        png = (io_read_image)(path, NULL);
        demand(png, "the PNG file that was written cannot be read");
        demand(!png || t_equal(png, x), "the PNG file is another picture");
    }
    path = fuzz_path_of("a.ppm");
    if (png && !t_error() && (io_write_ppm)(x, path)) {
        ppm = (io_read_image)(path, NULL);
        demand(!ppm || t_equal(ppm, x), "the Netpbm file is another picture");
        demand(ppm, "the Netpbm file that was written cannot be read");
    }
    Tensor *bytes = ppm && !t_error() ? (io_read_file)(path) : NULL;
    if (bytes && (io_write_file)(fuzz_path_of("copy"), bytes)) {
        Tensor *again = (io_read_file)(fuzz_path_of("copy"));
        demand(again && t_equal(again, bytes), "other bytes in a file than were written");
    }
    fuzz_remove();
    return dict_of(ppm);
}

/* io_encode_png of a tensor that may be transposed. */
static t_TensorDict *encode_png(int64_t width, int64_t height, int channels, const uint8_t *bytes, int options) {
    const int64_t shape[] = {channels, height, width};
    const io_PngOptions o = {sizeof o, options % 10};
    Tensor *x = tg_empty(shape, 3, t_uint8);
    if (!x) return NULL;
    memcpy(tg_data(x), bytes, (size_t)(channels * height * width));
    if (options / 10 % 2) x = t_transpose(x, 1, 2);
    if (x && options / 20 == 3) return write_image(x, &o);
    Tensor *file = x ? (io_encode_png)(x, &o) : NULL, *image = file ? (io_decode_png)(file, NULL) : NULL;
    demand(!file || image, "the PNG that was encoded cannot be decoded");
    demand(!image || t_equal(image, x), "the PNG that was encoded is another picture");
    return dict_of(image);
}

t_TensorDict *fuzz_png_write(const uint8_t *data, size_t size) {
    static uint8_t palette[256][4];
    Choices c = {data, size};
    const int kind = choose(&c, 6), options = choose(&c, 256);
    const int64_t width = 1 + choose(&c, 100);
    const int channels = kind == 5 ? 1 : kind % 5 ? kind : 3;
    const int64_t height = rows_of(&c, width * channels, 200), row = width * channels + options / 20 % 4;
    uint8_t *bytes = bytes_of(&c, (size_t)(height * row));
    for (int i = 0; i < 256 && kind == 5; i++)
        for (int k = 0; k < 4; k++) palette[i][k] = (uint8_t)(i * (k + 3) + options);
    t_TensorDict *dict;
    if (kind == 0 || (kind == 1 && options / 80 == 1))
        dict = encode_png(width, height, channels, bytes, options);
    else
        dict = pack_png(&(tg_Pixels){bytes, width, height, row, channels, options / 80 * 100,
                                     kind == 5 ? (const uint8_t(*)[4])palette : NULL},
                        options % 10);
    free(bytes);
    return dict;
}

/* ---- GIF ---- */

/* At most 256 colours are exact; of more, each channel is within the frame's. */
static void check_frame(const uint8_t *pixels, int channels, int64_t count, const uint8_t *rgb) {
    bool is_exact = true;
    int least[3] = {255, 255, 255}, most[3] = {0}, colors = 0;
    static uint32_t seen[257];
    for (int64_t i = 0; i < count; i++) {
        uint32_t color = 0;
        for (int k = 0; k < 3; k++) {
            const int value = pixels[channels * i + (channels == 3 ? k : 0)];
            is_exact = is_exact && value == rgb[3 * i + k];
            least[k] = value < least[k] ? value : least[k];
            most[k] = value > most[k] ? value : most[k];
            color = color << 8 | (uint32_t)value;
        }
        int at = 0;
        while (at < colors && seen[at] != color) at++;
        if (at == colors && colors < 257) seen[colors++] = color;
    }
    demand(is_exact || colors > 256, "another colour of a frame that has at most 256");
    for (int64_t i = 0; i < 3 * count; i++)
        demand(rgb[i] >= least[i % 3] && rgb[i] <= most[i % 3], "a colour outside of the frame's");
}

t_TensorDict *fuzz_gif(const uint8_t *data, size_t size) {
    Choices c = {data, size};
    const int channels = 1 + 2 * choose(&c, 2), hundredths = 1 + choose(&c, 100);
    const int64_t width = 1 + choose(&c, 128), frames = 1 + choose(&c, 3);
    const int64_t height = rows_of(&c, width * channels * frames, 100), count = width * height;
    uint8_t *bytes = bytes_of(&c, (size_t)(count * channels * frames));
    const tg_GifFrames f = {bytes, frames, height, width, channels, 100.0 / hundredths};
    tg_Bytes file = {0};
    const bool ok = tg_gif_pack(&f, &file);
    const char *wrong = "nothing";
    uint8_t *rgb = ok ? gif_decode(&file, &f, hundredths, &wrong) : NULL;
    demand(!ok || rgb, wrong);
    for (int64_t i = 0; rgb && i < frames; i++)
        check_frame(bytes + i * count * channels, channels, count, rgb + 3 * i * count);
    Tensor *x = rgb ? tg_empty((const int64_t[]){frames, height, width, 3}, 4, t_uint8) : NULL;
    if (x) memcpy(tg_data(x), rgb, (size_t)(3 * count * frames));
    free(rgb);
    free(bytes);
    tg_bytes_free(&file);
    return dict_of(x);
}

/* ---- Netpbm ---- */

t_TensorDict *fuzz_pnm_write(const uint8_t *data, size_t size) {
    Choices c = {data, size};
    const int options = choose(&c, 8), channels = options & 1 ? 3 : 1;
    const bool is_wide = options & 2;
    const int64_t width = 1 + choose(&c, 50), item = is_wide ? 4 : 1;
    const int64_t height = rows_of(&c, width * channels * item, 100), shape[] = {channels, height, width};
    uint8_t *bytes = bytes_of(&c, (size_t)(channels * height * width * item)), *text = NULL;
    Tensor *x = tg_empty(shape, 3, is_wide ? t_int32 : t_uint8), *image = NULL;
    if (x) memcpy(tg_data(x), bytes, (size_t)(channels * height * width * item));
    if (x && options & 4) x = t_transpose(x, 1, 2);
    free(bytes);
    tg_Output out;
    size_t length;
    tg_output_memory(&out);
    if (x) text = tg_output_take(&out, tg_pnm_write(&out, x), &length);
    if (text) {
        const io_ImageOptions o = {.size = sizeof o};
        image = tg_pnm_decode(&(tg_ImageFile){text, length, "memory"}, &o);
        demand(image, "the file that was written cannot be read");
        Tensor *want = is_wide ? t_clamp(x, t_integer(0), t_integer(65535)) : x;
        demand(!image || !want || t_equal(image, want), "the file that was written is another picture");
    }
    free(text);
    return dict_of(image);
}
