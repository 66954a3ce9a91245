/* tests/data/test_tqdm.c: progress bars against tqdm's own lines (tests/golden/tqdm_lines.py), byte for byte, with a
 * clock that the tests set. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/data/tqdm_internal.h"
#include "core/tensor/context.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static double clock_time;
static double fake_now(void) {
    return clock_time;
}
static bool no_screen(int fd, int *columns, int *rows) {
    (void)fd;
    (void)columns;
    (void)rows;
    return false;
}

/* A file in memory for the bars; close_screen returns what they wrote, which lives until the end of the test or until
 * the next screen. */
static char *screen_text;
static size_t screen_size;
static FILE *open_screen(void) {
    free(screen_text);
    screen_text = NULL;
    return open_memstream(&screen_text, &screen_size);
}
static const char *close_screen(FILE *screen) {
    fclose(screen);
    return screen_text;
}

static tg_TqdmCalls calls_before;
static void setup(void) {
    support_setup();
    calls_before = tg_tqdm_calls;
    tg_tqdm_calls = (tg_TqdmCalls){fake_now, no_screen};
    clock_time = 1000;
}
static void teardown(void) {
    tg_tqdm_calls = calls_before;
    free(screen_text);
    screen_text = NULL;
    support_teardown();
}

/* ---- the recorded lines ---- */

/* Calls check with the fields of each line that begins with that word. */
static int each_line(const char *word, void (*check)(char **fields, int count)) {
    FILE *file = fopen("tests/golden/tqdm.txt", "r");
    ck_assert_ptr_nonnull(file);
    char *line = NULL;
    size_t capacity = 0;
    int lines = 0;
    while (getline(&line, &capacity, file) > 0) {
        char *fields[32], *at = line;
        int count = 0;
        line[strcspn(line, "\n")] = '\0';
        for (char *field; count < 32 && (field = strsep(&at, "\t"));) fields[count++] = field;
        if (strcmp(fields[0], word) != 0) continue;
        check(fields, count);
        lines++;
    }
    free(line);
    fclose(file);
    return lines;
}

/* The text with the characters that stand for return, newline and escape. */
static const char *visible(const char *text) {
    char *to = malloc(3 * strlen(text) + 1), *at = to;
    for (; *text; text++) {
        const char *symbol = *text == '\r' ? "␍" : *text == '\n' ? "␊" : *text == '\033' ? "␛" : NULL;
        if (symbol)
            at = stpcpy(at, symbol);
        else
            *at++ = *text;
    }
    *at = '\0';
    const char *result = t_format("%s", to);
    free(to);
    return result;
}

static double number(const char *field, double none) {
    return strcmp(field, "-") == 0 ? none : strtod(field, NULL);
}
static const char *text_of(const char *field) {
    return strcmp(field, "-") == 0 ? NULL : field;
}

static void ignore_error(const char *text, void *context) {
    (void)text;
    (void)context;
}

