/* core/ops/print.c: repr of a tensor, byte for byte what PyTorch prints; print(), set_printoptions().
 *
 * There are three steps, as in torch/_tensor_str.py. A pass over the elements that will be shown chooses the format of
 * all of them, integers ("1."), four decimals ("0.5000") or scientific ("5.0000e-01"), and the column width. Then the
 * nested brackets are written, with "..." in the middle of long dims if the tensor has more than 1000 elements. Then
 * the suffixes: size, dtype, grad_fn or requires_grad. (4, 1000 and the like are the default options.) */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/ops.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/dtype_convert.h"
#include "core/tensor/tensor.h"

/* ---- options ---- */

/* Of the process, as in PyTorch: to be set before other threads print. */
static struct PrintOptions {
    int precision;     /* decimals */
    double threshold;  /* tensors of more elements are summarized */
    int64_t edgeitems; /* entries shown at each end of a summarized dim */
    int64_t linewidth;
    int sci_mode; /* 1: always scientific, 0: never, -1: chosen by the values */
} print_options = {4, 1000, 3, 80, -1};

/* torch.set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
 * how floats and large tensors are printed from now on. T_NONE, for threshold NAN, leaves an option as it is, but for
 * sci_mode (1: true, 0: false), where -1 is None, the choice by the values. profile sets the first four: "default" 4,
 * 1000, 3, 80; "short" 2, 1000, 2, 80; "full" 4, INFINITY, 3, 80; others are ignored. False on an error: a negative
 * precision (in PyTorch an error when a tensor is printed), a negative edgeitems. */
bool t_set_printoptions(int64_t precision, double threshold, int64_t edgeitems, int64_t linewidth, const char *profile,
                        int sci_mode) {
    struct PrintOptions options = print_options;
    if (profile && strcmp(profile, "default") == 0) options = (struct PrintOptions){4, 1000, 3, 80, 0};
    if (profile && strcmp(profile, "short") == 0) options = (struct PrintOptions){2, 1000, 2, 80, 0};
    if (profile && strcmp(profile, "full") == 0) options = (struct PrintOptions){4, INFINITY, 3, 80, 0};
    if (precision != T_NONE && (precision < 0 || precision > INT_MAX - 400))
        return tg_fail("precision must be from 0 to %d, not %lld", INT_MAX - 400, (long long)precision);
    if (edgeitems != T_NONE && edgeitems < 0)
        return tg_fail("edgeitems must not be negative, not %lld", (long long)edgeitems);
    if (precision != T_NONE) options.precision = (int)precision;
    if (!isnan(threshold)) options.threshold = threshold;
    if (edgeitems != T_NONE) options.edgeitems = edgeitems;
    if (linewidth != T_NONE) options.linewidth = linewidth;
    options.sci_mode = sci_mode < 0 ? -1 : sci_mode != 0;
    print_options = options;
    return true;
}

/* ---- a growing string ---- */

typedef struct Text {
    char *data;
    size_t length, capacity;
    bool failed; /* out of memory: later output is dropped */
} Text;

/* Room for `count` more bytes and the terminating 0; false on out of memory. */
static bool reserve(Text *t, size_t count) {
    if (t->length + count + 1 > t->capacity && !t->failed) {
        size_t capacity = 2 * (t->length + count + 1);
        char *data = realloc(t->data, capacity);
        t->failed = data == NULL;
        if (data) {
            t->data = data;
            t->capacity = capacity;
        }
    }
    return !t->failed;
}

static void put_bytes(Text *t, const char *bytes, size_t count) {
    if (!reserve(t, count)) return;
    memcpy(t->data + t->length, bytes, count);
    t->length += count;
    t->data[t->length] = '\0';
}

static void put(Text *t, const char *text) {
    put_bytes(t, text, strlen(text));
}

static void put_many(Text *t, const char *text, int64_t times) {
    for (int64_t i = 0; i < times; i++) put(t, text);
}

/* ---- the format of the elements ---- */

typedef struct Format {
    bool integers;   /* every value is an integer: floats are written "1." */
    bool scientific; /* 1.0000e+10 */
    int64_t width;   /* of a column; shorter texts are right-aligned */
} Format;

static double read_element(const Tensor *x, int64_t at) {
    return tg_element_as_double(x->dtype, x->storage->data + (size_t)at * tg_itemsize(x->dtype));
}

