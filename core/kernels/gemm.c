/* Packed, register-blocked matrix product, after K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication" (2008), in the loop order and with the names of BLIS (F. Van Zee and R. van de Geijn, 2015).
 *
 * The idea: a product does M N K multiply-adds on M K + K N + M N numbers, so each number can be used many times for
 * each time it is fetched, if it is used while it is near.
 *
 *     for jc in steps of NC          columns of C           B block, KC x NC, packed: stays in L3
 *       for pc in steps of KC        depth
 *         for ic in steps of MC      rows of C              A block, MC x KC, packed: stays in half of L2
 *           for jr in steps of NR    columns of the block   B panel, KC x NR: stays in half of L1
 *             for ir in steps of MR  rows of the block      A panel, MR x KC: streams from L2
 *               micro-kernel                                C tile, MR x NR: stays in registers
 *
 * Budget, float with AVX2: C tile 6 x 16 in 12 registers of 16; B panel 256 x 16 x 4 bytes = 16 KB of 32 KB L1;
 * A block 192 x 256 (its panels filled up to 8 rows) x 4 bytes = 256 KB; B block 256 x 1024 x 4 bytes = 1 MB. (The model
 * of T. Low et al., "Analytical Modeling Is Enough for High-Performance BLIS", 2016: fill L1 with the B panel, L2 with the
 * A block, and leave room for what streams by.)
 *
 * Packing lets the micro-kernel read both operands in one straight line, but it costs a copy. A block that would be
 * used only a few times is read where it lies, if its rows do. That is the path of all small products.
 *
 * The sum over k runs upwards from k = 0 in one lane, in slabs of equal depth whose sums are added up in turn, whatever the
 * tile. So any rectangle of C has the bits of the whole, and shares nothing with other rectangles but the operands: threads
 * divide its rows (the B block is packed for all of them, by all of them) or, where rows are few, its columns. */
#include "gemm.h"

#include <stddef.h>
#include <stdlib.h>

#include "gemm_kernel.h"
#include "parallel.h"

enum { KC = 256, DEEPEST = KC + KC / 2, A_BYTES = 256 * 1024, B_BYTES = 1024 * 1024, WIDEST = 32 * 4 /* bytes of a tile's row, at most */ };
enum { PACK_GRAIN = 1 << 14, FEW = 32 }; /* numbers; rows or columns */

/* ---- room for the packed block of A and the packed block of B ----
 * Each thread gets its own at its first product. Where there is no memory for one, it makes do with a panel on the stack, so
 * that a product cannot fail. */
static _Thread_local char *blocks;

static char *own_blocks(void) {
    if (!blocks) blocks = aligned_alloc(64, A_BYTES + B_BYTES);
    return blocks;
}

void tg_gemm_drain(void) {
    free(blocks);
    blocks = NULL;
}

/* ---- tiles and panels ---- */

static char *at(const tg_GemmKernel *kernel, const tg_Matrix *x, int64_t i, int64_t j) {
    return (char *)x->data + (i * x->row + j * x->column) * kernel->size;
}

/* The height of the next tile where so many rows are left. Where tiles of each height exist, the last two are made alike:
 * 13 rows are 6 + 4 + 3; of the higher ones not all exist: 13 rows are 12 + 1. */
static int height(const tg_GemmKernel *kernel, int64_t left) {
    const int most = kernel->rows;
    if (left >= 2 * most) return most;
    int h = left <= most ? (int)left : most <= 6 ? (int)(left + 1) / 2 : most;
    while (!kernel->micros[h - 1][0][0]) h--;
    return h;
}

/* One panel of a block of B: width columns from start on, in one or two vectors. The last one slides back to end with the last
 * column, overlapping its neighbour instead of leaving the matrix. (A block narrower than one vector cannot do that; its panel
 * is packed, and filled up with anything.) */
typedef struct Panel {
    int64_t start, width;
    int vectors;
} Panel;

static Panel panel_at(int lanes, int64_t nc, int64_t jr) {
    const int vectors = nc >= 2 * lanes && nc - jr > lanes ? 2 : 1, full = vectors * lanes;
    const int64_t last = nc > full ? nc - full : 0, start = jr < last ? jr : last;
    return (Panel){start, nc - start < full ? nc - start : full, vectors};
}

/* ---- the two inner loops: every tile of one block ---- */

