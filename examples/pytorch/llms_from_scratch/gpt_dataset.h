/* examples/pytorch/llms_from_scratch/gpt_dataset.h: chapter 2's dataset, a window that slides over a text: its tokens,
 * and as targets the tokens after each. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_GPT_DATASET_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_GPT_DATASET_H

#include <stdlib.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"

typedef struct GPTDatasetV1 {
    t_TensorList *input_ids, *target_ids;
} GPTDatasetV1;

static inline int64_t gpt_dataset_v1_len(void *context) {
    GPTDatasetV1 *self = context;
    return self->input_ids->len;
}

static inline bool gpt_dataset_v1_getitem(void *context, int64_t idx, Tensor **x, Tensor **y) {
    GPTDatasetV1 *self = context;
    *x = t_list_get(self->input_ids, idx);
    *y = t_list_get(self->target_ids, idx);
    return true;
}

static inline data_Dataset *gpt_dataset_v1(const char *txt, const Tokenizer *tokenizer, int64_t max_length,
                                           int64_t stride) {
    GPTDatasetV1 *self = calloc(1, sizeof *self);
    if (self == NULL) return t_fail("no memory for a dataset");
    self->input_ids = t_list();
    self->target_ids = t_list();
    Tensor *token_ids = tokenizer_encode(tokenizer, txt);
    for (int64_t i = 0; i < t_size(token_ids, 0) - max_length; i += stride) {
        Tensor *input_chunk = t_at(token_ids, "{}:{}", i, i + max_length);
        Tensor *target_chunk = t_at(token_ids, "{}:{}", i + 1, i + max_length + 1);
        t_list_append(self->input_ids, input_chunk);
        t_list_append(self->target_ids, target_chunk);
    }
    return data_Dataset(gpt_dataset_v1_len, gpt_dataset_v1_getitem, .context = self, .destroy = free);
}

static inline data_DataLoader *create_dataloader_v1(const char *txt, const Tokenizer *tokenizer, int64_t batch_size,
                                                    int64_t max_length, int64_t stride, bool shuffle, bool drop_last) {
    data_Dataset *dataset = gpt_dataset_v1(txt, tokenizer, max_length, stride);
    data_DataLoader *dataloader = data_DataLoader(dataset, .batch_size = batch_size, .shuffle = shuffle,
                                                  .drop_last = drop_last, .num_workers = 0);
    return dataloader;
}

#endif
