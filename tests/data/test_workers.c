/* tests/data/test_workers.c: num_workers, against torch 2.15's worker processes. All draws are those after
 * manual_seed(42). */
#define _XOPEN_SOURCE 600
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/data/data.h"
#include "core/tensor/tensor.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

static int64_t ten(void *context) {
    (void)context;
    return 10;
}

/* (index, randint(0, 1000)) */
static bool noisy(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_integer(index);
    return (*y = t_randint(0, 1000, ())) != NULL;
}

static data_Dataset *noise(void) {
    return data_Dataset(ten, noisy);
}

static t_Generator *seeded(void) {
    return t_generator_manual_seed(t_generator(), 42);
}

static void expect_values(Tensor *x, const char *text) {
    ck_assert_msg(x != NULL, "%s", t_error());
    ck_assert_msg(t_equal(x, t_tensor(text, .dtype = t_int64)), "%s instead of %s", t_str(x), text);
}

/* The x and then the y of each batch of an iteration. */
static Tensor *values_of_epoch(data_DataLoader *loader) {
    t_TensorList *all = t_list(t_full((0,), 0, .dtype = t_int64));
    for_batch (batch, loader) {
        t_list_append(all, batch.x);
        if (batch.y) t_list_append(all, batch.y);
    }
    ck_assert_msg(!t_error(), "%s", t_error());
    return t_cat(all);
}

static void expect_epochs(data_DataLoader *loader, const char *first, const char *second, double next) {
    t_manual_seed(42);
    expect_values(values_of_epoch(loader), first);
    if (second) expect_values(values_of_epoch(loader), second);
    ck_assert_double_eq_tol(t_item(t_rand()), next, 1e-8);
}

START_TEST(workers_draw_as_pytorchs) {
    expect_epochs(data_DataLoader(noise(), 2, true),
                  "[8, 0, 26, 335, 9, 1, 620, 924, 4, 5, 950, 113, 6, 3, 378, 14, 2, 7, 210, 954]",
                  "[8, 3, 567, 706, 4, 1, 749, 876, 0, 6, 73, 111, 5, 9, 899, 213, 7, 2, 541, 769]",
                  0.5471915602684021);
    expect_epochs(data_DataLoader(noise(), 2, true, .num_workers = 1),
                  "[8, 0, 664, 588, 9, 1, 158, 936, 4, 5, 784, 322, 6, 3, 650, 393, 2, 7, 983, 118]",
                  "[4, 6, 864, 383, 9, 3, 384, 991, 7, 5, 677, 90, 2, 0, 553, 256, 1, 8, 960, 848]",
                  0.9407714605331421);
    for (int64_t prefetch = 1; prefetch <= 9; prefetch += 4)
        expect_epochs(data_DataLoader(noise(), 2, true, .num_workers = 3, .prefetch_factor = prefetch),
                      "[8, 0, 664, 588, 9, 1, 572, 754, 4, 5, 526, 900, 6, 3, 158, 936, 2, 7, 270, 619]",
                      "[4, 6, 864, 383, 9, 3, 606, 587, 7, 5, 709, 830, 2, 0, 384, 991, 1, 8, 919, 958]",
                      0.9407714605331421);
    expect_epochs(data_DataLoader(noise(), 2, true, .num_workers = 2, .persistent_workers = true, .pin_memory = true),
                  "[8, 0, 664, 588, 9, 1, 572, 754, 4, 5, 158, 936, 6, 3, 270, 619, 2, 7, 784, 322]",
                  "[4, 3, 650, 393, 2, 6, 588, 518, 7, 5, 983, 118, 0, 8, 235, 901, 1, 9, 0, 830]",
                  0.2565724849700928);
}
END_TEST

static bool seed_with_100(void *context, int64_t worker_id) {
    const data_WorkerInfo *info = data_get_worker_info();
    if (context && worker_id == 1) return t_fail("no worker %d", (int)worker_id);
    if (!info || info->id != worker_id || info->num_workers != 2 || data_dataset_len(info->dataset) != 10)
        return t_fail("another worker");
    t_manual_seed(100 + worker_id);
    return true;
}