static void check_meter(char **f, int count) {
    ck_assert_int_eq(count, 15);
    const tqdm_Options options = {.size = sizeof options,
                                  .ncols = (int)number(f[5], -1),
                                  .desc = f[6],
                                  .ascii = strcmp(f[7], "True") == 0 ? "" : text_of(f[7]),
                                  .unit = f[8],
                                  .unit_scale = number(f[9], 0),
                                  .postfix = text_of(f[10]),
                                  .unit_divisor = number(f[11], 0),
                                  .initial = number(f[12], 0),
                                  .colour = text_of(f[13])};
    const char *line =
        visible(tqdm_format_meter(number(f[1], 0), number(f[2], -1), number(f[3], 0), number(f[4], NAN), &options));
    if (strcmp(line, f[14]) != 0)
        note("n %s total %s elapsed %s rate %s ncols %s: \"%s\", not \"%s\"", f[1], f[2], f[3], f[4], f[5], line,
             f[14]);
}
/* A line with a bar_format, or Python's error. */
static void check_format(char **f, int count) {
    ck_assert_int_eq(count, 14);
    const tqdm_Options options = {.size = sizeof options,
                                  .ncols = (int)number(f[5], -1),
                                  .nrows = -1,
                                  .desc = f[6],
                                  .ascii = strcmp(f[7], "True") == 0 ? "" : text_of(f[7]),
                                  .unit = f[8],
                                  .unit_scale = number(f[9], 0),
                                  .postfix = text_of(f[10]),
                                  .unit_divisor = 1000,
                                  .colour = text_of(f[11]),
                                  .bar_format = f[12]};
    t_set_error_handler(ignore_error, NULL);
    const char *line =
        tqdm_format_meter(number(f[1], 0), number(f[2], -1), number(f[3], 0), number(f[4], NAN), &options);
    line = line ? visible(line) : t_format("error: %s", strstr(t_error_message(), "bar_format: ") + 12);
    t_clear_error();
    t_set_error_handler(NULL, NULL);
    if (strcmp(line, f[13]) != 0)
        note("%s: n %s total %s elapsed %s rate %s ncols %s: \"%s\", not \"%s\"", f[12], f[1], f[2], f[3], f[4], f[5],
             line, f[13]);
}
static void check_sizeof(char **f, int count) {
    ck_assert_int_eq(count, 4);
    const double x = strtod(f[1], NULL);
    if (strcmp(tqdm_format_sizeof(x, "B", 1024), f[2]) != 0 || strcmp(tqdm_format_sizeof(x, NULL, 1000), f[3]) != 0)
        note("sizeof %s is %s", f[1], tqdm_format_sizeof(x, "B", 1024));
}
static void check_interval(char **f, int count) {
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(tqdm_format_interval(strtod(f[1], NULL)), f[2]);
}
static void check_num(char **f, int count) {
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(tqdm_format_num(strtod(f[1], NULL)), f[2]);
}

START_TEST(lines_are_tqdm_s) {
    ck_assert_int_eq(each_line("meter", check_meter), 704);
    ck_assert_int_eq(each_line("format", check_format), 394);
    ck_assert_int_eq(each_line("sizeof", check_sizeof), 16);
    ck_assert_int_eq(each_line("interval", check_interval), 10);
    ck_assert_int_eq(each_line("num", check_num), 18);
    report_notes();
}
END_TEST

/* ---- bars ---- */

static void loop(FILE *screen) {
    for_trange(i, 20, .desc = "loop", .file = screen) clock_time += i < 10 ? 0.03 : 0.3;
}

static void manual(FILE *screen) {
    tqdm_tqdm *bar =
        tqdm_tqdm(.total = 1000, .unit = "B", .unit_scale = 1, .file = screen, .ncols = 60, .unit_divisor = 1024);
    for (int i = 0; i < 12; i++) {
        clock_time += 0.07 * i;
        tqdm_update(bar, 100 - 3 * i);
    }
    t_TensorDict *postfix = t_dict();
    t_dict_set(postfix, "loss", 0.123456789);
    tqdm_set_postfix(bar, postfix);
    tqdm_update(bar, -50);
    clock_time += 1;
    tqdm_update(bar, 1);
    tqdm_set_description(bar, "near the end");
    tqdm_set_description(bar, NULL);
    tqdm_set_postfix_str(bar, "");
    tqdm_close(bar);
    tqdm_close(bar);
}

static void nested(FILE *screen) {
    for_trange(i, 2, .desc = "outer", .file = screen, .ncols = 50) {
        for_trange(j, 3, .desc = "inner", .file = screen, .ncols = 50, .leave = false) clock_time += 0.2;
        if (i == 0) tqdm_write("between", screen, NULL);
    }
}

static void positions(FILE *screen) {
    tqdm_tqdm *bars[4];
    for (int i = 0; i < 4; i++)
        bars[i] = tqdm_tqdm(.total = 4, .desc = t_format("bar %d", i), .file = screen, .ncols = 40, .position = i,
                            .nrows = 3);
    for (int i = 0; i < 4; i++) {
        clock_time += 0.5;
        tqdm_update(bars[i], 2);
    }
    for (int i = 0; i < 4; i++) tqdm_close(bars[i]);
}

static void moved(FILE *screen) {
    tqdm_tqdm *bars[4];
    for (int i = 0; i < 4; i++)
        bars[i] = tqdm_tqdm(.total = 4, .desc = t_format("bar %d", i), .file = screen, .ncols = 40, .nrows = 3);
    tqdm_update(bars[0], 4);
    for (int i = 0; i < 4; i++) tqdm_close(bars[i]);
}

