/* tests/torture/faults/world.c: what a failed call must leave as it was. */
#define _GNU_SOURCE
#include "tests/torture/faults/world.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "tests/torture/faults/faults.h"

/* ---- the live objects: a dense array, and a hash table from an object to its index ---- */

enum { MOST = 1 << 20, SLOTS = 1 << 22 };
typedef struct Live {
    t_Object *object;
    pthread_t thread;
} Live;
static struct {
    Live *items;
    int32_t *slots; /* index + 1; 0: empty */
    int64_t count;
} live;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reserve(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    return memory;
}

static uint32_t home_of(const t_Object *object) {
    return (uint32_t)(((uintptr_t)object >> 4) * 0x9E3779B97F4A7C15u >> 42);
}

static uint32_t slot_of(const t_Object *object) {
    uint32_t at = home_of(object);
    while (live.slots[at] && live.items[live.slots[at] - 1].object != object) at = (at + 1) % SLOTS;
    return at;
}

static void add(t_Object *object) {
    pthread_mutex_lock(&lock);
    if (!live.items) {
        live.items = reserve(MOST * sizeof *live.items);
        live.slots = reserve(SLOTS * sizeof *live.slots);
    }
    const uint32_t at = slot_of(object);
    if (!live.slots[at] && live.count < MOST) {
        live.items[live.count] = (Live){object, pthread_self()};
        live.slots[at] = (int32_t)++live.count;
    }
    pthread_mutex_unlock(&lock);
}

/* Empties the slot and moves up those behind it that would not be found any more. */
static void empty_slot(uint32_t hole) {
    for (uint32_t at = (hole + 1) % SLOTS; live.slots[at]; at = (at + 1) % SLOTS) {
        const uint32_t home = home_of(live.items[live.slots[at] - 1].object);
        if ((at - home) % SLOTS < (at - hole) % SLOTS) continue;
        live.slots[hole] = live.slots[at];
        hole = at;
    }
    live.slots[hole] = 0;
}

static void drop(const t_Object *object) {
    pthread_mutex_lock(&lock);
    const uint32_t at = live.items ? slot_of(object) : 0;
    if (live.items && live.slots[at]) {
        const int32_t index = live.slots[at] - 1;
        empty_slot(at);
        const Live last = live.items[live.count - 1];
        if (index != live.count - 1) {
            const uint32_t slot = slot_of(last.object);
            live.items[index] = last;
            live.slots[slot] = index + 1;
        }
        live.count--;
    }
    pthread_mutex_unlock(&lock);
}

void __real_tg_object_init(t_Object *object, const t_Class *is_a);
void __wrap_tg_object_init(t_Object *object, const t_Class *is_a);
void __wrap_tg_object_init(t_Object *object, const t_Class *is_a) {
    __real_tg_object_init(object, is_a);
    add(object);
}

void __real_tg_object_dispose(t_Object *object);
void __wrap_tg_object_dispose(t_Object *object);
void __wrap_tg_object_dispose(t_Object *object) {
    drop(object);
    __real_tg_object_dispose(object);
}

/* ---- what was looked at ---- */

enum { OBJECTS = 4000, ARENA = 1 << 24, LARGEST = 1 << 12, DATA = 1 << 22, FILES = 200 };
typedef struct Seen {
    t_Object *object, copy;
    uint32_t at, size; /* its other fields, in the arena */
    uint64_t data;     /* a tensor's, hashed */
    int64_t version;
} Seen;
typedef struct SeenFile {
    char name[600];
    uint64_t content;
    uint64_t inode;
} SeenFile;
static struct {
    Seen *objects;
    int64_t count, all;
    uint8_t *arena;
    uint32_t used;
    Context context;
    int64_t scope_count;
    uint64_t python, numpy;
    t_DType dtype;
    char folders[8][300], only[8][300]; /* only: the one file of it that is looked at; "": all */
    int folder_count, file_count, fd;
    SeenFile *files;
} seen;

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    uint64_t word;
    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    for (; size; size--, at++) h = (h ^ *at) * 0x100000001B3u;
    return h;
}

static bool is_tensor(const t_Object *object) {
    return object->is_a == &tg_tensor_class || object->is_a == &tg_uninitialized_class;
}

