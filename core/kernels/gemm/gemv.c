/* core/kernels/gemm/gemv.c: matrix products with one row or one column, and very small ones: the loops around gemv.inc.
 *
 *     n = 1, long rows, order does not matter      gemv_dot         each row times b, as dot products
 *     n = 1                                        gemv_columns     16 rows at a time, a lane each
 *     m = 1, B large and by rows                   gemv_transposed  row by row of B, some columns whose sums stay in L1
 *     a few multiply-adds                          small_products   element by element, without any preparation */
#include <stddef.h>
#include <string.h>

#include "core/kernels/gemm/gemm_pack.h"
#include "core/kernels/parallel.h"

enum {
    PARALLEL_WORK = 1 << 16,   /* multiply-adds that are worth dividing among threads */
    LARGE_B = 1 << 17,         /* elements of B from which on gemv_transposed is faster than a tile of one row, */
    LARGE_B_NO_TILE = 1 << 10, /* and from which on it is used if the kernel has no such tile */
    LONG_ROW = 32,             /* elements of a row from which on dot products are faster */
    SPAN = 64,                 /* columns per work item of gemv_transposed */
    L1_SET_STRIDE = 4096,      /* bytes: cache lines at this distance are in one set of L1 */
    LARGE_A = 1 << 20,         /* bytes of a matrix whose rows are prefetched */
    AHEAD = 1 << 13            /* elements of the longest row that is */
};

/* Rows per work item, a multiple of `multiple`; all rows if there are at most `work` multiply-adds. */
static int64_t rows_grain(const tg_Product *g, int64_t work, int64_t multiple) {
    return g->m > work / g->k ? work / 4 / g->k / multiple * multiple + multiple : g->m;
}

void tg_store_sum(const tg_Product *g, const tg_GemmKernel *kernel, int64_t i, int64_t j, double sum) {
    char *c = tg_element_at(kernel, &g->c, i, j);
    const char *plus = g->plus.data ? tg_element_at(kernel, &g->plus, i, j) : NULL;
    if (kernel->size == 8)
        *(double *)c = (plus ? *(const double *)plus : 0) + sum;
    else
        *(float *)c = (float)((plus ? (double)*(const float *)plus : 0) + sum);
}

/* A product with a vector, for tg_parallel over its rows or spans of columns. */
typedef struct Rows {
    const tg_Product *g;
    const tg_GemmKernel *kernel;
} Rows;

static int64_t sum_lanes(const tg_GemmKernel *kernel) {
    return kernel->size == 8 ? TG_DOT_VECTOR_BYTES / 8 : TG_DOT_VECTOR_BYTES / 4;
}

/* Stores the sums of the slab at depth k to n elements of C from (i, j) on, along a column or a row. The last vector of
 * sums began earlier, to end with the last element. */
static __attribute__((noinline)) void store_sums(const Rows *rows, int64_t k, int64_t i, int64_t j, int64_t n,
                                                 const char *sums) {
    const tg_Product *g = rows->g;
    const tg_Matrix *addend = k ? &g->c : &g->plus;
    const int64_t size = rows->kernel->size, lanes = sum_lanes(rows->kernel), full = n & -lanes;
    const int64_t c_stride = (g->n == 1 ? g->c.row : g->c.column) * size,
                  addend_stride = (g->n == 1 ? addend->row : addend->column) * size;
    char *c = tg_element_at(rows->kernel, &g->c, i, j);
    const char *plus = addend->data ? tg_element_at(rows->kernel, addend, i, j) : NULL;
    for (int64_t at = 0; at < n; at++, c += c_stride, sums += size) {
        if (at == full) sums += (lanes - (n - full)) * size;
        if (size == 8)
            *(double *)c = plus ? *(const double *)plus + *(const double *)sums : *(const double *)sums;
        else
            *(float *)c = plus ? *(const float *)plus + *(const float *)sums : *(const float *)sums;
        if (plus) plus += addend_stride;
    }
}

/* If all rows of A are in one set of L1 (their stride is a multiple of 4096 bytes), a cache line would be evicted
 * before it is used up: so a line of each row is copied first. first_row: of each vector of rows, advanced by what was
 * summed. Returns how much of the depth was summed. */
static __attribute__((noinline)) int64_t add_copied_lines(const tg_GemmKernel *kernel, void *sums,
                                                          const char **first_row, int64_t lda, const char *b,
                                                          int64_t n, int64_t ahead) {
    enum { LINE = 64 };
    _Alignas(LINE) char lines[TG_DOT_ROWS * LINE];
    const void *copy[TG_DOT_ROWS];
    const int64_t lanes = sum_lanes(kernel), line = LINE / kernel->size;
    int64_t k = 0;
    for (; k + line <= n; k += line, b += LINE) {
        char *to = lines;
        for (int s = 0; to < lines + sizeof lines; s++) {
            copy[s] = to;
            for (int64_t r = 0; r < lanes; r++, to += LINE) {
                const char *from = first_row[s] + r * lda * kernel->size;
                if (ahead) __builtin_prefetch(from + ahead * kernel->size, 0, 2);
                memcpy(to, from, LINE);
            }
            first_row[s] += LINE;
        }
        kernel->dot_rows(sums, copy, line, b, line, 0);
    }
    return k;
}

