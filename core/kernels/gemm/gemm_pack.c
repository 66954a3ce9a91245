/* The packed blocks of a matrix product: their room, and how they are packed.
 *
 * The block of B is packed by all threads, whole where that takes up to 8 MB, which L3 keeps. A small one is packed by each thread for
 * itself: to fetch what the other threads have just written takes longer, and so does waiting for them. Of a B that serves few rows
 * each thread packs what it uses, some columns at a time. That of A is packed by the thread that will use it, as many rows as leave
 * room in L2 for two chunks of B: it is not written to memory and read from there. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/memory/large_blocks.h"
#include "core/kernels/gemm/gemm_step.h"
#include "core/kernels/parallel.h"

enum { KC = 512, BLOCK_BYTES = 8 * 1024 * 1024, OWN_BYTES = 1024 * 1024, A_BYTES = 64 * 1024, KEEP_BYTES = 192 * 1024,
      EACH_BYTES = 128 * 1024 };
enum { EACH_ROWS = 64 }; /* of C for each thread, from which on each packs a small B */
enum { LARGE_BYTES = 512 * 1024, SOME_ROWS = 600, SOME_COLUMNS = 256, WIDE = 1024 }; /* of a B that each packs some columns of; of C */
enum { PACK_GRAIN = 1 << 14, TILES = 8 }; /* numbers of B, tiles of A that are packed in one go */
enum { FEW_COLUMNS = 640 }; /* of C, for which packing A counts: tiles side by side share the lines and pages that they lie in */

/* ---- room for the packed block of A and the packed block of B ----
 * Each thread gets its own when its products need it; a large block of B is lent by the heap for one product, where tensors that
 * come and go use the same memory. Where there is no memory for one, it makes do with a panel of B on the stack and with A where it
 * lies, so that a product cannot fail. */
typedef struct Room {
    char *data;
    size_t bytes;
} Room;
static _Thread_local Room a_block, b_block;

static char *room_of(Room *room, size_t bytes) {
    if (room->bytes >= bytes) return room->data;
    const size_t whole = (bytes + 65535) / 65536 * 65536;
    char *fresh = aligned_alloc(64, whole);
    if (!fresh) return NULL;
    free(room->data);
    *room = (Room){fresh, whole};
    return fresh;
}

bool tg_gemm_reserve(void) {
    return room_of(&a_block, OWN_BYTES) && room_of(&b_block, OWN_BYTES);
}

void tg_gemm_drain(void) {
    free(a_block.data);
    free(b_block.data);
    a_block = b_block = (Room){NULL, 0};
}

/* ---- sizes ---- */

int64_t tg_depth_of_slab(int64_t k) {
    if (k <= TG_DEEPEST_SLAB) return k;
    const int64_t slabs = (k + KC / 2 - 1) / KC;
    return (k + slabs - 1) / slabs;
}

static int64_t width_of_packed(const tg_GemmKernel *kernel, int64_t n) {
    return (n + kernel->lanes - 1) / kernel->lanes * kernel->lanes;
}

int64_t tg_depth_at(const tg_GemmStep *s, int64_t pc) {
    return s->g->k - pc < s->kc ? s->g->k - pc : s->kc;
}

/* ---- A ---- */

/* (The last rows may take two panels more than they fill: of 12-row tiles 23 rows are 12 + 8 + 3, see tg_tile_height.) */
static int64_t bytes_of_a(const tg_GemmStep *s, int64_t rows) {
    return (rows / s->kernel->rows + 2) * tg_panel_of_a(s->kernel, s->kc) * s->kernel->size;
}

int64_t tg_rows_of_a(const tg_GemmStep *s, char **room) {
    const int64_t bytes = s->streams_b ? OWN_BYTES : A_BYTES, panels = bytes / (tg_panel_of_a(s->kernel, s->kc) * s->kernel->size);
    const int64_t least = s->g->n <= FEW_COLUMNS ? TILES : 2;
    *room = s->packs_a ? room_of(&a_block, OWN_BYTES) : NULL;
    return !*room || s->keeps_a ? s->g->m : (panels - 2 > least ? panels - 2 : least) * s->kernel->rows;
}

