/* tests/io/test_torch_load.c: files of torch.save: PyTorch's files are read, incomplete or changed ones are refused.
 * Pickles: test_pickle.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/load_internal.h"
#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/files/pickle_support.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"

/* ---- what PyTorch wrote ---- */

static void expect_golden(const char *name) {
    char path[100], text[200];
    snprintf(path, sizeof path, "tests/golden/files/%s", name);
    t_TensorDict *dict = (t_load)(path);
    const char *golden = golden_case(golden_file("files.txt"), name);
    ck_assert_msg(dict && golden, "%s", t_error());
    int64_t lines = 0;
    for (const char *line = golden; *line && *line != '='; line = strchr(line, '\n') + 1, lines++) {
        const t_DictItem *item = &dict->items[lines]; /* in the same order */
        ck_assert_int_lt(lines, dict->len);
        const size_t length = strlen(item->name);
        ck_assert_msg(strncmp(line, item->name, length) == 0 && line[length] == ' ',
                      "'%s' comes where PyTorch has %.40s", item->name, line);
        GoldenArray want;
        if (item->text) {
            snprintf(text, sizeof text, "text %s\n", item->text);
            ck_assert_msg(strncmp(line + length + 1, text, strlen(text)) == 0, "%s is '%s'", item->name, item->text);
        } else if (golden_array(golden, item->name, &want)) {
            compare_to_golden(item->name, item->tensor, &want, EXACT);
            free(want.values);
        }
    }
    ck_assert_int_eq(dict->len, lines);
    report_notes();
}

START_TEST(a_checkpoint_is_read) {
    expect_golden("checkpoint.pt");
}
END_TEST

START_TEST(tensors_of_every_dtype_are_read) {
    expect_golden("tensors.pt");
}
END_TEST

START_TEST(views_share_their_storage) {
    t_TensorDict *dict = (t_load)("tests/golden/files/tensors.pt");
    Tensor *base = t_dict_get(dict, "base"), *transposed = t_dict_get(dict, "transposed"),
           *row = t_dict_get(dict, "row");
    ck_assert(tg_data(transposed) == tg_data(base) && !tg_is_contiguous(transposed));
    t_set(base, "1, 0", 100);
    ck_assert_double_eq(t_item(t_at(row, "0")), 100);
    ck_assert_double_eq(t_item(t_at(transposed, "0, 1")), 100);
    ck_assert_int_eq(t_stride(t_dict_get(dict, "expanded"), 0), 0);
    ck_assert_int_eq(t_stride(t_dict_get(dict, "stepped"), 1), 2);
}
END_TEST

START_TEST(parameters_are_parameters) {
    t_TensorDict *dict = (t_load)("tests/golden/files/tensors.pt");
    Tensor *weight = t_dict_get(dict, "weight"), *leaf = t_dict_get(dict, "leaf");
    ck_assert(weight->is_parameter && t_requires_grad(weight) && t_requires_grad(leaf) && !leaf->is_parameter);
    ck_assert(!t_requires_grad(t_dict_get(dict, "base")) && t_is_leaf(weight));
    t_backward(t_sum(t_mul(weight, 3)));
    expect_printed(t_grad(weight), "tensor([3., 3.])");
}
END_TEST

/* Training resumes from what PyTorch saved after 3 steps: after 6 it agrees with PyTorch's, with two decays of the
 * rate. */
START_TEST(a_run_of_pytorch_is_resumed) {
    t_TensorDict *checkpoint = t_load("tests/golden/files/checkpoint.pt");
    nn_BatchNorm1d *norm = nn_BatchNorm1d(3);
    nn_Linear *linear = nn_Linear(3, 2);
    nn_Sequential *model = nn_Sequential(norm, linear);
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(norm), .lr = 0.01, .weight_decay = 0.0, .amsgrad = true);
    optim_add_param_group(optimizer, nn_parameters(linear), .weight_decay = 0.01);
    optim_LRScheduler *scheduler = optim_MultiStepLR(optimizer, {2, 5});
    ck_assert_msg(nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model_state_dict")), "%s", t_error());
    ck_assert_msg(optim_load_state_dict(optimizer, t_dict_get_dict(checkpoint, "optimizer_state_dict")), "%s",
                  t_error());
    ck_assert_msg(optim_scheduler_load_state_dict(scheduler, t_dict_get_dict(checkpoint, "scheduler_state_dict")), "%s",
                  t_error());
    for_range (step, t_dict_get_integer(checkpoint, "epoch"), 6) {
        optim_zero_grad(optimizer);
        t_backward(t_sum(t_square(nn_call(model, t_remainder(t_view(t_arange(12.0), 4, 3), 5 + step)))));
        optim_step(optimizer);
        optim_scheduler_step(scheduler);
    }
    t_TensorDict *state = nn_state_dict(model);
    const char *golden = golden_case(golden_file("files.txt"), "trained on");
    for_items (item, state) {
        GoldenArray want;
        ck_assert(golden_array(golden, item->name, &want));
        compare_to_golden(item->name, item->tensor, &want, VALUE);
        free(want.values);
    }
    ck_assert_int_eq(state->len, 7);
    ck_assert_double_eq_tol(optim_get_lr(optimizer), 0.0001, 1e-12);
    report_notes();
}
END_TEST

