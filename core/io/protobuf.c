/* core/io/protobuf.c: the wire format of Protocol Buffers. */
#include "core/io/protobuf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/utf8.h"

enum { MOST_VARINT = 10, DEEPEST_GROUP = 100, HIGHEST_FIELD = (1 << 29) - 1 };

/* ---- writing ---- */

static int encode_varint(uint8_t to[MOST_VARINT], uint64_t value) {
    int n = 0;
    for (; value >= 0x80; value >>= 7) to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

int tg_varint_size(uint64_t value) {
    uint8_t bytes[MOST_VARINT];
    return encode_varint(bytes, value);
}

bool tg_proto_raw_varint(tg_Output *out, uint64_t value) {
    uint8_t bytes[MOST_VARINT];
    return tg_output_write(out, bytes, (size_t)encode_varint(bytes, value));
}

static bool write_key(tg_Output *out, uint32_t field, tg_WireType type) {
    return tg_proto_raw_varint(out, (uint64_t)field << 3 | type);
}

static bool write_little_endian(tg_Output *out, uint64_t value, int size) {
    uint8_t bytes[8];
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> 8 * i);
    return tg_output_write(out, bytes, (size_t)size);
}

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool tg_proto_varint(tg_Output *out, uint32_t field, uint64_t value) {
    return write_key(out, field, tg_wire_varint) && tg_proto_raw_varint(out, value);
}

bool tg_proto_sint(tg_Output *out, uint32_t field, int64_t value) {
    return tg_proto_varint(out, field, tg_zigzag(value));
}

bool tg_proto_fixed32(tg_Output *out, uint32_t field, uint32_t value) {
    return write_key(out, field, tg_wire_fixed32) && write_little_endian(out, value, 4);
}

bool tg_proto_fixed64(tg_Output *out, uint32_t field, uint64_t value) {
    return write_key(out, field, tg_wire_fixed64) && write_little_endian(out, value, 8);
}

bool tg_proto_float(tg_Output *out, uint32_t field, float value) {
    return tg_proto_fixed32(out, field, float_bits(value));
}

bool tg_proto_double(tg_Output *out, uint32_t field, double value) {
    return tg_proto_fixed64(out, field, double_bits(value));
}

bool tg_proto_length(tg_Output *out, uint32_t field, uint64_t size) {
    return write_key(out, field, tg_wire_bytes) && tg_proto_raw_varint(out, size);
}

bool tg_proto_bytes(tg_Output *out, uint32_t field, const void *bytes, size_t size) {
    return tg_proto_length(out, field, size) && tg_output_write(out, bytes, size);
}

bool tg_proto_text(tg_Output *out, uint32_t field, const char *text) {
    return tg_proto_bytes(out, field, text, strlen(text));
}

bool tg_proto_packed_varints(tg_Output *out, uint32_t field, const int64_t *values, size_t count) {
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) size += (uint64_t)tg_varint_size((uint64_t)values[i]);
    if (count) tg_proto_length(out, field, size);
    for (size_t i = 0; i < count; i++) tg_proto_raw_varint(out, (uint64_t)values[i]);
    return !out->failed;
}

bool tg_proto_packed_floats(tg_Output *out, uint32_t field, const float *values, size_t count) {
    if (count) tg_proto_length(out, field, 4 * (uint64_t)count);
    for (size_t i = 0; i < count; i++) write_little_endian(out, float_bits(values[i]), 4);
    return !out->failed;
}

bool tg_proto_packed_doubles(tg_Output *out, uint32_t field, const double *values, size_t count) {
    if (count) tg_proto_length(out, field, 8 * (uint64_t)count);
    for (size_t i = 0; i < count; i++) write_little_endian(out, double_bits(values[i]), 8);
    return !out->failed;
}

/* One byte is reserved for the size; tg_proto_end moves the message where it takes more. */
size_t tg_proto_begin(tg_Output *out, uint32_t field) {
    write_key(out, field, tg_wire_bytes);
    tg_output_write(out, "", 1);
    return out->used;
}

bool tg_proto_end(tg_Output *out, size_t begin) {
    static const uint8_t zeros[MOST_VARINT];
    if (out->failed) return false;
    uint8_t length[MOST_VARINT];
    const size_t size = out->used - begin, bytes = (size_t)encode_varint(length, size);
    if (!tg_output_write(out, zeros, bytes - 1)) return false;
    memmove(out->buffer + begin + bytes - 1, out->buffer + begin, size);
    memcpy(out->buffer + begin - 1, length, bytes);
    return true;
}

