/* tests/nn/test_keyword_arguments.c: arguments that few programs use, compared with PyTorch's results and gradients in
 * golden/arguments.txt (record_arguments.py, which has the same calls), and their errors. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/models/replay.h"
#include "tests/support/support.h"

/* ---- calls of more than one result ---- */

static t_TensorList *embedding(Tensor *const *x, F_EmbeddingOptions options) {
    options.size = sizeof options;
    if (options.padding_idx == 0) options.padding_idx = T_NONE; /* 0 of all of these is left out */
    if (options.norm_type == 0) options.norm_type = 2;
    if (options.max_norm == 0) options.max_norm = (double)NAN;
    Tensor *y = (F_embedding)(x[0], x[1], &options);
    return t_list(y, t_detach(x[1]));
}
#define EMBEDDING(...) embedding(x, (F_EmbeddingOptions){__VA_ARGS__})

typedef Tensor *DropoutFunction(Tensor *x, double p, bool training, bool inplace);

static t_TensorList *in_place(Tensor *x, DropoutFunction *f, bool transposed) {
    Tensor *y = t_mul(x, 1), *written = transposed ? t_t(y) : y, *result = f(written, 0.4, true, true);
    ck_assert_msg(result == written, "%s", t_error());
    return t_list(result);
}

static t_TensorList *max_unpool(const char *label, Tensor *x) {
    if (strstr(label, "1d"))
        return t_list(nn_MaxUnpool1d_call(nn_MaxUnpool1d(2), x, t_tensor("[[[1, 2], [0, 3]]]"), .output_size = 5));
    if (strstr(label, "2d")) return t_list(nn_MaxUnpool2d_call(nn_MaxUnpool2d(2), x, t_tensor("[[[[6, 3]]]]"), (3, 5)));
    return t_list(nn_MaxUnpool3d_call(nn_MaxUnpool3d((1, 2, 2)), x, t_tensor("[[[[[6, 3]]]]]"), (1, 3, 5)));
}

static t_TensorList *adaptive_max_pool(const char *label, Tensor *x) {
    Tensor *i = NULL, *y = NULL;
    if (strstr(label, "1d")) y = nn_AdaptiveMaxPool1d_call(nn_AdaptiveMaxPool1d(3), x, &i);
    if (strstr(label, "2d")) y = nn_AdaptiveMaxPool2d_call(nn_AdaptiveMaxPool2d((2, 3)), x, &i);
    if (strstr(label, "3d")) y = nn_AdaptiveMaxPool3d_call(nn_AdaptiveMaxPool3d((2, 1, 3)), x, &i);
    return t_list(y, i);
}

#define UINT8(...) t_list(F_interpolate(t_to(x[0], t_uint8), __VA_ARGS__))

/* ---- the cases ---- */

