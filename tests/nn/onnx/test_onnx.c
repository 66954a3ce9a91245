/* tests/nn/onnx/test_onnx.c: onnx_export: the bytes of each model of tests/support/models/onnx_cases.h
 * (golden/onnx.txt, which tests/interop/onnx_models.py --record writes after onnx.checker and onnxruntime accepted
 * them), and what it refuses. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/protobuf.h"
#include "core/kernels/isa.h"
#include "nn/onnx/onnx.h"
#include "tests/support/models/model_support.h"
#include "tests/support/models/onnx_cases.h"
#include "tests/support/refusals.h"

/* ---- the bytes ---- */

/* The numbers in the names of nodes follow the order in which the compiler evaluates arguments, which is another for
 * clang; the constants of sin and exp differ in their last bits with SSE2. There a length is compared, in which a
 * number may have a digit more or less. */
static bool are_bytes_comparable(void) {
#ifdef __clang__
    return false;
#else
    return tg_isa() != TG_ISA_BASELINE;
#endif
}

static bool is_recorded(size_t bytes, size_t size, uint64_t sum, uint64_t hash) {
    if (are_bytes_comparable()) return bytes == size && sum == hash;
    return bytes + 2 >= size && bytes <= size + 2;
}

START_TEST(the_bytes_are_those_that_onnxruntime_ran) {
    char label[60];
    unsigned long long hash;
    size_t size;
    FILE *file = fopen("tests/golden/onnx.txt", "r");
    ck_assert_ptr_nonnull(file);
    int count = 0;
    for (; fscanf(file, "%59s %llx %zu", label, &hash, &size) == 3; count++) {
        const OnnxCase *of = onnx_cases;
        while (of->label && strcmp(of->label, label) != 0) of++;
        ck_assert_msg(of->label != NULL, "no case %s", label);
        with_scope () {
            size_t bytes = 0;
            unsigned char *model = onnx_case_bytes(of, onnx_module(of), &bytes);
            if (!model) note("%s: %s", label, t_error());
            uint64_t sum = FNV_START;
            for (size_t i = 0; i < bytes; i++) sum = (sum ^ model[i]) * 0x100000001B3u;
            if (model && !is_recorded(bytes, size, sum, hash))
                note("%s: %zu bytes, not %zu, or others", label, bytes, size);
            free(model);
        }
        t_clear_error();
    }
    fclose(file);
    const OnnxCase *of = onnx_cases;
    int cases = 0;
    for (; of->label; of++) cases++;
    ck_assert_int_ge(count, cases - 2); /* the image models are too large for here */
    report_notes();
}
END_TEST

/* ---- what is in a file ---- */

/* The types of the nodes, "Gemm Relu ". */
static const char *node_types(const void *bytes, size_t size) {
    const char *types = "";
    tg_Proto model = tg_proto_of("model", bytes, size, 0);
    for (tg_ProtoField f; tg_proto_next(&model, &f);) {
        if (f.number != 7) continue;
        tg_Proto graph = tg_proto_message(&model, &f);
        for (tg_ProtoField g; tg_proto_next(&graph, &g);) {
            if (g.number != 1) continue;
            tg_Proto node = tg_proto_message(&graph, &g);
            for (tg_ProtoField n; tg_proto_next(&node, &n);)
                if (n.number == 4) types = t_format("%s%.*s ", types, (int)n.size, (const char *)n.bytes);
        }
    }
    ck_assert(!model.failed);
    return types;
}

static const char *types_of(void *module, Tensor *x) {
    size_t size;
    void *bytes = onnx_export_bytes(module, x, &size);
    const char *types = bytes ? node_types(bytes, size) : "";
    free(bytes);
    return types;
}

static void expect_types(void *module, Tensor *x, const char *types) {
    const char *got = types_of(module, x);
    ck_assert_str_eq(got, types);
}