START_TEST(worker_init_fn_is_called) {
    data_Batch batch;
    expect_epochs(data_DataLoader(noise(), 3, .num_workers = 2, .worker_init_fn = seed_with_100),
                  "[0, 1, 2, 440, 512, 395, 3, 4, 5, 231, 27, 609, 6, 7, 8, 799, 175, 471, 9, 166]", NULL,
                  0.38286375999450684);
    ck_assert_ptr_null(data_get_worker_info());
    int fails = 1, batches = 0;
    data_DataLoader *loader =
        data_DataLoader(noise(), 3, .num_workers = 2, .worker_init_fn = seed_with_100, .context = &fails);
    ck_assert((data_iter)(loader, &batch));
    while ((data_iter_next)(&batch)) batches++;
    ck_assert_int_eq(batches, 1);
    ck_assert_str_eq(strstr(t_error(), "in DataLoader worker 1: "), t_error());
    ck_assert_ptr_nonnull(strstr(t_error(), "seed_with_100: no worker 1"));
    (data_iter_end)(&batch);
    t_clear_error();
}
END_TEST

/* The sampler runs ahead of the batches: its generator has drawn more when the loop uses it. */
START_TEST(indices_are_drawn_ahead) {
    const double between[] = {0.3376477360725403, 0.8089749813079834, 0.5779253840446472,
                              0.9039816856384277, 0.9497213959693909, 0.6666255593299866};
    t_Generator *g = seeded();
    data_DataLoader *loader =
        data_DataLoader(noise(), 4, .sampler = data_RandomSampler(noise(), true, 75, g), .generator = g,
                        .num_workers = 2);
    for_batch (batch, loader) {
        if (batch.index < 6) ck_assert_double_eq_tol(t_item(t_rand(1, .generator = g)), between[batch.index], 1e-8);
        else break;
    }
    t_manual_seed(42);
    data_Batch first = data_first(data_DataLoader(noise(), 4, true, .num_workers = 2));
    expect_values(first.x, "[8, 0, 9, 1]");
    expect_values(first.y, "[664, 588, 158, 936]");
    ck_assert_double_eq_tol(t_item(t_rand()), 0.3904482126235962, 1e-8);
}
END_TEST

/* ---- streams ---- */

/* The part of lo .. hi - 1 that is the worker's, with randint(0, 1000) drawn at its beginning. */
typedef struct Part {
    int64_t lo, hi;
    Tensor *noise;
} Part;

static void *part_iter(void *context) {
    const Part *all = context;
    const data_WorkerInfo *info = data_get_worker_info();
    Part *part = malloc(sizeof *part);
    const int64_t n = info ? info->num_workers : 1, each = (all->hi - all->lo + n - 1) / n;
    part->lo = all->lo + (info ? info->id : 0) * each;
    part->hi = part->lo + each < all->hi ? part->lo + each : all->hi;
    if (part->hi < part->lo) part->hi = part->lo;
    /* one draw per number, as in the Python list: a tensor of randint has the same values */
    part->noise = t_retain(t_randint(0, 1000, part->hi - part->lo));
    return part;
}
static bool part_next(void *iterator, Tensor **x, Tensor **y) {
    Part *part = iterator;
    if (part->lo == part->hi) return false;
    *x = t_integer(part->lo++);
    *y = t_at(part->noise, "{}", t_numel(part->noise) - (part->hi - part->lo) - 1);
    return true;
}
static void part_close(void *iterator) {
    t_release(((Part *)iterator)->noise);
    free(iterator);
}
static void *copy_part(void *context) {
    Part *copy = malloc(sizeof *copy);
    *copy = *(const Part *)context;
    return copy;
}

static data_Dataset *parts(Part *all, bool with_copy) {
    return data_IterableDataset(part_iter, part_next, .context = all, .close = part_close,
                                .copy = with_copy ? copy_part : NULL, .destroy = with_copy ? free : NULL);
}

static Part *whole(int64_t lo, int64_t hi) {
    return copy_part(&(Part){lo, hi, NULL});
}

