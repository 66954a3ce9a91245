/* core/io/safetensors_write.c: writes a dict as a safetensors file, byte for byte as the reference implementation: the
 * metadata sorted by name, then the tensors sorted by dtype (wider ones first) and name. */
#include "core/io/safetensors_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/convert.h"
#include "core/io/utf8.h"
#include "core/tensor/tensor.h"

static const struct {
    const char *name;
    int order; /* in the file */
} dtypes[T_DTYPES] =
    {[t_int64] = {"I64", 0}, [t_float64] = {"F64", 1}, [t_float32] = {"F32", 2}, [t_int32] = {"I32", 3},
     [t_bfloat16] = {"BF16", 4}, [t_float16] = {"F16", 5}, [t_int16] = {"I16", 6}, [t_int8] = {"I8", 7},
     [t_uint8] = {"U8", 8}, [t_bool] = {"BOOL", 9}};

typedef const t_DictItem *Item;

/* ---- the order ---- */

static int by_name(const void *a, const void *b) {
    return strcmp((*(const Item *)a)->name, (*(const Item *)b)->name);
}

static int by_dtype_and_name(const void *a, const void *b) {
    const int x = dtypes[(*(const Item *)a)->tensor->dtype].order, y = dtypes[(*(const Item *)b)->tensor->dtype].order;
    return x != y ? x - y : by_name(a, b);
}

/* Sets items to the sorted texts, items[0 .. texts - 1], followed by the sorted tensors. Returns texts. */
static int64_t sort_items(const t_TensorDict *dict, Item *items) {
    int64_t texts = 0, tensors = 0;
    for (int64_t i = 0; i < dict->len; i++) texts += dict->items[i].text != NULL;
    for (int64_t i = 0, t = 0; i < dict->len; i++)
        items[dict->items[i].text ? t++ : texts + tensors++] = &dict->items[i];
    if (texts) qsort(items, (size_t)texts, sizeof *items, by_name);
    if (tensors) qsort(items + texts, (size_t)tensors, sizeof *items, by_dtype_and_name);
    return texts;
}

/* ---- the header ---- */

static bool put(tg_Output *out, const char *text) {
    return tg_output_write(out, text, strlen(text));
}

static bool put_number(tg_Output *out, uint64_t number) {
    char text[24];
    return tg_output_write(out, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, number));
}