START_TEST(modules_become_their_nodes) {
    expect_types(nn_Sequential(nn_Linear(3, 4), nn_ReLU(), nn_Dropout(0.5), nn_Linear(4, 2)), t_ones(2, 3),
                 "Gemm Relu Gemm ");
    expect_types(nn_Sequential(nn_Conv2d(1, 2, 3), nn_BatchNorm2d(2), nn_ReLU(.inplace = true)), t_ones(1, 1, 5, 5),
                 "Conv BatchNormalization Relu ");
    expect_types(nn_LayerNorm(3), t_ones(2, 3), "LayerNormalization ");
    expect_types(nn_Identity(), t_ones(2, 3), "Identity ");
    expect_types(nn_LSTM(3, 4), t_ones(5, 2, 3), "LSTM Squeeze ");
}
END_TEST

START_TEST(the_model_is_left_as_it_was) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 4), nn_Dropout(0.5), nn_BatchNorm1d(4));
    nn_eval(nn_get(model, 2));
    const uint64_t before = parameter_bits(model);
    t_manual_seed(3);
    Tensor *next = t_rand(2);
    t_manual_seed(3);
    size_t size;
    free(onnx_export_bytes(model, t_randn(4, 3), &size));
    HOLDS(before == parameter_bits(model));
    HOLDS(model->base.training && nn_get(model, 1, nn_Dropout)->base.training);
    HOLDS(!nn_get(model, 2, nn_BatchNorm1d)->base.training);
    HOLDS(t_is_grad_enabled() && !t_is_anomaly_enabled());
    (void)next;
}
END_TEST

/* ---- several inputs and outputs ---- */

static t_TensorList *both(void *model, t_TensorList *args, void *context) {
    Tensor *weights;
    ++*(int *)context;
    Tensor *y = nn_MultiheadAttention_call(model, args->items[0], args->items[0], args->items[0],
                                           .key_padding_mask = args->items[1], .weights = &weights);
    return t_list(y, weights);
}

START_TEST(a_forward_of_ones_own_has_several_outputs) {
    int calls = 0;
    size_t size;
    t_TensorList *args = t_list(t_randn(2, 3, 4), t_bool(t_tensor("[[0, 0, 1], [0, 0, 0]]")));
    void *bytes =
        onnx_export_bytes(nn_MultiheadAttention(4, 2, .batch_first = true), args, &size, .forward = both,
                          .context = &calls, .input_names = {"x", "padding"}, .output_names = {"y", "weights"},
                          .dynamic_axes = {{"x", 0, "batch"}, {"padding", 0, "batch"}});
    ck_assert_msg(bytes != NULL, "%s", t_error());
    ck_assert_int_eq(calls, 4); /* with two sizes, and with two others */
    ck_assert_ptr_nonnull(strstr(node_types(bytes, size), "Softmax"));
    free(bytes);
}
END_TEST

/* ---- refusals ---- */

static Tensor *f_logcumsumexp(Tensor *x) {
    return t_logcumsumexp(x, 1);
}
static Tensor *f_cumprod(Tensor *x) {
    return t_cumprod(x, 0);
}
static Tensor *f_without_grad(Tensor *x) {
    Tensor *y;
    with_no_grad () y = t_mul(x, 2);
    return t_add(y, 1);
}
static Tensor *f_number(Tensor *x) {
    return t_mul(x, t_item(t_sum(t_at(x, "0"))));
}
static Tensor *f_branch(Tensor *x) {
    return t_item(t_at(x, "0, 0")) > 0.5 ? t_relu(x) : t_tanh(x);
}
static Tensor *f_view(Tensor *x) {
    Tensor *y = t_mul(x, 2), *view = t_at(y, "0");
    t_add_(view, 1);
    return t_add(y, 1);
}
static Tensor *f_sized(Tensor *x) {
    return t_add(x, t_view(t_linspace(0, 1, t_size(x, 0)), -1, 1));
}
static void scale_backward(t_Context *ctx, Tensor *dy, Tensor **dx) {
    (void)ctx;
    dx[0] = t_mul(dy, 2);
}
static Tensor *f_function(Tensor *x) {
    static const t_Function scale = {.name = "scale", .grad_fn = "ScaleBackward", .backward = scale_backward};
    Tensor *y;
    with_no_grad () y = t_mul(x, 2);
    return t_apply(&scale, y, t_list(x));
}

