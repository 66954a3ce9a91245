/* examples/train_classifier/training.h: a training run, and the checkpoint that it can be gone on with from. */
#ifndef TRAIN_CLASSIFIER_TRAINING_H
#define TRAIN_CLASSIFIER_TRAINING_H

#include "core/data/data.h"
#include "model.h"
#include "optim/optim.h"

typedef struct Training {
    const Options *options;
    EncoderClassifier *model;
    optim_Optimizer *optimizer;
    optim_LRScheduler *scheduler; /* counts steps, for the warm-up */
    data_DataLoader *loader;      /* of the training set; NULL until there is one */
    Tensor *data_rng;             /* the random generator before it drew the datasets */
    int64_t epochs;               /* how many are over; the curves have an element for each */
    Tensor *loss, *accuracy, *val_loss, *val_accuracy;
    double loss_sum, correct, seen;  /* of the epoch that runs, so far */
    double late_sum, late_epochs;    /* the training accuracy from epoch 21 on */
} Training;

/* Everything that the rest of the run depends on, in one file: t_save(checkpoint, options->checkpoint). */
void save_checkpoint(Training *training);
/* Before the datasets are drawn: they then are those of the run that was cut. NULL where there is no file. */
t_TensorDict *load_checkpoint(const Options *options);
/* Everything else, when the objects are made. */
void resume_from(Training *training, t_TensorDict *checkpoint);

#endif