static void unknown(FILE *screen) {
    tqdm_tqdm *bar = tqdm_tqdm("stream", .file = screen, .leave = -1, .initial = 3, .postfix = "x");
    for (int i = 0; i < 8; i++) {
        clock_time += 0.04;
        tqdm_update(bar, 0.5);
    }
    tqdm_reset(bar, 5);
    clock_time += 1;
    tqdm_update(bar, 2);
    tqdm_refresh(bar);
    tqdm_clear(bar);
    tqdm_close(bar);
}

static void settings(FILE *screen) {
    tqdm_tqdm *slow = tqdm_tqdm(.total = 100, .file = screen, .mininterval = 0, .miniters = 30, .smoothing = 0,
                                .ascii = "", .delay = 1);
    for (int i = 0; i < 10; i++) {
        clock_time += 0.5;
        tqdm_update(slow, 10);
    }
    tqdm_close(slow);
    tqdm_tqdm *lag = tqdm_tqdm(.total = 100, .file = screen, .smoothing = 1, .colour = "red", .ncols = 45);
    for (int i = 0; i < 10; i++) {
        clock_time += i == 3 ? 12 : 0.11;
        tqdm_update(lag, 10);
    }
    tqdm_close(lag);
    tqdm_tqdm *off = tqdm_tqdm(.total = 3, .file = screen, .disable = true);
    tqdm_update(off, 1);
    ck_assert(tqdm_n(off) == 0);
    tqdm_close(off);
    tqdm_tqdm *late = tqdm_tqdm(.total = 3, .file = screen, .delay = 5);
    tqdm_update(late, 3);
    tqdm_close(late);
}

static void check_bar(char **f, int count) {
    static const struct {
        const char *name;
        void (*run)(FILE *screen);
    } runs[] = {{"loop", loop},   {"manual", manual},   {"nested", nested},    {"positions", positions},
                {"moved", moved}, {"unknown", unknown}, {"settings", settings}};
    ck_assert_int_eq(count, 3);
    size_t i = 0;
    while (strcmp(runs[i].name, f[1]) != 0) i++;
    FILE *screen = open_screen();
    clock_time = 1000;
    runs[i].run(screen);
    const char *got = visible(close_screen(screen));
    if (strcmp(got, f[2]) != 0) {
        size_t k = 0;
        while (got[k] == f[2][k]) k++;
        while (k > 0 && strncmp(got + k, "␍", 3) != 0) k--;
        note("%s: ...%.150s\n  not %.150s", f[1], got + k, f[2] + k);
    }
}

START_TEST(bars_are_drawn_as_tqdm_draws_them) {
    ck_assert_int_eq(each_line("bar", check_bar), 7);
    report_notes();
}
END_TEST

/* ---- a terminal's width ---- */

static int columns_now, rows_now;
static bool some_screen(int fd, int *columns, int *rows) {
    (void)fd;
    *columns = columns_now;
    *rows = rows_now;
    return true;
}

/* A line is never wider than the terminal less one, however narrow it is or becomes. */
START_TEST(lines_fit_any_terminal) {
    tg_tqdm_calls.screen = some_screen;
    rows_now = 24;
    for (columns_now = 1; columns_now < 130; columns_now += 3) {
        FILE *screen = open_screen();
        tqdm_tqdm *bar =
            tqdm_tqdm(.desc = "学習", .total = 50, .file = screen, .dynamic_ncols = true, .postfix = "loss=0.4");
        clock_time += 1;
        tqdm_update(bar, 20);
        fflush(screen);
        for (char *line = strtok(screen_text, "\r"); line; line = strtok(NULL, "\r"))
            ck_assert_int_le(tg_text_columns(line), columns_now);
        tqdm_close(bar);
        close_screen(screen);
    }
}
END_TEST

/* A bar has the width of its terminal less one, or 10 columns for the bar itself where the file is none. */
START_TEST(a_bar_asks_its_terminal) {
    FILE *screen = open_screen();
    tqdm_tqdm *bar = tqdm_tqdm(.total = 4, .file = screen, .dynamic_ncols = true, .leave = false);
    ck_assert_str_eq(tqdm_str(bar), "  0%|          | 0/4 [00:00<?, ?it/s]");
    tqdm_close(bar);
    close_screen(screen);
    if (emulated("the size of a terminal")) return;
    int terminal;
    screen = fdopen(open_terminal(50, &terminal), "w");
    tg_tqdm_calls.screen = calls_before.screen;
    bar = tqdm_tqdm(.total = 4, .file = screen, .dynamic_ncols = true, .leave = false);
    ck_assert_str_eq(tqdm_str(bar), "  0%|                      | 0/4 [00:00<?, ?it/s]");
    ck_assert_int_eq(tg_text_columns(tqdm_str(bar)), 49);
    tqdm_close(bar);
    fclose(screen);
    close(terminal);
}
END_TEST

