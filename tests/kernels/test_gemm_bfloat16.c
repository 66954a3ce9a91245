/* tests/kernels/test_gemm_bfloat16.c: products of bfloat16 compared with the plain triple loop, whose exact sum is
 * rounded once. The values are small integers, so that every order of summing gives the same. */
#include <stdlib.h>
#include <string.h>

#include "core/kernels/gemm/gemm.h"
#include "core/kernels/narrow.h"
#include "core/kernels/parallel.h"
#include "nn/nn.h"
#include "tests/support/support.h"

/* ---- on raw memory, where the processor multiplies bfloat16 ---- */

enum { UNTOUCHED = 0x7fee }; /* a NaN */

static uint16_t *random_integers(int64_t count, unsigned seed) {
    uint16_t *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = tg_bfloat16_from_float((float)(int)(seed >> 24 & 15) - 8);
    }
    return x;
}

/* Element (i, j) of a matrix of `columns` columns: by rows, or by columns; `step` elements apart. */
static tg_Matrix matrix(void *data, int64_t rows, int64_t columns, bool by_columns, int64_t step) {
    return by_columns ? (tg_Matrix){data, step, (rows + 1) * step} : (tg_Matrix){data, (columns + 1) * step, step};
}

static float at(const tg_Matrix *x, int64_t i, int64_t j) {
    return tg_float_from_bfloat16(((uint16_t *)x->data)[i * x->row + j * x->column]);
}

static void mark_tile(void *context, int64_t i, int64_t j, int64_t rows, int64_t columns) {
    (void)i, (void)j;
    __atomic_fetch_add((int64_t *)context, rows * columns, __ATOMIC_RELAXED); /* tiles are stored by several threads */
}

/* form: bit 0: A by columns, bit 1: B, bit 2: C. plus: 0 none, 1 a bias, 2 C itself, with an epilogue. */
static void check(int64_t m, int64_t n, int64_t k, int form, int plus, int64_t step) {
    const int64_t count = (m + 2) * (n + 2) * step;
    uint16_t *a = random_integers((m + 2) * (k + 2) * step, 1), *b = random_integers((k + 2) * (n + 2) * step, 2),
             *c = random_integers(count, 3), *bias = random_integers(n + 1, 4), *expected = malloc((size_t)count * 2);
    int64_t stored = 0;
    tg_Product p = {.m = m, .n = n, .k = k, .a = matrix(a, m, k, form & 1, step), .b = matrix(b, k, n, form & 2, step),
                    .c = matrix(c, m, n, form & 4, step)};
    if (plus == 1) p.plus = (tg_Matrix){bias, 0, 1};
    if (plus == 2) p.plus = p.c;
    if (plus == 2 && !(form & 4)) p.epilogue = mark_tile, p.context = &stored;
    for (int64_t i = 0; i < count && plus != 2; i++) c[i] = UNTOUCHED;
    memcpy(expected, c, (size_t)count * 2);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = plus ? at(&p.plus, i, j) : 0;
            for (int64_t l = 0; l < k; l++) sum += at(&p.a, i, l) * at(&p.b, l, j);
            expected[i * p.c.row + j * p.c.column] = tg_bfloat16_from_float(sum);
        }
    if (!tg_gemm_bfloat16(&p, NULL) || memcmp(c, expected, (size_t)count * 2) != 0 || (p.epilogue && stored != m * n))
        note("%d x %d x %d, form %d, plus %d, step %d", (int)m, (int)n, (int)k, form, plus, (int)step);
    free(a);
    free(b);
    free(c);
    free(bias);
    free(expected);
}

START_TEST(every_form_and_edge) {
    static const int64_t ms[] = {0, 1, 2, 5, 7, 11, 12, 13, 25, 97}, ns[] = {0, 1, 3, 15, 16, 17, 31, 33, 65},
                         ks[] = {0, 1, 2, 3, 31, 32, 33, 127};
    for (int x = 0; x < 10; x++)
        for (int y = 0; y < 9; y++)
            for (int z = 0; z < 8; z++)
                for (int form = 0; form < 8; form++)
                    check(ms[x], ns[y], ks[z], form, (x + y + z + form) % 3, 1 + (x + y + z) % 5 / 4);
    report_notes();
}
END_TEST

