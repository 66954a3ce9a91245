/* tests/test_plot_terminal.c: figures drawn with characters, beside the texts they are to be. */
#define _POSIX_C_SOURCE 200809L /* dup, fileno, setenv */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/plot/terminal.h"
#include "core/plot/utf8.h"
#include "tests/support.h"

/* ---- the frame of a test ---- */

/* What the current figure looks like, in a malloced text; the figure is closed. */
static char *drawn(int columns, bool colors) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bool ok = tg_draw_figure(tg_plots()->figure, (Screen){columns, colors}, file);
    fclose(file);
    ck_assert_msg(ok && plt_close(NULL), "%s", t_error());
    return text;
}

static Tensor *numbers(const char *text) {
    return from_text(text, t_float64, false);
}

/* rows x columns elements, 0, 1, 2, ... in rows. */
static Tensor *counting(int64_t rows, int64_t columns) {
    return t_reshape(t_arange(0, (double)(rows * columns), 1, &(t_TensorOptions){sizeof(t_TensorOptions), t_float64, false, NULL}), SHAPE(rows, columns));
}

static void plot(const char *y, const char *label, const char *fmt) {
    plt_plot(numbers(y), &(plt_PlotOptions){sizeof(plt_PlotOptions), NULL, fmt, label, NULL, NULL, NULL, 1.5, 6, 1});
}

static void title(const char *text) {
    plt_title(text, NULL);
}

/* ---- figures ---- */

static void heat_map(void) {
    static const char *const tokens[] = {"The", "cat", "sat"};
    sns_heatmap(numbers("[[0.7, 0.2, 0.1], [0.25, 0.5, 0.25], [0.05, 0.3, 0.65]]"),
                &(sns_HeatmapOptions){sizeof(sns_HeatmapOptions), NAN, NAN, "Blues", true, ".2f", 0, NULL, true, false, tokens, tokens});
    title("Attention");
    plt_xlabel("Key", NULL);
    plt_ylabel("Query", NULL);
}

static void image(void) {
    plt_imshow(counting(4, 10), NULL);
    plt_colorbar(&(plt_ColorbarOptions){sizeof(plt_ColorbarOptions), "value", 1});
}

static void reduced_image(void) {
    plt_imshow(counting(64, 100), NULL);
}

static void image_with_nan(void) {
    plt_imshow(numbers("[[0, nan], [nan, 1], [2, 3]]"), &(plt_ImshowOptions){sizeof(plt_ImshowOptions), NULL, NULL, -1, 3, "lower"});
}

static void lines(void) {
    plot("[1, 0.5, 0.25, 0.125, 0.0625]", "training", NULL);
    plot("[1, 0.75, 0.6, nan, 0.5]", "validation", "--o");
    plt_legend(NULL);
    title("Loss of a model that has a name\nand a second line");
    plt_xlabel("epoch", NULL);
    plt_ylabel("loss", NULL);
}

static void limits(void) {
    plot("[0, 10, -10, 0]", NULL, "k");
    plt_ylim(5, -5);
    plt_xlim(3, 0);
    plt_grid(NULL);
}

static void bars(void) {
    static const char *const names[] = {"alpha", "beta", "gamma", "a very long name"};
    plt_bar(numbers("[0, 1, 2, 3]"), numbers("[3, -1.5, 0.25, 4]"),
            &(plt_BarOptions){sizeof(plt_BarOptions), 0.8, 0, NULL, "score", names, 1});
    plt_bar(numbers("[0, 1]"), numbers("[1, 1]"), &(plt_BarOptions){sizeof(plt_BarOptions), 0.4, 0, NULL, "less", NULL, 1});
    plt_legend(NULL);
}

static void histogram(void) {
    plt_hist(numbers("[1, 2, 2, 3, 3, 3, 4, 4, 5]"), &(plt_HistOptions){sizeof(plt_HistOptions), 5, {NAN, NAN}, false, NULL, NULL, 1});
}