START_TEST(streams_are_divided) {
    for (int copies = 0; copies < 2; copies++) {
        Part four = {3, 7, NULL}, many = {0, 23, NULL};
        Part *a = copies ? whole(3, 7) : &four, *b = copies ? whole(0, 23) : &many;
        data_Dataset *few = parts(a, copies), *all = parts(b, copies);
        expect_epochs(data_DataLoader(few, .num_workers = 2), "[3, 664, 5, 572, 4, 588, 6, 754]", NULL,
                      0.38286375999450684);
        expect_epochs(data_DataLoader(few, .num_workers = 12), "[3, 664, 4, 572, 5, 526, 6, 847]", NULL,
                      0.38286375999450684);
        expect_epochs(data_DataLoader(all, 3, .num_workers = 3),
                      "[0, 1, 2, 664, 588, 158, 8, 9, 10, 572, 754, 270, 16, 17, 18, 526, 900, 707, 3, 4, 5, 936, 784, "
                      "322, 11, 12, 13, 619, 588, 518, 19, 20, 21, 975, 424, 875, 6, 7, 650, 393, 14, 15, 235, 901, "
                      "22, 347]",
                      "[0, 1, 2, 88, 749, 191, 8, 9, 10, 861, 955, 906, 16, 17, 18, 833, 680, 552, 3, 4, 5, 23, 666, "
                      "900, 11, 12, 13, 872, 784, 969, 19, 20, 21, 990, 321, 998, 6, 7, 212, 913, 14, 15, 54, 205, 22, "
                      "530]", 0.3904482126235962);
        expect_epochs(data_DataLoader(all, 3, .num_workers = 3, .persistent_workers = true, .drop_last = true),
                      "[0, 1, 2, 664, 588, 158, 8, 9, 10, 572, 754, 270, 16, 17, 18, 526, 900, 707, 3, 4, 5, 936, 784, "
                      "322, 11, 12, 13, 619, 588, 518, 19, 20, 21, 975, 424, 875]",
                      "[0, 1, 2, 983, 118, 0, 8, 9, 10, 955, 264, 236, 16, 17, 18, 581, 830, 106, 3, 4, 5, 830, 101, "
                      "837, 11, 12, 13, 539, 504, 842, 19, 20, 21, 145, 884, 777]", 0.38286375999450684);
    }
}
END_TEST

/* ---- the same batches for any number of workers ---- */

static t_TensorDict *word(void *context, int64_t index) {
    (void)context;
    t_TensorDict *sample = t_dict();
    t_dict_set(sample, "text", t_format("word %d", (int)index));
    t_dict_set(sample, "len", index);
    t_dict_set(sample, "row", t_full((3, 2), (double)index));
    return sample;
}

static t_TensorList *with_sum(void *context, const data_Samples *samples) {
    int *calls = context;
    if (calls) ++*calls; /* one worker at a time: the context is shared */
    t_TensorList *batch = data_default_collate(samples);
    t_list_append(batch, t_sum(batch->items[0]));
    t_list_append(batch, t_t(batch->items[0])); /* a view of another item */
    t_list_append(batch, batch->items[1]);      /* an item twice */
    return batch;
}

/* The tutorials' __getitem__: views of tensors that the context has. One worker at a time takes them. */
static bool view_of_row(void *context, int64_t index, Tensor **x, Tensor **y) {
    Tensor *rows = context;
    *x = t_at(rows, "{}", index);
    *y = t_at(rows, "{}, 0", index);
    return true;
}

static bool same_batches(data_DataLoader *a, data_DataLoader *b) {
    t_manual_seed(1);
    t_TensorList *expected = t_list();
    for_batch (batch, a)
        for (int64_t k = 0; k < batch.len; k++)
            if (batch.items[k]) t_list_append(expected, t_clone(batch.items[k]));
    t_manual_seed(1);
    int64_t i = 0;
    bool same = true;
    for_batch (batch, b) {
        for (int64_t k = 0; k < batch.len; k++)
            if (batch.items[k]) same = same && i < expected->len && t_equal(batch.items[k], expected->items[i++]);
        if (batch.dict)
            for (int64_t n = 0; n < batch.size; n++)
                same = same && atoi(data_text(batch, "text", n) + 5) ==
                                   t_item_int64(t_at(data_item(batch, "len"), "{}", n));
        if (batch.len) t_add_(batch.items[batch.len - 1], 1); /* the batch is the loop's own */
    }
    return same && i == expected->len && i > 0 && !t_error();
}

