/* tests/plot/test_plot_layout.c: positions and colours of the parts of the figures of plot_cases_*.c, compared with
 * matplotlib's and seaborn's (golden/plots.py). Positions agree to a quarter of a point and half a percent of a text's
 * width, ticks and their labels exactly, the size of a cropped image (whose texts matplotlib rounds to pixels) to two
 * pixels and half a percent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plot/layout/layout.h"
#include "tests/plot/plot_cases.h"

static const double near = 0.25;

/* ---- the file ---- */

enum { FIELDS = 3, LINE = 4096 };
typedef struct Recorded {
    const char *what;
    char line[LINE], *field[FIELDS];
} Recorded;

static bool next_line(FILE *file, Recorded *r) {
    if (!fgets(r->line, LINE, file)) return false;
    char *at = r->line;
    at[strcspn(at, "\n")] = '\0';
    for (int i = 0; i < FIELDS; i++) {
        char *tab = strchr(at, '\t');
        r->field[i] = at;
        if (tab) *tab = '\0';
        at = tab ? tab + 1 : at + strlen(at);
    }
    return true;
}

/* ---- comparing ---- */

typedef struct Here {
    const char *name; /* of the case */
    const Figure *figure;
    const Axes *axes;
    Frame frame;
} Here;

static void compare_boxes(const Here *here, const char *what, Box got, const char *text) {
    double want[4];
    ck_assert_int_eq(read_numbers(text, want, 4), 4);
    double tolerance = near + 0.005 * (want[2] - want[0]), off = fmax(fabs(got.x0 - want[0]), fabs(got.x1 - want[2]));
    if (off < tolerance && fabs(got.y0 - want[1]) < tolerance && fabs(got.y1 - want[3]) < tolerance) return;
    note("%s: %s is %.2f %.2f %.2f %.2f, not %s", here->name, what, got.x0, got.y0, got.x1, got.y1, text);
}

static const Text *text_of(const Here *here, TextRole role, int which) {
    for (int64_t i = 0; i < here->frame.count; i++)
        if (here->frame.texts[i].role == role && *here->frame.texts[i].text && which-- == 0)
            return &here->frame.texts[i];
    return NULL;
}

static void compare_texts(const Here *here, TextRole role, const char *want) {
    char got[LINE] = "";
    for (int64_t i = 0, count = 0; i < here->frame.count; i++) {
        if (here->frame.texts[i].role != role) continue;
        if (count++) strcat(got, "|");
        strcat(got, here->frame.texts[i].text);
    }
    if (strcmp(got, want) != 0) note("%s: the labels are '%s', not '%s'", here->name, got, want);
}

static void compare_around(const Here *here, TextRole role, const char *want) {
    Box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    const Text *text;
    for (int i = 0; (text = text_of(here, role, i)); i++) box = tg_union(box, tg_text_box(text));
    compare_boxes(here, role == TEXT_TICK_X ? "around x" : "around y", box, want);
}

static void compare_numbers(const Here *here, const char *what, const double *got, int64_t count, const char *text) {
    enum { MOST = 200 };
    double want[MOST];
    int recorded = read_numbers(text, want, MOST);
    bool same = recorded == count;
    double size = 0;
    for (int64_t i = 0; same && i < count; i++) size = fmax(size, fabs(want[i]));
    for (int64_t i = 0; same && i < count; i++) same = fabs(got[i] - want[i]) <= 1e-9 * size;
    if (!same)
        note("%s: %s has %lld numbers from %.10g to %.10g, not %s", here->name, what, (long long)count,
             count ? got[0] : 0, count ? got[count - 1] : 0, text);
}

static void compare_offset(const Here *here, const char *which, const char *want) {
    const Text *text = text_of(here, TEXT_OFFSET, *which == 'y' && text_of(here, TEXT_OFFSET, 1) ? 1 : 0);
    const char *got = text ? text->text : "";
    if (strcmp(got, want) != 0) note("%s: at the end of %s is '%s', not '%s'", here->name, which, got, want);
}

static void compare_legend(const Here *here, const char *what, const char *want) {
    Legend legend;
    char got[LINE] = "";
    if (!tg_legend_layout(here->axes, &here->frame, &legend)) {
        note("%s: there is no legend", here->name);
        return;
    }
    if (strcmp(what, "legend box") == 0) {
        compare_boxes(here, what, legend.box, want);
        return;
    }
    for (int i = 0; i < legend.count; i++) sprintf(got + strlen(got), "%s%s", i ? "|" : "", legend.entries[i]->label);
    for (char *c = got; *c; c++) *c = *c == '\n' ? '/' : *c;
    if (strcmp(got, want) != 0) note("%s: the legend has '%s', not '%s'", here->name, got, want);
}

/* ---- colours ---- */

