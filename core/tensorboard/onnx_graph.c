/* core/tensorboard/onnx_graph.c: SummaryWriter.add_onnx_graph: the graph of an ONNX file as a GraphDef.
 *
 * A node's attributes are texts, as torch.utils.tensorboard makes them with Python's str: numbers and bytes are
 * Python's literals, messages (tensors, graphs) are in protobuf's text format, whose fields come in the order of their
 * numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/c_locale.h"
#include "core/tensorboard/event_internal.h"

/* ---- the messages of onnx.proto that an attribute may have, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 * ---- */

typedef enum Type { a_double, a_float, an_int, an_unsigned, a_word, a_text, bytes, a_message } Type;

typedef struct Field {
    uint32_t number;
    const char *name;
    Type type;
    bool is_repeated;
    int kind; /* of a message */
} Field;

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
                                         {20, "type", a_word, false, 0},
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
                                      {14, "data_location", a_word, false, 0},
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
static const Field *const schema[KINDS] = {attribute_fields,
                                           tensor_fields,
                                           tensor_segment_fields,
                                           string_string_entry_fields,
                                           graph_fields,
                                           node_fields,
                                           node_device_configuration_fields,
                                           sharding_spec_fields,
                                           int_int_list_entry_fields,
                                           sharded_dim_fields,
                                           simple_sharded_dim_fields,
                                           sparse_tensor_fields,
                                           value_info_fields,
                                           type_fields,
                                           type_tensor_fields,
                                           tensor_shape_fields,
                                           tensor_shape_dimension_fields,
                                           type_sequence_fields,
                                           type_map_fields,
                                           type_optional_fields,
                                           type_sparse_tensor_fields,
                                           type_opaque_fields,
                                           tensor_annotation_fields};

