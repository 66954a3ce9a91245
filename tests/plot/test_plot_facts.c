/* tests/plot/test_plot_facts.c: colours, colormaps, ticks, labels, number formats and text widths, compared with
 * matplotlib's, seaborn's and Python's (golden/plot_facts.py). Everything must be equal, numbers to the bit. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plot/color/color.h"
#include "core/plot/layout/ticker.h"
#include "core/plot/text/font.h"
#include "core/plot/text/utf8.h"
#include "tests/plot/plot_cases.h"

/* ---- the file ---- */

enum { FIELDS = 8, LINE = 2048 };

/* Cuts a line at its tabs; fields that it does not have are empty. */
static void cut_line(char *line, const char *fields[FIELDS]) {
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < FIELDS; i++) {
        char *tab = strchr(line, '\t');
        fields[i] = line;
        if (tab) *tab = '\0';
        line = tab ? tab + 1 : line + strlen(line);
    }
}

/* Calls check for each line of a kind; there must be at least that many. */
static void for_lines(const char *kind, int least, void (*check)(const char *const fields[FIELDS])) {
    char line[LINE];
    const char *fields[FIELDS];
    int seen = 0;
    FILE *file = fopen("tests/golden/plot_facts.txt", "r");
    ck_assert_msg(file != NULL, "tests/golden/plot_facts.txt cannot be read");
    while (fgets(line, sizeof line, file)) {
        cut_line(line, fields);
        if (strcmp(fields[0], kind) != 0) continue;
        check(fields);
        seen++;
    }
    fclose(file);
    if (seen < least) note("%d lines of kind %s", seen, kind);
    report_notes();
}

/* The error that was recorded as "! message", or none. */
static void compare_outcome(const char *what, bool worked, const char *got, const char *want) {
    if (!worked) got = t_error_message();
    if (want[0] == '!' && worked) note("%s: '%s' and no error", what, got);
    else if (strcmp(got ? got : "", want[0] == '!' ? want + 2 : want) != 0) note("%s: '%s', not '%s'", what, got, want);
    t_clear_error();
}

/* ---- colours ---- */

static void check_color(const char *const fields[FIELDS]) {
    Color color;
    double want[4];
    bool known = tg_color(fields[1], &color);
    if (fields[2][0] == '!' || !known) {
        compare_outcome(fields[1], known, "a colour", fields[2]);
        return;
    }
    ck_assert_int_eq(read_numbers(fields[2], want, 4), 4);
    if (color.r != want[0] || color.g != want[1] || color.b != want[2] || color.a != want[3])
        note("%s: %g %g %g %g, not %s", fields[1], color.r, color.g, color.b, color.a, fields[2]);
}

START_TEST(knows_colors) {
    for_lines("color", 190, check_color);
}
END_TEST

static void check_map(const char *const fields[FIELDS]) {
    char text[200] = "", edges[200] = "";
    uint8_t rgb[3];
    const Colormap *map = tg_colormap(fields[1]);
    for (int i = 0; i < 256; i += 17) {
        tg_colormap_at(map, i / 256.0, rgb);
        sprintf(text + strlen(text), "%s%02x%02x%02x", i ? " " : "", rgb[0], rgb[1], rgb[2]);
    }
    for (int i = 1; i < 256; i++)
        if ((tg_colormap_luminance(map, i / 256.0) > 0.408) != (tg_colormap_luminance(map, (i - 1) / 256.0) > 0.408))
            sprintf(edges + strlen(edges), "%s%d", *edges ? " " : "", i);
    compare_outcome(fields[1], true, text, fields[2]);
    compare_outcome(fields[1], true, edges, fields[3]);
}

START_TEST(knows_colormaps) {
    for_lines("map", 38, check_map);
}
END_TEST

