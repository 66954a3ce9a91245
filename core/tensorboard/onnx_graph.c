/* core/tensorboard/onnx_graph.c: SummaryWriter.add_onnx_graph: the graph of an ONNX file as a GraphDef.
 *
 * A node's attributes are texts, as torch.utils.tensorboard makes them with Python's str: numbers and bytes are
 * Python's literals, messages (tensors, graphs) are in protobuf's text format, whose fields come in the order of their
 * numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/utf8.h"
#include "core/tensor/c_locale.h"
#include "core/tensorboard/event_internal.h"

/* ---- the messages that an attribute may have ---- https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */

typedef enum Type {
    a_double,
    a_float,
    an_int,
    an_unsigned,
    an_attribute_type,
    a_data_location,
    a_text,
    bytes,
    a_message
} Type;

typedef enum Kind {
    kind_attribute,
    kind_tensor,
    kind_tensor_segment,
    kind_string_string_entry,
    kind_graph,
    kind_node,
    kind_node_device_configuration,
    kind_sharding_spec,
    kind_int_int_list_entry,
    kind_sharded_dim,
    kind_simple_sharded_dim,
    kind_sparse_tensor,
    kind_value_info,
    kind_type,
    kind_type_tensor,
    kind_tensor_shape,
    kind_tensor_shape_dimension,
    kind_type_sequence,
    kind_type_map,
    kind_type_optional,
    kind_type_sparse_tensor,
    kind_type_opaque,
    kind_tensor_annotation,
    KINDS
} Kind;

typedef struct Field {
    uint32_t number;
    const char *name;
    Type type;
    bool is_repeated;
    Kind kind; /* of a message */
} Field;

static const Field attribute_fields[] = {{1, "name", a_text, false, 0},
                                         {2, "f", a_float, false, 0},
                                         {3, "i", an_int, false, 0},
                                         {4, "s", bytes, false, 0},
                                         {5, "t", a_message, false, kind_tensor},
                                         {6, "g", a_message, false, kind_graph},
                                         {7, "floats", a_float, true, 0},
                                         {8, "ints", an_int, true, 0},
                                         {9, "strings", bytes, true, 0},
                                         {10, "tensors", a_message, true, kind_tensor},
                                         {11, "graphs", a_message, true, kind_graph},
                                         {13, "doc_string", a_text, false, 0},
                                         {14, "tp", a_message, false, kind_type},
                                         {15, "type_protos", a_message, true, kind_type},
                                         {20, "type", an_attribute_type, false, 0},
                                         {21, "ref_attr_name", a_text, false, 0},
                                         {22, "sparse_tensor", a_message, false, kind_sparse_tensor},
                                         {23, "sparse_tensors", a_message, true, kind_sparse_tensor},
                                         {0}};
static const Field tensor_fields[] = {{1, "dims", an_int, true, 0},
                                      {2, "data_type", an_int, false, 0},
                                      {3, "segment", a_message, false, kind_tensor_segment},
                                      {4, "float_data", a_float, true, 0},
                                      {5, "int32_data", an_int, true, 0},
                                      {6, "string_data", bytes, true, 0},
                                      {7, "int64_data", an_int, true, 0},
                                      {8, "name", a_text, false, 0},
                                      {9, "raw_data", bytes, false, 0},
                                      {10, "double_data", a_double, true, 0},
                                      {11, "uint64_data", an_unsigned, true, 0},
                                      {12, "doc_string", a_text, false, 0},
                                      {13, "external_data", a_message, true, kind_string_string_entry},
                                      {14, "data_location", a_data_location, false, 0},
                                      {16, "metadata_props", a_message, true, kind_string_string_entry},
                                      {0}};
