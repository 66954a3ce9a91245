/* tests/plot/test_plot_image.c: images in SVG files, decoded: base64, PNG with checksums, deflate with the fixed
 * Huffman code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "core/plot/svg/svg.h"
#include "tests/plot/plot_cases.h"

/* ---- a decoder ---- */

typedef struct Decoded {
    size_t columns, rows;
    uint8_t palette[256][4];
    uint8_t *pixels; /* malloced */
} Decoded;

static size_t read_base64(const char *text, uint8_t *to) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;
    for (; *text != '"'; text += 4) {
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++) {
            const char *digit = text[i] == '=' ? digits : strchr(digits, text[i]);
            if (!digit) ck_abort_msg("'%c' in base64", text[i]);
            bits = bits << 6 | (uint32_t)(digit - digits);
        }
        for (int i = 0; i < 3 && (i == 0 || text[i + 1] != '='); i++) to[count++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return count;
}

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t crc_of(const uint8_t *bytes, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

typedef struct Bits {
    const uint8_t *bytes;
    size_t at; /* the next bit */
} Bits;

static uint32_t take(Bits *b, int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; i++, b->at++) value |= (uint32_t)(b->bytes[b->at / 8] >> b->at % 8 & 1) << i;
    return value;
}

static int take_symbol(Bits *b) {
    int code = 0;
    for (int length = 1; length <= 9; length++) {
        code = code << 1 | (int)take(b, 1);
        if (length == 7 && code < 24) return code + 256;
        if (length == 8 && code >= 48 && code < 192) return code - 48;
        if (length == 8 && code >= 192 && code < 200) return code + 88;
        if (length == 9 && code >= 400) return code - 256;
    }
    ck_abort_msg("a code that is none");
    return 0;
}

/* One block in the fixed Huffman code; returns the number of bytes. */
static size_t inflate(const uint8_t *bytes, uint8_t *to, size_t capacity) {
    static const int bases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    Bits b = {bytes + 2, 0};
    size_t count = 0;
    uint32_t sum_a = 1, sum_b = 0;
    ck_assert_uint_eq(((unsigned)bytes[0] << 8 | bytes[1]) % 31, 0);
    ck_assert_uint_eq(take(&b, 3), 3);
    for (int symbol; (symbol = take_symbol(&b)) != 256;) {
        size_t length = 1;
        uint8_t byte = (uint8_t)symbol;
        if (symbol > 256) {
            length = (size_t)bases[symbol - 257] + take(&b, extras[symbol - 257]);
            if (take(&b, 5) != 0) ck_abort_msg("a distance other than 1");
            byte = to[count - 1];
        }
        if (count + length > capacity) ck_abort_msg("more data than pixels");
        for (; length > 0; length--) {
            to[count++] = byte;
            sum_a = (sum_a + byte) % 65521;
            sum_b = (sum_b + sum_a) % 65521;
        }
    }
    ck_assert_uint_eq(read32(b.bytes + (b.at + 7) / 8), sum_b << 16 | sum_a);
    return count;
}

static void unfilter(const uint8_t *data, Decoded *d) {
    for (size_t y = 0; y < d->rows; y++) {
        const uint8_t *row = data + y * (d->columns + 1);
        if (row[0] != 1 && (row[0] != 2 || y == 0)) ck_abort_msg("row %zu has filter %d", y, row[0]);
        for (size_t x = 0; x < d->columns; x++) {
            uint8_t before = row[0] == 2 ? d->pixels[(y - 1) * d->columns + x]
                             : x         ? d->pixels[y * d->columns + x - 1]
                                         : 0;
            d->pixels[y * d->columns + x] = (uint8_t)(row[x + 1] + before);
        }
    }
}

static void read_chunk(const uint8_t *name, size_t length, Decoded *d) {
    const uint8_t *data = name + 4;
    if (memcmp(name, "IHDR", 4) == 0) {
        d->columns = read32(data);
        d->rows = read32(data + 4);
        ck_assert(memcmp(data + 8, "\x08\x03\0\0\0", 5) == 0);
    } else if (memcmp(name, "PLTE", 4) == 0) {
        for (size_t i = 0; i < length; i++) d->palette[i / 3][i % 3] = data[i];
    } else if (memcmp(name, "tRNS", 4) == 0) {
        for (size_t i = 0; i < length; i++) d->palette[i][3] = data[i];
    } else if (memcmp(name, "IDAT", 4) == 0) {
        size_t size = d->rows * (d->columns + 1);
        uint8_t *filtered = malloc(size);
        d->pixels = malloc(d->rows * d->columns);
        ck_assert_uint_eq(inflate(data, filtered, size), size);
        unfilter(filtered, d);
        free(filtered);
    }
}

static Decoded decode_png(const uint8_t *png, size_t bytes) {
    size_t at = 8;
    Decoded d = {0, 0, {{0}}, NULL};
    ck_assert(memcmp(png, "\x89PNG\r\n\x1a\n", 8) == 0);
    while (at < bytes) {
        size_t length = read32(png + at);
        const uint8_t *name = png + at + 4;
        if (crc_of(name, length + 4) != read32(name + 4 + length)) ck_abort_msg("a wrong checksum");
        read_chunk(name, length, &d);
        at += length + 12;
    }
    ck_assert_uint_eq(at, bytes);
    ck_assert(memcmp(png + bytes - 8, "IEND", 4) == 0);
    return d;
}

