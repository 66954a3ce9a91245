/* core/vision/datasets/cifar_pickle.c: CIFAR's Python version: pickles of a dict with lists of integers and texts and a
 * NumPy array, as Python 2 and 3 write them (protocols 0 apart). Nothing is executed: a call becomes a value with its
 * callable and its arguments, and the array is found by its shape.
 *
 * core/io/pickle.h reads torch.save's pickles, which have neither Python 2's strings nor NumPy's arrays. */
#include <inttypes.h>
#include <string.h>

#include "core/vision/datasets/datasets_internal.h"

typedef enum Type { NONE, INTEGER, TEXT, TUPLE, LIST, DICT, GLOBAL, CALL } Type;

/* A value: an integer; a text of `count` bytes at `at` in the file; a tuple, list or dict (keys and values) of `count`
 * items; a call: its callable, its arguments and, from BUILD, its state. */
typedef struct Value {
    uint8_t type;
    uint32_t count, first, last; /* items: a list of cells */
    uint32_t state;              /* of a call: a value; 0: none */
    union {
        int64_t integer;
        uint64_t at;
    } as;
} Value;

typedef struct Cell {
    uint32_t value, next;
} Cell;

typedef struct Array {
    void *items;
    uint32_t used, capacity;
} Array;

enum { MOST = 1 << 24 };

typedef struct Reader {
    const char *name;
    const uint8_t *bytes;
    size_t size, at;
    Array values, cells, stack, marks, memo;
} Reader;

#define VALUES(r) ((Value *)(r)->values.items)
#define CELLS(r) ((Cell *)(r)->cells.items)
#define STACK(r) ((uint32_t *)(r)->stack.items)
#define MARKS(r) ((uint32_t *)(r)->marks.items)
#define MEMO(r) ((uint32_t *)(r)->memo.items)

static bool fail(const Reader *r, const char *what) {
    return tg_fail("%s, byte %zu: %s", r->name, r->at, what);
}

/* Makes room for `needed` items. */
static bool reserve(Reader *r, Array *a, size_t needed, size_t size) {
    if (needed <= a->capacity) return true;
    if (needed > MOST) return fail(r, "the pickle has too many values");
    size_t capacity = a->capacity ? a->capacity : 64;
    while (capacity < needed) capacity *= 2;
    void *items = tg_alloc_raw(capacity * size);
    if (!items) return false;
    if (a->used) memcpy(items, a->items, (size_t)a->used * size);
    tg_free(a->items, (size_t)a->capacity * size);
    a->items = items;
    a->capacity = (uint32_t)capacity;
    return true;
}

static bool add_number(Reader *r, Array *a, uint32_t x) {
    if (!reserve(r, a, (size_t)a->used + 1, sizeof x)) return false;
    ((uint32_t *)a->items)[a->used++] = x;
    return true;
}

static void free_reader(Reader *r) {
    tg_free(r->values.items, (size_t)r->values.capacity * sizeof(Value));
    tg_free(r->cells.items, (size_t)r->cells.capacity * sizeof(Cell));
    Array *const numbers[] = {&r->stack, &r->marks, &r->memo};
    for (int i = 0; i < 3; i++) tg_free(numbers[i]->items, (size_t)numbers[i]->capacity * sizeof(uint32_t));
}

/* ---- the stack ---- */

static bool push(Reader *r, Value value) {
    if (!reserve(r, &r->values, (size_t)r->values.used + 1, sizeof value)) return false;
    VALUES(r)[r->values.used] = value;
    return add_number(r, &r->stack, r->values.used++);
}

static bool push_integer(Reader *r, int64_t x) {
    return push(r, (Value){.type = INTEGER, .as.integer = x});
}

/* The lowest index that an instruction may pop: above the last mark. */
static uint32_t floor_of(const Reader *r) {
    return r->marks.used ? MARKS(r)[r->marks.used - 1] : 0;
}

static bool pop(Reader *r, uint32_t *value) {
    if (r->stack.used <= floor_of(r)) return fail(r, "the pickle's stack is empty");
    *value = STACK(r)[--r->stack.used];
    return true;
}

