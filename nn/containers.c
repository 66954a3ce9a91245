/* nn/containers.c: Sequential and ModuleList, whose children are named "0", "1", ...; and the two losses. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/functional.h"
#include "nn/layers.h"
#include "nn/module_internal.h"

/* ---- containers ---- */

static Tensor *sequential_forward(void *module, Tensor *x) {
    nn_Sequential *self = module;
    for (nn_Entry *entry = tg_child(self->base.first); entry && x; entry = tg_child(entry->next)) x = nn_call(entry->value, x);
    return x;
}

/* list.append(module): under the next number as its name. Works on a Sequential too. */
bool nn_append(void *list, void *module) {
    char name[32];
    if (!tg_check_module(list, 1) || !tg_check_module(module, 2)) return false;
    snprintf(name, sizeof name, "%" PRId64, nn_len(list));
    return nn_register_module(list, name, module);
}

static void *container(size_t bytes, const char *type, nn_Forward forward, void *const *modules, int64_t count) {
    Making making = tg_begin();
    nn_Module *self = nn_module_new(bytes, type, forward);
    bool complete = true; /* a module that failed before it came here is a NULL among them */
    for (int64_t i = 0; self && complete && i < count; i++) complete = nn_append(self, modules[i]);
    return tg_end(making, complete ? self : NULL);
}

/* nn.Sequential(*modules): its forward is each one's in turn. */
nn_Sequential *nn_Sequential_new(void *const *modules, int64_t count) {
    return container(sizeof(nn_Sequential), "nn_Sequential", sequential_forward, modules, count);
}

/* nn.ModuleList(modules): holds them, and has no forward. */
nn_ModuleList *nn_ModuleList_new(void *const *modules, int64_t count) {
    return container(sizeof(nn_ModuleList), "nn_ModuleList", NULL, modules, count);
}

/* len(list); -1 on error. */
int64_t nn_len(const void *list) {
    if (!tg_check_module(list, 1)) return -1;
    int64_t count = 0;
    for (const nn_Entry *entry = tg_child(((const nn_Module *)list)->first); entry; entry = tg_child(entry->next)) count++;
    return count;
}

/* list[index], negative from the end. Error: out of range. */
void *nn_get(const void *list, int64_t index) {
    int64_t count = nn_len(list), at = index < 0 ? index + count : index;
    if (count < 0) return NULL;
    if (at < 0 || at >= count) return tg_fail("index %" PRId64 " is out of range", index);
    nn_Entry *entry = tg_child(((const nn_Module *)list)->first);
    while (at-- > 0) entry = tg_child(entry->next);
    return entry->value;
}

/* ---- losses ---- */

static bool check_reduction(const char *reduction) {
    if (strcmp(reduction, "mean") == 0 || strcmp(reduction, "sum") == 0 || strcmp(reduction, "none") == 0) return true;
    return tg_fail("%s is not a valid value for reduction", reduction);
}

/* nn.CrossEntropyLoss: F_cross_entropy with the options given at construction. Error: an unknown reduction. */
Tensor *nn_CrossEntropyLoss_call(nn_CrossEntropyLoss *self, Tensor *input, Tensor *target) {
    F_LossOptions options = {.size = sizeof options, .weight = self->weight, .ignore_index = self->ignore_index,
                             .reduction = self->reduction, .label_smoothing = self->label_smoothing};
    return F_cross_entropy(input, target, &options);
}

static Tensor *cross_entropy_forward(void *self, Tensor *input, Tensor *target) {
    return nn_CrossEntropyLoss_call(self, input, target);
}

nn_CrossEntropyLoss *nn_CrossEntropyLoss_new(const nn_CrossEntropyLossOptions *options) {
    nn_CrossEntropyLossOptions o = {.size = sizeof o, .ignore_index = -100, .reduction = "mean"};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!o.reduction) o.reduction = "mean";
    if (!check_reduction(o.reduction)) return NULL;
    Making making = tg_begin();
    nn_CrossEntropyLoss *self = (nn_CrossEntropyLoss *)nn_module_new(sizeof *self, "nn_CrossEntropyLoss", NULL);
    if (self) {
        self->base.forward2 = cross_entropy_forward;
        self->ignore_index = o.ignore_index;
        self->label_smoothing = o.label_smoothing;
        strcpy(self->reduction, o.reduction);
        self->weight = o.weight;
        nn_register_buffer(&self->base, "weight", o.weight);
    }
    return tg_end(making, self);
}

/* nn.MSELoss: F_mse_loss; reduction "mean" (also for NULL), "sum" or "none". */
Tensor *nn_MSELoss_call(nn_MSELoss *self, Tensor *input, Tensor *target) {
    F_LossOptions options = {.size = sizeof options, .ignore_index = -100, .reduction = self->reduction};
    return F_mse_loss(input, target, &options);
}

static Tensor *mse_forward(void *self, Tensor *input, Tensor *target) {
    return nn_MSELoss_call(self, input, target);
}

nn_MSELoss *nn_MSELoss_new(const char *reduction) {
    if (!reduction) reduction = "mean";
    if (!check_reduction(reduction)) return NULL;
    nn_MSELoss *self = (nn_MSELoss *)nn_module_new(sizeof *self, "nn_MSELoss", NULL);
    if (!self) return NULL;
    self->base.forward2 = mse_forward;
    strcpy(self->reduction, reduction);
    return self;
}
