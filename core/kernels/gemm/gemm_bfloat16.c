/* core/kernels/gemm/gemm_bfloat16.c: products of bfloat16 matrices by AVX512-BF16, with sums of float.
 *
 * VDPBF16PS adds to each of 16 floats two products, of neighbouring bfloat16 elements: c[j] += a[0] b[0][j] + a[1]
 * b[1][j]. So the operands are packed in pairs along k, a pair being one 4-byte element, and the loops are those of a
 * float product (gemm.c) of half the depth:
 *
 *     B, all of it, packed: panels of NR columns, each `pairs` x NR: in L3, each panel in L2 while it is used
 *       for ib in steps of MC        rows of C, divided among the threads; A block, packed, MC x KC: in L2
 *         for jr in steps of NR      columns of C
 *           for ir in steps of MR    micro-kernel: C tile, MR x NR floats, in 24 of 32 registers
 *
 * Each step of a tile reads 128 bytes of B and 48 of A in 24 cycles, much less than L2 delivers. A depth of more than
 * KC pairs is cut into slabs, between which the tiles of MC rows and SOME_PANELS panels are stored as floats. When its
 * sum is complete, a tile is rounded to C.
 *
 * Packing is 1 to 3 percent of a product with some hundred rows and columns. A product of one row reads B as
 * it is, since each element is used once: multiply_row. */
#include "core/kernels/gemm/gemm.h"

#include <string.h>

#include "core/kernels/gemm/gemm_pack.h"
#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"
#include "core/memory/large_blocks.h"

#if defined(__x86_64__) && !defined(TG_WIDE_ON_AVX2)
#include <immintrin.h>

#define BF16 __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")))
#define INLINE static inline __attribute__((always_inline)) BF16
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum {
    MR = 12,
    LANES = 16,
    NR = 2 * LANES,
    KC = 1024,              /* pairs of a slab */
    MC = 96,                /* rows of a block of A, a multiple of MR */
    ROW_PAD = 16,           /* pairs after a packed row of A, or a tile */
    SOME_PANELS = 16,       /* panels of C whose float tiles are kept between slabs */
    ITEMS = 32,             /* pieces of C, if they are large enough: */
    ITEM = 1 << 19,         /* multiply-adds of a piece, at least */
    B_BYTES = 32 << 20,     /* of B packed at once */
    TILE = MR * NR
};
/* this thread's buffer for A also has the tiles of a slab */
_Static_assert((MC * (KC + ROW_PAD) + MC * NR * SOME_PANELS) * 4 <= TG_GEMM_OWN_BYTES, "A block and tiles");

bool tg_gemm_has_bfloat16(void) {
    return tg_isa() == TG_ISA_AVX512 && __builtin_cpu_supports("avx512bf16");
}

typedef uint16_t bfloat16;

/* A packed block of A: the pair (i, p) of a tile of MR rows is data[i * row + p * column]. */
typedef struct Rows {
    uint32_t *data;
    int64_t row, column, tile; /* tile: from one to the next */
} Rows;

typedef struct Plan {
    tg_Product g;
    int64_t pairs;            /* the depth of the packed operands, half of k, rounded up */
    int64_t j0, columns;      /* of C: the block of B that is packed */
    int64_t panels, blocks, parts; /* of the columns; of the rows; panels are divided into parts */
    uint32_t *b;
} Plan;

/* ---- packing ---- */

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

INLINE __mmask16 first16(int64_t n) {
    return n >= 16 ? 0xffff : n <= 0 ? 0 : (__mmask16)((1u << n) - 1);
}

INLINE __mmask32 first32(int64_t n) {
    return n >= 32 ? 0xffffffff : n <= 0 ? 0 : (__mmask32)((UINT32_C(1) << n) - 1);
}

/* Panels of ld = NR or MR from lines that are contiguous along the panel: out[p * ld + l] = the pair x[2 p * step + l],
 * x[(2 p + 1) * step + l], for l < width and all pairs of k elements; 0 for the others. The next panel follows at out +
 * panel and x + ld. Each line is read once from start to end. */