static bool append(Reader *r, uint32_t to, uint32_t item) {
    if (!reserve(r, &r->cells, (size_t)r->cells.used + 1, sizeof(Cell))) return false;
    const uint32_t cell = r->cells.used++;
    CELLS(r)[cell] = (Cell){item, 0};
    Value *x = &VALUES(r)[to];
    if (x->count++)
        CELLS(r)[x->last].next = cell;
    else
        x->first = cell;
    x->last = cell;
    return true;
}

/* The values above the last mark become items of `to`, and the mark is dropped. */
static bool take_marked(Reader *r, uint32_t *first) {
    if (!r->marks.used) return fail(r, "the pickle has no mark");
    *first = MARKS(r)[--r->marks.used];
    return true;
}

static bool append_from(Reader *r, uint32_t to, uint32_t first) {
    for (uint32_t i = first; i < r->stack.used; i++)
        if (!append(r, to, STACK(r)[i])) return false;
    r->stack.used = first;
    return true;
}

/* A tuple of the top `count` values. */
static bool make_tuple(Reader *r, uint32_t first) {
    const Value tuple = {.type = TUPLE};
    if (!reserve(r, &r->values, (size_t)r->values.used + 1, sizeof tuple)) return false;
    const uint32_t made = r->values.used++;
    VALUES(r)[made] = tuple;
    return append_from(r, made, first) && add_number(r, &r->stack, made);
}

static bool tuple_of(Reader *r, uint32_t count) {
    if (r->stack.used - floor_of(r) < count) return fail(r, "the pickle's stack is empty");
    return make_tuple(r, r->stack.used - count);
}

/* Items for the list or dict below them. */
static bool extend(Reader *r, uint32_t first, Type type) {
    if (first == 0 || first > r->stack.used || first <= floor_of(r)) return fail(r, "the pickle's stack is empty");
    const uint32_t to = STACK(r)[first - 1];
    if (VALUES(r)[to].type != type) return fail(r, "the pickle adds items to what is no list or dict");
    if (type == DICT && (r->stack.used - first) % 2) return fail(r, "the pickle has a key without a value");
    return append_from(r, to, first);
}

/* A callable and its arguments become a call. */
static bool reduce(Reader *r) {
    uint32_t arguments, callable;
    if (!pop(r, &arguments) || !pop(r, &callable)) return false;
    if (!push(r, (Value){.type = CALL})) return false;
    const uint32_t call = r->values.used - 1;
    return append(r, call, callable) && append(r, call, arguments);
}

static bool build(Reader *r) {
    uint32_t state, to;
    if (!pop(r, &state) || !pop(r, &to)) return false;
    if (VALUES(r)[to].type == CALL) VALUES(r)[to].state = state;
    return add_number(r, &r->stack, to);
}

/* ---- instructions ---- */

static bool read_number(Reader *r, int bytes, uint64_t *x) {
    if (r->size - r->at < (size_t)bytes) return fail(r, "the pickle is truncated");
    *x = 0;
    for (int i = 0; i < bytes; i++) *x |= (uint64_t)r->bytes[r->at + (size_t)i] << 8 * i;
    r->at += (size_t)bytes;
    return true;
}

/* A text whose length is in `bytes` bytes. */
static bool read_text(Reader *r, int bytes) {
    uint64_t length;
    if (!read_number(r, bytes, &length)) return false;
    if (length > r->size - r->at || length > UINT32_MAX) return fail(r, "the pickle is truncated within a text");
    const Value text = {.type = TEXT, .count = (uint32_t)length, .as.at = r->at};
    r->at += (size_t)length;
    return push(r, text);
}

/* "module\nname\n": the name alone is kept. */
static bool read_global(Reader *r) {
    Value global = {.type = GLOBAL};
    for (int i = 0; i < 2; i++) {
        const uint8_t *end = memchr(r->bytes + r->at, '\n', r->size - r->at);
        if (!end) return fail(r, "the pickle is truncated within a name");
        global.as.at = r->at;
        global.count = (uint32_t)(end - (r->bytes + r->at));
        r->at = (size_t)(end + 1 - r->bytes);
    }
    return push(r, global);
}

