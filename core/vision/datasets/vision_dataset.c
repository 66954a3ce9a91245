/* core/vision/datasets/vision_dataset.c: torchvision.datasets.VisionDataset: what all datasets of images have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/data/data_internal.h"
#include "core/ops/ops.h"
#include "core/tensor/str.h"
#include "core/vision/datasets/datasets_internal.h"
#include "core/vision/transforms/transform_internal.h"

/* ---- paths ---- */

/* The path's length; it is written as far as there is space. */
static size_t print_path(char *to, size_t size, const char *root, const char *folder, const char *file,
                         const char *suffix) {
    const bool at_home = root[0] == '~' && (root[1] == '/' || root[1] == '\0');
    const char *home = at_home ? getenv("HOME") : NULL;
    return (size_t)snprintf(to, size, "%s%s/%s%s%s%s", home ? home : "", home ? root + 1 : root, folder,
                            *file ? "/" : "", file, suffix);
}

char *tg_join_path(const char *root, const char *folder, const char *file, const char *suffix, size_t *size) {
    *size = print_path(NULL, 0, root, folder, file, suffix) + 1;
    char *path = tg_alloc_raw(*size);
    if (path) print_path(path, *size, root, folder, file, suffix);
    return path;
}

bool tg_file_exists(const char *root, const char *folder, const char *file, const char *suffix) {
    char path[4096];
    struct stat about;
    return print_path(path, sizeof path, root, folder, file, suffix) < sizeof path && stat(path, &about) == 0;
}

/* ---- the context ---- */

tg_VisionDataset *tg_vision_new(const char *name, const char *root, transforms_Transform *transform,
                                transforms_Transform *target_transform) {
    if (transform && !tg_check_image_transform(transform, 2)) return NULL;
    if (target_transform && !tg_check_image_transform(target_transform, 3)) return NULL;
    tg_VisionDataset *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->name = name;
    if (root && !(self->root = tg_alloc_raw(strlen(root) + 1))) {
        tg_free(self, sizeof *self);
        return NULL;
    }
    if (root) memcpy(self->root, root, strlen(root) + 1);
    self->transform = transform ? t_retain(transform) : NULL;
    self->target_transform = target_transform ? t_retain(target_transform) : NULL;
    return self;
}

void tg_vision_free(tg_VisionDataset *self) {
    if (!self->is_copy) {
        t_release(self->transform);
        t_release(self->target_transform);
        t_release(self->data);
        t_release(self->targets);
        for (int64_t i = 0; self->own_classes && i < self->class_count; i++)
            tg_free(self->own_classes[i], strlen(self->own_classes[i]) + 1);
        tg_free(self->own_classes, (size_t)self->class_count * sizeof *self->own_classes);
        tg_texts_free(&self->paths);
        if (self->root) tg_free(self->root, strlen(self->root) + 1);
    }
    tg_free(self, sizeof *self);
}

bool tg_vision_keep(Tensor **field, Tensor *x) {
    *field = x ? tg_take_from_scope(x) : NULL;
    return x != NULL;
}

bool tg_vision_add_class(tg_VisionDataset *self, const char *name, size_t length) {
    const size_t old = (size_t)self->class_count * sizeof *self->own_classes;
    char **classes = tg_alloc_raw(old + sizeof *classes), *copy = tg_alloc_raw(length + 1);
    if (!classes || !copy) {
        tg_free(classes, old + sizeof *classes);
        tg_free(copy, length + 1);
        return false;
    }
    if (old) memcpy(classes, self->own_classes, old);
    memcpy(copy, name, length);
    copy[length] = '\0';
    copy[strlen(copy)] = '\0';
    classes[self->class_count++] = copy;
    tg_free(self->own_classes, old);
    self->own_classes = classes;
    self->classes = (const char *const *)classes;
    return true;
}

Tensor *tg_vision_image(const tg_VisionDataset *self, int64_t index, int64_t *target) {
    const Tensor *data = self->data;
    const int64_t channels = data->ndim == 4 ? data->shape[1] : 1;
    const int64_t shape[] = {channels, data->shape[data->ndim - 2], data->shape[data->ndim - 1]};
    Tensor *img = tg_mark_pil(tg_empty(shape, 3, t_uint8));
    const size_t bytes = (size_t)(shape[0] * shape[1] * shape[2]);
    if (img && bytes) memcpy(tg_data(img), (const uint8_t *)tg_data(data) + (size_t)index * bytes, bytes);
    *target = ((const int64_t *)tg_data(self->targets))[index];
    return img;
}

/* ---- the dataset ---- */

static int64_t vision_len(void *context) {
    return ((const tg_VisionDataset *)context)->len;
}

static bool vision_get(void *context, int64_t index, Tensor **x, Tensor **y) {
    const tg_VisionDataset *self = context;
    int64_t target = 0;
    *x = self->image(self, index, &target);
    if (*x && self->transform) *x = transforms_call(self->transform, *x);
    if (!*x) return false;
    *y = t_integer(target);
    if (*y && self->target_transform) *y = transforms_call(self->target_transform, *y);
    return *y != NULL;
}