BF16 static void pack_lines(uint32_t *out, const int64_t ld, int64_t panel, int64_t width, int64_t k, const bfloat16 *x,
                            int64_t step) {
    static const uint16_t low[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                     8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
    const __m512i to_low = _mm512_loadu_si512(low), to_high = _mm512_add_epi16(to_low, _mm512_set1_epi16(16));
    const __mmask16 low_pairs = first16(ld), high_pairs = first16(ld - LANES);
    for (int64_t p = 0; p < k; p += 2, out += ld, x += 2 * step) {
        uint32_t *to = out;
        for (int64_t l = 0; l < width; l += ld, to += panel) {
            const __mmask32 lanes = first32(smaller(width - l, ld)), odd_lanes = p + 1 < k ? lanes : 0;
            const __m512i even = _mm512_maskz_loadu_epi16(lanes, x + l),
                          odd = _mm512_maskz_loadu_epi16(odd_lanes, odd_lanes ? x + step + l : x);
            _mm512_mask_storeu_epi32(to, low_pairs, _mm512_permutex2var_epi16(even, to_low, odd));
            if (high_pairs)
                _mm512_mask_storeu_epi32(to + LANES, high_pairs, _mm512_permutex2var_epi16(even, to_high, odd));
        }
    }
}

/* Transposes a square of 16 x 16 pairs: four rounds, each of which exchanges one bit of the row's index with one of the
 * lane's. */
INLINE void transpose_square(__m512i row[16]) {
    __m512i t[16];
    UNROLL for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
    }
    UNROLL for (int i = 0; i < 16; i += 4) {
        row[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        row[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        row[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        row[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    UNROLL for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(row[i], row[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(row[i], row[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(row[i + 8], row[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(row[i + 8], row[i + 12], 0xdd);
    }
    UNROLL for (int i = 0; i < 4; i++) {
        row[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        row[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        row[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        row[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
}

/* A panel of NR from columns that are contiguous along k: the pair p of column l is at x[l * step + 2 p]. */
BF16 static void pack_columns(uint32_t *out, int64_t width, int64_t k, const bfloat16 *x, int64_t step) {
    for (int64_t l = 0; l < width; l += LANES, out += LANES)
        for (int64_t p = 0; p < k; p += 2 * LANES) {
            __m512i row[LANES];
            const __mmask32 depth = first32(k - p);
            UNROLL for (int i = 0; i < LANES; i++) {
                const bool inside = l + i < width;
                row[i] = _mm512_maskz_loadu_epi16(inside ? depth : 0, inside ? x + (l + i) * step + p : x);
            }
            transpose_square(row);
            uint32_t *to = out + p / 2 * NR;
            const int64_t pairs = smaller((k - p + 1) / 2, LANES);
            if (pairs == LANES)
                UNROLL for (int i = 0; i < LANES; i++)
                    _mm512_storeu_si512(to + i * NR, row[i]);
            else
                for (int i = 0; i < pairs; i++) _mm512_storeu_si512(to + i * NR, row[i]);
        }
}

/* A panel of ld from any strides, element by element. */
static void pack_elements(uint32_t *out, int64_t ld, int64_t width, int64_t k, const bfloat16 *x, int64_t step,
                          int64_t lane) {
    for (int64_t p = 0; p < k; p += 2, out += ld)
        for (int64_t l = 0; l < ld; l++) {
            const bfloat16 *at = x + p * step + l * lane;
            const uint32_t even = l < width ? at[0] : 0, odd = l < width && p + 1 < k ? at[step] : 0;
            out[l] = even | odd << 16;
        }
}

static void pack_b_panel(const Plan *s, int64_t panel) {
    const tg_Matrix *b = &s->g.b;
    const int64_t j = panel * NR, width = smaller(s->columns - j, NR), k = s->g.k;
    uint32_t *out = s->b + j * s->pairs;
    const bfloat16 *x = (const bfloat16 *)b->data + (s->j0 + j) * b->column;
    if (b->column == 1) pack_lines(out, NR, 0, width, k, x, b->row);
    else if (b->row == 1 && width > LANES) pack_columns(out, width, k, x, b->column);
    else pack_elements(out, NR, width, k, x, b->row, b->column);
}

static void pack_b_panels(int64_t from, int64_t to, void *context) {
    for (; from < to; from++) pack_b_panel(context, from);
}

/* `rows` rows of A from i on, and kc of its pairs from pc on. Rows that are contiguous are copied, with a 0 after an
 * odd number of elements; of contiguous columns pairs of MR rows are next to each other. (ROW_PAD keeps rows, or tiles,
 * apart in L1's sets.) */
static Rows pack_a(const Plan *s, uint32_t *out, int64_t i, int64_t rows, int64_t pc, int64_t kc) {
    const tg_Matrix *a = &s->g.a;
    const int64_t k = smaller(s->g.k - 2 * pc, 2 * kc);
    const bfloat16 *x = (const bfloat16 *)a->data + i * a->row + 2 * pc * a->column;
    if (a->column == 1) {
        const int64_t row = kc + ROW_PAD;
        for (int64_t at = 0; at < rows; at++) {
            if (k % 2) out[at * row + kc - 1] = 0;
            memcpy(out + at * row, x + at * a->row, (size_t)k * sizeof *x);
        }
        return (Rows){out, row, 1, MR * row};
    }
    const int64_t tile = MR * kc + ROW_PAD;
    if (a->row == 1) pack_lines(out, MR, tile, rows, k, x, a->column);
    else
        for (int64_t at = 0; at < rows; at += MR)
            pack_elements(out + at / MR * tile, MR, smaller(rows - at, MR), k, x + at * a->row, a->column, a->row);
    return (Rows){out, 1, MR, tile};
}

/* ---- one tile ---- */

/* tile = A B, or tile += A B: mr rows of nv vectors, over kc pairs. */
INLINE void micro(const int mr, const int nv, int64_t kc, const uint32_t *a, int64_t row, int64_t column,
                  const uint32_t *b, float *tile, bool adds) {
    __m512 sum[MR][2];
    const uint32_t *third[4] = {a, a + 3 * row, a + 6 * row, a + 9 * row};
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int v = 0; v < nv; v++)
            sum[i][v] = adds ? _mm512_loadu_ps(tile + i * NR + v * LANES) : _mm512_setzero_ps();
    do {
        const __m512i low = _mm512_loadu_si512(b), high = _mm512_loadu_si512(b + (nv > 1 ? LANES : 0));
        UNROLL for (int i = 0; i < mr; i++) {
            const __m512i x = _mm512_set1_epi32((int)third[i / 3][i % 3 * row]);
            /* inline assembly, because gcc moves the sums between registers otherwise */
            __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum[i][0]) : "v"(x), "v"(low));
            if (nv > 1) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum[i][1]) : "v"(x), "v"(high));
        }
        UNROLL for (int i = 0; i < mr; i += 3)
            third[i / 3] += column;
        b += NR;
    } while (--kc > 0);
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int v = 0; v < nv; v++)
            _mm512_storeu_ps(tile + i * NR + v * LANES, sum[i][v]);
}

typedef void (*Micro)(int64_t kc, const uint32_t *a, int64_t row, int64_t column, const uint32_t *b, float *tile,
                      bool adds);
#define MICRO(mr, nv)                                                                                              \
    BF16 static void micro_##mr##x##nv(int64_t kc, const uint32_t *a, int64_t row, int64_t column,                 \
                                       const uint32_t *b, float *tile, bool adds) {                                \
        micro(mr, nv, kc, a, row, column, b, tile, adds);                                                          \
    }
#define MICROS(mr) MICRO(mr, 1) MICRO(mr, 2)
MICROS(1) MICROS(2) MICROS(3) MICROS(4) MICROS(6) MICROS(8) MICROS(12)

/* Heights without an instance take the next higher one: the rows beyond are computed from what the buffer contains,
 * and not stored. */
#define ENTRY(mr) {micro_##mr##x1, micro_##mr##x2}
static const Micro micros[MR][2] = {ENTRY(1), ENTRY(2), ENTRY(3), ENTRY(4), ENTRY(6), ENTRY(6),
                                    ENTRY(8), ENTRY(8), ENTRY(12), ENTRY(12), ENTRY(12), ENTRY(12)};

/* Rounded to nearest, ties to even, as tg_bfloat16_from_float. */
INLINE __m256i rounded(__m512 x) {
    const __m512i bits = _mm512_castps_si512(x),
                  last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff)));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(_mm512_srli_epi32(up, 16), is_nan, _mm512_set1_epi32(0x7fc0)));
}

INLINE __m512 widened(__mmask16 lanes, const bfloat16 *x) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, x)), 16));
}