/* A signed little-endian number of `length` bytes; what does not fit an int64 is an error. */
static bool read_long(Reader *r, uint64_t length) {
    uint64_t x = 0;
    if (length > 8) return fail(r, "the pickle has an integer of more than 64 bits");
    if (!read_number(r, (int)length, &x)) return false;
    if (length && length < 8 && x >> (8 * length - 1)) x |= UINT64_MAX << 8 * length;
    return push_integer(r, (int64_t)x);
}

static bool put(Reader *r, uint64_t index) {
    /* An entry takes an instruction of its own, and Python numbers them one after the other. */
    if (index >= MOST || index >= r->size) return fail(r, "the pickle's memo is too large");
    if (r->stack.used == 0) return fail(r, "the pickle's stack is empty");
    if (!reserve(r, &r->memo, (size_t)index + 1, sizeof(uint32_t))) return false;
    while (r->memo.used <= index) MEMO(r)[r->memo.used++] = UINT32_MAX;
    MEMO(r)[index] = STACK(r)[r->stack.used - 1];
    return true;
}

static bool get(Reader *r, uint64_t index) {
    if (index >= r->memo.used || MEMO(r)[index] == UINT32_MAX) return fail(r, "the pickle's memo has no such entry");
    return add_number(r, &r->stack, MEMO(r)[index]);
}

/* One instruction; *stop after the last. */
static bool step(Reader *r, bool *stop) {
    uint64_t x = 0;
    uint32_t first = 0;
    const uint8_t op = r->bytes[r->at++];
    switch (op) {
    case '.': *stop = true; return true;
    case 0x80: return read_number(r, 1, &x);                  /* PROTO */
    case 0x95: return read_number(r, 8, &x);                  /* FRAME */
    case '(': return add_number(r, &r->marks, r->stack.used); /* MARK */
    case '}': return push(r, (Value){.type = DICT});
    case ']': return push(r, (Value){.type = LIST});
    case ')': return push(r, (Value){.type = TUPLE});
    case 'N': return push(r, (Value){.type = NONE});
    case 0x88:
    case 0x89: return push_integer(r, op == 0x88); /* NEWTRUE, NEWFALSE */
    case 'K': return read_number(r, 1, &x) && push_integer(r, (int64_t)x);
    case 'M': return read_number(r, 2, &x) && push_integer(r, (int64_t)x);
    case 'J': return read_number(r, 4, &x) && push_integer(r, (int32_t)(uint32_t)x);
    case 0x8a: return read_number(r, 1, &x) && read_long(r, x);               /* LONG1 */
    case 'G': return read_number(r, 8, &x) && push(r, (Value){.type = NONE}); /* BINFLOAT: no file has one we need */
    case 'U':
    case 'C':
    case 0x8c: return read_text(r, 1); /* SHORT_BINSTRING, SHORT_BINBYTES, SHORT_BINUNICODE */
    case 'T':
    case 'B':
    case 'X': return read_text(r, 4); /* BINSTRING, BINBYTES, BINUNICODE */
    case 0x8d:
    case 0x8e:
    case 0x96: return read_text(r, 8); /* BINUNICODE8, BINBYTES8, BYTEARRAY8 */
    case 'c': return read_global(r);
    case 0x93: return pop(r, &first) && pop(r, &first) && push(r, (Value){.type = GLOBAL}); /* STACK_GLOBAL */
    case 'q': return read_number(r, 1, &x) && put(r, x);
    case 'r': return read_number(r, 4, &x) && put(r, x);
    case 0x94: return put(r, r->memo.used); /* MEMOIZE */
    case 'h': return read_number(r, 1, &x) && get(r, x);
    case 'j': return read_number(r, 4, &x) && get(r, x);
    case 't': return take_marked(r, &first) && make_tuple(r, first);
    case 0x85:
    case 0x86:
    case 0x87: return tuple_of(r, op - 0x84u); /* TUPLE1 to TUPLE3 */
    case 'a': return extend(r, r->stack.used ? r->stack.used - 1 : 0, LIST);
    case 'e': return take_marked(r, &first) && extend(r, first, LIST);
    case 's': return extend(r, r->stack.used > 1 ? r->stack.used - 2 : 0, DICT);
    case 'u': return take_marked(r, &first) && extend(r, first, DICT);
    case 'R': return reduce(r);
    case 'b': return build(r);
    case '0': return pop(r, &first);
    default:
        r->at--;
        return tg_fail("%s, byte %zu: the pickle's instruction %02x is not supported in CIFAR's files", r->name, r->at,
                       op);
    }
}

