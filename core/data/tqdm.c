/* core/data/tqdm.c: progress bars: when they are drawn, and where. */
#include "core/data/tqdm.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/data/tqdm_internal.h"
#include "core/tensor/str.h"
#include "core/tensor/tensor.h"

const tqdm_Options tqdm_Defaults = {TQDM_DEFAULTS_};

/* ---- the clock, the screen ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool screen(int fd, int *columns, int *rows) {
    struct winsize window;
    if (ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return false;
    *columns = window.ws_col - 1;
    *rows = window.ws_row - 1;
    return true;
}

tg_TqdmCalls tg_tqdm_calls = {now, screen};

/* ---- a bar ---- */

/* tqdm's EMA: an exponential moving average that weighs its first values as much as it can. */
typedef struct Average {
    double last;
    int64_t calls;
} Average;

static double average(const Average *a, double smoothing) {
    return a->calls ? a->last / (1 - pow(1 - smoothing, (double)a->calls)) : a->last;
}

static double add_to_average(Average *a, double smoothing, double x) {
    a->last = smoothing * x + (1 - smoothing) * a->last;
    a->calls++;
    return average(a, smoothing);
}

struct tqdm_tqdm {
    t_Object object;
    tqdm_Options o; /* its texts are copies: */
    tg_TqdmCopies copies;
    tg_TqdmTexts texts;                                               /* of the last drawing */
    bool is_closed, is_started, is_adaptive, shows_average, is_float; /* is_float: n was no integer once */
    int position;                                                     /* of the line */
    bool is_fixed;                                                    /* given by the user */
    double n, iterations;                                             /* iterations: of tqdm_step_ */
    double last_n, last_time, start;
    double miniters;
    Average dn, dt, adapted;
    int last_columns; /* of the drawn line */
    struct tqdm_tqdm *next;
};

/* The open bars of all threads. */
static pthread_mutex_t bars_lock = PTHREAD_MUTEX_INITIALIZER;
static tqdm_tqdm *bars;

/* Another text, and after it, if it is not empty, the second one. *field: the option that has it. */
static bool set_text(tg_TqdmText *copy, const char **field, const char *text, const char *after) {
    tg_TqdmText made = {0};
    if (!tg_tqdm_print(&made, "%s%s", text ? text : "", text && *text ? after : "")) return false;
    pthread_mutex_lock(&bars_lock); /* another thread may draw the bar in tqdm_write */
    tg_TqdmText old = *copy;
    *copy = made;
    *field = made.data;
    pthread_mutex_unlock(&bars_lock);
    tg_tqdm_free(&old);
    return true;
}

/* ---- drawing (with the lock) ---- */

static void move(tqdm_tqdm *bar, int lines) {
    for (int i = 0; i < lines; i++) fputc('\n', bar->o.file);
    for (int i = 0; i > lines; i--) fputs("\033[A", bar->o.file);
    fflush(bar->o.file);
}

static void print_status(tqdm_tqdm *bar, const char *line) {
    const int columns = tg_text_columns(line), rest = bar->last_columns - columns;
    fprintf(bar->o.file, "\r%s%*s", line, rest > 0 ? rest : 0, "");
    fflush(bar->o.file);
    bar->last_columns = columns;
}

static int rows_of(const tqdm_tqdm *bar) {
    return bar->o.nrows > 0 ? bar->o.nrows : 20;
}

static bool make_line(tqdm_tqdm *bar) {
    if (bar->o.dynamic_ncols && !tg_tqdm_calls.screen(fileno(bar->o.file), &bar->o.ncols, &bar->o.nrows))
        bar->o.ncols = bar->o.nrows = -1;
    const double elapsed = bar->is_started ? tg_tqdm_calls.now() - bar->start : 0;
    const double dt = bar->shows_average ? 0 : average(&bar->dt, bar->o.smoothing);
    const double rate = dt != 0 ? average(&bar->dn, bar->o.smoothing) / dt : NAN;
    char error[TG_TQDM_ERROR]; /* of a bar_format that was right when the bar was made: the line is empty */
    return tg_tqdm_meter(bar->n, bar->is_float, bar->o.total, elapsed, rate, &bar->o, &bar->texts, error);
}

