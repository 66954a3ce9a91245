/* tests/plot_cases.c: figures, line by line those of golden/plots.py. */
#include "tests/plot_cases.h"

#include <stdio.h>

#include "core/core.h"
#include "core/plot/plot.h"

Tensor *wave(int64_t n, int64_t a, int64_t b) {
    Tensor *x = t_empty(n, .dtype = t_float64);
    double *to = t_data_mut(x);
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

static void turned_numbers(void) {
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

static void histogram_of_one(void) {
    plt_hist(t_full(9, .fill_value = 4));
}

/* ---- images ---- */

static void image(void) {
    plt_imshow(grid_of(4, 5));
}

static void wide_image(void) {
    plt_imshow(grid_of(3, 40));
    plt_colorbar();
    plt_title("Wide");
}

static void tall_image(void) {
    plt_imshow(grid_of(40, 3), .cmap = "Blues");
    plt_colorbar(.shrink = 0.5);
}

static void filling_image(void) {
    plt_imshow(grid_of(50, 128), .cmap = "RdBu", .aspect = "auto", .vmin = -1, .vmax = 1);
    plt_colorbar();
}

static void image_from_below(void) {
    plt_imshow(grid_of(6, 5), .origin = "lower");
}

static void image_under_line(void) {
    plt_imshow(grid_of(5, 5));
    plt_plot(NUMBERS("[0, 6]"), NUMBERS("[1, 2]"));
}

static void image_with_nan(void) {
    Tensor *x = grid_of(4, 4);
    t_set(x, "1, 1", NAN);
    plt_imshow(x);
    plt_colorbar();
}

static void flat_image(void) {
    plt_imshow(t_full(3, 3, .fill_value = 2));
    plt_colorbar();
}

static void two_colorbars(void) {
    plt_imshow(grid_of(5, 5));
    plt_colorbar();
    plt_colorbar(.label = "again");
}

static void large_values(void) {
    plt_imshow(t_mul(grid_of(5, 5), 1e6));
    plt_colorbar();
}

/* ---- heat maps ---- */

static void heat_map(void) {
    sns_heatmap(grid_of(5, 5), .cmap = "viridis", .annot = true);
    plt_title("Attention weights");
    plt_xlabel("key");
    plt_ylabel("query");
}

static void square_heat_map(void) {
    plt_figure(.figsize = {8, 6});
    sns_heatmap(grid_of(10, 10), .cmap = "Blues", .cbar = true, .square = true);
}

static void bare_heat_map(void) {
    sns_heatmap(grid_of(4, 6), .cbar = false, .linewidths = 2, .linecolor = "black", .vmin = -1, .vmax = 2);
}

static void thinned_heat_map(void) {
    sns_heatmap(grid_of(40, 90));
}

static void named_heat_map(void) {
    const char *names[] = {"a long name", "another one", "and a third one", "four", "five"};
    sns_heatmap(grid_of(5, 5), .xticklabels = names, .yticklabels = names);
}

static void turned_heat_map(void) {
    const char *names[] = {"The", "cat", "sat", "on", "the", "mat"};
    plt_figure(.figsize = {10, 8});
    sns_heatmap(grid_of(6, 6), .cmap = "Blues", .annot = true, .fmt = ".2f");
    plt_xticks(t_arange(6), names, .rotation = 45);
    plt_yticks(t_arange(6), names, .rotation = 0);
    plt_xlabel("Key");
    plt_ylabel("Query");
    plt_title("Self-attention");
    plt_tight_layout();
}

static void small_heat_map(void) {
    plt_figure(.figsize = {2, 2});
    sns_heatmap(grid_of(8, 8), .annot = true);
}

static void heat_map_of_counts(void) {
    sns_heatmap(t_view(t_arange(12), 3, 4), .annot = true, .fmt = "d", .cmap = "Greens");
}

/* ---- subplots ---- */

static void subplots(void) {
    char title[16];
    for (int i = 0; i < 4; i++) {
        plt_subplot(2, 2, i + 1);
        plt_plot(t_mul(WAVE(10), pow(10, i)));
        snprintf(title, sizeof title, "Panel %d", i);
        plt_title(title);
        plt_xlabel("x");
    }
    plt_tight_layout();
}

static void overlapping_subplots(void) {
    plt_subplot(2, 2, 1);
    plt_plot(WAVE(10));
    plt_subplot(2, 2, 4);
    plt_plot(WAVE(10));
}

static void panels(void) {
    char label[16];
    plt_figure(.figsize = {12, 6});
    plt_subplot(1, 2, 1);
    plt_imshow(grid_of(50, 128), .cmap = "RdBu", .aspect = "auto");
    plt_colorbar();
    plt_xlabel("Dimension");
    plt_ylabel("Position");
    plt_title("Matrix");
    plt_subplot(1, 2, 2);
    for (int i = 0; i < 6; i++) {
        snprintf(label, sizeof label, "dim %d", i);
        plt_plot(t_sub(t_mul(wave(50, 7 + i, 11), 2), 1), .label = label);
    }
    plt_xlabel("Position");
    plt_ylabel("Value");
    plt_title("Curves");
    plt_legend();
    plt_tight_layout();
}

static void images_in_rows(void) {
    char title[16];
    plt_figure(.figsize = {9, 5});
    for (int i = 0; i < 6; i++) {
        plt_subplot(2, 3, i + 1);
        plt_imshow(grid_of(6, 6 + i));
        snprintf(title, sizeof title, "head %d", i);
        plt_title(title);
        plt_colorbar();
    }
    plt_tight_layout();
}

static void two_grids(void) {
    plt_subplot(1, 2, 1);
    plt_plot(WAVE(10));
    plt_subplot(2, 2, 2);
    plt_plot(WAVE(10));
    plt_subplot(2, 2, 4);
    plt_plot(WAVE(10));
    plt_tight_layout();
}

/* ---- legends ---- */

static void legend_of_all(void) {
    plt_hist(WAVE(50), .label = "hist");
    plt_plot(WAVE(10), .fmt = "s-", .label = "line");
    plt_bar(t_arange(3), WAVE(3), .label = "bar");
    plt_scatter(WAVE(5), wave(5, 7, 11), .label = "points");
    plt_plot(WAVE(5), .label = "_hidden");
    plt_legend("upper left");
    plt_plot(WAVE(7), .label = "late");
}

static void legend_best(void) {
    Tensor *x = t_arange(10);
    plt_plot(x, x, .label = "up");
    plt_plot(x, t_add(x, 3), .label = "up too");
    plt_legend();
}

static void legend_best_among_points(void) {
    plt_scatter(WAVE(300), wave(300, 5, 11), .label = "all over");
    plt_plot(WAVE(30), wave(30, 7, 11), .label = "zigzag");
    plt_legend(.fontsize = 14);
}

static void legend_best_among_bars(void) {
    plt_bar(t_arange(8), wave(8, 5, 11), .label = "bars");
    plt_bar(t_arange(8), t_mul(wave(8, 3, 11), 0.5), .label = "more bars");
    plt_legend(.frameon = false);
}

static void legend_at(const char *loc) {
    plt_plot(WAVE(10), .label = "a line\nof two lines");
    plt_plot(wave(10, 5, 11), .fmt = ".", .label = "gy", .markersize = 10);
    plt_legend(loc);
}

static void legend_at_1(void) { legend_at("upper right"); }
static void legend_at_2(void) { legend_at("upper left"); }
static void legend_at_3(void) { legend_at("lower left"); }
static void legend_at_4(void) { legend_at("lower right"); }
static void legend_at_5(void) { legend_at("right"); }
static void legend_at_6(void) { legend_at("center left"); }
static void legend_at_7(void) { legend_at("center right"); }
static void legend_at_8(void) { legend_at("lower center"); }
static void legend_at_9(void) { legend_at("upper center"); }
static void legend_at_10(void) { legend_at("center"); }

#define CASE(f) {#f, f}
const PlotCase plot_cases[] = {
    CASE(empty), CASE(line), CASE(curves), CASE(constant), CASE(zero), CASE(one_point), CASE(only_nan), CASE(gaps), CASE(no_points),
    CASE(columns), CASE(large_numbers), CASE(large_numbers_short_title), CASE(small_numbers), CASE(far_from_zero),
    CASE(negative_numbers), CASE(ascii_minus), CASE(limits), CASE(limits_first), CASE(equal_limits), CASE(ticks), CASE(named_ticks),
    CASE(upright_ticks), CASE(turned_numbers), CASE(no_ticks), CASE(two_lines), CASE(accents), CASE(font_size), CASE(long_labels),
    CASE(too_small), CASE(points), CASE(shaded_points), CASE(bars), CASE(named_bars), CASE(falling_bars), CASE(histogram),
    CASE(dense_histogram), CASE(histogram_of_one), CASE(image), CASE(wide_image), CASE(tall_image), CASE(filling_image),
    CASE(image_from_below), CASE(image_under_line), CASE(image_with_nan), CASE(flat_image), CASE(two_colorbars), CASE(large_values),
    CASE(heat_map), CASE(square_heat_map), CASE(bare_heat_map), CASE(thinned_heat_map), CASE(named_heat_map), CASE(turned_heat_map),
    CASE(small_heat_map), CASE(heat_map_of_counts), CASE(subplots), CASE(overlapping_subplots), CASE(panels), CASE(images_in_rows),
    CASE(two_grids), CASE(legend_of_all), CASE(legend_best), CASE(legend_best_among_points), CASE(legend_best_among_bars),
    CASE(legend_at_1), CASE(legend_at_2), CASE(legend_at_3), CASE(legend_at_4), CASE(legend_at_5), CASE(legend_at_6),
    CASE(legend_at_7), CASE(legend_at_8), CASE(legend_at_9), CASE(legend_at_10),
};
const int plot_case_count = sizeof plot_cases / sizeof *plot_cases;
