/* examples/pytorch/images/pruning.c: "Pruning tutorial": masks for the weights of a LeNet, by methods of
 * torch.nn.utils.prune and by one of the program's own.
 *
 * Difficulty: *     Read first: learning/blitz_neural_networks     Read next: knowledge_distillation */
#include <stdio.h>

#include "core/core.h"
#include "nn/nn.h"

typedef struct LeNet {
    nn_Module base;
    nn_Conv2d *conv1, *conv2;
    nn_Linear *fc1, *fc2, *fc3;
} LeNet;

static Tensor *le_net_call(LeNet *self, Tensor *x) {
    x = F_max_pool2d(F_relu(nn_call(self->conv1, x)), (2, 2));
    x = F_max_pool2d(F_relu(nn_call(self->conv2, x)), 2);
    x = t_view(x, -1, t_numel(x) / t_shape(x)[0]);
    x = F_relu(nn_call(self->fc1, x));
    x = F_relu(nn_call(self->fc2, x));
    x = nn_call(self->fc3, x);
    return x;
}

static LeNet *le_net(void) {
    LeNet *self = nn_module(LeNet, le_net_call);
    nn_set(self, conv1, nn_Conv2d(1, 6, 5));
    nn_set(self, conv2, nn_Conv2d(6, 16, 5));
    nn_set(self, fc1, nn_Linear(16 * 5 * 5, 120));
    nn_set(self, fc2, nn_Linear(120, 84));
    nn_set(self, fc3, nn_Linear(84, 10));
    return self;
}

static void show_named(nn_NamedList *named) {
    for_named (x, named) {
        puts(x->name);
        t_print(x->tensor);
    }
}

static void inspect_module(nn_Conv2d *module) {
    printf("named_parameters:\n");
    show_named(nn_named_parameters(module));
    printf("named_buffers:\n");
    show_named(nn_named_buffers(module));
}

static void prune_a_module(LeNet *model) {
    nn_Conv2d *module = model->conv1;
    inspect_module(module);

    nn_utils_prune_random_unstructured(module, "weight", 0.3);
    inspect_module(module);
    t_print(module->weight);

    nn_utils_prune_l1_unstructured(module, "bias", 3);
    inspect_module(module);
    t_print(module->bias);
}

static void iterative_pruning(LeNet *model) {
    nn_Conv2d *module = model->conv1;
    nn_utils_prune_ln_structured(module, "weight", 0.5, .n = 2, .dim = 0);
    t_print(module->weight);
    puts(nn_utils_prune_is_pruned(module) ? "True" : "False");

    for_items (item, nn_state_dict(model)) puts(item->name);

    nn_utils_prune_remove(module, "weight");
    show_named(nn_named_parameters(module));
}

static void multiple_parameters(void) {
    LeNet *new_model = le_net();
    for_named (each, nn_named_modules(new_model)) {
        if (nn_as(each->module, nn_Conv2d)) {
            nn_utils_prune_l1_unstructured(each->module, "weight", 0.2);
        } else if (nn_as(each->module, nn_Linear)) {
            nn_utils_prune_l1_unstructured(each->module, "weight", 0.4);
        }
    }

    for_named (buffer, nn_named_buffers(new_model))
        printf("%s: %s, %.0f left\n", buffer->name, t_size_repr(buffer->tensor), t_item(t_sum(buffer->tensor)));
}

static void global_pruning(void) {
    LeNet *model = le_net();

    const nn_utils_prune_Parameter parameters_to_prune[] = {
        {model->conv1, "weight"}, {model->conv2, "weight"}, {model->fc1, "weight"},
        {model->fc2, "weight"},   {model->fc3, "weight"},
    };

    nn_utils_prune_global_unstructured(parameters_to_prune, 5, nn_utils_prune_L1Unstructured, 0.2);

    double zeros = 0;
    double elements = 0;
    Tensor *const weights[] = {model->conv1->weight, model->conv2->weight, model->fc1->weight, model->fc2->weight,
                               model->fc3->weight};
    for_range (i, 5) {
        Tensor *weight = weights[i];
        zeros += t_item(t_sum(t_eq(weight, 0)));
        elements += (double)t_numel(weight);
        printf("Sparsity in a weight of %d: %.2f%%\n", (int)t_numel(weight),
               100.0 * t_item(t_mean(t_float(t_eq(weight, 0)))));
    }
    printf("Global sparsity: %.2f%%\n", 100.0 * zeros / elements);
}

/* ---- A method of its own: every second element ---- */

static Tensor *foo_bar_pruning_method_compute_mask(Tensor *t, Tensor *default_mask, void *context) {
    (void)t, (void)context;
    Tensor *mask = t_clone(default_mask);
    t_set(t_view(mask, -1), "::2", 0);
    return mask;
}

static const nn_utils_prune_BasePruningMethod FooBarPruningMethod = {
    .PRUNING_TYPE = nn_utils_prune_unstructured,
    .compute_mask = foo_bar_pruning_method_compute_mask,
};

static void *foobar_unstructured(void *module, const char *name) {
    nn_utils_prune_BasePruningMethod_apply(&FooBarPruningMethod, module, name);
    return module;
}

static void custom_pruning(void) {
    LeNet *model = le_net();
    foobar_unstructured(model->fc3, "bias");
    t_print(t_dict_get(nn_state_dict(model->fc3), "bias_mask"));

    foobar_unstructured(model->fc3, "bias");
    t_print(t_dict_get(nn_state_dict(model->fc3), "bias_mask"));
    t_print(model->fc3->bias);

    Tensor *output = nn_call(model, t_randn(2, 1, 32, 32));
    t_print(output);
}

static void run(void) {
    LeNet *model = le_net();
    prune_a_module(model);
    iterative_pruning(model);
    multiple_parameters();
    global_pruning();
    custom_pruning();
}

int main(void) {
    t_manual_seed(0);
    run();
    return 0;
}
