/* tests/io/test_pickle.c: pickles of torch.save: tensors, dicts, lists and numbers are read, anything else is
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/pickle.h"
#include "core/tensor/context.h"
#include "tests/support/files/pickle_support.h"

START_TEST(pickles_of_ours_are_read) {
    t_TensorDict *dict = load_pickle(PICKLE(TENSOR(FLOATS, "K\0", "K\2K\2\x86", "K\2K\1\x86") "."));
    ck_assert_msg(dict != NULL, "%s", t_error());
    ck_assert_int_eq(dict->len, 1);
    expect_printed(t_dict_get(dict, ""), "tensor([[1., 2.],\n        [3., 4.]])");
    dict = load_pickle(PICKLE("}(" TEXT("\1", "a") "J\xfe\xff\xff\xff" TEXT("\1", "b") "\x8a\0" TEXT(
        "\1", "c") "\x8a\2\0\x80K\5M\1\2\x88Nu."));
    ck_assert_int_eq(t_dict_get_integer(dict, "a"), -2);
    ck_assert_int_eq(t_dict_get_integer(dict, "b"), 0);
    ck_assert_int_eq(t_dict_get_integer(dict, "c"), -32768);
    ck_assert_int_eq(t_dict_get_integer(dict, "5"), 513);
    ck_assert_int_eq(dict->len, 4);
    dict = load_pickle(PICKLE("]q\0(K\1]h\0Ne."));
    ck_assert_ptr_null(dict);
    t_clear_error();
    dict = load_pickle(PICKLE("](K\1q\0K\2q\0h\0e.")); /* a memo index is reused */
    ck_assert(dict && t_dict_get_integer(dict, "2") == 2);
    ck_assert((dict = load_pickle(PICKLE("}."))) && dict->len == 0);
    ck_assert((dict = load_pickle(PICKLE("N."))) && dict->len == 0);
    ck_assert_str_eq(t_dict_get_text(load_pickle(PICKLE(").")), ""), "()");
}
END_TEST

START_TEST(big_endian_storages_are_swapped) {
    static const char pickle[] = "\x80\2" TENSOR(FLOATS, "K\0", "K\4\x85", "K\1\x85") ".";
    const Piece pieces[] = {PIECE("x/data.pkl", pickle), PIECE("x/byteorder", "big"),
                            PIECE("x/data/0", "\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0")};
    t_TensorDict *dict = load_pieces(pieces, 3);
    ck_assert_msg(dict != NULL, "%s", t_error());
    expect_printed(t_dict_get(dict, ""), "tensor([1., 2., 3., 4.])");
}
END_TEST

/* ---- errors ---- */

typedef struct Bad {
    const char *pickle;
    size_t size;
    const char *message;
} Bad;

/* Each is refused with its message: exactly if `exact`, else as a part of the error. */
static void expect_bad_pickles(const Bad *bad, size_t count, bool exact) {
    for (size_t i = 0; i < count; i++) {
        const t_TensorDict *dict = load_pickle(bad[i].pickle, bad[i].size);
        const char *said = dict || !t_error_message() ? "no error" : t_error_message();
        if (exact ? strcmp(said, bad[i].message) != 0 : !strstr(said, bad[i].message))
            note("%s\ninstead of\n%s", said, bad[i].message);
        t_clear_error();
    }
    report_notes();
}

#define IN "'x/data.pkl' in x.pt"
#define LEAVE_OUT ": remove the key that has it and save again"
#define ALL_OF_IT ": save a dict of tensors instead, of a model its state_dict()"

#define TEN_TIMES(text) text text text text text text text text text text
#define LONG_NAME TEN_TIMES("abcdefghij") /* as many characters of a name as a message shows */