START_TEST(batches_are_the_same_for_any_number) {
    int calls = 0, shared = 0;
    Tensor *x = t_randn(23, 4), *y = t_arange(23), *transposed = t_t(t_randn(3, 23));
    data_Dataset *rows = data_TensorDataset(t_list(x, y, transposed)), *dicts = data_Dataset(ten, word),
                 *locked = data_Dataset(ten, word, .context = &shared),
                 *views = data_Dataset(ten, view_of_row, .context = x);
    data_Dataset *all = data_ConcatDataset(data_Subset(rows, 5, 3, 1), rows);
    data_Dataset *stack = data_StackDataset((dicts, noise()), .names = {"word", "noise"});
    const int64_t live = t_live_count(), bytes = t_live_bytes();
    for_range (n, 1, 6, 2) {
        ck_assert(same_batches(data_DataLoader(rows, 4, true), data_DataLoader(rows, 4, true, .num_workers = n)));
        ck_assert(same_batches(data_DataLoader(all, 4, true), data_DataLoader(all, 4, true, .num_workers = n)));
        ck_assert(same_batches(data_DataLoader(rows, T_NONE), data_DataLoader(rows, T_NONE, .num_workers = n)));
        ck_assert(same_batches(data_DataLoader(dicts, 3), data_DataLoader(dicts, 3, .num_workers = n)));
        ck_assert(same_batches(data_DataLoader(locked, 3), data_DataLoader(locked, 3, .num_workers = n)));
        ck_assert(same_batches(data_DataLoader(views, 3), data_DataLoader(views, 3, .num_workers = n)));
        calls = 0;
        data_DataLoader *plain = data_DataLoader(rows, 4, .collate_samples = with_sum);
        ck_assert(same_batches(plain, data_DataLoader(rows, 4, .num_workers = n, .collate_samples = with_sum)));
        ck_assert(same_batches(plain, data_DataLoader(rows, 4, .num_workers = n, .collate_samples = with_sum,
                                                      .context = &calls)));
        ck_assert_int_eq(calls, 6);
        for_batch (batch, data_DataLoader(stack, 4, .num_workers = n))
            ck_assert(!batch.items[0] && batch.items[1] == data_item(batch, "word.len") && batch.len == 5 &&
                      atoi(data_text(batch, "word.text", 1) + 5) == t_item_int64(t_at(batch.items[1], "1")));
    }
    ck_assert(t_live_count() == live && t_live_bytes() == bytes);
}
END_TEST

START_TEST(names_outlive_the_workers) {
    data_Dataset *pairs = data_Dataset(ten, noisy, .names = {"index", "noise"});
    data_Batch batch = data_first(data_DataLoader(pairs, 4, .num_workers = 2));
    ck_assert(data_item(batch, "noise") == batch.y && data_item(batch, "index") == batch.x);
}
END_TEST

/* ---- errors and early ends ---- */

static bool fails_at_5(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)y;
    if (index == 5) return t_fail("no sample %d", (int)index);
    if (context && index == 7) *x = t_mul(t_ones(2, .requires_grad = true), 2);
    else *x = t_integer(index);
    return true;
}