/* One element, without padding, into `to` as snprintf: returns its length, also if it does not fit. */
static int element_text(const Tensor *x, int64_t at, const Format *format, char *to, size_t capacity) {
    if (x->dtype == t_bool) return snprintf(to, capacity, "%s", read_element(x, at) != 0 ? "True" : "False");
    const void *element = x->storage->data + (size_t)at * tg_itemsize(x->dtype);
    if (tg_is_integral(x->dtype))
        return snprintf(to, capacity, "%lld", (long long)tg_element_as_int64(x->dtype, element));
    const int precision = print_options.precision;
    double value = read_element(x, at);
    if (isnan(value)) return snprintf(to, capacity, "nan"); /* printf would give a negative NaN a sign */
    if (format->scientific) return snprintf(to, capacity, "%.*e", precision, value);
    if (format->integers) return snprintf(to, capacity, isinf(value) ? "%.0f" : "%.0f.", value);
    return snprintf(to, capacity, "%.*f", precision, value);
}

/* The range of the nonzero finite values seen so far, and the format that follows from it. */
typedef struct FormatScan {
    Format format;
    double smallest, largest; /* absolute values; largest 0: none so far */
} FormatScan;

typedef void (*Visitor)(const Tensor *x, int64_t at, FormatScan *scan);

static void update_range(const Tensor *x, int64_t at, FormatScan *scan) {
    double value = read_element(x, at), size = fabs(value);
    if (size == 0 || !isfinite(size)) return;
    if (scan->largest == 0 || size < scan->smallest) scan->smallest = size;
    if (size > scan->largest) scan->largest = size;
    if (value != ceil(value)) scan->format.integers = false;
}

/* Zeros, NaN and infinities do not widen a column of floats: in PyTorch they may be wider than it. */
static void update_width(const Tensor *x, int64_t at, FormatScan *scan) {
    double value = read_element(x, at);
    if (tg_is_floating(x->dtype) && (value == 0 || !isfinite(value))) return;
    int64_t length = element_text(x, at, &scan->format, NULL, 0);
    if (length > scan->format.width) scan->format.width = length;
}

/* The index shown after index i of a dim: with summarize, the third entry is followed by the third last. */
static int64_t next_shown(int64_t i, int64_t size, bool summarize) {
    const int64_t edge = print_options.edgeitems;
    return summarize && edge <= (size - 1) / 2 && i == edge - 1 ? size - edge : i + 1;
}

static void visit_shown(const Tensor *x, int dim, int64_t at, bool summarize, Visitor visit, FormatScan *scan) {
    if (dim == x->ndim) {
        visit(x, at, scan);
        return;
    }
    for (int64_t i = 0; i < x->shape[dim]; i = next_shown(i, x->shape[dim], summarize))
        visit_shown(x, dim + 1, at + i * x->strides[dim], summarize, visit, scan);
}

static Format choose_format(const Tensor *x, bool summarize) {
    FormatScan scan = {.format = {.integers = true, .width = 1}};
    if (tg_is_floating(x->dtype)) {
        visit_shown(x, 0, x->offset, summarize, update_range, &scan);
        if (scan.largest == 0) return scan.format;
        scan.format.scientific = print_options.sci_mode < 0 ? scan.largest / scan.smallest > 1000.0 ||
                                                                  scan.largest > 1.0e8 || scan.smallest < 1.0e-4
                                                            : print_options.sci_mode;
    }
    visit_shown(x, 0, x->offset, summarize, update_width, &scan);
    return scan.format;
}

/* ---- brackets ---- */

static void put_element(Text *t, const Tensor *x, int64_t at, const Format *format) {
    const int length = element_text(x, at, format, NULL, 0);
    put_many(t, " ", format->width - length);
    if (length > 0 && reserve(t, (size_t)length))
        t->length += (size_t)element_text(x, at, format, t->data + t->length, (size_t)length + 1);
}

static void start_line(Text *t, int newlines, int indent) {
    put_many(t, "\n", newlines);
    put_many(t, " ", indent);
}

/* The separator before the next column of a row, of which `shown` are written: a comma, and a space or a line break. */
static void put_comma(Text *t, int64_t shown, int64_t per_line, int indent) {
    if (shown > 0) put(t, ",");
    if (shown > 0 && shown % per_line == 0)
        start_line(t, 1, indent);
    else if (shown > 0)
        put(t, " ");
}

