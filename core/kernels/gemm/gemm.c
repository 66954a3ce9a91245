/* core/kernels/gemm/gemm.c: packed, register-blocked matrix product, after K. Goto and R. van de Geijn, "Anatomy of
 * High-Performance Matrix Multiplication" (2008), in the loop order and with the names of BLIS (F. Van Zee and R. van
 * de Geijn, 2015).
 *
 * The idea: a product does M N K multiply-adds on M K + K N + M N elements, so each element can be used many times for
 * each time it is loaded, if it is used while it is in a near cache.
 *
 *     B block, up to 8 MB, packed: several slabs, each KC x NC: stays in L3
 *       for jb in steps of NB        columns of the block     for pc in steps of KC: B chunk, KC x NB: in half of L2
 *         for ir in steps of MR      rows of C                A panel, MR x KC: read in place, or packed, stays in L1
 *           for jr in steps of NR    columns of the chunk     B panel, KC x NR: streams from L2
 *             micro-kernel                                    C tile, MR x NR: stays in registers
 *
 * The two inner loops are the macro-kernel (gemm_macrokernel.c); the micro-kernel is gemm_microkernel.inc.
 *
 * Budget, float with AVX2: C tile 4 x 24 in 12 registers of 16 (6 x 16 where B is not packed, or narrow); A panel 4 x
 * 512 x 4 bytes = 8 KB of 32 KB L1; B chunk 512 x 128 x 4 bytes = 256 KB of 512 KB L2. Each step k of a tile reads 96
 * bytes of B in 6 cycles, half of L2's bandwidth; what comes from L3, the next A panel and the tile of C, comes once
 * per chunk. So A need not be packed where its rows are contiguous: that alone gains 2 to 5 percent in products with
 * 256 to 512 columns. Where they are not, some 100 rows of a slab at a time are packed by the thread that uses them
 * next.
 *
 * Packing B lets the micro-kernel read it sequentially, but it costs a copy. B that would be used only a few times is
 * read in place, if its rows are contiguous, panel by panel for all rows; all small products are computed so. With some
 * hundred rows the time goes into loading a large B: then each thread packs some columns at a time, into L2, and
 * prefetches the next ones while it uses these.
 *
 * The sum over k runs upwards from k = 0 in one lane, in slabs of equal depth whose sums are added up in order,
 * whatever the tile. So any rectangle of C has the bits of the whole (except that one column alone may be computed by
 * dot products, gemv.c), and rectangles share nothing but the operands: B is packed by all threads, and then they
 * divide the chunks of columns, and the rows of each chunk. */
#include <stddef.h>
#include <stdlib.h>

#include "core/kernels/gemm/gemm_pack.h"
#include "core/kernels/parallel.h"
#include "core/memory/large_blocks.h"

/* bytes of a chunk of B, and of one that is streamed */
enum { CHUNK_BYTES = 256 * 1024, STREAM_BYTES = 128 * 1024, SLICE_ROWS = 400 };
/* pieces of C if A is packed: once, or again for each piece */
enum { SOME_SHARES = 24, FEW_SHARES = 8 };
enum { FEW = 32, SOME = 128, NARROW = 28, SHALLOW = 64 }; /* rows; rows; columns; depth: see should_transpose */
enum { SMALL = 1 << 14, LARGE = 1 << 18, PAGE = 4096 };   /* elements of a matrix, elements, bytes */

/* ---- the outer loops ---- */

/* The prefetch of `columns` columns of B from j on, in the slab that begins at depth pc, by the tiles of the block
 * z. */
static tg_Prefetch prefetch_of(const tg_GemmPlan *s, const tg_Macrokernel *z, int64_t pc, int64_t j, int64_t columns) {
    const tg_Matrix *b = &s->g->b;
    const int64_t size = s->kernel->size, kc = tg_slab_depth_at(s, pc), wide = s->kernel->columns,
                  high = s->kernel->rows;
    const bool by_rows = b->column == 1;
    const int64_t rows = by_rows ? kc : columns, bytes = (by_rows ? columns : kc) * size,
                  lines = rows * ((bytes + 63) / 64);
    const int64_t tiles = (z->mc + high - 1) / high * ((z->j1 - z->j0 + wide - 1) / wide);
    return (tg_Prefetch){.row = tg_element_at(s->kernel, b, pc, j),
                         .rows = rows,
                         .step = (by_rows ? b->row : b->column) * size,
                         .bytes = bytes,
                         .share = (lines + tiles - 1) / tiles};
}

