/* tests/plot/test_plot_errors.c: errors of plt_ and sns_ calls and their messages; a failed call changes nothing. */
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/plot/figure/figure.h"
#include "core/plot/plot.h"
#include "tests/plot/plot_cases.h"

static const char path[] = "build/test_plot_errors.svg";

static void tidy(void) {
    plt_close("all");
    remove(path);
    support_teardown();
}

/* ---- refusals ---- */

/* The call fails with that message and makes no figure. */
#define REFUSED(call, sentence) \
    do { \
        bool done = (call); \
        expect_refusal(!done, sentence); \
        ck_assert_ptr_null(tg_current().figure); \
    } while (0)

#define ROW(n) t_zeros(n)

START_TEST(refuses_lines) {
    REFUSED(plt_plot(ROW(3), ROW(4)), "x and y must have same first dimension, but have shapes (3,) and (4,)");
    REFUSED(plt_plot(t_zeros(2, 3), t_zeros(2, 4)), "x has 3 columns but y has 4 columns");
    REFUSED(plt_plot(t_zeros(2, 3, 4)), "x and y can be no greater than 2D, but have shapes (2, 3, 4) and (2, 3, 4)");
    REFUSED(plt_plot(t_expand(t_zeros(1, 1), 1, (1 << 20) + 1)),
            "1048577 columns are too many lines: a plot shows at most 1048576");
    REFUSED(plt_plot(ROW(3), t_zeros(3, 2, 2)),
            "x and y can be no greater than 2D, but have shapes (3,) and (3, 2, 2)");
    REFUSED(plt_plot(ROW(3), .fmt = "zz"), "'zz' is not a valid format string (unrecognized character 'z')");
    REFUSED(plt_plot(ROW(3), .fmt = "r--g"), "'r--g' is not a valid format string (two color symbols)");
    REFUSED(plt_plot(ROW(3), .fmt = "--:"), "'--:' is not a valid format string (two linestyle symbols)");
    REFUSED(plt_plot(ROW(3), .fmt = "ox"), "'ox' is not a valid format string (two marker symbols)");
    REFUSED(plt_plot(ROW(3), .fmt = "oq"), "'oq' is not a valid format string (unrecognized character 'q')");
    REFUSED(plt_plot(ROW(3), .fmt = "C"), "'C' is not a valid format string ('C' must be followed by a number)");
    REFUSED(plt_plot(ROW(3), .color = "rouge"), "Invalid RGBA argument: 'rouge'");
    REFUSED(plt_plot(ROW(3), .linestyle = "~"), "'~' is not a valid value for ls.");
    REFUSED(plt_plot(ROW(3), .marker = "q"), "Unrecognized marker style 'q'");
    REFUSED(plt_plot(ROW(3), .marker = "oo"), "Unrecognized marker style 'oo'");
    REFUSED(plt_plot(ROW(3), .alpha = 1.5), "alpha (1.5) is outside 0-1 range");
    REFUSED(plt_plot(ROW(3), .alpha = NAN), "alpha (nan) is outside 0-1 range");
    REFUSED(plt_plot(ROW(3), .linewidth = -1), "linewidth (-1) and markersize (6) must be finite and not negative");
    REFUSED(plt_plot(ROW(3), .markersize = INFINITY),
            "linewidth (1.5) and markersize (inf) must be finite and not negative");
}
END_TEST