/* ---- archives of our own ---- */

/* The folder is that of data.pkl, wherever that entry is, and a name may be shorter than the folder's. */
START_TEST(a_folder_may_come_first) {
    static const char pickle[] = "\x80\2}" TEXT("\1", "a") "K\7s.";
    const Piece folder[] = {PIECE("x/", ""), PIECE("x/data.pkl", pickle), PIECE("x/version", "3\n")};
    const Piece another[] = {PIECE("README", "to read"), PIECE("a_long_name_of_a_folder/data.pkl", pickle),
                             PIECE("z", "")};
    t_TensorDict *dict = load_pieces(folder, 3);
    ck_assert_msg(dict && t_dict_get_integer(dict, "a") == 7, "%s", t_error());
    dict = load_pieces(another, 3);
    ck_assert_msg(dict && t_dict_get_integer(dict, "a") == 7, "%s", t_error());
    size_t size;
    void *array = np_save_bytes(t_arange(3.0), &size);
    const Piece npz[] = {PIECE("sub/", ""), PIECE("README", "data.pkl"), {"sub/a.npy", array, size}};
    dict = load_pieces(npz, 3);
    ck_assert_msg(dict && dict->len == 1 && t_equal(t_dict_get(dict, "sub/a"), t_arange(3.0)), "%s", t_error());
    free(array);
}
END_TEST

START_TEST(files_of_numpy_are_loaded_too) {
    t_TensorDict *arrays = t_load("tests/golden/files/arrays.npz"), *array = t_load("tests/golden/files/grid.npy");
    ck_assert(arrays && array && array->len == 1 && t_equal(t_dict_get(array, ""), t_dict_get(arrays, "grid")));
    size_t size;
    void *bytes = np_savez_bytes(t_dict(), &size);
    tg_Input in;
    ck_assert(tg_input_memory(&in, bytes, size, "none.npz") && (arrays = tg_load(&in)) && arrays->len == 0);
    free(bytes);
}
END_TEST

START_TEST(other_archives_are_named) {
    const Piece script[] = {PIECE("x/data.pkl", "\x80\2N."), PIECE("x/code/__torch__.py", "pass")},
                none[] = {PIECE("a.txt", "...")};
    const Piece order[] = {PIECE("x/data.pkl", "\x80\2N."), PIECE("x/byteorder", "middle")};
    const Piece lost[] = {PIECE("data.pkl", "\x80\2" TENSOR(FLOATS, "K\0", ")", ")") ".")};
    expect_refusal(load_pieces(script, 2) == NULL, "x.pt is a TorchScript archive, which is a program: save "
                                                   "torch.jit.load(...).state_dict() with torch.save instead");
    expect_refusal(load_pieces(none, 1) == NULL,
                   "x.pt is a ZIP archive, but none of torch.save's: it has no 'data.pkl'");
    expect_refusal(load_pieces(order, 2) == NULL, "'x/byteorder' in x.pt is neither little nor big");
    expect_refusal(load_pieces(lost, 1) == NULL, "'data.pkl' in x.pt, byte 86: there is no 'data/0' in the archive");
    expect_refusal((t_load)("LICENSE") == NULL,
                   "LICENSE has no supported format: .safetensors (0x6e at byte 8, where '{' is expected), "
                   "torch.save's, .npz or .npy");
}
END_TEST

/* ---- the format before PyTorch 1.6 ---- */