static void scatter(void) {
    plt_scatter(numbers("[0, 1, 2, 3, 4]"), numbers("[1e-7, 2e-7, 3e-7, 2e-7, 1e-7]"),
                &(plt_ScatterOptions){sizeof(plt_ScatterOptions), 36, numbers("[0, 1, 2, 3, 4]"), NULL, "s", "viridis", NULL, 1});
    plt_colorbar(NULL);
}

static void subplots(void) {
    plt_subplot(1, 2, 1);
    image();
    title("left");
    plt_subplot(1, 2, 2);
    plot("[0, 1, 0]", NULL, NULL);
    plt_subplot(2, 1, 2);
    title("below");
}

static void one_row_one_column(void) {
    plt_subplot(2, 1, 1);
    plt_imshow(counting(1, 6), NULL);
    plt_subplot(2, 1, 2);
    plt_imshow(counting(6, 1), NULL);
}

static void wide_letters(void) {
    plot("[0, 1]", "\xe6\x90\x8d\xe5\xa4\xb1", "^");
    plt_legend(NULL);
    title("\xe6\x90\x8d\xe5\xa4\xb1 \xe6\x90\x8d\xe5\xa4\xb1 \xe6\x90\x8d\xe5\xa4\xb1 e\xcc\x81");
    plt_yticks(numbers("[0, 1]"), &(plt_TicksOptions){sizeof(plt_TicksOptions), (const char *const[]){"a name of twenty-three.", "b"}, 0, NAN});
}

static void nothing(void) {
    plt_figure(NULL);
    plt_subplot(1, 1, 1);
}

typedef struct Shown {
    void (*draw)(void);
    int columns;
    const char *text;
} Shown;

static const Shown shown[] = {
#include "tests/plot_terminal.inc"
};
enum { SHOWN = sizeof shown / sizeof *shown };

START_TEST(draws_figures) {
    shown[_i].draw();
    char *text = drawn(shown[_i].columns, false);
    ck_assert_msg(strcmp(text, shown[_i].text) == 0, "got\n%s\nnot\n%s", text, shown[_i].text);
    free(text);
}
END_TEST

/* ---- what holds for all ---- */

static void strip_escapes(char *text) {
    char *to = text;
    for (; *text; text++)
        if (*text == '\033') text += strcspn(text, "m");
        else *to++ = *text;
    *to = '\0';
}

/* No line is wider than the screen, in colours or without, and none ends in a space. */
START_TEST(keeps_to_the_columns) {
    for (int columns = 20; columns < 130; columns += 9)
        for (int colors = 0; colors < 2; colors++) {
            shown[_i].draw();
            char *text = drawn(columns, colors);
            if (!colors && strchr(text, '\033')) note("an escape in plain text");
            strip_escapes(text);
            for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
                *end = '\0';
                if (tg_utf8_columns(line) > columns) note("%d columns: %s", columns, line);
                if (!colors && end > line && end[-1] == ' ') note("a space at the end of: %s", line);
            }
            free(text);
        }
    report_notes();
}
END_TEST

