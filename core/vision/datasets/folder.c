/* core/vision/datasets/folder.c: ImageFolder and DatasetFolder: a folder for each class, with a file for each sample in
 * it or below. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/ops/ops.h"
#include "core/vision/datasets/datasets_internal.h"
#include "core/vision/io/image.h"
#include "core/vision/transforms/functional_internal.h"

/* ---- lists of texts ---- */

enum { MOST_NAMES = 1 << 28, DEEPEST = 64 };

static bool add_text(tg_Texts *list, const char *text) {
    if (list->len == list->capacity) {
        const int64_t capacity = list->capacity ? 2 * list->capacity : 64;
        if (capacity > MOST_NAMES) return tg_fail("more than %d files", MOST_NAMES);
        char **items = tg_alloc_raw((size_t)capacity * sizeof *items);
        if (!items) return false;
        if (list->len) memcpy(items, list->items, (size_t)list->len * sizeof *items);
        tg_free(list->items, (size_t)list->capacity * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    const size_t size = strlen(text) + 1;
    char *copy = tg_alloc_raw(size);
    if (!copy) return false;
    memcpy(copy, text, size);
    list->items[list->len++] = copy;
    return true;
}

void tg_texts_free(tg_Texts *list) {
    for (int64_t i = 0; i < list->len; i++) tg_free(list->items[i], strlen(list->items[i]) + 1);
    tg_free(list->items, (size_t)list->capacity * sizeof *list->items);
    *list = (tg_Texts){0};
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_from(tg_Texts *list, int64_t first) {
    if (list->len > first) qsort(list->items + first, (size_t)(list->len - first), sizeof *list->items, compare);
}

/* ---- folders ---- */

/* Python's error of os.scandir. */
static bool fail_path(const char *path) {
    return tg_fail("[Errno %d] %s: '%s'", errno, strerror(errno), path);
}

/* Adds the names in a folder: of folders, or of other files. Links are followed. */
static bool list_folder(const char *path, bool folders, bool with_path, tg_Texts *to) {
    DIR *entries = opendir(path);
    if (!entries) return fail_path(path);
    bool ok = true;
    for (const struct dirent *entry; ok && (entry = readdir(entries));) {
        char full[4096];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (snprintf(full, sizeof full, "%s/%s", path, entry->d_name) >= (int)sizeof full)
            ok = tg_fail("%s/%s: the path is too long", path, entry->d_name);
        else if (stat(full, &about) == 0 && S_ISDIR(about.st_mode) == folders)
            ok = add_text(to, with_path ? full : entry->d_name);
    }
    closedir(entries);
    return ok;
}

/* The folder and all below it. */
static bool walk(const char *path, int depth, tg_Texts *to) {
    if (depth > DEEPEST) return tg_fail("%s: more than %d folders, one in the other", path, DEEPEST);
    if (!add_text(to, path)) return false;
    tg_Texts below = {0};
    bool ok = list_folder(path, true, true, &below);
    for (int64_t i = 0; ok && i < below.len; i++) ok = walk(below.items[i], depth + 1, to);
    tg_texts_free(&below);
    return ok;
}

/* ---- which files are samples ---- */

static const char *const image_extensions[] = {".jpg", ".jpeg", ".png",  ".ppm",  ".bmp",
                                               ".pgm", ".tif",  ".tiff", ".webp", NULL};

typedef struct Search {
    const char *const *extensions; /* NULL: the function decides */
    const datasets_FolderOptions *options;
} Search;

static bool is_sample(const Search *s, const char *path) {
    if (!s->extensions) {
        const int depth = tg_scope_open_around_callback();
        const bool is_valid = depth && s->options->is_valid_file(path, s->options->context);
        tg_scope_close(depth);
        return is_valid;
    }
    const size_t length = strlen(path);
    for (int i = 0; s->extensions[i]; i++) {
        const size_t ending = strlen(s->extensions[i]);
        if (ending <= length && strcasecmp(path + length - ending, s->extensions[i]) == 0) return true;
    }
    return false;
}

/* The samples of one class, in the order of sorted(os.walk(folder)) and sorted names. */
static bool find_samples(const Search *s, const char *folder, tg_Texts *to) {
    tg_Texts folders = {0};
    bool ok = walk(folder, 0, &folders);
    sort_from(&folders, 0);
    for (int64_t i = 0; ok && i < folders.len; i++) {
        tg_Texts files = {0};
        ok = list_folder(folders.items[i], false, true, &files);
        sort_from(&files, 0);
        for (int64_t k = 0; ok && k < files.len; k++) {
            const int64_t failures = tg_context()->failures;
            const bool is_valid = is_sample(s, files.items[k]);
            ok = !tg_failed_since(failures) && (!is_valid || add_text(to, files.items[k]));
        }
        tg_texts_free(&files);
    }
    tg_texts_free(&folders);
    return ok;
}

/* torchvision's error for classes without samples; the names in text are separated by commas. */
static bool fail_empty(const Search *s, const char *text) {
    char supported[200] = "";
    size_t used = 0;
    for (int i = 0; s->extensions && s->extensions[i] && used < sizeof supported; i++)
        used += (size_t)snprintf(supported + used, sizeof supported - used, "%s%s",
                                 i ? ", " : "Supported extensions are: ", s->extensions[i]);
    return tg_fail("Found no valid file for the classes %s. %s", text, supported);
}

static bool read_folder(tg_VisionDataset *self, const char *root, const Search *s) {
    tg_Texts classes = {0};
    size_t size;
    char *path = tg_join_path(root, "", "", "", &size), empty[300] = "";
    if (!path) return false;
    path[strlen(path) - 1] = '\0'; /* the slash */
    bool ok = list_folder(path, true, false, &classes);
    sort_from(&classes, 0);
    if (ok && classes.len == 0) ok = tg_fail("Couldn't find any class folder in %s.", root);
    int64_t *ends = ok ? tg_alloc_raw((size_t)classes.len * sizeof *ends) : NULL;
    ok = ok && ends;
    for (int64_t c = 0; ok && c < classes.len; c++) {
        char folder[4096];
        const int64_t before = self->paths.len;
        snprintf(folder, sizeof folder, "%s/%s", path, classes.items[c]); /* list_folder has checked its length */
        ok = find_samples(s, folder, &self->paths) &&
             tg_vision_add_class(self, classes.items[c], strlen(classes.items[c]));
        if (ends) ends[c] = self->paths.len;
        const size_t used = strlen(empty);
        if (ok && self->paths.len == before)
            snprintf(empty + used, sizeof empty - used, "%s%s", used ? ", " : "", classes.items[c]);
    }
    if (ok && *empty && !s->options->allow_empty) ok = fail_empty(s, empty);
    self->len = self->paths.len;
    Tensor *targets = ok ? tg_empty(&self->len, 1, t_int64) : NULL;
    for (int64_t c = 0, i = 0; targets && c < classes.len; c++)
        for (; i < ends[c]; i++) ((int64_t *)tg_data(targets))[i] = c;
    tg_free(ends, (size_t)classes.len * sizeof *ends);
    tg_texts_free(&classes);
    tg_free(path, size);
    return targets && tg_vision_keep(&self->targets, targets);
}

/* ---- samples ---- */

/* Image.open(path).convert("RGB"). Of 16 bits the upper eight. */
static Tensor *default_loader(const char *path) {
    const io_ImageOptions options = {.size = sizeof options, .mode = ImageReadMode_RGB};
    Tensor *image = io_read_image(path, &options);
    if (image && image->dtype != t_uint8) image = t_to(t_bitwise_right_shift(image, t_integer(8)), t_uint8);
    Tensor *copy = image ? t_contiguous(image) : NULL;
    return copy ? tg_mark_pil(copy) : NULL;
}

static Tensor *folder_image(const tg_VisionDataset *self, int64_t index, int64_t *target) {
    const char *path = self->paths.items[index];
    *target = ((const int64_t *)tg_data(self->targets))[index];
    if (!self->loader) return default_loader(path);
    const int64_t failures = tg_context()->failures;
    const int depth = tg_scope_open_around_callback();
    if (!depth) return NULL;
    Tensor *sample = self->loader(path, self->loader_context);
    return tg_scope_return_tensor(depth, failures, sample, "the loader of %s", path);
}

static data_Dataset *folder_new(const char *name, const char *root, const datasets_FolderOptions *options,
                                const char *const *extensions) {
    if (!root) return tg_fail("argument 1 is NULL where a path is expected");
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const Search search = {extensions, options};
    tg_VisionDataset *self = tg_vision_new(name, root, options->transform, options->target_transform);
    bool ok = self != NULL;
    if (ok) {
        self->image = folder_image;
        self->loader = options->loader;
        self->loader_context = options->context;
        ok = read_folder(self, root, &search);
    }
    return tg_scope_return(depth, tg_vision_dataset(self, ok));
}

/* ImageFolder(root, transform, target_transform, loader, is_valid_file, allow_empty): the images below root/class, of
 * all classes in the order of their names. They are RGB, unless a loader reads them. Errors: no class; a class without
 * an image; what the loader says, with the file's name. */
data_Dataset *datasets_ImageFolder_new(const char *root, const datasets_FolderOptions *given) {
    datasets_FolderOptions options = {.size = sizeof options};
    if (!tg_take_options(&options, given, sizeof options)) return NULL;
    return folder_new("ImageFolder", root, &options, options.is_valid_file ? NULL : image_extensions);
}

/* DatasetFolder(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty): samples of any kind
 * that a loader reads, chosen by the ends of their names or by a function. Error: both or none of these. */
data_Dataset *datasets_DatasetFolder_new(const char *root, const datasets_FolderOptions *given) {
    datasets_FolderOptions options = {.size = sizeof options};
    if (!tg_take_options(&options, given, sizeof options)) return NULL;
    if (!options.loader) return tg_fail("DatasetFolder.__init__() missing a required argument: 'loader'");
    const bool by_name = options.extensions[0] != NULL;
    if (by_name == (options.is_valid_file != NULL))
        return tg_fail("Both extensions and is_valid_file cannot be None or not None at the same time");
    options.extensions[DATASETS_MAX_EXTENSIONS - 1] = NULL;
    return folder_new("DatasetFolder", root, &options, by_name ? options.extensions : NULL);
}