/* C = tile + plus, for `rows` rows and `columns` columns from (i, j) on. */
BF16 static void store_tile(const tg_Product *g, const float *tile, int64_t i, int64_t j, int64_t rows,
                            int64_t columns) {
    const tg_Matrix *c = &g->c, *plus = &g->plus;
    const bool is_by_rows = c->column == 1 && (!plus->data || plus->column == 1);
    for (int64_t r = 0; r < rows; r++, tile += NR) {
        bfloat16 *to = (bfloat16 *)c->data + (i + r) * c->row + j * c->column;
        const bfloat16 *from = plus->data;
        if (from) from += (i + r) * plus->row + j * plus->column;
        for (int64_t l = 0; l < columns; l += LANES) {
            const int64_t left = smaller(columns - l, LANES);
            const __mmask16 lanes = first16(left);
            __m512 sum = _mm512_loadu_ps(tile + l);
            if (is_by_rows) {
                if (from) sum = _mm512_add_ps(sum, widened(lanes, from + l));
                _mm256_mask_storeu_epi16(to + l, lanes, rounded(sum));
                continue;
            }
            bfloat16 result[LANES], addend[LANES] = {0};
            for (int64_t n = 0; from && n < left; n++) addend[n] = from[(l + n) * plus->column];
            if (from) sum = _mm512_add_ps(sum, widened(0xffff, addend));
            _mm256_storeu_si256((__m256i *)(void *)result, rounded(sum));
            for (int64_t n = 0; n < left; n++) to[(l + n) * c->column] = result[n];
        }
    }
    if (g->epilogue) g->epilogue(g->context, i, j, rows, columns);
}