START_TEST(colors_a_terminal) {
    plt_imshow(numbers("[[0, 1], [nan, 0.5]]"), &(plt_ImshowOptions){sizeof(plt_ImshowOptions), "gray", NULL, NAN, NAN, NULL});
    char *text = drawn(20, true);
    ck_assert_ptr_nonnull(strstr(text, "\033[48;2;0;0;0m        \033[48;2;255;255;255m        \033[49m"));
    ck_assert_ptr_nonnull(strstr(text, "        \033[48;2;128;128;128m        \033[49m"));
    free(text);
    plt_imshow(counting(50, 2), &(plt_ImshowOptions){sizeof(plt_ImshowOptions), "gray", NULL, 0, 3, NULL});
    text = drawn(20, true); /* two rows a character: its upper half in front, its lower half behind */
    ck_assert_ptr_nonnull(strstr(text, "\033[38;2;0;0;0m\033[48;2;170;170;170m\u2580\033[38;2;85;85;85m\033[48;2;255;255;255m\u2580"));
    free(text);
    plt_imshow(from_text("[[1], [nan], [nan], [1]]", t_float64, false), &(plt_ImshowOptions){sizeof(plt_ImshowOptions), "gray", "auto", 0, 1, NULL});
    plt_ylim(31.5, -0.5); /* so that the rows of the image are half characters */
    text = drawn(20, true);
    ck_assert_ptr_nonnull(strstr(text, "\u2580"));
    ck_assert_ptr_nonnull(strstr(text, "\u2584"));
    ck_assert_ptr_null(strstr(text, "48;2;"));
    free(text);
    plot("[0, 1]", NULL, "r");
    text = drawn(20, true);
    ck_assert_ptr_nonnull(strstr(text, "\033[38;2;255;0;0m"));
    free(text);
    plot("[0, 1]", NULL, "k"); /* black is the terminal's own colour */
    text = drawn(20, true);
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
}
END_TEST

/* The last bits of the values do not move a dot, a shade or a block. */
START_TEST(bears_rounding) {
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        Tensor *x = counting(5, 6), *y = t_mul(t_reshape(counting(1, 21), SHAPE(21)), t_number(0.05));
        if (i) {
            x = t_mul(x, t_number(1 - 0x1p-52));
            y = t_mul(y, t_number(1 - 0x1p-52));
        }
        plt_subplot(2, 2, 1);
        plt_imshow(x, &(plt_ImshowOptions){sizeof(plt_ImshowOptions), NULL, NULL, 0, 30, NULL});
        plt_subplot(2, 2, 2);
        plt_plot(y, NULL);
        plt_ylim(0, 1);
        plt_subplot(2, 2, 3);
        plt_bar(y, y, NULL);
        plt_xlim(0, 1);
        plt_ylim(0, 1);
        texts[i] = drawn(80, false);
    }
    ck_assert_str_eq(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}
END_TEST

/* plt.show() where stdout is a file: plain text of 80 columns, whatever the environment says, and an empty line behind. */
START_TEST(shows_on_stdout) {
    static char got[1 << 15];
    char path[] = "/tmp/tapegrad_show_XXXXXX";
    int file = mkstemp(path), before = dup(STDOUT_FILENO);
    heat_map();
    char *want = drawn(80, false);
    histogram();
    char *second = drawn(80, false);
    heat_map();
    plt_figure(NULL);
    histogram();
    setenv("COLUMNS", "40", 1);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    bool ok = plt_show();
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    unsetenv("COLUMNS");
    ssize_t length = pread(file, got, sizeof got - 1, 0);
    close(file);
    unlink(path);
    ck_assert(ok && length > 0);
    got[length] = '\0';
    size_t first = strlen(want);
    ck_assert(strncmp(got, want, first) == 0 && got[first] == '\n');
    ck_assert(strncmp(got + first + 1, second, strlen(second)) == 0);
    ck_assert(strcmp(got + first + 1 + strlen(second), "\n") == 0);
    ck_assert_ptr_null(tg_plots()->figure);
    free(want);
    free(second);
}
END_TEST

static void close_all(void) {
    plt_close("all");
    support_teardown();
}

Suite *plot_terminal_suite(void) {
    Suite *suite = suite_create("plot_terminal");
    TCase *drawing = tcase_create("drawing");
    tcase_add_checked_fixture(drawing, support_setup, close_all);
    tcase_add_loop_test(drawing, draws_figures, 0, SHOWN);
    tcase_add_loop_test(drawing, keeps_to_the_columns, 0, SHOWN);
    tcase_add_test(drawing, colors_a_terminal);
    tcase_add_test(drawing, bears_rounding);
    tcase_add_test(drawing, shows_on_stdout);
    suite_add_tcase(suite, drawing);
    return suite;
}