/* One block product: C block (mc x nc) = A block (mc x kc) * B block (kc x nc) + from. */
typedef struct Block {
    const tg_GemmKernel *kernel;
    int64_t mc, nc, kc;
    const char *a; /* packed panels, or A where it lies by rows */
    int64_t lda;
    bool a_packed, b_packed;
    const char *b; /* packed panels, or B where it lies by rows */
    int64_t ldb;
    tg_Matrix c, from; /* from: plus, C itself from the second slab on, or nothing */
    const tg_Product *finish; /* in the last slab, if there is anything to be done then */
    int64_t i, j;             /* where in C the block is */
} Block;

/* The tiles of one panel. A whole tile goes straight to C. The others are made beside it first: those that are filled up, those
 * whose columns do not lie side by side, and those that slid back over columns to which their sum has been added already. */
static void panel_product(const Block *z, int64_t jr, Panel p) {
    const tg_GemmKernel *kernel = z->kernel;
    const int64_t size = kernel->size, ldb = z->b_packed ? p.vectors * kernel->lanes : z->ldb;
    const bool full = p.width == p.vectors * kernel->lanes && (p.start == jr || z->from.data != z->c.data);
    const bool whole = full && z->c.column == 1 && (!z->from.data || z->from.column == 1);
    const int64_t left = whole ? p.start : jr;
    const char *a = z->a, *b = z->b + (z->b_packed ? jr * z->kc : p.start) * size;
    for (int64_t i = 0, h; i < z->mc; i += h, a += (z->a_packed ? kernel->padded * z->kc : h * z->lda) * size) {
        h = height(kernel, z->mc - i);
        const tg_Micro micro = kernel->micros[h - 1][!z->a_packed][p.vectors - 1];
        char *c = at(kernel, &z->c, i, p.start), *from = z->from.data ? at(kernel, &z->from, i, p.start) : NULL;
        if (whole) {
            micro(z->kc, a, z->lda, b, ldb, c, z->c.row, from, z->from.row);
        } else {
            _Alignas(64) char tile[TG_GEMM_ROWS * WIDEST];
            micro(z->kc, a, z->lda, b, ldb, tile, 2 * kernel->lanes, NULL, 0);
            kernel->edge(tile, (int)h, jr - p.start, p.width, c, z->c.row, z->c.column, from, z->from.row, z->from.column);
        }
        if (z->finish) z->finish->finish(z->finish->context, z->i + i, z->j + left, h, p.start + p.width - left);
    }
}

static void block_product(const Block *z) {
    Panel p;
    for (int64_t jr = 0; jr < z->nc; jr = p.start + p.width) {
        p = panel_at(z->kernel->lanes, z->nc, jr);
        panel_product(z, jr, p);
    }
}

/* ---- the three outer loops ---- */

/* One step of them, for a rectangle of C: columns jc .. jc + nc, depth pc .. pc + kc of the rows i0 .. i1, which are divided
 * into so many shares of whole tiles. */
typedef struct Step {
    const tg_Product *g;
    Block block;
    int64_t i0, i1, jc, pc, shares;
    char *b_room;
} Step;

static void pack_a(const Step *s, char *out, int64_t ic, int64_t mc) {
    const tg_GemmKernel *kernel = s->block.kernel;
    const tg_Matrix *a = &s->g->a;
    for (int64_t i = 0, h; i < mc; i += h, out += kernel->padded * s->block.kc * kernel->size) {
        h = height(kernel, mc - i);
        kernel->pack(out, kernel->padded, h, s->g->m - ic - i, s->block.kc, at(kernel, a, ic + i, s->pc), a->row, a->column);
    }
}

/* The panels from .. to - 1 of the block of B. */
static void pack_b(int64_t from, int64_t to, void *context) {
    const Step *s = context;
    const tg_GemmKernel *kernel = s->block.kernel;
    const tg_Matrix *b = &s->g->b;
    const int64_t nc = s->block.nc, kc = s->block.kc, end = to * 2 * kernel->lanes;
    Panel p;
    for (int64_t jr = from * 2 * kernel->lanes; jr < nc && jr < end; jr = p.start + p.width) {
        p = panel_at(kernel->lanes, nc, jr);
        kernel->pack(s->b_room + jr * kc * kernel->size, p.vectors * kernel->lanes, p.width, p.width, kc,
                     at(kernel, b, s->pc, s->jc + p.start), b->column, b->row);
    }
}

