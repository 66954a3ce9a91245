/* Sums of squares for every instruction set; squares.inc explains them. */
#include "squares.h"

#include "isa.h"
#include "parallel.h"

enum { BLOCK = 16384 };

typedef struct Squares {
    const void *x;
    int64_t n;
    double *sums;
} Squares;

#define UP_TO_AVX2
#define KERNEL "squares.inc"
#include "instances.inc"

int64_t tg_square_blocks(int64_t n) {
    return (n + BLOCK - 1) / BLOCK;
}

double tg_sum_of_squares(const void *x, int64_t n, bool f64, double *room) {
    Squares job = {x, n, room};
    double total = 0;
    tg_parallel(tg_square_blocks(n), 1, f64 ? TG_PICK_UP_TO_AVX2(square_blocks_f64) : TG_PICK_UP_TO_AVX2(square_blocks_f32), &job);
    for (int64_t block = 0; block < tg_square_blocks(n); block++) total += room[block];
    return total;
}
