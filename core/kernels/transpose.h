/* Matrices turned over in memory. */
#ifndef TG_KERNELS_TURN_H
#define TG_KERNELS_TURN_H

#include <stdint.h>

/* y[j * ldy + i] = x[i * ldx + j] for i < m, j < n: 4 or 8 bytes an element, whatever they stand for. */
void tg_turn_4(int64_t m, int64_t n, const void *x, int64_t ldx, void *y, int64_t ldy);
void tg_turn_8(int64_t m, int64_t n, const void *x, int64_t ldx, void *y, int64_t ldy);

#endif