START_TEST(refuses_points_and_bars) {
    REFUSED(plt_scatter(ROW(3), ROW(4)), "x and y must be the same size, but they have 3 and 4 elements");
    REFUSED(plt_scatter(ROW(3), ROW(3), .c = ROW(4)),
            "'c' argument has 4 elements, which is inconsistent with 'x' and 'y' with size 3.");
    REFUSED(plt_scatter(ROW(3), ROW(3), .c = ROW(3), .color = "red"), "scatter takes one of c and color, not both");
    REFUSED(plt_scatter(ROW(3), ROW(3), .s = -1), "s is -1; an area must be finite and not negative");
    REFUSED(plt_scatter(ROW(3), ROW(3), .marker = "?"), "Unrecognized marker style '?'");
    REFUSED(plt_scatter(ROW(3), ROW(3), .color = ""), "Invalid RGBA argument: ''");
    REFUSED(plt_bar(ROW(3), ROW(4)),
            "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between 'x' with "
            "shape (3,) and 'height' with shape (4,).");
    REFUSED(plt_bar(t_zeros(2, 2), ROW(4)), "x and height must have rank 0 or 1, but they have rank 2 and 1");
    REFUSED(plt_bar(ROW(3), ROW(3), .width = NAN), "width (nan) and bottom (0) must be finite");
    REFUSED(plt_bar(ROW(3), ROW(3), .color = "#12"), "Invalid hex color specifier: '#12'");
    const char *two[] = {"a", "b", NULL};
    REFUSED(plt_bar(ROW(3), ROW(3), .tick_label = two),
            "The number of FixedLocator locations (3), usually from a call to set_ticks, "
            "does not match the number of labels (2).");
    REFUSED(plt_hist(ROW(3), 0), "`bins` must be positive and at most 1000000, not 0");
    REFUSED(plt_hist(ROW(3), .range = {3, 1}), "max must be larger than min in range parameter, but they are 1 and 3.");
    REFUSED(plt_hist(ROW(3), 3, .range = {1e16, 1e16 + 4}),
            "Too many bins for data range. Cannot create 3 finite-sized bins.");
    REFUSED(plt_hist(ROW(3), .range = {-1.7e308, 1.7e308}),
            "Too many bins for data range. Cannot create 10 finite-sized bins.");
    REFUSED(plt_hist(t_tensor("[1.0, inf]")), "supplied range of [1, inf] is not finite");
    REFUSED(plt_hist(ROW(3), .color = "2"), "Invalid string grayscale value '2'. Value must be within 0-1 range");
}
END_TEST

START_TEST(refuses_images) {
    REFUSED(plt_imshow(ROW(3)), "Invalid shape (3,) for image data: its rank must be 2");
    REFUSED(plt_imshow(t_zeros(2, 2, 3)), "Invalid shape (2, 2, 3) for image data: its rank must be 2");
    REFUSED(plt_imshow(t_zeros(0, 3)), "Invalid shape (0, 3) for image data: it has no elements");
    REFUSED(plt_imshow(t_zeros(2, 2), .vmin = 3, .vmax = 1),
            "minvalue must be less than or equal to maxvalue, but they are 3 and 1");
    REFUSED(plt_imshow(t_zeros(2, 2), .vmin = -INFINITY), "vmin (-inf) and vmax (0) must be finite");
    REFUSED(plt_imshow(t_zeros(2, 2), .aspect = "wide"),
            "'wide' is not a valid value for aspect. Supported values are 'equal', 'auto'");
    REFUSED(plt_imshow(t_zeros(2, 2), .origin = "left"),
            "'left' is not a valid value for origin. Supported values are 'upper', 'lower'");
    REFUSED(
        plt_colorbar(),
        "No mappable was found to use for colorbar creation. First define a mappable such as an image (with imshow).");
    REFUSED(plt_colorbar(.shrink = 0), "shrink must be above 0 and at most 1, but is 0");
    REFUSED(sns_heatmap(ROW(3)), "Invalid shape (3,) for image data: its rank must be 2");
    REFUSED(sns_heatmap(t_zeros(0, 0)), "Invalid shape (0, 0) for image data: it has no elements");
    REFUSED(sns_heatmap(t_zeros(2, 2), .annot = true, .fmt = "zz"),
            "Unknown format code 'z' for object of type 'float'");
    REFUSED(sns_heatmap(t_zeros(2, 2), .linewidths = -1), "linewidths must be finite and not negative, but is -1");
    REFUSED(sns_heatmap(t_zeros(2, 2), .linecolor = "snow white"), "Invalid RGBA argument: 'snow white'");
    const char *one[] = {"a", NULL};
    REFUSED(sns_heatmap(t_zeros(2, 2), .yticklabels = one),
            "The number of FixedLocator locations (2), usually from a call to "
            "set_ticks, does not match the number of labels (1).");
    bool done = plt_imshow(t_zeros(2, 2), .cmap = "rainbows");
    ck_assert(!done && strstr(t_error_message(), "'rainbows'"));
    t_clear_error();
}
END_TEST

