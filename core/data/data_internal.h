/* core/data/data_internal.h: data_DataLoader's struct, collecting samples, the progress bar (internal). */
#ifndef TAPEGRAD_CORE_DATA_INTERNAL_H
#define TAPEGRAD_CORE_DATA_INTERNAL_H

#include "core/data/dataloader.h"
#include "core/kernels/random/mt19937.h"
#include "core/tensor/tensor.h"

/* The samples with the indices in `index` (int64, 1-D), stacked: default_collate([dataset[i] for i in index]). Returns
 * the number of items per sample; 0 on an error. */
int tg_dataset_gather(data_Dataset *dataset, Tensor *index, Tensor **items);
/* The same samples without collation, one list each, into samples[]. All have the same number of items. */
bool tg_dataset_collect(data_Dataset *dataset, Tensor *index, t_TensorList **samples);
/* The position of the item of that name; -1 if there is none. */
int tg_dataset_find(const data_Dataset *dataset, const char *name);

/* A progress bar: set up by data_tqdm, shown during the next iteration over the loader. */
typedef struct tg_Progress {
    bool waiting, running, on_terminal, leave;
    char desc[80], postfix[160];
    double begun, drawn; /* seconds */
    int64_t first, done, total; /* batches; first: where a resumed iteration begins */
} tg_Progress;
void tg_progress_begin(tg_Progress *p, int64_t first, int64_t total);
void tg_progress_count(tg_Progress *p); /* counts a finished batch */
void tg_progress_end(tg_Progress *p);

/* The state of the last iteration over a loader, or of the one that will be resumed. */
typedef struct tg_Epoch {
    bool is_running;   /* false: finished, or never begun */
    bool has_begun;    /* the shuffle was drawn */
    int64_t yielded;   /* number of batches returned */
    tg_MT19937 engine; /* the engine's state before it drew the shuffle */
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
    bool resumes;       /* the next iteration continues at `epoch` */
    int64_t iterations; /* number of iterations begun; only the last one updates `epoch` */
};
bool tg_check_loader(const data_DataLoader *loader);

#endif