START_TEST(every_other_instruction_is_refused) {
    static const Bad bad[] = {
        {PICKLE("cos\nsystem\nX\4\0\0\0true\x85R."),
         IN " asks for os.system at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("}X\1\0\0\0kc__main__\nA\n)\x81s."),
         IN " asks for __main__.A at byte 9, which is not part of a tensor and is not loaded" LEAVE_OUT},
        {PICKLE("c__main__\nA\n)\x81."),
         IN " asks for __main__.A at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("c__builtin__\neval\n(tR."),
         IN " asks for __builtin__.eval at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("ctorch.nn.modules.linear\nLinear\n)\x81."),
         IN " asks for torch.nn.modules.linear.Linear at byte 2, which is not part of a tensor and is not loaded: save "
            "model.state_dict() instead of the model"},
        {PICKLE("cnumpy._core.multiarray\nscalar\n."),
         IN " asks for numpy._core.multiarray.scalar at byte 2, which is not part of a tensor and is not loaded: save "
            "torch.from_numpy(...) or float(...) instead"},
        {PICKLE("ctorch\nFloatStorag\xff\n."),
         IN " asks for torch.FloatStorag? at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("c_codecs\nencode\n."),
         IN " asks for _codecs.encode (bytes) at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("c__builtin__\nset\n]\x85R."),
         IN " asks for __builtin__.set at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("c" LONG_NAME "\nsystem\n."),
         IN " asks for " LONG_NAME " at byte 2, which is not part of a tensor and is not loaded" ALL_OF_IT},
        {PICKLE("(S'true'\nios\nsystem\n."),
         IN " has the instruction STRING at byte 3, which is not executed, because tensors do not need it"},
        {PICKLE("(ios\nsystem\n."),
         IN " has the instruction INST at byte 3, which is not executed, because tensors do not need it"},
        {PICKLE("(o."), IN " has the instruction OBJ at byte 3, which is not executed, because tensors do not need it"},
        {PICKLE("N\x81."),
         IN " has the instruction NEWOBJ at byte 3, which is not executed, because tensors do not need it"},
        {PICKLE("\x82\1."),
         IN " has the instruction EXT1 at byte 2, which is not executed, because tensors do not need it"},
        {PICKLE("N0."), IN " has the instruction POP at byte 3, which is not executed, because tensors do not need it"},
        {PICKLE("\x8c\1aN."), IN " has the instruction SHORT_BINUNICODE at byte 2, which is not executed, because "
                                 "tensors do not need it (was it saved with "
                                 "another pickle_protocol than 2?)"},
        {PICKLE("\xffN."), IN " is broken at byte 2: 0xff is not a pickle opcode"},
        {PICKLE("\0N."), IN " is broken at byte 2: 0x00 is not a pickle opcode"},
        {"\x80\4N.", 4,
         IN " has pickle protocol 4, but only 2, torch.save's default, is supported: leave pickle_protocol out"},
        {"", 0, IN " is broken at byte 0: it ends without STOP"},
        {PICKLE("N"), IN " is broken at byte 3: it ends without STOP"},
        {PICKLE("."), IN " is broken at byte 2: the stack does not hold exactly one value at the end"},
        {PICKLE("NN."), IN " is broken at byte 4: the stack does not hold exactly one value at the end"},
        {PICKLE("(N."), IN " is broken at byte 4: the stack does not hold exactly one value at the end"},
        {PICKLE("N.."), IN " is broken at byte 3: there are bytes after STOP"},
        {PICKLE("K"), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("X\xff\xff\xff\xff."), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("\x8a\x09."), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("ctorch."), IN " is broken at byte 2: it ends within an instruction"},
        {PICKLE("\x8a\x09"
                "123456789."),
         IN " has an int of 9 bytes at byte 2, and int64 has 8" LEAVE_OUT},
        {PICKLE("t."), IN " is broken at byte 2: there is no mark on the stack"},
        {PICKLE("N(\x85."), IN " is broken at byte 4: the stack has too few values"},
        {PICKLE("(Na."), IN " is broken at byte 4: the stack has too few values"},
        {PICKLE("NNa."), IN " is broken at byte 4: an item is appended to a value that is not a list"},
        {PICKLE(")(Ne."), IN " is broken at byte 5: an item is appended to a value that is not a list"},
        {PICKLE("]NNs."), IN " is broken at byte 5: a key is set in a value that is not a dict"},
        {PICKLE("}(Nu."), IN " is broken at byte 5: a key without a value"},
        {PICKLE("q\0."), IN " is broken at byte 2: the stack has too few values"},
        {PICKLE("Nq\1."), IN " is broken at byte 3: a memo index is skipped"},
        {PICKLE("Nr\xff\xff\xff\xff."), IN " is broken at byte 3: a memo index is skipped"},
        {PICKLE("h\0."), IN " is broken at byte 2: an entry of the memo is empty"},
        {PICKLE("N)R."), IN " is broken at byte 4: REDUCE needs a function and a tuple of arguments"},
        {PICKLE("ctorch\nFloatStorage\n)R."), IN " is broken at byte 23: the called value is not a function"},
        {PICKLE("ccollections\nOrderedDict\n]\x85R."), IN " is broken at byte 29: a dict is created with arguments"},
        {PICKLE("ctorch\nSize\n]\x85R."), IN " is broken at byte 16: torch.Size needs one tuple"},
        {PICKLE("]}b."), IN " is broken at byte 4: BUILD on a value without attributes"},
        {PICKLE(TEXT("\7", "storage") "\x85Q."),
         IN " is broken at byte 15: a persistent id that does not describe a storage"},
        {PICKLE("}NNs."), IN ", byte 3: None as a key, where a text, an int or a bool is expected" LEAVE_OUT},
        {PICKLE("}G\x3f\xf0\0\0\0\0\0\0Ns."),
         IN ", byte 3: a float as a key, where a text, an int or a bool is expected" LEAVE_OUT},
        {PICKLE("}K\1\x85Ns."), IN ", byte 5: a tuple as a key, where a text, an int or a bool is expected" LEAVE_OUT},
        {PICKLE("}(" TEXT("\1", "1") "NK\1NK\1K\2K\1K\3u."), IN ", byte 20: the name '1' occurs twice"},
        {PICKLE("}" TEXT("\2", "a\0") "K\1s."), IN ", byte 3: a string contains a 0 byte"},
        {PICKLE("}" TEXT("\2", "a\xff") "K\1s."), IN ", byte 3: a string is not UTF-8"},
        {PICKLE("X\3\0\0\0\xed\xa0\x80."), IN ", byte 2: a string is not UTF-8"},
        {PICKLE("X\2\0\0\0a\0."), IN ", byte 2: a string contains a 0 byte"},
        {PICKLE("]q\0h\0a."), IN ", byte 2: lists and dicts are nested too deeply"},
        {PICKLE(FLOATS "."), IN ", byte 52: a storage without a tensor"},
        {PICKLE("ctorch._utils\n_rebuild_tensor_v2\n."), IN ", byte 2: a dict of tensors cannot contain this value"},
        {PICKLE("ctorch\nFloatStorage\n."), IN ", byte 2: a dict of tensors cannot contain this value"},
    };
    expect_bad_pickles(bad, sizeof bad / sizeof *bad, true);
}
END_TEST

