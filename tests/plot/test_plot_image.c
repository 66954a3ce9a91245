/* tests/plot/test_plot_image.c: images in SVG files, decoded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/color/color.h"
#include "core/plot/plot.h"
#include "core/tensor/tensor.h"
#include "core/vision/vision.h"
#include "tests/plot/plot_cases.h"

/* ---- the PNG in an SVG ---- */

static size_t read_base64(const char *text, uint8_t *to) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;
    for (; *text != '"'; text += 4) {
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++) {
            const char *digit = text[i] == '=' ? digits : strchr(digits, text[i]);
            if (!digit) ck_abort_msg("'%c' in base64", text[i]);
            if (text[i] == '=') ck_assert_msg(i > 1 && text[3] == '=' && text[4] == '"', "= at %d of the digits", i);
            bits = bits << 6 | (uint32_t)(digit - digits);
        }
        for (int i = 0; i < 3 && (i == 0 || text[i + 1] != '='); i++) to[count++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return count;
}

/* The nth image of an SVG: (4, height, width). */
static Tensor *decode(const char *svg, int nth) {
    const char *start = svg;
    for (int i = 0; i <= nth; i++) {
        start = strstr(start, "base64,");
        ck_assert_ptr_nonnull(start);
        start += strlen("base64,");
    }
    uint8_t *png = malloc(strlen(start));
    const int64_t size = (int64_t)read_base64(start, png);
    ck_assert_msg(size > 12 && memcmp(png + size - 8, "IEND", 4) == 0, "the bytes do not end with the image");
    Tensor *image = io_decode_png(t_tensor(png, (size), .dtype = t_uint8), .mode = ImageReadMode_RGBA);
    free(png);
    return image;
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
static void compare_pixels(Tensor *image, Tensor *x, const char *cmap, double low, double high, bool with_missing,
                           bool upside_down) {
    size_t rows = (size_t)t_size(x, 0), columns = (size_t)t_size(x, 1), height = (size_t)t_size(image, 1),
           width = (size_t)t_size(image, 2), tall = height / rows, wide = width / columns;
    double *values = values_of(x);
    const Colormap *map = tg_colormap(cmap);
    const uint8_t *pixels = tg_data(t_contiguous(t_permute(image, 1, 2, 0)));
    ck_assert(height % rows == 0 && width % columns == 0 && tall > 0 && wide > 0);
    for (size_t y = 0; y < height; y++)
        for (size_t c = 0; c < width; c++) {
            size_t row = upside_down ? rows - 1 - y / tall : y / tall;
            double value = values[row * columns + c / wide], t = fmax(0, fmin(1, (value - low) / (high - low)));
            const uint8_t *got = pixels + 4 * (y * width + c);
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
    Tensor *image = decode(svg, 0), *bar = decode(svg, 1);
    ck_assert_int_eq(count_of(svg, "<image"), 2);
    ck_assert_int_ge(t_size(image, 2), 2 * 396); /* at least two pixels for each of the screen's */
    compare_pixels(image, x, "RdBu", 0.1, 0.9, false, false);
    compare_pixels(bar, t_view(t_div(t_arange(255.5, -0.5, -1), 256), 256, 1), "RdBu", 0, 1, false, false);
    free(svg);
}
END_TEST

START_TEST(an_image_with_missing_values) {
    Tensor *x = grid_of(40, 40);
    t_set(x, "3, 4", NAN);
    t_set(x, "39, 0", INFINITY);
    plt_imshow(x, .origin = "lower");
    char *svg = saved();
    Tensor *image = decode(svg, 0);
    compare_pixels(image, x, "viridis", 0, 96.0 / 97, true, true);
    free(svg);
}
END_TEST

START_TEST(a_large_image) {
    Tensor *x = t_mul(t_cos(t_view(t_arange(0, 700 * 900, 1), 700, 900)), 0.5);
    plt_imshow(x);
    char *svg = saved();
    Tensor *image = decode(svg, 0);
    compare_pixels(image, x, "viridis", t_item(t_min(x)), t_item(t_max(x)), false, false);
    free(svg);
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
    suite_add_tcase(suite, tests);
    return suite;
}
