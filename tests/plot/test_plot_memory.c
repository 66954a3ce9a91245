/* tests/plot/test_plot_memory.c: plt_ and sns_ calls out of memory: each allocation of a call fails in turn, and the
 * figure is unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/plot/figure/figure.h"
#include "core/plot/pyplot.h"
#include "tests/plot/plot_cases.h"

static const char path[] = "build/test_plot_memory.svg";

static void tidy(void) {
    tg_alloc_fail(0, false);
    plt_close("all");
    remove(path);
    remove("build/test_plot_memory.png");
    support_teardown();
}

/* ---- the calls ---- */

static Tensor *vector, *matrix; /* what the calls draw */
static const char *const names[] = {"a", "b", "c"};

static bool oom_figure(void) { return plt_figure(NULL); }
static bool oom_subplot(void) { return plt_subplot(2, 2, 3); }
static bool oom_plot(void) {
    plt_PlotOptions o = {sizeof o, vector, "ro--", "label", NULL, NULL, NULL, 1, 2, 1};
    return plt_plot(vector, &o);
}
static bool oom_columns(void) { return plt_plot(matrix, NULL); }
static bool oom_scatter(void) {
    plt_ScatterOptions o = {sizeof o, 9, vector, NULL, "s", "magma", "label", 1};
    return plt_scatter(vector, vector, &o);
}
static bool oom_bar(void) {
    plt_BarOptions o = {sizeof o, 1, 0, NULL, "label", names, 1};
    return plt_bar(vector, vector, &o);
}
static bool oom_hist(void) { return plt_hist(vector, NULL); }
static bool oom_imshow(void) { return plt_imshow(matrix, NULL); }
static bool oom_heatmap(void) {
    sns_HeatmapOptions o = {sizeof o, NAN, NAN, NULL, true, ".1f", 1, NULL, true, true, names, NULL};
    return sns_heatmap(matrix, &o);
}
static bool oom_title(void) { return plt_title("new", NULL); }
static bool oom_ylabel(void) { return plt_ylabel("new", NULL); }
static bool oom_ticks(void) {
    plt_TicksOptions o = {sizeof o, names, 10, 20};
    return plt_xticks(vector, &o);
}
static bool oom_xlim(void) { return plt_xlim(3, 4); }
static bool oom_legend(void) { return plt_legend(NULL); }
static bool oom_grid(void) { return plt_grid(NULL); }
static bool oom_colorbar(void) {
    plt_ColorbarOptions o = {sizeof o, "label", 1};
    return plt_colorbar(&o);
}
static bool oom_tight_layout(void) { return plt_tight_layout(); }
static bool oom_savefig(void) { return plt_savefig(path, NULL); }
static bool oom_imsave(void) { return plt_imsave("build/test_plot_memory.png", matrix, NULL); }

static bool oom_xlabel(void) { return plt_xlabel("new", NULL); }
static bool oom_yticks(void) { return plt_yticks(vector, NULL); }
static bool oom_ylim(void) { return plt_ylim(3, 4); }
static bool oom_close(void) { return plt_close(NULL); }
static bool oom_rcParams(void) { return plt_rcParams("figure.dpi", "100"); }

static const struct {
    const char *name;
    bool (*call)(void);
    bool needs_figure, allocates; /* the call needs a figure; it always allocates */
} calls[] = {
    {"plt_figure", oom_figure, false, true},       {"plt_subplot", oom_subplot, false, true},
    {"plt_plot", oom_plot, false, true},           {"plt_plot", oom_columns, false, true},
    {"plt_scatter", oom_scatter, false, true},     {"plt_bar", oom_bar, false, true},
    {"plt_hist", oom_hist, false, true},           {"plt_imshow", oom_imshow, false, true},
    {"sns_heatmap", oom_heatmap, false, true},     {"plt_title", oom_title, false, true},
    {"plt_xlabel", oom_xlabel, false, true},       {"plt_ylabel", oom_ylabel, false, true},
    {"plt_xticks", oom_ticks, false, true},        {"plt_yticks", oom_yticks, false, true},
    {"plt_xlim", oom_xlim, false, false},          {"plt_ylim", oom_ylim, false, false},
    {"plt_legend", oom_legend, false, false},      {"plt_grid", oom_grid, false, false},
    {"plt_colorbar", oom_colorbar, true, true},    {"plt_tight_layout", oom_tight_layout, true, true},
    {"plt_savefig", oom_savefig, true, true},      {"plt_close", oom_close, false, false},
    {"plt_rcParams", oom_rcParams, false, false},  {"plt_imsave", oom_imsave, true, true},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- allocations that fail ---- */

/* Each function of the header has a row above; plt_show is tested in test_plot_terminal.c. */
START_TEST(every_function_has_a_row) {
    char *header = read_text("core/plot/pyplot.h"), name[60];
    int found = 0;
    for (const char *at = header; (at = strstr(at, "T_API bool ")); found++) {
        int row = 0;
        at += strlen("T_API bool ");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "("), at);
        while (row < CALLS && strcmp(calls[row].name, name) != 0) row++;
        if (row == CALLS && strcmp(name, "plt_show") != 0) note("%s has no row", name);
    }
    ck_assert_int_ge(found, 20);
    free(header);
    report_notes();
}
END_TEST

/* The current figure as a file, malloced; NULL if there is no figure. */
static char *picture(void) {
    if (!tg_current().figure) return NULL;
    ck_assert_msg(plt_savefig(path, NULL), "%s", t_error());
    char *text = read_text(path);
    remove(path);
    return text;
}

/* Fails each allocation of the call in turn, or all from it on; the figure is unchanged until the call works. */
static void fail_allocations(int which, bool forever) {
    char *before = picture();
    int failures = 0;
    for (int64_t n = 1;; n++) {
        tg_alloc_fail(n, forever);
        bool done = calls[which].call();
        tg_alloc_fail(0, false);
        if (done) break;
        failures++;
        ck_assert_msg(strstr(t_error_message(), "out of memory") == t_error_message(), "%s: %s", calls[which].name,
                      t_error());
        t_clear_error();
        ck_assert_int_ne(access(path, F_OK), 0);
        char *after = picture();
        ck_assert_msg(before ? after && strcmp(before, after) == 0 : !after, "%s changed something", calls[which].name);
        free(after);
    }
    ck_assert_msg(failures > 0 || !calls[which].allocates, "%s allocates nothing", calls[which].name);
    free(before);
}

START_TEST(survives_out_of_memory) {
    vector = wave(3, 37, 11);
    matrix = grid_of(3, 3);
    for (int forever = 0; forever < 2; forever++) {
        if (!calls[_i].needs_figure) {
            fail_allocations(_i, forever);
            plt_close("all");
            plt_figure(NULL); /* without axes */
            fail_allocations(_i, forever);
            plt_close("all");
        }
        ck_assert(oom_plot() && oom_title() && oom_imshow());
        fail_allocations(_i, forever);
        plt_close("all");
    }
}
END_TEST

Suite *plot_memory_suite(void);
Suite *plot_memory_suite(void) {
    Suite *suite = suite_create("plot_memory");
    TCase *tests = tcase_create("plot_memory");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, every_function_has_a_row);
    tcase_add_loop_test(tests, survives_out_of_memory, 0, CALLS);
    suite_add_tcase(suite, tests);
    return suite;
}
