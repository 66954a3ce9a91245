/* tests/vision/test_jpeg.c: JPEG files of each kind in each mode against torchvision's pixels
 * (tests/golden/record_jpeg.py); broken files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/zlib/zlib.h"
#include "core/tensor/tensor.h"
#include "core/vision/io/image_internal.h"
#include "core/vision/vision.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- recorded files ---- */

enum { LARGEST = 8000 };
typedef struct Sample {
    char name[64], results[200];
    uint8_t bytes[LARGEST];
    size_t size;
} Sample;

/* The next line of tests/golden/jpeg_images.txt, false after the last. */
static bool read_sample(FILE *file, Sample *sample) {
    static char line[2 * LARGEST + 400];
    int hex = 0, end = 0;
    if (!fgets(line, sizeof line, file)) return false;
    ck_assert_int_eq(sscanf(line, "%63s %n%*s%n %199[^\n]", sample->name, &hex, &end, sample->results), 2);
    sample->size = (size_t)(end - hex) / 2;
    ck_assert_uint_le(sample->size, LARGEST);
    for (size_t i = 0; i < sample->size; i++) {
        unsigned byte;
        sscanf(line + hex + 2 * i, "%2x", &byte);
        sample->bytes[i] = (uint8_t)byte;
    }
    return true;
}

static FILE *open_samples(void) {
    FILE *file = fopen("tests/golden/jpeg_images.txt", "r");
    ck_assert_ptr_nonnull(file);
    return file;
}

static void find_sample(const char *name, Sample *sample) {
    FILE *file = open_samples();
    while (read_sample(file, sample) && strcmp(sample->name, name) != 0) continue;
    fclose(file);
    ck_assert_str_eq(sample->name, name);
}

static Tensor *bytes_tensor(const uint8_t *bytes, size_t size) {
    Tensor *x = t_empty((int64_t)size, .dtype = t_uint8);
    memcpy(t_data_ptr_mut(x), bytes, size);
    return x;
}

static void describe(Tensor *image, char *to, size_t size) {
    Tensor *x = t_contiguous(image);
    snprintf(to, size, "%dx%dx%d:%08x", (int)t_size(x, 0), (int)t_size(x, 1), (int)t_size(x, 2),
             (unsigned)tg_crc32(0, t_data_ptr(x), (size_t)t_numel(x)));
}

START_TEST(every_kind_of_file_in_every_mode) {
    static const ImageReadMode modes[] = {ImageReadMode_UNCHANGED, ImageReadMode_GRAY, ImageReadMode_RGB};
    static Sample sample;
    FILE *file = open_samples();
    int count = 0;
    for (; read_sample(file, &sample); count++) {
        with_scope() {
            Tensor *bytes = bytes_tensor(sample.bytes, sample.size);
            const char *at = sample.results;
            char expected[64], got[64];
            for (int i = 0, used; sscanf(at, "%63s%n", expected, &used) == 1; i++, at += used) {
                Tensor *image = i < 3 ? io_decode_jpeg(bytes, modes[i])
                                      : io_decode_image(bytes, .apply_exif_orientation = true);
                if (image) describe(image, got, sizeof got);
                if (!image || strcmp(got, expected) != 0)
                    note("%s, mode %d: %s instead of %s", sample.name, i, image ? got : t_error(), expected);
            }
        }
    }
    fclose(file);
    ck_assert_int_eq(count, 32);
    report_notes();
}
END_TEST

/* ---- broken files ---- */

static void expect_broken(const uint8_t *bytes, size_t size, const char *message) {
    ck_assert_ptr_null((io_decode_jpeg)(bytes_tensor(bytes, size), NULL));
    expect_error(message);
}

/* The first segment of that marker: the position behind the marker. */
static size_t segment(const Sample *sample, uint8_t marker) {
    size_t at = 2;
    while (sample->bytes[at + 1] != marker) at += 2 + (size_t)(sample->bytes[at + 2] << 8 | sample->bytes[at + 3]);
    return at + 2;
}

