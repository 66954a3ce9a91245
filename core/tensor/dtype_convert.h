/* core/tensor/dtype_convert.h: elements of one dtype to another (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_DTYPE_CONVERT_H
#define TAPEGRAD_CORE_TENSOR_DTYPE_CONVERT_H

#include "core/kernels/copy_convert.h"
#include "core/tensor/iterator.h"

/* A run of elements with a stride in bytes, which may be 0. */
typedef struct Elements {
    t_DType dtype;
    char *data;
    int64_t stride;
} Elements;

/* to[i] = from[i] for n elements of any dtypes: floating to integer truncates, integers keep their low bits, bool is
 * "not zero". */
void tg_convert_elements(int64_t n, Elements to, Elements from);

/* tg_convert_elements as a loop over data[0] and data[1], whose context is a Conversion. */
typedef struct Conversion {
    t_DType to, from;
    tg_Convert contiguous; /* NULL: none, and for dtypes that go through another one */
    Loop strided;
} Conversion;
Conversion tg_conversion(t_DType to, t_DType from);
void tg_convert_loop(int64_t n, char *const *data, const int64_t *strides, const void *conversion);

double tg_element_as_double(t_DType dtype, const void *element);
int64_t tg_element_as_int64(t_DType dtype, const void *element);
void tg_set_element(t_DType dtype, void *element, double value);

#endif
