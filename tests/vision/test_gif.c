/* tests/vision/test_gif.c: animated GIF files, read back by a decoder of this file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/tensor.h"
#include "core/vision/io/gif_encode.h"
#include "tests/support/support.h"

/* ---- a decoder ---- */

typedef struct Reader {
    const uint8_t *at, *end;
} Reader;

static int get(Reader *r) {
    if (r->at == r->end) ck_abort_msg("the file has ended");
    return *r->at++;
}
static int get16(Reader *r) {
    const int low = get(r);
    return low | get(r) << 8;
}

/* The bytes of sub-blocks, up to the empty one, to `to`. */
static size_t get_blocks(Reader *r, uint8_t *to) {
    size_t count = 0;
    for (int size; (size = get(r)) != 0;)
        while (size--) to[count++] = (uint8_t)get(r);
    return count;
}

/* GIF89a, appendix F: each code adds the code before it with the first index of this one to the table. */
static void get_indices(const uint8_t *codes, size_t bytes, int depth, uint8_t *to, size_t count) {
    enum { MOST = 4096 };
    static uint16_t before[MOST], length[MOST];
    static uint8_t last[MOST];
    const int clear = 1 << depth;
    int size = depth + 1, next = clear + 2, previous = -1;
    size_t done = 0, bit = 0;
    for (;;) {
        int code = 0;
        if (bit + (size_t)size > 8 * bytes) ck_abort_msg("the codes have ended");
        for (int i = 0; i < size; i++, bit++) code |= (codes[bit / 8] >> bit % 8 & 1) << i;
        if (code == clear + 1) break;
        if (code == clear) {
            size = depth + 1;
            next = clear + 2;
            previous = -1;
            continue;
        }
        for (int i = 0; i < clear && previous < 0; i++) length[i] = 1, last[i] = (uint8_t)i;
        if (code > next || (code == next && previous < 0)) ck_abort_msg("a code that is none: %d", code);
        int of = code == next ? previous : code;
        const size_t n = length[of] + (size_t)(code == next);
        if (done + n > count) ck_abort_msg("more pixels than the frame has");
        for (size_t k = length[of]; k-- > 0; of = before[of]) to[done + k] = last[of];
        if (code == next) to[done + n - 1] = to[done];
        if (previous >= 0 && next < MOST) {
            before[next] = (uint16_t)previous;
            length[next] = (uint16_t)(length[previous] + 1);
            last[next++] = to[done];
            if (next == 1 << size && size < 12) size++;
        }
        previous = code;
        done += n;
    }
    ck_assert_uint_eq(done, count);
    ck_assert_uint_lt(8 * bytes - bit, 8); /* no byte is left */
}

/* The frames as RGB, malloced; they have the file's size. */
static uint8_t *decode(const tg_Bytes *file, const tg_GifFrames *f, int hundredths) {
    const size_t count = (size_t)(f->width * f->height);
    uint8_t *rgb = malloc(3 * count * (size_t)f->count), *indices = malloc(count), *codes = malloc(file->count);
    Reader reader = {file->at, file->at + file->count}, *r = &reader;
    ck_assert_int_eq(memcmp(r->at, "GIF89a", 6), 0);
    r->at += 6;
    ck_assert(get16(r) == f->width && get16(r) == f->height);
    ck_assert_int_eq(get(r) & 0x80, 0); /* no table of all frames */
    r->at += 2;
    int64_t frame = 0;
    for (int kind; (kind = get(r)) != 0x3b;) {
        if (kind == 0x21) {
            if (get(r) == 0xf9) {
                ck_assert_int_eq(get(r), 4);
                get(r);
                ck_assert_int_eq(get16(r), hundredths);
                get(r);
            } else {
                ck_assert_int_eq(get(r), 11);
                ck_assert_int_eq(memcmp(r->at, "NETSCAPE2.0", 11), 0);
                r->at += 11;
            }
            get_blocks(r, codes);
            continue;
        }
        ck_assert_int_eq(kind, 0x2c);
        ck_assert(get16(r) == 0 && get16(r) == 0 && get16(r) == f->width && get16(r) == f->height);
        const int flags = get(r);
        const uint8_t *colors = r->at;
        ck_assert_int_eq(flags & 0xf8, 0x80);
        r->at += (size_t)3 << ((flags & 7) + 1);
        const int depth = get(r);
        get_indices(codes, get_blocks(r, codes), depth, indices, count);
        for (size_t i = 0; i < count; i++) memcpy(rgb + 3 * ((size_t)frame * count + i), colors + 3 * indices[i], 3);
        frame++;
    }
    ck_assert_int_eq(frame, f->count);
    ck_assert_ptr_eq(r->at, r->end);
    free(indices);
    free(codes);
    return rgb;
}

/* The largest difference of a channel between what is written and what is read. */
static int largest_difference(const tg_GifFrames *f) {
    tg_Bytes file = {0};
    ck_assert_msg(tg_gif_pack(f, &file), "%s", t_error());
    uint8_t *rgb = decode(&file, f, 25);
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
