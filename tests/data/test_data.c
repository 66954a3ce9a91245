/* tests/data/test_data.c: datasets, loaders and progress bars. Tokens, shuffles and draws are PyTorch 2.15's. */
#define _POSIX_C_SOURCE 200809L /* dup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/data/data.h"
#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static bool is_list(Tensor *x, const char *text) {
    return t_equal(t_to(x, t_int64), t_tensor(text, .dtype = t_int64));
}

#define NEXT_RAND(value) ck_assert_double_eq_tol(t_item(t_rand()), value, 1e-8)

/* ---- datasets ---- */

static int64_t positives(data_Dataset *dataset) {
    return t_item_int64(t_sum(t_list_get(data_tensors(dataset), 1)));
}

START_TEST(tokens_are_pytorchs) {
    t_manual_seed(42);
    data_Dataset *train = data_RepeatedTokenDataset(1000, 20, 50), *val = data_RepeatedTokenDataset(200, 20, 50);
    NEXT_RAND(0.502417862);
    Tensor *x, *y;
    ck_assert(data_dataset_get(train, 0, &x, &y));
    ck_assert(is_list(x, "[30, 17, 12, 13, 47, 18, 20, 20, 8, 22, 22, 6, 28, 19, 44, 31, 35, 14, 24, 39]"));
    ck_assert(t_dim(y) == 0 && t_item_int64(y) == 1);
    ck_assert(data_dataset_get(val, -1, &x, &y));
    ck_assert(is_list(x, "[35, 16, 21, 16, 33, 29, 24, 46, 42, 5, 29, 10, 44, 19, 28, 37, 38, 23, 20, 13]"));
    ck_assert(t_item_int64(y) == 0 && positives(train) == 311 && positives(val) == 57);
    ck_assert(!data_dataset_get(val, 200, &x, &y));
    expect_error("index 200 is out of range: the dataset has 200 samples");
    ck_assert_ptr_null(data_RepeatedTokenDataset(3, 4, 1));
    expect_error("random_ expects 'from' to be less than 'to', but got from=1 >= to=1");
}
END_TEST

/* Ten samples: x = i as a float, y = i. */
static data_Dataset *ten(void) {
    return data_TensorDataset(t_list(t_float(t_arange(10)), t_arange(10)));
}

START_TEST(parts_of_datasets) {
    const int64_t lengths[] = {7, 3}, wrong[] = {7, 4}, negative[] = {11, -1};
    data_Dataset *a = NULL, *b = NULL;
    t_manual_seed(42);
    ck_assert(data_random_split(ten(), lengths, 2, &a, &b));
    NEXT_RAND(0.133185923);
    ck_assert(is_list(data_first(data_DataLoader(a, 7)).y, "[2, 6, 1, 8, 4, 5, 0]"));
    ck_assert(is_list(data_first(data_DataLoader(b, 7)).x, "[9, 3, 7]"));
    ck_assert(is_list(data_first(data_DataLoader(data_Subset(b, -1, 0), 2)).y, "[7, 9]"));
    t_manual_seed(3);
    ck_assert(data_random_split(ten(), (7, 3), &a, &b) && data_dataset_len(a) == 7 && data_dataset_len(b) == 3);
    t_Generator *generator = t_generator_manual_seed(t_generator(), 3);
    data_Dataset *c, *d, *e;
    ck_assert(data_random_split(ten(), (0.7, 0.3), &c, &d, .generator = generator) && data_dataset_len(c) == 7 &&
              data_dataset_len(d) == 3);
    Tensor *x, *y;
    for (int64_t i = 0; i < 7; i++)
        ck_assert(data_dataset_get(a, i, &x, NULL) && data_dataset_get(c, i, &y, NULL) && t_equal(x, y));
    ck_assert(data_random_split(ten(), (0.35, 0.33, 0.32), &c, &d, &e) && data_dataset_len(c) == 4 &&
              data_dataset_len(d) == 3 && data_dataset_len(e) == 3);
    expect_refusal(!data_random_split(ten(), (0.5, 0.4), &c, &d),
                   "lengths are integers, or fractions that sum to 1, but lengths[0] is 0.5 and the sum is 0.9");
    expect_refusal(!data_random_split(ten(), (1.5, -0.5), &c, &d), "Fraction at index 0 is not between 0 and 1");
    expect_refusal(!data_random_split(ten(), (7, 3), &c), "2 lengths are given, but 1 outputs");
    t_clear_error();
    ck_assert(!data_random_split(ten(), wrong, 2, &a, &b) && !a && !b);
    expect_error("Sum of input lengths does not equal the length of the input dataset!");
    ck_assert(!data_random_split(ten(), negative, 2, &a, &b));
    expect_error("Sum of input lengths does not equal the length of the input dataset!");
    ck_assert_ptr_null(data_Subset(ten(), 10));
    expect_error("index 10 is out of range: the dataset has 10 samples");
    ck_assert_ptr_null(data_TensorDataset(t_list(t_zeros(3), t_zeros(4))));
    expect_error("Size mismatch between tensors");
}
END_TEST

