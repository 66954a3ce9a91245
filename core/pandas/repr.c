/* core/pandas/repr.c: frames and series as pandas prints them: at most 60 rows (else the first and last five), columns
 * in the width of the terminal, floats with six digits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/pandas/column.h"
#include "core/pandas/terminal_width.h"
#include "core/tensor/c_locale.h"

enum { MOST_ROWS = 60, FEW_ROWS = 10, WIDEST = 50, DIGITS = 6 };

/* The cells of one printed column, each malloc'ed. */
typedef struct Cells {
    char **items;
    int64_t count, capacity;
} Cells;

static void free_cells(Cells *cells) {
    for (int64_t i = 0; i < cells->count; i++) free(cells->items[i]);
    tg_free(cells->items, (size_t)cells->capacity * sizeof *cells->items);
    *cells = (Cells){NULL, 0, 0};
}

static bool reserve(Cells *cells, int64_t capacity) {
    cells->items = tg_alloc((size_t)capacity * sizeof *cells->items);
    cells->capacity = cells->items ? capacity : 0;
    return cells->items != NULL;
}

/* Inserts a copy of the text before item `at`; the capacity was reserved. */
static bool insert(Cells *cells, int64_t at, const char *text) {
    char *copy = tg_copy_text(text);
    if (!copy) return false;
    memmove(cells->items + at + 1, cells->items + at, (size_t)(cells->count - at) * sizeof *cells->items);
    cells->items[at] = copy;
    cells->count++;
    return true;
}

static bool add(Cells *cells, const char *text) {
    return insert(cells, cells->count, text);
}

