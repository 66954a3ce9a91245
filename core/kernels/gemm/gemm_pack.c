/* core/kernels/gemm/gemm_pack.c: the packed blocks of a matrix product: their buffers, and who packs them.
 *
 * The block of B is packed by all threads together, up to 8 MB at a time, which stay in L3. A small B is packed by each
 * thread for itself: reading what the other threads have just written takes longer, and so does waiting for them. If B
 * is used for few rows, each thread packs the columns that it uses, some at a time. A is packed by the thread that uses
 * it, as many rows as leave space in L2 for two chunks of B, so that it is not written to memory and read from
 * there. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/kernels/gemm/gemm_pack.h"
#include "core/kernels/parallel.h"
#include "core/memory/large_blocks.h"

enum {
    KC = 512,                      /* depth of a slab, about */
    BLOCK_BYTES = 8 * 1024 * 1024, /* of a block of B that threads share */
    OWN_BYTES = TG_GEMM_OWN_BYTES, /* of a thread's own buffers, for A and for B */
    A_BYTES = 64 * 1024,           /* of A that is packed at once */
    REUSED_A_BYTES = 192 * 1024,   /* of a slab of A that a thread keeps for the whole product */
    PRIVATE_B_BYTES = 128 * 1024,  /* of a B that each thread packs for itself ... */
    PRIVATE_B_ROWS = 64,           /* ... if C has so many rows per thread */
    STREAMED_B_BYTES = 512 * 1024, /* of a B that each thread packs some columns of, at least */
    STREAMED_ROWS = 600,           /* of C, for that: at most this many rows, */
    STREAMED_COLUMNS = 256,        /* at least this many columns, */
    MANY_COLUMNS = 1024,           /* or so many if A is packed in several slabs */
    PACK_GRAIN = 1 << 14,          /* elements of B that are packed as one item */
    TILES = 8,                     /* panels of A that are packed at once: they share cache lines and pages of A */
    FEW_COLUMNS = 640              /* of C, for which packing A takes a noticeable share of the time */
};

/* ---- buffers for the packed block of A and of B ---- Each thread allocates its own when its products need them. A
 * large block of B is allocated from the heap of large blocks for one product, so that it uses the memory of tensors
 * that come and go. Without memory, B is packed panel by panel on the stack and A is read in place, so that a product
 * cannot fail. */
typedef struct Buffer {
    char *data;
    size_t bytes;
} Buffer;
static _Thread_local Buffer a_block, b_block;

static char *buffer_of(Buffer *buffer, size_t bytes) {
    if (buffer->bytes >= bytes) return buffer->data;
    const size_t whole = (bytes + 65535) / 65536 * 65536;
    char *fresh = aligned_alloc(64, whole);
    if (!fresh) return NULL;
    free(buffer->data);
    *buffer = (Buffer){fresh, whole};
    return fresh;
}

char *tg_gemm_a_buffer(void) {
    return buffer_of(&a_block, OWN_BYTES);
}

char *tg_gemm_b_buffer(void) {
    return buffer_of(&b_block, OWN_BYTES);
}

bool tg_gemm_reserve(void) {
    return buffer_of(&a_block, OWN_BYTES) && buffer_of(&b_block, OWN_BYTES);
}

void tg_gemm_drain(void) {
    free(a_block.data);
    free(b_block.data);
    a_block = b_block = (Buffer){NULL, 0};
}

/* ---- sizes ---- */

int64_t tg_slab_depth(int64_t k) {
    if (k <= TG_MAX_KC) return k;
    const int64_t slabs = (k + KC / 2 - 1) / KC;
    return (k + slabs - 1) / slabs;
}

static int64_t packed_width(const tg_GemmKernel *kernel, int64_t n) {
    return (n + kernel->lanes - 1) / kernel->lanes * kernel->lanes;
}

int64_t tg_slab_depth_at(const tg_GemmPlan *s, int64_t pc) {
    return s->g->k - pc < s->kc ? s->g->k - pc : s->kc;
}

/* ---- A ---- */

/* (The last rows may take two panels more than they fill: of 12-row tiles 23 rows are 12 + 8 + 3, see
 * tg_tile_height.) */
static int64_t a_slab_bytes(const tg_GemmPlan *s, int64_t rows) {
    return (rows / s->kernel->rows + 2) * tg_a_panel_size(s->kernel, s->kc) * s->kernel->size;
}

int64_t tg_plan_a_rows(const tg_GemmPlan *s, char **buffer) {
    const int64_t bytes = s->streams_b ? OWN_BYTES : A_BYTES,
                  panels = bytes / (tg_a_panel_size(s->kernel, s->kc) * s->kernel->size);
    const int64_t least = s->g->n <= FEW_COLUMNS ? TILES : 2;
    *buffer = s->packs_a ? buffer_of(&a_block, OWN_BYTES) : NULL;
    return !*buffer || s->reuses_a ? s->g->m : (panels - 2 > least ? panels - 2 : least) * s->kernel->rows;
}

