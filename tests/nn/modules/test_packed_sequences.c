/* tests/nn/modules/test_packed_sequences.c: torch.nn.utils.rnn, and the recurrent layers over packed sequences,
 * compared with PyTorch's values and gradients (golden/packed.txt, written by record_packed.py). */
#include <string.h>

#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

/* ---- the layers ---- */

/* As in test_recurrent.c. */
#define MODULES(X)                                                                                          \
    X(rnn, nn_RNN(3, 4))                                                                                    \
    X(rnn_relu, nn_RNN(3, 4, 2, "relu", .batch_first = true))                                               \
    X(rnn_deep, nn_RNN(3, 4, .num_layers = 3, .bias = false, .dropout = 0.25, .bidirectional = true))       \
    X(lstm, nn_LSTM(3, 4))                                                                                  \
    X(lstm_deep, nn_LSTM(3, 4, 2, .batch_first = true, .dropout = 0.5, .bidirectional = true))              \
    X(lstm_proj, nn_LSTM(3, 4, 2, false, .bidirectional = true, .proj_size = 2))                            \
    X(lstm_proj_bias, nn_LSTM(3, 4, .proj_size = 3))                                                        \
    X(gru, nn_GRU(3, 4))                                                                                    \
    X(gru_deep, nn_GRU(3, 4, 2, .bias = false, .batch_first = true, .dropout = 0.3, .bidirectional = true)) \
    X(gru_first, nn_GRU(3, 4, 2, true, true, 0.3))
#define MAKE(label, expression) static void *make_##label(void) { return expression; }
#define ROW(label, expression) {#label, make_##label},
MODULES(MAKE)
static const ModuleMaker modules[] = {MODULES(ROW) {NULL, NULL}};

/* The digits of the key's second word. */
static Tensor *lengths_of(const char *key) {
    const char *digits = strchr(key, ' ') + 1;
    int64_t lengths[8], count = 0;
    while (digits[count] != ' ') {
        lengths[count] = digits[count] - '0';
        count++;
    }
    return t_tensor(lengths, count);
}

static nn_utils_rnn_PackedSequence *call_packed(nn_Module *module, nn_utils_rnn_PackedSequence *x, const Inputs *in,
                                                Tensor **h, Tensor **c) {
    Tensor *h_0 = in->count > 1 ? in->x[1] : NULL, *c_0 = in->count > 2 ? in->x[2] : NULL;
    if (strcmp(module->type, "LSTM") == 0)
        return nn_LSTM_call((nn_LSTM *)module, x, .h_0 = h_0, .c_0 = c_0, .h_n = h, .c_n = c);
    if (strcmp(module->type, "GRU") == 0) return nn_GRU_call((nn_GRU *)module, x, h_0, .h_n = h);
    return nn_RNN_call((nn_RNN *)module, x, .h_0 = h_0, .h_n = h);
}

static Tensor *weighed(Tensor *y, uint64_t seed, int input) {
    return t_sum(t_mul(y, hashed_tensor("R", t_shape(y), (int)t_dim(y), seed, input, t_dtype(y))));
}

static void replay(Run *run) {
    const Inputs in = run_begin(run, find_maker(modules, run->key)->make(), strchr(strchr(run->key, ' ') + 1, ' ') + 1);
    const uint64_t seed = seed_of(run->key);
    const bool batch_first = ((nn_Recurrent *)run->module)->batch_first;
    Tensor *h_n = NULL, *c_n = NULL, *lengths = lengths_of(run->key), *got_lengths;
    nn_utils_rnn_PackedSequence *packed =
        nn_utils_rnn_pack_padded_sequence(in.x[0], lengths, batch_first, .enforce_sorted = false);
    nn_utils_rnn_PackedSequence *out = call_packed(run->module, packed, &in, &h_n, &c_n);
    ck_assert_ptr_nonnull(out);
    run_compare(run, "data", packed->data, EXACT);
    run_compare(run, "batch_sizes", out->batch_sizes, EXACT);
    Tensor *y = nn_utils_rnn_pad_packed_sequence(out, batch_first, 0.25, .lengths = &got_lengths,
                                                 .total_length = t_numel(lengths) + 5);
    HOLDS(t_equal(lengths, got_lengths));
    run_compare(run, "y", y, VALUE);
    run_compare(run, "h", h_n, VALUE);
    if (c_n) run_compare(run, "c", c_n, VALUE);
    Tensor *loss = t_add(weighed(y, seed, 100), weighed(h_n, seed, 101));
    if (c_n) loss = t_add(loss, weighed(c_n, seed, 102));
    run_compare(run, "next", t_rand(2), EXACT);
    t_backward(loss);
    run_compare_gradients(run, &in);
}