/* Rows from .. to - 1 times one column, some vectors of rows at a time: slab by slab, in the order of all products.
 * With fewer rows than a vector has lanes, one row is in all lanes. */
static void gemv_columns(int64_t from, int64_t to, void *context) {
    const Rows *rows = context;
    const tg_Product *g = rows->g;
    const tg_GemmKernel *kernel = rows->kernel;
    const int64_t lanes = sum_lanes(kernel), vectors = TG_DOT_ROWS / lanes, slab = tg_slab_depth(g->k);
    const int64_t rows_per_vector = g->m < lanes ? 1 : lanes, lda = g->m < lanes ? 0 : g->a.row;
    const int64_t last = g->m - rows_per_vector;
    const int64_t ahead = g->m * g->k * kernel->size < LARGE_A || lda > AHEAD ? 0 : lda * TG_DOT_ROWS;
    for (int64_t k = 0; k < g->k; k += slab) {
        const int64_t depth = g->k - k < slab ? g->k - k : slab;
        for (int64_t i = from, end; i < to; i = end) {
            char sums[TG_DOT_ROWS * 8] = {0};
            const char *first_row[TG_DOT_ROWS], *b = tg_element_at(kernel, &g->b, k, 0);
            end = i;
            for (int64_t v = 0; v < vectors; v++, end += rows_per_vector)
                first_row[v] = tg_element_at(kernel, &g->a, end < last ? end : last, k);
            const bool share_a_set = lda != 0 && lda * kernel->size % L1_SET_STRIDE == 0;
            const int64_t done = share_a_set ? add_copied_lines(kernel, sums, first_row, lda, b, depth, ahead) : 0;
            kernel->dot_rows(sums, (const void *const *)first_row, lda, b + done * kernel->size, depth - done, ahead);
            if (end > to) end = to;
            const int64_t stored = rows_per_vector > 1 ? end - i : 1; /* adjacent vectors, or one row of each */
            for (int64_t r = i; r < end; r += stored)
                store_sums(rows, k, r, 0, stored, sums + (r - i) * TG_DOT_VECTOR_BYTES);
        }
    }
}

static bool is_gemv_columns(const tg_Product *g, const tg_GemmKernel *kernel) {
    return kernel->dot_rows && g->n == 1 && g->a.column == 1 && g->b.row == 1 && !g->packed && !g->epilogue;
}

static int64_t spans(const tg_Product *g) {
    return g->n > SPAN ? g->n / SPAN : 1;
}

/* Some columns of one row, by a B that does not fit the cache: it is read row by row, which is fastest for memory, and
 * the sums stay in L1. The last span may be longer. */
static void gemv_transposed(int64_t from, int64_t to, void *context) {
    enum { BYTES = 8192 };
    const Rows *rows = context;
    const tg_Product *g = rows->g;
    const tg_GemmKernel *kernel = rows->kernel;
    const int64_t end = to == spans(g) ? g->n : to * SPAN, slab = tg_slab_depth(g->k);
    const int64_t max_columns = BYTES / kernel->size;
    for (int64_t j = from * SPAN, n; j < end; j += n) {
        n = end - j < max_columns + sum_lanes(kernel) ? end - j : max_columns;
        for (int64_t k = 0; k < g->k; k += slab) {
            char sums[BYTES + TG_DOT_VECTOR_BYTES];
            memset(sums, 0, (size_t)(n * kernel->size) + TG_DOT_VECTOR_BYTES);
            kernel->row_times_matrix(sums, n, g->k - k < slab ? g->k - k : slab, tg_element_at(kernel, &g->a, 0, k),
                                     g->a.column, tg_element_at(kernel, &g->b, k, j), g->b.row);
            store_sums(rows, k, 0, j, n, sums);
        }
    }
}

static bool is_gemv_transposed(const tg_Product *g, const tg_GemmKernel *kernel) {
    return kernel->row_times_matrix && g->m == 1 && g->n >= kernel->lanes && g->b.column == 1 &&
           g->n * g->k >= (kernel->row_tile ? LARGE_B : LARGE_B_NO_TILE) && !g->packed && !g->epilogue;
}

/* Each row times a vector: A is read sequentially, which is fastest for memory. */
static void gemv_dot(int64_t from, int64_t to, void *context) {
    const Rows *rows = context;
    const tg_Product *g = rows->g;
    for (int64_t i = from; i < to; i++)
        tg_store_sum(g, rows->kernel, i, 0,
                     rows->kernel->dot(g->k, tg_element_at(rows->kernel, &g->a, i, 0), g->b.data));
}

static bool is_dot(int64_t k, const tg_GemmKernel *kernel) {
    return k >= LONG_ROW || !kernel->dot_rows || (kernel->size == 8 && k > 1 && k < 4);
}