/* ---- reading ---- */

tg_Proto tg_proto_of(const char *name, const void *bytes, size_t size, uint64_t base) {
    return (tg_Proto){.name = name, .bytes = bytes, .size = size, .base = base};
}

bool tg_proto_fail(tg_Proto *message, size_t at, const char *format, ...) {
    char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!message->failed) tg_fail("%s: byte %" PRIu64 ": %s", message->name, message->base + at, text);
    for (tg_Proto *m = message; m; m = m->outer) m->failed = true;
    return false;
}

static bool read_varint(tg_Proto *m, uint64_t *value) {
    const size_t begin = m->at;
    *value = 0;
    for (int i = 0;; i++) {
        if (m->at == m->size) return tg_proto_fail(m, begin, "the message ends within a varint");
        const uint8_t byte = m->bytes[m->at++];
        if (i == MOST_VARINT - 1 && byte > 1) return tg_proto_fail(m, begin, "a varint has more than 64 bits");
        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) return true;
    }
}

static bool read_little_endian(tg_Proto *m, size_t size, uint64_t *value) {
    *value = 0;
    if (m->size - m->at < size) return tg_proto_fail(m, m->at, "the message ends within a value of %zu bytes", size);
    for (size_t i = 0; i < size; i++) *value |= (uint64_t)m->bytes[m->at + i] << 8 * i;
    m->at += size;
    return true;
}

static bool read_key(tg_Proto *m, tg_ProtoField *f) {
    const size_t begin = m->at;
    uint64_t key;
    if (!read_varint(m, &key)) return false;
    if (key >> 3 == 0 || key >> 3 > HIGHEST_FIELD)
        return tg_proto_fail(m, begin, "%" PRIu64 " is no number of a field", key >> 3);
    if ((key & 7) > tg_wire_fixed32) return tg_proto_fail(m, begin, "wire type %d does not exist", (int)(key & 7));
    *f = (tg_ProtoField){.number = (uint32_t)(key >> 3), .type = (tg_WireType)(key & 7), .at = m->at};
    return true;
}

/* The value after the key, but for groups. */
static bool read_value(tg_Proto *m, tg_ProtoField *f) {
    if (f->type == tg_wire_varint) return read_varint(m, &f->value);
    if (f->type == tg_wire_fixed32) return read_little_endian(m, 4, &f->value);
    if (f->type == tg_wire_fixed64) return read_little_endian(m, 8, &f->value);
    uint64_t size;
    if (!read_varint(m, &size)) return false;
    if (size > m->size - m->at)
        return tg_proto_fail(m, f->at, "field %" PRIu32 " has %" PRIu64 " bytes, but only %zu are left", f->number,
                             size, m->size - m->at);
    f->at = m->at;
    f->bytes = m->bytes + m->at;
    f->size = (size_t)size;
    m->at += f->size;
    return true;
}

/* The fields up to the end of the group that has begun. */
static bool read_group(tg_Proto *m, tg_ProtoField *f) {
    uint32_t open[DEEPEST_GROUP] = {f->number};
    for (int depth = 1;;) {
        const size_t end = m->at;
        tg_ProtoField inner;
        if (m->at == m->size) return tg_proto_fail(m, f->at, "group %" PRIu32 " has no end", open[depth - 1]);
        if (!read_key(m, &inner)) return false;
        if (inner.type == tg_wire_group) {
            if (depth == DEEPEST_GROUP) return tg_proto_fail(m, end, "groups are more than 100 deep");
            open[depth++] = inner.number;
        } else if (inner.type == tg_wire_end_group) {
            if (inner.number != open[--depth])
                return tg_proto_fail(m, end, "the end of group %" PRIu32 " where group %" PRIu32 " is open",
                                     inner.number, open[depth]);
            if (depth > 0) continue;
            f->bytes = m->bytes + f->at;
            f->size = end - f->at;
            return true;
        } else if (!read_value(m, &inner)) {
            return false;
        }
    }
}

bool tg_proto_next(tg_Proto *m, tg_ProtoField *f) {
    const size_t begin = m->at;
    *f = (tg_ProtoField){0};
    if (m->failed || m->at == m->size || !read_key(m, f)) return false;
    if (f->type == tg_wire_end_group)
        return tg_proto_fail(m, begin, "the end of group %" PRIu32 ", which was not begun", f->number);
    return f->type == tg_wire_group ? read_group(m, f) : read_value(m, f);
}