static void pack_a(const tg_GemmStep *s, char *out, int64_t i, int64_t rows, int64_t pc) {
    const tg_GemmKernel *kernel = s->kernel;
    const tg_Matrix *a = &s->g->a;
    const int64_t kc = tg_depth_at(s, pc), high = kernel->rows, panel = tg_panel_of_a(kernel, kc);
    for (int64_t at = 0, h; at < rows; at += h, out += (h + high - 1) / high * panel * kernel->size) {
        const int64_t left = rows - at, whole = left >= (TILES + 1) * high ? TILES : left / high - (left % high > 0);
        const void *const x = tg_element_at(kernel, a, i + at, pc);
        h = tg_tile_height(kernel, left);
        if (a->row == 1 && whole > 0) {
            kernel->lay(out, high, panel, whole, kc, x, a->column);
            h = whole * high;
        } else {
            kernel->pack(out, high, h, s->g->m - i - at, kc, x, a->row, a->column);
        }
    }
}

const char *tg_slab_of_a(const tg_GemmStep *s, char *room, int64_t i, int64_t rows, int64_t pc) {
    static _Thread_local uint64_t holds; /* the product of which all of A is in this thread's room, or 0 */
    static _Thread_local int64_t first;  /* from this depth on */
    if (!s->keeps_a) {
        holds = 0;
        pack_a(s, room, i, rows, pc);
        return room;
    }
    const int64_t slab = bytes_of_a(s, rows), from = s->streams_b ? s->pc : 0, end = s->streams_b ? s->pc + s->depth : s->g->k;
    const bool held = holds == s->number && first == from;
    for (int64_t at = from; !held && at < end; at += s->kc) pack_a(s, room + (at - from) / s->kc * slab, i, rows, at);
    holds = s->number;
    first = from;
    return room + (pc - from) / s->kc * slab;
}

/* ---- B ---- */

/* Panels of B that are packed as one item. */
static int64_t group_of(const tg_GemmStep *s) {
    return 1 + PACK_GRAIN / (s->kernel->columns * s->kc);
}

static int64_t items_of_b(const tg_GemmStep *s) {
    const int64_t wide = s->kernel->columns * group_of(s), columns = s->nc - s->kernel->lanes;
    return columns > 0 ? (columns + wide - 1) / wide : 1;
}

/* The panels first .. end - 1 of a slab. */
static void pack_columns(const tg_GemmStep *s, char *out, int64_t pc, int64_t first, int64_t end) {
    const tg_GemmKernel *kernel = s->kernel;
    const tg_Matrix *b = &s->g->b;
    const int64_t kc = tg_depth_at(s, pc), width = kernel->columns, left = s->nc - first - 1, some = (end - first) / width;
    const int64_t whole = b->column != 1 ? 0 : some > 0 && left / width == some && left % width < kernel->lanes ? some - 1 : some;
    if (whole) kernel->lay(out, width, width * kc, whole, kc, tg_element_at(kernel, b, pc, s->jc + first), b->row);
    tg_Panel p;
    for (int64_t jr = first + whole * width; jr < end; jr = p.start + p.width) {
        p = tg_panel_at(kernel, s->nc, jr);
        kernel->pack(out + (jr - first) * kc * kernel->size, p.vectors * kernel->lanes, p.width, p.width, kc,
                     tg_element_at(kernel, b, pc, s->jc + p.start), b->column, b->row);
    }
}

/* Some panels of a block. */
static void pack_panels(const tg_GemmStep *s, int64_t item) {
    const tg_GemmKernel *kernel = s->kernel;
    const int64_t items = items_of_b(s), wide = kernel->columns * group_of(s), first = item % items * wide;
    const int64_t pc = s->pc + item / items * s->kc, end = item % items == items - 1 ? s->nc : first + wide;
    char *slab = s->b_room + (pc - s->pc) * width_of_packed(kernel, s->nc) * kernel->size;
    pack_columns(s, slab + first * tg_depth_at(s, pc) * kernel->size, pc, first, end);
}