static uint64_t data_hash(const Tensor *x, size_t *left) {
    const size_t bytes = x->storage ? x->storage->bytes : 0;
    if (bytes > *left) return 0;
    *left -= bytes;
    return bytes ? hash_bytes(bytes, x->storage->data, bytes) : 0;
}

/* The fields of a tensor that no failed call may change. */
static void tensor_fields(const Tensor *x, Tensor *to) {
    memset(to, 0, sizeof *to);
    to->storage = x->storage;
    to->offset = x->offset;
    to->ndim = x->ndim;
    to->dtype = x->dtype;
    to->wrapped_number = x->wrapped_number;
    to->is_parameter = x->is_parameter;
    to->requires_grad = x->requires_grad;
    to->made_without_grad = x->made_without_grad;
    memcpy(to->shape, x->shape, (size_t)x->ndim * sizeof *x->shape);
    memcpy(to->strides, x->strides, (size_t)x->ndim * sizeof *x->strides);
    to->record = x->record;
    to->history_version = x->history_version;
    to->watch = x->watch;
    to->grad = x->grad;
    to->pending = x->pending;
    to->hooks = x->hooks;
    to->captured = x->captured;
    to->has_optimizer = x->has_optimizer;
    to->is_pil_image = x->is_pil_image;
    to->base = x->base;
}

static size_t fields_of(const t_Object *object, uint8_t to[LARGEST]) {
    if (is_tensor(object)) {
        tensor_fields((const Tensor *)object, (Tensor *)to);
        return sizeof(Tensor);
    }
    size_t size = malloc_usable_size((void *)object);
    if (size > LARGEST) size = LARGEST;
    memcpy(to, object, size);
    memset(to, 0, sizeof *object); /* compared by itself */
    return size;
}

static uint64_t buffer_hash(ThreadBuffer which) {
    const void *buffer = tg_thread.buffers[which];
    return buffer ? hash_bytes(1, buffer, malloc_usable_size((void *)buffer)) : 0;
}

/* ---- files ---- */

static uint64_t content_hash(const char *path, const struct stat *about) {
    static uint8_t bytes[1 << 16];
    uint64_t h = (uint64_t)about->st_size;
    if (!S_ISREG(about->st_mode)) return h;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    for (int part = 0; fd >= 0 && part < 64 && (n = read(fd, bytes, sizeof bytes)) > 0; part++)
        h = hash_bytes(h, bytes, (size_t)n);
    if (fd >= 0) close(fd);
    return h;
}

static int look_at_folder(const char *folder, const char *only, SeenFile *files, int count) {
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && count < FILES && (entry = readdir(entries));) {
        char path[600];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*only && strcmp(entry->d_name, only) != 0) continue;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || stat(path, &about) != 0) continue;
        SeenFile *file = &files[count++];
        snprintf(file->name, sizeof file->name, "%s", path);
        file->inode = about.st_ino;
        file->content = content_hash(path, &about);
    }
    if (entries) closedir(entries);
    return count;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const SeenFile *)a)->name, ((const SeenFile *)b)->name);
}

static int look_at_files(SeenFile *files) {
    int count = 0;
    for (int i = 0; i < seen.folder_count; i++) count = look_at_folder(seen.folders[i], seen.only[i], files, count);
    qsort(files, (size_t)count, sizeof *files, by_name);
    return count;
}

/* The path where it is a folder; and the folder that it is in, all of it where that is the test's own (file_support.h),
 * else only the file, since other tests write into the same folder. */
static void add_folder(const char *path) {
    struct stat about;
    const size_t length = strlen(path);
    if (length == 0 || length > 250 || strchr(path, '\n') || seen.folder_count > 6) return;
    char *to = seen.folders[seen.folder_count], *only = seen.only[seen.folder_count];
    strcpy(to, path);
    *only = '\0';
    if (stat(to, &about) == 0 && S_ISDIR(about.st_mode)) {
        only = seen.only[++seen.folder_count];
        to = seen.folders[seen.folder_count];
    }
    strcpy(to, path);
    char *slash = strrchr(to, '/');
    if (!slash || slash == to) return;
    *slash = '\0';
    strcpy(only, strstr(to, "files.") ? "" : slash + 1);
    if (stat(to, &about) == 0 && S_ISDIR(about.st_mode)) seen.folder_count++;
}