START_TEST(files_before_1_6_are_read) {
    expect_golden("before_1.6.pt");
    expect_golden("python_2.pt");
    t_TensorDict *dict = (t_load)("tests/golden/files/before_1.6.pt");
    Tensor *base = t_dict_get(dict, "tensors.base"), *weight = t_dict_get(dict, "tensors.weight");
    ck_assert(tg_data(t_dict_get(dict, "tensors.transposed")) == tg_data(base));
    ck_assert(weight->is_parameter && t_requires_grad(weight) && !t_requires_grad(base));
    dict = (t_load)("tests/golden/files/python_2.pt");
    weight = t_dict_get(dict, "weight");
    ck_assert(weight->is_parameter && t_requires_grad(weight) && t_stride(weight, 0) == 3);
    ck_assert_ptr_eq((float *)tg_data(weight) + 3, tg_data(t_dict_get(dict, "bias")));
}
END_TEST

#define LEGACY_MAGIC "\x80\2\x8a\nl\xfc\x9c" "F\xf9 j\xa8P\x19."
#define LEGACY_STORAGE(key, numel, view) \
    "(" TEXT("\7", "storage") "ctorch\nFloatStorage\n" TEXT("\1", key) TEXT("\3", "cpu") numel view "tQ"
#define LEGACY(version, storage, keys, data)                                                                \
    LEGACY_MAGIC "\x80\2M" version ".\x80\2}.\x80\2" TENSOR(storage, "K\0", "K\2\x85", "K\1\x85") ".\x80\2" keys \
        "." data
#define NOW "\xe9\3"
#define KEY "]" TEXT("\1", "a") "a"
#define TWO "\2\0\0\0\0\0\0\0" "\0\0\x80\x3f" "\0\0\0\x40"

static void expect_legacy(const char *bytes, size_t size, const char *message) {
    t_TensorDict *dict = load_bytes(bytes, size);
    if (message)
        expect_refusal(dict == NULL, message);
    else
        ck_assert_msg(dict && t_numel(t_dict_get(dict, "")) == 2, "%s", t_error());
}

START_TEST(broken_files_before_1_6_are_refused) {
#define EXPECT(message, ...)                             \
    do {                                                 \
        static const char bytes[] = LEGACY(__VA_ARGS__); \
        expect_legacy(bytes, sizeof bytes - 1, message); \
    } while (0)
    EXPECT(NULL, NOW, LEGACY_STORAGE("a", "K\2", "N"), KEY, TWO "behind it");
    EXPECT("a pickle in x.pt, byte 15: Invalid protocol version: 1001 is expected", "\xe8\3",
           LEGACY_STORAGE("a", "K\2", "N"), KEY, TWO);
    EXPECT("a pickle in x.pt, byte 112: there is no 'storage a' in the file", NOW, LEGACY_STORAGE("a", "K\2", "N"), "]",
           TWO);
    EXPECT("x.pt, byte 163: the storage 'a' has 2 elements, but should have 3", NOW,
           LEGACY_STORAGE("a", "K\3", "N"), KEY, TWO);
    EXPECT("a pickle in x.pt, byte 155: no tensor has the storage 'b'", NOW, LEGACY_STORAGE("a", "K\2", "N"),
           "]" TEXT("\1", "b") "a", TWO);
    EXPECT("a pickle in x.pt, byte 162: a storage's key is empty, or occurs twice", NOW,
           LEGACY_STORAGE("a", "K\2", "N"), "](" TEXT("\1", "a") TEXT("\1", "a") "e", TWO);
    EXPECT("a pickle in x.pt, byte 155: a storage's key is not a text", NOW, LEGACY_STORAGE("a", "K\2", "N"),
           "]K\1a", TWO);
    EXPECT("a pickle in x.pt, byte 154: the storages' keys are not a list", NOW, LEGACY_STORAGE("a", "K\2", "N"),
           "}", TWO);
    EXPECT("x.pt ends at byte 163, before the storage 'a'", NOW, LEGACY_STORAGE("a", "K\2", "N"), KEY, "");
    EXPECT("x.pt ends at byte 171, within the 2 elements of the storage 'a'", NOW, LEGACY_STORAGE("a", "K\2", "N"),
           KEY, "\2\0\0\0\0\0\0\0");
    EXPECT("a pickle in x.pt, byte 123: a view of 2 elements from 1 on is not within its storage of 2 elements", NOW,
           LEGACY_STORAGE("a", "K\2", "(" TEXT("\1", "v") "K\1K\2t"), KEY, TWO);
    EXPECT("a pickle in x.pt, byte 161: a tensor of sizes [2], strides [1] and offset 0 is not within its storage of "
           "1 elements", NOW, LEGACY_STORAGE("a", "K\2", "(" TEXT("\1", "v") "K\1K\1t"), KEY, TWO);
    EXPECT("a pickle in x.pt is broken at byte 113: a persistent id that does not describe a storage", NOW,
           LEGACY_STORAGE("a", "K\2", "K\1"), KEY, TWO);
#undef EXPECT
}
END_TEST

