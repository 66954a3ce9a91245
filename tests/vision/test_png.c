/* tests/vision/test_png.c: PNG files by a rule (golden/png_rule.py) in each mode against torchvision's pixels; broken
 * files; what is written is read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/zlib/zlib.h"
#include "core/vision/vision.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

/* ---- recorded images ---- */

typedef struct Sample {
    char name[64], results[400];
    uint8_t *bytes; /* of the exact size */
    size_t size;
} Sample;

/* The n-th line of tests/golden/png_images.txt, false after the last. */
static bool read_sample(FILE *file, Sample *sample) {
    static char line[30000];
    int hex = 0, end = 0;
    if (!fgets(line, sizeof line, file)) return false;
    ck_assert_int_eq(sscanf(line, "%63s %n%*s%n %399[^\n]", sample->name, &hex, &end, sample->results), 2);
    sample->size = (size_t)(end - hex) / 2;
    sample->bytes = malloc(sample->size);
    for (size_t i = 0; i < sample->size; i++) {
        unsigned byte;
        sscanf(line + hex + 2 * i, "%2x", &byte);
        sample->bytes[i] = (uint8_t)byte;
    }
    return true;
}

static Tensor *bytes_tensor(const uint8_t *bytes, size_t size) {
    Tensor *x = t_empty((int64_t)size, .dtype = t_uint8);
    if (size) memcpy(t_data_ptr_mut(x), bytes, size);
    return x;
}

/* "3x11x19:1234abcd": shape and CRC-32 of the values, of two bytes for 16 bits. */
static void describe(Tensor *image, char *to, size_t size) {
    static uint8_t values[100000];
    Tensor *x = t_contiguous(image);
    const int64_t count = t_numel(x);
    size_t bytes = 0;
    if (t_dtype(x) == t_uint8) {
        memcpy(values, t_data_ptr(x), (size_t)count);
        bytes = (size_t)count;
    } else {
        const int32_t *from = t_data_ptr(x);
        for (int64_t i = 0; i < count; i++) {
            values[bytes++] = (uint8_t)from[i];
            values[bytes++] = (uint8_t)(from[i] >> 8);
        }
    }
    snprintf(to, size, "%dx%dx%d:%08x", (int)t_size(x, 0), (int)t_size(x, 1), (int)t_size(x, 2),
             (unsigned)tg_crc32(0, values, bytes));
}

START_TEST(every_kind_of_file_in_every_mode) {
    FILE *file = fopen("tests/golden/png_images.txt", "r");
    ck_assert_ptr_nonnull(file);
    Sample sample;
    int count = 0;
    for (; read_sample(file, &sample); count++) {
        with_scope () {
            Tensor *bytes = bytes_tensor(sample.bytes, sample.size);
            const char *at = sample.results;
            char expected[64], got[64];
            for (int mode = 0, used; sscanf(at, "%63s%n", expected, &used) == 1; mode++, at += used) {
                Tensor *image = mode < 5 ? io_decode_image(bytes, (ImageReadMode)mode)
                                         : io_decode_png(bytes, .apply_exif_orientation = true);
                if (image) describe(image, got, sizeof got);
                ck_assert_msg(image && strcmp(got, expected) == 0, "%s, mode %d: %s instead of %s", sample.name, mode,
                              image ? got : t_error(), expected);
                ck_assert(mode == 5 || (t_stride(image, 0) == 1 && t_stride(image, 2) == t_size(image, 0)));
            }
        }
        free(sample.bytes);
    }
    fclose(file);
    ck_assert_int_gt(count, 100);
}
END_TEST

/* ---- a file to be broken ---- */

static void put32(uint8_t *at, uint32_t x) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void add_chunk(tg_Bytes *to, const char *name, const void *data, size_t size) {
    ck_assert(tg_bytes_reserve(to, to->count + size + 12));
    uint8_t *at = to->at + to->count;
    put32(at, (uint32_t)size);
    memcpy(at + 4, name, 4);
    if (size) memcpy(at + 8, data, size);
    put32(at + 8 + size, tg_crc32(0, at + 4, size + 4));
    to->count += size + 12;
}

static void begin_png(tg_Bytes *to, uint32_t width, uint32_t height, int depth, int type) {
    uint8_t header[13] = {[8] = (uint8_t)depth, [9] = (uint8_t)type};
    put32(header, width);
    put32(header + 4, height);
    ck_assert(tg_bytes_reserve(to, 100));
    memcpy(to->at, "\x89PNG\r\n\x1a\n", 8);
    to->count = 8;
    add_chunk(to, "IHDR", header, sizeof header);
}