/* ---- the loops ---- */

/* A block of rows times the panels first .. end - 1, at most SOME_PANELS if there are several slabs. */
static void multiply_block(const Plan *s, int64_t i, int64_t rows, int64_t first, int64_t end, Rows *whole,
                           uint32_t *buffer) {
    float one_tile[TILE], *const tiles = (float *)(buffer + MC * (KC + ROW_PAD));
    for (int64_t pc = 0; pc < s->pairs; pc += KC) {
        const int64_t kc = smaller(s->pairs - pc, KC);
        const bool is_last = pc + kc == s->pairs, is_only = s->pairs <= KC;
        Rows a = *whole;
        if (!a.data || !is_only) a = pack_a(s, buffer, i, rows, pc, kc);
        if (is_only) *whole = a;
        for (int64_t panel = first; panel < end; panel++) {
            const int64_t j = panel * NR, width = smaller(s->columns - j, NR);
            const uint32_t *b = s->b + j * s->pairs + pc * NR;
            for (int64_t r = 0; r < rows; r += MR) {
                const int64_t height = smaller(rows - r, MR);
                float *tile = is_only ? one_tile : tiles + ((panel - first) * (MC / MR) + r / MR) * TILE;
                micros[height - 1][width > LANES](kc, a.data + r / MR * a.tile, a.row, a.column, b, tile, pc > 0);
                if (is_last) store_tile(&s->g, tile, i + r, s->j0 + j, height, width);
            }
        }
    }
}

