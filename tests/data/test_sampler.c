/* tests/data/test_sampler.c: samplers, and loaders with samplers. All draws are PyTorch 2.15's after manual_seed(42):
 * two iterations, and then the next random number. */
#include "core/data/data.h"
#include "core/ops/creation/random_internal.h"
#include "core/tensor/tensor.h"
#include "tests/support/support.h"

static data_Dataset *of_len(int64_t n) {
    return data_TensorDataset(t_list(t_arange(n)));
}

static t_Generator *seeded(void) {
    return t_generator_manual_seed(t_generator(), 42);
}

static void expect_indices(Tensor *indices, const char *text) {
    ck_assert_msg(indices != NULL, "%s", t_error());
    Tensor *expected = t_tensor(text, .dtype = t_int64);
    ck_assert_msg(t_equal(indices, expected), "%s instead of %s", t_str(indices), text);
}

static void expect_next(t_Generator *generator, double value) {
    ck_assert_double_eq_tol(t_item(t_rand(1, .generator = generator)), value, 1e-8);
}

/* list(sampler) twice. */
static void expect_draws(data_Sampler *sampler, const char *first, const char *second, double next) {
    t_manual_seed(42);
    expect_indices(data_sampler_list(sampler), first);
    expect_indices(data_sampler_list(sampler), second);
    expect_next(NULL, next);
}

/* The batches of one iteration, one after the other, with -1 behind each. */
static Tensor *batches_of(data_DataLoader *loader) {
    t_TensorList *all = t_list(t_full((0,), 0, .dtype = t_int64));
    for_batch (batch, loader) {
        t_list_append(all, batch.x->ndim ? batch.x : t_reshape(batch.x, 1));
        t_list_append(all, t_full((1,), -1));
    }
    ck_assert_msg(!t_error(), "%s", t_error());
    return t_cat(all);
}

static void expect_batches(data_DataLoader *loader, const char *first, const char *second, double next) {
    t_manual_seed(42);
    expect_indices(batches_of(loader), first);
    if (second) expect_indices(batches_of(loader), second);
    expect_next(NULL, next);
}

/* ---- lists ---- */

#define EPOCH_1 "[4, 2, 8, 9, 1, 7, 0, 3, 5, 6]"
#define EPOCH_2 "[8, 0, 9, 1, 4, 5, 6, 3, 2, 7]"

START_TEST(sequential_and_random) {
    data_Dataset *ten = of_len(10);
    expect_draws(data_SequentialSampler(ten), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
                 0.8822692632675171);
    expect_draws(data_RandomSampler(ten), EPOCH_1, EPOCH_2, 0.3904482126235962);
    expect_draws(data_RandomSampler(ten, .num_samples = 25),
                 "[4, 2, 8, 9, 1, 7, 0, 3, 5, 6, 8, 3, 0, 1, 7, 2, 9, 5, 4, 6, 6, 2, 3, 8, 5]",
                 "[8, 0, 9, 1, 4, 5, 6, 3, 2, 7, 9, 0, 1, 3, 7, 4, 2, 5, 6, 8, 0, 7, 8, 6, 9]", 0.3904482126235962);
    t_Generator *g = seeded();
    expect_draws(data_RandomSampler(ten, .generator = g), "[2, 6, 1, 8, 4, 5, 0, 9, 3, 7]",
                 "[7, 5, 0, 3, 1, 6, 9, 8, 4, 2]", 0.8822692632675171);
    expect_next(g, 0.5779253840446472);
    ck_assert(data_sampler_len(data_RandomSampler(ten)) == 10 && data_sampler_len(data_SequentialSampler(ten)) == 10);
    ck_assert_int_eq(data_sampler_len(data_RandomSampler(ten, .num_samples = 25)), 25);
    expect_indices(data_sampler_list(data_SequentialSampler(of_len(0))), "[]");
}
END_TEST