typedef enum Drawn { OUT_OF_MEMORY, BELOW_THE_SCREEN, DRAWN } Drawn;

/* message: NULL for the bar's line. */
static Drawn display(tqdm_tqdm *bar, const char *message, int position) {
    const int rows = rows_of(bar);
    if (position >= rows - 1) {
        if (position >= rows) return BELOW_THE_SCREEN;
        if (!message || *message) message = " ... (more hidden) ...";
    }
    if (!message && !make_line(bar)) return OUT_OF_MEMORY;
    if (position) move(bar, position);
    print_status(bar, message ? message : bar->texts.line.data);
    if (position) move(bar, -position);
    return DRAWN;
}

static void clear(tqdm_tqdm *bar) {
    if (bar->is_closed || bar->position >= rows_of(bar)) return;
    move(bar, bar->position);
    print_status(bar, "");
    fputc('\r', bar->o.file);
    move(bar, -bar->position);
}

static bool refresh(tqdm_tqdm *bar) {
    pthread_mutex_lock(&bars_lock);
    const bool ok = display(bar, NULL, bar->position) != OUT_OF_MEMORY;
    pthread_mutex_unlock(&bars_lock);
    return ok;
}

/* ---- the list of bars (with the lock) ---- */

static int free_position(const tqdm_tqdm *self) {
    for (int position = 0;; position++) {
        bool is_free = true;
        for (const tqdm_tqdm *bar = bars; bar; bar = bar->next)
            if (bar != self && bar->position == position) is_free = false;
        if (is_free) return position;
    }
}

/* A bar that was below the screen moves to the line that becomes free. */
static void remove_bar(tqdm_tqdm *self) {
    tqdm_tqdm **slot = &bars, *hidden = NULL;
    while (*slot && *slot != self) slot = &(*slot)->next;
    if (*slot) *slot = self->next;
    for (tqdm_tqdm *bar = bars; bar; bar = bar->next)
        if (!bar->is_fixed && bar->position >= rows_of(self) - 1 && (!hidden || bar->position < hidden->position))
            hidden = bar;
    if (!hidden) return;
    clear(hidden);
    hidden->position = self->position;
}

/* ---- public ---- */

static bool close_bar(tqdm_tqdm *bar) {
    if (bar->is_closed) return true;
    bar->is_closed = true;
    if (bar->o.disable) return true;
    const int position = bar->position;
    bool ok = true;
    pthread_mutex_lock(&bars_lock);
    remove_bar(bar);
    if (bar->last_time >= bar->start + bar->o.delay) {
        const bool leaves = bar->o.leave < 0 ? position == 0 : bar->o.leave;
        if (leaves) {
            bar->shows_average = true;
            ok = display(bar, NULL, 0) != OUT_OF_MEMORY;
            fputc('\n', bar->o.file);
        } else if (display(bar, "", position) == DRAWN && position == 0) {
            fputc('\r', bar->o.file);
        }
        fflush(bar->o.file);
    }
    pthread_mutex_unlock(&bars_lock);
    return ok;
}

static void bar_destroy(void *object) {
    tqdm_tqdm *bar = object;
    close_bar(bar);
    tg_tqdm_copies_free(&bar->copies);
    tg_tqdm_texts_free(&bar->texts);
    tg_object_dispose(&bar->object);
    tg_object_free(&bar->object, sizeof *bar);
}

static const t_Class bar_class = {"tqdm", bar_destroy};

static bool check_bar(const tqdm_tqdm *bar) {
    if (!tg_check_given(bar != NULL, 1, "a tqdm bar")) return false;
    return bar->object.is_a == &bar_class || tg_fail("argument 1 is not a tqdm bar, or was released");
}

