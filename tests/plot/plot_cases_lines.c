/* tests/plot/plot_cases_lines.c: figures, line by line as in golden/plot_cases_lines.py: lines, ticks and labels,
 * points, bars. */
#include "tests/plot/plot_cases.h"

#include <stdio.h>

#include "core/core.h"
#include "core/plot/plot.h"

Tensor *wave(int64_t n, int64_t a, int64_t b) {
    Tensor *x = t_empty(n, .dtype = t_float64);
    double *to = t_data_ptr_mut(x);
    for (int64_t i = 0; i < n; i++) to[i] = (double)((i * a + b) % 97) / 97;
    return x;
}

Tensor *grid_of(int64_t rows, int64_t columns) {
    return t_view(wave(rows * columns, 37, 11), rows, columns);
}

#define WAVE(n) wave(n, 37, 11)
#define NUMBERS(text) t_tensor(text, .dtype = t_float64)

/* ---- lines ---- */

static void empty(void) {
    plt_subplot(1, 1, 1);
}

static void line(void) {
    plt_plot(WAVE(20));
    plt_title("A line");
    plt_xlabel("step");
    plt_ylabel("value");
}

static void curves(void) {
    Tensor *x = t_mul(t_arange(30), 0.5);
    plt_plot(x, t_sub(2, wave(30, 3, 11)), .label = "training loss");
    plt_plot(x, t_sub(2.5, wave(30, 5, 11)), "r--", .label = "validation loss");
    plt_plot(x, wave(30, 2, 11), "o", .label = "accuracy");
    plt_legend();
    plt_grid(true);
}

static void constant(void) {
    plt_plot(NUMBERS("[3, 3, 3, 3, 3]"));
}

static void zero(void) {
    plt_plot(t_zeros(3));
}

static void one_point(void) {
    plt_plot(NUMBERS("[2]"), NUMBERS("[5]"), "o");
}

static void only_nan(void) {
    plt_plot(NUMBERS("[nan, nan, nan, nan]"));
}

static void gaps(void) {
    Tensor *y = WAVE(12);
    t_set(y, "3", NAN);
    t_set(y, "7", INFINITY);
    plt_plot(y);
}

static void no_points(void) {
    plt_plot(t_empty(0));
}

static void columns(void) {
    plt_plot(grid_of(10, 3));
}

static void large_numbers(void) {
    plt_plot(t_mul(WAVE(10), 4e6));
    plt_title("A title that is so long that the power of ten at the left is in its way");
}

static void large_numbers_short_title(void) {
    plt_plot(t_mul(WAVE(10), 4e6));
    plt_title("Short");
}

static void small_numbers(void) {
    plt_plot(t_mul(WAVE(10), 1e-5), t_mul(wave(10, 5, 11), 1e-7));
    plt_xlabel("x");
}

static void far_from_zero(void) {
    plt_plot(t_add(t_mul(WAVE(10), 1e-3), 12345), t_add(wave(10, 5, 11), 1e5));
    plt_xlabel("x");
}

static void negative_numbers(void) {
    plt_plot(t_mul(WAVE(15), -100), t_sub(t_mul(wave(15, 5, 11), 40), 20));
    plt_xlabel("below");
    plt_ylabel("around");
}

static void ascii_minus(void) {
    plt_rcParams("axes.unicode_minus", "False");
    plt_plot(t_sub(WAVE(15), 0.5));
}

static void limits(void) {
    plt_plot(WAVE(20));
    plt_xlim(5, 15);
    plt_ylim(1, 0);
    plt_plot(WAVE(40));
}

static void limits_first(void) {
    plt_ylim(-3, 3);
    plt_plot(WAVE(20));
}

static void equal_limits(void) {
    plt_xlim(2, 2);
}

/* ---- ticks and labels ---- */

static void ticks(void) {
    plt_plot(WAVE(20));
    plt_xticks(t_tensor("[0, 5, 30]"));
    plt_yticks(NUMBERS("[0.25, 0.5]"));
}

static void named_ticks(void) {
    const char *names[] = {"first", "second", "third", "a fourth, long one"}, *heights[] = {"low", "middle", "high"};
    plt_plot(WAVE(4));
    plt_xticks(t_arange(4), names, .rotation = 45);
    plt_yticks(NUMBERS("[0, 0.5, 1]"), heights);
    plt_xlabel("names");
    plt_ylabel("heights");
    plt_tight_layout();
}