START_TEST(random_with_replacement) {
    data_Dataset *ten = of_len(10);
    expect_draws(data_RandomSampler(ten, .replacement = true, .num_samples = 40),
                 "[4, 8, 8, 6, 4, 2, 0, 3, 3, 8, 0, 0, 1, 7, 3, 1, 1, 2, 6, 3, 1, 8, 9, 5, 5, 8, 6, 1, 8, 2, 7, 7, 8, "
                 "9, 5, 8, 3, 9, 9, 4]",
                 "[8, 9, 1, 3, 6, 0, 2, 3, 5, 9, 4, 9, 6, 1, 7, 1, 1, 5, 0, 4, 6, 0, 7, 2, 2, 6, 5, 7, 3, 0, 6, 9, 1, "
                 "4, 1, 7, 6, 2, 4, 8]", 0.3904482126235962);
    t_Generator *g = seeded();
    expect_draws(data_RandomSampler(ten, true, 5, g), "[2, 7, 6, 4, 6]", "[5, 0, 4, 0, 3]", 0.8822692632675171);
    expect_next(g, 0.9345980882644653);
    g = seeded();
    expect_draws(data_RandomSampler(ten, true, 32, g),
                 "[2, 7, 6, 4, 6, 5, 0, 4, 0, 3, 8, 4, 0, 4, 1, 2, 5, 5, 7, 6, 9, 6, 3, 1, 9, 3, 1, 9, 7, 9, 2, 0]",
                 "[5, 9, 3, 4, 9, 6, 2, 0, 6, 2, 7, 9, 7, 3, 3, 4, 3, 7, 0, 9, 0, 9, 6, 9, 5, 4, 8, 8, 6, 0, 0, 0]",
                 0.8822692632675171);
    expect_next(g, 0.6532081365585327);
}
END_TEST

START_TEST(subset_and_weighted) {
    Tensor *indices = t_tensor("[3, 1, 4, 15, 9, 2, 6]"), *weights = t_tensor("[0.1, 0.9, 0.4, 0.7, 3.0, 0.6]",
                                                                             .dtype = t_float64);
    expect_draws(data_SubsetRandomSampler(indices), "[1, 6, 15, 2, 9, 3, 4]", "[2, 15, 4, 9, 3, 1, 6]",
                 0.8694044351577759);
    t_Generator *g = seeded();
    expect_draws(data_SubsetRandomSampler(indices, .generator = g), "[1, 6, 15, 2, 9, 3, 4]", "[2, 15, 4, 9, 3, 1, 6]",
                 0.8822692632675171);
    expect_next(g, 0.8694044351577759);
    expect_draws(data_WeightedRandomSampler(weights, 5), "[1, 1, 1, 1, 4]", "[4, 5, 5, 1, 1]", 0.26963168382644653);
    expect_draws(data_WeightedRandomSampler(weights, 5, false), "[1, 3, 4, 2, 0]", "[4, 3, 2, 5, 1]",
                 0.10531491041183472);
    g = seeded();
    data_Sampler *sampler = data_WeightedRandomSampler(weights, 5, .replacement = false, .generator = g);
    expect_draws(sampler, "[1, 3, 4, 2, 0]", "[4, 3, 2, 5, 1]", 0.8822692632675171);
    expect_next(g, 0.10531491041183472);
    ck_assert_int_eq(data_sampler_len(sampler), 5);
}
END_TEST

START_TEST(distributed) {
    data_Dataset *ten = of_len(10);
    const char *const epoch_2[] = {"[8, 6, 2]", "[7, 9, 3]", "[1, 0, 8]"};
    const char *const seed_5[] = {"[1, 3]", "[4, 5]", "[9, 0]"};
    for (int64_t rank = 0; rank < 3; rank++) {
        data_Sampler *sampler = data_DistributedSampler(ten, 4, rank);
        data_set_epoch(sampler, 2);
        expect_indices(data_sampler_list(sampler), epoch_2[rank]);
        ck_assert_int_eq(data_sampler_len(sampler), 3);
        expect_indices(data_sampler_list(data_DistributedSampler(ten, 4, rank, .seed = 5, .drop_last = true)),
                       seed_5[rank]);
        expect_indices(data_sampler_list(data_DistributedSampler(ten, 25, rank, false)),
                       t_format("[%lld]", (long long)rank));
    }
    expect_indices(data_sampler_list(data_DistributedSampler(ten, 25, 24, false)), "[4]");
    ck_assert_ptr_null(data_DistributedSampler(ten, 2, 2));
    expect_error("Invalid rank 2, rank should be in the interval [0, 1]");
    ck_assert(!data_set_epoch(data_SequentialSampler(ten), 1));
    expect_error("'SequentialSampler' object has no attribute 'set_epoch'");
}
END_TEST

