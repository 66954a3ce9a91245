/* tests/programs/no_malloc.c: from the second training step on, malloc is not called: this program replaces the C
 * library's allocator and counts calls. It trains the classifier of the repeated-token task for a few epochs with
 * dropout, a shuffling loader, Adam and a warm-up, and fails if any step but the first calls malloc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- the allocator in front ---- */

static long requests;

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void *malloc(size_t size) {
    static void *(*real)(size_t);
    if (!real) *(void **)&real = next("malloc");
    requests++;
    return real(size);
}

void *realloc(void *old, size_t size) {
    static void *(*real)(void *, size_t);
    if (!real) *(void **)&real = next("realloc");
    requests++;
    return real(old, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    static int (*real)(void **, size_t, size_t);
    if (!real) *(void **)&real = next("posix_memalign");
    requests++;
    return real(block, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    static void *(*real)(size_t, size_t);
    if (!real) *(void **)&real = next("aligned_alloc");
    requests++;
    return real(alignment, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) *(void **)&real = next("mmap");
    requests++;
    return real(at, size, protection, flags, file, offset);
}

int munmap(void *at, size_t size) {
    static int (*real)(void *, size_t);
    if (!real) *(void **)&real = next("munmap");
    requests++;
    return real(at, size);
}

/* ---- the training ---- */

typedef struct Model {
    nn_Module base;
    nn_Encoder *encoder;
    nn_Linear *head;
} Model;

static Tensor *model_call(Model *self, Tensor *ids) {
    return nn_call(self->head, t_mean(nn_call(self->encoder, ids), 1));
}

int main(void) {
    t_manual_seed(42);
    Model *model = nn_module(Model, model_call);
    nn_set(model, encoder, nn_Encoder(2, 80, 2, 160, 10, .norm_first = true, .max_len = 8));
    nn_set(model, head, nn_Linear(80, 2));
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-3);
    data_Dataset *dataset = data_RepeatedTokenDataset(320, 8, 10);
    data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 32, .shuffle = true);

    long steps = 0, after_first = 0, at_first = 0;
    for_range (epoch, 0, 3) {
        for_batch (batch, loader) {
            optim_zero_grad(optimizer);
            Tensor *loss = F_cross_entropy(nn_call(model, batch.x), batch.y);
            t_backward(loss);
            optim_step(optimizer);
            if (steps++ == 0) at_first = requests;
        }
    }
    after_first = requests - at_first;
    printf("no_malloc: %ld requests up to the end of the first step, %ld in the %ld steps after it\n", at_first,
           after_first, steps - 1);
    if (at_first == 0) printf("no_malloc: the counter does not count\n");
    return after_first != 0 || at_first == 0;
}
