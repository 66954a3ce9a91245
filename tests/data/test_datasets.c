/* tests/data/test_datasets.c: ConcatDataset, StackDataset, IterableDataset, ChainDataset and random_split, against
 * PyTorch 2.15. */
#define _XOPEN_SOURCE 600 /* setenv */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/data/data.h"
#include "core/tensor/tensor.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static data_Dataset *five(void) {
    return data_TensorDataset(t_list(t_arange(5), t_arange(0, 50, 10)));
}
static data_Dataset *three_more(void) {
    return data_TensorDataset(t_list(t_arange(100, 103), t_arange(3)));
}

static void expect_indices(Tensor *x, const char *text) {
    ck_assert_msg(x != NULL, "%s", t_error());
    ck_assert_msg(t_equal(x, t_tensor(text, .dtype = t_int64)), "%s instead of %s", t_str(x), text);
}

static int64_t len_3(void *context) {
    (void)context;
    return 3;
}
static bool times(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)y;
    return (*x = t_tensor((double)index * *(double *)context)) != NULL;
}
static t_TensorDict *named(void *context, int64_t index) {
    (void)context;
    t_TensorDict *sample = t_dict();
    t_dict_set(sample, "id", index);
    t_dict_set(sample, "name", t_format("n%d", (int)index));
    return sample;
}
static int64_t no_len(void *context) {
    (void)context;
    t_fail("no length today");
    return -1;
}

/* ---- ConcatDataset ---- */

START_TEST(concatenated) {
    data_Dataset *all = data_ConcatDataset(five(), three_more());
    Tensor *x, *y;
    ck_assert_int_eq(data_dataset_len(all), 8);
    ck_assert(data_dataset_get(all, -1, &x, &y) && t_item_int64(x) == 102 && t_item_int64(y) == 2);
    ck_assert(data_dataset_get(all, 5, &x, &y) && t_item_int64(x) == 100 && t_item_int64(y) == 0);
    ck_assert(!data_dataset_get(all, 8, &x, &y));
    expect_error("index 8 is out of range: the dataset has 8 samples");
    const char *const xs[] = {"[0, 100, 1]", "[101, 3, 4]", "[2, 102]", "[101, 3, 102]", "[4, 2, 0]", "[1, 100]"};
    const char *const ys[] = {"[0, 0, 10]", "[1, 30, 40]", "[20, 2]", "[1, 30, 2]", "[40, 20, 0]", "[10, 0]"};
    t_manual_seed(42);
    data_DataLoader *loader = data_DataLoader(all, 3, true);
    for_range (epoch, 0, 2)
        for_batch (batch, loader) {
            expect_indices(batch.x, xs[3 * epoch + batch.index]);
            expect_indices(batch.y, ys[3 * epoch + batch.index]);
        }
    ck_assert_double_eq_tol(t_item(t_rand()), 0.9407714605331421, 1e-8);
    loader = data_DataLoader(data_ConcatDataset(five(), data_Dataset(len_3, named)), 8);
    ck_assert_ptr_null(data_first(loader).x);
    expect_error("each element in list of batch should be of equal size, but sample 0 of the batch is a tuple and "
                 "sample 5 a dict");
    ck_assert_ptr_null(data_ConcatDataset(five(), data_Dataset(no_len, named)));
    expect_error("no length today");
    ck_assert_ptr_null(data_ConcatDataset());
    expect_error("datasets should not be an empty iterable");
}
END_TEST

/* ---- StackDataset ---- */

