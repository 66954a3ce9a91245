/* core/ops/creation/tensor_literal.c: torch.tensor of a literal as text, "[[1, 2], [3, 4]]", and the display of syntax
 * errors in such text.
 *
 * The text is read twice. The first pass checks the brackets and commas and finds the dtype. The shape is then that
 * of the first entry at each level, as in PyTorch, and the second pass compares every other list with it and stores
 * the values. The nesting depth is limited to T_MAX_DIMS, so hostile text cannot exhaust the stack. */
#include "core/ops/creation/tensor_literal_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/creation/creation_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/dtype_convert.h"

/* ---- syntax errors ---- */

const char *tg_skip_space(const char *at) {
    while (isspace((unsigned char)*at)) at++;
    return at;
}

/* Copies the part of the line around `at` that fits into `to`, with ' ' or '?' for what is not printable ASCII.
 * Returns the column of `at` in it. */
static int excerpt(const char *text, const char *at, char *to, int capacity) {
    if (!*at)
        while (at > text && isspace((unsigned char)at[-1])) at--; /* at the end of the text: after the last token */
    const char *start = at, *end = at;
    while (start > text && start[-1] != '\n') start--;
    while (*end && *end != '\n') end++;
    bool cut_left = at - start > capacity / 2;
    if (cut_left) start = at - capacity / 2;
    bool cut_right = end - start > capacity - 8;
    if (cut_right) end = start + capacity - 8;
    int length = sprintf(to, "%s", cut_left ? "..." : ""), column = length + (int)(at - start);
    for (; start < end; start++)
        to[length++] = *start >= ' ' && *start <= '~' ? *start : isspace((unsigned char)*start) ? ' ' : '?';
    sprintf(to + length, "%s", cut_right ? "..." : "");
    return column;
}

void *tg_fail_at(const char *text, const char *at, const char *format, ...) {
    char message[256], line[80];
    va_list arguments;
    va_start(arguments, format);
    tg_c_vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int column = excerpt(text, at, line, (int)sizeof line);
    return tg_fail("%s\n%s\n%*s^", message, line, column, "");
}

/* ---- one value ---- */

typedef struct Number {
    t_DType kind;    /* the kind of literal: t_bool, t_int64, or t_float32 for every float */
    int64_t integer; /* of an int that fits */
    bool fits;
    double value;
} Number;

/* The end of the token if `at` starts with it and it is not part of a longer word, else NULL. */
static const char *skip_token(const char *at, const char *token) {
    size_t length = strlen(token);
    return strncmp(at, token, length) == 0 && !isalnum((unsigned char)at[length]) ? at + length : NULL;
}

static const char *skip_digits(const char *at) {
    while (isdigit((unsigned char)*at)) at++;
    return at;
}

/* The end of an unsigned number "12", "1.5", ".5", "5.", "1e-3", "nan" or "inf"; NULL if there is none. */
static const char *skip_magnitude(const char *at, t_DType *kind) {
    const char *end = skip_token(at, "nan") ? skip_token(at, "nan") : skip_token(at, "inf");
    *kind = t_float32;
    if (end) return end;
    end = skip_digits(at);
    bool point = *end == '.', digits = end > at || (point && isdigit((unsigned char)end[1]));
    if (!digits) return NULL;
    if (point) end = skip_digits(end + 1);
    const char *exponent = end;
    if (*end == 'e' || *end == 'E') exponent = end + (end[1] == '-' || end[1] == '+' ? 2 : 1);
    if (exponent > end && isdigit((unsigned char)*exponent)) return skip_digits(exponent);
    if (!point) *kind = t_int64;
    return end;
}

/* Whether the digits fit int64, and their value. The sum is kept negative so that it can reach INT64_MIN. */
static bool read_int64(const char *at, const char *end, bool negative, int64_t *value) {
    int64_t sum = 0;
    for (; at < end; at++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *at - '0', &sum)) return false;
    if (!negative && sum == INT64_MIN) return false;
    *value = negative ? sum : -sum;
    return true;
}

/* Reads the number that starts at `at`; returns its end, NULL if there is none. */
static const char *read_number(const char *at, Number *n) {
    const char *end = skip_token(at, "True") ? skip_token(at, "True") : skip_token(at, "False");
    if (end) {
        *n = (Number){.kind = t_bool, .integer = *at == 'T', .fits = true, .value = *at == 'T'};
        return end;
    }
    bool negative = *at == '-';
    const char *magnitude = *at == '-' || *at == '+' ? at + 1 : at;
    end = skip_magnitude(magnitude, &n->kind);
    if (!end) return NULL;
    n->value = strtod(at, NULL);
    if (n->kind == t_int64) n->value += 0.0; /* the int -0 is 0, the float -0. is not */
    n->fits = n->kind == t_int64 && read_int64(magnitude, end, negative, &n->integer);
    return end;
}

/* Stores the value, or fails with PyTorch's error if the dtype cannot hold it. */
static bool store_number(const Number *n, t_DType dtype, void *data, int64_t i) {
    bool integer = n->kind != t_float32;
    double truncated = trunc(n->value);
    if (dtype == t_bool) {
        ((bool *)data)[i] = n->value != 0;
    } else if (dtype == t_int64 && integer) {
        if (!n->fits) return tg_fail("Overflow when unpacking long long");
        ((int64_t *)data)[i] = n->integer;
    } else if (tg_is_integral(dtype)) {
        if (!tg_is_in_range(truncated, dtype))
            return tg_fail("value cannot be converted to type %s without overflow", tg_dtype_name(dtype));
        tg_set_element(dtype, (char *)data + i * (int64_t)tg_itemsize(dtype), truncated);
    } else {
        if (integer && isinf(n->value)) return tg_fail("int too large to convert to float");
        tg_set_element(dtype, (char *)data + i * (int64_t)tg_itemsize(dtype), n->value);
    }
    return true;
}

