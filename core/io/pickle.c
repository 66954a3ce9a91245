/* core/io/pickle.c: the stack machine of Python's pickle protocol 2, restricted to the instructions that values need.
 * The stack holds indices of values. */
#include "core/io/pickle.h"

#include <inttypes.h>
#include <string.h>

/* ---- vectors ---- */

/* A new item at the end, uninitialised; NULL on out of memory. */
static void *push(tg_Vector *v) {
    if (v->used == v->capacity) {
        const uint32_t capacity = v->capacity ? 2 * v->capacity : 32;
        char *larger = tg_alloc_raw((size_t)capacity * v->size);
        if (!larger) return NULL;
        if (v->used) memcpy(larger, v->items, (size_t)v->used * v->size);
        tg_free(v->items, (size_t)v->capacity * v->size);
        v->items = larger;
        v->capacity = capacity;
    }
    return v->items + (size_t)v->used++ * v->size;
}

static bool push_index(tg_Vector *v, uint32_t x) {
    uint32_t *slot = push(v);
    if (slot) *slot = x;
    return slot != NULL;
}

static uint32_t *indices(const tg_Vector *v) {
    return (uint32_t *)(void *)v->items;
}

void tg_pickle_free(tg_Pickle *p) {
    tg_Vector *const all[] = {&p->values, &p->cells, &p->stack, &p->marks, &p->memo};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tg_free(all[i]->items, (size_t)all[i]->capacity * all[i]->size);
    *p = (tg_Pickle){0};
}

/* ---- values ---- */

tg_Value *tg_item_of(const tg_Pickle *p, const tg_Value *of, uint32_t i) {
    uint32_t cell = of->first;
    while (i--) cell = tg_cell(p, cell)->next;
    return tg_value(p, tg_cell(p, cell)->value);
}

/* Puts a copy of x on the stack. */
static bool push_value(tg_Pickle *p, tg_Value x) {
    const uint32_t index = p->values.used;
    tg_Value *slot = push(&p->values);
    if (!slot) return false;
    x.at = p->at;
    *slot = x;
    return push_index(&p->stack, index);
}

static bool append(tg_Pickle *p, tg_Value *to, uint32_t value) {
    const uint32_t index = p->cells.used;
    tg_Cell *cell = push(&p->cells);
    if (!cell) return false;
    *cell = (tg_Cell){.value = value};
    if (to->count++ == 0) to->first = index;
    else tg_cell(p, to->last)->next = index;
    to->last = index;
    return true;
}

/* ---- the stack ---- */

static bool fail(const tg_Pickle *p, const char *what) {
    return tg_fail("%s is broken at byte %" PRIu32 ": %s", p->what, p->at, what);
}

static bool fail_cut(tg_Pickle *p, const char *what) {
    p->is_cut = p->is_part;
    return !p->is_part && fail(p, what);
}

/* Error unless there are `count` values above the last mark. */
static bool need(const tg_Pickle *p, uint32_t count) {
    const uint32_t floor = p->marks.used ? indices(&p->marks)[p->marks.used - 1] : 0;
    return p->stack.used - floor >= count || fail(p, "the stack has too few values");
}

/* The i-th value from the top. */
static tg_Value *top(const tg_Pickle *p, uint32_t i) {
    return tg_value(p, indices(&p->stack)[p->stack.used - 1 - i]);
}

/* Replaces the `count` topmost values by a tuple of them. */
static bool make_tuple(tg_Pickle *p, uint32_t count) {
    tg_Value tuple = {.type = tg_is_tuple};
    const uint32_t from = p->stack.used - count;
    for (uint32_t i = from; i < from + count; i++)
        if (!append(p, &tuple, indices(&p->stack)[i])) return false;
    p->stack.used = from;
    return push_value(p, tuple);
}

/* Removes the last mark; *count is the number of values above it. */
static bool take_mark(tg_Pickle *p, uint32_t *count) {
    if (p->marks.used == 0) return fail(p, "there is no mark on the stack");
    *count = p->stack.used - indices(&p->marks)[--p->marks.used];
    return true;
}

