/* nn/onnx/model.c: the bytes of an ONNX file, a message ModelProto. Tensors are written from where they are, so that
 * the file is not in memory a second time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nn/onnx/graph_internal.h"

/* The numbers of fields and enums, of onnx/onnx.proto. */
enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER_NAME = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_FLOAT = 2,
    ATTRIBUTE_INT = 3,
    ATTRIBUTE_TEXT = 4,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TEXTS = 9,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_FLOAT = 1, TYPE_INT = 2, TYPE_TEXT = 3, TYPE_INTS = 7, TYPE_TEXTS = 8 };
enum { TENSOR_DIMS = 1, TENSOR_DTYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };

static void write_attribute(tg_Output *out, const OnnxAttribute *a) {
    static const int types[] = {[ONNX_INT] = TYPE_INT,
                                [ONNX_FLOAT] = TYPE_FLOAT,
                                [ONNX_TEXT] = TYPE_TEXT,
                                [ONNX_TEXTS] = TYPE_TEXTS,
                                [ONNX_INTS] = TYPE_INTS};
    if (a->kind == ONNX_NONE) return;
    const size_t begin = tg_proto_begin(out, NODE_ATTRIBUTE);
    tg_proto_text(out, ATTRIBUTE_NAME, a->name);
    if (a->kind == ONNX_INT) tg_proto_varint(out, ATTRIBUTE_INT, (uint64_t)a->i);
    if (a->kind == ONNX_FLOAT) tg_proto_float(out, ATTRIBUTE_FLOAT, (float)a->f);
    if (a->kind == ONNX_TEXT) tg_proto_text(out, ATTRIBUTE_TEXT, a->text);
    if (a->kind == ONNX_TEXTS) tg_proto_text(out, ATTRIBUTE_TEXTS, a->text);
    for (int i = 0; a->kind == ONNX_INTS && i < a->count; i++)
        tg_proto_varint(out, ATTRIBUTE_INTS, (uint64_t)a->ints[i]);
    tg_proto_varint(out, ATTRIBUTE_TYPE, (uint64_t)types[a->kind]);
    tg_proto_end(out, begin);
}

static void write_node(tg_Output *out, const OnnxNode *node) {
    const size_t begin = tg_proto_begin(out, GRAPH_NODE);
    for (int i = 0; i < node->input_count; i++) tg_proto_text(out, NODE_INPUT, node->inputs[i]);
    for (int i = 0; i < node->output_count; i++) tg_proto_text(out, NODE_OUTPUT, node->outputs[i]);
    tg_proto_text(out, NODE_NAME, node->name);
    tg_proto_text(out, NODE_TYPE, node->type);
    for (int i = 0; i < node->attribute_count; i++) write_attribute(out, &node->attributes[i]);
    tg_proto_end(out, begin);
}

/* ValueInfoProto: the name; TypeProto.Tensor: dtype and shape, of which a size that differs has a name. */
static void write_port(OnnxGraph *g, tg_Output *out, uint32_t field, const OnnxPort *port) {
    const size_t info = tg_proto_begin(out, field);
    tg_proto_text(out, 1, port->name);
    const size_t type = tg_proto_begin(out, 2), tensor = tg_proto_begin(out, 1);
    tg_proto_varint(out, 1, (uint64_t)tg_onnx_dtype(port->x[0]->dtype));
    const size_t shape = tg_proto_begin(out, 2);
    for (int d = 0; d < port->x[0]->ndim; d++) {
        const int64_t a = port->x[0]->shape[d], b = port->x[1]->shape[d];
        const size_t dim = tg_proto_begin(out, 1);
        const char *param = NULL;
        for (int i = 0; i < g->axis_count && a != b && !param; i++)
            if (g->axes[i].size[0] == a && g->axes[i].size[1] == b) param = g->axes[i].param;
        if (a == b)
            tg_proto_varint(out, 1, (uint64_t)a);
        else
            tg_proto_text(out, 2, param ? param : tg_onnx_text(g, "%s_%d", port->name, d));
        tg_proto_end(out, dim);
    }
    tg_proto_end(out, shape);
    tg_proto_end(out, tensor);
    tg_proto_end(out, type);
    tg_proto_end(out, info);
}

