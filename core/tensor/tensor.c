/* core/tensor/tensor.c: storages, creation of tensors and views, and predicates of their layout. */
#include "core/tensor/tensor.h"

#include <string.h>

#include "core/tensor/dtype_convert.h"
#include "core/tensor/packed_weight.h"
#include "core/tensor/profiler_hooks.h"
#include "core/tensor/size_arithmetic.h"

/* ---- storage ---- */

static Storage *storage_new(size_t bytes) {
    Storage *storage = tg_alloc_raw(sizeof *storage + bytes);
    if (!storage) return NULL;
    storage->refs = 1;
    storage->mark = 0;
    storage->version = 0;
    storage->bytes = bytes;
    storage->copy_on_write_refs = 0;
    storage->has_mutable_pointer = false;
    storage->packed = NULL;
    tg_thread.live_bytes += (int64_t)bytes;
    const tg_ProfilerHooks *hooks = tg_profiler();
    if (hooks) hooks->storage(storage, (int64_t)bytes, true);
    return storage;
}

static void storage_release(Storage *storage) {
    if (--storage->refs > 0) return;
    const tg_ProfilerHooks *hooks = tg_profiler();
    if (hooks) hooks->storage(storage, (int64_t)storage->bytes, false);
    tg_thread.live_bytes -= (int64_t)storage->bytes;
    if (storage->packed) tg_drop_packed(storage);
    tg_free(storage, sizeof *storage + storage->bytes);
}

/* ---- the tensor structs ----
 * The struct of a dead tensor waits in a FIFO queue after at least QUARANTINE others before it is reused, so that a
 * use after free is detected and gets an error message. The queue grows by half of all structs at a time, so that a
 * training step with somewhat more tensors than the first one (whose optimizer state did not exist yet) needs no
 * allocation. */

enum { QUARANTINE = 256 };
static _Thread_local struct {
    Tensor *oldest, *newest;
    int64_t count, structs; /* in the queue; in all */
} dead_structs;

static void queue(Tensor *x) {
    x->next_pending = NULL;
    if (dead_structs.newest) dead_structs.newest->next_pending = x;
    else dead_structs.oldest = x;
    dead_structs.newest = x;
    dead_structs.count++;
}

static void tensor_destroy(void *object) {
    Tensor *x = object;
    tg_thread.live_tensors--;
    tg_object_dispose(&x->object);
    if (x->watch) tg_drop_watch(x);
    tg_release_history(x);
    t_release(x->grad);
    t_release(x->pending);
    t_release(x->base);
    storage_release(x->storage);
    queue(x);
}

const t_Class tg_tensor_class = {"Tensor", tensor_destroy};
const t_Class tg_uninitialized_class = {"UninitializedParameter", tensor_destroy};

static Tensor *oldest_dead_struct(void) {
    Tensor *x = dead_structs.oldest;
    dead_structs.oldest = x->next_pending;
    if (!dead_structs.oldest) dead_structs.newest = NULL;
    dead_structs.count--;
    return x;
}

static bool grow_queue(void) {
    int64_t more = dead_structs.structs / 2 > QUARANTINE ? dead_structs.structs / 2 : 2 * QUARANTINE;
    tg_Lifetime before = tg_set_lifetime(tg_permanent);
    Tensor *x = NULL;
    for (int64_t i = 0; i < more && (x = tg_alloc_raw(sizeof *x)); i++) {
        queue(x);
        dead_structs.structs++;
    }
    tg_set_lifetime(before);
    return x != NULL;
}

static Tensor *tensor_new(Storage *storage, int ndim, t_DType dtype) {
    if (dead_structs.count <= QUARANTINE && !grow_queue()) return NULL;
    Tensor *x = oldest_dead_struct();
    tg_zero_struct(x, sizeof *x);
    x->storage = storage;
    x->ndim = ndim;
    x->dtype = dtype;
    tg_object_init(&x->object, &tg_tensor_class);
    tg_thread.live_tensors++;
    return x;
}

void tg_tensor_drain(void) {
    while (dead_structs.oldest) tg_free(oldest_dead_struct(), sizeof(Tensor));
    dead_structs.structs = 0;
}

/* ---- creation ---- */

/* The bytes of a tensor, or -1 with an error set if a size is negative or the product too large (the limit leaves space
 * for the header of a storage and for rounding up). */
static int64_t bytes_of(const int64_t *shape, int ndim, t_DType dtype) {
    int64_t count = 1;
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0) {
            tg_fail("Trying to create tensor with negative dimension %lld: %s", (long long)shape[d],
                    tg_shape_text(shape, ndim));
            return -1;
        }
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(count, shape[d], &count) || (d == ndim - 1 && count > INT64_MAX / 16)) {
            tg_fail("Storage size calculation overflowed with sizes=%s", tg_shape_text(shape, ndim));
            return -1;
        }
    return count * (int64_t)tg_itemsize(dtype);
}

