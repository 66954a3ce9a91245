/* core/vision/datasets/sugar.h: the macros of torchvision.datasets: keywords (public; gcc and clang, C only).
 * core/sugar/sugar.h explains the macros. */
#ifndef TAPEGRAD_CORE_VISION_DATASETS_SUGAR_H
#define TAPEGRAD_CORE_VISION_DATASETS_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "core/vision/datasets/datasets.h"

/* datasets_MNIST("data", .train = false, .transform = transforms_ToTensor()); by position root, train, transform,
 * target_transform, download; CIFAR's are the same */
typedef struct datasets_Arguments_ {
    const char *root; bool train; transforms_Transform *transform, *target_transform; bool download;
} datasets_Arguments_;
#define DATASETS_FILES_(name, ...) T_BEGIN_(#name "(" #__VA_ARGS__ ")") \
    T_OPTIONS_(datasets_Arguments_, t__o, .train = true, .root = NULL, __VA_ARGS__) \
    const datasets_Options t__p = {sizeof t__p, t__o.train, t__o.transform, t__o.target_transform, t__o.download}; \
    T_END_(data_Dataset *, name##_new(t__o.root, &t__p))
#define datasets_MNIST(...) DATASETS_FILES_(datasets_MNIST, .root = __VA_ARGS__)
#define datasets_FashionMNIST(...) DATASETS_FILES_(datasets_FashionMNIST, .root = __VA_ARGS__)
#define datasets_KMNIST(...) DATASETS_FILES_(datasets_KMNIST, .root = __VA_ARGS__)
#define datasets_QMNIST(...) DATASETS_FILES_(datasets_QMNIST, .root = __VA_ARGS__)
/* datasets_EMNIST("data", "letters", .train = false) */
typedef struct datasets_EmnistArguments_ {
    const char *root, *split; bool train; transforms_Transform *transform, *target_transform; bool download;
} datasets_EmnistArguments_;
#define datasets_EMNIST(...) T_BEGIN_("datasets_EMNIST(" #__VA_ARGS__ ")") \
    T_OPTIONS_(datasets_EmnistArguments_, t__o, .train = true, .root = __VA_ARGS__) \
    const datasets_Options t__p = {sizeof t__p, t__o.train, t__o.transform, t__o.target_transform, t__o.download}; \
    T_END_(data_Dataset *, datasets_EMNIST_new(t__o.root, t__o.split, &t__p))
#define datasets_CIFAR10(...) DATASETS_FILES_(datasets_CIFAR10, .root = __VA_ARGS__)
#define datasets_CIFAR100(...) DATASETS_FILES_(datasets_CIFAR100, .root = __VA_ARGS__)
/* datasets_FakeData(), datasets_FakeData(100, .image_size = {1, 28, 28}, .transform = t) */
typedef struct datasets_FakeArguments_ {
    int first_; int64_t size, image_size[3], num_classes; transforms_Transform *transform, *target_transform;
    int64_t random_offset;
} datasets_FakeArguments_;
#define datasets_FakeData(...) T_BEGIN_("datasets_FakeData(" #__VA_ARGS__ ")") \
    T_OPTIONS_(datasets_FakeArguments_, t__o, .size = 1000, .image_size = {3, 224, 224}, .num_classes = 10, \
    .first_ = 0, __VA_ARGS__) \
    const datasets_FakeDataOptions t__p = {sizeof t__p, t__o.size, {t__o.image_size[0], t__o.image_size[1], \
    t__o.image_size[2]}, t__o.num_classes, t__o.transform, t__o.target_transform, t__o.random_offset}; \
    T_END_(data_Dataset *, datasets_FakeData_new(&t__p))

/* datasets_ImageFolder("data/train", transform), .loader, .is_valid_file, .allow_empty, .context;
 * datasets_DatasetFolder("data", loader, .extensions = {".txt"}) */
typedef struct datasets_FolderArguments_ {
    const char *root; transforms_Transform *transform, *target_transform; datasets_Loader loader;
    datasets_IsValidFile is_valid_file; bool allow_empty; void *context;
} datasets_FolderArguments_;
#define datasets_ImageFolder(...) T_BEGIN_("datasets_ImageFolder(" #__VA_ARGS__ ")") \
    T_OPTIONS_(datasets_FolderArguments_, t__o, .transform = NULL, .root = __VA_ARGS__) \
    const datasets_FolderOptions t__p = {sizeof t__p, t__o.transform, t__o.target_transform, t__o.loader, \
    t__o.is_valid_file, t__o.allow_empty, t__o.context, {NULL}}; \
    T_END_(data_Dataset *, datasets_ImageFolder_new(t__o.root, &t__p))
typedef struct datasets_AnyFolderArguments_ {
    const char *root; datasets_Loader loader; const char *extensions[DATASETS_MAX_EXTENSIONS];
    transforms_Transform *transform, *target_transform; datasets_IsValidFile is_valid_file; bool allow_empty;
    void *context;
} datasets_AnyFolderArguments_;
#define datasets_DatasetFolder(...) T_BEGIN_("datasets_DatasetFolder(" #__VA_ARGS__ ")") \
    T_OPTIONS_(datasets_AnyFolderArguments_, t__o, .transform = NULL, .root = __VA_ARGS__) \
    datasets_FolderOptions t__p = {sizeof t__p, t__o.transform, t__o.target_transform, t__o.loader, \
    t__o.is_valid_file, t__o.allow_empty, t__o.context, {NULL}}; \
    for (int t__i = 0; t__i < DATASETS_MAX_EXTENSIONS; t__i++) t__p.extensions[t__i] = t__o.extensions[t__i]; \
    T_END_(data_Dataset *, datasets_DatasetFolder_new(t__o.root, &t__p))

#define DATASETS_ATTRIBUTE_(type, f, dataset) T_BEGIN_(#f "(" #dataset ")") data_Dataset *t__a = (dataset); \
    T_END_(type, (f)(t__a))
#define datasets_data(dataset) DATASETS_ATTRIBUTE_(Tensor *, datasets_data, dataset)
#define datasets_targets(dataset) DATASETS_ATTRIBUTE_(Tensor *, datasets_targets, dataset)
#define datasets_str(dataset) DATASETS_ATTRIBUTE_(const char *, datasets_str, dataset)
#define datasets_print(dataset) T_BEGIN_("datasets_print(" #dataset ")") data_Dataset *t__a = (dataset); \
    T_END_VOID_((datasets_print)(t__a))
#define datasets_classes(dataset, count) T_BEGIN_("datasets_classes(" #dataset ", " #count ")") \
    data_Dataset *t__a = (dataset); int64_t *t__c = (count); \
    T_END_(const char *const *, (datasets_classes)(t__a, t__c))
#define datasets_sample_path(dataset, index) T_BEGIN_("datasets_sample_path(" #dataset ", " #index ")") \
    data_Dataset *t__a = (dataset); const int64_t t__i = (index); \
    T_END_(const char *, (datasets_sample_path)(t__a, t__i))
#define datasets_class_to_idx(dataset, name) T_BEGIN_("datasets_class_to_idx(" #dataset ", " #name ")") \
    data_Dataset *t__a = (dataset); const char *t__n = (name); T_END_(int64_t, (datasets_class_to_idx)(t__a, t__n))

#endif
#endif
