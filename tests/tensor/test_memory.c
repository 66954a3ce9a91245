/* tests/tensor/test_memory.c: blocks of any size do not overlap, whichever thread frees them; and a backward gives
 * memory back as it goes. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/tensor/context.h"
#include "nn/nn.h"
#include "tests/support/support.h"

/* ---- blocks ---- */

enum { BLOCKS = 200, ROUNDS = 4000 };

typedef struct Held {
    unsigned char *at;
    size_t bytes;
} Held;

/* Mostly small ones, sizes at the limits of the classes among them, up to some MB. */
static size_t some_size(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t draw = *state >> 33;
    size_t power = (size_t)1 << (5 + draw % 17);
    return power + (size_t)(draw >> 5) % (power / 2 + 2) - 1;
}

/* Only the ends are written and looked at: what overlaps another block overlaps one of them, or both of the other's. */
static void mark(const Held *held, int which) {
    memset(held->at, which, held->bytes < 64 ? held->bytes : 64);
    held->at[held->bytes - 1] = (unsigned char)which;
}

static bool is_marked(const Held *held, int which) {
    return held->at[0] == (unsigned char)which && held->at[held->bytes - 1] == (unsigned char)which;
}

static void *blocks_stay_apart(void *seed) {
    uint64_t state = (uint64_t)(uintptr_t)seed;
    Held held[BLOCKS] = {{NULL, 0}};
    bool ok = true;
    for (int round = 0; round < ROUNDS; round++) {
        int which = (int)(some_size(&state) % BLOCKS);
        if (held[which].at) {
            ok = ok && is_marked(&held[which], which);
            tg_free(held[which].at, held[which].bytes);
            held[which].at = NULL;
        } else {
            held[which].bytes = some_size(&state);
            held[which].at = tg_alloc_raw(held[which].bytes);
            ok = ok && held[which].at && (uintptr_t)held[which].at % 64 == 0;
            if (held[which].at) mark(&held[which], which);
        }
        if (round % 1000 == 999) t_empty_cache();
    }
    for (int i = 0; i < BLOCKS; i++)
        if (held[i].at) tg_free(held[i].at, held[i].bytes);
    return ok ? seed : NULL;
}

START_TEST(blocks_of_any_size_stay_apart) {
    pthread_t other;
    void *well = NULL;
    ck_assert(!pthread_create(&other, NULL, blocks_stay_apart, (void *)(uintptr_t)2));
    ck_assert_ptr_nonnull(blocks_stay_apart((void *)(uintptr_t)1));
    pid_t child = fork();
    if (child == 0) _exit(blocks_stay_apart((void *)(uintptr_t)3) ? 0 : 1);
    int status = 1;
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    pthread_join(other, &well);
    ck_assert_ptr_nonnull(well);
}
END_TEST

START_TEST(each_size_near_a_limit_is_served) {
    for (size_t power = 64; power <= (size_t)1 << 22; power *= 2)
        for (size_t quarter = 4; quarter < 8; quarter++)
            for (size_t bytes = power / 4 * quarter - 1; bytes <= power / 4 * quarter + 1; bytes++)
                for (int again = 0; again < 2; again++) {
                    Held held = {tg_alloc_raw(bytes), bytes};
                    ck_assert_ptr_nonnull(held.at);
                    mark(&held, 7);
                    tg_free(held.at, bytes);
                }
}
END_TEST

typedef struct Passed {
    Held held[BLOCKS];
} Passed;

static void *free_all(void *passed) {
    for (int i = 0; i < BLOCKS; i++) tg_free(((Passed *)passed)->held[i].at, ((Passed *)passed)->held[i].bytes);
    return NULL;
}

START_TEST(another_thread_may_free) {
    Passed passed;
    uint64_t state = 4;
    for (int i = 0; i < BLOCKS; i++) {
        passed.held[i].bytes = some_size(&state);
        passed.held[i].at = tg_alloc_raw(passed.held[i].bytes);
        ck_assert_ptr_nonnull(passed.held[i].at);
        mark(&passed.held[i], i);
    }
    pthread_t other;
    ck_assert(!pthread_create(&other, NULL, free_all, &passed));
    pthread_join(other, NULL);
    ck_assert_ptr_nonnull(blocks_stay_apart((void *)(uintptr_t)5));
}
END_TEST

/* The gradients of leaves come from the upper end of the memory in use, activations from the lower end: when all
 * activations are freed, one free block is left between the two. */