/* Without smoothing a bar is drawn for as many steps as once were between two drawings, not for fewer. */
START_TEST(the_most_steps_are_waited_for) {
    FILE *screen = open_screen();
    tqdm_tqdm *bar = tqdm_tqdm(.total = 100, .file = screen, .smoothing = 0, .bar_format = "{n_fmt}", .ncols = 3);
    static const struct { int steps, seconds; bool is_drawn; } updates[] = {
        {3, 1, true}, {2, 1, false}, {10, 0, true}, {11, 1, false}, {1, 1, true}};
    for (int i = 0; i < 5; i++) {
        clock_time += updates[i].seconds;
        ck_assert_msg(tqdm_update(bar, updates[i].steps) == updates[i].is_drawn, "update %d", i);
    }
    tqdm_close(bar);
    ck_assert_str_eq(visible(close_screen(screen)), "␍0␍3␍15␍27␍27␊");
}
END_TEST

START_TEST(an_update_within_mininterval_draws_nothing) {
    FILE *screen = open_screen();
    tqdm_tqdm *bar = tqdm_tqdm(.total = 9, .file = screen, .mininterval = 2, .miniters = 1, .bar_format = "{n_fmt}",
                               .ncols = 3);
    clock_time += 1;
    ck_assert(!tqdm_update(bar, 3));
    clock_time += 1;
    ck_assert(tqdm_update(bar, 3));
    tqdm_close(bar);
    ck_assert_str_eq(visible(close_screen(screen)), "␍0␍6␍6␊");
}
END_TEST

/* {eta}: when the loop will end; without a rate Python's zero, too late a one in the year 9999. */
START_TEST(the_end_has_a_date) {
    tqdm_Options o = {.size = sizeof o, .ncols = -1, .nrows = -1, .unit = "it", .bar_format = "{eta:%Y-%m-%d %H:%M}"};
    char soonest[32], latest[32];
    setenv("TZ", "UTC0", 1);
    tzset();
    const time_t end = time(NULL) + 86400 * 30; /* 30 days of 60 steps a second are left */
    const char *got = tqdm_format_meter(60, 60 + 86400.0 * 30 * 60, 1, NAN, &o);
    const time_t later = time(NULL) + 86400 * 30;
    struct tm parts;
    strftime(soonest, sizeof soonest, "%Y-%m-%d %H:%M", gmtime_r(&end, &parts));
    strftime(latest, sizeof latest, "%Y-%m-%d %H:%M", gmtime_r(&later, &parts));
    HOLDS(strcmp(got, soonest) == 0 || strcmp(got, latest) == 0);
    o.bar_format = "{eta}";
    ck_assert_str_eq(tqdm_format_meter(0, 10, 1, NAN, &o), "1970-01-01 00:00:00");
    ck_assert_str_eq(tqdm_format_meter(1, 1e30, 1, NAN, &o), "9999-12-31 23:59:59");
    unsetenv("TZ");
    tzset();
}
END_TEST

/* Texts of any length, also those of loaders, are shown whole. */
START_TEST(long_texts_are_whole) {
    char desc[3001], *format = strdup("{l_bar}{n_fmt}{postfix}");
    memset(desc, 'd', sizeof desc);
    desc[3000] = '\0';
    FILE *screen = open_screen();
    tqdm_tqdm *bar = tqdm_tqdm(.total = 3, .file = screen, .leave = false);
    tqdm_set_description(bar, desc);
    tqdm_set_postfix_str(bar, desc);
    ck_assert_str_eq(tqdm_str(bar), t_format("%s:   0%%|          | 0/3 [00:00<?, ?it/s, %s]", desc, desc));
    tqdm_close(bar);
    data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(t_zeros(2, 1))));
    loader = data_tqdm(loader, .desc = desc, .file = screen, .bar_format = format, .postfix = "p");
    memset(format, '{', strlen(format));
    for_batch (batch, loader) {
        clock_time += 1;
        data_set_postfix(loader, "%s %d", desc, 7);
    }
    const char *text = close_screen(screen);
    ck_assert_ptr_nonnull(strstr(text, t_format("\r%s:   0%%|0, p\r", desc)));
    ck_assert_ptr_nonnull(strstr(text, t_format("\r%s: 100%%|2, %s 7\n", desc, desc)));
    free(format);
}
END_TEST

