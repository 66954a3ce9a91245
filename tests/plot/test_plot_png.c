/* tests/plot/test_plot_png.c: figures as pixels: areas of polygons and lines, the size and the darkness of figures;
 * plt_imread and plt_imsave. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "core/plot/raster/label.h"
#include "core/plot/raster/raster_canvas.h"
#include "core/vision/vision.h"
#include "tests/plot/plot_cases.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

static void tidy(void) {
    plt_close("all");
    plt_rcParams("axes.unicode_minus", "True"); /* some of the figures set these */
    plt_rcParams("font.size", "10");
    folder_teardown();
}

/* ---- shapes ---- */

static const Color black = {0, 0, 0, 1};

static Raster blank(void) {
    Raster r;
    ck_assert(tg_raster_canvas(&r, (Box){0, 0, 100, 80}, 100, 80));
    return r;
}

/* The black area in pixels. */
static double area_of(Raster *r) {
    double area = 0;
    for (int64_t i = 0; i < r->width * r->height; i++) area += 1 - r->pixels[4 * i] / 255.0;
    tg_raster_end(r);
    return area;
}

#define EXPECT_AREA(r, expected) ck_assert_double_eq_tol(area_of(&r), expected, 0.01 * (expected) + 0.3)

START_TEST(polygons_have_their_areas) {
    Raster r = blank();
    tg_raster_polygon(&r, (const Point[]){{10.3, 10.7}, {60.2, 20.1}, {33.3, 70.9}}, 3);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, fabs((60.2 - 10.3) * (70.9 - 10.7) - (33.3 - 10.3) * (20.1 - 10.7)) / 2);
    r = blank(); /* the other way round, twice, and beyond the edges */
    for (int i = 0; i < 2; i++) tg_raster_polygon(&r, (const Point[]){{-50, -50}, {-50, 40}, {20, 40}, {20, -50}}, 4);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 20 * 40);
    r = blank();
    tg_raster_ring(&r, (const Point[]){{10, 10}, {60, 10}, {60, 60}, {10, 60}}, 4, 1);
    tg_raster_ring(&r, (const Point[]){{20, 20}, {20, 50}, {50, 50}, {50, 20}}, 4, -1);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 50 * 50 - 30 * 30);
    r = blank();
    tg_raster_polygon(&r, (const Point[]){{NAN, 10}, {60, 10}, {60, 60}}, 3);
    tg_raster_polygon(&r, (const Point[]){{200, 10}, {260, 10}, {260, 60}}, 3);
    tg_raster_fill(&r, &black);
    ck_assert_double_eq(area_of(&r), 0);
}
END_TEST

START_TEST(lines_have_their_areas) {
    const Point bent[] = {{10, 10}, {60, 10}, {60, 60}}, slanted[] = {{10, 10}, {70, 55}};
    Raster r = blank();
    tg_raster_stroke(&r, slanted, 2, 3, CAP_BUTT);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 75 * 3.0);
    r = blank();
    tg_raster_stroke(&r, slanted, 2, 3, CAP_SQUARE);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 78 * 3.0);
    r = blank();
    tg_raster_stroke(&r, slanted, 2, 8, CAP_ROUND);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 75 * 8 + acos(-1) * 16);
    r = blank(); /* two pieces, less the square that they share, and the corner */
    tg_raster_stroke(&r, bent, 3, 8, CAP_BUTT);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 100 * 8 - 16 + acos(-1) * 4);
    r = blank();
    tg_raster_stroke(&r, bent, 3, 8, CAP_POINTED);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 100 * 8 - 16 + 16);
    r = blank();
    tg_raster_stroke_dashed(&r, bent, 3, 2, (const double[]){6, 4}, 2);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 60 * 2);
}
END_TEST