/* The columns j0 .. j1 - 1 of a slab, chunk by chunk; each thread packs a chunk, and prefetches the next one while it
 * uses this one. */
static void stream_b(const tg_GemmPlan *s, tg_Macrokernel *z, int64_t pc, int64_t j0, int64_t j1) {
    tg_Prefetch ahead = {.rows = 0};
    z->ahead = &ahead;
    for (z->j0 = j0; z->j0 < j1; z->j0 = z->j1) {
        z->j1 = j1 - z->j0 > s->span ? tg_panels_end(s->kernel, z->nc, z->j0 + s->span) : j1;
        z->b0 = z->j0;
        z->b = tg_pack_b_columns(s, pc, z->j0, z->j1);
        const bool last = z->j1 == j1;
        const int64_t j = last ? j0 : z->j1, depth = last ? pc + z->kc : pc;
        if (depth < s->g->k) ahead = prefetch_of(s, z, depth, j, j1 - j < s->span ? j1 - j : s->span);
        tg_macrokernel(z);
    }
}

/* The rows i .. i + rows - 1 of the columns j0 .. j1 - 1 of a step, slab by slab; a packed A some rows at a time. */
static void c_rectangle(const tg_GemmPlan *s, int64_t i, int64_t rows, int64_t j0, int64_t j1) {
    const tg_Product *g = s->g;
    const tg_GemmKernel *kernel = s->kernel;
    tg_Macrokernel z = {.kernel = kernel,
                        .j0 = j0,
                        .j1 = j1,
                        .nc = s->nc,
                        .j = s->jc,
                        .ldb = g->b.row,
                        .b_packed = s->b_packed,
                        .span = s->span};
    char *buffer;
    const int64_t most = tg_plan_a_rows(s, &buffer), end = i + rows;
    z.a_packed = buffer;
    z.rsa = buffer ? 1 : g->a.row;
    z.csa = buffer ? kernel->rows : g->a.column;
    for (z.i = i; z.i < end; z.i += z.mc) {
        z.mc = end - z.i < most ? end - z.i : most;
        z.c = (tg_Matrix){tg_element_at(kernel, &g->c, z.i, s->jc), g->c.row, g->c.column};
        for (int64_t pc = s->pc; pc < s->pc + s->depth; pc += z.kc) {
            const tg_Matrix *from = pc == 0 ? &g->plus : &g->c;
            z.kc = tg_slab_depth_at(s, pc);
            z.from = (tg_Matrix){from->data ? tg_element_at(kernel, from, z.i, s->jc) : NULL, from->row, from->column};
            z.epilogue = g->epilogue && pc + z.kc == g->k ? g : NULL;
            z.a = buffer ? tg_packed_a(s, buffer, z.i, z.mc, pc) : tg_element_at(kernel, &g->a, z.i, pc);
            if (s->streams_b) {
                stream_b(s, &z, pc, j0, j1);
            } else {
                z.b = tg_packed_b(s, pc);
                tg_macrokernel(&z);
            }
        }
    }
}

/* Items are chunks of columns in slices of rows, in this order; whole slices are combined, up to SLICE_ROWS rows. */
static void c_pieces(int64_t from, int64_t to, void *context) {
    const tg_GemmPlan *s = context;
    const int64_t m = s->g->m, high = s->kernel->rows, tiles = (m + high - 1) / high;
    const int64_t wide = s->kernel->columns, panels = s->nc / wide;
    const int64_t most = SLICE_ROWS * s->slices < m ? 1 : SLICE_ROWS * s->slices / m;
    for (int64_t item = from, next; item < to; item = next) {
        const int64_t slice = item / s->chunks, first = item % s->chunks, whole = first ? 0 : (to - item) / s->chunks;
        const int64_t slices = whole > most ? most : whole ? whole : 1, end = (slice + slices) * s->chunks;
        next = to < end ? to : end;
        const int64_t last = whole ? s->chunks : next - slice * s->chunks,
                      i1 = (slice + slices) * tiles / s->slices * high;
        const int64_t i0 = slice * tiles / s->slices * high, j0 = first * panels / s->chunks * wide;
        c_rectangle(s, i0, (i1 < m ? i1 : m) - i0, j0, last == s->chunks ? s->nc : last * panels / s->chunks * wide);
    }
}