/* The bytes from the first element to the last one that the strides reach; equals `bytes` for dense strides. */
static int64_t span_of(const int64_t *shape, const int64_t *strides, int ndim, t_DType dtype, int64_t bytes) {
    int64_t last = 0;
    if (bytes == 0) return 0; /* a size is 0; the others may be so large that their product overflows */
    for (int d = 0; d < ndim; d++) last += (shape[d] - 1) * strides[d];
    int64_t span = (last + 1) * (int64_t)tg_itemsize(dtype);
    return span > bytes ? span : bytes;
}

Tensor *tg_empty_strided(const int64_t *shape, const int64_t *strides, int ndim, t_DType dtype) {
    if (ndim < 0 || ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    if (dtype < t_bool || dtype > t_float64) return tg_fail("%d is not a dtype", (int)dtype);
    int64_t bytes = bytes_of(shape, ndim, dtype);
    Storage *storage = bytes < 0 ? NULL : storage_new((size_t)span_of(shape, strides, ndim, dtype, bytes));
    if (!storage) return NULL;
    Tensor *x = tensor_new(storage, ndim, dtype);
    if (!x) {
        storage_release(storage);
        return NULL;
    }
    if (ndim) {
        memcpy(x->shape, shape, (size_t)ndim * sizeof *shape);
        memcpy(x->strides, strides, (size_t)ndim * sizeof *strides);
    }
    return x;
}

/* Without checks of the sizes, which are x's. */
Tensor *tg_empty_like_contiguous(const Tensor *x, int64_t n, t_DType dtype) {
    Storage *storage = storage_new((size_t)n * tg_itemsize(dtype));
    Tensor *y = storage ? tensor_new(storage, x->ndim, dtype) : NULL;
    if (storage && !y) storage_release(storage);
    if (!y) return NULL;
    memcpy(y->shape, x->shape, sizeof x->shape);
    memcpy(y->strides, x->strides, sizeof x->strides);
    return y;
}

Tensor *tg_empty(const int64_t *shape, int ndim, t_DType dtype) {
    int64_t strides[T_MAX_DIMS];
    if (ndim >= 0 && ndim <= T_MAX_DIMS) tg_contiguous_strides(shape, ndim, strides);
    return tg_empty_strided(shape, strides, ndim, dtype);
}

Tensor *tg_view(Tensor *x, const int64_t *shape, const int64_t *strides, int ndim, int64_t offset) {
    int64_t count = 1;
    bool overflows = false;
    if (ndim > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, ndim);
    Tensor *y = tensor_new(x->storage, ndim, x->dtype);
    if (!y) return NULL;
    x->storage->refs++;
    for (int d = 0; d < ndim; d++) {
        overflows |= __builtin_mul_overflow(count, shape[d], &count);
        y->shape[d] = shape[d];
        y->strides[d] = strides[d];
    }
    y->offset = offset;
    y->base = t_retain(x->base ? x->base : x);
    y->history_version = y->base->history_version;
    y->made_without_grad = !tg_thread.grad_enabled;
    if (!overflows) return y;
    t_release(tg_take_from_scope(y));
    return tg_fail("numel: integer multiplication overflow");
}

Tensor *tg_alias(Tensor *x) {
    Tensor *y = tensor_new(x->storage, x->ndim, x->dtype);
    if (!y) return NULL;
    x->storage->refs++;
    memcpy(y->shape, x->shape, sizeof x->shape);
    memcpy(y->strides, x->strides, sizeof x->strides);
    y->offset = x->offset;
    return y;
}

Tensor *tg_detach_from_base(Tensor *y) {
    if (!y) return NULL;
    t_release(y->base);
    y->base = NULL;
    y->made_without_grad = false;
    return y;
}

void tg_set_data(Tensor *x, Tensor *y) {
    /* With another dtype this counts as a write to x for the records that saved x: the version increases. */
    if (x->dtype != y->dtype && y->storage->version <= x->storage->version)
        y->storage->version = x->storage->version + 1;
    if (tg_thread.casts) tg_drop_cast(x);
    tg_detach_from_base(x);
    tg_set_record(x, NULL);
    x->history_version = 0;
    y->storage->refs++;
    storage_release(x->storage);
    x->storage = y->storage;
    x->offset = y->offset;
    x->ndim = y->ndim;
    x->dtype = y->dtype;
    memcpy(x->shape, y->shape, sizeof x->shape);
    memcpy(x->strides, y->strides, sizeof x->strides);
}

void tg_materialize_with(Tensor *x, Tensor *data) {
    x->object.is_a = &tg_tensor_class;
    tg_set_data(x, data);
}

bool tg_materialize(Tensor *x, const int64_t *shape, int ndim) {
    int depth = t_scope_open();
    Tensor *data = depth ? tg_empty(shape, ndim, x->dtype) : NULL;
    if (data) tg_materialize_with(x, data);
    t_scope_close(depth);
    return data != NULL;
}

bool tg_make_uninitialized(Tensor *x) {
    const int64_t none = 0;
    if (!tg_materialize(x, &none, 1)) return false;
    x->object.is_a = &tg_uninitialized_class;
    return true;
}

/* ---- from one thread to another ---- */

bool tg_parcel_pack(const Tensor *x, tg_Parcel *parcel) {
    if (x->record)
        return tg_fail("a tensor of shape %s that requires a gradient and is not a leaf cannot go to another thread: "
                       "detach() it first", tg_shape_of(x));
    *parcel = (tg_Parcel){.storage = x->storage, .offset = x->offset, .ndim = x->ndim, .dtype = x->dtype,
                          .requires_grad = x->requires_grad};
    memcpy(parcel->shape, x->shape, sizeof x->shape);
    memcpy(parcel->strides, x->strides, sizeof x->strides);
    x->storage->refs++;
    return true;
}

bool tg_parcel_seal(tg_Parcel *parcel) {
    Storage *storage = parcel->storage;
    if (!storage) return true;
    if (storage->refs > 1) {
        parcel->storage = storage_new(storage->bytes);
        if (parcel->storage) memcpy(parcel->storage->data, storage->data, storage->bytes);
        storage_release(storage);
    }
    if (!parcel->storage) return false;
    if (parcel->storage->packed) tg_drop_packed(parcel->storage);
    tg_thread.live_bytes -= (int64_t)parcel->storage->bytes;
    return true;
}

Tensor *tg_parcel_open(tg_Parcel *parcel) {
    Tensor *x = parcel->storage ? tensor_new(parcel->storage, parcel->ndim, parcel->dtype) : NULL;
    if (!x) return NULL;
    tg_thread.live_bytes += (int64_t)parcel->storage->bytes;
    x->offset = parcel->offset;
    x->requires_grad = parcel->requires_grad;
    memcpy(x->shape, parcel->shape, sizeof x->shape);
    memcpy(x->strides, parcel->strides, sizeof x->strides);
    parcel->storage = NULL;
    return x;
}

void tg_parcel_drop(tg_Parcel *parcel) {
    const tg_ProfilerHooks *hooks = parcel->storage ? tg_profiler() : NULL;
    if (hooks) hooks->storage(parcel->storage, (int64_t)parcel->storage->bytes, false);
    if (parcel->storage) tg_free(parcel->storage, sizeof *parcel->storage + parcel->storage->bytes);
    parcel->storage = NULL;
}

/* ---- shape, strides, values ---- */

/* The product of a tensor's sizes fits int64, or one of them is 0, and then it is 0 even if a partial product wraps
 * around. */
int64_t tg_numel(const Tensor *x) {
    uint64_t count = 1;
    for (int d = 0; d < x->ndim; d++) count *= (uint64_t)x->shape[d];
    return (int64_t)count;
}

int64_t tg_shape_numel(const int64_t *shape, int ndim) {
    int64_t count = 1;
    for (int d = 0; d < ndim; d++) count = tg_size_mul(count, shape[d]);
    return count;
}

/* It overflows only for a tensor without elements, of which no address is taken: any offset in the storage will do. */
int64_t tg_offset_at(const Tensor *x, int d, int64_t index) {
    int64_t offset;
    const bool overflows = __builtin_mul_overflow(index, x->strides[d], &offset) ||
                           __builtin_add_overflow(offset, x->offset, &offset) || offset > INT64_MAX / 16;
    return overflows ? x->offset : offset;
}

void tg_contiguous_strides(const int64_t *shape, int ndim, int64_t *strides) {
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        if (shape[d] > 1 && __builtin_mul_overflow(stride, shape[d], &stride)) stride = 0; /* bytes_of sets the error */
    }
}

