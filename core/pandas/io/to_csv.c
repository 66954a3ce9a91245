/* core/pandas/io/to_csv.c: df.to_csv, with the quotes of Python's csv module (QUOTE_MINIMAL). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/text/text_file.h"
#include "core/pandas/column.h"
#include "core/tensor/c_locale.h"

static bool check_options(const pd_ToCsvOptions *o) {
    if (!o->sep || !o->sep[0] || o->sep[1]) return tg_fail("\"delimiter\" must be a 1-character string");
    if (*o->sep == '"' || *o->sep == '\n' || *o->sep == '\r') return tg_fail("bad delimiter value");
    if (!o->na_rep) return tg_fail("na_rep must be a text, but is NULL");
    if (!o->float_format) return true;
    const char *at = strchr(o->float_format, '%');
    bool ok = at != NULL;
    if (ok) at += 1 + strspn(at + 1, "-+ 0#");
    for (int digits = 0; ok && *at >= '0' && *at <= '9'; at++) ok = ++digits < 3;
    if (ok && *at == '.') at++;
    for (int digits = 0; ok && *at >= '0' && *at <= '9'; at++) ok = ++digits < 3;
    ok = ok && *at && strchr("eEfFgG", *at) && !strchr(at, '%');
    return ok || tg_fail("float_format must be a text with one format like \"%%.2f\", but is \"%s\"", o->float_format);
}

static bool put_field(tg_Output *out, const char *text, const pd_ToCsvOptions *o, bool is_alone) {
    const char special[] = {*o->sep, '"', '\r', '\n', '\0'};
    if (!strpbrk(text, special)) return tg_output_text(out, *text || !is_alone ? text : "\"\"");
    tg_output_text(out, "\"");
    for (; *text; text++) tg_output_write(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    return tg_output_text(out, "\"");
}

static const char *item_text(const tg_Column *column, int64_t row, const pd_ToCsvOptions *o, char *buffer) {
    if (o->float_format && column->kind == tg_column_values && tg_is_floating(column->values->dtype) &&
        !tg_column_is_missing(column, row)) {
        snprintf(buffer, 1400, o->float_format, tg_column_double(column, row));
        return buffer;
    }
    const char *text = tg_column_item(column, row, buffer);
    return text ? text : o->na_rep;
}

static bool put_label(tg_Output *out, const pd_DataFrame *df, int64_t row, const pd_ToCsvOptions *o, char *buffer) {
    const tg_Index *index = df->index;
    if (index->labels) return put_field(out, item_text(index->labels, row, o, buffer), o, df->width == 0);
    return tg_output_print(out, "%" PRId64, index->start + row * index->step);
}

static bool put_rows(tg_Output *out, const pd_DataFrame *df, const pd_ToCsvOptions *o) {
    char buffer[1400];
    const bool is_alone = df->width == 1 && !o->index;
    bool ok = true;
    if (o->header) {
        if (o->index) ok = put_field(out, df->index->name ? df->index->name : "", o, df->width == 0);
        for (int64_t i = 0; ok && i < df->width; i++)
            ok = (i == 0 && !o->index ? true : tg_output_text(out, o->sep)) &&
                 put_field(out, df->items[i].name, o, is_alone);
        ok = ok && tg_output_text(out, "\n");
    }
    for (int64_t row = 0; ok && row < df->len; row++) {
        if (o->index) ok = put_label(out, df, row, o, buffer);
        for (int64_t i = 0; ok && i < df->width; i++) {
            if (i > 0 || o->index) ok = tg_output_text(out, o->sep);
            ok = ok && put_field(out, item_text(df->items[i].column, row, o, buffer), o, is_alone);
        }
        ok = ok && tg_output_text(out, "\n");
    }
    return ok;
}

static bool put_frame(tg_Output *out, const pd_DataFrame *df, const pd_ToCsvOptions *o) {
    const tg_CLocale locale = tg_c_locale_begin();
    const bool ok = put_rows(out, df, o);
    tg_c_locale_end(locale);
    return ok;
}

typedef struct Arguments {
    const pd_DataFrame *df;
    pd_ToCsvOptions o;
} Arguments;

static bool put_arguments(tg_Output *out, void *arguments) {
    const Arguments *a = arguments;
    return put_frame(out, a->df, &a->o);
}

/* "infer" goes by the path's ending. */
static bool choose_compression(const char *path, const char *compression, bool *is_gzip) {
    static const char *const others[][2] = {
        {".bz2", "bz2"}, {".zip", "zip"}, {".xz", "xz"}, {".zst", "zstd"}, {".tar", "tar"}};
    const bool infers = compression && strcmp(compression, "infer") == 0;
    *is_gzip = compression && (infers ? tg_has_ending(path, ".gz") : strcmp(compression, "gzip") == 0);
    if (!compression || *is_gzip) return true;
    for (int i = 0; i < 5; i++)
        if (infers ? tg_has_ending(path, others[i][0]) : strcmp(compression, others[i][1]) == 0)
            return tg_fail("%s: the compression %s is not here, only gzip", path, others[i][1]);
    return infers || tg_fail("Unrecognized compression type: %s\nValid compression types are ['infer', None, 'gzip']",
                             compression);
}

bool pd_to_csv(const pd_DataFrame *df, const char *path, const pd_ToCsvOptions *options) {
    Arguments a = {.df = df, .o = {PD_TO_CSV_DEFAULTS_}};
    bool is_gzip;
    return tg_check_frame(df, 1) && tg_check_given(path != NULL, 2, "a path") &&
           tg_take_options(&a.o, options, sizeof a.o) && check_options(&a.o) &&
           choose_compression(path, a.o.compression, &is_gzip) && tg_write_text_file(path, is_gzip, put_arguments, &a);
}

char *pd_to_csv_bytes(const pd_DataFrame *df, size_t *size, const pd_ToCsvOptions *options) {
    pd_ToCsvOptions o = {PD_TO_CSV_DEFAULTS_};
    tg_Output out;
    if (!tg_check_frame(df, 1) || !tg_take_options(&o, options, sizeof o) || !check_options(&o)) return NULL;
    if (!size) return tg_fail("argument 2 is NULL where the address of a size is expected");
    tg_output_memory(&out);
    char *text = tg_output_take_text(&out, put_frame(&out, df, &o));
    if (text) *size = strlen(text);
    return text;
}
