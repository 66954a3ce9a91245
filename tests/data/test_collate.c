/* tests/data/test_collate.c: samples that are dicts, default_collate and the items of a batch, against PyTorch 2.15. */
#include <string.h>

#include "core/data/data.h"
#include "core/tensor/tensor.h"
#include "tests/support/support.h"

/* ---- reviews: {"text": str, "stars": int, "score": float, "new": bool, "ids": tensor, "meta": {...}} ---- */

static const char *const reviews[] = {"good", "bad", "so so", "fine", "poor"};

static int64_t reviews_len(void *context) {
    (void)context;
    return 5;
}

static t_TensorDict *review(void *context, int64_t index) {
    t_TensorDict *sample = t_dict(), *meta = t_dict();
    const int *broken = context;
    if (broken && *broken == 1 && index == 3) return t_fail("no review %d", (int)index);
    if (broken && *broken == 2 && index == 3) return NULL;
    t_dict_set(sample, "text", reviews[index]);
    if (broken && *broken == 3 && index == 3) return sample;
    if (broken && *broken == 4 && index == 3) t_dict_set(sample, "stars", "two");
    else t_dict_set(sample, "stars", 5 - index);
    t_dict_set(sample, "score", (double)index / 2);
    t_dict_set(sample, "new", (bool)(index > 2));
    t_dict_set(sample, "ids", t_arange(index, index + 2));
    t_dict_set(meta, "len", (int64_t)strlen(reviews[index]));
    t_dict_set(meta, "lang", "en");
    t_dict_set(sample, "meta", meta);
    return sample;
}