/* Appends the `count` topmost values to the list or dict below them. */
static bool extend(tg_Pickle *p, uint32_t count, tg_ValueType type) {
    if (!need(p, count + 1)) return false;
    tg_Value *to = top(p, count);
    if (to->type != type)
        return fail(p, type == tg_is_list ? "an item is appended to a value that is not a list"
                                          : "a key is set in a value that is not a dict");
    if (type == tg_is_dict && count % 2) return fail(p, "a key without a value");
    for (uint32_t i = p->stack.used - count; i < p->stack.used; i++)
        if (!append(p, to, indices(&p->stack)[i])) return false;
    p->stack.used -= count;
    return true;
}

/* ---- operands ---- */

static bool operand(tg_Pickle *p, uint32_t *next, uint32_t bytes, const uint8_t **from) {
    if (bytes > p->size - *next) return fail_cut(p, "it ends within an instruction");
    *from = p->bytes + *next;
    *next += bytes;
    return true;
}

static uint64_t little_endian(const uint8_t *from, uint32_t bytes) {
    uint64_t x = 0;
    for (uint32_t i = 0; i < bytes; i++) x |= (uint64_t)from[i] << (8 * i);
    return x;
}

/* Integers of n bytes; signed except for BININT1 and BININT2. */
static bool push_integer(tg_Pickle *p, const uint8_t *from, uint32_t n, bool has_sign) {
    if (n > 8)
        return tg_fail("%s has an int of %" PRIu32 " bytes at byte %" PRIu32 ", and int64 has 8" TG_LEAVE_OUT, p->what,
                       n, p->at);
    uint64_t x = little_endian(from, n);
    if (has_sign && n > 0 && n < 8 && from[n - 1] >= 128) x |= ~(uint64_t)0 << (8 * n);
    return push_value(p, (tg_Value){.type = tg_is_integer, .as.integer = (int64_t)x});
}

static bool push_float(tg_Pickle *p, const uint8_t *from) {
    uint64_t bits = 0;
    double x;
    for (int i = 0; i < 8; i++) bits = bits << 8 | from[i];
    memcpy(&x, &bits, sizeof x);
    return push_value(p, (tg_Value){.type = tg_is_number, .as.number = x});
}

/* ---- globals and calls ---- */

/* Operands: two lines, the module and the name. */
static bool push_global(tg_Pickle *p, uint32_t *next) {
    enum { SHOWN = 100 };
    char name[SHOWN + 1];
    tg_Value global = {.type = tg_is_global};
    uint32_t length = 0, lines = 0;
    for (; *next < p->size && lines < 2; ++*next) {
        const uint8_t c = p->bytes[*next];
        lines += c == '\n';
        if (length < SHOWN && lines < 2) name[length++] = c == '\n' ? ' ' : c < ' ' || c > '~' ? '?' : (char)c;
    }
    name[length] = '\0';
    if (lines < 2) return fail_cut(p, "it ends within an instruction");
    if (tg_find_global(name, length, &global)) return push_value(p, global);
    return tg_refuse_global(p, name);
}

/* REDUCE: the result of a call of a dict or torch.Size; for other functions a value for the call itself. */
static bool reduce(tg_Pickle *p) {
    if (!need(p, 2)) return false;
    const tg_Value function = *top(p, 1), args = *top(p, 0);
    if (function.type != tg_is_global || args.type != tg_is_tuple)
        return fail(p, "REDUCE needs a function and a tuple of arguments");
    const tg_Value *first = args.count ? tg_item_of(p, &args, 0) : NULL;
    const uint32_t first_index = args.count ? tg_cell(p, args.first)->value : 0;
    p->stack.used -= 2;
    switch (function.global) {
    case tg_global_ordered_dict:
    case tg_global_counter:
        if (args.count == 0) return push_value(p, (tg_Value){.type = tg_is_dict});
        if (args.count == 1 && first->type == tg_is_dict && function.global == tg_global_counter)
            return push_index(&p->stack, first_index);
        return fail(p, "a dict is created with arguments");
    case tg_global_size:
        if (args.count == 1 && first->type == tg_is_tuple) return push_index(&p->stack, first_index);
        return fail(p, "torch.Size needs one tuple");
    case tg_global_tensor:
    case tg_global_tensor_of_dtype:
    case tg_global_parameter:
    case tg_global_typed:
    case tg_global_old_tensor:
    case tg_global_old_parameter:
    case tg_global_device: {
        tg_Value call = args;
        call.type = tg_is_call;
        call.global = function.global;
        return push_value(p, call);
    }
    default: return fail(p, "the called value is not a function");
    }
}