/* A user's dataset: three pairs of (i, i + 1), with the labels of a context; sample 3 does not exist. */
static int closed;
static int64_t own_len(void *context) {
    return *(int64_t *)context;
}
static bool own_get(void *context, int64_t index, Tensor **x, Tensor **y) {
    if (index == 3) return t_fail("no sample %d", (int)index);
    *x = t_arange(index, index + 2);
    if (*(int64_t *)context != 2 || index == 0) *y = t_integer(10 * index);
    return true;
}
static void own_destroy(void *context) {
    closed += *(int64_t *)context == 3;
}

START_TEST(a_users_dataset) {
    int64_t three = 3, four = 4, two = 2;
    with_scope() {
        data_Dataset *dataset = data_Dataset(own_len, own_get, .context = &three, .destroy = own_destroy);
        data_Batch batch = data_first(data_DataLoader(dataset, .batch_size = 8));
        ck_assert(is_list(batch.x, "[[0, 1], [1, 2], [2, 3]]") && is_list(batch.y, "[0, 10, 20]"));
        ck_assert(t_dtype(batch.y) == t_int64 && batch.size == 3 && batch.index == 0);
    }
    ck_assert_int_eq(closed, 1);
    ck_assert_ptr_null(data_first(data_DataLoader(data_Dataset(own_len, own_get, .context = &four), 8)).x);
    expect_error("no sample 3");
    ck_assert_ptr_null(data_first(data_DataLoader(data_Dataset(own_len, own_get, .context = &two), 8)).x);
    expect_error("some samples of the dataset have a y and some have none");
    int batches = 0;
    clear_errors();
    for_batch (batch, data_DataLoader(data_Dataset(own_len, own_get, .context = &four), 2)) batches++;
    ck_assert(batches == 1 && error_count() == 1 && strstr(last_error_text(), ": own_get: no sample 3"));
    t_clear_error();
}
END_TEST

/* ---- loaders ---- */

static void expect_epoch(data_DataLoader *loader, const char *const *batches) {
    for_batch (batch, loader) {
        ck_assert(is_list(batch.y, batches[batch.index]) && is_list(batch.x, batches[batch.index]));
        ck_assert(t_dtype(batch.x) == t_float32 && batch.size == t_size(batch.y, 0));
    }
}