START_TEST(dicts_are_collated_as_in_pytorch) {
    data_DataLoader *loader = data_DataLoader(data_Dataset(reviews_len, review), .batch_size = 3);
    const int64_t live = t_live_count();
    for_batch (batch, loader) {
        if (batch.index == 0) {
            expect_printed(data_item(batch, "stars"), "tensor([5, 4, 3])");
            expect_printed(data_item(batch, "score"), "tensor([0.0000, 0.5000, 1.0000], dtype=torch.float64)");
            expect_printed(data_item(batch, "new"), "tensor([False, False, False])");
            expect_printed(data_item(batch, "ids"), "tensor([[0, 1],\n        [1, 2],\n        [2, 3]])");
            expect_printed(data_item(batch, "meta.len"), "tensor([4, 3, 5])");
            ck_assert_str_eq(data_text(batch, "text", 2), "so so");
        } else {
            expect_printed(data_item(batch, "stars"), "tensor([2, 1])");
            ck_assert_str_eq(data_text(batch, "text", -1), "poor");
        }
        ck_assert_str_eq(data_text(batch, "meta.lang", 1), "en");
        /* by position: the items of a sample in order; a text has no tensor */
        ck_assert_int_eq(batch.len, 7);
        ck_assert(!batch.x && !batch.items[0] && !batch.items[6]);
        ck_assert(batch.y == data_item(batch, "stars") && batch.items[5] == data_item(batch, "meta.len"));
        ck_assert_int_eq(t_live_count(), live + 5);
        t_TensorDict *all = data_batch_dict(batch);
        ck_assert_str_eq(t_dict_get_text(all, "text.0"), reviews[3 * batch.index]);
    }
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

START_TEST(dicts_are_shuffled_as_in_pytorch) {
    t_manual_seed(42);
    data_DataLoader *loader = data_DataLoader(data_Dataset(reviews_len, review), 2, true);
    const char *const stars[] = {"tensor([2, 3])", "tensor([4, 1])", "tensor([5])"};
    const char *const texts[] = {"poor", "good", "bad", "so so", "fine"};
    for_batch (batch, loader) expect_printed(data_item(batch, "stars"), stars[batch.index]);
    for_batch (batch, loader)
        for (int64_t i = 0; i < batch.size; i++)
            ck_assert_str_eq(data_text(batch, "text", i), texts[2 * batch.index + i]);
    ck_assert_double_eq_tol(t_item(t_rand()), 0.9407714605331421, 1e-8);
}
END_TEST

START_TEST(one_sample_as_a_dict) {
    data_Dataset *dataset = data_Dataset(reviews_len, review);
    ck_assert_str_eq(t_dict_get_text(data_dataset_dict(dataset, -1), "text"), "poor");
    const t_TensorList *items = data_dataset_items(dataset, 1);
    ck_assert(items->len == 7 && !items->items[0]);
    expect_printed(items->items[1], "tensor(4)");
    t_TensorDict *pair = data_dataset_dict(data_TensorDataset(t_list(t_arange(3), t_ones(3, 2))), 2);
    expect_printed(t_dict_get(pair, "0"), "tensor(2)");
    expect_printed(t_dict_get(pair, "1"), "tensor([1., 1.])");
    ck_assert_ptr_null(data_dataset_dict(dataset, 5));
    expect_error("index 5 is out of range: the dataset has 5 samples");
    for_batch (batch, data_DataLoader(data_TensorDataset(t_list(t_arange(3), t_ones(3))), 2)) {
        ck_assert_ptr_eq(t_dict_get(data_batch_dict(batch), "1"), batch.y);
        ck_assert_ptr_null(data_text(batch, "text", 0));
        expect_error("KeyError: 'text'");
    }
}
END_TEST

START_TEST(unequal_dicts_are_refused) {
    int broken = 1;
    data_DataLoader *loader = data_DataLoader(data_Dataset(reviews_len, review, .context = &broken), .batch_size = 5);
    data_Batch batch;
    ck_assert(!(data_first)(loader, &batch));
    expect_error("no review 3");
    broken = 2;
    ck_assert(!(data_first)(loader, &batch));
    expect_error("the dataset's get function returned no sample 3");
    broken = 3;
    ck_assert(!(data_first)(loader, &batch));
    expect_error("KeyError: 'stars', in sample 3 of the batch");
    broken = 4;
    ck_assert(!(data_first)(loader, &batch));
    expect_error("default_collate: 'stars' is a tensor in sample 0 of the batch, but a string in sample 3");
    broken = 0;
    ck_assert((data_first)(loader, &batch) && batch.len == 7);
    ck_assert_ptr_null((data_item)(&batch, "rating"));
    expect_error("KeyError: 'rating' is not among the 15 names, from 'text.0' to 'meta.lang.4'");
    ck_assert_ptr_null((data_text)(&batch, "text", 5));
    expect_error("list index out of range: 5, of 5 texts");
    ck_assert_ptr_null((data_text)(&batch, "stars", 0));
    expect_error("'stars' is a tensor, not a string");
    ck_assert_ptr_null((data_text)(&batch, NULL, 0));
    expect_error("argument 2 is NULL where a name is expected");
    ck_assert_ptr_null((data_item)(NULL, "text"));
    expect_error("argument 1 is NULL where a batch is expected");
    ck_assert_ptr_null((data_Dataset_of_dicts)(reviews_len, NULL, NULL));
    expect_error("argument 2 is NULL where a function is expected");
}
END_TEST

/* ---- collate functions ---- */

/* The lengths of the texts, next to what default_collate makes. */
static t_TensorDict *with_lengths(void *context, const data_Samples *samples) {
    Tensor *lengths = t_zeros(samples->len, .dtype = t_int64);
    for (int64_t i = 0; i < samples->len; i++) {
        const char *text = t_dict_get_text(samples->dicts[i], "text");
        t_set(lengths, "{}", i, (double)strlen(text));
        if (!samples->items[i]->items[1]) return NULL;
    }
    if (*(int *)context) return NULL;
    t_TensorDict *batch = data_default_collate_dicts(samples);
    t_dict_set(batch, "lengths", lengths);
    return batch;
}

static t_TensorList *doubled(void *context, const data_Samples *samples) {
    (void)context;
    if (samples->dicts) return t_fail("no dicts expected");
    t_TensorList *batch = data_default_collate(samples);
    t_list_append(batch, t_mul(batch->items[0], 2));
    return batch;
}

START_TEST(a_collate_function_of_dicts) {
    int fails = 0;
    data_Dataset *dataset = data_Dataset(reviews_len, review);
    data_DataLoader *loader = data_DataLoader(dataset, 3, .collate_dicts = with_lengths, .context = &fails);
    for_batch (batch, loader) {
        if (batch.index == 0) expect_printed(data_item(batch, "lengths"), "tensor([4, 3, 5])");
        ck_assert_str_eq(data_text(batch, "text", 1), reviews[3 * batch.index + 1]);
    }
    fails = 1;
    data_Batch batch;
    ck_assert(!(data_first)(loader, &batch));
    expect_error("the DataLoader's collate_fn returned no batch");
    for_batch (each, data_DataLoader(data_TensorDataset(t_list(t_arange(3))), 3, .collate_samples = doubled))
        expect_printed(each.y, "tensor([0, 2, 4])");
}
END_TEST

START_TEST(default_collate_of_given_samples) {
    t_TensorList *a = t_list(t_arange(2), t_ones()), *b = t_list(t_arange(2), t_zeros()), *both[] = {a, b};
    t_TensorList *batch = data_default_collate((&(data_Samples){2, both, NULL}));
    expect_printed(batch->items[0], "tensor([[0, 1],\n        [0, 1]])");
    expect_printed(batch->items[1], "tensor([1., 0.])");
    ck_assert_ptr_null((data_default_collate)(NULL));
    expect_error("argument 1 has no samples where at least one is expected");
    ck_assert_ptr_null((data_default_collate_dicts)(&(data_Samples){2, both, NULL}));
    expect_error("the samples are tuples");
    both[1] = t_list(t_arange(3), t_zeros());
    ck_assert_ptr_null((data_default_collate)(&(data_Samples){2, both, NULL}));
    expect_error("stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1");
    both[1] = t_list(t_arange(3), t_zeros(), t_zeros());
    ck_assert_ptr_null((data_default_collate)(&(data_Samples){2, both, NULL}));
    expect_error("each element in list of batch should be of equal size, but sample 1 of the batch has 3 items and "
                 "sample 0 has 2");
}
END_TEST

START_TEST(any_number_of_tensors) {
    t_TensorList *tensors = t_list();
    for (int k = 0; k < 40; k++) t_list_append(tensors, t_full((6, 2), (double)k));
    for_batch (batch, data_DataLoader(data_TensorDataset(tensors), .batch_size = 4)) {
        ck_assert_int_eq(batch.len, 40);
        expect_printed(t_at(batch.items[39], "0"), "tensor([39., 39.])");
    }
}
END_TEST

static Tensor *last_lengths(data_DataLoader *loader) {
    Tensor *last = NULL;
    for_batch (batch, loader) t_keep_as(&last, data_item(batch, "meta.len"));
    return last;
}

START_TEST(items_can_be_kept) {
    expect_printed(last_lengths(data_DataLoader(data_Dataset(reviews_len, review), 3)), "tensor([4, 4])");
    int none = 0;
    expect_printed(last_lengths(data_DataLoader(data_Dataset(reviews_len, review), 3, .collate_dicts = with_lengths,
                                                .context = &none)), "tensor([4, 4])");
}
END_TEST

START_TEST(a_failed_allocation_ends_the_loop) {
    data_DataLoader *loader = data_DataLoader(data_Dataset(reviews_len, review), 3, true);
    const int64_t live = t_live_count();
    int64_t batches = 0;
    for (int n = 1; batches < 2; n++) {
        batches = 0;
        data_Batch batch;
        tg_alloc_fail(n, false);
        (data_iter)(loader, &batch);
        while ((data_iter_next)(&batch)) batches++;
        tg_alloc_fail(0, false);
        (data_iter_end)(&batch);
        ck_assert(batches == 2 || t_error());
        ck_assert_int_eq(t_live_count(), live);
        t_clear_error();
        ck_assert_int_lt(n, 1000);
    }
}
END_TEST

Suite *collate_suite(void);
Suite *collate_suite(void) {
    Suite *suite = suite_create("collate");
    TCase *tests = tcase_create("collate");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, dicts_are_collated_as_in_pytorch);
    tcase_add_test(tests, dicts_are_shuffled_as_in_pytorch);
    tcase_add_test(tests, one_sample_as_a_dict);
    tcase_add_test(tests, unequal_dicts_are_refused);
    tcase_add_test(tests, a_collate_function_of_dicts);
    tcase_add_test(tests, default_collate_of_given_samples);
    tcase_add_test(tests, any_number_of_tensors);
    tcase_add_test(tests, items_can_be_kept);
    tcase_add_test(tests, a_failed_allocation_ends_the_loop);
    suite_add_tcase(suite, tests);
    return suite;
}