START_TEST(texts_are_set_as_they_are) {
    FILE *screen = open_screen();
    tqdm_tqdm *bar = tqdm_tqdm(.total = 3, .file = screen, .leave = false, .bar_format = "{desc}|{postfix}");
    ck_assert(tqdm_set_description_str(bar, "as it is "));
    ck_assert_str_eq(tqdm_str(bar), "as it is |");
    tqdm_close(bar);
    data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(t_zeros(2, 1))));
    ck_assert_ptr_null(data_bar(loader));
    expect_error("the loader shows no bar: iterate over data_tqdm(loader)");
    ck_assert_ptr_null(data_bar(NULL));
    expect_error("argument 1 is NULL where a DataLoader is expected");
    for_batch (batch, data_tqdm(loader, .file = screen, .bar_format = "{desc}|{postfix}")) {
        clock_time += 1;
        if (batch.index == 0) {
            ck_assert(tqdm_set_description(data_bar(loader), "late"));
            data_set_postfix_str(loader, "100%s");
            ck_assert_str_eq(tqdm_str(data_bar(loader)), "late: |, 100%s");
        } else {
            data_set_postfix_str(loader, NULL);
            ck_assert_str_eq(tqdm_str(data_bar(loader)), "late: |");
        }
    }
    close_screen(screen);
}
END_TEST

/* A text on stdout is also written above the bars of stderr, since both are the terminal. */
START_TEST(texts_on_stdout_are_above_the_bars) {
    FILE *kept = stderr, *screen = tmpfile();
    char text[200] = "";
    stderr = screen;
    tqdm_tqdm *bar = tqdm_tqdm(.total = 3, .file = screen, .ncols = 4, .bar_format = "{n_fmt}", .leave = false);
    catch_output(STDOUT_FILENO);
    const bool ok = tqdm_write("above", NULL, NULL);
    char *above = caught_output();
    tqdm_close(bar);
    stderr = kept;
    rewind(screen);
    ck_assert(ok && fread(text, 1, sizeof text - 1, screen) > 0);
    fclose(screen);
    ck_assert_str_eq(above, "above\n");
    ck_assert_str_eq(visible(text), "␍0␍ ␍␍0␍ ␍");
    free(above);
}
END_TEST

START_TEST(what_is_no_bar_is_refused) {
    expect_refusal(!(tqdm_update)(NULL, 1), "argument 1 is NULL where a tqdm bar is expected");
    expect_refusal(!(tqdm_write)(NULL, NULL, NULL), "argument 1 is NULL where a text is expected");
    tqdm_tqdm *bar = NULL;
    FILE *nowhere = fopen("/dev/null", "w");
    with_scope () bar = tqdm_tqdm(.total = 3, .file = nowhere);
    fclose(nowhere);
    (void)bar;
}
END_TEST

static bool makes_bar(void *file) {
    const tqdm_Options options = {TQDM_DEFAULTS_, .file = file};
    return tqdm_tqdm_new(&options) != NULL;
}

static char long_text[5001]; /* longer than a text that was kept for a short one */

static bool moves_bar(void *file) {
    const tqdm_Options options = {.size = sizeof options,
                                  .total = 9,
                                  .leave = true,
                                  .ncols = -1,
                                  .nrows = -1,
                                  .position = -1,
                                  .file = file,
                                  .bar_format = "{l_bar}{bar}{r_bar}"};
    tqdm_tqdm *bar = tqdm_tqdm_new(&options);
    clock_time += 1;
    return bar && (tqdm_update)(bar, 1) && (tqdm_set_description)(bar, long_text) &&
           (tqdm_set_postfix_str)(bar, long_text) && (tqdm_str)(bar) && (tqdm_write)("above", file, NULL) &&
           (tqdm_close)(bar);
}

