/* The inner parts of a matrix product, which depend on the instruction set and on the type of numbers; gemm.c has the loops
 * around them. All sizes and strides count numbers. */
#ifndef TG_KERNELS_GEMM_KERNEL_H
#define TG_KERNELS_GEMM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/kernels/gemm/gemm.h"

enum { TG_GEMM_ROWS = 12, TG_GEMM_VECTORS = 3, TG_WIDEST = 32 * 4 }; /* of a tile, at most; bytes of its row */
enum { TG_WIDE_BYTES = 256 };                /* the tile of one row */
enum { TG_HIGH = 16, TG_SET_BYTES = 32 };    /* rows by a column, in sets of vectors of so many bytes */

/* C = A B + from for one tile, as gemm_microkernel.inc explains. */
typedef void (*tg_Micro)(int64_t kc, const void *a, int64_t rsa, int64_t csa, const void *b, int64_t ldb, void *c, int64_t ldc,
                         const void *from, int64_t ldf);

/* From one product of a run to the next: so many numbers in a, b, c and plus. */
typedef struct tg_Steps {
    int64_t of[4];
} tg_Steps;

void tg_to_next(tg_Product *p, const tg_Steps *by, int64_t size);

typedef struct tg_GemmKernel {
    int size;          /* of a number, in bytes */
    int rows;          /* of a tile, at most */
    int lanes;         /* numbers in a vector */
    int columns;       /* of a tile, at most: two or three vectors */
    const tg_Micro (*micros)[TG_GEMM_VECTORS]; /* [rows - 1][vectors - 1]; NULL for heights that are not made */
    /* One packed panel: out[k * ld + i] = x[i * si + k * sk], as gemm_pack.inc explains. */
    void (*pack)(void *out, int64_t ld, int64_t width, int64_t avail, int64_t kc, const void *x, int64_t si, int64_t sk);
    /* So many panels of ld = rows or columns each, where si = 1 and all of them lie there: a panel apart. */
    void (*lay)(void *out, int64_t ld, int64_t panel, int64_t panels, int64_t kc, const void *x, int64_t sk);
    /* C = tile + from, for the columns left .. right - 1 of a tile whose rows are TG_WIDEST bytes apart. */
    void (*edge)(const void *tile, int rows, int64_t left, int64_t right, void *c, int64_t rsc, int64_t csc, const void *from,
                 int64_t rsf, int64_t csf);
    /* The tile of one row; the sums of n columns of one row, and of TG_HIGH rows of one column, going on by so much of A and of B, as
     * gemv.inc explains (each may be NULL); a sum of n products. */
    void (*wide)(int64_t kc, const void *a, int64_t csa, const void *b, int64_t ldb, void *c, const void *from);
    void (*strip)(void *sums, int64_t n, int64_t kc, const void *a, int64_t csa, const void *b, int64_t ldb);
    void (*column)(void *sums, const void *const *set, int64_t lda, const void *b, int64_t n);
    double (*dot)(int64_t n, const void *a, const void *b);
    /* c = the sum of kc products + plus, where `at` has a, b, c and plus, and so on `count` times; or NULL. */
    void (*few)(void *const *at, const tg_Steps *next, int64_t count, int64_t kc, int64_t csa, int64_t ldb);
    const struct tg_GemmKernel *lower; /* NULL, or the one for a B that is packed: its tiles are less high and wider */
} tg_GemmKernel;

/* (The last four vectors of columns are 2 + 2, which make the lower tiles slow: that counts among few.) */
static inline const tg_GemmKernel *tg_kernel_of_packed(const tg_GemmKernel *kernel, int64_t n) {
    const int64_t vectors = (n + kernel->lanes - 1) / kernel->lanes;
    return kernel->lower && n >= kernel->lower->columns && (vectors % 3 != 1 || vectors > 32) ? kernel->lower : kernel;
}

/* Into how many shares so much work is divided, at most so many: by its size only. Multiples of 8 divide evenly among few threads. */
int64_t tg_gemm_shares(double multiply_adds, int64_t most);

/* The one for products of n columns. */
const tg_GemmKernel *tg_gemm_kernel(bool is_double, int64_t n);

#endif
