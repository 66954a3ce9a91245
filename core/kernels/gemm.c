/* Packed, register-blocked matrix product, after K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication" (2008), in the loop order and with the names of BLIS (F. Van Zee and R. van de Geijn, 2015).
 *
 * The idea: a product does M N K multiply-adds on M K + K N + M N numbers, so each number can be used many times for
 * each time it is fetched, if it is used while it is near.
 *
 *     B block, up to 8 MB, packed: several slabs, each KC x NC: stays in L3
 *       for ic in steps of MC        rows of C
 *         for pc in steps of KC      depth, slab by slab    A block, MC x KC, packed: stays in half of L2
 *           for jr in steps of NR    columns of the block   B panel, KC x NR: stays in half of L1
 *             for ir in steps of MR  rows of the block      A panel, MR x KC: streams from L2
 *               micro-kernel                                C tile, MR x NR: stays in registers
 *
 * Budget, float with AVX2: C tile 6 x 16 in 12 registers of 16; B panel 256 x 16 x 4 bytes = 16 KB of 32 KB L1;
 * A block 192 x 256 (its panels filled up to 8 rows) x 4 bytes = 256 KB; the slabs of B are read once for each A block. (The model
 * of T. Low et al., "Analytical Modeling Is Enough for High-Performance BLIS", 2016: fill L1 with the B panel, L2 with the
 * A block, and leave room for what streams by.)
 *
 * Packing lets the micro-kernel read both operands in one straight line, but it costs a copy. A block that would be
 * used only a few times is read where it lies, if its rows do. That is the path of all small products.
 *
 * The sum over k runs upwards from k = 0 in one lane, in slabs of equal depth whose sums are added up in turn, whatever the
 * tile. So any rectangle of C has the bits of the whole, and shares nothing with other rectangles but the operands: threads
 * divide its rows (the B block is packed for all of them, by all of them) or, where rows are few, its columns. */
#include <stddef.h>
#include <stdlib.h>

#include "core/heap.h"
#include "gemm_block.h"
#include "parallel.h"

enum { KC = 256, DEEPEST = KC + KC / 2, A_BYTES = 256 * 1024, B_BYTES = 8 * 1024 * 1024, OWN_B_BYTES = 1024 * 1024 };
enum { PANEL_BYTES = TG_WIDEST * DEEPEST, A_ROOM = A_BYTES + PANEL_BYTES }; /* a panel of A is 16 wide at most */
enum { PACK_GRAIN = 1 << 14, FEW = 32 }; /* numbers; rows or columns */

/* ---- room for the packed block of A and the packed block of B ----
 * Each thread gets its own when its products need it; a block of B that all threads share is large, and lent by the heap for one
 * product, where tensors that come and go use the same memory. Where there is no memory for one, it makes do with a panel on the
 * stack, so that a product cannot fail. */
typedef struct Room {
    char *data;
    size_t bytes;
} Room;
static _Thread_local Room a_block, b_block;

static char *room_of(Room *room, size_t bytes) {
    if (room->bytes >= bytes) return room->data;
    const size_t least = bytes < OWN_B_BYTES && room == &b_block ? OWN_B_BYTES : bytes, whole = (least + 65535) / 65536 * 65536;
    char *fresh = aligned_alloc(64, whole);
    if (!fresh) return NULL;
    free(room->data);
    *room = (Room){fresh, whole};
    return fresh;
}

void tg_gemm_reserve(void) {
    room_of(&a_block, A_ROOM);
    room_of(&b_block, OWN_B_BYTES);
}

void tg_gemm_drain(void) {
    free(a_block.data);
    free(b_block.data);
    a_block = b_block = (Room){NULL, 0};
}

/* ---- the outer loops ---- */

/* One step of them, for a rectangle of C: columns jc .. jc + nc, depth pc .. pc + depth in slabs of kc, of the rows i0 .. i1, which
 * are divided into so many shares of whole tiles. */
typedef struct Step {
    const tg_Product *g;
    tg_Block block;
    int64_t i0, i1, jc, pc, depth, kc, shares;
    char *b_room;
} Step;

static int64_t width_of_packed(const tg_GemmKernel *kernel, int64_t n) {
    return (n + kernel->lanes - 1) / kernel->lanes * kernel->lanes;
}