START_TEST(clamps_colormaps) {
    uint8_t low[3], high[3], rgb[3];
    const Colormap *map = tg_colormap("viridis");
    tg_colormap_at(map, 0, low);
    tg_colormap_at(map, 1, high);
    const double low_ones[] = {-1, -INFINITY, NAN, 0.003}, high_ones[] = {2, INFINITY, 255.5 / 256};
    for (int i = 0; i < 4; i++) {
        tg_colormap_at(map, low_ones[i], rgb);
        ck_assert_mem_eq(rgb, low, 3);
    }
    for (int i = 0; i < 3; i++) {
        tg_colormap_at(map, high_ones[i], rgb);
        ck_assert_mem_eq(rgb, high, 3);
    }
    ck_assert_double_eq_tol(tg_luminance((uint8_t[]){255, 255, 255}), 1, 1e-12);
    ck_assert_double_eq_tol(tg_luminance((uint8_t[]){255, 0, 0}), 0.2126, 1e-12);
    expect_refusal(
        !tg_colormap("jetty"),
        "'jetty' is not a valid value for cmap; supported values are viridis, plasma, inferno, magma, cividis, "
        "rocket, mako, Blues, Reds, Greens, Greys, Oranges, Purples, YlGnBu, YlOrRd, RdBu, coolwarm, gray, hot, each "
        "also with _r");
    expect_refusal(!tg_colormap(NULL), "a colormap's name is NULL");
    expect_refusal(!tg_color(NULL, NULL), "a colour is NULL");
}
END_TEST

/* ---- ticks ---- */

static void check_labels(const char *const fields[FIELDS], const double *ticks, int count) {
    char labels[LINE] = "", label[200], offset[100];
    TickStyle style = tg_tick_style(ticks, count, strtod(fields[1], NULL), strtod(fields[2], NULL));
    for (int i = 0; i < count; i++) {
        tg_tick_label(label, sizeof label, &style, ticks[i]);
        sprintf(labels + strlen(labels), "%s%s", i ? " " : "", label);
    }
    tg_tick_offset(offset, sizeof offset, &style);
    compare_outcome(fields[4], true, labels, fields[5]);
    compare_outcome(fields[4], true, offset, fields[6]);
}

static void check_ticks(const char *const fields[FIELDS]) {
    double want[TG_MAX_TICKS], got[TG_MAX_TICKS];
    int wanted = read_numbers(fields[4], want, TG_MAX_TICKS);
    int count = tg_ticks(strtod(fields[1], NULL), strtod(fields[2], NULL), atoi(fields[3]), got, TG_MAX_TICKS);
    if (count != wanted || memcmp(got, want, (size_t)count * sizeof *got) != 0)
        note("%s to %s in %s: %d ticks, not %s", fields[1], fields[2], fields[3], count, fields[4]);
    else check_labels(fields, got, count);
}

START_TEST(finds_ticks) {
    for_lines("ticks", 70, check_ticks);
}
END_TEST

static void check_fixed(const char *const fields[FIELDS]) {
    double ticks[TG_MAX_TICKS];
    check_labels(fields, ticks, read_numbers(fields[4], ticks, TG_MAX_TICKS));
}

START_TEST(labels_given_ticks) {
    for_lines("fixed", 40, check_fixed);
}
END_TEST

START_TEST(stays_within_the_buffer) {
    double ticks[4] = {0, 0, 0, -1};
    char label[8];
    TickStyle style = {.decimals = 2};
    ck_assert_int_eq(tg_ticks(0, 10, 9, ticks, 3), 3);
    ck_assert_double_eq(ticks[3], -1);
    ck_assert_int_eq(tg_ticks(NAN, 1, 9, ticks, 4), 0);
    ck_assert_int_eq(tg_ticks(-1.7e308, 1.7e308, 9, ticks, 4), 0);
    tg_tick_label(label, sizeof label, &style, -12345);
    ck_assert_str_eq(label, "\xe2\x88\x92" "1234");
    style.ascii_minus = true;
    tg_tick_label(label, sizeof label, &style, -0.25);
    ck_assert_str_eq(label, "-0.25");
    style = tg_tick_style(ticks, 0, 0, 1);
    tg_tick_offset(label, sizeof label, &style);
    ck_assert_str_eq(label, "");
    ck_assert_int_eq(tg_tick_bins(357.12, 10, false), 9); /* the axes of a figure of 6.4 by 4.8 inches */
    ck_assert_int_eq(tg_tick_bins(266.112, 10, true), 9);
    ck_assert_int_eq(tg_tick_bins(150, 10, false), 5);
    ck_assert_int_eq(tg_tick_bins(59.9, 10, true), 2);
    ck_assert_int_eq(tg_tick_bins(5, 10, true), 1);
}
END_TEST

/* ---- number formats ---- */

static void check_spec(const char *const fields[FIELDS]) {
    char text[200] = "", what[100];
    bool is_int = strcmp(fields[1], "int") == 0;
    snprintf(what, sizeof what, "format(%s, '%s')", fields[2], fields[3]);
    bool worked = is_int ? tg_format_spec_int(text, sizeof text, fields[3], atoll(fields[2]))
                        : tg_format_spec(text, sizeof text, fields[3], strtod(fields[2], NULL));
    compare_outcome(what, worked, text, fields[4]);
}

