/* nn/onnx/graph_internal.h: an ONNX graph while it is made, and the functions with which operations become nodes
 * (internal). Source: onnx/onnx.proto and docs/Operators.md of https://github.com/onnx/onnx. */
#ifndef TAPEGRAD_NN_ONNX_GRAPH_INTERNAL_H
#define TAPEGRAD_NN_ONNX_GRAPH_INTERNAL_H

#include "core/io/protobuf.h"
#include "core/ops/ops.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/dtype_convert.h"
#include "nn/onnx/export.h"
#include "nn/onnx/trace_internal.h"

/* An attribute of a node. */
typedef enum OnnxKind { ONNX_NONE, ONNX_INT, ONNX_FLOAT, ONNX_TEXT, ONNX_TEXTS, ONNX_INTS } OnnxKind;
typedef struct OnnxAttribute {
    const char *name;
    OnnxKind kind;
    int64_t i;
    double f;
    const char *text; /* of ONNX_TEXTS the only one */
    int64_t ints[2 * T_MAX_DIMS];
    int count;
} OnnxAttribute;
enum { ONNX_MAX_ATTRIBUTES = 8 };

typedef struct OnnxNode {
    const char *type, *name;
    int input_count, output_count, attribute_count;
    const char **inputs, **outputs;
    OnnxAttribute *attributes;
    const TraceOp *op; /* of which it is a part */
} OnnxNode;

/* A tensor of the file: a parameter, a buffer, or a constant. */
typedef struct OnnxInitializer {
    const char *name;
    Tensor *x;         /* retained, contiguous */
    const TraceOp *op; /* that needed it first */
} OnnxInitializer;

/* An axis of an input, whose size is not fixed: its sizes in the two traces. */
typedef struct OnnxAxis {
    const char *input, *param;
    int index; /* of the input */
    int64_t axis, size[2];
} OnnxAxis;

typedef struct OnnxGraph {
    OnnxTrace *trace[2]; /* of the same forward, with other values and other sizes of the dynamic axes */
    int64_t opset;
    const char **names; /* of the values; NULL where there is none yet */
    bool *depends;      /* whether a value depends on an input of the graph */
    bool *needed;       /* whether an output of the graph depends on it */
    OnnxNode *nodes;
    int node_count, node_capacity;
    OnnxInitializer *initializers;
    int initializer_count, initializer_capacity;
    OnnxAxis axes[ONNX_MAX_DYNAMIC_AXES];
    int axis_count;
    const TraceOp *op; /* that is converted; NULL: an output is named */
    int64_t made;      /* names so far */
    struct OnnxChunk { struct OnnxChunk *next; size_t bytes, used; } *chunks; /* memory of names and nodes */
} OnnxGraph;

/* An operation in both traces. */
typedef struct OnnxOp {
    const TraceOp *op[2];
    const Tensor *y[2];
} OnnxOp;

/* ---- memory ---- */

void *tg_onnx_alloc(OnnxGraph *g, size_t bytes); /* zeroed; freed with the graph */
const char *tg_onnx_text(OnnxGraph *g, const char *format, ...) T_PRINTF(2, 3);

/* Whether two graphs of one forward are the same; if not, *op is the operation of a where they differ; NULL: none. */
bool tg_onnx_same_graph(const OnnxGraph *a, const OnnxGraph *b, const TraceOp **op);

/* ---- operands; NULL with an error, and for NULL ---- */

int tg_onnx_dtype(t_DType dtype); /* TensorProto.DataType */
/* The tensor of input i in trace k; NULL where there is none. */
Tensor *tg_onnx_tensor(const OnnxGraph *g, const OnnxOp *op, int i, int k);
bool tg_onnx_is_constant(const OnnxGraph *g, const OnnxOp *op, int i); /* not of the inputs of the graph */
/* The name of input i; "" where it is NULL. And cast to a dtype. */
const char *tg_onnx_in(OnnxGraph *g, const OnnxOp *op, int i);
const char *tg_onnx_in_as(OnnxGraph *g, const OnnxOp *op, int i, t_DType dtype);
const char *tg_onnx_saved(OnnxGraph *g, const OnnxOp *op, int i); /* of the i-th saved operand */
const char *tg_onnx_value(OnnxGraph *g, int value);
const char *tg_onnx_cast(OnnxGraph *g, const char *x, t_DType dtype);
/* Constants: a tensor, a scalar of that dtype, a list of int64. */
const char *tg_onnx_constant(OnnxGraph *g, Tensor *x, const char *name);
const char *tg_onnx_number(OnnxGraph *g, double value, t_DType dtype);
const char *tg_onnx_ints(OnnxGraph *g, const int64_t *values, int count);
const char *tg_onnx_int(OnnxGraph *g, int64_t value); /* of shape (1) */
/* A size that is a in the first trace and b in the second, of shape (1): a constant, or computed from the size of a
 * dynamic axis. Sizes likewise. */
