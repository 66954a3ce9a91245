/* core/tensor/packed_weight.c: the cache of packed weights, one short list per storage. Packed data is freed with its
 * storage and at the next write to it. */
#include "core/tensor/packed_weight.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ROWS = 384,          /* of A: with more, the time of packing B does not matter */
    MIN_ELEMENTS = 1 << 14, /* of B */
    MAX_VIEWS = 4                 /* of one storage */
};
#define MAX_BYTES ((size_t)1 << 28) /* of all packed weights */

static atomic_size_t bytes_in_use; /* a storage may be freed by another thread than the one that packed it */

/* A view of the storage, and its packed form from the second use on. */
typedef struct tg_Packed {
    struct tg_Packed *next;
    int64_t offset, shape[2], strides[2];
    t_DType dtype;
    size_t bytes;
    void *data;
} Packed;

static bool is_same_view(const Packed *packed, const Tensor *w) {
    return packed->offset == w->offset && packed->dtype == w->dtype &&
           memcmp(packed->shape, w->shape, sizeof packed->shape) == 0 &&
           memcmp(packed->strides, w->strides, sizeof packed->strides) == 0;
}

/* Adds this view, without packed data, to its storage's list. */
static void add_view(const Tensor *w) {
    int views = 0;
    for (const Packed *packed = w->storage->packed; packed; packed = packed->next) views++;
    Packed *packed = views < MAX_VIEWS ? calloc(1, sizeof *packed) : NULL;
    if (!packed) return;
    packed->next = w->storage->packed;
    packed->offset = w->offset;
    packed->dtype = w->dtype;
    memcpy(packed->shape, w->shape, sizeof packed->shape);
    memcpy(packed->strides, w->strides, sizeof packed->strides);
    w->storage->packed = packed;
}

static void pack(Packed *packed, const tg_Product *p) {
    const bool is_double = packed->dtype == t_float64;
    const size_t bytes = tg_gemm_packed_bytes(is_double, p);
    if (atomic_load(&bytes_in_use) + bytes > MAX_BYTES || !(packed->data = aligned_alloc(64, bytes))) return;
    packed->bytes = bytes;
    atomic_fetch_add(&bytes_in_use, bytes);
    tg_gemm_pack(is_double, p, packed->data);
}

const void *tg_packed_weight(const Tensor *weight, const tg_Product *p) {
    if (p->m > MAX_ROWS || p->n * p->k < MIN_ELEMENTS || weight->storage->has_mutable_pointer) return NULL;
    if (tg_gemm_is_gemv(weight->dtype == t_float64, p)) return NULL;
    for (Packed *packed = weight->storage->packed; packed; packed = packed->next) {
        if (!is_same_view(packed, weight)) continue;
        if (!packed->data) pack(packed, p);
        return packed->data;
    }
    add_view(weight);
    return NULL;
}

void tg_drop_packed(Storage *storage) {
    for (Packed *packed; (packed = storage->packed);) {
        storage->packed = packed->next;
        atomic_fetch_sub(&bytes_in_use, packed->bytes);
        free(packed->data);
        free(packed);
    }
}