START_TEST(batches_of_indices) {
    data_Dataset *ten = of_len(10);
    for (int drop = 0; drop < 2; drop++) {
        data_Sampler *sampler = data_BatchSampler(data_RandomSampler(ten), 3, drop);
        t_manual_seed(42);
        const t_TensorList *first = data_sampler_batches(sampler), *second = data_sampler_batches(sampler);
        ck_assert(first->len == 4 - drop && second->len == 4 - drop && data_sampler_len(sampler) == 4 - drop);
        expect_indices(first->items[0], "[4, 2, 8]");
        expect_indices(second->items[2], "[6, 3, 2]");
        if (!drop) expect_indices(second->items[3], "[7]");
        expect_next(NULL, 0.3904482126235962);
    }
    data_Sampler *sampler = data_BatchSampler(data_SequentialSampler(of_len(5000)), INT64_MAX, false);
    Tensor *all = data_sampler_batches(sampler)->items[0];
    ck_assert(t_numel(all) == 5000 && t_equal(all, t_arange(5000)));
}
END_TEST

/* ---- loaders ---- */

START_TEST(loaders_with_samplers) {
    data_Dataset *ten = of_len(10);
    expect_batches(data_DataLoader(ten, 4, .sampler = data_RandomSampler(ten, true, 45)),
                   "[8, 9, 1, 3, -1, 6, 0, 2, 3, -1, 5, 9, 4, 9, -1, 6, 1, 7, 1, -1, 1, 5, 0, 4, -1, 6, 0, 7, 2, -1, "
                   "2, 6, 5, 7, -1, 3, 0, 6, 9, -1, 1, 4, 1, 7, -1, 6, 2, 4, 8, -1, 1, 0, 4, 3, -1, 0, -1]",
                   "[4, 9, 9, 1, -1, 7, 5, 5, 1, -1, 1, 2, 4, 4, -1, 1, 7, 7, 8, -1, 9, 3, 5, 8, -1, 0, 2, 0, 4, -1, "
                   "1, 0, 6, 8, -1, 6, 0, 5, 5, -1, 7, 3, 9, 1, -1, 2, 9, 1, 3, -1, 8, 3, 8, 0, -1, 7, -1]",
                   0.9407714605331421);
    t_Generator *g = seeded();
    expect_batches(data_DataLoader(ten, 4, .sampler = data_RandomSampler(ten, true, 45, g), .generator = g),
                   "[6, 4, 6, 5, -1, 0, 4, 0, 3, -1, 8, 4, 0, 4, -1, 1, 2, 5, 5, -1, 7, 6, 9, 6, -1, 3, 1, 9, 3, -1, "
                   "1, 9, 7, 9, -1, 2, 0, 5, 9, -1, 3, 4, 9, 6, -1, 2, 0, 6, 2, -1, 7, 9, 7, 3, -1, 3, -1]",
                   "[7, 0, 9, 0, -1, 9, 6, 9, 5, -1, 4, 8, 8, 6, -1, 0, 0, 0, 0, -1, 1, 3, 0, 1, -1, 1, 7, 9, 4, -1, "
                   "3, 8, 9, 3, -1, 7, 8, 1, 4, -1, 1, 6, 3, 2, -1, 0, 9, 8, 5, -1, 3, 7, 7, 5, -1, 9, -1]",
                   0.8822692632675171);
    expect_next(g, 0.13741332292556763);
    for (int64_t size = 4; size <= 5; size++) { /* the permutation behind the last batch is drawn with both */
        g = seeded();
        data_DataLoader *loader = data_DataLoader(ten, size, true, .generator = g, .drop_last = true);
        expect_batches(loader,
                       size == 4 ? "[6, 5, 4, 0, -1, 8, 9, 2, 1, -1]" : "[6, 5, 4, 0, 8, -1, 9, 2, 1, 3, 7, -1]",
                       size == 4 ? "[3, 6, 5, 8, -1, 9, 4, 2, 0, -1]" : "[3, 6, 5, 8, 9, -1, 4, 2, 0, 7, 1, -1]",
                       0.8822692632675171);
        expect_next(g, 0.634341835975647);
    }
    expect_batches(data_DataLoader(ten, 3, .sampler = data_SubsetRandomSampler(t_tensor("[1, 2, 3, 5, 8]"))),
                   "[2, 5, 3, -1, 8, 1, -1]", "[1, 3, 5, -1, 2, 8, -1]", 0.8694044351577759);
    data_Sampler *weighted = data_WeightedRandomSampler(t_tensor("[1, 2, 3, 4, 0, 0, 0, 0, 0, 1]"), 7);
    expect_batches(data_DataLoader(ten, 3, .sampler = weighted), "[0, 1, 0, -1, 2, 2, 9, -1, 9, -1]",
                   "[1, 1, 2, -1, 3, 3, 2, -1, 3, -1]", 0.8860136866569519);
    data_Sampler *by_4 = data_BatchSampler(data_RandomSampler(ten), 4, true);
    expect_batches(data_DataLoader(ten, .batch_sampler = by_4), "[8, 0, 9, 1, -1, 4, 5, 6, 3, -1]",
                   "[4, 6, 9, 3, -1, 7, 5, 2, 0, -1]", 0.9407714605331421);
    ck_assert_int_eq(data_len(data_DataLoader(ten, .batch_sampler = by_4)), 2);
    ck_assert_int_eq(data_len(data_DataLoader(ten, 2, .sampler = weighted)), 4);
}
END_TEST

