/* core/io/text/table.c: what the readers of tables of text share. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/io/text/table_internal.h"
#include "core/io/zlib/zlib.h"
#include "core/tensor/dtype_convert.h"
#include "core/tensor/tensor.h"

bool tg_text_open(tg_Text *text, const tg_Input *in) {
    *text = (tg_Text){.name = in->name};
    const char *bytes = (const char *)in->bytes;
    if (!bytes) {
        if (in->size > SIZE_MAX / 2) return tg_fail("%s is too large: %" PRIu64 " bytes", in->name, in->size);
        text->bytes = (size_t)in->size + 1;
        text->block = tg_alloc_raw(text->bytes);
        if (!text->block || !tg_input_read(in, 0, text->block, (size_t)in->size)) return false;
        bytes = text->block;
    }
    size_t size = (size_t)in->size;
    if (tg_gzip_is((const uint8_t *)bytes, size)) {
        tg_Bytes unpacked = {0};
        tg_Compressed packed = {.bytes = (const uint8_t *)bytes, .size = size, .name = in->name};
        const bool ok = tg_gzip_unpack(&packed, &unpacked, SIZE_MAX / 2);
        tg_free(text->block, text->bytes);
        text->block = unpacked.at;
        text->bytes = unpacked.capacity;
        if (!ok) return false;
        bytes = unpacked.at ? (const char *)unpacked.at : "";
        size = unpacked.count;
    }
    text->at = bytes;
    text->end = bytes + size;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) text->at += 3;
    return true;
}

void tg_text_close(tg_Text *text) {
    tg_free(text->block, text->bytes);
    text->block = NULL;
}

bool tg_text_line(tg_Text *text, const char **begin, const char **end) {
    if (text->at == text->end) return false;
    *begin = text->at;
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at)), *stop = newline ? newline : text->end;
    const char *carriage = memchr(text->at, '\r', (size_t)(stop - text->at));
    if (carriage) stop = carriage;
    *end = stop;
    text->at = stop == text->end ? stop : stop + (carriage && carriage + 1 == newline ? 2 : 1);
    return true;
}

bool tg_elements_reserve(tg_Elements *elements, int64_t more) {
    enum { FIRST = 64 };
    if (elements->capacity - elements->count >= more) return true;
    const size_t size = tg_itemsize(elements->dtype);
    int64_t capacity = elements->capacity ? elements->capacity : FIRST;
    while (capacity - elements->count < more) capacity *= 2;
    char *larger = tg_alloc_raw((size_t)capacity * size);
    if (!larger) return false;
    if (elements->count) memcpy(larger, elements->data, (size_t)elements->count * size);
    tg_free(elements->data, (size_t)elements->capacity * size);
    elements->data = larger;
    elements->capacity = capacity;
    return true;
}

void tg_elements_free(tg_Elements *elements) {
    tg_free(elements->data, (size_t)elements->capacity * tg_itemsize(elements->dtype));
    elements->data = NULL;
    elements->count = elements->capacity = 0;
}

bool tg_is_in_int64_range(int64_t value, t_DType dtype) {
    switch (dtype) {
    case t_uint8: return value >= 0 && value <= UINT8_MAX;
    case t_int8: return value >= INT8_MIN && value <= INT8_MAX;
    case t_int16: return value >= INT16_MIN && value <= INT16_MAX;
    case t_int32: return value >= INT32_MIN && value <= INT32_MAX;
    default: return true;
    }
}

void tg_elements_set_double(tg_Elements *elements, int64_t index, double value) {
    char *to = elements->data + (size_t)index * tg_itemsize(elements->dtype);
    if (elements->dtype == t_float64)
        memcpy(to, &value, sizeof value);
    else if (elements->dtype == t_float32)
        memcpy(to, &(float){(float)value}, sizeof(float));
    else if (tg_is_half(elements->dtype))
        tg_set_element(elements->dtype, to, value);
    else
        tg_elements_set_int64(elements, index, fabs(value) < 0x1p63 ? (int64_t)value : INT64_MIN);
}

void tg_elements_set_int64(tg_Elements *elements, int64_t index, int64_t value) {
    char *to = elements->data + (size_t)index * tg_itemsize(elements->dtype);
    switch (elements->dtype) {
    case t_bool: *to = value != 0; break;
    case t_uint8: *(uint8_t *)to = (uint8_t)value; break;
    case t_int8: *(int8_t *)to = (int8_t)value; break;
    case t_int16: memcpy(to, &(int16_t){(int16_t)value}, sizeof(int16_t)); break;
    case t_int32: memcpy(to, &(int32_t){(int32_t)value}, sizeof(int32_t)); break;
    default: memcpy(to, &value, sizeof value); /* int64 */
    }
}

Tensor *tg_elements_take(tg_Elements *elements, int64_t rows, int64_t columns, int64_t ndmin, bool unpack) {
    int64_t shape[2] = {rows, columns};
    int ndim = 2;
    if (ndmin < 2) { /* numpy.squeeze, then back to ndmin dims */
        ndim = 0;
        if (rows != 1) shape[ndim++] = rows;
        if (columns != 1) shape[ndim++] = columns;
        if (ndim == 0 && ndmin == 1) shape[ndim++] = 1;
    }
    Tensor *x = tg_empty(shape, ndim, elements->dtype);
    const size_t bytes = (size_t)elements->count * tg_itemsize(elements->dtype);
    if (x && bytes) memcpy(tg_data(x), elements->data, bytes);
    tg_elements_free(elements);
    if (!x || !unpack || ndim < 2) return x;
    Tensor *y = tg_view(x, (const int64_t[]){columns, rows}, (const int64_t[]){1, columns}, 2, 0);
    y = y ? tg_detach_from_base(y) : NULL;
    t_release(tg_take_from_scope(x));
    return y;
}

bool tg_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void tg_strip(const char **begin, const char **end) {
    while (*begin < *end && tg_is_space(**begin)) ++*begin;
    while (*begin < *end && tg_is_space((*end)[-1])) --*end;
}

bool tg_fail_at_line(const tg_Text *text, int64_t line, const char *format, ...) {
    char sentence[512];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return tg_fail("%s, line %" PRId64 ": %s", text->name, line, sentence);
}