#define EXPORT_REFUSES(module, x, part, ...)                                             \
    do {                                                                                 \
        size_t bytes;                                                                    \
        void *got = onnx_export_bytes(module, x, &bytes, __VA_ARGS__);                   \
        ck_assert_ptr_null(got);                                                         \
        ck_assert_msg(strstr(t_error_message(), part) != NULL, "%s", t_error_message()); \
        t_clear_error();                                                                 \
    } while (0)

static Tensor *f_no_operation(Tensor *x) {
    (void)x;
    return t_ones(2, 2);
}
static t_TensorList *nine(void *model, t_TensorList *args, void *context) {
    (void)model, (void)context;
    t_TensorList *list = t_list();
    for (int i = 0; i < ONNX_MAX_NAMES + 1; i++) t_list_append(list, t_add(args->items[0], i));
    return list;
}
/* A size that depends on the values. */
static Tensor *f_size_of_values(Tensor *x) {
    const int64_t n = t_item(t_at(x, "0, 0")) > t_item(t_at(x, "-1, -1")) ? 3 : 2;
    return t_expand(t_sum(x), n);
}
static t_TensorList *one_is_null(void *model, t_TensorList *args, void *context) {
    (void)model, (void)context;
    t_TensorList *list = t_list(t_add(args->items[0], 1));
    t_release(list->items[0]);
    list->items[0] = NULL;
    return list;
}
static Tensor *f_written_constant(Tensor *x) {
    Tensor *c = t_ones(2), *y = t_mul(x, c);
    t_add_(c, 1);
    return t_add(y, c);
}
static Tensor *f_half(Tensor *x) {
    return t_narrow(x, 0, 0, t_size(x, 0) / 2);
}
static Tensor *f_pairs(Tensor *x) {
    return t_at(x, "{}, {}", t_tensor("[0, 1]"), t_tensor("[1, 2]"));
}

START_TEST(what_a_graph_cannot_have_is_refused) {
    Tensor *x = t_tensor("[[0.25, 2], [3, 0.75]]");
    EXPORT_REFUSES(onnx_function(f_logcumsumexp), x,
                   "the operation 'logcumsumexp' has no mapping to ONNX (in Function, tests/nn/onnx",
                   .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_function), x, "the operation 'scale' has no mapping to ONNX", .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_without_grad), x, "depends on the values of the input, but not through operations",
                   .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_number), x, "depends on the values of the input, but not through operations",
                   .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_branch), x,
                   "the operations of the forward depend on the values of the input or on the size of a dynamic axis",
                   .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_view), x, "was written to in place through a view of it", .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_sized), x, "depends on the size of a dynamic axis",
                   .dynamic_axes = {{"input", 0, "batch"}});
    for (int n = 4; n < 14; n += 9)
        EXPORT_REFUSES(onnx_function(f_half), t_rand(n, 3),
                       "the operation 'slice' (in Function, tests/nn/onnx", .dynamic_axes = {{"input", 0, "n"}});
    ck_assert_ptr_nonnull(strstr(last_error_text(), "cannot be exported to ONNX: it depends on the size of a dynamic "
                                                    "axis otherwise than by a multiple, a product or a sum"));
    EXPORT_REFUSES(onnx_function(f_cumprod), x, "cumprod along a dynamic axis",
                   .dynamic_axes = {{"input", 0, "batch"}});
    EXPORT_REFUSES(onnx_function(f_written_constant), x, "a constant of shape [2] was written to in place after it was "
                                                         "used", .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_no_operation), x, "output 0 is not computed by operations that the export sees",
                   .opset_version = 18);
    EXPORT_REFUSES(nn_Identity(), x, "onnx_export takes at most 8 inputs and outputs, not 9", .forward = nine);
    EXPORT_REFUSES(onnx_function(f_size_of_values), x,
                   "a size is 2, and 3 with other values of the input: it depends on them", .opset_version = 18);
    EXPORT_REFUSES(nn_Identity(), x, "argument 1 is NULL where a tensor is expected", .forward = one_is_null);
    EXPORT_REFUSES(nn_AdaptiveMaxPool2d(3), t_rand(1, 1, 7, 7),
                   "adaptive max pooling to sizes that do not divide the input's", .opset_version = 18);
    EXPORT_REFUSES(onnx_function(f_pairs), t_rand(3, 3),
                   "an index tensor along a dynamic axis that is not the first of those indexed",
                   .dynamic_axes = {{"input", 1, "n"}});
    EXPORT_REFUSES(nn_Sequential(nn_Conv1d(1, 1, 3, .padding = 1, .padding_mode = "circular")), t_rand(1, 1, 5),
                   "circular padding; opset_version 19 has it", .opset_version = 18);
}
END_TEST