/* Items are parts of the panels in blocks of rows, in this order; those of one block are combined. */
static void multiply_items(int64_t from, int64_t to, void *context) {
    const Plan *s = context;
    uint32_t *buffer = (uint32_t *)(void *)tg_gemm_a_buffer();
    for (int64_t item = from, next; item < to; item = next) {
        const int64_t block = item / s->parts, part = item % s->parts, end = smaller(s->parts, part + to - item);
        const int64_t i = block * MC, last = s->panels * end / s->parts;
        const int64_t step = s->pairs <= KC ? s->panels : SOME_PANELS;
        Rows whole = {NULL, 0, 0, 0};
        next = item + end - part;
        for (int64_t first = s->panels * part / s->parts; first < last; first += step)
            multiply_block(s, i, smaller(s->g.m - i, MC), first, smaller(first + step, last), &whole, buffer);
    }
}

/* ---- one row ---- */

enum {
    ROW_VECTORS = 8,
    ROW_COLUMNS = ROW_VECTORS * LANES,
    ROW_STREAMS = 8, /* contiguous columns that are read at once */
    ROW_WORK = 1 << 17
};

typedef struct Row {
    const tg_Product *g;
    const uint32_t *a; /* its pairs */
} Row;

INLINE void add_pair_products(__m512 *sum, __m512i x, __m512i pairs) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(*sum) : "v"(x), "v"(pairs));
}