static int64_t depth_at(const Step *s, int64_t pc) {
    const int64_t left = s->pc + s->depth - pc;
    return left < s->kc ? left : s->kc;
}

static void pack_a(const Step *s, const tg_Block *z, char *out, int64_t ic, int64_t pc) {
    const tg_GemmKernel *kernel = z->kernel;
    const tg_Matrix *a = &s->g->a;
    for (int64_t i = 0, h; i < z->mc; i += h, out += kernel->padded * z->kc * kernel->size) {
        h = tg_tile_height(kernel, z->mc - i);
        kernel->pack(out, kernel->padded, h, s->g->m - ic - i, z->kc, tg_element_at(kernel, a, ic + i, pc), a->row, a->column);
    }
}

/* The panels from .. to - 1 of the block of B, slab by slab. */
static void pack_b(int64_t from, int64_t to, void *context) {
    const Step *s = context;
    const tg_GemmKernel *kernel = s->block.kernel;
    const tg_Matrix *b = &s->g->b;
    const int64_t nc = s->block.nc, wide = 2 * kernel->lanes, panels = (nc + wide - 1) / wide;
    for (int64_t item = from; item < to; item++) {
        const int64_t pc = s->pc + item / panels * s->kc, kc = depth_at(s, pc), end = (item % panels + 1) * wide;
        char *slab = s->b_room + (pc - s->pc) * width_of_packed(kernel, nc) * kernel->size;
        tg_Panel p;
        for (int64_t jr = end - wide; jr < nc && jr < end; jr = p.start + p.width) {
            p = tg_panel_at(kernel->lanes, nc, jr);
            kernel->pack(slab + jr * kc * kernel->size, p.vectors * kernel->lanes, p.width, p.width, kc,
                         tg_element_at(kernel, b, pc, s->jc + p.start), b->column, b->row);
        }
    }
}

/* The slab of the block of B that begins at depth pc, packed or where it lies. */
static const char *slab_of_b(const Step *s, int64_t pc, int64_t kc) {
    const tg_GemmKernel *kernel = s->block.kernel;
    if (s->g->packed) return (const char *)s->g->packed + (pc * width_of_packed(kernel, s->g->n) + s->jc * kc) * kernel->size;
    if (!s->block.b_packed) return tg_element_at(kernel, &s->g->b, pc, s->jc);
    return s->b_room + (pc - s->pc) * width_of_packed(kernel, s->block.nc) * kernel->size;
}

static void block_of_c(const Step *s, tg_Block *z, char *a_room, int64_t ic) {
    const tg_Product *g = s->g;
    const tg_GemmKernel *kernel = z->kernel;
    z->i = ic;
    z->c.data = tg_element_at(kernel, &g->c, ic, s->jc);
    for (int64_t pc = s->pc; pc < s->pc + s->depth; pc += z->kc) {
        const tg_Matrix *from = pc == 0 ? &g->plus : &g->c;
        z->kc = depth_at(s, pc);
        z->from = (tg_Matrix){from->data ? tg_element_at(kernel, from, ic, s->jc) : NULL, from->row, from->column};
        z->finish = g->finish && pc + z->kc == g->k ? g : NULL;
        if (z->a_packed) pack_a(s, z, a_room, ic, pc);
        z->a = z->a_packed ? a_room : tg_element_at(kernel, &g->a, ic, pc);
        z->b = slab_of_b(s, pc, z->kc);
        tg_block_product(z);
    }
}

static void rows_of_c(int64_t from, int64_t to, void *context) {
    const Step *s = context;
    const tg_GemmKernel *kernel = s->block.kernel;
    const int high = kernel->rows;
    _Alignas(64) char two_panels[2 * PANEL_BYTES]; /* the last rows may take a panel more (tg_tile_height) */
    char *const own = room_of(&a_block, A_ROOM), *const room = own ? own : two_panels;
    tg_Block z = s->block;
    const int64_t tiles = (s->i1 - s->i0 + high - 1) / high, last = s->i0 + to * tiles / s->shares * high;
    const int64_t end = last < s->i1 ? last : s->i1;
    const int64_t most = own ? A_BYTES / (s->kc * kernel->padded * kernel->size) * high : high;
    for (int64_t ic = s->i0 + from * tiles / s->shares * high; ic < end; ic += z.mc) {
        z.mc = end - ic < most ? end - ic : most;
        block_of_c(s, &z, room, ic);
    }
}