START_TEST(shuffles_are_pytorchs) {
    data_Dataset *dataset = ten();
    t_manual_seed(42);
    data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 3, .shuffle = true);
    expect_epoch(loader, (const char *[]){"[8, 0, 9]", "[1, 4, 5]", "[6, 3, 2]", "[7]"});
    expect_epoch(loader, (const char *[]){"[4, 6, 9]", "[3, 7, 5]", "[2, 0, 1]", "[8]"});
    NEXT_RAND(0.940771461);
    t_Generator *g = t_generator();
    t_generator_manual_seed(g, 42);
    t_manual_seed(42);
    loader = data_DataLoader(dataset, 3, true, .generator = g);
    expect_epoch(loader, (const char *[]){"[6, 5, 4]", "[0, 8, 9]", "[2, 1, 3]", "[7]"});
    expect_epoch(loader, (const char *[]){"[3, 6, 5]", "[8, 9, 4]", "[2, 0, 7]", "[1]"});
    NEXT_RAND(0.882269263);
    ck_assert_double_eq_tol(t_item(t_rand(1, .generator = g)), 0.634341836, 1e-8);
    t_manual_seed(42);
    ck_assert(is_list(data_first(data_DataLoader(dataset, 4, true)).y, "[8, 0, 9, 1]"));
    NEXT_RAND(0.390448213);
    t_manual_seed(42);
    expect_epoch(data_DataLoader(dataset, 4), (const char *[]){"[0, 1, 2, 3]", "[4, 5, 6, 7]", "[8, 9]"});
    NEXT_RAND(0.38286376);
}
END_TEST

START_TEST(sizes_of_batches) {
    for (int64_t size = 1; size < 13; size++)
        for (int drop = 0; drop < 2; drop++) {
            int64_t batches = 0, samples = 0;
            data_DataLoader *loader = data_DataLoader(ten(), .batch_size = size, .drop_last = drop);
            for_batch (batch, loader) {
                ck_assert_int_eq(batch.index, batches++);
                samples += batch.size;
            }
            ck_assert_int_eq(batches, data_len(loader));
            ck_assert_int_eq(samples, drop ? 10 / size * size : 10);
        }
    for (int drop = 0; drop < 2; drop++) { /* no batch is larger than this one */
        data_DataLoader *loader = data_DataLoader(ten(), .batch_size = INT64_MAX, .drop_last = drop);
        ck_assert_int_eq(data_len(loader), !drop);
        for_batch (batch, loader) ck_assert(!drop && batch.size == 10);
    }
    ck_assert_ptr_null(data_DataLoader(ten(), .batch_size = 0));
    expect_error("batch_size should be a positive integer value, but got batch_size=0");
    ck_assert_ptr_null(data_DataLoader(data_TensorDataset(t_list(t_zeros(0, 2))), .shuffle = true));
    expect_error("num_samples should be a positive integer value, but got num_samples=0");
    for_batch (batch, data_DataLoader(data_TensorDataset(t_list(t_zeros(0, 2))))) ck_abort_msg("a batch of nothing");
    for_batch (batch, data_DataLoader(data_TensorDataset(t_list(t_t(t_zeros(2, 6)))), 4))
        ck_assert(!batch.y && t_size(batch.x, 1) == 2 && batch.size == (batch.index ? 2 : 4));
    for_batch (batch, (data_DataLoader *)NULL) ck_abort_msg("a batch of no loader");
    expect_error("argument 1 is NULL where a DataLoader is expected");
}
END_TEST

/* Five samples of growing length, (i, ..., 2 i) and i, which collate_fn pads with its context. */
static bool growing_get(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_arange(index, 2 * index + 1);
    *y = t_integer(index);
    return true;
}
static bool pad(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
    const int64_t *value = context;
    if (*value == 0) return t_fail("no padding");
    if (*value > 0) return true;
    *x = nn_utils_rnn_pad_sequence(xs, .batch_first = true, .padding_value = (double)*value);
    if (ys->len) *y = t_stack(ys, 0);
    return true;
}

