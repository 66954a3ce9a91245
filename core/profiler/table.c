/* core/profiler/table.c: the table of a list of events, in the layout of torch.profiler's _build_table. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/profiler/profile_internal.h"

/* ---- the order ---- */

typedef struct Field {
    const char *name;
    size_t offset;
    bool is_integer;
} Field;
#define FIELD(name, is_integer) \
    { #name, offsetof(profiler_FunctionEvent, name), is_integer }
static const Field fields[] = {
    FIELD(cpu_time_total, false),
    FIELD(self_cpu_time_total, false),
    FIELD(forward_time, false),
    FIELD(backward_time, false),
    FIELD(flops, false),
    FIELD(cpu_memory_usage, true),
    FIELD(self_cpu_memory_usage, true),
    FIELD(count, true),
    {"cpu_time", 0, false},
};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct Row {
    const profiler_FunctionEvent *event;
    double key;
    int64_t at; /* in the list: rows with equal keys keep their order */
} Row;

static double cpu_time(const profiler_FunctionEvent *e) {
    return e->count ? e->cpu_time_total / (double)e->count : 0;
}

static double value_of(const profiler_FunctionEvent *e, const Field *field) {
    const char *at = (const char *)e + field->offset;
    if (strcmp(field->name, "cpu_time") == 0) return cpu_time(e);
    return field->is_integer ? (double)*(const int64_t *)(const void *)at : *(const double *)(const void *)at;
}

static int by_key(const void *left, const void *right) {
    const Row *a = left, *b = right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static Row *sorted_rows(const profiler_EventList *events, const char *sort_by) {
    const Field *field = NULL;
    for (int i = 0; sort_by && i < FIELDS; i++)
        if (strcmp(sort_by, fields[i].name) == 0) field = &fields[i];
    if (sort_by && !field) return tg_fail("'FunctionEventAvg' object has no attribute '%s'", sort_by);
    Row *rows = malloc((size_t)(events->count + 1) * sizeof *rows);
    if (!rows) return tg_fail("out of memory: the rows of a table");
    for (int64_t i = 0; i < events->count; i++)
        rows[i] = (Row){&events->items[i], field ? value_of(&events->items[i], field) : 0, i};
    if (field) qsort(rows, (size_t)events->count, sizeof *rows, by_key);
    return rows;
}

/* ---- values as text ---- */

enum { CELL = 64 };

static void print_time(char to[CELL], double us, const char *unit) {
    const char *name = unit ? unit : us >= 1e6 ? "s" : us >= 1e3 ? "ms" : "us";
    const double divisor = strcmp(name, "s") == 0 ? 1e6 : strcmp(name, "ms") == 0 ? 1e3 : 1;
    snprintf(to, CELL, "%.3f%s", us / divisor, name);
}

static void print_share(char to[CELL], double part, double whole) {
    if (whole == 0)
        snprintf(to, CELL, "NaN");
    else
        snprintf(to, CELL, "%.2f%%", part * 100.0 / whole);
}

static void print_memory(char to[CELL], int64_t bytes) {
    const double size = fabs((double)bytes);
    if (size >= 1073741824.0)
        snprintf(to, CELL, "%.2f GB", (double)bytes / 1073741824.0);
    else if (size >= 1048576.0)
        snprintf(to, CELL, "%.2f MB", (double)bytes / 1048576.0);
    else if (size >= 1024.0)
        snprintf(to, CELL, "%.2f KB", (double)bytes / 1024.0);
    else
        snprintf(to, CELL, "%lld B", (long long)bytes);
}

/* ---- columns ---- */

/* In PyTorch's order, with what it does not have. */
typedef enum Kind {
    NAME,
    SELF_SHARE,
    SELF_TIME,
    TOTAL_SHARE,
    TOTAL_TIME,
    AVERAGE_TIME,
    FORWARD,
    BACKWARD,
    MEMORY,
    SELF_MEMORY,
    CALLS,
    SHAPES,
    STACK,
    FLOPS,
    RATE,
    PEAK_SHARE
} Kind;
enum { WIDTH = 12, SPACE = 2, MOST_COLUMNS = PEAK_SHARE + 1, LONG_CELL = 512 };

typedef struct Column {
    Kind kind;
    const char *header;
    int width;
} Column;

typedef struct Table {
    tg_Output out;
    const profiler_TableOptions *o;
    int columns;
    Column column[MOST_COLUMNS];
    bool has_paths; /* its names are modules or lines */
    double flops_scale, total, peak;
} Table;

static void add_column(Table *t, Kind kind, const char *header, int64_t width) {
    t->column[t->columns++] = (Column){kind, header, (int)width};
}

static int64_t longest_line(const char *text) {
    int64_t longest = 0;
    for (const char *at = text; at && *at;) {
        const size_t length = strcspn(at, "\n");
        if ((int64_t)length > longest) longest = (int64_t)length;
        at += length + (at[length] != '\0');
    }
    return longest;
}

static int64_t at_most(int64_t width, int64_t most) {
    return most > 0 && width > most ? most : width;
}

static void choose_columns(Table *t, const profiler_EventList *events) {
    int64_t name = 0, shapes = 0, stack = 0;
    double least = 0;
    bool has_shapes = false;
    for (int64_t i = 0; i < events->count; i++) {
        const profiler_FunctionEvent *e = &events->items[i];
        const int64_t length = (int64_t)strlen(e->key);
        const int64_t of_shapes = e->input_shapes ? (int64_t)strlen(e->input_shapes) : 2;
        name = length > name ? length : name;
        shapes = of_shapes > shapes ? of_shapes : shapes;
        has_shapes |= e->input_shapes && strcmp(e->input_shapes, "[]") != 0;
        if (longest_line(e->stack) > stack) stack = longest_line(e->stack);
        if (e->flops > 0 && (least == 0 || e->flops < least)) least = e->flops;
        t->total += e->self_cpu_time_total;
    }
    const bool compact = t->o->compact, directions = events->has_directions || t->o->forward_backward;
    t->has_paths = events->has_directions;
    add_column(t, NAME, "Name", at_most(name + 4, t->o->max_name_column_width));
    add_column(t, SELF_SHARE, "Self CPU %", WIDTH);
    add_column(t, SELF_TIME, "Self CPU", WIDTH);
    if (!compact) add_column(t, TOTAL_SHARE, "CPU total %", WIDTH);
    add_column(t, TOTAL_TIME, "CPU total", WIDTH);
    if (!compact || !directions) add_column(t, AVERAGE_TIME, "CPU time avg", WIDTH);
    if (directions) {
        add_column(t, FORWARD, "Forward", WIDTH);
        add_column(t, BACKWARD, "Backward", WIDTH);
    }
    if (events->has_memory) {
        if (!compact) add_column(t, MEMORY, "CPU Mem", WIDTH);
        add_column(t, SELF_MEMORY, "Self CPU Mem", WIDTH);
    }
    add_column(t, CALLS, "# of Calls", WIDTH);
    if (has_shapes) add_column(t, SHAPES, "Input Shapes", at_most(shapes + 4, t->o->max_shapes_column_width));
    if (stack > 0) add_column(t, STACK, "Source Location", at_most(stack + 4, t->o->max_src_column_width));
    if (!events->has_flops || least == 0) return;
    static const char *const flops[] = {"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
                                        "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
    const double thousands = fmax(0, fmin(log10(least) / 3, 5));
    t->flops_scale = pow(10, floor(thousands) * -3.0);
    if (!compact || !t->o->share_of_peak) add_column(t, FLOPS, flops[(int)thousands], WIDTH);
    if (!t->o->share_of_peak) return;
    t->peak = profiler_peak_flops();
    add_column(t, RATE, "GFLOP/s", WIDTH);
    add_column(t, PEAK_SHARE, "% of peak", WIDTH);
}

/* ---- cells ---- */

/* A path that is too long loses its beginning. */
static void print_end(char *to, const char *line, size_t length, int64_t width) {
    if ((int64_t)length <= width)
        snprintf(to, LONG_CELL, "%.*s", (int)length, line);
    else if (width > 3)
        snprintf(to, LONG_CELL, "...%.*s", (int)width - 3, line + length - (size_t)width + 3);
    else
        snprintf(to, LONG_CELL, "%.*s", (int)width, line + length - (size_t)width);
}

static void print_name(const Table *t, char *to, const char *key) {
    const int64_t most = t->o->max_name_column_width;
    if (most > 3 && t->has_paths)
        print_end(to, key, strlen(key), most);
    else if (most > 3 && (int64_t)strlen(key) >= most - 3 && most - 3 < LONG_CELL - 4)
        snprintf(to, LONG_CELL, "%.*s...", (int)(most - 3), key);
    else
        snprintf(to, LONG_CELL, "%s", key);
}

/* What the column c shows of an event, of its stack the first line. */
static void print_cell(const Table *t, int c, const profiler_FunctionEvent *e, char to[LONG_CELL]) {
    const char *unit = t->o->time_unit;
    const double rate = e->flops > 0 && e->cpu_time_total > 0 ? e->flops / e->cpu_time_total / 1e3 : 0;
    strcpy(to, "--");
    switch (t->column[c].kind) {
    case NAME: print_name(t, to, e->key); break;
    case SELF_SHARE: print_share(to, e->self_cpu_time_total, t->total); break;
    case SELF_TIME: print_time(to, e->self_cpu_time_total, unit); break;
    case TOTAL_SHARE: print_share(to, e->cpu_time_total, t->total); break;
    case TOTAL_TIME: print_time(to, e->cpu_time_total, unit); break;
    case AVERAGE_TIME: print_time(to, cpu_time(e), unit); break;
    case FORWARD: print_time(to, e->forward_time, unit); break;
    case BACKWARD: print_time(to, e->backward_time, unit); break;
    case MEMORY: print_memory(to, e->cpu_memory_usage); break;
    case SELF_MEMORY: print_memory(to, e->self_cpu_memory_usage); break;
    case CALLS: snprintf(to, CELL, "%lld", (long long)e->count); break;
    case SHAPES: snprintf(to, LONG_CELL, "%.*s", t->column[c].width, e->input_shapes ? e->input_shapes : "[]"); break;
    case STACK:
        print_end(to, e->stack ? e->stack : "", e->stack ? strcspn(e->stack, "\n") : 0, t->column[c].width);
        break;
    case FLOPS:
        if (e->flops > 0) snprintf(to, CELL, "%8.3f", e->flops * t->flops_scale);
        break;
    case RATE:
        if (rate > 0) snprintf(to, CELL, "%.3f", rate);
        break;
    case PEAK_SHARE:
        if (rate > 0 && t->peak > 0) print_share(to, rate * 1e9, t->peak);
        break;
    }
}

/* Columns as narrow as their headers and cells; that of the names is chosen already. */
static void fit_columns(Table *t, const Row *rows, int64_t count) {
    char text[LONG_CELL];
    for (int c = 1; c < t->columns; c++) {
        int64_t width = (int64_t)strlen(t->column[c].header);
        for (int64_t i = 0; i < count; i++) {
            print_cell(t, c, rows[i].event, text);
            if ((int64_t)strlen(text) > width) width = (int64_t)strlen(text);
        }
        if (width < t->column[c].width) t->column[c].width = (int)width;
    }
}

/* ---- lines ---- */

/* Python's "{: >12}  ": numbers and texts to the right, with no cut. */
static void add_cell(Table *t, int c, const char *text) {
    tg_output_print(&t->out, t->column[c].kind == STACK ? "%-*s  " : "%*s  ", t->column[c].width, text);
}

static void add_rule(Table *t) {
    for (int c = 0; c < t->columns; c++) {
        for (int i = 0; i < t->column[c].width; i++) tg_output_text(&t->out, "-");
        tg_output_text(&t->out, "  ");
    }
    tg_output_text(&t->out, "\n");
}

/* PyTorch puts the flops before the stack of a row's cells, but its header after: here both are in the header's
 * order. The further lines of a stack are lines of their own. */
static void add_row(Table *t, const profiler_FunctionEvent *e) {
    char text[LONG_CELL];
    int stack = -1;
    for (int c = 0; c < t->columns; c++) {
        print_cell(t, c, e, text);
        add_cell(t, c, text);
        if (t->column[c].kind == STACK) stack = c;
    }
    tg_output_text(&t->out, "\n");
    if (stack < 0) return;
    const char *line = e->stack;
    do {
        if (line) line += strcspn(line, "\n");
        if (line && *line == '\n')
            line++;
        else
            line = NULL;
        for (int c = 0; c < t->columns; c++) {
            if (c == stack && line) print_end(text, line, strcspn(line, "\n"), t->column[c].width);
            add_cell(t, c, c == stack && line ? text : "");
        }
        tg_output_text(&t->out, "\n");
    } while (line);
}

static void add_double_rule(Table *t) {
    int length = -SPACE;
    for (int c = 0; c < t->columns; c++) length += t->column[c].width + SPACE;
    for (int i = 0; i < length; i++) tg_output_text(&t->out, "=");
    tg_output_text(&t->out, "\n");
}

const char *profiler_table(const profiler_EventList *events, const profiler_TableOptions *options) {
    profiler_TableOptions o = {.size = sizeof o, PROFILER_TABLE_DEFAULTS_};
    if (!tg_check_event_list(events, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    Row *rows = sorted_rows(events, o.sort_by);
    if (!rows) return NULL;
    Table table = {.o = &o}, *t = &table;
    tg_output_memory(&t->out);
    const int64_t failures = tg_thread.failures; /* the share of the peak needs memory to measure it */
    if (events->count) {
        choose_columns(t, events);
        if (o.compact)
            fit_columns(t, rows, o.row_limit >= 0 && o.row_limit < events->count ? o.row_limit : events->count);
        if (o.header) {
            add_double_rule(t);
            tg_output_print(&t->out, "%s\n", o.header);
        }
        if (o.top_level_events_only) {
            add_double_rule(t);
            tg_output_text(&t->out, "This report only display top-level ops statistics\n");
        }
        add_rule(t);
        for (int c = 0; c < t->columns; c++) add_cell(t, c, t->column[c].header);
        tg_output_text(&t->out, "\n");
        add_rule(t);
        int64_t printed = 0;
        for (int64_t i = 0; i < events->count && printed != o.row_limit; i++) {
            if (o.top_level_events_only && rows[i].event->parent >= 0) continue;
            add_row(t, rows[i].event);
            printed++;
        }
        add_rule(t);
        char total[CELL];
        print_time(total, t->total, o.time_unit);
        tg_output_print(&t->out, "Self CPU time total: %s\n", total);
    }
    free(rows);
    return tg_str_new(tg_output_take_text(&t->out, !tg_failed_since(failures)));
}
