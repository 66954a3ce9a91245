/* core/kernels/transpose.c: transposes: full blocks by the kernels of transpose.inc, the edges in plain C. */
#include "core/kernels/transpose.h"

#include "core/kernels/isa.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/transpose.inc"
#include "core/kernels/dispatch.inc"

#define TRANSPOSE(size, real, type)                                                                        \
    static void edge_##type(int64_t m, int64_t n, const real *x, int64_t ldx, real *y, int64_t ldy) {      \
        for (int64_t j = 0; j < n; j++) {                                                                  \
            NO_UNROLL for (int64_t i = 0; i < m; i++)                                                      \
                y[j * ldy + i] = x[i * ldx + j];                                                           \
        }                                                                                                  \
    }                                                                                                      \
    void tg_transpose_##size(int64_t m, int64_t n, const void *from, int64_t ldx, void *to, int64_t ldy) { \
        const int64_t line = 64 / size, rows = m / line * line, columns = n / line * line;                 \
        const real *x = from;                                                                              \
        real *y = to;                                                                                      \
        TG_PICK_UP_TO_AVX2(transpose_blocks_##type)(rows, columns, x, ldx, y, ldy);                        \
        edge_##type(m - rows, columns, x + rows * ldx, ldx, y + rows, ldy);                                \
        edge_##type(m, n - columns, x + columns, ldx, y + columns * ldy, ldy);                             \
    }
TRANSPOSE(4, float, f32)
TRANSPOSE(8, double, f64)