/* batch_size=None: samples, or what the sampler groups. */
START_TEST(loaders_without_batches) {
    data_Dataset *ten = of_len(10);
    data_DataLoader *loader = data_DataLoader(ten, T_NONE, true);
    expect_batches(loader, "[8, -1, 0, -1, 9, -1, 1, -1, 4, -1, 5, -1, 6, -1, 3, -1, 2, -1, 7, -1]", NULL,
                   0.3904482126235962);
    ck_assert_int_eq(data_len(loader), 10);
    for_batch (batch, loader) ck_assert(t_dim(batch.x) == 0 && batch.size == 1);
    data_Sampler *by_4 = data_BatchSampler(data_SequentialSampler(ten), 4, false);
    expect_batches(data_DataLoader(ten, T_NONE, .sampler = by_4), "[0, 1, 2, 3, -1, 4, 5, 6, 7, -1, 8, 9, -1]", NULL,
                   0.38286375999450684);
}
END_TEST

/* The generator is used in the loop, too: with replacement, indices are drawn 32 at a time. */
START_TEST(indices_are_drawn_when_they_are_needed) {
    const double between[] = {0.34231340885162354, 0.9102694392204285, 0.6440156698226929};
    const char *const expected[] = {"[7, 9, 2, 0]", "[6, 2, 7, 9]", "[7, 3, 3, 4]"};
    t_Generator *g = seeded();
    data_Dataset *ten = of_len(10);
    t_manual_seed(42);
    for_batch (batch, data_DataLoader(ten, 4, .sampler = data_RandomSampler(ten, true, 45, g))) {
        const double next = t_item(t_rand(1, .generator = g));
        if (batch.index < 7 || batch.index > 9) continue;
        expect_indices(batch.x, expected[batch.index - 7]);
        ck_assert_double_eq_tol(next, between[batch.index - 7], 1e-8);
    }
}
END_TEST

/* ---- samplers of the user's ---- */

static Tensor *five_five_one(void *context) {
    const int *mode = context;
    if (mode && *mode == 1) return t_fail("no order");
    if (mode && *mode == 2) return NULL;
    if (mode && *mode == 3) return t_ones(3);
    if (mode && *mode == 4) return t_tensor("[5, 10]");
    if (mode && *mode == 6) return t_tensor("[-1, -10]");
    return t_tensor("[5, 5, 1]");
}

static t_TensorList *three_batches(void *context) {
    const int *mode = context;
    if (mode && *mode == 5) return t_list(t_tensor("[1, 2]"), t_full((0,), 0, .dtype = t_int64));
    return t_list(t_tensor("[1, 2]"), t_tensor("[3]"), t_tensor("[9, 0, 0]"));
}

static int64_t three(void *context) {
    (void)context;
    return 3;
}

static int destroyed;
static void count_destroyed(void *context) {
    (void)context;
    destroyed++;
}