START_TEST(stacked) {
    double one = 1, two = 2;
    data_Dataset *a = data_Dataset(len_3, times, .context = &one), *b = data_Dataset(len_3, times, .context = &two);
    data_Batch batch = data_first(data_DataLoader(data_StackDataset(a, b), 2));
    expect_printed(batch.x, "tensor([0., 1.])");
    expect_printed(batch.y, "tensor([0., 2.])");
    batch = data_first(data_DataLoader(data_StackDataset((a, b), .names = {"image", "text"}), 2));
    expect_printed(data_item(batch, "image"), "tensor([0., 1.])");
    expect_printed(data_item(batch, "text"), "tensor([0., 2.])");
    data_Dataset *c = data_Dataset(len_3, named), *pair = three_more();
    batch = data_first(data_DataLoader(data_StackDataset((a, c, pair), .names = {"image", "meta", "pair"}), 2));
    expect_printed(data_item(batch, "image"), "tensor([0., 1.])");
    expect_printed(data_item(batch, "meta.id"), "tensor([0, 1])");
    ck_assert_str_eq(data_text(batch, "meta.name", 1), "n1");
    expect_printed(data_item(batch, "pair.0"), "tensor([100, 101])");
    expect_printed(data_item(batch, "pair.1"), "tensor([0, 1])");
    batch = data_first(data_DataLoader(data_StackDataset(pair, c), 2));
    expect_printed(data_item(batch, "0.1"), "tensor([0, 1])");
    ck_assert_str_eq(data_text(batch, "1.name", 0), "n0");
    ck_assert(batch.x == data_item(batch, "0.0") && batch.len == 4 && !batch.items[3]);
    ck_assert_ptr_null(data_StackDataset(five(), pair));
    expect_error("Size mismatch between datasets: 5 samples and 3");
    data_Dataset *copies[DATA_MAX_NAMES + 1];
    const char *names[DATA_MAX_NAMES + 1];
    for (int i = 0; i <= DATA_MAX_NAMES; i++) copies[i] = a, names[i] = t_format("%d", i);
    ck_assert_ptr_null(data_StackDataset_new(copies, DATA_MAX_NAMES + 1, names));
    expect_error("a StackDataset has at most 16 names, not 17");
    ck_assert_ptr_null(data_tensors(a));
    expect_error("'Dataset' object has no attribute 'tensors'");
    ck_assert_ptr_null(data_StackDataset());
    expect_error("At least one dataset should be passed");
}
END_TEST

/* ---- IterableDataset ---- */

/* The integers from lo to hi - 1; `fails` before that one. */
typedef struct Range {
    int64_t lo, hi, fails;
} Range;
static int opened, closed;

static void *range_iter(void *context) {
    Range *state = malloc(sizeof *state);
    *state = *(const Range *)context;
    opened++;
    if (state->lo < state->hi) return state;
    free(state);
    return t_fail("an empty range");
}
static bool range_next(void *iterator, Tensor **x, Tensor **y) {
    Range *state = iterator;
    (void)y;
    if (state->fails && state->lo == state->fails) return t_fail("no number %d", (int)state->lo);
    if (state->lo == state->hi) return false;
    *x = t_tensor(state->lo++);
    return true;
}
static int64_t range_len(void *context) {
    return ((Range *)context)->hi - ((Range *)context)->lo;
}
static void range_close(void *iterator) {
    closed++;
    free(iterator);
}

static data_Dataset *range(Range *range) {
    return data_IterableDataset(range_iter, range_next, .context = range, .len = range_len, .close = range_close);
}

START_TEST(iterated) {
    Range r = {3, 10, 0};
    const char *const batches[] = {"[3, 4, 5]", "[6, 7, 8]", "[9]"};
    opened = closed = 0;
    for (int drop = 0; drop < 2; drop++) {
        int64_t count = 0;
        data_DataLoader *loader = data_DataLoader(range(&r), 3, .drop_last = drop);
        ck_assert_int_eq(data_len(loader), 3 - drop);
        for_batch (batch, loader) expect_indices(batch.x, batches[count++]);
        ck_assert_int_eq(count, 3 - drop);
    }
    int64_t next = 3;
    for_batch (batch, data_DataLoader(range(&r), T_NONE)) {
        ck_assert(t_dim(batch.x) == 0 && t_item_int64(batch.x) == next++ && batch.size == 1);
        if (next == 8) break;
    }
    expect_indices(data_first(data_DataLoader(range(&r), 4)).x, "[3, 4, 5, 6]");
    expect_indices(data_first(data_DataLoader(range(&r), 100)).x, "[3, 4, 5, 6, 7, 8, 9]");
    ck_assert(opened == 5 && closed == 5);
    r.lo = 10;
    data_Batch batch;
    ck_assert(!(data_first)(data_DataLoader(range(&r), 4), &batch));
    expect_error("an empty range");
    r = (Range){3, 10, 5};
    ck_assert(!(data_first)(data_DataLoader(range(&r), 4), &batch));
    expect_error("no number 5");
}
END_TEST

/* next_items and next_dict: three numbers drawn, as a list or as a dict. */
static void *count_from_0(void *context) {
    *(int *)context = 0;
    return context;
}
static t_TensorList *drawn_list(void *iterator) {
    return ++*(int *)iterator > 5 ? NULL : t_list(t_randint(0, 100, ()));
}
static t_TensorDict *drawn_dict(void *iterator) {
    if (++*(int *)iterator > 5) return NULL;
    t_TensorDict *sample = t_dict();
    t_dict_set(sample, "value", t_randint(0, 100, ()));
    t_dict_set(sample, "name", t_format("%d", *(int *)iterator));
    return sample;
}

