/* core/kernels/gemm/gemm_macrokernel.c: the macro-kernel: one block of a product, tile by tile; gemm.c has the loops
 * around it. */
#include "core/kernels/gemm/gemm_macrokernel.h"

#include <stddef.h>

int tg_tile_height(const tg_GemmKernel *kernel, int64_t left) {
    const int most = kernel->rows;
    if (left >= 2 * most) return most;
    int h = left <= most ? (int)left : most <= 6 ? (int)(left + 1) / 2 : most;
    while (!kernel->micros[h - 1][0]) h--;
    return h;
}

tg_Panel tg_panel_at(const tg_GemmKernel *kernel, int64_t nc, int64_t jr) {
    const int64_t lanes = kernel->lanes, left = nc - jr, two = nc >= 2 * lanes && left > lanes ? 2 : 1;
    const bool three = kernel->columns > 2 * lanes && nc >= kernel->columns && left > 2 * lanes &&
                       (left <= 3 * lanes || left > 4 * lanes);
    const int64_t vectors = three ? 3 : two, full = vectors * lanes;
    const int64_t last = nc > full ? nc - full : 0, start = jr < last ? jr : last;
    return (tg_Panel){start, nc - start < full ? nc - start : full, (int)vectors};
}

/* A tile that cannot be stored to C directly goes through a buffer: one that is padded; one where C's columns are not
 * contiguous; and one that was moved left over columns whose sum has been added to C already, of which only the columns
 * from jr on are stored. */
static __attribute__((noinline)) void tile_via_buffer(const tg_Macrokernel *z, int64_t i, int h, const char *a,
                                                      const char *b, int64_t jr, tg_Panel p) {
    const tg_GemmKernel *kernel = z->kernel;
    const int64_t ldb = z->b_packed ? p.vectors * kernel->lanes : z->ldb;
    char *c = tg_element_at(kernel, &z->c, i, p.start),
         *from = z->from.data ? tg_element_at(kernel, &z->from, i, p.start) : NULL;
    _Alignas(64) char buffer[TG_GEMM_ROWS * TG_TILE_ROW_BYTES];
    kernel->micros[h - 1][p.vectors - 1](z->kc, a, z->rsa, z->csa, b, ldb, buffer, TG_TILE_ROW_BYTES / kernel->size,
                                         NULL, 0);
    kernel->edge(buffer, h, jr - p.start, p.width, c, z->c.row, z->c.column, from, z->from.row, z->from.column);
}

/* Computes one tile; returns the first column that was stored. */
static inline int64_t tile(const tg_Macrokernel *z, int64_t i, int h, const char *a, int64_t jr, tg_Panel p) {
    const tg_GemmKernel *kernel = z->kernel;
    const int64_t size = kernel->size, full = p.vectors * kernel->lanes;
    const char *b = z->b + (z->b_packed ? (jr - z->b0) * z->kc : p.start) * size;
    if (p.width != full || (p.start != jr && z->from.data == z->c.data) || z->c.column != 1 ||
        (z->from.data && z->from.column != 1)) {
        tile_via_buffer(z, i, h, a, b, jr, p);
        return jr;
    }
    char *c = (char *)z->c.data + (i * z->c.row + p.start) * size;
    const char *from = z->from.data ? (const char *)z->from.data + (i * z->from.row + p.start) * size : NULL;
    kernel->micros[h - 1][p.vectors - 1](z->kc, a, z->rsa, z->csa, b, z->b_packed ? full : z->ldb, c, z->c.row, from,
                                         z->from.row);
    return p.start;
}

/* Prefetches part `part` of `parts` of the next panel of A, of h rows, to L2. */
static void prefetch_a(const tg_Macrokernel *z, const char *a, int h, int64_t part, int64_t parts) {
    const int64_t row = z->a_packed ? 1 : h, bytes = (z->a_packed ? z->kernel->rows * z->kc : z->kc) * z->kernel->size;
    const int64_t share = (bytes + parts * 64 - 1) / (parts * 64) * 64;
    const int64_t end = (part + 1) * share < bytes ? (part + 1) * share : bytes;
    for (int64_t i = 0; i < row; i++)
        for (int64_t at = part * share; at < end; at += 64)
            __builtin_prefetch(a + i * z->rsa * z->kernel->size + at, 0, 2);
}

static void prefetch_b(tg_Prefetch *x) {
    for (int64_t i = 0; i < x->share && x->rows > 0; i++) {
        __builtin_prefetch(x->row + x->at, 0, 2);
        x->at += 64;
        if (x->at < x->bytes) continue;
        x->at = 0;
        x->row += x->step;
        x->rows--;
    }
}

/* All rows of one chunk of columns. */
static void chunk_product(const tg_Macrokernel *z, int64_t from, int64_t to) {
    const tg_GemmKernel *kernel = z->kernel;
    const char *a = z->a;
    const int64_t wide = kernel->columns, parts = (to - from + wide - 1) / wide;
    const int64_t packed = tg_a_panel_size(kernel, z->kc) * kernel->size;
    const int vectors = wide > 2 * kernel->lanes ? 3 : 2;
    const bool prefetches = parts > 1 && z->kc >= 64;
    for (int64_t i = 0, h; i < z->mc; i += h, a += z->a_packed ? packed : h * z->rsa * kernel->size) {
        int64_t left = from;
        tg_Panel p;
        h = tg_tile_height(kernel, z->mc - i);
        int64_t jr = from;
        if (h == 1 && kernel->row_tile && !z->b_packed && z->c.column == 1 && (!z->from.data || z->from.column == 1))
            for (; jr + TG_ROW_TILE_BYTES / kernel->size <= to; jr += TG_ROW_TILE_BYTES / kernel->size)
                kernel->row_tile(z->kc, a, z->csa, z->b + jr * kernel->size, z->ldb,
                                 tg_element_at(kernel, &z->c, i, jr),
                                 z->from.data ? tg_element_at(kernel, &z->from, i, jr) : NULL);
        for (; jr < to; jr = p.start + p.width) {
            p = z->nc - jr > wide + kernel->lanes ? (tg_Panel){jr, wide, vectors} : tg_panel_at(kernel, z->nc, jr);
            if (prefetches && i + h < z->mc)
                prefetch_a(z, a + (z->a_packed ? packed : h * z->rsa * kernel->size), (int)h, (jr - from) / wide,
                           parts);
            if (z->ahead) prefetch_b(z->ahead);
            const int64_t first = tile(z, i, (int)h, a, jr, p);
            left = first < left ? first : left;
        }
        if (z->epilogue) z->epilogue->epilogue(z->epilogue->context, z->i + i, z->j + left, h, to - left);
    }
}

void tg_macrokernel(const tg_Macrokernel *z) {
    for (int64_t jr = z->j0, end; jr < z->j1; jr = end) {
        end = z->j1 - jr > z->span ? tg_panels_end(z->kernel, z->nc, jr + z->span) : z->j1;
        chunk_product(z, jr, end);
    }
}
