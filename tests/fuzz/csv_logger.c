/* tests/fuzz/csv_logger.c: CSVLogger: metrics.csv has the rows of the last save, after every call. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/loggers/csv_logger.h"
#include "core/ops/ops.h"
#include "core/pandas/io/read_csv.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/writers.h"

/* ---- what the file must have ---- */

enum { MOST_CALLS = 12, MOST_METRICS = 5, MOST_COLUMNS = MOST_CALLS * (MOST_METRICS + 1), CELL = 100 };

typedef struct Table {
    char names[MOST_COLUMNS][CELL];
    int columns, rows;
    struct {
        char text[CELL]; /* "" where the row has no such metric */
        bool is_float;
        double value;
    } cells[MOST_CALLS][MOST_COLUMNS];
    int saved_columns, saved_rows; /* of the last save */
} Table;

static int column_of(Table *table, const char *prefix, const char *name) {
    char whole[CELL];
    snprintf(whole, sizeof whole, "%s%s%s", prefix, *prefix ? "-" : "", name);
    int i = 0;
    while (i < table->columns && strcmp(table->names[i], whole) != 0) i++;
    if (i == table->columns) strcpy(table->names[table->columns++], whole);
    return i;
}

/* The row of that call; the step, which has no prefix, after the new metrics. False without memory. */
static bool add_row(Table *table, const char *prefix, const t_TensorDict *metrics, int64_t step) {
    const int r = table->rows;
    for (int64_t i = 0; i < metrics->len; i++) {
        const t_DictItem *item = &metrics->items[i];
        const int c = column_of(table, prefix, item->name);
        char *text = table->cells[r][c].text;
        Tensor *x = item->tensor;
        if (!x) {
            snprintf(text, CELL, "%s", item->text);
        } else if (x->dtype == t_bool) {
            strcpy(text, *(bool *)tg_data(x) ? "True" : "False");
        } else if (tg_is_floating(x->dtype)) {
            Tensor *wide = (t_to)(x, t_float64);
            if (!wide) return false;
            table->cells[r][c].is_float = true;
            table->cells[r][c].value = *(double *)tg_data(wide);
        } else {
            Tensor *wide = (t_to)(x, t_int64);
            if (!wide) return false;
            snprintf(text, CELL, "%" PRId64, *(int64_t *)tg_data(wide));
        }
    }
    const int c = column_of(table, "", "step");
    table->cells[r][c].is_float = false;
    snprintf(table->cells[r][c].text, CELL, "%" PRId64, step);
    table->rows++;
    return true;
}

static void save(Table *table) {
    table->saved_columns = table->columns;
    table->saved_rows = table->rows;
}

static bool is_float(const char *text, double value) {
    char *end;
    const double read = strtod(text, &end);
    return *text && !*end && (read == value || (read != read && value != value));
}

/* Whether the file has that part of the table; the names of the columns are its first row. */
static bool has(const pd_DataFrame *df, const Table *table, int columns, int rows) {
    if (df->width != columns || df->len != rows + 1) return false;
    for (int c = 0; c < columns; c++) {
        const int depth = t_scope_open();
        const pd_Series *column = depth ? pd_DataFrame_getitem(df, pd_column_name(df, c)) : NULL;
        bool is_same = column != NULL;
        for (int r = -1; is_same && r < rows; r++) {
            const char *text = pd_iat_text(column, r + 1);
            if (!text) text = "";
            if (r >= 0 && table->cells[r][c].is_float)
                is_same = is_float(text, table->cells[r][c].value);
            else
                is_same = strcmp(text, r < 0 ? table->names[c] : table->cells[r][c].text) == 0;
        }
        t_scope_close(depth);
        if (!is_same) return false;
    }
    return true;
}

static bool starts_with_mark(const char *name) { /* of UTF-8, which a reader skips */
    return strncmp(name, "\xef\xbb\xbf", 3) == 0;
}

/* The file; before the first save there is none. False without memory. */
static bool check_file(const char *folder, const Table *table) {
    if (!table->saved_rows || starts_with_mark(table->names[0])) return true;
    char path[700];
    snprintf(path, sizeof path, "%s/metrics.csv", folder);
    pd_ReadCsvOptions o = {PD_READ_CSV_DEFAULTS_};
    o.header = T_NONE;
    o.dtype[0] = (pd_ColumnDType){NULL, "str"};
    o.keep_default_na = o.na_filter = o.skip_blank_lines = false;
    o.index_col = PD_NO_INDEX;
    const int depth = t_scope_open();
    pd_DataFrame *df = depth ? pd_read_csv(path, &o) : NULL;
    demand(df, "the file cannot be read");
    const bool is_same = df && has(df, table, table->saved_columns, table->saved_rows);
    demand(is_same, "the file has other rows than those of the last save");
    t_scope_close(depth);
    return is_same;
}

/* ---- calls ---- */

static Tensor *next_value(Choices *c) {
    static const t_DType dtypes[] = {t_float32,  t_float64, t_int64, t_bool, t_float16,
                                     t_bfloat16, t_int32,   t_int16, t_int8, t_uint8};
    const t_DType dtype = dtypes[choose(c, 10)];
    const int64_t shape[] = {choose(c, 16) == 1 ? 2 : 1};
    Tensor *x = tg_empty(shape, shape[0] == 1 && choose(c, 2) ? 0 : 1, dtype);
    uint8_t *to = x ? tg_data(x) : NULL;
    for (size_t i = 0; x && i < (size_t)tg_numel(x) * tg_itemsize(dtype); i++)
        to[i] = (uint8_t)(dtype == t_bool ? choose(c, 2) : choose(c, 256));
    return x;
}

