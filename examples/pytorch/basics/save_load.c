/* examples/pytorch/basics/save_load.c: "Learn the basics: save and load the model", with a small network in place of
 * torchvision's VGG-16. A C program cannot write a model's code into a file, so the tutorial's second way, saving the
 * object itself, is left out.
 *
 * Difficulty: *     Read first: basics/optimization     Read next: checkpoint */
#define _DEFAULT_SOURCE /* mkstemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "nn/nn.h"

static nn_Sequential *vgg(void) {
    return nn_Sequential(nn_Conv2d(3, 16, 3, .padding = {1, 1}), nn_ReLU(), nn_MaxPool2d(2),
                         nn_Conv2d(16, 32, 3, .padding = {1, 1}), nn_ReLU(), nn_MaxPool2d(2), nn_Flatten(),
                         nn_Dropout(0.5), nn_Linear(32 * 8 * 8, 10));
}

static void save_and_load(const char *path) {
    nn_Sequential *model = vgg();
    Tensor *x = t_rand(2, 3, 32, 32);
    t_print(nn_call(nn_eval(model), x));
    t_save(nn_state_dict(model), path);

    model = vgg();
    t_print(nn_call(nn_eval(model), x));
    nn_load_state_dict(model, t_load(path));
    t_print(nn_call(nn_eval(model), x));
    nn_print(model);

    nn_train(model);
    for_items (item, nn_state_dict(model)) t_print(item->name, t_size_repr(item->tensor));
}

int main(void) {
    t_manual_seed(0);
    char path[] = "/tmp/model_weights-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    save_and_load(path);
    remove(path);
    return 0;
}
