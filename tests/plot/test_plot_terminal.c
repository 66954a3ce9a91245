/* tests/plot/test_plot_terminal.c: figures drawn with characters, compared with recorded text. */
#define _POSIX_C_SOURCE 200809L /* dup, fileno, setenv */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/plot/sugar.h"
#include "core/plot/terminal/terminal.h"
#include "core/plot/text/utf8.h"
#include "core/sugar/sugar.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

/* ---- the frame of a test ---- */

/* The current figure drawn as a malloced string; closes the figure. */
static char *drawn(int columns, bool colors) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bool ok = tg_draw_figure(tg_pyplot_state()->figure, (Screen){columns, colors}, file);
    fclose(file);
    ck_assert_msg(ok && plt_close(NULL), "%s", t_error());
    return text;
}

static Tensor *tensor_of(const char *text) {
    return from_text(text, t_float64, false);
}

/* rows x columns elements, 0, 1, 2, ... in rows. */
static Tensor *counting(int64_t rows, int64_t columns) {
    return t_reshape(t_double(t_arange(rows * columns)), rows, columns);
}

/* ---- figures ---- */

static void heat_map(void) {
    static const char *const tokens[] = {"The", "cat", "sat"};
    sns_heatmap(tensor_of("[[0.7, 0.2, 0.1], [0.25, 0.5, 0.25], [0.05, 0.3, 0.65]]"), .cmap = "Blues", .annot = true,
                .fmt = ".2f", .xticklabels = tokens, .yticklabels = tokens);
    plt_title("Attention");
    plt_xlabel("Key");
    plt_ylabel("Query");
}

static void image(void) {
    plt_imshow(counting(4, 10));
    plt_colorbar(.label = "value");
}

static void reduced_image(void) {
    Tensor *x = counting(64, 100);
    t_set(x, "0:8, 0:4", NAN); /* a character, and parts of some */
    plt_imshow(x);
}

static void image_with_nan(void) {
    plt_imshow(tensor_of("[[0, nan], [nan, 1], [2, 3]]"), .vmin = -1, .vmax = 3, .origin = "lower");
}

static void lines(void) {
    plt_plot(tensor_of("[1, 0.5, 0.25, 0.125, 0.0625]"), .label = "training");
    plt_plot(tensor_of("[1, 0.75, 0.6, nan, 0.5]"), .label = "validation", .fmt = "--o");
    plt_legend();
    plt_title("Loss of a model that has a name\nand a second line");
    plt_xlabel("epoch");
    plt_ylabel("loss");
}

static void limits(void) {
    plt_plot(tensor_of("[0, 10, -10, 0]"), .fmt = "k");
    plt_ylim(5, -5);
    plt_xlim(3, 0);
    plt_grid();
}

/* Points on the edges of the view are drawn. */
static void edges(void) {
    plt_plot(tensor_of("[0, 0, 1, 1, 0]"));
    plt_plot(tensor_of("[1, 0.9, 0.1, 0]"), .fmt = "x");
    plt_xlim(0, 3);
    plt_ylim(0, 1);
}

static void bars(void) {
    static const char *const names[] = {"alpha", "beta", "gamma", "a very long name"};
    plt_bar(tensor_of("[0, 1, 2, 3]"), tensor_of("[3, -1.5, 0.25, 4]"), .label = "score", .tick_label = names);
    plt_bar(tensor_of("[0, 1]"), tensor_of("[1, 1]"), .width = 0.4, .label = "less");
    plt_legend();
}

/* More names than fit below the axis. */
static void named_bars(void) {
    static const char *const names[] = {"encoder.embedding.weight", "encoder.norm.weight", "encoder.norm.bias",
                                        "encoder.fc1.weight", "encoder.fc1.bias", "encoder.fc2.weight",
                                        "encoder.fc2.bias"};
    plt_figure(.figsize = {6, 2});
    plt_bar(t_arange(7), tensor_of("[1, 2, 3, 4, 3, 2, 1]"), .tick_label = names);
}

/* Values that alternate from one column to the next. */
static void stripes(void) {
    plt_figure(.figsize = {6, 2});
    plt_imshow(t_repeat(t_remainder(t_arange(90), 2), 50, 1), .aspect = "auto");
}

static void histogram(void) {
    plt_hist(tensor_of("[1, 2, 2, 3, 3, 3, 4, 4, 5]"), .bins = 5);
}