static bool is_plain(char c) {
    return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

static bool put_escape(tg_Output *out, char c) {
    static const char letters[] = "btn\0fr"; /* of \b to \r */
    const char letter = c < ' ' ? c >= '\b' && c <= '\r' ? letters[c - '\b'] : '\0' : c;
    char text[8];
    snprintf(text, sizeof text, letter ? "\\%c" : "\\u%04x", letter ? letter : c);
    return put(out, text);
}

/* "text" with the escapes that JSON requires. */
static bool put_string(tg_Output *out, const char *text) {
    const size_t length = strlen(text), valid = tg_utf8_valid(text, length);
    if (valid < length)
        return tg_fail("byte %zu of '%s' is not UTF-8 (0x%02x)", valid, text, (unsigned char)text[valid]);
    bool ok = put(out, "\"");
    for (size_t i = 0, run; ok && i < length; i = run) {
        for (run = i; run < length && is_plain(text[run]); run++) continue;
        ok = tg_output_write(out, text + i, run - i);
        if (ok && run < length) ok = put_escape(out, text[run++]);
    }
    return ok && put(out, "\"");
}

/* The name of a text, without the prefix that the reader added because of a tensor of the same name. */
static const char *name_of_text(const t_TensorDict *dict, Item item) {
    const size_t front = strlen(TG_METADATA_PREFIX);
    if (strncmp(item->name, TG_METADATA_PREFIX, front) != 0) return item->name;
    Item other = tg_dict_find(dict, item->name + front);
    return other && other->tensor ? item->name + front : item->name;
}

static bool put_metadata(tg_Output *out, const t_TensorDict *dict, const Item *items, int64_t texts) {
    bool ok = put(out, "\"" TG_METADATA "\":{");
    for (int64_t i = 0; ok && i < texts; i++)
        ok = (i == 0 || put(out, ",")) && put_string(out, name_of_text(dict, items[i])) && put(out, ":") &&
        put_string(out, items[i]->text);
    return ok && put(out, "}");
}

/* "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]} */
static bool put_entry(tg_Output *out, Item item, uint64_t *offset) {
    const Tensor *x = item->tensor;
    if (strcmp(item->name, TG_METADATA) == 0)
        return tg_fail("a tensor of the name '%s' is not possible: that is the key of the metadata", item->name);
    if (!tg_check_any(x, 1)) return false; /* an uninitialised parameter of a lazy module */
    bool ok = put_string(out, item->name) && put(out, ":{\"dtype\":\"") && put(out, dtypes[x->dtype].name) &&
        put(out, "\",\"shape\":[");
    for (int d = 0; ok && d < x->ndim; d++) ok = (d == 0 || put(out, ",")) && put_number(out, (uint64_t)x->shape[d]);
    ok = ok && put(out, "],\"data_offsets\":[") && put_number(out, *offset) && put(out, ",");
    *offset += (uint64_t)tg_numel(x) * tg_itemsize(x->dtype);
    return ok && put_number(out, *offset) && put(out, "]}");
}

/* The JSON, padded with spaces to a multiple of 8 bytes. */
static bool put_header(tg_Output *out, const t_TensorDict *dict, const Item *items, int64_t texts) {
    uint64_t offset = 0;
    bool ok = put(out, "{") && (texts == 0 || put_metadata(out, dict, items, texts));
    for (int64_t i = texts; ok && i < dict->len; i++)
        ok = (i == 0 || put(out, ",")) && put_entry(out, items[i], &offset);
    ok = ok && put(out, "}");
    while (ok && out->written % TG_SIZE_BYTES) ok = put(out, " ");
    if (ok && out->written > TG_HEADER_MAX)
        return tg_fail("the names and texts take %" PRIu64 " bytes, and a header has at most %d", out->written,
                       TG_HEADER_MAX);
    return ok;
}

/* ---- the file ---- */

static bool write_contents(tg_Output *out, const uint8_t *header, size_t n, const Item *tensors, int64_t count) {
    uint8_t size[TG_SIZE_BYTES];
    for (int i = 0; i < TG_SIZE_BYTES; i++) size[i] = (uint8_t)((uint64_t)n >> 8 * i);
    bool ok = tg_output_write(out, size, sizeof size) && tg_output_write(out, header, n);
    for (int64_t i = 0; ok && i < count; i++) ok = tg_write_elements(out, tensors[i]->tensor);
    return ok;
}

/* Opens `out` after the header was made, so that errors in the dict are found before any file is touched. */
static bool write_dict(const t_TensorDict *dict, tg_Output *out, const char *filename) {
    tg_output_memory(out);
    const size_t bytes = ((size_t)dict->len + 1) * sizeof(Item);
    Item *items = tg_alloc_raw(bytes);
    if (!items) return false;
    const int64_t texts = sort_items(dict, items);
    tg_Output header;
    tg_output_memory(&header);
    const bool is_put = put_header(&header, dict, items, texts);
    size_t n = 0;
    void *text = tg_output_take(&header, is_put, &n);
    const bool ok = text && (!filename || tg_output_open(out, filename)) &&
                    write_contents(out, text, n, items + texts, dict->len - texts);
    free(text);
    tg_free(items, bytes);
    return ok;
}

bool safetensors_save_file(const t_TensorDict *tensors, const char *filename) {
    if (!tg_check_dict(tensors, 1)) return false;
    if (!filename) return t_error() ? false : tg_fail("the path is NULL") != NULL;
    tg_Output out;
    const bool ok = write_dict(tensors, &out, filename);
    return tg_output_commit(&out, ok);
}

void *safetensors_save(const t_TensorDict *tensors, size_t *size) {
    if (!tg_check_dict(tensors, 1)) return NULL;
    if (!size) return tg_fail("argument 2 is NULL where the address of a size is expected");
    tg_Output out;
    const bool ok = write_dict(tensors, &out, NULL);
    return tg_output_take(&out, ok, size);
}
