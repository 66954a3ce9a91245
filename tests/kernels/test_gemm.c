/* tests/kernels/test_gemm.c: matrix products on raw memory (core/kernels/gemm/gemm.h) compared with the plain triple
 * loop. The values are small integers, so that every order of summing gives the same, and any difference is a
 * mistake. */
#include <stdlib.h>
#include <string.h>

#include "core/kernels/gemm/gemm.h"
#include "core/kernels/parallel.h"
#include "tests/support/support.h"

enum { UNTOUCHED = 12345 };

static double at(bool is_double, const tg_Matrix *x, int64_t i, int64_t j) {
    int64_t k = i * x->row + j * x->column;
    return is_double ? ((double *)x->data)[k] : (double)((float *)x->data)[k];
}

static void put(bool is_double, void *data, int64_t i, double value) {
    if (is_double) ((double *)data)[i] = value;
    else ((float *)data)[i] = (float)value;
}

/* A buffer of count random integers in [-4, 4], with a margin at both ends that nothing may write. */
enum { MARGIN = 64 };
static void *random_values(bool is_double, int64_t count, unsigned seed) {
    char *buffer = malloc((size_t)(count + 2 * MARGIN) * 8);
    for (int64_t i = 0; i < count + 2 * MARGIN; i++) {
        bool inside = i >= MARGIN && i < MARGIN + count;
        seed = seed * 1664525u + 1013904223u;
        put(is_double, buffer, i, inside ? (double)(seed >> 24) / 32 - 4 - (double)(seed >> 24 & 31) / 32 : UNTOUCHED);
    }
    return buffer + MARGIN * (is_double ? 8 : 4);
}

static void give_back(bool is_double, void *x) {
    free((char *)x - MARGIN * (is_double ? 8 : 4));
}

/* p->c must become what the triple loop gives; nothing else in the `count` elements of its buffer may change. */
static void check(bool is_double, const tg_Product *p, int64_t count, const char *what) {
    size_t size = is_double ? 8 : 4, bytes = (size_t)(count + 2 * MARGIN) * size;
    char *from = (char *)p->c.data - MARGIN * size, *expected = malloc(bytes);
    memcpy(expected, from, bytes);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double sum = p->plus.data ? at(is_double, &p->plus, i, j) : 0;
            for (int64_t k = 0; k < p->k; k++) sum += at(is_double, &p->a, i, k) * at(is_double, &p->b, k, j);
            put(is_double, expected + MARGIN * size, i * p->c.row + j * p->c.column, sum);
        }
    tg_gemm(is_double, p);
    if (memcmp(expected, from, bytes) != 0)
        note("%s, %s: %lld x %lld x %lld", what, is_double ? "double" : "float", (long long)p->m, (long long)p->n,
             (long long)p->k);
    free(expected);
}

static void check_forms(bool is_double, int64_t m, int64_t n, int64_t k) {
    static const char *const names[] = {"NN", "NT", "TN", "TT"};
    void *a = random_values(is_double, m * k, 1), *b = random_values(is_double, k * n, 2),
         *c = random_values(is_double, m * n, 3);
    void *other = random_values(is_double, m * n, 4);
    for (int form = 0; form < 4; form++) {
        tg_Product p = {m, n, k, {a, k, 1}, {b, n, 1}, {c, n, 1}, {NULL, 0, 0}, NULL, NULL, NULL};
        if (form & 2) p.a = (tg_Matrix){a, 1, m};
        if (form & 1) p.b = (tg_Matrix){b, 1, k};
        check(is_double, &p, m * n, names[form]);
        p.plus = p.c;
        check(is_double, &p, m * n, "added to C");
        p.plus = (tg_Matrix){other, 0, 1};
        check(is_double, &p, m * n, "with a bias");
        p.c = (tg_Matrix){c, 1, m};
        p.plus = (tg_Matrix){other, 1, m};
        check(is_double, &p, m * n, "C by columns");
    }
    give_back(is_double, a);
    give_back(is_double, b);
    give_back(is_double, c);
    give_back(is_double, other);
}

START_TEST(every_form_and_edge) {
    static const int64_t rows[] = {1, 2, 3, 5, 6, 7, 13, 26}, columns[] = {1, 2, 7, 8, 9, 16, 18, 25, 41, 56},
                         depth[] = {0, 1, 3, 8, 21};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 10; j++)
            for (int k = 0; k < 5; k++)
                for (int is_double = 0; is_double < 2; is_double++)
                    check_forms(is_double, rows[i], columns[j], depth[k]);
    static const int64_t large[][3] = {{97, 33, 257},  {201, 20, 300}, {13, 100, 530}, {130, 1100, 3},
                                       {13, 41, 801},  {28, 40, 801},  {49, 257, 530}, {68, 50, 160},
                                       {1, 2105, 130}, {1, 37, 1024},  {37, 1, 2050},  {1, 11, 30}};
    for (int i = 0; i < 12; i++)
        for (int is_double = 0; is_double < 2; is_double++)
            check_forms(is_double, large[i][0], large[i][1], large[i][2]);
    report_notes();
}
END_TEST