START_TEST(samplers_of_the_user) {
    data_Dataset *ten = of_len(10);
    data_Batch batch;
    int mode = 0;
    with_scope() {
        data_Sampler *sampler = data_Sampler(five_five_one, .len = three, .destroy = count_destroyed);
        data_DataLoader *loader = data_DataLoader(ten, 2, .sampler = sampler);
        expect_batches(loader, "[5, 5, -1, 1, -1]", "[5, 5, -1, 1, -1]", 0.3904482126235962);
        ck_assert(data_len(loader) == 2 && data_sampler_len(sampler) == 3);
        expect_batches(data_DataLoader(ten, .batch_sampler = data_Sampler(three_batches)),
                       "[1, 2, -1, 3, -1, 9, 0, 0, -1]", NULL, 0.38286375999450684);
    }
    ck_assert_int_eq(destroyed, 1);
    data_DataLoader *loader = data_DataLoader(ten, 2, .sampler = data_Sampler(five_five_one, .context = &mode));
    ck_assert_int_eq(data_len(loader), -1);
    expect_error("object of type 'Sampler' has no len()");
    const char *const errors[] = {NULL, "no order", "the sampler's function returned no indices",
                                  "the sampler's function returned float32 of shape [3] where 1-D int64 is expected",
                                  "index 10 is out of range: the dataset has 10 samples"};
    for (mode = 1; mode < 5; mode++) {
        ck_assert(!(data_first)(loader, &batch));
        expect_error(errors[mode]);
    }
    mode = 6;
    expect_indices(batches_of(loader), "[9, 0, -1]");
    mode = 5;
    ck_assert_ptr_null(data_sampler_batches(data_Sampler(three_batches, .context = &mode)));
    expect_error("batch 1 of the sampler has no indices");
}
END_TEST