static t_TensorDict *next_metrics(Choices *c) {
    static const char *const names[] = {"loss", "acc", "step", "a,b", "\"q\"", "", "my-loss"};
    char name[40], text[40];
    t_TensorDict *metrics = t_dict_new();
    bool ok = metrics != NULL;
    for (int n = choose(c, MOST_METRICS + 1); ok && n > 0; n--) {
        const int which = choose(c, 10);
        const char *key = which < 7 ? names[which] : next_utf8(c, name);
        if (choose(c, 3)) {
            Tensor *x = next_value(c);
            ok = x && (t_dict_set)(metrics, key, x);
        } else {
            ok = t_dict_set_text(metrics, key, next_utf8(c, text));
        }
    }
    return ok ? metrics : NULL;
}

static int64_t next_step(Choices *c) {
    const int byte = choose(c, 256);
    return byte < 128 ? T_NONE : byte < 192 ? byte - 140 : byte < 224 ? INT64_MAX - byte + 192 : INT64_MIN + byte;
}

static bool is_refused(const t_TensorDict *metrics) {
    for (int64_t i = 0; i < metrics->len; i++)
        if (metrics->items[i].tensor && tg_numel(metrics->items[i].tensor) != 1) return true;
    return false;
}

/* step + 1 is a multiple of n */
static bool is_due(int64_t step, int64_t n) {
    return step < 0 ? -(step + 1) % n == 0 : step % n == n - 1;
}

/* A call of log_metrics, which cannot save while the folder is lost. False without memory. */
static bool log_once(Choices *c, loggers_CSVLogger *logger, Table *table, const loggers_CSVLoggerOptions *o,
                     bool is_lost) {
    const t_TensorDict *metrics = next_metrics(c);
    const int64_t given = next_step(c), step = given == T_NONE ? table->rows : given;
    if (!metrics) return false;
    const bool is_good = !is_refused(metrics) && !(is_lost && is_due(step, o->flush_logs_every_n_steps));
    if (!(loggers_log_metrics)(logger, metrics, given)) {
        demand(!is_good, "good metrics are refused");
        clear_refusal();
        return !t_error();
    }
    must(is_good, "a metric of two elements is taken, or a row that cannot be saved");
    if (!add_row(table, o->prefix ? o->prefix : "", metrics, step)) return false;
    if (is_due(step, o->flush_logs_every_n_steps)) save(table);
    return true;
}

/* Folders that are there already; the version that follows them. */
static int put_versions(Choices *c) {
    static const char *const names[] = {"log/version_3/", "log/version_x/", "log/version_/", "log/version_10/",
                                        "log/version_9223372036854775807/"};
    const int which = choose(c, 32);
    for (int i = 0; i < 5; i++)
        if (which >> i & 1) fuzz_put_file(names[i], "", 0);
    return which & 8 ? 11 : which & 1 ? 4 : 0;
}

/* The calls, in a scope that the logger does not survive. False without memory, and if the options are refused. */
static bool write_rows(Choices *c, const char *root, char folder[600], Table *table) {
    static const char *const names[] = {"log", "", "a/b", "file/b"};
    static const int64_t every[] = {1, 2, 3, 100, INT64_MAX, 0};
    char prefix[40], expected[600];
    loggers_CSVLoggerOptions o = {LOGGERS_CSV_LOGGER_DEFAULTS_};
    const int free_version = put_versions(c);
    fuzz_put_file("file", "x", 1);
    o.save_dir = choose(c, 64) == 1 ? "" : root;
    o.name = names[choose(c, 4)];
    o.version = choose(c, 3) ? NULL : "mine";
    if (choose(c, 3)) o.prefix = choose(c, 2) ? next_utf8(c, prefix) : "p";
    o.flush_logs_every_n_steps = every[choose(c, 6)];
    loggers_CSVLogger *logger = (loggers_CSVLogger_new)(&o);
    if (!logger) return false;
    snprintf(folder, 600, "%s", loggers_log_dir(logger));
    snprintf(expected, sizeof expected, "%s%s%s/version_%d", root, *o.name ? "/" : "", o.name,
             strcmp(o.name, "log") == 0 ? free_version : 0);
    if (o.version) strcpy(strrchr(expected, '/'), "/mine");
    must(strcmp(folder, expected) == 0, "the logger is in another folder");
    bool ok = true;
    for (int i = 0; ok && c->left && i < MOST_CALLS; i++) {
        const bool is_lost = choose(c, 8) == 1;
        char away[620];
        snprintf(away, sizeof away, "%s.away", folder);
        must(!is_lost || rename(folder, away) == 0, "the folder cannot be renamed");
        ok = log_once(c, logger, table, &o, is_lost);
        must(!is_lost || rename(away, folder) == 0, "the folder cannot be renamed");
        ok = ok && check_file(folder, table);
        if (ok && choose(c, 8) == 1 && (ok = (loggers_save)(logger))) save(table);
    }
    return ok;
}

t_TensorDict *fuzz_csv_logger(const uint8_t *data, size_t size) {
    static Table table;
    char folder[600];
    const char *root = fuzz_folder();
    Choices c = {data, size};
    memset(&table, 0, sizeof table);
    const int depth = t_scope_open();
    const bool is_lost_at_the_end = choose(&c, 4) == 1;
    bool ok = depth && write_rows(&c, root, folder, &table);
    const bool is_lost = ok && is_lost_at_the_end;
    char away[620];
    snprintf(away, sizeof away, "%s.away", folder);
    must(!is_lost || rename(folder, away) == 0, "the folder cannot be renamed");
    t_scope_close(depth); /* it saves what is not saved yet, if it can */
    must(!is_lost || rename(away, folder) == 0, "the folder cannot be renamed");
    if (!is_lost) save(&table);
    ok = ok && check_file(folder, &table);
    fuzz_remove();
    return ok ? t_dict_new() : NULL;
}