/* Operands of stride 0 (broadcast), backwards, with gaps both ways; a C with gaps both ways. */
START_TEST(any_strides) {
    for (int is_double = 0; is_double < 2; is_double++)
        for (int64_t m = 1; m < 40; m += 19)
            for (int64_t n = 3; n < 50; n += 20) {
                const int64_t k = 17, size = is_double ? 8 : 4;
                char *a = random_values(is_double, 4 * m * k, 5), *b = random_values(is_double, 4 * k * n, 6),
                     *c = random_values(is_double, 6 * m * n, 7);
                const tg_Matrix as[] = {
                    {a, 2 * k, 2}, {a + (m * k - 1) * size, -k, -1}, {a, 0, 1}, {a, 1, 0}, {a, 0, 0}, {a, k, 1}};
                const tg_Matrix bs[] = {
                    {b, 3 * n, 1}, {b + (k * n - 1) * size, -n, -1}, {b, 0, 1}, {b, 1, 0}, {b, 2, 2 * k}, {b, 0, 0}};
                const tg_Matrix cs[] = {{c, 3 * n, 2}, {c, 2, 2 * m}, {c, 6 * n, 1}};
                for (int i = 0; i < 6; i++)
                    for (int j = 0; j < 6; j++)
                        for (int l = 0; l < 3; l++) {
                            tg_Product p = {m, n, k, as[i], bs[j], cs[l], {NULL, 0, 0}, NULL, NULL, NULL};
                            check(is_double, &p, 6 * m * n, "strides");
                            p.plus = p.c;
                            check(is_double, &p, 6 * m * n, "strides, added to C");
                            for (int64_t e = 0; e < 6 * m * n; e++)
                                put(is_double, c, e, (double)(e % 7)); /* keep them small */
                        }
                give_back(is_double, a);
                give_back(is_double, b);
                give_back(is_double, c);
            }
    report_notes();
}
END_TEST

/* ---- the same bits: of numbers whose sums depend on the order ---- */

static float *fractions(int64_t count) {
    float *x = malloc((size_t)count * sizeof *x);
    unsigned seed = 9;
    for (int64_t i = 0; i < count; i++) x[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 8388608 - 1;
    return x;
}

static void same_bits(int64_t m, int64_t n, int64_t k, bool a_by_columns, bool b_by_columns) {
    float *a = fractions(m * k), *b = fractions(k * n), *c[5];
    static const int threads[] = {1, 2, 3, 8};
    int before = tg_num_threads();
    tg_Product p = {m, n, k, {a, k, 1}, {b, n, 1}, {NULL, n, 1}, {b, 0, 1}, NULL, NULL, NULL};
    if (a_by_columns) p.a = (tg_Matrix){a, 1, m};
    if (b_by_columns) p.b = (tg_Matrix){b, 1, k};
    for (int i = 0; i < 4; i++) {
        p.c.data = c[i] = fractions(m * n);
        tg_set_num_threads(threads[i]);
        tg_gemm(false, &p);
        if (memcmp(c[i], c[0], (size_t)(m * n) * 4) != 0)
            note("%lld x %lld x %lld with %d threads", (long long)m, (long long)n, (long long)k, threads[i]);
    }
    c[4] = fractions(m * n);
    for (int64_t i = 0; i < m; i += 29) { /* in strips of rows and columns */
        for (int64_t j = 0; j < n; j += 53) {
            tg_Product part = p;
            part.m = m - i < 29 ? m - i : 29;
            part.n = n - j < 53 ? n - j : 53;
            part.a.data = a + (a_by_columns ? i : i * k);
            part.b.data = b + (b_by_columns ? j * k : j);
            part.c.data = c[4] + i * n + j;
            part.plus.data = b + j;
            tg_gemm(false, &part);
        }
    }
    if (memcmp(c[4], c[0], (size_t)(m * n) * 4) != 0)
        note("%lld x %lld x %lld in parts", (long long)m, (long long)n, (long long)k);
    for (int i = 0; i < 5; i++) free(c[i]);
    free(a);
    free(b);
    tg_set_num_threads(before);
}

START_TEST(the_same_bits_for_any_division) {
    static const int64_t sizes[][3] = {{331, 214, 300},  {33, 1201, 700}, {1203, 40, 70}, {1, 1500, 700},
                                       {17, 900, 1600},  {640, 130, 129}, {61, 779, 900}, {307, 290, 1400},
                                       {620, 1030, 800}, {28, 1024, 300}, {97, 300, 300}, {68, 50, 1000},
                                       {650, 649, 512},  {1, 1030, 1024}};
    for (int form = 0; form < 4; form++)
        for (int i = 0; i < 14; i++) same_bits(sizes[i][0], sizes[i][1], sizes[i][2], form & 2, form & 1);
    report_notes();
}
END_TEST

/* One row alone has the bits that it has among others, also where its sums go another way: B by rows or by columns,
 * near or far, with rows that fall into one set of the cache, with few columns and with more than fit L1. */
static void one_row(bool is_double, int64_t n, int64_t k, bool b_by_columns) {
    enum { ROWS = 3 };
    const size_t size = is_double ? 8 : 4;
    const int64_t counts[] = {ROWS * k, n * k, ROWS * n, ROWS * n};
    char *x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = malloc((size_t)counts[i] * size);
        for (int64_t at = 0; at < counts[i]; at++)
            put(is_double, x[i], at, (double)((unsigned)(at + i) * 2654435761u >> 8) / 8388608 - 1);
    }
    tg_Product p = {ROWS, n, k, {x[0], k, 1}, {x[1], n, 1}, {x[2], n, 1}, {x[1], 0, 1}, NULL, NULL, NULL};
    if (b_by_columns) p.b = (tg_Matrix){x[1], 1, k};
    tg_gemm(is_double, &p);
    for (int64_t i = 0; i < ROWS; i++) {
        const tg_Product row = {1, n, k, {x[0] + (size_t)(i * k) * size, k, 1}, p.b,
                                {x[3] + (size_t)(i * n) * size, n, 1}, p.plus, NULL, NULL, NULL};
        tg_gemm(is_double, &row);
    }
    if (memcmp(x[2], x[3], (size_t)(ROWS * n) * size) != 0)
        note("a row of %lld, %lld deep, B by %s, %s",
             (long long)n, (long long)k, b_by_columns ? "columns" : "rows", is_double ? "double" : "float");
    for (int i = 0; i < 4; i++) free(x[i]);
}

