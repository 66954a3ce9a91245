/* core/ops/index.c: Python's indexing, written as text: t_at(x, "0, :10, ::2") is x[0, :10, ::2].
 *
 * The text is read into a list of items (an integer, a slice, ..., None), and the items are then applied from left to
 * right with t_select, t_slice and t_unsqueeze. So the result is a view, and its gradient is theirs. */
#include <ctype.h>
#include <string.h>

#include "core/ops/pointwise.h"
#include "core/ops/text.h"

typedef enum Kind { INTEGER, SLICE, ELLIPSIS, NEW_DIM } Kind;

typedef struct Item {
    Kind kind;
    int64_t start, stop, step; /* of a slice; an integer is in start */
} Item;

enum { MAX_ITEMS = 2 * T_MAX_DIMS + 1 }; /* every dim used up, every result dim made by None, and one "..." */

typedef struct Index {
    int len, dims; /* how many items, and how many dims of x they use up */
    bool is_tuple; /* there was a comma */
    Item items[MAX_ITEMS];
} Index;

/* ---- reading ---- */

typedef struct Reader {
    const char *text, *at;
    const int64_t *values; /* what {} stands for, one after the other */
    int count, used;
} Reader;

static bool mistake(const Reader *r, const char *sentence) {
    return tg_fail_at(r->text, r->at, "%s", sentence);
}

static void skip_space(Reader *r) {
    r->at = tg_skip_space(r->at);
}

static bool take_word(Reader *r, const char *word) {
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    skip_space(r);
    return true;
}

static bool read_placeholder(Reader *r, int64_t *value) {
    if (r->used >= r->count)
        return tg_fail_at(r->text, r->at, "the index has more {} than the %d number%s given for them", r->count,
                          r->count == 1 ? "" : "s");
    *value = r->values[r->used++];
    return true;
}

/* Decimal digits with a sign. What int64 does not hold becomes the nearest number that it holds: out of every range. */
static void read_digits(Reader *r, int64_t *value) {
    bool negative = *r->at == '-';
    if (*r->at == '-' || *r->at == '+') r->at++;
    for (*value = 0; isdigit((unsigned char)*r->at); r->at++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *r->at - '0', value))
            *value = INT64_MAX;
    if (negative) *value = -*value;
}

/* An integer or {}; *found says whether one stands here. False on a mistake. */
static bool read_integer(Reader *r, int64_t *value, bool *found) {
    const char *digits = *r->at == '-' || *r->at == '+' ? r->at + 1 : r->at;
    bool placeholder = strncmp(r->at, "{}", 2) == 0;
    *found = placeholder || isdigit((unsigned char)*digits);
    if (!*found) return true;
    if (placeholder) {
        if (!read_placeholder(r, value)) return false;
        r->at += 2;
    } else {
        read_digits(r, value);
    }
    skip_space(r);
    return true;
}

/* What follows the start of a slice: ":stop", ":stop:step", either number left out. */
static bool read_slice(Reader *r, Item *item) {
    bool found;
    item->kind = SLICE;
    if (!take_word(r, ":") || !read_integer(r, &item->stop, &found)) return false;
    if (*r->at != ':') return true;
    r->at = tg_skip_space(r->at + 1);
    const char *step = r->at;
    if (!read_integer(r, &item->step, &found)) return false;
    if (item->step > 0) return true;
    return tg_fail_at(r->text, step, item->step ? "step must be greater than zero" : "slice step cannot be zero");
}

static bool read_item(Reader *r, Item *item) {
    bool found;
    *item = (Item){.kind = INTEGER, .start = 0, .stop = INT64_MAX, .step = 1};
    if (take_word(r, "...")) item->kind = ELLIPSIS;
    else if (take_word(r, "None")) item->kind = NEW_DIM;
    else if (!read_integer(r, &item->start, &found)) return false;
    else if (*r->at == ':') return read_slice(r, item);
    else if (!found) return mistake(r, "expected an integer, a slice (start:stop:step), '...', None or {}");
    return true;
}

static bool read_items(Reader *r, Index *index) {
    bool ellipsis = false;
    *index = (Index){.len = 0};
    do {
        skip_space(r);
        if (!*r->at && index->len > 0) break; /* "0," is Python's tuple of one */
        if (index->len == MAX_ITEMS) return mistake(r, "too many items in an index");
        const char *start = r->at;
        Item *item = &index->items[index->len++];
        if (!read_item(r, item)) return false;
        if (item->kind == INTEGER || item->kind == SLICE) index->dims++;
        if (item->kind == ELLIPSIS && ellipsis)
            return tg_fail_at(r->text, start, "an index can only have a single ellipsis ('...')");
        ellipsis = ellipsis || item->kind == ELLIPSIS;
        if (*r->at && *r->at != ',') return mistake(r, item->kind == SLICE ? "expected ',' or ':'" : "expected ','");
        index->is_tuple = index->is_tuple || *r->at;
    } while (*r->at++);
    return true;
}

static bool read_index(const char *text, const int64_t *values, int count, Index *index) {
    if (!text) return tg_fail("argument 2 is NULL where the text of an index is expected");
    if (count > 0 && !values) return tg_fail("argument 3 is NULL where the values of {} are expected");
    Reader r = {.text = text, .at = text, .values = values, .count = count};
    if (!read_items(&r, index)) return false;
    if (r.used == count) return true;
    return tg_fail_at(text, text + strlen(text), "%d values are given, but the index has %d {}", count, r.used);
}