static void scatter(void) {
    Tensor *x = tensor_of("[0, 1, 2, 3, 4]");
    plt_scatter(x, tensor_of("[1e-7, 2e-7, 3e-7, 2e-7, 1e-7]"), .c = x, .marker = "s");
    plt_colorbar();
}

static void subplots(void) {
    plt_subplot(1, 2, 1);
    image();
    plt_title("left");
    plt_subplot(1, 2, 2);
    plt_plot(tensor_of("[0, 1, 0]"));
    plt_subplot(2, 1, 2);
    plt_title("below");
}

static void one_row_one_column(void) {
    plt_subplot(2, 1, 1);
    plt_imshow(counting(1, 6));
    plt_subplot(2, 1, 2);
    plt_imshow(counting(6, 1));
}

static void wide_letters(void) {
    static const char *const names[] = {"a name of twenty-three.", "b"};
    plt_plot(tensor_of("[0, 1]"), .label = "\u640d\u5931", .fmt = "^");
    plt_legend();
    plt_title("\u640d\u5931 \u640d\u5931 \u640d\u5931 e\u0301");
    plt_yticks(tensor_of("[0, 1]"), .labels = names);
}

static void nothing(void) {
    plt_figure();
    plt_subplot(1, 1, 1);
}

typedef struct Shown {
    void (*draw)(void);
    int columns;
    const char *text;
} Shown;

static const Shown shown[] = {
#include "tests/plot/plot_terminal.inc"
};
enum { SHOWN = sizeof shown / sizeof *shown };

/* Names the first line that differs. */
static void expect_text(const char *got, const char *want) {
    for (int line = 1; *got || *want; line++) {
        int g = (int)strcspn(got, "\n"), w = (int)strcspn(want, "\n");
        ck_assert_msg(g == w && strncmp(got, want, (size_t)g) == 0, "line %d is\n%.*s\nnot\n%.*s", line, g, got, w,
                      want);
        got += g + (got[g] == '\n');
        want += w + (want[w] == '\n');
    }
}

START_TEST(draws_figures) {
    shown[_i].draw();
    char *text = drawn(shown[_i].columns, false);
    expect_text(text, shown[_i].text);
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

static void expect_in_colors(const char *part) {
    char *text = drawn(20, true);
    ck_assert_msg(strstr(text, part) != NULL, "no %s in %s", part, text);
    free(text);
}

START_TEST(colors_a_terminal) {
    plt_imshow(tensor_of("[[0, 1], [nan, 0.5]]"), .cmap = "gray");
    expect_in_colors("\033[48;2;0;0;0m        \033[48;2;255;255;255m        \033[49m");
    plt_imshow(tensor_of("[[0, 1], [nan, 0.5]]"), .cmap = "gray");
    expect_in_colors("        \033[48;2;128;128;128m        \033[49m");
    plt_imshow(counting(50, 2), .cmap = "gray", .vmin = 0, .vmax = 3); /* two rows a character */
    expect_in_colors("\033[38;2;0;0;0m\033[48;2;170;170;170m\u2580\033[38;2;85;85;85m\033[48;2;255;255;255m\u2580");
    plt_plot(tensor_of("[0, 1]"), .fmt = "r");
    expect_in_colors("\033[38;2;255;0;0m");
    plt_imshow(tensor_of("[[1], [nan], [nan], [1]]"), .cmap = "gray", .aspect = "auto", .vmin = 0, .vmax = 1);
    plt_ylim(31.5, -0.5); /* so that the rows of the image are half characters */
    char *text = drawn(20, true);
    ck_assert(strstr(text, "\u2580") && strstr(text, "\u2584") && !strstr(text, "48;2;"));
    free(text);
    plt_plot(tensor_of("[0, 1]"), .fmt = "k"); /* black is the terminal's own colour */
    text = drawn(20, true);
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
}
END_TEST

/* The last bits of the values do not move a dot, a shade or a block. */
START_TEST(is_stable_under_rounding) {
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        double unit = i ? 1 - 0x1p-52 : 1;
        Tensor *x = t_mul(counting(5, 6), unit), *y = t_mul(t_mul(t_reshape(counting(1, 21), 21), 0.05), unit);
        plt_subplot(2, 2, 1);
        plt_imshow(x, .vmin = 0, .vmax = 30);
        plt_subplot(2, 2, 2);
        plt_plot(y);
        plt_ylim(0, 1);
        plt_subplot(2, 2, 3);
        plt_bar(y, y);
        plt_xlim(0, 1);
        plt_ylim(0, 1);
        texts[i] = drawn(80, false);
    }
    expect_text(texts[1], texts[0]);
    free(texts[0]);
    free(texts[1]);
}
END_TEST