/* The dict that the pickle is; NULL with an error set. */
static const Value *parse(Reader *r) {
    bool stop = false;
    while (!stop) {
        if (r->at >= r->size) {
            fail(r, "the pickle is truncated");
            return NULL;
        }
        if (!step(r, &stop)) return NULL;
    }
    if (r->stack.used == 0 || VALUES(r)[STACK(r)[r->stack.used - 1]].type != DICT) {
        fail(r, "the pickle is no dict");
        return NULL;
    }
    return &VALUES(r)[STACK(r)[r->stack.used - 1]];
}

/* ---- values ---- */

static const Value *item(const Reader *r, const Value *of, uint32_t i) {
    if (i >= of->count) return NULL;
    uint32_t cell = of->first;
    while (i--) cell = CELLS(r)[cell].next;
    return &VALUES(r)[CELLS(r)[cell].value];
}

/* dict[key]; NULL with an error set. */
static const Value *lookup(const Reader *r, const Value *dict, const char *key) {
    uint32_t cell = dict->first;
    for (uint32_t i = 0; i + 1 < dict->count; i += 2) {
        const Value *name = &VALUES(r)[CELLS(r)[cell].value];
        cell = CELLS(r)[cell].next;
        if (name->type == TEXT && name->count == strlen(key) && memcmp(r->bytes + name->as.at, key, name->count) == 0)
            return &VALUES(r)[CELLS(r)[cell].value];
        cell = CELLS(r)[cell].next;
    }
    tg_fail("%s: the pickle has no '%s'", r->name, key);
    return NULL;
}

/* Latin-1 in UTF-8, as Python 3 writes bytes in protocol 2, back to bytes. */
static bool decode_latin1(const Reader *r, const Value *text, uint8_t *to, size_t bytes) {
    const uint8_t *from = r->bytes + text->as.at, *end = from + text->count;
    size_t n = 0;
    while (from < end && n < bytes) {
        uint8_t x = *from++;
        if (x >= 0x80) {
            if ((x != 0xc2 && x != 0xc3) || from == end) return false;
            x = (uint8_t)(x << 6 | (*from++ & 0x3f));
        }
        to[n++] = x;
    }
    return n == bytes && from == end;
}

/* The bytes of a NumPy array of (count, 3072) uint8: of a call of _reconstruct with its state, (version, shape, dtype,
 * order, bytes), or of protocol 5's _frombuffer(bytes, dtype, shape, order). */
static bool read_array(const Reader *r, const Value *array, tg_CifarBatch *batch) {
    const Value *holder = array->type != CALL ? NULL : array->state ? &VALUES(r)[array->state] : item(r, array, 1);
    const bool is_state = holder && array->state;
    if (!holder || holder->type != TUPLE || holder->count < (is_state ? 5u : 3u))
        return tg_fail("%s: 'data' is no NumPy array", r->name);
    const Value *shape = item(r, holder, is_state ? 1 : 2), *bytes = item(r, holder, is_state ? 4 : 0);
    const Value *rows = shape->type == TUPLE ? item(r, shape, 0) : NULL;
    const Value *columns = shape->type == TUPLE ? item(r, shape, 1) : NULL;
    if (!columns || shape->count != 2 || rows->type != INTEGER || columns->type != INTEGER ||
        rows->as.integer != batch->count || columns->as.integer != TG_CIFAR_IMAGE)
        return tg_fail("%s: 'data' has not the shape (%" PRId64 ", %d) of as many images as there are labels", r->name,
                       batch->count, TG_CIFAR_IMAGE);
    const size_t expected = (size_t)batch->count * TG_CIFAR_IMAGE;
    if (bytes->type == CALL) { /* _codecs.encode(text, 'latin1') */
        const Value *arguments = item(r, bytes, 1);
        const Value *text = arguments && arguments->type == TUPLE ? item(r, arguments, 0) : NULL;
        if (!text || text->type != TEXT || !decode_latin1(r, text, batch->images, expected))
            return tg_fail("%s: the bytes of 'data' are not the %zu of its shape", r->name, expected);
        return true;
    }
    if (bytes->type != TEXT || bytes->count != expected)
        return tg_fail("%s: the bytes of 'data' are not the %zu of its shape", r->name, expected);
    if (expected) memcpy(batch->images, r->bytes + bytes->as.at, expected);
    return true;
}