/* Long lines are drawn in pieces, dashes of more than 64 points too; the areas are those of the whole. */
START_TEST(long_lines_have_their_areas) {
    enum { MANY = 600 };
    static double x[MANY], y[MANY];
    static Point points[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = 10 + 80.0 * i / (MANY - 1);
        y[i] = 40;
        points[i] = (Point){x[i], y[i]};
    }
    Raster r = blank();
    const Pen pen = {.color = black, .width = 4, .linestyle = "-", .exact = true};
    r.canvas.polyline(&r.canvas, x, y, MANY, &pen);
    EXPECT_AREA(r, 80 * 4);
    r = blank(); /* a gap ends a piece */
    x[300] = NAN;
    r.canvas.polyline(&r.canvas, x, y, MANY, &pen);
    EXPECT_AREA(r, 80 * 4 * (MANY - 3.0) / (MANY - 1));
    r = blank();
    tg_raster_stroke_dashed(&r, points, MANY, 3, (const double[]){50, 10}, 2);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 70 * 3.0);
    r = blank(); /* dashes of no length: a solid line */
    tg_raster_stroke_dashed(&r, points, MANY, 3, (const double[]){4, 0}, 2);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, 80 * 3.0);
    r = blank(); /* one point: nothing, or a dot */
    tg_raster_stroke(&r, points, 1, 10, CAP_BUTT);
    tg_raster_fill(&r, &black);
    ck_assert_double_eq(area_of(&r), 0);
    r = blank();
    tg_raster_stroke(&r, points, 1, 6, CAP_ROUND);
    tg_raster_fill(&r, &black);
    EXPECT_AREA(r, acos(-1) * 9);
    r = blank(); /* a sharp corner is rounded, so that its point does not reach far */
    tg_raster_stroke(&r, (const Point[]){{10, 40}, {60, 40}, {10, 41}}, 3, 8, CAP_POINTED);
    tg_raster_fill(&r, &black);
    for (int64_t row = 0; row < r.height; row++)
        for (int64_t column = 65; column < r.width; column++)
            ck_assert_uint_eq(r.pixels[4 * (row * r.width + column)], 255);
    ck_assert_uint_eq(r.pixels[4 * (40 * r.width + 62)], 0);
    tg_raster_end(&r);
}
END_TEST

START_TEST(clips_and_opacity) {
    Raster r = blank();
    const Color half = {0, 0, 0, 0.5};
    r.canvas.clip(&r.canvas, (Box){10, 10, 30, 30});
    r.canvas.rectangle(&r.canvas, (Box){0, 0, 100, 80}, 0, NULL, &half);
    r.canvas.close(&r.canvas);
    EXPECT_AREA(r, 20 * 20 / 2.0);
}
END_TEST

/* ---- figures ---- */

/* Each figure of the other suites, in the size that its SVG states, opaque, and neither blank nor black. */
static double ink_of(const tg_Label *label) {
    double ink = 0;
    for (int64_t i = 0; i < label->width * label->height; i++) ink += label->ink[i];
    return ink;
}

static bool is_same_label(const tg_Label *a, const tg_Label *b) {
    return a->width == b->width && a->height == b->height &&
           memcmp(a->ink, b->ink, (size_t)(a->width * a->height)) == 0;
}

/* The letters of Latin-1 have shapes of their own: no two are the same, as the boxes of missing ones are. */
START_TEST(latin_letters_have_shapes) {
    enum { FIRST = 0xa1, LAST = 0xff, COUNT = LAST - FIRST + 1 };
    tg_Label labels[COUNT], box, plain;
    ck_assert(tg_label_begin(&box, "\xf0\x9f\x9c\x81", 40)); /* an alchemical symbol, which has none */
    for (int i = 0; i < COUNT; i++) {
        const char text[] = {(char)(0xc0 | (FIRST + i) >> 6), (char)(0x80 | ((FIRST + i) & 0x3f)), '\0'};
        ck_assert(tg_label_begin(&labels[i], text, 40));
        if (FIRST + i != 0xad && !(ink_of(&labels[i]) > 500)) note("U+%04X is blank", FIRST + i);
        if (is_same_label(&labels[i], &box)) note("U+%04X is missing", FIRST + i);
        for (int k = 0; k < i; k++)
            if (is_same_label(&labels[i], &labels[k])) note("U+%04X is as U+%04X", FIRST + i, FIRST + k);
    }
    const char bases[] = "AAAAAA CEEEEIIII NOOOOO  UUUUY  aaaaaa ceeee     nooooo  uuuuy y";
    for (int i = 0xc0; i <= LAST; i++) {
        const char base[] = {bases[i - 0xc0], '\0'};
        ck_assert(tg_label_begin(&plain, base, 40));
        if (*base != ' ' && !(ink_of(&labels[i - FIRST]) > ink_of(&plain) + 1000)) note("U+%04X has no accent", i);
        tg_label_end(&plain);
    }
    for (int i = 0; i < COUNT; i++) tg_label_end(&labels[i]);
    tg_label_end(&box);
    report_notes();
}
END_TEST