START_TEST(refuses_settings) {
    REFUSED(plt_subplot(1, 2, 3), "num must be an integer with 1 <= num <= 2, not 3");
    REFUSED(plt_subplot(1, 2, 0), "num must be an integer with 1 <= num <= 2, not 0");
    REFUSED(plt_subplot(0, 2, 1), "Number of rows must be a positive integer, not 0");
    REFUSED(plt_subplot(1, -2, 1), "Number of columns must be a positive integer, not -2");
    REFUSED(plt_figure(.figsize = {-1, 1}), "figure size must be positive finite not (-1, 1)");
    REFUSED(plt_figure(.figsize = {1, INFINITY}), "figure size must be positive finite not (1, inf)");
    REFUSED(plt_figure(.dpi = 0), "dpi must be positive, not 0");
    REFUSED(plt_figure(.figsize = {1000, 1}),
            "Image size of 100000x100 pixels is too large. It must be less than 2^16 in each "
            "direction.");
    REFUSED(plt_title(NULL), "the text of plt_title is NULL");
    REFUSED(plt_xlabel("x", .fontsize = 0), "fontsize must be positive, not 0");
    REFUSED(plt_xticks(t_zeros(2, 2)), "ticks must have rank 1, but have shape (2, 2)");
    const char *one[] = {"a", NULL};
    REFUSED(plt_xticks(ROW(3), one),
            "The number of FixedLocator locations (3), usually from a call to set_ticks, does not match "
            "the number of labels (1).");
    REFUSED(plt_xticks(NULL, one), "labels require ticks, one for each");
    REFUSED(plt_yticks(ROW(3), .rotation = INFINITY), "rotation must be finite, not inf");
    REFUSED(plt_xlim(0, NAN), "Axis limits cannot be NaN or Inf, but are 0 and nan");
    REFUSED(plt_legend("outside"),
            "'outside' is not a valid value for loc. Supported values are 'best', 'upper right', 'upper left', "
            "'lower left', 'lower right', 'right', 'center left', 'center right', 'lower center', "
            "'upper center', 'center'");
    REFUSED(plt_grid(.axis = "z"), "'z' is not a valid value for axis. Supported values are 'x', 'y', 'both'");
    REFUSED(plt_grid(.linewidth = -1), "linewidth must be finite and not negative, but is -1");
    REFUSED(plt_close("this"), "fig is 'this'; it must be NULL (the current figure) or 'all'");
    REFUSED(plt_rcParams("axes.color", "red"), "'axes.color' is not a valid value for rcParam.");
    REFUSED(plt_rcParams("axes.unicode_minus", "perhaps"), "Key axes.unicode_minus: Cannot convert 'perhaps' to bool");
    REFUSED(plt_rcParams("font.size", "ten"), "Key font.size: could not convert string to float: 'ten'");
    REFUSED(plt_rcParams("figure.dpi", "-5"), "Key figure.dpi: '-5' is not a positive number");
    REFUSED(plt_rcParams("figure.figsize", "12"), "Key figure.figsize: '12' is not two numbers, \"12, 6\"");
    REFUSED(plt_rcParams("font.sans-serif", "Deja\x01"),
            "Key font.sans-serif: 'Deja\xef\xbf\xbd' is not a text in UTF-8");
    REFUSED(plt_rcParams(NULL, "x"), "the key of plt_rcParams is NULL");
    REFUSED(plt_rcParams("figure.figsize", "12, -6"), "Key figure.figsize: ' -6' is not a positive number");
    char family[1000];
    memset(family, 'x', sizeof family - 1);
    family[sizeof family - 1] = '\0';
    REFUSED(plt_rcParams("font.sans-serif", family), "Key font.sans-serif: 999 characters are too many");
    ck_assert(plt_rcParams("figure.figsize", "12, 6.5"));
    plt_figure();
    ck_assert(tg_current().figure->width == 12 && tg_current().figure->height == 6.5);
    plt_close(NULL);
    ck_assert(plt_rcParams("figure.figsize", "6.4, 4.8"));
}
END_TEST

