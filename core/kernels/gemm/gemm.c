/* Packed, register-blocked matrix product, after K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication" (2008), in the loop order and with the names of BLIS (F. Van Zee and R. van de Geijn, 2015).
 *
 * The idea: a product does M N K multiply-adds on M K + K N + M N numbers, so each number can be used many times for
 * each time it is fetched, if it is used while it is near.
 *
 *     B block, up to 8 MB, packed: several slabs, each KC x NC: stays in L3
 *       for jb in steps of NB        columns of the block     for pc in steps of KC: B chunk, KC x NB: stays in half of L2
 *         for ir in steps of MR      rows of C                A panel, MR x KC: read where it lies, or packed, stays in L1
 *           for jr in steps of NR    columns of the chunk     B panel, KC x NR: streams from L2
 *             micro-kernel                                    C tile, MR x NR: stays in registers
 *
 * Budget, float with AVX2: C tile 4 x 24 in 12 registers of 16 (6 x 16 where B is not packed, or narrow); A panel 4 x 512 x 4 bytes
 * = 8 KB of 32 KB L1; B chunk 512 x 128 x 4 bytes = 256 KB of 512 KB L2. A multiply-add of a tile takes 96 bytes of B in 6 cycles,
 * half of what L2 gives; what comes from L3, the next A panel and the tile of C, comes once in a chunk's width. So A need not be
 * packed where its rows lie in one piece: that alone is worth 2 to 5 percent of products with 512 to 256 columns. Where they do not,
 * some 100 rows of a slab at a time are packed by the thread that goes on to use them.
 *
 * Packing B lets the micro-kernel read it in one straight line, but it costs a copy. B that would be used only a few times is
 * read where it lies, if its rows do, panel by panel for all rows. That is the path of all small products. For some hundred rows what
 * takes long is to fetch a large B: each thread packs some columns at a time, into L2, and while it uses them it asks for the next.
 *
 * The sum over k runs upwards from k = 0 in one lane, in slabs of equal depth whose sums are added up in turn, whatever the
 * tile. So any rectangle of C has the bits of the whole (but one column alone may be made of dot products, gemv.c), and shares
 * nothing with other rectangles but the operands: B is packed by all threads, and then they divide the chunks of columns, and the rows
 * of each chunk. */
#include <stddef.h>
#include <stdlib.h>

#include "core/memory/large_blocks.h"
#include "core/kernels/gemm/gemm_step.h"
#include "core/kernels/parallel.h"

enum { CHUNK_BYTES = 256 * 1024, STREAM_BYTES = 128 * 1024, HIGH = 400 }; /* rows of a slice */
enum { SOME_SHARES = 24, FEW_SHARES = 8 };                    /* where A is packed; where that is done for each of them */
enum { FEW = 32, SOME = 128, NARROW = 28, SHALLOW = 64 };      /* rows; columns; numbers of a column */
enum { SMALL = 1 << 14, LARGE = 1 << 18, PAGE = 4096 };       /* numbers of B, or of A, or of C; bytes */

/* ---- the outer loops ---- */

/* So many columns of B from j on, in the slab that begins at depth pc, which the block z is to ask for. */
static tg_Ahead columns_ahead(const tg_GemmStep *s, const tg_Block *z, int64_t pc, int64_t j, int64_t columns) {
    const tg_Matrix *b = &s->g->b;
    const int64_t size = s->kernel->size, kc = tg_depth_at(s, pc), wide = s->kernel->columns, high = s->kernel->rows;
    const bool by_rows = b->column == 1;
    const int64_t rows = by_rows ? kc : columns, bytes = (by_rows ? columns : kc) * size, lines = rows * ((bytes + 63) / 64);
    const int64_t tiles = (z->mc + high - 1) / high * ((z->j1 - z->j0 + wide - 1) / wide);
    return (tg_Ahead){.row = tg_element_at(s->kernel, b, pc, j), .rows = rows, .step = (by_rows ? b->row : b->column) * size,
                      .bytes = bytes, .share = (lines + tiles - 1) / tiles};
}