/* (view key, offset, elements): a part of the storage */
static bool is_view(const tg_Pickle *p, const tg_Value *x) {
    static const uint8_t types[] = {tg_is_text, tg_is_integer, tg_is_integer};
    bool ok = x->type == tg_is_tuple && x->count == sizeof types;
    for (uint32_t i = 0; ok && i < sizeof types; i++) ok = tg_item_of(p, x, i)->type == types[i];
    return ok || x->type == tg_is_none;
}

/* ('storage', torch.FloatStorage, '0', 'cpu', 12), in the format before PyTorch 1.6 with a view or None behind it */
static bool push_storage(tg_Pickle *p) {
    static const uint8_t types[] = {tg_is_text, tg_is_global, tg_is_text, tg_is_text, tg_is_integer};
    if (!need(p, 1)) return false;
    tg_Value id = *top(p, 0);
    bool ok = id.type == tg_is_tuple && (id.count == sizeof types || id.count == sizeof types + 1);
    for (uint32_t i = 0; ok && i < sizeof types; i++) ok = tg_item_of(p, &id, i)->type == types[i];
    ok = ok && (id.count == sizeof types || is_view(p, tg_item_of(p, &id, sizeof types)));
    const tg_Value *word = ok ? tg_item_of(p, &id, 0) : NULL, *class = ok ? tg_item_of(p, &id, 1) : NULL;
    if (!ok || class->global != tg_global_storage || word->count != 7 || memcmp(word->as.text, "storage", 7) != 0)
        return fail(p, "a persistent id that does not describe a storage");
    id.type = tg_is_storage;
    id.kind = class->kind;
    p->stack.used--;
    return push_value(p, id);
}

/* BUILD: ignores the attributes of a dict, such as a state dict's _metadata; an old parameter's become its second
 * argument. */
static bool build(tg_Pickle *p) {
    if (!need(p, 2)) return false;
    tg_Value *of = top(p, 1);
    if (of->type == tg_is_call && of->global == tg_global_old_parameter && of->count == 1)
        return append(p, of, indices(&p->stack)[--p->stack.used]);
    if (top(p, 1)->type != tg_is_dict || top(p, 0)->type != tg_is_dict)
        return fail(p, "BUILD on a value without attributes");
    p->stack.used--;
    return true;
}

/* ---- the memo ---- */

static bool put_memo(tg_Pickle *p, uint64_t index) {
    if (!need(p, 1)) return false;
    const uint32_t value = indices(&p->stack)[p->stack.used - 1];
    if (index > p->memo.used) return fail(p, "a memo index is skipped");
    if (index == p->memo.used) return push_index(&p->memo, value);
    indices(&p->memo)[index] = value;
    return true;
}

static bool get_memo(tg_Pickle *p, uint64_t index) {
    if (index >= p->memo.used) return fail(p, "an entry of the memo is empty");
    return push_index(&p->stack, indices(&p->memo)[index]);
}

/* ---- the instructions ---- */

