/* tests/optim/test_resume.c: the states of DataLoaders, and complete checkpoints: a training run that is interrupted
 * anywhere and resumed from its file ends with the same bits as an uninterrupted one. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/data/data.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "tests/support/files/file_support.h"
#include "tests/support/files/recorded_dict.h"
#include "tests/support/models/model_support.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"

/* ---- loaders ---- */

enum { SAMPLES = 11, BATCH = 3 };

typedef struct Setting {
    bool shuffle, drop_last, own_generator;
} Setting;

static data_DataLoader *loader_of(Setting s, int64_t seed) {
    t_Generator *generator = s.own_generator ? t_generator_manual_seed(t_generator(), seed) : NULL;
    return data_DataLoader(data_TensorDataset(t_list(t_arange(SAMPLES))), BATCH, s.shuffle, .drop_last = s.drop_last,
                           .generator = generator);
}

/* Three epochs as a list of values: a batch's samples, then a random value. With cut >= 0 the run is interrupted after
 * that many batches, and another one resumes. */
static Tensor *three_epochs(Setting s, int cut) {
    Tensor *log = t_zeros(64, .dtype = t_float64);
    data_DataLoader *loader = loader_of(s, 5);
    int at = 0, batches = 0;
    t_manual_seed(9);
    for (int epoch = 0; epoch < 3; epoch++) {
        for_batch (batch, loader) {
            for_range (i, 0, batch.size) t_set(log, "{}", at++, t_item(t_at(batch.x, "{}", i)));
            t_set(log, "{}", at++, t_item(t_rand(1)) + (double)batch.index);
            if (++batches != cut) continue;
            t_TensorDict *checkpoint = t_keep(data_state_dict(loader));
            Tensor *rng = t_keep(t_get_rng_state());
            loader = t_keep(loader_of(s, 6)); /* another process */
            t_manual_seed(1234);
            data_first(loader_of(s, 8));
            HOLDS(t_set_rng_state(rng) && data_load_state_dict(loader, checkpoint));
            HOLDS(same_dicts(checkpoint, data_state_dict(loader)));
            epoch--;
            break;
        }
    }
    return log;
}

START_TEST(loaders_resume_in_the_middle_of_an_epoch) {
    for (int k = 0; k < 8; k++) {
        const Setting s = {k & 1, k & 2, k & 4};
        Tensor *uninterrupted = three_epochs(s, -1);
        for (int cut = 1; cut <= 12; cut++)
            if (!t_equal(uninterrupted, three_epochs(s, cut)))
                note("shuffle %d, drop_last %d, generator %d: cut after %d batches", s.shuffle, s.drop_last,
                     s.own_generator, cut);
    }
    report_notes();
}
END_TEST

START_TEST(between_epochs_there_is_nothing_to_resume) {
    data_DataLoader *loader = loader_of((Setting){.shuffle = true}, 0),
                    *other = loader_of((Setting){.shuffle = true}, 0);
    for (int epoch = 0; epoch < 2; epoch++) {
        HOLDS(data_load_state_dict(other, data_state_dict(loader)));
        int batches = 0;
        for_batch (batch, other) batches++;
        ck_assert_int_eq(batches, 4);
        for_batch (batch, loader) continue;
    }
    for_batch (batch, loader) break;
    HOLDS(data_load_state_dict(other, data_state_dict(loader)));
    data_Batch first = data_first(other); /* does not count as an iteration */
    ck_assert_int_eq(first.index, 0);
    int64_t index = 0;
    for_batch (batch, other) ck_assert_int_eq(batch.index, ++index);
    ck_assert_int_eq(index, 3);
}
END_TEST

START_TEST(a_bar_counts_on) {
    data_DataLoader *loader = loader_of((Setting){0}, 0), *other = loader_of((Setting){0}, 0);
    for_batch (batch, loader) if (batch.index == 1) break;
    HOLDS(data_load_state_dict(other, data_state_dict(loader)));
    catch_output(STDERR_FILENO);
    for_batch (batch, data_tqdm(other, "resumed")) continue;
    char *text = caught_output();
    ck_assert_ptr_eq(strstr(text, "\rresumed:  50%|█████     | 2/4 [00:0"), text);
    ck_assert_ptr_nonnull(strstr(text, "| 4/4 [00:0"));
    free(text);
}
END_TEST

typedef struct Loading {
    data_DataLoader *loader;
    t_TensorDict *state, *before;
} Loading;

static bool loads(void *loading) {
    const Loading *l = loading;
    return data_state_dict(l->loader) && data_load_state_dict(l->loader, l->state);
}