static void add_data(tg_Bytes *to, const void *rows, size_t size) {
    tg_Bytes packed = {0};
    ck_assert(tg_zlib_pack(rows, size, 6, &packed));
    add_chunk(to, "IDAT", packed.at, packed.count);
    tg_bytes_free(&packed);
}

#define NAME "the image in memory"

static void refuse(tg_Bytes *png, const char *message) {
    uint8_t *exact = malloc(png->count);
    memcpy(exact, png->at, png->count);
    Tensor *bytes = bytes_tensor(exact, png->count);
    free(exact);
    Tensor *image = io_decode_png(bytes);
    const char *got = t_error_message();
    ck_assert_msg(!image && strncmp(got, message, strlen(message)) == 0, "%s instead of %s", image ? "an image" : got,
                  message);
    t_clear_error();
    tg_bytes_free(png);
}

START_TEST(broken_headers_are_refused) {
    static const struct {
        uint32_t width, height;
        int depth, type, at, value;
        const char *message;
    } bad[] = {
        {0, 2, 8, 0, 0, 0, NAME ", byte 16: the image has no size: 0 x 2 pixels"},
        {2, 0x80000000, 8, 0, 0, 0, NAME ", byte 16: the image has no size: 2 x 2147483648 pixels"},
        {2, 2, 3, 0, 0, 0, NAME ", byte 24: there is no colour type 0 with 3 bits"},
        {2, 2, 0, 0, 0, 0, NAME ", byte 24: there is no colour type 0 with 0 bits"},
        {2, 2, 4, 2, 0, 0, NAME ", byte 24: there is no colour type 2 with 4 bits"},
        {2, 2, 16, 3, 0, 0, NAME ", byte 24: there is no colour type 3 with 16 bits"},
        {2, 2, 8, 1, 0, 0, NAME ", byte 24: there is no colour type 1 with 8 bits"},
        {2, 2, 8, 7, 0, 0, NAME ", byte 24: there is no colour type 7 with 8 bits"},
        {2, 2, 8, 0, 26, 1, NAME ", byte 26: unknown compression method"},
        {2, 2, 8, 0, 27, 1, NAME ", byte 27: unknown filter method"},
        {2, 2, 8, 0, 28, 2, NAME ", byte 28: unknown interlace method"},
        {100000, 100000, 8, 6, 0, 0, NAME ", byte 41: 14 bytes of image data cannot be 100000 x 100000 pixels"},
        {0x7fffffff, 0x7fffffff, 16, 6, 0, 0, NAME ", byte 41: 14 bytes of image data cannot be"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tg_Bytes png = {0};
        begin_png(&png, bad[i].width, bad[i].height, bad[i].depth, bad[i].type);
        if (bad[i].at) {
            png.at[bad[i].at] = (uint8_t)bad[i].value;
            put32(png.at + 29, tg_crc32(0, png.at + 12, 17));
        }
        add_data(&png, "\0ab\0cd", 6);
        refuse(&png, bad[i].message);
    }
}
END_TEST

START_TEST(broken_chunks_are_refused) {
    static const uint8_t colors[3 * 257];
    for (int i = 0;; i++) {
        tg_Bytes png = {0};
        const char *message = NULL;
        begin_png(&png, 2, 2, 8, i >= 10 && i < 14 ? 3 : 0);
        switch (i) {
        case 0: png.at[1] = 'p', message = ", byte 0: it does not begin like a PNG file"; break;
        case 1: png.at[12] = 'i', message = ", byte 12: the first chunk must be IHDR, of 13 bytes"; break;
        case 2: png.at[30] ^= 1, message = ", byte 29: the CRC-32 of the IHDR chunk is wrong"; break;
        case 3: message = ", byte 33: the file is truncated: a chunk should begin here"; break;
        case 4: add_chunk(&png, "IEND", "", 0), message = ", byte 37: there is no IDAT chunk"; break;
        case 5:
            add_chunk(&png, "ABCD", "", 0);
            message = ", byte 37: a second, or an unknown, critical chunk: ABCD";
            break;
        case 6:
            add_chunk(&png, "IHDR", "", 0);
            message = ", byte 37: a second, or an unknown, critical chunk: IHDR";
            break;
        case 7: add_chunk(&png, "te%t", "", 0), message = ", byte 37: the name of a chunk must be four letters"; break;
        case 8:
            add_chunk(&png, "tEXt", "", 0), png.at[36] = 1;
            message =
                ", byte 33: the file is truncated, or the length of the tEXt chunk is wrong: 1 bytes, with 4 left";
            break;
        case 9:
            add_data(&png, "\0ab\0cd", 6), png.at[44] ^= 1;
            message = ", byte 55: the CRC-32 of the IDAT chunk is wrong";
            break;
        case 10: add_data(&png, "\0ab\0cd", 6), message = ", byte 37: there is no PLTE chunk before this"; break;
        case 11:
            add_chunk(&png, "PLTE", colors, 4);
            message = ", byte 33: the length of the PLTE chunk must be 3 bytes for each of 1 to 256 colours";
            break;
        case 12:
            add_chunk(&png, "PLTE", colors, 3 * 257);
            message = ", byte 33: the length of the PLTE chunk must be 3 bytes for each of 1 to 256 colours";
            break;
        case 13:
            add_chunk(&png, "PLTE", colors, 3), add_chunk(&png, "PLTE", colors, 3);
            message = ", byte 52: a second PLTE chunk";
            break;
        case 14:
            add_data(&png, "\0ab\5cd", 6), message = ": row 1 of the image has filter 5, but there are only 0 to 4";
            break;
        case 15: add_data(&png, "\0ab\0c", 5), message = ", byte 41: the image data end after 5 of 6 bytes"; break;
        case 16: add_chunk(&png, "IDAT", "\x78\x9c\x07", 3), message = ", byte 44: invalid block type"; break;
        case 17:
            add_chunk(&png, "IDAT", "\x78", 1), add_chunk(&png, "IDAT", "\x9c\x07", 2);
            tg_bytes_free(&png);
            begin_png(&png, 2, 2, 8, 0);
            add_chunk(&png, "IDAT", "\x78", 1), add_chunk(&png, "IDAT", "\x9c\x07", 2), add_chunk(&png, "IEND", "", 0);
            refuse(&png, "the joined IDAT chunks of " NAME ", byte 3: invalid block type");
            continue;
        default: tg_bytes_free(&png); return;
        }
        char text[200];
        snprintf(text, sizeof text, NAME "%s", message);
        refuse(&png, text);
    }
}
END_TEST

/* As torchvision: the pixels are complete. */
START_TEST(what_follows_the_pixels_does_not_matter) {
    static const struct {
        const char *rows;
        size_t size;
        bool ends;
    } files[] = {{"\0ab\0cd", 6, true}, {"\0ab\0cd", 6, false}, {"\0ab\0cdtoo much", 14, true}};
    for (int i = 0; i < 3; i++) {
        tg_Bytes png = {0};
        begin_png(&png, 2, 2, 8, 0);
        add_data(&png, files[i].rows, files[i].size);
        if (files[i].ends) add_chunk(&png, "IEND", "", 0);
        Tensor *image = io_decode_png(bytes_tensor(png.at, png.count));
        ck_assert_msg(image && t_equal(image, t_tensor("[[[97, 98], [99, 100]]]", .dtype = t_uint8)), "%s", t_error());
        tg_bytes_free(&png);
    }
}
END_TEST

/* Each byte in turn is changed, and each beginning read: an image or an error, and nothing is read beyond the end. */
START_TEST(damaged_files_do_no_harm) {
    FILE *file = fopen("tests/golden/png_images.txt", "r");
    Sample sample;
    for (int n = 0; read_sample(file, &sample); n++) {
        for (size_t i = 0; n % 7 == 3 && i < sample.size; i++) {
            uint8_t *copy = malloc(sample.size);
            memcpy(copy, sample.bytes, sample.size);
            copy[i] ^= (uint8_t)(1 << i % 8);
            with_scope () {
                io_decode_image(bytes_tensor(copy, sample.size), ImageReadMode_RGB);
                t_clear_error();
                io_decode_image(bytes_tensor(copy, i), ImageReadMode_GRAY);
                t_clear_error();
            }
            free(copy);
        }
        free(sample.bytes);
    }
    fclose(file);
}
END_TEST

/* ---- writing ---- */

static Tensor *picture(int64_t channels, int64_t height, int64_t width) {
    Tensor *x = t_empty(channels, height, width, .dtype = t_uint8);
    uint8_t *at = t_data_ptr_mut(x);
    for (int64_t i = 0; i < channels * height * width; i++)
        at[i] = (uint8_t)((i % width) * 3 + (i / width % height) * 2 + i / (width * height) * 40 + i * i % 5);
    return x;
}

START_TEST(what_is_written_is_read_again) {
    static const int64_t sizes[][2] = {{1, 1}, {1, 70}, {33, 1}, {64, 48}, {7, 300}};
    char path[200];
    in_folder(path, "x.png");
    for (int i = 0; i < 5; i++)
        for (int channels = 1; channels <= 3; channels += 2)
            for (int level = 0; level <= 9; level += 3) {
                Tensor *x = picture(channels, sizes[i][0], sizes[i][1]);
                Tensor *file = io_encode_png(x, .compression_level = level);
                ck_assert(t_equal(io_decode_image(file), x));
                ck_assert(io_write_png(x, path, level));
                ck_assert(t_equal(io_read_image(path), x) && t_equal(io_read_file(path), file));
                ck_assert(io_write_png(t_transpose(x, 1, 2), path));
                ck_assert(t_equal(io_read_image(path), t_transpose(x, 1, 2)));
            }
    Tensor *x = picture(3, 100, 100);
    ck_assert_int_lt(t_numel(io_encode_png(x, 9)), t_numel(x) / 2);
    ck_assert_int_gt(t_numel(io_encode_png(x, 0)), t_numel(x));
}
END_TEST

START_TEST(arguments_are_checked) {
    char path[200], text[300];
    in_folder(path, "x.png");
    Tensor *x = picture(3, 2, 2);
    expect_refusal(io_encode_png(t_zeros(3, 2, 2)) == NULL, "Input tensor dtype should be uint8");
    expect_refusal(io_encode_png(picture(2, 2, 2)) == NULL, "The number of channels should be 1 or 3, got: 2");
    expect_refusal(io_encode_png(t_at(x, "0")) == NULL, "Input data should be a 3-dimensional tensor");
    expect_refusal(io_encode_png(x, 10) == NULL, "Compression level should be between 0 and 9");
    expect_refusal(io_encode_png(x, -1) == NULL, "Compression level should be between 0 and 9");
    expect_refusal(io_encode_png(t_zeros(3, 0, 2, .dtype = t_uint8)) == NULL,
                   "an image of 2 x 0 pixels cannot be written as PNG");
    expect_refusal(!io_write_png(x, "no such folder/x.png"),
                   "cannot write no such folder/x.png: No such file or directory");
    expect_refusal(io_decode_image(t_zeros(3)) == NULL, "Expected a torch.uint8 tensor");
    expect_refusal(io_decode_image(x) == NULL, "Expected a non empty 1-dimensional tensor");
    expect_refusal(io_decode_image(t_zeros(0, .dtype = t_uint8)) == NULL, "Expected a non empty 1-dimensional tensor");
    ck_assert(io_decode_image(t_zeros(20, .dtype = t_uint8)) == NULL &&
              strstr(t_error_message(), NAME ": Unsupported image file. Only JPEG") == t_error_message());
    t_clear_error();
    expect_refusal(io_decode_image(x, (ImageReadMode)9) == NULL, "9 is no ImageReadMode");
    put_file(path, "nothing");
    ck_assert(io_read_image(path) == NULL && strstr(t_error_message(), path) == t_error_message());
    t_clear_error();
    ck_assert(io_write_file(path, t_tensor("[1, 2, 3]", .dtype = t_uint8)));
    ck_assert(t_equal(io_read_file(path), t_tensor("[1, 2, 3]", .dtype = t_uint8)));
    expect_refusal(!io_write_file(path, t_zeros(3)), "Input tensor dtype should be uint8");
    expect_refusal(!io_write_file(path, x), "Input data should be a 1-dimensional tensor");
    in_folder(path, "none.png");
    snprintf(text, sizeof text, "cannot open %s: No such file or directory", path);
    expect_refusal(io_read_image(path) == NULL, text);
    expect_refusal(io_read_file(path) == NULL, text);
}
END_TEST

/* ---- without memory ---- */

static bool write_and_read(void *path) {
    const int depth = (t_scope_open)();
    const t_TensorOptions of_bytes = {sizeof of_bytes, t_uint8, false, NULL};
    Tensor *x = depth ? (t_zeros)((const int64_t[]){3, 5, 4}, 3, &of_bytes) : NULL;
    const io_ImageOptions options = {sizeof options, ImageReadMode_GRAY, true};
    const bool ok =
        x && (io_write_png)(x, path, NULL) && (io_read_image)(path, &options) && (io_encode_png)(x, NULL) != NULL;
    (t_scope_close)(depth);
    return ok;
}

START_TEST(without_memory_nothing_is_left) {
    char path[200];
    in_folder(path, "x.png");
    refuse_all("png", write_and_read, NULL, path);
    report_notes();
}
END_TEST

Suite *png_suite(void);
Suite *png_suite(void) {
    Suite *suite = suite_create("png");
    TCase *tests = tcase_create("png");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, every_kind_of_file_in_every_mode);
    tcase_add_test(tests, broken_headers_are_refused);
    tcase_add_test(tests, broken_chunks_are_refused);
    tcase_add_test(tests, what_follows_the_pixels_does_not_matter);
    tcase_add_test(tests, damaged_files_do_no_harm);
    tcase_add_test(tests, what_is_written_is_read_again);
    tcase_add_test(tests, arguments_are_checked);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