START_TEST(one_row_as_among_others) {
    static const int64_t sizes[][2] = {{300, 300}, {1000, 10}, {2001, 700}, {9, 64}, {1100, 1024}, {21, 2051}, {8, 7},
                                        {2105, 130}, {5000, 27}, {263, 512}};
    for (int i = 0; i < 10; i++)
        for (int form = 0; form < 4; form++) one_row(form & 1, sizes[i][0], sizes[i][1], form & 2);
    report_notes();
}
END_TEST

/* A batch over three dims, of which b has but one and a is transposed in another; and an empty one. */
START_TEST(batches) {
    const int64_t m = 20, n = 21, k = 32;
    int before = tg_num_threads();
    for (int threads = 1; threads <= 3; threads++) {
        tg_set_num_threads(threads);
        float *a = fractions(120 * m * k), *b = fractions(5 * k * n), *c = fractions(120 * m * n),
              *one = fractions(m * n);
        tg_Product p = {m, n, k, {a, k, 1}, {b, 1, k}, {c, n, 1}, {c, n, 1}, NULL, NULL, NULL};
        tg_Batch batch = {3, {6, 5, 4}, {m * k, 24 * m * k, 6 * m * k}, {0, k * n, 0}, {20 * m * n, 4 * m * n, m * n},
                          {20 * m * n, 4 * m * n, m * n}};
        tg_gemm_batch(false, &p, &batch);
        for (int64_t i = 0; i < 120; i++) {
            int64_t x = i / 20, y = i / 4 % 5, z = i % 4;
            float *fresh = fractions(120 * m * n);
            memcpy(one, fresh + i * m * n, (size_t)(m * n) * 4);
            tg_Product q = p;
            q.a.data = a + x * batch.a[0] + y * batch.a[1] + z * batch.a[2];
            q.b.data = b + y * k * n;
            q.c.data = q.plus.data = one;
            tg_gemm(false, &q);
            if (memcmp(one, c + i * m * n, (size_t)(m * n) * 4) != 0)
                note("product %lld with %d threads", (long long)i, threads);
            free(fresh);
        }
        batch.size[1] = 0;
        tg_gemm_batch(false, &p, &batch);
        free(a);
        free(b);
        free(c);
        free(one);
    }
    tg_set_num_threads(before);
    report_notes();
}
END_TEST