static void rows_of_c(int64_t from, int64_t to, void *context) {
    const Step *s = context;
    const tg_Product *g = s->g;
    const tg_GemmKernel *kernel = s->block.kernel;
    const int height_of_all = kernel->rows;
    _Alignas(64) char one_panel[WIDEST * DEEPEST]; /* a panel of A is 16 wide at most */
    char *const own = own_blocks(), *const room = own ? own : one_panel;
    Block z = s->block;
    const int64_t tiles = (s->i1 - s->i0 + height_of_all - 1) / height_of_all, last = s->i0 + to * tiles / s->shares * height_of_all;
    const int64_t end = last < s->i1 ? last : s->i1;
    const int64_t most = own ? A_BYTES / (z.kc * kernel->padded * kernel->size) * height_of_all : height_of_all;
    for (int64_t ic = s->i0 + from * tiles / s->shares * height_of_all; ic < end; ic += z.mc) {
        z.mc = end - ic < most ? end - ic : most;
        if (z.a_packed) pack_a(s, room, ic, z.mc);
        z.a = z.a_packed ? room : at(kernel, &g->a, ic, s->pc);
        z.i = ic;
        z.c.data = at(kernel, &s->block.c, ic, 0);
        if (z.from.data) z.from.data = at(kernel, &s->block.from, ic, 0);
        block_product(&z);
    }
}

/* Slabs are as deep as each other, as far as can be: about KC. */
static int64_t depth_of_slab(int64_t k) {
    const int64_t slabs = k <= DEEPEST ? 1 : (k + KC / 2 - 1) / KC;
    return (k + slabs - 1) / slabs;
}

static int64_t width_of_packed(const tg_GemmKernel *kernel, int64_t n) {
    return (n + kernel->lanes - 1) / kernel->lanes * kernel->lanes;
}

/* For rows i0 .. i1 and columns j0 .. j1 of C. When it pays to pack was found by measuring: A when it is used for many
 * columns, B when it is used for many rows. */
static void rectangle(const tg_Product *g, const tg_GemmKernel *kernel, int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t shares) {
    _Alignas(64) char one_panel[WIDEST * DEEPEST];
    char *const own = own_blocks();
    const int lanes = kernel->lanes, wide = 2 * lanes;
    const int64_t kc = depth_of_slab(g->k), most = g->packed ? j1 - j0 : own ? B_BYTES / (kc * kernel->size) / wide * wide : wide;
    Step s = {.g = g, .i0 = i0, .i1 = i1, .shares = shares, .b_room = own ? own + A_BYTES : one_panel};
    Block *const z = &s.block;
    *z = (Block){.kernel = kernel, .lda = g->a.row, .ldb = g->b.row, .a_packed = g->a.column != 1 || j1 - j0 > 4 * wide};
    for (s.jc = j0; s.jc < j1; s.jc += z->nc) {
        z->nc = j1 - s.jc < most ? j1 - s.jc : most;
        z->b_packed = g->packed || g->b.column != 1 || z->nc < lanes || i1 - i0 > 96;
        z->j = s.jc;
        z->c = (tg_Matrix){at(kernel, &g->c, 0, s.jc), g->c.row, g->c.column};
        for (s.pc = 0; s.pc < g->k; s.pc += z->kc) {
            const tg_Matrix *from = s.pc == 0 ? &g->plus : &g->c;
            z->kc = g->k - s.pc < kc ? g->k - s.pc : kc;
            z->from = (tg_Matrix){from->data ? at(kernel, from, 0, s.jc) : NULL, from->row, from->column};
            z->finish = g->finish && s.pc + z->kc == g->k ? g : NULL;
            const int64_t panels = (z->nc + wide - 1) / wide;
            if (z->b_packed && !g->packed) tg_parallel(panels, shares > 1 ? 1 + PACK_GRAIN / (wide * z->kc) : panels, pack_b, &s);
            if (g->packed) z->b = (const char *)g->packed + (s.pc * width_of_packed(kernel, g->n) + j0 * z->kc) * kernel->size;
            else z->b = z->b_packed ? s.b_room : at(kernel, &g->b, s.pc, s.jc);
            if (shares > 1) tg_parallel(shares, 1, rows_of_c, &s);
            else rows_of_c(0, 1, &s);
        }
    }
}

