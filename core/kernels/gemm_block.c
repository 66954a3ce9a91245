/* One block of a matrix product, tile by tile. */
#include "gemm_block.h"

#include <stddef.h>

int tg_tile_height(const tg_GemmKernel *kernel, int64_t left) {
    const int most = kernel->rows;
    if (left >= 2 * most) return most;
    int h = left <= most ? (int)left : most <= 6 ? (int)(left + 1) / 2 : most;
    while (!kernel->micros[h - 1][0][0]) h--;
    return h;
}

tg_Panel tg_panel_at(int lanes, int64_t nc, int64_t jr) {
    const int vectors = nc >= 2 * lanes && nc - jr > lanes ? 2 : 1, full = vectors * lanes;
    const int64_t last = nc > full ? nc - full : 0, start = jr < last ? jr : last;
    return (tg_Panel){start, nc - start < full ? nc - start : full, vectors};
}

/* The tiles of one panel. A whole tile goes straight to C. The others are made beside it first: those that are filled up, those
 * whose columns do not lie side by side, and those that slid back over columns to which their sum has been added already. */
static void panel_product(const tg_Block *z, int64_t jr, tg_Panel p) {
    const tg_GemmKernel *kernel = z->kernel;
    const int64_t size = kernel->size, ldb = z->b_packed ? p.vectors * kernel->lanes : z->ldb;
    const bool full = p.width == p.vectors * kernel->lanes && (p.start == jr || z->from.data != z->c.data);
    const bool whole = full && z->c.column == 1 && (!z->from.data || z->from.column == 1);
    const int64_t left = whole ? p.start : jr;
    const char *a = z->a, *b = z->b + (z->b_packed ? jr * z->kc : p.start) * size;
    for (int64_t i = 0, h; i < z->mc; i += h, a += (z->a_packed ? kernel->padded * z->kc : h * z->lda) * size) {
        h = tg_tile_height(kernel, z->mc - i);
        const tg_Micro micro = kernel->micros[h - 1][!z->a_packed][p.vectors - 1];
        char *c = tg_element_at(kernel, &z->c, i, p.start), *from = z->from.data ? tg_element_at(kernel, &z->from, i, p.start) : NULL;
        if (whole) {
            micro(z->kc, a, z->lda, b, ldb, c, z->c.row, from, z->from.row);
        } else {
            _Alignas(64) char tile[TG_GEMM_ROWS * TG_WIDEST];
            micro(z->kc, a, z->lda, b, ldb, tile, 2 * kernel->lanes, NULL, 0);
            kernel->edge(tile, (int)h, jr - p.start, p.width, c, z->c.row, z->c.column, from, z->from.row, z->from.column);
        }
        if (z->finish) z->finish->finish(z->finish->context, z->i + i, z->j + left, h, p.start + p.width - left);
    }
}

void tg_block_product(const tg_Block *z) {
    tg_Panel p;
    for (int64_t jr = 0; jr < z->nc; jr = p.start + p.width) {
        p = tg_panel_at(z->kernel->lanes, z->nc, jr);
        panel_product(z, jr, p);
    }
}
