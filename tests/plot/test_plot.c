/* tests/plot/test_plot.c: the contents of SVG files, and what the calls copy. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "tests/plot/plot_cases.h"

static void tidy(void) {
    plt_close("all");
    plt_rcParams("axes.unicode_minus", "True");
    plt_rcParams("font.sans-serif", "DejaVu Sans");
    support_teardown();
}

#define EXPECT(count, what) ck_assert_int_eq(count_of(svg, what), count)

START_TEST(mistakes_in_xml_are_seen) {
    static const char *const wrong[] = {
        "<a></b>", "<a>",        "<a/><b/>",    "<a b=c/>",    "<a b=\"1\" b=\"2\"/>", "<a>&x;</a>",
        "x<a/>",   "<a b=\"1/>", "<a>\x01</a>", "<a>\xFF</a>", "<a>\xC3</a>",          "<a><b></a></b>"};
    char text[100];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s", wrong[i]);
        ck_assert_msg(xml_mistake(text) != NULL, "%s passes", wrong[i]);
    }
    ck_assert_ptr_null(
        xml_mistake("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"1\" c=\"&amp;\">x<b/>\xC3\xA9</a>\n"));
}
END_TEST

/* ---- the contents of a file ---- */

START_TEST(a_line) {
    plt_plot(t_tensor("[0.0, 1.0, 0.5]"), .label = "loss");
    plt_title("Loss");
    plt_xlabel("step");
    plt_legend();
    const char *svg = saved_figure();
    EXPECT(1, ">Loss</text>");
    EXPECT(1, ">step</text>");
    EXPECT(1, ">loss</text>");
    EXPECT(1, ">0.25</text>");
    EXPECT(1, ">2.00</text>");
    EXPECT(1, "width=\"640\" height=\"480\" viewBox=\"0 0 460.8 345.6\"");
    EXPECT(1, "font-family=\"'DejaVu Sans', Verdana, sans-serif\"");
    /* the axes are 57.6 to 414.72 and 38.016 to 304.128 points, from the left and from below; margins are a
     * twentieth */
    /* the frame is in the middle of pixels, which are 0.72 points */
    EXPECT(1, "<rect x=\"57.96\" y=\"42.12\" width=\"357.12\" height=\"265.68\" fill=\"none\" stroke=\"#000000\" "
              "stroke-width=\"0.8\"");
    EXPECT(1, "M73.83 295.49L236.16 53.57L398.49 174.53\" fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"1.5\"");
}
END_TEST

START_TEST(lines_and_markers) {
    Tensor *x = t_arange(4.0);
    plt_plot(x, x, "g^:");
    plt_plot(x, .linestyle = "-.", .color = "#ff000080", .alpha = 0.5, .linewidth = 2);
    plt_plot(x, x, "o");
    plt_plot(x, x, "ks", .linestyle = "dashed");
    const char *svg = saved_figure();
    EXPECT(1, "stroke=\"#008000\" stroke-width=\"1.5\" stroke-dasharray=\"1.5 2.475\"");
    EXPECT(1, "stroke=\"#ff0000\" stroke-opacity=\"0.251\" stroke-width=\"2\" stroke-dasharray=\"12.8 3.2 2 3.2\"");
    EXPECT(1, "stroke=\"#000000\" stroke-width=\"1.5\" stroke-dasharray=\"5.55 2.4\"");
    EXPECT(4, "#marker1\""); /* the first definition's uses */
    EXPECT(1, "<circle id=\"marker2\" r=\"3\"/></defs>\n<g fill=\"#1f77b4\"");
    EXPECT(12, "<use ");
    plt_plot(x, .marker = ".");
    svg = saved_figure();
    EXPECT(1, "<circle id=\"marker4\" r=\"1.5\"/>");
}
END_TEST

START_TEST(missing_values) {
    plt_plot(t_tensor("[0.0, 1.0, nan, 1.0, inf, 0.0, 1.0]"));
    plt_scatter(t_tensor("[0.0, nan, 1.0]"), t_tensor("[0.0, 1.0, -inf]"));
    plt_scatter(t_tensor("[0.0, 0.5, 1.0]"), t_tensor("[0.0, 0.5, 1.0]"), .c = t_tensor("[nan, 1.0, inf]"));
    plt_bar(t_tensor("[0.0, 1.0]"), t_tensor("[nan, 1.0]"));
    const char *svg = saved_figure(), *line = strstr(svg, "<path d=\"M");
    while (line && !strstr(line, "stroke=\"#1f77b4\"")) line = NULL;
    ck_assert_ptr_nonnull(line);
    EXPECT(2, "<use ");
    ck_assert_ptr_null(strstr(svg, "nan"));
    ck_assert_ptr_null(strstr(svg, "inf"));
    plt_close();
    plt_imshow(t_tensor("[[0.0, nan], [inf, 1.0]]"));
    svg = saved_figure();
    EXPECT(1, "fill=\"#440154\"");
    EXPECT(1, "fill=\"#fde724\"");
    plt_close();
    plt_imshow(t_tensor("[[nan, nan]]"));
    plt_colorbar();
    sns_heatmap(t_tensor("[[nan, nan], [nan, nan]]"), .annot = true);
    saved_figure();
}
END_TEST

START_TEST(a_heat_map) {
    sns_heatmap(grid_of(5, 5), .annot = true, .cmap = "viridis");
    const char *svg = saved_figure();
    EXPECT(1, "crispEdges");
    EXPECT(25 + 4, "<rect"); /* and the figure, the axes, the clip and the colorbar */
    EXPECT(7, "fill=\"#262626\">0."); /* as in golden/plots.txt */
    EXPECT(18, "font-size=\"10\" fill=\"#ffffff\">0.");
}
END_TEST

