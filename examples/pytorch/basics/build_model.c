/* examples/pytorch/basics/build_model.c: "Learn the basics: build the neural network".
 *
 * Difficulty: *     Read first: basics/transforms     Read next: basics/autograd */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

typedef struct NeuralNetwork {
    nn_Module base;
    nn_Flatten *flatten;
    nn_Sequential *linear_relu_stack;
} NeuralNetwork;

static Tensor *neural_network_call(NeuralNetwork *self, Tensor *x) {
    x = nn_call(self->flatten, x);
    Tensor *logits = nn_call(self->linear_relu_stack, x);
    return logits;
}

static NeuralNetwork *neural_network(void) {
    NeuralNetwork *self = nn_module(NeuralNetwork, neural_network_call);
    nn_set(self, flatten, nn_Flatten());
    nn_set(self, linear_relu_stack,
           nn_Sequential(nn_Linear(28 * 28, 512), nn_ReLU(), nn_Linear(512, 512), nn_ReLU(), nn_Linear(512, 10)));
    return self;
}

static void use_model(NeuralNetwork *model) {
    Tensor *X = t_rand(1, 28, 28);
    Tensor *logits = nn_call(model, X);
    Tensor *pred_probab = nn_call(nn_Softmax(.dim = 1), logits);
    Tensor *y_pred = t_argmax(pred_probab, 1);
    t_print(pred_probab);
    t_print("predicted class:", y_pred);
}

static void layer_by_layer(void) {
    Tensor *input_image = t_rand(3, 28, 28);
    t_print(t_size_repr(input_image));

    nn_Flatten *flatten = nn_Flatten();
    Tensor *flat_image = nn_call(flatten, input_image);
    t_print(t_size_repr(flat_image));

    nn_Linear *layer1 = nn_Linear(.in_features = 28 * 28, .out_features = 20);
    Tensor *hidden1 = nn_call(layer1, flat_image);
    t_print(t_size_repr(hidden1));

    t_print("before ReLU:", hidden1);
    hidden1 = nn_call(nn_ReLU(), hidden1);
    t_print("after ReLU:", hidden1);

    nn_Sequential *seq_modules = nn_Sequential(flatten, layer1, nn_ReLU(), nn_Linear(20, 10));
    input_image = t_rand(3, 28, 28);
    Tensor *logits = nn_call(seq_modules, input_image);

    nn_Softmax *softmax = nn_Softmax(.dim = 1);
    Tensor *pred_probab = nn_call(softmax, logits);
    t_print(pred_probab);
}

static void show_parameters(NeuralNetwork *model) {
    t_print("structure:", nn_str(model));

    for_named (param, nn_named_parameters(model))
        printf("%s | %s | %s\n", param->name, t_size_repr(param->tensor), t_str(t_at(param->tensor, ":2")));
}

int main(void) {
    t_manual_seed(0);
    NeuralNetwork *model = neural_network();
    nn_print(model);
    use_model(model);
    layer_by_layer();
    show_parameters(model);
    return 0;
}
