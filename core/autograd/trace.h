/* core/autograd/trace.h: a callback for each op that runs with grad mode on, for what rewrites a forward as a graph of
 * another kind: ONNX (internal).
 *
 * Between tg_trace_begin and tg_trace_end, anomaly mode without its checks is on, in which no fused path replaces the
 * ops of a module. The callback also gets ops that have no gradient, of integers and bools. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_TRACE_H
#define TAPEGRAD_CORE_AUTOGRAD_TRACE_H

#include "core/autograd/tape.h"

typedef struct tg_Trace tg_Trace;
struct tg_Trace {
    /* y = op(inputs); the other arguments as for tg_record */
    void (*record)(tg_Trace *trace, const Op *op, Tensor *y, Tensor *const *inputs, int input_count,
                   Tensor *const *saved, int saved_count, const void *attributes, size_t attribute_bytes);
    /* x[...] = value, after which x has the values of `value`, broadcast and in x's dtype */
    void (*write)(tg_Trace *trace, Tensor *x, Tensor *value);
    struct Anomaly before;
};

void tg_trace_begin(tg_Trace *trace);
void tg_trace_end(tg_Trace *trace);

/* Between these two, which are called with the same `one`, all ops are one op for the trace: a function of torch that
 * is composed of others here. Grad mode is off, if there is a trace. */
static inline bool tg_trace_open(void) {
    const bool one = tg_thread.trace && tg_thread.grad_enabled;
    if (one) tg_thread.grad_enabled = false;
    return one;
}
static inline Tensor *tg_trace_close(bool one, const Op *op, Tensor *y, Tensor **inputs, int input_count,
                                     const void *attributes, size_t attribute_bytes) {
    if (!one) return y;
    tg_thread.grad_enabled = true;
    if (y) tg_thread.trace->record(tg_thread.trace, op, y, inputs, input_count, NULL, 0, attributes, attribute_bytes);
    return y;
}

/* Records that an op without a gradient computed y, for the trace alone; returns y. */
static inline Tensor *tg_trace_op(const Op *op, Tensor *y, Tensor **inputs, int input_count, const void *attributes,
                                  size_t attribute_bytes) {
    if (y && tg_thread.trace && tg_thread.grad_enabled)
        tg_thread.trace->record(tg_thread.trace, op, y, inputs, input_count, NULL, 0, attributes, attribute_bytes);
    return y;
}

#endif
