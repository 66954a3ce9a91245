/* core/kernels/gemm/gemm_epilogue.c: the instances of gemm_epilogue.inc, and how the rows are divided among threads. */
#include "core/kernels/gemm/gemm_epilogue.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/gemm/gemm_epilogue.inc"
#include "core/kernels/dispatch.inc"

enum { GRAIN = 16384, BLOCKS = 64 }; /* elements per item; blocks of rows at most */

void tg_gemm_epilogue(tg_Product *p, tg_Epilogue *f) {
    f->y = p->c.data;
    p->epilogue = f->f64 ? TG_PICK_UP_TO_AVX2(epilogue_tile_f64) : TG_PICK_UP_TO_AVX2(epilogue_tile_f32);
    p->context = f;
    tg_gemm(f->f64, p);
}

static int64_t block_rows(const tg_Epilogue *f) {
    const int64_t share = (f->rows + BLOCKS - 1) / BLOCKS, worth = GRAIN / (f->n + 1) + 1;
    return share > worth ? share : worth;
}

static int64_t block_count(const tg_Epilogue *f) {
    const int64_t block = block_rows(f);
    return f->rows > block ? (f->rows + block - 1) / block : 1; /* without rows one, whose sums are 0 */
}

int64_t tg_epilogue_workspace(const tg_Epilogue *f) {
    const int64_t blocks = block_count(f);
    return blocks > 1 ? blocks * f->n : 0;
}

void tg_epilogue_backward(tg_Epilogue *f) {
    const int64_t blocks = block_count(f);
    f->block = block_rows(f);
    tg_parallel(blocks, 1,
                f->f64 ? TG_PICK_UP_TO_AVX2(epilogue_backward_blocks_f64)
                       : TG_PICK_UP_TO_AVX2(epilogue_backward_blocks_f32),
                f);
    if (blocks == 1) return;
    if (f->f64) TG_PICK_UP_TO_AVX2(add_block_sums_f64)(f, blocks);
    else TG_PICK_UP_TO_AVX2(add_block_sums_f32)(f, blocks);
}