/* Greek capitals that are as Latin ones; digits above and below the line. */
START_TEST(other_letters_have_shapes) {
    static const char *const same[][2] = {{"\u0391", "A"}, {"\u0392", "B"}, {"\u03a7", "X"}, {"\u03a4", "T"}};
    tg_Label a, b;
    for (int i = 0; i < 4; i++) {
        ck_assert(tg_label_begin(&a, same[i][0], 40) && tg_label_begin(&b, same[i][1], 40));
        if (!is_same_label(&a, &b)) note("%s is not as %s", same[i][0], same[i][1]);
        tg_label_end(&a);
        tg_label_end(&b);
    }
    ck_assert(tg_label_begin(&a, "\u2082", 40) && tg_label_begin(&b, "\u00b2", 40)); /* subscript and superscript 2 */
    ck_assert(ink_of(&a) > 500 && !is_same_label(&a, &b));
    ck_assert_double_eq_tol(ink_of(&a), ink_of(&b), 0.1 * ink_of(&b));
    tg_label_end(&a);
    tg_label_end(&b);
    report_notes();
}
END_TEST

/* What a figure of three such markers has of black. */
static double ink_of_markers(const char *marker) {
    char path[200];
    in_folder(path, "markers.png");
    plt_figure(.figsize = {2, 2});
    plt_scatter(t_tensor("[1.0, 2.0, 3.0]"), t_tensor("[1.0, 2.0, 3.0]"), .marker = marker, .color = "black", .s = 400);
    ck_assert_msg(plt_savefig(path), "%s", t_error());
    plt_close(NULL);
    Tensor *image = t_double(io_read_image(path, .mode = ImageReadMode_GRAY));
    return t_item(t_sum(t_sub(1, t_div(image, 255))));
}

START_TEST(markers_of_lines_are_drawn) {
    const double none = ink_of_markers(","), plus = ink_of_markers("+") - none, bar = ink_of_markers("|") - none;
    const double level = ink_of_markers("_") - none, cross = ink_of_markers("x") - none;
    ck_assert_double_gt(bar, 50);
    ck_assert_double_eq_tol(bar, level, 0.15 * bar);
    ck_assert_double_eq_tol(plus, bar + level, 0.15 * plus); /* but for the middles */
    ck_assert_double_gt(cross, 1.5 * bar);
}
END_TEST

START_TEST(every_figure_is_drawn) {
    char path[200];
    in_folder(path, "x.png");
    for (int i = 0; i < line_case_count + image_case_count; i++) {
        const PlotCase *c = i < line_case_count ? &line_cases[i] : &image_cases[i - line_case_count];
        with_scope () {
            c->draw();
            const char *svg = saved_figure();
            double width = 0, height = 0;
            sscanf(strstr(svg, "width=\""), "width=\"%lf\" height=\"%lf\"", &width, &height);
            ck_assert_msg(plt_savefig(path), "%s: %s", c->name, t_error());
            Tensor *image = io_read_image(path);
            ck_assert_msg(image && t_size(image, 0) == 4 && (double)t_size(image, 1) == height &&
                              (double)t_size(image, 2) == width,
                          "%s: another size", c->name);
            const double light = t_item(t_mean(t_to(t_at(image, ":3"), t_float64))) / 255;
            ck_assert_msg(light < 0.999 && light > 0.2, "%s: mean %g", c->name, light);
            ck_assert(t_item(t_min(t_at(image, "3"))) == 255);
            plt_close("all");
        }
    }
}
END_TEST

static bool save(void *path) {
    return (plt_savefig)(path, NULL);
}

START_TEST(without_memory_nothing_is_left) {
    char path[200];
    in_folder(path, "x.png");
    plt_figure(.figsize = {2, 1.5});
    plt_plot(t_arange(5.0), .fmt = "o--", .label = "line");
    plt_legend();
    ck_assert(plt_savefig(path)); /* the views are autoscaled */
    refuse_all("savefig", save, NULL, path);
    report_notes();
}
END_TEST

/* ---- imread and imsave ---- */