bool tg_is_contiguous(const Tensor *x) {
    int64_t stride = 1;
    if (tg_numel(x) == 0) return true; /* the product of the other sizes may overflow */
    for (int d = x->ndim - 1; d >= 0; d--) {
        if (x->shape[d] != 1 && x->strides[d] != stride) return false;
        stride *= x->shape[d];
    }
    return true;
}

/* Dense: with dims sorted by stride, each stride is the product of the sizes of the dims before it. */
bool tg_is_dense(const Tensor *x) {
    int64_t expected = 1;
    bool used[T_MAX_DIMS] = {false};
    for (int round = 0; round < x->ndim; round++) {
        int next = -1;
        for (int d = 0; d < x->ndim; d++)
            if (!used[d] && x->shape[d] != 1 && (next < 0 || x->strides[d] < x->strides[next])) next = d;
        if (next < 0) break;
        if (x->shape[next] == 0) return true;
        if (x->strides[next] != expected) return false;
        used[next] = true;
        expected = tg_size_mul(expected, x->shape[next]);
    }
    return true;
}

bool tg_overlaps_itself(const Tensor *x) {
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] > 1 && x->strides[d] == 0) return true;
    return false;
}

bool tg_same_shape(const Tensor *a, const Tensor *b) {
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

bool tg_shares_memory(const Tensor *a, const Tensor *b) {
    if (a->storage != b->storage) return false;
    if (a->offset != b->offset || !tg_same_shape(a, b)) return true;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] != b->strides[d]) return true;
    return false;
}

double tg_read_double(const Tensor *x) {
    return tg_element_as_double(x->dtype, tg_data(x));
}

int64_t tg_read_int64(const Tensor *x) {
    return tg_element_as_int64(x->dtype, tg_data(x));
}