START_TEST(a_users_collate_fn) {
    int64_t five = 5, value = -1;
    data_Dataset *dataset = data_Dataset(own_len, growing_get, .context = &five);
    t_manual_seed(42);
    data_DataLoader *loader = data_DataLoader(dataset, 2, true, .collate_fn = pad, .context = &value);
    const char *const xs[] = {"[[3, 4, 5, 6], [2, 3, 4, -1]]", "[[1, 2, -1, -1, -1], [4, 5, 6, 7, 8]]", "[[0]]"};
    const char *const ys[] = {"[3, 2]", "[1, 4]", "[0]"};
    int64_t live = t_live_count();
    for_batch (batch, loader) {
        ck_assert_int_eq(t_live_count(), live + 3); /* x, y and the order: the lists and what only they held are gone */
        ck_assert(is_list(batch.x, xs[batch.index]) && is_list(batch.y, ys[batch.index]) &&
                  batch.size == 2 - batch.index / 2);
    }
    ck_assert_int_eq(t_live_count(), live);
    NEXT_RAND(0.390448213);
    ck_assert(
        is_list(data_first(data_DataLoader(data_Subset(dataset, 3, 1), 2, .collate_fn = pad, .context = &value)).x,
                "[[3, 4, 5, 6], [1, 2, -1, -1]]"));
    data_Dataset *rows = data_TensorDataset(t_list(t_t(t_zeros(3, 4))));
    for_batch (batch, data_DataLoader(rows, 4, .collate_fn = pad, .context = &value))
        ck_assert(!batch.y && t_size(batch.x, 1) == 3);
    value = 0;
    ck_assert_ptr_null(data_first(loader).x);
    expect_error("no padding");
    value = 1;
    ck_assert_ptr_null(data_first(loader).x);
    expect_error("the DataLoader's collate_fn returned no batch");
    ck_assert_ptr_null(data_first(data_DataLoader(dataset, 2)).x);
    expect_error("stack expects each tensor to be equal size, but got [1] at entry 0 and [2] at entry 1");
}
END_TEST

/* ---- for_batch as a block ---- */

static Tensor *first_above(data_DataLoader *loader, double limit) {
    for_batch (batch, loader) {
        Tensor *found = NULL;
        for_batch (inner, loader)
            if (t_item(t_sum(inner.x)) > limit) {
                found = t_keep(inner.x);
                break;
            }
        if (found) return t_keep(found);
    }
    return NULL;
}

START_TEST(leaving_a_loop) {
    data_DataLoader *loader = data_DataLoader(ten(), .batch_size = 3, .shuffle = true);
    int depth = tg_thread.scope->depth;
    Tensor *sum = NULL;
    int64_t live = t_live_count(), batches = 0;
    for_batch (batch, loader) {
        if (batch.index == 1) continue;
        t_keep_as(&sum, sum ? t_add(sum, t_sum(batch.y)) : t_sum(batch.y));
        for_batch (inner, loader) {
            batches++;
            if (inner.index == 1) break;
        }
        if (batch.index == 2) break;
    }
    ck_assert_int_eq(batches, 4);
    ck_assert_int_eq(tg_thread.scope->depth, depth);
    ck_assert_int_eq(t_live_count(), live + 1);
    ck_assert(t_item_int64(sum) >= 0 + 1 + 2 + 3 + 4 + 5);
    Tensor *found = first_above(loader, 10);
    ck_assert(found && t_item(t_sum(found)) > 10);
    ck_assert_int_eq(tg_thread.scope->depth, depth);
    for_batch (batch, loader) if (batch.index == 2) goto out;
out:
    ck_assert_int_eq(tg_thread.scope->depth, depth);
}
END_TEST

static void fail_each_allocation(data_DataLoader *loader) {
    int64_t live = t_live_count(), batches = 0;
    int depth = tg_thread.scope->depth;
    for (int n = 1; batches < 3; n++) {
        batches = 0;
        tg_alloc_fail(n, false);
        for_batch (batch, loader) batches++;
        tg_alloc_fail(0, false);
        ck_assert(batches == 3 || t_error());
        ck_assert(tg_thread.scope->depth == depth && t_live_count() == live);
        t_clear_error();
        ck_assert_int_lt(n, 200);
    }
}