/* The columns j0 .. j1 of a slab, some after the other; while they are used, those that are packed next are fetched. */
static void stream_b(const tg_GemmStep *s, tg_Block *z, int64_t pc, int64_t j0, int64_t j1) {
    tg_Ahead ahead = {.rows = 0};
    z->ahead = &ahead;
    for (z->j0 = j0; z->j0 < j1; z->j0 = z->j1) {
        z->j1 = j1 - z->j0 > s->span ? tg_end_of_panels(s->kernel, z->nc, z->j0 + s->span) : j1;
        z->b0 = z->j0;
        z->b = tg_columns_of_b(s, pc, z->j0, z->j1);
        const bool last = z->j1 == j1;
        const int64_t j = last ? j0 : z->j1, depth = last ? pc + z->kc : pc;
        if (depth < s->g->k) ahead = columns_ahead(s, z, depth, j, j1 - j < s->span ? j1 - j : s->span);
        tg_block_product(z);
    }
}

/* The rows i .. i + rows of the columns j0 .. j1 of a step, slab by slab; of an A that is packed, some rows after the other. */
static void part_of_c(const tg_GemmStep *s, int64_t i, int64_t rows, int64_t j0, int64_t j1) {
    const tg_Product *g = s->g;
    const tg_GemmKernel *kernel = s->kernel;
    tg_Block z = {.kernel = kernel, .j0 = j0, .j1 = j1, .nc = s->nc, .j = s->jc, .ldb = g->b.row, .b_packed = s->b_packed,
                  .span = s->span};
    char *room;
    const int64_t most = tg_rows_of_a(s, &room), end = i + rows;
    z.a_packed = room;
    z.rsa = room ? 1 : g->a.row;
    z.csa = room ? kernel->rows : g->a.column;
    for (z.i = i; z.i < end; z.i += z.mc) {
        z.mc = end - z.i < most ? end - z.i : most;
        z.c = (tg_Matrix){tg_element_at(kernel, &g->c, z.i, s->jc), g->c.row, g->c.column};
        for (int64_t pc = s->pc; pc < s->pc + s->depth; pc += z.kc) {
            const tg_Matrix *from = pc == 0 ? &g->plus : &g->c;
            z.kc = tg_depth_at(s, pc);
            z.from = (tg_Matrix){from->data ? tg_element_at(kernel, from, z.i, s->jc) : NULL, from->row, from->column};
            z.finish = g->finish && pc + z.kc == g->k ? g : NULL;
            z.a = room ? tg_slab_of_a(s, room, z.i, z.mc, pc) : tg_element_at(kernel, &g->a, z.i, pc);
            if (s->streams_b) {
                stream_b(s, &z, pc, j0, j1);
            } else {
                z.b = tg_slab_of_b(s, pc);
                tg_block_product(&z);
            }
        }
    }
}

/* Chunk after chunk of the columns of slice after slice of the rows; whole slices up to HIGH rows in one go. */
static void pieces_of_c(int64_t from, int64_t to, void *context) {
    const tg_GemmStep *s = context;
    const int64_t m = s->g->m, high = s->kernel->rows, tiles = (m + high - 1) / high;
    const int64_t wide = s->kernel->columns, panels = s->nc / wide;
    const int64_t most = HIGH * s->slices < m ? 1 : HIGH * s->slices / m;
    for (int64_t item = from, next; item < to; item = next) {
        const int64_t slice = item / s->chunks, first = item % s->chunks, whole = first ? 0 : (to - item) / s->chunks;
        const int64_t slices = whole > most ? most : whole ? whole : 1, end = (slice + slices) * s->chunks;
        next = to < end ? to : end;
        const int64_t last = whole ? s->chunks : next - slice * s->chunks, i1 = (slice + slices) * tiles / s->slices * high;
        const int64_t i0 = slice * tiles / s->slices * high, j0 = first * panels / s->chunks * wide;
        part_of_c(s, i0, (i1 < m ? i1 : m) - i0, j0, last == s->chunks ? s->nc : last * panels / s->chunks * wide);
    }
}