static const Field tensor_segment_fields[] = {{1, "begin", an_int, false, 0}, {2, "end", an_int, false, 0}, {0}};
static const Field string_string_entry_fields[] = {{1, "key", a_text, false, 0}, {2, "value", a_text, false, 0}, {0}};
static const Field graph_fields[] = {{1, "node", a_message, true, kind_node},
                                     {2, "name", a_text, false, 0},
                                     {5, "initializer", a_message, true, kind_tensor},
                                     {10, "doc_string", a_text, false, 0},
                                     {11, "input", a_message, true, kind_value_info},
                                     {12, "output", a_message, true, kind_value_info},
                                     {13, "value_info", a_message, true, kind_value_info},
                                     {14, "quantization_annotation", a_message, true, kind_tensor_annotation},
                                     {15, "sparse_initializer", a_message, true, kind_sparse_tensor},
                                     {16, "metadata_props", a_message, true, kind_string_string_entry},
                                     {0}};
static const Field node_fields[] = {{1, "input", a_text, true, 0},
                                    {2, "output", a_text, true, 0},
                                    {3, "name", a_text, false, 0},
                                    {4, "op_type", a_text, false, 0},
                                    {5, "attribute", a_message, true, kind_attribute},
                                    {6, "doc_string", a_text, false, 0},
                                    {7, "domain", a_text, false, 0},
                                    {8, "overload", a_text, false, 0},
                                    {9, "metadata_props", a_message, true, kind_string_string_entry},
                                    {10, "device_configurations", a_message, true, kind_node_device_configuration},
                                    {0}};
static const Field node_device_configuration_fields[] = {{1, "configuration_id", a_text, false, 0},
                                                         {2, "sharding_spec", a_message, true, kind_sharding_spec},
                                                         {3, "pipeline_stage", an_int, false, 0},
                                                         {0}};
static const Field sharding_spec_fields[] = {{1, "tensor_name", a_text, false, 0},
                                             {2, "device", an_int, true, 0},
                                             {3, "index_to_device_group_map", a_message, true, kind_int_int_list_entry},
                                             {4, "sharded_dim", a_message, true, kind_sharded_dim},
                                             {0}};
static const Field int_int_list_entry_fields[] = {{1, "key", an_int, false, 0}, {2, "value", an_int, true, 0}, {0}};
static const Field sharded_dim_fields[] = {
    {1, "axis", an_int, false, 0}, {2, "simple_sharding", a_message, true, kind_simple_sharded_dim}, {0}};
static const Field simple_sharded_dim_fields[] = {
    {1, "dim_value", an_int, false, 0}, {2, "dim_param", a_text, false, 0}, {3, "num_shards", an_int, false, 0}, {0}};
static const Field sparse_tensor_fields[] = {{1, "values", a_message, false, kind_tensor},
                                             {2, "indices", a_message, false, kind_tensor},
                                             {3, "dims", an_int, true, 0},
                                             {0}};
static const Field value_info_fields[] = {{1, "name", a_text, false, 0},
                                          {2, "type", a_message, false, kind_type},
                                          {3, "doc_string", a_text, false, 0},
                                          {4, "metadata_props", a_message, true, kind_string_string_entry},
                                          {0}};
static const Field type_fields[] = {{1, "tensor_type", a_message, false, kind_type_tensor},
                                    {4, "sequence_type", a_message, false, kind_type_sequence},
                                    {5, "map_type", a_message, false, kind_type_map},
                                    {6, "denotation", a_text, false, 0},
                                    {7, "opaque_type", a_message, false, kind_type_opaque},
                                    {8, "sparse_tensor_type", a_message, false, kind_type_sparse_tensor},
                                    {9, "optional_type", a_message, false, kind_type_optional},
                                    {0}};
static const Field type_tensor_fields[] = {
    {1, "elem_type", an_int, false, 0}, {2, "shape", a_message, false, kind_tensor_shape}, {0}};
static const Field tensor_shape_fields[] = {{1, "dim", a_message, true, kind_tensor_shape_dimension}, {0}};
static const Field tensor_shape_dimension_fields[] = {
    {1, "dim_value", an_int, false, 0}, {2, "dim_param", a_text, false, 0}, {3, "denotation", a_text, false, 0}, {0}};
