/* examples/pytorch/images/knowledge_distillation.c: "Knowledge distillation tutorial": a small network learns from a
 * large one, by soft targets, by its hidden representation and by its feature map. On images that the program makes.
 *
 * Difficulty: **     Read first: pruning     Read next: transfer_learning */
#include <stdio.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/python.h"
#include "examples/pytorch/synthetic_images.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- The teacher and the student ---- */

typedef struct DeepNN {
    nn_Module base;
    nn_Sequential *features, *classifier;
} DeepNN;

static Tensor *deep_nn_call(DeepNN *self, Tensor *x) {
    x = nn_call(self->features, x);
    x = t_flatten(x, 1);
    x = nn_call(self->classifier, x);
    return x;
}

static DeepNN *deep_nn(int64_t num_classes) {
    DeepNN *self = nn_module(DeepNN, deep_nn_call);
    nn_set(self, features,
           nn_Sequential(nn_Conv2d(3, 32, .kernel_size = 3, .padding = 1), nn_ReLU(),
                         nn_Conv2d(32, 16, .kernel_size = 3, .padding = 1), nn_ReLU(),
                         nn_MaxPool2d(.kernel_size = 2, .stride = 2), nn_Conv2d(16, 16, .kernel_size = 3, .padding = 1),
                         nn_ReLU(), nn_Conv2d(16, 16, .kernel_size = 3, .padding = 1), nn_ReLU(),
                         nn_MaxPool2d(.kernel_size = 2, .stride = 2)));
    nn_set(self, classifier,
           nn_Sequential(nn_Linear(256, 128), nn_ReLU(), nn_Dropout(0.1), nn_Linear(128, num_classes)));
    return self;
}

typedef struct LightNN {
    nn_Module base;
    nn_Sequential *features, *classifier;
} LightNN;

static Tensor *light_nn_call(LightNN *self, Tensor *x) {
    x = nn_call(self->features, x);
    x = t_flatten(x, 1);
    x = nn_call(self->classifier, x);
    return x;
}

static LightNN *light_nn(int64_t num_classes) {
    LightNN *self = nn_module(LightNN, light_nn_call);
    nn_set(self, features,
           nn_Sequential(nn_Conv2d(3, 8, .kernel_size = 3, .padding = 1), nn_ReLU(),
                         nn_MaxPool2d(.kernel_size = 2, .stride = 2), nn_Conv2d(8, 8, .kernel_size = 3, .padding = 1),
                         nn_ReLU(), nn_MaxPool2d(.kernel_size = 2, .stride = 2)));
    nn_set(self, classifier, nn_Sequential(nn_Linear(128, 64), nn_ReLU(), nn_Dropout(0.1), nn_Linear(64, num_classes)));
    return self;
}

/* ---- Cross-entropy alone ---- */

static void train(void *model, data_DataLoader *train_loader, int epochs, double learning_rate) {
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = learning_rate);

    nn_train(model);

    for_range (epoch, epochs) {
        double running_loss = 0.0;
        for_batch (b, train_loader) {
            optim_zero_grad(optimizer);
            Tensor *outputs = nn_call(model, b.x);

            Tensor *loss = nn_call(criterion, outputs, b.y);
            t_backward(loss);
            optim_step(optimizer);

            running_loss += t_item(loss);
        }

        printf("Epoch %d/%d, Loss: %.4f\n", (int)epoch + 1, epochs, running_loss / (double)data_len(train_loader));
    }
}

static double test(void *model, data_DataLoader *test_loader) {
    nn_eval(model);

    double correct = 0;
    double total = 0;

    with_no_grad () {
        for_batch (b, test_loader) {
            Tensor *outputs = nn_call(model, b.x);
            Tensor *predicted;
            t_max(outputs, 1, .indices = &predicted);

            total += (double)t_size(b.y, 0);
            correct += t_item(t_sum(t_eq(predicted, b.y)));
        }
    }

    double accuracy = 100 * correct / total;
    printf("Test Accuracy: %.2f%%\n", accuracy);
    return accuracy;
}

/* ---- Soft targets ---- */