START_TEST(wrong_arguments_are_refused) {
    nn_Linear *model = nn_Linear(2, 2);
    Tensor *x = t_rand(2, 2);
    EXPORT_REFUSES(model, x, "Unsupported ONNX opset version: 9.", .opset_version = 9);
    EXPORT_REFUSES(model, t_list(x, x), "Linear takes another number of inputs", .opset_version = 18);
    EXPORT_REFUSES(model, t_list(x, x), "two inputs or outputs are named 'x'", .input_names = {"x", "x"});
    EXPORT_REFUSES(model, t_list(x, x, x), "onnx_export needs .forward", .opset_version = 18);
    EXPORT_REFUSES(model, t_rand(3, 5), "mat1 and mat2 shapes cannot be multiplied (3x5 and 2x2)", .opset_version = 18);
    const bool written = onnx_export(model, x, "/no/such/folder/model.onnx");
    ck_assert(!written);
    ck_assert_ptr_nonnull(strstr(t_error_message(), "/no/such/folder/model.onnx"));
    t_clear_error();
}
END_TEST

/* ---- files, and memory that runs out ---- */

START_TEST(the_file_has_the_bytes) {
    char path[] = "/tmp/onnx-XXXXXX", read[4096];
    const int descriptor = mkstemp(path);
    ck_assert(descriptor >= 0);
    close(descriptor);
    nn_Linear *model = nn_Linear(2, 3);
    Tensor *x = t_rand(2, 2);
    const bool written = onnx_export(model, x, path, .input_names = {"x"});
    ck_assert(written);
    size_t size;
    void *bytes = onnx_export_bytes(model, x, &size, .input_names = {"x"});
    FILE *file = fopen(path, "rb");
    ck_assert_uint_eq(fread(read, 1, sizeof read, file), size);
    ck_assert_mem_eq(read, bytes, size);
    fclose(file);
    remove(path);
    free(bytes);
}
END_TEST

static bool attempt(void *with) {
    size_t size;
    Tensor *const *pair = with;
    const int depth = t_scope_open();
    const t_TensorList *args = depth ? t_list_new((Tensor *const *)&pair[1], 1) : NULL;
    void *bytes = args ? (onnx_export_bytes)(pair[0], args, &size, NULL) : NULL;
    t_scope_close(depth);
    free(bytes);
    return bytes != NULL;
}

START_TEST(an_export_without_memory_leaves_nothing) {
    void *with[] = {nn_Sequential(nn_Linear(2, 2), nn_ReLU()), t_rand(2, 2)};
    refuse_all("onnx_export", attempt, NULL, with);
    report_notes();
}
END_TEST

Suite *onnx_suite(void) {
    Suite *suite = suite_create("onnx");
    TCase *tests = tcase_create("onnx");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_bytes_are_those_that_onnxruntime_ran);
    tcase_add_test(tests, modules_become_their_nodes);
    tcase_add_test(tests, the_model_is_left_as_it_was);
    tcase_add_test(tests, a_forward_of_ones_own_has_several_outputs);
    tcase_add_test(tests, what_a_graph_cannot_have_is_refused);
    tcase_add_test(tests, wrong_arguments_are_refused);
    tcase_add_test(tests, the_file_has_the_bytes);
    tcase_add_test(tests, an_export_without_memory_leaves_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