static const Field type_sequence_fields[] = {{1, "elem_type", a_message, false, kind_type}, {0}};
static const Field type_map_fields[] = {
    {1, "key_type", an_int, false, 0}, {2, "value_type", a_message, false, kind_type}, {0}};
static const Field type_optional_fields[] = {{1, "elem_type", a_message, false, kind_type}, {0}};
static const Field type_sparse_tensor_fields[] = {
    {1, "elem_type", an_int, false, 0}, {2, "shape", a_message, false, kind_tensor_shape}, {0}};
static const Field type_opaque_fields[] = {{1, "domain", a_text, false, 0}, {2, "name", a_text, false, 0}, {0}};
static const Field tensor_annotation_fields[] = {
    {1, "tensor_name", a_text, false, 0},
    {2, "quant_parameter_tensor_names", a_message, true, kind_string_string_entry},
    {0}};
static const Field *const schema[KINDS] = {
    [kind_attribute] = attribute_fields,
    [kind_tensor] = tensor_fields,
    [kind_tensor_segment] = tensor_segment_fields,
    [kind_string_string_entry] = string_string_entry_fields,
    [kind_graph] = graph_fields,
    [kind_node] = node_fields,
    [kind_node_device_configuration] = node_device_configuration_fields,
    [kind_sharding_spec] = sharding_spec_fields,
    [kind_int_int_list_entry] = int_int_list_entry_fields,
    [kind_sharded_dim] = sharded_dim_fields,
    [kind_simple_sharded_dim] = simple_sharded_dim_fields,
    [kind_sparse_tensor] = sparse_tensor_fields,
    [kind_value_info] = value_info_fields,
    [kind_type] = type_fields,
    [kind_type_tensor] = type_tensor_fields,
    [kind_tensor_shape] = tensor_shape_fields,
    [kind_tensor_shape_dimension] = tensor_shape_dimension_fields,
    [kind_type_sequence] = type_sequence_fields,
    [kind_type_map] = type_map_fields,
    [kind_type_optional] = type_optional_fields,
    [kind_type_sparse_tensor] = type_sparse_tensor_fields,
    [kind_type_opaque] = type_opaque_fields,
    [kind_tensor_annotation] = tensor_annotation_fields,
};