START_TEST(formats_numbers) {
    for_lines("spec", 250, check_spec);
}
END_TEST

START_TEST(formats_within_limits) {
    char text[8];
    ck_assert(tg_format_spec(text, sizeof text, "100.50f", 1));
    ck_assert_str_eq(text, "       ");
    ck_assert(tg_format_spec(text, sizeof text, ".50f", -2)); /* too long: truncated, not omitted */
    ck_assert_str_eq(text, "-2.0000");
    ck_assert(tg_format_spec(text, sizeof text, "\xe2\x82\xac<1000000", 1)); /* between two characters */
    ck_assert_str_eq(text, "1.0\xe2\x82\xac");
    expect_refusal(!tg_format_spec(text, sizeof text, ".101f", 1), "the precision of the format '.101f' is over 100");
    expect_refusal(!tg_format_spec_int(text, sizeof text, "x", 1), "Unknown format code 'x' for object of type 'int'");
}
END_TEST

/* As Python's format(). */
START_TEST(formats_all_digits) {
    char text[200];
    ck_assert(tg_format_spec(text, sizeof text, "", 0.1 + 0.2));
    ck_assert_str_eq(text, "0.30000000000000004");
    ck_assert(tg_format_spec(text, sizeof text, "E", 12345.678));
    ck_assert_str_eq(text, "1.234568E+04");
    ck_assert(tg_format_spec(text, sizeof text, "#.0E", -0.5));
    ck_assert_str_eq(text, "-5.E-01");
}
END_TEST

/* The text of a number does not follow the program's locale: shown where the system has one with a comma. */
START_TEST(needs_no_locale) {
    char text[40];
    Color grey;
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"};
    for (int i = 0; !setlocale(LC_ALL, locales[i]);) i++;
    ck_assert(tg_format_spec(text, sizeof text, "", 0.25));
    ck_assert_str_eq(text, "0.25");
    ck_assert(tg_color("0.25", &grey));
    ck_assert_double_eq(grey.r, 0.25);
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- text ---- */

static void check_text(const char *const fields[FIELDS]) {
    TextSize size = tg_text_size(fields[1], 2048);
    if (size.width != atoi(fields[2])) note("%s: %g wide, not %s", fields[1], size.width, fields[2]);
    if (size.ascent != atoi(fields[3])) note("%s: %g high, not %s", fields[1], size.ascent, fields[3]);
    if (size.descent != 492) note("%s: %g deep, not 492", fields[1], size.descent);
}

START_TEST(measures_text) {
    for_lines("text", 40, check_text);
}
END_TEST

START_TEST(reads_utf8) {
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xe2\x82|\xed\xa0\x80";
    const uint32_t points[] = {'a', 0xe9, 0x20ac, 0x1f600, 0xfffd, 0xfffd, 0xfffd, '|', 0xfffd, 0xfffd, 0xfffd, 0, 0};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) ck_assert_uint_eq(tg_utf8_next(&text), points[i]);
    ck_assert_int_eq(tg_utf8_columns("ab\xe4\xb8\xad" "e\xcc\x81\n"), 6); /* a wide letter, e with an accent */
    ck_assert_double_eq(tg_text_size("\xe4\xb8\xad\xe6\x96\x87", 10).width, 20);
    ck_assert_double_eq_tol(tg_text_size("\xe1\x8e\xa0", 10).width, 6.001, 1e-3); /* not in the table */
    ck_assert_double_eq(tg_text_size("", 10).width, 0);
}
END_TEST

Suite *plot_facts_suite(void) {
    Suite *suite = suite_create("plot_facts");
    TCase *facts = tcase_create("facts");
    tcase_add_checked_fixture(facts, support_setup, support_teardown);
    tcase_add_test(facts, knows_colors);
    tcase_add_test(facts, knows_colormaps);
    tcase_add_test(facts, clamps_colormaps);
    tcase_add_test(facts, finds_ticks);
    tcase_add_test(facts, labels_given_ticks);
    tcase_add_test(facts, stays_within_the_buffer);
    tcase_add_test(facts, formats_numbers);
    tcase_add_test(facts, formats_within_limits);
    tcase_add_test(facts, needs_no_locale);
    tcase_add_test(facts, formats_all_digits);
    tcase_add_test(facts, measures_text);
    tcase_add_test(facts, reads_utf8);
    suite_add_tcase(suite, facts);
    return suite;
}