static void pack_a(const tg_GemmPlan *s, char *out, int64_t i, int64_t rows, int64_t pc) {
    const tg_GemmKernel *kernel = s->kernel;
    const tg_Matrix *a = &s->g->a;
    const int64_t kc = tg_slab_depth_at(s, pc), high = kernel->rows, panel = tg_a_panel_size(kernel, kc);
    for (int64_t at = 0, h; at < rows; at += h, out += (h + high - 1) / high * panel * kernel->size) {
        const int64_t left = rows - at, whole = left >= (TILES + 1) * high ? TILES : left / high - (left % high > 0);
        const void *const x = tg_element_at(kernel, a, i + at, pc);
        h = tg_tile_height(kernel, left);
        if (a->row == 1 && whole > 0) {
            kernel->pack_rows(out, high, panel, whole, kc, x, a->column);
            h = whole * high;
        } else {
            kernel->pack(out, high, h, s->g->m - i - at, kc, x, a->row, a->column);
        }
    }
}

const char *tg_packed_a(const tg_GemmPlan *s, char *buffer, int64_t i, int64_t rows, int64_t pc) {
    static _Thread_local uint64_t held_id; /* the product whose A is in this thread's buffer, or 0 */
    static _Thread_local int64_t first;  /* from this depth on */
    if (!s->reuses_a) {
        held_id = 0;
        pack_a(s, buffer, i, rows, pc);
        return buffer;
    }
    const int64_t slab = a_slab_bytes(s, rows), from = s->streams_b ? s->pc : 0,
                  end = s->streams_b ? s->pc + s->depth : s->g->k;
    const bool held = held_id == s->number && first == from;
    for (int64_t at = from; !held && at < end; at += s->kc) pack_a(s, buffer + (at - from) / s->kc * slab, i, rows, at);
    held_id = s->number;
    first = from;
    return buffer + (pc - from) / s->kc * slab;
}

/* ---- B ---- */

/* The number of panels of B that are packed as one item. */
static int64_t panels_per_item(const tg_GemmPlan *s) {
    return 1 + PACK_GRAIN / (s->kernel->columns * s->kc);
}

static int64_t b_items(const tg_GemmPlan *s) {
    const int64_t wide = s->kernel->columns * panels_per_item(s), columns = s->nc - s->kernel->lanes;
    return columns > 0 ? (columns + wide - 1) / wide : 1;
}

/* The panels first .. end - 1 of a slab. */
static void pack_b_panels(const tg_GemmPlan *s, char *out, int64_t pc, int64_t first, int64_t end) {
    const tg_GemmKernel *kernel = s->kernel;
    const tg_Matrix *b = &s->g->b;
    const int64_t kc = tg_slab_depth_at(s, pc), width = kernel->columns, left = s->nc - first - 1,
                  some = (end - first) / width;
    const int64_t whole = b->column != 1                                                     ? 0
                          : some > 0 && left / width == some && left % width < kernel->lanes ? some - 1
                                                                                             : some;
    if (whole)
        kernel->pack_rows(out, width, width * kc, whole, kc, tg_element_at(kernel, b, pc, s->jc + first), b->row);
    tg_Panel p;
    for (int64_t jr = first + whole * width; jr < end; jr = p.start + p.width) {
        p = tg_panel_at(kernel, s->nc, jr);
        kernel->pack(out + (jr - first) * kc * kernel->size, p.vectors * kernel->lanes, p.width, p.width, kc,
                     tg_element_at(kernel, b, pc, s->jc + p.start), b->column, b->row);
    }
}

/* Some panels of a block. */
static void pack_b_item(const tg_GemmPlan *s, int64_t item) {
    const tg_GemmKernel *kernel = s->kernel;
    const int64_t items = b_items(s), wide = kernel->columns * panels_per_item(s), first = item % items * wide;
    const int64_t pc = s->pc + item / items * s->kc, end = item % items == items - 1 ? s->nc : first + wide;
    char *slab = s->b_buffer + (pc - s->pc) * packed_width(kernel, s->nc) * kernel->size;
    pack_b_panels(s, slab + first * tg_slab_depth_at(s, pc) * kernel->size, pc, first, end);
}

