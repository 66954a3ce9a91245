/* Matrix products with one row or one column: what is around the inner loops of gemv.inc. */
#include <stddef.h>
#include <string.h>

#include "core/kernels/gemm/gemm_step.h"
#include "core/kernels/parallel.h"

enum { SHARED = 1 << 16 };                          /* multiply-adds that are worth dividing among threads */
enum { FAR = 1 << 17, NEAR = 1 << 10 };             /* numbers of a B that is read by rows, where there is a tile for one row; where not */
enum { LONG = 32, SPAN = 64, SET = 4096 }; /* numbers of a row; columns of a share; bytes apart are lines of one set of L1 */

/* So many rows at a time, whole sets of them: all where there is less to do. */
static int64_t grain_of_rows(const tg_Product *g, int64_t shared, int64_t set) {
    return g->m > shared / g->k ? shared / 4 / g->k / set * set + set : g->m;
}

void tg_put_sum(const tg_Product *g, const tg_GemmKernel *kernel, int64_t i, int64_t j, double sum) {
    char *c = tg_element_at(kernel, &g->c, i, j);
    const char *plus = g->plus.data ? tg_element_at(kernel, &g->plus, i, j) : NULL;
    if (kernel->size == 8) *(double *)c = (plus ? *(const double *)plus : 0) + sum;
    else *(float *)c = (float)((plus ? (double)*(const float *)plus : 0) + sum);
}

/* Rows, or spans of columns, of a product with a vector. */
typedef struct Rows {
    const tg_Product *g;
    const tg_GemmKernel *kernel;
} Rows;

static int64_t lanes_of_sums(const tg_GemmKernel *kernel) {
    return kernel->size == 8 ? TG_SET_BYTES / 8 : TG_SET_BYTES / 4;
}

/* The n elements of C from (i, j) on, along a column or a row, of which the slab from depth k on has given these sums; the last set of
 * them began earlier, to end with the last element. */
static __attribute__((noinline)) void put_sums(const Rows *rows, int64_t k, int64_t i, int64_t j, int64_t n, const char *sums) {
    const tg_Product *g = rows->g;
    const tg_Matrix *from = k ? &g->c : &g->plus;
    const int64_t size = rows->kernel->size, lanes = lanes_of_sums(rows->kernel), whole = n & -lanes;
    const int64_t down = (g->n == 1 ? g->c.row : g->c.column) * size, down_from = (g->n == 1 ? from->row : from->column) * size;
    char *c = tg_element_at(rows->kernel, &g->c, i, j);
    const char *plus = from->data ? tg_element_at(rows->kernel, from, i, j) : NULL;
    for (int64_t at = 0; at < n; at++, c += down, sums += size) {
        if (at == whole) sums += (lanes - (n - whole)) * size;
        if (size == 8) *(double *)c = plus ? *(const double *)plus + *(const double *)sums : *(const double *)sums;
        else *(float *)c = plus ? *(const float *)plus + *(const float *)sums : *(const float *)sums;
        if (plus) plus += down_from;
    }
}

/* The next lines of rows that all fall into one set of the cache are copied, as they would be gone before they are used up. Gives how
 * much has been summed. */
static __attribute__((noinline)) int64_t add_lines(const tg_GemmKernel *kernel, void *sums, const char **set, int64_t lda,
                                                   const char *b, int64_t n) {
    enum { LINE = 64 };
    _Alignas(LINE) char lines[TG_HIGH * LINE];
    const void *copy[TG_HIGH];
    const int64_t lanes = lanes_of_sums(kernel), line = LINE / kernel->size;
    int64_t k = 0;
    for (; k + line <= n; k += line, b += LINE) {
        char *to = lines;
        for (int s = 0; to < lines + sizeof lines; s++) {
            copy[s] = to;
            for (int64_t r = 0; r < lanes; r++, to += LINE) memcpy(to, set[s] + r * lda * kernel->size, LINE);
            set[s] += LINE;
        }
        kernel->column(sums, copy, line, b, line);
    }
    return k;
}