START_TEST(iterated_as_lists_and_dicts) {
    int count = 0;
    const char *const batches[] = {"[76, 14]", "[26, 35]", "[20]"};
    t_manual_seed(42);
    for_batch (batch, data_DataLoader(data_IterableDataset(count_from_0, drawn_list, .context = &count,
                                                           .names = {"value"}), 2)) {
        expect_indices(batch.x, batches[batch.index]);
        ck_assert_ptr_eq(data_item(batch, "value"), batch.x);
    }
    ck_assert_double_eq_tol(t_item(t_rand()), 0.7936, 5e-5);
    t_manual_seed(42);
    for_batch (batch, data_DataLoader(data_IterableDataset(count_from_0, drawn_dict, .context = &count), 2)) {
        expect_indices(data_item(batch, "value"), batches[batch.index]);
        ck_assert_int_eq(data_text(batch, "name", 0)[0], '1' + 2 * (int)batch.index);
    }
}
END_TEST

START_TEST(chained) {
    Range a = {0, 2, 0}, b = {5, 9, 0};
    data_Dataset *all = data_ChainDataset(range(&a), range(&b));
    ck_assert_int_eq(data_dataset_len(all), 6);
    ck_assert_int_eq(data_len(data_DataLoader(all, 4)), 2);
    ck_assert_int_eq(data_len(data_DataLoader(all, 4, .drop_last = true)), 1);
    ck_assert_int_eq(data_len(data_DataLoader(all, T_NONE)), 6);
    opened = closed = 0;
    t_manual_seed(42);
    for_batch (batch, data_DataLoader(all, 4)) expect_indices(batch.x, batch.index ? "[7, 8]" : "[0, 1, 5, 6]");
    ck_assert_double_eq_tol(t_item(t_rand()), 0.38286375999450684, 1e-8);
    ck_assert(opened == 2 && closed == 2);
    ck_assert_ptr_null(data_ChainDataset(five()));
    expect_error("ChainDataset only supports IterableDataset");
}
END_TEST

START_TEST(iterable_datasets_refuse) {
    Range r = {1, 3, 0};
    data_Dataset *dataset = data_IterableDataset(range_iter, range_next, .context = &r, .close = range_close), *a, *b;
    data_Sampler *one = data_SequentialSampler(five());
    ck_assert_int_eq(data_dataset_len(dataset), -1);
    expect_error("object of type 'IterableDataset' has no len()");
    ck_assert_int_eq(data_len(data_DataLoader(dataset)), -1);
    expect_error("object of type 'IterableDataset' has no len()");
    ck_assert_ptr_null(data_dataset_items(dataset, 0));
    expect_error("Subclasses of Dataset should implement __getitem__.");
    ck_assert_ptr_null(data_DataLoader(dataset, .shuffle = true));
    expect_error("DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle=True");
    ck_assert_ptr_null(data_DataLoader(dataset, .sampler = one));
    expect_error("DataLoader with IterableDataset: expected unspecified sampler option, but got "
                 "sampler=SequentialSampler");
    ck_assert_ptr_null(data_DataLoader(dataset, .batch_sampler = data_BatchSampler(one, 2, false)));
    expect_error("DataLoader with IterableDataset: expected unspecified batch_sampler option, but got "
                 "batch_sampler=BatchSampler");
    ck_assert_ptr_null(data_DataLoader(dataset, 0));
    expect_error("batch_size should be a positive integer value, but got batch_size=0");
    ck_assert_ptr_null(data_ConcatDataset(five(), dataset));
    expect_error("ConcatDataset does not support IterableDataset");
    ck_assert(!data_random_split(dataset, (1, 1), &a, &b));
    expect_error("object of type 'IterableDataset' has no len()");
    ck_assert_ptr_null((data_IterableDataset_new)(range_iter, NULL, NULL));
    expect_error("argument 2 is NULL where a function is expected");
    catch_output(STDERR_FILENO); /* a bar without a total */
    for_batch (batch, data_tqdm(data_DataLoader(dataset), "stream")) continue;
    char *text = caught_output();
    ck_assert_ptr_eq(strstr(text, "\rstream: 0it [00:00, ?it/s]\rstream: 2it [00:00, "), text);
    free(text);
}
END_TEST

