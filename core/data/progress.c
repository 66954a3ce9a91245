/* core/data/progress.c: tqdm(loader), a progress bar on stderr.
 *
 *     epoch 1:  45%|████▌     | 352/782 [00:02<00:02, 171.20it/s, loss=0.432]
 *
 * On a terminal the line is redrawn at most ten times per second; if stderr is a file or a pipe, one plain line is
 * printed at the end of the loop. Nothing is written to stdout. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/data/data_internal.h"
#include "core/tensor/c_locale.h"

enum { BAR = 10, LINE = 512 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the parts of the line ---- */

/* "02:05", "1:02:05" */
static const char *time_text(double seconds, char text[24]) {
    long long s = (long long)seconds;
    if (s >= 3600) snprintf(text, 24, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(text, 24, "%02lld:%02lld", s / 60, s % 60);
    return text;
}

/* "171.20it/s", "3.50s/it" */
static const char *rate_text(double rate, char text[24]) {
    if (rate <= 0) return "?it/s";
    tg_c_snprintf(text, 24, rate < 1 ? "%.2fs/it" : "%.2fit/s", rate < 1 ? 1 / rate : rate);
    return text;
}

/* "████▌     ": in eighths of a column. */
static const char *bar_text(double fraction, char text[4 * BAR]) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int filled = (int)(fraction * BAR * 8), columns = filled / 8 + (filled % 8 != 0);
    text[0] = '\0';
    for (int i = 0; i < filled / 8; i++) strcat(text, "█");
    strcat(text, eighths[filled % 8]);
    for (int i = columns; i < BAR; i++) strcat(text, " ");
    return text;
}

static void line_text(const tg_Progress *p, bool with_bar, char text[LINE]) {
    char bar[4 * BAR], spent[24], left[24], speed[24], front[4 * BAR + 16] = "", rest[32] = "";
    double elapsed = now() - p->begun, rate = p->done > p->first &&
        elapsed > 0 ? (double)(p->done - p->first) / elapsed : 0;
    const bool has_total = p->total >= 0; /* else "352it [00:02, 171.20it/s]", as tqdm without len */
    char of[32] = "it";
    if (has_total) snprintf(of, sizeof of, "/%lld", (long long)p->total);
    double fraction = p->total ? (double)p->done / (double)p->total : 1;
    if (with_bar && has_total) {
        snprintf(front, sizeof front, "%3.0f%%|%s| ", 100 * fraction, bar_text(fraction, bar));
        snprintf(rest, sizeof rest, "<%s", rate > 0 ? time_text((double)(p->total - p->done) / rate, left) : "?");
    }
    snprintf(text, LINE, "%s%s%s%lld%s [%s%s, %s%s%s]", p->desc, *p->desc ? ": " : "", front, (long long)p->done,
             of, time_text(elapsed, spent), rest, rate_text(rate, speed), *p->postfix ? ", " : "",
             p->postfix);
}

/* ---- drawing ---- */

/* Cuts a line of UTF-8 after that many columns, so that the terminal does not wrap it. */
static void truncate_columns(char *text, int columns) {
    for (; *text; text++)
        if (((unsigned char)*text & 0xC0) != 0x80 && columns-- == 0) break;
    *text = '\0';
}

static void draw(tg_Progress *p) {
    char text[LINE];
    struct winsize window;
    line_text(p, true, text);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1) truncate_columns(text, window.ws_col - 1);
    fprintf(stderr, "\r%s\033[K", text); /* the escape sequence clears the rest of an earlier, longer line */
    p->drawn = now();
}

/* ---- begin, count, end ---- */

void tg_progress_begin(tg_Progress *p, int64_t first, int64_t total) {
    p->waiting = false;
    p->running = true;
    fflush(stdout); /* earlier output comes before the bar */
    p->on_terminal = isatty(STDERR_FILENO);
    p->begun = now();
    p->first = p->done = first;
    p->total = total;
    if (p->on_terminal) draw(p);
}

void tg_progress_count(tg_Progress *p) {
    p->done++;
    if (p->running && p->on_terminal && now() - p->drawn >= 0.1) draw(p);
}

void tg_progress_end(tg_Progress *p) {
    char text[LINE];
    if (!p->running) return;
    p->running = false;
    if (p->on_terminal && !p->leave) {
        fprintf(stderr, "\r\033[K");
    } else if (p->on_terminal) {
        draw(p);
        fputc('\n', stderr);
    } else {
        line_text(p, false, text);
        fprintf(stderr, "%s\n", text);
    }
}

/* ---- public ---- */

const data_TqdmOptions data_TqdmDefaults = {DATA_TQDM_DEFAULTS_};

/* tqdm(loader, desc=None, leave=True, disable=False): the next iteration over the loader shows a progress bar. Returns
 * the loader itself. leave = false: the bar is cleared at the end; disable = true: no bar. desc is copied. */
data_DataLoader *data_tqdm(data_DataLoader *loader, const data_TqdmOptions *options) {
    data_TqdmOptions o = data_TqdmDefaults;
    if (!tg_check_loader(loader) || !tg_take_options(&o, options, sizeof o)) return NULL;
    loader->progress = (tg_Progress){.waiting = !o.disable, .leave = o.leave};
    snprintf(loader->progress.desc, sizeof loader->progress.desc, "%s", o.desc ? o.desc : "");
    return loader;
}

/* bar.set_postfix(loss=loss) is data_set_postfix(loader, "loss=%.3f", loss): the text after the rate, from the next
 * redraw on. No effect if no bar is shown. */
void data_set_postfix(data_DataLoader *loader, const char *format, ...) {
    if (!tg_check_loader(loader) || !tg_check_given(format != NULL, 2, "a text")) return;
    va_list arguments;
    va_start(arguments, format);
    tg_c_vsnprintf(loader->progress.postfix, sizeof loader->progress.postfix, format, arguments);
    va_end(arguments);
}

/* bar.set_postfix_str(text) */
void data_set_postfix_str(data_DataLoader *loader, const char *text) {
    data_set_postfix(loader, "%s", text ? text : "");
}
