/* nn/onnx/trace_internal.h: the operations of one forward (internal). */
#ifndef TAPEGRAD_NN_ONNX_TRACE_INTERNAL_H
#define TAPEGRAD_NN_ONNX_TRACE_INTERNAL_H

#include "core/autograd/trace.h"
#include "nn/module/module.h"

/* A tensor: an input of the graph, a parameter or buffer, the result of an operation, or a constant. */
typedef struct TraceValue {
    Tensor *x;
    int input;             /* the index of the input; -1 */
    int producer;          /* the index of the operation; -1 */
    const char *parameter; /* the name in the state dict; NULL */
    bool overwritten;      /* in place, after it was used: its data is not what it was */
} TraceValue;

typedef struct TraceOp {
    const Op *op;
    int y, input_count, *inputs; /* indices of values, -1 for NULL */
    int saved_count, *saved;     /* of the tensors that the record saves, where these are operands (tg_uses_saved) */
    void *attributes;
    size_t bytes;
    const t_Site *site;
    char *path; /* of the module */
} TraceOp;

typedef struct OnnxTrace {
    tg_Trace trace; /* the first member */
    nn_NamedList *parameters, *buffers;
    TraceValue *values;
    int value_count, value_capacity;
    TraceOp *ops;
    int op_count, op_capacity;
    /* a hash table from tensors to values, and the version of the storage when that was set (-1: after a write) */
    struct TraceSlot { Tensor *x; int value; int64_t version; } *slots;
    int slot_count;
    bool failed; /* an error was set in a callback */
} OnnxTrace;

bool tg_onnx_trace_begin(OnnxTrace *trace, const nn_Module *model, const t_TensorList *args);
void tg_onnx_trace_end(OnnxTrace *trace);  /* no more operations */
void tg_onnx_trace_free(OnnxTrace *trace);
/* The index of the value of x; -1 with an error if it was written to through a view. */
int tg_onnx_value_of(OnnxTrace *trace, Tensor *x);

extern const Op tg_onnx_write_op; /* a write in place of a value of another shape or dtype */

#endif