static void train_knowledge_distillation(DeepNN *teacher, LightNN *student, data_DataLoader *train_loader, int epochs,
                                         double learning_rate, double T, double soft_target_loss_weight,
                                         double ce_loss_weight) {
    nn_CrossEntropyLoss *ce_loss = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(student), .lr = learning_rate);

    nn_eval(teacher);
    nn_train(student);

    for_range (epoch, epochs) {
        double running_loss = 0.0;
        for_batch (b, train_loader) {
            optim_zero_grad(optimizer);

            Tensor *teacher_logits;
            with_no_grad () teacher_logits = nn_call(teacher, b.x);

            Tensor *student_logits = nn_call(student, b.x);

            Tensor *soft_targets = F_softmax(t_div(teacher_logits, T), -1);
            Tensor *soft_prob = F_log_softmax(t_div(student_logits, T), -1);

            Tensor *difference = t_mul(soft_targets, t_sub(t_log(soft_targets), soft_prob));
            Tensor *soft_targets_loss = t_mul(t_div(t_sum(difference), t_size(soft_prob, 0)), T * T);

            Tensor *label_loss = nn_call(ce_loss, student_logits, b.y);

            Tensor *loss = t_add(t_mul(soft_target_loss_weight, soft_targets_loss), t_mul(ce_loss_weight, label_loss));

            t_backward(loss);
            optim_step(optimizer);

            running_loss += t_item(loss);
        }

        printf("Epoch %d/%d, Loss: %.4f\n", (int)epoch + 1, epochs, running_loss / (double)data_len(train_loader));
    }
}

/* ---- The hidden representation: subclasses whose forward has a second result. Those of the students take a void *, so
 * that one test serves both. ---- */

typedef Tensor *TwoOutputs(void *model, Tensor *x, Tensor **hidden);

typedef struct ModifiedDeepNNCosine {
    DeepNN super;
} ModifiedDeepNNCosine;

static Tensor *modified_deep_nn_cosine_call(ModifiedDeepNNCosine *self, Tensor *x, Tensor **hidden) {
    x = nn_call(self->super.features, x);
    Tensor *flattened_conv_output = t_flatten(x, 1);
    x = nn_call(self->super.classifier, flattened_conv_output);
    Tensor *flattened_conv_output_after_pooling = F_avg_pool1d(flattened_conv_output, 2);
    *hidden = flattened_conv_output_after_pooling;
    return x;
}

static ModifiedDeepNNCosine *modified_deep_nn_cosine(int64_t num_classes) {
    return nn_subclass(ModifiedDeepNNCosine, NULL, deep_nn(num_classes));
}

typedef struct ModifiedLightNNCosine {
    LightNN super;
} ModifiedLightNNCosine;

static Tensor *modified_light_nn_cosine_call(void *context, Tensor *x, Tensor **hidden) {
    ModifiedLightNNCosine *self = context;
    x = nn_call(self->super.features, x);
    Tensor *flattened_conv_output = t_flatten(x, 1);
    x = nn_call(self->super.classifier, flattened_conv_output);
    *hidden = flattened_conv_output;
    return x;
}

static ModifiedLightNNCosine *modified_light_nn_cosine(int64_t num_classes) {
    return nn_subclass(ModifiedLightNNCosine, NULL, light_nn(num_classes));
}

static void train_cosine_loss(ModifiedDeepNNCosine *teacher, ModifiedLightNNCosine *student,
                              data_DataLoader *train_loader, int epochs, double learning_rate,
                              double hidden_rep_loss_weight, double ce_loss_weight) {
    nn_CrossEntropyLoss *ce_loss = nn_CrossEntropyLoss();
    nn_CosineEmbeddingLoss *cosine_loss = nn_CosineEmbeddingLoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(student), .lr = learning_rate);

    nn_eval(teacher);
    nn_train(student);

    for_range (epoch, epochs) {
        double running_loss = 0.0;
        for_batch (b, train_loader) {
            optim_zero_grad(optimizer);

            Tensor *teacher_hidden_representation, *student_hidden_representation;
            with_no_grad () modified_deep_nn_cosine_call(teacher, b.x, &teacher_hidden_representation);

            Tensor *student_logits = modified_light_nn_cosine_call(student, b.x, &student_hidden_representation);

            Tensor *target = t_ones(t_size(b.x, 0));
            Tensor *hidden_rep_loss = nn_CosineEmbeddingLoss_call(cosine_loss, student_hidden_representation,
                                                                  teacher_hidden_representation, target);

            Tensor *label_loss = nn_call(ce_loss, student_logits, b.y);

            Tensor *loss = t_add(t_mul(hidden_rep_loss_weight, hidden_rep_loss), t_mul(ce_loss_weight, label_loss));

            t_backward(loss);
            optim_step(optimizer);

            running_loss += t_item(loss);
        }

        printf("Epoch %d/%d, Loss: %.4f\n", (int)epoch + 1, epochs, running_loss / (double)data_len(train_loader));
    }
}

/* ---- The feature map, through a regressor ---- */