tqdm_tqdm *tqdm_tqdm_new(const tqdm_Options *options) {
    tqdm_Options o = tqdm_Defaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (isinf(o.total)) o.total = -1;
    char error[TG_TQDM_ERROR] = "";
    tg_TqdmTexts texts = {0};
    const bool has_line =
        !o.bar_format || o.disable || tg_tqdm_meter(o.initial, false, o.total, 0, NAN, &o, &texts, error);
    tg_tqdm_texts_free(&texts);
    if (*error) return tg_fail("bar_format: %s", error);
    if (!o.unit) o.unit = "it";
    tqdm_tqdm *bar = has_line ? tg_alloc(sizeof *bar) : NULL;
    if (!bar || !tg_tqdm_copy(&bar->copies, &o)) {
        tg_free(bar, sizeof *bar);
        return NULL;
    }
    if (!o.file) o.file = stderr;
    int columns = -1, rows = -1;
    const bool is_standard = o.file == stderr || o.file == stdout;
    if (!o.disable && (((o.ncols < 0 || o.nrows < 0) && is_standard) || o.dynamic_ncols))
        tg_tqdm_calls.screen(fileno(o.file), &columns, &rows);
    if (o.ncols < 0 || o.dynamic_ncols) o.ncols = columns;
    if (o.nrows < 0 || o.dynamic_ncols) o.nrows = rows;
    bar->o = o;
    bar->is_adaptive = o.miniters < 0;
    bar->miniters = bar->is_adaptive ? 0 : o.miniters;
    bar->n = bar->iterations = bar->last_n = o.initial;
    tg_object_init(&bar->object, &bar_class);
    if (o.disable) return bar;
    if (is_standard) fflush(stdout); /* earlier output comes before the bar */
    pthread_mutex_lock(&bars_lock);
    bar->is_fixed = o.position >= 0;
    bar->position = bar->is_fixed ? o.position : free_position(bar);
    bar->next = bars;
    bars = bar;
    const bool is_drawn = o.delay > 0 || display(bar, NULL, bar->position) != OUT_OF_MEMORY;
    if (!is_drawn) remove_bar(bar);
    pthread_mutex_unlock(&bars_lock);
    bar->is_closed = !is_drawn;
    bar->start = bar->last_time = tg_tqdm_calls.now();
    bar->is_started = true;
    return is_drawn ? bar : NULL;
}

/* n more; it is drawn if mininterval is over. */
static bool update(tqdm_tqdm *bar, double n) {
    if (bar->is_closed || bar->o.disable) return false;
    if (n < 0) bar->last_n += n;
    bar->n += n;
    bar->is_float = bar->is_float || n != floor(n);
    if (bar->n - bar->last_n < bar->miniters) return false;
    const double time = tg_tqdm_calls.now(), dt = time - bar->last_time, dn = bar->n - bar->last_n;
    if (dt < bar->o.mininterval || time < bar->start + bar->o.delay) return false;
    const double smoothing = bar->o.smoothing, interval = bar->o.mininterval, longest = bar->o.maxinterval;
    if (smoothing != 0 && dt != 0 && dn != 0) {
        add_to_average(&bar->dn, smoothing, dn);
        add_to_average(&bar->dt, smoothing, dt);
    }
    const bool is_drawn = refresh(bar);
    if (bar->is_adaptive) {
        if (longest != 0 && dt >= longest)
            bar->miniters = dn * (interval != 0 ? interval : longest) / dt;
        else if (smoothing != 0)
            bar->miniters =
                add_to_average(&bar->adapted, smoothing, dn * (interval != 0 && dt != 0 ? interval / dt : 1));
        else
            bar->miniters = fmax(bar->miniters, dn);
    }
    bar->last_n = bar->n;
    bar->last_time = time;
    return is_drawn;
}

bool tqdm_update(tqdm_tqdm *bar, double n) {
    if (!check_bar(bar)) return false;
    const bool drawn = update(bar, n);
    bar->iterations = bar->n;
    return drawn;
}

void tqdm_step_(tqdm_tqdm *bar) {
    bar->iterations++;
    if (bar->o.disable || bar->is_closed || bar->iterations - bar->last_n < bar->miniters) return;
    const double time = tg_tqdm_calls.now();
    if (time - bar->last_time >= bar->o.mininterval && time >= bar->start + bar->o.delay)
        update(bar, bar->iterations - bar->last_n);
}

bool tqdm_close(tqdm_tqdm *bar) {
    if (!check_bar(bar)) return false;
    bar->n = bar->iterations;
    return close_bar(bar);
}

bool tqdm_refresh(tqdm_tqdm *bar) {
    return check_bar(bar) && (bar->is_closed || bar->o.disable || refresh(bar));
}