START_TEST(a_failed_allocation_ends_the_loop) {
    int64_t value = -1;
    fail_each_allocation(data_DataLoader(ten(), .batch_size = 4, .shuffle = true, .generator = t_generator()));
    data_Dataset *rows = data_TensorDataset(t_list(t_zeros(10, 3), t_arange(10)));
    fail_each_allocation(data_DataLoader(rows, .batch_size = 4, .shuffle = true, .collate_fn = pad, .context = &value));
}
END_TEST

/* ---- progress ---- */

static void show_progress(void) {
    data_DataLoader *loader = data_DataLoader(ten(), .batch_size = 3);
    for_batch (batch, data_tqdm(loader, .desc = "epoch 1")) data_set_postfix(loader, "loss=%.3f", 0.432);
    for_batch (batch, loader) continue; /* no bar this time */
    for_batch (batch, data_tqdm(loader, "cut short")) if (batch.index == 2) break;
    for_batch (batch, data_tqdm(loader, .disable = true)) continue;
}

START_TEST(progress_in_a_file) {
    catch_output(STDERR_FILENO);
    show_progress();
    char *text = caught_output();
    ck_assert_ptr_eq(strstr(text, "\repoch 1:   0%|          | 0/4 [00:00<?, ?it/s]\repoch 1: "), text);
    ck_assert_ptr_nonnull(strstr(text, "it/s, loss=0.432]\n\rcut short:   0%|          | 0/4 [00:0"));
    ck_assert_ptr_nonnull(strstr(text, "\rcut short:  50%|█████     | 2/4 [00:0"));
    ck_assert_ptr_eq(strchr(strchr(text, '\n') + 1, '\n'), text + strlen(text) - 1); /* two lines */
    free(text);
}
END_TEST