/* The last dim: as many columns per line as fit. */
static void put_row(Text *t, const Tensor *x, int64_t at, int indent, bool summarize, const Format *format) {
    int64_t size = x->shape[x->ndim - 1], stride = x->strides[x->ndim - 1], shown = 0;
    int64_t per_line = (print_options.linewidth > 0 ? print_options.linewidth - indent + 1 : 0) / (format->width + 2);
    if (per_line < 1) per_line = 1;
    for (int64_t i = 0, next; i < size; i = next) {
        next = next_shown(i, size, summarize);
        put_comma(t, shown++, per_line, indent);
        put_element(t, x, at + i * stride, format);
        if (next == i + 1) continue;
        put_comma(t, shown++, per_line, indent);
        put(t, " ...");
    }
}

static void put_block(Text *t, const Tensor *x, int dim, int64_t at, int indent, bool summarize, const Format *format);

/* The sub-blocks of a dim that is not the last, with empty lines between matrices. */
static void put_blocks(Text *t, const Tensor *x, int dim, int64_t at, int indent, bool summarize,
                       const Format *format) {
    int newlines = x->ndim - 1 - dim;
    for (int64_t i = 0, next; i < x->shape[dim]; i = next) {
        next = next_shown(i, x->shape[dim], summarize);
        if (i > 0) start_line(t, newlines, indent);
        put_block(t, x, dim + 1, at + i * x->strides[dim], indent, summarize, format);
        if (next < x->shape[dim]) put(t, ",");
        if (next == i + 1) continue;
        start_line(t, newlines, indent);
        put(t, "...,");
    }
}

/* The dims from `dim` on; indent is the column of the opening bracket. */
static void put_block(Text *t, const Tensor *x, int dim, int64_t at, int indent, bool summarize, const Format *format) {
    if (dim == x->ndim) {
        put_element(t, x, at, format);
        return;
    }
    put(t, "[");
    if (summarize && print_options.edgeitems == 0)
        put(t, "...");
    else if (dim == x->ndim - 1)
        put_row(t, x, at, indent + 1, summarize, format);
    else
        put_blocks(t, x, dim, at, indent + 1, summarize, format);
    put(t, "]");
}

/* ---- suffixes ---- */

/* ", suffix", on a new line if it does not fit. *line is the length of the last line as PyTorch counts it. */
static void put_suffix(Text *t, size_t *line, int indent, const char *suffix) {
    size_t length = strlen(suffix);
    put(t, ",");
    if ((int64_t)(*line + length + 2) > print_options.linewidth) {
        start_line(t, 1, indent);
        *line = (size_t)indent + length;
    } else {
        put(t, " ");
        *line += length + 2;
    }
    put(t, suffix);
}

/* start: where the tensor's own text begins, behind what t_print has put on the line before it */
static void put_suffixes(Text *t, Tensor *x, int indent, size_t start) {
    char suffix[256];
    bool empty = tg_numel(x) == 0;
    const char *last_newline = t->data ? strrchr(t->data + start, '\n') : NULL;
    size_t line = t->length - (last_newline ? (size_t)(last_newline - t->data) + 1 : start) + 2;
    if (empty ? x->ndim != 1 : print_options.edgeitems == 0) {
        const char *sizes = tg_shape_of(x); /* "[0, 3]" */
        snprintf(suffix, sizeof suffix, x->ndim == 1 ? "size=(%.*s,)" : "size=(%.*s)", (int)strlen(sizes) - 2,
                 sizes + 1);
        put_suffix(t, &line, indent, suffix);
    }
    const bool is_default = x->dtype == tg_default_dtype() || (!empty && (x->dtype == t_int64 || x->dtype == t_bool));
    if (!is_default) {
        snprintf(suffix, sizeof suffix, "dtype=torch.%s", tg_dtype_name(x->dtype));
        put_suffix(t, &line, indent, suffix);
    }
    const char *maker = t_grad_fn(x);
    if (maker) {
        snprintf(suffix, sizeof suffix, "grad_fn=<%s>", maker);
        put_suffix(t, &line, indent, suffix);
    } else if (t_requires_grad(x)) {
        put_suffix(t, &line, indent, "requires_grad=True");
    }
}

