/* core/io/protobuf.h: the wire format of Protocol Buffers, which ONNX models and TensorBoard's events are written in
 * (internal). Source: https://protobuf.dev/programming-guides/encoding.
 *
 * A message is a sequence of fields; each begins with a varint of its number and wire type, number * 8 + type:
 *
 *     type             value                                       types of a .proto file
 *     0 varint         7 bits a byte, the low ones first; the      int32 int64 uint32 uint64 bool enum,
 *                      top bit says that another byte follows      and sint32 sint64 by zigzag
 *     1 fixed64        8 bytes, little-endian                      fixed64 sfixed64 double
 *     2 bytes          a varint of the size, that many bytes       string bytes, messages, packed repeated fields
 *     3, 4 group       fields up to the end of the group           (deprecated)
 *     5 fixed32        4 bytes, little-endian                      fixed32 sfixed32 float
 *
 * Writers write each field they are told to: that proto3 leaves out a field with its default value is the caller's
 * business. Numbers of fields are from 1 to 2^29 - 1. */
#ifndef TAPEGRAD_CORE_IO_PROTOBUF_H
#define TAPEGRAD_CORE_IO_PROTOBUF_H

#include "core/io/file.h"

typedef enum tg_WireType {
    tg_wire_varint = 0,
    tg_wire_fixed64 = 1,
    tg_wire_bytes = 2,
    tg_wire_group = 3,
    tg_wire_end_group = 4, /* never that of a field */
    tg_wire_fixed32 = 5
} tg_WireType;

/* (n << 1) ^ (n >> 63): 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
static inline uint64_t tg_zigzag(int64_t n) {
    return ((uint64_t)n << 1) ^ (n < 0 ? UINT64_MAX : 0);
}
static inline int64_t tg_unzigzag(uint64_t n) {
    return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

/* ---- writing ---- To a file or to memory. Errors are kept until tg_output_commit or tg_output_take, so that a writer
 * need not check each call. */

bool tg_proto_varint(tg_Output *out, uint32_t field, uint64_t value); /* a negative int32 or int64: its int64's bits */
bool tg_proto_sint(tg_Output *out, uint32_t field, int64_t value);    /* sint32, sint64 */
bool tg_proto_fixed32(tg_Output *out, uint32_t field, uint32_t value);
bool tg_proto_fixed64(tg_Output *out, uint32_t field, uint64_t value);
bool tg_proto_float(tg_Output *out, uint32_t field, float value);
bool tg_proto_double(tg_Output *out, uint32_t field, double value);
bool tg_proto_bytes(tg_Output *out, uint32_t field, const void *bytes, size_t size);
bool tg_proto_text(tg_Output *out, uint32_t field, const char *text);
/* Packed repeated fields; nothing for no values, as protobuf's writers do. */
bool tg_proto_packed_varints(tg_Output *out, uint32_t field, const int64_t *values, size_t count);
bool tg_proto_packed_floats(tg_Output *out, uint32_t field, const float *values, size_t count);
bool tg_proto_packed_doubles(tg_Output *out, uint32_t field, const double *values, size_t count);

/* The beginning of `size` bytes, which the caller writes next: for what is too large for memory. */
bool tg_proto_length(tg_Output *out, uint32_t field, uint64_t size);
/* A nested message, in memory: begin returns where it begins, the caller writes its fields, and end puts its size in
 * front.
 *
 *     size_t node = tg_proto_begin(out, 1);
 *     tg_proto_text(out, 4, "Relu");
 *     tg_proto_end(out, node); */
size_t tg_proto_begin(tg_Output *out, uint32_t field);
bool tg_proto_end(tg_Output *out, size_t begin);
/* A varint without a field's number: for packed fields, between tg_proto_begin and tg_proto_end. */
bool tg_proto_raw_varint(tg_Output *out, uint64_t value);
/* The number of bytes of a varint, 1 to 10. */
int tg_varint_size(uint64_t value);

/* ---- reading ---- From memory, without allocations. The first error ("model.onnx: byte 17: a varint is longer than 10
 * bytes") marks the message and those around it as failed; after that all functions return false or 0.
 *
 *     for (tg_ProtoField f; tg_proto_next(&message, &f);) {
 *         if (f.number == 1) step = (int64_t)tg_proto_get_varint(&message, &f);
 *         else if (f.number == 5) { tg_Proto summary = tg_proto_message(&message, &f); ... }
 *     }                                                 // fields of other numbers are skipped
 *     return !message.failed; */

typedef struct tg_Proto {
    const char *name; /* the file's, for messages */
    const uint8_t *bytes;
    size_t size, at;
    uint64_t base;          /* offset of the bytes in the file, for messages */
    struct tg_Proto *outer; /* the message around it; NULL for the outermost */
    bool failed;
} tg_Proto;

typedef struct tg_ProtoField {
    uint32_t number;
    tg_WireType type;
    uint64_t value;       /* of a varint; the bits of a fixed32 or fixed64 */
    const uint8_t *bytes; /* of bytes and groups: these point into the message */
    size_t size, at;      /* at: where in the message the value begins */
} tg_ProtoField;

tg_Proto tg_proto_of(const char *name, const void *bytes, size_t size, uint64_t base);
/* The next field; false at the end, or on an error. A group is returned as the bytes of its fields; groups within
 * groups may be 100 deep. */
bool tg_proto_next(tg_Proto *message, tg_ProtoField *field);
/* The value of the field. Error: it has another wire type. */
uint64_t tg_proto_get_varint(tg_Proto *message, const tg_ProtoField *field);
int64_t tg_proto_get_sint(tg_Proto *message, const tg_ProtoField *field);
uint32_t tg_proto_get_fixed32(tg_Proto *message, const tg_ProtoField *field);
uint64_t tg_proto_get_fixed64(tg_Proto *message, const tg_ProtoField *field);
float tg_proto_get_float(tg_Proto *message, const tg_ProtoField *field);
double tg_proto_get_double(tg_Proto *message, const tg_ProtoField *field);
bool tg_proto_get_bytes(tg_Proto *message, const tg_ProtoField *field); /* checks the type: see field->bytes, size */
/* A copy of a string, malloc'ed and zero-terminated, which the caller frees with free(). NULL on an error: not UTF-8,
 * with a zero byte in it, out of memory. */
char *tg_proto_get_text(tg_Proto *message, const tg_ProtoField *field);
/* A nested message. */
tg_Proto tg_proto_message(tg_Proto *message, const tg_ProtoField *field);
/* A repeated number: the values of a packed field, or the one value of a field that is not packed, since readers must
 * accept both.
 *
 *     for (tg_Proto values = tg_proto_repeated(&message, &f, tg_wire_fixed64); tg_proto_more(&values);)
 *         x = tg_proto_read_double(&values); */
tg_Proto tg_proto_repeated(tg_Proto *message, const tg_ProtoField *field, tg_WireType type);
bool tg_proto_more(const tg_Proto *values);
uint64_t tg_proto_read_varint(tg_Proto *values);
uint32_t tg_proto_read_fixed32(tg_Proto *values);
uint64_t tg_proto_read_fixed64(tg_Proto *values);
float tg_proto_read_float(tg_Proto *values);
double tg_proto_read_double(tg_Proto *values);
/* Sets the error "NAME: byte N: " and the text, and marks the message and those around it; returns false. at: in the
 * message. */
bool tg_proto_fail(tg_Proto *message, size_t at, const char *format, ...) T_PRINTF(3, 4);

#endif