START_TEST(long_numbers_in_a_heat_map) {
    sns_heatmap(t_tensor("[[9223372036854775807, -9223372036854775808]]"), .annot = true, .fmt = "d");
    const char *svg = saved_figure();
    EXPECT(1, ">9223372036854775807</text>");
    EXPECT(1, ">-9223372036854775808</text>");
    plt_close();
    sns_heatmap(t_tensor("[[-1.0, 2.0]]"), .annot = true, .fmt = ".70f");
    svg = saved_figure();
    EXPECT(1, ">-1.0000000000000000000000000000000000000000000000000000000000000000000000</text>");
}
END_TEST

START_TEST(odd_texts) {
    plt_title("a < b & \"c\" > 'd'");
    plt_xlabel("\xFF\xC0\x80 \x01\x1B[31m \xED\xA0\x80 \xEF\xBF\xBE\xF4\x90\x80\x80 end");
    plt_ylabel("  two  spaces  ");
    const char *names[] = {"<", "&amp;"};
    plt_xticks(t_tensor("[0, 1]"), names);
    plt_rcParams("font.sans-serif", "Times, \"A<B\"");
    const char *svg = saved_figure();
    EXPECT(1, ">a &lt; b &amp; &quot;c&quot; &gt; 'd'</text>");
    EXPECT(1, ">&lt;</text>");
    EXPECT(1, ">&amp;amp;</text>");
    EXPECT(1, ">  two  spaces  </text>");
    EXPECT(1, "[31m ");
    EXPECT(1, "font-family=\"Times, &quot;A&lt;B&quot;, 'DejaVu Sans'");
    EXPECT(13, "\xEF\xBF\xBD"); /* one for each invalid byte and each control character */
}
END_TEST

START_TEST(a_long_text) {
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i + 1 < sizeof text; i += 2) memcpy(text + i, "\xC3\xA9", 2);
    text[sizeof text - 2] = '\0';
    plt_title(text);
    ck_assert_ptr_nonnull(strstr(saved_figure(), "\xC3\xA9</text>"));
    for (size_t i = 0; i < 100; i++) text[i] = '\n';
    plt_title(text + 1);
    saved_figure();
}
END_TEST

/* ---- many values ---- */

START_TEST(a_long_line_is_thinned) {
    enum { MANY = 200000 };
    Tensor *y = t_zeros(MANY);
    t_set(y, "77777", 5);
    plt_plot(t_add(t_sin(t_arange(MANY)), y));
    const char *svg = saved_figure();
    ck_assert_uint_lt(strlen(svg), 500000);
    double top = 304.128 - (304.128 - 38.016) / 22; /* the largest value is 1/22 below the upper edge */
    char number[20];
    snprintf(number, sizeof number, " %.2fL", 345.6 - top);
    EXPECT(1, number);
}
END_TEST

/* ---- tensors of every kind ---- */

static const char *plotted(Tensor *x) {
    plt_close();
    plt_plot(x);
    plt_scatter(x, x);
    return saved_figure();
}

START_TEST(any_dtype_and_layout) {
    Tensor *x = t_tensor("[0.0, 1.0, 1.0, 0.0, 1.0]");
    char *want = strdup(plotted(x));
    ck_assert_str_eq(plotted(t_to(x, t_float64)), want);
    ck_assert_str_eq(plotted(t_long(x)), want);
    ck_assert_str_eq(plotted(t_to(x, t_bool)), want);
    ck_assert_str_eq(plotted(t_at(t_t(t_stack(t_list(x, x), 0)), ":, 1")), want);
    ck_assert_str_eq(plotted(t_requires_grad_(t_clone(x), true)), want);
    ck_assert_str_eq(plotted(t_mul(t_requires_grad_(t_clone(x), true), 1)), want);
    free(want);
}
END_TEST

START_TEST(what_is_drawn_is_copied) {
    char title[] = "title", name[] = "name";
    const char *names[] = {name};
    with_scope() {
        Tensor *y = t_tensor("[0.0, 1.0]");
        plt_plot(y, .label = name);
        plt_title(title);
        plt_xticks(t_tensor("[0.5]"), names);
        t_fill_(y, 7);
    }
    memset(title, 'x', sizeof title - 1);
    memset(name, 'x', sizeof name - 1);
    const char *svg = saved_figure();
    EXPECT(1, ">title</text>");
    EXPECT(1, ">name</text>");
    EXPECT(1, ">1.0</text>");
}
END_TEST

Suite *plot_suite(void);
Suite *plot_suite(void) {
    Suite *suite = suite_create("plot");
    TCase *tests = tcase_create("plot");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, mistakes_in_xml_are_seen);
    tcase_add_test(tests, a_line);
    tcase_add_test(tests, lines_and_markers);
    tcase_add_test(tests, missing_values);
    tcase_add_test(tests, a_heat_map);
    tcase_add_test(tests, long_numbers_in_a_heat_map);
    tcase_add_test(tests, odd_texts);
    tcase_add_test(tests, a_long_text);
    tcase_add_test(tests, a_long_line_is_thinned);
    tcase_add_test(tests, any_dtype_and_layout);
    tcase_add_test(tests, what_is_drawn_is_copied);
    suite_add_tcase(suite, tests);
    return suite;
}