bool tqdm_clear(tqdm_tqdm *bar) {
    if (!check_bar(bar)) return false;
    if (bar->o.disable) return true;
    pthread_mutex_lock(&bars_lock);
    clear(bar);
    pthread_mutex_unlock(&bars_lock);
    return true;
}

bool tqdm_reset(tqdm_tqdm *bar, double total) {
    if (!check_bar(bar)) return false;
    bar->n = bar->iterations = bar->last_n = 0;
    bar->is_float = false;
    if (total >= 0) bar->o.total = isinf(total) ? -1 : total;
    if (bar->o.disable || bar->is_closed) return true;
    bar->last_time = bar->start = tg_tqdm_calls.now();
    bar->dn = bar->dt = bar->adapted = (Average){0, 0};
    return refresh(bar);
}

bool tqdm_set_description(tqdm_tqdm *bar, const char *desc) {
    return check_bar(bar) && set_text(&bar->copies.desc, &bar->o.desc, desc, ": ") && tqdm_refresh(bar);
}

bool tqdm_set_description_str(tqdm_tqdm *bar, const char *desc) {
    return check_bar(bar) && set_text(&bar->copies.desc, &bar->o.desc, desc, "") && tqdm_refresh(bar);
}

bool tg_tqdm_set_postfix(tqdm_tqdm *bar, const char *text) {
    return set_text(&bar->copies.postfix, &bar->o.postfix, text, "");
}

bool tqdm_set_postfix_str(tqdm_tqdm *bar, const char *text) {
    return check_bar(bar) && tg_tqdm_set_postfix(bar, text) && tqdm_refresh(bar);
}

bool tqdm_set_postfix(tqdm_tqdm *bar, const t_TensorDict *postfix) {
    if (!check_bar(bar) || !tg_check_dict(postfix, 2)) return false;
    const int depth = t_scope_open();
    const char *text = depth ? t_format("%s", "") : NULL;
    for (int64_t i = 0; text && i < postfix->len; i++) {
        const t_DictItem *item = &postfix->items[i];
        const double number = item->text ? 0 : t_dict_get_number(postfix, item->name);
        const char *value = item->text ? item->text : t_error() ? NULL : tqdm_format_num(number);
        value = value && item->tensor && tg_is_floating(item->tensor->dtype) ? tg_tqdm_format_float(number) : value;
        while (item->text && (*value == ' ' || *value == '\t')) value++;
        int length = value ? (int)strlen(value) : 0;
        while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) length--;
        text = value ? t_format("%s%s%s=%.*s", text, i ? ", " : "", item->name, length, value) : NULL;
    }
    const bool ok = text && tqdm_set_postfix_str(bar, text);
    t_scope_close(depth);
    return ok;
}

double tqdm_n(const tqdm_tqdm *bar) {
    return check_bar(bar) ? bar->n : NAN;
}

const char *tqdm_str(const tqdm_tqdm *bar) {
    if (!check_bar(bar)) return NULL;
    tqdm_tqdm copy = *bar;
    copy.texts = (tg_TqdmTexts){0};
    const char *line = make_line(&copy) ? t_format("%s", copy.texts.line.data) : NULL;
    tg_tqdm_texts_free(&copy.texts);
    return line;
}

static bool is_terminal_file(const FILE *file) {
    return file == stdout || file == stderr;
}

bool tqdm_write(const char *text, FILE *file, const char *end) {
    if (!tg_check_given(text != NULL, 1, "a text")) return false;
    if (!file) file = stdout;
    pthread_mutex_lock(&bars_lock);
    for (tqdm_tqdm *bar = bars; bar; bar = bar->next)
        if (bar->o.file == file || (is_terminal_file(file) && is_terminal_file(bar->o.file))) clear(bar);
    fprintf(file, "%s%s", text, end ? end : "\n");
    fflush(file);
    bool ok = true;
    for (tqdm_tqdm *bar = bars; bar; bar = bar->next)
        if (bar->o.file == file || (is_terminal_file(file) && is_terminal_file(bar->o.file)))
            ok = display(bar, NULL, bar->position) != OUT_OF_MEMORY && ok;
    pthread_mutex_unlock(&bars_lock);
    return ok;
}