START_TEST(images_are_read_as_matplotlib_does) {
    char path[200];
    in_folder(path, "x.png");
    Tensor *x = t_to(t_view(t_arange(24), 3, 2, 4), t_uint8);
    ck_assert(io_write_png(x, path));
    Tensor *image = plt_imread(path);
    ck_assert(image && t_dtype(image) == t_float32);
    ck_assert(t_equal(image, t_div(t_float(t_permute(x, 1, 2, 0)), 255)));
    ck_assert(io_write_png(t_at(x, ":1"), path));
    ck_assert(t_equal(plt_imread(path), t_div(t_float(t_at(x, "0")), 255)));
    in_folder(path, "x.ppm");
    ck_assert(io_write_ppm(x, path));
    image = plt_imread(path);
    ck_assert(image && t_dtype(image) == t_uint8 && t_equal(image, t_permute(x, 1, 2, 0)));
    ck_assert(plt_imread("none.png") == NULL);
    t_clear_error();
}
END_TEST

START_TEST(matrices_are_saved_as_images) {
    char path[200];
    in_folder(path, "x.png");
    ck_assert(plt_imsave(path, t_tensor("[[0., 1.], [nan, 0.5]]")));
    Tensor *colors = t_tensor(
        "[[[68, 253], [0, 32]], [[1, 231], [0, 144]], [[84, 36], [0, 140]], [[255, 255], [0, 255]]]", .dtype = t_uint8);
    ck_assert(t_equal(io_read_image(path), colors));
    ck_assert(plt_imsave(path, t_tensor("[[0., 1.], [nan, 0.5]]"), .origin = "lower"));
    ck_assert(t_equal(io_read_image(path), t_flip(colors, 1)));
    ck_assert(plt_imsave(path, t_tensor("[[0, 127, 300]]"), .cmap = "gray", .vmin = 0, .vmax = 255));
    ck_assert(t_equal(t_at(io_read_image(path), "0"), t_tensor("[[0, 127, 255]]", .dtype = t_uint8)));
    ck_assert(plt_imsave(path, t_tensor("[[[0., 0.5, 1.]]]")));
    ck_assert(t_equal(t_view(io_read_image(path), -1), t_tensor("[0, 127, 255, 255]", .dtype = t_uint8)));
    ck_assert(plt_imsave(path, t_tensor("[[[1, 2, 3, 4]]]", .dtype = t_uint8)));
    ck_assert(t_equal(t_view(io_read_image(path), -1), t_tensor("[1, 2, 3, 4]", .dtype = t_uint8)));
    expect_refusal(!plt_imsave("x.gif", t_zeros(2, 2)),
                   "plt_imsave writes PNG: the path must end in .png, but is 'x.gif'");
    expect_refusal(!plt_imsave(path, t_zeros(2, 2, 2)), "Third dimension must be 3 or 4: an image of shape (2, 2, 2)");
    expect_refusal(!plt_imsave(path, t_full((1, 1, 3), 2.0)),
                   "Floating point image RGB values must be in the [0,1] range");
    expect_refusal(!plt_imsave(path, t_zeros(0, 2)), "an image without pixels cannot be written");
    expect_refusal(!plt_imsave(path, t_zeros(2, 2), .origin = "left"),
                   "'left' is not a valid value for origin. Supported values are 'upper', 'lower'");
}
END_TEST

static bool save_and_read(void *path) {
    const int depth = (t_scope_open)();
    const t_TensorOptions options = {sizeof options, t_float32, false, NULL};
    Tensor *x = depth ? (t_ones)((const int64_t[]){3, 4}, 2, &options) : NULL;
    const bool ok = x && (plt_imsave)(path, x, NULL) && (plt_imread)(path);
    (t_scope_close)(depth);
    return ok;
}

START_TEST(images_without_memory) {
    char path[200];
    in_folder(path, "x.png");
    refuse_all("imsave", save_and_read, NULL, path);
    report_notes();
}
END_TEST

Suite *plot_png_suite(void);
Suite *plot_png_suite(void) {
    Suite *suite = suite_create("plot_png");
    TCase *tests = tcase_create("plot_png");
    tcase_add_checked_fixture(tests, folder_setup, tidy);
    tcase_add_test(tests, polygons_have_their_areas);
    tcase_add_test(tests, lines_have_their_areas);
    tcase_add_test(tests, long_lines_have_their_areas);
    tcase_add_test(tests, clips_and_opacity);
    tcase_add_test(tests, latin_letters_have_shapes);
    tcase_add_test(tests, other_letters_have_shapes);
    tcase_add_test(tests, markers_of_lines_are_drawn);
    tcase_add_test(tests, every_figure_is_drawn);
    tcase_add_test(tests, without_memory_nothing_is_left);
    tcase_add_test(tests, images_are_read_as_matplotlib_does);
    tcase_add_test(tests, matrices_are_saved_as_images);
    tcase_add_test(tests, images_without_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
