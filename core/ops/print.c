/* core/ops/print.c: a tensor as text, byte for byte what PyTorch prints with its default options.
 *
 * The work goes in three steps. A survey of the numbers that will be shown decides how all of them look: as integers
 * ("1."), with four decimals ("0.5000") or in scientific form ("5.0000e-01"), and how wide a column is. Then the nested
 * brackets are written, with "..." in the middle of long dims when the tensor has more than 1000 elements. Then come
 * the suffixes: size, dtype and history. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/tensor.h"
#include "core/ops/ops.h"

enum { PRECISION = 4, THRESHOLD = 1000, EDGE_ITEMS = 3, LINE_WIDTH = 80, LONGEST_NUMBER = 64 };

/* ---- a text that grows ---- */

typedef struct Text {
    char *data;
    size_t length, room;
    bool failed; /* out of memory: what follows is dropped */
} Text;

static void put_bytes(Text *t, const char *bytes, size_t count) {
    if (t->length + count + 1 > t->room && !t->failed) {
        size_t room = 2 * (t->length + count + 1);
        char *data = realloc(t->data, room);
        t->failed = data == NULL;
        if (data) {
            t->data = data;
            t->room = room;
        }
    }
    if (t->failed) return;
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

/* ---- how the numbers look ---- */

typedef struct Look {
    bool whole;      /* every number is an integer: floats are written "1." */
    bool scientific; /* 1.0000e+10 */
    int64_t width;   /* of a column; a shorter text is filled up with spaces on its left */
} Look;

static double read_element(const Tensor *x, int64_t at) {
    const void *data = x->storage->data;
    switch (x->dtype) {
    case t_float32: return ((const float *)data)[at];
    case t_float64: return ((const double *)data)[at];
    case t_int64: return (double)((const int64_t *)data)[at];
    default: return ((const bool *)data)[at];
    }
}

/* One element, without padding, into a buffer of LONGEST_NUMBER bytes; returns its length. */
static int element_text(const Tensor *x, int64_t at, const Look *look, char *to) {
    if (x->dtype == t_bool) return snprintf(to, LONGEST_NUMBER, "%s", read_element(x, at) != 0 ? "True" : "False");
    if (x->dtype == t_int64)
        return snprintf(to, LONGEST_NUMBER, "%lld", (long long)((const int64_t *)(const void *)x->storage->data)[at]);
    double value = read_element(x, at);
    if (isnan(value)) return snprintf(to, LONGEST_NUMBER, "nan"); /* printf would give a negative NaN a sign */
    if (look->scientific) return snprintf(to, LONGEST_NUMBER, "%.*e", PRECISION, value);
    if (look->whole) return snprintf(to, LONGEST_NUMBER, isinf(value) ? "%.0f" : "%.0f.", value);
    return snprintf(to, LONGEST_NUMBER, "%.*f", PRECISION, value);
}

/* What is known about the nonzero finite numbers seen so far. */
typedef struct Survey {
    Look look;
    double smallest, largest; /* absolute values; largest 0: none was seen */
} Survey;

typedef void (*Visitor)(const Tensor *x, int64_t at, Survey *survey);

static void see_size(const Tensor *x, int64_t at, Survey *survey) {
    double value = read_element(x, at), size = fabs(value);
    if (size == 0 || !isfinite(size)) return;
    if (survey->largest == 0 || size < survey->smallest) survey->smallest = size;
    if (size > survey->largest) survey->largest = size;
    if (value != ceil(value)) survey->look.whole = false;
}

/* Zeros, NaN and infinities do not make a column of floats wider: PyTorch lets them stick out. */
static void see_width(const Tensor *x, int64_t at, Survey *survey) {
    double value = read_element(x, at);
    if (tg_is_floating(x->dtype) && (value == 0 || !isfinite(value))) return;
    char text[LONGEST_NUMBER];
    int64_t length = element_text(x, at, &survey->look, text);
    if (length > survey->look.width) survey->look.width = length;
}

/* The entry that follows entry i of a dim: where the middle is left out, the third is followed by the third last. */
static int64_t next_shown(int64_t i, int64_t size, bool summarize) {
    return summarize && size > 2 * EDGE_ITEMS && i == EDGE_ITEMS - 1 ? size - EDGE_ITEMS : i + 1;
}

static void visit_shown(const Tensor *x, int dim, int64_t at, bool summarize, Visitor visit, Survey *survey) {
    if (dim == x->ndim) {
        visit(x, at, survey);
        return;
    }
    for (int64_t i = 0; i < x->shape[dim]; i = next_shown(i, x->shape[dim], summarize))
        visit_shown(x, dim + 1, at + i * x->strides[dim], summarize, visit, survey);
}

static Look look_of(const Tensor *x, bool summarize) {
    Survey survey = {.look = {.whole = true, .width = 1}};
    if (tg_is_floating(x->dtype)) {
        visit_shown(x, 0, x->offset, summarize, see_size, &survey);
        if (survey.largest == 0) return survey.look;
        survey.look.scientific =
            survey.largest / survey.smallest > 1000.0 || survey.largest > 1.0e8 || survey.smallest < 1.0e-4;
    }
    visit_shown(x, 0, x->offset, summarize, see_width, &survey);
    return survey.look;
}

/* ---- brackets ---- */

static void put_element(Text *t, const Tensor *x, int64_t at, const Look *look) {
    char text[LONGEST_NUMBER];
    put_many(t, " ", look->width - element_text(x, at, look, text));
    put(t, text);
}

static void start_line(Text *t, int newlines, int indent) {
    put_many(t, "\n", newlines);
    put_many(t, " ", indent);
}

/* What stands before the next of a row's columns, `shown` of which are written. */
static void put_comma(Text *t, int64_t shown, int64_t per_line, int indent) {
    if (shown > 0) put(t, ",");
    if (shown > 0 && shown % per_line == 0) start_line(t, 1, indent);
    else if (shown > 0) put(t, " ");
}

/* The last dim: as many columns in a line as fit. */
static void put_row(Text *t, const Tensor *x, int64_t at, int indent, bool summarize, const Look *look) {
    int64_t size = x->shape[x->ndim - 1], stride = x->strides[x->ndim - 1], shown = 0;
    int64_t per_line = (LINE_WIDTH - indent + 1) / (look->width + 2);
    if (per_line < 1) per_line = 1;
    for (int64_t i = 0, next; i < size; i = next) {
        next = next_shown(i, size, summarize);
        put_comma(t, shown++, per_line, indent);
        put_element(t, x, at + i * stride, look);
        if (next == i + 1) continue;
        put_comma(t, shown++, per_line, indent);
        put(t, " ...");
    }
}

static void put_block(Text *t, const Tensor *x, int dim, int64_t at, int indent, bool summarize, const Look *look);

/* The blocks of a dim that is not the last: one behind the other, with empty lines between matrices. */
static void put_blocks(Text *t, const Tensor *x, int dim, int64_t at, int indent, bool summarize, const Look *look) {
    int newlines = x->ndim - 1 - dim;
    for (int64_t i = 0, next; i < x->shape[dim]; i = next) {
        next = next_shown(i, x->shape[dim], summarize);
        if (i > 0) start_line(t, newlines, indent);
        put_block(t, x, dim + 1, at + i * x->strides[dim], indent, summarize, look);
        if (next < x->shape[dim]) put(t, ",");
        if (next == i + 1) continue;
        start_line(t, newlines, indent);
        put(t, "...,");
    }
}

/* Everything from `dim` on; indent is where its opening bracket stands. */
static void put_block(Text *t, const Tensor *x, int dim, int64_t at, int indent, bool summarize, const Look *look) {
    if (dim == x->ndim) {
        put_element(t, x, at, look);
        return;
    }
    put(t, "[");
    if (dim == x->ndim - 1) put_row(t, x, at, indent + 1, summarize, look);
    else put_blocks(t, x, dim, at, indent + 1, summarize, look);
    put(t, "]");
}

/* ---- suffixes ---- */

/* ", suffix", on a new line where it would not fit. *line is the length of the last line as PyTorch counts it. */
static void put_suffix(Text *t, size_t *line, int indent, const char *suffix) {
    size_t length = strlen(suffix);
    put(t, ",");
    if (*line + length + 2 > LINE_WIDTH) {
        start_line(t, 1, indent);
        *line = (size_t)indent + length;
    } else {
        put(t, " ");
        *line += length + 2;
    }
    put(t, suffix);
}

static void put_suffixes(Text *t, Tensor *x, int indent) {
    char suffix[256];
    bool empty = tg_numel(x) == 0;
    const char *last_newline = t->data ? strrchr(t->data, '\n') : NULL;
    size_t line = last_newline ? t->length - (size_t)(last_newline - t->data) + 1 : t->length + 2;
    if (empty && x->ndim != 1) {
        const char *sizes = tg_shape_of(x); /* "[0, 3]" */
        snprintf(suffix, sizeof suffix, "size=(%.*s)", (int)strlen(sizes) - 2, sizes + 1);
        put_suffix(t, &line, indent, suffix);
    }
    if (empty ? x->dtype != t_float32 : x->dtype == t_float64) {
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
    put(t, before);
    if (tg_numel(x) == 0) {
        put(t, "[]");
    } else {
        bool summarize = tg_numel(x) > THRESHOLD;
        Look look = look_of(x, summarize);
        put_block(t, x, 0, x->offset, indent, summarize, &look);
    }
    put_suffixes(t, x, indent);
    put(t, ")");
}

/* ---- public ---- */

/* repr(x), str(x): the text that print(x) shows, for every dtype, shape and layout, with PyTorch's default print
 * options. The caller frees it with free(). Errors: out of memory. */
char *t_repr(Tensor *x) {
    if (!tg_check(x, 1)) return NULL;
    Text text = {0};
    const tg_Point point = tg_point_begin();
    put_tensor(&text, x);
    tg_point_end(point);
    if (!text.failed) return text.data;
    free(text.data);
    return tg_fail("out of memory: the text of a tensor of shape %s", tg_shape_of(x));
}

/* str(x): the text of t_repr, owned by the current scope, so that a printf may take it as it comes. */
const char *t_str(Tensor *x) {
    return tg_str_of(t_repr(x));
}

/* repr(number) in Python: the shortest digits that read back as the same number. */
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
        if (value->tensor) put_tensor(t, value->tensor);
        else put(t, "None"); /* a gradient that is not there, say */
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
        if (is_tensor && (values[i].tensor ? !tg_check(values[i].tensor, i + 1) : t_error() != NULL)) return;
    }
    const tg_Point point = tg_point_begin();
    for (int i = 0; i < count; i++) {
        if (i) put(&text, " ");
        put_value(&text, &values[i]);
    }
    tg_point_end(point);
    if (text.failed) tg_fail("out of memory: the text to print");
    else puts(text.data ? text.data : "");
    free(text.data);
}

/* print(x): repr(x) and a newline. */
void t_print(Tensor *x) {
    t_print_values(&(t_PrintValue_){.kind = t_print_tensor_, .tensor = x}, 1);
}

/* str(x.shape): "torch.Size([2, 3])", in one of eight buffers of the thread that are used in turn. NULL on error. */
const char *t_size_repr(Tensor *x) {
    enum { BUFFERS = 8, ROOM = 256 };
    static _Thread_local unsigned next;
    if (!tg_check(x, 1)) return NULL;
    char *buffers = tg_bulk(bulk_sizes, BUFFERS * ROOM), *to = buffers + next++ % BUFFERS * ROOM;
    if (!buffers) return tg_fail("out of memory: %d bytes were asked for", BUFFERS * ROOM);
    snprintf(to, ROOM, "torch.Size(%s)", tg_shape_of(x));
    return to;
}