static bool shows_loader(void *file) {
    Tensor *x = (t_zeros)((const int64_t[]){2, 1}, 2, NULL);
    t_TensorList *list = x ? t_list_new(&x, 1) : NULL;
    data_Dataset *dataset = list ? data_TensorDataset_new(list) : NULL;
    data_DataLoader *loader = dataset ? data_DataLoader_new(dataset, NULL) : NULL;
    const tqdm_Options options = {.size = sizeof options, .file = file, .bar_format = "{bar}", .desc = long_text};
    if (!loader || !(data_tqdm)(loader, &options)) return false;
    data_set_postfix(loader, "%s", long_text);
    return !t_error();
}

START_TEST(without_memory_nothing_is_left) {
    memset(long_text, 'x', sizeof long_text - 1);
    FILE *nowhere = fopen("/dev/null", "w");
    refuse_all("tqdm", makes_bar, NULL, nowhere);
    refuse_all("a bar that is moved", moves_bar, NULL, nowhere);
    refuse_all("a bar of a loader", shows_loader, NULL, nowhere);
    fclose(nowhere);
    report_notes();
}
END_TEST

static int errors_told;
static void write_above_bars(const char *text, void *screen) {
    tg_alloc_fail(0, false);
    t_clear_error();
    ck_assert((tqdm_write)(text, screen, NULL));
    errors_told++;
}

/* A handler runs when the call has given up the lock of the bars, so that it may draw them. */
START_TEST(an_error_handler_may_write) {
    memset(long_text, 'x', sizeof long_text - 1);
    FILE *screen = open_screen();
    t_set_error_handler(write_above_bars, screen);
    bool is_set = false;
    for (int n = 1; !is_set; n++) { /* memory for the text, and then for the line, with the lock */
        tqdm_tqdm *bar = tqdm_tqdm(.total = 3, .file = screen);
        tg_alloc_fail(n, true);
        is_set = tqdm_set_description(bar, long_text);
        tg_alloc_fail(0, false);
        tqdm_close(bar);
    }
    ck_assert_int_gt(errors_told, 1);
    ck_assert_ptr_nonnull(strstr(close_screen(screen), "out of memory"));
}
END_TEST

/* A bar with a format of its own; one that is wrong is refused when the bar is made. */
START_TEST(a_bar_format_is_checked_when_the_bar_is_made) {
    char text[200] = "";
    FILE *screen = fmemopen(text, sizeof text, "w");
    tqdm_tqdm *bar =
        tqdm_tqdm("work", 4, .file = screen, .ncols = 40, .bar_format = "{desc}: |{bar:8}| {n_fmt}/{total}");
    clock_time += 1;
    tqdm_update(bar, 2);
    tqdm_close(bar);
    fclose(screen);
    ck_assert_str_eq(visible(text), "␍work: |        | 0/4␍work: |████    | 2/4␍work: |████    | 2/4␊");
    const tqdm_Options unknown = {TQDM_DEFAULTS_, .bar_format = "{bars}"};
    expect_refusal(!tqdm_tqdm_new(&unknown), "bar_format: KeyError: 'bars'");
    const tqdm_Options open_field = {TQDM_DEFAULTS_, .bar_format = "{bar"};
    expect_refusal(!tqdm_tqdm_new(&open_field), "bar_format: expected '}' before end of string");
}
END_TEST

Suite *tqdm_suite(void);
Suite *tqdm_suite(void) {
    Suite *suite = suite_create("tqdm");
    TCase *tests = tcase_create("tqdm");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_bar_format_is_checked_when_the_bar_is_made);
    tcase_add_test(tests, lines_are_tqdm_s);
    tcase_add_test(tests, bars_are_drawn_as_tqdm_draws_them);
    tcase_add_test(tests, lines_fit_any_terminal);
    tcase_add_test(tests, a_bar_asks_its_terminal);
    tcase_add_test(tests, the_most_steps_are_waited_for);
    tcase_add_test(tests, an_update_within_mininterval_draws_nothing);
    tcase_add_test(tests, the_end_has_a_date);
    tcase_add_test(tests, texts_are_set_as_they_are);
    tcase_add_test(tests, texts_on_stdout_are_above_the_bars);
    tcase_add_test(tests, long_texts_are_whole);
    tcase_add_test(tests, what_is_no_bar_is_refused);
    tcase_add_test(tests, an_error_handler_may_write);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