START_TEST(step_lived_blocks_are_at_the_upper_end) {
    enum { PIECES = 8, BYTES = 1 << 20 };
    char *short_lived[PIECES], *step_lived[PIECES];
    t_empty_cache();
    char *all = tg_large_block_alloc((PIECES + 1) * (BYTES + 4096), tg_short_lived); /* what was used before */
    tg_large_block_free(all);
    for (int i = 0; i < PIECES; i++) short_lived[i] = tg_large_block_alloc(BYTES, tg_short_lived);
    for (int i = 0; i < PIECES; i++) {
        ck_assert(short_lived[i] >= all && (i == 0 || short_lived[i] > short_lived[i - 1]));
        memset(short_lived[i], i, BYTES);
    }
    for (int i = PIECES - 1; i >= 0; i--) { /* a backward */
        step_lived[i] = tg_large_block_alloc(BYTES, tg_step_lived);
        ck_assert(step_lived[i] > short_lived[i] && step_lived[i] < all + (PIECES + 2) * (BYTES + 4096));
        ck_assert(i == PIECES - 1 || step_lived[i] < step_lived[i + 1]);
        ck_assert_int_eq(short_lived[i][BYTES - 1], i);
        tg_large_block_free(short_lived[i]);
    }
    char *one = tg_large_block_alloc(BYTES, tg_permanent);
    ck_assert(one < all || one > all + PIECES * BYTES);
    tg_large_block_free(one);
    for (int i = 0; i < PIECES; i++) tg_large_block_free(step_lived[i]);
}
END_TEST

/* Memory that is returned to the system holds no live block: a few steps, whose first one leaves holes and allocates a
 * permanent block, read everywhere what they wrote. */
START_TEST(live_blocks_are_not_returned) {
    enum { STEPS = 4, PIECES = 6, BYTES = 3 << 20, MOST = 20 };
    unsigned char *live[MOST];
    t_empty_cache();
    for (int step = 0; step < STEPS; step++) {
        int count = 0;
        for (int i = 0; i < PIECES; i++) live[count++] = tg_large_block_alloc(BYTES + i * 5000, tg_short_lived);
        for (int i = 0; i < PIECES; i++) live[count++] = tg_large_block_alloc(BYTES / (1 + i % 3), tg_step_lived);
        live[count++] = tg_large_block_alloc(BYTES, step ? tg_short_lived : tg_permanent);
        for (int i = 0; i < count; i++) live[i][0] = live[i][BYTES / 3 - 1] = (unsigned char)(i + step);
        for (int i = 0; i < PIECES; i++) tg_large_block_free(live[i]);
        unsigned char *hole = tg_large_block_alloc(2 * BYTES, tg_step_lived);
        hole[0] = hole[2 * BYTES - 1] = 1;
        for (int i = PIECES; i < count; i++) ck_assert(live[i][0] == i + step && live[i][BYTES / 3 - 1] == i + step);
        tg_large_block_free(hole);
        for (int i = PIECES; i < count; i++) tg_large_block_free(live[i]);
    }
    t_empty_cache();
}
END_TEST

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
/* A thread that frees blocks of another thread caches no more bytes than it allocated itself. */
static void *frees_small_ones(void *made) {
    for (int i = 0; i < BLOCKS; i++) tg_free(((void **)made)[i], 1000);
    return mallinfo2().uordblks + BLOCKS / 2 * 1000 < ((size_t *)made)[BLOCKS] ? made : NULL;
}

START_TEST(blocks_of_other_threads_are_not_cached) {
    void *made[BLOCKS + 1], *well = NULL;
    pthread_t other;
    for (int i = 0; i < BLOCKS; i++) ck_assert_ptr_nonnull(made[i] = tg_alloc_raw(1000));
    made[BLOCKS] = (void *)mallinfo2().uordblks;
    ck_assert(!pthread_create(&other, NULL, frees_small_ones, made));
    pthread_join(other, &well);
    ck_assert_ptr_nonnull(well);
}
END_TEST
#endif

/* ---- backward ---- */

/* As gradients come, what the tape held goes: the peak of a backward is little above what is allocated before it. */
START_TEST(a_backward_gives_back_as_it_goes) {
    nn_Encoder *encoder = nn_Encoder(4, 32, 4, 64, 50, .max_len = 64);
    Tensor *loss = t_mean(nn_call(encoder, t_randint(0, 50, 16, 32)));
    int64_t before = t_live_bytes(), peak = 0, last = 0, weights = 0;
    t_TensorList *parameters = nn_parameters(encoder);
    for (int64_t i = 0; i < parameters->len; i++) weights += t_numel(parameters->items[i]) * 4;
    int64_t activations = before - weights;
    for_backward (step, loss) {
        last = t_live_bytes();
        peak = last > peak ? last : peak;
    }
    ck_assert_int_lt(peak, before + activations / 3);
    ck_assert_int_lt(last, before - activations / 2 + weights);
}
END_TEST

Suite *memory_suite(void);
Suite *memory_suite(void) {
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, blocks_of_any_size_stay_apart);
    tcase_add_test(tests, each_size_near_a_limit_is_served);
    tcase_add_test(tests, another_thread_may_free);
    tcase_add_test(tests, step_lived_blocks_are_at_the_upper_end);
    tcase_add_test(tests, live_blocks_are_not_returned);
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
    tcase_add_test(tests, blocks_of_other_threads_are_not_cached);
#endif
    tcase_add_test(tests, a_backward_gives_back_as_it_goes);
    suite_add_tcase(suite, tests);
    return suite;
}
