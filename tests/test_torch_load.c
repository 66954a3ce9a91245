/* tests/test_torch_load.c: files of torch.save's: what PyTorch wrote is read, and every other pickle is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/load_internal.h"
#include "core/io/torch_load.h"
#include "core/tensor.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support.h"

static t_TensorDict *load(const char *path) {
    return (t_load)(path);
}

static t_TensorDict *load_bytes(const void *bytes, size_t size) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "x.pt") ? tg_load(&in) : NULL;
}

/* ---- what PyTorch wrote ---- */

static void expect_golden(const char *name) {
    char path[100], text[200];
    snprintf(path, sizeof path, "tests/golden/files/%s", name);
    t_TensorDict *dict = load(path);
    const char *golden = golden_case(golden_file("files.txt"), name);
    ck_assert_msg(dict && golden, "%s", t_error());
    int64_t lines = 0;
    for (const char *line = golden; *line && *line != '='; line = strchr(line, '\n') + 1, lines++) {
        const t_DictItem *item = &dict->items[lines]; /* in the same order */
        ck_assert_int_lt(lines, dict->len);
        const size_t length = strlen(item->name);
        ck_assert_msg(strncmp(line, item->name, length) == 0 && line[length] == ' ', "'%s' comes where PyTorch has %.40s", item->name, line);
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
    t_TensorDict *dict = load("tests/golden/files/tensors.pt");
    Tensor *base = t_dict_get(dict, "base"), *transposed = t_dict_get(dict, "transposed"), *row = t_dict_get(dict, "row");
    ck_assert(tg_data(transposed) == tg_data(base) && !tg_is_contiguous(transposed));
    t_set(base, "1, 0", 100);
    ck_assert_double_eq(t_item(t_at(row, "0")), 100);
    ck_assert_double_eq(t_item(t_at(transposed, "0, 1")), 100);
    ck_assert_int_eq(t_stride(t_dict_get(dict, "expanded"), 0), 0);
    ck_assert_int_eq(t_stride(t_dict_get(dict, "stepped"), 1), 2);
}
END_TEST

START_TEST(parameters_are_parameters) {
    t_TensorDict *dict = load("tests/golden/files/tensors.pt");
    Tensor *weight = t_dict_get(dict, "weight"), *leaf = t_dict_get(dict, "leaf");
    ck_assert(weight->is_parameter && t_requires_grad(weight) && t_requires_grad(leaf) && !leaf->is_parameter);
    ck_assert(!t_requires_grad(t_dict_get(dict, "base")) && t_is_leaf(weight));
    t_backward(t_sum(t_mul(weight, 3)));
    expect_printed(t_grad(weight), "tensor([3., 3.])");
}
END_TEST

/* What PyTorch saved after 3 steps goes on here: after 6 it is where PyTorch is, the learning rate having fallen twice. */
START_TEST(a_run_of_pytorchs_goes_on) {
    t_TensorDict *checkpoint = t_load("tests/golden/files/checkpoint.pt");
    nn_BatchNorm1d *norm = nn_BatchNorm1d(3);
    nn_Linear *linear = nn_Linear(3, 2);
    nn_Sequential *model = nn_Sequential(norm, linear);
    optim_Optimizer *optimizer = optim_AdamW(nn_parameters(norm), .lr = 0.01, .weight_decay = 0.0, .amsgrad = true);
    optim_add_param_group(optimizer, nn_parameters(linear), .weight_decay = 0.01);
    optim_LRScheduler *scheduler = optim_MultiStepLR(optimizer, {2, 5});
    ck_assert_msg(nn_load_state_dict(model, t_dict_get_dict(checkpoint, "model_state_dict")), "%s", t_error());
    ck_assert_msg(optim_load_state_dict(optimizer, t_dict_get_dict(checkpoint, "optimizer_state_dict")), "%s", t_error());
    ck_assert_msg(optim_scheduler_load_state_dict(scheduler, t_dict_get_dict(checkpoint, "scheduler_state_dict")), "%s", t_error());
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

typedef struct Piece {
    const char *name, *bytes;
    size_t size;
} Piece;
#define PIECE(name, bytes) {name, bytes, sizeof(bytes) - 1}

static t_TensorDict *load_pieces(const Piece *pieces, int count) {
    tg_Output out;
    tg_ZipWriter zip;
    tg_output_memory(&out);
    tg_zip_begin(&zip, &out);
    for (int i = 0; i < count; i++) {
        tg_zip_add(&zip, pieces[i].name, pieces[i].size, tg_crc32(0, pieces[i].bytes, pieces[i].size));
        tg_output_write(&out, pieces[i].bytes, pieces[i].size);
    }
    size_t size;
    void *bytes = tg_output_take(&out, tg_zip_end(&zip, true), &size);
    t_TensorDict *dict = load_bytes(bytes, size);
    free(bytes);
    return dict;
}

/* A pickle beside a storage of four float32, 1 to 4. */
static t_TensorDict *load_pickle(const char *pickle, size_t size) {
    const Piece pieces[] = {{"x/data.pkl", pickle, size}, PIECE("x/data/0", "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40"), PIECE("x/version", "3\n")};
    return load_pieces(pieces, 3);
}

#define TEXT(length, text) "X" length "\0\0\0" text
#define STORAGE(name, numel) "(" TEXT("\7", "storage") "c" name "\n" TEXT("\1", "0") TEXT("\3", "cpu") numel "tQ"
#define FLOATS STORAGE("torch\nFloatStorage", "K\4")
#define HOOKS "ccollections\nOrderedDict\n)R"
#define TENSOR(storage, offset, sizes, strides) "ctorch._utils\n_rebuild_tensor_v2\n(" storage offset sizes strides "\x89" HOOKS "tR"
#define PICKLE(text) "\x80\2" text, sizeof("\x80\2" text) - 1

START_TEST(pickles_of_ours_are_read) {
    t_TensorDict *dict = load_pickle(PICKLE(TENSOR(FLOATS, "K\0", "K\2K\2\x86", "K\2K\1\x86") "."));
    ck_assert_msg(dict != NULL, "%s", t_error());
    ck_assert_int_eq(dict->len, 1);
    expect_printed(t_dict_get(dict, ""), "tensor([[1., 2.],\n        [3., 4.]])");
    dict = load_pickle(PICKLE("}(" TEXT("\1", "a") "J\xfe\xff\xff\xff" TEXT("\1", "b") "\x8a\0" TEXT("\1", "c") "\x8a\2\0\x80K\5M\1\2\x88Nu."));
    ck_assert_int_eq(t_dict_get_integer(dict, "a"), -2);
    ck_assert_int_eq(t_dict_get_integer(dict, "b"), 0);
    ck_assert_int_eq(t_dict_get_integer(dict, "c"), -32768);
    ck_assert_int_eq(t_dict_get_integer(dict, "5"), 513);
    ck_assert_int_eq(dict->len, 4);
    dict = load_pickle(PICKLE("]q\0(K\1]h\0Ne."));
    ck_assert_ptr_null(dict);
    t_clear_error();
    ck_assert((dict = load_pickle(PICKLE("](K\1q\0K\2q\0h\0e."))) && t_dict_get_integer(dict, "2") == 2); /* a place of the memo anew */
    ck_assert((dict = load_pickle(PICKLE("}."))) && dict->len == 0);
    ck_assert((dict = load_pickle(PICKLE("N."))) && dict->len == 0);
    ck_assert_str_eq(t_dict_get_text(load_pickle(PICKLE(").")), ""), "()");
}
END_TEST

START_TEST(big_endian_storages_are_swapped) {
    static const char pickle[] = "\x80\2" TENSOR(FLOATS, "K\0", "K\4\x85", "K\1\x85") ".";
    const Piece pieces[] = {PIECE("x/data.pkl", pickle), PIECE("x/byteorder", "big"), PIECE("x/data/0", "\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0")};
    t_TensorDict *dict = load_pieces(pieces, 3);
    ck_assert_msg(dict != NULL, "%s", t_error());
    expect_printed(t_dict_get(dict, ""), "tensor([1., 2., 3., 4.])");
}
END_TEST

/* ---- what is refused ---- */

#define IN "'x/data.pkl' in x.pt"
#define LEAVE_OUT ": remove the key that has it and save again"

#define TEN_TIMES(text) text text text text text text text text text text
#define LONG_NAME TEN_TIMES("abcdefghij") /* as much of a name as a message shows */

START_TEST(every_other_instruction_is_refused) {
    static const struct { const char *pickle; size_t size; const char *message; } bad[] = {
        {PICKLE("cos\nsystem\nX\4\0\0\0true\x85R."), IN " asks for os.system at byte 2, which is no part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("c__builtin__\neval\n(tR."), IN " asks for __builtin__.eval at byte 2, which is no part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("ctorch.nn.modules.linear\nLinear\n)\x81."),
         IN " asks for torch.nn.modules.linear.Linear at byte 2, which is no part of a tensor and is not loaded: save model.state_dict() instead of the model"},
        {PICKLE("cnumpy._core.multiarray\nscalar\n."), IN " asks for numpy._core.multiarray.scalar at byte 2, which is no part of a tensor and is not "
                                                          "loaded: save torch.from_numpy(...) or float(...) instead"},
        {PICKLE("ctorch\nFloatStorag\xff\n."), IN " asks for torch.FloatStorag? at byte 2, which is no part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("c_codecs\nencode\n."), IN " asks for _codecs.encode (bytes) at byte 2, which is no part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("c__builtin__\nset\n]\x85R."), IN " asks for __builtin__.set at byte 2, which is no part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("c" LONG_NAME "\nsystem\n."), IN " asks for " LONG_NAME " at byte 2, which is no part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("(S'true'\nios\nsystem\n."), IN " has the instruction STRING at byte 3, which tensors do not need: it is not carried out"},
        {PICKLE("(ios\nsystem\n."), IN " has the instruction INST at byte 3, which tensors do not need: it is not carried out"},
        {PICKLE("(o."), IN " has the instruction OBJ at byte 3, which tensors do not need: it is not carried out"},
        {PICKLE("N\x81."), IN " has the instruction NEWOBJ at byte 3, which tensors do not need: it is not carried out"},
        {PICKLE("\x82\1."), IN " has the instruction EXT1 at byte 2, which tensors do not need: it is not carried out"},
        {PICKLE("N0."), IN " has the instruction POP at byte 3, which tensors do not need: it is not carried out"},
        {PICKLE("\x8c\1aN."), IN " has the instruction SHORT_BINUNICODE at byte 2, which tensors do not need: it is not carried out (was it saved with "
                                 "another pickle_protocol than 2?)"},
        {PICKLE("\xffN."), IN " is broken at byte 2: 0xff is no instruction"},
        {PICKLE("\0N."), IN " is broken at byte 2: 0x00 is no instruction"},
        {"\x80\4N.", 4, IN " is of pickle protocol 4, and only 2, torch.save's own, is read: leave pickle_protocol out"},
        {"", 0, IN " is broken at byte 0: it ends without STOP"},
        {PICKLE("N"), IN " is broken at byte 3: it ends without STOP"},
        {PICKLE("."), IN " is broken at byte 2: not one value is left in the end"},
        {PICKLE("NN."), IN " is broken at byte 4: not one value is left in the end"},
        {PICKLE("(N."), IN " is broken at byte 4: not one value is left in the end"},
        {PICKLE("N.."), IN " is broken at byte 3: something stands behind its end"},
        {PICKLE("K"), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("X\xff\xff\xff\xff."), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("\x8a\x09."), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("ctorch."), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("\x8a\x09" "123456789."), IN " has an int of 9 bytes at byte 2, and int64 has 8" LEAVE_OUT},
        {PICKLE("t."), IN " is broken at byte 2: there is no mark on the stack"},
        {PICKLE("N(\x85."), IN " is broken at byte 4: the stack has too few values"},
        {PICKLE("(Na."), IN " is broken at byte 4: the stack has too few values"},
        {PICKLE("NNa."), IN " is broken at byte 4: an item is appended to what is no list"},
        {PICKLE(")(Ne."), IN " is broken at byte 5: an item is appended to what is no list"},
        {PICKLE("]NNs."), IN " is broken at byte 5: a key is set in what is no dict"},
        {PICKLE("}(Nu."), IN " is broken at byte 5: a key without a value"},
        {PICKLE("q\0."), IN " is broken at byte 2: the stack has too few values"},
        {PICKLE("Nq\1."), IN " is broken at byte 3: a place in the memo is left out"},
        {PICKLE("Nr\xff\xff\xff\xff."), IN " is broken at byte 3: a place in the memo is left out"},
        {PICKLE("h\0."), IN " is broken at byte 2: a place in the memo is empty"},
        {PICKLE("N)R."), IN " is broken at byte 4: what is called is no function, or its arguments are no tuple"},
        {PICKLE("ctorch\nFloatStorage\n)R."), IN " is broken at byte 23: what is called is no function"},
        {PICKLE("ccollections\nOrderedDict\n]\x85R."), IN " is broken at byte 29: a dict is made of something else than nothing"},
        {PICKLE("ctorch\nSize\n]\x85R."), IN " is broken at byte 16: torch.Size is made of something else than a tuple"},
        {PICKLE("]}b."), IN " is broken at byte 4: attributes are given to what has none"},
        {PICKLE(TEXT("\7", "storage") "\x85Q."), IN " is broken at byte 15: a persistent id that is none of a storage"},
        {PICKLE("}NNs."), IN ", byte 3: None as a key, where a text, an int or a bool is expected" LEAVE_OUT},
        {PICKLE("}G\x3f\xf0\0\0\0\0\0\0Ns."), IN ", byte 3: a float as a key, where a text, an int or a bool is expected" LEAVE_OUT},
        {PICKLE("}K\1\x85Ns."), IN ", byte 5: a tuple as a key, where a text, an int or a bool is expected" LEAVE_OUT},
        {PICKLE("}(" TEXT("\1", "1") "NK\1NK\1K\2K\1K\3u."), IN ", byte 20: the name '1' comes twice"},
        {PICKLE("}" TEXT("\2", "a\0") "K\1s."), IN ", byte 3: a text has a 0 in it"},
        {PICKLE("}" TEXT("\2", "a\xff") "K\1s."), IN ", byte 3: a text is no UTF-8"},
        {PICKLE("X\3\0\0\0\xed\xa0\x80."), IN ", byte 2: a text is no UTF-8"},
        {PICKLE("X\2\0\0\0a\0."), IN ", byte 2: a text has a 0 in it"},
        {PICKLE("]q\0h\0a."), IN ", byte 2: lists and dicts are in one another too deep"},
        {PICKLE(FLOATS "."), IN ", byte 52: a storage without a tensor"},
        {PICKLE("ctorch._utils\n_rebuild_tensor_v2\n."), IN ", byte 2: this is no value that a dict of tensors holds"},
        {PICKLE("ctorch\nFloatStorage\n."), IN ", byte 2: this is no value that a dict of tensors holds"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(load_pickle(bad[i].pickle, bad[i].size) == NULL && t_error_message() && strcmp(t_error_message(), bad[i].message) == 0, "%s\ninstead of\n%s",
                      t_error_message(), bad[i].message);
        t_clear_error();
    }
}
END_TEST

START_TEST(tensors_that_do_not_fit_are_refused) {
    static const struct { const char *pickle; size_t size; const char *message; } bad[] = {
        {PICKLE(TENSOR(FLOATS, "K\0", "K\5\x85", "K\1\x85") "."), "a tensor of sizes [5], strides [1] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\1", "K\4\x85", "K\1\x85") "."), "a tensor of sizes [4], strides [1] and offset 1 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "K\2\x85", "K\4\x85") "."), "a tensor of sizes [2], strides [4] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\4", ")", ")") "."), "a tensor of sizes [], strides [] and offset 4 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "K\2K\2\x86", "K\1\x85") "."), "a tensor of sizes [2, 2], strides [1] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "\x8a\7\0\0\0\0\0\0\1\x8a\7\0\0\0\0\0\0\1\x86", "K\0K\0\x86") "."),
         "a tensor of sizes [281474976710656, 281474976710656], strides [0, 0] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "\x8a\7\0\0\0\0\0\0\1\x85", "\x8a\7\0\0\0\0\0\0\1\x85") "."),
         "a tensor of sizes [281474976710656], strides [281474976710656] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "J\xff\xff\xff\xff", "K\4\x85", "K\1\x85") "."), "the parts of a tensor are not what they should be"},
        {PICKLE(TENSOR(FLOATS, "K\0", "J\xff\xff\xff\xff\x85", "K\1\x85") "."), "a size or stride of a tensor is no int, or negative"},
        {PICKLE(TENSOR(FLOATS, "K\0", "K\4\x85", "J\xff\xff\xff\xff\x85") "."), "a size or stride of a tensor is no int, or negative"},
        {PICKLE(TENSOR(FLOATS, "K\0", "]", "K\1\x85") "."), "sizes and strides of a tensor are no tuples"},
        {PICKLE(TENSOR(FLOATS, "K\0", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t", ")") "."), "a tensor has at most 8 dims, not 9"},
        {PICKLE(TENSOR(STORAGE("torch\nFloatStorage", "K\5"), "K\0", ")", ")") "."), "'x/data/0' in x.pt has 16 bytes, and should have 5 elements of float32"},
        {PICKLE(TENSOR(STORAGE("torch\nFloatStorage", "J\xff\xff\xff\xff"), "K\0", ")", ")") "."),
         "'x/data/0' in x.pt has 16 bytes, and should have -1 elements of float32"},
        {PICKLE(TENSOR(STORAGE("torch\nFloatStorage", "\x8a\x08\0\0\0\0\0\0\0\x40"), "K\0", ")", ")") "."),
         "'x/data/0' in x.pt has 16 bytes, and should have 4611686018427387904 elements of float32"},
        {PICKLE(TENSOR(STORAGE("torch\nComplexFloatStorage", "K\2"), "K\0", ")", ")") "."), "'x/data/0' in x.pt is of complex64, which no tensor holds"},
        {PICKLE("]" TENSOR(FLOATS, "K\0", ")", ")") "a" TENSOR(STORAGE("torch\nIntStorage", "K\4"), "K\0", ")", ")") "a."),
         "'x/data/0' in x.pt is of float32 and of int32"},
        {PICKLE("ctorch._utils\n_rebuild_tensor_v2\n)R."), "a tensor has not so many parts"},
        {PICKLE("ctorch._utils\n_rebuild_parameter\n)R."), "the parts of a parameter are not what they should be"},
        {PICKLE("ctorch._utils\n_rebuild_parameter\n(N\x88" HOOKS "tR."), "this is no tensor"},
        {PICKLE("ctorch._tensor\n_rebuild_from_type_v2\n(ctorch\nSize\nctorch\nTensor\n)}tR."), "no tensor is made of these"},
        {PICKLE("ctorch._utils\n_rebuild_tensor_v2\n(" FLOATS "K\0))\x89" HOOKS "}" TEXT("\4", "conj") "\x88stR."),
         "a tensor that is to be negated or conjugated when it is read"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(load_pickle(bad[i].pickle, bad[i].size) == NULL && t_error_message() && strstr(t_error_message(), bad[i].message), "%s\ninstead of\n%s",
                      t_error_message(), bad[i].message);
        t_clear_error();
    }
}
END_TEST

/* Ten lists, each of them ten times the one before: 43 bytes a list that stand for 10^10 numbers. */
START_TEST(a_pickle_does_not_grow_without_end) {
    char pickle[2000] = "\x80\2K\1q\0";
    size_t n = 6;
    for (char level = 1; level <= 10; level++) {
        n += (size_t)sprintf(pickle + n, "](");
        for (int i = 0; i < 10; i++) pickle[n++] = 'h', pickle[n++] = (char)(level - 1);
        n += (size_t)sprintf(pickle + n, "eq%c", level);
    }
    pickle[n++] = '.';
    ck_assert_ptr_null(load_pickle(pickle, n));
    t_clear_error();
}
END_TEST

/* 200 places for one list of 20000 ints: it is refused long before they are full. What is there once may be as long as it is. */
START_TEST(a_list_in_many_places_costs_no_more_than_the_file) {
    enum { ITEMS = 20000, PLACES = 200 };
    char *pickle = malloc(2 * ITEMS + 2 * PLACES + 20);
    size_t n = 8;
    memcpy(pickle, "\x80\2](]q\0(", n);
    for (int i = 0; i < ITEMS; i++) pickle[n++] = 'K', pickle[n++] = 1;
    pickle[n++] = 'e';
    const size_t once = n;
    memcpy(pickle + n, "e.", 2);
    t_TensorDict *dict = load_pickle(pickle, n + 2);
    ck_assert_msg(dict && dict->len == ITEMS, "%s", t_error());
    n = once;
    for (int i = 0; i < PLACES; i++) pickle[n++] = 'h', pickle[n++] = 0;
    memcpy(pickle + n, "e.", 2);
    const int64_t before = tg_alloc_requests();
    ck_assert_ptr_null(load_pickle(pickle, n + 2));
    ck_assert_msg(strstr(t_error(), "a list or dict stands in so many places that there are more items than a file of this size may have"), "%s", t_error());
    ck_assert_int_lt(tg_alloc_requests() - before, 12 * ITEMS);
    t_clear_error();
    free(pickle);
}
END_TEST

/* The folder is data.pkl's, wherever it stands, and a name may be shorter than it. */
START_TEST(a_folder_may_come_first) {
    static const char pickle[] = "\x80\2}" TEXT("\1", "a") "K\7s.";
    const Piece folder[] = {PIECE("x/", ""), PIECE("x/data.pkl", pickle), PIECE("x/version", "3\n")};
    const Piece another[] = {PIECE("README", "to read"), PIECE("a_long_name_of_a_folder/data.pkl", pickle), PIECE("z", "")};
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

START_TEST(files_of_numpys_are_loaded_too) {
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
    const Piece script[] = {PIECE("x/data.pkl", "\x80\2N."), PIECE("x/code/__torch__.py", "pass")}, none[] = {PIECE("a.txt", "...")};
    const Piece order[] = {PIECE("x/data.pkl", "\x80\2N."), PIECE("x/byteorder", "middle")};
    const Piece lost[] = {PIECE("data.pkl", "\x80\2" TENSOR(FLOATS, "K\0", ")", ")") ".")};
    expect_refusal(load_pieces(script, 2) == NULL,
                   "x.pt is a TorchScript archive, which is a program: save torch.jit.load(...).state_dict() with torch.save instead");
    expect_refusal(load_pieces(none, 1) == NULL, "x.pt is a ZIP archive, but none of torch.save's: it has no 'data.pkl'");
    expect_refusal(load_pieces(order, 2) == NULL, "'x/byteorder' in x.pt is neither little nor big");
    expect_refusal(load_pieces(lost, 1) == NULL, "'data.pkl' in x.pt, byte 86: there is no 'data/0' in the archive");
    expect_refusal(load("tests/golden/files/before_1.6.pt") == NULL,
                   "tests/golden/files/before_1.6.pt was saved by torch.save as before PyTorch 1.6: load it with PyTorch and save it again");
}
END_TEST

/* ---- damage ---- */

static char *read_whole(const char *path, size_t *size) {
    tg_Input in;
    ck_assert(tg_input_open(&in, path));
    char *bytes = malloc(*size = (size_t)in.size);
    ck_assert(tg_input_read(&in, 0, bytes, *size));
    tg_input_close(&in);
    return bytes;
}

START_TEST(a_file_that_is_cut_off_is_refused) {
    size_t size;
    char *bytes = read_whole("tests/golden/files/tensors.pt", &size);
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

/* Whatever byte is another: what matters is refused, by the CRC at the latest. */
START_TEST(a_byte_that_is_changed_does_no_harm) {
    size_t size;
    char *bytes = read_whole("tests/golden/files/tensors.pt", &size);
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

START_TEST(without_memory_nothing_is_left) {
    size_t size;
    char *bytes = read_whole("tests/golden/files/checkpoint.pt", &size);
    const int64_t live = t_live_count(), held = t_live_bytes();
    t_TensorDict *dict = NULL;
    for (int n = 1; !dict && noted() < 10; n++) {
        const int depth = t_scope_open();
        tg_alloc_fail(n, false);
        dict = load_bytes(bytes, size);
        tg_alloc_fail(0, false);
        if (!dict && (!t_error() || !strstr(t_error(), "out of memory"))) note("request %d refused: %s", n, t_error());
        t_clear_error();
        t_scope_close(depth);
        if (t_live_count() != live || t_live_bytes() != held) note("request %d refused: something is left", n);
    }
    free(bytes);
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
    tcase_add_test(tests, a_run_of_pytorchs_goes_on);
    tcase_add_test(tests, pickles_of_ours_are_read);
    tcase_add_test(tests, big_endian_storages_are_swapped);
    tcase_add_test(tests, every_other_instruction_is_refused);
    tcase_add_test(tests, tensors_that_do_not_fit_are_refused);
    tcase_add_test(tests, a_pickle_does_not_grow_without_end);
    tcase_add_test(tests, a_list_in_many_places_costs_no_more_than_the_file);
    tcase_add_test(tests, a_folder_may_come_first);
    tcase_add_test(tests, files_of_numpys_are_loaded_too);
    tcase_add_test(tests, other_archives_are_named);
    tcase_add_test(tests, a_file_that_is_cut_off_is_refused);
    tcase_add_test(tests, a_byte_that_is_changed_does_no_harm);
    tcase_add_test(tests, without_memory_nothing_is_left);
    suite_add_tcase(suite, tests);
    return suite;
}
