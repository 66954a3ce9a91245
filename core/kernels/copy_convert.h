/* core/kernels/copy_convert.h: copies of strided rows of elements, conversions between dtypes, and arange. */
#ifndef TAPEGRAD_CORE_KERNELS_COPY_CONVERT_H
#define TAPEGRAD_CORE_KERNELS_COPY_CONVERT_H

#include <stdint.h>

/* to[i] = from[i] for n elements; strides are in bytes and may be 0 (fill) or negative (flip). */
typedef void (*tg_CopyLoop)(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride);

/* The copy loop for elements of 1, 2, 4 or 8 bytes with these strides. */
tg_CopyLoop tg_copy_loop(int64_t size, int64_t to_stride, int64_t from_stride);

/* to[i] = (to's type)from[i], both contiguous. tg_convert takes types numbered bool, int64, float, double (0 to 3);
 * NULL for equal types and for conversions to bool (elementwise.h has to_bool). */
typedef void (*tg_Convert)(int64_t n, void *to, const void *from);
tg_Convert tg_convert(int to, int from);

/* to[i] = start + (first + i * direction) * step for n elements; the product is rounded, then the sum, both in double.
 * */
void tg_arange_f32(int64_t n, float *to, double start, double step, double first, int direction);
void tg_arange_f64(int64_t n, double *to, double start, double step, double first, int direction);

void tg_arange_int64(int64_t n, int64_t *to, int64_t start, int64_t step); /* to[i] = start + i * step */

#endif