void *tg_plan_b_block(tg_GemmPlan *s, bool shared, bool for_all_rows) {
    const int64_t wide = s->kernel->columns, n = s->g->n, k = s->g->k, slab = s->kc * s->kernel->size;
    char *const own = buffer_of(&b_block, OWN_BYTES);
    if (own && (n + wide) * slab <= OWN_BYTES && s->kc == k) { /* all of it */
        s->b_buffer = own;
        return NULL;
    }
    const int64_t bytes = shared ? BLOCK_BYTES : OWN_BYTES, fit = bytes / slab / wide * wide;
    s->nc = n < fit ? n : fit;
    const int64_t row = packed_width(s->kernel, s->nc) * s->kernel->size;
    const int64_t most = (for_all_rows ? bytes : OWN_BYTES) / (row * s->kc);
    const int64_t slabs = most ? most : 1;
    s->depth = slabs * s->kc < k ? slabs * s->kc : k;
    const size_t buffer = (size_t)(s->depth * row);
    const bool heap_block = shared && buffer > OWN_BYTES;
    char *b_buffer = heap_block ? tg_large_block_alloc(buffer, tg_step_lived) : buffer_of(&b_block, buffer);
    if (!b_buffer) {
        s->nc = n < wide ? n : wide;
        s->depth = s->kc < k ? s->kc : k;
        return NULL;
    }
    s->b_buffer = b_buffer;
    return heap_block ? b_buffer : NULL;
}

static void pack_b_items(int64_t from, int64_t to, void *context) {
    for (int64_t item = from; item < to; item++) pack_b_item(context, item);
}

void tg_pack_b(tg_GemmPlan *s, bool shared) {
    const int64_t items = b_items(s) * ((s->depth + s->kc - 1) / s->kc);
    if (shared) tg_parallel(items, 1, pack_b_items, s);
    else pack_b_items(0, items, s);
}

void tg_plan_packing_per_thread(tg_GemmPlan *s) {
    static atomic_uint_fast64_t products;
    const tg_Product *g = s->g;
    const int64_t slab = a_slab_bytes(s, g->m), slabs = (g->k + s->kc - 1) / s->kc, fit = OWN_BYTES / slab;
    const int64_t b = packed_width(s->kernel, s->nc) * g->k * s->kernel->size;
    const bool packs_b = s->b_packed && !g->packed,
               few_rows = g->m <= STREAMED_ROWS || (s->packs_a && slabs > 1 && g->n >= MANY_COLUMNS);
    s->number = atomic_fetch_add_explicit(&products, 1, memory_order_relaxed) + 1;
    s->streams_b = packs_b && (!s->packs_a || fit > 0) && few_rows && g->n >= STREAMED_COLUMNS &&
                   b > STREAMED_B_BYTES && tg_gemm_reserve();
    s->reuses_a = s->packs_a && (s->streams_b ? fit > 0 : fit >= slabs && g->n >= g->m && slab <= REUSED_A_BYTES);
    if (s->streams_b && s->reuses_a) {
        const int64_t steps = (slabs + fit - 1) / fit;
        s->depth = (slabs + steps - 1) / steps * s->kc;
    }
    s->packs_b_per_thread = packs_b && !s->reuses_a && !s->streams_b && b <= PRIVATE_B_BYTES &&
                            g->m >= PRIVATE_B_ROWS * tg_num_threads() && buffer_of(&b_block, OWN_BYTES);
}

const char *tg_pack_b_columns(const tg_GemmPlan *s, int64_t pc, int64_t j0, int64_t j1) {
    pack_b_panels(s, b_block.data, pc, j0, j1);
    return b_block.data;
}

/* This thread's own packed B; packed at the first call for a product. (The product is one parallel job, during which
 * nothing else uses the buffer.) */
static char *private_b(const tg_GemmPlan *s) {
    static _Thread_local uint64_t held_id;
    if (held_id != s->number) {
        tg_GemmPlan own = *s;
        own.b_buffer = b_block.data;
        tg_pack_b(&own, false);
        held_id = s->number;
    }
    return b_block.data;
}

const char *tg_packed_b(const tg_GemmPlan *s, int64_t pc) {
    const tg_GemmKernel *kernel = s->kernel;
    const tg_Product *g = s->g;
    if (g->packed)
        return (const char *)g->packed +
               (pc * packed_width(kernel, g->n) + s->jc * tg_slab_depth_at(s, pc)) * kernel->size;
    if (!s->b_packed) return tg_element_at(kernel, &g->b, pc, s->jc);
    return (s->packs_b_per_thread ? private_b(s) : s->b_buffer) +
           (pc - s->pc) * packed_width(kernel, s->nc) * kernel->size;
}

/* ---- B packed once for many products ---- */

size_t tg_gemm_packed_bytes(bool is_double, const tg_Product *p) {
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, p->n);
    return ((size_t)(packed_width(kernel, p->n) * p->k * kernel->size) + 63) / 64 * 64;
}

void tg_gemm_pack(bool is_double, const tg_Product *p, void *buffer) {
    tg_GemmPlan s = {.g = p, .kernel = tg_packed_kernel(tg_gemm_kernel(is_double, p->n), p->n), .nc = p->n,
                     .kc = tg_slab_depth(p->k), .depth = p->k,
                     .b_buffer = buffer};
    tg_pack_b(&s, true);
}
