/* examples/train_classifier/checkpoint.c: saving and loading a general checkpoint, as PyTorch's tutorial of that name
 * does it, with what a run needs in order to end with the same bits as one that was not cut: also the scheduler, the
 * random generator, the loader in the middle of its epoch, and the sums that will be printed. */
#include "training.h"

#include <stdio.h>

/* The names of numbers and tensors that are no state dicts. */
#define NUMBERS(X) X(loss_sum) X(correct) X(seen) X(late_sum) X(late_epochs)
#define CURVES(X) X(loss) X(accuracy) X(val_loss) X(val_accuracy)

void save_checkpoint(Training *training) {
    with_scope() {
        t_TensorDict *checkpoint = t_dict();
        t_dict_set(checkpoint, "epoch", training->epochs);
        t_dict_set(checkpoint, "model_state_dict", nn_state_dict(training->model));
        t_dict_set(checkpoint, "optimizer_state_dict", optim_state_dict(training->optimizer));
        t_dict_set(checkpoint, "scheduler_state_dict", optim_scheduler_state_dict(training->scheduler));
        t_dict_set(checkpoint, "loader_state_dict", data_state_dict(training->loader));
        t_dict_set(checkpoint, "data_rng_state", training->data_rng);
        t_dict_set(checkpoint, "rng_state", t_get_rng_state());
#define SET(name) t_dict_set(checkpoint, #name, training->name);
        NUMBERS(SET)
#define SET_CURVE(name) t_dict_set(checkpoint, "curve_" #name, training->name);
        CURVES(SET_CURVE)
        t_save(checkpoint, training->options->checkpoint);
    }
}

t_TensorDict *load_checkpoint(const Options *options) {
    FILE *file = options->resume ? fopen(options->checkpoint, "rb") : NULL;
    if (!file) return NULL;
    fclose(file);
    t_TensorDict *checkpoint = t_load(options->checkpoint);
    t_set_rng_state(t_dict_get(checkpoint, "data_rng_state"));
    return checkpoint;
}

void resume_from(Training *training, t_TensorDict *checkpoint) {
    training->epochs = t_dict_get_integer(checkpoint, "epoch");
    if (training->epochs > training->options->epochs)
        t_fail("%s is of a run after %lld epochs, which is more than the %lld of --epochs",
               training->options->checkpoint, (long long)training->epochs, (long long)training->options->epochs);
    nn_load_state_dict(training->model, t_dict_get_dict(checkpoint, "model_state_dict"));
    optim_load_state_dict(training->optimizer, t_dict_get_dict(checkpoint, "optimizer_state_dict"));
    optim_scheduler_load_state_dict(training->scheduler, t_dict_get_dict(checkpoint, "scheduler_state_dict"));
    data_load_state_dict(training->loader, t_dict_get_dict(checkpoint, "loader_state_dict"));
#define GET(name) training->name = t_dict_get_number(checkpoint, #name);
    NUMBERS(GET)
#define GET_CURVE(name)                                    \
    t_copy_(t_at(training->name, ":{}", training->epochs), \
            t_at(t_dict_get(checkpoint, "curve_" #name), ":{}", training->epochs));
    CURVES(GET_CURVE)
    t_set_rng_state(t_dict_get(checkpoint, "rng_state"));
}