typedef struct Columns {
    const tg_Product *g;
    const tg_GemmKernel *kernel;
    int64_t shares;
} Columns;

static void columns_of_c(int64_t from, int64_t to, void *context) {
    const Columns *s = context;
    const int64_t n = s->g->n, wide = 2 * s->kernel->lanes, panels = n / wide;
    rectangle(s->g, s->kernel, 0, s->g->m, from * panels / s->shares * wide, to == s->shares ? n : to * panels / s->shares * wide, 1);
}

/* ---- the whole product ---- */

static void copy_one(bool is_double, void *to, const void *from) {
    if (is_double) *(double *)to = from ? *(const double *)from : 0;
    else *(float *)to = from ? *(const float *)from : 0;
}

/* k = 0 */
static void empty_sum(const tg_Product *g, const tg_GemmKernel *kernel) {
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++)
            copy_one(kernel->size == 8, at(kernel, &g->c, i, j), g->plus.data ? at(kernel, &g->plus, i, j) : NULL);
    if (g->finish) g->finish(g->context, 0, 0, g->m, g->n);
}

static tg_Matrix turned(tg_Matrix x) {
    return (tg_Matrix){x.data, x.column, x.row};
}

/* The product as it is easiest to make. A stride along an extent of 1 is never used: let it be the one that needs no packing.
 * And C^T = B^T A^T, for a C that lies by columns; for a few rows times a wide B that lies by columns, and for a high A that
 * lies by columns times a narrow B, to leave the larger one there. */
static tg_Product easiest(tg_Product g) {
    if (g.m == 1) g.a.row = g.c.row = g.plus.row = 1;
    if (g.n == 1) g.b.column = g.c.column = g.plus.column = 1;
    if (g.k == 1) g.a.column = g.b.row = 1;
    const bool by_columns = g.c.row == 1 && g.c.column != 1 && g.m > 1, deep = g.k >= 64;
    const bool few_rows = (g.m == 1 || (g.m >= 8 && g.m <= FEW && deep)) && g.n > g.m && g.b.row == 1 && g.b.column != 1;
    const bool high = g.a.row == 1 && g.a.column != 1 && g.n <= FEW && g.m >= 2 * g.n && deep && g.c.column == 1;
    if (g.finish || g.packed || !(by_columns || few_rows || high)) return g;
    return (tg_Product){.m = g.n, .n = g.m, .k = g.k, .a = turned(g.b), .b = turned(g.a), .c = turned(g.c), .plus = turned(g.plus)};
}

void tg_gemm(bool is_double, const tg_Product *p) {
    if (p->m <= 0 || p->n <= 0) return;
    const tg_Product g = easiest(*p);
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, g.n);
    const int64_t tiles = (g.m + kernel->rows - 1) / kernel->rows, panels = g.n / (2 * kernel->lanes);
    const double multiply_adds = (double)g.m * (double)g.n * (double)g.k;
    if (g.k <= 0) {
        empty_sum(&g, kernel);
    } else if (tiles >= 8 || tiles >= panels) {
        rectangle(&g, kernel, 0, g.m, 0, g.n, tg_gemm_shares(multiply_adds, tiles));
    } else {
        Columns s = {&g, kernel, tg_gemm_shares(multiply_adds, panels)};
        if (s.shares > 1) tg_parallel(s.shares, 1, columns_of_c, &s);
        else rectangle(&g, kernel, 0, g.m, 0, g.n, 1);
    }
}

/* ---- B packed once for all ---- */

size_t tg_gemm_packed_bytes(bool is_double, const tg_Product *p) {
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, p->n);
    return ((size_t)(width_of_packed(kernel, p->n) * p->k * kernel->size) + 63) / 64 * 64;
}

void tg_gemm_pack(bool is_double, const tg_Product *p, void *room) {
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, p->n);
    const int64_t kc = depth_of_slab(p->k), wide = 2 * kernel->lanes, panels = (p->n + wide - 1) / wide;
    Step s = {.g = p, .block = {.kernel = kernel, .nc = p->n}};
    for (s.pc = 0; s.pc < p->k; s.pc += s.block.kc) {
        s.block.kc = p->k - s.pc < kc ? p->k - s.pc : kc;
        s.b_room = (char *)room + s.pc * width_of_packed(kernel, p->n) * kernel->size;
        tg_parallel(panels, 1 + PACK_GRAIN / (wide * kc), pack_b, &s);
    }
}
