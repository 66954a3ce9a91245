/* core/io/npy.c: .npy files (NumPy Enhancement Proposal 1): magic bytes, a header with the text of a Python dict, the
 * elements. */
#include "core/io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/convert.h"
#include "core/io/npy_internal.h"

static const char magic[6] = "\x93NUMPY";

/* The contents of a header. */
typedef struct Header {
    bool has_descr, has_order, has_shape; /* the three keys */
    tg_Kind kind;
    bool big_endian, fortran;
    uint64_t shape[T_MAX_DIMS];
    int ndim;
    uint64_t bytes; /* of magic and header: the offset of the elements */
} Header;

/* ---- the header's text ---- */

enum { LONGEST_HEADER = 10000 }; /* NumPy's max_header_size */

typedef struct Text {
    const char *at, *end, *begin;
    const char *what; /* the array, for messages */
} Text;

/* The length of the part of a text that an error message shows. */
static int shown(const char *text, ptrdiff_t length) {
    int n = 0;
    while (n < length && n < 40 && text[n] >= ' ' && text[n] <= '~') n++;
    return n;
}

static bool fail_at(const Text *t, const char *expected) {
    return tg_fail("%s: the header of the array has no %s at its byte %d, but '%.*s'", t->what, expected,
                   (int)(t->at - t->begin), shown(t->at, t->end - t->at), t->at);
}

static char peek(Text *t) {
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\n' || *t->at == '\r' || *t->at == '\f'))
        t->at++;
    return t->at < t->end ? *t->at : '\0';
}

static bool take(Text *t, char c) {
    bool is_there = peek(t) == c && t->at < t->end;
    t->at += is_there;
    return is_there;
}

static bool take_word(Text *t, const char *word) {
    size_t n = strlen(word);
    peek(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0) return false;
    t->at += n;
    return true;
}

/* 'text' or "text", without escapes. */
static bool take_string(Text *t, const char **string, int *length) {
    char quote = peek(t);
    if (quote != '\'' && quote != '"') return fail_at(t, "text in quotes");
    const char *from = t->at + 1, *to = from;
    while (to < t->end && *to != quote && *to != '\\' && *to != '\n') to++;
    if (to == t->end || *to != quote) return fail_at(t, "text that ends");
    *string = from;
    *length = (int)(to - from);
    t->at = to + 1;
    return true;
}

/* 3, or 3L as Python 2 wrote it. */
static bool take_size(Text *t, uint64_t *size) {
    peek(t);
    const char *first = t->at;
    for (*size = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*size, 10u, size) || __builtin_add_overflow(*size, (unsigned)(*t->at - '0'), size) ||
            *size > INT64_MAX) {
            t->at = first;
            return fail_at(t, "size that fits into 63 bits");
        }
    if (t->at == first || (*first == '0' && *size)) { /* Python has no number 02 */
        t->at = first;
        return fail_at(t, "size");
    }
    take(t, 'L');
    return true;
}

/* (), (3,), (3, 4) */
static bool take_shape(Text *t, Header *h) {
    uint64_t size;
    if (!take(t, '(')) return fail_at(t, "shape, a tuple");
    for (h->ndim = 0; !take(t, ')'); h->ndim++) {
        if (!take_size(t, &size)) return false;
        if (h->ndim == T_MAX_DIMS) return tg_fail("%s: the array has more than %d dims", t->what, T_MAX_DIMS);
        h->shape[h->ndim] = size;
        if (!take(t, ',') && (h->ndim == 0 || peek(t) != ')')) return fail_at(t, "comma");
    }
    return true;
}

static const struct { char name[4]; tg_Kind kind; } kinds[] = {
    {"b1", tg_kind_bool}, {"u1", tg_kind_u8},   {"i1", tg_kind_i8},  {"i2", tg_kind_i16}, {"u2", tg_kind_u16},
    {"i4", tg_kind_i32},  {"u4", tg_kind_u32},  {"i8", tg_kind_i64}, {"u8", tg_kind_u64}, {"f2", tg_kind_f16},
    {"f4", tg_kind_f32},  {"f8", tg_kind_f64},  {"f16", tg_kind_f128}, {"c8", tg_kind_c64}, {"c16", tg_kind_c128},
};

static const struct { char letter; const char *name; } unsupported[] = {
    {'O', "pickled Python objects (Object arrays cannot be loaded when allow_pickle=False)"},
    {'U', "strings"}, {'S', "strings"}, {'a', "strings"}, {'T', "strings"}, {'M', "dates"}, {'m', "spans of time"},
    {'V', "structures or raw bytes"}, {'c', "complex numbers"}, {'f', "numbers of an unknown length"},
    {'F', "complex numbers"},
};