/* Several slabs of the depth, blocks of rows and parts of the columns; any number of threads. */
START_TEST(large_products) {
    const int before = tg_num_threads();
    for (int form = 0; form < 8; form++) {
        tg_set_num_threads(1 + form % 3);
        check(130, 70, 2049 + form, form, form % 3, 1);
        check(200, 561, 300 + form, form, (form + 1) % 3, 1);
        check(13, 40, 4099, form, (form + 2) % 3, 2);
        check(1, 700, 513 + form, form, form % 3, 1);
        check(600, 1, 77 + form, form, (form + 1) % 3, 1);
    }
    tg_set_num_threads(before);
    report_notes();
}
END_TEST

static float *fractions(int64_t count, unsigned seed) {
    float *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
    return x;
}

/* The sum of an element depends on its row and column only: not on the product that they are a part of. (But one row
 * has an order of sums of its own.) */
START_TEST(the_same_bits_for_any_division) {
    const int64_t m = 150, n = 90, k = 2200;
    float *x = fractions((m + n) * k, 5);
    uint16_t *a = malloc((size_t)(m + n) * k * 2), *b = a + m * k, *c = malloc((size_t)(m * n) * 2), some[4];
    for (int64_t i = 0; i < (m + n) * k; i++) a[i] = tg_bfloat16_from_float(x[i]);
    ck_assert(tg_gemm_bfloat16(&(tg_Product){.m = m, .n = n, .k = k, .a = {a, k, 1}, .b = {b, 1, k}, .c = {c, n, 1}},
                               NULL));
    for (int64_t i = 0; i < m; i += 7)
        for (int64_t j = 0; j < n - 1; j += 11) {
            const tg_Product p = {.m = 2, .n = 2, .k = k, .a = {a + i * k, 0, 1}, .b = {b + j * k, 1, k},
                                  .c = {some, 2, 1}};
            ck_assert(tg_gemm_bfloat16(&p, NULL));
            if (memcmp(some, c + i * n + j, 4) != 0) note("element %d %d", (int)i, (int)j);
        }
    uint16_t *row = c, *column = c + n; /* of one row, of one column, and each of its elements alone */
    const tg_Product of_row = {.m = 1, .n = n, .k = k, .a = {a, k, 1}, .b = {b, 1, k}, .c = {row, n, 1}};
    const tg_Product of_column = {.m = n, .n = 1, .k = k, .a = {b, k, 1}, .b = {a, 1, k}, .c = {column, 1, 1}};
    ck_assert(tg_gemm_bfloat16(&of_row, NULL) && tg_gemm_bfloat16(&of_column, NULL));
    ck_assert(memcmp(row, column, (size_t)n * 2) == 0);
    for (int64_t j = 0; j < n; j++) {
        const tg_Product p = {.m = 1, .n = 1, .k = k, .a = {a, k, 1}, .b = {b + j * k, 1, k}, .c = {some, 1, 1}};
        ck_assert(tg_gemm_bfloat16(&p, NULL));
        if (some[0] != row[j]) note("element %d of a row", (int)j);
    }
    free(x);
    free(a);
    free(c);
    report_notes();
}
END_TEST

/* ---- tensors, with every instruction set ---- */

/* Values of at most 8 bits: the products and sums are exact, and each element of the result is rounded once. */
static Tensor *integers(const int64_t *shape, int ndim, t_DType dtype) {
    return t_to((t_randint)(-8, 8, shape, ndim, NULL), dtype);
}
#define INTEGERS(dtype, ...) \
    integers((int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), dtype)

static void expect_product(const char *what, Tensor *y, Tensor *wide, Tensor *dy, Tensor **x, int count) {
    const t_DType dtype = t_dtype(x[0]);
    ck_assert_msg(t_dtype(y) == dtype && t_equal(y, t_to(wide, dtype)), "%s", what);
    for (int i = 0; i < count; i++) {
        Tensor *got = t_grad(y, x[i], dy, .retain_graph = true);
        Tensor *expected = t_grad(wide, x[i], t_float(dy), .retain_graph = true);
        ck_assert_msg(t_dtype(got) == dtype && t_equal(got, expected), "%s: gradient %d", what, i);
    }
}