static Color color_of(const Artist *artist, double value) {
    uint8_t rgb[3];
    tg_colormap_at(artist->map, tg_normalize(artist, value), rgb);
    return (Color){rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0, artist->color.a};
}

static void compare_colors(const Here *here, ArtistKind kind, const char *want) {
    char got[LINE] = "";
    for (const Artist *artist = here->axes->artists; artist; artist = artist->next) {
        Color color = artist->color;
        if (artist->kind != kind) continue;
        if (artist->c) color = color_of(artist, artist->c[0]);
        sprintf(got + strlen(got), "%s#%02x%02x%02x%02x", *got ? "|" : "", (int)rint(255 * color.r),
                (int)rint(255 * color.g), (int)rint(255 * color.b), (int)rint(255 * color.a));
    }
    if (strcmp(got, want) != 0) note("%s: the colours are %s, not %s", here->name, got, want);
}

static void compare_heights(const Here *here, const char *want) {
    enum { MOST = 200 };
    double got[MOST];
    int64_t count = 0;
    for (const Artist *artist = here->axes->artists; artist; artist = artist->next)
        for (int64_t i = 0; artist->kind == ARTIST_BARS && i < artist->count && count < MOST; i++)
            got[count++] = artist->y[i];
    compare_numbers(here, "the bars' heights", got, count, want);
}

static void compare_cells(const Here *here, const char *want) {
    char got[LINE] = "";
    uint8_t rgb[3];
    const Artist *image = here->axes->artists;
    while (image && !image->values) image = image->next;
    for (int i = 0; image && i < 2; i++) {
        tg_colormap_at(image->map, tg_normalize(image, image->values[i ? image->rows * image->columns - 1 : 0]), rgb);
        sprintf(got + strlen(got), "%s%d %d %d", i ? " " : "", rgb[0], rgb[1], rgb[2]);
    }
    if (strcmp(got, want) != 0) note("%s: the cells' colours are %s, not %s", here->name, got, want);
}

static void compare_written(const Here *here, const char *want) {
    char got[LINE] = "", number[40];
    Text text;
    const Artist *mesh = here->axes->artists;
    for (int64_t i = 0; i < mesh->rows * mesh->columns; i++)
        if (tg_cell_text(here->axes, &here->frame, mesh, i, number, sizeof number, &text))
            sprintf(got + strlen(got), "%s%s%s", *got ? "|" : "", text.color.r < 1 ? "+" : "", number);
    if (strcmp(got, want) != 0) note("%s: the cells have %s, not %s", here->name, got, want);
}

static void compare_grid(const Here *here, const char *want) {
    const Figure *f = here->figure;
    double got[] = {f->left, f->right, f->bottom, f->top, f->wspace, f->hspace}, numbers[6];
    ck_assert_int_eq(read_numbers(want, numbers, 6), 6);
    for (int i = 0; i < 6; i++)
        if (fabs(got[i] - numbers[i]) * 72 * fmin(f->width, f->height) > (i < 4 ? near : 2 * near)) { /* then a cell */
            note("%s: the grid is %.4f %.4f %.4f %.4f %.4f %.4f, not %s", here->name, got[0], got[1], got[2], got[3],
                 got[4], got[5], want);
            return;
        }
}

/* What the name or the title of the axes, or the end of an axis, is around. */
static void compare_text_box(const Here *here, const char *what, bool y, const char *want) {
    bool title = strcmp(what, "title box") == 0, end = strcmp(what, "end box") == 0;
    const Text *text = text_of(here, title ? TEXT_TITLE : end ? TEXT_OFFSET : y ? TEXT_LABEL_Y : TEXT_LABEL_X,
                               end && y && text_of(here, TEXT_OFFSET, 1) ? 1 : 0);
    if (!text) note("%s: there is no %s", here->name, what);
    else compare_boxes(here, what, tg_text_box(text), want);
}

/* A line about an axis of the axes at hand. */
static void compare_axis_line(const Here *here, const char *what, const char *which, const char *want) {
    int y = *which == 'y';
    if (strcmp(what, "view") == 0) compare_numbers(here, y ? "view y" : "view x", here->axes->axis[y].view, 2, want);
    else if (strcmp(what, "ticks") == 0)
        compare_numbers(here, "the ticks", here->frame.at[y], here->frame.ticks[y], want);
    else if (strcmp(what, "labels") == 0) compare_texts(here, y ? TEXT_TICK_Y : TEXT_TICK_X, want);
    else if (strcmp(what, "around") == 0) compare_around(here, y ? TEXT_TICK_Y : TEXT_TICK_X, want);
    else if (strcmp(what, "end") == 0) compare_offset(here, which, want);
    else compare_text_box(here, what, y, want);
}