/* The length of the pickles is known only at their end. */
START_TEST(long_pickles_before_1_6_are_read) {
    static const char head[] = LEGACY_MAGIC "\x80\2M" NOW ".\x80\2}.\x80\2]X\0\0\x20\0", end[] = "a.\x80\2].";
    enum { LONG = 2 << 20, SIZE = sizeof head - 1 + LONG + sizeof end - 1 };
    char *bytes = malloc(SIZE);
    memset(bytes, 'x', SIZE);
    memcpy(bytes, head, sizeof head - 1);
    memcpy(bytes + SIZE - (sizeof end - 1), end, sizeof end - 1);
    t_TensorDict *dict = load_bytes(bytes, SIZE);
    ck_assert_msg(dict != NULL, "%s", t_error());
    ck_assert_uint_eq(strlen(t_dict_get_text(dict, "0")), LONG);
    expect_refusal(load_bytes(bytes, SIZE - 1) == NULL,
                   "a pickle in x.pt is broken at byte 2097190: it ends without STOP");
    free(bytes);
}
END_TEST

/* ---- damage ---- */

static const char *const damaged[] = {"tests/golden/files/tensors.pt", "tests/golden/files/before_1.6.pt"};

START_TEST(a_file_that_is_cut_off_is_refused) {
    size_t size;
    char *bytes = file_bytes(damaged[_i], &size);
    for (size_t n = 0; n < size; n += 1 + n % 13) {
        char *part = malloc(n ? n : 1);
        memcpy(part, bytes, n);
        ck_assert(load_bytes(part, n) == NULL && t_error());
        t_clear_error();
        free(part);
    }
    free(bytes);
}
END_TEST

/* Any changed byte: if it matters, the file is refused, at the latest by an archive's CRC. */
START_TEST(a_byte_that_is_changed_does_no_harm) {
    size_t size;
    char *bytes = file_bytes(damaged[_i], &size);
    for (size_t i = 0; i < size; i += 1 + i % 5) {
        bytes[i] ^= (char)(1 << i % 8);
        with_scope() {
            if (!load_bytes(bytes, size)) ck_assert_ptr_nonnull(t_error());
            t_clear_error();
        }
        bytes[i] ^= (char)(1 << i % 8);
    }
    ck_assert(load_bytes(bytes, size) != NULL);
    free(bytes);
}
END_TEST

typedef struct File {
    char *bytes;
    size_t size;
} File;

static bool loads(void *file) {
    return load_bytes(((File *)file)->bytes, ((File *)file)->size) != NULL;
}

START_TEST(without_memory_nothing_is_left) {
    File file;
    static const char *const names[] = {"tests/golden/files/checkpoint.pt", "tests/golden/files/python_2.pt"};
    for (int i = 0; i < 2; i++) {
        file.bytes = file_bytes(names[i], &file.size);
        refuse_all("loading", loads, NULL, &file);
        free(file.bytes);
    }
    report_notes();
}
END_TEST

Suite *torch_load_suite(void);
Suite *torch_load_suite(void) {
    Suite *suite = suite_create("torch_load");
    TCase *tests = tcase_create("torch_load");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_checkpoint_is_read);
    tcase_add_test(tests, tensors_of_every_dtype_are_read);
    tcase_add_test(tests, views_share_their_storage);
    tcase_add_test(tests, parameters_are_parameters);
    tcase_add_test(tests, a_run_of_pytorch_is_resumed);
    tcase_add_test(tests, a_folder_may_come_first);
    tcase_add_test(tests, files_of_numpy_are_loaded_too);
    tcase_add_test(tests, other_archives_are_named);
    tcase_add_test(tests, files_before_1_6_are_read);
    tcase_add_test(tests, broken_files_before_1_6_are_refused);
    tcase_add_test(tests, long_pickles_before_1_6_are_read);
    tcase_add_loop_test(tests, a_file_that_is_cut_off_is_refused, 0, 2);
    tcase_add_loop_test(tests, a_byte_that_is_changed_does_no_harm, 0, 2);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