/* Sums of up to ROW_COLUMNS columns of B from x on, whose rows are contiguous. */
INLINE void sum_lines(const Row *row, const bfloat16 *x, int64_t width, const bool is_whole, __m512 sum[ROW_VECTORS]) {
    static const uint16_t low[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                     8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
    const __m512i to_low = _mm512_loadu_si512(low), to_high = _mm512_add_epi16(to_low, _mm512_set1_epi16(16));
    const int64_t k = row->g->k, step = row->g->b.row;
    for (int64_t p = 0; p < k; p += 2, x += 2 * step) {
        const __m512i a = _mm512_set1_epi32((int)row->a[p / 2]);
        UNROLL for (int v = 0; v < ROW_VECTORS; v += 2) {
            const __mmask32 lanes = is_whole ? 0xffffffff : first32(width - v * LANES);
            if (!lanes) break;
            const __m512i even = _mm512_maskz_loadu_epi16(lanes, x + v * LANES),
                          odd = p + 1 < k ? _mm512_maskz_loadu_epi16(lanes, x + step + v * LANES)
                                          : _mm512_setzero_si512();
            add_pair_products(&sum[v], a, _mm512_permutex2var_epi16(even, to_low, odd));
            add_pair_products(&sum[v + 1], a, _mm512_permutex2var_epi16(even, to_high, odd));
        }
    }
}

/* Adds the products of the row and `count` columns of B from x on, which are contiguous: pair p to lane p % 16 of
 * sum[i]. The columns are read as they are, with one instruction for 32 elements: a product of this kind is limited by
 * memory. */
INLINE void add_columns(const Row *row, const bfloat16 *x, const int count, __m512 *sum) {
    const int64_t k = row->g->k, step = row->g->b.column;
    const bfloat16 *a = (const bfloat16 *)row->a;
    int64_t p = 0;
    for (; p + 2 * LANES <= k; p += 2 * LANES) {
        const __m512i pairs = _mm512_loadu_si512(a + p);
        UNROLL for (int i = 0; i < count; i++) add_pair_products(&sum[i], pairs, _mm512_loadu_si512(x + i * step + p));
    }
    if (p == k) return;
    const __mmask32 rest = first32(k - p);
    const __m512i pairs = _mm512_maskz_loadu_epi16(rest, a + p);
    UNROLL for (int i = 0; i < count; i++)
        add_pair_products(&sum[i], pairs, _mm512_maskz_loadu_epi16(rest, x + i * step + p));
}

/* Sums of up to ROW_COLUMNS columns that are contiguous. */
INLINE void sum_columns(const Row *row, const bfloat16 *x, int64_t width, __m512 sum[ROW_VECTORS]) {
    const int64_t step = row->g->b.column;
    for (int64_t v = 0; v * LANES < width; v++, x += LANES * step) {
        const int64_t left = smaller(width - v * LANES, LANES);
        __m512 lanes[LANES];
        __m512i columns[LANES];
        UNROLL for (int i = 0; i < LANES; i++) lanes[i] = _mm512_setzero_ps();
        if (left == LANES)
            UNROLL for (int i = 0; i < LANES; i += ROW_STREAMS) add_columns(row, x + i * step, ROW_STREAMS, lanes + i);
        else
            for (int64_t i = 0; i < left; i++) add_columns(row, x + i * step, 1, lanes + i);
        UNROLL for (int i = 0; i < LANES; i++) columns[i] = _mm512_castps_si512(lanes[i]);
        transpose_square(columns);
        UNROLL for (int i = 0; i < LANES; i++) lanes[i] = _mm512_castsi512_ps(columns[i]);
        UNROLL for (int half = LANES / 2; half > 0; half /= 2) UNROLL for (int i = 0; i < half; i++) lanes[i] =
            _mm512_add_ps(lanes[i], lanes[i + half]);
        sum[v] = lanes[0];
    }
}

BF16 static void row_columns(int64_t from, int64_t to, void *context) {
    const Row *row = context;
    const tg_Product *g = row->g;
    for (int64_t item = from; item < to; item++) {
        const int64_t j = item * ROW_COLUMNS, width = smaller(g->n - j, ROW_COLUMNS);
        const bfloat16 *x = (const bfloat16 *)g->b.data + j * g->b.column;
        float tiles[ROW_COLUMNS];
        __m512 sum[ROW_VECTORS];
        UNROLL for (int v = 0; v < ROW_VECTORS; v++) sum[v] = _mm512_setzero_ps();
        if (g->b.column != 1)
            sum_columns(row, x, width, sum);
        else if (width == ROW_COLUMNS)
            sum_lines(row, x, width, true, sum);
        else
            sum_lines(row, x, width, false, sum);
        UNROLL for (int v = 0; v < ROW_VECTORS; v++) _mm512_storeu_ps(tiles + v * LANES, sum[v]);
        for (int64_t l = 0; l < width; l += NR) store_tile(g, tiles + l, 0, j + l, 1, smaller(width - l, NR));
    }
}

/* C = a B + plus for one row a. The order of the sums is that of the other products if the rows of B are contiguous. Of
 * contiguous columns (a linear layer) it is another one: 16 sums, of every 16th pair each. False where the strides of
 * B, or the length of a, want the other products. */
static bool multiply_row(const tg_Product *g) {
    uint32_t *buffer = (uint32_t *)(void *)tg_gemm_a_buffer();
    const Plan plan = {.g = *g, .pairs = (g->k + 1) / 2};
    if ((g->b.column != 1 && g->b.row != 1) || plan.pairs + ROW_PAD > TG_GEMM_OWN_BYTES / 4 || !buffer) return false;
    const bool is_dense = g->a.column == 1;
    if (!is_dense)
        pack_elements(buffer, 1, 1, g->k, g->a.data, g->a.column, 0);
    else
        pack_a(&plan, buffer, 0, 1, 0, plan.pairs);
    const Row row = {g, buffer};
    const int64_t items = (g->n + ROW_COLUMNS - 1) / ROW_COLUMNS;
    tg_parallel(items, 1 + ROW_WORK / (ROW_COLUMNS * g->k), row_columns, (void *)&row);
    return true;
}

/* k = 0: C = plus, or 0. */
static void zero_depth(const tg_Product *g) {
    const float tile[TILE] = {0};
    for (int64_t i = 0; i < g->m; i += MR)
        for (int64_t j = 0; j < g->n; j += NR) store_tile(g, tile, i, j, smaller(g->m - i, MR), smaller(g->n - j, NR));
}

static tg_Matrix transposed(tg_Matrix x) {
    return (tg_Matrix){x.data, x.column, x.row};
}

/* In b_buffer, this thread's, or in memory that all threads share. */
static bool multiply(tg_Product g, uint32_t *b_buffer) {
    if (g.m <= 0 || g.n <= 0) return true;
    const bool is_column = g.n == 1 && g.m > 1 && g.b.row == 1; /* a vector on the right */
    if (((g.c.column != 1 && g.c.row == 1) || is_column) && !g.epilogue)
        g = (tg_Product){.m = g.n, .n = g.m, .k = g.k, .a = transposed(g.b), .b = transposed(g.a), .c = transposed(g.c),
                         .plus = transposed(g.plus)};
    if (g.k <= 0) {
        zero_depth(&g);
        return true;
    }
    if (g.m == 1 && multiply_row(&g)) return true;
    Plan s = {.g = g, .pairs = (g.k + 1) / 2, .blocks = (g.m + MC - 1) / MC};
    const int64_t all = (g.n + NR - 1) / NR, fit = B_BYTES / (NR * s.pairs * 4), most = fit < 1 ? 1 : smaller(fit, all);
    s.b = b_buffer ? b_buffer : tg_large_block_alloc((size_t)(most * NR * s.pairs) * 4, tg_short_lived);
    if (!s.b || !tg_gemm_a_buffer()) {
        if (s.b != b_buffer) tg_large_block_free(s.b);
        return false;
    }
    for (s.j0 = 0; s.j0 < g.n; s.j0 += s.columns) {
        s.columns = smaller(g.n - s.j0, most * NR);
        s.panels = (s.columns + NR - 1) / NR;
        const double work = (double)g.m * (double)s.columns * (double)g.k / ITEM;
        const int64_t items = work < ITEMS ? 1 + (int64_t)work : ITEMS, wanted = (items + s.blocks - 1) / s.blocks;
        s.parts = wanted < s.panels ? wanted : s.panels;
        if (items == 1) {
            pack_b_panels(0, s.panels, &s);
            multiply_items(0, s.blocks * s.parts, &s);
        } else {
            const int64_t grain = 1 + (1 << 13) / (s.pairs * NR / 4);
            tg_parallel(s.panels, grain, pack_b_panels, &s);
            tg_parallel(s.blocks * s.parts, 1, multiply_items, &s);
        }
    }
    if (s.b != b_buffer) tg_large_block_free(s.b);
    return true;
}

/* ---- batches ---- */

typedef struct Job {
    const tg_Product *one;
    const tg_Batch *batch;
} Job;

static tg_Product product_at(const Job *job, int64_t index) {
    tg_Product p = *job->one;
    const tg_Batch *batch = job->batch;
    for (int d = batch->dims - 1; d >= 0; index /= batch->size[d--]) {
        const int64_t at = index % batch->size[d], steps[] = {batch->a[d], batch->b[d], batch->c[d], batch->plus[d]};
        tg_Matrix *const matrices[] = {&p.a, &p.b, &p.c, &p.plus};
        for (int i = 0; i < 4; i++)
            if (matrices[i]->data) matrices[i]->data = (bfloat16 *)matrices[i]->data + at * steps[i];
    }
    return p;
}

static void products(int64_t from, int64_t to, void *context) {
    uint32_t *const buffer = (uint32_t *)(void *)tg_gemm_b_buffer();
    for (; from < to; from++) multiply(product_at(context, from), buffer);
}

/* Many small products are divided among the threads; the others are computed one by one, each on all threads. */
bool tg_gemm_bfloat16(const tg_Product *p, const tg_Batch *batch) {
    const Job job = {p, batch};
    int64_t count = 1;
    if (!batch) return multiply(*p, NULL);
    for (int d = 0; d < batch->dims; d++) count *= batch->size[d];
    const double work = (double)p->m * (double)p->n * (double)p->k,
                 widest = (double)(p->m > p->n ? p->m : p->n) + NR;
    if (count > 1 && 4 * widest * ((double)p->k / 2 + 1) <= TG_GEMM_OWN_BYTES && tg_gemm_a_buffer() &&
        tg_gemm_b_buffer()) {
        const int64_t grain = work < ITEM ? 1 + (int64_t)(ITEM / (work + 1)) : 1;
        tg_parallel(count, grain < count ? grain : count, products, (void *)&job);
        return true;
    }
    for (int64_t i = 0; i < count; i++)
        if (!multiply(product_at(&job, i), NULL)) return false;
    return true;
}

#else

bool tg_gemm_has_bfloat16(void) {
    return false;
}

bool tg_gemm_bfloat16(const tg_Product *p, const tg_Batch *batch) {
    (void)p;
    (void)batch;
    return false;
}

#endif