START_TEST(tensors_that_do_not_fit_are_refused) {
    static const Bad bad[] = {
        {PICKLE(TENSOR(FLOATS, "K\0", "K\5\x85", "K\1\x85") "."),
         "a tensor of sizes [5], strides [1] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\1", "K\4\x85", "K\1\x85") "."),
         "a tensor of sizes [4], strides [1] and offset 1 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "K\2\x85", "K\4\x85") "."),
         "a tensor of sizes [2], strides [4] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\4", ")", ")") "."),
         "a tensor of sizes [], strides [] and offset 4 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "K\2K\2\x86", "K\1\x85") "."),
         "a tensor of sizes [2, 2], strides [1] and offset 0 is not within its storage of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "\x8a\7\0\0\0\0\0\0\1\x8a\7\0\0\0\0\0\0\1\x86", "K\0K\0\x86") "."),
         "a tensor of sizes [281474976710656, 281474976710656], strides [0, 0] and offset 0 is not within its storage "
         "of 4 elements"},
        {PICKLE(TENSOR(FLOATS, "K\0", "\x8a\7\0\0\0\0\0\0\1\x85", "\x8a\7\0\0\0\0\0\0\1\x85") "."),
         "a tensor of sizes [281474976710656], strides [281474976710656] and offset 0 is not within its storage of 4 "
         "elements"},
        {PICKLE(TENSOR(FLOATS, "J\xff\xff\xff\xff", "K\4\x85", "K\1\x85") "."),
         "a tensor is rebuilt from arguments of wrong types"},
        {PICKLE(TENSOR(FLOATS, "K\0", "J\xff\xff\xff\xff\x85", "K\1\x85") "."),
         "a size or stride of a tensor is not an int, or negative"},
        {PICKLE(TENSOR(FLOATS, "K\0", "K\4\x85", "J\xff\xff\xff\xff\x85") "."),
         "a size or stride of a tensor is not an int, or negative"},
        {PICKLE(TENSOR(FLOATS, "K\0", "]", "K\1\x85") "."), "the sizes and strides of a tensor are not tuples"},
        {PICKLE(TENSOR(FLOATS, "K\0", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t", ")") "."), "a tensor has at most 8 dims, not 9"},
        {PICKLE(TENSOR(STORAGE("torch\nFloatStorage", "K\5"), "K\0", ")", ")") "."),
         "'x/data/0' in x.pt has 16 bytes, but should have 5 elements of float32"},
        {PICKLE(TENSOR(STORAGE("torch\nFloatStorage", "J\xff\xff\xff\xff"), "K\0", ")", ")") "."),
         "'x/data/0' in x.pt has 16 bytes, but should have -1 elements of float32"},
        {PICKLE(TENSOR(STORAGE("torch\nFloatStorage", "\x8a\x08\0\0\0\0\0\0\0\x40"), "K\0", ")", ")") "."),
         "'x/data/0' in x.pt has 16 bytes, but should have 4611686018427387904 elements of float32"},
        {PICKLE(TENSOR(STORAGE("torch\nComplexFloatStorage", "K\2"), "K\0", ")", ")") "."),
         "'x/data/0' in x.pt is of complex64, which tensors do not support"},
        {PICKLE(
             "]" TENSOR(FLOATS, "K\0", ")", ")") "a" TENSOR(STORAGE("torch\nIntStorage", "K\4"), "K\0", ")", ")") "a."),
         "'x/data/0' in x.pt is of float32 and of int32"},
        {PICKLE("ctorch._utils\n_rebuild_tensor_v2\n)R."), "a tensor is rebuilt from a wrong number of arguments"},
        {PICKLE("ctorch._utils\n_rebuild_parameter\n)R."), "a parameter is rebuilt from arguments of wrong types"},
        {PICKLE("ctorch.nn.parameter\nParameter\n)R."), "a parameter is rebuilt from arguments of wrong types"},
        {PICKLE("ctorch.nn.parameter\nParameter\n" TENSOR(FLOATS, "K\0", ")", ")") "K\1\x86R."),
         "a parameter is rebuilt from arguments of wrong types"},
        {PICKLE("ctorch._utils\n_rebuild_parameter\n(N\x88" HOOKS "tR."), "this value is not a tensor"},
        {PICKLE("ctorch._tensor\n_rebuild_from_type_v2\n(ctorch\nSize\nctorch\nTensor\n)}tR."),
         "the function does not return a tensor"},
        {PICKLE("ctorch._utils\n_rebuild_tensor_v2\n(" FLOATS "K\0))\x89" HOOKS "}" TEXT("\4", "conj") "\x88stR."),
         "a tensor with a lazy negation or conjugation"},
    };
    expect_bad_pickles(bad, sizeof bad / sizeof *bad, false);
}
END_TEST

