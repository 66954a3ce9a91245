/* core/data/data_internal.h: what dataset.c, dataloader.c and progress.c know of each other (internal). */
#ifndef TAPEGRAD_CORE_DATA_INTERNAL_H
#define TAPEGRAD_CORE_DATA_INTERNAL_H

#include "core/data/dataloader.h"
#include "core/kernels/random/mt19937.h"
#include "core/tensor/tensor.h"

/* The samples that an int64 vector of numbers names, stacked: what the default collate_fn makes of
 * [dataset[i] for i in index]. */
int tg_dataset_gather(data_Dataset *dataset, Tensor *index, Tensor **items); /* how many items there are; 0 on an error */
/* The same samples as they are, one list each, into samples[]. All have the same number of items. */
bool tg_dataset_collect(data_Dataset *dataset, Tensor *index, t_TensorList **samples);
/* The position of the item of that name; -1 where there is none. */
int tg_dataset_find(const data_Dataset *dataset, const char *name);

/* A progress bar. It is set up by data_tqdm, and runs with the next iteration over the loader. */
typedef struct tg_Progress {
    bool waiting, running, on_terminal, leave;
    char desc[80], postfix[160];
    double begun, drawn; /* seconds */
    int64_t first, done, total; /* batches; the bar begins at `first` where an iteration is resumed */
} tg_Progress;
void tg_progress_begin(tg_Progress *p, int64_t first, int64_t total);
void tg_progress_count(tg_Progress *p); /* one more batch is done */
void tg_progress_end(tg_Progress *p);

/* How far the last iteration over a loader has come, or the one that is to be resumed. */
typedef struct tg_Epoch {
    bool is_running;   /* else it has come to its end, or there was none */
    bool has_begun;    /* the order is drawn, from this engine: */
    int64_t yielded;   /* batches */
    tg_MT19937 engine; /* as it was before it drew the shuffle */
} tg_Epoch;

struct data_DataLoader {
    t_Object object;
    data_Dataset *dataset;
    int64_t batch_size;
    bool shuffle, drop_last;
    t_Generator *generator;
    data_Collate collate_fn;
    data_CollateSamples collate_samples;
    void *context;
    tg_Progress progress;
    tg_Epoch epoch;
    bool resumes;       /* the next iteration goes on from `epoch` */
    int64_t iterations; /* how many there were: the last one moves `epoch` */
};
bool tg_check_loader(const data_DataLoader *loader);

#endif