static void replay_case(const char *key, const char *section, void *count) {
    static const char *const names[] = {"32e", "64e", "32t", "64t"};
    for (int i = 0; i < 4; i++) {
        Run run = {.key = key, .section = section, .name = names[i]};
        if (!run_has(&run, "next")) continue;
        with_scope() replay(&run);
        ++*(int *)count;
    }
}

START_TEST(values_and_gradients_are_pytorchs) {
    int count = 0;
    each_case("packed.txt", replay_case, &count);
    ck_assert_int_eq(count, 40);
    report_notes();
}
END_TEST

static t_TensorList *packed_lstm(t_TensorList *inputs, void *lstm) {
    nn_utils_rnn_PackedSequence *x =
        nn_utils_rnn_pack_padded_sequence(inputs->items[0], t_tensor("[1, 3, 3]"), .enforce_sorted = false);
    Tensor *h, *c;
    nn_utils_rnn_PackedSequence *y =
        nn_LSTM_call(lstm, x, .h_0 = inputs->items[1], .c_0 = inputs->items[2], .h_n = &h, .c_n = &c);
    return t_list(nn_utils_rnn_pad_packed_sequence(y), h, c);
}

START_TEST(gradients_agree_with_differences_twice) {
    nn_LSTM *lstm = nn_LSTM(2, 2, .bidirectional = true, .dtype = t_float64);
    Tensor *x = t_randn(3, 3, 2, .dtype = t_float64, .requires_grad = true);
    Tensor *h = t_randn(2, 3, 2, .dtype = t_float64, .requires_grad = true);
    Tensor *c = t_randn(2, 3, 2, .dtype = t_float64, .requires_grad = true);
    const t_GradcheckOptions strict = {.size = sizeof strict,
                                       .eps = 1e-6,
                                       .atol = 1e-8,
                                       .rtol = 1e-6,
                                       .raise_exception = true,
                                       .check_backward_ad = true};
    HOLDS((t_gradcheck)(packed_lstm, t_list(x, h, c), lstm, &strict));
    HOLDS(t_gradgradcheck(packed_lstm, t_list(x, h, c), lstm));
}
END_TEST

/* Each sequence alone gives the same as the batch, in both directions, and a state goes from call to call. */
START_TEST(a_batch_is_its_sequences) {
    nn_GRU *gru = nn_GRU(3, 4, .num_layers = 2, .bidirectional = true);
    t_TensorList *sequences = t_list(t_randn(2, 3), t_randn(5, 3), t_randn(1, 3), t_randn(5, 3));
    nn_HiddenState hidden = nn_HiddenState();
    nn_utils_rnn_PackedSequence *packed = nn_utils_rnn_pack_sequence(sequences, .enforce_sorted = false);
    t_TensorList *out = nn_utils_rnn_unpack_sequence(nn_GRU_call(gru, packed, .state = &hidden));
    for (int i = 0; i < 4; i++) {
        Tensor *h_n, *y = nn_GRU_call(gru, sequences->items[i], .h_n = &h_n);
        HOLDS(t_allclose(y, out->items[i]) && t_allclose(h_n, t_select(hidden.h, 1, i)));
    }
    HOLDS(t_numel(nn_GRU_call(gru, packed, .state = &hidden)->data) == 13 * 8);
}
END_TEST

/* ---- packing and padding ---- */