/* Slabs are as deep as each other, as far as can be: about KC. */
static int64_t depth_of_slab(int64_t k) {
    const int64_t slabs = k <= DEEPEST ? 1 : (k + KC / 2 - 1) / KC;
    return (k + slabs - 1) / slabs;
}

/* The block of B of a step: as many slabs of as many columns as there is room for: much where all threads share it, little
 * where each has its own. */
static void cut_b(Step *s, int64_t columns) {
    const tg_GemmKernel *kernel = s->block.kernel;
    const int64_t wide = 2 * kernel->lanes, k = s->g->k, slab = s->kc * kernel->size;
    const int64_t bytes = s->shares > 1 ? B_BYTES : OWN_B_BYTES, fit = bytes / slab / wide * wide;
    s->block.nc = columns < fit ? columns : fit;
    int64_t slabs = bytes / (slab * width_of_packed(kernel, s->block.nc));
    s->depth = slabs * s->kc < k ? slabs * s->kc : k;
    const size_t room = (size_t)(s->depth * width_of_packed(kernel, s->block.nc) * kernel->size);
    s->b_room = s->shares > 1 ? tg_heap_alloc(room, tg_staying) : room_of(&b_block, room);
    if (s->b_room) return;
    s->block.nc = columns < wide ? columns : wide;
    s->depth = s->kc < k ? s->kc : k;
}

/* For rows i0 .. i1 and columns j0 .. j1 of C. When it pays to pack was found by measuring: A when it is used for many
 * columns, B when it is used for many rows. */
static void rectangle(const tg_Product *g, const tg_GemmKernel *kernel, int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t shares) {
    _Alignas(64) char one_panel[PANEL_BYTES];
    const int64_t wide = 2 * kernel->lanes;
    Step s = {.g = g, .i0 = i0, .i1 = i1, .kc = depth_of_slab(g->k), .depth = g->k, .shares = shares};
    tg_Block *const z = &s.block;
    *z = (tg_Block){.kernel = kernel, .nc = j1 - j0, .lda = g->a.row, .ldb = g->b.row, .a_packed = g->a.column != 1 || j1 - j0 > 4 * wide};
    z->c = (tg_Matrix){NULL, g->c.row, g->c.column};
    z->b_packed = g->packed || g->b.column != 1 || z->nc < kernel->lanes || i1 - i0 > 96;
    if (z->b_packed && !g->packed) cut_b(&s, j1 - j0);
    const int64_t most = z->nc, deepest = s.depth;
    char *const lent = shares > 1 ? s.b_room : NULL;
    if (!s.b_room) s.b_room = one_panel;
    for (s.jc = z->j = j0; s.jc < j1; s.jc = z->j += z->nc) {
        z->nc = j1 - s.jc < most ? j1 - s.jc : most;
        const int64_t panels = (z->nc + wide - 1) / wide, grain = 1 + PACK_GRAIN / (wide * s.kc);
        for (s.pc = 0; s.pc < g->k; s.pc += s.depth) {
            s.depth = g->k - s.pc < deepest ? g->k - s.pc : deepest;
            const int64_t items = panels * ((s.depth + s.kc - 1) / s.kc);
            if (z->b_packed && !g->packed) tg_parallel(items, shares > 1 ? grain : items, pack_b, &s);
            if (shares > 1) tg_parallel(shares, 1, rows_of_c, &s);
            else rows_of_c(0, 1, &s);
        }
    }
    if (lent) tg_heap_free(lent);
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
            copy_one(kernel->size == 8, tg_element_at(kernel, &g->c, i, j), g->plus.data ? tg_element_at(kernel, &g->plus, i, j) : NULL);
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
    Step s = {.g = p, .block = {.kernel = kernel, .nc = p->n}, .depth = p->k, .kc = kc, .b_room = room};
    tg_parallel(panels * ((p->k + kc - 1) / kc), 1 + PACK_GRAIN / (wide * kc), pack_b, &s);
}