START_TEST(refuses_files) {
    REFUSED(plt_savefig("figure.pdf"),
            "figures are written as SVG or PNG: the path must end in .svg or .png, but is 'figure.pdf'");
    REFUSED(plt_savefig(".svg"), "figures are written as SVG or PNG: the path must end in .svg or .png, but is '.svg'");
    REFUSED(plt_savefig(NULL), "the path of plt_savefig is NULL");
    REFUSED(plt_savefig(path, .bbox_inches = "loose"), "bbox_inches must be NULL or 'tight', but is 'loose'");
    plt_title("a figure");
    bool done = plt_savefig("build/no/such/folder/figure.svg");
    expect_refusal(!done, "cannot write build/no/such/folder/figure.svg: No such file or directory");
    done = plt_savefig(path, .dpi = -1);
    expect_refusal(!done, "dpi must be positive, not -1");
    done = plt_savefig(path, .dpi = 0.1);
    expect_refusal(!done, "a figure of 0 x 0 pixels has nothing to show");
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_pending_error_passes) {
    Tensor *failed = t_matmul(ROW(2), ROW(3));
    const char *sentence =
        "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 "
        "and 3 elements respectively";
    ck_assert_ptr_null(failed);
    ck_assert(!(plt_plot)(failed, NULL) && !(plt_imshow)(failed, NULL) && !(sns_heatmap)(failed, NULL));
    ck_assert(!(plt_scatter)(failed, failed, NULL) && !(plt_bar)(failed, failed, NULL) && !(plt_hist)(failed, NULL));
    ck_assert(!(plt_xticks)(failed, NULL));
    plt_PlotOptions y = {sizeof y, failed, NULL, NULL, NULL, NULL, NULL, 1, 1, 1};
    Tensor *x = (t_zeros)((const int64_t[]){2}, 1, NULL);
    ck_assert(!(plt_plot)(x, &y));
    expect_error(sentence);
    ck_assert_ptr_null(tg_current().figure);
}
END_TEST

START_TEST(null_options_are_defaults) {
    Tensor *x = wave(4, 37, 11), *image = grid_of(3, 3);
    ck_assert((plt_figure)(NULL) && (plt_plot)(x, NULL) && (plt_scatter)(x, x, NULL) && (plt_bar)(x, x, NULL) &&
              (plt_hist)(x, NULL));
    ck_assert((plt_title)("t", NULL) && (plt_xticks)(x, NULL) && (plt_legend)(NULL) && (plt_grid)(NULL) &&
              (plt_savefig)(path, NULL));
    ck_assert((plt_figure)(NULL) && (plt_imshow)(image, NULL) && (plt_colorbar)(NULL) && (sns_heatmap)(image, NULL) &&
              (plt_close)(NULL));
    plt_PlotOptions unset = {0};
    expect_refusal(!(plt_plot)(x, &unset), "the options' first field, size, is not set");
}
END_TEST

Suite *plot_errors_suite(void);
Suite *plot_errors_suite(void) {
    Suite *suite = suite_create("plot_errors");
    TCase *tests = tcase_create("plot_errors");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, refuses_lines);
    tcase_add_test(tests, refuses_points_and_bars);
    tcase_add_test(tests, refuses_images);
    tcase_add_test(tests, refuses_settings);
    tcase_add_test(tests, refuses_files);
    tcase_add_test(tests, a_pending_error_passes);
    tcase_add_test(tests, null_options_are_defaults);
    suite_add_tcase(suite, tests);
    return suite;
}