static const char *const attribute_types[] = {
    "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
    "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
static const char *const data_locations[] = {"DEFAULT", "EXTERNAL"};

/* The name of a value of an enum; NULL for other values, and of fields that have no enum. */
static const char *word_of(Type type, uint64_t value) {
    enum {
        ATTRIBUTE_TYPES = sizeof attribute_types / sizeof *attribute_types,
        DATA_LOCATIONS = sizeof data_locations / sizeof *data_locations
    };
    if (type == an_attribute_type && value < ATTRIBUTE_TYPES) return attribute_types[value];
    if (type == a_data_location && value < DATA_LOCATIONS) return data_locations[value];
    return NULL;
}
static bool is_enum(Type type) {
    return type == an_attribute_type || type == a_data_location;
}

enum { DEEPEST = 100 }; /* protobuf's limit */

/* ---- fields of a message ---- */

/* The message from its first field on; an error marks the message too. */
static tg_Proto scan_of(tg_Proto *message) {
    tg_Proto scan = *message;
    scan.outer = message;
    return scan;
}

/* The field has no value: it is packed without elements, or protobuf does not know this one of its enum. */
static bool is_nothing(const Field *field, const tg_ProtoField *f) {
    if (f->type == tg_wire_varint) return is_enum(field->type) && !word_of(field->type, f->value);
    return f->type == tg_wire_bytes && f->size == 0 && field->is_repeated && field->type < a_text;
}

/* The next value of a field; of one that is not repeated, but occurs twice, the last value. */
static bool next_value(tg_Proto *scan, const Field *field, tg_ProtoField *value) {
    size_t behind = 0; /* 0: there is none */
    for (tg_ProtoField f; tg_proto_next(scan, &f);) {
        if (f.number != field->number || is_nothing(field, &f)) continue;
        *value = f;
        if (field->is_repeated) return true;
        behind = scan->at;
    }
    if (scan->failed || behind == 0) return false;
    scan->at = behind;
    return true;
}

/* The last field of that number in a message, or an empty one. */
static tg_Proto child(tg_Proto *message, uint32_t number) {
    tg_Proto scan = scan_of(message), found = tg_proto_of(message->name, "", 0, 0);
    for (tg_ProtoField f; tg_proto_next(&scan, &f);)
        if (f.number == number) found = tg_proto_message(&scan, &f);
    found.outer = message;
    return found;
}

/* ---- values as texts ---- */

/* As protobuf's text format: 6 or 15 digits if they are enough, else 9 or 17. */
static void put_number(tg_Output *out, double value, bool is_float) {
    char text[40];
    tg_c_snprintf(text, sizeof text, "%.*g", is_float ? 6 : 15, value);
    const tg_CLocale locale = tg_c_locale_begin();
    const double again = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    tg_c_locale_end(locale);
    if (again != value) tg_c_snprintf(text, sizeof text, "%.*g", is_float ? 9 : 17, value);
    tg_output_text(out, isnan(value) ? "nan" : text);
}

static size_t valid_utf8(const uint8_t *at, const uint8_t *end) {
    return tg_utf8_valid((const char *)at, (size_t)(end - at));
}

/* Of a text the bytes that are no UTF-8 are escaped, of other bytes all from 128 on. */
static void put_escaped(tg_Output *out, const uint8_t *at, size_t size, bool is_text) {
    const uint8_t *const end = at + size, *valid = at; /* from `at` to there it is UTF-8 */
    for (; at < end; at++) {
        if (is_text && at >= valid) valid = at + valid_utf8(at, end);
        const char *escape = *at == '\n'   ? "\\n"
                             : *at == '\r' ? "\\r"
                             : *at == '\t' ? "\\t"
                             : *at == '"'  ? "\\\""
                             : *at == '\'' ? "\\'"
                             : *at == '\\' ? "\\\\"
                                           : NULL;
        if (escape)
            tg_output_text(out, escape);
        else if (*at < ' ' || *at == 0x7f || (*at > 0x7f && at >= valid))
            tg_output_print(out, "\\%03o", *at);
        else
            tg_output_write(out, at, 1);
    }
}

/* Python's repr of bytes. */
static void put_bytes_repr(tg_Output *out, const uint8_t *at, size_t size) {
    const char quote = size && memchr(at, '\'', size) && !memchr(at, '"', size) ? '"' : '\'';
    tg_output_print(out, "b%c", quote);
    for (const uint8_t *end = at + size; at < end; at++) {
        const char *escape = *at == '\n'   ? "\\n"
                             : *at == '\r' ? "\\r"
                             : *at == '\t' ? "\\t"
                             : *at == '\\' ? "\\\\"
                                           : NULL;
        if (escape)
            tg_output_text(out, escape);
        else if (*at < ' ' || *at >= 0x7f)
            tg_output_print(out, "\\x%02x", *at);
        else
            tg_output_print(out, *at == (uint8_t)quote ? "\\%c" : "%c", *at);
    }
    tg_output_print(out, "%c", quote);
}

/* str(text), which is that of bytes for what is no UTF-8. */
static void put_text(tg_Output *out, const uint8_t *at, size_t size) {
    if (size == 0) return; /* of a field that is not there `at` is NULL */
    if (valid_utf8(at, at + size) == size)
        tg_output_write(out, at, size);
    else
        put_bytes_repr(out, at, size);
}

/* ---- protobuf's text format ---- */

static bool put_message(tg_Output *out, tg_Proto *message, Kind kind, int depth);

static tg_WireType wire_type(Type type) {
    return type == a_double ? tg_wire_fixed64 : type == a_float ? tg_wire_fixed32 : tg_wire_varint;
}

/* A number of a field that is packed or not; python: as Python's repr. */
static void put_value(tg_Output *out, tg_Proto *values, const Field *field, bool python) {
    if (field->type == a_double || field->type == a_float) {
        const double value =
            field->type == a_double ? tg_proto_read_double(values) : (double)tg_proto_read_float(values);
        if (python)
            tg_output_text(out, tg_number_text(value));
        else
            put_number(out, value, field->type == a_float);
        return;
    }
    const uint64_t value = tg_proto_read_varint(values);
    const char *word = python ? NULL : word_of(field->type, value);
    if (word)
        tg_output_text(out, word);
    else if (field->type == an_unsigned)
        tg_output_print(out, "%" PRIu64, value);
    else
        tg_output_print(out, "%" PRId64, (int64_t)value);
}

/* The occurrence of a field in its text format, with its name. */
static bool put_field(tg_Output *out, tg_Proto *message, const tg_ProtoField *f, const Field *field, int depth) {
    const int indent = 2 * depth;
    if (field->type == a_message) {
        tg_Proto inner = tg_proto_message(message, f);
        tg_output_print(out, "%*s%s {\n", indent, "", field->name);
        if (!put_message(out, &inner, field->kind, depth + 1)) return false;
        tg_output_print(out, "%*s}\n", indent, "");
    } else if (field->type == a_text || field->type == bytes) {
        if (!tg_proto_get_bytes(message, f)) return false;
        tg_output_print(out, "%*s%s: \"", indent, "", field->name);
        put_escaped(out, f->bytes, f->size, field->type == a_text);
        tg_output_text(out, "\"\n");
    } else {
        for (tg_Proto values = tg_proto_repeated(message, f, wire_type(field->type)); tg_proto_more(&values);) {
            tg_output_print(out, "%*s%s: ", indent, "", field->name);
            put_value(out, &values, field, false);
            tg_output_text(out, "\n");
        }
    }
    return !message->failed;
}

static bool put_message(tg_Output *out, tg_Proto *message, Kind kind, int depth) {
    if (depth > DEEPEST) return tg_proto_fail(message, 0, "messages are nested more than %d deep", DEEPEST);
    for (const Field *field = schema[kind]; field->number; field++) {
        tg_Proto scan = scan_of(message);
        for (tg_ProtoField f; next_value(&scan, field, &f);)
            if (!put_field(out, &scan, &f, field, depth)) return false;
        if (scan.failed) return false;
    }
    return !message->failed;
}

/* ---- Python's str of an attribute's fields ---- */

/* onnx's own repr of a graph in a list: its name, and how many of each part there are. */
static bool put_graph_repr(tg_Output *out, tg_Proto *graph) {
    static const struct {
        uint32_t number;
        const char *name, *of;
    } parts[] = {{11, "input", "inputs"},
                 {12, "output", "outputs"},
                 {5, "initializer", "initializers"},
                 {1, "node", "nodes"},
                 {13, "value_info", "value_info"}};
    const tg_Proto name = child(graph, 2);
    tg_output_text(out, "GraphProto('");
    put_text(out, name.bytes, name.size);
    tg_output_text(out, "'");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        tg_Proto scan = scan_of(graph);
        int64_t count = 0;
        for (tg_ProtoField f; tg_proto_next(&scan, &f);)
            count += f.number == parts[i].number && tg_proto_get_bytes(&scan, &f);
        if (count) tg_output_print(out, ", %s=<%" PRId64 " %s>", parts[i].name, count, parts[i].of);
    }
    tg_output_text(out, ")");
    return !graph->failed;
}

