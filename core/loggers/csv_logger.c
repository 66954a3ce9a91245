/* core/loggers/csv_logger.c: CSVLogger: the rows in memory, and metrics.csv. */
#include "core/loggers/csv_logger.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io/file.h"
#include "core/ops/tensor_info.h"
#include "core/python/os.h"
#include "core/tensor/str.h"
#include "core/tensor/tensor.h"

const loggers_CSVLoggerOptions loggers_CSVLoggerDefaults = {LOGGERS_CSV_LOGGER_DEFAULTS_};

typedef struct Row {
    char **cells; /* of the first columns; NULL for an empty cell */
    int64_t count;
} Row;

struct loggers_CSVLogger {
    t_Object object;
    char *folder, *path, *prefix; /* malloc'ed */
    int64_t every;
    char **columns;
    int64_t column_count, column_capacity;
    Row *rows;
    int64_t row_count, row_capacity, saved; /* saved: number of rows in the file */
};

static char *copy_text(const char *text) {
    tg_Output out;
    tg_output_memory(&out);
    if (text) tg_output_text(&out, text);
    return tg_output_take_text(&out, text != NULL);
}

/* One more item of that many bytes, zeroed. NULL on out of memory. */
static void *grow(void *items, int64_t count, int64_t *capacity, size_t bytes) {
    if (count < *capacity) return items;
    const int64_t larger = *capacity ? 2 * *capacity : 8;
    void *to = tg_alloc((size_t)larger * bytes);
    if (!to) return NULL;
    if (count) memcpy(to, items, (size_t)count * bytes);
    tg_free(items, (size_t)*capacity * bytes);
    *capacity = larger;
    return to;
}

static void free_row(Row *row) {
    for (int64_t i = 0; i < row->count; i++) free(row->cells[i]);
    tg_free(row->cells, (size_t)row->count * sizeof *row->cells);
}

static bool save(loggers_CSVLogger *self);

static void logger_destroy(void *object) {
    static _Thread_local bool warned;
    loggers_CSVLogger *self = object;
    tg_object_dispose(&self->object);
    const bool had_error = t_error() != NULL;
    tg_SavedError before;
    if (had_error) tg_error_save(&before);
    if (self->path && !save(self) && t_error_message()) {
        tg_warn(&warned, "%s", t_error_message());
        t_clear_error();
    }
    if (had_error) tg_error_restore(&before);
    for (int64_t i = 0; i < self->row_count; i++) free_row(&self->rows[i]);
    for (int64_t i = 0; i < self->column_count; i++) free(self->columns[i]);
    tg_free(self->rows, (size_t)self->row_capacity * sizeof *self->rows);
    tg_free(self->columns, (size_t)self->column_capacity * sizeof *self->columns);
    free(self->folder);
    free(self->path);
    free(self->prefix);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class logger_class = {"CSVLogger", logger_destroy};

static bool check_logger(const loggers_CSVLogger *self) {
    if (!tg_check_given(self != NULL, 1, "a CSVLogger")) return false;
    return self->object.is_a == &logger_class || tg_fail("argument 1 is not a CSVLogger, or was released");
}

/* ---- the folder ---- */

/* "version_3" if version_2 is the highest in the folder. NULL on an error. */
static const char *next_version(const char *folder) {
    struct stat about;
    if (stat(folder, &about) != 0) return "version_0";
    const os_Listing *names = os_listdir(folder);
    long next = 0;
    for (int64_t i = 0; names && i < names->len; i++) {
        char *end;
        if (strncmp(names->items[i], "version_", 8) != 0) continue;
        const long version = strtol(names->items[i] + 8, &end, 10);
        if (end != names->items[i] + 8 && *end == '\0' && version >= next && version < LONG_MAX) next = version + 1;
    }
    return names ? t_format("version_%ld", next) : NULL;
}

loggers_CSVLogger *loggers_CSVLogger_new(const loggers_CSVLoggerOptions *options) {
    loggers_CSVLoggerOptions o = loggers_CSVLoggerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_given(o.save_dir && *o.save_dir, 1, "a folder"))
        return NULL;
    if (o.flush_logs_every_n_steps < 1)
        return tg_fail("flush_logs_every_n_steps is %lld, but must be positive", (long long)o.flush_logs_every_n_steps);
    const int depth = t_scope_open();
    loggers_CSVLogger *self = depth ? tg_alloc(sizeof *self) : NULL;
    if (self) tg_object_init(&self->object, &logger_class);
    const char *root = !self ? NULL : o.name && *o.name ? t_format("%s/%s", o.save_dir, o.name) : o.save_dir;
    const char *version = root ? o.version ? o.version : next_version(root) : NULL;
    const char *folder = version ? t_format("%s/%s", root, version) : NULL;
    bool ok = folder != NULL;
    if (ok) {
        self->every = o.flush_logs_every_n_steps;
        self->folder = copy_text(folder);
        self->prefix = self->folder ? copy_text(o.prefix ? o.prefix : "") : NULL;
        self->path = self->prefix ? copy_text(t_format("%s/metrics.csv", folder)) : NULL;
        ok = self->path && tg_make_folders(folder);
    }
    return tg_scope_return(depth, ok ? self : NULL);
}

