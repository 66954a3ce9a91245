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

enum { WIDTH = 12, SPACE = 2, MOST_COLUMNS = 16 };

typedef struct Table {
    tg_Output out;
    const profiler_TableOptions *o;
    int columns, widths[MOST_COLUMNS];
    bool left[MOST_COLUMNS];
    const char *headers[MOST_COLUMNS];
    bool has_memory, has_shapes, has_stack, has_flops, has_directions, has_peak;
    int64_t name_width, shapes_width, stack_width;
    double flops_scale, total, peak;
} Table;

static void add_column(Table *t, const char *header, int64_t width, bool left) {
    t->headers[t->columns] = header;
    t->left[t->columns] = left;
    t->widths[t->columns++] = (int)width;
}

/* Python's "{: >12}  ": numbers and texts to the right, with no cut. */
static void print_cell(Table *t, int column, const char *text) {
    const int width = t->widths[column];
    tg_output_print(&t->out, t->left[column] ? "%-*s  " : "%*s  ", width, text);
}

static void print_rule(Table *t) {
    char line[512];
    for (int c = 0; c < t->columns; c++) {
        for (int left = t->widths[c]; left > 0; left -= (int)sizeof line - 1) {
            const int n = left < (int)sizeof line ? left : (int)sizeof line - 1;
            memset(line, '-', (size_t)n);
            line[n] = '\0';
            tg_output_text(&t->out, line);
        }
        tg_output_text(&t->out, "  ");
    }
    tg_output_text(&t->out, "\n");
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
    for (int64_t i = 0; i < events->count; i++) {
        const profiler_FunctionEvent *e = &events->items[i];
        const int64_t length = (int64_t)strlen(e->key);
        const int64_t of_shapes = e->input_shapes ? (int64_t)strlen(e->input_shapes) : 2;
        name = length > name ? length : name;
        shapes = of_shapes > shapes ? of_shapes : shapes;
        t->has_shapes |= e->input_shapes && strcmp(e->input_shapes, "[]") != 0;
        if (longest_line(e->stack) > stack) stack = longest_line(e->stack);
        if (e->flops > 0 && (least == 0 || e->flops < least)) least = e->flops;
        t->total += e->self_cpu_time_total;
    }
    t->has_stack = stack > 0;
    t->has_memory = events->has_memory;
    t->has_flops = events->has_flops && least > 0;
    t->has_directions = events->has_directions || t->o->forward_backward;
    t->name_width = at_most(name + 4, t->o->max_name_column_width);
    t->shapes_width = at_most(shapes + 4, t->o->max_shapes_column_width);
    t->stack_width = at_most(stack + 4, t->o->max_src_column_width);
    add_column(t, "Name", t->name_width, false);
    static const char *const times[] = {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"};
    for (int i = 0; i < 5; i++) add_column(t, times[i], WIDTH, false);
    if (t->has_directions) {
        add_column(t, "Forward", WIDTH, false);
        add_column(t, "Backward", WIDTH, false);
    }
    if (t->has_memory) {
        add_column(t, "CPU Mem", WIDTH, false);
        add_column(t, "Self CPU Mem", WIDTH, false);
    }
    add_column(t, "# of Calls", WIDTH, false);
    if (t->has_shapes) add_column(t, "Input Shapes", t->shapes_width, false);
    if (t->has_stack) add_column(t, "Source Location", t->stack_width, true);
    if (t->has_flops) {
        static const char *const flops[] = {"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
                                            "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
        const double thousands = fmax(0, fmin(log10(least) / 3, 5));
        t->flops_scale = pow(10, floor(thousands) * -3.0);
        add_column(t, flops[(int)thousands], WIDTH, false);
        t->has_peak = t->o->share_of_peak;
        if (t->has_peak) {
            t->peak = profiler_peak_flops();
            add_column(t, "GFLOP/s", WIDTH, false);
            add_column(t, "% of peak", WIDTH, false);
        }
    }
}

/* A path that is too long loses its beginning. */
static const char *trimmed(const char *line, size_t length, int64_t width, char *to, size_t size) {
    if ((int64_t)length <= width)
        snprintf(to, size, "%.*s", (int)length, line);
    else if (width > 3)
        snprintf(to, size, "...%.*s", (int)width - 3, line + length - (size_t)width + 3);
    else
        snprintf(to, size, "%.*s", (int)width, line + length - (size_t)width);
    return to;
}

/* PyTorch puts the flops before the stack of a row's cells, but its header after: here both are in the header's
 * order. */
static void print_stack(Table *t, const char *stack, int column, bool first) {
    char text[512];
    const size_t length = stack ? strcspn(stack, "\n") : 0;
    if (!first)
        for (int c = 0; c < column; c++) print_cell(t, c, "");
    print_cell(t, column, trimmed(stack ? stack : "", length, t->stack_width, text, sizeof text));
}

static void print_name(Table *t, const char *key, int column) {
    char text[512];
    const int64_t most = t->o->max_name_column_width;
    if (most > 3 && (int64_t)strlen(key) >= most - 3 && most - 3 < (int64_t)sizeof text - 4)
        snprintf(text, sizeof text, "%.*s...", (int)(most - 3), key);
    else
        snprintf(text, sizeof text, "%s", key);
    print_cell(t, column, text);
}

static void print_row(Table *t, const profiler_FunctionEvent *e) {
    char text[512], *cell = text;
    int c = 0, stack_column = -1;
    print_name(t, e->key, c++);
    print_share(cell, e->self_cpu_time_total, t->total);
    print_cell(t, c++, cell);
    print_time(cell, e->self_cpu_time_total, t->o->time_unit);
    print_cell(t, c++, cell);
    print_share(cell, e->cpu_time_total, t->total);
    print_cell(t, c++, cell);
    print_time(cell, e->cpu_time_total, t->o->time_unit);
    print_cell(t, c++, cell);
    print_time(cell, cpu_time(e), t->o->time_unit);
    print_cell(t, c++, cell);
    if (t->has_directions) {
        print_time(cell, e->forward_time, t->o->time_unit);
        print_cell(t, c++, cell);
        print_time(cell, e->backward_time, t->o->time_unit);
        print_cell(t, c++, cell);
    }
    if (t->has_memory) {
        print_memory(cell, e->cpu_memory_usage);
        print_cell(t, c++, cell);
        print_memory(cell, e->self_cpu_memory_usage);
        print_cell(t, c++, cell);
    }
    snprintf(cell, CELL, "%lld", (long long)e->count);
    print_cell(t, c++, cell);
    if (t->has_shapes) {
        snprintf(text, sizeof text, "%.*s", (int)t->shapes_width, e->input_shapes ? e->input_shapes : "[]");
        print_cell(t, c++, text);
    }
    if (t->has_stack) print_stack(t, e->stack, stack_column = c++, true);
    if (t->has_flops) {
        if (e->flops > 0)
            snprintf(cell, CELL, "%8.3f", e->flops * t->flops_scale);
        else
            snprintf(cell, CELL, "--");
        print_cell(t, c++, cell);
        if (t->has_peak) {
            const double rate = e->flops > 0 && e->cpu_time_total > 0 ? e->flops / e->cpu_time_total / 1e3 : 0;
            if (rate > 0)
                snprintf(cell, CELL, "%.3f", rate);
            else
                snprintf(cell, CELL, "--");
            print_cell(t, c++, cell);
            if (rate > 0 && t->peak > 0)
                print_share(cell, rate * 1e9, t->peak);
            else
                snprintf(cell, CELL, "--");
            print_cell(t, c++, cell);
        }
    }
    tg_output_text(&t->out, "\n");
    if (!t->has_stack) return;
    for (const char *line = e->stack; line && *line;) {
        line += strcspn(line, "\n");
        if (*line != '\n') break;
        print_stack(t, ++line, stack_column, false);
        for (int k = stack_column + 1; k < t->columns; k++) print_cell(t, k, "");
        tg_output_text(&t->out, "\n");
    }
    for (int k = 0; k < t->columns; k++) print_cell(t, k, "");
    tg_output_text(&t->out, "\n");
}

static void print_double_rule(Table *t) {
    int length = -SPACE;
    for (int c = 0; c < t->columns; c++) length += t->widths[c] + SPACE;
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
    if (events->count) {
        choose_columns(t, events);
        if (o.header) {
            print_double_rule(t);
            tg_output_print(&t->out, "%s\n", o.header);
        }
        if (o.top_level_events_only) {
            print_double_rule(t);
            tg_output_text(&t->out, "This report only display top-level ops statistics\n");
        }
        print_rule(t);
        for (int c = 0; c < t->columns; c++) print_cell(t, c, t->headers[c]);
        tg_output_text(&t->out, "\n");
        print_rule(t);
        int64_t printed = 0;
        for (int64_t i = 0; i < events->count && printed != o.row_limit; i++) {
            if (o.top_level_events_only && rows[i].event->parent >= 0) continue;
            print_row(t, rows[i].event);
            printed++;
        }
        print_rule(t);
        char total[CELL];
        print_time(total, t->total, o.time_unit);
        tg_output_print(&t->out, "Self CPU time total: %s\n", total);
    }
    free(rows);
    return tg_str_new(tg_output_take_text(&t->out, true));
}