/* Batches of small products, over two dims of which b has but one: as the triple loop, in any form. */
static void check_batch(bool is_double, int64_t m, int64_t n, int64_t k, int form) {
    enum { X = 3, Y = 19 };
    const size_t size = is_double ? 8 : 4;
    void *a = random_values(is_double, X * Y * m * k, 1), *b = random_values(is_double, Y * (k * n + 1), 2),
         *c = random_values(is_double, X * Y * m * n, 3);
    tg_Product p = {m, n, k, {a, k, 1}, {b, n, 1}, {c, n, 1}, {NULL, 0, 0}, NULL, NULL, NULL};
    tg_Batch batch = {2, {X, Y}, {Y * m * k, m * k}, {0, k * n}, {Y * m * n, m * n}, {0, 0}};
    if (form & 1) p.a = (tg_Matrix){a, 1, m};
    if (form & 2) p.b = (tg_Matrix){b, 1, k};
    if (form & 4) p.plus = (tg_Matrix){b, 1, 0}, batch.plus[1] = 1;
    tg_gemm_batch(is_double, &p, &batch);
    for (int64_t at_once = 0; at_once < X * Y; at_once++) {
        tg_Product one = p;
        one.a.data = (char *)a + (size_t)(at_once * m * k) * size;
        one.b.data = (char *)b + (size_t)(at_once % Y * k * n) * size;
        one.c.data = (char *)c + (size_t)(at_once * m * n) * size;
        if (p.plus.data) one.plus.data = (char *)b + (size_t)(at_once % Y) * size;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = one.plus.data ? at(is_double, &one.plus, i, j) : 0;
                for (int64_t d = 0; d < k; d++) sum += at(is_double, &one.a, i, d) * at(is_double, &one.b, d, j);
                if (sum != at(is_double, &one.c, i, j))
                    note("%lld x %lld x %lld, form %d, product %lld", (long long)m, (long long)n, (long long)k, form,
                         (long long)at_once);
            }
    }
    const tg_Matrix all = {c, 1, 0};
    for (int64_t i = 0; i < MARGIN; i++)
        if (at(is_double, &all, -1 - i, 0) != UNTOUCHED || at(is_double, &all, X * Y * m * n + i, 0) != UNTOUCHED)
            note("%lld x %lld x %lld, form %d, %lld beyond", (long long)m, (long long)n, (long long)k, form,
                 (long long)i);
    give_back(is_double, a);
    give_back(is_double, b);
    give_back(is_double, c);
}

START_TEST(batches_of_small_products) {
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 1, 2}, {1, 1, 4}, {1, 1, 31}, {1, 1, 33}, {1, 7, 5}, {9, 1, 3},
                                       {4, 1, 16}, {24, 2, 3}, {3, 24, 1}, {2, 2, 2}, {3, 3, 3}, {8, 1, 1}, {2, 2, 64},
                                       {4, 3, 11}, {7, 5, 9}, {1, 8, 40}, {20, 1, 40}, {30, 3, 800}, {12, 20, 30},
                                       {1, 8, 64}, {1, 64, 8}, {3, 2, 0}};
    for (int i = 0; i < 23; i++)
        for (int form = 0; form < 16; form++)
            if (sizes[i][2] || form < 8)
                check_batch(form & 8, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][2] ? form & 7 : 0);
    report_notes();
}
END_TEST

/* B packed beforehand: the bits of the product that packs it, for any number of rows and threads. */
START_TEST(packed_beforehand) {
    static const int64_t sizes[][2] = {{1, 3}, {7, 20}, {9, 300}, {16, 8}, {33, 700}, {41, 257}, {250, 530}};
    int before = tg_num_threads();
    for (int i = 0; i < 7; i++)
        for (int64_t m = 1; m <= 300; m = 7 * m + 5) {
            const int64_t n = sizes[i][0], k = sizes[i][1];
            float *a = fractions(m * k), *b = fractions(n * k), *c = fractions(m * n), *d = fractions(m * n);
            tg_Product p = {m, n, k, {a, k, 1}, {b, 1, k}, {c, n, 1}, {b, 0, 1}, NULL, NULL, NULL};
            tg_set_num_threads(1 + i % 3);
            tg_gemm(false, &p);
            void *buffer = aligned_alloc(64, tg_gemm_packed_bytes(false, &p));
            tg_gemm_pack(false, &p, buffer);
            p.packed = buffer;
            p.c.data = d;
            tg_gemm(false, &p);
            if (memcmp(c, d, (size_t)(m * n) * 4) != 0)
                note("%lld x %lld x %lld", (long long)m, (long long)n, (long long)k);
            free(buffer);
            free(a);
            free(b);
            free(c);
            free(d);
        }
    tg_set_num_threads(before);
    report_notes();
}
END_TEST

Suite *gemm_suite(void);
Suite *gemm_suite(void) {
    Suite *suite = suite_create("gemm");
    TCase *tests = tcase_create("gemm");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, every_form_and_edge);
    tcase_add_test(tests, any_strides);
    tcase_add_test(tests, the_same_bits_for_any_division);
    tcase_add_test(tests, one_row_as_among_others);
    tcase_add_test(tests, batches);
    tcase_add_test(tests, batches_of_small_products);
    tcase_add_test(tests, packed_beforehand);
    suite_add_tcase(suite, tests);
    return suite;
}
