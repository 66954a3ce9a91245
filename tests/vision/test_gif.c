/* tests/vision/test_gif.c: animated GIF files, read back by the decoder of gif_support.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/tensor.h"
#include "tests/support/files/gif_support.h"
#include "tests/support/support.h"

/* The largest difference of a channel between what is written and what is read. */
static int largest_difference(const tg_GifFrames *f) {
    tg_Bytes file = {0};
    ck_assert_msg(tg_gif_pack(f, &file), "%s", t_error());
    const char *wrong;
    uint8_t *rgb = gif_decode(&file, f, 25, &wrong);
    ck_assert_msg(rgb != NULL, "%s", wrong);
    int most = 0;
    const int64_t pixels = f->count * f->height * f->width;
    for (int64_t i = 0; i < 3 * pixels; i++) {
        const int difference = abs(rgb[i] - f->pixels[f->channels == 3 ? i : i / 3]);
        if (difference > most) most = difference;
    }
    free(rgb);
    tg_bytes_free(&file);
    return most;
}

/* ---- tests ---- */

static uint32_t state;
static uint8_t draw(int values) {
    state = state * 1664525u + 1013904223u;
    return (uint8_t)((state >> 16) % (uint32_t)values);
}

/* Of up to 256 colours nothing is lost, wherever the codes become longer, and where the table is full. */
START_TEST(few_colors_are_exact) {
    static uint8_t pixels[120 * 120];
    const int colors[] = {1, 2, 5, 256};
    for (int c = 0; c < 4; c++) {
        state = 7;
        for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = draw(colors[c]);
        for (int64_t width = 1; width <= 700; width++)
            ck_assert_int_eq(largest_difference(&(tg_GifFrames){pixels, 1, 1, width, 1, 4}), 0);
        ck_assert_int_eq(largest_difference(&(tg_GifFrames){pixels, 1, 120, 120, 1, 4}), 0);
        if (c < 3) ck_assert_int_eq(largest_difference(&(tg_GifFrames){pixels, 3, 40, 40, 3, 4}), 0);
    }
}
END_TEST

START_TEST(many_colors_are_near) {
    enum { N = 64 };
    static uint8_t pixels[2][N][N][3];
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            memcpy(pixels[0][y][x], (uint8_t[]){(uint8_t)(4 * x), (uint8_t)(4 * y), 128}, 3);
            memcpy(pixels[1][y][x], (uint8_t[]){(uint8_t)(2 * x), 9, (uint8_t)(255 - 3 * y)}, 3);
        }
    ck_assert_int_le(largest_difference(&(tg_GifFrames){&pixels[0][0][0][0], 2, N, N, 3, 4}), 16);
}
END_TEST

START_TEST(refused) {
    static const uint8_t pixel[3] = {1, 2, 3};
    const struct {
        tg_GifFrames frames;
        const char *message;
    } of[] = {
        {{pixel, 0, 1, 1, 3, 4}, "a GIF of 0 frames of 1 x 1 pixels cannot be written"},
        {{pixel, 1, 1, 65536, 3, 4}, "a GIF of 1 frames of 1 x 65536 pixels cannot be written"},
        {{pixel, 1, 0, 1, 3, 4}, "a GIF of 1 frames of 0 x 1 pixels cannot be written"},
        {{pixel, 1, 1, 1, 3, 0}, "0 frames a second are too few for a GIF"},
        {{pixel, 1, 1, 1, 3, NAN}, "nan frames a second are too few for a GIF"},
        {{pixel, 1, 1, 1, 3, 0.001}, "0.001 frames a second are too few for a GIF"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        tg_Bytes file = {0};
        ck_assert(!tg_gif_pack(&of[i].frames, &file));
        ck_assert_str_eq(t_error_message(), of[i].message);
        t_clear_error();
        tg_bytes_free(&file);
    }
}
END_TEST

Suite *gif_suite(void);
Suite *gif_suite(void) {
    Suite *suite = suite_create("gif");
    TCase *tests = tcase_create("gif");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, few_colors_are_exact);
    tcase_add_test(tests, many_colors_are_near);
    tcase_add_test(tests, refused);
    suite_add_tcase(suite, tests);
    return suite;
}