/* str(value) of one occurrence; of a list its values, with ", " between them. */
static bool put_python(tg_Output *out, tg_Proto *attribute, const tg_ProtoField *f, const Field *field,
                       bool *is_first) {
    const char *between = *is_first ? "" : ", ";
    *is_first = false;
    if (field->type == a_message) {
        tg_Proto inner = tg_proto_message(attribute, f);
        tg_output_text(out, between);
        if (field->is_repeated && field->kind == kind_graph) return put_graph_repr(out, &inner);
        return put_message(out, &inner, field->kind, 0);
    }
    if (field->type == a_text || field->type == bytes) {
        if (!tg_proto_get_bytes(attribute, f)) return false;
        tg_output_text(out, between);
        if (field->type == a_text)
            put_text(out, f->bytes, f->size);
        else
            put_bytes_repr(out, f->bytes, f->size);
        return true;
    }
    for (tg_Proto values = tg_proto_repeated(attribute, f, wire_type(field->type)); tg_proto_more(&values);) {
        tg_output_text(out, between);
        between = ", ";
        put_value(out, &values, field, true);
    }
    return !attribute->failed;
}

/* The fields that are there, in the order of their numbers, with " = " between them. */
static bool put_attribute(tg_Output *out, tg_Proto *attribute) {
    const char *equals = "";
    for (const Field *field = schema[kind_attribute]; field->number; field++) {
        tg_Proto scan = scan_of(attribute);
        bool is_first = true;
        for (tg_ProtoField f; next_value(&scan, field, &f);) {
            if (is_first) tg_output_print(out, "%s%s", equals, field->is_repeated ? "[" : "");
            equals = " = ";
            if (!put_python(out, &scan, &f, field, &is_first)) return false;
        }
        if (scan.failed) return false;
        if (!is_first && field->is_repeated) tg_output_text(out, "]");
    }
    return true;
}