static bool is_as_before(void *loading) {
    const Loading *l = loading;
    return same_dicts(l->before, data_state_dict(l->loader));
}

START_TEST(the_state_of_another_loader_is_refused) {
    data_DataLoader *loader = loader_of((Setting){.shuffle = true, .own_generator = true}, 1);
    for_batch (batch, loader) break;
    t_TensorDict *state = data_state_dict(loader), *dict;
    data_Dataset *dataset = data_dataset(loader);
#define OTHER(...) data_load_state_dict(data_DataLoader(dataset, __VA_ARGS__), state)
    REFUSES(OTHER(4, true), "loaded state dict is of a DataLoader whose batch_size is 3, but this one's is 4");
    REFUSES(OTHER(3), "loaded state dict is of a DataLoader whose shuffle is 1, but this one's is 0");
    REFUSES(OTHER(3, true, .drop_last = true),
            "loaded state dict is of a DataLoader whose drop_last is 0, but this one's is 1");
    REFUSES(OTHER(3, true), "loaded state dict is of a DataLoader with a generator, but this one has none");
    REFUSES(data_load_state_dict(data_DataLoader(data_Subset(dataset, 1, 2), 3, true), state),
            "loaded state dict is of a DataLoader whose dataset_len is 11, but this one's is 2");
    t_Generator *generator = t_generator();
    data_DataLoader *other = data_DataLoader(dataset, 3, true, .generator = generator);
    t_TensorDict *before = data_state_dict(other);
    dict = t_dict();
    t_dict_set(dict, "x", state);
    dict = t_dict_get_dict(dict, "x");
    t_dict_set(dict, "_num_yielded", 5);
    REFUSES(data_load_state_dict(other, dict), "loaded state dict counts 5 batches, but an epoch has 4");
    t_dict_set(dict, "_num_yielded", 1);
    t_dict_set(dict, "generator", t_ones(3, .dtype = t_int64));
    REFUSES(data_load_state_dict(other, dict),
            "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 3");
    static const char *const integers[] = {"dataset_len",  "batch_size",         "shuffle",  "drop_last",
                                           "_num_yielded", "_iterator_finished", "has_begun",
                                           "_base_seed",   "_sampler_iter_yielded"};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        t_TensorDict *bad = changed_dict(state, integers[i], t_number(0.0));
        HOLDS(!data_load_state_dict(other, bad) &&
              strstr(t_error_message(), "is of float64 and of shape [] where one int or bool is expected"));
        t_clear_error();
        HOLDS(!data_load_state_dict(other, changed_dict(state, integers[i], t_ones(2, .dtype = t_int64))) &&
              strstr(t_error_message(), "is of int64 and of shape [2] where one int or bool is expected"));
        t_clear_error();
    }
    REFUSES(data_load_state_dict(other, NULL), "argument 2 is NULL where a dict of tensors is expected");
    REFUSES(data_state_dict(NULL), "argument 1 is NULL where a DataLoader is expected");
    HOLDS(same_dicts(before, data_state_dict(other)));
    HOLDS(data_load_state_dict(other, state) && same_dicts(state, data_state_dict(other)));
    Loading loading = {other, before, state};
    refuse_all("data_load_state_dict", loads, is_as_before, &loading);
    HOLDS(same_dicts(before, data_state_dict(other)));
    report_notes();
}
END_TEST

/* ---- a training run ---- */

typedef struct Run {
    nn_Sequential *model;
    optim_Optimizer *optimizer;
    optim_LRScheduler *scheduler;
    data_DataLoader *loader;
} Run;

static Run run_of(int64_t seed) {
    t_manual_seed(seed);
    Run run = {.model =
                   nn_Sequential(nn_Linear(6, 8), nn_BatchNorm1d(8), nn_PReLU(), nn_Dropout(0.3), nn_Linear(8, 3))};
    run.optimizer = optim_AdamW(nn_parameters(run.model), 0.05, .amsgrad = true);
    run.scheduler = optim_SequentialLR(run.optimizer, {optim_LinearLR(run.optimizer, 0.1, .total_iters = 3),
                                                       optim_CosineAnnealingWarmRestarts(run.optimizer, 4)}, {3});
    t_Generator *data = t_generator();
    Tensor *x = t_randn(14, 6, .generator = data), *y = t_randint(0, 3, 14, .generator = data);
    run.loader = data_DataLoader(data_TensorDataset(t_list(x, y)), 4, true);
    return run;
}