const char *loggers_log_dir(const loggers_CSVLogger *self) {
    return check_logger(self) ? self->folder : NULL;
}

/* ---- rows ---- */

/* The index of the column, which is added if it is new; -1 on out of memory. */
static int64_t column_of(loggers_CSVLogger *self, const char *name) {
    for (int64_t i = 0; i < self->column_count; i++)
        if (strcmp(self->columns[i], name) == 0) return i;
    char **columns = grow(self->columns, self->column_count, &self->column_capacity, sizeof *columns);
    if (!columns) return -1;
    self->columns = columns;
    char *copy = copy_text(name);
    if (!copy) return -1;
    columns[self->column_count] = copy;
    return self->column_count++;
}

/* Takes over the text. */
static bool set_cell(loggers_CSVLogger *self, Row *row, const char *name, char *text) {
    const int64_t column = text ? column_of(self, name) : -1;
    if (column < 0) {
        free(text);
        return false;
    }
    if (column >= row->count) {
        char **cells = tg_alloc((size_t)(column + 1) * sizeof *cells);
        if (!cells) {
            free(text);
            return false;
        }
        if (row->count) memcpy(cells, row->cells, (size_t)row->count * sizeof *cells);
        tg_free(row->cells, (size_t)row->count * sizeof *cells);
        row->cells = cells;
        row->count = column + 1;
    }
    free(row->cells[column]);
    row->cells[column] = text;
    return true;
}

/* str(x.item()) */
static char *value_text(const t_DictItem *item) {
    if (item->text) return copy_text(item->text);
    if (item->tensor->dtype == t_bool) return copy_text(t_item(item->tensor) != 0 ? "True" : "False");
    if (!tg_is_floating(item->tensor->dtype)) {
        const int64_t value = t_item_int64(item->tensor); /* as a double, an int64 is rounded */
        return copy_text(t_format("%lld", (long long)value));
    }
    return copy_text(tg_number_text(t_item(item->tensor)));
}

bool loggers_log_metrics(loggers_CSVLogger *self, const t_TensorDict *metrics, int64_t step) {
    if (!check_logger(self) || !tg_check_dict(metrics, 2)) return false;
    for (int64_t i = 0; i < metrics->len; i++)
        if (metrics->items[i].tensor && tg_numel(metrics->items[i].tensor) != 1)
            return tg_fail("the metric \"%s\" has %lld elements, but must be one number", metrics->items[i].name,
                           (long long)tg_numel(metrics->items[i].tensor));
    if (step == T_NONE) step = self->row_count;
    Row *rows = grow(self->rows, self->row_count, &self->row_capacity, sizeof *rows);
    if (!rows) return false;
    self->rows = rows;
    Row row = {NULL, 0};
    const int depth = t_scope_open();
    bool ok = depth != 0;
    const int64_t columns = self->column_count;
    for (int64_t i = 0; ok && i < metrics->len; i++) {
        const t_DictItem *item = &metrics->items[i];
        const char *name = *self->prefix ? t_format("%s-%s", self->prefix, item->name) : item->name;
        ok = name && set_cell(self, &row, name, value_text(item));
    }
    const char *number = ok ? t_format("%lld", (long long)step) : NULL;
    ok = number && set_cell(self, &row, "step", copy_text(number));
    t_scope_close(depth);
    if (!ok) { /* as before, also without new columns */
        free_row(&row);
        while (self->column_count > columns) free(self->columns[--self->column_count]);
        return false;
    }
    rows[self->row_count++] = row;
    const int64_t rest = step % self->every; /* of a negative step it is not positive */
    const bool is_due = rest == self->every - 1 || rest == -1; /* (step + 1) % every == 0, without an overflow */
    if (!is_due || save(self)) return true;
    free_row(&rows[--self->row_count]);
    while (self->column_count > columns) free(self->columns[--self->column_count]);
    return false;
}

/* ---- the file ---- */

/* As Python's csv: quotes around what contains a comma, a quote or the end of a line. */
static void put_cell(tg_Output *out, const char *text) {
    if (!text) return;
    if (!text[strcspn(text, ",\"\r\n")]) {
        tg_output_text(out, text);
        return;
    }
    tg_output_text(out, "\"");
    for (; *text; text++) tg_output_write(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    tg_output_text(out, "\"");
}

static bool save(loggers_CSVLogger *self) {
    if (self->saved == self->row_count) return true;
    tg_Output out;
    if (!tg_output_open(&out, self->path)) return false;
    for (int64_t r = -1; r < self->row_count; r++)
        for (int64_t c = 0; c < self->column_count; c++) {
            if (c) tg_output_text(&out, ",");
            put_cell(&out, r < 0 ? self->columns[c] : c < self->rows[r].count ? self->rows[r].cells[c] : NULL);
            if (c == self->column_count - 1) tg_output_text(&out, "\r\n");
        }
    if (!tg_output_commit(&out, true)) return false;
    self->saved = self->row_count;
    return true;
}

bool loggers_save(loggers_CSVLogger *self) {
    return check_logger(self) && save(self);
}