START_TEST(broken_files) {
    static Sample sample;
    find_sample("420", &sample);
    uint8_t *b = sample.bytes;
    const size_t frame = segment(&sample, 0xc0), tables = segment(&sample, 0xc4), scan = segment(&sample, 0xda);
    char expected[200];
#define BROKEN(at, value, text)                                                                   \
    do {                                                                                          \
        const uint8_t before = b[at];                                                             \
        b[at] = value;                                                                            \
        snprintf(expected, sizeof expected, "the image in memory, byte %zu: %s", (size_t)(at), text); \
        expect_broken(b, sample.size, expected);                                                  \
        b[at] = before;                                                                           \
    } while (0)
    BROKEN(frame + 2, 12, "samples of 12 bits are not supported: of 8 bits are");
    BROKEN(scan + 3, 9, "Invalid component ID in the scan");
    BROKEN(segment(&sample, 0xdb) + 2, 0x20, "a quantization table that is not of 8 or 16 bits, or not 0 to 3");
    BROKEN(segment(&sample, 0xdb) + 2, 4, "a quantization table that is not of 8 or 16 bits, or not 0 to 3");
    b[frame + 9] = 0x32; /* 3 samples of the first component to 2 of the second */
    BROKEN(frame + 12, 0x21, "Fractional sampling not implemented yet");
    b[frame + 9] = 0x22;
    BROKEN(tables + 2, 7, "a Huffman table that is not DC or AC, or not 0 to 3");
    BROKEN(tables + 2, 0x22, "a Huffman table that is not DC or AC, or not 0 to 3");
#undef BROKEN
    b[frame + 7] = 2;
    snprintf(expected, sizeof expected,
             "the image in memory, byte %zu: Bogus marker length: the frame's header is longer, or cut off", frame + 2);
    expect_broken(b, sample.size, expected);
    b[frame + 1] -= 3;
    snprintf(expected, sizeof expected,
             "the image in memory, byte %zu: 2 components, where 1, 3 or 4 are supported", frame + 7);
    expect_broken(b, sample.size, expected);
    b[frame + 1] += 3;
    b[frame + 7] = 3;
    b[frame - 1] = 0x42;
    snprintf(expected, sizeof expected, "the image in memory, byte %zu: Unsupported marker type 0x42", frame - 1);
    expect_broken(b, sample.size, expected);
    b[frame - 1] = 0xd8;
    snprintf(expected, sizeof expected,
             "the image in memory, byte %zu: Invalid JPEG file structure: two SOI markers", frame - 2);
    expect_broken(b, sample.size, expected);
    b[frame - 1] = 0xc9;
    snprintf(expected, sizeof expected,
             "the image in memory, byte %zu: the coding process SOF9 is not supported: baseline, extended sequential "
             "and progressive Huffman coding are", frame + 2);
    expect_broken(b, sample.size, expected);
    b[frame - 1] = 0xc0;
    memset(b + frame + 3, 0xff, 4);
    snprintf(expected, sizeof expected,
             "the image in memory: the file has %zu bytes, too few for an image of 65535 x 65535 pixels: Image is "
             "incomplete or truncated", sample.size);
    expect_broken(b, sample.size, expected);
    memset(b + frame + 3, 0, 2);
    snprintf(expected, sizeof expected, "the image in memory, byte %zu: Empty JPEG image (DNL not supported)",
             frame + 3);
    expect_broken(b, sample.size, expected);
    find_sample("420", &sample);
    snprintf(expected, sizeof expected,
             "the image in memory, byte %zu: the image has no data: Image is incomplete or truncated", scan - 2);
    expect_broken(b, scan - 2, expected);
    snprintf(expected, sizeof expected,
             "the image in memory, byte %zu: the file ends within the image's data: Image is incomplete or truncated",
             scan + 40);
    expect_broken(b, scan + 40, expected);
    const io_ImageOptions rgba = {.size = sizeof rgba, .mode = ImageReadMode_RGBA};
    ck_assert_ptr_null((io_decode_image)(bytes_tensor(b, sample.size), &rgba));
    expect_error("the image in memory: The provided mode is not supported for JPEG files");
    /* the end of image's marker is not needed; one within the data leaves the rest gray */
    HOLDS(t_equal(io_decode_jpeg(bytes_tensor(b, sample.size - 2)), io_decode_jpeg(bytes_tensor(b, sample.size))));
    b[scan + 40] = 0xff, b[scan + 41] = 0xd9;
    Tensor *torn = io_decode_jpeg(bytes_tensor(b, sample.size));
    HOLDS(t_item(t_at(torn, "0, -1, -1")) == 128);
}
END_TEST

/* A length below 2 is taken for 2, where the contents do not matter. */
START_TEST(short_comments_are_skipped) {
    static Sample sample;
    static uint8_t bytes[LARGEST + 4];
    find_sample("420", &sample);
    Tensor *image = io_decode_jpeg(bytes_tensor(sample.bytes, sample.size));
    for (int length = 0; length < 3; length++) {
        const uint8_t comment[4] = {0xff, 0xfe, 0, (uint8_t)length};
        memcpy(bytes, sample.bytes, 2);
        memcpy(bytes + 2, comment, 4);
        memcpy(bytes + 6, sample.bytes + 2, sample.size - 2);
        HOLDS(t_equal(image, io_decode_jpeg(bytes_tensor(bytes, sample.size + 4))));
    }
}
END_TEST

