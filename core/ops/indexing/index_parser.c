/* core/ops/indexing/index_parser.c: parses the text of an index, ":, {}, 1::2", into a list of items. */
#include "core/ops/indexing/index_parser_internal.h"

#include <ctype.h>
#include <string.h>

#include "core/ops/creation/tensor_literal_internal.h"
#include "core/ops/indexing/advanced_indexing_internal.h"
#include "core/ops/ops.h"

typedef struct Parser {
    const char *text, *at;
    const t_IndexValue_ *values; /* the values of {}, in order */
    int count, used;
} Parser;

static bool fail_here(const Parser *r, const char *message) {
    return tg_fail_at(r->text, r->at, "%s", message);
}

static void skip_space(Parser *r) {
    r->at = tg_skip_space(r->at);
}

static bool accept(Parser *r, const char *token) {
    size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0) return false;
    r->at += length;
    skip_space(r);
    return true;
}

/* ---- {} ---- */

/* Whether the next item is {}, with or without a sign. */
static bool is_placeholder(const Parser *r) {
    const char *at = *r->at == '-' || *r->at == '+' ? tg_skip_space(r->at + 1) : r->at;
    return at[0] == '{' && at[1] == '}';
}

/* -{} negates the value, as in x[:, -n:]. */
static bool negate(t_IndexValue_ *value) {
    if (value->is_number) value->number = value->number == INT64_MIN ? INT64_MAX : -value->number;
    else value->tensor = t_neg(value->tensor);
    return value->is_number || value->tensor;
}

static bool read_placeholder(Parser *r, t_IndexValue_ *value) {
    const bool negative = *r->at == '-';
    if (*r->at != '{') r->at = tg_skip_space(r->at + 1);
    if (r->used >= r->count)
        return tg_fail_at(r->text, r->at, "the index has more {} than the %d value%s given for them", r->count,
                          r->count == 1 ? "" : "s");
    *value = r->values[r->used++];
    r->at += 2;
    skip_space(r);
    return (value->is_number || tg_check_any(value->tensor, 3)) && (!negative || negate(value));
}

/* Python's operator.index: an integer, or a tensor with one integer. */
static bool as_integer(const t_IndexValue_ *value, int64_t *number) {
    Tensor *x = value->tensor;
    *number = value->number;
    if (value->is_number) return true;
    if (tg_is_floating(x->dtype) || tg_numel(x) != 1)
        return tg_fail("only integer tensors of a single element can be converted to an index");
    *number = tg_read_int64(x);
    return true;
}

/* ---- numbers and slices ---- */

/* Decimal digits with a sign. A value beyond int64 becomes the nearest int64, which is out of every range. */
static void read_digits(Parser *r, int64_t *value) {
    bool negative = *r->at == '-';
    if (*r->at == '-' || *r->at == '+') r->at++;
    for (*value = 0; isdigit((unsigned char)*r->at); r->at++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *r->at - '0', value))
            *value = INT64_MAX;
    if (negative) *value = -*value;
}

static bool is_number(const Parser *r) {
    return isdigit((unsigned char)r->at[*r->at == '-' || *r->at == '+']);
}

/* Reads an integer or {} if there is one; else *value is unchanged. False on error. */
static bool read_integer(Parser *r, int64_t *value) {
    t_IndexValue_ given;
    if (is_placeholder(r)) return read_placeholder(r, &given) && as_integer(&given, value);
    if (!is_number(r)) return true;
    read_digits(r, value);
    skip_space(r);
    return true;
}

/* The rest of a slice after its start: ":stop", ":stop:step", either value omitted. */
static bool read_slice(Parser *r, Item *item) {
    item->kind = SLICE;
    if (!accept(r, ":") || !read_integer(r, &item->stop)) return false;
    if (*r->at != ':') return true;
    r->at = tg_skip_space(r->at + 1);
    const char *step = r->at;
    if (!read_integer(r, &item->step)) return false;
    if (item->step > 0) return true;
    return tg_fail_at(r->text, step, item->step ? "step must be greater than zero" : "slice step cannot be zero");
}

/* ---- tensors ---- */

static bool take_tensor(Item *item, Tensor *x) {
    if (!x || !(x = tg_index_tensor(x))) return false;
    item->kind = TENSOR;
    item->tensor = x;
    return true;
}