/* Whichever allocation fails, the figure is unchanged and nothing leaks. */
START_TEST(survives_out_of_memory) {
    FILE *file = fopen("/dev/null", "w");
    bool ok = false;
    subplots();
    for (int n = 1; !ok; n++) {
        tg_alloc_fail(n, false);
        ok = tg_draw_figure(tg_pyplot_state()->figure, (Screen){80, false}, file);
        tg_alloc_fail(0, false);
        ck_assert_msg(ok || (t_error_message() && strstr(t_error_message(), "out of memory")),
                      "request %d failed in silence", n);
        t_clear_error();
    }
    fclose(file);
}
END_TEST

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* Both frames begin and end in the same row. */
static void expect_level(char *text) {
    int begun = 0, ended = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        begun += count_of(line, "\u250c") == 2;
        ended += count_of(line, "\u2514") == 2;
        *end = '\n';
    }
    free(text);
    ck_assert_int_eq(begun, 1);
    ck_assert_int_eq(ended, 1);
}

START_TEST(panels_in_a_row_are_level) {
    for (int colors = 0; colors < 2; colors++)
        for (int which = 0; which < 3; which++) {
            const int columns = which ? 150 : 120;
            plt_figure(.figsize = {12, 6});
            plt_subplot(1, 2, 1);
            if (which < 2) plt_imshow(counting(50, 128), .aspect = "auto");
            else plt_imshow(counting(16, 16));
            plt_title("two\nlines");
            plt_subplot(1, 2, 2);
            plt_plot(tensor_of("[0, 100000, 0]"));
            plt_ylabel("value");
            expect_level(drawn(columns, colors));
        }
    plt_subplot(1, 2, 1);
    plt_plot(tensor_of("[0, 1]"));
    plt_subplot(1, 2, 2);
    plt_plot(tensor_of("[0, 123456]")); /* whose ticks are wider */
    expect_level(drawn(75, false));
}
END_TEST

/* A panel has one row for them. */
START_TEST(labels_of_two_lines) {
    static const char *const days[] = {"1\nMay", "2\nMay"};
    plt_plot(tensor_of("[1, 2]"), .label = "of two\nlines");
    plt_xticks(tensor_of("[0, 1]"), days);
    plt_legend();
    char *text = drawn(80, false);
    ck_assert_msg(strstr(text, " 1 May ") && strstr(text, " 2 May\n") && strstr(text, " of two lines\n"), "%s", text);
    free(text);
}
END_TEST

/* plt.show() where stdout is a file: plain text of 80 columns, whatever the environment says, and an empty line after
 * it. */
START_TEST(shows_on_stdout) {
    static char got[1 << 15];
    char path[] = "/tmp/tapegrad_show_XXXXXX";
    int file = mkstemp(path), before = dup(STDOUT_FILENO);
    heat_map();
    char *want = drawn(80, false);
    histogram();
    char *second = drawn(80, false);
    heat_map();
    plt_figure();
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
    ck_assert_ptr_null(tg_pyplot_state()->figure);
    free(want);
    free(second);
}
END_TEST

/* What plt.show() writes to a terminal of so many columns, malloced. */
static char *shown_on_terminal(int columns) {
    enum { MOST = 1 << 18 };
    int terminal;
    const int file = open_terminal(columns, &terminal), before = dup(STDOUT_FILENO);
    fflush(stdout);
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t reader = fork(); /* a terminal holds few bytes */
    if (reader == 0) {
        char bytes[512];
        close(file);
        for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;)
            if (write(ends[1], bytes, (size_t)n) != n) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    dup2(file, STDOUT_FILENO);
    const bool ok = plt_show();
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(file);
    close(terminal);
    char *text = calloc(1, MOST);
    size_t length = 0;
    for (ssize_t n; length < MOST - 1 && (n = read(ends[0], text + length, MOST - 1 - length)) > 0;)
        length += (size_t)n;
    close(ends[0]);
    waitpid(reader, NULL, 0);
    ck_assert(ok);
    char *to = text; /* a terminal writes \r\n */
    for (const char *at = text; *at; at++)
        if (*at != '\r') *to++ = *at;
    *to = '\0';
    return text;
}