void *tg_cut_b(tg_GemmStep *s, bool shared, bool for_all_rows) {
    const int64_t wide = s->kernel->columns, n = s->g->n, k = s->g->k, slab = s->kc * s->kernel->size;
    char *const own = room_of(&b_block, OWN_BYTES);
    if (own && (n + wide) * slab <= OWN_BYTES && s->kc == k) { /* all of it */
        s->b_room = own;
        return NULL;
    }
    const int64_t bytes = shared ? BLOCK_BYTES : OWN_BYTES, fit = bytes / slab / wide * wide;
    s->nc = n < fit ? n : fit;
    const int64_t row = width_of_packed(s->kernel, s->nc) * s->kernel->size;
    const int64_t most = (for_all_rows ? bytes : OWN_BYTES) / (row * s->kc);
    const int64_t slabs = most ? most : 1;
    s->depth = slabs * s->kc < k ? slabs * s->kc : k;
    const size_t room = (size_t)(s->depth * row);
    const bool lent = shared && room > OWN_BYTES;
    char *b_room = lent ? tg_large_block_alloc(room, tg_step_lived) : room_of(&b_block, room);
    if (!b_room) {
        s->nc = n < wide ? n : wide;
        s->depth = s->kc < k ? s->kc : k;
        return NULL;
    }
    s->b_room = b_room;
    return lent ? b_room : NULL;
}

static void pack_items(int64_t from, int64_t to, void *context) {
    for (int64_t item = from; item < to; item++) pack_panels(context, item);
}

void tg_pack_b(tg_GemmStep *s, bool shared) {
    const int64_t items = items_of_b(s) * ((s->depth + s->kc - 1) / s->kc);
    if (shared) tg_parallel(items, 1, pack_items, s);
    else pack_items(0, items, s);
}

void tg_each_packs(tg_GemmStep *s) {
    static atomic_uint_fast64_t products;
    const tg_Product *g = s->g;
    const int64_t slab = bytes_of_a(s, g->m), slabs = (g->k + s->kc - 1) / s->kc, fit = OWN_BYTES / slab;
    const int64_t b = width_of_packed(s->kernel, s->nc) * g->k * s->kernel->size;
    const bool packs_b = s->b_packed && !g->packed, few_rows = g->m <= SOME_ROWS || (s->packs_a && slabs > 1 && g->n >= WIDE);
    s->number = atomic_fetch_add_explicit(&products, 1, memory_order_relaxed) + 1;
    s->streams_b = packs_b && (!s->packs_a || fit > 0) && few_rows && g->n >= SOME_COLUMNS && b > LARGE_BYTES && tg_gemm_reserve();
    s->keeps_a = s->packs_a && (s->streams_b ? fit > 0 : fit >= slabs && g->n >= g->m && slab <= KEEP_BYTES);
    if (s->streams_b && s->keeps_a) {
        const int64_t steps = (slabs + fit - 1) / fit;
        s->depth = (slabs + steps - 1) / steps * s->kc;
    }
    s->each_b = packs_b && !s->keeps_a && !s->streams_b && b <= EACH_BYTES && g->m >= EACH_ROWS * tg_num_threads() &&
                room_of(&b_block, OWN_BYTES);
}

const char *tg_columns_of_b(const tg_GemmStep *s, int64_t pc, int64_t j0, int64_t j1) {
    pack_columns(s, b_block.data, pc, j0, j1);
    return b_block.data;
}

/* This thread's own packed B: what it holds already, if the product is the same. (That takes one job, in which nothing else uses the
 * room.) */
static char *own_b(const tg_GemmStep *s) {
    static _Thread_local uint64_t holds;
    if (holds != s->number) {
        tg_GemmStep own = *s;
        own.b_room = b_block.data;
        tg_pack_b(&own, false);
        holds = s->number;
    }
    return b_block.data;
}

const char *tg_slab_of_b(const tg_GemmStep *s, int64_t pc) {
    const tg_GemmKernel *kernel = s->kernel;
    const tg_Product *g = s->g;
    if (g->packed) return (const char *)g->packed + (pc * width_of_packed(kernel, g->n) + s->jc * tg_depth_at(s, pc)) * kernel->size;
    if (!s->b_packed) return tg_element_at(kernel, &g->b, pc, s->jc);
    return (s->each_b ? own_b(s) : s->b_room) + (pc - s->pc) * width_of_packed(kernel, s->nc) * kernel->size;
}

/* ---- B packed once for all ---- */

size_t tg_gemm_packed_bytes(bool is_double, const tg_Product *p) {
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, p->n);
    return ((size_t)(width_of_packed(kernel, p->n) * p->k * kernel->size) + 63) / 64 * 64;
}

void tg_gemm_pack(bool is_double, const tg_Product *p, void *room) {
    tg_GemmStep s = {.g = p, .kernel = tg_kernel_of_packed(tg_gemm_kernel(is_double, p->n), p->n), .nc = p->n,
                     .kc = tg_depth_of_slab(p->k), .depth = p->k,
                     .b_room = room};
    tg_pack_b(&s, true);
}