bool tg_gemm_is_dot(bool is_double, int64_t k) {
    return is_dot(k, tg_gemm_kernel(is_double, 1));
}

static bool is_gemv_dot(const tg_Product *g, const tg_GemmKernel *kernel) {
    return g->n == 1 && g->a.column == 1 && g->b.row == 1 && is_dot(g->k, kernel) && !g->epilogue;
}

bool tg_gemm_is_gemv(bool is_double, const tg_Product *p) {
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, 1);
    return kernel->dot_rows && p->m == 1 && p->a.column == 1 && p->b.row == 1 &&
           p->n * p->k * kernel->size >= LARGE_A;
}

enum { PIECE = 1 << 16, PIECES = 64 };

typedef struct Dot {
    const tg_GemmKernel *kernel;
    int64_t n, piece;
    const char *a, *b;
    double *sums;
} Dot;

static void dot_pieces(int64_t from, int64_t to, void *context) {
    const Dot *dot = context;
    for (int64_t i = from; i < to; i++) {
        const int64_t at = i * dot->piece, left = dot->n - at, size = dot->kernel->size;
        dot->sums[i] = dot->kernel->dot(left < dot->piece ? left : dot->piece, dot->a + at * size, dot->b + at * size);
    }
}

double tg_dot(bool is_double, int64_t n, const void *a, const void *b) {
    double sums[PIECES] = {0}, total = 0;
    Dot dot = {tg_gemm_kernel(is_double, INT64_MAX), n, n / PIECES < PIECE ? PIECE : n / PIECES + 1, a, b, sums};
    const int64_t pieces = (n + dot.piece - 1) / dot.piece;
    tg_parallel(pieces, 1, dot_pieces, &dot);
    for (int64_t i = 0; i < pieces; i++) total += sums[i];
    return total;
}

static __attribute__((noinline)) void advance_pointers(void **at, const tg_BatchStrides *by, int64_t bytes) {
    for (int i = 0; i < 4; i++)
        if (at[i]) at[i] = (char *)at[i] + by->of[i] * bytes;
}

/* Element by element, without any preparation; the inner loop is along the longest of batch, rows and columns. */
static void small_products(const tg_Product *g, const tg_BatchStrides *next, int64_t count,
                           const tg_GemmKernel *kernel) {
    enum { AT_ONCE = 16 };
    const tg_BatchStrides steps[] = {
        *next, {{g->a.row, 0, g->c.row, g->plus.row}}, {{0, g->b.column, g->c.column, g->plus.column}}};
    const int64_t counts[] = {count, g->m, g->n}, size = kernel->size;
    void *first[] = {g->a.data, g->b.data, g->c.data, g->plus.data};
    const int longer = g->m > g->n ? 1 : 2, most = count < counts[longer] ? longer : 0, x = !most,
              y = most == 2 ? 1 : 2;
    for (int64_t left = counts[most]; left > 0; left -= AT_ONCE) {
        void *row[4], *at[4];
        memcpy(row, first, sizeof row);
        for (int64_t i = 0; i < counts[x]; i++) {
            memcpy(at, row, sizeof at);
            for (int64_t j = 0; j < counts[y]; j++) {
                kernel->small_sums(at, &steps[most], left < AT_ONCE ? left : AT_ONCE, g->k, g->a.column, g->b.row);
                advance_pointers(at, &steps[y], size);
            }
            advance_pointers(row, &steps[x], size);
        }
        advance_pointers(first, &steps[most], AT_ONCE * size);
    }
}

bool tg_gemm_small(bool is_double, const tg_Product *p, const tg_BatchStrides *next, int64_t count) {
    enum { MOST = 96, EACH = 3 }; /* multiply-adds; the cost of each sum besides */
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, 1);
    const bool packs = p->n < kernel->lanes && (p->n > 1 || p->a.column != 1);
    const int64_t most = p->n >= 8 ? MOST : packs ? 80 * kernel->lanes : 2 * MOST;
    if (p->k <= 0 || p->k > most || p->m > most || p->n > most || p->packed || p->epilogue) return false;
    if (p->m * p->n * (p->k + EACH) > most) return false;
    if (!kernel->small_sums || (p->n == 1 && is_dot(p->k, kernel))) return false;
    small_products(p, next, count, kernel);
    return true;
}

bool tg_gemv(const tg_Product *g, const tg_GemmKernel *kernel, bool has_columns) {
    Rows rows = {g, kernel};
    if (!has_columns && is_gemv_dot(g, kernel))
        tg_parallel(g->m, rows_grain(g, 2 * PARALLEL_WORK, 1), gemv_dot, &rows);
    else if (is_gemv_columns(g, kernel))
        tg_parallel(g->m, rows_grain(g, PARALLEL_WORK, TG_DOT_ROWS), gemv_columns, &rows);
    else if (is_gemv_transposed(g, kernel))
        tg_parallel(spans(g), 1, gemv_transposed, &rows);
    else
        return false;
    return true;
}