static void vision_destroy(void *context) {
    tg_vision_free(context);
}

static void *vision_copy(void *context) {
    tg_VisionDataset *copy = tg_alloc_raw(sizeof *copy);
    if (!copy) return NULL;
    *copy = *(const tg_VisionDataset *)context;
    copy->is_copy = true;
    return copy;
}

static bool is_pure(const transforms_Transform *transform) {
    return !transform || tg_image_transform_is_pure(transform);
}

data_Dataset *tg_vision_dataset(tg_VisionDataset *self, bool ok) {
    if (!self) return NULL;
    const bool shares = !is_pure(self->transform) || !is_pure(self->target_transform) || self->loader;
    const data_DatasetOptions options = {
        .size = sizeof options, .context = self, .destroy = vision_destroy, .copy = shares ? NULL : vision_copy};
    data_Dataset *dataset = ok ? data_Dataset_new(vision_len, vision_get, &options) : NULL;
    if (!dataset) tg_vision_free(self);
    return dataset;
}

/* ---- attributes ---- */

static const tg_VisionDataset *context_of(data_Dataset *dataset) {
    if (!tg_check_dataset(dataset, 1)) return NULL;
    if (dataset->get != vision_get) return tg_fail("argument 1 is not a dataset of torchvision.datasets");
    return dataset->user.context;
}

static void *no_attribute(const tg_VisionDataset *self, const char *name) {
    return tg_fail("'%s' object has no attribute '%s'", self->name, name);
}

/* dataset.data: a view of what the samples are copied from: (N, H, W), and CIFAR's as (N, H, W, 3), as in Python. */
Tensor *datasets_data(data_Dataset *dataset) {
    const tg_VisionDataset *self = context_of(dataset);
    if (!self) return NULL;
    if (!self->data) return no_attribute(self, "data");
    Tensor *data = self->data;
    return data->ndim == 4 ? t_permute(data, (const int64_t[]){0, 2, 3, 1}, 4) : t_detach(data);
}

Tensor *datasets_targets(data_Dataset *dataset) {
    const tg_VisionDataset *self = context_of(dataset);
    if (!self) return NULL;
    return self->targets ? t_detach(self->targets) : no_attribute(self, "targets");
}

const char *const *datasets_classes(data_Dataset *dataset, int64_t *count) {
    const tg_VisionDataset *self = context_of(dataset);
    if (count) *count = self ? self->class_count : 0;
    if (!self) return NULL;
    return self->class_count ? self->classes : no_attribute(self, "classes");
}

int64_t datasets_class_to_idx(data_Dataset *dataset, const char *name) {
    int64_t count;
    const char *const *classes = datasets_classes(dataset, &count);
    for (int64_t i = 0; classes && name && i < count; i++)
        if (strcmp(classes[i], name) == 0) return i;
    if (classes) tg_fail("KeyError: '%s'", name ? name : "None");
    return -1;
}

const char *datasets_sample_path(data_Dataset *dataset, int64_t index) {
    const tg_VisionDataset *self = context_of(dataset);
    if (!self) return NULL;
    if (!self->paths.items) return no_attribute(self, "samples");
    const int64_t at = index < 0 ? index + self->paths.len : index;
    if (at < 0 || at >= self->paths.len) return tg_fail("list index out of range: %lld", (long long)index);
    return self->paths.items[at];
}

/* Lines of a transform, under its name. */
static void print_indented(tg_Output *out, const char *name, const char *text) {
    tg_output_print(out, "\n%s", name);
    for (const char *at = text;; at++) {
        const size_t line = strcspn(at, "\n");
        tg_output_write(out, at, line);
        at += line;
        if (!*at) return;
        tg_output_print(out, "\n%*s", (int)strlen(name), "");
    }
}

const char *datasets_str(data_Dataset *dataset) {
    const tg_VisionDataset *self = context_of(dataset);
    if (!self) return NULL;
    const char *transform = self->transform ? transforms_str(self->transform) : NULL;
    const char *target_transform = self->target_transform ? transforms_str(self->target_transform) : NULL;
    if ((self->transform && !transform) || (self->target_transform && !target_transform)) return NULL;
    tg_Output out;
    tg_output_memory(&out);
    tg_output_print(&out, "Dataset %s\n    Number of datapoints: %lld", self->name, (long long)self->len);
    if (self->root) tg_output_print(&out, "\n    Root location: %s", self->root);
    if (self->split) tg_output_print(&out, "\n    Split: %s", self->split);
    if (transform || target_transform) tg_output_text(&out, "\n    StandardTransform");
    if (transform) print_indented(&out, "Transform: ", transform);
    if (target_transform) print_indented(&out, "Target transform: ", target_transform);
    return tg_str_new(tg_output_take_text(&out, true));
}

void datasets_print(data_Dataset *dataset) {
    const int depth = t_scope_open();
    const char *text = depth ? datasets_str(dataset) : NULL;
    if (text) puts(text);
    t_scope_close(depth);
}