/* '<f4' and the like. */
static bool take_descr(Text *t, Header *h) {
    const char *descr;
    int length;
    if (peek(t) == '[' || peek(t) == '(')
        return tg_fail("%s: the elements are structures, which tensors do not support", t->what);
    if (!take_string(t, &descr, &length)) return false;
    const char *name = descr + (length > 0 && memchr("<>=|", *descr, 4) != NULL);
    const int rest = length - (int)(name - descr);
    h->big_endian = name > descr && (*descr == '>' || (*descr != '<' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == (size_t)rest && memcmp(kinds[i].name, name, (size_t)rest) == 0)
            h->kind = kinds[i].kind;
    if (tg_kinds[h->kind].dtype) return true;
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported && h->kind == tg_kind_none; i++)
        if (rest > 0 && *name == unsupported[i].letter)
            return tg_fail("%s: the elements ('%.*s') are %s, which tensors do not support", t->what,
                           shown(descr, length), descr, unsupported[i].name);
    if (h->kind)
        return tg_fail("%s: the elements ('%.*s') are of %s, which tensors do not support", t->what, length, descr,
                       tg_kinds[h->kind].name);
    return tg_fail("%s: '%.*s' is not a NumPy dtype", t->what, shown(descr, length), descr);
}

static bool take_order(Text *t, Header *h) {
    h->fortran = take_word(t, "True");
    return h->fortran || take_word(t, "False") || fail_at(t, "True or False");
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } with the keys in any order, each once. */
static bool take_header(Text *t, Header *h) {
    const struct { const char *name; bool *seen, (*value)(Text *, Header *); } keys[] = {
        {"descr", &h->has_descr, take_descr},
        {"fortran_order", &h->has_order, take_order},
        {"shape", &h->has_shape, take_shape}};
    if (!take(t, '{')) return fail_at(t, "dict");
    while (!take(t, '}')) {
        const char *key;
        int length, k = 0;
        if (!take_string(t, &key, &length)) return false;
        while (k < 3 && ((int)strlen(keys[k].name) != length || memcmp(keys[k].name, key, (size_t)length) != 0)) k++;
        if (k == 3)
            return tg_fail("%s: the header of the array has a key '%.*s', but only descr, fortran_order and shape are "
                           "valid",
                           t->what, shown(key, length), key);
        if (*keys[k].seen) return tg_fail("%s: the header of the array has '%s' twice", t->what, keys[k].name);
        *keys[k].seen = true;
        if (!take(t, ':')) return fail_at(t, "colon");
        if (!keys[k].value(t, h)) return false;
        if (!take(t, ',') && peek(t) != '}') return fail_at(t, "comma");
    }
    for (int k = 0; k < 3; k++)
        if (!*keys[k].seen) return tg_fail("%s: the header of the array has no '%s'", t->what, keys[k].name);
    peek(t);
    return t->at == t->end || fail_at(t, "end");
}

/* ---- reading ---- */

int tg_npy_begins(const tg_Input *in, uint64_t at, uint64_t size) {
    char start[sizeof magic];
    if (size < sizeof start) return 0;
    if (!tg_input_read(in, at, start, sizeof start)) return -1;
    return memcmp(start, magic, sizeof start) == 0;
}

int tg_npy_is(const tg_Input *in) {
    return tg_npy_begins(in, 0, in->size);
}

static bool read_header(const tg_Part *part, Header *h) {
    uint8_t start[12] = {0};
    char text[LONGEST_HEADER];
    const uint64_t size = part->size;
    if (size >= 10 && !tg_input_read(part->in, part->at, start, size < 12 ? 10 : 12)) return false;
    if (memcmp(start, magic, sizeof magic) != 0)
        return tg_fail("%s is not a .npy file: it does not begin with \\x93NUMPY and a header", part->what);
    const int major = start[6], minor = start[7];
    if (major < 1 || major > 3 || minor != 0)
        return tg_fail("%s has version %d.%d, but only 1.0, 2.0 and 3.0 are supported", part->what, major, minor);
    uint64_t length = start[8] | (uint32_t)start[9] << 8;
    if (major > 1) length |= (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
    h->bytes = (major > 1 ? 12 : 10) + length;
    if (h->bytes > size)
        return tg_fail("%s ends within its header: it has %" PRIu64 " bytes, and the header takes %" PRIu64, part->what,
                       size, h->bytes);
    if (length > LONGEST_HEADER)
        return tg_fail("%s has a header of %" PRIu64 " bytes, but at most %d are supported", part->what, length,
                       LONGEST_HEADER);
    if (!tg_input_read(part->in, part->at + h->bytes - length, text, (size_t)length)) return false;
    return take_header(&(Text){.at = text, .begin = text, .end = text + length, .what = part->what}, h);
}

static Tensor *transpose(Tensor *x) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) {
        shape[d] = x->shape[x->ndim - 1 - d];
        strides[d] = x->strides[x->ndim - 1 - d];
    }
    return tg_view(x, shape, strides, x->ndim, x->offset);
}