/* Cuts C into chunks of columns whose B stays in L2, and for `shares` pieces in all into slices of rows, some tiles
 * each, or narrower chunks. If A is packed and there are enough rows, a slice has all columns: a thread that began
 * within it would pack A again. If each thread packs all of A once, there is one slice: then it matters that B is read
 * once. */
static void partition_c(tg_GemmPlan *s, int64_t shares) {
    const int64_t wide = s->kernel->columns, tiles = (s->g->m + s->kernel->rows - 1) / s->kernel->rows,
                  panels = s->nc / wide;
    if (shares == 1 && s->nc * s->kc * s->kernel->size <= CHUNK_BYTES) {
        s->chunks = s->slices = 1;
        s->span = s->b_packed || s->g->m == 1 ? s->nc : wide;
        return;
    }
    if (s->streams_b) {
        const int64_t near = STREAM_BYTES / (s->kc * wide * s->kernel->size),
                      least = s->packs_a && !s->reuses_a ? FEW_SHARES : SOME_SHARES;
        s->span = (near > 1 ? near : 1) * wide;
        s->chunks = s->nc / s->span > least ? s->nc / s->span : least < panels ? least : panels;
        s->slices = 1;
        return;
    }
    const int64_t vector = s->kernel->lanes * s->kernel->size,
                  chunk = CHUNK_BYTES * vector / 32 / (s->kc * wide * s->kernel->size);
    s->chunks = panels <= chunk ? 1 : (panels + chunk - 1) / chunk;
    s->span = s->g->m == 1 ? s->nc : s->b_packed && panels ? (panels + s->chunks - 1) / s->chunks * wide : wide;
    if (s->packs_a && !s->reuses_a) s->chunks = 1;
    const int64_t slices = (shares + s->chunks - 1) / s->chunks;
    const int64_t most = s->reuses_a ? 1 : s->packs_a ? tiles : tiles < 8 ? 1 : tiles / 4;
    s->slices = slices < most ? slices : most;
    const int64_t left = (s->packs_a && shares > SOME_SHARES ? SOME_SHARES : shares) / s->slices;
    const int64_t chunks = left < panels ? left : panels;
    if (s->chunks < chunks) s->chunks = chunks;
}

/* The thresholds for packing were measured: A is packed if its rows are not contiguous and it is used for many columns,
 * B if it is used for many rows. */
static void blocked_product(tg_Product *g, const tg_GemmKernel *kernel, int64_t shares, const tg_BatchStrides *next,
                            int64_t count) {
    _Alignas(64) char one_panel[TG_B_PANEL_BYTES];
    tg_GemmPlan s = {
        .g = g, .kernel = kernel, .nc = g->n, .kc = tg_slab_depth(g->k), .depth = g->k, .b_buffer = one_panel};
    /* of the cache for all rows of a panel of B: too few ways */
    const bool one_set = g->n * g->k > LARGE && g->b.row * kernel->size % PAGE == 0;
    s.b_packed = g->packed || g->b.column != 1 || g->n < kernel->lanes ||
                 g->m > (one_set               ? 16
                         : g->n * g->k > SMALL ? 48
                                               : 96);
    s.packs_a = g->a.column != 1 && g->n > (g->k <= SHALLOW || g->m * g->k <= SMALL ? 8 : 2) * kernel->lanes;
    if (g->packed || (s.b_packed && g->a.column == 1)) s.kernel = tg_packed_kernel(kernel, g->n);
    const bool packs_b = s.b_packed && !g->packed;
    if (shares > 1) tg_plan_packing_per_thread(&s);
    const bool shared_b = packs_b && !s.packs_b_per_thread && !s.streams_b;
    void *const heap_block = shared_b ? tg_plan_b_block(&s, shares > 1, g->m > SLICE_ROWS / 2) : NULL;
    const int64_t columns = s.nc, deepest = s.depth;
    for (;; tg_advance(g, next, kernel->size)) {
        for (s.jc = 0; s.jc < g->n; s.jc += s.nc) {
            s.nc = g->n - s.jc < columns ? g->n - s.jc : columns;
            for (s.pc = 0; s.pc < g->k; s.pc += s.depth) {
                s.depth = g->k - s.pc < deepest ? g->k - s.pc : deepest;
                if (shared_b) tg_pack_b(&s, shares > 1);
                partition_c(&s, shares);
                if (shares > 1) tg_parallel(s.chunks * s.slices, 1, c_pieces, &s);
                else c_rectangle(&s, 0, g->m, 0, s.nc);
            }
        }
        if (--count == 0) break;
    }
    if (heap_block) tg_large_block_free(heap_block);
}

