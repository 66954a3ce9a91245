/* Activation and dropout behind a product, for every instruction set; gemm_epilogue.inc explains it. */
#include "core/kernels/gemm/gemm_epilogue.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/gemm/gemm_epilogue.inc"
#include "core/kernels/dispatch.inc"

enum { ENOUGH = 16384, BLOCKS = 64 }; /* elements of a piece of work; blocks of rows at most */

void tg_feed(tg_Product *p, tg_Feed *f) {
    f->y = p->c.data;
    p->finish = f->f64 ? TG_PICK_UP_TO_AVX2(finish_f64) : TG_PICK_UP_TO_AVX2(finish_f32);
    p->context = f;
    tg_gemm(f->f64, p);
}

static int64_t rows_of_a_block(const tg_Feed *f) {
    const int64_t share = (f->rows + BLOCKS - 1) / BLOCKS, worth = ENOUGH / (f->n + 1) + 1;
    return share > worth ? share : worth;
}

static int64_t blocks_of(const tg_Feed *f) {
    const int64_t block = rows_of_a_block(f);
    return f->rows > block ? (f->rows + block - 1) / block : 1; /* without rows one, whose sums are 0 */
}

int64_t tg_feed_room(const tg_Feed *f) {
    const int64_t blocks = blocks_of(f);
    return blocks > 1 ? blocks * f->n : 0;
}

void tg_feed_backward(tg_Feed *f) {
    const int64_t blocks = blocks_of(f);
    f->block = rows_of_a_block(f);
    tg_parallel(blocks, 1, f->f64 ? TG_PICK_UP_TO_AVX2(feed_blocks_f64) : TG_PICK_UP_TO_AVX2(feed_blocks_f32), f);
    if (blocks == 1) return;
    if (f->f64) TG_PICK_UP_TO_AVX2(feed_sums_f64)(f, blocks);
    else TG_PICK_UP_TO_AVX2(feed_sums_f32)(f, blocks);
}