START_TEST(a_stream_is_resumed) {
    Range r = {3, 20, 0};
    data_DataLoader *loader = data_DataLoader(range(&r), 3);
    for_batch (batch, loader) if (batch.index == 1) break;
    t_TensorDict *state = data_state_dict(loader);
    loader = data_DataLoader(range(&r), 3);
    ck_assert(data_load_state_dict(loader, state));
    int64_t next = 9;
    for_batch (batch, loader) {
        ck_assert(batch.index == (next - 3) / 3 && t_item_int64(t_at(batch.x, "0")) == next);
        next += batch.size;
    }
    ck_assert_int_eq(next, 20);
    next = 3;
    for_batch (batch, loader) next += batch.size;
    ck_assert_int_eq(next, 20);
}
END_TEST

/* Also one of which a part has no length. */
START_TEST(a_chain_without_a_length_is_resumed) {
    Range a = {0, 2, 0}, b = {5, 9, 0};
    data_Dataset *stream = data_IterableDataset(range_iter, range_next, .context = &b, .close = range_close);
    data_Dataset *chain = data_ChainDataset(range(&a), stream);
    data_DataLoader *loader = data_DataLoader(chain, 3), *other = data_DataLoader(chain, 3);
    for_batch (batch, loader) break;
    t_TensorDict *state = data_state_dict(loader);
    ck_assert(state && t_dict_get_integer(state, "dataset_len") == -1);
    ck_assert(data_load_state_dict(other, state));
    int batches = 0;
    for_batch (batch, other) {
        expect_indices(batch.x, "[6, 7, 8]");
        batches++;
    }
    ck_assert_int_eq(batches, 1);
}
END_TEST

static void expect_lengths(double a, double b, double c, int64_t len_a, int64_t len_b, int64_t len_c) {
    data_Dataset *parts[3];
    ck_assert((data_random_split_fractions)(five(), (double[]){a, b, c}, 3, parts, NULL));
    ck_assert(data_dataset_len(parts[0]) == len_a && data_dataset_len(parts[1]) == len_b &&
              data_dataset_len(parts[2]) == len_c);
}

START_TEST(empty_parts_are_warned_about) {
    catch_warnings();
    expect_lengths(0.9, 0.1, 0, 5, 0, 0);
    char *text = caught_warnings();
    ck_assert_ptr_nonnull(
        strstr(text, "UserWarning: Length of split at index 1 is 0. This might result in an empty dataset.\n"));
    free(text);
    expect_lengths(0.98, 0.01, 0.01, 5, 0, 0);
    expect_lengths(0.4, 0.3, 0.3, 3, 1, 1);
}
END_TEST

START_TEST(a_failed_allocation_ends_the_loop) {
    Range a = {0, 2, 0}, b = {5, 9, 0};
    double one = 1;
    data_Dataset *x = data_Dataset(len_3, times, .context = &one);
    data_Dataset *datasets[] = {data_ChainDataset(range(&a), range(&b)), data_ConcatDataset(five(), three_more()),
                                data_StackDataset((x, data_Dataset(len_3, named)), .names = {"x", "y"})};
    for (int d = 0; d < 3; d++) {
        data_DataLoader *loader = data_DataLoader(datasets[d], 4);
        const int64_t live = t_live_count(), expected = data_len(loader);
        int64_t batches = -1;
        opened = closed = 0;
        for (int n = 1; batches < expected; n++) {
            data_Batch batch;
            batches = 0;
            tg_alloc_fail(n, false);
            (data_iter)(loader, &batch);
            while ((data_iter_next)(&batch)) batches++;
            tg_alloc_fail(0, false);
            (data_iter_end)(&batch);
            ck_assert(batches == expected || t_error());
            ck_assert_int_eq(t_live_count(), live);
            t_clear_error();
            ck_assert_int_lt(n, 1000);
        }
        ck_assert_int_eq(opened, closed);
    }
}
END_TEST

Suite *datasets_suite(void);
Suite *datasets_suite(void) {
    Suite *suite = suite_create("datasets");
    TCase *tests = tcase_create("datasets");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, concatenated);
    tcase_add_test(tests, stacked);
    tcase_add_test(tests, iterated);
    tcase_add_test(tests, iterated_as_lists_and_dicts);
    tcase_add_test(tests, chained);
    tcase_add_test(tests, iterable_datasets_refuse);
    tcase_add_test(tests, a_stream_is_resumed);
    tcase_add_test(tests, a_chain_without_a_length_is_resumed);
    tcase_add_test(tests, empty_parts_are_warned_about);
    tcase_add_test(tests, a_failed_allocation_ends_the_loop);
    suite_add_tcase(suite, tests);
    return suite;
}