/* ---- applying ---- */

/* Whether x has the dims that the index uses up. A 0-dim tensor has none: only "..." and None suit it. */
static bool check_dims(const Tensor *x, const Index *index) {
    if (index->dims <= x->ndim) return true;
    if (x->ndim > 0 || index->is_tuple) return tg_fail("too many indices for tensor of dimension %d", x->ndim);
    const Item *item = &index->items[0];
    if (item->kind == SLICE) return tg_fail("slice() cannot be applied to a 0-dim tensor.");
    if (item->start) return tg_fail("index %lld is out of bounds for dimension 0 with size 0", (long long)item->start);
    return tg_fail("invalid index of a 0-dim tensor. Use t_item(x) to convert a 0-dim tensor to a number");
}

/* position is the item's place in the index: PyTorch's errors call it the dimension. */
static Tensor *apply_integer(Tensor *x, int dim, int64_t i, int position) {
    int64_t size = x->shape[dim];
    if (i >= -size && i < size) return t_select(x, dim, i);
    return tg_fail("index %lld is out of bounds for dimension %d with size %lld", (long long)i, position,
                   (long long)size);
}

static bool takes_all(const Item *item, int64_t size) {
    return item->start == 0 && item->stop >= size && item->step == 1;
}

static Tensor *apply_slice(Tensor *x, int dim, const Item *item) {
    int64_t stop = item->stop == T_NONE ? T_NONE + 1 : item->stop, step = item->step, unused;
    if (__builtin_mul_overflow(x->strides[dim], step, &unused)) step = x->shape[dim] + 1; /* one element at most */
    return t_slice(x, dim, item->start, stop, step);
}

/* The window of x that the index means; x itself where that is all of it. With `every_slice`, a slice over a whole dim
 * is not skipped. */
static Tensor *window(Tensor *x, const Index *index, bool every_slice) {
    if (!check_dims(x, index)) return NULL;
    int dim = 0, free_dims = x->ndim - index->dims;
    for (int i = 0; x && i < index->len; i++) {
        const Item *item = &index->items[i];
        switch (item->kind) {
        case INTEGER: x = apply_integer(x, dim, item->start, i); break;
        case SLICE:
            if (every_slice || !takes_all(item, x->shape[dim])) x = apply_slice(x, dim, item);
            dim++;
            break;
        case ELLIPSIS: dim += free_dims; break;
        case NEW_DIM: x = t_unsqueeze(x, dim++); break;
        }
    }
    return x;
}

/* A view of all of x that knows where it came from. */
static void alias_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
}
static const Op alias_op = {"alias", "AliasBackward0", alias_backward};

static Tensor *alias(Tensor *x) {
    Tensor *y = tg_view(x, x->shape, x->strides, x->ndim, x->offset);
    return tg_record(&alias_op, y, INPUTS(x), NONE, NONE);
}

/* ---- public ---- */

/* x[index], Python's basic indexing: a view of x.
 * index: items with commas between them, each for one dim of x: an integer (-1 is the last; the dim goes away), a slice
 * start:stop:step with any part left out, "..." for all the dims in between, None for a new dim of size 1. {} stands
 * for the next of values[0..count-1]: t_at(pe, ":, :{}", values, 1). dx = dy in its place, 0 elsewhere.
 * Errors: a mistake in the text, with a caret under it; too few or too many values; PyTorch's IndexErrors.
 * Differences from PyTorch: tensors and lists as indices are t_index_select, t_gather and t_masked_fill; a second "..."
 * is refused; in between, too, the rank must not pass 8. */
Tensor *t_at(Tensor *x, const char *index, const int64_t *values, int count) {
    Index items;
    if (!tg_check(x, 1) || !read_index(index, values, count, &items)) return NULL;
    int scope = t_scope_open();
    if (!scope) return NULL;
    Tensor *y = window(x, &items, !items.is_tuple);
    y = t_keep_object(y == x ? alias(x) : y);
    t_scope_close(scope);
    return y;
}

/* value without its leading dims of size 1, which an assignment does not count. */
static Tensor *without_leading_ones(Tensor *value) {
    int ones = 0;
    while (ones < value->ndim && value->shape[ones] == 1) ones++;
    return ones ? t_view(value, value->shape + ones, value->ndim - ones) : value;
}

/* x[index] = value, with the index of t_at. value is broadcast to the window's shape (where the shapes differ, leading
 * dims of size 1 are dropped first) and cast to x's dtype. In place: x's gradient inside the window goes to value.
 * Errors: those of t_at and t_copy_. Returns false on error, with x as it was. */
bool t_set(Tensor *x, const char *index, const int64_t *values, int count, Tensor *value) {
    Index items;
    if (!tg_check(x, 1) || !tg_check(value, 5) || !read_index(index, values, count, &items)) return false;
    int scope = t_scope_open();
    if (!scope) return false;
    Tensor *part = window(x, &items, false);
    if (part && !tg_same_shape(part, value)) value = without_leading_ones(value);
    Tensor *fitted = part && value ? t_expand(value, part->shape, part->ndim) : NULL;
    bool ok = fitted && t_copy_(part, fitted);
    t_scope_close(scope);
    return ok;
}