typedef struct ModifiedDeepNNRegressor {
    DeepNN super;
} ModifiedDeepNNRegressor;

static Tensor *modified_deep_nn_regressor_call(ModifiedDeepNNRegressor *self, Tensor *x, Tensor **feature_map) {
    x = nn_call(self->super.features, x);
    Tensor *conv_feature_map = x;
    x = t_flatten(x, 1);
    x = nn_call(self->super.classifier, x);
    *feature_map = conv_feature_map;
    return x;
}

static ModifiedDeepNNRegressor *modified_deep_nn_regressor(int64_t num_classes) {
    return nn_subclass(ModifiedDeepNNRegressor, NULL, deep_nn(num_classes));
}

typedef struct ModifiedLightNNRegressor {
    LightNN super;
    nn_Sequential *regressor;
} ModifiedLightNNRegressor;

static Tensor *modified_light_nn_regressor_call(void *context, Tensor *x, Tensor **feature_map) {
    ModifiedLightNNRegressor *self = context;
    x = nn_call(self->super.features, x);
    Tensor *regressor_output = nn_call(self->regressor, x);
    x = t_flatten(x, 1);
    x = nn_call(self->super.classifier, x);
    *feature_map = regressor_output;
    return x;
}

static ModifiedLightNNRegressor *modified_light_nn_regressor(int64_t num_classes) {
    ModifiedLightNNRegressor *self = nn_subclass(ModifiedLightNNRegressor, NULL, light_nn(num_classes));
    nn_set(self, regressor, nn_Sequential(nn_Conv2d(8, 16, .kernel_size = 3, .padding = 1)));
    return self;
}

static void train_mse_loss(ModifiedDeepNNRegressor *teacher, ModifiedLightNNRegressor *student,
                           data_DataLoader *train_loader, int epochs, double learning_rate, double feature_map_weight,
                           double ce_loss_weight) {
    nn_CrossEntropyLoss *ce_loss = nn_CrossEntropyLoss();
    nn_MSELoss *mse_loss = nn_MSELoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(student), .lr = learning_rate);

    nn_eval(teacher);
    nn_train(student);

    for_range (epoch, epochs) {
        double running_loss = 0.0;
        for_batch (b, train_loader) {
            optim_zero_grad(optimizer);

            Tensor *teacher_feature_map, *regressor_feature_map;
            with_no_grad () modified_deep_nn_regressor_call(teacher, b.x, &teacher_feature_map);

            Tensor *student_logits = modified_light_nn_regressor_call(student, b.x, &regressor_feature_map);

            Tensor *hidden_rep_loss = nn_call(mse_loss, regressor_feature_map, teacher_feature_map);

            Tensor *label_loss = nn_call(ce_loss, student_logits, b.y);

            Tensor *loss = t_add(t_mul(feature_map_weight, hidden_rep_loss), t_mul(ce_loss_weight, label_loss));

            t_backward(loss);
            optim_step(optimizer);

            running_loss += t_item(loss);
        }

        printf("Epoch %d/%d, Loss: %.4f\n", (int)epoch + 1, epochs, running_loss / (double)data_len(train_loader));
    }
}

static double test_multiple_outputs(void *model, TwoOutputs *forward, data_DataLoader *test_loader) {
    nn_eval(model);

    double correct = 0;
    double total = 0;

    with_no_grad () {
        for_batch (b, test_loader) {
            Tensor *hidden, *predicted;
            Tensor *outputs = forward(model, b.x, &hidden);
            t_max(outputs, 1, .indices = &predicted);

            total += (double)t_size(b.y, 0);
            correct += t_item(t_sum(t_eq(predicted, b.y)));
        }
    }

    double accuracy = 100 * correct / total;
    printf("Test Accuracy: %.2f%%\n", accuracy);
    return accuracy;
}

static data_Dataset *normalized_images(int64_t n) {
    Tensor *images, *labels;
    synthetic_images(n, 3, 16, 0.75, &images, &labels);
    return data_TensorDataset(t_list(t_div(t_sub(images, 0.5), 0.1), labels));
}

/* The weight of the first layer. */
static Tensor *first(nn_Sequential *features) {
    return nn_get(features, 0, nn_Conv2d)->weight;
}