START_TEST(progress_on_a_terminal) {
    char text[4000] = "";
    int terminal, screen = open_terminal(0, &terminal);
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    dup2(screen, STDERR_FILENO);
    show_progress();
    dup2(before, STDERR_FILENO);
    close(before);
    close(screen);
    size_t length = 0; /* reads in pieces, until the closed terminal ends the input */
    for (ssize_t n; length < sizeof text - 1 && (n = read(terminal, text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)n;
    close(terminal);
    ck_assert_ptr_eq(strstr(text, "\repoch 1:   0%|          | 0/4 [00:00<?, ?it/s]"), text);
    ck_assert_ptr_nonnull(strstr(text, "\repoch 1: 100%|██████████| 4/4 [00:0"));
    ck_assert_ptr_nonnull(strstr(text, ", loss=0.432]\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "\rcut short:  50%|█████     | 2/4 [00:0"));
}
END_TEST

/* ---- samples of any number of tensors ---- */

static int64_t six(void *context) {
    (void)context;
    return 6;
}

/* An image, a mask and a label; if the context says so, one sample is too short. */
static t_TensorList *triple(void *context, int64_t index) {
    Tensor *image = t_full((2, 2), (double)index), *mask = t_gt(image, 2), *label = t_tensor(index);
    return context && index == 3 ? t_list(image, mask) : t_list(image, mask, label);
}

static t_TensorList *lengths_and_labels(void *context, const data_Samples *samples) {
    t_TensorList *images = t_list(), *labels = t_list();
    (*(int *)context)++;
    for (int64_t i = 0; i < samples->len; i++) {
        t_list_append(images, samples->items[i]->items[0]);
        t_list_append(labels, samples->items[i]->items[2]);
    }
    return t_list(t_cat(images, 1), t_stack(labels), t_tensor(samples->len), t_tensor(7));
}

static bool pairs_only(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
    (void)context, (void)xs, (void)ys, (void)x, (void)y;
    return true;
}

START_TEST(samples_have_any_number_of_items) {
    Tensor *x = t_arange(6.), *y = t_mul(x, 2), *z = t_mul(x, 3);
    data_Dataset *three = data_TensorDataset(t_list(x, y, z));
    ck_assert_int_eq(data_dataset_items(three, -1)->len, 3);
    expect_printed(data_dataset_items(three, -1)->items[2], "tensor(15.)");
    int64_t batches = 0;
    for_batch (batch, data_DataLoader(three, .batch_size = 4)) {
        ck_assert_int_eq(batch.len, 3);
        ck_assert(batch.x == batch.items[0] && batch.y == batch.items[1]);
        if (batch.index == 1) expect_printed(batch.items[2], "tensor([12., 15.])");
        batches++;
    }
    ck_assert_int_eq(batches, 2);
    for_batch (batch, data_DataLoader(data_TensorDataset(t_list(x)))) ck_assert(!batch.y && batch.len == 1);
    expect_refusal(!(data_TensorDataset_new)(t_list()), "a TensorDataset takes at least one tensor");
}
END_TEST

START_TEST(samples_are_dicts) {
    const int64_t lengths[] = {4, 2};
    data_Dataset *dataset = data_Dataset(six, triple, .names = {"image", "mask", "label"}), *train, *val;
    ck_assert(data_random_split(dataset, lengths, 2, &train, &val));
    for_batch (batch, data_DataLoader(train, .batch_size = 2, .shuffle = true)) {
        ck_assert(data_item(batch, "image") == batch.x && data_item(batch, "label") == batch.items[2]);
        ck_assert(t_equal(t_to(data_item(batch, "label"), t_float32), t_select(t_select(batch.x, 1, 0), 1, 0)));
        ck_assert_ptr_null(data_item(batch, "text"));
        expect_error("KeyError: 'text'");
    }
    data_Batch first = data_first(data_DataLoader(val));
    ck_assert(data_item(first, "mask") == first.y);
}
END_TEST

START_TEST(samples_are_collated_by_the_user) {
    int calls = 0, is_short = 1;
    data_Dataset *dataset = data_Dataset(six, triple);
    for_batch (batch,
               data_DataLoader(dataset, .batch_size = 4, .collate_samples = lengths_and_labels, .context = &calls)) {
        ck_assert_int_eq(batch.len, 4);
        ck_assert_int_eq(t_size(batch.x, 1), 2 * batch.size);
        ck_assert_int_eq(t_item_int64(batch.items[2]), batch.size);
    }
    ck_assert_int_eq(calls, 2);
    data_Batch batch;
    ck_assert(!(data_first)(data_DataLoader(dataset, .collate_fn = pairs_only), &batch));
    expect_error(
        "collate_fn takes samples of x and y, but the dataset's have 3 items: collate_samples takes any number");
    dataset = data_Dataset(six, triple, .context = &is_short);
    ck_assert(!(data_first)(data_DataLoader(dataset, .batch_size = 6), &batch));
    expect_error("each element in list of batch should be of equal size, but sample 3 of the batch has 2 items and "
                 "sample 0 has 3");
}
END_TEST

Suite *data_suite(void);
Suite *data_suite(void) {
    Suite *suite = suite_create("data");
    TCase *tests = tcase_create("data");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, tokens_are_pytorchs);
    tcase_add_test(tests, parts_of_datasets);
    tcase_add_test(tests, a_users_dataset);
    tcase_add_test(tests, shuffles_are_pytorchs);
    tcase_add_test(tests, sizes_of_batches);
    tcase_add_test(tests, a_users_collate_fn);
    tcase_add_test(tests, leaving_a_loop);
    tcase_add_test(tests, a_failed_allocation_ends_the_loop);
    tcase_add_test(tests, progress_in_a_file);
    tcase_add_test(tests, progress_on_a_terminal);
    tcase_add_test(tests, samples_have_any_number_of_items);
    tcase_add_test(tests, samples_are_dicts);
    tcase_add_test(tests, samples_are_collated_by_the_user);
    suite_add_tcase(suite, tests);
    return suite;
}