/* A TensorProto without its data, which is the last field. */
static void write_tensor_head(tg_Output *out, const OnnxInitializer *initializer) {
    const Tensor *x = initializer->x;
    tg_proto_packed_varints(out, TENSOR_DIMS, x->shape, (size_t)x->ndim);
    tg_proto_varint(out, TENSOR_DTYPE, (uint64_t)tg_onnx_dtype(x->dtype));
    tg_proto_text(out, TENSOR_NAME, initializer->name);
}

static uint64_t data_bytes(const Tensor *x) {
    return (uint64_t)tg_numel(x) * tg_itemsize(x->dtype);
}

/* The size of a field of that many bytes, in front of which are its number (below 16) and its size. */
static uint64_t field_bytes(uint64_t bytes) {
    return 1 + (uint64_t)tg_varint_size(bytes) + bytes;
}

typedef struct Piece {
    void *bytes;
    size_t size;
} Piece;

static bool take(tg_Output *out, Piece *piece) {
    piece->bytes = tg_output_take(out, true, &piece->size);
    return piece->bytes != NULL;
}

static bool write_initializers(OnnxGraph *g, tg_Output *out, uint64_t *bytes) {
    for (int i = 0; i < g->initializer_count; i++) {
        const Tensor *x = g->initializers[i].x;
        tg_Output memory;
        Piece head;
        tg_output_memory(&memory);
        write_tensor_head(&memory, &g->initializers[i]);
        if (!take(&memory, &head)) return false;
        const uint64_t size = head.size + field_bytes(data_bytes(x));
        *bytes += field_bytes(size);
        bool ok = true;
        if (out)
            ok = tg_proto_length(out, GRAPH_INITIALIZER, size) && tg_output_write(out, head.bytes, head.size) &&
                 tg_proto_length(out, TENSOR_RAW, data_bytes(x)) &&
                 (!data_bytes(x) || tg_output_write(out, tg_data(x), (size_t)data_bytes(x)));
        free(head.bytes);
        if (!ok) return false;
    }
    return true;
}

static bool write_graph(OnnxGraph *g, tg_Output *out, const Piece *nodes, const Piece *ports) {
    uint64_t bytes = nodes->size + ports->size;
    if (!write_initializers(g, NULL, &bytes)) return false;
    if (bytes > INT32_MAX - 4096)
        return tg_fail("the ONNX file would have %" PRIu64 " bytes; a message of protobuf has at most 2 GB", bytes);
    return tg_proto_length(out, MODEL_GRAPH, bytes) && tg_output_write(out, nodes->bytes, nodes->size) &&
           write_initializers(g, out, &(uint64_t){0}) && tg_output_write(out, ports->bytes, ports->size);
}

bool tg_onnx_write(OnnxGraph *g, tg_Output *out, const OnnxPort *inputs, int input_count, const OnnxPort *outputs,
                   int output_count) {
    tg_Output memory;
    Piece nodes = {NULL, 0}, ports = {NULL, 0};
    tg_output_memory(&memory);
    for (int i = 0; i < g->node_count; i++) write_node(&memory, &g->nodes[i]);
    tg_proto_text(&memory, GRAPH_NAME, "main_graph");
    bool ok = take(&memory, &nodes);
    tg_output_memory(&memory);
    for (int i = 0; i < input_count; i++) write_port(g, &memory, GRAPH_INPUT, &inputs[i]);
    for (int i = 0; i < output_count; i++) write_port(g, &memory, GRAPH_OUTPUT, &outputs[i]);
    ok = take(&memory, &ports) && ok;
    if (ok) {
        tg_proto_varint(out, MODEL_IR_VERSION, g->opset > 18 ? 9 : 8);
        tg_proto_text(out, MODEL_PRODUCER_NAME, "tapegrad");
        ok = write_graph(g, out, &nodes, &ports);
        enum { OPSET_BYTES = 4 }; /* the empty domain, and a version below 128 */
        tg_proto_length(out, MODEL_OPSET, OPSET_BYTES);
        tg_proto_text(out, 1, "");
        tg_proto_varint(out, 2, (uint64_t)g->opset);
    }
    free(nodes.bytes);
    free(ports.bytes);
    return ok;
}