START_TEST(products_of_tensors_round_once) {
    static const t_DType dtypes[] = {t_bfloat16, t_float16};
    for (int d = 0; d < 2; d++) {
        const t_DType dtype = dtypes[d];
        for (int transposed = 0; transposed < 4; transposed++) {
            Tensor *a = INTEGERS(dtype, 3, 7, 5), *b = INTEGERS(dtype, 3, 5, 18), *dy = INTEGERS(dtype, 3, 7, 18);
            if (transposed & 1) a = t_transpose(t_contiguous(t_transpose(a, 1, 2)), 1, 2);
            if (transposed & 2) b = t_transpose(t_contiguous(t_transpose(b, 1, 2)), 1, 2);
            Tensor *x[] = {t_requires_grad_(a, true), t_requires_grad_(b, true)};
            expect_product("bmm", t_bmm(a, b), t_bmm(t_float(a), t_float(b)), dy, x, 2);
            expect_product("matmul", t_matmul(a, b), t_matmul(t_float(a), t_float(b)), dy, x, 2);
        }
        Tensor *x = t_requires_grad_(INTEGERS(dtype, 2, 4, 33), true),
               *w = t_requires_grad_(INTEGERS(dtype, 6, 33), true),
               *bias = t_requires_grad_(INTEGERS(dtype, 6), true), *dy = INTEGERS(dtype, 2, 4, 6);
        expect_product("linear", F_linear(x, w, bias), F_linear(t_float(x), t_float(w), t_float(bias)), dy,
                       (Tensor *[]){x, w, bias}, 3);
        expect_product("linear", F_linear(x, w), F_linear(t_float(x), t_float(w)), dy, (Tensor *[]){x, w}, 2);
        expect_product("matmul", t_matmul(x, t_t(w)), t_matmul(t_float(x), t_float(t_t(w))), dy, (Tensor *[]){x, w}, 2);
        Tensor *square = t_requires_grad_(INTEGERS(dtype, 5, 7, 4), true),
               *other = t_requires_grad_(INTEGERS(dtype, 5, 4, 9), true),
               *plus = t_requires_grad_(INTEGERS(dtype, 7, 1), true), *dz = INTEGERS(dtype, 5, 7, 9);
        expect_product("baddbmm", t_baddbmm(plus, square, other),
                       t_baddbmm(t_float(plus), t_float(square), t_float(other)), dz,
                       (Tensor *[]){plus, square, other}, 3);
        Tensor *rows = t_requires_grad_(INTEGERS(dtype, 8, 33), true), *dx = INTEGERS(dtype, 8, 6);
        for (int alpha = 1; alpha < 3; alpha++)
            expect_product("addmm", t_addmm(bias, rows, t_t(w), .alpha = alpha),
                           t_addmm(t_float(bias), t_float(rows), t_float(t_t(w)), .alpha = alpha), dx,
                           (Tensor *[]){bias, rows, w}, 3);
        Tensor *none = t_zeros(0, 33, .dtype = dtype);
        Tensor *zeros = t_matmul(t_t(none), t_zeros(0, 4, .dtype = dtype));
        HOLDS(t_numel(F_linear(none, w, bias)) == 0 && t_equal(zeros, t_zeros(33, 4, .dtype = dtype)));
    }
}
END_TEST

/* A gradient of a gradient is composed of products of bfloat16. */
START_TEST(a_product_is_differentiated_twice) {
    Tensor *x = t_requires_grad_(INTEGERS(t_bfloat16, 3, 4), true);
    Tensor *w = t_requires_grad_(INTEGERS(t_bfloat16, 2, 4), true);
    Tensor *first = t_grad(t_sum(t_square(F_linear(x, w))), x, .create_graph = true);
    ck_assert(t_dtype(first) == t_bfloat16 && t_dtype(t_grad(t_sum(first), w)) == t_bfloat16);
}
END_TEST

Suite *gemm_bfloat16_suite(void);
Suite *gemm_bfloat16_suite(void) {
    Suite *suite = suite_create("gemm_bfloat16");
    TCase *tests = tcase_create("gemm_bfloat16");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    if (tg_gemm_has_bfloat16()) {
        tcase_add_test(tests, every_form_and_edge);
        tcase_add_test(tests, large_products);
        tcase_add_test(tests, the_same_bits_for_any_division);
    }
    tcase_add_test(tests, products_of_tensors_round_once);
    tcase_add_test(tests, a_product_is_differentiated_twice);
    suite_add_tcase(suite, tests);
    return suite;
}