static bool read_labels(const Reader *r, const Value *labels, const char *key, tg_CifarBatch *batch) {
    if (labels->type != LIST) return tg_fail("%s: '%s' is no list", r->name, key);
    batch->count = labels->count;
    batch->bytes = (size_t)batch->count * (sizeof(int64_t) + TG_CIFAR_IMAGE) + 1;
    if ((uint64_t)batch->count * TG_CIFAR_IMAGE > r->size)
        return tg_fail("%s: the file has %zu bytes, too few for %" PRId64 " images", r->name, r->size, batch->count);
    batch->labels = tg_alloc_raw(batch->bytes);
    if (!batch->labels) return false;
    batch->images = (uint8_t *)(batch->labels + batch->count);
    uint32_t cell = labels->first;
    for (uint32_t i = 0; i < labels->count; i++, cell = CELLS(r)[cell].next) {
        const Value *label = &VALUES(r)[CELLS(r)[cell].value];
        if (label->type != INTEGER) return tg_fail("%s: '%s'[%u] is no integer", r->name, key, i);
        batch->labels[i] = label->as.integer;
    }
    return true;
}

/* ---- files ---- */

/* The file's bytes, which the caller frees. */
static bool load(const tg_Input *in, Reader *r, uint8_t **bytes) {
    *r = (Reader){.name = in->name, .size = (size_t)in->size};
    if (in->size > UINT32_MAX) return tg_fail("%s: the file has %" PRIu64 " bytes", in->name, in->size);
    *bytes = tg_alloc_raw((size_t)in->size + 1);
    r->bytes = *bytes;
    return *bytes && tg_input_read(in, 0, *bytes, (size_t)in->size);
}

bool tg_cifar_pickle(const tg_Input *in, const char *labels, tg_CifarBatch *batch) {
    Reader r;
    uint8_t *bytes = NULL;
    bool ok = load(in, &r, &bytes);
    const Value *dict = ok ? parse(&r) : NULL;
    const Value *list = dict ? lookup(&r, dict, labels) : NULL, *data = list ? lookup(&r, dict, "data") : NULL;
    ok = data && read_labels(&r, list, labels, batch) && read_array(&r, data, batch);
    free_reader(&r);
    tg_free(bytes, bytes ? (size_t)in->size + 1 : 0);
    return ok;
}

bool tg_cifar_names(const tg_Input *in, const char *key, tg_VisionDataset *to) {
    Reader r;
    uint8_t *bytes = NULL;
    bool ok = load(in, &r, &bytes);
    const Value *dict = ok ? parse(&r) : NULL, *names = dict ? lookup(&r, dict, key) : NULL;
    ok = names != NULL;
    if (ok && (names->type != LIST || names->count > 10000)) ok = tg_fail("%s: '%s' is no list", r.name, key);
    uint32_t cell = ok ? names->first : 0;
    for (uint32_t i = 0; ok && i < names->count; i++, cell = CELLS(&r)[cell].next) {
        const Value *name = &VALUES(&r)[CELLS(&r)[cell].value];
        ok = (name->type == TEXT && !memchr(r.bytes + name->as.at, 0, name->count)) ||
             tg_fail("%s: '%s'[%u] is no text", r.name, key, i);
        ok = ok && tg_vision_add_class(to, (const char *)r.bytes + name->as.at, name->count);
    }
    free_reader(&r);
    tg_free(bytes, bytes ? (size_t)in->size + 1 : 0);
    return ok;
}