#define CASES(X)                                                                                                \
    X("embedding_max_norm k5(2,3) r(5,3)", EMBEDDING(.max_norm = 1.25))                                         \
    X("embedding_norm_type k5(2,3) r(5,3)", EMBEDDING(.max_norm = 1.25, .norm_type = 1, .padding_idx = -1))     \
    X("embedding_max_norm_inf k5(4) r(5,3)", EMBEDDING(.max_norm = 0.75, .norm_type = INFINITY))                \
    X("embedding_scale_grad k4(3,4) r(5,3)", EMBEDDING(.scale_grad_by_freq = true))                             \
    X("embedding_scale_grad_padding k4(3,4) r(5,3)", EMBEDDING(.scale_grad_by_freq = true, .padding_idx = 2))   \
    X("embedding_none k5(0) r(5,3)", EMBEDDING(.scale_grad_by_freq = true, .max_norm = 1))                      \
    X("dropout r(3,5)", in_place(x[0], F_dropout, false))                                                       \
    X("dropout_transposed r(3,5)", in_place(x[0], F_dropout, true))                                             \
    X("dropout_p1 r(3,5)", t_list(F_dropout(t_mul(x[0], 1), 1.0, true, true)))                                  \
    X("dropout1d r(2,4,3)", in_place(x[0], F_dropout1d, false))                                                 \
    X("dropout1d_unbatched r(4,3)", in_place(x[0], F_dropout1d, false))                                         \
    X("dropout2d r(2,3,2,2)", in_place(x[0], F_dropout2d, false))                                               \
    X("dropout3d r(2,3,2,1,2)", in_place(x[0], F_dropout3d, false))                                             \
    X("dropout3d_unbatched r(4,2,1,2)", in_place(x[0], F_dropout3d, false))                                     \
    X("alpha_dropout r(3,5)", in_place(x[0], F_alpha_dropout, false))                                           \
    X("alpha_dropout_transposed r(3,5)", in_place(x[0], F_alpha_dropout, true))                                 \
    X("alpha_dropout_of_transposed r(3,5)", t_list(F_alpha_dropout(t_t(x[0]), 0.4, true, false)))               \
    X("feature_alpha_dropout r(3,4,2)", in_place(x[0], F_feature_alpha_dropout, false))                         \
    X("adaptive_max_pool1d s(2,3,7)", adaptive_max_pool(key, x[0]))                                             \
    X("adaptive_max_pool2d s(2,2,5,4)", adaptive_max_pool(key, x[0]))                                           \
    X("adaptive_max_pool3d s(1,2,4,3,5)", adaptive_max_pool(key, x[0]))                                         \
    X("max_unpool1d r(1,2,2)", max_unpool(key, x[0]))                                                           \
    X("max_unpool2d r(1,1,1,2)", max_unpool(key, x[0]))                                                         \
    X("max_unpool3d r(1,1,1,1,2)", max_unpool(key, x[0]))                                                       \
    X("grid_zeros r(2,3,5,6) r(2,9,5,2)", t_list(F_grid_sample(x[0], x[1])))                                    \
    X("grid_border r(1,2,4,7) r(1,9,7,2)",                                                                      \
      t_list(F_grid_sample(x[0], x[1], .padding_mode = "border", .align_corners = true)))                       \
    X("grid_reflection r(2,1,6,4) r(2,5,7,2)", t_list(F_grid_sample(x[0], x[1], .padding_mode = "reflection"))) \
    X("grid_of_one_column r(2,2,5,1) r(2,3,7,2)", t_list(F_grid_sample(x[0], x[1], .padding_mode = "border")))  \
    X("uint8_bilinear k256(2,3,7,9)", UINT8((5, 12), .mode = "bilinear"))                                       \
    X("uint8_bilinear_corners k256(1,4,6,5)", UINT8((11, 3), .mode = "bilinear", .align_corners = true))        \
    X("uint8_bilinear_antialias k256(1,3,13,11)", UINT8((4, 5), .mode = "bilinear", .antialias = true))         \
    X("uint8_bicubic k256(1,3,6,8)", UINT8((9, 5), .mode = "bicubic"))                                          \
    X("uint8_bicubic_factor k256(1,2,4,5)", UINT8(.scale_factor = {1.2, 2.5}, .mode = "bicubic"))               \
    X("uint8_bicubic_antialias k256(1,5,12,9)", UINT8((5, 4), .mode = "bicubic", .antialias = true))            \
    X("uint8_lanczos k256(1,1,12,9)", UINT8((5, 4), .mode = "lanczos", .antialias = true))                      \
    X("norm_nuc r(3,4)", t_list(t_norm(x[0], T_NUC)))                                                           \
    X("norm_nuc_dims r(3,2,4)", t_list(t_norm(x[0], T_NUC, (0, 2), true)))                                      \
    X("uint8_same_size k256(1,3,4,5)", UINT8((4, 5), .mode = "bilinear"))                                       \
    X("uint8_one_row k256(1,3,1,5)", UINT8((1, 8), .mode = "bicubic"))
#define KEY(key, call) key,
static const char *const keys[] = {CASES(KEY)};
enum { COUNT = sizeof keys / sizeof *keys };