Tensor *tg_npy_read(const tg_Part *part, const char *name) {
    Header h = {.kind = tg_kind_none};
    uint64_t count, bytes, rest;
    int64_t shape[T_MAX_DIMS];
    if (!read_header(part, &h)) return NULL;
    for (int d = 0; d < h.ndim; d++) shape[d] = (int64_t)h.shape[h.fortran ? h.ndim - 1 - d : d];
    rest = part->size - h.bytes;
    if (!tg_count_elements(h.shape, h.ndim, &count) || !tg_count_bytes(count, h.kind, &bytes))
        return tg_fail("%s: an array of shape %s is too large", part->what,
                       tg_shape_text((const int64_t *)h.shape, h.ndim));
    if (bytes > rest) /* NumPy's error text */
        return tg_fail("%s: Failed to read all data for array. Expected %s = %" PRIu64
                       " elements, could only read %" PRIu64
                       " elements. (file seems not fully written?)",
                       part->what, tg_shape_text((const int64_t *)h.shape, h.ndim), count,
                       rest / (tg_kinds[h.kind].bits / 8u));
    Tensor *x = tg_empty(shape, h.ndim, tg_kinds[h.kind].dtype);
    bool ok = x && tg_read_elements(part->in, part->at + h.bytes, h.kind, h.big_endian, x, name);
    Tensor *y = ok && h.fortran && h.ndim > 1 ? tg_detach_from_base(transpose(x)) : ok ? x : NULL;
    if (x && y != x) t_release(tg_take_from_scope(x));
    return y;
}

/* ---- writing ---- */

/* Empty: NumPy has no such type. */
static const char descrs[T_DTYPES][4] = {
    [t_bool] = "|b1", [t_uint8] = "|u1", [t_int8] = "|i1", [t_int16] = "<i2", [t_int32] = "<i4", [t_int64] = "<i8",
    [t_float16] = "<f2", [t_float32] = "<f4", [t_float64] = "<f8"};

bool tg_npy_check(const Tensor *x) {
    if (!tg_check_any(x, 2)) return false;
    return descrs[x->dtype][0] || tg_fail("NumPy has no %s: convert the tensor, t_to(x, t_float32)",
                                          tg_dtype_name(x->dtype));
}

static size_t digits(int64_t x) {
    return (size_t)snprintf(NULL, 0, "%" PRId64, x);
}

/* An array that is contiguous in Fortran order but not in C order is written in Fortran order, as by NumPy; others in C
 * order. */
Tensor *tg_npy_order(Tensor *x, bool *fortran) {
    Tensor *y = tg_is_contiguous(x) ? NULL : transpose(x);
    *fortran = y && tg_is_contiguous(y);
    return *fortran ? y : x;
}

/* NumPy leaves space for a growing axis (21 digits), and pads with spaces to a multiple of 64 bytes, by 64 if it is
 * one. */
size_t tg_npy_header(const Tensor *x, bool fortran, uint8_t header[TG_NPY_HEADER]) {
    char *text = (char *)header;
    const int first = 10, grows = fortran ? x->ndim - 1 : 0;
    size_t n = (size_t)first +
        (size_t)sprintf(text + first, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descrs[x->dtype],
                        fortran ? "True" : "False");
    for (int d = 0; d < x->ndim; d++)
        n += (size_t)sprintf(text + n, "%s%" PRId64 "%s", d ? ", " : "", x->shape[d], x->ndim == 1 ? "," : "");
    n += (size_t)sprintf(text + n, "), }");
    const size_t space = x->ndim ? 21 - digits(x->shape[grows]) : 0, end = (n + space + 1) / 64 * 64 + 64;
    memset(text + n, ' ', end - n);
    text[end - 1] = '\n';
    memcpy(header, magic, sizeof magic);
    const uint8_t rest[4] = {1, 0, (uint8_t)((end - 10) & 255), (uint8_t)((end - 10) >> 8)};
    memcpy(header + sizeof magic, rest, sizeof rest);
    return end;
}

static bool write_array(tg_Output *out, Tensor *x) {
    uint8_t header[TG_NPY_HEADER];
    bool fortran;
    int depth = t_scope_open();
    Tensor *y = depth ? tg_npy_order(x, &fortran) : NULL;
    bool ok = y && tg_output_write(out, header, tg_npy_header(x, fortran, header)) && tg_write_elements(out, y);
    t_scope_close(depth);
    return ok;
}

/* ---- files and bytes ---- */

bool np_save(const char *file, Tensor *x) {
    tg_Output out;
    return tg_npy_check(x) && tg_output_open(&out, file) && tg_output_commit(&out, write_array(&out, x));
}

void *np_save_bytes(Tensor *x, size_t *size) {
    tg_Output out;
    if (!tg_npy_check(x)) return NULL;
    if (!size) return tg_fail("argument 2 is NULL where the address of a size is expected");
    tg_output_memory(&out);
    return tg_output_take(&out, write_array(&out, x), size);
}

static Tensor *load(const tg_Input *in) {
    const int is_zip = tg_zip_is(in);
    if (is_zip < 0) return NULL;
    if (is_zip) return tg_fail("%s is a ZIP archive, as .npz files are: np_load_npz reads it", in->name);
    return tg_npy_read(&(tg_Part){in, 0, in->size, in->name}, "the array");
}

Tensor *np_load(const char *file) {
    tg_Input in;
    Tensor *x = tg_input_open(&in, file) ? load(&in) : NULL;
    tg_input_close(&in);
    return x;
}

Tensor *np_load_bytes(const void *bytes, size_t size) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "the array in memory") ? load(&in) : NULL;
}