/* The nth image of an SVG. */
static Decoded decode(const char *svg, int nth) {
    const char *start = svg;
    for (int i = 0; i <= nth; i++) {
        start = strstr(start, "base64,");
        ck_assert_ptr_nonnull(start);
        start += strlen("base64,");
    }
    uint8_t *png = malloc(strlen(start));
    Decoded d = decode_png(png, read_base64(start, png));
    free(png);
    return d;
}

/* ---- images ---- */

static const char path[] = "build/test_plot_image.svg";

static void tidy(void) {
    plt_close("all");
    remove(path);
    support_teardown();
}

static char *saved(void) {
    ck_assert_msg(plt_savefig(path), "%s", t_error());
    return read_text(path);
}

/* Every pixel of the image is the colour of its element; a missing one is transparent. */
static void compare_pixels(const Decoded *d, Tensor *x, const char *cmap, double low, double high, bool with_missing,
                           bool upside_down) {
    size_t rows = (size_t)t_size(x, 0), columns = (size_t)t_size(x, 1), tall = d->rows / rows,
           wide = d->columns / columns;
    double *values = values_of(x);
    const Colormap *map = tg_colormap(cmap);
    ck_assert(d->rows % rows == 0 && d->columns % columns == 0 && tall > 0 && wide > 0);
    for (size_t y = 0; y < d->rows; y++)
        for (size_t c = 0; c < d->columns; c++) {
            size_t row = upside_down ? rows - 1 - y / tall : y / tall;
            double value = values[row * columns + c / wide], t = fmax(0, fmin(1, (value - low) / (high - low)));
            const uint8_t *got = d->palette[d->pixels[y * d->columns + c]];
            uint8_t want[4] = {0, 0, 0, 255};
            if (!isfinite(value)) want[3] = 0;
            else tg_colormap_at(map, with_missing && t < 1.0 / 256 ? 1.5 / 256 : t, want);
            if (memcmp(got, want, want[3] ? 4 : 0) != 0 || got[3] != want[3]) {
                ck_abort_msg("pixel %zu, %zu is %d %d %d %d, not %d %d %d %d", y, c, got[0], got[1], got[2], got[3],
                             want[0], want[1], want[2], want[3]);
            }
        }
    free(values);
}

START_TEST(an_image) {
    Tensor *x = grid_of(50, 128);
    plt_imshow(x, .cmap = "RdBu", .aspect = "auto", .vmin = 0.1, .vmax = 0.9);
    plt_colorbar();
    char *svg = saved();
    Decoded image = decode(svg, 0), bar = decode(svg, 1);
    ck_assert_int_eq(count_of(svg, "<image"), 2);
    ck_assert_uint_ge(image.columns, 2 * 396); /* at least two pixels for each of the screen's */
    compare_pixels(&image, x, "RdBu", 0.1, 0.9, false, false);
    compare_pixels(&bar, t_view(t_div(t_arange(255.5, -0.5, -1), 256), 256, 1), "RdBu", 0, 1, false, false);
    free(image.pixels);
    free(bar.pixels);
    free(svg);
}
END_TEST

START_TEST(an_image_with_missing_values) {
    Tensor *x = grid_of(40, 40);
    t_set(x, "3, 4", NAN);
    t_set(x, "39, 0", INFINITY);
    plt_imshow(x, .origin = "lower");
    char *svg = saved();
    Decoded image = decode(svg, 0);
    compare_pixels(&image, x, "viridis", 0, 96.0 / 97, true, true);
    free(image.pixels);
    free(svg);
}
END_TEST

START_TEST(a_large_image) {
    Tensor *x = t_mul(t_cos(t_view(t_arange(0, 700 * 900, 1), 700, 900)), 0.5);
    plt_imshow(x);
    char *svg = saved();
    Decoded image = decode(svg, 0);
    compare_pixels(&image, x, "viridis", t_item(t_min(x)), t_item(t_max(x)), false, false);
    free(image.pixels);
    free(svg);
}
END_TEST

START_TEST(runs_of_every_length) {
    enum { LONGEST = 600 };
    PaletteImage picture = {.columns = LONGEST + 2, .rows = 1, .block_width = 1, .block_height = 1};
    picture.pixels = malloc(LONGEST + 2);
    for (int length = 1; length <= LONGEST; length++) {
        size_t bytes, capacity;
        memset(picture.pixels, 7, LONGEST + 2);
        picture.pixels[length] = 9; /* in differences, runs of zeros before and after it */
        uint8_t *png = tg_png_encode(&picture, &bytes, &capacity);
        ck_assert_ptr_nonnull(png);
        Decoded image = decode_png(png, bytes);
        ck_assert_int_eq(memcmp(image.pixels, picture.pixels, LONGEST + 2), 0);
        free(image.pixels);
        tg_free(png, capacity);
    }
    free(picture.pixels);
}
END_TEST

Suite *plot_image_suite(void);
Suite *plot_image_suite(void) {
    Suite *suite = suite_create("plot_image");
    TCase *tests = tcase_create("plot_image");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, an_image);
    tcase_add_test(tests, an_image_with_missing_values);
    tcase_add_test(tests, a_large_image);
    tcase_add_test(tests, runs_of_every_length);
    suite_add_tcase(suite, tests);
    return suite;
}
