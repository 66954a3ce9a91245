/* core/kernels/transpose.h: transposes of matrices in memory. */
#ifndef TAPEGRAD_CORE_KERNELS_TRANSPOSE_H
#define TAPEGRAD_CORE_KERNELS_TRANSPOSE_H

#include <stdint.h>

/* y[j * ldy + i] = x[i * ldx + j] for i < m, j < n: elements of 4 or 8 bytes, of any type. */
void tg_transpose_4(int64_t m, int64_t n, const void *x, int64_t ldx, void *y, int64_t ldy);
void tg_transpose_8(int64_t m, int64_t n, const void *x, int64_t ldx, void *y, int64_t ldy);

#endif
