/* tests/tutorials/gpt2.c: examples/gpt2 with a small model of transformers: the same logits and the same continuation
 * (recorded by tests/golden/gpt2_model.py), also with a cache filled in parts; and files that are refused. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "examples/gpt2/gpt2.h"
#include "tests/tutorials/port.h"

static const char folder[] = "tests/golden/files/bpe";

START_TEST(logits_are_those_of_transformers) {
    GPT2 model;
    KVCache cache;
    t_TensorDict *expected = safetensors_load_file(t_format("%s/expected.safetensors", folder));
    Tensor *ids = t_dict_get(expected, "ids"), *logits = t_dict_get(expected, "logits");
    HOLDS(gpt2_from_pretrained(&model, folder));
    with_no_grad () {
        new_cache(&model, &cache);
        Tensor *all = gpt2_logits(&model, ids, &cache, true);
        compare_tensors("logits", all, logits, VALUE);
        /* the same in parts: 5 tokens, the next 2, then one by one */
        cache.length = 0;
        compare_tensors("first part", gpt2_logits(&model, t_at(ids, ":5"), &cache, true), t_at(logits, ":5"), VALUE);
        compare_tensors("second part", gpt2_logits(&model, t_at(ids, "5:7"), &cache, true), t_at(logits, "5:7"), VALUE);
        for (int64_t i = 7; i < t_size(ids, 0); i++)
            compare_tensors("one", gpt2_logits(&model, t_at(ids, "{}:{}", i, i + 1), &cache, false),
                            t_at(logits, "{}:{}", i, i + 1), VALUE);
    }
    report_notes();
}
END_TEST

START_TEST(the_continuation_is_that_of_transformers) {
    GPT2 model;
    KVCache cache;
    Sampling greedy = {.temperature = 0, .top_p = 1};
    t_TensorDict *expected = safetensors_load_file(t_format("%s/expected.safetensors", folder));
    Tensor *ids = t_dict_get(expected, "ids"), *want = t_dict_get(expected, "greedy");
    HOLDS(gpt2_from_pretrained(&model, folder));
    new_cache(&model, &cache);
    Tensor *next = ids;
    with_no_grad ()
        for (int64_t i = t_size(ids, 0); i < t_size(want, 0); i++) {
            next = next_token(gpt2_logits(&model, next, &cache, false), &greedy);
            if (t_item_int64(next) != t_item_int64(t_at(want, "{}", i))) note("token %d", (int)i);
        }
    report_notes();
}
END_TEST

START_TEST(sampling_takes_the_likeliest) {
    Tensor *logits = t_tensor("[[0.0, 3.0, 1.0, 2.0, -1.0]]");
    t_manual_seed(1);
    for (int i = 0; i < 50; i++) {
        int64_t of_two = t_item_int64(next_token(logits, &(Sampling){1, 2, 1}));
        int64_t of_one = t_item_int64(next_token(logits, &(Sampling){1, 0, 0.3}));
        int64_t cold = t_item_int64(next_token(logits, &(Sampling){0.01, 0, 1}));
        ck_assert(of_two == 1 || of_two == 3);
        ck_assert(of_one == 1 && cold == 1);
    }
    ck_assert_int_eq(t_item_int64(next_token(logits, &(Sampling){0, 0, 1})), 1);
}
END_TEST

START_TEST(wrong_files_are_refused) {
    GPT2 model;
    ck_assert_int_eq(system("rm -rf build/gpt2_files && mkdir -p build/gpt2_files"), 0);
    expect_refusal(!gpt2_from_pretrained(&model, "build/gpt2_files"),
                   "build/gpt2_files/config.json: No such file or directory; GPT-2's files are at "
                   "https://huggingface.co/openai-community/gpt2/tree/main (examples/gpt2/README.md)");
    ck_assert_int_eq(system("cp tests/golden/files/bpe/config.json build/gpt2_files/"), 0);
    expect_refusal(!gpt2_from_pretrained(&model, "build/gpt2_files"),
                   "build/gpt2_files/model.safetensors is missing; GPT-2's files are at "
                   "https://huggingface.co/openai-community/gpt2/tree/main (examples/gpt2/README.md)");
    ck_assert_int_eq(system("cd build/gpt2_files && cp ../../tests/golden/files/bpe/model.safetensors . && "
                            "sed -i 's/\"n_embd\": 32/\"n_embd\": 16/' config.json"),
                     0);
    expect_refusal(!gpt2_from_pretrained(&model, "build/gpt2_files"),
                   "wpe.weight is torch.Size([64, 32]), but by config.json it has 64 rows and 16 columns");
    ck_assert_int_eq(system("cd build/gpt2_files && sed -i 's/n_head/heads/' config.json"), 0);
    expect_refusal(!gpt2_from_pretrained(&model, "build/gpt2_files"),
                   "build/gpt2_files/config.json: there is no \"n_head\"");
    expect_refusal(!gpt2_random(&model, "7B"), "there are the sizes 124M, 355M, 774M and 1558M, not 7B");
    ck_assert_int_eq(system("rm -rf build/gpt2_files"), 0);
}
END_TEST

PORT_SUITE("gpt2", logits_are_those_of_transformers, the_continuation_is_that_of_transformers,
           sampling_takes_the_likeliest, wrong_files_are_refused)