/* ---- nodes ---- */

enum NodeDefField { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_ATTR = 5 };
enum AttrValueField { ATTR_S = 2, ATTR_TYPE = 6, ATTR_SHAPE = 7 };

/* A text as it is; nothing for an empty one, which proto3 leaves out. Error: it is not UTF-8. */
static bool put_same(tg_Output *out, uint32_t number, tg_Proto *message, const tg_ProtoField *f, bool leaves_out) {
    if (!tg_proto_get_bytes(message, f)) return false;
    const size_t valid = valid_utf8(f->bytes, f->bytes + f->size);
    if (valid < f->size)
        return tg_proto_fail(message, f->at + valid, "the text of field %" PRIu32 " is not UTF-8", f->number);
    if (f->size || !leaves_out) tg_proto_bytes(out, number, f->bytes, f->size);
    return true;
}

/* An input or output of the graph. */
static bool put_variable(tg_Output *out, tg_Proto *info) {
    const size_t node = tg_proto_begin(out, 1);
    tg_Proto type = child(info, 2), tensor = child(&type, 1), shape = child(&tensor, 2), scan = scan_of(info);
    tg_ProtoField name = {0};
    while (tg_proto_next(&scan, &name))
        if (name.number == 1 && !put_same(out, NODE_NAME, &scan, &name, true)) return false;
    tg_proto_text(out, NODE_OP, "Variable");
    uint64_t elem_type = 0;
    for (tg_ProtoField f; tg_proto_next(&tensor, &f);)
        if (f.number == 1) elem_type = tg_proto_get_varint(&tensor, &f);
    size_t attr = tg_proto_begin(out, NODE_ATTR);
    tg_proto_text(out, 1, "dtype");
    size_t value = tg_proto_begin(out, 2);
    tg_proto_varint(out, ATTR_TYPE, elem_type);
    tg_proto_end(out, value);
    tg_proto_end(out, attr);
    attr = tg_proto_begin(out, NODE_ATTR);
    tg_proto_text(out, 1, "shape");
    value = tg_proto_begin(out, 2);
    const size_t dims = tg_proto_begin(out, ATTR_SHAPE);
    for (tg_ProtoField f; tg_proto_next(&shape, &f);) {
        if (f.number != 1) continue;
        tg_Proto dim = tg_proto_message(&shape, &f);
        uint64_t size = 0;
        for (tg_ProtoField d; tg_proto_next(&dim, &d);)
            size = d.number == 1 ? tg_proto_get_varint(&dim, &d) : d.number == 2 ? 0 : size;
        const size_t to = tg_proto_begin(out, 2);
        if (size) tg_proto_varint(out, 1, size);
        tg_proto_end(out, to);
    }
    tg_proto_end(out, dims);
    tg_proto_end(out, value);
    tg_proto_end(out, attr);
    tg_proto_end(out, node);
    return !info->failed;
}