const char *tg_onnx_size(OnnxGraph *g, int64_t a, int64_t b);
const char *tg_onnx_sizes(OnnxGraph *g, const int64_t *a, const int64_t *b, int count);

/* ---- nodes ---- */

#define ONNX_NAMES(...) (const char *const[]){__VA_ARGS__}, \
    (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define ONNX_ATTRIBUTES(...) (const OnnxAttribute[]){__VA_ARGS__}, \
    (int)(sizeof((const OnnxAttribute[]){__VA_ARGS__}) / sizeof(OnnxAttribute))
/* Returns the name of the output, NULL if an input is NULL. Inputs of "" are left out. */
const char *tg_onnx_node(OnnxGraph *g, const char *type, const char *const *inputs, int input_count,
                         const OnnxAttribute *attributes, int attribute_count);
/* The same with several outputs, whose names it writes; false if an input is NULL. */
bool tg_onnx_node_of(OnnxGraph *g, const char *type, const char *const *inputs, int input_count,
                     const OnnxAttribute *attributes, int attribute_count, const char **outputs, int output_count);
const char *tg_onnx_unary(OnnxGraph *g, const char *type, const char *x);
const char *tg_onnx_binary(OnnxGraph *g, const char *type, const char *a, const char *b);
static inline OnnxAttribute tg_onnx_int_attribute(const char *name, int64_t i) {
    return (OnnxAttribute){.name = name, .kind = ONNX_INT, .i = i};
}
static inline OnnxAttribute tg_onnx_float_attribute(const char *name, double f) {
    return (OnnxAttribute){.name = name, .kind = ONNX_FLOAT, .f = f};
}
static inline OnnxAttribute tg_onnx_text_attribute(const char *name, const char *text) {
    return (OnnxAttribute){.name = name, .kind = ONNX_TEXT, .text = text};
}
OnnxAttribute tg_onnx_ints_attribute(const char *name, const int64_t *values, int count);
/* x in the shape of y in both traces; x_shape: its own. */
const char *tg_onnx_reshape(OnnxGraph *g, const char *x, const Tensor *const before[2], const Tensor *const after[2]);
/* x[start:end:step] along an axis; the ends are names of int64 of shape (1). */
const char *tg_onnx_slice(OnnxGraph *g, const char *x, int64_t axis, const char *start, const char *end, int64_t step);

/* ---- conversions: the name of the result; NULL with an error ---- */

typedef const char *OnnxConversion(OnnxGraph *g, const OnnxOp *op);
typedef struct OnnxRow {
    const char *name; /* of the operation */
    OnnxConversion *convert;
} OnnxRow;
/* The families' tables; each ends with a NULL name. */
extern const OnnxRow tg_onnx_pointwise[], tg_onnx_shapes[], tg_onnx_reductions[], tg_onnx_layers[],
    tg_onnx_recurrent[], tg_onnx_indexing[];
const char *tg_onnx_convert(OnnxGraph *g, int op);

/* ---- the file (model.c) ---- */

/* Names and dtypes of the inputs and outputs, with sizes or names of axes. */
typedef struct OnnxPort {
    const char *name;
    const Tensor *x[2];
} OnnxPort;
bool tg_onnx_write(OnnxGraph *g, tg_Output *out, const OnnxPort *inputs, int input_count, const OnnxPort *outputs,
                   int output_count);
bool tg_onnx_grow(void **array, int *capacity, int count, size_t item);

#endif