static void put_tensor(Text *t, Tensor *x) {
    const char *before = "tensor(";
    int indent = (int)strlen(before);
    if (x->is_parameter) put(t, "Parameter containing:\n");
    const size_t start = t->length;
    put(t, before);
    if (tg_numel(x) == 0) {
        put(t, "[]");
    } else {
        bool summarize = (double)tg_numel(x) > print_options.threshold;
        Format format = choose_format(x, summarize);
        put_block(t, x, 0, x->offset, indent, summarize, &format);
    }
    put_suffixes(t, x, indent, start);
    put(t, ")");
}

/* ---- public ---- */

/* repr(x), str(x): the text that print(x) shows, for every dtype, shape and layout, with the options of
 * t_set_printoptions. The caller frees it with free(). Errors: out of memory. */
char *t_repr(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    Text text = {0};
    const tg_CLocale locale = tg_c_locale_begin();
    put_tensor(&text, x);
    tg_c_locale_end(locale);
    if (!text.failed) return text.data;
    free(text.data);
    return tg_fail("out of memory: the text of a tensor of shape %s", tg_shape_of(x));
}

/* str(x): the text of t_repr, owned by the current scope, so that it can be passed to printf. */
const char *t_str(Tensor *x) {
    return tg_str_new(t_repr(x));
}

/* repr(float) in Python: the shortest digits that convert back to the same value. */
static void put_float(Text *t, double x) {
    char digits[40];
    int count = 0;
    if (!isfinite(x)) {
        put(t, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    do snprintf(digits, sizeof digits, "%.*e", count++, x);
    while (strtod(digits, NULL) != x);
    const int exponent = atoi(strchr(digits, 'e') + 1), decimals = count - 1 - exponent;
    if (exponent >= -4 && exponent < 16) snprintf(digits, sizeof digits, "%.*f", decimals > 1 ? decimals : 1, x);
    put(t, digits);
}

static void put_value(Text *t, const t_PrintValue_ *value) {
    char integer[32];
    snprintf(integer, sizeof integer, "%lld", (long long)value->integer);
    switch (value->kind) {
    case t_print_tensor_:
        if (value->tensor)
            put_tensor(t, value->tensor);
        else
            put(t, "None"); /* for example a gradient that does not exist */
        break;
    case t_print_text_: put(t, value->text ? value->text : "None"); break;
    case t_print_float_: put_float(t, value->number); break;
    case t_print_integer_: put(t, integer); break;
    case t_print_bool_: put(t, value->integer ? "True" : "False"); break;
    }
}

void t_print_values(const t_PrintValue_ *values, int count) {
    Text text = {0};
    if (count > 0 && !values) {
        tg_fail("argument 1 is NULL where the values to print are expected");
        return;
    }
    for (int i = 0; i < count; i++) {
        const bool is_tensor = values[i].kind == t_print_tensor_;
        if (is_tensor && (values[i].tensor ? !tg_check_any(values[i].tensor, i + 1) : t_error() != NULL)) return;
    }
    const tg_CLocale locale = tg_c_locale_begin();
    for (int i = 0; i < count; i++) {
        if (i) put(&text, " ");
        put_value(&text, &values[i]);
    }
    tg_c_locale_end(locale);
    if (text.failed)
        tg_fail("out of memory: the text to print");
    else
        puts(text.data ? text.data : "");
    free(text.data);
}

/* print(x): repr(x) and a newline. */
void t_print(Tensor *x) {
    t_print_values(&(t_PrintValue_){.kind = t_print_tensor_, .tensor = x}, 1);
}

/* str(x.shape): "torch.Size([2, 3])", in one of eight rotating buffers of the thread. NULL on error. */
const char *t_size_repr(Tensor *x) {
    enum { BUFFERS = 8, CAPACITY = 256 };
    static _Thread_local unsigned next;
    if (!tg_check_any(x, 1)) return NULL;
    char *buffers = tg_thread_buffer(buffer_sizes, BUFFERS * CAPACITY), shape[CAPACITY - 16];
    if (!buffers) return tg_fail("out of memory: %d bytes were asked for", BUFFERS * CAPACITY);
    char *to = buffers + next++ % BUFFERS * CAPACITY;
    tg_write_shape(shape, sizeof shape, x->shape, x->ndim);
    snprintf(to, CAPACITY, "torch.Size(%s)", shape);
    return to;
}
