/* examples/pytorch/autograd/saved_tensors_hooks.c: "Hooks for autograd saved tensors".
 *
 * Difficulty: **     Read first: basics/autograd     Read next: training/checkpointing */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "core/io/io.h"
#include "core/python/python.h"
#include "nn/nn.h"

enum { SAVE_ON_DISK_THRESHOLD = 1000 };

static Tensor *pack_hook(Tensor *x, void *context) {
    (void)context;
    t_print("Packing", x);
    return x;
}

static Tensor *unpack_hook(Tensor *x, void *context) {
    (void)context;
    t_print("Unpacking", x);
    return x;
}

static void what_is_saved(void) {
    Tensor *a = t_ones(5, .requires_grad = true), *y;
    Tensor *b = t_mul(t_ones(5, .requires_grad = true), 2);
    with_saved_tensors_hooks(pack_hook, unpack_hook) {
        y = t_mul(a, b);
    }
    t_backward(t_sum(y));
    t_print(t_grad(a));
}

/* ---- What pack returns is saved: here a number, there a tensor with another shape ---- */

static Tensor *storage_pack(Tensor *x, void *context) {
    t_TensorList *storage = context;
    t_list_append(storage, x);
    return t_integer(storage->len - 1);
}

static Tensor *storage_unpack(Tensor *x, void *context) {
    t_TensorList *storage = context;
    return t_list_get(storage, t_item_int64(x));
}

static void returning_an_int(void) {
    t_TensorList *storage = t_list();
    Tensor *x = t_randn(5, .requires_grad = true), *y;
    with_saved_tensors_hooks(storage_pack, storage_unpack, storage) {
        y = t_pow(x, 2);
    }
    t_backward(t_sum(y));
    t_print((int)storage->len, t_equal(t_grad(x), t_mul(2, x)));
}

static Tensor *pack_two(Tensor *x, void *context) {
    (void)context;
    Tensor *delta = t_randn_like(x);
    return t_stack(t_list(t_sub(x, delta), delta));
}

static Tensor *unpack_two(Tensor *packed, void *context) {
    (void)context;
    Tensor *x = t_at(packed, "0");
    Tensor *delta = t_at(packed, "1");
    return t_add(x, delta);
}

static void returning_two_tensors(void) {
    Tensor *x = t_randn(5, .requires_grad = true), *y;
    with_saved_tensors_hooks(pack_two, unpack_two) {
        y = t_pow(x, 2);
    }
    t_backward(t_sum(y));
    t_print(t_allclose(t_grad(x), t_mul(2, x)));
}

/* ---- On the CPU, and on the disk ---- */

static void saving_on_cpu(void) {
    Tensor *x = t_randn(5, .requires_grad = true), *y;
    with_save_on_cpu(.pin_memory = false) {
        y = t_pow(x, 2);
    }
    t_backward(t_sum(y));
    t_print(t_equal(t_grad(x), t_mul(2, x)));
}

typedef struct Disk {
    char folder[40];
    int64_t files;
} Disk;

static void disk_new(Disk *self) {
    snprintf(self->folder, sizeof self->folder, "/tmp/saved_tensors_XXXXXX");
    if (!mkdtemp(self->folder)) t_fail("%s: no folder for the files", self->folder);
    self->files = 0;
}

static const char *disk_path(const Disk *self, int64_t number) {
    return t_format("%s/%d.npy", self->folder, (int)number);
}

static Tensor *disk_pack(Tensor *x, void *context) {
    Disk *self = context;
    if (t_numel(x) < SAVE_ON_DISK_THRESHOLD) return t_detach(x);
    np_save(disk_path(self, self->files), x);
    self->files += 1;
    return t_integer(self->files - 1);
}

static Tensor *disk_unpack(Tensor *packed, void *context) {
    Disk *self = context;
    if (t_dim(packed) > 0) return packed;
    const char *path = disk_path(self, t_item_int64(packed));
    Tensor *x = np_load(path);
    remove(path);
    return x;
}

typedef struct SaveToDisk {
    nn_Module base;
    nn_Sequential *module;
    Disk *disk;
} SaveToDisk;

static Tensor *save_to_disk_call(SaveToDisk *self, Tensor *x) {
    Tensor *y;
    with_saved_tensors_hooks(disk_pack, disk_unpack, self->disk) {
        y = nn_call(self->module, x);
    }
    return y;
}

static SaveToDisk *save_to_disk(nn_Sequential *module, Disk *disk) {
    SaveToDisk *self = nn_module(SaveToDisk, save_to_disk_call);
    nn_set(self, module, module);
    self->disk = disk;
    return self;
}

static void saving_to_disk(void) {
    nn_Sequential *model = nn_Sequential(nn_Linear(50, 40), nn_Sigmoid(), nn_Linear(40, 5), nn_Tanh());
    Tensor *x = t_randn(32, 50);
    Tensor *loss = t_sum(t_square(nn_call(model, x)));
    t_TensorList *grads = t_grad(loss, nn_parameters(model));

    Disk disk;
    disk_new(&disk);
    SaveToDisk *net = save_to_disk(model, &disk);
    Tensor *loss_on_disk = t_sum(t_square(nn_call(net, x)));
    t_print((int)disk.files, (int)os_listdir(disk.folder)->len);
    t_backward(loss_on_disk);
    t_print((int)os_listdir(disk.folder)->len, t_equal(loss_on_disk, loss));
    int i = 0;
    for_parameters (p, model) t_print(t_equal(t_list_get(grads, i++), t_grad(p)));
    rmdir(disk.folder);
}

int main(void) {
    t_manual_seed(0);
    what_is_saved();
    returning_an_int();
    returning_two_tensors();
    saving_on_cpu();
    saving_to_disk();
    return 0;
}