static t_TensorList *call_of(int i, Tensor *const *x) {
    const char *key = keys[i];
    int at = 0;
#define CALL(text, call) \
    if (i == at++) return call;
    CASES(CALL)
    return NULL;
}

static void compare(const char *key, const char *section, const char *name, Tensor *got, Role role) {
    char what[160];
    GoldenArray want;
    snprintf(what, sizeof what, "%s: %s", key, name);
    ck_assert_msg(golden_array(section, name, &want), "%s is not recorded", what);
    compare_to_golden(what, got, &want, role);
    free(want.values);
}

static void replay(int i, const char *section, t_DType real) {
    const char *key = keys[i], *bits = real == t_float32 ? "32" : "64";
    const uint64_t seed = seed_of(key);
    char name[16];
    GoldenArray unused;
    Inputs in = make_inputs(strchr(key, ' ') + 1, seed, real);
    t_manual_seed(DROPOUT_SEED);
    t_TensorList *results = call_of(i, in.x), *roots = t_list(), *weights = t_list();
    ck_assert_msg(results && !t_error(), "%s: %s", key, t_error());
    for (int64_t k = 0; k < results->len; k++) {
        Tensor *y = t_list_get(results, k);
        snprintf(name, sizeof name, "%s.y%d", bits, (int)k);
        compare(key, section, name, y, VALUE);
        if (!t_requires_grad(y)) continue;
        t_list_append(roots, y);
        Tensor *weight = hashed_tensor("R", t_shape(y), (int)t_dim(y), seed, 100 + (int)k, real);
        t_list_append(weights, weight);
    }
    if (roots->len > 0) t_autograd_backward(roots, weights);
    for (int k = 0; k < in.count; k++) {
        snprintf(name, sizeof name, "%s.x%d", bits, k);
        if (golden_array(section, name, &unused)) {
            free(unused.values);
            compare(key, section, name, t_grad(in.x[k]), GRADIENT);
        } else if (in.x[k] && t_grad(in.x[k])) {
            note("%s: %s has a gradient", key, name);
        }
    }
}

START_TEST(values_and_gradients) {
    for (int i = 0; i < COUNT; i++) {
        const char *section = golden_case(golden_file("arguments.txt"), keys[i]);
        ck_assert_msg(section != NULL, "%s is not recorded", keys[i]);
        with_scope () {
            replay(i, section, t_float32);
            replay(i, section, t_float64);
        }
    }
    report_notes();
}
END_TEST

/* ---- modules: texts, a given weight, errors ---- */

static void expect_text(void *module, const char *text) {
    char *got = nn_repr(module);
    ck_assert_str_eq(got, text);
    free(got);
}

START_TEST(embedding_module) {
    expect_text(nn_Embedding(5, 2, -1, .max_norm = 1.5, .norm_type = 3, .scale_grad_by_freq = true),
                "Embedding(5, 2, padding_idx=4, max_norm=1.5, norm_type=3.0, scale_grad_by_freq=True)");
    Tensor *vectors = t_tensor("[[3., 4], [0.3, 0.4], [-1, 2]]");
    nn_Embedding *frozen = nn_Embedding_from_pretrained(vectors, .padding_idx = 2);
    expect_text(frozen, "Embedding(3, 2, padding_idx=2)");
    ck_assert(t_equal(frozen->weight, vectors) && !t_requires_grad(frozen->weight));
    ck_assert(t_data_ptr(frozen->weight) == t_data_ptr(vectors));
    ck_assert(t_requires_grad(nn_Embedding_from_pretrained(vectors, .freeze = false)->weight));
    nn_Embedding *tuned = nn_Embedding(3, 2, .max_norm = 2.5, ._weight = t_clone(vectors));
    Tensor *y = nn_call(tuned, t_tensor("[0]"));
    ck_assert(t_allclose(y, t_tensor("[[1.5, 2]]")) && t_requires_grad(y));
    ck_assert(t_allclose(t_select(tuned->weight, 0, 0), t_tensor("[1.5, 2]")));
    ck_assert_ptr_null((nn_Embedding_from_pretrained)(t_ones(3), true, NULL));
    expect_error("Embeddings parameter is expected to be 2-dimensional");
    nn_EmbeddingOptions wrong = nn_EmbeddingDefaults;
    wrong._weight = vectors;
    ck_assert_ptr_null(nn_Embedding_new(4, 2, &wrong));
    expect_error("Shape of weight does not match num_embeddings and embedding_dim");
}
END_TEST