START_TEST(errors_come_in_their_turn) {
    int batches = 0;
    clear_errors();
    for_batch (batch, data_DataLoader(data_Dataset(ten, fails_at_5), 2, .num_workers = 3)) batches++;
    ck_assert_int_eq(batches, 2);
    ck_assert(error_count() == 1 && strstr(last_error_text(), ": in DataLoader worker 2: "));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "fails_at_5: no sample 5"));
    t_clear_error();
    data_Batch first;
    data_Sampler *seven = data_SubsetRandomSampler(t_tensor("[7]"));
    data_Dataset *dataset = data_Dataset(ten, fails_at_5, .context = &batches);
    ck_assert(!(data_first)(data_DataLoader(dataset, T_NONE, .sampler = seven, .num_workers = 1), &first));
    ck_assert_ptr_nonnull(strstr(t_error(), "a tensor of shape [2] that requires a gradient and is not a leaf cannot "
                                            "go to another thread: detach() it first"));
    t_clear_error();
}
END_TEST

static bool slow(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)y;
    const struct timespec pause = {0, *(long *)context * 1000000};
    nanosleep(&pause, NULL);
    *x = t_integer(index);
    return true;
}

START_TEST(a_loop_may_end_early) {
    const int64_t live = t_live_count(), bytes = t_live_bytes();
    for (int persistent = 0; persistent < 2; persistent++)
        with_scope() {
            data_DataLoader *loader = data_DataLoader(noise(), 1, .num_workers = 4, .persistent_workers = persistent);
            for_range (epoch, 0, 3)
                for_batch (batch, loader) {
                    ck_assert_int_eq(t_item_int64(batch.x), batch.index);
                    if (batch.index == 2) break;
                }
            for_batch (outer, loader) { /* persistent workers turn to the inner loop, which ends the outer one */
                int64_t samples = 0;
                for_batch (inner, loader) samples += inner.size;
                ck_assert(samples == 10 && (!persistent || outer.index == 0));
            }
        }
    ck_assert(t_live_count() == live && t_live_bytes() == bytes);
    data_Batch batch;
    with_scope() ck_assert((data_iter)(data_DataLoader(noise(), .num_workers = 2), &batch));
    ck_assert(!(data_iter_next)(&batch)); /* the loader and its workers ended with the scope */
    (data_iter_end)(&batch);
    t_clear_error();
    data_DataLoader *loader = data_DataLoader(noise(), .num_workers = 2);
    with_scope() ck_assert((data_iter)(loader, &batch)); /* the workers end with it, the loader does not */
    ck_assert(!(data_iter_next)(&batch));
    expect_error("the workers of this iteration ended with the scope in which it began");
    (data_iter_end)(&batch);
    long pause = 300;
    loader = data_DataLoader(data_Dataset(ten, slow, .context = &pause), .num_workers = 1,
                                              .timeout = 0.02);
    ck_assert(!(data_first)(loader, &batch));
    expect_error("DataLoader timed out after 0.02 seconds");
}
END_TEST