/* plt.show() on a terminal has its width, or that of COLUMNS, but not more than the figure's; and colours, unless
 * NO_COLOR or TERM=dumb. */
START_TEST(shows_on_a_terminal) {
    static const struct {
        int terminal;
        const char *columns, *no_color, *term;
        int width;
        bool colors;
    } cases[] = {{60, NULL, NULL, "xterm", 60, true},    {60, "50", NULL, "xterm", 50, true},
                 {60, "x", "", NULL, 60, true},          {0, NULL, "1", "xterm", 80, false},
                 {200, NULL, NULL, "dumb", 80, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const names[] = {"COLUMNS", "NO_COLOR", "TERM"};
        const char *const values[] = {cases[i].columns, cases[i].no_color, cases[i].term};
        heat_map();
        char *want = drawn(cases[i].width, cases[i].colors);
        heat_map();
        for (int k = 0; k < 3; k++) values[k] ? setenv(names[k], values[k], 1) : unsetenv(names[k]);
        char *got = shown_on_terminal(cases[i].terminal);
        ck_assert_msg(strncmp(got, want, strlen(want)) == 0 && strcmp(got + strlen(want), "\n") == 0,
                      "case %zu:\n%s\ninstead of\n%s", i, got, want);
        free(want);
        free(got);
    }
    for (int k = 0; k < 2; k++) unsetenv(k ? "NO_COLOR" : "COLUMNS");
}
END_TEST

/* How many characters of the Braille block a text has. */
static int braille_of(const char *text) {
    int dots = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        dots += at[0] == 0xe2 && at[1] >= 0xa0 && at[1] <= 0xa3;
    return dots;
}

/* Markers without a character of their own are themselves; more than a hundred points are dots; large numbers of the x
 * axis have their offset below it. */
START_TEST(points_and_offsets) {
    plt_scatter(tensor_of("[0, 1, 2, 3]"), tensor_of("[0, 2, 1, 3]"), .marker = "*");
    char *text = drawn(80, false);
    ck_assert_int_eq(count_of(text, "*"), 4);
    free(text);
    plt_scatter(t_double(t_arange(101)), t_double(t_arange(101)));
    text = drawn(80, false);
    ck_assert_int_eq(count_of(text, "\u25cf"), 0);
    ck_assert_int_gt(braille_of(text), 15);
    free(text);
    int lines = 0; /* of bars that begin and end within a character */
    for (int height = 1; height < 20; height++) {
        plt_bar(tensor_of("[0, 1, 2]"), t_stack((t_number(-3.3), t_number(0.01 * height), t_number(5))));
        text = drawn(60, true);
        lines += strstr(text, "\u2501") != NULL;
        free(text);
    }
    ck_assert_int_gt(lines, 0);
    plt_plot(tensor_of("[1000000001, 1000000002, 1000000003]"), tensor_of("[0, 1, 2]"));
    text = drawn(80, false);
    ck_assert_ptr_nonnull(strstr(text, "+1e9"));
    free(text);
    plt_plot(tensor_of("[0, 1]"), .fmt = "C1:", .label = "dotted");
    plt_legend();
    text = drawn(80, true);
    ck_assert(strstr(text, "\u2509\u2509\u2509") && !strstr(text, "\u254d")); /* as the line of the legend is */
    free(text);
    plt_plot(tensor_of("[0, nan, 1]"), tensor_of("[0, 1, 1]")); /* not joined across the missing x */
    text = drawn(80, false);
    ck_assert_int_eq(braille_of(text), 0);
    free(text);
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
    tcase_add_test(drawing, is_stable_under_rounding);
    tcase_add_test(drawing, survives_out_of_memory);
    tcase_add_test(drawing, panels_in_a_row_are_level);
    tcase_add_test(drawing, labels_of_two_lines);
    tcase_add_test(drawing, shows_on_stdout);
    tcase_add_test(drawing, shows_on_a_terminal);
    tcase_add_test(drawing, points_and_offsets);
    suite_add_tcase(suite, drawing);
    return suite;
}