static int lowest_fd(void) {
    const int fd = dup(STDIN_FILENO);
    if (fd >= 0) close(fd);
    return fd;
}

/* ---- both ---- */

void tt_world_look(const char *const *paths, int count) {
    if (!seen.objects) {
        seen.objects = reserve(OBJECTS * sizeof *seen.objects);
        seen.arena = reserve(ARENA);
        seen.files = reserve(2 * FILES * sizeof *seen.files);
    }
    size_t left = DATA;
    seen.count = 0;
    seen.used = 0;
    seen.all = live.count;
    for (int64_t i = 0; i < live.count && i < OBJECTS; i++) {
        t_Object *object = live.items[i].object;
        Seen *s = &seen.objects[seen.count++];
        *s = (Seen){.object = NULL};
        if (!pthread_equal(live.items[i].thread, pthread_self()) || seen.used + LARGEST > ARENA) continue;
        *s = (Seen){.object = object, .copy = *object, .at = seen.used};
        s->size = (uint32_t)fields_of(object, seen.arena + seen.used);
        seen.used += (s->size + 15) / 16 * 16;
        if (!is_tensor(object)) continue;
        s->data = data_hash((const Tensor *)object, &left);
        s->version = ((const Tensor *)object)->storage ? ((const Tensor *)object)->storage->version : 0;
    }
    seen.context = tg_thread;
    seen.scope_count = tg_thread.scope ? tg_thread.scope->count : 0;
    seen.python = buffer_hash(buffer_python_random);
    seen.numpy = buffer_hash(buffer_numpy_random);
    seen.dtype = tg_default_dtype();
    seen.folder_count = 0;
    for (int i = 0; i < count; i++)
        if (paths[i]) add_folder(paths[i]);
    seen.file_count = look_at_files(seen.files);
    seen.fd = lowest_fd();
}

/* What the end of the scope would release. */
bool tt_world_release(void) {
    Scope *scope = tg_thread.scope;
    bool any = false;
    while (scope && scope == seen.context.scope && scope->newest && scope->count > seen.scope_count) {
        t_release(tg_take_from_scope(scope->newest));
        any = true;
    }
    return any;
}

static char text[700];
/* The record of a view was brought up to date with in-place writes to its base, which may be done at any time. */
static bool refreshed;
#define CHANGED(...) (snprintf(text, sizeof text, __VA_ARGS__), text)

