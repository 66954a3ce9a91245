/* optim/state_io.c: reads and writes the values of a state dict by name. */
#include "optim/state_io.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/creation.h"
#include "core/ops/tensor_info.h"

/* ---- names ---- */

static int write_name(tg_StateIO *io, const char *format, va_list values) {
    int written = vsnprintf(io->name + io->at, TG_IO_NAME - io->at, format, values);
    return written < (int)(TG_IO_NAME - io->at) ? written : -1;
}

static bool set_name(tg_StateIO *io, const char *key) {
    const size_t length = strlen(key);
    if (length >= TG_IO_NAME - io->at) return tg_fail("a name of a state dict is longer than %d", TG_IO_NAME);
    memcpy(io->name + io->at, key, length + 1);
    return true;
}

bool tg_io_enter(tg_StateIO *io, size_t *before, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = write_name(io, format, values);
    va_end(values);
    *before = io->at;
    if (written < 0) return tg_fail("a name of a state dict is longer than %d", TG_IO_NAME);
    io->at += (size_t)written;
    return true;
}

Tensor *tg_io_find(tg_StateIO *io, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = write_name(io, format, values);
    va_end(values);
    const t_DictItem *item = written < 0 ? NULL : tg_dict_find(io->dict, io->name);
    return item ? item->tensor : NULL;
}

const char *tg_io_find_text(tg_StateIO *io, const char *key) {
    const t_DictItem *item = set_name(io, key) ? tg_dict_find(io->dict, io->name) : NULL;
    return item ? item->text : NULL;
}

Tensor *tg_io_get(tg_StateIO *io, const char *key) {
    Tensor *x = set_name(io, key) ? t_dict_get(io->dict, io->name) : NULL;
    return x && tg_check_any(x, 2) ? x : NULL;
}

bool tg_io_put(tg_StateIO *io, const char *key, Tensor *x) {
    return set_name(io, key) && t_dict_set(io->dict, io->name, x);
}

bool tg_io_put_text(tg_StateIO *io, const char *key, const char *text) {
    return set_name(io, key) && t_dict_set_text(io->dict, io->name, text);
}

const char *tg_io_parse_index(const t_DictItem *item, const char *prefix, int64_t *number) {
    const size_t length = strlen(prefix);
    if (strncmp(item->name, prefix, length) != 0) return NULL;
    const char *first = item->name + length + (item->name[length] == '-');
    const size_t digits = strspn(first, "0123456789");
    if (digits < 1 || (digits > 1 && *first == '0') || !memchr(".", first[digits], 2)) return NULL;
    *number = strtoll(item->name + length, NULL, 10);
    return first + digits;
}

/* ---- values ---- */

static Tensor *get_one(tg_StateIO *io, const char *key) {
    Tensor *x = tg_io_get(io, key);
    if (!x || tg_numel(x) == 1) return x;
    return tg_fail("'%s' is a tensor of the shape %s where a scalar is expected", io->name, tg_shape_of(x));
}

bool tg_io_number(tg_StateIO *io, const char *key, double *x) {
    if (io->mode == tg_writing) return tg_io_put(io, key, t_number(*x));
    const Tensor *saved = get_one(io, key);
    if (saved && io->mode == tg_reading) *x = tg_read_double(saved);
    return saved != NULL;
}

bool tg_io_float(tg_StateIO *io, const char *key, float *x) {
    double value = *x;
    const bool ok = tg_io_number(io, key, &value);
    *x = (float)value;
    return ok;
}

/* A float with an integer value is accepted too: PyTorch counts an optimizer's steps in float32. */
static bool io_int64_in_range(tg_StateIO *io, const char *key, int64_t *x, int64_t min, int64_t max) {
    if (io->mode == tg_writing) return tg_io_put(io, key, t_integer(*x));
    const Tensor *saved = get_one(io, key);
    if (!saved) return false;
    const double value = tg_read_double(saved);
    if (tg_is_floating(saved->dtype) && (!(fabs(value) < 0x1p62) || value != floor(value)))
        return tg_fail("'%s' is %s where an integer is expected", io->name, tg_number_text(value));
    const int64_t value_int64 = tg_is_floating(saved->dtype) ? (int64_t)value : tg_read_int64(saved);
    if (value_int64 < min || value_int64 > max)
        return tg_fail("'%s' is %lld, but must be at %s %lld", io->name, (long long)value_int64,
                       value_int64 < min ? "least" : "most", (long long)(value_int64 < min ? min : max));
    if (io->mode == tg_reading) *x = value_int64;
    return true;
}

bool tg_io_int64(tg_StateIO *io, const char *key, int64_t *x, int64_t min) {
    return io_int64_in_range(io, key, x, min, INT64_MAX);
}

bool tg_io_count(tg_StateIO *io, const char *key, int64_t *x, int64_t min) {
    return io_int64_in_range(io, key, x, min, TG_MAX_STEPS);
}

bool tg_io_flag(tg_StateIO *io, const char *key, bool *x) {
    if (io->mode == tg_writing) return tg_io_put(io, key, t_boolean(*x));
    const Tensor *saved = get_one(io, key);
    if (saved && io->mode == tg_reading) *x = tg_read_double(saved) != 0;
    return saved != NULL;
}

bool tg_io_choice(tg_StateIO *io, const char *key, const char *no, const char *yes, bool *x) {
    if (io->mode == tg_writing) return tg_io_put_text(io, key, *x ? yes : no);
    const char *word = set_name(io, key) ? t_dict_get_text(io->dict, io->name) : NULL;
    if (!word) return false;
    if (strcmp(word, no) != 0 && strcmp(word, yes) != 0)
        return tg_fail("'%s' is '%s', but must be '%s' or '%s'", io->name, word, no, yes);
    if (io->mode == tg_reading) *x = strcmp(word, yes) == 0;
    return true;
}

bool tg_io_numbers(tg_StateIO *io, const char *key, double *x, int64_t count) {
    size_t before;
    bool ok = tg_io_enter(io, &before, "%s.", key);
    char index[24];
    for (int64_t i = 0; ok && i < count; i++) {
        snprintf(index, sizeof index, "%lld", (long long)i);
        ok = tg_io_number(io, index, &x[i]);
    }
    if (ok && io->mode == tg_checking && tg_io_find(io, "%lld", (long long)count))
        ok = tg_fail("'%s' is one more than expected: %lld are expected", io->name, (long long)count);
    io->at = before;
    return ok;
}