static int64_t characters(const char *text) {
    int64_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static int64_t widest(const Cells *cells) {
    int64_t width = 0;
    for (int64_t i = 0; i < cells->count; i++) {
        const int64_t w = characters(cells->items[i]);
        if (w > width) width = w;
    }
    return width;
}

typedef enum Justify { to_left, to_right, to_center } Justify;

static bool justify(Cells *cells, int64_t i, int64_t width, Justify how) {
    char *text = cells->items[i];
    const int64_t pad = width - characters(text);
    if (pad <= 0) return true;
    const size_t length = strlen(text);
    char *padded = malloc(length + (size_t)pad + 1);
    if (!padded) return tg_fail("out of memory: %zu bytes were asked for", length + (size_t)pad + 1);
    const int64_t before = how == to_left ? 0 : how == to_right ? pad : pad / 2 + (pad & width & 1);
    memset(padded, ' ', length + (size_t)pad);
    memcpy(padded + before, text, length);
    padded[length + (size_t)pad] = '\0';
    free(text);
    cells->items[i] = padded;
    return true;
}

/* Cuts what is wider than the width to "abc...". */
static void cut(char *text, int64_t width) {
    if (characters(text) <= width) return;
    char *at = text;
    for (int64_t kept = 0; kept < width - 3; kept++) do
            at++;
        while (((unsigned char)*at & 0xc0) == 0x80);
    strcpy(at, "...");
}

/* ---- values ---- */

/* "   -12.5": whether it is a number with a point and no exponent. */
static bool is_decimal(const char *text) {
    text += strspn(text, " ");
    text += *text == '+' || *text == '-';
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '.' && text[digits + 1 + strspn(text + digits + 1, "0123456789")] == '\0';
}

/* Removes as many zeros at the ends as all numbers have, but one after the point. */
static void trim_zeros(Cells *cells) {
    size_t zeros = SIZE_MAX;
    for (int64_t i = 0; i < cells->count; i++) {
        const char *text = cells->items[i];
        if (!is_decimal(text)) continue;
        size_t n = 0;
        for (size_t at = strlen(text); at > 0 && text[at - 1] == '0'; at--) n++;
        if (n < zeros) zeros = n;
    }
    for (int64_t i = 0; i < cells->count; i++) {
        char *text = cells->items[i];
        if (!is_decimal(text)) continue;
        const size_t length = strlen(text) - zeros;
        text[length] = '\0';
        if (text[length - 1] == '.') strcpy(text + length, "0"); /* a zero was there */
    }
}

static bool format_floats(const tg_Column *column, const int64_t *rows, int64_t count, const char *format, Cells *to) {
    for (int64_t i = 0; i < count; i++) {
        char text[400];
        const double x = tg_column_double(column, rows[i]);
        if (isnan(x))
            strcpy(text, "NaN");
        else
            tg_c_snprintf(text, sizeof text, format, DIGITS, x);
        if (!add(to, text)) return false;
    }
    trim_zeros(to);
    return true;
}

static void drop_cells(Cells *cells) {
    for (int64_t i = 0; i < cells->count; i++) free(cells->items[i]);
    cells->count = 0;
}

static bool format_float_column(const tg_Column *column, const int64_t *rows, int64_t count, Cells *to) {
    if (!format_floats(column, rows, count, "% .*f", to)) return false;
    bool has_large = false, has_small = false;
    for (int64_t i = 0; i < count; i++) {
        const double x = fabs(tg_column_double(column, rows[i]));
        has_large = has_large || x > 1e6;
        has_small = has_small || (x > 0 && x < 1e-6);
    }
    if (!has_small && !(has_large && widest(to) > DIGITS + 6)) return true;
    drop_cells(to);
    return format_floats(column, rows, count, "% .*e", to);
}

/* The text with \t, \r and \n escaped; malloc'ed. */
static char *escaped(const char *text) {
    char *copy = malloc(2 * strlen(text) + 2), *to = copy;
    if (!copy) return tg_fail("out of memory: %zu bytes were asked for", 2 * strlen(text) + 2);
    for (; *text; text++) {
        const char *mark = strchr("\tt\rr\nn", *text);
        if (mark && strchr("\t\r\n", *text)) {
            *to++ = '\\';
            *to++ = mark[1];
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return copy;
}

/* Times with as many digits as those rows need, without a space in front. */
static bool format_datetimes(const tg_Column *column, const int64_t *rows, int64_t count, Cells *to) {
    char buffer[400];
    tg_Column *shown = tg_column_take(column, rows, count);
    bool ok = shown != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        const char *item = tg_column_item(shown, i, buffer);
        ok = add(to, item ? item : "NaT");
    }
    tg_column_drop(shown);
    return ok;
}

/* The cells of those rows, each with a space or a sign in front, but times. */
static bool format_column(const tg_Column *column, const int64_t *rows, int64_t count, Cells *to) {
    const bool of_times = column->kind == tg_column_category && column->categories->kind == tg_column_datetime;
    if (column->kind == tg_column_datetime || of_times) return format_datetimes(column, rows, count, to);
    if (column->kind == tg_column_values && tg_is_floating(column->values->dtype))
        return format_float_column(column, rows, count, to);
    const bool is_number = (column->kind == tg_column_category ? column->categories : column)->kind == tg_column_values;
    for (int64_t i = 0; i < count; i++) {
        char buffer[400];
        const char *item = tg_column_item(column, rows[i], buffer);
        char *text = escaped(item ? item : "NaN");
        if (!text) return false;
        char *spaced = malloc(strlen(text) + 2);
        const bool is_missing_or_signed = *text == '-' && is_number;
        if (spaced) sprintf(spaced, "%s%s", is_missing_or_signed ? "" : " ", text);
        free(text);
        const bool ok = spaced ? add(to, spaced) : tg_fail("out of memory") != NULL;
        free(spaced);
        if (!ok) return false;
    }
    return true;
}

/* Row labels, without the spaces that all of them have in front: " 1", "-2". */
static bool format_index(const tg_Index *index, const int64_t *rows, int64_t count, Cells *to) {
    const int64_t first = to->count;
    char number[32];
    if (index->labels) {
        Cells labels = {NULL, 0, 0};
        bool ok = reserve(&labels, count + 1) && format_column(index->labels, rows, count, &labels);
        size_t spaces = SIZE_MAX;
        const bool is_number = tg_column_is_number(index->labels);
        for (int64_t i = 0; ok && i < count; i++) {
            if (is_number && strcmp(labels.items[i], "NaN") == 0) ok = justify(&labels, i, 4, to_right); /* as signed */
            const size_t n = strspn(labels.items[i], " ");
            if (n < spaces) spaces = n;
        }
        for (int64_t i = 0; ok && i < count; i++) ok = add(to, labels.items[i] + spaces);
        free_cells(&labels);
        return ok;
    }
    for (int64_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%" PRId64, index->start + rows[i] * index->step);
        if (!insert(to, first + i, number)) return false;
    }
    return true;
}

/* ---- lines ---- */

/* pandas' adjoin: cells to the left in columns, `space` apart; the last column's width is that of its widest cell. */
static bool adjoin(tg_Output *out, Cells *columns, int64_t count, int space) {
    for (int64_t row = 0; row < columns[0].count; row++) {
        if (row && !tg_output_text(out, "\n")) return false;
        for (int64_t c = 0; c < count; c++) {
            const int64_t width = widest(&columns[c]) + (c + 1 < count ? space : 0);
            const char *cell = columns[c].items[row];
            if (!tg_output_text(out, cell)) return false;
            for (int64_t pad = width - characters(cell); pad > 0; pad--)
                if (!tg_output_text(out, " ")) return false;
        }
    }
    return true;
}

/* The rows that are shown: all, or the first and the last `half`. */
static int64_t shown_rows(int64_t len, int64_t rows[MOST_ROWS], int64_t *half) {
    int64_t count = 0;
    *half = len > MOST_ROWS ? FEW_ROWS / 2 : 0;
    for (int64_t i = 0; i < len; i++)
        if (!*half || i < *half || i >= len - *half)
            rows[count++] = i;
        else
            i = len - *half - 1;
    return count;
}

/* ---- frames ---- */

/* A column of cells under its name, as wide as the widest, to the right. */
static bool frame_column(const pd_DataFrame *df, int64_t i, const int64_t *rows, int64_t count, Cells *to) {
    const tg_Column *column = df->items[i].column;
    const bool has_names = df->index->name != NULL;
    char *name = escaped(df->items[i].name);
    char *header = name ? malloc(strlen(name) + 2) : NULL;
    if (header) sprintf(header, "%s%s", tg_column_is_number(column) ? " " : "", name);
    else if (name)
        tg_fail("out of memory: %zu bytes were asked for", strlen(name) + 2);
    bool ok = header && reserve(to, count + 4);
    ok = ok && format_column(column, rows, count, to);
    if (ok) {
        const int64_t least = characters(header), cells = widest(to);
        int64_t width = cells > least ? cells : least;
        if (width > WIDEST) width = WIDEST;
        for (int64_t row = 0; row < to->count; row++) cut(to->items[row], width);
        if (width < least) width = least;
        if (has_names) ok = insert(to, 0, "");
        ok = ok && insert(to, 0, header);
        for (int64_t row = 0; ok && row < to->count; row++) ok = justify(to, row, width, to_right);
    }
    free(header);
    free(name);
    return ok;
}

static bool index_column(const pd_DataFrame *df, const int64_t *rows, int64_t count, Cells *to) {
    bool ok = reserve(to, count + 4) && add(to, "");
    if (ok && df->index->name) ok = add(to, df->index->name);
    ok = ok && format_index(df->index, rows, count, to);
    const int64_t width = ok ? widest(to) : 0;
    for (int64_t row = 0; ok && row < to->count; row++) ok = justify(to, row, width, to_left);
    return ok;
}

/* The row of dots between the first and the last rows. */
static bool insert_dots(Cells *columns, int64_t count, int64_t half, int64_t headers) {
    bool ok = true;
    for (int64_t c = 0; ok && c < count; c++) {
        const int64_t width = characters(columns[c].items[half]), at = half + headers;
        ok = insert(&columns[c], at, width > 3 ? "..." : "..") &&
             justify(&columns[c], at, width, c ? to_right : to_left);
    }
    return ok;
}

/* Removes columns from the middle until the rest fits, with a column of dots in their place; returns the new count. */
static int64_t fit_width(Cells *columns, int64_t count, bool *is_cut) {
    enum { DOTS = 4 };
    const int64_t all = count;
    int64_t total = count - 1, n = count, excess;
    const size_t bytes = (size_t)count * sizeof(int64_t);
    int64_t *widths = tg_alloc_raw(bytes);
    if (!widths) return -1;
    for (int64_t c = 0; c < count; c++) total += widths[c] = widest(&columns[c]);
    excess = total - tg_terminal_width() + 1;
    *is_cut = false;
    if (excess > 0) {
        excess += DOTS + 1;
        while (excess > 0 && n > 1) {
            const int64_t middle = n / 2 + (n % 4 == 3); /* Python's round(n / 2) */
            excess -= widths[middle] + 1;
            memmove(widths + middle, widths + middle + 1, (size_t)(n - middle - 1) * sizeof *widths);
            n--;
        }
        const int64_t kept = n - 1 > 2 ? n - 1 : 2, half = kept / 2;
        if (kept < all - 1) {
            *is_cut = true;
            for (int64_t c = half + 1; c < all - half; c++) free_cells(&columns[c]);
            memmove(columns + half + 2, columns + all - half, (size_t)half * sizeof *columns);
            columns[half + 1] = (Cells){NULL, 0, 0};
            bool ok = reserve(&columns[half + 1], columns[0].count);
            for (int64_t row = 0; ok && row < columns[0].count; row++) ok = add(&columns[half + 1], " ...");
            count = ok ? 2 * half + 2 : -1;
            for (int64_t c = 2 * half + 2; c < all; c++) columns[c] = (Cells){NULL, 0, 0};
        }
    }
    tg_free(widths, bytes);
    return count;
}

static bool print_empty(tg_Output *out, const pd_DataFrame *df) {
    tg_output_text(out, "Empty DataFrame\nColumns: [");
    for (int64_t i = 0; i < df->width; i++) tg_output_print(out, "%s%s", i ? ", " : "", df->items[i].name);
    tg_output_text(out, "]\nIndex: [");
    Cells labels = {NULL, 0, 0};
    int64_t rows[MOST_ROWS] = {0}, half;
    const int64_t count = shown_rows(df->len, rows, &half);
    const bool is_number = !df->index->labels || tg_column_is_number(df->index->labels);
    bool ok = reserve(&labels, count + 1) && format_index(df->index, rows, count, &labels);
    for (int64_t i = 0; ok && i < count; i++)
        ok = tg_output_print(out, "%s%s%s", i ? ", " : "", half && i == half ? "..., " : "",
                             labels.items[i] + (is_number ? strspn(labels.items[i], " ") : 0));
    free_cells(&labels);
    return ok && tg_output_text(out, "]");
}

static bool print_frame(tg_Output *out, const pd_DataFrame *df) {
    if (df->len == 0 || df->width == 0) return print_empty(out, df);
    int64_t rows[MOST_ROWS], half, count = df->width + 1;
    const int64_t shown = shown_rows(df->len, rows, &half);
    const size_t bytes = (size_t)(count + 1) * sizeof(Cells);
    Cells *columns = tg_alloc(bytes);
    bool ok = columns && index_column(df, rows, shown, &columns[0]), is_cut = false;
    for (int64_t i = 0; ok && i < df->width; i++) ok = frame_column(df, i, rows, shown, &columns[i + 1]);
    if (ok && half) ok = insert_dots(columns, count, half, 1 + (df->index->name != NULL));
    const int64_t left = ok ? fit_width(columns, count, &is_cut) : -1;
    ok = left > 0 && adjoin(out, columns, left, 1);
    if (ok && (half || is_cut))
        ok = tg_output_print(out, "\n\n[%" PRId64 " rows x %" PRId64 " columns]", df->len, df->width);
    for (int64_t i = 0; columns && i <= count; i++) free_cells(&columns[i]);
    tg_free(columns, bytes);
    return ok;
}

/* ---- series ---- */

/* "Categories (3, str): ['a', 'b', 'c']": the first and last four of more than eight, in the terminal's width. */
static bool print_categories(tg_Output *out, const tg_Column *column) {
    enum { MOST = 8 };
    const tg_Column *categories = column->categories;
    const bool is_text = categories->kind == tg_column_text;
    const char *separator = column->is_ordered ? " < " : ", ";
    char title[80], buffer[400];
    const int64_t length =
        snprintf(title, sizeof title, "Categories (%" PRId64 ", %s): ", categories->len, tg_column_dtype(categories));
    int64_t used = length;
    bool after_dots = false, ok = tg_output_print(out, "\n%s[", title);
    for (int64_t i = 0; ok && i < categories->len; i++) {
        const bool dots = categories->len > MOST && i == MOST / 2;
        if (dots) i = categories->len - MOST / 2 - 1;
        char *text = escaped(dots ? "..." : tg_column_item(categories, i, buffer));
        if (!text) return false;
        const int64_t width = characters(text) + (is_text && !dots ? 2 : 0);
        if (used + (int64_t)strlen(separator) + width > tg_terminal_width()) {
            ok = tg_output_print(out, "%s\n%*s", column->is_ordered ? " <" : ",", (int)length + 1, "");
            used = length + 1;
        } else if (i > 0) {
            ok = tg_output_text(out, column->is_ordered && (dots || after_dots) ? " " : separator);
            used += (int64_t)strlen(separator);
        }
        used += width;
        ok = ok && tg_output_print(out, is_text && !dots ? "'%s'" : "%s", text);
        free(text);
        after_dots = dots;
    }
    return ok && tg_output_text(out, "]");
}

static bool print_footer(tg_Output *out, const pd_Series *s, bool is_cut) {
    if (s->name) tg_output_print(out, "Name: %s, ", s->name);
    if (is_cut) tg_output_print(out, "Length: %" PRId64 ", ", s->len);
    tg_output_print(out, "dtype: %s", tg_column_dtype(s->column));
    return s->column->kind != tg_column_category || print_categories(out, s->column);
}

static bool print_series(tg_Output *out, const pd_Series *s) {
    if (s->len == 0)
        return tg_output_text(out, "Series([], ") && print_footer(out, s, false) && tg_output_text(out, ")");
    int64_t rows[MOST_ROWS], half;
    const int64_t count = shown_rows(s->len, rows, &half);
    Cells columns[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    bool ok = reserve(&columns[0], count + 2) && reserve(&columns[1], count + 2) &&
              format_index(s->index, rows, count, &columns[0]) && format_column(s->column, rows, count, &columns[1]);
    if (ok) {
        const int64_t labels = widest(&columns[0]);
        int64_t width = widest(&columns[1]);
        if (width > WIDEST) width = WIDEST;
        for (int64_t i = 0; ok && i < count; i++) {
            cut(columns[1].items[i], width);
            ok = justify(&columns[0], i, labels, to_left) && justify(&columns[1], i, width, to_right);
        }
        if (ok && half)
            ok = insert(&columns[0], half, "") && insert(&columns[1], half, width > 3 ? "..." : "..") &&
                 justify(&columns[1], half, width, to_center);
    }
    if (ok && s->index->name) ok = tg_output_print(out, "%s\n", s->index->name);
    ok = ok && adjoin(out, columns, 2, 3) && tg_output_text(out, "\n") && print_footer(out, s, half != 0);
    free_cells(&columns[0]);
    free_cells(&columns[1]);
    return ok;
}

const char *pd_DataFrame_str(const pd_DataFrame *df) {
    tg_Output out;
    if (!tg_check_frame(df, 1)) return NULL;
    tg_output_memory(&out);
    return tg_str_new(tg_output_take_text(&out, print_frame(&out, df)));
}

const char *pd_Series_str(const pd_Series *s) {
    tg_Output out;
    if (!tg_check_series(s, 1)) return NULL;
    tg_output_memory(&out);
    return tg_str_new(tg_output_take_text(&out, print_series(&out, s)));
}

static bool put(const char *text) {
    if (text) puts(text);
    return text != NULL;
}

bool pd_DataFrame_print(const pd_DataFrame *df) {
    const int depth = t_scope_open();
    const bool ok = depth && put(pd_DataFrame_str(df));
    t_scope_close(depth);
    return ok;
}

bool pd_Series_print(const pd_Series *s) {
    const int depth = t_scope_open();
    const bool ok = depth && put(pd_Series_str(s));
    t_scope_close(depth);
    return ok;
}