START_TEST(packs_and_unpacks) {
    Tensor *x = t_tensor("[[1, 2, 0], [3, 0, 0], [4, 5, 6]]"), *lengths;
    nn_utils_rnn_PackedSequence *packed =
        nn_utils_rnn_pack_padded_sequence(x, t_tensor("[2, 1, 3]"), .batch_first = true, .enforce_sorted = false);
    expect_printed(packed->data, "tensor([4, 1, 3, 5, 2, 6])");
    expect_printed(packed->batch_sizes, "tensor([3, 2, 1])");
    expect_printed(packed->sorted_indices, "tensor([2, 0, 1])");
    expect_printed(packed->unsorted_indices, "tensor([1, 2, 0])");
    HOLDS(t_equal(nn_utils_rnn_pad_packed_sequence(packed, true, .lengths = &lengths), x));
    expect_printed(lengths, "tensor([2, 1, 3])");
    expect_printed(nn_utils_rnn_pad_packed_sequence(packed, .padding_value = -1, .total_length = 4),
                   "tensor([[ 1,  3,  4],\n        [ 2, -1,  5],\n        [-1, -1,  6],\n        [-1, -1, -1]])");
    t_TensorList *list = nn_utils_rnn_unpack_sequence(packed);
    ck_assert_int_eq(list->len, 3);
    expect_printed(list->items[0], "tensor([1, 2])");
    expect_printed(list->items[2], "tensor([4, 5, 6])");
    packed = nn_utils_rnn_pack_sequence(t_list(list->items[2], list->items[0]));
    expect_printed(packed->data, "tensor([4, 1, 5, 2, 6])");
    ck_assert_ptr_null(packed->sorted_indices);
    list = nn_utils_rnn_unpad_sequence(t_t(x), t_tensor("[2, 9, 0]"));
    expect_printed(list->items[1], "tensor([3, 0, 0])");
    expect_printed(list->items[2], "tensor([], dtype=torch.int64)");
    expect_printed(nn_utils_rnn_pad_sequence(t_list(t_ones(2), t_ones(3)), .padding_side = "left"),
                   "tensor([[0., 1.],\n        [1., 1.],\n        [1., 1.]])");
    expect_printed(nn_utils_rnn_invert_permutation(t_tensor("[2, 0, 1]")), "tensor([1, 2, 0])");
}
END_TEST

START_TEST(a_packed_sequence_outlives_its_scope_by_keep) {
    nn_utils_rnn_PackedSequence *packed = NULL;
    const int64_t live = t_live_count();
    with_scope() {
        nn_utils_rnn_PackedSequence *x = nn_utils_rnn_pack_sequence(t_list(t_ones(3, 2), t_ones(1, 2)));
        packed = t_keep(nn_utils_rnn_PackedSequence(t_mul(x->data, 2), x->batch_sizes));
    }
    HOLDS(t_item(t_sum(packed->data)) == 16);
    ck_assert_int_eq(t_live_count(), live + 3); /* the object and its two tensors */
}
END_TEST