/* "[0, 2]": torch.tensor of the list; an empty one is int64. */
static bool read_list(Parser *r, Item *item) {
    const char *end = r->at;
    int depth = 0;
    do depth += (*end == '[') - (*end == ']');
    while (*end++ && depth > 0);
    if (depth > 0) return fail_here(r, "this list does not end");
    size_t length = (size_t)(end - r->at);
    char *copy = tg_alloc(length + 1);
    if (!copy) return false;
    memcpy(copy, r->at, length);
    Tensor *x = t_tensor_from_text(copy, NULL);
    tg_free(copy, length + 1);
    if (x && tg_numel(x) == 0) x = t_to(x, t_int64);
    r->at = tg_skip_space(end);
    return take_tensor(item, x);
}

/* A number or a 0-dim tensor of integers is an integer or the start of a slice, any other tensor (0-dim ones of uint8
 * are masks) is an index tensor. */
static bool read_value(Parser *r, Item *item) {
    t_IndexValue_ value;
    if (!read_placeholder(r, &value)) return false;
    const Tensor *x = value.tensor;
    bool is_integer = value.is_number || (x->ndim == 0 && tg_is_integral(x->dtype) && x->dtype != t_uint8);
    return is_integer || *r->at == ':' ? as_integer(&value, &item->start) : take_tensor(item, value.tensor);
}

/* ---- items ---- */

/* One item: a keyword, a list, or an integer or {}, which may start a slice. */
static bool read_item(Parser *r, Item *item) {
    *item = (Item){.kind = INTEGER, .stop = INT64_MAX, .step = 1};
    if (accept(r, "...")) return item->kind = ELLIPSIS, true;
    if (accept(r, "None")) return item->kind = NEW_DIM, true;
    if (accept(r, "True")) return take_tensor(item, t_boolean(true));
    if (accept(r, "False")) return take_tensor(item, t_boolean(false));
    if (*r->at == '[') return read_list(r, item);
    if (is_placeholder(r)) {
        if (!read_value(r, item)) return false;
    } else if (is_number(r)) {
        read_digits(r, &item->start);
        skip_space(r);
    } else if (*r->at != ':') {
        return fail_here(r, "expected an integer, a slice (start:stop:step), a list, '...', None or {}");
    }
    return *r->at == ':' && item->kind == INTEGER ? read_slice(r, item) : true;
}

/* The number of dims of x that the item indexes. */
static int indexed_dims(const Item *item) {
    switch (item->kind) {
    case INTEGER:
    case SLICE: return 1;
    case TENSOR: return item->tensor->dtype == t_bool ? item->tensor->ndim : 1;
    default: return 0;
    }
}

static bool read_items(Parser *r, Index *index) {
    bool ellipsis = false;
    index->len = index->dims = 0;
    index->is_tuple = false;
    do {
        skip_space(r);
        if (!*r->at && index->len > 0) break; /* "0," is a tuple of one item, as in Python */
        if (index->len == MAX_ITEMS) return fail_here(r, "too many items in an index");
        const char *start = r->at;
        Item *item = &index->items[index->len++];
        if (!read_item(r, item)) return false;
        index->dims += indexed_dims(item);
        if (item->kind == ELLIPSIS && ellipsis)
            return tg_fail_at(r->text, start, "an index can only have a single ellipsis ('...')");
        ellipsis = ellipsis || item->kind == ELLIPSIS;
        if (*r->at && *r->at != ',') return fail_here(r, item->kind == SLICE ? "expected ',' or ':'" : "expected ','");
        index->is_tuple = index->is_tuple || *r->at || item->kind == TENSOR;
    } while (*r->at++);
    return true;
}

bool tg_parse_index(const char *text, const t_IndexValue_ *values, int count, Index *index) {
    if (!text) return tg_fail("argument 2 is NULL where the text of an index is expected");
    if (count > 0 && !values) return tg_fail("argument 3 is NULL where the values of {} are expected");
    Parser r = {.text = text, .at = text, .values = values, .count = count};
    if (!read_items(&r, index)) return false;
    if (r.used == count) return true;
    return tg_fail_at(text, text + strlen(text), "%d values are given, but the index has %d {}", count, r.used);
}