/* Chunks of columns that stay in L2, and for so many shares slices of the rows, some tiles each, or narrower chunks. Of an A that
 * is packed a slice serves all columns where there are rows enough: it would be packed again by whoever begins within it. Where each
 * thread keeps all of A, there are no slices: then what matters is to read B once. */
static void cut_c(tg_GemmStep *s, int64_t shares) {
    const int64_t wide = s->kernel->columns, tiles = (s->g->m + s->kernel->rows - 1) / s->kernel->rows, panels = s->nc / wide;
    if (shares == 1 && s->nc * s->kc * s->kernel->size <= CHUNK_BYTES) {
        s->chunks = s->slices = 1;
        s->span = s->b_packed || s->g->m == 1 ? s->nc : wide;
        return;
    }
    if (s->streams_b) {
        const int64_t near = STREAM_BYTES / (s->kc * wide * s->kernel->size), least = s->packs_a && !s->keeps_a ? FEW_SHARES : SOME_SHARES;
        s->span = (near > 1 ? near : 1) * wide;
        s->chunks = s->nc / s->span > least ? s->nc / s->span : least < panels ? least : panels;
        s->slices = 1;
        return;
    }
    const int64_t vector = s->kernel->lanes * s->kernel->size, chunk = CHUNK_BYTES * vector / 32 / (s->kc * wide * s->kernel->size);
    s->chunks = panels <= chunk ? 1 : (panels + chunk - 1) / chunk;
    s->span = s->g->m == 1 ? s->nc : s->b_packed && panels ? (panels + s->chunks - 1) / s->chunks * wide : wide;
    if (s->packs_a && !s->keeps_a) s->chunks = 1;
    const int64_t slices = (shares + s->chunks - 1) / s->chunks;
    const int64_t most = s->keeps_a ? 1 : s->packs_a ? tiles : tiles < 8 ? 1 : tiles / 4;
    s->slices = slices < most ? slices : most;
    const int64_t left = (s->packs_a && shares > SOME_SHARES ? SOME_SHARES : shares) / s->slices;
    const int64_t chunks = left < panels ? left : panels;
    if (s->chunks < chunks) s->chunks = chunks;
}

/* When it pays to pack was found by measuring: A, if it does not lie by rows, when it is used for many columns, B when it is used
 * for many rows. */
static void in_steps(tg_Product *g, const tg_GemmKernel *kernel, int64_t shares, const tg_Steps *next, int64_t count) {
    _Alignas(64) char one_panel[TG_PANEL_BYTES];
    tg_GemmStep s = {.g = g, .kernel = kernel, .nc = g->n, .kc = tg_depth_of_slab(g->k), .depth = g->k, .b_room = one_panel};
    const bool one_set = g->n * g->k > LARGE && g->b.row * kernel->size % PAGE == 0; /* of the cache, for a whole panel of B */
    s.b_packed = g->packed || g->b.column != 1 || g->n < kernel->lanes || g->m > (one_set ? 16 : g->n * g->k > SMALL ? 48 : 96);
    s.packs_a = g->a.column != 1 && g->n > (g->k <= SHALLOW || g->m * g->k <= SMALL ? 8 : 2) * kernel->lanes;
    if (g->packed || (s.b_packed && g->a.column == 1)) s.kernel = tg_kernel_of_packed(kernel, g->n);
    const bool packs_b = s.b_packed && !g->packed;
    if (shares > 1) tg_each_packs(&s);
    const bool shared_b = packs_b && !s.each_b && !s.streams_b;
    void *const lent = shared_b ? tg_cut_b(&s, shares > 1, g->m > HIGH / 2) : NULL;
    const int64_t columns = s.nc, deepest = s.depth;
    for (;; tg_to_next(g, next, kernel->size)) {
        for (s.jc = 0; s.jc < g->n; s.jc += s.nc) {
            s.nc = g->n - s.jc < columns ? g->n - s.jc : columns;
            for (s.pc = 0; s.pc < g->k; s.pc += s.depth) {
                s.depth = g->k - s.pc < deepest ? g->k - s.pc : deepest;
                if (shared_b) tg_pack_b(&s, shares > 1);
                cut_c(&s, shares);
                if (shares > 1) tg_parallel(s.chunks * s.slices, 1, pieces_of_c, &s);
                else part_of_c(&s, 0, g->m, 0, s.nc);
            }
        }
        if (--count == 0) break;
    }
    if (lent) tg_large_block_free(lent);
}