/* Rows from .. to - 1 by one column, some sets at a time: slab by slab, in the order of all products. Where there are not rows enough
 * for a set, each is one, the same in all lanes. */
static void rows_by_column(int64_t from, int64_t to, void *context) {
    const Rows *rows = context;
    const tg_Product *g = rows->g;
    const tg_GemmKernel *kernel = rows->kernel;
    const int64_t lanes = lanes_of_sums(kernel), sets = TG_HIGH / lanes, deep = tg_depth_of_slab(g->k);
    const int64_t rows_of_set = g->m < lanes ? 1 : lanes, lda = g->m < lanes ? 0 : g->a.row, last = g->m - rows_of_set;
    for (int64_t k = 0; k < g->k; k += deep) {
        const int64_t depth = g->k - k < deep ? g->k - k : deep;
        for (int64_t i = from, end; i < to; i = end) {
            char sums[TG_HIGH * 8] = {0};
            const char *set[TG_HIGH], *b = tg_element_at(kernel, &g->b, k, 0);
            end = i;
            for (int64_t s = 0; s < sets; s++, end += rows_of_set) set[s] = tg_element_at(kernel, &g->a, end < last ? end : last, k);
            const int64_t done = lda == 0 || lda * kernel->size % SET ? 0 : add_lines(kernel, sums, set, lda, b, depth);
            kernel->column(sums, (const void *const *)set, lda, b + done * kernel->size, depth - done);
            if (end > to) end = to;
            const int64_t each = rows_of_set > 1 ? end - i : 1; /* sets side by side, or one row of each */
            for (int64_t r = i; r < end; r += each) put_sums(rows, k, r, 0, each, sums + (r - i) * TG_SET_BYTES);
        }
    }
}

static bool is_by_column(const tg_Product *g, const tg_GemmKernel *kernel) {
    return kernel->column && g->n == 1 && g->a.column == 1 && g->b.row == 1 && !g->packed && !g->finish;
}

static int64_t spans(const tg_Product *g) {
    return g->n > SPAN ? g->n / SPAN : 1;
}

/* Some columns of one row, by a B that is far: it is read row by row, which is how memory hands it out fastest, and the sums stay in
 * L1. The last one of all spans is the longest. */
static void row_by_matrix(int64_t from, int64_t to, void *context) {
    enum { BYTES = 8192 };
    const Rows *rows = context;
    const tg_Product *g = rows->g;
    const tg_GemmKernel *kernel = rows->kernel;
    const int64_t end = to == spans(g) ? g->n : to * SPAN, deep = tg_depth_of_slab(g->k), most = BYTES / kernel->size;
    for (int64_t j = from * SPAN, n; j < end; j += n) {
        n = end - j < most + lanes_of_sums(kernel) ? end - j : most;
        for (int64_t k = 0; k < g->k; k += deep) {
            char sums[BYTES + TG_SET_BYTES];
            memset(sums, 0, (size_t)(n * kernel->size) + TG_SET_BYTES);
            kernel->strip(sums, n, g->k - k < deep ? g->k - k : deep, tg_element_at(kernel, &g->a, 0, k), g->a.column,
                          tg_element_at(kernel, &g->b, k, j), g->b.row);
            put_sums(rows, k, 0, j, n, sums);
        }
    }
}

static bool is_by_matrix(const tg_Product *g, const tg_GemmKernel *kernel) {
    return kernel->strip && g->m == 1 && g->n >= kernel->lanes && g->b.column == 1 &&
           g->n * g->k >= (kernel->wide ? FAR : NEAR) && !g->packed && !g->finish;
}

/* Rows by a vector: one after the other, which is how memory hands them out fastest. */
static void rows_by_vector(int64_t from, int64_t to, void *context) {
    const Rows *rows = context;
    const tg_Product *g = rows->g;
    for (int64_t i = from; i < to; i++)
        tg_put_sum(g, rows->kernel, i, 0, rows->kernel->dot(g->k, tg_element_at(rows->kernel, &g->a, i, 0), g->b.data));
}