static bool put_node(tg_Output *out, tg_Proto *node) {
    enum { INPUT = 1, OUTPUT = 2, OP_TYPE = 4, ATTRIBUTE = 5 };
    static const struct {
        uint32_t from, to;
    } fields[] = {{OUTPUT, NODE_NAME}, {OP_TYPE, NODE_OP}, {INPUT, NODE_INPUT}};
    const size_t begin = tg_proto_begin(out, 1);
    for (int i = 0; i < 3; i++) {
        tg_Proto scan = scan_of(node);
        int64_t count = 0;
        for (tg_ProtoField f; tg_proto_next(&scan, &f);) {
            if (f.number != fields[i].from || (i == 0 && count)) continue;
            if (!put_same(out, fields[i].to, &scan, &f, i < 2)) return false;
            count++;
        }
        if (scan.failed) return false;
        if (i == 0 && !count) return tg_proto_fail(node, 0, "a node has no output: list index (0) out of range");
    }
    const size_t attr = tg_proto_begin(out, NODE_ATTR);
    tg_proto_text(out, 1, "parameters");
    const size_t value = tg_proto_begin(out, 2), text = tg_proto_begin(out, ATTR_S);
    const char *between = "";
    for (tg_ProtoField f; tg_proto_next(node, &f);) {
        if (f.number != ATTRIBUTE) continue;
        tg_Proto attribute = tg_proto_message(node, &f);
        tg_output_text(out, between);
        between = ", ";
        if (!put_attribute(out, &attribute)) return false;
    }
    tg_proto_end(out, text);
    tg_proto_end(out, value);
    tg_proto_end(out, attr);
    tg_proto_end(out, begin);
    return !node->failed;
}

bool tg_put_onnx_graph(tg_Output *out, tg_Proto *model) {
    enum { GRAPH = 7, NODE = 1, INPUT = 11, OUTPUT = 12 };
    static const uint32_t order[] = {INPUT, OUTPUT, NODE};
    tg_Proto graph = child(model, GRAPH);
    for (int i = 0; i < 3; i++) {
        tg_Proto scan = scan_of(&graph);
        for (tg_ProtoField f; tg_proto_next(&scan, &f);) {
            if (f.number != order[i]) continue;
            tg_Proto inner = tg_proto_message(&scan, &f);
            if (order[i] == NODE ? !put_node(out, &inner) : !put_variable(out, &inner)) return false;
        }
        if (scan.failed) return false;
    }
    const size_t versions = tg_proto_begin(out, 4);
    tg_proto_varint(out, 1, 22); /* torch.utils.tensorboard's producer */
    tg_proto_end(out, versions);
    return !model->failed;
}

/* ---- public ---- */

bool tensorboard_add_onnx_graph(tensorboard_SummaryWriter *self, const char *prototxt) {
    tg_EventFile *file = tg_writer_file(self);
    tg_Input in;
    if (!file || !tg_check_given(prototxt != NULL, 2, "a path") || !tg_input_open(&in, prototxt)) return false;
    void *model = tg_alloc_raw(in.size + 1); /* an empty file has a block too */
    tg_Output event;
    tg_event_begin(&event, 0, T_NONE);
    bool ok = model && tg_input_read(&in, 0, model, in.size);
    if (ok) {
        tg_Proto message = tg_proto_of(prototxt, model, in.size, 0);
        const size_t graph = tg_proto_begin(&event, EVENT_GRAPH_DEF);
        ok = tg_put_onnx_graph(&event, &message);
        tg_proto_end(&event, graph);
    }
    tg_free(model, in.size + 1);
    tg_input_close(&in);
    return tg_event_file_add(file, &event, ok);
}