static bool step(tg_Pickle *p, uint32_t *next) {
    const uint8_t opcode = p->bytes[p->at], *from = p->bytes;
    const uint32_t n = tg_opcode_operand(opcode);
    uint32_t count;
    if (!operand(p, next, n, &from)) return false;
    const uint64_t x = n < 8 ? little_endian(from, n) : 0;
    switch (opcode) {
    case 0x80: /* PROTO */
        return x == 2 || tg_fail("%s has pickle protocol %d, but only 2, torch.save's default, is supported: leave "
                                 "pickle_protocol out",
                                 p->what, (int)x);
    case 'N': return push_value(p, (tg_Value){.type = tg_is_none});
    case 0x88: case 0x89: /* NEWTRUE, NEWFALSE */
        return push_value(p, (tg_Value){.type = tg_is_bool, .as.integer = opcode == 0x88});
    case 'K': case 'M': return push_integer(p, from, n, false); /* BININT1, BININT2 */
    case 'J': return push_integer(p, from, n, true);            /* BININT */
    case 0x8a: return operand(p, next, (uint32_t)x, &from) && push_integer(p, from, (uint32_t)x, true); /* LONG1 */
    case 'G': return push_float(p, from);
    case 'X': /* BINUNICODE */
        if (!operand(p, next, (uint32_t)x, &from)) return false;
        return push_value(p, (tg_Value){.type = tg_is_text, .count = (uint32_t)x, .as.text = (const char *)from});
    case 'U': case 'T': /* SHORT_BINSTRING, BINSTRING: Python 2's */
        if (!operand(p, next, (uint32_t)x, &from)) return false;
        return push_value(p, (tg_Value){.type = tg_is_text, .count = (uint32_t)x, .as.text = (const char *)from});
    case ')': return push_value(p, (tg_Value){.type = tg_is_tuple});
    case ']': return push_value(p, (tg_Value){.type = tg_is_list});
    case '}': return push_value(p, (tg_Value){.type = tg_is_dict});
    case '(': return push_index(&p->marks, p->stack.used);
    case 't': return take_mark(p, &count) && make_tuple(p, count);
    case 0x85: case 0x86: case 0x87: /* TUPLE1 to TUPLE3 */
        count = opcode - 0x84u;
        return need(p, count) && make_tuple(p, count);
    case 'a': return extend(p, 1, tg_is_list);
    case 'e': return take_mark(p, &count) && extend(p, count, tg_is_list);
    case 's': return extend(p, 2, tg_is_dict);
    case 'u': return take_mark(p, &count) && extend(p, count, tg_is_dict);
    case 'q': case 'r': return put_memo(p, x);
    case 'h': case 'j': return get_memo(p, x);
    case 'c': return push_global(p, next);
    case 'R': return reduce(p);
    case 'Q': return push_storage(p);
    case 'b': return build(p);
    default: return tg_refuse_opcode(p, opcode);
    }
}

bool tg_pickle_parse_part(tg_Pickle *p, const void *bytes, size_t size, size_t start, bool is_part, const char *what) {
    const tg_Vector index_vector = {.size = sizeof(uint32_t)};
    *p = (tg_Pickle){.bytes = bytes, .size = (uint32_t)size, .start = (uint32_t)start,
        .at = (uint32_t)start, .is_part = is_part, .what = what, .stack = index_vector,
        .marks = index_vector, .memo = index_vector};
    p->values.size = sizeof(tg_Value);
    p->cells.size = sizeof(tg_Cell);
    if (size > TG_LARGEST_PICKLE)
        return tg_fail("%s has %zu bytes, but at most %d are supported", what, size, TG_LARGEST_PICKLE);
    while (p->at < p->size && p->bytes[p->at] != '.') {
        uint32_t next = p->at + 1;
        if (p->values.used + p->cells.used + p->stack.used + p->marks.used + p->memo.used > TG_MOST_VALUES)
            return tg_fail("%s has too many values, from byte %" PRIu32 " on: save long lists of numbers as tensors",
                           what, p->at);
        if (!step(p, &next)) return false;
        p->at = next;
    }
    if (p->at == p->size) return fail_cut(p, "it ends without STOP");
    if (p->stack.used != 1 || p->marks.used != 0)
        return fail(p, "the stack does not hold exactly one value at the end");
    p->root = indices(&p->stack)[0];
    return true;
}

bool tg_pickle_parse(tg_Pickle *p, const void *bytes, size_t size, const char *what) {
    return tg_pickle_parse_part(p, bytes, size, 0, false, what) &&
           (p->at + 1 == p->size || fail(p, "there are bytes after STOP"));
}