static bool is_dot(int64_t k, const tg_GemmKernel *kernel) {
    return k >= LONG || !kernel->column || (kernel->size == 8 && k > 1 && k < 4);
}

bool tg_gemm_is_dot(bool is_double, int64_t k) {
    return is_dot(k, tg_gemm_kernel(is_double, 1));
}

static bool is_by_vector(const tg_Product *g, const tg_GemmKernel *kernel) {
    return g->n == 1 && g->a.column == 1 && g->b.row == 1 && is_dot(g->k, kernel) && !g->finish;
}

enum { PIECE = 1 << 16, PIECES = 64 };

typedef struct Dot {
    const tg_GemmKernel *kernel;
    int64_t n, piece;
    const char *a, *b;
    double *sums;
} Dot;

static void pieces_of_dot(int64_t from, int64_t to, void *context) {
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
    tg_parallel(pieces, 1, pieces_of_dot, &dot);
    for (int64_t i = 0; i < pieces; i++) total += sums[i];
    return total;
}

static __attribute__((noinline)) void go(void **at, const tg_Steps *by, int64_t bytes) {
    for (int i = 0; i < 4; i++)
        if (at[i]) at[i] = (char *)at[i] + by->of[i] * bytes;
}

/* Sum by sum, without any preparation: along what there is most of, products, rows or columns, some at a time. */
static void each_sum(const tg_Product *g, const tg_Steps *next, int64_t count, const tg_GemmKernel *kernel) {
    enum { AT_ONCE = 16 };
    const tg_Steps steps[] = {*next, {{g->a.row, 0, g->c.row, g->plus.row}}, {{0, g->b.column, g->c.column, g->plus.column}}};
    const int64_t counts[] = {count, g->m, g->n}, size = kernel->size;
    void *first[] = {g->a.data, g->b.data, g->c.data, g->plus.data};
    const int longer = g->m > g->n ? 1 : 2, most = count < counts[longer] ? longer : 0, x = !most, y = most == 2 ? 1 : 2;
    for (int64_t left = counts[most]; left > 0; left -= AT_ONCE) {
        void *row[4], *at[4];
        memcpy(row, first, sizeof row);
        for (int64_t i = 0; i < counts[x]; i++) {
            memcpy(at, row, sizeof at);
            for (int64_t j = 0; j < counts[y]; j++) {
                kernel->few(at, &steps[most], left < AT_ONCE ? left : AT_ONCE, g->k, g->a.column, g->b.row);
                go(at, &steps[y], size);
            }
            go(row, &steps[x], size);
        }
        go(first, &steps[most], AT_ONCE * size);
    }
}

bool tg_gemm_few(bool is_double, const tg_Product *p, const tg_Steps *next, int64_t count) {
    enum { MOST = 96, EACH = 3 }; /* multiply-adds; so many more for each sum */
    const tg_GemmKernel *kernel = tg_gemm_kernel(is_double, 1);
    const bool packs = p->n < kernel->lanes && (p->n > 1 || p->a.column != 1);
    const int64_t most = p->n >= 8 ? MOST : packs ? 80 * kernel->lanes : 2 * MOST;
    if (p->k <= 0 || p->k > most || p->m > most || p->n > most || p->packed || p->finish) return false;
    if (p->m * p->n * (p->k + EACH) > most) return false;
    if (!kernel->few || (p->n == 1 && is_dot(p->k, kernel))) return false;
    each_sum(p, next, count, kernel);
    return true;
}

bool tg_gemm_by_vector(const tg_Product *g, const tg_GemmKernel *kernel, bool has_columns) {
    Rows rows = {g, kernel};
    if (!has_columns && is_by_vector(g, kernel)) tg_parallel(g->m, grain_of_rows(g, 2 * SHARED, 1), rows_by_vector, &rows);
    else if (is_by_column(g, kernel)) tg_parallel(g->m, grain_of_rows(g, SHARED, TG_HIGH), rows_by_column, &rows);
    else if (is_by_matrix(g, kernel)) tg_parallel(spans(g), 1, row_by_matrix, &rows);
    else return false;
    return true;
}