/* ---- first pass ---- */

/* After a value: skips closing brackets and the comma. Returns the start of the next value, the end of the text if
 * all brackets are closed, NULL on error. */
static const char *skip_separators(const char *text, const char *at, int *depth) {
    for (;;) {
        at = tg_skip_space(at);
        if (*depth == 0) return *at ? tg_fail_at(text, at, "unexpected text after the tensor") : at;
        bool comma = *at == ',';
        if (comma) at = tg_skip_space(at + 1);
        if (comma && *at != ']') return at;
        if (*at != ']') return tg_fail_at(text, at, "expected ',' or ']'");
        at++;
        --*depth;
    }
}

/* Checks the syntax and sets *dtype to the dtype that torch.tensor infers. */
static bool check_text(const char *text, t_DType *dtype) {
    const char *at = tg_skip_space(text);
    int depth = 0;
    *dtype = t_bool;
    do {
        const char *after;
        Number n;
        if (*at == '[') {
            if (depth == T_MAX_DIMS) return tg_fail_at(text, at, "a tensor has at most %d dims", T_MAX_DIMS);
            depth++;
            at = tg_skip_space(at + 1);
            if (*at != ']') continue;
            n.kind = t_float32; /* an empty list has the default dtype */
            after = at + 1;
            depth--;
        } else {
            after = read_number(at, &n);
            if (!after) return tg_fail_at(text, at, "expected a number, True, False or '['");
        }
        if (n.kind > *dtype) *dtype = n.kind;
        at = skip_separators(text, after, &depth);
        if (!at) return false;
    } while (depth > 0);
    return true;
}

/* ---- the shape ---- */

/* The number of entries of the list that starts at `at`, in a checked text. */
static int64_t count_entries(const char *at) {
    int64_t count = 0;
    bool inside = false; /* an entry has begun since the last comma */
    for (int depth = 0;; at++) {
        if (*at == ']' && --depth == 0) return count + inside;
        if (*at == ',' && depth == 1) {
            count++;
            inside = false;
        } else if (depth > 0 && !isspace((unsigned char)*at)) {
            inside = true;
        }
        if (*at == '[') depth++;
    }
}

static int first_shape(const char *at, int64_t *shape) {
    int ndim = 0;
    for (at = tg_skip_space(at); *at == '['; at = tg_skip_space(at + 1)) {
        shape[ndim] = count_entries(at);
        if (shape[ndim++] == 0) break;
    }
    return ndim;
}

/* ---- second pass ---- */

/* Stores the value at `at`, at depth `dim` of x, from element *next on; returns its end, NULL on error. */
static const char *store_value(Tensor *x, int dim, const char *at, int64_t *next) {
    at = tg_skip_space(at);
    if (dim == x->ndim) {
        Number n;
        if (*at == '[')
            return tg_fail(tg_is_floating(x->dtype) ? "must be real number, not list"
                                                    : "'list' object cannot be interpreted as an integer");
        const char *end = read_number(at, &n);
        return store_number(&n, x->dtype, tg_data(x), (*next)++) ? end : NULL;
    }
    if (*at != '[') return tg_fail("not a sequence");
    int64_t count = count_entries(at);
    if (count != x->shape[dim])
        return tg_fail("expected sequence of length %lld at dim %d (got %lld)", (long long)x->shape[dim], dim,
                       (long long)count);
    for (int64_t i = 0; at && i < count; i++) {
        at = store_value(x, dim + 1, at + 1, next); /* + 1: the bracket before the first, the comma before the others */
        if (at) at = tg_skip_space(at);
    }
    if (at && *at == ',') at = tg_skip_space(at + 1);
    return at ? at + 1 : NULL;
}

static Tensor *read_tensor(const char *text, const t_TensorOptions *options) {
    t_DType inferred;
    int64_t shape[T_MAX_DIMS], next = 0;
    if (!check_text(text, &inferred)) return NULL;
    int ndim = first_shape(text, shape);
    Tensor *x = tg_empty(shape, ndim, tg_option_dtype(options, inferred == t_float32 ? tg_default_dtype() : inferred));
    if (!x || tg_numel(x) == 0 || store_value(x, 0, text, &next)) return x;
    t_release(tg_take_from_scope(x));
    return NULL;
}

/* torch.tensor([[1, 2], [3, 4]]), the literal as text: nested lists of numbers up to rank 8, "3.5" for a 0-dim
 * tensor. Numbers are written as in Python: 1, -2, .5, 1e-3, nan, -inf, True, False; a trailing comma is allowed.
 * dtype: int64 if all are ints, the default dtype if one is a float (or a list is empty), bool if all are bools, or
 * options->dtype; int64 is exact over its whole range. options->requires_grad makes a leaf.
 * Errors: a syntax error, with a caret under it; more than 8 dims; PyTorch's errors for ragged lists ("expected
 * sequence of length 2 at dim 1 (got 3)"), for values that the dtype cannot hold, and for requires_grad of an
 * integer dtype.
 * Not supported: tuples, expressions, 0x and 1_000. */
Tensor *t_tensor_from_text(const char *text, const t_TensorOptions *options) {
    if (!text) return tg_fail("argument 1 is NULL where the text of a tensor is expected");
    const tg_CLocale locale = tg_c_locale_begin();
    Tensor *x = read_tensor(text, options);
    tg_c_locale_end(locale);
    if (x && options && options->requires_grad && !tg_is_floating(x->dtype)) {
        t_release(tg_take_from_scope(x));
        return tg_fail("Only Tensors of floating point dtype can require gradients");
    }
    return tg_apply_options(x, options);
}