/* The keys of a dict within a dict make one name, which has at most 4095 bytes. */
START_TEST(a_long_name_is_refused) {
    enum { KEY = 2048 };
    char pickle[2 * KEY + 40] = "\x80\2}";
    for (int longer = 0; longer < 2; longer++) {
        size_t n = 3;
        for (int i = 0; i < 2; i++) {
            const int length = KEY - 1 + (i && longer);
            n += (size_t)sprintf(pickle + n, "X%c%c", length & 255, length >> 8);
            memset(pickle + n, 0, 2);
            memset(pickle + n + 2, 'k', (size_t)length);
            n += 2 + (size_t)length;
            pickle[n++] = i ? 'K' : '}';
        }
        memcpy(pickle + n, "\1ss.", 4);
        t_TensorDict *dict = load_pickle(pickle, n + 4);
        if (longer)
            expect_refusal(!dict, "'x/data.pkl' in x.pt, byte 2056: a name has more than 4095 bytes");
        else
            ck_assert_msg(dict && strlen(dict->items[0].name) == 4095, "%s", t_error());
    }
}
END_TEST

START_TEST(a_pickle_larger_than_any_is_refused) {
    tg_Pickle p;
    expect_refusal(!tg_pickle_parse_part(&p, "N.", TG_LARGEST_PICKLE + 1, 0, false, "x"),
                   "x has 100000001 bytes, but at most 100000000 are supported");
    tg_pickle_free(&p);
}
END_TEST