START_TEST(options_exclude_each_other) {
    data_Dataset *ten = of_len(10);
    data_Sampler *one = data_SequentialSampler(ten), *several = data_BatchSampler(one, 2, false);
    const char *const exclusive =
        "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last";
    ck_assert_ptr_null(data_DataLoader(ten, .sampler = one, .shuffle = true));
    expect_error("sampler option is mutually exclusive with shuffle");
    ck_assert_ptr_null(data_DataLoader(ten, .batch_sampler = several, .drop_last = true));
    expect_error(exclusive);
    ck_assert_ptr_null(data_DataLoader(ten, .batch_sampler = several, .batch_size = 2));
    expect_error(exclusive);
    ck_assert_ptr_null(data_DataLoader(ten, .batch_sampler = several, .sampler = one));
    expect_error(exclusive);
    ck_assert_ptr_null(data_DataLoader(ten, .batch_sampler = several, .shuffle = true));
    expect_error(exclusive);
    ck_assert_ptr_null(data_DataLoader(ten, T_NONE, .drop_last = true));
    expect_error("batch_size=None option disables auto-batching and is mutually exclusive with drop_last");
    ck_assert_ptr_null(data_DataLoader(ten, .batch_sampler = one));
    expect_error("batch_sampler yields single indices where batches of them are expected");
    ck_assert_ptr_null(data_DataLoader(ten, .sampler = several));
    expect_error("a BatchSampler takes a sampler of single indices, not of batches");
    ck_assert_ptr_null(data_RandomSampler(ten, .num_samples = 0));
    expect_error("num_samples should be a positive integer value, but got num_samples=0");
    ck_assert_ptr_null(data_RandomSampler(of_len(0)));
    expect_error("num_samples should be a positive integer value, but got num_samples=0");
    ck_assert_ptr_null(data_WeightedRandomSampler(t_ones(3), 0));
    expect_error("num_samples should be a positive integer value, but got num_samples=0");
    ck_assert_ptr_null(data_WeightedRandomSampler(t_ones(1, 1), 2));
    expect_error("weights should be a 1d sequence but given weights have shape (1, 1)");
    ck_assert_ptr_null(data_BatchSampler(one, 0, false));
    expect_error("batch_size should be a positive integer value, but got batch_size=0");
    ck_assert_ptr_null(data_sampler_list(data_WeightedRandomSampler(t_ones(1), 2, false)));
    expect_error("cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    ck_assert_ptr_null(data_sampler_list(data_RandomSampler(of_len(0), true, 5)));
    expect_error("random_ expects 'from' to be less than 'to', but got from=0 >= to=0");
    ck_assert_ptr_null(data_WeightedRandomSampler_new(NULL, 2, NULL));
    expect_error("argument 1 is NULL where a tensor is expected");
    ck_assert_ptr_null(data_DataLoader(ten, .sampler = (data_Sampler *)ten));
    expect_error("argument 2 is not a live sampler");
    ck_assert_ptr_null(data_SubsetRandomSampler(t_ones(2)));
    expect_error("indices should be a 1d sequence of int64, but are float32 of shape [2]");
    ck_assert_ptr_null(data_sampler_list(several));
    expect_error("a batch sampler's list is data_sampler_batches");
    ck_assert_ptr_null(data_sampler_batches(one));
    expect_error("the list of a sampler of single indices is data_sampler_list");
    ck_assert_ptr_null((data_Sampler_new)(NULL, NULL));
    expect_error("argument 1 is NULL where a function is expected");
    ck_assert_int_eq(data_sampler_len(NULL), -1);
    expect_error("argument 1 is NULL where a sampler is expected");
}
END_TEST

/* ---- an epoch that is resumed ---- */

/* What a loader of the same options gives after the state of an interrupted one was loaded, against the whole epoch
 * and the one after it. */
typedef data_DataLoader *(*MakeLoader)(t_Generator *g);

static data_DataLoader *with_replacement(t_Generator *g) {
    data_Dataset *ten = of_len(10);
    return data_DataLoader(ten, 4, .sampler = data_RandomSampler(ten, true, 75, g), .generator = g);
}
static data_DataLoader *own_seed(t_Generator *g) {
    (void)g;
    data_Dataset *ten = of_len(10);
    return data_DataLoader(ten, 4, .sampler = data_RandomSampler(ten, true, 75));
}
static data_DataLoader *subset(t_Generator *g) {
    return data_DataLoader(of_len(50), 4, .sampler = data_SubsetRandomSampler(t_arange(0, 50, 2), g), .generator = g);
}
static data_DataLoader *weighted(t_Generator *g) {
    return data_DataLoader(of_len(5), 4, .sampler = data_WeightedRandomSampler(t_arange(1, 6), 25), .generator = g);
}
static data_DataLoader *of_batches(t_Generator *g) {
    return data_DataLoader(of_len(10), .batch_sampler = data_Sampler(three_batches), .generator = g);
}

START_TEST(a_sampler_is_resumed) {
    const MakeLoader makers[] = {with_replacement, own_seed, subset, weighted, of_batches};
    for (int m = 0; m < 5; m++)
        for (int64_t cut = 0; cut < 8; cut++) {
            t_manual_seed(7);
            t_Generator *g = seeded();
            data_DataLoader *loader = makers[m](g);
            Tensor *whole = batches_of(loader), *next = batches_of(loader), *states = t_get_rng_state();
            t_manual_seed(7);
            g = seeded();
            loader = makers[m](g);
            t_TensorList *all = t_list(t_full((0,), 0, .dtype = t_int64));
            for_batch (batch, loader) {
                if (batch.index == cut) break;
                t_list_append(all, batch.x);
                t_list_append(all, t_full((1,), -1));
            }
            const bool broke = t_numel(t_cat(all)) < t_numel(whole);
            /* the loop above has taken the batch at `cut`, too: it is not given again */
            t_TensorDict *state = data_state_dict(loader);
            Tensor *rng = t_get_rng_state();
            t_Generator *other = t_generator_manual_seed(t_generator(), 3);
            loader = makers[m](other);
            ck_assert(data_load_state_dict(loader, state) && t_set_rng_state(rng));
            Tensor *rest = broke ? batches_of(loader) : t_full((0,), 0, .dtype = t_int64);
            ck_assert(t_equal(rest, t_slice(whole, 0, t_numel(whole) - t_numel(rest), t_numel(whole), 1)));
            ck_assert(t_equal(batches_of(loader), next) && t_equal(t_get_rng_state(), states));
        }
}
END_TEST

START_TEST(a_failed_allocation_ends_the_loop) {
    const MakeLoader makers[] = {with_replacement, own_seed, subset, weighted, of_batches};
    for (int m = 0; m < 5; m++) {
        data_DataLoader *loader = makers[m](seeded());
        const int64_t live = t_live_count(), expected = m == 4 ? 3 : data_len(loader);
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
            ck_assert_int_eq(t_live_count(), live);
            t_clear_error();
            ck_assert_int_lt(n, 1000);
        }
    }
}
END_TEST

Suite *sampler_suite(void);
Suite *sampler_suite(void) {
    Suite *suite = suite_create("sampler");
    TCase *tests = tcase_create("sampler");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, sequential_and_random);
    tcase_add_test(tests, random_with_replacement);
    tcase_add_test(tests, subset_and_weighted);
    tcase_add_test(tests, distributed);
    tcase_add_test(tests, batches_of_indices);
    tcase_add_test(tests, loaders_with_samplers);
    tcase_add_test(tests, loaders_without_batches);
    tcase_add_test(tests, indices_are_drawn_when_they_are_needed);
    tcase_add_test(tests, samplers_of_the_user);
    tcase_add_test(tests, options_exclude_each_other);
    tcase_add_test(tests, a_sampler_is_resumed);
    tcase_add_test(tests, a_failed_allocation_ends_the_loop);
    suite_add_tcase(suite, tests);
    return suite;
}
