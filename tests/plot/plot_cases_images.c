/* tests/plot/plot_cases_images.c: figures, line by line as in golden/plot_cases_images.py: images, heat maps, subplots,
 * legends. */
#include <stdio.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "tests/plot/plot_cases.h"

#define WAVE(n) wave(n, 37, 11)
#define NUMBERS(text) t_tensor(text, .dtype = t_float64)

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
    plt_imshow(t_full((3, 3), 2.0));
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

static void rotated_heat_map_labels(void) {
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
    char title[24];
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
    char label[24];
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
    char title[24];
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

static void legend_best_where_lines_run(void) {
    for (int y = 1; y < 10; y += 8) plt_plot(NUMBERS("[0, 10]"), t_full((2,), y), .label = "through");
    plt_xlim(1, 9);
    plt_legend();
}

static void legend_best_of_equals(void) {
    for (int y = 0; y < 21; y++) plt_plot(NUMBERS("[0, 10]"), t_full((2,), y), "k", .label = y == 0 ? "lines" : NULL);
    plt_xlim(1, 9);
    plt_legend();
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
const PlotCase image_cases[] = {
    CASE(image),
    CASE(wide_image),
    CASE(tall_image),
    CASE(filling_image),
    CASE(image_from_below),
    CASE(image_under_line),
    CASE(image_with_nan),
    CASE(flat_image),
    CASE(two_colorbars),
    CASE(large_values),
    CASE(heat_map),
    CASE(square_heat_map),
    CASE(bare_heat_map),
    CASE(thinned_heat_map),
    CASE(named_heat_map),
    CASE(rotated_heat_map_labels),
    CASE(small_heat_map),
    CASE(heat_map_of_counts),
    CASE(subplots),
    CASE(overlapping_subplots),
    CASE(panels),
    CASE(images_in_rows),
    CASE(two_grids),
    CASE(legend_of_all),
    CASE(legend_best),
    CASE(legend_best_among_points),
    CASE(legend_best_among_bars),
    CASE(legend_best_where_lines_run),
    CASE(legend_best_of_equals),
    CASE(legend_at_1),
    CASE(legend_at_2),
    CASE(legend_at_3),
    CASE(legend_at_4),
    CASE(legend_at_5),
    CASE(legend_at_6),
    CASE(legend_at_7),
    CASE(legend_at_8),
    CASE(legend_at_9),
    CASE(legend_at_10),
};
const int image_case_count = sizeof image_cases / sizeof *image_cases;
