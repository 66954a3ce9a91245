/* tests/support/models/onnx_cases.h: models that onnx_export writes: a label, the module, its inputs (as in
 * tests/support/support.h, of float32), and the axis of all inputs that is dynamic (-1: none; ONNX_TWO_AXES: 0 and 1).
 * tests/nn/onnx and tests/interop/onnx_models.c construct them. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_ONNX_CASES_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_ONNX_CASES_H

#include "nn/nn.h"

/* A module whose forward is a function of one tensor. */
typedef Tensor *OnnxFunction(Tensor *x);
void *onnx_function(OnnxFunction *f);

enum { ONNX_TWO_AXES = 10 };

typedef struct OnnxCase {
    const char *label;
    void *(*make)(void);
    const char *inputs;
    int axis;
} OnnxCase;
extern const OnnxCase onnx_cases[]; /* ends with a NULL label */

/* The module, with weights that hide nothing, from one seed. */
void *onnx_module(const OnnxCase *of);
void onnx_perturb(void *module);
/* onnx_export_bytes with the inputs "a" and "b" and the dynamic axis "batch"; opset 20 for a label that begins with
 * g. */
void *onnx_case_bytes(const OnnxCase *of, void *module, size_t *size);
/* The inputs of a case, with `more` copies of the first element along the axis behind, along the second of two axes
 * twice as many; at most 2. */
t_TensorList *onnx_inputs(const OnnxCase *of, int64_t more);
/* nn_call of one or two inputs, in evaluation mode and without recording. */
Tensor *onnx_call(void *module, t_TensorList *inputs);

#endif