static const char *tensor_change(const Seen *s, const Tensor *now, const Tensor *then) {
#define FIELD(name) \
    if (now->name != then->name) return CHANGED("a tensor's " #name " has changed")
    FIELD(storage);
    FIELD(offset);
    FIELD(ndim);
    FIELD(dtype);
    FIELD(requires_grad);
    FIELD(grad);
    FIELD(pending);
    FIELD(hooks);
    FIELD(base);
    FIELD(captured);
    FIELD(has_optimizer);
    FIELD(is_parameter);
    FIELD(made_without_grad);
    FIELD(watch);
    FIELD(is_pil_image);
    FIELD(wrapped_number);
    FIELD(record);
#undef FIELD
    (void)s;
    return CHANGED("a tensor's sizes have changed");
}

static const char *object_change(const Seen *s, size_t *left) {
    static _Alignas(64) uint8_t now[LARGEST];
    const t_Object *object = s->object;
    if (object->is_a != s->copy.is_a) return CHANGED("a %s is now %s", s->copy.is_a->name, object->is_a->name);
    if (object->refs != s->copy.refs)
        return CHANGED("a %s has %+d references", object->is_a->name, object->refs - s->copy.refs);
    if (object->depth != s->copy.depth) return CHANGED("a %s belongs to another scope", object->is_a->name);
    const size_t size = fields_of(object, now);
    if (is_tensor(object)) {
        Tensor *then = (Tensor *)(seen.arena + s->at), *is = (Tensor *)now;
        if (is->base && is->history_version != then->history_version) {
            refreshed = true;
            then->record = is->record;
            then->requires_grad = is->requires_grad;
            then->history_version = is->history_version;
        }
    }
    if (size != s->size || memcmp(now, seen.arena + s->at, size) != 0) {
        if (is_tensor(object)) return tensor_change(s, (const Tensor *)now, (const Tensor *)(seen.arena + s->at));
        size_t at = 0;
        while (at < size && now[at] == seen.arena[s->at + at]) at++;
        return CHANGED("byte %zu of a %s has changed", at, object->is_a->name);
    }
    if (!is_tensor(object)) return NULL;
    const Tensor *x = (const Tensor *)object;
    if (data_hash(x, left) != s->data) return CHANGED("a tensor's values have changed");
    if (x->storage && x->storage->version != s->version)
        return CHANGED("a tensor's version is %lld more", (long long)(x->storage->version - s->version));
    return NULL;
}

static const char *context_change(void) {
    const Context *now = &tg_thread, *then = &seen.context;
#define FIELD(name) \
    if (now->name != then->name) return CHANGED("the thread's " #name " has changed")
    FIELD(scope);
    FIELD(grad_enabled);
    FIELD(site);
    FIELD(backward);
    FIELD(leaf_hooks);
    FIELD(module_frame);
    FIELD(saved_hooks);
    FIELD(saved_hooks_off);
    FIELD(keeps_values);
    FIELD(autocast_without_cache);
    FIELD(teaching);
    FIELD(stepping_ended);
    FIELD(dual_level);
    FIELD(autocast);
    FIELD(autocast_depth);
    FIELD(anomaly.on);
    FIELD(anomaly.check_nan);
    FIELD(trace);
    FIELD(freeing);
    FIELD(dead_records);
#undef FIELD
    if (now->scope && now->scope->count != seen.scope_count) return CHANGED("the scope has other objects");
    if (now->live_tensors != then->live_tensors || now->live_bytes != then->live_bytes)
        return CHANGED("%+lld tensors, %+lld bytes are alive", (long long)(now->live_tensors - then->live_tensors),
                       (long long)(now->live_bytes - then->live_bytes));
    return NULL;
}

static const char *file_change(void) {
    SeenFile *now = seen.files + FILES;
    const int count = look_at_files(now);
    for (int i = 0, k = 0; i < count || k < seen.file_count; i++, k++) {
        const int order = i == count ? 1 : k == seen.file_count ? -1 : strcmp(now[i].name, seen.files[k].name);
        if (order < 0) return CHANGED("the file %s is left", now[i].name);
        if (order > 0) return CHANGED("the file %s is gone", seen.files[k].name);
        if (now[i].inode != seen.files[k].inode) return CHANGED("the file %s is another one", now[i].name);
        if (now[i].content != seen.files[k].content) return CHANGED("the file %s has changed", now[i].name);
    }
    return NULL;
}

const char *tt_world_change(void) {
    size_t left = DATA;
    const char *change = context_change();
    refreshed = false;
    for (int64_t i = 0; i < seen.count && !change; i++) {
        if (!seen.objects[i].object) continue;
        if (i >= live.count || live.items[i].object != seen.objects[i].object)
            change = CHANGED("an object is gone");
        else
            change = object_change(&seen.objects[i], &left);
    }
    if (refreshed) seen.context.records_alive = tg_thread.records_alive;
    if (!change && tg_thread.records_alive != seen.context.records_alive)
        change = CHANGED("%+lld records are alive", (long long)(tg_thread.records_alive - seen.context.records_alive));
    const bool has_new_generator = !seen.context.generator && tg_thread.generator; /* made at its first use */
    if (!change && live.count > seen.all + has_new_generator &&
        pthread_equal(live.items[seen.all].thread, pthread_self()))
        change = CHANGED("%lld objects are left, a %s", (long long)(live.count - seen.all),
                         live.items[seen.all].object->is_a->name);
    if (!change && seen.python && buffer_hash(buffer_python_random) != seen.python)
        change = "Python's generator has changed";
    if (!change && seen.numpy && buffer_hash(buffer_numpy_random) != seen.numpy)
        change = "NumPy's generator has changed";
    if (!change && tg_default_dtype() != seen.dtype) change = "the default dtype has changed";
    if (!change) change = file_change();
    if (!change && lowest_fd() > seen.fd) change = "a file is left open";
    return change;
}