static bool check_type(tg_Proto *m, const tg_ProtoField *f, tg_WireType type) {
    static const char *const names[] = {"a varint", "a fixed64", "bytes", "a group", "the end of a group", "a fixed32"};
    if (m->failed) return false;
    if (f->type == type) return true;
    return tg_proto_fail(m, f->at, "field %" PRIu32 " is %s, expected %s", f->number, names[f->type], names[type]);
}

uint64_t tg_proto_get_varint(tg_Proto *m, const tg_ProtoField *f) {
    return check_type(m, f, tg_wire_varint) ? f->value : 0;
}

int64_t tg_proto_get_sint(tg_Proto *m, const tg_ProtoField *f) {
    return tg_unzigzag(tg_proto_get_varint(m, f));
}

uint32_t tg_proto_get_fixed32(tg_Proto *m, const tg_ProtoField *f) {
    return check_type(m, f, tg_wire_fixed32) ? (uint32_t)f->value : 0;
}

uint64_t tg_proto_get_fixed64(tg_Proto *m, const tg_ProtoField *f) {
    return check_type(m, f, tg_wire_fixed64) ? f->value : 0;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float tg_proto_get_float(tg_Proto *m, const tg_ProtoField *f) {
    return float_of(tg_proto_get_fixed32(m, f));
}

double tg_proto_get_double(tg_Proto *m, const tg_ProtoField *f) {
    return double_of(tg_proto_get_fixed64(m, f));
}

bool tg_proto_get_bytes(tg_Proto *m, const tg_ProtoField *f) {
    return check_type(m, f, tg_wire_bytes);
}

char *tg_proto_get_text(tg_Proto *m, const tg_ProtoField *f) {
    if (!tg_proto_get_bytes(m, f)) return NULL;
    char *text = tg_file_calls.realloc(NULL, f->size + 1);
    if (!text) {
        tg_proto_fail(m, f->at, "out of memory for %zu bytes", f->size + 1);
        return NULL;
    }
    if (f->size) memcpy(text, f->bytes, f->size);
    text[f->size] = '\0';
    const size_t valid = tg_utf8_valid(text, f->size);
    const bool has_zero = memchr(text, 0, f->size) != NULL;
    if (valid == f->size && !has_zero) return text;
    tg_proto_fail(m, f->at + (has_zero ? strlen(text) : valid), "the text of field %" PRIu32 " %s", f->number,
                  has_zero ? "contains a zero byte" : "is not UTF-8");
    free(text);
    return NULL;
}

tg_Proto tg_proto_message(tg_Proto *m, const tg_ProtoField *f) {
    const bool is_group = f->type == tg_wire_group;
    if (!is_group) check_type(m, f, tg_wire_bytes);
    return (tg_Proto){.name = m->name,
                      .bytes = f->bytes,
                      .size = m->failed ? 0 : f->size,
                      .base = m->base + f->at,
                      .outer = m,
                      .failed = m->failed};
}

tg_Proto tg_proto_repeated(tg_Proto *m, const tg_ProtoField *f, tg_WireType type) {
    if (f->type == tg_wire_bytes) return tg_proto_message(m, f);
    check_type(m, f, type);
    const size_t size = m->failed ? 0 : m->at - f->at; /* the field is the last one that was read */
    return (tg_Proto){.name = m->name,
                      .bytes = m->bytes + f->at,
                      .size = size,
                      .base = m->base + f->at,
                      .outer = m,
                      .failed = m->failed};
}

bool tg_proto_more(const tg_Proto *values) {
    return !values->failed && values->at < values->size;
}

uint64_t tg_proto_read_varint(tg_Proto *values) {
    uint64_t value;
    return !values->failed && read_varint(values, &value) ? value : 0;
}

uint32_t tg_proto_read_fixed32(tg_Proto *values) {
    uint64_t value;
    return !values->failed && read_little_endian(values, 4, &value) ? (uint32_t)value : 0;
}

uint64_t tg_proto_read_fixed64(tg_Proto *values) {
    uint64_t value;
    return !values->failed && read_little_endian(values, 8, &value) ? value : 0;
}

float tg_proto_read_float(tg_Proto *values) {
    return float_of(tg_proto_read_fixed32(values));
}

double tg_proto_read_double(tg_Proto *values) {
    return double_of(tg_proto_read_fixed64(values));
}