/* A line about the axes at hand. */
static void compare_line(const Here *here, const Recorded *r) {
    const char *what = r->field[0], *want = r->field[1];
    if (*r->field[2]) compare_axis_line(here, what, r->field[1], r->field[2]);
    else if (strcmp(what, "lines") == 0) compare_colors(here, ARTIST_LINE, want);
    else if (strcmp(what, "bars") == 0) compare_colors(here, ARTIST_BARS, want);
    else if (strcmp(what, "points") == 0) compare_colors(here, ARTIST_POINTS, want);
    else if (strcmp(what, "heights") == 0) compare_heights(here, want);
    else if (strcmp(what, "cells") == 0) compare_cells(here, want);
    else if (strcmp(what, "written") == 0) compare_written(here, want);
    else if (strncmp(what, "legend", 6) == 0) compare_legend(here, what, want);
    else if (strcmp(what, "tight") == 0) compare_boxes(here, what, tg_tight_box(here->axes, &here->frame, false), want);
    else if (strcmp(what, "title box") == 0) compare_text_box(here, what, false, want);
    else if (strcmp(what, "ticks") == 0 || strcmp(what, "labels") == 0) compare_axis_line(here, what, want, "");
    else note("%s: a line of kind %s", here->name, what);
}

/* The size in a cropped file. Every file is well-formed, small, and has all texts. */
static void compare_file(const Here *here, const char *text) {
    const char *path = "build/test_plot_layout.svg";
    double want[2], got[2];
    plt_SavefigOptions tight = {sizeof tight, 100, "tight"};
    ck_assert_msg((plt_savefig)(path, &tight), "%s: %s", here->name, t_error());
    char *svg = read_text(path);
    remove(path);
    got[0] = strtod(strstr(svg, " width=\"") + 8, NULL);
    got[1] = strtod(strstr(svg, " height=\"") + 9, NULL);
    ck_assert_int_eq(read_numbers(text, want, 2), 2);
    if (fabs(got[0] - want[0]) > 2 + want[0] / 200 || fabs(got[1] - want[1]) > 2 + want[1] / 200)
        note("%s: an image of %g x %g pixels, not %s", here->name, got[0], got[1], text);
    if (xml_mistake(svg)) note("%s: the file has %s", here->name, xml_mistake(svg));
    if (strlen(svg) > 500000) note("%s: the file has %zu bytes", here->name, strlen(svg));
    free(svg);
}

/* ---- the cases ---- */

static void reset(void) {
    (plt_close)("all");
    (plt_rcParams)("axes.unicode_minus", "True");
    (plt_rcParams)("font.size", "10");
}

static void compare_case(FILE *file, const PlotCase *plot) {
    Recorded r;
    Arena arena = {NULL};
    reset();
    plot->draw();
    ck_assert_msg(t_error() == NULL, "%s: %s", plot->name, t_error());
    Here here = {plot->name, tg_pyplot_state()->figure, NULL, {.count = 0}};
    for (Axes *axes = here.figure->axes; axes; axes = axes->next) tg_autoscale_view(axes);
    while (next_line(file, &r)) {
        if (strcmp(r.field[0], "grid") == 0) compare_grid(&here, r.field[1]);
        else if (strcmp(r.field[0], "pixels") == 0) break;
        else if (strcmp(r.field[0], "axes") == 0) {
            here.axes = here.axes ? here.axes->next : here.figure->axes;
            ck_assert_msg(here.axes != NULL, "%s: axes are missing", plot->name);
            ck_assert(tg_frame(&arena, here.axes, &here.frame));
            compare_boxes(&here, r.field[1], here.frame.box, r.field[2]);
        } else compare_line(&here, &r);
    }
    if (here.axes->next) note("%s: there are more axes than matplotlib makes", plot->name);
    compare_file(&here, r.field[1]);
    tg_arena_free(&arena);
    reset();
}

static void find_and_compare(const PlotCase *plot) {
    FILE *file = fopen("tests/golden/plots.txt", "r");
    Recorded r;
    bool found = false;
    ck_assert_msg(file != NULL, "tests/golden/plots.txt cannot be read");
    while (!found && next_line(file, &r))
        found = strcmp(r.field[0], "case") == 0 && strcmp(r.field[1], plot->name) == 0;
    ck_assert_msg(found, "%s was not recorded", plot->name);
    compare_case(file, plot);
    fclose(file);
    report_notes();
}

START_TEST(lines_look_like_matplotlib) {
    find_and_compare(&line_cases[_i]);
}
END_TEST

START_TEST(images_look_like_matplotlib) {
    find_and_compare(&image_cases[_i]);
}
END_TEST

Suite *plot_layout_suite(void);
Suite *plot_layout_suite(void) {
    Suite *suite = suite_create("plot_layout");
    TCase *tests = tcase_create("plot_layout");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, lines_look_like_matplotlib, 0, line_case_count);
    tcase_add_loop_test(tests, images_look_like_matplotlib, 0, image_case_count);
    suite_add_tcase(suite, tests);
    return suite;
}