/* Ten lists, each of them ten times the one before: 43 bytes a list that mean 10^10 values. */
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

/* 200 references to one list of 20000 ints are refused early. A list that occurs once may be that long. */
START_TEST(a_list_with_many_references_costs_no_more_than_the_file) {
    enum { ITEMS = 20000, REFERENCES = 200 };
    char *pickle = malloc(2 * ITEMS + 2 * REFERENCES + 20);
    size_t n = 8;
    memcpy(pickle, "\x80\2](]q\0(", n);
    for (int i = 0; i < ITEMS; i++) pickle[n++] = 'K', pickle[n++] = 1;
    pickle[n++] = 'e';
    const size_t once = n;
    memcpy(pickle + n, "e.", 2);
    t_TensorDict *dict = load_pickle(pickle, n + 2);
    ck_assert_msg(dict && dict->len == ITEMS, "%s", t_error());
    n = once;
    for (int i = 0; i < REFERENCES; i++) pickle[n++] = 'h', pickle[n++] = 0;
    memcpy(pickle + n, "e.", 2);
    const int64_t before = tg_alloc_requests();
    ck_assert_ptr_null(load_pickle(pickle, n + 2));
    ck_assert_msg(
        strstr(t_error(),
               "a list or dict is referenced so often that there are more items than a file of this size may have"),
        "%s", t_error());
    ck_assert_int_lt(tg_alloc_requests() - before, 12 * ITEMS);
    t_clear_error();
    free(pickle);
}
END_TEST

/* The same for a large file: marks of one byte each, and more items than any dict of tensors has. */
START_TEST(a_large_file_makes_no_heap_of_values) {
    enum { MANY = TG_MOST_VALUES + 4, ITEMS = 1400000 };
    char *pickle = malloc(MANY);
    memset(pickle, '(', MANY);
    memcpy(pickle, "\x80\2", 2);
    ck_assert_ptr_null(load_pickle(pickle, MANY));
    ck_assert_msg(strstr(t_error(), "has too many values, from byte 8388611 on: save long lists of numbers as tensors"),
                  "%s", t_error());
    t_clear_error();
    memset(pickle, 'N', ITEMS);
    memcpy(pickle, "\x80\2](", 4);
    memcpy(pickle + ITEMS - 2, "e.", 2);
    ck_assert_ptr_null(load_pickle(pickle, ITEMS));
    ck_assert_msg(strstr(t_error(), "more than a million items: save long lists of numbers as tensors"), "%s",
                  t_error());
    t_clear_error();
    free(pickle);
}
END_TEST

Suite *pickle_suite(void);
Suite *pickle_suite(void) {
    Suite *suite = suite_create("pickle");
    TCase *tests = tcase_create("pickle");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, pickles_of_ours_are_read);
    tcase_add_test(tests, big_endian_storages_are_swapped);
    tcase_add_test(tests, every_other_instruction_is_refused);
    tcase_add_test(tests, tensors_that_do_not_fit_are_refused);
    tcase_add_test(tests, a_long_name_is_refused);
    tcase_add_test(tests, a_pickle_larger_than_any_is_refused);
    tcase_add_test(tests, a_pickle_does_not_grow_without_end);
    tcase_add_test(tests, a_list_with_many_references_costs_no_more_than_the_file);
    tcase_add_test(tests, a_large_file_makes_no_heap_of_values);
    suite_add_tcase(suite, tests);
    return suite;
}