START_TEST(dropout_modules_in_place) {
    Tensor *x = t_ones(4, 6), *leaf = t_ones(3, .requires_grad = true);
    nn_Dropout *dropout = nn_Dropout(0.5, true);
    expect_text(dropout, "Dropout(p=0.5, inplace=True)");
    expect_text(nn_AlphaDropout(.inplace = true), "AlphaDropout(p=0.5, inplace=True)");
    t_manual_seed(3);
    Tensor *want = F_dropout(x);
    t_manual_seed(3);
    ck_assert(nn_call(dropout, x) == x && t_equal(x, want));
    nn_eval(dropout);
    ck_assert(nn_call(dropout, x) == x && t_equal(x, want));
    x = t_ones(2, 3, 2, 2);
    ck_assert(nn_call(nn_Dropout2d(1.0, true), x) == x && t_equal(x, t_zeros(2, 3, 2, 2)));
    ck_assert_ptr_null((F_dropout)(leaf, 0.5, true, true));
    expect_error("a leaf Variable that requires grad is being used in an in-place operation.");
    ck_assert_ptr_null((F_alpha_dropout)(t_ones(3, .dtype = t_int64), 0.5, true, true));
    expect_error("result type Float can't be cast to the desired output type Long");
}
END_TEST

/* One step of Adam with decoupled_weight_decay is AdamW's. */
START_TEST(adam_with_decoupled_weight_decay) {
    Tensor *p = t_tensor("[1., -2, 3]", .requires_grad = true), *q = t_tensor("[1., -2, 3]", .requires_grad = true);
    optim_Optimizer *adam = optim_Adam(t_list(p), .weight_decay = 0.5, .decoupled_weight_decay = true);
    optim_Optimizer *adamw = optim_AdamW(t_list(q), .weight_decay = 0.5);
    t_backward(t_add(t_sum(t_square(p)), t_sum(t_square(q))));
    optim_step(adam);
    optim_step(adamw);
    ck_assert(t_equal(p, q) && !t_equal(p, t_tensor("[1., -2, 3]")));
}
END_TEST

START_TEST(indices_of_int32) {
    Tensor *edges = t_tensor("[1., 3, 5]"), *x = t_tensor("[3., 6, 0]"), *want = t_tensor("[1, 3, 0]");
    Tensor *found = t_searchsorted(edges, x, .out_int32 = true), *bucket = t_bucketize(x, edges, .out_int32 = true);
    ck_assert(t_dtype(found) == t_int32 && t_equal(t_to(found, t_int64), want));
    ck_assert(t_dtype(bucket) == t_int32 && t_equal(t_to(bucket, t_int64), want));
    t_manual_seed(0);
    Tensor *soft = F_gumbel_softmax(x, .eps = 1e-6);
    t_manual_seed(0);
    ck_assert(t_equal(soft, F_gumbel_softmax(x)));
}
END_TEST

Suite *keyword_arguments_suite(void);
Suite *keyword_arguments_suite(void) {
    Suite *suite = suite_create("keyword_arguments");
    TCase *tests = tcase_create("keyword_arguments");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_and_gradients);
    tcase_add_test(tests, embedding_module);
    tcase_add_test(tests, dropout_modules_in_place);
    tcase_add_test(tests, adam_with_decoupled_weight_decay);
    tcase_add_test(tests, indices_of_int32);
    suite_add_tcase(suite, tests);
    return suite;
}