static t_TensorDict *checkpoint_of(const Run *run, int epoch) {
    t_TensorDict *checkpoint = t_dict();
    t_dict_set(checkpoint, "epoch", epoch);
    t_dict_set(checkpoint, "model_state_dict", nn_state_dict(run->model));
    t_dict_set(checkpoint, "optimizer_state_dict", optim_state_dict(run->optimizer));
    t_dict_set(checkpoint, "scheduler_state_dict", optim_scheduler_state_dict(run->scheduler));
    t_dict_set(checkpoint, "loader_state_dict", data_state_dict(run->loader));
    t_dict_set(checkpoint, "rng_state", t_get_rng_state());
    return checkpoint;
}

static int resume(Run *run, t_TensorDict *checkpoint) {
    HOLDS(nn_load_state_dict(run->model, t_dict_get_dict(checkpoint, "model_state_dict")));
    HOLDS(optim_load_state_dict(run->optimizer, t_dict_get_dict(checkpoint, "optimizer_state_dict")));
    HOLDS(optim_scheduler_load_state_dict(run->scheduler, t_dict_get_dict(checkpoint, "scheduler_state_dict")));
    HOLDS(data_load_state_dict(run->loader, t_dict_get_dict(checkpoint, "loader_state_dict")));
    HOLDS(t_set_rng_state(t_dict_get(checkpoint, "rng_state")));
    return (int)t_dict_get_integer(checkpoint, "epoch");
}

/* Up to the end of three epochs, or `cut` batches; true if it was cut, and saved. */
static bool train(Run *run, int epoch, int cut, const char *path) {
    for (; epoch < 3; epoch++)
        for_batch (batch, run->loader) {
            optim_zero_grad(run->optimizer);
            t_backward(F_cross_entropy(nn_call(run->model, batch.x), batch.y));
            HOLDS(optim_step(run->optimizer) && optim_scheduler_step(run->scheduler));
            if (--cut == 0) return t_save(checkpoint_of(run, epoch), path);
        }
    return false;
}

START_TEST(a_run_ends_with_the_same_bits_wherever_it_is_cut) {
    char path[200];
    in_folder(path, "checkpoint.pt");
    Run uninterrupted = run_of(3);
    HOLDS(!train(&uninterrupted, 0, 0, path));
    t_TensorDict *end = checkpoint_of(&uninterrupted, 3);
    for (int cut = 1; cut <= 12; cut++)
        with_scope() {
            Run run = run_of(3);
            HOLDS(train(&run, 0, cut, path));
            Run other = run_of(4);
            HOLDS(!train(&other, resume(&other, t_load(path)), 0, path));
            if (!same_dicts(end, checkpoint_of(&other, 3))) note("cut after batch %d", cut);
        }
    report_notes();
}
END_TEST

/* ---- failing writes ---- */

START_TEST(every_failing_write_leaves_the_old_checkpoint) {
    char path[200];
    in_folder(path, "checkpoint.pt");
    Run run = run_of(3);
    HOLDS(train(&run, 0, 5, path));
    t_TensorDict *old = t_load(path), *next = checkpoint_of(&run, 1);
    t_dict_set(next, "epoch", 2);
    for (int lasting = 0; lasting < 2; lasting++)
        for (int n = 1;; n++) {
            set_faults((Faults){.fail_at = n, .lasting = lasting, .reason = ENOSPC});
            const bool saved = t_save(next, path);
            ck_assert_int_eq(saved, !fault_reported(path));
            if (saved) {
                ck_assert_int_ge(n, 6); /* there is at least one of each: two buffers, a write, fsync, rename */
                HOLDS(t_dict_get_integer(t_load(path), "epoch") == 2 && t_save(old, path));
                break;
            }
            with_scope() if (!same_dicts(old, t_load(path))) note("call %d: the old checkpoint is not there", n);
        }
    Run other = run_of(4);
    ck_assert_int_eq(resume(&other, t_load(path)), 1);
    report_notes();
}
END_TEST

Suite *resume_suite(void) {
    Suite *suite = suite_create("resume");
    TCase *tests = tcase_create("resume");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, loaders_resume_in_the_middle_of_an_epoch);
    tcase_add_test(tests, between_epochs_there_is_nothing_to_resume);
    tcase_add_test(tests, a_bar_counts_on);
    tcase_add_test(tests, the_state_of_another_loader_is_refused);
    tcase_add_test(tests, a_run_ends_with_the_same_bits_wherever_it_is_cut);
    tcase_add_test(tests, every_failing_write_leaves_the_old_checkpoint);
    suite_add_tcase(suite, tests);
    return suite;
}