/* TIFF's directory of one entry; another tag than that of the orientation leaves the picture as it is. */
START_TEST(orientations) {
    uint8_t tiff[] = "II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0";
    const size_t size = sizeof tiff - 1;
    ck_assert_int_eq(tg_exif_orientation(tiff, size), 6);
    tiff[18] = 9; /* no orientation */
    ck_assert_int_eq(tg_exif_orientation(tiff, size), 1);
    tiff[18] = 6;
    tiff[12] = 4; /* a long, not a short */
    ck_assert_int_eq(tg_exif_orientation(tiff, size), 1);
    tiff[12] = 3;
    ck_assert_int_eq(tg_exif_orientation(tiff, size - 1), 1); /* cut off */
    tiff[10] = 0x11;
    ck_assert_int_eq(tg_exif_orientation(tiff, size), 1);
    tiff[2] = 43;
    ck_assert_int_eq(tg_exif_orientation(tiff, size), 1);
}
END_TEST

/* The files of tests/golden/jpeg_broken.txt: torchvision's pixels, or refused as there. */
START_TEST(broken_files_have_the_pixels_of_libjpeg) {
    static Sample sample;
    char line[400], name[64], edits[200], expected[64], got[64];
    FILE *file = fopen("tests/golden/jpeg_broken.txt", "r");
    ck_assert_ptr_nonnull(file);
    int count = 0;
    for (; fgets(line, sizeof line, file); count++) {
        ck_assert_int_eq(sscanf(line, "%63s %199s %63s", name, edits, expected), 3);
        find_sample(name, &sample);
        for (const char *at = edits; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
            unsigned position, byte;
            ck_assert_int_eq(sscanf(at, "%u=%u", &position, &byte), 2);
            sample.bytes[position] = (uint8_t)byte;
        }
        const int depth = t_scope_open();
        Tensor *image = (io_decode_jpeg)(bytes_tensor(sample.bytes, sample.size), NULL);
        snprintf(got, sizeof got, "refused");
        if (image) describe(image, got, sizeof got);
        if (strcmp(got, expected) != 0)
            note("%s with %s: %s instead of %s", name, edits, image ? got : t_error_message(), expected);
        t_clear_error();
        t_scope_close(depth);
    }
    fclose(file);
    ck_assert_int_gt(count, 380);
    report_notes();
}
END_TEST

/* Every prefix of a file is an error, or an image; none is read past its end. */
START_TEST(prefixes) {
    static const char *const names[] = {"progressive_gray", "scans_restart", "exif"};
    static Sample sample;
    for (int i = 0; i < 3; i++) {
        find_sample(names[i], &sample);
        for (size_t cut = 1; cut < sample.size; cut += 1 + cut % 5) {
            const int depth = t_scope_open();
            uint8_t *exact = malloc(cut);
            memcpy(exact, sample.bytes, cut);
            Tensor *image = (io_decode_jpeg)(bytes_tensor(exact, cut), NULL);
            free(exact);
            ck_assert(image || strstr(t_error_message(), "the image in memory"));
            t_clear_error();
            t_scope_close(depth);
        }
    }
}
END_TEST

static bool decode_once(void *with) {
    const int depth = t_scope_open();
    const bool ok = depth && (io_decode_jpeg)(with, NULL);
    t_scope_close(depth);
    return ok;
}

START_TEST(each_allocation_may_fail) {
    static Sample sample;
    find_sample("progressive_420", &sample);
    refuse_all("decode_jpeg", decode_once, NULL, bytes_tensor(sample.bytes, sample.size));
    report_notes();
}
END_TEST

Suite *jpeg_suite(void) {
    Suite *suite = suite_create("jpeg");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, support_setup, support_teardown);
    tcase_add_test(files, every_kind_of_file_in_every_mode);
    tcase_add_test(files, broken_files);
    tcase_add_test(files, short_comments_are_skipped);
    tcase_add_test(files, orientations);
    tcase_add_test(files, broken_files_have_the_pixels_of_libjpeg);
    tcase_add_test(files, prefixes);
    tcase_add_test(files, each_allocation_may_fail);
    suite_add_tcase(suite, files);
    return suite;
}