/* ---- the whole product ---- */

/* k = 0: C = plus, or 0. (x + -0 is x for every x, also for -0.) */
static void zero_depth(const tg_Product *g, const tg_GemmKernel *kernel) {
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) tg_store_sum(g, kernel, i, j, -0.0);
    if (g->epilogue) g->epilogue(g->context, 0, 0, g->m, g->n);
}

static tg_Matrix transposed(tg_Matrix x) {
    return (tg_Matrix){x.data, x.column, x.row};
}

/* Whether C^T = B^T A^T is faster: for a C with contiguous columns; for few rows times a wide B with contiguous
 * columns, and for a tall A with contiguous columns times a narrow B, so that the larger one is read in place; for two
 * small operands with contiguous columns, if C is so small that transposing it is less work than packing them. */
static bool should_transpose(const tg_Product *g) {
    const bool a_by_columns = g->a.row == 1 && g->a.column != 1, b_by_columns = g->b.row == 1 && g->b.column != 1;
    if (g->c.column != 1) return g->c.row == 1 && g->m > 1;
    if (b_by_columns && g->n > g->m && (g->m == 1 || (g->m >= 8 && g->m <= FEW && g->k >= 64))) return true;
    if (b_by_columns && g->n >= 2 * g->m && g->m >= 8 && g->m <= SOME && g->k >= 256) return true;
    if (a_by_columns && g->n <= NARROW && g->m >= 2 * g->n && g->k >= 64) return true;
    return a_by_columns && b_by_columns && g->m * g->n <= SMALL &&
           2 * tg_slab_depth(g->k) * (g->m + g->n) >= 5 * g->m * g->n;
}

/* Brings the product into the form that is fastest. A stride along an extent of 1 is never used: it is set to 1, which
 * needs no packing. */
static void normalize(tg_Product *g, tg_BatchStrides *next) {
    if (g->m == 1) g->a.row = g->c.row = g->plus.row = 1;
    if (g->n == 1) g->b.column = g->c.column = g->plus.column = 1;
    if (g->k == 1) g->a.column = g->b.row = 1;
    if (g->epilogue || g->packed || !should_transpose(g)) return;
    *g = (tg_Product){.m = g->n, .n = g->m, .k = g->k, .a = transposed(g->b), .b = transposed(g->a),
                      .c = transposed(g->c), .plus = transposed(g->plus)};
    *next = (tg_BatchStrides){{next->of[1], next->of[0], next->of[2], next->of[3]}};
}

void tg_gemm_strided_batch(bool is_double, tg_Product g, tg_BatchStrides next, int64_t count) {
    if (g.m <= 0 || g.n <= 0 || tg_gemm_small(is_double, &g, &next, count)) return;
    const bool has_columns = g.n != 1;
    normalize(&g, &next);
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, g.n);
    const int64_t shares = tg_gemm_shares((double)g.m * (double)g.n * (double)g.k, INT64_MAX);
    for (int64_t some = 1; count > 0; count -= some, tg_advance(&g, &next, kernel->size))
        if (g.k <= 0) zero_depth(&g, kernel);
        else if (!tg_gemv(&g, kernel, has_columns))
            blocked_product(&g, kernel, shares, &next, some = shares > 1 ? 1 : count);
}

void tg_gemm(bool is_double, const tg_Product *p) {
    tg_gemm_strided_batch(is_double, *p, (tg_BatchStrides){{0}}, 1);
}