START_TEST(options_of_workers_are_checked) {
    data_Dataset *dataset = noise();
    ck_assert_ptr_null(data_DataLoader(dataset, .num_workers = -1));
    expect_error("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.");
    ck_assert_ptr_null(data_DataLoader(dataset, .timeout = -1));
    expect_error("timeout option should be non-negative");
    ck_assert_ptr_null(data_DataLoader(dataset, .prefetch_factor = 2));
    expect_error("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                 "multiprocessing, otherwise set prefetch_factor to None.");
    ck_assert_ptr_null(data_DataLoader(dataset, .num_workers = 1, .prefetch_factor = -2));
    expect_error("prefetch_factor option should be non-negative");
    ck_assert_ptr_null(data_DataLoader(dataset, .persistent_workers = true));
    expect_error("persistent_workers option needs num_workers > 0");
    ck_assert_ptr_null(data_DataLoader(dataset, .timeout = 1));
    expect_error("_SingleProcessDataLoaderIter requires timeout == 0");
    ck_assert_ptr_null(data_DataLoader(dataset, .num_workers = 1025));
    expect_error("num_workers must be at most 1024, but is 1025");
    ck_assert_ptr_null(data_DataLoader(dataset, .num_workers = 1, .prefetch_factor = 1 << 21));
    expect_error("prefetch_factor must be at most 1048576, but is 2097152");
    for_batch (batch, data_DataLoader(dataset, .num_workers = 2, .prefetch_factor = 0)) ck_abort_msg("a batch");
}
END_TEST

/* ---- resuming, and failing allocations ---- */

START_TEST(an_epoch_with_workers_is_resumed) {
    for (int64_t workers = 0; workers < 4; workers++)
        for (int64_t cut = 1; cut < 6; cut++) {
            data_Dataset *rows = data_TensorDataset(t_list(t_arange(10)));
            t_Generator *g = seeded(), *other = t_generator();
            data_DataLoader *loader = workers ? data_DataLoader(rows, 2, true, .generator = g, .num_workers = workers)
                                              : data_DataLoader(rows, 2, true, .generator = g);
            Tensor *epoch = values_of_epoch(loader), *next = values_of_epoch(loader);
            t_generator_manual_seed(g, 42);
            for_batch (batch, loader) if (batch.index == cut - 1) break;
            t_TensorDict *state = data_state_dict(loader);
            loader = workers ? data_DataLoader(rows, 2, true, .generator = other, .num_workers = workers)
                             : data_DataLoader(rows, 2, true, .generator = other);
            ck_assert(data_load_state_dict(loader, state));
            ck_assert(t_equal(values_of_epoch(loader), t_slice(epoch, 0, 2 * cut, 10, 1)));
            ck_assert(t_equal(values_of_epoch(loader), next));
        }
    Part all = {0, 23, NULL};
    data_DataLoader *loader = data_DataLoader(parts(&all, false), 3, .num_workers = 3);
    t_manual_seed(42);
    Tensor *epoch = values_of_epoch(loader);
    t_manual_seed(42);
    for_batch (batch, loader) if (batch.index == 4) break;
    t_TensorDict *state = data_state_dict(loader);
    loader = data_DataLoader(parts(&all, false), 3, .num_workers = 3);
    ck_assert(data_load_state_dict(loader, state)); /* the generators of the workers are the same again, too */
    ck_assert(t_equal(values_of_epoch(loader), t_slice(epoch, 0, 30, 46, 1)));
}
END_TEST

START_TEST(a_failed_allocation_ends_the_loop) {
    data_Dataset *rows = data_TensorDataset(t_list(t_arange(10), t_ones(10, 2)));
    data_Dataset *datasets[] = {data_Subset(rows, 0, 5, 2, 3, 7, 1), data_Dataset(ten, word)};
    for (int d = 0; d < 2; d++) {
        data_DataLoader *loader = data_DataLoader(datasets[d], 4, true, .num_workers = 2);
        const int64_t live = t_live_count(), bytes = t_live_bytes(), expected = data_len(loader);
        int64_t batches = -1;
        for (int n = 1; batches < expected; n++) {
            data_Batch batch;
            batches = 0;
            tg_alloc_fail(n, false);
            (data_iter)(loader, &batch);
            while ((data_iter_next)(&batch)) batches++;
            tg_alloc_fail(0, false);
            (data_iter_end)(&batch);
            ck_assert(batches == expected || t_error());
            ck_assert(t_live_count() == live && t_live_bytes() == bytes);
            t_clear_error();
            ck_assert_int_lt(n, 1000);
        }
    }
}
END_TEST

Suite *workers_suite(void);
Suite *workers_suite(void) {
    Suite *suite = suite_create("workers");
    TCase *tests = tcase_create("workers");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, workers_draw_as_pytorchs);
    tcase_add_test(tests, worker_init_fn_is_called);
    tcase_add_test(tests, indices_are_drawn_ahead);
    tcase_add_test(tests, streams_are_divided);
    tcase_add_test(tests, batches_are_the_same_for_any_number);
    tcase_add_test(tests, names_outlive_the_workers);
    tcase_add_test(tests, errors_come_in_their_turn);
    tcase_add_test(tests, a_loop_may_end_early);
    tcase_add_test(tests, options_of_workers_are_checked);
    tcase_add_test(tests, an_epoch_with_workers_is_resumed);
    tcase_add_test(tests, a_failed_allocation_ends_the_loop);
    suite_add_tcase(suite, tests);
    return suite;
}