static void upright_ticks(void) {
    const char *names[] = {"first", "second", "third", "fourth"}, *heights[] = {"low", "middle", "high"};
    plt_plot(WAVE(4));
    plt_xticks(t_arange(4), names, .rotation = 90);
    plt_yticks(NUMBERS("[0, 0.5, 1]"), heights, .rotation = 90);
    plt_xlabel("names");
    plt_ylabel("heights");
}

static void rotated_tick_labels(void) {
    plt_plot(t_mul(WAVE(20), 1000));
    plt_xticks(NULL, .rotation = 30, .fontsize = 8);
    plt_xlabel("turned");
}

static void no_ticks(void) {
    plt_plot(WAVE(20));
    plt_xticks(t_empty(0));
    plt_yticks(t_empty(0));
    plt_xlabel("x");
    plt_ylabel("y");
}

static void two_lines(void) {
    plt_plot(WAVE(20));
    plt_title("Two lines\nof a title", .fontsize = 16);
    plt_xlabel("and of\na label");
    plt_ylabel("three\nlines\nhere");
    plt_tight_layout();
}

static void accents(void) {
    plt_plot(WAVE(20));
    plt_title("Élan à Ōsaka");
    plt_ylabel("Größe", .fontsize = 14);
}

static void font_size(void) {
    plt_rcParams("font.size", "14");
    plt_plot(WAVE(20), .label = "large");
    plt_title("Large");
    plt_xlabel("x");
    plt_legend();
}

static void long_labels(void) {
    plt_figure(.figsize = {4, 3});
    plt_plot(WAVE(20));
    plt_title("A title that is far too long for a figure of this width");
    plt_xlabel("a label that is far too long for a figure of this width as well");
    plt_ylabel("and this one is longer than the figure is high");
    plt_tight_layout();
}

static void too_small(void) {
    plt_figure(.figsize = {0.5, 0.5});
    plt_plot(WAVE(20));
    plt_tight_layout();
}

/* ---- points and bars ---- */

static void points(void) {
    plt_scatter(WAVE(40), wave(40, 5, 11));
}

static void shaded_points(void) {
    plt_scatter(WAVE(40), wave(40, 5, 11), .c = t_mul(wave(40, 7, 11), 10), .cmap = "plasma", .s = 80);
    plt_colorbar(.label = "weight");
}

static void bars(void) {
    plt_bar(t_arange(5), WAVE(5), .label = "five");
    plt_legend();
}

static void named_bars(void) {
    const char *names[] = {"a", "b", "c"};
    plt_bar(t_arange(3), NUMBERS("[3, -1, 2]"), .width = 0.5, .bottom = 1, .tick_label = names);
}

static void falling_bars(void) {
    plt_bar(t_arange(4), t_neg(WAVE(4)));
}

static void histogram(void) {
    plt_hist(t_square(wave(200, 41, 11)));
}

static void dense_histogram(void) {
    plt_hist(wave(200, 41, 11), .bins = 7, .range = {0.2, 0.7}, .density = true);
}

static void histogram_at_its_edges(void) {
    double numbers[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.7, 0.1 + 0.2, 0.8 - 0.3, 1.1};
    plt_hist(t_tensor(numbers, 11), .bins = 6, .range = {0.1, 0.7});
    double tenths[30];
    for (int i = 0; i < 30; i++) tenths[i] = i * 0.1;
    plt_hist(t_tensor(tenths, 30), .bins = 29);
}

static void histogram_of_one(void) {
    plt_hist(t_full((9,), 4.0));
}

#define CASE(f) {#f, f}
const PlotCase line_cases[] = {
    CASE(empty), CASE(line), CASE(curves), CASE(constant), CASE(zero), CASE(one_point), CASE(only_nan), CASE(gaps),
    CASE(no_points), CASE(columns), CASE(large_numbers), CASE(large_numbers_short_title), CASE(small_numbers),
    CASE(far_from_zero), CASE(negative_numbers), CASE(ascii_minus), CASE(limits), CASE(limits_first),
    CASE(equal_limits), CASE(ticks), CASE(named_ticks), CASE(upright_ticks), CASE(rotated_tick_labels), CASE(no_ticks),
    CASE(two_lines), CASE(accents), CASE(font_size), CASE(long_labels), CASE(too_small), CASE(points),
    CASE(shaded_points), CASE(bars), CASE(named_bars), CASE(falling_bars), CASE(histogram), CASE(dense_histogram),
    CASE(histogram_at_its_edges), CASE(histogram_of_one),
};
const int line_case_count = sizeof line_cases / sizeof *line_cases;