static void run(void) {
    data_DataLoader *train_loader = data_DataLoader(normalized_images(1200), .batch_size = 20, .shuffle = true);
    data_DataLoader *test_loader = data_DataLoader(normalized_images(1000), .batch_size = 100);

    t_manual_seed(42);
    DeepNN *nn_deep = deep_nn(10);
    train(nn_deep, train_loader, 5, 0.001);
    double test_accuracy_deep = test(nn_deep, test_loader);

    t_manual_seed(42);
    LightNN *nn_light = light_nn(10);

    t_manual_seed(42);
    LightNN *new_nn_light = light_nn(10);
    printf("Norm of 1st layer of nn_light: %.6f\n", t_item(t_norm(first(nn_light->features))));
    printf("Norm of 1st layer of new_nn_light: %.6f\n", t_item(t_norm(first(new_nn_light->features))));

    int64_t total_params_deep = nn_count_parameters(nn_deep, false);
    printf("DeepNN parameters: %s\n", commas(total_params_deep));
    int64_t total_params_light = nn_count_parameters(nn_light, false);
    printf("LightNN parameters: %s\n", commas(total_params_light));

    train(nn_light, train_loader, 5, 0.003);
    double test_accuracy_light_ce = test(nn_light, test_loader);

    printf("Teacher accuracy: %.2f%%\n", test_accuracy_deep);
    printf("Student accuracy: %.2f%%\n", test_accuracy_light_ce);

    train_knowledge_distillation(nn_deep, new_nn_light, train_loader, 5, 0.003, 2, 0.25, 0.75);
    double test_accuracy_light_ce_and_kd = test(new_nn_light, test_loader);

    t_manual_seed(42);
    ModifiedDeepNNCosine *modified_nn_deep = modified_deep_nn_cosine(10);
    nn_load_state_dict(modified_nn_deep, nn_state_dict(nn_deep));
    printf("Norm of 1st layer for deep_nn: %.4f\n", t_item(t_norm(first(nn_deep->features))));
    printf("Norm of 1st layer for modified_nn_deep: %.4f\n", t_item(t_norm(first(modified_nn_deep->super.features))));

    t_manual_seed(42);
    ModifiedLightNNCosine *modified_nn_light = modified_light_nn_cosine(10);
    printf("Norm of 1st layer: %.6f\n", t_item(t_norm(first(modified_nn_light->super.features))));

    Tensor *sample_input = t_randn(128, 3, 16, 16);

    Tensor *hidden_representation, *logits;
    logits = modified_light_nn_cosine_call(modified_nn_light, sample_input, &hidden_representation);
    printf("Student logits shape: %s\n", t_size_repr(logits));
    printf("Student hidden representation shape: %s\n", t_size_repr(hidden_representation));

    logits = modified_deep_nn_cosine_call(modified_nn_deep, sample_input, &hidden_representation);
    printf("Teacher logits shape: %s\n", t_size_repr(logits));
    printf("Teacher hidden representation shape: %s\n", t_size_repr(hidden_representation));

    train_cosine_loss(modified_nn_deep, modified_nn_light, train_loader, 5, 0.003, 0.25, 0.75);
    double test_accuracy_light_ce_and_cosine_loss =
        test_multiple_outputs(modified_nn_light, modified_light_nn_cosine_call, test_loader);

    Tensor *convolutional_fe_output_student = nn_call(nn_light->features, sample_input);
    Tensor *convolutional_fe_output_teacher = nn_call(nn_deep->features, sample_input);
    printf("Student's feature extractor output shape: %s\n", t_size_repr(convolutional_fe_output_student));
    printf("Teacher's feature extractor output shape: %s\n", t_size_repr(convolutional_fe_output_teacher));

    t_manual_seed(42);
    ModifiedLightNNRegressor *modified_nn_light_reg = modified_light_nn_regressor(10);

    t_manual_seed(42);
    ModifiedDeepNNRegressor *modified_nn_deep_reg = modified_deep_nn_regressor(10);
    nn_load_state_dict(modified_nn_deep_reg, nn_state_dict(nn_deep));

    train_mse_loss(modified_nn_deep_reg, modified_nn_light_reg, train_loader, 5, 0.003, 0.02, 0.98);
    double test_accuracy_light_ce_and_mse_loss =
        test_multiple_outputs(modified_nn_light_reg, modified_light_nn_regressor_call, test_loader);

    printf("Teacher accuracy: %.2f%%\n", test_accuracy_deep);
    printf("Student accuracy without teacher: %.2f%%\n", test_accuracy_light_ce);
    printf("Student accuracy with CE + KD: %.2f%%\n", test_accuracy_light_ce_and_kd);
    printf("Student accuracy with CE + CosineLoss: %.2f%%\n", test_accuracy_light_ce_and_cosine_loss);
    printf("Student accuracy with CE + RegressorMSE: %.2f%%\n", test_accuracy_light_ce_and_mse_loss);
}

int main(void) {
    t_manual_seed(42);
    run();
    return 0;
}