static const char *const attribute_types[] = {
    "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
    "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
static const char *const data_locations[] = {"DEFAULT", "EXTERNAL"};
enum { DEEPEST = 100 }; /* protobuf's limit */

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

static void put_escaped(tg_Output *out, const uint8_t *at, size_t size, bool is_text) {
    for (const uint8_t *end = at + size; at < end; at++) {
        const char *escape = *at == '\n'   ? "\\n"
                             : *at == '\r' ? "\\r"
                             : *at == '\t' ? "\\t"
                             : *at == '"'  ? "\\\""
                             : *at == '\'' ? "\\'"
                             : *at == '\\' ? "\\\\"
                                           : NULL;
        if (escape)
            tg_output_text(out, escape);
        else if (*at < ' ' || *at == 0x7f || (*at > 0x7f && !is_text))
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

/* ---- protobuf's text format ---- */

static bool put_message(tg_Output *out, tg_Proto *message, Kind kind, int depth);

static tg_WireType wire_type(Type type) {
    return type == a_double ? tg_wire_fixed64 : type == a_float ? tg_wire_fixed32 : tg_wire_varint;
}

/* A number of a field that is packed or not; python: as Python's repr. */
static void put_value(tg_Output *out, tg_Proto *values, const Field *field, Kind kind, bool python) {
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
    const bool is_type = kind == kind_attribute;
    const size_t words =
        is_type ? sizeof attribute_types / sizeof *attribute_types : sizeof data_locations / sizeof *data_locations;
    if (field->type == a_word && value < words && !python)
        tg_output_text(out, is_type ? attribute_types[value] : data_locations[value]);
    else if (field->type == an_unsigned)
        tg_output_print(out, "%" PRIu64, value);
    else
        tg_output_print(out, "%" PRId64, (int64_t)value);
}

/* The occurrence of a field in its text format, with its name. */
static bool put_field(tg_Output *out, tg_Proto *message, const tg_ProtoField *f, const Field *field, Kind kind,
                      int depth) {
    const int indent = 2 * depth;
    if (field->type == a_message) {
        tg_Proto inner = tg_proto_message(message, f);
        tg_output_print(out, "%*s%s {\n", indent, "", field->name);
        if (!put_message(out, &inner, (Kind)field->kind, depth + 1)) return false;
        tg_output_print(out, "%*s}\n", indent, "");
    } else if (field->type == a_text || field->type == bytes) {
        if (!tg_proto_get_bytes(message, f)) return false;
        tg_output_print(out, "%*s%s: \"", indent, "", field->name);
        put_escaped(out, f->bytes, f->size, field->type == a_text);
        tg_output_text(out, "\"\n");
    } else {
        for (tg_Proto values = tg_proto_repeated(message, f, wire_type(field->type)); tg_proto_more(&values);) {
            tg_output_print(out, "%*s%s: ", indent, "", field->name);
            put_value(out, &values, field, kind, false);
            tg_output_text(out, "\n");
        }
    }
    return !message->failed;
}

static bool put_message(tg_Output *out, tg_Proto *message, Kind kind, int depth) {
    if (depth > DEEPEST) return tg_proto_fail(message, 0, "messages are nested more than %d deep", DEEPEST);
    for (const Field *field = schema[kind]; field->number; field++) {
        tg_Proto scan = *message;
        scan.outer = message;
        tg_ProtoField last = {0};
        tg_Proto behind = scan; /* behind the last value */
        for (tg_ProtoField f; tg_proto_next(&scan, &f);) {
            if (f.number != field->number) continue;
            last = f; /* of a field that occurs twice the last value counts */
            behind = scan;
            if (field->is_repeated && !put_field(out, &scan, &f, field, kind, depth)) return false;
        }
        if (scan.failed) return false;
        if (last.number && !field->is_repeated && !put_field(out, &behind, &last, field, kind, depth)) return false;
    }
    return !message->failed;
}

/* ---- Python's str of an attribute's fields ---- */

/* onnx's own repr of a graph in a list: its name, and how many of each there are. */
static bool put_graph_repr(tg_Output *out, tg_Proto *graph) {
    static const uint32_t parts[] = {2, 11, 12, 5, 1, 13};
    tg_output_text(out, "GraphProto('");
    for (int i = 0; i < 6; i++) {
        tg_Proto scan = *graph;
        scan.outer = graph;
        tg_ProtoField name = {0};
        int count = 0;
        for (tg_ProtoField f; tg_proto_next(&scan, &f);) {
            if (f.number != parts[i]) continue;
            if (!tg_proto_get_bytes(&scan, &f)) return false;
            name = f;
            count++;
        }
        if (scan.failed) return false;
        if (i == 0) {
            if (name.size) tg_output_write(out, name.bytes, name.size);
            tg_output_text(out, "'");
        } else if (count) {
            tg_output_print(out,
                            i == 1   ? ", input=<%d inputs>"
                            : i == 2 ? ", output=<%d outputs>"
                            : i == 3 ? ", initializer=<%d initializers>"
                            : i == 4 ? ", node=<%d nodes>"
                                     : ", value_info=<%d value_info>",
                            count);
        }
    }
    tg_output_text(out, ")");
    return true;
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
        return put_message(out, &inner, (Kind)field->kind, 0);
    }
    if (field->type == a_text || field->type == bytes) {
        if (!tg_proto_get_bytes(attribute, f)) return false;
        tg_output_text(out, between);
        if (field->type == a_text)
            tg_output_write(out, f->bytes, f->size);
        else
            put_bytes_repr(out, f->bytes, f->size);
        return true;
    }
    for (tg_Proto values = tg_proto_repeated(attribute, f, wire_type(field->type)); tg_proto_more(&values);) {
        tg_output_text(out, between);
        between = ", ";
        put_value(out, &values, field, kind_attribute, true);
    }
    return !attribute->failed;
}

/* The fields that are there, in the order of their numbers, with " = " between them. */
static bool put_attribute(tg_Output *out, tg_Proto *attribute) {
    static const uint32_t most = 23;
    const char *equals = "";
    for (uint32_t number = 1; number <= most; number++) {
        const Field *field = schema[kind_attribute];
        while (field->number && field->number != number) field++;
        if (!field->number) continue;
        tg_Proto scan = *attribute;
        scan.outer = attribute;
        tg_ProtoField last = {0};
        tg_Proto behind = scan;
        bool is_first = true;
        for (tg_ProtoField f; tg_proto_next(&scan, &f);) {
            if (f.number != number || (f.type == tg_wire_bytes && f.size == 0 && field->is_repeated &&
                                       field->type != bytes && field->type != a_message))
                continue;
            if (!last.number) {
                tg_output_text(out, equals);
                tg_output_text(out, field->is_repeated ? "[" : "");
                equals = " = ";
            }
            last = f;
            behind = scan;
            if (field->is_repeated && !put_python(out, &scan, &f, field, &is_first)) return false;
        }
        if (scan.failed) return false;
        if (last.number && !field->is_repeated && !put_python(out, &behind, &last, field, &is_first)) return false;
        if (last.number && field->is_repeated) tg_output_text(out, "]");
    }
    return true;
}

/* ---- nodes ---- */

enum NodeDefField { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_ATTR = 5 };
enum AttrValueField { ATTR_S = 2, ATTR_TYPE = 6, ATTR_SHAPE = 7 };

/* The last field of that number in a message, or an empty one. */
static tg_Proto child(tg_Proto *message, uint32_t number) {
    tg_Proto scan = *message, found = tg_proto_of(message->name, "", 0, 0);
    scan.outer = message;
    for (tg_ProtoField f; tg_proto_next(&scan, &f);)
        if (f.number == number) found = tg_proto_message(&scan, &f);
    found.outer = message;
    return found;
}

/* A field of bytes as it is; nothing for an empty one, which proto3 leaves out. */
static bool put_same(tg_Output *out, uint32_t number, tg_Proto *message, const tg_ProtoField *f, bool leaves_out) {
    if (!tg_proto_get_bytes(message, f)) return false;
    if (f->size || !leaves_out) tg_proto_bytes(out, number, f->bytes, f->size);
    return true;
}

/* An input or output of the graph. */
static bool put_variable(tg_Output *out, tg_Proto *info) {
    const size_t node = tg_proto_begin(out, 1);
    tg_Proto type = child(info, 2), tensor = child(&type, 1), shape = child(&tensor, 2), scan = *info;
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
    return !type.failed && !tensor.failed && !shape.failed && !scan.failed && !info->failed;
}

static bool put_node(tg_Output *out, tg_Proto *node) {
    enum { INPUT = 1, OUTPUT = 2, OP_TYPE = 4, ATTRIBUTE = 5 };
    static const struct {
        uint32_t from, to;
    } fields[] = {{OUTPUT, NODE_NAME}, {OP_TYPE, NODE_OP}, {INPUT, NODE_INPUT}};
    const size_t begin = tg_proto_begin(out, 1);
    for (int i = 0; i < 3; i++) {
        tg_Proto scan = *node;
        scan.outer = node;
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
        tg_Proto scan = graph;
        scan.outer = &graph;
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
    void *model = tg_alloc_raw(in.size + 1);
    tg_Output graph;
    tg_output_memory(&graph);
    bool ok = model && tg_input_read(&in, 0, model, in.size);
    if (ok) {
        tg_Proto message = tg_proto_of(prototxt, model, in.size, 0);
        ok = tg_put_onnx_graph(&graph, &message);
    }
    if (model) tg_free(model, in.size + 1);
    tg_input_close(&in);
    size_t size = 0;
    void *taken = tg_output_take(&graph, ok, &size);
    if (!taken) return false;
    tg_Output event;
    tg_event_begin(&event, 0, T_NONE);
    tg_proto_bytes(&event, EVENT_GRAPH_DEF, taken, size);
    free(taken);
    return tg_event_file_add(file, &event, true);
}