/* ---- the whole product ---- */

/* k = 0. (-0 is what changes nothing that it is added to, -0 among it.) */
static void empty_sum(const tg_Product *g, const tg_GemmKernel *kernel) {
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) tg_put_sum(g, kernel, i, j, -0.0);
    if (g->finish) g->finish(g->context, 0, 0, g->m, g->n);
}

static tg_Matrix turned(tg_Matrix x) {
    return (tg_Matrix){x.data, x.column, x.row};
}

/* Whether C^T = B^T A^T is easier: for a C that lies by columns; for a few rows times a wide B that lies by columns, and for a high
 * A that lies by columns times a narrow B, to leave the larger one there; for small ones that both lie by columns, if C is so small
 * that to turn it is less work than to turn them. */
static bool is_easier_turned(const tg_Product *g) {
    const bool a_by_columns = g->a.row == 1 && g->a.column != 1, b_by_columns = g->b.row == 1 && g->b.column != 1;
    if (g->c.column != 1) return g->c.row == 1 && g->m > 1;
    if (b_by_columns && g->n > g->m && (g->m == 1 || (g->m >= 8 && g->m <= FEW && g->k >= 64))) return true;
    if (b_by_columns && g->n >= 2 * g->m && g->m >= 8 && g->m <= SOME && g->k >= 256) return true;
    if (a_by_columns && g->n <= NARROW && g->m >= 2 * g->n && g->k >= 64) return true;
    return a_by_columns && b_by_columns && g->m * g->n <= SMALL && 2 * tg_depth_of_slab(g->k) * (g->m + g->n) >= 5 * g->m * g->n;
}

/* Makes of the product what is easiest. A stride along an extent of 1 is never used: let it be the one that needs no packing. */
static void ease(tg_Product *g, tg_Steps *next) {
    if (g->m == 1) g->a.row = g->c.row = g->plus.row = 1;
    if (g->n == 1) g->b.column = g->c.column = g->plus.column = 1;
    if (g->k == 1) g->a.column = g->b.row = 1;
    if (g->finish || g->packed || !is_easier_turned(g)) return;
    *g = (tg_Product){.m = g->n, .n = g->m, .k = g->k, .a = turned(g->b), .b = turned(g->a), .c = turned(g->c), .plus = turned(g->plus)};
    *next = (tg_Steps){{next->of[1], next->of[0], next->of[2], next->of[3]}};
}

void tg_gemm_run(bool is_double, tg_Product g, tg_Steps next, int64_t count) {
    if (g.m <= 0 || g.n <= 0 || tg_gemm_few(is_double, &g, &next, count)) return;
    const bool has_columns = g.n != 1;
    ease(&g, &next);
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, g.n);
    const int64_t shares = tg_gemm_shares((double)g.m * (double)g.n * (double)g.k, INT64_MAX);
    for (int64_t some = 1; count > 0; count -= some, tg_to_next(&g, &next, kernel->size))
        if (g.k <= 0) empty_sum(&g, kernel);
        else if (!tg_gemm_by_vector(&g, kernel, has_columns))
            in_steps(&g, kernel, shares, &next, some = shares > 1 ? 1 : count);
}

void tg_gemm(bool is_double, const tg_Product *p) {
    tg_gemm_run(is_double, *p, (tg_Steps){{0}}, 1);
}