START_TEST(refuses_what_does_not_fit) {
    Tensor *x = t_ones(4, 3);
    REFUSES(nn_utils_rnn_pack_padded_sequence(x, t_tensor("[4, 3]")),
            "Expected `len(lengths)` to be equal to batch_size, but got 2 (batch_size=3)");
    REFUSES(nn_utils_rnn_pack_padded_sequence(x, t_tensor("[2, 3, 1]")),
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability.");
    REFUSES(nn_utils_rnn_pack_padded_sequence(x, t_tensor("[2, 1, 0]")),
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
    REFUSES(nn_utils_rnn_pack_padded_sequence(x, t_tensor("[[2, 1, 1]]")),
            "'lengths' argument should be a 1D CPU int64 tensor, but got 2D cpu Long tensor");
    REFUSES(nn_utils_rnn_pack_padded_sequence(x, t_tensor("[5, 1, 1]")),
            "the longest length is 5, but the input has 4 steps");
    REFUSES(nn_utils_rnn_pack_padded_sequence(t_ones(4), t_tensor("[4]")),
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    REFUSES(nn_utils_rnn_pack_padded_sequence(t_ones(0, 3), t_tensor("[2, 1, 1]")), "Cannot pack empty tensors.");
    nn_utils_rnn_PackedSequence *packed = nn_utils_rnn_pack_padded_sequence(t_ones(4, 3, 3), t_tensor("[3, 2, 1]"));
    REFUSES(nn_utils_rnn_pad_packed_sequence(packed, .total_length = 2),
            "Expected total_length to be at least the length of the longest sequence in input, but got total_length=2 "
            "and max sequence length being 3");
    REFUSES(nn_utils_rnn_pad_sequence(t_list(x), .padding_side = "up"),
            "Expected padding_side to be one of left or right, but got up.");
    REFUSES(nn_utils_rnn_unpad_sequence(x, t_tensor("[1, 2]")),
            "zip() argument 2 is shorter than argument 1: 3 sequences, but lengths of shape [2]");
    REFUSES(nn_utils_rnn_PackedSequence(t_ones(5), packed->batch_sizes),
            "the batch_sizes add up to 6 steps, but the data have 5");
    REFUSES(nn_utils_rnn_PackedSequence(t_ones(3), t_tensor("[1, 2]")),
            "batch_sizes must be positive and not increase, but got 2 at step 1");
    REFUSES(nn_utils_rnn_PackedSequence(t_ones(6), packed->batch_sizes, t_tensor("[0, 1, 3]")),
            "index 3 is out of bounds for a batch of size 3");
    nn_GRU *gru = nn_GRU(3, 4);
    nn_LSTM *lstm = nn_LSTM(3, 4);
    REFUSES(nn_GRU_call(gru, nn_utils_rnn_pack_padded_sequence(x, t_tensor("[4, 3, 2]"))),
            "input must have 2 dimensions, got 1");
    REFUSES(nn_GRU_call(gru, nn_utils_rnn_pack_padded_sequence(t_ones(4, 1, 2), t_tensor("[4]"))),
            "input.size(-1) must be equal to input_size. Expected 3, got 2");
    REFUSES(nn_GRU_call(gru, packed, t_ones(1, 2, 4)), "Expected hidden size (1, 3, 4), got [1, 2, 4]");
    REFUSES(nn_GRU_call(gru, packed, t_ones(3, 4)), "For packed input, hidden states should be 3-D but got 2-D tensor");
    REFUSES(nn_LSTM_call(lstm, packed, t_ones(1, 3, 4), t_ones(1, 3, 5)),
            "Expected hidden[1] size (1, 3, 4), got [1, 3, 5]");
    REFUSES(nn_LSTM_call(lstm, (nn_utils_rnn_PackedSequence *)NULL), "argument 2 is NULL where a PackedSequence is "
                                                                    "expected");
}
END_TEST

static bool pack_run_and_unpack(void *module) {
    const int depth = t_scope_open();
    Tensor *const sequences[] = {(t_ones)((int64_t[]){1, 3}, 2, NULL), (t_ones)((int64_t[]){3, 3}, 2, NULL)};
    nn_utils_rnn_PackedSequence *packed =
        depth ? (nn_utils_rnn_pack_sequence)((t_list_new)(sequences, 2), false) : NULL;
    nn_utils_rnn_PackedSequence *y = packed ? (nn_LSTM_call_packed)(module, packed, NULL) : NULL;
    const bool done = y && (nn_utils_rnn_unpack_sequence)(y);
    t_scope_close(depth);
    return done;
}

START_TEST(every_failing_allocation_is_harmless) {
    nn_LSTM *lstm = nn_LSTM(3, 2, .bidirectional = true);
    refuse_all("packed LSTM", pack_run_and_unpack, NULL, lstm);
    report_notes();
}
END_TEST

Suite *packed_sequences_suite(void) {
    Suite *suite = suite_create("packed_sequences");
    TCase *tests = tcase_create("packed_sequences");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_and_gradients_are_pytorchs);
    tcase_add_test(tests, gradients_agree_with_differences_twice);
    tcase_add_test(tests, a_batch_is_its_sequences);
    tcase_add_test(tests, packs_and_unpacks);
    tcase_add_test(tests, a_packed_sequence_outlives_its_scope_by_keep);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    suite_add_tcase(suite, tests);
    return suite;
}
